"""Fetching what was kept: by id, by lines, bytes, JSONPath and search, a page at a time, through every door."""

import json
import re
import time
from pathlib import Path

import pytest

from asking import command, numbered, spill
from doors_kit import Shell, mapping, ok, records
from overspill import MemoryStore, Overspill
from overspill.compat import GetArtifactTool, TruncationConfiguration, TruncationProcessor
from overspill.core import measure
from overspill.errors import ArtifactNotFound, UsageError
from overspill.retrieve.tools import TOOLS, get_artifact, list_artifacts, search_artifacts
from overspill.store import Label
from store_kit import put

UNKNOWN = "art_1699234567890_doesnotexist"
USERS = json.dumps(
    {"users": [{"id": n, "name": f"user {n}", "tags": ["é", n]} for n in range(8_000)]}, ensure_ascii=False
)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_what_was_left_out_is_fetched_by_id_whole() -> None:
    """FR-061, FR-062, AC-061, AC-062, X-40: get_artifact gives the whole content, and is not cut or kept again."""
    text = numbered(500)
    asked = spill(inline_limit=1_000)
    fitted = asked.fit(text, tool="read_file")
    assert fitted.artifact_id
    assert asked.get(fitted.artifact_id).text == text
    assert len(text) > 8_000
    assert len(asked.store.list()) == 1


def test_an_unknown_id_is_404() -> None:
    """FR-063, AC-063, X-39: status 404 with a code; a malformed one is 400, whether or not anything has that name."""
    tool = GetArtifactTool(MemoryStore())
    answer = tool.execute({"id": UNKNOWN})
    assert (answer.is_error, answer.status, answer.metadata["code"]) == (True, 404, "E_ARTIFACT_NOT_FOUND")
    assert UNKNOWN in answer.content
    assert "list_artifacts" in answer.content
    for wrong in ("", "../../etc/passwd", "art_1", None, 7):
        assert tool.execute({"id": wrong}).status == 400
    with pytest.raises(ArtifactNotFound):
        spill().get(UNKNOWN)


def test_partial_retrieval_is_exact() -> None:
    """FR-064, AC-064, REF-02, X-41: lines from 1, both included; bytes from 0, half-open, widened; JSONPath."""
    store = MemoryStore()
    kept = put(store, "one\ntwo\nthré\nfour").id
    tool = GetArtifactTool(store)
    for arguments, wanted in (
        ({"start_line": 2, "end_line": 3}, "two\nthré\n"),
        ({"start_line": 3}, "thré\nfour"),
        ({"end_line": 1}, "one\n"),
        ({"start_line": 2, "end_line": 99}, "two\nthré\nfour"),
        ({"start_byte": 0, "end_byte": 3}, "one"),
        ({"start_byte": 11, "end_byte": 12}, "é"),
        ({"start_byte": 12, "end_byte": 12}, "é"),
        ({"start_byte": 14}, "four"),
    ):
        assert tool.execute({"id": kept, **arguments}).content == wanted, arguments
    users = put(store, USERS).id
    assert tool.execute({"id": users, "query": "$.users[?@.id==42].name"}).content == '["user 42"]'


def test_retrieval_is_by_tool_call() -> None:
    """FR-065, AC-065: three tools with schemas that a model can read cold."""
    assert [tool.name for tool in TOOLS] == ["get_artifact", "search_artifacts", "list_artifacts"]
    names = [list(mapping(tool.parameters["properties"])) for tool in TOOLS]
    assert set(names[0]) == {"id", "start_line", "end_line", "start_byte", "end_byte", "query", "limit", "offset"}
    assert {"pattern", "id", "regex", "context", "limit", "offset"} <= set(names[1])
    assert names[2] == ["limit", "offset"]
    for tool in TOOLS:
        assert 20 < len(tool.description) < 2_048
        for described in mapping(tool.parameters["properties"]).values():
            assert str(mapping(described)["description"])


def test_a_command_shows_lines_and_bytes(shell: Shell) -> None:
    """CLI-03, X-41."""
    kept = shell.put(numbered(100))
    lines = numbered(100).splitlines(keepends=True)
    assert ok(shell.spill("artifacts", "show", kept, "--lines", "1-50")).out == "".join(lines[:50])
    assert ok(shell.spill("artifacts", "show", kept, "--bytes", "0-1024")).out == numbered(100)[:1024]
    assert shell.spill("artifacts", "show", UNKNOWN).status == 4
    for wrong in (["--lines", "5-2"], ["--lines", "0-2"], ["--bytes", "x"], ["--query", "users"], ["--query", "$["]):
        said = shell.spill("artifacts", "show", kept, *wrong)
        assert (said.status, said.out) == (2, ""), wrong
        assert said.err.startswith("spill: ")
    error = mapping(shell.spill("artifacts", "show", UNKNOWN, "--json").envelope["error"])
    assert (error["code"], error["exitCode"]) == ("E_ARTIFACT_NOT_FOUND", 4)


@pytest.mark.parametrize(
    ("option", "words", "why"),
    [
        ("--lines", "5-3", "not a range of lines: 5-3; it ends before it begins"),
        ("--lines", "0-3", "not a range of lines: 0-3; lines count from 1"),
        ("--bytes", "5-3", "not a range of bytes: 5-3; it ends before it begins"),
    ],
)
def test_a_range_that_is_none_says_why(option: str, words: str, why: str, shell: Shell) -> None:
    """X-41, DESIGN, exit codes: a malformed range is status 2, and the message names what is wrong with it."""
    said = shell.spill("artifacts", "show", shell.put("a\n" * 9), option, words)
    assert (said.status, said.err) == (2, f"spill: {why}\n")


def test_two_processes_ask_for_the_same_text(shell: Shell) -> None:
    """REF-02, CLI-03: what one process keeps, another finds, whole and in part."""
    (shell.root / "big.json").write_text(USERS)
    answer = ok(
        shell.line(
            "id=$(spill artifacts put big.json --root .) && "
            "spill artifacts show $id --query '$.users[?@.id==42].name' --root . && echo && "
            "spill artifacts show $id --bytes 0-10 --root . && echo && "
            "spill artifacts show $id --pretty --lines 3-5 --root . && "
            "spill artifacts search '\"user 5999\"' $id --root ."
        )
    ).out.splitlines()
    assert answer[:2] == ['["user 42"]', '{"users": ']
    assert answer[2:5] == ["    {", '      "id": 0,', '      "name": "user 0",']
    assert answer[5].startswith("1:...")
    assert '{"id": 5999, "name": "user 5999"' in answer[5]


def test_every_element_of_a_long_line_can_be_reached() -> None:
    """FR-064, FAQ-9: a text of one line of 400 KB, by paging and by search."""
    assert len(USERS) > 390_000
    assert "\n" not in USERS
    store = MemoryStore()
    kept = put(store, USERS).id
    asked = Overspill({}, store)
    pages, page = [], asked.get(kept)
    while page.next:
        pages.append(page.text)
        page = asked.get(kept, offset=sum(map(len, pages)))
    assert "".join([*pages, page.text]) == USERS
    for number in (0, 1, 42, 2_999, 5_999):
        match = asked.search(f'"user {number}"', kept).matches[0]
        start = match.start_byte
        assert asked.get(kept, bytes=(start, match.end_byte)).text == f'"user {number}"'
    found = asked.search('"name": ', kept)
    assert found.pagination.total == 8_000


def test_a_large_artifact_comes_in_pages_that_rebuild_it() -> None:
    """FR-062, AC-062, X-40: one page within the budget and the exact next call, to the last byte."""
    text = numbered(200_000) + "é" * 1_000
    assert len(text) > 8_000_000
    store = MemoryStore()
    arguments: dict[str, object] = {"id": put(store, text).id, "limit": 0}
    answer = get_artifact(Overspill({}, store), {"id": arguments["id"]})
    assert len(answer.content) == 50_000
    assert answer.next == f'get_artifact(id="{arguments["id"]}", offset=50000)'
    assert answer.next in answer.note
    pages = []
    while True:
        answer = get_artifact(Overspill({}, store), arguments)
        assert len(answer.content) <= 200_000
        pages.append(answer.content)
        if not answer.next:
            break
        arguments = {name: json.loads(value) for name, value in re.findall(r'(\w+)=("[^"]*"|\d+)', answer.next)}
    assert "".join(pages) == text
    assert "This is the end" in answer.note


def test_everything_at_once_is_for_people_and_programs() -> None:
    """X-40: limit=0 gives all in Python; at the tools it stays below the ceiling, and pages go on."""
    store = MemoryStore()
    text = numbered(20_000)
    kept = put(store, text).id
    asked = Overspill({"tools.truncation.artifacts.retrieval_ceiling": 1_000}, store)
    assert asked.get(kept, limit=0).text == text
    answer = get_artifact(asked, {"id": kept, "limit": 0})
    assert len(answer.content) == 1_000
    assert "limit=0" in answer.next
    assert len(get_artifact(asked, {"id": kept, "limit": 5_000_000}).content) == 1_000
    assert len(get_artifact(asked, {"id": kept, "limit": 10}).content) == 10


def test_an_artifact_that_made_room_leaves_its_story(shell: Shell) -> None:
    """FR-063, X-39: when and why it went, its size and its source."""
    settings = {"OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__SESSION_QUOTA": "30000"}
    small = Shell(shell.home, **settings)
    first = small.put("a" * 20_000, "--source", "make all")
    small.put("b" * 20_000)
    said = small.spill("artifacts", "show", first)
    assert said.status == 4
    assert "20,000 bytes" in said.err
    assert "make all" in said.err
    assert small.spill("artifacts", "search", "a", first).status == 4


def test_search_is_literal_unless_asked_otherwise(shell: Shell) -> None:
    """FAQ-9: more than was promised: text is found by search, literally or by a regular expression."""
    kept = shell.put("a.c\nabc\nABC\nx\n")
    assert ok(shell.spill("artifacts", "search", "a.c", kept)).out == "1:a.c\n"
    assert ok(shell.spill("artifacts", "search", "--regex", "a.c", kept)).out == "1:a.c\n2:abc\n"
    assert ok(shell.spill("artifacts", "search", "-i", "abc", kept, "-C", "1")).out == "1-a.c\n2:abc\n3:ABC\n4-x\n"
    found = shell.spill("artifacts", "search", "b", "--json").envelope
    assert mapping(found["pagination"])["total"] == 1
    assert records(found["matches"])[0] == {
        "id": kept, "line": 2, "column": 2, "start_byte": 5, "end_byte": 6, "text": "abc",
    }  # fmt: skip
    assert shell.spill("artifacts", "search", "--regex", "(", kept).status == 2
    assert shell.spill("artifacts", "search", "").status == 2
    assert shell.spill("artifacts", "search", "nothing of the kind").status == 0


def test_the_strategy_is_said_and_the_limit_can_be_raised() -> None:
    """TRB-1, FAQ-10: the strategy stands in the metadata, a tool's limit can be raised, the artifact has the rest."""
    text = numbered(2_000)
    asked = spill(overrides__read_file__inline_limit=20_000, artifact_threshold=1_000_000)
    cut = asked.fit(text, tool="bash")
    raised = asked.fit(text, tool="read_file")
    assert cut.metadata["truncation_strategy"] == cut.metadata["strategy_used"] == "tail"
    assert len(cut.text) < len(raised.text)
    assert cut.artifact_id
    assert asked.get(cut.artifact_id, limit=0).text == text


def test_more_than_ten_megabytes_become_an_artifact_where_that_is_allowed() -> None:
    """TRB-3, P-30: a large result is kept and asked by JSONPath; the answer is small."""
    entries = [{"site": f"f{n}", "size": n % 2_000_000, "stack": ["x" * 60]} for n in range(120_000)]
    text = json.dumps({"allocations": entries})
    assert len(text) > 11_000_000
    asked = Overspill({"tools.truncation.max_artifact_size": 1 << 30}, MemoryStore(), preset="agent")
    fitted = asked.fit(text, tool="profile_memory")
    assert fitted.artifact_id
    assert not fitted.is_error
    page = asked.get(fitted.artifact_id, query="$.allocations[?@.size > 119990].site")
    assert json.loads(page.text) == [f"f{n}" for n in range(119_991, 120_000)]
    old = asked.get(fitted.artifact_id, query="$.allocations[?(@.size > 119990)].site")
    assert old.text == page.text


def test_fetching_does_not_change_what_is_fitted() -> None:
    """X-63, ASM-05: fitting has no memory of what was fetched."""
    asked = spill(inline_limit=1_000)
    text = numbered(300)
    first = asked.fit(text, tool="bash")
    assert first.artifact_id
    asked.get(first.artifact_id)
    asked.search("line", first.artifact_id)
    second = asked.fit(text, tool="bash")
    assert second.artifact_id
    assert second.text.replace(second.artifact_id, first.artifact_id) == first.text


def test_the_verification_scenarios_of_the_manual() -> None:
    """TST-17: small, medium, large, tail, JSON with a count, an exact line range."""
    asked = spill(artifact_threshold=50_000)
    small = asked.fit(numbered(20))
    assert (small.text, small.artifact_id) == (numbered(20), None)
    medium = asked.fit(numbered(500), strategy="head_tail")
    assert "omitted] ..." in medium.text
    assert medium.text.startswith("line 000001")
    assert "line 000500" in medium.text
    large = asked.fit(numbered(5_000))
    assert large.artifact_id
    assert large.text.startswith(f"[Artifact: {large.artifact_id}]")
    assert get_artifact(asked, {"id": large.artifact_id, "start_line": 1, "end_line": 2}).content == numbered(2)
    tail = asked.fit(numbered(500), tool="execute_command")
    assert tail.text.rstrip().endswith("line 000500 of a text that somebody wrote")
    value = json.loads(asked.fit(USERS[: USERS.rindex(", {")] + "]}").text)
    assert "omitted" in json.dumps(value)
    kept = numbered(5_000).splitlines(keepends=True)
    exact = asked.get(large.artifact_id, lines=(2_000, 2_010)).text
    assert exact == "".join(kept[1_999:2_010])


def test_the_names_of_the_interface() -> None:
    """TST-18, X-38: the processor, the store and the tool, by the specification's names."""
    store = MemoryStore()
    processor = TruncationProcessor(TruncationConfiguration(inline_limit=1_000), store)
    result = processor.process(numbered(200), "read_file")
    answer = GetArtifactTool(store).execute({"id": result.artifact_id, "start_line": 7, "end_line": 7})
    assert answer.content == numbered(7).splitlines(keepends=True)[-1]
    assert (answer.is_error, answer.status) == (False, 200)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"id": UNKNOWN, "line": 3}, "there are: id, start_line"),
        ({"id": UNKNOWN, "start_line": "x"}, "whole number"),
        ({"id": UNKNOWN, "start_line": True}, "whole number"),
        ({"id": UNKNOWN, "start_line": 1, "query": "$"}, "give one"),
        ({"id": UNKNOWN, "query": 5}, "text"),
        ({}, "id is missing"),
    ],
)
def test_a_malformed_call_is_400_and_says_the_next_step(arguments: dict[str, object], words: str) -> None:
    """X-39."""
    answer = get_artifact(spill(), arguments)
    assert answer.status == 400
    assert words in answer.content


def test_numbers_may_come_as_text() -> None:
    """REF-02: models write numbers as text."""
    store = MemoryStore()
    kept = put(store, numbered(10)).id
    answer = get_artifact(Overspill({}, store), {"id": kept, "start_line": "2", "end_line": 2.0, "query": None})
    assert answer.content == numbered(2).splitlines(keepends=True)[1]


def test_a_model_searches_and_lists() -> None:
    """FR-065, FAQ-9."""
    store = MemoryStore()
    asked = Overspill({}, store)
    kept = [put(store, f"artifact {n}\n" * (n + 1)).id for n in range(25)]
    answer = search_artifacts(asked, {"pattern": "artifact 24"})
    assert answer.content.startswith(f"{kept[24]}:1:artifact 24\n{kept[24]}:2:")
    assert "Matches 0-10 of 25" in answer.note
    assert answer.next == 'search_artifacts(pattern="artifact 24", offset=10)'
    assert "No match" in search_artifacts(asked, {"pattern": "zebra", "regex": "true"}).note
    listed = list_artifacts(asked, {})
    assert listed.content.splitlines()[0].startswith(kept[24])
    assert len(listed.content.splitlines()) == 20
    assert listed.next == "list_artifacts(limit=20, offset=20)"
    assert len(list_artifacts(asked, {"limit": 20, "offset": 20}).content.splitlines()) == 5


def test_parts_can_be_switched_off_and_hints_follow() -> None:
    """CFG-04: enable_partial_retrieval."""
    asked = spill(inline_limit=1_000, artifacts__enable_partial_retrieval=False)
    fitted = asked.fit(numbered(500))
    assert f'get_artifact(id="{fitted.artifact_id}")' in fitted.text
    assert fitted.artifact_id
    assert get_artifact(asked, {"id": fitted.artifact_id, "start_line": 1, "end_line": 2}).status == 400
    with pytest.raises(UsageError, match="switched off"):
        asked.get(fitted.artifact_id, lines=(1, 2))
    assert asked.get(fitted.artifact_id).text == numbered(500)


def test_hints_work_from_elsewhere(tmp_path: Path) -> None:
    """REF-02: a view made for another root says so in its calls."""
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    text = numbered(2_000)
    view = command("fit", "--root", str(tmp_path / "there"), stdin=text.encode(), cwd=tmp_path / "here").stdout.decode()
    call = re.search(r"spill (artifacts show \S+ --lines \S+ --root \S+)\]", view)
    assert call, view[-500:]
    fetched = command(*call[1].split(), cwd=tmp_path / "here").stdout.decode()
    assert fetched
    assert fetched in text


@pytest.mark.slow
def test_a_hundred_lines_of_a_large_artifact_are_found_at_once() -> None:
    """FR-064: the whole of it is not read."""
    store = MemoryStore()
    text = numbered(100_000)
    kept = store.put(text, measure(text), Label()).id
    started = time.perf_counter()
    assert Overspill({}, store).get(kept, lines=(50_000, 50_099)).text.count("\n") == 100
    assert time.perf_counter() - started < 1
