"""The ledger: its rules, its search, and what people write into it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doors_kit import Shell, mapping, ok, records
from engine_kit import ledger_place
from ledger_kit import checked, error_of
from overspill.errors import RuleError, TaskNotFound, UsageError
from overspill.ledger import Ledger
from overspill.ledger.search import edit_steps
from overspill.lists import page

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HOSTILE = ["'; drop table tasks; --", 'a" OR 1=1 --', "100%_done", "\\x00", "NULL", "{}[]$&;|`", "T1", "é日本👨‍👩‍👧"]
CONTROL = ["\x1b[2J", "a\x00b", "bell\x07", "\x9b31m", "safe\u202egnp.exe", "\x1e", "\udcff", "tag\U000e0041"]


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger(ledger_place(":memory:")) as made:
        yield made


def titles(ledger: Ledger, **filters: object) -> list[object]:
    return [task["title"] for task in page(ledger.tasks(filters), 0).items]


def ids(ledger: Ledger, **filters: object) -> list[object]:
    return [task["id"] for task in page(ledger.tasks(filters), 0).items]


# -- rules --


def test_a_task_with_open_dependencies_is_blocked_until_they_are_closed(ledger: Ledger) -> None:
    for title in ("a", "b"):
        ledger.add({"title": title})
    waiting = ledger.add({"title": "c", "depends": ["T1", "T2"]})
    assert (waiting["status"], waiting["blockedBy"]) == ("blocked", ["T1", "T2"])
    ledger.done("T1")
    assert ledger.show("T3")["blockedBy"] == ["T2"]
    ledger.update("T2", {"status": "cancelled"})
    assert ledger.show("T3")["status"] == "pending"
    ledger.update("T1", {"status": "pending"})
    assert ledger.show("T3")["status"] == "blocked"
    with pytest.raises(RuleError, match="blocked by T1"):
        ledger.done("T3")
    assert ledger.done("T3", force=True)["status"] == "done"


@pytest.mark.parametrize("length", [1, 2, 3, 9])
def test_no_dependency_leads_back_to_where_it_began(length: int, ledger: Ledger) -> None:
    for number in range(length):
        ledger.add({"title": str(number), "depends": [f"T{number}"] if number else []})
    with pytest.raises(RuleError, match="circle: T1 needs "):
        ledger.update("T1", {"depends": [f"T{length}"]})
    assert "depends" not in ledger.show("T1")


def test_a_part_cannot_wait_for_what_it_is_a_part_of(ledger: Ledger) -> None:
    ledger.add({"title": "whole"})
    with pytest.raises(RuleError, match="circle"):
        ledger.add({"title": "part", "parentId": "T1", "depends": ["T1"]})
    assert titles(ledger) == ["whole"]


def test_nothing_is_orphaned_and_nothing_is_a_part_of_something_smaller(ledger: Ledger) -> None:
    ledger.add({"title": "epic", "type": "epic"})
    assert ledger.add({"title": "task", "parentId": "T1"})["type"] == "task"
    assert ledger.add({"title": "subtask", "parentId": "T2"})["type"] == "subtask"
    wrong: list[Callable[[], object]] = [
        lambda: ledger.add({"title": "x", "parentId": "T3"}),
        lambda: ledger.add({"title": "x", "type": "subtask"}),
        lambda: ledger.add({"title": "x", "type": "epic", "parentId": "T1"}),
        lambda: ledger.update("T3", {"parentId": None}),
        lambda: ledger.update("T2", {"type": "subtask"}),
        lambda: ledger.update("T1", {"parentId": "T2"}),
        lambda: ledger.update("T1", {"type": "task"}),
    ]
    for attempt in wrong:
        with pytest.raises(RuleError, match="nothing was changed"):
            attempt()
    with pytest.raises(TaskNotFound):
        ledger.add({"title": "x", "parentId": "T99"})
    assert titles(ledger) == ["epic", "task", "subtask"]
    assert [ledger.show(one)["type"] for one in ("T1", "T2", "T3")] == ["epic", "task", "subtask"]


def test_a_closed_task_has_no_open_part(ledger: Ledger) -> None:
    ledger.add({"title": "whole"})
    ledger.add({"title": "part", "parentId": "T1"})
    for status in ("done", "cancelled"):
        with pytest.raises(RuleError, match="open parts: T2"):
            ledger.update("T1", {"status": status})
    ledger.done("T2")
    assert "completedAt" in ledger.done("T1")
    with pytest.raises(RuleError, match="T1 is done"):
        ledger.update("T2", {"status": "pending"})
    with pytest.raises(RuleError, match="T1 is done"):
        ledger.add({"title": "late", "parentId": "T1"})
    assert "completedAt" not in ledger.update("T1", {"status": "pending"})
    ledger.update("T2", {"status": "pending"})
    assert ledger.done("T1", force=True)["status"] == "done"


def test_what_was_closed_by_force_is_named_anew_without_it(ledger: Ledger) -> None:
    """Nothing is closed or moved by a title; what would be is still refused."""
    ledger.add({"title": "whole"})
    ledger.add({"title": "part", "parentId": "T1"})
    ledger.done("T1", force=True)
    assert ledger.update("T1", {"title": "all of it", "labels": ["x"]})["title"] == "all of it"
    assert ledger.update("T2", {"title": "the rest"})["title"] == "the rest"
    with pytest.raises(RuleError, match="open parts: T2"):
        ledger.update("T1", {"status": "cancelled"})
    with pytest.raises(RuleError, match="T1 is done"):
        ledger.add({"title": "late", "parentId": "T1"})


def test_the_archive_keeps_everything_and_can_be_undone(ledger: Ledger) -> None:
    ledger.add({"title": "whole", "description": "about zebras", "labels": ["x"], "notes": ["n"]})
    ledger.add({"title": "part", "parentId": "T1"})
    ledger.add({"title": "other"})
    with pytest.raises(RuleError, match="T1 is pending, not closed"):
        ledger.archive("T1")
    ledger.done("T2")
    before = ledger.done("T1")
    assert ledger.archive("T1") == ["T1", "T2"]
    assert ledger.archive("T1") == []
    assert titles(ledger) == ["other"]
    assert {name: value for name, value in ledger.show("T1").items() if name != "_archive"} == before
    assert ledger.find("zebras").count() == 0
    assert ledger.find("zebras", archived=True).count() == 1
    with pytest.raises(RuleError, match="put away"):
        ledger.update("T1", {"title": "changed"})
    assert [task["id"] for task in page(ledger.archived_tasks(), 10).items] == ["T2", "T1"]
    assert ledger.restore("T2") == ["T1", "T2"]
    assert {**ledger.show("T1"), "updatedAt": before["updatedAt"]} == before  # putting it back is a change, too
    assert ledger.find("zebras").count() == 1
    assert page(ledger.archived_tasks(), 10).items == []


def test_an_update_changes_what_it_names_and_nothing_else(ledger: Ledger) -> None:
    ledger.add({"title": "a", "labels": ["x", "y"], "notes": ["one"], "phase": "p", "files": ["f"]})
    after = ledger.update("T1", {"labels": ["z"], "notes": ["two"], "phase": None})
    assert (after["labels"], after["notes"], after["files"]) == (["z"], ["one", "two"], ["f"])
    assert "phase" not in after
    with pytest.raises(UsageError):
        ledger.update("T1", {"title": None})


def test_lists_are_filtered(ledger: Ledger) -> None:
    ledger.add({"title": "a", "labels": ["x", "y"], "priority": "high", "phase": "one"})
    ledger.add({"title": "b", "labels": ["x"], "parentId": "T1"})
    ledger.add({"title": "c", "status": "active", "phase": "one"})
    assert ids(ledger, label=["x"]) == ["T1", "T2"]
    assert ids(ledger, label=["x", "y"]) == ["T1"]
    assert ids(ledger, status=["pending", "active"], phase="one") == ["T1", "T3"]
    assert ids(ledger, parent="T1") == ids(ledger, type="subtask") == ["T2"]
    assert ids(ledger, priority="high") == ["T1"]
    assert ids(ledger, phase="' or 1=1 --") == []


# -- search --


def test_words_their_beginnings_and_slips_are_found(ledger: Ledger) -> None:
    ledger.add({"title": "Authentication of users", "notes": ["the Zürich office"]})
    ledger.add({"title": "Receive messages", "description": "queue and retry"})
    for query, wanted in (("auth", "T1"), ("authentification", "T1"), ("zurich", "T1"), ("recieve", "T2"),
                          ("queue messages", "T2"), ("mesages retyr", "T2")):  # fmt: skip
        assert [match["id"] for match in ledger.find(query).rows(10, 0)] == [wanted], query
    slip = ledger.find("recieve")
    assert slip.instead == {"recieve": "receive"}
    loose = ledger.find("authentication retry")
    assert (loose.count(), loose.loosened) == (2, True)
    assert ledger.find("elephant").count() == 0


@given(st.text(max_size=60))
def test_no_query_breaks_the_search(query: str) -> None:
    with Ledger(ledger_place(":memory:")) as ledger:
        ledger.add({"title": "Log in"})
        try:
            found = ledger.find(query)
        except UsageError:
            assert not any(letter.isalnum() for letter in query)
        else:
            assert len(list(found.rows(10, 0))) == min(10, found.count())


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_steps_between_words_are_counted_both_ways(one: str, other: str) -> None:
    assert edit_steps(one, other, 2) == edit_steps(other, one, 2)
    assert (edit_steps(one, other, 2) == 0) == (one == other)


# -- what people write --


@pytest.mark.parametrize("text", HOSTILE)
def test_sql_and_strange_words_are_kept_as_they_are(text: str, ledger: Ledger) -> None:
    fields = dict.fromkeys(("title", "description", "phase", "verification"), text)
    lists = {name: [text] for name in ("labels", "notes", "acceptance", "files")}
    made = ledger.add({**fields, **lists})
    assert {name: made[name] for name in (*fields, *lists)} == {**fields, **lists}
    assert ids(ledger, label=[text], phase=text) == ["T1"]


@pytest.mark.parametrize("text", CONTROL, ids=ascii)
@pytest.mark.parametrize(
    "field", ["title", "description", "phase", "verification", "labels", "notes", "acceptance", "files"]
)
def test_control_characters_are_refused_in_every_field(field: str, text: str, ledger: Ledger) -> None:
    ledger.add({"title": "before"})
    with pytest.raises(RuleError, match="control character"):
        ledger.add({"title": "x", field: text})
    with pytest.raises(RuleError, match="control character"):
        ledger.update("T1", {field: text})
    assert titles(ledger) == ["before"]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ('{"title": "' + "t" * 1_000_000 + '"}', 6), ('{"title": "two\\nlines"}', 6), ('{"title": "x", "owner": 1}', 6),
        ('{"title": 7}', 6), ("{", 2), ('{"title": "x"}{', 2), ("[1]", 6), ('[{"title": "ok"}, {"title": ""}]', 6),
        ('{"title": "x", "labels": [' + ",".join(f'"{n}"' for n in range(600)) + "]}", 6),
        ('{"title": "x", "depends": "first"}', 2), ('{"title": "x", "status": "lost"}', 2),
    ],
    ids=lambda value: str(value)[:24],
)  # fmt: skip
def test_what_is_wrong_changes_nothing(line: str, status: int, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    said = shell.spill("add", "-", "--json", stdin=line)
    assert error_of(said)["exitCode"] == status
    assert len(said.out) < 3_000
    assert checked(ok(shell.spill("list", "--json")))["tasks"] == []


def test_a_circle_on_the_command_line_has_the_status_of_broken_rules(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(shell.spill("add", "a"))
    ok(shell.spill("add", "b", "--depends", "T1"))
    error = error_of(shell.spill("update", "T1", "--depends", "T2", "--json"))
    assert (error["code"], error["exitCode"]) == ("E_VALIDATION", 6)
    assert mapping(error["context"])["circle"] == ["T1", "T2", "T1"]


def test_a_secret_is_gone_before_it_is_written(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    words = [
        "add", f"rotate {TOKEN}", "--description", f"it is {TOKEN}", "--notes", f"was {TOKEN}", "--label", TOKEN,
        "--acceptance", TOKEN, "--file", f"keys/{TOKEN}", "--phase", TOKEN, "--verification", TOKEN,
    ]  # fmt: skip
    said = ok(shell.spill(*words, "--json"))
    assert TOKEN not in said.out
    ok(shell.spill("session", "start", "x", "--note", TOKEN, "--scope", TOKEN))
    for file in (shell.root / ".acode").rglob("*"):
        assert not file.is_file() or TOKEN.encode() not in file.read_bytes(), file


@pytest.mark.ledger_file
def test_nothing_raw_reaches_a_terminal(tmp_path: Path) -> None:
    """What an older version, or another program, may have put in."""
    shell = Shell(tmp_path)
    ok(shell.spill("add", "plain", "--notes", "n", "--label", "l"))
    with closing(sqlite3.connect(shell.root / ".acode" / "ledger.db")) as db:
        db.execute("update tasks set title = 'a\x1b[2Jb', notes = 'c\x07d', description = '\u202eevil'")
        db.execute("update labels set label = '\x9b31m'")
        db.commit()
    for words in (["list"], ["show", "T1"], ["find", "2Jb"]):
        said = ok(shell.spill(*words))
        assert not set(said.out + said.err) & set("\x1b\x07\u202e\x9b")


# -- sessions --


def test_a_session_is_about_something(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for title in ("a", "b"):
        ok(shell.spill("add", title))
    ok(shell.spill("session", "start", "work", "--scope", "epic:T1", "--focus", "T1", "--note", "begun"))
    shell.put("x\n")
    ok(shell.spill("session", "update", "--focus", "T2", "--note", "went on"))
    shown = mapping(checked(ok(shell.spill("session", "show", "--json")))["session"])
    assert (shown["scope"], shown["focus"], shown["notes"]) == ("epic:T1", {"currentTask": "T2"}, ["begun", "went on"])
    assert [entry["task"] for entry in records(shown["focusHistory"])] == ["T1", "T2"]
    assert mapping(mapping(shown["stats"])["events"])["create"] == 1
    (listed, *_) = records(checked(ok(shell.spill("session", "list", "--json")))["sessions"])
    assert set(listed) == {"id", "name", "status", "scope", "focus", "startedAt"}
    text = ok(shell.spill("show", str(shown["id"]))).out
    assert "Scope: epic:T1\nFocus: T2\nNote: begun\nNote: went on\n" in text
