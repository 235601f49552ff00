r"""What a line says, by its shape, and where in a text such lines may be.

The shapes are a table of patterns, and the first that matches counts. Every row is evidence that some family of tools
writes on purpose; docs/smart.md lists them in words. Only lines with a telling word are matched, a few in a thousand.

>>> classify_line("2024-11-06 ERROR db: connection lost").level, classify_line("ok: 0 errors, error=None")
('error', None)

Lines with telling words are found by native searches alone. Searching a word is a pass at memory speed, so a few
dozen of them cost less than one pass of a pattern. Phrases that only look telling ("0 errors", "error=None") are
blotted out before, at their own length, so that places stay places.

>>> hit_lines("all is well\nerror: x\n")
[SignalLine(start=12, end=20, at=12)]

What lines say, each classified once: a line that differs from another only in numbers says the same.
"""

from __future__ import annotations

from _collections_abc import Callable

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern

if TYPE_CHECKING:
    import re

WIDEST = 600  # characters of a line that are looked at


class LineClass(NamedTuple):
    """What a line says: how bad, in which words, and the name it is about."""

    level: str
    why: str
    name: str = ""


# Made unreadable in a line before it is judged, in small letters: it would be chosen for the wrong reason.
HARMLESS = (
    r"0(?<!\d0)(?<!\.0) (?:error|fail|warn|exception|problem|conflict|unexpected|assert|skip|test|flak)\w*"
    r"|(?:no|not|never|any)(?<![a-z]no)(?<![a-z]not)(?<![a-z]any) (?:error|fail|warn|exception|problem|conflict)\w*"
    r"|zero (?:error|fail|warn|exception|problem)\w*|without (?:any )?(?:error|fail|warn|exception|problem)\w*"
    r"|ignor(?:ed|ing|e) (?:error|fail|warn|exception)\w*"
    r"|(?:no|zero)(?<![a-z]no) \w+ (?:errors?|failures?|failed|warnings?|exceptions?|problems?)\b"
    r"|(?:err(?:ors?)?|fail(?:ures?|ed)?|exceptions?|warnings?|fatal|timeouts?|conflicts?|aborted|killed)"
    r"(?:_?count|_?code|_?total|_?num)?[\"']?\s*[=:]\s*(?:[\"']{2}"
    r"|[\"']?<?(?:none|null|nil|0(?:\.0+)?%?|false|no|ok|undefined)>?[\"']?|\[\s*\]|\{\s*\})(?![\w.])"
    r"|error[- ](?:free|handl\w+|report\w*|page|rate|budget|recovery|code 0|boundary|boundaries)"
    r"|stderr\b|on_?errors?\b|-w(?:no-)?error\S*|fail[-_]?(?:fast|over|safe|open)|failure[- ]?(?:domain|rate)\w*"
    r"|exit(?:ed)?(?: with)?(?: code| status)?[ :=]*0\b|expected (?:to|in|by|at|within)\b"
    r"|if[-_ ]not[-_ ]found|xfail\w*|deprecat\w+ warnings?\b"
)
# Words in paths, modules and names say nothing: `src/errors.py`, `error_chain`, `handle-failed.js`, `ErrorBoundary`.
# What goes on with a line number, or with a colon, may be said by a compiler.
NAMES = r"(?!\S*(?::\d|:$|\(\d))(?:\S*/\S*|\w+(?:[-_.]\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z]+(?:[A-Z][a-z]+)+)[,;]?$"

# A test that passed, however alarming its name.
PASSED = (
    r"\s*(?:\u2713|\u2714|\u221a|ok \d+\b|ok\b|PASS(?:ED)?\b|\[ +OK \]|\[ +RUN +\]|=== (?:RUN|PAUSE|CONT)"
    r"|--- PASS|--- SKIP|- \[x\]|(?:Passed|Skipped) \S+ \[[^\]]*\])"
)
_PASSING = ("PASSED", "Passed", "... ok", "ignored", "SKIPPED", "XFAIL", "%]")
PASSED_AT_END = (
    r"PASSED(?: +\[ *\d+%\]|\b.*)\s*$|\.\.\. (?:ok|ignored)\s*$|\.\. +Passed +[\d.]+ sec|SKIPPED\b.*$|XFAIL\b.*$"
    r"|[ /][.sx]{3,} +\[ *\d+%\]\s*$|: (?:Passed|OK)\s*$"
)


class LinePattern(NamedTuple):
    """Evidence of one level: how a line begins, or what it holds if it holds one of the words.

    `(?P<n1>...)` is the name it is about.
    """

    level: str
    why: str
    begins: str
    holds: str = ""
    words: tuple[str, ...] = ()
    as_is: bool = False  # judged with its paths and names


ROWS: tuple[LinePattern, ...] = (
    LinePattern("name", "failed test", (
        r"(?:FAILED|ERROR) (?P<n1>\S*\.py(?:::.*?)?)(?= - [A-Za-z]|$)"
        r"|(?:FAIL|ERROR): (?P<n2>\w+ \([\w.]+\).*)"
        r"|\s*--- FAIL: (?P<n3>\S+)"
        r"|test (?P<n4>\S+)(?: - should panic)? \.\.\. FAILED"
        r"|\s*not ok (?P<n5>(?!.*# (?:TODO|SKIP))\d+.*)"
        r"|\[  FAILED  \] (?P<n6>[\w/]+\.[\w/]+)"
        r"|\s+\d+ - (?P<n7>\S+.*) \((?:Failed|Timeout|SEGFAULT|Not Run|Exception|Child|Subprocess|ILLEGAL)[^)]*\)"
        r"|\s*Failed (?P<n8>[\w.`<>+]+(?:\(.*\))?) \[[^\]]*\]"
        r"|(?P<n9>\S.* > .+) FAILED\s*$"
        r"|\[ERROR\]\s+(?:\w+\.)*(?P<n10>\w+[.:>-]+\w+(?:\[[^\]]*\])?:\d+) "
        r"|\[ERROR\]\s+(?P<n11>\S+)(?: \S+)? (?:--|\u2013).*<<< (?:FAILURE|ERROR)"
        r"|\s*\u25cf (?P<n12>(?!Console|.* \u203a [\d.]+ ?m?s\s*$).+ \u203a .+)"
        r"|\s*FAIL +(?P<n13>\S+ > .+)"
        # A cross before cells that stand in columns marks a row of a table, no test.
        # Nor is a message of a checker one: a sentence, or one that says its rule.
        r"|\s*[\u2715\u2717\u2716\u2718\u00d7] (?P<n14>(?!\d+ problems?|failing tests|\[[A-Z]+\] |.*\.\s*$)"
        r"(?![\w-]+\([\w/-]+\): )"
        r"(?!.*?\S(?: {3}|\t)\s*(?!\(?[\d.]+ ?m?s\b)\S)\S.*?)(?: \(?[\d.]+ ?m?s\)?)?\s*$"
        r"|rspec (?P<n15>\./\S+)"
    ), as_is=True),
    LinePattern("named", "failed test, said again", (
        r"\S+::\S+.* (?:FAILED|ERROR)\b|\s*\d+/\d+ Test +#\d+: .*\*\*\*|---- \S+ stdout ----|_{5,} (?:ERROR |\w)"
        r"|.* \.\.\. (?:FAIL|ERROR)$"
    ), as_is=True),
    LinePattern("summary", "how it ended", (
        r"=+ .*\b\d+ (?:passed|failed|errors?|skipped)\b.*=+$|\d+ (?:failed|errors?)\b.* in [\d.]+s"
        r"|FAILED \((?:failures|errors|skipped|expected failures|unexpected successes)=.*\)$"
        r"|(?:Tests|Test Suites|Test Files|Suites)[: ] +.*\d+ failed.*"
        r"|\s+(?:Tests|Test Files)  .*\d+ failed.*"
        r"|\s+\d+ failing$|[#\u2139] (?:fail|cancelled) [1-9]\d*|test result: FAILED|FAIL\t\S+|FAIL\s*$|FAIL +\S+$"
        r"|\[ERROR\].*Tests run: \d+, Failures: \d+|\d+ tests? completed, \d+ failed"
        r"|\d+% tests passed, [1-9]\d* tests? failed"
        r"|\[  FAILED  \] \d+ tests?|FAILURES!|There (?:was|were) \d+ (?:failure|error)s?:"
        r"|Tests: \d+, Assertions: \d+.*(?:Failures|Errors): "
        r"|\d+ examples?, [1-9]\d* failures?|\d+ runs?, \d+ assertions?, .*[1-9]\d* fail|Failed! +- |Test Run Failed"
        r"|Found [1-9]\d* errors?\b.*|\s*[\u2716\u2718] \d+ problems?.*"
        r"|[1-9]\d* (?:errors?|warnings?)(?: and \d+ \w+)?(?: generated\.?)?$|The following tests FAILED"
    ), r"aborting due to|could not compile\b|BUILD FAIL(?:ED|URE)\b|compiled with \d+ error|Build failed\b",
        ("aborting", "compile", "build"), as_is=True),
    LinePattern("status", "the command that failed", "", (
        r"make(?:\[\d+\])?: \*\*\* |exit(?:ed)?(?: with)?(?: (?:code|status|value))?[ :=]+-?[1-9]\d*\b"
        r"|returned (?:a )?non-zero|did not complete successfully|Command failed\b|ELIFECYCLE\b"
        r"|ninja: build stopped|terminated (?:by|with) signal|non-zero exit|exit code: [1-9]"
        r"|returned [1-9]\d* exit status|ld returned [1-9]|\[ERROR\] Failed to execute goal"
    ), (
        "make", "exit", "non-zero", "complete", "command", "lifecycle", "ninja", "signal", "returned", "goal",
    ), as_is=True),
    LinePattern("fatal", "fatal", (
        r"fatal: |panic: |Killed\s*$|F\d{4} \d\d:\d\d|FATA\["
    ), (
        r"(?:FATAL(?<![\w.-]FATAL)|CRITICAL(?<![\w.-]CRITICAL)|EMERG(?<![\w.-]EMERG)(?:ENCY)?|PANIC(?<![\w.-]PANIC))\b(?![-/=])"
        r"|(?:FTL|CRIT|ALERT)(?<![\w./=-]FTL)(?<![\w./=-]CRIT)(?<![\w./=-]ALERT)\b(?![-/=.\w])|\[(?:emerg|alert|crit)\]"
        r"|fatal(?: error)?: |panicked at |Segmentation fault"
        r"|core dumped|[Oo]ut of memory\b|OOM-?[Kk]ill|Killed process \d+|[Kk]ernel panic|Uncaught\b"
        r"|(?:level|lvl|severity)[\"']?[=:]\s*[\"']?(?:fatal|panic|crit(?:ical)?|emerg|alert)\b"
        r"|[Uu]nhandled (?:exception|rejection|promise)|deadlock\b|double free|stack overflow|AddressSanitizer: "
        r"|runtime error: "
    ), (
        "fata", "ftl", "crit", "emerg", "panic", "segmentation", "core dumped", "out of memory", "oom", "killed",
        "uncaught", "unhandled", "deadlock", "double free", "overflow", "sanitizer", "runtime error", "alert",
    )),
    LinePattern("exception", "exception", (
        r"(?:Exception in thread |Caused by: |Uncaught |Unhandled )?(?:[a-z_]\w*[.\\$])*"
        r"[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Fault)\b(?:\s*\[.*?\])?(?::|$|\s*\()"
    ), (
        r"Traceback \(most recent call last\)|Caused by: |Exception in thread|threw exception|nested exception is "
    ), ("traceback", "caused by", "exception")),
    LinePattern("assertion", "assertion", (
        r"E {2,}\S|\s*Failure/Error: |\s*Failed asserting|\s*Error Message:|\s*[Ee]xpected .* (?:to|but|got)\b"
        r"|\s*(?:[-+] )?(?:[Ee]xpected|EXPECTED|Expected value)\b[^.]{0,40}:"
    ), r"AssertionError\b|AssertionFailed|[Aa]ssertion\b.* failed|: Failure$|assert(?:ion)? failed\b",
        ("assert", "failure")),
    LinePattern("error", "error", (
        r"E(?:\d{4} \d\d:\d\d|: |RRO\[|/[\w.-]+(?:\(\s*\d+\))?: )|\s*\d+:\d+\s+error\s|ERROR in "
        r"|\s*Errors? (?:occurred|while|during)|(?:\S+: )?(?:cannot|can't|could not|unable to|failed to) "
    ), (
        r"(?:ERROR(?<![\w./=-]ERROR)|SEVERE(?<![\w./=-]SEVERE)|ERR(?<![\w./=-]ERR))\b(?![=/.\w])(?!\s*=)"
        r"|(?:[Ee]rror(?<![\w.-].rror)|[Ff]ailure(?<![\w.-].ailure))(?:\[\w+\])?: (?!0\b)\S"
        r"|error(?<!\Serror) (?:[A-Z]{1,6}\d+|in )|npm (?:ERR!|error)\b|\[error\]"
        r"|(?:level|lvl|severity)[\"']?[=:]\s*[\"']?(?:err?or|eror|err|severe)\b|\(EE\)|\[E(?:\]| \d)"
        r"|undefined (?:reference to|symbol|method|local variable)|CMake Error|(?:Error|Exception): "
        r"|\.\w+:\d+(?::\d+)?: (?:undefined|cannot|invalid|missing|unknown|no required|expected|too many|not enough)"
        r"|: (?:command not found|No such file or directory|Permission denied)\s*$|CONFLICT \(|HTTP/\d\.\d\" 5\d\d "
    ), ("err", "severe", "fail", "exception", "undefined", ": ", "conflict", "http/", "(ee)", "[e", "eror")),
    LinePattern("warning", "warning", (
        r"W(?:\d{4} \d\d:\d\d|: |/[\w.-]+(?:\(\s*\d+\))?: )|\s*\d+:\d+\s+warning\s|WARNING in "
    ), (
        r"(?:WARN(?<![\w./=-]WARN)(?:ING)?|WRN(?<![\w./=-]WRN))\b(?![=/.\w])|\(WW\)|\[W(?:\]| \d)"
        r"|[Ww]arning(?:\[\w+\])?: "
        r"|\[warn(?:ing)?\]|(?:level|lvl|severity)[\"']?[=:]\s*[\"']?warn|npm (?:WARN|warn)\b|warning [A-Z]{1,6}\d+"
    ), ("warn", "wrn", "(ww)", "[w", "w: ", "w/")),
    # It is worth as much and not counted: whoever looks for these warnings finds none, and not every one is judged.
    LinePattern("notice", "notice", r"(?!)", r"NOTICE(?<![\w./=-]NOTICE)\b(?![=/.\w])", ("notice",)),
)  # fmt: skip

_WEAK = (
    r"(?:errors?|fail(?:s|ed|ure|ures|ing)?|exception|denied|refused|abort(?:ed|ing)?|crash\w*|timed out"
    r"|could not|cannot|unable to|not found|invalid|corrupt\w*|unexpected|deadlock|out of memory|killed)\b"
)
QUIET_WORDS = ("INFO", "DEBUG", "TRACE", "info", "debug", "trace", "NOTE")
QUIET = rf".{{0,60}}?(?<![\w.])(?:{'|'.join(QUIET_WORDS)})\b"

_TELLING = r"err|fail|warn|except|abort|assert|panic|invalid|timeout|conflict|fatal|crash"
_STAMP = compile_pattern(
    r"[\[(<]?\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d[\d:.,]*)?(?:Z| ?[+-]\d\d:?\d\d| UTC)?[\])>]?[\s:|]+"
    r"|[\[(]?\d\d:\d\d:\d\d[\d.,]*Z?[\])]?[\s:|]+|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d\s+"
    r"|#\d+ [\d.]+\s+|\d{10,13}[.\d]*\s+|\[ *\d+\.\d+\]\s+"
)

LineSearch = Callable[[str], "re.Match[str] | None"]


class PatternTable(NamedTuple):
    """The patterns, compiled."""

    rows: tuple[tuple[LinePattern, LineSearch, LineSearch], ...]
    harmless: re.Pattern[str]
    passed: LineSearch
    name: LineSearch
    telling: re.Pattern[str]
    weak: LineSearch
    quiet: LineSearch


_TABLE = PatternTable(
    rows=tuple(
        (row, compile_pattern(row.begins or "(?!)").match, compile_pattern(row.holds or "(?!)").search) for row in ROWS
    ),
    harmless=compile_pattern(HARMLESS),
    passed=compile_pattern(PASSED).match,
    name=compile_pattern(NAMES).match,
    telling=compile_pattern(_TELLING),
    weak=compile_pattern(_WEAK).search,
    quiet=compile_pattern(QUIET).match,
)


def has_passed(line: str) -> bool:
    """Whether a line tells of a test that passed.

    >>> has_passed("a.py::test_errors PASSED [ 3%]"), has_passed("++++ weighs 7 PASSED"), has_passed("a FAILED")
    (True, True, False)
    """
    passing = any(map(line.__contains__, _PASSING)) and compile_pattern(PASSED_AT_END).search(line) is not None
    return passing or _TABLE.passed(line) is not None


# What a line has, in one way of writing it or another, that tells of a test that passed.
_SIGNS_OF_PASSING = (
    "ok", "OK", "PASS", "Passed", "SKIP", "Skipped", "ignored", "XFAIL", "%]", "RUN", "=== ", "[x]",
    "\u2713", "\u2714", "\u221a",
)  # fmt: skip


def may_have_passed(part: str) -> bool:
    """Whether one of some lines may tell of a test that passed: of most, all are seen not to do so at once."""
    return any(map(part.__contains__, _SIGNS_OF_PASSING))


def classify_line(line: str) -> LineClass | None:
    """What a line says, or None when it says nothing that matters."""
    line = line[:WIDEST]
    table = _TABLE
    if has_passed(line):
        return None
    cleared = small = ""
    lower = line.lower()
    for row, begins, holds in table.rows:
        if not row.as_is and not cleared:
            cleared = _cleared_line(line, table) or " "
            small = cleared.lower()
        judged, words = (line, lower) if row.as_is else (cleared, small)
        found = begins(judged)
        if found is None and any(map(words.__contains__, row.words)):
            found = holds(judged)
        if found is not None:
            return LineClass(row.level, row.why, _matched_name(found))
    if not table.weak(small):
        return None
    if table.quiet(cleared):
        return LineClass("mention", "mentions trouble")
    return LineClass("trouble", "speaks of trouble")


def _cleared_line(line: str, table: PatternTable) -> str:
    """The line without what would be read for the wrong reason; what is left keeps its place."""
    small = line.lower()
    if len(small) != len(line):
        return line
    for found in table.harmless.finditer(small):
        line = _blanked_part(line, found.start(), found.end())
    at = 0
    for found in table.telling.finditer(small):
        if found.start() < at:
            continue
        start = max(line.rfind(" ", 0, found.start()), line.rfind("\t", 0, found.start())) + 1
        at = line.find(" ", found.end()) % (len(line) + 1)
        if table.name(line[start:at]):
            line = _blanked_part(line, start, at)
    return line


def _blanked_part(line: str, start: int, end: int) -> str:
    return line[:start] + "_" * (end - start) + line[end:]


def _matched_name(found: re.Match[str]) -> str:
    return found[found.lastgroup] if found.lastgroup else ""


def stamp_width(line: str) -> int:
    """How many characters of a line are the time it was written.

    >>> stamp_width("2024-11-06 14:22:01.123 INFO started"), stamp_width("plain")
    (24, 0)
    """
    found = _STAMP.match(line)
    return found.end() if found else 0


# A line is looked at when it holds one of these, in small letters.
WORDS = (
    "error", "fail", "fatal", "panic", "exception", "traceback", "warn", "critical", "severe", "assert", "not ok ",
    "undefined", "cannot", "could not", "unable to", "denied", "refused", "abort", "killed", "timed out", "timeout",
    "segmentation", "out of memory", "exit", "err!", "no such file", "not found", "expect", "invalid", "conflict",
    "crash", "unhandled",
)  # fmt: skip
# The few that are looked for in the middle of a text too large to be looked at closely,
LOUD = (
    "error", "fail", "fatal", "panic", "exception", "traceback", "critical", "severe", "abort", "killed", "denied",
)  # fmt: skip
# and at the ends of such a text.
LOUDER = (*LOUD, "warn", "assert", "not ok ", "exit", "refused", "timed out", "crash")
LARGE = 1 << 20
SIGNS = ("\u2715", "\u2717", "\u2716", "\u00d7", "\u25cf", "\u274c", "\u2718")  # crosses and dots of test runners
MOST_HITS = 4_000  # lines with one word, in one piece of text: a word on every line tells nothing

# What looks telling and is not, as far as it is said again and again: blotted out where a word is on many lines. The
# single case is told by `HARMLESS`.
MANY = 30  # in the first
SAMPLE = 65_536  # characters
LOOK_ALIKES = {
    "error": (
        "error=none", "error=null", "error=nil", "error=0", "error=false", 'error=""', "error: none", "error: null",
        "error: nil", 'error":null', 'error": null', "'error': none", 'error":""', "err=nil", "error=<nil>", "errors=0",
        "errors: 0", 'errors":0', 'errors": 0', 'errors":[]', "errors: []", 'errors": []', " 0 error", "(0 error",
        "no error", "without error", "error_count=0", "stderr",
    ),
    "fail": (
        "failures=0", "failures: 0", "failed=0", "failed: 0", " 0 fail", "(0 fail", "no fail", "failed=false",
        'failed":false', 'failed": false', 'failed":0', "without fail",
    ),
    "exception": ("exception=none", "exception=null", "exception: none", "no exception", " 0 exception"),
    "warn": ("warnings=0", "warnings: 0", " 0 warn", "no warn"),
}  # fmt: skip


class SignalLine(NamedTuple):
    """A line that holds a telling word, and where the first one stands."""

    start: int
    end: int  # without its line end
    at: int


def hit_lines(text: str, words: tuple[str, ...] = WORDS, signs: tuple[str, ...] = SIGNS) -> list[SignalLine]:
    """Every line that may matter, in order."""
    small = without_look_alikes(small_letters(text), words)
    hits: dict[int, SignalLine] = {}
    for word in words:
        _add_hits(small, word, hits)
    if not text.isascii():
        for sign in signs:
            _add_hits(small, sign, hits)
    return sorted(hits.values())


def small_letters(text: str) -> str:
    """The text in small letters, of the same length: a few letters are longer when they are small."""
    small = text.lower()
    return small if len(small) == len(text) else text.translate(_SMALL)


def without_look_alikes(small: str, words: tuple[str, ...] = WORDS) -> str:
    """The text with the look-alikes of words that are everywhere made unreadable, of the same length."""
    sample = small[:SAMPLE]
    for word, phrases in LOOK_ALIKES.items():
        if word in words and sample.count(word) > MANY:
            for phrase in phrases:
                if phrase in sample:
                    small = small.replace(phrase, "_" * len(phrase))
    return small


def _add_hits(small: str, word: str, hits: dict[int, SignalLine]) -> None:
    at = small.find(word)
    for _ in range(MOST_HITS):
        if at < 0:
            return
        start = small.rfind("\n", 0, at) + 1
        end = small.find("\n", at)
        end = len(small) if end < 0 else end
        known = hits.get(start)
        if known is None or at < known.at:
            hits[start] = SignalLine(start, end, at)
        at = small.find(word, end)


_SMALL = {ord("A") + number: ord("a") + number for number in range(26)}


WIDE = 600
# A bare 0 is kept: it is what tells "0 errors" from errors.
# It begins with a set of characters, so that the engine passes over all others without trying.
_NUMBERS = compile_pattern(
    r"[0-9a-fA-F](?:(?<!\w[0-9a-fA-F])(?:(?<=[0-9])|(?=[a-fA-F]*[0-9]))[0-9a-fA-F]{5,}\b"
    r"|(?<=0)[xX][0-9a-fA-F]+|(?<=[1-9])[0-9]*|(?<=0)[0-9]+)"
)


class ScoredLine(NamedTuple):
    """A line that says something, and whether it was said before."""

    start: int
    end: int
    at: int
    said: LineClass
    key: str
    times: int = 0  # said before, but for numbers
    same: bool = False  # said before, literally

    @property
    def again(self) -> bool:
        return self.times > 0


def without_numbers(line: str) -> str:
    """What a line says, numbers, ids and times aside.

    >>> without_numbers("job 17 took 3.5s at 0xffee, 0 left"), without_numbers("id=deadbeef01")
    ('job # took #.#s at #, 0 left', 'id=#')
    """
    return _NUMBERS.sub("#", line)


class LineScorer:
    """Classifies lines, and remembers what was said."""

    def __init__(self, most: int = 1_000_000) -> None:
        self._most = most  # messages that are remembered
        self._said: dict[str, LineClass | None] = {}
        self._keys: dict[tuple[str, str], int] = {}
        self._texts: set[tuple[str, str]] = set()
        self._bare: dict[str, str] = {}  # lines, and what they say without numbers

    def line_class(self, text: str, hit: SignalLine) -> LineClass | None:
        """What the line of a hit says; of a long one, the part around the hit."""
        start, end = hit.start, hit.end
        if end - start > WIDE:
            start = max(start, hit.at - WIDE // 4)
            end = min(end, start + WIDE)
        line = text[start:end]
        line = line[stamp_width(line) :]
        key = self._without_numbers(line)
        if key in self._said:
            return self._said[key]
        what = classify_line(line)
        if what is None or not what.name:  # names may differ in numbers alone
            if len(self._said) >= self._most:
                self._said.clear()
            self._said[key] = what
        return what

    def _without_numbers(self, line: str) -> str:
        known = self._bare.get(line)
        if known is None:
            if len(self._bare) >= MOST_HITS:
                self._bare.clear()
            known = self._bare[line] = without_numbers(line)
        return known

    def scored_line(self, text: str, hit: SignalLine, what: LineClass) -> ScoredLine:
        """The line of a hit, with whether this was said before."""
        line = text[hit.start : min(hit.end, hit.start + WIDE)]
        line = line[stamp_width(line) :].strip()
        key = what.name or (line if what.level == "name" else self._without_numbers(line))
        literal = what.name or line
        if line.startswith("Traceback"):
            literal = key = f"{key}{hit.start}"  # what it is about stands at its end
        times = self._keys.get((what.level, key), 0)
        same = (what.level, literal) in self._texts
        if len(self._texts) < self._most:
            self._keys[what.level, key] = times + 1
            self._texts.add((what.level, literal))
        return ScoredLine(hit.start, hit.end, hit.at, what, key, times, same)
