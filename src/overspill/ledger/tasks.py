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

from overspill._lite import TYPE_CHECKING, NamedTuple, cached_property
from overspill.errors import UsageError
from overspill.ledger.changes import PARTS, SCALARS, last_change, number_of_uid
from overspill.ledger.engine import LIST
from overspill.ledger.fields import LISTED, PRIORITIES, STATUSES, TYPES, choice_check, list_record, number_of

if TYPE_CHECKING:
    from overspill.ledger.engine import TaskConnection

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
# The index that has each order. A page of a list, or of one of which much is asked for, is read along it.
INDEXES = {
    "open": "indexed by facets_by_state",
    "priority": "indexed by facets_by_place",
    "id": "not indexed",
    "created": "indexed by facets_by_age",
    "updated": "indexed by facets_by_update",
    "archived": "indexed by facets_archived",
    "ready": "indexed by facets_by_turn",
}
ENOUGH = 4  # times as many as are asked for: then a page is sooner found along the index than by looking at all
BATCH = 500
NO_LABEL = "\x1f"  # what no label holds
EVERY_ROW = 1 << 62  # a limit that is none, to every database
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
    """What is asked of tasks; where it depends on others, {known} is what is known of all of them."""

    words: tuple[str, ...]
    values: tuple[object, ...] = ()

    def __add__(self, other: object) -> Where:
        assert isinstance(other, Where)  # noqa: S101  # nothing else is asked
        return Where(self.words + other.words, self.values + other.values)

    def sql(self, known: str = "facets") -> str:
        """The condition."""
        return " and ".join(self.words).format(known=known)


EVERYTHING = Where(())
LIVE = Where(("archived is null",))
ARCHIVED = Where(("archived is not null",))
# Nothing before it is open: it waits for nothing, nor does what it is a part of, and it has no open part.
READY = LIVE + Where(
    (
        "status = 'pending'",
        "number not in (select parent from {known} where parent is not null and closed = 0)",
        """coalesce(parent, 0) not in (
            select number from {known} where status = 'blocked' and archived is null
            union all select number from {known} where parent in (
                select number from {known} where status = 'blocked' and archived is null))""",
    )
)
# What was known of all tasks at a moment: those that are as they were, and the others as they were.
KNOWN_THEN = """(select number, parent, status, closed, archived from facets where +changed <= {moment}
    union all select number, parent, status, closed, archived from past) as known"""

# What is directly below a task, and above it, and as what.
BELOW = """select 'part', number from tasks where parent = ? union all
    select 'waits for', needs from dependencies where task = ? order by 1, 2"""
ABOVE = """select 'part of', parent from tasks where number = ? and parent is not null union all
    select 'needed by', task from dependencies where needs = ? order by 1 desc, 2"""


class Tasks:
    """Some tasks in an order, each as lists show it: all of a kind, or those of which what is asked holds."""

    def __init__(
        self,
        db: TaskConnection,
        guard: Guard,
        kind: Where,
        asked: Where = EVERYTHING,
        sort: str = "open",
        at: PagePosition | None = None,
    ) -> None:
        self._db, self._guard, self._at = db, guard, at
        self._where, self._is_filtered = kind + asked, bool(asked.words)
        self._key, self._index = SORTS[sort], INDEXES[sort]
        self._seen: dict[object, tuple[int, ...]] = {}
        with guard():
            self.moment = last_change(db) if at is None else at.moment
            if at is not None:
                put_back(db, at.moment)

    def count(self) -> int:
        """How many there are, after the position if one was given."""
        return self._total

    @cached_property
    def _total(self) -> int:
        with self._guard():
            where, values = self._condition()
            total = self._count(f"facets {self._counted_along}", where, values)
            if self._at is None:
                return total
            since = f"{where} and changed > {self.moment}"
            gone = self._count("facets indexed by facets_by_change", since, values)
            return total - gone + self._count("past", where, values)

    @property
    def _counted_along(self) -> str:
        """The index that answers how many there are, if one does."""
        if self._is_filtered:
            return "not indexed"
        return "" if self._at is None else self._index

    def _count(self, table: str, where: str, values: list[object]) -> int:
        return int(self._db.execute(f"select count(*) from {table} where {where}", values).fetchone()[0])

    def rows(self, limit: int | None, offset: int) -> Iterator[Record]:
        """Some of them. What is skipped is skipped in an index, without a look at the tasks themselves."""
        with self._guard():
            wanted = self._keys(limit, offset)
            while batch := list(islice(wanted, BATCH)):
                yield from self._records(batch)

    def _keys(self, limit: int | None, offset: int) -> Iterator[tuple[int, ...]]:
        """What the list is sorted by, of the tasks that are asked for."""
        key, most = ", ".join(self._key), EVERY_ROW if limit is None else limit + offset
        where, values = self._condition()
        if self._is_filtered and not self._total:
            return iter(())
        table = f"facets {self._index if self._is_common(most) else 'not indexed'}"
        sql = f"select {key} from {{}} where {where} {{}} order by {key} limit ? offset ?"
        if self._at is None:
            return self._db.execute(sql.format(table, ""), [*values, EVERY_ROW if limit is None else limit, offset])
        sources = (table, f"and +changed <= {self.moment}"), ("past", "")
        pages = [self._db.execute(sql.format(*source), [*values, most, 0]) for source in sources]
        return islice(heapq.merge(*pages), offset, None if limit is None else most)

    def _is_common(self, most: int) -> bool:
        """Whether so many are soon found in a list where nothing was asked for, or much of it was."""
        return not self._is_filtered or most * ENOUGH < self._total

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

    def _condition(self) -> tuple[str, list[object]]:
        """What is asked of a task, as things were at the moment of the position, if one was given."""
        if self._at is None:
            return self._where.sql(), list(self._where.values)
        key, places = ", ".join(self._key), ", ".join("?" * len(self._key))
        then = self._where.sql(KNOWN_THEN.format(moment=self.moment))
        return f"{then} and ({key}) > ({places})", [*self._where.values, *self._at.key]


def put_back(db: TaskConnection, moment: int) -> None:
    """Make a table of the tasks that were changed since a moment, as they were in it."""
    db.execute("drop table if exists past")
    db.execute("create temp table past as select * from tasks where changed > ? and first <= ?", (moment, moment))
    db.execute("create unique index past_by_number on past (number)")
    for number, uid in db.execute("select number, uid from past").fetchall():
        rows = db.execute(
            "select field, before, after from changes where uid = ? and number > ? order by number desc",
            (uid, moment),
        )
        for field, before, after in rows.fetchall():
            if field in PARTS:
                _put_back_part(db, number, field, before, after)
            elif column := {**SCALARS, "status": "status"}.get(field):
                value = number_of_uid(db, before) if field == "parentId" and before is not None else before
                db.execute(f"update past set {column} = ? where number = ?", (value, number))
        db.execute(_UPDATED_THEN, (uid, moment, number))
    db.execute(
        f"update past set labels = '{LIST}' || labels || '{LIST}', "
        "closed = case when status in ('done', 'cancelled') then 1 else 0 end, "
        "place = case when status in ('done', 'cancelled') then 9 else case priority "
        "when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end end"
    )


_UPDATED_THEN = """update past set updated = coalesce(
    (select max(stamp) from changes where uid = ? and number <= ?), begun) where number = ?"""


def _put_back_part(db: TaskConnection, number: int, field: str, before: str | None, after: str | None) -> None:
    if field == "depends" or before == after:
        return
    column = db.execute(f"select {field} from past where number = ?", (number,)).fetchone()[0]
    texts = column.split(LIST) if column else []
    if before is None and after in texts:
        texts.remove(after)
    elif before is not None:
        texts.append(before)
    db.execute(f"update past set {field} = ? where number = ?", (LIST.join(texts) or None, number))


def conditions(filters: Mapping[str, object]) -> Where:
    r"""What is asked of a list.

    >>> conditions({"status": ["pending", "active"], "label": ["auth"], "phase": None}).values
    ('pending', 'active', '\x1eauth\x1e')
    """
    found = EVERYTHING
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
    """Labels stand between separators, which none of them holds."""
    values = tuple(f"{LIST}{str(word).replace(LIST, NO_LABEL)}{LIST}" for word in words)
    return Where(("instr(labels, ?) > 0",) * len(words), values)


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


def session_facts(db: TaskConnection, session_ids: Iterable[str]) -> dict[str, Record]:
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
    db: TaskConnection, session_id: str, now: str, name: str, scope: str | None, focus: int | None, notes: list[str]
) -> None:
    """Say what a session is about. What is not said stays; notes are added."""
    db.execute("insert into sessions (id) values (?) on conflict do nothing", (session_id,))
    before, old_focus = db.execute("select notes, focus from sessions where id = ?", (session_id,)).fetchone()
    joined = LIST.join([*(before.split(LIST) if before else []), *notes]) or None
    db.execute(
        "update sessions set name = ?, scope = coalesce(?, scope), focus = coalesce(?, focus), notes = ? where id = ?",
        (name, scope, focus, joined, session_id),
    )
    if focus is not None and focus != old_focus:
        db.execute("insert into focus_history values (?, ?, ?)", (session_id, focus, now))
