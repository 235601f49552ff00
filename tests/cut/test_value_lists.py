"""Values of a column in a list: what is written of them can be read again by other means, whatever they are called."""

from __future__ import annotations

import json
from collections import Counter

from column_claims import Scope, check_columns, check_counts
from hypothesis import example, given
from hypothesis import strategies as st
from truth import false_statements

from overspill.cut.digest.counts import ends_of_dates
from overspill.cut.digest.patterns import slot_of
from overspill.cut.digest.values import listed_values
from smart_views import seen

HEADS = st.sampled_from(["", "web-", "a/b/", "a/c/", "v1.", "01", "x y", "a{", "é", '"'])
NUMBERS = st.one_of(st.integers(0, 30).map(str), st.integers(0, 120).map(lambda number: f"{number:03}"))
NAMES = st.builds(lambda *parts: "".join(parts), HEADS, NUMBERS, st.sampled_from(["", ".py", "-b", " ", "}"]))
COUNTS = st.one_of(
    st.dictionaries(NAMES, st.sampled_from([1, 1, 1, 2]), min_size=1, max_size=80),
    st.lists(NAMES, min_size=1, max_size=80).map(lambda names: dict.fromkeys(names, 1)),
)


LANGUAGES = [f"{one}{two}" for one in "abcd" for two in "efghi"]
TAILED = st.sampled_from(["/main.po", "/x/main.po", "@@V_1.0", "/other.po", " of all"])
FRAMED = st.dictionaries(
    st.builds(lambda head, name, tail: head + name + tail, HEADS, st.sampled_from(LANGUAGES), TAILED),
    st.sampled_from([1, 1, 1, 1, 2]),
    min_size=12,
    max_size=60,
)
PHRASES = st.dictionaries(
    st.builds(
        " ".join, st.lists(st.sampled_from(["Notes", "on", "shelf", "3:", "door", "12"]), min_size=2, max_size=7)
    ),
    st.sampled_from([1, 1, 2]),
    min_size=12,
    max_size=60,
)


@given(counts=st.one_of(COUNTS, FRAMED, PHRASES), room=st.integers(20, 900))
@example(counts={f"po/{one}/x/main.po": 1 for one in LANGUAGES} | {"po/README": 3, "a b/main.po": 1}, room=90)
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


def test_what_nearly_all_names_begin_and_end_with_is_written_once() -> None:
    names = {f"conf/locale/{one}/LC_MESSAGES/django.po": 1 for one in LANGUAGES} | {"TOTAL:": 1}
    listed = listed_values(names, 300)
    assert listed == f"conf/locale/{{{', '.join(LANGUAGES)}}}/LC_MESSAGES/django.po, TOTAL:"
    assert check_counts(Counter(names), listed) == ""
    assert check_counts(Counter(names), listed.replace("de,", "xx,"))
    assert check_counts(Counter(names), listed_values(names, 90)) == ""
    assert listed_values(names, 90).endswith("}/LC_MESSAGES/django.po, +1")
    symbols = {f"{one}_of@@LIB_3.0": 1 for one in LANGUAGES}
    assert listed_values(symbols, 200).endswith("di}_of@@LIB_3.0")


def test_phrases_that_begin_alike_say_so_once() -> None:
    titles = {f"Notes on shelf {at * 37 % 101}: {('doors', 'lifts')[at % 2]}": 1 for at in range(40)} | {"All news": 1}
    listed = listed_values(titles, 2_000)
    assert listed.startswith('"All news", "Notes on shelf "{"0: doors", ')
    assert check_counts(Counter(titles), listed) == ""


def test_dates_with_names_of_months_are_told_by_the_first_and_the_last() -> None:
    months = ("Jan", "Feb", "Mar", "Apr")
    mailed = [f"Mon, {at % 28 + 1:02} {months[at % 4]} 2026 10:{at:02}:00 +0000" for at in range(60)]
    assert ends_of_dates(mailed) == ("Mon, 01 Jan 2026 10:00:00 +0000", "Mon, 28 Apr 2026 10:55:00 +0000")
    assert ends_of_dates([f"Sat Feb  {at % 9 + 1} 10:00:0{at % 7} 2026" for at in range(40)]) is not None
    assert ends_of_dates([*mailed, "Mon, 01 Jan 2026 10:00:00 +0100"]) is None  # hours of two zones are not compared
    assert ends_of_dates([*mailed, "soon"]) is None
    logged = [f"Tue 2026-11-17 21:{at * 7 % 60:02}:17 +0000" for at in range(50)]
    assert ends_of_dates(logged) == ("Tue 2026-11-17 21:00:17 +0000", "Tue 2026-11-17 21:59:17 +0000")
    assert ends_of_dates([*mailed, *logged]) is None
    table = Scope([{"when": one} for one in mailed])
    assert check_columns(table, f'when: "{ends_of_dates(mailed)[0]}" .. "{ends_of_dates(mailed)[1]}"') == ""  # type: ignore[index]
    assert check_columns(table, f'when: "{mailed[1]}" .. "{mailed[2]}"')


def test_a_value_that_ends_in_quotes_keeps_them() -> None:
    """`analyzing "{"pier.a"}` would be read as a name without its quotes, as ours are."""
    values = {f'{verb} "pier.{name}"': 1 for verb in ("analyzing", "vacuuming") for name in "abcdefghij"}
    words = listed_values(values, 2_000)
    assert '{"pier' not in words
    assert all(json.dumps(value) in words for value in values)


def test_the_one_cell_that_is_no_number_and_the_one_date_in_another_form_are_told_and_shown() -> None:
    """The range of all prices was told, as if each were one; of 400 dates most were listed, and those rows left out."""
    rows = [f"{70_000 + n},2026-11-{n // 20 + 1:02}T{n % 20:02}:00Z,{n * 7 % 90}.50,EUR" for n in range(400)]
    rows[200] = "70200,2026-11-11T00:00Z,n/a,EUR"
    rows[350] = "70350,03/11/2026,19.50,EUR"
    text = "\n".join(["order,placed,price,currency", *rows]) + "\n"
    view = seen(text, 1_000).text
    assert "; n/a]" in view
    assert "; 03/11/2026]" in view
    assert rows[200] in view
    assert rows[350] in view
    assert false_statements(text, view) == []
