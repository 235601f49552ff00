"""JSON by its elements: what is left out is named where it was, and the rest stays as it was written.

NDJSON by its records: the first and the last lines, each of them valid JSON, marks included.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise

from overspill._lite import TYPE_CHECKING
from overspill.core import count_lines
from overspill.core.markers import Part
from overspill.core.spans import Form, Gap, Options, Span
from overspill.documents.json_bounds import WHITESPACE, Bounds, Elements, sequence_elements
from overspill.documents.json_pieces import (
    MOST_LEVELS,
    NEWLINE,
    OPEN_ARRAY,
    OPEN_OBJECT,
    QUOTE,
    SEQUENCE,
    Element,
    NotStrict,
    Source,
    array_decoder,
    end_of_line,
    levels_exceed,
    line_at,
    only_short_arrays,
    stripped_span,
    value_decoder,
)
from overspill.documents.shrink import (
    DEEPEST,
    LEAST_MEMBER,
    LONGEST_NOUN,
    WIDEST_GLUE,
    ArrayEnds,
    CutPlan,
    MarkedGap,
    NoRoom,
    ShrinkLevel,
    ends_for,
    gentlest_plan,
    json_string,
    mark,
    omitted_words,
    string_gap,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.documents.json_records import RecordWatch

MOST_SHOWN = 100_000  # characters: of wider objects no more members are shown

SEPARATED = {Form.ITEM, Form.KEY}  # gaps that hold the commas around what is left out


class JsonSketch:
    """Draws values at one level of shrinking, as long as there is room."""

    def __init__(
        self, source: Source, bounds: Bounds, level: ShrinkLevel, ends: ArrayEnds, room: int, head_ratio: float
    ) -> None:
        self.source = source
        self.buffer = source.buffer
        self.bounds = bounds
        self.level = level
        self.most = ends.most
        self.ends_of = ends
        self.few = min(level.elements, ends.most)
        self.from_end = not ends.first and bool(ends.last)
        self.left = self.room = room
        self.head_ratio = 0.0 if self.from_end else head_ratio if ends.last else 1.0
        self.gaps: list[Gap] = []

    def plan(self, root: Span) -> CutPlan | None:
        """Where the gaps are, or None when the document does not fit at this level."""
        try:
            self.keep(0, root.start)
            self.value(root, 1, "items")
            self.keep(root.end, len(self.buffer))
        except NoRoom:
            return None
        return CutPlan(tuple(self.gaps), self.left)

    def keep(self, start: int, end: int) -> None:
        """Show what lies there."""
        if end - start > 4 * self.left:  # no character is longer than four bytes
            raise NoRoom
        self._spend(self.source.width(start, end))

    def leave_out(self, gap: Gap) -> None:
        """Show a mark in its place."""
        self._spend(len(mark(gap)))
        self.gaps.append(gap)

    def value(self, value: Span, depth: int, noun: str) -> None:
        """Show a value, and of what is long in it only the ends."""
        opening = self.buffer[value.start]
        if self._may_stay(value, depth):
            self.keep(*value)
        elif opening == QUOTE:
            self._string(value)
        elif opening == OPEN_ARRAY:
            self._array(value, depth, noun)
        elif opening == OPEN_OBJECT:
            self._object(value, depth)
        else:
            self._number(value)

    def _may_stay(self, value: Span, depth: int) -> bool:
        """Whether nothing inside needs to be shortened, as far as a glance can tell."""
        width, most_depth, most_keys = self.level.width, self.level.depth, self.level.keys
        size = value.end - value.start
        if size > 4 * self.left:
            return False
        opening = self.buffer[value.start]
        if opening not in (OPEN_ARRAY, OPEN_OBJECT):
            return width is None or size <= width + 2
        if width is not None and size > width:
            return False
        content = bytes(self.buffer[value.start : value.end])
        if not only_short_arrays(content, self.few):
            return False
        if most_keys is not None and content.count(b":") > most_keys:
            return False
        return most_depth is None or depth + content.count(b"[") + content.count(b"{") - 1 <= most_depth

    def _array(self, array: Span, depth: int, noun: str) -> None:
        elements = self.bounds.elements(array)
        if self._too_deep(depth):
            self._replace(array, elements.number, noun)
        else:
            self.ends(array, elements, depth, noun, self._glue(elements))

    def ends(self, array: Span, elements: Elements, depth: int, noun: str, glue: str, *, between: str = ", ") -> None:
        """Show the first and the last elements."""
        first, last = self.ends_of.split(self.level.elements)
        first = min(first, elements.number)
        last = min(last, elements.number - first)
        shown = [*enumerate(elements.known[:first])]
        after = elements.number - last
        shown += enumerate(elements.known[len(elements.known) - last :] if last else (), after)
        # More than the most that may be shown is left out even where its marker is the longer of the two.
        thrifty = elements.number <= self.most
        at, next_index = array.start, 0
        start = elements.known[0].start if elements.known else array.start
        for index, element in shown:
            if index > next_index:
                gap = Gap(start, element.start, Form.ITEM, index - next_index, noun, glue if next_index else "", glue)
                gap = gap._replace(between=between)
                at = self._gap(at, gap, thrifty=thrifty)
            at = self._elements(at, (element,), depth)
            start, next_index = at, index + 1
        if elements.number > next_index:
            number = elements.number - next_index
            gap = Gap(start, elements.end, Form.ITEM, number, noun, glue if next_index else "", "", between)
            at = self._gap(at, gap, thrifty=thrifty)
        self.keep(at, array.end)

    def _object(self, container: Span, depth: int) -> None:
        members = self.bounds.elements(container)
        if self._too_deep(depth):
            self._replace(container, members.number, "keys")
            return
        keys = members.number if self.level.keys is None else min(self.level.keys, members.number)
        everything = len(members.known) == members.number
        pool = members.known if everything else members.last if self.from_end else members.first
        if keys > len(pool):
            raise NoRoom  # more members than the room has characters for
        number = members.number - keys
        shown: tuple[Element, ...] = pool[len(pool) - keys :] if self.from_end else pool[:keys]
        gap = None
        if number:
            glue = self._glue(members)
            start, end = members.first[0].start, members.end
            if self.from_end and shown:
                gap = Gap(start, shown[0].start, Form.KEY, number, "keys", after=glue)
            else:
                gap = Gap(shown[-1].end if shown else start, end, Form.KEY, number, "keys", glue if shown else "")
        self.container(container, ((), shown) if self.from_end else (shown, ()), gap, depth, thrifty=True)

    def container(
        self,
        container: Span,
        shown: tuple[tuple[Element, ...], tuple[Element, ...]],
        gap: Gap | None,
        depth: int,
        *,
        thrifty: bool,
    ) -> None:
        """Show the elements before and after a gap, with all that stands between them."""
        at = self._elements(container.start, shown[0], depth)
        if gap is not None:
            at = self._gap(at, gap, thrifty=thrifty)
        at = self._elements(at, shown[1], depth)
        self.keep(at, container.end)

    def _gap(self, at: int, gap: Gap, *, thrifty: bool) -> int:
        """Leave something out, unless it is shorter than its mark and may be shown; where it ends."""
        self.keep(at, gap.start)
        if thrifty and self._shorter(gap):
            self.keep(gap.start, gap.end)
        else:
            self.leave_out(gap)
        return gap.end

    def _elements(self, at: int, elements: tuple[Element, ...], depth: int) -> int:
        for element in elements:
            self.keep(at, element.value)
            noun = self._noun(element) if self.buffer[element.value] == OPEN_ARRAY else "items"
            self.value(Span(element.value, element.end), depth + 1, noun)
            at = element.end
        return at

    def _string(self, string: Span) -> None:
        if self.level.width is None:
            raise NoRoom
        gap = string_gap(self.source, string, self.level.width, self.head_ratio)
        if gap is None:
            self.keep(*string)
            return
        self.keep(string.start, gap.start)
        self.leave_out(gap)
        self.keep(gap.end, string.end)

    def _number(self, number: Span) -> None:
        """A number too long to be shown; half a number would be another one."""
        if self.level.width is None:
            raise NoRoom
        self.leave_out(Gap(*number, Form.VALUE, number.end - number.start, "chars"))

    def _replace(self, container: Span, number: int, noun: str) -> None:
        """Show how much lies too deep; also where that is longer, unless the depth is `smart`'s own choice."""
        gap = Gap(*container, Form.VALUE, number, noun)
        if number == 0 or (self.ends_of.odd and self._shorter(gap)):
            self.keep(*container)
        else:
            self.leave_out(gap)

    def _shorter(self, gap: Gap) -> bool:
        """Whether what a mark would stand for is shorter than the mark, and may be shown."""
        if gap.chars > len(mark(gap)):
            return False
        return only_short_arrays(bytes(self.buffer[gap.start : gap.end]), self.most)

    def _too_deep(self, depth: int) -> bool:
        most = DEEPEST if self.level.depth is None else min(DEEPEST, self.level.depth)
        return depth > most

    def _noun(self, element: Element) -> str:
        """What the elements of an array are called when it is the value of this one: by its key, if it has one."""
        if not 0 < element.key - element.start <= 4 * LONGEST_NOUN:
            return "items"
        noun = self.source.text(element.start + 1, element.key - 1)
        return noun if noun.strip() and len(noun) <= LONGEST_NOUN and noun.isprintable() else "items"

    def _glue(self, elements: Elements) -> str:
        """What stands between two elements here, with its spaces and line ends."""
        for one, two in pairwise(elements.neighbours):
            if two.start - one.end <= WIDEST_GLUE:
                return self.source.text(one.end, two.start)
        return ", "

    def _spend(self, chars: int) -> None:
        self.left -= chars
        if self.left < 0:
            raise NoRoom


def bounds_of(source: Source, ends: ArrayEnds, options: Options, side: str, limit: int) -> Bounds:
    """The bounds of a document, as far as a view of `limit` characters may ask for them."""
    members = min(limit, MOST_SHOWN) // LEAST_MEMBER + 1
    focus = focus_words(options.focus) if side == "smart" else None
    return Bounds(source.buffer, first=ends.first, last=ends.last, members=members, tail=side == "tail", focus=focus)


def focus_words(focus: str) -> tuple[str, ...]:
    """What is looked for, as it may stand in JSON."""
    return tuple({focus, json_string(focus)[1:-1]}) if focus.strip() else ()


class BoundedDocument:
    """A document whose elements are looked up by their bounds."""

    nameless = True

    def __init__(self, source: Source, options: Options, side: str, limit: int) -> None:
        self.source = source
        self._options = options
        self._smart = side == "smart"
        self._ends = ends_for(options, side)
        self._bounds = bounds_of(source, self._ends, options, side, limit)


class JsonDocument(BoundedDocument):
    """A JSON text that was found valid."""

    def __init__(self, source: Source, options: Options, side: str, limit: int) -> None:
        super().__init__(source, options, side, limit)
        self._root = self._bounds.root()

    def plan(self, room: int) -> CutPlan | None:
        def sketch(level: ShrinkLevel) -> CutPlan | None:
            ratio = self._options.head_ratio
            return JsonSketch(self.source, self._bounds, level, self._ends, room, ratio).plan(self._root)

        if room <= 0:
            return None
        if self._smart:
            from overspill.documents.json_overview import OverviewSketch

            drawing = OverviewSketch(self.source, self._bounds, self._options.head_ratio, JsonDocument)
            if (plan := drawing.plan(self._root, room)) is not None:
                return plan
        return gentlest_plan(sketch, self._ends, self._options.max_depth, room)

    def least(self, note: str) -> Iterator[list[MarkedGap]]:
        """The root with nothing inside but a marker and the note; then the note alone."""
        root, data = self._root, json_string(note)
        if self.source.buffer[root.start] in b"[{":
            yield from self._least_container(note)
        elif self.source.buffer[root.start] == QUOTE:
            gap = Gap(root.start + 1, root.end - 1, Form.STRING, noun="chars")
            yield [MarkedGap(gap, f"... {data[1:-1]}".rstrip())]
        everything = Gap(0, len(self.source.buffer), Form.VALUE, noun="chars")
        yield [MarkedGap(everything, data if note else '"..."')]

    def _least_container(self, note: str) -> Iterator[list[MarkedGap]]:
        root, data = self._root, json_string(note)[1:-1]
        if self.source.buffer[root.start] == OPEN_ARRAY:
            gap = Gap(*self._inside(), Form.ITEM, self._bounds.elements(root).number)
            forms = [mark(gap, note)]
            forms += [f'"... {omitted_words(gap.number, gap.noun)}; {data}"', f'"...", "{data}"'] if note else ['"..."']
        else:
            gap = Gap(*self._inside(), Form.KEY, self._bounds.elements(root).number, "keys")
            forms = [mark(gap, note), f'"...":"{data or "..."}"']
        if gap.number:
            yield from ([MarkedGap(gap, form)] for form in forms)

    def part_of(self, gap: Gap) -> Part:
        """The bytes of what is left out, without the commas around them."""
        span = Span(gap.start, gap.end)
        return Part(
            "bytes", *(stripped_span(self.source.buffer, *span, b", \t\n\r") if gap.form in SEPARATED else span)
        )

    def _inside(self) -> Span:
        """What lies between the brackets of the root, without the space next to them."""
        return stripped_span(self.source.buffer, self._root.start + 1, self._root.end - 1, WHITESPACE)


CHUNK = 1 << 18
LEAST_RECORDS = 2
NOUN = "records"
LINE_END = "\n"


class NdjsonDocument(BoundedDocument):
    """A text of two or more lines that were each found to be a JSON object or array."""

    def __init__(self, source: Source, options: Options, side: str, limit: int) -> None:
        super().__init__(source, options, side, limit)
        self._records = self._found_records(max(1, self._ends.first), max(1, self._ends.last))

    def plan(self, room: int) -> CutPlan | None:
        def sketch(level: ShrinkLevel) -> CutPlan | None:
            drawing = JsonSketch(self.source, self._bounds, level, self._ends, room, self._options.head_ratio)
            try:
                drawing.ends(
                    Span(0, len(self.source.buffer)), self._records, 0, NOUN, self._line_end(), between=LINE_END
                )
            except NoRoom:
                return None
            return CutPlan(tuple(drawing.gaps), drawing.left)

        if room <= 0:
            return None
        if self._smart:
            from overspill.documents.json_overview import OverviewSketch

            drawing = OverviewSketch(self.source, self._bounds, self._options.head_ratio, JsonDocument)
            plan = drawing.plan_of_lines(self._records, room, NOUN, self._line_end())
            if plan is not None:
                return plan
        return gentlest_plan(sketch, self._ends, self._options.max_depth, room)

    def least(self, note: str) -> Iterator[list[MarkedGap]]:
        """Nothing but how many records there are, and the note."""
        gap = Gap(0, len(self.source.buffer), Form.ITEM, self._records.number, NOUN, between=LINE_END)
        data = json_string(note)
        yield [MarkedGap(gap, mark(gap, note))]
        if note:
            yield [MarkedGap(gap, f'"... {omitted_words(gap.number, NOUN)}; {data[1:-1]}"')]
        yield [MarkedGap(gap, data if note else '"..."')]

    def part_of(self, gap: Gap) -> Part:
        """The lines of records that are left out, or the bytes inside one."""
        if gap.form is Form.ITEM and gap.between == LINE_END:
            start, end = stripped_span(self.source.buffer, gap.start, gap.end, WHITESPACE)
            line = count_lines(self.source.text(0, start)) + 1
            return Part("lines", line, line + count_lines(self.source.text(start, end)))
        return Part("bytes", gap.start, gap.end)

    def _found_records(self, first: int, last: int) -> Elements:
        return record_elements(self.source.buffer, first, last, self._bounds.new_watch(NEWLINE))

    def _line_end(self) -> str:
        first = self._records.first[0].end
        return "\r\n" if bytes(self.source.buffer[first : first + 80]).lstrip(b" \t").startswith(b"\r\n") else "\n"


class JsonSequence(NdjsonDocument):
    """A text of two or more objects or arrays below each other, as `jq` writes them."""

    def _found_records(self, first: int, last: int) -> Elements:
        return sequence_elements(self.source.buffer, first, last, self._bounds.new_watch(SEQUENCE))


def record_elements(buffer: memoryview, first: int, last: int, watch: RecordWatch | None = None) -> Elements:
    """How many records there are, where the first and the last ones are, and the odd ones if they are looked for."""
    head: list[Element] = []
    tail: deque[Element] = deque(maxlen=last)
    number, at = 0, 0
    while at < len(buffer):
        end = end_of_line(buffer, at + CHUNK)
        lengths = _plain_lines(buffer, at, end, number, watch) if len(head) == first else None
        if lengths is None:
            for record in _line_elements(buffer, at, end):
                if watch is not None:
                    watch.one(record, number)
                number += 1
                (head if len(head) < first else tail).append(record)
        else:
            number += len(lengths)
            tail.extend(_last_lines(buffer, end, lengths[-last:]))
        at = end
    if number < LEAST_RECORDS:
        raise NotStrict("it is one record, or none")
    found = Elements(number, (tail or head)[-1].end, tuple(head), tuple(tail))
    return found if watch is None else found._replace(odd=watch.pick(), table=watch.table)


def _plain_lines(buffer: memoryview, start: int, end: int, number: int, watch: RecordWatch | None) -> list[int] | None:
    """The lengths of lines, if each is a record with no space around it: many at once.

    Records with commas for line ends are one array. If its elements are exactly as long as the lines, they are
    the lines.
    """
    from msgspec import DecodeError

    text = bytes(buffer[start:end]).removesuffix(b"\n")
    found = [*map(len, text.split(b"\n"))]
    try:
        array = b"[%b]" % text.replace(b"\n", b",")
        if found != [*map(len, array_decoder().decode(array))]:
            return None
    except DecodeError:
        return None
    containers = text.count(b"\n{") + text.count(b"\n[") + (text[0] in b"[{")
    too_deep = max(found) > MOST_LEVELS and levels_exceed(memoryview(array), MOST_LEVELS + 1)
    if containers != len(found) or too_deep:
        return None
    if watch is not None:
        watch.stretch(start, start + len(text), number)
    return found


def _last_lines(buffer: memoryview, end: int, lengths: list[int]) -> list[Element]:
    at = end - (1 if buffer[end - 1] == ord("\n") else 0)
    result = []
    for length in reversed(lengths):
        result.append(Element(at - length, at, at - length))
        at -= length + 1
    return result[::-1]


def _line_elements(buffer: memoryview, start: int, end: int) -> Iterator[Element]:
    while start < end:
        stop = end_of_line(buffer, start)
        yield _checked_record(buffer, Span(start, stop - (1 if buffer[stop - 1] == ord("\n") else 0)))
        start = stop


def _checked_record(buffer: memoryview, line: Span) -> Element:
    from msgspec import DecodeError

    content = buffer[line.start : line.end]
    try:
        value_decoder().decode(content)
    except DecodeError:
        raise NotStrict(f"line {line_at(buffer, line.start)} is no JSON") from None
    record = stripped_span(buffer, *line, b" \t\r")
    if buffer[record.start] not in b"[{" or levels_exceed(content, MOST_LEVELS):
        raise NotStrict(f"line {line_at(buffer, line.start)} is no object or array, or nested too deeply")
    return Element(*record, record.start)
