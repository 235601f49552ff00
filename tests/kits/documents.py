"""What the tests of documents share: views by the highest call there is below the pipeline, and what each must hold."""

import json

from hypothesis import assume
from hypothesis import strategies as st

from overspill.core import measure
from overspill.core.budget import Budget
from overspill.core.markers import CallFormat, Reference, tool_call
from overspill.core.report import Artifact
from overspill.core.spans import Options, Span, joined_spans, omitted_spans
from overspill.cut import strategy
from overspill.cut.render import Subject, View
from overspill.documents import cut_document, document_from_bytes

LONGEST = 20_000

blanks = st.sampled_from(["", "", "", " ", "\n  ", "\t", "\r\n"])
strings = st.one_of(
    st.text(max_size=12),
    st.text(st.characters(codec="utf-8"), max_size=8).map(lambda text: text * 60),
    st.sampled_from(["\\", '"', "\\\\\\", "é", "👨‍👩‍👧‍👦", "\u0301", "\U0001f1e9\U0001f1ea"]).map(
        lambda text: text * 97
    ),
)
scalars = st.one_of(
    st.none().map(lambda _: "null"),
    st.booleans().map(json.dumps),
    st.integers(-(10**40), 10**40).map(str),
    st.sampled_from(["1e999", "-0.0", "1.50", "9" * 300, "0.1000000000000000055511151231257827"]),
    strings.map(json.dumps),
    strings.map(lambda text: json.dumps(text, ensure_ascii=False)),
)


@st.composite
def repeated(draw: st.DrawFn, lists: st.SearchStrategy[list[str]]) -> list[str]:
    """A list, or the same many times, unless that would be too long to be of use."""
    texts = draw(lists)
    times = draw(st.sampled_from([1, 1, 1, 3, 40]))
    return texts * times if times * sum(map(len, texts)) < 6_000 else texts


@st.composite
def _container(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    between = draw(blanks) + "," + draw(blanks)
    colon = draw(blanks) + ":" + draw(blanks)
    edge = draw(blanks)
    if draw(st.booleans()):
        return "[" + edge + between.join(draw(repeated(st.lists(inner, max_size=4)))) + edge + "]"
    members = st.tuples(strings.map(json.dumps), inner).map(lambda member: member[0] + colon + member[1])
    return "{" + edge + between.join(draw(repeated(st.lists(members, max_size=4)))) + edge + "}"


json_texts = st.recursive(scalars, _container, max_leaves=12).filter(lambda text: len(text) < LONGEST)
shares = st.floats(0, 1).map(lambda share: share**3)
options = st.builds(
    Options,
    first_elements=st.integers(0, 6),
    last_elements=st.integers(0, 6),
    max_depth=st.integers(0, 5),
    head_ratio=st.floats(0, 1),
)
sides = st.sampled_from(["both", "head", "tail", "smart"])

DEFAULTS = Options()
ID = "art_1699234567890_abcdefghijklmnopqrstuvwxyz"


def subject(text: str, options: Options = DEFAULTS, *, kept: bool = True, spelling: CallFormat = tool_call) -> Subject:
    size = measure(text)
    return Subject(
        text, size, strategy("line"), options, Reference(Artifact(ID, size) if kept else None, spelling=spelling)
    )


def view(
    text: str,
    kind: str,
    limit: int,
    options: Options = DEFAULTS,
    *,
    side: str = "both",
    kept: bool = True,
    spelling: CallFormat = tool_call,
) -> View:
    """The view of a text that is certainly a document."""
    found = cut_document(subject(text, options, kept=kept, spelling=spelling), kind, Budget(chars=limit), side)
    assert found is not None, (text[:200], limit)
    return found


def is_cut_as_text(text: str, kind: str, limit: int = 1000) -> bool:
    return cut_document(subject(text), kind, Budget(chars=limit)) is None


def view_of_bytes(
    data: bytes, kind: str, limit: int, options: Options = DEFAULTS, *, side: str = "both"
) -> View | None:
    size = measure(data.decode("utf-8", "replace"))
    return document_from_bytes(data, size, kind, options, Reference(Artifact(ID, size)), Budget(chars=limit), side)


def limit_for(text: str, share: float, least: int = 64) -> int:
    """A budget that the text is too long for, and mostly much too long."""
    assume(len(text) > least)
    return min(20_000, least + int(share * (len(text) - 1 - least)))


def assert_kept(text: str, found: View, limit: int) -> None:
    """The promises that hold whatever the kind: the budget, conservation, verbatim text, the name."""
    assert 0 < len(found.text) <= limit
    gaps = list(omitted_spans(found.kept, len(text)))
    assert sum(span.chars for span in (*found.kept, *gaps)) == len(text)
    assert joined_spans(Span(gap.start, gap.end) for gap in found.cut.gaps) == tuple(gaps)
    at = 0
    for span in found.kept:
        piece = text[span.start : span.end]
        at = found.text.find(piece, at)
        assert at >= 0, piece
        at += len(piece)
    assert ID in found.text
