"""JSONPath as RFC 9535 has it: read by python-jsonpath, so that nothing else is taken for it.

Its functions `match` and `search` run on google-re2: linear, whatever pattern is written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from overspill._lite import TYPE_CHECKING
from overspill.errors import UsageError
from overspill.retrieve.search.patterns import MOST_PATTERN, MOST_STEPS

if TYPE_CHECKING:
    from jsonpath import JSONPath, JSONPathEnvironment

MOST_QUERY = 4096
HELP = "examples: $.users[?@.id==42].name, $.items[0:10], $.log[?search(@.msg, 'time.*out')]"


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
