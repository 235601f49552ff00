"""The text between XML tags, piece by piece, and which part of a long piece to leave out."""

import re
from collections.abc import Iterator

from overspill._lite import NamedTuple
from overspill.core.graphemes import REACH, ceil, floor
from overspill.core.spans import Form, Gap, Span
from overspill.documents.marks import mark
from overspill.documents.source import Source

CDATA, CDATA_END = b"<![CDATA[", b"]]>"
DECLARATION = b"<?xml"

# How a piece begins and ends. What ends one may stand directly after its beginning, and does not end it there.
_KINDS = (
    ("cdata", CDATA, re.compile(rb"\]\]>")),
    ("comment", b"<!--", re.compile(rb"-->")),
    ("instruction", b"<?", re.compile(rb"\?>")),
)
_VALUE = re.compile(rb"""\"[^\"]*\"|'[^']*'""")
_TAG = re.compile(rb"<")
_LONGEST_REFERENCE = 64  # begun further back, it is found to be one all the same: only its digits are many


class Piece(NamedTuple):
    """A stretch of text, a CDATA section, a comment or an instruction."""

    start: int
    end: int
    kind: str


def pieces(buffer: memoryview, start: int, end: int) -> Iterator[Piece]:
    """What lies between two tags."""
    while start < end:
        piece = _piece(buffer, start, end)
        yield piece
        start = piece.end


def values_in(buffer: memoryview, start: int, end: int) -> Iterator[Span]:
    """The values of the attributes in a tag, without their quotes."""
    for value in _VALUE.finditer(buffer, start, end):
        yield Span(value.start() + 1, value.end() - 1)


def _piece(buffer: memoryview, start: int, end: int) -> Piece:
    # A search for the few bytes that end a piece is native, however long it is.
    begins = bytes(buffer[start : start + len(CDATA)])
    for kind, opening, closing in _KINDS:
        if begins.startswith(opening):
            found = closing.search(buffer, start + len(opening), end)
            return Piece(start, end if found is None else found.end(), kind)
    found = _TAG.search(buffer, start + 1, end)
    return Piece(start, end if found is None else found.start(), "text")


def shortened(source: Source, piece: Piece, keep: int, head_ratio: float) -> Gap | None:
    """The part to leave out when `keep` characters of a piece are to stay, or None when that saves nothing."""
    if bytes(source.buffer[piece.start : piece.start + len(DECLARATION)]) == DECLARATION:
        return None
    if piece.kind in {"comment", "instruction"}:
        gap = Gap(piece.start, piece.end, Form.COMMENT, piece.end - piece.start, "chars")
        return gap if piece.end - piece.start > keep and gap.chars > 4 * len(mark(gap)) else None
    inner, before, after = Span(piece.start, piece.end), "", ""
    if piece.kind == "cdata":
        inner = Span(piece.start + len(CDATA), piece.end - len(CDATA_END))
        before, after = CDATA_END.decode(), CDATA.decode()
    head = max(0, round(keep * head_ratio))
    references = piece.kind == "text"
    first = _leading(source, inner, head, references=references)
    last = _trailing(source, Span(first, inner.end), max(0, keep - head), references=references)
    gap = Gap(first, last, Form.COMMENT, last - first, "chars", before, after)
    saves = last - first > 4 * len(mark(gap)) or source.width(first, last) > len(mark(gap))
    return gap if saves else None


def _leading(source: Source, span: Span, chars: int, *, references: bool) -> int:
    text = str(source.buffer[span.start : min(span.end, span.start + 4 * (chars + REACH))], "utf-8", "ignore")
    at = _settled(text, min(chars, len(text)), backward=True, references=references)
    return span.start + len(text[:at].encode())


def _trailing(source: Source, span: Span, chars: int, *, references: bool) -> int:
    begin = max(span.start, span.end - 4 * (chars + REACH + _LONGEST_REFERENCE))
    text = str(source.buffer[begin : span.end], "utf-8", "ignore")
    at = _settled(text, max(0, len(text) - chars), backward=False, references=references)
    return span.end - len(text[at:].encode())


def _settled(text: str, at: int, *, backward: bool, references: bool) -> int:
    """The nearest place on that side that is inside neither a reference nor a grapheme."""
    while True:
        moved = at
        if references and _inside_reference(text, at):
            moved = text.rfind("&", 0, at) if backward else text.find(";", at) + 1 or len(text)
        moved = floor(text, moved) if backward else ceil(text, moved)
        if moved == at:
            return at
        at = moved


def _inside_reference(text: str, at: int) -> bool:
    """Whether `at` lies in something like `&amp;`: every ampersand begins one, and a semicolon ends it."""
    return text.rfind("&", 0, at) > text.rfind(";", 0, at)
