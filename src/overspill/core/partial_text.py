r"""A text as it is held: all of it, or parts of one that is too large, with holes between.

Positions are in what is held; what they are in the whole text is asked here.

>>> held = PartialText("a\nz\n", (Hole(at=2, chars=48, lines=24, bytes=48),))
>>> held.place(3), held.size(0, 4).chars
(Position(chars=51, lines=25, bytes=51), 52)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.markers import Part
from overspill.core.size import Size, count_bytes, count_lines, tokens_of
from overspill.core.spans import Hole, Span, Why

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Position(NamedTuple):
    """How much of the whole text lies before a position."""

    chars: int
    lines: int
    bytes: int


class PartialText(NamedTuple):
    """What is held of a text."""

    text: str
    holes: tuple[Hole, ...] = ()

    def place(self, at: int) -> Position:
        """Where a position in what is held lies in the whole text."""
        before = self.size(0, at)
        here = [hole for hole in self.holes if hole.at == at]
        return Position(
            before.chars + sum(hole.chars for hole in here),
            before.lines + sum(hole.lines for hole in here),
            before.bytes + sum(hole.bytes for hole in here),
        )

    def chars(self, start: int, end: int) -> int:
        """Characters of a part of the whole text, given by positions in what is held; quicker than all of its size."""
        first, after = (bisect_left(self.holes, place, key=_at) for place in (start, end)) if self.holes else (0, 0)
        return end - start + sum(hole.chars for hole in self.holes[first:after])

    def size(self, start: int, end: int) -> Size:
        """The size of a part of the whole text, given by positions in what is held."""
        text = self.text
        chars, lines, count, at = end - start, 0, count_bytes(text, start, end), start
        first, after = (bisect_left(self.holes, place, key=_at) for place in (start, end)) if self.holes else (0, 0)
        for hole in self.holes[first:after]:
            # Counted apart: a CR before the hole and a LF after it are not one line end.
            lines += count_lines(text, at, hole.at) + hole.lines
            chars, count, at = chars + hole.chars, count + hole.bytes, hole.at
        return Size(chars, lines + count_lines(text, at, end), count, tokens_of(chars))

    def original_spans(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Kept spans by their positions in the whole text."""
        if not self.holes:
            return tuple(spans)
        moved = self._moved()
        return tuple(Span(moved(start), moved(end)) for start, end in spans)

    def _moved(self) -> Callable[[int], int]:
        """Says where a position in what is held lies in the whole text, in characters."""
        places = [hole.at for hole in self.holes]
        missing = [0, *accumulate(hole.chars for hole in self.holes)]
        return lambda at: at + missing[bisect_right(places, at)]

    def reasons(self, whys: Iterable[Why]) -> tuple[Why, ...]:
        """Reasons by the positions of what they speak of in the whole text."""
        moved = self._moved()
        return tuple(Why(moved(start), moved(end), why) for start, end, why in whys)

    def kept_size(self, spans: Iterable[Span]) -> Size:
        """The size of the kept spans together."""
        sizes = [self.size(*span) for span in spans]
        chars = sum(size.chars for size in sizes)
        return Size(chars, sum(size.lines for size in sizes), sum(size.bytes for size in sizes), tokens_of(chars))

    def part_of(self, start: int, end: int) -> Part:
        r"""Where a gap is, so that it can be asked for: lines if it is whole lines, else bytes.

        >>> PartialText("a\nb\nc\n").part_of(2, 4), PartialText("aé\nb").part_of(2, 4)
        (Part(unit='lines', start=2, end=2, query=''), Part(unit='bytes', start=3, end=5, query=''))
        """
        text = self.text
        begins = start == 0 or text[start - 1] in "\r\n"
        closed = text[end - 1] in "\r\n"
        place, size = self.place(start), self.size(start, end)
        if begins and (closed or end == len(text)):
            return Part("lines", place.lines + 1, place.lines + size.lines + (0 if closed else 1))
        return Part("bytes", place.bytes, place.bytes + size.bytes)


def _at(hole: Hole) -> int:
    return hole.at
