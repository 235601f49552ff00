"""The parts of a text that are looked at: some lines of the first and of the last 64 KB."""

import re
from functools import cached_property

from overspill.kinds.languages import language_of
from overspill.kinds.lines import DIAGNOSTIC, ENTRY, EVENT

SAMPLE = 65_536
LINES_TOP, LINES_BOTTOM = 60, 30
LINES_CODE = 200  # comments at the top of a file can be long
WIDEST = 200  # characters of a line
LONG_LINE = 1_000

_WORD_ENDS = "`*_.,;:!?()\"'"
_FEWEST_WORDS = 5
_MOSTLY = 0.7


class Sample:
    """A text as far as it is looked at."""

    def __init__(self, text: str, total: int) -> None:
        self.whole = total <= len(text)  # otherwise the end is still to come
        self.head = text[:SAMPLE]
        self.tail = text[-SAMPLE:] if len(text) > SAMPLE else self.head
        self.start = self.head[:4_096].lstrip("\ufeff \t\r\n")
        self.end = self.tail[-4_096:].rstrip()
        first = self.head.split("\n", LINES_TOP)
        self.cut = len(first) > LINES_TOP or len(text) > SAMPLE or not self.whole
        self.first = (first[:-1] or first) if self.cut else first
        self.last = self.tail.rsplit("\n", LINES_BOTTOM)[1:] if self.cut and self.whole else []
        self.top = [line[:WIDEST].rstrip() for line in self.first]
        self.lines = [line for line in self.top if line]

    @cached_property
    def long_lines(self) -> bool:
        """Whether a line has a thousand characters or more on the average, as minified files do."""
        return len(self.head) >= LONG_LINE * (self.head.rstrip("\n").count("\n") + 1)

    @cached_property
    def language(self) -> tuple[str, float]:
        """The programming language, and the share of lines that tell it."""
        return language_of([line[:WIDEST].rstrip() for line in self.head.split("\n", LINES_CODE)[:LINES_CODE]])

    @cached_property
    def diagnostics(self) -> float:
        """The share of what compilers and linters say."""
        return self.share(DIAGNOSTIC)

    @cached_property
    def events(self) -> float:
        """The share of lines that tell what happened."""
        return self.share(EVENT) + self.diagnostics

    @cached_property
    def entries(self) -> float:
        """The share of lines that are one thing of many."""
        return self.share(ENTRY)

    @cached_property
    def sentences(self) -> float:
        """The share of lines that are made of words."""
        return sum(map(_is_wordy, self.lines)) / len(self.lines)

    def count(self, pattern: str) -> int:
        """How many of the lines at the top look like this."""
        looks = re.compile(pattern).match
        return sum(1 for line in self.lines if looks(line))

    def share(self, pattern: str) -> float:
        """The same, as a share of the lines that are not empty."""
        return self.count(pattern) / max(1, len(self.lines))


def _is_wordy(line: str) -> bool:
    words = line.split()
    if len(words) < _FEWEST_WORDS:
        return False
    return sum(1 for word in words if word.strip(_WORD_ENDS).replace("-", "").isalpha()) > _MOSTLY * len(words)
