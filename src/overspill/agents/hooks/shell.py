"""`spill hook shell`: reads what a shell says until it ends, and shows what fits. Started by overspill.sh.

An agent moves a command that takes long, or never ends, into the background and looks at its output now and
then. Where that is a file, it finds the newest lines there, and when the command ends, the view takes their
place. Where it is a pipe, what is written stays written: so now and then it gets the newest lines, and no others.
"""

from __future__ import annotations

import os
import select
import signal
import stat
import sys
import time

from overspill._lite import TYPE_CHECKING, suppress
from overspill.agents.hooks import Hook, is_own_command
from overspill.agents.hooks.rewriting import command_in, command_of, label_of
from overspill.core.markers import Wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


EVERY = 1.0  # seconds between two looks at a file
FIRST_SIGN = 8.0  # in a pipe; every further one takes twice as long
IN_A_FILE, IN_A_PIPE = 4_000, 1_500  # characters
MOST_BEFORE = 5_000  # characters of signs that may stand before a view in a pipe
SIGN = Wording.RUNNING + "\n"
SIGN_BEGINS, SIGN_ENDS = SIGN.partition("{")[0], SIGN.rpartition("}")[2]
UNREAD = 1 << 20  # bytes: most commands are over before anybody needs to know what they say meanwhile

TOOL = "execute_command"
STATUS = "status"  # the file in which the shell says how it ended
STATUS_DESCRIPTOR, STATUS_BYTES = 7, 8  # opened by the shell: it removes the file when it ends
PIPE_CHUNK_BYTES = 1 << 16
GLANCE = 0.05  # how often it is looked whether the shell is still there
AT_THE_LATEST = 1.0  # a process that was left behind may say something once the shell has ended, but not for ever


class Meanwhile:
    """Shows something of an output to whoever looks before it is complete."""

    def __init__(self, hook: Hook, output: int) -> None:
        self._output = output
        found = os.fstat(output)
        self._is_file = stat.S_ISREG(found.st_mode)
        self._start = found.st_size
        self._pause = EVERY if self._is_file else FIRST_SIGN
        self._next = time.monotonic() + self._pause
        self._unread = bytearray()
        self._newest = NewestLines(hook, IN_A_FILE if self._is_file else IN_A_PIPE)
        self._lines = 0
        self._shown = 0

    def watched_chunks(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Chunks of an output, unchanged; now and then the newest lines are shown as they pass."""
        for chunk in chunks:
            self._lines += chunk.count(b"\n")
            self._unread += chunk
            if len(self._unread) > UNREAD:
                self._read()
            if time.monotonic() >= self._next:
                self.show()
            if chunk:
                yield chunk

    def show(self) -> None:
        """Say how far it is, if it is any further."""
        self._next = time.monotonic() + self._pause
        if self._shown == self._lines:
            return
        self._shown = self._lines
        self._read()
        self.take_back()
        newest = self._newest.text()
        if self._is_file:
            self._write(SIGN.format(self._lines, "the newest of them") + newest)
        else:
            # The sign comes last, so that the view begins where it ends.
            self._write(newest + "\n" * (newest[-1:] != "\n") + SIGN.format(self._lines, "above the newest"))
            self._pause *= 2
            self._newest.forget()

    def take_back(self) -> None:
        """Let the view stand where the newest lines stood."""
        if self._is_file and os.fstat(self._output).st_size > self._start:
            os.ftruncate(self._output, self._start)
            os.lseek(self._output, self._start, os.SEEK_SET)

    def _read(self) -> None:
        self._newest.feed(bytes(self._unread))
        self._unread.clear()

    def _write(self, text: str) -> None:
        os.write(self._output, text.encode("utf-8", "replace"))


def before_the_view(text: str) -> str:
    r"""The signs of life with which the output of a command begins.

    >>> before_the_view("a\n[still running, 1 lines so far; above the newest, what fits is shown at the end]\nb")
    'a\n[still running, 1 lines so far; above the newest, what fits is shown at the end]\n'
    >>> before_the_view("stopped\n")
    ''
    """
    before, sign, after = text[:MOST_BEFORE].rpartition(SIGN_BEGINS)
    number, ended, _ = after.partition(SIGN_ENDS)
    return before + sign + number + ended if sign and ended and "\n" not in number else ""


class NewestLines:
    """The last lines of what it is fed, without secrets."""

    def __init__(self, hook: Hook, most: int) -> None:
        self._hook = hook
        self._most = most
        self._text = ""
        self._passed: Callable[[bytes | None], bytes] | None = None

    def feed(self, chunk: bytes) -> None:
        if self._passed is None:
            from overspill.redact.redactor import redacted_bytes

            self._passed = redacted_bytes(self._hook.spill.workspace.redactor)
        self._text = (self._text + self._passed(chunk).decode("utf-8", "replace"))[-self._most :]

    def text(self) -> str:
        """As many whole lines as are shown."""
        return self._text if len(self._text) < self._most else self._text.partition("\n")[2]

    def forget(self) -> None:
        """Begin anew: these were shown."""
        self._text = ""


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
