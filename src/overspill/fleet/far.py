"""The artifacts of a tenant that lie in a bucket, as one session sees them; and which sessions are over.

A named session sees its own. The root's own session, and a server that was given none, see all of the tenant's: a pod
that comes after another one reads what that has kept. What belongs to another tenant is looked up nowhere.

A session is over when it was ended and its grace has passed, or when nobody wrote to it or used it for as long as
sessions live unused. Times are those at which the bucket says its objects were written: clocks of machines may differ.
What dead writers left there goes, too.
"""

from __future__ import annotations

import json

from overspill._lite import TYPE_CHECKING, NamedTuple, in_json, suppress
from overspill.errors import BucketError, OverspillError, reason_of
from overspill.fleet import KEPT, MARKER, PARTS, SessionKeys, bucket_session
from overspill.fleet.objects import open_remote, write_artifact
from overspill.store import Cleared, is_id
from overspill.store.sessions import FarDetails, is_session_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from overspill.core.report import Artifact
    from overspill.database import TenantQuota
    from overspill.fleet import Bucket, Entry
    from overspill.fleet.objects import RemoteReader, Seal
    from overspill.store.quota import Limits
    from overspill.store.records import ArtifactRecord
    from overspill.store.sessions import Session


MAX_MARK_BYTES = 1 << 12
ORPHAN_SECONDS = 24 * 3600.0  # after which parts without an artifact are a dead writer's

Sessions = dict[str, list["Entry"]]

AT_ONCE = 16  # records that are fetched at the same time
MOST_LISTED = 200_000  # objects of a tenant that are looked at for one list


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


class FarArtifact(NamedTuple):
    """An artifact in the bucket, as a list of objects shows it."""

    id: str
    session: str
    size: int  # of its object
    modified: float


class FarSide:
    """What one session may do with the artifacts of its tenant in a bucket."""

    def __init__(
        self,
        bucket: Bucket,
        seal: Seal,
        tenant: str,
        root: str,
        session: Callable[[], Session],
        limits: Limits,
        quota: TenantQuota | None = None,
    ) -> None:
        self.quota = quota
        self.bucket = bucket
        self.seal = seal
        self.tenant = tenant
        self.limits = limits
        self._root = root
        self._session = session

    @property
    def keys(self) -> SessionKeys:
        """The names that this session has."""
        return self.keys_of(self._session())

    def keys_of(self, session: Session) -> SessionKeys:
        """The names that a session has."""
        return SessionKeys(self.tenant, bucket_session(session, self._root))

    def address(self, artifact_id: str, session_id: str) -> str:
        """Where an artifact lies, for people."""
        return f"{self.bucket.address}/{SessionKeys(self.tenant, session_id).artifact(artifact_id)}"

    def send(
        self,
        keys: SessionKeys,
        record: ArtifactRecord,
        index: bytes,
        read: Callable[[int, int], bytes],
        until: float | None = None,
    ) -> None:
        """Have an artifact of a session in the bucket, too, if there is room; `TooSlow` where that takes too long."""
        if self.quota is not None:
            self._reserve(self.quota, keys, record)
        write_artifact(self.bucket, keys, self.seal, record, index, read, until)

    def _reserve(self, quota: TenantQuota, keys: SessionKeys, record: ArtifactRecord) -> None:
        try:
            has_room = quota.reserve(keys.session, record.artifact.id, record.stored)
        except OverspillError as error:
            raise BucketError(self.bucket.address, f"room could not be reserved: {reason_of(error)}") from None
        if not has_room:
            why = f"tenant {self.tenant} has used up its quota of {quota.limit:,} bytes"
            raise BucketError(self.bucket.address, why)

    def _give_back(self, session_id: str, artifact_ids: Iterable[str]) -> None:
        if self.quota is not None:
            with suppress(OverspillError):  # what stays noted is given back by a later sweep
                self.quota.release(session_id, artifact_ids)

    def open(self, artifact_id: str) -> RemoteReader | None:
        """An artifact that may be read from here; None where there is none of that id."""
        found = open_remote(self.bucket, self.keys, self.seal, artifact_id)
        if found is not None or not self._session().roams:
            return found
        session_id = next((one.session for one in self.artifacts() if one.id == artifact_id), None)
        if session_id is None:
            return None
        return open_remote(self.bucket, SessionKeys(self.tenant, session_id), self.seal, artifact_id)

    def artifacts(self) -> list[FarArtifact]:
        """All that may be read from here, in no order."""
        if not self._session().roams:
            listed, _ = self.bucket.directory(self.keys.of_session)
            return [_far_artifact(entry) for entry in listed if is_id(entry.name)]
        found = []
        for number, entry in enumerate(self.bucket.entries(self.keys.of_tenant)):
            if number >= MOST_LISTED:
                raise BucketError(self.bucket.address, f"more than {MOST_LISTED:,} objects; name a session to list it")
            if is_artifact_key(entry.key):
                found.append(_far_artifact(entry))
        return found

    def records(self, wanted: Iterable[FarArtifact]) -> Iterator[Artifact | None]:
        """What is known of each of some artifacts; None for one that is gone or cannot be served."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(self._record, wanted)

    def _record(self, one: FarArtifact) -> Artifact | None:
        try:
            found = open_remote(self.bucket, SessionKeys(self.tenant, one.session), self.seal, one.id)
        except BucketError:
            raise
        except OverspillError:
            return None
        return None if found is None else found.artifact

    def delete(self, artifact_id: str) -> bool:
        """Remove an artifact that may be read from here; whether there was one."""
        found = self.open(artifact_id)
        if found is not None:
            self.remove(found.keys, artifact_id)
        return found is not None

    def remove(self, keys: SessionKeys, artifact_id: str) -> None:
        """Remove an artifact of a session, and all that belongs to it."""
        # The artifact first: what has no artifact is read by nobody.
        self.bucket.remove([keys.artifact(artifact_id)])
        beside = [entry.key for entry in self.bucket.entries(f"{keys.of_session}/{PARTS}")]
        self.bucket.remove([key for key in beside if key.split("/")[-2].partition(".")[0] == artifact_id])
        self.bucket.remove([keys.pin(artifact_id)])
        self._give_back(keys.session, [artifact_id])

    def clear(self, here: set[str]) -> Cleared:
        """Remove the artifacts of this session but pinned ones, and say how many were not `here`, and how long."""
        beyond = [one for one in self.artifacts() if one.session == self.keys.session and one.id not in here]
        sizes = {one.id: one.size.bytes for one in self.records(beyond) if one is not None}
        gone = remove_session(self.bucket, self.keys)
        self._give_back(self.keys.session, gone)
        return Cleared(sum(name not in here for name in gone), sum(sizes[name] for name in sizes if name in gone))

    def pin(self, artifact_id: str) -> bool:
        """Let an artifact of the bucket outlast its session's end; whether there was one."""
        found = self.open(artifact_id)
        if found is not None:
            self.bucket.replace(found.keys.pin(artifact_id), b"")
        return found is not None

    def find(self, artifact_id: str) -> FarDetails | None:
        """An artifact that may be read from here, and where it lies."""
        found = self.open(artifact_id)
        if found is None:
            return None
        pinned = self.bucket.entry(found.keys.pin(artifact_id)) is not None
        return FarDetails(found.record, found.keys.session, self.address(artifact_id, found.keys.session), pinned)

    def touch(self) -> None:
        """Say that this session is in use."""
        self._mark(self.keys, SessionMark(ended=False, keep=self.limits.keep_ended, ttl=self.limits.ttl))

    def end(self, session: Session, *, at_once: bool) -> None:
        """A session is over: what it has kept goes, now or after its time."""
        keys = self.keys_of(session)
        if at_once:
            self._give_back(keys.session, remove_session(self.bucket, keys))
            return
        self._mark(keys, SessionMark(ended=True, keep=self.limits.keep_ended, ttl=self.limits.ttl))

    def sweep(self) -> Cleared:
        """Remove what nobody in this tenant needs any more."""
        swept = sweep_tenant(self.bucket, self.keys, self.limits)
        if self.quota is not None:
            self.quota.settle(
                entry.name for entry in self.bucket.entries(self.keys.of_tenant) if is_artifact_key(entry.key)
            )
        return swept

    def _mark(self, keys: SessionKeys, mark: SessionMark) -> None:
        self.bucket.replace(keys.marker, in_json({"v": 1, **mark._asdict()}).encode() + b"\n")


def _far_artifact(entry: Entry) -> FarArtifact:
    return FarArtifact(entry.name, entry.key.split("/")[-2], entry.size, entry.modified)
