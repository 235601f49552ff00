"""How much is kept and when it was last touched: one small record under a lock.

It counts upwards before a byte is published and downwards after one is gone, so that a process that
dies in between leaves it too high, never too low; it is counted anew before anybody is refused.
"""

import os
import struct

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.files.safe import Locked, open_file
from overspill.store.clock import Moment

if TYPE_CHECKING:
    from typing import Self

USAGE_FILE = "usage"
_RECORD = struct.Struct("<4sQQddd16s")
_MAGIC = b"ovu1"


class Usage(NamedTuple):
    """What a session, or the machine, holds."""

    bytes: int = 0
    artifacts: int = 0
    last: Moment = Moment(0.0, 0.0, b"")
    haste: float = 0.0  # of the rate limit: how many artifacts came of late


def read_usage(directory: int) -> Usage | None:
    """The record of a directory, or None if there is none that can be read."""
    file = open_file(USAGE_FILE, directory)
    if file is None:
        return None
    try:
        return _parse_usage(os.pread(file, _RECORD.size, 0))
    finally:
        os.close(file)


class UsageCounter:
    """The record, held alone until it is left; `set` writes it."""

    def __init__(self, directory: int) -> None:
        self._lock = Locked(USAGE_FILE, directory)
        self.now = _parse_usage(os.pread(self._lock.file, _RECORD.size, 0))

    def set(self, usage: Usage) -> None:
        last = usage.last
        os.pwrite(
            self._lock.file,
            _RECORD.pack(_MAGIC, usage.bytes, usage.artifacts, last.wall, last.up, usage.haste, last.boot),
            0,
        )
        self.now = usage

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()


def add_usage(directory: int, size: int, count: int) -> None:
    """Change the record by so many bytes and artifacts, if there is one."""
    with UsageCounter(directory) as counter:
        if counter.now is not None:
            now = counter.now
            counter.set(now._replace(bytes=max(0, now.bytes + size), artifacts=max(0, now.artifacts + count)))


def _parse_usage(content: bytes) -> Usage | None:
    if len(content) != _RECORD.size:
        return None
    magic, size, count, wall, up, haste, boot = _RECORD.unpack(content)
    numbers = wall == wall and up == up and haste == haste and wall >= 0 <= haste  # noqa: PLR0124  # not so for NaN
    return Usage(size, count, Moment(wall, up, boot.rstrip(b"\0")), haste) if magic == _MAGIC and numbers else None
