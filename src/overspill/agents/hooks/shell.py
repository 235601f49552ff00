"""`spill hook shell`: reads what a shell says until it ends, and shows what fits. Started by overspill.sh."""

from __future__ import annotations

import os
import select
import signal
import sys
import time

from overspill._lite import TYPE_CHECKING, suppress
from overspill.agents.hooks.meanwhile import Meanwhile
from overspill.agents.hooks.opening import Hook
from overspill.agents.hooks.rewriting import command_in, command_of, label_of
from overspill.agents.hooks.texts import is_own_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TOOL = "execute_command"
STATUS = "status"  # the file in which the shell says how it ended
STATUS_DESCRIPTOR, STATUS_BYTES = 7, 8  # opened by the shell: it removes the file when it ends
PIPE_CHUNK_BYTES = 1 << 16
GLANCE = 0.05  # how often it is looked whether the shell is still there
AT_THE_LATEST = 1.0  # a process that was left behind may say something once the shell has ended, but not for ever


def show_shell(hook: Hook, spoken: ShellOutput, line: str, write: Callable[[str], None]) -> int:
    """Show what fits of what the shell says. Whoever ends the shell does not end this: somebody is waiting for it."""
    meanwhile = Meanwhile(hook, sys.stdout.fileno())
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda *_: meanwhile.show())  # what comes next may not leave the time to show it
    if is_own_command(command_of(line)):
        pass_on(spoken)  # what is fetched was fitted before
    else:
        hook.note_call(command=command_in(line))
        chunks = noted_chunks(hook, meanwhile.watched_chunks(spoken.chunks()), spoken)
        fitted = hook.fit(chunks, TOOL, source=label_of(line))
        with suppress(BrokenPipeError):
            meanwhile.take_back()
            write(fitted.text)
    spoken.life.tidy_up()
    if spoken.unfinished:
        drain(spoken.pipe)
    return 0


def hook_of_shell(directory: str | None, session: str, agent: str) -> Hook:
    """What a shell's output is shown with; `-` stands for a session that nobody named."""
    return Hook(directory, "" if session == "-" else session, agent, "shell")


def noted_chunks(hook: Hook, chunks: Iterator[bytes], spoken: ShellOutput) -> Iterator[bytes]:
    """What is said, unchanged; when it is over, the journal is to know whether the command failed."""
    yield from chunks
    hook.note_call(failed=spoken.life.status not in {"", "0"})


class ShellOutput:
    """What comes through the pipe of a shell, until nobody holds it any more or the shell is over."""

    def __init__(self, pipe: int, life: LifeByDirectory | LifeByPipe) -> None:
        self.pipe = pipe
        self.life = life
        self._next_look = 0.0
        self.unfinished = False

    def chunks(self) -> Iterator[bytes]:
        """What is said, as it comes; an empty chunk where there is nothing new."""
        deadline = None
        while deadline is None or time.monotonic() < deadline:
            ready, _, _ = select.select([self.pipe], [], [], GLANCE)
            if ready:
                chunk = os.read(self.pipe, PIPE_CHUNK_BYTES)
                if not chunk:
                    return
                yield chunk
            elif deadline is not None:
                break
            else:
                yield b""
            if deadline is None and self._is_over():
                deadline = time.monotonic() + AT_THE_LATEST
        self.unfinished = True

    def _is_over(self) -> bool:
        """Whether the shell has ended. It is not looked for more often than somebody could tell the difference."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + GLANCE
        return self.life.is_over()


class LifeByDirectory:
    """A shell is there while a directory of its own is, in which it says how it ended."""

    def __init__(self, place: str) -> None:
        self._place = place

    @property
    def status(self) -> str:
        """With which status the command ended; empty while it runs, and where nobody could say."""
        with suppress(OSError):
            return os.pread(STATUS_DESCRIPTOR, STATUS_BYTES, 0).decode("ascii", "replace").strip()
        return ""

    def is_over(self) -> bool:
        return not os.path.exists(self._place)

    def tidy_up(self) -> None:
        """Remove the pipe, for a shell that was killed and cannot."""
        with suppress(OSError):
            os.unlink(os.path.join(self._place, "out"))
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(self._place, STATUS))
            os.rmdir(self._place)


class LifeByPipe:
    """A shell is there while its process is, or until it says by a pipe how it ended."""

    def __init__(self, told: int, process: int, status: bytes = b"") -> None:
        os.set_blocking(told, False)
        self._told = told
        self._status = status
        self._process = process  # a descriptor of it

    @property
    def status(self) -> str:
        """With which status the command ended; empty while it runs, and where nobody could say."""
        with suppress(OSError):
            self._status += os.read(self._told, STATUS_BYTES)
        return self._status.decode("ascii", "replace").strip()

    def is_over(self) -> bool:
        return bool(self._status or select.select([self._told, self._process], [], [], 0)[0])

    def tidy_up(self) -> None:
        """Nothing is left behind by a pipe without a name."""


def pass_on(spoken: ShellOutput) -> None:
    """Show what is said as it comes."""
    with suppress(BrokenPipeError):
        for chunk in spoken.chunks():
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()


def drain(pipe: int) -> None:
    """Let a process that was left behind go on talking: a pipe that nobody reads would end it."""
    if os.fork():
        return
    os.setsid()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.dup2(pipe, 0)
    os.execvp("cat", ["cat"])  # noqa: S606, S607  # smaller than this process, and all that is needed
