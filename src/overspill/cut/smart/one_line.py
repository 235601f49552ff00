"""One long line (minified code, a source map, base64): windows around what matters, and both ends."""

from __future__ import annotations

from overspill.core.spans import Options, ceil, floor
from overspill.cut.smart.shapes import LOUD, classify_line, small_letters
from overspill.cut.smart.units import EDGE, RARE, Findings, Unit

WINDOW = 120
MOST = 200  # places of one word
ENDS = 1_000
STRONG = ("name", "summary", "status", "fatal", "exception", "error", "assertion")


def found_in(text: str, options: Options) -> Findings:
    """Both ends, and what stands around telling words."""
    units = [
        Unit(0, floor(text, min(ENDS, len(text))), EDGE + 2, "the start of a long line"),
        Unit(ceil(text, max(0, len(text) - ENDS)), len(text), EDGE + 3, "the end of a long line"),
    ]
    if options.prioritize_errors:
        units += _windows(text)
    return Findings(units)


def _windows(text: str) -> list[Unit]:
    small = small_letters(text)
    units: list[Unit] = []
    for word in LOUD:
        at = small.find(word)
        for _ in range(MOST):
            if at < 0:
                break
            start, end = max(0, at - WINDOW), min(len(text), at + 2 * WINDOW)
            what = classify_line(text[max(0, at - WINDOW // 4) : end].replace("\n", " "))
            if what is not None:
                score = RARE + 50 if what.level in STRONG else RARE
                units.append(Unit(floor(text, start), ceil(text, end), score, what.why, word))
            at = small.find(word, end)
    return units
