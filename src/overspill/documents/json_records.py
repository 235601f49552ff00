"""The elements of a long array, or the members of a long object, looked at while they pass by.

They are rows of a table, so that what they add up to can be told, and some of them are odd: they tell of a failure,
have another shape than the rest, a value that is rare among few, or a number far out of the rest; or they hold the
words that are looked for. Where an odd one lies is found out only when it is asked for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from overspill._lite import NamedTuple, compile_pattern
from overspill.core.spans import Form, Span
from overspill.cut.digest import counts_of
from overspill.cut.digest.columns import Table
from overspill.cut.digest.counts import Family
from overspill.cut.digest.statements import table_statements
from overspill.cut.digest.values import spelled_value
from overspill.documents.failures import (
    FAILURES,
    SAYING,
    bad_values,
    failure_of,
    mention_of,
    plain_name,
    speaks_of_failure,
    word_scanner,
)
from overspill.documents.json_pieces import NEWLINE, OPEN_OBJECT, SEQUENCE, joined_values, split_array, split_object
from overspill.documents.shrink import json_string

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from msgspec.json import Decoder

    from overspill.cut.digest.columns import Column
    from overspill.documents.json_pieces import Element

LEAST_READ = 20  # rows by which a type of them is made
MOST_STRIKES = 12  # so often the rows may be not like those before; then no type of them is made any more
MOST_FIELDS = 60
MOST_CHOICES, LONGEST_CHOICE = 24, 80
LEARNED = 160  # elements from which it is learned which words say nothing
USUAL = 0.8  # of them tell of the same failure: then that is not what tells them from others
MOST = 240  # outliers that are remembered
MOST_ODD = 60  # of them for what their columns say
MOST_HITS = 512  # a piece
MOST_LOOKED_AT = 6_000  # candidates
LONGEST = 1 << 20  # bytes of an element that are looked at
WAITING = 1 << 16  # bytes of elements that are looked at together

FOCUS, FAILED, MENTIONED, ODD = 0, 1, 2, 3
MOST_MENTIONS = 8  # of failures in the texts of records
MOST_ALIKE = (MOST, MOST // 2, 6, 6)  # of one kind that are remembered, by rank


class Outlier(NamedTuple):
    """An element that is not like the others: which one, where it is, and why."""

    number: int
    element: Element
    rank: int  # the lower, the more it matters
    reason: str


class RecordStretch(NamedTuple):
    """Elements that follow each other: the number of the first, and where they lie."""

    first: int
    start: int
    end: int


class RowReader:
    """Reads rows that are like those in a table as types made for them, at the speed of a native parser.

    A value that all rows have, or one of few, is compared where it lies and never made; what is new is refused. Then
    the rows are read as any are, and the types are made anew.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.strikes = 0
        self._fields: dict[
            int, list[tuple[str, Column, type | None, Any, bool]]
        ] = {}  # of the type of a table, by its id
        self._decoder: Decoder[list[Any]] | None = None
        kind = self._row_type(table)
        if kind is not None:
            from msgspec.json import Decoder

            self._decoder = Decoder(list[kind])  # type: ignore[valid-type]  # made above

    def fresh_reader(self) -> RowReader:
        """A reader that knows what is in the table now."""
        reader = RowReader(self.table)
        reader.strikes = self.strikes
        return reader

    def add(self, content: bytes, index: int) -> int | None:
        """Add up rows; their number, or None where they are not all like those that are known."""
        from msgspec import DecodeError

        rows: list[Any] = []
        try:
            if self._decoder is not None:
                rows = self._decoder.decode(content)
        except (DecodeError, RecursionError):
            pass
        if not rows:
            self.strikes += 1
            return None
        self._feed(self.table, rows, range(index, index + len(rows)))
        return len(rows)

    def _feed(self, table: Table, rows: list[Any], places: Sequence[int]) -> None:
        from msgspec import UNSET

        table.count_rows(len(rows))
        for field, column, kind, only, optional in self._fields[id(table)]:
            if only is not UNSET:
                column.add_same(only, len(rows))
                continue
            values = [*map(attrgetter(field), rows)]
            if optional and UNSET in values:
                at = [number for number, value in enumerate(values) if value is not UNSET]
                self._take(column, kind, [values[number] for number in at], [places[number] for number in at])
                column.lack([place for value, place in zip(values, places, strict=True) if value is UNSET])
            else:
                self._take(column, kind, values, places)

    def _take(self, column: Column, kind: type | None, values: list[Any], places: Sequence[int]) -> None:
        """Values of a column; objects that were read as a type are rows of the table inside."""
        if column.inner is not None and id(column.inner) in self._fields and values:
            column.present += len(values)
            self._feed(column.inner, values, places)
        elif kind is not None and values:
            column.add_kind(kind, values, places, self.table.depth)
        else:
            column.add(values, places, self.table.depth)

    def _row_type(self, table: Table) -> Any:  # noqa: ANN401  # a type
        """The type of a row, or None where rows are too varied to have one."""
        from msgspec import UNSET, UnsetType, defstruct

        if not table.columns or table.objects < table.rows or len(table.columns) > MOST_FIELDS or table.like_map:
            return None
        if table.nested is not None and table.nested.key:
            return None
        fields: list[Any] = []
        known: list[tuple[str, Column, type | None, Any, bool]] = []
        names: dict[str, str] = {}
        for at, (name, column) in enumerate(table.columns.items()):
            field = f"f{at}"
            names[field] = name
            kind, of_kind, only = self._column_type(column, table.rows)
            if plain_name(name) in SAYING and not _is_choice(column):
                return None  # a word of trouble would not be seen
            optional = column.present < table.rows
            known.append((field, column, of_kind, only, optional))
            fields.append((field, kind | UnsetType, UNSET) if optional else (field, kind))
        self._fields[id(table)] = known
        return defstruct("Row", fields, rename=names, forbid_unknown_fields=True, gc=False, kw_only=True)

    def _column_type(self, column: Column, rows: int) -> tuple[Any, type | None, Any]:
        """The type of the values of a column, of what kind all of them are, and if it is only one, that value."""
        from msgspec import UNSET

        counts = column.values.counts
        if column.texts and column.texts == column.present:
            if counts and _is_choice(column):
                only = next(iter(counts)) if len(counts) == 1 and column.present == rows else UNSET
                good = [one for one in counts if one not in bad_values(column.name, [one])]
                return (Literal[*good] if good else None), str, only
            return str, str, UNSET
        if column.numbers.number == column.present:
            whole = column.numbers.whole
            return (int if whole else int | float), int, UNSET
        if column.lists == column.present and column.items is not None and set(column.items.columns) == {""}:
            inside = column.items.columns[""]
            of_items: Any = self._column_type(inside, inside.present)[0]
            return list[of_items], list, UNSET
        if column.inner is not None and column.inner.rows == column.present:
            kind = self._row_type(column.inner)
            if kind is not None:
                return kind, None, UNSET
        return Any, None, UNSET


def _is_choice(column: Column) -> bool:
    """Whether its values are few short texts."""
    counts = column.values.counts
    few = counts is not None and len(counts) <= MOST_CHOICES and all(len(one) <= LONGEST_CHOICE for one in counts)
    return few and column.texts == column.present


class RecordWatch:
    """Looks at the elements of one container, a stretch at a time."""

    def __init__(
        self,
        buffer: memoryview,
        opening: int,
        split: Callable[[Span, bytes], list[Element]],
        focus: tuple[str, ...] = (),
    ) -> None:
        self.table: Table | None = Table(family=Family(bad_values))
        self._buffer = buffer
        self._form = b"{%b}" if opening == OPEN_OBJECT else b"[%b]"
        self._lines, self._sequence = opening == NEWLINE, opening == SEQUENCE
        self._split = split
        self._reader: RowReader | None = None
        self._readable = opening != OPEN_OBJECT
        self._number: int | None = None
        self._stretches: list[RecordStretch] = []
        self._elements: dict[int, list[Element]] = {}
        self._waiting: RecordStretch | None = None
        self._in_focus = word_scanner(focus)
        self._failures = word_scanner(FAILURES)
        self._learned = False
        self._usual: frozenset[str] = frozenset()  # failures that most of the rows tell of
        self._alike: Counter[tuple[int, str]] = Counter()
        self._looked_at = self._mentions = 0
        self._found: dict[int, tuple[int, str]] = {}  # rank and reason by number

    @property
    def shallow(self) -> bool:
        """Whether all levels of what was seen are known to be few."""
        return self.table is not None and self.table.whole

    def one(self, element: Element, index: int) -> None:
        """Look at one element that was found by itself."""
        if element.end - element.start > LONGEST:
            self._flush()
            self.table = None  # nothing is told of the rows that is not told of all
            return
        waiting = self._waiting
        self._waiting = (
            RecordStretch(index, element.start, element.end) if waiting is None else waiting._replace(end=element.end)
        )
        if self._waiting.end - self._waiting.start > WAITING:
            self._flush()

    def stretch(self, start: int, end: int, index: int) -> int | None:
        """Look at valid elements that follow each other: their number, or None where that cannot be told."""
        self._flush()
        return self._look(RecordStretch(index, start, end))

    def pick(self) -> tuple[Outlier, ...]:
        """The outliers, those that matter most first, and of each kind the first before the second."""
        self._flush()
        if self.table is not None:
            for odd in self.table.odd_rows()[:MOST_ODD]:
                self._remember(odd.place, ODD, odd.reason)
        nth: Counter[tuple[int, str]] = Counter()
        ranked = []
        for number, (rank, reason) in sorted(self._found.items()):
            nth[rank, reason] += 1
            again = rank != FOCUS and nth[rank, reason] > 1
            ranked.append((again, rank, nth[rank, reason], number, reason))
        chosen = sorted(ranked)[:MOST]
        return tuple(Outlier(number, self._element(number), rank, reason) for _, rank, _, number, reason in chosen)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._look(waiting)

    def _look(self, stretch: RecordStretch) -> int | None:
        content = self._content(stretch)
        self._number = None
        rows = self._add(content, stretch.first)
        number = len(rows) or self._number or self._count(content)
        if number:
            self._stretches.append(stretch)
            self._search(content, stretch, rows)
        return number

    def _content(self, stretch: RecordStretch) -> bytes:
        """The elements as one container."""
        inside = bytes(self._buffer[stretch.start : stretch.end])
        if self._sequence:
            return self._form % joined_values(inside)
        return self._form % (inside.replace(b"\n", b",") if self._lines else inside)

    def _add(self, content: bytes, index: int) -> list[object]:
        """Take the rows; they, as far as all of them can be told and are known."""
        if self.table is None:
            return []
        if self._reader is not None:
            number = self._reader.add(content, index)
            if number is not None:
                self._number = number
                return []
            if self._reader.strikes > MOST_STRIKES:
                self._reader, self._readable = None, False
        from msgspec import DecodeError
        from msgspec.json import decode

        try:
            value = decode(content)
        except (DecodeError, RecursionError):
            if self._count(content) is not None:
                self.table = None  # a number that is too large for us
            return []
        rows = [*value.values()] if isinstance(value, dict) else value
        places = range(index, index + len(rows))
        if isinstance(value, dict):
            self.table.add_members(value, places)
        else:
            self.table.add(rows, places)
            if self._readable and len(rows) >= LEAST_READ:
                self._reader = RowReader(self.table) if self._reader is None else self._reader.fresh_reader()
        return rows

    def _count(self, content: bytes) -> int | None:
        """How many elements there are, or None when what seems to be their end is inside one of them."""
        split = split_object(content) if content[:1] == b"{" else split_array(content, 1)
        return None if split is None else split.number

    def _search(self, content: bytes, stretch: RecordStretch, rows: list[object]) -> None:
        """Look for words: those that are asked for, and those that tell of failures."""
        for end in self._in_focus(content, MOST_HITS):
            self._remember(self._holding(stretch, end), FOCUS, "focus")
        if not self._learned:
            self._learn(content, rows)
        if self._looked_at >= MOST_LOOKED_AT:
            return
        last = -1
        for end in self._failures(content, MOST_HITS):
            number = self._holding(stretch, end)
            if number == last:
                continue
            last = number
            self._looked_at += 1
            at = number - stretch.first
            value = rows[at] if rows else self._value(self._elements_of(stretch), at)
            failed = failure_of(value)
            if failed in self._usual:
                continue
            said = "" if failed else value if isinstance(value, str) and speaks_of_failure(value) else mention_of(value)
            if failed:
                self._remember(number, FAILED, failed)
            elif said and self._mentions < MOST_MENTIONS:
                self._mentions += self._remember(number, MENTIONED, said)

    def _value(self, elements: list[Element], at: int) -> object:
        """The value of an element, as far as it can be told: None for a number too large for us."""
        from msgspec import DecodeError
        from msgspec.json import decode

        try:
            value: object = decode(self._buffer[elements[at].value : elements[at].end])
        except (DecodeError, RecursionError):
            return None
        return value

    def _learn(self, content: bytes, rows: list[object]) -> None:
        """A word that is in records which tell of no failure says nothing here."""
        from msgspec.json import encode

        self._learned = True
        if not self._failures(content, 1):
            return
        telling = set(FAILURES)
        troubles: Counter[str] = Counter()
        for row in rows[:LEARNED]:
            lower = encode(row).lower()
            words = {word for word in telling if word.encode() in lower}
            failed = failure_of(row)
            troubles[failed] += 1
            if words and not failed and not mention_of(row):
                telling -= words
        most = max(USUAL * min(LEARNED, len(rows)), 2)
        self._usual = frozenset(failed for failed, count in troubles.items() if failed and count > most)
        self._failures = word_scanner(telling)

    def _remember(self, number: int, rank: int, reason: str) -> bool:
        """Note that an element matters; whether that was not known."""
        known = self._found.get(number)
        alike = rank, reason
        if (known is not None and known[0] <= rank) or self._alike[alike] >= MOST_ALIKE[rank]:
            return False
        self._alike[alike] += 1
        if len(self._found) >= MOST and known is None:
            worst = max(self._found, key=lambda one: (self._found[one][0], one))
            if self._found[worst][0] <= rank:
                return False
            del self._found[worst]
        self._found[number] = rank, reason
        return True

    def _holding(self, stretch: RecordStretch, end: int) -> int:
        """The number of the element in which something ends there."""
        elements = self._elements_of(stretch)
        at = stretch.start - 1 + end
        return stretch.first + min(bisect_left(elements, at, key=lambda one: one.end), len(elements) - 1)

    def _element(self, number: int) -> Element:
        stretch = self._stretches[bisect_right(self._stretches, number, key=lambda one: one.first) - 1]
        return self._elements_of(stretch)[number - stretch.first]

    def _elements_of(self, stretch: RecordStretch) -> list[Element]:
        found = self._elements.get(stretch.first)
        if found is None:
            if len(self._elements) > 8:  # noqa: PLR2004  # stretches whose elements are remembered
                self._elements.clear()
            found = self._elements[stretch.first] = self._split(
                Span(stretch.start, stretch.end), self._content(stretch)
            )
        return found


def tells_of_failure(buffer: memoryview, element: Element) -> bool:
    """Whether an element tells of a failure, or a member, by its name and what is in it."""
    from msgspec.json import decode

    value = decode(buffer[element.value : element.end])
    return bool(failure_of({decode(buffer[element.start : element.key]): value} if element.key else value))


# Read one after the other, strings begin where they seem to; behind a key stands a colon.
_STRINGS = compile_pattern(rb'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?')


def key_names_words(text: bytes, room: int) -> str:
    """`[274 keys at any depth: id, name, +272]`, those that stand there most often first."""
    from msgspec.json import decode

    counts = counts_of(key for key, colon in _STRINGS.findall(text) if colon)
    names = [*dict.fromkeys(str(decode(key)) for key in sorted(counts, key=lambda key: -counts[key]))]
    begin = f"[{len(names)} keys at any depth: "
    left = room - len(begin) - len(f"+{len(names)}]")
    named: list[str] = []
    for name in sorted(names, key=lambda name: name[:1].isdigit() and not name.isdigit()):  # versions, dates
        left -= len(spelled_value(name)) + 2
        if left < 0:
            break
        named.append(spelled_value(name))
    more = len(names) - len(named)
    return f"{begin}{', '.join([*named, *([f'+{more}'] if more else [])])}]" if named else ""


# ---- what is said of rows ----

TRIES, NEARLY = 8, 0.995  # at statements that take no more than their room as JSON writes them


class Place(NamedTuple):
    """How the rows of a container are written: what they are called, and what stands between them."""

    noun: str
    glue: str
    form: Form


def row_statements(table: Table, room: int, place: Place) -> list[str]:
    """Statements that take, written as JSON strings with what stands between them, no more than the room."""
    noun = "rows" if place.form is Form.ITEM else "keys"
    said, asked = table_statements(table, room, noun), float(room)
    for _ in range(TRIES):
        if (width := written_width(said, place)) <= room:
            break
        asked *= NEARLY * room / width  # quotes and escapes take room, too
        said = table_statements(table, int(asked), noun)
    left, result = room, []
    for words in said:
        width = written_width([words], place)
        if width <= left:
            left -= width
            result.append(words)
    return result


def written_width(said: list[str], place: Place) -> int:
    return sum(len(json_string(words)) + len(place.glue) for words in said)


def name_troubles(said: list[str]) -> bool:
    """Whether it is told which rows are in trouble, so that fewer of them need to be shown."""
    return any(" where " in words for words in said)


def leave_untold(said: list[str]) -> bool:
    """Whether the statements leave something untold that other rows would say."""
    return any(" distinct]" in words or "+" in words.rpartition(", ")[2] for words in said)
