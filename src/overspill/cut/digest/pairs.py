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

from itertools import islice

from overspill._lite import TYPE_CHECKING, NamedTuple, cached_property, compile_pattern
from overspill.cut.digest import as_numbers, counts_of
from overspill.cut.digest.naming import (
    HASH,
    KEYS,
    LONGEST_NAME,
    MANY,
    NAMED,
    called_column,
    leading_column,
    naming_column,
    row_columns,
    spelled_label,
)
from overspill.cut.digest.values import FEW, spelled_value, value_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from overspill.cut.digest.columns import Column, Table

FEWEST_ROWS = 6
_CUT = compile_pattern(r"\+\d+\]$")  # a list that is not whole ends so
MOST = 0.5  # of the rows: then the names need not be told by themselves
LONGEST_VALUE = 24  # characters
SHARED_NAMES = 0.25  # of the rows have a name of their own, where some share theirs
MOST_VERSIONS = 3  # columns beside the name
USUAL = 0.3  # of the rows have one value: it is what is usual
MIXED, COUNTED, VERSION, PERCENT = range(4)  # what a column may say of rows, the most telling last
_PARTED = compile_pattern(r"\d\w*[^\w\s]\w*\d")  # as the numbers of a version are
_DAY = compile_pattern(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}")  # which tells no version
FEWEST_OF_RARE, RARE = 12, 0.02  # rows, and the share of them that has what is rare
USUALLY = 0.8  # of them have what is not
MOST_UNUSUAL = 16  # rows that do not have what is usual, where each is named
MOST_VALUES = 96  # of a column in which one can be rare
MOST_RARE = 8  # columns that are told by what is rare in them
LONGEST_RARE = 60  # characters
HOLDING = 0.8  # of the rows have their name in a column
FEWEST_TOLD, FEWEST_CODES, FEWEST_JOINED = 12, 3, 100  # values of a column that says what another says, as code or not


class PairEntry(NamedTuple):
    """A name and what is said of it, in words; `head` is what the name begins with, where others begin so, too."""

    head: str
    words: str
    rows: int


def _head_of(pair: tuple[str, ...]) -> str:
    """What stands before the last slash of a name that needs no quotes."""
    name = pair[0]
    return "" if name[:1] == '"' else name[: name.rfind("/") + 1]


class PairList:
    """Names with values, in the order of their worth; `x2` behind one that two rows say."""

    def __init__(
        self,
        label: str,
        pairs: Sequence[tuple[str, ...]],
        rows: int,
        *,
        in_turn: bool = False,
        counted: bool = False,
        columns: tuple[str, ...] = (),
    ) -> None:
        self.label = label
        self.columns = columns  # of which it says all that there is to say, where there are several
        self.in_turn = in_turn  # none of them tells more than another
        self.counted = counted  # the values are numbers of something
        self._pairs = pairs
        self._rows = rows

    @cached_property
    def _entries(self) -> list[PairEntry]:
        found = counts_of(tuple(map(spelled_value, pair)) for pair in self._pairs)
        heads = counts_of(_head_of(pair) for pair in found) if self.in_turn else {}
        entries: dict[str, list[PairEntry]] = {}
        for at, (pair, count) in enumerate(found.items()):
            head = _head_of(pair)
            shared = heads.get(head, 0) > 1 and bool(head)
            words = " ".join(pair)[len(head) if shared else 0 :]
            words = f"{words} x{count}" if count > 1 else words
            entries.setdefault(head if shared else f" {at}", []).append(PairEntry(head if shared else "", words, count))
        return [one for some in entries.values() for one in some]

    @property
    def number(self) -> int:
        """How many rows can be named."""
        return len(self._pairs)

    def within(self, room: int) -> str:
        """As many as there is room for; nothing where there is room for none."""
        begin = f"[{self.label}: "
        left = room - len(begin) - len(f"+{self._rows}]")
        said: list[str] = []
        more, last = self._rows, ""
        for head, words, count in self._entries:
            goes_on = bool(head) and head == last
            left -= len(words) + 2 + (len(head) + 2 if head and not goes_on else 0)
            if left < 0:
                break
            said[len(said) - goes_on :] = [
                f"{said[-1][:-1]}, {words}}}" if goes_on else f"{head}{{{words}}}" if head else words
            ]
            more, last = more - count, head
        return f"{begin}{', '.join([*said, *([f'+{more}'] if more else [])])}]" if said else ""

    def tells_most(self, words: str) -> bool:
        """Whether these words name most of the rows, of which every one could be named."""
        return len(self._pairs) == self._rows and self.named_by(words) >= MOST * self._rows

    def named_by(self, words: str) -> int:
        """How many rows these words name."""
        more = words.rpartition(", +")[2].removesuffix("]")
        return self._rows - (int(more) if more.isdigit() else 0) if words else 0


def rare_pairs(table: Table, way: str = "") -> list[tuple[PairList, Column]]:
    """The names of rows that have a rare value of a few, a column that few have, or a number far from the others."""
    lead = leading_column(table, phrases=True) if table.rows >= FEWEST_OF_RARE else None
    names = lead[1].cells if lead is not None else None
    if lead is None or not names:
        return []
    found: dict[frozenset[int], tuple[tuple[bool, int, int], PairList, Column]] = {}
    for path, column in row_columns(table):
        pairs = _rare_cells(column, table) if column is not lead[1] else {}
        named = {place: (str(names[place]).strip(), word) for place, word in pairs.items() if place in names}
        worth = (2 * column.present < table.rows, len(named), -len({*pairs.values()}))
        same = found.get(frozenset(named))  # of columns that tell of the same rows, the one that says most of them
        if named and (same is None or worth < same[0]):
            pair_list = PairList(f"{way}{lead[0]} with {way}{spelled_label(path)}", [*named.values()], table.rows)
            found[frozenset(named)] = worth, pair_list, column
    return [one[1:] for one in sorted(found.values(), key=lambda one: one[0])][:MOST_RARE]


def _rare_cells(column: Column, table: Table) -> dict[int, str]:
    """The short values of a column that are rare, by their rows; the rarest first."""
    cells = column.cells
    if not cells or column.repeated:
        return {}
    rare = max(1.0, RARE * table.rows)
    words = {place: word for place, value in cells.items() if len(word := value_word(value).strip()) <= LONGEST_RARE}
    counts = counts_of(words.values())
    if column.present <= max(rare, 2.0) and not table.sparse:
        seldom = set(counts)
    elif (
        counts
        and (usual := max(counts.values())) >= USUALLY * column.present
        and 0 < len(cells) - usual <= MOST_UNUSUAL
    ):
        seldom = {word for word, count in counts.items() if count < usual}
    elif len(counts) <= MOST_VALUES and sum(n for n in counts.values() if n > rare) >= USUALLY * column.present:
        seldom = {word for word, count in counts.items() if count <= rare}
    else:
        far = {one.place for one in column.numbers.far()}
        return {place: word for place, word in words.items() if place in far}
    return dict(sorted(((at, word) for at, word in words.items() if word in seldom), key=lambda one: counts[one[1]]))


def pairs_of(table: Table, way: str = "") -> list[PairList]:
    """What names the rows of a table, with one or two columns that tell them apart."""
    if table.rows < FEWEST_ROWS:
        return []
    lead = leading_column(table)
    naming = lead[1] if lead is not None else naming_column(table, phrases=True) or _repeated_names(table)
    names = naming.cells if naming is not None else None
    if naming is None or names is None or len(names) < NAMED * table.rows:
        return []
    worths = ((_worth(column, table), column) for column in table.columns.values() if column is not naming)
    ranked = sorted(((worth, column) for worth, column in worths if worth), key=lambda one: one[0], reverse=True)
    label = way + (lead[0] if lead is not None else spelled_label(naming.name))
    if (told_apart := _titles_with_ids(table, names, label, way)) is not None:
        return [told_apart]
    versions = _versions([column for (kind, _), column in ranked if kind == VERSION], names)
    if ranked and ranked[0][0][0] == VERSION and (len(versions) > 1 or _repeats(naming, table)):
        several = _paired_with_all(names, versions, label, table.rows, way)
        return [several] if several is not None else []
    if _repeats(naming, table):
        return []
    found = (_paired(names, column, label, table.rows, way, kind=kind) for (kind, _), column in ranked)
    chosen = [*islice((one for one in found if one is not None), 1)]
    if ranked and ranked[0][0][0] == PERCENT:  # what it is a part of is told, too; first, where rows are many
        counted = [column for (kind, _), column in ranked[1:] if kind == COUNTED][:1]
        chosen += [one for column in counted if (one := _paired(names, column, label, table.rows, way)) is not None]
        chosen = chosen[::-1] if table.rows > MANY else chosen
    return chosen


def tell_every_row(table: Table, told: list[str]) -> bool:
    """Whether statements tell each row of a table, with all that is in it: no row is worth a line of its own."""
    heads = [words for words in told if " with " in words.partition(": ")[0] and not _CUT.search(words)]
    lead = leading_column(table)
    for pairs in pairs_of(table) if heads and lead is not None else ():
        if any(words.startswith(f"[{pairs.label}: ") for words in heads) and pairs.number == table.rows:
            named = {lead[1].name, *pairs.columns}  # type: ignore[index]  # else nothing is paired
            others = [column for name, column in table.columns.items() if name not in named]
            shared = all(column.only_value(table.rows) is not None for column in others)
            if pairs.columns and shared and (not others or any("; all: " in words for words in told)):
                return not any("; all: " in words and _CUT.search(words) for words in told)
    return False


def _titles_with_ids(table: Table, names: dict[int, object], label: str, way: str) -> PairList | None:
    """Titles, each with what its row is fetched by, in the order of the rows; where they are titles, and there is that.

    >>> from overspill.cut.digest.columns import Table
    >>> table = Table()
    >>> table.add([{"number": 90 - n, "title": f"lid {n} is loose", "votes": n % 5} for n in range(20)], range(20))
    >>> pairs_of(table)[0].within(60)
    '[title with number: "lid 0 is loose" 90, +19]'
    """
    if table.in_lines or 2 * sum(" " in str(name) for name in names.values()) < len(names):  # lines can be shown
        return None
    columns = [(path, one.cells or {}) for path, one in row_columns(table) if not one.repeated]
    own = [(path, cells) for path, cells in columns if len({*map(value_word, cells.values())}) == table.rows]
    found = called_column(own, KEYS)
    if found is None:
        return None
    chosen, cells = found
    pairs = [(str(name).strip(), value_word(cells[place])) for place, name in names.items() if place in cells]
    label = f"{label} with {way}{spelled_label(chosen)}"
    return PairList(label, pairs, table.rows, in_turn=True)


def _repeats(naming: Column, table: Table) -> bool:
    return naming is not table.keys and len(naming.values.counts or ()) < NAMED * table.rows


def _repeated_names(table: Table) -> Column | None:
    """The first column, where it is words without blanks that some rows share: one package, needed by several."""
    column = next(iter(table.columns.values()), None)
    counts = column.values.counts if column is not None else None
    if column is None or not counts or column.repeated or column.values.ends is not None or column.numbers.number:
        return None
    plain = all(value == spelled_value(value) and not HASH.fullmatch(value) for value in counts)
    digits = sum(value[:1].isdigit() for value in counts)
    fine = plain and 4 * digits < len(counts) and sum(map(len, counts)) <= LONGEST_NAME * len(counts)
    return column if fine and len(counts) >= SHARED_NAMES * table.rows <= column.present else None


def _versions(columns: list[Column], names: dict[int, object]) -> list[Column]:
    """Those that do not say the same in most of the rows; `ant@1.2` says nothing beside `ant` and `1.2`."""
    words = [{place: value_word(value).strip() for place, value in (one.cells or {}).items()} for one in columns]
    plain = [cells for cells in words if not _hold_names(cells, names)]
    chosen: list[dict[int, str]] = []
    result: list[Column] = []
    for column, cells in zip(columns, words, strict=True):
        same = (sum(cells.get(place) == word for place, word in other.items()) for other in chosen)
        again = plain and cells not in plain
        if len(chosen) < MOST_VERSIONS and not again and all(2 * equal < len(cells) for equal in same):
            chosen.append(cells)
            result.append(column)
    return result


def _hold_names(cells: dict[int, str], names: dict[int, object]) -> bool:
    held = sum(str(names[place]).strip() in word for place, word in cells.items() if place in names)
    return held > NAMED * len(cells)


def _paired_with_all(
    names: dict[int, object], columns: list[Column], label: str, rows: int, way: str
) -> PairList | None:
    """Rows by their names, each with several values, where all can be written without quotes."""
    found: list[tuple[str, ...]] = []
    for place, name in names.items():
        cells = tuple(value_word((one.cells or {}).get(place, "")).strip() for one in columns)
        words = (str(name).strip(), *cells)
        if all(word == spelled_value(word) for word in words):
            found.append(words)
    labels = ", ".join(way + spelled_label(column.name) for column in columns)
    told = tuple(column.name for column in columns)
    return PairList(f"{label} with {labels}", found, rows, in_turn=True, columns=told) if found else None


def _paired(
    names: dict[int, object], column: Column, label: str, rows: int, way: str, *, kind: int = COUNTED
) -> PairList | None:
    cells = column.cells or {}
    found = [
        (place, name, value)
        for place, one in names.items()
        if place in cells
        and len(value := value_word(cells[place]).strip()) <= LONGEST_VALUE
        and 0 < len(name := str(one).strip()) <= 2 * LONGEST_NAME
    ]
    if sum(value in name or name in value for _, name, value in found) > NAMED * len(found):
        return None  # the name says it
    chosen: list[tuple[str, ...]] = [(name, value) for _, name, value in _in_order(found)] if found else []
    label = f"{label} with {way}{spelled_label(column.name)}"
    in_turn = kind in (MIXED, VERSION)
    told = (column.name,) if in_turn else ()
    return PairList(label, chosen, rows, in_turn=in_turn, counted=kind == COUNTED, columns=told) if chosen else None


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
    dates = 2 * sum(_DAY.match(word) is not None for word in words) > len(words)
    dates = dates or (column.values.ends is not None and len(set(map(len, words))) == 1)
    parted = sum(_PARTED.search(word) is not None for word in words)  # how long something is there says little
    if distinct > min(FEW, table.rows // 2) and digits >= NAMED * len(words) and not dates and 2 * parted > len(words):
        return (VERSION, 0.0) if not any(map(HASH.fullmatch, words)) else None
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
    worths = [as_numbers([row[2]]) for row in rows]
    numbers = [one[0] for one in worths if one is not None]
    if len(numbers) < NAMED * len(rows) or not numbers:
        return rows
    centre = (as_numbers([usual]) or [0.0])[0] if often else min(numbers)
    far = sorted(range(len(rows)), key=lambda at: (-abs((worths[at] or [centre])[0] - centre), rows[at][0]))
    return [rows[at] for at in far]


def holds_name(column: Column, lead: Column | None) -> bool:
    """Whether what a column says of a row is its name again, with something around it."""
    if lead is None or column is lead or not column.cells or not lead.cells or column.present < FEWEST_TOLD:
        return False
    names = lead.cells
    both = [(str(names[place]), str(value)) for place, value in column.cells.items() if place in names]
    return bool(both) and sum(name in value for name, value in both) >= HOLDING * column.present


def joins_others(column: Column, table: Table) -> bool:
    """Whether rows join two of the same things, so that another column holds most of its values, too."""
    values = column.values.counts or {}
    if len(values) < FEWEST_JOINED:
        return False
    others = (one.values.counts or {} for one in _scalar_columns(table) if one is not column)
    return any(2 * sum(value in other for value in values) >= min(len(values), len(other)) > FEW for other in others)


def _scalar_columns(table: Table) -> Iterator[Column]:
    """The columns of a table, and what is in lists in them."""
    for column in table.columns.values():
        yield column
        if column.items is not None and "" in column.items.columns:
            yield column.items.columns[""]


def says_the_same(column: Column, table: Table) -> bool:
    """Whether another column before it has other values in the very same rows, as a code and its name."""
    counts = column.counts() or {}
    if len(counts) < (FEWEST_TOLD if not all(map(HASH.fullmatch, counts)) else FEWEST_CODES):
        return False
    profile = sorted((column.values.firsts.get(value, -1), count) for value, count in counts.items())
    for other in table.columns.values():
        if other is column:
            return False
        others = other.values.counts or {}
        same = len(others) == len(counts)
        if same and profile == sorted((other.values.firsts[value], count) for value, count in others.items()):
            return True
    return False
