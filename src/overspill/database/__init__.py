"""One PostgreSQL for many machines, if somebody names one: whose it is, how it is reached, what it says when it cannot.

The store, the ledger and hand-offs may import it, when `fleet.database` is set and not before: it loads a driver, which
comes with `overspill[postgres]`.

Every table has a column `tenant`, and a policy of the server lets a connection see and write the rows of the tenant it
names, if its role may name that one; with no tenant named, or one that is not its own, everything is empty. So the
statements of the ledger name no tenant, none can be forgotten in one, and an id of another tenant reads like one that
does not exist. (A schema a tenant would keep them apart as well; but then a thousand tenants are ten thousand tables,
each to be migrated by itself, and a new tenant needs somebody who may make tables.)

Migrations are numbered and go forward only, each in a transaction of its own, and one process at a time: the others
wait, and then find nothing left to do. Their scripts lie in `tables/`; what is published is never changed, a new format
is a new script, and the number of the oldest format whose programs can still work with the tables after it: while
machines are updated one after the other, older ones go on.

How much a tenant may keep in a bucket is held here, too: room is taken and noted in one statement, or not. Lists of a
bucket say what is there and not what others are about to put there, so that without a database a quota on a bucket is a
wish.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from overspill._lite import TYPE_CHECKING, NamedTuple, contextmanager, suppress
from overspill.errors import ConfigError, DatabaseUnreachable, LockTimeout, MissingExtra, OverspillError, StoreError
from overspill.settings.files import tenant_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Self


OLDEST_FORMATS = (1, 1, 1)  # after each script, the oldest format whose programs can still work with the tables
FORMAT = len(OLDEST_FORMATS)
TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tables")
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

A_DAY = 86_400.0  # after which what was reserved and is not in the bucket is not on its way any more

# Of all that ask at once each waits for the row of the tenant, and sees what those before it took. Who is refused, or
# has room already, changes nothing.
_RESERVE = """
with known as (select 1 from kept where session = ? and artifact = ?),
room as (
    insert into usage (bytes, artifacts) select ?, 1 where not exists (select from known) and ? <= ?
    on conflict (tenant) do update
        set bytes = usage.bytes + excluded.bytes, artifacts = usage.artifacts + 1
        where usage.bytes + excluded.bytes <= ?
    returning 1),
noted as (insert into kept (session, artifact, bytes) select ?, ?, ? from room returning 1)
select exists (select from known) or exists (select from noted)"""
_RELEASE = """
with gone as (delete from kept where {which} returning bytes)
update usage set bytes = bytes - (select coalesce(sum(gone.bytes), 0) from gone),
    artifacts = artifacts - (select count(*) from gone)"""
OLDEST_SERVER = 150_000  # whose views can be read with the rights of whoever reads them
ANY_TENANT = "*"
_LOCK = 0x6F7665727370696C  # "overspil": whoever migrates holds it
_GUESTS = """select distinct quote_ident(role) from overspill.roles where role <> (
    select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'overspill')"""


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


class TenantUsage(NamedTuple):
    """What a tenant has room for, and what of it is taken."""

    bytes: int
    artifacts: int
    limit: int


class TenantQuota:
    """The room that a tenant has in a bucket."""

    def __init__(self, database: FleetDatabase, limit: int) -> None:
        self._database, self.limit = database, limit

    def reserve(self, session: str, artifact: str, size: int) -> bool:
        """Take room for an artifact, if there is as much; True also where it has it already."""
        key = (session, artifact)
        values = (*key, size, size, self.limit, self.limit, *key, size)
        db = self._database.connect()
        from psycopg.errors import UniqueViolation  # connected: the driver is there

        try:
            with db.errors(), suppress(UniqueViolation):
                return bool(db.execute(_RESERVE, values).fetchone()[0])
            return True  # somebody else reserved the same at this moment, and nothing was taken twice
        finally:
            db.close()

    def release(self, session: str, artifacts: Iterable[str]) -> None:
        """Give back the room of artifacts that are gone."""
        self._give_back("session = ? and artifact = any(?::text[])", session, list(artifacts))

    def settle(self, there: Iterable[str]) -> None:
        """Give back the room of all artifacts that are not there, unless they may be on their way."""
        which = "not artifact = any(?::text[]) and reserved < now() - ? * interval '1 second'"
        self._give_back(which, list(there), A_DAY)

    def _give_back(self, which: str, *values: object) -> None:
        db = self._database.connect()
        try:
            with db.errors(), db.transaction("select 1 from usage for update"):
                db.execute(_RELEASE.format(which=which), values)
        finally:
            db.close()

    def usage(self) -> TenantUsage:
        """What is taken."""
        db = self._database.connect()
        try:
            with db.errors():
                used, artifacts = db.execute("select bytes, artifacts from usage").fetchone() or (0, 0)
        finally:
            db.close()
        return TenantUsage(used, artifacts, self.limit)


class Migrated(NamedTuple):
    """What became of the tables."""

    before: int
    after: int
    role: str = ""  # that was allowed to use them
    tenant: str = ""


def init(database: FleetDatabase, *, role: str = "", tenant: str = "") -> Migrated:
    """Make the tables, and let a role use them for a tenant, or for every one.

    Where no role is named, the first time, it is the role of the connection itself.
    """
    db = database.connect_plain()
    try:
        with db.errors():
            _check_server(db)
            db.execute(f"select pg_advisory_lock({_LOCK})")
            if not db.execute("select to_regnamespace('overspill') is not null").fetchone()[0]:
                db.execute("create schema overspill")
            before, after = _migrate(db)
            allowed, own = role, db.execute(ROLE_HERE).fetchone()
            if not role and not own[1] and not db.execute("select 1 from overspill.roles").fetchone():
                allowed = own[0]
            if allowed:
                _allow(db, allowed, tenant or ANY_TENANT)
            _grant(db)
            return Migrated(before, after, allowed, (tenant or ANY_TENANT) if allowed else "")
    finally:
        db.close()


def migrate(database: FleetDatabase) -> Migrated:
    """Bring the tables up to date, whoever else does so at this moment."""
    db = database.connect_plain()
    try:
        with db.errors():
            if not db.execute(TABLES_HERE).fetchone()[0]:
                raise StoreError("the database has no tables of overspill yet").with_help("spill fleet init")
            db.execute(f"select pg_advisory_lock({_LOCK})")
            before, after = _migrate(db)
            if after > before:
                _grant(db)
            return Migrated(before, after)
    finally:
        db.close()


def _check_server(db: PostgresConnection) -> None:
    version = db.execute(TABLES_HERE).fetchone()[1]
    if version < OLDEST_SERVER:
        raise StoreError(f"PostgreSQL {version // 10_000} is too old: {OLDEST_SERVER // 10_000} or newer is needed")
    encoding = db.execute("show server_encoding").fetchone()[0]
    if encoding != "UTF8":
        raise StoreError(f"the database is encoded in {encoding}; make one in UTF8")


def _migrate(db: PostgresConnection) -> tuple[int, int]:
    """Run what was not run yet; the formats before and after."""
    there = db.execute(TABLES_HERE).fetchone()[0]
    before = int(db.execute(FORMAT_THERE).fetchone()[0]) if there else 0
    for number, oldest in enumerate(OLDEST_FORMATS[before:], before + 1):
        with db.transaction(), open(os.path.join(TABLES, f"{number}.sql"), "rb") as script:
            db.raw.execute(script.read())
            db.execute("insert into overspill.migrations (number, oldest) values (?, ?)", (number, oldest))
    return before, max(before, FORMAT)


def _allow(db: PostgresConnection, role: str, tenant: str) -> None:
    if db.execute("select 1 from pg_roles where rolname = ?", (role,)).fetchone() is None:
        raise ConfigError(f"the database has no role {role[:63]!r}; its administrator makes one with CREATE ROLE")
    db.execute("insert into overspill.roles values (?, ?) on conflict do nothing", (role, tenant))


def _grant(db: PostgresConnection) -> None:
    """Let every role that is allowed use the tables, also those that are new; who it is allowed to is not theirs."""
    for (role,) in db.execute(_GUESTS).fetchall():
        for grant in GRANTS:
            db.execute(grant.format(role=role))


GRANTS: Sequence[str] = (
    "grant usage on schema overspill to {role}",
    "grant select, insert, update, delete on all tables in schema overspill to {role}",
    "revoke insert, update, delete on overspill.migrations from {role}",
    "revoke all on overspill.roles from {role}",
)
