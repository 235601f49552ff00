"""Hashes, roots and the line index agree with a plain look at the whole, however the bytes come."""

from collections.abc import Iterator
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.core import count_lines
from overspill.store import records
from overspill.store.records import Checksums, content_digest, pack_index, unpack_index

pieces = st.lists(st.text("ab\n\r", max_size=12).map(str.encode), max_size=60)


@pytest.fixture(autouse=True, scope="module")
def small_chunks() -> Iterator[None]:
    """Chunks of 32 and blocks of 8 bytes: every border is crossed in a short text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "CHUNK_BYTES", 32)
        patch.setattr(records, "BLOCK_BYTES", 8)
        yield


@given(pieces)
def test_the_index_says_how_many_lines_ended_before_each_block(parts: list[bytes]) -> None:
    fed, whole = Checksums(), b"".join(parts)
    for part in parts:
        fed.feed(part)
    text = whole.decode()
    assert fed.lines() == count_lines(text)
    for block, before in enumerate(fed.line_ends()):
        at = block * 8
        # A pair that lies across the border ends behind it.
        split = text[at - 1 : at + 1] == "\r\n" if at else False
        assert before == count_lines(text, 0, at) - split


@given(pieces)
def test_chunking_makes_no_difference_to_the_hashes(parts: list[bytes]) -> None:
    fed, counted, whole = Checksums(lines=False), Checksums(), b"".join(parts)
    for part in parts:
        fed.feed(part)
        counted.feed(part)
    chunks = [whole[at : at + 32] for at in range(0, max(1, len(whole)), 32)]
    assert fed.digests() == counted.digests() == [sha256(chunk).digest() for chunk in chunks]
    assert fed.root() == content_digest(whole)
    assert (len(chunks) > 1) or fed.root() == sha256(whole).hexdigest()


@given(pieces, st.booleans())
def test_an_index_comes_back_as_it_was_written(parts: list[bytes], framed: bool) -> None:
    fed = Checksums()
    for part in parts:
        fed.feed(part)
    chunks = -(-fed.size // 32)
    frames = list(range(1, chunks + 1)) if framed else []
    content = pack_index(fed.digests()[:chunks], fed.line_ends(), frames)
    index = unpack_index(content, fed.size, framed=framed)
    assert index is not None
    assert [index.digest(number) for number in range(chunks)] == fed.digests()[:chunks]
    assert list(index.lines or []) == fed.line_ends()
    assert list(index.frames or []) == frames
    assert unpack_index(content + b"x", fed.size, framed=framed) is None
