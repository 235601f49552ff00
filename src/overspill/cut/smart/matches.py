"""Matches of a search (`rg`, `grep -n`, with or without headings): the first of every file, then the second."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.cut.smart.units import PLAIN, Findings, Name, Note, Unit, first_lines

if TYPE_CHECKING:
    from overspill.core.spans import Options, Span

MOST_LINES = 20_000
NOTE_WIDTH = 3_000
_LOCATED = r"(?P<path>(?:[A-Za-z]:)?[^\s:*<>|][^:*<>|\n]{0,250}?)(?P<sign>[:=-])\d+(?P=sign)"
_NUMBERED = r"\d+[:=-]"


def found_in(text: str, options: Options) -> Findings:
    """Matches by turns of their files, and how many each file has."""
    located, numbered = compile_pattern(_LOCATED).match, compile_pattern(_NUMBERED).match
    counts: dict[str, int] = {}
    units: list[Unit] = []
    header: Span | None = None
    for line in first_lines(text, MOST_LINES):
        start, end = line
        words = text[start : min(end, start + 300)]
        found = None if numbered(words) else located(words)
        if found is not None:
            path = found["path"]
            needs: tuple[Span, ...] = ()
        elif numbered(words) and header is not None:
            path, needs = text[header.start : header.end].strip(), (header,)
        else:
            header = line if words.strip(" -\r\n") else header
            continue
        if found is not None and found["sign"] != ":":
            continue  # a neighbour of a match
        counts[path] = counts.get(path, 0) + 1
        if end - start > options.max_line_length:
            end = start + options.max_line_length // 2
        units.append(Unit(start, end, PLAIN + 50, f"match in {path}", path, needs))
    return Findings(units, _file_notes(counts), edges=False, fill=not units, surveyed=True)


def _file_notes(counts: dict[str, int]) -> tuple[Note, ...]:
    if len(counts) <= 1:
        return ()
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    total = f"{sum(counts.values())} matches in {len(counts)} files"
    return (Note(total, tuple(Name(f"{path} {count}") for path, count in ranked), NOTE_WIDTH),)
