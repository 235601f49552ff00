r"""What need not be shown again or at all: repeated lines, lines that differ in numbers alone, embedded media.

Lines that say the same again, one after the other, are shown once and counted. Only what is literally the same
is folded, one line or a block of up to eight.

>>> folds_in("a\n" + "b\n" * 60 + "c\n")
[Fold(start=4, end=122, number=59, noun='line')]

Of a run of log lines, below a warning, that differ in numbers, ids and times alone, the first and the last stay.

>>> text = "".join(f"12:00:0{n} INFO job {n} of the long queue is done\n" for n in range(1, 10))
>>> [(text[start:end].count("\n"), start // 44) for start, end in similar_in(text)]
[(7, 1)]

Embedded media are images and other data written as letters, which no reader of text can use.

>>> found = media_in("x = 'data:image/png;base64," + "iVBORw0KGgo" * 60 + "'")
>>> [(one.name, one.end - one.start > 600) for one in found]
[('image/png', True)]
"""

from __future__ import annotations

from itertools import accumulate, groupby, repeat

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core import count_lines
from overspill.core.spans import Span
from overspill.cut.smart.shapes import LOUDER, QUIET_WORDS, WIDEST, stamp_width, without_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def folds_in(text: str, lines: list[str] | None = None) -> list[Fold]:
    """Every run of repeats, from the first on; they do not overlap. `lines` are those of the text, if known."""
    lines = text.split("\n") if lines is None else lines
    if len({*lines}) == len(lines):
        return []
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
            counted = count_lines("\n".join([*lines[start : start + block], ""]))  # a CR ends a line, too
            noun = "line" if counted == 1 else f"{counted} lines"
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


REACH = 8_192  # characters from either end: nothing else is shown without a reason of its own
LEAST_LINES = 4
LEAST_SAVED_BY_LINES = 120
_END = "\0"  # of a line


def similar_in(text: str) -> list[Span]:
    """The inner lines of every run, at both ends of the text."""
    if len(text) <= 2 * REACH:
        return _similar_runs(text, 0, len(text))
    return [*_similar_runs(text, 0, REACH), *_similar_runs(text, text.rfind("\n", 0, len(text) - REACH) + 1, len(text))]


def _similar_runs(text: str, start: int, end: int) -> list[Span]:
    part = text[start:end]
    if not (quiet := [word for word in QUIET_WORDS if word in part]):
        return []
    lines = part.split("\n")[:-1]  # what may follow the last line end is a piece of a line, or the last one
    starts = [*accumulate(map((1).__add__, map(len, lines)), initial=start)]
    runs, first = list[Span](), 0
    for key, alike in groupby(_quiet_keys([line[:WIDEST] for line in lines], quiet)):
        after = first + len([*alike])
        if key and after - first >= LEAST_LINES:
            inner = Span(starts[first + 1], starts[after - 1])
            runs += [inner] if inner.chars >= LEAST_SAVED_BY_LINES else []
        first = after
    return runs


def _quiet_keys(lines: list[str], quiet: list[str]) -> list[str]:
    """What each line says, stamps and numbers aside; nothing where it is not of one of the quiet levels, or is loud.

    >>> _quiet_keys(["12:00:01 INFO job 1", "12:00:02 INFO 2 errors", "job 3"], ["INFO"])
    ['INFO job #', '', '']
    """
    small = "".join(lines).lower()
    loud = [word for word in LOUDER if word in small]  # few, in most parts none
    calm = [any(map(is_said_early, repeat(line), quiet)) for line in lines]
    if loud:
        smalls = map(str.lower, lines)
        calm = [one and not any(word in small for word in loud) for one, small in zip(calm, smalls, strict=True)]
    bare = [line[stamp_width(line) :] if one else "" for one, line in zip(calm, lines, strict=True)]
    keys = without_numbers(_END.join(bare)).split(_END)  # all at once takes half of the time
    return keys if len(keys) == len(lines) else [*map(without_numbers, bare)]


EARLY = 60  # characters before the level of a line
_JOINING = frozenset("._")  # what a word goes on behind


def is_said_early(line: str, word: str) -> bool:
    """Whether a level is said in a line by itself, behind not too much else: as `QUIET` tells it, sooner.

    >>> [is_said_early(line, "INFO") for line in ("12:01 [INFO] up", "x.INFO", "INFORM", " " * 61 + "INFO")]
    [True, False, False, False]
    """
    at, until = line.find(word, 0, EARLY + len(word)), EARLY + len(word)
    while at >= 0:
        before, behind = line[at - 1 : at] if at else "", line[at + len(word) : at + len(word) + 1]
        if not (before.isalnum() or before in _JOINING or behind.isalnum() or behind == "_"):
            return True
        at = line.find(word, at + 1, until)
    return False


SHORTEST = 400  # characters
SHOWN = 24  # of them, so that it can be recognised
LONG_LINE = 500
_URL = r"data:([\w.+-]+/[\w.+-]+)[^,\s]{0,100},([A-Za-z0-9+/=%_-]+)"
_RUN = r"[A-Za-z0-9+/_-]++={0,2}"


class Media(NamedTuple):
    """Characters that stand for something that is no text."""

    start: int
    end: int
    name: str


def media_in(text: str) -> list[Media]:
    """All that is embedded, in order."""
    found: dict[int, Media] = {}
    if "data:" in text:
        for match in compile_pattern(_URL).finditer(text):
            if match.end(2) - match.start(2) >= SHORTEST:
                found[match.start(2)] = Media(match.start(2) + SHOWN, match.end(2), match[1])
    for start, end in _long_lines(text):
        for match in compile_pattern(_RUN).finditer(text, start, end):
            if match.end() - match.start() >= SHORTEST and match.start() not in found and _is_encoded(match[0]):
                found[match.start()] = Media(match.start() + SHOWN, match.end(), "base64")
    return [found[start] for start in sorted(found)]


def _long_lines(text: str) -> Iterator[tuple[int, int]]:
    at, length = 0, len(text)
    while length - at > LONG_LINE:
        # The last line end within the length of a long line: all lines up to it are shorter.
        border = text.rfind("\n", at, at + LONG_LINE + 1)
        if border < 0:
            border = text.find("\n", at + LONG_LINE)
            border = length if border < 0 else border
            yield at, border
        at = border + 1


def _is_encoded(run: str) -> bool:
    """Whether letters of both sizes and digits are in it, as in what was encoded."""
    sample = run[:SHORTEST]
    return sample.lower() != sample != sample.upper() and any(map(str.isdigit, sample))
