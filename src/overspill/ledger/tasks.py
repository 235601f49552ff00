"""Lists of tasks as queries, and what the ledger knows of sessions: scope, focus and notes.

A page of a list costs a page, at whatever offset. That sessions exist, and whether they live, their own files say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager

from overspill._lite import TYPE_CHECKING
from overspill.ledger.fields import LISTED, PRIORITIES, STATUSES, TYPES, choice_check, list_record, number_of
from overspill.ledger.schema import LIST

if TYPE_CHECKING:
    import sqlite3

Guard = Callable[[], AbstractContextManager[None]]


class Tasks:
    """Some tasks in an order, each as lists show it."""

    def __init__(self, db: sqlite3.Connection, found: str, values: list[object], order: str, guard: Guard) -> None:
        self._db, self._found, self._values, self._order, self._guard = db, found, values, order, guard

    def count(self) -> int:
        """How many there are."""
        with self._guard():
            return int(self._db.execute(f"select count(*) {self._found}", self._values).fetchone()[0])

    def rows(self, limit: int | None, offset: int) -> Iterator[dict[str, object]]:
        """Some of them. What is skipped is skipped in an index, without a look at the tasks themselves."""
        page = f"select number {self._found} order by {self._order} limit ? offset ?"
        sql = f"select {LISTED} from tasks where number in ({page}) order by {self._order}"
        with self._guard():
            for row in self._db.execute(sql, [*self._values, -1 if limit is None else limit, offset]):
                yield list_record(row)


def task_filter(filters: Mapping[str, object], last: int) -> tuple[str, list[object]]:
    """Where the tasks up to number `last` are found that are not put away and are as asked for.

    >>> task_filter({"status": ["pending", "active"], "label": ["auth"]}, 120)[1]
    ['auth', 120, 'pending', 'active']
    """
    labels = _words(filters.get("label") or [])
    others = {name: value for name, value in filters.items() if name != "label" and value is not None}
    if labels and not others:
        # A look into the labels' own index is enough, and much shorter than one at the tasks.
        more = " and task in (select task from labels where label = ?)" * (len(labels) - 1)
        live = "task not in (select number from tasks where archived is not null)"
        return f"from (select task as number from labels where label = ?{more} and {live}) where number <= ?", [
            *labels,
            last,
        ]
    where = [*["number in (select task from labels where label = ?)"] * len(labels), "archived is null", "number <= ?"]
    values: list[object] = [*labels, last]
    for name, value in others.items():
        words = [_CHECKS[name](name, word) for word in _words(value)]
        where.append(f"{name} in ({', '.join('?' * len(words))})" if len(words) > 1 else f"{name} = ?")
        values += words
    return f"from tasks where {' and '.join(where)}", values


def _words(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _parent(_: str, value: object) -> object:
    return number_of(str(value))


def _as_given(_: str, value: object) -> object:
    return value


_CHECKS: Mapping[str, Callable[[str, object], object]] = {
    "status": choice_check(*STATUSES),
    "priority": choice_check(*PRIORITIES),
    "type": choice_check(*TYPES),
    "parent": _parent,
    "phase": _as_given,
}


Record = dict[str, object]


def session_facts(db: sqlite3.Connection, session_ids: Iterable[str]) -> dict[str, Record]:
    """Scope, focus and notes of sessions, by their ids; nothing of those that nobody said anything of."""
    found: dict[str, Record] = {}
    for session_id in session_ids:
        row = db.execute("select scope, focus, notes from sessions where id = ?", (session_id,)).fetchone()
        if row is None:
            continue
        scope, focus, notes = row
        history = db.execute("select task, since from focus_history where session = ? order by rowid", (session_id,))
        found[session_id] = {
            "scope": scope,
            "focus": {"currentTask": None if focus is None else f"T{focus}"},
            "focusHistory": [{"task": f"T{task}", "since": since} for task, since in history],
            "notes": notes.split(LIST) if notes else [],
        }
    return found


def change_session(
    db: sqlite3.Connection, session_id: str, now: str, name: str, scope: str | None, focus: int | None, notes: list[str]
) -> None:
    """Say what a session is about. What is not said stays; notes are added."""
    db.execute("insert or ignore into sessions (id) values (?)", (session_id,))
    before, old_focus = db.execute("select notes, focus from sessions where id = ?", (session_id,)).fetchone()
    joined = LIST.join([*(before.split(LIST) if before else []), *notes]) or None
    db.execute(
        "update sessions set name = ?, scope = coalesce(?, scope), focus = coalesce(?, focus), notes = ? where id = ?",
        (name, scope, focus, joined, session_id),
    )
    if focus is not None and focus != old_focus:
        db.execute("insert into focus_history values (?, ?, ?)", (session_id, focus, now))
