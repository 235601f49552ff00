"""How far a long piece of work is: one line on a terminal, nothing elsewhere, and nothing within the first second."""

from __future__ import annotations

import sys
import time

from overspill._lite import TYPE_CHECKING
from overspill.core.size import human_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

PATIENCE = 1.0  # seconds: what is over sooner needs no progress
OFTEN = 0.2  # seconds between two lines, which is as fast as anybody reads


class Progress:
    """A line on standard error that says how far we are."""

    def __init__(self, total: int = 0) -> None:
        self._total = total  # bytes; 0: not known
        self._shown = is_shown()
        self._begun = self._last = time.monotonic()
        self._last += PATIENCE - OFTEN
        self._width = 0

    def say(self, words: str) -> None:
        """Say it, but not more often than anybody can read."""
        now = time.monotonic()
        if self._shown and now - self._last > OFTEN:
            self._last = now
            sys.stderr.write(f"\r{words:<{self._width}}")
            sys.stderr.flush()
            self._width = len(words)

    def say_bytes(self, done: int) -> None:
        """How many bytes are done, how fast that goes, and how long it may take, where that can be known."""
        if self._shown:
            self.say(pace(done, self._total, time.monotonic() - self._begun))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()


def is_shown() -> bool:
    """Whether somebody would see it."""
    return sys.stderr is not None and sys.stderr.isatty()


def pace(done: int, total: int, seconds: float) -> str:
    """Bytes that are done, as a person wants to know it.

    >>> pace(50 << 20, 200 << 20, 5.0)
    '50.0 MB of 200.0 MB, 10.0 MB/s, 15 s left'
    >>> pace(50 << 20, 0, 5.0)
    '50.0 MB, 10.0 MB/s'
    """
    rate = done / max(seconds, 0.001)
    whole = f" of {human_bytes(total)}" if total else ""
    left = f", {max(0, round((total - done) / rate))} s left" if total and rate else ""
    return f"{human_bytes(done)}{whole}, {human_bytes(round(rate))}/s{left}"


def watched_chunks(chunks: Iterator[bytes], total: int) -> Iterator[bytes]:
    """Chunks as they come, while the terminal says how many have."""
    done = 0
    with Progress(total) as progress:
        for chunk in chunks:
            yield chunk
            done += len(chunk)
            progress.say_bytes(done)


def watched_write(write: Callable[[bytes], object], progress: Progress) -> Callable[[bytes], object]:
    """A function that writes, while the terminal says how much it has written."""
    done = 0

    def written(content: bytes) -> object:
        nonlocal done
        result = write(content)
        done += len(content)
        progress.say_bytes(done)
        return result

    return written
