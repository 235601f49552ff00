"""Rows of named columns, added up: what all rows share, which values are rare, how far numbers go, which rows are odd.

A `Table` is fed rows as they come, from JSON, XML, CSV or aligned columns, in bounded memory. Members of a row that are
objects or lists of objects are tables of their own, and their columns are named by the way to them, `owner.name`.
`statements.table_statements` tells what was found; `odd_rows` names the rows to look at.

>>> table = Table()
>>> table.add([{"id": n, "state": "ok" if n else "failed", "zone": "eu"} for n in range(50)], range(50))
>>> [(odd.place, odd.reason) for odd in table.odd_rows()]
[(0, 'state value failed')]
"""

from __future__ import annotations

from itertools import chain

from overspill._lite import TYPE_CHECKING
from overspill.cut.digest import as_numbers, counts_of, is_plain
from overspill.cut.digest.cells import NestedNames, are_written_in_lines
from overspill.cut.digest.counts import (
    CONCENTRATED,
    CONTAINERS,
    LONGEST_SHARED,
    MOST_DISTINCT,
    Family,
    NumberColumn,
    OddRow,
    SpreadPlaces,
    ValueCounts,
    are_tuples,
    cells_by_place,
    flat_list,
    oddly_formed,
    range_and_others,
)
from overspill.cut.digest.values import (
    FEW,
    FEWEST,
    LONGEST_VALUE,
    WORDS,
    is_quoted,
    json_word,
    spelled_number,
    value_word,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

MOST_COLUMNS = 120  # of one table
MOST_NAMES = 8_000  # that are known of rows, of columns which are not looked at, and of members
NAMING = 4  # columns, the first of a table: what names its rows is mostly among them
MAP_NAMES = 24  # objects with so many names, of which they share few, are maps if all their values are of a kind
MAP_SHARE = 3  # on average, fewer than one in so many has a name
ALIKE = 0.9  # of the values
FEW_NUMBERS = 12
DEEPEST = 6
RARE = 0.02  # a share of the rows
MOST_LACKING = 3
MOST_TROUBLES = 2_000  # rows
MOST_REMEMBERED = 4_000  # of which it is known what stands in them


class Column:
    """What is in one column."""

    def __init__(self, name: str, place: int, family: Family, *, single: bool = False) -> None:
        self.name = name
        self._family = family
        self._single = single  # a row has it once, at the most
        self.first = place  # the row that has it first
        self.present = 0
        self.values = ValueCounts()  # of strings, and of what is said in a word: true, false, null
        self.numbers = NumberColumn()
        self.texts = 0
        self.lists = 0
        self.inner: Table | None = None
        self.items: Table | None = None
        self.lacking: list[int] = []  # rows without it
        self.repeated = False  # some rows have it more than once
        self.in_lines = False  # lists are texts by their lines;
        self.torn = False  # some are, and others are not: nothing is true of all
        self.cells: dict[int, object] | None = {}  # values by their rows, while they are few and short

    def add(self, values: Sequence[object], places: Sequence[int], depth: int) -> None:
        """Take the values of the next rows."""
        if not values:
            return
        self.present += len(values)
        kinds = set(map(type, values))
        if self.cells is not None and (self._single or self._are_alone(places)):
            if kinds.isdisjoint(CONTAINERS):
                self.remember(values, places)
            elif not kinds <= CONTAINERS:
                plain = [at for at, value in enumerate(values) if type(value) not in CONTAINERS]
                self.remember([values[at] for at in plain], [places[at] for at in plain])
        if len(kinds) == 1:
            self._add(kinds.pop(), values, places, depth)
            return
        for kind in sorted(kinds, key=str):
            found = [at for at, value in enumerate(values) if type(value) is kind]
            self._add(kind, [values[at] for at in found], [places[at] for at in found], depth)

    def add_same(self, value: str, number: int) -> None:
        """Take a text that is known, so many times."""
        self.present += number
        self.texts += number
        self.values.add_same(value, number)

    def remember(self, values: Sequence[object], places: Sequence[int]) -> None:
        """Know what stands in which row, while there are not too many."""
        if self.cells is not None:
            self.cells.update(zip(places, values, strict=True))
            if len(self.cells) > MOST_REMEMBERED:
                self.cells = None

    def _are_alone(self, places: Sequence[int]) -> bool:
        """Whether each of these rows has one value, though it could have several; else what is known of them goes."""
        rows = {*places}
        if self.cells is None or len(rows) < len(places) or not rows.isdisjoint(self.cells):
            self.cells = None
        return self.cells is not None

    def lack(self, places: Sequence[int]) -> None:
        """These rows are without it."""
        self.lacking += places[: max(0, MOST_LACKING - len(self.lacking))]

    def add_texts(self, values: Sequence[str], places: Sequence[int]) -> None:
        """Take cells of a table in plain text."""
        self.present += len(values)
        self.texts += len(values)
        self.values.add(values, places, padded=True)

    def add_kind(self, kind: type, values: Sequence[object], places: Sequence[int], depth: int) -> None:
        """Take values that are all of a kind."""
        self.present += len(values)
        if self._single and kind not in CONTAINERS:
            self.remember(values, places)
        self._add(kind, values, places, depth)

    def _add(self, kind: type, values: Sequence[object], places: Sequence[int], depth: int) -> None:
        if kind is str:
            self.texts += len(values)
            self.values.add(values, places)  # type: ignore[arg-type]  # strings
        elif kind is int or kind is float:
            self.numbers.add(values, places)  # type: ignore[arg-type]  # numbers
        elif kind is dict:
            if self.inner is None:
                self.inner = Table(depth + 1, family=self._family, single=self._single)
            self.inner.add(values, places)
        elif kind is list:
            self._add_lists(values, places, depth)  # type: ignore[arg-type]  # lists
        else:
            self.values.add([WORDS[value] for value in values], places)  # type: ignore[index]  # true, false, null

    def _add_lists(self, lists: Sequence[list[Any]], places: Sequence[int], depth: int) -> None:
        if self.items is None and are_written_in_lines(lists):
            self.in_lines = True
            self.texts += len(lists)
            self.values.add([*map("".join, lists)], places)
            return
        self.torn = self.in_lines
        self.lists += len(lists)
        if self.items is None:
            self.items = Table(depth + 1, family=self._family, single=False)
        if not self.name and {dict, list} <= {type(one) for inner in lists for one in inner}:
            lists = [*map(flat_list, lists)]  # `[].name` is what any list has, however deep it lies
        self.items.add([*chain.from_iterable(lists)], SpreadPlaces(lists, places))

    @property
    def scalars(self) -> int:
        """How many values are no objects or lists."""
        return self.values.number + self.numbers.number

    @property
    def is_coded(self) -> bool:
        """Whether codes stand beside numbers (`007`, `1.30` of versions), which a reader would count among them."""
        known = self.values.counts
        codes = known is None or any(value[:1].isdigit() for value in known)
        return self.numbers.coded or (bool(self.numbers.number and self.values.number) and codes)

    @property
    def mixed(self) -> bool:
        """Whether strings stand beside other values, from which they are to be told."""
        if not 0 < self.texts < self.scalars:
            return False
        others = sum((self.values.counts or {}).get(word, 0) for word in WORDS.values())
        return bool(self.numbers.number) or others != self.values.number - self.texts  # else no string is such a word

    def only_value(self, rows: int) -> str | None:
        """The value that all rows have, if it is one and short."""
        if self.repeated or self.in_lines or self.present < rows or self.scalars < rows:
            return None
        counts = self.counts()
        if counts is None or len(counts) != 1:
            return None
        value = next(iter(counts))
        return value if len(value) <= LONGEST_SHARED else None

    def counts(self) -> dict[str, int] | None:
        """How many rows have each value, as it is written; None where there are too many."""
        words, numbers = self.values.counts, self.numbers.counts
        if words is None or numbers is None:
            return None
        mixed = self.mixed
        # What stands in quotes itself would be taken for a text that was put in them.
        if mixed or '"' in "".join(words):
            counts = {json_word(value) if mixed or is_quoted(value) else value: count for value, count in words.items()}
        else:
            counts = words.copy()
        for number, count in numbers.items():
            counts[spelled_number(number)] = counts.get(spelled_number(number), 0) + count
        return counts

    def place_of(self, value: str) -> int:
        """The first row that has a value, by what `counts` calls it."""
        place = self.values.firsts.get(value)
        if place is None:
            found = (at for one, at in self.values.firsts.items() if json_word(one) == value)
            numbers = (at for one, at in self.numbers.firsts.items() if spelled_number(one) == value)
            place = next(chain(found, numbers), self.first)
        return place


class Table:
    """Rows of named columns. `add` them, then ask."""

    def __init__(
        self, depth: int = 0, *, texts: bool = False, family: Family | None = None, single: bool = True
    ) -> None:
        self.depth = depth
        self._single = single
        self._family = family or Family()
        self._bad_values = self._family.bad_values
        self.troubles: dict[tuple[str, str], list[dict[str, str]]] = {}  # rows by a value that tells of trouble
        self.texts = texts  # all values are texts, and some of them numbers all the same
        self._numeric, self.in_lines = dict[str, bool](), False  # rows are those of a table in a text
        self.rows = 0
        self.objects = 0
        self.columns: dict[str, Column] = {}
        self.keys: Column | None = None  # the names of the rows, where they are members of an object
        self.members: Column | None = None  # the values of its objects, where these are maps: they have no columns
        self.names: dict[str, int] | None = {}  # of columns that are not looked at, or of members; None: too many
        self.wide = False  # there are more columns than are known, or they lie too deep
        self.by_place: bool | None = None  # rows that are lists have their cells by place, once it is known
        self.nested = NestedNames() if not (depth or texts) else None  # rows in rows
        self.topics: dict[str, list[Any]] = {}  # what was found to say of it, once all rows are known

    def add(self, rows: Sequence[object], places: Sequence[int]) -> None:
        """Take the next rows, and the numbers of the rows of the text that they are in."""
        if not rows:
            return
        self.rows += len(rows)
        if self.depth > DEEPEST:
            self.wide, self.names = True, None
            return
        if self.by_place is None:
            self.by_place = not (self.depth or self.texts) and are_tuples(rows)
        if self.by_place:
            rows = [cells_by_place(row) if type(row) is list else row for row in rows]
        kinds = set(map(type, rows))
        if kinds == {dict}:
            self._add_objects(rows, places)  # type: ignore[arg-type]  # objects
        elif dict not in kinds:
            self._add_to("", rows, places)
        else:
            both = [*zip(rows, places, strict=True)]
            self._add_objects(*zip(*(one for one in both if type(one[0]) is dict), strict=True))
            self._add_to("", *zip(*(one for one in both if type(one[0]) is not dict), strict=True))

    def add_members(self, members: Mapping[str, object], places: Sequence[int]) -> None:
        """Take the members of an object as rows, their names as a column."""
        if self.keys is None:
            self.keys = Column("", places[0], self._family)
            self.keys.values = ValueCounts(MOST_NAMES)
        self.keys.add([*map(str, members)], places, self.depth)
        self.keys.remember([*map(str, members)], places)
        self.add([*members.values()], places)

    def _add_objects(self, rows: Sequence[dict[str, object]], places: Sequence[int]) -> None:
        self.objects += len(rows)
        if not self.texts and any("" in row for row in rows):  # the way to what has no name cannot be told
            self.wide, self.names = True, None
            rows = [{name: value for name, value in row.items() if name} for row in rows]
        if self.nested is not None and self.nested.key != "":
            self.nested.add(rows)
        names = tuple(rows[0])
        same = all(map(names.__eq__, map(tuple, rows)))
        if self.members is not None or self._begins_map(rows, names if same else None):
            self._add_map(rows, places)
            return
        if same:
            for name, values in zip(names, zip(*map(dict.values, rows), strict=True), strict=True):
                self._add_to(name, values, places)
                self._note_troubles(name, values, rows)
        else:
            names = self._add_varied(rows, places)
        if len(names) < len(self.columns):
            for name in self.columns.keys() - set(names):
                self.columns[name].lack(places)

    def _add_varied(self, rows: Sequence[dict[str, object]], places: Sequence[int]) -> tuple[str, ...]:
        """Rows that do not all have the same names; all of these."""
        found: dict[str, list[int]] = {}
        for at, row in enumerate(rows):
            for name in row:
                found.setdefault(name, []).append(at)
        for name, having in found.items():
            values = [rows[at][name] for at in having]
            self._add_to(name, values, [places[at] for at in having])
            self._note_troubles(name, values, [rows[at] for at in having])
            column = self.columns.get(name)
            if len(having) < len(rows) and column is not None and len(column.lacking) < MOST_LACKING:
                column.lack([place for row, place in zip(rows, places, strict=True) if name not in row])
        return tuple(found)

    def _begins_map(self, rows: Sequence[dict[str, object]], same: tuple[str, ...] | None) -> bool:
        """Whether objects are maps: they have many names, few of them shared, and values of one kind."""
        if not self.depth or self.texts or (len(same) if same else sum(map(len, rows))) < MAP_NAMES:
            return False
        counts = counts_of([*self.columns, *chain.from_iterable(rows)])
        cells = sum(map(len, rows)) + sum(column.present for column in self.columns.values())
        if len(counts) < MAP_NAMES or (self.objects > 1 and MAP_SHARE * cells >= len(counts) * self.objects):
            return False
        values = [*chain.from_iterable(map(dict.values, rows))]
        kinds = counts_of([*map(type, values)])
        alike = max(kinds.values()) >= ALIKE * len(values)
        return alike and (self.objects > 1 or dict in kinds)

    def _add_map(self, rows: Sequence[dict[str, object]], places: Sequence[int]) -> None:
        """Objects whose names are told by themselves, and their values as one column."""
        if self.members is None:
            self.members = Column("*", places[0], self._family)
            self.wide = self.wide or bool(self.columns)  # values that were seen before are not among the members
            for name, column in self.columns.items():
                self._count_name(name, column.present)
            self.columns = {}
        for name, count in counts_of([*chain.from_iterable(rows)]).items():
            self._count_name(name, count)
        every = SpreadPlaces(rows, places)
        self.members.add([*chain.from_iterable(map(dict.values, rows))], every, self.depth)

    def _count_name(self, name: str, count: int) -> None:
        """A name is known, though not what stands under it."""
        if self.names is not None:
            self.names[name] = self.names.get(name, 0) + count
            if len(self.names) > MOST_NAMES:
                self.names = None

    def _note_troubles(self, name: str, values: Sequence[object], rows: Sequence[dict[str, object]]) -> None:
        """Remember the short texts of rows in which a value tells of trouble: they are what it befell."""
        bad_values = self._bad_values(name, values) if self._bad_values is not None else set[object]()
        for bad in sorted(bad_values, key=values.index):  # a set has another order in every process
            noted = self.troubles.setdefault((name, value_word(bad)), [])
            for row, value in zip(rows, values, strict=True):
                if value == bad and type(value) is type(bad) and len(noted) < MOST_TROUBLES:
                    texts = ((key, text) for key, text in row.items() if type(text) is str and key != name)
                    noted.append({key: text for key, text in texts if len(text) <= LONGEST_VALUE})

    def _add_to(self, name: str, values: Sequence[object], places: Sequence[int]) -> None:
        if self.texts:
            self.add_cells(name, values, places)  # type: ignore[arg-type]  # strings
            return
        column = self._column(name, places[0])
        if column is None:
            if name:  # else they are no members
                self._count_name(name, len(values))
            return
        column.add(values, places, self.depth)

    def _column(self, name: str, place: int) -> Column | None:
        """The column of that name, begun at `place` if it is new; None where there are too many."""
        column = self.columns.get(name)
        if column is None and (
            self.names is None
            or name in self.names
            or len(self.columns) >= MOST_COLUMNS
            or not self._family.count_column(self.depth)
        ):
            self.wide = True
            return None
        if column is None:
            column = self.columns[name] = Column(name, place, self._family, single=self._single)
            if len(self.columns) <= NAMING and self.depth <= 1:
                column.values = ValueCounts(MOST_NAMES)
        return column

    def add_cells(self, name: str, values: Sequence[str], places: Sequence[int]) -> None:
        """Take the cells of one column. It is one of numbers where most of its first cells are."""
        numeric, self.in_lines = self._numeric.get(name), True
        if numeric is None:
            some = values[:MOST_DISTINCT]
            number = len(some) if as_numbers(some) else sum(as_numbers([value]) is not None for value in some)
            numeric = self._numeric[name] = 2 * number > len(some)
        column = self._column(name, places[0])
        if column is None:
            self._count_name(name, len(values))
            return
        if not self.texts:
            column.remember(values, places)
        if (numbers := as_numbers(values) if numeric else []) is None:
            found = [at for at, value in enumerate(values) if as_numbers([value]) is not None]
            other = [at for at, value in enumerate(values) if as_numbers([value]) is None]
            column.add_texts([values[at] for at in other], [places[at] for at in other])
            if any(values[at].strip()[:1].isdigit() for at in other):  # 007, which a reader would count among them
                column.numbers.plain, column.numbers.coded = False, True
            values, places = [values[at] for at in found], [places[at] for at in found]
            numbers = as_numbers(values) or []
        elif not numeric:
            column.add_texts(values, places)
        if numbers:
            column.present += len(numbers)
            column.numbers.plain = column.numbers.plain and is_plain(values)
            column.numbers.add(numbers, places, values)

    def count_rows(self, number: int) -> None:
        """So many rows were added by their cells."""
        self.rows += number
        self.objects += number

    def odd_rows(self) -> list[OddRow]:
        """Rows that are not like the others, the rarest first, each once."""
        seen: set[int] = set()
        result = []
        for _, odd in sorted(self._oddities(""), key=lambda one: one[0]):
            if odd.place not in seen:
                seen.add(odd.place)
                result.append(odd)
        return result

    def _oddities(self, way: str) -> Iterator[tuple[float, OddRow]]:
        rows = self.rows
        if rows < FEWEST or self.members is not None:
            return
        rare = max(1.0, rows * RARE)
        sparse = self.sparse
        for name, column in self.columns.items():
            path = way + name
            if column.present <= rare and name:
                if not sparse:  # else a name that few rows have is nothing odd
                    yield column.present, OddRow(column.first, f"{path} extra")
                continue
            if rows - rare <= column.present < rows:
                yield from ((rows - column.present, OddRow(place, f"{path} missing")) for place in column.lacking)
            yield from column_oddities(column, path, rare)
            for table in (column.inner, column.items):
                if table is not None:
                    yield from table._oddities(f"{path}.")  # noqa: SLF001  # a table in this one

    @property
    def whole(self) -> bool:
        """Whether all that is in it was looked at."""
        return not self.wide and all(table.whole for table in self.inside())

    def inside(self) -> Iterator[Table]:
        """The tables in this one."""
        for column in (*self.columns.values(), *([self.members] if self.members is not None else [])):
            yield from (table for table in (column.inner, column.items) if table is not None)

    @property
    def like_map(self) -> bool:
        """Whether its objects share few names, or have more than are looked at."""
        return self.wide or self.members is not None or self.sparse

    @property
    def sparse(self) -> bool:
        """Whether its objects share few of the names they have."""
        names = len(self.columns) + len(self.names or ())
        named = sum(column.present for column in self.columns.values()) + sum((self.names or {}).values())
        return names >= FEWEST and 2 * named < names * self.objects

    def key_counts(self) -> dict[str, int] | None:
        """How many objects have each name; None where not all names are known."""
        if self.names is None:
            return None
        return {name: column.present for name, column in self.columns.items() if name} | self.names


def column_oddities(column: Column, path: str, rare: float) -> Iterator[tuple[float, OddRow]]:
    """The rows in which this column has a value that is rare among few, of another kind, or a number that is far."""
    counts = column.counts()
    few = counts if counts is not None and 1 < len(counts) <= 4 * FEW else {}
    seldom = {value: count for value, count in few.items() if count <= rare}
    # Where a third of the values are rare, rare ones are not odd.
    concentrated = sum(few.values()) - sum(seldom.values()) >= CONCENTRATED * column.scalars
    if few and concentrated and 3 * len(seldom) <= max(len(few), 6):
        for value, count in seldom.items():
            yield count, OddRow(column.place_of(value), f"{path} value {value}", path, value)
    elif few and column.texts == column.scalars:
        for value in oddly_formed(few, column.scalars, rare):
            yield 1, OddRow(column.place_of(value), f"{path} form {value}", path, value)
    elif column.mixed and min(column.texts, column.scalars - column.texts) <= rare:
        places = column.values.firsts if column.texts <= rare else column.numbers.firsts
        found = ((value_word(value), place) for value, place in [*places.items()][:2])
        yield from ((1, OddRow(place, f"{path} type", path, value)) for value, place in found)
    elif (dated := range_and_others(counts or {})) is not None:
        yield from ((1, OddRow(column.place_of(value), f"{path} form {value}", path, value)) for value in dated[2])
    yield from ((1, OddRow(one.place, f"{path} far", path, one.words)) for one in column.numbers.far())
