r"""What stands at the ends of a text: whole lines (`head`, `tail`, `line`), or characters of both (`head_tail`).

A count of lines and a number of characters both limit what is kept; the tighter one wins. Lines stay
whole, with one named exception: one longer than `max_line_length` is shortened in its middle.

`Lines` finds the borders of lines from either side without splitting the text into a list: every look-up is one
native search, and a search that found nothing near is remembered, so a text whose only CR stands a gigabyte away costs
one pass and not one a line. What a `head` cut leaves out of a document's headings is named in one short note. Of a diff
`head_tail`, the default, keeps the first and the last files, cut where a file or a hunk begins.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from itertools import accumulate, islice

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core import count_bytes, human_bytes
from overspill.core.budget import shares
from overspill.core.markers import Wording, one_line
from overspill.core.spans import Cut, Form, Gap, Options, Room, Span, ceil, floor, joined_spans, omitted_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Lines:
    r"""Finds the borders of lines that end with LF, CRLF or CR.

    >>> list(Lines("a\r\nb\nc").forward())
    [Span(start=0, end=3), Span(start=3, end=5), Span(start=5, end=6)]
    >>> [span.start for span in Lines("a\r\nb\nc").backward()]
    [5, 3, 0]
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._has_returns = "\r" in text

    def forward(self, stop: int | None = None) -> Iterator[Span]:
        """The lines from the first on, each with its end, as far as they end before `stop`."""
        text, length = self.text, len(self.text)
        stop = length if stop is None else min(stop, length)
        start, feed, back = 0, -1, -1
        while start < stop:
            if feed < start:
                feed = _or_end(text.find("\n", start, stop), length)
            if back < start:
                back = _or_end(text.find("\r", start, stop), length) if self._has_returns else length
            first = min(feed, back)
            if first == length and stop < length:
                return  # the line goes on beyond `stop`
            end = min(first + 2 if back + 1 == feed else first + 1, length)
            if end > stop or (end == stop < length and text[end - 1 : end + 1] == "\r\n"):
                return
            yield Span(start, end)
            start = end

    def backward(self, stop: int = 0, *, clip: bool = True) -> Iterator[Span]:
        """The lines from the last one back to `stop`, where the first of them is clipped or left out."""
        text, end = self.text, len(self.text)
        feed = back = end
        while end > stop:
            inside = end - (2 if text.endswith("\r\n", 0, end) else 1 if text[end - 1] in "\r\n" else 0)
            if feed >= inside:
                feed = text.rfind("\n", stop, inside)
            if back >= inside:
                back = text.rfind("\r", stop, inside) if self._has_returns else -1
            start = max(feed, back, stop - 1) + 1
            if start == stop and not clip:
                return
            yield Span(start, end)
            end = start


def border_before(text: str, at: int) -> int:
    r"""The last place up to `at` where a line begins.

    >>> [border_before("a\r\nb\n", at) for at in range(6)]
    [0, 0, 0, 3, 3, 5]
    """
    if text[at - 1 : at + 1] == "\r\n":
        at -= 1
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def border_after(text: str, at: int) -> int:
    r"""The first place from `at` on where a line begins, or the end of the text.

    >>> [border_after("a\r\nb\n", at) for at in range(1, 6)]
    [3, 3, 3, 5, 5]
    """
    length = len(text)
    first = min(_or_end(text.find("\n", at - 1), length), _or_end(text.find("\r", at - 1), length))
    return min(length, first + 2 if text.startswith("\r\n", first) else first + 1)


def _or_end(found: int, length: int) -> int:
    return length if found < 0 else found


def line_pieces(block: str, most: int) -> Iterator[str]:
    r"""Lines, as many together as so many characters hold: none of them may be longer.

    >>> [*line_pieces("one\ntwo\nthree\nfour", 8)]
    ['one\ntwo', 'three', 'four']
    """
    at = 0
    while len(block) - at > most:
        end = block.rfind("\n", at, at + most)
        yield block[at:end]
        at = end + 1
    yield block[at:]


def without_wide_lines(block: str, widest: int) -> str:
    r"""Lines, those that are wider made blank.

    >>> without_wide_lines("one\ntwo\nthree", 4)
    'one\ntwo\n'
    """
    at, size = 0, len(block)
    while size - at > widest:
        at, before = block.rfind("\n", at, at + widest + 1) + 1, at
        if at <= before:
            return "\n".join(line if len(line) <= widest else "" for line in block.split("\n"))
    return block


NOTE_WIDTH = 120
HEADED_OPENING = 12_000
MOST_NAMES = 200
HEADING = r"\n\n#{1,6} ([^\n]{1,80})"


def note_room(text: str, room: int) -> int:
    """Characters to set aside for the note: none unless the text is a document with headings."""
    return NOTE_WIDTH if room >= 4 * NOTE_WIDTH and "\n\n## " in text[:HEADED_OPENING] else 0


def headings_note(text: str, start: int, room: int) -> tuple[str, ...]:
    r"""Names the headings from `start` on, in at most `room` characters with the line end.

    >>> headings_note("# A\n\n## B\n\n## C\n", 5, 40)
    ('[omitted: B, C]',)
    """
    return names_note(list(islice(_headings(text, start), MOST_NAMES)), room) if room else ()


def names_note(names: list[str], room: int, label: str = "omitted") -> tuple[str, ...]:
    """`[omitted: a, b, +5 more]` with as many names as fit, or nothing when none does.

    >>> names_note(["alpha", "beta", "gamma and delta"], 33)
    ('[omitted: alpha, beta, +1 more]',)
    """
    widths = [*accumulate((len(name) + len(", ") for name in names), initial=len(f"[{label}: ]") - len(", "))]
    for shown in range(bisect_left(widths, room) - 1, 0, -1):
        more = f", +{len(names) - shown} more" if shown < len(names) else ""
        if widths[shown] + len(more) < room:
            return (f"[{label}: {', '.join(names[:shown])}{more}]",)
    return ()


def _headings(text: str, start: int) -> Iterator[str]:
    return (one_line(heading[1]) for heading in compile_pattern(HEADING).finditer(text, max(0, start - 2)))


def head(text: str, room: Room, options: Options) -> Cut:
    """Keep the first lines, and name the headings of what follows."""
    reserve = note_room(text, room.chars)
    room = room._replace(chars=room.chars - reserve, counted=room.counted - reserve)
    side = Side(text, room, line_width_limit(text, room, options))
    counted = side.leading_lines(room.counted, most=options.head_lines)
    part = counted
    if not counted.full and room.counted > room.chars:
        part = side.leading_lines(room.chars, most=options.head_lines)
    return cut_of(part, counted=counted.full, notes=headings_note(text, part.edge, reserve))


def tail(text: str, room: Room, options: Options) -> Cut:
    """Keep the last lines, where commands say how they ended."""
    side = Side(text, room, line_width_limit(text, room, options))
    counted = side.trailing_lines(room.counted, most=options.tail_lines)
    part = counted
    if not counted.full and room.counted > room.chars:
        part = side.trailing_lines(room.chars, most=options.tail_lines)
    return cut_of(part, counted=counted.full)


def line(text: str, room: Room, options: Options) -> Cut:
    """Keep the first and the last lines."""
    side = Side(text, room, line_width_limit(text, room, options))
    first = side.leading_lines(room.counted, most=options.head_lines)
    last = side.trailing_lines(first.left, most=options.tail_lines, stop=first.edge)
    if first.full and last.full:
        return cut_of(first, last, counted=True)
    head_room = round(room.chars * options.head_ratio)
    first = side.leading_lines(head_room, most=options.head_lines)
    rest = room.chars - head_room + first.left
    inside = not first.kept or text[first.edge - 1] not in "\r\n"  # no line fits, so pieces stand for lines
    return cut_of(first, side.trailing_lines(rest, most=options.tail_lines, stop=first.edge, whole=not inside))


class TakenLines(NamedTuple):
    """What was taken from one side of a text."""

    kept: tuple[Span, ...]
    gaps: tuple[Gap, ...]  # inside lines that were shortened
    edge: int  # where the part ends, seen from its side
    left: int  # characters it did not use
    full: bool  # the count of lines stopped it, with lines still to come
    seen: bool = False  # there is a next line, and both of its ends are in sight


def cut_of(*parts: TakenLines, counted: bool = False, notes: tuple[str, ...] = ()) -> Cut:
    """The parts as one cut."""
    kept = joined_spans(span for part in parts for span in part.kept)
    gaps = tuple(gap for part in parts for gap in part.gaps)
    return Cut(kept, gaps, notes, counted=counted)


class Side(NamedTuple):
    """One text, seen from its start or from its end."""

    text: str
    room: Room
    wide: int  # a line wider than this is shortened

    def leading_lines(self, chars: int, *, most: int | None = None, slack: float = 1.0) -> TakenLines:
        """The first lines that fit in `chars`, and a piece of the next if more than `slack` of them is left."""
        text, reach = self.text, self.room.reach
        part = self._first_lines(chars) if most is None else None
        part = part or self._take(Lines(text).forward(reach), TakenLines((), (), 0, chars, full=False), most)
        if part.edge == len(text) or not _wants_piece(part, chars, slack):
            return part
        edge = floor(text, min(len(text), reach, part.edge + part.left))
        return part._replace(kept=(*part.kept, Span(part.edge, edge)), edge=edge, left=part.left - (edge - part.edge))

    def trailing_lines(
        self, chars: int, *, most: int | None = None, slack: float = 1.0, stop: int = 0, whole: bool = False
    ) -> TakenLines:
        """The last lines that fit, back to `stop`, and a piece of the one before as in `leading_lines`."""
        text = self.text
        far = max(stop, len(text) - self.room.reach)
        part = self._last_lines(chars, stop, far) if most is None else None
        if part is None:
            lines = Lines(text).backward(far, clip=far == stop)
            part = self._take(lines, TakenLines((), (), len(text), chars, full=False), most)
        if part.edge <= stop or whole or not _wants_piece(part, chars, slack):
            return part
        edge = ceil(text, max(far, part.edge - part.left))
        return part._replace(kept=(*part.kept, Span(edge, part.edge)), edge=edge, left=part.left - (part.edge - edge))

    def _first_lines(self, chars: int) -> TakenLines | None:
        """What `_take` would take from the start, found by searching; None where a line may be too wide for that."""
        text, reach = self.text, self.room.reach
        if chars <= 0 or _widest_in(text[:chars]) >= self.wide:
            return None
        edge = len(text) if chars >= len(text) else border_before(text, chars)
        seen = len(text) <= reach or border_after(text, edge + 1) < reach
        return TakenLines((Span(0, edge),) if edge else (), (), edge, chars - edge, full=False, seen=seen)

    def _last_lines(self, chars: int, stop: int, far: int) -> TakenLines | None:
        """What `_take` would take from the end, back to `stop`, or None; nothing before `far` is looked at."""
        text = self.text
        low = max(stop, len(text) - chars)
        if chars <= 0 or _widest_in(text[low:]) >= self.wide:
            return None
        edge = stop if low == stop else border_after(text, low)
        kept = (Span(edge, len(text)),) if edge < len(text) else ()
        seen = far == stop or border_before(text, max(edge - 1, 0)) > far
        return TakenLines(kept, (), edge, chars - (len(text) - edge), full=False, seen=seen)

    def _take(self, lines: Iterable[Span], part: TakenLines, most: int | None) -> TakenLines:
        """Lines as long as they fit. Neighbours are kept as one span: a view may hold thousands of short lines."""
        kept: list[Span] = []
        gaps: list[Gap] = []
        left, edge, backward = part.left, part.edge, part.edge > 0
        run = edge  # where the span begins that the next line would lengthen
        full = seen = False
        for number, (start, end) in enumerate(lines):
            price = min(end - start, self.wide)
            if number == most or price > left:
                full, seen = number == most, True
                break
            if end - start > self.wide:
                middle = _middle(self.text, Span(start, end), self.wide - self.room.gap)
                kept.append(Span(middle.end, run) if backward else Span(run, middle.start))
                gaps.append(middle)
                run = middle.start if backward else middle.end
            left -= price
            edge = start if backward else end
        if edge != run:
            kept.append(Span(edge, run) if backward else Span(run, edge))
        return TakenLines(tuple(kept), tuple(gaps), edge, left, full, seen)


def _widest_in(window: str) -> int:
    """The widest line of a window, with the widest end it may have."""
    return max(map(len, window.replace("\r", "\n").split("\n"))) + len("\r\n")


def _wants_piece(part: TakenLines, chars: int, slack: float) -> bool:
    """Whether a piece of the next line is shown: where nothing else is, or its other end cannot be seen."""
    return not part.full and (not part.seen or not part.kept or part.left > slack * chars)


def line_width_limit(text: str, room: Room, options: Options) -> int:
    """How wide a line may be: `max_line_length`, or its fair share of the room where lines are few."""
    least = max(options.max_line_length, 2 * room.gap)
    few = max(1, room.chars // least)
    lengths = [span.chars for span in islice(Lines(text).forward(room.reach), few + 1)]
    if len(lengths) > few:
        return least
    if sum(lengths) < len(text):
        lengths.append(len(text) - sum(lengths))
    return max(lengths, default=0) if len(lengths) <= 1 else max(least, *shares(lengths, room.chars))


def _middle(text: str, line: Span, keep: int) -> Gap:
    """The middle of a line that is too wide, when `keep` of its characters stay."""
    start = floor(text, line.start + (keep + 1) // 2)
    end = ceil(text, line.end - keep // 2)
    return Gap(start, end, Form.INLINE)


def says_something(line: str) -> bool:
    """Whether a line has words, not only rules, brackets and numbers such as 1.5e+03."""
    letters = filter(str.isalpha, line.replace("e+", "").replace("e-", ""))
    return next(islice(letters, 2, None), "") != ""  # the third of them


# A cut moves to a line border if one lies within this share of its side, and is exact otherwise.
SNAP = 0.2
OPENING = 8_192  # characters in which a diff shows that it is one
LOOKED_AT = 65_536
# A diff is held whole up to twice this, in memory and of a stream: what it changes is told by all of it.
DEEP = 6 << 20
# A side that would lose more than this of its room to reach a border is cut between lines.
MOST_LOST = 0.6
LEAST_BOTH = 160  # characters, below which the end is shown as whole lines or not at all
LEAST_ROOM = 400  # below, counts would take the place of what they count


def head_tail(text: str, room: Room, options: Options) -> Cut:
    """Keep the first 60 and the last 40 percent of what fits, and leave out the middle."""
    if options.kind in {"", "diff"} and is_diff(text):
        return diff_ends(text, room, options)
    side = Side(text, room, _ends_width_limit(text, room, options))
    head_room = round(room.chars * options.head_ratio)
    first = side.leading_lines(head_room, slack=SNAP)
    return cut_of(first, side.trailing_lines(room.chars - head_room, slack=SNAP, stop=first.edge))


def whole_ends(text: str, room: Room, options: Options) -> Cut:
    """Both ends; the beginning alone where room is so short that the end would be a piece of a line."""
    cut = head_tail(text, room, options)
    last = cut.kept[-1].start if len(cut.kept) > 1 else 0
    if room.chars >= LEAST_BOTH or not last or text[last - 1] in "\r\n" or "\n" not in text[:last]:
        return cut
    return cut_of(Side(text, room, _ends_width_limit(text, room, options)).leading_lines(room.chars))


def _ends_width_limit(text: str, room: Room, options: Options) -> int:
    """Lines are shortened where there are many of them; the ends of a few long ones are kept as they are."""
    wide = max(options.max_line_length, 2 * room.gap)
    few = max(1, room.chars // wide)
    many = sum(1 for _ in islice(Lines(text).forward(room.reach), few + 1)) > few
    return wide if many else sys.maxsize


# How a file begins, by the program that wrote the diff. Lines inside a hunk have a mark before them.
FILES = ("diff -", "Index: ", "--- ")
PAIR = compile_pattern(r"--- [^\n]*\n\+\+\+ [^\n]*\n@@ -")
HUNK = "@@"


def is_diff(text: str) -> bool:
    r"""Whether a text is a diff, by how it begins.

    >>> is_diff("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n")
    True
    """
    if text.find("@@ -", 0, OPENING) < 0 and text.find("diff --git ", 0, OPENING) < 0:
        return False  # other texts need not wait for the code that knows diffs
    from overspill.kinds import sniff

    return sniff(text[:LOOKED_AT], total=len(text)).name == "diff"


def depth(text: str, keep: int) -> int:
    """How much is held of either end of a text, if `keep` is what is held of any other."""
    return max(keep, DEEP) if is_diff(text) else keep


def diff_ends(text: str, room: Room, options: Options) -> Cut:
    """Keep the first and the last files of a diff, and count the files and hunks between them."""
    borders = Borders(text)
    counted = room.chars >= LEAST_ROOM and not room.holes and len(text) <= 2 * DEEP
    chars = room.chars - (len(borders.note(())) + 1 if counted else 0)
    head_room = round(chars * options.head_ratio)
    side = Side(text, room, sys.maxsize)
    edge = borders.head(head_room)
    first = TakenLines((Span(0, edge),), (), edge, 0, full=False) if edge else side.leading_lines(head_room, slack=SNAP)
    left = chars - sum(span.chars for span in first.kept)
    edge = borders.tail(left, first.edge)
    last = TakenLines((Span(edge, len(text)),), (), edge, 0, full=False)
    if edge == len(text):
        last = side.trailing_lines(left, slack=SNAP, stop=first.edge)
    cut = cut_of(first, last)
    return cut._replace(notes=(borders.note(cut.kept),)) if counted else cut


class Borders:
    """Where files and hunks begin in a diff."""

    def __init__(self, text: str) -> None:
        self.text = text
        opening = "\n" + text[:LOOKED_AT]
        self._file = next((words for words in FILES if f"\n{words}" in opening), FILES[-1])

    def head(self, room: int) -> int:
        """The last border within `room` of the start, or 0 if that would waste most of it."""
        files, hunks = self.files(0, room), self.hunks(0, room)
        last_file = files[-1] if files else 0
        inside = [at for at in hunks if at > last_file]
        # The header of a file says nothing without a hunk of it.
        best = inside[-1] if len(inside) > 1 else last_file
        return best if best >= room * (1 - MOST_LOST) else 0

    def tail(self, room: int, stop: int) -> int:
        """The first border within `room` of the end: where a file begins, if that is near, or a hunk; or the end."""
        length = len(self.text)
        low, far = max(stop, length - room), length - room * (1 - MOST_LOST)
        for found in (self.files(low, length), self.hunks(low, length)):
            if found and found[0] <= far:
                return found[0]
        return length

    def files(self, start: int, end: int) -> list[int]:
        """Where files begin in a part."""
        found = _lines_with(self.text, self._file, start, end)
        return [at for at in found if PAIR.match(self.text, at)] if self._file == FILES[-1] else [*found]

    def hunks(self, start: int, end: int) -> list[int]:
        """Where hunks begin in a part."""
        return [*_lines_with(self.text, HUNK, start, end)]

    def note(self, kept: tuple[Span, ...]) -> str:
        """How many files and hunks are left out, in the specification's words."""
        length = len(self.text)
        # What several commits changed is one file.
        files = len({self._line(at) for at in _outside(self.files(0, length), kept)})
        hunks = len(_outside(self.hunks(0, length), kept))
        left = sum(count_bytes(self.text, *gap) for gap in omitted_spans(kept, length))
        what = f"{hunks} hunk{'s' * (hunks != 1)}"
        if not files:
            return Wording.HUNKS.format(what, human_bytes(left))
        return Wording.FILES.format(f"{files} file{'s' * (files != 1)}", what, human_bytes(left))

    def _line(self, at: int) -> str:
        end = self.text.find("\n", at)
        return self.text[at : end if end >= 0 else len(self.text)]


def _lines_with(text: str, words: str, start: int, end: int) -> Iterator[int]:
    """Where lines begin with these words."""
    if start == 0 and text.startswith(words):
        yield 0
    at = text.find(f"\n{words}", max(0, start - 1), end)
    while at >= 0:
        yield at + 1
        at = text.find(f"\n{words}", at + 1, end)


def _outside(places: list[int], kept: tuple[Span, ...]) -> list[int]:
    """Which of these places are in no kept part."""
    return [place for place in places if not any(start <= place < end for start, end in kept)]
