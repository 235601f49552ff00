"""A text as the bytes of its UTF-8, so that native parsers can look at it where it lies.

Cuts of documents are found in bytes and told in characters. In ASCII the two are the same; elsewhere
characters are counted only between the places that are asked for.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

PIECE = 1 << 18
WINDOW = 1 << 12


class Source(NamedTuple):
    """Bytes of UTF-8 that are `chars` characters long."""

    buffer: memoryview
    chars: int

    @property
    def ascii(self) -> bool:
        return self.chars == len(self.buffer)

    def text(self, start: int, end: int) -> str:
        """The characters that lie there."""
        return str(self.buffer[start:end], "utf-8")

    def width(self, start: int, end: int) -> int:
        """How many characters lie there.

        >>> Source(memoryview("aéz".encode()), 3).width(1, 4)
        2
        """
        if self.ascii:
            return end - start
        # A character is one byte that is no continuation byte, so pieces may end anywhere.
        pieces = (bytes(self.buffer[at : min(at + PIECE, end)]) for at in range(start, end, PIECE))
        return sum(len(piece) if piece.isascii() else _starts(piece) for piece in pieces)

    def characters(self, places: Sequence[int]) -> list[int]:
        """Places in bytes, in order, as places in characters.

        The widest stretch between two of them is not looked at, since the total is known.
        """
        if self.ascii:
            return list(places)
        stops = [0, *places, len(self.buffer)]
        widths = [stops[index + 1] - stops[index] for index in range(len(stops) - 1)]
        skipped = widths.index(max(widths))
        counted = [
            0 if index == skipped else self.width(stops[index], stops[index + 1]) for index in range(len(widths))
        ]
        counted[skipped] = self.chars - sum(counted)
        result, at = [], 0
        for width in counted[:-1]:
            at += width
            result.append(at)
        return result


def skip_forward(buffer: memoryview, start: int, end: int, unwanted: bytes) -> int:
    """The first place from `start` on where none of these bytes stands, however many they are."""
    while start < end and buffer[start] in unwanted:
        window = bytes(buffer[start : min(end, start + WINDOW)])
        start += len(window) - len(window.lstrip(unwanted))
    return start


def skip_back(buffer: memoryview, start: int, end: int, unwanted: bytes) -> int:
    """The last place up to `end` before which none of these bytes stands."""
    while start < end and buffer[end - 1] in unwanted:
        window = bytes(buffer[max(start, end - WINDOW) : end])
        end -= len(window) - len(window.rstrip(unwanted))
    return end


def stripped_span(buffer: memoryview, start: int, end: int, unwanted: bytes) -> Span:
    """A part of the buffer without these bytes at its ends.

    >>> stripped_span(memoryview(b"  , 1 , "), 0, 8, b" ,")
    Span(start=4, end=5)
    """
    start = skip_forward(buffer, start, end, unwanted)
    return Span(start, skip_back(buffer, start, end, unwanted))


def line_at(buffer: memoryview, at: int) -> int:
    r"""In which line a byte stands, counted from one.

    >>> line_at(memoryview(b"a\nb\n"), 2)
    2
    """
    return 1 + sum(bytes(buffer[start : min(start + PIECE, at)]).count(b"\n") for start in range(0, at, PIECE))


_CONTINUATION = bytes(range(0x80, 0xC0))


def _starts(piece: bytes) -> int:
    return len(piece.translate(None, _CONTINUATION))


def checked_source(buffer: memoryview) -> Source | None:
    """A source of bytes that nobody has looked at yet, or None when they are not UTF-8."""
    import codecs

    whole = buffer.obj
    if isinstance(whole, bytes) and len(whole) == len(buffer) and whole.isascii():
        return Source(buffer, len(buffer))
    decoder = codecs.getincrementaldecoder("utf-8")()
    chars, pending = 0, False
    try:
        for at in range(0, len(buffer), PIECE):
            piece = bytes(buffer[at : at + PIECE])
            if pending or not piece.isascii():
                chars += len(decoder.decode(piece))
                pending = bool(decoder.getstate()[0])
            else:
                chars += len(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    return Source(buffer, chars)
