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

from itertools import accumulate, islice, repeat

from overspill._lite import TYPE_CHECKING
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
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%"
SOME = 200  # values from which it is seen that a column has many


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
    rows = [line.split() for line in "\n".join(lines).translate(_BREAKS).split("\n")]
    by_length: dict[int, list[int]] = {}
    for at, width in enumerate(map(len, rows)):
        by_length.setdefault(width, []).append(at)
    for places in by_length.values():
        if len(places) >= LEAST_ALIKE:
            for column in zip(*map(rows.__getitem__, places), strict=True):
                odd.update(places[number] for number in _odd_places(column))
    return odd


def _odd_places(column: tuple[str, ...]) -> Iterator[int]:
    if len(counted(column[:SOME])) > FEW_VALUES:  # most columns of many values are told by the first of them
        yield from _far_numbers(column)
        return
    if column.count(column[0]) == len(column):
        return
    counts = counted(column)
    if len(counts) > min(FEW_VALUES, len(column) // 4):
        yield from _far_numbers(column)
        return
    rare = {value for value, count in counts.items() if count * count <= len(column) // 4 and count <= MOST_ODD}
    if rare:
        yield from (at for at, value in enumerate(column) if value in rare)


def _far_numbers(column: tuple[str, ...]) -> Iterator[int]:
    """Where numbers stand that are far above all others; clocks and counters, which only grow, have none."""
    numbers = numbers_in(column)
    if not numbers or all(map(float.__le__, numbers, islice(numbers, 1, None))):
        return
    ranked = sorted(numbers)
    middle, high = ranked[len(ranked) // 2], ranked[len(ranked) * 9 // 10]
    border = high + FAR * (high - middle) + 1
    if ranked[-1] > border >= ranked[-MOST_ODD - 1]:
        yield from (at for at, number in enumerate(numbers) if number > border)


def numbers_in(column: tuple[str, ...]) -> list[float]:
    """The column as numbers, a unit that all of them have aside; empty where they are not numbers.

    >>> numbers_in(("3ms", "17ms")), numbers_in(("3ms", "2s")), numbers_in(("10:11", "10:12"))
    ([3.0, 17.0], [], [])
    """
    first = column[0]
    unit = first[len(first.rstrip(LETTERS)) :]
    if unit:
        if len(unit) == len(first) or not all(map(str.endswith, column, repeat(unit))):
            return []
        column = tuple(value[: -len(unit)] for value in column)
    try:
        return list(map(float, column))
    except ValueError:
        return []
