"""Sessions: who groups and ends artifacts, who may read whose, and which are still alive.

A session is named by its user, by an agent's variable, or by nobody: then it is the root's own, shared
by every process of the user below that root. Its directory is named after a hash of the name, so a
name may be anything. Locks, anchors and last use decide only whether it is alive.

Nothing is kept open between calls: a directory that was removed or swapped in the meantime is noticed
because it is found by its name each time, and threads and forked children share no state.

`Elsewhere` is what a store of files is told by the place where artifacts and sessions lie besides: a bucket.
"""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol, contextmanager, in_json, sha256
from overspill.errors import LockTimeout, OverspillError, StoreError
from overspill.files import (
    Locked,
    StorePlace,
    is_there,
    make_directory,
    names_in,
    open_directory,
    read_small,
    replace_file,
)
from overspill.store import ALPHABET, LENGTH, Anchor, Moment, anchor_of, idle_seconds, is_running, session_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from overspill.store import Cleared
    from overspill.store.records import ArtifactRecord


LOCK = "lock"  # held shared while an artifact is published, alone while some are removed
ALIVE = "alive"  # held shared by processes that live with the session
RECORD_FILE = "session.json"
CURRENT_FILE = "current"
META = "m"
SESSION_PREFIX = "ses_"
TRASH = "trash_"
OWN = "own-"  # how the name of a session begins that belongs to one process alone
VERSION = 1
MAX_RECORD_BYTES = 1 << 14
NAME_WIDTH = 1024

# Set by agents for the commands they start; found in their sources or programs.
AGENT_VARIABLES = (
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
    "GEMINI_SESSION_ID",
    "CRUSH_SESSION_ID",
    "CLINE_SESSION_ID",
    "AGENT_SESSION_ID",
)

TRIES = 100
CONTENT = "art_"


class Session(NamedTuple):
    """One session of a root."""

    id: str
    name: str = ""
    roams: bool = False  # reads every live session of the root: the root's own does, a named one does not


class SessionRecord(NamedTuple):
    """What is written of a session."""

    name: str = ""
    created: float = 0.0
    anchor: Anchor | None = None
    ended: float = 0.0
    keep: float = 0.0  # seconds it stays after its end; 0 is as long as any session that is not used


class State(NamedTuple):
    """One session as it stands."""

    id: str
    name: str
    created: float
    used: float  # when it was last used, by the wall clock
    artifacts: int
    bytes: int
    alive: bool
    why: str  # held, anchored, used, ended or idle
    ended: float = 0.0


def named_session(name: str) -> Session:
    """The session of that name. Whoever says the same name has the same session."""
    return Session(_session_id(b"named\0" + name.encode("utf-8", "surrogatepass")), name)


def root_session(name: str = "") -> Session:
    """The root's own session, or the one that was made current in its place."""
    return named_session(name)._replace(roams=True) if name else Session(_session_id(b"root\0"), roams=True)


def fresh_session() -> Session:
    """A session of one's own, which nobody else can name."""
    return named_session(OWN + os.urandom(16).hex())


def resolve_session(name: str | None, environ: Mapping[str, str]) -> Session:
    """The session that is meant: by name, by `OVERSPILL_SESSION`, by an agent's variable, else the root's own.

    >>> resolve_session(None, {"CODEX_THREAD_ID": "7"}) == resolve_session("7", {})
    True
    >>> resolve_session(None, {}).roams
    True
    """
    for meant in (name, environ.get("OVERSPILL_SESSION"), *map(environ.get, AGENT_VARIABLES)):
        if meant:
            return named_session(meant)
    return root_session()


def is_session_id(name: str) -> bool:
    """Whether a directory has a name of ours."""
    return (
        len(name) == len(SESSION_PREFIX) + LENGTH
        and name.startswith(SESSION_PREFIX)
        and name.isascii()
        and name[4:].isalnum()
    )


def make_session(
    place: int, session: Session, now: Moment, anchor: int | None = None, *, durable: bool = False
) -> tuple[int, int]:
    """Descriptors of the directory of a session and of its records.

    The latter is made last: where it is, everything else that a writer needs is there.
    """
    directory = make_directory(session.id, place, durable=durable)
    try:
        if read_small(RECORD_FILE, directory, MAX_RECORD_BYTES) is None:
            write_record(directory, new_record(session, now, anchor))
        return directory, make_directory(META, directory, durable=durable)
    except BaseException:
        os.close(directory)
        raise


def new_record(session: Session, now: Moment, anchor: int | None) -> SessionRecord:
    """What is written of a session that begins."""
    return SessionRecord(shown_name(session), now.wall, anchor_of(anchor) if anchor else None)


def shown_name(session: Session) -> str:
    """The name as it may be written down: the id stands for what it was, so a secret in it is lost to nobody."""
    from overspill.redact import redact_text

    return redact_text(session.name)[:NAME_WIDTH] if session.name else ""


def write_record(directory: int, record: SessionRecord) -> None:
    """Write what is known of a session, in the place of what was."""
    replace_file(RECORD_FILE, directory, in_json({"v": VERSION, **record._asdict()}).encode() + b"\n")


def read_record(directory: int) -> SessionRecord:
    """What is written of a session; nothing, if it cannot be read."""
    import json

    try:
        content = read_small(RECORD_FILE, directory, MAX_RECORD_BYTES)
        fields = json.loads(content or b"{}")
        if fields.pop("v", VERSION) != VERSION:
            return SessionRecord()
        anchor = fields.pop("anchor", None)
        record = SessionRecord(**fields, anchor=Anchor(*anchor) if anchor else None)
        right = isinstance(record.name, str) and record.created >= 0 <= record.ended and record.keep >= 0
        return record if right else SessionRecord()
    except (OSError, OverspillError, ValueError, TypeError, AttributeError, RecursionError):
        return SessionRecord()


def session_state(place: int, session_id: str, now: Moment, ttl: float) -> State | None:
    """How a session stands, or None if it is not there."""
    directory = open_directory(session_id, place)
    if directory is None:
        return None
    try:
        return _state(directory, session_id, now, ttl)
    finally:
        os.close(directory)


def _state(directory: int, session_id: str, now: Moment, ttl: float) -> State:
    used, record = _usage_or_age(directory), read_record(directory)
    if is_held(directory):
        why = "held"
    elif _is_anchored(record, used):
        why = "anchored"
    elif not _is_over(record, used, now, ttl):
        why = "ended" if _is_ended(record, used) else "used"
    else:
        why = "idle"
    return State(
        session_id,
        record.name,
        record.created,
        used.last.wall,
        used.artifacts,
        used.bytes,
        why != "idle",
        why,
        record.ended,
    )


def _is_ended(record: SessionRecord, used: session_files.Usage) -> bool:
    """Whether a session was ended and not taken up again since."""
    return bool(record.ended) and used.last.wall <= record.ended


def _is_over(record: SessionRecord, used: session_files.Usage, now: Moment, ttl: float) -> bool:
    """Whether a session has had its time: after its last use, after its end, or when its own process is gone."""
    if record.anchor is not None and record.name.startswith(OWN) and is_running(record.anchor) is False:
        return True
    return idle_seconds(now, used.last) > (record.keep if record.keep and _is_ended(record, used) else ttl)


def _is_anchored(record: SessionRecord, used: session_files.Usage) -> bool:
    return record.anchor is not None and not _is_ended(record, used) and bool(is_running(record.anchor))


def is_idle(directory: int, now: Moment, ttl: float) -> bool:
    """Whether neither use nor anchor speaks for a session; for whoever holds its locks himself."""
    used, record = _usage_or_age(directory), read_record(directory)
    return not _is_anchored(record, used) and _is_over(record, used, now, ttl)


def _usage_or_age(directory: int) -> session_files.Usage:
    try:
        found = session_files.read_usage(directory)
    except OverspillError:
        found = None
    if found is None or not found.last.wall:
        # Its maker died before the first artifact, or the record is damaged: the directory's age is all there is.
        return (found or session_files.Usage())._replace(last=Moment(os.fstat(directory).st_mtime, 0.0, b"-"))
    return found


def is_held(directory: int) -> bool:
    """Whether a process lives with this session, or is writing to it."""
    for name in (ALIVE, LOCK):
        if not is_there(name, directory):
            continue  # nobody ever held it, and whoever only looks makes no file
        try:
            lock = Locked(name, directory, seconds=0)
        except LockTimeout:
            return True
        except OSError:
            continue  # a read-only mount has no writers
        lock.close()
    return False


def is_live(place: int, session_id: str, now: Moment, ttl: float) -> bool:
    """Whether a session is alive."""
    directory = open_directory(session_id, place)
    if directory is None:
        return False
    try:
        if not _is_over(read_record(directory), _usage_or_age(directory), now, ttl):
            return True  # whoever holds it need not be asked
        return _state(directory, session_id, now, ttl).alive
    finally:
        os.close(directory)


def sessions_in(place: StorePlace) -> list[str]:
    """All sessions of a place; one that is not there has none."""
    with place.directory() as outer:
        return [] if outer is None else other_sessions(outer, "")


def other_sessions(place: int, own: str) -> list[str]:
    """The sessions of a root but this one."""
    return [name for name in names_in(place) if name != own and is_session_id(name)]


def current_session(place: int) -> Session | None:
    """The session that stands in for the root's own, if there is one."""
    try:
        words = (read_small(CURRENT_FILE, place, MAX_RECORD_BYTES) or b"").decode().strip()
    except (OverspillError, UnicodeDecodeError):
        return None
    session_id, _, name = words.partition(" ")
    return Session(session_id, name, roams=True) if is_session_id(session_id) else None


def make_current(place: int, session: Session) -> None:
    """Let another session stand in for the root's own."""
    name = session.name
    if "\n" in name or not name.strip() or len(name) > NAME_WIDTH:
        raise StoreError("a session's name is one line of at most 1,024 characters")
    replace_file(CURRENT_FILE, place, f"{session.id} {shown_name(session)}".encode())


def _session_id(name: bytes) -> str:
    number = int.from_bytes(sha256(name).digest())
    return SESSION_PREFIX + "".join(ALPHABET[(number >> 5 * place) & 31] for place in range(LENGTH))


class FarDetails(NamedTuple):
    """An artifact that is not here, and where it lies."""

    record: ArtifactRecord
    session: str
    address: str
    kept: bool  # pinned


class Elsewhere(Protocol):
    """Where artifacts of this machine and of others lie besides, and which sessions are over there."""

    def find(self, artifact_id: str) -> FarDetails | None:
        """An artifact that may be read from here."""

    def pin(self, artifact_id: str) -> bool:
        """Let an artifact outlast its session; whether there was one."""

    def end(self, session: Session, *, at_once: bool) -> None:
        """A session is over: what it has kept goes, now or after its time."""

    def sweep(self) -> Cleared:
        """Remove what nobody needs any more."""


class SessionDir(NamedTuple):
    """Descriptors of a place, of one session in it, and of that session's records."""

    place: int
    directory: int
    meta: int
    session: str


@contextmanager
def open_session_dir(place: StorePlace, session_id: str) -> Iterator[SessionDir | None]:
    """The directory of a session, or None if it is not there."""
    outer = place.open()
    if outer is None:
        yield None
        return
    opened = None
    try:
        opened = _open_descriptors(outer, session_id)
        yield SessionDir(outer, *opened, session_id) if opened else None
    finally:
        for directory in (outer, *(opened or ())):
            os.close(directory)


@contextmanager
def make_session_dir(
    place: StorePlace, session: Session, now: Moment, anchor: int | None = None, *, durable: bool = False
) -> Iterator[SessionDir]:
    """The directory of a session, made if need be, and locked against its removal.

    Whoever removes a session renames its directory away while he holds the lock alone; so a lock is
    worth something only if the directory still has its name afterwards.
    """
    for _ in range(TRIES):
        outer = place.make(durable=durable)
        inner = records = -1
        try:
            try:
                inner, records = _open_descriptors(outer, session.id) or make_session(
                    outer, session, now, anchor, durable=durable
                )
                lock = Locked(LOCK, inner, shared=True)
            except FileNotFoundError:
                continue  # removed in this moment
            with lock:
                if is_same_directory(outer, session.id, inner):
                    yield SessionDir(outer, inner, records, session.id)
                    return
        finally:
            for directory in (outer, inner, records):
                if directory >= 0:
                    os.close(directory)
    raise StoreError("the session is removed as often as it is made")


def _open_descriptors(place: int, session_id: str) -> tuple[int, int] | None:
    inner = open_directory(session_id, place)
    if inner is None:
        return None
    try:
        records = open_directory(META, inner)
    except BaseException:
        os.close(inner)
        raise
    if records is None:
        os.close(inner)
        return None
    return inner, records


def is_same_directory(place: int, session_id: str, directory: int) -> bool:
    """Whether a directory still has its name."""
    try:
        found = os.stat(session_id, dir_fd=place, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return found.st_ino == os.fstat(directory).st_ino


def contents(room: SessionDir) -> list[str]:
    """The names of the content files of a session, in no order."""
    return [name for name in names_in(room.directory) if name.startswith(CONTENT)]
