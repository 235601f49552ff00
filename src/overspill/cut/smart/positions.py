"""What a line is worth by where it stands: as the heading of others, and near the top of a ranking.

Whoever sorts rows by a number, the greatest first, says that those at the top matter most.

>>> lines = ["calls  name", *(f"{900 - 7 * at}  f{at}" for at in range(99))]
>>> factors = position_factors(lines, range(100))
>>> factors[1] > factors[20] > factors[90] == factors[0] == 1.0
True
"""

from __future__ import annotations

from itertools import takewhile

from overspill._lite import TYPE_CHECKING, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEADING = 1.6  # what lines below it are indented under, beside others
TITLE = 7.0  # a line alone that names what follows: titles say in few words what a page is about
LONGEST_TITLE, ENDS = 70, ".,;:!?"  # characters; what sentences end with
TOP = 5.0  # what the first row of a ranking is worth beside others, and rows further down less and less
SHOWN = 20  # rows of it in any case
RANKED = 60  # rows from the top
FEWEST = 12  # rows of a ranking
SOUNDED, AT_ONCE = 40, 8  # places at which a ranking is looked for, and rows that are looked at there
LEAST_DIFFERENT = 3  # of these
NONE = -1.0  # below every number that is read
COLUMNS = (0, 1, 2, 3, 4, 5, -1, -2)
_NUMBER = compile_pattern(r"\(?(\d+(?:\.\d+)?)(%|[KMGT]?i?B?)(?:/\d+)?[):,]?$")
_BLANKS = {" ", "\t"}
_UNITS = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def position_factors(lines: Sequence[str], numbers: Sequence[int]) -> list[float]:
    """What each of the lines with these numbers is worth by its place."""
    tops = {at: 1 + TOP * (1 - row / RANKED) for row, at in ranked_rows(lines, RANKED)}
    below = {at - 1 for at, line in enumerate(lines) if line[:1] in _BLANKS}  # what most texts have few of
    headings = {at: HEADING for at in below if at >= 0 and is_heading(lines, at)}
    blank = [at for at, line in enumerate(lines) if not line.strip()]
    titles = {at + 1: TITLE for at in (-1, *blank) if at + 1 < len(lines) and is_title(lines, at + 1)}
    factors = headings | titles | tops
    return [factors.get(at, 1.0) for at in numbers]


def is_title(lines: Sequence[str], at: int) -> bool:
    """Whether a line behind a blank one is the title of a part: a few words that are no sentence, above what is apart.

    >>> [is_title(["", line, "", "It is"], 1) for line in ("4.1. Line Structure", "It works well.", "} else {")]
    [True, False, False]
    """
    line = lines[at].strip()
    if not 0 < len(line) <= LONGEST_TITLE or line[-1] in ENDS or not (line[0].isupper() or line[0].isdigit()):
        return False
    return at + 1 >= len(lines) or not lines[at + 1].strip() or is_heading(lines, at)


def top_rows(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The rows that are shown of each ranking, whatever else there is: their places in it, and in the text."""
    return ranked_rows(lines, SHOWN)


def ranked_rows(lines: Sequence[str], most: int) -> Iterator[tuple[int, int]]:
    """So many rows of each ranking that is found where it is looked for.

    >>> [*ranked_rows([*map(str, range(90, 50, -3)), "100", "200", "300"], 20)][-1]
    (13, 13)
    """
    for start, end in _rankings(lines):
        yield from enumerate(range(start, min(end, start + most)))


def is_heading(lines: Sequence[str], at: int) -> bool:
    """Whether the line below a line is indented under it."""
    if at + 1 >= len(lines) or lines[at + 1][:1] not in _BLANKS:
        return False
    line, below = lines[at], lines[at + 1]
    return len(line) - len(line.lstrip()) < len(below) - len(below.lstrip()) and bool(line)


def _rankings(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """From where to where rankings go."""
    after = 0
    for sound in range(0, len(lines) - FEWEST, max(AT_ONCE, len(lines) // SOUNDED)):
        column = _falling_column(lines[sound : sound + AT_ONCE]) if sound >= after else None
        if column is not None:
            start, after = _ranking_around(lines, sound, column)
            if after - start >= FEWEST:
                yield start, after


def _falling_column(rows: Sequence[str]) -> int | None:
    """The first column whose numbers only fall in these rows."""
    cells = [row.split() for row in rows]
    for column in COLUMNS:
        numbers = [*takewhile(_is_known, (_number_in(row, column) for row in cells))]  # most have none in the first
        different = len({*numbers}) >= LEAST_DIFFERENT and len(numbers) == len(rows)
        if different and numbers == sorted(numbers, reverse=True):
            return column
    return None


def _ranking_around(lines: Sequence[str], at: int, column: int) -> tuple[int, int]:
    """From where to where the numbers of a column only fall; one that is odd above others is among them.

    >>> _ranking_around(["n", *map(str, (90, 80, 999, 70, 60, 50))], 4, 0)
    (1, 7)
    """
    start, end = at, at + 1
    least = before = number_at(lines[at], column)
    while start and _is_known(above := number_at(lines[start - 1], column)) and above >= before:
        start, before, least = start - 1, min(least, above), above
    while end < len(lines) and NONE < number_at(lines[end], column) <= number_at(lines[end - 1], column):
        end += 1
    return start, end


def _is_known(number: float) -> bool:
    return number > NONE


def number_at(row: str, column: int) -> float:
    """The number in a column of a row; `NONE` where there is none.

    >>> [number_at("  12K  7.5%  (3)  a.c", column) for column in (0, 1, 2, 3)]
    [12000.0, 7.5, 3.0, -1.0]
    """
    return _number_in(row.split(), column)


def _number_in(cells: list[str], column: int) -> float:
    if not -len(cells) <= column < len(cells):
        return NONE
    match = _NUMBER.match(cells[column])
    return float(match[1]) * _UNITS.get(match[2][:1], 1.0) if match else NONE
