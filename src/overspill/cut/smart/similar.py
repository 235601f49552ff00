r"""Lines of a log, below a warning, that differ in numbers, ids and times alone: of a run the first and the last.

>>> text = "".join(f"12:00:0{n} INFO job {n} of the long queue is done\n" for n in range(1, 10))
>>> [(text[start:end].count("\n"), start // 44) for start, end in similar_in(text)]
[(7, 1)]
"""

import re

from overspill.core.spans import Span
from overspill.cut.smart.judge import without_numbers
from overspill.cut.smart.lines import first_lines
from overspill.cut.smart.shapes import QUIET, stamp_width
from overspill.cut.smart.signals import LOUDER

REACH = 8_192  # characters from either end: nothing else is shown without a reason of its own
LEAST_LINES = 4
LEAST_SAVED = 120


def similar_in(text: str) -> list[Span]:
    """The inner lines of every run, at both ends of the text."""
    if len(text) <= 2 * REACH:
        return _similar_runs(text, 0, len(text))
    return [*_similar_runs(text, 0, REACH), *_similar_runs(text, text.rfind("\n", 0, len(text) - REACH) + 1, len(text))]


def _similar_runs(text: str, start: int, end: int) -> list[Span]:
    runs: list[Span] = []
    said, first, last = "", Span(0, 0), Span(0, 0)
    count = 0
    quiet, loud = re.compile(QUIET).match, re.compile("|".join(LOUDER)).search
    part = text[start:end]
    small = part.lower()
    if len(small) != len(part):
        small = part
    spoken = loud(small) is not None  # most parts say nothing loud, and need not be asked line by line
    for line in [*first_lines(part, end - start), Span(end - start, end - start)]:
        words = part[line.start : min(line.end, line.start + 600)]
        calm = bool(words) and quiet(words) is not None and not (spoken and loud(words.lower()))
        key = without_numbers(words[stamp_width(words) :]) if calm else ""
        if key and key == said:
            last, count = line, count + 1
            continue
        if count >= LEAST_LINES and last.start - first.end >= LEAST_SAVED:
            runs.append(Span(start + first.end, start + last.start))
        said, first, last, count = key, line, line, 1
    return runs
