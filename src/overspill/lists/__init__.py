"""A list of records that fits: some of them, how many there are in all, and where the next ones begin.

>>> first = page(["a", "b", "c"], limit=2)
>>> first.items, first.pagination, first.next
(['a', 'b'], {'total': 3, 'limit': 2, 'offset': 0, 'hasMore': True}, '--offset 2')
>>> page(["a", "b", "c"], limit=0, offset=1).pagination is None
True

A short record has the fields that help to choose, without those that are null or not there. Whoever wants the rest asks
for one record by its id.

>>> compact_task({"id": "T1", "title": "Log in", "phase": None, "labels": [], "description": "Long."})
{'id': 'T1', 'title': 'Log in', 'labels': []}

Records are chosen by conditions on their fields, and put in order by one field.

>>> records = [{"n": 10, "s": "b"}, {"n": 9}, {"n": "x", "s": "a"}]
>>> [record for record in records if Condition.parse("n<10").holds(record)]
[{'n': 9}]
>>> Order.parse("-n").places(records)
[0, 1, 2]

Pure: imports `_lite`, `errors` and `core`. Whatever answers with a list comes in here: workspace, `retrieve`, the API,
MCP and the command line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from overspill._lite import NamedTuple, compile_pattern
from overspill.core import TokenCounter, tokens_of
from overspill.documents.json_elements import EVERY, FieldPath, Step
from overspill.errors import UsageError

# Records on a page, by command. Every other command has the last one.
DEFAULTS = {"list": 50, "session": 10, "find": 10, "log": 20, "archive": 25, "artifacts": 20, "default": 50}
ALIASES = {"tasks": "list", "sessions": "session", "search": "find", "logs": "log"}
# Tokens that a page of defaults is meant to stay below.
TARGETS = {"list": 3000, "session": 1000, "find": 1000, "log": 2000}

Encoder = Callable[[Any], str]


class Pagination(dict[str, object]):
    """Which records, characters, values or matches a page holds: exactly `total`, `limit`, `offset` and `hasMore`.

    >>> Pagination(150, 50, 100).has_more
    False
    """

    def __init__(self, total: int, limit: int, offset: int, *, has_more: bool | None = None) -> None:
        # A page may end before its limit, or have none: then only its maker knows whether anything follows.
        more = offset + limit < total if has_more is None else has_more
        super().__init__(total=total, limit=limit, offset=offset, hasMore=more)
        self.total, self.limit, self.offset, self.has_more = total, limit, offset, more


class Page(NamedTuple):
    """Some records. There is no `pagination` where everything was asked for."""

    items: list[Any]
    pagination: Pagination | None = None
    shortened: bool = False  # a budget of tokens ended it before its limit

    @property
    def has_more(self) -> bool:
        """Whether there are records after this page."""
        return self.pagination is not None and self.pagination.has_more

    @property
    def following(self) -> int | None:
        """Where the next page begins."""
        return self.pagination.offset + self.pagination.limit if self.pagination and self.has_more else None

    @property
    def next(self) -> str:
        """The option that brings the next page, or nothing."""
        return "" if self.following is None else f"--offset {self.following}"


@runtime_checkable
class Query(Protocol):
    """Records that are fetched when they are asked for, so that a page of many costs a page."""

    def count(self) -> int:
        """How many there are in all."""

    def rows(self, limit: int | None, offset: int) -> Iterable[Any]:
        """Some of them; without a limit, all from `offset` on."""


class Cursor(Protocol):
    """What a database answers with."""

    @property
    def description(self) -> Sequence[Sequence[Any]] | None:
        """The columns, their names first."""

    def fetchone(self) -> Any:  # noqa: ANN401  # a row is what the driver makes of it
        """The next row."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """What `Select` needs of a database: a connection of `sqlite3` has it, and so have others."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Cursor:  # noqa: ANN401  # a sequence or a mapping
        """Run one statement."""


class Select:
    """A SELECT without a LIMIT of its own, as records by the names of its columns.

    >>> import sqlite3
    >>> counted = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) select i from n"
    >>> db = sqlite3.connect(":memory:")
    >>> page(Select(db, counted), limit=2, offset=99_990).items
    [{'i': 99991}, {'i': 99992}]
    >>> db.close()
    """

    def __init__(
        self, connection: Connection, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> None:
        self.connection, self.sql, self.parameters = connection, sql, parameters

    def count(self) -> int:
        """How many records the query has."""
        row = self.connection.execute(f"select count(*) from ({self.sql})", self.parameters).fetchone()  # noqa: S608
        return int(row[0])

    def rows(self, limit: int | None, offset: int) -> Iterator[dict[str, object]]:
        """Some of them, one at a time."""
        most = -1 if limit is None else limit
        cursor = self.connection.execute(f"{self.sql} limit {most:d} offset {offset:d}", self.parameters)
        names = [column[0] for column in cursor.description or ()]
        return (dict(zip(names, row, strict=True)) for row in cursor)


def get_default_limit(command: str, sizes: Mapping[str, int] | None = None) -> int:
    """Records on a page of a command while nobody asks for another number; `sizes` overrides the specification's.

    >>> [get_default_limit(command) for command in ("list", "session list", "search", "logs", "archive", "anything")]
    [50, 10, 10, 20, 25, 50]
    >>> get_default_limit("list", {"list": 7})
    7
    """
    known = {**DEFAULTS, **(sizes or {})}
    return known.get(family(command), known["default"])


def family(command: str) -> str:
    """The name under which a command's page size and target stand.

    >>> family("session list"), family("tasks"), family("artifacts list")
    ('session', 'list', 'artifacts')
    """
    word = command.strip().lower()
    for prefix in ("session", "archive", "artifacts "):
        if word.startswith(prefix):
            return prefix.strip()
    word = ALIASES.get(word, word)
    return word if word in DEFAULTS else "default"


def page(
    items: Iterable[Any] | Query,
    limit: int | None = DEFAULTS["default"],
    offset: int = 0,
    *,
    tokens: int | None = None,
    counter: TokenCounter | None = None,
    encode: Encoder = str,
) -> Page:
    """At most `limit` records from `offset` on; 0 and None are no limit, and then there is no pagination.

    A query is asked for its page only. An iterator is run through to be counted, and no more than the page of it
    is held. With `tokens` the page ends before the record that would not fit, `encode` being how a record is
    written; but it has one record at least, or nobody would ever come past a large one.
    """
    most = None if limit is None else checked_number(limit, "limit") or None
    skipped = checked_number(offset, "offset")
    found, total = _take_page(items, most, skipped)
    if tokens is not None:
        kept = fitting_count(found, tokens, counter, encode)
        if kept < len(found):
            total = skipped + len(found) if total is None else total
            return Page(found[:kept], Pagination(total, kept, skipped), shortened=True)
    return Page(found, None if most is None or total is None else Pagination(total, most, skipped))


def checked_number(number: object, name: str) -> int:
    """A limit or an offset, if it is one."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise UsageError(f"{name} is a whole number from 0 on, not {str(number)[:100]!r}")
    return number


def fitting_count(items: Sequence[Any], tokens: int, counter: TokenCounter | None, encode: Encoder) -> int:
    """How many of the first records fit, each with the comma or line end after it; one at least, if there is one.

    >>> fitting_count(["x" * 39] * 9, 50, None, str)
    5
    """
    if tokens < 1:
        raise UsageError(f"tokens is a whole number from 1 on, not {tokens}")
    spent = 0
    for number, item in enumerate(items):
        text = encode(item)
        spent += len(text) + 1 if counter is None else counter(text) + 1
        if (tokens_of(spent) if counter is None else spent) > tokens:
            return max(number, 1)
    return len(items)


def _take_page(items: Iterable[Any] | Query, limit: int | None, offset: int) -> tuple[list[Any], int | None]:
    """A page, and how many records there are in all, where that matters."""
    if isinstance(items, Query):
        return list(items.rows(limit, offset)), items.count()
    if isinstance(items, Sequence):
        return list(items[offset : None if limit is None else offset + limit]), len(items)
    source = iter(items)
    skipped = sum(1 for _ in islice(source, offset))
    if limit is None:
        return list(source), None
    found = list(islice(source, limit))
    return found, skipped + len(found) + sum(1 for _ in source)


Record = Mapping[str, object]
Projection = Callable[[Record], dict[str, object]]

TASK = tuple("id title status priority type parentId phase labels depends blockedBy createdAt completedAt".split())  # noqa: SIM905
SESSION = ("id", "name", "status", "scope", "focus.currentTask", "startedAt", "endedAt")

Tree = dict[Step, "Tree | None"]  # what is kept below each step; None: all of it
_MISSING = object()

_CONDITION = compile_pattern(r"(?s)(.+?)(!=|=|<|>|~)(.*)")
_NUMBER = compile_pattern(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
LONGEST_NUMBER = 40


def compact_record(record: Record, fields: Iterable[str]) -> dict[str, object]:
    """Only these fields of a record, in this order, without those that are missing or null.

    `a.b.c` keeps that member of the objects on its way, `a[*].b` one of every element of a list. What is not there
    is not there afterwards, either; a null inside an object stays.

    >>> compact_record({"id": 1, "owner": {"name": "jo", "mail": "jo@x"}, "tags": None}, ["id", "owner.name", "tags"])
    {'id': 1, 'owner': {'name': 'jo'}}
    >>> compact_record({"a": [{"b": {"c": 1, "d": 2}}, {"b": {}}]}, ["a[*].b.c", "x.y"])
    {'a': [{'b': {'c': 1}}, {}]}
    """
    paths = _paths(tuple(fields))
    # A record may have a member whose name looks like a path: then that one is meant.
    steps = tuple((path.text,) if path.text in record else path.steps for path in paths)
    kept = _kept_part(record, _tree(steps))
    return {name: value for name, value in kept.items() if value is not None} if isinstance(kept, dict) else {}


@lru_cache(64)
def _paths(fields: tuple[str, ...]) -> tuple[FieldPath, ...]:
    return tuple(FieldPath.parse(field) for field in fields)


@lru_cache(64)
def _tree(paths: tuple[tuple[Step, ...], ...]) -> Tree:
    """All paths as one tree, so that `a.b` and `a.c` make one object."""
    tree: Tree = {}
    for path in paths:
        below: Tree | None = tree
        for step in path[:-1]:
            below = below.setdefault(step, {}) if below is not None else None
        if below is not None:
            below[path[-1]] = None
    return tree


def _kept_part(value: object, tree: Tree | None) -> object:
    """What a tree leaves of a value, or `_MISSING`."""
    if tree is None:
        return value
    if isinstance(value, Mapping):
        named = {step: _kept_part(value[step], below) for step, below in tree.items() if step in value}
        return {step: part for step, part in named.items() if part is not _MISSING} or _MISSING
    if not isinstance(value, list | tuple):
        return _MISSING
    if EVERY in tree:  # one each, so that the third stays the third
        parts = [_kept_part(one, tree[EVERY]) for one in value]
        return [{} if part is _MISSING else part for part in parts]
    return _chosen_elements(value, tree) or _MISSING


def _chosen_elements(values: Sequence[object], tree: Tree) -> list[object]:
    places = [(step, below) for step, below in tree.items() if isinstance(step, int) and step < len(values)]
    parts = [_kept_part(values[step], below) for step, below in places]
    return [part for part in parts if part is not _MISSING]


def compact_task(record: Record) -> dict[str, object]:
    """A task as lists show it."""
    return compact_record(record, TASK)


def compact_session(record: Record) -> dict[str, object]:
    """A session as lists show it: of its focus, the current task, also if there is none.

    >>> compact_session({"id": "ses_1", "focus": {"currentTask": "T7", "since": "noon"}, "notes": ["..."]})
    {'id': 'ses_1', 'focus': {'currentTask': 'T7'}}
    """
    focus = record.get("focus")
    if isinstance(focus, Mapping):
        record = {**record, "focus": {"currentTask": None, **focus}}
    return compact_record(record, SESSION)


def projection(words: str) -> Projection:
    """The projection that is meant by `task`, `session` or a list of fields.

    >>> projection("id,name")({"id": 7, "name": "jo", "mail": "jo@x"})
    {'id': 7, 'name': 'jo'}
    """
    if words == "task":
        return compact_task
    if words == "session":
        return compact_session
    fields = tuple(field.strip() for field in words.split(","))
    if not all(path.steps for path in _paths(fields)):
        raise UsageError(f"not a list of fields: {words[:100]!r}; give task, session, or names: id,title,owner.name")
    return lambda record: compact_record(record, fields)


class Condition(NamedTuple):
    """`FIELD=VALUE`, with one of `= != < > ~` (contains) between them."""

    path: FieldPath
    operator: str
    word: str

    @classmethod
    def parse(cls, words: str) -> Condition:
        """The condition that is meant.

        >>> Condition.parse("owner.name!=jo")[1:]
        ('!=', 'jo')
        """
        found = _CONDITION.fullmatch(words)
        if found is None or found[3].startswith("="):
            beyond = "" if found is None else f"; there is no {found[2]}="
            raise UsageError(
                f"not a condition: {words[:100]!r}{beyond}; write FIELD=VALUE in quotes, with = != < > or ~ (contains)"
            )
        path = FieldPath.parse(found[1])
        if not path.steps:
            raise UsageError(f"not a condition: {words[:100]!r} names no field; write FIELD=VALUE")
        return cls(path, found[2], found[3])

    def holds(self, record: object) -> bool:
        """Whether a record meets it: by any value of the field, and of a list by any of its elements.

        A field that is not there is unlike everything: it meets `!=` alone.
        """
        test = _TESTS[self.operator]
        return any(test(value, self.word) for value in _scalars(self.path.values(record))) != (self.operator == "!=")


class Order(NamedTuple):
    """By a field: numbers by size, then texts; records without it come last."""

    path: FieldPath
    descending: bool = False

    @classmethod
    def parse(cls, words: str) -> Order:
        """`FIELD`, or `-FIELD` for the largest first."""
        path = FieldPath.parse(words.removeprefix("-"))
        if not path.steps:
            raise UsageError(f"not a field to sort by: {words[:100]!r}; write FIELD, or -FIELD for the largest first")
        return cls(path, words.startswith("-"))

    def places(self, records: Iterable[object]) -> list[int]:
        """The places of records in this order; those that are equal stay as they are."""
        numbers: list[tuple[float, int]] = []
        texts: list[tuple[str, int]] = []
        without: list[int] = []
        for place, record in enumerate(records):
            value = next(iter(self.path.values(record)), None)
            number = _number(value)
            if number is not None:
                numbers.append((number, place))
            elif value is None:
                without.append(place)
            else:
                texts.append((_text(value), place))
        numbers.sort(key=_value_of, reverse=self.descending)
        texts.sort(key=_value_of, reverse=self.descending)
        return [*(place for _, place in numbers), *(place for _, place in texts), *without]


def _value_of(pair: tuple[Any, int]) -> Any:  # noqa: ANN401  # all of one kind
    return pair[0]


def _scalars(values: Iterable[object]) -> Iterable[object]:
    for value in values:
        yield from value if isinstance(value, list) else (value,)


def _number(value: object) -> float | None:
    """The number that a value is, or that its text spells: a table knows no others."""
    if isinstance(value, int | float):
        return None if isinstance(value, bool) else value
    if not isinstance(value, str) or len(value) > LONGEST_NUMBER or _NUMBER.fullmatch(value) is None:
        return None
    return int(value) if value.lstrip("-").isdigit() else float(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _equals(value: object, word: str) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value == _number(word)
    return _text(value) == word


def _is_below(value: object, word: str) -> bool:
    return _compared(value, word) < 0


def _is_above(value: object, word: str) -> bool:
    return _compared(value, word) > 0


def _compared(value: object, word: str) -> int:
    """-1, 0 or 1; 0 also where the two have no order: a number and a text."""
    mine, other = _number(value), _number(word)
    if mine is not None and other is not None:
        return (mine > other) - (mine < other)
    if not isinstance(value, str) or other is not None:
        return 0
    return (value > word) - (value < word)


def _contains(value: object, word: str) -> bool:
    return word.casefold() in _text(value).casefold()


_TESTS = {"=": _equals, "!=": _equals, "<": _is_below, ">": _is_above, "~": _contains}
