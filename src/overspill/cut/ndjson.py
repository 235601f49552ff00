"""NDJSON by its records: the first and the last lines, each of them valid JSON, marks included."""

from collections import deque
from collections.abc import Iterator

from overspill.cut.document_marks import Marked, mark, omitted, quoted
from overspill.cut.json_bounds import Bounds, Element, Elements
from overspill.cut.json_depth import MOST_LEVELS, levels_exceed
from overspill.cut.json_pieces import NotStrict, value_decoder
from overspill.cut.jsons import MOST_SHOWN, JsonSketch, NoRoom, trimmed
from overspill.cut.shrink import LEAST_MEMBER, Level, Plan, ends_for, gentlest
from overspill.cut.source import Source
from overspill.marks import Part
from overspill.measure import count_lines
from overspill.spans import Form, Gap, Options, Span

CHUNK = 1 << 18
LEAST_RECORDS = 2
NOUN = "records"
LINE_END = "\n"


class NdjsonDocument:
    """A text of two or more lines that were each found to be a JSON object or array."""

    nameless = True

    def __init__(self, source: Source, options: Options, side: str, limit: int) -> None:
        self.source = source
        self._options = options
        self._ends = ends_for(options, side)
        first, last = self._ends
        members = min(limit, MOST_SHOWN) // LEAST_MEMBER + 1
        self._bounds = Bounds(source.buffer, first=first, last=last, members=members, tail=side == "tail")
        self._records = records(source.buffer, max(1, first), max(1, last))

    def plan(self, room: int) -> Plan | None:
        def sketch(level: Level) -> Plan | None:
            drawing = JsonSketch(self.source, self._bounds, level, self._ends, room, self._options.head_ratio)
            try:
                drawing.ends(
                    Span(0, len(self.source.buffer)), self._records, 0, NOUN, self._line_end(), between=LINE_END
                )
            except NoRoom:
                return None
            return Plan(tuple(drawing.gaps), drawing.left)

        return gentlest(sketch, self._ends, self._options.max_depth, room) if room > 0 else None

    def least(self, note: str) -> Iterator[list[Marked]]:
        """Nothing but how many records there are, and the note."""
        gap = Gap(0, len(self.source.buffer), Form.ITEM, self._records.number, NOUN, between=LINE_END)
        data = quoted(note)
        yield [Marked(gap, mark(gap, note))]
        if note:
            yield [Marked(gap, f'"... {omitted(gap.number, NOUN)}; {data[1:-1]}"')]
        yield [Marked(gap, data if note else '"..."')]

    def whereabouts(self, gap: Gap) -> Part:
        """The lines of records that are left out, or the bytes inside one."""
        if gap.form is Form.ITEM and gap.between == LINE_END:
            line = count_lines(self.source.text(0, gap.start)) + (2 if gap.before else 1)
            return Part("lines", line, line + gap.number - 1)
        return Part("bytes", gap.start, gap.end)

    def _line_end(self) -> str:
        first = self._records.first[0].end
        return "\r\n" if bytes(self.source.buffer[first : first + 80]).lstrip(b" \t").startswith(b"\r\n") else "\n"


def records(buffer: memoryview, first: int, last: int) -> Elements:
    """How many records there are, and where the first and the last ones are."""
    head: list[Element] = []
    tail: deque[Element] = deque(maxlen=last)
    number = 0
    for line in _lines(buffer):
        number += 1
        record = _checked(buffer, line)
        (head if len(head) < first else tail).append(record)
    if number < LEAST_RECORDS:
        raise NotStrict
    return Elements(number, (tail or head)[-1].end, tuple(head), tuple(tail))


def _lines(buffer: memoryview) -> Iterator[Span]:
    """The lines without their ends. They are looked up by the chunk, so that a mapped file needs no copy."""
    start, at = 0, 0
    while at < len(buffer):
        chunk = bytes(buffer[at : at + CHUNK])
        found = chunk.find(b"\n")
        while found >= 0:
            yield Span(start, at + found)
            start = at + found + 1
            found = chunk.find(b"\n", found + 1)
        at += len(chunk)
    if start < len(buffer):
        yield Span(start, len(buffer))


def _checked(buffer: memoryview, line: Span) -> Element:
    from msgspec import DecodeError

    content = buffer[line.start : line.end]
    try:
        value_decoder().decode(content)
    except DecodeError:
        raise NotStrict from None
    record = trimmed(buffer, line, b" \t\r")
    if buffer[record.start] not in b"[{" or levels_exceed(content, MOST_LEVELS):
        raise NotStrict
    return Element(*record, record.start)
