"""The shell of an agent: overspill.sh before a command, and the reader behind it."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from doors_kit import Shell, ok
from overspill.agents.hooks.shell import SCRIPT, before_the_view, shell_word
from overspill.journal.calls import call_rows
from overspill.redact.rules import made_up_value
from reader_kit import cache_in, reader_at
from spill_process import SPILL

SERVED = "bash, served by a reader"
SHELLS = [*(name for name in ("bash", "zsh") if shutil.which(name)), SERVED]
HEADER = re.compile(r"\[\d+ lines, \d+ chars; rest: get_artifact\(id=\"(art_\w+)\"")
every_shell = pytest.mark.parametrize("program", SHELLS)


class AgentShell(Shell):
    """A shell of an agent, and where its readers are."""

    readers = "-"


class Ran:
    """A command run as an agent would, after the line that begins reading."""

    def __init__(self, shell: AgentShell, program: str, command: str, output: int) -> None:
        words = [SCRIPT, str(shell.root), "agent-7", SPILL, "codex", shell.readers if program == SERVED else "-"]
        line = f". {' '.join(map(shell_word, words))}\n{command}"
        self.process = subprocess.Popen(
            [program.partition(",")[0], "-c", line],
            cwd=shell.root,
            env=shell.environ,
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
        )


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a reader is that outlives all of these tests."""
    home = tmp_path_factory.mktemp("reader")
    shell = Shell(home)
    cache = cache_in(home)
    with reader_at(cache, shell.environ, shell.root) as reader:
        yield str(reader.place)


@pytest.fixture
def shell(tmp_path: Path, readers: str) -> Iterator[AgentShell]:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    shell = AgentShell(tmp_path, TMPDIR=str(temporary))
    shell.readers = readers
    (shell.root / "sub").mkdir()
    (shell.root / ".git").mkdir()
    yield shell
    assert eventually(lambda: list(temporary.iterdir()) == [])  # nothing is left behind


def artifact_in(view: str) -> str:
    """What the line on top of a view calls its artifact."""
    found = HEADER.match(view)
    assert found, view[:200]
    return found[1]


def eventually(is_so: Callable[[], bool]) -> bool:
    """Whether it comes to be so, however busy the machine is."""
    deadline = time.monotonic() + 60
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.05)
    return is_so()


def until(path: Path) -> str:
    """Shell: wait for whoever makes this file."""
    return f"while [ ! -e {shell_word(str(path))} ]; do sleep 0.05; done"


def said(shell: AgentShell, program: str, command: str) -> tuple[str, int]:
    """What such a command says, and its status."""
    output = shell.home / "output"
    with output.open("ab") as file:
        ran = Ran(shell, program, command, file.fileno())
        status = ran.process.wait(timeout=60)
    text = output.read_text()
    output.unlink()
    return text, status


@every_shell
def test_small_output_is_what_it_would_be(shell: AgentShell, program: str) -> None:
    assert said(shell, program, "echo out; echo err >&2; printf end") == ("out\nerr\nend", 0)


@every_shell
def test_a_failing_command_fits_and_keeps_its_status(shell: AgentShell, program: str) -> None:
    text, status = said(shell, program, "seq 1 60000; echo 'ERROR: disk on fire'; seq 1 60000; exit 3")
    assert status == 3
    assert len(text) <= 8_000
    assert "ERROR: disk on fire" in text
    assert HEADER.match(text)
    assert "get_artifact(" in text


@every_shell
def test_all_of_it_can_be_fetched(shell: AgentShell, program: str) -> None:
    text, _ = said(shell, program, "seq 1 60000")
    artifact = artifact_in(text)
    whole = ok(shell.spill("artifacts", "export", artifact, "-", "--session", "agent-7")).out
    assert whole == "".join(f"{number}\n" for number in range(1, 60_001))


@every_shell
@pytest.mark.parametrize(
    ("command", "status"),
    [("true", 0), ("false", 1), ("exit 7", 7), ("(exit 5)", 5), ("no_such_command_at_all", 127), ("kill -9 $$", -9)],
)
def test_the_status_is_the_commands(shell: AgentShell, program: str, command: str, status: int) -> None:
    assert said(shell, program, command)[1] == status


@every_shell
@pytest.mark.parametrize("options", ["-e", "-u", "-eu", "-eu -o pipefail", "-x"])
def test_what_a_command_sets_for_itself_changes_neither_status_nor_output(
    shell: AgentShell, program: str, options: str
) -> None:
    text, status = said(shell, program, f"set {options}; (exit 0); echo fine")
    assert status == 0
    assert text.endswith("fine\n")
    assert "overspill" not in text
    assert said(shell, program, f"set {options}; echo one; exit 3")[1] == 3


@every_shell
def test_a_change_of_directory_lasts_to_the_end_of_the_line(shell: AgentShell, program: str) -> None:
    command = f"eval 'cd sub' && pwd -P >| {shell_word(str(shell.home / 'cwd'))}"
    assert said(shell, program, command) == ("", 0)
    assert (shell.home / "cwd").read_text() == f"{shell.root}/sub\n"


@every_shell
def test_waiting_for_background_jobs_does_not_wait_for_the_reader(shell: AgentShell, program: str) -> None:
    assert said(shell, program, "(sleep 0.1; echo a) & wait; echo b; wait") == ("a\nb\n", 0)


@every_shell
def test_a_process_that_is_left_behind_is_neither_waited_for_nor_ended(shell: AgentShell, program: str) -> None:
    go, trace = shell.home / "go", shell.home / "alive"
    late = f"({until(go)}; echo late; echo yes > {shell_word(str(trace))}) & echo started"
    assert said(shell, program, late) == ("started\n", 0)
    go.touch()
    assert eventually(trace.exists)


OWN_ENDINGS = [
    "trap 'echo bye' EXIT; {}; exit 4",
    "exec sh -c '{}; echo bye; exit 4'",
    "true;  exec sh -c '{}; echo bye; exit 4'",
    "if true; then exec sh -c '{}; echo bye; exit 4'; fi",
    "exec 9>&1; {}; echo bye >&9; exit 4",
]


@every_shell
@pytest.mark.parametrize("command", OWN_ENDINGS)
def test_a_command_with_an_ending_of_its_own_is_read_to_its_end(shell: AgentShell, program: str, command: str) -> None:
    text, status = said(shell, program, command.format("seq 1 9000"))
    assert status == 4
    assert len(text) <= 8_000
    assert text.endswith("\n9000\nbye\n")


@every_shell
@pytest.mark.parametrize(
    "around",
    ["{}", ": && shopt -u extglob 2>/dev/null || true && eval '{}' < /dev/null && pwd -P >| {{cwd}}"],
    ids=["codex", "claude"],
)
def test_what_is_fetched_from_the_store_is_not_fitted_again(shell: AgentShell, program: str, around: str) -> None:
    view, _ = said(shell, program, "seq 1 60000")
    fetch = around.format(f"spill artifacts show {artifact_in(view)} --session agent-7 --limit 0")
    text, status = said(shell, program, fetch.format(cwd=shell.home / "cwd"))
    assert status == 0
    assert text.startswith("1\n2\n3\n")
    assert "\n59999\n60000\n" in text


@every_shell
@pytest.mark.parametrize(
    "command",
    [
        "echo token {}  # see spill artifacts show; false",
        "echo token {} # spill artifacts show\nfalse",
        "spill artifacts list; echo token {}; false",
        "echo token {} | cat; spill artifacts list; false",
        "echo {} # overspill.sh\nspill artifacts nothing",
        "eval 'echo {}' < /dev/null && eval 'spill artifacts list' < /dev/null; false",
    ],
)
def test_a_line_that_only_names_our_command_is_read(shell: AgentShell, program: str, command: str) -> None:
    """Also a failing one, for which there is no second net in Claude Code."""
    secret = made_up_value("ghp_<A36>")
    text, _ = said(shell, program, command.format(secret))
    assert "[REDACTED: " in text
    assert secret not in text


@every_shell
def test_an_ending_of_its_own_keeps_the_directory(shell: AgentShell, program: str) -> None:
    cwd = shell_word(str(shell.home / "cwd"))
    assert said(shell, program, f"eval 'trap true USR1; cd sub' && pwd -P >| {cwd}") == ("", 0)
    assert (shell.home / "cwd").read_text() == f"{shell.root}/sub\n"


@every_shell
@pytest.mark.parametrize("command", ["find . -maxdepth 0 -exec seq 1 9000 ';'", "seq 1 9000; echo docker exec trap"])
def test_words_that_only_look_like_it_do_no_harm(shell: AgentShell, program: str, command: str) -> None:
    text, status = said(shell, program, command)
    assert status == 0
    assert len(text) <= 8_000


def test_what_was_to_be_done_at_the_end_is_done(shell: AgentShell) -> None:
    """Gemini CLI runs a command in a subshell with a trap of its own."""
    begin = f". {shell_word(SCRIPT)} {shell_word(str(shell.root))} agent-7 {shell_word(SPILL)}"
    line = f"(\n trap 'echo \"it was $?\"; jobs -p' EXIT\n{begin}\nseq 1 60000; exit 5\n)\nstatus=$?\nexit $status"
    done = subprocess.run(
        ["bash", "-c", line], env=shell.environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 5
    assert HEADER.match(done.stdout)
    assert done.stdout.endswith("\n60000\nit was 5\n")


@every_shell
def test_a_program_that_is_gone_does_not_stop_the_command(shell: AgentShell, program: str) -> None:
    line = f". {shell_word(SCRIPT)} {shell_word(str(shell.root))} agent-7 /nowhere/spill\necho hello; exit 4"
    done = subprocess.run(
        [program.partition(",")[0], "-c", line], env=shell.environ, capture_output=True, check=False, timeout=60
    )
    assert (done.stdout, done.stderr, done.returncode) == (b"hello\n", b"", 4)


@every_shell
def test_a_reader_that_fails_neither_stops_the_command_nor_lets_its_output_through(
    shell: AgentShell, program: str
) -> None:
    broken = shell.home / "spill"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o700)
    line = (
        f". {shell_word(SCRIPT)} {shell_word(str(shell.root))} agent-7 {shell_word(str(broken))}\nseq 1 100000; exit 4"
    )
    done = subprocess.run(
        [program.partition(",")[0], "-c", line], env=shell.environ, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 4
    assert done.stdout.startswith(b"overspill: the output of this command could not be shown")
    assert b"99999" not in done.stdout


@every_shell
def test_where_no_file_may_be_written_memory_may(shell: AgentShell, program: str) -> None:
    shell.environ |= {"TMPDIR": str(shell.home / "nowhere")}
    text, status = said(shell, program, "seq 1 60000; exit 3")
    read = bool(HEADER.match(text)) if os.path.isdir("/dev/shm") else text.endswith("60000\n")
    assert (read, status) == (True, 3)


@every_shell
def test_a_terminal_is_left_alone(shell: AgentShell, program: str) -> None:
    ours, theirs = os.openpty()
    ran = Ran(shell, program, "printf 'ready> '; sleep 3", theirs)
    try:
        assert os.read(ours, 100) == b"ready> "
        assert ran.process.poll() is None
    finally:
        ran.process.wait(timeout=60)
        os.close(theirs)
        os.close(ours)


def test_dash_is_left_alone(shell: AgentShell) -> None:
    line = f". {shell_word(SCRIPT)}\necho hello; exit 4"
    done = subprocess.run(["sh", "-c", line], env=shell.environ, capture_output=True, check=False, timeout=60)
    assert (done.stdout, done.returncode) == (b"hello\n", 4)


@every_shell
def test_a_long_command_shows_its_newest_lines_meanwhile_without_secrets(shell: AgentShell, program: str) -> None:
    """A command that was moved into the background is read from the file of its output."""
    secret = made_up_value("ghp_<A36>")
    output, go = shell.home / "output", shell.home / "go"
    # A line with a secret waits for the next one: the secret may go on there.
    command = f"echo one; echo {secret}; echo and on; {until(go)}; echo two; sleep 0.1; echo three"
    with output.open("ab") as file:
        ran = Ran(shell, program, command, file.fileno())
        eventually(lambda: bool(output.read_text()))
        meanwhile = output.read_text()
        go.touch()
        assert ran.process.wait(timeout=60) == 0
    assert meanwhile.startswith("[still running, 3 lines so far")
    assert "one\n[REDACTED: " in meanwhile
    assert secret not in meanwhile
    text = output.read_text()
    assert text.startswith("one\n[REDACTED: ")
    assert text.endswith("two\nthree\n")
    assert "still running" not in text


def test_a_command_that_goes_on_says_its_newest_lines_in_a_pipe(shell: AgentShell) -> None:
    """What is written to a pipe stays written, so it is little, and of the newest lines only."""
    read, write = os.pipe()
    secret, go = made_up_value("ghp_<A36>"), shell.home / "go"
    command = f"seq 1 5000; echo {secret}; echo listening on port 8123; {until(go)}; echo over"
    ran = Ran(shell, "bash", command, write)
    os.close(write)
    with os.fdopen(read) as output:
        said = ""
        for line in output:
            said += line
            if "still running" in line:
                go.touch()
    assert ran.process.wait(timeout=60) == 0
    signs = before_the_view(said)
    view = said.removeprefix(signs)
    assert "listening on port 8123\n[still running, 5,002 lines so far; " in signs
    assert len(signs) <= 1_600
    assert secret not in said
    assert HEADER.match(view) or view.startswith("1\n")
    assert view.endswith("listening on port 8123\nover\n")


@every_shell
def test_what_a_killed_command_said_is_still_shown(shell: AgentShell, program: str) -> None:
    output, begun = shell.home / "output", shell.home / "begun"
    with output.open("ab") as file:
        ran = Ran(shell, program, f"echo one; echo two; : > {shell_word(str(begun))}; sleep 3", file.fileno())
        assert eventually(begun.exists)
        os.kill(ran.process.pid, 9)
        ran.process.wait(timeout=60)
        assert eventually(lambda: "one\ntwo\n" in output.read_text())


@every_shell
def test_the_journal_knows_whose_shell_it_was_and_how_the_command_ended(shell: AgentShell, program: str) -> None:
    """P-26: so that what reached the model can be put beside what the agent would have shown."""
    for command in ("echo one; exit 3", "set -C; echo two", "echo 'it is'; false", "echo one; exit 3"):
        said(shell, program, command)
    calls = list(call_rows(str(shell.root / ".acode" / "logs")))
    assert [call.marks for call in calls] == [("failed",), (), ("failed",), ("failed",)]
    assert {(call.agent, call.tool, call.host, call.shown) for call in calls} == {
        ("codex", "execute_command", 1, 1),
        ("codex", "execute_command", 2, 2),
    }
    written = (shell.root / ".acode" / "logs" / "journal.jsonl").read_text()
    digests = [json.loads(line)["command"] for line in written.splitlines()]
    assert (digests[0] == digests[3], len(set(digests))) == (True, 3)


def test_a_hook_tells_of_a_command_as_its_shell_did(shell: AgentShell) -> None:
    """One result is one in the figures, however many looked at it."""
    said(shell, "bash", 'seq 1 9000\necho "it\'s over"; exit 3')
    event = {"session_id": "agent-7", "cwd": str(shell.root), "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    asked = {"tool_input": {"command": 'seq 1 9000\necho "it\'s over"; exit 3'}, "tool_use_id": "call_1"}
    view = "what the shell showed"
    ok(shell.spill("hook", "codex", stdin=json.dumps(event | asked | {"tool_response": view})))
    (call,) = call_rows(str(shell.root / ".acode" / "logs"))
    assert (call.chars.said > 40_000, call.chars.shown, call.call_id) == (True, len(view), "call_1")
    assert call.marks == ("failed",)
