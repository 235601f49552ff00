"""Listings that a tree of paths tells: of their lines the first, the last, and what is odd."""

from __future__ import annotations

from itertools import accumulate

from overspill._lite import TYPE_CHECKING
from overspill.cut.smart import general
from overspill.cut.smart.novelty import novel_units
from overspill.cut.smart.units import CONTEXT, SUMMARY, WARNING, Findings, Unit

if TYPE_CHECKING:
    from overspill.core.spans import Options
    from overspill.cut.digest.paths import PathDigest
    from overspill.cut.digest.survey import Survey

MOST_ODD = 200  # lines


def found_in(text: str, options: Options) -> Findings:
    """What matters in a listing or a table: what its lines say, and what all of it adds up to in any case."""
    return general.found_in(text, options)._replace(surveyed=True)


def listed_findings(text: str, found: Findings, survey: Survey, digest: PathDigest) -> Findings:
    """What is left to show of a listing: the tree is the view."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    units: list[Unit] = []
    for unit in (*(unit for unit in found.units if unit.score > CONTEXT), *novel_units(text, survey)):
        line = text[unit.start : text.find("\n", unit.start) % (len(text) + 1)]
        if not digest.tells(line.rstrip("\r")):
            units.append(unit)
    for number, said in digest.odd_lines(lines, MOST_ODD):
        units.append(Unit(starts[number], min(starts[number + 1], len(text)), WARNING, said, said))
    filled = [
        number for number in (*range(min(3, len(lines))), len(lines) - 2, len(lines) - 1) if lines[number].strip()
    ]
    units += (
        Unit(starts[number], min(starts[number + 1], len(text)), SUMMARY, "first or last line")
        for number in ({filled[0], filled[-1]} if filled else ())
    )
    digests = tuple(one for one in survey.digests if one is not digest)
    return Findings(units, edges=False, fill=False, dull=found.dull, digests=(*found.digests, digest, *digests))
