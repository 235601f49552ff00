"""Pages of what was kept: they add up to what was asked for, and a page costs no more than itself."""

import os
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill import Overspill
from overspill.core.markers import Part, shell_call
from overspill.errors import UsageError
from overspill.retrieve import range_of, retrieve, stream
from overspill.retrieve.access import Access, access_for, fetch, requested_part
from overspill.retrieve.tools import get_artifact, search_artifacts
from overspill.store import Store
from overspill.store.memory import MemoryStore
from store_kit import files, put

texts = st.text("aé€😀🇩́\n\r", max_size=200)
parts = st.none() | st.builds(
    lambda unit, start, length: Part(unit, start, start + length),
    st.sampled_from(["lines", "bytes"]),
    st.integers(1, 80),
    st.integers(0, 80),
)


def wanted(text: str, part: Part | None) -> str:
    """The same, the slow way."""
    content = text.encode()
    if part is None:
        return text
    if part.unit == "lines":
        return b"".join(content.splitlines(keepends=True)[part.start - 1 : part.end]).decode()
    begins = [len(text[:at].encode()) for at in range(len(text) + 1)]
    start = max(at for at in begins if at <= part.start)
    end = min((at for at in begins if at >= part.end), default=len(content))
    return content[start:end].decode()


@given(texts, parts, st.integers(1, 20))
def test_pages_add_up_to_what_was_asked_for(text: str, part: Part | None, limit: int) -> None:
    store = MemoryStore()
    kept, whole, pages = put(store, text).id, wanted(text, part), ""
    while True:
        page = retrieve(store, kept, part, limit, len(pages), shell_call)
        pages += page.text
        assert len(page.text) <= limit
        assert page.pagination is None or page.pagination.total == len(whole)
        if not page.next:
            break
        assert page.text
        assert page.next == shell_call(kept, part, len(pages))
    assert pages == whole
    with store.artifact(kept) as opened:
        assert b"".join(stream(opened, range_of(opened, part))).decode() == whole


@given(texts, parts, st.integers(0, 300), st.integers(1, 20))
def test_an_offset_counts_characters(text: str, part: Part | None, offset: int, limit: int) -> None:
    store = MemoryStore()
    kept, whole = put(store, text).id, wanted(text, part)
    assert retrieve(store, kept, part, 0, offset, shell_call).text == whole[offset:]
    assert whole[offset:].startswith(retrieve(store, kept, part, limit, offset, shell_call).text)


@pytest.mark.parametrize("offset", [0, 262_143, 349_525, 349_526, 1_048_576, 1_300_000])
def test_characters_are_counted_across_the_steps_of_a_large_text(offset: int) -> None:
    """A step ends within a character here."""
    text = "€" * 700_000 + "😀a" * 300_000
    store = MemoryStore()
    page = retrieve(store, put(store, text).id, None, 1_000, offset, shell_call)
    assert page.text == text[offset : offset + 1_000]
    assert page.pagination
    assert page.pagination.total == len(text)


class Watched(MemoryStore):
    """A store that counts the bytes it serves."""

    served = 0

    def read(self, artifact_id: str, start: int = 0, end: int | None = None) -> bytes:
        content = super().read(artifact_id, start, end)
        self.served += len(content)
        return content


def test_a_page_of_plain_text_reads_no_more_than_itself() -> None:
    store = Watched()
    kept = put(store, "a line of text\n" * 1_000_000).id
    page = retrieve(store, kept, None, 50_000, 9_000_000, shell_call)
    assert len(page.text) == 50_000
    assert store.served < 51_000


JSON = '{"rows":[' + ",".join(f'{{"number":{number}}}' for number in range(9_000)) + "]}"


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"start_line": 10, "end_line": 20},
        {"start_byte": 100, "end_byte": 9_000, "limit": 50, "offset": 70},
        {"query": "$.rows[7]"},
        {"pattern": "number", "context": 2, "limit": 3},
    ],
    ids=lambda asked: " ".join(asked) or "a page",
)
@pytest.mark.parametrize("text", [JSON, JSON.replace("number", "größe").replace(",{", "\n,{")], ids=["line", "lines"])
def test_a_fetch_opens_its_artifact_once(
    text: str, asked: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = files(tmp_path)
    kept = put(store, text, content_type="application/json").id
    opened: Counter[str] = Counter()
    really_open = os.open

    def counted_open(path: str, *rest: int, dir_fd: int | None = None) -> int:
        opened[Path(path).name] += 1
        return really_open(path, *rest, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", counted_open)
    tool = search_artifacts if "pattern" in asked else get_artifact
    assert not tool(Access(store, 1_000, 2_000), {"id": kept, **asked}).is_error
    monkeypatch.undo()
    assert opened[kept] == opened[f"{kept}.json"] == opened["usage"] == opened[store.session.id] == 1
    assert opened.total() <= 8, opened


@pytest.mark.parametrize("text", [JSON, "not JSON, so neither queried nor drawn"], ids=["JSON", "text"])
@pytest.mark.parametrize("part", [Part("lines", 1, 3), Part("query", query="$.rows"), Part("pretty")])
def test_a_fetch_leaves_nothing_open_whether_it_worked_or_not(text: str, part: Part, tmp_path: Path) -> None:
    store = files(tmp_path)
    kept = put(store, text).id
    before = os.listdir("/proc/self/fd")
    with suppress(UsageError):
        assert fetch(Access(store), kept, part).artifact.id == kept
    assert os.listdir("/proc/self/fd") == before


class OlderStore:
    """A store as they were written before stores could open an artifact."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        if name == "artifact":
            raise AttributeError(name)
        return getattr(self._store, name)


class OwnStore(OlderStore):
    """A store that leaves the opening to what everything has that says it is a store."""

    artifact = Store.artifact


@pytest.mark.parametrize("store", [OlderStore(MemoryStore()), OwnStore(MemoryStore())], ids=["older", "own"])
def test_a_store_that_opens_nothing_is_read_as_any_other(store: object) -> None:
    spill = Overspill(store=cast("Store", store), preset="agent")
    kept = put(spill.store, JSON.replace(",{", "\n,{")).id
    assert spill.get(kept, lines=(8, 8)).text == ',{"number":7}\n'
    assert spill.get(kept, bytes=(2, 6)).text == "rows"
    assert spill.get(kept, query="$.rows[7].number").text == "[7]"
    assert spill.get(kept, search='":7}').text == '8:,{"number":7}\n'
    assert fetch(access_for(spill.workspace), kept, Part("pretty", 1, 2)).text == '{\n  "rows": [\n'


def test_two_parts_at_once_are_refused_in_one_sentence_however_they_are_named() -> None:
    store = MemoryStore()
    kept = put(store).id
    said = get_artifact(Access(store), {"id": kept, "start_line": 1, "query": "$"})
    assert said.content == "lines and query name different parts; give one of them"
    with pytest.raises(UsageError, match=r"^lines and bytes and search name different parts; give one of them$"):
        Overspill(store=store).get(kept, lines=(1, 2), bytes=(0, 1), search="x")
    with pytest.raises(UsageError, match=r"^--lines and --bytes name different parts"):
        requested_part(lines=(1, 2), bytes=(0, 1), dashes="--")
