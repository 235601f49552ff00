"""What was done on other machines, taken into a ledger: of every cell the later change holds, on either side.

Nothing depends on the order in which machines hear of each other: a deletion holds for good, a cell is its latest
change's, and what two machines broke together is mended in the same way everywhere: of a circle the latest dependency
goes, a part that is not smaller than its whole stands by itself. Of two tasks that were given one id apart, the older
keeps it.
"""

from __future__ import annotations

from itertools import pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.ledger import search
from overspill.ledger.changes import (
    Cell,
    advance_clock,
    delete_task,
    insert_row,
    log_change,
    new_number,
    number_of_uid,
    settle_status,
    standing_cells,
    text_time,
    uid_of,
    write_cells,
)
from overspill.ledger.fields import TYPES, find_circle, number_of, task_id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from overspill.ledger.exchange import Incoming
    from overspill.ledger.words import TaskConnection

MERGED = "(merge)"  # who mends what two machines broke together
A_DAY = 86_400_000  # a clock may be ahead by so much; whoever is further ahead does not carry others along


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
            self.touched |= {uid_of(self.db, one) for (one,) in self.db.execute(_NEEDED_BY, (number, number))}
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
_NEEDED_BY = "select task from dependencies where needs = ? union select number from tasks where parent = ?"
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
