"""What may be kept: how large one, how much a session and the machine, how many a minute, how full the disk.

What comes and goes is counted for the session and for the machine, and the oldest make room when a quota is reached.
The machine's count is of all roots of a user together, and beside it lies the list of these roots.
"""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, NamedTuple, sha256, suppress
from overspill.core import human_bytes, sizes_apart
from overspill.core.markers import Wording
from overspill.errors import OverspillError, QuotaExceeded, StoreError
from overspill.files import (
    StorePlace,
    create_file,
    make_directory,
    make_state_directory,
    names_in,
    open_directory,
    read_small,
    remove_file,
)
from overspill.store import Cleared, Clock, Moment, Tell, idle_seconds, session_files, sessions
from overspill.store.removal import (
    NOTHING_CLEARED,
    artifact_id_of,
    by_age,
    content_totals,
    evict_artifact,
    evict_oldest,
    is_kept,
    milliseconds,
    sweep_place,
)
from overspill.store.sessions import SessionDir, contents, open_session_dir

if TYPE_CHECKING:
    from overspill.store.session_files import Usage, UsageCounter

MINUTE = 60.0
# What is freed at once when a quota is reached, so that not every artifact pays for a look at all the others.
SPARE = 64


class Limits(NamedTuple):
    """How much may be kept. `None` is no limit."""

    max_artifact_size: int | None = 10_485_760
    session_quota: int | None = 4 << 30
    machine_quota: int | None = 16 << 30
    rate: int | None = 6_000  # artifacts a minute
    disk_floor: int = 100_000_000  # bytes that stay free, but never more than the share below
    disk_floor_share: float = 0.01
    ttl: float = 86_400.0  # seconds without use after which a session is over
    keep_ended: float = 86_400.0  # seconds that a named session stays after its end


def check_size(size: int, limits: Limits) -> None:
    """Refuse one artifact that is too large."""
    most = limits.max_artifact_size
    if most is not None and size > most:
        raise QuotaExceeded(
            f"{Wording.TOO_LARGE.format(*sizes_apart(size, most))}; raise tools.truncation.max_artifact_size"
        )


def check_disk(directory: int, size: int, limits: Limits) -> None:
    """Refuse what would fill the disk to the brim: others have to write, too."""
    disk = os.fstatvfs(directory)
    floor = min(limits.disk_floor, int(disk.f_blocks * disk.f_frsize * limits.disk_floor_share))
    free = disk.f_bavail * disk.f_frsize
    if free - size < floor:
        wanted = f" for {human_bytes(size)}" if size else ""
        full = StoreError(
            f"no space left{wanted}: {human_bytes(free)} are free, and {human_bytes(floor)} have to stay free "
            "(disk_floor); free some with `spill artifacts clean`"
        )
        raise full.with_help("spill artifacts clean")


def haste(used: Usage, now: Moment, rate: int | None) -> float:
    """How many artifacts came of late, this one included; refuses when they are too many.

    The number goes back evenly, by `rate` a minute: a burst is fine, and so is the next one a minute later.
    """
    if rate is None:
        return 0.0
    passed = idle_seconds(now, used.last) if used.last.wall else MINUTE
    haste = max(0.0, used.haste - passed * rate / MINUTE) + 1
    if haste > rate:
        raise QuotaExceeded(
            f"more than {rate:,} artifacts a minute; wait, or raise tools.truncation.artifacts.rate_limit"
        )
    return haste


def excess_bytes(counter: UsageCounter, size: int, quota: int | None) -> int:
    """Bytes that must go before `size` more fit."""
    used = counter.now.bytes if counter.now else 0
    return 0 if quota is None else max(0, used + size - quota)


def check_quota(size: int, quota: int | None, whose: str) -> None:
    """Refuse one artifact that a whole quota cannot hold."""
    if quota is not None and size > quota:
        raise QuotaExceeded(f"an artifact of {size:,} bytes is more than the {whose} quota of {quota:,} bytes")


PLACES = "places"
PATH_WIDTH = 1 << 13
FOR_MACHINE_QUOTA = "to keep within machine_quota"


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

    def register(self, place: StorePlace) -> None:
        """Note that artifacts are kept here, so that a recount finds them."""
        state = self._open()
        if state is None:
            return
        try:
            places = make_directory(PLACES, state)
            try:
                with suppress(FileExistsError):
                    create_file(_place_name(place), places, f"{place.root}\n{'/'.join(place.steps)}\n".encode())
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
            with session_files.UsageCounter(state) as counter:
                # A power cut may have taken back what was last written here.
                if counter.now is None or counter.now.last.boot != self._clock().boot:
                    counter.set(self._recount())
                if excess_bytes(counter, size, self.quota):
                    counter.set(self._recount())
                if need := excess_bytes(counter, size, self.quota):
                    self._make_room(need + (self.quota or 0) // SPARE)
                    counter.set(self._recount())
                    if excess_bytes(counter, size, self.quota):
                        raise QuotaExceeded(
                            f"all artifacts of this machine hold {self.quota:,} bytes and the rest of them are pinned; "
                            "remove some with `spill artifacts rm`"
                        )
                now = counter.now or session_files.Usage()
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
                session_files.add_usage(state, -cleared.bytes, -cleared.artifacts)
        finally:
            os.close(state)

    def places(self) -> list[StorePlace]:
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
                for name in names_in(listing):
                    with suppress(OverspillError, OSError, ValueError):
                        root, storage, _ = (read_small(name, listing, PATH_WIDTH) or b"").decode().split("\n")
                        place = StorePlace(root, storage)
                        if os.path.isdir(place.path):
                            found.append(place)
                        elif not os.path.isdir(place.root):
                            remove_file(name, listing)
            finally:
                os.close(listing)
        finally:
            os.close(state)
        return found

    def _recount(self) -> session_files.Usage:
        size = count = 0
        for place, session_id in self._sessions():
            with suppress(OverspillError, OSError), open_session_dir(place, session_id) as room:
                if room is not None:
                    more = content_totals(room)
                    size, count = size + more[0], count + more[1]
        return session_files.Usage(size, count, self._clock())

    def _make_room(self, need: int) -> None:
        """Free so many bytes: the dead first, then the oldest, wherever they lie."""
        freed = 0
        for place in self.places():
            freed += sweep_place(place, "", self._clock, self._ttl).bytes
        if freed >= need:
            return
        now = self._clock()
        for _, place, session_id, name in sorted(self._contents(), key=lambda found: (found[0], found[3])):
            if freed >= need:
                return
            with suppress(OverspillError, OSError):
                freed += _evict_content(place, session_id, name, now, self._tell).bytes

    def _contents(self) -> list[tuple[int, StorePlace, str, str]]:
        found = []
        for place, session_id in self._sessions():
            with suppress(OverspillError, OSError), open_session_dir(place, session_id) as room:
                if room is not None:
                    found += [(milliseconds(name), place, session_id, name) for name in by_age(contents(room))]
        return found

    def _sessions(self) -> list[tuple[StorePlace, str]]:
        found = []
        for place in self.places():
            with suppress(OverspillError, OSError):
                found += [(place, session_id) for session_id in sessions.sessions_in(place)]
        return found

    def _open(self, *, make: bool = True) -> int | None:
        if self.state is None or not (make or os.path.isdir(self.state)):
            return None
        state = make_state_directory(self.state)
        if state is not None and make and not os.access(self.state, os.W_OK | os.X_OK):
            os.close(state)
            return None
        return state


def _evict_content(place: StorePlace, session_id: str, name: str, now: Moment, tell: Tell) -> Cleared:
    with open_session_dir(place, session_id) as room:
        if room is None or is_kept(room, artifact_id_of(name)):
            return NOTHING_CLEARED
        cleared = evict_artifact(room, name, now, FOR_MACHINE_QUOTA, tell)
        session_files.add_usage(room.directory, -cleared.bytes, -cleared.artifacts)
        return cleared


def _place_name(place: StorePlace) -> str:
    return sha256(os.fsencode(place.path)).hexdigest()[:26]


TOUCH_EVERY = 60.0
FOR_SESSION_QUOTA = "to keep within session_quota"


class Accounts:
    """The two counts an artifact is in. Every change is made before something comes and after it has gone."""

    def __init__(self, machine: Machine, limits: Limits, clock: Clock, tell: Tell) -> None:
        self.machine = machine
        self._tell = tell
        self._limits = limits
        self._clock = clock

    def reserve(self, room: SessionDir, size: int) -> int:
        """Count an artifact that is about to come; the oldest of the session make room if they must.

        What comes back is what the session then holds, in bytes.
        """
        limits, now = self._limits, self._clock()
        check_quota(size, limits.session_quota, "session")
        evicted = Cleared(0, 0)
        with session_files.UsageCounter(room.directory) as counter:
            if counter.now is None:
                _recount_session(counter, room, now)
            hurry = haste(counter.now or session_files.Usage(), now, limits.rate)
            if excess_bytes(counter, size, limits.session_quota):
                _recount_session(counter, room, now)
            if need := excess_bytes(counter, size, limits.session_quota):
                evicted = evict_oldest(
                    room, need + (limits.session_quota or 0) // SPARE, now, FOR_SESSION_QUOTA, self._tell
                )
                _recount_session(counter, room, now)
                if excess_bytes(counter, size, limits.session_quota):
                    raise QuotaExceeded(
                        f"the session holds {limits.session_quota:,} bytes and the rest of them are pinned; "
                        "remove some with `spill artifacts rm`"
                    )
            used = counter.now or session_files.Usage()
            counter.set(session_files.Usage(used.bytes + size, used.artifacts + 1, now, hurry))
        self.machine.give_back(evicted)
        try:
            self.machine.reserve(size)
        except BaseException:
            session_files.add_usage(room.directory, -size, -1)
            raise
        return used.bytes + size

    def give_back(self, room: SessionDir, cleared: Cleared) -> None:
        """Count what has gone."""
        with suppress(OSError, OverspillError):
            session_files.add_usage(room.directory, -cleared.bytes, -cleared.artifacts)
        self.machine.give_back(cleared)

    def touch(self, room: SessionDir, *, always: bool = False) -> None:
        """Note that a session is in use, if that is not known yet. What cannot be written is left."""
        with suppress(OSError, OverspillError):
            now = self._clock()
            used = session_files.read_usage(room.directory)
            if (
                not always
                and used is not None
                and 0 <= idle_seconds(now, used.last) <= TOUCH_EVERY
                and used.last.boot == now.boot
            ):
                return
            with session_files.UsageCounter(room.directory) as counter:
                if counter.now is None:
                    _recount_session(counter, room, now)
                counter.set((counter.now or session_files.Usage())._replace(last=now))

    def recount(self, room: SessionDir) -> None:
        """Count a session anew, and note that it is in use."""
        with suppress(OSError, OverspillError), session_files.UsageCounter(room.directory) as counter:
            size, count = content_totals(room)
            usage = counter.now or session_files.Usage()
            counter.set(usage._replace(bytes=size, artifacts=count, last=self._clock()))


def _recount_session(counter: session_files.UsageCounter, room: SessionDir, now: Moment) -> None:
    size, count = content_totals(room)
    before = counter.now
    if before is None:
        counter.set(session_files.Usage(size, count))
    else:
        counter.set(before._replace(bytes=size, artifacts=count, last=now))
