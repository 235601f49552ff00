"""Lines that are alike or equal, and lines that begin alike: `412x ~LINE`, `87x Compiling {serde, tokio x2, +84}`."""

import json
import re
from collections import Counter
from functools import cached_property

LETTER = r"[^\s,;()\[\]{}<>=\"']"
VARIES = re.compile(rf"(?<!\w)'[^']*'|\"[^\"]*\"|(?<!{LETTER})(?:(?![\d/]){LETTER})*[\d/]{LETTER}*")
WIDEST = 1_000
"""A longer line is like no other."""


def template(line: str) -> str:
    """A line with what varies set aside: quoted texts, and words with a digit or a slash; blanks counted once.

    >>> template("took 3 ms at /a/b, 'x y'"), template("took  99 ms at c/d, 'z'")
    ('took # ms at #, #', 'took # ms at #, #')
    """
    return " ".join(VARIES.sub("#", line).split())


class LineCounts:
    """The lines of a text by what they say."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = [line.strip() for line in lines if line.strip()]

    @cached_property
    def equal(self) -> "Counter[str]":
        return Counter(" ".join(line.split()) for line in self.lines)

    @cached_property
    def templates(self) -> "Counter[str]":
        return Counter(template(line) for line in self.lines if len(line) <= WIDEST)

    def check(self, count: int, line: str, *, alike: bool) -> str:
        """Why it is false that so many lines are like this one, or begin like it and go on as is said in braces."""
        whys = [self._check_line(count, line, alike=alike)]
        if line.endswith("}"):
            whys += (self._check_group(count, line[: at.start()], line[at.end() : -1]) for at in re.finditer("{", line))
        return "" if "" in whys else whys[-1 if line.endswith("}") and len(whys) == 2 else 0]

    def _check_line(self, count: int, line: str, *, alike: bool) -> str:
        known = [line] if " ".join(line.split()) in self.equal else []
        if line.endswith("...") and not known:
            known = [one for one in self.lines if one.startswith(line.removesuffix("..."))]
        if not known:
            return f"the text has no line {line[:80]!r}"
        answers = {self.templates[template(one)] if alike else self.equal[" ".join(one.split())] for one in known}
        return "" if count in answers else f"{sorted(answers)} lines are"

    def _check_group(self, count: int, lead: str, words: str) -> str:
        entries = _entries(words)
        if entries is None:
            return f"the names behind {lead[:40]!r} cannot be read"
        prefix = template(lead) + " "
        own = [line for line in self.lines if len(line) <= WIDEST and template(line).startswith(prefix)]
        if not any(line.startswith(lead.rstrip()) for line in own):
            return f"no line begins with {lead[:80]!r}"
        if len(own) != count:
            return f"{len(own)} lines begin so"
        rests: dict[str, set[str]] = {}
        for line in own:
            rests.setdefault(_behind(line, prefix), set()).add(template(line))
        told = 0
        for said, times in entries:
            cut = said.removesuffix("...")
            names = rests.get(said) or {
                one for rest, found in rests.items() if said.endswith("...") and rest.startswith(cut) for one in found
            }
            if times not in {self.templates[one] for one in names}:
                return f"{said!r}: {sorted(self.templates[one] for one in names)} lines, {times} said"
            told += times
        more = re.search(r"(?:^|, )\+(\d+)$", words)
        left = count - told
        return "" if left == int(more[1] if more else 0) else f"{left} lines are not named"


def _behind(line: str, prefix: str) -> str:
    """What a line says behind the words that its template begins with."""
    at = line.find(" ") + 1
    while at and template(line[:at]) != prefix.rstrip():
        at = line.find(" ", at) + 1
    return line[at:].strip() if at else line


ENTRY = re.compile(r'(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<plain>[^,{}]+?))(?: x(?P<times>\d+))?(?=, |$)')


def _entries(words: str) -> list[tuple[str, int]] | None:
    """What is named in braces, each with the number of lines like it; None if this is no such list."""
    found: list[tuple[str, int]] = []
    at = 0
    while at < len(words):
        if re.compile(r"\+\d+$").match(words, at):
            return found
        entry = ENTRY.match(words, at)
        if entry is None:
            return None
        try:
            said = str(json.loads(entry["quoted"])) if entry["quoted"] else entry["plain"]
        except ValueError:
            return None
        found.append((said, int(entry["times"] or 1)))
        at = entry.end() + 2
    return found
