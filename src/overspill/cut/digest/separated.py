"""Tables with a sign between their cells, and the headings of those that are drawn with bars and rules; rows of JSON.

A cell in quotes may hold ends of lines: a row is then as many lines, and stands where the first of them does.

Several tables may stand below each other, and a heading may have several lines, such as one of types. What stands
between where a table begins and its first rule is a heading, if rows follow.

>>> read_headings(["+---+---+", "| a | b |", "| n | s |", "+---+---+", "| 1 | x |", "+---+---+"], "|", fresh=True)
[['| a | b |', '| n | s |']]
"""

from __future__ import annotations

from itertools import pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, cached_property, compile_pattern
from overspill.core.spans import Span
from overspill.cut.digest import BLANK, counts_of, without_digits
from overspill.cut.digest.templates import WIDEST
from overspill.cut.digest.values import json_word, value_word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from overspill.cut.digest.columns import Table

BARS = "|\u2502"  # they may stand around a row
RULE = "-=+|:_.# \t\u2500\u2502\u253c\u2502\u2551\u2550\u256a\u251c\u2524\u252c\u2534\u250c\u2510\u2514\u2518"
MOST_LINES = 4  # of a heading
LONGEST_ROW = 500  # lines; a quote that is not closed within them is part of its line
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
        names = [json_word(name) if "\n" in name else name for name in split_cells(header, separator)] if header else []
        self.names = numbered_names(names, number)
        self.headings = {self.header}  # no rows either

    def name_columns(self, headings: list[list[str]]) -> None:
        """Take their names from the headings that are drawn; tables with different ones have numbers for names."""
        cells = [split_cells(heading[0], self.separator) for heading in headings]
        fitting = [names for names in cells if len(names) == self.number]
        if fitting:
            same = fitting.count(fitting[0]) == len(fitting)
            self.header = headings[cells.index(fitting[0])][0] if same else ""
            self.names = numbered_names(fitting[0] if same else [], self.number)

    def whole_rows(self, lines: list[str]) -> list[tuple[int, str]]:
        """The lines, those of one row joined, each with the number of its first line."""
        return [*join_rows(lines, self.separator, self.number)]

    def rows(self, lines: list[str], at: int) -> Rows:
        separator, width, headings = self.separator, self.number, self.headings
        starts: Sequence[int] = range(len(lines))
        if separator in BARS:
            split = [split_cells(line, separator) for line in lines]
        elif '"' in "".join(lines):
            whole = self.whole_rows(lines)
            starts, lines = [start for start, _ in whole], [line for _, line in whole]
            split = [split_cells(line, separator) for line in lines]
        else:
            split = [line.split(separator) for line in lines]
        places = [
            number
            for number, cells in enumerate(split)
            if len(cells) == width and lines[number].strip(RULE) and lines[number].rstrip() not in headings
        ]
        columns = [*zip(*map(split.__getitem__, places), strict=True)] if places else [()] * width
        others = self._other_headings(columns)
        if others:
            places = [number for nth, number in enumerate(places) if nth not in others]
            columns = [*zip(*map(split.__getitem__, places), strict=True)] if places else [()] * width
        return Rows(columns, [at + starts[number] for number in places])

    def _other_headings(self, columns: Sequence[Sequence[str]]) -> set[int]:
        """Which rows are headings of further tables: half of their cells are names of the first one's columns."""
        named: list[int] = []
        for name, cells in zip(self.names, columns, strict=True):
            if name in cells:
                named += [nth for nth, cell in enumerate(cells) if cell == name]
        return {nth for nth, count in counts_of(named).items() if count > 1 and 2 * count >= self.number}


def join_rows(lines: list[str], separator: str, number: int = 0) -> Iterator[tuple[int, str]]:
    r"""The lines, those that a cell in quotes holds the ends of joined, each with the number of the first.

    A row of several lines has `number` cells, or any number if that is 0.

    >>> [*join_rows(['a,b', '1,"x', 'y"', '2,z'], ",")]
    [(0, 'a,b'), (1, '1,"x\ny"'), (3, '2,z')]
    """
    at = 0
    for span in _long_rows(lines, separator, number):
        yield from enumerate(lines[at : span.start], at)
        yield span.start, "\n".join(lines[span.start : span.end])
        at = span.end
    yield from enumerate(lines[at:], at)


def _long_rows(lines: list[str], separator: str, number: int) -> Iterator[Span]:
    """Where rows of several lines stand: a line that opens a cell, or closes the last, has an odd number of quotes."""
    after = 0
    for first, last in pairwise(_odd_lines(lines, separator)):
        if first >= after and last - first < LONGEST_ROW and _opens(lines[first], separator):
            cells = _strict_cells(lines[first : last + 1], separator)
            if cells and number in (0, len(cells)):
                after = last + 1
                yield Span(first, after)


def _odd_lines(lines: list[str], separator: str) -> list[int]:
    if separator in BARS or '"' not in "".join(lines):
        return []
    return [at for at, line in enumerate(lines) if line.count('"') % 2]


def unclosed_lines(lines: list[str], separator: str, number: int) -> int:
    """How many lines at the end may be the beginning of a row that goes on."""
    odd = _odd_lines(lines, separator)
    if not odd or len(lines) - odd[-1] >= LONGEST_ROW or not _opens(lines[odd[-1]], separator):
        return 0
    last = max((span.end for span in _long_rows(lines, separator, number)), default=0)
    return len(lines) - odd[-1] if odd[-1] >= last else 0


def _opens(line: str, separator: str) -> bool:
    """Whether a cell in quotes is open at the end of a line: then a quote below closes it, and is no row by itself."""
    from csv import Error, reader

    try:
        return len([*reader([f"{line}\n", '"'], delimiter=separator)]) == 1
    except Error:
        return False


def _strict_cells(lines: list[str], separator: str) -> list[str]:
    """The cells of the one row that these lines are, or none: behind the end of a cell a separator has to stand."""
    from csv import Error, reader

    try:
        rows = [*reader(["\n".join(lines)], delimiter=separator, strict=True)]
    except Error:
        return []
    return rows[0] if len(rows) == 1 else []


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


SAID_AGAIN = 0.5  # of the lines below what would be a header


def say_again(lines: list[list[str]], names: list[str]) -> bool:
    """Whether most of these lines, taken apart, have two of the names in their places: as words of a sentence have.

    >>> rows = ["ant 1 needs bee, which is lost", "cat 2 needs dog, which is lost"]
    >>> say_again([row.split() for row in rows], ["elk", "v3", "needs", "fox,", "which"])
    True
    """
    again = sum(1 for words in lines if sum(map(str.__eq__, words, names)) > 1)
    return again > SAID_AGAIN * len(lines)


SMALL = 0.1  # of a text: another table below the one it is told by
MOST_TITLED = 2  # headers below titles: more of them are no chance
_TITLED = r"(?:^|.*- )(?:x ){1,4}(?:- )+$"


def _is_other_header(line: str, header: str) -> bool:
    """Whether a line in the midst of a table may name the columns of another one."""
    return len(line.split()) > MOST_TITLED and not any(map(str.isdigit, line)) and line.strip() not in header


def _is_drawn(line: str) -> bool:
    return not line.strip(RULE) and len(line.strip()) > MOST_TITLED


def has_titles(lines: list[str], header: str) -> bool:
    """Whether it is several tables: the names of columns stand there again and again, or others above a drawn line.

    >>> part = ["Function: f", "", "Hits  Line", "9  x = 1", "3  y", "4  z", "2  a", "1  b", ""]
    >>> has_titles(part * 3, "Hits  Line"), has_titles([*part[2:], *part[2:], *part[2:]], "Hits  Line")
    (True, False)
    """
    places = [at for at, line in enumerate(lines) if line.rstrip() == header] if header else []
    most = int(len(lines) * (1 - SMALL))  # what is only a small part of the text is passed over
    below = pairwise(lines[places[0] + 1 : most]) if places else ()
    if any(_is_other_header(line, header) and _is_drawn(rule) for line, rule in below):
        return True
    titled = 0
    for at in places:
        above = "".join("x " if line.strip(RULE) else "- " for line in lines[max(0, at - 8) : at])
        titled += compile_pattern(_TITLED).match(above) is not None
    return titled > MOST_TITLED


MOST_WORDS = 2.5  # of a cell on average


def are_cells(cells: list[list[str]]) -> bool:
    """Whether what stands there are cells, and not sentences."""
    number = sum(map(len, cells)) or 1
    return sum(len(cell.split()) for row in cells for cell in row) <= MOST_WORDS * number


def is_in_column(name: str, column: Collection[str]) -> bool:
    """Whether what may be the name of a column is a cell like those below it: `loss: 0.3` above `loss: 0.2` is none.

    >>> is_in_column("loss: 0.31", ["loss: 0.27"]), is_in_column("p95", ["0.27"]), is_in_column("2026", ["31"])
    (True, False, False)
    """
    if name in column:
        return True
    form = without_digits(name)
    return form != name and any(map(str.isalpha, form)) and form in map(without_digits, column)


BYTES = 0.8  # of the lines show bytes, where a text does
_BYTES = r"[0-9a-fA-F]{4,16}:?\s+(?:[0-9a-fA-F]{2,8}\s+){4,}"


def are_bytes(lines: list[str]) -> bool:
    """Whether most of these lines show bytes by their numbers: they have columns, but these say nothing.

    >>> are_bytes(["00000010  7f 45 4c 46 02 01  |.ELF..|"]), are_bytes(["1200 17 42 33 70 99"])
    (True, False)
    """
    found = [one[0] for line in lines if (one := compile_pattern(_BYTES).match(line.lstrip()))]
    lettered = any(letter in "abcdefABCDEF" for one in found for letter in one)  # a table of numbers has none
    return lettered and len(found) >= BYTES * len(lines)


def goes_on(line: str, margin: int) -> bool:
    """Whether a line begins so far right that it goes on with the row above it."""
    return 0 < margin <= len(line) - len(line.lstrip())


def most_frequent(numbers: list[int]) -> int:
    """The number that is there most often."""
    return max(set(numbers), key=numbers.count) if numbers else 0


def word_spans(line: str) -> list[Span]:
    """Where the words of a line stand."""
    return [Span(*word.span()) for word in compile_pattern(r"\S+").finditer(line)]


# ---- texts in quotes, in lines that are alike but have not as many words: `msg="all is well"` ----

REPEATED, SENTENCE = 2, 20  # lines that say one of the texts, or characters of one, on average
_QUOTED_TEXT = compile_pattern(r'"[^"\n]*"')


def with_whole_quotes(lines: Sequence[str]) -> list[str]:
    r"""Lines in which a text in quotes is one word.

    >>> [line.split() for line in with_whole_quotes(['level=info msg="all is well" n=3'])]
    [['level=info', 'msg="all\x00is\x00well"', 'n=3']]
    """
    block = _QUOTED_TEXT.sub(lambda found: found[0].replace(" ", BLANK).replace("\t", BLANK), "\n".join(lines))
    return block.split("\n")


def quoted_texts(counts: Mapping[str, int]) -> tuple[dict[str, int], str, str]:
    r"""The texts in these words, in quotes, and what stands before and behind them; none where that is not the same.

    Nor where they are long, and hardly one is said twice.

    >>> quoted_texts({'msg="all\0is\0well",': 3, 'msg="done",': 1})
    ({'"all is well"': 3, '"done"': 1}, 'msg=', ',')
    """
    ends = {(value.partition('"')[0], value.rpartition('"')[2]) for value in counts}
    head, tail = next(iter(ends))
    least = len(head) + len(tail) + len('""')
    if len(ends) > 1 or any(len(value) < least for value in counts):
        return {}, "", ""
    if REPEATED * len(counts) > sum(counts.values()) and sum(map(len, counts)) > (SENTENCE + least) * len(counts):
        return {}, "", ""  # texts that are read, not counted
    texts = (json_word(value[len(head) + 1 : -len(tail) - 1].replace(BLANK, " ")) for value in counts)
    return dict(zip(texts, counts.values(), strict=True)), head, tail


FEWEST_RULES, WITHIN, BLANK_SHARE = 3, 12, 0.9  # columns; lines from the top; of the lines those with blanks between


def ruled_gaps(lines: list[str]) -> list[Span]:
    """What lies between columns that are drawn below their names, each as wide as it is; nothing where none are.

    >>> ruled_gaps(["ID  St UUID", "--- -- ----", "  1 P  00aa", " 12 P  00bb"])
    [Span(start=3, end=4), Span(start=6, end=7)]
    """
    for rule in lines[1:WITHIN]:
        bars = [found.span() for found in compile_pattern(r"-+|=+").finditer(rule)]
        if len(bars) < FEWEST_RULES or rule.strip("-= "):
            continue
        gaps = [Span(one[1], two[0]) for one, two in pairwise(bars)]
        blank = sum(all(line[start:end].isspace() or len(line) <= start for start, end in gaps) for line in lines)
        return gaps if blank + 1 >= BLANK_SHARE * len(lines) else []
    return []


# ---- lines of JSON among others, or behind what another program put before them: a log of records -------------------

SHARE, MOST_ODD, FEWEST_OBJECTS = 0.55, 60, 8
FARTHEST = 120  # characters before an object


def object_in(line: str) -> dict[str, object] | None:
    """The object that a line ends with.

    >>> object_in('web-1 | {"level": "info"}'), object_in("all is well"), object_in('{"a": 1} {"b": 2}')
    ({'level': 'info'}, None, None)
    """
    from msgspec import DecodeError
    from msgspec.json import decode

    at = line.find('{"', 0, FARTHEST)
    bare = line.rstrip()
    if at < 0 or bare[-1:] != "}" or len(bare) > WIDEST:
        return None
    try:
        found = decode(bare[at:])
    except (DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return found if isinstance(found, dict) else None


def share_of(lines: list[str]) -> float:
    """The share of lines that end with an object."""
    filled = [line for line in lines if line.strip()]
    return sum(object_in(line) is not None for line in filled) / max(1, len(filled))


class JsonLineCollector:
    """Adds up the objects that lines end with."""

    def __init__(self) -> None:
        from overspill.cut.digest.columns import Table  # which texts in quotes do not need

        self._table = Table()
        self._lines = 0

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        found = [(row, self._lines + at) for at, line in enumerate(lines) if (row := object_in(line)) is not None]
        self._lines += len(lines)
        if found:
            rows, places = zip(*found, strict=True)
            self._table.add(rows, places)

    def digest(self) -> JsonLineDigest | None:
        """What they add up to, if they are some."""
        return JsonLineDigest(self._table) if self._table.rows >= FEWEST_OBJECTS else None


class JsonLineDigest:
    """What the objects that lines end with add up to."""

    share = SHARE
    beside = True  # other lines, of which more can be told

    def __init__(self, table: Table) -> None:
        self._table = table

    def statements(self, room: int) -> tuple[str, ...]:
        """What is said of them, at most `room` characters, line ends included."""
        from overspill.cut.digest.statements import table_statements

        told = table_statements(self._table, room)
        # A name may hold signs that nobody sees, which the text has in letters.
        return tuple(one for one in told if all(map(str.isprintable, one.split("\n"))))

    def tells(self, line: str) -> bool:
        """Whether this line ends with an object that is like the others."""
        found = object_in(line)
        return found is not None and self._odd_cells.isdisjoint(cells_of(found))

    @cached_property
    def _odd_cells(self) -> set[tuple[str, str]]:
        return {(odd.column, odd.value) for odd in self._table.odd_rows()[:MOST_ODD]}


def cells_of(row: dict[str, object], path: str = "") -> Iterator[tuple[str, str]]:
    """The values of an object, however deep, each with the names that lead to it.

    >>> [*cells_of({"level": "info", "at": {"zone": 3}})]
    [('level', 'info'), ('at.zone', '3')]
    """
    for name, value in row.items():
        if isinstance(value, dict):
            yield from cells_of(value, f"{path}{name}.")
        elif not isinstance(value, list):
            yield f"{path}{name}", value_word(value)
