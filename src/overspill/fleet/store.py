"""The store of files, which hands on what it keeps to a bucket, and reads from there what is not here.

Every artifact is kept here first. `strict` has it in the bucket before anything is shown of it; `lazy` sends it
beside, and a later process goes on with what is left. What is in the bucket has a file `.sent` beside its record; so
whatever happens, what has none is owed. A bucket that does not answer is left alone for a while: what is made then is
kept here, within the limits there are here, and said to be.
"""

from __future__ import annotations

import os
import time
from functools import partial
from threading import Condition, Thread
from weakref import finalize

from overspill._lite import TYPE_CHECKING, suppress
from overspill.errors import (
    AmbiguousId,
    ArtifactDamaged,
    ArtifactNotFound,
    BucketError,
    OverspillError,
    StoreError,
    UsageError,
)
from overspill.files import StorePlace, create_file, is_there, names_in, read_at, read_small, remove_file
from overspill.fleet import Bucket, load_library
from overspill.fleet.far import FarArtifact, FarSide
from overspill.fleet.objects import NearReader, TooSlow, seal_of
from overspill.settings.files import tenant_of
from overspill.store import Cleared, full_id, removal, sessions
from overspill.store.files import FileStore, content_age
from overspill.store.reader import Reader, artifact_record
from overspill.store.sessions import SessionDir, contents, open_session_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from overspill.core import Size
    from overspill.core.report import Artifact
    from overspill.database import TenantQuota
    from overspill.fleet import SessionKeys
    from overspill.fleet.objects import RemoteReader, Seal
    from overspill.store import Artifacts, Label
    from overspill.store.files import Names, Places
    from overspill.store.sessions import Session
    from overspill.store.writer import Draft

DOWN_FILE = "bucket.down"  # why and until when the bucket is left alone
USED_FILE = "bucket.used"  # when the bucket was last told that the session is in use
LOOKED_FILE = "bucket.looked"  # when somebody last looked for what killed processes left
LOOK_EVERY = 600.0
TOUCHES = 4  # in the time that a session may live unused
LEFT_ALONE = 30.0  # seconds, after a failure
CATCH_UP = 8  # artifacts that a command sends beside its own, once the bucket is there again
LINGER = 10.0  # seconds that a process waits at its end for what is on its way
IN_THE_BUCKET = StorePlace("/", "bucket")  # stands in a list for what is not here
ON_ITS_WAY = "on its way to the bucket"


class FleetStore(FileStore):
    """Artifacts of one session in files and in a bucket. Safe to share between threads and processes."""

    def __init__(
        self,
        *place: Any,  # noqa: ANN401  # as the store of files takes them
        bucket: Bucket,
        seal: Seal,
        tenant: str,
        quota: TenantQuota | None = None,
        lazy: bool = False,
        say: Callable[[str], None] | None = None,
        **options: Any,  # noqa: ANN401  # as the store of files takes them
    ) -> None:
        super().__init__(*place, lazy=True, **options)
        self.far: FarSide = FarSide(bucket, seal, tenant, self.place.root, lambda: self.session, self.limits, quota)
        self.strict = not lazy
        self._say = say
        self._said: set[str] = set()
        self._why: dict[str, str] = {}  # of what is kept here only
        self._uploads: Uploads | None = None
        self._gone_on = False
        self._unsynced: Names = []  # what the disk was not waited for

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        return self._hand_on(super().put(text, size, label))

    def _publish(self, draft: Draft) -> Artifact:
        return self._hand_on(super()._publish(draft))

    def artifact(self, artifact_id: str) -> Reader:
        artifact_id = self._whole_id(artifact_id)
        try:
            with self.find_record(artifact_id) as (_, room, record):
                return NearReader(room, record, partial(self._open_whole, artifact_id))
        except AmbiguousId:
            raise
        except (ArtifactNotFound, ArtifactDamaged) as error:
            found = self.far.open(artifact_id)
            if found is None:
                raise error from None
            self._touch()
            return found

    def info(self, artifact_id: str) -> Artifact:
        with self.artifact(artifact_id) as opened:
            return opened.artifact

    def ids(self) -> Names:
        """The ids of all that can be read from here, wherever it lies."""
        return list({*super().ids(), *(one.id for one in self._far_artifacts())})

    def near_ids(self) -> Names:
        """The ids of what is here: what a view can be told apart by without asking the bucket."""
        return super().ids()

    def delete(self, artifact_id: str) -> None:
        artifact_id = self._whole_id(artifact_id)
        self._call_off({artifact_id})
        # The bucket first: if that fails, nothing was removed, and the next try finds all of it.
        there = self.far.delete(artifact_id)
        try:
            super().delete(artifact_id)
        except (ArtifactNotFound, UsageError):
            if not there:
                raise
            self.tell("delete", {"artifact_id": artifact_id, "reason": "asked for"})

    def clear(self) -> Cleared:
        here = {removal.artifact_id_of(name) for name in self._names_here()}
        self._call_off(here)
        # The bucket first: if that fails, nothing was removed, and the next try finds all of it.
        beyond = self.far.clear(here)
        return removal.sum_cleared(super().clear(), beyond)

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until everything is durable and in the bucket; whether it is."""
        self._sync()
        done = super().flush(seconds)
        return done and (self._uploads is None or self._uploads.wait(seconds))

    def close(self) -> None:
        if self._uploads is not None:
            self._uploads.close(LINGER)
            self._uploads = None
        self._sync()
        super().close()

    def kept_here(self, artifact_id: str) -> str:
        """Why an artifact is not in the bucket yet; nothing where it is."""
        with suppress(OSError, OverspillError), open_session_dir(self.place, self.session.id) as room:
            if room is None or is_there(artifact_id + removal.SENT, room.meta):
                return ""
            return self._why.get(artifact_id, ON_ITS_WAY)
        return ""

    def owed_artifacts(self) -> list[tuple[Session, str]]:
        """The artifacts of every session here that are not in the bucket yet, this session's first."""
        found: list[tuple[Session, str]] = []
        with suppress(OSError, OverspillError):
            for session in self._sessions_here():
                with open_session_dir(self.place, session.id) as room:
                    found += [] if room is None else [(session, name) for name in owed_in(room)]
        return found

    def send_owed(self, most: int | None = None, until: float | None = None) -> int:
        """Send what is owed, and how many that were; `BucketError` at the first that fails."""
        return sum(
            self.send(artifact_id, session, until=until) for session, artifact_id in self.owed_artifacts()[:most]
        )

    def send(
        self, artifact_id: str, session: Session | None = None, *, is_new: bool = False, until: float | None = None
    ) -> bool:
        """Have an artifact in the bucket; False where there is nothing to send any more.

        One that this process has just written is not read for its checksums first. After `until`, by the clock that
        nobody sets, it is given up; what was sent of it by then is not sent again.
        """
        session = session or self.session
        with open_session_dir(self.place, session.id) as room:
            if room is None or is_there(artifact_id + removal.SENT, room.meta):
                return False
            keys = self.far.keys_of(session)
            try:
                self._send_from(room, keys, artifact_id, is_new=is_new, until=until)
            except (ArtifactNotFound, ArtifactDamaged):
                return False  # deleted, evicted, or torn by a power cut: there is nothing that could be sent
            if is_there(f"{artifact_id}.json", room.meta):
                with suppress(FileExistsError):
                    create_file(artifact_id + removal.SENT, room.meta, b"")
            elif not is_there(artifact_id + removal.GONE, room.meta):  # what had to make room here is kept there
                self.far.remove(keys, artifact_id)  # deleted while it was on its way
                return False
        self._why.pop(artifact_id, None)
        if session.id == self.session.id:
            self._touch()
        return True

    def down_reason(self) -> str:
        """Why the bucket is left alone for the moment; nothing where it is not."""
        with suppress(OSError, OverspillError, ValueError), open_session_dir(self.place, self.session.id) as room:
            words = None if room is None else read_small(DOWN_FILE, room.meta, 1 << 12)
            if words is not None:
                until, _, why = words.decode().partition(" ")
                return why if 0 < float(until) - self.clock().wall <= LEFT_ALONE else ""
        return ""

    # -- the rest is ours --

    def _open_whole(self, artifact_id: str) -> RemoteReader | None:
        """An artifact in the bucket whose copy here is torn."""
        found = self.far.open(artifact_id)
        if found is not None:
            self._tell_once(f"the copy of {artifact_id} here is not what was stored; it is read from the bucket")
        return found

    def _hand_on(self, artifact: Artifact) -> Artifact:
        if not self.strict:
            self._sender().add(self.session, artifact.id)
        else:
            self._send_now(artifact.id)
        return artifact

    def _send_now(self, artifact_id: str) -> None:
        """Send an artifact while somebody waits, and for no longer than the bucket is given."""
        why = self.down_reason()
        until = time.monotonic() + self.far.bucket.patience
        if not why:
            try:
                self.send(artifact_id, is_new=True, until=until)
            except BucketError as error:
                why = error.reason
                if not isinstance(error, TooSlow):
                    self._note_down(why)
        if why:
            self._sync()
            self._keep_here(artifact_id, why)
        else:
            self._unsynced.clear()
            with suppress(BucketError):
                self._go_on(until)

    def _flush_later(self, content_name: str) -> None:
        # Where the bucket is waited for, the disk need not be: only if the bucket does not have it.
        if self.strict:
            self._unsynced.append(content_name)
        else:
            super()._flush_later(content_name)

    def _sync(self) -> None:
        """Let what is on no other machine outlast this one's power."""
        names, self._unsynced = self._unsynced, []
        self._flush(names)

    def _go_on(self, until: float) -> None:
        """Send some of what earlier processes left: when the bucket is there again, and else now and then."""
        if self._gone_on:
            return
        self._gone_on = True
        if not self._is_time_to_look():
            return
        self.send_owed(CATCH_UP, until)
        with suppress(OSError, OverspillError), open_session_dir(self.place, self.session.id) as room:
            if room is not None and not self.owed_artifacts():
                remove_file(DOWN_FILE, room.meta)

    def _is_time_to_look(self) -> bool:
        with suppress(OSError, OverspillError), open_session_dir(self.place, self.session.id) as room:
            return room is not None and (is_there(DOWN_FILE, room.meta) or self._is_due(room, LOOKED_FILE, LOOK_EVERY))
        return False

    def _is_due(self, room: SessionDir, name: str, every: float) -> bool:
        """Whether something was last done longer ago than that; who asks is the one who does it."""
        with suppress(FileNotFoundError):
            since = self.clock().wall - os.stat(name, dir_fd=room.meta, follow_symlinks=False).st_mtime
            if 0 <= since < every:
                return False
        remove_file(name, room.meta)
        with suppress(FileExistsError):
            create_file(name, room.meta, b"")
        return True

    def _sessions_here(self) -> list[Session]:
        """The sessions of this root: this one, and those of others, by their ids."""
        others = sorted(name for name in sessions.sessions_in(self.place) if name != self.session.id)
        roots = sessions.root_session()
        return [self.session, *(roots if name == roots.id else sessions.Session(name) for name in others)]

    def _send_from(
        self, room: SessionDir, keys: SessionKeys, artifact_id: str, *, is_new: bool, until: float | None
    ) -> None:
        record = artifact_record(room, artifact_id)
        if record is None:
            raise ArtifactNotFound(artifact_id)
        with Reader(room, record) as reader:
            if not is_new:
                reader.verify()
            index = read_small(f"{artifact_id}.idx", room.meta, 1 << 26) if record.index_hash else b""
            if index is None:
                raise ArtifactNotFound(artifact_id)
            self.far.send(keys, record, index, lambda length, start: read_at(reader.file, length, start), until)

    def _sender(self) -> Uploads:
        if self._uploads is None or self._uploads.process != os.getpid():
            self._uploads = Uploads(self._send_beside, self._touch, self.limits.ttl / TOUCHES)
            finalize(self, self._uploads.close, LINGER)  # a program that closes nothing sends what it has kept, too
            for session, artifact_id in self.owed_artifacts():
                self._uploads.add(session, artifact_id)
        return self._uploads

    def _send_beside(self, session: Session, artifact_id: str) -> float:
        """Send one beside whoever waits for nothing; how many seconds to wait before it is tried again, or 0."""
        try:
            self.send(artifact_id, session)
        except BucketError as error:
            self._keep_here(artifact_id, error.reason)
            return LEFT_ALONE
        except (OSError, StoreError):
            return 0.0  # it stays owed, and is tried again by the next process
        return 0.0

    def _note_down(self, why: str) -> None:
        with suppress(OSError, OverspillError), open_session_dir(self.place, self.session.id) as room:
            if room is not None:
                remove_file(DOWN_FILE, room.meta)
                create_file(DOWN_FILE, room.meta, f"{self.clock().wall + LEFT_ALONE} {why}".encode())

    def _keep_here(self, artifact_id: str, why: str) -> None:
        self._why[artifact_id] = why
        self.tell("kept_here", {"artifact_id": artifact_id, "reason": why})
        self._tell_once(f"kept here, not in the bucket yet: {why}")

    def _tell_once(self, words: str) -> None:
        if self._say is not None and words not in self._said:
            self._said.add(words)
            self._say(words)

    def _touch(self) -> None:
        """Say in the bucket that this session is in use, a few times in the time that it may live unused."""
        with suppress(OSError, OverspillError), open_session_dir(self.place, self.session.id) as room:
            if room is not None and self._is_due(room, USED_FILE, self.limits.ttl / TOUCHES):
                try:
                    self.far.touch()
                except BucketError:
                    remove_file(USED_FILE, room.meta)

    def _call_off(self, artifact_ids: set[str]) -> None:
        """Send these no more, and wait for one of them that is on its way: it may not arrive after it was removed."""
        if self._uploads is not None:
            self._uploads.call_off(artifact_ids, 2 * self.far.bucket.patience)

    def _whole_id(self, artifact_id: str) -> str:
        """The id that is meant: one that is here, if one is, else one in the bucket."""
        with suppress(ArtifactNotFound):
            found = full_id(artifact_id, self.near_ids)
            if found != artifact_id:
                return found
        return full_id(artifact_id, self.ids)

    def _far_artifacts(self) -> list[FarArtifact]:
        """What is in the bucket; nothing, and that is said, where it does not answer."""
        try:
            return self.far.artifacts()
        except BucketError as error:
            self._tell_once(f"the bucket is not listed ({error.reason}); what is kept here is")
            return []

    def _names_here(self) -> Names:
        with suppress(OSError, OverspillError), open_session_dir(self.place, self.session.id) as room:
            return [] if room is None else contents(room)
        return []

    def _contents(self, wanted: int | None) -> tuple[Places, int]:
        del wanted  # what is in both places is counted once, so all of it is looked at
        found, total = super()._contents(None)
        here = {removal.artifact_id_of(name) for name, _, _ in found}
        beyond = [one for one in self._far_artifacts() if one.id not in here]
        found += [(one.id, IN_THE_BUCKET, one.session) for one in beyond]
        found.sort(key=content_age, reverse=True)
        return found, total + len(beyond)

    def _listed(self, found: Places) -> Artifacts:
        listed = {one.id: one for one in super()._listed([row for row in found if row[1] is not IN_THE_BUCKET])}
        far = [FarArtifact(name, session, 0, 0.0) for name, place, session in found if place is IN_THE_BUCKET]
        with suppress(BucketError):
            listed |= {one.id: one for one in self.far.records(far) if one is not None}
        return [listed[name] for name in (removal.artifact_id_of(row[0]) for row in found) if name in listed]


def fleet_store(
    address: str,
    encrypt: str,
    patience: float,
    environ: Mapping[str, str],
    say: Callable[[str], None] | None,
    quota: TenantQuota | None = None,
) -> Callable[..., FileStore]:
    """What makes a store that also keeps artifacts in a bucket. What cannot work is said before anything is kept."""
    load_library()
    bucket, seal, tenant = Bucket(address, patience), seal_of(encrypt, environ), tenant_of(environ)
    return partial(FleetStore, bucket=bucket, seal=seal, tenant=tenant, quota=quota, say=say)


def owed_in(room: SessionDir) -> list[str]:
    """The artifacts of a session that are not in the bucket yet, oldest first."""
    sent = {name.removesuffix(removal.SENT) for name in names_in(room.meta) if name.endswith(removal.SENT)}
    return [name for name in map(removal.artifact_id_of, removal.by_age(contents(room))) if name not in sent]


class Uploads:
    """One thread that sends artifacts, the oldest first, and says now and then that their session is in use."""

    def __init__(self, send: Callable[[Session, str], float], beat: Callable[[], None], every: float) -> None:
        self._send = send
        self._beat = beat
        self._every = every
        self._waiting: dict[str, Session] = {}
        self._on_its_way = ""
        self._pause = 0.0  # seconds for which the bucket is left alone
        self._closed = False
        self._changed = Condition()
        self._thread: Thread | None = None
        self.process = os.getpid()

    def add(self, session: Session, artifact_id: str) -> None:
        """Send an artifact when its turn comes."""
        with self._changed:
            self._waiting[artifact_id] = session
            if self._thread is None:
                self._thread = Thread(target=self._run, name="overspill-upload", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def call_off(self, artifact_ids: set[str], seconds: float) -> None:
        """Send some of them no more, and wait for one of them that is on its way."""
        with self._changed:
            for artifact_id in artifact_ids:
                self._waiting.pop(artifact_id, None)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._on_its_way not in artifact_ids, seconds)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until everything was sent; whether it was."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting, seconds)

    def close(self, seconds: float) -> None:
        """Give what is on its way some seconds, unless the bucket does not answer; what is left then is owed."""
        if self.process != os.getpid():
            return
        with self._changed:
            self._changed.wait_for(lambda: self._pause or not self._waiting, seconds)
            self._closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._pause:
                    self._changed.wait_for(lambda: self._closed, self._pause)
                else:
                    self._changed.wait_for(lambda: self._waiting or self._closed, self._every)
                if self._closed:
                    return
                artifact_id, session = next(iter(self._waiting.items()), ("", None))
                self._on_its_way = artifact_id
            if session is None:
                self._beat()
                continue
            pause = self._send(session, artifact_id)
            with self._changed:
                self._pause, self._on_its_way = pause, ""
                if not pause:
                    self._waiting.pop(artifact_id, None)
                self._changed.notify_all()
