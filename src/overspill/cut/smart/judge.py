"""What lines say, each judged once: a line that differs from another only in numbers says the same."""

import re
from functools import lru_cache

from overspill.cut.smart.shapes import Said, said, stamped
from overspill.cut.smart.signals import Hit
from overspill.records import NamedTuple

WIDE = 600
_ONES = {ord(digit): "1" for digit in "23456789"}  # 0 is kept: it is what tells "0 errors" from errors
_NUMBERS = r"0[xX][0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\d+"


class Judged(NamedTuple):
    """A line that says something, and whether it was said before."""

    start: int
    end: int
    at: int
    said: Said
    key: str
    again: bool  # but for numbers
    same: bool  # literally


@lru_cache(maxsize=1)
def _numbers() -> "re.Pattern[str]":
    return re.compile(_NUMBERS)


def without_numbers(line: str) -> str:
    """What a line says, numbers, ids and times aside.

    >>> without_numbers("job 17 took 3.5s at 0xffee"), without_numbers("id=deadbeef01")
    ('job # took #.#s at #', 'id=#')
    """
    return _numbers().sub("#", line)


class Judge:
    """Remembers what was said."""

    def __init__(self, most: int = 1_000_000) -> None:
        self._most = most  # messages that are remembered
        self._said: dict[str, Said | None] = {}
        self._keys: set[tuple[str, str]] = set()
        self._texts: set[tuple[str, str]] = set()

    def said(self, text: str, hit: Hit) -> Said | None:
        """What the line of a hit says; of a long one, the part around the hit."""
        start, end = hit.start, hit.end
        if end - start > WIDE:
            start = max(start, hit.at - WIDE // 4)
            end = min(end, start + WIDE)
        line = text[start:end]
        line = line[stamped(line) :]
        key = line.translate(_ONES)
        if key in self._said:
            return self._said[key]
        what = said(line)
        if what is None or not what.name:  # names may differ in numbers alone
            if len(self._said) >= self._most:
                self._said.clear()
            self._said[key] = what
        return what

    def seen(self, text: str, hit: Hit, what: Said) -> Judged:
        """The line of a hit, with whether this was said before."""
        line = text[hit.start : min(hit.end, hit.start + WIDE)]
        line = line[stamped(line) :].strip()
        key = what.name or without_numbers(line)
        literal = what.name or line
        again = (what.level, key) in self._keys
        same = (what.level, literal) in self._texts
        if len(self._texts) < self._most:
            self._keys.add((what.level, key))
            self._texts.add((what.level, literal))
        return Judged(hit.start, hit.end, hit.at, what, key, again, same)
