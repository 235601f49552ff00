"""What the reader is looking for: units that hold it come before all others.

Looked for as it is written, without regard to capitals; where that is nowhere, its words one by one.
"""

from __future__ import annotations

from bisect import bisect_left

from overspill.core.spans import Options, ceil, floor
from overspill.cut.smart.shapes import small_letters
from overspill.cut.smart.units import FOCUS, Findings, Unit, line_before, lines_from, past_line_end

MOST = 2_000
WINDOW = 160
SHORTEST = 3  # letters of a word worth looking for
NEAR = 20.0  # below the line itself: its neighbours


def with_focus(text: str, found: Findings, options: Options) -> Findings:
    """What was found, with what was asked for first."""
    places = _focus_places(text, options.focus)
    if not places:
        return found
    units = [_raised_unit(unit, places) for unit in found.units]
    return found._replace(units=units if found.exact else units + _focus_units(text, places, options))


def _focus_places(text: str, focus: str) -> list[int]:
    small, wanted = small_letters(text), small_letters(focus.strip())
    found = _first_places(small, wanted)
    if not found:
        words = {word for word in wanted.split() if len(word) >= SHORTEST}
        found = [place for word in sorted(words) for place in _first_places(small, word)]
    return sorted(found)


def _first_places(small: str, wanted: str) -> list[int]:
    """The first place on every line, up to some thousands of them."""
    places: list[int] = []
    at = small.find(wanted)
    while at >= 0 and len(places) < MOST:
        places.append(at)
        end = small.find("\n", at)
        at = small.find(wanted, max(end, at + WINDOW)) if end >= 0 else small.find(wanted, at + WINDOW)
    return places


def _raised_unit(unit: Unit, places: list[int]) -> Unit:
    at = bisect_left(places, unit.start)
    if at < len(places) and places[at] < unit.end:
        return unit._replace(score=unit.score + FOCUS, why=f"asked for; {unit.why}")
    return unit


def _focus_units(text: str, places: list[int], options: Options) -> list[Unit]:
    """The lines that hold it, then their neighbours."""
    units: list[Unit] = []
    for place in places:
        start = text.rfind("\n", 0, place) + 1
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        if end - start > options.max_line_length:
            start, end = max(start, floor(text, place - WINDOW)), min(end, ceil(text, place + 2 * WINDOW))
            units.append(Unit(start, end, 2 * FOCUS, "asked for"))
            continue
        units.append(Unit(start, past_line_end(text, end), 2 * FOCUS, "asked for"))
        before, after = line_before(text, line_before(text, start)), past_line_end(text, end)
        for number, (_, until) in enumerate(lines_from(text, after)):
            after = past_line_end(text, until)
            if number:
                break
        units.append(Unit(before, after, 2 * FOCUS - NEAR, "beside what was asked for"))
    return units
