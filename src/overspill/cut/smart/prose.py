"""Prose and Markdown: the headings, how the first paragraph and code block of every section begin, then the rest.

Headings of Markdown that are not shown are named in a note; of a document as it is printed, headings and terms are said
first. Sections take turns, so that something of each is shown. A history of a line an entry is shown from its top on.

A page of HTML need not be well-formed. Headings are told without the tags inside them; what is below one, up to the
next, is its section. Scripts, styles and comments are no part of what a page says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import islice, pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.markers import one_line
from overspill.core.spans import Options, Span
from overspill.cut.digest.headings import FEWEST as FEWEST_PRINTED
from overspill.cut.digest.headings import (
    DocumentDigest,
    Heading,
    PrintedDocument,
    is_document,
    marked_headings,
    read_document,
    ruled_headings,
    title_numbers,
)
from overspill.cut.smart.general import found_in as found_in_lines
from overspill.cut.smart.languages import grammar_of
from overspill.cut.smart.outline import Line, source_lines
from overspill.cut.smart.units import (
    CONTEXT,
    DETAIL,
    PLAIN,
    RARE,
    Findings,
    Name,
    Note,
    Unit,
    first_lines,
    line_before,
    spelled_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FEWEST = 2  # headings
NOTES_SHARE = 0.5
LONGEST_PARAGRAPH, LONGEST_BRIEF = 500, 150  # a longer one is shown up to the end of a sentence; the first of a section
FIRST_OF_CODE = 5  # lines of a code block, its fence with them
AS_WELL = 80  # characters: what would be left of something is shown with it
LONGEST_TITLE = 160
DEEPEST = 6
MOST_ENTRIES, NEWEST = 4_000, "newest of a history"
LUMP = 0.5  # of a text that is one block, or one fence: it is something else with a heading, and its lines tell what

_ATX = compile_pattern(r"(#{1,6})\s+(.*?)\s*#*$")
_UNDERLINE = compile_pattern(r"([=\-~^*+#\"'`.:_])\1{2,}$")
_MANUAL = compile_pattern(r"[A-Z][A-Z0-9 ,/()-]{2,60}$")
# A line that could be a heading or stand below one: found natively, before lines are looked at one by one.
_PERHAPS = compile_pattern(
    r"""(?mx)^(?:[ ]{0,3}\#{1,6}\s | ([=\-~^*+\#"'`.:_])\1{2,}\s*$ | [A-Z][A-Z0-9 ,/()-]{2,60}\s*$)""",
)
_LINK = compile_pattern(r"!?\[([^\]]*)\]\([^)]*\)")
PICTURES = ("[![", "![", "<a ", "<img ")
_PICTURE = compile_pattern(r"!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>|<a\b[^>]*>\s*</a>")
_EMPTY_LINK = compile_pattern(r"\[\s*\]\([^)]*\)|<a\b[^>]*>\s*</a>")
_FENCE = compile_pattern(r"(`{3,}|~{3,})")
_SENTENCE = compile_pattern(r"[.!?](?=\s)|\n")
_ITEM = compile_pattern(r"\s*(?:[-*+\u2022] |\d+[.)] |\|)")  # of a list, or a row of a table
_LOUD = compile_pattern(r"(?i)[>*_# ]*(?:\[!)?(?:warning|caution|danger|important|breaking|deprecated|note|security)\b")


class ProseBlock(NamedTuple):
    """Lines that belong together."""

    start: int
    end: int
    kind: str  # heading, code, text
    level: int = 0  # of a heading, from 1 on
    title: str = ""


def found_in(text: str, options: Options) -> Findings:
    """What matters in prose."""
    lines = text.split("\n")
    titled = _atx_headings(lines)
    marked = max(marked_headings(lines), ruled_headings(lines), key=len)
    printed = read_document(lines) if is_document(text) else PrintedDocument([], [])
    if len(marked) > max(2 * len(titled), 2 * len(printed.headings)):
        return _printed_findings(text, read_document(lines, {one.number: one for one in marked}))
    if len(printed.headings) >= max(FEWEST_PRINTED, 2 * len(titled)):
        return _printed_findings(text, _with_titles(printed, titled))
    blocks = list(blocks_of(text)) if _may_have_headings(text) else []
    headings = [block for block in blocks if block.kind == "heading"]
    if len(headings) < FEWEST or max(map(_block_chars, blocks)) > LUMP * len(text):
        return found_in_lines(text, options)
    note = Note("omitted", _heading_names(headings), 1 << 20, NOTES_SHARE, _heading_names(headings, terse=True))
    return Findings(list(prose_units(text, blocks)), (note,), exact=True)


def _atx_headings(lines: list[str]) -> list[Heading]:
    """The headings of Markdown that begin with `#`."""
    if not any(line.startswith("#") for line in lines):
        return []
    found = ((number, _ATX.match(lines[number].rstrip())) for number in title_numbers(lines))
    return [Heading(number, words[2], len(words[1])) for number, words in found if words is not None and words[2]]


def _with_titles(printed: PrintedDocument, titled: list[Heading]) -> PrintedDocument:
    """A page that was made Markdown has its titles first; what stands there as titles do is below them."""
    known = {one.number for one in titled}
    deepest = max((one.level for one in titled), default=0)
    below = [one._replace(level=one.level + deepest) for one in printed.headings if one.number not in known]
    return PrintedDocument(sorted([*titled, *below]), printed.terms)


def found_in_history(text: str, _: Options) -> Findings:
    """Entries of a line each from the top on: no title tells more than another, and whoever asks wants the newest."""
    lines = first_lines(text, MOST_ENTRIES)
    return Findings([Unit(*line, DETAIL - at / MOST_ENTRIES, NEWEST) for at, line in enumerate(lines)])


def _block_chars(block: ProseBlock) -> int:
    return block.end - block.start


def _printed_findings(text: str, document: PrintedDocument) -> Findings:
    """What matters in a document as it is printed: its outline, then something of each section."""
    known = {one.number: one for one in document.headings}
    units = list(prose_units(text, list(blocks_of(text, known))))
    return Findings(units, exact=True, digests=(DocumentDigest(document),))


def _may_have_headings(text: str) -> bool:
    """Whether it is worth a look at every line. Where lines are numbered, it is."""
    numbered = text[:16].lstrip()[:1].isdigit()
    return numbered or len(list(islice(_PERHAPS.finditer(text), FEWEST))) == FEWEST


def _heading_names(headings: list[ProseBlock], *, terse: bool = False) -> tuple[Name, ...]:
    """The headings, each once; tersely without where links lead, and without those far below."""
    top = min(block.level for block in headings)
    times = Counter(block.title for block in headings)
    first = {block.title: block for block in reversed(headings)}
    return tuple(
        Name(_title(title, terse=terse) + (f" ({times[title]} times)" if times[title] > 1 else ""), *first[title][:2])
        for title in dict.fromkeys(block.title for block in headings)
        if not terse or first[title].level <= top + 2
    )


def _title(title: str, *, terse: bool) -> str:
    return spelled_name(one_line(_LINK.sub(r"\1", title) if terse else title)[:LONGEST_TITLE])


def prose_units(text: str, blocks: list[ProseBlock]) -> Iterator[Unit]:
    """What each block is worth: how the first paragraph and the first example of a section begin most."""
    heading: ProseBlock | None = None
    section = ""  # the uppermost heading that is not the title of all
    top = min(block.level for block in blocks if block.kind == "heading")
    several = sum(1 for block in blocks if block.level == top) > 1
    known = set[str]()  # kinds of blocks of the section
    for block in blocks:
        if block.kind == "heading":
            heading, known = block, set()
            if block.level <= top + (not several):
                section = block.title
            yield Unit(block.start, block.end, DETAIL - 150 - block.level, "heading", section)
        else:
            for unit in _block_units(text, block, heading, first=block.kind not in known):
                yield unit._replace(group=section)
            known.add(block.kind)


def _block_units(text: str, block: ProseBlock, heading: ProseBlock | None, *, first: bool) -> Iterator[Unit]:
    """How a block begins, and the rest of it."""
    code = block.kind == "code"
    part = _first_lines_of(text, block) if code else _shown_part(text, block, brief=first)
    needs = () if heading is None else (Span(heading.start, heading.end),)
    score, why = _block_score(text, block, heading.level if heading else 0, first=first)
    yield Unit(part.start, part.end, score, why, needs=needs)
    if part.end < block.end:
        score, why = (CONTEXT - 10, "the rest of a code block") if code else (PLAIN, "the rest of a paragraph")
        yield Unit(part.end, block.end, score, why, needs=(*needs, part))


def _block_score(text: str, block: ProseBlock, level: int, *, first: bool) -> tuple[float, str]:
    if block.kind in {"matter", "comment"}:
        return PLAIN, block.kind
    if first and block.kind == "text":
        return DETAIL - 10 * level, "first paragraph"
    if block.kind == "code":
        return (DETAIL - 10 * level - 5, "first code block") if first else (CONTEXT + 60 - level, "code block")
    if _LOUD.match(text, block.start, block.end):
        return CONTEXT + 50, "warning"
    return (CONTEXT if level <= DEEPEST else RARE) - 2 * level, "paragraph"


def _shown_part(text: str, block: ProseBlock, *, brief: bool) -> Span:
    """A paragraph, or of a long one the sentences at its beginning."""
    if block.end - block.start <= (LONGEST_BRIEF + AS_WELL if brief else LONGEST_PARAGRAPH):
        return Span(block.start, block.end)
    ends = [match.end() for match in _SENTENCE.finditer(text, block.start, block.start + LONGEST_PARAGRAPH)]
    if brief and not _ITEM.match(text, block.start, block.end):
        ends = _first_sentence(text, ends, block.start + LONGEST_BRIEF)
    return Span(block.start, ends[-1] if ends else block.end)


def _first_sentence(text: str, ends: list[int], brief: int) -> list[int]:
    """Of the ends of sentences and lines those up to a place, or the first end of a sentence behind it."""
    whole = [end for end in ends if text[end - 1] != "\n"]
    return [end for end in whole if end <= brief] or whole[:1] or ends


def _first_lines_of(text: str, block: ProseBlock) -> Span:
    """A code block, or of a long one its first lines, which say what it is an example of."""
    end = block.start
    for _ in range(FIRST_OF_CODE):
        end = text.find("\n", end, block.end) + 1 or block.end
    return Span(block.start, end if block.end - end > AS_WELL else block.end)


def blocks_of(text: str, known: Mapping[int, Heading] | None = None) -> Iterator[ProseBlock]:
    """Headings, code blocks and paragraphs, from the first on; blank lines belong to what stands before them.

    `known` are the headings by the numbers of their lines, where they were looked for before.
    """
    lines = source_lines(text, grammar_of(""))
    number = 0
    if lines and lines[0].words == "---":
        stop = next((at for at in range(1, min(len(lines), 60)) if lines[at].words in {"---", "..."}), 0)
        if stop:
            number = _after_blanks(lines, stop + 1)
            yield ProseBlock(0, lines[number - 1].end, "matter")
    while number < len(lines):
        start = number
        heading = _heading(lines, number, known)
        if heading is not None:
            number, level, title = heading
            number = _after_blanks(lines, number)
            yield ProseBlock(lines[start].start, lines[number - 1].end, "heading", level, title)
            continue
        fence = _FENCE.match(lines[number].words)
        if fence is not None:
            number = _after_blanks(lines, _fence_end(lines, number, fence[1]))
            yield ProseBlock(lines[start].start, lines[number - 1].end, "code")
            continue
        while number < len(lines) and lines[number].words:
            number += 1
            if number < len(lines) and (_heading(lines, number, known) or _FENCE.match(lines[number].words)):
                break
        number = _after_blanks(lines, max(number, start + 1))
        unsaid = lines[start].words.startswith("<!--") or _is_pictures(text, lines[start].start, lines[number - 1].end)
        kind = "comment" if unsaid else "text"
        yield ProseBlock(lines[start].start, lines[number - 1].end, kind)


def _is_pictures(text: str, start: int, end: int) -> bool:
    """Whether a paragraph is nothing but pictures, such as badges, and marks of places."""
    if not text.startswith(PICTURES, start):
        return False
    rest = _PICTURE.sub("", text[start:end])
    return not _EMPTY_LINK.sub("", rest).strip()


def _heading(lines: list[Line], number: int, known: Mapping[int, Heading] | None) -> tuple[int, int, str] | None:
    """The line after a heading, its level and its words, if there is one here."""
    if known is not None:
        return _known_heading(lines, number, known)
    line = lines[number]
    if line.indent != 0 and not (0 < line.indent <= 3 and line.words.startswith("#")):  # noqa: PLR2004  # as Markdown has it
        return None
    following = lines[number + 1] if number + 1 < len(lines) else None
    found = _ATX.match(line.words)
    if found and not _is_remark(lines, number):
        return number + 1, len(found[1]), found[2]
    if following is not None and following.indent == 0 and len(following.words) >= min(3, len(line.words)):
        rule = _UNDERLINE.match(following.words)
        alone = number == 0 or not lines[number - 1].words or _UNDERLINE.match(lines[number - 1].words)
        if rule and alone and line.words[:1] not in "|-*>`" and not _UNDERLINE.match(line.words):
            return number + 2, 1 if rule[1] == "=" else 2 if rule[1] == "-" else 3, line.words
    if _MANUAL.match(line.words) and following is not None and following.indent > 0:
        return number + 1, 1, line.words
    return None


def _known_heading(lines: list[Line], number: int, known: Mapping[int, Heading]) -> tuple[int, int, str] | None:
    here = known.get(number)
    if here is None:
        return None
    ruled = number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1].words)
    return number + 1 + bool(ruled), here.level, here.title


def _is_remark(lines: list[Line], number: int) -> bool:
    """Whether a line that begins like a heading is one of several remarks in a file of settings or a script."""
    around = [lines[at].words for at in (number - 1, number + 1) if 0 <= at < len(lines)]
    level = len(lines[number].words) - len(lines[number].words.lstrip("#"))
    return any(words.startswith("#") and len(words) - len(words.lstrip("#")) == level for words in around)


def _fence_end(lines: list[Line], number: int, fence: str) -> int:
    """The line after a code block that begins here."""
    for at in range(number + 1, len(lines)):
        if lines[at].words.startswith(fence) and not lines[at].words.strip(fence[0]):
            return at + 1
    return len(lines)


def _after_blanks(lines: list[Line], number: int) -> int:
    while number < len(lines) and not lines[number].words:
        number += 1
    return number


# ---- pages of HTML ----

LONGEST_TAGGED = 2_000  # characters of a heading, tags included
_TAGGED = compile_pattern(rf"(?is)<h([1-6])\b[^<>]*>(.{{0,{LONGEST_TAGGED}}}?)</h\1\s*>")
_UNSEEN = compile_pattern(
    r"(?is)<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)"
)  # what does not end hides the rest
_TAG = compile_pattern(r"(?s)<[^<>]*>")
_PARTED = compile_pattern(
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
        for found in _TAGGED.finditer(text)
        if is_seen(found.start()) and (title := words_of_tag(found[2]))
    ]
    if len(seen) < FEWEST_PRINTED:
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
    edges = [start, *(at for found in _PARTED.finditer(text, start, end) if start < (at := found.end()) < end), end]
    for first, after in pairwise(edges):
        said = text[first:after]
        if said.strip():
            spoken = is_seen(first) and any(map(str.isalpha, _TAG.sub("", said)))
            yield ProseBlock(first, after, ("code" if _PRE.match(said) else "text") if spoken else "comment")
