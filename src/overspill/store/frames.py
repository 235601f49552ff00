"""Compressed contents: one zstd frame a chunk, so that a part can be read without the rest.

The frames stand one after the other, as `zstdcat` reads them. Hashes are of the plain chunks: what is
served is checked, whatever the compressor did.
"""

from types import ModuleType

from overspill.errors import ArtifactDamaged, MissingExtra
from overspill.store.records import CHUNK_BYTES
from overspill.store.spool import Spool


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
