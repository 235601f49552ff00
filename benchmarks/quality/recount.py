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
from typing import NamedTuple
from xml.etree import ElementTree as ET

from column_claims import Scope
from line_claims import LineCounts
from place_reader import Told as ToldRecord
from place_reader import read_records
from telling import FOLDER, Told, branch_of, drawn_paths


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
        drawn = [found for line in self.lines if (found := branch_of(line))]
        if len(drawn) * 2 > len(self.lines):
            return [line.words for line in drawn_paths(self.lines)] + [name for depth, name in drawn if not depth]
        headings = sum(bool(FOLDER.match(line)) for line in self.lines)
        if headings:
            return list(self._below_folders())
        return [path for line in self.lines if line.strip() and (path := _path_of(line))]

    @cached_property
    def entry_names(self) -> frozenset[str]:
        """The entries without slashes at their ends."""
        return frozenset(entry.strip("/") for entry in self.entries)

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
        readers = (_json_tables, _csv_tables, _aligned_tables, _parted_tables, _block_tables)
        return [table for reader in readers for table in reader(self.text)]

    @cached_property
    def root(self) -> "ET.Element | None":
        """The document that an XML text is."""
        try:
            return ET.fromstring(self.text.strip())
        except (ET.ParseError, ValueError):
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


def _path_of(line: str) -> str:
    """The path of a line of `find`, `du`, `ls -l`, `tar -tv` or a list of sums."""
    for pattern in (RIGHTS, SUM, SIZED):
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
            rows = list(csv.reader(bare, delimiter=sign))
        except csv.Error:
            continue
        widths = Counter(map(len, rows))
        width = widths.most_common(1)[0][0]
        full = [row for row in rows if len(row) == width]
        yield from _below_names([(row, full[at + 1 :]) for at, row in enumerate(full[:MOST_HEADS])])
        yield _scope(_numbered(width), full)._replace(sure=not any(_are_names(row, full) for row in full[:MOST_HEADS]))


def _aligned_tables(text: str) -> Iterator[Scope]:
    """Columns below a line of names, or without one: cut at gaps that nearly all lines have, or at blanks."""
    lines = [line.expandtabs().rstrip() for line in text.split("\n") if line.strip()]
    filled = [line for line in lines if not RULE_LINE.fullmatch(line)]
    for start, line in enumerate(filled[:MOST_HEADS]):
        names = line.split()
        body = [one for one in filled[start + 1 :] if one != line]
        for width in {len(names), len(names) - 1} - {0, 1}:
            cells = [one.split(None, width - 1) for one in body]
            named = [*names[: width - 1], " ".join(names[width - 1 :])]
            rows = [row for row in cells if len(row) == width]
            yield _scope(named, rows)._replace(sure=width == len(names) and _are_names(named, rows))
    gaps = _gaps(filled[:MOST_MEASURED])
    if not gaps:
        return
    full = [row for line in filled if (row := _cut(line, gaps))]
    heads = [[name.split("  ")[0] for name in row] for row in full[:MOST_HEADS]]
    yield from _below_names([(head, full[at + 1 :]) for at, head in enumerate(heads)])
    yield _scope(_numbered(len(gaps) + 1), full)._replace(sure=not any(_are_names(head, full) for head in heads))


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


def _block_tables(text: str) -> Iterator[Scope]:
    """Blocks of lines with a key and a value each, a blank line or the first key between them."""
    for sign in (": ", "=", ":"):
        pairs = [line.partition(sign) for line in text.split("\n")]
        rows: list[dict[str, object]] = [{}]
        for key, found, value in pairs:
            name = key.strip()
            if not found or not name:
                if not name and rows[-1]:
                    rows.append({})
                continue
            if name in rows[-1]:
                rows.append({})
            rows[-1][name] = value.strip()
        full: list[object] = [row for row in rows if row]
        if len(full) > 1:
            yield Scope(full, texts=True)


MOST_HEADS = 6
