"""What a ledger asks of its database (`Engine`), and the one that every ledger has: a file of SQLite.

The SQL of the ledger is one that SQLite and PostgreSQL read alike. A connection brings its index of words along: a
full-text table here, a table of words in `postgres.py`. Both answer the same questions in the same way.

A new ledger is made under a passing name and linked to its own, so it is there whole or not at all: an
empty file is never one that is being made. Every change is one transaction that begins with the lock.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from contextlib import closing

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol, contextmanager, sha256, suppress
from overspill.errors import LedgerDamaged, LockTimeout, StoreError, shell_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    Row = tuple[str, str, str | None]

BESIDE = ("", "-wal", "-shm")  # what SQLite keeps beside a database
APPLICATION = 0x6F766C67  # "ovlg": no other program's database is taken for a ledger
SECONDS = 30.0  # that a command waits for others
LIST = "\x1e"  # between the parts of a list in one column; no field may hold it

# One script a version, in this directory, and what is published is never changed: a new version is a new script. SQLite
# remembers the very spelling, blanks and all, and a ledger of another spelling is not taken for ours.
TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tables")
VERSION = 3
SCHEMA = "select name, type, tbl_name, sql from sqlite_master"
# The digest of what `_own_schema` makes of all scripts: to look at this takes a fifth of the time of making it.
OWN_SCHEMA = "f612e54065076555050a0ca433e0cb023031ed1170e5aacc7c36c03512bc07a0"
CANDIDATES = 40  # words that one may have been meant for


class Word(NamedTuple):
    """A word that is looked for: as it is, or as the beginning of one."""

    text: str
    whole: bool = False


class MatchKind(NamedTuple):
    """One way to match: one of some ids, and all words, anywhere or in the title."""

    words: Sequence[Word]
    ids: Sequence[str] = ()
    in_title: bool = False


class Match(NamedTuple):
    """What matches in one of some ways, and in none of others."""

    ways: Sequence[MatchKind]
    without: Sequence[MatchKind] = ()


class MatchSource(NamedTuple):
    """An index of words, tables that join it with what else is asked of its tasks, and the column of their numbers."""

    words: str
    tables: str
    number: str
    asked: str
    values: list[object]

    @property
    def more(self) -> str:
        """What is asked beside the words."""
        return f"and {self.asked}" if self.asked else ""


class MatchCondition(NamedTuple):
    """SQL that holds of what matches, and its values."""

    sql: str
    values: list[object]


class WordIndex(Protocol):
    """Which tasks have which words, and which words there are."""

    def source(self, asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks as they are now are looked for."""

    def past_source(self, asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks of the table `past` are looked for, as they were."""

    def few(self, source: MatchSource, numbers: Sequence[int]) -> MatchSource:
        """A source that has these tasks alone."""

    def condition(self, source: MatchSource, match: Match) -> MatchCondition:
        """What holds of a task of a source that matches."""

    def near_words(self, word: str) -> list[str]:
        """Words that something has and that look like this one."""

    def remember(self, number: int, spelled: Iterable[str]) -> None:
        """Note the words of a task that was changed; `spelled` are those that may be meant by slips."""

    def rebuild(self) -> None:
        """Make the index anew from the tasks, which are the truth."""


class LedgerRows(Protocol):
    """What a statement answers with."""

    def fetchone(self) -> Any:  # noqa: ANN401  # a row is what the driver makes of it
        """The next row."""

    def fetchall(self) -> list[Any]:
        """All that are left."""

    def __iter__(self) -> Iterator[Any]: ...

    def __next__(self) -> Any: ...  # noqa: ANN401


class TaskConnection(Protocol):
    """What the ledger needs of a database: statements with `?` for values, and an index of words."""

    @property
    def words(self) -> WordIndex:
        """Which tasks have which words."""

    def execute(self, sql: str, parameters: Any = ..., /) -> LedgerRows:  # noqa: ANN401  # a sequence
        """Run one statement."""

    def executemany(self, sql: str, parameters: Any, /) -> object:  # noqa: ANN401  # rows of values
        """Run one statement for each row of values."""

    def close(self) -> None:
        """Let go of it."""


class Engine(Protocol):
    """A place where a ledger is kept."""

    @property
    def index_errors(self) -> tuple[type[Exception], ...]:
        """What an index of words that is damaged answers with."""

    def connect(self, *, create: bool) -> TaskConnection:
        """The ledger. One that is not there is made, or, for those who only read, is an empty one."""

    def transaction(self, db: Any, /) -> AbstractContextManager[None]:  # noqa: ANN401  # a connection of its own kind
        """All of it or nothing, with nobody else writing meanwhile."""

    def errors(self) -> AbstractContextManager[None]:
        """While it lasts, the database's complaints leave as sentences of ours."""


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
        for script in _scripts(0, version):
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
    for script in _scripts(_pragma(db, "user_version"), VERSION):
        for statement in _statements(script):
            db.execute(statement)
    db.execute(f"pragma user_version = {VERSION}")


def _scripts(before: int, version: int) -> Iterator[str]:
    """What makes tables of one version into those of another."""
    for number in range(before + 1, version + 1):
        with open(os.path.join(TABLES, f"{number}.sql"), encoding="utf-8") as script:
            yield script.read()


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


class FileConnection(sqlite3.Connection):
    """A connection to a ledger in a file, or in memory."""

    @property
    def words(self) -> FullTextIndex:
        """Which tasks have which words."""
        return FullTextIndex(self)


class FullTextIndex:
    """Words of tasks in full-text tables, which triggers keep up to date."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def source(self, asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks as they are now are looked for."""
        return _joined_source("search_shelf" if archived else "search", "facets", asked, values)

    def past_source(self, asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks of the table `past` are looked for, as they were."""
        self._db.execute("drop table if exists temp.past_search")
        self._db.execute(
            "create virtual table temp.past_search using fts5 "
            "(id, title, body, detail=column, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6')"
        )
        self._db.execute(
            "insert into past_search (rowid, id, title, body) "
            f"select number, 'T' || number, title, {_BODY} from past where archived is {'not' if archived else ''} null"
        )
        return _joined_source("past_search", "past", asked, values)

    @staticmethod
    def few(source: MatchSource, numbers: Sequence[int]) -> MatchSource:
        """A source that has these tasks alone."""
        return source._replace(tables=source.words, asked=f"{source.number} in ({_listed(numbers)})", values=[])

    @staticmethod
    def condition(source: MatchSource, match: Match) -> MatchCondition:
        """What holds of a task of a source that matches."""
        ways = " OR ".join(f"({_full_text(one)})" for one in match.ways)
        return MatchCondition(
            f"{source.words} match ?", [" NOT ".join([f"({ways})", *(f"({_full_text(one)})" for one in match.without)])]
        )

    def near_words(self, word: str) -> list[str]:
        """Words that something has and that look like this one."""
        parts = " OR ".join(f'"{word[at : at + 3]}"' for at in range(len(word) - 2))
        sql = f"select word from slips where slips match ? order by rank limit {CANDIDATES}"
        return [near for (near,) in self._db.execute(sql, (parts,))]

    def remember(self, number: int, spelled: Iterable[str]) -> None:  # noqa: ARG002  # triggers know the task
        """Note the words of a task that was changed; `spelled` are those that may be meant by slips."""
        sql = "insert or ignore into words (word) values (?)"
        self._db.executemany(sql, [(word,) for word in spelled])

    def rebuild(self) -> None:
        """Make the index anew from the tasks, which are the truth."""
        for table in ("search", "search_shelf", "slips"):
            self._db.execute(f"insert into {table} ({table}) values ('rebuild')")


def _joined_source(words: str, beside: str, asked: str, values: list[object]) -> MatchSource:
    """What matches first, and then each of these in the other table, if anything is asked there."""
    tables = f"{words} cross join {beside} on number = {words}.rowid" if asked else words
    return MatchSource(words, tables, f"{words}.rowid", asked, values)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "0"  # which no task has


def _full_text(kind: MatchKind) -> str:
    """One way to match, as the full-text index reads it."""
    words = " AND ".join(f'"{word.text}"' if word.whole else f'"{word.text}" *' for word in kind.words)
    if kind.in_title:
        return "{title} : (" + words + ")"
    ids = " OR ".join(f'"{word}"' for word in kind.ids)
    return " AND ".join(filter(None, ["{id} : (" + ids + ")" if ids else "", words]))


_TEXTS = ("labels", "description", "notes", "acceptance", "files", "verification", "reason")
_BODY = " || char(30) || ".join(f"coalesce({name}, '')" for name in _TEXTS)
