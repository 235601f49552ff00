"""The store of files: a plain content and a small record an artifact, one directory a session.

An artifact exists from the moment its content has a name. Before that there is a file without a name
and at most a record without a content; neither is ever shown, and both are swept when their writer
died. Nothing is overwritten. Deleting takes the content first.

    <root>/.acode/artifacts/
        current                     the name of the session that stands in for the root's own, if any
        swept                       when somebody last swept
        ses_<26>/                   one session
            art_<ms>_<26>           a content, as it is; `.zst` if it is compressed
            m/art_<ms>_<26>.json    its record; `.idx` its index if it is large, `.keep` if it is pinned,
                                    `.gone` what is known of one that had to make room, `.view` what was shown of it
            session.json, usage, views, lock, alive, t/
        trash_<20>/                 a session that has ended and is being removed
"""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, contextmanager, suppress
from overspill.errors import ArtifactNotFound, LockTimeout, NotOurs, NotPlain, OverspillError, UsageError
from overspill.files import (
    Locked,
    StorePlace,
    create_file,
    make_state_directory,
    names_in,
    storage_error,
    store_error,
    sync_file,
    translated_errors,
)
from overspill.journal import creation_facts, refusal_facts
from overspill.store import (
    ArtifactPage,
    Artifacts,
    Bounds,
    Cleared,
    Clock,
    Label,
    Tell,
    checked_id,
    full_id,
    moment,
    removal,
    session_files,
    sessions,
)
from overspill.store.quota import Accounts, Limits, Machine, check_disk, check_size
from overspill.store.reader import Reader, artifact_record, listed_artifact
from overspill.store.records import CHUNK_BYTES, Checksums
from overspill.store.session_files import Spool
from overspill.store.sessions import SessionDir, is_same_directory, make_session_dir, open_session_dir
from overspill.store.writer import Draft, EndsWriter, FileWriter, index_of, make_durable, publish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from threading import Thread

    from overspill.core import Size
    from overspill.core.report import Artifact
    from overspill.store.records import ArtifactRecord
    from overspill.store.sessions import Elsewhere, Session

Names = list[str]
Sites = list[StorePlace]
Ends = list[int]
Places = list[tuple[str, StorePlace, str]]

SWEEP_EVERY = 600.0
SWEEP_AT_MOST = 20
RECORD_BYTES = 1 << 14


class FileStore:
    """Artifacts of one session in files. Safe to share between threads and processes."""

    far: Elsewhere | None = None  # where else they are kept

    def __init__(
        self,
        place: StorePlace,
        session: Session,
        *,
        limits: Limits = Limits(),  # noqa: B008  # a frozen value
        lazy: bool = False,
        compress: bool = False,
        state: str | None = None,
        also: StorePlace | None = None,
        notice: str = "",
        anchor: int | None = None,
        hold: bool = False,
        clock: Clock = moment,
        on_event: Tell | None = None,
    ) -> None:
        self.place = place
        self.session = session
        self.limits = limits
        self.notice = notice
        self.clock = clock
        self.on_event = on_event  # whoever wants to know what becomes of artifacts
        machine = Machine(state, limits.machine_quota, clock, limits.ttl, self.tell)
        self.accounts = Accounts(machine, limits, clock, self.tell)
        self._lazy = lazy
        self._compress = compress
        self._also = also
        self._anchor = anchor
        self._hold = hold
        self._flusher: Flusher | None = Flusher(self._flush) if lazy else None
        self._alive: Locked | None = None
        self._begun = False

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        content = text.encode("utf-8", "surrogatepass")
        check_size(len(content), self.limits)
        with self._writing() as room:
            spool = Spool(room.directory)
            try:
                check_disk(room.directory, len(content), self.limits)
                spool.write(content)
                prints = Checksums(lines=len(content) > CHUNK_BYTES)
                prints.feed(content)
                return self._publish_in(room, Draft(spool, prints, size, label))
            finally:
                spool.discard()

    def open(self, label: Label, *, keep_ends: int | None = None) -> FileWriter:
        if keep_ends is not None:
            return EndsWriter(self._spool, label, self.limits, self._publish, keep_ends)
        return FileWriter(self._spool(), label, self.limits, self._publish)

    def artifact(self, artifact_id: str) -> Reader:
        with self.find_record(artifact_id) as (_, room, record):
            return Reader(room, record)

    def info(self, artifact_id: str) -> Artifact:
        with self.find_record(artifact_id) as (_, _, record):
            return record.artifact

    def read(self, artifact_id: str, start: int = 0, end: int | None = None) -> bytes:
        with self.artifact(artifact_id) as artifact:
            return artifact.read(start, end)

    def stream(self, artifact_id: str) -> Iterator[bytes]:
        with self.artifact(artifact_id) as artifact:
            yield from artifact.stream()

    def lines(self, artifact_id: str, first: int, last: int) -> bytes:
        with self.artifact(artifact_id) as artifact:
            return artifact.lines(first, last)

    def where(self, artifact_id: str, first: int, last: int) -> Bounds:
        with self.artifact(artifact_id) as artifact:
            return artifact.where(first, last)

    def list(self) -> Artifacts:
        return self.page(None).artifacts

    def page(self, limit: int | None, offset: int = 0, seen: tuple[str, int] | None = None) -> ArtifactPage:
        """Some of them; `seen` is one and where it stood on an earlier page: what came before it since is left out."""
        found, total = self._contents(None if limit is None or seen is not None else offset + limit)
        # Where the artifacts after the one that was seen begin, and where they began then.
        came = 0 if seen is None else _up_to(found, seen[0]) - (seen[1] + 1)
        first = offset + came
        wanted_here = found[first : None if limit is None else first + limit]
        listed = self._listed(wanted_here)
        return ArtifactPage(listed, total - came, len(wanted_here) - len(listed))

    def ids(self) -> Names:
        """The ids of all that can be read from here, and of what had to make room."""
        found: Names = []
        with translated_errors("listing artifacts"):
            for place, session_id in self._readable():
                with open_session_dir(place, session_id) as room:
                    found += [] if room is None else removal.recorded_ids(room)
        return found

    def delete(self, artifact_id: str) -> None:
        with self.find_record(artifact_id) as (_, room, record):
            artifact_id = record.artifact.id
            cleared = removal.drop_artifact(room, record.content_name)
            self.accounts.give_back(room, cleared)
        if not cleared.artifacts:
            raise ArtifactNotFound(artifact_id)  # somebody was faster
        self.tell("delete", {"artifact_id": artifact_id, "size": cleared.bytes, "reason": "asked for"})

    def clear(self) -> Cleared:
        with translated_errors("removing artifacts"):
            cleared = removal.remove_session(self.place, self.session.id)
            self.accounts.machine.give_back(cleared)
            self.remove_if_empty()
            self.tell_gone(cleared, "clean")
            return cleared

    def remember(self, digest: str, limit: int) -> None:
        # A view that is not remembered is cut once more: no reason to fail whoever waits for it.
        with suppress(OSError, OverspillError), self._writing() as room:
            session_files.remember_limit(room.directory, digest, limit)

    def remembered(self, digest: str) -> int | None:
        with suppress(OSError, OverspillError), open_session_dir(self.place, self.session.id) as room:
            return None if room is None else session_files.remembered_limit(room.directory, digest)
        return None

    def note_shown(self, artifact_id: str, record: bytes) -> None:
        """Keep beside an artifact of this session what was shown of it. The first view of it stays."""
        with suppress(OSError, OverspillError), self._writing() as room:
            create_file(checked_id(artifact_id) + removal.SHOWN, room.meta, record)

    def hold(self) -> None:
        """Keep the session alive as long as this process lives, or until `close`."""
        if self._alive is None:
            with self._writing() as room:
                self._alive = Locked(sessions.ALIVE, room.directory, shared=True)

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until everything published lazily is durable; whether it is."""
        return self._flusher is None or self._flusher.wait(seconds)

    def close(self) -> None:
        if self._flusher is not None:
            self._flusher.close()
            self._flusher = None
        if self._alive is not None:
            self._alive.close()
            self._alive = None

    @property
    def stands_in(self) -> bool:
        """Whether artifacts are kept elsewhere, because the root may not be written."""
        return self._also is not None

    def tell(self, event: str, facts: Mapping[str, object]) -> None:
        """Tell whoever wants to know; nobody's ears are a reason to fail."""
        if self.on_event is not None:
            with suppress(Exception):
                self.on_event(event, facts)

    def tell_gone(self, cleared: Cleared, reason: str) -> None:
        """Tell that many are gone at once."""
        if cleared.artifacts:
            self.tell("delete", {"artifacts": cleared.artifacts, "size": cleared.bytes, "reason": reason})

    def places(self) -> Sites:
        """Where artifacts may lie: where they are written, and a root that may only be read."""
        return [place for place in (self.place, self._also) if place is not None]

    def remove_if_empty(self) -> None:
        """Remove the directory of artifacts itself, if nothing of anybody is left in it."""
        removal.remove_if_empty(self.place)

    # -- the rest is ours --

    def _spool(self) -> Spool:
        with self._writing() as room:
            return Spool(room.directory)

    @contextmanager
    def _writing(self) -> Iterator[SessionDir]:
        """The session's own directory, made if need be, for as long as nobody may remove it."""
        try:
            self._begin()
            with make_session_dir(self.place, self.session, self.clock(), self._anchor, durable=not self._lazy) as room:
                yield room
        except OSError as error:
            raise storage_error(error, self.place) from None

    def _publish(self, draft: Draft) -> Artifact:
        try:
            if not self._lazy:
                sync_file(draft.spool.file)  # before the lock: the slow part holds up nobody
        except OSError as error:
            raise storage_error(error, self.place) from None
        with self._writing() as room:
            return self._publish_in(room, draft)

    def _publish_in(self, room: SessionDir, draft: Draft) -> Artifact:
        """Make an artifact of a content that is all there, compressed if that is wished."""
        if self._compress and draft.prints.size > CHUNK_BYTES:
            from overspill.store.reader import compress_content

            packed = Spool(room.directory)
            try:
                return self._named(room, draft, packed, compress_content(draft.spool, draft.prints.size, packed))
            finally:
                packed.discard()
        return self._named(room, draft, draft.spool, [])

    def _named(self, room: SessionDir, draft: Draft, spool: Spool, frames: Ends) -> Artifact:
        index = index_of(draft, frames)
        stored = frames[-1] if frames else draft.prints.size
        check_disk(room.directory, len(index) + RECORD_BYTES, self.limits)
        if not self._lazy:
            sync_file(spool.file)
        held = self.accounts.reserve(room, stored)
        try:
            artifact = publish(room, draft, spool, index, frames, self.clock(), durable=not self._lazy)
        except BaseException:
            self.accounts.give_back(room, Cleared(1, stored))
            raise
        if self._lazy:
            self._flush_later(artifact.id + (".zst" if frames else ""))
        if self.on_event is not None:
            self.tell("create", {**creation_facts(artifact), "session_bytes": held})
        return artifact

    def _flush_later(self, content_name: str) -> None:
        if self._flusher is None or self._flusher.process != os.getpid():
            self._flusher = Flusher(self._flush)
        self._flusher.add(content_name)

    def _flush(self, content_names: Names) -> None:
        # What is gone or cannot be synced stays under its checksum, which every reader looks at.
        with suppress(OSError, OverspillError), open_session_dir(self.place, self.session.id) as room:
            if room is not None:
                make_durable(room, content_names)

    def _begin(self) -> None:
        """What is done once, before the first write: a place to write to, and a little sweeping."""
        if self._begun:
            return
        if self._also is not None:
            make_state_directory(self.place.root)
        with open_session_dir(self.place, self.session.id) as room:
            if room is not None:
                self._after_a_restart(room)
        self.accounts.machine.register(self.place)
        self._begun = True
        if self._hold:
            self.hold()
        if removal.is_time_to_sweep(self.place, self.clock(), SWEEP_EVERY):
            with suppress(OSError, OverspillError):
                swept = removal.sweep_place(
                    self.place, self.session.id, self.clock, self.limits.ttl, most=SWEEP_AT_MOST
                )
                self.accounts.machine.give_back(swept)
                self.tell_gone(swept, "sweep")
                removal.tidy_if_alone(self.place, self.session.id)

    def _after_a_restart(self, room: SessionDir) -> None:
        """Look through a session that was last used before the system restarted, if we may."""
        used = session_files.read_usage(room.directory)
        now = self.clock()
        if used is not None and used.last.boot in {b"", now.boot}:
            return
        with suppress(OSError, LockTimeout), Locked(sessions.LOCK, room.directory, seconds=0):
            if is_same_directory(room.place, room.session, room.directory):
                self.accounts.machine.give_back(removal.recheck_session(room, used.last.wall if used else 0.0))
                self.accounts.recount(room)

    def _readable(self) -> Iterator[tuple[StorePlace, str]]:
        """Every session that may be read from this one, its own first."""
        for place in self.places():
            yield place, self.session.id
            if not self.session.roams:
                continue
            with place.directory() as outer:
                if outer is None:
                    continue
                for session_id in sessions.other_sessions(outer, self.session.id):
                    with suppress(OverspillError):
                        if self._is_readable(outer, place, session_id):
                            yield place, session_id

    def _is_readable(self, outer: int, place: StorePlace, session_id: str) -> bool:
        if sessions.is_live(outer, session_id, self.clock(), self.limits.ttl):
            return True
        with open_session_dir(place, session_id) as room:
            return room is not None and removal.has_kept(room)

    @contextmanager
    def find_record(self, artifact_id: str) -> Iterator[tuple[StorePlace, SessionDir, ArtifactRecord]]:
        """Where an artifact is that may be read from here, and its record."""
        try:
            artifact_id = checked_id(full_id(artifact_id, self.ids))
        except UsageError:
            self._refused(artifact_id, "malformed id")
            raise
        try:
            for place, session_id in self._readable():
                with open_session_dir(place, session_id) as room:
                    record = None if room is None else artifact_record(room, artifact_id)
                    if room is not None and record is not None:
                        self.accounts.touch(room)
                        yield place, room, record
                        return
        except (NotOurs, NotPlain):
            self._refused(artifact_id, "a link, or open to others")
            raise
        except OSError as error:
            raise store_error(error, f"reading artifact {artifact_id}") from None
        raise ArtifactNotFound(artifact_id)

    def _refused(self, artifact_id: str, reason: str) -> None:
        if self.on_event is not None:
            self.tell("violation", refusal_facts(artifact_id, reason))

    def _contents(self, wanted: int | None) -> tuple[Places, int]:
        """So many of the contents that may be read from here, newest first, and how many there are in all."""
        found: Places = []
        total = 0
        with translated_errors("listing artifacts"):
            for place, session_id in self._readable():
                with open_session_dir(place, session_id) as room:
                    if room is not None:
                        self._after_a_restart(room)
                        there = names_in(room.directory)
                        total += removal.number_of_contents(there)
                        found += [(name, place, session_id) for name in removal.newest(there, wanted)]
        if len({session_id for _, _, session_id in found}) > 1:
            found.sort(key=content_age, reverse=True)
        return found, total

    def _listed(self, found: Places) -> Artifacts:
        """The records of contents; what has gone in the meantime or cannot be served is left out."""
        by_room: dict[tuple[StorePlace, str], Names] = {}
        for name, place, session_id in found:
            by_room.setdefault((place, session_id), []).append(name)
        listed: dict[str, Artifact] = {}
        for (place, session_id), wanted in by_room.items():
            with suppress(OverspillError, OSError), open_session_dir(place, session_id) as room:
                if room is not None:
                    listed |= {name: artifact for name in wanted if (artifact := listed_artifact(room, name))}
        return [listed[name] for name, _, _ in found if name in listed]


def content_age(found: tuple[str, StorePlace, str]) -> tuple[int, str]:
    return removal.milliseconds(found[0]), found[0]


def _up_to(found: Places, artifact_id: str) -> int:
    """How many there are up to an artifact, and with it if it is still there."""
    age = removal.milliseconds(checked_id(artifact_id)), artifact_id
    return sum((removal.milliseconds(name), name.removesuffix(".zst")) >= age for name, _, _ in found)


class Flusher:
    """One thread that makes artifacts durable, behind the back of whoever waits for the next one."""

    def __init__(self, flush: Callable[[list[str]], None]) -> None:
        from threading import Condition  # threads cost start-up, and strict stores start none

        self._flush = flush
        self._waiting: list[str] = []
        self._busy = False
        self._closed = False
        self._changed = Condition()
        self._thread: Thread | None = None
        self.process = os.getpid()

    def add(self, name: str) -> None:
        with self._changed:
            self._waiting.append(name)
            if self._thread is None:
                from threading import Thread

                self._thread = Thread(target=self._run, name="overspill-flush", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until everything is durable; whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._waiting or self._busy), seconds)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                names, self._waiting = self._waiting, []
                self._busy = True
            try:
                self._flush(names)
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
