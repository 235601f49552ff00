"""Names of failed tests that would take much of the room are told by a tree."""

from __future__ import annotations

import re

import pytest

from name_trees import count_again, joined
from overspill.cut.smart.results import marked_failures
from overspill.cut.smart.shapes import classify_line
from smart_views import seen

TESTS = [
    f"tests/part{module % 3}/test_{module}.py::Test{module}::test_{number}"
    for module in range(20)
    for number in range(9)
]


def tree_in(view: str, label: str) -> str:
    found = re.search(rf"^\[{label}: (?:.|\n\[ )*\]$", view, re.MULTILINE)
    assert found, view
    return joined(found[0].splitlines()).partition(": ")[2]


@pytest.mark.parametrize("limit", [1_500, 3_000, 9_000])
def test_a_crowd_of_failed_tests_is_told_by_a_tree_of_their_names(limit: int) -> None:
    report = "".join(f"FAILED {name} - AssertionError: assert {number} == 2\n" for number, name in enumerate(TESTS))
    view = seen(f"{report}===== {len(TESTS)} failed, 3 passed in 1.2s =====\n", limit).text
    tree = tree_in(view, f"{len(TESTS)} failed tests")
    count_again(tree, TESTS, ("/", "::"))
    assert all(f"part{part}/" in tree for part in range(3))
    assert f"{len(TESTS)} failed, 3 passed" in view


def test_a_few_failed_tests_are_shown_as_they_stand() -> None:
    noise = "".join(f"tests/test_{number}.py::test_ok PASSED [ 1%]\n" for number in range(400))
    view = seen(f"{noise}FAILED {TESTS[0]} - KeyError: 'x'\nFAILED {TESTS[30]} - KeyError: 'y'\n", 4_000).text
    assert "failed tests: tests" not in view
    assert f"FAILED {TESTS[0]} - KeyError: 'x'" in view
    assert f"FAILED {TESTS[30]} - KeyError: 'y'" in view


def test_dotted_names_are_told_by_a_tree_too() -> None:
    names = [f"com.acme.shop.Part{part}Test.case{number}" for part in range(12) for number in range(20)]
    report = "".join(f"{name.rpartition('.')[0]} > {name.rpartition('.')[2]} FAILED\n" for name in names)
    view = seen(f"{report}240 tests completed, 240 failed\n", 3_000).text
    assert "[240 failed tests: " in view


def test_a_cross_before_a_row_of_a_table_is_no_failed_test() -> None:
    """Marks before cells that stand in columns say whether a setting is on: no test ran."""
    rows = [
        f"{'✗✓'[number % 2]} Private{number:<30}=   Service may do {number:<30} 0.{number % 4}" for number in range(90)
    ]
    view = seen("\n".join(["  NAME                                  DESCRIPTION   EXPOSURE", *rows, ""]), 2_000).text
    assert "failed test" not in view, view


@pytest.mark.parametrize("line", ['✘ [ERROR] Could not resolve "os"', "  \u00d7 This let is never changed."])
def test_a_cross_before_the_message_of_a_checker_is_no_failed_test(line: str) -> None:
    said = classify_line(line)
    assert said is None or said.level != "name"


@pytest.mark.parametrize(
    "line", ["  ✗ renders the list (3 ms)", "✖ renders the list", "  \u00d7 renders the list    12ms"]
)
def test_a_cross_before_a_name_is_a_failed_test(line: str) -> None:
    said = classify_line(line)
    assert said is not None
    assert (said.level, said.name.strip()) == ("name", "renders the list")


def test_crosses_before_messages_at_places_are_added_up_as_messages() -> None:
    """STR-06: where nearly all are messages at places, what stands behind a cross is a message, not a failed test."""
    rules = ["useConst", "noEmpty", "useThis"]
    text = "".join(
        f"lib/a{at % 7}.js:{at + 1}:3 lint/style/{rules[at % 3]}  FIXABLE  ━━━━━━━━━━\n\n"
        f"  \u00d7 Write {rules[at % 3]} here\n  \n  > {at + 1} │ let id = {at};\n       │ ^^^\n  \n\n"
        for at in range(90)
    )
    view = seen(text, 3_000).text
    assert "failed test" not in view
    assert "[90 records below lib/: 3 rules; 7 files]" in view
    assert "[30x lint/style/useConst FIXABLE \u00d7 Write useConst here @ a0.js:1:3" in view


def marked_results(fail: str, passed: str) -> str:
    """What a runner prints of 300 tests in a form of its own; one in 25 failed."""
    lines: list[str] = []
    for at in range(300):
        bad = at % 25 == 7
        if bad:
            lines += [f"error: the lid of shelf {at} is open", f"      at test/shelf_{at}.js:{at}:4", ""]
        lines.append((fail if bad else passed).format(f"shelf {at % 9} > keeps parcel {at}"))
    return "\n".join([*lines, "", " 288 pass", " 12 fail", ""])


@pytest.mark.parametrize(
    ("fail", "passed"),
    [
        ("(fail) {} [0.2ms]", "(pass) {} [0.1ms]"),
        ("[  BROKEN  ] {}", "[       OK ] {}"),
        ("{} .... FAIL", "{} .... ok"),
    ],
    ids=["in brackets", "in squares", "behind dots"],
)
def test_what_is_marked_as_failed_is_named_where_others_are_marked_as_passed(fail: str, passed: str) -> None:
    view = seen(marked_results(fail, passed), 3_000).text
    assert [at for at in range(7, 300, 25) if f"keeps parcel {at}" not in view] == []
    assert "shelf_282.js:282" in view


def numbered_failures_of(title: str, total: str) -> str:
    """What a runner says of 40 failures: each has a number, a sentence of its own and a frame that all have."""
    blocks = [
        f"{at}) {title} {at} of shelf {at % 7}\n  Message:\n    It was {at} when {at + 1} was wanted.\n  Stack:\n"
        f"    at shelf_{at}.spec.js:{at}:9\n    at runner.js:1:1\n"
        for at in range(1, 41)
    ]
    return "\n".join(["." * 900, "", "Failures:" if not total else "Summary", "", *blocks, total or "done", ""])


@pytest.mark.parametrize("total", ["", "545 specs, 40 failures"], ids=["announced", "counted"])
def test_numbered_failures_are_all_named_with_what_each_says(total: str) -> None:
    view = seen(numbered_failures_of("prices order", total), 7_000).text
    assert [at for at in range(1, 41) if f"{at}) prices order {at} of" not in view] == []
    assert sum(f"It was {at} when" in view for at in range(1, 41)) > 30
    assert "[lines that say so: 40 failed tests" in view or "failed tests" not in view


def test_a_test_that_is_marked_and_numbered_below_is_one_failed_test() -> None:
    """19: a false count is worse than a lost fact. As runners of specifications write both."""
    marks = "".join(f"Chart {at}\n  {'✗' if at % 4 else '✓'} it shows rock {at}\n\n" for at in range(40))
    failed = [at for at in range(40) if at % 4]
    details = "".join(
        f"  {number}) Chart {at} it shows rock {at}\n     Failure/Error: assert {at} == {at + 1}\n\n"
        for number, at in enumerate(failed, 1)
    )
    view = seen(f"{marks}{len(failed)} examples failed\n\nFailures:\n\n{details}", 1_400).text
    assert "30 failed tests" in view
    assert "60 failed tests" not in view


def test_a_numbered_list_of_anything_else_names_no_failed_test() -> None:
    steps = "\n".join(f"{at}) mix part {at} with water\n   and wait" for at in range(1, 60))
    assert (
        "failed tests" not in seen(f"How to bake without failure\n\n\n\n{'It is easy. ' * 40}\n\n{steps}\n", 1_500).text
    )


def test_numbers_of_failures_may_be_set_to_the_right() -> None:
    """` 9)` and `10)` are of one list."""
    failures = "".join(
        f"  {number:2}) test parcel {number * 7} is packed\n     too heavy\n\n" for number in range(1, 14)
    )
    passed = "".join(f"  * test parcel {number} is weighed\n" for number in range(300))
    view = seen(f"{passed}{failures}313 tests, 13 failures\n", 2_000).text
    assert "13 failed tests" in view
    assert all(f"parcel {number * 7} is packed" in view for number in (1, 9, 10, 13))


def test_marks_at_either_end_of_a_text_are_found() -> None:
    """STR-06: the first line has no line end before it, the last none behind it."""
    text = "(fail) first\n(pass) a\n(pass) b\n(pass) c\n(fail) last"
    assert [(text[hit.start : hit.end], said.name) for hit, said in marked_failures(text)] == [
        ("(fail) first", "first"),
        ("(fail) last", "last"),
    ]
    text = "first ... FAIL\na ... ok\nb ... ok\nc ... ok\nlast ... FAIL"
    assert [(text[hit.at : hit.end], said.name) for hit, said in marked_failures(text)] == [
        ("first ... FAIL", "first"),
        ("last ... FAIL", "last"),
    ]


def test_crossed_messages_of_what_runs_no_tests_are_errors() -> None:
    """19: a bundler marks what it could not find with a cross, and nobody spoke of tests."""
    message = "  \u00d7 Module not found: Can't resolve './lid-{0}.js' in 'src/area-{0}'\n    help: is it there?\n\n"
    text = "built 40 modules\n" + "".join(message.format(at) for at in range(60)) + "60 errors\n"
    assert "failed tests" not in seen(text, 2_000).text
    assert "failed tests: " in seen(text + "  \u2713 shelves are kept\n", 1_200).text
