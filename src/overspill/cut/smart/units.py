r"""What a scorer says: the parts a text is made of, how much each matters, and why.

A scorer looks at a text of one kind and returns its `Findings`: units with scores, and notes. It never counts
room, writes marks or decides; `choice.select_units` does that, the same way for every kind.

To add one, write one file with a function `(text, options) -> Findings` and add one row to `SCORERS`:

    SCORERS = {..., "diff": "overspill.cut.smart.diffs:found_in"}

What to know:

- Units are whole lines with their line ends, unless a line is long. They may overlap: the name of a failed test is
  a cheap unit of its own and lies inside the unit that is the whole failure.
- A score is a level, not a fine measure: use the names below, or numbers between them. At one level units take turns
  by `group` (a file, a directory, a message): the first of each group, then the second of each, in file order.
- `needs` are parts without which the unit says nothing, such as the header of a hunk's file: kept and paid with it.
- A note is a line of ours, `[label: a, b, +5 more]`. A `Name` with a place is left out where that place is shown.
- Lines wider than `max_line_length` are shortened, lines that repeat are folded, the ends are added and what room is
  left is filled by `select_units`; `exact=True` forbids all of that: then nothing but whole units is shown.
- Work is linear in the text: find candidates by native searches, look closely at those alone.

For scorers there are also whole lines at either side of a part of a text, and the middles of lines that are too wide.

>>> leading_lines("one\ntwo\nthree\n", 9), last_lines("one\ntwo\nthree\n", 9)
(Span(start=0, end=8), Span(start=8, end=14))

What belongs to a line: the lines below it that go on with what it says.

>>> text = "error: bad\n  --> a.rs:1:2\n   |\n1 | x\ndone\n"
>>> text[: block_end(text, 0, 10)]
'error: bad\n  --> a.rs:1:2\n   |\n1 | x\n'
"""

from __future__ import annotations

from _collections_abc import Callable, Iterator, Mapping
from bisect import bisect_left
from itertools import groupby, takewhile

from overspill._lite import TYPE_CHECKING, NamedTuple, cached_property, compile_pattern, in_json, load_module
from overspill.core.spans import Form, Options, Span, ceil, floor
from overspill.cut.digest import SignTable
from overspill.cut.smart.shapes import has_passed, may_have_passed, small_letters, stamp_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from overspill.cut.digest import Digest

# Levels, best first. What was asked for (`focus`) comes before all of them.
FOCUS = 1000.0
NAME = 900.0  # of a failed test, of a changed file: all of them before details of any
SUMMARY = 880.0  # how it ended: totals, exit status
FATAL = 860.0  # what stopped the work
ERROR = 800.0  # an error's own line
DETAIL = 700.0  # what belongs to an error: assertion, location, the traceback
REPEAT = 600.0  # an error that says what another one said, but for numbers
EDGE = 500.0  # the first and the last lines
WARNING = 400.0
CONTEXT = 300.0  # neighbours of what matters
TOLD = 250.0  # trouble of which the overview tells
RARE = 200.0  # what is said only once
NOVEL = "said by few lines"  # why a line of level `RARE` matters that nothing else speaks for
RANKED = "top of a ranking"
HUNK = "hunk"  # why a part of a diff is shown
ODD = "an odd row"
OF_EACH_FAILURE = ("what a failed test says", "where a failed test fails", "where")
PLAIN = 100.0  # all the rest: a sample of it, where there is room


class Unit(NamedTuple):
    """A part of a text that is shown as a whole or not at all."""

    start: int
    end: int
    score: float
    why: str
    group: str = ""
    needs: tuple[Span, ...] = ()
    odd: bool = False  # what stands for it in an overview does not tell what is odd in it


# What is new in a part is worth more where it tells of trouble, and less where it only stands beside it or was told.
FACTORS = ((DETAIL + 20, 3.5), (EDGE, 3.0), (WARNING, 2.5), (CONTEXT, 0.7), (TOLD, 0.3), (RARE, 1.2), (0, 0.4))


def factor_of(unit: Unit) -> float:
    """What a new word of a part is worth."""
    return next(factor for least, factor in FACTORS if unit.score >= least)


class Name(NamedTuple):
    """One entry of a note. With a place, it is left out where all of that place is shown.

    Entries in a row that say the same `head` are one: `src/a.py:12 +x; :40 +y`.
    """

    text: str
    start: int = -1
    end: int = -1
    head: str = ""


def spelled_names(names: Iterable[Name]) -> list[str]:
    """The entries of a note as it spells them.

    >>> spelled_names([Name("all"), Name(":1 +x", head="a.py"), Name(":9 -y", head="a.py"), Name(":2 +z", head="b.py")])
    ['all', 'a.py:1 +x; :9 -y', 'b.py:2 +z']
    """
    spelled: list[str] = []
    for head, own in groupby(names, key=lambda name: name.head):
        said = [name.text for name in own]
        spelled += [spelled_name(f"{head}{'; '.join(said)}")] if head else said
    return spelled


def spelled_name(name: str) -> str:
    """A name as a list of names spells it: one that could be taken for two is a JSON string.

    >>> print(spelled_name("main"), spelled_name("Friday, later"))
    main "Friday, later"
    """
    return in_json(name) if ", " in name or name.startswith('"') else name


def name_once(name: str) -> str:
    """The name of a test without what it says twice.

    >>> name_once("test_a (tests.test_x.X.test_a)"), name_once("test_a (tests.test_x.X)")
    ('tests.test_x.X.test_a', 'test_a (tests.test_x.X)')
    """
    first, _, rest = name.partition(" (")
    whole = rest.removesuffix(")")
    return whole if whole != rest and " " not in whole and whole.endswith(f".{first}") else name


class Note(NamedTuple):
    """A line of our own: `[label: a, b, +5 more]`, at most `width` characters and that share of the room.

    A wider one is broken into lines. Where not all names fit, the `terse` ones are tried, if there are any. Where all
    fit in that larger share of it, `whole`, all are told.
    """

    label: str
    names: tuple[Name, ...]
    width: int = 120
    share: float = 0.5
    terse: tuple[Name, ...] = ()
    whole: float = 0.0


class Findings(NamedTuple):
    """What a scorer found in a text."""

    units: list[Unit]
    notes: tuple[Note, ...] = ()
    exact: bool = False  # nothing but whole units may be shown
    dull: tuple[Span, ...] = ()  # parts that are not worth showing inside what is shown, such as embedded images
    edges: bool = True  # the first and the last lines matter
    fill: bool = True  # what room is left may show the lines after the first and before the last ones
    crowd: Digest | None = None  # stands for the units of level `NAME` where they would take much of the room
    form: Form = Form.LINE  # how the gaps between them are written
    above: Mapping[int, int] = {}  # noqa: RUF012  # where the marks of gaps stand that begin at the key and may not stand there
    verbatim: bool = False  # what is shown may not be altered
    surveyed: bool = False  # what all of the text adds up to is worth saying
    noisy: bool = False  # tests failed: what the others say is noise
    sections: tuple[Span, ...] = ()  # what is said of each failed test
    covered: bool = False  # what is said of the whole text tells most of its lines
    digests: tuple[Digest, ...] = ()  # what is said of the whole text, before any of it is shown


Scorer = Callable[[str, Options], Findings]

GENERAL = "overspill.cut.smart.general:found_in"

# By kind as `kinds.sniff` names it. Kinds without a row are scored as a log is: by what its lines say.
SCORERS: dict[str, str] = {
    "code": "overspill.cut.smart.code:found_in",
    "diff": "overspill.cut.smart.diffs:found_in",
    "prose": "overspill.cut.smart.prose:found_in",
    "matches": "overspill.cut.smart.matches:found_in",
    "history": "overspill.cut.smart.prose:found_in_history",
    "one_line": "overspill.cut.smart.code:found_in_one_line",
    "base64": "overspill.cut.smart.code:found_in_one_line",
}


def scorer_of(kind: str) -> Scorer:
    """The scorer for texts of this kind, imported when it is asked for."""
    module, function = SCORERS.get(kind, GENERAL).split(":")
    scorer: Scorer = getattr(load_module(module), function)
    return scorer


HEAD_SHARE = 0.6
LEAST_SAVED = 64  # a line is shortened where that saves more than a mark costs
PIECE_FROM = 40  # a piece of a line is shown where at least this much of it fits,
LONG = 1_000  # and the line is so long that it can't be shown whole


def unit_width_limit(text: str, room: int, options: Options) -> int:
    """How wide a line may be: `max_line_length`, or its fair share of the room where lines are few."""
    return max(options.max_line_length, room // (text.count("\n", 0, len(text) - 1) + 1))


def leading_lines(text: str, chars: int, within: Span | None = None) -> Span:
    """The first lines of a part that fit, or a piece of the first where it alone is longer."""
    start, end = within or (0, len(text))
    if end - start <= chars:
        return Span(start, end)
    stop = text.rfind("\n", start, start + max(0, chars)) + 1
    if stop <= start:
        long = text.find("\n", start, min(end, start + LONG)) < 0
        stop = floor(text, start + chars) if long and chars >= PIECE_FROM else start
    return Span(start, stop)


def last_lines(text: str, chars: int, within: Span | None = None) -> Span:
    """The last lines of a part that fit, or a piece of the last where it alone is longer."""
    start, end = within or (0, len(text))
    if end - start <= chars:
        return Span(start, end)
    low = end - max(0, chars)
    begin = text.find("\n", max(start, low - 1), end - 1) + 1
    if begin <= 0:
        long = text.rfind("\n", max(start, end - LONG), end - 1) < 0
        begin = ceil(text, low) if long and chars >= PIECE_FROM else end
    return Span(min(begin, end), end)


def first_lines(text: str, most: int) -> list[Span]:
    """The first lines, each with its end."""
    spans: list[Span] = []
    at, length = 0, len(text)
    while at < length and len(spans) < most:
        end = text.find("\n", at) + 1 or length
        spans.append(Span(at, end))
        at = end
    return spans


def clamps_in(text: str, span: Span, wide: int) -> Iterator[tuple[int, int]]:
    """The middles of the lines that are too wide, first to last."""
    start, end = span
    while end - start > wide:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if stop - start > wide + LEAST_SAVED:
            head = floor(text, start + int(wide * HEAD_SHARE))
            tail = ceil(text, stop - (wide - int(wide * HEAD_SHARE)))
            if head < tail:
                yield head, tail
        start = stop + 1


_without_ids = SignTable("0123456789abcdefABCDEF")
GLANCE = 1 << 13  # characters by which it is seen whether many lines are equal but for these signs


class TextVocabulary:
    r"""Tells whether words are in a text; that most of dozens are not, it often tells at once.

    In a log hardly anything but numbers and ids varies. Without the signs that these are made of most lines are equal,
    and what is left of a word is looked for in the few that differ before the word is looked for in all of the text.

    >>> said = TextVocabulary("12:01 job 1a is up\n" * 99 + "12:02 Job 2c failed\n")
    >>> said.has("fail"), said.has("Fail"), said.has_small("job 2c f"), said.has("error")
    (True, False, True, False)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        some = _without_ids(text[:GLANCE]).split("\n")
        even = 2 * len({*some}) <= len(some)
        self._rest = "\n".join(["", *dict.fromkeys(_without_ids(text).split("\n")), ""]) if even else None
        self._small_rest = self._rest and self._rest.lower()

    @cached_property
    def _small(self) -> str:
        return self._text.lower()

    def has(self, word: str) -> bool:
        return (self._rest is None or _without_ids(word) in self._rest) and word in self._text

    def has_small(self, word: str) -> bool:
        """Whether the text has a word that is written in small letters, in whatever letters."""
        return (self._small_rest is None or _without_ids(word) in self._small_rest) and word in self._small


MOST_LINES = 60
_GOES_ON = compile_pattern(
    r"\s*(?:at \S|\.\.\. \d+ more|Caused by: |[\^~]+|\||\d+ +\||-->|::: |= (?:note|help)|E  |>  +\S|File \""
    r"|\u2502|\u2575"
    r"|(?:note|help|symbol|location|required|found|left|right|got|Expected|Received|Actual|Value of|Which is)\s*: "
    r"|During handling of the above|The above exception was|Suppressed: |goroutine \d+"
    r"|\[signal |in function |from \S+:\d)"
)


def lines_from(text: str, at: int) -> Iterator[Span]:
    """The lines from a line's start on, without their ends."""
    length = len(text)
    while at < length:
        end = text.find("\n", at)
        end = length if end < 0 else end
        yield Span(at, end)
        at = end + 1


def line_before(text: str, start: int) -> int:
    """Where the line before the one at `start` begins."""
    return text.rfind("\n", 0, start - 1) + 1 if start > 0 else 0


def past_line_end(text: str, end: int) -> int:
    """The end of a line with its line end."""
    return min(end + 1, len(text))


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def block_end(text: str, start: int, end: int, most: int = MOST_LINES) -> int:
    """Where the lines end that belong to the line `start`-`end`, its own line end included."""
    head = text[start : min(end, start + 200)]
    stamp = stamp_width(head)
    margin = indent(head)
    stop = past_line_end(text, end)
    blank = False
    for number, (at, until) in enumerate(lines_from(text, stop)):
        if number >= most:
            break
        line = text[at : min(until, at + 200)]
        if not line.strip():
            if blank:
                break
            blank = True
            continue
        deeper = indent(line) > margin
        if not (deeper or (not blank and (_GOES_ON.match(line) or (stamp and not stamp_width(line))))):
            break
        stop, blank = past_line_end(text, until), False
    return stop


def traceback_end(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a Python traceback's last line begins and ends: the exception, which stands as far left as its head.

    Tools put their own prefix before each line (`web-1  | `): what stands before the head is looked for again.
    """
    head = text[start:end]
    prefix = head[: head.find("Traceback")]
    prefix = prefix if not stamp_width(prefix) else ""
    last = (start, end)
    for number, (at, until) in enumerate(lines_from(text, past_line_end(text, end))):
        if number >= 4 * MOST_LINES or not text.startswith(prefix, at):
            break
        inside = text[at + len(prefix) : at + len(prefix) + 1]
        last = (at, until)
        if inside and inside not in " \t|+":
            break
    return last


def before_passed(text: str, start: int, end: int) -> int:
    """The end of what belongs to an error; a test that passed does not."""
    if not may_have_passed(text[start:end]):
        return end
    lines = takewhile(lambda line: line[1] <= end, lines_from(text, start))
    return next((at for at, until in lines if has_passed(text[at:until])), end)


# ---- what the reader asked for --------------------------------------------------------------------------------------

MOST_PLACES = 2_000  # at which what the reader looks for is shown
FOCUS_WINDOW = 160  # characters around it, in a long line
SHORTEST = 3  # letters of a word worth looking for
NEAR = 20.0  # below the line itself: its neighbours


def with_focus(text: str, found: Findings, options: Options) -> Findings:
    """What was found, with what was asked for first: as it is written, without regard to capitals.

    Where that is nowhere, its words one by one.
    """
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
    while at >= 0 and len(places) < MOST_PLACES:
        places.append(at)
        end = small.find("\n", at)
        at = small.find(wanted, max(end, at + FOCUS_WINDOW)) if end >= 0 else small.find(wanted, at + FOCUS_WINDOW)
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
            start, end = max(start, floor(text, place - FOCUS_WINDOW)), min(end, ceil(text, place + 2 * FOCUS_WINDOW))
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
