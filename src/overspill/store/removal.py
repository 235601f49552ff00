"""How artifacts and sessions go: content first, so that there is never a content without a record."""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, suppress
from overspill.errors import ArtifactDamaged, LockTimeout, OverspillError
from overspill.files import (
    PASSING,
    Locked,
    StorePlace,
    create_file,
    is_there,
    names_in,
    open_directory,
    read_small,
    remove_file,
)
from overspill.store import Cleared, Clock, Moment, Tell, is_id, records, session_files, sessions
from overspill.store.records import MAX_RECORD_BYTES
from overspill.store.session_files import reclaim_spools
from overspill.store.sessions import CONTENT, SessionDir, contents, is_same_directory, open_session_dir

if TYPE_CHECKING:
    from collections.abc import Iterable

TOMBSTONES = 1000
FILES_A_SESSION = 4  # that a little sweep removes, on average
KEPT = ".keep"
GONE = ".gone"
SHOWN = ".view"
SENT = ".sent"  # it is in the bucket, too
_SUFFIXES = (".json", ".idx", KEPT, GONE, SHOWN, SENT)
_OURS = {
    sessions.LOCK,
    sessions.ALIVE,
    sessions.RECORD_FILE,
    sessions.META,
    PASSING,
    session_files.USAGE_FILE,
    session_files.VIEWS_FILE,
}
SWEPT = "swept"
_AFTER_13_DIGITS = 17
NOTHING_CLEARED = Cleared(0, 0)


def artifact_id_of(content_name: str) -> str:
    """The id in the name of a content file."""
    return content_name.removesuffix(".zst")


def content_size(room: SessionDir, name: str) -> int:
    try:
        return os.stat(name, dir_fd=room.directory, follow_symlinks=False).st_size
    except OSError:
        return 0


def drop_artifact(room: SessionDir, content_name: str, *, leave: str = "") -> Cleared:
    """Remove one artifact, but the file beside it that is to be left. The count is the caller's business."""
    freed = content_size(room, content_name)
    gone = remove_file(content_name, room.directory)
    for suffix in _SUFFIXES:
        if suffix != leave:
            remove_file(artifact_id_of(content_name) + suffix, room.meta)
    return Cleared(1, freed) if gone else NOTHING_CLEARED


def is_kept(room: SessionDir, artifact_id: str) -> bool:
    return is_there(artifact_id + KEPT, room.meta)


def recorded_ids(room: SessionDir) -> list[str]:
    """The ids of which a session has a record, of what is there and of what had to make room."""
    return [name.rpartition(".")[0] for name in names_in(room.meta) if name.endswith((".json", GONE))]


def has_kept(room: SessionDir) -> bool:
    """Whether anything in a session is pinned."""
    return any(name.endswith(KEPT) for name in names_in(room.meta))


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


def evict_artifact(room: SessionDir, content_name: str, now: Moment, why: str, tell: Tell) -> Cleared:
    """Remove one artifact to make room, leave a note of what it was, and tell of it."""
    artifact_id = artifact_id_of(content_name)
    note = None
    with suppress(OverspillError):
        content = read_small(f"{artifact_id}.json", room.meta, MAX_RECORD_BYTES)
        if content is not None:
            note = records.record_bytes(records.parse_record(content, artifact_id)._replace(gone=now.wall, why=why))
    # The note first: whoever finds no record any more must see that it was not deleted.
    if note is not None:
        with suppress(OSError):
            create_file(artifact_id + GONE, room.meta, note)
    cleared = drop_artifact(room, content_name, leave=GONE)
    if cleared.artifacts:
        tell("evict", {"artifact_id": artifact_id, "size": cleared.bytes, "reason": why, "of_session": room.session})
    return cleared


def evict_oldest(room: SessionDir, need: int, now: Moment, why: str, tell: Tell) -> Cleared:
    """Make room for `need` bytes; the oldest go first, pinned ones stay."""
    cleared = NOTHING_CLEARED
    for name in by_age(contents(room)):
        if cleared.bytes >= need:
            break
        if not is_kept(room, artifact_id_of(name)):
            cleared = sum_cleared(cleared, evict_artifact(room, name, now, why, tell))
    graves = by_age(name for name in names_in(room.meta) if name.endswith(GONE))
    for name in graves[: max(0, len(graves) - TOMBSTONES)]:
        remove_file(name, room.meta)
    return cleared


def sum_cleared(one: Cleared, other: Cleared) -> Cleared:
    return Cleared(one.artifacts + other.artifacts, one.bytes + other.bytes)


def content_totals(room: SessionDir) -> tuple[int, int]:
    """Bytes and number of the contents that are there."""
    sizes = [content_size(room, name) for name in contents(room)]
    return sum(sizes), len(sizes)


def tidy_session(room: SessionDir) -> None:
    """Remove what dead writers left: spools, and records without a content.

    Only for whoever holds the session's lock alone, since a record comes before its content.
    """
    reclaim_spools(room.directory)
    there = {artifact_id_of(name) for name in contents(room)}
    for name in names_in(room.meta):
        stem, dot, suffix = name.partition(".")
        if stem not in there and dot + suffix != GONE and is_id(stem):
            remove_file(name, room.meta)


def empty_session(room: SessionDir, *, spare_kept: bool = True) -> Cleared:
    """Remove every artifact of a session, but pinned ones if they are to be spared."""
    cleared = NOTHING_CLEARED
    for name in contents(room):
        if not (spare_kept and is_kept(room, artifact_id_of(name))):
            cleared = sum_cleared(cleared, drop_artifact(room, name))
    return cleared


def remove_session(place: StorePlace, session_id: str, *, spare_kept: bool = True, force: bool = False) -> Cleared:
    """Remove a session: out of sight at once, then file by file.

    Pinned artifacts and files that are not ours keep the directory where it is. With `force` nobody's
    lock is waited for.
    """
    with open_session_dir(place, session_id) as room:
        if room is None:
            return NOTHING_CLEARED
        try:
            lock = Locked(sessions.LOCK, room.directory, seconds=0 if force else None)
        except FileNotFoundError:
            return NOTHING_CLEARED  # somebody was faster
        except LockTimeout:
            if not force:
                raise
            return _remove_locked(room, spare_kept=spare_kept)
        with lock:
            if not is_same_directory(room.place, session_id, room.directory):
                return NOTHING_CLEARED
            return _remove_locked(room, spare_kept=spare_kept)


def _remove_locked(room: SessionDir, *, spare_kept: bool, most: int | None = None) -> Cleared:
    """Remove a session; with `most`, only so many files now, and the rest by whoever sweeps next."""
    if (spare_kept and has_kept(room)) or _has_strangers(room.directory):
        cleared = empty_session(room, spare_kept=spare_kept)
        tidy_session(room)
        remove_file(session_files.VIEWS_FILE, room.directory)
        size, count = content_totals(room)
        with session_files.UsageCounter(room.directory) as counter:
            counter.set((counter.now or session_files.Usage())._replace(bytes=size, artifacts=count))
        return cleared
    used = None if most is None else session_files.read_usage(room.directory)
    size, count = content_totals(room) if used is None else (used.bytes, used.artifacts)
    trash = f"{sessions.TRASH}{os.urandom(10).hex()}"
    try:
        os.rename(room.session, trash, src_dir_fd=room.place, dst_dir_fd=room.place)
    except FileNotFoundError:
        return NOTHING_CLEARED  # somebody who waits for no lock was faster
    empty_trash(room.place, trash, most)
    return Cleared(count, size)


def _has_strangers(directory: int) -> bool:
    return any(name not in _OURS and not is_id(artifact_id_of(name)) for name in names_in(directory))


def empty_trash(place: int, trash: str, most: int | None = None) -> int:
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
                for name in names_in(below):
                    if most is not None and burnt >= most:
                        return burnt
                    burnt += remove_file(name, below)
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


def recheck_session(room: SessionDir, last_use: float) -> Cleared:
    """Remove what a power cut left half written: for the first to come after a restart, alone with the session.

    Names may have reached the disk before what they name. What was made in the last minutes before is read
    in full; older ones are left to the check that every reader makes.
    """
    from overspill.store.reader import Reader, artifact_record

    cleared = NOTHING_CLEARED
    for name in contents(room):
        if milliseconds(name) < (last_use - DOUBTFUL_SECONDS) * 1000:
            continue
        try:
            record = artifact_record(room, artifact_id_of(name))
            if record is not None:
                with Reader(room, record) as reader:
                    reader.verify()
        except ArtifactDamaged:
            cleared = sum_cleared(cleared, drop_artifact(room, name))
        except (OverspillError, OSError):
            continue  # nothing is known against it
    tidy_session(room)
    return cleared


DOUBTFUL_SECONDS = 120.0


def sweep_place(place: StorePlace, own: str, clock: Clock, ttl: float, *, most: int | None = None) -> Cleared:
    """Remove the sessions of a place that are no longer alive; with `most`, look at only so many."""
    cleared = NOTHING_CLEARED
    with place.directory() as outer:
        if outer is None:
            return cleared
        found = names_in(outer)
        for name in [name for name in found if name.startswith(sessions.TRASH)]:
            empty_trash(outer, name, None if most is None else most * FILES_A_SESSION)
        candidates = [name for name in found if sessions.is_session_id(name) and name != own]
        if most is not None and len(candidates) > most:
            start = int.from_bytes(os.urandom(4)) % len(candidates)
            candidates = (candidates[start:] + candidates[:start])[:most]
        for session_id in candidates:
            with suppress(OverspillError, OSError):
                if not sessions.is_live(outer, session_id, clock(), ttl):
                    cleared = sum_cleared(cleared, _remove_if_dead(place, session_id, clock, ttl, most))
    return cleared


def _remove_if_dead(place: StorePlace, session_id: str, clock: Clock, ttl: float, most: int | None) -> Cleared:
    """Remove a session if it is dead for certain: nobody holds it, asked again under its lock."""
    with open_session_dir(place, session_id) as room:
        if room is None:
            return _remove_unfinished(place, session_id)
        try:
            with (
                Locked(sessions.ALIVE, room.directory, seconds=0),
                Locked(sessions.LOCK, room.directory, seconds=0),
            ):
                if not is_same_directory(room.place, session_id, room.directory):
                    return NOTHING_CLEARED
                if sessions.is_idle(room.directory, clock(), ttl):
                    return _remove_locked(room, spare_kept=True, most=most and most * FILES_A_SESSION)
        except LockTimeout:
            pass
    return NOTHING_CLEARED


def _remove_unfinished(place: StorePlace, session_id: str) -> Cleared:
    """Remove the directory of a session whose maker died before it was complete."""
    with place.directory() as outer:
        directory = None if outer is None else open_directory(session_id, outer)
        if outer is not None and directory is not None:
            strangers = _has_strangers(directory)
            os.close(directory)
            if not strangers:
                empty_trash(outer, session_id)
    return NOTHING_CLEARED


def tidy_if_alone(place: StorePlace, session_id: str) -> None:
    """Remove what dead writers left in a session, if nobody is writing to it."""
    with suppress(OverspillError, OSError), open_session_dir(place, session_id) as room:
        if room is not None:
            with Locked(sessions.LOCK, room.directory, seconds=0):
                tidy_session(room)


def is_time_to_sweep(place: StorePlace, now: Moment, every: float) -> bool:
    """Whether nobody has swept this place of late; who asks is the one who does."""
    with place.directory() as outer:
        if outer is None:
            return False
        try:
            with suppress(FileNotFoundError):
                since = now.wall - os.stat(SWEPT, dir_fd=outer, follow_symlinks=False).st_mtime
                if 0 <= since < every:
                    return False
            remove_file(SWEPT, outer)
            with suppress(FileExistsError):
                create_file(SWEPT, outer, b"")
        except OSError:
            return False
    return True


def remove_if_empty(place: StorePlace) -> None:
    """Remove a place itself, if nothing of anybody is left in it."""
    with place.directory() as outer:
        if outer is not None and set(names_in(outer)) <= {SWEPT, sessions.CURRENT_FILE}:
            remove_file(SWEPT, outer)
            remove_file(sessions.CURRENT_FILE, outer)
    place.remove_if_empty()
