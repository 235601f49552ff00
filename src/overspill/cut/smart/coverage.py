"""What is told already and what a line would add: lines and statements are taken by what is new in them.

A view tells words: names, paths, numbers. Each counts once, the rarer in the text the more; a line is worth what it
adds to all that stands in the view before it, for a character of room. So the second line of a kind is worth less than
the first, a list of names is shown as long as it goes on with new ones, and a text in which hardly anything repeats is
shown where it says most. A statement is lengthened where that adds more than any line would.

>>> said = Vocabulary(["open a.txt", "open b.txt", "close 17"])
>>> said.worth(["open", "a.txt"]) > said.worth(["close"]) > said.worth(["17"])
True
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush, heapreplace
from math import log

from overspill._lite import TYPE_CHECKING, Protocol
from overspill.core.spans import Span, Why
from overspill.cut.digest.templates import GROUP_WIDTH, WIDTH, TemplateDigest, count_into
from overspill.cut.smart.overview import overview_lines, overview_room
from overspill.cut.smart.units import CONTEXT, EDGE, NOVEL, RARE, TOLD, WARNING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from overspill.core.spans import Room
    from overspill.cut.digest.templates import Alike
    from overspill.cut.smart.units import Findings, Unit

    Show = Callable[[Span], Sequence[Span]]  # what is shown of a part: repeats and the middles of wide lines are not

MOST = 3_000  # lines that are looked at
MOST_WORDS = 4_000  # characters of a part whose words are looked at
_BREAKS = str.maketrans(dict.fromkeys("=,;:/()[]{}<>|`\"'", " "))
_HEX = "0123456789abcdefxABCDEF-"
LEAST_HEX = 6  # characters
SHORT = 3  # letters of a word that hardly says anything
NUMBER, HEX, SMALL = 0.2, 0.05, 0.3  # what these are worth beside a word
COMMON = 0.3  # what a word in every line is worth, beside what being rare adds
OFTEN = 0.15  # what a line is worth that all others are like, beside one that none is like
AGAIN = 0.6  # how fast the worth of lines that are alike falls
COUNTED = 0.3  # what it is worth to know how many lines are alike
MARK = 18  # characters of a mark and its line end
CHEAPEST = 8  # characters: what stands between two shown lines costs little, but not nothing
STEPS = (WIDTH, 400, 1_000, GROUP_WIDTH)  # characters of a statement, from short to long
FIRST_SHARE = 0.3  # of the room: statements, each in short, before any line
SEVERE_SHARE = 0.6  # of the room that is left: what tells of trouble, before anything else
# What is new in a part is worth more where it tells of trouble, and less where it only stands beside it or was told.
FACTORS = ((EDGE, 3.0), (WARNING, 2.5), (CONTEXT, 0.7), (TOLD, 0.3), (RARE, 1.2), (0, 0.4))
ODD = 2.5  # words: what it is worth that a line differs from all that are like it
LEAST, LEAST_TROUBLE = 0.9, 0.2  # words: what adds less says nothing new
LEAST_ROOM = 24  # what is left then holds no line
MOST_MISSES = 300  # offers in a row that did not fit: the room is as good as full


class ShownParts(Protocol):
    """What was chosen of a text so far, and the room that is left: `choice.Selection`."""

    text: str
    left: int
    chars: int
    least_mark: int

    def spans(self) -> tuple[Span, ...]: ...
    def shows(self, start: int, end: int) -> bool: ...
    def sides_shown(self, start: int, end: int) -> int: ...
    def take(self, parts: Sequence[Span]) -> bool: ...
    def widen(self, chars: int) -> None: ...


def words_of(text: str) -> list[str]:
    """The words of a text, each once, signs between them aside.

    >>> words_of("src/a.py:3: x = y(x)")
    ['src', 'a.py', '3', 'x', 'y']
    """
    return [*dict.fromkeys(text.translate(_BREAKS).split())]


class Vocabulary:
    """The words of lines and what each is worth; those that were told are worth nothing any more."""

    def __init__(self, lines: Sequence[str]) -> None:
        block = "\n".join([*lines, ""]).translate(_BREAKS)
        self.rows = [[*dict.fromkeys(row.split())] for row in block.split("\n")[:-1]]
        counts: dict[str, int] = {}
        for row in self.rows:
            count_into(counts, row)
        whole = log(max(2, len(lines)))
        shares = {count: COMMON + 1 - log(count) / whole for count in {*counts.values()}}
        self._worth = {word: _kind_worth(word) * shares[count] for word, count in counts.items()}

    def worth(self, words: Iterable[str]) -> float:
        """What these words would add."""
        return sum([worth for worth in map(self._worth.get, words) if worth])

    def untold(self, words: list[str]) -> list[str]:
        """Those of these words that would add something: what was told is not looked at again."""
        return [*filter(self._worth.get, words)]

    def tell(self, words: Iterable[str]) -> None:
        """These are told now."""
        self._worth.update(dict.fromkeys(words, 0.0))

    def fresh(self) -> Vocabulary:
        """The vocabulary as it is now, to be told in another view."""
        other = Vocabulary([])
        other.rows, other._worth = self.rows, self._worth.copy()
        return other


def _kind_worth(word: str) -> float:
    """What a word is worth by its kind.

    >>> [_kind_worth(word) for word in ("is", "done", "17", "0x7ffe79789460", "a.txt", "--")]
    [0.3, 1.0, 0.2, 0.05, 1.0, 0.0]
    """
    if word.isalpha():
        return 1.0 if len(word) >= SHORT else SMALL
    if not any(map(str.isalpha, word)):
        return NUMBER if any(map(str.isdigit, word)) else 0.0
    return HEX if len(word) >= LEAST_HEX and not word.strip(_HEX) else 1.0


class LinePool:
    """The lines of a text that may be shown for what is new in them; some of each kind where there are many."""

    def __init__(self, text: str, groups: Mapping[str, list[int]], novelty: Callable[[str], float]) -> None:
        lines = text.split("\n")
        kinds = {at: name for name, places in _some_of_each(groups).items() for at in places}
        self._numbers = sorted(kinds)
        self._kinds = [kinds[at] for at in self._numbers]
        self._spans = [*_line_spans(lines, self._numbers, len(text))]
        self._factors = {name: OFTEN + novelty(name) ** 2 for name in groups}
        self.vocabulary = Vocabulary([lines[at] for at in self._numbers])

    def kinds(self) -> dict[int, str]:
        """What lines each is like, by where it begins."""
        return {span.start: kind for span, kind in zip(self._spans, self._kinds, strict=True)}

    def offers(self) -> list[Offer]:
        """Each of the lines, as something that may be shown."""
        parts = zip(self._spans, self.vocabulary.rows, self._kinds, self._numbers, strict=True)
        return [Offer(span, words, self._factors[kind], NOVEL, kind, number) for span, words, kind, number in parts]


def _line_spans(lines: list[str], numbers: list[int], end: int) -> Iterable[Span]:
    start = before = 0
    for number in numbers:
        start += sum(map(len, lines[before:number])) + number - before
        yield Span(start, min(start + len(lines[number]) + 1, end))
        before = number


def _some_of_each(groups: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """The first and the last lines of each kind, so many that not too many are looked at.

    >>> {name: len(places) for name, places in _some_of_each({"a": [*range(9_000)], "b": [9_000]}).items()}
    {'a': 2999, 'b': 1}
    """
    left, kinds, most = MOST, len(groups), MOST
    for size in sorted(map(len, groups.values())):
        if size * kinds > left:
            most = max(1, left // kinds)
            break
        left, kinds = left - size, kinds - 1
    return {
        name: [*places[: most - most // 2], *places[max(most - most // 2, len(places) - most // 2) :]]
        for name, places in groups.items()
    }


class Offer:
    """A part of the text that may be shown."""

    __slots__ = ("bonus", "factor", "kind", "least", "needs", "number", "span", "why", "words")

    def __init__(self, span: Span, words: list[str], factor: float, why: str, kind: str = "", number: int = -1) -> None:
        self.span, self.words, self.factor, self.why = span, words, factor, why
        self.kind = kind  # what lines it is like
        self.number = number  # of the line, where it is one
        self.needs: tuple[Span, ...] = ()
        self.bonus = 0.0
        self.least = LEAST  # what it has to add


def offer_of(text: str, unit: Unit, kinds: Mapping[int, str]) -> Offer:
    """A unit, which is worth more than a plain line or less; `kinds` are those of lines, by where they begin."""
    factor = next(factor for least, factor in FACTORS if unit.score >= least)
    words = words_of(text[unit.start : min(unit.end, unit.start + MOST_WORDS)])
    offer = Offer(Span(unit.start, unit.end), words, factor, unit.why, kinds.get(unit.start, unit.group))
    offer.needs = unit.needs
    offer.bonus = ODD if unit.odd else 0.0
    offer.least = LEAST_TROUBLE if unit.score >= TOLD else LEAST
    return offer


class Telling:
    """A statement that may be made: what is said so far, and what could be said next."""

    kind = ""
    __slots__ = ("_step", "alike", "next", "said", "words")

    def __init__(self, alike: Alike) -> None:
        self.alike, self.said, self._step = alike, "", 0
        self.next = alike.statement(STEPS[0])
        self.words = words_of(self.next)

    @property
    def cost(self) -> int:
        """Characters that it would take, the line end included."""
        return len(self.next) - len(self.said) + (not self.said)

    @property
    def counted(self) -> float:
        """What its count is worth, where that was not said."""
        return 0.0 if self.said else COUNTED * log(self.alike.count)

    def say(self) -> bool:
        """Say what could be said; whether it can be lengthened."""
        self.said = self.next
        while self._step + 1 < len(STEPS):
            self._step += 1
            self.next = self.alike.statement(STEPS[self._step])
            if len(self.next) > len(self.said):
                self.words = words_of(self.next)
                return True
        self.next = self.said
        return False


class OfferQueue:
    """Offers, those first that are worth most; what they are worth falls while others are taken.

    It falls for all of a kind at once, so there is a heap for each kind, and one of the best of each. What stands in
    them is what something was worth when it was last looked at: only what comes first is looked at again.
    """

    def __init__(
        self,
        every: Sequence[Offer | Telling],
        value: Callable[[Offer | Telling], float],
        times: Callable[[str], float],
    ) -> None:
        self._every, self._value, self._times = every, value, times
        self._kinds: dict[str, list[tuple[float, int]]] = {}
        for at, one in enumerate(every):
            worth = value(one)
            if worth:
                self._kinds.setdefault(one.kind, []).append((-worth, at))
        self._best: list[tuple[float, int, str]] = []
        for kind, heap in self._kinds.items():
            heapify(heap)
            self._best.append((heap[0][0] / times(kind), heap[0][1], kind))
        heapify(self._best)

    def push(self, at: int) -> None:
        """Look at this one again: it became worth more."""
        one = self._every[at]
        worth = self._value(one)
        if worth:
            heappush(self._kinds.setdefault(one.kind, []), (-worth, at))
            heappush(self._best, (-worth / self._times(one.kind), at, one.kind))

    def pop(self) -> int | None:
        """What is worth most now, if there is anything."""
        best = self._best
        while best:
            kind = best[0][2]
            heap = self._kinds[kind]
            while heap:
                less, at = heap[0]
                worth = self._value(self._every[at])
                if worth == -less:
                    break
                if worth:
                    heapreplace(heap, (-worth, at))
                else:
                    heappop(heap)
            if not heap:
                heappop(best)
                continue
            now = (heap[0][0] / self._times(kind), heap[0][1], kind)
            if now != best[0]:
                heapreplace(best, now)  # it became less, or is another one
                continue
            heappop(heap)
            if heap:
                heapreplace(best, (heap[0][0] / self._times(kind), heap[0][1], kind))
            else:
                heappop(best)
            return now[1]
        return None


class News:
    """What a view says of the whole and shows of it, beside what matters by itself: taken by what is new in it."""

    def __init__(self, found: Findings, pool: LinePool) -> None:
        self._found, self._pool = found, pool
        self._vocabulary = pool.vocabulary.fresh()
        self._digests = [digest for digest in found.digests if isinstance(digest, TemplateDigest)]
        self._tellings = [Telling(alike) for digest in self._digests for alike in digest.alike()]
        self._others: tuple[str, ...] = ()  # what is said of other things than lines that are alike
        self._shown: dict[str, int] = {}  # lines of each kind

    def begin(self, room: Room) -> tuple[str, ...]:
        """What is said before any line is shown: of each kind of lines in short, those first that tell most."""
        others = self._found._replace(digests=tuple(one for one in self._found.digests if one not in self._digests))
        self._others = overview_lines(others, overview_room(others, room))
        self._vocabulary.tell(words_of("\n".join(self._others)))
        left, waiting = int(room.chars * FIRST_SHARE), [one for one in self._tellings if one.next]
        while waiting:
            best = max(waiting, key=self._value_of_telling)
            waiting.remove(best)
            if best.cost <= left:
                left -= best.cost
                self._vocabulary.tell(best.words)
                best.say()
        return self.statements()

    def statements(self) -> tuple[str, ...]:
        """What is said."""
        said = [one for one in self._tellings if one.said]
        for digest in self._digests:
            digest.note_said([one.alike for one in said])
        return (*self._others, *(one.said for one in said))

    def take(self, selection: ShownParts, units: Iterable[Unit], show: Show) -> list[Why]:
        """Take what adds most for a character: of what tells of trouble first, then of all."""
        for start, end in selection.spans():
            self._vocabulary.tell(words_of(selection.text[start:end]))
        others = [unit for unit in units if unit.why != NOVEL]
        kinds = self._pool.kinds()
        severe = [offer_of(selection.text, unit, kinds) for unit in others if unit.score >= WARNING]
        kept = int(max(0, selection.left) * (1 - SEVERE_SHARE))
        selection.widen(-kept)
        whys = self._take(selection, severe, [], show)
        selection.widen(kept)
        offers = [
            *self._pool.offers(),
            *severe,
            *(offer_of(selection.text, one, kinds) for one in others if one.score < WARNING),
        ]
        return whys + self._take(selection, offers, [one for one in self._tellings if one.next != one.said], show)

    def _take(self, selection: ShownParts, offers: list[Offer], tellings: list[Telling], show: Show) -> list[Why]:
        whys: list[Why] = []
        every: list[Offer | Telling] = [*tellings, *offers]
        neighbours = {one.number: at for at, one in enumerate(offers, len(tellings)) if one.number >= 0}
        queue = OfferQueue(every, lambda one: self._value(selection, one), self._times)
        misses = 0
        while selection.left >= LEAST_ROOM and misses <= MOST_MISSES:
            at = queue.pop()
            if at is None:
                break
            one = every[at]
            if isinstance(one, Telling):
                if one.cost > selection.left:
                    misses += 1
                    continue
                selection.widen(-one.cost)
                self._vocabulary.tell(one.words)
                if one.say():
                    queue.push(at)
            elif self._show(selection, one, show):
                misses = 0
                whys.append(Why(*one.span, one.why))
                near = (neighbours.get(one.number + step) for step in (-1, 1) if one.number >= 0)
                for place in near:  # which cost no mark any more
                    if place is not None:
                        queue.push(place)
            else:
                misses += 1
        return whys

    def _times(self, kind: str) -> float:
        """By how much less a line is worth because of those of its kind that are shown."""
        return (1 + self._shown.get(kind, 0)) ** AGAIN if kind else 1.0

    def _show(self, selection: ShownParts, offer: Offer, show: Show) -> bool:
        before = selection.chars
        parts = [part for span in (offer.span, *offer.needs) for part in show(span)]
        if not selection.take(parts):
            return False
        self._vocabulary.tell(offer.words)
        self._shown[offer.kind] = self._shown.get(offer.kind, 0) + 1
        return selection.chars > before

    def _value(self, selection: ShownParts, one: Offer | Telling) -> float:
        """What it would add for a character, were it the first of its kind."""
        if isinstance(one, Telling):
            return self._value_of_telling(one)
        one.words = self._vocabulary.untold(one.words)
        worth = self._vocabulary.worth(one.words) if one.words else 0.0
        if not worth or worth + one.bonus < one.least:
            return 0.0
        start, end = one.span
        width = end - start + MARK * (1 - selection.sides_shown(start, end))
        return (worth + one.bonus) * one.factor / max(CHEAPEST, width)

    def _value_of_telling(self, one: Telling) -> float:
        worth = self._vocabulary.worth(one.words) + one.counted
        return worth / max(1, one.cost) if worth >= LEAST else 0.0


def take_whole_kinds(selection: ShownParts, pool: LinePool, show: Show) -> list[Why]:
    """Show kinds of lines of which all fit in what is left, those of the fewest first.

    Words that are told say something new in other company: which of the orders failed, and on what shelf.
    """
    whys = list[Why]()
    if selection.left < LEAST_ROOM:
        return whys
    said, kinds = set[tuple[str, ...]](), dict[str, list[tuple[tuple[str, ...], Span]]]()
    for one in pool.offers():
        words = tuple(one.words)
        if selection.shows(*one.span):
            said.add(words)
        elif pool.vocabulary.worth(words):
            kinds.setdefault(one.kind, []).append((words, one.span))
    for lines in sorted(kinds.values(), key=len):
        different = {words: span for words, span in reversed(lines) if words not in said}  # the first of equal ones
        if len(different) == 1 < len(lines):  # it is told how often
            continue
        spans = sorted(different.values())
        marks = sum(1 - selection.sides_shown(*span) for span in spans)
        if sum(span.chars for span in spans) + selection.least_mark * marks > selection.left:
            continue
        for span in spans:
            before = selection.chars
            if selection.take(show(span)) and selection.chars > before:
                whys.append(Why(*span, NOVEL))
    return whys
