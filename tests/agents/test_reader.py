"""The reader of a session: what it serves is what a process of its own would do, and nothing depends on it."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, chdir, suppress
from pathlib import Path
from typing import IO, NamedTuple

import pytest

from doors_kit import Shell, ok
from hook_events import WAYS, Way
from overspill.agents.hooks import agent_hooks
from overspill.agents.hooks.shell import ASKING_SCRIPT, SCRIPT, shell_word
from overspill.cli.reader import DIED_OVER_IT
from overspill.cli.start import HELLO, code_stamp
from overspill.redact.rules import made_up_value
from reader_kit import ReaderProcess, cache_in, reader_at
from spill_process import SPILL

ONE_OF_EACH = sorted({way.agent: name for name, way in WAYS.items()}.values())
LINES = "".join(f"{number:06} all is well in here and nothing happens\n" for number in range(900))


class Served(NamedTuple):
    """A project in which a reader answers."""

    shell: Shell
    reader: ReaderProcess


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A user whose cache is nobody else's."""
    shell = Shell(tmp_path, XDG_CACHE_HOME=str(cache_in(tmp_path)))
    (shell.root / ".git").mkdir()
    return shell


@pytest.fixture
def reader(shell: Shell) -> Iterator[ReaderProcess]:
    with another_reader(shell) as reader:
        yield reader


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One reader for all that only ask it something."""
    home = tmp_path_factory.mktemp("served")
    shell = Shell(home, XDG_CACHE_HOME=str(cache_in(home)))
    (shell.root / ".git").mkdir()
    with another_reader(shell) as reader:
        yield Served(shell, reader)


def another_reader(shell: Shell) -> AbstractContextManager[ReaderProcess]:
    """One more server in the user's project, with its reader."""
    return reader_at(Path(shell.environ["XDG_CACHE_HOME"]), shell.environ, shell.root)


def eventually(is_so: Callable[[], bool]) -> bool:
    """Whether it comes to be so, however busy the machine is."""
    deadline = time.monotonic() + 60
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)
    return is_so()


def result_event(shell: Shell, text: str) -> dict[str, object]:
    """A result as Claude Code tells of it."""
    said = {"hook_event_name": "PostToolUse", "session_id": "7", "cwd": str(shell.root), "tool_name": "Bash"}
    response = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    return {**said, "tool_input": {"command": "make"}, "tool_response": response}


def hook_answer(shell: Shell, event: object, agent: str = "claude-code") -> dict[str, object]:
    """What the installed hook answers."""
    answer: dict[str, object] = json.loads(ok(shell.installed("hook", agent, stdin=json.dumps(event), root=False)).out)
    return answer


def forked_answer(shell: Shell, event: object, agent: str) -> dict[str, object]:
    """What the hook answers by a fork: without a reader it does the work, with one it asks that."""
    answer: dict[str, object] = json.loads(ok(shell.spill("hook", agent, stdin=json.dumps(event), root=False)).out)
    return answer


def who_answered(shell: Shell) -> list[int]:
    """The processes that wrote of results into the journal."""
    journal = shell.root / ".acode" / "logs" / "journal.jsonl"
    return [json.loads(line)["pid"] for line in journal.read_text().splitlines() if '"tool_name"' in line]


def shell_process(shell: Shell, command: str, output: Path, program: str = SPILL) -> subprocess.Popen[bytes]:
    """A command that an agent runs, after the line that begins reading."""
    words = [SCRIPT, str(shell.root), "agent-7", program, "codex", f"{shell.environ['XDG_CACHE_HOME']}/overspill"]
    line = f". {' '.join(map(shell_word, words))}\n{command}"
    with output.open("wb") as file:
        return subprocess.Popen(["bash", "-c", line], cwd=shell.root, env=shell.environ, stdout=file, stderr=file)


def broken_program(shell: Shell) -> str:
    """A `spill` that fails: with it, only a reader can show what a command says."""
    program = shell.home / "spill"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o700)
    return str(program)


# -- what it answers ---------------------------------------------------------------------------------------------------


def without_ids(answer: object) -> str:
    """An answer in which two artifacts cannot be told apart."""
    words = json.dumps(answer).replace("\\n", " ").replace('\\"', " ").split()
    return " ".join("id" if "art_" in word else word for word in words)


def test_a_shell_is_served_where_spill_itself_could_not(shell: Shell, reader: ReaderProcess) -> None:
    output = shell.home / "output"
    process = shell_process(shell, "cd sub 2>/dev/null; echo out; echo err >&2; exit 3", output, broken_program(shell))
    assert process.wait(timeout=60) == 3
    assert output.read_text() == "out\nerr\n"
    assert who_answered(shell) == reader.shell_servers


def test_the_environment_is_that_of_whoever_asks(shell: Shell, reader: ReaderProcess) -> None:
    """FR-043: a secret that only the shell or the hook knows is hidden; the reader was started before."""
    password = "correct horse battery staple 77"
    output = shell.home / "output"
    command = f"export DEPLOY_PASSWORD={shell_word(password)}"
    line = f". {shell_word(SCRIPT)} {shell.root} 7 {SPILL} codex {reader.place}\necho it is {shell_word(password)}"
    with output.open("wb") as file:
        subprocess.run(["bash", "-c", f"{command}\n{line}"], env=shell.environ, stdout=file, check=True, timeout=60)
    assert "it is [REDACTED" in output.read_text()
    shell.environ["DEPLOY_PASSWORD"] = password
    answer = hook_answer(shell, result_event(shell, f"it is {password}"))
    assert password not in json.dumps(answer)
    assert "REDACTED" in json.dumps(answer)


def test_settings_that_change_are_followed(shell: Shell, reader: ReaderProcess) -> None:
    long = result_event(shell, LINES[:7_000])
    assert hook_answer(shell, long) == {}
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text("tools:\n  truncation:\n    inline_limit: 2000\n")
    assert "art_" in json.dumps(hook_answer(shell, long))
    assert set(who_answered(shell)) == {reader.worker}


def test_what_is_said_on_standard_error_is_said_to_whoever_asks(shell: Shell, reader: ReaderProcess) -> None:
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text("tools:\n  truncation:\n    inline_limit: many\n")
    said = ok(shell.installed("hook", "claude-code", stdin=json.dumps(result_event(shell, "well")), root=False))
    assert "inline_limit" in said.err
    assert who_answered(shell)[-1] == reader.worker


def asking_line() -> str:
    """The line of a hook as it stands in Codex's settings, with a `spill` that would be seen."""
    return f"[ -r {shell_word(ASKING_SCRIPT)} ] && . {shell_word(ASKING_SCRIPT)} codex || echo '\"alone\"'"


def asked_in_shell(shell: Shell, event: object, program: str = "bash") -> object:
    """What a hook answers that an agent runs in a shell."""
    line = [program, "-c", asking_line()]
    sent = json.dumps(event).encode()
    done = subprocess.run(line, cwd=shell.root, env=shell.environ, input=sent, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


def test_a_hook_in_a_shell_is_answered_without_a_process(shell: Shell, reader: ReaderProcess) -> None:
    """As `spill hook` answers it, whose own answer is in another test."""
    secret = made_up_value("ghp_<A36>")
    for text in ("all is well", f"token {secret}", LINES):
        event = {**result_event(shell, ""), "tool_response": text}
        served = served_by_line(shell, asking_line(), event, "bash")
        assert without_ids(served) == without_ids(hook_answer(shell, event, "codex"))
        assert secret not in json.dumps(served)
    assert set(who_answered(shell)) == {reader.worker}
    assert served_by_line(shell, asking_line(), {"hook_event_name": "PostToolUse"}, "bash") == {}


def test_a_hook_in_a_shell_without_a_reader_starts_spill(shell: Shell) -> None:
    assert asked_in_shell(shell, result_event(shell, "all is well")) == "alone"
    with another_reader(shell) as reader:
        assert asked_in_shell(shell, result_event(shell, "all is well"), "sh") == "alone"  # no bash
        os.kill(reader.worker, signal.SIGSTOP)
        try:
            assert asked_in_shell(shell, result_event(shell, "all is well")) == "alone"
        finally:
            os.kill(reader.worker, signal.SIGCONT)


def test_an_event_that_was_taken_and_is_lost_is_withheld(shell: Shell, reader: ReaderProcess) -> None:
    """It cannot be read twice, and nothing passes unseen. Before a run, such an answer stops no command."""
    line = ["bash", "-c", asking_line()]
    answer = json.loads(next(filter(None, (lost_answer(shell, reader, line) for _ in range(10)))))
    assert answer["decision"] == "block"
    assert answer["reason"] == answer["stopReason"]
    assert "could not be shown" in answer["reason"]


def put_line(shell: Shell, agent: str, program: str = SPILL) -> str:
    """The line of a hook in settings that others have, too, with a `spill` that would be seen."""
    script = shell_word(f"{shell.environ['XDG_CACHE_HOME']}/overspill/ask.sh")
    return f"[ -r {script} ] && bash {script} {agent} {shell_word(program)} || echo '\"alone\"'"


def asked_by_line(shell: Shell, line: str, event: object, program: str = "sh") -> object:
    sent = json.dumps(event).encode()
    done = subprocess.run(
        [program, "-c", line], cwd=shell.root, env=shell.environ, input=sent, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


def served_by_line(shell: Shell, line: str, event: object, program: str = "sh") -> object:
    """What a reader answers: on a busy machine it may need more than the second that it is given."""
    answers: list[object] = []

    def is_served() -> bool:
        answers.append(asked_by_line(shell, line, event, program))
        return answers[-1] != "alone"

    assert eventually(is_served)
    return answers[-1]


@pytest.mark.parametrize("way", list(WAYS.values()), ids=list(WAYS))
def test_every_event_is_answered_as_by_a_process_of_its_own(served: Served, way: Way) -> None:
    """By the installed command, and in a line of any shell by the script that the reader has put."""
    shell, reader = served
    nobody = Shell(shell.home, XDG_CACHE_HOME=str(shell.home / "nobody"))  # in that place there is no reader
    secret = made_up_value("ghp_<A36>")
    events = [way.event(text, shell.root) for text in ("all is well", f"token {secret}", LINES)]
    alone = [without_ids(forked_answer(Shell(shell.home), event, way.agent)) for event in events]
    assert asked_by_line(nobody, put_line(nobody, way.agent), events[0]) == "alone"
    by_command = [
        without_ids(answer(shell, event, way.agent))
        for event, answer in zip(events, (hook_answer, forked_answer, forked_answer), strict=True)
    ]
    assert who_answered(shell)[-1] == reader.worker
    by_line = [without_ids(served_by_line(shell, put_line(shell, way.agent), event)) for event in events]
    assert by_command == by_line == alone
    assert secret not in "".join(alone)
    assert who_answered(shell)[-1] == reader.worker


def test_a_reader_does_not_answer_in_the_place_of_another_program(shell: Shell, reader: ReaderProcess) -> None:
    """Another installation may be older, or newer: it does its own work."""
    event = result_event(shell, "all is well")
    for another in (broken_program(shell), "spill", "no such program", ""):
        shell.environ["PATH"] = f"{shell.home}{os.pathsep}{os.environ['PATH']}"
        assert asked_by_line(shell, put_line(shell, "claude-code", another), event) == "alone"
    assert asked_by_line(shell, put_line(shell, "no-agent"), event) == "alone"
    shell.environ["PATH"] = f"{os.path.dirname(SPILL)}{os.pathsep}{os.environ['PATH']}"
    assert served_by_line(shell, put_line(shell, "claude-code", "spill"), event) == {}
    assert set(who_answered(shell)) == {reader.worker}


@pytest.mark.parametrize("way", [WAYS[name] for name in ONE_OF_EACH], ids=ONE_OF_EACH)
def test_an_event_that_was_taken_and_is_lost_is_withheld_as_its_agent_wants_it(
    shell: Shell, reader: ReaderProcess, way: Way
) -> None:
    line = ["sh", "-c", put_line(shell, way.agent)]
    out = next(filter(None, (lost_answer(shell, reader, line) for _ in range(10))))
    assert "could not be shown" in out.decode()
    hook = agent_hooks(way.agent)
    assert json.loads(out) == hook.failure_answer({}, DIED_OVER_IT)


def lost_answer(shell: Shell, reader: ReaderProcess, line: list[str]) -> bytes:
    """What a hook answers whose reader is killed over its event; nothing where no reader took it in time."""
    before = reader.worker
    with subprocess.Popen(
        line, cwd=shell.root, env=shell.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"{")
        process.stdin.flush()
        # A reader that takes it says so before it reads, and has it open then.
        pipe = os.readlink(f"/proc/{os.getpid()}/fd/{process.stdin.fileno()}")
        deadline = time.monotonic() + 5
        while not (is_empty(process.stdin) and is_read_by(before, pipe)) and time.monotonic() < deadline:
            time.sleep(0.02)
        taken = is_read_by(before, pipe)
        if taken:
            os.kill(before, signal.SIGKILL)
        out, _ = process.communicate(timeout=60)
    return out if taken else b""


def is_empty(pipe: IO[bytes] | None) -> bool:
    """Whether all that was written to a pipe has been read."""
    assert pipe is not None
    return not int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def is_read_by(process: int, pipe: str) -> bool:
    """Whether a process has a pipe open."""
    with suppress(OSError):
        return any(os.readlink(one) == pipe for one in Path(f"/proc/{process}/fd").iterdir())
    return False


# -- what becomes of a call when it dies -------------------------------------------------------------------------------


def asking_hook(shell: Shell) -> subprocess.Popen[bytes]:
    """A hook that has found a reader, and waits for its event."""
    process = subprocess.Popen(
        [SPILL, "hook", "claude-code"], cwd=shell.root, env=shell.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    descriptors = Path(f"/proc/{process.pid}/fd")
    assert eventually(lambda: any("socket:" in os.readlink(one) for one in descriptors.iterdir() if one.is_symlink()))
    time.sleep(0.3)  # by now it has been greeted
    return process


def test_an_event_is_answered_when_the_reader_is_killed_over_it(shell: Shell, reader: ReaderProcess) -> None:
    """Nothing is lost, nothing passes unseen, and the next one is served again."""
    secret = made_up_value("ghp_<A36>")
    process, killed = asking_hook(shell), reader.worker
    os.kill(killed, signal.SIGKILL)
    out, _ = process.communicate(json.dumps(result_event(shell, f"token {secret}")).encode(), timeout=60)
    assert process.returncode == 0
    assert secret not in out.decode()
    assert "REDACTED" in out.decode()
    assert eventually(lambda: reader.worker != killed)
    assert hook_answer(shell, result_event(shell, "all is well")) == {}
    assert who_answered(shell)[-1] == reader.worker


def test_a_reader_that_does_not_answer_is_not_waited_for(shell: Shell, reader: ReaderProcess) -> None:
    os.kill(reader.worker, signal.SIGSTOP)
    output = shell.home / "output"
    try:
        assert "REDACTED" in json.dumps(hook_answer(shell, result_event(shell, f"token {made_up_value('ghp_<A36>')}")))
        assert shell_process(shell, "echo one; exit 3", output).wait(timeout=60) == 3
        assert output.read_text() == "one\n"
    finally:
        os.kill(reader.worker, signal.SIGCONT)
    assert eventually(lambda: len(list(reader.place.glob("shells-*"))) == 1)
    assert output.read_text() == "one\n"  # whoever was late says nothing


def test_a_command_goes_on_and_is_shown_when_all_readers_are_killed(shell: Shell, reader: ReaderProcess) -> None:
    output, begun, go = shell.home / "output", shell.home / "begun", shell.home / "go"
    wait = f": > {begun}; while [ ! -e {go} ]; do sleep 0.05; done"
    process = shell_process(shell, f"echo one; {wait}; echo two; exit 5", output, broken_program(shell))
    assert eventually(begun.exists)
    for one in (reader.worker, reader.first):
        os.kill(one, signal.SIGKILL)
    go.touch()
    assert process.wait(timeout=60) == 5
    assert output.read_text() == "one\ntwo\n"


def test_a_command_whose_own_reader_is_killed_keeps_its_status_and_says_so(shell: Shell, reader: ReaderProcess) -> None:
    output, begun, go = shell.home / "output", shell.home / "begun", shell.home / "go"
    wait = f": > {begun}; while [ ! -e {go} ]; do sleep 0.05; done"
    process = shell_process(shell, f"echo one; {wait}; seq 1 60000; exit 5", output)
    assert eventually(begun.exists)
    os.kill(reader.shell_servers[0], signal.SIGKILL)
    assert eventually(lambda: "could not be shown" in output.read_text())
    go.touch()
    assert process.wait(timeout=60) == 5
    assert "60000" not in output.read_text()
    assert shell_process(shell, "echo again", output, broken_program(shell)).wait(timeout=60) == 0
    assert output.read_text() == "again\n"


def test_shells_side_by_side_do_not_wait_for_each_other(shell: Shell, reader: ReaderProcess) -> None:
    """Each is read by a process of its own, and says what it said itself."""
    go, last = shell.home / "go", shell.home / "last"
    outputs = [shell.home / f"output {number}" for number in range(4)]
    wait = f"while [ ! -e {go} ]; do sleep 0.05; done"
    processes = [
        shell_process(shell, f"echo begin {number}; {wait}; echo end {number}; exit {number}", output)
        for number, output in enumerate(outputs)
    ]
    assert eventually(lambda: len(reader.shell_servers) > 2)
    go.touch()
    assert [process.wait(timeout=60) for process in processes] == [0, 1, 2, 3]
    assert [output.read_text() for output in outputs] == [f"begin {one}\nend {one}\n" for one in range(4)]
    assert eventually(lambda: len(reader.shell_servers) == 1)
    assert shell_process(shell, "echo last", last, broken_program(shell)).wait(timeout=60) == 0
    assert last.read_text() == "last\n"


def test_what_nobody_took_is_not_said_to_the_next(shell: Shell, reader: ReaderProcess) -> None:
    """The process that reads shells is the same for many."""
    line = f". {shell_word(SCRIPT)} {shell.root} 7 {SPILL} codex {reader.place}\necho for nobody"
    read, write = os.pipe()
    process = subprocess.Popen(["bash", "-c", f"sleep 0.2\n{line}"], env=shell.environ, stdout=write)
    os.close(write)
    os.close(read)
    process.wait(timeout=60)
    output = shell.home / "output"
    assert shell_process(shell, "echo for you", output, broken_program(shell)).wait(timeout=60) == 0
    assert output.read_text() == "for you\n"


# -- which reader is asked, and by whom --------------------------------------------------------------------------------


def test_two_sessions_side_by_side_are_served_and_end_one_by_one(shell: Shell) -> None:
    with another_reader(shell) as first:
        with another_reader(shell) as second:
            assert hook_answer(shell, result_event(shell, "one")) == {}
            assert second.first != first.first
        assert hook_answer(shell, result_event(shell, "two")) == {}
        assert who_answered(shell)[-1] == first.worker
    assert not [*first.place.glob("reader-*"), *first.place.glob("shells-*")]
    assert not any(Path(f"/proc/{process}").exists() for process in (first.first, second.first))


def test_names_of_readers_that_are_gone_are_no_hindrance(shell: Shell) -> None:
    place = Path(shell.environ["XDG_CACHE_HOME"]) / "overspill"
    with socket.socket(socket.AF_UNIX) as gone, chdir(place):  # the path of a socket may be no longer than 107 bytes
        gone.bind("reader-4000000")
    os.mkfifo(place / "shells-4000000")
    assert "REDACTED" in json.dumps(hook_answer(shell, result_event(shell, f"token {made_up_value('ghp_<A36>')}")))
    assert not (place / "reader-4000000").exists()
    output = shell.home / "output"
    assert shell_process(shell, "echo one; exit 3", output).wait(timeout=60) == 3
    assert output.read_text() == "one\n"


def test_a_directory_that_others_may_enter_is_not_trusted(shell: Shell) -> None:
    """Whoever listens there may be anybody."""
    place = Path(shell.environ["XDG_CACHE_HOME"]) / "overspill"
    with socket.socket(socket.AF_UNIX) as stranger:
        with chdir(place):
            stranger.bind("reader-1")
        stranger.listen()
        stranger.setblocking(False)
        place.chmod(0o755)
        secret = made_up_value("ghp_<A36>")
        assert "REDACTED" in json.dumps(hook_answer(shell, result_event(shell, f"token {secret}")))
        with pytest.raises(BlockingIOError):
            stranger.accept()


def test_whoever_has_fewer_rights_is_not_served(shell: Shell, reader: ReaderProcess) -> None:
    """A command in a sandbox could have things written where it may not."""
    code = (
        "import ctypes, os, socket, sys\n"
        "if sys.argv[2] == 'confined': ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)\n"  # no new privileges
        "os.chdir(sys.argv[1]); asking = socket.socket(socket.AF_UNIX)\n"
        "asking.connect([name for name in os.listdir() if name.startswith('reader-')][0]); print(asking.recv(1))"
    )
    words = [sys.executable, "-c", code, str(reader.place)]
    answers = [subprocess.check_output([*words, how], text=True).strip() for how in ("free", "confined")]
    assert answers == [repr(HELLO), repr(b"")]


def test_a_reader_of_other_code_is_not_believed(shell: Shell, reader: ReaderProcess) -> None:
    """After an upgrade in the middle of a session the old one has nothing to say."""
    answers = []
    for stamp in (code_stamp(), code_stamp().replace(" ", "9 ", 1)):
        head = b"\0".join([stamp.encode(), b"claude-code", str(shell.root).encode(), b"HOME=/nowhere"])
        with socket.socket(socket.AF_UNIX) as asking:
            with chdir(reader.place):
                asking.connect(next(reader.place.glob("reader-*")).name)
            assert asking.recv(1) == HELLO
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, (2).to_bytes(4, sys.byteorder))
            asking.sendmsg([len(head).to_bytes(4, "big")], [rights])
            asking.sendall(head + json.dumps(result_event(shell, "all is well")).encode())
            asking.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                answers.append(asking.recv(100))
    assert answers == [b"{}\n"]
