"""A text counted again, for the statements that a view makes of it: its lines, records, entries, rows and keys.

Nothing here is shared with what makes the views. Where a wording leaves open what is counted (lines or entries, with or
without a heading), each sensible count is one of the answers: a statement is false if it is none of them.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple
from xml.etree import ElementTree as ET

from telling import FOLDER, Told, branch_of

QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
QUOTED_APART = re.compile(r"(?<!\w)'[^']*'(?!\w)|(?<!\w)\"[^\"]*\"(?!\w)")
WORD = re.compile(r"[^\s,;()\[\]{}<>=\"']+")
CODE = re.compile(r"[A-Z]+[0-9]+")
CODE_MIXED = re.compile(r"(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*[0-9])[A-Z0-9]+")


def template(line: str, quoted: "re.Pattern[str]" = QUOTED, code: "re.Pattern[str]" = CODE) -> str:
    """A line with what varies set aside: quoted texts, and words with a digit or a slash that are no codes.

    >>> template("E501 took 3 ms at /a/b, 'x y'"), template("E501 took 99 ms at c/d, 'z'")
    ("E501 took # ms at #, ''", "E501 took # ms at #, ''")
    """
    bare = quoted.sub("''", line.strip())
    return " ".join(
        WORD.sub(
            lambda word: "#" if re.search(r"[\d/]", word[0]) and not code.fullmatch(word[0]) else word[0], bare
        ).split()
    )


TEMPLATES: tuple[Callable[[str], str], ...] = (
    template,
    lambda line: template(line, code=CODE_MIXED),
    lambda line: template(line, quoted=QUOTED_APART),
    lambda line: template(line, quoted=QUOTED_APART, code=CODE_MIXED),
)


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


class Table(NamedTuple):
    """Rows alike: the values of every column, as they are written."""

    rows: int
    columns: dict[str, list[str]]


class Recount:
    """One text; everything is counted when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [line.rstrip("\r") for line in text.split("\n")]

    @cached_property
    def told(self) -> Told:
        return Told(self.text)

    @cached_property
    def line_counts(self) -> Counter[str]:
        return Counter(" ".join(line.split()) for line in self.lines)

    @cached_property
    def line_number(self) -> int:
        return self.text.count("\n") + (not self.text.endswith("\n") and bool(self.text))

    @cached_property
    def byte_number(self) -> int:
        return len(self.text.encode("utf-8", "replace"))

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
    def record_places(self) -> Counter[tuple[str, str]]:
        return Counter((record.path.removeprefix("./"), record.position) for record in self.records)

    def records_saying(self, message: str) -> tuple[set[int], list[Record]]:
        """How many records say a message (as all they say, after a level, or among other words), and which."""
        bare = " ".join(message.split())
        inside = [record for record in self.records if bare in record.said]
        whole = [record for record in inside if _bare(record.said) in {_bare(bare), bare} or record.said == bare]
        lines = sum(bare in line for line in self._normal_lines)
        return {len(inside), len(whole), lines}, inside

    @cached_property
    def _normal_lines(self) -> list[str]:
        return [" ".join(line.split()) for line in self.lines]

    def records_alike(self, message: str) -> tuple[set[int], list[Record]]:
        """The same for messages that are alike this one."""
        counts: set[int] = set()
        every: list[Record] = []
        for shape in TEMPLATES:
            wanted = {shape(message), shape(_bare(message))}
            alike = [record for record in self.records if wanted & {shape(record.said), shape(_bare(record.said))}]
            counts.add(len(alike))
            every = max(every, alike, key=len)
        return counts, every

    # ---- lines ------------------------------------------------------------------------------------------------------

    def lines_equal(self, line: str) -> set[int]:
        return {self.line_counts[" ".join(line.split())]}

    def lines_alike(self, line: str) -> set[int]:
        """How many lines are alike this one, by each reading of the rule."""
        counts = set()
        for number, shape in enumerate(TEMPLATES):
            counts.add(self._templates(number)[shape(line)])
        return counts

    def _templates(self, number: int) -> Counter[str]:
        known: dict[int, Counter[str]] = self.__dict__.setdefault("_known_templates", {})
        if number not in known:
            known[number] = Counter(map(TEMPLATES[number], self.lines))
        return known[number]

    def first_alike(self, line: str) -> str:
        """The first line of the text that is alike this one."""
        wanted = template(line)
        return next((one for one in self.lines if template(one) == wanted), "")

    # ---- entries of listings ----------------------------------------------------------------------------------------

    @cached_property
    def entries(self) -> list[str]:
        """The paths of a listing, one for every entry, directories of a listing by directories left aside."""
        drawn = [found for line in self.lines if (found := branch_of(line))]
        if len(drawn) * 2 > len(self.lines):
            below = [line.words for line in self.told.lines[len(self.lines) :] if len(line.sources) > 1]
            return below + [name for depth, name in drawn if not depth]
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
    def tables(self) -> list[Table]:
        """Every table that can be read out of the text, whatever writes it so."""
        return [
            table for reader in (_json_tables, _xml_tables, _csv_tables, _aligned_tables) for table in reader(self.text)
        ]

    @cached_property
    def keys(self) -> set[str]:
        """The keys of a JSON text: by themselves, and dotted."""
        found: set[str] = set()
        for value in _json_values(self.text):
            _collect_keys(value, "", found)
        return found


LONGEST_RECORD = 2_000
LEVEL = re.compile(
    r"^(?:(?:fatal )?error|warning|note|info|style|hint|convention|refactor|[EWCRIFN])(?:\[\w+\])?:?\s+", re.IGNORECASE
)


def _bare(said: str) -> str:
    """A message without the level before it and the rule after it."""
    return re.sub(r"\s+[\[(][\w./@-]+[\])]$", "", LEVEL.sub("", said))


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


def _spelt(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _table_of(objects: list[dict[str, object]]) -> Table:
    columns: dict[str, list[str]] = {}
    for one in objects:
        for key, value in _flatten(one, ""):
            columns.setdefault(key, []).append(_spelt(value))
    return Table(len(objects), columns)


def _flatten(value: dict[str, object], path: str) -> Iterator[tuple[str, object]]:
    for key, one in value.items():
        whole = f"{path}.{key}" if path else str(key)
        if isinstance(one, dict):
            yield from _flatten(one, whole)
        else:
            yield whole, one


def _json_tables(text: str) -> Iterator[Table]:
    values = list(_json_values(text))
    arrays: dict[str, list[list[dict[str, object]]]] = {}
    records = [value for value in values if isinstance(value, dict)]
    if len(values) > 1:
        yield _table_of(records)
        kinds: dict[tuple[str, ...], list[dict[str, object]]] = {}
        for one in records:
            kinds.setdefault(tuple(one), []).append(one)
        yield from map(_table_of, kinds.values())
    for value in values:
        _collect_arrays(value, "", arrays)
    for lists in arrays.values():
        if len(lists) < MANY:
            yield from map(_table_of, lists)
        if len(lists) > 1:
            yield _table_of([one for some in lists for one in some])


MANY = 200


def _collect_arrays(value: object, path: str, found: dict[str, list[list[dict[str, object]]]]) -> None:
    if isinstance(value, dict):
        inside = [one for one in value.values() if isinstance(one, dict)]
        if len(inside) > 1:
            found.setdefault(f"{path}.*", []).append(inside)
        for key, one in value.items():
            _collect_arrays(one, f"{path}.{key}", found)
    elif isinstance(value, list):
        rows = [one for one in value if isinstance(one, dict)]
        if rows:
            found.setdefault(path, []).append(rows)
        for one in value:
            _collect_arrays(one, path, found)


def _xml_tables(text: str) -> Iterator[Table]:
    try:
        root = ET.fromstring(text) if text.lstrip().startswith("<") else None
    except ET.ParseError:
        root = None
    if root is None:
        return
    kinds: dict[str, list[dict[str, object]]] = {}
    for element in root.iter():
        if isinstance(element.tag, str):
            row: dict[str, object] = dict(element.attrib)
            row |= {child.tag: (child.text or "").strip() for child in element if not len(child)}
            kinds.setdefault(element.tag, []).append(row)
    yield from map(_table_of, kinds.values())


def _csv_tables(text: str) -> Iterator[Table]:
    lines = [line for line in text.split("\n") if line.strip()]
    for sign in ",\t;|":
        if not lines or lines[0].count(sign) == 0:
            continue
        try:
            rows = list(csv.reader(lines, delimiter=sign))
        except csv.Error:
            continue
        rows = [[cell.strip() for cell in row] for row in rows if not re.fullmatch(r"[\s|+-]*", sign.join(row))]
        head, body = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
        if body:
            yield Table(len(body), {name: [row[at] for row in body] for at, name in enumerate(head)})


def _aligned_tables(text: str) -> Iterator[Table]:
    """Columns below a line of names: cut where the names begin, or at blanks."""
    lines = [line for line in text.split("\n") if line.strip()]
    for start, line in enumerate(lines[:MOST_HEADS]):
        names = line.split()
        if len(names) < 2:
            continue
        body = [one for one in lines[start + 1 :] if not re.fullmatch(r"[\s|+=-]*", one)]
        cells = [one.split(None, len(names) - 1) for one in body]
        full = [row for row in cells if len(row) == len(names)]
        if full:
            yield Table(len(full), {name: [row[at].strip() for row in full] for at, name in enumerate(names)})
        begins = [found.start() for found in re.finditer(r"\S+(?: \S+)*", line)]
        if len(begins) > 1:
            edges = list(zip(begins, [*begins[1:], None], strict=True))
            named = [line[a:b].strip() for a, b in edges]
            columns = {name: [row[a:b].strip() for row in body] for name, (a, b) in zip(named, edges, strict=True)}
            yield Table(len(body), columns)


MOST_HEADS = 12
