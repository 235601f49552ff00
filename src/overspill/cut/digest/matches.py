"""Matches of a search (`rg`, `grep -rn`, with or without headings): how many every file has, as a tree."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.cut.digest.names import TreeStatement
from overspill.cut.digest.paths import PathTable

if TYPE_CHECKING:
    from overspill.cut.digest.names import NameTree

SAMPLE = 400  # lines by which a text is told
SOME = 0.15  # of the matches: then they are messages of a tool, which say more than where
LEAST = 0.05  # of the lines with a place: the others stand beside them
FEWEST = 2  # files

LOCATED = r"(?P<path>(?:[A-Za-z]:)?[^\s:*<>|\[][^:*<>|\n]{0,250}?)(?P<sign>[:=-])\d+(?P=sign)"
_MESSAGE = (
    r"[^\s:]+:\d+:\d+: |[^\s:]+:\d+(?::\d+)?: ?(?:fatal|error|warning|note|info|hint|style|convention|refactor"
    r"|[A-Z]{1,6}\d{2,5}\b)"
)
_HEADING = r"(?:\.{0,2}/)?(?:[\w.@+%~ -]++/)*+[\w.@+%~-]+$"
LONGEST_PATH = 500


def share_of(lines: list[str]) -> float:
    """The share of the lines that are matches, or stand beside them; none where they are messages of a tool."""
    filled = [line for line in lines if line and not line.isspace()]
    sample = filled[: SAMPLE // 2] + filled[SAMPLE // 2 :: max(1, len(filled) // SAMPLE)][: SAMPLE // 2]
    located, message = compile_pattern(LOCATED).match, compile_pattern(_MESSAGE).match
    places = [(line, one) for line in sample if (one := located(line)) and not one["path"].isdigit()]
    found = [line for line, one in places if " " not in one["path"] or "/" in one["path"]]
    sure = sum(1 for _, one in places if one["sign"] == ":")
    if sum(1 for line in found if message(line)) > SOME * len(found) or sure < LEAST * len(places):
        return 0.0
    if found:
        return (len(found) + sum(1 for line in sample if line == "--")) / len(sample)
    numbered = [line for line in sample if is_numbered(line)]
    paths = sum(1 for line in sample if _is_heading(line))
    return (len(numbered) + paths) / len(sample) if len(numbered) >= paths > 0 else 0.0


def _is_heading(line: str) -> bool:
    """Whether a line may name the file of those below it."""
    if not 0 < len(line) < LONGEST_PATH or is_numbered(line) or not ("/" in line or "." in line):
        return False
    return compile_pattern(_HEADING).match(line) is not None


def is_numbered(line: str) -> bool:
    """Whether a line begins with its number in a file that is named above it."""
    digits = len(line) - len(line.lstrip("0123456789"))
    return 0 < digits < len(line) and line[digits] in ":-=" and digits < 9  # noqa: PLR2004  # no file has more lines


class MatchCollector:
    """Counts matches by file."""

    def __init__(self) -> None:
        self._table = PathTable()
        self._above = ""

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        paths: list[str] = []
        for line in lines:
            path, _, rest = line.partition(":")
            number, sign, _ = rest.partition(":")
            if sign and number.isdigit() and not path.isdigit():
                paths.append(path)
            elif path.isdigit():
                if self._above:
                    paths.append(self._above)
            elif not rest and _is_heading(line):
                self._above = line
            elif len(path) == 1 and (found := compile_pattern(LOCATED).match(line)) and found["sign"] == ":":
                paths.append(found["path"])  # of a drive
        self._table.add(paths)

    def digest(self) -> MatchDigest | None:
        """How many matches each file has, where there are several."""
        files = self._table.distinct
        tree = self._table.tree()
        if files is not None and files < FEWEST:
            return None
        counts = f"{tree.count} matches" + ("" if files is None else f" in {files} files")
        return MatchDigest(counts, tree)


class MatchDigest:
    """What the matches of a search add up to."""

    share = 0.8

    def __init__(self, label: str, tree: NameTree) -> None:
        self._statement = TreeStatement(label, tree)

    def statements(self, room: int) -> tuple[str, ...]:
        """`[431 matches in 57 files: src/{a.py 12, cut/ 40}]`."""
        return self._statement.lines(room)

    def tells(self, _line: str) -> bool:
        """A tree tells where matches are, not what they say."""
        return False
