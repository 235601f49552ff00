"""What is said of objects that hold lists of their like: the ends of their tree, by the names above them."""

import re
from collections import Counter
from collections.abc import Iterator

from statements import NotATree, read_tree


def check_leaves(rows: list[object], found: "re.Match[str]") -> str | None:
    """`199 leaves by name, below children: src/{a.py, cut/ 7}, +3`."""
    ends = Counter("/".join(path) for row in rows for path in _ends(row, found["key"], found["name"]))
    if sum(ends.values()) != int(found["number"]):
        return f"there are {sum(ends.values())}"
    try:
        tree = read_tree(found["tree"])
    except NotATree as unread:
        return f"the names cannot be read: {unread}"
    named = [one for top in tree for one in top.walk() if not one.more]
    for one in named:
        if one.inside is None or one.count is not None:
            there = ends[one.name] or sum(count for path, count in ends.items() if _shape(one.name).fullmatch(path))
            if there != (one.count or 1):
                return f"{one.name}: {there}, {one.count or 1} said"
    # What is named beside a shape of which it is one is counted with it.
    shapes = [_shape(one.name) for one in named if "*" in one.name and one.count]
    alone = [one for one in named if one.inside is None and one.count is None]
    again = sum(any(shape.fullmatch(one.name) for shape in shapes) for one in alone)
    total = sum(one.total for one in tree) - again
    return "" if total == int(found["number"]) else f"its entries add up to {total}"


def _shape(name: str) -> "re.Pattern[str]":
    """What a name with stars stands for, or one that ends with a slash."""
    return re.compile(re.escape(name).replace(r"\*", ".*") + (".*" if name.endswith("/") else ""))


def _ends(row: object, key: str, name: str) -> Iterator[tuple[str, ...]]:
    if isinstance(row, dict):
        held = row.get(key)
        if isinstance(held, list) and held:
            yield from ((str(row.get(name)), *path) for one in held for path in _ends(one, key, name))
        else:
            yield (str(row.get(name)),)
