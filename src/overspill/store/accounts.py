"""Counts what comes and goes, for the session and for the machine, and makes room when a quota is reached."""

from contextlib import suppress

from overspill.errors import OverspillError, QuotaExceeded
from overspill.store import Cleared, Tell, usage
from overspill.store.clock import Clock, Moment, idle
from overspill.store.machine import Machine
from overspill.store.quota import SPARE, Limits, check_quota, haste, too_much
from overspill.store.removal import counted, evict_oldest
from overspill.store.session_dir import Room

TOUCH_EVERY = 60.0
WHY = "to keep within session_quota"


class Accounts:
    """The two counts an artifact is in. Every change is made before something comes and after it has gone."""

    def __init__(self, machine: Machine, limits: Limits, clock: Clock, tell: Tell) -> None:
        self.machine = machine
        self._tell = tell
        self._limits = limits
        self._clock = clock

    def reserve(self, room: Room, size: int) -> int:
        """Count an artifact that is about to come; the oldest of the session make room if they must.

        What comes back is what the session then holds, in bytes.
        """
        limits, now = self._limits, self._clock()
        check_quota(size, limits.session_quota, "session")
        evicted = Cleared(0, 0)
        with usage.Counter(room.directory) as counter:
            if counter.now is None:
                _recount(counter, room, now)
            hurry = haste(counter.now or usage.Usage(), now, limits.rate)
            if too_much(counter, size, limits.session_quota):
                _recount(counter, room, now)
            if need := too_much(counter, size, limits.session_quota):
                evicted = evict_oldest(room, need + (limits.session_quota or 0) // SPARE, now, WHY, self._tell)
                _recount(counter, room, now)
                if too_much(counter, size, limits.session_quota):
                    raise QuotaExceeded(
                        f"the session holds {limits.session_quota:,} bytes and the rest of them are pinned; "
                        "remove some with `spill artifacts rm`"
                    )
            used = counter.now or usage.Usage()
            counter.set(usage.Usage(used.bytes + size, used.artifacts + 1, now, hurry))
        self.machine.give_back(evicted)
        try:
            self.machine.reserve(size)
        except BaseException:
            usage.add(room.directory, -size, -1)
            raise
        return used.bytes + size

    def give_back(self, room: Room, cleared: Cleared) -> None:
        """Count what has gone."""
        with suppress(OSError, OverspillError):
            usage.add(room.directory, -cleared.bytes, -cleared.artifacts)
        self.machine.give_back(cleared)

    def touch(self, room: Room, *, always: bool = False) -> None:
        """Note that a session is in use, if that is not known yet. What cannot be written is left."""
        with suppress(OSError, OverspillError):
            now = self._clock()
            used = usage.read(room.directory)
            if (
                not always
                and used is not None
                and 0 <= idle(now, used.last) <= TOUCH_EVERY
                and used.last.boot == now.boot
            ):
                return
            with usage.Counter(room.directory) as counter:
                if counter.now is None:
                    _recount(counter, room, now)
                counter.set((counter.now or usage.Usage())._replace(last=now))

    def recount(self, room: Room) -> None:
        """Count a session anew, and note that it is in use."""
        with suppress(OSError, OverspillError), usage.Counter(room.directory) as counter:
            size, count = counted(room)
            counter.set((counter.now or usage.Usage())._replace(bytes=size, artifacts=count, last=self._clock()))


def _recount(counter: usage.Counter, room: Room, now: Moment) -> None:
    size, count = counted(room)
    before = counter.now
    if before is None:
        counter.set(usage.Usage(size, count))
    else:
        counter.set(before._replace(bytes=size, artifacts=count, last=now))
