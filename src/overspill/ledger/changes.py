"""What happens to tasks, as one log: what each field was and is, which part of a list came or went, who did it, when.

A task is a set of cells: a field, or a part of a list. Whatever changes one, here or on another machine, is written by
`write_cells`, and stands in the log. A cell that two machines changed is the later change's, so every machine that
sees the same changes comes to the same tasks, in whatever order it sees them.

Moments are milliseconds that never go back: whoever has seen a change makes only later ones, whatever his clock says.
"""

from __future__ import annotations

import os
import time

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.ledger.engine import LIST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from overspill.ledger.engine import TaskConnection

# Fields of one value, and the columns they stand in. What was said of the status is `said`; how it stands follows.
SCALARS = {
    "title": "title",
    "said": "said",
    "priority": "priority",
    "type": "type",
    "parentId": "parent",
    "phase": "phase",
    "description": "description",
    "verification": "verification",
    "reason": "reason",
    "assignee": "assignee",
    "lease": "lease",
    "archive": "archived",
}
PARTS = ("labels", "depends", "acceptance", "files", "notes")  # lists: each value is a cell of its own
LEASE_OVER = "(lease ran out)"  # who frees a task

Key = tuple[str, str]  # a field, and of a list the part that is meant


class Cell(NamedTuple):
    """One field of a task, or one part of a list of it; None is nothing, or a part that is gone."""

    field: str
    part: str
    value: str | None
    stamp: int
    who: str = ""

    @property
    def key(self) -> Key:
        """Which cell of the task it is."""
        return self.field, self.part

    def beats(self, other: Cell | None) -> bool:
        """Whether it is the later one; of two in one moment the greater value is, then the author."""
        return other is None or self.rank > other.rank

    @property
    def rank(self) -> tuple[int, str, str]:
        """What decides which of two changes to a cell holds."""
        return self.stamp, self.value or "", self.who

    def place(self, begun: int) -> tuple[int, str]:
        """Where it stands in its list: labels and dependencies by name, what a task began with as it was given."""
        if self.field in {"labels", "depends"}:
            return 0, self.part
        return self.stamp, "" if self.stamp == begun else self.part


def new_uid() -> str:
    """A name for a task that no other machine gives."""
    return f"t-{os.urandom(10).hex()}"


def text_time(stamp: int) -> str:
    """A moment as records have it.

    >>> text_time(1760000000123)
    '2025-10-09T08:53:20Z'
    """
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stamp // 1000))


def advance_clock(db: TaskConnection, now: float, count: int = 1, seen: int = 0) -> int:
    """The first of so many moments that are later than all that were seen here."""
    last = int(db.execute("select value from counters where name = 'clock'").fetchone()[0])
    stamp = max(int(now * 1000), last + 1, seen + 1)
    db.execute("update counters set value = ? where name = 'clock'", (stamp + count - 1,))
    return stamp


def last_change(db: TaskConnection) -> int:
    """A number for the ledger as it is now."""
    return int(db.execute("select coalesce(max(number), 0) from changes").fetchone()[0])


def standing_cells(db: TaskConnection, number: int) -> dict[Key, Cell]:
    """The cells of a task as they are, with the moment of the last change to each."""
    columns = ", ".join(SCALARS.values())
    uid, begun, maker, labels, acceptance, files, *row = db.execute(
        f"select uid, begun, maker, labels, acceptance, files, {columns} from tasks where number = ?", (number,)
    ).fetchone()
    values = dict(zip(SCALARS, row, strict=True))
    if values["parentId"] is not None:
        values["parentId"] = uid_of(db, values["parentId"])
    found = {(field, ""): Cell(field, "", _text(value), begun, maker) for field, value in values.items()}
    needs = [
        one
        for (one,) in db.execute("select uid from dependencies join tasks on number = needs where task = ?", (number,))
    ]
    lists = {"labels": _split(labels), "depends": needs, "acceptance": _split(acceptance), "files": _split(files)}
    found |= {(field, part): Cell(field, part, part, begun, maker) for field, parts in lists.items() for part in parts}
    return found | logged_cells(db, uid)


def logged_cells(db: TaskConnection, uid: str) -> dict[Key, Cell]:
    """The last change to each cell of a task; a cell that stands as it began has none."""
    rows = db.execute(
        "select field, part, after, stamp, who from changes where uid = ? and number in (select max(number) "
        "from changes where uid = ? and field not in ('status', 'created') group by field, part) order by field, part",
        (uid, uid),
    )
    return {(row[0], row[1]): Cell(*row) for row in rows}


def uid_of(db: TaskConnection, number: int) -> str:
    """The name of a task on every machine."""
    return str(db.execute("select uid from tasks where number = ?", (number,)).fetchone()[0])


def number_of_uid(db: TaskConnection, uid: str) -> int | None:
    """The number of a task here, if it is here."""
    row = db.execute("select number from tasks where uid = ?", (uid,)).fetchone()
    return None if row is None else int(row[0])


def log_change(db: TaskConnection, number: int, cell: Cell, before: str | None, *, uid: str | None = None) -> None:
    """Note what happened to a task."""
    name = uid_of(db, number) if uid is None else uid
    change = last_change(db) + 1
    row = (change, name, cell.field, cell.part, before, cell.value, cell.stamp, cell.who)
    db.execute("insert into changes values (?, ?, ?, ?, ?, ?, ?, ?)", row)
    later = "case when updated < ? then ? else updated end"
    values = (change, cell.stamp, cell.stamp, number)
    db.execute(f"update tasks set changed = ?, updated = {later} where number = ?", values)


def write_cells(db: TaskConnection, number: int, cells: Iterable[Cell], *, foreign: bool = False) -> list[Cell]:
    """Write cells of a task; those that were changed. Of `foreign` ones it is also noted that they say the same."""
    standing = standing_cells(db, number)
    uid = uid_of(db, number)
    written = []
    for cell in cells:
        old = standing.get(cell.key)
        before = None if old is None else old.value
        standing[cell.key] = cell
        if before != cell.value:
            written.append(cell)
            _write_value(db, number, cell)
        if before != cell.value or foreign:
            log_change(db, number, cell, before, uid=uid)
    _write_lists(db, number, {cell.field for cell in written}, standing)
    return written


def _write_value(db: TaskConnection, number: int, cell: Cell) -> None:
    if cell.field == "labels":
        sql = (
            "delete from labels where task = ? and label = ?"
            if cell.value is None
            else "insert into labels values (?, ?)"
        )
        db.execute(sql, (number, cell.part))
    elif cell.field == "depends":
        needed = number_of_uid(db, cell.part)
        if needed is not None:
            added = "insert into dependencies values (?, ?) on conflict do nothing"
            db.execute(
                "delete from dependencies where task = ? and needs = ?" if cell.value is None else added,
                (number, needed),
            )
    elif column := SCALARS.get(cell.field):
        value = number_of_uid(db, cell.value) if cell.field == "parentId" and cell.value is not None else cell.value
        db.execute(f"update tasks set {column} = ? where number = ?", (value, number))
        if cell.field == "said":
            completed = text_time(cell.stamp) if cell.value == "done" else None
            db.execute("update tasks set completed = ? where number = ?", (completed, number))
        elif cell.field == "archive":
            at = None if cell.value is None else text_time(int(cell.value))
            db.execute("update tasks set archived_at = ? where number = ?", (at, number))


def settle_status(db: TaskConnection, number: int, stamp: int, who: str) -> None:
    """Say anew whether a task is blocked, and then whether those that depend on it are."""
    _settle_one(db, number, stamp, who)
    for (waiting,) in db.execute("select task from dependencies where needs = ?", (number,)).fetchall():
        _settle_one(db, waiting, stamp, who)


def _settle_one(db: TaskConnection, number: int, stamp: int, who: str) -> None:
    """Let a task be blocked, or not any more. Who worked on one that is blocked now lets go of it."""
    status, said, waits = db.execute(_STANDING, (number,)).fetchone()
    stands = "blocked" if waits and said in {"pending", "active"} else said
    if stands == "blocked" and said == "active":
        free = (("said", "pending"), ("assignee", None), ("lease", None))
        write_cells(db, number, [Cell(field, "", value, stamp, who) for field, value in free])
    if stands != status:
        db.execute("update tasks set status = ? where number = ?", (stands, number))
        log_change(db, number, Cell("status", "", stands, stamp, who), status)


_STANDING = """select status, said, exists (
        select 1 from dependencies join tasks as other on other.number = needs
        where task = tasks.number and other.status not in ('done', 'cancelled'))
    from tasks where number = ?"""


def _write_lists(db: TaskConnection, number: int, fields: set[str], standing: Mapping[Key, Cell]) -> None:
    """Lists that stand in a column: what was there first in its order, then what came, as it came."""
    begun = int(db.execute("select begun from tasks where number = ?", (number,)).fetchone()[0])
    for field in fields & {"labels", "acceptance", "files", "notes"}:
        parts = [cell for cell in standing.values() if cell.field == field and cell.value is not None]
        parts.sort(key=lambda cell: cell.place(begun))  # equal ones stay as they stood
        joined = LIST.join(str(cell.value) for cell in parts) or None
        db.execute(f"update tasks set {field} = ? where number = ?", (joined, number))


def dated_notes(db: TaskConnection, uid: str) -> list[Cell]:
    """The notes of a task, each with who wrote it and when, the oldest first."""
    cells = (cell for cell in logged_cells(db, uid).values() if cell.field == "notes" and cell.value is not None)
    return sorted(cells, key=lambda cell: (cell.stamp, cell.part))


def history_of(db: TaskConnection, uid: str) -> Iterator[dict[str, object]]:
    """What happened to a task, the newest first."""
    names = {"archive": "archived"}
    row = db.execute("select begun from tasks where uid = ?", (uid,)).fetchone()
    begun = row[0] if row else 0  # what a task began with is not something that happened to it
    rows = db.execute(
        "select field, before, after, stamp, who from changes where uid = ? and field <> 'said' "
        "and (field = 'created' or stamp > ?) order by number desc",
        (uid, begun),
    )
    for field, before, after, stamp, who in rows:
        if before == after:
            continue
        shown = [_shown_value(db, field, value) for value in (before, after)]
        facts = {"field": names.get(field, field), "from": shown[0], "to": shown[1], "by": who}
        yield {
            "ts": f"{text_time(stamp)[:-1]}.{stamp % 1000:03d}Z",
            "event": "change",
            **{name: value for name, value in facts.items() if value},
        }


def _shown_value(db: TaskConnection, field: str, value: str | None) -> str | None:
    """A value as people know it: tasks by their ids, moments as moments."""
    if value is None:
        return None
    if field in {"lease", "archive"}:
        return text_time(int(value))
    if field in {"parentId", "depends"}:
        row = db.execute(
            "select number from tasks where uid = ? union all select task from deleted where uid = ?", (value, value)
        ).fetchone()
        return f"T{row[0]}" if row else value
    return value


def _split(column: str | None) -> list[str]:
    return column.split(LIST) if column else []


def _text(value: object) -> str | None:
    return None if value is None else str(value)


# -- tasks come and go --


def new_number(db: TaskConnection) -> int:
    """A number that no task ever had here."""
    db.execute("update counters set value = value + 1 where name = 'number'")
    return int(db.execute("select value from counters where name = 'number'").fetchone()[0])


def insert_row(db: TaskConnection, columns: Mapping[str, object]) -> None:
    """A new row of tasks."""
    names = ", ".join(columns)
    db.execute(f"insert into tasks ({names}) values ({', '.join('?' * len(columns))})", list(columns.values()))


def delete_task(db: TaskConnection, number: int, stamp: int, who: str) -> None:
    """Remove a task for good. Those that waited for it do not any more, and its parts stand by themselves."""
    uid = uid_of(db, number)
    for (task,) in db.execute("select task from dependencies where needs = ?", (number,)).fetchall():
        write_cells(db, task, [Cell("depends", uid, None, stamp, who)])
        settle_status(db, task, stamp, who)
    for part, kind in db.execute("select number, type from tasks where parent = ?", (number,)).fetchall():
        alone = [Cell("type", "", "task", stamp, who)] if kind == "subtask" else []
        write_cells(db, part, [Cell("parentId", "", None, stamp, who), *alone])
    log_change(db, number, Cell("deleted", "", text_time(stamp), stamp + 1, who), None, uid=uid)
    for sql in (
        "delete from labels where task = ?",
        "delete from dependencies where task = ?",
        "update sessions set focus = null where focus = ?",
        "delete from focus_history where task = ?",
        "delete from tasks where number = ?",
    ):
        db.execute(sql, (number,))
    db.execute("delete from deleted where uid = ?", (uid,))
    db.execute("insert into deleted values (?, ?, ?, ?)", (uid, number, stamp + 1, who))
