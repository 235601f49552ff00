"""What people do with artifacts and sessions, one function a verb; and what a store looks like to a doctor."""

from __future__ import annotations

import fcntl
import os
import stat

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.errors import ArtifactNotFound, InputError, OverspillError, SessionNotFound, StoreError, UsageError
from overspill.files import (
    FILE,
    OTHERS,
    PASSING,
    Locked,
    StorePlace,
    create_file,
    names_in,
    open_directory,
    read_small,
    remove_file,
    translated_errors,
    write_all,
)
from overspill.store import Cleared, full_id, is_id, records, removal, session_files, sessions
from overspill.store.sessions import contents, make_session_dir, open_session_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.core.report import Artifact
    from overspill.store.files import FileStore
    from overspill.store.sessions import Session, SessionDir, State


MAX_PATHS = 20_000  # paths that are looked at for what is odd


class Details(NamedTuple):
    """An artifact and where it lies."""

    artifact: Artifact
    path: str  # of its content, relative to the root
    session: str
    stored: int  # bytes on disk
    kept: bool  # pinned
    compressed: bool
    address: str = ""  # in a bucket, where it is not here


def details(store: FileStore, artifact_id: str) -> Details:
    """What `spill artifacts info` shows."""
    try:
        return _details_here(store, artifact_id)
    except ArtifactNotFound:
        far = None if store.far is None else store.far.find(full_id(artifact_id, store.ids))
        if far is None:
            raise
    record = far.record
    return Details(record.artifact, "", far.session, record.stored, far.kept, bool(record.coding), far.address)


def _details_here(store: FileStore, artifact_id: str) -> Details:
    with store.find_record(artifact_id) as (place, room, record):
        path = os.path.relpath(os.path.join(place.path, room.session, record.content_name), place.root)
        kept = removal.is_kept(room, record.artifact.id)
        return Details(record.artifact, path, room.session, record.stored, kept, bool(record.coding))


def keep_artifact(store: FileStore, artifact_id: str) -> Artifact:
    """Pin an artifact: it outlasts quotas, the end of its session, `clean` and the sweep."""
    artifact = store.info(artifact_id)
    there = store.far is not None and store.far.pin(artifact.id)
    try:
        with store.find_record(artifact.id) as (_, room, _), suppress(FileExistsError):
            create_file(artifact.id + removal.KEPT, room.meta, b"", durable=True)
    except ArtifactNotFound:
        if not there:
            raise
    return artifact


def remove_artifact(store: FileStore, artifact_id: str) -> Artifact:
    """Forget one artifact, pinned or not."""
    artifact = store.info(artifact_id)
    store.delete(artifact.id)
    return artifact


def export_artifact(
    store: FileStore, artifact_id: str, path: str, *, force: bool = False, tell: Callable[[int], object] | None = None
) -> int:
    """Write an artifact to a file of the user's, and how many bytes that were; `tell` is told how many are done.

    The file appears whole or not at all. One that is there is replaced only with `force`, a link never.
    """
    target = os.path.abspath(path)
    folder, name = os.path.split(target)
    _check_target(target, force=force)
    passing = os.path.join(folder, f".{name[:200]}.{os.urandom(8).hex()}")
    try:
        file = os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            written = 0
            for piece in store.stream(artifact_id):
                write_all(file, piece)
                written += len(piece)
                if tell is not None:
                    tell(written)
        finally:
            os.close(file)
        _check_target(target, force=force)
        if force:
            os.rename(passing, target)
        else:
            os.link(passing, target)
            os.unlink(passing)
    except FileExistsError:
        _unlink(passing)
        raise InputError(f"{path!r} is there already; --force replaces it") from None
    except OSError as error:
        _unlink(passing)
        raise InputError(f"cannot write {path!r}: {(error.strerror or 'failed').lower()}") from None
    except BaseException:
        _unlink(passing)
        raise
    return written


def _check_target(target: str, *, force: bool) -> None:
    try:
        found = os.lstat(target)
    except OSError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{target!r} is not a plain file; it is not written to")
    if not force:
        raise InputError(f"{target!r} is there already; --force replaces it")


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


@translated_errors("removing artifacts")
def clean_session(store: FileStore, *, force: bool = False) -> Cleared:
    """Remove the artifacts of the session, but pinned ones; with `force` all of every session of the root."""
    if not force:
        return store.clear()
    cleared = [
        removal.remove_session(place, session_id, spare_kept=False, force=True)
        for place in store.places()
        for session_id in sessions.sessions_in(place)
    ]
    return _log_cleared(store, cleared, "clean --force")


@translated_errors("sweeping")
def sweep_sessions(store: FileStore) -> Cleared:
    """Remove the sessions that are over, and what dead writers left in those that are not."""
    cleared = []
    for place in store.places():
        cleared.append(removal.sweep_place(place, store.session.id, store.clock, store.limits.ttl))
        for session_id in sessions.sessions_in(place):
            with suppress(OverspillError, OSError), open_session_dir(place, session_id) as room:
                if room is not None:
                    with Locked(sessions.LOCK, room.directory, seconds=0):
                        removal.tidy_session(room)
                        _recount_usage(room.directory, removal.content_totals(room))
    here = _log_cleared(store, cleared, "sweep")
    return here if store.far is None else removal.sum_cleared(here, store.far.sweep())


@translated_errors("removing artifacts")
def purge(store: FileStore, *, everywhere: bool = False, tell: Callable[[int], object] | None = None) -> Cleared:
    """Remove everything that was ever kept below this root, or, if asked, below any root of this user.

    `tell` is told how many artifacts are gone.
    """
    cleared: list[Cleared] = []
    for place in _purge_places(store, everywhere=everywhere):
        for session_id in sessions.sessions_in(place):
            cleared.append(removal.remove_session(place, session_id, spare_kept=False, force=True))
            if tell is not None:
                tell(sum(one.artifacts for one in cleared))
        removal.sweep_place(place, "", store.clock, store.limits.ttl)
        removal.remove_if_empty(place)
    return _log_cleared(store, cleared, "purge")


@translated_errors("counting artifacts")
def purgeable(store: FileStore, *, everywhere: bool = False) -> Cleared:
    """What `purge` would remove."""
    found = removal.NOTHING_CLEARED
    for place in _purge_places(store, everywhere=everywhere):
        for session_id in sessions.sessions_in(place):
            with open_session_dir(place, session_id) as room:
                if room is not None:
                    size, count = removal.content_totals(room)
                    found = removal.sum_cleared(found, Cleared(count, size))
    return found


def _purge_places(store: FileStore, *, everywhere: bool) -> list[StorePlace]:
    places = store.accounts.machine.places() if everywhere else []
    return list({place.path: place for place in [*store.places(), *places]}.values())


@translated_errors("starting a session")
def start_session(store: FileStore, name: str = "", anchor: int | None = None) -> State:
    """Begin a session that stands in for the root's own until it is ended; without a name it gets one."""
    name = name.strip() or f"session-{os.urandom(6).hex()}"
    session = sessions.root_session(name)
    with make_session_dir(store.place, session, store.clock(), anchor) as room:
        sessions.write_record(room.directory, sessions.new_record(session, store.clock(), anchor))
        sessions.make_current(room.place, session)
        store.accounts.touch(room)
        store.tell("session", {"action": "start", "of_session": session.id, "name": sessions.shown_name(session)})
        return _session_state(room.place, session.id, store)


@translated_errors("ending a session")
def end_session(store: FileStore, name: str = "", *, at_once: bool = False, keep: bool = False) -> Cleared:
    """End a session. What the root's own, or one that stood in for it, has kept goes at once; what other named ones
    have kept stays for its time, because people resume. With `keep` everything does.

    A session that has a name stays known for that time, with its beginning and its end.
    """
    session = sessions.named_session(name) if name else store.session
    _may_see(store, session.id)
    cleared = removal.NOTHING_CLEARED
    before = _record_of(store, session)
    at_end = at_once or not keeps_artifacts(store, name, keep=keep)
    if store.far is not None:
        # What is to be removed is removed there, too, or not at all; what stays would go there unused after its time.
        with suppress(*(() if at_end else (StoreError,))):
            store.far.end(session, at_once=at_end)
    if at_end:
        cleared = removal.remove_session(store.place, session.id)
    if session.name and before is not None and not at_once:
        with make_session_dir(store.place, session, store.clock()) as room:
            store.accounts.touch(room, always=True)
            ended = before._replace(ended=store.clock().wall, keep=store.limits.keep_ended)
            sessions.write_record(room.directory, ended)
    _forget_current(store, session)
    _log_session_end(store, session)
    return _log_cleared(store, [cleared], "session end") if any(cleared) or not session.name else cleared


def keeps_artifacts(store: FileStore, name: str = "", *, keep: bool = False) -> bool:
    """Whether what a session has kept outlasts its end: not of the root's own, nor of one that stands in for it."""
    session = sessions.named_session(name) if name else store.session
    return keep or (bool(session.name) and not (session.roams or _is_current_session(store, session)))


def _record_of(store: FileStore, session: Session) -> sessions.SessionRecord | None:
    """What is written of a session; `SessionNotFound` if it was named and is not there."""
    with open_session_dir(store.place, session.id) as room:
        if room is not None:
            return sessions.read_record(room.directory)
    if session.name and not _is_current_session(store, session):
        raise SessionNotFound(session.name)
    return None


def _log_session_end(store: FileStore, session: Session) -> None:
    store.tell("session", {"action": "end", "of_session": session.id, "name": sessions.shown_name(session)})


@translated_errors("listing sessions")
def list_sessions(store: FileStore) -> list[State]:
    """The sessions that can be seen from here, the one last used first."""
    found = []
    for place in store.places():
        with place.directory() as outer:
            if outer is None:
                continue
            for session_id in sessions.other_sessions(outer, ""):
                if store.session.roams or session_id == store.session.id:
                    with suppress(OverspillError, OSError):
                        found.append(_session_state(outer, session_id, store))
    return sorted(found, key=lambda state: state.used, reverse=True)


def show_session(store: FileStore, name_or_id: str = "") -> State:
    """One session, by its name or its id; the one in use if neither is given."""
    wanted = name_or_id or store.session.id
    for state in list_sessions(store):
        if wanted in {state.id, state.name} or state.id == sessions.named_session(wanted).id:
            return state
    raise SessionNotFound(name_or_id)


def _session_state(place: int, session_id: str, store: FileStore) -> State:
    state = sessions.session_state(place, session_id, store.clock(), store.limits.ttl)
    if state is None:
        raise StoreError("the session is gone")
    return state


def _may_see(store: FileStore, session_id: str) -> None:
    if session_id != store.session.id and not store.session.roams:
        raise UsageError("a named session can end only itself")


def _is_current_session(store: FileStore, session: Session) -> bool:
    with store.place.directory() as outer:
        return outer is not None and _stands_in(outer, session)


def _stands_in(place: int, session: Session) -> bool:
    current = sessions.current_session(place)
    return current is not None and current.id == session.id


def _forget_current(store: FileStore, session: Session) -> None:
    with store.place.directory() as outer:
        if outer is not None and _stands_in(outer, session):
            remove_file(sessions.CURRENT_FILE, outer)


def _recount_usage(directory: int, found: tuple[int, int]) -> None:
    with session_files.UsageCounter(directory) as counter:
        if counter.now is not None:
            counter.set(counter.now._replace(bytes=found[0], artifacts=found[1]))


def _log_cleared(store: FileStore, cleared: list[Cleared], reason: str) -> Cleared:
    total = Cleared(sum(one.artifacts for one in cleared), sum(one.bytes for one in cleared))
    store.accounts.machine.give_back(total)
    store.remove_if_empty()
    store.tell_gone(total, reason)
    return total


def machine_use(store: FileStore) -> int:
    """Bytes that all roots of this user hold, as counted."""
    state = store.accounts.machine.state
    if state is None or not os.path.isdir(state):
        return 0
    directory = os.open(state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OverspillError, OSError):
            used = session_files.read_usage(directory)
            return used.bytes if used else 0
    finally:
        os.close(directory)
    return 0


# What is not as it should be, and what the dead left behind: looked at, and not changed.


class Odd(NamedTuple):
    """A path that is not as it should be."""

    path: str
    what: str  # link, foreign, open or strange
    directory: bool = False


class Left(NamedTuple):
    """What the dead left behind."""

    trash: int = 0  # sessions that were being removed
    over: int = 0  # sessions that nobody uses any more
    spools: int = 0  # files of writers that died
    records: int = 0  # records without a content

    @property
    def anything(self) -> bool:
        return any(self)


def odd_paths(root: str, steps: list[str]) -> Iterator[Odd]:
    """Everything on the way from a root down to a directory of ours, and in it, that is not ours alone."""
    path = root
    for depth, step in enumerate(steps):
        path = os.path.join(path, step)
        private = depth == len(steps) - 1
        found = _odd(path, private=private, folder=True)
        if found is not None:
            yield found
        if not os.path.isdir(path) or os.path.islink(path):
            return
    left = MAX_PATHS
    below = [path]
    while below and left > 0:
        folder = below.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                left -= 1
                folder_too = entry.is_dir(follow_symlinks=False)
                found = _odd(entry.path, private=True, folder=folder_too)
                if found is not None:
                    yield found
                if folder_too and (found is None or found.what == "open"):
                    below.append(entry.path)


def _odd(path: str, *, private: bool, folder: bool) -> Odd | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    is_folder = stat.S_ISDIR(found.st_mode)
    if stat.S_ISLNK(found.st_mode):
        return Odd(path, "link")
    if not is_folder and (folder or not stat.S_ISREG(found.st_mode)):
        return Odd(path, "strange")
    if found.st_uid != os.geteuid():
        return Odd(path, "foreign", is_folder)
    return Odd(path, "open", is_folder) if private and found.st_mode & OTHERS else None


def left_behind(store: FileStore) -> Left:
    """What a sweep would remove."""
    left = Left()
    for place in store.places():
        with place.directory() as outer:
            if outer is None:
                continue
            found = names_in(outer)
            left = left._replace(trash=left.trash + sum(name.startswith(sessions.TRASH) for name in found))
            for session_id in filter(sessions.is_session_id, found):
                with suppress(OverspillError, OSError):
                    left = _left_in_session(left, store, place, outer, session_id)
    return left


def _left_in_session(left: Left, store: FileStore, place: StorePlace, outer: int, session_id: str) -> Left:
    if session_id != store.session.id and not sessions.is_live(outer, session_id, store.clock(), store.limits.ttl):
        with open_session_dir(place, session_id) as room:
            kept = room is not None and removal.has_kept(room)
        return left if kept else left._replace(over=left.over + 1)
    with open_session_dir(place, session_id) as room:
        if room is None:
            return left
        left = left._replace(spools=left.spools + _dead_spools(room.directory))
        # A record comes before its content, so it counts as left only while nobody writes.
        with Locked(sessions.LOCK, room.directory, seconds=0):
            there = {removal.artifact_id_of(name) for name in contents(room)}
            stems = (name.partition(".") for name in names_in(room.meta))
            orphans = sum(
                is_id(stem) and stem not in there and dot + suffix != removal.GONE for stem, dot, suffix in stems
            )
        return left._replace(records=left.records + orphans)


def _dead_spools(directory: int) -> int:
    """Files in the passing place whose writer no longer holds them."""
    passing = open_directory(PASSING, directory)
    if passing is None:
        return 0
    dead = 0
    try:
        for name in names_in(passing):
            with suppress(OSError):
                file = os.open(name, os.O_RDONLY | FILE, dir_fd=passing)
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    dead += 1
                finally:
                    os.close(file)
    finally:
        os.close(passing)
    return dead


def foreign_formats(store: FileStore) -> list[str]:
    """What was written in another format than this version's, a few words each."""
    found: list[str] = []
    for place in store.places():
        for session_id in sessions.sessions_in(place):
            with suppress(OverspillError, OSError, ValueError), open_session_dir(place, session_id) as room:
                if room is not None:
                    found += _foreign_formats_in(room)
    return found


def _foreign_formats_in(room: SessionDir) -> Iterator[str]:
    """What is said of a session, and of the newest artifact in it."""
    import json

    record = json.loads(read_small(sessions.RECORD_FILE, room.directory, sessions.MAX_RECORD_BYTES) or b"{}")
    if record.get("v", sessions.VERSION) != sessions.VERSION:
        yield f"session {room.session} has format {record['v']!r:.20}"
    for name in removal.newest(contents(room), 1):
        artifact_id = removal.artifact_id_of(name)
        fields = json.loads(read_small(f"{artifact_id}.json", room.meta, records.MAX_RECORD_BYTES) or b"{}")
        if fields.get("v", records.VERSION) != records.VERSION:
            yield f"artifact {artifact_id} has format {fields['v']!r:.20}"
