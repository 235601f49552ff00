"""`spill run`: a command's output within its budget, and its status.

A command that runs for somebody else is read as it speaks, and nobody is left waiting for it. Children are spawned, not
forked, so that nothing of ours runs in them. A thread waits for the child and closes a pipe when it is gone; whoever
reads its output can then wait for both in one `poll`.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
import time
from _thread import start_new_thread

from overspill._lite import TYPE_CHECKING, suppress
from overspill.cli.arguments import CommandCall, usage
from overspill.cli.fit import command_budget, known_strategy, result_record
from overspill.cli.opening import open_overspill
from overspill.cli.output import note, print_answer, silence_stderr, silence_stdout
from overspill.errors import InputError, OverspillError, UsageError, reason_of
from overspill.redact.redactor import redacted_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType
    from typing import Self

    from overspill.api import Overspill
    from overspill.core.report import Fitted


TIMED_OUT = 124
TOOL = "execute_command"
LEFT_OPEN = "a process that the command left running holds its output open; what that says from now on is not read"

OUTPUT_CHUNK_BYTES = 1 << 16
# A process the child left behind may hold its output open for ever. What it still says right after is taken along.
LAST_WORDS = 0.1
AT_THE_LATEST = 1.0
KILL_AFTER = 2.0  # a child that was asked to end has this long
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# What Python or we ignore; a child begins without such habits.
HABITS = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTTOU)
SIZE_OF_A_TERMINAL = (40, 120)


def run(call: CommandCall) -> int:
    """Run a command and write the view of its output. The status is the command's."""
    if not call.arguments:
        form = usage(call.command) if call.command else "spill run -- CMD..."
        raise UsageError(f"a command is missing; usage: {form}")
    if call.flag("--tee") and call.flag("--no-tee"):
        raise UsageError("--tee and --no-tee say opposite things; give one of them")
    given = environment_of(call)
    if "PATH" in given:
        os.environ["PATH"] = given["PATH"]  # the command is looked for there
    directory = call.text("--cwd")
    if directory is not None and not os.path.isdir(directory):
        raise InputError(f"cannot run in {directory[:200]!r}: there is no such directory")
    if os.environ.get("OVERSPILL") == "off":
        note("spill: switched off by OVERSPILL=off; everything passes through unchanged")
        os.chdir(directory or ".")
        return _in_our_place(call.arguments, {**os.environ, **given})
    spill = open_overspill(call)
    spill.workspace.know_variables(given)
    spill.workspace.notes_marks = True  # models are told to run it, and may write what they were shown
    strategy = known_strategy(call)
    started = time.monotonic()
    timeout = call.options.get("--timeout")
    with Child(
        call.arguments,
        separate=call.flag("--separate"),
        pty=call.flag("--pty"),
        directory=directory,
        environ={**os.environ, **given},
        timeout=timeout if isinstance(timeout, float) else None,
    ) as child:
        views = fit_both(spill, child, call) if call.flag("--separate") else [fit_output(spill, child, call, strategy)]
        if any(view.report.ended for view in views):
            child.stop()  # nobody reads what it says: it would wait for ever
        status = child.wait()
        status = TIMED_OUT if child.timed_out else status
        views = [ended_view(view, status, LEFT_OPEN if child.left_open else "") for view in views]
        try:
            print_views(call, views, status)
        except BrokenPipeError:
            silence_stdout()  # the reader has seen enough, and still the status is the command's
    ending = f"timed out after {timeout:g} s" if child.timed_out else f"exit {status}"
    if child.left_open:
        note(f"spill: {LEFT_OPEN}")
    note(run_summary(views, ending, time.monotonic() - started, spill.workspace.short_id))
    return status


def ended_view(view: Fitted, status: int, notice: str) -> Fitted:
    """A view of a command that has ended so, with what is to be said about its end."""
    notices = (*view.report.notices, *([notice] if notice else []))
    return view._replace(is_error=view.is_error or status != 0, report=view.report._replace(notices=notices))


def environment_of(call: CommandCall) -> dict[str, str]:
    """What `--env` adds to the environment."""
    pairs = [word.partition("=") for word in call.texts("--env") or ()]
    for name, equals, _ in pairs:
        if not name:
            raise UsageError("--env takes NAME=VALUE; the name is missing")
        if not equals:
            raise UsageError(f"--env takes NAME=VALUE, not {name[:100]!r}")
    return {name: value for name, _, value in pairs}


def fit_output(spill: Overspill, child: Child, call: CommandCall, strategy: str | None) -> Fitted:
    """The view of everything the command says, in the order it says it."""
    return spill.fit(
        tee(spill, child.chunks(child.outputs[0]), call),
        tool=call.text("--tool") or TOOL,
        budget=command_budget(call),
        strategy=strategy,
        focus=call.text("--focus"),
        source=" ".join(call.arguments),
    )


def fit_both(spill: Overspill, child: Child, call: CommandCall) -> list[Fitted]:
    """The views of its two outputs, which share the budget. Both are read at once: a full pipe would stop the child."""
    from concurrent.futures import ThreadPoolExecutor

    from overspill.fit import fit_together, pending_result, safe_call
    from overspill.fit.prepare import ToolCall

    tool = call.text("--tool") or TOOL
    budget = command_budget(call) or spill.workspace.policy(tool).inline
    here = spill.workspace
    about = safe_call(here, ToolCall(tool, source=" ".join(call.arguments)))
    with ThreadPoolExecutor(len(child.outputs)) as readers:
        outputs = [tee(spill, child.chunks(output), call) for output in child.outputs]
        results = list(readers.map(lambda chunks: pending_result(here, chunks, about, budget), outputs))
    return fit_together(here, results, budget)


def tee(spill: Overspill, chunks: Iterator[bytes], call: CommandCall) -> Iterator[bytes]:
    """A command's chunks, unchanged; they are shown on standard error as they pass, if somebody is watching."""
    watching = sys.stderr.isatty() and not call.flag("--no-tee")
    if not watching and not call.flag("--tee"):
        return chunks
    return _tee_chunks(chunks, _unchanged if watching else redacted_bytes(spill.workspace.redactor))


def _tee_chunks(chunks: Iterator[bytes], passed: Callable[[bytes | None], bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        show_on_stderr(passed(chunk))
        yield chunk
    show_on_stderr(passed(None))


def show_on_stderr(content: bytes) -> None:
    """For whoever watches; that nobody does any more is no concern of the command's."""
    try:
        sys.stderr.buffer.write(content)
        sys.stderr.buffer.flush()
    except (OSError, ValueError):
        silence_stderr()


def _unchanged(chunk: bytes | None) -> bytes:
    """For whoever sits at the terminal: what the command would have shown them anyway."""
    return chunk or b""


def print_views(call: CommandCall, views: list[Fitted], status: int) -> None:
    """The views: one on standard output; of two, each on the stream it came from."""
    view, *rest = views
    if call.flag("--json"):
        result = result_record(view) | {"exit_code": status}
        if rest:
            result["stderr"] = result_record(rest[0])
        print_answer(call, "result", result, "")
        return
    print_answer(call, "result", None, view.text)
    for other in rest:
        ending = "\n" if other.text and not other.text.endswith("\n") else ""
        show_on_stderr((other.text + ending).encode("utf-8", "replace"))
    for each in views:
        if each.notice:
            note(each.notice)


def run_summary(views: list[Fitted], ending: str, seconds: float, name: Callable[[str], str]) -> str:
    """How it ended, in one line."""
    chars = sum(view.report.original.chars for view in views)
    lines = sum(view.report.original.lines for view in views)
    kept = "".join(f", {name(view.artifact_id)}" for view in views if view.artifact_id)
    return f"spill: {ending}, {chars:,} chars in {lines:,} line{'s' * (lines != 1)}, {seconds:.1f} s{kept}"


def _in_our_place(command: tuple[str, ...], environ: Mapping[str, str]) -> int:
    sys.stderr.flush()
    try:
        os.execvpe(command[0], list(command), dict(environ))  # noqa: S606  # what was asked for
    except OSError as error:
        raise CannotStart(command[0], error) from None


class CannotStart(OverspillError):
    """There is no such command, or it may not be run."""

    code = "E_COMMAND"

    def __init__(self, command: str, error: OSError) -> None:
        self.exit_code = 127 if error.errno in {errno.ENOENT, errno.ENOTDIR} else 126
        super().__init__(f"cannot run {command[:100]!r}: {reason_of(error)}{_advice(command, self.exit_code)}")


def _advice(command: str, status: int) -> str:
    if status == 127 and any(character in command for character in " |&;<>$"):  # noqa: PLR2004  # as shells say it
        return "; a line for a shell is run by `spill run -- bash -c 'LINE'`"
    return ""


class Child:
    """A command that runs; `chunks` gives its output, `wait` its status."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        separate: bool = False,
        pty: bool = False,
        directory: str | None = None,
        environ: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> None:
        self.timed_out = False
        self.left_open = False  # somebody it started may still have something to say
        self._code: int | None = None
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._stopping = False  # asked to end; the next deadline kills
        self._terminal = _foreground_terminal() if not pty else None
        self._before: dict[int, signal._HANDLER] = {}
        if not command[0]:
            raise CannotStart("", FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
        outputs, inside, actions = _on_a_terminal() if pty else _on_pipes(separate=separate)
        self.outputs = outputs
        gone, self._said_goodbye = os.pipe()
        self._gone = gone
        try:
            self.pid = _spawn(command, environ or os.environ, directory, actions, pty=pty)
        except OSError as error:
            for descriptor in (*outputs, gone, self._said_goodbye):
                os.close(descriptor)
            raise CannotStart(command[0], error) from None
        finally:
            for descriptor in inside:
                os.close(descriptor)
        self._give_terminal()
        start_new_thread(self._attend, ())

    def __enter__(self) -> Self:
        """While it runs, what is sent to us is sent on to it and its family."""
        for number in FORWARDED:
            self._before[number] = signal.signal(number, self._forward)
        return self

    def __exit__(self, *_: object) -> None:
        """Nobody is left running who was meant to end."""
        if self._code is None:
            self._signal(signal.SIGKILL)
            self._wait_until(None)
        elif self._stopping:
            self._signal(signal.SIGKILL)  # of its family
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for descriptor in (*self.outputs, self._gone):
            os.close(descriptor)

    def chunks(self, output: int) -> Iterator[bytes]:
        """What the child says on one of its `outputs`, as it comes, until it has ended."""
        ready = select.poll()
        ready.register(output, select.POLLIN)
        ready.register(self._gone, select.POLLIN)
        last_call = None
        while True:
            seen = dict(ready.poll(self._patience(last_call)))
            if output in seen:
                chunk = _read_output(output)
                if not chunk:
                    return
                yield chunk
            elif last_call is not None:
                break
            elif self._gone not in seen:
                self._out_of_time()
            if self._gone in seen:
                ready.unregister(self._gone)
                last_call = time.monotonic() + AT_THE_LATEST
            if last_call is not None and time.monotonic() > last_call:
                break
        self.left_open = True

    def wait(self) -> int:
        """The status as a shell gives it: the child's, or 128 and the number of the signal that ended it."""
        while self._code is None and not self._wait_until(self._patience(None)):
            self._out_of_time()
        code = self._code or 0
        return code if code >= 0 else 128 - code

    def stop(self) -> None:
        """Ask it to end; if it does not, it is made to."""
        self._signal(signal.SIGTERM)
        self._stopping = True
        self._deadline = time.monotonic() + KILL_AFTER

    def _patience(self, last_call: float | None) -> float | None:
        """How long to wait for news, in milliseconds."""
        if last_call is not None:
            return LAST_WORDS * 1000
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic()) * 1000

    def _wait_until(self, patience: float | None) -> bool:
        ready = select.poll()
        ready.register(self._gone, select.POLLIN)
        return bool(ready.poll(patience))

    def _out_of_time(self) -> None:
        if self._deadline is None or time.monotonic() < self._deadline:
            return
        self._signal(signal.SIGKILL if self._stopping else signal.SIGTERM)
        self.timed_out = self.timed_out or not self._stopping
        self._stopping = True
        self._deadline = time.monotonic() + KILL_AFTER

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        self._stopping = True
        self._signal(number)

    def _signal(self, number: int) -> None:
        """To the child and its family."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _attend(self) -> None:
        """Wait for the end, and mind the terminal meanwhile."""
        while True:
            try:
                _, status = os.waitpid(self.pid, os.WUNTRACED)
            except ChildProcessError:  # somebody else's handler was faster
                status = 0
            if not os.WIFSTOPPED(status):
                break
            self._stopped(os.WSTOPSIG(status))
        self._take_terminal()
        self._code = os.waitstatus_to_exitcode(status)
        os.close(self._said_goodbye)

    def _stopped(self, number: int) -> None:
        """Stop with it when somebody wants the terminal back, and go on with it."""
        if self._terminal is None:
            return
        if number not in {signal.SIGTTIN, signal.SIGTTOU}:
            self._take_terminal()
            os.kill(os.getpid(), signal.SIGSTOP)
        self._give_terminal()
        self._signal(signal.SIGCONT)

    def _give_terminal(self) -> None:
        if self._terminal is not None:
            with suppress(OSError):
                os.tcsetpgrp(self._terminal, self.pid)

    def _take_terminal(self) -> None:
        if self._terminal is not None:
            with suppress(OSError):
                os.tcsetpgrp(self._terminal, os.getpgrp())


Action = tuple[int, int, int] | tuple[int, int, str, int, int]


def _on_pipes(*, separate: bool) -> tuple[tuple[int, ...], tuple[int, ...], list[Action]]:
    """The ends we read, the ends the child writes to, and what makes them its outputs."""
    read, write = os.pipe()
    if not separate:
        return (read,), (write,), [(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_DUP2, write, 2)]
    errors, to_errors = os.pipe()
    actions: list[Action] = [(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_DUP2, to_errors, 2)]
    return (read, errors), (write, to_errors), actions


def _on_a_terminal() -> tuple[tuple[int, ...], tuple[int, ...], list[Action]]:
    """Both ends of a new terminal, ours and the child's, and what makes it its outputs.

    Opening it makes it the terminal of the child, which leads a session.
    """
    import termios

    ours, its = os.openpty()
    with suppress(OSError, termios.error):
        termios.tcsetwinsize(its, SIZE_OF_A_TERMINAL)
    actions: list[Action] = [
        (os.POSIX_SPAWN_OPEN, 1, os.ttyname(its), os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    if os.isatty(0):  # ours would not answer to another session
        actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
    return (ours,), (its,), actions


def _spawn(
    command: Sequence[str], environ: Mapping[str, str], directory: str | None, actions: list[Action], *, pty: bool
) -> int:
    here = os.open(".", os.O_RDONLY | os.O_CLOEXEC) if directory else None
    try:
        if directory:
            os.chdir(directory)
        family = {"setsid": True} if pty else {"setpgroup": 0}
        return os.posix_spawnp(
            command[0], list(command), dict(environ), file_actions=actions, setsigdef=HABITS, **family
        )
    finally:
        if here is not None:
            os.fchdir(here)
            os.close(here)


def _foreground_terminal() -> int | None:
    """Our terminal, if what is typed there is meant for us."""
    try:
        if os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp():
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # or handing it over would stop us
            return 0
    except (OSError, ValueError):  # closed; or we are in a thread, where no handler can be set
        pass
    return None


def _read_output(output: int) -> bytes:
    try:
        return os.read(output, OUTPUT_CHUNK_BYTES)
    except OSError as error:
        if error.errno == errno.EIO:  # so says a terminal that nobody holds any more
            return b""
        raise
