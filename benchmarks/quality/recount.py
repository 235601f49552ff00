"""A text counted again, for the statements that a view makes of it: its lines, records, entries, rows and keys.

Nothing here is shared with what makes the views. Where a wording leaves open what is counted (lines or entries, with or
without a heading), each sensible count is one of the answers: a statement is false if it is none of them.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from typing import NamedTuple
from xml.etree import ElementTree as ET
from xml.parsers import expat

import yaml
from column_claims import Scope
from line_claims import LineCounts
from place_reader import Told as ToldRecord
from place_reader import read_records
from telling import FOLDER, Told, branch_of, drawn_paths, is_narrow


class Record(NamedTuple):
    """Something said of a place."""

    path: str
    position: str
    said: str
    indented: bool = False

    @property
    def level(self) -> str:
        found = LEVEL_WORD.search(self.said[:60])
        return found[1].lower() if found else ""


LEVEL_WORD = re.compile(r"(?i)\b(error|warning|note|info|style|help|hint)\b")

RECORD = re.compile(
    r"\s*(?P<path>[^\s:()|][^:()|]*?)(?::(?P<at>\d+(?::\d+)?)|\((?P<in>\d+(?:,\d+)?)\))(?:\s*[:-]|\s|$)\s*(?P<said>.*)$"
)


class Recount:
    """One text; everything is counted when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [line.rstrip("\r") for line in text.split("\n")]

    @cached_property
    def told(self) -> Told:
        return Told(self.text)

    @cached_property
    def line_counts(self) -> LineCounts:
        return LineCounts(self.lines)

    @cached_property
    def line_number(self) -> int:
        return self.text.count("\n") + (not self.text.endswith("\n") and bool(self.text))

    @cached_property
    def byte_number(self) -> int:
        return len(self.text.encode("utf-8", "replace"))

    @cached_property
    def words(self) -> str:
        """The text on one line, blanks counted once, as a name that goes over two lines is said."""
        return " ".join(self.text.split())

    def has_name(self, name: str) -> bool:
        """Whether a name stands in the text, as it is or below the heading that says its beginning."""
        bare = name.rstrip("/")
        parts = [name, bare, bare.removeprefix("./")]
        return any(part and part in self.told.text for part in parts) or self._dotted(name)

    def _dotted(self, name: str) -> bool:
        return all(part in self.text for part in re.split(r"[.\[\]]+", name) if part) if "." in name else False

    # ---- records ----------------------------------------------------------------------------------------------------

    @cached_property
    def records(self) -> list[Record]:
        """Every line, or line below a heading or an arrow, that says something of a place."""
        found = []
        for line in self.told.lines:
            words = line.words
            if " @ " in words and len(line.sources) > 1:
                said, _, place = words.rpartition(" @ ")
                words = f"{place}: {said}"
            matched = RECORD.match(words) if len(words) < LONGEST_RECORD else RECORD.match(words[:LONGEST_RECORD])
            if matched:
                at = matched["at"] or (f"({matched['in']})" if matched["in"] else "")
                found.append(Record(matched["path"], at, " ".join(matched["said"].split()), words[:1].isspace()))
        return found

    @cached_property
    def told_records(self) -> list[ToldRecord]:
        """Messages at places, by the rules that statements of them are made by."""
        return read_records(self.lines)

    # ---- entries of listings ----------------------------------------------------------------------------------------

    @cached_property
    def entries(self) -> list[str]:
        """The paths of a listing, one for every entry, directories of a listing by directories left aside."""
        narrow = is_narrow(self.lines)
        drawn = [found for line in self.lines if (found := branch_of(line, narrow=narrow))]
        if len(drawn) * 2 > len(self.lines):
            return [line.words for line in drawn_paths(self.lines)] + [name for depth, name in drawn if not depth]
        headings = sum(bool(FOLDER.match(line)) for line in self.lines)
        if headings:
            return list(self._below_folders())
        filled = [line for line in self.lines if line.strip()]
        rows = [line for line in filled if any(row.match(line) for row in ROWS)]
        # A line that is not like the others is no entry, such as the last one of a text that was cut.
        return [_path_of(line) for line in (rows if len(rows) * 10 >= len(filled) * 8 else filled)]

    @cached_property
    def entry_names(self) -> frozenset[str]:
        """The entries without slashes at their ends."""
        return frozenset(one for entry in self.entries for one in (entry.strip("/"), entry.rstrip("/")))

    def _below_folders(self) -> Iterator[str]:
        folder = ""
        for line in self.lines:
            if found := FOLDER.match(line):
                folder = found[1].rstrip("/")
            elif line.strip() and not line.startswith("total ") and not line.strip().startswith("("):
                name = _path_of(line)
                if name not in {".", ".."}:
                    yield f"{folder}/{name}" if folder else name

    def entries_below(self, name: str) -> set[int]:
        """How many entries begin with a name (or are of its shape, where it holds a `*`)."""
        pattern = re.compile(re.escape(name).replace(r"\*", "[^/]*"))
        loose = re.compile(re.escape(name).replace(r"\*", ".*"))
        bare = name.removeprefix("./")
        answers = {
            sum(1 for entry in self.entries if entry.startswith(name)),
            sum(1 for entry in self.entries if entry.removeprefix("./").startswith(bare)),
            sum(1 for entry in self.entries if pattern.fullmatch(entry)),
            sum(1 for entry in self.entries if loose.fullmatch(entry)),
            sum(1 for entry in self.entries if entry == name or entry.startswith(name.rstrip("/") + "/")),
            sum(1 for entry in self.entries if entry.startswith(name.rstrip("/") + "/")),
        }
        return answers | {sum(1 for entry in self.entries if entry.removeprefix("./").rpartition("/")[0] == bare)}

    # ---- rows -------------------------------------------------------------------------------------------------------

    @cached_property
    def tables(self) -> list[Scope]:
        """Every table that can be read out of the text, whatever writes it so."""
        readers = (_json_tables, _yaml_tables, _csv_tables, _aligned_tables, _parted_tables, _block_tables)
        return [table for reader in readers for table in reader(self.text)]

    @cached_property
    def fields(self) -> list[Counter[tuple[str, str]]]:
        """Keys with their values, by each sign that may part them."""
        return [Counter(found) for found in _fields(self.text)]

    @cached_property
    def root(self) -> "ET.Element | None":
        """The document that an XML text is, with the names as they are written: prefixes stand for themselves."""
        builder = ET.TreeBuilder()
        parser = expat.ParserCreate()
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        try:
            parser.Parse(self.text.strip(), True)
            return builder.close()
        except (expat.ExpatError, ValueError, AssertionError):
            return None

    @cached_property
    def keys(self) -> set[str]:
        """The keys of a JSON text: by themselves, and dotted."""
        found: set[str] = set()
        for value in _json_values(self.text):
            _collect_keys(value, "", found)
        return found


LONGEST_RECORD = 2_000
RIGHTS = re.compile(
    r"(?:^|.*?\s)[bcdlps-][rwxsStT-]{9}[.+@]?\s.*?\s"
    r"(?:[A-Z][a-z]{2} +\d{1,2} +(?:\d{1,2}:\d{2}|\d{4})"
    r"|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [+-]\d{4})?)"
    r"\s(.+)$"
)
SUM = re.compile(r"[0-9a-f]{32,128}\s+\*?(\S.*)$")
SIZED = re.compile(r"\s*[\d.,]+[KMGTPB]?i?B?\s+(\S.*)$")
OBJECT = re.compile(r"\d{6} (?:blob|tree|commit) [0-9a-f]{40,64}(?: +(?:\d+|-))?\t(.+)$")
OWNED = re.compile(r"[a-z0-9][a-z0-9.+:, -]*: (/.*)$")
ROWS = (RIGHTS, SUM, OBJECT, SIZED, OWNED)


def _path_of(line: str) -> str:
    """The path of a line of `find`, `du`, `ls -l`, `tar -tv`, `git ls-tree`, `dpkg -S` or a list of sums."""
    for pattern in ROWS:
        if found := pattern.match(line):
            return found[1].split(" -> ")[0]
    return line.strip().split(" -> ")[0]


def _json_values(text: str) -> Iterator[object]:
    bare = text.strip()
    try:
        yield json.loads(bare)
    except (ValueError, RecursionError):
        for line in bare.split("\n") if bare.startswith(("{", "[")) else ():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                return


def _collect_keys(value: object, path: str, found: set[str]) -> None:
    if isinstance(value, dict):
        for key, one in value.items():
            whole = f"{path}.{key}" if path else str(key)
            found.update((str(key), whole))
            _collect_keys(one, whole, found)
    elif isinstance(value, list):
        for one in value:
            _collect_keys(one, path, found)


def _json_tables(text: str) -> Iterator[Scope]:
    """The arrays and the objects of a JSON text, those near the root first."""
    values = list(_json_values(text))
    if len(values) > 1:
        yield Scope(values)
    waiting: list[object] = values
    for _ in range(MOST_TABLES):
        if not waiting:
            return
        value = waiting.pop(0)
        if isinstance(value, dict):
            yield Scope(list(value.values()), tuple(map(str, value)))
            waiting += value.values()
        elif isinstance(value, list):
            yield Scope(value)
            waiting += value[:MOST_TABLES]


MOST_TABLES = 300


def _yaml_tables(text: str) -> Iterator[Scope]:
    """The documents of a YAML text, with every scalar as it is written, by a parser that knows all of YAML."""
    if not re.search(r"(?m)^\s*(?:- )?[^\s#].*:(?:\s|$)", text[:LONGEST_RECORD]):
        return
    try:
        documents = list(yaml.load_all(text, yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    if len(documents) > 1:
        yield Scope(documents, texts=True)
    yield from (Scope([one], texts=True) for one in documents if isinstance(one, dict | list))
    yield from (Scope(one, texts=True) for one in documents if isinstance(one, list))


def _scope(names: list[str], rows: list[list[str]]) -> Scope:
    """Rows by the names of their columns; those without a name are counted."""
    called = [name.strip() or f"column {at}" for at, name in enumerate(names, 1)]
    return Scope([dict(zip(called, (cell.strip() for cell in row), strict=False)) for row in rows], texts=True)


def _below_names(found: list[tuple[list[str], list[list[str]]]]) -> Iterator[Scope]:
    """The rows below each line that may name them; it is beyond doubt of the first that looks like names."""
    known = False
    for head, body in found:
        names = not known and _are_names(head, body)
        known = known or names
        yield _scope(head, [row for row in body if row != head])._replace(sure=names)


def _are_names(head: list[str], rows: list[list[str]]) -> bool:
    """Whether these are names of columns: each once, and none of them a number, where there are numbers below."""
    if len(set(head)) < len(head) or any(map(_is_number, head)) or not rows:
        return False
    columns = list(zip(*rows, strict=False))
    numeric = any(sum(map(_is_number, column)) * 2 > len(column) for column in columns)
    again = any(column.count(name) > 1 for name, column in zip(head, columns, strict=False))
    return not again and (numeric or all(name == name.upper() for name in head) or len(head) > 2)


def _is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"\s*[-+]?[\d.,]+[%A-Za-z]{0,3}\s*", cell))


def _numbered(width: int) -> list[str]:
    return [f"column {at}" for at in range(1, width + 1)]


RULE_LINE = re.compile(r"[\s|+=:_\u2500-\u257f-]*")


def _csv_tables(text: str) -> Iterator[Scope]:
    lines = [line for line in text.split("\n") if line.strip() and not RULE_LINE.fullmatch(line)]
    for sign in ",\t;|\u2502":
        if sum(sign in line for line in lines) * 2 < len(lines):
            continue
        bare = [line.strip().strip(sign) for line in lines] if sign in "|\u2502" else lines
        try:
            every = [list(csv.reader(bare, delimiter=sign))]
            if any('"' in line for line in bare):  # a quote in a cell may be just that
                every.append([row for line in bare for row in csv.reader([line], delimiter=sign)])
        except csv.Error:
            continue
        if sign in "|\u2502" and (heads := _drawn_heads(text, sign)):
            yield from _drawn_tables(bare, sign, heads)
            continue
        for rows in every:
            width = Counter(map(len, rows)).most_common(1)[0][0]
            full = [row for row in rows if len(row) == width]
            yield from _below_names([(row, full[at + 1 :]) for at, row in enumerate(full[:MOST_HEADS])])
            named = _are_names(full[0], full[1:])
            yield _scope(_numbered(width), full)._replace(sure=not named)


def _drawn_heads(text: str, sign: str) -> list[list[str]]:
    """The lines above the first rule inside of each drawn table: one, or up to four below a rule of their own."""
    heads = []

    def is_inside(line: str) -> bool:
        return bool(line.strip()) and (sign in line or RULE_LINE.fullmatch(line) is not None)

    drawn = groupby(text.split("\n"), is_inside)
    for lines in ([*table] for inside, table in drawn if inside):
        rules = [at for at, line in enumerate(lines) if RULE_LINE.fullmatch(line)]
        inner = [at for at in rules if 0 < at < len(lines) - 1]
        above = lines[1 : inner[0]] if inner and rules[0] == 0 else lines[: inner[0]] if inner else []
        if above and len(above) <= (4 if rules[0] == 0 else 1):
            heads.append([line.strip().strip(sign) for line in above])
    return heads


def _drawn_tables(bare: list[str], sign: str, heads: list[list[str]]) -> Iterator[Scope]:
    """The rows of tables with drawn headings, which are no rows; columns with several names go by their numbers."""
    every = {line for head in heads for line in head}
    rows = [line.split(sign) for line in bare if line not in every]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    names = {tuple(cell.strip() for cell in head[0].split(sign)) for head in heads}
    fitting = [list(one) for one in names if len(one) == width]
    called = fitting[0] if len(fitting) == 1 else _numbered(width)
    yield _scope(called, [row for row in rows if len(row) == width])._replace(sure=True)


def _aligned_tables(text: str) -> Iterator[Scope]:
    """Columns below a line of names, or without one; lines that begin below the second name may go on with a row."""
    lines = [line.expandtabs().rstrip() for line in text.split("\n") if line.strip()]
    if any(sum(sign in line for line in lines) * 2 > len(lines) and _drawn_heads(text, sign) for sign in "|\u2502"):
        return  # read as what it is drawn as
    filled = [line for line in lines if not RULE_LINE.fullmatch(line)]
    yield from _columns_in(filled)
    for margin in {found.start(2) for line in filled[:MOST_HEADS] if (found := re.match(r"(\s*\S+\s+)(\S+)", line))}:
        rows = [line for line in filled if len(line) - len(line.lstrip()) < margin]
        if len(filled) > len(rows) > len(filled) // 4:
            yield from _columns_in(rows)


def _columns_in(filled: list[str]) -> Iterator[Scope]:
    """Lines cut at blanks, or at gaps that nearly all of them have."""
    for start, line in enumerate(filled[:MOST_HEADS]):
        body = [one for one in filled[start + 1 :] if one != line]
        for named in _named_words(line.split()):
            rows = [words for one in body if len(words := one.split(None, len(named) - 1)) == len(named)]
            most = len(named) == len(line.split()) or len(rows) * 10 > len(body) * 8
            yield _scope(named, rows)._replace(sure=most and _are_names(named, rows))
    gaps = _gaps([line[:WIDEST] for line in filled[:MOST_MEASURED]])
    if not gaps:
        return
    full = [row for line in filled if (row := _cut(line, gaps))]
    heads = [[name.split("  ")[0] for name in row] for row in full[:MOST_HEADS]]
    yield from _below_names([(head, full[at + 1 :]) for at, head in enumerate(heads)])
    yield _scope(_numbered(len(gaps) + 1), full)._replace(sure=not any(_are_names(head, full) for head in heads))
    for at, line in enumerate(filled[:MOST_HEADS]):
        finer = _finer(gaps, line)
        head = _cut(line, finer) if finer else None
        if head and finer != gaps:
            cells = [row for one in filled[at + 1 :] if one != line and (row := _cut(one, finer))]
            yield _scope(head, cells)._replace(sure=_are_names(head, cells))
        if head:
            reaching = [one for one in filled[at + 1 :] if len(one) > finer[(len(finer) - 1) // 2][1]]
            cells = [row for one in reaching if one != line and (row := _cut(one, finer))]
            yield _scope(head, cells)._replace(sure=_are_names(head, cells))


def _named_words(names: list[str]) -> Iterator[list[str]]:
    """A word for each column, or two words for one of them."""
    if len(names) > 1:
        yield names
    for at in range(len(names) - 1) if len(names) > 2 else ():
        yield [*names[:at], " ".join(names[at : at + 2]), *names[at + 2 :]]


def _finer(gaps: list[tuple[int, int]], head: str) -> list[tuple[int, int]]:
    """The gaps that are blank in a line of names, too, and have a name behind them."""
    blank = [
        (start + found.start(), start + found.end())
        for start, end in gaps
        for found in re.finditer(" +", head[start:end].ljust(end - start))
    ]
    behind = [*(start for start, _ in blank[1:]), len(head) + 1]
    return [gap for gap, end in zip(blank, behind, strict=False) if head[gap[1] : end].strip()]


def _parted_tables(text: str) -> Iterator[Scope]:
    """Tables one below another: a drawn line after a blank one begins the next."""
    lines = text.split("\n")
    drawn = [bool(line.strip()) and RULE_LINE.fullmatch(line) is not None for line in lines]
    starts = [at for at in range(1, len(lines)) if drawn[at] and not lines[at - 1].strip()]
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True) if starts else ():
        yield from _aligned_tables("\n".join(lines[start:end]))


def _gaps(lines: list[str]) -> list[tuple[int, int]]:
    """Stretches that are blank in nearly all lines."""
    width = max(map(len, lines), default=0)
    if width > WIDEST:
        return []
    blank = [sum(line[at : at + 1] in {"", " "} for line in lines) >= NEARLY_ALL * len(lines) for at in range(width)]
    found = [one.span() for one in re.finditer("b+", "".join("b" if one else "x" for one in blank))]
    return [(start, end) for start, end in found if start and end < width]


NEARLY_ALL, WIDEST, MOST_MEASURED = 0.97, 1_000, 400


def _cut(line: str, gaps: list[tuple[int, int]]) -> list[str] | None:
    """The cells of a line; None where one of them covers a gap."""
    stops = [0]
    for start, end in gaps:
        at = line.rfind(" ", start, end)
        if at < 0 and len(line) > start:
            return None
        stops.append(at + 1 if at >= 0 else end)
    return [line[a:b].strip() for a, b in zip(stops, [*stops[1:], None], strict=True)]


FIELD_FORMS = (r"(.*?)\s*:(?:\s+(.*)|$)", r"([^=]*?)\s*=(?![=~>])\s*(.*)", r"([^|]*?)\s*\|(?:\s(.*)|$)")


def _fields(text: str) -> Iterator[list[tuple[str, str]]]:
    """Lines of a key and a value, by each sign that may part them."""
    for form in FIELD_FORMS:
        read = (re.match(form, line.rstrip("\r")) for line in text.split("\n"))
        yield [(found[1], (found[2] or "").strip()) for found in read if found and _is_key(found[1])]


def _is_key(words: str) -> bool:
    """A word, or a few in 48 characters, which begins with a letter and is no path or number."""
    few = len(words) <= 48 or " " not in words
    sane = "/" not in words and "  " not in words and sum(letter.isdigit() for letter in words) <= 6
    return bool(words) and len(words) <= 100 and words[0].isalpha() and few and sane and len(words.split()) <= 4


def _block_tables(text: str) -> Iterator[Scope]:
    """Records of fields, begun by each field that has the key of the first record's first."""
    for fields in _fields(text):
        yield Scope([value for _, value in fields], texts=True, sure=False)
        for first in dict.fromkeys(key for key, _ in fields[:MOST_LEADING]):
            rows: list[dict[str, object]] = []
            for key, value in fields:
                if key == first:
                    rows.append({})
                if rows and key in rows[-1]:
                    known = rows[-1][key]
                    rows[-1][key] = [*known, value] if isinstance(known, list) else [known, value]
                elif rows:
                    rows[-1][key] = value
            if len(rows) > 1:
                yield Scope([*rows], texts=True)


MOST_LEADING = 10
MOST_HEADS = 10
