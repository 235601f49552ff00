"""How hard a document is shrunk: the gentlest way that fits; and what stands where something was left out.

The order is the specification's: long arrays, long strings, depth, then trailing keys. Each step is
first tried at its hardest; when that fits, it is made as gentle as the room allows.

A mark is data in JSON, a comment in XML. A note, the call that fetches the largest part left out, stands beside its
marker or inside it. A string may lose its middle; no escape, no pair of surrogates and no grapheme is split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol, compile_pattern
from overspill.core.markers import MarkForms
from overspill.core.spans import CLUSTER_REACH, Form, Gap, Span, ceil, floor

if TYPE_CHECKING:
    from overspill.core.markers import Part
    from overspill.core.spans import Options
    from overspill.documents.json_pieces import Source


_DASHES = compile_pattern(r"--(\w+)")

DEEPEST = 40  # values below this are shown whole or not at all
LONGEST_NOUN = 40  # characters of what elements are called
WIDEST_GLUE = 40  # characters between two elements that are said between others
LONG_STRING, SHORT_STRING, SHORTEST_STRING = 200, 64, 24
LEAST_MEMBER = 5  # `"":1,`
WORTHWHILE = 64  # to look for a gentler way, more than this part of the room must be left
NEAR_ENOUGH = 32
# How wide strings and how many levels of an element that is not like the others may be, from the gentlest on. What
# is harder has to show many more of them.
WAYS = ((None, None), (LONG_STRING, None), (LONG_STRING, 2), (SHORT_STRING, None), (LONG_STRING, 1), (SHORT_STRING, 1),
        (SHORTEST_STRING, None))  # fmt: skip
MANY_MORE = 1.3
LEAST_ELEMENTS = 2
FEW_ODD = 3  # where more tell of failures, of the ends no more than one element each is shown beside them
FEW_ENDS = 1
MORE = 4  # times the elements at the ends, where there is room for them
MOST_ODD = 120  # elements between the ends of an array that are shown because they are not like the others


class MarkedGap(NamedTuple):
    """A gap in bytes, and all that stands in its place."""

    gap: Gap
    words: str


def omitted_words(number: int, noun: str) -> str:
    """How much is missing, in the words of the specification's samples.

    >>> omitted_words(49990, "users"), omitted_words(1, "keys")
    ('49,990 users omitted', '1 key omitted')
    """
    return f"{number:,} {noun_for(number, noun)} omitted"


# Words of ours. What a document calls its own elements is left as it is.
OUR_NOUNS = frozenset({"items", "keys", "records", "elements", "chars", "lines"})


def noun_for(number: int, noun: str) -> str:
    """The noun as it is said of so many."""
    return noun[:-1] if number == 1 and noun in OUR_NOUNS else noun


def mark(gap: Gap, note: str = "", *, short: bool = False) -> str:
    """The mark of a gap in a document, with the note if it is the one that carries it.

    In few words it is never longer than in the specification's, so whoever plans with these has room for it.

    >>> mark(Gap(0, 90, Form.ITEM, 4960)), mark(Gap(0, 90, Form.ITEM, 4960), short=True)
    ('"... 4,960 items omitted ..."', '"[... 4960 items]"')
    """
    if gap.quoted:
        return _lines_in_string(mark(gap._replace(quoted=gap.quoted - 1), note, short=short))
    if gap.form is Form.LINE:
        return gap.before + _line_words(gap, note, short=short) + gap.after
    return gap.before + (_short_words(gap, note) if short else _mark_words(gap, note)) + gap.after


def _short_words(gap: Gap, note: str) -> str:
    words, data = f"{gap.number} {noun_for(gap.number, gap.noun)}", json_string(note)
    joined = f"{words}; {data[1:-1]}" if note else words
    match gap.form:
        case Form.COMMENT:
            told = "".join(comment(statement) + gap.between for statement in gap.said)
            return told + comment(f"[... {words}]") + (comment(note) if note else "")
        case Form.ATTRIBUTE:
            return f"[... {words}{attribute(note)}]"
        case Form.ITEM:
            told = "".join(json_string(statement) + gap.between for statement in gap.said)
            return f'{told}"[... {words}]"{gap.between + data if note else ""}'
        case Form.KEY:
            return _mark_words(gap, note)
        case Form.STRING:
            return f"{_string_lines(gap.said)}[... {joined}]"
        case _:
            return _mark_words(gap, note) if gap.said else f'"[... {joined}]"'


def _line_words(gap: Gap, note: str, *, short: bool) -> str:
    """What stands between lines that are no part of a document."""
    return "\n".join((MarkForms(short).gap(gap.number, gap.chars), *([note] if note else ()), *gap.said))


def _mark_words(gap: Gap, note: str) -> str:
    if gap.form is Form.COMMENT:
        told = "".join(comment(words) + gap.between for words in gap.said)
        return told + comment(f"... {omitted_words(gap.number, gap.noun)} ...") + (comment(note) if note else "")
    if gap.form is Form.ATTRIBUTE:
        return f"... [{gap.number} chars omitted{attribute(note)}] ..."
    words = omitted_words(gap.number, gap.noun)
    data = json_string(note)
    joined = f"{words}; {data[1:-1]}" if note else words
    match gap.form:
        case Form.ITEM:
            told = "".join(json_string(statement) + gap.between for statement in gap.said)
            return f'{told}"... {words} ..."{gap.between + data if note else ""}'
        case Form.KEY:
            told = ", ".join([*map(json_string, gap.said), f'"{joined}"'])
            return f'"{gap.key}": {f"[{told}]" if gap.said else told}'
        case Form.STRING:
            # Plain digits, as in the marker of texts.
            number = f"{gap.number} {noun_for(gap.number, gap.noun)}"
            return f"{_string_lines(gap.said)}... [{number} omitted{joined[len(words) :]}] ..."
        case _:
            said = json_string("; ".join([*gap.said, *([note] if note else [])]))
            return said if gap.said else f'"... {joined} ..."'


def _lines_in_string(text: str) -> str:
    """A text as it stands in a string."""
    return "\\n".join(json_string(line)[1:-1] for line in text.split("\n"))


def _string_lines(said: tuple[str, ...]) -> str:
    """Statements as lines of a text in a string."""
    return "".join(f"{_lines_in_string(statement)}\\n" for statement in said)


def json_string(text: str) -> str:
    r"""A JSON string. What nobody would see in it, such as signs without a width, is escaped, as it may have been.

    >>> print(json_string('show "a"\n'), json_string("a\u200b\U000e0041"))
    "show \"a\"\u000a" "a\u200b\udb40\udc41"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    if escaped.isprintable():
        return f'"{escaped}"'
    return '"' + "".join(char if char.isprintable() else _escaped_sign(char) for char in escaped) + '"'


def _escaped_sign(char: str) -> str:
    pairs = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{pairs[at : at + 4]}" for at in range(0, len(pairs), 4))


def attribute(note: str) -> str:
    """A note as it stands in the value of an XML attribute, after other words.

    >>> attribute('show "a"')
    '; show &quot;a&quot;'
    """
    escaped = note.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("'", "&apos;")
    return f"; {escaped}" if note else ""


def comment(text: str) -> str:
    """An XML comment. Two dashes may not stand in one; a shell reads `-'-bytes'` as the same word.

    >>> comment("spill artifacts show art_1_x --bytes 0-9")
    "<!-- spill artifacts show art_1_x -'-bytes' 0-9 -->"
    """
    text = _DASHES.sub(r"-'-\1'", text)
    while "--" in text:
        text = text.replace("--", "- -")
    return f"<!-- {text} -->"


_HIGH, _LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
ESCAPE = compile_pattern(rf"{_HIGH}{_LOW}|\\u.{{4}}|\\[^u]")
_LONGEST_ESCAPE = 12
WINDOW = 1 << 16


def string_gap(source: Source, string: Span, keep: int, head_ratio: float) -> Gap | None:
    """The part to leave out when `keep` characters of a string are to stay, or None when that saves nothing."""
    start, end = string.start + 1, string.end - 1
    head = max(0, round(keep * head_ratio))
    first = _string_head_end(source, start, end, head)
    last = _string_tail_start(source, first, end, max(0, keep - head))
    gap = Gap(first, last, Form.STRING, last - first, "chars")
    if last - first <= 4 * len(mark(gap)) and source.width(first, last) <= len(mark(gap)):
        return None
    return gap


def _string_head_end(source: Source, start: int, end: int, chars: int) -> int:
    """Where the first `chars` characters from `start` on end, or a little before."""
    piece = _whole_characters(source, start, min(end, start + 4 * (chars + CLUSTER_REACH)))
    at = _settled_in_string(piece, min(chars, len(piece)), backward=True)
    return start + len(piece[:at].encode())


def _string_tail_start(source: Source, start: int, end: int, chars: int) -> int:
    """Where the last `chars` characters before `end` begin, or a little after."""
    begin = max(start, end - 4 * (chars + 2 * CLUSTER_REACH))
    # A piece that began with the second half of an escape would be read wrongly.
    piece = _whole_characters(source, begin - _backslashes(source.buffer, start, begin) % 2, end)
    at = _settled_in_string(piece, max(0, len(piece) - chars), backward=False)
    return end - len(piece[at:].encode())


def _whole_characters(source: Source, start: int, end: int) -> str:
    """The characters that lie there whole."""
    return str(source.buffer[start:end], "utf-8", "ignore")


def _backslashes(buffer: memoryview, start: int, end: int) -> int:
    """How many backslashes in a row stand before `end`."""
    at = end
    while at > start:
        window = bytes(buffer[max(start, at - WINDOW) : at])
        run = len(window) - len(window.rstrip(b"\\"))
        at -= run
        if run < len(window):
            break
    return end - at


def _settled_in_string(piece: str, at: int, *, backward: bool) -> int:
    """The nearest place on that side that is inside neither an escape nor a grapheme.

    The last letter of an escape may be the first of a grapheme, so one move may ask for another.
    """
    while True:
        moved = _outside_escape(piece, at, backward=backward)
        moved = floor(piece, moved) if backward else ceil(piece, moved)
        if moved == at:
            return at
        at = moved


def _outside_escape(piece: str, at: int, *, backward: bool) -> int:
    """The nearest place to `at`, on that side, that is not inside an escape."""
    begin = max(0, at - 2 * _LONGEST_ESCAPE)
    # Back to a place that no backslash stands before: from there on, escapes begin where they seem to.
    begin = len(piece[:begin].rstrip("\\"))
    for escape in ESCAPE.finditer(piece, begin, at + _LONGEST_ESCAPE):
        if escape.end() > at:
            return at if escape.start() >= at else escape.start() if backward else escape.end()
    return at


class NoRoom(Exception):
    """A sketch became longer than it may be."""


class ShrinkLevel(NamedTuple):
    """What may be shown of a document. `None` is no limit."""

    elements: int  # of an array
    width: int | None = None  # characters of a string
    depth: int | None = None  # levels, the root is the first
    keys: int | None = None  # of an object


class ArrayEnds(NamedTuple):
    """Of how many elements the ends of an array are shown, at the most, and how many of the odd ones between."""

    first: int
    last: int
    odd: int = 0

    @property
    def most(self) -> int:
        return self.first + self.last

    def shown_counts(self, elements: int, odd: int, *, failed: bool = False) -> tuple[int, int, int]:
        """How many of the first, the last and the `odd` elements are shown when `elements` may be shown in all.

        Beside many that tell of failures, others are of little use.

        >>> ends = ArrayEnds(5, 5, 90)
        >>> ends.shown_counts(10, 40), ends.shown_counts(10, 1), ends.shown_counts(10, 40, failed=True)
        ((2, 2, 6), (5, 4, 1), (1, 1, 8))
        """
        ends = (
            self
            if odd <= FEW_ODD or not failed
            else ArrayEnds(min(self.first, FEW_ENDS), min(self.last, FEW_ENDS), self.odd)
        )
        least = max(min(1, ends.most), 2 * elements // 5)
        odd = max(0, min(odd, ends.odd, elements - min(least, ends.most)))
        return *ends.split(min(elements - odd, ends.most)), odd

    def split(self, elements: int) -> tuple[int, int]:
        """How many of the first and the last to show when `elements` are allowed, in the same proportion.

        >>> ArrayEnds(5, 5).split(3), ArrayEnds(0, 10).split(3)
        ((2, 1), (0, 3))
        """
        if elements >= self.most:
            return self.first, self.last
        first = -(-elements * self.first // self.most)
        return first, elements - first


class CutPlan(NamedTuple):
    """Where gaps are to be, in bytes, and how many characters of the room are not used."""

    gaps: tuple[Gap, ...]
    left: int
    odd: int = 0  # elements that are shown because they are not like the others


class Document(Protocol):
    """A text that was parsed, and can be cut so that it still parses."""

    source: Source
    nameless: bool  # whether it may be shown, in a budget of 64 and more, without a name for what is left out

    def plan(self, room: int) -> CutPlan | None:
        """The gentlest cut that fits into so many characters, with its marks."""

    def least(self, note: str) -> Iterator[list[MarkedGap]]:
        """Ways to show nothing but how much there is, and the note, from the fullest to the leanest."""

    def part_of(self, gap: Gap) -> Part:
        """The part of the text to fetch for a gap."""


class LooseJson:
    """JSON with comments or trailing commas, or what Python prints of such values; and the JSON that it would be."""

    nameless = True

    def __init__(self, source: Source, plain: Document) -> None:
        self.source = source
        self._plain = plain

    def plan(self, room: int) -> CutPlan | None:
        """The cut of the strict text, which is never shorter."""
        return self._plain.plan(room)

    def least(self, note: str) -> Iterator[list[MarkedGap]]:
        return self._plain.least(note)

    def part_of(self, gap: Gap) -> Part:
        return self._plain.part_of(gap)


Sketch = Callable[[ShrinkLevel], CutPlan | None]


def ends_for(options: Options, side: str) -> ArrayEnds:
    """Which end of an array is shown: both, or the one a strategy of that name asks for.

    >>> from overspill.core.spans import Options
    >>> ends_for(Options(), "tail")
    ArrayEnds(first=0, last=10, odd=0)
    """
    first, last = max(0, options.first_elements), max(0, options.last_elements)
    match side:
        case "head":
            return ArrayEnds(first + last, 0)
        case "tail":
            return ArrayEnds(0, first + last)
        case "smart":
            return ArrayEnds(MORE * first, MORE * last, MOST_ODD)
        case _:
            return ArrayEnds(first, last)


def gentlest_plan(sketch: Sketch, ends: ArrayEnds, max_depth: int, room: int) -> CutPlan | None:
    """The plan of the first step that fits, made as gentle as it can be."""
    if ends.odd:
        plan = broadest_plan(sketch, ends, room)
        if plan is not None:
            return plan
    elements = ends.most // MORE if ends.odd else ends.most
    for hardest, loosened in shrink_steps(elements, max_depth, room, deep=bool(ends.odd)):
        plan = sketch(hardest)
        if plan is None:
            continue
        level = hardest
        for name, most in loosened:
            level, plan = _loosened_plan(sketch, level, plan, name, most, room // WORTHWHILE)
        if elements < ends.most and level.elements == elements and level.keys is None:
            plan = _loosened_plan(sketch, level, plan, "elements", ends.most, room // WORTHWHILE)[1]
        return plan
    return None


def broadest_plan(sketch: Sketch, ends: ArrayEnds, room: int) -> CutPlan | None:
    """A plan that shows elements which are not like the others: many of them in few words before few at length.

    None where there are none, or no room for any.
    """
    every = ends.most + ends.odd
    spare = room // WORTHWHILE
    best: tuple[ShrinkLevel, CutPlan] | None = None
    # With some more than the least: the first of the odd ones may be the first of all, and shown as such.
    hardest = sketch(ShrinkLevel(4 * LEAST_ELEMENTS, SHORTEST_STRING, 1))
    if hardest is not None and not hardest.odd:
        return None
    for width, depth in WAYS:
        level = ShrinkLevel(every if depth is None and width is None else LEAST_ELEMENTS, width, depth)
        plan = sketch(level)
        if plan is None:
            continue
        if level.elements == every:
            return plan if plan.odd else None
        level, plan = _loosened_plan(sketch, level, plan, "elements", every, spare)
        if plan.odd and (best is None or plan.odd > best[1].odd * MANY_MORE):
            best = level, plan
    if best is None:
        return None
    return _loosened_plan(sketch, *best, "width", room, spare)[1]


def shrink_steps(
    elements: int, max_depth: int, room: int, *, deep: bool = False
) -> Iterator[tuple[ShrinkLevel, tuple[tuple[str, int], ...]]]:
    """Each step at its hardest, and what may then be loosened, up to which value.

    Nothing below `max_depth` is shown, unless `deep` lets it be shown where there is room.
    """
    few = min(1, elements)
    long = max(SHORTEST_STRING, min(LONG_STRING, room // 4))
    short = max(SHORTEST_STRING, min(SHORT_STRING, room // 8))
    depth = max(1, max_depth)
    fewer, wider, more = ("elements", elements), ("width", room), ("keys", room // LEAST_MEMBER)
    first = None if deep else depth
    yield ShrinkLevel(elements, None, first), ()
    yield ShrinkLevel(elements, long, first), (wider,)
    yield ShrinkLevel(few, long, first), (fewer, wider)
    yield ShrinkLevel(elements, short, depth), (wider,)
    yield ShrinkLevel(few, short, depth), (fewer, wider)
    yield ShrinkLevel(elements, short, depth, 1), (more, wider)
    for shallower in range(depth, 0, -1) if depth <= 3 else (depth, 3, 2, 1):  # noqa: PLR2004  # the default
        yield ShrinkLevel(few, SHORTEST_STRING, shallower, 1), (more, fewer, wider)


def _loosened_plan(
    sketch: Sketch, level: ShrinkLevel, plan: CutPlan, name: str, most: int, spare: int
) -> tuple[ShrinkLevel, CutPlan]:
    """The largest value that still fits, or nearly: found by doubling and halving, while more than `spare` is left."""
    low, high = getattr(level, name), most
    doubling = True
    while plan.left > spare and high - low > low // NEAR_ENOUGH:
        middle = min(2 * low, high) if doubling else (low + high + 1) // 2
        wider = level._replace(**{name: middle})
        found = sketch(wider)
        if found is None:
            high, doubling = middle - 1, False
        else:
            low, level, plan = middle, wider, found
    return level, plan
