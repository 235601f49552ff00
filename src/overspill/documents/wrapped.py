"""A document with lines around it, as programs print one: headers of a response, warnings, a fence of Markdown.

The document is cut as if it stood alone, and stays what it is. The lines around it are shown as they are; where they
would take half of the room, those at their ends. Where a document begins is a guess by the beginnings of lines, and
where it ends by their ends; whether that holds is decided by parsing what lies between them.
"""

from __future__ import annotations

from itertools import islice

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.markers import Part, look_alike_places
from overspill.core.spans import Form, Gap, Span
from overspill.documents.json_pieces import NEXT_VALUE, NotStrict, value_decoder
from overspill.documents.marks import MarkedGap, mark
from overspill.documents.source import Source, line_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.documents.shrink import CutPlan, Document

FARTHEST = 8_192  # bytes before a document, and behind it
MOST_STARTS, MOST_ENDS = 6, 4  # that are tried: most that are none are told by the first bytes
LEAST_DOCUMENT = 0.5  # of the bytes
SIDE_SHARE = 0.25  # of the room, for the lines on either side of it
JSON, XML = ("json", "ndjson"), ("xml",)

# A bracket that begins a line, or stands behind what introduces it, and what may follow it: no `[12:00:01]` of a log,
# and no element of a page.
_START = compile_pattern(
    rb'(?m)(?:^[ \t]*|(?<=[:=])|(?<=[:=] ))(?=(\{\s*"|\[\s*[{\["]|<\?xml\b|<[A-Za-z_][\w.:-]*\s[^<>]*?xmlns))'
)
_END = compile_pattern(rb"(?m)([}\]>])[;,]?[ \t\r]*$")
CLOSING = {ord("{"): b"}", ord("["): b"]", ord("<"): b">"}


class Wrapping(NamedTuple):
    """Where a document may lie, in bytes, and what it may be."""

    inside: Span
    kinds: tuple[str, ...]


def wrappings_in(buffer: memoryview) -> Iterator[Wrapping]:
    r"""Where a document may lie in these bytes, the widest first.

    >>> [found.inside for found in wrappings_in(memoryview(b'200 OK\n\n{"ids": [1, 2, 3]}\n'))]
    [Span(start=8, end=26)]
    >>> list(wrappings_in(memoryview(b"[12:00:01] up\n[12:00:02] down\n")))
    []
    """
    head, behind = bytes(buffer[:FARTHEST]), max(0, len(buffer) - FARTHEST)
    ends = [(found[1], behind + found.end(1)) for found in _END.finditer(bytes(buffer[behind:]))][-MOST_ENDS:]
    for found in islice(_START.finditer(head), MOST_STARTS):
        start = found.start(1)
        for closing, end in reversed(ends):
            if closing == CLOSING[head[start]] and end - start >= LEAST_DOCUMENT * len(buffer):
                yield Wrapping(Span(start, end), XML if closing == b">" else JSON)


class WrappedDocument:
    """A text of which a part was found to be a document."""

    nameless = True

    def __init__(self, source: Source, parse: Callable[[Source, str], Document]) -> None:
        self.source = source
        self._start, self._document = _parsed(source, parse)
        self._end = self._start + len(self._document.source.buffer)
        if any(_has_look_alike(source.text(*side)) for side in self._sides):
            raise NotStrict("a line around it looks like a mark of ours")

    def plan(self, room: int) -> CutPlan | None:
        """The gentlest cut of the document beside the lines around it."""
        most = int(SIDE_SHARE * room)
        before, behind = (_lines_left_out(self.source, side, most) for side in self._sides)
        ours = sum(len(mark(gap)) - self.source.width(gap.start, gap.end) for gap in (*before, *behind))
        plan = self._document.plan(room - ours - sum(self.source.width(*side) for side in self._sides))
        return plan and plan._replace(gaps=(*before, *map(self._moved, plan.gaps), *behind))

    def least(self, note: str) -> Iterator[list[MarkedGap]]:
        """The least of the document, between the lines around it."""
        for marked in self._document.least(note):
            yield [MarkedGap(self._moved(gap), words) for gap, words in marked]

    def part_of(self, gap: Gap) -> Part:
        """The part to fetch for a gap, counted from where the text begins."""
        first = line_at(self.source.buffer, gap.start)
        if gap.form is Form.LINE:
            return Part("lines", first, first + gap.number - 1)
        part = self._document.part_of(gap._replace(start=gap.start - self._start, end=gap.end - self._start))
        before = line_at(self.source.buffer, self._start) - 1 if part.unit == "lines" else self._start
        return part._replace(start=part.start + before, end=part.end + before)

    @property
    def _sides(self) -> tuple[Span, Span]:
        return Span(0, self._start), Span(self._end, len(self.source.buffer))

    def _moved(self, gap: Gap) -> Gap:
        return gap._replace(start=gap.start + self._start, end=gap.end + self._start)


def _parsed(source: Source, parse: Callable[[Source, str], Document]) -> tuple[int, Document]:
    """Where the document begins, and the document; `NotStrict` where there is none."""
    for (start, end), kinds in wrappings_in(source.buffer):
        inside = Source(source.buffer[start:end], source.width(start, end))
        for kind in kinds:
            if _may_be(inside.buffer, kind):
                try:
                    return start, parse(inside, kind)
                except NotStrict:
                    continue
    raise NotStrict("no document in it")


def _may_be(buffer: memoryview, kind: str) -> bool:
    """Whether the native parser takes it, which is far quicker than to look at its elements."""
    from msgspec import DecodeError

    if kind != "json" or NEXT_VALUE.search(buffer):
        return True
    try:
        value_decoder().decode(buffer)
    except DecodeError:
        return False
    return True


def _has_look_alike(text: str) -> bool:
    return any(look_alike_places(text, short=short) for short in (False, True))


def _lines_left_out(source: Source, side: Span, most: int) -> tuple[Gap, ...]:
    """The lines in the middle of one side of a document, where all of them are too long: those at its ends stay."""
    if source.width(*side) <= most:
        return ()
    lines = source.text(*side).splitlines(keepends=True)
    half = most // 2
    first, last, left = 0, len(lines), most
    while first < last and len(lines[first]) <= left - half:
        left -= len(lines[first])
        first += 1
    while last > first and len(lines[last - 1]) <= left:
        last -= 1
        left -= len(lines[last])
    start, after = (side.start + len("".join(lines[:number]).encode()) for number in (first, last))
    gap = Gap(start, after, Form.LINE, last - first, "lines", after="\n")
    return (gap,) if len(mark(gap)) < source.width(start, after) and lines[last - 1][-1:] == "\n" else ()
