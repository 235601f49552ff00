"""Tables with a sign between their cells, and the headings of those that are drawn with bars and rules.

Several tables may stand below each other, and a heading may have several lines, such as one of types. What stands
between where a table begins and its first rule is a heading, if rows follow.

>>> read_headings(["+---+---+", "| a | b |", "| n | s |", "+---+---+", "| 1 | x |", "+---+---+"], "|", fresh=True)
[['| a | b |', '| n | s |']]
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

BARS = "|\u2502"  # they may stand around a row
RULE = "-=+|:_ \t\u2500\u2502\u253c\u2502\u2551\u2550\u256a\u251c\u2524\u252c\u2534\u250c\u2510\u2514\u2518"
MOST_LINES = 4  # of a heading
_RULE = r"[\s|+:\u2502\u2551]*[-=_\u2500-\u257f][\s|+:=_\u2500-\u257f-]*"
_HEADING = rf"(?<=o)(?:r(?P<lines>b{{1,{MOST_LINES}}})|(?P<line>b))r(?=b)"


class Rows(NamedTuple):
    """Cells by column, and the numbers of the lines they stand in."""

    columns: Sequence[Sequence[str]]
    places: Sequence[int]


class SeparatedLayout:
    """Cells with a character between them, quoted where they hold it."""

    margin = 0

    def __init__(self, separator: str, number: int, header: str) -> None:
        self.separator = separator
        self.number = number
        self.header = header.rstrip()
        self.names = numbered_names(split_cells(header, separator) if header else [], number)
        self.headings = {self.header}  # no rows either

    def name_columns(self, headings: list[list[str]]) -> None:
        """Take their names from the headings that are drawn; tables with different ones have numbers for names."""
        cells = [split_cells(heading[0], self.separator) for heading in headings]
        fitting = [names for names in cells if len(names) == self.number]
        if fitting:
            same = fitting.count(fitting[0]) == len(fitting)
            self.header = headings[cells.index(fitting[0])][0] if same else ""
            self.names = numbered_names(fitting[0] if same else [], self.number)

    def rows(self, lines: list[str], at: int) -> Rows:
        separator, width, headings = self.separator, self.number, self.headings
        if separator in BARS or '"' in "".join(lines):
            split = [split_cells(line, separator) for line in lines]
        else:
            split = [line.split(separator) for line in lines]
        places = [
            number
            for number, cells in enumerate(split)
            if len(cells) == width and lines[number].strip(RULE) and lines[number].rstrip() not in headings
        ]
        columns = [*zip(*map(split.__getitem__, places), strict=True)] if places else [()] * width
        return Rows(columns, [at + number for number in places])


def split_cells(line: str, separator: str) -> list[str]:
    """The cells of a line.

    >>> split_cells('a,"b, c",d', ","), split_cells("| a | b |", "|")
    (['a', 'b, c', 'd'], ['a', 'b'])
    """
    if separator in BARS:
        return [cell.strip() for cell in line.strip().strip(separator).split(separator)]
    if '"' not in line:
        return line.split(separator)
    from csv import Error, reader

    try:
        return next(reader([line], delimiter=separator), [])
    except Error:
        return []


def numbered_names(cells: list[str], number: int) -> list[str]:
    """Names for so many columns: their cells of a header, or their numbers.

    >>> numbered_names(["id", ""], 3)
    ['id', 'column 2', 'column 3']
    """
    return [cell or f"column {at + 1}" for at, cell in enumerate((cells + [""] * number)[:number])]


def read_headings(lines: list[str], bar: str, *, fresh: bool) -> list[list[str]]:
    """The headings in these lines; `fresh` says that the line before the first belongs to no table."""
    kinds = "".join(["o" if fresh else "b", *(_kind(line, bar) for line in lines)])
    found = [heading.span(heading.lastgroup or 0) for heading in compile_pattern(_HEADING).finditer(kinds)]
    return [[line.rstrip() for line in lines[start - 1 : end - 1]] for start, end in found]


def undecided_lines(lines: list[str], bar: str) -> int:
    """How many lines at the end may turn out to be a heading when more is known."""
    last = lines[-(MOST_LINES + 3) :]
    number = next((at for at, line in enumerate(reversed(last)) if _kind(line, bar) == "o"), len(last))
    return number if number < MOST_LINES + 3 else 0


def ends_outside(lines: list[str], bar: str) -> bool:
    """Whether the last of these lines belongs to no table."""
    return not lines or _kind(lines[-1], bar) == "o"


def _kind(line: str, bar: str) -> str:
    """Of a rule, of a line with bars, or of any other."""
    if compile_pattern(_RULE).fullmatch(line):
        return "r"
    return "b" if bar in line else "o"
