r"""Both ends of a text, by characters: `head_tail`, the default.

Both ends of a diff: its first and its last files, cut where a file or a hunk begins.

>>> is_diff("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n")
True
"""

from __future__ import annotations

import sys
from itertools import islice

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.core import count_bytes, human_bytes
from overspill.core.markers import Wording
from overspill.core.spans import Cut, Options, Room, Span, omitted_spans
from overspill.cut.lines import Lines, Side, TakenLines, cut_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# A cut moves to a line border if one lies within this share of its side, and is exact otherwise.
SNAP = 0.2
DIFF_OPENING = 8_192  # characters in which a diff shows that it is one


def head_tail(text: str, room: Room, options: Options) -> Cut:
    """Keep the first 60 and the last 40 percent of what fits, and leave out the middle."""
    if options.kind in {"", "diff"} and _may_be_diff(text):
        from overspill.cut.ends import diff_ends, is_diff

        if is_diff(text):
            return diff_ends(text, room, options)
    side = Side(text, room, _ends_width_limit(text, room, options))
    head_room = round(room.chars * options.head_ratio)
    first = side.leading_lines(head_room, slack=SNAP)
    return cut_of(first, side.trailing_lines(room.chars - head_room, slack=SNAP, stop=first.edge))


def _may_be_diff(text: str) -> bool:
    """A quick look, so that other texts need not wait for the code that knows diffs."""
    return text.find("@@ -", 0, DIFF_OPENING) >= 0 or text.find("diff --git ", 0, DIFF_OPENING) >= 0


def _ends_width_limit(text: str, room: Room, options: Options) -> int:
    """Lines are shortened where there are many of them; the ends of a few long ones are kept as they are."""
    wide = max(options.max_line_length, 2 * room.gap)
    few = max(1, room.chars // wide)
    many = sum(1 for _ in islice(Lines(text).forward(room.reach), few + 1)) > few
    return wide if many else sys.maxsize


SNAP = 0.2  # a side that reaches no border is cut between lines if one ends within this share of it
LOOKED_AT = 65_536
OPENING = 8_192
# A diff is held whole up to twice this, in memory and of a stream: what it changes is told by all of it.
DEEP = 6 << 20
# A side that would lose more than this of its room to reach a border is cut between lines.
MOST_LOST = 0.6

LEAST_ROOM = 400  # below, counts would take the place of what they count

# How a file begins, by the program that wrote the diff. Lines inside a hunk have a mark before them.
FILES = ("diff -", "Index: ", "--- ")
PAIR = compile_pattern(r"--- [^\n]*\n\+\+\+ [^\n]*\n@@ -")
HUNK = "@@"


def is_diff(text: str) -> bool:
    """Whether a text is a diff, by how it begins."""
    if text.find("@@ -", 0, OPENING) < 0 and text.find("diff --git ", 0, OPENING) < 0:
        return False
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
