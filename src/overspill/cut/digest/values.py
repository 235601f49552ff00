"""The values of one column, counted while they are not too many: texts, and numbers with their ends.

>>> numbers = NumberColumn()
>>> numbers.add([3, 90, 14], [0, 1, 2])
>>> numbers.lows[0].words, numbers.highs[0].words, numbers.median()
('3', '90', '14')
>>> listed_values({"b": 7, "failed": 1, "c d": 2}, 40), listed_values({f"src/{n}.py": 1 for n in range(7)}, 80)
('failed, "c d" 2, b 7', 'src/{0..6}.py')
"""

from __future__ import annotations

from _collections_abc import Sequence
from itertools import accumulate

from overspill._lite import TYPE_CHECKING, NamedTuple, cached_property
from overspill.cut.digest import QUOTED, SERIES, counts_of, series_in

if TYPE_CHECKING:
    from array import array
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any

MOST_VALUES = 2_000  # distinct ones of a column; of more it is only known that they are many
MOST_CHARS = 100_000  # of them
MOST_DISTINCT = 250  # numbers of a column that are counted one by one
MOST_NUMBERS = 50_000  # of a column, for the median
LONGEST_SHARED = 60  # of a value that all rows have
FAR = 8.0  # times the width of the middle half of all numbers
EXTREMES = 3  # rows at either end of a column of numbers that are remembered
EXACT = 1 << 53  # whole numbers below are what they seem to be
FEW = 24  # values that are written with their counts
MOSTLY_NUMBERED = 8  # names that one entry stands for, on average: also where they are paths
HEADS_SHARE = 0.6  # of the room for names in many groups, at the most, for what the groups are called
ALIKE = 0.8  # of the names, if they are to be written in groups
SAVED = 5  # one in so many characters is saved
FEWEST = 12  # among fewer rows nothing is rare
LONGEST_VALUE = 120  # longer ones are not written

WORDS = {True: "true", False: "false", None: "null"}


class Extreme(NamedTuple):
    """A number at an end of its column, as it is spelled, and its row."""

    value: float
    place: int
    words: str


class ValueCounts:
    """Counts strings while they are not too many."""

    def __init__(self, most: int = MOST_VALUES) -> None:
        self.number = 0
        self._most = most
        self.counts: dict[str, int] | None = {}
        self.firsts: dict[str, int] = {}
        self.ends: tuple[str, str] | None = ("", "")  # the least and the greatest, where they are dates and the like
        self._chars = 0

    def add(self, values: Sequence[str], places: Sequence[int], *, padded: bool = False) -> None:
        """Take the next strings; where they are `padded`, blanks around them do not matter."""
        self.number += len(values)
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


def spelled_number(value: float | str) -> str:
    """A number as JSON writes it, or as it was spelled."""
    return value if isinstance(value, str) else repr(value)


def value_word(value: object) -> str:
    """A value that is no object or list, as it is written."""
    if isinstance(value, str):
        return value
    return WORDS[value] if value is None or isinstance(value, bool) else repr(value)


def is_quoted(value: str) -> bool:
    """Whether a text begins and ends with a quote."""
    return value[:1] == '"' == value[-1:] and len(value) > 1


def json_word(value: str) -> str:
    """A string in quotes, as JSON writes it."""
    if value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    from json import dumps

    return dumps(value, ensure_ascii=False)


def listed_values(counts: Mapping[str, int], room: int) -> str:
    """Values with how many rows have them, rare first; `+N` for those that are not named."""
    return ValueList(counts).within(room)


class ValueList:
    """Values and how many rows have each, spelled once however many lengths they are listed in."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._number = len(counts)
        self._counts = counts

    @cached_property
    def _names(self) -> dict[str, int]:
        return {value: count for value, count in self._counts.items() if len(value) <= LONGEST_VALUE}

    @cached_property
    def _separator(self) -> str:
        """What stands between the parts of values that are paths; else nothing."""
        if self._number <= FEWEST // 2 or any(map(is_quoted, self._names)):
            return ""
        paths = next((sign for sign in ("/", ".") if _are_paths(self._names, sign)), "")
        fewer = len(self._names) / max(1, len(self._entries))  # runs say it in fewer words
        if paths or fewer > 2:  # noqa: PLR2004
            return paths if fewer <= MOSTLY_NUMBERED or len(self._entries) > FEWEST // 2 else ""
        return next((sign for sign in "-_:" if _share_begins(self._names, sign)), "")

    @cached_property
    def _tree(self) -> NameGroups:
        return NameGroups(self._names, self._separator, self._number - len(self._names))

    @cached_property
    def _entries(self) -> list[ListEntry]:
        return list_entries(sorted(self._names.items(), key=lambda one: one[1]))

    def within(self, room: int) -> str:
        """As many of them as there is room for."""
        unnamed = self._number - len(self._names)
        if self._separator:
            return self._tree.within(room)
        entries = self._entries
        widths = [len(one.words) + 2 for one in entries]
        if sum(widths) + (len(f"+{unnamed}") if unnamed else 0) <= room + 2:
            return ", ".join([*(one.words for one in entries), *([f"+{unnamed}"] if unnamed else [])])
        if not entries:
            return f"+{unnamed}"
        left = room - len(f"+{self._number}")
        chosen: set[int] = set()
        for order in (range(len(entries)), range(len(entries) - 1, -1, -1)):
            share = left // 2 if not chosen and entries[0].rows != entries[-1].rows else left
            for at in order:
                if at in chosen or widths[at] > share:
                    break
                chosen.add(at)
                share -= widths[at]
                left -= widths[at]
        named = [entries[at] for at in sorted(chosen)]
        return ", ".join([*(one.words for one in named), f"+{self._number - _values_in(named)}"])


class ListEntry(NamedTuple):
    """What is written of a value, or of a run of several, and how many rows each of them has."""

    words: str
    values: int
    rows: int


def list_entries(counts: Iterable[tuple[str, int]]) -> list[ListEntry]:
    """Values as they are written: those whose last number counts on from one to the next stand there once.

    >>> [one.words for one in list_entries([*((f"web-{number:02}", 1) for number in range(7, 32)), ("db", 2)])]
    ['web-{07..31}', 'db 2']
    """
    counts = [*counts]
    series = {name: one for one in series_in(dict(counts)) for name in one.names}
    entries: dict[int, ListEntry] = {}
    for at, (value, count) in enumerate(counts):
        one = series.get(value)
        if one is None:
            entries[at] = ListEntry(_entry(value, count), 1, count)
        else:
            entries.setdefault(-1 - id(one), ListEntry(one.words, len(one.names), count))
    return [*entries.values()]


def _are_paths(names: Mapping[str, int], separator: str) -> bool:
    heads = [name.rpartition(separator)[0] for name in names]
    if 2 * sum(" " in name for name in names) > len(names):  # as commands, of which some are called by a path
        return False
    if separator == "." and any(not name.replace(".", "a").replace("_", "a").isalpha() for name in names):
        return False
    return 2 * (len(heads) - heads.count("")) > len(heads) and 2 * len(set(heads)) <= len(heads)


def _share_begins(names: Mapping[str, int], separator: str) -> bool:
    """Whether names begin alike, so that writing their beginnings once saves a part of them: `web-1, web-2, db-1`."""
    if len(names) <= FEWEST or sum(separator in name for name in names) < ALIKE * len(names):
        return False
    heads = counts_of([head + sign for head, sign, _ in (first_part(name, separator) for name in names) if head])
    saved = sum(len(head) * (count - 1) - 4 for head, count in heads.items() if count > 1)
    return SAVED * saved >= sum(map(len, names))


def first_part(name: str, separator: str) -> tuple[str, str, str]:
    """What stands before the first separator, if that is a word; with it, and after it.

    >>> first_part("web-1-a", "-"), first_part("7-b", "-")
    (('web', '-', '1-a'), ('', '', '7-b'))
    """
    found = name.partition(separator)
    return found if found[0].isalpha() and found[2] else ("", "", name)


class NameGroups:
    """Names by what stands before their last separator: of every group as many as of any other, `+N` for the rest."""

    def __init__(self, names: Mapping[str, int], separator: str, unnamed: int) -> None:
        from posixpath import commonprefix

        shared = commonprefix([*names]).rpartition(separator) if separator in "/." else ("", "", "")
        self._prefix = shared[0] + shared[1]
        self._number = len(names) + unnamed
        self._unnamed = unnamed
        groups: dict[str, list[tuple[str, int]]] = {}
        for name, count in sorted(names.items()):
            bare = name[len(self._prefix) :].rstrip(separator)
            head, slash, _last = bare.rpartition(separator) if separator in "/." else first_part(bare, separator)
            start = len(self._prefix) + len(head + slash)
            groups.setdefault(head + slash, []).append((name[start:], count))
        self._groups = {head: list_entries(entries) for head, entries in groups.items()}
        self._alone = self._groups.pop("", [])
        for head, (one, *others) in [*self._groups.items()]:
            if not others and one.words[0] != '"' and spelled_value(head) == head:
                self._alone.append(one._replace(words=head + one.words))
                del self._groups[head]
        self._sums = {
            head: [*accumulate((len(one.words) for one in entries), initial=0)]
            for head, entries in [*self._groups.items(), ("", self._alone)]
        }
        self._known = {  # how many values the first, the first two, ... of each group are
            head: [*accumulate((one.values for one in entries), initial=0)]
            for head, entries in [*self._groups.items(), ("", self._alone)]
        }
        self._most = max(map(len, [*self._groups.values(), self._alone]))

    def within(self, room: int) -> str:
        """As many as there is room for: of every group as many as of any other, and then more of the largest."""
        left = room - len(f", +{self._number}") - (len(self._prefix) + 2 if self._prefix else 0)
        heads = self._told_heads(left)
        low, high = -1, self._most
        while low < high:
            middle = (low + high + 1) // 2
            if self._width(middle, heads) <= left:
                low = middle
            else:
                high = middle - 1
        if low < 0:
            return self._written({})
        numbers = dict.fromkeys(heads, low)
        left -= self._width(low, heads)
        for head in heads:
            entries = self._groups.get(head, self._alone)
            while numbers[head] < len(entries) and len(entries[numbers[head]].words) + 2 <= left:
                left -= len(entries[numbers[head]].words) + 2
                numbers[head] += 1
        return self._written(numbers)

    def _told_heads(self, left: int) -> list[str]:
        """The groups that are told, the largest first: most of the room is for the names in them."""
        sizes = {head: known[-1] for head, known in self._known.items()}
        heads = sorted(sizes, key=lambda head: -sizes[head])
        width, chosen = 0, list[str]()
        for head in heads:
            width += len(spelled_value(head)) + len(f"{{+{sizes[head]}}}, ") if head else 0
            if chosen and width > left * (HEADS_SHARE if len(heads) > FEW else 1.0):
                break
            chosen.append(head)
        return chosen

    def _width(self, most: int, heads: list[str]) -> int:
        """What it takes to write so many of each of these groups."""
        width = 0
        for head in heads:
            sums = self._sums[head]
            number = min(most, len(sums) - 1)
            width += sums[number] + 2 * number
            if head:
                rest = self._known[head][-1] - self._known[head][number]
                width += len(spelled_value(head)) + 4 + (len(f"+{rest}") if rest else 0)
        return width

    def _written(self, numbers: Mapping[str, int]) -> str:
        """So many of each group."""
        alone = numbers.get("", 0)
        parts = [one.words for one in self._alone[:alone]]
        unnamed = self._unnamed + _values_in(self._alone[alone:])
        unnamed += sum(_values_in(entries) for head, entries in self._groups.items() if head not in numbers)
        for head in sorted(self._groups.keys() & numbers.keys()):
            named, left = self._groups[head][: numbers[head]], _values_in(self._groups[head][numbers[head] :])
            words = [*(one.words for one in named), *([f"+{left}"] if left else [])]
            parts.append(f"{spelled_value(head)}{{{', '.join(words)}}}")
        if not parts:
            return f"+{unnamed}"
        listed = ", ".join([*parts, *([f"+{unnamed}"] if unnamed else [])])
        if len(parts) == 1 and not unnamed and parts[0][0] != '"' and spelled_value(self._prefix) == self._prefix:
            return self._prefix + listed
        return f"{spelled_value(self._prefix)}{{{listed}}}" if self._prefix else listed


def _values_in(entries: list[ListEntry]) -> int:
    return sum(one.values for one in entries)


def _entry(value: str, count: int) -> str:
    return spelled_value(value) if count == 1 else f"{spelled_value(value)} {count}"


def spelled_value(value: str) -> str:
    """A value as it is written: in quotes where it could be taken for more than one."""
    if is_quoted(value):
        return value
    plain = (
        value
        and QUOTED.isdisjoint(value)
        and (value.isascii() or len(value.split()) == 1)
        and not (value[0] == "+" and value[1:].isdigit())
        and not (".." in value and SERIES.match(value))
    )
    return value if plain else json_word(value)
