"""Matches of a search (`rg`, `grep -n`, with or without headings): definitions, the first of every file, the second."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.cut.digest.matches import LOCATED, is_numbered
from overspill.cut.smart.units import DETAIL, WARNING, Findings, Unit, first_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.core.spans import Options, Span

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

    >>> defines = definition_test(["def cut(text):", "    return cut(line)", "cut = None"])
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
