"""What a text adds up to: exact counts of all of it, made while its lines go by, told in a few statements.

A `Collector` adds up one aspect (lines that are alike, paths, messages at places, columns), block by block, in bounded
memory. A `Digest` is what it found, and writes as much of it as there is room for. `survey.Survey` decides by shares
it measures in the first lines which collectors a text is worth, and feeds them.

A statement is a line of ours that begins with `[`, or several of which the further ones begin with `[ `. Everything
in it can be counted again in the text: names and messages are written as they stand there, `+N` says how many are not
named. What cannot be counted exactly is not said. `docs/smart.md` lists the forms.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
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
