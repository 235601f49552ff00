"""`spill run` in front of real commands: the view, the status, and nobody left behind."""

import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from doors_kit import Shell, ok
from drawn import number_of

SPILL = [sys.executable, "-m", "overspill"]
FAILING = """
def test_good(): pass
def test_that_fails(): assert [1, 2] == [1, 3]
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "OVERSPILL_ROOT": str(tmp_path)}


def spill(environ: dict[str, str], *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SPILL, *words], env=environ, input=typed, capture_output=True, text=True, timeout=60, check=False
    )


def started(environ: dict[str, str], *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*SPILL, *words], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def first_line(process: subprocess.Popen[str], path: Path) -> None:
    """Wait until the child has begun."""
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(process.communicate())


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def gone(pid: int) -> bool:
    for _ in range(600):
        if not alive(pid):
            return True
        time.sleep(0.05)
    return False


def test_a_failing_suite_is_told_within_the_limit_and_its_status_kept(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FAILING + "".join(f"def test_{n}(): print('x' * 400)\n" for n in range(300)))
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "test_it.py"]
    done = spill(environ, "run", "--limit", "2000", "--cwd", str(tmp_path), "--", *command)
    assert done.returncode == 1
    assert len(done.stdout) <= 2_000
    assert "test_that_fails" in done.stdout
    call = next(line for line in done.stdout.splitlines() if "spill artifacts show" in line)
    words = call[call.index("spill artifacts show") : call.rindex("]")].split(",")[0].split()
    fetched = spill(environ, *words[1:])
    assert fetched.returncode == 0
    assert "test_1 PASSED" in fetched.stdout


def test_standard_output_carries_the_view_alone_and_the_summary_is_said_beside_it(environ: dict[str, str]) -> None:
    done = spill(environ, "run", "--", "sh", "-c", "echo one; echo two >&2; echo three; exit 3")
    assert (done.returncode, done.stdout) == (3, "one\ntwo\nthree\n")
    assert done.stderr.startswith("spill: exit 3, 14 chars in 3 lines, ")


def test_options_of_the_command_are_its_own(environ: dict[str, str]) -> None:
    assert spill(environ, "run", "printf", "%s", "--json").stdout == "--json"
    assert spill(environ, "run", "--", "printf", "%s", "--limit").stdout == "--limit"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["true"], 0),
        (["sh", "-c", "exit 77"], 77),
        (["sh", "-c", "kill -9 $$"], 128 + 9),
        (["sh", "-c", "kill -TERM $$"], 128 + 15),
        (["there-is-no-such-command"], 127),
        (["/etc/passwd"], 126),
        (["--timeout", "0.3", "sleep", "60"], 124),
        (["--timeout", "0.3", "sh", "-c", "trap '' TERM; sleep 60 & wait; sleep 60"], 124),
        ([], 125),
        (["--no-such-option", "true"], 125),
        (["--timeout", "soon", "true"], 125),
        (["--cwd", "/there/is/no/such/place", "true"], 125),
        (["--env", "NOVALUE", "true"], 125),
        (["--tee", "--no-tee", "true"], 125),
        (["--strategy", "nonsense", "true"], 125),
    ],
)
def test_the_status_says_what_happened(environ: dict[str, str], words: list[str], status: int) -> None:
    done = spill(environ, "run", *words)
    assert done.returncode == status
    assert "Traceback" not in done.stderr


def test_variables_of_the_command_are_none_of_ours(shell: Shell) -> None:
    """SAN-6, THR-1a: whoever gives tests a home of their own is still looked after by the rules of the user."""
    place = shell.home / ".config" / "overspill"
    place.mkdir(parents=True)
    (place / "config.yml").write_text("redaction.rules: [{name: corp, type: CORP, pattern: 'corp-[0-9]+'}]")
    other = shell.root / "other"
    other.mkdir()
    for variable in (
        f"HOME={other}",
        f"XDG_CONFIG_HOME={other}",
        "OVERSPILL=off",
        "OVERSPILL_REDACTION__ENABLED=false",
    ):
        name = variable.partition("=")[0]
        said = ok(shell.spill("run", "--env", variable, "--", "sh", "-c", f"echo corp-123456 ${name}"))
        assert said.out == f"[REDACTED: CORP] {variable.partition('=')[2]}\n"
    assert list(other.iterdir()) == []


def test_a_command_is_looked_for_where_its_own_path_says(shell: Shell) -> None:
    tool = shell.root / "tools" / "ours"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho found\n")
    tool.chmod(0o755)
    words = ["run", "--env", f"PATH={tool.parent}", "--", "ours"]
    assert ok(shell.spill(*words)).out == "found\n"
    shell.environ["OVERSPILL"] = "off"
    assert ok(shell.spill(*words)).out == "found\n"


def test_a_variable_without_a_name_is_named_as_that(shell: Shell) -> None:
    """What stands behind it may be a secret and is not repeated."""
    said = shell.spill("run", "--env", "=hunter2hunter2", "--", "true")
    assert (said.status, said.err) == (125, "spill: --env takes NAME=VALUE; the name is missing\n")


def test_a_line_meant_for_a_shell_is_told_how_to_be_run(environ: dict[str, str]) -> None:
    done = spill(environ, "run", "make | tail")
    assert done.returncode == 127
    assert "bash -c" in done.stderr


def test_the_envelope_has_the_status(environ: dict[str, str]) -> None:
    done = spill(environ, "run", "--json", "--", "sh", "-c", "echo hello; exit 5")
    result = json.loads(done.stdout)["result"]
    assert (result["content"], result["exit_code"], result["is_error"]) == ("hello\n", 5, True)
    failed = json.loads(spill(environ, "run", "--json", "--bogus").stdout)
    assert (failed["success"], failed["error"]["exitCode"]) == (False, 125)


def test_what_a_script_says_is_not_taken_for_the_script(environ: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "noisy.py"
    script.write_text("for n in range(9000): print('ERROR disk 7 is full' if n == 4000 else f'all is well {n}')")
    done = spill(environ, "run", "--limit", "2000", "--", sys.executable, str(script))
    assert "ERROR disk 7 is full" in done.stdout
    by_itself = spill(environ, "run", "--json", "--limit", "2000", "--", "python3", str(script))
    assert json.loads(by_itself.stdout)["result"]["metadata"]["strategy_used"] == "smart"


def test_a_pipe_that_closes_early_does_not_hide_the_status(environ: dict[str, str]) -> None:
    line = f"{sys.executable} -m overspill run -- sh -c 'sleep 0.3; echo late; exit 9' | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], env=environ, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "9\n"
    assert "Traceback" not in done.stderr


def test_two_views_share_the_budget_and_each_stays_on_its_stream(environ: dict[str, str]) -> None:
    noisy = "for n in $(seq 1 30000); do echo out $n; echo err $n >&2; done"
    done = spill(environ, "run", "--separate", "--limit", "3000", "--", "bash", "-c", noisy)
    errors, _, summary = done.stderr.rstrip("\n").rpartition("\n")
    assert summary.startswith("spill: exit 0, ")
    assert "\nout 30000\n" in done.stdout
    assert "\nerr " not in done.stdout
    assert "\nerr 30000" in errors
    assert "\nout " not in errors
    assert len(done.stdout) + len(errors) <= 3_000


def test_a_command_that_reads_gets_what_is_piped_in(environ: dict[str, str]) -> None:
    assert spill(environ, "run", "cat", typed="hello\n").stdout == "hello\n"


def test_nothing_to_read_is_no_hang(environ: dict[str, str]) -> None:
    assert spill(environ, "run", "cat").returncode == 0


def test_a_command_that_closes_its_output_is_waited_for(environ: dict[str, str]) -> None:
    started_at = time.monotonic()
    done = spill(environ, "run", "--", "sh", "-c", "echo bye; exec >&- 2>&-; sleep 1; exit 4")
    assert (done.returncode, done.stdout) == (4, "bye\n")
    assert time.monotonic() - started_at >= 1


def test_a_process_left_behind_is_not_waited_for(environ: dict[str, str]) -> None:
    started_at = time.monotonic()
    done = spill(environ, "run", "--", "sh", "-c", "sleep 60 & echo $!; exit 6")
    assert done.returncode == 6
    assert time.monotonic() - started_at < 50
    os.kill(int(done.stdout), signal.SIGKILL)


def test_a_chatty_process_left_behind_is_not_listened_to_for_ever(environ: dict[str, str]) -> None:
    done = spill(environ, "run", "--", "sh", "-c", "(while :; do echo on and on; sleep 0.02; done) & echo $!")
    assert done.returncode == 0
    pid = next(int(word) for word in done.stdout.split() if word.isdigit())
    assert gone(pid)  # nobody listens any more, and that ends it


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_reaches_the_whole_family_and_what_was_said_is_shown(
    environ: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    begun = tmp_path / "begun"
    # The shell gives background jobs deaf ears for SIGINT, so the family is made of python.
    family = (
        "import subprocess, sys, time; child = subprocess.Popen(['sleep', '60']); print(child.pid, flush=True);"
        f"open({str(begun)!r}, 'w').close(); child.wait()"
    )
    process = started(environ, "run", "--", sys.executable, "-c", family)
    first_line(process, begun)
    process.send_signal(number)
    view, said = process.communicate(timeout=60)
    assert process.returncode in {128 + number, 1}
    assert view.split()[0].isdigit()
    assert gone(int(view.split()[0])), said


def test_out_of_time_ends_grandchildren_too(environ: dict[str, str]) -> None:
    done = spill(environ, "run", "--timeout", "3", "--", "sh", "-c", "sleep 60 & echo $!; wait")
    assert done.returncode == 124
    assert gone(int(done.stdout))
    assert "timed out after 3 s" in done.stderr


def test_a_command_that_will_not_listen_is_killed(environ: dict[str, str]) -> None:
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    started_at = time.monotonic()
    done = spill(environ, "run", "--timeout", "3", "--", sys.executable, "-c", deaf)
    assert (done.returncode, done.stdout) == (124, "deaf\n")
    assert time.monotonic() - started_at < 50


def test_bytes_that_are_no_text_are_no_trouble(environ: dict[str, str]) -> None:
    done = spill(environ, "run", "--", "printf", r"caf\303\251 \377\376 end\n")
    assert (done.returncode, done.stdout) == (0, "café �� end\n")


def test_a_terminal_of_its_own(environ: dict[str, str]) -> None:
    code = "import os, sys; print(sys.stdout.isatty(), sys.stderr.isatty(), os.get_terminal_size().columns)"
    assert spill(environ, "run", "--pty", "--", sys.executable, "-c", code).stdout.split() == ["True", "True", "120"]


def test_secrets_are_hidden_in_the_view_and_in_what_is_shown_meanwhile(environ: dict[str, str], tmp_path: Path) -> None:
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    words = ["run", "--tee", "--env", "MY_PASSWORD=Tr0ub4dor-and-3", "--limit", "500"]
    line = f"echo {secret}; echo $MY_PASSWORD; seq 1 5000"
    done = spill(environ, *words, "--", "sh", "-c", line)
    assert "4999" in done.stderr  # it was shown
    for place in (done.stdout, done.stderr, *kept(tmp_path)):
        assert secret not in place
        assert "Tr0ub4dor-and-3" not in place


def kept(root: Path) -> Iterator[str]:
    files = [path for path in root.rglob("*") if path.is_file()]
    assert files
    yield from (path.read_text(encoding="utf-8", errors="replace") for path in files)


def test_switched_off_it_is_the_command_itself(environ: dict[str, str]) -> None:
    done = spill({**environ, "OVERSPILL": "off"}, "run", "--", "sh", "-c", "seq 1 10000; exit 3")
    assert (done.returncode, len(done.stdout.splitlines())) == (3, 10_000)
    assert "OVERSPILL=off" in done.stderr


@pytest.mark.drawn
def test_memory_stays_flat_however_much_is_said(environ: dict[str, str]) -> None:
    megabytes_said = number_of(70, 170)
    line = (
        f"import sys\nfor _ in range({megabytes_said}):"
        " sys.stdout.buffer.write(b'all is well, all is well, all is well\\n' * 27000)"
    )
    measured = (
        "import resource, subprocess, sys; status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    )
    command = [sys.executable, "-c", measured, *SPILL, "run", "--", sys.executable, "-c", line]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=True)
    status, megabytes = map(int, done.stdout.split())
    assert status == 0
    assert megabytes < 100
    assert resource.getrusage(resource.RUSAGE_SELF)  # the child of a child was measured, not we


class Terminal:
    """`spill run` as people use it: on a terminal, in the foreground."""

    def __init__(self, environ: dict[str, str], *command: str) -> None:
        self.said = b""
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [*SPILL, "run", "--", *command], environ)

    def until(self, wanted: bytes) -> None:
        deadline = time.monotonic() + 60
        while wanted not in self.said:
            assert time.monotonic() < deadline, self.said
            if select.select([self.screen], [], [], 0.5)[0]:
                self.said += os.read(self.screen, 65_536)

    def type(self, keys: bytes) -> None:
        os.write(self.screen, keys)

    def status(self) -> int:
        while True:
            try:
                piece = os.read(self.screen, 65_536)
            except OSError:
                break
            if not piece:
                break
            self.said += piece
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_at_a_terminal_output_is_live_typing_reaches_the_command_and_ctrl_c_ends_it(environ: dict[str, str]) -> None:
    code = "print('name?', flush=True); print('hello', input(), flush=True); import time; time.sleep(60)"
    terminal = Terminal(environ, sys.executable, "-c", code)
    terminal.until(b"name?")
    terminal.type(b"bob\n")
    terminal.until(b"hello bob")
    terminal.type(b"\x03")
    assert terminal.status() in {130, 1}
    assert b"spill: exit 1" in terminal.said
