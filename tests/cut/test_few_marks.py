"""Marks between shown lines: what stands together is shown together, and little room ends in no piece of a line."""

from random import Random

import pytest

from overspill import MemoryStore, Overspill


def told(text: str, limit: int) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=limit).text


def names(count: int, widths: tuple[int, ...]) -> list[str]:
    draw = Random(8)
    return ["".join(draw.choices("abcdefghiklmnoprstu", k=draw.choice(widths))) for _ in range(count)]


@pytest.mark.parametrize("limit", [1_500, 2_500])
def test_of_lines_that_say_as_much_those_beside_each_other_are_shown(limit: int) -> None:
    """The shortest of them were, each with a mark before and behind it."""
    some = names(800, (5, 7, 9, 12, 18))
    lines = [f"{some[at]} is here" if at % 3 else f"  Fetching {some[400 + at]}.tar ({at} kB)" for at in range(400)]
    view = told("\n".join(lines) + "\n", limit)
    assert len(view) > limit * 0.9
    assert view.count("[... ") < 4


@pytest.mark.parametrize("limit", [64, 70, 80, 100])
def test_a_view_in_very_little_room_ends_in_no_piece_of_a_line(limit: int) -> None:
    lines = [
        f"{name} is moored at the pier of {name[::-1]} with {at} ropes" for at, name in enumerate(names(90, (9, 14)))
    ]
    view = told("\n".join(lines) + "\n", limit)
    last = view.rstrip("\n").split("\n")[-1]
    assert len(view) <= limit
    assert last.startswith("[... ") or last == lines[-1]


def test_of_a_single_long_line_both_ends_are_shown_where_there_is_room_for_both() -> None:
    view = told(" ".join(names(400, (9, 14))), 150)
    assert view.split("\n")[-1].endswith(names(400, (9, 14))[-1][-4:])
