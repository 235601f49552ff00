"""When it is, and whether a process is still the one it was.

The wall clock may be set, so time that has passed is measured by the clock of the running system,
which nobody sets and which goes on in sleep; the wall clock counts only across a restart.
"""

import os
import time
from collections.abc import Callable

from overspill._lite import NamedTuple

# After a restart the wall clock may be wrong until it is set from outside; nothing is judged by it before.
SETTLED_AFTER = 600.0


class Moment(NamedTuple):
    """A point in time on this machine."""

    wall: float
    up: float  # seconds this system has been running
    boot: bytes  # which run of the system this is; empty where nobody says


Clock = Callable[[], Moment]

_boot: bytes | None = None


def moment() -> Moment:
    """Now."""
    return Moment(time.time(), time.clock_gettime(_UPTIME), boot_id())


def boot_id() -> bytes:
    """Sixteen bytes that name this run of the system, or none."""
    global _boot  # noqa: PLW0603  # it cannot change while we run
    if _boot is None:
        _boot = bytes.fromhex(_proc_line("/proc/sys/kernel/random/boot_id").replace("-", ""))[:16]
    return _boot


def idle_seconds(now: Moment, last: Moment) -> float:
    """Seconds that have passed since `last`, and never too many: when in doubt, none."""
    if now.boot == last.boot and now.up >= last.up:
        return now.up - last.up
    return max(0.0, now.wall - last.wall) if now.up >= SETTLED_AFTER else 0.0


class Anchor(NamedTuple):
    """A process that will not be mistaken for a later one with the same number."""

    boot: str
    namespace: str
    pid: int
    start: str


def anchor_of(pid: int) -> Anchor | None:
    """The anchor of a running process, or None if it cannot be told apart from others."""
    start, namespace = _start(pid), _namespace()
    return Anchor(boot_id().hex(), namespace, pid, start) if start and namespace else None


def is_running(anchor: Anchor) -> bool | None:
    """Whether that process still runs; None when this cannot be seen from here."""
    if anchor.boot != boot_id().hex():
        return False
    if anchor.namespace != _namespace():
        return None
    return _start(anchor.pid) == anchor.start


def _start(pid: int) -> str:
    # The name of the program may hold blanks and brackets: count from its last bracket.
    fields = _proc_line(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return "" if len(fields) <= _START_FIELD or fields[0] in {"Z", "X"} else fields[_START_FIELD]


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _proc_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


_START_FIELD = 19
_UPTIME = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
