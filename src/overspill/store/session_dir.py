"""The open directory of one session, for the length of one call.

Nothing is kept open between calls: a directory that was removed or swapped in the meantime is noticed
because it is found by its name each time, and threads and forked children share no state.
"""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, NamedTuple, contextmanager
from overspill.errors import StoreError
from overspill.files.safe import Locked, StorePlace, names_in, open_directory
from overspill.store.sessions import LOCK, META, Session, make_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.store import Moment

TRIES = 100
CONTENT = "art_"


class SessionDir(NamedTuple):
    """Descriptors of a place, of one session in it, and of that session's records."""

    place: int
    directory: int
    meta: int
    session: str


@contextmanager
def open_session_dir(place: StorePlace, session_id: str) -> Iterator[SessionDir | None]:
    """The directory of a session, or None if it is not there."""
    outer = place.open()
    if outer is None:
        yield None
        return
    opened = None
    try:
        opened = _open_descriptors(outer, session_id)
        yield SessionDir(outer, *opened, session_id) if opened else None
    finally:
        for directory in (outer, *(opened or ())):
            os.close(directory)


@contextmanager
def make_session_dir(
    place: StorePlace, session: Session, now: Moment, anchor: int | None = None, *, durable: bool = False
) -> Iterator[SessionDir]:
    """The directory of a session, made if need be, and locked against its removal.

    Whoever removes a session renames its directory away while he holds the lock alone; so a lock is
    worth something only if the directory still has its name afterwards.
    """
    for _ in range(TRIES):
        outer = place.make(durable=durable)
        inner = records = -1
        try:
            try:
                inner, records = _open_descriptors(outer, session.id) or make_session(
                    outer, session, now, anchor, durable=durable
                )
                lock = Locked(LOCK, inner, shared=True)
            except FileNotFoundError:
                continue  # removed in this moment
            with lock:
                if is_same_directory(outer, session.id, inner):
                    yield SessionDir(outer, inner, records, session.id)
                    return
        finally:
            for directory in (outer, inner, records):
                if directory >= 0:
                    os.close(directory)
    raise StoreError("the session is removed as often as it is made")


def _open_descriptors(place: int, session_id: str) -> tuple[int, int] | None:
    inner = open_directory(session_id, place)
    if inner is None:
        return None
    try:
        records = open_directory(META, inner)
    except BaseException:
        os.close(inner)
        raise
    if records is None:
        os.close(inner)
        return None
    return inner, records


def is_same_directory(place: int, session_id: str, directory: int) -> bool:
    """Whether a directory still has its name."""
    try:
        found = os.stat(session_id, dir_fd=place, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return found.st_ino == os.fstat(directory).st_ino


def contents(room: SessionDir) -> list[str]:
    """The names of the content files of a session, in no order."""
    return [name for name in names_in(room.directory) if name.startswith(CONTENT)]
