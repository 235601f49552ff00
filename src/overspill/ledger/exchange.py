"""Tasks as lines of JSON that go from one ledger to another, and back, and lose nothing on the way.

A line is a task: its fields as they are, its `uid`, which is the same on every machine, and under `changes` the moment
and the author of every field that was changed after it was made. So two lines of one task, from whatever machines, are
one task again (`writer.py`). A line with `deletedAt` says that a task is gone. Lines can be put together by anything
that keeps both sides, such as git's `merge=union`; the marks that git leaves where it could not decide are passed over.

Tasks of other trackers become records of ours: lines of `bd` (issues.jsonl) and task-master's tasks.json. A task of
theirs has a `uid` that is made of its id, so what is read twice is there once. What they know no moment of stands as it
began: it never overrules what was changed here.
"""

from __future__ import annotations

import json
import re

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import RuleError
from overspill.ledger.changes import PARTS, SCALARS, Cell, Key, standing_cells, text_time
from overspill.ledger.fields import PRIORITIES, TYPES, Redact, checked_fields, line_check, number_of, task_id_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from overspill.ledger.engine import TaskConnection


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

BD_STATUS = {
    "open": "pending", "in_progress": "active", "blocked": "blocked", "deferred": "blocked", "closed": "done",
    "pinned": "pending", "hooked": "active", "ready": "pending",
}  # fmt: skip
BD = "bd:"  # how the uids of its issues begin
BD_AT_WORK = {"in_progress", "hooked"}
BD_BLOCKING = {"blocks", "conditional-blocks", "waits-for"}
TASK_MASTER_STATUS = {
    "pending": "pending", "in-progress": "active", "done": "done", "completed": "done", "review": "active",
    "blocked": "blocked", "deferred": "blocked", "cancelled": "cancelled",
}  # fmt: skip
TASK_MASTER_AT_WORK = {"in-progress", "review"}
UNKNOWN_TIME = "1970-01-01T00:00:00.000Z"
_NO_UID = re.compile(r"[^A-Za-z0-9_.:/-]")


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


def own_records(values: Iterable[object]) -> list[Record]:
    """The records in what was read, whoever wrote it."""
    return _sized_records(list(_found_records(values)))


def _found_records(values: Iterable[object]) -> Iterator[Record]:
    for value in values:
        if isinstance(value, list):
            yield from _found_records(value)
        elif not isinstance(value, dict):
            raise RuleError(f"a task is an object, not {type(value).__name__}; nothing was changed")
        elif "uid" in value:
            yield value
        elif "issue_type" in value or "created_at" in value or value.get("_type") == "issue":
            yield _bd_record(value)
        elif lists := _task_master_lists(value):
            for tag, tasks, about in lists:
                yield from _task_master_records(tag, tasks, about)
        elif value.get("_type") is None:  # other lines of bd are no issues
            yield value


def _sized_records(records: list[Record]) -> list[Record]:
    """Issues of `bd` with our three sizes: theirs may be parts of any other, in any number of steps.

    What has parts and is none is an epic, its parts are tasks, and all that is below these are their subtasks.
    """
    parents = {str(one["uid"]): str(one["parentId"]) for one in records if _is_bd(one) and "parentId" in one}
    known = {str(one["uid"]) for one in records if _is_bd(one)}
    wholes = set(parents.values())

    def sized(record: Record) -> Record:
        above = _above(str(record["uid"]), parents, known)
        if not above:
            return {**record, "type": "epic"} if record["uid"] in wholes else record
        kind, parent = ("task", above[0]) if len(above) == 1 else ("subtask", above[-2])
        return {**record, "type": kind, "parentId": parent}

    return [sized(one) if _is_bd(one) and "deletedAt" not in one else one for one in records]


# -- of other trackers --


def _is_bd(record: Record) -> bool:
    return str(record.get("uid")).startswith(BD)


def _above(own: str, parents: Mapping[str, str], known: set[str]) -> list[str]:
    """What an issue is a part of, as far as that was read, the nearest first."""
    way: list[str] = []
    at = own
    while (at := parents.get(at, "")) in known and at not in {own, *way}:
        way.append(at)
    return way


def _bd_needs(issue: Mapping[str, object], own: str) -> dict[str, str]:
    """What an issue is tied to, and how: as exports say it, or as `bd show --json` does."""
    kind: dict[str, str] = {}
    for one in _dicts(issue.get("dependencies")):
        target = one.get("depends_on_id") or (one.get("id") if "dependency_type" in one else None)
        how = one.get("type") if "depends_on_id" in one else one.get("dependency_type")
        if target and one.get("issue_id", own) == own:
            kind[str(target)] = str(how or one.get("dep_type") or "blocks")
    if issue.get("parent"):
        kind.setdefault(str(issue["parent"]), "parent-child")
    return kind


def _bd_record(issue: Mapping[str, object]) -> Record:
    own = str(issue.get("id"))
    created = str(issue.get("created_at") or UNKNOWN_TIME)
    updated = issue.get("updated_at") or created
    if issue.get("status") == "tombstone":
        gone: Record = {"uid": _uid("bd", own), "deletedAt": str(issue.get("deleted_at") or updated)}
        return {**gone, "by": issue["deleted_by"]} if issue.get("deleted_by") else gone
    kind = _bd_needs(issue, own)
    parents = [target for target, how in kind.items() if how == "parent-child"]
    parent = parents[0] if parents else own.rpartition(".")[0] if "." in own else None
    number = issue.get("priority", 0)  # older exports leave out the most urgent one, which is 0
    priority = PRIORITIES[min(number, 3)] if isinstance(number, int) and number >= 0 else "medium"
    texts = [str(issue[name]) for name in ("description", "design") if issue.get(name)]
    issue_type = str(issue.get("issue_type") or "task")
    labels = [*_texts(issue.get("labels")), *([issue_type] if issue_type not in {"task", "epic"} else [])]
    notes = [{"key": "notes", "at": updated, "text": str(issue["notes"])}] if issue.get("notes") else []
    for place, one in enumerate(_dicts(issue.get("comments"))):
        text, at = one.get("text") or one.get("body"), one.get("created_at") or updated
        notes += [{"key": f"comment-{one.get('id', place)}", "at": at, "by": one.get("author"), "text": text}]
    record = {
        "uid": _uid("bd", own),
        "createdAt": created,
        "createdBy": issue.get("created_by"),
        "title": issue.get("title"),
        "description": "\n\n".join(texts) or None,
        "status": BD_STATUS.get(str(issue.get("status") or "open"), "pending"),
        "priority": priority,
        "type": "epic" if issue_type == "epic" else "task",
        "parentId": None if parent is None else _uid("bd", parent),
        "assignee": issue.get("assignee") if issue.get("status") in BD_AT_WORK else None,
        "reason": issue.get("close_reason"),
        "labels": labels,
        "depends": [_uid("bd", target) for target, how in kind.items() if how in BD_BLOCKING],
        "acceptance": _texts([issue.get("acceptance_criteria")]),
        "notes": notes,
    }
    closed = str(issue["closed_at"]) if issue.get("status") == "closed" and issue.get("closed_at") else ""
    return _marked(record, str(updated), created, closed)


def _task_master_lists(value: Mapping[str, object]) -> list[tuple[str, list[Record], Record]]:
    """The lists of tasks in a document, by their tags; older ones have one list, and no tags."""
    tagged = {"master": value, **{tag: one for tag, one in value.items() if isinstance(one, dict)}}
    found = []
    for tag, one in tagged.items():
        tasks, about = one.get("tasks"), one.get("metadata")
        if isinstance(tasks, list):
            found.append((tag, _dicts(tasks), about if isinstance(about, dict) else {}))
    return found


def _task_master_records(tag: str, tasks: list[Record], about: Record) -> Iterator[Record]:
    begun = str(about.get("created") or about.get("createdAt") or UNKNOWN_TIME)
    met: dict[object, int] = {}
    for task in tasks:
        kinds = TYPES if _levels(task) >= len(TYPES) else TYPES[1:]
        for record in _task_master_branch(tag, str(task.get("id")), task, kinds, None, begun):
            met[record["uid"]] = met.get(record["uid"], 0) + 1
            # Some lists have one id twice: none of these tasks is lost, and references mean the first.
            again = f"{record['uid']}~{met[record['uid']]}"[-200:]
            yield record if met[record["uid"]] == 1 else {**record, "uid": _NO_UID.sub("_", again)}


def _levels(task: Mapping[str, object]) -> int:
    return 1 + max(map(_levels, _dicts(task.get("subtasks"))), default=0)


def _task_master_branch(
    tag: str, own: str, task: Mapping[str, object], kinds: tuple[str, ...], parent: str | None, begun: str
) -> Iterator[Record]:
    """A task and what is below it; what is too deep for our three sizes stands beside the smallest."""
    yield _task_master_record(tag, own, task, kinds[0], parent, begun)
    for part in _dicts(task.get("subtasks")):
        name = str(part.get("id"))
        name = name if name.startswith(f"{own}.") else f"{own}.{name}"
        above = own if kinds[1:] else parent
        yield from _task_master_branch(tag, name, part, kinds[1:] or kinds, above, begun)


def _task_master_record(
    tag: str, own: str, task: Mapping[str, object], kind: str, parent: str | None, begun: str
) -> Record:
    texts = [str(task[name]) for name in ("description", "details") if task.get(name)]
    needs = task.get("dependencies")
    names = [str(one) for one in needs] if isinstance(needs, list) else []
    if "." in own:  # a bare number is a subtask beside it
        names = [name if "." in name else f"{own.rpartition('.')[0]}.{name}" for name in names]
    priority, criteria = str(task.get("priority") or "medium"), task.get("acceptanceCriteria")
    created = str(task.get("createdAt") or begun)
    record = {
        "uid": _uid(f"tm:{tag}", own),
        "createdAt": created,
        "title": task.get("title"),
        "description": "\n\n".join(texts) or None,
        "status": TASK_MASTER_STATUS.get(str(task.get("status") or "pending"), "pending"),
        "priority": priority if priority in PRIORITIES else "medium",
        "type": kind,
        "parentId": None if parent is None else _uid(f"tm:{tag}", parent),
        "phase": None if tag == "master" else tag,
        "depends": [_uid(f"tm:{tag}", name) for name in names],
        "verification": task.get("testStrategy"),
        "acceptance": _texts(criteria if isinstance(criteria, list) else [criteria]),
        "labels": _texts(task.get("tags")),
        "files": _texts([one.get("path") for one in _dicts(task.get("relevantFiles"))]),
        "assignee": task.get("assignee") if task.get("status") in TASK_MASTER_AT_WORK else None,
    }
    return _marked(record, str(task.get("updatedAt") or created), created)


def _marked(record: Record, updated: str, created: str, closed: str = "") -> Record:
    """The record without what is empty, all of it as of its last change, and closed when it was."""
    kept = {name: value for name, value in record.items() if value not in (None, "", [])}
    if updated == created and not closed:
        return kept
    scalars = ("title", "description", "status", "priority", "type", "parentId", "assignee", "reason", "verification")
    changes = {name: [updated] for name in scalars if name in kept}
    return {**kept, "changes": {**changes, **({"status": [closed]} if closed else {})}}


def _uid(source: str, own: str) -> str:
    return _NO_UID.sub("_", f"{source}:{own}")[:200]


def _dicts(value: object) -> list[Record]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [str(one) for one in value if one] if isinstance(value, list) else []
