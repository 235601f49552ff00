"""The store that the settings ask for: where, for which session, and how much."""

import os

from overspill.files.place import Place, make_state
from overspill.journal.writer import FOLDER, Journal, file_journal, joined
from overspill.settings import Settings
from overspill.store.files import FileStore
from overspill.store.opening import open_store
from overspill.store.quota import Limits

DISK_FLOOR = 100_000_000


def store_of(
    settings: Settings,
    root: str | None,
    session: str | None,
    *,
    home: str,
    own: bool = False,
    lazy: bool = False,
    journal: Journal | None = None,
    on_event: Journal | None = None,
) -> FileStore:
    """The files of a session. With `own`, a session without a name that ends with this process.

    What becomes of artifacts is told to the `journal`, which is kept below `home` unless another is handed in.
    """
    durability = settings.text(f"{ARTIFACTS}durability")
    store = open_store(
        root,
        session,
        own=own,
        storage=settings.text(f"{ARTIFACTS}storage_path"),
        limits=limits_of(settings),
        lazy=lazy if durability == "auto" else durability == "lazy",
        compress=settings.flag(f"{ARTIFACTS}compress_large"),
    )
    written = journal_of(settings, store, home) if journal is None else journal
    store.tell = watched(joined(written, on_event), settings)
    return store


def journal_of(settings: Settings, store: FileStore, home: str) -> Journal | None:
    """The journal that the settings ask for, if any."""
    if not settings.flag("journal.enabled"):
        return None
    place = logs_of(store, home)
    most, keep = settings.integer("journal.max_size"), settings.integer("journal.keep")
    written = file_journal(place, session=store.session.id, max_size=most, keep=keep)
    return joined(lambda _event, _facts: _made(place.root), written) if store.stands_in else written


def logs_of(store: FileStore, home: str) -> Place:
    """Where the journal of a root lies: beside its artifacts where the root itself may not be written."""
    if store.stands_in:
        return Place(store.place.root, "/".join([*store.place.steps[:-1], "logs"]))
    return Place(home, FOLDER)


def watched(tell: Journal | None, settings: Settings) -> Journal | None:
    """The same journal, which also says when a threshold of the settings is crossed."""
    if tell is None or all(settings.get(f"journal.thresholds.{name}") is None for name in THRESHOLDS):
        return tell
    from overspill.journal.alerts import watching

    return watching(
        tell, {name: settings.get(f"journal.thresholds.{name}") for name in THRESHOLDS}, limits_of(settings)
    )


def _made(state: str) -> None:
    directory = make_state(state)
    if directory is not None:
        os.close(directory)


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
THRESHOLDS = ("latency_ms", "truncation_rate", "storage_share", "artifact_size", "artifacts_per_minute", "redactions")
