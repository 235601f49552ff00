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
# told at a glance, a simple one is told by one pattern, a told one had only to be judged at a glance: they cost less. A
# value over several lines leaves their ends.
LINES, CLEAR, SIMPLE, TOLD, PLAIN, URL, QUOTE = -4, -3, -2, -1, 0, 1, 2

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
MARK = "REDACTED"  # is in each of our marks

# The table in short. A test says what to write here when the table changes.
RULE_COUNT = 449
BLOCK_RULES = frozenset({0, 1, 2, 3})
SCALAR, MANIFEST, LAYOUT = 320, 321, 322
ASSIGNMENT = 445
NEAR = 446  # from here on nothing but a word that stands near: of passwords, tokens, and codes
NAMED = 444  # from here on a name tells a value: pairs and assignments
DIGEST = 0x1F3A4FAD021D62DA

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
"""From a text, a hit and an end to None where a reader would surely find nothing, or to False if that cost more."""

SecretMatch = tuple[int, int, int, str, int]
"""A find: start, end, number of the rule, type, form."""

# What all reading may cost: in any text, and one more for so many characters: at first, up to some megabytes, where a
# long report of honest density has its place, and from there on. One is about a microsecond, with what it costs to find
# the hit. It must be far above what any honest text costs: what is not read is hidden.
COST_ANYWAY = 40_960
COST_EACH, COST_EACH_LATER, COST_EACH_AT_LAST = 8, 5, 32
LATER, AT_LAST = 262_144, 1_572_864
RESERVE = 8_192  # what must have come together again before reading goes on where it had ended
READING_COST = 10
NAMED_COST = 38  # of a value that is told by its name
JUDGING_COST = 24  # of one that is no secret
PAIR_COST = 3  # more, where the name of a value stands apart from it
ANSWER_COST = 18  # of what stands below a question
PATTERN_COST, SIMPLE_COST = 5, 8  # of a value that is told by its own form, or in a simple place
TOLD_COST = 11  # of one that is judged at a glance
PLACED_COST = 16  # of a value that is told by its place, and judged
CLEAR_COST = 4  # of a clear value
NOTHING_COST, UNTOLD_COST = 4, 11  # of a reading without a value, and of one from a name on
PROBE_COST = 2  # of a hit that comes to nothing at a glance
LINES_COST = 3  # the same, where the glance is at a line and at the one above it, or at a name and what joins it
CODES_COST = 48  # of as many codes that are decoded as are charged at once
JUDGED = 512  # characters of a value that are looked at to judge it
JUDGED_PER_COST = 8  # characters of a value that is judged, for the cost of one
LONG_VALUE, LONG_PER_COST = 64, 4  # from so many characters on a value is looked at for longer; for the cost of one
# From so many hits in a stretch on it pays to read them in one go.
CROWD = 256
CHARS_PER_COST = 16  # characters looked at below a hit, for the cost of one

# What is done ahead of the hits, a stretch at a time: codes are decoded, read beneath, and rows are read as one. Each
# may take so many sixteenths of all work.
DECODING, BENEATH, ACROSS = 0, 1, 2
SHARES = (10, 10, 5)
WHOLE = 16


def work_allowed(place: int) -> int:
    """What all reading may have cost where so many characters came before."""
    if place <= LATER:
        return COST_ANYWAY + place // COST_EACH
    middle = min(place, AT_LAST)
    later = LATER // COST_EACH + (middle - LATER) // COST_EACH_LATER
    return COST_ANYWAY + later + (place - middle) // COST_EACH_AT_LAST


def place_allowing(cost: int) -> int:
    """Where as much may have been spent.

    >>> [place_allowing(work_allowed(place)) for place in (0, 80_000, 300_004, 9_145_728)]
    [0, 80000, 300004, 9145728]
    """
    for upto, each in ((LATER, COST_EACH), (AT_LAST, COST_EACH_LATER)):
        if cost < work_allowed(upto):
            return max(0, upto - (work_allowed(upto) - cost) * each)
    return AT_LAST + (cost - work_allowed(AT_LAST)) * COST_EACH_AT_LAST


def value_cost(found: FoundValue, rule: int) -> int:
    """What it costs to read a value, and to judge it."""
    start, end, kind, form = found
    if form == CLEAR:
        return CLEAR_COST
    length = min(end - start, JUDGED)
    longer = max(0, length - LONG_VALUE) // LONG_PER_COST
    length //= JUDGED_PER_COST
    if form in {SIMPLE, TOLD}:
        return (SIMPLE_COST if form == SIMPLE else TOLD_COST) + length // 2 + longer
    if rule <= LAYOUT:
        return PATTERN_COST + length // 2
    if rule < NAMED:
        return PLACED_COST + length // 2
    return (NAMED_COST if kind else JUDGING_COST) + length + (PAIR_COST if rule == NAMED else 0)


def nothing_cost(rule: int) -> int:
    """What it costs to find nothing at a hit."""
    return NOTHING_COST if rule < NAMED else UNTOLD_COST


class WorkBudget:
    """What all reading of a text has cost so far, and what it may still cost.

    What is done ahead of the hits is owed, and paid where it was spent: so it makes no difference in which pieces a
    text comes.

    >>> work = WorkBudget()
    >>> work.owe(BENEATH, [(900, COST_ANYWAY)])
    >>> work.room(600) - COST_ANYWAY, work.room(1200), work.ahead[BENEATH] == COST_ANYWAY
    (75, 150, True)
    """

    def __init__(self) -> None:
        self.cost = 0
        self.owed = 0
        self.limit = COST_ANYWAY  # what was allowed where that was last asked: no less is, further on
        self.ahead = [0, 0, 0]  # what each kind of work ahead has cost
        self.reach = 0  # as far as something was looked at: what lies below a hit and was read with it is passed
        self._charges: list[tuple[int, int, int]] = []  # the last one first

    def owe(self, source: int, charges: list[tuple[int, int]]) -> None:
        """Note what was spent ahead: places in the whole text, and how much."""
        if charges:
            self._charges += [(place, spent, source) for place, spent in charges]
            self._charges.sort(reverse=True)
            total = sum(spent for _, spent in charges)
            self.owed += total
            self.ahead[source] += total

    def room(self, place: int) -> int:
        """What reading may still cost at a place."""
        charges = self._charges
        while charges and charges[-1][0] <= place:
            spent = charges.pop()[1]
            self.cost += spent
            self.owed -= spent
        self.limit = work_allowed(max(place, self.reach))
        return self.limit - self.cost

    def place_to_go_on(self, place: int) -> int:
        """Where reading may go on that ends at a place: what was spent ahead of it is as if it had not been."""
        self.room(place - 1)
        for _, spent, source in self._charges:
            self.ahead[source] -= spent
        self._charges.clear()
        self.owed = 0
        ahead = ((spent + RESERVE) * WHOLE // share for spent, share in zip(self.ahead, SHARES, strict=True) if spent)
        return max(place, place_allowing(max(self.cost + RESERVE, *ahead, 0)))


class Database(Protocol):
    """A compiled hyperscan database, in block mode, and the table it was made from."""

    digest: int

    def scan(self, data: bytes) -> list[Hit]: ...


class Finder(Protocol):
    """A compiled pattern of either library."""

    def finditer(self, data: bytes, start: int = 0, end: int = ..., /) -> Iterable[Match[bytes]]: ...
    def search(self, data: bytes, start: int = 0, /) -> Match[bytes] | None: ...


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


def readable_end(text: str, start: int, block: int, *, final: bool) -> tuple[int, bool]:
    """How far hits can be read now, about a block at a time, and whether a line (or the text) ends there."""
    length = len(text)
    if length - start <= block:
        return (length, True) if final else (text.rfind("\n", start) + 1, True)
    end = text.rfind("\n", start, start + block) + 1
    if end > start:
        return end, True
    end = text.find("\n", start + block, start + block + MAX_LOOKAHEAD) + 1
    if end > start:
        return end, True
    if final or length >= start + block + MAX_LOOKAHEAD:
        return start + block, False
    return start, True


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
