"""Things in things: files in folders, layers of a drawing, parts of a page, as objects that hold lists of their like.

Their columns, a level each, say which names there are and not what is in what. So they are told as one tree, by the
names of those that hold no others.

>>> nested = NestedNames()
>>> nested.add([{"name": "src", "children": [{"name": "cut", "children": [{"name": "a.py"}, {"name": "b.py"}]}]}])
>>> nested.statement(90)
'[2 leaves by name, below children: src/cut/{a.py, b.py}]'
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.cut.digest.names import DEEPEST, NameTree
from overspill.cut.digest.nodes import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

CALLED = ("name", "title", "label", "text", "path", "id")  # what a thing may be called, the most telling first
MOST = 50_000  # leaves
FEWEST = 12


class NestedNames:
    """Counts the leaves of rows that hold rows like themselves, by the names that lead to them."""

    def __init__(self) -> None:
        self.key: str | None = None  # under which rows hold others; "" where they do not
        self._name = ""
        self._paths: dict[tuple[str, ...], int] = {}
        self._number = 0

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Take the next rows; by the first it is seen whether they hold their like."""
        if self.key is None:
            self.key = _key_in(rows)
            self._name = next((name for name in CALLED if self.key and _are_called(rows, self.key, name)), "")
        if self.key and self._name:
            for path in _leaves(rows, self.key, self._name):
                self._paths[path] = self._paths.get(path, 0) + 1
                self._number += 1
                if self._number > MOST or not path[-1]:  # a thing without a name
                    self.key = ""
                    break

    @property
    def are_told(self) -> bool:
        """Whether there is a tree to tell."""
        return bool(self.key and self._name) and self._number >= FEWEST

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of rows that the tree tells."""
        return self._name, self.key or ""

    def statement(self, room: int) -> str:
        """As many of them as there is room for."""
        tree = NameTree()
        for path, count in self._paths.items():
            if any("/" in name for name in path):  # which would be taken for what leads to it
                tree.add_names(tree.root, {}, count)
            else:
                tree.add([*(f"{name}/" for name in path[:-1]), path[-1]], count)
        begin = f"[{self._number} leaves by {self._name}, below {self.key}: "
        items = tree.items(room - len(begin) - 1)
        return f"{begin}{' '.join(items)}]" if items and not items[0].startswith("+") else ""


def _key_in(rows: Sequence[dict[str, Any]]) -> str:
    """Under which key rows hold objects that hold others under it; nothing where none does."""
    for row in rows:
        for key in row:
            if any(_held(one, key) for one in _held(row, key)):
                return key
    return ""


def _held(row: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects that an object holds, if it holds nothing else under a key."""
    held = row.get(key)
    return held if type(held) is list and {*map(type, held)} == {dict} else []


def _are_called(rows: Sequence[dict[str, Any]], key: str, name: str) -> bool:
    """Whether rows, and what the first of them hold, have a short text under a name."""
    some = [*rows, *(one for row in rows[:FEWEST] for one in _held(row, key))]
    return all(type(called := row.get(name)) is str and 0 < len(called) <= LONGEST for row in some)


def _leaves(rows: Sequence[dict[str, Any]], key: str, name: str) -> Iterator[tuple[str, ...]]:
    """The names that lead to each thing that holds no other; an empty one behind them where a thing has no name."""
    waiting = [(row, ()) for row in reversed(rows)]
    while waiting:
        row, above = waiting.pop()
        called = row.get(name)
        path: tuple[str, ...] = (*above, called if type(called) is str else "")
        held = _held(row, key)
        if not held or not path[-1] or len(path) >= DEEPEST:
            yield path
        waiting += ((one, path) for one in reversed(held) if path[-1] and len(path) < DEEPEST)  # type: ignore[misc]
