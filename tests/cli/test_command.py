"""The command at its borders: closed streams, wrong words, unreadable files, signals."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from asking import command, mapping_of, numbered
from doors_kit import Shell

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")
LONG = numbered(1_000).encode()


def shell(line: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell in which `$SPILL` is our command."""
    own = {name: os.environ[name] for name in ("PATH", "XDG_CACHE_HOME")}
    environ = {**own, "HOME": str(cwd), "SPILL": SPILL}
    return subprocess.run(["bash", "-c", line], cwd=cwd, env=environ, capture_output=True, timeout=60, check=False)


def error_of(done: subprocess.CompletedProcess[bytes]) -> dict[str, object]:
    """The error of an envelope, which has to be the only thing on standard output."""
    envelope = mapping_of(json.loads(done.stdout))
    assert envelope["success"] is False
    assert b"Traceback" not in done.stderr
    return mapping_of(envelope["error"])


def test_a_closed_standard_input_is_nothing_to_read(tmp_path: Path) -> None:
    """NFR-005."""
    done = shell("$SPILL fit <&-", tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"spill: nothing to read")


def test_a_standard_input_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """NFR-005."""
    done = shell("$SPILL fit 0>out", tmp_path)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.startswith(b"spill: cannot read standard input: ")


@pytest.mark.parametrize("flag", ["", "--json"])
@pytest.mark.parametrize("target", [">&-", ">/dev/full"])
def test_a_standard_output_that_takes_nothing_is_said_in_one_line(flag: str, target: str, tmp_path: Path) -> None:
    """NFR-005, P-17: with status 3 and no traceback."""
    done = shell(f"seq 1 100 | $SPILL fit {flag} {target}", tmp_path)
    assert done.returncode == 3
    assert done.stderr.startswith(b"spill: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "words", ["fit --limit 1000000", "fit --json", "--help", "fit --limit 0 --json", "nothing --json"]
)
def test_a_reader_that_has_seen_enough_is_a_normal_end(words: str, tmp_path: Path) -> None:
    """NFR-005."""
    done = shell(f"seq 1 200000 | $SPILL {words} | head -c 1", tmp_path)
    assert len(done.stdout) == 1
    assert done.stderr == b""


def test_a_closed_standard_error_changes_nothing(tmp_path: Path) -> None:
    """NFR-005."""
    assert shell("echo text | $SPILL fit --explain 2>&-", tmp_path).stdout == b"text\n"
    assert shell("$SPILL fit --nothing 2>&-", tmp_path).returncode == 2


def wait_until_idle(pid: int) -> None:
    """Until a process has worked and works no more: it waits for input."""
    spent = ["0"]
    for _ in range(60):
        time.sleep(0.5)
        before, spent = spent, Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[13:15]
        if before == spent and spent != ["0", "0"]:
            return


def test_an_interrupt_is_a_normal_end(tmp_path: Path) -> None:
    """NFR-005: status 130, no traceback, and one line for whoever asks why."""
    running = subprocess.Popen(
        [SPILL, "fit"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    wait_until_idle(running.pid)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out, err) == (130, b"", b"spill: interrupted by signal 2\n")


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (["fit", "no-such-file"], "E_FILE", 3),
        (["fit", "."], "E_FILE", 3),
        (["fit", ""], "E_FILE", 3),
        (["fit", "\udcff"], "E_FILE", 3),
        (["fit", "--root", "no-such-place"], "E_FILE", 3),
        (["fit", "--limit", "0"], "E_INPUT_INVALID", 2),
        (["fit", "--tokens", "-1"], "E_INPUT_INVALID", 2),
        (["fit", "--limit"], "E_INPUT_INVALID", 2),
        (["fit", "a", "b"], "E_INPUT_INVALID", 2),
        (["fit", "--no-such-option"], "E_INPUT_INVALID", 2),
        (["no-such-command"], "E_INPUT_INVALID", 2),
        (["config"], "E_INPUT_INVALID", 2),
        (["fit", "--strategy", "no-such"], "E_INPUT_INVALID", 2),
        (["fit", "--config", "no-such.yml"], "E_CONFIG_INVALID", 8),
        (["fit", "--preset", "no-such"], "E_INPUT_INVALID", 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_errors_are_one_envelope_or_one_line(words: list[str], code: str, status: int, tmp_path: Path) -> None:
    """NFR-005, X-07: the same status both ways, and the message names what was wrong."""
    as_json = command("--json", *words, stdin=b"text", cwd=tmp_path)
    error = error_of(as_json)
    assert (error["code"], error["exitCode"], as_json.returncode) == (code, status, status)
    plain = command(*words, stdin=b"text", cwd=tmp_path)
    assert (plain.returncode, plain.stdout) == (status, b"")
    assert plain.stderr.startswith(b"spill: ")
    assert plain.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("line", "status", "wanted"),
    [
        ("spill run -- nowhere --json", 127, False),
        ("spill run nowhere --json", 127, False),
        ("spill run --limit 0 -- ls --json", 125, False),
        ("spill mcp proxy -- nowhere --json", 127, False),
        ("spill artifacts search -- --json art_xx", 2, False),
        ("spill run --json -- nowhere", 127, True),
        ("spill run --bogus --json nowhere", 125, True),
        ("spill fit --limit --json", 2, True),
        ("spill nothing --json", 2, True),
        ("spill --limit 0 --json", 2, True),
        ("spill artifacts nothing x --json", 2, True),
    ],
)
def test_an_error_is_an_envelope_where_we_were_asked_for_one(
    line: str, status: int, wanted: bool, shell: Shell
) -> None:
    """DESIGN, streams: words of a command that is run are its own, `--json` among them."""
    said = shell.line(line)
    assert said.status == status
    assert (len(said.out.splitlines()), bool(said.err)) == ((1, False) if wanted else (0, True))


def test_a_file_that_may_not_be_read_is_said(tmp_path: Path) -> None:
    """NFR-005: also where reading fails only after opening."""
    done = command("fit", "/proc/self/mem", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"cannot read '/proc/self/mem'" in done.stderr


@pytest.mark.parametrize("tool", ["a\nb", "\udcff", "x" * 50_000, "[Artifact: art_1_x]", "..", "/etc/passwd", "*"])
def test_any_word_may_be_the_name_of_a_tool(tool: str, tmp_path: Path) -> None:
    """NFR-005, NFR-006."""
    done = command("fit", "--json", "--tool", tool, stdin=LONG, cwd=tmp_path)
    assert done.returncode == 0
    result = mapping_of(mapping_of(json.loads(done.stdout))["result"])
    assert len(str(result["content"])) <= 8_000


def test_a_refusal_is_an_answer(tmp_path: Path) -> None:
    """FAQ-7, X-04: status 0, `is_error` inside."""
    environ = {"OVERSPILL_TOOLS__TRUNCATION__MAX_ARTIFACT_SIZE": "20000"}
    done = command("fit", "--json", stdin=LONG, cwd=tmp_path, environ=environ)
    envelope = mapping_of(json.loads(done.stdout))
    result = mapping_of(envelope["result"])
    assert (done.returncode, envelope["success"], result["is_error"]) == (0, True, True)
    assert str(result["content"]).startswith("Output size (")


def test_the_view_is_all_that_is_written(tmp_path: Path) -> None:
    """UM-02, X-10: not even a line end is added in a pipe."""
    done = command("fit", stdin=b"no line end", cwd=tmp_path)
    assert (done.stdout, done.stderr) == (b"no line end", b"")


def test_the_general_options_are_welcome_anywhere(tmp_path: Path) -> None:
    """P-24: before the command, after it, with or without an equals sign."""
    lines = (
        ["--json", "fit", "--limit=500"],
        ["fit", "--limit", "500", "--json"],
        ["fit", "-", "--json", "--limit=500"],
    )
    contents = set()
    for words in lines:
        result = mapping_of(mapping_of(json.loads(command(*words, stdin=LONG, cwd=tmp_path).stdout))["result"])
        contents.add(str(result["content"]).replace(str(result["artifact_id"]), "I" * 44))
    assert len(contents) == 1
    assert len(contents.pop()) <= 500


def test_switched_off_everything_passes(tmp_path: Path) -> None:
    """FAQ-2: and one line says so."""
    done = command("fit", stdin=LONG * 10 + b"\xff", cwd=tmp_path, environ={"OVERSPILL": "off"})
    assert done.stdout == LONG * 10 + b"\xff"
    assert done.stderr.count(b"\n") == 1


def test_the_debug_variable_is_no_setting(tmp_path: Path) -> None:
    """P-24."""
    assert command("fit", stdin=b"text", cwd=tmp_path, environ={"OVERSPILL_DEBUG": "1"}).stderr == b""


def test_both_names_are_the_same_program(tmp_path: Path) -> None:
    """P-11: `spill` and `acode`."""
    other = subprocess.run(
        [os.path.join(os.path.dirname(SPILL), "acode"), "--version"], capture_output=True, timeout=60, check=True
    )
    assert other.stdout == command("--version", cwd=tmp_path).stdout


@pytest.mark.parametrize(("before", "apart"), [("", False), ("import threading", True), ("import atexit", True)])
def test_a_process_that_nobody_waits_for_ends_at_once(before: str, *, apart: bool, tmp_path: Path) -> None:
    """Python takes its objects apart only where threads or handlers may need it; all is written in any case."""
    program = f"""{before}
import sys
from overspill.cli.main import entry
class Last:
    def __del__(self, say=sys.stderr.write):
        say("taken apart")
sys.last = Last()
entry()
"""
    line = (
        f"seq 1 900 | {sys.executable} -c '{program}' fit --limit 400; seq 1 9 | {sys.executable} -c '{program}' nope"
    )
    done = shell(line, tmp_path)
    assert (done.returncode, done.stdout.startswith(b"["), done.stdout.endswith(b"900\n")) == (2, True, True)
    assert (done.stderr.count(b"taken apart"), b"no command 'nope'" in done.stderr) == (2 * apart, True)
