"""Records made short for a list: the fields that help to choose, without those that are null.

Whoever wants the rest asks for one record by its id.

>>> compact_task({"id": "T1", "title": "Log in", "phase": None, "labels": [], "description": "Long."})
{'id': 'T1', 'title': 'Log in', 'labels': []}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from overspill.errors import UsageError

Record = Mapping[str, object]
Projection = Callable[[Record], dict[str, object]]

TASK = tuple("id title status priority type parentId phase labels depends blockedBy createdAt completedAt".split())  # noqa: SIM905
SESSION = ("id", "name", "status", "scope", "focus.currentTask", "startedAt", "endedAt")


def compact_record(record: Record, fields: Iterable[str]) -> dict[str, object]:
    """Only these fields of a record, in this order, without those that are missing or null.

    `a.b` keeps the member `b` of the object `a`, and keeps it even if it is null: the object was there.

    >>> compact_record({"id": 1, "owner": {"name": "jo", "mail": "jo@x"}, "tags": None}, ["id", "owner.name", "tags"])
    {'id': 1, 'owner': {'name': 'jo'}}
    """
    kept: dict[str, object] = {}
    for field in fields:
        name, dot, member = field.partition(".")
        value = record.get(field) if field in record else record.get(name)
        if dot and field not in record:
            if isinstance(value, Mapping):
                inner = kept.setdefault(name, {})
                assert isinstance(inner, dict)  # noqa: S101  # a name is either whole or by its members
                inner[member] = value.get(member)
        elif value is not None:
            kept[field] = value
    return kept


def compact_task(record: Record) -> dict[str, object]:
    """A task as lists show it."""
    return compact_record(record, TASK)


def compact_session(record: Record) -> dict[str, object]:
    """A session as lists show it: of its focus, the current task.

    >>> compact_session({"id": "ses_1", "focus": {"currentTask": "T7", "since": "noon"}, "notes": ["..."]})
    {'id': 'ses_1', 'focus': {'currentTask': 'T7'}}
    """
    return compact_record(record, SESSION)


def projection(words: str) -> Projection:
    """The projection that is meant by `task`, `session` or a list of fields.

    >>> projection("id,name")({"id": 7, "name": "jo", "mail": "jo@x"})
    {'id': 7, 'name': 'jo'}
    """
    if words == "task":
        return compact_task
    if words == "session":
        return compact_session
    fields = [field.strip() for field in words.split(",")]
    if not all(fields):
        raise UsageError(f"not a list of fields: {words[:100]!r}; give task, session, or names: id,title,owner.name")
    return lambda record: compact_record(record, fields)
