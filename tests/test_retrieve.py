"""Pages of what was kept: they add up to what was asked for, and a page costs no more than itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.core.markers import Part, shell_call
from overspill.retrieve.pages import range_of, retrieve, stream
from overspill.store.memory import MemoryStore
from store_kit import put

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
    assert b"".join(stream(store, range_of(store, kept, part))).decode() == whole


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
