"""What a text adds up to: exact counts of all of it, made while its lines go by, told in a few statements.

A `Collector` adds up one aspect (lines that are alike, paths, messages at places, columns), block by block, in bounded
memory. A `Digest` is what it found, and writes as much of it as there is room for. `survey.Survey` decides by shares
it measures in the first lines which collectors a text is worth, and feeds them.

A statement is a line of ours that begins with `[`, or several of which the further ones begin with `[ `. Everything
in it can be counted again in the text: names and messages are written as they stand there, `+N` says how many are not
named. What cannot be counted exactly is not said. `docs/smart.md` lists the forms.
"""

from __future__ import annotations

from itertools import repeat

from overspill._lite import TYPE_CHECKING, Protocol, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import TypeVar

    Thing = TypeVar("Thing", bound=Hashable)

OVERVIEW_SHARE = 0.55  # of the room: what is said of a text whose lines are shown, too


class Digest(Protocol):
    """Something to say of the whole text."""

    share: float  # of the room that it may take; above `OVERVIEW_SHARE` where it tells most of the lines

    def statements(self, room: int) -> tuple[str, ...]:
        """Lines of ours that take at most `room` characters, line ends included, the most telling first."""
        ...

    def tells(self, line: str) -> bool:
        """Whether the statements tell what this line of the text says, so that it need not be shown."""
        ...


class Collector(Protocol):
    """Adds up one aspect of a text."""

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        ...

    def digest(self) -> Digest | None:
        """What was found, or None where that is not worth a statement."""
        ...


def counts_of(things: Iterable[Thing]) -> dict[Thing, int]:
    """How often each occurs, in the order of their first."""
    counts: dict[Thing, int] = {}
    count_into(counts, things)
    return counts


def count_into(counts: dict[Thing, int], things: Iterable[Thing]) -> None:
    """Add how often each occurs to what is known."""
    _count(counts, things)


try:
    from _collections import _count_elements as _count  # type: ignore[import-not-found]  # what `Counter` is made of
except ImportError:  # pragma: no cover - not CPython

    def _count(counts: dict[Thing, int], things: Iterable[Thing]) -> None:
        for thing in things:
            counts[thing] = counts.get(thing, 0) + 1


UNITS = {
    "": 1.0,
    "%": 1.0,
    "B": 1.0,
    ":": 1.0,  # 12: in front of a row
    "k": 1e3,
    "kB": 1024.0,
    "ns": 1e-9,
    "us": 1e-6,
    "\u00b5s": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
}
UNITS |= {
    letter + end: 1024.0**power for power, letter in enumerate("KMGTP", 1) for end in ("", "B", "iB", "i")
}  # fmt: skip
_DIGITS = "0123456789.+-,_eE"
_CODES = compile_pattern(r"(?m)^\s*(?:0\d|[\d+-]*[eE]\d)")  # 007, and 2e8 where it may be part of a hash
_PADDED = compile_pattern(r"\n0\d")
_PLAIN = str.maketrans("", "", "0123456789.+-eE ")


def as_numbers(values: Sequence[str]) -> list[float] | None:
    """What these cells are worth, if all of them are numbers, with a unit or without.

    >>> as_numbers(["3", "4.5"]), as_numbers(["2K", "1M"]), as_numbers(["1.2.3"]), as_numbers(["7%", "-"])
    ([3.0, 4.5], [2048.0, 1048576.0], None, None)
    >>> as_numbers(["0.5", "1.5e3"]), as_numbers(["00e8"]), as_numbers(["2e8"])
    ([0.5, 1500.0], None, None)
    """
    found = _worth(values)
    if found is None:
        return None
    block = "\n".join(["", *values])
    if "e" in block or "E" in block or " " in block or "\t" in block or not block.isascii():
        return None if _CODES.search(block) else found
    return None if "\n0" in block and _PADDED.search(block) else found  # which is looked for at once


def _worth(values: Sequence[str]) -> list[float] | None:
    try:
        unit = values[0].strip().lstrip(_DIGITS) if values else ""
        factor = UNITS[unit.strip()]  # most cells that are no numbers are told by the first
        signs = "".join(values).translate(_PLAIN)
        if not signs:
            return [*map(float, values)] or None
        if signs == unit.replace(" ", "") * len(values) and all(map(str.endswith, values, repeat(unit))):
            block = "\n".join([*values, ""])
            if block.count("\n") == len(values):
                return [number * factor for number in map(float, block.replace(f"{unit}\n", "\n").split("\n")[:-1])]
            return [float(value.removesuffix(unit)) * factor for value in values]
        result = []
        for cell in values:
            value = cell.strip()
            unit = value.lstrip(_DIGITS)
            result.append(float(value[: len(value) - len(unit)].replace(",", "")) * UNITS[unit.strip()])
    except (ValueError, KeyError):
        return None
    return result


def is_plain(values: Sequence[str]) -> bool:
    """Whether these cells are made of nothing but what numbers are made of."""
    return not "".join(values).translate(_PLAIN)
