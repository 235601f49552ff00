"""Messages whose file is named above them, read out of a text in every way that such reports are written."""

import re
from collections import Counter
from collections.abc import Iterator

from place_reader import LEVELS, NOTHING_SAID, Told, _is_file, marks_of

ROW = re.compile(
    r"\s*(?:[^\w\s#(\[]{1,2}\ufe0f?\s+)?"
    r"(?:[Ll](?:ine)?[ :.]*(\d+)(?:\s*[,:|;]?\s*(?:P|C|[Cc]ol(?:umn)?|[Cc]har)[ :.]*(\d+))?"
    r"|\[(\d+)(?:[:,] ?(\d+))*\]|\((\d+)(?:[:,] ?(\d+))?\)|#(\d+)(?=:))"
    r"(?:\s*[-:|,.]+\s*|\s+)(?P<said>\S.*)$"
)
TAIL = re.compile(
    r"\s*(?P<said>\S.*?)[ ,]+[(\[]?(?:(?:on|at|in|from) )?(?:input )?lines? (\d+)(?:(?:--?|\u2013)\d+)?"
    r"(?:[, ]+(?:at |and )?col(?:umn)?\.? (\d+))?[)\].]*$"
)
NUMBER = re.compile(r"\s*(?:[Ll]ine|L|ln)\s*[:#]?\s*(\d+)(?:\s*[,:]\s*[Cc]ol(?:umn)?\s*:?\s*(\d+))?\s*:?$")
SOURCE = re.compile(r"\s*[>\u2771\u276f]?\s*L?(\d+)\s?[|\u2502\u2503\u2506]")
BORDER = re.compile(r"\s*[^\w\s]{0,3}[|\u2502\u2503\u2506\u22ee]|[\s\u22ee.\u00b7\u2500-\u257f|=~^_*-]*$")
POINTER = re.compile(r"[\s|\u2502\u2503\u2506:]*[\^~]+[-~^]*\s+(?P<said>[^\s^~-].*)$")
NAME = re.compile(
    r"(?:[A-Za-z]:(?=[\\/]))?(?:(?:[\w@.+~$-]*[/\\])+|(?=\w))[\w.+~$-]*\.[A-Za-z]\w{0,9}$|[\w@.+~-]*(?:/[\w@.+~-]+)+$"
)
NUMBERED = re.compile(rf"(?i)^\d+[:.)] (?=(?:{LEVELS})\b)")
AROUND = "[](){}<>\"'`:,;*|\u00bb\u00ab\u2026"
FIRST_LINES, WIDEST, LONGEST, WORDS = 600, 1_000, 300, 5
Place = tuple[str, str, str]


def read_headed(lines: list[str]) -> Iterator[list[Told]]:
    """The records of a text, once for every way of writing them."""
    known = {*filter(None, map(_title, lines[:FIRST_LINES]))}
    counts = Counter(before for before, _ in known)
    most = max(counts.values(), default=0)
    titles = {before for before, count in counts.items() if count == most > 1 and not before.startswith("(")}
    for read in (_rows, _tails, _numbered, _pointed, _quoted):
        found: list[Told] = []
        for path, part in _parts(lines, titles):
            found += [Told(path, at, " ".join(said.split()), *marks_of(said)) for _, at, said in read(part)]
        yield found


def _title(line: str) -> tuple[str, str] | None:
    """What stands before the one path in a short line, and the path."""
    words = line.split()
    named = [at for at, word in enumerate(words) if NAME.match(bare := word.strip(AROUND)) and _is_file(bare)]
    if len(words) > WORDS or len(named) != 1 or "://" in line:
        return None
    word = words[named[0]]
    path = word.strip(AROUND)
    return " ".join(words[: named[0]]) or word[: word.index(path)], path


def _parts(lines: list[str], titles: set[str]) -> Iterator[tuple[str, list[str]]]:
    """The lines below each path; all of them below none, where there is no path."""
    path, part = "", list[str]()
    for line in lines:
        if len(line) > WIDEST:
            continue
        title = _title(line) if titles else None
        if title and title[0] in titles:
            if path:
                yield path, part
            path, part = title[1], []
        else:
            part.append(line)
    if path or not titles:
        yield path, part


def _at(line: str, column: str | None) -> str:
    return f"{line}:{column}" if column else line


def _rows(lines: list[str]) -> Iterator[Place]:
    held, bar = None, 0
    for line in filter(str.strip, lines):
        found = ROW.match(line)
        if held and not found and not line[:bar].strip() and line[bar : bar + 2] == "| ":
            held = ("", held[1], f"{held[2]} {line[bar + 1 :].strip()}")
            continue
        if held:
            yield held
            held = None
        if found:
            numbers = [one for one in found.groups()[:-1] if one]
            held, bar = (
                ("", _at(numbers[0], numbers[1] if len(numbers) > 1 else ""), found["said"]),
                max(0, line.rfind("| ")),
            )
    if held:
        yield held


def _tails(lines: list[str]) -> Iterator[Place]:
    begun = None
    for line in filter(str.strip, lines):
        if begun:
            yield "", begun[0], f"{begun[1]} {line.strip()}"
            begun = None
        elif found := TAIL.match(line):
            said = NUMBERED.sub("", found["said"])
            if NOTHING_SAID.match(said):
                begun = (_at(found[2], found[3]), said)
            else:
                yield "", _at(found[2], found[3]), said


def _numbered(lines: list[str]) -> Iterator[Place]:
    at = ""
    for line in lines:
        if not line.strip():
            at = ""
        elif found := NUMBER.match(line):
            at = _at(found[1], found[2])
        elif at:
            yield "", at, line.strip()


def _pointed(lines: list[str]) -> Iterator[Place]:
    at = ""
    for line in lines:
        if found := SOURCE.match(line):
            at = found[1]
        elif at and (pointed := POINTER.match(line)):
            yield "", at, pointed["said"]


def _quoted(lines: list[str]) -> Iterator[Place]:
    said, last, width = list[str](), -1, 0
    fresh = True  # what is said next is said of another part
    for line in filter(str.strip, lines):
        if found := SOURCE.match(line):
            if said and int(found[1]) != last + 1:
                yield "", found[1], " ".join(said)[:LONGEST]
            last, width, fresh = int(found[1]), found.start(1), True
        elif BORDER.match(line):
            last = -1
        elif last >= 0 and len(line) - len(line.lstrip()) > width:
            continue
        else:
            said, last = ([] if fresh else said), -1
            said.append(line.strip())
            fresh = False
