r"""Line numbers that a reader of files put before every line.

>>> pattern_of("     1\tdef f():\n     2\t    return 1\n     3\t\n").pattern
' *\\d+\\t'
"""

import re
from itertools import pairwise

LOOKED_AT = 40  # lines
FEWEST = 3

_WAYS = (r" *\d+\t", r" *\d+→", r" *\d+: ?", r" *\d+\| ?", r" *\d+ │ ?")


def pattern_of(text: str) -> "re.Pattern[str] | None":
    """What stands before the lines of a text if they are numbered one by one, or None."""
    lines = text[:8_000].split("\n")[:LOOKED_AT]
    if len(lines) > FEWEST:
        lines = lines[:-1]  # the last may be cut off
    lines = [line for line in lines if line.strip()]
    if len(lines) < FEWEST or not lines[0].lstrip()[:1].isdigit():
        return None
    for way in _WAYS:
        pattern = re.compile(way)
        found = [pattern.match(line) for line in lines]
        numbers = [int(re.sub(r"\D", "", match[0])) for match in found if match]
        if len(numbers) == len(lines) and all(b - a == 1 for a, b in pairwise(numbers)):
            return pattern
    return None


def without(text: str, pattern: "re.Pattern[str]") -> str:
    """The text without the numbers."""
    return "\n".join(pattern.sub("", line, count=1) for line in text.split("\n"))
