"""The ledger: tasks, and what sessions are about, in one SQLite file that many processes share, or in PostgreSQL.

The workspace and all that comes after it may import it. It loads a database, so they do when asked for tasks, and
not before.

>>> with Ledger(":memory:") as ledger:
...     first = ledger.add({"title": "Log in"})
...     second = ledger.add({"title": "Log out", "depends": [first["id"]]})
...     second["status"], ledger.done("T1")["status"], ledger.show("T2")["status"]
('blocked', 'done', 'pending')
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Self

from overspill._lite import TYPE_CHECKING, contextmanager, suppress
from overspill.errors import RuleError, StoreError, TaskNotFound, UsageError
from overspill.ledger import engine, search, tasks
from overspill.ledger.changes import Cell, history_of, text_time, write_cells
from overspill.ledger.fields import (
    CLOSED,
    Redact,
    check_exists,
    checked_fields,
    line_check,
    number_of,
    task_id_of,
    text_check,
)
from overspill.ledger.tasks import ARCHIVED, LIVE, READY, SORTS, PagePosition, Tasks, conditions
from overspill.ledger.writer import TaskWriter

if TYPE_CHECKING:
    from overspill.ledger.engine import Engine
    from overspill.ledger.writer import Merged

__all__ = ["Ledger", "Tasks"]

Record = dict[str, object]
Fields = Mapping[str, object]
LEASE_SECONDS = 7_200.0


class Ledger:
    """Tasks in a file, or in another place. What people write passes `redact` on its way in.

    What breaks a rule changes nothing.

    `who` is said to have done what is done.
    """

    def __init__(
        self,
        place: str | Engine,
        *,
        who: str = "",
        redact: Redact = str,
        create: bool = True,
        seconds: float = engine.SECONDS,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine: Engine = engine.LedgerFile(place, seconds) if isinstance(place, str) else place
        self._redact = redact
        self._clock = now
        name = redact(line_check(200)("who", who)) if who else ""
        self._db = self._engine.connect(create=create)
        self._writer = TaskWriter(self._db, name, now)
        try:
            with suppress(StoreError):  # whoever may only read, or waits for others, sees it a little later
                self.free_expired()
        except BaseException:
            self.close()
            raise

    @property
    def who(self) -> str:
        """Who is said to have done what is done."""
        return self._writer.who

    @who.setter
    def who(self, name: str) -> None:
        self._writer.who = name

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
            return self._writer.record(number_of(task_id))

    def tasks(self, filters: Fields | None = None, *, sort: str = "open", at: str | None = None) -> Tasks:
        """The tasks that are not put away, open work first, as a query; `at` is where an earlier page ended."""
        if sort not in SORTS:
            raise UsageError(f"a list is sorted by {', '.join(list(SORTS)[:5])}, not by {sort[:100]!r}")
        position = PagePosition.parse(at, len(SORTS[sort]))
        return Tasks(self._db, self._guard, LIVE, conditions(filters or {}), sort, position)

    def archived_tasks(self, at: str | None = None) -> Tasks:
        """What was put away, the last first, as a query."""
        position = PagePosition.parse(at, len(SORTS["archived"]))
        return Tasks(self._db, self._guard, ARCHIVED, sort="archived", at=position)

    def ready(self, filters: Fields | None = None, *, at: str | None = None) -> Tasks:
        """What can be begun: nothing before it is open, and nobody has it. By priority, then by age, as a query."""
        position = PagePosition.parse(at, len(SORTS["ready"]))
        return Tasks(self._db, self._guard, READY, conditions(filters or {}), "ready", position)

    def find(
        self, words: str, filters: Fields | None = None, *, archived: bool = False, at: str | None = None
    ) -> search.TaskMatches:
        """The tasks that say this, the best match first, as a query."""
        where = conditions(filters or {})
        found = search.TaskMatches(self._db, words, self._guard, where, archived=archived, at=at)
        try:
            found.count()
        except self._engine.index_errors:  # an index can be made anew, whatever happened to it
            with self._writing():
                self._db.words.rebuild()
            with self._guard():
                found.count()
        return found

    def history(self, task_id: str) -> Iterator[Record]:
        """What happened to a task, the newest first: field, from, to, who, when."""
        number = number_of(task_id)
        with self._guard():
            row = self._db.execute(
                "select uid from tasks where number = ? union all select uid from deleted where task = ?",
                (number, number),
            ).fetchone()
            if row is None:
                raise TaskNotFound(task_id_of(number))
            yield from history_of(self._db, row[0])

    def tree(self, task_id: str, *, up: bool = False) -> Iterator[Record]:
        """A task and what is below it, each with its depth: parts, and what is waited for; or above it, with `up`.

        What was met before is named again and not followed.
        """
        sql = tasks.ABOVE if up else tasks.BELOW
        stack = [(0, "", number_of(task_id))]
        met: set[int] = set()
        with self._guard():
            while stack:
                depth, step, number = stack.pop()
                record = {"depth": depth, **({"as": step} if step else {}), **self._writer.short_record(number)}
                yield {**record, "again": True} if number in met else record
                if number not in met:
                    below = self._db.execute(sql, (number, number)).fetchall()
                    stack += [(depth + 1, word, found) for word, found in reversed(below)]
                met.add(number)

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
        kept = [checked_fields(fields, self._redact) for fields in tasks]
        with self._writing():
            numbers = [self._writer.add(fields) for fields in kept]
            return [self._writer.record(number) for number in numbers]

    def update(self, task_id: str, changes: Fields, *, force: bool = False) -> Record:
        """Change a task. Lists are replaced, notes are added to, and None forgets a field."""
        return self.update_all([task_id], changes, force=force)[0]

    def update_all(
        self,
        task_ids: Sequence[str],
        changes: Fields,
        *,
        add: Fields | None = None,
        remove: Fields | None = None,
        force: bool = False,
    ) -> list[Record]:
        """Change tasks, all of them or none. `add` and `remove` name parts of lists: labels, depends and so on."""
        numbers = _numbers(task_ids)
        kept, more, less = (checked_fields(fields or {}, self._redact) for fields in (changes, add, remove))
        for needed in ("title", "status", "priority", "type"):
            if needed in kept and kept[needed] is None:
                raise UsageError(f"a task always has a {needed}; give another one instead of none")
        with self._writing():
            for number in numbers:
                self._writer.check_not_archived(number)
                self._writer.change(number, kept, more, less, force=force)
            return [self._writer.record(number) for number in numbers]

    def done(self, task_id: str, *, reason: str | None = None, force: bool = False) -> Record:
        """A task is done; if it was, nothing changes."""
        return self.done_all([task_id], reason=reason, force=force)[0]

    def done_all(self, task_ids: Sequence[str], *, reason: str | None = None, force: bool = False) -> list[Record]:
        """Tasks are done, all of them or none."""
        numbers = _numbers(task_ids)
        said: Fields = {"status": "done", **({"reason": reason} if reason else {})}
        kept = checked_fields(said, self._redact)
        with self._writing():
            for number in numbers:
                if self._writer.record(number)["status"] != "done":
                    self._writer.check_not_archived(number)
                    self._writer.change(number, kept, force=force)
            return [self._writer.record(number) for number in numbers]

    def claim(self, task_id: str, *, seconds: float | None = LEASE_SECONDS, force: bool = False) -> Record:
        """Take a task, or keep it for longer, for so many seconds; None is for good. Nobody else can have it then."""
        return self.claim_all([task_id], seconds=seconds, force=force)[0]

    def claim_all(
        self, task_ids: Sequence[str], *, seconds: float | None = LEASE_SECONDS, force: bool = False
    ) -> list[Record]:
        """Take tasks, all of them or none."""
        numbers = _numbers(task_ids)
        with self._writing():
            for number in numbers:
                self._writer.claim(number, seconds, force=force)
            return [self._writer.record(number) for number in numbers]

    def claim_next(self, filters: Fields | None = None, *, seconds: float | None = LEASE_SECONDS) -> Record | None:
        """Take the first task that is ready, if there is one."""
        with self._writing():
            self._writer.free_expired()
            row = next(self.ready(filters).rows(1, 0), None)
            if row is None:
                return None
            number = number_of(str(row["id"]))
            self._writer.claim(number, seconds)
            return self._writer.record(number)

    def release(self, task_ids: Sequence[str], *, force: bool = False) -> list[Record]:
        """Give tasks back, so that others can take them."""
        numbers = _numbers(task_ids)
        with self._writing():
            for number in numbers:
                if self._writer.record(number)["status"] == "active":
                    self._writer.change(number, {"status": "pending"}, force=force)
            return [self._writer.record(number) for number in numbers]

    def free_expired(self) -> None:
        """Give back what was claimed for a time that is over."""
        with self._guard():
            if not self._db.execute("select 1 from tasks where lease < ?", (self._writer.now_ms(),)).fetchone():
                return
        with self._writing():
            self._writer.free_expired()

    def delete(self, task_ids: Sequence[str], *, force: bool = False) -> list[str]:
        """Remove tasks for good; those that others need or are parts of only with `force`."""
        numbers = _numbers(task_ids)
        with self._writing():
            for number in numbers:
                self._writer.record(number)
            for number in numbers:
                self._writer.delete(number, apart_from=numbers, force=force)
        return [task_id_of(number) for number in numbers]

    def duplicate(self, task_ids: Sequence[str], of: str) -> list[Record]:
        """Tasks say what another one says: they are cancelled, and name it."""
        kept = number_of(of)
        self.show(of)
        if kept in _numbers(task_ids):
            raise RuleError(f"{task_id_of(kept)} is no duplicate of itself; nothing was changed").with_help(
                f"spill show {task_id_of(kept)}"
            )
        return self.update_all(
            task_ids,
            {"status": "cancelled", "reason": f"duplicate of {of.upper()}"},
            force=True,
        )

    def archive(self, task_id: str) -> list[str]:
        """Put a closed task away with all its parts; their ids."""
        number = number_of(task_id)
        with self._writing():
            self._writer.record(number)
            numbers = [found for (found,) in self._db.execute(_PARTS, (number,))]
            for found in numbers:
                status = self._db.execute("select status from tasks where number = ?", (found,)).fetchone()[0]
                if status not in CLOSED:
                    raise RuleError(f"{task_id_of(found)} is {status}, not closed; nothing was changed").with_help(
                        f"spill done {task_id_of(found)}"
                    )
            waiting = [found for found in numbers if not self._writer.is_archived(found)]
            for found in waiting:
                stamp = self._writer.stamp()
                write_cells(self._db, found, [Cell("archive", "", str(stamp), stamp, self.who)])
        return [task_id_of(found) for found in waiting]

    def restore(self, task_id: str) -> list[str]:
        """Bring a task back, with its parts and with what it is a part of; their ids."""
        number = number_of(task_id)
        with self._writing():
            self._writer.record(number)
            family = {found for sql in (_PARTS, _ABOVE) for (found,) in self._db.execute(sql, (number,))}
            back = [found for found in sorted(family) if self._writer.is_archived(found)]
            for found in back:
                write_cells(self._db, found, [Cell("archive", "", None, self._writer.stamp(), self.who)])
        return [task_id_of(found) for found in back]

    def export(self) -> Iterator[Record]:
        """Every task as other ledgers can read it, and every one that is gone."""
        from overspill.ledger.exchange import exported_records

        with self._guard():
            yield from exported_records(self._db)

    def merge(self, text: bytes) -> Merged:
        """Take in the tasks of a file, all of it or nothing: of every field the later change holds."""
        from overspill.ledger.exchange import read_tasks
        from overspill.ledger.writer import merge_tasks

        tasks = read_tasks(text, self._redact)
        with self._writing():
            return merge_tasks(self._db, tasks, self._clock)

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
            now = text_time(self._writer.now_ms())
            tasks.change_session(self._db, session_id, now, self._redact(name), scope, number, kept)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        with self._engine.errors():
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._engine.errors(), self._engine.transaction(self._db):
            yield


def _numbers(task_ids: Sequence[str]) -> list[int]:
    """The tasks that are named, each once."""
    return list(dict.fromkeys(number_of(one) for one in task_ids))


_PARTS = """with recursive part(n) as (
        select number from tasks where number = ? union select number from tasks join part on parent = n
    ) select n from part order by n"""
_ABOVE = """with recursive above(n) as (
        select parent from tasks where number = ? union select parent from tasks join above on number = n
    ) select n from above where n is not null"""
