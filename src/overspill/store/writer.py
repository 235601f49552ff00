"""Makes artifacts: of a content that is all there, or of pieces as they come.

The record is written first, then the content gets its name. What comes in pieces and is too large to keep is kept by
its two ends.
"""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, NamedTuple, sha256
from overspill.core import Size, tokens_of
from overspill.core.report import Artifact
from overspill.errors import StoreError
from overspill.files import create_file, open_file, remove_file, store_error, sync_file
from overspill.store import Label, Moment, new_id, records
from overspill.store.quota import Limits, check_disk, check_size
from overspill.store.records import CHUNK_BYTES, ArtifactRecord, Checksums, pack_index
from overspill.store.removal import drop_artifact

if TYPE_CHECKING:
    from collections.abc import Callable
    from mmap import mmap
    from typing import Self

    from overspill.store.session_files import Spool
    from overspill.store.sessions import SessionDir

LOOK_AT_THE_DISK_EVERY = 16 << 20
_CONTINUATION = bytes(range(0x80, 0xC0))
_LENGTHS = (1,) * 12 + (2, 2, 3, 4)  # of a UTF-8 character, by the upper half of its first byte


class Draft(NamedTuple):
    """A content that is all there, and what is known of it."""

    spool: Spool
    prints: Checksums
    size: Size
    label: Label
    whole: Size | None = None
    head_bytes: int = 0


class FileWriter:
    """Writes to a spool, which `publish` makes an artifact of."""

    def __init__(
        self,
        spool: Spool,
        label: Label,
        limits: Limits,
        publish: Callable[[Draft], Artifact],
        *,
        lines: bool = True,
    ) -> None:
        self._spool = spool
        self._label = label
        self._limits = limits
        self._publish = publish
        self._prints = Checksums(lines=lines)
        self._looked = 0
        self._done = False

    def write(self, content: bytes) -> None:
        if self._done:
            raise StoreError("this artifact is already finished")
        check_size(self._prints.size + len(content), self._limits)
        self._look_at_the_disk(len(content))
        try:
            self._spool.write(content)
        except OSError as error:
            self.abort()
            raise store_error(error, "keeping an artifact") from None
        self._prints.feed(content)

    def view(self) -> mmap | bytes:
        from mmap import ACCESS_READ, mmap

        return mmap(self._spool.file, self._prints.size, access=ACCESS_READ) if self._prints.size else b""

    def commit(self, size: Size, content_type: str = "") -> Artifact:
        if self._done:
            raise StoreError("this artifact is already finished")
        if content_type:
            self._label = self._label._replace(content_type=content_type)
        try:
            return self._publish(Draft(self._spool, self._prints, size, self._label))
        finally:
            self.abort()

    def abort(self) -> None:
        if not self._done:
            self._done = True
            self._spool.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.abort()

    def _look_at_the_disk(self, coming: int) -> None:
        if self._looked >= 0 and self._prints.size + coming >= self._looked:
            check_disk(self._spool.file, coming, self._limits)
            self._looked = self._prints.size + coming + LOOK_AT_THE_DISK_EVERY


class EndsWriter(FileWriter):
    """Keeps the first and the last half of so many bytes, in a file of that size.

    The second half of the file is a ring that later bytes overwrite. What turns out to fit is an
    artifact like any other.
    """

    def __init__(
        self,
        new_spool: Callable[[], Spool],
        label: Label,
        limits: Limits,
        publish: Callable[[Draft], Artifact],
        room: int,
    ) -> None:
        super().__init__(new_spool(), label, limits, publish)
        self._new_spool = new_spool
        self._head = room // 2
        self._ring = room - self._head
        self._total = 0

    def write(self, content: bytes) -> None:
        if self._total + len(content) <= self._head + self._ring:
            super().write(content)
            self._total += len(content)
            return
        fits = max(0, self._head + self._ring - self._total)
        super().write(content[:fits])
        self._total += fits
        rest = memoryview(content)[fits:]
        skipped = max(0, len(rest) - self._ring)  # overwritten at once by what comes after it
        self._total += skipped
        try:
            self._write_around(rest[skipped:])
        except OSError as error:
            self.abort()
            raise store_error(error, "keeping an artifact") from None

    def _write_around(self, content: memoryview) -> None:
        from os import pwrite

        while content:
            at = (self._total - self._head) % self._ring
            written = pwrite(self._spool.file, content[: self._ring - at], self._head + at)
            self._total += written
            content = content[written:]

    def view(self) -> mmap | bytes:
        if self._total > self._prints.size:
            raise StoreError("only the ends of this artifact are kept; there is no view of the whole")
        return super().view()

    def commit(self, size: Size, content_type: str = "") -> Artifact:
        if self._done or self._total == self._prints.size:
            return super().commit(size, content_type)
        try:
            return self._publish(self._ends(size))
        finally:
            self.abort()

    def _ends(self, whole: Size) -> Draft:
        """Both ends in their order, without the characters that the gap would split."""
        oldest = (self._total - self._head) % self._ring
        head = self._head - _split_character_bytes(self._spool.read(4, max(0, self._head - 4)))
        ranges = [
            (0, head),
            (self._head + oldest, self._head + self._ring),
            (self._head, self._head + oldest),
        ]
        prints, chars, skip = Checksums(), 0, 0
        final = self._new_spool()
        try:
            for number, (start, end) in enumerate(ranges):
                for at in range(start, end, CHUNK_BYTES):
                    piece = self._spool.read(min(CHUNK_BYTES, end - at), at)
                    if number == 1 and at == start:
                        skip = _leading_continuations(piece)
                        piece = piece[skip:]
                    final.write(piece)
                    prints.feed(piece)
                    chars += len(piece.translate(None, _CONTINUATION))
        except OSError as error:
            final.discard()
            raise store_error(error, "keeping an artifact") from None
        self._spool.discard()
        self._spool = final
        size = Size(chars, prints.lines(), prints.size, tokens_of(chars))
        return Draft(final, prints, size, self._label, whole, head)


def _split_character_bytes(end: bytes) -> int:
    """How many bytes at the end belong to a character that is not all there.

    >>> [_split_character_bytes(content) for content in ("aé".encode()[:-1], "aé".encode(), b"abc")]
    [1, 0, 0]
    """
    for back in range(1, min(4, len(end)) + 1):
        byte = end[-back]
        if byte not in _CONTINUATION:
            return back if back < _LENGTHS[byte >> 4] else 0
    return 0


def _leading_continuations(start: bytes) -> int:
    """How many bytes at the start belong to a character that began before."""
    for number, byte in enumerate(start[:3]):
        if byte not in _CONTINUATION:
            return number
    return min(3, len(start))


def index_of(draft: Draft, frames: list[int]) -> bytes:
    """The index of a content that is larger than a chunk; smaller ones need no index, they are read whole."""
    if draft.prints.size <= CHUNK_BYTES:
        return b""
    return pack_index(draft.prints.digests(), draft.prints.line_ends(), frames)


def publish(
    room: SessionDir, draft: Draft, spool: Spool, index: bytes, frames: list[int], now: Moment, *, durable: bool
) -> Artifact:
    """Give a content its name. Until then there is no artifact; from then on it is whole."""
    stored = frames[-1] if frames else draft.prints.size
    index_hash = sha256(index).hexdigest() if index else ""
    while True:
        record = ArtifactRecord(_artifact(draft, now), stored, index_hash, "zstd" if frames else "")
        if _try_publish(room, record, spool, index, durable=durable):
            return record.artifact


def _try_publish(room: SessionDir, record: ArtifactRecord, spool: Spool, index: bytes, *, durable: bool) -> bool:
    """Whether the name was free. Whatever fails leaves nothing behind."""
    name = record.artifact.id
    try:
        create_file(f"{name}.json", room.meta, records.record_bytes(record), durable=durable)
    except FileExistsError:
        return False  # somebody has that name: his stays as it is
    try:
        if index:
            create_file(f"{name}.idx", room.meta, index, durable=durable)
        if durable:
            sync_file(room.meta)
        spool.publish(record.content_name, room.directory)
    except BaseException as error:
        remove_file(f"{name}.json", room.meta)
        remove_file(f"{name}.idx", room.meta)
        if isinstance(error, FileExistsError):
            return False
        raise
    if durable:
        try:
            sync_file(room.directory)
        except BaseException:
            drop_artifact(room, record.content_name)
            raise
    return True


def _artifact(draft: Draft, now: Moment) -> Artifact:
    label = draft.label.short()
    return Artifact(
        new_id(int(now.wall * 1000)),
        draft.size._replace(bytes=draft.prints.size),  # counted here: what is read back is checked against it
        label.tool,
        label.content_type,
        label.source,
        now.wall,
        draft.prints.root(),
        label.call_id,
        draft.whole is not None,
        draft.whole,
        draft.head_bytes,
    )


def make_durable(room: SessionDir, content_names: list[str]) -> None:
    """Let artifacts that were published without waiting outlast a power cut."""
    for name in content_names:
        stem = name.removesuffix(".zst")
        for directory, file_name in ((room.directory, name), (room.meta, f"{stem}.json"), (room.meta, f"{stem}.idx")):
            file = open_file(file_name, directory)
            if file is not None:
                try:
                    sync_file(file)
                finally:
                    os.close(file)
    sync_file(room.meta)
    sync_file(room.directory)
