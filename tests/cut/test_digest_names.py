"""The tree of names: every number in it is counted again from its entries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from name_trees import count_again, joined, read_tree
from overspill.cut.digest.names import NameTree, path_parts, tree_of_names
from overspill.cut.digest.survey import survey_of

PARTS = st.sampled_from(
    ["a", "b", "src", "lib", "x.py", "y.py", "z.py", "README", "a b", "c,d", "{e}", "f*", "+4", "g 3"]
)
PATHS = st.lists(PARTS, min_size=1, max_size=5).map("/".join)
MANY_PATHS = st.lists(
    st.one_of(PATHS, PATHS.map(lambda path: f"/{path}"), PATHS.map(lambda path: f"{path}/")), max_size=60
)
CROWDS = st.lists(
    st.tuples(st.sampled_from(["l", "l/m", "k/l", ""]), st.integers(0, 40), st.sampled_from(["t.po", "n.txt"]))
)


def tree_of(paths: list[str]) -> NameTree:
    tree = NameTree()
    for path in paths:
        tree.add(path_parts(path))
    return tree


@given(MANY_PATHS, CROWDS, st.integers(0, 600))
def test_every_number_of_a_tree_is_what_counting_gives(
    paths: list[str], crowds: list[tuple[str, int, str]], room: int
) -> None:
    entries = [path for path in paths if path.strip("/")]
    for top, many, name in crowds:
        entries += [f"{top}/d{number}/{name}" for number in range(many)]
        entries += [f"{top}/e{number}.{name}" for number in range(many)]
    tree = tree_of(entries)
    text = " ".join(tree.items(room))
    assert len(text) <= room
    assert tree.count == len(entries)
    if text:
        count_again(text, entries)


@given(MANY_PATHS, st.integers(60, 900))
def test_a_statement_stays_within_its_room_and_joins_to_the_tree(paths: list[str], room: int) -> None:
    entries = [path for path in paths if path.strip("/")]
    lines = tree_of(entries).lines(f"{len(entries)} paths", room)
    assert sum(len(line) + 1 for line in lines) <= room
    if lines:
        label, _, text = joined(lines).partition(": ")
        assert label == f"{len(entries)} paths"
        count_again(text, entries)


def test_there_is_a_statement_for_every_room_that_holds_one() -> None:
    tree = tree_of([f"src/part{number % 23}/{'x' * (number % 31)}{number}.py" for number in range(900)])
    told = [sum(map(len, tree.lines("900 paths", room))) for room in range(100, 6_000, 7)]
    assert min(told) > 0
    assert all(chars > room - 330 for chars, room in zip(told, range(100, 6_000, 7), strict=True))


def named(text: str) -> int:
    """How many names a tree says."""

    def inside(items: list) -> int:  # type: ignore[type-arg]
        return sum(1 + inside(item.inside or []) for item in items)

    return inside(read_tree(text)[0]) if text else 0


@given(MANY_PATHS, st.integers(20, 300), st.integers(0, 300))
def test_more_room_tells_at_least_as_much(paths: list[str], room: int, more: int) -> None:
    tree = tree_of([path for path in paths if path.strip("/")])
    assert named(" ".join(tree.items(room))) <= named(" ".join(tree.items(room + more)))


def test_every_directory_is_named_before_second_examples() -> None:
    entries = [f"src/{directory}/{name}.py" for directory in "abcdefgh" for name in ("one", "two", "three", "four")]
    tree = tree_of(entries)
    for room in range(20, 400):
        text = " ".join(tree.items(room))
        seconds = "one.py, two.py" in text
        assert not seconds or all(f"{directory}/" in text for directory in "abcdefgh"), text
    assert "src/{a/{one.py, two.py, three.py, four.py}, b/{" in text


def test_single_chains_are_joined() -> None:
    text = " ".join(tree_of(["a/b/c/d.py", "a/b/c/e.py", "x/y/z.py"]).items(100))
    assert text == "a/b/c/{d.py, e.py}, x/y/z.py"


def test_a_directory_that_is_listed_itself_is_not_named_twice() -> None:
    text = " ".join(tree_of(["usr", "usr/bin", "usr/bin/a", "usr/bin/b", "usr/lib", "usr/lib/c"]).items(100))
    assert text == "usr/{bin/{a, b}, lib/c}"


def test_base_names_that_occur_in_many_directories_fold() -> None:
    entries = [f"conf/locale/l{number}/LC_MESSAGES/django.po" for number in range(140)]
    text = " ".join(tree_of([*entries, "conf/app.py", "README"]).items(80))
    assert "locale/*/LC_MESSAGES/django.po 140" in text
    count_again(text, [*entries, "conf/app.py", "README"])


def test_files_that_end_alike_fold_in_their_directory() -> None:
    entries = [*(f"icons/{number}-x.svg" for number in range(300)), "icons/index.theme", "icons/sub/cache"]
    text = " ".join(tree_of(entries).items(60))
    assert "*-x.svg 300" in text or "*.svg 300" in text
    count_again(text, entries)


def test_a_fold_is_left_out_where_all_of_its_names_fit() -> None:
    entries = [f"d/f{number:02}.txt" for number in range(25)]
    assert "*" not in " ".join(tree_of(entries).items(1_000))


def test_names_that_could_be_read_as_something_else_stand_in_quotes() -> None:
    entries = ["a b/c", "a b/d,e", "x{y}", "+12", "f*"]
    text = " ".join(tree_of(entries).items(200))
    assert '"a b/"{c, "d,e"}' in text
    assert '"x{y}"' in text
    assert '"+12"' in text
    assert '"f*"' in text
    count_again(text, entries)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["tests/a.py::T::x", "tests/a.py::T::y[1/2]", "tests/b.py::z"], "tests/{a.py::T::{x, y[1/2]}, b.py::z}"),
        (["com.acme.ATest.one", "com.acme.ATest.two", "com.acme.BTest.one"], "com.acme.{ATest.{one, two}, BTest.one}"),
        (["users.name", "users.mail", "total"], "users.{name, mail}, total"),
    ],
)
def test_names_are_split_at_what_they_use(names: list[str], text: str) -> None:
    assert " ".join(tree_of_names(names).items(200)) == text


@given(
    st.lists(st.lists(st.sampled_from(["a", "bc", "d_e", "x[1]"]), min_size=1, max_size=4), max_size=40),
    st.integers(0, 300),
)
def test_trees_of_test_ids_are_counted_again(ids: list[list[str]], room: int) -> None:
    names = list(dict.fromkeys("tests/" + "::".join(parts) for parts in ids))
    tree = tree_of_names(names)
    text = " ".join(tree.items(room))
    if text:
        count_again(text, names, ("/", "::"))


def test_parameters_of_one_test_fold() -> None:
    names = [f"tests/test_a.py::test_sum[{number}-{number + 1}]" for number in range(90)]
    text = " ".join(tree_of_names([*names, "tests/test_b.py::test_other"]).items(80))
    assert "test_sum[*] 90" in text
    count_again(text, [*names, "tests/test_b.py::test_other"], ("/", "::"))


def test_a_name_drawn_before_the_fold_that_tells_it_is_counted_once() -> None:
    """Of 21 entries 20 are of one shape; the largest of them is named first, and one is still not named."""
    lines = [f"{90_000 if at == 7 else at}\t./big/tests/test_{chr(97 + at) * 3}_x.py" for at in range(20)]
    lines += ["0\t./big/tests/__init__.py", *(f"{at}\t./other/{chr(97 + at) * 4}.md" for at in range(20))]
    text = "\n".join(lines) + "\n"
    for room in range(100, 900, 20):
        said = survey_of(text).digests[0].statements(room)
        view = "\n".join([*said, text])
        assert false_statements(text, view) == [], said
