"""A `spill` that was forked, or run in this process, is held against the installed one: no test could tell one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from doors_kit import can_be_here, run_here
from overspill.redact.rules import made_up_value
from spill_process import SPILL, run_spill

LONG = b"".join(b"line %d of many\n" % number for number in range(3_000))
OF_ONE_RUN = re.compile(rb"art_[a-z0-9_]+|[0-9-]{10}.[0-9:]{8}[0-9.]*|[0-9.]+ s$", re.MULTILINE)
INHERITED = "pwd; umask; ulimit -n; ls /proc/self/fd; grep -E '^(Sig|Shd)(P|B|I)' /proc/self/status; env | sort"


def surroundings(home: Path, **environ: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
        **environ,
    }


def said(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return done.returncode, OF_ONE_RUN.sub(b"*", done.stdout), OF_ONE_RUN.sub(b"*", done.stderr)


def both(env: dict[str, str], *words: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """What the two say, which is the same but for ids and times."""
    home = env["HOME"]
    forked = run_spill(*words, stdin=stdin, cwd=home, env=env)
    started = subprocess.run(
        [SPILL, *words], input=stdin, cwd=home, env=env, capture_output=True, timeout=60, check=False
    )
    assert said(forked) == said(started)
    if can_be_here(words, env):
        assert said(run_here(*words, stdin=stdin, cwd=home, env=env)) == said(started)
    return said(started)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["fit", "--limit", "500"], 0),
        (["fit", "--strategy", "smart", "--limit", "900"], 0),
        (["fit", "--explain"], 0),
        (["redact"], 0),
        (["artifacts", "list"], 0),
        (["config", "show", "--origin"], 0),
        (["init", "--show"], 0),
        (["completion", "bash"], 0),
        (["demo"], 0),
        (["hook", "codex"], 0),
        (["fit", "--limit", "0"], 2),
        (["fit", "no-such-file"], 3),
        (["session", "show", "nobody"], 4),
        (["fit", "--preset", "none"], 2),
        (["fit", "\udcff"], 3),
        (["run", "--", "sh", "-c", "exit 7"], 7),
        (["run", "--", "sh", "-c", "kill -9 $$"], 137),
        (["run", "--", "no-such-program"], 127),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_words_lead_to_the_same_streams_and_status(words: list[str], status: int, tmp_path: Path) -> None:
    assert both(surroundings(tmp_path), *words, stdin=LONG)[0] == status


def test_what_a_child_of_it_inherits_is_the_same(tmp_path: Path) -> None:
    """Directory, mask, limits, open files, signals and environment; nothing of whoever it was forked from."""
    env = surroundings(tmp_path, A_NAME="of mine")
    status, out, _ = both(env, "run", "--limit", "100000", "--", "sh", "-c", INHERITED)
    assert status == 0
    assert out.startswith(str(tmp_path).encode())
    assert b"A_NAME=of mine\n" in out
    assert b"PYTEST" not in out


@pytest.mark.parametrize("environ", [{"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C"}, {"PYTHONUTF8": "0"}])
def test_what_python_reads_at_its_start_is_read(environ: dict[str, str], tmp_path: Path) -> None:
    env = surroundings(tmp_path, **environ)
    assert both(env, "fit", "\u00e4")[0] == 3
    assert both(env, "fit", "--json", stdin=b"\xc3\xa4 \xe4\xb8\x96 \x80")[0] == 0


def test_an_environment_is_forgotten_by_the_next(tmp_path: Path) -> None:
    """Also a secret that a variable holds, which is looked for in every text of that process and no other."""
    word = made_up_value("<A36>")
    assert word.encode() not in both(surroundings(tmp_path, MY_PASSWORD=word), "redact", stdin=word.encode())[1]
    assert both(surroundings(tmp_path), "redact", stdin=word.encode())[1] == word.encode()


def test_more_than_a_pipe_holds_goes_in_and_comes_out(tmp_path: Path) -> None:
    assert both(surroundings(tmp_path, OVERSPILL="off"), "fit", stdin=LONG * 100)[1] == LONG * 100
    assert both(surroundings(tmp_path), "fit", "no-such-file", stdin=LONG * 100)[0] == 3


def test_streams_and_surroundings_are_as_before(tmp_path: Path) -> None:
    """Of one that ran in this process nothing is left, and one that waits for ever fails."""

    def surroundings_now() -> list[object]:
        return [dict(os.environ), os.getcwd(), sys.stdin, sys.stdout, sys.stderr, *map(os.fstat, range(3))]

    before = surroundings_now()
    env = surroundings(tmp_path, OVERSPILL_OUTPUT__SCHEMA="https://example.org/")
    assert b"example.org" in run_here("list", "--json", cwd=tmp_path, env=env).stdout
    assert b"example.org" not in run_here("list", "--json", cwd=tmp_path, env=surroundings(tmp_path)).stdout
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(pytest.fail.Exception):
        run_here("fit", "pipe", cwd=tmp_path, env=env, timeout=0.2)
    assert surroundings_now() == before


def test_one_that_does_not_end_is_ended(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        run_spill("run", "--", "sleep", "3", cwd=tmp_path, env=surroundings(tmp_path), timeout=0.5)


def test_nothing_has_run_in_the_one_that_is_forked(tmp_path: Path) -> None:
    """No cache is warm: what was read, compiled or counted once would be there for every fork."""
    code = """
import functools, gc, sys
sys.path.insert(0, sys.argv[1])
import spill_process
spill_process._load()
caches = [one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper)]
print([f"{one.__module__}.{one.__qualname__}" for one in caches
       if one.__module__.startswith("overspill.") and one.cache_info().currsize])
"""
    words = [sys.executable, "-c", code, os.path.dirname(__file__)]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "[]\n"
