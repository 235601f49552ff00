"""Nothing is lost without a word: what is no text, what fails half-way, what never ends."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Iterator

import pytest

from overspill import MemoryStore, Overspill, limited
from overspill.core.report import Fitted
from overspill.errors import NotText, ToolError

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40


def spill(**settings: object) -> Overspill:
    return Overspill({f"tools.truncation.{path}": value for path, value in settings.items()}, MemoryStore())


def ways_in(data: bytes) -> Iterator[object]:
    yield data
    yield bytearray(data)
    yield io.BytesIO(data)
    yield iter([data[:10], data[10:5_000], data[5_000:]])


def test_that_bytes_which_are_no_text_are_not_kept_is_said() -> None:
    """AC-085, FAQ-1, promise 1: in the view, in the report and in the metadata, with what would keep them."""
    for output in ways_in(PICTURE):
        fitted = spill().fit(output)
        assert "not kept" in fitted.text.splitlines()[-1]
        assert fitted.metadata["was_truncated"] is True
        assert fitted.metadata["omitted_characters"] == fitted.metadata["original_bytes"] == len(PICTURE)
        assert "keep_binary" in str(fitted.metadata["not_kept"])
        assert "image/png" in fitted.text


@pytest.mark.parametrize("limit", [1, 20, 64, 100, 200, 8_000])
def test_a_view_of_bytes_keeps_its_budget(limit: int) -> None:
    """AC-085, promise 3"""
    for settings in ({}, {"keep_binary": True}):
        fitted = spill(**settings).fit(PICTURE, budget=limit)
        assert 0 < len(fitted.text) <= limit
        assert fitted.report.overhead == len(fitted.text)


def test_bytes_are_kept_exactly_where_that_is_asked_for() -> None:
    """AC-085: and the view says that nobody has searched them for secrets."""
    for output in ways_in(PICTURE):
        asked = spill(keep_binary=True)
        fitted = asked.fit(output)
        assert fitted.artifact_id is not None
        assert asked.store.read(fitted.artifact_id) == PICTURE
        assert asked.store.info(fitted.artifact_id).content_type == "image/png; charset=binary"
        assert "not searched for secrets" in fitted.text
        assert "not_kept" not in fitted.metadata


def test_bytes_too_large_to_keep_are_said_not_to_be_kept() -> None:
    """AC-085, FR-015"""
    for output in ways_in(PICTURE):
        asked = spill(keep_binary=True, max_artifact_size=8_192)
        fitted = asked.fit(output)
        assert fitted.artifact_id is None
        assert "exceeds maximum artifact size" in str(fitted.metadata["not_kept"])
        assert asked.store.list() == []


def test_an_artifact_that_is_no_text_is_not_served_as_one() -> None:
    """AC-085: the message names the command that gives it back."""
    asked = spill(keep_binary=True)
    artifact_id = asked.fit(PICTURE).artifact_id
    assert artifact_id is not None
    for part in ({}, {"lines": (1, 2)}, {"bytes": (0, 9)}, {"query": "$"}, {"search": "IHDR"}):
        with pytest.raises(NotText, match=f"export {artifact_id} FILE"):
            asked.get(artifact_id, **part)
    assert asked.search("PNG").unread == (artifact_id,)


LOG = b"".join(b"line %d of a log, written to a disk that goes bad\n" % number for number in range(900))
DAMAGE = bytes(range(128, 256)) * 9 + bytes(5_000)


def test_a_log_with_damage_in_it_is_kept_and_shown_as_the_log_it_is() -> None:
    """UM-01, X-54, promise 1: the text is found, the damage is counted in its place."""
    for output in ways_in(LOG + DAMAGE + LOG):
        asked = spill()
        fitted = asked.fit(output)
        assert fitted.artifact_id is not None
        kept = asked.store.read(fitted.artifact_id).decode()
        assert kept == (LOG + b"[binary, %s bytes]" % f"{len(DAMAGE):,}".encode() + LOG).decode()
        assert fitted.report.cleaned == {"binary_bytes": len(DAMAGE)}
        assert fitted.report.original.bytes == len(LOG + DAMAGE + LOG)
        assert "line 0 of a log" in fitted.text
        assert kept.count("line 899 of") == asked.search("line 899 of").pagination.total == 2


def test_where_bytes_are_kept_exactly_so_is_a_log_with_damage_in_it() -> None:
    """AC-085"""
    for output in ways_in(DAMAGE + LOG[:2_000]):
        asked = spill(keep_binary=True)
        fitted = asked.fit(output)
        assert fitted.artifact_id is not None
        assert asked.store.read(fitted.artifact_id) == DAMAGE + LOG[:2_000]


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff"])
def test_no_byte_order_mark_hides_a_secret(mark: bytes) -> None:
    """AC-056: whatever the first bytes say the rest is, and in whatever it is written."""
    secret = "DB_PASSWORD=correct-horse-battery-staple-97\n"
    lines = "a line of a log, and another word\n" * 50
    wide = lines.encode("utf-16-le")
    for data in (secret.encode(), (lines + secret + lines).encode(), wide + secret.encode() + wide):
        for output in (mark + data, iter([mark[:1], mark[1:] + data[:700], data[700:]])):
            asked = spill()
            fitted = asked.fit(output, budget=300)
            shown = [fitted.text, *(asked.store.read(one.id).decode() for one in asked.store.list())]
            assert not any("battery" in text or b"battery".decode("utf-16-le", "ignore") in text for text in shown)
            assert "[REDACTED: PASSWORD]" in "".join(shown)


def failing(count: int) -> Iterator[str]:
    for number in range(count):
        yield f"line {number}\n"
    raise ConnectionResetError("the other side hung up, password=hunter2hunter2")


class Torn(io.RawIOBase):
    """A file on a disk that is going bad."""

    def __init__(self, good: int) -> None:
        self.good = good

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self.good:
            raise OSError(5, "Input/output error")
        self.good -= 1
        return b"a line\n" * 10


@pytest.mark.parametrize("count", [0, 3, 900, 60_000])
def test_what_came_before_a_failure_is_shown_or_kept_with_the_reason(count: int) -> None:
    """P-17, PY-02, PY-03: it is not our failure, and its words are its own, without secrets."""
    asked = spill()
    came = "".join(f"line {number}\n" for number in range(count))
    fitted = asked.fit(failing(count))
    first, _, rest = fitted.text.partition("\n")
    assert first == "Output ended early: ConnectionResetError: the other side hung up, password=[REDACTED: PASSWORD]"
    assert fitted.is_error
    assert fitted.metadata["ended"] == first.removeprefix("Output ended early: ")
    assert len(fitted.text) <= 8_000
    assert whole_text(asked, fitted, rest) == came


def whole_text(asked: Overspill, fitted: Fitted, rest: str) -> str:
    return asked.store.read(fitted.artifact_id).decode() if fitted.artifact_id else rest


def test_what_a_reader_gave_before_it_failed_is_shown() -> None:
    """P-17, PY-02"""
    fitted = spill().fit(Torn(3))
    assert fitted.text == "Output ended early: OSError: [Errno 5] Input/output error\n" + "a line\n" * 30


def test_a_reader_that_has_nothing_to_give_now_is_not_taken_for_its_end() -> None:
    """P-17, PY-02: a stream that does not block says None."""

    class Waiting(Torn):
        def read(self, size: int = -1) -> bytes:
            return super().read(size) if self.good else None  # type: ignore[return-value]  # as raw streams do

    assert "Output ended early: BlockingIOError" in spill().fit(Waiting(1)).text


def test_an_async_source_that_fails_is_told_like_any_other() -> None:
    """P-17, PY-03"""

    async def talking() -> AsyncIterator[str]:
        yield "one\n"
        raise ValueError("no more")

    assert asyncio.run(spill().afit(talking())).text == "Output ended early: ValueError: no more\none\n"


def test_a_tool_that_fails_half_way_raises_what_it_said_and_why() -> None:
    """P-17, PY-03: a framework shows the words of the error, and both are in them."""

    @limited(spill=spill())
    def tool() -> Iterator[str]:
        yield "first result\n"
        raise ValueError("quota used up")

    with pytest.raises(ToolError, match="quota used up\nfirst result"):
        tool()


def test_a_generator_of_objects_becomes_lines_of_json() -> None:
    """PY-02: whatever is in it; None is no end."""
    asked = spill()
    items = [{"id": 1}, [1, 2], None, 3.5, {"at": {1, 2}}]
    lines = asked.fit(iter(items)).text.splitlines()
    assert [json.loads(line) for line in lines[:4]] == items[:4]
    fitted = asked.fit({"id": number, "name": "a" * 20} for number in range(2_000))
    assert fitted.artifact_id is not None
    kept = asked.store.read(fitted.artifact_id).decode().splitlines()
    assert [json.loads(line)["id"] for line in kept] == list(range(2_000))
    assert asked.store.info(fitted.artifact_id).content_type == "application/x-ndjson"
    for line in fitted.text.splitlines():
        json.loads(line)


def test_chunks_that_are_buffers_are_taken_as_bytes() -> None:
    """PY-02"""
    assert spill().fit(iter([bytearray(b"one "), memoryview(b"two")])).text == "one two"


def test_input_without_end_ends_at_a_ceiling_that_says_so() -> None:
    """THR-3: what came is kept, or refused for its size; nothing more is read."""
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1_000
            yield b"y\n" * 500

    fitted = spill(max_input_size=100_000).fit(endless())
    assert fitted.text.startswith("Output ended early: more than 97.7 KB came (tools.truncation.max_input_size)")
    assert fitted.artifact_id
    assert taken == 100_000
    refused = spill(max_input_size=100_000, max_artifact_size=50_000).fit(endless())
    assert "exceeds maximum artifact size" in refused.text.splitlines()[0]
    assert "max_input_size" in refused.text.splitlines()[1]


def test_what_was_changed_in_cleaning_is_in_the_metadata() -> None:
    """NFR-005, promise 1: bytes that are no UTF-8 are replaced, and that is said."""
    assert spill().fit(b"text " * 30 + b"\xff\xfe\xfd" + b" text").metadata["cleaned"] == {"invalid": 3}
    assert "cleaned" not in spill().fit("plain").metadata
