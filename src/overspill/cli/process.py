"""A command run for somebody else: its output as it comes, how it ended, and nobody left waiting for it.

Children are spawned, not forked, so that nothing of ours runs in them. A thread waits for the child
and closes a pipe when it is gone; whoever reads its output can then wait for both in one `poll`.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import time
from _thread import start_new_thread

from overspill._lite import TYPE_CHECKING, suppress
from overspill.errors import OverspillError, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType
    from typing import Self

OUTPUT_CHUNK_BYTES = 1 << 16
# A process the child left behind may hold its output open for ever. What it still says right after is taken along.
LAST_WORDS = 0.1
AT_THE_LATEST = 1.0
KILL_AFTER = 2.0  # a child that was asked to end has this long
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# What Python or we ignore; a child begins without such habits.
HABITS = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTTOU)
SIZE_OF_A_TERMINAL = (40, 120)


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
