"""A document with lines around it, as programs print one: headers of a response, warnings, a fence of Markdown.
And lines within a document: a string that is a text.

The document is cut as if it stood alone, and stays what it is. The lines around it are shown as they are; where they
would take half of the room, those that `smart` would show of them alone. Where a document begins is a guess by the
beginnings of lines, and where it ends by their ends; whether that holds is decided by parsing what lies between them.

Of a string of many lines, such as `{"stdout": ...}`, or of one that is JSON itself, is shown what `smart` would show
of that alone.
"""

from __future__ import annotations

from itertools import islice

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, suppress
from overspill.core.markers import Part, look_alike_places
from overspill.core.spans import Form, Gap, Options, Room, Span, omitted_spans
from overspill.documents.json_pieces import (
    NEXT_VALUE,
    NotStrict,
    Source,
    line_at,
    may_be_printed,
    strict_copy,
    value_decoder,
)
from overspill.documents.shrink import ESCAPE, LooseJson, MarkedGap, mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.core.spans import Cut
    from overspill.documents.shrink import CutPlan, Document

    InnerParser = Callable[[Source, Options, str, int], Document]  # of a document that is a string of another

FARTHEST = 8_192  # bytes before a document, and behind it
MOST_STARTS, MOST_ENDS = 6, 4  # that are tried: most that are none are told by the first bytes
LEAST_DOCUMENT = 0.5  # of the bytes
SIDE_SHARE = 0.25  # of the room, for the lines on either side of it
JSON, XML = ("json", "ndjson"), ("xml",)

# A bracket that begins a line, or stands behind what introduces it, and what may follow it: no `[12:00:01]` of a log,
# and no element of a page.
_START = compile_pattern(
    rb"""(?m)(?:^[ \t]*|(?<=[:=])|(?<=[:=] ))(?=(\{\s*["']|\[\s*[{\["'(]|<\?xml\b|<[A-Za-z_][\w.:-]*\s[^<>]*?xmlns))"""
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
        end = self._start + len(self._document.source.buffer)
        self._sides = [SideLines(source, side) for side in (Span(0, self._start), Span(end, len(source.buffer)))]
        if any(_has_look_alike(side.text) for side in self._sides):
            raise NotStrict("a line around it looks like a mark of ours")

    def plan(self, room: int) -> CutPlan | None:
        """The gentlest cut of the document beside the lines around it."""
        most = int(SIDE_SHARE * room)
        before, behind = (side.gaps(most) for side in self._sides)
        ours = sum(len(mark(gap)) - self.source.width(gap.start, gap.end) for gap in (*before, *behind))
        plan = self._document.plan(room - ours - sum(len(side.text) for side in self._sides))
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

    def _moved(self, gap: Gap) -> Gap:
        return gap._replace(start=gap.start + self._start, end=gap.end + self._start)


class SideLines:
    """The lines on one side of a document. Of a line that it shares with the document nothing is left out."""

    def __init__(self, source: Source, side: Span) -> None:
        self.text = source.text(*side)
        behind = self.text.find("\n") + 1 if side.start else 0
        before = self.text.rfind("\n") + 1 if side.end < len(source.buffer) else len(self.text)
        self._lines = self.text[behind:before] if behind < before else ""
        self._start = side.start + len(self.text[:behind].encode())
        self._source, self._cut = source, LinesCut(self._lines)

    def gaps(self, most: int) -> tuple[Gap, ...]:
        """What is left out where all of them are too long, in bytes: the first gap carries what is said of them."""
        if len(self.text) <= most:
            return ()
        room = most - len(self.text) + len(self._lines)
        for share in SHARES:
            found = self._gaps(int(room * share))
            if len(self._lines) + sum(len(mark(gap)) - gap.chars for gap in found) <= room:
                return self._in_bytes(found)
        return self._in_bytes(found)

    def _gaps(self, room: int) -> list[Gap]:
        gaps = self._cut.gaps(room, Form.LINE, "\n")
        if gaps and gaps[0].said:
            first = line_at(self._source.buffer, self._start)
            last = first + self._cut.count_lines(Span(0, len(self._lines))) - 1
            gaps[0] = gaps[0]._replace(said=(f"[lines {first}-{last}:]", *gaps[0].said))
        return gaps

    def _in_bytes(self, gaps: list[Gap]) -> tuple[Gap, ...]:
        at, passed, found = self._start, 0, []
        for gap in gaps:
            start = at + len(self._lines[passed : gap.start].encode())
            at, passed = start + len(self._lines[gap.start : gap.end].encode()), gap.end
            found.append(gap._replace(start=start, end=at))
        return tuple(found)


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
        return may_be_printed(buffer)
    return True


def _has_look_alike(text: str) -> bool:
    return bool(look_alike_places(text, short=False))


class LinesCut:
    """What `smart` leaves out of a text: lines, whole."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._cut: Callable[[str, Room, Options], Cut] | None = None

    def gaps(self, room: int, form: Form, line_end: str) -> list[Gap]:
        """What is left out, in characters: the first gap carries what is said of the whole."""
        if self._cut is None:
            from overspill.cut.smart import smart

            self._cut = smart.of_one_text()
        cut = self._cut(self._text, Room(room, room, GAP, limit=room), Options())
        said = (*cut.overview, *cut.notes)
        found: list[Gap] = []
        telling = [gap for gap in cut.gaps if gap.said]
        for span in omitted_spans(filter(None, map(self._whole_lines, cut.kept)), len(self._text)):
            after = line_end if self._text[span.end - 1] == "\n" else ""
            said += tuple(words for gap in telling if span.start <= gap.start < span.end for words in gap.said)
            found.append(Gap(*span, form, self.count_lines(span), "lines", after=after, said=said))
            said = ()
        return found

    def count_lines(self, span: Span) -> int:
        """How many lines lie there; the last of all may have no end."""
        return self._text.count("\n", *span) + (span.end == len(self._text) and self._text[-1:] != "\n")

    def _whole_lines(self, span: Span) -> Span | None:
        """The lines that lie there whole: of what is left out of a line a document would count other characters."""
        start, end = span
        if start and self._text[start - 1] != "\n":
            start = self._text.find("\n", start, end) + 1 or end
        if end < len(self._text):
            end = self._text.rfind("\n", start, end) + 1
        return Span(start, end) if start < end else None


# ---- a text within a document ---------------------------------------------------------------------------------------

FEWEST_LINES = 12  # of a string that is a text
TRIES, NEARLY, SMALLER = 5, 0.94, 0.8  # at its room: marks and escapes take what they take
SHARES = (1.0, 0.9, 0.8, 0.65)  # of the room of lines around a document that are tried
GAP = 40  # characters of a mark


class TextInString:
    """A string that is a text of many lines, such as what a command wrote, or a document: shown as that is alone."""

    def __init__(self, source: Source, string: Span, parse: InnerParser) -> None:
        self._source, self._start = source, string.start + 1
        self._raw = source.text(string.start + 1, string.end - 1)
        self._text = _decoded_string(bytes(source.buffer[string.start : string.end]))
        self._document = _document_in(self._text, parse)
        self._lines = LinesCut(self._text)

    @property
    def is_text(self) -> bool:
        """Whether it is a document, or has many lines, none of which would be taken for a mark of ours beside such."""
        many = self._text.count("\n") >= FEWEST_LINES
        return self._document is not None or (many and not _has_look_alike(self._text))

    def gaps(self, room: int) -> list[Gap] | None:
        """What is left out of it, where it may take so many characters; None where nothing of it can be told so."""
        draw = self._gaps_in_lines if self._document is None else self._gaps_in_document
        share = room * len(self._text) / len(self._raw)  # as if escapes were as frequent in what is shown
        for _ in range(TRIES):
            found = draw(int(share))
            width = self.width(found) if found else 0
            if found and width <= room:
                return found
            share *= NEARLY * room / width if found else SMALLER
        return None

    def _gaps_in_document(self, room: int) -> list[Gap]:
        """The gaps of a document as gaps in the string that it is; what stands in them is quoted once more."""
        plan = self._document.plan(room) if self._document is not None else None
        if self._document is None or plan is None:
            return []
        inside = self._document.source.characters([place for gap in plan.gaps for place in (gap.start, gap.end)])
        ends = zip(plan.gaps, inside[::2], inside[1::2], strict=True)
        return self._in_string([gap._replace(start=a, end=b, quoted=gap.quoted + 1) for gap, a, b in ends])

    def _gaps_in_lines(self, room: int) -> list[Gap]:
        """The gaps of the text as gaps in the string."""
        return self._in_string(self._lines.gaps(room, Form.STRING, "\\n"))

    def width(self, gaps: list[Gap]) -> int:
        """Characters that the string takes with these gaps."""
        left_out = sum(self._source.width(gap.start, gap.end) for gap in gaps)
        return len(self._raw) + 2 - left_out + sum(len(mark(gap)) for gap in gaps)

    def _in_string(self, gaps: list[Gap]) -> list[Gap]:
        """Gaps in the text as gaps in the bytes of the document."""
        places = self._places([place for gap in gaps for place in (gap.start, gap.end)])
        return [
            gap._replace(start=start, end=end) for gap, start, end in zip(gaps, places[::2], places[1::2], strict=True)
        ]

    def _places(self, places: list[int]) -> list[int]:
        """Places in the text, in order, as places in the bytes of the document."""
        escapes = ESCAPE.finditer(self._raw)
        found: list[int] = []
        at = behind = 0  # where the last escape ends in the text, and in the string
        escape = next(escapes, None)
        for place in places:
            while escape is not None and at + escape.start() - behind < place:
                at += escape.start() - behind + 1
                behind, escape = escape.end(), next(escapes, None)
            found.append(behind + place - at)
        if self._source.ascii:
            return [self._start + place for place in found]
        return [self._start + len(self._raw[:place].encode()) for place in found]


def _document_in(text: str, parse: InnerParser) -> Document | None:
    """The document that a string is, if it is one."""
    if text[:1] not in ("{", "["):
        return None
    source = Source(memoryview(text.encode("utf-8", "surrogatepass")), len(text))
    with suppress(NotStrict):
        return parse(source, Options(), "smart", len(text))
    plain = strict_copy(source) if may_be_printed(source.buffer) else None
    with suppress(NotStrict):
        return LooseJson(source, parse(plain, Options(), "smart", len(text))) if plain is not None else None
    return None


def _decoded_string(data: bytes) -> str:
    """What a JSON string says; nothing where that cannot be told."""
    from msgspec import DecodeError
    from msgspec.json import decode

    try:
        return str(decode(data))
    except (DecodeError, UnicodeError):
        return ""
