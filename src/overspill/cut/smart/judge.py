"""What lines say, each classified once: a line that differs from another only in numbers says the same."""

from __future__ import annotations

from overspill._lite import NamedTuple, compile_pattern
from overspill.cut.smart.shapes import LineClass, SignalLine, classify_line, stamp_width

WIDE = 600
# A bare 0 is kept: it is what tells "0 errors" from errors.
_NUMBERS = compile_pattern(r"\b(?=[a-fA-F]*[0-9])[0-9a-fA-F]{6,}\b|0[xX][0-9a-fA-F]+|[1-9][0-9]*|0[0-9]+")


class ScoredLine(NamedTuple):
    """A line that says something, and whether it was said before."""

    start: int
    end: int
    at: int
    said: LineClass
    key: str
    times: int = 0  # said before, but for numbers
    same: bool = False  # said before, literally

    @property
    def again(self) -> bool:
        return self.times > 0


def without_numbers(line: str) -> str:
    """What a line says, numbers, ids and times aside.

    >>> without_numbers("job 17 took 3.5s at 0xffee, 0 left"), without_numbers("id=deadbeef01")
    ('job # took #.#s at #, 0 left', 'id=#')
    """
    return _NUMBERS.sub("#", line)


class LineScorer:
    """Classifies lines, and remembers what was said."""

    def __init__(self, most: int = 1_000_000) -> None:
        self._most = most  # messages that are remembered
        self._said: dict[str, LineClass | None] = {}
        self._keys: dict[tuple[str, str], int] = {}
        self._texts: set[tuple[str, str]] = set()

    def line_class(self, text: str, hit: SignalLine) -> LineClass | None:
        """What the line of a hit says; of a long one, the part around the hit."""
        start, end = hit.start, hit.end
        if end - start > WIDE:
            start = max(start, hit.at - WIDE // 4)
            end = min(end, start + WIDE)
        line = text[start:end]
        line = line[stamp_width(line) :]
        key = without_numbers(line)
        if key in self._said:
            return self._said[key]
        what = classify_line(line)
        if what is None or not what.name:  # names may differ in numbers alone
            if len(self._said) >= self._most:
                self._said.clear()
            self._said[key] = what
        return what

    def scored_line(self, text: str, hit: SignalLine, what: LineClass) -> ScoredLine:
        """The line of a hit, with whether this was said before."""
        line = text[hit.start : min(hit.end, hit.start + WIDE)]
        line = line[stamp_width(line) :].strip()
        key = what.name or (line if what.level == "name" else without_numbers(line))
        literal = what.name or line
        if line.startswith("Traceback"):
            literal = key = f"{key}{hit.start}"  # what it is about stands at its end
        times = self._keys.get((what.level, key), 0)
        same = (what.level, literal) in self._texts
        if len(self._texts) < self._most:
            self._keys[what.level, key] = times + 1
            self._texts.add((what.level, literal))
        return ScoredLine(hit.start, hit.end, hit.at, what, key, times, same)
