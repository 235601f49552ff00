"""What `smart` tells of outputs that our own tools make of code of our own; `make quality` asks the same of others'."""

import doctest
import importlib
import os
import sys
from pathlib import Path
from statistics import mean

import pytest
from ceiling import ceilings
from items import HELD_OUT, Fact, Item, keep, part_of, stored
from own import MAKERS
from score import PLAIN, judge, marks, plain_marks
from shop import Shop

QUALITY = str(Path(__file__).parents[2] / "benchmarks" / "quality")
LIMIT = 8_000
TOLD = 0.97
"""The share of what a perfect choice of lines could hold that the middle budget has to tell."""
BETTER = 1.5
"""So many times as much as the best of the ends does."""


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
    bounds = {(item.name, LIMIT): ceilings(item, [LIMIT])[LIMIT] for item in items}
    smart = marks(items, os.path.join(root, "all"), "smart", [LIMIT], worker, env, bounds)[LIMIT]
    assert [(mark.item, mark.lies) for mark in smart if mark.lies or not (mark.within and mark.valid)] == []
    told = {mark.item: round(mark.share, 2) for mark in smart}
    best = max(mean(mark.share for mark in plain_marks(items, [LIMIT], cut, bounds)[LIMIT]) for cut in PLAIN.values())
    assert mean(told.values()) >= max(TOLD, BETTER * best), told


def test_every_output_is_larger_than_the_budget_and_says_its_facts_itself(corpus: tuple[str, list[Item]]) -> None:
    for item in corpus[1]:
        assert len(item.text) > LIMIT
        assert len(item.facts) >= 4, item.name
        assert judge(item, item.text, len(item.text)).kept >= len(item.facts) - sum(
            one.kind == "size" for one in item.facts
        )


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


def test_the_part_held_back_is_chosen_by_the_tool_alone() -> None:
    held = [Item("x", "build", "text", command, "", ()) for command in ("svn log", "/usr/bin/svn", "git show HEAD")]
    assert [part_of(item) for item in held] == ["held", "held", "held"]
    assert part_of(Item("x", "network", "text", "curl -v", "", ())) == "third"
    assert part_of(Item("x", "git", "text", "git status", "", ())) == "fourth"
    assert part_of(Item("x", "compiler", "text", "valac -C", "", ())) == "fifth"
    assert [part_of(Item("x", "x", "text", f"npm {one}", "", ())) for one in ("outdated --all", "ls --all")] == [
        "sixth",
        "dev",
    ]
    assert part_of(Item("x", "git", "text", "git push --all", "", ())) == "seventh"
    assert part_of(Item("x", "film", "text", "mkvinfo -a canal.mkv", "", ())) == "eighth"
    assert part_of(Item("x", "music", "text", "midicsv score.mid", "", ())) == "ninth"
    assert part_of(Item("x", "git", "text", "git fetch --prune", "", ())) == "tenth"
    assert part_of(Item("x", "git", "text", "git clean -ndx", "", ())) == "eleventh"
    assert part_of(Item("svn", "log", "text", "cat svn.log", "", ())) == "dev"
    assert sum(map(len, HELD_OUT.values())) == len(frozenset().union(*HELD_OUT.values()))


def test_a_view_with_a_false_statement_is_worth_nothing() -> None:
    text = "ready\n" * 5 + "late news\n"
    item = Item("x", "log", "text", "", text, (Fact("message", ("late news",)),))
    assert judge(item, "[5x ready]\n[... 5 lines]\nlate news\n", 80, kept=text).share == 1.0
    assert judge(item, "[4x ready]\n[... 5 lines]\nlate news\n", 80, kept=text).share == 0.0


def test_a_score_is_a_share_of_what_a_perfect_choice_of_lines_tells() -> None:
    lines = [f"file_{number}.py changed somewhat" for number in range(100)]
    facts = tuple(Fact("path", (f"file_{number}.py",)) for number in range(100))
    item = Item("x", "log", "text", "", "\n".join(lines), facts)
    bound = ceilings(item, [300])[300]
    assert 9 <= bound <= 12
    assert judge(item, "\n".join(lines[:5]), 300, bound=bound).share == pytest.approx(5 / bound)
    assert judge(item, "\n".join(line.split()[0] for line in lines[:20]), 300, bound=bound).share == 1.0


LISTED = "total 4\n-rw-r--r-- 1 me me 9 Jan 1 10:00 x.py"
REBUILT = [
    (Fact("path", ("a/c/d",)), "[9 paths: a/{b/ 4, c/{d, e}, +3}]", "[9 paths: a/{b/ 4, c/ 2, +3}]"),
    (Fact("path", ("a/c",)), "[9 paths: a/{b/ 7, c/ 2}]", "[9 paths: a/{b/ 7, cc/ 2}]"),
    (Fact("location", ("s/a.py:9:4",)), "[3x bad @ s/a.py:3:1, 9:4; b.py:7]", "[3x bad @ s/a.py:3:1; b.py:9:4; +1]"),
    (
        Fact("record", ("s/b.py:7",), ("bad",)),
        "[3x bad @ s/{a.py:3:1; b.py:7}; +1]",
        "[2x bad @ s/a.py:3, 9]\ns/b.py:7",
    ),
    (
        Fact("record", ("s/b.py:7",), ("no 're' here",)),
        "[2 records below s/: 2 files]\n[2x ~no 'os' here @ a.py:3; b.py:7 're']",
        "[2 records below s/: 2 files]\n[2x ~no 'os' here @ a.py:3 're'; b.py:7]",
    ),
    (
        Fact("record", ("a.py:9",), ("Import outside (sys) (late)",)),
        "[2x Import outside * (late) @ a.py:3 (os), 9 (sys)]",
        "[2x Import outside * (late) @ a.py:3 (sys), 9 (os)]",
    ),
    (
        Fact("record", ("a.py:9",), ("no x, {y} [z]",)),
        '[2x no * [z] @ a.py:3 w, 9 "x, {y}"]',
        '[2x no * [z] @ a.py:3 "x, {y}", 9 w]',
    ),
    (Fact("path", ("s/deep/x.py",)), f"./s/deep:\n{LISTED}", "./s/deep:\n[... 9 lines]\nx.py"),
    (
        Fact("record", ("a.js:3:7",), ("semi",)),
        "/l/a.js\n  3:7  error  semi",
        "/l/a.js\n[... 3 lines]\n  3:7  error  semi",
    ),
    (
        Fact("record", ("m.rs:4:9",), ("lost",)),
        "error: lost\n  --> m.rs:4:9",
        "error: lost\n[... 7 lines]\n  --> m.rs:4:9",
    ),
    (
        Fact("record", ("a/b.sh:4",), ("quote",)),
        "In a/b.sh line 4:\nx\n^-- SC1 quote",
        "In a/b.sh line 4:\nx\n\n^-- SC1 quote",
    ),
    (Fact("key", ("status",)), '{"rows": {"status": 1}}', '{"rows": "status"}'),
    (Fact("key", ("status",)), '["[3 keys: rows.{status, size}]"]', '["[3 keys: rows.{state, size}]"]'),
    (Fact("record", ("a.py",), ("boom",)), '[{"in": "a.py", "said": "boom"}]', '[{"in": "a.py"}, {"said": "boom"}]'),
    (Fact("message", ("gone with the wind",)), "[9x ~gone with\n[ the wind]", "gone with\nthe wind"),
    (Fact("name", ("web-7",)), "# [items.name: web-{1, 7}]\nitems:", "# [items.name: web-{1, 17}]\nitems:"),
    (Fact("message", ('"iana"',)), '["[source: apache 3, iana 9]"]', '["[source: apache 3, ianax 9]"]'),
    (
        Fact("message", ('name="Binding"',)),
        "<r><!-- [class.name: Binding, Object] --></r>",
        "<r><!-- [class.type: Binding, Object] --></r>",
    ),
    (Fact("path", ("README",)), "./README\n", "docs/README\n"),
]


def test_a_perfect_choice_can_take_several_lines_for_one_fact() -> None:
    item = Item("x", "diff", "text", "", "a\n-one\n+two\n" + "z\n" * 50, (Fact("change", ("-one\n+two",)),))
    assert ceilings(item, [8, 12]) == {8: 0, 12: 1}


@pytest.mark.parametrize(("fact", "telling", "silent"), REBUILT)
def test_a_fact_counts_as_told_if_it_can_be_rebuilt_without_doubt(fact: Fact, telling: str, silent: str) -> None:
    assert fact.told_by(telling)
    assert not fact.told_by(silent)


def test_lines_that_are_alike_tell_each_value_in_its_place_but_no_pairs() -> None:
    view = "[3x ~order {400, 1000, 1600} is lost on shelf {a, b 2}]\n[2x Compiling {serde v1.0, tokio x2}]\n"
    assert Fact("message", ("order 1000 is lost on shelf",)).told_by(view)
    assert Fact("message", ("is lost on shelf b",)).told_by(view)
    assert Fact("message", ("Compiling tokio",)).told_by(view)
    assert not Fact("message", ("order 1000 is lost on shelf b",)).told_by(view)
    assert not Fact("message", ("order 700 is lost",)).told_by("[9x ~order {400 .. 1600} is lost]\n")


@pytest.mark.parametrize(
    "module", sorted(path.stem for path in Path(QUALITY).glob("*.py") if ">>>" in path.read_text())
)
def test_what_the_measuring_code_says_of_itself_is_true(module: str) -> None:
    ran = doctest.testmod(importlib.import_module(module))
    assert ran.attempted
    assert not ran.failed
