"""What is looked for: a literal by default, a regular expression on request.

Literals are found by the byte search of Python itself. Regular expressions run on google-re2, which is linear
whatever is written, and lie within one line; without it there are literals only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from overspill._lite import NamedTuple, suppress
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_PATTERN = 4096  # characters of a pattern
MOST_STEPS = 5_000  # of a compiled one: its worst time is this times the text
MEMORY = 16 << 20
NOWHERE = -1, -1
LINES = b"(?m)"  # ^ and $ are the ends of a line

MatchBounds = tuple[int, int]


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
