"""Matches of a search (`rg`, `grep -rn`, with or without headings).

How many every file has is told as a tree. Shown are definitions of the word, the first of every file, the second.

Listings that a tree of paths tells: of their lines the first, the last, and what is odd.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.cut.digest.names import TreeStatement
from overspill.cut.digest.paths import PathTable
from overspill.cut.smart.novelty import novel_units
from overspill.cut.smart.units import CONTEXT, DETAIL, SUMMARY, WARNING, Findings, Unit, first_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.core.spans import Options, Span
    from overspill.cut.digest import TextLines
    from overspill.cut.digest.names import NameTree
    from overspill.cut.digest.paths import PathDigest
    from overspill.cut.digest.survey import Survey

SHARE_SAMPLE = 400  # lines by which a text is told
MESSAGES = 0.15  # of the matches: then they are messages of a tool, which say more than where
LEAST = 0.05  # of the lines with a place: the others stand beside them
FEWEST = 2  # files

LOCATED = r"(?P<path>(?:[A-Za-z]:)?[^\s:*<>|\[][^:*<>|\n]{0,250}?)(?P<sign>[:=-])\d+(?P=sign)"
_MESSAGE = (
    r"[^\s:]+:\d+:\d+: |[^\s:]+:\d+(?::\d+)?: ?(?:fatal|error|warning|note|info|hint|style|convention|refactor"
    r"|[A-Z]{1,6}\d{2,5}\b)"
)
_FILE = r"(?:\.{0,2}/)?(?:[\w.@+%~ -]++/)*+[\w.@+%~-]+$"
LONGEST_PATH = 500
MOST_LINES = 20_000
SAMPLE = 300  # matches from which the word is told that was searched for
MOSTLY = 0.9  # of the matches hold it
SOME = 0.4  # of them define it at the most
MOST_WORDS = 8
_DEFINES = (
    r"\b(?:def|class|function\*?|func|fn|struct|enum|union|interface|type|typedef|trait|impl|module|namespace|package"
    r"|const|let|var|val|object|record|protocol|macro_rules!|sub|proc|CREATE TABLE)\s+[*&]?(?:\([^)]*\)\s*)?"
)
_IMPORTS = ("import ", "from ", "#include", "use ", "require", "using ")


def found_in(text: str, options: Options) -> Findings:
    """Matches by turns of their files; those that define what was searched for come first."""
    located = compile_pattern(LOCATED).match
    units: list[Unit] = []
    header: Span | None = None
    defines = definition_test(_sampled_matches(text))
    for line in first_lines(text, MOST_LINES):
        start, end = line
        words = text[start : min(end, start + 300)]
        numbered = is_numbered(words)
        found = None if numbered else located(words)
        if found is not None:
            path, said = found["path"], words[found.end() :]
            needs: tuple[Span, ...] = ()
        elif numbered and header is not None:
            path, needs = text[header.start : header.end].strip(), (header,)
            said = words.lstrip("0123456789")[1:]
        else:
            header = line if words.strip(" -\r\n") else header
            continue
        if (found is not None and found["sign"] != ":") or (numbered and words.lstrip("0123456789")[0] != ":"):
            continue  # a neighbour of a match
        if end - start > options.max_line_length:
            end = start + options.max_line_length // 2
        score, why = (DETAIL, "definition in") if defines(said) else (WARNING + 10, "match in")
        if score < DETAIL and said.lstrip().startswith(_IMPORTS):
            score -= 5  # what is used says more than that it is
        units.append(Unit(start, end, score, f"{why} {path}", path, needs))
    return Findings(units, edges=False, fill=not units, surveyed=True)


def _sampled_matches(text: str) -> list[str]:
    """What some of the matches say."""
    said: list[str] = []
    for start, end in first_lines(text, 4 * SAMPLE):
        line = text[start : min(end, start + 300)]
        found = compile_pattern(LOCATED).match(line)
        if found is not None and found["sign"] == ":":
            said.append(line[found.end() :])
        elif is_numbered(line) and line.lstrip("0123456789")[0] == ":":
            said.append(line.lstrip("0123456789")[1:])
    return said[:: len(said) // SAMPLE + 1]


def definition_test(matches: list[str]) -> Callable[[str], bool]:
    """Says of a match whether it defines the word that all of these have in common.

    >>> defines = definition_test(["def cut(text):", *["    return cut(line)"] * 4])
    >>> defines("def cut(text):"), defines("cut = None"), defines("    return cut(line)")
    (True, True, False)
    """
    counts: dict[str, int] = {}
    for line in matches:
        for word in set(compile_pattern(r"[^\W\d]\w+").findall(line)):
            counts[word] = counts.get(word, 0) + 1
    common = sorted(word for word, count in counts.items() if count >= MOSTLY * len(matches) and len(matches) > 1)
    searches = [
        compile_pattern(rf"{_DEFINES}{word}\b|^\s*(?:self\.|this\.)?{word}\s*(?::[^=]+)?=(?!=)").search
        for word in common[:MOST_WORDS]
    ]
    # What most of them define is how these lines are written, not what was looked for.
    telling = [search for search in searches if sum(1 for line in matches if search(line)) <= SOME * len(matches)]
    return lambda line: any(search(line) for search in telling)


def share_of(lines: list[str]) -> float:
    """The share of the lines that are matches, or stand beside them; none where they are messages of a tool."""
    filled = [line for line in lines if line and not line.isspace()]
    sample = (
        filled[: SHARE_SAMPLE // 2]
        + filled[SHARE_SAMPLE // 2 :: max(1, len(filled) // SHARE_SAMPLE)][: SHARE_SAMPLE // 2]
    )
    located, message = compile_pattern(LOCATED).match, compile_pattern(_MESSAGE).match
    places = [(line, one) for line in sample if (one := located(line)) and not one["path"].isdigit()]
    found = [line for line, one in places if " " not in one["path"]]
    spaced = [line for line, one in places if "/" in one["path"].partition(" ")[2] and '"' not in one["path"]]
    found += spaced if len(spaced) < len(found) else []
    sure = sum(1 for _, one in places if one["sign"] == ":")
    if sum(1 for line in found if message(line)) > MESSAGES * len(found) or sure < LEAST * len(places):
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
    return compile_pattern(_FILE).match(line) is not None


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

    share = 1.0

    def __init__(self, label: str, tree: NameTree) -> None:
        self._statement = TreeStatement(label, tree)

    def statements(self, room: int) -> tuple[str, ...]:
        """`[431 matches in 57 files: src/{a.py 12, cut/ 40}]`."""
        return self._statement.lines(room)

    def tells(self, _line: str) -> bool:
        """A tree tells where matches are, not what they say."""
        return False


MOST_ODD = 200  # lines


def listed_findings(held: TextLines, found: Findings, survey: Survey, digest: PathDigest) -> Findings:
    """What is left to show of a listing: the tree is the view."""
    text, lines, starts = held.text, held.all, held.starts
    units: list[Unit] = []
    for unit in (*(unit for unit in found.units if unit.score > CONTEXT), *novel_units(held, survey)):
        line = text[unit.start : text.find("\n", unit.start) % (len(text) + 1)]
        if not digest.tells(line.rstrip("\r")):
            units.append(unit)
    for number, said in digest.odd_lines(lines, MOST_ODD):
        units.append(Unit(starts[number], min(starts[number + 1], len(text)), WARNING, said, said))
    filled = [
        number for number in (*range(min(3, len(lines))), len(lines) - 2, len(lines) - 1) if lines[number].strip()
    ]
    units += (
        Unit(starts[number], min(starts[number + 1], len(text)), SUMMARY, "first or last line")
        for number in ({filled[0], filled[-1]} if filled else ())
    )
    digests = tuple(one for one in survey.digests if one is not digest)
    return Findings(units, edges=False, fill=False, dull=found.dull, digests=(*found.digests, digest, *digests))
