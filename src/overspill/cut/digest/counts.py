"""The values of one column, counted while they are not too many: texts, and numbers with their ends.

>>> numbers = NumberColumn()
>>> numbers.add([3, 90, 14], [0, 1, 2])
>>> numbers.lows[0].words, numbers.highs[0].words, numbers.median()
('3', '90', '14')
"""

from __future__ import annotations

from _collections_abc import Sequence

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.digest import counts_of, with_one_digit, without_digits
from overspill.cut.digest.values import FEW, FEWEST, LONGEST_VALUE, listed_values, spelled_number, spelled_value

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import Any

    from overspill.cut.digest.cells import FirstLines

    BadValues = Callable[[str, Sequence[object]], set[object]]  # which of the values of a name tell of trouble

MOST_VALUES = 2_000  # distinct ones of a column; of more it is only known that they are many
MOST_CHARS = 100_000  # of them
MOST_DISTINCT = 250  # numbers of a column that are counted one by one
MOST_NUMBERS = 50_000  # of a column, for the median
LONGEST_SHARED = 60  # of a value that all rows have
FAR = 8.0  # times the width of the middle half of all numbers
EXTREMES = 3  # rows at either end of a column of numbers that are remembered
MOST_AT_DEPTH = (120, 120, 100, 80, 60, 40, 40)  # columns of all tables that lie as deep inside the first
CONTAINERS = {dict, list}
MOST_FORMS, FEWEST_OF_FORM = 300, 4  # of the phrases of a column; of each of them, on average
LONGEST_PHRASE, SENTENCE = 400, 2  # characters; words of it that all have in common with others, on average
CONCENTRATED = 0.8  # of the rows have one of the values that are not rare
LONGEST_BESIDE, MOST_BESIDE = 60, 160  # characters of what stands beside numbers, and of all that does
DIGIT, LEAST_DATED, MOSTLY_DATED = "0", 8, 0.95  # of values that are dates and the like, as long, and so many of all
EXACT = 1 << 53  # whole numbers below are what they seem to be


class Extreme(NamedTuple):
    """A number at an end of its column, as it is spelled, and its row."""

    value: float
    place: int
    words: str


class OddRow(NamedTuple):
    """A row that is not like the others, and why."""

    place: int
    reason: str
    column: str = ""
    value: str = ""


def oddly_formed(counts: Mapping[str, int], number: int, rare: float) -> list[str]:
    """The values that say something else than most, digits aside: `Up 3 hours`, `Exited (1)`.

    >>> oddly_formed({"Up 3 hours": 9, "Up 4 hours": 9, "Exited (1)": 1}, 19, 1.0)
    ['Exited (1)']
    """
    forms: dict[str, int] = {}
    for value, count in counts.items():
        form = without_digits(value)
        forms[form] = forms.get(form, 0) + count
    if max(forms.values()) < CONCENTRATED * number:
        return []
    return [value for value in counts if forms[without_digits(value)] <= rare]


def range_and_others(counts: Mapping[str, int]) -> tuple[str, str, dict[str, int]] | None:
    """The first and the last of values of one form that begin with a digit, and the few that have another form.

    >>> range_and_others({f"2026-11-10T08:{minute}Z": 1 for minute in range(10, 60)} | {"03/11/2026": 1})
    ('2026-11-10T08:10Z', '2026-11-10T08:59Z', {'03/11/2026': 1})
    """
    forms = with_one_digit("\n".join(counts)).split("\n") if len(counts) > FEW else []
    known = counts_of(forms)
    usual = max(known, key=lambda form: known[form], default="")
    if len(forms) != len(counts) or usual[:1] != DIGIT or known[usual] < MOSTLY_DATED * len(counts):
        return None
    dated = [value for value, form in zip(counts, forms, strict=True) if form == usual]
    others = {value: count for (value, count), form in zip(counts.items(), forms, strict=True) if form != usual}
    return (min(dated), max(dated), others) if others and len(usual) >= LEAST_DATED else None


def beside_range(others: Mapping[str, int]) -> str:
    """What stands beside numbers or dates, behind them: `; n/a, null 3`."""
    named = {value: count for value, count in others.items() if len(value) <= LONGEST_BESIDE}
    listed = listed_values(named, MOST_BESIDE) if others else "+"
    return f"; {listed}" if len(named) == len(others) and "+" not in listed else ""


class ValueCounts:
    """Counts strings while they are not too many."""

    def __init__(self, most: int = MOST_VALUES) -> None:
        self.number = 0
        self._most = most
        self.counts: dict[str, int] | None = {}
        self.firsts: dict[str, int] = {}
        self.ends: tuple[str, str] | None = ("", "")  # the least and the greatest, where they are dates and the like
        self.phrases = PhraseForms()
        self.first_lines: FirstLines | None = None  # where some are long
        self._chars = 0

    def add(self, values: Sequence[str], places: Sequence[int], *, padded: bool = False) -> None:
        """Take the next strings; where they are `padded`, blanks around them do not matter."""
        self.number += len(values)
        if not padded:
            self._begin_with(values)
            self.phrases.add(values)
        if self.counts is not None:
            new = add_counts(self.counts, self.firsts, values, places, padded=padded)
            self._chars += sum(map(len, new))
            if len(self.counts) > self._most or self._chars > self._most * MOST_CHARS // MOST_VALUES:
                self.counts, self.firsts = None, {}
            values = new
        if self.ends is not None and values:
            low, high = min(values), max(values)
            if padded:
                low, high = low.strip(), high.strip()
            low = min(low, self.ends[0]) if self.ends[0] else low
            high = max(high, self.ends[1])
            alike = len(low) == len(high) <= LONGEST_SHARED and low[:1].isdigit() and high[:1].isdigit()
            self.ends = (low, high) if alike else None

    @property
    def dated(self) -> bool:
        """Whether they are dates and the like, but for a few."""
        return self.ends is not None or (self.counts is not None and range_and_others(self.counts) is not None)

    def _begin_with(self, texts: Sequence[str]) -> None:
        """Note how texts begin, once one of them is long."""
        if self.first_lines is None and self.counts is not None:
            if max(map(len, texts), default=0) <= LONGEST_VALUE and "\n" not in "".join(texts):
                return
            from overspill.cut.digest.cells import FirstLines

            self.first_lines = FirstLines()
            for value, count in self.counts.items():
                self.first_lines.add([value], count)
        if self.first_lines is not None:
            self.first_lines.add(texts)

    def add_same(self, value: str, number: int) -> None:
        """Take a string that is known, so many times."""
        self.number += number
        self.phrases.add([value], number)
        if self.first_lines is not None:
            self.first_lines.add([value], number)
        if self.counts is not None:
            self.counts[value] += number


class PhraseForms:
    """Counts phrases that are alike: equal, when words with a digit or a slash and texts in quotes are set aside.

    >>> messages = PhraseForms()
    >>> messages.add([f"job {n} took {n * 7} ms" for n in range(9)] + ["no more jobs"])
    >>> messages.counts()
    {'job 0 took 0 ms': 9, 'no more jobs': 1}
    """

    def __init__(self) -> None:
        self._firsts: dict[str, str] | None = None  # the first phrase of each form, once it is seen that there are some
        self._counts: dict[str, int] = {}
        self._none = False  # they are no phrases, or too varied

    def add(self, values: Sequence[str], times: int = 1) -> None:
        """Take the next strings, each so many times."""
        if self._none or not values:
            return
        if self._firsts is None:
            self._firsts = {}
            self._none = 2 * sum(" " in value.strip() for value in values) < len(values)
        if self._none or max(map(len, values)) > LONGEST_PHRASE or "\n" in "".join(values):
            self._none = True
            return
        from overspill.cut.digest.templates import masked_lines

        forms = masked_lines([*values])
        for form, count in counts_of(forms).items():
            self._counts[form] = self._counts.get(form, 0) + count * times
        self._firsts = dict(zip(reversed(forms), reversed(values), strict=True)) | self._firsts
        self._none = len(self._counts) > MOST_FORMS

    def counts(self) -> dict[str, int]:
        """How many phrases are like each that is the first of its form; nothing where hardly any are alike."""
        number = sum(self._counts.values())
        if self._none or self._firsts is None or FEWEST_OF_FORM * len(self._counts) > number:
            return {}
        words = sum(count * len(form.replace("#", "").split()) for form, count in self._counts.items())
        if words < SENTENCE * number:  # dates and sizes have ends
            return {}
        return {self._firsts[form]: count for form, count in self._counts.items()}


class NumberColumn:
    """The numbers of a column: their ends, and all of them while they are not too many."""

    def __init__(self) -> None:
        self.number = 0
        self.counts: dict[float | str, int] | None = {}  # as they are spelled, where that is known
        self.firsts: dict[float | str, int] = {}
        self.plain = True  # they have no unit
        self.coded = False  # beside them stand codes, such as 007, which are told as texts
        self.lows: list[Extreme] = []
        self.highs: list[Extreme] = []
        self.exact = True  # they can be told as they are written
        self._all: array[float] | None = None
        self._ordered: list[float] | None = None
        self._steady: bool | None = None

    def add(self, values: Sequence[float], places: Sequence[int], words: Sequence[str] = ()) -> None:
        """Take the next numbers, and how they are spelled where that is known."""
        from array import array

        self.number += len(values)
        self._ordered = self._steady = None
        few = self.counts is not None and len(self.counts) <= FEW and not words
        distinct: Any = counts_of(values) if few else values
        low, high = min(distinct), max(distinct)
        self.exact = self.exact and low > -EXACT and high < EXACT
        if not self.exact:
            self.counts, self.firsts = None, {}
            return
        if len(self.highs) < EXTREMES or high > self.highs[-1].value:
            self.highs = _ends(self.highs, values, places, words, -1)
        if len(self.lows) < EXTREMES or low < self.lows[-1].value:
            self.lows = _ends(self.lows, values, places, words, 1)
        if self._all is None:
            self._all = array("d")
        if len(self._all) < MOST_NUMBERS:
            self._all.extend(values)
        if self.counts is not None:
            add_counts(self.counts, self.firsts, words or values, places, padded=bool(words))
            if len(self.counts) > MOST_DISTINCT:
                self.counts, self.firsts = None, {}

    @property
    def steady(self) -> bool:
        """Whether they only ever grow, or only ever shrink, as ids and times do."""
        if self._steady is None:
            found = [*(self._all or ())]
            ordered = self._in_order()
            self._steady = found == ordered or found == ordered[::-1]
        return self._steady

    def _in_order(self) -> list[float]:
        """All numbers that are known, the least first."""
        if self._ordered is None:
            self._ordered = sorted(self._all or ())
        return self._ordered

    def median(self) -> str | None:
        """The middle one, if all of them are known."""
        found = self._all
        if found is None or len(found) < self.number or not self.plain:
            return None
        ordered = self._in_order()
        middle = len(ordered) // 2
        value = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
        value = float(f"{value:.12g}")  # what adding two fractions leaves over is not what they add up to
        return spelled_number(int(value) if value == int(value) and self.whole else value)

    def range_words(self) -> str:
        """How far they go, and which is in the middle where they do not only grow; nothing where that is not known."""
        if not self.exact or not self.lows:
            return ""
        median = None if self.steady else self.median()
        ends = f"{spelled_value(self.lows[0].words)} .. {spelled_value(self.highs[0].words)}"
        return ends if median is None else f"{ends}, median {median}"

    @property
    def whole(self) -> bool:
        """Whether those at the ends have no fraction."""
        return all("." not in one.words and "e" not in one.words for one in (*self.lows, *self.highs))

    def far(self) -> list[Extreme]:
        """The numbers at the ends that are far out of the rest."""
        ordered = self._in_order()
        number = len(ordered)
        if number < FEWEST or not self.exact or self.steady:
            return []
        low, high = ordered[number // 4], ordered[number * 3 // 4]
        wide = max(high - low, ordered[number * 9 // 10] - ordered[number // 10], abs(ordered[number // 2]) / 4, 1e-9)
        least, most = low - FAR * wide, high + FAR * wide
        return [one for one in self.highs if one.value > most] + [one for one in self.lows if one.value < least]


class SpreadPlaces(Sequence[int]):
    """The rows of what is in lists and maps: the row of each, once for each of its elements. Made when asked for."""

    def __init__(self, lists: Sequence[Collection[object]], places: Sequence[int]) -> None:
        self._lists = lists
        self._places = places
        self._all: list[int] | None = None

    def __len__(self) -> int:
        return sum(map(len, self._lists))

    def __getitem__(self, at: int | slice) -> Any:  # noqa: ANN401  # one, or some
        if self._all is None:
            self._all = [place for one, place in zip(self._lists, self._places, strict=True) for _ in one]
        return self._all[at]

    def __iter__(self) -> Iterator[int]:
        return iter(self[:])

    def __reversed__(self) -> Iterator[int]:
        everything: list[int] = self[:]
        return reversed(everything)


def add_counts(
    counts: dict[Any, int],
    firsts: dict[Any, int],
    values: Sequence[Any],
    places: Sequence[int],
    *,
    padded: bool = False,
) -> list[Any]:
    """Count values, and remember where the new ones come first; these."""
    new: dict[Any, Any] = {}
    for value, count in counts_of(values).items():
        key = value.strip() if padded else value
        known = counts.get(key)
        if known is None:
            new[key] = value
            known = 0
        counts[key] = known + count
    if new:
        first_places = dict(zip(reversed(values), reversed(places), strict=True))
        firsts.update((key, first_places[value]) for key, value in new.items())
    return [*new]


def _ends(
    known: list[Extreme], values: Sequence[float], places: Sequence[int], words: Sequence[str], sign: int
) -> list[Extreme]:
    found = []
    for value in sorted(values, reverse=sign < 0)[:EXTREMES]:
        at = len(values) - 1 if values[-1] == value else values.index(value)
        found.append(Extreme(value, places[at], words[at].strip() if words else spelled_number(value)))
    return sorted({*known, *found}, key=lambda one: (sign * one.value, one.place))[:EXTREMES]


_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
_DATE = (
    r"(?:[A-Z][a-z]{2},? )?"
    r"(?:(?P<day>\d{1,2})[ -](?P<month>[A-Z][a-z]{2})[ -](?P<year>\d{4})(?:[ :](?P<time>\d\d:\d\d\S*))?"
    r"|(?P<month2>[A-Z][a-z]{2}) +(?P<day2>\d{1,2}) (?P<time2>\d\d:\d\d:\d\d) (?P<year2>\d{4})"
    r"|(?P<iso>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d))(?P<zone>(?: \S+)?)"
)


def ends_of_dates(values: Iterable[str]) -> tuple[str, str] | None:
    """The first and the last of values that are dates with names of months or days, all of one zone; else None.

    >>> ends_of_dates(["Tue, 17 Nov 2026 00:00:00 +0000", "Sat, 10 Oct 2026 16:00:00 +0000"])
    ('Sat, 10 Oct 2026 16:00:00 +0000', 'Tue, 17 Nov 2026 00:00:00 +0000')
    """
    match = compile_pattern(_DATE).fullmatch
    times: dict[tuple[int, int, int, str], str] = {}
    zones: set[str] = set()
    for value in values:
        found = match(value)
        part = found.groupdict() if found else {}
        if not part:
            return None
        zones.add(part["zone"])
        if part["iso"]:
            times[0, 0, 0, part["iso"]] = value
            continue
        month = _MONTHS.find(part["month"] or part["month2"])
        if month < 0 or month % 3:
            return None
        day, year, time = (part[name] or part[f"{name}2"] or "" for name in ("day", "year", "time"))
        times[int(year), month, int(day), time] = value
    if len({key[0] == 0 for key in times}) > 1:
        return None
    return (times[min(times)], times[max(times)]) if len(zones) == 1 else None


class Family:
    """What a table and those inside it share: how many columns they have at each depth, and what tells of trouble."""

    def __init__(self, bad_values: BadValues | None = None) -> None:
        self.bad_values = bad_values
        self._columns = [0] * len(MOST_AT_DEPTH)

    def count_column(self, depth: int) -> bool:
        """Whether there may be one more at this depth."""
        self._columns[depth] += 1
        return self._columns[depth] <= MOST_AT_DEPTH[depth]


MOST_PLACES, SAME_LENGTH = 40, 0.8  # cells of a row without names, and of such rows those that have as many


def are_tuples(rows: Sequence[object]) -> bool:
    """Whether rows are lists of as many cells, as a database answers: what stands at one place is a column.

    >>> are_tuples([[1, "a"], [2, "b"]]), are_tuples([["a"], ["b", "c", "d"]]), are_tuples([[{}, {}], [{}, {}]])
    (True, False, False)
    """
    lists = [row for row in rows if type(row) is list]
    lengths = [*map(len, lists)]
    if len(lengths) < len(rows) or not 1 < max(lengths, default=0) <= MOST_PLACES:
        return False
    counts = counts_of(lengths)
    usual = max(counts, key=lambda length: counts[length])
    plain = sum(type(cell) not in CONTAINERS for row in lists for cell in row)
    return usual > 1 and counts[usual] >= SAME_LENGTH * len(rows) and 4 * plain >= sum(lengths)


def cells_by_place(row: list[object]) -> dict[str, object]:
    """The cells of a row by their places.

    >>> cells_by_place(["a", 3])
    {'.0': 'a', '.1': 3}
    """
    return {f".{at}": cell for at, cell in enumerate(row)}


def flat_list(values: list[Any]) -> list[Any]:
    """The values in a list and in all lists inside it.

    >>> flat_list([1, [2, [3, []], 4], 5])
    [1, 2, 3, 4, 5]
    """
    flat: list[Any] = []
    waiting = [iter(values)]
    while waiting:
        for one in waiting[-1]:
            if isinstance(one, list):
                waiting.append(iter(one))
                break
            flat.append(one)
        else:
            waiting.pop()
    return flat
