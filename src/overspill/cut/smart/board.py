"""What has been chosen so far: parts in order, what they and the marks between them cost, and the room left."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from overspill.core.markers import fold_marker, marker
from overspill.core.spans import Hole, Span, between
from overspill.cut.smart.folds import Fold

ENDS = 2  # line ends around a mark
MOST_SAVED = 128  # by closing the gaps on both sides
LEAST_MARK = len(marker(0, 0)) + ENDS  # one mark is paid already; it is at least this wide


class Board:
    """Parts are taken as long as they fit; touching ones become one, and gaps shorter than their marks are closed."""

    def __init__(self, text: str, room: int, holes: tuple[Hole, ...], folds: Iterable[Fold], extra: int = 0) -> None:
        self.text = text
        self._extra = extra  # what a mark is longer than usual
        self.folds = {(fold.start, fold.end): fold for fold in folds}
        self._holes = [hole.at for hole in holes]
        self._missing = [0]  # characters in the holes before the first, the second, ...
        for hole in holes:
            self._missing.append(self._missing[-1] + hole.chars)
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._room = room
        self.left = room + LEAST_MARK - self._mark(0, len(text))

    @property
    def chars(self) -> int:
        """Characters taken so far."""
        return sum(self._ends) - sum(self._starts)

    def spans(self) -> tuple[Span, ...]:
        """What was taken, in order."""
        return tuple(map(Span, self._starts, self._ends))

    def gaps(self) -> Iterator[Span]:
        """What was not."""
        return between(self.spans(), len(self.text))

    def shows(self, start: int, end: int) -> bool:
        """Whether all of a part was taken."""
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and self._ends[at] >= end

    def plain(self, start: int, end: int) -> bool:
        """Whether no hole lies in a part."""
        return bisect_left(self._holes, start) == bisect_right(self._holes, end)

    def outer_gap(self, side: str) -> Span | None:
        """The gap next to the part at the start or at the end of the text."""
        gaps = list(self.gaps())
        if not gaps:
            return None
        return gaps[0] if side == "top" else gaps[-1]

    def take(self, parts: Sequence[Span]) -> bool:
        """Take these parts if all of them fit, or none."""
        if sum(end - start - self._covered(start, end) for start, end in parts) > self.left + MOST_SAVED * len(parts):
            return False
        before = (self._starts.copy(), self._ends.copy(), self.left)
        for part in parts:
            for start, end in self._between_holes(*part):
                self._add(start, end)
        # Without any gap no mark is paid: the text alone has to fit.
        if self.left >= 0 and self.chars <= self._room:
            return True
        self._starts, self._ends, self.left = before
        return False

    def widen(self, chars: int) -> None:
        """There is more room than there was."""
        self._room += chars
        self.left += chars

    def _covered(self, start: int, end: int) -> int:
        """How much of a part was taken before."""
        covered = 0
        for number in range(bisect_right(self._ends, start), bisect_left(self._starts, end)):
            covered += min(end, self._ends[number]) - max(start, self._starts[number])
            covered += MOST_SAVED  # the gap behind it may be closed
        return covered

    def _between_holes(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """A part without the lines that a hole cuts: what is next to one is never shown."""
        for hole in self._holes[bisect_left(self._holes, start) : bisect_right(self._holes, end)]:
            stop = max(self.text.rfind("\n", start, max(start, hole - 1)) + 1, start)
            if stop > start:
                yield start, stop
            start = min(self.text.find("\n", hole, end) + 1 or end, end)
        if start < end:
            yield start, end

    def _add(self, start: int, end: int) -> None:
        first, after = bisect_left(self._ends, start), bisect_right(self._starts, end)
        if first < after:
            start, end = min(start, self._starts[first]), max(end, self._ends[after - 1])
        low, high = max(0, first - 1), min(len(self._starts), after + 1)
        before = self._local(low, high)
        # A gap that is no longer than its own mark is better shown.
        begin, stop = self._begin(first), self._stop(after)
        if begin < start and self._is_small(begin, start):
            first = max(0, first - 1)
            start = self._starts[first] if begin else 0
        if end < stop and self._is_small(end, stop):
            end = self._ends[after] if after < len(self._starts) else stop
            after = min(after + 1, len(self._starts))
        self._starts[first:after] = [start]
        self._ends[first:after] = [end]
        self.left += before - self._local(low, high - (after - first) + 1)

    def _begin(self, number: int) -> int:
        return self._ends[number - 1] if number else 0

    def _stop(self, number: int) -> int:
        return self._starts[number] if number < len(self._starts) else len(self.text)

    def _local(self, first: int, after: int) -> int:
        """What the parts from `first` up to `after` cost, with the gaps around and between them."""
        cost = 0
        at = self._begin(first)
        for number in range(first, after):
            cost += self._mark(at, self._starts[number]) + self._ends[number] - self._starts[number]
            at = self._ends[number]
        return cost + self._mark(at, self._stop(after))

    def _is_small(self, start: int, end: int) -> bool:
        return self.plain(start, end) and end - start <= self._mark(start, end)

    def _mark(self, start: int, end: int) -> int:
        """What the mark of a gap costs; nothing where there is no gap."""
        if start >= end:
            return 0
        fold = self.folds.get((start, end))
        chars = end - start + self._hidden(start, end)
        if fold is not None:
            return len(fold_marker(fold.number, fold.noun, chars)) + ENDS
        digits = len(str(chars))
        return LEAST_MARK + self._extra + 2 * (digits - 1)

    def _hidden(self, start: int, end: int) -> int:
        """Characters of the holes in a gap."""
        if not self._holes:
            return 0
        return self._missing[bisect_right(self._holes, end)] - self._missing[bisect_left(self._holes, start)]
