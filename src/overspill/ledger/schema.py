"""The ledger's file: its tables, how it is made, opened and brought up to date, and what is done when it is damaged.

A new ledger is made under a passing name and linked to its own, so it is there whole or not at all: an
empty file is never one that is being made. Every change is one transaction that begins with the lock.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from contextlib import closing

from overspill._lite import TYPE_CHECKING, contextmanager, sha256, suppress
from overspill.errors import LedgerDamaged, LockTimeout, StoreError, shell_line
from overspill.ledger.words import FileConnection

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager

    Row = tuple[str, str, str | None]

BESIDE = ("", "-wal", "-shm")  # what SQLite keeps beside a database
APPLICATION = 0x6F766C67  # "ovlg": no other program's database is taken for a ledger
SECONDS = 30.0  # that a command waits for others
LIST = "\x1e"  # between the parts of a list in one column; no field may hold it

# One script a version. What is published is never changed: a new version is a new script.
MIGRATIONS = (
    """
    create table tasks (
        number integer primary key,
        title text not null,
        status text not null,       -- as it stands: blocked while a dependency is open
        said text not null,         -- as it was said
        priority text not null,
        type text not null,
        parent integer references tasks,
        phase text,
        created text not null,
        completed text,
        archived integer,           -- when it was put away, as a number that only grows; null if it is not
        archived_at text,
        description text,
        notes text,
        acceptance text,
        files text,
        verification text
    ) strict;
    -- A list is counted and paged in these alone, so each holds all that its filter looks at.
    create index tasks_live on tasks (number, archived, status, priority, type, phase, parent) where archived is null;
    create index tasks_by_status on tasks (status, number, archived) where archived is null;
    create index tasks_by_phase on tasks (phase, number, archived) where archived is null;
    create index tasks_by_type on tasks (type, number, archived) where archived is null;
    create index tasks_by_priority on tasks (priority, number, archived) where archived is null;
    create index tasks_by_parent on tasks (parent, number, archived);
    create unique index tasks_archived on tasks (archived) where archived is not null;

    create table labels (
        task integer not null references tasks, label text not null, primary key (task, label)
    ) strict, without rowid;
    create index labels_by_label on labels (label, task);

    create table dependencies (
        task integer not null references tasks, needs integer not null references tasks, primary key (task, needs)
    ) strict, without rowid;
    create index dependencies_by_needs on dependencies (needs, task);

    create table counters (name text primary key, value integer not null) strict, without rowid;
    insert into counters values ('archived', 0);

    create table sessions (
        id text primary key, name text, scope text, focus integer references tasks, notes text
    ) strict, without rowid;
    create table focus_history (
        session text not null, task integer not null references tasks, since text not null
    ) strict;
    create index focus_history_by_session on focus_history (session);

    create view live as select number, title, description, notes from tasks where archived is null;
    create view shelf as select number, title, description, notes from tasks where archived is not null;
    create virtual table search using fts5 (
        title, description, notes, content='live', content_rowid='number',
        tokenize='unicode61 remove_diacritics 2', prefix='1 2 3'
    );
    create virtual table search_shelf using fts5 (
        title, description, notes, content='shelf', content_rowid='number',
        tokenize='unicode61 remove_diacritics 2', prefix='1 2 3'
    );
    create trigger tasks_added after insert on tasks begin
        insert into search (rowid, title, description, notes)
            values (new.number, new.title, new.description, new.notes);
    end;
    create trigger tasks_changed after update of title, description, notes, archived on tasks begin
        insert into search (search, rowid, title, description, notes)
            select 'delete', old.number, old.title, old.description, old.notes where old.archived is null;
        insert into search_shelf (search_shelf, rowid, title, description, notes)
            select 'delete', old.number, old.title, old.description, old.notes where old.archived is not null;
        insert into search (rowid, title, description, notes)
            select new.number, new.title, new.description, new.notes where new.archived is null;
        insert into search_shelf (rowid, title, description, notes)
            select new.number, new.title, new.description, new.notes where new.archived is not null;
    end;

    create table words (number integer primary key, word text not null unique) strict;
    create virtual table slips using fts5 (word, content='words', content_rowid='number', tokenize='trigram');
    create trigger words_added after insert on words begin
        insert into slips (rowid, word) values (new.number, new.word);
    end;
    """,
    """
    alter table tasks add column uid text not null default '';           -- its name on every machine
    alter table tasks add column maker text not null default '';         -- who added it
    alter table tasks add column begun integer not null default 0;       -- when, in milliseconds
    alter table tasks add column updated integer not null default 0;     -- when it was changed last
    alter table tasks add column first integer not null default 0;       -- the change that brought it here
    alter table tasks add column changed integer not null default 0;     -- the last change to it
    alter table tasks add column assignee text;
    alter table tasks add column lease integer;                          -- until when it is claimed; null is for good
    alter table tasks add column reason text;
    alter table tasks add column labels text;
    alter table tasks add column closed integer generated always as (status in ('done', 'cancelled')) virtual;
    alter table tasks add column place integer generated always as (     -- open work by its priority, then the rest
        case when status in ('done', 'cancelled') then 9 else
        case priority when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end end) virtual;
    alter table tasks add column body text generated always as (
        coalesce(labels, '') || char(30) || coalesce(description, '') || char(30) || coalesce(notes, '')
        || char(30) || coalesce(acceptance, '') || char(30) || coalesce(files, '')
        || char(30) || coalesce(verification, '') || char(30) || coalesce(reason, '')) virtual;

    -- What happened to tasks: what a field was and is, or, of a list, which part came (before is null) or went.
    -- `number` counts what happened here; `stamp` is the moment, in milliseconds, on whatever machine it was done.
    create table changes (
        number integer primary key, uid text not null, field text not null, part text not null default '',
        before text, after text, stamp integer not null, who text not null default ''
    ) strict;
    create index changes_of on changes (uid, number);
    create table deleted (
        uid text primary key, task integer not null, stamp integer not null, who text not null
    ) strict, without rowid;

    drop index tasks_live;
    drop index tasks_archived;
    drop index tasks_by_status;
    create index tasks_by_place on tasks (place, begun, number, archived, changed, status, priority, type, phase,
        parent, updated) where archived is null;
    create index tasks_by_state on tasks (closed, number, archived, changed, status, priority, type, phase, parent,
        updated) where archived is null;
    create index tasks_live on tasks (number, archived, changed, status, priority, type, phase, parent, updated)
        where archived is null;
    create index tasks_by_status on tasks (status, closed, number, archived, changed) where archived is null;
    create index tasks_by_turn on tasks (status, place, begun, number, archived, changed, parent)
        where archived is null;
    create index tasks_by_update on tasks (-updated, number, archived, changed, status, priority, type, phase, parent,
        updated) where archived is null;
    create index tasks_by_age on tasks (-begun, number, archived, changed, status, priority, type, phase, parent,
        updated) where archived is null;
    create index tasks_archived on tasks (-archived, number, archived, changed) where archived is not null;
    create index tasks_open_parts on tasks (parent) where parent is not null and status not in ('done', 'cancelled');
    create index tasks_by_change on tasks (changed);
    create index tasks_by_lease on tasks (lease) where lease is not null;

    drop trigger tasks_added;
    drop trigger tasks_changed;
    drop table search;
    drop table search_shelf;
    drop view live;
    drop view shelf;

    update tasks set
        uid = 'v1-' || number || '-' || unixepoch(created) || '-' || lower(hex(substr(title, 1, 8))),
        begun = 1000 * unixepoch(created),
        updated = 1000 * unixepoch(coalesce(archived_at, completed, created)),
        labels = (select group_concat(label, char(30)) from
            (select label from labels where task = tasks.number order by label)),
        said = case when status = 'blocked' and said = 'active' then 'pending' else said end;
    create unique index tasks_by_uid on tasks (uid);
    insert into changes (uid, field, part, after, stamp)
        with recursive note(uid, begun, place, text, rest) as (
            select uid, begun, 0, null, notes || char(30) from tasks where notes is not null
            union all
            select uid, begun, place + 1, substr(rest, 1, instr(rest, char(30)) - 1),
                substr(rest, instr(rest, char(30)) + 1) from note where rest <> ''
        )
        select uid, 'notes', begun || '.' || place, text, begun + place from note where text is not null
            order by uid, place;
    delete from counters where name = 'archived';
    insert into counters values ('number', (select coalesce(max(number), 0) from tasks));
    insert into counters values ('clock', (select coalesce(max(updated), 0) from tasks));

    create view live as select number, 'T' || number as id, title, body from tasks where archived is null;
    create view shelf as select number, 'T' || number as id, title, body from tasks where archived is not null;
    create virtual table search using fts5 (
        id, title, body, content='live', content_rowid='number', detail=column,
        tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6'
    );
    create virtual table search_shelf using fts5 (
        id, title, body, content='shelf', content_rowid='number', detail=column,
        tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6'
    );
    create trigger tasks_added after insert on tasks begin
        insert into search (rowid, id, title, body) values (new.number, 'T' || new.number, new.title, new.body);
    end;
    create trigger tasks_deleted after delete on tasks begin
        insert into search (search, rowid, id, title, body)
            select 'delete', old.number, 'T' || old.number, old.title, old.body where old.archived is null;
        insert into search_shelf (search_shelf, rowid, id, title, body)
            select 'delete', old.number, 'T' || old.number, old.title, old.body where old.archived is not null;
    end;
    create trigger tasks_changed after update of
        number, title, labels, description, notes, acceptance, files, verification, reason, archived on tasks
    begin
        insert into search (search, rowid, id, title, body)
            select 'delete', old.number, 'T' || old.number, old.title, old.body where old.archived is null;
        insert into search_shelf (search_shelf, rowid, id, title, body)
            select 'delete', old.number, 'T' || old.number, old.title, old.body where old.archived is not null;
        insert into search (rowid, id, title, body)
            select new.number, 'T' || new.number, new.title, new.body where new.archived is null;
        insert into search_shelf (rowid, id, title, body)
            select new.number, 'T' || new.number, new.title, new.body where new.archived is not null;
    end;

    insert into search (search) values ('rebuild');
    insert into search_shelf (search_shelf) values ('rebuild');
    """,
    """
    -- What lists and finds ask of tasks, in rows so narrow that a look at each of them is cheap: a filter, or several
    -- together, costs one run through this table at the most, whatever it is. Labels have a separator on both sides.
    create table facets (
        number integer primary key, status text not null, priority text not null, type text not null, phase text,
        parent integer, assignee text, labels text, closed integer not null, place integer not null,
        begun integer not null, updated integer not null, changed integer not null, archived integer
    ) strict;
    insert into facets select number, status, priority, type, phase, parent, assignee, char(30) || labels || char(30),
        closed, place, begun, updated, changed, archived from tasks order by number;
    create trigger facets_added after insert on tasks begin
        insert into facets values (new.number, new.status, new.priority, new.type, new.phase, new.parent,
            new.assignee, char(30) || new.labels || char(30), new.closed, new.place, new.begun, new.updated,
            new.changed, new.archived);
    end;
    create trigger facets_changed after update of
        number, status, priority, type, phase, parent, assignee, labels, begun, updated, changed, archived on tasks
    begin
        update facets set number = new.number, status = new.status, priority = new.priority, type = new.type,
            phase = new.phase, parent = new.parent, assignee = new.assignee,
            labels = char(30) || new.labels || char(30), closed = new.closed, place = new.place, begun = new.begun,
            updated = new.updated, changed = new.changed, archived = new.archived where number = old.number;
    end;
    create trigger facets_deleted after delete on tasks begin
        delete from facets where number = old.number;
    end;

    drop index tasks_by_place;
    drop index tasks_by_state;
    drop index tasks_live;
    drop index tasks_by_status;
    drop index tasks_by_turn;
    drop index tasks_by_update;
    drop index tasks_by_age;
    drop index tasks_archived;
    drop index tasks_by_phase;
    drop index tasks_by_type;
    drop index tasks_by_priority;
    create index facets_by_state on facets (closed, number) where archived is null;
    create index facets_by_place on facets (place, begun, number) where archived is null;
    create index facets_by_age on facets (-begun, number) where archived is null;
    create index facets_by_update on facets (-updated, number) where archived is null;
    create index facets_by_turn on facets (status, place, begun, number, parent, changed) where archived is null;
    create index facets_archived on facets (-archived, number) where archived is not null;
    create index facets_by_change on facets (changed);
    create index facets_parts on facets (parent, closed) where parent is not null;
    """,
)
VERSION = len(MIGRATIONS)
SCHEMA = "select name, type, tbl_name, sql from sqlite_master"
# The digest of what `_own_schema` makes of all scripts: to look at this takes a fifth of the time of making it.
OWN_SCHEMA = "f612e54065076555050a0ca433e0cb023031ed1170e5aacc7c36c03512bc07a0"


class LedgerFile:
    """A ledger in a file, or in memory."""

    index_errors = (sqlite3.DatabaseError,)

    def __init__(self, path: str, seconds: float = SECONDS) -> None:
        self.path, self._seconds = path, seconds

    def connect(self, *, create: bool) -> FileConnection:
        """The ledger. One that is not there is made, or, for those who only read, is an empty one."""
        return connect(self.path, create=create and self.path != ":memory:", seconds=self._seconds)

    @staticmethod
    def transaction(db: sqlite3.Connection, /) -> AbstractContextManager[None]:
        """All of it or nothing, with nobody else writing meanwhile."""
        return transaction(db)

    def errors(self) -> AbstractContextManager[None]:
        """While it lasts, the database's complaints leave as sentences of ours."""
        return translated_db_errors(self.path)


def connect(path: str, *, create: bool = True, seconds: float = SECONDS) -> FileConnection:
    """The ledger at `path`. One that is not there is made, or, for those who only read, an empty one in memory."""
    with translated_db_errors(path):
        if not os.path.lexists(path):
            if not create:
                return _prepared_db(sqlite3.connect(":memory:", isolation_level=None, factory=FileConnection))
            _make_file(path)
        _check_file(path)
        db = sqlite3.connect(path, timeout=seconds, isolation_level=None, factory=FileConnection)
        try:
            return _open_ledger(db, path)
        except BaseException:
            db.close()
            raise


def _open_ledger(db: FileConnection, path: str) -> FileConnection:
    if not os.path.getsize(path) or _pragma(db, "application_id") != APPLICATION:
        raise sqlite3.DatabaseError("file is not a database")
    db.execute("pragma trusted_schema = off")
    db.execute("pragma foreign_keys = on")
    db.execute("pragma temp_store = memory")
    version = _pragma(db, "user_version")
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer version: it is of format {version}, and this one knows {VERSION}; "
            "update overspill, or name another root with --root"
        )
    if not _has_own_schema(db, version):
        raise StoreError(
            f"{path} holds tables, views or triggers that no ledger has; it is refused, for they would run"
        ).with_help(shell_line("mv", path, f"{path}.aside"))
    db.execute("pragma trusted_schema = on")  # it is ours now, and our triggers feed full-text tables
    if version < VERSION:
        with transaction(db):
            _migrate(db)
    return db


def _has_own_schema(db: sqlite3.Connection, version: int) -> bool:
    """Whether nothing would run but what we wrote: a file that came with a project may bring triggers of its own.

    Plain tables more than ours are nobody's business: `.recover` leaves one with what it could not place.
    """
    found = {row[0]: row[1:] for row in db.execute(SCHEMA)}
    if version == VERSION and schema_digest(found) == OWN_SCHEMA:
        return True
    own = _own_schema(version)
    strange = (found[name] for name in found.keys() - own.keys())
    return (
        version >= 0
        and all(found.get(name) == held for name, held in own.items())
        and all(
            (kind == "table" and not str(sql).lower().startswith("create virtual"))
            or (kind == "index" and sql is None and table not in own)
            for kind, table, sql in strange
        )
    )


def schema_digest(schema: Mapping[str, Row]) -> str:
    return sha256(repr(sorted(schema.items())).encode()).hexdigest()


def _own_schema(version: int) -> dict[str, Row]:
    """All that a ledger of a version is made of, by name."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for script in MIGRATIONS[: max(version, 0)]:
            db.executescript(script)
        return {row[0]: row[1:] for row in db.execute(SCHEMA)}


def _make_file(path: str) -> None:
    passing = f"{path}.{os.urandom(8).hex()}"
    os.close(os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    try:
        with closing(sqlite3.connect(passing, isolation_level=None, factory=FileConnection)) as db:
            db.execute("pragma journal_mode = wal")
            _prepared_db(db)
        with suppress(FileExistsError):  # somebody was faster, and his is as good
            os.link(passing, path)
    finally:
        for name in BESIDE:
            with suppress(OSError):
                os.unlink(passing + name)


def _prepared_db(db: FileConnection) -> FileConnection:
    with transaction(db):
        db.execute(f"pragma application_id = {APPLICATION}")
        _migrate(db)
    return db


def _migrate(db: sqlite3.Connection) -> None:
    """Bring the tables up to date, inside a transaction: another process may have done so while we waited for it."""
    for script in MIGRATIONS[_pragma(db, "user_version") :]:
        for statement in _statements(script):
            db.execute(statement)
    db.execute(f"pragma user_version = {VERSION}")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; `executescript` would end the transaction."""
    pending = ""
    for part in script.split(";"):
        pending += part + ";"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"pragma {name}").fetchone()[0])


def _check_file(path: str) -> None:
    """Nobody else's file, and no link to one, is written to."""
    for name in BESIDE:
        try:
            found = os.lstat(path + name)
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise StoreError(f"{path + name} is a link, belongs to others or is open to them; it is refused")
    if not stat.S_ISDIR(os.lstat(os.path.dirname(path) or ".").st_mode):
        raise StoreError(f"{os.path.dirname(path)} is a link; the ledger behind it is refused")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing, with nobody else writing meanwhile."""
    db.execute("begin immediate")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            db.execute("rollback")
        raise
    db.execute("commit")


@contextmanager
def translated_db_errors(path: str) -> Iterator[None]:
    """Let the database's complaints leave as sentences of ours, and put a damaged ledger aside."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_NOTADB) & 0xFF
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise LockTimeout("another process holds the ledger; try again when it is done") from None
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB} and not is_sound(path):
            raise put_aside(path) from None
        if code == sqlite3.SQLITE_FULL:
            full = StoreError("the ledger could not be written: no space left; free some with `spill artifacts clean`")
            raise full.with_help("spill artifacts clean") from None
        raise StoreError(f"the ledger could not be used: {error}") from None
    except OSError as error:
        raise StoreError(f"the ledger could not be used: {(error.strerror or 'failed').lower()}") from None


def is_sound(path: str) -> bool:
    """Whether a file is a whole database of ours."""
    try:
        with closing(sqlite3.connect(path, timeout=SECONDS, isolation_level=None)) as db:
            sound = os.path.getsize(path) > 0 and _pragma(db, "application_id") == APPLICATION
            return sound and db.execute("pragma quick_check(1)").fetchone()[0] == "ok"
    except (sqlite3.OperationalError, OSError):
        return True  # busy, forbidden or gone: no reason to touch it
    except sqlite3.DatabaseError:
        return False


def put_aside(path: str) -> LedgerDamaged:
    """Rename a damaged ledger, nothing of it lost, and say how to get back what can be read of it."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    aside = f"{path}.damaged-{stamp}-{os.urandom(3).hex()}"
    for name in BESIDE:
        with suppress(FileNotFoundError):
            os.rename(path + name, aside + name)
    recover = " ".join(
        [
            shell_line("sqlite3", aside, ".recover"),
            "|",
            shell_line("sqlite3", path),
            "&&",
            shell_line("chmod", "600", path),
        ]
    )
    return LedgerDamaged(
        f"the ledger was damaged and is kept as {aside}; to get back what can be read of it: {recover}; "
        "without that, the next task begins a new ledger"
    ).with_help(recover, context={"kept": aside})
