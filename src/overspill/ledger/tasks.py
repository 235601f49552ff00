"""Lists of tasks as queries, and what the ledger knows of sessions: scope, focus and notes.

A page costs a page. The pages after the first go on after the last task that was seen, in the list as it was at the
first: what was changed since is put back for the question alone. So whoever follows them meets every task once,
whatever others do meanwhile, and each is shown as it is now.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import islice

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import UsageError
from overspill.ledger.changes import PARTS, SCALARS, last_change, number_of_uid
from overspill.ledger.fields import LISTED, PRIORITIES, STATUSES, TYPES, choice_check, list_record, number_of
from overspill.ledger.schema import LIST

if TYPE_CHECKING:
    import sqlite3

Guard = Callable[[], AbstractContextManager[None]]
Record = dict[str, object]

# What a list is sorted by: numbers that grow, the last one the task's own.
SORTS = {
    "open": ("closed", "number"),  # open work first
    "priority": ("place", "begun", "number"),  # open work first, by its priority, then by age
    "id": ("number",),
    "created": ("-begun", "number"),
    "updated": ("-updated", "number"),
    "archived": ("-archived", "number"),
    "ready": ("place", "begun", "number"),
}
# The index that has each order; what else is asked is looked up in it, and the first page costs a page.
INDEXES = {
    "open": "tasks_by_state",
    "priority": "tasks_by_place",
    "id": "tasks_live",
    "created": "tasks_by_age",
    "updated": "tasks_by_update",
    "archived": "tasks_archived",
    "ready": "tasks_by_turn",
}
BATCH = 500
_POSITION = re.compile(r"([0-9]{1,18})@(-?[0-9]{1,18}(?:,-?[0-9]{1,18})*)")


class PagePosition(NamedTuple):
    """Where the next page of a list begins: after a task, in the ledger as it was when so much had happened."""

    moment: int
    key: tuple[int, ...]

    @classmethod
    def parse(cls, word: str | None, width: int) -> PagePosition | None:
        """The one that `next` named.

        >>> PagePosition.parse("120@2,1760000000000,7", 3)
        PagePosition(moment=120, key=(2, 1760000000000, 7))
        """
        if word is None:
            return None
        match = _POSITION.fullmatch(word)
        key = tuple(map(int, match[2].split(","))) if match else ()
        if match is None or len(key) != width:
            raise UsageError(f"--as-of takes what `next` says, not {word[:100]!r}")
        return cls(int(match[1]), key)

    def __str__(self) -> str:
        return f"{self.moment}@{','.join(map(str, self.key))}"


class Where(NamedTuple):
    """What is asked of the rows of a table of tasks; {tasks} and {labels} are the tables."""

    words: tuple[str, ...]
    values: tuple[object, ...] = ()

    def __add__(self, other: object) -> Where:
        assert isinstance(other, Where)  # noqa: S101  # nothing else is asked
        return Where(self.words + other.words, self.values + other.values)

    def sql(self, tasks: str = "tasks", labels: str = "labels") -> str:
        """The condition."""
        return " and ".join(self.words).format(tasks=tasks, labels=labels)


LIVE = Where(("archived is null",))
ARCHIVED = Where(("archived is not null",))
# Nothing before it is open: it waits for nothing, nor does what it is a part of, and it has no open part.
READY = LIVE + Where(
    (
        "status = 'pending'",
        "number not in (select parent from tasks where parent is not null and status not in ('done', 'cancelled'))",
        """coalesce(parent, 0) not in (
            select number from tasks where status = 'blocked' and archived is null
            union select part.number from tasks as whole join tasks as part on part.parent = whole.number
                where whole.status = 'blocked' and whole.archived is null)""",
    )
)

# What is directly below a task, and above it, and as what.
BELOW = """select 'part', number from tasks where parent = ? union all
    select 'waits for', needs from dependencies where task = ? order by 1, 2"""
ABOVE = """select 'part of', parent from tasks where number = ? and parent is not null union all
    select 'needed by', task from dependencies where needs = ? order by 1 desc, 2"""


class Tasks:
    """Some tasks in an order, each as lists show it."""

    def __init__(
        self, db: sqlite3.Connection, guard: Guard, where: Where, sort: str = "open", at: PagePosition | None = None
    ) -> None:
        self._db, self._guard, self._where, self._at = db, guard, where, at
        self._key = SORTS[sort]
        self._ordered = f"tasks indexed by {INDEXES[sort]}"
        self._seen: dict[object, tuple[int, ...]] = {}
        self._is_put_back = False
        if at is None:
            with guard():
                self.moment = last_change(db)
        else:
            self.moment = at.moment

    def count(self) -> int:
        """How many there are, after the position if one was given."""
        with self._guard():
            return sum(
                int(self._db.execute(f"select count(*) from {table} where {where}", values).fetchone()[0])
                for table, where, values in self._sources()
            )

    def rows(self, limit: int | None, offset: int) -> Iterator[Record]:
        """Some of them. What is skipped is skipped in an index, without a look at the tasks themselves."""
        with self._guard():
            wanted = self._keys(limit, offset)
            while batch := list(islice(wanted, BATCH)):
                yield from self._records(batch)

    def _keys(self, limit: int | None, offset: int) -> Iterator[tuple[int, ...]]:
        """What the list is sorted by, of the tasks that are asked for."""
        key, most = ", ".join(self._key), -1 if limit is None else limit
        sql = f"select {key} from {{}} where {{}} order by {key} limit ? offset ?"
        if self._at is None:
            _, where, values = next(self._sources())
            return self._db.execute(sql.format(self._ordered, where), [*values, most, offset])
        most = most if limit is None else limit + offset
        pages = [
            self._db.execute(sql.format(table.replace("tasks", self._ordered), where), [*values, most, 0]).fetchall()
            for table, where, values in self._sources()
        ]
        return islice(heapq.merge(*pages), offset, None if limit is None else limit + offset)

    def position(self, record: Record) -> str:
        """Where the list goes on after a record of this page."""
        return str(PagePosition(self.moment, self._seen[record["id"]]))

    def _records(self, keys: list[tuple[int, ...]]) -> Iterator[Record]:
        numbers = ", ".join(str(key[-1]) for key in keys)
        rows = {row[0]: row for row in self._db.execute(f"select {LISTED} from tasks where number in ({numbers})")}
        for key in keys:
            record = list_record(rows[key[-1]])
            self._seen[record["id"]] = key
            yield record

    def _sources(self) -> Iterator[tuple[str, str, list[object]]]:
        """The tables to be asked: the tasks, and if others may have changed some, these as they were."""
        if self._at is None:
            yield "tasks", self._where.sql(), list(self._where.values)
            return
        key, places = ", ".join(self._key), ", ".join("?" * len(self._key))
        values = [*self._where.values, *self._at.key]
        yield "tasks", f"{self._where.sql()} and changed <= {self.moment} and ({key}) > ({places})", values
        if not self._is_put_back:
            put_back(self._db, self.moment)
            self._is_put_back = True
        yield "past", f"{self._where.sql('past', 'past_labels')} and ({key}) > ({places})", values


def put_back(db: sqlite3.Connection, moment: int) -> None:
    """Make a table of the tasks that were changed since a moment, as they were in it."""
    db.execute("drop table if exists temp.past")
    db.execute("drop table if exists temp.past_labels")
    db.execute("create temp table past as select * from tasks where changed > ? and first <= ?", (moment, moment))
    db.execute("create temp table past_labels as select * from labels where task in (select number from past)")
    for number, uid in db.execute("select number, uid from past").fetchall():
        rows = db.execute(
            "select field, part, before, after from changes where uid = ? and number > ? order by number desc",
            (uid, moment),
        )
        for field, part, before, after in rows.fetchall():
            if field in PARTS:
                _put_back_part(db, number, field, part, before, after)
            elif column := {**SCALARS, "status": "status"}.get(field):
                value = number_of_uid(db, before) if field == "parentId" and before is not None else before
                db.execute(f"update past set {column} = ? where number = ?", (value, number))
        db.execute(_UPDATED_THEN, (uid, moment, number))
    db.execute(
        "update past set closed = status in ('done', 'cancelled'), "
        "place = case when status in ('done', 'cancelled') then 9 else case priority "
        "when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end end"
    )


_UPDATED_THEN = """update past set updated = coalesce(
    (select max(stamp) from changes where uid = ? and number <= ?), begun) where number = ?"""


def _put_back_part(
    db: sqlite3.Connection, number: int, field: str, part: str, before: str | None, after: str | None
) -> None:
    if field == "depends" or before == after:
        return
    if field == "labels":
        gone = "delete from past_labels where task = ? and label = ?"
        db.execute(gone if before is None else "insert into past_labels values (?, ?)", (number, part))
    column = db.execute(f"select {field} from past where number = ?", (number,)).fetchone()[0]
    texts = column.split(LIST) if column else []
    if before is None and after in texts:
        texts.remove(after)
    elif before is not None:
        texts.append(before)
    db.execute(f"update past set {field} = ? where number = ?", (LIST.join(texts) or None, number))


def conditions(filters: Mapping[str, object]) -> Where:
    """What is asked of a list.

    >>> conditions({"status": ["pending", "active"], "label": ["auth"], "phase": None}).values
    ('pending', 'active', 'auth')
    """
    found = Where(())
    for name, value in filters.items():
        if value is not None and value != []:
            found += FILTERS[name](list(value) if isinstance(value, list | tuple) else [value])
    return found


def _one_of(name: str, check: Callable[[str, object], object]) -> Callable[[list[object]], Where]:
    def where(words: list[object]) -> Where:
        values = tuple(check(name, word) for word in words)
        return Where((f"{name} in ({', '.join('?' * len(values))})" if len(values) > 1 else f"{name} = ?",), values)

    return where


def _labels(words: list[object]) -> Where:
    return Where(("+number in (select task from {labels} where label = ?)",) * len(words), tuple(words))


def _as_given(_: str, value: object) -> object:
    return value


# Each filter of a list: from the words that were given to what is asked.
FILTERS: Mapping[str, Callable[[list[object]], Where]] = {
    "status": _one_of("status", choice_check(*STATUSES)),
    "priority": _one_of("priority", choice_check(*PRIORITIES)),
    "type": _one_of("type", choice_check(*TYPES)),
    "parent": _one_of("parent", lambda _, value: number_of(str(value))),
    "phase": _one_of("phase", _as_given),
    "assignee": _one_of("assignee", _as_given),
    "label": _labels,
    "since": lambda words: Where(("updated >= ?",), tuple(words)),
    "stale": lambda words: Where(("status not in ('done', 'cancelled')", "updated < ?"), tuple(words)),
}


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
