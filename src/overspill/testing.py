"""What every store promises, for those who write one: a module of tests that has a `store` fixture and takes these.

    import pytest

    pytest.register_assert_rewrite("overspill.testing")

    from overspill.testing import *  # noqa: E402, F403
    from mine import MyStore

    @pytest.fixture
    def store() -> MyStore:
        return MyStore()

Each test gets a new, empty store. `docs/stores.md` says how to write one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from random import Random
from typing import TYPE_CHECKING

from overspill.core import Size, measure
from overspill.errors import ArtifactNotFound, MissingExtra, StoreError, UsageError
from overspill.store import Label, Store

try:
    import pytest
except ImportError as error:
    raise MissingExtra("the suite of stores", "dev") from error

if TYPE_CHECKING:
    from overspill.core.report import Artifact

__all__ = [
    "test_a_range_is_the_same_bytes",
    "test_an_artifact_can_come_piece_by_piece",
    "test_an_empty_artifact_can_be_committed_and_viewed",
    "test_an_id_that_nobody_has_is_not_found",
    "test_an_opened_artifact_is_read_as_often_as_one_likes",
    "test_bytes_are_counted_by_the_store_itself",
    "test_clearing_says_what_it_removed",
    "test_every_length_comes_back_whole",
    "test_labels_of_any_characters_come_back",
    "test_lines_are_counted_from_one_and_clamped",
    "test_lines_of_a_large_artifact_are_found_by_its_index",
    "test_nothing_is_kept_that_was_not_committed",
    "test_of_too_large_a_text_both_ends_are_kept_with_both_sizes",
    "test_the_newest_come_first_and_pages_add_up",
    "test_threads_do_not_get_in_each_others_way",
    "test_views_are_remembered_by_their_smallest_budget",
    "test_what_fits_between_the_ends_is_kept_whole",
    "test_what_is_deleted_is_gone",
    "test_what_is_no_id_is_not_looked_up",
    "test_what_is_put_can_be_read_back",
]

MIXED = "".join(Random(7).choices(["a", "é", "漢", "😀", "\n", "\r\n", "\r", "words of a line "], k=400_000))
LARGE = MIXED * 2  # more than one chunk, with every kind of line end at every kind of place


def put(store: Store, text: str = "hello\n", **label: str) -> Artifact:
    return store.put(text, measure(text), Label(**label))


def size_of(content: bytes) -> Size:
    return measure(content.decode())


def lines_of(text: str) -> list[bytes]:
    return text.encode().splitlines(keepends=True)


def test_what_is_put_can_be_read_back(store: Store) -> None:
    text = "one\ntwo é 漢 😀\r\nthree"
    artifact = put(store, text, tool="bash", content_type="text/x-log", source="ls -l", call_id="call 1")
    assert store.read(artifact.id).decode() == text
    assert store.info(artifact.id) == artifact
    assert artifact.size == measure(text)
    assert (artifact.source_tool, artifact.content_type) == ("bash", "text/x-log")
    assert (artifact.source, artifact.call_id) == ("ls -l", "call 1")
    assert not artifact.partial


@pytest.mark.parametrize("text", ["", "x", "\n", "\r", "\0", "a" * (1 << 20), "b" * ((1 << 20) + 1), LARGE])
def test_every_length_comes_back_whole(store: Store, text: str) -> None:
    artifact = put(store, text)
    assert store.read(artifact.id) == text.encode()
    assert b"".join(store.stream(artifact.id)) == text.encode()
    assert artifact.size.bytes == len(text.encode())


def test_labels_of_any_characters_come_back(store: Store) -> None:
    odd = 'a "quoted" \\ back\nline \x1b[31m \u2028 漢 \x00 \x7f'
    artifact = put(store, tool=odd, source=odd, content_type=odd, call_id=odd)
    assert store.info(artifact.id)[2:5] == (odd, odd, odd)
    assert store.info(artifact.id).call_id == odd


def test_a_range_is_the_same_bytes(store: Store) -> None:
    content = LARGE.encode()
    artifact = put(store, LARGE)
    edges = [0, 1, 65_536, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, len(content) - 1, len(content), len(content) + 9]
    for start in edges:
        for end in edges:
            assert store.read(artifact.id, start, end) == content[start:end]
        assert store.read(artifact.id, start) == content[start:]


def test_lines_are_counted_from_one_and_clamped(store: Store) -> None:
    artifact = put(store, "one\r\ntwo\rthree\nfour")
    assert store.lines(artifact.id, 1, 1) == b"one\r\n"
    assert store.lines(artifact.id, 2, 3) == b"two\rthree\n"
    assert store.lines(artifact.id, 4, 4) == b"four"
    assert store.lines(artifact.id, 1, 99) == b"one\r\ntwo\rthree\nfour"
    assert store.lines(artifact.id, 5, 9) == b""
    assert store.lines(artifact.id, 3, 2) == b""


def test_lines_of_a_large_artifact_are_found_by_its_index(store: Store) -> None:
    artifact = put(store, LARGE)
    lines = lines_of(LARGE)
    random = Random(3)
    for first in [1, 2, len(lines) - 1, len(lines), len(lines) + 1, *random.sample(range(1, len(lines)), 20)]:
        last = first + random.choice([0, 1, 100])
        assert store.lines(artifact.id, first, last) == b"".join(lines[first - 1 : last]), (first, last)
        assert store.read(artifact.id, *store.where(artifact.id, first, last)) == b"".join(lines[first - 1 : last])


def test_an_opened_artifact_is_read_as_often_as_one_likes(store: Store) -> None:
    content, lines = LARGE.encode(), lines_of(LARGE)
    kept = put(store, LARGE)
    edges = [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, len(content), len(content) + 9]
    with store.artifact(kept.id) as opened:
        assert opened.artifact == kept
        assert opened.read() == content
        for start in edges:
            for end in edges:
                assert opened.read(start, end) == content[start:end]
        for first, last in [(1, 1), (7, 500), (len(lines), len(lines) + 5), (len(lines) + 1, len(lines) + 1), (3, 2)]:
            assert opened.lines(first, last) == b"".join(lines[first - 1 : last])
            assert opened.read(*opened.where(first, last)) == b"".join(lines[first - 1 : last])
        assert b"".join(opened.stream()) == b"".join(opened.pieces()) == content


def test_an_artifact_can_come_piece_by_piece(store: Store) -> None:
    content = LARGE.encode()
    random, at = Random(5), 0
    with store.open(Label("run")) as writer:
        while at < len(content):
            step = random.choice([1, 7, 4096, 65_536, 1 << 18, (1 << 20) + 3])
            writer.write(content[at : at + step])
            at += step
        assert bytes(writer.view()[:100]) == content[:100]
        assert len(writer.view()) == len(content)
        artifact = writer.commit(size_of(content))
    whole = put(store, LARGE)
    assert artifact.sha256 == whole.sha256
    assert store.read(artifact.id) == content
    assert store.lines(artifact.id, 500, 510) == store.lines(whole.id, 500, 510)


def test_bytes_are_counted_by_the_store_itself(store: Store) -> None:
    for text in ("é" * 10, LARGE):
        artifact = store.put(text, Size(1, 2, 3, 4), Label())
        assert artifact.size == Size(1, 2, len(text.encode()), 4)
        assert store.read(artifact.id) == text.encode()


def test_nothing_is_kept_that_was_not_committed(store: Store) -> None:
    writer = store.open(Label())
    writer.write(b"half a text")
    writer.abort()
    writer.abort()
    with store.open(Label()) as left:
        left.write(b"and another")
    assert store.list() == []
    with pytest.raises(StoreError):
        writer.write(b"too late")
    with pytest.raises(StoreError):
        left.commit(Size(0, 0, 0, 0))


def test_an_empty_artifact_can_be_committed_and_viewed(store: Store) -> None:
    with store.open(Label()) as writer:
        assert len(writer.view()) == 0
        artifact = writer.commit(Size(0, 0, 0, 0))
    assert store.read(artifact.id) == b""
    assert store.lines(artifact.id, 1, 1) == b""


@pytest.mark.parametrize(
    ("room", "step"),
    # Short steps end within a character, and there are half a million of them in a long text: 61 do as 3 do.
    [*product([10, 1000, 4001], [3, 999, 70_000]), *product([300_000], [61, 999, 70_000])],
)
def test_of_too_large_a_text_both_ends_are_kept_with_both_sizes(store: Store, room: int, step: int) -> None:
    text = MIXED[: room * 3 // 2]
    content = text.encode()
    with store.open(Label("cat"), keep_ends=room) as writer:
        for at in range(0, len(content), step):
            writer.write(content[at : at + step])
        artifact = writer.commit(measure(text))
    kept = store.read(artifact.id)
    head, tail = kept[: artifact.head_bytes], kept[artifact.head_bytes :]
    assert artifact.partial
    assert artifact.whole == measure(text)
    assert artifact.size == measure(kept.decode())
    assert content.startswith(head)
    assert content.endswith(tail)
    assert room - 6 <= len(kept) <= room
    assert abs(len(head) - len(tail)) <= 7
    assert store.info(artifact.id) == artifact


def test_what_fits_between_the_ends_is_kept_whole(store: Store) -> None:
    with store.open(Label(), keep_ends=100) as writer:
        writer.write(b"a" * 60)
        writer.write(b"b" * 40)
        artifact = writer.commit(Size(100, 0, 100, 25))
    assert not artifact.partial
    assert store.read(artifact.id) == b"a" * 60 + b"b" * 40


def test_the_newest_come_first_and_pages_add_up(store: Store) -> None:
    made = [put(store, f"text {number}").id for number in range(30)]
    listed = [artifact.id for artifact in store.list()]
    assert sorted(listed) == sorted(made)
    times = [int(name.split("_")[1]) for name in listed]
    assert times == sorted(times, reverse=True)
    pages = [store.page(7, offset) for offset in range(0, 40, 7)]
    assert [artifact.id for page in pages for artifact in page.artifacts] == listed
    assert {page.total for page in pages} == {30}
    assert store.page(0).artifacts == []


def test_what_is_deleted_is_gone(store: Store) -> None:
    artifact, other = put(store), put(store)
    store.delete(artifact.id)
    for call in (store.artifact, store.info, store.read, store.delete, lambda name: list(store.stream(name))):
        with pytest.raises(ArtifactNotFound):
            call(artifact.id)
    assert [kept.id for kept in store.list()] == [other.id]


def test_clearing_says_what_it_removed(store: Store) -> None:
    for text in ("abc", "defgh"):
        put(store, text)
    assert store.clear() == (2, 8)
    assert store.list() == []
    assert store.clear() == (0, 0)
    assert store.read(put(store, "again").id) == b"again"


@pytest.mark.parametrize("bad", ["", "art_1_", "art__a", "../x", "art_1_a/../b", "art_1_a\n", "art_1_é", "ART_1_a"])
def test_what_is_no_id_is_not_looked_up(store: Store, bad: str) -> None:
    with pytest.raises(UsageError):
        store.read(bad)
    with pytest.raises(UsageError):
        store.artifact(bad)


def test_an_id_that_nobody_has_is_not_found(store: Store) -> None:
    with pytest.raises(ArtifactNotFound, match="artifacts list"):
        store.info("art_1699234567890_abcdefghijklmnopqrstuvwxyz")


def test_views_are_remembered_by_their_smallest_budget(store: Store) -> None:
    assert store.remembered("f" * 64) is None
    store.remember("f" * 64, 500)
    store.remember("e" * 64, 10**15)
    store.remember("f" * 64, 900)
    assert store.remembered("f" * 64) == 500
    store.remember("f" * 64, 100)
    assert store.remembered("f" * 64) == 100
    assert store.remembered("e" * 64) == 10**15
    assert store.list() == []


def test_threads_do_not_get_in_each_others_way(store: Store) -> None:
    def work(number: int) -> bool:
        text = f"thread {number}\n" * 500
        artifact = put(store, text)
        store.remember(str(number), number)
        listed = {found.id for found in store.list()}
        return artifact.id in listed and store.read(artifact.id).decode() == text

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(80)))
    assert len({artifact.id for artifact in store.list()}) == 80
    assert [store.remembered(str(number)) for number in range(80)] == list(range(80))
