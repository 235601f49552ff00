"""Values of a column in a list: what is written of them can be read again by other means, whatever they are called."""

from __future__ import annotations

from collections import Counter

from column_claims import check_counts
from hypothesis import example, given
from hypothesis import strategies as st

from overspill.cut.digest.patterns import slot_of
from overspill.cut.digest.values import listed_values

HEADS = st.sampled_from(["", "web-", "a/b/", "a/c/", "v1.", "01", "x y", "a{", "é", '"'])
NUMBERS = st.one_of(st.integers(0, 30).map(str), st.integers(0, 120).map(lambda number: f"{number:03}"))
NAMES = st.builds(lambda *parts: "".join(parts), HEADS, NUMBERS, st.sampled_from(["", ".py", "-b", " ", "}"]))
COUNTS = st.one_of(
    st.dictionaries(NAMES, st.sampled_from([1, 1, 1, 2]), min_size=1, max_size=80),
    st.lists(NAMES, min_size=1, max_size=80).map(lambda names: dict.fromkeys(names, 1)),
)


@given(counts=COUNTS, room=st.integers(20, 900))
@example(counts={f"a/b/{number}.py": 1 for number in range(40)} | {"a/c/x": 1, "a/c/y": 1, "a/d/1..3": 1}, room=60)
def test_what_a_list_names_is_there_and_what_it_does_not_name_is_counted(counts: dict[str, int], room: int) -> None:
    assert check_counts(Counter(counts), listed_values(counts, room)) == ""


def test_names_that_count_on_are_named_by_the_first_and_the_last() -> None:
    def listed(*names: str) -> str:
        return listed_values(dict.fromkeys(names, 1), 200)

    assert listed(*(f"web-{number:02}" for number in range(7, 32)), "db") == "web-{07..31}, db"
    assert listed(*(f"part{number}.tex" for number in range(98, 103))) == "part{98..102}.tex"
    assert listed(*(f"src/{number}.py" for number in range(7)), "src/a.py") == "src/{{0..6}.py, a.py}"
    assert listed(*(f"n{number:02}" for number in range(96, 100)), "n100") == "n{96..100}"


def test_nothing_is_left_out_of_a_run_in_silence() -> None:
    names = {f"web-{number}": 1 for number in range(20) if number != 7}
    assert listed_values(names, 200) == "web-{0..6, 8..19}"
    assert listed_values(names | {"web-3": 2}, 200) == "web-{0..2, 4..6, 8..19}, web-3 2"
    padded = {f"n{number:02}": 1 for number in range(5, 10)} | {"n10": 1, "n100": 1}
    assert listed_values(padded, 200) == "n{05..10}, n100"


def test_numbers_that_count_on_stand_in_the_braces_of_their_place() -> None:
    def told(numbers: list[int] | range) -> str:
        slot = slot_of([f"seq={number}" for number in numbers])
        return slot.text_with(slot.values_within(80))

    assert told(range(3, 30)) == "seq={3..29}"
    assert told([*range(1, 212), *range(213, 401)]) == "seq={1..211, 213..400}"  # the answer that did not come
    assert told(range(0, 400, 2)) == "seq={0..398..2}"
    assert told([*range(3, 30), 7]) == "seq={3 .. 29}"


def test_values_of_which_all_are_too_long_to_be_named_are_counted() -> None:
    assert listed_values({"x" * 200: 1, "y" * 300: 7}, 60) == listed_values({"x" * 200: 1, "y" * 300: 7}, -1) == "+2"
