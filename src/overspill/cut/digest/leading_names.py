"""The names that lines begin with, whatever stands behind them: settings, options, metrics, objects of a tree.

A text may have them in one of several forms, all over it or in a table at its end, with headings and comments between
them. The names that differ are told as one tree, parts that many share once: `[684 names: innodb-{log-{a, b}, c}, d]`.
What they are set to is shown by lines.

>>> lines = [f"cache.{kind}.{what} => {at}" for at, kind in enumerate(["aa", "bb", "cc", "dd", "ee", "ff"])
...     for what in ("size", "path", "age", "type", "seed")]
>>> found = names_led_by(lines)
>>> found.statements(120) if found else ()
('[30 names: cache.{aa.{size, +4}, bb.{size, +4}, cc.{size, +4}, dd.{size, +4}, ee.{size, +4}, ff.{size, +4}}]',)
"""

from __future__ import annotations

from itertools import accumulate, islice, pairwise, repeat

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.digest import counts_of, series_in
from overspill.cut.digest.values import NamesByEnd, names_by_end, spelled_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from overspill.cut.digest.nodes import NameIndex

_WORD = r"(?P<name>[$@%&]?(?=[\w.:/@-]*[A-Za-z])[A-Za-z_.][\w.:/@-]*[\w.:-])"
# What a name stands before. From the most telling to what anything can look like. Each with signs of which a line that
# has such a name holds one: where too few do, no line is looked at.
FORMS = (
    (r"(?P<name>\S(?:[^=]{0,60}?\S)??) => ", (" => ",)),
    (r"\s*(?:-\w, )?(?P<name>--?[A-Za-z][\w-]+)", ("-",)),
    (rf"{_WORD}(?:\{{[^}}]*\}})? [-+]?[\d.]+(?:[eE][-+]?\d+)?$", (" ",)),
    (rf'{_WORD} "[^"]*";?$', (' "',)),
    (rf"\s*{_WORD} \([^()]*\)$", (" (",)),
    (rf"\s*{_WORD}\([^()=]*\)\s*=(?!=)", ("(",)),
    (rf"\s*{_WORD}\s*=(?!=)", ("=",)),
    (rf"\s*{_WORD}(?<!:): ", (": ",)),
    (rf"\s{{0,8}}{_WORD}(?:\t| {{2,}})\s*\S", ("\t", "  ")),
)
FEWEST = 30  # names,
LEAST = 0.18  # of the lines,
DISTINCT = 0.45  # of those that have one: else they are fields of records, or words of a log
A_FEW, HINTED = 150, 0.12  # lines that are looked at first, and how many of them have to have one
MOST_CHARS = 120  # of a line that are looked at
SHARE = 0.65  # of the room: what there is to say is mostly names
SHARED = 3  # names from which on what they begin with is a part of its own
SHORTEST = 3  # characters of such a part
LEASTS = (1, 4, 10, 25)  # names of a part, from which on it is opened
FEWEST_TOLD = 6  # names, or the list says nothing
ALONE, SAVED = 0.9, 0.85  # lines that are a name and no more; what the tree takes of what these lines take
HARDLY_ANY = 20  # blocks, of which one is named
FEWEST_HEADS, LINES_OF_BLOCK, DISTINCT_HEADS = 8, 3.0, 0.6  # blocks; lines of one; of them those that begin otherwise
LONGEST_HEAD, MOSTLY, WIDEST_HEAD = 110, 0.9, 2_000  # characters of most heads; so many of them; of any
HEADS_SHARE = 0.35  # of the room
AT_MARGIN = 0.7  # of the heads: what is set apart inside something else is no block
INDENTED = (" ", "\t")
FEWEST_HEADED, MOST_HEADS, BELOW = 12, 50_000, 0.6  # lines at the margin, and of all lines those below them
HEADS_DISTINCT, LONGEST_NAME, HEADING = 0.9, 70, 0.25  # of the heads; characters on average; of them have lines below
CROWD = 30  # heads that differ in digits alone
DRAWN = " \t\r*=-_~#.+|"  # what titles are drawn with
FEWEST_BLOCKS, CLOSED, MOST_INDENT = 10, 0.8, 40  # blocks; of them those that end; characters before what ends one
_BLOCK = compile_pattern(r"[A-Za-z]\w* ([A-Za-z_]\w*)(?: (?:implements|extends|for)\b.*| ?[(:<].*)? ?\{$")
_PLACED = compile_pattern(r"\.\w+:\d+")
_NUMBERED = compile_pattern(r"(?=\D*\d)[^g-zG-Z]*[g-zG-Z]")  # and no digest
_STYLED = compile_pattern(r"[.#][A-Za-z_][\w-]*")
_AFTER = compile_pattern(r"::|[._/:-]")


class LeadingNames:
    """The names that differ."""

    def __init__(self, names: list[str], alone: frozenset[str] = frozenset()) -> None:
        self._names = NameList(names, by_end=names_by_end(dict.fromkeys(names, 1), len(names)))
        self._alone = alone  # lines that are a name and no more
        self.partial = not alone  # lines tell what the names stand for,
        self.complete = not self.partial  # or nothing more
        self.share = 1.0 if alone else SHARE

    def statements(self, room: int) -> tuple[str, ...]:
        """As many of them as there is room for."""
        return self._names.lines(room)

    def tells(self, line: str) -> bool:
        """Most lines say more than the name in them."""
        return line.strip() in self._alone

    is_record = is_quoted = tells


class BlockHeads:
    """What blocks of lines begin with."""

    partial = True  # they say more than that
    share = HEADS_SHARE

    def __init__(self, heads: list[str]) -> None:
        from overspill.cut.digest.headings import spelled_title  # few texts have them

        kinds = [compile_pattern(r"\d+").sub("0", head) for head in heads]
        crowds = counts_of(kinds)
        self._heads = [
            (int(crowds[kind] >= CROWD), spelled_title(head)) for head, kind in zip(heads, kinds, strict=True)
        ]

    def statements(self, room: int) -> tuple[str, ...]:
        """`[64 blocks: Registers:, Heap:, +62]`, the shortest first where not all fit.

        Of many that differ in digits alone, lines that are alike are told.
        """
        from overspill.cut.digest.headings import listed_names

        if HARDLY_ANY * sum(not level for level, _ in self._heads) < len(self._heads):
            return ()  # nearly all are alike
        said = listed_names(f"{len(self._heads)} blocks", self._heads, room, most_level=0)
        return (said,) if said else ()

    def tells(self, _line: str) -> bool:
        """A block is more than its first line."""
        return False


class HeadedLines:
    """Lines at the margin, each with the number of lines that are indented below it."""

    partial = True  # what is indented is told by lines
    share = HEADS_SHARE

    def __init__(self, heads: dict[str, int]) -> None:
        from overspill.cut.digest.headings import spelled_title  # few texts have them

        self._number = len(heads)
        ordered = sorted(heads.items(), key=lambda one: -one[1])
        self._entries = [f"{spelled_title(head)} {below}" for head, below in ordered if len(head) <= LONGEST_HEAD]

    def statements(self, room: int) -> tuple[str, ...]:
        """`[2346 heads, with lines below: 8086 Intel Corporation 4321, +2345]`, those with most lines first."""
        begin = f"[{self._number} heads, with lines below: "
        left = room - len(begin) - len(f", +{self._number}]\n")
        fitting = [at for at in accumulate(len(entry) + 2 for entry in self._entries) if at <= left]
        if not fitting:
            return ()
        more = self._number - len(fitting)
        return (f"{begin}{', '.join([*self._entries[: len(fitting)], *([f'+{more}'] if more else [])])}]",)

    def tells(self, _line: str) -> bool:
        """What is below it is told by itself."""
        return False


def headed_lines(lines: Sequence[str]) -> dict[str, int]:
    r"""How many lines are indented below each line at the margin, where that is what most of a text is made of.

    Comments at the margin end nothing.

    >>> headed_lines([line for n in range(20) for line in (f"name {n}", *["\tpart"] * (n % 5))])["name 3"]
    3
    """
    heads: dict[str, int] = {}
    head, number, below = "", 0, 0
    for line in lines:
        if not line.strip() or line[0] == "#":
            continue
        number += 1
        if line[0] in INDENTED:
            if head:
                heads[head] += 1
                below += 1
        else:
            head = " ".join(line.split())
            heads.setdefault(head, 0)
            if len(heads) > MOST_HEADS:
                return {}
    wide = sum(map(len, heads)) > LONGEST_NAME * len(heads)
    distinct = number - below <= len(heads) / HEADS_DISTINCT
    few = below < BELOW * number or sum(map(bool, heads.values())) < HEADING * len(heads)
    return heads if len(heads) >= FEWEST_HEADED and distinct and not (few or wide) else {}


def names_led_by(lines: Sequence[str]) -> LeadingNames | BlockHeads | HeadedLines | None:
    """The names that lines begin with, in the form that most different ones have; None where they are too few.

    Where lines have none, blocks of lines may have.
    """
    filled = [*filter(str.strip, lines)]
    some = "".join([line[0] for line in filled])
    indented = some.count(" ") + some.count("\t")
    if max(map(len, filled), default=0) > MOST_CHARS:
        filled = [line[:MOST_CHARS] for line in filled]
    sample = filled[:: len(filled) // A_FEW + 1]
    best = block_names(filled)
    block = "\n".join(sample)
    for form, signs in FORMS:
        if sum(map(block.count, signs)) < HINTED * len(sample):
            continue
        match = compile_pattern(form).match
        if sum(1 for line in sample if match(line)) < HINTED * len(sample):
            continue
        found = [one["name"] for line in filled if (one := match(line))]
        distinct = [*dict.fromkeys(found)]
        if 2 * sum(sum(map(str.isdigit, name)) for name in distinct) > sum(map(len, distinct)):
            continue  # numbers are no names
        if 2 * sum(_PLACED.search(name) is not None for name in distinct) > len(distinct):
            continue  # nor are places
        enough = len(distinct) >= max(FEWEST, LEAST * len(filled), DISTINCT * len(found))
        if enough and len(distinct) > len(best):
            best = distinct
    alone = [] if best else names_alone(filled)
    return LeadingNames(best or alone, frozenset(alone)) if best or alone else _heads_in(lines, filled, indented)


def _heads_in(lines: Sequence[str], filled: list[str], indented: int) -> BlockHeads | HeadedLines | None:
    # Where hardly a line is blank or indented there are no blocks, and where few are indented no heads of them.
    blank = len(lines) - len(filled)
    heads = block_heads(lines) if indented >= FEWEST_HEADS or blank >= FEWEST_HEADS - 1 else []
    if heads:
        return BlockHeads(heads)
    headed = headed_lines(lines) if indented >= BELOW * (len(filled) - sum(line[0] == "#" for line in filled)) else {}
    return HeadedLines(headed) if headed else None


def names_alone(lines: Sequence[str]) -> list[str]:
    """The lines of a text that are a name each, where they share so much that a tree of them is much shorter.

    Also where most have digits: such lines are all alike, and what they are like says not which there are.

    >>> parts = [f"door_{where}_{what}" for where in ("north", "east", "south", "west") for what in "abcdefgh"]
    >>> names_alone(parts)[:2], names_alone([part[::-1] for part in parts])
    (['door_north_a', 'door_north_b'], [])
    """
    alone = [found[0] for found in map(str.split, lines, repeat(None), repeat(1)) if len(found) == 1]
    names = [*dict.fromkeys(name for name in alone if not name.isdecimal())]
    if len(names) < max(FEWEST, ALONE * len(lines)) or max(map(len, lines)) == MOST_CHARS:  # what is longer was cut
        return []
    numbered = 2 * sum(map(bool, map(_NUMBERED.match, names))) >= len(names)
    return names if numbered or NameList(names).saves(SAVED) else []


def block_heads(lines: Sequence[str]) -> list[str]:
    """What blocks of lines behind blank ones begin with, where most begin in another way: titles, threads, requests.

    >>> blocks = [line for at in range(12) for line in (f"Thread {at} (main)", "  at a()", "  at b()", "")]
    >>> block_heads(blocks)[:2], block_heads(["one", "", "two", ""] * 9)
    (['Thread 0 (main)', 'Thread 1 (main)'], [])
    """
    firsts = [line for above, line in pairwise(["", *lines]) if line.strip() and not above.strip()]
    if len(firsts) < FEWEST_HEADS:
        firsts = _heads_of_indented(lines)
    if sum(not line[0].isspace() for line in firsts) < AT_MARGIN * len(firsts):
        return []
    heads = [head for line in firsts if (head := " ".join(line.strip(DRAWN).split()))]
    filled = sum(1 for line in lines if line and not line.isspace())
    if not FEWEST_HEADS <= len(heads) <= filled / LINES_OF_BLOCK:
        return []
    distinct = [*dict.fromkeys(heads)]
    short = sum(len(head) <= LONGEST_HEAD for head in distinct) >= MOSTLY * len(distinct)
    few = "" in distinct or not short or len(distinct) < DISTINCT_HEADS * len(heads)
    return [] if few or max(map(len, distinct)) > WIDEST_HEAD else distinct


def _heads_of_indented(lines: Sequence[str]) -> list[str]:
    """Lines at the margin that others are indented below, where most at the margin are."""
    heads = [line for line, below in pairwise(lines) if below[:1] in INDENTED and line[:1] not in ("", *INDENTED)]
    margin = sum(1 for line in lines if line[:1] not in ("", *INDENTED))
    return heads if len(heads) >= AT_MARGIN * margin else []


def block_names(lines: list[str]) -> list[str]:
    """What blocks in braces are called: `message Row {`, `type Row implements Node {`; of styles, `.row, .col {`.

    >>> block_names([line for name in "abcdefghijkl" for line in (f"enum {name} {{", "  one = 1;", "}")])
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']
    """
    heads = [line.strip() for line in lines if line[-1] == "{"]
    if len(heads) < FEWEST_BLOCKS:
        return []
    ends = sum(1 for line in lines if "}" in line[:MOST_INDENT] and line.lstrip()[:1] == "}")
    if ends < CLOSED * len(heads):
        return []
    if 2 * sum(head[0] in ".#" for head in heads) > len(heads):
        styled = (line for line in lines if line[-1] in "{," and ": " not in line)
        return [*dict.fromkeys(name for line in styled for name in _STYLED.findall(line))]
    found = [one[1] for head in heads if (one := _BLOCK.match(head))]
    distinct = [*dict.fromkeys(found)]
    return distinct if len(distinct) >= max(FEWEST_BLOCKS, DISTINCT * len(heads)) else []


class NamePart:
    """What several names begin with: names that are only that and one more part, and longer parts."""

    __slots__ = ("count", "known", "label", "leaves", "parts", "sums")

    def __init__(self, label: str) -> None:
        self.label = label
        self.leaves: list[str] = []
        self.parts: dict[str, NamePart] = {}
        self.count = 0
        self.sums: list[int] = []  # what it takes to write the first, the first two, ... of its names,
        self.known: list[int] = []  # and how many names that are: one may be written for many that are numbered

    def add(self, parts: list[str], last: str) -> None:
        """Take one name."""
        self.count += 1
        if not parts:
            self.leaves.append(spelled_value(last))
            return
        if parts[0] not in self.parts:
            self.parts[parts[0]] = NamePart(parts[0])
        self.parts[parts[0]].add(parts[1:], last)

    def measure(self, *, series: bool) -> None:
        """All names are known: what has no name of its own and one part is one with that."""
        while len(self.parts) == 1 and not self.leaves and self.label:
            (only,) = self.parts.values()
            self.label, self.leaves, self.parts = self.label + only.label, only.leaves, only.parts
        found = series_in(dict.fromkeys(self.leaves, 1)) if series else []
        numbered = {name for one in found for name in one.names}
        sizes = {one.words: len(one.names) for one in found}
        self.leaves = [*sizes, *(leaf for leaf in self.leaves if leaf not in numbered)]
        self.sums = [*accumulate((len(leaf) + 2 for leaf in self.leaves), initial=0)]
        self.known = [*accumulate((sizes.get(leaf, 1) for leaf in self.leaves), initial=0)]
        for part in self.parts.values():
            part.measure(series=series)

    def width(self, least: int, most: int) -> tuple[int, int]:
        """What is written inside its braces, and how many names that are: at most so many of each part.

        Parts that have fewer than `least` are only counted.
        """
        written = min(most, len(self.leaves))
        width, known = self.sums[written], self.known[written]
        for part in self.parts.values():
            if part.count >= least:
                inside, names = part.width(least, most)
                width += len(part.label) + len("{}, ") + inside
                known += names
        opened = sum(part.count for part in self.parts.values() if part.count >= least)
        more = self.count - opened - self.known[written]
        return width + (len(f"+{more}") if more else -2), known

    def items(self, least: int, most: int) -> list[str]:
        """What is written inside its braces."""
        items, more = list[str](), self.count
        for part in self.parts.values():
            if part.count >= least:
                items.append(f"{part.label}{{{', '.join(part.items(least, most))}}}")
                more -= part.count
        items += self.leaves[:most]
        more -= self.known[min(most, len(self.leaves))]
        return [*items, f"+{more}"] if more else items


class NameList:
    """`[30 names: cache.{a.{age, path, +3}, b.{age, path, +3}}, d, +7]`: of every part as many as of any other."""

    def __init__(self, names: list[str], label: str = "names", *, by_end: NamesByEnd | None = None) -> None:
        self._label, self._by_end = label, by_end
        self._chars = sum(map(len, names)) + len(names)  # a line each
        ends = {name: [one.end() for one in _AFTER.finditer(name, 1) if one.end() < len(name)] for name in names}
        shared = counts_of(name[:end] for name in names for end in ends[name])
        self._roots = NamePart(""), NamePart("")
        for name in names:
            parts, at = list[str](), 0
            for end in ends[name]:
                part = name[at:end]
                if len(part) >= SHORTEST and shared[name[:end]] >= SHARED and spelled_value(part) == part:
                    parts.append(part)
                    at = end
            for root in self._roots:
                root.add(parts, name[at:])
        for root, series in zip(self._roots, (True, False), strict=True):
            root.measure(series=series)  # where there is little room, one name of each part takes less than a series

    def saves(self, most: float) -> bool:
        """Whether all names take at most so much of what they take when each is written by itself."""
        _, root = self._roots
        return root.width(1, root.count)[0] <= most * self._chars

    def lines(self, room: int) -> tuple[str, ...]:
        """The statement within so many characters, line ends included; nothing where hardly a name can be told."""
        from overspill.cut.digest.names import WIDTH, statement_lines

        label = f"{self._roots[0].count} {self._label}"
        left = room - len(f"[{label}: ]\n")
        left -= 3 * (left // WIDTH)
        while left > 0:
            words = self._words(left) if self._by_end is None else self._by_end.within(left)
            if not words or words[0] == "+":
                return ()
            lines = statement_lines(label, words.split(" "))
            over = sum(map(len, lines)) + len(lines) - room
            if over <= 0:
                return lines
            left -= over
        return ()

    def _words(self, room: int) -> str:
        tried = ((root, self._fitting(root, least, room)) for root in self._roots for least in LEASTS)
        root, (named, least, most) = max(tried, key=lambda one: one[1])
        return ", ".join(root.items(least, most)) if named >= max(1, min(FEWEST_TOLD, root.count)) else ""

    def _fitting(self, root: NamePart, least: int, room: int) -> tuple[int, int, int]:
        """How many names fit if parts with fewer than `least` are only counted, and how many of each part that are."""
        low, high, named = 0, len(root.leaves) + root.count, 0
        while low < high:
            middle = (low + high + 1) // 2
            width, known = root.width(least, middle)
            if width <= room:
                low, named = middle, known
            else:
                high = middle - 1
        return named, least, low


# ---- an index of names ----

FEWEST_INDEXED, INDEXED = 30, 0.9  # rows of an index, and of the lines those that are rows
MOST_WORDS, MOST_KINDS, LONGEST_KIND = 8, 20, 20  # columns that are looked at; kinds of names, and their characters
DIFFERENT, IN_ONE_FILE = 0.4, 0.35  # of the names differ; of the rows there are so many files, at the most
_ADDRESS = compile_pattern(r"(?:0x)?[0-9a-fA-F]{8,16}:?")
_NUMBER = compile_pattern(r"\d+:?")
_NAME = compile_pattern(r"[A-Za-z_~$.][^\s,;{}\"]*[^\s,;:{}\"]|[A-Za-z_$]")
_FILE = compile_pattern(r"(?:[^\s:,;{}\"]*/)?[^\s/:,;{}\"]+\.[A-Za-z]\w{0,5}|[^\s:,;{}\"]+/(?!\d+$)[^\s:,;{}\"]+")


class IndexColumns(NamedTuple):
    """Which words of a line are a name, its kind, a number, and the file where that has one; else -1."""

    name: int
    kind: int
    number: int
    file: int

    def row_of(self, line: str) -> tuple[str, str, str] | None:
        """The name, the kind and the file that a line tells of, if it is a row."""
        words = line.split(None, MOST_WORDS)
        if len(words) <= max(self) or not words[self.kind].isalpha():
            return None
        if not (_NUMBER if self.file >= 0 else _ADDRESS).fullmatch(words[self.number]):
            return None
        return words[self.name], words[self.kind], words[self.file] if self.file >= 0 else ""


def name_index(lines: Sequence[str]) -> NameIndex | None:
    """The index that a text is, where its lines are names with a kind and a number; None for what is none."""
    filled = [*filter(str.strip, lines)]
    columns = _index_columns(filled[:: max(1, len(filled) // A_FEW)][:A_FEW]) if len(filled) >= FEWEST_INDEXED else None
    if columns is None:
        return None
    rows = [cells for line in filled if (cells := columns.row_of(line)) is not None]
    kinds, fits = {kind for _, kind, _ in rows}, sum(_NAME.fullmatch(name) is not None for name, *_ in rows)
    fine = len(rows) >= max(FEWEST_INDEXED, INDEXED * len(filled)) and fits == len(rows)
    from overspill.cut.digest.nodes import NameIndex  # few texts are one

    in_files = columns.file < 0 or all(_FILE.fullmatch(file) for *_, file in rows)
    return NameIndex(columns.row_of, rows) if fine and in_files and len(kinds) <= MOST_KINDS else None


def _index_columns(sample: list[str]) -> IndexColumns | None:
    """Where names, kinds and numbers stand in most of these lines; None where one of them does not."""
    rows = [line.split(None, MOST_WORDS)[:MOST_WORDS] for line in sample]
    widths = counts_of(map(len, rows))
    width = min((one for one in widths if one > 2 and widths[one] * HARDLY_ANY >= len(rows)), default=0)  # noqa: PLR2004
    rows = [row for row in rows if len(row) >= width]
    if not width or len(rows) < INDEXED * len(sample):
        return None
    columns = [[row[at] for row in rows] for at in range(width)]
    least = INDEXED * len(rows)
    file = _fitting_column(columns, least, _FILE.fullmatch, lambda distinct: 1 < distinct <= IN_ONE_FILE * len(rows))
    number = _fitting_column(columns, least, (_NUMBER if file >= 0 else _ADDRESS).fullmatch, lambda _: True)
    if number < 0:  # as of most texts
        return None
    fewest = 2 if file >= 0 else 1
    kind = _fitting_column(columns, least, _is_kind, lambda distinct: fewest <= distinct <= MOST_KINDS)
    taken = {file, number, kind}
    names = (at for at, words in enumerate(columns) if at not in taken and len({*words}) >= DIFFERENT * len(rows))
    name = next((at for at in names if all(map(_NAME.fullmatch, columns[at]))), -1)
    ends = file >= 0 or sum(len(row) <= name + 2 for row in rows) >= INDEXED * len(rows)
    return IndexColumns(name, kind, number, file) if min(name, kind, number) >= 0 and ends else None


def _is_kind(word: str) -> bool:
    return word.isalpha() and len(word) <= LONGEST_KIND


def _fitting_column(
    columns: list[list[str]], least: float, is_one: Callable[[str], object], is_number: Callable[[int], bool]
) -> int:
    """The first column in which most words are what is looked for, and as many differ; -1 if there is none."""
    found = (at for at, words in enumerate(columns) if _are_mostly(words, is_one, least))
    return next((at for at in found if is_number(len({*columns[at]}))), -1)


def _are_mostly(words: list[str], is_one: Callable[[str], object], least: float) -> bool:
    """Whether at least so many words are what is looked for: of most columns, the first few of them tell that not."""
    others = (word for word in words if not is_one(word))
    return next(islice(others, int(len(words) - least), None), None) is None
