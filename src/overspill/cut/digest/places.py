r"""How a line says that something is said of a place, in whatever form the tool that wrote it has.

A place is told by its shape: a word that looks like a path, with a number behind it. What is said of it stands before
it, behind it, or on both sides.

>>> [tuple(record_in(line)) for line in ("a.py:3:1: E501 Line too long", "error: No such name (x) at b.js:7:2")]
[('a.py', '3', '1', 'E501 Line too long'), ('b.js', '7', '2', 'error: No such name (x)')]

A message carries a level, the code of a rule, both or neither.

>>> marks_of("error TS2304: Cannot find name 'int'."), marks_of("W291 Trailing whitespace")
(MessageMarks(level='error', rule='TS2304'), MessageMarks(level='', rule='W291'))
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, in_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from re import Match, Pattern

LEVELS = (
    "fatal error|internal error|fatal|error|err|warning|warn|note|notice|info|information|hint|help|style|suggestion"
    "|convention|refactor|critical|high|medium|low|deprecated|remark|deprecation|portability|performance|e|w|i"
    "|(?-i:[CRF])(?=: )"
)
_LEVEL_WORDS = frozenset(LEVELS.split("|"))
SIGNS = "!\u00d7\u2715\u2716\u2717\u2718\u26a0\u274c\u2a2f"  # that stand before a message, for its level
_LEAD = (
    r"\s*(?:\d+>)?(?P<lead>(?:\[?[A-Za-z]{1,12}\]?:? {1,2}|[A-Za-z]{1,12}\([\w.-]+\): |\d+[.)] "
    r"|%[A-Za-z]{1,12}-[A-Z]\w*: |[^\w\s./\\~@\"]{1,4}[ \[]?)?)"
)
_FIRST = r"""[^\s:"'<>|*?,;=`()\[\]{}]"""
PATH = rf"""(?P<path>(?:[A-Za-z]:(?=[\\/])|file://)?{_FIRST}[^\s:"'<>|*?,;=`]*+)"""
_PATH_ALONE = rf"""(?P<path>(?:[A-Za-z]:(?=[\\/]))?{_FIRST}[^\s:"'<>|*?,;=`()]*+)"""
_PATH_BARE = rf"""(?P<path>(?:[A-Za-z]:(?=[\\/]))?{_FIRST}[^\s:"'<>|*?,;=`()\[\]]*+)"""
_SAID = r"(?: (?P<said>\S.*))?$"
# What most lines of a checker look like: nothing before the place, one blank behind it.
PLAIN = compile_pattern(
    rf"""((?:[A-Za-z]:(?=[\\/]))?{_FIRST}[^\s:"'<>|*?,;=`]*+):(\d+)(?::(\d+))?(?: -|:|) ([^\s:].*[^:\s])\s*$"""
)
_NUMBERS = r"(?P<line>\d+)(?:(?:[:,]|\.(?=\d+(?:-\d+(?:\.\d+)?)?:))(?P<column>\d+))?(?:-\d+(?:[:.]\d+)?)?"
_COLUMN = r"(?:[:,.]? ?(?:col(?:umn)?\.? ?)?(?P<column>\d+))?"


class PlaceForm(NamedTuple):
    """A way to write a place and what is said of it."""

    sign: str  # without which no line has this form,
    before: str  # and what the number of a line stands behind in it, one of these or `line`
    pattern: Pattern[str]
    marks: int = 0  # what says that it is a message: 1, a level or a rule; 2, a rule


# The first that a line has is its form. `said` stands behind the place, or before it and `rest` behind it.
FORMS = (
    # `::error file=a.py,line=3,col=1::x`
    PlaceForm("::", "=", compile_pattern(
        r"::(?P<lead>\w+) [^:]*?file=(?P<path>[^,:]+),line=(?P<line>\d+)(?:,[^:]*?col(?:umn)?=(?P<column>\d+))?[^:]*::"
        r"(?P<said>\S.*)"
    )),
    # `[a.proto:3:1] x`
    PlaceForm("[", ":", compile_pattern(rf"\s*\[{_PATH_BARE}:{_NUMBERS}\]:? (?P<said>\S.*)$"), 1),
    # `a.py:3:1: x`, `a.py:3 x`, `a.ts:3:1 - x`, `A.java:[3,1] x`
    PlaceForm(":", ":[", compile_pattern(rf'{_LEAD}"?{PATH}"?:\[?{_NUMBERS}(?: -|[:\]]+|){_SAID}')),
    # `a.hpp:3:  x [rule]`, `A.java:3:\tRule:\tx`
    PlaceForm(":", ":", compile_pattern(rf"{PATH}:{_NUMBERS}:?(?:  |\t)\s*(?P<said>\S.*)$"), 2),
    # `a.vhd:3:5:error: x`
    PlaceForm(":", ":", compile_pattern(rf"{PATH}:{_NUMBERS}:(?P<said>[^\s\d].*)$"), 1),
    # `a.cs(3,1): x`
    PlaceForm("(", "(", compile_pattern(
        rf"{_LEAD}{_PATH_ALONE}\((?P<line>\d+)(?:[,:.] ?(?P<column>\d+))?(?:,\d+,\d+)?\)(?:-\(\d+[,:]\d+\))? ?:{_SAID}"
    )),
    # `a.kt: (3, 1): x`, `a.cob: 3: error: x`
    PlaceForm(":", ":", compile_pattern(
        rf"{_LEAD}{PATH}: (?:\((?P<line>\d+)(?:, ?(?P<column>\d+))?\)|(?P<number>\d+)):(?: (?P<said>\S.*))$"
    ), 1),
    # `a.c:L3:C1 x`, `a.c#L3: x`, `a.c|3 col 1 error| x`
    PlaceForm("", "L|", compile_pattern(
        rf"{_LEAD}(?P<path>{_FIRST}[^\s:\"'<>|*?,;=`#]*+)(?:[:#]L(?P<line>\d+)(?:[:-]?C(?P<column>\d+))?:? "
        r"|\|(?P<number>\d+)(?: col (?P<place>\d+))?[ |]+)(?P<said>\S.*)$"
    )),
    # `a.nim(3, 1) Error: x`, `ERROR: a.ts[3, 1]: x`
    PlaceForm("(", "(", compile_pattern(
        rf"{_LEAD}{_PATH_ALONE}\((?P<line>\d+)(?:[,:] ?(?P<column>\d+))?\) (?P<said>\S.*)$"
    ), 1),
    PlaceForm("[", "[", compile_pattern(
        rf"{_LEAD}{_PATH_BARE}\[(?P<line>\d+)(?:[,:] ?(?P<column>\d+))?\]:?{_SAID}"
    ), 1),
    # `"a.c", line 3: x`, `a.js: line 3, col 1, x`, `In a.sh line 3:`, `a.tex, lines 3-5: x`
    PlaceForm(" line", "l", compile_pattern(
        rf'{_LEAD}"?{PATH}"?[:,]? (?:on )?lines? (?P<line>\d+)(?:-\d+)?{_COLUMN}[:,.]?{_SAID}'
    )),
    # `Warning 18 in a.tex line 3: x`, `error (line 3, a.c): x`, `error: line 3 of a.c: x`
    PlaceForm("line ", "l", compile_pattern(
        rf"(?P<said>(?i:{LEVELS})(?: [\w-]+)?)(?: in {PATH},? line (?P<line>\d+)(?:,? col(?:umn)?\.? (?P<column>\d+))?"
        rf"|:? [(\[]?line (?P<number>\d+)(?:,? col(?:umn)?\.? (?P<place>\d+))?(?: of| in|,) "
        rf"{_PATH_BARE.replace('path', 'file')}[)\]]?)(?P<rest>: \S.*)$"
    )),
    # `error: x at line 3 of a.c`
    PlaceForm("line ", "l", compile_pattern(
        r"(?P<said>\S.*?) (?:at|on|in) line (?P<line>\d+)(?:,? col(?:umn)?\.? (?P<column>\d+))?"
        rf" (?:of|in) {_PATH_BARE}\.?\s*$"
    ), 1),
    # `A.pm: x at line 3, column 1.  y`, `a.c: error: x (line 3)`
    PlaceForm("line ", "l", compile_pattern(
        rf"{PATH}(?::| -) (?P<said>\S.*?),? (?:(?:at|on|in|near) |[(\[])line (?P<line>\d+)"
        r"(?:,? (?:at |and )?(?:col(?:umn)?|char(?:acter)?)\.? (?P<column>\d+))?[)\]]?(?P<rest>.*)$"
    )),
    # `x in a.php on line 3`, `x at a.pl line 3.`
    PlaceForm(" line ", "l", compile_pattern(
        rf"(?P<said>\S.*?) (?:in|at) {PATH} (?:on )?line (?P<line>\d+)"
        r"(?:[:,] ?(?:col(?:umn)? )?(?P<column>\d+))?\.?\s*$"
    ), 1),
    # `x (rule) at a.js:3:1:`, `x [a.v:3]`, `level \u2022 x \u2022 a.dart:3:1 \u2022 rule`
    PlaceForm(":", ":", compile_pattern(
        rf"\s*(?P<said>\S.*?)(?: [-\u2013\u2022]| (?:at|in)|,)? [(\[]?{_PATH_BARE}:{_NUMBERS}[)\]]?:?"
        r"(?P<rest>(?: [-\u2013\u2022] .*)?)\s*$"
    ), 1),
    # `M D DLS: x  At A.java:[line 3]`, `some words of it (a.c:3)`
    PlaceForm("[", "l", compile_pattern(
        rf"\s*(?P<said>\S.*?)\s+(?:At|In) {PATH}:\[lines? (?P<line>\d+)(?:-\d+)?\](?P<column>)\s*$"
    )),
    PlaceForm(":", ":", compile_pattern(
        rf"(?P<said>(?!(?:at|in|by|from|called|#)\b)[^\s\d#]\S* \S+ \S.*?) [(\[]{_PATH_BARE}:{_NUMBERS}[)\]]\s*$"
    )),
)  # fmt: skip
# `a.c<TAB>3<TAB>1<TAB>error<TAB>x`
_IN_COLUMNS = compile_pattern(rf"{_PATH_BARE}\s+(?P<line>\d+)\s+(?:(?P<column>\d+)\s+)?(?P<said>(?i:{LEVELS})\s+\S.*)$")
_COMMAND, _COLON = FORMS[0].pattern, FORMS[2].pattern
_LEVEL = compile_pattern(
    rf"(?i)[\s\[(*|%{SIGNS}\ufe0f]*(?:PHP )?(?P<level>[a-z]+ (?:error|warning)(?=: )|{LEVELS})\b"
    r"(?:[:\])\[]| - | \| | \u2022 |  |-(?=(?-i:[A-Z])\w*: )|(?=\s+[A-Z]{1,10}-?\d{2,6}\b))[\s:|-]*"
)
_CODE = compile_pattern(
    rf"(?:[{SIGNS}x]\ufe0f? +)?(?P<call>[a-z][\w-]*\([\w/-]+\)): "
    r"|(?:>> \w+: )?\[?(?P<rule>[A-Z]{1,10}-?\d{1,6})\b(?:/[\w-]+)?[\]: (]"
    r"|(?:>> \w+: )?\[?(?P<named>[A-Za-z][\w.-]*:?[\w.-]*)\]:? "
    r"|(?P<key>[a-z][a-z0-9]*(?:[-/][A-Za-z0-9]+)+|[a-z][a-z-]+\[[\w-]+\])(?:: | {2,}(?=\S))"
)
_COP = compile_pattern(r"(?:\[[A-Z][a-z]+\] )?(?P<rule>[A-Z]\w*(?:/[A-Z]\w*)+): ")  # `C: [Correctable] Style/X: x`
_NUMBERED = compile_pattern(rf"(?i:{LEVELS}) (?P<rule>\d+): ")  # `Warning 18: x`
# `ERROR(RSC-005): x`, `Error (warning 26 [unused-var]): x`
_IN_ROUND = compile_pattern(rf"(?P<level>(?i:{LEVELS})) ?\((?:[\w .-]*[\[ ])?(?P<rule>[A-Za-z][\w.-]*)\]?\): ")
_JOINED = compile_pattern(r"%?[A-Za-z]+-(?P<rule>[A-Z]\w*): ")  # `%Warning-WIDTH: x`
_ENDING = compile_pattern(
    r".*\S(?:\s+\[(?P<square>-?[A-Za-z][\w./:,@=+-]*)\](?: \[\d+\])?|\s+\((?P<round>[A-Za-z@][\w@/.-]{3,})\)"
    r"|\s{2,}(?P<word>@?[a-z][\w-]*(?:/[\w-]+)*)|\s\u2022\s(?P<dot>[a-z][\w-]*))\s*$"
)
_LEVEL_BEHIND = compile_pattern(rf"\S+ \((?P<level>(?i:{LEVELS}))\): ")
_BARE = compile_pattern(rf"(?i)(?:{LEVELS}):?\s*(?:\[[\w ,./-]+\]\s*)*$")
_EXTENSION = compile_pattern(r".*\.[A-Za-z]\w{0,9}$")
_MAY_MATTER = compile_pattern(r"[:(\[]\d|lines?[ =]\d|\w[:#]L\d|\w\|\d|\w: \(?\d")  # a place
BULLETS = ("*", "-", "+", "\u2022", "\u2013", "\u2514\u2500", "\u2570\u2500")  # or what is drawn to a place
NO_PLACES = ("from", "File", "by", "via")  # before a path: what it tells is the way to a place
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
    numbered = _NUMBERED.match(message)
    if numbered is not None:
        return MessageMarks(message.partition(" ")[0], numbered["rule"])
    called = _IN_ROUND.match(message) if "(" in message else None
    if called is not None:
        return MessageMarks(called["level"], called["rule"])
    found = _LEVEL.match(message)
    level, start = (found["level"], found.end()) if found else ("", 0)
    if found and message[found.end("level")] == "[":
        start = found.end("level")
    joined = (_JOINED.match(message) or _COP.match(message, start)) if found else None
    if joined is not None:
        return MessageMarks(level, joined["rule"])
    code = _CODE.match(message, start)
    if code is not None:
        rule = code["rule"] or code["named"] or code["key"] or code["call"]
        behind = None if level else _LEVEL_BEHIND.match(message, start)
        return MessageMarks(behind["level"] if behind else level, rule)
    end = _ENDING.match(message, start)
    return MessageMarks(level, (end["square"] or end["round"] or end["word"] or end["dot"]) if end else "")


def is_marked(message: str) -> bool:
    """Whether a message says by a level or a rule that it is one."""
    return any(marks_of(message))


def begins_marked(message: str) -> bool:
    """Whether a message begins with a level or the code of a rule."""
    return has_level(message) or _CODE.match(message) is not None


def has_level(message: str) -> bool:
    """Whether a message begins with a level."""
    return _LEVEL.match(message) is not None or ("(" in message and _IN_ROUND.match(message) is not None)


def is_bare(message: str) -> bool:
    """Whether a message is a level, and the name of a rule at most: what it says stands below."""
    return _BARE.match(message) is not None


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


def may_have_place(line: str) -> bool:
    """Whether there is anything in a line that a place is told by."""
    return _MAY_MATTER.search(line) is not None


def record_in(line: str, known: Callable[[str], bool] = is_path) -> Record | None:
    """What a line says of a place; the message is empty where it stands on another line."""
    places = "".join(_MAY_MATTER.findall(line))
    if not places:
        return _record_in_columns(line, known) if "\t" in line or "  " in line else None
    for form in FORMS:
        near = form.sign in line and any(sign in places for sign in form.before)
        match = form.pattern.match(line) if near else None
        path = _part(match, "path", "file") if match is not None else ""
        if match is None or not known(path):
            continue
        said = _said_of(match)
        if said is not None and _has_marks(said, form.marks):
            return Record(path, _part(match, "line", "number"), _part(match, "column", "place"), said)
        if form.pattern is _COLON:
            return None
    return _record_in_columns(line, known) if "\t" in line or "  " in line else None


def _part(match: Match[str], *names: str) -> str:
    """What a place is told by, which one of these parts of a form holds."""
    parts = match.groupdict()
    return next((part for name in names if (part := parts.get(name))), "")


def _record_in_columns(line: str, known: Callable[[str], bool]) -> Record | None:
    """A message in columns of its own, behind those of its place."""
    match = _IN_COLUMNS.match(line)
    if match is None or not known(match["path"]):
        return None
    return Record(match["path"], match["line"], match["column"] or "", match["said"].rstrip())


def _has_marks(message: str, least: int) -> bool:
    return not least or (bool(marks_of(message).rule) if least > 1 else is_marked(message))


def _said_of(match: Match[str]) -> str | None:
    """What is said at a place: nothing where that stands on another line; None where it is no place of a message."""
    parts = match.groupdict()
    said: str = ((match["said"] or "") + (parts.get("rest") or "")).rstrip()
    lead: str = (parts.get("lead") or "").strip()
    if lead.rstrip(":") in NO_PLACES and not said.startswith("characters "):
        return None
    if match.re is _COMMAND:
        inner = _COLON.match(said)
        return inner["said"] if inner and inner["said"] else said
    if said.endswith(":") and not is_marked(said):
        return ""  # `in public method f:`
    return _with_lead(lead, said) if said and lead else said


def _with_lead(lead: str, said: str) -> str | None:
    """A message with the level that stands before its place; without a bullet or the name of a program."""
    if lead.strip("[]:").partition("(")[0].lower() in _LEVEL_WORDS or _JOINED.match(f"{lead} "):
        return f"{lead} {said}"
    if lead[0] == "[" and lead[-1] == "]":
        return said if is_marked(said) else None  # `[javac] a.java:3: error: x`
    listed = lead in BULLETS or lead[-1] in ".):" or lead in ("At", "In", "On")
    return said if listed and (said[0].isalnum() or said[0] in "\"'`[(") else None


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


_QUOTED = compile_pattern(r"""'[^']*'|"[^"]*"|`[^`]*`""")


def written_part(part: str) -> str:
    """What stands behind a place, as a JSON string where it could be taken for more than one thing."""
    if not any(sign in _QUOTED.sub("", part) for sign in ",;{}'`\""):  # a quote that is open may hold the next part
        return part
    escaped = part.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if part.isprintable() else in_json(part)
