"""JSONPath on what was kept: the answer is one compact JSON array of the values, always.

JSON that stands on one line can be drawn on many: a view for reading, with line numbers of its own. It is never stored.
It comes piece by piece, so a page of it costs the time to get there and little memory.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.core.markers import CallFormat, Part
from overspill.documents.json_pieces import OPEN_ARRAY, OPEN_OBJECT, NotStrict
from overspill.errors import UsageError
from overspill.lists import Pagination
from overspill.retrieve import FetchedPage
from overspill.retrieve.jsonpath.documents import Child, JsonNode, QueryDocument
from overspill.retrieve.jsonpath.evaluate import Evaluation, Skipped
from overspill.retrieve.patterns import parse_query
from overspill.store import OpenArtifact, Store, open_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.core.spans import Span


LOOSE = 16  # a value this many times as long as there is room is not even looked at: it would not fit without blanks


MANY = 1_000  # values: from here on writing them takes longer than finding out how many there are

INDENT = "  "
WHOLE = 1 << 12  # a value up to this size is drawn by one call
MOST_DRAWN = 1 << 24  # characters, and
MOST_READ = 1 << 27  # bytes, and
LEVELS = 32  # times the size of the document: what lies deep is read once for every level above it
TIMES = 8  # times the size of the document: the blanks before deeply nested values add up


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


def pretty(
    store: Store,
    artifact_id: str,
    lines: tuple[int, int] | None,
    limit: int,
    offset: int,
    spelling: CallFormat,
    *,
    own: int | None = None,
) -> FetchedPage:
    """A page of the drawn text, or of some lines of it; limit and offset count its characters."""
    if limit < 0 or offset < 0:
        raise UsageError(f"limit and offset count characters from 0 on; got {limit} and {offset}")
    part = Part("pretty", *(lines or (0, 0)))
    first, last = lines or (1, None)
    if first < 1 or (last is not None and last < first):
        raise UsageError(f"not a range of lines: {first}-{last}; lines count from 1")
    with open_text(store, artifact_id) as opened:
        artifact, content = opened.artifact, content_of(opened)
    taken: list[str] = []
    total, end = 0, offset
    most = MOST_DRAWN + TIMES * artifact.size.bytes
    for piece in _lines_between(_limited_pieces(pretty_pieces(content, artifact_id), most), first, last):
        start, total = total, total + len(piece)
        if total > end and (not limit or end < offset + limit):
            begin = max(0, end - start)
            taken.append(piece[begin : begin + offset + limit - end] if limit else piece[begin:])
            end += len(taken[-1])
    text = "".join(taken)
    if not offset and end == total:
        return FetchedPage(text, artifact)
    following = spelling(artifact_id, part, end, own) if end < total and text else ""
    return FetchedPage(text, artifact, Pagination(total, limit, offset, has_more=end < total), following)


def pretty_pieces(content: bytes | bytearray, artifact_id: str) -> Iterator[str]:
    """The drawn text; records of NDJSON one after the other."""
    try:
        document = QueryDocument(content)
        if document.is_ndjson:
            for _, record in document.root.children():
                yield from _pretty_value(document, record.span)
                yield "\n"
            return
        yield from _pretty_value(document, document.root.span)
        yield "\n"
    except (NotStrict, RecursionError):
        raise UsageError(
            f"artifact {artifact_id} is not JSON of at most 900 levels, so there is nothing to draw; "
            "fetch lines or bytes of it as it is"
        ) from None


def _pretty_value(document: QueryDocument, span: Span) -> Iterator[str]:
    """A value, each line but the first behind its blanks; without recursion, as documents may be deep."""
    stack: list[tuple[Iterator[Child], bool]] = []
    left = MOST_READ + LEVELS * span.chars
    while True:
        opening = document.buffer[span.start]
        first = span.chars > WHOLE and opening in {OPEN_ARRAY, OPEN_OBJECT}
        if first:
            left -= span.chars
            if left < 0:
                raise UsageError(
                    "this is nested too deeply to be drawn; fetch a part of it with a query, or bytes of it as it is"
                )
            yield chr(opening)
            stack.append((document.parts(span), opening == OPEN_ARRAY))
        else:
            yield _by_one_call(document, span, len(stack))
        while stack:
            inside, is_array = stack[-1]
            child = next(inside, None)
            if child is not None:
                break
            stack.pop()
            yield ("" if first else "\n" + INDENT * len(stack)) + ("]" if is_array else "}")
            first = False
        else:
            return
        key, span = child
        yield ("" if first else ",") + "\n" + INDENT * len(stack) + ("" if is_array else f"{_quoted_key(str(key))}: ")


def _by_one_call(document: QueryDocument, span: Span, level: int) -> str:
    from msgspec.json import format as formatted

    value = bytes(document.buffer[span.start : span.end])
    text = str(formatted(value, indent=len(INDENT)), "utf-8", "replace")
    # A string holds no line end as such, so every one of them is ours.
    return text.replace("\n", "\n" + INDENT * level) if level else text


def _quoted_key(key: str) -> str:
    import json

    return json.dumps(key, ensure_ascii=False)


def _limited_pieces(text: Iterator[str], most: int) -> Iterator[str]:
    drawn = 0
    for piece in text:
        drawn += len(piece)
        if drawn > most:
            raise UsageError(
                f"drawn on many lines, this has more than {most:,} characters, most of them blanks; "
                "fetch a part of it with a query, or bytes of it as it is"
            )
        yield piece


def _lines_between(text: Iterator[str], first: int, last: int | None) -> Iterator[str]:
    """Some lines of a text that comes in pieces, their line ends included."""
    line = 1
    for piece in text:
        ends = piece.count("\n")
        if line >= first and (last is None or line + ends <= last):
            yield piece
        elif line + ends >= first and (last is None or line <= last):
            parts = piece.split("\n")
            kept = [f"{part}\n" for part in parts[:-1]] + [parts[-1]]
            stop = len(kept) if last is None else last - line + 1
            yield "".join(kept[max(0, first - line) : stop])
        line += ends
