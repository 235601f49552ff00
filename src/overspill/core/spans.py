r"""What a strategy says: which parts of a text to keep, and how each part left out is written.

A strategy never builds text. It returns a `Cut`, and one renderer makes the view of it, so there is
one marker format, one place that counts and one set of promises for every strategy.

A text is never cut inside a CRLF or a grapheme cluster: what a reader sees as one character may be many
code points, a letter with its accents, a flag, a family joined by ZWJ. A cluster longer than 64 code
points is not one any reader sees, and may be split.

>>> floor("ab\r\ncd", 3), ceil("ab\r\ncd", 3)
(2, 4)

A text is held as a whole, or as parts of one that is too large, with holes between. Positions are in what is held; what
they are in the whole text is asked here.

>>> held = PartialText("a\nz\n", (Hole(at=2, chars=48, lines=24, bytes=48),))
>>> held.place(3), held.size(0, 4).chars
(Position(chars=51, lines=25, bytes=51), 52)
"""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator
from bisect import bisect_left, bisect_right
from itertools import accumulate

from overspill._lite import Enum, NamedTuple
from overspill.core import Size, count_bytes, count_lines, tokens_of
from overspill.core.markers import MarkForms, Part


class Span(NamedTuple):
    """Characters `start` up to, not including, `end`."""

    start: int
    end: int

    @property
    def chars(self) -> int:
        """How many characters it spans."""
        return self.end - self.start

    def of(self, text: str) -> str:
        """What lies there."""
        return text[self.start : self.end]


class Form(Enum):
    """How a gap is written where it stands."""

    LINE = "line"  # a marker on a line of its own
    INLINE = "inline"  # the same marker in the middle of a line that stays one line
    ITEM = "item"  # a JSON string in an array, or a line of NDJSON
    KEY = "key"  # a JSON member: "...": "3 keys omitted"
    VALUE = "value"  # a JSON string in the place of a value that lies too deep
    STRING = "string"  # inside a JSON string
    COMMENT = "comment"  # an XML comment
    ATTRIBUTE = "attribute"  # inside the value of an XML attribute
    DIFF = "diff"  # a marker line in a diff, which tools that apply it skip
    FOLD = "fold"  # the line above, said once more and counted


class Gap(NamedTuple):
    """Characters that are left out, and what stands in their place.

    `before` and `after` are glue the place needs to stay well-formed, such as `, `; `between` stands
    before the call, where a form has it beside its marker. They are ours, and charged to the budget
    like every other mark.
    """

    start: int
    end: int
    form: Form = Form.LINE
    number: int = 0  # of elements, where the form counts them
    noun: str = "items"
    before: str = ""
    after: str = ""
    between: str = ", "
    above: int = -1  # where its mark stands, if it may not stand in its own place
    said: tuple[str, ...] = ()  # statements that stand with its mark
    key: str = "..."  # of its mark, where that is a member
    quoted: int = 0  # how many strings it stands in, one in another, as the document that it is a gap of

    @property
    def chars(self) -> int:
        """How many characters are left out."""
        return self.end - self.start


class Hole(NamedTuple):
    """What is not held of a text that is too large to be held: it lies at `at`, and is certainly left out."""

    at: int
    chars: int
    lines: int
    bytes: int


class Why(NamedTuple):
    """Why a part of a text is shown."""

    start: int
    end: int
    why: str


class Cut(NamedTuple):
    """Which parts of a text to show.

    `kept` is in order and does not overlap. `gaps` says how the parts between are written: where it
    is silent, a gap is a marker line. `notes` are lines of our own, shown beside the largest gap,
    and `overview` those that speak of all of the text and lead the view.
    """

    kept: tuple[Span, ...]
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
    elements: int | None = None  # how many elements were left out, where the strategy counts them
    counted: bool = False  # cut by a count of lines or elements: the marks may stand on top of the budget
    whys: tuple[Why, ...] = ()  # best first, where the strategy has reasons
    verbatim: bool = False  # what is kept may not be altered, not even where it looks like a mark of ours
    overview: tuple[str, ...] = ()


# How far from its ends a text is looked at. What a view shows of a stream can then be the same as what it
# shows of a text in memory, and both ends are all that has to be held of it.
LEAST_REACH = 1_048_576
REACHES = 8


def reach_of(limit: int) -> int:
    """How deep a view of `limit` characters looks into a text, from either end."""
    return max(LEAST_REACH, REACHES * limit)


class Room(NamedTuple):
    """What a strategy may use.

    The renderer has already set aside its header, its hint and one marker, the widest of the cut: `chars` is left
    for the text itself and for the marks of all other gaps, at most `gap` characters each. A cut by
    count may keep `counted` characters, with the marks on top.
    """

    chars: int
    counted: int
    gap: int
    hint: int = 0
    limit: int = 0
    holes: tuple[Hole, ...] = ()  # what is not held of the text: no span may reach or touch these places
    keep: int = 0  # characters that would be held of either end, were this text a stream
    survey: object = None  # what all of a stream adds up to, where the strategy had one made
    marks: MarkForms = MarkForms()  # how gaps are marked, and what that costs

    @property
    def reach(self) -> int:
        """How deep a strategy may look into the text, from either end."""
        return reach_of(self.limit)


class Options(NamedTuple):
    """The settings a strategy may look at, in the specification's words."""

    head_ratio: float = 0.6
    head_lines: int = 300
    tail_lines: int = 200
    max_line_length: int = 500
    first_elements: int = 5
    last_elements: int = 5
    max_depth: int = 3
    preserve_json: bool = True
    content_type: str = ""
    focus: str = ""
    kind: str = ""  # what the text is, where somebody said so
    name: str = ""  # of the file or the source it came from
    preserve_functions: bool = True
    prioritize_errors: bool = True
    fill: str = "new"  # a view ends where nothing new is left, or uses all of its room: `always`


Strategy = Callable[[str, Room, Options], Cut]


def whole_cut(text: str) -> Cut:
    """Keep everything."""
    return Cut((Span(0, len(text)),) if text else ())


def omitted_spans(kept: Iterable[Span], length: int) -> Iterator[Span]:
    """The parts that `kept` leaves out of a text of `length` characters.

    >>> list(omitted_spans([Span(2, 4)], 9))
    [Span(start=0, end=2), Span(start=4, end=9)]
    """
    at = 0
    for start, end in kept:
        if start > at:
            yield Span(at, start)
        at = end
    if at < length:
        yield Span(at, length)


def joined_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """All parts in order, with neighbours that touch made one and empty ones dropped.

    >>> joined_spans([Span(4, 6), Span(0, 4), Span(9, 9)])
    (Span(start=0, end=6),)
    """
    result: list[Span] = []
    for span in sorted(spans):
        if span.end <= span.start:
            continue
        if result and span.start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return tuple(result)


CLUSTER_REACH = 64
FARTHEST = 4096

FIRST_FLAG, LAST_FLAG = "\U0001f1e6", "\U0001f1ff"


def floor(text: str, at: int) -> int:
    """The last place up to `at` where the text may be cut."""
    start, _ = cluster(text, at)
    return start if at - start <= CLUSTER_REACH else at


def ceil(text: str, at: int) -> int:
    """The first place from `at` on where the text may be cut."""
    _, end = cluster(text, at)
    return end if end - at <= CLUSTER_REACH else at


def cluster(text: str, at: int) -> tuple[int, int]:
    """The cluster that a cut at `at` would split; `(at, at)` when it does not split one."""
    if at <= 0 or at >= len(text):
        return at, at
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return (at - 1, at + 1) if before == "\r" and after == "\n" else (at, at)
    return _wide_cluster(text, at)


def _wide_cluster(text: str, at: int) -> tuple[int, int]:
    import regex  # as costly to import as a second interpreter start, and mostly not needed

    start = _known_start(text, at)
    # A slice, because the pattern looks back as far as it can, at each match.
    for match in regex.finditer(r"\X", text[start : at + CLUSTER_REACH + 2]):
        first, last = start + match.start(), start + match.end()
        if last == at:
            return at, at
        if last > at:
            return first, last
    return at, at


def _known_start(text: str, at: int) -> int:
    """A place before `at` where a cluster certainly begins: the rules look back, but not past these."""
    import unicodedata

    start = max(0, at - CLUSTER_REACH)
    stop = max(0, at - FARTHEST)
    while start > stop and unicodedata.category(text[start])[0] in "MC":
        start -= 1
    if not FIRST_FLAG <= text[start] <= LAST_FLAG:
        return start
    # Two letters make a flag, so it is the distance from the first letter of the run that counts.
    import regex

    before = regex.search(f"(?r)[^{FIRST_FLAG}-{LAST_FLAG}]", text, endpos=start)
    return start - (start - (before.end() if before else 0)) % 2


class Position(NamedTuple):
    """How much of the whole text lies before a position."""

    chars: int
    lines: int
    bytes: int


class PartialText(NamedTuple):
    """What is held of a text."""

    text: str
    holes: tuple[Hole, ...] = ()

    def place(self, at: int) -> Position:
        """Where a position in what is held lies in the whole text."""
        before = self.size(0, at)
        here = [hole for hole in self.holes if hole.at == at]
        return Position(
            before.chars + sum(hole.chars for hole in here),
            before.lines + sum(hole.lines for hole in here),
            before.bytes + sum(hole.bytes for hole in here),
        )

    def chars(self, start: int, end: int) -> int:
        """Characters of a part of the whole text, given by positions in what is held; quicker than all of its size."""
        first, after = (bisect_left(self.holes, place, key=_at) for place in (start, end)) if self.holes else (0, 0)
        return end - start + sum(hole.chars for hole in self.holes[first:after])

    def size(self, start: int, end: int) -> Size:
        """The size of a part of the whole text, given by positions in what is held."""
        text = self.text
        chars, lines, count, at = end - start, 0, count_bytes(text, start, end), start
        first, after = (bisect_left(self.holes, place, key=_at) for place in (start, end)) if self.holes else (0, 0)
        for hole in self.holes[first:after]:
            # Counted apart: a CR before the hole and a LF after it are not one line end.
            lines += count_lines(text, at, hole.at) + hole.lines
            chars, count, at = chars + hole.chars, count + hole.bytes, hole.at
        return Size(chars, lines + count_lines(text, at, end), count, tokens_of(chars))

    def original_spans(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Kept spans by their positions in the whole text."""
        if not self.holes:
            return tuple(spans)
        moved = self._moved()
        return tuple(Span(moved(start), moved(end)) for start, end in spans)

    def _moved(self) -> Callable[[int], int]:
        """Says where a position in what is held lies in the whole text, in characters."""
        places = [hole.at for hole in self.holes]
        missing = [0, *accumulate(hole.chars for hole in self.holes)]
        return lambda at: at + missing[bisect_right(places, at)]

    def reasons(self, whys: Iterable[Why]) -> tuple[Why, ...]:
        """Reasons by the positions of what they speak of in the whole text."""
        moved = self._moved()
        return tuple(Why(moved(start), moved(end), why) for start, end, why in whys)

    def kept_size(self, spans: Iterable[Span]) -> Size:
        """The size of the kept spans together."""
        sizes = [self.size(*span) for span in spans]
        chars = sum(size.chars for size in sizes)
        return Size(chars, sum(size.lines for size in sizes), sum(size.bytes for size in sizes), tokens_of(chars))

    def part_of(self, start: int, end: int) -> Part:
        r"""Where a gap is, so that it can be asked for: lines if it is whole lines, else bytes.

        >>> PartialText("a\nb\nc\n").part_of(2, 4), PartialText("aé\nb").part_of(2, 4)
        (Part(unit='lines', start=2, end=2, query=''), Part(unit='bytes', start=3, end=5, query=''))
        """
        text = self.text
        begins = start == 0 or text[start - 1] in "\r\n"
        closed = text[end - 1] in "\r\n"
        place, size = self.place(start), self.size(start, end)
        if begins and (closed or end == len(text)):
            return Part("lines", place.lines + 1, place.lines + size.lines + (0 if closed else 1))
        return Part("bytes", place.bytes, place.bytes + size.bytes)


def _at(hole: Hole) -> int:
    return hole.at
