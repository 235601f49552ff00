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


def show_shell(
    directory: str | None, session: str, sign_of_life: str, write: Callable[[str], None], agent: str = ""
) -> int:
    """Show what fits of what the shell says. Whoever ends the shell does not end this: somebody is waiting for it."""
    hook = Hook(directory, "" if session == "-" else session, agent, "shell")
    meanwhile = Meanwhile(hook, sys.stdout.fileno())
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda *_: meanwhile.show())  # what comes next may not leave the time to show it
    spoken = ShellOutput(sys.stdin.fileno(), sign_of_life)
    line = os.environ.pop("OVERSPILL_LINE", "")
    if is_own_command(command_of(line)):
        pass_on(spoken)  # what is fetched was fitted before
    else:
        hook.note_call(command=command_in(line))
        chunks = noted_chunks(hook, meanwhile.watched_chunks(spoken.chunks()), spoken)
        fitted = hook.fit(chunks, TOOL, source=label_of(line))
        with suppress(BrokenPipeError):
            meanwhile.take_back()
            write(fitted.text)
    spoken.tidy_up()
    if spoken.unfinished:
        drain(sys.stdin.fileno())
    return 0


def noted_chunks(hook: Hook, chunks: Iterator[bytes], spoken: ShellOutput) -> Iterator[bytes]:
    """What is said, unchanged; when it is over, the journal is to know whether the command failed."""
    yield from chunks
    hook.note_call(failed=spoken.status not in {"", "0"})


class ShellOutput:
    """What comes through the pipe of a shell, until nobody holds it any more or the shell is over."""

    def __init__(self, pipe: int, sign_of_life: str) -> None:
        self._pipe = pipe
        self._sign_of_life = sign_of_life
        self._next_look = 0.0
        self.unfinished = False

    @property
    def status(self) -> str:
        """With which status the command ended; empty while it runs, and where nobody could say."""
        with suppress(OSError):
            return os.pread(STATUS_DESCRIPTOR, STATUS_BYTES, 0).decode("ascii", "replace").strip()
        return ""

    def chunks(self) -> Iterator[bytes]:
        """What is said, as it comes; an empty chunk where there is nothing new."""
        deadline = None
        while deadline is None or time.monotonic() < deadline:
            ready, _, _ = select.select([self._pipe], [], [], GLANCE)
            if ready:
                chunk = os.read(self._pipe, PIPE_CHUNK_BYTES)
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

    def tidy_up(self) -> None:
        """Remove the pipe, for a shell that was killed and cannot."""
        with suppress(OSError):
            os.unlink(os.path.join(self._sign_of_life, "out"))
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(self._sign_of_life, STATUS))
            os.rmdir(self._sign_of_life)

    def _is_over(self) -> bool:
        """Whether the shell has ended. It is not looked for more often than somebody could tell the difference."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + GLANCE
        return not os.path.exists(self._sign_of_life)


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
