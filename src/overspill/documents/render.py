"""Views that are documents: JSON parses, NDJSON parses line by line, XML is well-formed.

They keep the promises that views of texts keep: marks are charged to the budget, what is kept and what is left out
add up, and the artifact is named. The call that fetches the largest gap stands beside its marker, as
data. When room is short the call becomes the bare name of the artifact, and then goes.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol
from overspill.core.markers import Part, Reference
from overspill.core.size import Size, Tally
from overspill.core.spans import Cut, Form, Gap, Span, omitted_spans
from overspill.cut.render import NAMED_FROM, View
from overspill.documents.marks import MarkedGap, attribute, comment, json_string, mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from overspill.core.budget import Budget
    from overspill.documents.shrink import CutPlan
    from overspill.documents.source import Source

COUNTED = {Form.ITEM, Form.KEY, Form.VALUE, Form.COMMENT}


class Document(Protocol):
    """A text that was parsed, and can be cut so that it still parses."""

    source: Source
    nameless: bool  # whether it may be shown, in a budget of 64 and more, without a name for what is left out

    def plan(self, room: int) -> CutPlan | None:
        """The gentlest cut that fits into so many characters, with its marks."""

    def least(self, note: str) -> Iterator[list[MarkedGap]]:
        """Ways to show nothing but how much there is, and the note, from the fullest to the leanest."""

    def part_of(self, gap: Gap) -> Part:
        """The part of the text to fetch for a gap."""


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
    return (
        _least_view(document, "", limit)
        if plan is None
        else _planned_view(document, plan, None, short=reference.marks.short)
    )


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
