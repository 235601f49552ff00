"""Looks at a store without changing it: what is not as it should be, and what the dead left behind."""

from __future__ import annotations

import fcntl
import os
import stat

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.errors import OverspillError
from overspill.files import OTHERS, PASSING, Locked, StorePlace, names_in, open_directory, read_small
from overspill.store import is_id, records, removal, sessions
from overspill.store.sessions import contents, open_session_dir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.store.files import FileStore

MAX_PATHS = 20_000  # paths that are looked at


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
        outer = place.open()
        if outer is None:
            continue
        try:
            found = names_in(outer)
            trash = sum(name.startswith(sessions.TRASH) for name in found)
            left = left._replace(trash=left.trash + trash)
            for session_id in [name for name in found if sessions.is_session_id(name)]:
                with suppress(OverspillError, OSError):
                    left = _left_in_session(left, store, place, outer, session_id)
        finally:
            os.close(outer)
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
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=passing)
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
    import json

    found: list[str] = []
    for place in store.places():
        outer = place.open()
        if outer is None:
            continue
        try:
            for session_id in [name for name in names_in(outer) if sessions.is_session_id(name)]:
                with suppress(OverspillError, OSError, ValueError), open_session_dir(place, session_id) as room:
                    if room is None:
                        continue
                    record = json.loads(
                        read_small(sessions.RECORD_FILE, room.directory, sessions.MAX_RECORD_BYTES) or b"{}"
                    )
                    if record.get("v", sessions.VERSION) != sessions.VERSION:
                        found.append(f"session {session_id} has format {record['v']!r:.20}")
                    newest = removal.newest(contents(room), 1)
                    beside = f"{removal.artifact_id_of(newest[0])}.json" if newest else ""
                    fields = (
                        json.loads(read_small(beside, room.meta, records.MAX_RECORD_BYTES) or b"{}") if beside else {}
                    )
                    if fields.get("v", records.VERSION) != records.VERSION:
                        found.append(f"artifact {removal.artifact_id_of(newest[0])} has format {fields['v']!r:.20}")
        finally:
            os.close(outer)
    return found
