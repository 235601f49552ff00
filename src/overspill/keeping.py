"""The store that the settings ask for: where, for which session, and how much."""

from overspill.config import Settings
from overspill.store.files import FileStore
from overspill.store.opening import open_store
from overspill.store.quota import Limits

DISK_FLOOR = 100_000_000


def store_of(
    settings: Settings, root: str | None, session: str | None, *, own: bool = False, lazy: bool = False
) -> FileStore:
    """The files of a session. With `own`, a session without a name that ends with this process."""
    durability = settings.text(f"{ARTIFACTS}durability")
    return open_store(
        root,
        session,
        own=own,
        storage=settings.text(f"{ARTIFACTS}storage_path"),
        limits=limits_of(settings),
        lazy=lazy if durability == "auto" else durability == "lazy",
        compress=settings.flag(f"{ARTIFACTS}compress_large"),
    )


def limits_of(settings: Settings) -> Limits:
    """How much may be kept. How large one artifact may be is a matter of the tool, and decided before."""
    floor = settings.maybe_integer(f"{ARTIFACTS}disk_floor")
    return Limits(
        max_artifact_size=None,
        session_quota=settings.integer(f"{ARTIFACTS}session_quota"),
        machine_quota=settings.integer(f"{ARTIFACTS}machine_quota"),
        rate=settings.integer(f"{ARTIFACTS}rate_limit"),
        disk_floor=DISK_FLOOR if floor is None else floor,
        ttl=float(settings.integer(f"{ARTIFACTS}ttl")),
    )


ARTIFACTS = "tools.truncation.artifacts."
