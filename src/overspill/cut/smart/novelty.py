"""Lines that say what no other line says: a unit each, the rarer the better.

A word list finds what somebody thought of; what is rare is found by counting. The counts are those of all of the text,
also where only parts of it are held. Among lines that are alike the odd ones are found by their words: a value that
hardly any other has, a number far from all others.

>>> lines = [f"job {n} done in {n % 7} ms, ok" for n in range(40)]
>>> lines[20], lines[30] = "job 20 done in 900 ms, ok", "job 30 done in 3 ms, killed"
>>> sorted(odd_lines(lines))
[20, 30]
"""

from __future__ import annotations

from itertools import accumulate

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.cut.digest.templates import counted
from overspill.cut.smart.units import NOVEL, RARE, WARNING, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cut.digest.survey import Survey

MOST = 4_000  # lines
LEAST = 0.15  # of novelty, below which a line says nothing new
BEST = WARNING - 10 - RARE  # what novelty adds at the most
LEAST_ALIKE = 12  # lines, to tell an odd one
FEW_VALUES = 24
MOST_ODD = 3  # lines with one value
FAR = 4  # times as far from the middle as nine of ten are
_BREAKS = str.maketrans(dict.fromkeys("=,;()[]{}<>\"'", " "))
_NUMBER = compile_pattern(r"[-+]?\d+(?:\.\d+)?(?=[a-zA-Z%]{0,3}$)")


def novel_units(text: str, survey: Survey) -> list[Unit]:
    """The first line of every template, where it is rare enough to matter, and the odd ones among those alike."""
    templates = survey.templates
    if templates.lines < 2:  # noqa: PLR2004  # a single line is no news
        return []
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    found = sorted((-new, at) for at, new in templates.firsts_of(lines) if new >= LEAST and lines[at].strip())[:MOST]
    units: list[Unit] = []
    for less, at in found:
        end = min(starts[at + 1], len(text))
        units.append(Unit(starts[at], end, RARE + BEST * less * less, NOVEL, str(round(less, 2))))
    for numbers in templates.groups_of(lines).values():
        if len(numbers) >= LEAST_ALIKE:
            for at in odd_lines([lines[number] for number in numbers]):
                start, end = starts[numbers[at]], min(starts[numbers[at] + 1], len(text))
                units.append(Unit(start, end, RARE + BEST - 10, "odd among its like", str(numbers[0]), odd=True))
    return units


def odd_lines(lines: list[str]) -> set[int]:
    """Which of these lines, all alike, hold a value that hardly any other does, or a number far from all others."""
    odd: set[int] = set()
    by_length: dict[int, list[tuple[int, list[str]]]] = {}
    for at, line in enumerate(lines):
        words = line.translate(_BREAKS).split()
        by_length.setdefault(len(words), []).append((at, words))
    for rows in by_length.values():
        if len(rows) >= LEAST_ALIKE:
            for column in zip(*(words for _, words in rows), strict=True):
                odd.update(rows[number][0] for number in _odd_places(column))
    return odd


def _odd_places(column: tuple[str, ...]) -> Iterator[int]:
    counts = counted(column)
    if len(counts) == 1:
        return
    if len(counts) <= min(FEW_VALUES, len(column) // 4):
        rare = {value for value, count in counts.items() if count * count <= len(column) // 4 and count <= MOST_ODD}
        yield from (at for at, value in enumerate(column) if value in rare)
        return
    yield from _far_numbers(column)


def _far_numbers(column: tuple[str, ...]) -> Iterator[int]:
    """Where numbers stand that are far above all others; clocks and counters, which only grow, have none."""
    found = list(map(_NUMBER.match, column))
    if not all(found):
        return
    numbers = [float(match[0]) for match in found if match]
    if all(map(float.__le__, numbers, numbers[1:])):
        return
    ranked = sorted(numbers)
    middle, high = ranked[len(ranked) // 2], ranked[len(ranked) * 9 // 10]
    border = high + FAR * (high - middle) + 1
    far = [at for at, number in enumerate(numbers) if number > border]
    if len(far) <= MOST_ODD:
        yield from far
