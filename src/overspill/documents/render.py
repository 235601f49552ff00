"""Views that are documents: JSON parses, NDJSON parses line by line, XML is well-formed.

The same promises as for texts hold: marks are charged to the budget, what is kept and what is left out
add up, and the artifact is named. The call that fetches the largest gap stands beside its marker, as
data. When room is short the call becomes the bare name of the artifact, and then goes.
"""

from collections.abc import Iterator, Sequence

from overspill._lite import NamedTuple, Protocol
from overspill.core.budget import Budget
from overspill.core.markers import Part
from overspill.core.reference_block import Shelf
from overspill.core.size import Size, Tally
from overspill.core.spans import Cut, Form, Gap, Span, between
from overspill.cut.render import NAMED_FROM, View
from overspill.documents.marks import Marked, attribute, comment, mark, quoted
from overspill.documents.shrink import Plan
from overspill.documents.source import Source

COUNTED = {Form.ITEM, Form.KEY, Form.VALUE, Form.COMMENT}


class Document(Protocol):
    """A text that was parsed, and can be cut so that it still parses."""

    source: Source
    nameless: bool  # whether it may be shown, in a budget of 64 and more, without a name for what is left out

    def plan(self, room: int) -> Plan | None:
        """The gentlest cut that fits into so many characters, with its marks."""

    def least(self, note: str) -> Iterator[list[Marked]]:
        """Ways to show nothing but how much there is, and the note, from the fullest to the leanest."""

    def whereabouts(self, gap: Gap) -> Part:
        """The part of the text to fetch for a gap."""


class Call(NamedTuple):
    """The words that stand beside the largest gap: a call, or only a name."""

    shelf: Shelf
    full: bool
    widest: int

    def spelled(self, part: Part) -> str:
        artifact = self.shelf.artifact
        if artifact is None:
            return self.shelf.reason
        return self.shelf.spelling(artifact.id, part) if self.full else artifact.id


def document_view(document: Document, size: Size, shelf: Shelf, budget: Budget) -> View | None:
    """The view of a document that is longer than its budget, or None when no document is that short."""
    ceiling = size.chars if budget.ceiling is None else min(budget.ceiling, size.chars)
    drawn = draw(document, size, shelf, ceiling)
    if drawn is None or budget.holds(drawn.text):
        return drawn
    return _largest(document, size, shelf, budget, ceiling)


def _largest(document: Document, size: Size, shelf: Shelf, budget: Budget, ceiling: int) -> View | None:
    """The largest view whose tokens, counted one by one, are within the budget: found by halving."""
    low, high = 0, ceiling
    best = None
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        drawn = draw(document, size, shelf, middle)
        if drawn is not None and not budget.holds(drawn.text):
            high = middle
        else:
            low, best = middle, drawn or best
    return best


def draw(document: Document, size: Size, shelf: Shelf, limit: int) -> View | None:
    """The view of a document in at most `limit` characters. From 64 on it names the artifact."""
    named = calls(size, shelf) if limit >= NAMED_FROM and not shelf.silent else []
    for call in named:
        plan = document.plan(limit - call.widest) if 2 * call.widest <= limit or not call.full else None
        if plan is not None:
            return _planned(document, plan, call)
    notes = [call.spelled(Part("lines")) for call in named[-1:]]
    for note in notes:
        least = _least(document, note, limit)
        if least is not None:
            return least
    if notes and not document.nameless:
        return None
    plan = document.plan(limit)
    return _least(document, "", limit) if plan is None else _planned(document, plan, None)


def calls(size: Size, shelf: Shelf) -> list[Call]:
    """How the artifact may be named, from the fullest to the leanest way."""
    artifact = shelf.artifact
    if artifact is None:
        return [Call(shelf, full=False, widest=_width(shelf.reason))]
    parts = Part("lines", size.lines + 1, size.lines + 1), Part("bytes", size.bytes, size.bytes)
    widest = max(_width(shelf.spelling(artifact.id, part)) for part in parts)
    return [Call(shelf, full=True, widest=widest), Call(shelf, full=False, widest=_width(artifact.id))]


def _width(note: str) -> int:
    """What a note takes, whether it has to be written as a JSON string after a comma or as a comment."""
    return max(len(f", {quoted(note)}"), len(comment(note)), len(attribute(note)))


def _planned(document: Document, plan: Plan, call: Call | None) -> View:
    gaps = _in_characters(document.source, plan.gaps)
    if call is None or not gaps:
        return written(document.source, [Marked(gap, mark(counted)) for gap, counted in gaps])
    largest = max(gaps, key=lambda pair: pair[1].chars)[0]
    note = call.spelled(document.whereabouts(largest))
    marked = [Marked(gap, mark(counted, note if gap is largest else "")) for gap, counted in gaps]
    return written(document.source, marked, note if call.full else "")


def _least(document: Document, note: str, limit: int) -> View | None:
    for marked in document.least(note):
        drawn = written(document.source, marked)
        if len(drawn.text) <= limit:
            return drawn
    return None


def written(source: Source, marked: list[Marked], fetch: str = "") -> View:
    """A view: what lies between the gaps as it is, and the marks in their places."""
    pieces: list[str] = []
    shown = Tally()
    at = 0
    for gap, words in [*marked, (None, "")]:
        kept_text = source.text(at, gap.start if gap else len(source.buffer))
        shown.add(kept_text)
        pieces += kept_text, words
        at = gap.end if gap else at
    gaps = tuple(counted for _, counted in _in_characters(source, [gap for gap, _ in marked]))
    kept = tuple(between([Span(gap.start, gap.end) for gap in gaps], source.chars))
    elements = sum(gap.number for gap in gaps if gap.form in COUNTED and gap.noun != "chars")
    return View("".join(pieces), kept, Cut(kept, gaps, elements=elements), fetch, shown.size())


def _in_characters(source: Source, gaps: Sequence[Gap]) -> list[tuple[Gap, Gap]]:
    """Each gap beside itself with its places, and what is counted in characters, in characters."""
    places = source.characters([place for gap in gaps for place in (gap.start, gap.end)])
    result = []
    for index, gap in enumerate(gaps):
        start, end = places[2 * index : 2 * index + 2]
        number = end - start if gap.noun == "chars" else gap.number
        result.append((gap, gap._replace(start=start, end=end, number=number)))
    return result
