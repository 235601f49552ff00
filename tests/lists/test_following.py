"""Whoever follows the printed commands gets every record once, in order, while another process adds to the list."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from doors_kit import Shell, ok, records
from ledger_kit import checked, followed
from overspill.ledger import Ledger
from overspill.lists import page

SOME = 25
ADDING = """
import itertools, os, sys, time
from overspill.journal import file_journal
from overspill.ledger import Ledger
from overspill.core import measure
from overspill.store import Label, housekeeping
from overspill.workspace.opening import open_store

root, what = sys.argv[1:3]
os.environ["XDG_STATE_HOME"] = os.path.join(root, "state")
ledger = Ledger(os.path.join(root, ".acode", "ledger.db"))
told = file_journal(os.path.join(root, ".acode", "logs"))


def artifact(session=None):
    store = open_store(root, session, lazy=True)
    store.put("x\\n", measure("x\\n"), Label("bash"))
    store.close()


def archived():
    made = ledger.add({"title": "added", "status": "done"})
    ledger.archive(made["id"])


ADD = {
    "list": lambda number: ledger.add({"title": "added"}),
    "archive": lambda number: archived(),
    "log": lambda number: told("same", {}),
    "artifacts list": lambda number: artifact(),
    "session list": lambda number: artifact(f"added {number} {os.getpid()}"),
}
for number in itertools.count() if sys.argv[3] == "on" else range(int(sys.argv[3])):
    ADD[what](number)
    time.sleep(0.002)
    if number < 3:
        print("added", flush=True)
"""
KEYS = {
    "list": "tasks",
    "archive": "tasks",
    "log": "entries",
    "artifacts list": "artifacts",
    "session list": "sessions",
}


def start(shell: Shell, what: str, count: str) -> subprocess.Popen[str]:
    (shell.root / ".acode").mkdir(mode=0o700, exist_ok=True)
    words = [sys.executable, "-c", ADDING, str(shell.root), what, count]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**shell.environ})


@contextmanager
def others_adding(shell: Shell, what: str) -> Iterator[None]:
    child = start(shell, what, "on")
    assert child.stdout
    try:
        for _ in range(3):
            assert child.stdout.readline() == "added\n"
        yield
        assert child.poll() is None
    finally:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("what", list(KEYS))
def test_following_next_yields_everything_once_while_another_process_inserts(what: str, tmp_path: Path) -> None:
    shell, key = Shell(tmp_path), KEYS[what]
    start(shell, what, str(SOME)).communicate(timeout=60)
    before = records(checked(ok(shell.spill(*what.split(), "--limit", "0", "--json")))[key])
    assert len(before) >= SOME
    seen: list[dict[str, object]] = []
    with others_adding(shell, what):
        pages = followed(shell, f"spill {what} --json --limit 4", key)
        for number, some in enumerate(pages):
            if number == 0:
                # What was there at the first page: that page, and everything after it.
                first = some
            seen += some
            if number and before[-1] in some:
                break
    names = [_name(record) for record in seen]
    if what != "log":  # these events are all alike but for their time
        assert len(set(names)) == len(names)
    there = [_name(record) for record in before]
    assert [name for name in names if name in set(there)] == there
    assert seen[:4] == first


def _name(record: dict[str, object]) -> str:
    return f"{record.get('id')} {record.get('ts')}"


def test_a_search_goes_on_in_what_was_there_at_its_first_page(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ids = [shell.put(f"{number} needle\nhay\nneedle again\n") for number in range(6)][::-1]
    expected = [(one, line) for one in ids for line in (1, 3)]
    for words in ("artifacts search needle", "artifacts search --regex -i 'NEEDLE( again)?'"):
        seen: list[tuple[object, object]] = []
        for some in followed(shell, f"spill {words} --limit 5 --json", "matches"):
            seen += [(match["id"], match["line"]) for match in some]
            shell.put("needle that came later\n")
        assert [one for one in seen if one in expected] == expected
        assert len(seen) == len(set(seen))


def test_find_looks_into_artifacts_when_asked_to(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    kept = [shell.put("a Needle here\nand a needle there\n") for _ in range(7)]
    pages = list(followed(shell, "spill find needle --in artifacts --json", "matches"))
    assert [len(one) for one in pages] == [10, 4]
    assert {match["id"] for one in pages for match in one} == set(kept)


def test_a_first_page_says_which_moment_all_pages_speak_of(tmp_path: Path) -> None:
    with Ledger(str(tmp_path / "ledger.db")) as ledger:
        for number in range(10):
            ledger.add({"title": str(number)})
        found = ledger.tasks()
        first = page(found, 4)
        ledger.add({"title": "late"})
        rest = page(ledger.tasks(at=found.position(first.items[-1])), 0)
        assert [task["title"] for task in first.items + rest.items] == [str(number) for number in range(10)]
        assert first.pagination == {"total": 10, "limit": 4, "offset": 0, "hasMore": True}


def test_pages_of_find_are_of_the_moment_of_the_first(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(shell.spill("add", "-", stdin="".join('{"title": "look here"}\n' for _ in range(5))))
    first = checked(ok(shell.spill("find", "look", "--limit", "3", "--json")))
    ok(shell.spill("add", "look here, too"))
    second = checked(ok(shell.line(str(first["next"]))))
    assert second["pagination"] == {"total": 5, "limit": 3, "offset": 3, "hasMore": False}
    found = records(first["matches"]) + records(second["matches"])
    assert [match["id"] for match in found] == ["T5", "T4", "T3", "T2", "T1"]


def test_an_artifact_that_is_gone_still_says_where_the_next_page_begins(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ids = [shell.put(f"{number}\n") for number in range(6)][::-1]
    first = checked(ok(shell.spill("artifacts", "list", "--limit", "2", "--json")))
    ok(shell.spill("artifacts", "rm", ids[1]))
    shell.put("new\n")
    second = checked(ok(shell.line(str(first["next"]))))
    assert [record["id"] for record in records(second["artifacts"])] == ids[2:4]
