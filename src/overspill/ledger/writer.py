"""Tasks changed, inside a transaction: what is said becomes cells, and everything still holds afterwards.

`Ledger` opens the transaction and hands in what it has checked. What breaks a rule is raised, and nothing was changed.

Of what was done on other machines the later change of every cell holds, on either side. Nothing depends on the order in
which machines hear of each other: a deletion holds for good, a cell is its latest change's, and what two machines broke
together is mended in the same way everywhere: of a circle the latest dependency goes, a part that is not smaller than
its whole stands by itself. Of two tasks that were given one id apart, the older keeps it.
"""

from __future__ import annotations

import os
from itertools import pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple
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
    number_of_uid,
    settle_status,
    standing_cells,
    text_time,
    uid_of,
    write_cells,
)
from overspill.ledger.engine import LIST
from overspill.ledger.fields import (
    CLOSED,
    LISTED,
    TYPES,
    WHOLE,
    check_exists,
    check_no_circle,
    check_place,
    check_ready,
    find_circle,
    list_record,
    number_of,
    short_id_list,
    task_id_of,
    usual_type,
    whole_record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from overspill.ledger.engine import TaskConnection
    from overspill.ledger.exchange import Incoming


Record = dict[str, object]

MERGED = "(merge)"  # who mends what two machines broke together
A_DAY = 86_400_000  # a clock may be ahead by so much; whoever is further ahead does not carry others along
MOST_DAYS = 36_500  # for which a task is claimed: times of later centuries are written in more digits


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
        moved = "status" in fields or {"parentId", "type"} & changed
        check_place(self.db, number, force=force or not moved)  # who was forced to close it may still name it anew

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
        if seconds is not None and not seconds * 1000 <= MOST_DAYS * A_DAY:
            raise UsageError(f"a task is claimed for {MOST_DAYS:,} days at most")
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


class Merged(NamedTuple):
    """What became of the tasks of others."""

    added: int = 0
    changed: int = 0
    deleted: int = 0
    same: int = 0
    renumbered: Mapping[str, str] = {}  # ids that were given twice, and what the younger task is called now


def merge_tasks(db: TaskConnection, tasks: Iterable[Incoming], clock: Callable[[], float]) -> Merged:
    """Take in tasks, inside a transaction."""
    found: dict[str, Incoming] = {}
    for task in tasks:
        found[task.uid] = _joined(found[task.uid], task) if task.uid in found else task
    seen = [cell.stamp for task in found.values() for cell in task.cells.values()]
    latest = min(max(seen, default=0), int(clock() * 1000) + A_DAY)
    advance_clock(db, clock(), seen=latest)
    return Merger(db, found, lambda: advance_clock(db, clock())).merge()


def _joined(one: Incoming, other: Incoming) -> Incoming:
    """Two lines of one task as one."""
    cells = dict(one.cells)
    for key, cell in other.cells.items():
        if cell.beats(cells.get(key)):
            cells[key] = cell
    gone = max(one, other, key=lambda task: (task.deleted, task.who))
    base = one if one.cells else other
    moved = cells.get(("id", ""))
    number = number_of(moved.value) if moved is not None and moved.value else base.number
    return base._replace(cells=cells, deleted=gone.deleted, who=gone.who, number=number)


class Merger:
    """One merge: deletions first, then ids, then tasks that are new here, then every cell, then what has to hold."""

    def __init__(self, db: TaskConnection, found: Mapping[str, Incoming], stamp: Callable[[], int]) -> None:
        self.db, self.found, self.stamp = db, found, stamp
        self.renumbered: dict[str, str] = {}
        self.new: set[str] = set()
        self.touched: set[str] = set()  # tasks whose rules are to be looked at, by uid

    def merge(self) -> Merged:
        """Do all of it."""
        self.db.execute("pragma defer_foreign_keys = on")
        gone = [task for task in self.found.values() if task.deleted and self._bury(task)]
        alive = [task for task in self.found.values() if not task.deleted and not self._is_buried(task.uid)]
        for task in alive:
            self._follow_id(task)
        for task in sorted(alive, key=lambda one: (one.begun, one.uid)):
            if number_of_uid(self.db, task.uid) is None:
                self._add(task)
        changed = [task.uid for task in alive if self._take(task) and task.uid not in self.new]
        self._link()
        self._mend()
        same = len(alive) - len(changed) - len(self.new)
        return Merged(len(self.new), len(changed), len(gone), same, self.renumbered)

    def _is_buried(self, uid: str) -> bool:
        return self.db.execute("select 1 from deleted where uid = ?", (uid,)).fetchone() is not None

    def _bury(self, task: Incoming) -> bool:
        """Remove a task that is gone elsewhere; whether it was here."""
        number = number_of_uid(self.db, task.uid)
        if number is not None:
            self.touched |= {uid_of(self.db, one) for (one,) in self.db.execute(_TOUCHED_BY, (number, number))}
            delete_task(self.db, number, self.stamp(), task.who)
            self.db.execute("delete from deleted where uid = ?", (task.uid,))
        grave = (task.uid, number or task.number or 0, task.deleted, task.who)
        self.db.execute("insert into deleted values (?, ?, ?, ?) on conflict do nothing", grave)
        self.db.execute(_BURIED_LATER, (task.deleted, task.who, task.uid, task.deleted, task.who))
        return number is not None

    def _follow_id(self, task: Incoming) -> None:
        """Call a task what it was called last: where two had one id, another machine may have decided already."""
        number, moved = number_of_uid(self.db, task.uid), task.cells.get(("id", ""))
        if number is None or moved is None or task.number is None:
            return
        if not moved.beats(standing_cells(self.db, number).get(("id", ""))):
            return
        if task.number != number:
            holder = self.db.execute("select begun, uid from tasks where number = ?", (task.number,)).fetchone()
            if holder is not None and tuple(holder) < (task.begun, task.uid):
                return
            if holder is not None:
                self._renumber(task.number)
            self._move(number, task.number)
            self.renumbered[task_id_of(number)] = task_id_of(task.number)
        log_change(self.db, task.number, moved._replace(value=task_id_of(task.number)), task_id_of(number))

    def _add(self, task: Incoming) -> None:
        """A task that is new here, under the id it has elsewhere if that is free; of two the older has it."""
        wanted = number = task.number
        if number is not None:
            holder = self.db.execute("select begun, uid from tasks where number = ?", (number,)).fetchone()
            if holder is not None and tuple(holder) > (task.begun, task.uid):
                self._renumber(number)
            elif holder is not None or self.db.execute(_BURIED_AS, (number, task.uid)).fetchone():
                number = None
        number = new_number(self.db) if number is None else number
        self.db.execute(_COUNTED_TO, (number, number))
        title = str(task.cells["title", ""].value)
        columns = {
            "number": number, "uid": task.uid, "title": title, "status": "pending", "said": "pending",
            "priority": "medium", "type": "task", "created": text_time(task.begun), "begun": task.begun,
            "maker": task.maker, "updated": task.begun,
        }  # fmt: skip
        insert_row(self.db, columns)
        log_change(self.db, number, Cell("created", "", title, task.begun, task.maker), None)
        self.db.execute("update tasks set first = changed where number = ?", (number,))
        if wanted is not None and wanted != number:
            self.renumbered[f"{task_id_of(wanted)} of the file"] = task_id_of(number)
            moved = Cell("id", "", task_id_of(number), self.stamp(), MERGED)
            log_change(self.db, number, moved, task_id_of(wanted))
        elif said := task.cells.get(("id", "")):
            log_change(self.db, number, said, None)
        self.new.add(task.uid)

    def _renumber(self, number: int) -> None:
        """Give a task another id: an older one has the same."""
        free = new_number(self.db)
        self._move(number, free)
        log_change(self.db, free, Cell("id", "", task_id_of(free), self.stamp(), MERGED), task_id_of(number))
        self.renumbered[task_id_of(number)] = task_id_of(free)

    def _move(self, number: int, free: int) -> None:
        self.db.execute(_COUNTED_TO, (free, free))
        for table, column in _NUMBERS:
            self.db.execute(f"update {table} set {column} = ? where {column} = ?", (free, number))

    def _take(self, task: Incoming) -> bool:
        """Write what is later than what is here; whether that is another value."""
        number = number_of_uid(self.db, task.uid)
        assert number is not None  # noqa: S101  # it was here, or was added
        standing = {} if task.uid in self.new else standing_cells(self.db, number)
        later = [cell for key, cell in task.cells.items() if self._is_news(task, cell, standing.get(key))]
        written = write_cells(self.db, number, later, foreign=True)
        search.remember_words(self.db, number, [cell.value for cell in written if cell.field in search.SPELLED])
        if written or task.uid in self.new:
            self.touched.add(task.uid)
        return bool(written)

    def _is_news(self, task: Incoming, cell: Cell, standing: Cell | None) -> bool:
        if cell.field == "id":
            return False  # said already
        if task.uid in self.new:
            return cell.value is not None or cell.stamp != task.begun
        return cell.beats(standing)

    def _link(self) -> None:
        """Let tasks that were here wait for those that came, and be parts of them, if they were said to."""
        if not self.new:
            return
        rows = self.db.execute(_REFERRING)
        for (uid,) in rows.fetchall():
            number = number_of_uid(self.db, uid)
            cells = standing_cells(self.db, number).values() if number is not None else ()
            for cell in cells:
                if cell.value in self.new and cell.field == "depends":
                    needed = number_of_uid(self.db, cell.value)
                    self.db.execute("insert into dependencies values (?, ?) on conflict do nothing", (number, needed))
                    self.touched.add(uid)
                elif cell.value in self.new and cell.field == "parentId":
                    whole = number_of_uid(self.db, cell.value)
                    self.db.execute("update tasks set parent = ? where number = ?", (whole, number))
                    self.touched.add(uid)

    def _mend(self) -> None:
        """Let everything hold again that two machines broke together."""
        numbers = [number for uid in sorted(self.touched) if (number := number_of_uid(self.db, uid)) is not None]
        for number in numbers:
            self._mend_place(number)
            for (part,) in self.db.execute("select number from tasks where parent = ?", (number,)).fetchall():
                self._mend_place(part)
        for number in numbers:
            while circle := find_circle(self.db, number):
                self._break(circle)
        for number in numbers:
            settle_status(self.db, number, self.stamp(), MERGED)

    def _mend_place(self, number: int) -> None:
        kind, above = self.db.execute(
            "select part.type, whole.type from tasks as part left join tasks as whole on whole.number = part.parent "
            "where part.number = ?",
            (number,),
        ).fetchone()
        cells = []
        if above is not None and TYPES.index(kind) <= TYPES.index(above):
            cells.append(Cell("parentId", "", None, self.stamp(), MERGED))
            above = None
        if kind == TYPES[-1] and above is None:
            cells.append(Cell("type", "", "task", self.stamp(), MERGED))
        write_cells(self.db, number, cells)

    def _break(self, circle: list[int]) -> None:
        """Leave out the latest dependency of a circle."""
        edges = []
        for task, needed in pairwise(circle):
            uid = uid_of(self.db, needed)
            if cell := standing_cells(self.db, task).get(("depends", uid)):
                edges.append((cell.stamp, uid_of(self.db, task), uid, task))
            else:  # the needed one is a part
                edges.append((-1, uid_of(self.db, task), uid, needed))
        stamp, _, uid, task = max(edges)
        field, part = ("depends", uid) if stamp >= 0 else ("parentId", "")
        write_cells(self.db, task, [Cell(field, part, None, self.stamp(), MERGED)])


_REFERRING = "select distinct uid from changes join tasks using (uid) where field in ('depends', 'parentId')"
_TOUCHED_BY = "select task from dependencies where needs = ? union select number from tasks where parent = ?"
_BURIED_LATER = "update deleted set stamp = ?, who = ? where uid = ? and (stamp, who) < (?, ?)"
_COUNTED_TO = "update counters set value = ? where name = 'number' and value < ?"
_BURIED_AS = "select 1 from deleted where task = ? and uid <> ?"
_NUMBERS = (
    ("tasks", "number"),
    ("tasks", "parent"),
    ("labels", "task"),
    ("dependencies", "task"),
    ("dependencies", "needs"),
    ("sessions", "focus"),
    ("focus_history", "task"),
)
