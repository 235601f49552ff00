r"""What is looked for, and where it stands in a text that comes in pieces, in flat memory.

A literal by default, a regular expression on request. Literals are found by the byte search of Python itself. Regular
expressions run on google-re2, which is linear whatever is written, and lie within one line; without it there are
literals only. The text is looked at by native searches, a few megabytes at a time, and never line by line. Matches do
not overlap and are found from left to right; chunking makes no difference.

>>> [hit.line for hit in Scan([b"one\nt", b"wo\ntwo"], compile_pattern("two")).hits(MatchTally(10))]
[2, 3]

JSONPath is as RFC 9535 has it: read by python-jsonpath, so that nothing else is taken for it. Its functions `match` and
`search` run on google-re2, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jsonpath import JSONPath, JSONPathEnvironment


MOST_PATTERN = 4096  # characters of a pattern
MOST_STEPS = 5_000  # of a compiled one: its worst time is this times the text
MEMORY = 16 << 20
NOWHERE = -1, -1
LINES = b"(?m)"  # ^ and $ are the ends of a line

MatchBounds = tuple[int, int]

LF, CR = b"\n\r"
BLOCK = 1 << 16  # a stretch of this length without a line end lies in a long line
WINDOW = 1 << 16  # so much of a long line is looked at by a regular expression at a time
OVERLAP = 1 << 14  # and a match in it may be this long
LONGEST = 1 << 22  # a line beyond this is looked at before its end has come
CONTEXT = 4  # bytes before a place that tell what kind of place it is
MOST_WORK = 1 << 29  # bytes that matches within long lines may cost together
MOST_COUNTED = 1_000_000

_TO_LF = bytes.maketrans(b"\r", b"\n")
_CONTINUATION = bytes(range(0x80, 0xC0))
MOST_QUERY = 4096
HELP = "examples: $.users[?@.id==42].name, $.items[0:10], $.log[?search(@.msg, 'time.*out')]"


class Pattern(NamedTuple):
    """Something to look for."""

    find: Callable[[bytes, int, int], MatchBounds]  # the first one between two places, or NOWHERE
    needle: bytes = b""  # what it is, if it is a literal
    folded: bool = False  # look at the text in small letters
    by_line: bool = False  # the work on one match may be as long as the rest of its line


def compile_pattern(words: str, *, regex: bool = False, ignore_case: bool = False) -> Pattern:
    """What was asked for, checked; `UsageError` says what is wrong with it."""
    if not words:
        raise UsageError("the pattern is empty; name some text to look for")
    if len(words) > MOST_PATTERN:
        raise UsageError(f"the pattern has {len(words):,} characters; the most is {MOST_PATTERN:,}")
    try:
        needle = words.encode()
    except UnicodeEncodeError:
        raise UsageError("the pattern holds half a character (a lone surrogate), which no artifact does") from None
    if regex:
        return _expression(needle, ignore_case=ignore_case)
    if ignore_case and not words.isascii():
        return _expression(_re2("ignoring the case of letters beyond ASCII").escape(needle), ignore_case=True)
    needle = needle.lower() if ignore_case else needle
    return Pattern(_literal(needle), needle, ignore_case)


def _literal(needle: bytes) -> Callable[[bytes, int, int], MatchBounds]:
    with suppress(ImportError):  # its search for a literal is several times as fast as that of Python
        import re2

        options = re2.Options()
        options.never_capture = options.literal = True
        options.log_errors = False
        compiled = re2._re2.RE2(needle, options)  # noqa: SLF001  # the wrapper around it costs more than a match
        if compiled.ok():
            return _regex_search(compiled, re2._re2.RE2.Anchor.UNANCHORED)  # noqa: SLF001  # as above
    width = len(needle)

    def find(text: bytes, start: int, end: int) -> MatchBounds:
        at = text.find(needle, start, end)
        return (at, at + width) if at >= 0 else NOWHERE

    return find


def _expression(expression: bytes, *, ignore_case: bool) -> Pattern:
    re2 = _re2("a regular expression")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY
    options.never_capture = True
    options.never_nl = True
    options.case_sensitive = not ignore_case
    compiled = re2._re2.RE2(LINES + expression, options)  # noqa: SLF001  # the wrapper around it costs more than a match
    if not compiled.ok():
        why = compiled.error().decode(errors="replace").replace(f": {LINES.decode()}", ": ")
        raise UsageError(
            f"not a regular expression of RE2: {why} in {expression.decode()[:200]!r}; "
            "it has no look-around and no back-references; without regex, the same text is looked for literally"
        )
    if compiled.ProgramSize() > MOST_STEPS:
        raise UsageError(
            f"the regular expression unfolds to {compiled.ProgramSize():,} steps, and the most is {MOST_STEPS:,}; "
            "repeat less, or look for a literal part of it"
        )
    return Pattern(_regex_search(compiled, re2._re2.RE2.Anchor.UNANCHORED), by_line=True)  # noqa: SLF001  # as above


def _regex_search(compiled: Any, anchor: Any) -> Callable[[bytes, int, int], MatchBounds]:  # noqa: ANN401  # re2 has no types
    match = compiled.Match

    def find(text: bytes, start: int, end: int) -> MatchBounds:
        spot: MatchBounds = match(anchor, text, start, end)[0]
        return spot

    return find


def _re2(what: str) -> Any:  # noqa: ANN401  # re2 has no types
    try:
        import re2
    except ImportError:
        raise UsageError(
            f"{what} needs google-re2, which is not installed here (pip install 'overspill[re2]'); "
            "look for a literal instead"
        ) from None
    return re2


class SearchHit(NamedTuple):
    """Where a match is: in bytes of the text, and as people count."""

    start: int
    end: int
    line: int
    column: int
    line_start: int
    buffer: bytes  # what lies around it
    base: int  # where that begins


class MatchTally:
    """Which matches are wanted, and how many there were: shared by all texts of one search."""

    def __init__(self, limit: int | None, offset: int = 0) -> None:
        self.offset = offset
        self.limit = limit
        self.total = 0
        self.shown = 0
        self.full = limit == 0
        self.work = MOST_WORK
        self.at_least = False  # there may be more than were counted

    def wants(self) -> bool:
        """Count one more; whether it is to be shown."""
        self.total += 1
        if self.full or self.total <= self.offset:
            return False
        self.shown += 1
        self.full = self.limit is not None and self.shown >= self.limit
        return True

    def stops(self) -> bool:
        """Whether to stop before one more match, as counting on would cost too much. What is wanted is always found."""
        self.at_least = self.at_least or (self.full and (self.total >= MOST_COUNTED or self.work <= 0))
        return self.at_least


class Scan:
    """One text, looked through once."""

    def __init__(self, pieces: Iterable[bytes], pattern: Pattern) -> None:
        self._pieces = pieces
        self._pattern = pattern
        self._line = 1
        self._line_start = 0
        self._column = 1  # of the place that was counted up to
        self._counted = 0

    def hits(self, tally: MatchTally) -> Iterator[SearchHit]:
        """The matches that are wanted; all are counted."""
        buffer, base, at = b"", 0, 0  # `at`: up to there of the buffer, everything is found
        final = False
        pieces = iter(self._pieces)
        while not final and not tally.at_least:
            piece = next(pieces, None)
            final = piece is None
            buffer = buffer if piece is None else buffer + piece if buffer else piece
            text = buffer.lower() if self._pattern.folded else buffer
            if self._pattern.by_line:
                text = text.translate(_TO_LF) if b"\r" in text else text
                stop = len(text) if final else self._stop(text, at)
                for spot in self._in_lines(text, at, stop, tally, final=final):
                    at = spot[1]
                    if not self._between(buffer, spot) and tally.wants():
                        yield self._hit(spot, buffer, base)
                at = max(at, stop)
            else:
                needle = self._pattern.needle
                at, counted = self._counted_in(text, at, tally)
                if not counted:
                    for spot in self._literals(text, at, tally):
                        at = spot[1]
                        if tally.wants():
                            yield self._hit(spot, buffer, base)
                    at, _ = self._counted_in(text, at, tally)
                at = max(at, len(text) - len(needle) + 1)
            keep = self._kept(buffer, at)
            if not tally.full:
                self._count(buffer, base, base + keep)
            buffer, base, at = buffer[keep:], base + keep, at - keep

    def _literals(self, text: bytes, at: int, tally: MatchTally) -> Iterator[MatchBounds]:
        """Matches one by one, for as long as that is of use."""
        find, end, overlaps = self._pattern.find, len(text), _overlaps(self._pattern.needle)
        spot = find(text, at, end)
        while spot[0] >= 0 and (not tally.full or (overlaps and not tally.stops())):
            yield spot
            spot = find(text, spot[1], end)

    def _counted_in(self, text: bytes, at: int, tally: MatchTally) -> tuple[int, bool]:
        """Count all matches at once where they are not to be shown and cannot overlap; where the last one ends."""
        needle = self._pattern.needle
        if _overlaps(needle) or not (tally.full or tally.total < tally.offset):
            return at, False
        number = text.count(needle, at)
        if not tally.full and tally.total + number > tally.offset:
            return at, False
        tally.total += number
        last = text.rfind(needle, at)
        return (at if last < 0 else last + len(needle)), True

    def _in_lines(self, text: bytes, at: int, stop: int, tally: MatchTally, *, final: bool) -> Iterator[MatchBounds]:
        """Matches of an expression that begin before `stop`, each within its line."""
        for start, end, long in _stretches(text, at, stop):
            if not long:
                last = end if text[end - 1] == LF or not final else end + 1  # a text may end in an empty match
                yield from self._found(text, start, end, last, tally)
            elif text[end - 1] == LF or final:
                yield from self._in_windows(text, start, end, end, tally)
            else:
                yield from self._in_windows(text, start, end, len(text), tally)

    def _found(self, text: bytes, at: int, end: int, last: int, tally: MatchTally) -> Iterator[MatchBounds]:
        """Matches between two places that begin before `last`."""
        find = self._pattern.find
        while at < last:
            spot = find(text, at, end)
            if spot == NOWHERE or spot[0] >= last or tally.stops():
                return
            yield spot
            at = _next_start(text, spot)

    def _in_windows(self, text: bytes, at: int, last: int, end: int, tally: MatchTally) -> Iterator[MatchBounds]:
        """Matches in a long line, window by window: one may cost as much as is left of what is looked at."""
        while at < last:
            stop = min(end, at + WINDOW)
            edge = last if stop == end else min(last, stop - OVERLAP)
            for spot in self._found(text, at, stop, edge, tally):
                tally.work -= stop - spot[1]
                at = _next_start(text, spot)
                yield spot
            if tally.at_least:
                return
            at = max(at, edge)

    def _stop(self, text: bytes, at: int) -> int:
        """Up to where all lines are whole; into a line that is too long to wait for."""
        stop = text.rfind(b"\n", at, len(text) - 1) + 1  # what ends with CR may go on with LF
        if stop > at:
            return stop
        return max(at, len(text) - OVERLAP) if len(text) - at > LONGEST else at

    def _between(self, buffer: bytes, spot: MatchBounds) -> bool:
        """Whether this is the place within a CRLF, which is in no line."""
        at = spot[0]
        return spot[1] == at and 0 < at < len(buffer) and buffer[at - 1] == CR and buffer[at] == LF

    def _kept(self, buffer: bytes, at: int) -> int:
        """From where on the buffer is still needed: a little before the first place that was not looked at."""
        return max(0, min(at, len(buffer)) - CONTEXT)

    def _hit(self, spot: MatchBounds, buffer: bytes, base: int) -> SearchHit:
        self._count(buffer, base, base + spot[0])
        return SearchHit(base + spot[0], base + spot[1], self._line, self._column, self._line_start, buffer, base)

    def _count(self, buffer: bytes, base: int, to: int) -> None:
        """Count lines and columns up to a place. Lines end as everywhere: LF, CRLF or CR."""
        start, end = self._counted - base, to - base
        if end <= start:
            return
        ends = line_end_count(buffer, start, end)
        last = max(buffer.rfind(b"\n", start, end), buffer.rfind(b"\r", start, end)) if ends else -1
        if ends and last == end - 1 and buffer[last] == CR and end < len(buffer) and buffer[end] == LF:
            last = max(buffer.rfind(b"\n", start, last), buffer.rfind(b"\r", start, last))
        if last >= start:
            self._line_start, self._column = base + last + 1, 1 + character_count(buffer[last + 1 : end])
        else:
            self._column += character_count(buffer[start:end])
        self._line += ends
        self._counted = to


def line_end_count(buffer: bytes, start: int, end: int) -> int:
    r"""How many lines end between two places.

    >>> line_end_count(b"a\r\nb\rc\n", 0, 7), line_end_count(b"a\r\nb", 0, 2)
    (3, 0)
    """
    ends = buffer.count(b"\n", start, end)
    if buffer.find(b"\r", start, end) >= 0:
        ends += buffer.count(b"\r", start, end) - buffer.count(b"\r\n", start, end)
        if buffer[end - 1] == CR and end < len(buffer) and buffer[end] == LF:
            ends -= 1  # the pair ends at its LF
    return ends


def character_count(piece: bytes) -> int:
    """Characters that begin in a piece of UTF-8."""
    return len(piece) if piece.isascii() else len(piece.translate(None, _CONTINUATION))


def _stretches(text: bytes, at: int, stop: int) -> Iterator[tuple[int, int, bool]]:
    """Many lines, and each long line by itself."""
    block = at
    while block < stop:
        if stop - block <= BLOCK or text.find(b"\n", block, block + BLOCK) >= 0:
            block += BLOCK
            continue
        start = max(at, text.rfind(b"\n", at, block) + 1)
        end = text.find(b"\n", block, stop) + 1 or stop
        if start > at:
            yield at, start, False
        yield start, end, True
        at = block = end
    if at < stop:
        yield at, stop, False


def _next_start(text: bytes, spot: MatchBounds) -> int:
    """Where the search for the next match begins: behind this one, and at least a character further."""
    start, at = spot
    if at == start:
        at += 1
        while at < len(text) and text[at] & 0xC0 == 0x80:  # noqa: PLR2004  # the bits of a continuation byte
            at += 1
    return at


def _overlaps(needle: bytes) -> bool:
    """Whether two matches could share some bytes, so that their order matters for their number."""
    return any(needle.startswith(needle[start:]) for start in range(1, len(needle)))


@cache
def _environment() -> JSONPathEnvironment:
    from jsonpath import JSONPathEnvironment

    return JSONPathEnvironment(strict=True)


def parse_query(query: str) -> JSONPath:
    """A query, read; `UsageError` says what is wrong with it and what one looks like."""
    if len(query) > MOST_QUERY:
        raise UsageError(f"the query has {len(query):,} characters; the most is {MOST_QUERY:,}")
    if not query.lstrip().startswith("$"):
        raise UsageError(f"not a JSONPath (RFC 9535): it has to begin with $, as $.{query[:200].lstrip('.')}; {HELP}")
    from jsonpath import JSONPath, JSONPathError

    try:
        path = _environment().compile(query)
    except (JSONPathError, RecursionError, ValueError) as error:
        # Not its text: that is drawn with arrows below the query, and fails where there is none.
        why = str(error.args[0]) if isinstance(error, JSONPathError) and error.args else "it is nested too deeply"
        raise UsageError(f"not a JSONPath (RFC 9535): {why[:200]} in {query[:200]!r}; {HELP}") from None
    if not isinstance(path, JSONPath):
        raise UsageError(f"not a JSONPath (RFC 9535): {query[:200]!r}; {HELP}")
    return path


_META = frozenset("\\.^$*+?{}[]|()")
Test = Callable[[str], bool]


def tester(pattern: str, *, whole: bool) -> Test:
    """Whether a text matches an I-Regexp (RFC 9485), as a whole or somewhere; `UsageError` if it is not one."""
    if not _META & set(pattern):
        return pattern.__eq__ if whole else lambda text: pattern in text
    return _compiled_regex(pattern, whole=whole)


@lru_cache(maxsize=64)
def _compiled_regex(pattern: str, *, whole: bool) -> Test:
    try:
        import re2
    except ImportError:
        raise UsageError(
            f"the pattern {pattern[:100]!r} needs google-re2, which is not installed here "
            "(pip install 'overspill[re2]'); compare with == instead"
        ) from None
    if len(pattern) > MOST_PATTERN:
        raise UsageError(f"a pattern in the query has {len(pattern):,} characters; the most is {MOST_PATTERN:,}")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.one_line = True
    try:
        compiled = re2.compile(_as_re2(pattern), options)
    except re2.error as error:
        raise UsageError(f"not a pattern for match or search: {error} in {pattern[:100]!r}") from None
    if compiled.programsize > MOST_STEPS:
        raise UsageError(f"the pattern {pattern[:100]!r} unfolds to {compiled.programsize:,} steps; repeat less")
    find = compiled.fullmatch if whole else compiled.search
    return lambda text: find(text) is not None


def _as_re2(pattern: str) -> str:
    r"""An I-Regexp as RE2 writes it: only a dot means something else.

    >>> _as_re2(r"a.\.[.]")
    'a[^\\n\\r]\\.[.]'
    """
    written, in_class, escaped = [], False, False
    for letter in pattern:
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter in "[]":
            in_class = letter == "["
        elif letter == "." and not in_class:
            written.append(r"[^\n\r]")
            continue
        written.append(letter)
    return "".join(written)
