"""Listings (`ls -R`, `find`, `tree`, `git status`, tables): some of every directory, and how many there are."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.smart import general
from overspill.cut.smart.units import CONTEXT, PLAIN, Findings, Name, Note, Unit, first_lines

if TYPE_CHECKING:
    from overspill.core.spans import Options, Span

MOST_GROUPS = 40
MOST_LINES = 20_000
TOGETHER = 3  # lines of one directory that are shown or left out together
NOTE_WIDTH = 600
_HEADER = r"(?P<path>\S.*):$"
_BRANCH = r"(?P<indent>(?:[\u2502|] {3}| {4}|[\u2502|]\xa0\xa0 )*)(?:[\u251c\u2514|`][\u2500-]{2} ?)(?P<name>\S.*)"
_SECTION = r"(?:Changes|Untracked|Unmerged) .*:$"


class ListingEntry(NamedTuple):
    """A line, and the directory it belongs to."""

    line: Span
    group: str
    header: bool = False


def found_in(text: str, options: Options) -> Findings:
    """Some entries of every directory, by turns."""
    entries = _listing_entries(text)
    groups: dict[str, list[ListingEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.group, []).append(entry)
    top = min((group.count("/") for group in groups), default=0)
    units = list(general.found_in(text, options).units)
    for group, members in groups.items():
        headers = tuple(entry.line for entry in members if entry.header)[:1]
        plain = [entry.line for entry in members if not entry.header]
        for at in range(0, len(plain), TOGETHER):
            together = plain[at : at + TOGETHER]
            score = PLAIN if len(groups) == 1 else PLAIN + 60 if group.count("/") == top else PLAIN + 50
            units.append(Unit(together[0].start, together[-1].end, score, f"of {group or 'the list'}", group, headers))
        units += [Unit(*header, CONTEXT + 10, "a directory", group) for header in headers]
    return Findings(units, _directory_notes(groups), surveyed=True)


def _directory_notes(groups: dict[str, list[ListingEntry]]) -> tuple[Note, ...]:
    """How many entries each directory has, the fullest first."""
    counts = {group: sum(1 for entry in members if not entry.header) for group, members in groups.items()}
    if len(counts) <= 1:
        return ()
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return (Note("entries", tuple(Name(f"{group or '.'} {count}") for group, count in ranked if count), NOTE_WIDTH),)


def _listing_entries(text: str) -> list[ListingEntry]:
    lines = first_lines(text, MOST_LINES)
    sample = [text[start:end].rstrip() for start, end in lines[:200]]
    if any(compile_pattern(_BRANCH).match(line) for line in sample):
        return _tree_entries(text, lines)
    if any(compile_pattern(_SECTION).match(line) for line in sample):
        return _headed_entries(text, lines, _SECTION)
    if sum(1 for line in sample if compile_pattern(_HEADER).match(line)) > 1:
        return _headed_entries(text, lines, _HEADER)
    return _path_entries(text, lines)


def _headed_entries(text: str, lines: list[Span], pattern: str) -> list[ListingEntry]:
    """`ls -R` and `git status`: headings, and entries below them."""
    heading = compile_pattern(pattern).match
    group = ""
    entries: list[ListingEntry] = []
    for line in lines:
        words = text[line.start : line.end].rstrip()
        if heading(words):
            group = words.rstrip(":")
            entries.append(ListingEntry(line, group, header=True))
        elif words:
            entries.append(ListingEntry(line, group))
    return entries


def _tree_entries(text: str, lines: list[Span]) -> list[ListingEntry]:
    """`tree`, `npm ls`, `cargo tree`: the branch at the first level, or at the second where there are few."""
    branch = compile_pattern(_BRANCH).match
    parsed: list[tuple[Span, int, str]] = []
    for line in lines:
        found = branch(text[line.start : line.end].rstrip())
        parsed.append((line, len(found["indent"]) // 4 + 1 if found else 0, found["name"] if found else ""))
    depth = 1 if sum(1 for _, level, _ in parsed if level == 1) > TOGETHER else 2
    group = ""
    entries: list[ListingEntry] = []
    for number, (line, level, name) in enumerate(parsed):
        below = parsed[number + 1][1] if number + 1 < len(parsed) else 0
        header = 0 < level <= depth and below > level
        group = name if header else "" if level <= depth else group
        entries.append(ListingEntry(line, group, header=header))
    return entries


def _path_entries(text: str, lines: list[Span]) -> list[ListingEntry]:
    """`find`, `git ls-files`, `tar t`: by directory, as deep as there are few enough of them."""
    paths = [text[start:end].strip().split()[-1:] for start, end in lines]
    parts = [path[0].strip("/").split("/")[:-1] if path else [] for path in paths]
    depth = 0
    for wanted in range(1, 9):
        groups = {tuple(part[:wanted]) for part in parts}
        if len(groups) > MOST_GROUPS:
            break
        depth = wanted
        if all(len(part) <= wanted for part in parts):
            break
    depth = max(depth, 1)
    return [ListingEntry(line, "/".join(part[:depth])) for line, part in zip(lines, parts, strict=True)]
