"""Which directory is the root, where it keeps artifacts, journal and ledger, and the store that the settings ask for.

Below the root lie the settings of a project, its artifacts and its ledger. A root that may not be written is stood in
for by a place below the user's state directory; then all three lie there. Where the ledger lies is known without the
ledger itself, which loads a database.
"""

from __future__ import annotations

import os
import stat

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.errors import ConfigError, InputError, OverspillError
from overspill.files import (
    STATE_OF_A_PROJECT,
    STORAGE,
    StorePlace,
    choose_place,
    create_file,
    make_directory,
    make_state_directory,
    state_directory,
    storage_error,
    translated_errors,
)
from overspill.journal import JOURNAL_FOLDER, Journal, file_journal, joined_journals, watched_journal
from overspill.store import Clock, moment, sessions
from overspill.store.files import FileStore
from overspill.store.quota import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from overspill.database import TenantQuota
    from overspill.settings import Settings
    from overspill.settings.paths import SettingPath

FOLDERS = (".agent", ".acode")
REPOSITORY = ".git"  # a directory, or a file in a worktree
GONE = "/a directory that is gone"  # in the place of one whose name is not known any more


def find_root(explicit: str | None, environ: Mapping[str, str], cwd: str) -> str:
    """The root that was named, else the nearest project at or above `cwd`, else `cwd` itself."""
    named = named_root(explicit, environ)
    if named:
        path = os.path.normpath(os.path.join(cwd, named))
        if not os.path.isdir(path):
            raise InputError(f"the root {named[:200]!r} is not a directory")
        return path
    # A derived root that may not be written is the file store's affair: it falls back to the user's state directory.
    start = os.path.normpath(cwd)
    return next((path for path in _upwards(start) if mark_of(path)), start)


def working_directory() -> str:
    """Where this process is; where it was, if that has been removed meanwhile.

    Then a project above it is the root, or the user's state directory stands in, as for any that cannot be written.
    """
    with suppress(OSError):
        return os.getcwd()  # pathlib costs a start-up
    with suppress(OSError):
        return os.readlink("/proc/self/cwd").removesuffix(" (deleted)")
    before = os.environ.get("PWD", "")
    return before if os.path.isabs(before) else GONE


def named_root(explicit: str | None, environ: Mapping[str, str]) -> str | None:
    """The root as somebody named it, whose word is taken for it: what cannot be kept there is refused."""
    return explicit or environ.get("OVERSPILL_ROOT") or None


def _upwards(path: str) -> list[str]:
    """`path` and every directory above it.

    >>> _upwards("/srv/app")
    ['/srv/app', '/srv', '/']
    """
    found = [path]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found


def mark_of(path: str) -> str:
    """What makes this directory a project; "" if it is not one.

    A link counts as what it leads to: one that leads nowhere marks nothing, as it does for git.
    """
    mark = next((name for name in FOLDERS if os.path.isdir(os.path.join(path, name))), "")
    if not mark and os.path.exists(os.path.join(path, REPOSITORY)):
        mark = REPOSITORY
    return "" if mark and _is_everybodys(path) else mark


def _is_everybodys(path: str) -> bool:
    """Whether it is a place like /tmp, where anybody may put something: what marks a project says nothing there.

    Sandboxes leave an empty `.git` in it, and a stranger may leave settings. Without the sticky bit it may be a
    project on a file system that knows no permissions.
    """
    shared = stat.S_IWOTH | stat.S_ISVTX
    try:
        return os.stat(path).st_mode & shared == shared
    except OSError:
        return False


class StoreLocation(NamedTuple):
    """Where a store writes, where else it reads, for which session, and what is to be said about it."""

    place: StorePlace
    session: sessions.Session
    state: str | None
    also: StorePlace | None = None  # the root's own, where another place stands in for it
    notice: str = ""
    own: bool = False  # the session is this process's alone

    @property
    def stands_in(self) -> bool:
        """Whether artifacts are kept elsewhere, because the root may not be written."""
        return self.also is not None


def locate_store(
    root: str | None,
    session: str | None,
    *,
    own: bool = False,
    environ: Mapping[str, str] | None = None,
    storage: str = STORAGE,
) -> StoreLocation:
    """The place and the session that are meant. Nothing is made on disk.

    Without a `root` it is found from the working directory; without a `session`, from the environment.
    With `own`, a session without a name belongs to this process alone and lives as long as it does.
    """
    environ = os.environ if environ is None else environ
    explicit = named_root(root, environ) is not None
    root = root or find_root(None, environ, working_directory())
    state = state_directory(environ)
    if storage.startswith("/"):
        root, storage, explicit = os.path.dirname(storage), os.path.basename(storage), True
    place, also, notice = choose_place(root, storage, state, explicit=explicit)
    meant = sessions.fresh_session() if own and not session else sessions.resolve_session(session, environ)
    if meant.roams:
        meant = _current(place, meant)
    return StoreLocation(place, meant, state, also, notice, own)


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
    """The store of a root and a session, by itself: without settings, and without a journal.

    `notice` of the result says when artifacts cannot be kept below the root and where they go instead.
    """
    location = locate_store(root, session, own=own, environ=environ, storage=storage)
    return _store_at(location, limits=limits, lazy=lazy, compress=compress, anchor=anchor, clock=clock)


def open_files(
    location: StoreLocation,
    settings: Settings,
    *,
    lazy: bool,
    on_event: Journal | None,
    notify: Callable[[str], None] | None = None,
) -> FileStore:
    """The store that the settings ask for. Nothing is made on disk before something is kept."""
    durability = settings.text("tools.truncation.artifacts.durability")
    make: Callable[..., FileStore] = FileStore
    if address := settings.get("tools.truncation.artifacts.store"):
        from overspill.fleet.store import fleet_store  # only where a bucket is named

        encrypt = settings.get("tools.truncation.artifacts.encrypt")
        make = fleet_store(
            str(address),
            str(encrypt or ""),
            float(settings.integer("fleet.patience")),
            os.environ,
            notify,
            _quota_of(settings),
        )
    return _store_at(
        location,
        limits=limits_of(settings),
        lazy=lazy if durability == "auto" else durability == "lazy",
        compress=settings.flag("tools.truncation.artifacts.compress_large"),
        on_event=on_event,
        make=make,
    )


def _store_at(
    location: StoreLocation,
    *,
    limits: Limits,
    lazy: bool,
    compress: bool,
    anchor: int | None = None,
    clock: Clock = moment,
    on_event: Journal | None = None,
    make: Callable[..., FileStore] = FileStore,
) -> FileStore:
    return make(
        location.place,
        location.session,
        limits=limits,
        lazy=lazy,
        compress=compress,
        state=location.state,
        also=location.also,
        notice=location.notice,
        anchor=os.getpid() if location.own else anchor,
        hold=location.own,
        clock=clock,
        on_event=on_event,
    )


def _current(place: StorePlace, meant: sessions.Session) -> sessions.Session:
    """The session that stands in for the root's own, if one was started."""
    try:
        outer = place.open()
    except (OSError, OverspillError):
        return meant  # said in full by the first call that needs it
    if outer is None:
        return meant
    try:
        with translated_errors("looking for the current session"):
            current = sessions.current_session(outer)
    finally:
        os.close(outer)
    return current or meant


DISK_FLOOR = 100_000_000


def journal_at(location: StoreLocation, root: str, settings: Settings) -> Journal | None:
    """The journal that the settings ask for, if any."""
    if not settings.flag("journal.enabled"):
        return None
    place = logs_of(location, root)
    most, keep = settings.integer("journal.max_size"), settings.integer("journal.keep")
    written = file_journal(place, session=location.session.id, max_size=most, keep=keep)
    return joined_journals(lambda _event, _facts: _made(place.root), written) if location.stands_in else written


def logs_of(location: StoreLocation | FileStore, root: str) -> StorePlace:
    """Where the journal of a root lies: beside its artifacts where the root itself may not be written."""
    if location.stands_in:
        return StorePlace(location.place.root, "/".join([*location.place.steps[:-1], "logs"]))
    return StorePlace(root, JOURNAL_FOLDER)


def with_thresholds(journal: Journal, settings: Settings) -> Journal:
    """The journal, which is also told when a threshold of the settings is crossed."""
    thresholds = {path.rpartition(".")[2]: settings.get(path) for path in THRESHOLDS}
    if all(limit is None for limit in thresholds.values()):
        return journal
    return watched_journal(journal, thresholds, settings.integer("tools.truncation.artifacts.session_quota"))


def _made(state: str) -> None:
    directory = make_state_directory(state)
    if directory is not None:
        os.close(directory)


def limits_of(settings: Settings) -> Limits:
    """How much may be kept. How large one artifact may be is a matter of the tool, and decided before."""
    floor = settings.maybe_integer("tools.truncation.artifacts.disk_floor")
    return Limits(
        max_artifact_size=None,
        session_quota=settings.integer("tools.truncation.artifacts.session_quota"),
        machine_quota=settings.integer("tools.truncation.artifacts.machine_quota"),
        rate=settings.integer("tools.truncation.artifacts.rate_limit"),
        disk_floor=DISK_FLOOR if floor is None else floor,
        disk_floor_share=Limits().disk_floor_share if floor is None else 1.0,
        keep_ended=float(settings.integer("sessions.keep_ended")),
        ttl=float(settings.integer("tools.truncation.artifacts.ttl")),
    )


THRESHOLDS: tuple[SettingPath, ...] = (
    "journal.thresholds.latency_ms",
    "journal.thresholds.truncation_rate",
    "journal.thresholds.storage_share",
    "journal.thresholds.artifact_size",
    "journal.thresholds.artifacts_per_minute",
    "journal.thresholds.redactions",
)


FILE_NAME = "ledger.db"
LONGEST_AUTHOR = 100


def author(named: str | None, session: str | None, environ: Mapping[str, str]) -> str:
    """Who does what is done: by name, by `OVERSPILL_AS`, by the session's name, else the user.

    >>> author(None, None, {"OVERSPILL_AS": "worker-3"}), author("jo", None, {}), author(None, None, {"USER": "al"})
    ('worker-3', 'jo', 'al')
    """
    user = environ.get("USER") or environ.get("LOGNAME") or f"uid-{os.geteuid()}"
    who = named or environ.get("OVERSPILL_AS") or sessions.resolve_session(session, environ).name or user
    return " ".join("".join(letter if letter.isprintable() else " " for letter in who).split())[:LONGEST_AUTHOR] or user


def _quota_of(settings: Settings) -> TenantQuota | None:
    """What a tenant may keep in the bucket, if that is said, and the database that holds it."""
    limit = settings.maybe_integer("fleet.quota")
    if limit is None:
        return None
    named = settings.get("fleet.database")
    if not isinstance(named, str):
        raise ConfigError("fleet.quota is held by a database: name one with fleet.database, or leave the quota out")
    from overspill.database import FleetDatabase
    from overspill.database import TenantQuota as Quota

    database = FleetDatabase.of_setting(named, settings.text("fleet.project"), os.environ)
    return Quota(database, limit)


def ledger_path(store: FileStore, home: str, *, make: bool = False) -> str:
    """The path of the ledger of a root; its directory is made if that is asked for."""
    root, steps = (store.place.root, store.place.steps[:-1]) if store.stands_in else (home, [STATE_OF_A_PROJECT])
    if make:
        try:
            if store.stands_in and (state := make_state_directory(root)) is not None:
                os.close(state)
            _make(root, steps)
        except OSError as error:
            raise storage_error(error, store.place) from None
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
        create_file(".gitignore", at, b"*\n")
    os.close(at)
