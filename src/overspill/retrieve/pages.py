"""Fetching what was kept, a page at a time, so that what is fetched can never flood what it was kept from.

Whatever was asked for is a range of bytes first. A page of it is read and decoded, and nothing else of it.
"""

from collections.abc import Callable, Iterator

from overspill._lite import NamedTuple
from overspill.core.graphemes import REACH, floor
from overspill.core.markers import Part, Spelling
from overspill.errors import UsageError
from overspill.store import Store

STEP = 1 << 20
MARGIN = REACH + 2  # characters after a page that a look for a good place to end it may need
_CONTINUATION = bytes(range(0x80, 0xC0))
_WIDEST = 4  # bytes of a character


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

    @property
    def chars(self) -> int:
        """How long it is."""
        return len(self.text)


class Poured(NamedTuple):
    """A part of an artifact that went by in pieces."""

    chars: int
    pagination: Pagination | None = None


class Range(NamedTuple):
    """Bytes of an artifact, from whole characters to whole characters."""

    artifact_id: str
    start: int
    end: int
    ascii: bool = False  # a byte is a character


def retrieve(
    store: Store,
    artifact_id: str,
    part: Part | None,
    limit: int,
    offset: int,
    spelling: Spelling,
    *,
    own: int | None = None,
) -> Retrieved:
    """At most `limit` characters of an artifact or a part of it, from `offset` on; 0 is no limit.

    `own` is the limit as it was asked for: the call for the next page asks for it again.
    """
    if limit < 0 or offset < 0:
        raise UsageError(f"limit and offset count characters from 0 on; got {limit} and {offset}")
    asked = range_of(store, artifact_id, part)
    asked = asked._replace(start=_after(store, asked, offset)) if offset else asked
    if not limit:
        return Retrieved(store.read(artifact_id, asked.start, asked.end).decode())
    text, more = _page(store, asked, limit)
    if not offset and not more:
        return Retrieved(text)
    end = offset + len(text)
    following = spelling(artifact_id, part, end, own) if more else ""
    return Retrieved(text, Pagination(_total(store, artifact_id, part), limit, offset, more), following)


def _total(store: Store, artifact_id: str, part: Part | None) -> int:
    """Characters of what was asked for; only parts of a text that is not plain have to be counted."""
    return store.info(artifact_id).size.chars if part is None else _count(store, range_of(store, artifact_id, part))


def range_of(store: Store, artifact_id: str, part: Part | None) -> Range:
    """The bytes of an artifact that were asked for: all, or some lines or bytes of it, as far as there are any.

    Lines count from 1 and both ends are included; bytes count from 0, half-open, and are widened to whole characters.
    """
    if part is not None and (part.start < (1 if part.unit == "lines" else 0) or part.end < part.start):
        raise UsageError(f"not a range of {part.unit}: {part.start}-{part.end}; lines count from 1, bytes from 0")
    size = store.info(artifact_id).size
    plain = size.bytes == size.chars
    if part is None:
        return Range(artifact_id, 0, size.bytes, plain)
    if part.unit == "lines":
        return Range(artifact_id, *store.where(artifact_id, part.start, part.end), plain)
    start, end = min(part.start, size.bytes), min(part.end, size.bytes)
    if plain:
        return Range(artifact_id, start, end, plain)
    return Range(artifact_id, _begin(store, artifact_id, start), _finish(store, artifact_id, end))


def stream(store: Store, asked: Range) -> Iterator[bytes]:
    """All bytes of a range in pieces; all of them are checked before the first one comes."""
    if asked.end - asked.start > STEP:
        for _ in _steps(store, asked):
            pass
    yield from _steps(store, asked)


def pour(store: Store, artifact_id: str, part: Part | None, write: Callable[[bytes], object]) -> Poured:
    """Hand on all of an artifact or a part of it, in flat memory."""
    chars = 0
    for piece in stream(store, range_of(store, artifact_id, part)):
        write(piece)
        chars += _chars(piece)
    return Poured(chars)


def pieces_of(store: Store, artifact_id: str) -> Iterator[bytes]:
    """An artifact in pieces, each checked as it comes, for those who look at all of it and serve little of it."""
    pieces: Callable[[str], Iterator[bytes]] | None = getattr(store, "pieces", None)
    if pieces is not None:  # it is opened only once
        return pieces(artifact_id)
    return _steps(store, Range(artifact_id, 0, store.info(artifact_id).size.bytes))


def _page(store: Store, asked: Range, limit: int) -> tuple[str, bool]:
    """The first characters of a range, cut where no reader would mind, and whether there are more."""
    wanted = limit + MARGIN
    end = min(asked.end, asked.start + (wanted if asked.ascii else wanted * _WIDEST))
    text = store.read(asked.artifact_id, asked.start, end).decode(errors="ignore" if end < asked.end else "strict")
    if end == asked.end and len(text) <= limit:
        return text, False
    return text[: floor(text, limit) or limit], True


def _after(store: Store, asked: Range, chars: int) -> int:
    """Where a range goes on after so many characters."""
    if asked.ascii:
        return min(asked.end, asked.start + chars)
    at = asked.start
    for piece in _steps(store, asked):
        count = _chars(piece)
        if count > chars:
            # The piece may begin within a character, which was counted with the piece before.
            whole = piece.lstrip(_CONTINUATION)
            return at + len(piece) - len(whole) + len(whole.decode(errors="ignore")[:chars].encode())
        chars -= count
        at += len(piece)
    return asked.end


def _count(store: Store, asked: Range) -> int:
    return max(0, asked.end - asked.start) if asked.ascii else sum(map(_chars, _steps(store, asked)))


def _steps(store: Store, asked: Range) -> Iterator[bytes]:
    for at in range(asked.start, asked.end, STEP):
        yield store.read(asked.artifact_id, at, min(asked.end, at + STEP))


def _chars(piece: bytes) -> int:
    """Characters that begin in a piece of UTF-8."""
    return len(piece) if piece.isascii() else len(piece.translate(None, _CONTINUATION))


def _begin(store: Store, artifact_id: str, at: int) -> int:
    """Where the character begins that `at` lies in."""
    before = store.read(artifact_id, max(0, at - _WIDEST), at + 1)
    if len(before) <= min(at, _WIDEST):
        return at  # the end
    return at - (len(before) - len(before.rstrip(_CONTINUATION)))


def _finish(store: Store, artifact_id: str, at: int) -> int:
    """Where the character ends that `at` lies in."""
    after = store.read(artifact_id, at, at + _WIDEST)
    return at + len(after) - len(after.lstrip(_CONTINUATION))
