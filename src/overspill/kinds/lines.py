"""What single lines look like: events, entries of a listing, matches of a search, reports of tests, source code.

A `Sample` is what is looked at of a text: some lines of its first and of its last 64 KB. Which programming
language they are in is told by the lines nobody would write in another.

Regular expressions stand here as text: `re` compiles those that are used, when they are used. Compiled here,
they would double what it costs to start.
"""

from __future__ import annotations

from itertools import islice, pairwise

from overspill._lite import TYPE_CHECKING, cached_property, compile_pattern

if TYPE_CHECKING:
    import re

_MOST_LINES = 0.12  # of the lines must be telling
_FEWEST = 2


def _lines_pattern(*alternatives: str, flags: str = "m") -> str:
    """Lines that begin like this. Negated classes are kept within the line."""
    either = "|".join(alternatives).replace("[^", r"[^\n")
    return rf"(?{flags})^[ \t]*(?:{either})"


_TELLING = {
    "python": _lines_pattern(
        r"(?:async )?def \w+\(",
        r"class \w+(?:\(.*\))?:[ \t]*$",
        r"from \.*[\w.]+ import ",
        r"import \w[\w.]*(?: as \w+)?[ \t]*$",
        r"@\w[\w.]*(?:\([^{]*)?$",
        r"(?:if|elif|for|while|with|try|except|else|finally)\b[^{}]*:[ \t]*$",
        r"self\.\w+",
        r"raise \w+",
        '"""',
        r"return\b[^;{]*$",
        r"assert ",
        r"print\(",
    ),
    "javascript": _lines_pattern(
        r"(?:export )?(?:default )?(?:async )?function\b",
        r"(?:const|let|var) [\w{\[$]",
        r"import [^;]*['\"];?$",
        r"module\.exports",
        r"export (?:default|const|class|\{|function)",
        r"['\"]use strict['\"]",
        r"\}\);?$",
        r"return [^:]*;$",
        r"[^=]*=> ?.*[;,{)]$",
        r"console\.\w+\(",
        r"(?:Object\.|exports\.|module\.|this\.|process\.)\w+",
        r"class \w+(?: extends [\w.]+)? \{$",
        r"(?:constructor|async \w+|static \w+|get \w+|set \w+|\w+) ?\([\w, {}=.]*\) \{$",
        r"\} else(?: if .*)? \{$",
        r"throw new ",
        r"for \((?:const|let|var) ",
        r"(?:test|describe|it)\(['\"]",
        r"await ",
    ),
    "typescript": _lines_pattern(
        r"(?:export )?(?:declare )?(?:interface \w+|type \w+(?:<[^>]*>)? =|enum \w+)",
        r"import type ",
        r"(?:private|public|protected)?[ ]?(?:readonly )?\w+\??: (?:\w+(?:<.*>)?(?:\[\])?|\{)(?: \|.*)?(?: =.*)?;$",
    ),
    "go": _lines_pattern(
        r"package \w+$",
        r"import (?:\(|\")",
        r"func (?:\(|\w)",
        r"type \w+ (?:struct|interface|func)\b",
        r"if err != nil",
        r"defer ",
        r"\"[\w./-]+\"$",
        r"return [^;]*(?:nil|err)$",
        r"fmt\.",
    ),
    "rust": _lines_pattern(
        r"(?:pub(?:\(crate\))? )?(?:async |unsafe |const )*fn \w+",
        r"use [\w:]+::[^;]*;",
        r"(?:pub )?(?:struct|enum|trait|mod) \w+",
        r"impl\b",
        r"#!?\[\w",
        r"let (?:mut )?\w+",
        r"//[/!]",
        r"match .* \{",
        r"\w+!\(",
    ),
    "java": _lines_pattern(
        r"package [\w.]+;",
        r"import (?:static )?[\w.]+(?:\.\*)?;",
        r"(?:public|private|protected)\b[^:]*[({;]$",
        r"@(?:Override|Test|Autowired|Nullable|Deprecated)\b",
        r"System\.out\.",
        r"(?:abstract |final )?class \w+[^:]*\{",
    ),
    "csharp": _lines_pattern(
        r"using (?:static )?[\w.]+;",
        r"namespace [\w.]+;?$",
        r"(?:public|private|protected|internal|sealed)\b.*",
        r"Console\.Write",
        r"throw new ",
        r"foreach \(",
    ),
    "c": _lines_pattern(
        r"#[ \t]*(?:include|define|ifdef|ifndef|endif|pragma)\b",
        r"(?:static |const |unsigned |extern |inline )*"
        r"(?:int|void|char|double|float|long|struct \w+|size_t|bool|u?int\d+_t) [*\w][^:]*[;{(),\w]$",
        r"typedef ",
        r"(?:for|while|if) \(.*\)(?: \{)?$",
        r"printf\(",
        r"return [^:{]*;$",
    ),
    "cpp": _lines_pattern(
        r"namespace \w* ?\{",
        r"template ?<",
        r"(?:public|private|protected):$",
        r"using namespace",
        r"#include <\w+(?:/[\w./]+)?>",
    ),
    "ruby": _lines_pattern(
        r"require(?:_relative)? ['\"]",
        r"def (?:self\.)?\w+[?!]?(?:\([^)]*\))?$",
        r"end$",
        r"module \w+$",
        r"class \w+(?: < [\w:]+)?$",
        r"attr_\w+ ",
        r"puts ",
        r"@\w+ (?:=|<<)",
        r"\w[\w.@]*(?:\(.*\))? do(?: \|[^|]*\|)?$",
    ),
    "php": _lines_pattern(
        r"<\?php",
        r"\$\w+ ?(?:=|->)",
        r"namespace [\w\\]+;",
        r"use \w+\\?[\w\\]*;",
        r"(?:public|private|protected)(?: static)? (?:function|array|string|int|\?)",
        r"echo .*;$",
        r"\$this->",
        r"declare\(",
    ),
    "shell": _lines_pattern(
        r"#!.*\b(?:ba|z|k|da)?sh\b",
        r"(?:if|elif|while|until) .*; ?(?:then|do)$",
        r"(?:then|fi|done|esac|do)$",
        r"for \w+ in [^:{]*$",
        r"export \w+=",
        r"\w+\(\) ?\{$",
        r"set -[eux]",
        r"[A-Za-z_]\w*=[\"'$(\w/][^;]*$",
        r"(?:echo|printf|local|source|exit|sudo|rsync) ",
        r"(?:if |\|\| |&& )?\[\[? ",
        r"case .* in$",
    ),
    "sql": _lines_pattern(
        r"select\b",
        r"insert into\b",
        r"update \w+ set\b",
        r"delete from\b",
        r"(?:create|alter|drop) (?:table|index|view|unique|or replace|function|database)\b",
        r"(?:from|where|order by|group by|limit) [\w(]",
        r"(?:left |inner |right )?join \w",
        r"(?:begin|begin transaction|commit|pragma .*);",
        r"\w+ (?:integer|text|varchar|bigint|timestamp|boolean|serial|numeric)\b.*,?$",
        flags="mi",
    ),
    "html": _lines_pattern(
        r"</?(?:html|head|body|div|p|ul|li|h[1-6]|a|span|script|link|meta|title|table|tr|td|form|input|img)\b"
    ),
    "css": _lines_pattern(
        r"[.#:@*]?[\w.#:>\[\]=\"'()~+* -]+\{[^{}]*\}?$",
        r"[\w-]+ ?: ?[^;]+;$",
        r"@(?:media|import|keyframes|font-face)\b",
        r"\}$",
    ),
    "yaml": _lines_pattern(r"---$", r"(?:- )?[\w./-]+:(?: [^{}();]*)?$", r"(?:- )?[\w./-]+: \{\}$", r"- .*$"),
    "toml": _lines_pattern(r"\[\[?[\w.\"-]+\]\]?$", r"[\w.\"-]+ = (?:[\"'\[{]|[\d.+-]+$|true$|false$)", r"\]$"),
}

# A language has one of these somewhere: without them its telling lines are those of a neighbour. They
# are plain strings because most content is not code at all, and should not pay for the question.
_SIGNS = {
    "python": ("def ", "class ", "import ", "__name__"),
    "javascript": ("const ", "let ", "var ", "function", "require(", "exports", "=>", "import "),
    "typescript": ("interface ", ": string", ": number", ": boolean", ": void", "enum ", "export type "),
    "go": ("package ", "func ", ":= "),
    "rust": ("fn ", "impl ", "let mut ", "use std::", "use crate::"),
    "java": ("class ", "import java", "interface ", "enum ", "record "),
    "csharp": ("using ", "{ get;", "Console."),
    "c": ("#include", "#define", "#if", "int ", "void ", "struct "),
    "cpp": ("::", "template", "namespace ", "class ", "#include"),
    "ruby": ("end\n", "end"),
    "php": ("<?php", "$this->", " = "),
    "shell": ("fi\n", "done", "esac", "${", "$(", "export ", 'echo "', "set -e", "#!/"),
    "sql": ("create ", "CREATE ", "insert ", "INSERT ", "select ", "SELECT ", "update ", "UPDATE "),
    "html": ("<div", "<body", "<html", "<head", "<ul", "<table", "<p"),
    "css": ("{",),
    "yaml": (":\n",),
    "toml": ("]\n",),
}
_REQUIRED = {
    "csharp": r"(?m)^using [\w.]+;|\{ get;|Console\.",
    "cpp": r"(?m)\w::\w|#include <[a-z_]+>|^[ \t]*(?:template ?<|using namespace|namespace \w)",
    "ruby": r"(?m)^[ \t]*end$",
    "php": r"(?m)<\?php|\$this->|^[ \t]*\$\w+ = ",
    "sql": r"(?i)\bcreate table\b|\binsert into \w|\bselect\b[^\n]*\n?[^\n]*\bfrom\b|\bupdate \w+ set\b",
    "css": r"\{\s*[\w-]+ ?: ?[^;{}\n]+[;}]",
    "yaml": r"(?m)^[\w./-]+:$\n(?:[ \t]+\S|- )",
    "toml": r"(?m)^\[\[?[\w.\"-]+\]\]?$",
}

# Told wherever in a line they stand.
_ANYWHERE = {
    "typescript": (": string", ": number", ": boolean", ": void", ": unknown", ": Promise<", " as const"),
    "go": (" := ",),
    "csharp": ("{ get;",),
    "cpp": ("::", "nullptr", "constexpr", "noexcept", "typename"),
}

# Nearly every line of these is telling, or it is something else.
_MOST = {"yaml": 0.8, "css": 0.4, "toml": 0.6, "html": 0.4, "shell": 0.2, "c": 0.2}

# What the second says of itself is also said by the first: where both fit, the second is meant.
_REFINED = (("javascript", "typescript"), ("c", "cpp"), ("java", "csharp"))


# Comments look alike everywhere, and licences in them like prose.
_COMMENT = (
    r"[ \t]*(?://(?![/!])|\*(?:[ /]|$)|#(?![!\[]|[ \t]*(?:include|define|ifdef|ifndef|endif|if|else|pragma)\b)|--)"
)
_BLOCK = r"(?s)(\"\"\"|\'\'\').*?(?:\1|\Z)|(?<![\w*'\"/.])/\*.*?(?:\*/|\Z)"  # not the end of '*/*'
_ENOUGH = 60


def _without_comments(lines: list[str]) -> list[str]:
    text = compile_pattern(_BLOCK).sub(lambda block: block[1] or "", "\n".join(lines))
    is_comment = compile_pattern(_COMMENT).match
    told = (line for line in text.split("\n") if line.strip(" \t{}()[];,") and not is_comment(line))
    return list(islice(told, _ENOUGH))


def language_of(lines: list[str]) -> tuple[str, float]:
    r"""The language, and the share of lines that say so; no language when too few do.

    >>> language_of(["package main", "", "func main() {", "\tx := 1", "}"])[0]
    'go'
    """
    if lines and lines[0].startswith("#!"):
        shebang = _shebang(lines[0])
        if shebang:
            return shebang, 1.0
    lines = _without_comments(lines)
    text, total = "\n".join([*lines, ""]), len(lines)
    shares = {}
    for language, telling in _TELLING.items():
        required = _REQUIRED.get(language)
        if not any(sign in text for sign in _SIGNS[language]) or (
            required and not compile_pattern(required).search(text)
        ):
            continue
        found = len(compile_pattern(telling).findall(text)) + sum(map(text.count, _ANYWHERE.get(language, ())))
        if found >= _FEWEST and found >= total * _MOST.get(language, _MOST_LINES):
            shares[language] = min(1.0, found / max(1, total))
    for plain, refined in _REFINED:
        if plain in shares and refined in shares:
            shares[refined] = max(shares[refined], shares.pop(plain))
    best = max(shares, key=lambda language: shares[language], default="")
    return best, shares.get(best, 0.0)


_SHEBANGS = (
    ("python", "python"),
    ("node", "javascript"),
    ("ruby", "ruby"),
    ("php", "php"),
    ("perl", "perl"),
    ("sh", "shell"),
)


def _shebang(line: str) -> str:
    return next((language for program, language in _SHEBANGS if program in line), "")


# One of these lines, near either end, makes a test report.
TEST_REPORT = (
    r"=+ test session starts =+$"
    r"|=+ .*\b\d+ (?:passed|failed|error|skipped).* in [\d.]+m?s.*=+$"
    r"|\d+ (?:passed|failed|errors?|skipped)\b.* in [\d.]+s$"
    r"|Ran \d+ tests? in [\d.]+s$"
    r"|TAP version \d+$"
    r"|[#\u2139] (?:tests|pass|fail) \d+$"
    r"|test result: (?:ok|FAILED)\. \d+ passed"
    r"|--- (?:FAIL|PASS|SKIP): \S+ \([\d.]+s\)"
    r"|(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[build failed\])"
    r"|\d+% tests passed, \d+ tests failed out of \d+"
    r"|Tests: +.*\d+ total$"
    r"|Test Suites: +.*\d+ total$"
    r"|\s+\d+ passing \([\d.]+m?s\)$"
    r"|(?:\[\w+\] +)?Tests run: \d+, Failures: \d+"
    r"|OK \(\d+ tests?, \d+ assertions?\)$"
    r"|Tests: \d+, Assertions: \d+"
    r"|\d+ examples?, \d+ failures?"
    r"|(?:Passed|Failed)! +- Failed: +\d+"
    r"|\s*Test(?:s| Files)\s+(?:\d+ failed \| )?\d+ passed \(\d+\)$"
    r"|\[  (?:PASSED|FAILED)  \] \d+ tests?"
)

DIFF_HEADER = (
    r"diff --(?:git|cc|combined) |Index: \S|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|@@@ -|\*{15}$|(?:---|\+\+\+) \S"
)
DIFF_HUNK = r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|@@@ -|\*{15}$"
DIFF_LINE = (
    r"[ +\-!@\\]|$|diff |index |new file|deleted file|similarity|rename |copy |old mode|new mode|Only in |Binary files"
    r"|commit [0-9a-f]{7,}|Author|Date|Merge|\*\*\*"
)
NORMAL_HUNK = r"\d+(?:,\d+)?[acd]\d+(?:,\d+)?$"
NORMAL_LINE = rf"[<>](?: |$)|---$|\\ No newline|diff |Only in |Binary files |{NORMAL_HUNK}"

_LEVEL = (
    r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|SEVERE"
    r"|Error|Warning|Note|error|warning|note|fatal|info|debug)"
)

DIAGNOSTIC = (
    r"[^\s:][^:\n]{0,200}+:\d+(?::\d+)?:? (?:fatal )?(?:error|warning|note|info|ERROR|WARNING|[A-Z]{1,5}\d{3,4})\b"
    r"|[^\s:]+\(\d+,\d+\): (?:error|warning)"
)

EVENT = (
    r"\[?\d{4}[-/]\d\d[-/]\d\d(?:[T ,\]]|$)"
    r"|\[?\d\d:\d\d:\d\d\b"
    r"|(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
    r"|\S++ \S++ \S++ \[\d\d/[A-Z][a-z]{2}/\d{4}[: ]"
    r"|[IWEF]\d{4} \d\d:\d\d"
    r"|\[ *\d+\.\d+\] "
    r"|\d{10,13}[.: ]"
    r"|(?:ts|time|level|lvl|severity)=\S"
    rf"|\[?{_LEVEL}(?:\[\w+\])?\]?[ :|\]]"
    rf"|[\w./-]++(?:\[\d+\])?: (?:\*\*\* )?\[?{_LEVEL}\b"
    r"|[\w./+-]++: [Ii]n (?:member )?function "
    r"|Traceback \(most recent call last\)|  File \"|\s+at [\w$.<>/:\\ ]+[(:]"
    r"|(?:\w++\.)*+[A-Z]\w*?(?:Error|Exception)(?::|$)|Caused by: "
    r"|goroutine \d+ |thread '|npm (?:error|ERR!|warn|WARN|notice|http|info)|yarn |==\d+== |make(?:\[\d+\])?: |-- \w"
    r"|[*<>] \S|[*<>] *$|\+ \w+ "
    r"|\s*(?:Collecting|Downloading|Installing|Requirement already|Using|Successfully|Building|Compiling|Finished|Fresh"
    r"|Running|Checking|Updating|Downloaded|Unpacking|Setting up|Get:\d+|Hit:\d+|Fetching|Fetched"
    r"|Preparing|Processing|Selecting|Resolving|Pulling"
    r"|Step \d+/\d+|#\d+ \[|Found \d+ errors?) ?"
    r"|\[ *\d+(?:/\d+|%)\]"
    r"|\w++\(.*\) += -?(?:\d|0x|\?)|\+\+\+ exited"
    r"|(?:gcc|g\+\+|cc|clang|c\+\+|rustc|javac|ld|ar|cmake|go build) \S"
    r"|\s*--> \S+:\d+|\s*\d* +\||\s*= (?:note|help):|\s+\^"
    r"|\d+ errors?\b"
)

MATCH = (
    r"(?!\d+:|\d{4}-|https?:|\[)(?=[^\s:A-Za-z]*[A-Za-z])[^\s:*<>|]{1,250}+:\d+(?::\d+)?:"
    r"|(?![\d\[])(?=[^\sA-Za-z]*[A-Za-z])[^\s:=\"']{1,250}?[-=]\d+[-=]|--$"
)
NUMBERED = r"\d+[:=-]"
PATH = r"(?:\.{0,2}/)?(?:[\w.@+%~ -]+/)*[\w.@+%~-]+/?$"

_MODE = r"[-dlcbps][-rwxsStT]{9}"

ENTRY = (
    rf"(?:\s*\d+ +\d+ +)?{_MODE}[.+@]?\s"
    r"|total \d+"
    r"|(?=\S*[A-Za-z.])[^\s;{}()<>=\"',]{1,200}$"
    r"|(?:    )*[│├└|`](?:   |\xa0\xa0 |──|--)"
    r"|\s*\d+(?:\.\d+)?[KMGTBkib]*\s+(?:\./|/|\w)[^\s;{}]*$"
    r"|[0-9a-f]{32,128} [ *]\S"
    r"|[0-9a-f]{7,40} (?:\(.*\) )?\S"
    r"|commit [0-9a-f]{40}|(?:Author|AuthorDate|Commit|CommitDate|Date|Merge): "
    r"|(?![ ]{2})[ MADRCUT?!]{2} \S+$|\s+(?:modified|new file|deleted|renamed|both modified): "
    r"|On branch |Your branch |HEAD detached|Changes (?:to be|not staged)|Untracked files|  \(use \"git "
    r"| \S.* \| +(?:\d+ [+-]*|Bin .*)$| \d+ files? changed"
    r"|[0-9a-f ]{8,16} [A-Za-z?] \S+$"
    r"|\t\S+$"
    r"|[+|](?:-{2,}|={2,}| .* \|$)"
    r"|\S.{0,200}\s+\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?\s+\d+$"
)

BASE64 = r"[A-Za-z0-9+/]{16,}={0,2}$|[A-Za-z0-9_-]{16,}={0,2}$"
DATA_URI = r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.-]+)*;base64,[A-Za-z0-9+/=]"

MANUAL = r"[A-Za-z][\w.+:-]*\(\d\w*\)\s.*\s[A-Za-z][\w.+:-]*\(\d\w*\)$"
HEADING = r"# \w|<h1\b"
MARKDOWN = r"#{2,6} \w|```|\[[\w-]+\]: \S|[*-] \[.*\]\("
USAGE = r"(?i:usage): \S"


SAMPLE = 65_536
LINES_TOP, LINES_BOTTOM = 60, 30
LINES_CODE = 200  # comments at the top of a file can be long
WIDEST = 200  # characters of a line
LONG_LINE = 1_000

_WORD_ENDS = "`*_.,;:!?()\"'"
_FEWEST_WORDS = 5
_MOSTLY = 0.7


class Sample:
    """A text as far as it is looked at."""

    def __init__(self, text: str, total: int) -> None:
        self.whole = total <= len(text)  # otherwise the end is still to come
        self.head = text[:SAMPLE]
        self.tail = text[-SAMPLE:] if len(text) > SAMPLE else self.head
        self.start = self.head[:4_096].lstrip("\ufeff \t\r\n")
        self.end = self.tail[-4_096:].rstrip()
        first = self.head.split("\n", LINES_TOP)
        self.cut = len(first) > LINES_TOP or len(text) > SAMPLE or not self.whole
        self.first = (first[:-1] or first) if self.cut else first
        self.last = self.tail.rsplit("\n", LINES_BOTTOM)[1:] if self.cut and self.whole else []
        self.top = [line[:WIDEST].rstrip() for line in self.first]
        self.lines = [line for line in self.top if line]

    @cached_property
    def long_lines(self) -> bool:
        """Whether a line has a thousand characters or more on the average, as minified files do."""
        return len(self.head) >= LONG_LINE * (self.head.rstrip("\n").count("\n") + 1)

    @cached_property
    def language(self) -> tuple[str, float]:
        """The programming language, and the share of lines that tell it."""
        return language_of([line[:WIDEST].rstrip() for line in self.head.split("\n", LINES_CODE)[:LINES_CODE]])

    @cached_property
    def diagnostics(self) -> float:
        """The share of what compilers and linters say."""
        return self.share(DIAGNOSTIC)

    @cached_property
    def events(self) -> float:
        """The share of lines that tell what happened."""
        return self.share(EVENT) + self.diagnostics

    @cached_property
    def entries(self) -> float:
        """The share of lines that are one thing of many."""
        return self.share(ENTRY)

    @cached_property
    def sentences(self) -> float:
        """The share of lines that are made of words."""
        return sum(map(is_wordy, self.lines)) / len(self.lines)

    def count(self, pattern: str) -> int:
        """How many of the lines at the top look like this."""
        matches = compile_pattern(pattern).match
        return sum(1 for line in self.lines if matches(line))

    def share(self, pattern: str) -> float:
        """The share of the lines at the top, empty ones aside, that look like this."""
        return self.count(pattern) / max(1, len(self.lines))


def is_wordy(line: str) -> bool:
    words = line.split()
    if len(words) < _FEWEST_WORDS:
        return False
    return sum(1 for word in words if word.strip(_WORD_ENDS).replace("-", "").isalpha()) > _MOSTLY * len(words)


NUMBERED_LINES, FEWEST_NUMBERED = 40, 3  # lines

_WAYS = (r" *\d+\t", r" *\d+→", r" *\d+: ?", r" *\d+\| ?", r" *\d+ │ ?")


def numbering_pattern(text: str) -> re.Pattern[str] | None:
    r"""What a reader of files put before every line of a text to number them one by one, or None.

    >>> numbering_pattern("     1\tdef f():\n     2\t    return 1\n     3\t\n").pattern
    ' *\\d+\\t'
    """
    lines = text[:8_000].split("\n")[:NUMBERED_LINES]
    if len(lines) > FEWEST_NUMBERED:
        lines = lines[:-1]  # the last may be cut off
    lines = [line for line in lines if line.strip()]
    if len(lines) < FEWEST_NUMBERED or not lines[0].lstrip()[:1].isdigit():
        return None
    for way in _WAYS:
        pattern = compile_pattern(way)
        found = [pattern.match(line) for line in lines]
        numbers = [int(compile_pattern(r"\D").sub("", match[0])) for match in found if match]
        if len(numbers) == len(lines) and all(b - a == 1 for a, b in pairwise(numbers)):
            return pattern
    return None


def without_numbering(text: str, pattern: re.Pattern[str]) -> str:
    """The text without the numbers."""
    return "\n".join(pattern.sub("", line, count=1) for line in text.split("\n"))
