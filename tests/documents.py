"""What the tests of documents share: views by the highest call there is below the pipeline, and what each must hold."""

from overspill.budget import Budget
from overspill.cut import strategy
from overspill.documents import cut_document, document_from_bytes
from overspill.marks import Spelling, tool_call
from overspill.measure import measure
from overspill.reference import Shelf
from overspill.render import Subject, View
from overspill.report import Artifact
from overspill.spans import Options, Span, between, joined

ID = "art_1699234567890_abcdefghijklmnopqrstuvwxyz"


def subject(text: str, options: Options = Options(), *, kept: bool = True, spelling: Spelling = tool_call) -> Subject:  # noqa: B008  # a frozen value
    size = measure(text)
    return Subject(
        text, size, strategy("element"), options, Shelf(Artifact(ID, size) if kept else None, spelling=spelling)
    )


def view(
    text: str,
    kind: str,
    limit: int,
    options: Options = Options(),
    *,
    side: str = "both",
    kept: bool = True,
    spelling: Spelling = tool_call,
) -> View:  # noqa: B008  # a frozen value
    """The view of a text that is certainly a document."""
    found = cut_document(subject(text, options, kept=kept, spelling=spelling), kind, Budget(chars=limit), side)
    assert found is not None, (text[:200], limit)
    return found


def is_cut_as_text(text: str, kind: str, limit: int = 1000) -> bool:
    return cut_document(subject(text), kind, Budget(chars=limit)) is None


def view_of_bytes(
    data: bytes, kind: str, limit: int, options: Options = Options(), *, side: str = "both"
) -> View | None:  # noqa: B008  # a frozen value
    size = measure(data.decode("utf-8", "replace"))
    return document_from_bytes(data, size, kind, options, Shelf(Artifact(ID, size)), Budget(chars=limit), side)


def assert_kept(text: str, found: View, limit: int) -> None:
    """The promises that hold whatever the kind: the budget, conservation, verbatim text, the name."""
    assert 0 < len(found.text) <= min(limit, len(text))
    gaps = list(between(found.kept, len(text)))
    assert sum(span.chars for span in (*found.kept, *gaps)) == len(text)
    assert joined(Span(gap.start, gap.end) for gap in found.cut.gaps) == tuple(gaps)
    at = 0
    for span in found.kept:
        piece = text[span.start : span.end]
        at = found.text.find(piece, at)
        assert at >= 0, piece
        at += len(piece)
    if limit >= 64 and len(text) > limit:
        assert ID in found.text
