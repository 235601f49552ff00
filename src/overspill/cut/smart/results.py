r"""Names of failed tests that no word tells: by the marks that results have, and by the numbers of failures.

A runner writes what failed and what passed in one form: `(fail) x` is the name of a failed test where others are
`(pass) y`. Others list failures by number, as many as they say that there were.

>>> [said.name for _, said in marked_failures("(pass) a\n(pass) b\n(pass) d\n(fail) c [3 ms]\n")]
['c']
>>> [said.name for _, said in numbered_failures("Failures:\n\n1) adds\n  no\n2) ends\n  no\n2 failures\n")]
['adds', 'ends']
"""

from __future__ import annotations

from itertools import islice, takewhile

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.core.spans import Span
from overspill.cut.digest import counts_of
from overspill.cut.smart.shapes import LineClass, ScoredLine, SignalLine, has_passed
from overspill.cut.smart.units import lines_from, past_line_end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

    Named = tuple[SignalLine, LineClass]

MARKED, NUMBERED, WHERE = "marked as failed", "numbered failure", "where"
_PASSED = r"PASS(?:ED)?|[Pp]ass(?:ed)?|OK|[Oo]k|SUCCESS|[Ss]uccess"
_FAILED = r"FAIL(?:ED|URE)?|[Ff]ail(?:ed|ure)?|ERROR|[Ee]rror|KO|NOK|BROKEN|TIMEOUT"
_TIME = r"(?:,? *[(\[]?[\d.]+ ?(?:[mun]?s|sec|seconds)[)\]]?)?"
# These begin with a line end, which is found at memory speed: the beginning of a line is looked for at each place.
# `(fail) x [3 ms]`, `[  FAILED  ] x`, `FAIL: x`
_BEFORE = compile_pattern(
    rf"(?m)\n(?P<sign>[\[(]?) *(?P<word>{_PASSED}|{_FAILED}) *(?P<close>[\])]?)(?P<colon>:?) +"
    rf"(?P<name>\S.*?){_TIME}[ \t]*$"
)
# `x ... FAIL`, `x [failed]`, `x: FAIL 3ms`
_BEHIND = compile_pattern(
    rf"(?m)\n(?P<name>\S.*?) *(?P<sign>\.{{2,}}|[\[(]|:)(?P<colon>) *(?P<word>{_PASSED}|{_FAILED})"
    rf"(?P<close>[\])]?){_TIME}[ \t]*$"
)
# Which the lines have that are marked behind; what passed is its first group.
_MARK = compile_pattern(rf"(?:\.\.|[\[(:]) *(?:({_PASSED})|{_FAILED})")
_ITEM = compile_pattern(r"(?m)\n(?P<indent> *)(?P<number>\d+)[).] {1,2}(?P<name>\S.*?)[ \t]*$")
_FRAME = compile_pattern(
    r"(?m)\n[ \t]+(?:(?:at|in|from|#|@|\u276f|\u2192) )?(?:[^\s(][^(\n]*\()?"
    r"(?P<place>[^\s():]*[./\\][^\s():]*:\d+)(?::\d+)?\)?(?::in .*)?$"
)
_PASSING = compile_pattern(rf"(?:{_PASSED})$")
_ABROAD = ("node_modules", "node:", "site-packages", "/usr/", "<", "/gems/", "internal/")
CROSSES = "\u2715\u2716\u2717\u2718\u00d7"
_TESTED = compile_pattern(r"[\u2713\u2714\u221a]|(?i:\b(?:tests?|specs?|suites?|passed|passing)\b)")
FEWEST_PASSED = 3
ANNOUNCED = 160  # characters before the first failure, in which it is said that these are failures
MOST = 5_000
NEAR_TITLE, SENTENCE, LONGEST_PATH = 6, 3, 300  # lines below the title of a failure, words, and characters
OFTEN = 2  # a frame that more failures have says nothing of one


def marked_failures(text: str) -> Iterator[Named]:
    """Lines that are marked as failed, where others are marked as passed in the same form.

    What is indented is named by what stands above it as well, and is left to be shown with that.
    """
    whole = f"\n{text}"
    marks = [*_MARK.finditer(whole)]
    passing = sum(1 for mark in marks if mark[1])
    if not FEWEST_PASSED <= passing < len(marks):  # as in most texts
        marks = []
    marked = dict.fromkeys(whole.rfind("\n", 0, mark.start()) for mark in marks)
    behind = filter(None, (_BEHIND.match(whole, start) for start in marked))
    for every in (_BEFORE.finditer(whole), behind):
        found: dict[tuple[str, str, str], list[Match[str]]] = {}
        for at, match in enumerate(every):
            form = match["sign"][:2], match["close"], match["colon"]
            if at < MOST and any(form):
                found.setdefault(form, []).append(match)
        for form, matches in found.items():
            passed = sum(1 for match in matches if _PASSING.match(match["word"]))
            if FEWEST_PASSED <= passed < len(matches) and (form[0] != "[" or form[1] == "]"):
                yield from (_named(one, MARKED) for one in matches if not _PASSING.match(one["word"]))


def numbered_failures(text: str) -> Iterator[Named]:
    """The items of a list from 1 to the number of failures that are said to be, or below a line that says so."""
    items = [*_ITEM.finditer(f"\n{text}")]
    # ` 9)` stands above `10)`, or begins where it does.
    runs = [*_runs(items, "number").values(), *_runs(items, "indent").values()]
    found = [run for run in runs if len(run) > 1 and _are_failures(text, run)]
    yield from (_named(one, NUMBERED) for one in max(found, key=len, default=[]))


def _runs(items: list[Match[str]], column: str) -> dict[int, list[Match[str]]]:
    """Items that count from 1 on, by where the part of them ends that stands in one column."""
    runs: dict[int, list[Match[str]]] = {}
    for match in items:
        run = runs.setdefault(match.end(column) - match.start(), [])
        number = int(match["number"][:9])
        if number == 1 and len(run) == 1:
            run.clear()
        if number == len(run) + 1 and number <= MOST:
            run.append(match)
    return runs


def _are_failures(text: str, run: list[Match[str]]) -> bool:
    first = run[0].start()
    said = text[max(0, first - ANNOUNCED) : first].lower().rsplit("\n\n", 2)[-2:]
    if any("fail" in part or "error" in part for part in said):
        return True
    return compile_pattern(rf"(?i)\b{len(run)} (?:\w+ )?fail").search(text) is not None


def own_places(text: str) -> Iterator[Named]:
    """Lines that are a place in somebody's own code, and that hardly another failure has."""
    found = [match for match in _FRAME.finditer(f"\n{text}") if not any(word in match[0] for word in _ABROAD)]
    counts = counts_of(match[0] for match in found)
    for match in found[:MOST]:
        if counts[match[0]] <= OFTEN:
            yield _line_of(match), LineClass("assertion", WHERE)


def _named(match: Match[str], why: str) -> Named:
    return _line_of(match), LineClass("name", why, match["name"])


def _line_of(match: Match[str]) -> SignalLine:
    """The line of a match in a text that a line end was put before."""
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    line = match.string.rfind("\n", 0, start)
    end = match.string.find("\n", start)
    return SignalLine(line, (end if end >= 0 else len(match.string)) - 1, start - 1)


FAILED_STEP = LineClass("assertion", "what failed in a test")


def result_lines(
    text: str, known: dict[int, tuple[SignalLine, LineClass | None]]
) -> dict[int, tuple[SignalLine, LineClass | None]]:
    """Lines that name failed tests by their marks or their numbers, where that tells more of them than words do."""
    numbered = [*numbered_failures(text)]
    named = max([*marked_failures(text)], numbered, key=len)
    told = {said.name or text[hit.start : hit.end] for hit, said in known.values() if said and said.level == "name"}
    many = len(named) if named is numbered else len({said.name for _, said in named})  # numbers tell equal ones apart
    if many <= len(told):
        return {}
    others = [(hit, FAILED_STEP) for hit, said in known.values() if said and said.level == "name"]
    return {hit.start: (hit, said) for hit, said in [*others, *own_places(text), *named]}


def first_sentence(text: str, start: int, after: list[int]) -> ScoredLine | None:
    """The first sentence below the title of a failure that begins at `start`, before the next one."""
    for number, (at, until) in enumerate(lines_from(text, past_line_end(text, text.find("\n", start)))):
        if number >= NEAR_TITLE or (after and at >= after[0]):
            return None
        words = text[at : min(until, at + LONGEST_PATH)].split()
        if len(words) >= SENTENCE and words[-1][-1] != ":":
            said = text[at:until].strip()
            return ScoredLine(at, until, at, LineClass("assertion", "what a failed test says"), said)
    return None


MOST_OF_SECTION = 60  # lines
OWN_LINES, OWN_WORDS = 12, 2  # lines below a name in which what it says is looked for; words of a sentence


def is_vague(text: str, line: ScoredLine, shared: dict[str, int]) -> bool:
    """Whether a line is a place alone, or says of one failed test what several say."""
    return line.said.why == "where" or shared.get(text[line.start : line.end], 0) > OFTEN


class OwnLines:
    """What is said of each failed test and of no other."""

    def __init__(self, text: str, headers: list[int]) -> None:
        self._text, self._headers = text, headers
        self._counts: dict[str, int] | None = None

    def first_of(self, section: int) -> ScoredLine | None:
        """The first sentence of a section that no other has."""
        if self._counts is None:
            every = [self._lines(number) for number in range(1, len(self._headers) + 1)]
            self._counts = counts_of(self._text[start:end].strip() for lines in every for start, end in lines)
        for start, end in self._lines(section):
            said = self._text[start:end].strip()
            if self._counts[said] == 1 and sum(any(map(str.isalpha, word)) for word in said.split()) >= OWN_WORDS:
                return ScoredLine(start, end, start, LineClass("assertion", "what a failed test says"), said)
        return None

    def _lines(self, section: int) -> list[tuple[int, int]]:
        """Where the lines below a header begin and end, up to the next one."""
        after = self._headers[section] if section < len(self._headers) else len(self._text)
        first = past_line_end(self._text, self._text.find("\n", self._headers[section - 1]))
        return [*takewhile(lambda line: line[1] <= after, islice(lines_from(self._text, first), OWN_LINES))]


def sections_of(text: str, headers: list[int]) -> Iterator[Span]:
    """What is said below the name of each failed test, up to the next one or to what passed."""
    for start, after in zip(headers, [*headers[1:], len(text)], strict=True):
        end = start
        for number, (_, until) in enumerate(lines_from(text, start)):
            if number > MOST_OF_SECTION or until > after or has_passed(text[end:until]):
                break
            end = past_line_end(text, until)
        yield Span(start, end)


def is_shared_frame(text: str, line: ScoredLine, shared: dict[str, int]) -> bool:
    """Whether a line is a frame of a stack that several failures have: it says nothing of one."""
    said = text[line.start : line.end]
    return shared[said] > OFTEN and said.lstrip().startswith(("# ", "at "))


def with_crossed_messages(
    text: str, lines: dict[int, tuple[SignalLine, LineClass | None]]
) -> dict[int, tuple[SignalLine, LineClass | None]]:
    """Lines with a cross before them are messages in a text that speaks of no tests: so some compilers mark errors."""
    named = [hit for hit, said in lines.values() if said is not None and said.level == "name"]
    crossed = all(text[hit.start : hit.end].lstrip()[:1] in CROSSES for hit in named)
    if not crossed or _TESTED.search(text):
        return lines
    error = LineClass("error", "error")
    return {
        at: (hit, error if said is not None and said.level == "name" else said) for at, (hit, said) in lines.items()
    }
