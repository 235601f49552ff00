"""Reads the trees that statements hold, and counts them again: by other means than those that wrote them."""

from __future__ import annotations

import json
import re
from typing import NamedTuple


class Item(NamedTuple):
    """One item of a tree: the whole name it stands for, and what is said of it."""

    name: str
    entries: int | None
    inside: list[Item] | None
    rest: int  # entries of the list inside that are not named
    said: str = ""
    quoted: bool = False


_COUNT = re.compile(r" (\d+)(?=[,}\s]|$)")
_SAID = re.compile(r" ([^,{}]+)(?=[,}]|$)")
_BARE = re.compile(r"[^,{}\s]+")


def joined(lines: tuple[str, ...] | list[str]) -> str:
    """A statement of several lines as one."""
    assert all(line.startswith("[ ") for line in lines[1:])
    text = " ".join([lines[0], *(line.removeprefix("[ ") for line in lines[1:])])
    assert text[0] == "["
    assert text[-1] == "]"
    return text[1:-1]


def read_tree(text: str) -> tuple[list[Item], int]:
    """The items of a tree, and how many entries it does not name."""
    items, rest, end = _read_list(text, 0, "")
    assert end == len(text), text[end:]
    return items, rest


def _read_list(text: str, at: int, prefix: str) -> tuple[list[Item], int, int]:
    items: list[Item] = []
    while True:
        more = re.compile(r"\+(\d+)(?=}|$)").match(text, at)
        if more:
            return items, int(more[1]), more.end()
        item, at = _read_item(text, at, prefix)
        items.append(item)
        if text[at : at + 2] != ", ":
            return items, 0, at
        at += 2


def _read_item(text: str, at: int, prefix: str) -> tuple[Item, int]:
    quoted = text[at] == '"'
    if quoted:
        name, at = json.JSONDecoder().raw_decode(text, at)
    else:
        match = _BARE.match(text, at)
        assert match, text[at:]
        name, at = match[0], match.end()
    inside, rest, count, said = None, 0, None, ""
    if text[at : at + 1] == "{":
        inside, rest, at = _read_list(text, at + 1, prefix + name)
        assert text[at] == "}", text[at:]
        at += 1
    number = _COUNT.match(text, at)
    if number:
        count, at = int(number[1]), number.end()
    words = _SAID.match(text, at)
    if words:
        said, at = words[1], words.end()
    return Item(prefix + name, count, inside, rest, said, quoted), at


def all_items(items: list[Item]) -> list[Item]:
    """The items of a tree and all inside them."""
    return [one for item in items for one in (item, *all_items(item.inside or []))]


def count_again(text: str, entries: list[str], signs: tuple[str, ...] = ("/",)) -> None:
    """Every number of a tree is what counting its entries gives."""
    items, rest = read_tree(text)
    _count_list(items, rest, "", entries, signs, frozenset())


def _count_list(
    items: list[Item], rest: int, prefix: str, entries: list[str], signs: tuple[str, ...], folded: frozenset[str]
) -> None:
    """`folded` are the entries that a fold further up stands for."""
    folds = [item for item in items if "*" in item.name[len(prefix) :] and not item.quoted]
    for item in folds:
        begin, _, end = item.name.rpartition("*")
        same = [e for e in entries if e.startswith(begin) and e.endswith(end) and len(e) > len(begin) + len(end)]
        assert len(same) == item.entries, (item, len(same))
        folded |= frozenset(same)
    left = [entry for entry in entries if entry.startswith(prefix) and entry != prefix and entry not in folded]
    for item in items:
        if item in folds:
            continue
        below = item.inside is not None or item.name.endswith(signs)
        same = [e for e in entries if (e.startswith(item.name) if below else e == item.name)]
        if item.inside is None:
            assert len(same) == (item.entries or 1), (item, len(same))
        else:
            _count_list(item.inside, item.rest, item.name, entries, signs, folded)
        named = set(same) | set(_beginnings(item.name))
        left = [entry for entry in left if entry not in named]
    assert len(left) == rest, (prefix, left[:5], rest)


def _beginnings(name: str) -> list[str]:
    """What a path leads through: `a/b/` names `a`, `a/` and `a/b` as well. `a.py::b` does not name `a.py`."""
    ends = [at for at, sign in enumerate(name) if sign == "/"]
    return [name[:end] for at in ends for end in (at, at + 1)]
