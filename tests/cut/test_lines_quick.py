"""Lines found by searching are the lines found one by one."""

from hypothesis import assume, given
from hypothesis import strategies as st

from overspill.core.spans import Room
from overspill.cut.ends import Lines, Side, TakenLines

texts = st.lists(st.sampled_from(["a", "bb", "\n", "\r", "\r\n"]), min_size=1, max_size=20).map("".join)
rooms = st.integers(1, 24)
widths = st.integers(3, 12)


def side(text: str, wide: int) -> Side:
    return Side(text, Room(0, 0, gap=0), wide)


@given(texts, rooms, widths)
def test_the_first_lines_are_the_same_both_ways(text: str, room: int, wide: int) -> None:
    quick = side(text, wide)._first_lines(room)
    assume(quick)
    assert same(
        quick, side(text, wide)._take(Lines(text).forward(), TakenLines((), (), 0, room, full=False), None), text
    )


@given(texts, rooms, widths, st.integers(0, 20))
def test_the_last_lines_are_the_same_both_ways(text: str, room: int, wide: int, stop: int) -> None:
    assume(stop <= len(text) and text[max(0, stop - 1) : stop + 1] != "\r\n")
    quick = side(text, wide)._last_lines(room, stop, stop)
    assume(quick)
    slow = side(text, wide)._take(Lines(text).backward(stop), TakenLines((), (), len(text), room, full=False), None)
    assert same(quick, slow, text)


def same(quick: TakenLines | None, slow: TakenLines, text: str) -> bool:
    """Whether both took the same; what lies beyond only matters where something does."""
    assert quick is not None
    return quick._replace(seen=slow.seen) == slow
