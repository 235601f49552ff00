"""The ledger as a file: many writers, killed writers, damage, and files that somebody else made."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from children import AtOnce
from doors_kit import Shell, mapping, ok
from ledger_kit import error_of
from overspill.errors import LockTimeout, OverspillError, StoreError
from overspill.ledger import Ledger, engine
from overspill.lists import page

pytestmark = pytest.mark.ledger_file


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "ledger.db")


# -- many processes --

ADD = """
import sqlite3, sys
from overspill.ledger import Ledger
with Ledger(sys.argv[1]) as ledger:
    for number in range(int(sys.argv[3])):
        print(ledger.add({"title": f"{sys.argv[2]} {number}", "notes": ["x" * 500]})["id"], flush=True)
"""


def adding(path: str, name: str, count: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", ADD, path, name, str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ten_processes_lose_nothing(path: str, tmp_path: Path) -> None:
    children = AtOnce(ADD, [(path, f"process {number}", "200") for number in range(10)], tmp_path)
    told = [word for words in children.told() for word in words]
    assert len(set(told)) == 2_000
    with Ledger(path) as ledger:
        found = page(ledger.tasks(), 0).items
        assert {task["id"] for task in found} == set(told)
        assert {task["title"] for task in found} == {f"process {a} {b}" for a in range(10) for b in range(200)}
        assert ledger.find("process").count() == 2_000
    assert engine.is_sound(path)


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
    assert engine.is_sound(path)
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
            assert [task["id"] for task in page(waiting.tasks(), 0).items] == ["T1"]


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


def test_an_index_that_is_lost_is_made_anew(path: str) -> None:
    with Ledger(path) as ledger:
        ledger.add({"title": "Log in"})
    with closing(sqlite3.connect(path)) as db:
        db.execute("update search_data set block = x'ffffffffffffffff' where id > 10")
        db.commit()
    with Ledger(path) as ledger:
        assert ledger.find("log").count() == 1
        assert ledger.show("T1")["title"] == "Log in"


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


def test_a_ledger_of_today_is_known_by_the_digest_of_its_tables() -> None:
    """Where it is not, because a script was added, ledgers open as before, but five times as slowly."""
    assert engine.schema_digest(engine._own_schema(engine.VERSION)) == engine.OWN_SCHEMA


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


def test_a_ledger_that_cannot_be_begun_lets_go_of_its_file(path: str) -> None:
    """A connection that stays open leaves its log beside the file, and Python 3.13 says so when it collects it."""

    def stopped_clock() -> float:
        raise KeyboardInterrupt

    with pytest.raises(OverspillError, match="who"):
        Ledger(path, who="two\nlines")
    assert not os.path.lexists(path)
    Ledger(path).close()
    with pytest.raises(KeyboardInterrupt) as held:
        Ledger(path, now=stopped_clock)
    assert held.traceback  # which holds the half-made ledger: what is closed was closed by us
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
