"""JSON that stands on one line, drawn on many: a view for reading, with line numbers of its own.

It is never stored. It comes piece by piece, so a page of it costs the time to get there and little memory.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.core.markers import CallFormat, Part
from overspill.documents.json_pieces import OPEN_ARRAY, OPEN_OBJECT, NotStrict
from overspill.errors import UsageError
from overspill.lists.pages import Pagination
from overspill.retrieve.jsonpath import content_of
from overspill.retrieve.jsonpath.documents import Child, QueryDocument
from overspill.retrieve.pages import FetchedPage
from overspill.store import Store, open_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.core.spans import Span

INDENT = "  "
WHOLE = 1 << 12  # a value up to this size is drawn by one call
MOST_DRAWN = 1 << 24  # characters, and
MOST_READ = 1 << 27  # bytes, and
LEVELS = 32  # times the size of the document: what lies deep is read once for every level above it
TIMES = 8  # times the size of the document: the blanks before deeply nested values add up


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
