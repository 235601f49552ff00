"""Matches of a search: counted by file in a tree, definitions of the word first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from name_trees import count_again, joined
from overspill.cut.digest.survey import survey_of
from overspill.cut.smart.matches import MatchCollector, share_of
from smart_views import seen

FILES = [f"src/part{number % 4}/unit{number}.py" for number in range(20)]


def statement_of(text: str, room: int) -> str:
    (digest,) = survey_of(text).digests
    return joined(digest.statements(room))


@given(st.lists(st.tuples(st.sampled_from(FILES), st.integers(1, 9)), min_size=8, max_size=80), st.integers(150, 900))
def test_every_count_of_matches_is_what_counting_gives(hits: list[tuple[str, int]], room: int) -> None:
    hits += [(FILES[0], 1), (FILES[1], 1)]
    text = "".join(f"{path}:{number}:    value = compute({number})\n" for path, number in hits)
    label, _, tree = statement_of(text, room).partition(": ")
    assert label == f"{len(hits)} matches in {len({path for path, _ in hits})} files"
    count_again(tree, [path for path, _ in hits])


def test_neighbours_of_matches_are_not_counted() -> None:
    text = "".join(f"{path}-3-before\n{path}:4:the word\n{path}-5-after\n--\n" for path in FILES)
    assert statement_of(text, 900).startswith("20 matches in 20 files: src/")


def test_matches_below_headings_are_counted_for_their_file() -> None:
    text = "".join(f"{path}\n12:the word\n15-beside it\n99:the word again\n\n" for path in FILES)
    label, _, tree = statement_of(text, 900).partition(": ")
    assert label == "40 matches in 20 files"
    count_again(tree, [path for path in FILES for _ in range(2)])


@pytest.mark.parametrize(
    "line",
    [
        "src/a.py:{0}:3: E501 line too long",
        "src/a.c:{0}:3: warning: unused variable",
        "src/a.py:{0}: error: Missing type  [no-untyped-def]",
        "e20fb05c (A B 2026-11-16 17:31:{0:02} +0000 12) x = 1",
        '127.0.0.1 - - [16/Nov/2026:19:02:{0:02} +0000] "GET /items/{0} HTTP/1.1" 200 24',
        "10:11:{0:02} worker done",
        "2024-11-06 10:11:{0:02} INFO done",
    ],
)
def test_messages_of_tools_and_events_are_no_matches(line: str) -> None:
    assert share_of([line.format(number) for number in range(60)]) < 0.6


def test_the_definition_of_the_word_is_shown_before_its_uses() -> None:
    uses = [f"{path}:{number}:    total = spread(number, {number})" for path in FILES for number in range(1, 30)]
    uses.insert(400, "src/core/spans.py:77:def spread(number: int, by: int) -> int:")
    view = seen("\n".join(uses) + "\n", 1_200).text
    assert "src/core/spans.py:77:def spread(" in view
    assert "[581 matches in 21 files: src/" in view


def test_matches_are_counted_exactly_in_a_text_that_is_not_held() -> None:
    text = "".join(f"src/d{number % 50}/f{number % 700}.py:{number}:{'x' * 90}\n" for number in range(40_000))
    view = seen(text, 2_000).text
    assert "[40000 matches in 700 files: src/{" in view


def test_one_file_needs_no_tree() -> None:
    collector = MatchCollector()
    collector.add([f"a.py:{number}:x" for number in range(30)])
    assert collector.digest() is None
