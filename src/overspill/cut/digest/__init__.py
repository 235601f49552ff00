"""What a text adds up to: exact counts of all of it, made while its lines go by, told in a few statements.

A `Collector` adds up one aspect (lines that are alike, paths, messages at places, columns), block by block, in bounded
memory. A `Digest` is what it found, and writes as much of it as there is room for. `survey.Survey` decides by shares
it measures in the first lines which collectors a text is worth, and feeds them.

A statement is a line of ours that begins with `[`, or several of which the further ones begin with `[ `. Everything
in it can be counted again in the text: names and messages are written as they stand there, `+N` says how many are not
named. What cannot be counted exactly is not said. `docs/smart.md` lists the forms.

Here is also what all of them need, so that no view loads another module for it: how often things occur, what cells are
worth as numbers, and which names follow one another in a series.
"""

from __future__ import annotations

from itertools import accumulate, islice, repeat

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol, cached_property, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
    from re import Match
    from typing import TypeVar

    Thing = TypeVar("Thing", bound=Hashable)

OVERVIEW_SHARE = 0.55  # of the room: what is said of a text whose lines are shown, too


class Digest(Protocol):
    """Something to say of the whole text."""

    share: float  # of the room that it may take; above `OVERVIEW_SHARE` where it tells most of the lines

    def statements(self, room: int) -> tuple[str, ...]:
        """Lines of ours that take at most `room` characters, line ends included, the most telling first."""
        ...

    def tells(self, line: str) -> bool:
        """Whether the statements tell what this line of the text says, so that it need not be shown."""
        ...


class Collector(Protocol):
    """Adds up one aspect of a text."""

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        ...

    def digest(self) -> Digest | None:
        """What was found, or None where that is not worth a statement."""
        ...


MANY_LINES = 10_000


class TextLines:
    """The lines of a text and where they begin: found once for all that look at them.

    Of a text that is held in parts, `known` says how many lines at either end are the first and the last of all.
    """

    def __init__(self, text: str, known: tuple[int, int] = (0, 0)) -> None:
        self.text, self.known = text, known
        self.all = text.split("\n")
        self.rankings: list[tuple[int, int]] | None = None  # from where to where they go, where somebody looked

    @cached_property
    def starts(self) -> Sequence[int]:
        """Where each begins, and where one more would."""
        places = accumulate(map((1).__add__, map(len, self.all)), initial=0)
        if len(self.all) <= MANY_LINES:
            return [*places]
        from array import array  # which takes a quarter of the memory

        return array("q", places)

    @cached_property
    def ends(self) -> Sequence[int]:
        """Where each ends, its line end included."""
        ends = self.starts[1:]
        ends[-1] = len(self.text)  # type: ignore[index]  # a list, or an array
        return ends


def counts_of(things: Iterable[Thing]) -> dict[Thing, int]:
    """How often each occurs, in the order of their first."""
    counts: dict[Thing, int] = {}
    count_into(counts, things)
    return counts


def count_into(counts: dict[Thing, int], things: Iterable[Thing]) -> None:
    """Add how often each occurs to what is known."""
    _count(counts, things)


try:
    from _collections import _count_elements as _count  # type: ignore[import-not-found]  # what `Counter` is made of
except ImportError:  # pragma: no cover - not CPython

    def _count(counts: dict[Thing, int], things: Iterable[Thing]) -> None:
        for thing in things:
            counts[thing] = counts.get(thing, 0) + 1


LONG = 2_000  # characters


class SignTable:
    """Puts others in the place of some ASCII signs of a text, or leaves them out.

    `str.translate` is quick for long texts in ASCII alone: it looks up every sign of others, and to begin with a short
    one takes longer than going through it. So these are translated as bytes, in which no other letter has such a sign.

    >>> SignTable("=:", " ")("a=1: x"), SignTable("12", "ab")("0123"), SignTable("0123456789")("a1b22")
    ('a 1  x', '0ab3', 'ab')
    """

    def __init__(self, signs: str, others: str = "") -> None:
        others *= len(signs) if len(others) == 1 else 1
        self._long = str.maketrans(signs, others) if others else str.maketrans("", "", signs)
        self._table = bytes.maketrans(signs.encode(), others.encode()) if others else None
        self._without = b"" if others else signs.encode()

    def __call__(self, text: str) -> str:
        if len(text) > LONG and text.isascii():
            return text.translate(self._long)
        translated = text.encode("utf-8", "surrogatepass").translate(self._table, self._without)
        return translated.decode("utf-8", "surrogatepass")


with_one_digit = SignTable("123456789", "0")
without_digits = SignTable("0123456789")

DIFFERENT, MANY_ALIKE = 0.45, 120  # of the lines of what is written by hand, at least so many
SOME_TEXT = 1 << 16  # characters that are looked at


def repeats_itself(text: str) -> bool:
    r"""Whether lines say the same again and again but for numbers, as reports do: what is written by hand goes on.

    >>> report = "".join(f"Door {n}\n  is shut\n" for n in range(80))
    >>> repeats_itself(report), repeats_itself(report[:800])  # of a few lines nobody can tell
    (True, False)
    """
    lines = map(str.strip, with_one_digit(text[:SOME_TEXT]).split("\n"))
    said = [line for line in lines if len(line) > len("};") and any(map(str.isalnum, line))]  # no drawn ones
    return len({*said}) < DIFFERENT * len(said) and len(said) >= MANY_ALIKE


UNITS = {
    "": 1.0,
    "%": 1.0,
    "B": 1.0,
    ":": 1.0,  # 12: in front of a row
    "k": 1e3,
    "kB": 1024.0,
    "ns": 1e-9,
    "us": 1e-6,
    "\u00b5s": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
}
UNITS |= {
    letter + end: 1024.0**power for power, letter in enumerate("KMGTP", 1) for end in ("", "B", "iB", "i")
}  # fmt: skip
_DIGITS = "0123456789.+-,_eE"
_CODES = compile_pattern(r"(?m)^\s*(?:0\d|[\d+-]*[eE]\d)")  # 007, and 2e8 where it may be part of a hash
_PADDED = compile_pattern(r"\n0\d")
_without_numbers = SignTable("0123456789.+-eE ")


def as_numbers(values: Sequence[str]) -> list[float] | None:
    """What these cells are worth, if all of them are numbers, with a unit or without.

    >>> as_numbers(["3", "4.5"]), as_numbers(["2K", "1M"]), as_numbers(["1.2.3"]), as_numbers(["7%", "-"])
    ([3.0, 4.5], [2048.0, 1048576.0], None, None)
    >>> as_numbers(["0.5", "1.5e3"]), as_numbers(["00e8"]), as_numbers(["2e8"])
    ([0.5, 1500.0], None, None)
    """
    found = _worth(values)
    if found is None:
        return None
    block = "\n".join(["", *values])
    if "e" in block or "E" in block or " " in block or "\t" in block or not block.isascii():
        return None if _CODES.search(block) else found
    return None if "\n0" in block and _PADDED.search(block) else found  # which is looked for at once


def _worth(values: Sequence[str]) -> list[float] | None:
    try:
        unit = values[0].strip().lstrip(_DIGITS) if values else ""
        factor = UNITS[unit.strip()]  # most cells that are no numbers are told by the first
        signs = _without_numbers("".join(values))
        if not signs:
            return [*map(float, values)] or None
        if signs == unit.replace(" ", "") * len(values) and all(map(str.endswith, values, repeat(unit))):
            block = "\n".join([*values, ""])
            if block.count("\n") == len(values):
                return [number * factor for number in map(float, block.replace(f"{unit}\n", "\n").split("\n")[:-1])]
            return [float(value.removesuffix(unit)) * factor for value in values]
        result = []
        for cell in values:
            value = cell.strip()
            unit = value.lstrip(_DIGITS)
            result.append(float(value[: len(value) - len(unit)].replace(",", "")) * UNITS[unit.strip()])
    except (ValueError, KeyError):
        return None
    return result


LEAST_ID = 6  # characters of an id, on average
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%"
without_hex = SignTable("0123456789abcdefx-")


def are_hashes(values: list[str]) -> bool:
    """Whether values are digits in hexadecimal, as ids and digests are."""
    signs = "".join(values).lower() if values and not without_hex(values[0].lower()) else ""  # the first tells of most
    mixed = any(map(str.isdigit, signs)) and any(map(str.isalpha, signs))
    return mixed and len(signs) >= LEAST_ID * len(values) and signs.isascii() and not without_hex(signs)


def ends_of(values: list[str]) -> str:
    """The least and the greatest of numbers and dates."""
    numbers = as_numbers(values) or _with_unit(values)
    if numbers:
        return f"{values[numbers.index(min(numbers))]} .. {values[numbers.index(max(numbers))]}"
    low, high = min(values), max(values)
    # Most columns are told by the ends: the rest of them is not looked at.
    if not (len(low) == len(high) and low[:1].isdigit() and high[:1].isdigit()) or low.isalnum():
        return ""
    # Where all are as long as the first, what stands at one place of each is as far apart.
    block, step = "\n".join(values), len(low) + 1
    apart = len(block) + 1 == step * len(values) and block[len(low) :: step] == "\n" * (len(values) - 1)
    alike = apart and block.count("\n") == len(values) - 1 and block[::step].isdigit()
    dated = alike and not any(map(str.isalnum, values)) and not are_hashes(values)
    return f"{low} .. {high}" if dated else ""


def _with_unit(values: list[str]) -> list[float]:
    """What numbers are worth that all have the same unit, whatever it is; nothing where they have not."""
    unit = values[0][len(values[0].rstrip(LETTERS)) :]
    if not unit or as_numbers([values[0].removesuffix(unit)]) is None:  # as most that are no numbers
        return []
    if not all(value.endswith(unit) for value in values):
        return []
    return as_numbers([value.removesuffix(unit) for value in values]) or []


def around_number(values: list[str], start: str) -> tuple[str, str] | None:
    """What stands before and behind the one whole number that they differ in; they have their `start` in common.

    >>> around_number(["shelf_3.txt", "shelf_14.txt"], "shelf_"), around_number(["v1.2.3", "v1.4.0"], "v1.")
    (('shelf_', '.txt'), None)
    """
    head = start.rstrip("0123456789")
    if head in ("", "-", "+", ".") or not any(map(str.isdigit, values[0])):
        return None
    tail = values[0][len(head) :].lstrip("0123456789")
    decimal = (tail[:1] in (".", ",", ":") and tail[1:2].isdigit()) or (head[-1] in ".,:" and head[-2:-1].isdigit())
    if decimal or any(sign in head + tail for sign in '{}"'):
        return None
    if not all(value.endswith(tail) and value[len(head) : len(value) - len(tail)].isdecimal() for value in values[:3]):
        return None  # as of most: a few tell it
    # All at once: hundreds of values differ in a number as often as a few do.
    block = "\n".join(["", *values, ""])
    if block.count("\n") != len(values) + 1 or block.count(f"{tail}\n") < len(values):
        return None
    numbers = block.replace(f"\n{head}", "\n").replace(f"{tail}\n", "\n")
    return (head, tail) if "\n\n" not in numbers and numbers.replace("\n", "").isdecimal() else None


def shared_start(values: list[str]) -> str:
    """What all values begin with: what the least and the greatest do."""
    low, high = min(values), max(values)
    return next((low[:at] for at, sign in enumerate(low) if not high.startswith(sign, at)), low)


def is_plain(values: Sequence[str]) -> bool:
    """Whether these cells are made of nothing but what numbers are made of."""
    return not _without_numbers("".join(values))


BLANK = "\0"  # stands for one in quotes, where a text in quotes is one word
QUOTED = frozenset(' ,{}[]"\t\n\r')  # what a value is put in quotes for


class Series(NamedTuple):
    """Names that are numbered one after the other, and how they are written: `shelf_{3..9, 20..40..5}`."""

    words: str
    names: list[str]
    head: str
    numbers: str  # as they are listed, each with how many there are of it
    tail: str


LEAST_SERIES, LEAST_RUN, FEWER = 5, 3, 2.5  # names; numbers of a run; how many times as many as what is written
LONGEST_NUMBER = 15  # digits
_NUMBER, _TOO_LONG = compile_pattern(r"\d{1,15}"), compile_pattern(r"\d{16}")
MOST_RUNS = 30  # of one series
SOME_NAMES = 64  # by which it is seen whether a few series can tell all
SERIES = compile_pattern(r"\d+\.\.\d")


def series_in(counts: Mapping[str, int]) -> list[Series]:
    """Names that differ in one number alone, where these numbers follow one another in even steps.

    >>> [one.words for one in series_in({f"shelf_{n}.txt": 1 for n in (1, 2, 3, 4, 7, 12, 22, 32, 42)})]
    ['shelf_{1..4, 7, 12..42..10}.txt']
    """
    if _are_short_numbers(counts):  # with nothing around them
        return _series_at(1, [*counts], counts) if len(counts) >= LEAST_SERIES else []
    names = _names_of_one_form(counts)
    found: list[Series] = []
    for place in (1, 2, 3):
        if len(names) < LEAST_SERIES:
            break
        here = _series_at(place, names, counts)
        if here:
            taken = {name for one in here for name in one.names}
            names = [name for name in names if name not in taken]
        found += here
    return found


def _series_at(place: int, names: list[str], counts: Mapping[str, int]) -> list[Series]:
    """The series of names by the last number in them, by the last but one, ..."""
    found: list[Series] = []
    for (head, tail, count), own in _numbers_alike(names, counts, place).items():
        if not (_is_plain_name(head) and _is_plain_name(tail)) or head[-1:] == ":":
            continue  # minutes and seconds are told by their ends
        for width, numbers in _by_width(own).items():
            words = _numbers_in_steps(numbers, width) if len(numbers) >= LEAST_SERIES else []
            if words:
                series = [f"{head}{number:0{width}}{tail}" for number in numbers]
                found.append(_series(head, words, tail, series, count))
    return found


def series_of_all(counts: Mapping[str, int], longest: int) -> list[Series]:
    """The series that tell all of these names in so many characters; none where some are not told, or it takes more.

    >>> [one.words for one in series_of_all({f"{n}": 1 for n in range(3, 9)}, 20)]
    ['{3..8}']
    >>> series_of_all({f"{hour}:{minute:02}": 1 for hour in range(10, 15) for minute in range(60)}, 120)
    []
    """
    most = (longest + len(", ")) // len("{1..5}, ")
    found = series_in(counts) if _may_be_told([*islice(counts, SOME_NAMES)], most) else []
    if sum(len(one.names) for one in found) < len(counts):
        return []
    words = len(found[0].numbers) if len(found) == 1 else sum(len(one.words) + 2 for one in found) - 2
    return found if words <= longest else []


def _may_be_told(names: list[str], most: int) -> bool:
    """Whether so many series may tell these names, which are the first of many: mostly not even a few of them are told.

    >>> _may_be_told(["a1", "b1", "b2"], 2), _may_be_told(["a1", "b1", "c1"], 2)
    (True, False)
    """
    block = "\n".join(names)
    forms = counts_of(without_digits(block).split("\n")) if block.isascii() else {}
    if forms and sum(sorted(forms.values())[-most:]) < len(names):  # what is of one series has one form
        return False
    if len(names) > most + 1 and not _may_be_told(names[: most + 1], most):  # which is seen sooner
        return False
    sizes: list[int] = []
    for place in (1, 2, 3):
        around = ((head, tail) for head, digits, tail in _parts_around(names, place) if digits and head[-1:] != ":")
        sizes += counts_of(around).values()
    return sum(sorted(sizes)[-most:]) >= len(names)


def _numbers_alike(names: list[str], counts: Mapping[str, int], place: int) -> dict[tuple[str, str, int], list[str]]:
    """The numbers at one place of names that are equal but for it, and as frequent; where they are enough for a series.

    >>> names = ["a1", "a3", "a5", "b7", "a9", "a11"]
    >>> _numbers_alike(names, dict.fromkeys(names, 1), 1)
    {('a', '', 1): ['1', '3', '5', '9', '11']}
    """
    if _are_short_numbers(names):
        return _numbers_as_frequent(names, counts) if place == 1 else {}
    around = _parts_around(names, place)
    keys = [(head, tail, counts[name]) for name, (head, _, tail) in zip(names, around, strict=True)]
    alike: dict[tuple[str, str, int], list[str]] = {
        key: [] for key, number in counts_of(keys).items() if number >= LEAST_SERIES
    }
    for key, (_, digits, _) in zip(keys, around, strict=True) if alike else ():
        if digits and key in alike:
            alike[key].append(digits)
    return alike


def _are_short_numbers(names: Collection[str]) -> bool:
    return all(names) and "".join(names).isdecimal() and max(map(len, names)) <= LONGEST_NUMBER


def _numbers_as_frequent(numbers: list[str], counts: Mapping[str, int]) -> dict[tuple[str, str, int], list[str]]:
    """Numbers with nothing around them by how often they occur; where they are enough for a series."""
    alike: dict[int, list[str]] = {}
    for number in numbers:
        alike.setdefault(counts[number], []).append(number)
    return {("", "", count): own for count, own in alike.items() if len(own) >= LEAST_SERIES}


def _names_of_one_form(counts: Mapping[str, int]) -> list[str]:
    """Of names those that may differ from some others in a number alone, which most are seen not to do at once.

    >>> _names_of_one_form({"up": 1, **{f"a{n}": 1 for n in range(5)}, "b1": 1, "a7": 2})
    ['a0', 'a1', 'a2', 'a3', 'a4']
    """
    block = "\n".join(counts)
    if len(counts) < LEAST_SERIES or not _NUMBER.search(block):
        return []
    forms = without_digits(block).split("\n")
    if not block.isascii() or len(forms) != len(counts):
        return [*counts]
    keys = [*zip(forms, counts.values(), strict=True)]
    many = {key for key, number in counts_of(keys).items() if number >= LEAST_SERIES}
    return [name for name, key in zip(counts, keys, strict=True) if key in many] if many else []


def _parts_around(names: list[str], place: int) -> list[tuple[str, str, str]]:
    """What stands before the last number of each name, or before its last but one, ..., the number, and what follows.

    >>> _parts_around(["a1b2.c", "a"], 1), _parts_around(["a1b2.c", "a"], 2)
    ([('a1b', '2', '.c'), ('', '', '')], [('a', '1', 'b2.c'), ('', '', '')])
    """
    block = "\n".join(names)
    if names and _are_short_numbers(names):
        return [("", name, "") for name in names] if place == 1 else [("", "", "")] * len(names)
    if block.count("\n") == len(names) - 1 and not _TOO_LONG.search(block):  # all of them at once
        further = r"[^\d\n]+\d+" * (place - 1)
        pattern = rf"(?m)^(?:(|.*[^\d\n])(\d+)({further}[^\d\n]*)|.*)$"
        found: list[tuple[str, str, str]] = compile_pattern(pattern).findall(block)
        return found
    return [_parts_of_one(name, [*_NUMBER.finditer(name)], place) for name in names]


def _parts_of_one(name: str, numbers: list[Match[str]], place: int) -> tuple[str, str, str]:
    if len(numbers) < place:
        return "", "", ""
    start, end = numbers[-place].span()
    return name[:start], name[start:end], name[end:]


def _series(head: str, words: list[str], tail: str, names: list[str], count: int) -> Series:
    each = f" {count} each" if count > 1 else ""
    listed = ", ".join(f"{one}{each if '..' in one else each.removesuffix(' each')}" for one in words)
    return Series(f"{head}{{{', '.join(words)}}}{tail}{each}", names, head, listed, tail)


def _by_width(digits: list[str]) -> dict[int, list[int]]:
    """Numbers by the digits that all of them are written with, where some begin with zeros; 0 for any others.

    >>> _by_width(["08", "09", "10", "7", "100"]), _by_width(["8", "9", "10"])
    ({2: [8, 9, 10], 0: [7, 100]}, {0: [8, 9, 10]})
    """
    if "\n0" not in "\n".join(["", *digits]):  # as of most
        return {0: [*map(int, digits)]}
    padded = {len(one) for one in digits if one[0] == "0" and one != "0"}
    found: dict[int, list[int]] = {}
    for one in digits:
        found.setdefault(len(one) if len(one) in padded else 0, []).append(int(one))
    return found


def _is_plain_name(part: str) -> bool:
    return QUOTED.isdisjoint(part) and part.isprintable() and part[:1] != "+"


def _numbers_in_steps(numbers: list[int], padded: int) -> list[str]:
    """Numbers that follow one another, in even steps; nothing where that says little less than all of them."""
    numbers.sort()
    items: list[str] = []
    at, most = 0, min(MOST_RUNS, len(numbers) / FEWER)
    while at < len(numbers):
        if len(items) > most:
            return []
        last = at + 1
        step = numbers[last] - numbers[at] if last < len(numbers) else 0
        while last < len(numbers) and numbers[last] - numbers[last - 1] == step:
            last += 1
        first = f"{numbers[at]:0{padded}}"
        if last - at >= LEAST_RUN:
            items.append(f"{first}..{numbers[last - 1]:0{padded}}" + (f"..{step}" if step > 1 else ""))
            at = last
        else:
            items.append(first)
            at += 1
    return items if len(items) <= most else []
