"""What `smart` shows of diffs: every changed path, and whole hunks that can still be applied."""

import difflib
import json
import re
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from name_trees import all_items, joined, read_tree
from overspill.cut.smart.diffs import parse_diff
from smart_views import MARKER, seen


def changes_in(view: str) -> dict[str, str]:
    """What the view says of every file that it names; no line of it is longer than 120 characters."""
    found = re.search(r"^\[\d+ files changed: [^\]]*\]$", view, re.MULTILINE)
    assert found
    assert max(map(len, found[0].splitlines())) <= 120
    items, _ = read_tree(joined(found[0].splitlines()).partition(": ")[2])
    return {item.name: item.said for item in all_items(items)}


LIMITS = (1_500, 4_000, 8_000, 16_000)


def git(*arguments: str, at: Path, text: str = "") -> str:
    identity = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "core.autocrlf=false",
    ]
    done = subprocess.run(["git", *identity, *arguments], cwd=at, input=text.encode(), capture_output=True, check=False)
    assert done.returncode == 0, (arguments, done.stderr.decode()[:500])
    return done.stdout.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Modules of Python's own library, changed here and there, renamed, removed and added to."""
    root = tmp_path_factory.mktemp("repository")
    git("init", "-q", at=root)
    library = Path(json.__file__).parent.parent
    names = sorted(path for path in library.glob("[a-p]*.py") if 3_000 < path.stat().st_size < 60_000)[:40]
    for path in names:
        (root / path.name).write_bytes(path.read_bytes())
    (root / "package-lock.json").write_text("{\n" + "".join(f'  "p{n}": "1.0.{n}",\n' for n in range(900)) + "}\n")
    (root / "picture.bin").write_bytes(bytes(range(256)) * 4)
    git("add", "-A", at=root)
    git("commit", "-qm", "Before", at=root)
    random = Random(7)
    for path in names[:30]:
        lines = (root / path.name).read_text("utf-8").split("\n")
        for _ in range(random.randrange(1, 6)):
            at = random.randrange(len(lines))
            lines[at : at + random.randrange(3)] = [f"changed = {random.random()}"] * random.randrange(3)
        (root / path.name).write_text("\n".join(lines), "utf-8")
    git("mv", names[31].name, "renamed.py", at=root)
    git("rm", "-q", names[32].name, at=root)
    (root / "new.py").write_text("def new():\n    return 1\n")
    (root / "no_end.py").write_text("x = 1")
    (root / "package-lock.json").write_text("{\n" + "".join(f'  "p{n}": "2.0.{n}",\n' for n in range(900)) + "}\n")
    (root / names[33].name).chmod(0o755)
    git("add", "-A", at=root)
    git("commit", "-qm", "After", at=root)
    return root


@pytest.fixture(scope="module")
def diff(repository: Path) -> str:
    return git("diff", "-M", "HEAD~1", "HEAD", at=repository)


@pytest.mark.parametrize("limit", LIMITS)
def test_whole_hunks_still_apply(repository: Path, diff: str, limit: int) -> None:
    git("checkout", "-q", "HEAD~1", at=repository)
    try:
        git("apply", "--check", "-", at=repository, text=seen(diff, limit, kind="diff").text)
    finally:
        git("checkout", "-q", "main", at=repository)


def test_a_later_hunk_applies_without_the_ones_before_it(repository: Path, diff: str) -> None:
    """Its gap is marked above the file, where it is skipped."""
    found = parse_diff(diff)
    # Which lines these are differs from Python to Python; a long hunk would not fit beside the names of all files.
    several = [file for file in found.files if len(file.hunks) > 3]
    file = min(several, key=lambda file: file.hunks[-1].end - file.hunks[-1].start)
    wanted = diff[file.hunks[-1].start : file.hunks[-1].end]
    line = next(line for line in wanted.splitlines()[1:] if line.startswith("+changed"))
    view = seen(diff, 1_800, kind="diff", focus=line[1:])
    assert wanted in view.text
    assert any(gap.above >= 0 for gap in view.cut.gaps)
    git("checkout", "-q", "HEAD~1", at=repository)
    try:
        git("apply", "--check", "-", at=repository, text=view.text)
    finally:
        git("checkout", "-q", "main", at=repository)


@pytest.mark.parametrize("limit", LIMITS[1:])
def test_every_changed_path_is_named_with_its_counts(repository: Path, diff: str, limit: int) -> None:
    said = git("diff", "-M", "--numstat", "HEAD~1", "HEAD", at=repository)
    changes = changes_in(seen(diff, limit, kind="diff").text)
    for row in said.splitlines():
        added, removed, path = row.split("\t")
        if "=>" not in path and added.isdigit():
            counts = " ".join([f"+{added}"] * (added != "0") + [f"-{removed}"] * (removed != "0"))
            assert changes[path].startswith(counts), path
    told = " ".join(changes.values())
    assert "renamed from" in told
    assert "deleted" in told
    assert "mode 100755" in told


def test_files_that_tools_write_come_last(diff: str) -> None:
    view = seen(diff, 8_000, kind="diff").text
    assert "+changed" in view
    assert '"2.0.' not in view


@pytest.mark.parametrize("limit", LIMITS)
def test_nothing_of_a_diff_is_altered_and_the_marks_add_up(diff: str, limit: int) -> None:
    view = seen(diff, limit, kind="diff")
    assert len(view.text) <= limit
    for start, end in view.kept:
        assert all(line in view.text for line in diff[start:end].splitlines())
    counts = MARKER.findall(view.text)
    assert sum(int(chars) for _, chars in counts) == len(diff) - view.shown.chars


def test_two_hundred_files_are_all_named() -> None:
    text = "".join(
        f"diff --git a/src/part{n // 20}/module_{n}.py b/src/part{n // 20}/module_{n}.py\n"
        f"index 1111111..2222222 100644\n--- a/src/part{n // 20}/module_{n}.py\n+++ b/src/part{n // 20}/module_{n}.py\n"
        "@@ -1,3 +1,3 @@\n one\n-two\n+three\n four\n"
        for n in range(200)
    )
    changes = changes_in(seen(text, 8_000, kind="diff").text)
    assert all(changes[f"src/part{n // 20}/module_{n}.py"] == "+1 -1" for n in range(200))


def test_commits_are_shown_with_their_hunks_or_named(repository: Path) -> None:
    log = git("log", "-p", at=repository)
    view = seen(log, 3_000, kind="diff").text
    assert "After" in view
    assert "Before" in view


def test_svn_and_plain_diffs_are_read(diff: str) -> None:
    svn = "".join(
        f"Index: trunk/f{n}.c\n{'=' * 67}\n--- trunk/f{n}.c\t(revision 1)\n+++ trunk/f{n}.c\t(working copy)\n"
        f"@@ -1,2 +1,2 @@\n-a{n}\n+b{n}\n c\n"
        for n in range(60)
    )
    assert changes_in(seen(svn, 3_000, kind="diff").text)["trunk/f59.c"] == "+1 -1"
    plain = "".join(
        f"--- old/f{n}\n+++ new/f{n}\n@@ -1,1 +1,2 @@\n--- looks like a header\n+++ so does this\n+x\n"
        for n in range(60)
    )
    found = parse_diff(plain)
    assert len(found.files) == 60
    assert {(hunk.added, hunk.removed) for file in found.files for hunk in file.hunks} == {(2, 1)}


pieces = st.sampled_from(
    [
        "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "@@ -1,2 +1,3 @@\n", "@@ -1 +1 @@ f\n", " same\n", "-old\n",
        "+new\n", "\\ No newline at end of file\n", "commit 0123456789abcdef\n", "\n", "rename from y\n", "Index: z\n",
        "Binary files a/x and b/x differ\n", "@@@ -1,2 -1,2 +1,3 @@@\n", "... [3 lines / 4 chars omitted] ...\n",
        "t\r\n",
    ]
)  # fmt: skip


@given(st.lists(pieces, min_size=1, max_size=200).map("".join), st.integers(64, 3_000))
def test_all_of_any_diff_belongs_to_one_part_and_its_view_holds_the_promises(text: str, limit: int) -> None:
    found = parse_diff(text)
    parts = sorted([*((file.start, file.end) for file in found.files), *found.others])
    assert "".join(text[start:end] for start, end in parts) == text
    if len(text) > limit:
        view = seen(text, limit, kind="diff")
        assert 0 < len(view.text) <= limit
        shown = sum(end - start for start, end in view.kept)
        assert shown == view.shown.chars
        assert view.text == seen(text, limit, kind="diff").text


@pytest.mark.parametrize("limit", [350, 500, 700])
def test_a_budget_for_less_than_a_hunk_still_names_files_and_shows_a_piece(diff: str, limit: int) -> None:
    view = seen(diff, limit, kind="diff").text
    assert len(view) <= limit
    assert "diff --git" in view
    assert re.search(r"\d+ files changed: ", view)


LINES = st.lists(
    st.sampled_from(["x = 1", 'say("a, b; c")', "# it's so", "return y, z", "é = 2"]), min_size=1, max_size=4
)


@given(st.lists(st.tuples(LINES, LINES), min_size=3, max_size=60), st.integers(700, 5_000))
def test_short_hunks_that_are_not_shown_are_told_by_what_they_change(
    changes: list[tuple[list[str], list[str]]], room: int
) -> None:
    """19: of many small changes each says more than what stands around a few of them; nothing told is not so."""
    text = "".join(
        f"diff --git a/src/m{at}.py b/src/m{at}.py\n--- a/src/m{at}.py\n+++ b/src/m{at}.py\n"
        f"@@ -7,{len(old) + 2} +{at + 7},{len(new) + 2} @@ def turn_{at}():\n     before it\n"
        + "".join(f"-    {line}\n" for line in old)
        + "".join(f"+    {line}\n" for line in new)
        + "     behind it\n"
        for at, (old, new) in enumerate(changes)
    )
    view = seen(text, room).text
    assert len(view) <= max(room, len(text))
    assert [*false_statements(text, view, "diff")] == []


def test_all_small_changes_are_told_where_that_takes_less_than_the_room() -> None:
    text = "".join(
        f"--- a/src/m{at}.py\n+++ b/src/m{at}.py\n@@ -1,4 +1,5 @@\n one of {at}\n two\n+turn_{at}()\n three\n four\n"
        f"@@ -40,3 +41,3 @@\n six\n-old_{at} = 1\n+new_{at} = 1\n seven\n"
        for at in range(60)
    )
    view = seen(text, 6_000).text
    assert all(f"+turn_{at}()" in view and f"+new_{at} = 1" in view for at in range(60))
    assert "src/m59.py:1 +turn_59(); :41 -old_59 = 1; +new_59 = 1" in view
    assert [*false_statements(text, view, "diff")] == []
    false = view.replace("+turn_59(); :41", "+turn_59(); :42")
    assert [*false_statements(text, false, "diff")] != []


def test_a_file_is_called_as_it_is_called_now() -> None:
    """`diff -u a b` and formatters name two files, and git the same one twice."""
    hunk = "@@ -1,2 +1,2 @@\n-one\n+two\n three\n"
    paths = [file.path for file in parse_diff(f"--- original/src/a.py\n+++ fixed/src/a.py\n{hunk}").files]
    paths += [file.path for file in parse_diff(f"diff -u b/x.c b/x.c\n--- b/x.c\n+++ b/x.c\n{hunk}").files]
    paths += [file.path for file in parse_diff(f"--- a/gone.py\n+++ /dev/null\n{hunk}").files]
    assert paths == ["fixed/src/a.py", "x.c", "gone.py"]


def pages(word: str) -> dict[str, list[str]]:
    """Files of which some lines hold a word."""
    return {
        f"docs/page{number}.txt": [
            f"{word if at % 40 == number else 'plain'} line {at} of {number}" for at in range(120)
        ]
        for number in range(12)
    }


def plain_diff(old: list[str], new: list[str]) -> str:
    changed = [at for at, (one, other) in enumerate(zip(old, new, strict=True), 1) if one != other]
    return "".join(f"{at}c{at}\n< {old[at - 1]}\n---\n> {new[at - 1]}\n" for at in changed)


def test_hunks_of_a_diff_without_context_are_shown_whole_with_the_command_above_them() -> None:
    old, new = pages("old"), pages("new")
    text = "".join(f"diff -r a/{path} b/{path}\n{plain_diff(old[path], new[path])}" for path in old)
    view = seen(text, 2_000).text
    assert all(f"diff -r a/{path} b/{path}\n" in view for path in old)
    assert view.count("\n---\n") == view.count("\n< old") == view.count("\n> new") >= 12
    assert not re.search(r"(?m)^\[\d+x ~?[<>]", view)


def test_hunks_of_a_context_diff_are_shown_whole_with_their_header() -> None:
    old, new = pages("old"), pages("new")
    text = "".join(
        line if line.endswith("\n") else f"{line}\n"
        for path in old
        for line in difflib.context_diff(old[path], new[path], f"a/{path}", f"b/{path}", lineterm="")
    )
    view = seen(text, 4_000).text
    hunks = view.split("***************\n")[1:]
    assert len(hunks) >= 8
    assert all(re.search(r"(?m)^! old", hunk) and re.search(r"(?m)^! new", hunk) for hunk in hunks)
    assert "x ~" not in view


def test_lines_that_hunks_quote_again_and_again_are_not_told_as_alike() -> None:
    quoted = [f" {'abcdefgh'[at]} is what stands around it" for at in range(6)]
    hunk = "@@ -1,7 +1,7 @@\n{0}\n-take {1}\n+take {2}\n{3}\n"
    text = "".join(
        f"# change {at} of the quay survived\n--- quay.py\n+++ quay.py\n"
        + hunk.format("\n".join(quoted[:3]), at, at + 1, "\n".join(quoted[3:]))
        for at in range(40)
    )
    view = seen(text, 2_000).text
    assert "stands around it]" not in view
    assert "[40x ~# change {0..39} of the quay survived]" in view
    assert not [*false_statements(text, view, "text")]


@pytest.mark.parametrize("budget", [1_500, 2_000])
def test_beside_the_names_of_many_files_stands_a_whole_hunk(budget: int) -> None:
    """Of what a formatter would change in many files their names took the room, and a piece of a hunk is no patch."""
    hunk = (
        "@@ -1,16 +1,16 @@\n a\n"
        + "".join(f"-    local word_{n}=lid\n+  local word_{n}=lid\n" for n in range(14))
        + " z\n"
    )
    draw = Random(7)
    names = ["".join(draw.choices("abcdefghijklmnop", k=12)) for _ in range(70)]
    text = "".join(f"--- {name}.orig\n+++ {name}\n{hunk}" for name in names)
    view = seen(text, budget, kind="diff").text
    assert hunk in view
    assert false_statements(text, view, "diff") == []
