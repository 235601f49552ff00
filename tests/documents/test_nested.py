"""What `smart` tells of things in things: files in folders, layers of a drawing, as tool servers answer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill import MemoryStore, Overspill

WORDS = "lid box shelf rope tide pier deck mast sail hull keel bow stern knot".split()  # noqa: SIM905  # reads best


def folder(name: str, depth: int) -> dict[str, Any]:
    """As servers of files answer."""
    if not depth:
        return {"name": f"{name}.py", "type": "file"}
    number = 3 + len(name) % 4
    inside = [folder(WORDS[(at * 5 + depth * 3 + len(name)) % 14], depth - 1 if at % 3 else 0) for at in range(number)]
    return {"name": name, "type": "directory", "children": inside}


def files(node: dict[str, Any], above: str = "") -> list[str]:
    return [path for one in node.get("children", ()) for path in files(one, f"{above}{node['name']}/")] or [
        f"{above}{node['name']}"
    ]


def view(document: object, budget: int) -> str:
    """What a model sees of it, which is true."""
    text = json.dumps(document, indent=1)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=budget).text
    assert false_statements(text, shown, "json") == []
    return shown


def statement(shown: str) -> str:
    parsed = json.loads(shown)
    rows = parsed if isinstance(parsed, list) else parsed["children"]
    return next(words for words in rows if isinstance(words, str) and " leaves by " in words)


@pytest.mark.parametrize("rooted", [False, True])
def test_files_in_folders_are_told_as_one_tree(rooted: bool) -> None:
    """They were told by columns, a level each: `children.children.name`, and nothing said what was in what."""
    rows = [folder(name, 4) for name in WORDS[:5]]
    shown = view({"name": "root", "children": rows} if rooted else rows, 6_000)
    told = statement(shown)
    paths = [path for row in rows for path in files(row)]
    assert told.startswith(f"[{len(paths)} leaves by name, below children: ")
    assert "children.children" not in shown
    assert sum(row["name"] + "/" in told for row in rows) == len(rows)


def test_a_false_tree_is_found() -> None:
    rows = [folder(name, 3) for name in WORDS[:5]]
    text = json.dumps(rows, indent=1)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=3_000).text
    told = statement(shown)
    number = int(told[1 : told.index(" ")])
    for wrong in (told.replace(f"[{number}", f"[{number + 1}"), told.replace("lid", "lit", 1)):
        assert false_statements(text, shown.replace(json.dumps(told)[1:-1], json.dumps(wrong)[1:-1]), "json")


names = st.sampled_from([*WORDS, "a b", "x/y", "", "*", "{q}", '"', "\u2028", "7", "..."])
leaves = st.fixed_dictionaries({"name": names}) | st.fixed_dictionaries({"name": names, "parts": st.just([])})
nodes: st.SearchStrategy[Any] = st.recursive(
    leaves | st.just({"kind": 3}),
    lambda inner: st.fixed_dictionaries({"name": names, "parts": st.lists(inner, max_size=6)}),
    max_leaves=40,
)


@given(rows=st.lists(nodes, min_size=3, max_size=12), budget=st.integers(300, 3_000))
def test_whatever_holds_what_the_tree_is_true(rows: list[Any], budget: int) -> None:
    view([{"name": "top", "parts": [{"name": "deep", "parts": rows}]}, *rows], budget)


def listed_folder(name: str, depth: int) -> list[Any]:
    """As `ncdu` writes them: a folder is a list, first what it is called itself."""
    number = 3 + len(name) % 4
    files = [{"name": f"{name}{WORDS[at]}.py", "size": at * 7 + depth} for at in range(number)]
    inside = [listed_folder(WORDS[(at * 5 + depth) % 14], depth - 1) for at in range(number if depth else 0)]
    return [{"name": name, "size": 4_096}, *files, *inside]


@pytest.mark.parametrize("budget", [1_200, 3_000, 8_000])
def test_lists_in_lists_are_told_once_whatever_their_depth(budget: int) -> None:
    """`[].name` is what is called so in any of them: said level by level, nobody could tell one from another."""
    shown = json.loads(view(listed_folder("hold", 4), budget))
    told = [one for one in shown if isinstance(one, str) and one.startswith("[[].name: ")]
    assert len(told) == 1
