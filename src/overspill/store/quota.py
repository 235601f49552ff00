"""What may be kept: how large one, how much a session and the machine, how many a minute, how full the disk."""

import os

from overspill._lite import NamedTuple
from overspill.errors import QuotaExceeded, StoreError
from overspill.store.clock import Moment, idle_seconds
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


def check_size(size: int, limits: Limits) -> None:
    """Refuse one artifact that is too large."""
    most = limits.max_artifact_size
    if most is not None and size > most:
        raise QuotaExceeded(
            f"Output size ({size / (1 << 20):.1f} MB) exceeds maximum artifact size ({most / (1 << 20):.1f} MB); "
            "raise tools.truncation.max_artifact_size"
        )


def check_disk(directory: int, size: int, limits: Limits) -> None:
    """Refuse what would fill the disk to the brim: others have to write, too."""
    disk = os.fstatvfs(directory)
    floor = min(limits.disk_floor, int(disk.f_blocks * disk.f_frsize * limits.disk_floor_share))
    free = disk.f_bavail * disk.f_frsize
    if free - size < floor:
        raise StoreError(
            f"no space left: {free / 1e6:,.0f} MB are free and {floor / 1e6:,.0f} MB of them stay so "
            "(tools.truncation.artifacts.disk_floor); free some with `spill artifacts clean`"
        )


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
