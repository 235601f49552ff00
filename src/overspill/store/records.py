r"""The small file beside a content: what it is, where it came from, and the hashes that prove it.

A record is JSON, so that people and other programs can read it. It carries its version and a check over
itself: a flipped letter in it is found as surely as one in the content.

`Checksums` are a hash a chunk, a root over them, and where the lines lie. A reader of a part checks the chunks it
touches and no others. The sparse line index holds, for each block, how many lines ended before it, so that line
9,000,000 is found without reading the first ones. Lines end as in `core`: LF, CRLF or CR.

>>> prints = Checksums()
>>> prints.feed(b"one\r"), prints.feed(b"\ntwo\r"), prints.feed(b"three")
(None, None, None)
>>> prints.size, prints.line_ends()
(14, [0])
>>> prints.root() == root_digest([chunk_digest(b"one\r\ntwo\rthree")])
True
"""

from __future__ import annotations

from sys import byteorder

from overspill._lite import Hash, NamedTuple, in_json, sha256
from overspill.core import Size
from overspill.core.report import Artifact
from overspill.errors import ArtifactDamaged, StoreError

VERSION = 1
MAX_RECORD_BYTES = 1 << 16
_CHECK = ',"check":"'
_CHECK_WIDTH = 32


class ArtifactRecord(NamedTuple):
    """An artifact, and how it lies on disk."""

    artifact: Artifact
    stored: int  # bytes of the content file
    index_hash: str = ""  # the hash of its index, if it is large enough to have one
    coding: str = ""  # "zstd" if the content file is compressed
    gone: float = 0.0  # when it was removed to make room
    why: str = ""

    @property
    def content_name(self) -> str:
        return self.artifact.id + (".zst" if self.coding else "")


def record_bytes(record: ArtifactRecord) -> bytes:
    """A record as it is written."""
    a = record.artifact
    fields: dict[str, object] = {
        "v": VERSION,
        "id": a.id,
        "chars": a.size.chars,
        "lines": a.size.lines,
        "bytes": a.size.bytes,
        "tokens": a.size.tokens,
        "tool": a.source_tool,
        "type": a.content_type,
        "source": a.source,
        "call": a.call_id,
        "created": a.created,
        "sha256": a.sha256,
        "stored": record.stored,
    }
    if record.index_hash:
        fields["index"] = record.index_hash
    if record.coding:
        fields["coding"] = record.coding
    if a.partial:
        fields["whole"] = a.whole and list(a.whole)
        fields["head"] = a.head_bytes
    if record.gone:
        fields |= {"gone": record.gone, "why": record.why}
    body = in_json(fields)[:-1]  # the check stands before the end
    return f'{body}{_CHECK}{_checksum(body)}"}}\n'.encode()


def parse_record(content: bytes, artifact_id: str) -> ArtifactRecord:
    """A record as it was written; `ArtifactDamaged` if it is not one of this artifact."""
    import json

    try:
        text = content.decode()
        body, _, check = text.rpartition(_CHECK)
        fields = json.loads(text)
        version = fields["v"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise _damaged_record(artifact_id) from None
    if version != VERSION:
        raise StoreError(f"artifact {artifact_id} was written by another version of overspill (format {version!r:.20})")
    if check != f'{_checksum(body)}"}}\n' or fields.get("id") != artifact_id:
        raise _damaged_record(artifact_id)
    try:
        return _record_from(fields)
    except (KeyError, TypeError, ValueError):
        raise _damaged_record(artifact_id) from None


def _record_from(fields: dict[str, object]) -> ArtifactRecord:
    whole = fields.get("whole")
    artifact = Artifact(
        _text_field(fields["id"]),
        Size(*(_number_field(fields[name]) for name in ("chars", "lines", "bytes", "tokens"))),
        _text_field(fields["tool"]),
        _text_field(fields["type"]),
        _text_field(fields["source"]),
        float(fields["created"]),  # type: ignore[arg-type]  # a wrong type is caught by the caller
        _text_field(fields["sha256"]),
        _text_field(fields["call"]),
        "head" in fields,
        Size(*map(_number_field, whole)) if isinstance(whole, list) else None,
        _number_field(fields.get("head", 0)),
    )
    return ArtifactRecord(
        artifact,
        _number_field(fields["stored"]),
        _text_field(fields.get("index", "")),
        _text_field(fields.get("coding", "")),
        float(fields.get("gone", 0.0)),  # type: ignore[arg-type]  # a wrong type is caught by the caller
        _text_field(fields.get("why", "")),
    )


def _text_field(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number_field(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise TypeError
    return value


def _checksum(body: str) -> str:
    return sha256(body.encode()).hexdigest()[:_CHECK_WIDTH]


def _damaged_record(artifact_id: str) -> ArtifactDamaged:
    return ArtifactDamaged(f"the record of artifact {artifact_id} is not what was stored; its content is not served")


CHUNK_BYTES = 1 << 20
BLOCK_BYTES = 1 << 18
DIGEST_BYTES = 32
LF, CR = b"\n\r"
COUNT_BYTES = 8


def chunk_digest(content: bytes | memoryview) -> bytes:
    """The hash of one chunk."""
    return sha256(content).digest()


def root_digest(digests: list[bytes]) -> str:
    """One hash for all chunks. A single chunk stands for itself, so `sha256sum` agrees on small files."""
    whole = digests[0] if len(digests) == 1 else sha256(b"".join(digests)).digest()
    return whole.hex()


def content_digest(content: bytes) -> str:
    """The root of a content that is in memory."""
    whole = memoryview(content)
    return root_digest(
        [chunk_digest(whole[at : at + CHUNK_BYTES]) for at in range(0, max(1, len(content)), CHUNK_BYTES)]
    )


class Checksums:
    """Takes a content piece by piece and hashes each byte once."""

    def __init__(self, *, lines: bool = True) -> None:
        self.size = 0
        self._digests: list[bytes] = []
        self._open: Hash | None = None
        self._lines = lines
        self._ends: list[int] = []  # line ends a block
        self._after_cr = False

    def feed(self, content: bytes) -> None:
        """Take the next bytes."""
        whole, at, length = memoryview(content), 0, len(content)
        if self._lines and length and self._after_cr and content[0] == LF:
            # The pair ends at its LF, which is counted below; the CR was counted as an end of its own.
            self._ends[(self.size - 1) // BLOCK_BYTES] -= 1
        while at < length:
            step = BLOCK_BYTES if self._lines else CHUNK_BYTES
            stop = min(length, at + step - self.size % step)
            if self._open is None:
                self._open = sha256(expected=length - at if not self.size else CHUNK_BYTES)
            self._open.update(whole[at:stop])
            if self._lines:
                self._count(content, at, stop)
            self.size += stop - at
            at = stop
            if self.size % CHUNK_BYTES == 0:
                self._digests.append(self._open.digest())
                self._open = None
        if length:
            self._after_cr = content[-1] == CR

    def _count(self, content: bytes, start: int, stop: int) -> None:
        if self.size % BLOCK_BYTES == 0:
            self._ends.append(0)
        ends = content.count(b"\n", start, stop)
        if content.find(b"\r", start, stop) >= 0:
            ends += content.count(b"\r", start, stop) - content.count(b"\r\n", start, stop)
            if content[stop - 1] == CR and stop < len(content) and content[stop] == LF:
                ends -= 1  # its LF opens the next block, and the pair ends there
        self._ends[-1] += ends

    def digests(self) -> list[bytes]:
        """The hash of every chunk; one even when there is nothing."""
        begun = self.size % CHUNK_BYTES or not self._digests
        return [*self._digests, (self._open or sha256()).digest()] if begun else self._digests

    def root(self) -> str:
        return root_digest(self.digests())

    def lines(self) -> int:
        """All line ends."""
        return sum(self._ends)

    def line_ends(self) -> list[int]:
        """For each block, the lines that ended before it."""
        before, total = [], 0
        for ends in self._ends:
            before.append(total)
            total += ends
        return before


class Index:
    """The chunk hashes, line counts and (for a compressed content) frame ends of one artifact."""

    def __init__(self, digests: bytes, lines: memoryview | None = None, frames: memoryview | None = None) -> None:
        self.digests = digests
        self.lines = lines
        self.frames = frames

    def digest(self, chunk: int) -> bytes:
        return self.digests[chunk * DIGEST_BYTES : chunk * DIGEST_BYTES + DIGEST_BYTES]


def pack_index(digests: list[bytes], line_ends: list[int], frames: list[int]) -> bytes:
    """An index as it is written: three columns of fixed width, so that nothing has to be parsed."""
    return b"".join([*digests, _pack_column(line_ends), _pack_column(frames)])


def unpack_index(content: bytes, size: int, *, framed: bool) -> Index | None:
    """An index as it was written, or None if it cannot be one of a content of `size` bytes."""
    chunks, blocks = -(-size // CHUNK_BYTES), -(-size // BLOCK_BYTES)
    hashes, lines = chunks * DIGEST_BYTES, blocks * COUNT_BYTES
    if len(content) != hashes + lines + (chunks * COUNT_BYTES if framed else 0):
        return None
    whole = memoryview(content)
    frames = _unpack_column(whole[hashes + lines :]) if framed else None
    return Index(content[:hashes], _unpack_column(whole[hashes : hashes + lines]), frames)


def _pack_column(numbers: list[int]) -> bytes:
    return b"".join(number.to_bytes(COUNT_BYTES, "little") for number in numbers)


def _unpack_column(column: memoryview) -> memoryview:
    if byteorder == "little":
        return column.cast("Q")
    from array import array  # a module more for every start, and few machines count from the other end

    numbers = array("Q", column.tobytes())
    numbers.byteswap()
    return memoryview(numbers)
