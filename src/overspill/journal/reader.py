"""The journal, read: event by event, from either end, in flat memory."""

from __future__ import annotations

import os
from collections.abc import Iterator

from overspill._lite import suppress
from overspill.files.rotating_log import full_files
from overspill.journal import JOURNAL_FILE, JOURNAL_NAME

BLOCK = 1 << 16
MAX_LINE_BYTES = 1 << 20  # bytes of a line that is still looked at
_START = b'{"ts":"'
Event = dict[str, object]


class History(Iterator[Event]):
    """The events of a journal, one mapping each, without ever holding more than a few of them.

    `since` and `until` are stamps, both included: what comes after the stamp of a first page can be left
    out of the pages after it. Lines that are not events are left out and counted in `broken`.
    """

    def __init__(
        self,
        directory: str,
        *,
        newest_first: bool = True,
        since: str = "",
        until: str = "",
        session: str = "",
        events: tuple[str, ...] = (),
    ) -> None:
        self.broken = 0
        self._since = since
        self._until = until
        self._session = session
        self._events = frozenset(events)
        self._found = self._read(directory, newest_first=newest_first)

    def __next__(self) -> Event:
        return next(self._found)

    def _read(self, directory: str, *, newest_first: bool) -> Iterator[Event]:
        from msgspec import DecodeError
        from msgspec.json import Decoder

        decode = Decoder(dict[str, object]).decode
        # Reading a line costs many times what looking for a word in it does.
        named = [f'"{name}"'.encode() for name in self._events]
        for line in journal_lines(directory, newest_first=newest_first):
            if named and not any(name in line for name in named):
                continue
            try:
                event = decode(line)
            except (DecodeError, UnicodeDecodeError, RecursionError):
                # A disk that was full took half a line; the next one begins where it ends.
                self.broken += 1
                try:
                    event = decode(line[line.rindex(_START, 1) :])
                except (ValueError, RecursionError):
                    continue
            at = event.get("ts")
            if not isinstance(at, str) or not isinstance(event.get("event"), str):
                self.broken += 1
                continue
            if (self._until and at > self._until) or (self._since and at < self._since):
                continue
            if self._events and event["event"] not in self._events:
                continue
            if self._session and event.get("session_id") != self._session:
                continue
            yield event


def journal_lines(directory: str, *, newest_first: bool) -> Iterator[bytes]:
    """The lines of all files of a journal, without their ends."""
    read = lines_backwards if newest_first else lines_forwards
    for file in open_files(directory, newest_first=newest_first):
        try:
            yield from read(file)
        finally:
            os.close(file)


def open_files(directory: str, *, newest_first: bool) -> Iterator[int]:
    """Descriptors of the files of a journal, each once, whoever closes one in the meantime; the caller closes them."""
    try:
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        newest = _open_or_none(JOURNAL_FILE, folder)
        last = None if newest is None else os.fstat(newest).st_ino
        full = full_files(folder, JOURNAL_NAME)
        if newest_first and newest is not None:
            yield newest
        for name in reversed(full) if newest_first else full:
            file = _open_or_none(name, folder)
            if file is not None and os.fstat(file).st_ino == last:
                os.close(file)  # it was the newest a moment ago
            elif file is not None:
                yield file
        if not newest_first and newest is not None:
            yield newest
    finally:
        os.close(folder)


def _open_or_none(name: str, folder: int) -> int | None:
    from overspill.errors import OverspillError
    from overspill.files.safe import open_file

    with suppress(OSError, OverspillError):
        return open_file(name, folder)
    return None


def lines_forwards(file: int) -> Iterator[bytes]:
    """The lines of a file, as far as it went when the first one was asked for."""
    end = os.fstat(file).st_size
    at, rest = 0, b""
    while at < end and (block := os.pread(file, min(BLOCK, end - at), at)):
        at += len(block)
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if len(rest) > MAX_LINE_BYTES:
            rest = b"?"
        yield from filter(None, lines)
    if rest:
        yield rest


def lines_backwards(file: int) -> Iterator[bytes]:
    """The lines of a file, the last one first."""
    at, rest = os.fstat(file).st_size, b""
    while at > 0:
        size = min(BLOCK, at)
        at -= size
        lines = (os.pread(file, size, at) + rest).split(b"\n")
        rest = lines[0]
        if len(rest) > MAX_LINE_BYTES:
            rest = b"?"
        yield from filter(None, reversed(lines[1:]))
    if rest:
        yield rest
