"""Reads an artifact, plain or compressed, and serves no byte that is not the one that was stored.

A compressed content is one zstd frame a chunk, so that a part can be read without the rest. The frames stand one
after the other, as `zstdcat` reads them. Hashes are of the plain chunks: what is served is checked, whatever the
compressor did.
"""

from __future__ import annotations

import os
from bisect import bisect_left

from overspill._lite import TYPE_CHECKING, sha256
from overspill.errors import ArtifactDamaged, ArtifactEvicted, ArtifactNotFound, MissingExtra, OverspillError
from overspill.files import is_there, open_file, read_at, read_small, store_error
from overspill.store import records
from overspill.store.records import (
    BLOCK_BYTES,
    CHUNK_BYTES,
    COUNT_BYTES,
    DIGEST_BYTES,
    MAX_RECORD_BYTES,
    ArtifactRecord,
    Index,
    chunk_digest,
    unpack_index,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Self

    from overspill.core.report import Artifact
    from overspill.store.session_files import Spool
    from overspill.store.sessions import SessionDir


def artifact_record(room: SessionDir, artifact_id: str) -> ArtifactRecord | None:
    """The record of an artifact of this session, or None; raises `ArtifactEvicted` if it had to make room."""
    for _ in range(2):  # a content may have come after the look for its record
        content = read_small(f"{artifact_id}.json", room.meta, MAX_RECORD_BYTES)
        if content is not None:
            record = records.parse_record(content, artifact_id)
            if is_there(record.content_name, room.directory):
                return record
        if not (is_there(artifact_id, room.directory) or is_there(f"{artifact_id}.zst", room.directory)):
            break
    else:
        raise ArtifactDamaged(f"artifact {artifact_id} has not the record it was stored with; it is not served")
    grave = read_small(f"{artifact_id}.gone", room.meta, MAX_RECORD_BYTES)
    if grave is not None:
        raise ArtifactEvicted(artifact_id, removal_notice(records.parse_record(grave, artifact_id)))
    return None


def listed_artifact(room: SessionDir, content_name: str) -> Artifact | None:
    """The artifact behind a content file, or None if it is not one that could be served."""
    artifact_id = content_name.removesuffix(".zst")
    try:
        content = read_small(f"{artifact_id}.json", room.meta, MAX_RECORD_BYTES)
        record = None if content is None else records.parse_record(content, artifact_id)
        size = os.stat(content_name, dir_fd=room.directory, follow_symlinks=False).st_size
    except (OverspillError, OSError):
        return None
    return record.artifact if record is not None and record.stored == size else None


def removal_notice(record: ArtifactRecord) -> str:
    """What an evicted artifact was, when and why it went, and what made it."""
    import time

    was = record.artifact
    maker = f"; it was made by: {was.source or was.source_tool}" if was.source or was.source_tool else ""
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(record.gone))
    return f"{was.content_type} of {was.size.bytes:,} bytes, removed {when} {record.why}{maker}"


def after_line_ends(content: bytes, ends: int) -> int:
    r"""Where so many line ends are passed; the end if there are fewer.

    >>> after_line_ends(b"a\nb\nc", 1), after_line_ends(b"a\r\nb\rc", 2), after_line_ends(b"a", 3)
    (2, 5, 1)
    """
    if b"\r" in content:
        return sum(map(len, content.splitlines(keepends=True)[:ends]))
    parts = content.split(b"\n", ends)
    return len(content) - len(parts[-1]) if len(parts) > ends else len(content)


class Reader:
    """An artifact of the store of files, opened once: its content is read chunk by checked chunk."""

    def __init__(self, room: SessionDir, record: ArtifactRecord) -> None:
        self.record = record
        self.artifact = record.artifact
        self.size = record.artifact.size.bytes
        self._kept: dict[int, bytes] = {}  # the last two: a range that is found twice lies in them
        file = open_file(record.content_name, room.directory)
        if file is None:
            raise ArtifactNotFound(record.artifact.id)  # deleted in this moment
        self.file: int = file
        try:
            self._index = self._open_index(room)
        except BaseException:
            os.close(file)
            raise

    def _open_index(self, room: SessionDir) -> Index:
        record = self.record
        if os.fstat(self.file).st_size != record.stored:
            raise self._damage_error("its length is not what was stored")
        if not record.index_hash:
            if self.size > CHUNK_BYTES or record.stored != self.size:
                raise self._damage_error("its record does not fit its content")
            return Index(bytes.fromhex(record.artifact.sha256))
        chunks = -(-self.size // CHUNK_BYTES)
        most = chunks * (DIGEST_BYTES + 2 * COUNT_BYTES) + (CHUNK_BYTES // BLOCK_BYTES) * chunks * COUNT_BYTES
        content = read_small(f"{record.artifact.id}.idx", room.meta, most)
        if content is None and not is_there(record.content_name, room.directory):
            raise ArtifactNotFound(record.artifact.id)  # deleted in this moment
        if content is None or sha256(content).hexdigest() != record.index_hash:
            raise self._damage_error("its index is not what was stored")
        index = unpack_index(content, self.size, framed=bool(record.coding))
        if index is None or sha256(index.digests).hexdigest() != record.artifact.sha256:
            raise self._damage_error("its index is not what was stored")
        return index

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """Bytes `start` up to `end`."""
        start, end, _ = slice(start, end).indices(self.size)
        if start >= end:
            if not self.size:
                self._chunk(0)
            return b""
        first, last = start // CHUNK_BYTES, (end - 1) // CHUNK_BYTES
        if first == last:
            return self._chunk(first)[start - first * CHUNK_BYTES : end - first * CHUNK_BYTES]
        parts = [self._chunk(number) for number in range(first, last + 1)]
        parts[-1] = parts[-1][: end - last * CHUNK_BYTES]
        parts[0] = parts[0][start - first * CHUNK_BYTES :]
        return b"".join(parts)

    def verify(self) -> None:
        """Check every byte."""
        for number in range(max(1, -(-self.size // CHUNK_BYTES))):
            self._chunk(number)

    def stream(self) -> Iterator[bytes]:
        """The whole content, chunk by chunk; all of it is checked before the first one comes."""
        if self.size > CHUNK_BYTES:
            self.verify()
        yield from self.pieces()

    def pieces(self) -> Iterator[bytes]:
        """The whole content, chunk by chunk, each checked as it comes."""
        for number in range(-(-self.size // CHUNK_BYTES)):
            yield self._chunk(number)

    def lines(self, first: int, last: int) -> bytes:
        """Lines `first` to `last`, counted from 1."""
        return self.read(*self.where(first, last)) if first <= last else b""

    def where(self, first: int, last: int) -> tuple[int, int]:
        """Where those lines lie."""
        start = self.start_of_line(first)
        return start, start if last < first else self.start_of_line(last + 1)

    def start_of_line(self, line: int) -> int:
        """Where a line begins, counted from 1; the end of the content if there are fewer."""
        ends = line - 1
        if ends <= 0:
            return 0
        block = before = 0
        step = CHUNK_BYTES
        if self._index.lines is not None:
            block = bisect_left(self._index.lines, ends) - 1
            before, step = self._index.lines[block], BLOCK_BYTES
        content = self.read(block * step, block * step + step)
        return block * step + after_line_ends(content, ends - before)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.file)
        self._kept.clear()

    def _chunk(self, number: int) -> bytes:
        if number in self._kept:
            return self._kept[number]
        length = min(CHUNK_BYTES, self.size - number * CHUNK_BYTES)
        try:
            content = self._stored_chunk(number, length)
        except OSError as error:
            raise store_error(error, f"reading artifact {self.artifact.id}") from None
        if len(content) != length or chunk_digest(content) != self._index.digest(number):
            raise self._damage_error("its content is not what was stored")
        if len(self._kept) > 1:
            del self._kept[next(iter(self._kept))]
        self._kept[number] = content
        return content

    def _stored_chunk(self, number: int, length: int) -> bytes:
        frames = self._index.frames
        if frames is None:
            return read_at(self.file, length, number * CHUNK_BYTES)

        start = frames[number - 1] if number else 0
        return unpacked_chunk(read_at(self.file, max(0, frames[number] - start), start), length)

    def _damage_error(self, why: str) -> ArtifactDamaged:
        return ArtifactDamaged(f"artifact {self.record.artifact.id} is not served: {why} (checksum mismatch)")


def compress_content(source: Spool, size: int, into: Spool) -> list[int]:
    """Write the frames of a content, and where each of them ends."""
    zstandard = _zstandard()
    compressor = zstandard.ZstdCompressor(level=3)
    ends, at = [], 0
    for start in range(0, size, CHUNK_BYTES):
        frame = compressor.compress(source.read(min(CHUNK_BYTES, size - start), start))
        into.write(frame)
        at += len(frame)
        ends.append(at)
    return ends


def unpacked_chunk(frame: bytes, length: int) -> bytes:
    """The chunk of `length` bytes in a frame; a frame that says it holds more is not opened."""
    zstandard = _zstandard()
    try:
        if zstandard.frame_content_size(frame) != length:
            raise ArtifactDamaged("a compressed artifact is not what was stored")
        return bytes(zstandard.ZstdDecompressor(max_window_size=1 << 23).decompress(frame, max_output_size=length))
    except zstandard.ZstdError:
        raise ArtifactDamaged("a compressed artifact is not what was stored") from None


def _zstandard() -> ModuleType:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("compress_large", "zstd") from None
    return zstandard
