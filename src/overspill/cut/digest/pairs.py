"""Rows by their names, each with what one other column says: `[file with cover: a.c 0%, b.c 7%, +14]`.

Rows that say what most say are not named: what differs is what a reader looks for, the furthest first.

>>> from overspill.cut.digest.columns import Table
>>> table = Table()
>>> for name, cells in (("file", [f"f{n}.c" for n in range(20)]), ("cover", ["7%", "0%", *["100%"] * 18])):
...     table.add_cells(name, cells, range(20))
>>> table.count_rows(20)
>>> pairs_of(table)[0].within(60)
'[file with cover: f1.c 0%, f0.c 7%, +18]'
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, cached_property, compile_pattern
from overspill.cut.digest import counts_of
from overspill.cut.digest.values import FEW, as_numbers, spelled_value, value_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from overspill.cut.digest.columns import Column, Table

FEWEST_ROWS = 6
MOST = 0.5  # of the rows: then the names need not be told by themselves
NAMED = 0.9  # of the rows have a name of their own, and a value
LONGEST_NAME, LONGEST_VALUE = 60, 24  # characters, on average and at the most
MANY = 200  # rows, in which sizes say more than shares
USUAL = 0.3  # of the rows have one value: it is what is usual
MIXED, COUNTED, VERSION, PERCENT = range(4)  # what a column may say of rows, the most telling last
_HASH = compile_pattern(r"(?:0x)?(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f-]{6,}")
KEY = "key"  # what the members of an object are called


class PairList:
    """Names with values, in the order of their worth."""

    def __init__(self, label: str, pairs: list[tuple[str, str]], rows: int) -> None:
        self.label = label
        self._pairs = pairs
        self._rows = rows

    @cached_property
    def _entries(self) -> list[str]:
        return [f"{spelled_value(name)} {spelled_value(value)}" for name, value in self._pairs]

    def within(self, room: int) -> str:
        """As many as there is room for; nothing where there is room for none."""
        begin = f"[{self.label}: "
        left = room - len(begin) - len(f"+{self._rows}]")
        said: list[str] = []
        for entry in self._entries:
            left -= len(entry) + 2
            if left < 0:
                break
            said.append(entry)
        more = self._rows - len(said)
        return f"{begin}{', '.join([*said, *([f'+{more}'] if more else [])])}]" if said else ""

    def tells_most(self, words: str) -> bool:
        """Whether these words name most of the rows, of which every one could be named."""
        more = words.rpartition(", +")[2].removesuffix("]")
        unnamed = int(more) if more.isdigit() else 0
        return bool(words) and len(self._pairs) == self._rows and unnamed <= (1 - MOST) * self._rows


def pairs_of(table: Table) -> list[PairList]:
    """What names the rows of a table, with one or two columns that tell them apart."""
    if table.rows < FEWEST_ROWS or table.depth:
        return []
    naming = table.keys or naming_column(table, phrases=True)
    names = naming.cells if naming is not None else None
    if naming is None or names is None or len(names) < NAMED * table.rows:
        return []
    worths = ((_worth(column, table), column) for column in table.columns.values() if column is not naming)
    ranked = sorted(((worth, column) for worth, column in worths if worth), key=lambda one: one[0], reverse=True)
    chosen = [column for _, column in ranked[:1]]
    if ranked and ranked[0][0][0] == PERCENT:  # what it is a part of is told, too; first, where rows are many
        chosen += [column for (kind, _), column in ranked[1:] if kind == COUNTED][:1]
        chosen = chosen[::-1] if table.rows > MANY else chosen
    label = KEY if naming is table.keys else spelled_label(naming.name)
    found = (_paired(names, column, label, table.rows) for column in chosen)
    return [one for one in found if one is not None]


def _paired(names: dict[int, object], column: Column, label: str, rows: int) -> PairList | None:
    cells = column.cells or {}
    found = [
        (place, name, value)
        for place, one in names.items()
        if place in cells
        and len(value := value_word(cells[place]).strip()) <= LONGEST_VALUE
        and 0 < len(name := str(one).strip()) <= 2 * LONGEST_NAME
    ]
    if sum(value in name for _, name, value in found) > NAMED * len(found):
        return None  # the name says it
    chosen = [(name, value) for _, name, value in _in_order(found)] if found else []
    return PairList(f"{label} with {spelled_label(column.name)}", chosen, rows) if chosen else None


def spelled_label(name: str) -> str:
    """The name of a column, in quotes where it could be read as more than one word of ours."""
    return spelled_value(name) if " with " in name or ":" in name or '"' in name else name


def naming_column(table: Table, *, phrases: bool = False) -> Column | None:
    """The column that names the rows: a word (or a phrase), nearly always another one, that is no code.

    It is the first column, if that can be, or else the shortest.
    """
    found = []
    for at, column in enumerate(table.columns.values()):
        counts = column.values.counts
        if not counts or column.repeated or column.values.ends is not None or column.numbers.number:
            continue
        chars = sum(map(len, counts))
        sums = sum(1 for value in counts if value[:1].isdigit() or _HASH.fullmatch(value))
        if (
            len(counts) >= NAMED * table.rows <= column.present
            and chars <= LONGEST_NAME * len(counts)
            and 2 * sums < len(counts)
        ):
            blank = sum(1 for value in counts if " " in value) > (1 - NAMED) * len(counts)
            found.append((blank, at > 0 and chars, column))
    found = [one for one in found if phrases or not one[0]]
    return min(found, key=lambda one: one[:2])[2] if found else None


def _worth(column: Column, table: Table) -> tuple[int, float] | None:
    """How much a column tells of rows that are known by their names; None where it tells nothing."""
    cells = column.cells
    if cells is None or column.repeated or len(cells) < NAMED * table.rows or not column.name:
        return None
    words = [word for value in cells.values() if len(word := value_word(value).strip()) <= LONGEST_VALUE]
    if len(words) < NAMED * len(cells):
        return None
    distinct = len(set(words))
    numbers = column.numbers
    if distinct < 3 or (numbers.number >= NAMED * table.rows and numbers.exact and numbers.steady):  # noqa: PLR2004
        return None
    if numbers.number >= NAMED * table.rows and numbers.exact:
        return PERCENT if "%" in column.name + words[0] else COUNTED, numbers.highs[0].value
    # A version says more of what has a name than a number that counts something.
    digits = sum(any(map(str.isdigit, word)) for word in words)
    dates = column.values.ends is not None and len(set(map(len, words))) == 1
    if distinct > min(FEW, table.rows // 2) and digits >= NAMED * len(words) and not dates:
        return (VERSION, 0.0) if not any(map(_HASH.fullmatch, words)) else None
    # Names and their values, of whatever kind they are.
    return (MIXED, 0.0) if len(table.columns) == 2 else None  # noqa: PLR2004


def _in_order(rows: Sequence[tuple[int, str, str]]) -> Sequence[tuple[int, str, str]]:
    """Rows whose value is not the usual one, the furthest from it first; where none is usual, the greatest first."""
    values = [value for _, _, value in rows]
    counts = counts_of(values)
    usual = max(counts, key=lambda value: counts[value])
    often = counts[usual] >= USUAL * len(rows) and counts[usual] > 1
    if often:
        rows = [row for row in rows if row[2] != usual]
    numbers = as_numbers([row[2] for row in rows])
    if numbers is None:
        return rows
    centre = (as_numbers([usual]) or [0.0])[0] if often else min(numbers)
    far = sorted(range(len(rows)), key=lambda at: (-abs(numbers[at] - centre), rows[at][0]))
    return [rows[at] for at in far]
