r"""Lines that say the same again, one after the other: shown once and counted.

Only what is literally the same is folded, one line or a block of up to eight.

>>> folds_in("a\n" + "b\n" * 60 + "c\n")
[Fold(start=4, end=122, number=59, noun='line')]
"""

from collections.abc import Iterator

from overspill._lite import NamedTuple

MOST_LINES = 8
LEAST_TIMES = 2  # repeats; what one more line saves is less than its mark
MOST_KNOWN = 4_096  # lines that are remembered, of which the last few matter
LEAST_SAVED = 80  # characters: what is not much longer than a mark is not folded


class Fold(NamedTuple):
    """Characters that repeat, `number` times, the `noun` directly before them."""

    start: int
    end: int
    number: int
    noun: str


def folds_in(text: str) -> list[Fold]:
    """Every run of repeats, from the first on; none of them overlap."""
    lines = text.split("\n")
    folds: list[Fold] = []
    done = 0  # the line up to which all is folded already
    at, seen = 0, 0  # characters before the line `seen`
    for first in _repeating(lines):
        if first < done:
            continue
        run = _run_at(lines, first, max(done, 0))
        if run is None:
            continue
        start, end, block = run
        at += sum(map(len, lines[seen:start])) + start - seen
        length = sum(map(len, lines[start:end])) + end - start
        if length >= LEAST_SAVED:
            noun = "line" if block == 1 else f"{block} lines"
            folds.append(Fold(at, at + length, (end - start) // block, noun))
        at, seen, done = at + length, end, end
    return folds


def _repeating(lines: list[str]) -> Iterator[int]:
    """Numbers of the lines that a run of repeats may begin with: those that stand again within a block's length."""
    last: dict[str, int] = {}
    before = last.get
    for number in range(len(lines) - 1):  # what follows the last line end is no line, or one without an end
        line = lines[number]
        if number - before(line, -MOST_LINES - 1) <= MOST_LINES:
            yield number
        last[line] = number
        if len(last) > MOST_KNOWN:
            last.clear()


def _run_at(lines: list[str], first: int, done: int) -> tuple[int, int, int] | None:
    """Where the repeats begin and end that start at the line `first`, and how many lines one of them has."""
    last = len(lines) - 1
    for block in range(1, MOST_LINES + 1):
        if first - block < done:
            break
        pattern = lines[first - block : first]
        end = first
        while end + block <= last and lines[end : end + block] == pattern:
            end += block
        if end - first >= block * LEAST_TIMES:
            return first, end, block
    return None
