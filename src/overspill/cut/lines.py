"""Whole lines from the start, from the end, or from both: `head`, `tail` and `line`.

A count of lines and a number of characters both limit what is kept; the tighter one wins. Lines stay
whole, with one named exception: one longer than `max_line_length` is shortened in its middle.
"""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from overspill.budget import shares
from overspill.cut.borders import Lines
from overspill.cut.headings import headings_note, note_room
from overspill.graphemes import ceil, floor
from overspill.spans import Cut, Form, Gap, Options, Room, Span, joined


def head(text: str, room: Room, options: Options) -> Cut:
    """Keep the first lines, and name the headings of what follows."""
    reserve = note_room(text, room.chars)
    room = room._replace(chars=room.chars - reserve, counted=room.counted - reserve)
    most = options.head_lines
    wide = widest(text, room, options)
    counted = leading(text, room.counted, wide, room.gap, most=most)
    part = counted if counted.full else leading(text, room.chars, wide, room.gap, most=most)
    return cut_of(part, counted=counted.full, notes=headings_note(text, part.edge, reserve))


def tail(text: str, room: Room, options: Options) -> Cut:
    """Keep the last lines, where commands say how they ended."""
    most = options.tail_lines
    wide = widest(text, room, options)
    counted = trailing(text, room.counted, wide, room.gap, most=most)
    part = counted if counted.full else trailing(text, room.chars, wide, room.gap, most=most)
    return cut_of(part, counted=counted.full)


def line(text: str, room: Room, options: Options) -> Cut:
    """Keep the first and the last lines."""
    wide = widest(text, room, options)
    first = leading(text, room.counted, wide, room.gap, most=options.head_lines)
    last = trailing(text, first.left, wide, room.gap, most=options.tail_lines, stop=first.edge)
    if first.full and last.full:
        return cut_of(first, last, counted=True)
    head_room = round(room.chars * options.head_ratio)
    first = leading(text, head_room, wide, room.gap, most=options.head_lines)
    rest = room.chars - head_room + first.left
    inside = not first.kept or text[first.edge - 1] not in "\r\n"  # no line fits, so pieces stand for lines
    last = trailing(text, rest, wide, room.gap, most=options.tail_lines, stop=first.edge, partial=inside)
    return cut_of(first, last)


class Part(NamedTuple):
    """What was taken from one side of a text."""

    kept: tuple[Span, ...]
    gaps: tuple[Gap, ...]  # inside lines that were shortened
    edge: int  # where the part ends, seen from its side
    left: int  # characters it did not use
    full: bool  # the count of lines stopped it, with lines still to come


def cut_of(*parts: Part, counted: bool = False, notes: tuple[str, ...] = ()) -> Cut:
    """The parts as one cut."""
    kept = joined(span for part in parts for span in part.kept)
    gaps = tuple(gap for part in parts for gap in part.gaps)
    return Cut(kept, gaps, notes, counted=counted)


def leading(text: str, room: int, wide: int, gap: int, *, most: int | None = None, slack: float = 1.0) -> Part:
    """The first lines that fit, and a piece of the next one if more than `slack` of the room is left."""
    part = _take(text, Lines(text).forward(), Part((), (), 0, room, full=False), most, wide, gap)
    if part.full or part.edge == len(text) or (part.kept and part.left <= slack * room):
        return part
    edge = floor(text, min(len(text), part.edge + part.left))
    return part._replace(kept=(*part.kept, Span(part.edge, edge)), edge=edge, left=part.left - (edge - part.edge))


def trailing(
    text: str,
    room: int,
    wide: int,
    gap: int,
    *,
    most: int | None = None,
    slack: float = 1.0,
    stop: int = 0,
    partial: bool = True,
) -> Part:
    """The last lines that fit, back to `stop`, and a piece of the one before as in `leading`."""
    part = _take(text, Lines(text).backward(stop), Part((), (), len(text), room, full=False), most, wide, gap)
    if part.full or part.edge <= stop or (part.kept and part.left <= slack * room) or not partial:
        return part
    edge = ceil(text, max(stop, part.edge - part.left))
    return part._replace(kept=(*part.kept, Span(edge, part.edge)), edge=edge, left=part.left - (part.edge - edge))


def widest(text: str, room: Room, options: Options) -> int:
    """How wide a line may be: `max_line_length`, or its fair share of the room where lines are few."""
    least = max(options.max_line_length, 2 * room.gap)
    few = max(1, room.chars // least)
    lengths = [span.chars for span in islice(Lines(text).forward(), few + 1)]
    if len(lengths) > few:
        return least
    return max(lengths, default=0) if len(lengths) <= 1 else max(least, *shares(lengths, room.chars))


def _take(text: str, lines: Iterable[Span], part: Part, most: int | None, wide: int, gap: int) -> Part:
    kept: list[Span] = []
    gaps: list[Gap] = []
    left, edge, backward = part.left, part.edge, part.edge > 0
    full = False
    for number, span in enumerate(lines):
        if number == most:
            full = True
            break
        price = min(span.chars, wide)
        if price > left:
            break
        if span.chars > wide:
            middle = _middle(text, span, wide - gap)
            kept += Span(span.start, middle.start), Span(middle.end, span.end)
            gaps.append(middle)
        else:
            kept.append(span)
        left -= price
        edge = span.start if backward else span.end
    return Part(tuple(kept), tuple(gaps), edge, left, full)


def _middle(text: str, line: Span, keep: int) -> Gap:
    """The middle of a line that is too wide, when `keep` of its characters stay."""
    start = floor(text, line.start + (keep + 1) // 2)
    end = ceil(text, line.end - keep // 2)
    return Gap(start, end, Form.INLINE)
