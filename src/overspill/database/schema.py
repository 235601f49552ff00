"""The tables in PostgreSQL: how they are made, brought up to date, and kept apart for each tenant.

Every table has a column `tenant`, and a policy of the server lets a connection see and write the rows of the tenant it
names, if its role may name that one; with no tenant named, or one that is not its own, everything is empty. So the
statements of the ledger name no tenant, none can be forgotten in one, and an id of another tenant reads like one that
does not exist. (A schema a tenant would keep them apart as well; but then a thousand tenants are ten thousand tables,
each to be migrated by itself, and a new tenant needs somebody who may make tables.)

Migrations are numbered and go forward only, each in a transaction of its own, and one process at a time: the others
wait, and then find nothing left to do.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.database import FORMAT_THERE, ROLE_HERE, TABLES_HERE
from overspill.database.tables import FORMAT, MIGRATIONS
from overspill.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from overspill.database import FleetDatabase, PostgresConnection

OLDEST_SERVER = 150_000  # whose views can be read with the rights of whoever reads them
ANY_TENANT = "*"
_LOCK = 0x6F7665727370696C  # "overspil": whoever migrates holds it
_GUESTS = """select distinct quote_ident(role) from overspill.roles where role <> (
    select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'overspill')"""


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
    for number, (script, oldest) in enumerate(MIGRATIONS[before:], before + 1):
        with db.transaction():
            db.raw.execute(script.encode())
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
