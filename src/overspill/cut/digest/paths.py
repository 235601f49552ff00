"""Listings: one entry a line, told as a tree of paths with exact counts.

Where the path stands in a line is measured, not guessed from the tool: alone (`find`, `git ls-files`, `tar t`), behind
columns (`ls -l`, `tar tv`, `du`, `wc -l`, `sha256sum`, `git status`), before a number (`rg -c`), below headings
(`ls -R`) or behind branches (`tree`, `npm ls`). What stands beside it and is a size is told with it.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.digest.names import DEEPEST, NameTree, TreeStatement, path_parts
from overspill.cut.digest.templates import count_into, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE = 400  # lines by which a layout is told
SAMPLED = 500  # characters of each
COVERS = 0.6  # of the lines: then the tree is the view
FEW = 0.005  # of the entries: then what they have in a column is odd
MOST_ODD = 3
LEAST_ENTRIES = 20
MOST_DIRECTORIES = 20_000
MOST_NAMES = 100_000
MOST_SIZES = 5_000
MOST_VALUES = 1_000  # of one column
MOST_TOLD = 200  # sizes; of the others the names alone are told,
SMALL = 1_000  # as of what is so many times smaller than the largest
FULL = 4_096  # names of one directory at first; fewer when there are too many
WIDEST = 4_096  # characters of a path

_DAY = (
    r"(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [+-]\d{4})?|\d\d[-/]\d\d[-/]\d{2,4} +\d\d:\d\d"
    r"|[A-Z][a-z]{2} +\d{1,2} +(?:\d\d:\d\d(?::\d\d)?(?: \d{4})?|\d{4})|\d{1,2} [A-Z][a-z]{2} +(?:\d\d:\d\d|\d{4}))"
)
_SIZE = r"\d[\d.,]*(?:[KMGTPkmgt]i?B?| ?[KMGT]i?B|B)?"
_NAMED = r"(?=\S*[/.]|[\w-]+$)(?P<path>\S.*)"


class Row(NamedTuple):
    """How an entry is written: a pattern with its `path`, a `mode` and a `size` where it has them."""

    name: str
    pattern: str


# From the most telling to what anything can look like.
ROWS = (
    Row("long", rf"\s*(?:\d+ +){{0,2}}(?P<mode>[-dlbcpsDCM?][-rwxsStTl]{{9}}[.+@]?)\s+(?:\d+\s+)?\S+(?:\s+\S+)?\s+"
        rf"(?P<size>{_SIZE}|\d+, +\d+)\s+{_DAY}\s(?P<path>.+)$"),
    Row("dated", rf"\s*(?P<size>{_SIZE})\s+{_DAY}\s+(?P<path>\S.*)$"),
    Row("object", r"\d{6} (?:blob|tree|commit|[0-9a-f]{40,64})\s+\S+(?:\s+(?P<size>\d+|-))?\t(?P<path>.+)$"),
    Row("hash", r"\\?[0-9a-f]{32,128}(?:  | \*|\t)(?P<path>.+)$"),
    Row("state", r"[ MADRCUT?!][MADRCUT?!] (?P<path>\S.*)$|[MADRCUT?!] {2}(?P<path1>\S.*)$"),
    Row("sized", rf"\s*(?P<size>{_SIZE})(?:\t| +){_NAMED}$"),
    Row("headword", r"\s*[a-z][\w.+-]{0,40}(?: [a-z]+)?:\s+(?P<path>\S*/\S*)(?:  )?$"),
    Row("counted", rf"(?P<path>(?=[^\s:|/.]*+[/.])[^\s:|]++)(?::|\t|\s+\|?\s*)(?P<size>{_SIZE})$"),
    Row("plain", r"(?P<path>(?!.*: )(?:\.{0,2}/.+|(?:\S| (?=\S+/))+))$"),
)  # fmt: skip
_BRANCH = r"(?P<indent>(?:[\u2502 \xa0]|\|(?!-))*+)(?:[\u251c\u2514|`+\\][\u2500-]{1,2}[\u252c ]? ?)(?P<name>\S.*)$"
_HEADING = r"(?:\S.*/\S.*|/\S*|\.\S*|[\w.-]+):$"
_UNITS = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
_ENDS_OF_ENTRY = (" (*)", " deduped", "*", "@", "=", "|")


class Layout(NamedTuple):
    """Where the path stands in the lines of a text: how many words before it, which of them are size and mode."""

    row: str
    share: float = 0.0  # of the lines that are entries
    words: int = 0
    size: int = -1
    mode: int = -1
    headed: bool = False


NO_LAYOUT = Layout("")


def layout_of(lines: list[str]) -> Layout:
    """How the entries of a text are written, by a sample of its lines; the best of what it can be."""
    filled = [line[:SAMPLED] for line in lines if line and not line.isspace()]
    sample = filled[:: max(1, len(filled) // SAMPLE)][: SAMPLE + 1]
    if len(sample) < 2:  # noqa: PLR2004  # a single line is no list
        return NO_LAYOUT
    branch = compile_pattern(_BRANCH).match
    branches = sum(1 for line in sample if branch(line))
    if branches >= COVERS * len(sample):
        return Layout("branch", branches / len(sample))
    headings = _headings(lines)
    if headings > 1 and headings * 2 >= sum(1 for line in lines if line.endswith(":")):
        return _headed_layout(sample)
    return max((_row_layout(row, sample) for row in ROWS), key=lambda one: one.share)


def _headings(lines: list[str]) -> int:
    """How many lines are names of directories with a blank line before them."""
    heading = compile_pattern(_HEADING).match
    pairs = zip(["", *lines], lines, strict=False)
    return sum(1 for before, line in pairs if not before and line[-1:] == ":" and heading(line[-SAMPLED:]))


def _headed_layout(sample: list[str]) -> Layout:
    entries = [line for line in sample if not line.endswith(":") and not line.startswith("total ")]
    long = _row_layout(ROWS[0], entries) if entries else NO_LAYOUT
    if long.share >= COVERS:
        return long._replace(share=1.0, headed=True)
    # A table, or sentences below headings, are no names.
    names = sum(1 for line in entries if "  " not in line and line.count(" ") <= 2 and line[0] not in " \t")  # noqa: PLR2004
    return Layout("name", names / max(1, len(entries)), headed=True)


def _row_layout(row: Row, sample: list[str]) -> Layout:
    """How many of the lines are such rows, and where their words stand."""
    match = compile_pattern(row.pattern).match
    found = [one for line in sample if len(line) < WIDEST and (one := match(line))]
    if not found or not _are_paths(row, [one["path"] or one[one.lastindex or 0] for one in found]):
        return NO_LAYOUT
    places = counted(str(_places_in(one)) for one in found)
    words, size, mode = map(int, max(places, key=lambda key: places[key])[1:-1].split(", "))
    return Layout(row.name, len(found) / len(sample), words, size, mode)


def _places_in(found: object) -> tuple[int, int, int]:
    """Words before the path of a row, and which of them are its size and its mode."""
    import re

    assert isinstance(found, re.Match)  # noqa: S101
    line, groups = found.string, found.groupdict()

    def place(name: str) -> int:
        return len(f"{line[: found.start(name)]}x".split()) - 1 if groups.get(name) else -1

    return (place("path") if groups["path"] else place("path1"), place("size"), place("mode"))


def _are_paths(row: Row, paths: list[str]) -> bool:
    """Whether what stands where paths would stand looks like them."""
    if row.name in ("long", "object", "hash"):
        return True
    slashes = sum(1 for path in paths if "/" in path)
    if row.name == "dated":
        return slashes > 0 or sum(1 for path in paths if "." in path) * 2 > len(paths)
    if row.name in ("sized", "counted", "state"):
        dots = sum(1 for path in paths if "/" in path or compile_pattern(r"\.\w{1,8}$").search(path))
        blanks = sum(1 for path in paths if " " in path and "/" not in path)
        return dots * 2 > len(paths) and blanks * 4 < len(paths)
    if row.name == "plain":
        coded = sum(1 for path in paths if compile_pattern(r"[+=]|://|:\d+:|\.\w+-\d+-").search(path))
        endings = sum(1 for path in paths if compile_pattern(r"[\w)-]\.[A-Za-z]\w{0,7}$").search(path))
        return coded * 5 < len(paths) and (slashes * 2 > len(paths) or endings * 10 > 8 * len(paths))
    return slashes * 10 > 9 * len(paths)


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
        for number, (path, (weight, said)) in enumerate(ranked):
            telling = number < MOST_TOLD and weight * SMALL >= ranked[0][1][0]
            tree.mark(path_parts(path), f"({said})" if telling else "", weight)
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
            for name, count in counted(names).items():
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


class PathCollector:
    """Adds up the entries of a listing."""

    def __init__(self) -> None:
        self._layout: Layout | None = None
        self._table = PathTable()
        self._values: list[dict[str, int]] = []  # of the mode and the columns up to the size
        self._above = ""  # the heading that the next lines belong to
        self._way: list[tuple[int, str]] = []  # the branch, by how far its names stand from the margin
        self._blank = True
        self._tree: NameTree | None = None

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        if self._layout is None:
            self._layout = layout_of(lines[:3_000])
            self._tree = NameTree() if self._layout.row == "branch" else None
        layout = self._layout
        if layout.row == "branch":
            self._add_branches(lines)
        elif layout.headed:
            self._add_headed(lines, layout)
        elif layout.row == "plain":
            self._table.add(
                [
                    line
                    for line in lines
                    if (line and line.isascii() and " " not in line and "\t" not in line) or is_path(line)
                ]
            )
        elif layout.row:
            self._add_rows(lines, layout, "")

    def digest(self) -> PathDigest | None:
        """The tree of what was found."""
        layout = self._layout
        if layout is None:
            return None
        tree = self._tree or self._table.tree()
        if tree.count < LEAST_ENTRIES:
            return None
        return PathDigest(layout, tree, self._values)

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
        for row, count in counted(rows).items():
            for number, value in enumerate(row.split(" ")):
                if number >= len(self._values):
                    self._values.append({})
                if len(self._values[number]) < MOST_VALUES:
                    self._values[number][value] = self._values[number].get(value, 0) + count

    def _add_headed(self, lines: list[str], layout: Layout) -> None:
        """Names below the heading of their directory."""
        heading = compile_pattern(_HEADING).match
        below: list[str] = []
        for line in lines:
            if self._blank and line[-1:] == ":" and heading(line[-SAMPLED:]):
                self._add_below(below, layout)
                below = []
                self._above = line[:-1] if line[-2:] == "/:" else f"{line[:-1]}/"
            elif line:
                below.append(line)
            self._blank = not line
        self._add_below(below, layout)

    def _add_below(self, lines: list[str], layout: Layout) -> None:
        if layout.row == "name":
            self._table.add([self._above + line for line in lines if line not in (".", "..")])
        elif lines:
            self._add_rows(lines, layout, self._above)

    def _add_branches(self, lines: list[str]) -> None:
        """Names behind the branches of a tree that is drawn."""
        branch = compile_pattern(_BRANCH).match
        way = self._way
        for line in lines:
            found = branch(line)
            if found is None:
                if line and not line.isspace() and line[0] not in " \u2502|":
                    del way[:]  # another tree begins
                continue
            margin = len(found["indent"])
            while way and way[-1][0] >= margin:
                way.pop()
            name = entry_name(found["name"])
            if len(way) < DEEPEST and self._tree is not None:
                self._tree.add([*(part for _, part in way), name])
            way.append((margin, f"{name.rstrip('/')}/"))


def entry_of(line: str, layout: Layout) -> tuple[str, str, list[str]] | None:
    """The path, the size and the columns of the entry that a line is by this layout, or None."""
    if len(line) > WIDEST:
        return None
    if layout.row == "sized":  # the most frequent, and the simplest
        size, _, path = line.lstrip().partition("\t" if "\t" in line else " ")
        path = path.strip()
        return (path, size, []) if size[:1].isdigit() and path and path != "total" else None
    if layout.row == "counted":
        path, size, *_ = *line.replace(":", " ").replace("|", " ").split(), "", ""
        return (path, size, []) if size[:1].isdigit() else None
    if layout.row == "headword":
        head, _, path = line.rstrip().rpartition(" ")
        return (path, "", []) if head.rstrip()[-1:] == ":" and path else None
    words = line.split(None, layout.words)
    return _entry_of_words(words, layout) if len(words) > layout.words else None


def _entry_of_words(words: list[str], layout: Layout) -> tuple[str, str, list[str]] | None:
    """The entry behind columns."""
    row, _, before, place, at_mode, _ = layout
    path = words[-1].rstrip()
    mode = words[at_mode] if at_mode >= 0 else ""
    size = words[place] if 0 <= place < before else ""
    if (at_mode >= 0 and len(mode) < len("drwxr-xr-x")) or path in (".", ".."):
        return None
    if (place >= 0 and not size[:1].isdigit() and size != "-") or (row in MARKED and not _is_marked(words, layout)):
        return None
    if mode[:1] == "l":
        path = path.partition(" -> ")[0]
    elif row == "hash":
        path = path.removeprefix("*")
    return (path, size if mode[:1] != "d" and size != "-" else "", words)


MARKED = frozenset(("state", "hash"))


def _is_marked(words: list[str], layout: Layout) -> bool:
    """Whether the words before a path are those of such a row."""
    first = words[0]
    if layout.row == "hash":
        return len(first) >= 32  # noqa: PLR2004  # the shortest that is in use
    return len(first) <= 2  # noqa: PLR2004  # `??`


def is_path(line: str) -> bool:
    """Whether all of a line is a path."""
    return (
        bool(line)
        and (" " not in line or (line[0] in "./" and "/" in line) or "/" in line.rpartition(" ")[2])
        and (": " not in line and line[0] not in " \t" and len(line) <= WIDEST)
    )


def entry_name(words: str) -> str:
    """The name of a branch, without what a tool adds to say that it was shown before."""
    for end in _ENDS_OF_ENTRY[:2]:
        words = words.removesuffix(end)
    return words.rstrip()


def weight_of(size: str) -> float:
    """A size as a number.

    >>> weight_of("4.2G"), weight_of("1,024")
    (4200000000.0, 1024.0)
    """
    if size.isdigit():
        return float(size)
    digits = size.rstrip("KMGTPkmgtiB ")
    unit = size[len(digits) :].strip().lower()[:1]
    try:
        return float(digits.replace(",", "")) * _UNITS.get(unit, 1.0)
    except ValueError:
        return 0.0


class PathDigest:
    """What a listing adds up to."""

    share = 1.0

    def __init__(self, layout: Layout, tree: NameTree, values: list[dict[str, int]]) -> None:
        self._layout = layout
        self._tree = tree
        self._values = values
        self.covers = layout.share >= COVERS
        noun = "entries" if layout.row == "branch" else "paths"
        self._statement = TreeStatement(f"{tree.count} {noun}", tree)

    def statements(self, room: int) -> tuple[str, ...]:
        """`[3258 paths: usr/{bin/ 1200, lib/{...}}]`."""
        return self._statement.lines(room)

    def tells(self, line: str) -> bool:
        """Whether a line is an entry, and an ordinary one."""
        layout = self._layout
        if layout.row == "branch":
            return compile_pattern(_BRANCH).match(line) is not None
        if layout.row == "plain":
            return is_path(line)
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
        if mode[8] == "w" and mode[0] != "l" and mode[9] not in "tT":
            return "anybody may write to it"
        few = max(MOST_ODD, int(self._tree.count * FEW))
        for value, counts in zip(columns[layout.mode : layout.size], self._values, strict=False):
            if not value.isdigit() and counts.get(value, 0) <= few and len(counts) * 10 < self._tree.count:
                return f"one of few with {value}"
        return ""

    def odd_lines(self, lines: list[str], most: int) -> Iterator[tuple[int, str]]:
        """The numbers of the first odd lines among these, and what is odd about them."""
        for number, line in enumerate(lines if self._layout.mode >= 0 else ()):
            said = self.oddity_of(line) if most > 0 else ""
            if said:
                most -= 1
                yield number, said
