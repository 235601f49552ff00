"""Tasks of other trackers as records of ours: lines of `bd` (issues.jsonl) and task-master's tasks.json.

A task of theirs has a `uid` that is made of its id, so what is read twice is there once. What they know no moment of
stands as it began: it never overrules what was changed here.
"""

from __future__ import annotations

import re

from overspill._lite import TYPE_CHECKING
from overspill.errors import RuleError
from overspill.ledger.fields import PRIORITIES, TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Record = dict[str, object]

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
