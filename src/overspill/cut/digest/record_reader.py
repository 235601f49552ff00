r"""Messages at places, read out of lines: a message stands beside its place, above or below it, or below a path.

>>> reader = RecordReader()
>>> lines = ["a.py:3:1: E501 Line too long", "b.cs(7,2): error CS1: No", "warning: odd", " --> c.rs:9:4"]
>>> for record in reader.read(lines):
...     print(*record)
a.py 3 1 E501 Line too long
b.cs 7 2 error CS1: No
c.rs 9 4 warning: odd
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.cut.digest.headed import HeadedLayout, HeadedReader, layout_of
from overspill.cut.digest.places import (
    LEVELS,
    LONGEST_PATH,
    MOST_KNOWN,
    PATH,
    PLAIN,
    SIGNS,
    Record,
    begins_marked,
    has_level,
    is_bare,
    is_marked,
    is_path,
    may_have_place,
    record_in,
    with_single_blanks,
)
from overspill.cut.digest.templates import WIDEST

if TYPE_CHECKING:
    from collections.abc import Iterator

# `  ! eslint(no-var): x`, `✘ [ERROR] x`: a message, although it is indented
_SIGNED = compile_pattern(rf"\s*(?:[{SIGNS}]\ufe0f? +\S|x [\w-]+\([\w/-]+\): )")
# `    a.scss 9:9  root stylesheet`, below a message
_APART = compile_pattern(rf"\s+{PATH} (?P<line>\d+):(?P<column>\d+)(?:\s.*)?$")
# `Error ------ a.js:3:1`, `a.js:3:1 lint/rule ━━━━━━`: a title with a place; its message is the next line with words
_RULE_SIGNS = "-=\u2500\u2501\u2550"
_TITLED = compile_pattern(
    rf"(?:[A-Za-z]+ [{_RULE_SIGNS}]{{4,}} {PATH}:(?P<line>\d+)(?::(?P<column>\d+))?"
    rf"|{PATH.replace('path', 'first')}:(?P<row>\d+):(?P<place>\d+)(?: (?P<said>\S.*?))? +[{_RULE_SIGNS}]{{4,}})\s*$"
)
# Below a path: `  3:1  error  x`, ` 3 | ERROR | x`
_ROW = compile_pattern(
    rf"\s*(?P<line>\d+)(?::(?P<column>\d+)(?:-\d+(?::\d+)?)?:?\s+|\s*\|\s+(?=(?i:{LEVELS})\s+\|))(?P<said>\S.*)"
)
_STAMP = compile_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* |#\d+ [\d.]+ ")  # of a log of builds
_FRAMES = "\u2502\u2503\u2551\u258c"  # what a message is framed with, on its left
_CORNERS = "\u2577\u2575\u256d\u2570\u250c\u2514\u250f\u2517"
_POINTING = "\u2514\u2570"
_MARKED = compile_pattern(r"\s*[\^~|-][\^~| -]*")
_POINTER = compile_pattern(r"[\s|%#;\u2502]*\^[\s^~-]*$")  # at what a message is about, in the source above it
_DETAIL = compile_pattern(r"\s+[a-z]+: +\S")
_DETAILED = compile_pattern(r"\s[a-z]+: +\S|[A-Z]{4}")  # what is said of a message, or shouted beside it
_DIGITS = compile_pattern(r"\d+")
_QUOTED = compile_pattern(r"""'[^']*'|"[^"]*"|\d+""")
_RULED = compile_pattern(rf"[{_RULE_SIGNS}]{{4}}")
_EXCERPT = compile_pattern(r"\s*(?:\d+\s*[|\t\u2502\u2503\u2506]|[|^~\u2502\u2503\u2506\u2577\u2575]|[-+=] )")
_FIRST_SIGNS = frozenset(f"{SIGNS}x")
FILE = "FILE: "
LONGEST_MESSAGE, BEGINNING = 640, 240  # characters of a message, and of a longer one those it is told by
FAR = 9  # lines from a message to the place below it
CLOSE = 4  # lines from a record to the next one: what stands between them is quoted


class RecordReader:
    """Reads records out of lines, which may come in blocks."""

    def __init__(self) -> None:
        self.belonging = 0  # lines that are no records and belong to one: its place, its source
        self.near: set[int] = set()  # hashes of lines between two records that are not far from each other
        self.quoted: set[int] = set()  # of these those that are quoted of the source, with a mark that points into it
        self._paths: dict[str, bool] = {}
        self._heading = ""  # the path above rows
        self._above = ""  # the line above, if it names no place
        self._head, self._distance = "", 0  # the last line that is not indented, since a blank one
        self._waiting: tuple[str, str, str] | None = None  # a place whose message may stand below
        self._waits = False  # also behind a blank line
        self._titled: Record | None = None  # a title, without its message,
        self._is_above = False  # or what begins a message that goes on below
        self._pending, self._since = "", 0  # a message whose place may stand below, blank lines between them or not

    def rest(self) -> list[tuple[str, str, str, str]]:
        """None: a record is over with the line that completes it."""
        return []

    def read(self, lines: list[str]) -> list[tuple[str, str, str, str]]:
        """The records in these lines."""
        found = self._read(lines)
        if max(map(len, lines), default=0) <= LONGEST_MESSAGE:  # as of nearly all texts
            return found
        return [(*record[:3], short_message(record[3])) for record in found]

    def _read(self, lines: list[str]) -> list[tuple[str, str, str, str]]:
        found: list[tuple[str, str, str, str]] = []
        plain, rows, paths = PLAIN.match, _ROW.match, self._paths
        last = -FAR
        for at, line in enumerate(map(bare_line, lines)):
            match = plain(line) if ":" in line and not self._head and self._titled is None else None
            if match is not None and line[-1] not in _RULE_SIGNS:
                record = match.groups("")
                known = paths.get(record[0])
                if (known or (known is None and self._is_path(record[0]))) and not (
                    line[-1] == "]" and is_bare(record[3])
                ):
                    found.append(record)  # type: ignore[arg-type]  # four groups
                    self._waiting = None
                    if last < at - 1:
                        self._note_between(lines, last, at)
                    last = at
                    continue
            stripped = line.lstrip()
            self._since += 1
            if not stripped:
                self._forget()
                continue
            if self._heading and self._titled is None and (row := rows(line)):
                found.append((self._heading, row["line"], row["column"] or "", row["said"].rstrip()))
                self._above = self._head = ""
                last = at
            elif (
                self._waiting is None
                and self._titled is None
                and ((len(stripped) < len(line) or _EXCERPT.match(line)) and not may_have_place(line))
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
            between = [line for line in lines[last + 1 : at] if line.strip() and not _DETAIL.match(line)]
            between = [line for line in between if not has_level(line)]  # another message, whose place is unknown
            self.near.update(map(hash, between))
            pointed = any("^" in line and _POINTER.match(line) for line in between)
            if pointed:
                self.quoted.update(hash(line) for line in between if not _DETAILED.search(line))
            if at - last <= CLOSE or pointed:
                self.belonging += sum(1 for line in between if line[0] not in " \t")  # the others are counted

    def _other_records(self, line: str) -> Iterator[Record]:
        """What a line says that is not plainly a record."""
        self._distance += 1
        if self._titled is not None:
            title = self._titled
            if not self._is_above or line[0] in " \t":
                self.near.add(hash(line))
                yield self._titled_record(line)
                return
            self._titled = None
            yield title
        if self._is_title(line):
            return
        record = self._located(line)
        if record is None:
            yield from self._unlocated(line)
            return
        if record.message and is_bare(record.message):
            self._titled, self._is_above = record, True
            return
        if record.message:
            drawn = line.lstrip()[0] in _POINTING and self._since <= FAR  # from the message to where it is
            above = self._pending if drawn else self._above
            if above and not is_marked(record.message) and is_marked(above):
                record = record._replace(message=above)
            yield record
        elif message := self._message_above(line):
            self.belonging += 1
            yield record._replace(message=message)
        else:
            self.belonging += 1
            self._waiting, self._above = record[:3], ""
            self._waits = line.endswith(":")
            return
        self._head = self._above = self._pending = ""
        self._waiting = None

    def _take_belonging(self, line: str, first: str) -> None:
        """A line that belongs to a record, or is the message of one, signed as such by its first character."""
        self.belonging += 1
        self._distance += 1
        self._above = line
        if first in _FIRST_SIGNS or has_level(line.lstrip()):
            self._await_place(line)

    def _is_title(self, line: str) -> bool:
        """Whether a line is a title that names a place: its message stands below."""
        title = _TITLED.match(line) if _RULED.search(line) else None
        if title is None:
            return False
        path = title["path"] or title["first"]
        if not self._is_path(path):
            return False
        self._is_above = False
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
        return title._replace(message=short_message(f"{title.message} {line.strip()}".lstrip()))

    def _message_above(self, line: str) -> str:
        """The message whose place this line is, if one stands above it."""
        if self._pending and self._since <= FAR:
            return self._pending
        head = self._head if self._distance <= FAR else ""
        return head if head and (line[0] in " \t" or is_marked(head)) else ""

    def _await_place(self, line: str) -> None:
        """A message that says what it is by a sign or a level: its place may stand below."""
        if _SIGNED.match(line) or has_level(line.lstrip()) or (line[0] not in " \t" and is_marked(line)):
            self._pending, self._since = line.strip(), 0

    def _located(self, line: str) -> Record | None:
        """A line that names a place; its message is empty where it stands elsewhere."""
        record = record_in(line, self._is_path)
        if record is None and self._pending and self._since <= FAR:
            match = _APART.match(line)
            if match is not None and self._is_path(match["path"]):
                return Record(match["path"], match["line"], match["column"], "")
        return record

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
            if begins_marked(below):
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
        if not indented or line.lstrip()[0] in _FIRST_SIGNS or has_level(line.lstrip()):
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
        if not self._waits:
            self._waiting = None

    def _is_path(self, word: str) -> bool:
        known = self._paths.get(word) if len(word) <= LONGEST_PATH else False
        if known is None:
            if len(self._paths) >= MOST_KNOWN:
                self._paths.clear()
            known = self._paths[word] = is_path(word)
        return known


_OUTSIDE = frozenset(f"{_FRAMES}{_CORNERS}#0123456789")


def bare_line(line: str) -> str:
    """A line without the frame around it, or the time it was written at; of a very wide one, how it begins.

    >>> bare_line("\u2502 Error: no name"), bare_line("2026-11-06T14:22:01Z a.py:3:1: no"), bare_line("2026 days")
    ('Error: no name', 'a.py:3:1: no', '2026 days')
    """
    line = line[:WIDEST]
    if line[:1] not in _OUTSIDE:
        return line
    if line[0] in _FRAMES:
        return line[1:].rstrip(f"{_FRAMES} ").removeprefix(" ")
    if line[0] in _CORNERS:
        return "" if len(line.strip()) == 1 else line
    stamp = _STAMP.match(line)
    return line[stamp.end() :] if stamp and PLAIN.match(line, stamp.end()) else line


def short_message(message: str) -> str:
    """A message, or how it begins: one that lists all that was expected is told by what was found."""
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:BEGINNING]}..."


def messages_in(line: str) -> Iterator[str]:
    """What a line may say as the message of a record, in whatever form it is one."""
    line = bare_line(line)
    record = record_in(line)
    if record is not None:
        yield with_single_blanks(short_message(record.message))
    row = _ROW.match(line)
    if row is not None:
        yield with_single_blanks(short_message(row["said"]))
    yield with_single_blanks(short_message(_without_marks(line)))
    yield with_single_blanks(short_message(line.strip()))


def _without_marks(line: str) -> str:
    """A line without what points at the source above it."""
    mark = _MARKED.match(line)
    return (line[mark.end() :] if mark else line).strip()


LEAST_REPEATED = 0.5  # of the messages without a level or a rule: then they are messages, and no matches of a search
LEAST_ALIKE = 0.25  # and so many, where they differ in what is quoted
SOUNDED = 200  # lines at the beginning, in the middle and at the end


def reader_for(lines: list[str]) -> RecordReader | HeadedReader:
    """What reads the records of a text that begins so: another one where their paths stand above them."""
    _, layout = _last_sample.of(lines)
    return RecordReader() if layout is None else HeadedReader(layout)


def share_of(lines: list[str]) -> float:
    """How much of these lines are records, or belong to one; 0 where they are matches of a search, or none."""
    return _last_sample.of(lines)[0]


def _headed_share(lines: list[str], layout: HeadedLayout) -> float:
    reader = HeadedReader(layout)
    told = len(reader.read(lines)) + len(reader.rest())
    return min(1.0, (told + reader.belonging) / max(1, sum(1 for line in lines if line.strip())))


class LastSample:
    """What was found out of the lines that were looked at last: it is asked for three times before they are read.

    They are known by their hash, so that no text is held.
    """

    def __init__(self) -> None:
        self._found: tuple[int, float, HeadedLayout | None] | None = None

    def of(self, lines: list[str]) -> tuple[float, HeadedLayout | None]:
        """The share of records, and how they are written below their paths where they are not read otherwise."""
        key, found = hash(tuple(lines)), self._found
        if found is None or found[0] != key:
            plain = _plain_share(lines)
            layout = None if plain >= LEAST_PLAIN else layout_of(lines)
            found = self._found = (key, plain if layout is None else _headed_share(lines, layout), layout)
        return found[1:]


_last_sample = LastSample()
LEAST_PLAIN = 0.25


def _plain_share(lines: list[str]) -> float:
    """How much of these lines are records that name their places, or belong to one."""
    middle = max(SOUNDED, (len(lines) - SOUNDED) // 2)
    parts = [lines[:SOUNDED], lines[middle : middle + SOUNDED], lines[max(middle + SOUNDED, len(lines) - SOUNDED) :]]
    told: list[str] = []
    belonging = full = pointed = 0
    for part in parts:
        reader = RecordReader()
        told += [record[3] for record in reader.read(part)]
        belonging += reader.belonging
        full += sum(1 for line in part if line.strip())
        pointed += sum(1 for line in part if "^" in line and _POINTER.match(line))
    marked = sum(1 for message in told if is_marked(message))
    distinct = len({_DIGITS.sub("0", message) for message in told})
    if 2 * max(marked, pointed) >= len(told) > 0:
        return (len(told) + min(belonging, FAR * 2 * len(told))) / full
    # Places in tracebacks say little and repeat, too: only where there is hardly anything else are they records.
    kinds = len({_QUOTED.sub("'", message) for message in told})
    repeated = distinct <= LEAST_REPEATED * len(told) or kinds <= LEAST_ALIKE * len(told)
    return len(told) / full if told and repeated and 2 * len(told) > full else 0.0
