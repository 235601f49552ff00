"""Ledgers apart: what two machines do to the same tasks is one ledger again, and nothing is lost or there twice."""

import json
import random
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doors_kit import Shell, mapping, ok, records
from engine_kit import ledger_place
from ledger_kit import checked, error_of
from overspill.errors import OverspillError, RuleError
from overspill.ledger import Ledger


class Machine:
    """A ledger with a clock of its own, which may be wrong."""

    def __init__(self, name: str, ahead: float, stack: ExitStack) -> None:
        self.seconds = 1_763_000_000.0 + ahead
        self.ledger = stack.enter_context(Ledger(ledger_place(":memory:"), who=name, now=lambda: self.seconds))

    def act(self, name: str, number: int, other: int) -> None:
        self.seconds += 1
        ids = [str(task["id"]) for task in self.ledger.tasks(sort="created").rows(None, 0)][::-1]
        if name != "add" and not ids:
            return
        try:
            ACTS[name](self.ledger, ids[number % len(ids)] if ids else "", ids[other % len(ids)] if ids else "")
        except OverspillError:
            return  # it would break a rule, and changed nothing

    def file(self) -> bytes:
        return b"".join(json.dumps(record).encode() + b"\n" for record in self.ledger.export())


ACTS: dict[str, Callable[[Ledger, str, str], object]] = {
    "add": lambda ledger, one, other: ledger.add({"title": f"by {ledger.who}", "labels": ["x"], "files": ["f", "e"]}),
    "waiting": lambda ledger, one, other: ledger.add({"title": "waiting", "depends": [one], "notes": ["why"]}),
    "part": lambda ledger, one, other: ledger.add({"title": "part", "parentId": one}),
    "title": lambda ledger, one, other: ledger.update(one, {"title": f"{ledger.who} {other}"}),
    "priority": lambda ledger, one, other: ledger.update(one, {"priority": "high" if ledger.who == "a" else "low"}),
    "note": lambda ledger, one, other: ledger.update(one, {"notes": [f"{ledger.who} {other}"]}),
    "label": lambda ledger, one, other: ledger.update_all([one], {}, add={"labels": [ledger.who]}),
    "unlabel": lambda ledger, one, other: ledger.update_all([one], {}, remove={"labels": ["x"]}),
    "files": lambda ledger, one, other: ledger.update_all([one], {}, add={"files": [other]}, remove={"files": ["f"]}),
    "depends": lambda ledger, one, other: ledger.update_all([one], {}, add={"depends": [other]}),
    "parent": lambda ledger, one, other: ledger.update(one, {"parentId": other}),
    "type": lambda ledger, one, other: ledger.update(one, {"type": "epic"}),
    "claim": lambda ledger, one, other: ledger.claim(one),
    "done": lambda ledger, one, other: ledger.done(one),
    "reopen": lambda ledger, one, other: ledger.update(one, {"status": "pending"}),
    "archive": lambda ledger, one, other: ledger.archive(one),
    "delete": lambda ledger, one, other: ledger.delete([one]),
}
names = st.sampled_from([*ACTS, "add", "note", "label", "sync"])
some_acts = st.lists(st.tuples(st.integers(0, 2), names, st.integers(0, 9), st.integers(0, 9)), max_size=25)


@pytest.mark.hypothesis
@settings(max_examples=max(30, settings().max_examples))
@given(acts=some_acts, ahead=st.lists(st.sampled_from([-3600.0, 0.0, 0.4, 7200.0]), min_size=3, max_size=3))
def test_machines_apart_come_to_the_same_tasks_and_lose_nothing(
    acts: list[tuple[int, str, int, int]], ahead: list[float]
) -> None:
    """No lost update, no duplicate: in whatever order three machines act, and hear of each other."""
    with ExitStack() as stack:
        machines = [Machine(name, seconds, stack) for name, seconds in zip("abc", ahead, strict=True)]
        machines[0].ledger.add_all([{"title": "shared", "labels": ["x"], "files": ["f"]} for _ in range(3)])
        for machine in machines[1:]:
            machine.ledger.merge(machines[0].file())
        for at, name, number, other in acts:
            if name == "sync":
                machines[at].ledger.merge(machines[other % 3].file())
            else:
                machines[at].act(name, number, other)
        said = [_said(machine.ledger) for machine in machines]
        for _ in range(3):  # until nobody has anything to mend any more
            for machine in machines:
                for other_one in machines:
                    machine.ledger.merge(other_one.file())
        files = [machine.file() for machine in machines]
        assert files[0] == files[1] == files[2]
        assert machines[0].ledger.merge(files[1])[:3] == (0, 0, 0)
        records = [json.loads(line) for line in files[0].splitlines()]
        assert len({record["uid"] for record in records}) == len(records)
        alive = {record["uid"]: record for record in records if "deletedAt" not in record}
        assert len({record["id"] for record in alive.values()}) == len(alive)
        for uid, cells in _latest(said).items():
            if uid in alive:
                _check_latest(alive[uid], cells)
        deleted = {uid for one in said for uid, field, *_ in one if field == "deleted"}
        assert not deleted & alive.keys()


Cells = dict[tuple[str, str], tuple[int, str]]


def _said(ledger: Ledger) -> list[tuple[str, str, str, str | None, int, str]]:
    rows = ledger._db.execute("select uid, field, part, after, stamp, who from changes").fetchall()
    return [row for row in rows if row[5] != "(merge)"]


def _latest(said: list[list[tuple[str, str, str, str | None, int, str]]]) -> dict[str, Cells]:
    """Of every cell that a person changed anywhere, the latest change, as another reader of the logs finds it."""
    found: dict[str, Cells] = {}
    for rows in said:
        for uid, field, part, after, stamp, _ in rows:
            cells = found.setdefault(uid, {})
            cells[field, part] = max(cells.get((field, part), (0, "")), (stamp, after or ""))
    return found


def _check_latest(record: dict[str, object], cells: Cells) -> None:
    for (field, part), (_, value) in cells.items():
        if field in {"title", "priority"}:
            assert record[field] == value
        elif field in {"labels", "files"}:
            there = record.get(field, [])
            assert isinstance(there, list)
            assert (part in there) == bool(value)
        elif field == "notes" and value:
            notes = record["notes"]
            assert isinstance(notes, list)
            assert value in {note["text"] for note in notes if note["key"] == part}


def test_who_has_seen_a_change_overrules_it_whatever_his_clock_says() -> None:
    with ExitStack() as stack:
        fast, slow = Machine("fast", 7200, stack), Machine("slow", 0, stack)
        fast.ledger.add({"title": "first"})
        fast.ledger.update("T1", {"title": "second"})
        slow.ledger.merge(fast.file())
        slow.ledger.update("T1", {"title": "third"})
        fast.ledger.merge(slow.file())
        assert fast.ledger.show("T1")["title"] == "third"
        assert fast.file() == slow.file()


def test_both_sides_of_a_conflict_and_a_file_that_has_a_task_twice_are_one_task() -> None:
    with ExitStack() as stack:
        one, two = Machine("a", 0, stack), Machine("b", 5, stack)
        one.ledger.add({"title": "shared"})
        two.ledger.merge(one.file())
        one.ledger.update("T1", {"notes": ["from a"], "priority": "high"})
        two.ledger.update("T1", {"notes": ["from b"], "labels": ["b"]})
        both = b"<<<<<<< HEAD\n" + one.file() + b"=======\n" + two.file() + b">>>>>>> theirs\n"
        third = Machine("c", 9, stack)
        assert third.ledger.merge(both).added == 1
        shown = third.ledger.show("T1")
        assert (shown["notes"], shown["priority"], shown["labels"]) == (["from a", "from b"], "high", ["b"])
        assert [mark["by"] for mark in records(shown["noted"])] == ["a", "b"]


def test_of_two_tasks_with_one_id_the_older_keeps_it_and_references_stay_right() -> None:
    with ExitStack() as stack:
        one, two = Machine("a", 0, stack), Machine("b", 5, stack)
        one.ledger.add({"title": "of a"})
        two.ledger.add({"title": "of b"})
        two.ledger.add({"title": "waits for it", "depends": ["T1"]})
        merged = two.ledger.merge(one.file())
        assert (merged.added, merged.renumbered) == (1, {"T1": "T3"})
        assert [two.ledger.show(f"T{n}")["title"] for n in (1, 2, 3)] == ["of a", "waits for it", "of b"]
        assert two.ledger.show("T2")["depends"] == ["T3"]
        assert [task["id"] for task in two.ledger.find("of b").rows(9, 0)] == ["T3"]
        one.ledger.merge(two.file())
        assert one.file() == two.file()
        assert [e["to"] for e in two.ledger.history("T3") if e["field"] == "id"] == ["T3"]


def test_a_task_that_was_renumbered_elsewhere_has_that_id_here_before_a_younger_one() -> None:
    with ExitStack() as stack:
        one, two, three = (Machine(name, ahead, stack) for name, ahead in (("a", 0), ("b", 5), ("c", 9)))
        one.ledger.add({"title": "x"})
        two.ledger.add({"title": "y"})
        three.ledger.merge(two.file())
        three.ledger.add({"title": "z"})
        two.ledger.merge(one.file())
        merged = three.ledger.merge(two.file())
        assert merged.renumbered == {"T1": "T2", "T2": "T3"}
        assert [three.ledger.show(f"T{n}")["title"] for n in (1, 2, 3)] == ["x", "y", "z"]
        for machine in (one, two):
            machine.ledger.merge(three.file())
        assert one.file() == two.file() == three.file()


def test_what_was_taken_away_stays_away_for_whoever_hears_of_it_before_he_hears_that_it_was_there() -> None:
    """A task that is new here comes with what it has no more: an older file does not bring it back."""
    with ExitStack() as stack:
        one, two = Machine("a", 0, stack), Machine("b", 5, stack)
        one.ledger.add({"title": "x", "description": "long"})
        one.ledger.update_all(["T1"], {"phase": "p"}, add={"labels": ["new"]})
        older = one.file()
        one.ledger.update_all(["T1"], {"description": None, "phase": None}, remove={"labels": ["new"]})
        two.ledger.merge(one.file())
        assert two.ledger.merge(older)[:3] == (0, 0, 0)
        shown = two.ledger.show("T1")
        assert not {"labels", "description", "phase"} & shown.keys()
        assert two.file() == one.file()


def test_a_deletion_holds_for_whoever_hears_of_it_before_he_hears_of_the_task() -> None:
    with ExitStack() as stack:
        one, two = Machine("a", 0, stack), Machine("b", 5, stack)
        one.ledger.add_all([{"title": "x"}, {"title": "y"}])
        older = one.file()
        one.ledger.delete(["T1"])
        two.ledger.merge(one.file())
        assert two.ledger.merge(older)[:3] == (0, 0, 0)
        assert [task["title"] for task in two.ledger.tasks().rows(None, 0)] == ["y"]
        assert two.file() == one.file()


def test_what_is_waited_for_may_come_later_than_what_waits() -> None:
    """A file may hold a part of the tasks; whoever gets the rest of them has the whole."""
    with ExitStack() as stack:
        one, two = Machine("a", 0, stack), Machine("b", 5, stack)
        one.ledger.add_all([{"title": "whole", "type": "epic"}, {"title": "first"}])
        one.ledger.add({"title": "part", "parentId": "T1", "depends": ["T2"]})
        lines = {json.loads(line)["title"]: line + b"\n" for line in one.file().splitlines()}
        two.ledger.merge(lines["part"])
        shown = two.ledger.show("T3")
        assert (shown["status"], shown.get("depends"), shown.get("parentId")) == ("pending", None, None)
        two.ledger.merge(lines["first"])
        shown = two.ledger.show("T3")
        assert (shown["status"], shown["depends"], shown.get("parentId")) == ("blocked", ["T2"], None)
        two.ledger.merge(lines["whole"])
        assert two.ledger.show("T3")["parentId"] == "T1"
        assert two.file() == one.file()


def test_what_a_task_never_had_is_nothing_that_happened_to_it() -> None:
    """A task that comes from another machine has the history that it has there, and no lines of nothing."""
    with ExitStack() as stack:
        one, two = Machine("a", 0, stack), Machine("b", 5, stack)
        one.ledger.add({"title": "x", "labels": ["l"]})
        two.ledger.merge(one.file())
        assert list(two.ledger.history("T1")) == list(one.ledger.history("T1"))
        fields = [row[0] for row in two.ledger._db.execute("select field from changes where after is null")]
        assert fields == []


def test_a_circle_that_two_machines_made_together_is_broken_alike_on_both() -> None:
    with ExitStack() as stack:
        one, two = Machine("a", 0, stack), Machine("b", 5, stack)
        one.ledger.add_all([{"title": "x"}, {"title": "y"}])
        two.ledger.merge(one.file())
        one.ledger.update("T1", {"depends": ["T2"]})
        two.ledger.update("T2", {"depends": ["T1"]})
        before = (one.file(), two.file())
        one.ledger.merge(before[1])
        two.ledger.merge(before[0])
        shown = [(m.ledger.show("T1").get("depends"), m.ledger.show("T2").get("depends")) for m in (one, two)]
        assert shown == [(["T2"], None)] * 2
        assert [m.ledger.show("T1")["status"] for m in (one, two)] == ["blocked"] * 2


def test_what_is_wrong_in_a_file_changes_nothing(tmp_path: Path) -> None:
    with Ledger(ledger_place(str(tmp_path / "ledger.db"))) as ledger:
        good = {"uid": "t-1", "id": "T1", "createdAt": "2026-01-01T00:00:00Z", "title": "x"}
        wrong = [
            b"{", b"[1]", b'{"title": "no uid"}', {**good, "uid": "two\nlines"}, {**good, "createdAt": "yesterday"},
            {**good, "title": ""}, {**good, "title": "\x1b[2J"}, {**good, "priority": "p"}, {**good, "id": "7"},
            {**good, "notes": [{"key": "k", "at": "x", "text": "y"}]}, {**good, "labels": ["\x07"]},
        ]  # fmt: skip
        for one in wrong:
            text = one if isinstance(one, bytes) else json.dumps(one).encode()
            with pytest.raises(OverspillError):
                ledger.merge(json.dumps({**good, "uid": "t-2"}).encode() + b"\n" + text)
        assert list(ledger.export()) == []


# -- a file that is committed --


def git(root: Path, *words: str) -> str:
    base = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run([*base, *words], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout


@pytest.mark.parametrize("union", [True, False], ids=["merge=union", "conflicts"])
def test_two_clones_share_their_tasks_through_a_file_in_git(union: bool, tmp_path: Path) -> None:
    one = Shell(tmp_path, root="one", OVERSPILL_AS="ann")
    git(one.root, "init", "-q")
    (one.root / ".gitattributes").write_text("tasks.ndjson merge=union\n" if union else "")
    ok(one.spill("add", "-", stdin='[{"title": "one"}, {"title": "two"}]'))
    said = checked(ok(one.spill("tasks", "sync", "tasks.ndjson", "--json")))
    assert mapping(said["sync"])["written"] == 2
    git(one.root, "add", "-A")
    git(one.root, "commit", "-qm", "tasks")
    git(tmp_path, "clone", "-q", "one", "two")
    two = Shell(tmp_path, root="two", OVERSPILL_AS="bob")
    ok(two.spill("tasks", "sync", "tasks.ndjson"))
    chance = random.Random(5)
    for shell in (one, two):
        for task in ("T1", "T2"):
            ok(
                shell.spill(
                    "update",
                    task,
                    "--notes",
                    f"{shell.root.name} {task} {chance.random()}",
                    "--add-label",
                    shell.root.name,
                )
            )
        ok(shell.spill("add", f"new in {shell.root.name}", "--depends", "T1"))
        ok(shell.spill("tasks", "sync", "tasks.ndjson"))
        git(shell.root, "commit", "-qam", "more")
    ok(two.spill("done", "T2", "--reason", "finished in two"))
    git(two.root, "pull", "-q", "--no-rebase", "--no-edit")
    assert (b"<<<<<<<" in (two.root / "tasks.ndjson").read_bytes()) is not union
    merged = mapping(checked(ok(two.spill("tasks", "sync", "tasks.ndjson", "--json")))["sync"])
    assert mapping(merged["merged"])["added"] == 1
    git(two.root, "add", "-A")
    git(two.root, "commit", "-qm", "merged")
    git(one.root, "pull", "-q", "--no-rebase", str(two.root), "main")
    ok(one.spill("tasks", "sync", "tasks.ndjson"))
    assert git(one.root, "status", "--porcelain", "tasks.ndjson") == ""
    lists = [records(checked(ok(shell.spill("list", "--json")))["tasks"]) for shell in (one, two)]
    assert lists[0] == lists[1]
    assert sorted(str(task["title"]) for task in lists[0]) == ["new in one", "new in two", "one", "two"]
    assert {task["id"] for task in lists[0]} == {"T1", "T2", "T3", "T4"}
    for shell in (one, two):
        shown = mapping(checked(ok(shell.spill("show", "T1", "--json")))["task"])
        notes = shown["notes"]
        assert isinstance(notes, list)
        assert sorted(note[:6] for note in notes) == ["one T1", "two T1"]
        assert shown["labels"] == ["one", "two"]
        assert mapping(checked(ok(shell.spill("show", "T2", "--json")))["task"])["reason"] == "finished in two"


def test_tasks_are_exported_and_imported_with_their_ids(tmp_path: Path) -> None:
    one, two = Shell(tmp_path, root="one"), Shell(tmp_path, root="two")
    ok(one.spill("add", "A", "--label", "x", "--notes", "n"))
    ok(one.spill("add", "B", "--depends", "T1"))
    lines = ok(one.spill("tasks", "export")).out
    assert len(lines.splitlines()) == 2
    said = checked(ok(two.spill("tasks", "import", "-", "--json", stdin=lines)))
    assert mapping(said["import"]) == {"added": 2, "changed": 0, "deleted": 0, "same": 0, "renumbered": {}}
    assert ok(two.spill("list")).out == ok(one.spill("list")).out
    assert ok(two.spill("tasks", "export")).out == lines
    again = mapping(checked(ok(two.spill("tasks", "import", "-", "--json", stdin=lines)))["import"])
    assert again["same"] == 2
    ok(two.spill("tasks", "export", "out.ndjson"))
    assert (two.root / "out.ndjson").read_text() == lines
    assert error_of(two.spill("tasks", "export", "out.ndjson", "--json"))["exitCode"] == 3
    shown = json.dumps(checked(ok(one.spill("show", "T1", "T2", "--json")))["tasks"])
    three = Shell(tmp_path, root="three")
    ok(three.spill("tasks", "import", "-", stdin=shown))
    assert mapping(checked(ok(three.spill("show", "T2", "--json")))["task"])["depends"] == ["T1"]


def test_secrets_in_a_file_are_gone_before_they_are_kept(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    line = {
        "uid": "t-1", "createdAt": "2026-01-01T00:00:00Z", "createdBy": token, "title": token, "labels": [token],
        "notes": [{"key": "1", "at": "2026-01-01T00:00:00Z", "by": token, "text": token}], "assignee": token,
        "acceptance": [token], "files": [token], "changes": {"labels": {token: ["2026-01-02T00:00:00Z", token]}},
    }  # fmt: skip
    shell = Shell(tmp_path)
    ok(shell.spill("tasks", "import", "-", stdin=json.dumps(line)))
    for file in (shell.root / ".acode").rglob("*"):
        assert not file.is_file() or token.encode() not in file.read_bytes(), file


def test_a_rule_is_said_by_name() -> None:
    with Ledger(ledger_place(":memory:")) as ledger, pytest.raises(RuleError, match="has none"):
        ledger.merge(b'{"title": "x"}')
