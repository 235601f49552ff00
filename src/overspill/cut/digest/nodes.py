"""What a tree of names is made of: nodes with their entries, folds of names that are alike; an index of names."""

from __future__ import annotations

from itertools import accumulate, islice

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.digest import count_into, counts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST = 300  # characters of a name: a longer one is only counted
MANY = 20  # names that are alike from which on they fold
LEAST_FOLDED = 0.01  # of the entries of a node, below which a fold of it says little
MOST_FOLDS = 400
MOST_LOOKED_AT = 200  # nodes below one
MOSTLY = 0.8  # of them that lie below one node: then they fold there

ODD_NAME = compile_pattern(r'[\s,{}*]|^["+(\[]|^\d+\.\.\d|\.\.\. \[')  # what could be read as something else


class NameMark(NamedTuple):
    """What is said of an entry beside its name, such as its size, and how much it matters."""

    said: str = ""
    weight: float = 0.0
    heavy: bool = False  # one of the heaviest of all: it is named however deep it lies


UNMARKED = NameMark()


class NameNode:
    """What several names begin with."""

    __slots__ = (
        "above", "bare", "children", "count", "depth", "folded", "folds", "heavy", "label", "leaves", "looked", "loose",
        "marks", "mass", "own", "parent", "said", "unnamed", "weight",
    )  # fmt: skip

    def __init__(self, label: str, parent: NameNode | None) -> None:
        self.label = label
        self.parent = parent
        self.children: dict[str, NameNode] = {}
        self.leaves: dict[str, int] = {}  # entries by name
        self.marks: dict[str, NameMark] = {}
        self.own = 0  # entries that are its label
        self.bare = 0  # entries that are its label but for the separator at its end
        self.unnamed = 0  # entries below it whose names are not known
        self.said = ""
        self.heavy = False  # one of the heaviest entries is below it
        self.weight = 0.0
        # What follows from these, when all are known.
        self.count = 0  # entries that begin with it
        self.above = 0  # entries that are what its label begins with
        self.depth = 0
        self.mass = 0.0
        self.folds: list[NameFold] = []
        self.folded: dict[str, NameFold] = {}
        self.loose = 0  # entries that no fold further up stands for
        self.looked = False  # for names in it that end alike


class NameFold(NamedTuple):
    """Names below a node that are alike, and where they are."""

    label: str
    entries: int
    places: tuple[tuple[NameNode, int], ...]


def nodes_below(root: NameNode) -> Iterator[NameNode]:
    """A node and all below it, each before those below it."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children.values()


def fold_names(nodes: list[NameNode]) -> None:
    """Find the names that occur in many directories."""
    if any(node.unnamed for node in nodes):
        return  # which could be any
    named: dict[str, int] = {}
    for node in nodes:
        count_into(named, node.leaves)
    common = {name: count for name, count in named.items() if count >= MANY}
    for node in nodes:
        for part in node.children:
            common.pop(part[:-1], None)
    most = sorted(common, key=lambda name: -common[name])[:MOST_FOLDS]
    holders: dict[str, list[NameNode]] = {name: [] for name in most}
    for node in nodes if holders else ():
        for name in holders.keys() & node.leaves.keys():
            holders[name].append(node)
    for name, nodes_of_name in holders.items():
        _fold_base(name, nodes_of_name, nodes[0])


def _fold_base(name: str, holders: list[NameNode], root: NameNode) -> None:
    """Fold one name that many directories hold, where most of them lie."""
    below: dict[NameNode, int] = {}
    for holder in holders:
        node: NameNode | None = holder
        while node is not None:
            below[node] = below.get(node, 0) + 1
            node = node.parent
    top = root
    while True:
        fullest = max(top.children.values(), key=lambda child: below.get(child, 0), default=None)
        if fullest is None or below.get(fullest, 0) < max(MANY, MOSTLY * below[top]):
            break
        top = fullest
    ways = [(holder, way) for holder in holders if (way := _way_below(top, holder))]
    if sum(1 for holder, _ in ways if holder.marks.get(name, UNMARKED).said) * 2 > len(ways):
        return  # each has something of its own to say
    if len(ways) < max(MANY, LEAST_FOLDED * top.count):
        return
    shared = 0
    shortest = min(len(way) for _, way in ways)
    first = ways[0][1]
    while shared < shortest - 1 and all(way[-1 - shared] == first[-1 - shared] for _, way in ways):
        shared += 1
    signs = {way[-1 - shared][-1:] for _, way in ways}
    sign = signs.pop()
    if signs:
        return
    label = f"*{sign * (2 if sign == ':' else 1)}{''.join(first[len(first) - shared :])}{name}"
    _add_fold(top, label, [(holder, [name]) for holder, _ in ways])


def _way_below(top: NameNode, node: NameNode) -> list[str]:
    """The labels from below one node down to another; none where it does not lie there."""
    way: list[str] = []
    at: NameNode | None = node
    while at is not None and at is not top:
        way.append(at.label)
        at = at.parent
    return way[::-1] if at is not None else []


def fold_alike(node: NameNode) -> None:
    """Fold names of one directory that end alike, or begin alike before a number."""
    node.looked = True
    if len(node.leaves) < MANY or node.unnamed:
        return
    groups: dict[str, list[str]] = {}
    for name, count in node.leaves.items():
        if name not in node.folded and count == 1:
            stem, dot, ending = name.rpartition(".")
            ending = dot + ending if dot and stem else ""
            if name[-1] == "]":  # a test with parameters
                ending = f"{name.partition('[')[0]}[]"
            groups.setdefault(ending or name.rstrip("0123456789"), []).append(name)
    for key, names in groups.items():
        if len(names) < MANY:
            continue
        begin = shared_beginning(names)
        end = key if key.startswith(".") and names[0].endswith(key) else "]" if key.endswith("[]") else ""
        begin = begin[: min(len(name) for name in names) - len(end)]
        if sum(1 for name in names if node.marks.get(name, UNMARKED).said) * 2 > len(names):
            continue  # each has something of its own to say
        if not (begin or end) or any(
            part.startswith(begin) and _holds_ending(child, end) for part, child in node.children.items()
        ):
            continue
        if sum(1 for name in node.leaves if name.startswith(begin) and name.endswith(end)) == len(names):
            _add_fold(node, f"{begin}*{end}", [(node, names)])


def _holds_ending(node: NameNode, end: str) -> bool:
    """Whether an entry below a node ends so, or may: a fold beside it would seem to stand for it too."""
    nodes = list(islice(nodes_below(node), MOST_LOOKED_AT + 1))
    if not end or len(nodes) > MOST_LOOKED_AT or any(one.unnamed for one in nodes):
        return True
    return any(name.endswith(end) for one in nodes for name in one.leaves)


def shared_beginning(names: list[str]) -> str:
    """What all of these begin with."""
    first, last = min(names), max(names)
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return first[:same]


def _add_fold(top: NameNode, label: str, places: list[tuple[NameNode, list[str]]]) -> None:
    counts: list[tuple[NameNode, int]] = []
    if ODD_NAME.search(label.replace("*", "")) or len(label) > LONGEST:
        return
    for node, names in places:
        counts.append((node, sum(node.leaves[name] for name in names)))
    fold = NameFold(label, sum(count for _, count in counts), tuple(counts))
    top.folds.append(fold)
    for (node, names), (_, count) in zip(places, counts, strict=True):
        for name in names:
            node.folded[name] = fold
        at: NameNode | None = node
        while at is not None and at is not top:
            at.loose -= count
            at = at.parent


# ---- an index of names ----

LEAST_OF_KIND = 60  # characters in which something of a kind can be told
FIRST_KINDS = frozenset(  # what is looked for in an index before what is in it
    ("class", "enum", "function", "interface", "method", "module", "procedure", "struct", "trait", "union")
)


class NameIndex:
    """Names by their kinds: `[14 struct names by file: zlib.h: a, b; zutil.h: c]`; what there is few of first."""

    partial = True
    share = 0.9

    def __init__(self, row_of: Callable[[str], object], rows: list[tuple[str, str, str]]) -> None:
        self._row_of = row_of
        self._files = counts_of(file for *_, file in rows if file)
        kinds = counts_of(kind for _, kind, _ in rows)
        self._rows = len(rows)
        self._kinds = dict(sorted(kinds.items(), key=lambda one: (one[0] not in FIRST_KINDS, one[1])))
        self._names: dict[str, dict[str, dict[str, int]]] = {kind: {} for kind in self._kinds}
        for name, kind, file in rows:
            of_file = self._names[kind].setdefault(file, {})
            of_file[name] = of_file.get(name, 0) + 1

    def statements(self, room: int) -> tuple[str, ...]:
        """What there is, by kinds and files, and as many names as there is room for."""
        from overspill.cut.digest.values import listed_values

        said = [f"[{self._rows} names by kind: {listed_values(self._kinds, room // 4)}]"]
        if self._files:
            said.append(f"[names by file: {listed_values(self._files, room // 4)}]")
        left = room - sum(len(one) + 1 for one in said)
        for at, kind in enumerate(self._kinds):
            others = len(self._kinds) - at - 1
            most = left - LEAST_OF_KIND * others if kind in FIRST_KINDS else left // (others + 1)
            words = self._kind_words(kind, most)
            left -= len(words) + 1 if words else 0
            said += [words] if words else []
        return tuple(said) if left >= 0 else ()

    def _kind_words(self, kind: str, room: int) -> str:
        """The names of one kind, by their files."""
        from overspill.cut.digest.values import listed_values

        files = self._names[kind]
        begin = f"[{self._kinds[kind]} {kind} names{' by file' if self._files else ''}: "
        if not self._files:
            words = listed_values(files[""], room - len(begin) - 2)
            return f"{begin}{words}]" if not words.startswith("+") else ""
        left, more, told = room - len(begin) - len(f"; +{self._kinds[kind]}]"), self._kinds[kind], list[str]()
        for file, names in sorted(files.items()):
            entries = [f"{name} x{count}" if count > 1 else name for name, count in names.items()]
            ends = [*accumulate((len(one) + 2 for one in entries), initial=len(file) + 2)]
            number = sum(end <= left for end in ends[1:])
            if number:
                told.append(f"{file}: {', '.join(entries[:number])}")
                left -= ends[number]
                more -= sum([*names.values()][:number])
        return f"{begin}{'; '.join([*told, *([f'+{more}'] if more else [])])}]" if told else ""

    def tells(self, line: str) -> bool:
        """Whether this line is a row."""
        return self._row_of(line) is not None
