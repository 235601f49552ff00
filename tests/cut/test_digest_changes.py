"""Changed files: every count of the tree is counted again from what was changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from name_trees import all_items, count_again, joined, read_tree
from overspill import MemoryStore, Overspill
from overspill.cut.digest.changes import ChangeCollector, share_of
from smart_views import seen

FILES = st.dictionaries(
    st.sampled_from([f"{top}/{name}" for top in ("src", "src/cut", "tests", "locale/de") for name in "abcdef"]),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=3),
    min_size=1,
)
Hunks = list[tuple[int, int, int]]


def diff_of(files: dict[str, Hunks]) -> list[str]:
    """A diff with hunks of so many lines added, removed and kept; some of them look like headers."""
    lines: list[str] = []
    for path, hunks in files.items():
        lines += [f"diff --git a/{path} b/{path}", "index 1111111..2222222 100644", f"--- a/{path}", f"+++ b/{path}"]
        for added, removed, kept in hunks:
            lines.append(f"@@ -1,{removed + kept} +1,{added + kept} @@ def f():")
            lines += ["--- a/looks like a header"] * removed + ["+++ b/so does this"] * added + [" @@ kept"] * kept
    return lines


def items_of(lines: list[str], room: int, block: int = 17) -> tuple[str, str]:
    collector = ChangeCollector()
    for at in range(0, len(lines), block):
        collector.add(lines[at : at + block])
    digest = collector.digest()
    assert digest is not None
    said = digest.statements(room)
    label, _, tree = joined(said).partition(": ") if said else ("", "", "")
    return label, tree


def spelt(added: int, removed: int) -> str:
    return " ".join([f"+{added}"] * bool(added) + [f"-{removed}"] * bool(removed))


@given(FILES, st.integers(120, 2_000))
def test_every_file_of_a_diff_is_counted(files: dict[str, Hunks], room: int) -> None:
    label, tree = items_of(diff_of(files), room)
    if not tree:
        return
    assert label == f"{len(files)} file{'s' * (len(files) != 1)} changed"
    count_again(tree, list(files))
    for item in all_items(read_tree(tree)[0]):
        if item.name in files:
            hunks = files[item.name]
            assert item.said == spelt(sum(added for added, _, _ in hunks), sum(removed for _, removed, _ in hunks))


@pytest.mark.parametrize("row", ["{added}\t{removed}\t{path}", " {path} | {both:>4} {signs}"])
def test_statistics_tell_the_files_they_are_of(row: str) -> None:
    counts = {f"src/part{number % 5}/file{number}.py": (number + 1, number % 7) for number in range(40)}
    lines = [
        row.format(path=path, added=added, removed=removed, both=added + removed, signs="+" * added + "-" * removed)
        for path, (added, removed) in counts.items()
    ]
    assert share_of(lines) > 0.9
    _, tree = items_of(lines, 4_000)
    told = {item.name: item.said for item in all_items(read_tree(tree)[0])}
    for path, (added, removed) in counts.items():
        assert told[path] in (spelt(added, removed), f"({added + removed})")


def test_a_log_with_statistics_adds_up_what_its_commits_changed() -> None:
    commits = [
        f"commit {number:040x}\nAuthor: A <a@b.c>\n\n    Change part {number}\n\n"
        f"M\tsrc/a.py\nA\tsrc/n{number}.py\nD\told/{number}.c\n"
        for number in range(30)
    ]
    view = seen("\n".join(commits), 1_500).text
    assert "[61 files changed: " in view
    assert "Change part" in view


def test_translations_fold_and_sources_come_first() -> None:
    files: dict[str, Hunks] = {f"conf/locale/l{number}/django.po": [(40, 40, 1)] for number in range(70)}
    files |= {f"zoo/mod{number}.py": [(1, 1, 1)] for number in range(6)}
    label, tree = items_of(diff_of(files), 260)
    assert label == "76 files changed"
    assert "*/django.po 70" in tree
    assert tree.startswith("zoo/{mod0.py +1 -1, ")
    count_again(tree, list(files))
    assert all(f"mod{number}.py +1 -1" in tree for number in range(6))


@pytest.mark.parametrize(
    "lines",
    [
        [f" user{number} | {number}" for number in range(60)],
        [f"{number}\t{number * 3}\tname{number}" for number in range(60)],
        ["+ one", "- two", "  three"] * 30,
    ],
)
def test_tables_and_lists_are_no_changes(lines: list[str]) -> None:
    assert share_of(lines) < 0.25


def test_a_diff_is_told_as_one_though_its_first_file_is_longer_than_what_is_looked_at() -> None:
    long = ["diff --git a/old.md b/old.md", "--- a/old.md", "+++ b/old.md", "@@ -1,900 +1,0 @@", *["-old"] * 900]
    rest = diff_of({"src/a": [(2, 1, 3)], "src/b": [(1, 0, 2)]})
    assert share_of(long[:600]) > 0.9
    view = seen("\n".join([*long, *rest]) + "\n", 1_500).text
    assert "3 files changed: " in view


def test_names_that_statistics_cut_short_are_not_called_files() -> None:
    """What a view says is true: a file may stand there in full and cut short."""
    stats = [f" src/part{number}/file.py | {number + 1} +" for number in range(20)]
    label, _ = items_of([*stats, " .../part3/file.py | 4 +"], 2_000)
    assert label == "21 names of changed files"


def test_a_file_that_was_renamed_is_called_what_it_is_called_now() -> None:
    label, tree = items_of(
        [" src/{old => new}/a.py | 4 +-", " src/new/a.py | 2 +-", " b.py => c.py | 0", " d.py | 1 +"], 900
    )
    assert label == "3 files changed"
    told = {item.name: item.said for item in all_items(read_tree(tree)[0])}
    assert told == {"src/new/a.py": "(6)", "c.py": "(0)", "d.py": "(1)"}


def test_a_log_with_statistics_shows_what_its_commits_say() -> None:
    words = ["lemons", "pears", "barrels", "crates", "plums", "baskets", "cherries", "apples", "grapes"]
    commits = [
        f"commit {number:040x}\nAuthor: A <a@b.c>\nDate:   now\n\n    Sell {words[number % 9]} of kind {number}\n\n"
        + "".join(f" src/p{part}/{words[part]}{number}.py | 3 ++-\n" for part in range(4))
        for number in range(300)
    ]
    view = seen("\n".join(commits), 8_000).text
    assert "[1200 files changed: " in view
    assert view.count(" Sell ") >= 30


def test_of_a_log_of_diffs_files_and_commits_are_told_in_a_small_room() -> None:
    hunk = ["@@ -1,9 +1,9 @@", *[f"-old line {number} of it, which is long" for number in range(9)]]
    hunk += [f"+new line {number} of it, which is long" for number in range(9)]
    commits = []
    for number in range(60):
        path = f"src/f{number % 7}.py"
        commits += [f"commit {number:040x}", "Author: A <a@b.c>", "", f"    Mend part {number}", ""]
        commits += [f"diff --git a/{path} b/{path}", "index 11..22 100644", f"--- a/{path}", f"+++ b/{path}", *hunk]
    view = seen("\n".join(commits), 1_200).text
    assert "7 files changed: " in view
    assert "commits not shown: " in view


def test_a_file_that_several_commits_changed_is_one_file_that_is_left_out() -> None:
    """P-19, X-18"""
    diff = "\n".join(diff_of({"src/a": [(2, 1, 3)], "src/b": [(1, 0, 2)]}) * 90)
    view = Overspill(store=MemoryStore()).fit(diff, tool="git_diff").text
    assert "[2 files omitted showing " in view
