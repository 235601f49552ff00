r"""Lines that say what no other line says: a unit each, the rarer the better.

A word list finds what somebody thought of; what is rare is found by counting. The counts are those of all of the text,
also where only parts of it are held. Among lines that are alike the odd ones are found by their words: a value that
hardly any other has, a number far from all others.

>>> lines = [f"job {n} done in {n % 7} ms, ok" for n in range(40)]
>>> lines[20], lines[30] = "job 20 done in 900 ms, ok", "job 30 done in 3 ms, killed"
>>> sorted(odd_lines(lines))
[20, 30]

A line is also worth something by where it stands: as the heading of others, and near the top of a ranking. Whoever
sorts rows by a number, the greatest first, says that those at the top matter most.

>>> lines = ["calls  name", *(f"{900 - 7 * at}  f{at}" for at in range(99))]
>>> factors = position_factors(TextLines("\n".join(lines)), range(100))
>>> factors[1] > factors[20] > factors[90] == factors[0] == 1.0
True
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice, pairwise, takewhile
from sys import intern

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.core.spans import Span
from overspill.cut.digest import SignTable, TextLines, counts_of
from overspill.cut.ends import says_something
from overspill.cut.smart.units import DETAIL, NOVEL, ODD, RANKED, RARE, WARNING, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from overspill.cut.digest.survey import Survey

MOST = 4_000  # lines
ODD_ROW = DETAIL - 85  # what the cells of a row say together is new, though each of them is told
TOP_ROW = DETAIL - 45  # the first row of a ranking
LEAST = 0.15  # of novelty, below which a line says nothing new
BEST = WARNING - 10 - RARE  # what novelty adds at the most
FEW = 2  # lines of a template that are looked at
LEAST_ALIKE = 12  # lines, to tell an odd one
FEW_VALUES = 24
LEAST_RECORDS = 5
LEAST_LINES, MOST_LINES = 3, 60  # of a record
LONGEST_RECORD = 800  # characters
RATHER_NEW = 0.7  # of novelty, to show all of its record
MOST_VALUES, FEW_FIELDS = 8, 5  # what fields of one name say; and one of so many of them, at most, says something odd
MOST_ODD = 3  # numbers that are far from all others
SEVERAL = 20  # lines with one value
MOST_LARGE = 8  # rows that are shown for the numbers in one of their columns,
LARGE = 3  # which are so many times the one in the middle
COUNTERS, MEASURES = 3, 4  # columns in which rows may be counted, and of what was measured
STEADY = 0.8  # of the steps from row to row are even
FAR = 4  # times as far from the middle as nine of ten are
_END = "\0"  # of a line, as a word
_without_breaks = SignTable("=,;()[]{}<>\"'", " ")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%"
MANY = 10_000  # lines
AT_ONCE = 500  # lines that are taken apart: more would not stay in the cache of a processor
SOME = 200  # values from which it is seen that a column has many


def novel_units(text: TextLines, survey: Survey) -> list[Unit]:
    """The first line of every template, where it is rare enough to matter, and the odd ones among those alike."""
    templates = survey.templates
    if templates.lines < 2:  # noqa: PLR2004  # a single line is no news
        return []
    lines, starts = text.all, text.starts
    groups = templates.groups_of(text)
    news = ((-templates.novelty(name), places[:FEW]) for name, places in groups.items())
    new = ((less, at) for less, places in news if -less >= LEAST for at in places if says_something(lines[at]))
    found = sorted(new)[:MOST]
    units: list[Unit] = []
    records = RecordPlaces(lines, groups)
    for less, at in found:
        score = RARE + BEST * less * less
        units.append(Unit(starts[at], text.ends[at], score, NOVEL, str(round(less, 2))))
        first, after = records.around(at)
        if after - first > 1 and starts[after] - starts[first] <= LONGEST_RECORD and -less >= RATHER_NEW:
            units.append(Unit(starts[first], text.ends[after - 1], score + 1, "a record with it", odd=True))
    units += _field_units(text, groups)
    for row, at in top_rows(text):
        units.append(Unit(starts[at], text.ends[at], TOP_ROW - row, RANKED, odd=True))
        if row == 0 and (named := names_above(lines, at)) is not None:
            units.append(Unit(starts[named], starts[named + 1], TOP_ROW - 1, RANKED, odd=True))
    tables: list[Any] = [digest for digest in survey.digests if hasattr(digest, "cells_of_rows")]
    for numbers in groups.values():
        if len(numbers) >= LEAST_ALIKE and not tables:  # which know better what is odd
            for at in odd_lines([lines[number] for number in numbers]):
                start, end = starts[numbers[at]], text.ends[numbers[at]]
                units.append(Unit(start, end, RARE + BEST - 10, "odd among its like", str(numbers[0]), odd=True))
    # Rows of tables that are not like the others.
    cells = [digest.cells_of_rows(lines) for digest in tables]
    rows = (at for digest, known in zip(tables, cells, strict=True) for at in digest.odd_rows(lines, known))
    units += [Unit(starts[at], text.ends[at], ODD_ROW, ODD, "row", odd=True) for at in rows]
    for at, name in (found for known in cells for found in largest_rows(known)):
        units.append(Unit(starts[at], text.ends[at], RARE, "largest of its column", name, odd=True))
    return units


def largest_rows(rows: tuple[Sequence[int], list[tuple[str, list[str]]]]) -> Iterator[tuple[int, str]]:
    """The rows with the greatest numbers of each column that has many, and the column.

    >>> [*largest_rows((range(40), [("size", [str((at * 7 % 40) ** 4) for at in range(40)])]))][:2]
    [(17, 'size'), (34, 'size')]
    """
    places, columns = rows
    for name, values in columns if places else ():
        numbers = numbers_in(values) if values[0] else []
        if len(set(numbers)) > LEAST_ALIKE and not _is_steady(numbers):
            largest = sorted(zip(numbers, range(0, -len(numbers), -1), strict=True), reverse=True)[:MOST_LARGE]
            usual = sorted(numbers)[len(numbers) // 2]
            if largest[-1][0] > LARGE * usual >= 0:  # where numbers are spread evenly, the greatest say nothing
                yield from ((places[-at], name) for _, at in largest)


def _is_steady(numbers: list[float]) -> bool:
    """Whether they only grow or only shrink, as counters do; their ends are the ends of the table."""
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))


class RecordPlaces:
    """Where records of several lines begin: at lines that are alike, set apart by blank lines or by indentation.

    >>> lines = [line for n in range(9) for line in (f"- name: p{n}", "  kind: pod", f"  port: {n}", "  state: up")]
    >>> RecordPlaces(lines, {"- name: #": list(range(0, 36, 4))}).around(14)
    (12, 16)
    """

    def __init__(self, lines: list[str], groups: dict[str, list[int]]) -> None:
        self._count = len(lines)
        regular = [places for places in groups.values() if _opens_records(lines, places)]
        self._starts = min(regular, key=lambda places: (_indentation(lines[places[0]]), places[0]), default=[])

    def around(self, at: int) -> tuple[int, int]:
        """The lines of the record that a line is in; the line alone where there is none."""
        number = bisect_right(self._starts, at)
        if not number:
            return at, at + 1
        return self._starts[number - 1], self._starts[number] if number < len(self._starts) else self._count


def _opens_records(lines: list[str], places: list[int]) -> bool:
    # Where lines are so near each other, half of the records would be too short.
    if len(places) < LEAST_RECORDS or 2 * (places[-1] - places[0]) < (LEAST_LINES + 1) * (len(places) - 1):
        return False
    sizes = [after - before for before, after in pairwise(places)]
    usual = sorted(sizes)[len(sizes) // 2]
    if not LEAST_LINES <= usual <= MOST_LINES or sum(sizes) < len(lines) // 2:
        return False
    if all(not lines[at - 1].strip() for at in places[1:]):
        return True
    indent = _indentation(lines[places[0]])
    inner = (lines[at + 1] for at in places[:-1])
    return all(_indentation(line) > indent for line in inner if line.strip())


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _field_units(text: TextLines, groups: Mapping[str, list[int]]) -> Iterator[Unit]:
    """Odd fields, each with the line that says of which record it is."""
    starts, ends, score = text.starts, text.ends, RARE + BEST - 10
    for at, head in odd_fields(text.all, groups):
        yield Unit(starts[at], ends[at], score, "odd in its record", needs=(Span(starts[head], ends[head]),), odd=True)


def odd_fields(lines: Sequence[str], groups: Mapping[str, list[int]]) -> Iterator[tuple[int, int]]:
    """Fields of records that say what few others of their name do, each with the line that its record is set in below.

    >>> lines = [line for n in range(20) for line in (f"door {n}", "  state  shut", "  side  left")]
    >>> lines[22] = "  state  ajar"
    >>> [*odd_fields(lines, {"state shut": [*range(1, 60, 3)], "side left": [*range(2, 60, 3)], "state ajar": [22]})]
    [(22, 21)]
    """
    fields: dict[str, list[tuple[str, list[int]]]] = {}  # what is said of each name
    for template, places in groups.items():
        if lines[places[0]][:1] in _BLANKS and says_something(template):
            fields.setdefault(template.split(" ", 1)[0], []).append((template, places))
    for values in fields.values():
        sizes = [len(places) for _, places in values]
        if 1 < len(values) <= MOST_VALUES and LEAST_ALIKE <= sum(sizes) <= 2 * max(sizes):
            few = (places for said, places in values if len(places) * FEW_FIELDS <= sum(sizes) and "#" not in said)
            odd = [(at, _head_above(lines, at)) for places in few for at in places]
            if len({lines[head] for _, head in odd if says_something(lines[head])}) == len(odd):  # they tell them apart
                yield from odd


def _head_above(lines: Sequence[str], at: int) -> int:
    """The nearest line at the margin above another one, if that is set in by one step; else that one itself."""
    head = next((one for one in range(at - 1, max(-1, at - MOST_LINES), -1) if lines[one][:1].strip()), at)
    return head if head == at or _indentation(lines[head + 1]) == _indentation(lines[at]) else at


def odd_lines(lines: list[str]) -> set[int]:
    """Which of these lines, all alike, hold a value that hardly any other does, or a number far from all others."""
    columns = _even_columns(lines)
    if columns is not None:
        return {at for column in columns for at in _odd_places(column)} | course_places(columns)
    odd = set[int]()
    split = str.split if len(lines) < MANY else _shared_words
    rows = [*map(split, _without_breaks("\n".join(lines)).split("\n"))]
    widths = [*map(len, rows)]
    for width, number in counts_of(widths).items():
        if number < LEAST_ALIKE:
            continue
        places = range(len(rows)) if number == len(rows) else [at for at, one in enumerate(widths) if one == width]
        for column in zip(*map(rows.__getitem__, places), strict=True):
            odd.update(places[number] for number in _odd_places(column))
    return odd


def course_places(columns: Sequence[Sequence[str]]) -> set[int]:
    """Of rows that are counted and say what was measured, as a training or a solver writes them, those that tell most.

    These are the first, the last, and those with the least and the greatest of what was measured.

    >>> course_places([[*map(str, range(9))], ["3.1", "2.5", "2.0", "1.4", "1.1", "0.9", "1.2", "1.3", "1.5"]])
    {0, 8, 5}
    """
    counters = (numbers_in(column) for column in columns[:COUNTERS])
    if not any(_counts_on(numbers) for numbers in counters if numbers):
        return set()
    measured = [numbers_in(column) for column in columns if any("." in value for value in column[:SOME])]
    ends = {numbers.index(end) for numbers in filter(None, measured[:MEASURES]) for end in (min(numbers), max(numbers))}
    return {0, len(columns[0]) - 1} | ends if ends else set()


def _counts_on(numbers: list[float]) -> bool:
    """Whether numbers go up in even steps, and seldom begin anew."""
    steps = counts_of(after - before for before, after in pairwise(numbers))
    step, often = max(steps.items(), key=lambda one: one[1], default=(0.0, 0))
    return step > 0 and often >= STEADY * (len(numbers) - 1)


def _even_columns(lines: list[str]) -> list[list[str]] | None:
    """The words of lines by their places, where all lines have as many: taken apart many at once, not one by one.

    Places at which nothing can be odd are left out: what stands there need not be held.
    """
    columns: dict[int, list[str]] = {}
    shared: dict[str, str] = {}  # what many lines say is held once
    width = 0
    for first in range(0, len(lines), AT_ONCE):
        some = lines[first : first + AT_ONCE]
        words = _without_breaks("\n".join([*some, ""])).replace("\n", f" {_END} ").split()
        width = width or words.index(_END)
        step = width + 1
        ends = words[width::step]
        if not width or len(words) != step * len(some) or not ends.count(_END) == len(some) == words.count(_END):
            return None
        for at in range(width) if not first else [*columns]:
            column = words[at::step]
            if first or _may_be_odd(column):
                columns.setdefault(at, []).extend(
                    map(shared.setdefault, column, column) if len(lines) > MANY else column
                )
    return [*columns.values()]


def _may_be_odd(column: Sequence[str]) -> bool:
    """Whether some of the words may differ from the others by more than being another."""
    return len(counts_of(column[:SOME])) <= FEW_VALUES or bool(numbers_in(column[:1]))


def _shared_words(line: str) -> list[str]:
    """The words of one of many lines: held once each, they take a part of the memory."""
    return [*map(intern, line.split())]


def _odd_places(column: Sequence[str]) -> Iterator[int]:
    if len(counts_of(column[:SOME])) > FEW_VALUES:  # most columns of many values are told by the first of them
        yield from _far_numbers(column)
        return
    if column.count(column[0]) == len(column):
        return
    counts = counts_of(column)
    if len(counts) > min(FEW_VALUES, len(column) // 4):
        yield from _far_numbers(column)
        return
    rare = {value for value, count in counts.items() if count * count <= len(column) // 4 and count <= SEVERAL}
    if rare:
        yield from (at for at, value in enumerate(column) if value in rare)


def _far_numbers(column: Sequence[str]) -> Iterator[int]:
    """Where numbers stand that are far above all others; clocks and counters, which only grow, have none."""
    numbers = numbers_in(column)
    if not numbers or all(map(float.__le__, numbers, islice(numbers, 1, None))):
        return
    ranked = sorted(numbers)
    middle, high = ranked[len(ranked) // 2], ranked[len(ranked) * 9 // 10]
    border = high + FAR * (high - middle) + 1
    if ranked[-1] > border >= ranked[-MOST_ODD - 1]:
        yield from (at for at, number in enumerate(numbers) if number > border)


def numbers_in(column: Sequence[str]) -> list[float]:
    """The column as numbers, a unit that all of them have aside; empty where they are not numbers.

    >>> numbers_in(("3ms", "17ms")), numbers_in(("3ms", "2s")), numbers_in(("10:11", "10:12"))
    ([3.0, 17.0], [], [])
    """
    first = column[0]
    unit = first[len(first.rstrip(LETTERS)) :]
    try:
        float(first.removesuffix(unit))  # most columns that are no numbers are told by the first value
        if not unit:
            return list(map(float, column))
        block = "\n".join([*column, ""])
        if block.count(f"{unit}\n") != len(column):
            return []
        return list(map(float, block.replace(f"{unit}\n", "\n").split("\n")[:-1]))
    except ValueError:
        return []


HEADING = 1.6  # what lines below it are indented under, beside others
TITLE = 7.0  # a line alone that names what follows: titles say in few words what a page is about
LONGEST_TITLE, ENDS = 70, ".,;:!?"  # characters; what sentences end with
TOP = 5.0  # what the first row of a ranking is worth beside others, and rows further down less and less
SHOWN = 20  # rows of it in any case
RANKED_ROWS = 60  # rows from the top
FEWEST = 12  # rows of a ranking
SOUNDED, SOUNDED_ROWS = 40, 8  # places at which a ranking is looked for, and rows that are looked at there
LEAST_DIFFERENT = 3  # of these
NONE = -1.0  # below every number that is read
COLUMNS = (0, 1, 2, 3, 4, 5, -1, -2)
_NUMBER = compile_pattern(
    r"\(?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(%|[KMGT]?i?B?|[num\u00b5]?s)(?:/\d+)?[):,]?$"
)
_BLANKS = {" ", "\t"}
_UNITS = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "n": 1e-9, "u": 1e-6, "\u00b5": 1e-6, "m": 1e-3}
_DRAWN = frozenset("-=+ \u2500\u2501")
RULES, RULE_LINES = 12, 40_000  # drawn lines below which a ranking is looked for, and lines among which they are


def position_factors(text: TextLines, numbers: Sequence[int]) -> list[float]:
    """What each of the lines with these numbers is worth by its place."""
    lines = text.all
    tops = {at: 1 + TOP * (1 - row / RANKED_ROWS) for row, at in ranked_rows(text, RANKED_ROWS)}
    below = {at - 1 for at, line in enumerate(lines) if line[:1] in _BLANKS}  # what most texts have few of
    headings = {at: HEADING for at in below if at >= 0 and is_heading(lines, at)}
    blank = [at for at, line in enumerate(lines) if not line.strip()]
    titles = {at + 1: TITLE for at in (-1, *blank) if at + 1 < len(lines) and is_title(lines, at + 1)}
    factors = headings | titles | tops
    return [factors.get(at, 1.0) for at in numbers] if factors else [1.0] * len(numbers)


def is_title(lines: Sequence[str], at: int) -> bool:
    """Whether a line behind a blank one is the title of a part: a few words that are no sentence, above what is apart.

    >>> [is_title(["", line, "", "It is"], 1) for line in ("4.1. Line Structure", "It works well.", "} else {")]
    [True, False, False]
    """
    line = lines[at].strip()
    if not 0 < len(line) <= LONGEST_TITLE or line[-1] in ENDS or not (line[0].isupper() or line[0].isdigit()):
        return False
    return at + 1 >= len(lines) or not lines[at + 1].strip() or is_heading(lines, at)


def top_rows(text: TextLines) -> Iterator[tuple[int, int]]:
    """The rows that are shown of each ranking, whatever else there is: their places in it, and in the text."""
    return ranked_rows(text, SHOWN)


def names_above(lines: Sequence[str], at: int) -> int | None:
    """The line above a ranking that names its columns, with or without a drawn line between them.

    >>> names_above(["calls  name", "-----  ----", "9  f"], 2), names_above(["1 2 3", "9  f"], 1)
    (0, None)
    """
    above = at - 2 if at > 1 and _is_drawn(lines[at - 1]) else at - 1
    words = lines[above].split() if above >= 0 else []
    return above if words and not any(map(str.isdigit, "".join(words))) else None


def ranked_rows(text: TextLines, most: int) -> Iterator[tuple[int, int]]:
    r"""So many rows of each ranking that is found where it is looked for.

    >>> [*ranked_rows(TextLines("\n".join([*map(str, range(90, 50, -3)), "100", "200", "300"])), 20)][-1]
    (13, 13)
    """
    if text.rankings is None:
        text.rankings = [*_rankings(text.all, _below_rules(text))]
    for start, end in text.rankings:
        yield from enumerate(range(start, min(end, start + most)))


def is_heading(lines: Sequence[str], at: int) -> bool:
    """Whether the line below a line is indented under it."""
    if at + 1 >= len(lines) or lines[at + 1][:1] not in _BLANKS:
        return False
    line, below = lines[at], lines[at + 1]
    return len(line) - len(line.lstrip()) < len(below) - len(below.lstrip()) and bool(line)


def _rankings(lines: Sequence[str], below: Iterable[int]) -> Iterator[tuple[int, int]]:
    """From where to where rankings go; they are looked for all over a text and `below` these lines."""
    after = 0
    sounds = range(0, len(lines) - FEWEST, max(SOUNDED_ROWS, len(lines) // SOUNDED))
    for sound in sorted({*sounds, *below}):
        column = _falling_column(lines[sound : sound + SOUNDED_ROWS]) if sound >= after else None
        if column is not None:
            start, after = _ranking_around(lines, sound, column)
            if after - start >= FEWEST:
                yield start, after


def _below_rules(text: TextLines) -> list[int]:
    """The places below drawn lines: what a table has at its top may be a ranking."""
    lines = islice(text.all if any(f"\n{sign}" in text.text for sign in _DRAWN) else text.all[:1], RULE_LINES)
    rules = (at + 1 for at, line in enumerate(lines) if line[:1] in _DRAWN and _is_drawn(line))
    return [*islice(rules, RULES)]


def _is_drawn(line: str) -> bool:
    return _DRAWN.issuperset(line) and not line.isspace() and len(line) > 1


def _falling_column(rows: Sequence[str]) -> int | None:
    """The first column whose numbers only fall in these rows."""
    first = rows[0].split()
    columns = [column for column in COLUMNS if _is_known(_number_in(first, column))]  # of most texts, none
    cells = [row.split() for row in rows] if columns else []
    for column in columns:
        numbers = [*takewhile(_is_known, (_number_in(row, column) for row in cells))]
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
    >>> number_at("1,111,854  a.c:deflate", 0), number_at("120ms  a.go", 0)
    (1111854.0, 0.12)
    """
    return _number_in(row.split(), column)


def _number_in(cells: list[str], column: int) -> float:
    if not -len(cells) <= column < len(cells):
        return NONE
    match = _NUMBER.match(cells[column])
    return float(match[1].replace(",", "")) * _UNITS.get(match[2][:1], 1.0) if match else NONE
