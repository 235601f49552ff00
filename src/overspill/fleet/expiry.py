"""Which sessions of a bucket are over, by the bucket's own clock, and what dead writers left there.

A session is over when it was ended and its grace has passed, or when nobody wrote to it or used it for as long as
sessions live unused. Times are those at which the bucket says its objects were written: clocks of machines may differ.
"""

from __future__ import annotations

import json

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.fleet import KEPT, MARKER, PARTS, SessionKeys
from overspill.store import Cleared, is_id
from overspill.store.sessions import is_session_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from overspill.fleet.bucket import Bucket, Entry
    from overspill.store.quota import Limits

MAX_MARK_BYTES = 1 << 12
ORPHAN_SECONDS = 24 * 3600.0  # after which parts without an artifact are a dead writer's

Sessions = dict[str, list["Entry"]]


class SessionMark(NamedTuple):
    """What a session says of itself in the bucket."""

    ended: bool = False
    keep: float = 0.0  # seconds after its end
    ttl: float = 0.0  # seconds after it was last used


def sweep_tenant(
    bucket: Bucket, keys: SessionKeys, limits: Limits, *, orphans_after: float = ORPHAN_SECONDS
) -> Cleared:
    """Remove the sessions of a tenant that are over, and parts whose writer died."""
    bucket.replace(keys.swept, b"")
    now = bucket.entry(keys.swept)
    if now is None:
        return Cleared(0, 0)
    removed = size = 0
    for session_id, entries in tenant_sessions(bucket, keys).items():
        its = SessionKeys(keys.tenant, session_id)
        if is_over(bucket, its, entries, now.modified, limits):
            # Only what was looked at: whoever takes the session up again in this moment loses nothing new.
            seen = frozenset(entry.name for entry in entries if is_artifact_key(entry.key))
            if bucket_is_unchanged(bucket, its, entries):
                gone = remove_session(bucket, its, seen)
                removed, size = removed + len(gone), size + sum(gone.values())
        else:
            bucket.remove([entry.key for entry in dead_parts(entries, now.modified, orphans_after)])
    return Cleared(removed, size)


def tenant_sessions(bucket: Bucket, keys: SessionKeys) -> Sessions:
    """The objects of every session of a tenant."""
    found: Sessions = {}
    skipped = keys.of_tenant.count("/") + 1
    for entry in bucket.entries(keys.of_tenant):
        session_id = entry.key.split("/")[skipped]
        if is_session_id(session_id):
            found.setdefault(session_id, []).append(entry)
    return found


def is_over(bucket: Bucket, keys: SessionKeys, entries: Iterable[Entry], now: float, limits: Limits) -> bool:
    """Whether a session has had its time."""
    others = [entry.modified for entry in entries if entry.name != MARKER]
    marked = [entry.modified for entry in entries if entry.key == keys.marker]
    last = max([*others, *marked], default=now)
    if now - last <= min(limits.ttl, limits.keep_ended):
        return False  # too young by any rule of ours, and no mark can make it older
    mark = read_mark(bucket, keys) if marked else SessionMark()
    if mark.ended and marked[0] >= max(others, default=0.0):
        return now - marked[0] > max(mark.keep, limits.keep_ended)
    return now - last > max(mark.ttl, limits.ttl)


def read_mark(bucket: Bucket, keys: SessionKeys) -> SessionMark:
    """What a session says of itself; nothing, if that cannot be read."""
    found = bucket.fetch(keys.marker, 0, MAX_MARK_BYTES)
    with suppress(ValueError, TypeError, AttributeError):
        fields = json.loads(found.content) if found is not None else {}
        fields.pop("v", 1)
        mark = SessionMark(**fields)
        if isinstance(mark.ended, bool) and mark.keep >= 0 <= mark.ttl:
            return mark
    return SessionMark()


def bucket_is_unchanged(bucket: Bucket, keys: SessionKeys, entries: Iterable[Entry]) -> bool:
    """Whether a session is still as it was when it was looked at: nobody has used it since."""
    before = {entry.key: entry.modified for entry in entries}
    return {entry.key: entry.modified for entry in bucket.entries(keys.of_session)} == before


def dead_parts(entries: Iterable[Entry], now: float, after: float) -> list[Entry]:
    """Parts that have no artifact, and to which nothing was added for so long."""
    artifacts = {entry.name for entry in entries if is_artifact_key(entry.key)}
    by_folder: dict[str, list[Entry]] = {}
    for entry in entries:
        steps = entry.key.split("/")
        if len(steps) > 2 and steps[-3] == PARTS and steps[-2].partition(".")[0] not in artifacts:  # noqa: PLR2004
            by_folder.setdefault(steps[-2], []).append(entry)
    return [
        entry for parts in by_folder.values() if now - max(part.modified for part in parts) >= after for entry in parts
    ]


def is_artifact_key(key: str) -> bool:
    """Whether an object is an artifact, and not a part or a mark of one: by its place.

    >>> is_artifact_key("v1/t/ses_abcdefghijklmnopqrstuvwxyz/art_1_a"), is_artifact_key("v1/t/swept")
    (True, False)
    """
    parts = key.split("/")
    return len(parts) > 1 and is_id(parts[-1]) and is_session_id(parts[-2])


def remove_session(bucket: Bucket, keys: SessionKeys, only: frozenset[str] | None = None) -> dict[str, int]:
    """Remove a session from a bucket, but what is pinned; with `only`, of its artifacts those that were looked at."""
    entries = list(bucket.entries(keys.of_session))
    pinned = {entry.name for entry in entries if entry.key.split("/")[-2] == KEPT}
    gone = {
        entry.name: entry
        for entry in entries
        if is_artifact_key(entry.key) and entry.name not in pinned and (only is None or entry.name in only)
    }
    others = [entry for entry in entries if not is_artifact_key(entry.key) and not _belongs_to(entry, pinned)]
    if only is not None:
        others = [entry for entry in others if entry.name == MARKER or _artifact_of(entry) in only]
    # Artifacts first: what has no artifact is read by nobody.
    bucket.remove([entry.key for entry in gone.values()])
    bucket.remove([entry.key for entry in others])
    sizes = {name: entry.size for name, entry in gone.items()}
    for entry in others:
        if _artifact_of(entry) in sizes:
            sizes[_artifact_of(entry)] += entry.size
    return sizes


def _artifact_of(entry: Entry) -> str:
    """Whose part an object is; nothing where it is none."""
    parts = entry.key.split("/")
    return parts[-2].partition(".")[0] if len(parts) > 2 and parts[-3] == PARTS else ""  # noqa: PLR2004


def _belongs_to(entry: Entry, pinned: set[str]) -> bool:
    """Whether an object is the pin or a part of a pinned artifact."""
    return entry.name in pinned or _artifact_of(entry) in pinned
