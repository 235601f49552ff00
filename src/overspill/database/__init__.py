"""One PostgreSQL for many machines, if somebody names one: whose it is, how it is reached, what it says when it cannot.

The store, the ledger and hand-offs may import it, when `fleet.database` is set and not before: it loads a driver, which
comes with `overspill[postgres]`.

Every row belongs to a tenant, and the database itself shows a connection the rows of its own alone: `schema.py`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from overspill._lite import TYPE_CHECKING, contextmanager, suppress
from overspill.database.tables import FORMAT
from overspill.errors import ConfigError, DatabaseUnreachable, LockTimeout, MissingExtra, OverspillError, StoreError
from overspill.settings.trust import tenant_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Self

SECONDS = 30.0  # that a command waits for others
CONNECT_SECONDS = 10
EVERYBODY = "default"  # the tenant and the project of those who name none
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}"
TABLES_HERE = "select to_regclass('overspill.migrations') is not null, current_setting('server_version_num')::int"
ROLE_HERE = "select rolname, rolsuper or rolbypassrls from pg_roles where rolname = current_user"
FORMAT_THERE = "select coalesce(max(number), 0), coalesce(max(oldest), 0) from overspill.migrations"
_NAMED = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
# What SQLite is told of its indexes and the other one finds out by itself, and what the two call by other names.
_HINTS = re.compile(r"\b(?:not indexed|indexed by \w+)\b")
_OTHERWISE = {"pragma defer_foreign_keys = on": "set constraints all deferred"}


def checked_name(name: str, what: str) -> str:
    """A name of a project: what every path, key and database takes."""
    if re.fullmatch(NAME, name) is None:
        raise ConfigError(
            f"{what} is up to 63 letters, digits, dots, dashes and underscores, and begins with a letter or a digit; "
            f"got {name[:80]!r}"
        )
    return name


class FleetDatabase:
    """A database as one tenant and project see it."""

    def __init__(self, dsn: str, tenant: str = EVERYBODY, project: str = EVERYBODY, variable: str = "") -> None:
        self._dsn, self.tenant, self.project = dsn, tenant, project
        self.variable = variable

    @classmethod
    def of_setting(cls, setting: str, project: str, environ: Mapping[str, str]) -> Self:
        """The one whose address is in an environment variable; `setting` is `env:NAME`."""
        match = _NAMED.fullmatch(setting)
        if match is None:
            raise ConfigError("fleet.database is env: and the name of the variable that holds the address: env:NAME")
        dsn = environ.get(match[1], "")
        if not dsn.strip():
            raise ConfigError(
                f"fleet.database names the variable {match[1]}, and it is not set; let the platform set it, or leave "
                "the setting out to keep tasks on this machine"
            )
        return cls(dsn, tenant_of(environ), checked_name(project, "fleet.project"), match[1])

    def connect(self, seconds: float = SECONDS) -> PostgresConnection:
        """A connection that sees the rows of the tenant and the project, if the tables are those of this version."""
        db = self.connect_plain(seconds)
        try:
            with db.errors():
                db.execute(
                    "select set_config('search_path', 'overspill, pg_temp', false), "
                    "set_config('overspill.tenant', ?, false), set_config('overspill.project', ?, false)",
                    (self.tenant, self.project),
                )
                _check_format(db, self.tenant)
        except BaseException:
            db.close()
            raise
        return db

    def connect_plain(self, seconds: float = SECONDS) -> PostgresConnection:
        """A connection of nobody, for those who make the tables."""
        driver = _load_driver()
        try:
            parts = driver.conninfo.conninfo_to_dict(self._dsn)
        except driver.ProgrammingError:
            raise ConfigError(f"{self.variable or 'the address'} holds no address of a PostgreSQL database") from None
        given = {"connect_timeout": CONNECT_SECONDS, "application_name": "overspill", **parts}
        given["client_encoding"] = "UTF8"
        try:
            raw = driver.connect(**given, autocommit=True, cursor_factory=driver.ClientCursor)
        except driver.OperationalError as error:
            raise _unreachable(_first_line(error)) from None
        return PostgresConnection(raw, seconds)


def _check_format(db: PostgresConnection, tenant: str) -> None:
    """These are tables of this version, and the role of the connection sees its tenant's rows and no others."""
    if not db.execute(TABLES_HERE).fetchone()[0]:
        raise StoreError("the database has no tables of overspill yet").with_help("spill fleet init")
    (found, oldest), (role, unbound) = db.execute(FORMAT_THERE).fetchone(), db.execute(ROLE_HERE).fetchone()
    if found < FORMAT:
        raise StoreError(
            f"the tables of the database are of format {found}, and this version needs {FORMAT}; whoever owns them "
            "brings them up to date with `spill fleet migrate`"
        ).with_help("spill fleet migrate")
    if oldest > FORMAT:
        raise StoreError(
            f"the tables of the database are of format {found}, which needs a newer version than this one, which knows "
            f"format {FORMAT}; update overspill"
        ).with_help("pip install --upgrade overspill")
    if unbound:
        raise ConfigError(
            f"the database role {role!r} sees every tenant's rows, whatever the policies of the tables say; let "
            "fleet.database name a role that is no superuser and has no BYPASSRLS"
        ).with_help("spill fleet init --role NAME")
    if db.execute("select overspill.tenant()").fetchone()[0] is None:
        raise ConfigError(
            f"the database role {role!r} may not use tenant {tenant!r}; whoever owns the tables can allow it"
        ).with_help(f"spill fleet init --role {role} --tenant {tenant}")


def _load_driver() -> Any:  # noqa: ANN401  # a module
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError:
        raise MissingExtra("fleet.database", "postgres") from None
    return psycopg


class PostgresConnection:
    """A connection that reads the SQL of the ledger, with `?` for values."""

    def __init__(self, raw: Any, seconds: float) -> None:  # noqa: ANN401  # the driver is an extra
        self.raw = raw
        with self.errors():
            self.raw.execute(f"set lock_timeout = {max(1, int(seconds * 1000))}".encode())

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> Any:  # noqa: ANN401
        """Run one statement."""
        return self.raw.execute(postgres_sql(sql), [_plain_value(one) for one in parameters] or None)

    def executemany(self, sql: str, parameters: Iterable[Sequence[object]], /) -> None:
        """Run one statement for each row of values."""
        for row in parameters:
            self.execute(sql, row)

    def close(self) -> None:
        """Let go of it."""
        self.raw.close()

    @contextmanager
    def transaction(self, first: str = "") -> Iterator[None]:
        """All of it or nothing; `first` is what is locked before anything is looked at."""
        self.execute("begin")
        try:
            if first:
                self.execute(first)
            yield
        except BaseException:
            with suppress(_load_driver().Error):
                self.execute("rollback")
            raise
        try:
            self.execute("commit")
        except _load_driver().OperationalError as error:
            raise _unreachable(
                f"{_first_line(error)}; whether the last change was written is not known, so look before it is repeated"
            ) from None

    @contextmanager
    def errors(self) -> Iterator[None]:
        """While it lasts, the database's complaints leave as sentences of ours."""
        driver = _load_driver()
        try:
            yield
        except (driver.errors.LockNotAvailable, driver.errors.QueryCanceled, driver.errors.DeadlockDetected):
            raise LockTimeout("another process holds these rows of the database; try again when it is done") from None
        except driver.errors.InsufficientPrivilege as error:
            raise StoreError(f"the role of this connection may not do that: {_first_line(error)}").with_help(
                "spill fleet init --help"
            ) from None
        except driver.Error as error:
            if self.raw.broken or isinstance(error, driver.errors.AdminShutdown | driver.errors.CannotConnectNow):
                raise _unreachable(_first_line(error)) from None
            raise StoreError(f"the database could not be used: {_first_line(error)}") from None


def _unreachable(why: str) -> OverspillError:
    return DatabaseUnreachable(f"the database of fleet.database cannot be reached: {why}; nothing was changed here")


def _first_line(error: Exception) -> str:
    """What the server or the driver says, without rows, statements and hints."""
    said = getattr(getattr(error, "diag", None), "message_primary", None) or str(error)
    return " ".join(str(said).strip().partition("\n")[0].split())[:300]


@lru_cache(maxsize=512)
def postgres_sql(sql: str) -> bytes:
    """SQL of the ledger as PostgreSQL reads it.

    >>> postgres_sql("select number from facets indexed by facets_by_state where closed = ?")
    b'select number from facets  where closed = %s'
    """
    return _HINTS.sub("", _OTHERWISE.get(sql, sql)).replace("?", "%s").encode()


def _plain_value(value: object) -> object:
    """A value as a column can hold it: none of ours has a NUL or half a character, and what asks for one finds none."""
    if isinstance(value, str):
        return value.replace("\0", "\x1f").encode("utf-8", "replace").decode()
    return value
