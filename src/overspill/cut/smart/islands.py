"""Parts of a text too large to be held, put together: both ends and what lies between them."""

from collections.abc import Iterable

from overspill._lite import NamedTuple
from overspill.core.partial_text import Held
from overspill.core.size import Size, count_bytes, count_lines
from overspill.core.spans import Cut, Hole, Span


class Island(NamedTuple):
    """A part of the middle, and how much of the text lies before it."""

    start: int
    lines: int
    bytes: int
    score: float
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def within(self, start: int, end: int) -> "Island":
        """What of it lies between two places."""
        before = max(0, start - self.start)
        cut = self.text[:before]
        text = self.text[before : max(before, end - self.start)]
        lines, count = self.lines + count_lines(cut), self.bytes + count_bytes(cut)
        return Island(self.start + before, lines, count, self.score, text)


def held_of(head: str, islands: Iterable[Island], tail: str, whole: Size) -> Held:
    """What is held of a text: its ends, and the islands between them."""
    parts, holes = [head], list[Hole]()
    at, chars = len(head), len(head)  # in what is held, and in the whole text
    lines, count = count_lines(head), count_bytes(head)
    tail_start = whole.chars - len(tail)
    last = Island(tail_start, whole.lines - count_lines(tail), whole.bytes - count_bytes(tail), 0, tail)
    for island in (*islands, last):
        part = island if island is last else island.within(chars, tail_start)
        if not part.text:
            continue
        if part.start > chars:
            holes.append(Hole(at, part.start - chars, part.lines - lines, part.bytes - count))
        parts.append(part.text)
        at, chars = at + len(part.text), part.end
        lines, count = part.lines + count_lines(part.text), part.bytes + count_bytes(part.text)
    return Held("".join(parts), tuple(holes))


def in_whole(cut: Cut, held: Held) -> Cut:
    """A cut of what is held, by its places in the whole text."""
    places = held.true(Span(gap.start, gap.end) for gap in cut.gaps)
    aboves = held.true(Span(max(0, gap.above), max(0, gap.above)) for gap in cut.gaps)
    gaps = tuple(
        gap._replace(start=start, end=end, above=gap.above if gap.above < 0 else above.start)
        for gap, (start, end), above in zip(cut.gaps, places, aboves, strict=True)
    )
    return cut._replace(kept=held.true(cut.kept), gaps=gaps, whys=held.reasons(cut.whys))
