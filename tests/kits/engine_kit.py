"""Where tests keep tasks: in files, or in the database that `tests/database/suites.py` has started for them."""

import hashlib
import os
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overspill.ledger.postgres import LedgerTables

DSN = "FLEET_TEST_DSN"  # the address of the database that the suites run on, if they run on one


def tenant_for(place: str) -> str:
    """A tenant for a place that would be a file: one for each, and always the same."""
    return f"t-{hashlib.sha256(place.encode()).hexdigest()[:16]}"


def ledger_place(path: str) -> "str | LedgerTables":
    """Where a test keeps its ledger: in a file, or in the database that the suites are run on."""
    dsn = os.environ.get(DSN)
    if dsn is None:
        return path
    from overspill.database import FleetDatabase
    from overspill.ledger.postgres import LedgerTables

    return LedgerTables(FleetDatabase(dsn, tenant_for(uuid.uuid4().hex if path == ":memory:" else path)))


def kit_environ() -> dict[str, str]:
    """The environment of a child that is to import this module."""
    return {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}


def shell_variables(root: str) -> Mapping[str, str]:
    """What tells commands of a test where tasks are kept."""
    dsn = os.environ.get(DSN)
    if dsn is None:
        return {}
    return {"OVERSPILL_FLEET__DATABASE": f"env:{DSN}", DSN: dsn, "OVERSPILL_TENANT": tenant_for(root)}
