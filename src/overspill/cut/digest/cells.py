r"""Cells that hold more than a value: long texts, told by how they begin; things in things, told as one tree.

A text of several lines is told by the first that is not blank, a long line by its beginning: messages of commits and
chats, bodies of issues, cells of notebooks. Programs that cannot write a line end in a string write a text as a list of
its lines; that is the same text.

>>> texts = FirstLines()
>>> texts.add(["Mend the lid\n\nIt fell off.", "Paint it"])
>>> texts.list_of("message").within(90)
'[message, first lines: "Mend the lid", "Paint it"]'

Files in folders, layers of a drawing and parts of a page come as objects that hold lists of their like. Their columns,
a level each, say which names there are and not what is in what. So they are told by the names of those that hold no
others.

>>> nested = NestedNames()
>>> nested.add([{"name": "src", "children": [{"name": "cut", "children": [{"name": "a.py"}, {"name": "b.py"}]}]}])
>>> nested.statement(90)
'[2 leaves by name, below children: src/cut/{a.py, b.py}]'
"""

from __future__ import annotations

from itertools import chain, repeat

from overspill._lite import TYPE_CHECKING
from overspill.core.spans import floor
from overspill.cut.digest import counts_of
from overspill.cut.digest.names import DEEPEST, NameTree
from overspill.cut.digest.nodes import LONGEST
from overspill.cut.digest.templates import masked_lines
from overspill.cut.digest.values import LONGEST_VALUE, json_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

LONGEST_LINE = 100  # characters that are told of one
MOST_FIRST_LINES = 4_000  # different ones
FEWEST_OF_FORM = 4  # lines that are alike, on average
MOSTLY = 0.8  # of the lines begin with signs: they are no words
SENTENCES = 0.5  # of the lines have a blank in them: ids, addresses and packed data are no texts

CALLED = ("name", "title", "label", "text", "path", "id")  # what a thing may be called, the most telling first
MOST_LEAVES, FEWEST_LEAVES = 50_000, 12


class FirstLines:
    """Counts the lines that texts begin with."""

    def __init__(self) -> None:
        self.counts: dict[str, int] | None = {}  # None: they are too many
        self._texts = self._long = 0

    def add(self, texts: Sequence[str], times: int = 1) -> None:
        """Take the next texts, each so many times."""
        self._texts += len(texts) * times
        self._long += sum(map(is_long, texts)) * times
        if self.counts is not None:
            for line, count in counts_of(filter(None, map(first_line, texts))).items():
                self.counts[line] = self.counts.get(line, 0) + count * times
            self.counts = self.counts if len(self.counts) <= MOST_FIRST_LINES else None

    def list_of(self, path: str, least: float = 0.5) -> PhraseList | None:
        """What can be told of the column that a way leads to; None where fewer are long, or they are no texts."""
        counts = self.counts
        if (
            not counts
            or self._long < least * self._texts
            or sum(" " in line for line in counts) < SENTENCES * len(counts)
        ):
            return None
        begins = (line.lstrip("# ").split(" ", 1)[0] for line in counts)  # of headings, what is behind their mark
        signs = sum(not any(map(str.isalnum, begin)) for begin in begins)
        if (forms := _forms(counts)) is not None:
            return phrases_alike(f"{path}, first lines", forms)
        return (
            PhraseList(f"{path}, first lines", counts) if signs < MOSTLY * len(counts) else None
        )  # `@@ -1,9 +1,8 @@` says nothing


def _forms(counts: Mapping[str, int]) -> dict[str, int] | None:
    """How many lines are like each that is the first of its form, words with a digit aside; None where few are alike.

    >>> _forms({f"epoch 0 loss 0.{n}": 1 for n in range(9)}), _forms({"Mend the lid": 1, "Paint it": 1})
    ({'epoch 0 loss 0.0': 9}, None)
    """
    if any(line.endswith("...") for line in counts):  # whose ends are not known
        return None
    forms: dict[str, tuple[str, int]] = {}
    for form, (line, count) in zip(masked_lines([*counts]), counts.items(), strict=True):
        first, number = forms.get(form, (line, 0))
        forms[form] = first, number + count
    few = FEWEST_OF_FORM * len(forms) <= len(counts)
    return dict(forms.values()) if few else None


def is_long(text: str) -> bool:
    """Whether a text is not told as a value."""
    return len(text) > LONGEST_VALUE or "\n" in text.rstrip("\n")


def first_line(text: str) -> str:
    r"""The first line of a text that is not blank, or its beginning, with three dots behind it; nothing if all are.

    >>> first_line("\n  a b\nc"), len(first_line("x y " * 90))
    ('a b', 103)
    """
    line = text.lstrip().split("\n", 1)[0].rstrip()
    return line if len(line) <= LONGEST_LINE else f"{line[: floor(line, LONGEST_LINE)]}..."


def are_written_in_lines(lists: Sequence[list[object]]) -> bool:
    r"""Whether each of these lists is a text: strings that end with a line end, the last of a list apart.

    >>> are_written_in_lines([["a\n", "b"], ["c"]]), are_written_in_lines([["a", "b"], ["c"]])
    (True, False)
    """
    lines = [*chain.from_iterable(lists)]
    if {*map(type, lines)} != {str}:
        return False
    inner = [*chain.from_iterable(one[:-1] for one in lists)]
    return bool(inner) and all(map(str.endswith, inner, repeat("\n")))  # type: ignore[arg-type]  # strings


def phrases_alike(path: str, counts: Mapping[str, int]) -> PhraseList:
    """Phrases that many are like: as of all values, the rare ones first."""
    return PhraseList(f"{path} alike", dict(sorted(counts.items(), key=lambda one: one[1])))


class PhraseList:
    """Phrases in their order, each with how many there are: `[msg alike: "no more jobs", "job 3 took 9 ms" 412]`."""

    def __init__(self, label: str, counts: Mapping[str, int]) -> None:
        words = ((json_word(value), count) for value, count in counts.items())
        self._entries = [f"{word} {count}" if count > 1 else word for word, count in words]
        self._begin = f"[{label}: "

    @property
    def width(self) -> int:
        """In how many characters all are told."""
        return len(self._begin) + sum(len(entry) + 2 for entry in self._entries)

    def within(self, room: int) -> str:
        """As many as there is room for, by turns from the beginning and from the end."""
        left = room - len(self._begin) - len(f"+{len(self._entries)}]")
        first, after = 0, len(self._entries)
        while first < after:
            early = first <= len(self._entries) - after
            left -= len(self._entries[first if early else after - 1]) + 2
            if left < 0:
                break
            first, after = (first + 1, after) if early else (first, after - 1)
        more = [f"+{after - first}"] if after > first else []
        told = [*self._entries[:first], *self._entries[after:], *more]
        return f"{self._begin}{', '.join(told)}]" if len(told) > len(more) else ""


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
                if self._number > MOST_LEAVES or not path[-1]:  # a thing without a name
                    self.key = ""
                    break

    @property
    def are_told(self) -> bool:
        """Whether there is a tree to tell."""
        return bool(self.key and self._name) and self._number >= FEWEST_LEAVES

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
    some = [*rows, *(one for row in rows[:FEWEST_LEAVES] for one in _held(row, key))]
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
