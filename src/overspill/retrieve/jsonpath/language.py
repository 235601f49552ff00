"""JSONPath as RFC 9535 has it: read by python-jsonpath, so that nothing else is taken for it."""

from functools import cache
from typing import TYPE_CHECKING

from overspill.errors import UsageError

if TYPE_CHECKING:
    from jsonpath import JSONPath, JSONPathEnvironment

MOST_QUERY = 4096
HELP = "examples: $.users[?@.id==42].name, $.items[0:10], $.log[?search(@.msg, 'time.*out')]"


@cache
def _environment() -> "JSONPathEnvironment":
    from jsonpath import JSONPathEnvironment

    return JSONPathEnvironment(strict=True)


def parsed(query: str) -> "JSONPath":
    """A query, read; `UsageError` says what is wrong with it and what one looks like."""
    if len(query) > MOST_QUERY:
        raise UsageError(f"the query has {len(query):,} characters; the most is {MOST_QUERY:,}")
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
