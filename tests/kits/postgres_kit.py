"""A real PostgreSQL for tests: the one that the example of a fleet starts, and tables in it."""

from postgres import OWNER, Postgres, server_programs, started_postgres

from overspill.database import FleetDatabase, init

__all__ = ["OWNER", "Postgres", "prepare", "server_programs", "started_postgres"]


def prepare(dsn: str) -> None:
    """Make the tables."""
    init(FleetDatabase(dsn))
