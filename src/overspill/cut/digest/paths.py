"""Listings: one entry a line, told as a tree of paths with exact counts.

Where the path stands in a line is measured, not guessed from the tool: alone (`find`, `git ls-files`, `tar t`), behind
columns (`ls -l`, `tar tv`, `du`, `wc -l`, `sha256sum`, `git status`), before a number (`rg -c`), below headings
(`ls -R`) or behind branches (`tree`, `npm ls`). What stands beside it and is a size is told with it.

A drawn tree in which the same names come again with the same below them is a graph, such as that of packages: it is
told by its names, each with those below it once.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, cached_property, compile_pattern
from overspill.core.markers import Wording
from overspill.cut.digest import count_into, counts_of
from overspill.cut.digest.layouts import (
    BRANCH,
    COVERS,
    HEADING,
    SAMPLED,
    Layout,
    entry_name,
    entry_of,
    is_file_name,
    is_path,
    layout_of,
    weight_of,
)
from overspill.cut.digest.names import DEEPEST, NameTree, TreeStatement, path_parts, written_name
from overspill.cut.digest.values import ValueList

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW, FEW_CODED = 0.005, 0.05  # of the entries: then what they have in a column is odd; a mode in digits, a stage
MOST_ODD = 3
LEAST_ENTRIES = 20
LEAST_SHARE = 0.3  # of the lines that are not empty
MOST_DIRECTORIES = 20_000
MOST_NAMES = 100_000
MOST_SIZES = 5_000
MOST_VALUES = 1_000  # of one column
MOST_TOLD = 200  # sizes; of the others the names alone are told,
HEAVY = 20  # files that are told however deep they lie
SMALL = 1_000  # as of what is so many times smaller than the largest
FULL = 4_096  # names of one directory at first; fewer when there are too many
FEWEST_AGAIN, AGAIN = 8, 4  # names that come again with the same below them, so many times as often as with others
MOST_LINKED = 20_000  # names of a graph
NEARLY_ALL = 0.95  # of the lines are paths in lists: what stands between these tells more than in a listing
BESIDE_SHARE = 0.6  # of the room, for such lists beside other lines
ROOT = -1  # where what a tree begins with stands


def share_of(lines: list[str]) -> float:
    """The share of the lines that are entries of a listing."""
    return layout_of(lines).share


class PathTable:
    """Entries by directory, counted exactly whatever their number; names of as many as can be held."""

    def __init__(self) -> None:
        self.count = 0
        self.names: dict[str, dict[str, int]] = {}
        self.others: dict[str, int] = {}  # entries of a directory that are not held by name
        self.sizes: dict[str, tuple[float, str]] = {}  # of paths
        self.least_size = 0.0  # what is smaller is not remembered
        self._held = 0
        self._last = ""  # the last path so far, as a directory
        self._trimmed: set[str] = set()
        self._full = FULL
        self._depth = DEEPEST
        self._closed: set[str] | None = None  # directories that are known, when no more can be

    def add(self, paths: list[str]) -> None:
        """Take entries by their paths."""
        self.count += len(paths)
        groups: dict[str, list[str]] = {}
        for path in paths:
            at = path.rfind("/") + 1
            name = path[at:]
            try:
                groups[path[:at]].append(name)
            except KeyError:
                groups[path[:at]] = [name]
        if self._last and paths and paths[0].startswith(self._last):
            self._hold_directory(self._last)
        self._last = f"{paths[-1]}/" if paths else self._last
        for directory, names in groups.items():
            self._add_names(directory, names, groups)
        if self._held > MOST_NAMES:
            self._trim_names()
        if len(self.names) > MOST_DIRECTORIES and self._closed is None:
            self._trim_depth()

    def add_sizes(self, sizes: dict[str, tuple[float, str]]) -> None:
        """Take the sizes of entries; the largest are remembered."""
        self.sizes.update(sizes)
        if len(self.sizes) > 2 * MOST_SIZES:
            self.sizes = dict(sorted(self.sizes.items(), key=lambda pair: -pair[1][0])[:MOST_SIZES])
            self.least_size = min(weight for weight, _ in self.sizes.values())

    @property
    def distinct(self) -> int | None:
        """How many different entries there are, where all of them are held."""
        return None if self._trimmed or self._closed is not None else sum(map(len, self.names.values()))

    def tree(self) -> NameTree:
        """The tree of all entries. The table is empty afterwards."""
        tree = NameTree()
        nodes = {"": tree.root}
        for directory, names in self.names.items():
            at, parts = directory, list[str]()
            while at not in nodes:
                above = at[: at.rfind("/", 0, -1) + 1]
                parts.append(at)
                at = above
            for part in reversed(parts):
                nodes[part] = tree.child_of(nodes[at], part[len(at) :])
                at = part
            tree.add_names(nodes[directory], names, self.others.get(directory, 0))
        ranked = sorted(self.sizes.items(), key=lambda pair: -pair[1][0])[:MOST_SIZES]
        heavy = HEAVY
        for number, (path, (weight, said)) in enumerate(ranked):
            telling = number < MOST_TOLD and weight * SMALL >= ranked[0][1][0]
            heavy -= tree.mark(path_parts(path), f"({said})" if telling else "", weight, heavy=telling and heavy > 0)
        self.names, self.others = {}, {}
        return tree

    def _hold_directory(self, directory: str) -> None:
        """The last entry of a block is a directory, as the first one of the next block says: its name is held."""
        above = directory[: directory.rfind("/", 0, -1) + 1]
        names = self.names.get(above, {})
        name = directory[len(above) : -1]
        if above in self._trimmed and name and name not in names and self.others.get(above, 0):
            names[name] = 1
            self.others[above] -= 1

    def _add_names(self, directory: str, names: list[str], groups: dict[str, list[str]]) -> None:
        top = _cut_directory(directory, self._depth) if directory.count("/") > self._depth else directory
        if self._closed is not None:
            while top and top not in self._closed:
                top = top[: top.rfind("/", 0, -1) + 1]
        if top != directory:  # its names are not those of the one it is counted in
            self.names.setdefault(top, {})
            self._trimmed.add(top)
            self.others[top] = self.others.get(top, 0) + len(names)
            return
        known = self.names.get(directory)
        if known is None:
            known = self.names[directory] = {}
        if directory in self._trimmed:
            others = 0
            for name, count in counts_of(names).items():
                inside = f"{directory}{name}/"
                if name in known or inside in self.names or inside in groups:
                    known[name] = known.get(name, 0) + count
                else:
                    others += count
            self.others[directory] = self.others.get(directory, 0) + others
            return
        before = len(known)
        count_into(known, names)
        self._held += len(known) - before

    def _trim_names(self) -> None:
        """Forget names of the fullest directories; their entries stay counted."""
        sizes = [len(names) for names in self.names.values()]
        while self._full > 1 and sum(min(size, self._full) for size in sizes) > MOST_NAMES // 2:
            self._full //= 2
        for directory, names in self.names.items():
            if len(names) > self._full:
                self._trim_directory(directory, names, self._full)
        if self._full == 1:
            self._trimmed |= self.names.keys()

    def _trim_directory(self, directory: str, names: dict[str, int], most: int) -> None:
        kept = {
            name: count
            for number, (name, count) in enumerate(names.items())
            if number < most or f"{directory}{name}/" in self.names  # a directory is told by its contents as well
        }
        self._held -= len(names) - len(kept)
        self.others[directory] = self.others.get(directory, 0) + sum(names.values()) - sum(kept.values())
        self.names[directory] = kept
        self._trimmed.add(directory)

    def _trim_depth(self) -> None:
        """Forget the deepest directories; their entries stay counted above."""
        depth = max(directory.count("/") for directory in self.names)
        while len(self.names) > MOST_DIRECTORIES // 2 and depth > 1:
            depth -= 1
            self._depth = depth
            for directory in [one for one in self.names if one.count("/") > depth]:
                names = self.names.pop(directory)
                self._held -= len(names)
                above = _cut_directory(directory, depth)
                count = sum(names.values()) + self.others.pop(directory, 0)
                self.others[above] = self.others.get(above, 0) + count
                self.names.setdefault(above, {})
                self._trimmed.discard(directory)
                self._trimmed.add(above)
        if len(self.names) > MOST_DIRECTORIES // 2:
            self._closed = {""}
            for directory in self.names:
                at = directory.find("/") + 1
                while at:
                    self._closed.add(directory[:at])
                    at = directory.find("/", at) + 1


def _cut_directory(directory: str, depth: int) -> str:
    """The first levels of a directory.

    >>> _cut_directory("a/b/c/", 2)
    'a/b/'
    """
    return "/".join(directory.split("/", depth)[:depth]) + "/"


class LinkTable:
    r"""The names of a drawn tree, and which of them stand right below which, wherever they do.

    >>> links = LinkTable()
    >>> for line in ("0 app", "1 log", "2 fmt", "1 web", "2 log", "3 fmt"):
    ...     links.add(int(line[0]), line[2:])
    >>> print(links.statement(80), links.statement(40), sep="\n")
    [6 entries of 4 names, below each: app > log, web; log > fmt; web > log]
    [6 entries of 4 names: app, fmt 2, +2]
    """

    def __init__(self) -> None:
        self.entries: dict[str, int] = {}
        self.again = 0  # how often the same names stand below one that comes again, or none does
        self._other = 0  # and others
        self._below: dict[str, dict[str, None]] = {}
        self._open: list[tuple[int, str, list[str]]] = []

    @property
    def is_graph(self) -> bool:
        """Whether names come again with all that is below them."""
        self.close(ROOT)
        known = len(self.entries) <= MOST_LINKED
        return known and self.again >= max(FEWEST_AGAIN, AGAIN * self._other, sum(self.entries.values()) / 10)

    def begin(self, root: str) -> None:
        """Another tree begins, below what is no entry itself."""
        self.close(ROOT)
        self._open.append((ROOT, root, []))

    def add(self, margin: int, name: str) -> None:
        """Take the next entry, by how far it stands from the margin."""
        self.close(margin)
        if self._open:
            self._open[-1][2].append(name)
        self._open.append((margin, name, []))
        self.entries[name] = self.entries.get(name, 0) + 1

    def close(self, margin: int) -> None:
        """What stands as far from the margin, or further, has nothing more below it."""
        while self._open and self._open[-1][0] >= margin:
            _, name, names = self._open.pop()
            known = self._below.get(name)
            if names and known:
                self.again += known.keys() == {*names}
                self._other += known.keys() != {*names}
            if names and len(self._below) <= MOST_LINKED:
                self._below.setdefault(name, {}).update(dict.fromkeys(names))

    @cached_property
    def _links(self) -> list[str]:
        self.close(ROOT)
        return [f"{written_name(name)} > {', '.join(map(written_name, below))}" for name, below in self._in_order()]

    def _in_order(self) -> Iterator[tuple[str, dict[str, None]]]:
        """Names with others below them, those nearest to the root first."""
        first = {name for below in self._below.values() for name in below}
        waiting = [name for name in self._below if name not in first] or [*self._below]
        seen = {*waiting}
        for name in waiting:
            below = self._below.get(name, {})
            if below:
                yield name, below
            waiting += [one for one in below if one not in seen]
            seen.update(below)

    @cached_property
    def _names(self) -> ValueList:
        return ValueList(self.entries)

    def statement(self, room: int) -> str:
        """What stands below each name, or where there is no room for that, the names."""
        total, names = sum(self.entries.values()), f" of {len(self.entries)} names"
        words = Wording.ENTRIES.format(total, f"{names}, below each", "; ".join(self._links))
        if len(words) <= room:
            return words
        spare = room - len(Wording.ENTRIES.format(total, names, ""))
        return Wording.ENTRIES.format(total, names, self._names.within(spare))


class PathCollector:
    """Adds up the entries of a listing."""

    def __init__(self) -> None:
        self._layout: Layout | None = None
        self._table = PathTable()
        self._values: list[dict[str, int]] = []  # of the mode and the columns up to the size
        self._above = ""  # the heading that the next lines belong to
        self._way: list[tuple[int, str]] = []  # the branch, by how far its names stand from the margin
        self._blank = True
        self._filled = 0  # lines that are not empty
        self._tree: NameTree | None = None
        self._links = LinkTable()
        self._begun = False  # whether a line was seen
        self._listed = True  # whether lines are names of the directory above them

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        if self._layout is None:
            self._layout = layout_of(lines[:3_000])
            self._tree = NameTree() if self._layout.row == "branch" else None
        layout = self._layout
        self._filled += len(lines) - lines.count("")
        if layout.row == "branch":
            self._add_branches(lines)
        elif layout.headed:
            self._add_headed(lines, layout)
        elif layout.row == "plain":
            self._add_plain(lines, layout)
        elif layout.row:
            self._add_rows(lines, layout, "")

    def digest(self) -> PathDigest | None:
        """The tree of what was found."""
        layout = self._layout
        if layout is None or (self._tree is None and self._table.count < LEAST_SHARE * self._filled):
            return None  # the first lines were a listing, and the rest is something else
        tree = self._tree or self._table.tree()
        if tree.count < LEAST_ENTRIES:
            return None
        return PathDigest(layout, tree, self._values, self._links if self._links.is_graph else None)

    def _add_plain(self, lines: list[str], layout: Layout) -> None:
        """Paths that are all of their lines; a blank in the name of a file is one, where its directory is known."""
        plain = [
            (line and line.isascii() and " " not in line and "\t" not in line) or is_path(line, layout)
            for line in lines
        ]
        if not all(plain):
            known = {line[: line.rfind("/") + 1] for line, good in zip(lines, plain, strict=True) if good}
            known.update(self._table.names)
            plain = [
                good or ("/" in line and line[: line.rfind("/") + 1] in known and is_file_name(line))
                for line, good in zip(lines, plain, strict=True)
            ]
        self._table.add([line for line, good in zip(lines, plain, strict=True) if good])

    def _add_rows(self, lines: list[str], layout: Layout, above: str) -> None:
        """Rows of columns with the path behind or before them."""
        paths: list[str] = []
        sizes: dict[str, tuple[float, str]] = {}
        rows: list[str] = []
        mode, size = layout.mode, layout.size
        least = self._table.least_size
        for line in lines:
            entry = entry_of(line, layout)
            if entry is None:
                continue
            path, said, words = entry
            if above:
                path = above + path
            paths.append(path)
            if said and (weight := float(said) if said.isdigit() else weight_of(said)) >= least:
                sizes[path] = (weight, said)
            if mode >= 0:
                rows.append(" ".join(words[mode:size]))
        self._table.add(paths)
        self._table.add_sizes(sizes)
        for row, count in counts_of(rows).items():
            for number, value in enumerate(row.split(" ")):
                if number >= len(self._values):
                    self._values.append({})
                if len(self._values[number]) < MOST_VALUES:
                    self._values[number][value] = self._values[number].get(value, 0) + count

    def _add_headed(self, lines: list[str], layout: Layout) -> None:
        """Names below the heading of their directory, up to a blank line: what comes then and is none is no entry."""
        heading = compile_pattern(HEADING).match
        below: list[str] = []
        for line in lines:
            if self._blank and line[-1:] == ":" and heading(line[-SAMPLED:]):
                self._add_below(below, layout)
                below = []
                self._above = line[:-1] if line[-2:] == "/:" else f"{line[:-1]}/"
                self._listed = True
            elif line and self._blank and self._begun:
                self._listed = False
            elif line and self._listed:
                below.append(line)
            self._blank = not line
            self._begun = True
        self._add_below(below, layout)

    def _add_below(self, lines: list[str], layout: Layout) -> None:
        if layout.row == "name":
            self._table.add([self._above + line for line in lines if line not in (".", "..")])
        elif lines:
            self._add_rows(lines, layout, self._above)

    def _add_branches(self, lines: list[str]) -> None:
        """Names behind the branches of a tree that is drawn."""
        branch = compile_pattern(BRANCH).match
        way = self._way
        for line in lines:
            found = branch(line)
            if found is None:
                if line and not line.isspace() and line[0] not in " \u2502|":
                    del way[:]  # another tree begins
                    self._links.begin(entry_name(line))
                continue
            margin = len(found["indent"])
            while way and way[-1][0] >= margin:
                way.pop()
            name = entry_name(found["name"])
            self._links.add(margin, name)
            if self._tree is not None:
                parts = [*(part for _, part in way), name]
                self._tree.add(
                    [*parts[: DEEPEST - 1], "".join(parts[DEEPEST - 1 :])] if len(parts) > DEEPEST else parts
                )
            way.append((margin, f"{name.rstrip('/')}/"))


class PathDigest:
    """What a listing adds up to."""

    def __init__(
        self, layout: Layout, tree: NameTree, values: list[dict[str, int]], links: LinkTable | None = None
    ) -> None:
        self._layout = layout
        self._tree = tree
        self._values = values
        self.covers = layout.share >= (COVERS if layout.row != "listed" else NEARLY_ALL)
        self.beside = layout.row == "listed" and not self.covers  # other lines, of which more can be told
        self.share = BESIDE_SHARE if self.beside else 1.0
        noun = "entries" if layout.row == "branch" else "paths"
        self._statement = TreeStatement(f"{tree.count} {noun}", tree)
        self._links = links

    def statements(self, room: int) -> tuple[str, ...]:
        """`[3258 paths: usr/{bin/ 1200, lib/{...}}]`."""
        return (self._links.statement(room - 1),) if self._links is not None else self._statement.lines(room)

    def tells(self, line: str) -> bool:
        """Whether a line is an entry, and an ordinary one."""
        layout = self._layout
        if layout.row == "branch":
            return compile_pattern(BRANCH).match(line) is not None
        if layout.row == "plain":
            return is_path(line, layout)  # one with blanks may be more than a path: it is shown
        if layout.headed and (line.endswith(":") or not line or line.startswith("total ") or layout.row == "name"):
            return True
        entry = entry_of(line, layout)
        return (entry is not None or line.endswith((" .", " .."))) and not self.oddity_of(line)

    def oddity_of(self, line: str) -> str:
        """What is odd about an entry: who may write to it, or what few others have in a column."""
        layout = self._layout
        entry = entry_of(line, layout) if layout.mode >= 0 else None
        if entry is None:
            return ""
        columns = entry[2]
        mode = columns[layout.mode]
        coded = mode.isdigit()  # what stands beside a mode in letters is a number of links
        if not coded and mode[8] == "w" and mode[0] != "l" and mode[9] not in "tT":
            return "anybody may write to it"
        few = max(MOST_ODD, int(self._tree.count * (FEW_CODED if coded else FEW)))
        for value, counts in zip(columns[layout.mode : layout.size], self._values, strict=False):
            rare = counts.get(value, 0) <= few and len(counts) * 10 < self._tree.count
            if rare and (coded or not value.isdigit()):
                return f"one of few with {value}"
        return ""

    def odd_lines(self, lines: list[str], most: int) -> Iterator[tuple[int, str]]:
        """The numbers of the first odd lines among these, and what is odd about them."""
        for number, line in enumerate(lines if self._layout.mode >= 0 else ()):
            said = self.oddity_of(line) if most > 0 else ""
            if said:
                most -= 1
                yield number, said
