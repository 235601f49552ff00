"""One way in to the cuts that keep a document a document: by kind, from text or from bytes.

What a text seems to be is a guess; whether it is that is decided here, by parsing it. A text that is
not strictly what it seems gives None, and is then cut as text.
"""

from typing import TYPE_CHECKING

from overspill.cut.json_pieces import NotStrict
from overspill.cut.source import Source, checked_source
from overspill.render_document import Document, document_view

if TYPE_CHECKING:
    from mmap import mmap

    from overspill.budget import Budget
    from overspill.measure import Size
    from overspill.reference import Shelf
    from overspill.render import Subject, View
    from overspill.spans import Options

# From which side a strategy by that name cuts a document. Every other name means both.
SIDES = {"head": "head", "tail": "tail"}


def cut_document(subject: "Subject", kind: str, budget: "Budget", side: str = "both") -> "View | None":
    """The view of a text that is a document of this kind, or None when it is none or the budget holds none."""
    try:
        document = parsed(_source_of(subject.text, kind), kind, subject.options, side, budget)
        return document_view(document, subject.size, subject.shelf, budget)
    except (NotStrict, RecursionError, UnicodeEncodeError):
        return None


def document_from_bytes(
    buffer: "bytes | memoryview | mmap",
    size: "Size",
    kind: str,
    options: "Options",
    shelf: "Shelf",
    budget: "Budget",
    side: str = "both",
) -> "View | None":
    """The same of bytes, such as a mapped file, without a text of the whole ever being made.

    Nothing holds on to the buffer afterwards, so a map may be closed.
    """
    with memoryview(buffer) as view:
        source = checked_source(view)
        if source is None:
            return None
        try:
            return document_view(parsed(source, kind, options, side, budget), size, shelf, budget)
        except (NotStrict, RecursionError):
            return None


def parsed(source: Source, kind: str, options: "Options", side: str, budget: "Budget") -> Document:
    """The document, or `NotStrict`."""
    limit = source.chars if budget.ceiling is None else budget.ceiling
    match kind:
        case "json":
            from overspill.cut.jsons import JsonDocument

            return JsonDocument(source, options, side, limit)
        case "ndjson":
            from overspill.cut.ndjson import NdjsonDocument

            return NdjsonDocument(source, options, side, limit)
        case "xml":
            from overspill.cut.xmls import XmlDocument

            return XmlDocument(source, options, side, limit)
        case _:
            raise NotStrict


def _source_of(text: str, kind: str) -> Source:
    if kind == "xml":
        return Source(memoryview(text.encode()), len(text))
    from msgspec import Raw

    # The parser's own wrapper lends the text's bytes where they lie: no copy is made of ASCII.
    return Source(memoryview(Raw(text)), len(text))
