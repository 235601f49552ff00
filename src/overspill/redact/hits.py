"""What a hit is, how far a reader looks around it, and what must be known of the table before the first one.

A clean text has no hits, and then the table is not even loaded. The protocols say what the parts of redaction
ask of each other, and are there for the type checker.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterable

from overspill._lite import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from re import Match

# A reader looks at most this far ahead of a hit and behind it.
MAX_LOOKAHEAD = 65_536
MAX_LOOKBEHIND = 320

# A hit is one number: its place, shifted, and below it the rule's.
RULE_BITS = 10
RULE_MASK = (1 << RULE_BITS) - 1

# How the place of a value is filled: plainly, as part of an address, or in quotes it did not have,
# each with as many backslashes before it as the form is greater than `QUOTE`. A clear value is a plain one that was
# told at a glance: no budget needs to count it. A value over several lines leaves their ends.
LINES, CLEAR, PLAIN, URL, QUOTE = -2, -1, 0, 1, 2

# Codes begin with these: a text without them, all ASCII, means what it says.
CODE_MARKS = "\x1b\\&%<"

# Rows of a terminal: up to `EARLY` all are looked at, further on those with a hit.
EARLY = 4_096
MIN_ROW, MAX_ROW = 40, 300  # columns; the row before one is still held by a stream
MIN_EARLY_ROW = 60  # without a hit: lines of a log are shorter, and nothing is loaded for them
USUAL_WIDTHS = frozenset({64, 72, 76, 78, 79, 96, 128, 132, *range(40, 250, 10)})
GOING_ON = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.~%-")
_LEAST_RANDOM = 6

# The type of what was hidden without being read.
UNEXAMINED = "UNEXAMINED"

# The table in short. A test says what to write here when the table changes.
RULE_COUNT = 352
BLOCK_RULES = frozenset({0, 1, 2, 3})
SCALAR, MANIFEST = 297, 298
ASSIGNMENT = 351
DIGEST = 0x8F0179A8CF1F40DF

Hit = int
"""Where, in bytes from the start of what was scanned, shifted by `RULE_BITS`, and the number of the rule: one number
sorts and compares faster than two.
"""
Scan = Callable[[bytes], list[Hit]]

FoundValue = tuple[int, int, str, int]
"""A value: start, end, type (empty if it was looked at and is no secret), and how its place is filled."""

Reader = Callable[[str, int, int], Iterable[FoundValue]]
"""From a text, a hit and an end to what must be hidden."""

Probe = Callable[[str, int, int], object]
"""From a text, a hit and an end to None where a reader would surely find nothing; it costs no call of ours."""

SecretMatch = tuple[int, int, int, str, int]
"""A find: start, end, number of the rule, type, form."""

# What all reading may cost: in any text, and one more for so many characters. One is about a microsecond: a clear value
# costs it, other readings about as much as `READING_COST` of them. Reading beneath codes and across rows is paid from
# the same purse. It must be far above what any honest text costs: what is not read is hidden.
COST_ANYWAY = 57_344
COST_EACH, COST_EACH_LATER = 7, 2
LATER = 262_144  # from so many characters on the first of them are few
READING_COST = 12
JUDGING_COST = 9  # of a value that is no secret
NOTHING_COST = 5  # of a reading without a value
PROBE_COST = 2  # of a hit that comes to nothing at a glance, and of finding it
JUDGED = 512  # characters of a value that are looked at to judge it
JUDGED_PER_COST = 8  # characters of a value that is judged, for the cost of one
# From so many hits in a stretch on it pays to read them in one go.
CROWD = 256
CHARS_PER_COST = 8  # characters looked at below a hit, for the cost of one


def work_allowed(place: int) -> int:
    """What all reading may have cost where so many characters came before."""
    early = min(place, LATER)
    return COST_ANYWAY + early // COST_EACH + (place - early) // COST_EACH_LATER


def value_cost(length: int, kind: str, form: int) -> int:
    """What it costs to read a value of so many characters, and to judge it."""
    if form == CLEAR:
        return 1
    return (READING_COST if kind else JUDGING_COST) + min(length, JUDGED) // JUDGED_PER_COST


class WorkBudget:
    """What all reading of a text has cost so far, and what it may still cost.

    Codes and rows are read a stretch ahead of its hits. What that costs is owed, and paid where it was spent: so it
    makes no difference in which pieces a text comes.

    >>> work = WorkBudget()
    >>> work.owe([(900, COST_ANYWAY)])
    >>> work.room(600) - COST_ANYWAY, work.room(1200)
    (85, 171)
    """

    def __init__(self) -> None:
        self.cost = 0
        self.owed = 0
        self.reach = 0  # as far as something was looked at: what lies below a hit and was read with it is passed
        self._charges: list[tuple[int, int]] = []  # the last one first

    def owe(self, charges: list[tuple[int, int]]) -> None:
        """Note what was spent ahead: places in the whole text, and how much."""
        self._charges += charges
        self._charges.sort(reverse=True)
        self.owed += sum(spent for _, spent in charges)

    def room(self, place: int) -> int:
        """What reading may still cost at a place."""
        charges = self._charges
        while charges and charges[-1][0] <= place:
            spent = charges.pop()[1]
            self.cost += spent
            self.owed -= spent
        return work_allowed(max(place, self.reach)) - self.cost


class Database(Protocol):
    """A compiled hyperscan database, in block mode, and the table it was made from."""

    digest: int

    def scan(self, data: bytes) -> list[Hit]: ...


class Finder(Protocol):
    """A compiled pattern of either library."""

    def finditer(self, data: bytes, /) -> Iterable[Match[bytes]]: ...


class Scanner(Protocol):
    """What the stream needs of a redactor."""

    blocks: frozenset[int]
    lenient: bool
    readers: list[Reader | None]
    probes: list[Probe | None]
    leads: list[int]  # how far before its hit a probe begins

    def name(self, rule: int) -> str: ...
    def hits(self, text: str, start: int, end: int) -> list[Hit]: ...
    def reader(self, rule: int) -> Reader: ...
    def literals(self, text: str, start: int, end: int) -> Iterable[SecretMatch]: ...
    def allows(self, value: str) -> bool: ...


def may_be_wrapped(text: str, start: int, end: int) -> bool:
    """Whether a row may go on in the next one: it fills the width of a terminal, or does not end in a word.

    It asks little, and loads nothing: most texts have no such row.
    """
    before = width_before(text, start)
    for row in text[start:end].split("\n"):
        width = len(row) - row.endswith("\r")
        begin, start = start, start + len(row) + 1
        if MIN_EARLY_ROW <= width <= MAX_ROW and text[begin : begin + 4] != text[start : start + 4]:
            full = width == before or width in USUAL_WIDTHS
            if row[width - 1] in GOING_ON and (full or is_random(row[row.rfind(" ") + 1 : width])):
                return True
        before = width
    return False


def width_before(text: str, start: int) -> int:
    """How wide the row is that ends before a place; -1 if it is no row of a terminal, or there is none."""
    if start < 1:
        return -1
    lowest = max(0, start - MAX_ROW - 3)
    begin = text.rfind("\n", lowest, start - 1) + 1
    return -1 if lowest and not begin else len(text[begin : start - 1].removesuffix("\r"))


def is_random(word: str) -> bool:
    """Whether a word has letters and digits, and so may be a part of a token."""
    return len(word) >= _LEAST_RANDOM and not word.isalpha() and not word.isdigit() and any(map(str.isdigit, word))
