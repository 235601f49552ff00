r"""Whole lines at either side of a part of a text, and the middles of lines that are too wide.

>>> leading_lines("one\ntwo\nthree\n", 9), last_lines("one\ntwo\nthree\n", 9)
(Span(start=0, end=8), Span(start=8, end=14))
"""

from collections.abc import Iterator

from overspill.core.graphemes import ceil, floor
from overspill.core.spans import Options, Span

HEAD_SHARE = 0.6
LEAST_SAVED = 64  # a line is shortened where that saves more than a mark costs
PIECE_FROM = 40  # a piece of a line is shown where at least this much of it fits,
LONG = 1_000  # and the line is so long that it can't be shown whole


def unit_width_limit(text: str, room: int, options: Options) -> int:
    """How wide a line may be: `max_line_length`, or its fair share of the room where lines are few."""
    return max(options.max_line_length, room // (text.count("\n", 0, len(text) - 1) + 1))


def leading_lines(text: str, chars: int, within: Span | None = None) -> Span:
    """The first lines of a part that fit, or a piece of the first where it alone is longer."""
    start, end = within or (0, len(text))
    if end - start <= chars:
        return Span(start, end)
    stop = text.rfind("\n", start, start + max(0, chars)) + 1
    if stop <= start:
        long = text.find("\n", start, min(end, start + LONG)) < 0
        stop = floor(text, start + chars) if long and chars >= PIECE_FROM else start
    return Span(start, stop)


def last_lines(text: str, chars: int, within: Span | None = None) -> Span:
    """The same from the end."""
    start, end = within or (0, len(text))
    if end - start <= chars:
        return Span(start, end)
    low = end - max(0, chars)
    begin = text.find("\n", max(start, low - 1), end - 1) + 1
    if begin <= 0:
        long = text.rfind("\n", max(start, end - LONG), end - 1) < 0
        begin = ceil(text, low) if long and chars >= PIECE_FROM else end
    return Span(min(begin, end), end)


def first_lines(text: str, most: int) -> list[Span]:
    """The first lines, each with its end."""
    spans: list[Span] = []
    at, length = 0, len(text)
    while at < length and len(spans) < most:
        end = text.find("\n", at) + 1 or length
        spans.append(Span(at, end))
        at = end
    return spans


def clamps_in(text: str, span: Span, wide: int) -> Iterator[tuple[int, int]]:
    """The middles of the lines that are too wide, first to last."""
    start, end = span
    while end - start > wide:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if stop - start > wide + LEAST_SAVED:
            head = floor(text, start + int(wide * HEAD_SHARE))
            tail = ceil(text, stop - (wide - int(wide * HEAD_SHARE)))
            if head < tail:
                yield head, tail
        start = stop + 1
