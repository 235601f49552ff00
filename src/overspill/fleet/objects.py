r"""How an artifact lies in a bucket: a line that says so, its record and its index, then its content.

    overspill 1 plain 412\n <record and index, 412 bytes> <content>

A content that is longer than a part lies in parts of its own, which are there before the artifact is. It is written
block by block of 1 MiB, as it lies on disk. Where a key is given, the head and each block are sealed for themselves
(AES-256-GCM), so that a range can be read without the rest, and no block can stand in another's place. What comes back
is held to the checksums of the record, whether it was sealed or not: a reader serves no byte that was not stored.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor  # loaded now: not while an interpreter ends

from overspill._lite import TYPE_CHECKING, NamedTuple, sha256
from overspill.errors import ArtifactDamaged, ArtifactNotFound, BucketError, ConfigError, MissingExtra, StoreError
from overspill.store import records
from overspill.store.reader import Reader
from overspill.store.records import CHUNK_BYTES, Index, record_bytes, unpack_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from overspill.fleet import Bucket, SessionKeys
    from overspill.store.records import ArtifactRecord
    from overspill.store.sessions import SessionDir

BLOCK = CHUNK_BYTES
BLOCKS_A_PART = 8
PART_BYTES = BLOCKS_A_PART * BLOCK  # of a content; what is longer lies in parts
FIRST_LOOK = 128 << 10  # the head of every artifact up to 1 GB, and all of a small one
MAX_HEAD_BYTES = 1 << 26
FORMAT = "overspill 1"
AT_ONCE = 4  # parts on their way
STILL_FRESH = 3600.0  # seconds for which nobody takes a part without an artifact for a dead one's

_NONCE, _TAG, _KEY_BYTES = 12, 16, 32


class Seal:
    """What makes bytes unreadable for those who have no key; without a key it leaves them as they are."""

    name = "plain"
    overhead = 0

    def close(self, content: bytes, where: str) -> bytes:
        """The content as it is written at a place."""
        del where
        return content

    def open(self, content: bytes, where: str) -> bytes:
        """The content that was written at that place; `ArtifactDamaged` if this is not it."""
        del where
        return content


class KeySeal(Seal):
    """AES-256-GCM with a key of the environment. The place a block has is sealed with it."""

    name = "aes256gcm"
    overhead = _NONCE + _TAG

    def __init__(self, key: bytes) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError:
            raise MissingExtra("artifacts.encrypt", "fleet") from None
        self._cipher: Any = AESGCM(key)

    def close(self, content: bytes, where: str) -> bytes:
        """The content, sealed."""
        nonce = os.urandom(_NONCE)
        return nonce + bytes(self._cipher.encrypt(nonce, content, where.encode()))

    def open(self, content: bytes, where: str) -> bytes:
        """The content, if it was sealed with this key and for this place."""
        from cryptography.exceptions import InvalidTag

        try:
            return bytes(self._cipher.decrypt(content[:_NONCE], content[_NONCE:], where.encode()))
        except (InvalidTag, ValueError):
            raise ArtifactDamaged(f"{where.partition(' ')[0]} is not what was stored, or has another key") from None


def seal_of(setting: str, environ: Mapping[str, str]) -> Seal:
    """The seal that `artifacts.encrypt` asks for: 32 bytes in hexadecimal or base64 in a variable of the environment.

    >>> seal_of("", {}).name
    'plain'
    """
    if not setting:
        return Seal()
    scheme, _, name = setting.partition(":")
    if scheme != "env" or not name.isidentifier():
        raise ConfigError(f"artifacts.encrypt: {setting[:100]!r} is not `env:` and the name of a variable")
    key = _key_bytes(environ.get(name, ""))
    if key is None:
        raise ConfigError(f"artifacts.encrypt: {name} holds no key of 32 bytes; `openssl rand -hex 32` makes one")
    return KeySeal(key)


def _key_bytes(text: str) -> bytes | None:
    import base64
    import binascii

    for decode in (bytes.fromhex, lambda said: base64.b64decode(said, validate=True)):
        try:
            key = decode(text.strip())
        except (ValueError, binascii.Error):
            continue
        if len(key) == _KEY_BYTES:
            return key
    return None


def write_artifact(
    bucket: Bucket,
    keys: SessionKeys,
    seal: Seal,
    record: ArtifactRecord,
    index: bytes,
    read: Callable[[int, int], bytes],
    until: float | None = None,
) -> None:
    """Have an artifact in the bucket: when this returns, all of it is there. `read` gives bytes as they lie on disk."""
    _check_time(bucket, until)
    artifact_id = record.artifact.id
    plain = record_bytes(record) + index
    head = seal.close(plain, f"{artifact_id} head")
    line = f"{FORMAT} {seal.name} {len(head)}\n".encode()
    if record.stored > PART_BYTES:
        _write_parts(bucket, keys, seal, record, read, until)
        content = b""
    else:
        content = b"".join(_sealed_blocks(seal, artifact_id, 0, record.stored, read))
    if not bucket.create(keys.artifact(artifact_id), b"".join((line, head, content))):
        _check_same(bucket, keys, seal, record, plain)


def _check_same(bucket: Bucket, keys: SessionKeys, seal: Seal, record: ArtifactRecord, plain: bytes) -> None:
    """A name that is taken is ours if this very artifact has it: a request may come through, and its answer not."""
    there = _fetch_head(bucket, keys, seal, record.artifact.id)
    if there is None or there.plain != plain:
        raise BucketError(bucket.address, f"another artifact is called {record.artifact.id}")


def _sealed_blocks(
    seal: Seal, artifact_id: str, start: int, end: int, read: Callable[[int, int], bytes]
) -> Iterator[bytes]:
    for at in range(start, end, BLOCK):
        content = read(min(BLOCK, end - at), at)
        if len(content) != min(BLOCK, end - at):
            raise StoreError(f"artifact {artifact_id} is shorter than it was")
        yield seal.close(content, f"{artifact_id} {at // BLOCK}")


class TooSlow(BucketError):
    """An artifact did not get through in the time there was, though the bucket answers."""


def _check_time(bucket: Bucket, until: float | None) -> None:
    if until is not None and time.monotonic() > until:
        raise TooSlow(bucket.address, f"not through within {bucket.patience:g} s")


def _write_parts(
    bucket: Bucket,
    keys: SessionKeys,
    seal: Seal,
    record: ArtifactRecord,
    read: Callable[[int, int], bytes],
    until: float | None,
) -> None:
    """The parts of a long content, some at once; those that another attempt has left there are not sent again."""
    artifact = record.artifact
    numbers = range(-(-record.stored // PART_BYTES))
    folder = keys.parts(artifact.id, artifact.sha256)

    def send(number: int) -> None:
        _check_time(bucket, until)
        start, end = number * PART_BYTES, min(record.stored, (number + 1) * PART_BYTES)
        content = b"".join(_sealed_blocks(seal, artifact.id, start, end, read))
        bucket.replace(keys.part(artifact.id, artifact.sha256, number), content)

    there = _fresh_parts(bucket, folder, send)
    left = [number for number in numbers if there.get(f"{number:05}") != _part_bytes(seal, record, number)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            sending = [pool.submit(send, number) for number in left]
        except RuntimeError:  # the interpreter is ending, and starts no more threads
            sending = []
            for number in left:
                send(number)
        for done in sending:
            done.result()


def _part_bytes(seal: Seal, record: ArtifactRecord, number: int) -> int:
    length = min(PART_BYTES, record.stored - number * PART_BYTES)
    return length + -(-length // BLOCK) * seal.overhead


def _fresh_parts(bucket: Bucket, folder: str, send: Callable[[int], None]) -> dict[str, int]:
    """The sizes of the parts that are there and will stay: old ones may be removed at any time by whoever sweeps."""
    if not any(True for _ in bucket.entries(folder)):
        return {}
    send(0)  # which says what time it is there
    there = list(bucket.entries(folder))
    now = max((entry.modified for entry in there), default=0.0)
    return {entry.name: entry.size for entry in there if now - entry.modified < STILL_FRESH}


class ArtifactHead(NamedTuple):
    """The beginning of an artifact's object."""

    record: ArtifactRecord
    checks: Index
    plain: bytes  # record and index, as they were written
    start: int  # where the content begins, if it is in this object
    first: bytes  # what has come of the object already
    size: int  # of the object


def _fetch_head(bucket: Bucket, keys: SessionKeys, seal: Seal, artifact_id: str) -> ArtifactHead | None:
    key = keys.artifact(artifact_id)
    found = bucket.fetch(key, 0, FIRST_LOOK)
    if found is None:
        return None
    content = found.content
    line, mark, rest = content[:100].partition(b"\n")
    words = line.decode("ascii", "replace").split(" ")
    if not mark or len(words) != len(FORMAT.split()) + 2 or not words[-1].isdigit():
        raise _damage_error(artifact_id, "it is no artifact")
    if " ".join(words[:2]) != FORMAT:
        raise StoreError(f"artifact {artifact_id} was written by another version of overspill ({line[:40]!r})")
    if words[2] != seal.name:
        raise ConfigError(f"artifact {artifact_id} is {words[2]}, and artifacts.encrypt says {seal.name}")
    del rest
    start, length = len(line) + 1, int(words[-1])
    if length > MAX_HEAD_BYTES or start + length > found.size:
        raise _damage_error(artifact_id, "it is cut short")
    if start + length > len(content):
        more = bucket.fetch(key, len(content), start + length - len(content))
        content += b"" if more is None else more.content
    plain = seal.open(content[start : start + length], f"{artifact_id} head")
    end = plain.find(b"\n") + 1
    record = records.parse_record(plain[:end], artifact_id)
    index = _checked_index(record, plain[end:])
    return ArtifactHead(record, index, plain, start + length, content, found.size)


def _checked_index(record: ArtifactRecord, content: bytes) -> Index:
    artifact = record.artifact
    if not record.index_hash:
        if artifact.size.bytes > CHUNK_BYTES or record.stored != artifact.size.bytes or content:
            raise _damage_error(artifact.id, "its record does not fit its content")
        return Index(bytes.fromhex(artifact.sha256))
    index = unpack_index(content, artifact.size.bytes, framed=bool(record.coding))
    good = sha256(content).hexdigest() == record.index_hash
    if index is None or not good or sha256(index.digests).hexdigest() != artifact.sha256:
        raise _damage_error(artifact.id, "its index is not what was stored")
    return index


def open_remote(bucket: Bucket, keys: SessionKeys, seal: Seal, artifact_id: str) -> RemoteReader | None:
    """An artifact of a session in the bucket, opened by one request; None where there is none of that id."""
    head = _fetch_head(bucket, keys, seal, artifact_id)
    return None if head is None else RemoteReader(bucket, keys, seal, head)


class NearReader(Reader):
    """The copy of an artifact that is here. Chunks of it that are not what was stored come from the bucket."""

    def __init__(self, room: SessionDir, record: ArtifactRecord, open_far: Callable[[], RemoteReader | None]) -> None:
        super().__init__(room, record)
        self._open_far = open_far
        self._far: RemoteReader | None = None

    def _chunk(self, number: int) -> bytes:
        try:
            return super()._chunk(number)
        except ArtifactDamaged as error:
            return self._whole_copy(error).read(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES)

    def _whole_copy(self, error: ArtifactDamaged) -> RemoteReader:
        try:
            self._far = self._far or self._open_far()
        except BucketError as away:
            raise ArtifactDamaged(f"{error}; the bucket may have it whole, but {away.reason}") from None
        if self._far is None or self._far.artifact.sha256 != self.artifact.sha256:
            raise error
        return self._far

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._far = None


class RemoteReader(Reader):
    """An artifact in a bucket: read by ranges, each of them checked, and never more at once than a part."""

    def __init__(self, bucket: Bucket, keys: SessionKeys, seal: Seal, head: ArtifactHead) -> None:
        self.record = head.record
        self.artifact = head.record.artifact
        self.size = head.record.artifact.size.bytes
        self.keys = keys
        self._kept: dict[int, bytes] = {}
        self._index = head.checks
        self._bucket, self._seal, self._start = bucket, seal, head.start
        self._in_parts = head.record.stored > PART_BYTES
        self._until = 0  # how far what is asked for goes, in bytes as they were stored
        self._held, self._held_from = b"", 0
        blocks = -(-head.record.stored // BLOCK)
        here = 0 if self._in_parts else head.record.stored + blocks * seal.overhead
        if head.size != head.start + here:
            raise self._damage_error("its length is not what was stored")
        if not self._in_parts and head.size <= len(head.first):
            self._held = self._opened(head.first[head.start :], 0)

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """Bytes `start` up to `end`, fetched together."""
        self._until = self._stored_end(slice(start, end).indices(self.size)[1])
        try:
            return super().read(start, end)
        finally:
            self._until = 0

    def verify(self) -> None:
        """Check every byte."""
        self._until = self.record.stored
        super().verify()
        self._until = 0

    def pieces(self) -> Iterator[bytes]:
        """The whole content, chunk by chunk, each checked as it comes, fetched a part at a time."""
        for number in range(-(-self.size // CHUNK_BYTES)):
            self._until = self.record.stored
            content = self._chunk(number)
            self._until = 0
            yield content

    def __exit__(self, *_: object) -> None:
        self._kept.clear()
        self._held = b""

    def _stored_end(self, end: int) -> int:
        """Up to where bytes up to `end` lie, as they were stored."""
        chunk = -(-end // CHUNK_BYTES)
        frames = self._index.frames
        if frames is None:
            return min(self.record.stored, chunk * CHUNK_BYTES)
        return frames[chunk - 1] if chunk else 0

    def _stored_chunk(self, number: int, length: int) -> bytes:
        frames = self._index.frames
        if frames is None:
            return self._stored(number * CHUNK_BYTES, number * CHUNK_BYTES + length)
        from overspill.store.reader import unpacked_chunk

        return unpacked_chunk(self._stored(frames[number - 1] if number else 0, frames[number]), length)

    def _stored(self, start: int, end: int) -> bytes:
        """Bytes as they were stored; what is not held is fetched, with what will be asked for next."""
        if start >= end:
            return b""
        if not (self._held_from <= start and end <= self._held_from + len(self._held)):
            self._hold(start, end)
        return self._held[start - self._held_from : end - self._held_from]

    def _hold(self, start: int, end: int) -> None:
        first = start // BLOCK
        most = min(self.record.stored, max(end, min(self._until, start + PART_BYTES)))
        blocks, at = [], first
        while at * BLOCK < most:
            # A request reads of one object: of a long content up to the end of a part.
            stop = -(-most // BLOCK)
            if self._in_parts:
                stop = min(stop, (at // BLOCKS_A_PART + 1) * BLOCKS_A_PART)
            blocks.append(self._fetched(at, stop))
            at = stop
        self._held, self._held_from = b"".join(blocks), first * BLOCK

    def _fetched(self, first: int, stop: int) -> bytes:
        """Blocks `first` up to `stop`, of one object."""
        step = BLOCK + self._seal.overhead
        artifact = self.artifact
        if self._in_parts:
            key = self.keys.part(artifact.id, artifact.sha256, first // BLOCKS_A_PART)
            start = (first % BLOCKS_A_PART) * step
        else:
            key, start = self.keys.artifact(artifact.id), self._start + first * step
        length = min(self.record.stored, stop * BLOCK) - first * BLOCK
        found = self._bucket.fetch(key, start, length + (stop - first) * self._seal.overhead)
        if found is None:
            if self._bucket.entry(self.keys.artifact(artifact.id)) is None:
                raise ArtifactNotFound(artifact.id)  # deleted in this moment
            raise self._damage_error("a part of it is gone")
        return self._opened(found.content, first)

    def _opened(self, content: bytes, first: int) -> bytes:
        if not self._seal.overhead:
            return content
        step = BLOCK + self._seal.overhead
        return b"".join(
            self._seal.open(content[at : at + step], f"{self.artifact.id} {first + at // step}")
            for at in range(0, len(content), step)
        )


def _damage_error(artifact_id: str, why: str) -> ArtifactDamaged:
    return ArtifactDamaged(f"artifact {artifact_id} in the bucket is not served: {why}")
