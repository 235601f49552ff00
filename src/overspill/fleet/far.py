"""The artifacts of a tenant that lie in a bucket, as one session sees them.

A named session sees its own. The root's own session, and a server that was given none, see all of the tenant's: a pod
that comes after another one reads what that has kept. What belongs to another tenant is looked up nowhere.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, in_json, suppress
from overspill.errors import BucketError, OverspillError, reason_of
from overspill.fleet import PARTS, SessionKeys, bucket_session
from overspill.fleet.expiry import SessionMark, is_artifact_key, remove_session, sweep_tenant
from overspill.fleet.objects import open_remote, write_artifact
from overspill.store import Cleared, is_id
from overspill.store.sessions import FarDetails

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from overspill.core.report import Artifact
    from overspill.database.quota import TenantQuota
    from overspill.fleet.bucket import Bucket, Entry
    from overspill.fleet.objects import RemoteReader, Seal
    from overspill.store.quota import Limits
    from overspill.store.records import ArtifactRecord
    from overspill.store.sessions import Session

AT_ONCE = 16  # records that are fetched at the same time
MOST_LISTED = 200_000  # objects of a tenant that are looked at for one list


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
