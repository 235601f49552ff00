"""NDJSON by its records: the first and the last lines, each of them valid JSON, marks included."""

from __future__ import annotations

from collections import deque

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.core.markers import Part
from overspill.core.size import count_lines
from overspill.core.spans import Form, Gap, Options, Span
from overspill.documents.json_bounds import NEWLINE, Elements
from overspill.documents.json_cut import JsonSketch, NoRoom, bounds_of
from overspill.documents.json_pieces import MOST_LEVELS, Element, NotStrict, array_decoder, levels_exceed, value_decoder
from overspill.documents.marks import MarkedGap, json_string, mark, omitted_words
from overspill.documents.shrink import CutPlan, ShrinkLevel, ends_for, gentlest_plan
from overspill.documents.source import Source, stripped_span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.documents.json_records import RecordWatch

CHUNK = 1 << 18
LEAST_RECORDS = 2
NOUN = "records"
LINE_END = "\n"

_LINE_END = compile_pattern(rb"\n")


class NdjsonDocument:
    """A text of two or more lines that were each found to be a JSON object or array."""

    nameless = True

    def __init__(self, source: Source, options: Options, side: str, limit: int) -> None:
        self.source = source
        self._options = options
        self._smart = side == "smart"
        self._ends = ends_for(options, side)
        self._bounds = bounds_of(source, self._ends, options, side, limit)
        watch = self._bounds.new_watch(NEWLINE)
        self._records = record_elements(source.buffer, max(1, self._ends.first), max(1, self._ends.last), watch)

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

            drawing = OverviewSketch(self.source, self._bounds, self._options.head_ratio)
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
            line = count_lines(self.source.text(0, gap.start)) + (2 if gap.before else 1)
            return Part("lines", line, line + gap.number - 1)
        return Part("bytes", gap.start, gap.end)

    def _line_end(self) -> str:
        first = self._records.first[0].end
        return "\r\n" if bytes(self.source.buffer[first : first + 80]).lstrip(b" \t").startswith(b"\r\n") else "\n"


def record_elements(buffer: memoryview, first: int, last: int, watch: RecordWatch | None = None) -> Elements:
    """How many records there are, where the first and the last ones are, and the odd ones if they are looked for."""
    head: list[Element] = []
    tail: deque[Element] = deque(maxlen=last)
    number, at = 0, 0
    while at < len(buffer):
        end = _end_of_line(buffer, at + CHUNK)
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
        raise NotStrict
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


def _end_of_line(buffer: memoryview, near: int) -> int:
    """The end of the line that `near` lies in, its line end included."""
    found = _LINE_END.search(buffer, near)
    return len(buffer) if found is None else found.end()


def _line_elements(buffer: memoryview, start: int, end: int) -> Iterator[Element]:
    while start < end:
        stop = _end_of_line(buffer, start)
        yield _checked_record(buffer, Span(start, stop - (1 if buffer[stop - 1] == ord("\n") else 0)))
        start = stop


def _checked_record(buffer: memoryview, line: Span) -> Element:
    from msgspec import DecodeError

    content = buffer[line.start : line.end]
    try:
        value_decoder().decode(content)
    except DecodeError:
        raise NotStrict from None
    record = stripped_span(buffer, *line, b" \t\r")
    if buffer[record.start] not in b"[{" or levels_exceed(content, MOST_LEVELS):
        raise NotStrict
    return Element(*record, record.start)
