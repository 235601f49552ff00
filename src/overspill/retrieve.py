"""Fetching what was kept, a page at a time, so that what is fetched can never flood what it was kept from."""

from itertools import islice

from overspill.cut.borders import Lines
from overspill.errors import UsageError
from overspill.graphemes import floor
from overspill.marks import Part, Spelling
from overspill.records import NamedTuple
from overspill.store import Store


class Pagination(NamedTuple):
    """Which characters of the asked part a page holds."""

    total: int
    limit: int
    offset: int
    has_more: bool


class Retrieved(NamedTuple):
    """A page of an artifact, and the call that brings the next one."""

    text: str
    pagination: Pagination | None = None
    next: str = ""


def retrieve(
    store: Store, artifact_id: str, part: Part | None, limit: int, offset: int, spelling: Spelling
) -> Retrieved:
    """At most `limit` characters of an artifact or a part of it, from `offset` on; 0 is no limit."""
    if limit < 0 or offset < 0:
        raise UsageError(f"limit and offset count characters from 0 on; got {limit} and {offset}")
    text = asked(store, artifact_id, part)
    total = len(text)
    if not limit or (not offset and total <= limit):
        return Retrieved(text[offset:])
    end = floor(text, min(total, offset + limit))
    end = end if end > offset else min(total, offset + limit)
    more = end < total
    following = spelling(artifact_id, part, end) if more else ""
    return Retrieved(text[offset:end], Pagination(total, limit, offset, more), following)


def asked(store: Store, artifact_id: str, part: Part | None) -> str:
    """The text of an artifact, or of the lines or bytes of it that were asked for.

    Lines count from 1 and both ends are included; bytes count from 0, half-open, and are widened to whole characters.
    """
    if part is None:
        return store.read(artifact_id).decode()
    if part.start < (1 if part.unit == "lines" else 0) or part.end < part.start:
        raise UsageError(f"not a range of {part.unit}: {part.start}-{part.end}; lines count from 1, bytes from 0")
    if part.unit == "lines":
        return _lines(store.read(artifact_id).decode(), part.start, part.end)
    return _whole_characters(store, artifact_id, part.start, part.end)


def _lines(text: str, first: int, last: int) -> str:
    spans = list(islice(Lines(text).forward(), first - 1, last))
    return text[spans[0].start : spans[-1].end] if spans else ""


def _whole_characters(store: Store, artifact_id: str, start: int, end: int) -> str:
    """Bytes of UTF-8, widened at both ends: a character is at most three bytes longer than its cut."""
    size = store.info(artifact_id).size.bytes
    low, high = max(0, min(start, size) - 3), min(size, end + 3)
    data = store.read(artifact_id, low, high)
    first, last = min(start, size) - low, min(end, size) - low
    while first > 0 and _continues(data, first):
        first -= 1
    while last < len(data) and _continues(data, last):
        last += 1
    return data[first:last].decode()


def _continues(data: bytes, at: int) -> bool:
    return at < len(data) and data[at] & 0xC0 == 0x80  # noqa: PLR2004  # the bits of UTF-8
