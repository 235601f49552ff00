"""Messages at places, read out of a text by their shape: what is said of which line of which file.

The message stands beside its place, above it (an arrow points to the place), below it, or below a line that is a path.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Told(NamedTuple):
    """One message at one place, its blanks counted once; `level` and `rule` as it says them itself."""

    path: str
    position: str
    message: str
    level: str
    rule: str


LEVELS = (
    "fatal error|internal error|fatal|error|err|warning|warn|note|notice|info|information|hint|help|style|suggestion"
    "|convention|refactor|critical|high|medium|low|deprecated|remark|deprecation|portability|performance|e|w|i"
    "|(?-i:[CRF])(?=: )"
)
PATH = r"(?P<path>(?:[A-Za-z]:(?=[\\/])|file://)?[^\s:\"'<>|*?,;=`()\[\]{}][^\s:\"'<>|*?,;=`]*)"
BEFORE = r"\[?[A-Za-z]{1,12}\]?:? {1,2}|[A-Za-z]{1,12}\([\w.-]+\): |\d+[.)] |[-*+\u2022\u2013] "
"""What may stand before a path: a word, a level with a rule in round brackets, a number or a bullet of a list."""
BESIDE = re.compile(
    rf"(?P<lead>\s*(?:\d+>)?(?:{BEFORE}|%[A-Za-z]+-[A-Z]\w*: "
    rf"|[^\w\s./\\~@\"]{{1,4}}[ \[]?)?)\"?{PATH}\"?"
    r":\[?(?P<line>\d+)(?:(?:[:,]|\.(?=\d+(?:-\d+(?:\.\d+)?)?:))(?P<column>\d+))?(?:-\d+(?:[:.]\d+)?)?"
    r"(?: -|[:\]]+|)(?: (?P<said>\S.*))?$"
)
IN_PARENS = re.compile(
    rf"(?P<lead>\s*)(?:\d+>)?(?P<word>(?:{BEFORE})?){PATH.replace('`]*', '`()]*')}"
    r"\((?P<line>\d+)(?:[,:.] ?(?P<column>\d+))?(?:,\d+,\d+)?\)(?:-\(\d+[,:]\d+\))? ?:(?: (?P<said>\S.*))?$"
)
PARTED = re.compile(
    rf"(?P<lead>\s*)(?P<word>(?:{BEFORE})?){PATH}: "
    r"(?:\((?P<line>\d+)(?:, ?(?P<column>\d+))?\)|(?P<number>\d+)):(?: (?P<said>\S.*))$"
)
LETTERED = re.compile(
    rf"(?P<lead>\s*)(?P<word>(?:{BEFORE})?){PATH.replace('`]*', '`#]*')}"
    r"(?:[:#]L(?P<line>\d+)(?:[:-]?C(?P<column>\d+))?:? |\|(?P<number>\d+)(?: col (?P<place>\d+))?[ |]+)(?P<said>\S.*)$"
)
IN_WORDS = re.compile(
    rf"(?P<lead>\s*)(?P<word>(?:{BEFORE})?)\"?{PATH}\"?[:,]? (?:on )?lines? (?P<line>\d+)(?:-\d+)?"
    r"(?:[:,.]? ?(?:col(?:umn)?\.? ?)?(?P<column>\d+))?[:,.]?(?: (?P<said>\S.*))?$"
)
AT = r"(?P<line>\d+)(?:(?:[:,]|\.(?=\d+(?:-\d+(?:\.\d+)?)?:))(?P<column>\d+))?(?:-\d+(?:[:.]\d+)?)?"
LEADING = rf"(?P<lead>\s*(?:\[?[A-Za-z]{{1,12}}\]?:? |[A-Za-z]{{1,12}}\([\w.-]+\): )?){PATH.replace('`]*', '`()]*')}"
SQUARED = PATH.replace("`]*", "`()\\[\\]]*")
INSIDE = re.compile(rf"\s*\[{SQUARED}:{AT}\]:? (?P<said>\S.*)$")
FURTHER = re.compile(rf"{PATH}:{AT}:?(?:  |\t)\s*(?P<said>\S.*)$")
TIGHT = re.compile(rf"{PATH}:{AT}:(?P<said>[^\s\d].*)$")
NO_COLON = re.compile(rf"{LEADING}\((?P<line>\d+)(?:[,:] ?(?P<column>\d+))?\) (?P<said>\S.*)$")
IN_SQUARES = re.compile(
    rf"(?P<lead>\s*(?:\[?[A-Za-z]{{1,12}}\]?:? )?){SQUARED}"
    r"\[(?P<line>\d+)(?:[,:] ?(?P<column>\d+))?\]:?(?: (?P<said>\S.*))?$"
)
IN_COLUMN = r"(?:,? col(?:umn)?\.? (?P<column>\d+))?"
LEVEL_IN = re.compile(
    rf"(?P<said>(?i:{LEVELS})(?: [\w-]+)?)(?: in {PATH},? line (?P<line>\d+){IN_COLUMN}"
    rf"|:? [(\[]?line (?P<number>\d+){IN_COLUMN.replace('column>', 'place>')}(?: of| in|,) "
    rf"{SQUARED.replace('path', 'file')}[)\]]?)(?P<rest>: \S.*)$"
)
LINE_OF = re.compile(rf"(?P<said>\S.*?) (?:at|on|in) line (?P<line>\d+){IN_COLUMN} (?:of|in) {SQUARED}\.?$")
IN_CODE = re.compile(rf"\s*(?P<said>\S.*?)\s+(?:At|In) {PATH}:\[lines? (?P<line>\d+)(?:-\d+)?\](?P<column>)$")
WORDS_BEFORE = re.compile(rf"(?P<said>(?!(?:at|in|by|from|called|#)\b)[^\s\d#]\S* \S+ \S.*?) [(\[]{SQUARED}:{AT}[)\]]$")
COLUMNS = re.compile(rf"{SQUARED}\s+(?P<line>\d+)\s+(?:(?P<column>\d+)\s+)?(?P<said>(?i:{LEVELS})\s+\S.*)$")
NUMBERED = re.compile(rf"((?i:{LEVELS})) (\d+): ")
APART_FROM_PATH = re.compile(
    rf"{PATH}(?::| -) (?P<said>\S.*?),? (?:(?:at|on|in|near) |[(\[])line (?P<line>\d+)"
    r"(?:,? (?:at |and )?(?:col(?:umn)?|char(?:acter)?)\.? (?P<column>\d+))?[)\]]?(?P<rest>.*)$"
)
AT_THE_END = re.compile(
    rf"\s*(?P<said>\S.*?)(?: [-\u2013\u2022]| (?:at|in)|,)? [(\[]?{SQUARED}:{AT}[)\]]?:?"
    r"(?P<rest>(?: [-\u2013\u2022] .*)?)$"
)
BEHIND = re.compile(
    rf"(?P<said>\S.*?) (?:in|at) {PATH} (?:on )?line (?P<line>\d+)(?:[:,] ?(?:col(?:umn)? )?(?P<column>\d+))?\.?$"
)
ROW = re.compile(
    rf"\s*(?P<line>\d+)(?::(?P<column>\d+)(?:-\d+(?::\d+)?)?:?\s+|\s*\|\s+(?=(?i:{LEVELS})\s+\|))(?P<said>\S.*)"
)
BAR = "[-=\u2500\u2501\u2550]{4,}"
ABOVE_ALL = (
    re.compile(rf"[A-Za-z]+ {BAR} {PATH}:(?P<line>\d+)(?::(?P<column>\d+))?(?P<said>)\s*$"),
    re.compile(rf"{PATH}:(?P<line>\d+):(?P<column>\d+)(?: (?P<said>\S.*?))? +{BAR}\s*$"),
)
LEVEL = re.compile(
    r"(?i)[\s\[(*|%!\u00d7\u2715-\u2718\u26a0\u274c\u2a2f\ufe0f]*(?:PHP )?"
    rf"([a-z]+ (?:error|warning)(?=: )|{LEVELS})\b"
    r"(?:([:\])\[])| - | \| | \u2022 |  |-(?=(?-i:[A-Z])\w*: )|(?=\s+[A-Z]{1,10}-?\d{2,6}\b))[\s:|-]*"
)
LEVEL_AND_RULE = re.compile(rf"((?i:{LEVELS})) ?\((?:[\w .-]*[\[ ])?([A-Za-z][\w.-]*)\]?\): ")
LEVEL_BEHIND = re.compile(rf"\S+ \(((?i:{LEVELS}))\): ")
RULE = re.compile(
    r"(?:[x!\u00d7\u2715-\u2718\u26a0\u274c\u2a2f]\ufe0f? +)?([a-z][\w-]*\([\w/-]+\)): "
    r"|(?:>> \w+: )?\[?([A-Z]{1,10}-?\d{1,6})\b(?:/[\w-]+)?[\]: (]|(?:>> \w+: )?\[?([A-Za-z][\w.-]*:?[\w.-]*)\]:? "
    r"|([a-z][a-z0-9]*(?:[-/][A-Za-z0-9]+)+|[a-z][a-z-]+\[[\w-]+\])(?:: |  +(?! ))"
)
RULE_BEHIND = re.compile(
    r".*\S(?:\s+\[(-?[A-Za-z][\w./:,@=+-]*)\](?: \[\d+\])?|\s+\(([A-Za-z@][\w@/.-]{3,})\)"
    r"|\s{2,}(@?[a-z][\w-]*(?:/[\w-]+)*)|\s\u2022\s([a-z][\w-]*))\s*$"
)
RULE_OF_LEVEL = re.compile(r"(?:\[[A-Z][a-z]+\] )?([A-Z]\w*(?:/[A-Z]\w*)+): ")
RULE_JOINED = re.compile(r"%?[A-Za-z]+-([A-Z]\w*): ")
NOTHING_SAID = re.compile(rf"(?i)(?:{LEVELS}):?\s*(?:\[[\w ,./-]+\]\s*)*$")
BARS = "\u2502\u2503\u2551\u258c"
STAMPED = re.compile(
    r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* |#\d+ [\d.]+ )"
    r"(?=[^\s:\"'<>|*?,;=`()\[\]{}][^\s:]*:\d+(?::\d+)?(?: -|:|) [^\s:])"
)
SIGNS = "!\u00d7\u2715\u2716\u2717\u2718\u26a0\u274c\u2a2f"
SIGNED = re.compile(rf"\s*(?:[{SIGNS}]\ufe0f? +\S|x [\w-]+\([\w/-]+\): )")
APART = re.compile(rf"\s+{PATH} (?P<line>\d+):(?P<column>\d+)(?:\s.*)?$")
SOURCE = re.compile(r"\s*(?:\d+\s*[|\t\u2502\u2503\u2506]|[|^~\u2502\u2503\u2506\u2577\u2575]|[-+=] )")
POINTER = re.compile(r"\s*[\^~|-][\^~| -]*")
AN_ENDING = re.compile(r".*\.[A-Za-z]\w{0,9}$")
WIDEST, LONGEST, BEGINNING, FAR = 1_000, 640, 240, 9


def marks_of(message: str) -> tuple[str, str]:
    """The level and the rule that a message carries."""
    if numbered := NUMBERED.match(message):
        return numbered[1], numbered[2]
    if called := LEVEL_AND_RULE.match(message):
        return called[1], called[2]
    found = LEVEL.match(message)
    level, start = (found[1], found.end()) if found else ("", 0)
    if found and found[2] == "[":
        start = found.end(1)
    joined = (RULE_JOINED.match(message) or RULE_OF_LEVEL.match(message, start)) if found else None
    if joined:
        return level, joined[1]
    code = RULE.match(message, start)
    if code:
        behind = None if level else LEVEL_BEHIND.match(message, start)
        return (behind[1] if behind else level), next(filter(None, code.groups()))
    end = RULE_BEHIND.match(message, start)
    return level, (next(filter(None, end.groups())) if end else "")


def _is_file(word: str) -> bool:
    if "/" in word or "\\" in word:
        return "://" not in word.removeprefix("file://") and any(map(str.isalpha, word))
    return bool(AN_ENDING.match(word)) or word.endswith("file")


def _unframed(line: str) -> str:
    """A line without what a frame draws around it, or the time that a log of builds writes before it.

    Of a very wide line it is how it begins.
    """
    line = line[:WIDEST]
    if line[:1] and line[0] in BARS:
        return line[1:].rstrip(BARS + " ").removeprefix(" ")
    if line.strip() in set("\u2577\u2575\u256d\u2570\u250c\u2514\u250f\u2517"):
        return ""
    return STAMPED.sub("", line, count=1) if line[:1].isdigit() or line[:1] == "#" else line


def read_records(lines: list[str]) -> list[Told]:
    """All messages at places of a text."""
    return [
        Told(path, position, " ".join(said.split()), *marks_of(said))
        for path, position, message in _Reader().read(lines)
        for said in [message if len(message) <= LONGEST else message[:BEGINNING] + "..."]
    ]


class _Reader:
    def __init__(self) -> None:
        self.heading = self.above = self.head = ""
        self.distance = 0
        self.waiting: tuple[str, str] | None = None
        self.titled: tuple[str, str, str] | None = None  # a title that names a place
        self.begun = False  # it is the beginning of a message, rather
        self.waits = False  # a place that waits for its message behind blank lines, too
        self.pending, self.since = "", 0  # a message that is marked as one, and how many lines ago it was

    def forget(self) -> None:
        """After a blank line nothing belongs to what stood before it."""
        self.heading = self.above = self.head = ""
        self.distance = 0
        if not self.waits:
            self.waiting = None

    def read(self, lines: list[str]) -> Iterator[tuple[str, str, str]]:
        for line in map(_unframed, lines):
            self.since += 1
            if not line.strip():
                self.forget()
                continue
            if self.titled:
                path, position, said = self.titled
                self.titled = None
                goes_on = not self.begun or line[0] in " \t"
                yield path, position, f"{said} {line.strip()}".strip() if goes_on else said
                if goes_on:
                    self.pending = ""
                    continue
            row = ROW.match(line) if self.heading else None
            if row:
                yield self.heading, _position(row), row["said"].rstrip()
                self.above = self.head = ""
                continue
            yield from self._line(line.rstrip())

    def _line(self, line: str) -> Iterator[tuple[str, str, str]]:
        self.distance += 1
        for pattern in ABOVE_ALL:
            title = pattern.match(line)
            if title and _is_file(title["path"]):
                self.titled = (title["path"], _position(title), title["said"] or "")
                self.begun = False
                return
        place = self._place(line)
        if place is None:
            yield from self._elsewhere(line)
            return
        path, position, said = place
        if NOTHING_SAID.match(said):
            self.titled, self.begun = (path, position, said), True
            return
        if said:
            above = self.pending if line.lstrip()[0] in "\u2514\u2570" and self.since <= FAR else self.above
            if above and not any(marks_of(said)) and any(marks_of(above)):
                said = above
            yield path, position, said
        elif self.pending and self.since <= FAR:
            yield path, position, self.pending
        elif self.head and self.distance <= FAR and (line[0] in " \t" or any(marks_of(self.head))):
            yield path, position, self.head
        else:
            self.waiting, self.above = (path, position), ""
            self.waits = line.endswith(":")
            return
        self.above = self.head = self.pending = ""
        self.waiting = None

    def _place(self, line: str) -> tuple[str, str, str] | None:
        command = re.match(r"::(\w+) [^:]*?file=([^,:]+),line=(\d+)(?:,[^:]*?col(?:umn)?=(\d+))?[^:]*::(\S.*)", line)
        if command:
            inner = BESIDE.match(command[5])
            said = inner["said"] if inner and inner["said"] else command[5]
            return command[2], f"{command[3]}:{command[4]}" if command[4] else command[3], said
        for pattern, marked in WAYS:
            found = pattern.match(line)
            path = found.groupdict().get("path") or found.groupdict().get("file") if found else None
            if not found or not path or not _is_file(path):
                continue
            said = self._said(found)
            if said is not None and (not marked or marks_of(said)[1] or (marked == "any" and marks_of(said)[0])):
                return path, _position(found), said
            if pattern is BESIDE:
                return None
        found = APART.match(line) if self.pending and self.since <= FAR else None
        return (found["path"], _position(found), "") if found and _is_file(found["path"]) else None

    def _said(self, found: "re.Match[str]") -> str | None:
        """What is said beside a place; "" where that stands elsewhere, None where it is the way to a place."""
        parts = found.groupdict()
        said = ((found["said"] or "") + (parts.get("rest") or "")).strip()
        lead = f"{parts.get('lead') or ''}{parts.get('word') or ''}".strip()
        if lead.rstrip(":") in {"from", "File", "by", "via"} and not said.startswith("characters "):
            return None
        if said.endswith(":") and not any(marks_of(said)):
            return ""
        if not said or not lead:
            return said
        if lead.strip("[]:").split("(")[0].lower() in LEVELS.split("|") or RULE_JOINED.match(f"{lead} "):
            return f"{lead} {said}"
        if re.fullmatch(r"\[.*\]", lead):
            return said if any(marks_of(said)) else None
        return (
            said
            if re.fullmatch(r"[-*+\u2022\u2013]|[\u2514\u2570]\u2500|At|In|On|.*[.):]", lead)
            and re.match(r"[^\W_]|[\"'`\[(]", said)
            else None
        )

    def _elsewhere(self, line: str) -> Iterator[tuple[str, str, str]]:
        indented, source = line[0] in " \t", bool(SOURCE.match(line))
        row = ROW.match(line) if indented or line[0].isdigit() else None
        path = self.above.removeprefix("FILE: ").removesuffix(":")
        if row and self.above[:1] not in {" ", "\t", ""} and ": " not in path and " | " not in path and _is_file(path):
            self.heading = path
        if row and self.heading:
            self.above = self.head = ""
            yield self.heading, _position(row), row["said"].rstrip()
            return
        if self.waiting:
            mark = POINTER.match(line)
            below = (line[mark.end() :] if mark else line).strip()
            if LEVEL.match(below) or LEVEL_AND_RULE.match(below) or RULE.match(below):
                self.above = self.head = ""
                yield (*self.waiting, below)
                return
        if line.startswith("FILE: ") and _is_file(line.removeprefix("FILE: ")):
            self.heading = line.removeprefix("FILE: ")
        if not indented and not source:
            self.head, self.distance = line, 0
        leveled = LEVEL.match(line.lstrip()) or LEVEL_AND_RULE.match(line.lstrip())
        if SIGNED.match(line) or leveled or (not indented and any(marks_of(line))):
            self.pending, self.since = line.strip(), 0
        self.above = line


def _position(found: "re.Match[str]") -> str:
    parts = found.groupdict()
    line, column = parts.get("line") or parts.get("number"), parts.get("column") or parts.get("place")
    return f"{line}:{column}" if column else str(line)


WAYS = (
    (INSIDE, "any"),
    (BESIDE, ""),
    (FURTHER, "rule"),
    (TIGHT, "any"),
    (IN_PARENS, ""),
    (PARTED, "any"),
    (LETTERED, ""),
    (NO_COLON, "any"),
    (IN_SQUARES, "any"),
    (IN_WORDS, ""),
    (LEVEL_IN, ""),
    (LINE_OF, "any"),
    (APART_FROM_PATH, ""),
    (BEHIND, "any"),
    (AT_THE_END, "any"),
    (IN_CODE, ""),
    (WORDS_BEFORE, ""),
    (COLUMNS, ""),
)
"""How a place may be written, and what a message has to carry there: nothing, a level or a rule (any), a rule."""
