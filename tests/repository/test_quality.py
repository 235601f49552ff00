"""What `smart` tells of outputs that our own tools make of code of our own; `make quality` asks the same of others'."""

import os
import sys
from pathlib import Path
from statistics import mean

import pytest
from items import Fact, Item, held_back, keep, stored
from own import MAKERS
from score import PLAIN, judge, marks, plain_marks
from shop import Shop

QUALITY = str(Path(__file__).parents[2] / "benchmarks" / "quality")
LIMIT = 8_000
TOLD = 0.9
"""The share of the facts that the middle budget has to tell."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Item]]:
    root = tmp_path_factory.mktemp("quality")
    shop = Shop(str(root / "shop"))
    items = [item for make in MAKERS for item in make(shop)]
    for item in items:
        os.renames(keep(item, str(root)), root / "all" / item.name)
    return str(root), list(stored(str(root), "all"))


def test_smart_tells_nine_facts_in_ten_and_far_more_than_the_ends_do(corpus: tuple[str, list[Item]]) -> None:
    root, items = corpus
    env = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(sys.path)}
    worker = [sys.executable, os.path.join(QUALITY, "ours.py")]
    smart = marks(items, os.path.join(root, "all"), "smart", [LIMIT], worker, env)[LIMIT]
    assert [mark.item for mark in smart if not (mark.within and mark.valid)] == []
    told = {mark.item: round(mark.share, 2) for mark in smart}
    best = max(mean(mark.share for mark in plain_marks(items, [LIMIT], cut)[LIMIT]) for cut in PLAIN.values())
    assert mean(told.values()) >= max(TOLD, 1.4 * best), told


def test_every_output_is_larger_than_the_budget_and_says_its_facts_itself(corpus: tuple[str, list[Item]]) -> None:
    for item in corpus[1]:
        assert len(item.text) > LIMIT
        assert len(item.facts) >= 4, item.name
        assert judge(item, item.text, len(item.text)).share == 1.0


def test_a_view_over_the_limit_is_judged_by_what_fits_and_told_apart() -> None:
    item = Item("x", "log", "text", "", "", (Fact("message", ("late news",)),))
    mark = judge(item, "x" * 100 + "late news", 20)
    assert (mark.kept, mark.within) == (1, False)
    assert judge(item, "x" * 100 + "late news" + "x" * 100, 20).kept == 0


def test_documents_that_no_longer_parse_are_not_valid() -> None:
    forms = {"json": '{"a": 1', "ndjson": '{"a": 1}\n{"b"', "xml": "<a><b></a>", "diff": "no patch at all"}
    for form, broken in forms.items():
        item = Item("x", "x", form, "", "", (Fact("message", ("a",)),))
        assert not judge(item, broken, 100).valid


def test_the_part_held_back_is_chosen_by_name_alone() -> None:
    assert [held_back(f"pytest-{number}") for number in range(8)] == [
        held_back(f"pytest-{number}") for number in range(8)
    ]
    assert 120 < sum(held_back(f"output-{number}") for number in range(800)) < 200
