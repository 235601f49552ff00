"""Tasks changed, inside a transaction: what is said becomes cells, and everything still holds afterwards.

`Ledger` opens the transaction and hands in what it has checked. What breaks a rule is raised, and nothing was changed.
"""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING
from overspill.errors import RuleError, TaskNotFound, UsageError
from overspill.ledger import search
from overspill.ledger.changes import (
    LEASE_OVER,
    PARTS,
    Cell,
    advance_clock,
    dated_notes,
    delete_task,
    insert_row,
    log_change,
    new_number,
    new_uid,
    settle_status,
    standing_cells,
    text_time,
    uid_of,
    write_cells,
)
from overspill.ledger.fields import (
    CLOSED,
    LISTED,
    WHOLE,
    check_exists,
    check_no_circle,
    check_place,
    check_ready,
    list_record,
    short_id_list,
    task_id_of,
    usual_type,
    whole_record,
)
from overspill.ledger.schema import LIST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from overspill.ledger.words import TaskConnection

Record = dict[str, object]


class TaskWriter:
    """Changes tasks in the name of somebody."""

    def __init__(self, db: TaskConnection, who: str, clock: Callable[[], float]) -> None:
        self.db, self.who, self._clock = db, who, clock

    def add(self, fields: Record) -> int:
        if not fields.get("title"):
            raise RuleError("a task needs a title; nothing was changed").with_help("spill add --help")
        parent = fields.get("parentId")
        if isinstance(parent, int):
            check_exists(self.db, parent)
        kind = fields.get("type") or usual_type(self.db, parent if isinstance(parent, int) else None)
        stamp, uid = self.stamp(), new_uid()
        number = new_number(self.db)
        lists = {name: LIST.join(_text_list(fields.get(name))) or None for name in ("acceptance", "files")}
        labels = sorted(_text_list(fields.get("labels")))
        columns = {
            "number": number, "uid": uid, "title": fields["title"], "status": "pending", "said": "pending",
            "priority": fields.get("priority") or "medium", "type": kind, "parent": parent,
            "created": text_time(stamp), "begun": stamp, "maker": self.who, "updated": stamp,
            **{name: fields.get(name) for name in ("phase", "description", "verification", "reason")},
            **lists, "labels": LIST.join(labels) or None,
        }  # fmt: skip
        insert_row(self.db, columns)
        self.db.executemany("insert into labels values (?, ?)", [(number, label) for label in labels])
        log_change(self.db, number, Cell("created", "", str(fields["title"]), stamp, self.who), None, uid=uid)
        self.db.execute("update tasks set first = changed where number = ?", (number,))
        later = {name: fields[name] for name in ("depends", "notes", "status") if fields.get(name)}
        if later and later != {"status": "pending"}:
            self.change(number, later)
        search.remember_words(self.db, number, [columns.get(name) for name in search.SPELLED])
        check_place(self.db, number)
        return number

    def change(
        self,
        number: int,
        fields: Record,
        add: Record | None = None,
        remove: Record | None = None,
        *,
        force: bool = False,
    ) -> None:
        """Write fields of a task and see that everything still holds."""
        self.record(number)
        if "status" in fields:
            self._check_holder(number, force=force)
        cells = list(self._cells(number, fields, add or {}, remove or {}))
        stamp = self.stamp(len(cells) + 1)
        write_cells(self.db, number, [cell._replace(stamp=stamp + place) for place, cell in enumerate(cells)])
        said = {**fields, **(add or {})}
        search.remember_words(self.db, number, [said.get(name) for name in search.SPELLED])
        changed = {cell.field for cell in cells}
        if {"parentId", "depends"} & changed:
            check_no_circle(self.db, number)
        status = fields.get("status")
        if status == "active" or (status == "done" and not force):
            check_ready(self.db, number, str(status))
        settle_status(self.db, number, stamp, self.who)
        check_place(self.db, number, force=force)

    def _cells(self, number: int, fields: Record, add: Record, remove: Record) -> Iterator[Cell]:
        """The cells of a task that fields are; their moments are still to be said."""
        for name, value in fields.items():
            if name == "notes":
                yield from self._note_cells(number, value)
            elif name in PARTS:
                wanted = self._part_names(name, value)
                there = [cell.part for cell in standing_cells(self.db, number).values() if cell.field == name]
                yield from (Cell(name, part, None, 0, self.who) for part in there if part not in wanted)
                yield from (Cell(name, part, part, 0, self.who) for part in wanted)
            elif name == "status":
                yield from self._status_cells(str(value))
            elif name == "parentId" and isinstance(value, int):
                check_exists(self.db, value)
                yield Cell(name, "", uid_of(self.db, value), 0, self.who)
            else:
                yield Cell(name, "", None if value is None else str(value), 0, self.who)
        for name, value in remove.items():
            yield from (Cell(name, part, None, 0, self.who) for part in self._part_names(name, value))
        for name, value in add.items():
            yield from (Cell(name, part, part, 0, self.who) for part in self._part_names(name, value))

    def _status_cells(self, status: str) -> Iterator[Cell]:
        """What is said of a task; who says that it is active has it."""
        yield Cell("said", "", status, 0, self.who)
        yield Cell("assignee", "", (self.who or None) if status == "active" else None, 0, self.who)
        yield Cell("lease", "", None, 0, self.who)

    def _note_cells(self, number: int, value: object) -> Iterator[Cell]:
        if value is None:
            notes = dated_notes(self.db, uid_of(self.db, number))
            yield from (Cell("notes", note.part, None, 0, self.who) for note in notes)
        for text in _text_list(value):
            yield Cell("notes", f"{self.now_ms()}.{os.urandom(5).hex()}", text, 0, self.who)

    def _part_names(self, field: str, value: object) -> list[str]:
        if field != "depends":
            return _text_list(value)
        numbers = [one for one in _list(value) if isinstance(one, int)]
        for needed in numbers:
            check_exists(self.db, needed)
        return [uid_of(self.db, needed) for needed in numbers]

    def claim(self, number: int, seconds: float | None, *, force: bool = False) -> None:
        if not self.who:
            raise UsageError("a task is claimed by somebody: say who with --as NAME")
        self.check_not_archived(number)
        task = self.record(number)
        if task["status"] in CLOSED:
            raise RuleError(f"{task['id']} is {task['status']}; nothing was changed").with_help("spill ready")
        if task["status"] == "blocked":
            check_ready(self.db, number, "active")
            raise RuleError(f"{task['id']} is blocked; nothing was changed").with_help(f"spill show {task['id']}")
        self._check_holder(number, force=force)
        stamp = self.stamp(3)
        until = None if seconds is None else str(self.now_ms() + int(seconds * 1000))
        values = (("said", "active"), ("assignee", self.who), ("lease", until))
        write_cells(self.db, number, [Cell(field, "", value, stamp, self.who) for field, value in values])
        settle_status(self.db, number, stamp, self.who)

    def _check_holder(self, number: int, *, force: bool) -> None:
        """Nobody else has the task."""
        holder, lease = self.db.execute("select assignee, lease from tasks where number = ?", (number,)).fetchone()
        over = lease is not None and lease < self.now_ms()
        if holder and holder != self.who and not over and not force:
            until = f" until {text_time(lease)}" if lease else ""
            own = task_id_of(number)
            raise RuleError(f"{own} is claimed by {holder}{until}; nothing was changed").with_help(
                "spill next",
                alternatives=[{"action": "take it all the same", "command": f"spill claim {own} --force"}],
                context={"assignee": holder, **({"claimedUntil": text_time(lease)} if lease else {})},
            )

    def free_expired(self) -> None:
        for (number,) in self.db.execute("select number from tasks where lease < ?", (self.now_ms(),)).fetchall():
            stamp = self.stamp()
            cells = [Cell(field, "", None, stamp, LEASE_OVER) for field in ("assignee", "lease")]
            said = self.db.execute("select said from tasks where number = ?", (number,)).fetchone()[0]
            again = [Cell("said", "", "pending", stamp, LEASE_OVER)] if said == "active" else []
            write_cells(self.db, number, [*again, *cells])
            settle_status(self.db, number, stamp, LEASE_OVER)

    def delete(self, number: int, *, apart_from: Sequence[int], force: bool) -> None:
        own = task_id_of(number)
        others = [n for (n,) in self.db.execute(_NEEDED_BY, (number, number)) if n not in apart_from]
        if others and not force:
            ids = [task_id_of(one) for one in others]
            raise RuleError(f"{own} is needed by {short_id_list(ids)}; nothing was changed").with_help(
                f"spill show {ids[0]}",
                alternatives=[{"action": "delete it all the same", "command": f"spill delete {own} --force"}],
                context={"neededBy": ids[:20]},
            )
        delete_task(self.db, number, self.stamp(2), self.who)

    def check_not_archived(self, number: int) -> None:
        own = task_id_of(number)
        check_exists(self.db, number)
        if self.is_archived(number):
            raise RuleError(f"{own} is put away; nothing was changed").with_help(f"spill archive {own} --undo")

    def record(self, number: int) -> Record:
        row = self.db.execute(f"select {WHOLE} from tasks where number = ?", (number,)).fetchone()
        if row is None:
            raise TaskNotFound(task_id_of(number))
        return whole_record(row, dated_notes(self.db, uid_of(self.db, number)))

    def short_record(self, number: int) -> Record:
        row = self.db.execute(f"select {LISTED} from tasks where number = ?", (number,)).fetchone()
        if row is None:
            raise TaskNotFound(task_id_of(number))
        return list_record(row)

    def is_archived(self, number: int) -> bool:
        sql = "select archived from tasks where number = ?"
        return self.db.execute(sql, (number,)).fetchone()[0] is not None

    def stamp(self, count: int = 1) -> int:
        return advance_clock(self.db, self._clock(), count)

    def now_ms(self) -> int:
        return int(self._clock() * 1000)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text_list(value: object) -> list[str]:
    return [str(one) for one in _list(value)]


_NEEDED_BY = "select task from dependencies where needs = ? union select number from tasks where parent = ? order by 1"
