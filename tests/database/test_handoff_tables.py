"""Hand-offs and the log of budgets in PostgreSQL, held against the files: the same calls, the same answers."""

import json
import tempfile
import uuid
from pathlib import Path

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from children import AtOnce
from doors_kit import Shell, mapping, ok, records
from ledger_kit import checked, error_of
from overspill.database import FleetDatabase
from overspill.handoff.files import FoundHandoffs, StoredHandoff
from overspill.handoff.formats import Handoff
from overspill.handoff.project import HandoffFolder, HandoffPlace, HandoffTables
from overspill.handoff.select import BudgetResult
from postgres_kit import Postgres, prepare

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="session")
def tables(server: Postgres) -> str:
    dsn = server.new_database()
    prepare(dsn)
    return dsn


def handoff(run: str, phase: int, words: str, second: int = 0) -> Handoff:
    moment = f"2026-11-01T08:00:{second:02d}Z"
    return Handoff(phase=phase, run_id=run, goal=words, decisions_made=(words,), completed_at=moment)


def told(found: FoundHandoffs) -> object:
    """What was found, without the moments at which it was written.

    Of what names no run files also keep what was written over in its own place; a database does not.
    """
    each = [(one.name, one.handoff, one.bytes) for one in found.handoffs if not _is_unnamed_copy(one)]
    others = sorted((one.name, one.handoff.run_id, one.handoff.phase) for one in found.ignored)
    return each, others, found.run_id, list(found.problems), found.legacy


def _is_unnamed_copy(one: StoredHandoff) -> bool:
    return not one.handoff.run_id and one.name.startswith("runs/")


RUNS = st.sampled_from(["", "one", "two", "../three", "unnamed"])
WRITES = st.lists(st.tuples(RUNS, st.integers(1, 3), st.booleans()), max_size=8)


@settings(max_examples=5)
@given(writes=WRITES)
def test_any_writes_are_read_as_from_files(tables: str, writes: list[tuple[str, int, bool]]) -> None:
    with tempfile.TemporaryDirectory() as root:
        places: list[HandoffPlace] = [
            HandoffFolder(root),
            HandoffTables(FleetDatabase(tables, f"t-{uuid.uuid4().hex}", variable="DSN")),
        ]
        for number, (run, phase, add) in enumerate(writes):
            made = [place.write(handoff(run, phase, f"write {number}", number), add=add) for place in places]
            files, rows = [(one.stored.name, one.stored.handoff, one.stored.bytes) for one in made]
            assert files == rows
            before = [one.before and (one.before.handoff, one.before.bytes) for one in made]
            assert before[0] == before[1]
        for run_id in (None, "one", "nobody"):
            for phase in (1, 2):
                one, other = [place.read(phase, run_id) for place in places]
                assert (one and (one.name, one.handoff)) == (other and (other.name, other.handoff))
            for all_runs in (False, True):
                found = [place.read_all(before=3, run_id=run_id, all_runs=all_runs) for place in places]
                assert told(found[0]) == told(found[1]), (run_id, all_runs)


def test_runs_that_nobody_used_for_long_are_removed_and_no_others(tables: str) -> None:
    database = FleetDatabase(tables, "sweep", variable="DSN")
    place = HandoffTables(database)
    for run in ("old", "handed over", "newest"):
        place.write(handoff(run, 1, run))
    place.write(handoff("old", 2, "also"))
    with psycopg.connect(tables, autocommit=True) as raw:
        raw.execute("set overspill.tenant = 'sweep'")
        raw.execute("set overspill.project = 'default'")
        raw.execute("update overspill.runs set used = used - 1000")
        raw.execute("update overspill.handoffs set modified = modified - 1000, newest = run = 'newest'")
    place.mark_used("handed over")
    written = place.write(handoff("newest", 2, "n"), keep_runs=500)
    assert written.swept == ["old"]
    runs = {one.handoff.run_id for one in place.read_all(all_runs=True).handoffs}
    assert runs == {"handed over", "newest"}


def test_budgets_are_logged_and_read_oldest_first(tables: str, tmp_path: Path) -> None:
    result = BudgetResult(3000, 2500, 2490, was_truncated=True)
    places: list[HandoffPlace] = [HandoffFolder(str(tmp_path)), HandoffTables(FleetDatabase(tables, "budgets"))]
    entries = []
    for place in places:
        for phase in (2, 3, 2):
            place.log_budget("r", phase, result)
        entries.append([{**entry, "ts": ""} for entry in place.budget_entries()])
    assert entries[0] == entries[1]
    assert [entry["phase"] for entry in entries[0]] == [2, 3, 2]


ADD = """
import psycopg, sys
from overspill.database import FleetDatabase
from overspill.handoff.formats import Handoff
from overspill.handoff.project import HandoffTables
place = HandoffTables(FleetDatabase(sys.argv[1], "many"))
for number in range(10):
    place.write(Handoff(phase=1, run_id="r", decisions_made=(f"{sys.argv[2]} {number}",)), add=True)
"""


def test_many_that_add_at_once_lose_nothing(tables: str, tmp_path: Path) -> None:
    AtOnce(ADD, [(tables, f"p{number}") for number in range(5)], tmp_path).told()
    stored = HandoffTables(FleetDatabase(tables, "many")).read(1, "r")
    assert stored is not None
    assert sorted(stored.handoff.decisions_made) == sorted(f"p{a} {b}" for a in range(5) for b in range(10))


def test_commands_hand_over_from_one_machine_to_another(tmp_path: Path, tables: str) -> None:
    def shell(tenant: str, machine: str) -> Shell:
        variables = {"OVERSPILL_FLEET__DATABASE": "env:FLEET_DSN", "FLEET_DSN": tables, "OVERSPILL_TENANT": tenant}
        return Shell(tmp_path, root=machine, **variables)

    first, second, stranger = shell("acme", "one"), shell("acme", "two"), shell("other", "three")
    said = {
        "phase": 1,
        "run_id": "R",
        "goal": "ship it",
        "narrative": f"the token is {TOKEN} " + "and more words " * 400,
    }
    written = ok(first.spill("handoff", "write", stdin=json.dumps(said)))
    assert written.out == "env:FLEET_DSN/acme/default/phase-1-handoff.json\n"
    assert mapping(checked(ok(second.spill("handoff", "show", "1", "--json")))["handoff"])["goal"] == "ship it"
    assert len(records(checked(ok(second.spill("handoff", "list", "--json")))["handoffs"])) == 1
    context = ok(second.spill("context", "--phase", "2", "--max-tokens", "200"))
    assert "ship it" in context.out
    assert TOKEN not in context.out
    assert "2" in ok(first.spill("stats", "--context")).out
    assert checked(ok(stranger.spill("handoff", "list", "--json")))["handoffs"] == []
    assert error_of(stranger.spill("handoff", "show", "1", "--json"))["code"] == "E_HANDOFF_NOT_FOUND"
    assert not [path for path in tmp_path.rglob("*") if ".agents" in path.parts]
    with psycopg.connect(tables) as raw:
        raw.execute("set overspill.tenant = 'acme'")
        raw.execute("set overspill.project = 'default'")
        (content,) = raw.execute("select content from overspill.handoffs").fetchone()
        assert TOKEN not in content
