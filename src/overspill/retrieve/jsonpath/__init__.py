"""JSONPath on what was kept: the answer is one compact JSON array of the values, always."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.core.markers import CallFormat, Part
from overspill.documents.json_pieces import NotStrict
from overspill.errors import UsageError
from overspill.lists.pages import Pagination
from overspill.retrieve.jsonpath.documents import JsonNode, QueryDocument
from overspill.retrieve.jsonpath.evaluate import Evaluation, Skipped
from overspill.retrieve.jsonpath.language import parse_query
from overspill.retrieve.pages import FetchedPage
from overspill.store import OpenArtifact, Store, open_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.core.spans import Span

LOOSE = 16  # a value this many times as long as there is room is not even looked at: it would not fit without blanks


MANY = 1_000  # values: from here on writing them takes longer than finding out how many there are


def query(
    store: Store,
    artifact_id: str,
    path: str,
    *,
    limit: int | None,
    offset: int,
    room: int | None,
    spelling: CallFormat,
) -> FetchedPage:
    """The values that a JSONPath selects, from `offset` on: `limit` of them (None: all), in `room` characters.

    Values are told as they were written, without blanks. NDJSON is taken for the array of its records. A value that
    does not fit on a page by itself is named by the call that fetches it.
    """
    if offset < 0 or (limit is not None and limit < 0):
        raise UsageError(f"limit and offset count values from 0 on; got {limit} and {offset}")
    compiled = parse_query(path)
    with open_text(store, artifact_id) as opened:
        artifact, content = opened.artifact, content_of(opened)
    try:
        document = QueryDocument(content)
    except (NotStrict, RecursionError):
        raise UsageError(
            f"artifact {artifact_id} ({artifact.content_type}) is not JSON of at most 900 levels, "
            "so it has no JSONPath; fetch lines or bytes of it, or search it"
        ) from None
    try:
        evaluation = Evaluation(document, compiled)
        if room is None and (limit or MANY) >= MANY:
            evaluation.check_budget()
        page = _QueryPage(document, limit, offset, room)
        for node in evaluation.nodes():
            page.add(node, lambda span: spelling(artifact_id, Part("bytes", *span)))
            evaluation.full = page.full
    except RecursionError:
        raise UsageError("the query has too many steps for this document; name fewer at once") from None
    end = offset + len(page.values)
    more = bool(page.values) and end < page.total
    # Where there was no room for as many as were asked for, so many were the limit.
    most = limit if limit and not (more and len(page.values) < limit) else len(page.values)
    pagination = Pagination(page.total, most, offset, has_more=more)
    following = spelling(artifact_id, Part("query", query=path), end, limit or None) if more else ""
    return FetchedPage(f"[{','.join(page.values)}]", artifact, pagination, following)


def content_of(opened: OpenArtifact) -> bytes | bytearray:
    """All of an artifact, checked, and in memory once."""
    size = opened.artifact.size.bytes
    content, at = bytearray(size), 0
    for piece in opened.pieces():
        if len(piece) == size:
            return piece
        content[at : at + len(piece)] = piece
        at += len(piece)
    return content


class _QueryPage:
    """The values on one page, and how many there are."""

    def __init__(self, document: QueryDocument, limit: int | None, offset: int, room: int | None) -> None:
        self.values: list[str] = []
        self.total = 0
        self.full = False
        self._document = document
        self._limit = limit or None
        self._offset = offset
        self._room = room
        self._spent = 1

    def add(self, node: JsonNode | Skipped, call: Callable[[Span], str]) -> None:
        if isinstance(node, Skipped):
            self.total += node.number
            return
        self.total += 1
        if self.full or self.total <= self._offset:
            return
        text = self._text(node, call)
        if self._room is not None and self.values and self._spent + len(text) + 1 > self._room:
            self.full = True
            return
        self.values.append(text)
        self._spent += len(text) + 1
        self.full = self._limit is not None and len(self.values) >= self._limit

    def _text(self, node: JsonNode, call: Callable[[Span], str]) -> str:
        span = self._document.place(node)
        room = self._room
        if room is None or span.chars <= LOOSE * room:
            text = compact_json(bytes(self._document.buffer[span.start : span.end]))
            if room is None or len(text) + 2 <= room:
                return text
        from overspill._lite import in_json

        return in_json(f"... {span.chars} bytes omitted; {call(span)}")


def compact_json(value: bytes) -> str:
    """A value without blanks; numbers and strings stay as they are written."""
    from msgspec.json import format as formatted

    try:
        return str(formatted(value, indent=-1), "utf-8", "replace")
    except RecursionError:
        return value.decode(errors="replace")  # deep, but fine as it is
