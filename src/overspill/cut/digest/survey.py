"""The survey of a text: fed once, block by block, whatever its size; what it adds up to comes out.

Blocks begin at fixed places, so it makes no difference in which pieces a text comes. Which collectors it is worth is
decided by shares measured in its first lines, not by a guess of its kind.
"""

from __future__ import annotations

from itertools import pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, load_module
from overspill.core import count_bytes
from overspill.cut.digest.templates import TemplateDigest, TemplateTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.core.spans import PartialText
    from overspill.cut.digest import Collector, Digest, TextLines
    from overspill.cut.digest.templates import Template

BLOCK = 1 << 20
LONGEST = 1 << 16  # characters of a line: what lies behind them is not looked at
LISTED = 0.95
A_FEW = 150  # lines that are looked at for hints,
STEP = 7_919  # so many apart, over and over: a prime number
SAMPLE = 600  # lines from which the shares are taken
FEWEST_OPENERS = 2  # beside the first


class Aspect(NamedTuple):
    """What a text may be made of: a module with `share_of(lines)` and a `Collector`, the least share that counts.

    The module is loaded where a look at a few lines gives a hint of it: a plain log needs none.
    """

    module: str
    collector: str
    least: float
    hint: str
    sample: int = SAMPLE  # lines that are enough to tell
    measure: str = "share_of"


# The first that a text has enough of is its main one. Lines that are alike are counted in any case.
ASPECTS: tuple[Aspect, ...] = (
    Aspect("overspill.cut.digest.entries", "EntryCollector", 0.5, "entry"),
    Aspect("overspill.cut.digest.changes", "ChangeCollector", 0.25, "change"),
    Aspect("overspill.cut.digest.separated", "JsonLineCollector", 0.4, "object", A_FEW),
    Aspect("overspill.cut.digest.records", "RecordCollector", 0.1, "place"),
    Aspect("overspill.cut.digest.stacks", "StackCollector", 0.2, "block"),
    Aspect("overspill.cut.digest.changes", "WordedPathCollector", 0.7, "path", measure="share_of_worded"),
    Aspect("overspill.cut.digest.paths", "PathCollector", 0.6, "path"),
    Aspect("overspill.cut.smart.matches", "MatchCollector", 0.6, "match"),
    Aspect("overspill.cut.digest.outlines", "OutlineCollector", 0.8, "column"),
    Aspect("overspill.cut.digest.tables", "TableCollector", 0.7, "column", A_FEW),
)
LEAST_BESIDE = 0.08  # of the lines of a journal that tell of changed files: what was written takes the others
MAIN = 0.6  # of the lines: what is there beside this is not looked for
# Each begins with a sign, so that the engine passes over all else without trying.
_IN_FILE = compile_pattern(
    r"\.\w{1,8}(?:[\"']?[:(,|] ?\(?(?:\[?lines? )?\d|[:#]L\d|:\[line |\s+\d+\s+(?:\d+\s+)?[A-Za-z])"
)
_AT_MARGIN = compile_pattern(r"\s+\d+:\d+(?:-\d+:\d+)?\s|\s*L?\d+\s*[|\u2502\u2503\u2506]")
_IN_LINE = compile_pattern(r"l(?<!\wl)ines? \d")
_AT_L = compile_pattern(r"L(?<!\wL)(?:ine)?:? +\d")
_MATCH = compile_pattern(r"(?:\S+[:-])?\d+[:-](?!\d)")
_CHANGE = ("diff ", "+++ ", "--- ", "@@ ", "Index: ")
_STAMP = compile_pattern(r"[\[(<]?\d{2,4}[-:/]\d|[A-Z][a-z]{2} [ \d]\d \d\d:")  # a log is no table
_FIELD = compile_pattern(r"\s*[A-Za-z][\w .-]{0,39}[:=]")


def hints_in(lines: list[str]) -> set[str]:
    """What a text may be made of, at a glance.

    >>> [sorted(hints_in([line])) for line in ("src/a.py:3: x", "id,name", "12:00 all is well")]
    [['change', 'match', 'path', 'place'], ['column'], []]
    """
    sample = [line for line in some_lines(lines) if line and not line.isspace()]
    near = [line for line in lines[:A_FEW] if line and not line.isspace()]

    def share(holds: Callable[[str], object], some: list[str] = sample) -> float:
        return len([*filter(holds, some)]) / max(1, len(some))

    paths = share(_is_like_path) >= 0.25  # noqa: PLR2004
    patched = any(line.startswith(_CHANGE) for line in near)
    hints = {
        "change": patched or paths,
        "match": share(_MATCH.match) >= 0.25,  # noqa: PLR2004
        "place": share(_has_place, near) >= 0.05 or (near != sample and share(_has_place) >= 0.05),  # noqa: PLR2004
        "path": paths,
        "entry": not patched and _has_openers(lines),  # the commits of patches are told with them
        "object": share(_ends_with_object) >= 0.25,  # noqa: PLR2004
        "block": max(share(_is_set_in), share(_is_set_in, near)) >= 0.15  # noqa: PLR2004
        or ("" in lines[:A_FEW] and share(_has_place, near) >= 0.3),  # noqa: PLR2004
        "column": _is_separated(near)
        or (share(_STAMP.match) < 0.5 and (share(_has_columns) >= 0.5 or share(_FIELD.match) >= 0.5)),  # noqa: PLR2004
    }
    return {name for name, there in hints.items() if there}


def _has_openers(lines: list[str]) -> bool:
    """Whether some lines behind blank ones or rules begin as the text does, numbers aside: they may open entries.

    >>> _has_openers(["r12 | ann", "", "Mend it", "---", "r9 | bob", "", "Find it", "---", "r8 | ann"])
    True
    """
    first = next((line for line in lines[:A_FEW] if line.strip(" \t-=*")), "")
    if "" not in lines[:A_FEW] or not first[:1].isalnum():
        return False
    begin = first[0] if first[0].isdigit() else first.rstrip("0123456789 ")[:1]
    opened = (line for before, line in pairwise(lines) if line[:1] and not before.strip(" \t-=*"))
    return sum(line[0] == begin or (begin.isdigit() and line[0].isdigit()) for line in opened) >= FEWEST_OPENERS


def some_lines(lines: list[str]) -> list[str]:
    """Lines from all of a part. Steps of one width would see the same line of each record, where records are alike.

    >>> len({*some_lines(["a", "b", "c", "d", "e"] * 60)})
    5
    """
    number = len(lines)
    if number <= A_FEW:
        return lines
    return [lines[at] for at in sorted({at * STEP % number for at in range(A_FEW)})]


def _is_separated(lines: list[str]) -> bool:
    """Whether a separator stands in each line as often as in the first, which is no row itself.

    >>> rows = [f"2012-01-{day},0.0,sun" for day in range(10, 30)]
    >>> _is_separated(["date,rain,weather", *rows]), _is_separated(rows)
    (True, False)
    """
    first = lines[0] if lines else ""
    if any(map(str.isdigit, first)):
        return False
    return any(first.count(sign) and len({line.count(sign) for line in lines}) == 1 for sign in ",;\t|")


def _has_place(line: str) -> bool:
    # Few lines have what a place is told by, and looking for that is cheap.
    first = line[0]
    near = "." in line or first.isspace() or "line" in line or "--> " in line
    if not near and first in "L0123456789":  # as every line of a log that begins with the time
        near = "L" in line or "|" in line or (not line.isascii() and any(map(line.__contains__, "\u2502\u2503\u2506")))
    return near and (
        "--> " in line
        or ("." in line and _IN_FILE.search(line) is not None)
        or _AT_MARGIN.match(line) is not None
        or ("line" in line and _IN_LINE.search(line) is not None)
        or ("L" in line and _AT_L.search(line) is not None)
    )


_MODE = "-rwxsStT--"  # as `ls -l` writes who may do what


def _is_like_path(line: str) -> bool:
    """Whether a line may be of a listing.

    >>> [_is_like_path(line) for line in ("-rwxr-xr-x 1 root root 9 Jun 24 2025 bash", "src/a", "all is well")]
    [True, True, False]
    """
    word = line.strip()
    if "/" in word or "\u2500" in word or "--" in word:
        return True
    has_mode = word[:1] in tuple("-dlbcps") and len(word) > len(_MODE) and not word[1 : len(_MODE)].strip(_MODE)
    return has_mode or (" " not in word and ":" not in word and "," not in word)


def _is_set_in(line: str) -> bool:
    return line[0] in " \t#"


def _ends_with_object(line: str) -> bool:
    return line[-1] == "}" and '{"' in line


def _has_columns(line: str) -> bool:
    return "  " in line.strip() or "\t" in line or line.count(",") > 0 or "|" in line or ";" in line


_DRAWN = "\u2502\u251c\u2514\u2500\u252c|`+- \xa0"  # what the branches of a tree are drawn with


def _are_drawn_sentences(lines: list[str]) -> bool:
    """Whether most lines are branches of a drawn tree that say more than a name.

    >>> _are_drawn_sentences(["top", "|-- a", "|-- b"]), _are_drawn_sentences(["top", "|-- a (wants 3, has 2)"])
    (False, True)
    """
    drawn = [line.lstrip(_DRAWN).split() for line in lines if line[:1] in _DRAWN]
    return sum(len(words) >= SENTENCE for words in drawn) > len(lines) // 3


SENTENCE = 3  # words


OF_REPORTS = (("records", "place"), ("stacks", "block"))


def is_report(text: str) -> bool:
    """Whether most lines of a text are messages at places, or belong to one, or to stacks, or entries of a journal."""
    lines = _first_lines(text)
    hints = hints_in(lines)
    shares: Iterator[Callable[[list[str]], float]] = (
        load_module(f"overspill.cut.digest.{name}").share_of for name, hint in OF_REPORTS if hint in hints
    )
    return any(share_of(lines) >= MAIN for share_of in shares) or is_journal(text)


def is_journal(text: str) -> bool:
    """Whether a text is a journal of many entries, which have titles rather than headings."""
    lines = _first_lines(text)
    return _has_openers(lines) and bool(load_module("overspill.cut.digest.entries").are_short_entries(lines))


def _first_lines(text: str) -> list[str]:
    return text[:BLOCK].split("\n", SAMPLE)[:SAMPLE]


def _may_be_index(digest: Digest) -> bool:
    """Whether what was found may be an index of names: rows of a table, or lines that are alike."""
    return isinstance(digest, TemplateDigest) or hasattr(digest, "nameless")


class Survey:
    """Feed it all of a text, then `close` it."""

    def __init__(self) -> None:
        self.templates = TemplateTable()
        self.digests: tuple[Digest, ...] = ()
        self.in_blocks: Digest | None = None  # what may be told instead of lines that are alike
        self._collectors: list[Collector] | None = None
        self._pieces: list[str] = []
        self._waiting = 0
        self._chars = self._bytes = 0  # of the blocks before
        self._returns = False  # there were other line ends than LF
        self._listed = False  # it is a list of names: no line is like another
        self._blocks: Collector | None = None  # of blocks that are no stacks, where lines are all that is told

    def feed(self, text: str) -> None:
        """Take one more piece."""
        self._pieces.append(text)
        self._waiting += len(text)
        if self._waiting < BLOCK:
            return
        buffer = "".join(self._pieces)
        at = 0
        while len(buffer) - at >= BLOCK:
            end = buffer.rfind("\n", at, at + BLOCK) + 1
            if end:
                self._add(buffer[at : end - 1])
                at = end
            else:  # a very long line: its beginning has to do
                dropped = buffer[at + LONGEST : at + BLOCK]
                self._chars, self._bytes = self._chars + len(dropped), self._bytes + count_bytes(dropped)
                buffer = buffer[at : at + LONGEST] + buffer[at + BLOCK :]
                at = 0
        self._pieces = [buffer[at:]]
        self._waiting = len(buffer) - at

    def close(self) -> Survey:
        """The text is over: what it adds up to."""
        rest = "".join(self._pieces)
        self._pieces, self._waiting = [], 0
        if rest:
            self._add(rest.removesuffix("\n"))
        found = [one.digest() for one in self._collectors or () if one is not self._blocks]
        blocks = self._blocks.digest() if self._blocks is not None and not any(found) else None
        self.in_blocks = blocks if not getattr(blocks, "framed", False) else None
        found += [blocks] if blocks is not None and self.in_blocks is None else []
        if any(getattr(one, "nameless", False) for one in found) and self.templates.digest() is not None:
            # Lines that are alike, in columns that nobody named: what they say tells more.
            found = [one for one in found if not getattr(one, "nameless", False)]
        if not any(found) or any(getattr(one, "beside", False) for one in found):
            # What a collector adds up of all lines is not counted once more, line by line.
            found.append(self.templates.digest(self._told_elsewhere(found)))
        self.digests = tuple(one for one in found if one is not None)
        return self

    def _told_elsewhere(self, found: list[Digest | None]) -> dict[str, int]:
        """How many lines of each kind are told by others: in blocks, or line by line, beside those that are alike."""
        besides = [one.tells for one in found if getattr(one, "beside", False) and one is not None]
        kinds = self.templates.found.items() if besides else ()
        told = {name: one.count for name, one in kinds if any(tells(one.first) for tells in besides)}
        return told | (_told_in_blocks(found) or {})

    @property
    def is_doubtful(self) -> bool:
        """Whether a tree tells of lines that are more than paths: then these may tell more."""
        return not self._listed and any(getattr(one, "covers", False) for one in self.digests)

    def known_ends(self, held: PartialText) -> tuple[int, int]:
        """How many lines at either end of what is held are the first and the last of the text, as they were fed."""
        if not held.holes or self._returns or self._listed:
            return 0, 0
        text, last = held.text, held.holes[-1].at
        ended = text.endswith("\n")  # behind a hole stands the end of a line
        return text.count("\n", 0, held.holes[0].at), max(0, text.count("\n", last) - ended)

    def learn(self, text: TextLines) -> None:
        """All of the text is at hand: more can be told of lines that are alike, where nothing with names is told."""
        if not self._listed and all(_may_be_index(one) for one in self.digests):
            index = load_module("overspill.cut.digest.leading_names").name_index(text.all)
            if index is not None:
                self.digests, self.in_blocks = (index,), None
                return
        known = [one for one in self.digests if not getattr(one, "nameless", False)]
        blocks = [one for one in known if getattr(one, "in_blocks", False) or getattr(one, "beside", False)]
        known = known[len(blocks) :] if blocks == known[: len(blocks)] else known
        found = known[0] if known else TemplateDigest(self.templates)
        if isinstance(found, TemplateDigest) and not self._listed and (known or not blocks):
            from overspill.cut.digest.patterns import lines_alike

            templates, groups, often = found.parts()
            found.tell(lines_alike(text.all, templates, self.templates.groups_of(text), groups, often))
            names = None if blocks else load_module("overspill.cut.digest.leading_names").names_led_by(text.all)
            told = (*blocks, found) if found.worth else self.digests
            whole = getattr(names, "complete", False)  # nothing more can be told of lines that are a name each
            self.digests = (*([names] if names else []), *(() if whole else told))

    def told_in_blocks(self, text: TextLines) -> Survey:
        """This survey as it tells blocks that are no stacks, in the place of lines that are alike."""
        other, blocks = Survey(), self.in_blocks
        other.templates = self.templates
        beside = self.templates.digest(_told_in_blocks([blocks])) if getattr(blocks, "beside", False) else None
        other.digests = tuple(one for one in (blocks, beside) if one is not None)
        other.learn(text)
        return other

    def _add(self, block: str) -> None:
        self._returns = self._returns or "\r" in block
        chars, size = len(block) + 1, count_bytes(block) + 1
        if "\r" in block:
            block = "\n".join(line.rstrip("\r") for line in block.split("\n"))
        if self._collectors is None:
            self._collectors = self._chosen(block.split("\n", SAMPLE)[:SAMPLE])
        new = {} if self._listed else self.templates.add(block)
        lines = block.split("\n") if self._collectors or (new and not self._returns) else []
        if new and not self._returns:
            self._place(new, lines, plain=block.isascii())
        self._chars += chars
        self._bytes += size
        for collector in self._collectors:
            collector.add(lines)

    def _place(self, new: dict[int, Template], lines: list[str], *, plain: bool) -> None:
        """Note where the first lines of new templates stand, so that they can be shown."""
        before = chars = count = 0
        for at, template in new.items():
            some = lines[before:at]
            width = sum(map(len, some)) + len(some)
            chars, count = chars + width, count + (width if plain else sum(map(count_bytes, some)) + len(some))
            template.before = (self._chars + chars, self._bytes + count)
            before = at

    def _chosen(self, lines: list[str]) -> list[Collector]:
        """The collectors that the text is worth, by its first lines."""
        chosen: list[Collector] = []
        hints, journal = hints_in(lines), False
        for aspect in ASPECTS:
            beside = journal and aspect.hint == "change"  # what somebody wrote is no table
            if not beside and (journal or aspect.hint not in hints):
                continue
            if aspect.hint == "block" and chosen:  # messages at places tell theirs
                continue
            module = load_module(aspect.module)
            if aspect.hint == "block" and module.share_in_blocks(lines[: aspect.sample]) >= MAIN:
                self._blocks = getattr(module, aspect.collector)()
            share_of: Callable[[list[str]], float] = getattr(module, aspect.measure)
            share = share_of(lines[: aspect.sample])
            listed = aspect.collector == "PathCollector" and share >= LISTED and not _are_drawn_sentences(lines)
            self._listed = self._listed or listed
            if share >= (LEAST_BESIDE if beside else aspect.least):
                chosen.append(getattr(module, aspect.collector)())
                journal = journal or aspect.hint == "entry"
            if share >= max(MAIN, aspect.least) and not journal:  # whose entries may have statistics
                break
        self._blocks = None if chosen else self._blocks  # which are told where nothing else is
        return [*chosen, *([self._blocks] if self._blocks is not None else [])]


def _told_in_blocks(found: list[Digest | None]) -> dict[str, int] | None:
    """How many lines that are alike stand in blocks which are told, where there are some."""
    counts: dict[str, int] | None = next((one.counts for one in found if getattr(one, "in_blocks", False)), None)  # type: ignore[union-attr]
    return counts


def survey_of(text: str) -> Survey:
    """The survey of a text that is held as a whole."""
    survey = Survey()
    survey.feed(text)
    return survey.close()
