"""The ledger: tasks, and what sessions are about, in one SQLite file that many processes share.

The workspace and all that comes after it may import it. It loads a database, so they do when asked for tasks, and
not before.

>>> with Ledger(":memory:") as ledger:
...     first = ledger.add({"title": "Log in"})
...     second = ledger.add({"title": "Log out", "depends": [first["id"]]})
...     second["status"], ledger.done("T1")["status"], ledger.show("T2")["status"]
('blocked', 'done', 'pending')
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Self

from overspill._lite import contextmanager
from overspill.errors import RuleError, TaskNotFound, UsageError
from overspill.ledger import schema, search, tasks
from overspill.ledger.fields import (
    CLOSED,
    FIELDS,
    LISTS,
    WHOLE,
    Redact,
    check_exists,
    check_no_circle,
    check_place,
    check_ready,
    checked_fields,
    line_check,
    list_column,
    number_of,
    settle,
    task_id_of,
    text_check,
    usual_type,
)
from overspill.ledger.fields import whole_record as whole_record
from overspill.ledger.tasks import Tasks, task_filter

__all__ = ["Ledger", "Tasks"]

Record = dict[str, object]
Fields = Mapping[str, object]


class Ledger:
    """Tasks in a file. What people write passes `redact` on its way in; what breaks a rule changes nothing."""

    def __init__(
        self,
        path: str,
        *,
        redact: Redact = str,
        create: bool = True,
        seconds: float = schema.SECONDS,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._redact = redact
        self._clock = now
        self._db = schema.connect(path, create=create and path != ":memory:", seconds=seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    # -- reading --

    def show(self, task_id: str) -> Record:
        """Everything that is known of a task, put away or not."""
        with self._guard():
            return self._whole(number_of(task_id))

    def last(self) -> str:
        """The id of the newest task, or nothing: a list up to it does not change when others add to it."""
        with self._guard():
            newest = self._db.execute("select max(number) from tasks").fetchone()[0]
        return task_id_of(newest) if newest else ""

    def tasks(self, filters: Fields | None = None, as_of: str = "") -> Tasks:
        """The tasks that are not put away, up to `as_of`, as a query."""
        last = as_of or self.last()
        found, values = task_filter(filters or {}, number_of(last) if last else 0)
        return Tasks(self._db, found, values, "number", self._guard)

    def archived_tasks(self, as_of: int | None = None) -> Tasks:
        """What was put away, the last first, as a query; up to a moment of `archive_moment`."""
        moment = self.archive_moment() if as_of is None else as_of
        return Tasks(self._db, "from tasks where archived <= ?", [moment], "archived desc", self._guard)

    def archive_moment(self) -> int:
        """A number for the archive as it is now."""
        with self._guard():
            return int(self._db.execute("select value from counters where name = 'archived'").fetchone()[0])

    def find(self, words: str, *, archived: bool = False) -> search.TaskMatches:
        """The tasks that say this, the best match first, as a query."""
        found = search.TaskMatches(self._db, words, self._guard, archived=archived)
        try:
            found.count()
        except sqlite3.DatabaseError:  # an index can be made anew, whatever happened to it
            with self._writing():
                search.rebuild_indexes(self._db)
            found.count()
        return found

    def sessions(self, session_ids: Iterable[str]) -> dict[str, Record]:
        """What is known of sessions beside their files: scope, focus, its history, and notes."""
        with self._guard():
            return tasks.session_facts(self._db, session_ids)

    # -- writing --

    def add(self, fields: Fields) -> Record:
        """A new task."""
        return self.add_all([fields])[0]

    def add_all(self, tasks: Sequence[Fields]) -> list[Record]:
        """New tasks, all of them or nothing; one may depend on another before it."""
        return [self._whole(number) for number in self._added_numbers(tasks)]

    def _added_numbers(self, tasks: Sequence[Fields]) -> list[int]:
        kept = [checked_fields(fields, self._redact) for fields in tasks]
        with self._writing():
            return [self._add(fields) for fields in kept]

    def update(self, task_id: str, changes: Fields, *, force: bool = False) -> Record:
        """Change a task. Lists are replaced, notes are added to, and None forgets a field."""
        number, kept = number_of(task_id), checked_fields(changes, self._redact)
        for needed in ("title", "status", "priority", "type"):
            if needed in kept and kept[needed] is None:
                raise UsageError(f"a task always has a {needed}; give another one instead of none")
        with self._writing():
            before = self._whole(number)
            if "_archive" in before:
                raise RuleError(f"{task_id_of(number)} is put away; nothing was changed").with_help(
                    f"spill archive {task_id_of(number)} --undo"
                )
            if kept.get("notes"):
                kept["notes"] = [*_text_list(before.get("notes")), *_text_list(kept["notes"])]
            self._put(number, kept, force=force)
        return self.show(task_id)

    def done(self, task_id: str, *, force: bool = False) -> Record:
        """A task is done; if it was, nothing changes."""
        if self.show(task_id)["status"] == "done":
            return self.show(task_id)
        return self.update(task_id, {"status": "done"}, force=force)

    def archive(self, task_id: str) -> list[str]:
        """Put a closed task away with all its parts; their ids."""
        number = number_of(task_id)
        with self._writing():
            self._whole(number)
            numbers = [found for (found,) in self._db.execute(_PARTS, (number,))]
            for found in numbers:
                status = self._db.execute("select status from tasks where number = ?", (found,)).fetchone()[0]
                if status not in CLOSED:
                    raise RuleError(f"{task_id_of(found)} is {status}, not closed; nothing was changed").with_help(
                        f"spill done {task_id_of(found)}"
                    )
            waiting = [found for found in numbers if not self._is_archived(found)]
            for found in waiting:
                self._db.execute("update counters set value = value + 1 where name = 'archived'")
                self._db.execute(_PUT_AWAY, (self._now(), found))
        return [task_id_of(found) for found in waiting]

    def restore(self, task_id: str) -> list[str]:
        """Bring a task back, with its parts and with what it is a part of; their ids."""
        number = number_of(task_id)
        with self._writing():
            self._whole(number)
            family = {found for sql in (_PARTS, _ABOVE) for (found,) in self._db.execute(sql, (number,))}
            back = [found for found in sorted(family) if self._is_archived(found)]
            for found in back:
                self._db.execute("update tasks set archived = null, archived_at = null where number = ?", (found,))
        return [task_id_of(found) for found in back]

    def change_session(
        self,
        session_id: str,
        name: str,
        *,
        scope: str | None = None,
        focus: str | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        """Say what a session is about."""
        scope = None if scope is None else self._redact(line_check(200)("scope", scope))
        kept = [self._redact(text_check(20_000)("notes", one)) for one in notes]
        number = None if focus is None else number_of(focus)
        with self._writing():
            if number is not None:
                check_exists(self._db, number)
            tasks.change_session(self._db, session_id, self._now(), self._redact(name), scope, number, kept)

    # -- the rest is ours --

    def _add(self, fields: Record) -> int:
        if not fields.get("title"):
            raise RuleError("a task needs a title; nothing was changed").with_help("spill add --help")
        parent = fields.get("parentId")
        if isinstance(parent, int):
            check_exists(self._db, parent)
        kind = fields.get("type") or usual_type(self._db, parent if isinstance(parent, int) else None)
        values = (fields["title"], "pending", "pending", fields.get("priority") or "medium", kind, self._now())
        number = self._db.execute(_NEW, values).lastrowid
        assert number is not None  # noqa: S101  # it was put in
        self._put(number, {**fields, "type": kind, "priority": fields.get("priority") or "medium"})
        return number

    def _put(self, number: int, fields: Record, *, force: bool = False) -> None:
        """Write fields of a task and see that everything still holds."""
        columns = {_COLUMNS[name]: value for name, value in fields.items() if name in _COLUMNS}
        columns |= {name: list_column(fields[name]) for name in LISTS if name in fields}
        if status := fields.get("status"):
            columns |= {"said": status, "status": status, "completed": self._now() if status == "done" else None}
        for column, value in columns.items():
            self._db.execute(f"update tasks set {column} = ? where number = ?", (value, number))
        self._put_lists(number, fields)
        search.remember_words(self._db, (fields.get(name) for name in ("title", "description", "notes")))
        settle(self._db, number)
        if {"parentId", "depends"} & fields.keys():
            check_no_circle(self._db, number)
        if status == "done" and not force:
            check_ready(self._db, number)
        check_place(self._db, number, force=force)

    def _put_lists(self, number: int, fields: Record) -> None:
        if "labels" in fields:
            self._db.execute("delete from labels where task = ?", (number,))
            rows = [(number, label) for label in _text_list(fields["labels"])]
            self._db.executemany("insert or ignore into labels values (?, ?)", rows)
        if "parentId" in fields and isinstance(parent := fields["parentId"], int):
            check_exists(self._db, parent)
        if "depends" in fields:
            self._db.execute("delete from dependencies where task = ?", (number,))
            needed = fields["depends"] if isinstance(fields["depends"], list) else []
            for needs in needed:
                check_exists(self._db, needs)
                self._db.execute("insert into dependencies values (?, ?)", (number, needs))

    def _whole(self, number: int) -> Record:
        row = self._db.execute(f"select {WHOLE} from tasks where number = ?", (number,)).fetchone()
        if row is None:
            raise TaskNotFound(task_id_of(number))
        return whole_record(row)

    def _is_archived(self, number: int) -> bool:
        sql = "select archived from tasks where number = ?"
        return self._db.execute(sql, (number,)).fetchone()[0] is not None

    def _now(self) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock()))

    @contextmanager
    def _guard(self) -> Iterator[None]:
        with schema.translated_db_errors(self.path):
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with schema.translated_db_errors(self.path), schema.transaction(self._db):
            yield


def _text_list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


_COLUMNS = {
    name: "parent" if name == "parentId" else name
    for name in FIELDS
    if name not in {"status", "labels", "depends", *LISTS}
}
_NEW = "insert into tasks (title, status, said, priority, type, created) values (?, ?, ?, ?, ?, ?)"
_PUT_AWAY = """update tasks set archived_at = ?, archived = (select value from counters where name = 'archived')
    where number = ?"""
_PARTS = """with recursive part(n) as (select ? union select number from tasks join part on parent = n)
    select n from part order by n"""
_ABOVE = """with recursive above(n) as (
        select parent from tasks where number = ? union select parent from tasks join above on number = n
    ) select n from above where n is not null"""
