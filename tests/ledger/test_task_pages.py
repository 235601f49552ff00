"""Lists of tasks: open work first, filters, and pages that meet every task once whatever is done meanwhile."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doors_kit import Shell, mapping, ok, records
from engine_kit import ledger_place
from ledger_kit import checked, error_of, followed
from overspill.errors import RuleError
from overspill.ledger import Ledger, Tasks
from overspill.ledger.engine import LIST
from overspill.ledger.search import TaskMatches


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger(ledger_place(":memory:"), who="ann") as made:
        yield made


def ids(found: Tasks | TaskMatches) -> list[object]:
    return [task["id"] for task in found.rows(None, 0)]


def test_open_work_comes_first_and_the_list_can_be_sorted_otherwise() -> None:
    """Row 14: the first page of a list helps to choose."""
    now = [1_763_000_000.0]
    with Ledger(ledger_place(":memory:"), now=lambda: now[0]) as ledger:
        for priority, status in (("low", "pending"), ("high", "done"), ("high", "pending"), ("medium", "cancelled")):
            now[0] += 60
            ledger.add({"title": "x", "priority": priority, "status": status})
        now[0] += 60
        ledger.update("T2", {"notes": ["x"]})
        assert ids(ledger.tasks()) == ["T1", "T3", "T2", "T4"]
        assert ids(ledger.tasks(sort="priority")) == ["T3", "T1", "T2", "T4"]
        assert ids(ledger.tasks(sort="id")) == ["T1", "T2", "T3", "T4"]
        assert ids(ledger.tasks(sort="created")) == ["T4", "T3", "T2", "T1"]
        assert ids(ledger.tasks(sort="updated")) == ["T2", "T4", "T3", "T1"]
        since = int((now[0] - 130) * 1000)
        assert ids(ledger.tasks({"since": since})) == ["T3", "T2", "T4"]
        assert ids(ledger.tasks({"stale": since})) == ["T1"]


def test_with_most_of_it_done_the_first_page_is_what_is_open(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    lines = "".join(f'{{"title": "t{n}", "status": "{"done" if n < 60 else "pending"}"}}\n' for n in range(80))
    ok(shell.spill("add", "-", stdin=lines))
    first = records(checked(ok(shell.spill("list", "--limit", "20", "--json")))["tasks"])
    assert {task["status"] for task in first} == {"pending"}
    assert ok(shell.spill("list", "--since", "1h", "--limit", "0", "--sort", "created")).out.endswith(
        "Total: 80 tasks\n"
    )
    assert ok(shell.spill("list", "--stale", "1h")).out == "Total: 0 tasks\n"
    assert error_of(shell.spill("list", "--since", "yesterday", "--json"))["exitCode"] == 2
    assert error_of(shell.spill("list", "--sort", "colour", "--json"))["exitCode"] == 2


@pytest.mark.parametrize("word", ["T2", "t2", "billing", "src/pay.py", "idempotent", "measured", "because"])
def test_find_looks_into_labels_files_acceptance_and_ids(word: str, tmp_path: Path) -> None:
    """Row 15."""
    with Ledger(ledger_place(str(tmp_path / "ledger.db"))) as ledger:
        ledger.add({"title": "mentions nothing"})
        ledger.add(
            {
                "title": "Money", "labels": ["billing"], "files": ["src/pay.py"], "acceptance": ["it is idempotent"],
                "verification": "measured", "reason": "because",
            }
        )  # fmt: skip
        ledger.add_all([{"title": f"after T2 and T20, number {n}"} for n in range(3, 30)])
        assert next(ledger.find(word).rows(1, 0))["id"] == "T2"
        assert ids(ledger.find(word, {"status": ["done"]})) == []
        assert "T2" in ids(ledger.find(word, {"status": ["pending"], "type": "task"}))
        ledger.update("T2", {"labels": None, "files": None, "acceptance": None, "verification": None, "reason": None})
        assert ids(ledger.find(word))[:1] == (["T2"] if word in {"T2", "t2"} else [])


def test_whole_words_in_a_title_come_first_then_their_beginnings_then_the_rest(ledger: Ledger) -> None:
    """DOL-24."""
    ledger.add({"title": "the log"})
    ledger.add({"title": "logging"})
    ledger.add({"title": "x", "description": "a log"})
    ledger.add({"title": "y", "notes": ["logs"]})
    assert ids(ledger.find("log")) == ["T1", "T2", "T4", "T3"]
    ledger.add({"title": "cache of pages"})
    assert ids(ledger.find("log cache nothing"))[:1] == ["T5"]
    ledger.add({"title": "log cache"})
    assert ids(ledger.find("log cache nothing"))[:1] == ["T6"]


def test_whoever_does_a_page_and_follows_next_meets_every_task(tmp_path: Path) -> None:
    """Row 3: of 12 pending ones, T5-T8 were never shown."""
    shell = Shell(tmp_path)
    ok(shell.spill("add", "-", stdin="".join('{"title": "x"}\n' for _ in range(12))))
    seen: list[object] = []
    for some in followed(shell, "spill list --status pending --limit 4 --json", "tasks"):
        seen += [task["id"] for task in some]
        ok(shell.spill("done", *[str(task["id"]) for task in some]))
    assert seen == [f"T{n}" for n in range(1, 13)]
    first = checked(ok(shell.spill("list", "--limit", "5", "--json")))
    assert mapping(first["pagination"])["total"] == 12


Act = Callable[[Ledger, int], object]
ACTS: dict[str, Act] = {
    "done": lambda ledger, n: ledger.done(f"T{n}", force=True),
    "reopen": lambda ledger, n: ledger.update(f"T{n}", {"status": "pending"}, force=True),
    "urgent": lambda ledger, n: ledger.update(f"T{n}", {"priority": "critical"}),
    "later": lambda ledger, n: ledger.update(f"T{n}", {"priority": "low"}),
    "label": lambda ledger, n: ledger.update_all([f"T{n}"], {}, add={"labels": ["x"]}),
    "unlabel": lambda ledger, n: ledger.update_all([f"T{n}"], {}, remove={"labels": ["x"]}),
    "rename": lambda ledger, n: ledger.update(f"T{n}", {"title": "other"}),
    "note": lambda ledger, n: ledger.update(f"T{n}", {"notes": ["word"]}),
    "forget": lambda ledger, n: ledger.update(f"T{n}", {"notes": None}),
    "archive": lambda ledger, n: ledger.archive(f"T{n}") if ledger.show(f"T{n}")["status"] == "done" else None,
    "restore": lambda ledger, n: ledger.restore(f"T{n}"),
    "add": lambda ledger, n: ledger.add({"title": "word", "labels": ["x"], "priority": ["low", "high"][n % 2]}),
    "claim": lambda ledger, n: (
        ledger.claim(f"T{n}", force=True) if ledger.show(f"T{n}")["status"] == "pending" else None
    ),
    "wait": lambda ledger, n: ledger.update_all([f"T{n}"], {}, add={"depends": [f"T{n % 9 + 1}"]}),
    "wait no more": lambda ledger, n: ledger.update(f"T{n}", {"depends": []}),
    "join": lambda ledger, n: ledger.update(f"T{n}", {"parentId": "T10"}, force=True),
    "leave": lambda ledger, n: ledger.update(f"T{n}", {"parentId": None}),
    "the whole waits": lambda ledger, n: ledger.update("T10", {"depends": [f"T{n}"]}),
    "the whole goes on": lambda ledger, _: ledger.update("T10", {"depends": []}),
}
ARCHIVED_TOO = {"restore", "add"}
some_acts = st.lists(st.tuples(st.sampled_from(sorted(ACTS)), st.integers(1, 9)), max_size=6)
FACETS = "number, status, priority, type, phase, parent, assignee, closed, place, begun, updated, changed, archived"
SAME_FACETS = f"""select {FACETS}, labels from facets except
    select {FACETS}, '{LIST}' || labels || '{LIST}' from tasks"""
LISTS: dict[str, Callable[[Ledger, str | None], Tasks | TaskMatches]] = {
    "open first": lambda ledger, at: ledger.tasks(at=at),
    "by priority": lambda ledger, at: ledger.tasks(sort="priority", at=at),
    "pending": lambda ledger, at: ledger.tasks({"status": ["pending"]}, at=at),
    "labelled": lambda ledger, at: ledger.tasks({"label": ["x"]}, at=at),
    "urgent": lambda ledger, at: ledger.tasks({"priority": "critical"}, sort="updated", at=at),
    "last changed": lambda ledger, at: ledger.tasks(sort="updated", at=at),
    "newest": lambda ledger, at: ledger.tasks(sort="created", at=at),
    "archive": lambda ledger, at: ledger.archived_tasks(at=at),
    "ready": lambda ledger, at: ledger.ready(at=at),
    "ready, labelled": lambda ledger, at: ledger.ready({"label": ["x"]}, at=at),
    "ready, of one": lambda ledger, at: ledger.ready({"parent": ["T10"], "priority": ["medium", "low"]}, at=at),
    "somebody's": lambda ledger, at: ledger.tasks({"assignee": ["ann"], "label": ["x"]}, sort="priority", at=at),
    "open, untouched": lambda ledger, at: ledger.tasks({"stale": 1 << 50}, sort="created", at=at),
    "all that is asked": lambda ledger, at: ledger.tasks({"status": ["done"], "label": ["x"], "since": 1}, at=at),
    "parts": lambda ledger, at: ledger.tasks({"parent": ["T10"]}, sort="id", at=at),
    "found": lambda ledger, at: ledger.find("word", at=at),
    "found, some": lambda ledger, at: ledger.find("word nothing", at=at),
    "found, pending": lambda ledger, at: ledger.find("wo", {"status": ["pending"]}, at=at),
    "found, labelled": lambda ledger, at: ledger.find("word", {"label": ["x"], "stale": 1 << 50}, at=at),
    "found, somebody's": lambda ledger, at: ledger.find("wo nothing", {"assignee": ["ann"]}, at=at),
    "found in the archive": lambda ledger, at: ledger.find("word", archived=True, at=at),
}


@pytest.mark.hypothesis
@settings(max_examples=max(30, settings().max_examples))
@given(
    before=some_acts,
    between=st.lists(some_acts, min_size=1, max_size=6),
    which=st.sampled_from(sorted(LISTS)),
    limit=st.integers(1, 4),
)
def test_following_pages_meets_what_was_there_at_the_start_once(
    before: list[tuple[str, int]], between: list[list[tuple[str, int]]], which: str, limit: int
) -> None:
    """DOL-22, row 3: whatever is done meanwhile; each list against what it was when its first page was read."""
    with Ledger(ledger_place(":memory:"), who="ann") as ledger:
        for number in range(1, 10):
            fields = {
                "title": ["word", "a word", "x"][number % 3],
                "labels": ["x"] if number % 2 else [],
                "notes": ["word"],
            }
            ledger.add({**fields, "status": ["pending", "done"][number % 4 == 0]})
        ledger.add({"title": "all of it", "type": "epic"})
        _act(ledger, before)
        expected = ids(LISTS[which](ledger, None))
        seen: list[object] = []
        at: str | None = None
        turns = iter(between)
        while True:
            found = LISTS[which](ledger, at)
            assert found.count() == len(expected) - len(seen)
            page = list(found.rows(limit, 0))
            seen += [task["id"] for task in page]
            if not page or found.count() <= limit:
                break
            at = found.position(page[-1])
            _act(ledger, next(turns, []))
        assert seen == expected
        rows = "select (select count(*) from facets), (select count(*) from tasks)"
        facets, tasks = ledger._db.execute(rows).fetchone()
        assert facets == tasks
        assert ledger._db.execute(SAME_FACETS).fetchall() == []


def _act(ledger: Ledger, acts: list[tuple[str, int]]) -> None:
    for name, number in acts:
        if name in ARCHIVED_TOO or "_archive" not in ledger.show(f"T{number}"):
            with suppress(RuleError):  # a circle, a blocked one: whatever is refused changes nothing
                ACTS[name](ledger, number)


def test_what_was_ready_is_met_once_though_what_it_is_a_part_of_is_blocked_meanwhile(ledger: Ledger) -> None:
    """DOL-22: a task is not changed by what happens to its whole, and it was ready when the first page was read."""
    ledger.add({"title": "whole", "type": "epic"})
    ledger.add({"title": "first"})
    ledger.add_all([{"title": f"part {n}", "parentId": "T1"} for n in range(3)])
    first = ledger.ready()
    assert ids(first) == ["T2", "T3", "T4", "T5"]
    page = list(first.rows(2, 0))
    ledger.update("T1", {"depends": ["T2"]})
    assert ids(ledger.ready()) == ["T2"]
    again = ledger.ready(at=first.position(page[-1]))
    assert (again.count(), ids(again)) == (2, ["T4", "T5"])


@pytest.mark.parametrize("matching", [3, 150])
def test_few_of_many_are_found_and_counted_as_others_are(matching: int, ledger: Ledger) -> None:
    """DOL-22: whether few or many are left by a filter, a find has them all, the best first, on pages of any size."""
    titles = ["log cache", "logs cached", "other"]
    tasks = [{"title": titles[n % 3], "notes": ["log the cache"], "labels": ["x"] * (n < matching)} for n in range(400)]
    ledger.add_all(tasks)
    wanted = [f"T{n + 1}" for kind in range(3) for n in reversed(range(matching)) if n % 3 == kind]
    assert ids(ledger.find("log cache", {"label": ["x"]})) == wanted
    seen: list[object] = []
    at: str | None = None
    while len(seen) < matching:
        found = ledger.find("log cache", {"label": ["x"]}, at=at)
        assert found.count() == matching - len(seen)
        page = list(found.rows(40, 0))
        seen += [task["id"] for task in page]
        at = found.position(page[-1])
    assert seen == wanted


def test_several_ids_are_found_and_counted_with_what_names_them(ledger: Ledger) -> None:
    """DOL-22: the total is of all that is shown."""
    ledger.add_all([{"title": "a"}, {"title": "b"}, {"title": "as T1 and T2"}])
    found = ledger.find("T1 T2")
    assert (found.count(), ids(found)) == (3, ["T2", "T1", "T3"])


def test_a_label_is_meant_whole(ledger: Ledger) -> None:
    """DOL-22: nor do two labels, one after the other, make a third."""
    ledger.add_all([{"title": "a", "labels": ["au", "auth"]}, {"title": "b", "labels": ["auth 2"]}])
    assert [ids(ledger.tasks({"label": [label]})) for label in ("auth", "au", "th", "au\x1eauth", "", "auth 2")] == [
        ["T1"], ["T1"], [], [], [], ["T2"],
    ]  # fmt: skip


@pytest.mark.parametrize("which", sorted(LISTS))
def test_any_page_is_a_part_of_the_whole_list(which: str, ledger: Ledger) -> None:
    """DOL-02: `--limit N` is the page size, `--offset N` skips the first N."""
    urgencies = ["critical", "medium", "low"]
    for n in range(1, 41):
        fields = {"title": "word", "labels": ["x"], "priority": urgencies[n % 3], "type": "epic" if n == 10 else "task"}
        part = {"parentId": "T10"} if n > 25 else {}
        ledger.add({**fields, **part, "status": "pending" if n % 4 else "done"})
    ledger.claim_all(["T3", "T6", "T9"])
    for number in (8, 16, 24):
        ledger.archive(f"T{number}")
    first = LISTS[which](ledger, None)
    for at in (None, first.position(next(first.rows(1, 0)))):
        everything = ids(LISTS[which](ledger, at))
        assert len(everything) > 1
        for limit, offset in ((1, 0), (4, 3), (9, 1), (50, 2), (3, 60), (None, 2)):
            page = [task["id"] for task in LISTS[which](ledger, at).rows(limit, offset)]
            assert page == everything[offset : None if limit is None else offset + limit]


def test_a_task_that_is_deleted_meanwhile_shifts_nothing(ledger: Ledger) -> None:
    ledger.add_all([{"title": "x"} for _ in range(8)])
    first = ledger.tasks()
    page = list(first.rows(3, 0))
    ledger.delete(["T1", "T3", "T5"])
    assert ids(ledger.tasks(at=first.position(page[-1]))) == ["T4", "T6", "T7", "T8"]
