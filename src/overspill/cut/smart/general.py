r"""Any text of lines, logs, builds and test reports among them: what its lines say decides.

A wrong guess of the kind costs little, because the evidence is in the lines: the name of a failed test is told by its
shape, whatever the rest of the text is.

What compilers and linters say among other things is taken apart: the file, and the rule or the code of the message.
Where they say all there is, `cut/digest/records.py` adds it up.

>>> diagnostic_of("src/a.py:12: error: Missing type  [no-untyped-def]", "")
Diagnostic(path='src/a.py', rule='no-untyped-def')
>>> diagnostic_of("  5:10  error  Unexpected var  no-var", "/src/a.js")
Diagnostic(path='/src/a.js', rule='no-var')

Companions are lines that hold no telling word and matter beside others: looked for only where those others are.
The first word of a row is cheap to look for; its pattern runs over the text only where the word is there.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, load_module
from overspill.core.spans import Options, Span, ceil, floor
from overspill.cut.digest import counts_of
from overspill.cut.smart.folds import similar_in
from overspill.cut.smart.shapes import (
    LARGE,
    LOUDER,
    MOST_HITS,
    WORDS,
    LineClass,
    LineScorer,
    ScoredLine,
    SignalLine,
    hit_lines,
    without_numbers,
)
from overspill.cut.smart.units import (
    CONTEXT,
    DETAIL,
    EDGE,
    ERROR,
    FATAL,
    NAME,
    PLAIN,
    RARE,
    REPEAT,
    SUMMARY,
    WARNING,
    Findings,
    Name,
    Note,
    TextVocabulary,
    Unit,
    before_passed,
    block_end,
    line_before,
    lines_from,
    name_once,
    past_line_end,
    traceback_end,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cut.digest import Digest

_PATH = r"\s*(?:\[?\w+\]?:? )?((?:[A-Za-z]:)?[\w./@+~\\-]+\.\w+)[:(]\d+"
_RULE = (
    r"\[(?:-W)?([\w-]+(?:/[\w-]+)*)\]\s*$"
    r"|\b(?:error|warning)(?:\[| )([A-Z]{1,6}\d{2,5})\b"
    r"|:\d+:? ([A-Z]{1,6}\d{2,5})\b"
    r"|^\s+\d+:\d+\s+(?:error|warning)\s.*\s{2,}([\w@/-]+)\s*$"
    r"|^([A-Z]{1,6}\d{2,5}) "
)


class Diagnostic(NamedTuple):
    """One message of a compiler or a linter."""

    path: str
    rule: str


def diagnostic_of(line: str, above: str) -> Diagnostic:
    """What a line says of where and which; `above` is the file that stands above it."""
    path, rule = compile_pattern(_PATH).match(line), compile_pattern(_RULE).search(line)
    found = next((group for group in rule.groups() if group), "") if rule else ""
    return Diagnostic(path[1] if path else above, found)


class CompanionPattern(NamedTuple):
    """Where one of `seen` is in a text, lines that begin so say `level`."""

    seen: tuple[str, ...]
    pattern: str
    level: str
    why: str


COMPANION_PATTERNS = (
    CompanionPattern(("\nE  ",), r"E {2,}\S.*$", "assertion", "assertion"),
    CompanionPattern(("\nE  ",), r"[^\s:]+:\d+: (?:in )?\w+$", "assertion", "where"),
    CompanionPattern(("\n____",), r"_{4,} \S.* _{4,}$", "named", "failed test, in detail"),
    CompanionPattern((" failing\n", "Failures:\n", "failing tests:"), r" +\d+\) \S.*$", "name", "numbered failure"),
    CompanionPattern(
        (" failure:\n", " failures:\n", " error:\n", " errors:\n"), r"\d+\) \S.*$", "name", "numbered failure"
    ),
    CompanionPattern(("  1) Failure:", "  1) Error:"), r" +\d+\) (?:Failure|Error):\n.*$", "name", "numbered failure"),
    CompanionPattern(("\nnot ok ",), r" +(?:at|location|operator|actual|found|wanted): .*$", "assertion", "where"),
    CompanionPattern(("\nrspec ./",), r"rspec \./\S+.*$", "named", "failed test, said again"),
    CompanionPattern(("\nfailures:\n",), r"    \w+(?:::\w+)+$", "named", "failed test, said again"),
    CompanionPattern(("test result: FAILED",), r" *(?:left|right): .*$", "assertion", "assertion"),
    CompanionPattern((".go:",), r"(?:vet: )?[\w./@-]+\.go:\d+:\d+: .*$", "error", "error"),
    CompanionPattern((" error", "Found "), r"[\w./@-]+\.\w+:\d+:\d+: [A-Z]{1,6}\d{2,5} .*$", "error", "error"),
    CompanionPattern(
        ("\n --> ", "\n  --> "),
        r"(?:[A-Z]{1,6}\d{2,5}|[a-z]+(?:-[a-z]+)+:?) (?:\[\*\] )?\S.*\n +-->", "error", "error",
    ),
    CompanionPattern(("Received: ", "+ Received"), r" *(?:Expected|Received)\b.*: .*$", "assertion", "assertion"),
    CompanionPattern(("AssertionError", "\u276f "), r" +\u276f \S+:\d+:\d+$", "assertion", "where"),
    CompanionPattern(("Failure/Error:",), r" +(?:(?:expected|got)\b.*|# \./\S+:\d+.*)$", "assertion", "assertion"),
    CompanionPattern(("Failed asserting",), r"/\S+:\d+$", "assertion", "where"),
    CompanionPattern(
        (": Failure\n",),
        r"(?:Expected|  Actual|  Which is|Value of|To be equal to).*$", "assertion", "assertion",
    ),
)  # fmt: skip
MOST = 5_000


def go_details(text: str) -> Iterator[tuple[SignalLine, LineClass]]:
    """What Go's failed tests said: with `-v` the passing ones speak as well, under headings of their own."""
    if "--- FAIL: " not in text:
        return
    failed = set(compile_pattern(r"(?m)^ *--- FAIL: (\S+)").findall(text))
    running = [
        (match.start(), match[1]) for match in compile_pattern(r"(?m)^=== (?:RUN|CONT|NAME) +(\S+)$").finditer(text)
    ]
    starts = [start for start, _ in running]
    for match in compile_pattern(r"(?m)^ +[\w.-]+\.go:\d+: .*$").finditer(text):
        below = bisect_right(starts, match.start())
        if not below or running[below - 1][1] in failed or text.find("\n--- ", starts[below - 1], match.start()) >= 0:
            yield (
                SignalLine(match.start(), match.end(), match.start()),
                LineClass("assertion", "what a failed test said"),
            )


def companions(text: str, vocabulary: TextVocabulary) -> list[tuple[SignalLine, LineClass]]:
    """Lines that matter because of what else is in the text."""
    failing = any(map(vocabulary.has, ("fail", "Fail", "FAIL")))
    found = list(islice(go_details(text), MOST)) if failing else []
    whole = ""
    for row in COMPANION_PATTERNS:
        seen = (word for word in row.seen if failing or "fail" not in word.lower())
        if any(map(vocabulary.has, seen)):
            # A line end is found at memory speed; the beginning of a line would be looked for at each place.
            whole = whole or f"\n{text}"
            for match in islice(compile_pattern(rf"(?m)\n(?:{row.pattern})").finditer(whole), MOST):
                start, end = match.start(), match.end() - 1
                found.append((SignalLine(start, end, start), LineClass(row.level, row.why)))
    return found


SCORES = {
    "name": NAME,
    "named": REPEAT - 20,
    "summary": SUMMARY,
    "status": SUMMARY - 5,
    "fatal": FATAL,
    "exception": ERROR + 20,
    "assertion": DETAIL + 40,
    "error": ERROR,
    "trouble": WARNING + 20,
    "warning": WARNING,
    "notice": WARNING,
    "mention": RARE,
}
# What the second line that says the same, but for numbers, is worth.
AGAIN = {
    "name": REPEAT, "fatal": REPEAT + 30, "exception": REPEAT + 20, "error": REPEAT, "assertion": REPEAT + 10,
    "warning": RARE + 10, "notice": RARE + 10, "trouble": RARE + 20, "mention": PLAIN,
    "summary": SUMMARY - 20, "named": REPEAT - 20, "status": SUMMARY - 30,
}  # fmt: skip
SAME = PLAIN  # and the second that says literally the same
ERRORS = ("fatal", "exception", "error")
FEW_TIMES = 25
OFTEN = 2
FAILURES = ("fatal", "exception", "error", "assertion")
SHORT_BLOCK = 1_200
WINDOW = 160  # characters either side of the signal in a long line
FEW = 240
BEFORE, AFTER = 2, 3  # neighbours
MOST_DETAILS = 3_000
LONGEST_PATH = 300
LATER = 160.0  # how much less the details of what was said before are worth
SOME = 400  # errors whose details are looked at although others said the same


_PLACE = compile_pattern(r"[\s\u2502]*(?:-->|on) \S+[: ]")


def found_in(text: str, options: Options) -> Findings:
    """What matters in a text of lines."""
    if not options.prioritize_errors:
        return Findings([])
    judged = scored_lines(text)
    units = _diagnostic_units(text, _diagnosed_lines(text, judged, "error"))
    headers = [line.start for line in judged if line.said.level in ("name", "named")]
    details = 0
    traces: set[str] = set()
    names_seen: set[str] = set()
    for line in judged:
        score = score_of(line) if not _goes_on_above(text, line) else min(score_of(line), DETAIL - 30)
        if line.said.level == "name" and line.said.name:
            score = SAME if line.said.name in names_seen else score
            names_seen.add(line.said.name)
        span = _line_span(text, line, options)
        group = line.key if line.said.level in ("warning", "notice", "trouble", "mention", "error") else ""
        units.append(Unit(*span, score, line.said.why, group, tuple(_file_above(text, line))))
        if line.said.level in FAILURES and not line.same and details < (SOME if line.again else MOST_DETAILS):
            details += 1
            group = str(bisect_right(headers, line.start))
            found = _detail_units(text, line, group, traces)
            units += [unit._replace(score=unit.score - LATER) for unit in found] if line.again else found
    units += _section_units(text, judged, headers)
    dull = () if options.focus else tuple(similar_in(text))
    noisy = any(line.said.level == "name" for line in judged)  # what a passing test says is noise where others failed
    failed = failed_names(judged)
    return Findings(
        units,
        _level_notes(judged),
        dull=dull,
        fill=not noisy,
        surveyed=True,
        noisy=noisy,
        sections=tuple(load_module("overspill.cut.smart.results").sections_of(text, headers)) if noisy else (),
        crowd=_names_digest(failed) if len(failed) > 1 and len(judged) < MOST_HITS else None,
    )


def failed_names(judged: list[ScoredLine]) -> list[str]:
    """What the failed tests are called, each once; by the evidence that tells most of them, where there are several."""
    names: dict[str, dict[str, None]] = {}
    for line in judged:
        if line.said.level == "name":
            names.setdefault(line.said.why, {})[name_once(line.said.name or line.key)] = None
    return [*max(names.values(), key=len, default=())]


def _names_digest(names: list[str]) -> Digest:
    """The names of failed tests as a tree; loaded where tests failed."""
    from overspill.cut.digest.names import NamesDigest

    return NamesDigest(names, "failed tests")


def scored_lines(text: str) -> list[ScoredLine]:
    """Every line that says something, in order, each with what was said before."""
    scorer = LineScorer()
    vocabulary = TextVocabulary(text)
    hits = hit_lines(text, tuple(filter(vocabulary.has_small, LOUDER if len(text) > LARGE else WORDS)))
    lines = {hit.start: (hit, scorer.line_class(text, hit)) for hit in hits}
    for hit, said in companions(text, vocabulary):
        known = lines.get(hit.start)
        if known is None or known[1] is None or SCORES[known[1].level] < SCORES[said.level]:
            lines[hit.start] = (hit, said)
    if len(text) <= LARGE and vocabulary.has_small("fail"):
        results = load_module("overspill.cut.smart.results")
        lines |= results.result_lines(text, lines)
    if not text.isascii() and any(said is not None and said.level == "name" for _, said in lines.values()):
        lines = load_module("overspill.cut.smart.results").with_crossed_messages(text, lines)
    return [scorer.scored_line(text, hit, said) for _, (hit, said) in sorted(lines.items()) if said is not None]


def _goes_on_above(text: str, line: ScoredLine) -> bool:
    """Whether a line of pytest's goes on with what the one above it says."""
    return text.startswith("E ", line.start) and text.startswith("E ", line_before(text, line.start))


def score_of(line: ScoredLine) -> float:
    if line.key.startswith("Traceback"):
        return CONTEXT  # its end says what it is about
    if line.same:
        return SAME if line.said.level not in ("name", "summary", "status") else REPEAT - 40
    if not line.again:
        return SCORES[line.said.level]
    # Some that differ in numbers alone come before details: the numbers may be what is looked for.
    return DETAIL + 30 if line.times < FEW_TIMES and line.said.level in ERRORS else AGAIN[line.said.level]


def _line_span(text: str, line: ScoredLine, options: Options) -> Span:
    """All of a line with its end, or of a long one a window around the signal."""
    if line.end - line.start <= options.max_line_length:
        return Span(line.start, _located_end(text, line))
    start = max(line.start, floor(text, line.at - WINDOW))
    end = min(line.end, ceil(text, line.at + 2 * WINDOW))
    return Span(start if start - line.start > WINDOW else line.start, end)


def _located_end(text: str, line: ScoredLine) -> int:
    """The end of a line, or of the one or two below it that tell its place: ` --> src/main.rs:4:9`."""
    end = past_line_end(text, line.end)
    for number, (start, until) in enumerate(lines_from(text, end)):
        if number > 1 or line.said.level not in ERRORS:
            break
        if _PLACE.match(text, start, min(until, start + LONGEST_PATH)):
            return past_line_end(text, until)
    return end


def _file_above(text: str, line: ScoredLine) -> Iterator[Span]:
    """The file above an indented message of a linter: `  5:10  error  ...` says nothing without it."""
    head = text[line.start : line.start + 40]
    if not head.startswith("  ") or ":" not in head or not head.lstrip()[:1].isdigit():
        return
    at = line.start
    for _ in range(200):
        if at == 0:
            return
        at = line_before(text, at)
        if text[at : at + 1] not in (" ", "\t", "\n", "\r", ""):
            end = text.find("\n", at)
            if 0 < end - at < LONGEST_PATH:
                yield Span(at, end + 1)
            return


def _diagnosed_lines(text: str, judged: list[ScoredLine], level: str) -> list[tuple[ScoredLine, Diagnostic]]:
    """The lines of one level that name a file and a rule, or at least one of them."""
    found: list[tuple[ScoredLine, Diagnostic]] = []
    for line in judged:
        if line.said.level == level and line.end - line.start <= SHORT_BLOCK:
            above = "".join(text[start:end].strip() for start, end in _file_above(text, line))
            one = diagnostic_of(text[line.start : line.end], above)
            if one.path or one.rule:
                found.append((line, one))
    return found


def _diagnostic_units(text: str, diagnosed: list[tuple[ScoredLine, Diagnostic]]) -> list[Unit]:
    """Of many messages the first of every rule, then of every file, then the files by turns."""
    units: list[Unit] = []
    rules: set[str] = set()
    paths: set[str] = set()
    for line, (path, rule) in diagnosed:
        new_rule, new_path = rule not in rules, path not in paths
        score = ERROR + 10 if rule and new_rule else ERROR - 40 if path and new_path else REPEAT + 60
        why = "error of a new kind" if rule and new_rule else "error in a new file" if new_path else "error"
        rules.add(rule)
        paths.add(path)
        needs = tuple(_file_above(text, line))
        units.append(Unit(line.start, past_line_end(text, line.end), score, why, path, needs))
    return units


def _detail_units(text: str, line: ScoredLine, group: str, traces: set[str]) -> list[Unit]:
    """What belongs to an error: its traceback or the lines below it, and its neighbours."""
    if "Traceback (most recent" in text[line.start : line.end]:
        return _traceback_units(text, line, group, traces)
    end = before_passed(text, past_line_end(text, line.end), block_end(text, line.start, line.end))
    if "Traceback (most recent" in text[line.end : min(end, line.end + FEW)]:
        return []  # which tells it
    units = _block_units(text, Span(line.start, end), line.said.why, group)
    before = line.start
    for _ in range(BEFORE):
        before = line_before(text, before)
    after = end
    for number, (_, until) in enumerate(lines_from(text, end)):
        after = past_line_end(text, until)
        if number + 1 >= AFTER:
            break
    noise = before_passed(text, before, line.start) < line.start or before_passed(text, end, after) < after
    if after - before <= MOST_DETAILS and not noise:
        units.append(Unit(before, after, CONTEXT, f"beside: {line.said.why}", group))
    return units


def _traceback_units(text: str, line: ScoredLine, group: str, traces: set[str]) -> list[Unit]:
    start, until = traceback_end(text, line.start, line.end)
    key = without_numbers(text[max(line.end, start - LONGEST_PATH) : until])
    if key in traces:
        return [Unit(start, past_line_end(text, until), REPEAT + 20, "exception of a traceback, again", group)]
    traces.add(key)
    end = block_end(text, start, until, most=8)
    near = start
    for _ in range(4):
        near = max(line.start, line_before(text, near))
    units = [
        Unit(start, past_line_end(text, until), FATAL - 10, "exception of a traceback", group),
        Unit(near, end, DETAIL, "where it was raised", group),
    ]
    if end - line.start <= MOST_DETAILS:
        units.append(Unit(line.start, end, DETAIL - 60, "traceback", group))
    return units


def _block_units(text: str, block: Span, why: str, group: str) -> list[Unit]:
    """The lines below an error: all of them if they are few, else the first and the last ones before the rest."""
    start, end = block
    if end - start <= SHORT_BLOCK:
        return [Unit(start, end, DETAIL, f"what belongs to: {why}", group)]
    head = start
    for number, (_, until) in enumerate(lines_from(text, start)):
        head = past_line_end(text, until)
        if number >= 5 or head - start > SHORT_BLOCK:  # noqa: PLR2004  # the line itself and five below
            break
    tail = end
    for _ in range(3):
        tail = line_before(text, tail)
    units = [Unit(start, head, DETAIL, f"what belongs to: {why}", group)]
    units.append(Unit(max(head, tail), end, DETAIL - 10, f"the end of: {why}", group))
    if end - start <= MOST_DETAILS:
        units.append(Unit(start, end, DETAIL - 60, f"all of: {why}", group))
    return units


def _section_units(text: str, judged: list[ScoredLine], headers: list[int]) -> list[Unit]:
    """For every failed test the first and the last thing said about it, then all of its section, by turns."""
    if not headers:  # as of most texts, which need not load what reads results of tests
        return []
    inside: dict[int, list[ScoredLine]] = {}
    for line in judged:
        section = bisect_right(headers, line.start)
        if section and line.said.level in FAILURES:
            inside.setdefault(section, []).append(line)
    for section, start in enumerate(headers, 1):
        if section not in inside and (said := _first_said(text, start, headers[section : section + 1])) is not None:
            inside[section] = [said]
    shared = counts_of(text[line.start : line.end] for lines in inside.values() for line in lines)
    results = load_module("overspill.cut.smart.results")
    own, is_vague = results.OwnLines(text, headers), results.is_vague
    units: list[Unit] = []
    for section, lines in inside.items():
        group = str(section)
        first = _telling_line(text, lines)
        if is_vague(text, first, shared):  # a place alone, or what all of them say, tells nothing of one
            judged_here = (line for line in lines if not is_vague(text, line, shared))
            first = next(judged_here, None) or own.first_of(section) or first
        last = next((line for line in reversed(lines) if not results.is_shared_frame(text, line, shared)), lines[-1])
        level = _level_of(first, vague=is_vague(text, first, shared))
        end = min(block_end(text, first.start, first.end, most=2), first.start + FEW)
        units.append(Unit(first.start, past_line_end(text, first.end), level, "what a failed test says", group))
        units.append(
            Unit(first.start, max(end, past_line_end(text, first.end)), level - 20, "what it says of it", group)
        )
        places = [line for line in lines if line.said.why == "where"]
        near = [*(line for line in places if line.start < first.start)][-1:] or places[:1]
        units += [Unit(one.start, past_line_end(text, one.end), level - 5, "where", group) for one in near]
        if last.start > first.start:
            units.append(Unit(last.start, past_line_end(text, last.end), level - 5, "where a failed test fails", group))
        start = headers[section - 1]
        end = headers[section] if section < len(headers) else lines[-1].end
        if end - start <= MOST_DETAILS:
            units.append(Unit(start, past_line_end(text, end - 1), level - 90, "all about a failed test", group))
    return units


def _level_of(first: ScoredLine, *, vague: bool) -> float:
    return EDGE if vague else REPEAT + 40 if first.same else DETAIL + 25 if first.again else DETAIL + 50


def _first_said(text: str, start: int, after: list[int]) -> ScoredLine | None:
    """The first sentence below the number of a failure, where none of its lines says that something is wrong."""
    if compile_pattern(r" *\d+[).] ").match(text, start) is None:
        return None
    found: ScoredLine | None = load_module("overspill.cut.smart.results").first_sentence(text, start, after)
    return found


def _telling_line(text: str, lines: list[ScoredLine]) -> ScoredLine:
    """The line that says what went wrong: where pytest tells it, the first of its last ones."""
    run = lines[0]
    for before, line in zip([None, *lines], lines, strict=False):
        if text.startswith("E ", line.start) and (before is None or text[before.end : line.start].strip("E \r\n")):
            run = line
    return run


def _level_notes(judged: list[ScoredLine]) -> tuple[Note, ...]:
    """How many lines say what, where there are many."""
    counts: dict[str, int] = {}
    distinct: dict[str, set[str]] = {}
    for line in judged:
        counts[line.said.level] = counts.get(line.said.level, 0) + 1
        distinct.setdefault(line.said.level, set()).add(line.key)
    names = []
    for level, noun in (("name", "failed tests"), ("fatal", "fatal"), ("error", "errors"), ("warning", "warnings")):
        many = len(failed_names(judged)) if level == "name" else counts.get(level, 0)
        if many > 1:
            kinds = len(distinct[level])
            some = "at least " if many >= MOST_HITS else ""
            only = f" ({kinds} distinct)" if level != "name" and kinds < many else ""
            names.append(Name(f"{some}{many} {noun}{only}"))
    return (Note("lines that say so", tuple(names)),) if names else ()
