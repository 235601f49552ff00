"""A text counted again, for the statements that a view makes of it: its lines, records, entries, rows and keys.

Nothing here is shared with what makes the views. Where a wording leaves open what is counted (lines or entries, with or
without a heading), each sensible count is one of the answers: a statement is false if it is none of them.
"""

import re
from collections import Counter
from collections.abc import Iterator
from copy import copy
from functools import cached_property
from itertools import tee
from typing import NamedTuple
from xml.etree import ElementTree as ET
from xml.parsers import expat

from block_reader import Kinds, read_block_kinds
from column_claims import Scope
from headed_reader import read_headed
from heading_reader import read_marked, read_outline, read_page, read_ruled, read_titled
from line_claims import LineCounts
from place_reader import Told as ToldRecord
from place_reader import read_records
from table_reader import collect_keys, json_values, read_fields, read_tables
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


def renamed(path: str) -> str:
    """The path that statistics of changes tell with what it was before."""
    now = re.sub(r"\{.*? ?=> (.*?)\}", r"\1", path) if "{" in path else re.sub(r"^.* => ", "", path)
    return re.sub("/+", "/", now)


class Recount:
    """One text; everything is counted when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [line.rstrip("\r") for line in text.split("\n")]
        (self._tables,) = tee(read_tables(text), 1)

    @cached_property
    def told(self) -> Told:
        return Told(self.text)

    @cached_property
    def line_counts(self) -> LineCounts:
        return LineCounts(self.lines)

    @cached_property
    def block_kinds(self) -> list[Kinds]:
        """Blocks of lines by what they are like, in both ways that they may be written."""
        return [*read_block_kinds(self.lines)]

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

    @cached_property
    def unlinked(self) -> str:
        """The text as a reader of Markdown sees it: of links their words, not where they lead."""
        return re.sub(r"!?\[([^\]\n]*)\]\([^)\n]*\)", r"\1", self.text)

    def has_name(self, name: str) -> bool:
        """Whether a name stands in the text, as it is or below the heading that says its beginning."""
        bare = name.rstrip("/")
        parts = [name, bare, bare.removeprefix("./")]
        return any(part and (part in self.told.text or part in self._moved) for part in parts) or self._dotted(name)

    @cached_property
    def _moved(self) -> str:
        """What files that were renamed are called now: `src/{a => b}/c.py | 3 +-` is of `src/b/c.py`."""
        return "\n".join(renamed(line.strip().split(" | ")[0].rstrip()) for line in self.lines if " => " in line)

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

    @cached_property
    def outlines(self) -> list[tuple["Counter[str]", set[str]]]:
        """The headings of a document, with how often each is there, and its terms: as printed, and by marks."""
        page = read_page(self.text)
        if page:
            return [(page, set())]
        marked = (read_marked(self.lines), read_ruled(self.lines))
        printed = read_outline(self.lines)
        return [printed, *(read_outline(self.lines, one) for one in marked), read_titled(self.lines, printed)]

    @cached_property
    def headed_records(self) -> list[list[ToldRecord]]:
        """Messages below the paths of their files, in every way that they may be written."""
        return [*read_headed(self.lines)]

    # ---- entries of listings ----------------------------------------------------------------------------------------

    @cached_property
    def entries(self) -> list[str]:
        """The paths of a listing, one for every entry, directories of a listing by directories left aside."""
        narrow = is_narrow(self.lines)
        drawn = [found for line in self.lines if (found := branch_of(line, narrow=narrow))]
        if len(drawn) * 2 > len(self.lines):
            return [line.words for line in drawn_paths(self.lines)] + [name for depth, name in drawn if not depth]
        filled = [line for line in self.lines if line.strip()]
        listed = [one[1] for line in filled if (one := LISTED.match(line))]
        if len(listed) * 10 >= len(filled) * 6 and sum("/" in path for path in listed) * 2 > len(listed):
            return listed
        headings = sum(bool(FOLDER.match(line)) for line in self.lines)
        if headings:
            return list(self._below_folders())
        rows = [line for line in filled if PACKED.match(line)]  # among them the sums of an archive are none
        if len(rows) * 10 < len(filled) * 8:
            rows = [line for line in filled if any(row.match(line) for row in ROWS)]
        # A line that is not like the others is no entry, such as the last one of a text that was cut.
        paths = [_path_of(line) for line in (rows if len(rows) * 10 >= len(filled) * 8 else filled)]
        # What `du` calls `.` is all of it, an entry; beside `..` it is the directory itself.
        return [path for path in paths if path not in {".", ".."}] if ".." in paths else paths

    @cached_property
    def entry_names(self) -> frozenset[str]:
        """The entries without slashes at their ends."""
        return frozenset(one for entry in self.entries for one in (entry.strip("/"), entry.rstrip("/")))

    def _below_folders(self) -> Iterator[str]:
        folder, listed = "", True
        for before, line in zip(["x", *self.lines], self.lines, strict=False):
            if found := FOLDER.match(line):
                folder, listed = found[1].rstrip("/"), True
            elif line and not before:
                listed = False  # a list ends with a blank line
            elif listed and line.strip() and not line.startswith("total ") and not line.strip().startswith("("):
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

    @property
    def tables(self) -> Iterator[Scope]:
        """Every table that can be read out of the text, whatever writes it so; read as far as somebody looks."""
        return copy(self._tables)

    @cached_property
    def fields(self) -> list[Counter[tuple[str, str]]]:
        """Keys with their values, by each sign that may part them."""
        return [Counter(found) for found in read_fields(self.text)]

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
        for value in json_values(self.text):
            collect_keys(value, "", found)
        return found


LONGEST_RECORD = 2_000
RIGHTS = re.compile(
    r"(?:^|.*?\s)[bcdlps-][rwxsStT-]{9}[.+@]?\s.*?\s"
    r"(?:[A-Z][a-z]{2} +\d{1,2} +(?:\d{1,2}:\d{2}|\d{4})"
    r"|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [+-]\d{4})?)"
    r"\s(?:\[ *\d+ \d+\]\s+)?(.+)$"
)
LISTED = re.compile(r"(?:\s+|\s*[*+-] +)([^\s:=(\[]+)$")
SUM = re.compile(r"[0-9a-f]{32,128}\s+\*?(\S.*)$")
SIZED = re.compile(r"\s*[\d.,]+[KMGTPB]?i?B?\s+(\S.*)$")
OBJECT = re.compile(r"\d{6} (?:(?:blob|tree|commit) )?[0-9a-f]{40,64}(?: +(?:\d+|-))?\t(.+)$")
COUNTED = re.compile(r"([^\s:]*/[^\s:]*):\d+$")
OWNED = re.compile(r"[a-z0-9][a-z0-9.+:, -]*: (/.*)$")
PACKED = re.compile(
    r"(?:[-dl?]?[r-][w-][xsS-](?:[r-][w-][xsStT-]){2}) +(?:\d+/\d+|\d+\.\d +[a-z]{3}) +\d+ +(?:\S\S +\w{4} +)?"
    r"(?:\d\d-\w{3}-\d\d \d\d:\d\d|\w{3} +\d+ \d\d:\d\d \d{4}) (\S.*)$"
)
DATED = re.compile(r" *\d+ (?:[A-Z][a-z]{2} ){2} *\d+ \d\d:\d\d:\d\d [A-Z]{2,5} \d{4} (\S.*)$")
ROWS = (PACKED, DATED, RIGHTS, SUM, OBJECT, COUNTED, SIZED, OWNED)


def _path_of(line: str) -> str:
    """The path of a line of `find`, `du`, `ls -l`, `tar -tv`, `git ls-tree`, `grep -c`, `dpkg -S` or a list of sums."""
    for pattern in ROWS:
        if found := pattern.match(line):
            return found[1].split(" -> ")[0].rstrip()
    return line.strip().split(" -> ")[0]
