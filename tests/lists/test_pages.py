"""Pages of anything, elements of JSON as it comes, and the shells that complete a line."""

import json
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from children import Done, fed
from doors_kit import Shell, ok, records
from ledger_kit import checked, error_of
from overspill import Select
from overspill.documents.json_elements import elements
from overspill.errors import UsageError
from overspill.lists import Page, page

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def every(items: list[int], limit: int, tokens: int | None) -> Iterator[Page]:
    """All pages, as one after the other says where the next one begins."""
    offset: int | None = 0
    while offset is not None:
        found = page(iter(items), limit, offset, tokens=tokens)
        yield found
        offset = found.following


@given(st.lists(st.integers(0, 10**30), max_size=60), st.integers(1, 20), st.none() | st.integers(1, 40))
def test_pages_together_are_the_list(items: list[int], limit: int, tokens: int | None) -> None:
    pages = list(every(items, limit, tokens))
    assert [item for found in pages for item in found.items] == items
    for found in pages:
        assert found.pagination is not None
        part = found.pagination
        assert part["hasMore"] == (part.offset + part.limit < part.total == len(items))
        assert len(found.items) <= limit
        assert len(found.items) <= 1 or tokens is None or sum(len(str(item)) + 1 for item in found.items) <= 4 * tokens


@given(st.integers(0, 30), st.integers(0, 12), st.integers(0, 40))
def test_a_sequence_an_iterator_and_a_query_have_the_same_pages(count: int, limit: int, offset: int) -> None:
    items = [{"id": number} for number in range(count)]
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("create table n (id integer primary key)")
        db.executemany("insert into n values (?)", [(number,) for number in range(count)])
        query = Select(db, "select id from n order by id")
        assert page(items, limit, offset) == page(iter(items), limit, offset) == page(query, limit, offset)


def test_a_query_of_many_rows_is_never_held() -> None:
    class Watched:
        def count(self) -> int:
            return 10**12

        def rows(self, limit: int | None, offset: int) -> Iterator[int]:
            assert (limit, offset) == (3, 10**11)
            return iter(range(3))

    assert page(Watched(), 3, 10**11).pagination == {"total": 10**12, "limit": 3, "offset": 10**11, "hasMore": True}


@given(st.lists(VALUES, max_size=8), st.integers(1, 9), st.sampled_from([None, 1]), st.booleans())
def test_chunking_makes_no_difference_to_elements(
    values: list[object], size: int, indent: int | None, inside: bool
) -> None:
    document = {"skipped": values, "a": {"b": values}, "last": 1} if inside else values
    text = json.dumps(document, indent=indent).encode()
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    found = list(elements(chunks, "a.b" if inside else ""))
    assert [json.loads(one) for one in found] == values
    assert all(b"\n" not in one for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "[1,2",
        "[1,,2]",
        "[1 2]",
        "[1]x",
        "[",
        "]",
        '{"a" 1}\n{"b": 2}',
        '[{"a": tru}]',
        "[1,]",
        "[NaN]",
        "abc",
        "[1}",
        '"x',
    ],
)
def test_broken_json_is_told_from_a_list(text: str) -> None:
    with pytest.raises(UsageError):
        list(elements(iter([text.encode()])))


def test_numbers_keep_their_spelling() -> None:
    assert list(elements(iter([b"[1.10, 1e400, 123456789012345678901234567890]"]))) == [
        b"1.10",
        b"1e400",
        b"123456789012345678901234567890",
    ]


def test_a_list_that_is_paged_costs_half_its_size_more_than_it_has_at_the_most(tmp_path: Path) -> None:
    """It is mapped from where it is kept."""
    record = json.dumps({"id": 1, "text": "x" * 200, "tags": ["a", "b"]})

    def chunks(count: int) -> Iterator[bytes]:
        yield b"["
        for number in range(count // 1_000):
            yield (b"," if number else b"") + ",".join([record] * 1_000).encode()
        yield b"]"

    def paged(count: int) -> Done:
        return fed("page", "--limit", "2", "--json", chunks=chunks(count), home=tmp_path)

    large = paged(100_000)
    assert json.loads(large.out)["pagination"] == {"total": 100_000, "limit": 2, "offset": 0, "hasMore": True}
    most = paged(1_000).megabytes + 1.5 * 99_000 * (len(record) + 1) / (1 << 20)
    # Memory is taken by the megabyte: one time in ten it is one more than another time.
    assert large.megabytes < most or paged(100_000).megabytes < most


def test_page_makes_records_compact_and_hides_secrets(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    tasks = [
        {"id": f"T{number}", "title": f"use {token}", "description": "long", "phase": None} for number in range(30)
    ]
    (shell.root / "tasks.json").write_text(json.dumps({"data": {"tasks": tasks}}))
    words = ("page", "tasks.json", "--key", "data.tasks", "--compact", "task", "--command", "archive", "--json")
    envelope = checked(ok(shell.spill(*words)))
    assert token not in json.dumps(envelope)
    assert len(records(envelope["tasks"])) == 25
    assert set(records(envelope["tasks"])[0]) == {"id", "title"}
    assert len(records(checked(ok(shell.line(str(envelope["next"]))))["tasks"])) == 5
    error = error_of(shell.spill("page", "tasks.json", "--json"))
    assert error["exitCode"] == 2
    assert str(error["message"]).endswith("--key data.tasks")


def test_bash_completes_commands_verbs_and_options(tmp_path: Path) -> None:
    def completed(*words: str) -> list[str]:
        line = f"COMP_WORDS=(spill {' '.join(words)}); COMP_CWORD={len(words)}; _spill; echo ${{COMPREPLY[@]}}"
        script = f"source <(spill completion bash); {line}"
        return ok(Shell(tmp_path).line(script)).out.split()

    assert completed("artifacts", "li") == ["list"]
    assert completed("--root", "/tmp", "artifacts", "li") == ["list"]
    assert completed("list", "--stat") == ["--status"]
    assert {"list", "find", "archive"} <= set(completed("''"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_hears_of_every_command(shell: str, tmp_path: Path) -> None:
    script = ok(Shell(tmp_path).spill("completion", shell)).out
    for word in ("artifacts", "session", "find", "archive", "as-of", "sweep"):
        assert word in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_an_unknown_shell_is_told_which_there_are(tmp_path: Path) -> None:
    said = Shell(tmp_path).spill("completion", "powershell")
    assert (said.status, "bash, zsh, fish" in said.err) == (2, True)


def test_a_budget_that_ends_a_list_without_a_limit_says_how_many_there_are() -> None:
    """DOL-09: the total is of all, also of those that were skipped, though nobody knew it before the end."""
    found = page(iter(["x" * 39] * 10), limit=0, offset=3, tokens=20)
    assert (len(found.items), found.shortened, found.next) == (2, True, "--offset 5")
    assert found.pagination == {"total": 10, "limit": 2, "offset": 3, "hasMore": True}
