"""What is told already and what a line would add: lines and statements are taken by what is new in them.

A view tells words: names, paths, numbers. Each counts once, the rarer in the text the more; a line is worth what it
adds to all that stands in the view before it, for a character of room. So the second line of a kind is worth less than
the first, a list of names is shown as long as it goes on with new ones, and a text in which hardly anything repeats is
shown where it says most. A statement is lengthened where that adds more than any line would.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from heapq import heapify, heappop, heapreplace
from itertools import chain

from overspill._lite import TYPE_CHECKING, contextmanager
from overspill.core.spans import Span, Why
from overspill.cut.digest import counts_of
from overspill.cut.digest.templates import TemplateDigest
from overspill.cut.smart.overview import LEAST_TEXT, NOISY_SHARE, LinePool, few_troubles, overview_lines, overview_room
from overspill.cut.smart.shapes import has_passed, stamp_width
from overspill.cut.smart.units import NOVEL, RARE, TOLD, WARNING, factor_of
from overspill.cut.smart.worth import (
    OfferQueue,
    ShownShares,
    Telling,
    Vocabulary,
    has_some_unnamed,
    tellings_of,
    tells_each,
    words_of,
    words_of_statement,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from overspill.core.spans import Cut, Room
    from overspill.cut.smart.overview import ShownParts
    from overspill.cut.smart.units import Findings, Unit

    Show = Callable[[Span], Sequence[Span]]  # what is shown of a part: repeats and the middles of wide lines are not

MOST_WORDS = 4_000  # characters of a part whose words are looked at
CHEAPEST = 8  # characters: what stands between two shown lines costs little, but not nothing
FIRST_SHARE = 0.3  # of the room: statements, each in short, before any line
SEVERE_SHARE = 0.6  # of the room that is left: what tells of trouble, before anything else
CROWD, ENOUGH = 300, 3  # lines that are told of, and of those that are shown: more of them say nothing
MANY = 8  # lines: of as many that passed a count tells all
SCATTERED, MARKED = 24, 0.45  # lines that are shown because there is room, and of what more take, marks around them
MARK = 18  # characters of a mark and its line end,
APART = 40  # and what it counts for where it is weighed whether a line is shown: it also tears what stands together
LEAST_ROOM = 24  # what is left then holds no line
# Lines that a statement tells of: of more some are shown, and those that say more than numbers
FEW_ALIKE, FEW_TROUBLES, FEW_LOGGED = 64, 12, 12
TROUBLE_SHARE = 0.6  # of the room that is left: trouble that is like other trouble, where all of a kind fits
ODD = 2.5  # words: what it is worth that a line differs from all that are like it
TORN = 0.4  # what a name is worth without the numbers before it, which a line tells with it
LEAST, LEAST_TROUBLE = 0.9, 0.2  # words: what adds less says nothing new
NAMELESS = 2.0  # times as much has a line to add that is numbers alone: nobody knows what they are
SURE = 400  # characters: a line that is not longer is shown as a whole, or not at all
MOST_MISSES = 300  # offers in a row that did not fit: the room is as good as full


class Offers:
    """The parts of a text that may be shown: lines, then units. In columns, because there are thousands."""

    def __init__(
        self, text: str, pool: LinePool, vocabulary: Vocabulary, units: list[Unit], least: float, skips: Collection[int]
    ) -> None:
        self.lines, self.units = len(pool.starts), units
        self._skips = skips  # lines that are not shown
        self._pool, self.vocabulary = pool, vocabulary
        near = [pool.line_at.get(unit.start) for unit in units]  # the line that each of them begins with
        kinds = (unit.group if at is None else pool.kinds[at] for unit, at in zip(units, near, strict=True))
        self.kinds = [*pool.kinds, *kinds]
        self.starts = [*pool.starts, *(unit.start for unit in units)]
        self.ends = [*pool.ends, *(unit.end for unit in units)]
        rows = pool.vocabulary.rows
        self.words = [*rows]
        self._factors = [*pool.factors, *map(factor_of, units)]
        self._bonuses = [*[0.0] * self.lines, *(ODD if unit.odd else 0.0 for unit in units)]
        self._leasts = [NAMELESS * least if bare else least for bare in pool.bare]
        self._leasts += (LEAST_TROUBLE if unit.score >= TOLD else LEAST for unit in units)
        for unit, at in zip(units, near, strict=True):
            end = min(unit.end, unit.start + MOST_WORDS)
            self.words.append(rows[at] if at is not None and pool.ends[at] == end else words_of(text[unit.start : end]))

    def span(self, at: int) -> Span:
        """Where one stands."""
        return Span(self.starts[at], self.ends[at])

    def unit(self, at: int) -> Unit | None:
        """What it is, where it is not a line."""
        return self.units[at - self.lines] if at >= self.lines else None

    def beside(self, at: int) -> list[int]:
        """The lines before and behind a line."""
        numbers, near = self._pool.numbers, (at - 1, at + 1)
        lines = (one for one in near if 0 <= one < self.lines > at and one not in self._skips)
        return [one for one in lines if abs(numbers[one] - numbers[at]) == 1]

    def line_values(self, selection: ShownParts) -> list[float]:
        """What each of the lines would add for a character, were it the first of its kind."""
        worths = self.vocabulary.worths(self._pool.vocabulary.rows)
        for at in self._skips:
            worths[at] = 0.0
        rows = zip(worths, self._pool.factors, self._line_widths(selection), self._leasts, strict=False)
        return [one * factor / max(CHEAPEST, width) if one >= least else 0.0 for one, factor, width, least in rows]

    def _line_widths(self, selection: ShownParts) -> list[int]:
        """What each of the lines would take: beside what is shown they cost less."""
        starts, ends = self._pool.starts, self._pool.ends
        widths = [width + APART for width in self._pool.widths]
        for start, end in selection.spans():
            for at in range(bisect_right(starts, start), bisect_right(starts, end)):
                widths[at] -= APART
            for at in range(bisect_left(ends, start), bisect_left(ends, end)):
                widths[at] -= APART
        return widths

    def may_fit(self, selection: ShownParts, show: Show) -> bool:
        """Whether there may be one that fits in what is left: where all are too long, none has to be tried."""
        most = selection.left + selection.widest_mark  # which is all that a line saves
        lines = zip(range(self.lines), self.starts, self.ends, strict=False)
        near = [at for at, start, end in lines if not most < end - start <= SURE]
        return any(
            selection.may_take(parts) and not all(selection.shows(*part) for part in parts)
            for parts in (self.parts(at, show) for at in (*near, *range(self.lines, len(self.starts))))
        )

    def parts(self, at: int, show: Show) -> list[Span]:
        """What is shown with one."""
        unit = self.unit(at)
        if unit is None or not unit.needs:
            return [*show(self.span(at))]
        return [part for span in (self.span(at), *unit.needs) for part in show(span)]

    def adds_words(self, at: int) -> bool:
        """Whether one would add more than numbers and names that differ from others in digits alone."""
        slight, worth_of = self._pool.vocabulary.slight, self.vocabulary.worth_of
        return any(worth_of(word) and word not in slight for word in self.words[at])

    def value_in(
        self, selection: ShownParts, tell: Callable[[int], float], spent: Collection[str] = ()
    ) -> Callable[[int], float]:
        """What one would add to a selection for a character, were it the first of its kind; `tell` knows of statements.

        Of a kind that is `spent` only new words count. It is asked thousands of times, so that it calls nothing that it
        need not call.
        """
        words, starts, ends, factors = self.words, self.starts, self.ends, self._factors
        bonuses, leasts, worth_of = self._bonuses, self._leasts, self.vocabulary.worth_of
        lines, worth_of_own, kinds = self.lines, self.vocabulary.worth_of_own, self.kinds
        shown, until = selection.borders()
        # With what it is set in below, a field says something though its words are told.
        whole = {lines + number for number, unit in enumerate(self.units) if unit.odd and unit.needs}

        def value(at: int) -> float:
            if at < 0:
                return tell(at)
            if at < lines:
                worth = sum(map(worth_of_own, words[at]))
            else:
                left = words[at] = [*filter(worth_of, words[at])]  # what was told is not looked at again
                worth = sum(map(worth_of, left))
            bonus = bonuses[at]
            if not (worth or at in whole) or worth + bonus < leasts[at]:
                return 0.0
            if spent and not bonus and kinds[at] in spent and not self.adds_words(at):
                return 0.0
            start, end = starts[at], ends[at]
            before, behind = bisect_left(shown, start), bisect_right(shown, end)
            width = end - start + APART
            if before and until[before - 1] >= start:
                width -= APART
            if behind and until[behind - 1] > end:
                width -= APART
            return (worth + bonus) * factors[at] / max(CHEAPEST, width)

        return value


class News:
    """What a view says of the whole and shows of it, beside what matters by itself: taken by what is new in it."""

    def __init__(self, found: Findings, pool: LinePool, *, noisy: bool = False) -> None:
        self._found, self._pool, self._noisy = found, pool, noisy
        self._vocabulary = pool.vocabulary.fresh()
        self._digests = [digest for digest in found.digests if isinstance(digest, TemplateDigest)]
        self._tellings = [Telling(alike) for digest in self._digests for alike in digest.alike()]
        self._others: tuple[str, ...] = ()  # what is said of other things than lines that are alike
        self._shown = ShownShares()
        self._crowds: frozenset[str] = frozenset()  # kinds of very many lines, which are told
        self._quoted: set[int] = set()  # lines of the source that messages quote, all of which are told
        self.silent: set[int] = set()  # lines that are told as a whole,
        self.told_kinds = self.said_kinds = frozenset[str]()  # and kinds of lines of which each is, or that are counted
        self.passing: frozenset[str] = frozenset()  # kinds of lines that tell of a success, and are told
        self.repeated: frozenset[str] = frozenset()  # kinds of more lines than a few, which are told
        self.logged: frozenset[str] = frozenset()  # of these, those of a log, which say what happened again
        self.spent = set[str]()  # of these, those of which some are shown
        self._told_by: dict[str, int] = {}  # which statement tells of a kind,
        self._alike: dict[int, int] = {}  # and how many of its lines are shown

    def begin(self, room: Room) -> tuple[str, ...]:
        """What is said before any line is shown: of each kind of lines in short, those first that tell most."""
        others = self._found._replace(digests=tuple(one for one in self._found.digests if one not in self._digests))
        self._others = overview_lines(others, overview_room(others, room))
        said = words_of("\n".join(self._others))
        self._vocabulary.tell(said)
        self.silent |= self._pool.lines_of_one_word(said) if said else set()
        for digest in others.digests:
            if getattr(digest, "complete", False):  # nothing that it tells of is worth another line
                told = self._pool.lines_told(digest.is_quoted)  # type: ignore[attr-defined]  # of records
                self._quoted |= told
                self.silent |= told | self._pool.lines_told(digest.is_record)  # type: ignore[attr-defined]
        beside = room.chars - sum(len(line) + 1 for line in self._others) - LEAST_TEXT
        left = min(int(room.chars * (NOISY_SHARE if self._noisy else FIRST_SHARE)), beside)
        tellings = [one for one in self._tellings if one.next]
        waiting = [(-self._value_of_telling(one), at) for at, one in enumerate(tellings)]
        heapify(waiting)
        while waiting:
            worth, at = waiting[0]
            best = tellings[at]
            if (now := -self._value_of_telling(best)) != worth:  # it became less: what others said is known
                heapreplace(waiting, (now, at))
                continue
            heappop(waiting)
            if best.cost <= left:
                left -= best.cost
                self._vocabulary.tell(best.words)
                best.say()
        return self.statements()

    def begin_with(self, kinds: list[str]) -> tuple[str, ...]:
        """What is said of these kinds of lines, which are not shown."""
        names = {id(one) for digest in self._digests for one in digest.templates_of(kinds)}
        for telling in self._tellings:
            if any(id(one) in names for one in telling.alike.members):
                self._vocabulary.tell(telling.words)
                telling.say()
        return self.statements()

    def statements(self) -> tuple[str, ...]:
        """What is said."""
        said = [one for one in self._tellings if one.said]
        for digest in self._digests:
            digest.note_said([(one.alike, one.said) for one in said])
        every = [one for digest in self._digests for one in digest.said_templates().items()]
        self.passing = frozenset(kind for kind, one in every if one.count >= MANY and has_passed(one.first))
        # Some names that a statement leaves out are told by lines.
        named = {id(member) for one in said if has_some_unnamed(one.said) for member in one.alike.members}
        whole = {id(member) for one in said if tells_each(one.said) for member in one.alike.members}
        self.told_kinds = frozenset(kind for kind, one in every if id(one) in whole)
        self.said_kinds = frozenset(kind for kind, _ in every)
        self._crowds = frozenset(kind for kind, one in every if one.count >= CROWD and id(one) not in named)
        return (*self._others, *(one.said for one in said))

    def tells_most(self) -> bool:
        """Whether hardly another line need be shown, however much room there is."""
        return self._pool.is_told_by(self.passing | self.told_kinds, self.logged)

    def take(self, selection: ShownParts, units: Iterable[Unit], show: Show) -> list[Why]:
        """Take what adds most for a character: of what tells of trouble first, then of all."""
        self._vocabulary.tell(words_of(_shown_text(selection)))
        others = [unit for unit in units if unit.why != NOVEL]
        few = few_troubles(others, self._pool.kind_at, int(selection.left * TROUBLE_SHARE), MARK)
        others = [unit._replace(score=WARNING) if unit.start in few else unit for unit in others]
        severe = [unit for unit in others if unit.score >= WARNING]
        units = [*severe, *(unit for unit in others if unit.score < WARNING)]
        # Of what is said of failed tests, a number alone may tell which of them it is.
        least = LEAST_TROUBLE if self._noisy else LEAST
        offers = Offers(selection.text, self._pool, self._vocabulary, units, least, self._quoted)
        first = offers.lines
        kept = int(max(0, selection.left) * (1 - SEVERE_SHARE))
        selection.widen(-kept)
        alarms = self._alarming([unit for unit in others if unit.score >= WARNING or RARE < unit.score <= TOLD])
        self._note_repeated(alarms)
        for span in selection.spans():
            for at in self._pool.lines_within(*span):
                self._note_shown(self._pool.kinds[at])
        shown = self._alarming([unit for unit in others if unit.start in few])  # whose lines are
        # Lines of which each hardly matters are not shown, and so the statement has to name what they do.
        growing = [one for one in alarms if one.next != one.said and (one not in shown or self._tells_many(one))]
        with self._in_company(offers, selection, alarms):
            value = offers.value_in(selection, lambda _: 0.0, self.spent)
            worst = ((at, value(at)) for at in range(first, first + len(severe)))
            whys = self._take(selection, offers, chain(self._values_of(growing), worst), growing, show)
        selection.widen(kept)
        tellings = [one for one in (growing if self._noisy else self._tellings) if one.next != one.said]
        value = offers.value_in(selection, lambda _: 0.0)
        every = chain(
            self._values_of(tellings),
            enumerate(offers.line_values(selection)),
            ((at, value(at)) for at in range(first, first + len(units))),
        )
        return whys + self._take(selection, offers, every, tellings, show)

    @contextmanager
    def _in_company(self, offers: Offers, selection: ShownParts, alarms: list[Telling]) -> Iterator[None]:
        """Let words count that were told of other lines alone: that an order was taken tells not that it failed."""
        if self._noisy:  # all that is told is told of tests that failed
            yield
            return
        common, own = self._vocabulary, self._pool.vocabulary.fresh()
        # A name that a statement writes in two parts is no such name yet.
        own.tell(words_of("\n".join([*self._others, *(one.said for one in alarms), _shown_text(selection)])))
        self._vocabulary = offers.vocabulary = own
        yield
        self._vocabulary = offers.vocabulary = common
        common.tell(words_of(_shown_text(selection)))
        for one in alarms:
            common.tell(words_of_statement(one.said))

    def _values_of(self, tellings: list[Telling]) -> Iterator[tuple[int, float]]:
        """What statements are worth, which are counted from the end."""
        return ((at - len(tellings), self._value_of_telling(one)) for at, one in enumerate(tellings))

    def _alarming(self, troubles: list[Unit]) -> list[Telling]:
        """Statements that tell of what begins with trouble: what they name counts as what such a line would."""
        kinds = counts_of(self._pool.kind_at(start) for start in {unit.start for unit in troubles})
        own = {kind: one for digest in self._digests for kind, one in digest.said_templates().items()}
        found = tellings_of(self._tellings, {id(own[kind]): count for kind, count in kinds.items() if kind in own})
        for one in found:
            one.factor = factor_of(max(troubles, key=lambda unit: unit.score))
            one.tell_ids()
        return found

    def _take(
        self,
        selection: ShownParts,
        offers: Offers,
        values: Iterable[tuple[int, float]],
        tellings: list[Telling],
        show: Show,
    ) -> list[Why]:
        """Take of offers, and of statements, which are counted from the end: -1 is the last of them."""
        whys: list[Why] = []
        value = offers.value_in(selection, lambda at: self._value_of_telling(tellings[at]), self.spent)
        queue = OfferQueue(values, [*offers.kinds, *("" for _ in tellings)], value, self._shown)
        misses = 0
        while selection.left >= LEAST_ROOM and misses <= MOST_MISSES:
            at = queue.pop()
            if at is None:
                break
            if at >= 0 and offers.unit(at) is None and self._is_told_enough(offers.kinds[at]):
                queue.drop(offers.kinds[at], lambda other: offers.unit(other) is not None)
                continue
            if at < 0:
                one = tellings[at]
                if one.cost > selection.left:
                    misses += 1
                    continue
                selection.widen(-one.cost)
                self._vocabulary.tell(one.words)
                if one.say():
                    queue.push(at)
            elif self._show(selection, offers, at, show):
                misses = 0
                unit = offers.unit(at)
                whys.append(Why(*offers.span(at), NOVEL if unit is None else unit.why))
                for place in offers.beside(at):  # which cost no mark any more
                    queue.push(place)
            elif misses or offers.may_fit(selection, show) or any(one.cost <= selection.left for one in tellings):
                misses += 1
            else:
                break
        return whys

    def _is_told_enough(self, kind: str) -> bool:
        """Whether more lines of a kind say nothing: they passed, or hundreds are told of and some are shown."""
        return kind in self.passing or (kind in self._crowds and self._shown.number(kind) >= ENOUGH)

    def _show(self, selection: ShownParts, offers: Offers, at: int, show: Show) -> bool:
        before = selection.chars
        if not selection.take(offers.parts(at, show)):
            return False
        self._vocabulary.tell(offers.words[at])
        self._shown.note(offers.kinds[at])
        self._note_shown(offers.kinds[at])
        return selection.chars > before

    def _note_repeated(self, alarms: Sequence[Telling]) -> None:
        """Find the kinds of lines of which each hardly matters: statements tell of very many of them."""
        troubles = {id(member): one for one in alarms for member in one.alike.members}
        tellings = {id(member): one for one in self._tellings if one.said for member in one.alike.members}
        said = [(kind, one) for digest in self._digests for kind, one in digest.said_templates().items()]
        self._told_by = {kind: id(tellings.get(id(one), one)) for kind, one in said}
        many = (one for one in tellings.values() if one.alike.count > FEW_LOGGED)
        logged = {id(one) for one in many if _is_logged(one.alike.members[0].first)}
        self.logged = frozenset(kind for kind, one in said if self._told_by[kind] in logged and id(one) not in troubles)
        self.repeated = frozenset(
            kind
            for kind, one in said
            if kind in self.logged
            or (self._tells_many(troubles[id(one)]) if id(one) in troubles else one.count > FEW_ALIKE)
        )

    def _tells_many(self, one: Telling) -> bool:
        """Whether a statement tells of so much trouble that each line hardly matters, or can name what they do."""
        return one.alike.count > (FEW_TROUBLES if getattr(one.alike, "may_name_each", False) else FEW_ALIKE)

    def _note_shown(self, kind: str) -> None:
        """One more of a kind is shown: where a statement tells of all of them, some are enough."""
        if kind in self.repeated:
            told_by = self._told_by[kind]
            self._alike[told_by] = self._alike.get(told_by, 0) + 1
            if self._alike[told_by] == ENOUGH:
                self.spent |= {one for one in self.repeated if self._told_by[one] == told_by}

    def _value_of_telling(self, one: Telling) -> float:
        worth = self._vocabulary.worth(one.words) + one.counted
        while worth < LEAST and one.said and one.lengthen():  # a list of numbers may have to grow to name one more
            worth = self._vocabulary.worth(one.words)
        factor = one.factor * (TORN if one.said and one.tears else 1.0)
        return worth * factor / max(1, one.cost) if worth >= LEAST else 0.0


def _is_logged(line: str) -> bool:
    """Whether a line begins with the second at which it was written: listings tell of minutes and days."""
    return line[: stamp_width(line)].count(":") > 1


def width_of(cut: Cut) -> int:
    """Characters of what is said and shown, with marks, more or less."""
    return sum(map(len, cut.overview)) + sum(end - start + MARK for start, end in cut.kept)


def _shown_text(selection: ShownParts) -> str:
    return "\n".join(selection.text[start:end] for start, end in selection.spans())


def take_whole_kinds(
    selection: ShownParts, pool: LinePool, show: Show, news: News | None, passing: frozenset[str]
) -> list[Why]:
    """Show kinds of lines of which all fit in what is left, those of the fewest first; none that tell of successes.

    Words that are told say something new in other company: which of the orders failed, and on what shelf.
    """
    whys = list[Why]()
    if selection.left < LEAST_ROOM or min(pool.widths, default=0) > selection.left + selection.least_mark:
        return whys
    silent, counted = (news.silent, news.said_kinds) if news is not None else (set[int](), frozenset[str]())
    shown = {at for span in selection.spans() for at in pool.lines_within(*span)} | silent
    said = {tuple(pool.vocabulary.rows[at]) for at in shown}
    for lines in pool.other_kinds(shown, counted):
        if pool.kinds[lines[0]] in passing or (news is not None and pool.kinds[lines[0]] in news.repeated):
            continue
        if min(map(pool.widths.__getitem__, lines)) > selection.left + selection.least_mark:
            continue
        spans = _different_spans(pool, lines, said, selection)
        if spans is None or len(spans) == 1 < len(lines):  # of the latter it is told how often
            continue
        marks = sum(1 - selection.sides_shown(*span) for span in spans)
        chars = sum(span.chars for span in spans)
        torn = len(spans) > SCATTERED and MARK * marks > MARKED * chars
        if torn or chars + selection.least_mark * marks > selection.left:
            continue
        for span in spans:
            before = selection.chars
            if selection.take(show(span)) and selection.chars > before:
                whys.append(Why(*span, NOVEL))
    return whys


def _different_spans(
    pool: LinePool, lines: list[int], said: set[tuple[str, ...]], selection: ShownParts
) -> list[Span] | None:
    """Where lines stand that say different things, the first of equal ones; None as soon as they cannot all fit."""
    rows, known, spans = pool.vocabulary.rows, set[tuple[str, ...]](), list[Span]()
    left = selection.left
    for at in lines:
        words = tuple(rows[at])
        if words in said or words in known:
            continue
        known.add(words)
        spans.append(Span(pool.starts[at], pool.ends[at]))
        left -= spans[-1].chars - selection.least_mark  # that is what a line between two others saves
        if left < 0:
            return None
    return spans
