"""The budgeted choice: the best units that fit, in the order of the text, with every mark paid for.

Greedy, by score: a unit is taken when its new characters and what it does to the marks around it still fit.
A gap that is no longer than its own mark is shown instead. What is left over lengthens both ends.
"""

from bisect import bisect_left
from collections.abc import Iterator

from overspill.core.markers import diff_marker, marker
from overspill.core.spans import Cut, Form, Gap, Options, Room, Span, Why
from overspill.cut.ends import head_tail
from overspill.cut.headings import NOTE_WIDTH
from overspill.cut.smart.board import LEAST_MARK, Board
from overspill.cut.smart.folds import Fold, folds_in
from overspill.cut.smart.lines import clamps_in, last_lines, leading_lines, widest
from overspill.cut.smart.naming import full_width, note_lines
from overspill.cut.smart.units import CONTEXT, EDGE, NAME, Found, Note, Unit

CROWDED = 0.7
TOP_SHARE, BOTTOM_SHARE = 0.05, 0.10
FILLS = 8
ROUNDS = 3
A_MARK = 64  # what one more gap may cost
MOST_MISSES = 300  # units in a row that did not fit: the room is as good as full
LEAST_ROOM = 24  # what is left then holds no line


def choose(text: str, found: Found, room: Room, options: Options, known: list[Fold] | None = None) -> Cut:
    """The best of what was found, within the room. `known` are the folds of the text, if somebody has them already."""
    found = _uncrowded(found, room)
    notes = _reserved(found, room.chars)
    folds = known if known is not None else [] if found.exact else folds_in(text)
    extra = len(diff_marker(0, 0)) - len(marker(0, 0)) if found.form is Form.DIFF else 0
    board = Board(text, room.chars - sum(notes), room.holes, folds, extra)
    wide = widest(text, room.chars, options)
    skips = sorted([*(Span(fold.start, fold.end) for fold in folds), *found.dull])
    edges = _edges(text, room) if found.edges and not found.exact else []
    whys: list[Why] = []
    left = in_turns([*found.units, *edges])
    for _ in range(ROUNDS):
        left = _taken(text, board, left, None if found.exact else (skips, wide), whys)
        # What is shown need not be named: the notes became shorter, and there is room for more.
        needed = _needed(found.notes, notes, board)
        board.widen(sum(notes) - sum(needed))
        unchanged, notes = needed == notes, needed
        if unchanged or not left:
            break
    if found.exact and not board.spans():
        whys += _piece(text, board, found)
    if not found.exact and (found.fill or not board.spans()):
        _fill(text, board, skips, wide)
    if not board.spans():
        return _both_ends(text, room, options, found, board)
    return _cut(text, board, found, notes, tuple(whys))


def _both_ends(text: str, room: Room, options: Options, found: Found, board: Board) -> Cut:
    """Where not even a piece of a unit fits: the notes, and of the text what fits beside them."""
    widths = _reserved(found, room.chars)
    left = room.chars - sum(widths)
    if left < LEAST_ROOM:
        return head_tail(text, room, options)
    cut = head_tail(text, room._replace(chars=left, counted=left), options)
    notes = [line for note, width in zip(found.notes, widths, strict=True) for line in _lines(note, width, board)]
    return cut._replace(notes=(*cut.notes, *notes))


def _taken(
    text: str, board: Board, units: list[Unit], shortened: tuple[list[Span], int] | None, whys: list[Why]
) -> list[Unit]:
    """Take the units that fit, one after the other; those that did not."""
    left: list[Unit] = []
    misses = 0
    for number, unit in enumerate(units):
        if board.left < LEAST_ROOM or misses > MOST_MISSES:
            return left + units[number:]
        spans: tuple[Span, ...] = (Span(unit.start, unit.end), *unit.needs)
        if shortened is not None:
            spans = tuple(part for span in spans for part in _shortened(text, span, *shortened))
        before = board.chars
        if board.take(spans):
            misses = 0
            if board.chars > before:
                whys.append(Why(unit.start, unit.end, unit.why))
        else:
            misses += 1
            left.append(unit)
    return left


def _uncrowded(found: Found, room: Room) -> Found:
    """Names that would take most of the room are told by a note instead, and come after all details."""
    if found.crowd is None:
        return found
    cost = sum(unit.end - unit.start for unit in found.units if unit.score == NAME)
    if cost <= room.chars * CROWDED:
        return found
    units = [unit._replace(score=CONTEXT) if unit.score == NAME else unit for unit in found.units]
    return found._replace(units=units, notes=(found.crowd, *found.notes))


def in_turns(units: list[Unit]) -> list[Unit]:
    """The units, best first; at one level the first of every group comes before the second of any.

    >>> [unit.start for unit in in_turns([Unit(0, 1, 5, "", "a"), Unit(2, 3, 5, "", "a"), Unit(4, 5, 5, "", "b")])]
    [0, 4, 2]
    """
    turns: dict[tuple[float, str], int] = {}
    ranked: list[tuple[float, int, int, Unit]] = []
    for unit in sorted(units):
        turn = 0
        if unit.group:
            key = (unit.score, unit.group)
            turn = turns[key] = turns.get(key, -1) + 1
        ranked.append((-unit.score, turn, len(ranked), unit))
    return [unit for *_, unit in sorted(ranked)]


def _reserved(found: Found, room: int) -> list[int]:
    """Characters set aside for each note, line end included."""
    widths: list[int] = []
    for note in found.notes:
        width = min(note.width + 1, full_width(note), int(room * note.share) - sum(widths))
        widths.append(max(0, width))
    return widths


def _needed(notes: tuple[Note, ...], widths: list[int], board: Board) -> list[int]:
    """What each note takes now. One of several lines may take what no unit needs: fewer names can break worse."""
    spare, needed = board.left, list[int]()
    for note, width in zip(notes, widths, strict=True):
        most = width + max(0, spare) if note.width > NOTE_WIDTH else width
        needed.append(sum(len(line) + 1 for line in _lines(note, most, board)))
        spare -= max(0, needed[-1] - width)
    return needed


def _edges(text: str, room: Room) -> list[Unit]:
    """The first and the last lines: what was run, and how it ended."""
    top = leading_lines(text, int(room.chars * TOP_SHARE))
    bottom = last_lines(text, int(room.chars * BOTTOM_SHARE))
    return [Unit(*top, EDGE, "first lines"), Unit(*bottom, EDGE + 1, "last lines")]


def _shortened(text: str, span: Span, skips: list[Span], wide: int) -> Iterator[Span]:
    """What is shown of a part: all of it but repeats, what is dull, and the middles of lines that are too wide."""
    at = span.start
    for start, end in sorted([*_inside(skips, span), *clamps_in(text, span, wide)]):
        if end <= at:
            continue
        if start > at:
            yield Span(at, start)
        at = min(end, span.end)
    if at < span.end:
        yield Span(at, span.end)


def _inside(skips: list[Span], span: Span) -> Iterator[Span]:
    for skip in skips[max(0, bisect_left(skips, span) - 1) :]:
        if skip.start >= span.end:
            return
        if skip.end > span.start:
            yield skip


def _fill(text: str, board: Board, skips: list[Span], wide: int) -> None:
    """Lengthen both ends by whole lines as far as the room goes, a little more at the end than at the start."""
    for _ in range(FILLS):
        before = board.left
        for share, side in ((0.5, "bottom"), (1.0, "top")):
            outer = board.outer_gap(side)
            gap = _past(outer, skips, side)
            chars = int(board.left * share) - (0 if gap == outer else A_MARK)
            if gap is None or chars <= 0:
                continue
            part = last_lines(text, chars, gap) if side == "bottom" else leading_lines(text, chars, gap)
            if part.end > part.start:
                board.take(tuple(_shortened(text, part, skips, wide)))
        if board.left >= before:
            return


def _piece(text: str, board: Board, found: Found) -> Iterator[Why]:
    """The beginning of the best unit, where none fits as a whole."""
    for unit in in_turns(found.units)[:1]:
        for needs in (unit.needs, ()):
            room = board.left - sum(need.chars for need in needs)
            for less in range(0, room, LEAST_MARK):
                part = leading_lines(text, room - less, Span(unit.start, unit.end))
                if part.chars and board.take([*needs, part]):
                    yield Why(*part, unit.why)
                    return


def _past(gap: Span | None, skips: list[Span], side: str) -> Span | None:
    """A gap without the repeats it begins or ends with."""
    for start, end in skips:
        if gap is not None and side == "top" and start <= gap.start < end:
            gap = Span(end, gap.end) if end < gap.end else None
    for start, end in reversed(skips):
        if gap is not None and side == "bottom" and start < gap.end <= end:
            gap = Span(gap.start, start) if gap.start < start else None
    return gap


def _cut(text: str, board: Board, found: Found, widths: list[int], whys: tuple[Why, ...]) -> Cut:
    kept = board.spans()
    gaps = tuple(gap for start, end in board.gaps() if (gap := _written(text, board, found, start, end)) is not None)
    notes: list[str] = []
    for note, width in zip(found.notes, widths, strict=True):
        notes += _lines(note, width, board)
    return Cut(kept, gaps, tuple(notes), whys=whys, verbatim=found.verbatim)


def _lines(note: Note, width: int, board: Board) -> tuple[str, ...]:
    """A note of what is not shown, in full where that fits, else in few words."""
    full, terse = (
        [name for name in names if name.start < 0 or not board.shows(name.start, name.end)]
        for names in (note.names, note.terse)
    )
    said = note_lines(note, full, width)
    return note_lines(note, terse, width) if terse and said and said[-1].endswith(" more]") else said


def _written(text: str, board: Board, found: Found, start: int, end: int) -> Gap | None:
    """How a gap is written where that is not a plain marker line."""
    fold = board.folds.get((start, end))
    if fold is not None:
        return Gap(start, end, Form.FOLD, fold.number, fold.noun)
    inside = start > 0 and end < len(text) and text[start - 1] not in "\r\n" and board.plain(start, end)
    if inside and "\n" not in text[start:end] and "\r" not in text[start:end] and text[end] not in "\r\n":
        return Gap(start, end, Form.INLINE)
    if found.form is Form.LINE and start not in found.above:
        return None
    return Gap(start, end, found.form, above=found.above.get(start, -1))
