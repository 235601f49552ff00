"""Chunking makes no difference: a stream gives the view its text would give."""

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from overspill.core import count_bytes, count_lines, measure
from overspill.core.spans import PartialText, Span
from overspill.fit.intake import TextEnds
from texts import texts

cuts = st.lists(st.integers(0, 2_000), max_size=20)


def pieces(text: str, at: list[int]) -> Iterator[str]:
    places = sorted({0, len(text), *(place % (len(text) + 1) for place in at)})
    for start, end in pairwise(places):
        yield text[start:end]


def fed(text: str, at: list[int], keep: int) -> TextEnds:
    ends = TextEnds(keep)
    for piece in pieces(text, at):
        ends.feed(piece)
    return ends


@given(text=texts, at=cuts, keep=st.integers(1, 300))
@example(text="\r\n" * 50, at=list(range(100)), keep=7)
def test_both_ends_and_all_sizes_are_right_for_every_chunking(text: str, at: list[int], keep: int) -> None:
    ends = fed(text, at, keep)
    held = ends.held_text()
    assert ends.size() == measure(text)
    if not held.holes:
        assert held.text == text
    else:
        assert held.text == text[:keep] + text[-keep:]


@given(text=texts, at=cuts, keep=st.integers(1, 300), place=st.integers(0, 600))
def test_places_in_what_is_held_are_places_in_the_text(text: str, at: list[int], keep: int, place: int) -> None:
    held = fed(text, at, keep).held_text()
    place %= len(held.text) + 1
    here = held.place(place)
    true = held.original_spans([Span(place, place)])[0].start
    assert (here.chars, here.bytes) == (true, count_bytes(text[:true]))
    whole = held.size(0, len(held.text))
    assert (whole.chars, whole.lines, whole.bytes) == (len(text), count_lines(text), count_bytes(text))


def test_a_text_that_is_held_whole_has_no_hole() -> None:
    assert fed("abc", [1, 2], 2).held_text() == PartialText("abc")
