"""Lines that say what no other line says: a unit each, the rarer the better.

A word list finds what somebody thought of; what is rare is found by counting. The counts are those of all of the text,
also where only parts of it are held.
"""

from __future__ import annotations

from itertools import accumulate

from overspill._lite import TYPE_CHECKING
from overspill.cut.smart.units import RARE, WARNING, Unit

if TYPE_CHECKING:
    from overspill.cut.digest.survey import Survey

MOST = 4_000  # lines
LEAST = 0.15  # of novelty, below which a line says nothing new
BEST = WARNING - 10 - RARE  # what novelty adds at the most


def novel_units(text: str, survey: Survey) -> list[Unit]:
    """The first line of every template, where it is rare enough to matter."""
    templates = survey.templates
    if templates.lines < 2:  # noqa: PLR2004  # a single line is no news
        return []
    lines = text.split("\n")
    firsts = templates.firsts_of(lines)
    found = sorted((-novelty, at) for at, novelty in firsts if novelty >= LEAST and lines[at].strip())[:MOST]
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    units: list[Unit] = []
    for less, at in found:
        end = min(starts[at + 1], len(text))
        units.append(Unit(starts[at], end, RARE + BEST * less * less, "said by few lines", str(round(less, 2))))
    # Rows of tables that are not like the others.
    odd = (at for digest in survey.digests if hasattr(digest, "odd_lines") for at in digest.odd_lines(lines))
    units += [Unit(starts[at], min(starts[at + 1], len(text)), WARNING, "an odd row", "odd row") for at in odd]
    return units
