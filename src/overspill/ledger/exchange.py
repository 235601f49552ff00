"""Tasks as lines of JSON that go from one ledger to another, and back, and lose nothing on the way.

A line is a task: its fields as they are, its `uid`, which is the same on every machine, and under `changes` the moment
and the author of every field that was changed after it was made. So two lines of one task, from whatever machines, are
one task again (`merge.py`). A line with `deletedAt` says that a task is gone. Lines can be put together by anything
that keeps both sides, such as git's `merge=union`; the marks that git leaves where it could not decide are passed over.
"""

from __future__ import annotations

import json
import re

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import RuleError
from overspill.ledger.changes import PARTS, SCALARS, Cell, Key, standing_cells, text_time
from overspill.ledger.fields import Redact, checked_fields, line_check, number_of, task_id_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from overspill.ledger.words import TaskConnection

Record = dict[str, object]
CONFLICT = re.compile(rb"(<{7}|\|{7}|={7}|>{7})( |$)")
_UID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,199}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})")
# What fields are called in a line, where that is not their name in the log; `id` is a cell of its own there.
OUTSIDE = {"said": "status", "archive": "archivedAt", "lease": "claimedUntil"}
INSIDE = {name: field for field, name in OUTSIDE.items()}
TIMES = ("archive", "lease")
REFERENCES = ("parentId", "depends")  # other tasks, by their uid
ALWAYS = {"status": "pending", "priority": "medium", "type": "task"}  # what a task is when nothing else is said


# -- out --


def exported_records(db: TaskConnection) -> Iterator[Record]:
    """Every task as others can read it, and every one that is gone, by uid: so files differ where tasks do."""
    known = "select uid, number, 0, '' from tasks union all select uid, task, stamp, who from deleted order by 1"
    for uid, number, stamp, who in db.execute(known).fetchall():
        if stamp:
            yield {"uid": uid, "id": task_id_of(number), "deletedAt": exact_time(stamp), **({"by": who} if who else {})}
        else:
            yield exported_record(db, number)


def exported_record(db: TaskConnection, number: int) -> Record:
    """A task with the moments of its changes."""
    uid, begun, maker = db.execute("select uid, begun, maker from tasks where number = ?", (number,)).fetchone()
    record: Record = {"uid": uid, "id": task_id_of(number), "createdAt": exact_time(begun)}
    record |= {"createdBy": maker} if maker else {}
    cells = standing_cells(db, number).values()
    changes: dict[str, object] = {}
    for cell in cells:
        name = OUTSIDE.get(cell.field, cell.field)
        if cell.field in SCALARS and cell.value is not None:
            record[name] = exact_time(int(cell.value)) if cell.field in TIMES else cell.value
        if cell.stamp != begun and not (cell.field == "notes" and cell.value is not None):
            mark = [exact_time(cell.stamp), *([cell.who] if cell.who else [])]
            if cell.field in PARTS:
                changes[name] = {**_mapping(changes.get(name)), cell.part: mark}
            else:
                changes[name] = mark
    for name in PARTS:
        parts = [cell for cell in cells if cell.field == name and cell.value is not None]
        parts.sort(key=lambda cell: cell.place(begun))
        if parts:
            record[name] = [_note_record(cell) if name == "notes" else cell.value for cell in parts]
    ordered = {name: dict(sorted(mark.items())) if isinstance(mark, dict) else mark for name, mark in changes.items()}
    return {**record, **({"changes": dict(sorted(ordered.items()))} if changes else {})}


def _note_record(cell: Cell) -> Record:
    return {
        "key": cell.part,
        "at": exact_time(cell.stamp),
        **({"by": cell.who} if cell.who else {}),
        "text": cell.value,
    }


def exact_time(stamp: int) -> str:
    """A moment with its milliseconds.

    >>> exact_time(1760000000123)
    '2025-10-09T08:53:20.123Z'
    """
    return f"{text_time(stamp)[:-1]}.{stamp % 1000:03d}Z"


def stamp_of(text: object) -> int:
    """The milliseconds of a moment that was written down.

    >>> stamp_of("2025-10-09T08:53:20.123Z"), stamp_of("2025-10-09T10:53:20+02:00")
    (1760000000123, 1760000000000)
    """
    from datetime import datetime

    try:
        if isinstance(text, str) and _TIME.fullmatch(text):
            return round(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError):
        pass
    raise RuleError(f"not a moment: {str(text)[:60]!r}; give one like 2026-11-01T08:30:00Z; nothing was changed")


# -- in --


def read_records(text: bytes) -> list[Record]:
    """The tasks of a file: one a line, or one document that holds them, ours or of `bd` or task-master."""
    from overspill.ledger.foreign import own_records

    lines = [line for line in text.splitlines() if line.strip() and not CONFLICT.match(line)]
    try:
        values = [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        try:
            values = [json.loads(text)]
        except (ValueError, RecursionError):
            raise RuleError("these are no tasks: neither JSON, nor a JSON object a line; nothing was changed") from None
    found = list(own_records(values))
    known = {str(record["id"]): str(record["uid"]) for record in found if "id" in record and "uid" in record}
    return [_with_uids(record, known) for record in found]


def _with_uids(record: Record, known: Mapping[str, str]) -> Record:
    """A record whose references are uids, also where it named tasks by the ids that they have in the file."""
    depends, parent = record.get("depends"), record.get("parentId")
    more: Record = {} if parent is None else {"parentId": known.get(str(parent), parent)}
    if isinstance(depends, list):
        more["depends"] = [known.get(str(one), one) for one in depends]
    return {**record, **more}


class Incoming(NamedTuple):
    """A task as another ledger has it."""

    uid: str
    number: int | None
    begun: int
    maker: str
    cells: dict[Key, Cell]
    deleted: int = 0
    who: str = ""


def incoming_task(record: Mapping[str, object], redact: Redact = str) -> Incoming:
    """A record of a file as a task: checked like what people write, and without its secrets."""
    uid = record.get("uid")
    if not isinstance(uid, str) or not _UID.fullmatch(uid):
        title = str(record.get("title"))[:60]
        raise RuleError(f"a task of a file has a uid, and {title!r} has none; nothing was changed").with_help(
            "spill add --help", suggestion="`spill add -` adds tasks that have none"
        )
    number = number_of(str(record["id"])) if "id" in record else None
    if "deletedAt" in record:
        return Incoming(uid, number, 0, "", {}, stamp_of(record["deletedAt"]), _name(record.get("by"), redact))
    begun, maker = stamp_of(record.get("createdAt")), _name(record.get("createdBy"), redact)
    reader = _CellReader(begun, maker, _mapping(record.get("changes")), redact)
    cells = {cell.key: cell for cell in reader.cells(record)}
    if not cells["title", ""].value:
        raise RuleError(f"task {uid!r} has no title; nothing was changed")
    return Incoming(uid, number, begun, maker, cells)


class _CellReader:
    """The cells of a record; those without a mark stand as they began."""

    def __init__(self, begun: int, maker: str, marks: Record, redact: Redact) -> None:
        self.begun, self.maker, self.marks, self.redact = begun, maker, marks, redact

    def cells(self, record: Mapping[str, object]) -> Iterator[Cell]:
        for field in (*SCALARS, "id"):
            name = OUTSIDE.get(field, field)
            if field != "id" or name in self.marks:
                yield Cell(field, "", self._value(field, name, record.get(name)), *self._mark(self.marks.get(name)))
        for name in PARTS:
            values = record.get(name)
            marks = {self.redact(part): mark for part, mark in _mapping(self.marks.get(name)).items()}
            there = [self._part(name, value, marks) for value in (values if isinstance(values, list) else [])]
            yield from there
            gone = marks.keys() - {cell.part for cell in there}
            yield from (Cell(name, part, None, *self._mark(marks[part])) for part in sorted(gone))

    def _value(self, field: str, name: str, value: object) -> str | None:
        if value is None:
            return ALWAYS.get(name)
        if field in TIMES:
            return str(stamp_of(value))
        if field == "assignee":
            return _name(value, self.redact)
        if field in {"parentId", "id"}:
            return str(value)[:200]
        return str(checked_fields({name: value}, self.redact)[name])

    def _part(self, name: str, value: object, marks: Record) -> Cell:
        if name == "notes" and isinstance(value, dict):
            text = self._checked(name, value.get("text"))
            return Cell(
                name, str(value.get("key"))[:100], text, stamp_of(value.get("at")), _name(value.get("by"), self.redact)
            )
        part = str(value)[:200] if name == "depends" else self._checked(name, value)
        return Cell(name, part, part, *self._mark(marks.get(part)))

    def _checked(self, name: str, value: object) -> str:
        kept = checked_fields({name: [value]}, self.redact)[name]
        return str(kept[0]) if isinstance(kept, list) else ""

    def _mark(self, said: object) -> tuple[int, str]:
        if not isinstance(said, list) or not said:
            return self.begun, self.maker
        return stamp_of(said[0]), _name(said[1], self.redact) if len(said) > 1 else ""


def _name(value: object, redact: Redact) -> str:
    return redact(line_check(200)("who", value)) if value else ""


def _mapping(value: object) -> Record:
    return value if isinstance(value, dict) else {}


def read_tasks(text: bytes, redact: Redact) -> Iterable[Incoming]:
    """The tasks of a file, each as its cells."""
    return [incoming_task(record, redact) for record in read_records(text)]
