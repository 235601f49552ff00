r"""What is said of places: lines that name a file and a line of it, in whatever form the tool that wrote them has.

A place is told by its shape: a word that looks like a path, with a number behind it. The message stands on the same
line, on the line above or below, or below a line that is the path alone.

>>> reader = RecordReader()
>>> lines = ["a.py:3:1: E501 Line too long", "b.cs(7,2): error CS1: No", "warning: odd", " --> c.rs:9:4"]
>>> for record in reader.read(lines):
...     print(*record)
a.py 3 1 E501 Line too long
b.cs 7 2 error CS1: No
c.rs 9 4 warning: odd

A message carries a level, the code of a rule, both or neither.

>>> marks_of("error TS2304: Cannot find name 'int'."), marks_of("W291 Trailing whitespace")
(MessageMarks(level='error', rule='TS2304'), MessageMarks(level='', rule='W291'))
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.digest.templates import WIDEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Match

_LEVELS = (
    "fatal error|internal error|fatal|error|err|warning|warn|note|notice|info|information|hint|help|style|suggestion"
    "|convention|refactor|critical|high|medium|low|deprecated|remark|deprecation|portability|performance|e|w|i"
)
_LEVEL_WORDS = frozenset(_LEVELS.split("|"))
_SIGNS = "!\u00d7\u2715\u2716\u2717\u2718\u26a0\u274c\u2a2f"  # that stand before a message, for its level
# `  ! eslint(no-var): x`, `✘ [ERROR] x`: a message, although it is indented
_SIGNED = compile_pattern(rf"\s*(?:[{_SIGNS}]\ufe0f? +\S|x [\w-]+\([\w/-]+\): )")
_LEAD = r"\s*(?:\d+>)?(?P<lead>(?:\[?[A-Za-z]{1,12}\]?:? {1,2}|[^\w\s./\\~@\"]{1,4}[ \[]?)?)"
_FIRST = r"""[^\s:"'<>|*?,;=`()\[\]{}]"""
_PATH = rf"""(?P<path>(?:[A-Za-z]:(?=[\\/])|file://)?{_FIRST}[^\s:"'<>|*?,;=`]*+)"""
_PATH_ALONE = rf"""(?P<path>(?:[A-Za-z]:(?=[\\/]))?{_FIRST}[^\s:"'<>|*?,;=`()]*+)"""
_SAID = r"(?: (?P<said>\S.*))?$"
# `    a.scss 9:9  root stylesheet`, below a message
_APART = compile_pattern(rf"\s+{_PATH} (?P<line>\d+):(?P<column>\d+)(?:\s.*)?$")
# What most lines of a checker look like: nothing before the place, one blank behind it.
_PLAIN = compile_pattern(
    rf"""((?:[A-Za-z]:(?=[\\/]))?{_FIRST}[^\s:"'<>|*?,;=`]*+):(\d+)(?::(\d+))?(?: -|:|) ([^\s:].*[^:\s])\s*$"""
)
# `a.py:3:1: x`, `a.py:3 x`, `a.ts:3:1 - x`, `A.java:[3,1] x`
_COLON = compile_pattern(
    rf'{_LEAD}"?{_PATH}"?:\[?(?P<line>\d+)(?:[:,](?P<column>\d+))?(?:-\d+(?:[:.]\d+)?)?(?: -|[:\]]+|){_SAID}'
)
# `Error ------ a.js:3:1`, `a.js:3:1 lint/rule ━━━━━━`: a title with a place; its message is the next line with words
_RULE_SIGNS = "-=\u2500\u2501\u2550"
_TITLED = compile_pattern(
    rf"(?:[A-Za-z]+ [{_RULE_SIGNS}]{{4,}} {_PATH}:(?P<line>\d+)(?::(?P<column>\d+))?"
    rf"|{_PATH.replace('path', 'first')}:(?P<row>\d+):(?P<place>\d+)(?: (?P<said>\S.*?))? +[{_RULE_SIGNS}]{{4,}})\s*$"
)
# `a.cs(3,1): x`
_PAREN = compile_pattern(rf"{_LEAD}{_PATH_ALONE}\((?P<line>\d+)(?:[,:.] ?(?P<column>\d+))?(?:,\d+,\d+)?\) ?:{_SAID}")
# `"a.c", line 3: x`, `a.js: line 3, col 1, x`, `In a.sh line 3:`
_WORDS = compile_pattern(
    rf'{_LEAD}"?{_PATH}"?[:,]? (?:on )?line (?P<line>\d+)(?:[:,.]? ?(?:col(?:umn)?\.? ?)?(?P<column>\d+))?[:,.]?{_SAID}'
)
# `x in a.php on line 3`, `x at a.pl line 3.`
_TRAIL = compile_pattern(
    rf"(?P<said>\S.*?) (?:in|at) {_PATH} (?:on )?line (?P<line>\d+)(?:[:,] ?(?:col(?:umn)? )?(?P<column>\d+))?\.?$"
)
# `::error file=a.py,line=3,col=1::x`
_COMMAND = compile_pattern(
    r"::(?P<lead>\w+) [^:]*?file=(?P<path>[^,:]+),line=(?P<line>\d+)(?:,[^:]*?col(?:umn)?=(?P<column>\d+))?[^:]*::"
    r"(?P<said>\S.*)"
)
# Below a path: `  3:1  error  x`, ` 3 | ERROR | x`
_ROW = compile_pattern(
    rf"\s*(?P<line>\d+)(?::(?P<column>\d+)(?:-\d+(?::\d+)?)?:?\s+|\s*\|\s+(?=(?i:{_LEVELS})\s+\|))(?P<said>\S.*)"
)
_LEVEL = compile_pattern(
    rf"(?i)[\s\[(*|{_SIGNS}\ufe0f]*(?:PHP )?(?P<level>[a-z]+ (?:error|warning)(?=: )|{_LEVELS})\b"
    r"(?:[:\])\[]| - | \| |  |(?=\s+[A-Z]{1,10}-?\d{2,6}\b))[\s:|-]*"
)
_CODE = compile_pattern(
    rf"(?:[{_SIGNS}x]\ufe0f? +)?(?P<call>[a-z][\w-]*\([\w/-]+\)): "
    r"|(?:>> \w+: )?\[?(?P<rule>[A-Z]{1,10}-?\d{1,6})\b(?:/[\w-]+)?[\]: (]"
    r"|(?:>> \w+: )?\[?(?P<named>[A-Za-z][\w.-]*:?[\w.-]*)\]:? "
    r"|(?P<key>[a-z][a-z0-9]*(?:[-/][A-Za-z0-9]+)+|[a-z][a-z-]+\[[\w-]+\])(?:: | {2,}(?=\S))"
)
_ENDING = compile_pattern(
    r".*\S(?:\s+\[(?P<square>-?[A-Za-z][\w./:,@=+-]*)\]|\s+\((?P<round>[A-Za-z@][\w@/.-]{3,})\)"
    r"|\s{2,}(?P<word>@?[a-z][\w-]*(?:/[\w-]+)*))\s*$"
)
_LEVEL_BEHIND = compile_pattern(rf"\S+ \((?P<level>(?i:{_LEVELS}))\): ")
_MARKED = compile_pattern(r"\s*[\^~|-][\^~| -]*")
_EXTENSION = compile_pattern(r".*\.[A-Za-z]\w{0,9}$")
_DETAIL = compile_pattern(r"\s+[a-z]+: +\S")
_DIGITS = compile_pattern(r"\d+")
_RULED = compile_pattern(rf"[{_RULE_SIGNS}]{{4}}")
_EXCERPT = compile_pattern(r"\s*(?:\d+\s*[|\t\u2502\u2503\u2506]|[|^~\u2502\u2503\u2506\u2577\u2575]|[-+=] )")
NO_PLACES = ("from", "File", "by", "via")  # before a path: what it tells is the way to a place
_MAY_MATTER = compile_pattern(r"[:(\[]\d|line \d")  # a place
_FIRST_SIGNS = frozenset(f"{_SIGNS}x")
FILE = "FILE: "
FAR = 9  # lines from a message to the place below it
MOST_KNOWN = 20_000
LONGEST_PATH = 300


class Record(NamedTuple):
    """One message at one place."""

    path: str
    line: str
    column: str
    message: str


class MessageMarks(NamedTuple):
    """What kind of message it is, as it says itself."""

    level: str
    rule: str


def marks_of(message: str) -> MessageMarks:
    """The level and the rule of a message, each empty where it carries none."""
    found = _LEVEL.match(message)
    level, start = (found["level"], found.end()) if found else ("", 0)
    if found and message[found.end("level")] == "[":
        start = found.end("level")
    code = _CODE.match(message, start)
    if code is not None:
        rule = code["rule"] or code["named"] or code["key"] or code["call"]
        behind = None if level else _LEVEL_BEHIND.match(message, start)
        return MessageMarks(behind["level"] if behind else level, rule)
    end = _ENDING.match(message, start)
    return MessageMarks(level, (end["square"] or end["round"] or end["word"]) if end else "")


def with_single_blanks(text: str) -> str:
    """What a message says, without what aligns it."""
    return " ".join(text.split()) if "  " in text or "\t" in text else text.rstrip()


def is_path(word: str) -> bool:
    """Whether a word with a number behind it is a file, and not a clock, a host or an address.

    >>> [is_path(word) for word in ("a.py", "src/a", "Makefile", "12", "10.0.0.1", "localhost")]
    [True, True, True, False, False, False]
    """
    if "/" in word or "\\" in word:
        return "://" not in word.removeprefix("file://") and any(map(str.isalpha, word))
    return _EXTENSION.match(word) is not None or word.endswith("file")


class RecordReader:
    """Reads records out of lines, which may come in blocks."""

    def __init__(self) -> None:
        self.belonging = 0  # lines that are no records and belong to one: its place, its source
        self.near: set[int] = set()  # hashes of lines between two records that are not far from each other
        self._paths: dict[str, bool] = {}
        self._heading = ""  # the path above rows
        self._above = ""  # the line above, if it names no place
        self._head, self._distance = "", 0  # the last line that is not indented, since a blank one
        self._waiting: tuple[str, str, str] | None = None  # a place whose message may stand below
        self._titled: Record | None = None  # a title, without its message
        self._pending, self._since = "", 0  # a message whose place may stand below, blank lines between them or not

    def read(self, lines: list[str]) -> list[tuple[str, str, str, str]]:
        """The records in these lines."""
        found: list[tuple[str, str, str, str]] = []
        plain, rows, paths = _PLAIN.match, _ROW.match, self._paths
        last = -FAR
        for at, line in enumerate(lines):
            match = plain(line) if ":" in line and not self._head and self._titled is None else None
            if match is not None and len(line) <= WIDEST and line[-1] not in _RULE_SIGNS:
                record = match.groups("")
                known = paths.get(record[0])
                if known or (known is None and self._is_path(record[0])):
                    found.append(record)  # type: ignore[arg-type]  # four groups
                    self._waiting = None
                    if last < at - 1:
                        self._note_between(lines, last, at)
                    last = at
                    continue
            stripped = line.lstrip()
            self._since += 1
            if not stripped or len(line) > WIDEST:
                self._forget()
            elif self._heading and self._titled is None and (row := rows(line)):
                found.append((self._heading, row["line"], row["column"] or "", row["said"].rstrip()))
                self._above = self._head = ""
                last = at
            elif (
                self._waiting is None
                and self._titled is None
                and ((len(stripped) < len(line) or _EXCERPT.match(line)) and not _MAY_MATTER.search(line))
            ):
                self._take_belonging(line, stripped[0])
            else:
                before = len(found)
                found += self._other_records(line)
                if len(found) > before:
                    if last < at - 1:
                        self._note_between(lines, last, at)
                    last = at
        return found

    def _note_between(self, lines: list[str], last: int, at: int) -> None:
        """What stands between two records that are not far from each other is about one of them."""
        if last >= 0 and at - last <= 2 * FAR and len(self.near) < MOST_KNOWN:
            # `  symbol:   class Foo` says more than the record does.
            self.near.update(hash(line) for line in lines[last + 1 : at] if not _DETAIL.match(line))

    def _other_records(self, line: str) -> Iterator[Record]:
        """What a line says that is not plainly a record."""
        self._distance += 1
        if self._titled is not None:
            yield self._titled_record(line)
            return
        if self._is_title(line):
            return
        record = self._located(line)
        if record is None:
            yield from self._unlocated(line)
            return
        if record.message:
            above = self._above
            if above and not any(marks_of(record.message)) and any(marks_of(above)):
                record = record._replace(message=above)
            yield record
        elif message := self._message_above(line):
            self.belonging += 1
            yield record._replace(message=message)
        else:
            self.belonging += 1
            self._waiting, self._above = record[:3], ""
            return
        self._head = self._above = self._pending = ""
        self._waiting = None

    def _take_belonging(self, line: str, first: str) -> None:
        """A line that belongs to a record, or is the message of one, signed as such by its first character."""
        self.belonging += 1
        self._distance += 1
        self._above = line
        if first in _FIRST_SIGNS:
            self._await_place(line)

    def _is_title(self, line: str) -> bool:
        """Whether a line is a title that names a place: its message stands below."""
        title = _TITLED.match(line) if _RULED.search(line) else None
        if title is None:
            return False
        path = title["path"] or title["first"]
        if not self._is_path(path):
            return False
        self._titled = Record(
            path, title["line"] or title["row"], title["column"] or title["place"] or "", title["said"] or ""
        )
        return True

    def _titled_record(self, line: str) -> Record:
        """The record of a title and the line below it."""
        assert self._titled is not None  # noqa: S101  # the caller asked
        title, self._titled = self._titled, None
        self.belonging += 1
        self._pending = ""
        return title._replace(message=f"{title.message} {line.strip()}".lstrip())

    def _message_above(self, line: str) -> str:
        """The message whose place this line is, if one stands above it."""
        if self._pending and self._since <= FAR:
            return self._pending
        head = self._head if self._distance <= FAR else ""
        return head if head and (line[0] in " \t" or any(marks_of(head))) else ""

    def _await_place(self, line: str) -> None:
        """A message that says what it is by a sign or a level: its place may stand below."""
        if _SIGNED.match(line) or (line[0] not in " \t" and any(marks_of(line))):
            self._pending, self._since = line.strip(), 0

    def _located(self, line: str) -> Record | None:
        """A line that names a place; its message is empty where it stands elsewhere."""
        match = located_match(line)
        if match is None and self._pending and self._since <= FAR:
            match = _APART.match(line)
            if match is not None and self._is_path(match["path"]):
                return Record(match["path"], match["line"], match["column"], "")
        if match is None or not self._is_path(match["path"]):
            return None
        said = _said_of(match)
        return None if said is None else Record(match["path"], match["line"], match["column"] or "", said)

    def _unlocated(self, line: str) -> Iterator[Record]:
        """What a line says that names no place of its own: a row below a path, or what stands at a place above."""
        indented = line[0] in " \t"
        row = _ROW.match(line) if indented or line[0].isdigit() else None
        if row is not None:
            self._take_heading(self._above)
            if self._heading:
                self._above = self._head = ""
                yield Record(self._heading, row["line"], row["column"] or "", row["said"].rstrip())
                return
        excerpt = _EXCERPT.match(line) is not None
        if self._waiting is not None:
            below = _without_marks(line)
            if _LEVEL.match(below) or _CODE.match(below):
                self._above = self._head = ""
                yield Record(*self._waiting, below)
                return
            self.belonging += 1
        elif indented or excerpt:
            self.belonging += 1
        if line.startswith(FILE):
            self._take_heading(line.rstrip())
        if not indented and not excerpt:
            self._head, self._distance = line.rstrip(), 0
        if not indented or line.lstrip()[0] in _FIRST_SIGNS:
            self._await_place(line)
        self._above = line.rstrip()

    def _take_heading(self, line: str) -> None:
        """The line above rows is the path that they are in, if it is one."""
        path = line.removeprefix(FILE).removesuffix(":")
        if line[:1] not in " \t" and ": " not in path and " | " not in path and is_path(path):
            self._heading = path

    def _forget(self) -> None:
        """After a blank line nothing belongs to what stood before it."""
        self._heading = self._above = self._head = ""
        self._distance = 0
        self._waiting = None

    def _is_path(self, word: str) -> bool:
        known = self._paths.get(word) if len(word) <= LONGEST_PATH else False
        if known is None:
            if len(self._paths) >= MOST_KNOWN:
                self._paths.clear()
            known = self._paths[word] = is_path(word)
        return known


def located_match(line: str) -> Match[str] | None:
    """Where a line names a place, and what it says beside that."""
    if line.startswith("::"):
        return _COMMAND.match(line)
    match = _COLON.match(line) if ":" in line else None
    if match is None and "(" in line:
        match = _PAREN.match(line)
    if match is None and " line " in line:
        match = _WORDS.match(line)
        if match is None or not is_path(match["path"]):
            match = _TRAIL.match(line)
            match = match if match and any(marks_of(match["said"])) else None
    return match


def _said_of(match: Match[str]) -> str | None:
    """What is said at a place: nothing where that stands on another line; None where it is no place of a message."""
    said: str = (match["said"] or "").rstrip()
    lead: str = match.groupdict().get("lead", "").strip()
    if lead.rstrip(":") in NO_PLACES:
        return None
    if match.re is _COMMAND:
        inner = _COLON.match(said)
        return inner["said"] if inner and inner["said"] else said
    if said.endswith(":") and not any(marks_of(said)):
        return ""  # `in public method f:`
    if not said or not lead:
        return said
    return f"{lead} {said}" if lead.strip("[]:").lower() in _LEVEL_WORDS else None


def messages_in(line: str) -> Iterator[str]:
    """What a line may say as the message of a record, in whatever form it is one."""
    match = located_match(line)
    if match is not None:
        yield with_single_blanks(_said_of(match) or "")
    row = _ROW.match(line)
    if row is not None:
        yield with_single_blanks(row["said"])
    yield with_single_blanks(_without_marks(line))
    yield with_single_blanks(line.strip())


def _without_marks(line: str) -> str:
    """A line without what points at the source above it."""
    mark = _MARKED.match(line)
    return (line[mark.end() :] if mark else line).strip()


LEAST_REPEATED = 0.5  # of the messages without a level or a rule: then they are messages, and no matches of a search
SOUNDED = 200  # lines at the beginning, in the middle and at the end


def share_of(lines: list[str]) -> float:
    """How much of these lines are records, or belong to one; 0 where they are matches of a search, or none."""
    middle = max(SOUNDED, (len(lines) - SOUNDED) // 2)
    parts = [lines[:SOUNDED], lines[middle : middle + SOUNDED], lines[max(middle + SOUNDED, len(lines) - SOUNDED) :]]
    told: list[str] = []
    belonging = full = 0
    for part in parts:
        reader = RecordReader()
        told += [record[3] for record in reader.read(part)]
        belonging += reader.belonging
        full += sum(1 for line in part if line.strip())
    marked = sum(1 for message in told if any(marks_of(message)))
    distinct = len({_DIGITS.sub("0", message) for message in told})
    if 2 * marked >= len(told) > 0:
        return (len(told) + min(belonging, FAR * 2 * len(told))) / full
    # Places in tracebacks say little and repeat, too: only where there is hardly anything else are they records.
    return len(told) / full if told and distinct <= LEAST_REPEATED * len(told) and 2 * len(told) > full else 0.0


def folder_of(path: str) -> str:
    """The directory in a path, with the slash behind it."""
    return path[: max(path.rfind("/"), path.rfind("\\")) + 1]


def shared_folder(paths: Iterable[str]) -> str:
    """The directory that all of these lie in, those aside that begin at the root while others do not.

    >>> shared_folder(["src/a/b.py", "src/c.py"]), shared_folder(["a.py", "b/c.py"]), shared_folder(["b/c.h", "/d.h"])
    ('src/', '', 'b/')
    """
    absolute = [path for path in paths if path[0] in "/\\" or path[1:2] == ":"]
    relative = [path for path in paths if path[0] not in "/\\" and path[1:2] != ":"]
    return _common_folder(relative or _main_part(absolute))


def _main_part(paths: list[str]) -> list[str]:
    """Of paths from the root those below the directory near it that has the most of them."""
    parts: dict[str, list[str]] = {}
    for path in paths:
        parts.setdefault("/".join(path.split("/", 3)[:3]), []).append(path)
    return max(parts.values(), key=len, default=[])


def _common_folder(paths: list[str]) -> str:
    first, last = min(paths, default=""), max(paths, default="")
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    folder = folder_of(first[:same])
    return folder if folder != "/" else ""


class PlaceList:
    """A statement that lists entries by their directories: `[37x MESSAGE @ a/{b.py:3, 9; c.py:7}; +12]`."""

    def __init__(self, opening: str, total: int, between: str) -> None:
        self.opening, self._left, self._between = opening, total, between
        self._folders: dict[str, dict[str, list[str]]] = {}
        self.length = len(opening) + len(self._more()) + 2  # the bracket and the line end

    def add(self, path: str, entry: str, worth: int = 1) -> None:
        """One more entry: what stands behind the name of a file."""
        folder = folder_of(path)
        name = path[len(folder) :]
        self.length -= len(self._more())
        files = self._folders.get(folder)
        if files is None:
            self.length += len(self._between) * bool(self._folders) + len(folder) + len(name) + len(entry)
            self._folders[folder] = {name: [entry]}
        elif name not in files:
            self.length += len(self._between) + len(name) + len(entry) + 2 * (len(files) == 1 and bool(folder))
            files[name] = [entry]
        else:
            self.length += 2 + len(entry) - 1
            files[name].append(entry[1:])
        self._left -= worth
        self.length += len(self._more())

    def _more(self) -> str:
        """How many entries are not named."""
        between = self._between if self._folders else ""
        return f"{between}+{self._left}" if self._left else ""

    def text(self) -> str:
        """The statement, without a line end."""
        parts: list[str] = []
        for folder, files in self._folders.items():
            inside = self._between.join(name + ", ".join(entries) for name, entries in files.items())
            parts.append(f"{folder}{{{inside}}}" if folder and len(files) > 1 else folder + inside)
        return f"{self.opening}{self._between.join(parts)}{self._more()}]"
