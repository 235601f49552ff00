"""What a view tells: its own lines, and what a reader rebuilds out of them without doubt.

Headings stand for the lines below them, braces for the names in them, places after a message for as many records, the
members of a JSON object or an XML element for one another. Each of these becomes a line, and facts are looked up in
the lines. The original text is read by the same rules, so that a fact counts the same in both.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, combinations, islice
from typing import NamedTuple
from xml.etree import ElementTree as ET

from block_reader import BLOCKS, told_lines
from line_claims import EACH, read_entries, read_slots, written_out
from statements import (
    VARIES,
    Entry,
    NotATree,
    Placed,
    directory_of,
    read_outline,
    read_places,
    read_statements,
    read_tree,
    unquoted,
    whole_path,
    worded_paths,
)


class Line(NamedTuple):
    """Words that are told together, and the lines of the text that it takes to know them."""

    words: str
    sources: tuple[int, ...]


MARK = re.compile(r"(?:\\ )?(?:\[\.\.\. |\.\.\. \[|\[same |\[\d+ ln x)|\[original |\.\.\.$")
"""A line that stands for others: what follows it need not belong to the heading above."""


class Told:
    """A text and all that can be rebuilt from it, ready to be searched."""

    def __init__(self, text: str, *, derive: bool = True) -> None:
        own = text.split("\n")
        document = document_lines(text) if derive else None
        derived = list(_derived(own)) if derive and document is None else document or []
        self._first = 0 if document is None else len(own)  # where lines begin that speak of one thing each
        self.lines = [Line(line, (number,)) for number, line in enumerate(own)] + derived
        self.text = "\n".join(line.words for line in self.lines)
        self._starts: list[int] = []
        at = 0
        for line in self.lines:
            self._starts.append(at)
            at += len(line.words) + 1

    def stretches(self, words: str) -> Iterator[Line]:
        """The lines that hold a string of several lines, as one, if they stand together."""
        at = self.text.find(words)
        if at >= 0:
            first, last = bisect_right(self._starts, at) - 1, bisect_right(self._starts, at + len(words) - 1)
            yield Line(
                words, tuple(dict.fromkeys(number for line in self.lines[first:last] for number in line.sources))
            )

    def records_with(self, words: str) -> Iterator[Line]:
        """The lines that hold a string and speak of one thing each: a line of a document can be all of it."""
        start = self._starts[self._first] if self._first < len(self._starts) else len(self.text)
        return self.lines_with(words, start=start)

    def lines_with(
        self, words: str, pattern: "re.Pattern[str] | None" = None, *, start: int = 0, most: int = 400
    ) -> Iterator[Line]:
        """The lines that hold a string, where a pattern (if given) matches from its beginning on; at most so many."""
        at, seen = self.text.find(words, start), 0
        while at >= 0 and seen < most:
            if pattern is not None and not pattern.match(self.text, at):
                at = self.text.find(words, at + 1)
                continue
            number = bisect_right(self._starts, at) - 1
            yield self.lines[number]
            seen += 1
            after = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
            at = self.text.find(words, after)


def _derived(lines: list[str]) -> Iterator[Line]:
    yield from _records_of_lines(lines)
    yield from _below_headings(lines)
    yield from drawn_paths(lines)
    # In YAML and INI, lines of ours are comments.
    statements = list(read_statements([line[2:] if line.startswith("# [") else line for line in lines]))
    below = directory_of(statement.words for statement in statements)
    for statement in statements:
        sources = tuple(range(statement.first, statement.after))
        if len(sources) > 1:
            yield Line(statement.words, sources)
        for words in told_by_statement(statement.words, below):
            yield Line(words, sources)


def told_by_statement(words: str, below: str = "") -> Iterator[str]:
    """What a statement says, factored forms written out; nothing for words that are no statement.

    Paths at places continue the directory `below`.
    """
    if blocks := BLOCKS.fullmatch(words):
        for _, said in told_lines(blocks["said"]):
            yield from (one for one in _alike_lines(f"1x {said}") if said.startswith("~"))
        return
    placed = read_places(words)
    if placed is not None:
        yield from _at_places(placed, below)
    yield from _alike_lines(words)
    yield from _indexed_names(words)
    label, sign, listed = words.partition(": ")
    if not sign or len(label) > LONGEST_LABEL:
        return
    entries = _listed_entries(label, listed)
    yield from worded_paths(label, entries)
    keys, owner = "key" in label, ""
    for entry in entries:
        if entry.name and not entry.more:
            name = entry.name
            # In the older list of failed tests a part after a slash belongs to the test named before it.
            if label == "by file":
                name = whole_path(name, below)
            elif name.startswith("/") and owner:
                name = owner + name
            else:
                owner = name.split("/")[0]
            yield f"{name} {entry.count or ''}{entry.detail}".rstrip()
            if keys:
                yield " ".join(f'"{part}":' for part in {name, *name.split(".")})


INDEXED = re.compile(r"\d+ (?P<kind>\S+) names by file: (?P<list>.+)", re.DOTALL)


def _indexed_names(words: str) -> Iterator[str]:
    """Names of one kind, each with the file that it is listed under.

    >>> [*_indexed_names("8 struct names by file: zlib.h: a, b x2; zutil.h: c; +4")]
    ['a struct zlib.h', 'b struct zlib.h', 'c struct zutil.h']
    """
    found = INDEXED.fullmatch(words)
    for part in found["list"].split("; ") if found else ():
        file, sign, names = part.partition(": ")
        yield from (f"{name.split(' x')[0]} {found['kind']} {file}" for name in names.split(", ") if sign and found)


def _listed_entries(label: str, listed: str) -> list[Entry]:
    """The names in a list, or the paths of elements in an outline; none if it is neither."""
    try:
        if re.fullmatch(r"\d+ elements", label):
            return [Entry(path, count) for path, count in read_outline(listed)[0].items()]
        return [entry for one in read_tree(listed) for entry in one.walk()]
    except NotATree:
        return []


LONGEST_LABEL = 60

ALIKE = re.compile(r"\d+x (?P<alike>~?)(?P<line>.*\{.*)")
EACH_ALIKE = re.compile(r"\d+x ~(?P<line>.*)", re.DOTALL)
LEFT_OPEN = "\u2026"
"""Stands where a line says something else than the one beside it."""


def _alike_lines(words: str) -> Iterator[str]:
    """Lines that are alike, each value in its place: which of another place goes with it is left open.

    >>> list(_alike_lines("2x ~took {3, 9} ms of {7 .. 8} at {sea}"))
    ['took 3 ms of \u2026 at sea', 'took 9 ms of \u2026 at sea', 'took \u2026 ms of \u2026 at sea']
    """
    if (each := EACH_ALIKE.fullmatch(words)) and EACH in words:
        yield from dict.fromkeys(written_out(*each["line"].split(EACH, 1)))
        return
    found = ALIKE.fullmatch(words)
    parts = read_slots(found["line"]) if found else None
    if not found or not parts or len(parts) == 1:
        return
    if not found["alike"]:
        lead, sign, listed = found["line"].partition("{")
        yield from (f"{lead}{value}" for value, _ in (read_entries(listed.removesuffix("}")) or ()) if sign)
        return
    values = [list(_values(words)) for words in parts[1::2]]
    always = [
        one[0] if len(one) == 1 and "+" not in words else LEFT_OPEN
        for one, words in zip(values, parts[1::2], strict=True)
    ]
    for at, listed_here in enumerate(values):
        for value in listed_here:
            told = [*always[:at], value, *always[at + 1 :]]
            yield "".join(chain.from_iterable(zip(parts[::2], [*told, ""], strict=True)))


def _values(words: str) -> Iterator[str]:
    """The values that a place takes; none where only the ends of a range are said."""
    if re.fullmatch(r"\S+ \.\. \S+", words):
        return
    try:
        entries = [entry for one in read_tree(words) for entry in one.walk()]
    except NotATree:
        return
    yield from (unquoted(entry.name) for entry in entries if entry.inside is None and not entry.more)


def _at_places(placed: Placed, below: str) -> Iterator[str]:
    for path, position, part in placed.places:
        place = " = ".join(_spellings(whole_path(path, below), *position.split(":")))
        for message in _messages(placed, unquoted(part)):
            yield f"{message} @ {place}"


def _spellings(path: str, line: str, column: str = "") -> Iterator[str]:
    """A place as tools write it: which line and which column of which file it is, is told without doubt.

    >>> list(_spellings("a.js", "12", "5"))[:3]
    ['a.js:12:5', 'a.js 12:5', 'a.js: line 12, col 5']
    """
    yield f"{path}:{line}:{column}" if column else f"{path}:{line}"
    if column:
        yield from (f"{path} {line}:{column}", f"{path}: line {line}, col {column}", f"{path}({line},{column})")
        yield from (f"L:{line:>4} | P:{column:>4}", f"line {line} at column {column}")
    yield from (f'File "{path}", line {line}', f"L{line}")


def _messages(placed: Placed, part: str) -> Iterator[str]:
    """What is said at a place: the message, with what stands there put in the place of what varies."""
    message = placed.message
    if not part:
        yield message
    elif not placed.alike:
        yield " ".join(f" {message} ".replace(" * ", f" {part} ", 1).split())
    else:
        slots = list(VARIES.finditer(message))
        words = VARIES.findall(part) if len(slots) > 1 else [part]
        # Which of the parts vary is not said: that is left open only where there are more of them than words.
        for chosen in islice(combinations(slots, len(words)), MOST_READINGS):
            pieces, at = [], 0
            for slot, word in zip(chosen, words, strict=True):
                pieces += [message[at : slot.start()], word]
                at = slot.end()
            yield "".join([*pieces, message[at:]])


MOST_READINGS = 20


# ---- headings -------------------------------------------------------------------------------------------------------

FOLDER = re.compile(r"(\.{0,2}/?[^\s:/][^:/]*(?:/[^:/]+)*/?|\.{1,2}|/):$")
LISTED = re.compile(r"(?:[bcdlps-][rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+[\d.,]+[KMGT]?\s+\S+\s+\S+\s+\S+\s+)?(\S.*)$")
ALONE = re.compile(r"\s{0,2}((?:[\w@.+-]*/)*[\w@.+-]+\.\w+|/\S+)$")
NUMBERED = re.compile(r"\s*(\d+)(?:[:-](\d+))?[:\s-]\s*(\S.*)$")
ARROW = re.compile(r"\s*(?:-->|at|╭─\[|┌─|::>)\s*(\S+?:\d+(?::\d+)?)\]?$")
SHELLCHECK = re.compile(r"In (\S+) line (\d+):$")


def _below_headings(lines: list[str]) -> Iterator[Line]:
    """Entries with the heading that they stand below, until a blank line or a mark."""
    folder, path, script, heading = "", "", "", -1
    for number, line in enumerate(lines):
        if not line.strip() or MARK.match(line):
            folder = path = script = ""
            continue
        if found := SHELLCHECK.match(line):
            folder, path, script, heading = "", "", f"{found[1]}:{found[2]}", number
        elif found := FOLDER.match(line):
            folder, path, script, heading = found[1].rstrip("/"), "", "", number
        elif script:
            yield Line(f"{script}: {line.strip()}", (heading, number))
        elif path and (found := NUMBERED.match(line)):
            column = f":{found[2]}" if found[2] else ""
            yield Line(f"{path}:{found[1]}{column} {found[3]}", (heading, number))
        elif folder and (found := LISTED.match(line)):
            name = found[1].split(" -> ")[0]
            yield Line(f"{folder}/{name}", (heading, number))
        elif found := ALONE.match(line):
            path, heading = found[1], number


def _records_of_lines(lines: list[str]) -> Iterator[Line]:
    """A message, and the place that an arrow points to on one of the next lines."""
    said = -1
    for number, line in enumerate(lines):
        found = ARROW.match(line)
        if found and said >= 0 and number - said <= NEAR:
            yield Line(f"{lines[said].strip()} @ {found[1]}", (said, number))
        elif MARK.match(line):
            said = -1
        elif line.strip() and not line.startswith((" ", "\t", "|")):
            said = number


NEAR = 3

BRANCH = re.compile(r"((?:[│|` ][ \xa0]{3})*)(?:├──|└──|\|--|`--)[ \xa0](.+)$")
SHORT_BRANCH = re.compile(r"((?:[│ ]  )*)[├└]─ (.+)$")
NARROW_BRANCH = re.compile(r"((?:[│ ] )*)[├└]─(?:[─┬] |(?=[^\s─┬]))(.+)$")


def is_narrow(lines: list[str]) -> bool:
    """Whether a tree is drawn two signs deep for each level, as `npm ls` does."""
    return any("\u2500\u252c " in line for line in lines)


def branch_of(line: str, *, narrow: bool = False) -> tuple[int, str] | None:
    """How deep a line of a drawn tree is, and its name: as `tree` draws it, `npm ls`, `yarn list` or `findmnt`."""
    if not narrow and (found := BRANCH.match(line)):
        return len(found[1]) // 4, _first_cell(found[2]).split(" -> ")[0].rstrip("/")
    if found := SHORT_BRANCH.match(line):
        return len(found[1]) // 3, _first_cell(found[2])
    if found := NARROW_BRANCH.match(line):
        return len(found[1]) // 2, _first_cell(found[2]).removesuffix(" deduped")
    return None


def _first_cell(words: str) -> str:
    """The name of an entry that has other columns, unless it begins with one in brackets."""
    return words.strip() if words.startswith("[") else re.split(r"\s{2,}", words.strip())[0]


def drawn_paths(lines: list[str]) -> Iterator[Line]:
    """Whole paths out of the drawing of a tree."""
    above: list[tuple[str, int]] = []
    narrow = is_narrow(lines)
    for number, line in enumerate(lines):
        found = branch_of(line, narrow=narrow)
        if not found:
            if MARK.match(line):
                above.clear()
            continue
        depth, name = found
        if depth > len(above):
            continue  # what it belongs to was left out
        del above[depth:]
        above.append((name, number))
        if depth:
            yield Line("/".join(one for one, _ in above), tuple(at for _, at in above))


# ---- documents ------------------------------------------------------------------------------------------------------


def document_lines(text: str) -> list[Line] | None:
    """The objects of a JSON text, of JSON lines, or the elements of an XML one; None if it is neither."""
    bare = text.strip()
    try:
        if bare[:1] in "{[" and bare:
            return list(_members(json.loads(bare), "", (0,)))
    except (ValueError, RecursionError):
        pass
    try:
        if bare.startswith(("{", '"', "[")) and "\n" in bare:
            rows = [(number, json.loads(line)) for number, line in enumerate(text.split("\n")) if line.strip()]
            return [line for number, row in rows for line in _members(row, "", (number,))]
    except (ValueError, RecursionError):
        pass
    try:
        if bare.startswith("<"):
            builder = ET.TreeBuilder(insert_comments=True)
            return list(_elements(ET.fromstring(bare, ET.XMLParser(target=builder)), ""))
    except (ET.ParseError, ValueError, RecursionError):
        pass
    return None


def _members(value: object, path: str, sources: tuple[int, ...]) -> Iterator[Line]:
    """An object as one line: its scalars with their keys; then what is inside it."""
    if isinstance(value, str):
        yield from _own_words(value, sources)
        return
    if isinstance(value, dict):
        scalars = dict(_flat(value))
        if scalars:
            words = " ".join(f'"{key}": {one}' for key, one in scalars.items())
            yield Line(f"{path} {words}".replace("\n", " "), sources)
        for key, one in value.items():
            if isinstance(one, dict | list):
                yield Line(f'{path}."{key}":', sources)
                yield from _members(one, f"{path}.{key}" if path else str(key), sources)
            elif isinstance(one, str):
                yield from _own_words(one, sources)
    elif isinstance(value, list):
        for one in value:
            yield from _members(one, path, sources)


def _flat(value: dict[str, object]) -> Iterator[tuple[str, object]]:
    """The scalars of an object and of the small objects in it (a place, a range)."""
    for key, one in value.items():
        if isinstance(one, dict) and all(not isinstance(inner, dict | list) for inner in one.values()):
            yield from ((f"{key}.{name}", inner) for name, inner in one.items())
        elif not isinstance(one, dict | list):
            yield key, one


def _own_words(value: str, sources: tuple[int, ...], *, element: bool = False) -> Iterator[Line]:
    """A statement that stands as a string among the data."""
    bare = value.strip()
    if bare.startswith("[") and bare.endswith("]"):
        for statement in read_statements(bare.split("\n")):
            yield Line(f"[{statement.words}]", sources)
            yield from (Line(words, sources) for words in told_by_statement(statement.words))
            yield from (Line(words, sources) for words in _told_values(statement.words, element=element))


RANGE = r"\S+ \.\. \S+(?:, median \S+)?(?:; .+)?"
NOT_LISTED = re.compile(rf"{RANGE}|\d+ (?:distinct|rows|items|objects|elements|keys).*", re.DOTALL)
COLUMN = re.compile(r"(?P<column>[^\s:;=\"]+): (?P<list>.+)", re.DOTALL)
PAIRED = re.compile(r"(?P<name>[^\s:;=\"]+) with (?P<column>[^\s:;=\"]+): (?P<list>.+)", re.DOTALL)
BARE_WORD = re.compile(r"-?\d[\d.eE+-]*|true|false|null")


def _told_values(words: str, *, element: bool) -> Iterator[str]:
    """The values of a column as the document spells them: in quotes, behind their key or in their attribute.

    >>> list(_told_values("item.state: failed, ok 9", element=False))
    ['"state": "failed"', '"state": "ok"']
    >>> list(_told_values("class.name: Binding, +3", element=True))
    ['<class name="Binding"']
    >>> list(_told_values("name with version: ant 1.2, +3", element=False))
    ['"name": "ant" "version": "1.2"']
    """
    if paired := PAIRED.fullmatch(words):
        yield from _told_pairs(paired["name"], paired["column"], paired["list"])
        return
    if element and (tree := re.fullmatch(r"\d+ elements: (.+)", words, re.DOTALL)):
        yield from _told_elements(tree[1])
        return
    found = COLUMN.fullmatch(words)
    if not found or NOT_LISTED.fullmatch(found["list"]):
        return
    try:
        entries = [entry for one in read_tree(found["list"]) for entry in one.walk()]
    except NotATree:
        return
    owner, _, name = found["column"].rpartition(".")
    for entry in entries:
        if entry.inside is not None or entry.more or entry.detail:
            continue
        if element:
            yield f'<{owner} {name}="{entry.name}"'
        elif not BARE_WORD.fullmatch(entry.name):
            yield f'"{name}": "{entry.name}"'
        elif not entry.name[-1].isdigit():
            yield f'"{name}": {entry.name}'


def _told_elements(tree: str) -> Iterator[str]:
    """The elements that a tree of them names, as the document opens them.

    >>> list(_told_elements("list{item 600{lang 600, +2}}"))
    ['<list>', '<item>', '<lang>']
    """
    with suppress(NotATree):
        yield from dict.fromkeys(f"<{path.rpartition('/')[2]}>" for path in read_outline(tree)[0])


def _told_pairs(name: str, column: str, listed: str) -> Iterator[str]:
    """Rows by their names, each with its value, as the document spells both."""
    try:
        entries = [entry for one in read_tree(listed) for entry in one.walk()]
    except NotATree:
        return
    for entry in entries:
        if entry.inside is None and not entry.more:
            value = re.sub(r" x\d+$", "", entry.detail or str(entry.count or ""))
            yield f'"{name}": "{entry.name}" "{column}": "{unquoted(value)}"'


def is_comment(element: "ET.Element") -> bool:
    """Whether it is a comment; the type of its tag says nothing of that."""
    tag: object = element.tag
    return tag is ET.Comment


def _elements(element: "ET.Element", path: str) -> Iterator[Line]:
    """An element as one line: where it is, its attributes, its text."""
    if is_comment(element):
        yield from _own_words(element.text or "", (0,), element=True)
        return
    here = f"{path}/{element.tag}" if path else element.tag
    attributes = " ".join(f'{name}="{value}"' for name, value in element.attrib.items())
    said = " ".join((element.text or "").split())
    leaves = " ".join(
        f"{child.tag}={' '.join((child.text or '').split())}"
        for child in element
        if not is_comment(child) and not len(child) and (child.text or "").strip()
    )
    yield Line(f"{here} {attributes} {said} {leaves}".replace("\n", " "), (0,))
    for child in element:
        yield from _elements(child, here)
