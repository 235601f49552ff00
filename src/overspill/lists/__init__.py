"""A list of records that fits: some of them, how many there are in all, and where the next ones begin.

>>> first = page(["a", "b", "c"], limit=2)
>>> first.items, first.pagination, first.next
(['a', 'b'], {'total': 3, 'limit': 2, 'offset': 0, 'hasMore': True}, '--offset 2')
>>> page(["a", "b", "c"], limit=0, offset=1).pagination is None
True

Pure: imports `_lite`, `errors` and `core`. Whatever answers with a list comes in here: workspace, `retrieve`, the API,
MCP and the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from overspill._lite import NamedTuple
from overspill.core.size import TokenCounter, tokens_of
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
