"""The budgeted choice: the best units that fit, in the order of the text, with every mark paid for.

Greedy, by score: a unit is taken when its new characters and what it does to the marks around it still fit.
A gap that is no longer than its own mark is shown instead. What is left over lengthens both ends.

A `Selection` is what has been chosen so far: parts in order, what they and the marks between them cost, and the
room left.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.markers import MarkForms
from overspill.core.spans import Cut, Form, Gap, Hole, Options, Room, Span, Why, omitted_spans
from overspill.cut.ends import NOTE_WIDTH, whole_ends
from overspill.cut.smart.coverage import News, take_whole_kinds
from overspill.cut.smart.folds import Fold, folds_in
from overspill.cut.smart.overview import (
    LEAST_OVERVIEW,
    LinePool,
    edge_units,
    full_width,
    note_lines,
    overview_lines,
    overview_room,
    room_beside_hunk,
    untold_units,
    without_crowd,
)
from overspill.cut.smart.units import (
    DETAIL,
    ERROR,
    OF_EACH_FAILURE,
    Findings,
    Note,
    Unit,
    clamps_in,
    last_lines,
    leading_lines,
    unit_width_limit,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


ENDS = 2  # line ends around a mark
MOST_SAVED = 128  # by closing the gaps on both sides


class SelectionChange(NamedTuple):
    """Some of the parts, from `first` up to `after`, become one."""

    first: int
    after: int
    start: int
    end: int
    chars: int  # that are taken by it
    left: int  # what it adds to the room that is left


class Selection:
    """Parts are taken as long as they fit; touching ones become one, and gaps shorter than their marks are closed."""

    def __init__(
        self,
        text: str,
        room: int,
        holes: tuple[Hole, ...],
        folds: Iterable[Fold],
        marks: MarkForms = MarkForms(),  # noqa: B008  # a frozen value
        *,
        diff: bool = False,
    ) -> None:
        self.text = text
        self._marks, self._diff = marks, diff
        self.folds = {(fold.start, fold.end): fold for fold in folds}
        self._holes = [hole.at for hole in holes]
        self._missing = [0]  # characters in the holes before the first, the second, ...
        for hole in holes:
            self._missing.append(self._missing[-1] + hole.chars)
        self._starts: list[int] = []
        self._ends: list[int] = []
        self.chars = 0  # taken so far
        self._room = room
        self._widths: dict[int, int] = {}  # what a mark costs, by the digits of its number
        self.least_mark = marks.most(0) + ENDS  # one mark is paid already; it is at least this wide
        widest = self._mark(0, len(text))
        self._most_saved = MOST_SAVED if self.folds else min(MOST_SAVED, 2 * widest)
        self.widest_mark = MOST_SAVED if self.folds else widest
        self.left = room + self.least_mark - widest

    def spans(self) -> tuple[Span, ...]:
        """What was taken, in order."""
        return tuple(map(Span, self._starts, self._ends))

    def borders(self) -> tuple[list[int], list[int]]:
        """Where all that was taken begins and ends, now and later."""
        return self._starts, self._ends

    def gaps(self) -> Iterator[Span]:
        """What was not."""
        return omitted_spans(self.spans(), len(self.text))

    def shows(self, start: int, end: int) -> bool:
        """Whether all of a part was taken."""
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and self._ends[at] >= end

    def sides_shown(self, start: int, end: int) -> int:
        """On how many of its sides what stands next to a part was taken."""
        starts, ends = self._starts, self._ends
        before, behind = bisect_left(starts, start) - 1, bisect_right(starts, end) - 1
        return (before >= 0 and ends[before] >= start) + (behind >= 0 and ends[behind] > end)

    def plain(self, start: int, end: int) -> bool:
        """Whether no hole lies in a part."""
        return bisect_left(self._holes, start) == bisect_right(self._holes, end)

    def outer_gap(self, side: str) -> Span | None:
        """The gap next to the part at the start or at the end of the text."""
        gaps = list(self.gaps())
        if not gaps:
            return None
        return gaps[0] if side == "top" else gaps[-1]

    def may_take(self, parts: Sequence[Span]) -> bool:
        """Whether these parts may fit, at a glance."""
        if len(parts) == 1:
            start, end = parts[0]
            starts, at = self._starts, bisect_right(self._starts, start)
            if (not at or self._ends[at - 1] <= start) and (at == len(starts) or starts[at] >= end):
                return end - start <= self.left + self.widest_mark  # all that a part in a gap saves is its mark
        most = self.left + self._most_saved * len(parts)
        return sum(end - start - self._covered_chars(start, end) for start, end in parts) <= most

    def take(self, parts: Sequence[Span]) -> bool:
        """Take these parts if all of them fit, or none."""
        if not self.may_take(parts):
            return False
        if len(parts) == 1 and not self._holes and parts[0].chars > 0:  # as nearly all
            change = self._change(*parts[0])
            fits = self.left + change.left >= 0 and self.chars + change.chars <= self._room
            if fits:
                self._apply(change)
            return fits
        before = (self._starts.copy(), self._ends.copy(), self.left, self.chars)
        for part in parts:
            for start, end in self._between_holes(*part):
                self._apply(self._change(start, end))
        # Without any gap no mark is paid: the text alone has to fit.
        if self.left >= 0 and self.chars <= self._room:
            return True
        self._starts[:], self._ends[:], self.left, self.chars = before
        return False

    def widen(self, chars: int) -> None:
        """There is more room than there was."""
        self._room += chars
        self.left += chars

    def _covered_chars(self, start: int, end: int) -> int:
        """How much of a part was taken before."""
        covered = 0
        for number in range(bisect_right(self._ends, start), bisect_left(self._starts, end)):
            covered += min(end, self._ends[number]) - max(start, self._starts[number])
            covered += self._most_saved  # the gap behind it may be closed
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

    def _apply(self, change: SelectionChange) -> None:
        self._starts[change.first : change.after] = [change.start]
        self._ends[change.first : change.after] = [change.end]
        self.chars += change.chars
        self.left += change.left

    def _change(self, start: int, end: int) -> SelectionChange:
        """What it does to take a part."""
        starts, ends = self._starts, self._ends
        first, after = bisect_left(ends, start), bisect_right(starts, end)
        if first < after:
            start, end = min(start, starts[first]), max(end, ends[after - 1])
        # A gap that is no longer than its own mark is better shown.
        begin, stop = self._begin(first), self._stop(after)
        if begin < start and self._is_small(begin, start):
            first = max(0, first - 1)
            start, begin = starts[first] if begin else 0, self._begin(first)
        if end < stop and self._is_small(end, stop):
            end = ends[after] if after < len(starts) else stop
            after = min(after + 1, len(starts))
            stop = self._stop(after)
        cost = self._mark(begin, start) + end - start + self._mark(end, stop)
        chars = end - start - sum(ends[first:after]) + sum(starts[first:after])
        return SelectionChange(first, after, start, end, chars, self._local(first, after) - cost)

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
        return end - start <= self._mark(start, end) and self.plain(start, end)

    def _mark(self, start: int, end: int) -> int:
        """What the mark of a gap costs; nothing where there is no gap."""
        if start >= end:
            return 0
        chars = end - start + (self._hidden(start, end) if self._holes else 0)
        if self.folds and (fold := self.folds.get((start, end))) is not None:
            return len(self._marks.fold(fold.number, fold.noun, chars)) + ENDS
        digits = len(str(chars))
        width = self._widths.get(digits)
        if width is None:
            width = self._widths[digits] = self._marks.most(10**digits - 1, diff=self._diff) + ENDS
        return width

    def _hidden(self, start: int, end: int) -> int:
        """Characters of the holes in a gap."""
        return self._missing[bisect_right(self._holes, end)] - self._missing[bisect_left(self._holes, start)]


TERSE_SHARE = 0.45  # of the room, for the bare names of what is not shown;
TERSE_CHARS, TERSE_MOST = 1_200, 0.7  # so many characters also where they take more of it, but no more than this
FILLS = 8
LITTLE = 3  # times the room
ROUNDS = 3
MOST_MISSES = 300  # units in a row that did not fit: the room is as good as full
LEAST_ROOM = 24  # what is left then holds no line


def select_units(
    text: str,
    found: Findings,
    room: Room,
    options: Options,
    known: list[Fold] | None = None,
    pool: LinePool | None = None,
) -> Cut:
    """The best of what was found, within the room. `known` are the folds of the text, if somebody has them already.

    `pool` are lines that may be shown for what is new in them.
    """
    noisy, found = found.noisy, without_crowd(text, found, room)
    news = News(found, pool, noisy=noisy) if pool is not None else None
    overview = overview_lines(found, overview_room(found, room)) if news is None else news.begin(room)
    whole, room = room, room._replace(chars=room.chars - sum(len(line) + 1 for line in overview))
    notes = _reserved_widths(found, room.chars, room.gap)
    folds = known if known is not None else [] if found.exact else folds_in(text)
    diff = found.form is Form.DIFF
    selection = Selection(text, room.chars - sum(notes), room.holes, folds, room.marks, diff=diff)
    wide = unit_width_limit(text, room.chars, options)
    skips = sorted([*(Span(fold.start, fold.end) for fold in folds), *found.dull])
    edges = edge_units(text, room, found, whole.chars // 4)
    whys: list[Why] = []
    units = untold_units(text, found, folded=news is not None and not noisy)
    later = [unit for unit in units if not _comes_first(unit, noisy=noisy)] if news is not None else []
    left = in_turns([*(unit for unit in units if news is None or _comes_first(unit, noisy=noisy)), *edges])
    for _ in range(ROUNDS):
        left = _take_units(text, selection, left, None if found.exact else (skips, wide), whys)
        # What is shown need not be named: the notes became shorter, and there is room for more.
        needed = _needed_widths(found.notes, notes, selection)
        selection.widen(sum(notes) - sum(needed))
        unchanged, notes = needed == notes, needed
        if unchanged or not left:
            break
    if news is not None:
        whys += news.take(selection, [*later, *left], lambda span: shown_spans(text, span, skips, wide))
        overview = news.statements()
    passing = news.passing if news is not None else frozenset[str]()
    told = passing | news.told_kinds if news is not None else passing
    if pool is not None:
        whys += take_whole_kinds(selection, pool, lambda span: shown_spans(text, span, skips, wide), news, told)
    if found.exact and not selection.spans():
        whys += _take_piece(text, selection, found)
    # Most of what is not told can be shown.
    little = len(text) <= LITTLE * whole.chars and not (found.covered or (news is not None and news.tells_most()))
    fill = options.fill == "always" or (found.fill and not passing and (little or not found.digests))
    if not found.exact and (fill or not selection.spans()):
        fill_ends(text, selection, skips, wide, room.gap)
    if not selection.spans():
        return _both_ends(text, whole, options, found, selection)
    if overview and news is None:  # what no unit needs may say more of the whole
        spare = whole.chars - room.chars + max(0, selection.left)
        overview = overview_lines(found, spare, all_of_it=True) or (overview if found.exact else ())
    return cut_of_selection(text, selection, found, notes, tuple(whys))._replace(overview=overview)


STRICT_OF_FAILURES = ERROR + 5  # of a report of failed tests: their names, and how it ended
STRICT = DETAIL - 90  # what is worth less is taken by what is new in it


def _comes_first(unit: Unit, *, noisy: bool) -> bool:
    """Whether a unit matters whatever else is told; of failed tests each says what went wrong, and where."""
    told = unit.score >= STRICT_OF_FAILURES or (unit.why in OF_EACH_FAILURE and unit.group)
    return unit.score >= STRICT and (not noisy or bool(told))


def _both_ends(text: str, room: Room, options: Options, found: Findings, selection: Selection) -> Cut:
    """Where not even a piece of a unit fits: the notes, and of the text what fits beside them."""
    overview = overview_lines(found, max(LEAST_OVERVIEW, room.chars // 2))
    left = room.chars - sum(len(line) + 1 for line in overview)
    widths = _reserved_widths(found, left, room.gap)
    left -= sum(widths)
    if left < LEAST_ROOM:
        return whole_ends(text, room, options)
    cut = whole_ends(text, room._replace(chars=left, counted=left), options)
    notes = [
        line for note, width in zip(found.notes, widths, strict=True) for line in _lines_of_note(note, width, selection)
    ]
    return cut._replace(notes=(*cut.notes, *notes), overview=overview)


def _take_units(
    text: str, selection: Selection, units: list[Unit], shortened: tuple[list[Span], int] | None, whys: list[Why]
) -> list[Unit]:
    """Take the units that fit, one after the other; those that did not."""
    left: list[Unit] = []
    misses = 0
    for number, unit in enumerate(units):
        if selection.left < LEAST_ROOM or misses > MOST_MISSES:
            return left + units[number:]
        spans: tuple[Span, ...] = (Span(unit.start, unit.end), *unit.needs)
        if shortened is not None:
            spans = tuple(part for span in spans for part in shown_spans(text, span, *shortened))
        before = selection.chars
        if selection.take(spans):
            misses = 0
            if selection.chars > before:
                whys.append(Why(unit.start, unit.end, unit.why))
        else:
            misses += 1
            left.append(unit)
    return left


def in_turns(units: list[Unit]) -> list[Unit]:
    """The units, best first; at one level the first of every group comes before the second of any.

    >>> [unit.start for unit in in_turns([Unit(0, 1, 5, "", "a"), Unit(2, 3, 5, "", "a"), Unit(4, 5, 5, "", "b")])]
    [0, 4, 2]
    """
    turns: dict[tuple[float, str], int] = {}
    ranked: list[tuple[float, int, int, Unit]] = []
    for unit in sorted(units):
        turn = 0
        if unit.group:
            key = (unit.score, unit.group)
            turn = turns[key] = turns.get(key, -1) + 1
        ranked.append((-unit.score, turn, len(ranked), unit))
    return [unit for *_, unit in sorted(ranked)]


def _reserved_widths(found: Findings, room: int, mark: int) -> list[int]:
    """Characters set aside for each note, line end included: for terse names where others take too much."""
    widths, beside = list[int](), room_beside_hunk(found, room, mark)
    for note in found.notes:
        wanted, most = full_width(note), int(room * note.share)
        most = int(room * note.whole) if wanted <= int(room * note.whole) else most
        if note.terse and wanted > most:
            wanted = full_width(note._replace(names=note.terse))
            most = int(max(room * max(note.share, TERSE_SHARE), min(room * TERSE_MOST, TERSE_CHARS)))
        width = min(note.width + 1, wanted, min(most, beside) - sum(widths))
        widths.append(max(0, width))
    return widths


def _needed_widths(notes: tuple[Note, ...], widths: list[int], selection: Selection) -> list[int]:
    """What each note takes now. One of several lines may take what no unit needs: fewer names can break worse."""
    spare, needed = selection.left, list[int]()
    for note, width in zip(notes, widths, strict=True):
        most = width + max(0, spare) if note.width > NOTE_WIDTH else width
        needed.append(sum(len(line) + 1 for line in _lines_of_note(note, most, selection)))
        spare -= max(0, needed[-1] - width)
    return needed


def shown_spans(text: str, span: Span, skips: list[Span], wide: int) -> Sequence[Span]:
    """What is shown of a part: all of it but repeats, what is dull, and the middles of lines that are too wide."""
    start, end = span
    if start < end and end - start <= wide:
        at = bisect_left(skips, span)
        if (not at or skips[at - 1].end <= start) and (at == len(skips) or skips[at].start >= end):
            return (span,)  # as nearly all are
    return [*_spans_beside(text, span, skips, wide)]


def _spans_beside(text: str, span: Span, skips: list[Span], wide: int) -> Iterator[Span]:
    at = span.start
    for start, end in sorted([*_skips_inside(skips, span), *clamps_in(text, span, wide)]):
        if end <= at:
            continue
        if start > at:
            yield Span(at, start)
        at = min(end, span.end)
    if at < span.end:
        yield Span(at, span.end)


def _skips_inside(skips: list[Span], span: Span) -> Iterator[Span]:
    for skip in skips[max(0, bisect_left(skips, span) - 1) :]:
        if skip.start >= span.end:
            return
        if skip.end > span.start:
            yield skip


def fill_ends(text: str, selection: Selection, skips: list[Span], wide: int, mark: int) -> None:
    """Lengthen both ends by whole lines as far as the room goes, a little more at the end than at the start."""
    for _ in range(FILLS):
        before = selection.left
        for share, side in ((0.5, "bottom"), (1.0, "top")):
            outer = selection.outer_gap(side)
            gap = _past_skips(outer, skips, side)
            chars = int(selection.left * share) - (0 if gap == outer else mark)
            if gap is None or chars <= 0:
                continue
            part = last_lines(text, chars, gap) if side == "bottom" else leading_lines(text, chars, gap)
            if part.end > part.start:
                selection.take(shown_spans(text, part, skips, wide))
        if selection.left >= before:
            return


def _take_piece(text: str, selection: Selection, found: Findings) -> Iterator[Why]:
    """The beginning of the best unit, where none fits as a whole."""
    for unit in in_turns(found.units)[:1]:
        for needs in (unit.needs, ()):
            room = selection.left - sum(need.chars for need in needs)
            for less in range(0, room, selection.least_mark):
                part = leading_lines(text, room - less, Span(unit.start, unit.end))
                if part.chars and selection.take([*needs, part]):
                    yield Why(*part, unit.why)
                    return


def _past_skips(gap: Span | None, skips: list[Span], side: str) -> Span | None:
    """A gap without the repeats it begins or ends with."""
    for start, end in skips:
        if gap is not None and side == "top" and start <= gap.start < end:
            gap = Span(end, gap.end) if end < gap.end else None
    for start, end in reversed(skips):
        if gap is not None and side == "bottom" and start < gap.end <= end:
            gap = Span(gap.start, start) if gap.start < start else None
    return gap


def cut_of_selection(text: str, selection: Selection, found: Findings, widths: list[int], whys: tuple[Why, ...]) -> Cut:
    """What was chosen, how each gap is written, and the notes within these widths."""
    kept = selection.spans()
    gaps = tuple(
        gap for start, end in selection.gaps() if (gap := _special_gap(text, selection, found, start, end)) is not None
    )
    notes: list[str] = []
    for note, width in zip(found.notes, widths, strict=True):
        notes += _lines_of_note(note, width, selection)
    return Cut(kept, gaps, tuple(notes), whys=whys, verbatim=found.verbatim)


def _lines_of_note(note: Note, width: int, selection: Selection) -> tuple[str, ...]:
    """A note of what is not shown, in full where that fits, else in few words."""
    full, terse = (
        [name for name in names if name.start < 0 or not selection.shows(name.start, name.end)]
        for names in (note.names, note.terse)
    )
    said = note_lines(note, full, width)
    return note_lines(note, terse, width) if terse and said and said[-1].endswith(" more]") else said


def _special_gap(text: str, selection: Selection, found: Findings, start: int, end: int) -> Gap | None:
    """How a gap is written where that is not a plain marker line."""
    fold = selection.folds.get((start, end))
    if fold is not None:
        return Gap(start, end, Form.FOLD, fold.number, fold.noun)
    inside = start > 0 and end < len(text) and text[start - 1] not in "\r\n" and selection.plain(start, end)
    if inside and "\n" not in text[start:end] and "\r" not in text[start:end] and text[end] not in "\r\n":
        return Gap(start, end, Form.INLINE)
    if found.form is Form.LINE and start not in found.above:
        return None
    return Gap(start, end, found.form, above=found.above.get(start, -1))
