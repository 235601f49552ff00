"""JSON, NDJSON and XML: where their elements lie, which of them a view keeps, and views that stay valid.

Pure: imports `_lite`, `errors`, `core` and `cut`. `fit`, `compat`, `retrieve` and the command line come in here.

The one way in to the cuts that keep a document a document stands here: by kind, from text or from bytes. What a text
seems to be is a guess; whether it is that is decided here, by parsing it. A text that is not strictly what it seems
gives None, and is then cut as text; a list that is handed in as `why` is told the reason.

JSON parses, NDJSON parses line by line, XML is well-formed. Such views keep the promises of views of texts: marks are
charged to the budget, what is kept and what is left out add up, and the artifact is named. The call that fetches the
largest gap stands beside its marker, as data. When room is short it becomes the bare name of the artifact, then goes.
"""

from __future__ import annotations

from functools import partial

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.core import Size, Tally
from overspill.core.markers import Part, Reference
from overspill.core.spans import Cut, Form, Gap, Span, omitted_spans
from overspill.cut.render import MOST_ON_TOP, NAMED_FROM, View
from overspill.documents.json_pieces import MOST_LEVELS, NotStrict, Source, checked_source, json_fault, strict_copy
from overspill.documents.shrink import LooseJson, MarkedGap, attribute, comment, json_string, mark

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from mmap import mmap

    from overspill.core.budget import Budget
    from overspill.core.spans import Options
    from overspill.cut.render import Subject
    from overspill.documents.shrink import CutPlan, Document


WRAPPED = "wrapped"  # a document with lines around it
KINDS = ("json", "ndjson", "xml", WRAPPED)
HEADROOM = 2 * MOST_LEVELS
NO_ROOM, NOT_VALID, TOO_DEEP = "no room for its least form", "not valid", f"more than {MOST_LEVELS} levels"


def side_for(strategy: str, kind: str, options: Options) -> str | None:
    """From which side a strategy cuts a document of this kind, or None when it is to be cut as text.

    >>> from overspill.core.spans import Options
    >>> side_for("tail", "json", Options()), side_for("element", "xml", Options()), side_for("line", "log", Options())
    ('tail', 'both', None)
    """
    if kind not in KINDS or (kind != "xml" and not options.preserve_json):
        return None
    if kind == WRAPPED and strategy not in {"smart", "element"}:
        return None  # it is a text, whose lines may be counted
    return strategy if strategy in {"head", "tail", "smart"} else "both"


def cut_document(
    subject: Subject,
    kind: str,
    budget: Budget,
    side: str = "both",
    why: list[str] | None = None,
    *,
    counted: bool = False,
) -> View | None:
    """The view of a text that is a document of this kind, or None when it is not one or does not fit.

    Where elements are `counted`, those that were asked for stay if they alone fit, with their marks on top.
    """
    if subject.holes:
        return None  # both ends of a text are no document

    def work(side: str) -> View | None:
        document = parse_document(_source_of(subject.text, kind), kind, subject.options, side, budget)
        if counted and budget.tokens is None and budget.chars is not None and side == "both":
            drawn = counted_view(document, subject.size, budget.chars)
            if drawn is not None:
                return drawn
        return document_view(document, subject.size, subject.reference, budget)

    return _in_any_case(work, side, why)


def document_from_bytes(
    buffer: bytes | memoryview | mmap,
    size: Size,
    kind: str,
    options: Options,
    reference: Reference,
    budget: Budget,
    side: str = "both",
    why: list[str] | None = None,
) -> View | None:
    """The view of a document in bytes, such as a mapped file; a text of the whole is never made.

    Nothing holds on to the buffer afterwards, so a map may be closed.
    """
    with memoryview(buffer) as view:
        source = checked_source(view)

        def work(side: str) -> View | None:
            if source is None:
                raise NotStrict("it is not UTF-8")
            return document_view(parse_document(source, kind, options, side, budget), size, reference, budget)

        return _in_any_case(work, side, why)


def _in_any_case(work: Callable[[str], View | None], side: str, why: list[str] | None) -> View | None:
    """What the work gives from a side. What is not like the rest is a guess, and no document is lost by a wrong one."""
    if side == "smart":
        try:
            return _view_if_strict(partial(work, side), why)
        except Exception:  # noqa: BLE001  # a mistake of ours in guessing
            side = "both"
    return _view_if_strict(partial(work, side), why)


def _view_if_strict(work: Callable[[], View | None], why: list[str] | None) -> View | None:
    """What the work gives, or None; then `why` says whether the text is not what it seemed, or there is no room."""
    try:
        found, reason = _with_headroom(work), NO_ROOM
    except NotStrict as error:
        found, reason = None, str(error) or NOT_VALID
    except UnicodeEncodeError:
        found, reason = None, "it holds half a character"
    except RecursionError:
        found, reason = None, TOO_DEEP
    if found is None and why is not None:
        why.append(reason)
    return found


def _with_headroom(work: Callable[[], View | None]) -> View | None:
    """What the work gives.

    The native parser counts its levels as calls of ours: a text that is deep, but not too deep, may need more
    of them than are left, and gets them.
    """
    import sys

    try:
        return work()
    except RecursionError:
        pass
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + HEADROOM)
    try:
        return work()
    finally:
        sys.setrecursionlimit(limit)


def parse_document(source: Source, kind: str, options: Options, side: str, budget: Budget) -> Document:
    """The document, or `NotStrict`."""
    limit = source.chars if budget.ceiling is None else budget.ceiling
    match kind:
        case "json":
            return _parse_json(source, options, side, limit)
        case "ndjson":
            from overspill.documents.json_cut import NdjsonDocument

            return NdjsonDocument(source, options, side, limit)
        case "xml":
            from overspill.documents.xml_cut import XmlDocument

            return XmlDocument(source, options, side, limit)
        case _ if kind == WRAPPED:
            from overspill.documents.wrapped import WrappedDocument

            return WrappedDocument(source, lambda inside, kind: parse_document(inside, kind, options, side, budget))
        case _:
            raise NotStrict


def _parse_json(source: Source, options: Options, side: str, limit: int) -> Document:
    from overspill.documents.json_cut import JsonDocument, JsonSequence

    for kind in (JsonDocument, JsonSequence):
        with suppress(NotStrict):
            return kind(source, options, side, limit)
    plain = strict_copy(source)
    if plain is None:
        raise NotStrict(json_fault(source.buffer))
    try:
        return LooseJson(source, JsonDocument(plain, options, side, limit))
    except NotStrict:
        raise NotStrict(json_fault(plain.buffer)) from None


def _source_of(text: str, kind: str) -> Source:
    if kind == "xml":
        return Source(memoryview(text.encode()), len(text))
    from msgspec import Raw

    # The parser's own wrapper lends the text's bytes where they lie: no copy is made of ASCII.
    return Source(memoryview(Raw(text)), len(text))


COUNTED = {Form.ITEM, Form.KEY, Form.VALUE, Form.COMMENT}


class FetchNote(NamedTuple):
    """The words that stand beside the largest gap: a call, or only a name."""

    reference: Reference
    full: bool
    widest: int

    def text_for(self, part: Part) -> str:
        artifact = self.reference.artifact
        if artifact is None:
            return self.reference.reason
        return self.reference.call(part) if self.full else self.reference.name


def document_view(document: Document, size: Size, reference: Reference, budget: Budget) -> View | None:
    """The view of a document that is longer than its budget, or None when no document is that short."""
    ceiling = size.chars if budget.ceiling is None else min(budget.ceiling, size.chars)
    drawn = draw_document(document, size, reference, ceiling)
    if drawn is None or budget.holds(drawn.text):
        return drawn
    return _largest_document(document, size, reference, budget, ceiling)


def counted_view(document: Document, size: Size, limit: int) -> View | None:
    """The first and the last elements that were asked for, if they fit without their marks and not with them."""
    plan = document.plan(limit + MOST_ON_TOP)
    every = document.plan(size.chars + MOST_ON_TOP)
    if plan is None or every is None or plan.gaps != every.gaps:
        return None  # some of them do not fit
    drawn = _planned_view(document, plan, None, short=False)
    kept = sum(span.chars for span in drawn.kept)
    if not kept <= limit < len(drawn.text) <= min(size.chars, kept + MOST_ON_TOP):
        return None
    return drawn._replace(cut=drawn.cut._replace(counted=True))


def _largest_document(
    document: Document, size: Size, reference: Reference, budget: Budget, ceiling: int
) -> View | None:
    """The largest view whose tokens, counted one by one, are within the budget: found by halving."""
    low, high = 0, ceiling
    best = None
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        drawn = draw_document(document, size, reference, middle)
        if drawn is not None and not budget.holds(drawn.text):
            high = middle
        else:
            low, best = middle, drawn or best
    return best


def draw_document(document: Document, size: Size, reference: Reference, limit: int) -> View | None:
    """The view of a document in at most `limit` characters. From 64 on it names the artifact."""
    named = fetch_notes(size, reference) if limit >= NAMED_FROM and not reference.silent else []
    for call in named:
        plan = document.plan(limit - call.widest) if 2 * call.widest <= limit or not call.full else None
        if plan is not None:
            return _planned_view(document, plan, call, short=reference.marks.short)
    notes = [call.text_for(Part("lines")) for call in named[-1:]]
    for note in notes:
        least = _least_view(document, note, limit)
        if least is not None:
            return least
    if notes and not document.nameless:
        return None
    plan = document.plan(limit)
    if plan is None:
        return _least_view(document, "", limit)
    return _planned_view(document, plan, None, short=reference.marks.short)


def fetch_notes(size: Size, reference: Reference) -> list[FetchNote]:
    """How the artifact may be named, from the fullest to the leanest way."""
    artifact = reference.artifact
    if artifact is None:
        return [FetchNote(reference, full=False, widest=_width(reference.reason))]
    parts = Part("lines", size.lines + 1, size.lines + 1), Part("bytes", size.bytes, size.bytes)
    widest = max(_width(reference.call(part)) for part in parts)
    return [
        FetchNote(reference, full=True, widest=widest),
        FetchNote(reference, full=False, widest=_width(reference.name)),
    ]


def _width(note: str) -> int:
    """What a note takes, whether it has to be written as a JSON string after a comma or as a comment."""
    return max(len(f", {json_string(note)}"), len(comment(note)), len(attribute(note)))


def _planned_view(document: Document, plan: CutPlan, call: FetchNote | None, *, short: bool) -> View:
    gaps = _gaps_in_characters(document.source, plan.gaps)
    if call is None or not gaps:
        return marked_view(document.source, [MarkedGap(gap, mark(counted, short=short)) for gap, counted in gaps])
    largest = max(gaps, key=lambda pair: pair[1].chars)[0]
    part, artifact = document.part_of(largest), call.reference.artifact
    note = call.text_for(part)
    fetch = call.reference.spelling(artifact.id, part) if call.full and artifact else ""
    marked = [MarkedGap(gap, mark(counted, note if gap is largest else "", short=short)) for gap, counted in gaps]
    return marked_view(document.source, marked, fetch)


def _least_view(document: Document, note: str, limit: int) -> View | None:
    for marked in document.least(note):
        drawn = marked_view(document.source, marked)
        if len(drawn.text) <= limit:
            return drawn
    return None


def marked_view(source: Source, marked: list[MarkedGap], fetch: str = "") -> View:
    """A view: what lies between the gaps as it is, and the marks in their places."""
    pieces: list[str] = []
    shown = Tally()
    at = 0
    for gap, words in [*marked, (None, "")]:
        kept_text = source.text(at, gap.start if gap else len(source.buffer))
        shown.add(kept_text)
        pieces += kept_text, words
        at = gap.end if gap else at
    gaps = tuple(counted for _, counted in _gaps_in_characters(source, [gap for gap, _ in marked]))
    kept = tuple(omitted_spans([Span(gap.start, gap.end) for gap in gaps], source.chars))
    elements = sum(gap.number for gap in gaps if gap.form in COUNTED and gap.noun != "chars")
    return View("".join(pieces), kept, Cut(kept, gaps, elements=elements), fetch, shown.size())


def _gaps_in_characters(source: Source, gaps: Sequence[Gap]) -> list[tuple[Gap, Gap]]:
    """Each gap beside itself with its places, and what is counted in characters, in characters."""
    places = source.characters([place for gap in gaps for place in (gap.start, gap.end)])
    result = []
    for index, gap in enumerate(gaps):
        start, end = places[2 * index : 2 * index + 2]
        number = end - start if gap.noun == "chars" else gap.number
        result.append((gap, gap._replace(start=start, end=end, number=number)))
    return result
