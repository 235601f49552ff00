"""Lines that are alike or equal, that begin alike, or agree in some words.

`412x ~LINE`, `87x Compiling {serde, tokio x2, +84}`, `31x ~{10:00 .. 10:41} GET {/a 30, /b} {200}`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING

from column_claims import check_counts
from range_claims import range_of_words
from statements import template

if TYPE_CHECKING:
    from recount import Recount

MOST_WAYS = 16  # to read values in quotes
WIDEST = 1_000
"""A longer line is like no other."""


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
        if alike and "{" in line:
            whys += [self._check_slots(count, line), self._check_slots(count, line, whole=True)]
        if alike and EACH in line:
            whys.append(self._check_each(count, line))
        return "" if "" in whys else whys[-1 if line.endswith("}") and len(whys) == 2 else 0]

    def _check_line(self, count: int, line: str, *, alike: bool) -> str:
        known = [line] if " ".join(line.split()) in self.equal else []
        if line.endswith("...") and not known:
            known = [one for one in self.lines if one.startswith(line.removesuffix("..."))]
        if not known:
            return f"the text has no line {line[:80]!r}"
        answers = {self.templates[template(one)] if alike else self.equal[" ".join(one.split())] for one in known}
        return "" if count in answers else f"{sorted(answers)} lines are"

    def _check_slots(self, count: int, line: str, *, whole: bool = False) -> str:
        """Why there are not so many lines that say this, with these values where braces stand.

        Where a text in quotes is one word, `whole`, quotes around the values in braces may be the text's own.
        """
        slots = read_slots(line)
        if slots is None:
            return f"the values in {line[:60]!r} cannot be read"
        lines = [_with_whole_quotes(one) if whole else one for one in self.lines if len(one) <= WIDEST]
        own = len((_with_whole_quotes if whole else str)("x".join(slots[::2])).split())
        lines = [one for one in lines if len(one.split()) == own]
        words = [(r"(\S+)", *([r'("\S*")'] * (whole and said.startswith('"')))) for said in slots[1::2]]
        whys = [self._check_pattern(count, lines, slots, values) for values in islice(product(*words), MOST_WAYS)]
        return "" if "" in whys else whys[0]

    def _check_pattern(self, count: int, lines: list[str], slots: list[str], values: tuple[str, ...]) -> str:
        """The same, where the values look like this."""
        parts = [with_any_blanks(part) for part in slots[::2]]
        pattern = re.compile("".join(part + value for part, value in zip(parts, [*values, ""], strict=True)))
        matches = [found for one in lines if (found := pattern.fullmatch(one))]
        if len(matches) != count and all(len(one.split()) == 1 for one in lines):
            matches = [one for one in matches if template(one[0]) == "#"]  # of words alone those that may be anything
        if len(matches) != count:
            return f"{len(matches)} lines are like this"
        whys = [check_values([one[at] for one in matches], words) for at, words in enumerate(slots[1::2], 1)]
        return next(filter(None, whys), "")

    def _check_each(self, count: int, line: str) -> str:
        """Why these are not the lines that say this, with these words where stars stand."""
        pattern, _, listed = line.partition(EACH)
        wanted = Counter(" ".join(one.split()) for one in written_out(pattern, listed))
        parts = re.split(r"(\*|\{[^{}]+ \.\. [^{}]+\})", pattern)
        shape = re.compile("".join(r"(\S+)" if at % 2 else with_any_blanks(part) for at, part in enumerate(parts)))
        own = len("x".join(parts[::2]).split())
        lines = (one for one in self.lines if len(one) <= WIDEST and len(one.split()) == own)
        values = [found.groups() for one in lines if (found := shape.fullmatch(one))]
        if len(values) != count:
            return f"{len(values)} lines are like this"
        ranges = [(at, words[1:-1]) for at, words in enumerate(parts[1::2]) if words != "*"]
        whys = [check_values([row[at] for row in values], words) for at, words in ranges]
        if any(whys):
            return next(filter(None, whys))
        told = [
            (
                "".join(
                    f"{part}{word if said == '*' else said}"
                    for part, word, said in zip(parts[::2], (*row, ""), (*parts[1::2], ""), strict=True)
                )
            )
            for row in values
        ]
        there = Counter(" ".join(one.split()) for one in told)
        odd = next((one for one in {*wanted, *there} if wanted[one] != there[one]), None)
        return "" if odd is None else f"{odd!r} is there {there[odd]} times, {wanted[odd]} said"

    def _check_group(self, count: int, lead: str, words: str) -> str:
        entries = read_entries(words)
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


EACH = "; each *: "


def written_out(pattern: str, listed: str) -> "list[str]":
    """The lines that `* wants *` and `ant 1.2 -> bee, cat x2; dog 7 -> eel` stand for.

    >>> written_out("* wants *", "ant -> bee, cat x2; dog -> eel")
    ['ant wants bee', 'ant wants cat', 'ant wants cat', 'dog wants eel']
    """
    parts = pattern.split("*")
    found: list[str] = []
    for group in listed.split("; "):
        key, _, words = group.partition(" -> ")
        for word in words.split(", "):
            times = re.fullmatch(r"(.+) x(\d+)", word)
            values = [*key.split(" "), times[1] if times else word]
            if len(values) != len(parts) - 1:
                return []
            told = "".join(part + value for part, value in zip(parts, [*values, ""], strict=True))
            found += [told] * (int(times[2]) if times else 1)
    return found


def read_slots(line: str) -> list[str] | None:
    """The words of a line and what stands in its braces, by turns; None where these do not close."""
    parts, depth, start, quoted = list[str](), 0, 0, False
    for at, sign in enumerate(line):
        if depth and sign == '"' and (not quoted or not _escaped(line, at)):
            quoted = not quoted
        elif quoted:
            continue
        elif sign == "{":
            depth += 1
            if depth == 1:
                parts.append(line[start:at])
                start = at + 1
        elif sign == "}":
            depth -= 1
            if depth < 0:
                return None
            if depth == 0:
                parts.append(line[start:at])
                start = at + 1
    return None if depth or quoted else [*parts, line[start:]]


def _escaped(line: str, at: int) -> bool:
    before = line[:at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


BLANK = "\0"  # in quotes


def _with_whole_quotes(line: str) -> str:
    return re.sub(r'"[^"]*"', lambda found: re.sub(r"[ \t]", BLANK, found[0]), line)


def with_any_blanks(words: str) -> str:
    """A pattern for these words, however many blanks part them."""
    return rf"[\s{BLANK}]+".join(re.escape(word) for word in re.split(r"\s+", words))


def check_values(values: list[str], words: str) -> str:
    """Why these are not the values that a place of lines is said to have."""
    ends = re.fullmatch(r"(\S+) \.\. (\S+)", words)
    if ends:
        return range_of_words(values, ends[1], ends[2])
    if any(BLANK in value for value in values) and all(re.fullmatch('".*"', value) for value in values):
        values = [value[1:-1].replace(BLANK, " ") for value in values]
    why = check_counts(Counter(values), words)
    return "cannot be read" if why is None else why


def _behind(line: str, prefix: str) -> str:
    """What a line says behind the words that its template begins with."""
    ends = (blank.end() for blank in re.finditer(r"\s+", line))
    at = next((end for end in ends if template(line[:end]) == prefix.rstrip()), 0)
    return " ".join(line[at:].split()) if at else line


ENTRY = re.compile(r'(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<plain>[^,{}]+?))(?: x(?P<times>\d+))?(?=, |$)')


def read_entries(words: str) -> list[tuple[str, int]] | None:
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


# ---- hunks of a diff ------------------------------------------------------------------------------------------------


def check_changes(counted: "Recount", found: "re.Match[str]") -> str:
    """`changes not shown: src/a.py:12 -x = 1; +x = 2; :40 +y; +9 more, +3 more`: hunks begin there and change that."""
    hunks = _changed_lines(counted.lines)
    for entry in _changes_in(found["list"]):
        if re.fullmatch(r"\+\d+ more", entry):
            continue
        path, _, said = entry.partition(":")
        known = [f"{line} {form}" for (name, line), words in hunks if name.endswith(path) for form in _forms(words)]
        if not _follow(said, known):
            return f"{entry!r}: there {known[:2]} is changed"
    return ""


def _forms(changed: list[str]) -> Iterator[str]:
    """What may be said of a hunk: all lines that it changes, or one of them and how many more there are."""
    yield "; ".join(line for line in changed if line[1:])
    signs = [line[0] for line in changed]
    for line in dict.fromkeys(changed):
        left = {sign: signs.count(sign) - (line[0] == sign) for sign in "+-"}
        yield f"{line}; {' '.join(f'{sign}{number}' for sign, number in left.items() if number)} more"


def check_changed_names(counted: "Recount", found: "re.Match[str]") -> str:
    """`names in changes not shown: src/a.py +put -get take, b.py +x`: a line says so."""
    hunks = _changed_lines(counted.lines, whole=True)
    for entry in _changes_in(found["list"]):
        if re.fullmatch(r"\+\d+ more", entry):
            continue
        said = re.sub(r" and \d+ more$", "", entry)
        paths = {
            name for (name, _), _ in hunks if name and any(f" {said}".startswith(f"{end} ") for end in _ends(name))
        }
        for path in sorted(paths, key=len)[-1:] or [""]:
            own = next((end for end in _ends(path) if f" {said}".startswith(f"{end} ")), "")
            for word in f" {said}"[len(own) :].split():
                sign = word[0] if word[0] in "+-" and len(word) > 1 else ""
                lines = [line for (name, _), every in hunks if name == path for line in every if line.startswith(sign)]
                if not own or not any(re.search(rf"(?<!\w){re.escape(word[len(sign) :])}(?!\w)", one) for one in lines):
                    return f"{entry!r}: no line of {path!r} says {word!r}"
    return ""


def _ends(path: str) -> list[str]:
    """A path, and what is left of it without its first directories, each behind a blank."""
    parts = path.split("/")
    return [" " + "/".join(parts[at:]) for at in range(len(parts))]


def _follow(said: str, known: list[str]) -> bool:
    """Whether some of these hunks, in their order, are what is said."""
    return any(
        said == hunk or (said.startswith(f"{hunk}; :") and _follow(said[len(hunk) + 3 :], known[at + 1 :]))
        for at, hunk in enumerate(known)
    )


def _changes_in(words: str) -> Iterator[str]:
    at = 0
    while at < len(words):
        if words[at] == '"':
            entry, at = json.JSONDecoder().raw_decode(words, at)
            yield entry
            at += 2
        else:
            end = words.find(", ", at)
            yield words[at : end if end >= 0 else len(words)]
            at = end + 2 if end >= 0 else len(words)


def _changed_lines(lines: list[str], *, whole: bool = False) -> list[tuple[tuple[str, str], list[str]]]:
    """The hunks of a diff: the path that stands above each, the new line it begins at, and what it changes.

    With `whole` also its heading and what stays.
    """
    hunks: list[tuple[tuple[str, str], list[str]]] = []
    path, marks, left = "", 0, 0.0  # the lines that a hunk of two files still has, counted on both sides
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        begun = re.match(r"(@@+) .*?\+(\d+)(?:,\d+)? @@", line)
        if begun:
            marks = len(begun[1]) - 1
            sides = re.findall(r"[-+]\d+(?:,(\d+))?", line.split("@@")[1]) if marks == 1 else []
            left = sum(int(number or 1) for number in sides) if sides else float("inf")
            hunks.append(((path, begun[2]), [line] if whole else []))
        elif line.startswith("--- " if after.startswith("+++ ") else "+++ ") and (
            line[0] == "-" or before.startswith("--- ")
        ):
            named = line[4:].split("\t")[0].strip().strip('"')
            path, marks = named if named != "/dev/null" else path, 0
        elif not marks or left <= 0 or not line or line[0] not in " +-\\":
            marks = 0  # as the signature of a mail behind its last hunk
        else:
            left -= {" ": 2, "\\": 0}.get(line[0], 1)
            if whole or line[:marks].strip(" \\"):
                hunks[-1][1].append(line if whole else line[:marks].strip() + line[marks:].strip())
    return hunks
