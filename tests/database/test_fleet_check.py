"""`spill fleet check` of a database: reached, migrated, tenants apart, the right time, and what fails is told."""

from pathlib import Path

import pytest

from doors_kit import Said, Shell, ok, records
from overspill.cli.fleet import clocks_reason
from postgres_kit import Postgres, prepare, started_postgres

TRIALS = 6


def shell_of(tmp_path: Path, dsn: str, **more: str) -> Shell:
    return Shell(tmp_path, OVERSPILL_FLEET__DATABASE="env:FLEET_DSN", FLEET_DSN=dsn, OVERSPILL_TENANT="acme", **more)


def failures(said: Said) -> list[tuple[object, object]]:
    assert said.status == 3
    checks = records(said.envelope["checks"])
    return [(one["reason"], one["fix"]) for one in checks if not one["ok"]]


@pytest.mark.usefixtures("server_place")
def test_a_database_that_does_all_that_is_needed_is_well(tmp_path: Path) -> None:
    with started_postgres(durable=True) as durable:
        prepare(durable.dsn())
        shell = shell_of(tmp_path, durable.dsn())
        said = ok(shell.spill("fleet", "check"))
        assert said.out.startswith("Database of FLEET_DSN, tenant acme, project default\n")
        assert said.out.count("\nok ") == TRIALS
        bucket = {"OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__STORE": f"file://{tmp_path}/bucket"}
        both = ok(shell_of(tmp_path, durable.dsn(), **bucket).spill("fleet", "check"))
        assert both.out.count("\nok ") == TRIALS + 8
        ok(shell.spill("add", "the first task"))
        assert "T1" in ok(shell.spill("list")).out  # nothing of the trials stayed


def test_what_is_wrong_is_told_with_what_to_do_next(tmp_path: Path, server: Postgres, dsn: str) -> None:
    shell = shell_of(tmp_path, dsn)
    (missing,) = failures(shell.spill("fleet", "check", "--json"))
    assert missing == ("the database has no tables of overspill yet", "spill fleet init")
    away = shell_of(tmp_path, f"host={tmp_path} user=x connect_timeout=2")
    ((reason, fix),) = failures(away.spill("fleet", "check", "--json"))
    assert "cannot be reached" in str(reason)
    assert str(fix).startswith("start it, or correct the address in the variable")
    prepare(dsn)
    lazy = (
        "fsync is off and synchronous_commit is off",
        "set fsync and synchronous_commit to on in the server's settings",
    )
    assert failures(shell.spill("fleet", "check", "--json")) == [lazy]
    name = dsn.rpartition("dbname=")[2]
    unbound = failures(shell_of(tmp_path, server.dsn("admin", name)).spill("fleet", "check", "--json"))
    assert unbound[0][1] == "spill fleet init --role NAME"
    server.admin("drop role if exists guests")
    server.admin("create role guests login")
    guest = failures(shell_of(tmp_path, server.dsn("guests", name)).spill("fleet", "check", "--json"))
    assert guest[0][1] == "spill fleet init --help"


def test_tables_without_policies_are_found(tmp_path: Path, server: Postgres, dsn: str) -> None:
    prepare(dsn)
    name = dsn.rpartition("dbname=")[2]
    server.admin("alter table overspill.counters disable row level security", name)
    server.admin("alter table overspill.words no force row level security", name)
    found = failures(shell_of(tmp_path, dsn).spill("fleet", "check", "--json"))
    assert [reason for reason, _ in found[:2]] == ["none on counters, words", "another tenant sees a row"]


def test_clocks_that_differ_are_told_by_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overspill.cli.fleet.time.time", lambda: 1_000_000.0)
    assert clocks_reason(1_000_010.0) == ""
    assert clocks_reason(1_001_000.0) == "its clock is 1,000 s ahead of the one here"
    assert clocks_reason(999_000.0) == "its clock is 1,000 s behind the one here"
