r"""Tables and records in plain text: aligned columns, CSV and the like, blocks of `key: value`.

What a text is made of is measured: gaps that most lines have at the same place, the same number of separators in most
lines, keys before a colon or an equals sign. Lines that do not fit are no rows, and nothing is said of them.

>>> lines = ["NAME   READY  STATUS", *(f"web-{n}  1/1    {'Failed' if n == 7 else 'Running'}" for n in range(10))]
>>> collector = TableCollector()
>>> collector.add(lines)
>>> print(*collector.digest().statements(200), sep="\n")
[10 rows; all: READY=1/1]
[NAME: web-{0..9}]
[STATUS: Failed, Running 9]
"""

from __future__ import annotations

from itertools import islice, pairwise

from overspill._lite import Protocol, cached_property, compile_pattern
from overspill.core.spans import Span
from overspill.cut.digest import as_numbers
from overspill.cut.digest.blocks import BlockDigest, BlockLayout, BlockReader, block_layout
from overspill.cut.digest.columns import Table
from overspill.cut.digest.separated import (
    BARS,
    RULE,
    Rows,
    SeparatedLayout,
    are_bytes,
    are_cells,
    ends_outside,
    goes_on,
    has_titles,
    is_in_column,
    join_rows,
    most_frequent,
    numbered_names,
    read_headings,
    ruled_gaps,
    say_again,
    split_cells,
    unclosed_lines,
    undecided_lines,
    word_spans,
)

SAMPLE, LOOKED_AT = 400, 60  # lines by which a layout is found, and whose words are held against those of a header
FEWEST_ROWS, MOSTLY = 6, 0.8  # rows, and lines that are rows
GAP, FILLED = 0.97, 0.5  # lines that are blank there, and cells of a column that are not
FEWEST_COLUMNS, LONGEST_NAME = 3, 40  # columns without a header, characters of a name
MOST_COLUMNS, WIDEST = 60, 1_000  # columns, and characters of a line
LEAST_EXACT, HEADER_WITHIN = 0.3, 10  # lines with as many words as there are columns; first lines that are not blank
WRAPPED, MOST_WRAPPED = 0.1, 0.6  # of the lines: those that go on with a row, where rows do
SHARE, MOST_ODD = 0.85, 60  # of the room, and lines
SEPARATORS = (*(SURE := "\t|\u2502"), ";", ",")  # hardly anything but a table has the sure ones in every line


class TableLayout(Protocol):
    """How the cells of a table are written."""

    names: list[str]
    header: str
    margin: int  # where it is not 0, lines that begin here or further right go on with the row above them

    def rows(self, lines: list[str], at: int) -> Rows:
        """The cells of those lines that are rows; `at` is the number of the first line."""
        ...


class AlignedLayout:
    """Cells that begin or end at the same place in every line; `gaps` lie between them."""

    def __init__(self, gaps: list[Span], header: str) -> None:
        self.gaps = gaps
        self.margin = 0
        self.header = header.rstrip()
        cells = self.cells(header) or []
        self.names = numbered_names([cell.split("  ")[0] for cell in cells], len(gaps) + 1)

    def rows(self, lines: list[str], at: int) -> Rows:
        starts, header = [0, *(gap.end for gap in self.gaps)], self.header
        least = self.gaps[(len(self.gaps) - 1) // 2].end  # half of the cells at least
        places = [
            number
            for number, line in enumerate(lines)
            if len(line) > least and line.strip(RULE) and line.rstrip() != header and not goes_on(line, self.margin)
        ]
        rows = [lines[number] for number in places]
        other: dict[int, list[str] | None] = {}  # rows with a cell that reaches into a gap
        for start in starts[1:]:
            before = [row[start - 1 : start] for row in rows]
            if "".join(before).strip():
                other |= {number: self.cells(rows[number]) for number, letter in enumerate(before) if letter.strip()}
        if None in other.values():
            kept = [number for number in range(len(rows)) if other.get(number, ()) is not None]
            found = self.rows([rows[number] for number in kept], 0)
            return found._replace(places=[at + places[number] for number in kept])
        ends = [*starts[1:], None]
        columns = [[row[start:end] for row in rows] for start, end in zip(starts, ends, strict=True)]
        for number, cells in other.items():
            for column, cell in zip(columns, cells or (), strict=True):
                column[number] = cell
        return Rows(columns, [at + number for number in places])

    def cells(self, line: str) -> list[str] | None:
        """The cells of a line, some of which may reach into a gap, as long as they leave a blank in it."""
        stops = [0]
        for gap in self.gaps:
            blank = line.rfind(" ", gap.start, gap.end)
            if blank < 0 and len(line) > gap.start:
                return None
            stops.append(blank + 1 if blank >= 0 else gap.end)
        return [line[start:end].strip() for start, end in pairwise([*stops, len(line) + 1])]


class WordLayout:
    """Cells without blanks in them, but for those of the last column."""

    def __init__(self, header: str, names: list[str]) -> None:
        self.number = len(names)
        self.margin = 0
        self.header = header.rstrip()
        self.names = names

    def rows(self, lines: list[str], at: int) -> Rows:
        cells = [
            (row, at + number)
            for number, line in enumerate(lines)
            if len(row := line.split(None, self.number - 1)) == self.number
            and line.rstrip() != self.header
            and not goes_on(line, self.margin)
        ]
        columns = [*zip(*(row for row, _ in cells), strict=True)] if cells else [()] * self.number
        return Rows(columns, [place for _, place in cells])


def layout_of(lines: list[str]) -> tuple[TableLayout | BlockLayout | None, float]:
    """How the cells of these lines are written, and the share of the lines that are rows."""
    sample = [*islice(filter(str.strip, lines), SAMPLE)]
    if len(set(sample)) < FEWEST_ROWS or are_bytes(sample):
        return None, 0.0
    separated = _separated(sample)
    if separated[0] is not None:
        return separated
    blocks = block_layout(sample)
    return _aligned(sample) if blocks[0] is None else blocks


def _separated(sample: list[str]) -> tuple[SeparatedLayout | None, float]:
    every = sample
    for separator in SEPARATORS:
        sample = [line for _, line in join_rows(every, separator)]
        rows = [line for line in sample if not _is_rule(line)]
        number = most_frequent([line.count(separator) for line in rows[:50]])
        if number < (1 if separator in SURE else 2):
            continue
        widths = [len(split_cells(line, separator)) for line in rows]
        usual = most_frequent(widths)
        share = widths.count(usual) / len(sample) if usual > 1 else 0.0
        if share < MOSTLY or usual > MOST_COLUMNS:
            continue
        lines = sample[: 4 * FEWEST_ROWS]
        cells = [row if len(row := split_cells(line, separator)) == usual else [] for line in lines]
        header = _header_among(lines, cells)
        if not header and (
            usual < FEWEST_COLUMNS if separator in BARS else separator not in SURE and not are_cells(cells)
        ):
            continue  # two sides of a bar, or prose with as many commas
        return SeparatedLayout(separator, usual, header), share
    return None, 0.0


def _aligned(sample: list[str]) -> tuple[AlignedLayout | WordLayout | None, float]:
    every = _from_header([line.expandtabs() for line in sample])
    margin = _margin_of(every)
    lines = [line for line in every if not goes_on(line, margin)]
    words = _worded(lines)
    gaps = ruled_gaps(lines) or _gaps([line[:WIDEST] for line in lines if not _is_rule(line)])
    aligned = _with_header(gaps, lines) if gaps else None
    rows = (aligned.cells(line) or () for line in lines if aligned and line.rstrip() != aligned.header)
    several = any(" " in cell for row in rows for cell in row[:-1])  # words in a cell: `4 (7h ago)`
    plain = aligned is None or not aligned.header or (words and len(words.names) >= len(aligned.names) + several)
    layout: AlignedLayout | WordLayout | None = words if words is not None and plain else aligned
    if layout is None:
        return None, 0.0
    layout.margin = margin
    share = len(layout.rows(lines, 0).places) / max(1, sum(not _is_rule(line) for line in lines))
    return (layout, share) if share >= MOSTLY else (None, 0.0)


def _from_header(lines: list[str]) -> list[str]:
    """The lines from the last on that has several words and a drawn line below it: what stands above is no table."""
    pairs = enumerate(pairwise(lines[: HEADER_WITHIN + 1]))
    heads = [at for at, (line, below) in pairs if _is_rule(below) and len(line.strip(RULE).split()) >= FEWEST_COLUMNS]
    first = heads[-1] if heads else 0
    while [*map(_is_rule, lines[first + 1 : first + 4])] == [True, False, True]:
        first += 2  # the names stand between two of them, below something else
    return lines[first:]


def _margin_of(lines: list[str]) -> int:
    """Where the second name of a header begins, if some of the lines begin there or further right."""
    for header in lines[:HEADER_WITHIN]:
        names = word_spans(header)
        if len(names) >= FEWEST_COLUMNS and not _is_rule(header):
            wrapped = sum(goes_on(line, names[1].start) for line in lines)
            if WRAPPED * len(lines) <= wrapped <= MOST_WRAPPED * len(lines):
                return names[1].start
    return 0


def _with_header(gaps: list[Span], lines: list[str]) -> AlignedLayout | None:
    """The layout with these gaps, as far as a header has names on both sides of them."""
    best: AlignedLayout | None = None
    for header in lines[:HEADER_WITHIN]:
        named = _named_gaps(gaps, header)
        if len(named) > (len(best.gaps) if best else 0):
            layout = AlignedLayout(named, "")
            if _header_among(lines, [layout.cells(line) or [] for line in lines]) == header:
                best = AlignedLayout(named, header)
    if best is not None:
        return best
    gaps = _filled_gaps(gaps, [line for line in lines if not _is_rule(line)])
    if not gaps:
        return None
    layout = AlignedLayout(gaps, "")
    cells = [layout.cells(line) or [] for line in lines]
    enough = len(gaps) + 1 >= FEWEST_COLUMNS and are_cells(cells)
    return layout if enough and not _are_stamped(cells) else None


def _are_stamped(cells: list[list[str]]) -> bool:
    """Whether most rows begin with a time, as those of logs do: what they say is no table."""
    stamped = sum(any(":" in cell and cell[:1].isdigit() for cell in row[:2]) for row in cells)
    return stamped >= MOSTLY * len(cells)


def _worded(lines: list[str]) -> WordLayout | None:
    """A table whose header has as many words as many of the lines below it."""
    rows = [line.split() for line in lines]
    for at, (header, names) in enumerate(zip(lines[:HEADER_WITHIN], rows, strict=False)):
        if _is_rule(header) or len(names) < FEWEST_COLUMNS or len(set(names)) < len(names):
            continue
        below = lines[at + 1 :]
        strange = sum(name[0].isdigit() or not any(map(str.isalpha, name)) for name in names)
        if strange > 1 or as_numbers(names[1:2]) or say_again(rows[at + 1 :], names):  # of a row, or of what is drawn
            continue
        numbers = [len(words) for line, words in zip(below, rows[at + 1 :], strict=True) if not _is_rule(line)]
        for number in (len(names), len(names) - 1):  # the last name may be of two words
            exact, more = numbers.count(number), sum(one >= number for one in numbers)
            fits = exact >= LEAST_EXACT * len(numbers) or _stand_below(header, below, number)
            if fits and more >= GAP * len(numbers) and _is_header(header, below, number):
                return WordLayout(header, _column_names(header, below, number))
    return None


def _column_names(header: str, below: list[str], number: int) -> list[str]:
    """The words of a header, of which one column may have two: those that most words of the rows stand below."""
    names = header.split()
    if len(names) == number:
        return names
    spans = word_spans(header)
    rows = [words for line in below[:LOOKED_AT] if len(words := word_spans(line)) == number]

    def fitting(at: int) -> int:
        joined = [*spans[:at], Span(spans[at].start, spans[at + 1].end), *spans[at + 2 :]]
        pairs = (pair for row in rows for pair in zip(joined, row, strict=True))
        return sum((one.start == two.start) + (one.end == two.end) for one, two in pairs)

    best = max(reversed(range(number)), key=fitting)
    return [*names[:best], " ".join(names[best : best + 2]), *names[best + 2 :]]


def _stand_below(header: str, below: list[str], number: int) -> bool:
    """Whether the words of most lines begin or end where those of the header do."""
    names = word_spans(header)[:number]
    good = 0
    for line in below[:LOOKED_AT]:
        words = word_spans(line)[: number - 1]
        good += all(one.start == two.start or one.end == two.end for one, two in zip(names, words, strict=False))
    return good >= MOSTLY * len(below[:LOOKED_AT])


def _is_header(header: str, below: list[str], number: int) -> bool:
    """Whether the words of a line are names: no numbers, where there are numbers below them."""
    rows = [row for line in below if len(row := line.split(None, number - 1)) == number]
    numeric = [at for at in range(number) if as_numbers([row[at] for row in rows])]
    names = header.split()
    return bool(numeric) and all(as_numbers([names[at]]) is None for at in numeric)


def _gaps(rows: list[str]) -> list[Span]:
    """Places that are blank in most lines, between columns that are not."""
    width = max(map(len, rows), default=0)
    if not 0 < width <= WIDEST:
        return []
    blanks = [column.count(" ") for column in zip(*(row.ljust(width + 1) for row in rows), strict=True)]
    enough = GAP * len(rows)
    edges = [at for at in range(1, width + 1) if (blanks[at] >= enough) != (blanks[at - 1] >= enough)]
    if blanks[0] >= enough:
        edges = edges[1:]  # all lines are indented
    return [Span(start, end) for start, end in zip(edges[::2], edges[1::2], strict=False)][: MOST_COLUMNS - 1]


def _filled_gaps(gaps: list[Span], rows: list[str]) -> list[Span]:
    """What only few lines have is no column, if nothing names it; it belongs to the one before it."""
    result = []
    for gap, after in pairwise([*gaps, Span(WIDEST + 1, WIDEST + 1)]):
        if sum(bool(row[gap.end : after.start].strip(" [({<")) for row in rows) >= FILLED * len(rows):
            result.append(gap)
    return result


def _named_gaps(gaps: list[Span], header: str) -> list[Span]:
    """The gaps that a header leaves blank, and has a name behind; a name inside a gap has gaps on either side."""
    parts = [
        Span(gap.start + blank.start(), gap.start + blank.end())
        for gap in gaps
        for blank in compile_pattern(" +").finditer(header[gap.start : gap.end].ljust(gap.end - gap.start))
    ]
    ends = [*(gap.start for gap in parts[1:]), len(header) + 1][: len(parts)]
    return [gap for gap, end in zip(parts, ends, strict=True) if header[gap.end : end].strip()]


def _header_among(rows: list[str], cells: list[list[str]]) -> str:
    """The line that names the columns: words, each of them once, above cells that are not like them."""
    for at, names in enumerate(cells[:HEADER_WITHIN]):
        named = [name for name in names if name]
        if len(named) < 2 or len(set(named)) < len(named) or len(named) < MOSTLY * len(names):  # noqa: PLR2004
            continue
        if at + 1 < len(rows) and _is_rule(rows[at + 1]) and rows[at + 1].strip():
            return rows[at]
        below = [row for row in cells[at + 1 :] if len(row) == len(names)]
        strange = sum(not name[:1].isalpha() and name[:1] not in "%#_" for name in named)
        if any(as_numbers([name]) for name in named[1:]) or strange > 1 or not below:
            continue
        columns = [{row[place] for row in below} for place in range(len(names))]
        numeric = [as_numbers([*column - {""}]) is not None for column in columns]
        if any(is_number and as_numbers([name]) for is_number, name in zip(numeric, names, strict=True)):
            continue
        again = any(is_in_column(name, column) for name, column in zip(names, columns, strict=True) if name)
        short = all(len(name.split()) <= 3 and len(name) <= LONGEST_NAME for name in named)  # noqa: PLR2004  # words
        words = len(names) >= FEWEST_COLUMNS and short
        if not again and (any(numeric) or all(name == name.upper() for name in named) or words):
            return rows[at]
    return ""


def _is_rule(line: str) -> bool:
    return not line.strip(RULE)


def _after_header(layout: TableLayout | BlockLayout | None, lines: list[str]) -> int:
    """The number of the first line that may be a row."""
    if layout is None or isinstance(layout, BlockLayout) or not layout.header:
        return 0
    return next((at + 1 for at, line in enumerate(lines) if line.expandtabs().rstrip() == layout.header), 0)


def share_of(lines: list[str]) -> float:
    """The share of these lines that are rows of a table, or records."""
    return layout_of(lines)[1]


class TableCollector:
    """Adds up the rows of a text."""

    def __init__(self) -> None:
        self._table = Table()
        self._layout: TableLayout | BlockLayout | None = None
        self._lines, self._held = 0, list[str]()
        self._blocks: BlockReader | None = None
        self._fresh = True  # whether the last line that was added belongs to no table
        self._parts = False  # it is several tables, each below a title
        self._rows = self._filled = 0  # lines that are rows, and those that are neither blank nor drawn

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        if self._layout is None and not self._lines:
            self._layout = layout_of(lines)[0]
            self._parts = has_titles(lines, getattr(self._layout, "header", ""))
            lines = self._decided_lines(lines, first=True)
            self._lines = _after_header(self._layout, lines)
            lines = lines[self._lines :]  # what stands above the names of columns is no row
        else:
            lines = self._decided_lines(lines, first=False)
        self._add_lines(lines)

    def _decided_lines(self, lines: list[str], *, first: bool) -> list[str]:
        """The lines of which is known whether they are headings and whole rows; the others are held until more is."""
        layout = self._layout
        if not isinstance(layout, SeparatedLayout):
            return lines
        lines = [*self._held, *lines]
        if layout.separator not in BARS:
            decided = len(lines) - unclosed_lines(lines, layout.separator, layout.number)
            self._held = lines[decided:]
            return lines[:decided]
        headings = read_headings(lines, layout.separator, fresh=self._fresh)
        layout.headings.update(line for heading in headings for line in heading)
        if first:
            layout.name_columns(headings)
        decided = len(lines) - undecided_lines(lines, layout.separator)
        self._held = lines[decided:]
        self._fresh = ends_outside(lines[:decided], layout.separator) if decided else self._fresh
        return lines[:decided]

    def _add_lines(self, lines: list[str]) -> None:
        layout = self._layout
        if isinstance(layout, BlockLayout):
            self._blocks = self._blocks or BlockReader(layout, self._table)
            self._blocks.add(lines, self._lines)
        elif layout is not None:
            if not isinstance(layout, SeparatedLayout) and any("\t" in line for line in lines):
                lines = [line.expandtabs() for line in lines]
            rows = layout.rows(lines, self._lines)
            self._rows += len(rows.places)
            headings = getattr(layout, "headings", ())
            whole = [line for _, line in layout.whole_rows(lines)] if isinstance(layout, SeparatedLayout) else lines
            self._filled += sum(
                1
                for line in whole
                if line.strip(RULE) and not goes_on(line, layout.margin) and line.rstrip() not in headings
            )
            self._add_rows(layout.names, rows)
        self._lines += len(lines)

    def digest(self) -> TableDigest | BlockDigest | None:
        """What was found, or None where there are too few rows."""
        held, self._held = self._held, []
        self._add_lines(held)
        if self._blocks is not None:
            return BlockDigest(self._blocks) if self._blocks.good else None
        if self._layout is None or isinstance(self._layout, BlockLayout) or self._table.rows < FEWEST_ROWS - 2:
            return None
        # The first lines may have been a table, and the rest something else.
        whole = not self._parts and self._rows >= MOSTLY * self._filled
        return TableDigest(self._table, self._layout) if whole else None

    def _add_rows(self, names: list[str], rows: Rows) -> None:
        if not rows.places:
            return
        for name, values in zip(names, rows.columns, strict=True):
            self._table.add_cells(name, values, rows.places)
        self._table.count_rows(len(rows.places))


NamedColumns = tuple[list[int], list[tuple[str, list[str]]]]  # the numbers of rows, and their cells by columns


class TableDigest:
    """What the rows of a text add up to."""

    share = SHARE

    def __init__(self, table: Table, layout: TableLayout) -> None:
        self._table = table
        self._layout = layout
        self.nameless = layout.names[:1] == ["column 1"]
        self.complete = False  # each row is told, with all that is in it

    def statements(self, room: int) -> tuple[str, ...]:
        """What is said of the rows, at most `room` characters, line ends included."""
        from overspill.cut.digest.pairs import tell_every_row
        from overspill.cut.digest.statements import table_statements

        told = table_statements(self._table, room)
        self.complete = tell_every_row(self._table, told)
        return tuple(told)

    def is_record(self, line: str) -> bool:
        """Whether this line is a row."""
        return bool(self.cells_of_rows([line])[0])

    is_quoted = is_record  # where all of them are told, none is worth a line of its own

    def tells(self, line: str) -> bool:
        """Whether this line is a row that is like the others."""
        places, columns = self.cells_of_rows([line])
        return bool(places) and self._odd_cells.isdisjoint((name, values[0]) for name, values in columns)

    def odd_rows(self, _lines: list[str], rows: NamedColumns) -> list[int]:
        """Which of these rows have a rare value, or a number far out of the rest: the numbers of their lines."""
        places, columns = rows
        odd = set[int]()
        for name, values in columns:
            rare = {value for column, value in self._odd_cells if column == name}
            if not rare.isdisjoint(values):
                odd.update(number for number, value in enumerate(values) if value in rare)
        return [places[number] for number in sorted(odd)[:MOST_ODD]]

    @cached_property
    def _odd_cells(self) -> set[tuple[str, str]]:
        return {(odd.column, odd.value) for odd in self._table.odd_rows()[:MOST_ODD]}

    def cells_of_rows(self, lines: list[str]) -> NamedColumns:
        """The numbers of the lines that are rows, and their cells below the names of their columns."""
        rows = self._layout.rows(lines, 0)
        columns = zip(self._layout.names, rows.columns, strict=True)
        return [*rows.places], [(name, [*map(str.strip, column)]) for name, column in columns]
