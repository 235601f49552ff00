"""What lies beside and inside the artifacts of a root, read without leaving a trace: no session is used by it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import NamedTuple

from overspill._lite import TYPE_CHECKING, suppress
from overspill.errors import OverspillError
from overspill.files.safe import read_small
from overspill.report.parts import ShownRecord, parse_shown
from overspill.store import is_id, removal, sessions
from overspill.store.reader import Reader, artifact_record
from overspill.store.session_dir import open_session_dir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.files.safe import StorePlace
    from overspill.store.files import FileStore
    from overspill.store.session_dir import SessionDir

MAX_SHOWN_BYTES = 1 << 18


class KeptText(NamedTuple):
    """An artifact that is there, opened for reading, and what was shown of it."""

    reader: Reader
    shown: ShownRecord | None


class KeptTexts:
    """The artifacts that may be read from a store's session."""

    def __init__(self, store: FileStore) -> None:
        self._store = store
        self._elsewhere: dict[str, tuple[StorePlace, str]] | None = None

    @contextmanager
    def open(self, artifact_id: str, session: str) -> Iterator[KeptText | None]:
        """An artifact of a session, or None where it is gone, damaged or no text."""
        found: KeptText | None = None
        with suppress(OverspillError, OSError):
            found = self._find(artifact_id, session) if is_id(artifact_id) else None
        if found is None:
            yield None
            return
        with found.reader:
            yield found

    def _find(self, artifact_id: str, session: str) -> KeptText | None:
        if self._may_read(session):
            for place in self._store.places():
                if (found := _kept_in(place, session, artifact_id)) is not None:
                    return found
        if self._elsewhere is None:
            self._elsewhere = {one: where for where in self._sessions() for one in _ids_in(*where)}
        where = self._elsewhere.get(artifact_id)
        return None if where is None else _kept_in(*where, artifact_id)

    def _may_read(self, session: str) -> bool:
        """One named session never reads another's."""
        own = self._store.session
        return sessions.is_session_id(session) and (own.roams or session == own.id)

    def _sessions(self) -> Iterator[tuple[StorePlace, str]]:
        for place in self._store.places():
            outer = place.open()
            if outer is None:
                continue
            try:
                names = sessions.other_sessions(outer, "")
            finally:
                os.close(outer)
            yield from ((place, name) for name in names if self._may_read(name))


def _ids_in(place: StorePlace, session: str) -> list[str]:
    with open_session_dir(place, session) as room:
        return [] if room is None else removal.recorded_ids(room)


def _kept_in(place: StorePlace, session: str, artifact_id: str) -> KeptText | None:
    with open_session_dir(place, session) as room:
        if room is None:
            return None
        record = artifact_record(room, artifact_id)
        if record is None or record.artifact.is_binary:
            return None
        return KeptText(Reader(room, record), _shown_of(room, artifact_id))


def _shown_of(room: SessionDir, artifact_id: str) -> ShownRecord | None:
    with suppress(OverspillError, OSError):
        return parse_shown(read_small(artifact_id + removal.SHOWN, room.meta, MAX_SHOWN_BYTES))
    return None


def newest_shown(store: FileStore, most: int) -> Iterator[tuple[str, ShownRecord]]:
    """What was shown of the newest artifacts of a store's own session, the newest first."""
    for place in store.places():
        with open_session_dir(place, store.session.id) as room:
            if room is None:
                continue
            for artifact_id in sorted(removal.recorded_ids(room), reverse=True)[:most]:
                if (shown := _shown_of(room, artifact_id)) is not None:
                    yield artifact_id, shown
