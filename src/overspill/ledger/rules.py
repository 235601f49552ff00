"""What has to hold of tasks.

A part is smaller than what it is a part of: an epic holds tasks and subtasks, a task holds subtasks, and a
subtask is a part of something. A task needs its dependencies and its parts, and never, in however many steps,
itself. A closed task has no open part. A task with an open dependency is blocked.
"""

import sqlite3
from collections import deque

from overspill.errors import RuleError, TaskNotFound
from overspill.ledger.fields import CLOSED, TYPES, task_id_of

OPEN = "status not in ('done', 'cancelled')"


def check_exists(db: sqlite3.Connection, number: int) -> None:
    """There is such a task."""
    if db.execute("select 1 from tasks where number = ?", (number,)).fetchone() is None:
        raise TaskNotFound(task_id_of(number))


def usual_type(db: sqlite3.Connection, parent: int | None) -> str:
    """What a part of `parent` usually is: one size smaller."""
    if parent is None:
        return "task"
    place = TYPES.index(_task_type(db, parent)) + 1
    if place == len(TYPES):
        raise RuleError(f"{task_id_of(parent)} is a subtask, which has no parts; nothing was changed").helped(
            f"spill update {task_id_of(parent)} --type task"
        )
    return TYPES[place]


def check_place(db: sqlite3.Connection, number: int, *, force: bool = False) -> None:
    """A task is smaller than its parent and larger than its parts, and no closed task has an open part."""
    kind, parent, status = db.execute("select type, parent, status from tasks where number = ?", (number,)).fetchone()
    own = task_id_of(number)
    if kind == "subtask" and parent is None:
        raise RuleError(f"{own} is a subtask and needs a parent; nothing was changed").helped(
            f"spill update {own} --type task", suggestion="name its parent with --parent, or make it a task"
        )
    if parent is not None:
        _check_smaller(db, parent, number)
        above = db.execute("select status from tasks where number = ?", (parent,)).fetchone()[0]
        if above in CLOSED and status not in CLOSED and not force:
            raise RuleError(
                f"{task_id_of(parent)} is {above}, and {own} would be an open part of it; nothing was changed"
            ).helped(f"spill update {task_id_of(parent)} --status pending")
    for (part,) in db.execute("select number from tasks where parent = ?", (number,)).fetchall():
        _check_smaller(db, number, part)
    if status in CLOSED and not force:
        check_nothing_open(db, number)


def check_nothing_open(db: sqlite3.Connection, number: int) -> None:
    """A task has no open part."""
    parts = db.execute(f"select number from tasks where parent = ? and {OPEN} order by number", (number,))
    if found := [task_id_of(part) for (part,) in parts]:
        own = task_id_of(number)
        raise RuleError(f"{own} has open parts: {short_id_list(found)}; nothing was changed").helped(
            f"spill list --parent {own}",
            alternatives=[{"action": "close it all the same", "command": f"spill done {own} --force"}],
            context={"open": found[:20]},
        )


def check_ready(db: sqlite3.Connection, number: int) -> None:
    """A task waits for nothing."""
    sql = f"select needs from dependencies join tasks on number = needs where task = ? and {OPEN} order by needs"
    if found := [task_id_of(needs) for (needs,) in db.execute(sql, (number,))]:
        own = task_id_of(number)
        raise RuleError(f"{own} is blocked by {short_id_list(found)}; nothing was changed").helped(
            f"spill show {found[0]}",
            alternatives=[{"action": "it is done all the same", "command": f"spill done {own} --force"}],
            context={"blockedBy": found[:20]},
        )


def check_no_circle(db: sqlite3.Connection, number: int) -> None:
    """A task does not need itself, in however many steps."""
    before: dict[int, int] = {}
    waiting = deque([number])
    while waiting:
        at = waiting.popleft()
        for (needed,) in db.execute(_NEEDED, (at, at)):
            if needed == number:
                raise _circle_error(before, number, at)
            if needed not in before:
                before[needed] = at
                waiting.append(needed)


def settle(db: sqlite3.Connection, number: int) -> None:
    """Say anew which of a task and those that depend on it are blocked."""
    db.execute(f"{_SETTLED} number = ?", (number,))
    db.execute(f"{_SETTLED} number in (select task from dependencies where needs = ?)", (number,))


def short_id_list(ids: list[str]) -> str:
    """Ids for a sentence.

    >>> short_id_list(["T1", "T2", "T3", "T4", "T5", "T6", "T7"])
    'T1, T2, T3, T4, T5 and 2 more'
    """
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")  # noqa: PLR2004  # enough to see


def _check_smaller(db: sqlite3.Connection, parent: int, part: int) -> None:
    above, below = _task_type(db, parent), _task_type(db, part)
    if TYPES.index(below) <= TYPES.index(above):
        raise RuleError(
            f"{task_id_of(part)} is {_a(below)} and cannot be a part of {task_id_of(parent)}, {_a(above)}; "
            "nothing was changed"
        ).helped("spill update --help", suggestion="an epic holds tasks and subtasks, a task holds subtasks")


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "epic" else f"a {kind}"


def _task_type(db: sqlite3.Connection, number: int) -> str:
    check_exists(db, number)
    return str(db.execute("select type from tasks where number = ?", (number,)).fetchone()[0])


def _circle_error(before: dict[int, int], number: int, last: int) -> RuleError:
    way = [last]
    while way[-1] in before:
        way.append(before[way[-1]])
    names = [task_id_of(step) for step in [*reversed(way), number]]
    said = " needs ".join(names if len(names) <= 8 else [*names[:4], "...", *names[-3:]])  # noqa: PLR2004  # a line
    return RuleError(f"this would be a circle: {said}; nothing was changed").helped(
        f"spill show {names[-2]}", suggestion="leave out one of these dependencies", context={"circle": names[:50]}
    )


_NEEDED = "select needs from dependencies where task = ? union all select number from tasks where parent = ?"
_SETTLED = """
    update tasks set status = case
        when said in ('pending', 'active') and exists (
            select 1 from dependencies join tasks as other on other.number = needs
            where task = tasks.number and other.status not in ('done', 'cancelled')
        ) then 'blocked' else said end
    where"""
