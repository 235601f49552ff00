"""Listings, however they are written: the tree counts their entries, in bounded memory."""

from __future__ import annotations

import os
import subprocess
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from name_trees import count_again, joined, read_tree
from overspill.cut.digest import paths as paths_module
from overspill.cut.digest.layouts import COVERS
from overspill.cut.digest.paths import PathCollector, PathDigest, share_of
from smart_views import seen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LISTED = [
    *(f"src/part{part}/file{number}.py" for part in range(6) for number in range(9)),
    *(f"docs/page-{number}.md" for number in range(12)),
    "README.md",
    "src/main.py",
]


def digest_of(lines: list[str], block: int = 1_000) -> PathDigest:
    collector = PathCollector()
    for at in range(0, len(lines), block):
        collector.add(lines[at : at + block])
    digest = collector.digest()
    assert digest is not None
    return digest


def tree_in(lines: list[str], room: int = 2_000, noun: str = "paths") -> str:
    """The tree that a listing is told by, without its label."""
    label, _, text = joined(digest_of(lines).statements(room)).partition(": ")
    assert label.endswith(f" {noun}")
    return text


def written(path: str, number: int) -> dict[str, str]:
    """An entry as the tools of the world write it."""
    size = 1_000 + number * 37
    return {
        "plain": path,
        "ls -l": f"-rw-r--r--  1 root staff {size:>8} Nov {number % 28 + 1:>2}  2024 {path}",
        "ls --full-time": f"-rw-r--r-- 1 me me {size} 2024-11-06 10:11:12.000000000 +0100 {path}",
        "isoinfo -l": f"-rw-r--r--   1    0    0 {size:>9} Sep 29 2022 [ {number + 40:>6} 00]  {path}",
        "tar tv": f"-rw-r--r-- me/staff {size:>9} 2024-11-06 10:11 {path}",
        "unzip -l": f"{size:>9}  2024-11-06 10:11   {path}",
        "find -ls": f"  {34_000 + number}      4 -rw-r--r--   1 root     root     {size:>8} Sep 19  2022 {path}",
        "du": f"{size}\t{path}",
        "du -h": f"{number % 9 + 1}.{number % 10}M\t{path}",
        "wc -l": f"{size:>7} {path}",
        "sha256sum": f"{number:064x}  {path}",
        "md5sum": f"{number:032x} *{path}",
        "git ls-files -s": f"100644 {number:040x} 0\t{path}",
        "git ls-tree -rl": f"100644 blob {number:040x} {size:>7}\t{path}",
        "git status": f"{'?? ' if number % 3 else ' M '}{path}",
        "unzip": f"  inflating: {path}",
        "dpkg -S": f"some-package: {path}",
        "rg -c": f"{path}:{number + 1}",
        "path size": f"{path}  {size}",
    }


SHAPES = list(written("a/b", 1))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_listing_of_any_shape_is_told_by_a_tree_of_its_paths(shape: str) -> None:
    listed = [path for path in LISTED if "/" in path] if shape in ("unzip", "dpkg -S") else LISTED
    lines = [written(path, number)[shape] for number, path in enumerate(listed)]
    assert share_of(lines) > 0.9
    for room in (150, 400, 3_000):
        count_again(tree_in(lines, room), listed)
    assert all(digest_of(lines).tells(line) for line in lines)


def test_headings_are_the_directories_of_what_is_below_them() -> None:
    lines: list[str] = []
    entries: list[str] = []
    for directory in ("./src", "./src/cut", "./docs"):
        lines += ["", f"{directory}:", *(f"{name}.txt" for name in "abcdefghij")]
        entries += [f"{directory}/{name}.txt" for name in "abcdefghij"]
    count_again(tree_in(lines[1:]), entries)


def test_long_rows_below_headings_lose_neither_sizes_nor_odd_modes(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / "deep" / f"d{number % 4}").mkdir(parents=True, exist_ok=True)
        (tmp_path / "deep" / f"d{number % 4}" / f"f{number}.txt").write_text("x" * (number + 1))
    (tmp_path / "deep" / "big.bin").write_text("x" * 50_000)
    (tmp_path / "deep" / "d1" / "open.sh").write_text("x")
    (tmp_path / "deep" / "d1" / "open.sh").chmod(0o777)
    done = subprocess.run(["ls", "-laR", "deep"], cwd=tmp_path, capture_output=True, text=True, check=True)
    view = seen(done.stdout, 1_400).text
    entries = [
        os.path.relpath(os.path.join(top, name), tmp_path)
        for top, folders, files in os.walk(tmp_path / "deep")
        for name in (*folders, *files)
    ]
    assert f"[{len(entries)} paths: deep/" in view
    assert "big.bin (50000)" in view
    assert [line for line in view.splitlines() if line.startswith("-rwxrwxrwx") and line.endswith("open.sh")]


def test_branches_that_are_drawn_lead_to_their_names() -> None:
    lines = [
        ".",
        "\u251c\u2500\u2500 src",
        "\u2502\xa0\xa0 \u251c\u2500\u2500 a.py",
        "\u2502\xa0\xa0 \u2514\u2500\u2500 sub",
        *(f"\u2502\xa0\xa0     \u251c\u2500\u2500 f{number}.py" for number in range(20)),
        "\u2514\u2500\u2500 README.md",
        "",
        "2 directories, 22 files",
    ]
    entries = ["src", "src/a.py", "src/sub", *(f"src/sub/f{number}.py" for number in range(20)), "README.md"]
    count_again(tree_in(lines, noun="entries"), entries)


def test_dependencies_that_are_drawn_are_counted() -> None:
    lines = ["app@1.0.0 /srv/app"]
    for number in range(12):
        lines += [
            f"\u251c\u2500\u252c dep{number}@1.{number}.0",
            f"\u2502 \u251c\u2500\u2500 inner@2.0.{number}",
            "\u2502 \u2514\u2500\u2500 left@3.1.0",
        ]
    text = tree_in(lines, noun="entries")
    assert "dep3@1.3.0/" in text
    assert digest_of(lines).statements(400)[0].startswith("[36 entries: ")


@pytest.mark.parametrize(
    "lines",
    [
        [f"2024-11-06 10:11:{number:02} INFO served /a/{number} in 3 ms" for number in range(60)],
        [f"word{number}" for number in range(100)],
        ["def f(a):", "    return a / 2", "", "class A:", "    x = 1"] * 20,
        ["This is a sentence, and/or another one.", "It goes on here."] * 30,
        ["QmFzZTY0IGlzIGxvbmc/KysgYW5kIG1vcmUgb2YgaXQ9PQ+/abcdefghijklmnopqrstuvwx/z0"] * 50,
        [f"src/a.py:{number}:3: E501 line too long" for number in range(50)],
        [f"  Compiling crate{number} v0.{number}.1" for number in range(50)],
        [f"{number:<4} lib/file{number}.py      {number * 7:<6} PSF-2.0  stable" for number in range(50)],
        [f"name{number}: value {number}" for number in range(50)],
        [f"{number}, {number * 2}, {number / 7:.4}" for number in range(50)],
    ],
)
def test_what_is_no_listing_is_not_told_as_one(lines: list[str]) -> None:
    assert share_of(lines) < COVERS


def test_sizes_are_told_of_the_largest_first() -> None:
    lines = [f"{size}\tdata/f{size}.bin" for size in range(1, 200)] + ["90000\tdata/huge.bin"]
    assert tree_in(lines, 70).startswith("data/{huge.bin (90000), f199.bin (199), ")


def test_the_first_the_last_and_what_is_no_entry_are_shown_beside_the_tree() -> None:
    lines = [f"./part{number % 7}/file{number}.txt" for number in range(900)]
    lines[400] = "find: './secret': Permission denied"
    view = seen("\n".join(lines) + "\n", 1_500).text
    assert lines[0] in view.splitlines()
    assert lines[-1] in view.splitlines()
    assert lines[400] in view
    shown = [line for line in view.splitlines() if line.startswith("./part")]
    assert len(shown) <= 4


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "c", "d1", "e"]), min_size=1, max_size=6).map("/".join),
        min_size=30,
        max_size=300,
    ),
    st.integers(3, 60),
    st.integers(3, 40),
    st.integers(80, 900),
)
def test_counts_stay_exact_when_not_all_can_be_held(paths: list[str], names: int, directories: int, room: int) -> None:
    """Directories listed above what is in them, as `find` does; then limits that are far too small."""
    entries: list[str] = []
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            above = "/".join(parts[:depth])
            if above not in entries:
                entries.append(above)
    entries.sort(key=lambda path: path.split("/"))
    before = paths_module.MOST_NAMES, paths_module.MOST_DIRECTORIES
    paths_module.MOST_NAMES, paths_module.MOST_DIRECTORIES = names, directories
    try:
        table = paths_module.PathTable()
        for at in range(0, len(entries), 7):
            table.add(entries[at : at + 7])
    finally:
        paths_module.MOST_NAMES, paths_module.MOST_DIRECTORIES = before
    tree = table.tree()
    assert tree.count == len(entries)
    text = " ".join(tree.items(room))
    if text:
        count_again(text, entries)


def test_a_listing_of_any_length_is_held_in_bounded_memory() -> None:
    collector = PathCollector()
    collector.add([f"a/b{number}/c" for number in range(2_000)])
    tracemalloc.start()
    for block in range(20):
        collector.add([f"/data/{block}/{number % 97}/{number % 1_009}/x{number}.json" for number in range(10_000)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000
    digest = collector.digest()
    assert digest is not None
    items, rest = read_tree(joined(digest.statements(2_000)).partition(": ")[2])
    assert digest.statements(500)[0].startswith("[202000 paths: ")
    assert items
    assert rest >= 0


def test_names_of_files_may_hold_blanks_where_their_directory_is_known() -> None:
    paths = [f"lib/part{number % 4}/file_{number}.py" for number in range(60)]
    odd = ["lib/part1/launcher manifest.xml", "lib/part2/script (dev).tmpl"]
    lines = [*paths[:30], odd[0], *paths[30:], odd[1], "lib/part3/file_3.py is not there"]
    tree = "\n".join(digest_of(lines, 20).statements(4_000))
    assert tree.startswith("[62 paths: lib/"), tree
    assert all(path.rpartition("/")[2] in tree for path in odd)


def test_a_text_of_which_only_the_beginning_is_a_listing_is_not_told_as_one() -> None:
    collector = PathCollector()
    collector.add([f"src/part/file_{number}.py" for number in range(300)])
    collector.add([f"and then {number} words were said of it" for number in range(3_000)])
    assert collector.digest() is None


@pytest.mark.parametrize("sign", [",", ";", "|"])
def test_rows_of_a_table_with_a_path_in_them_are_no_paths(sign: str) -> None:
    """A tree of them would be one of beginnings of rows, which say nothing."""
    rows = [sign.join((f"2026-01-{n % 28 + 1:02}", f"src/part{n % 3}/m{n}.py", "ok", f"{n}")) for n in range(90)]
    assert share_of(rows) < COVERS
    assert share_of([f"src/part{n % 3}/v1,{n}.py" for n in range(90)]) >= COVERS


def test_an_address_before_a_request_is_no_size_of_a_path() -> None:
    lines = [
        f'127.0.0.1 127.0.0.1:80 - [17/Nov/2026:08:38:{n % 60:02}] "GET /shelf-{n}.txt" 200 "-"' for n in range(90)
    ]
    assert share_of(lines) < COVERS


def test_other_columns_beside_a_drawn_tree_are_no_part_of_its_names() -> None:
    """As `findmnt` draws it."""
    lines = ["TARGET          SOURCE   OPTIONS", "/               /dev/vda rw"]
    lines += [f"\u251c\u2500/srv/rack{n:<6} shelf{n:<4} rw,size=16m" for n in range(30)]
    assert joined(digest_of(lines).statements(900)).startswith("30 entries: /srv/")
    assert not any("size" in words for words in digest_of(lines).statements(900))


def test_every_entry_of_a_drawn_tree_is_counted_however_deep_it_is() -> None:
    lines = ["top", *(f"{'   ' * depth}\u2514\u2500 call{depth}" for depth in range(70))]
    lines += [f"\u251c\u2500 other{n}" for n in range(9)]
    assert joined(digest_of(lines).statements(3_000)).startswith("79 entries: ")


def test_what_stands_behind_the_last_list_of_a_directory_is_no_entry_of_it() -> None:
    lists = [line for part in range(12) for line in (f"src/part{part}:", *(f"m{n}.py" for n in range(9)), "")]
    after = ["Then something else was said.", "And more of it,", "in three lines."]
    assert joined(digest_of([*lists, *after]).statements(900)).startswith("108 paths: ")
    assert joined(digest_of([*lists, *after], block=41).statements(900)).startswith("108 paths: ")


@pytest.mark.parametrize(
    "row",
    [
        "-rw-r--r--  2.0 unx {size:8} b- defN 24-Sep-12 14:42 lib/part{at}.py",
        "rw-r--r-- 0/0 {size:6} Jan  1 00:00 1970 part{at}.o",
        "drwxr-xr-x  3.0 unx {size:8} bx stor 24-Sep-12 14:42 lib/part{at}/",
        "{size:6} Thu Dec 22 14:49:44 UTC 2022 lib/part{at}.class",
    ],
)
def test_listings_of_archives_are_trees_with_the_largest_first(row: str) -> None:
    """What `zipinfo`, `ar tv` and `jar tv` list is told as by `ls -l`, whatever stands between mode, size and date."""
    text = "".join(row.format(at=at, size=90_210 if at == 77 else at) + "\n" for at in range(200))
    view = seen(text, 1_500, kind="listing").text
    assert "[200 paths: " in view
    assert ("(90210)" in view) == (row[0] != "d")  # what a directory takes by itself says nothing


def test_modes_and_stages_that_few_files_have_are_shown_with_these() -> None:
    """`git ls-files -s`: what is executable, a link, or in conflict."""
    rows = [f"100644 {at:040x} 0\tlids/part{at}.py\n" for at in range(200)]
    rows[70] = f"100755 {70:040x} 0\tlids/part70.py\n"
    rows[90:91] = [f"100644 {90:040x} {stage}\tlids/part90.py\n" for stage in (1, 2, 3)]
    view = seen("".join(rows), 4_000, kind="listing").text
    assert "[202 paths: " in view
    assert "100755" in view
    assert f"{90:040x} 2\tlids/part90.py" in view


def test_programs_are_listed_as_other_files_are() -> None:
    """`ls -l /usr/bin`: no name has a dot or a slash, and what a link takes says nothing."""
    names = [f"{first}{last}tool" for first in "abcdefghij" for last in "klmnopqrst"]
    rows = [f"-rwxr-xr-x 1 root root {1_000 + at:>8} Nov  6  2024 {name}" for at, name in enumerate(names)]
    rows[40] = "-rwsr-xr-x 1 root root    62672 Nov  6  2024 mount"
    rows[70] = "lrwxrwxrwx 1 root root    54321 Nov  6  2024 vi -> vim"
    view = seen("\n".join(["total 900", *rows, ""]), 1_500).text
    assert "[100 paths: mount (62672), " in view
    assert rows[40] in view
    assert "(54321)" not in view


def test_what_happened_to_a_path_is_told_with_it() -> None:
    """`git status`: a modified file is not a deleted one, and a tree of both would not say which."""
    status = "On branch main\nChanges not staged for commit:\n" + "".join(
        f"\t{'deleted: ' if number % 5 == 0 else 'modified:'}   src/part_{number % 9}/file_{number}.py\n"
        for number in range(150)
    )
    view = seen(status, 4_000).text
    assert "150 paths" not in view
    assert '[120 paths after "modified:": src/' in view
    assert '[30 paths after "deleted:": src/' in view


def test_a_sentence_that_ends_with_a_path_is_no_entry() -> None:
    """What `rsync -avn` says around its list is shown, not counted."""
    lines = ["sending incremental file list", "created directory /tmp/new"]
    lines += [f"site/part{number % 7}/page{number}.html" for number in range(300)]
    lines += ["", "sent 423,821 bytes  received 42,099 bytes  931,840.00 bytes/sec"]
    view = seen("\n".join(lines), 1_000).text
    assert "[300 paths: site/" in view
    assert "931,840.00 bytes/sec" in view


def test_blanks_in_names_at_the_top_are_names_where_there_are_several() -> None:
    lines = [f"My pictures/trip {number % 7}/{number}.png" for number in range(100)]
    assert digest_of([*lines, "all/other.png"]).statements(900)[0].startswith("[101 paths: ")


def drawn(name: str, below: dict[str, list[str]], margin: str = "") -> Iterator[str]:
    """A tree of packages as tools draw it, each with all that it needs, wherever it is needed."""
    for needed in below.get(name, []):
        last = needed == below[name][-1]
        yield f"{margin}{'`-- ' if last else '|-- '}{needed}"
        yield from drawn(needed, below, margin + ("    " if last else "|   "))


@given(
    st.dictionaries(st.integers(0, 11), st.lists(st.integers(1, 5), min_size=1, max_size=3, unique=True), min_size=8)
)
def test_a_tree_of_packages_is_told_as_what_each_needs(steps: dict[int, list[int]]) -> None:
    """19: the same packages again and again are told once, with those right below them, and no other link is."""
    below = {f"p{one} 1.{one}": [f"p{one + step} 1.{one + step}" for step in many] for one, many in steps.items()}
    lines = ["p0 1.0", *drawn("p0 1.0", below)]
    collector = PathCollector()
    collector.add(lines)
    digest = collector.digest()
    if digest is None or "names" not in (said := " ".join(digest.statements(20_000))):
        return
    left_out = f"\n[... {len(lines)} lines]"
    assert false_statements("\n".join(lines) + "\n", said + left_out) == []
    short = " ".join(digest.statements(200))
    assert len(short) <= 200
    assert false_statements("\n".join(lines) + "\n", short + left_out) == []


def test_packages_that_come_again_are_a_graph_and_directories_are_none() -> None:
    needs = {"app": ["p1", "p2"], **{f"p{at}": [f"p{at + 1}", f"p{at + 2}"] for at in range(1, 8)}}
    lines = ["app", *drawn("app", needs)]
    told = " ".join(digest_of(lines).statements(4_000))
    assert "of 9 names, below each: app > p1, p2; p1 > p2, p3; p2 > p3, p4; " in told
    folders = {"top": [f"d{at}" for at in range(9)], **{f"d{at}": ["__init__.py", f"m{at}.py"] for at in range(9)}}
    assert digest_of([*drawn("top", folders)]).statements(4_000)[0].startswith("[27 entries: ")


@pytest.mark.parametrize("before", ["  ", "\t", "* ", "  - "])
def test_paths_in_a_list_are_a_tree_without_their_bullets(before: str) -> None:
    """19: what stands between the lists, such as headings and settings, is no path."""
    lines = [
        "Name: shop",
        "Files:",
        *(before + path for path in LISTED),
        "Scripts:",
        "  [console]",
        "  shop=shop.main:run",
    ]
    told = joined(digest_of(lines).statements(2_000))
    assert told.startswith(f"{len(LISTED)} paths: src/{{part0/{{file0.py, ")
    assert "console" not in told
    view = seen("\n".join(lines) + "\n", 900).text
    assert false_statements("\n".join(lines) + "\n", view) == []


def test_a_folder_that_a_fold_stands_for_is_not_told_again() -> None:
    """19: `vcs/{a.py, cache/}` would say that `cache/` is an entry, where `*/cache/x.pyc 30` counts what is in it."""
    paths = [path for at in range(30) for path in (f"top/d{at}/cache/x.pyc", f"top/d{at}/m{at}.py")]
    told = tree_in(paths, 1_500)
    assert "cache/," not in told
    assert "cache/}" not in told


@pytest.mark.parametrize("budget", [1_500, 4_000])
def test_what_wc_counts_is_a_tree_and_its_sum_is_no_path(budget: int) -> None:
    parts = [f"lids/{one}{two}/{three}" for one in "abcdefg" for two in "hijk" for three in ("", "kept/", "old/")]
    files = [f"{part}{name}.py" for part in parts for name in ("__init__", "shut", "open", "count")]
    text = "".join(f"{at * 37 % 900:>7} {name}\n" for at, name in enumerate(files)) + "  92330 total\n"
    view = seen(text, budget).text
    assert f"[{len(files)} paths: " in view
    assert "92330 total" in view
    assert false_statements(text, view) == []
