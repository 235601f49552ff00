"""The text of a view: what is kept, our marks between, and look-alikes of our marks told apart."""

import re

from overspill.core.markers import (
    LOOK_ALIKE,
    LOOK_ALIKE_WORDS,
    QUOTE,
    SHORT_LOOK_ALIKE,
    SHORT_MARKER,
    diff_marker,
    fold_marker,
    marker,
)
from overspill.core.partial_text import Held
from overspill.core.spans import Cut, Form, Gap, Span, between


def gaps_of(cut: Cut, length: int) -> list[Gap]:
    """What a cut leaves out of a text, and how each part is marked: on a line of its own where the cut is silent."""
    special = {gap.start: gap for gap in cut.gaps}
    return [special.get(span.start, Gap(*span)) for span in between(cut.kept, length)]


def written(held: Held, cut: Cut, header: str, beside: list[str], hinted: Gap, *, wording: bool) -> str:
    """The view of a cut. The lines `beside` belong to the gap `hinted`; where they may not stand there, they lead."""
    above = beside if hinted.form in {Form.INLINE, Form.DIFF} else []
    page = _Page(header + "".join(f"{line}\n" for line in above))
    gaps = gaps_of(cut, len(held.text))
    pieces: list[Span | Gap] = [*_split(cut.kept, [gap.above for gap in gaps if gap.above >= 0]), *gaps]
    for piece in sorted(pieces, key=_place):
        if isinstance(piece, Span):
            page.source(piece.of(held.text) if cut.verbatim else quoted(held.text, piece, wording=wording))
        elif piece.form is Form.INLINE:
            page.inline(mark_of(held, piece, wording=wording))
        else:
            page.lines([mark_of(held, piece, wording=wording), *(beside if piece == hinted and not above else [])])
    return page.text()


def _place(piece: Span | Gap) -> tuple[int, int, int]:
    lifted = isinstance(piece, Gap) and piece.above >= 0
    return (piece.above, -1, piece.start) if isinstance(piece, Gap) and lifted else (piece.start, 0, piece.end)


def _split(kept: tuple[Span, ...], places: list[int]) -> list[Span]:
    """The same spans, with one ending and another beginning at these places."""
    result: list[Span] = []
    for start, end in kept:
        stops = sorted({start, end, *(place for place in places if start < place < end)})
        result += map(Span, stops, stops[1:])
    return result


def mark_of(held: Held, gap: Gap, *, wording: bool) -> str:
    """What stands in the place of a gap."""
    if not wording:
        return SHORT_MARKER
    size = held.size(gap.start, gap.end)
    if gap.form is Form.FOLD:
        return fold_marker(gap.number, gap.noun, size.chars)
    if gap.form is Form.DIFF:
        return diff_marker(size.lines, size.chars)
    return marker(size.lines, size.chars)


def look_alikes(text: str, span: Span, *, wording: bool) -> list[int]:
    """Where, in a kept span, the lines begin that could be taken for marks of ours."""
    piece = text[span.start : span.end]
    found = [*re.finditer(LOOK_ALIKE, piece)] if any(word in piece for word in LOOK_ALIKE_WORDS) else []
    if not wording:
        found += re.finditer(SHORT_LOOK_ALIKE, piece)
    return sorted({_line_start(piece, match.start()) for match in found})


def quoted(text: str, span: Span, *, wording: bool) -> str:
    """A kept span, with every look-alike line prefixed."""
    piece = text[span.start : span.end]
    for at in reversed(look_alikes(text, span, wording=wording)):
        piece = piece[:at] + QUOTE + piece[at:]
    return piece


def _line_start(piece: str, at: int) -> int:
    if piece[at : at + 1] in ("\r", "\n"):
        return at + 1
    return max(piece.rfind("\n", 0, at), piece.rfind("\r", 0, at)) + 1


class _Page:
    """Text under construction: our lines stand on lines of their own, with no blank line next to them."""

    def __init__(self, header: str) -> None:
        self._pieces = [header]
        self._after_lines = False

    def source(self, text: str) -> None:
        if self._after_lines and text and text[0] not in "\r\n":
            self._pieces.append("\n")
        self._pieces.append(text)
        self._after_lines = False

    def inline(self, mark: str) -> None:
        self._pieces.append(mark)

    def lines(self, lines: list[str]) -> None:
        last = self._pieces[-1]
        if last and last[-1] not in "\r\n":
            self._pieces.append("\n")
        self._pieces.append("\n".join(lines))
        self._after_lines = True

    def text(self) -> str:
        return "".join(self._pieces)
