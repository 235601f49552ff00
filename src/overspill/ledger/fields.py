"""The fields of a task: what may stand in each, what has to hold between tasks, and how a row becomes a record.

A part is smaller than what it is a part of: an epic holds tasks and subtasks, a task holds subtasks, and a
subtask is a part of something. A task needs its dependencies and its parts, and never, in however many steps,
itself. A closed task has no open part. A task with an open dependency is blocked.

>>> checked_fields({"title": "Log in", "labels": ["auth", "auth"], "parentId": "T7"})
{'title': 'Log in', 'labels': ['auth'], 'parentId': 7}
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Mapping

from overspill._lite import TYPE_CHECKING
from overspill.errors import RuleError, TaskNotFound, UsageError
from overspill.ledger.changes import text_time
from overspill.ledger.engine import LIST

if TYPE_CHECKING:
    from overspill.ledger.changes import Cell
    from overspill.ledger.engine import TaskConnection

STATUSES = ("pending", "active", "blocked", "done", "cancelled")
CLOSED = ("done", "cancelled")
PRIORITIES = ("critical", "high", "medium", "low")
TYPES = ("epic", "task", "subtask")  # each may hold those after it

MOST_IN_A_LIST = 500
_ID = re.compile(r"[Tt]([1-9][0-9]{0,17})")
# What moves a cursor, hides or reorders text, or cannot be written at all. Lines and tabs are text.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_ENDS = re.compile("[\t\n\r\u2028\u2029]+")

Redact = Callable[[str], str]


def number_of(task_id: str) -> int:
    """The number in a task's id.

    >>> number_of("T12")
    12
    """
    match = _ID.fullmatch(task_id)
    if match is None:
        raise UsageError(f"not a task id: {task_id[:100]!r}; ids look like T12").with_help("spill list")
    return int(match[1])


def task_id_of(number: int) -> str:
    """A task's id."""
    return f"T{number}"


def line_check(most: int) -> Callable[[str, object], str]:
    """A check for one line of text that is not empty."""

    def check(name: str, value: object) -> str:
        text = _safe_text(name, value, most).strip()
        if _LINE_ENDS.search(text):
            better = _LINE_ENDS.sub(" ", text)
            raise _field_error(name, "is one line", better)
        if not text:
            raise _field_error(name, "is empty")
        return text

    return check


def text_check(most: int) -> Callable[[str, object], str]:
    """A check for a text of any lines."""

    def check(name: str, value: object) -> str:
        return _safe_text(name, value, most)

    return check


def choice_check(*words: str) -> Callable[[str, object], str]:
    """A check for one of some words."""

    def check(name: str, value: object) -> str:
        if value not in words:
            raise UsageError(f"{name} is one of {', '.join(words)}, not {str(value)[:100]!r}")
        return str(value)

    return check


def task_check(name: str, value: object) -> int:
    """A check for the id of a task."""
    if not isinstance(value, str):
        raise UsageError(f"{name} is the id of a task, such as T12, not {str(value)[:100]!r}")
    return number_of(value)


def list_check(check: Callable[[str, object], object]) -> Callable[[str, object], list[object]]:
    """A check for a list, each value of it once."""

    def each(name: str, value: object) -> list[object]:
        values = value if isinstance(value, list) else [value]
        if len(values) > MOST_IN_A_LIST:
            raise _field_error(name, f"has {len(values):,} values, and {MOST_IN_A_LIST} are the most")
        return list(dict.fromkeys(check(name, one) for one in values))

    return each


def _safe_text(name: str, value: object, most: int) -> str:
    if not isinstance(value, str):
        raise _field_error(name, f"is text, not {type(value).__name__}")
    if len(value) > most:
        raise _field_error(name, f"has {len(value):,} characters, and {most:,} are the most")
    if found := _UNSAFE.search(value):
        better = _UNSAFE.sub("", value)
        raise _field_error(name, f"holds the control character U+{ord(found[0]):04X}", better)
    return value


def _field_error(name: str, why: str, better: str = "") -> RuleError:
    error = RuleError(f"{name} {why}; nothing was changed")
    return error.with_help(
        suggestion="long texts go to --description, or to an artifact: `spill artifacts put`",
        context={"field": name, **({"instead": better[:200]} if better else {})},
    )


FIELDS: Mapping[str, Callable[[str, object], object]] = {
    "title": line_check(500),
    "status": choice_check(*STATUSES),
    "priority": choice_check(*PRIORITIES),
    "type": choice_check(*TYPES),
    "parentId": task_check,
    "phase": line_check(100),
    "labels": list_check(line_check(100)),
    "depends": list_check(task_check),
    "description": text_check(100_000),
    "notes": list_check(text_check(20_000)),
    "acceptance": list_check(text_check(20_000)),
    "files": list_check(line_check(4_096)),
    "verification": text_check(100_000),
    "reason": text_check(20_000),
}
LISTS = ("notes", "acceptance", "files")  # kept in one column each
WRITTEN = ("title", "phase", "labels", "description", "verification", "reason", *LISTS)  # what people write


def checked_fields(fields: Mapping[str, object], redact: Redact = str) -> dict[str, object]:
    """The fields as they are kept: checked, and what people wrote without its secrets. None forgets a field."""
    kept: dict[str, object] = {}
    for name, value in fields.items():
        check = FIELDS.get(name)
        if check is None:
            raise RuleError(f"a task has no field {name[:100]!r}; it has {', '.join(FIELDS)}; nothing was changed")
        kept[name] = None if value is None else check(name, value)
        if name in WRITTEN:
            kept[name] = _redacted_value(kept[name], redact)
    return kept


def _redacted_value(value: object, redact: Redact) -> object:
    if isinstance(value, list):
        return [redact(str(one)) for one in value]
    return None if value is None else redact(str(value))


# What lists show of a task, and what is shown beside it when all is asked for. Short columns come first in the
# table, so that a list reads no description.
LISTED = f"""number, title, status, priority, type, parent, phase, created, completed, labels,
    (select group_concat('T' || needs, '{LIST}') from
        (select needs from dependencies where task = number order by needs) as needed),
    (select group_concat('T' || needs, '{LIST}') from
        (select needs from dependencies join tasks as other on other.number = needs
            where task = tasks.number and other.status not in ('done', 'cancelled') order by needs) as awaited),
    assignee"""
WHOLE = (
    f"{LISTED}, lease, begun, updated, maker, uid, description, acceptance, files, verification, reason, archived_at"
)


def list_record(row: tuple[object, ...]) -> dict[str, object]:
    """A row as a record; what is empty is left out."""
    number, title, status, priority, kind, parent, phase, created, completed, labels, depends, waits, who = row[:13]
    fields = {
        "id": f"T{number}",
        "title": title,
        "status": status,
        "priority": priority,
        "type": kind,
        "parentId": None if parent is None else f"T{parent}",
        "phase": phase,
        "labels": _column_list(labels),
        "depends": _column_list(depends),
        "blockedBy": _column_list(waits) if status == "blocked" else None,
        "createdAt": created,
        "completedAt": completed,
        "assignee": who,
    }
    return {name: value for name, value in fields.items() if value is not None}


def whole_record(row: tuple[object, ...], notes: list[Cell]) -> dict[str, object]:
    """A row as a record with everything that is known of a task."""
    lease, begun, updated, maker, uid, description, acceptance, files, verification, reason, archived = row[13:]
    more = {
        "claimedUntil": text_time(lease) if isinstance(lease, int) else None,
        "createdBy": maker or None,
        "updatedAt": text_time(updated) if isinstance(updated, int) and updated != begun else None,
        "reason": reason,
        "description": description,
        "notes": [note.value for note in notes] or None,
        "noted": [{"at": text_time(note.stamp), **({"by": note.who} if note.who else {})} for note in notes] or None,
        "acceptance": _column_list(acceptance),
        "files": _column_list(files),
        "verification": verification,
        "_archive": None if archived is None else {"archivedAt": archived},
        "uid": uid,
    }
    return {**list_record(row), **{name: value for name, value in more.items() if value is not None}}


def fit_record(record: dict[str, object], room: int) -> dict[str, object]:
    """A record within so many characters: the newest notes that fit, and of long texts their beginning."""
    short = dict(record)
    while len(_written(short)) > room and isinstance(notes := short.get("notes"), list) and len(notes) > 1:
        kept = len(notes) // 2
        for name in ("notes", "noted"):
            values = short[name]
            short[name] = values[-kept:] if isinstance(values, list) else values
        total = record["notes"]
        short["notesOmitted"] = (len(total) if isinstance(total, list) else 0) - kept
    width = room
    while len(_written(short)) > room and width > SHORTEST_TEXT:
        width //= 2
        short = {name: clipped_texts(value, width) for name, value in short.items()}
    return short


SHORTEST_TEXT = 32


def clipped_texts(value: object, width: int) -> object:
    """A value whose long texts are cut: the beginning of each, and how much of it there is besides.

    >>> clipped_texts(["abcdefgh", "abc"], 3)
    ['abc... (+5 chars)', 'abc']
    """
    if isinstance(value, list):
        return [clipped_texts(one, width) for one in value]
    if not isinstance(value, str) or len(value) <= width:
        return value
    return f"{value[:width]}... (+{len(value) - width:,} chars)"


def _written(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _column_list(column: object) -> list[str] | None:
    return str(column).split(LIST) if column else None


OPEN = "status not in ('done', 'cancelled')"


def check_exists(db: TaskConnection, number: int) -> None:
    """There is such a task."""
    if db.execute("select 1 from tasks where number = ?", (number,)).fetchone() is None:
        raise TaskNotFound(task_id_of(number))


def usual_type(db: TaskConnection, parent: int | None) -> str:
    """What a part of `parent` usually is: one size smaller."""
    if parent is None:
        return "task"
    place = TYPES.index(_task_type(db, parent)) + 1
    if place == len(TYPES):
        raise RuleError(f"{task_id_of(parent)} is a subtask, which has no parts; nothing was changed").with_help(
            f"spill update {task_id_of(parent)} --type task"
        )
    return TYPES[place]


def check_place(db: TaskConnection, number: int, *, force: bool = False) -> None:
    """A task is smaller than its parent and larger than its parts, and no closed task has an open part."""
    kind, parent, status = db.execute("select type, parent, status from tasks where number = ?", (number,)).fetchone()
    own = task_id_of(number)
    if kind == "subtask" and parent is None:
        raise RuleError(f"{own} is a subtask and needs a parent; nothing was changed").with_help(
            f"spill update {own} --type task", suggestion="name its parent with --parent, or make it a task"
        )
    if parent is not None:
        _check_smaller(db, parent, number)
        above = db.execute("select status from tasks where number = ?", (parent,)).fetchone()[0]
        if above in CLOSED and status not in CLOSED and not force:
            raise RuleError(
                f"{task_id_of(parent)} is {above}, and {own} would be an open part of it; nothing was changed"
            ).with_help(f"spill update {task_id_of(parent)} --status pending")
    for (part,) in db.execute("select number from tasks where parent = ?", (number,)).fetchall():
        _check_smaller(db, number, part)
    if status in CLOSED and not force:
        check_nothing_open(db, number)


def check_nothing_open(db: TaskConnection, number: int) -> None:
    """A task has no open part."""
    parts = db.execute(f"select number from tasks where parent = ? and {OPEN} order by number", (number,))
    if found := [task_id_of(part) for (part,) in parts]:
        own = task_id_of(number)
        raise RuleError(f"{own} has open parts: {short_id_list(found)}; nothing was changed").with_help(
            f"spill list --parent {own}",
            alternatives=[{"action": "close it all the same", "command": f"spill done {own} --force"}],
            context={"open": found[:20]},
        )


def check_ready(db: TaskConnection, number: int, word: str = "done") -> None:
    """A task waits for nothing."""
    sql = f"select needs from dependencies join tasks on number = needs where task = ? and {OPEN} order by needs"
    if found := [task_id_of(needs) for (needs,) in db.execute(sql, (number,))]:
        own = task_id_of(number)
        forced = [{"action": "it is done all the same", "command": f"spill done {own} --force"}]
        raise RuleError(f"{own} is blocked by {short_id_list(found)}; nothing was changed").with_help(
            f"spill show {found[0]}", alternatives=forced if word == "done" else (), context={"blockedBy": found[:20]}
        )


def check_no_circle(db: TaskConnection, number: int) -> None:
    """A task does not need itself, in however many steps."""
    if circle := find_circle(db, number):
        raise _circle_error(circle)


def find_circle(db: TaskConnection, number: int) -> list[int]:
    """The way on which a task needs itself, from it to it; nothing, if there is none."""
    before: dict[int, int] = {}
    waiting = deque([number])
    while waiting:
        at = waiting.popleft()
        for (needed,) in db.execute(_NEEDED, (at, at)):
            if needed == number:
                way = [at]
                while way[-1] in before:
                    way.append(before[way[-1]])
                return [*reversed(way), number]
            if needed not in before:
                before[needed] = at
                waiting.append(needed)
    return []


def short_id_list(ids: list[str]) -> str:
    """Ids for a sentence.

    >>> short_id_list(["T1", "T2", "T3", "T4", "T5", "T6", "T7"])
    'T1, T2, T3, T4, T5 and 2 more'
    """
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")  # noqa: PLR2004  # enough to see


def _check_smaller(db: TaskConnection, parent: int, part: int) -> None:
    above, below = _task_type(db, parent), _task_type(db, part)
    if TYPES.index(below) <= TYPES.index(above):
        raise RuleError(
            f"{task_id_of(part)} is {_a(below)} and cannot be a part of {task_id_of(parent)}, {_a(above)}; "
            "nothing was changed"
        ).with_help("spill update --help", suggestion="an epic holds tasks and subtasks, a task holds subtasks")


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "epic" else f"a {kind}"


def _task_type(db: TaskConnection, number: int) -> str:
    check_exists(db, number)
    return str(db.execute("select type from tasks where number = ?", (number,)).fetchone()[0])


def _circle_error(circle: list[int]) -> RuleError:
    names = [task_id_of(step) for step in circle]
    said = " needs ".join(names if len(names) <= 8 else [*names[:4], "...", *names[-3:]])  # noqa: PLR2004  # a line
    return RuleError(f"this would be a circle: {said}; nothing was changed").with_help(
        f"spill show {names[-2]}", suggestion="leave out one of these dependencies", context={"circle": names[:50]}
    )


_NEEDED = "select needs from dependencies where task = ? union all select number from tasks where parent = ?"
