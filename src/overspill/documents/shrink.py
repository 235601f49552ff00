"""How hard a document is shrunk: the gentlest way that fits.

The order is the specification's: long arrays, long strings, depth, then trailing keys. Each step is
first tried at its hardest; when that fits, it is made as gentle as the room allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from overspill.core.markers import Part
    from overspill.core.spans import Gap, Options
    from overspill.documents.marks import MarkedGap
    from overspill.documents.source import Source

DEEPEST = 40  # values below this are shown whole or not at all
LONGEST_NOUN = 40  # characters of what elements are called
WIDEST_GLUE = 40  # characters between two elements that are said between others
LONG_STRING, SHORT_STRING, SHORTEST_STRING = 200, 64, 24
LEAST_MEMBER = 5  # `"":1,`
WORTHWHILE = 64  # to look for a gentler way, more than this part of the room must be left
NEAR_ENOUGH = 32
# How wide strings and how many levels of an element that is not like the others may be, from the gentlest on. What
# is harder has to show many more of them.
WAYS = ((None, None), (LONG_STRING, None), (LONG_STRING, 2), (SHORT_STRING, None), (LONG_STRING, 1), (SHORT_STRING, 1),
        (SHORTEST_STRING, None))  # fmt: skip
MANY_MORE = 1.3
LEAST_ELEMENTS = 2
FEW_ODD = 3  # where more tell of failures, of the ends no more than one element each is shown beside them
FEW_ENDS = 1
MORE = 4  # times the elements at the ends, where there is room for them
MOST_ODD = 120  # elements between the ends of an array that are shown because they are not like the others


class NoRoom(Exception):
    """A sketch became longer than it may be."""


class ShrinkLevel(NamedTuple):
    """What may be shown of a document. `None` is no limit."""

    elements: int  # of an array
    width: int | None = None  # characters of a string
    depth: int | None = None  # levels, the root is the first
    keys: int | None = None  # of an object


class ArrayEnds(NamedTuple):
    """Of how many elements the ends of an array are shown, at the most, and how many of the odd ones between."""

    first: int
    last: int
    odd: int = 0

    @property
    def most(self) -> int:
        return self.first + self.last

    def shown_counts(self, elements: int, odd: int, *, failed: bool = False) -> tuple[int, int, int]:
        """How many of the first, the last and the `odd` elements are shown when `elements` may be shown in all.

        Beside many that tell of failures, others are of little use.

        >>> ends = ArrayEnds(5, 5, 90)
        >>> ends.shown_counts(10, 40), ends.shown_counts(10, 1), ends.shown_counts(10, 40, failed=True)
        ((2, 2, 6), (5, 4, 1), (1, 1, 8))
        """
        ends = (
            self
            if odd <= FEW_ODD or not failed
            else ArrayEnds(min(self.first, FEW_ENDS), min(self.last, FEW_ENDS), self.odd)
        )
        least = max(min(1, ends.most), 2 * elements // 5)
        odd = max(0, min(odd, ends.odd, elements - min(least, ends.most)))
        return *ends.split(min(elements - odd, ends.most)), odd

    def split(self, elements: int) -> tuple[int, int]:
        """How many of the first and the last to show when `elements` are allowed, in the same proportion.

        >>> ArrayEnds(5, 5).split(3), ArrayEnds(0, 10).split(3)
        ((2, 1), (0, 3))
        """
        if elements >= self.most:
            return self.first, self.last
        first = -(-elements * self.first // self.most)
        return first, elements - first


class CutPlan(NamedTuple):
    """Where gaps are to be, in bytes, and how many characters of the room are not used."""

    gaps: tuple[Gap, ...]
    left: int
    odd: int = 0  # elements that are shown because they are not like the others


class Document(Protocol):
    """A text that was parsed, and can be cut so that it still parses."""

    source: Source
    nameless: bool  # whether it may be shown, in a budget of 64 and more, without a name for what is left out

    def plan(self, room: int) -> CutPlan | None:
        """The gentlest cut that fits into so many characters, with its marks."""

    def least(self, note: str) -> Iterator[list[MarkedGap]]:
        """Ways to show nothing but how much there is, and the note, from the fullest to the leanest."""

    def part_of(self, gap: Gap) -> Part:
        """The part of the text to fetch for a gap."""


Sketch = Callable[[ShrinkLevel], CutPlan | None]


def ends_for(options: Options, side: str) -> ArrayEnds:
    """Which end of an array is shown: both, or the one a strategy of that name asks for.

    >>> from overspill.core.spans import Options
    >>> ends_for(Options(), "tail")
    ArrayEnds(first=0, last=10, odd=0)
    """
    first, last = max(0, options.first_elements), max(0, options.last_elements)
    match side:
        case "head":
            return ArrayEnds(first + last, 0)
        case "tail":
            return ArrayEnds(0, first + last)
        case "smart":
            return ArrayEnds(MORE * first, MORE * last, MOST_ODD)
        case _:
            return ArrayEnds(first, last)


def gentlest_plan(sketch: Sketch, ends: ArrayEnds, max_depth: int, room: int) -> CutPlan | None:
    """The plan of the first step that fits, made as gentle as it can be."""
    if ends.odd:
        plan = broadest_plan(sketch, ends, room)
        if plan is not None:
            return plan
    elements = ends.most // MORE if ends.odd else ends.most
    for hardest, loosened in shrink_steps(elements, max_depth, room, deep=bool(ends.odd)):
        plan = sketch(hardest)
        if plan is None:
            continue
        level = hardest
        for name, most in loosened:
            level, plan = _loosened_plan(sketch, level, plan, name, most, room // WORTHWHILE)
        if elements < ends.most and level.elements == elements and level.keys is None:
            plan = _loosened_plan(sketch, level, plan, "elements", ends.most, room // WORTHWHILE)[1]
        return plan
    return None


def broadest_plan(sketch: Sketch, ends: ArrayEnds, room: int) -> CutPlan | None:
    """A plan that shows elements which are not like the others: many of them in few words before few at length.

    None where there are none, or no room for any.
    """
    every = ends.most + ends.odd
    spare = room // WORTHWHILE
    best: tuple[ShrinkLevel, CutPlan] | None = None
    # With some more than the least: the first of the odd ones may be the first of all, and shown as such.
    hardest = sketch(ShrinkLevel(4 * LEAST_ELEMENTS, SHORTEST_STRING, 1))
    if hardest is not None and not hardest.odd:
        return None
    for width, depth in WAYS:
        level = ShrinkLevel(every if depth is None and width is None else LEAST_ELEMENTS, width, depth)
        plan = sketch(level)
        if plan is None:
            continue
        if level.elements == every:
            return plan if plan.odd else None
        level, plan = _loosened_plan(sketch, level, plan, "elements", every, spare)
        if plan.odd and (best is None or plan.odd > best[1].odd * MANY_MORE):
            best = level, plan
    if best is None:
        return None
    return _loosened_plan(sketch, *best, "width", room, spare)[1]


def shrink_steps(
    elements: int, max_depth: int, room: int, *, deep: bool = False
) -> Iterator[tuple[ShrinkLevel, tuple[tuple[str, int], ...]]]:
    """Each step at its hardest, and what may then be loosened, up to which value.

    Nothing below `max_depth` is shown, unless `deep` lets it be shown where there is room.
    """
    few = min(1, elements)
    long = max(SHORTEST_STRING, min(LONG_STRING, room // 4))
    short = max(SHORTEST_STRING, min(SHORT_STRING, room // 8))
    depth = max(1, max_depth)
    fewer, wider, more = ("elements", elements), ("width", room), ("keys", room // LEAST_MEMBER)
    first = None if deep else depth
    yield ShrinkLevel(elements, None, first), ()
    yield ShrinkLevel(elements, long, first), (wider,)
    yield ShrinkLevel(few, long, first), (fewer, wider)
    yield ShrinkLevel(elements, short, depth), (wider,)
    yield ShrinkLevel(few, short, depth), (fewer, wider)
    yield ShrinkLevel(elements, short, depth, 1), (more, wider)
    for shallower in range(depth, 0, -1) if depth <= 3 else (depth, 3, 2, 1):  # noqa: PLR2004  # the default
        yield ShrinkLevel(few, SHORTEST_STRING, shallower, 1), (more, fewer, wider)


def _loosened_plan(
    sketch: Sketch, level: ShrinkLevel, plan: CutPlan, name: str, most: int, spare: int
) -> tuple[ShrinkLevel, CutPlan]:
    """The largest value that still fits, or nearly: found by doubling and halving, while more than `spare` is left."""
    low, high = getattr(level, name), most
    doubling = True
    while plan.left > spare and high - low > low // NEAR_ENOUGH:
        middle = min(2 * low, high) if doubling else (low + high + 1) // 2
        wider = level._replace(**{name: middle})
        found = sketch(wider)
        if found is None:
            high, doubling = middle - 1, False
        else:
            low, level, plan = middle, wider, found
    return level, plan
