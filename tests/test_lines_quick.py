"""Lines found by searching are the lines found one by one."""

from hypothesis import assume, given
from hypothesis import strategies as st

from overspill.cut.borders import Lines
from overspill.cut.lines import Part, _first_lines, _last_lines, _take

texts = st.lists(st.sampled_from(["a", "bb", "\n", "\r", "\r\n"]), min_size=1, max_size=20).map("".join)
rooms = st.integers(1, 24)
widths = st.integers(3, 12)


@given(texts, rooms, widths)
def test_the_first_lines_are_the_same_both_ways(text: str, room: int, wide: int) -> None:
    quick = _first_lines(text, room, wide)
    assume(quick)
    assert quick == _take(text, Lines(text).forward(), Part((), (), 0, room, full=False), None, wide, 0)


@given(texts, rooms, widths, st.integers(0, 20))
def test_the_last_lines_are_the_same_both_ways(text: str, room: int, wide: int, stop: int) -> None:
    assume(stop <= len(text) and text[max(0, stop - 1) : stop + 1] != "\r\n")
    quick = _last_lines(text, room, wide, stop)
    assume(quick)
    assert quick == _take(text, Lines(text).backward(stop), Part((), (), len(text), room, full=False), None, wide, 0)
