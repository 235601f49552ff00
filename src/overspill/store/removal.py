"""How artifacts and sessions go: content first, so that there is never a content without a record."""

import os
from collections.abc import Iterable
from contextlib import suppress

from overspill.errors import ArtifactDamaged, LockTimeout, OverspillError
from overspill.files.place import Place
from overspill.files.safe import PASSING, Locked, create, forget, names, open_directory, read_small, there
from overspill.store import Cleared, Tell, is_id, records, sessions, usage, views
from overspill.store.clock import Clock, Moment
from overspill.store.records import MOST_BYTES
from overspill.store.session_dir import CONTENT, Room, contents, room_of, same
from overspill.store.spool import reclaim

TOMBSTONES = 1000
FILES_A_SESSION = 4  # that a little sweep removes, on average
KEPT = ".keep"
GONE = ".gone"
_SUFFIXES = (".json", ".idx", KEPT, GONE)
_OURS = {sessions.LOCK, sessions.ALIVE, sessions.RECORD, sessions.META, PASSING, usage.NAME, views.NAME}
SWEPT = "swept"
_AFTER_13_DIGITS = 17
NOTHING = Cleared(0, 0)


def id_of(content_name: str) -> str:
    """The id in the name of a content file."""
    return content_name.removesuffix(".zst")


def size_of(room: Room, name: str) -> int:
    try:
        return os.stat(name, dir_fd=room.directory, follow_symlinks=False).st_size
    except OSError:
        return 0


def drop(room: Room, content_name: str) -> Cleared:
    """Remove one artifact. The count is the caller's business."""
    freed = size_of(room, content_name)
    gone = forget(content_name, room.directory)
    for suffix in _SUFFIXES:
        forget(id_of(content_name) + suffix, room.meta)
    return Cleared(1, freed) if gone else NOTHING


def is_kept(room: Room, artifact_id: str) -> bool:
    return there(artifact_id + KEPT, room.meta)


def has_kept(room: Room) -> bool:
    """Whether anything in a session is pinned."""
    return any(name.endswith(KEPT) for name in names(room.meta))


def by_age(found: Iterable[str]) -> list[str]:
    """Names of contents, oldest first."""
    return sorted(found, key=lambda name: (milliseconds(name), name))


def newest(found: list[str], wanted: int | None) -> list[str]:
    """Of the names in a session, so many contents, newest first; all of them if no number is given.

    Times of one length sort as text, which is ten times as fast: so they are sorted that way unless one
    of the first has another length, as it has when the clock was set to the last century.
    """
    if wanted is None or wanted * 8 > len(found):
        first = sorted(found, reverse=True)
    else:
        from heapq import nlargest

        first = nlargest(wanted + len(_OURS), found)
    first = [name for name in first if name.startswith(CONTENT)]
    if any(name[_AFTER_13_DIGITS : _AFTER_13_DIGITS + 1] != "_" for name in first):
        first = by_age(name for name in found if name.startswith(CONTENT))[::-1]
    return first[:wanted]


def number_of_contents(found: list[str]) -> int:
    """How many of the names in a session are contents. One search is faster than ten thousand comparisons."""
    return "\n".join(["", *found]).count("\n" + CONTENT)


def milliseconds(content_name: str) -> int:
    """When a content was made, as its id says.

    >>> milliseconds("art_1699234567890_a1b2")
    1699234567890
    """
    number = content_name[4:].partition("_")[0]
    return int(number) if number.isdigit() else 0


def evict(room: Room, content_name: str, now: Moment, why: str, tell: Tell) -> Cleared:
    """Remove one artifact to make room, leave a note of what it was, and tell of it."""
    artifact_id = id_of(content_name)
    note = None
    with suppress(OverspillError):
        content = read_small(f"{artifact_id}.json", room.meta, MOST_BYTES)
        if content is not None:
            note = records.written(records.read(content, artifact_id)._replace(gone=now.wall, why=why))
    cleared = drop(room, content_name)
    if note is not None:
        with suppress(OSError):
            create(artifact_id + GONE, room.meta, note)
    if cleared.artifacts:
        tell("evict", {"artifact_id": artifact_id, "size": cleared.bytes, "reason": why, "of_session": room.session})
    return cleared


def evict_oldest(room: Room, need: int, now: Moment, why: str, tell: Tell) -> Cleared:
    """Make room for `need` bytes; the oldest go first, pinned ones stay."""
    cleared = NOTHING
    for name in by_age(contents(room)):
        if cleared.bytes >= need:
            break
        if not is_kept(room, id_of(name)):
            cleared = both(cleared, evict(room, name, now, why, tell))
    graves = by_age(name for name in names(room.meta) if name.endswith(GONE))
    for name in graves[: max(0, len(graves) - TOMBSTONES)]:
        forget(name, room.meta)
    return cleared


def both(one: Cleared, other: Cleared) -> Cleared:
    return Cleared(one.artifacts + other.artifacts, one.bytes + other.bytes)


def counted(room: Room) -> tuple[int, int]:
    """Bytes and number of the contents that are there."""
    sizes = [size_of(room, name) for name in contents(room)]
    return sum(sizes), len(sizes)


def tidy(room: Room) -> None:
    """Remove what dead writers left: spools, and records without a content.

    Only for whoever holds the session's lock alone, since a record comes before its content.
    """
    reclaim(room.directory)
    there = {id_of(name) for name in contents(room)}
    for name in names(room.meta):
        stem, dot, suffix = name.partition(".")
        if stem not in there and dot + suffix != GONE and is_id(stem):
            forget(name, room.meta)


def empty(room: Room, *, spare_kept: bool = True) -> Cleared:
    """Remove every artifact of a session, but pinned ones if they are to be spared."""
    cleared = NOTHING
    for name in contents(room):
        if not (spare_kept and is_kept(room, id_of(name))):
            cleared = both(cleared, drop(room, name))
    return cleared


def remove(place: Place, session_id: str, *, spare_kept: bool = True, force: bool = False) -> Cleared:
    """Remove a session: out of sight at once, then file by file.

    Pinned artifacts and files that are not ours keep the directory where it is. With `force` nobody's
    lock is waited for.
    """
    with room_of(place, session_id) as room:
        if room is None:
            return NOTHING
        try:
            lock = Locked(sessions.LOCK, room.directory, seconds=0 if force else None)
        except FileNotFoundError:
            return NOTHING  # somebody was faster
        except LockTimeout:
            if not force:
                raise
            return _removed(room, spare_kept=spare_kept)
        with lock:
            if not same(room.place, session_id, room.directory):
                return NOTHING
            return _removed(room, spare_kept=spare_kept)


def _removed(room: Room, *, spare_kept: bool, most: int | None = None) -> Cleared:
    """Remove a session; with `most`, only so many files now, and the rest by whoever sweeps next."""
    if (spare_kept and has_kept(room)) or _has_strangers(room.directory):
        cleared = empty(room, spare_kept=spare_kept)
        tidy(room)
        forget(views.NAME, room.directory)
        size, count = counted(room)
        with usage.Counter(room.directory) as counter:
            counter.set((counter.now or usage.Usage())._replace(bytes=size, artifacts=count))
        return cleared
    used = None if most is None else usage.read(room.directory)
    size, count = counted(room) if used is None else (used.bytes, used.artifacts)
    trash = f"{sessions.TRASH}{os.urandom(10).hex()}"
    try:
        os.rename(room.session, trash, src_dir_fd=room.place, dst_dir_fd=room.place)
    except FileNotFoundError:
        return NOTHING  # somebody who waits for no lock was faster
    burn(room.place, trash, most)
    return Cleared(count, size)


def _has_strangers(directory: int) -> bool:
    return any(name not in _OURS and not is_id(id_of(name)) for name in names(directory))


def burn(place: int, trash: str, most: int | None = None) -> int:
    """Remove what lies in a trashed session, at most so many files; how many it were."""
    try:
        directory = open_directory(trash, place)
    except OverspillError:
        return 0
    if directory is None:
        return 0
    burnt = 0
    try:
        # Contents first, here too: a reader may still have the directory open.
        for inner in ("", sessions.META, PASSING):
            below = open_directory(inner, directory) if inner else directory
            if below is None:
                continue
            try:
                for name in names(below):
                    if most is not None and burnt >= most:
                        return burnt
                    burnt += forget(name, below)
            finally:
                if inner:
                    os.close(below)
            if inner:
                with suppress(OSError):
                    os.rmdir(inner, dir_fd=directory)
    finally:
        os.close(directory)
    with suppress(OSError):
        os.rmdir(trash, dir_fd=place)
    return burnt


def recheck(room: Room, last_use: float) -> Cleared:
    """Remove what a power cut left half written: for the first to come after a restart, alone with the session.

    Names may have reached the disk before what they name. What was made in the last minutes before is read
    in full; older ones are left to the check that every reader makes.
    """
    from overspill.store.reader import Reader, record_of

    cleared = NOTHING
    for name in contents(room):
        if milliseconds(name) < (last_use - DOUBTFUL_SECONDS) * 1000:
            continue
        try:
            record = record_of(room, id_of(name))
            if record is not None:
                with Reader(room, record) as reader:
                    reader.verify()
        except ArtifactDamaged:
            cleared = both(cleared, drop(room, name))
        except (OverspillError, OSError):
            continue  # nothing is known against it
    tidy(room)
    return cleared


DOUBTFUL_SECONDS = 120.0


def sweep(place: Place, own: str, clock: Clock, ttl: float, *, most: int | None = None) -> Cleared:
    """Remove the sessions of a place that are no longer alive; with `most`, look at only so many."""
    outer = place.open()
    if outer is None:
        return NOTHING
    cleared = NOTHING
    try:
        found = names(outer)
        for name in [name for name in found if name.startswith(sessions.TRASH)]:
            burn(outer, name, None if most is None else most * FILES_A_SESSION)
        candidates = [name for name in found if sessions.is_session_id(name) and name != own]
        if most is not None and len(candidates) > most:
            start = int.from_bytes(os.urandom(4)) % len(candidates)
            candidates = (candidates[start:] + candidates[:start])[:most]
        for session_id in candidates:
            with suppress(OverspillError, OSError):
                if not sessions.is_live(outer, session_id, clock(), ttl):
                    cleared = both(cleared, _bury(place, session_id, clock, ttl, most))
    finally:
        os.close(outer)
    return cleared


def _bury(place: Place, session_id: str, clock: Clock, ttl: float, most: int | None) -> Cleared:
    """Remove a session if it is dead for certain: nobody holds it, asked again under its lock."""
    with room_of(place, session_id) as room:
        if room is None:
            return _bury_unfinished(place, session_id)
        try:
            with (
                Locked(sessions.ALIVE, room.directory, seconds=0),
                Locked(sessions.LOCK, room.directory, seconds=0),
            ):
                if not same(room.place, session_id, room.directory):
                    return NOTHING
                if sessions.is_idle(room.directory, clock(), ttl):
                    return _removed(room, spare_kept=True, most=most and most * FILES_A_SESSION)
        except LockTimeout:
            pass
    return NOTHING


def _bury_unfinished(place: Place, session_id: str) -> Cleared:
    """Remove the directory of a session whose maker died before it was complete."""
    outer = place.open()
    if outer is not None:
        try:
            directory = open_directory(session_id, outer)
            if directory is not None:
                strangers = _has_strangers(directory)
                os.close(directory)
                if not strangers:
                    burn(outer, session_id)
        finally:
            os.close(outer)
    return NOTHING


def tidy_if_alone(place: Place, session_id: str) -> None:
    """Remove what dead writers left in a session, if nobody is writing to it."""
    with suppress(OverspillError, OSError), room_of(place, session_id) as room:
        if room is not None:
            with Locked(sessions.LOCK, room.directory, seconds=0):
                tidy(room)


def is_time_to_sweep(place: Place, now: Moment, every: float) -> bool:
    """Whether nobody has swept this place of late; who asks is the one who does."""
    outer = place.open()
    if outer is None:
        return False
    try:
        with suppress(FileNotFoundError):
            since = now.wall - os.stat(SWEPT, dir_fd=outer, follow_symlinks=False).st_mtime
            if 0 <= since < every:
                return False
        forget(SWEPT, outer)
        with suppress(FileExistsError):
            create(SWEPT, outer, b"")
    except OSError:
        return False
    finally:
        os.close(outer)
    return True


def vanish(place: Place) -> None:
    """Remove a place itself, if nothing of anybody is left in it."""
    outer = place.open()
    if outer is None:
        return
    try:
        if set(names(outer)) <= {SWEPT, sessions.CURRENT}:
            forget(SWEPT, outer)
            forget(sessions.CURRENT, outer)
    finally:
        os.close(outer)
    place.vanish()
