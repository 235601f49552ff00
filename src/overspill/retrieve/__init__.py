"""What was kept, fetched again: a range, a page, a JSONPath, a search, as the tools of a model or for a program.

It comes a page at a time, so that what is fetched can never flood what it was kept from. Whatever was asked for is a
range of bytes first. A page of it is read and decoded, and nothing else of it.

All of it goes through `access`, which says what may be asked for and logs what was. `fit`, `api` and all that comes
after them may import this package.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.spans import CLUSTER_REACH, floor
from overspill.errors import UsageError
from overspill.lists import Pagination
from overspill.store import STEP, OpenArtifact, Store, open_artifact, open_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.core.markers import CallFormat, Part
    from overspill.core.report import Artifact


MARGIN = CLUSTER_REACH + 2  # characters after a page that a look for a good place to end it may need
_CONTINUATION = bytes(range(0x80, 0xC0))
_WIDEST = 4  # bytes of a character


class Retrieved(NamedTuple):
    """A page of an artifact, and the call that brings the next one."""

    text: str
    pagination: Pagination | None = None
    next: str = ""

    @property
    def chars(self) -> int:
        """How long it is."""
        return len(self.text)


class FetchedPage(NamedTuple):
    """A page of an artifact, and the artifact's record as it was when the page was read."""

    text: str
    artifact: Artifact
    pagination: Pagination | None = None
    next: str = ""

    @property
    def chars(self) -> int:
        """How long it is."""
        return len(self.text)


class Poured(NamedTuple):
    """A part of an artifact that went by in pieces."""

    chars: int
    artifact: Artifact
    pagination: Pagination | None = None


class Range(NamedTuple):
    """Bytes of an artifact, from whole characters to whole characters."""

    start: int
    end: int
    ascii: bool = False  # a byte is a character


def retrieve(
    store: Store,
    artifact_id: str,
    part: Part | None,
    limit: int,
    offset: int,
    spelling: CallFormat,
    *,
    own: int | None = None,
) -> FetchedPage:
    """At most `limit` characters of an artifact or a part of it, from `offset` on; 0 is no limit.

    `own` is the limit as it was asked for: the call for the next page asks for it again.
    """
    if limit < 0 or offset < 0:
        raise UsageError(f"limit and offset count characters from 0 on; got {limit} and {offset}")
    check_part(part)
    with open_text(store, artifact_id) as opened:
        asked = range_of(opened, part)
        left = asked._replace(start=_after(opened, asked, offset)) if offset else asked
        if not limit:
            return FetchedPage(opened.read(left.start, left.end).decode(), opened.artifact)
        text, more = _page(opened, left, limit)
        if not offset and not more:
            return FetchedPage(text, opened.artifact)
        # Only parts of a text that is not plain have to be counted.
        total = opened.artifact.size.chars if part is None else _count(opened, asked)
    following = spelling(artifact_id, part, offset + len(text), own) if more else ""
    return FetchedPage(text, opened.artifact, Pagination(total, limit, offset, has_more=more), following)


def check_part(part: Part | None) -> None:
    """Refuse a range that ends before it begins, before anything is opened for it."""
    if part is None:
        return
    first = 1 if part.unit == "lines" else 0
    if part.start < first or part.end < part.start:
        why = "it ends before it begins" if part.end < part.start else f"{part.unit} count from {first}"
        raise UsageError(f"not a range of {part.unit}: {part.start}-{part.end}; {why}")


def range_of(opened: OpenArtifact, part: Part | None) -> Range:
    """The bytes of an artifact that were asked for: all, or some lines or bytes of it, as far as there are any.

    Lines count from 1 and both ends are included; bytes count from 0, half-open, and are widened to whole characters.
    """
    size = opened.artifact.size
    plain = size.bytes == size.chars
    if part is None:
        return Range(0, size.bytes, plain)
    if part.unit == "lines":
        return Range(*opened.where(part.start, part.end), plain)
    start, end = min(part.start, size.bytes), min(part.end, size.bytes)
    if plain:
        return Range(start, end, plain)
    return Range(_begin(opened, start), _finish(opened, end))


def pour(
    store: Store, artifact_id: str, part: Part | None, write: Callable[[bytes], object], *, as_bytes: bool = False
) -> Poured:
    """Hand on all of an artifact or a part of it, in flat memory; `as_bytes` also where it is no text."""
    check_part(part)
    chars = 0
    with (open_artifact if as_bytes else open_text)(store, artifact_id) as opened:
        for piece in stream(opened, range_of(opened, part)):
            write(piece)
            chars += _chars(piece)
    return Poured(chars, opened.artifact)


def stream(opened: OpenArtifact, asked: Range) -> Iterator[bytes]:
    """All bytes of a range in pieces; all of them are checked before the first one comes."""
    if asked.end - asked.start > STEP:
        for _ in _steps(opened, asked):
            pass
    yield from _steps(opened, asked)


def _page(opened: OpenArtifact, asked: Range, limit: int) -> tuple[str, bool]:
    """The first characters of a range, cut where no reader would mind, and whether there are more."""
    wanted = limit + MARGIN
    end = min(asked.end, asked.start + (wanted if asked.ascii else wanted * _WIDEST))
    text = opened.read(asked.start, end).decode(errors="ignore" if end < asked.end else "strict")
    if end == asked.end and len(text) <= limit:
        return text, False
    return text[: floor(text, limit) or limit], True


def _after(opened: OpenArtifact, asked: Range, chars: int) -> int:
    """Where a range goes on after so many characters."""
    if asked.ascii:
        return min(asked.end, asked.start + chars)
    at = asked.start
    for piece in _steps(opened, asked):
        count = _chars(piece)
        if count > chars:
            # The piece may begin within a character, which was counted with the piece before.
            whole = piece.lstrip(_CONTINUATION)
            return at + len(piece) - len(whole) + len(whole.decode(errors="ignore")[:chars].encode())
        chars -= count
        at += len(piece)
    return asked.end


def _count(opened: OpenArtifact, asked: Range) -> int:
    return max(0, asked.end - asked.start) if asked.ascii else sum(map(_chars, _steps(opened, asked)))


def _steps(opened: OpenArtifact, asked: Range) -> Iterator[bytes]:
    for at in range(asked.start, asked.end, STEP):
        yield opened.read(at, min(asked.end, at + STEP))


def _chars(piece: bytes) -> int:
    """Characters that begin in a piece of UTF-8."""
    return len(piece) if piece.isascii() else len(piece.translate(None, _CONTINUATION))


def _begin(opened: OpenArtifact, at: int) -> int:
    """Where the character begins that `at` lies in."""
    before = opened.read(max(0, at - _WIDEST), at + 1)
    if len(before) <= min(at, _WIDEST):
        return at  # the end
    return at - (len(before) - len(before.rstrip(_CONTINUATION)))


def _finish(opened: OpenArtifact, at: int) -> int:
    """Where the character ends that `at` lies in."""
    after = opened.read(at, at + _WIDEST)
    return at + len(after) - len(after.lstrip(_CONTINUATION))
