"""Secrets with terminal codes inside them: read in the text without the codes, and found in the text with them."""

import re
from collections.abc import Iterator

from overspill.hints import TYPE_CHECKING
from overspill.redact.hits import REACH, RULE, SHIFT, Spot

if TYPE_CHECKING:
    from overspill.redact.seams import Eyes

_CODE = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\)|[@-Z\\^_])")


def beneath(eyes: "Eyes", text: str, start: int, end: int) -> Iterator[Spot]:
    """What is found between `start` and `end` once the codes there are gone. Private keys over many lines are not."""
    codes = [code.span() for code in _CODE.finditer(text, start, end)]
    bare = _CODE.sub("", text[start:end])
    if len(bare) == end - start:
        return
    places = _Places(codes, start)
    for hit in eyes.hits(bare, 0, len(bare)):
        at, rule = hit >> SHIFT, hit & RULE
        if rule in eyes.blocks:
            continue
        reader = eyes.readers[rule] or eyes.reader(rule)
        probe = eyes.probes[rule]
        if probe is not None and (at < eyes.leads[rule] or probe(bare, at - eyes.leads[rule], at + REACH) is None):
            continue
        for first, last, kind, form in reader(bare, at, at + REACH):
            if kind and last > first:
                yield places.of(first), places.of(last - 1) + 1, rule, kind, form


class _Places:
    """From places in the text without codes to those in the text with them."""

    def __init__(self, codes: list[tuple[int, int]], start: int) -> None:
        self._starts: list[int] = []  # where a code stood, in the text without codes
        self._gone: list[int] = []  # characters gone up to there
        removed = 0
        for first, last in codes:
            self._starts.append(first - start - removed)
            removed += last - first
            self._gone.append(removed)
        self._start = start

    def of(self, place: int) -> int:
        from bisect import bisect_right  # only where something was found

        index = bisect_right(self._starts, place)
        return self._start + place + (self._gone[index - 1] if index else 0)
