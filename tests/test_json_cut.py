"""JSON stays JSON at every budget, and what is kept of it stays as it was written."""

import json

from hypothesis import given
from hypothesis import strategies as st

from documents import assert_kept, is_cut_as_text, view, view_of_bytes
from overspill.spans import Options

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
def _container(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    between = draw(blanks) + "," + draw(blanks)
    edge = draw(blanks)
    times = draw(st.sampled_from([1, 1, 1, 3, 40]))
    if draw(st.booleans()):
        return "[" + edge + between.join(draw(st.lists(inner, max_size=5)) * times) + edge + "]"
    keys = draw(st.lists(strings.map(json.dumps), max_size=5)) * times
    colon = draw(blanks) + ":" + draw(blanks)
    return "{" + edge + between.join(key + colon + draw(inner) for key in keys[:60]) + edge + "}"


documents = st.recursive(scalars, _container, max_leaves=25)
limits = st.one_of(st.integers(64, 400), st.integers(64, 20_000))
options = st.builds(
    Options,
    first_elements=st.integers(0, 6),
    last_elements=st.integers(0, 6),
    max_depth=st.integers(0, 5),
    head_ratio=st.floats(0, 1),
)
sides = st.sampled_from(["both", "head", "tail"])


@given(text=documents, limit=limits, settings=options, side=sides)
def test_every_view_of_json_is_json_within_the_budget(text: str, limit: int, settings: Options, side: str) -> None:
    found = view(text, "json", limit, settings, side=side)
    json.loads(found.text)
    assert_kept(text, found, limit)
