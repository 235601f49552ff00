"""What a view says of hunks that it does not show: which definitions they change, and of long ones the first line."""

import difflib

import pytest
from truth import false_statements

from overspill.cut.smart.diffs import changed_names
from smart_views import seen


def module(number: int, word: str, names: list[str]) -> list[str]:
    """A file of source with these functions."""
    return [
        line
        for name in names
        for line in (
            f"def {name}_{number}(quay):",
            *(f"    {word} = quay.{name}_{at}({number})  # told of pier {at}" for at in range(30)),
            "",
            "",
        )
    ]


def diff_of(old: dict[str, list[str]], new: dict[str, list[str]]) -> str:
    return "".join(
        line + "\n" * (not line.endswith("\n"))
        for path in sorted({*old, *new})
        for line in difflib.unified_diff(old.get(path, []), new.get(path, []), f"a/{path}", f"b/{path}", lineterm="")
    )


def large_diff() -> str:
    old = {f"src/m{n}.py": module(n, "rope", ["moor", "turn", "leave"]) for n in range(20)}
    new = {f"src/m{n}.py": module(n, "rope", ["moor", "turn", "board"]) for n in range(20)}
    for number in range(20):
        new[f"src/m{number}.py"][7] = f"    rope = quay.{number}_slipped()"
    return diff_of(old, new)


@pytest.mark.parametrize("limit", [3_000, 8_000, 16_000])
def test_definitions_that_long_hunks_add_and_take_away_are_told(limit: int) -> None:
    text = large_diff()
    view = seen(text, limit).text
    told = [n for n in range(20) if f"src/m{n}.py -leave_{n} +board_{n}" in view]
    assert len(told) >= min(18, limit // 600)
    assert f"[names in changes not shown: src/m{min(told)}.py -leave_" in view
    assert [*false_statements(text, view, "diff")] == []


def test_what_is_said_of_definitions_is_held_against_the_hunks() -> None:
    text = large_diff()
    view = seen(text, 8_000).text
    others = {"+board_0": "+sunk_0", "board_0": "-leave_1", "-leave_0": "leave_77", "src/m0.py -": "m.py -"}
    for said, other in others.items():
        assert [*false_statements(text, view.replace(said, other, 1), "diff")] != [], other


def test_of_a_long_hunk_the_first_line_is_told_and_how_many_more_it_changes() -> None:
    text = diff_of(
        {f"notes/n{n}.cfg": [f"berth {at} of {n} is free" for at in range(40)] for n in range(12)},
        {f"notes/n{n}.cfg": [f"berth {at} of {n} is let to the ferry" for at in range(30)] for n in range(12)},
    )
    view = seen(text, 2_500).text
    assert "notes/n0.cfg:1 -berth 0 of 0 is free; +30 -39 more" in view
    assert [*false_statements(text, view, "diff")] == []
    assert [*false_statements(text, view.replace("+30 -39 more", "+31 -39 more", 1), "diff")] != []


def test_changes_of_a_file_are_told_hunk_by_hunk_without_those_that_are_shown() -> None:
    text = "".join(
        f"--- a/m{n}.txt\n+++ b/m{n}.txt\n@@ -1,3 +1,3 @@\n one\n-{n} is moored\n+{n} has left\n two\n"
        f"@@ -40,9 +40,9 @@\n" + " what stands around it, at length and in vain\n" * 8 + f"-{n} is far\n+{n} is near\n"
        for n in range(8)
    )
    view = seen(text, 1_800).text
    shown = [n for n in range(8) if f"\n-{n} is moored\n" in view]
    assert shown
    for number in shown:
        assert f":1 -{number} is moored; +{number} has left" not in view
    assert [*false_statements(text, view, "diff")] == []


def test_sources_come_before_what_tools_are_told() -> None:
    hunk = "@@ -{0},3 +{0},3 @@ def turn():\n     one\n-    moored = {0}\n+    moored = {1}\n     two\n"
    paths = [".github/workflows/build.yml", ".gitlab-ci.yml", *(f"src/m{n}.py" for n in range(9))]
    text = "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        + "".join(hunk.format(at, at + 1) for at in range(9, 40, 4))
        for path in paths
    )
    view = seen(text, 1_500).text
    assert "\n+++ b/src/m" in view
    assert "\n+++ b/.git" not in view


@pytest.mark.parametrize(
    ("path", "hunk", "said"),
    [
        ("a.rs", "@@ -1,3 +1,3 @@ impl Quay {\n     fn moor(&self) {\n-        one();\n+        two();\n", "moor"),
        ("a.go", "@@ -9,2 +9,5 @@ func Moor() {\n \tone()\n }\n+func Leave() {\n+\ttwo()\n+}\n", "+Leave"),
        ("a.js", "@@ -1,2 +1,2 @@\n-function moor(a) {\n+function moor(a, b) {\n   one();\n", "moor"),
        ("a.py", "@@ -1,4 +1,5 @@ class Quay:\n     one = 1\n+    two = 2\n \n \n+three = 3\n", "Quay"),
        ("a.md", "@@ -1,2 +1,3 @@ def moor():\n one\n+def leave():\n", ""),
        ("a.py", "@@@ -1,2 -1,2 +1,3 @@@ def moor():\n  one\n++def leave():\n", ""),
    ],
)
def test_lines_belong_to_the_definition_that_they_are_indented_below(path: str, hunk: str, said: str) -> None:
    assert changed_names(path, [hunk]) == said


def test_of_very_many_definitions_it_is_said_how_many_are_not_named() -> None:
    said = changed_names("a.py", ["@@ -0,0 +1,90 @@\n" + "".join(f"+def moor_{n}(): ...\n" for n in range(90))])
    named, _, more = said.partition(" and ")
    assert len(said) < 260
    assert more == f"{90 - len(named.split())} more"
