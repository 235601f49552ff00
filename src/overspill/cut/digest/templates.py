r"""Lines that are alike: what a log, a build or an installer says again and again, and what it says once.

Two lines are alike when they are equal after setting aside quoted texts and every word that holds a digit or a slash.

>>> template_of("12:01:44 GET /users/17 took 3 ms"), template_of('job "a b" done, x=10')
('# GET # took # ms', 'job # done, x=#')

Most lines are never looked at: digits become one digit in a whole block at once, equal lines are counted, and only
what is new is taken apart.
"""

from __future__ import annotations

from math import log

from overspill._lite import TYPE_CHECKING, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD = r"""[^\s,;()\[\]{}<>="']"""
_VARIES = compile_pattern(rf"""(?<!\w)'[^']*'|"[^"]*"|(?<!{_WORD})[^\s,;()\[\]{{}}<>="'0/]*+[0/]{_WORD}*+""")
_DIGITS = str.maketrans("123456789", "000000000")
WIDEST = 1_000  # a longer line is like no other
MOST = 20_000  # templates
MOST_KEYS = 100_000  # spellings of them that are remembered


def template_of(line: str) -> str:
    """What a line says, all that varies aside."""
    return _VARIES.sub("#", line.rstrip().translate(_DIGITS))


class Template:
    """Lines that are alike: how many there are, and the first of them."""

    __slots__ = ("count", "first", "number", "same")

    def __init__(self, number: int, first: str) -> None:
        self.count = 0
        self.number = number  # of the first line, from 0
        self.first = first
        self.same = True  # all of them are equal


class TemplateTable:
    """Counts lines that are alike."""

    def __init__(self) -> None:
        self.lines = 0
        self.found: dict[str, Template] = {}
        self._keys: dict[str, str] = {}
        self.full = False  # there were more templates than are counted

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        keys = "\n".join(lines).translate(_DIGITS).split("\n")
        counts = counted(keys)
        firsts = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        for key, count in counts.items():
            name = self._template(key)
            if name is None:
                continue
            at = firsts[key]
            found = self.found.get(name)
            if found is None:
                if len(self.found) >= MOST:
                    self.full = True
                    continue
                found = self.found[name] = Template(self.lines + at, lines[at])
            found.count += count
            found.same = found.same and key == found.first and lines[at] == found.first
        self.lines += len(lines)

    def count_of(self, line: str) -> int:
        """How many lines are like this one; 0 where that was not counted."""
        name = self._template(line.translate(_DIGITS))
        found = None if name is None else self.found.get(name)
        return found.count if found else 0

    def novelty_of(self, line: str) -> float:
        """How new what a line says is: 1 where nothing else says it, 0 where everything does."""
        count = self.count_of(line)
        return 1 - log(count) / log(self.lines) if count and self.lines > 1 else 0.0

    def firsts_of(self, lines: list[str]) -> Iterator[tuple[int, float]]:
        """Of every spelling among these lines the number of its first one, with how new it is."""
        keys = "\n".join(lines).translate(_DIGITS).split("\n")
        for key, at in dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True)).items():
            yield at, self.novelty_of(key)

    def _template(self, key: str) -> str | None:
        """The template of a line whose digits are all one; blank lines and very wide ones have none."""
        if len(key) > WIDEST:
            return None
        known = self._keys.get(key)
        if known is None:
            if len(self._keys) >= MOST_KEYS:
                self._keys.clear()
            known = self._keys[key] = _VARIES.sub("#", key.rstrip())
        return known or None


def counted(things: Iterable[str]) -> dict[str, int]:
    """How often each occurs, in the order of their first."""
    counts: dict[str, int] = {}
    _count(counts, things)
    return counts


def count_into(counts: dict[str, int], things: Iterable[str]) -> None:
    """Add how often each occurs to what is known."""
    _count(counts, things)


try:
    from _collections import _count_elements as _count  # type: ignore[import-not-found]  # what `Counter` is made of
except ImportError:  # pragma: no cover - not CPython

    def _count(counts: dict[str, int], things: Iterable[str]) -> None:
        for thing in things:
            counts[thing] = counts.get(thing, 0) + 1
