"""How much a tenant may keep in a bucket, held by the database: room is taken and noted in one statement, or not.

Lists of a bucket say what is there and not what others are about to put there, so that without a database a quota on a
bucket is a wish.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from overspill.database import FleetDatabase

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
