"""The ledger: its rules, many writers, killed writers, damage, and what people write into it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doors_kit import Shell, mapping, ok, records
from ledger_kit import checked, error_of
from overspill.errors import LockTimeout, RuleError, StoreError, TaskNotFound, UsageError
from overspill.ledger import Ledger, schema
from overspill.ledger.search import edit_steps
from overspill.lists.pages import page

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HOSTILE = ["'; drop table tasks; --", 'a" OR 1=1 --', "100%_done", "\\x00", "NULL", "{}[]$&;|`", "T1", "é日本👨‍👩‍👧"]
CONTROL = ["\x1b[2J", "a\x00b", "bell\x07", "\x9b31m", "safe\u202egnp.exe", "\x1e", "\udcff", "tag\U000e0041"]


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger(":memory:") as made:
        yield made


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "ledger.db")


def titles(ledger: Ledger, **filters: object) -> list[object]:
    return [task["title"] for task in page(ledger.tasks(filters), 0).items]


def ids(ledger: Ledger, **filters: object) -> list[object]:
    return [task["id"] for task in page(ledger.tasks(filters), 0).items]


# -- rules --


def test_a_task_with_open_dependencies_is_blocked_until_they_are_closed(ledger: Ledger) -> None:
    for title in ("a", "b"):
        ledger.add({"title": title})
    waiting = ledger.add({"title": "c", "status": "active", "depends": ["T1", "T2"]})
    assert (waiting["status"], waiting["blockedBy"]) == ("blocked", ["T1", "T2"])
    ledger.done("T1")
    assert ledger.show("T3")["blockedBy"] == ["T2"]
    ledger.update("T2", {"status": "cancelled"})
    assert ledger.show("T3")["status"] == "active"
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
    assert ledger.show("T1") == before
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
    with Ledger(":memory:") as ledger:
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


def test_an_index_that_is_lost_is_made_anew(path: str) -> None:
    with Ledger(path) as ledger:
        ledger.add({"title": "Log in"})
    with closing(sqlite3.connect(path)) as db:
        db.execute("update search_data set block = x'ffffffffffffffff' where id > 10")
        db.commit()
    with Ledger(path) as ledger:
        assert ledger.find("log").count() == 1
        assert ledger.show("T1")["title"] == "Log in"


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


# -- many processes --

ADD = """
import sys
from overspill.ledger import Ledger
with Ledger(sys.argv[1]) as ledger:
    for number in range(int(sys.argv[3])):
        print(ledger.add({"title": f"{sys.argv[2]} {number}", "notes": ["x" * 500]})["id"], flush=True)
"""


def adding(path: str, name: str, count: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", ADD, path, name, str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ten_processes_lose_nothing(path: str) -> None:
    children = [adding(path, f"process {number}", 200) for number in range(10)]
    told: list[str] = []
    for child in children:
        out, err = child.communicate(timeout=300)
        assert child.returncode == 0, err
        told += out.split()
    assert len(set(told)) == 2_000
    with Ledger(path) as ledger:
        found = page(ledger.tasks(), 0).items
        assert {task["id"] for task in found} == set(told)
        assert {task["title"] for task in found} == {f"process {a} {b}" for a in range(10) for b in range(200)}
        assert ledger.find("process").count() == 2_000
    assert schema.is_sound(path)


def test_a_killed_writer_leaves_a_sound_ledger_with_all_it_told_of(path: str) -> None:
    told: set[str] = set()
    for number in range(8):
        child = adding(path, f"victim {number}", 10_000)
        assert child.stdout
        told |= {child.stdout.readline().strip() for _ in range(3)}
        time.sleep(0.02 * number)
        child.send_signal(signal.SIGKILL)
        told |= {line for line in child.communicate(timeout=60)[0].splitlines(keepends=False) if line.startswith("T")}
    with Ledger(path) as ledger:
        # The last line of each may have been cut in the middle of an id.
        there = {str(task["id"]) for task in page(ledger.tasks(), 0).items}
        assert len(told - there) == 0
        ledger.add({"title": "after"})
    assert schema.is_sound(path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
        db.execute("insert into search (search) values ('integrity-check')")


def test_who_waits_too_long_is_told_so(path: str, tmp_path: Path) -> None:
    with Ledger(path) as holder, Ledger(path, seconds=0.1) as waiting:
        holder.add({"title": "a"})
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("begin immediate")
            with pytest.raises(LockTimeout) as raised:
                waiting.add({"title": "b"})
            assert raised.value.exit_code == 7
            assert ids(waiting) == ["T1"]


# -- damage --


def damaged(path: str, how: str) -> None:
    content = bytearray(Path(path).read_bytes())
    if how == "empty":
        content = bytearray()
    elif how == "another file":
        content = bytearray(b"these are my notes\n" * 1_000)
    elif how == "half":
        content = content[: len(content) // 2]
    elif how == "pages":
        for at in range(4096, len(content), 8192):
            content[at : at + 64] = os.urandom(64)
    elif how == "header":
        content[:32] = bytes(32)
    Path(path).write_bytes(content)


@pytest.mark.parametrize("how", ["empty", "another file", "half", "pages", "header"])
def test_a_damaged_ledger_is_put_aside_whole_and_the_message_says_how_to_recover(how: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(shell.spill("add", "-", stdin="".join(json.dumps({"title": f"task {n}"}) + "\n" for n in range(300))))
    path = shell.root / ".acode" / "ledger.db"
    damaged(str(path), how)
    before = path.read_bytes()
    said = shell.spill("list", "--limit", "0", "--json")
    error = mapping(json.loads(said.out[said.out.rindex('{"$schema"') :])["error"])
    assert (error["code"], said.status) == ("E_LEDGER_DAMAGED", 3)
    kept = str(mapping(error["context"])["kept"])
    assert Path(kept).read_bytes() == before
    assert os.stat(kept).st_mode & 0o077 == 0
    assert kept in str(error["message"])
    assert ".recover" in str(error["fix"])
    assert ok(shell.spill("add", "a new beginning")).out == "T1\n"


NASTY = ["q'$(touch PWZ)'q", "a`touch PWZ`", 'x"; touch PWZ; "', "new\nline; touch PWZ", "\x1b]0;title\x07 it's", "-rf"]


@pytest.mark.parametrize("name", NASTY)
def test_the_way_back_is_one_for_every_directory_and_runs_nothing_of_its_name(name: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path, root=name)
    ok(shell.spill("add", "a task"))
    path = shell.root / ".acode" / "ledger.db"
    path.write_bytes(path.read_bytes()[:6_000])
    error = error_of(shell.spill("list", "--json"))
    kept = str(mapping(error["context"])["kept"])
    fix = str(error["fix"])
    assert fix.isprintable()
    assert fix in str(error["message"])
    written = tmp_path / "bin" / "sqlite3"  # says what it was asked for
    written.parent.mkdir()
    written.write_text(f'#!/bin/sh\nprintf "%s\\0" "$@" >> "{tmp_path}/asked"\n')
    written.chmod(0o755)
    shell.environ["PATH"] = f"{written.parent}:{shell.environ['PATH']}"
    shell.line(fix)
    asked = (tmp_path / "asked").read_bytes().split(b"\0")[:-1]
    assert sorted(asked) == sorted([os.fsencode(kept), b".recover", os.fsencode(path)])
    assert not list(tmp_path.rglob("PWZ"))


BOMB = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000000)"
PLANTED = [
    f"create trigger x after insert on tasks begin insert into labels {BOMB} select new.number, i from n; end",
    f"create trigger x after insert on words begin insert into labels {BOMB} select 1, i from n; end",
    "create trigger x instead of insert on live begin select 1; end",
    f"create view x as {BOMB} select i from n",
    f"drop view live; create view live as {BOMB} select i as number, '' title, '' description, '' notes from n",
    "create index x on tasks (abs(number), hex(title))",
    "create virtual table x using fts5 (a)",
    "drop trigger tasks_added",
    "drop table counters; create table counters (name, value check (length(randomblob(1000000000)) > value))",
    "drop table counters; create view counters as select 'archived' as name, 1 as value",
    "create table y (a); create trigger x before delete on y begin select 1; end",
    "pragma user_version = 0",
    "pragma user_version = -1",
]


@pytest.mark.parametrize("planted", PLANTED)
def test_a_ledger_that_brings_its_own_triggers_and_views_is_refused(planted: str, tmp_path: Path) -> None:
    """A file of somebody else, with the right mode: an archive can bring it along."""
    shell = Shell(tmp_path)
    ok(shell.spill("add", "a task"))
    path = shell.root / ".acode" / "ledger.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(planted)
    before = path.read_bytes()
    begun = time.monotonic()
    for words in (["add", "b"], ["list"], ["find", "task"], ["show", "T1"], ["archive"], ["doctor"]):
        said = shell.spill(*words, "--json")
        if words != ["doctor"]:
            assert error_of(said)["exitCode"] == 3
            assert "that no ledger has" in str(error_of(said)["message"])
    assert time.monotonic() - begun < 20
    assert path.read_bytes() == before
    fix = str(error_of(shell.spill("list", "--json"))["fix"])
    ok(shell.line(fix))
    assert ok(shell.spill("add", "a new beginning")).out == "T1\n"


def test_tables_more_than_ours_do_nothing_and_a_ledger_that_was_recovered_is_ours(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger(str(path)) as ledger:
        ledger.add({"title": "a task to be found"})
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("create table lost_and_found (a integer primary key, b text unique)")
    with Ledger(str(path)) as ledger:
        ledger.add({"title": "b"})
        assert [task["id"] for task in page(ledger.find("found"), 0).items] == ["T1"]


def test_a_ledger_behind_a_link_of_a_project_is_not_read(tmp_path: Path) -> None:
    shell, other = Shell(tmp_path), Shell(tmp_path, root="other")
    ok(other.spill("add", "a canary"))
    (shell.root / ".acode").symlink_to(other.root / ".acode")
    for words in (["list"], ["show", "T1"], ["find", "canary"], ["add", "b"]):
        said = shell.spill(*words)
        assert said.status == 3
        assert "a canary" not in said.out + said.err


def test_a_ledger_of_a_newer_version_is_left_alone(path: str) -> None:
    with Ledger(path) as ledger:
        ledger.add({"title": "a"})
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma user_version = 99")
    with pytest.raises(StoreError, match="format 99"):
        Ledger(path)
    assert [file.name for file in Path(path).parent.iterdir()] == ["ledger.db"]


def test_a_ledger_is_its_owners_alone_and_no_link_is_followed(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(shell.spill("add", "a"))
    path = shell.root / ".acode" / "ledger.db"
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert (shell.root / ".acode" / ".gitignore").read_text() == "*\n"
    elsewhere = tmp_path / "elsewhere.db"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert error_of(shell.spill("add", "b", "--json"))["exitCode"] == 3
    path.unlink()
    elsewhere.rename(path)
    path.chmod(0o644)
    assert error_of(shell.spill("list", "--json"))["exitCode"] == 3


def test_reading_makes_nothing(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for words in (["list"], ["find", "x"], ["archive"], ["log"], ["session", "list"], ["show", "T1"]):
        shell.spill(*words)
    assert not (shell.root / ".acode").exists()


def test_only_commands_on_tasks_load_the_database(tmp_path: Path) -> None:
    code = "import sys; from overspill.cli.main import main; main(sys.argv[1:]); print('sqlite3' in sys.modules)"
    for words, loaded in ((["artifacts", "list"], "False"), (["session", "list"], "False"), (["list"], "True")):
        done = subprocess.run(
            [sys.executable, "-c", code, *words, "--root", str(tmp_path)], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == loaded, words


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
