"""Totals of a basket, in cents."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    name: str
    cents: int
    count: int = 1


def total(lines: Iterable[Line], *, discount: float = 0.0) -> int:
    """The sum, after a discount between 0 and 1."""
    if not 0 <= discount < 1:
        raise ValueError(f"discount out of range: {discount}")
    return round(sum(line.cents * line.count for line in lines) * (1 - discount))


def cheapest(lines: Iterable[Line]) -> Line | None:
    return min(lines, key=lambda line: line.cents, default=None)
