"""The ledger in PostgreSQL: who sees what, how tables are made, and what is said when something is missing."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from children import AtOnce
from doors_kit import Shell, mapping, ok
from ledger_kit import checked, error_of
from overspill import database as database_schema
from overspill.database import FORMAT, FleetDatabase
from overspill.errors import ConfigError, StoreError, TaskNotFound
from overspill.ledger import Ledger
from overspill.ledger.postgres import LedgerTables
from overspill.lists import page
from postgres_kit import Postgres, prepare

FLEET = {"OVERSPILL_FLEET__DATABASE": "env:FLEET_DSN"}


def opened(dsn: str, tenant: str = "acme", project: str = "default") -> Ledger:
    return Ledger(LedgerTables(FleetDatabase(dsn, tenant, project)), who=tenant)


def shell_of(tmp_path: Path, dsn: str, tenant: str = "acme", **environ: str) -> Shell:
    return Shell(tmp_path, root=tenant, FLEET_DSN=dsn, OVERSPILL_TENANT=tenant, **FLEET, **environ)


# -- tenants --


def test_a_task_of_another_tenant_reads_like_one_that_does_not_exist(dsn: str) -> None:
    prepare(dsn)
    with opened(dsn) as mine, opened(dsn, "other") as theirs:
        mine.add_all([{"title": "secret plans", "notes": ["n"], "labels": ["x"]}] * 5)
        refused = {}
        for name, ledger in (("theirs", theirs), ("nobody's", mine)):
            task = "T5" if name == "theirs" else "T9"
            attempts = (
                lambda ledger=ledger, task=task: ledger.show(task),
                lambda ledger=ledger, task=task: ledger.update(task, {"title": "mine now"}),
                lambda ledger=ledger, task=task: ledger.delete([task], force=True),
                lambda ledger=ledger, task=task: list(ledger.history(task)),
                lambda ledger=ledger, task=task: ledger.claim(task, force=True),
                lambda ledger=ledger, task=task: ledger.add({"title": "x", "depends": [task]}),
            )
            said = []
            for attempt in attempts:
                with pytest.raises(TaskNotFound) as raised:
                    attempt()
                said.append(str(raised.value).replace(task, "T?"))
            refused[name] = said
        assert refused["theirs"] == refused["nobody's"]
        assert (theirs.tasks().count(), theirs.find("secret").count(), list(theirs.export())) == (0, 0, [])
        assert theirs.add({"title": "their first"})["id"] == "T1"
        assert mine.show("T1")["title"] == "secret plans"
        assert theirs.find("secrte").count() == 0  # nor do words of others mend slips


def test_projects_of_a_tenant_have_tasks_of_their_own(dsn: str) -> None:
    prepare(dsn)
    with opened(dsn, project="one") as one, opened(dsn, project="two") as two:
        one.add({"title": "a"})
        assert two.add({"title": "b"})["id"] == "T1"
        assert [task["title"] for task in page(one.tasks(), 0).items] == ["a"]


def test_the_server_keeps_tenants_apart_where_our_code_does_not(server: Postgres, dsn: str) -> None:
    """What a tenant's role can do with any client: name the other tenant, look everywhere, write everywhere."""
    for role in ("acme_app", "other_app"):
        server.admin(f"drop role if exists {role}")
        server.admin(f"create role {role} login")
    name = dsn.rpartition("dbname=")[2]
    for role, tenant in (("acme_app", "acme"), ("other_app", "other")):
        database_schema.init(FleetDatabase(dsn), role=role, tenant=tenant)
    with opened(server.dsn("acme_app", name)) as mine:
        mine.add({"title": "secret plans", "depends": [], "labels": ["x"]})
        mine.change_session("ses_1", "s", focus="T1", notes=["n"])
    with pytest.raises(ConfigError, match="may not use tenant 'acme'"):
        opened(server.dsn("other_app", name), "acme")
    with psycopg.connect(dsn) as raw:
        rows = raw.execute("select tablename from pg_tables where schemaname = 'overspill'").fetchall()
    tables = [name for (name,) in rows if name not in {"migrations", "roles"}]
    assert len(tables) >= 10
    with psycopg.connect(server.dsn("other_app", name), autocommit=True) as raw:
        raw.execute("set overspill.tenant = 'acme'")
        raw.execute("set overspill.project = 'default'")
        for table in (*tables, "facets"):
            assert raw.execute(f"select count(*) from overspill.{table}").fetchone() == (0,), table
        for table in tables:
            assert raw.execute(f"delete from overspill.{table}").rowcount == 0, table
            assert raw.execute(f"update overspill.{table} set tenant = 'other'").rowcount == 0, table
        insert = "insert into overspill.counters (name, value, tenant, project) values ('x', 1, 'acme', 'default')"
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute(insert)
        for statement in (
            "insert into overspill.roles values ('other_app', 'acme')",
            "select * from overspill.roles",
            "alter table overspill.tasks disable row level security",
            "drop policy own_rows on overspill.tasks",
            "insert into overspill.migrations values (99, 99)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                raw.execute(statement)
    with opened(server.dsn("acme_app", name)) as mine:
        assert mine.show("T1")["title"] == "secret plans"


def test_a_role_that_no_policy_binds_is_refused(server: Postgres, dsn: str) -> None:
    prepare(dsn)
    name = dsn.rpartition("dbname=")[2]
    with pytest.raises(ConfigError, match="sees every tenant's rows"):
        opened(server.dsn("admin", name))


# -- tables --

MIGRATE = """
import psycopg, sys
from overspill.database import FleetDatabase
from overspill.database import init
print(init(FleetDatabase(sys.argv[1])).before)
"""


def test_ten_machines_that_start_at_once_make_the_tables_once(dsn: str, tmp_path: Path) -> None:
    told = AtOnce(MIGRATE, [(dsn,)] * 10, tmp_path).told()
    assert sorted(int(before) for (before,) in told) == [0] + [FORMAT] * 9
    with psycopg.connect(dsn) as raw:
        rows = raw.execute("select number from overspill.migrations order by number").fetchall()
    assert rows == [(number,) for number in range(1, FORMAT + 1)]


def test_tables_of_another_format_are_told(dsn: str) -> None:
    with pytest.raises(StoreError, match="no tables of overspill yet"):
        opened(dsn)
    prepare(dsn)
    newer = FORMAT + 1
    with psycopg.connect(dsn, autocommit=True) as raw:
        raw.execute(f"insert into overspill.migrations (number, oldest) values ({newer}, 1)")
        opened(dsn).close()  # newer tables that this version can still use
        raw.execute(f"update overspill.migrations set oldest = {newer} where number = {newer}")
        with pytest.raises(StoreError, match=f"format {newer}, which needs a newer version"):
            opened(dsn)
        raw.execute(f"delete from overspill.migrations where number >= {FORMAT}")
        raw.execute("insert into overspill.migrations (number, oldest) values (0, 0)")
        with pytest.raises(StoreError, match="spill fleet migrate"):
            opened(dsn)


def test_the_tables_are_made_brought_up_to_date_and_described_by_commands(
    tmp_path: Path, server: Postgres, dsn: str
) -> None:
    owner = shell_of(tmp_path, dsn)
    assert error_of(owner.spill("fleet", "status", "--json"))["fix"] == "spill fleet init"
    assert error_of(owner.spill("fleet", "migrate", "--json"))["fix"] == "spill fleet init"
    assert "Role owner may use them for every tenant" in ok(owner.spill("fleet", "init")).out
    assert "there was nothing to do" in ok(owner.spill("fleet", "migrate")).out
    server.admin("drop role if exists pods")
    server.admin("create role pods login")
    assert error_of(owner.spill("fleet", "init", "--tenant", "acme", "--json"))["exitCode"] == 2
    assert error_of(owner.spill("fleet", "init", "--role", "nobody_here", "--json"))["exitCode"] == 8
    ok(owner.spill("fleet", "init", "--role", "pods", "--tenant", "acme"))
    address = dsn.replace("user=owner", "user=pods")
    pod, stranger = shell_of(tmp_path, address), shell_of(tmp_path, address, "other")
    ok(pod.spill("add", "Log in"))
    status = mapping(mapping(checked(ok(pod.spill("fleet", "status", "--json")))["fleet"])["database"])
    assert (status["format"], status["role"], status["tasks"], status["open"]) == (FORMAT, "pods", 1, 1)
    error = error_of(stranger.spill("list", "--json"))
    assert (error["exitCode"], error["fix"]) == (8, "spill fleet init --role pods --tenant other")
    assert error_of(pod.spill("fleet", "init", "--json"))["exitCode"] == 3  # the tables are the owner's
    without = Shell(tmp_path)
    assert "no database is named" in str(error_of(without.spill("fleet", "migrate", "--json"))["message"])


# -- what is missing --


def test_commands_use_the_database_and_leave_no_file(tmp_path: Path, dsn: str) -> None:
    prepare(dsn)
    (tmp_path / "pod").mkdir()
    shell, pod = shell_of(tmp_path, dsn), shell_of(tmp_path / "pod", dsn)
    ok(shell.spill("add", "Log in", "--label", "auth"))
    assert "Log in" in ok(pod.spill("list")).out
    ok(pod.spill("done", "T1", "--as", "pod-2"))
    assert mapping(checked(ok(shell.spill("show", "T1", "--json")))["task"])["status"] == "done"
    assert not list(tmp_path.rglob("ledger.db"))
    assert error_of(shell_of(tmp_path, dsn, "other").spill("show", "T1", "--json"))["code"] == "E_TASK_NOT_FOUND"


def test_what_is_missing_is_said(tmp_path: Path, dsn: str) -> None:
    cases = (
        (shell_of(tmp_path, ""), 8, "FLEET_DSN, and it is not set"),
        (shell_of(tmp_path, "nonsense " + "hunter2"), 8, "FLEET_DSN holds no address"),
        (shell_of(tmp_path, dsn), 3, "no tables of overspill yet"),
        (shell_of(tmp_path, f"host={tmp_path} user=x connect_timeout=2"), 7, "cannot be reached"),
        (shell_of(tmp_path, dsn), 3, "spill fleet init"),
    )
    for shell, status, words in cases:
        for command in (["list"], ["add", "x"]):
            error = error_of(shell.spill(*command, "--json"))
            assert (error["exitCode"], words in str(error["message"]) + str(error["fix"])) == (status, True), error
            assert "hunter2" not in str(error)


def test_an_address_in_the_settings_is_refused_and_not_repeated(tmp_path: Path) -> None:
    address = "postgres://me:" + "hunter2" + "@db/fleet"
    shell = Shell(tmp_path)
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text(f"fleet:\n  database: {address}\n")
    (tmp_path / "user.yml").write_text(f"fleet:\n  database: {address}\n")
    cases = (
        (shell.spill("list"), 0),  # a project's word is left out
        (Shell(tmp_path, OVERSPILL_FLEET__DATABASE=address).spill("add", "x"), 8),
        (shell.spill("add", "x", "--config", str(tmp_path / "user.yml")), 8),
    )
    for said, status in cases:
        assert said.status == status, said
        assert "env: and the name of an environment variable" in said.err
        assert "hunter2" not in said.err
    assert not list(tmp_path.rglob("ledger.db"))


def test_a_project_may_not_name_a_database(tmp_path: Path) -> None:
    shell = Shell(tmp_path, FLEET_DSN="host=/nowhere")
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text("fleet:\n  database: env:FLEET_DSN\n")
    said = ok(shell.spill("list"))
    assert "a project may not set it" in said.err


def test_without_the_extra_it_is_said_which_is_missing(tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError\n")
    environ = {**os.environ, **FLEET, "FLEET_DSN": "host=/x", "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)}
    words = [sys.executable, "-m", "overspill", "list", "--root", str(tmp_path)]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, "pip install 'overspill[postgres]'" in done.stderr) == (5, True), done.stderr


def test_without_the_setting_no_driver_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys; from overspill.cli.main import main; main(sys.argv[1:]); "
        "print([name for name in sys.modules if 'psycopg' in name or name.startswith('overspill.database')])"
    )
    for words in (["list"], ["add", "x"], ["handoff", "list"], ["artifacts", "list"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words, "--root", str(tmp_path)], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]", words
