"""Lists of tasks, as queries: a page of them costs a page, at whatever offset."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager

from overspill.ledger.fields import LISTED, PRIORITIES, STATUSES, TYPES, listed, number_of, one_of

Guard = Callable[[], AbstractContextManager[None]]


class Tasks:
    """Some tasks in an order, each as lists show it."""

    def __init__(self, db: sqlite3.Connection, where: str, values: list[object], order: str, guard: Guard) -> None:
        self._db, self._where, self._values, self._order, self._guard = db, where, values, order, guard

    def count(self) -> int:
        """How many there are."""
        with self._guard():
            sql = f"select count(*) from tasks where {self._where}"
            return int(self._db.execute(sql, self._values).fetchone()[0])

    def rows(self, limit: int | None, offset: int) -> Iterator[dict[str, object]]:
        """Some of them. What is skipped is skipped in an index, without a look at the tasks themselves."""
        page = f"select number from tasks where {self._where} order by {self._order} limit ? offset ?"
        sql = f"select {LISTED} from tasks where number in ({page}) order by {self._order}"
        with self._guard():
            for row in self._db.execute(sql, [*self._values, -1 if limit is None else limit, offset]):
                yield listed(row)


def filtered(filters: Mapping[str, object], last: int) -> tuple[str, list[object]]:
    """The tasks up to number `last` that are not put away and are as asked for.

    >>> filtered({"status": ["pending", "active"], "label": ["auth"]}, 120)[1]
    [120, 'pending', 'active', 'auth']
    """
    where = ["archived is null", "number <= ?"]
    values: list[object] = [last]
    for name, value in filters.items():
        if value is None:
            continue
        if name == "label":
            for label in _words(value):
                where.append("number in (select task from labels where label = ?)")
                values.append(label)
            continue
        words = [_CHECKS[name](name, word) for word in _words(value)]
        column = "parent" if name == "parent" else name
        where.append(f"{column} in ({', '.join('?' * len(words))})" if len(words) > 1 else f"{column} = ?")
        values += words
    return " and ".join(where), values


def _words(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _parent(_: str, value: object) -> object:
    return number_of(str(value))


def _as_given(_: str, value: object) -> object:
    return value


_CHECKS: Mapping[str, Callable[[str, object], object]] = {
    "status": one_of(*STATUSES),
    "priority": one_of(*PRIORITIES),
    "type": one_of(*TYPES),
    "parent": _parent,
    "phase": _as_given,
}
