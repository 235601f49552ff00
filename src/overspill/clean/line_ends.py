r"""Carriage returns without a single line feed: lines of an old Mac file, or one line drawn over and over.

Decided on the first `OPENING` characters, and then for good. A line feed, a backspace or a cursor
movement there means a terminal, and so does a text that begins with a carriage return. Otherwise it
is a redraw only if at least three of four neighbours are the same but for digits, bars and spinners,
and what is the same looks like progress: it has a percent sign, `3/7`, or letters without the commas,
semicolons and tabs of a table. In doubt the lines stay, for a redraw taken for lines costs room,
lines taken for redraws are lost.

>>> lines_end_in_cr("name\rsize\rowner\r"), lines_end_in_cr("get  1%\rget 10%\rget 100%\r")
(True, False)
"""

import re
from itertools import pairwise

OPENING = 65_536

_NUMBERS = re.compile(r"\d+")
_BARS = re.compile(r"[\s#=\-<>.*\\|█▉▊▋▌▍▎▏▓▒░━─╸╺■□●○◐◓◑◒⠀-⣿…]+")
_PROGRESS = re.compile(r"%|(?<!/)\b0/0\b(?!/)")
_TABLE = re.compile(r"[,;\t]")
_ALIKE = 0.75


def decided(text: str) -> bool | None:
    """Whether lines end in CR, as far as `text`, the beginning, can tell; None asks for more of it."""
    start = text[:OPENING]
    if any(mark in start for mark in "\n\b\x1b") or start.startswith("\r"):
        return False
    return lines_end_in_cr(start) if len(text) >= OPENING else None


def lines_end_in_cr(text: str) -> bool:
    """Whether the carriage returns of `text`, which has no line feed, are line ends."""
    if "\r" not in text:
        return False
    lines = [_skeleton(line) for line in text.rstrip("\r").split("\r")]
    pairs = len(lines) - 1
    alike = sum(one == other and _is_progress(one) for one, other in pairwise(lines))
    return not pairs or alike < pairs * _ALIKE


def _skeleton(line: str) -> str:
    """What stays the same from one drawing to the next. Tabs and separators are part of it."""
    return _BARS.sub(lambda bar: "\t" if "\t" in bar[0] else "", _NUMBERS.sub("0", line))


def _is_progress(skeleton: str) -> bool:
    if _PROGRESS.search(skeleton):
        return True
    return any(map(str.isalpha, skeleton)) and not _TABLE.search(skeleton)
