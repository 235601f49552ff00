"""Both ends of a text, by characters: `head_tail`, the default."""

from __future__ import annotations

import sys
from itertools import islice

from overspill._lite import TYPE_CHECKING
from overspill.cut.lines import Lines, Side, cut_of

if TYPE_CHECKING:
    from overspill.core.spans import Cut, Options, Room

# A cut moves to a line border if one lies within this share of its side, and is exact otherwise.
SNAP = 0.2
DIFF_OPENING = 8_192  # characters in which a diff shows that it is one


def head_tail(text: str, room: Room, options: Options) -> Cut:
    """Keep the first 60 and the last 40 percent of what fits, and leave out the middle."""
    if options.kind in {"", "diff"} and _may_be_diff(text):
        from overspill.cut.diff_ends import diff_ends, is_diff

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
