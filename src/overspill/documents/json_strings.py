"""A JSON string without its middle: no escape, no pair of surrogates and no grapheme is split."""

import re

from overspill.core.graphemes import REACH, ceil, floor
from overspill.core.spans import Form, Gap, Span
from overspill.documents.marks import mark
from overspill.documents.source import Source

_HIGH, _LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"{_HIGH}{_LOW}|\\u.{{4}}|\\[^u]")
_LONGEST_ESCAPE = 12
WINDOW = 1 << 16


def string_gap(source: Source, string: Span, keep: int, head_ratio: float) -> Gap | None:
    """The part to leave out when `keep` characters of a string are to stay, or None when that saves nothing."""
    start, end = string.start + 1, string.end - 1
    head = max(0, round(keep * head_ratio))
    first = _leading(source, start, end, head)
    last = _trailing(source, first, end, max(0, keep - head))
    gap = Gap(first, last, Form.STRING, last - first, "chars")
    if last - first <= 4 * len(mark(gap)) and source.width(first, last) <= len(mark(gap)):
        return None
    return gap


def _leading(source: Source, start: int, end: int, chars: int) -> int:
    """Where the first `chars` characters from `start` on end, or a little before."""
    piece = _piece(source, start, min(end, start + 4 * (chars + REACH)))
    at = _settled(piece, min(chars, len(piece)), backward=True)
    return start + len(piece[:at].encode())


def _trailing(source: Source, start: int, end: int, chars: int) -> int:
    """Where the last `chars` characters before `end` begin, or a little after."""
    begin = max(start, end - 4 * (chars + 2 * REACH))
    # A piece that began with the second half of an escape would be read wrongly.
    piece = _piece(source, begin - _backslashes(source.buffer, start, begin) % 2, end)
    at = _settled(piece, max(0, len(piece) - chars), backward=False)
    return end - len(piece[at:].encode())


def _piece(source: Source, start: int, end: int) -> str:
    """The characters that lie there whole."""
    return str(source.buffer[start:end], "utf-8", "ignore")


def _backslashes(buffer: memoryview, start: int, end: int) -> int:
    """How many backslashes in a row stand before `end`."""
    at = end
    while at > start:
        window = bytes(buffer[max(start, at - WINDOW) : at])
        run = len(window) - len(window.rstrip(b"\\"))
        at -= run
        if run < len(window):
            break
    return end - at


def _settled(piece: str, at: int, *, backward: bool) -> int:
    """The nearest place on that side that is inside neither an escape nor a grapheme.

    The last letter of an escape may be the first of a grapheme, so one move may ask for another.
    """
    while True:
        moved = _outside_escape(piece, at, backward=backward)
        moved = floor(piece, moved) if backward else ceil(piece, moved)
        if moved == at:
            return at
        at = moved


def _outside_escape(piece: str, at: int, *, backward: bool) -> int:
    """The nearest place to `at`, on that side, that is not inside an escape."""
    begin = max(0, at - 2 * _LONGEST_ESCAPE)
    # Back to a place that no backslash stands before: from there on, escapes begin where they seem to.
    begin = len(piece[:begin].rstrip("\\"))
    for escape in _ESCAPE.finditer(piece, begin, at + _LONGEST_ESCAPE):
        if escape.end() > at:
            return at if escape.start() >= at else escape.start() if backward else escape.end()
    return at
