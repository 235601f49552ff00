"""The store that the settings ask for: where, for which session, and how much.

Opens the store that is meant: from a root, a session, limits, and what the environment says.

Where the ledger lies: below the root, or beside the artifacts where the root may not be written.

It is known without the ledger itself, which loads a database.
"""

import os
from collections.abc import Mapping
from contextlib import suppress

from overspill.errors import OverspillError
from overspill.files.place import STATE_OF_A_PROJECT, STORAGE, Place, choose, make_state, refused, state_directory
from overspill.files.safe import create, in_words, make_directory
from overspill.journal import FOLDER, Journal, file_journal, joined
from overspill.settings import Settings
from overspill.store import sessions
from overspill.store.clock import Clock, moment
from overspill.store.files import FileStore
from overspill.store.quota import Limits
from overspill.workspace.root import find_root, named_root


def open_store(
    root: str | None = None,
    session: str | None = None,
    *,
    own: bool = False,
    environ: Mapping[str, str] | None = None,
    storage: str = STORAGE,
    limits: Limits = Limits(),  # noqa: B008  # a frozen value
    lazy: bool = False,
    compress: bool = False,
    anchor: int | None = None,
    clock: Clock = moment,
) -> FileStore:
    """The store of a root and a session. Nothing is made on disk before something is kept.

    Without a `root` it is found from the working directory; without a `session`, from the environment.
    With `own`, a session without a name belongs to this process alone and lives as long as it does.
    `notice` of the result says when artifacts cannot be kept below the root and where they go instead.
    """
    environ = os.environ if environ is None else environ
    explicit = named_root(root, environ) is not None
    root = root or find_root(None, environ, os.getcwd())
    state = state_directory(environ)
    if storage.startswith("/"):
        root, storage, explicit = os.path.dirname(storage), os.path.basename(storage), True
    place, also, notice = choose(root, storage, state, explicit=explicit)
    meant = sessions.fresh() if own and not session else sessions.resolve(session, environ)
    if meant.roams:
        meant = _current(place, meant)
    return FileStore(
        place,
        meant,
        limits=limits,
        lazy=lazy,
        compress=compress,
        state=state,
        also=also,
        notice=notice,
        anchor=os.getpid() if own else anchor,
        hold=own,
        clock=clock,
    )


def _current(place: Place, meant: sessions.Session) -> sessions.Session:
    """The session that stands in for the root's own, if one was started."""
    try:
        outer = place.open()
    except (OSError, OverspillError):
        return meant  # said in full by the first call that needs it
    if outer is None:
        return meant
    try:
        with in_words("looking for the current session"):
            current = sessions.current(outer)
    finally:
        os.close(outer)
    return current or meant


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


FILE_NAME = "ledger.db"


def ledger_path(store: FileStore, home: str, *, make: bool = False) -> str:
    """The path of the ledger of a root; its directory is made if that is asked for."""
    root, steps = (store.place.root, store.place.steps[:-1]) if store.stands_in else (home, [STATE_OF_A_PROJECT])
    if make:
        try:
            if store.stands_in and (state := make_state(root)) is not None:
                os.close(state)
            _make(root, steps)
        except OSError as error:
            raise refused(error, store.place) from None
    return os.path.join(root, *steps, FILE_NAME)


def _make(root: str, steps: list[str]) -> None:
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for step in steps:
        try:
            below = make_directory(step, at, private=False)
        finally:
            os.close(at)
        at = below
    with suppress(OSError):
        create(".gitignore", at, b"*\n")
    os.close(at)
