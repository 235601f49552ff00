"""Pages of HTML: their headings as a reader sees them, then something of each section.

A page need not be well-formed. Headings are told without the tags inside them; what is below one, up to the next, is
its section. Scripts, styles and comments are no part of what a page says.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.cut.digest.headings import DocumentDigest, Heading, PrintedDocument
from overspill.cut.smart.prose import ProseBlock, prose_units
from overspill.cut.smart.units import Findings, line_before

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FEWEST = 3  # headings
LONGEST = 2_000  # characters of a heading, tags included
_HEADING = compile_pattern(rf"(?is)<h([1-6])\b[^<>]*>(.{{0,{LONGEST}}}?)</h\1\s*>")
_UNSEEN = compile_pattern(r"(?is)<(script|style)\b.*?</\1\s*>|<!--.*?-->")
_TAG = compile_pattern(r"(?s)<[^<>]*>")
_BLOCK = compile_pattern(
    r"(?im)^(?=[ \t]*</?(?:p|li|dt|dd|tr|table|pre|ul|ol|dl|div|section|blockquote)\b)|\n[ \t\r]*\n"
)
_PRE = compile_pattern(r"(?i)\s*<pre\b")


def page_findings(text: str) -> Findings | None:
    """What matters in a page; None where it has hardly any headings."""
    unseen = [found.span() for found in _UNSEEN.finditer(text)]
    starts = [start for start, _ in unseen]

    def is_seen(at: int) -> bool:
        number = bisect_right(starts, at) - 1
        return number < 0 or unseen[number][1] <= at

    seen = [
        (found, title)
        for found in _HEADING.finditer(text)
        if is_seen(found.start()) and (title := words_of_tag(found[2]))
    ]
    if len(seen) < FEWEST:
        return None
    headings = [Heading(found.start(), title, int(found[1])) for found, title in seen]
    blocks: list[ProseBlock] = []
    at = 0
    for found, title in seen:
        start, end = line_before(text, found.start() + 1), text.find("\n", found.end()) + 1 or len(text)
        if start >= at:
            blocks += _blocks_between(text, at, start, is_seen)
            blocks.append(ProseBlock(start, end, "heading", int(found[1]), title))
            at = end
    blocks += _blocks_between(text, at, len(text), is_seen)
    units = [unit for unit in prose_units(text, blocks) if unit.why != "heading"]
    return Findings(units, exact=True, digests=(DocumentDigest(PrintedDocument(headings, [])),))


def words_of_tag(inside: str) -> str:
    r"""What a reader sees of what stands between two tags.

    >>> words_of_tag("<span>1. </span>Rows &amp;\n columns")
    '1. Rows & columns'
    """
    from html import unescape

    return " ".join(unescape(_TAG.sub("", inside)).split())


def _blocks_between(text: str, start: int, end: int, is_seen: Callable[[int], bool]) -> Iterator[ProseBlock]:
    """Paragraphs, items, rows and examples of one section."""
    edges = [start, *(at for found in _BLOCK.finditer(text, start, end) if start < (at := found.end()) < end), end]
    for first, after in pairwise(edges):
        said = text[first:after]
        if said.strip():
            spoken = is_seen(first) and any(map(str.isalpha, _TAG.sub("", said)))
            yield ProseBlock(first, after, ("code" if _PRE.match(said) else "text") if spoken else "comment")
