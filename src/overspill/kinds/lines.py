"""What single lines look like: events, entries of a listing, matches of a search, reports of tests.

Regular expressions as text: `re` compiles those that are used, when they are used. Compiled here, they
would double what it costs to start.

The parts of a text that are looked at: some lines of the first and of the last 64 KB.
"""

import re
from functools import cached_property

from overspill.kinds.languages import language_of

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

_LEVEL = (
    r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|SEVERE"
    r"|Error|Warning|Note|error|warning|note|fatal|info|debug)"
)

DIAGNOSTIC = (
    r"[^\s:][^:\n]{0,200}+:\d+(?::\d+)?:? (?:fatal )?(?:error|warning|note|info|[A-Z]{1,5}\d{3,4})\b"
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
        return sum(map(_is_wordy, self.lines)) / len(self.lines)

    def count(self, pattern: str) -> int:
        """How many of the lines at the top look like this."""
        looks = re.compile(pattern).match
        return sum(1 for line in self.lines if looks(line))

    def share(self, pattern: str) -> float:
        """The same, as a share of the lines that are not empty."""
        return self.count(pattern) / max(1, len(self.lines))


def _is_wordy(line: str) -> bool:
    words = line.split()
    if len(words) < _FEWEST_WORDS:
        return False
    return sum(1 for word in words if word.strip(_WORD_ENDS).replace("-", "").isalpha()) > _MOSTLY * len(words)
