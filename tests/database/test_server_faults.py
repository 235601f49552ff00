"""A database whose server is killed, stopped and started again under processes that work with it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from children import AtOnce
from doors_kit import Shell, ok
from engine_kit import kit_environ
from ledger_kit import error_of
from overspill.database import FleetDatabase
from overspill.errors import LockTimeout
from overspill.handoff.project import HandoffTables
from overspill.ledger import Ledger
from overspill.ledger.postgres import LedgerTables
from overspill.lists import page
from postgres_kit import Postgres, prepare, started_postgres

KILLS = int(os.environ.get("FLEET_KILLS", "1"))
WRITERS = 4

WRITE = """
import sys, time
from overspill.database import FleetDatabase
from overspill.database import TenantQuota
from overspill.errors import DatabaseUnreachable
from overspill.handoff import BudgetResult
from overspill.handoff.formats import Handoff
from overspill.handoff.project import HandoffTables
from overspill.ledger import Ledger
from overspill.ledger.postgres import LedgerTables
database = FleetDatabase(sys.argv[1], "acme")
handoffs, quota = HandoffTables(database), TenantQuota(database, 1 << 30)
number = 0
while True:
    try:
        with Ledger(LedgerTables(database), who=sys.argv[2]) as ledger:
            while True:
                number += 1
                title = f"{sys.argv[2]} {number}"
                print("try", title, flush=True)
                print("told", title, ledger.add({"title": title, "notes": ["x" * 200]})["id"], flush=True)
                handoffs.write(Handoff(phase=1, run_id=title, goal=title))
                print("handed", title, flush=True)
                handoffs.log_budget(title, 2, BudgetResult(1, 2, 1, was_truncated=False))
                print("logged", title, flush=True)
                if quota.reserve("ses", title, 7):
                    print("reserved", title, flush=True)
    except DatabaseUnreachable:
        print("gone", flush=True)
        time.sleep(0.05)
"""


def opened(dsn: str, seconds: float = 30.0) -> Ledger:
    return Ledger(LedgerTables(FleetDatabase(dsn, "acme"), seconds), who="test")


@pytest.mark.usefixtures("server_place")
def test_what_was_acknowledged_is_there_after_the_server_was_killed(tmp_path: Path) -> None:
    with started_postgres(durable=True) as server:
        prepare(server.dsn())
        files = [tmp_path / f"writer-{number}" for number in range(WRITERS)]
        children = []
        for number, file in enumerate(files):
            with file.open("wb") as out:
                words = [sys.executable, "-c", WRITE, server.dsn(), f"writer-{number}"]
                children.append(subprocess.Popen(words, stdout=out, stderr=out, env=kit_environ()))
        try:
            for _ in range(KILLS):
                before = sum(file.read_text().count("told") for file in files)
                until = time.monotonic() + 60
                while sum(file.read_text().count("told") for file in files) < before + 20:
                    assert time.monotonic() < until, [file.read_text()[-500:] for file in files]
                    time.sleep(0.05)
                server.kill()
                server.restart()
        finally:
            for child in children:
                child.kill()
                child.wait()
        lines = [line.split() for file in files for line in file.read_text().splitlines()]
        told = {f"{words[1]} {words[2]}": words[3] for words in lines if words[0] == "told" and len(words) == 4}
        tried = {f"{words[1]} {words[2]}" for words in lines if words[0] == "try" and len(words) == 3}
        with opened(server.dsn()) as ledger:
            rows = page(ledger.tasks(), 0).items
            there = {str(task["title"]): task["id"] for task in rows}
            lost = told.keys() - there.keys()
            moved = {title for title in told.keys() & there.keys() if told[title] != there[title]}
            assert (lost, moved, there.keys() - tried, len(rows) - len(there)) == (set(), set(), set(), 0)
            assert ledger.find("writer").count() == len(rows)
        counts = {
            word: check_kept(server.dsn(), word, said(lines, word), tried) for word in ("handed", "logged", "reserved")
        }
        gone = sum(words == ["gone"] for words in lines)
        assert gone
        assert [file.read_text() for file in files if "Traceback" in file.read_text()] == []
    others = ", ".join(f"{count} {word}" for word, count in counts.items())
    print(f"{KILLS} kills: {len(told)} tasks acknowledged, {others}, 0 lost; {gone} refusals")


def said(lines: list[list[str]], word: str) -> set[str]:
    """What writers said that it is kept, by a word of theirs."""
    return {f"{words[1]} {words[2]}" for words in lines if words[0] == word and len(words) == 3}


def check_kept(dsn: str, word: str, told: set[str], tried: set[str]) -> int:
    """Hand-offs, entries of the log or reservations: all that were told are there, and none that nobody tried."""
    database = FleetDatabase(dsn, "acme")
    place = HandoffTables(database)
    if word == "handed":
        there = [one.handoff.goal for one in place.read_all(all_runs=True).handoffs]
    elif word == "logged":
        there = [str(entry["run_id"]) for entry in place.budget_entries()]
    else:
        db = database.connect()
        there = [name for (name,) in db.execute("select artifact from kept").fetchall()]
        used = db.execute("select bytes, artifacts from usage").fetchone()
        db.close()
        assert used == (7 * len(there), len(there))
    assert len(there) == len(set(there))
    assert (told - set(there), set(there) - tried) == (set(), set()), word
    assert told, word
    return len(told)


def test_a_command_says_that_the_server_is_gone_and_changes_nothing(tmp_path: Path, server: Postgres, dsn: str) -> None:
    prepare(dsn)
    environ = {"OVERSPILL_FLEET__DATABASE": "env:FLEET_DSN", "FLEET_DSN": dsn}
    shell = Shell(tmp_path, **environ)
    ok(shell.spill("add", "a"))
    away = Shell(tmp_path, **{**environ, "FLEET_DSN": dsn.replace(server.directory, str(tmp_path))})
    for words in (["add", "b"], ["list"], ["done", "T1"], ["find", "a"], ["fleet", "status"]):
        error = error_of(away.spill(*words, "--json"))
        assert (error["code"], error["exitCode"]) == ("E_DATABASE_UNREACHABLE", 7)
    assert not list(tmp_path.rglob("ledger.db"))
    with opened(dsn) as ledger:
        ledger._db.execute("select 1")
        server.admin(
            f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{dsn.split('dbname=')[1]}'"
        )
        with pytest.raises(Exception, match="cannot be reached") as raised:
            ledger.add({"title": "c"})
        assert getattr(raised.value, "exit_code", 0) == 7
    assert ok(shell.spill("list")).out.count("\n") == 3


def test_who_waits_too_long_for_other_writers_is_told_so(dsn: str) -> None:
    prepare(dsn)
    with opened(dsn) as holder, opened(dsn, 0.2) as waiting:
        holder.add({"title": "a"})
        with holder._writing(), pytest.raises(LockTimeout) as raised:
            waiting.add({"title": "b"})
        assert raised.value.exit_code == 7
        assert [task["id"] for task in page(waiting.tasks(), 0).items] == ["T1"]
        waiting.add({"title": "b"})


MANY = """
import psycopg, sys
from overspill.database import FleetDatabase
from overspill.ledger import Ledger
from overspill.ledger.postgres import LedgerTables
with Ledger(LedgerTables(FleetDatabase(sys.argv[1], "acme")), who=sys.argv[2]) as ledger:
    for number in range(int(sys.argv[3])):
        print(ledger.add({"title": f"{sys.argv[2]} {number}"})["id"], flush=True)
"""


def test_ten_processes_lose_nothing_and_give_no_id_twice(dsn: str, tmp_path: Path) -> None:
    prepare(dsn)
    children = AtOnce(MANY, [(dsn, f"process-{number}", "8") for number in range(10)], tmp_path)
    told = [word for words in children.told() for word in words]
    assert sorted(told, key=lambda one: int(one[1:])) == [f"T{number}" for number in range(1, 81)]
    with opened(dsn) as ledger:
        assert {str(task["title"]) for task in page(ledger.tasks(), 0).items} == {
            f"process-{a} {b}" for a in range(10) for b in range(8)
        }
