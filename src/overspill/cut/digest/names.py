"""One tree for all that has names in levels: paths, ids of tests, dotted names, keys.

>>> tree = NameTree()
>>> for path in ("src/a.py", "src/cut/b.py", "src/cut/c.py", "docs/d.md"):
...     tree.add(path_parts(path))
>>> " ".join(tree.items(100)), " ".join(tree.items(27))
('src/{cut/{b.py, c.py}, a.py}, docs/d.md', 'src/ 3, docs/d.md')

An item is a name, with a count where several entries are it or begin with it; `+N` says how many entries are not named.
`*` stands for what varies in a name that occurs twenty times or more. Names are taken best first: what stands for many
entries and is not deep comes before what stands for few, so that every directory is named before its second example.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import log2

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, in_json
from overspill.cut.digest.nodes import (
    LONGEST,
    MANY,
    ODD_NAME,
    UNMARKED,
    NameFold,
    NameMark,
    NameNode,
    fold_alike,
    fold_names,
    nodes_below,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

DEEPEST = 40  # parts of a name; what is deeper is one part
STEEP = 2.5  # what a level deeper costs, in doublings of the count
LEAF = 1.5  # what a single entry costs more than a directory
AGAIN = 1.2  # what each doubling of the examples of one directory costs
FOLDED = 4.0  # what a name costs that a fold has told
WIDTH = 120
_PLAIN_FOR_TESTS = 0.3

_WITHIN = compile_pattern(r"/|::")


def path_parts(path: str) -> list[str]:
    """A path in parts, each with the slash behind it.

    >>> path_parts("/usr/lib/x.so"), path_parts("build/")
    (['/', 'usr/', 'lib/', 'x.so'], ['build/'])
    """
    parts = path.split("/", DEEPEST)
    last = parts.pop()
    named = [f"{part}/" for part in parts]
    return [*named, last] if last else named


def dotted_parts(name: str) -> list[str]:
    """A dotted name in parts; what stands in brackets is one part."""
    end = min((at for sign in "([ " if (at := name.find(sign)) >= 0), default=len(name))
    parts = name[:end].split(".", DEEPEST)
    parts[-1] += name[end:]
    return [*(f"{part}." for part in parts[:-1]), parts[-1]] if parts[-1] else [name]


def id_parts(name: str) -> list[str]:
    """The id of a test in parts; its parameters belong to the last one.

    >>> id_parts("tests/test_a.py::TestB::test_c[1/2]")
    ['tests/', 'test_a.py::', 'TestB::', 'test_c[1/2]']
    """
    end = min((at for sign in "([ " if (at := name.find(sign)) >= 0), default=len(name))
    parts, at = list[str](), 0
    for sign in _WITHIN.finditer(name, 0, end):
        if sign.end() >= len(name) or len(parts) >= DEEPEST:
            break
        parts.append(name[at : sign.end()])
        at = sign.end()
    return [*parts, name[at:]]


def tree_of_names(names: Iterable[str]) -> NameTree:
    """A tree of distinct names, split at what most of them use: slashes and double colons, or else dots."""
    distinct = list(dict.fromkeys(names))
    nested = sum(1 for name in distinct if "/" in name or "::" in name) >= _PLAIN_FOR_TESTS * len(distinct)
    split = id_parts if nested else dotted_parts
    tree = NameTree()
    for name in distinct:
        tree.add(split(name))
    return tree


class NameTree:
    """Add names in parts, then ask for as many items as there is room for.

    What stands for many entries comes first, or for much of their weight; for weight alone where that is wanted.
    """

    def __init__(self, *, by_weight: bool = False) -> None:
        self._by_weight = by_weight
        self.root = NameNode("", None)
        self._grown = False

    def add(self, parts: list[str], count: int = 1, said: str = "", weight: float = 0.0) -> None:
        """Take entries of one name. One that ends with its separator is a directory."""
        is_leaf = parts[-1][-1:] not in ("/", "") or parts[-1] == "/" * len(parts[-1])
        node = self.node_of(parts[:-1] if is_leaf and len(parts) > 1 else [] if is_leaf else parts)
        if is_leaf:
            node.leaves[parts[-1]] = node.leaves.get(parts[-1], 0) + count
            if said or weight:
                node.marks[parts[-1]] = NameMark(said, weight)
        else:
            node.own += count
            node.said, node.weight = said, weight

    def add_names(self, node: NameNode, names: dict[str, int], others: int = 0) -> None:
        """Take the plain entries of one directory by name, and how many there are besides."""
        node.unnamed += others
        node.own += names.pop("", 0)
        if not node.leaves:
            node.leaves = names
            return
        for name, count in names.items():
            node.leaves[name] = node.leaves.get(name, 0) + count

    def mark(self, parts: list[str], said: str, weight: float, *, heavy: bool = False) -> bool:
        """Say something of an entry that is known by name; whether it is one with nothing below it."""
        node: NameNode | None = self.root
        for part in parts[:-1]:
            node = node.children.get(part) if node is not None else None
        if node is None:
            return False
        if parts[-1] in node.leaves:
            if not node.marks:
                node.marks = {}
            single = f"{parts[-1]}/" not in node.children
            node.marks[parts[-1]] = NameMark(said, weight, heavy and single)
            at: NameNode | None = node if heavy and single else None
            while at is not None:
                at.heavy = True
                at = at.parent
            return single
        if parts[-1] in node.children:
            node.children[parts[-1]].said, node.children[parts[-1]].weight = said, weight
        return False

    def node_of(self, parts: list[str]) -> NameNode:
        """The node that a name in parts leads to, made where there is none."""
        node = self.root
        for part in parts:
            node = self.child_of(node, part)
        return node

    def child_of(self, node: NameNode, part: str) -> NameNode:
        """What is below a node under this label, made where there is none."""
        child = node.children.get(part)
        if child is None:
            child = node.children[part] = NameNode(part, node)
        return child

    @property
    def count(self) -> int:
        """All entries."""
        self._grow()
        return self.root.count

    def items(self, room: int) -> list[str]:
        """The items that take at most `room` characters with a blank between any two; none where there is no room."""
        self._grow()
        sketch = Sketch(self.root, room, by_weight=self._by_weight)
        sketch.draw()
        return sketch.items()

    def lines(self, label: str, room: int) -> tuple[str, ...]:
        """`[label: items]` within `room` characters, line ends included, broken between items."""
        left = room - len(label) - len("[: ]\n")
        left -= 3 * (left // WIDTH)
        while True:
            items = self.items(left)
            if not items:
                return ()
            lines = statement_lines(label, items)
            over = sum(len(line) + 1 for line in lines) - room
            if over <= 0:
                return lines
            left = min(left, len(" ".join(items))) - over

    def _grow(self) -> None:
        """Add up, fold and join what is alone, once all names are known."""
        if self._grown:
            return
        self._grown = True
        nodes = list(nodes_below(self.root))
        for node in reversed(nodes):
            _move_own(node)
            node.count += node.own + node.unnamed + sum(node.leaves.values())
            node.weight = node.weight or (
                sum(mark.weight for mark in node.marks.values()) + sum(child.weight for child in node.children.values())
            )
            node.loose += node.count
            if node.parent is not None:
                node.parent.count += node.count + node.bare
                node.parent.loose += node.count + node.bare
        if self.root.count >= MANY:
            fold_names(nodes)
        _join_chains(self.root)
        whole, weight = self.root.count, self.root.weight
        for node in nodes_below(self.root):
            node.depth = node.parent.depth + 1 if node.parent is not None else 0
            share = node.weight / weight * whole if weight else 0.0
            node.mass = max(0.1, share) if self._by_weight and weight else max(node.loose, share, 1.0)


class TreeStatement:
    """`[label: items]` of a tree, for any room; what was once told in a room is told in it again."""

    def __init__(self, label: str, tree: NameTree) -> None:
        self._label = label
        self._tree = tree
        self._known: dict[int, tuple[int, tuple[str, ...]]] = {}  # by room: what it takes, and the lines

    def lines(self, room: int) -> tuple[str, ...]:
        """As much as fits; at least what was told before and fits."""
        if room not in self._known:
            lines = self._tree.lines(self._label, room)
            self._known[room] = sum(len(line) + 1 for line in lines), lines
        return max(known for known in self._known.values() if known[0] <= room)[1]


class NamesDigest:
    """Distinct names of one sort, such as those of failed tests."""

    share = 1.0

    def __init__(self, names: Iterable[str], noun: str) -> None:
        tree = tree_of_names(names)
        self._statement = TreeStatement(f"{tree.count} {noun}", tree)

    def statements(self, room: int) -> tuple[str, ...]:
        """`[412 failed tests: tests/test_a.py::{test_x, test_y}, +3]`."""
        return self._statement.lines(room)

    def tells(self, _line: str) -> bool:
        """A line says more than the name in it."""
        return False


def statement_lines(label: str, items: Iterable[str]) -> tuple[str, ...]:
    r"""A statement on lines of about 120 characters; each further one begins with `[ `.

    >>> statement_lines("2 paths", ["a" * 100 + ",", "b" * 30])[1]
    '[ bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb]'
    """
    lines, line = list[str](), f"[{label}:"
    for item in items:
        if len(line) + len(item) > WIDTH - 2 and [*lines, line] != [f"[{label}:"]:
            lines.append(line)
            line = "["
        line += f" {item}"
    return (*lines, f"{line}]")


def written_name(name: str) -> str:
    """A name as it stands in a tree: in quotes where it could be read as something else."""
    return in_json(name) if ODD_NAME.search(name) else name


def _move_own(node: NameNode) -> None:
    """A directory that is listed itself, beside what is in it, is one node and not two."""
    for part in node.children:
        leaf = node.leaves.pop(part[:-1], None) if part[-1] == "/" and node.leaves else None
        if leaf is not None:
            child = node.children[part]
            child.bare += leaf
            node.count += leaf
            node.loose += leaf
            mark = node.marks.pop(part[:-1], UNMARKED)
            child.said, child.weight = mark.said, mark.weight or child.weight


def _join_chains(root: NameNode) -> None:
    """What has nothing in it but one directory or one entry is written as one name with it."""
    for node in nodes_below(root):
        for part, child in list(node.children.items()):
            only = child
            while len(only.children) == 1 and not (only.leaves or only.folds or only.unnamed or only.said):
                (below,) = only.children.values()
                below.label = only.label + below.label
                below.above = only.above + only.own + only.bare
                only = below
            if only is not child:
                only.parent = node
                node.children[part] = only
            if only.count == 1 and len(only.leaves) == 1 and not (only.above or only.bare or only.folded):
                del node.children[part]
                (name,) = only.leaves
                node.leaves[only.label + name] = 1
                if name in only.marks:
                    node.marks[only.label + name] = only.marks[name]


class LeafStep(NamedTuple):
    """The next example of a directory."""

    node: NameNode
    names: list[str]
    at: int


class Sketch:
    """A tree as it is drawn, item by item, with what it costs so far."""

    def __init__(self, root: NameNode, room: int, *, by_weight: bool) -> None:
        self._root = root
        self._by_weight = by_weight
        self._room = room
        self._spent = 0
        self._shown: dict[NameNode, list[str | NameNode | NameFold]] = {}
        self._hidden: dict[NameNode, int] = {}  # entries below a node that are not named
        self._covered: dict[NameNode, int] = {}  # entries below a node that a fold stands for
        self._folds: set[int] = set()
        self._steps: list[tuple[float, int, NameNode | NameFold | LeafStep, NameNode]] = []
        self._serial = 0

    def draw(self) -> None:
        """Take what is best as long as there is room."""
        self._open(self._root)
        while self._steps:
            *_, what, node = heappop(self._steps)
            item = what.names[what.at] if isinstance(what, LeafStep) else what
            cost = self._cost(node, item)
            if self._spent + cost > self._room:
                break
            self._spent += cost
            self._shown.setdefault(node, []).append(item)
            self._count(node, item)
            if isinstance(what, LeafStep):
                self._push_leaf(what._replace(at=what.at + 1))
            elif isinstance(what, NameNode):
                self._open(what)

    def items(self) -> list[str]:
        """What was drawn, each item with the comma behind it."""
        return self._inside(self._root) if self._root in self._shown else []

    def _open(self, node: NameNode) -> None:
        """What is in a node may be named from now on."""
        if not node.looked:
            fold_alike(node)
        for child in node.children.values():
            told = FOLDED if child.loose <= 0 and child.folded else 0
            depth = min(child.depth, 1) if child.heavy else child.depth
            self._push(log2(child.mass) - STEEP * depth - told, child, node)
        for fold in node.folds:
            mass = max(0.1, fold.entries * node.mass / node.count)
            self._push(log2(mass) - STEEP * (node.depth + 1), fold, node)
        if node.leaves:
            self._push_leaf(LeafStep(node, _ordered_names(node), 0))

    def _push_leaf(self, step: LeafStep) -> None:
        node, names, at = step
        while at < len(names) and len(names[at]) > LONGEST:
            at += 1
        if at < len(names):
            mark = node.marks.get(names[at], UNMARKED)
            whole, weight = self._root.count, self._root.weight
            share = mark.weight / weight * whole if weight else 0.0
            mass = max(0.1, share) if self._by_weight and weight else max(node.leaves[names[at]], share)
            less = LEAF + AGAIN * log2(at + 1) + (FOLDED if names[at] in node.folded and not mark.said else 0)
            depth = 1 if mark.heavy else node.depth + 1
            self._push(log2(mass) - STEEP * depth - (LEAF if mark.heavy else less), step._replace(at=at), node)

    def _push(self, worth: float, what: NameNode | NameFold | LeafStep, node: NameNode) -> None:
        if isinstance(what, NameNode) and len(what.label) > LONGEST:
            return
        self._serial += 1
        heappush(self._steps, (-worth, self._serial, what, node))

    def _cost(self, node: NameNode, item: str | NameNode | NameFold) -> int:
        """What one more item in a node costs at the most, with what it does to the rest of the node."""
        cost = len(self._written(node, item)) + len(", ")
        if node not in self._shown and node is not self._root:
            cost += len("{}") - len(_counted(node))
        if node not in self._shown:
            cost += len(f", +{node.count}")
        return cost

    def _count(self, node: NameNode, item: str | NameNode | NameFold) -> None:
        """What is named is not hidden any more."""
        if node not in self._hidden:
            self._hidden[node] = node.count - node.own - self._covered.get(node, 0)
        if isinstance(item, NameNode):
            self._hidden[node] -= item.count + item.bare + item.above - self._covered.get(item, 0)
        elif isinstance(item, NameFold):
            self._cover(item)
        else:
            fold = node.folded.get(item)
            if fold is None or id(fold) not in self._folds:
                self._hidden[node] -= node.leaves[item]

    def _cover(self, fold: NameFold) -> None:
        self._folds.add(id(fold))
        for place, count in fold.places:
            at: NameNode | None = place
            told = False
            while at is not None:
                self._covered[at] = self._covered.get(at, 0) + count
                # Who is shown but not opened says all of its entries itself.
                if not told and (at in self._hidden or self._is_shown(at)):
                    told = True
                    if at in self._hidden:
                        self._hidden[at] -= count - (self._named_of(place, fold) if at is place else 0)
                at = at.parent

    def _named_of(self, node: NameNode, fold: NameFold) -> int:
        """How many entries of a fold were named before it, and are not hidden any more."""
        named = (name for name in self._shown.get(node, ()) if isinstance(name, str))
        return sum(node.leaves[name] for name in named if node.folded.get(name) is fold)

    def _is_shown(self, node: NameNode) -> bool:
        return node.parent is None or node in self._shown.get(node.parent, ())

    def _written(self, node: NameNode, item: str | NameNode | NameFold) -> str:
        """An item that nothing is drawn in."""
        if isinstance(item, NameFold):
            return f"{item.label} {item.entries}"
        if isinstance(item, NameNode):
            return written_name(item.label) + _counted(item)
        count, said = node.leaves[item], node.marks.get(item, UNMARKED).said
        return written_name(item) + (f" {count}" if count > 1 else "") + (f" {said}" if said else "")

    def _inside(self, node: NameNode) -> list[str]:
        """The items in a node."""
        items: list[str] = []
        shown = [item for item in self._shown[node] if not self._is_covered(item)] or self._shown[node]
        named = {item for item in shown if isinstance(item, str)}
        for item in shown:
            if isinstance(item, NameNode) and item in self._shown:
                drawn = self._drawn(item)
            elif isinstance(item, NameFold) and _is_spelt_out(node, item, named):
                continue
            else:
                drawn = [self._written(node, item)]
            if items:
                items[-1] += ","
            items += drawn
        if self._hidden[node]:
            items[-1] += ","
            items.append(f"+{self._hidden[node]}")
        return items

    def _is_covered(self, item: str | NameNode | NameFold) -> bool:
        """Whether folds that are drawn stand for all that is in a node, and for the node itself."""
        if not isinstance(item, NameNode) or item in self._shown or item.bare or item.own or item.above or item.said:
            return False
        return 0 < item.count <= self._covered.get(item, 0)

    def _drawn(self, node: NameNode) -> list[str]:
        """A node with what is in it."""
        items = self._inside(node)
        label = written_name(node.label)
        said = f" {node.said}" if node.said else ""
        alone = len(self._shown[node]) == 1 and not self._hidden[node] and not said
        if alone and not label.startswith('"') and not items[0].startswith('"'):
            return [label + items[0], *items[1:]]
        items[0] = f"{label}{{{items[0]}"
        items[-1] += f"}}{said}"
        return items


def _counted(node: NameNode) -> str:
    said = f" {node.said}" if node.said else ""
    return (f" {node.count}" if node.count > 1 else "") + said


def _ordered_names(node: NameNode) -> list[str]:
    """The entries of a node: those with something to say and of weight first, those that a fold tells last."""
    names = list(node.leaves)
    if sum(node.leaves.values()) > len(names):
        names.sort(key=lambda name: -node.leaves[name])
    marks, folded = node.marks, node.folded
    if marks:
        heavy = sorted((name for name in names if name in marks), key=lambda name: -marks[name].weight)
        names = heavy + [name for name in names if name not in marks]
    if folded:
        last = [name for name in names if name in folded and not (name in marks and marks[name].said)]
        told = set(last)
        names = [name for name in names if name not in told] + last
    return names


def _is_spelt_out(node: NameNode, fold: NameFold, named: set[str]) -> bool:
    """Whether all names that a fold stands for are drawn beside it."""
    return (
        len(fold.places) == 1
        and fold.places[0][0] is node
        and all(name in named for name, one in node.folded.items() if one is fold)
    )
