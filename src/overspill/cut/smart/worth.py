"""What words are worth: the rarer in the text the more, once. And lines: the more of a kind are shown, the less.

And statements, which say what they tell of in more and more words.

>>> said = Vocabulary(["open a.txt", "open b.txt", "close 17"])
>>> said.worth(["open", "a.txt"]) > said.worth(["close"]) > said.worth(["17"])
True
"""

from __future__ import annotations

from _operator import mul
from heapq import heapify, heappop, heappush, heapreplace
from itertools import chain
from math import log

from overspill._lite import TYPE_CHECKING, Protocol, cached_property, compile_pattern
from overspill.cut.digest import SignTable, counts_of, with_one_digit
from overspill.cut.digest.templates import GROUP_WIDTH, WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from re import Match

    from overspill.cut.digest.templates import Alike

_without_breaks = SignTable("=,;:/()[]{}<>|`\"'", " ")
_HEX = "0123456789abcdefxABCDEF-"
_as_forms = SignTable(
    "0123456789abcdefxABCDEFghijklmnopqrstuvwyzGHIJKLMNOPQRSTUVWXYZ", "0" * 10 + "a" * 13 + "z" * 39
)  # a sign for all that no kind of words tells apart
FAMILY = 20  # words that differ in digits alone, of which each is as good as any other word
LEAST_HEX = 6  # characters
SHORT = 3  # letters of a word that hardly says anything
NUMBER, HEX, SMALL = 0.2, 0.05, 0.3  # what these are worth beside a word
VERSION = 0.4  # and one that is digits for the most part
COMMON, SLIGHT = 0.3, 0.9  # what a word in every line is worth, beside what being rare adds; and one like many others


MOST_WRITTEN = 400  # names of a series
_NUMBERS = r"\d{1,15}(?:\.\.\d{1,15}){0,2}(?: \d+(?: each)?)?"
_SERIES = compile_pattern(rf"([^\s{{}},]*)\{{+(?=[^{{}}]*\d\.\.\d)({_NUMBERS}(?:, {_NUMBERS})*)\}}([^\s{{}},]*)")


def words_of(text: str) -> list[str]:
    """The words of a text, each once, signs between them aside.

    What a series stands for is told by it.

    >>> words_of("src/a.py:3: x = y(x)"), words_of("lid_{3..7..2}.txt")
    (['src', 'a.py', '3', 'x', 'y'], ['lid_3.txt', 'lid_5.txt', 'lid_7.txt'])
    """
    if ".." in text and "{" in text:
        text = _SERIES.sub(_written_out, text)
    return [*dict.fromkeys(_without_breaks(text).split())]


def _written_out(series: Match[str]) -> str:
    """The first names that a series stands for."""
    head, listed, tail = series.groups()
    if not any(map(str.isalpha, head + tail)):
        return listed  # numbers alone: a line may say of which of them something else is true
    names: list[str] = []
    for item in listed.split(", "):
        first, last, step = [*item.partition(" ")[0].split(".."), "", ""][:3]
        numbers = range(int(first), int(last or first) + 1, int(step or 1) or 1)
        names += (f"{head}{number:0{len(first) if first[0] == '0' else 0}}{tail}" for number in numbers[:MOST_WRITTEN])
    return " ".join(names)


EACH = "; each *: "  # before what stands in each line of a statement
_LIST = compile_pattern(r"([^\s{},]*)\{([^{}]*)\}([^\s{},]*)")


def words_of_statement(statement: str) -> list[str]:
    """The words of what it tells of: what stands before and behind a list of values belongs to each of them.

    >>> words_of_statement("[9x ~[T-{17, 20 2, +6}] failed]")
    ['9x', '~', 'T-17', 'T-20', '+6', 'failed']
    >>> words_of_statement("[2x ~T-* at *; each *: 17 -> 3 x2; 20 -> 4]")
    ['2x', '~T-17', 'at', '3', '~T-20', '4']
    """
    pattern, each, said = statement.partition(EACH)
    if each:
        stars = pattern.split("*")
        rows = (row.partition(" -> ") for row in said.removesuffix("]").split("; "))
        cells = ((*first.split(" "), last.partition(" x")[0]) for first, _, every in rows for last in every.split(", "))
        statement = " ".join("".join(chain.from_iterable(zip(stars, (*row, ""), strict=False))) for row in cells)
    return words_of(_LIST.sub(_with_ends, statement) if "{" in statement and not each else statement)


def _with_ends(listed: Match[str]) -> str:
    """Each value of a list with what stands around it; numbers from one to another are no values."""
    head, values, tail = listed.groups()
    if not (head or tail) or ".." in values:
        return listed[0]
    return " ".join(
        f"{head}{one}{tail}" if one[:1] != "+" else one for one in (two.partition(" ")[0] for two in values.split(", "))
    )


class Vocabulary:
    """The words of lines and what each is worth; those that were told are worth nothing any more."""

    def __init__(self, lines: Sequence[str]) -> None:
        block = _without_breaks("\n".join([*lines, ""]))
        self.rows = [*map(str.split, block.split("\n")[:-1])]
        words = [*map(len, map(set, self.rows))]
        if words != [*map(len, self.rows)]:  # some say a word twice
            self.rows = [
                row if len(row) == number else [*dict.fromkeys(row)]
                for row, number in zip(self.rows, words, strict=True)
            ]
        counts = counts_of(chain.from_iterable(self.rows))
        whole = log(max(2, len(lines)))
        shares = {count: COMMON + 1 - log(count) / whole for count in {*counts.values()}}
        rare = map(shares.__getitem__, counts.values())
        forms = with_one_digit("\n".join(counts)).split("\n")  # of which there are far fewer than words
        families = counts_of(forms)
        kinds, left = _kind_worths([*families]), _family_shares(families)
        worths = map(mul, map(mul, map(kinds.__getitem__, forms), rare), map(left.__getitem__, forms))
        self._worth: dict[str, float] = dict(zip(counts, worths, strict=False))
        self._shares = map(mul, map(kinds.__getitem__, forms), map(left.__getitem__, forms))

    def worth(self, words: Iterable[str]) -> float:
        """What these words would add."""
        return sum([*filter(None, map(self._worth.get, words))])

    def telling_rows(self) -> list[int]:
        """Which of its own rows would add anything."""
        mute = {word for word, worth in self._worth.items() if not worth}
        return [at for at, row in enumerate(self.rows) if row and not (mute and mute.issuperset(row))]

    @property
    def worth_of(self) -> Callable[[str], float]:
        """What one word would add; nothing where it is not known."""
        return self._worth.get  # type: ignore[return-value]  # None is nothing, too: as true as 0.0

    @property
    def worth_of_own(self) -> Callable[[str], float]:
        """What one word of its own rows would add."""
        return self._worth.__getitem__

    def worths(self, rows: Iterable[Iterable[str]]) -> list[float]:
        """What each of its own rows would add, or what is left of them."""
        worth = self._worth.__getitem__
        return [sum(map(worth, row)) for row in rows]

    @cached_property
    def slight(self) -> frozenset[str]:
        """Numbers and the like, short words, and words that differ from many others in digits alone."""
        return frozenset(word for word, share in zip(self._worth, self._shares, strict=False) if share < SLIGHT)

    def tell(self, words: Iterable[str]) -> None:
        """Take these as told."""
        self._worth.update(dict.fromkeys(words, 0.0))

    def fresh(self) -> Vocabulary:
        """The vocabulary as it is now, to be told in another view."""
        other = Vocabulary([])
        other.rows, other._worth = self.rows, self._worth.copy()
        return other


def _kind_worths(words: list[str]) -> dict[str, float]:
    """What each of these words is worth by its kind: words of one form, of which there are few, are worth the same.

    >>> _kind_worths(["done", "0x0000ffff", "0x0000fffe"])
    {'done': 1.0, '0x0000ffff': 0.05, '0x0000fffe': 0.05}
    """
    forms = _as_forms("\n".join(words)).split("\n")
    known = {form: _kind_worth(form) for form in {*forms}}
    return dict(zip(words, map(known.__getitem__, forms), strict=False))


def _family_shares(families: Mapping[str, int]) -> dict[str, float]:
    """What is left of the worth of each word of as many that differ in digits alone: one is much like another.

    >>> _family_shares({"done": 1, "job-00": 80})
    {'done': 1.0, 'job-00': 0.5}
    """
    return {form: (FAMILY / count) ** 0.5 if count > FAMILY else 1.0 for form, count in families.items()}


def _kind_worth(word: str) -> float:
    """What a word is worth by its kind.

    >>> [_kind_worth(word) for word in ("is", "done", "17", "0x7ffe79789460", "a.txt", "--")]
    [0.3, 1.0, 0.2, 0.05, 1.0, 0.0]
    """
    if word.isalpha():
        return 1.0 if len(word) >= SHORT else SMALL
    if word.isdigit():
        return NUMBER
    if len(word) >= LEAST_HEX and not word.strip(_HEX):
        return HEX if word.strip("0123456789-") else NUMBER if word.strip("-") else 0.0
    if word.lower() != word.upper() or any(map(str.isalpha, word)):  # of most words the first tells
        return VERSION if 2 * sum(map(str.isdigit, word)) > len(word) else 1.0
    return NUMBER if any(map(str.isdigit, word)) else 0.0


_without_numbers = SignTable("0123456789.,:;+-eE*|%()[]{} \t")


def bare_lines(lines: Sequence[str]) -> list[bool]:
    """Whether each of these lines is numbers alone, whatever stands between them.

    >>> bare_lines(["   * 1.86e+03  -3.0", "a0 = 0.47", "| 3 | 4% |"]), bare_lines([])
    ([True, False, True], [])
    """
    return [not rest for rest in _without_numbers("\n".join(lines)).split("\n")] if lines else []


_without_names = SignTable("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#._-/ \t")
AGAIN, AGAIN_SHAPED = 0.6, 0.3  # how fast the worth of lines that are alike falls, and of those of one shape


def shape_of(kind: str) -> str:
    """The signs in a kind of lines, each once: rows of one table have the same, whatever is named in them.

    >>> shape_of("| src/a.py | # | #% |"), shape_of("| load (#) | MISSED |")
    ('|%', '|()')
    """
    return "".join(dict.fromkeys(_without_names(kind)))


class Shares(Protocol):
    """By how much less something is worth because of what is shown."""

    def know(self, kinds: Iterable[str]) -> None: ...
    def shape(self, kind: str) -> str: ...
    def of_kind(self, kind: str) -> float: ...
    def of_shape(self, shape: str) -> float: ...


class OfferQueue:
    """Offers, those first that are worth most; what they are worth falls while others are taken.

    It falls for all of a kind at once, and of a shape: so there is a heap for each kind, one for each shape of the best
    of its kinds, and one of the best of each shape. What stands in them is what something was worth when it was last
    looked at: only what comes first is looked at again.
    """

    def __init__(
        self,
        values: Iterable[tuple[int, float]],
        kinds: Sequence[str],
        value: Callable[[int], float],
        shares: Shares,
    ) -> None:
        self._kind, self._value, self._shares = kinds, value, shares
        self._kinds: dict[str, list[tuple[float, int]]] = {}
        for at, worth in values:
            if worth:
                name = kinds[at]
                if name in self._kinds:
                    self._kinds[name].append((-worth, at))
                else:
                    self._kinds[name] = [(-worth, at)]
        self._tops: dict[str, tuple[float, int, str]] = {}  # the best of each kind, and of each shape:
        self._leads: dict[str, tuple[float, int, str]] = {}  # what was that before is passed over in the heaps
        self._shapes: dict[str, list[tuple[float, int, str]]] = {}
        shares.know(self._kinds)
        for name, heap in self._kinds.items():
            heapify(heap)
            top = self._tops[name] = (heap[0][0] / shares.of_kind(name), heap[0][1], name)
            self._shapes.setdefault(shares.shape(name), []).append(top)
        for shape, tops in self._shapes.items():
            heapify(tops)
            self._leads[shape] = (tops[0][0] / shares.of_shape(shape), tops[0][1], shape)
        self._best = [*self._leads.values()]
        heapify(self._best)

    def push(self, at: int) -> None:
        """Look at this one again: it became worth more."""
        worth = self._value(at)
        if not worth:
            return
        kind, one = self._kind[at], (-worth, at)
        heap = self._kinds.setdefault(kind, [])
        heappush(heap, one)
        if heap[0] is one:
            shape = self._shares.shape(kind)
            top = self._tops[kind] = (-worth / self._shares.of_kind(kind), at, kind)
            tops = self._shapes.setdefault(shape, [])
            heappush(tops, top)
            if tops[0] is top:
                self._leads[shape] = (top[0] / self._shares.of_shape(shape), at, shape)
                heappush(self._best, self._leads[shape])

    def drop(self, kind: str, keep: Callable[[int], bool]) -> None:
        """Let go of a kind at once, but for some: hundreds that nobody would take need not be looked at one by one."""
        heap = self._kinds.get(kind, [])
        heap[:] = [one for one in heap if keep(one[1])]
        heapify(heap)

    def pop(self) -> int | None:
        """What is worth most now, if there is anything."""
        best = self._best
        while best:
            shape = best[0][2]
            if best[0] is not self._leads.get(shape):
                heappop(best)
                continue
            top = self._top_of(shape)
            if top is None:
                heappop(best)
                del self._leads[shape]
                continue
            now = (top[0] / self._shares.of_shape(shape), top[1], shape)
            if now != best[0]:
                self._leads[shape] = now  # it became less, or is another one
                heapreplace(best, now)
                continue
            heappop(self._kinds[top[2]])
            return now[1]
        return None

    def _top_of(self, shape: str) -> tuple[float, int, str] | None:
        """What is worth most of a shape now, if there is anything."""
        tops, known, value = self._shapes[shape], self._tops, self._value
        while tops:
            kind = tops[0][2]
            if tops[0] is not known.get(kind):
                heappop(tops)
                continue
            heap = self._kinds[kind]
            while heap:
                less, at = heap[0]
                worth = value(at)
                if worth == -less:
                    break
                if worth:
                    heapreplace(heap, (-worth, at))
                else:
                    heappop(heap)
            if not heap:
                heappop(tops)
                del known[kind]
                continue
            now = (heap[0][0] / self._shares.of_kind(kind), heap[0][1], kind)
            if now == tops[0]:
                return now
            known[kind] = now
            heapreplace(tops, now)
        return None


class ShownShares:
    """How many lines of each kind and of each shape are shown, and what that leaves of the worth of others."""

    def __init__(self) -> None:
        self._kinds: dict[str, int] = {}
        self._shapes: dict[str, int] = {}
        self._known: dict[str, str] = {"": ""}  # shapes of kinds

    def note(self, kind: str) -> None:
        """One more is shown."""
        shape = self.shape(kind)
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        self._shapes[shape] = self._shapes.get(shape, 0) + 1

    def know(self, kinds: Iterable[str]) -> None:
        """Find the shapes of many kinds at once: few have signs that no other has."""
        new = [kind for kind in kinds if kind not in self._known]
        signs = _without_names("\n".join(new)).split("\n")
        if len(signs) == len(new):  # none of them has several lines
            shapes = {some: f" {''.join(dict.fromkeys(some))}" for some in {*signs}}
            self._known.update(zip(new, map(shapes.__getitem__, signs), strict=True))

    def number(self, kind: str) -> int:
        """How many of a kind are shown."""
        return self._kinds.get(kind, 0)

    def shape(self, kind: str) -> str:
        """What a kind shares with others; what is of no kind shares nothing."""
        shape = self._known.get(kind)
        if shape is None:
            shape = self._known[kind] = f" {shape_of(kind)}"
        return shape

    def of_kind(self, kind: str) -> float:
        return float((1 + self._kinds.get(kind, 0)) ** AGAIN) if kind else 1.0

    def of_shape(self, shape: str) -> float:
        return float((1 + self._shapes.get(shape, 0)) ** AGAIN_SHAPED) if shape else 1.0


COUNTED = 0.3  # what it is worth to know how many lines are alike
PAIRED = 0.2  # and, for each of them, which words of it go together
STEPS = (WIDTH, 260, 400, 640, 1_000, 1_600, 2_500, GROUP_WIDTH)  # characters of a statement, from short to long
LONGEST_COUNT = 16  # characters before what a statement says
SOME = 60  # paths: more of them cannot be told


class Telling:
    """A statement that may be made: what is said so far, and what could be said next."""

    __slots__ = ("_step", "alike", "factor", "next", "said", "words")

    def __init__(self, alike: Alike) -> None:
        self.alike, self.said, self._step = alike, "", 0
        self.factor = 1.0  # more where it tells of trouble
        self.next = alike.statement(STEPS[0])
        self.words = words_of_statement(self.next)

    @property
    def tears(self) -> bool:
        """Whether what its lines begin with varies, such as a place: it is not told with what they go on with."""
        return "#" in getattr(self.alike, "prefix", "")

    @property
    def cost(self) -> int:
        """Characters that it would take, the line end included."""
        return len(self.next) - len(self.said) + (not self.said)

    @property
    def counted(self) -> float:
        """What is worth something besides words: its count, where that was not said, and what goes with what."""
        paired = PAIRED * self.alike.count if EACH in self.next and EACH not in self.said else 0.0
        return paired if self.said else paired + COUNTED * log(self.alike.count)

    def tell_ids(self) -> None:
        """Let ids be told next that would not be of other lines."""
        if self.said and hasattr(self.alike, "tells_ids"):
            self.alike.tells_ids, self._step = True, 0
            self.lengthen()

    def say(self) -> bool:
        """Say what could be said; whether it can be lengthened."""
        self.said = self.next
        return self.lengthen()

    def lengthen(self) -> bool:
        """Let more be said next; whether there is more."""
        while self._step + 1 < len(STEPS):
            self._step += 1
            self.next = self.alike.statement(STEPS[self._step])
            if len(self.next) > len(self.said):
                self.words = words_of_statement(self.next)
                return True
        self.next = self.said
        return False


def tellings_of(tellings: Iterable[Telling], lines: Mapping[int, int]) -> list[Telling]:
    """Those that were said of lines of which half, at least, are these: so many of each template, by its id."""
    found: list[Telling] = []
    for one in tellings:
        own = sum(like.count for like in one.alike.members if 2 * lines.get(id(like), 0) >= like.count)
        if one.said and not one.tears and 2 * own >= one.alike.count:
            found.append(one)
    return found


def has_some_unnamed(statement: str) -> bool:
    """Whether a list of paths in a statement leaves out so few that lines can tell them.

    >>> [has_some_unnamed(one) for one in ("[9x ~{a/b, +39} {1 .. 8}]", "[9x ~{a/b, +999} b]", "[9x ~{a, +39}]")]
    [True, False, False]
    """
    return any(int(number) <= SOME for number in compile_pattern(r"\{[^{}]*/[^{}]*\+(\d+)\}").findall(statement))


def tells_each(statement: str) -> bool:
    """Whether a statement tells each of its lines, word for word: they are equal, or differ in one word that is listed.

    >>> [tells_each(one) for one in ("[9x done]", "[3x ~lid {7, 9 2} open]", "[9x ~{a, +7} b]", "[2x ~{a, b} {c, d}]")]
    [True, True, False, False]
    """
    if EACH in statement:
        return True
    if "{" not in statement:
        return "x ~" not in statement[:LONGEST_COUNT] and "..." not in statement
    depth, groups = 0, 0
    for sign in filter("{}".__contains__, statement):
        groups += sign == "{" and not depth
        depth += 1 if sign == "{" else -1
    return groups == 1 and compile_pattern(r"[{ ]\+\d| \.\. |\.\.\.").search(statement) is None


MOST = 3_000  # lines that are looked at


def some_of_each(groups: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """The first and the last lines of each kind, so many that not too many are looked at.

    >>> {name: len(places) for name, places in some_of_each({"a": [*range(9_000)], "b": [9_000]}).items()}
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
