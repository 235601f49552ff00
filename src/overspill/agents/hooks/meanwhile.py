"""What is shown of a command while it runs.

An agent moves a command that takes long, or never ends, into the background and looks at its output now and
then. Where that is a file, it finds the newest lines there, and when the command ends, the view takes their
place. Where it is a pipe, what is written stays written: so now and then it gets the newest lines, and no others.
"""

from __future__ import annotations

import os
import stat
import time

from overspill._lite import TYPE_CHECKING
from overspill.core.markers import Wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.agents.hooks.opening import Hook

EVERY = 1.0  # seconds between two looks at a file
FIRST_SIGN = 8.0  # in a pipe; every further one takes twice as long
IN_A_FILE, IN_A_PIPE = 4_000, 1_500  # characters
MOST_BEFORE = 5_000  # characters of signs that may stand before a view in a pipe
SIGN = Wording.RUNNING + "\n"
SIGN_BEGINS, SIGN_ENDS = SIGN.partition("{")[0], SIGN.rpartition("}")[2]
UNREAD = 1 << 20  # bytes: most commands are over before anybody needs to know what they say meanwhile


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
