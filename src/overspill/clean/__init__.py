r"""Whatever a tool said, as clean text, and what was done to make it so.

>>> clean(b"caf\xc3\xa9\0", "plain")[0]
'café␀'

Two levels. `plain` repairs what no text can hold: NUL becomes U+2400, damaged UTF-8 and lone
surrogates become U+FFFD. `terminal` also gives what a terminal would show in the end, and makes
characters visible that hide or reorder text. Binary content becomes a description at both.
"""

from typing import Literal, NamedTuple

from overspill.clean.binary import SAMPLE, SMALL, described, is_binary, media_type
from overspill.clean.decode import Decoder, encoding_of, mended

Level = Literal["plain", "terminal"]

NUL_PICTURE = "\u2400"


class Cleaned(NamedTuple):
    """What was taken out or replaced, counted."""

    escapes: int = 0  # terminal sequences removed
    redraws: int = 0  # times something was written over or erased
    nul: int = 0  # NUL characters, now U+2400
    invalid: int = 0  # damaged sequences and lone surrogates, now U+FFFD
    hidden: int = 0  # characters that hide or reorder text, now spelled out
    bom: int = 0  # byte order marks dropped
    binary: str = ""  # the media type, when the content was not text

    @property
    def anything(self) -> bool:
        """Whether the text differs from what came in."""
        return self != _NOTHING


_NOTHING = Cleaned()


class Cleaner:
    r"""Cleans a stream of bytes or text. Where the chunks are cut makes no difference.

    >>> cleaner = Cleaner("plain")
    >>> cleaner.feed("one") + cleaner.feed("\0two") + cleaner.flush()
    'one␀two'
    >>> cleaner.counts.nul
    1

    Memory stays within the chunk and a fixed amount: the first bytes, which decide whether it is
    binary, the rows a cursor can still reach, and an unfinished sequence.
    """

    def __init__(self, level: Level) -> None:
        self._level = level
        self._start: bytes | None = b""  # held until there is enough of it to tell binary from text
        self._binary: _Binary | None = None
        self._decoder: Decoder | None = None
        self._counts = _NOTHING

    @property
    def counts(self) -> Cleaned:
        """What was done so far; final after `flush`."""
        return self._counts

    def feed(self, data: bytes | str) -> str:
        """What is certain by now, given one more chunk."""
        if isinstance(data, str):
            return self._opened(final=True) + self._written(data) if self._start else self._written(data)
        if self._start is not None:
            self._start += data
            return "" if len(self._start) < SAMPLE else self._opened()
        return self._decoded(data)

    def flush(self) -> str:
        """The rest. The stream is over."""
        if self._start:
            return self._opened(final=True)
        if self._binary is not None:
            return self._binary.described()
        return self._decoded(b"", final=True) if self._decoder else ""

    def _opened(self, *, final: bool = False) -> str:
        start, self._start = self._start or b"", None
        encoding = encoding_of(start)
        if not encoding.mark and is_binary(start[:SAMPLE]):
            self._binary = _Binary(start)
            self._counts = Cleaned(binary=self._binary.media_type)
            return self._binary.described() if final else ""
        self._decoder = Decoder(encoding.name)
        self._counts = Cleaned(bom=int(encoding.mark > 0))
        return self._decoded(start[encoding.mark :], final=final)

    def _decoded(self, data: bytes, *, final: bool = False) -> str:
        if self._binary is not None:
            self._binary.feed(data)
            return ""
        decoder = self._decoder or Decoder("utf-8")
        before = decoder.invalid
        text = decoder.feed(data, final=final)
        self._counts = self._counts._replace(invalid=self._counts.invalid + decoder.invalid - before)
        return self._written(text)

    def _written(self, text: str) -> str:
        text, invalid = mended(text)
        nul = text.count("\0")
        if nul:
            text = text.replace("\0", NUL_PICTURE)
        if nul or invalid:
            self._counts = self._counts._replace(nul=self._counts.nul + nul, invalid=self._counts.invalid + invalid)
        return text


class _Binary:
    """Binary content as it streams by: its size, its digest, and the start."""

    def __init__(self, start: bytes) -> None:
        import hashlib

        self.media_type = media_type(start) or "application/octet-stream"
        self._start = start[:SAMPLE]
        self._size = len(start)
        self._digest = hashlib.sha256(start)

    def feed(self, data: bytes) -> None:
        self._size += len(data)
        self._digest.update(data)

    def described(self) -> str:
        whole = self._size <= SMALL
        return described(self._start, size=self._size, digest=self._digest.hexdigest(), whole=whole)


def clean(data: bytes | str, level: Level) -> tuple[str, Cleaned]:
    """`data` as clean text, and what was done. Text that is clean already comes back as it is."""
    cleaner = Cleaner(level)
    text = cleaner.feed(data) + cleaner.flush()
    return text, cleaner.counts
