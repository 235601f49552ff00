r"""Messages whose file is named above them: rows of a report, sections of a scanner, findings that quote the source.

Below the path stand rows with the number of a line, messages that end with one, numbers with messages below them, or
parts of the source with what is said of them above or below. Which of these it is, is told by how often each is there;
which lines are paths, by how they are written: all headings of a report are written alike.

>>> lines = [line for n in range(4) for line in (f"== [src/{n}.sql] FAIL", f"L: {n} | P: 5 | LT01 | Odd", "L: 9 | P: 1 | X2 | No")]
>>> HeadedReader(layout_of(lines)).read(lines)[:2]
[('src/0.sql', '0', '5', 'LT01 | Odd'), ('src/0.sql', '9', '1', 'X2 | No')]
"""  # noqa: E501  # a report in one line

from __future__ import annotations

from itertools import pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.digest import counts_of
from overspill.cut.digest.places import LEVELS, MOST_KNOWN, is_bare, is_marked, is_path
from overspill.cut.digest.templates import WIDEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# `L12: x`, `Line 12, Col 5: x`, `L:  7 | P: 53 | x`, `[12:5] x`, `(12,5) x`, `#12: x`
_ROW = compile_pattern(
    r"\s*(?:[^\w\s#(\[]{1,2}\ufe0f?\s+)?(?:"
    r"(?P<word>[Ll](?:ine)?[ :.]*)(?P<line>\d+)(?:\s*[,:|;]?\s*(?:P|C|[Cc]ol(?:umn)?|[Cc]har)[ :.]*(?P<column>\d+))?"
    r"|\[(?P<line2>\d+)(?:[:,] ?(?P<column2>\d+))*\]|\((?P<line3>\d+)(?:[:,] ?(?P<column3>\d+))?\)|#(?P<line4>\d+)(?=:)"
    r")(?:\s*[-:|,.]+\s*|\s+)(?P<said>\S.*)$"
)
# `x on line 12 at column 5`, `x (line 12)`
_TAIL = compile_pattern(
    r"\s*(?P<said>\S.*?)[ ,]+[(\[]?(?:(?:on|at|in|from) )?(?:input )?lines? (?P<line>\d+)(?:(?:--?|\u2013)\d+)?"
    r"(?:[, ]+(?:at |and )?col(?:umn)?\.? (?P<column>\d+))?[)\].]*$"
)
# `Line: 12`, and what is said below it
_NUMBER = compile_pattern(
    r"\s*(?:[Ll]ine|L|ln)\s*[:#]?\s*(?P<line>\d+)(?:\s*[,:]\s*[Cc]ol(?:umn)?\s*:?\s*(?P<column>\d+))?\s*:?$"
)
_SOURCE = compile_pattern(r"\s*[>\u2771\u276f]?\s*L?(?P<line>\d+)\s?[|\u2502\u2503\u2506]")
_BESIDE = compile_pattern(r"\s*[^\w\s]{0,3}[|\u2502\u2503\u2506\u22ee]|[\s\u22ee.\u00b7\u2500-\u257f|=~^_*-]*$")
_POINTED = compile_pattern(r"[\s|\u2502\u2503\u2506:]*[\^~]+[-~^]*\s+(?P<said>[^\s^~-].*)$")
_PATH = compile_pattern(
    r"(?:[A-Za-z]:(?=[\\/]))?(?:(?:[\w@.+~$-]*[/\\])+|(?=\w))[\w.+~$-]*\.[A-Za-z]\w{0,9}$|[\w@.+~-]*(?:/[\w@.+~-]+)+$"
)
_EDGES = "[](){}<>\"'`:,;*|\u00bb\u00ab\u2026"
_COUNTED = compile_pattern(rf"(?i)\d+[:.)] (?=(?:{LEVELS})\b)")
FAR = 9  # lines behind a record that are about it
FEWEST = 6  # records by which a layout is found
MOST_WORDS = 5  # of a heading, the path among them
LONGEST_SAID = 300  # characters of a message that is said in several lines
RISING = 0.8  # of the lines of a file come behind the one before
REPEATED = 0.5
TOLD = 0.5  # records for a path, on average, at least


class HeadedLayout(NamedTuple):
    """How the messages of a text are written: in which form, and what stands before a path above them."""

    form: str
    heads: frozenset[str]


class HeadedLine(NamedTuple):
    """What a line is in a report."""

    path: str = ""
    head: str = ""  # what stands before the path


def heading_of(line: str) -> HeadedLine | None:
    """The path in a line that is the title of what stands below it, if it may be one.

    >>> heading_of("== [a/b.sql] FAIL"), heading_of("    docs/a.py"), heading_of("we read it in a/b, see c.d for more")
    (HeadedLine(path='a/b.sql', head='=='), HeadedLine(path='docs/a.py', head=''), None)
    """
    if "/" not in line and "." not in line:  # one of which is in every path
        return None
    words = line.split()
    if not words or len(words) > MOST_WORDS or "://" in line:
        return None
    bare = [word.strip(_EDGES) for word in words]
    paths = [at for at, word in enumerate(bare) if ("/" in word or "." in word) and _PATH.match(word) and is_path(word)]
    if len(paths) != 1:
        return None
    at = paths[0]
    return HeadedLine(bare[at], " ".join(words[:at]) or words[at][: words[at].index(bare[at])])


class HeadedReader:
    """Reads records out of lines, which may come in blocks."""

    def __init__(self, layout: HeadedLayout, known: dict[str, HeadedLine | None] | None = None) -> None:
        self._known = known  # headings, or None, of lines that others looked at as well
        self.belonging = 0  # lines that are no records and belong to one
        self.near: set[int] = set()  # hashes of the lines that are told by records
        self.quoted: set[int] = set()  # and of those that point into the source: none are told apart
        self._since = 0  # lines since the last record or heading
        self.layout, self.headings = layout, 0
        self._path = ""
        self._numbers: tuple[str, str] | None = None  # of the line that what stands below is said of
        self._said: list[str] = []
        self._begun: tuple[str, str, str] | None = None  # a message that says its level alone, so far
        self._running = False  # within a part of the source
        self._indent = self._last = 0  # of its numbers, and the last of them
        self._open: tuple[str, str, str, str] | None = None  # a message that may go on in the next line,
        self._bar = 0  # behind a bar at this place

    def read(self, lines: list[str]) -> list[tuple[str, str, str, str]]:
        """The records in these lines."""
        found: list[tuple[str, str, str, str]] = []
        take = getattr(self, f"_{self.layout.form}")
        for line in lines:
            if len(line) > WIDEST:
                continue
            before = len(found)
            if not line.strip():
                self._numbers = None if self.layout.form == "above" else self._numbers
            elif self._is_heading(line):
                found += self.rest()
            elif self._path or not self.layout.heads:
                found += take(line)
            self._since = 0 if len(found) > before or self._open is not None else self._since + 1
            if self._since <= FAR and (self._path or not self._since):
                self.belonging += len(found) == before and bool(line.strip())
                if len(self.near) < MOST_KNOWN:
                    self.near.add(hash(line))
        return found

    def rest(self) -> list[tuple[str, str, str, str]]:
        """The last record, once all lines were read, if it might have gone on."""
        last, self._open = self._open, None
        return [last] if last is not None else []

    def _is_heading(self, line: str) -> bool:
        if not self.layout.heads:
            return False
        heading = heading_of(line) if self._known is None else self._known[line]
        if heading is None or heading.head not in self.layout.heads:
            return False
        self.headings += heading.path != self._path
        self._since = -1
        self._path, self._numbers, self._said, self._running = heading.path, None, [], False
        return True

    def _record(self, line: str, column: str | None, said: str) -> tuple[str, str, str, str]:
        return self._path, line, column or "", said.rstrip()

    def _rows(self, line: str) -> Iterator[tuple[str, str, str, str]]:
        """`L12: x`; what stands below the last cell of it goes on with it."""
        found = _ROW.match(line)
        if (
            found is None
            and self._open is not None
            and line[self._bar :].startswith("| ")
            and not line[: self._bar].strip()
        ):
            *place, said = self._open
            self._open = (*place, f"{said} {line[self._bar + 1 :].strip()}")  # type: ignore[assignment]  # four
            return
        yield from self.rest()
        if found is not None:
            number = found["line"] or found["line2"] or found["line3"] or found["line4"]
            column = found["column"] or found["column2"] or found["column3"]
            self._open, self._bar = self._record(number, column, found["said"]), max(0, line.rfind("| "))

    def _tails(self, line: str) -> Iterator[tuple[str, str, str, str]]:
        """`x on line 12`; where `x` is a level alone, what it says stands below."""
        if self._begun is not None:
            number, column, level = self._begun
            self._begun = None
            yield self._record(number, column, f"{level} {line.strip()}")
            return
        found = _TAIL.match(line)
        if found is None:
            return
        counted = _COUNTED.match(found["said"])
        said = found["said"][counted.end() :] if counted else found["said"]
        if is_bare(said):
            self._begun = (found["line"], found["column"] or "", said)
        else:
            yield self._record(found["line"], found["column"], said)

    def _above(self, line: str) -> Iterator[tuple[str, str, str, str]]:
        """`Line: 12`, and below it what is said of it."""
        found = _NUMBER.match(line)
        if found is not None:
            self._numbers = (found["line"], found["column"] or "")
        elif self._numbers is not None:
            yield self._record(*self._numbers, line.strip())

    def _pointed(self, line: str) -> Iterator[tuple[str, str, str, str]]:
        """A line of the source, and below it `^ x`."""
        found = _SOURCE.match(line)
        if found is not None:
            self._numbers = (found["line"], "")
            return
        pointed = _POINTED.match(line) if self._numbers is not None else None
        if pointed is not None and self._numbers is not None:
            yield self._record(*self._numbers, pointed["said"])

    def _quoted(self, line: str) -> Iterator[tuple[str, str, str, str]]:
        """What is said, and below it the lines of the source that it is said of."""
        found = _SOURCE.match(line)
        if found is not None:
            number = int(found["line"][:9])
            if (not self._running or number != self._last + 1) and self._said:
                yield self._record(found["line"], "", " ".join(self._said)[:LONGEST_SAID])
            self._running, self._indent, self._last = True, found.start("line"), number
        elif _BESIDE.match(line):
            self._running = False  # between two parts of the source
        elif self._running and len(line) - len(line.lstrip()) > self._indent:
            pass  # a remark on the source
        else:
            if self._running or not self._numbers:
                self._said = []
            self._running, self._numbers = False, ("", "")
            self._said.append(line.strip())


_BARS = ("|", "\u2502", "\u2503", "\u2506")
# What has to be there for a form to be read at all: one sign of each.
SIGNS = {
    "pointed": (_BARS, ("^", "~")),
    "above": (("ine", "L", "ln"),),
    "tails": (("line",),),
    "rows": (("L", "l", "[", "(", "#"),),
    "quoted": (_BARS,),
}
FORMS = ("pointed", "above", "tails", "rows", "quoted")  # what tells most of it comes first
DENSE = {"pointed": 0.1, "above": 0.1, "tails": 0.15}  # of the lines are records, below several paths: the form says it
FAR_MORE = 1.2  # records of another form, for it to be taken instead


def layout_of(lines: list[str]) -> HeadedLayout | None:
    """How the messages of these lines are written, if their paths stand above them."""
    known = {line: heading_of(line) for line in lines}
    heads = _heads_in([*known.values()])
    best, most = None, FEWEST - 1.0
    full = sum(1 for line in lines if line.strip())
    block = "\n".join(lines)
    for form in FORMS:
        if not all(any(sign in block for sign in signs) for signs in SIGNS[form]):
            continue
        layout = HeadedLayout(form, heads)
        reader = HeadedReader(layout, known)
        found = [*reader.read(lines), *reader.rest()]
        told = {record[0] for record in found if record[0]}
        dense = form in DENSE and len(told) > 1 and len(found) >= DENSE[form] * full
        if len(found) > most and len(found) >= TOLD * reader.headings and (dense or _is_report(found, told, form)):
            best, most = layout, len(found) * FAR_MORE
    return best


def _heads_in(headings: Iterable[HeadedLine | None]) -> frozenset[str]:
    """What stands before the paths of headings, those that most of them have: a report writes them all alike."""
    counts = counts_of(one.head for one in {*headings} if one is not None)
    most = max(counts.values(), default=0)
    # Where a path is opened with a bracket, others are opened within it: what stands below is not always of the last.
    return frozenset(head for head, count in counts.items() if count == most and most > 1 and head[:1] != "(")


def _is_report(found: list[tuple[str, str, str, str]], paths: set[str], form: str) -> bool:
    """Whether these are messages about files: their lines rise, and they are marked as messages, or repeat."""
    pairs = [(one, two) for one, two in pairwise(found) if one[0] == two[0]]
    rising = sum(int(one[1]) <= int(two[1]) for one, two in pairs)
    if rising < RISING * len(pairs) or (form != "tails" and not paths):
        return False
    marked = sum(1 for record in found if is_marked(record[3]))
    distinct = len({record[3] for record in found})
    return 2 * marked >= len(found) or distinct <= REPEATED * len(found)


# ---- files below their paths ----

MOST_FILES, LONGEST_TITLE = 16, 300  # and characters of a title
FEWEST_IN_FILE, HIGHEST = 3, 4  # lines of a file, on average; and above which the first title stands
_FILE_TITLE = (
    r"(?P<before>(?:[=#*~-]{2,}>? |<(?:file|document)\b[^>]*?=\"|// |# )?(?:[Ff]ile(?:name)?: ?|[Pp]ath: ?)?[`\"]?)"
    r"(?P<path>(?:[A-Za-z]:)?[\w./\\@+~() -]*[\w)]\.\w{1,10})"
    r"(?P<behind>[`\"]?:?(?: ?<?[=#*~-]{2,}|>)?)$"
)
_FILE_RULE = r"([-=_*#])\1{2,}$"


class FileTitle(NamedTuple):
    """A line that says which file follows: where its title begins, the line itself, where the file begins."""

    first: int
    line: int
    begin: int
    style: str
    path: str


def files_of_lines(lines: Sequence[str]) -> list[tuple[int, int, int]]:
    """Of each file of a text where its title begins, where the file does, and where it ends; none where it is of one.

    A title is a line with a path and no more than signs or `File:` around it, drawn (`==> a.py <==`) or with a rule
    above or below it. Two at least look alike, and the first is where the text begins. Paths above what a linter says
    of a file have no rules.

    >>> lines = ["src/a.py:", *["x = 1"] * 9, "---", "src/b.js:", *["let y = 2"] * 9]
    >>> files_of_lines(lines)
    [(0, 1, 10), (10, 12, 21)]
    >>> files_of_lines(["src/a.py", *["  3:1 error x"] * 9, "", "src/b.js", *["  4:1 error y"] * 9])
    []
    """
    titles = _titles_in(lines)
    styles = counts_of(one.style for one in titles)
    usual = max(styles, key=lambda style: styles[style], default="")
    titles = [one for one in titles if one.style == usual]
    if (
        not 1 < len(titles) <= MOST_FILES
        or len({one.path for one in titles}) < len(titles)
        or titles[0].first >= HIGHEST
    ):
        return []
    if len(lines) < FEWEST_IN_FILE * len(titles):
        return []
    stops = [0, *(one.first for one in titles[1:]), len(lines)]
    return [
        (first, one.begin, after)
        for one, (first, after) in zip(titles, pairwise(stops), strict=True)
        if after > one.begin
    ]


def _titles_in(lines: Sequence[str]) -> list[FileTitle]:
    match, is_rule = compile_pattern(_FILE_TITLE).match, compile_pattern(_FILE_RULE).match
    found: list[FileTitle] = []
    every = [*lines, ""]
    for at, line in enumerate(lines):
        title = match(line) if "." in line and len(line) <= LONGEST_TITLE and not line[0].isspace() else None
        if title is None:
            continue
        above = bool(at and is_rule(every[at - 1]))
        below = bool(is_rule(every[at + 1]))
        drawn = len(title["before"]) > 1 and len(title["behind"]) > 1
        if drawn or above or below or (not found and not at):
            rules = "" if drawn else ("below" if below and not above else "above")
            style = f"{title['before']}|{title['behind']}|{rules if found or at else ''}"
            found.append(FileTitle(at - above, at, at + 1 + below, style, title["path"]))
    return _with_first(found)


def _with_first(titles: list[FileTitle]) -> list[FileTitle]:
    """The titles, the first of which has nothing above it but is like the others."""
    if len(titles) > 1 and titles[0].style.rpartition("|")[0] == titles[1].style.rpartition("|")[0]:
        return [titles[0]._replace(style=titles[1].style), *titles[1:]]
    return titles
