"""Whole lines from the start, from the end, or from both: `head`, `tail` and `line`.

A count of lines and a number of characters both limit what is kept; the tighter one wins. Lines stay
whole, with one named exception: one longer than `max_line_length` is shortened in its middle.
"""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from overspill.budget import shares
from overspill.cut.borders import Lines, border_after, border_before
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
    quick = _first_lines(text, room, wide) if most is None else None
    part = quick or _take(text, Lines(text).forward(), Part((), (), 0, room, full=False), most, wide, gap)
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
    quick = _last_lines(text, room, wide, stop) if most is None else None
    part = quick or _take(text, Lines(text).backward(stop), Part((), (), len(text), room, full=False), most, wide, gap)
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


def _first_lines(text: str, room: int, wide: int) -> Part | None:
    """What `_take` would take from the start, found by searching; None where a line may be too wide for that."""
    if room <= 0 or _widest_in(text[:room]) >= wide:
        return None
    edge = len(text) if room >= len(text) else border_before(text, room)
    return Part((Span(0, edge),) if edge else (), (), edge, room - edge, full=False)


def _last_lines(text: str, room: int, wide: int, stop: int) -> Part | None:
    """The same from the end, back to `stop`."""
    low = max(stop, len(text) - room)
    if room <= 0 or _widest_in(text[low:]) >= wide:
        return None
    edge = stop if low == stop else border_after(text, low)
    kept = (Span(edge, len(text)),) if edge < len(text) else ()
    return Part(kept, (), edge, room - (len(text) - edge), full=False)


def _widest_in(window: str) -> int:
    """The widest line of a window, with the widest end it may have."""
    return max(map(len, window.replace("\r", "\n").split("\n"))) + len("\r\n")


def _take(text: str, lines: Iterable[Span], part: Part, most: int | None, wide: int, gap: int) -> Part:
    """Lines as long as they fit. Neighbours are kept as one span: a view may hold thousands of short lines."""
    kept: list[Span] = []
    gaps: list[Gap] = []
    left, edge, backward = part.left, part.edge, part.edge > 0
    run = edge  # where the span begins that the next line would lengthen
    full = False
    for number, (start, end) in enumerate(lines):
        if number == most:
            full = True
            break
        price = min(end - start, wide)
        if price > left:
            break
        if end - start > wide:
            middle = _middle(text, Span(start, end), wide - gap)
            kept.append(Span(middle.end, run) if backward else Span(run, middle.start))
            gaps.append(middle)
            run = middle.start if backward else middle.end
        left -= price
        edge = start if backward else end
    if edge != run:
        kept.append(Span(edge, run) if backward else Span(run, edge))
    return Part(tuple(kept), tuple(gaps), edge, left, full)


def _middle(text: str, line: Span, keep: int) -> Gap:
    """The middle of a line that is too wide, when `keep` of its characters stay."""
    start = floor(text, line.start + (keep + 1) // 2)
    end = ceil(text, line.end - keep // 2)
    return Gap(start, end, Form.INLINE)
