"""What all roots of a user hold together: one count, and a list of the places it is the count of."""

import os
from contextlib import suppress

from overspill._lite import sha256
from overspill.errors import OverspillError, QuotaExceeded
from overspill.files.place import Place, make_state
from overspill.files.safe import create, forget, make_directory, names, open_directory, read_small
from overspill.store import Cleared, Tell, sessions, usage
from overspill.store.clock import Clock, Moment
from overspill.store.quota import SPARE, check_quota, too_much
from overspill.store.removal import NOTHING, by_age, counted, evict, id_of, is_kept, milliseconds, sweep
from overspill.store.session_dir import contents, room_of

PLACES = "places"
PATH_WIDTH = 1 << 13
WHY = "to keep within machine_quota"


class Machine:
    """The count of all roots. Where no state directory may be written, nothing is counted and nothing refused.

    Sandboxes of agents let commands write to the project and nowhere else.
    """

    def __init__(self, state: str | None, quota: int | None, clock: Clock, ttl: float, tell: Tell) -> None:
        self.state = state
        self.quota = quota
        self._clock = clock
        self._ttl = ttl
        self._tell = tell

    def register(self, place: Place) -> None:
        """Note that artifacts are kept here, so that a recount finds them."""
        state = self._open()
        if state is None:
            return
        try:
            places = make_directory(PLACES, state)
            try:
                with suppress(FileExistsError):
                    create(_name(place), places, f"{place.root}\n{'/'.join(place.steps)}\n".encode())
            finally:
                os.close(places)
        except (OSError, OverspillError):
            return
        finally:
            os.close(state)

    def reserve(self, size: int) -> None:
        """Count so many bytes more; the oldest of the machine make room if they must."""
        check_quota(size, self.quota, "machine")
        state = self._open() if self.quota is not None else None
        if state is None:
            return
        try:
            with usage.Counter(state) as counter:
                # A power cut may have taken back what was last written here.
                if counter.now is None or counter.now.last.boot != self._clock().boot:
                    counter.set(self._recount())
                if too_much(counter, size, self.quota):
                    counter.set(self._recount())
                if need := too_much(counter, size, self.quota):
                    self._make_room(need + (self.quota or 0) // SPARE)
                    counter.set(self._recount())
                    if too_much(counter, size, self.quota):
                        raise QuotaExceeded(
                            f"all artifacts of this machine hold {self.quota:,} bytes and the rest of them are pinned; "
                            "remove some with `spill artifacts rm`"
                        )
                now = counter.now or usage.Usage()
                counter.set(now._replace(bytes=now.bytes + size, artifacts=now.artifacts + 1, last=self._clock()))
        finally:
            os.close(state)

    def give_back(self, cleared: Cleared) -> None:
        """Count what is gone."""
        state = self._open() if self.quota is not None and cleared.artifacts else None
        if state is None:
            return
        try:
            with suppress(OSError, OverspillError):
                usage.add(state, -cleared.bytes, -cleared.artifacts)
        finally:
            os.close(state)

    def places(self) -> list[Place]:
        """Every place that was ever registered and still is there."""
        state = self._open(make=False)
        if state is None:
            return []
        found = []
        try:
            listing = open_directory(PLACES, state)
            if listing is None:
                return []
            try:
                for name in names(listing):
                    with suppress(OverspillError, OSError, ValueError):
                        root, storage, _ = (read_small(name, listing, PATH_WIDTH) or b"").decode().split("\n")
                        place = Place(root, storage)
                        if os.path.isdir(place.path):
                            found.append(place)
                        elif not os.path.isdir(place.root):
                            forget(name, listing)
            finally:
                os.close(listing)
        finally:
            os.close(state)
        return found

    def _recount(self) -> usage.Usage:
        size = count = 0
        for place, session_id in self._sessions():
            with suppress(OverspillError, OSError), room_of(place, session_id) as room:
                if room is not None:
                    more = counted(room)
                    size, count = size + more[0], count + more[1]
        return usage.Usage(size, count, self._clock())

    def _make_room(self, need: int) -> None:
        """Free so many bytes: the dead first, then the oldest, wherever they lie."""
        freed = 0
        for place in self.places():
            freed += sweep(place, "", self._clock, self._ttl).bytes
        if freed >= need:
            return
        now = self._clock()
        for _, place, session_id, name in sorted(self._contents(), key=lambda found: (found[0], found[3])):
            if freed >= need:
                return
            with suppress(OverspillError, OSError):
                freed += _evicted(place, session_id, name, now, self._tell).bytes

    def _contents(self) -> list[tuple[int, Place, str, str]]:
        found = []
        for place, session_id in self._sessions():
            with suppress(OverspillError, OSError), room_of(place, session_id) as room:
                if room is not None:
                    found += [(milliseconds(name), place, session_id, name) for name in by_age(contents(room))]
        return found

    def _sessions(self) -> list[tuple[Place, str]]:
        found = []
        for place in self.places():
            with suppress(OverspillError, OSError):
                outer = place.open()
                if outer is not None:
                    try:
                        found += [(place, session_id) for session_id in sessions.others(outer, "")]
                    finally:
                        os.close(outer)
        return found

    def _open(self, *, make: bool = True) -> int | None:
        if self.state is None or not (make or os.path.isdir(self.state)):
            return None
        state = make_state(self.state)
        if state is not None and make and not os.access(self.state, os.W_OK | os.X_OK):
            os.close(state)
            return None
        return state


def _evicted(place: Place, session_id: str, name: str, now: Moment, tell: Tell) -> Cleared:
    with room_of(place, session_id) as room:
        if room is None or is_kept(room, id_of(name)):
            return NOTHING
        cleared = evict(room, name, now, WHY, tell)
        usage.add(room.directory, -cleared.bytes, -cleared.artifacts)
        return cleared


def _name(place: Place) -> str:
    return sha256(os.fsencode(place.path)).hexdigest()[:26]
