"""The store in memory keeps what every store promises."""

import tracemalloc

import pytest

from overspill.core import measure
from overspill.store import Label
from overspill.store.memory import MemoryStore
from overspill.testing import *  # noqa: F403  # the tests are the point


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def test_a_text_that_its_owner_holds_as_well_is_not_held_twice() -> None:
    """NFR: the memory of a fit is at most twice its text, and what is kept is most of that."""
    text = "".join(f"{number} is a line of letters that everybody knows\n" for number in range(40_000))
    store = MemoryStore()
    tracemalloc.start()
    try:
        artifact = store.put(text, measure(text), Label())
        assert tracemalloc.get_traced_memory()[0] < len(text) // 4
    finally:
        tracemalloc.stop()
    assert store.read(artifact.id) == text.encode() == b"".join(store.stream(artifact.id))
    assert store.read(artifact.id, 100, 160) == text.encode()[100:160]
    assert store.read(artifact.id, len(text) - 9) == text.encode()[-9:]


def test_bytes_of_a_text_with_other_letters_are_its_bytes() -> None:
    text = "\u00e4\u00f6\u00fc and some more\n" * 9
    store = MemoryStore()
    artifact = store.put(text, measure(text), Label())
    assert store.read(artifact.id, 1, 7) == text.encode()[1:7]
