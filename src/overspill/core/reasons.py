"""Why a part of a text is shown, in a word of ours: what is kept beside an artifact never quotes the text.

A strategy gives its reasons in words that may name a file or a function. Here each becomes one of a few.

>>> reason_of("what belongs to: fatal"), reason_of("match in src/secret_plan.py"), reason_of("handle_error whole")
('fatal', 'match', 'chosen')
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from overspill.core.spans import Why

CHOSEN = "chosen"
MAX_WHYS = 400
_PART_OF = ("what belongs to: ", "the end of: ", "all of: ")
_BEGIN = (
    ("asked for; ", "focus"),
    ("beside: ", "context"),
    ("definition in ", "definition"),
    ("match in ", "match"),
)

REASONS = {
    "focus": ("asked for", "beside what was asked for"),
    "failed test": (
        "failed test",
        "failed test, said again",
        "what a failed test says",
        "what it says of it",
        "where a failed test fails",
        "all about a failed test",
    ),
    "how it ended": ("how it ended", "the command that failed"),
    "fatal": ("fatal",),
    "exception": (
        "exception",
        "exception of a traceback",
        "exception of a traceback, again",
        "where it was raised",
        "traceback",
    ),
    "assertion": ("assertion",),
    "error": ("error", "error of a new kind", "error in a new file", "where", "speaks of trouble", "mentions trouble"),
    "warning": ("warning",),
    "rare": ("said by few lines", "a record with it", "odd among its like", "an odd row", "largest of its column"),
    "context": ("the rest of a paragraph",),
    "match": (),
    "start": ("first lines", "the start of a long line", "what the file says of itself"),
    "end": ("last lines", "last line", "first or last line", "the end of a long line"),
    "changed file": ("changed file", "commit", "between files"),
    "hunk": ("hunk",),
    "heading": ("heading", "first paragraph", "code block"),
    "definition": ("imports", "outside of functions"),
}
_REASON_OF = {why: reason for reason, whys in REASONS.items() for why in whys}


def reason_of(why: str) -> str:
    """The word for a reason that a strategy gave."""
    for before in _PART_OF:
        why = why.removeprefix(before)
    for begins, reason in _BEGIN:
        if why.startswith(begins):
            return reason
    return _REASON_OF.get(why, CHOSEN)


def told_reasons(whys: Iterable[Why]) -> tuple[list[str], list[int]]:
    """The words that are used, and for each part in order: how far after the last one it begins, its length, its word.

    >>> from overspill.core.spans import Why
    >>> told_reasons([Why(90, 99, "last line"), Why(10, 14, "fatal"), Why(14, 20, "what belongs to: fatal")])
    (['fatal', 'end'], [10, 10, 0, 80, 9, 1])
    """
    merged: list[tuple[int, int, str]] = []
    for start, end, why in sorted(whys):
        reason = reason_of(why)
        if merged and merged[-1][2] == reason and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), reason)
        else:
            merged.append((start, end, reason))
    words = list(dict.fromkeys(reason for _, _, reason in merged))
    flat: list[int] = []
    before = 0
    for start, end, reason in merged[:MAX_WHYS]:
        flat += (start - before, end - start, words.index(reason))
        before = start
    return words, flat
