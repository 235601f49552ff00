"""The headings of a document that a `head` cut leaves out, as one short note."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, islice

from overspill.core.markers import one_line

NOTE_WIDTH = 120
OPENING = 12_000
MOST_NAMES = 200
HEADING = r"\n\n#{1,6} ([^\n]{1,80})"


def note_room(text: str, room: int) -> int:
    """Characters to set aside for the note: none unless the text is a document with headings."""
    return NOTE_WIDTH if room >= 4 * NOTE_WIDTH and "\n\n## " in text[:OPENING] else 0


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
    return (one_line(heading[1]) for heading in re.compile(HEADING).finditer(text, max(0, start - 2)))
