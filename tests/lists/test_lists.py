"""Specification 001: page sizes, pagination, compact records, envelopes, and the commands that use them."""

import itertools
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok, records
from ledger_kit import checked, error_of, followed, realistic
from overspill import Overspill, Select, compat
from overspill.cli.output import schema
from overspill.core import o200k, tokens_of
from overspill.errors import UsageError
from overspill.ledger import Ledger
from overspill.lists import (
    SESSION,
    TASK,
    Pagination,
    compact_record,
    compact_session,
    compact_task,
    get_default_limit,
    page,
)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A root with 200 realistic tasks, some sessions, and a journal; for tests that only read."""
    shell = Shell(tmp_path_factory.mktemp("project"))
    lines = "".join(json.dumps(task) + "\n" for task in realistic(200))
    ok(shell.spill("add", "-", stdin=lines))
    for number in range(12):
        shell.put("x\n", "--session", f"work on part {number}")
    return shell


def written(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        ("list", 50), ("tasks", 50), ("session", 10), ("sessions", 10), ("session list", 10), ("search", 10),
        ("find", 10), ("log", 20), ("logs", 20), ("archive", 25), ("archive list", 25), ("show", 50), ("", 50),
    ],
)  # fmt: skip
def test_every_command_has_a_page_size(command: str, limit: int) -> None:
    """DOL-01."""
    assert get_default_limit(command) == compat.get_default_limit(command) == limit
    assert mapping(Overspill().page(range(100), command=command).pagination)["limit"] == limit


def test_page_sizes_can_be_set(shell: Shell) -> None:
    """DOL-01, X-74: page sizes and the schema's address are settings."""
    ok(shell.spill("add", "-", stdin="".join(f'{{"title": "{number}"}}\n' for number in range(9))))
    shell.environ |= {"OVERSPILL_OUTPUT__LIST": "4", "OVERSPILL_OUTPUT__SCHEMA": "https://example.org/own/"}
    envelope = ok(shell.spill("list", "--json")).envelope
    assert mapping(envelope["pagination"])["limit"] == len(records(envelope["tasks"])) == 4
    assert envelope["$schema"] == "https://example.org/own/output.schema.json"
    assert Overspill({"output.list": 3}).page("abcdef", command="list").items == ["a", "b", "c"]


def test_limit_and_offset_choose_the_page(project: Shell) -> None:
    """DOL-02."""
    envelope = checked(ok(project.spill("list", "--limit", "3", "--offset", "5", "--json")))
    assert [record["id"] for record in records(envelope["tasks"])] == ["T6", "T7", "T8"]
    assert page("abcdef", 2, 3).items == ["d", "e"]


def test_limit_zero_is_everything_from_the_offset_on_without_pagination(project: Shell) -> None:
    """DOL-03, X-70, DOL-21."""
    envelope = checked(ok(project.spill("list", "--limit", "0", "--offset", "190", "--json")))
    assert "pagination" not in envelope
    assert "next" not in envelope
    assert [record["id"] for record in records(envelope["tasks"])] == [f"T{number}" for number in range(191, 201)]
    assert page("abcdef", 0, 4) == (["e", "f"], None, False)


def test_without_a_limit_the_smart_default_applies(project: Shell) -> None:
    """DOL-04."""
    for words, key, limit in ((("list",), "tasks", 50), (("find", "the"), "matches", 10), (("log",), "entries", 20)):
        envelope = checked(ok(project.spill(*words, "--json")))
        assert len(records(envelope[key])) == mapping(envelope["pagination"])["limit"] == limit
    sessions = checked(ok(project.spill("session", "list", "--json")))
    assert len(records(sessions["sessions"])) == 10


def test_an_envelope_has_its_keys_in_order(project: Shell) -> None:
    """DOL-05, X-74, DOL-25: `$schema` as printed in the specification, and a timestamp in UTC to the second."""
    envelope = ok(project.spill("list", "--json")).envelope
    assert list(envelope) == ["$schema", "_meta", "success", "pagination", "tasks", "next"]
    assert envelope["$schema"] == "https://cleo-dev.com/schemas/v1/output.schema.json"
    meta = mapping(envelope["_meta"])
    assert list(meta) == ["format", "command", "timestamp", "version"]
    assert (meta["format"], meta["command"]) == ("json", "list")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", str(meta["timestamp"]))


def test_pagination_has_exactly_four_keys() -> None:
    """DOL-06, X-71: a limit is at least 1 when there is one to speak of, and there is no largest."""
    assert list(Pagination(150, 50, 0)) == ["total", "limit", "offset", "hasMore"]
    ended_early = Pagination(150, 200, 0, has_more=True)
    assert ended_early.has_more is ended_early["hasMore"] is True
    assert schema("pagination")["additionalProperties"] is False
    assert mapping(page([], 10_000_000).pagination) == {"total": 0, "limit": 10_000_000, "offset": 0, "hasMore": False}


@pytest.mark.parametrize(("total", "limit", "offset"), [*itertools.product((0, 1, 49, 50, 51), (1, 50), (0, 1, 50))])
def test_has_more_is_offset_plus_limit_below_total(total: int, limit: int, offset: int) -> None:
    """DOL-07."""
    pagination = mapping(page(range(total), limit, offset).pagination)
    assert pagination == {"total": total, "limit": limit, "offset": offset, "hasMore": offset + limit < total}


def test_following_next_brings_everything_once(project: Shell) -> None:
    """DOL-08, DOL-22, X-77: `next` is a whole command line at the top level, never inside pagination."""
    pages = list(followed(project, "spill list --json --limit 60", "tasks"))
    assert [len(one) for one in pages] == [60, 60, 60, 20]
    assert [record["id"] for one in pages for record in one] == [f"T{number}" for number in range(1, 201)]


def test_the_total_counts_what_the_filters_leave(project: Shell) -> None:
    """DOL-09."""
    high = checked(ok(project.spill("list", "--priority", "high", "--limit", "5", "--json")))
    everything = checked(ok(project.spill("list", "--priority", "high", "--limit", "0", "--json")))
    assert mapping(high["pagination"])["total"] == len(records(everything["tasks"])) < 200
    assert {record["priority"] for record in records(everything["tasks"])} == {"high"}
    assert "--priority high" in str(high["next"])


def test_a_compact_task_keeps_what_helps_to_choose() -> None:
    """DOL-10, X-76: a whitelist; fields nobody knows are left out."""
    kept = ("id", "title", "status", "priority", "type", "parentId", "phase", "labels", "depends", "blockedBy",
            "createdAt", "completedAt")  # fmt: skip
    dropped = ("notes", "description", "acceptance", "files", "verification", "_archive", "owner")
    assert kept == TASK
    task = {name: name for name in (*dropped, *kept)}
    assert tuple(compact_task(task)) == tuple(compat.compact_task(task)) == kept
    assert set(task) == {*dropped, *kept}


def test_a_compact_session_keeps_its_current_task() -> None:
    """DOL-11, X-76: an empty focus stays one, as upstream has it."""
    assert SESSION == ("id", "name", "status", "scope", "focus.currentTask", "startedAt", "endedAt")
    session: dict[str, object] = dict.fromkeys(("focusHistory", "stats", "taskSnapshots", "notes", "events"), "x")
    session |= {"id": "s", "name": "n", "status": "active", "scope": "epic:T1", "startedAt": "now", "endedAt": None}
    session["focus"] = {"currentTask": "T7", "since": "noon"}
    kept = {"id": "s", "name": "n", "status": "active", "scope": "epic:T1", "focus": {"currentTask": "T7"},
            "startedAt": "now"}  # fmt: skip
    assert compact_session(session) == compat.compact_session(session) == kept
    assert compact_session({"focus": {}}) == {"focus": {"currentTask": None}}
    assert compact_session({"focus": None}) == {}


def test_nulls_go_and_empty_lists_stay_and_a_record_is_one_line(project: Shell) -> None:
    """DOL-12, X-76."""
    assert compact_task({"id": "T1", "phase": None, "labels": [], "title": ""}) == {
        "id": "T1",
        "title": "",
        "labels": [],
    }
    assert compact_record({"a": 0, "b": False, "c": None}, ["c", "b", "a"]) == {"b": False, "a": 0}
    out = ok(project.spill("list", "--limit", "3", "--json")).out.splitlines()
    assert [json.loads(line.rstrip(","))["id"] for line in out[1:4]] == ["T1", "T2", "T3"]
    assert out[4].startswith("]")


def test_compact_records_are_a_fifth_of_the_whole(project: Shell) -> None:
    """DOL-13."""
    ids = [str(record["id"]) for record in records(ok(project.spill("list", "--json")).envelope["tasks"])]
    with Ledger(str(project.root / ".acode" / "ledger.db")) as ledger:
        for task_id in ids:
            whole = ledger.show(task_id)
            assert 800 <= len(written(whole)) <= 2_000
            assert len(written(compact_task(whole))) <= min(300, 0.3 * len(written(whole)))


@pytest.mark.parametrize(
    ("words", "target"),
    [(("list",), 3_000), (("session", "list"), 1_000), (("find", "token"), 1_000), (("log",), 2_000)],
)
def test_a_page_of_defaults_stays_below_its_target(words: tuple[str, ...], target: int, project: Shell) -> None:
    """DOL-14."""
    said = ok(project.spill(*words, "--json"))
    assert "warnings" not in checked(said)
    print(f"{' '.join(words)}: {tokens_of(len(said.out))} tokens by chars/4, {o200k()(said.out)} of o200k")
    assert tokens_of(len(said.out)) < target


def test_a_list_is_a_twentieth_of_the_raw_dump(project: Shell) -> None:
    """DOL-15: 200 tasks, at least 95 % less."""
    with Ledger(str(project.root / ".acode" / "ledger.db")) as ledger:
        raw = json.dumps([ledger.show(f"T{number}") for number in range(1, 201)], indent=2)
    shown = ok(project.spill("list", "--json")).out
    print(f"{tokens_of(len(raw)):,} -> {tokens_of(len(shown)):,} tokens ({1 - len(shown) / len(raw):.1%} less)")
    assert 50_000 <= tokens_of(len(raw)) <= 100_000
    assert len(shown) <= 0.05 * len(raw)


def test_fifty_tasks_of_two_hundred_bytes_are_below_the_target(shell: Shell) -> None:
    """X-72: below it there is no warning."""
    ok(shell.spill("add", "-", stdin="".join(json.dumps({"title": "t" * 70}) + "\n" for _ in range(50))))
    said = ok(shell.spill("list", "--json"))
    sizes = [len(written(record)) for record in records(said.envelope["tasks"])]
    assert max(sizes) <= 200
    assert tokens_of(len(said.out)) < 3_000
    assert "warnings" not in checked(said)


def test_above_the_target_the_page_stays_and_a_warning_says_what_it_costs(shell: Shell) -> None:
    """X-72: 50 records of 300 bytes are 3,750 tokens; no page is made smaller silently."""
    ok(shell.spill("add", "-", stdin="".join(json.dumps({"title": "t" * 200}) + "\n" for _ in range(60))))
    for words in (("list",), ("list", "--limit", "0")):
        said = ok(shell.spill(*words, "--json"))
        envelope = checked(said)
        assert len(records(envelope["tasks"])) == (50 if len(words) == 1 else 60)
        (warning,) = records(envelope["warnings"])
        assert warning["code"] == "W_TOKEN_TARGET"
        estimate = int(str(re.search(r"about ([\d,]+) tokens", str(warning["message"]))[1]).replace(",", ""))  # type: ignore[index]  # it is there
        assert 0.9 * tokens_of(len(said.out)) <= estimate <= tokens_of(len(said.out))
    smaller = checked(ok(shell.spill("list", "--tokens", "3000", "--json")))
    assert records(smaller["warnings"])[0]["code"] == "W_PAGE_SHORTENED"
    assert tokens_of(len("".join(map(written, records(smaller["tasks"]))))) <= 3_000


def test_discover_then_inspect(shell: Shell) -> None:
    """DOL-16: find, then show, then the children."""
    ok(shell.spill("add", "Passkeys", "--type", "epic", "--description", "All that signing in needs."))
    ok(shell.spill("add", "Log in with a passkey", "--parent", "T1", "--acceptance", "a test"))
    ok(shell.spill("add", "Log out", "--parent", "T1"))
    found = records(checked(ok(shell.spill("find", "passkey", "--json")))["matches"])
    assert {str(match["id"]) for match in found} == {"T1", "T2"}
    assert all("description" not in match for match in found)
    shown = mapping(checked(ok(shell.spill("show", "T1", "--json")))["task"])
    assert shown["description"] == "All that signing in needs."
    children = records(checked(ok(shell.spill("list", "--parent", "T1", "--json")))["tasks"])
    assert [child["id"] for child in children] == ["T2", "T3"]
    assert "acceptance" not in children[0]


def test_anything_can_be_paged_the_same_way() -> None:
    """DOL-17, DOL-18: sequences, iterators and SQL; compact before it is paged."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("create table n (id integer primary key, description text)")
        db.executemany("insert into n (description) values (?)", [("long",)] * 120)
        query = Select(db, "select id, description from n where id > ? order by id", [20])
        for items in (query, iter([{"id": number, "description": "long"} for number in range(21, 121)])):
            found = Overspill().page(items, command="find", offset=95, compact="id")
            assert found.items == [{"id": number} for number in range(116, 121)]
            assert found.pagination == {"total": 100, "limit": 10, "offset": 95, "hasMore": False}
            assert found.next == ""


def test_single_objects_have_no_pagination(project: Shell) -> None:
    """DOL-19."""
    envelope = checked(ok(project.spill("show", "T7", "--json")))
    assert list(envelope) == ["$schema", "_meta", "success", "task"]


def test_an_error_names_code_message_status_and_a_way_out(project: Shell) -> None:
    """DOL-20, X-73."""
    said = project.spill("show", "T999", "--json")
    error = error_of(said)
    assert list(error)[:4] == ["code", "message", "exitCode", "recoverable"]
    assert (error["code"], error["exitCode"], error["fix"]) == ("E_TASK_NOT_FOUND", 4, "spill list")


def test_the_log_is_newest_first_and_goes_back_by_offset(shell: Shell) -> None:
    """DOL-23, X-75."""
    for number in range(1, 6):
        ok(shell.spill("add", f"task {number}"))
    first = checked(ok(shell.spill("log", "--limit", "2", "--json")))
    assert [entry["task_id"] for entry in records(first["entries"])] == ["T5", "T4"]
    deeper = checked(ok(shell.spill("log", "--limit", "2", "--offset", "3", "--json")))
    assert [entry["task_id"] for entry in records(deeper["entries"])] == ["T2", "T1"]


def test_search_results_are_ranked_by_relevance(shell: Shell) -> None:
    """DOL-24."""
    tasks = [
        {"title": "Rename a variable", "notes": ["seen while looking at the cache"]},
        {"title": "Cache the cache", "description": "The cache of the cache."},
        {"title": "Warm up", "description": "Fill the cache at the start."},
        {"title": "Something else"},
    ]
    ok(shell.spill("add", "-", stdin="".join(json.dumps(task) + "\n" for task in tasks)))
    found = records(checked(ok(shell.spill("find", "cache", "--json")))["matches"])
    assert [match["id"] for match in found] == ["T2", "T3", "T1"]
    assert found[2]["snippet"] == "seen while looking at the cache"


@pytest.mark.parametrize("word", ["-1", "abc", "1.5", "", "1e3", "\u0661", "9" * 30])
@pytest.mark.parametrize("option", ["--limit", "--offset"])
def test_a_bad_number_is_malformed_and_the_fix_runs(option: str, word: str, project: Shell) -> None:
    """X-79."""
    said = project.spill("list", option, word, "--json")
    error = error_of(said)
    assert (error["code"], said.status) == ("E_INPUT_INVALID", 2)
    assert checked(ok(project.line(str(error["fix"]))))["success"] is True
    number = -1 if word == "-1" else word
    with pytest.raises(UsageError):
        page([1], **{option[2:]: number})  # type: ignore[arg-type]  # that is what is tested


def test_an_offset_beyond_the_end_is_an_empty_page(project: Shell) -> None:
    """X-79."""
    envelope = checked(ok(project.spill("list", "--offset", "900", "--json")))
    assert envelope["tasks"] == []
    assert envelope["pagination"] == {"total": 200, "limit": 50, "offset": 900, "hasMore": False}


def test_people_see_that_there_is_more(project: Shell) -> None:
    """X-77: nobody misses that a default hid something."""
    said = ok(project.spill("list"))
    assert (
        said.out.splitlines()[-1].rpartition("@")[0].rstrip("0123456789")
        == f"150 more: spill list --root {project.root} --limit 50 --offset 50 --as-of "
    )
    assert ok(project.line(said.out.splitlines()[-1].partition(": ")[2])).out.splitlines()[1].startswith("T51 ")
