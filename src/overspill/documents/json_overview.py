"""JSON by what it says: each part gets its share of the room, and what is left out is added up where it was.

A value that fits its share is shown whole. Of an object every member gets a share, small ones what they need and large
ones what is left. Of many rows, which are the elements of an array or the like members of an object, it is told what
they add up to; then the first, the last and the odd ones follow.
"""

from __future__ import annotations

from itertools import pairwise
from math import log2

from overspill._lite import TYPE_CHECKING
from overspill.core.spans import Form, Gap, Span
from overspill.cut.digest.statements import table_statements
from overspill.cut.digest.values import listed_values
from overspill.documents.json_pieces import OPEN_ARRAY, OPEN_OBJECT, QUOTE, Element
from overspill.documents.json_records import (
    MENTIONED,
    Place,
    key_names_words,
    leave_untold,
    name_troubles,
    row_statements,
    tells_of_failure,
    written_width,
)
from overspill.documents.json_strings import are_texts, holds_packed, is_packed, is_text
from overspill.documents.shrink import (
    DEEPEST,
    LONGEST_NOUN,
    WIDEST_GLUE,
    CutPlan,
    NoRoom,
    json_string,
    mark,
    string_gap,
)
from overspill.documents.wrapped import TextInString

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.cut.digest.columns import Table
    from overspill.documents.json_bounds import Bounds, Elements
    from overspill.documents.json_pieces import Source
    from overspill.documents.wrapped import InnerParser

LEAST = 28  # characters in which something can be said of a value
LEAST_WITH_KEYS = 60  # and in which its keys can be named
LEAST_STRING, LEAST_TEXT = 60, 240  # of its ends, and of what a text adds up to
LEAST_ENDS = 8  # of what is shown of a string: less says nothing
WHOLE = 44  # bytes of a value that is shown whole, or named with others: half a date or a version says nothing
LEAST_TABLE = 240
FEWEST_ROWS = 5  # fewer are shown by themselves
FEWEST_MEMBERS, ALIKE = 8, 0.8  # of an object whose members are rows; of them are objects
FEW_COLUMNS = 8  # rows for each column, where they share few
OF_A_KIND = 4  # rows in the same trouble that are shown, where it is told what they say
TOLD_SHARE = 0.55  # of the room of many rows is for what they add up to
MANY_ROWS, MANY_ROOM, MANY_SHARE = 60, 1_500, 0.75  # where rows are so many, few of them say little of the others
KEYS_SHARE = 0.5  # of that of an object that is too wide, for its keys
FAILING_SHARE = 0.6  # of the room of several values, for the one that tells of a failure
LEAST_ROW, ROW, MOST_WANTED = 110, 600, 16
MOST_SHOWN = 60  # rows
LARGEST_ROW = 1 << 16  # bytes
SHORT = 400  # characters of a value that takes what it needs
SMALL = 60  # bytes of a value that is shown whole beside the names of all
DEEP_SHARE = 0.25  # of the room, for the names of keys at any depth
LARGEST_READ = 1 << 21  # bytes of a text in which all of them are looked for
LARGEST_TEXT = 1 << 24  # bytes of a string that is looked at as a text
SHARES = (1.0, 0.93, 0.85, 0.7, 0.5, 0.3)  # of the room to be tried: what marks take is not known before


class OverviewSketch:
    """Draws values, each in its room."""

    def __init__(self, source: Source, bounds: Bounds, head_ratio: float, parse: InnerParser) -> None:
        self.source = source
        self._parse = parse  # a document that is a string of this one
        self.buffer = source.buffer
        self.bounds = bounds
        self.head_ratio = head_ratio
        self.gaps: list[Gap] = []
        self.odd = 0
        self._known_keys = set[tuple[str, ...]]()  # that were told of an object

    def plan(self, root: Span, room: int) -> CutPlan | None:
        """Where the gaps are, or None when there is no room for any of it."""
        around = self.source.width(0, root.start) + self.source.width(root.end, len(self.buffer))
        words = self._deep_keys(root, int(room * DEEP_SHARE))
        for said in [words, ""] if words else [""]:
            left = room - (len(json_string(said)) + WIDEST_GLUE if said else 0)
            plan = self._tried(left, lambda share: around + self.value(root, share - around, 1, "items"))
            if plan is None or not said:
                return plan
            at = next((at for at, gap in enumerate(plan.gaps) if gap.form in (Form.ITEM, Form.KEY)), None)
            if at is not None:
                gap = plan.gaps[at]._replace(said=(*plan.gaps[at].said, said))
                return plan._replace(gaps=(*plan.gaps[:at], gap, *plan.gaps[at + 1 :]))
        return None

    def _deep_keys(self, root: Span, room: int) -> str:
        """The names of all keys, of whatever object, where these are too varied to be told by their columns."""
        if room < LEAST_TABLE or len(self.buffer) > LARGEST_READ or self.buffer[root.start] not in b"[{":
            return ""
        elements = self.bounds.elements(root)
        if elements.table is None or elements.table.whole or elements.number >= MANY_ROWS:
            return ""
        return key_names_words(bytes(self.buffer), room)

    def plan_of_lines(self, records: Elements, room: int, noun: str, line_end: str) -> CutPlan | None:
        """The plan of lines that are records."""
        whole = Span(0, len(self.buffer))
        place = Place(noun, line_end, Form.ITEM)
        return self._tried(room, lambda share: self.rows(whole, records, share, 0, place))

    def _tried(self, room: int, draw: Callable[[int], int]) -> CutPlan | None:
        for share in SHARES:
            self.gaps, self.odd, self._known_keys = [], 0, set()
            try:
                used = draw(int(room * share))
            except NoRoom:
                continue
            if used <= room:
                return CutPlan(tuple(sorted(self.gaps)), room - used, self.odd)
        return None

    def value(self, value: Span, room: int, depth: int, noun: str, *, named: bool = False) -> int:
        """Show a value in a room; what that takes. The keys of a row are `named` where it is told of all rows."""
        if value.end - value.start <= 4 * room:  # no character is longer than four bytes
            width = self.source.width(*value)
            if width <= room and not holds_packed(self.buffer, value):
                return width
        opening = self.buffer[value.start]
        if opening not in (OPEN_ARRAY, OPEN_OBJECT):
            return self._scalar(value, room)
        elements = self.bounds.elements(value)
        if depth >= DEEPEST or room < LEAST_WITH_KEYS:
            return self._replaced(value, elements, room, noun)
        before, known = len(self.gaps), self.odd
        try:
            if opening == OPEN_ARRAY or are_rows(elements):
                form = Form.ITEM if opening == OPEN_ARRAY else Form.KEY
                return self.rows(value, elements, room, depth, Place(noun, self._glue(elements), form))
            return self._object(value, elements, room, depth, named=named)
        except NoRoom:
            del self.gaps[before:]
            self.odd = known
            return self._replaced(value, elements, room, noun)

    def rows(self, container: Span, elements: Elements, room: int, depth: int, place: Place) -> int:
        """Show what rows add up to, and some of them."""
        said: list[str] = []
        told = (
            elements.table is not None
            and are_told(elements)
            and not is_text(self.buffer, elements.known, elements.number)
        )
        if elements.table is not None and told and room >= LEAST_TABLE:
            many = elements.number >= MANY_ROWS and room >= MANY_ROOM
            share = MANY_SHARE if many and not tell_of_trouble(elements) else TOLD_SHARE
            said = row_statements(elements.table, int(room * share), place)
        shown = self._chosen(container, elements, room - written_width(said, place), said, place)
        if said and not shown and elements.table is not None:  # not one has room: all of it is for what they add up to
            said = row_statements(elements.table, room - len(place.noun) - LEAST_STRING, place)
        return self._drawn(container, elements, shown, room, tuple(said), depth, place)

    def _chosen(
        self, container: Span, elements: Elements, room: int, said: list[str], place: Place
    ) -> list[tuple[int, Element]]:
        """The rows that are shown: the oddest, the ends, other odd ones, and more while they say something new."""
        number = elements.number
        mark_width = len(place.glue) + len(place.noun) + 28
        typical = (container.end - container.start) // max(1, number) + 1
        troubles = tell_of_trouble(elements)
        wanted = min(troubles + 2, MOST_WANTED)
        # Of rows that tell of trouble each says something else: many in short say more than few at length.
        row = max(LEAST_ROW, room // wanted - mark_width) if troubles and not name_troubles(said) else ROW
        row = min(typical, max(row, self._least_row(elements)))
        most = room // (row + (mark_width if row < typical or elements.odd else 4))
        known = by_number(elements)
        order = [*(one.number for one in elements.odd[:1]), 0, number - 1]  # which shows what rows are like, too
        order += untold_odd(elements, said)
        few = number >= MANY_ROWS or not (leave_untold(said) or are_texts(self.buffer, elements.known, number))
        if said and few:  # of many rows, which say little of the others
            most = min(most, len({*order, 1}))
        order += known
        chosen = [*dict.fromkeys(at for at in order if at in known)][: min(most, MOST_SHOWN)]
        return sorted((at, known[at]) for at in chosen)

    def _least_row(self, elements: Elements) -> int:
        """In how many characters all keys of a row can be shown, and a little of its values."""
        first = elements.known[0]
        if self.buffer[first.value] not in (OPEN_ARRAY, OPEN_OBJECT) or first.end - first.value > LARGEST_ROW:
            return 0
        members = self.bounds.elements(Span(first.value, first.end)).known
        return sum(one.value - one.start + _least_width(one) for one in members)

    def _drawn(
        self,
        container: Span,
        elements: Elements,
        shown: list[tuple[int, Element]],
        room: int,
        said: tuple[str, ...],
        depth: int,
        place: Place,
    ) -> int:
        """Show these rows, and marks between them."""
        numbers = {one.number for one in elements.odd}
        self.odd += sum(at in numbers for at, _ in shown)
        gaps = [*self._gaps_between(elements, shown, said, place)]
        marks = sum(len(mark(gap)) for gap in gaps)
        used = marks + self._edges(container, shown, gaps)
        widths = [(self._width(Span(one.value, one.end), room), one) for _, one in shown]
        left = room - used
        if left < 0:
            raise NoRoom
        widths.sort()
        failing = self._failing(widths, left)
        if failing is not None:
            widths = [*(one for one in widths if one is not failing), failing]
        kept = min(failing[0], int(left * FAILING_SHARE)) if failing is not None else 0
        for at, (width, element) in enumerate(widths):
            share = _share_of_next([one for one, _ in widths[at:]], left)
            if kept and at < len(widths) - 1:
                share = min(share, max(LEAST, (left - kept) // (len(widths) - 1 - at)))
            if width > share < LEAST:
                raise NoRoom
            noun = self._noun(element)
            left -= self.value(Span(element.value, element.end), share, depth + 1, noun, named=bool(said))
        self.gaps += gaps
        return room - left

    def _failing(self, widths: list[tuple[int, Element]], room: int) -> tuple[int, Element] | None:
        """The one that tells of a failure, where not all of several have room: much of it is kept for that."""
        if len(widths) == 1 or sum(width for width, _ in widths) <= room:
            return None
        wide = [one for one in widths if one[0] * len(widths) > room and one[1].end - one[1].value <= LARGEST_ROW]
        failing = [one for one in wide if tells_of_failure(self.buffer, one[1])]
        return failing[0] if len(failing) == 1 else None

    def _gaps_between(
        self, elements: Elements, shown: list[tuple[int, Element]], said: tuple[str, ...], place: Place
    ) -> Iterator[Gap]:
        """What is left out between the rows that are shown; the first gap carries what all of them add up to."""
        start = min(one.start for one in elements.known)
        following, nth = 0, 0
        for at, element in [*shown, (elements.number, Element(elements.end, elements.end, 0))]:
            if at > following:
                last = at == elements.number
                gap = Gap(start, element.start, place.form, at - following, place.noun)
                gap = gap._replace(before=place.glue if following else "", after="" if last else place.glue)
                gap = gap._replace(between=place.glue)
                if place.form is Form.KEY:
                    nth += 1
                    gap = gap._replace(noun="keys", key="..." if nth == 1 else f"... {nth}")
                yield gap._replace(said=said)
                said = ()
            start, following = element.end, at + 1

    def _edges(self, container: Span, shown: list[tuple[int, Element]], gaps: list[Gap]) -> int:
        """What stands around the values that are shown and is no gap: brackets, keys, commas."""
        used, at = 0, container.start
        stops = sorted([*((gap.start, gap.end) for gap in gaps), *((one.value, one.end) for _, one in shown)])
        for start, end in stops:
            used += self.source.width(at, start)
            at = end
        return used + self.source.width(at, container.end)

    def _object(self, container: Span, members: Elements, room: int, depth: int, *, named: bool) -> int:
        """Show an object: of every member something, or the names of all and some members."""
        if len(members.known) == members.number:
            shown = [*enumerate(members.known)]
            least = self._edges(container, shown, [])
            least += sum(map(_least_width, members.known))
            if least <= room:
                return self._drawn(container, members, shown, room, (), depth, _PLAIN)
        if room < LEAST_TABLE and not named:
            raise NoRoom
        small = [(at, one) for at, one in enumerate(members.first) if named or one.end - one.value <= SMALL]
        share = KEYS_SHARE if small else 1.0
        said = () if named else self._key_statement(members, int((room - 2 * LEAST) * share))
        left = room - sum(map(len, said)) - 2 * LEAST
        shown = []
        following = 0
        for at, member in small:
            left -= member.value - member.start + _least_width(member) + WIDEST_GLUE // 8
            left -= 2 * LEAST if at > following else 0
            if left < 0:
                break
            shown.append((at, member))
            following = at + 1
        place = Place("keys", self._glue(members), Form.KEY)
        return self._drawn(container, members, shown, room, said, depth, place)

    def _key_statement(self, members: Elements, room: int) -> tuple[str, ...]:
        names = self._names(members)
        if not names:
            return ()
        begin = f"[{members.number} keys: "
        return (f"{begin}{listed_values(names, room - len(begin) - 1)}]",)

    def _names(self, members: Elements) -> dict[str, int]:
        """The names of all members, if all of them are known."""
        if members.table is not None and members.table.keys is not None:
            return members.table.keys.counts() or {}
        if len(members.known) < members.number:
            return {}
        from msgspec.json import decode

        return {decode(self.buffer[one.start : one.key]): 1 for one in members.known}

    def _replaced(self, container: Span, elements: Elements, room: int, noun: str) -> int:
        """A mark in the place of a container, which names its keys, or what its rows add up to, if there is room."""
        if not elements.number:
            return self.source.width(*container)
        is_object = self.buffer[container.start] == OPEN_OBJECT
        gap = Gap(*container, Form.VALUE, elements.number, "keys" if is_object else noun)
        if gap.chars <= len(mark(gap)):
            return self.source.width(*container)
        if room >= LEAST_WITH_KEYS and is_object:
            names = tuple(self._names(elements))
            if names in self._known_keys:
                brief = self._in_brief(container, elements, room)
                return self._leave_out(gap) if brief is None else brief
            self._known_keys.add(names)
            gap = gap._replace(said=self._key_statement(elements, room - 2))
        elif room >= LEAST_WITH_KEYS and elements.table is not None:
            told = table_statements(elements.table, room - 4, noun)
            gap = gap._replace(said=tuple(told) if len(told) > 1 or ";" in told[0] else ())
        return self._leave_out(gap)

    def _in_brief(self, container: Span, members: Elements, room: int) -> int | None:
        """The first members of an object that has the keys of another; None where there is no room for one."""
        before, known = len(self.gaps), self.odd
        first = members.first[0]
        glue = len(self._glue(members))
        if room < first.value - first.start + _least_width(first) + 2 * glue + LEAST:
            return None
        try:
            return self._object(container, members, room, DEEPEST, named=True)
        except NoRoom:
            del self.gaps[before:]
            self.odd = known
            return None

    def _scalar(self, string: Span, room: int) -> int:
        """The ends of a string; of a number nothing, since half a number would be another one."""
        if self.buffer[string.start] != QUOTE:
            return self._leave_out(Gap(*string, Form.VALUE, string.end - string.start, "chars"))
        brief = self._is_said_in_short(string)
        told = self._text_in(string, room) if room >= LEAST_TEXT and not brief else None
        if told is not None:
            return told
        keep = LEAST_ENDS if brief else room - LEAST_STRING // 2
        gap = string_gap(self.source, string, keep if keep >= LEAST_ENDS else 0, self.head_ratio)
        if gap is None:
            return self.source.width(*string)
        used = self.source.width(string.start, gap.start) + self.source.width(gap.end, string.end)
        return used + self._leave_out(gap)

    def _text_in(self, string: Span, room: int) -> int | None:
        """Show of a string that is a text what matters in it; what that takes, or None where it is no text."""
        known = self.bounds.texts
        if string.start not in known:
            small = string.end - string.start <= LARGEST_TEXT
            inner = TextInString(self.source, string, self._parse) if small else None
            known[string.start] = inner if inner is not None and inner.is_text else None
        text = known[string.start]
        gaps = text.gaps(room) if text is not None else None
        if text is None or gaps is None:
            return None
        self.gaps += gaps
        return text.width(gaps)

    def _leave_out(self, gap: Gap) -> int:
        self.gaps.append(gap)
        return len(mark(gap))

    def _width(self, value: Span, most: int) -> int:
        """How wide a value is, or as it is shown where it is packed; more than `most` where it is much wider."""
        if self._is_said_in_short(value):
            return LEAST_STRING
        size = value.end - value.start - sum(self._echo_inside(value))
        return size if size < value.end - value.start or size > 4 * most else self.source.width(*value)

    def _is_said_in_short(self, value: Span) -> bool:
        """Whether a value is packed, or says what another does: more of it says no more."""
        return is_packed(self.buffer, value) or value in self.bounds.echoes

    def _echo_inside(self, value: Span) -> Iterator[int]:
        """How much is not shown of what is said elsewhere, too."""
        for one in self.bounds.echoes:
            if value.start <= one.start and one.end <= value.end:
                yield max(0, one.end - one.start - LEAST_STRING)

    def _noun(self, element: Element) -> str:
        """What the elements of an array are called when it is the value of this one: by its key, if it has one."""
        if not 0 < element.key - element.start <= 4 * LONGEST_NOUN:
            return "items"
        noun = self.source.text(element.start + 1, element.key - 1)
        return (
            noun if noun.strip() and len(noun) <= LONGEST_NOUN and noun.isprintable() and "\\" not in noun else "items"
        )

    def _glue(self, elements: Elements) -> str:
        """What stands between two elements here, with its spaces and line ends."""
        for one, two in pairwise(elements.neighbours):
            if two.start - one.end <= WIDEST_GLUE:
                return self.source.text(one.end, two.start)
        return ", "


_PLAIN = Place("keys", ", ", Form.KEY)


def _least_width(element: Element) -> int:
    """In how many characters something can be said of the value of an element."""
    width = element.end - element.value
    return width if width <= WHOLE else LEAST


def _share_of_next(widths: list[int], left: int) -> int:
    """What the first of several values, the narrowest, may take of the room: an equal part if it is short.

    Of a long one beside one that is far longer it is less: a list of five must not leave a list of a thousand no room.

    >>> _share_of_next([3_000, 3_100], 4_000), _share_of_next([3_000, 5_000_000], 4_000)
    (1991, 848)
    """
    equal = left // len(widths)
    if widths[0] <= SHORT:
        return equal
    weights = [log2(width) ** 2 for width in widths]
    return min(equal, max(LEAST, int(left * weights[0] / sum(weights))))


def are_told(elements: Elements) -> bool:
    """Whether there is something to tell of them: they are several, or hold many of their like."""
    nested = elements.table.nested if elements.table is not None else None
    return elements.number >= FEWEST_ROWS or (nested is not None and nested.are_told)


def are_rows(members: Elements) -> bool:
    """Whether the members of an object are alike, so that they are rows of a table."""
    table = members.table
    if table is None or members.number < FEWEST_MEMBERS:
        return False
    return table.objects >= ALIKE * table.rows and share_names(table)


def share_names(table: Table) -> bool:
    """Whether half of the columns, or three of them, are in half of the rows; or whether columns are few for them."""
    common = sum(2 * column.present >= table.rows for column in table.columns.values())
    columns = len(table.columns) + len(table.names or ())
    return common >= min(3, (columns + 1) // 2) or (columns * FEW_COLUMNS <= table.rows and not table.wide)


def tell_of_trouble(elements: Elements) -> int:
    """How many rows are known that tell of a failure, or of what is looked for."""
    return sum(one.rank < MENTIONED for one in elements.odd)


def untold_odd(elements: Elements, said: list[str]) -> list[int]:
    """The odd rows; of those in one kind of trouble a few, where it is told what messages are like."""
    if not any(" alike: " in words for words in said):
        return [one.number for one in elements.odd]
    seen: dict[str, int] = {}
    for one in elements.odd:
        seen[one.reason] = seen.get(one.reason, 0) + (one.rank < MENTIONED)
    left = dict.fromkeys(seen, OF_A_KIND)
    found: list[int] = []
    for one in elements.odd:
        left[one.reason] -= seen[one.reason] > 2 * OF_A_KIND
        if left[one.reason] >= 0:
            found.append(one.number)
    return found


def by_number(elements: Elements) -> dict[int, Element]:
    """Every element whose place is known, the ends in turns first."""
    firsts = [*enumerate(elements.first)]
    lasts = [*enumerate(elements.last, elements.number - len(elements.last))][::-1]
    result: dict[int, Element] = {}
    for at in range(max(len(firsts), len(lasts))):
        for side in (firsts, lasts):
            if at < len(side):
                result[side[at][0]] = side[at][1]
    return result | {one.number: one.element for one in elements.odd}
