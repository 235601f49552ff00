"""One way in to the cuts that keep a document a document: by kind, from text or from bytes.

What a text seems to be is a guess; whether it is that is decided here, by parsing it. A text that is
not strictly what it seems gives None, and is then cut as text.
"""

from __future__ import annotations

from functools import partial

from overspill._lite import TYPE_CHECKING
from overspill.documents.json_pieces import MOST_LEVELS, NotStrict
from overspill.documents.render import Document, document_view
from overspill.documents.source import Source, checked_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from mmap import mmap

    from overspill.core.budget import Budget
    from overspill.core.markers import Reference
    from overspill.core.size import Size
    from overspill.core.spans import Options
    from overspill.cut.render import Subject, View

KINDS = ("json", "ndjson", "xml")
HEADROOM = 2 * MOST_LEVELS


def side_for(strategy: str, kind: str, options: Options) -> str | None:
    """From which side a strategy cuts a document of this kind, or None when it is to be cut as text.

    >>> from overspill.core.spans import Options
    >>> side_for("tail", "json", Options()), side_for("element", "xml", Options()), side_for("line", "log", Options())
    ('tail', 'both', None)
    """
    if kind not in KINDS or (kind in {"json", "ndjson"} and not options.preserve_json):
        return None
    return strategy if strategy in {"head", "tail", "smart"} else "both"


def cut_document(subject: Subject, kind: str, budget: Budget, side: str = "both") -> View | None:
    """The view of a text that is a document of this kind, or None when it is not one or does not fit."""
    if subject.holes:
        return None  # both ends of a text are no document

    def work(side: str) -> View | None:
        document = parse_document(_source_of(subject.text, kind), kind, subject.options, side, budget)
        return document_view(document, subject.size, subject.reference, budget)

    return _in_any_case(work, side)


def document_from_bytes(
    buffer: bytes | memoryview | mmap,
    size: Size,
    kind: str,
    options: Options,
    reference: Reference,
    budget: Budget,
    side: str = "both",
) -> View | None:
    """The view of a document in bytes, such as a mapped file; a text of the whole is never made.

    Nothing holds on to the buffer afterwards, so a map may be closed.
    """
    with memoryview(buffer) as view:
        source = checked_source(view)

        def work(side: str) -> View | None:
            if source is None:
                return None
            return document_view(parse_document(source, kind, options, side, budget), size, reference, budget)

        return _in_any_case(work, side)


def _in_any_case(work: Callable[[str], View | None], side: str) -> View | None:
    """What the work gives from a side. What is not like the rest is a guess, and no document is lost by a wrong one."""
    if side == "smart":
        try:
            return _view_if_strict(partial(work, side))
        except Exception:  # noqa: BLE001  # a mistake of ours in guessing
            side = "both"
    return _view_if_strict(partial(work, side))


def _view_if_strict(work: Callable[[], View | None]) -> View | None:
    """What the work gives, or None when the text is not what it seemed to be.

    The native parser counts its levels as calls of ours: a text that is deep, but not too deep, may need more
    of them than are left, and gets them.
    """
    import sys

    try:
        return work()
    except (NotStrict, UnicodeEncodeError):
        return None
    except RecursionError:
        pass
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + HEADROOM)
    try:
        return work()
    except (NotStrict, RecursionError):
        return None
    finally:
        sys.setrecursionlimit(limit)


def parse_document(source: Source, kind: str, options: Options, side: str, budget: Budget) -> Document:
    """The document, or `NotStrict`."""
    limit = source.chars if budget.ceiling is None else budget.ceiling
    match kind:
        case "json":
            from overspill.documents.json_cut import JsonDocument

            return JsonDocument(source, options, side, limit)
        case "ndjson":
            from overspill.documents.ndjson import NdjsonDocument

            return NdjsonDocument(source, options, side, limit)
        case "xml":
            from overspill.documents.xml_cut import XmlDocument

            return XmlDocument(source, options, side, limit)
        case _:
            raise NotStrict


def _source_of(text: str, kind: str) -> Source:
    if kind == "xml":
        return Source(memoryview(text.encode()), len(text))
    from msgspec import Raw

    # The parser's own wrapper lends the text's bytes where they lie: no copy is made of ASCII.
    return Source(memoryview(Raw(text)), len(text))
