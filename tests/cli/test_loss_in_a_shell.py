"""Nothing that comes down a pipe is lost without a word: interrupts, broken settings, bytes, wrong flags."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from children import wait_until_all_is_read
from doors_kit import Shell, mapping, ok
from spill_process import SPILL, run_spill

LINES = "".join(f"line {number}\n" for number in range(9_000))


def settings(shell: Shell, text: str) -> None:
    (shell.root / ".agent").mkdir(exist_ok=True)
    (shell.root / ".agent" / "config.yml").write_text(text)


def interrupted(
    shell: Shell, number: int, *words: str, come: bytes = LINES.encode()
) -> subprocess.CompletedProcess[bytes]:
    """`spill fit` at the end of a pipe that stays open, told to end when it has read all that came."""
    child = subprocess.Popen(
        [SPILL, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shell.root,
        env=shell.environ,
    )
    assert child.stdin is not None
    child.stdin.write(come)
    child.stdin.flush()
    wait_until_all_is_read(child)
    child.send_signal(number)
    child.wait(30)  # with its input still open
    out, err = child.communicate()
    return subprocess.CompletedProcess(words, child.returncode, out, err)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_came_before_an_interrupt_is_kept_and_shown(shell: Shell, number: int, status: int) -> None:
    """Promise 1: Ctrl-C shows what came, then the status."""
    done = interrupted(shell, number, "fit", "--json")
    assert done.returncode == status
    result = mapping(json.loads(done.stdout)["result"])
    assert str(result["content"]).startswith(f"Output ended early: interrupted by signal {int(number)}\n")
    kept = ok(shell.spill("artifacts", "export", str(result["artifact_id"]), "-")).out
    assert kept == LINES


def test_an_interrupt_before_anything_came_is_said(shell: Shell) -> None:
    """Promise 1"""
    done = interrupted(shell, signal.SIGINT, "fit", come=b"")
    assert (done.returncode, done.stdout) == (130, b"")
    assert b"interrupted" in done.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_a_command_said_before_an_interrupt_is_kept_and_shown(shell: Shell, number: int, status: int) -> None:
    """Promise 1: `run` sends the signal on, shows what was said, and its status is the command's."""
    line = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; echo ready > said; exec sleep 30"
    child = subprocess.Popen(
        [SPILL, "run", "--json", "--", "sh", "-c", line], stdout=subprocess.PIPE, cwd=shell.root, env=shell.environ
    )
    until = time.monotonic() + 30
    while not (shell.root / "said").exists() and time.monotonic() < until:
        time.sleep(0.05)
    child.send_signal(number)
    out, _ = child.communicate(timeout=30)
    assert child.returncode == status
    result = mapping(json.loads(out)["result"])
    assert ok(shell.spill("artifacts", "show", str(result["artifact_id"]), "--lines", "-1")).out == "line 2999\n"


MISTAKES = [
    "tools: {truncation: {inline_limit: -5}}",
    "tools: {truncation: {inline_limt: 5}}",
    "tools: {truncation: {default_strategy: bogus}}",
    "tools: {truncation: {overrides: {bash: {strategy: bogus}}}}",
    "redaction: {rules: [{name: a, type: B, pattern: '('}]}",
    "tools: [",
    "a: &b c",
    "\x00",
    "tools: 5",
    "preset: gent",
]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_settings_eats_no_input(shell: Shell, mistake: str) -> None:
    """Promise 7: it is said on standard error and in the report, and status 8 is for `config check`."""
    settings(shell, mistake)
    said = ok(shell.spill("fit", "--json", "--tool", "bash", stdin=LINES))
    result = mapping(said.envelope["result"])
    assert ok(shell.spill("artifacts", "put", "-", stdin=LINES)).out.startswith("art_")
    assert "config.yml" in said.err
    assert any("config.yml" in str(notice) for notice in mapping(result["metadata"])["notices"])  # type: ignore[attr-defined]
    assert "line 8999" in str(result["content"])
    assert shell.spill("config", "check").status == 8
    ran = shell.line("spill run -- sh -c 'echo hello; exit 3'")
    assert (ran.out, ran.status) == ("hello\n", 3)


@pytest.mark.parametrize(
    "variable",
    [{"OVERSPILL_TOOLS__TRUNCATION__INLINE_LIMIT": "-5"}, {"OVERSPILL_TOOLS__TRUNCATION__NO": "1"}],
)
def test_a_mistake_in_the_environment_eats_no_input(shell: Shell, variable: dict[str, str]) -> None:
    """Promise 7"""
    shell.environ |= variable
    said = ok(shell.spill("fit", stdin="all\n"))
    assert said.out == "all\n"
    assert next(iter(variable)) in said.err


def test_a_setting_with_a_mistake_keeps_its_last_good_value(shell: Shell) -> None:
    """Promise 7: what the file said when it was last right, and what it says now of everything else."""
    settings(shell, "tools: {truncation: {inline_limit: 300, max_artifact_size: 5000}}")
    place = shell.root / ".agent" / "config.yml"
    os.utime(place, (1_700_000_000, 1_700_000_000))
    os.utime(place, ns=(place.stat().st_atime_ns, 1_700_000_000_000_000_000))
    shell.environ["XDG_CACHE_HOME"] = str(shell.home / "cache")
    time.sleep(2.1)  # a file that has just changed is not remembered
    ok(shell.spill("fit", stdin="hello"))
    settings(shell, "tools: {truncation: {inline_limit: -5}}")
    said = ok(shell.spill("fit", "--json", stdin=LINES))
    result = mapping(said.envelope["result"])
    assert "last good value" in said.err
    assert len(str(result["content"])) <= 300
    assert result["artifact_id"]  # the other limit is no longer said


def test_a_binary_is_refused_by_put_and_kept_when_asked(shell: Shell, tmp_path: Path) -> None:
    """AC-085, FAQ-1: with type, size and checksum; what comes back is what went in."""
    data = b"\x89PNG\r\n\x1a\n" + os.urandom(9_000)
    (shell.root / "r.png").write_bytes(data)
    refused = shell.spill("artifacts", "put", "r.png")
    assert (refused.status, refused.out) == (2, "")
    assert "--binary" in refused.err
    assert "0 artifacts" in shell.spill("artifacts", "list").out
    kept = ok(shell.spill("artifacts", "put", "r.png", "--binary"))
    assert "not searched for secrets" in kept.err
    info = mapping(ok(shell.spill("artifacts", "info", kept.out.strip(), "--json")).envelope["artifact"])
    assert (info["content_type"], info["bytes"]) == ("image/png; charset=binary", len(data))
    assert info["searched_for_secrets"] is False
    assert "SHA-256: " in shell.spill("artifacts", "info", kept.out.strip()).out
    ok(shell.spill("artifacts", "export", kept.out.strip(), "o.png"))
    assert (shell.root / "o.png").read_bytes() == data
    piped = run_spill("artifacts", "export", kept.out.strip(), "-", cwd=shell.root, env=shell.environ)
    assert piped.stdout == data
    shown = shell.spill("artifacts", "show", kept.out.strip(), "--limit", "0")
    assert (shown.status, shown.out) == (2, "")
    small = shell.spill("artifacts", "put", "-", "--binary", stdin="\x00\x01\x02\x03")
    assert small.out.startswith("art_")


def test_an_endless_input_ends(shell: Shell) -> None:
    """THR-3: `yes | spill fit` answers, and so does a command that goes on for ever."""
    settings(shell, "tools: {truncation: {max_input_size: 300KB, max_artifact_size: 100KB}}")
    said = ok(shell.line("yes | spill fit"))
    assert said.out.splitlines()[0].startswith("Output size (")
    assert "max_input_size" in said.out.splitlines()[1]
    ran = shell.line("spill run -- yes")
    assert ran.status == 143
    assert "max_input_size" in ran.out


def test_sizes_in_a_refusal_can_be_told_apart(shell: Shell) -> None:
    """FAQ-7"""
    settings(shell, "tools: {truncation: {max_artifact_size: 10KB}}")
    said = ok(shell.spill("fit", stdin="x" * 10_500))
    assert said.out.splitlines()[0] == "Output size (10.3 KB) exceeds maximum artifact size (10.0 KB)"
    refused = shell.spill("artifacts", "put", stdin="x" * 10_500)
    assert refused.status == 21
    assert "(10.0 KB)" in refused.err


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "--strategy", "bogus"),
        ("fit", "--preset", "bogus"),
        ("fit", "--kind", "bogus"),
        ("fit", "--limit", "9" * 30),
        ("run", "--strategy", "bogus", "--", "true"),
        ("mcp", "serve", "--port", "99999"),
        ("context", "--phase", "2", "--drop", "bogus"),
    ],
)
def test_a_wrong_value_of_a_flag_is_a_wrong_command_line(shell: Shell, words: tuple[str, ...]) -> None:
    """Exit codes: 2, and for `run` 125; the message names the flag, and what it takes."""
    said = shell.spill(*words, stdin="x")
    assert said.status == (125 if words[0] == "run" else 2)
    assert next(word for word in words if word.startswith("--") and word != "--phase") in said.err
    assert said.out == ""


def test_a_number_too_long_is_not_said_to_be_none(shell: Shell) -> None:
    """The message says what is wrong with it."""
    assert "at most 18 digits" in shell.spill("fit", "--limit", "9" * 30, stdin="x").err


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("5", "5\n"),
        ("9-", "9\n10\n"),
        ("-3", "8\n9\n10\n"),
        ("-99", "".join(f"{n}\n" for n in range(1, 11))),
        ("2-3", "2\n3\n"),
    ],
)
def test_lines_can_be_asked_for_as_people_do(shell: Shell, lines: str, expected: str) -> None:
    """CLI-05: one, from one on, and so many from the end; also where the last has no end of its own."""
    text = "".join(f"{n}\n" for n in range(1, 11))
    for artifact, end in ((shell.put(text), "\n"), (shell.put(text.rstrip()), "")):
        whole = expected if end or not expected.endswith("10\n") else expected[:-1]
        assert ok(shell.spill("artifacts", "show", artifact, "--lines", lines)).out == whole


def test_a_media_type_is_told_by_a_name(shell: Shell) -> None:
    """CLI-04: as `artifacts put --help` says."""
    types = {"a.html": "text/html", "a.csv": "text/csv", "a.js": "text/javascript", "a.md": "text/markdown"}
    for name, expected in types.items():
        (shell.root / name).write_text("some words, and more\n" * 900)
        info = mapping(ok(shell.spill("artifacts", "put", name, "--json")).envelope["artifact"])
        assert info["content_type"] == expected


def test_a_query_without_a_root_is_told_so(shell: Shell) -> None:
    """FR-056: in the words of whoever asks, not of the parser."""
    said = shell.spill("artifacts", "show", shell.put('{"users": []}'), "--query", "users")
    assert said.status == 2
    assert "begin with $, as $.users" in said.err
    assert "TOKEN" not in said.err
