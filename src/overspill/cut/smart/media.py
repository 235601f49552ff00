r"""Embedded media: images and other data written as letters, which no reader of text can use.

>>> found = media_in("x = 'data:image/png;base64," + "iVBORw0KGgo" * 60 + "'")
>>> [(one.name, one.end - one.start > 600) for one in found]
[('image/png', True)]
"""

import re
from collections.abc import Iterator

from overspill._lite import NamedTuple

SHORTEST = 400  # characters
SHOWN = 24  # of them, so that it can be recognised
LONG_LINE = 500
_URL = r"data:([\w.+-]+/[\w.+-]+)[^,\s]{0,100},([A-Za-z0-9+/=%_-]+)"
_RUN = r"[A-Za-z0-9+/_-]++={0,2}"


class Media(NamedTuple):
    """Characters that stand for something that is no text."""

    start: int
    end: int
    name: str


def media_in(text: str) -> list[Media]:
    """All that is embedded, in order."""
    found: dict[int, Media] = {}
    if "data:" in text:
        for match in re.finditer(_URL, text):
            if match.end(2) - match.start(2) >= SHORTEST:
                found[match.start(2)] = Media(match.start(2) + SHOWN, match.end(2), match[1])
    for start, end in _long_lines(text):
        for match in re.compile(_RUN).finditer(text, start, end):
            if match.end() - match.start() >= SHORTEST and match.start() not in found and _is_encoded(match[0]):
                found[match.start()] = Media(match.start() + SHOWN, match.end(), "base64")
    return [found[start] for start in sorted(found)]


def _long_lines(text: str) -> Iterator[tuple[int, int]]:
    at, length = 0, len(text)
    while length - at > LONG_LINE:
        # The last line end within the length of a long line: all lines up to it are shorter.
        border = text.rfind("\n", at, at + LONG_LINE + 1)
        if border < 0:
            border = text.find("\n", at + LONG_LINE)
            border = length if border < 0 else border
            yield at, border
        at = border + 1


def _is_encoded(run: str) -> bool:
    """Whether letters of both sizes and digits are in it, as in what was encoded."""
    sample = run[:SHORTEST]
    return sample.lower() != sample != sample.upper() and any(map(str.isdigit, sample))
