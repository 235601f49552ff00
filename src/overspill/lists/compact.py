"""Records made short for a list: the fields that help to choose, without those that are null or not there.

Whoever wants the rest asks for one record by its id.

>>> compact_task({"id": "T1", "title": "Log in", "phase": None, "labels": [], "description": "Long."})
{'id': 'T1', 'title': 'Log in', 'labels': []}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from overspill.core.field_path import EVERY, FieldPath, Step
from overspill.errors import UsageError

Record = Mapping[str, object]
Projection = Callable[[Record], dict[str, object]]

TASK = tuple("id title status priority type parentId phase labels depends blockedBy createdAt completedAt".split())  # noqa: SIM905
SESSION = ("id", "name", "status", "scope", "focus.currentTask", "startedAt", "endedAt")

Tree = dict[Step, "Tree | None"]  # what is kept below each step; None: all of it
_MISSING = object()


def compact_record(record: Record, fields: Iterable[str]) -> dict[str, object]:
    """Only these fields of a record, in this order, without those that are missing or null.

    `a.b.c` keeps that member of the objects on its way, `a[*].b` one of every element of a list. What is not there
    is not there afterwards, either; a null inside an object stays.

    >>> compact_record({"id": 1, "owner": {"name": "jo", "mail": "jo@x"}, "tags": None}, ["id", "owner.name", "tags"])
    {'id': 1, 'owner': {'name': 'jo'}}
    >>> compact_record({"a": [{"b": {"c": 1, "d": 2}}, {"b": {}}]}, ["a[*].b.c", "x.y"])
    {'a': [{'b': {'c': 1}}, {}]}
    """
    paths = _paths(tuple(fields))
    # A record may have a member whose name looks like a path: then that one is meant.
    steps = tuple((path.text,) if path.text in record else path.steps for path in paths)
    kept = _kept_part(record, _tree(steps))
    return {name: value for name, value in kept.items() if value is not None} if isinstance(kept, dict) else {}


@lru_cache(64)
def _paths(fields: tuple[str, ...]) -> tuple[FieldPath, ...]:
    return tuple(FieldPath.parse(field) for field in fields)


@lru_cache(64)
def _tree(paths: tuple[tuple[Step, ...], ...]) -> Tree:
    """All paths as one tree, so that `a.b` and `a.c` make one object."""
    tree: Tree = {}
    for path in paths:
        below: Tree | None = tree
        for step in path[:-1]:
            below = below.setdefault(step, {}) if below is not None else None
        if below is not None:
            below[path[-1]] = None
    return tree


def _kept_part(value: object, tree: Tree | None) -> object:
    """What a tree leaves of a value, or `_MISSING`."""
    if tree is None:
        return value
    if isinstance(value, Mapping):
        named = {step: _kept_part(value[step], below) for step, below in tree.items() if step in value}
        return {step: part for step, part in named.items() if part is not _MISSING} or _MISSING
    if not isinstance(value, list | tuple):
        return _MISSING
    if EVERY in tree:  # one each, so that the third stays the third
        parts = [_kept_part(one, tree[EVERY]) for one in value]
        return [{} if part is _MISSING else part for part in parts]
    return _chosen_elements(value, tree) or _MISSING


def _chosen_elements(values: Sequence[object], tree: Tree) -> list[object]:
    places = [(step, below) for step, below in tree.items() if isinstance(step, int) and step < len(values)]
    parts = [_kept_part(values[step], below) for step, below in places]
    return [part for part in parts if part is not _MISSING]


def compact_task(record: Record) -> dict[str, object]:
    """A task as lists show it."""
    return compact_record(record, TASK)


def compact_session(record: Record) -> dict[str, object]:
    """A session as lists show it: of its focus, the current task, also if there is none.

    >>> compact_session({"id": "ses_1", "focus": {"currentTask": "T7", "since": "noon"}, "notes": ["..."]})
    {'id': 'ses_1', 'focus': {'currentTask': 'T7'}}
    """
    focus = record.get("focus")
    if isinstance(focus, Mapping):
        record = {**record, "focus": {"currentTask": None, **focus}}
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
    fields = tuple(field.strip() for field in words.split(","))
    if not all(path.steps for path in _paths(fields)):
        raise UsageError(f"not a list of fields: {words[:100]!r}; give task, session, or names: id,title,owner.name")
    return lambda record: compact_record(record, fields)
