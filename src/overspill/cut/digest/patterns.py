"""Lines of as many words that agree in some of them: the requests of a log, packages, rows without names.

Such a statement speaks of all lines of the text that have as many words and agree with it where no braces stand. In
braces stands what they say there, as of a column of a table: `{a, b 3, +9}` with the lines that have each and the
number of values that are not named, `{3 .. 90}` for many numbers or dates.

>>> words = WordTable([f"lib{name}.so (libc6) => /lib/{name}" for name in ("z", "m", "pq")])
>>> print(LikeLines(words.rows, [0, 1, 2], []).statement(90))
[3x ~{libz.so, libm.so, libpq.so} (libc6) => {/lib/z, /lib/m, /lib/pq}]
"""

from __future__ import annotations

from itertools import chain, islice

from overspill._lite import TYPE_CHECKING, cached_property, compile_pattern
from overspill.cut.digest import (
    BLANK,
    LETTERS,
    SignTable,
    are_hashes,
    as_numbers,
    counts_of,
    ends_of,
    series_of_all,
    without_digits,
    without_hex,
)
from overspill.cut.digest.templates import LEAST_GROUP, WIDEST, WIDTH, Template, masked_lines
from overspill.cut.digest.values import ValueList, is_quoted, json_word, listed_values, shared_ends
from overspill.cut.ends import says_something

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from overspill.cut.digest.templates import Alike, LineGroup

MOST_WORDS, ANCHORED = 40, 0.6  # of a line, and of the templates that agree in a word
MOST_LINES = 8  # of a template that may be one of many: what is said more often is said for itself
ROUNDS, FEW_NUMBERS, FEW_LISTED = 12, 12, 40  # patterns of as many words; numbers told one by one; where there is room
MOSTLY, LEAST_NAMED, EVEN = 0.8, 16, 2  # of the lines of a group; characters of a list; times as often as the rarest
SOME_ADDRESSES, SAID_AGAIN = 4, 1.5  # of one line each, nearly all
NUMBERED, MOST_NUMBERED = 4, 400  # values of one form, digits aside, and characters that are enough for them
LONGEST_SLOT, LONGEST_SERIES = 80, 120  # characters of one value, and of numbers that count on
MOST_TOLD, SHORTER = 1_000, 0.6  # lines that are told one by one, and of their characters what that may take;
FEW_LINES, MOST_NUMBERED_LINES, FAR_SHORTER = 7, 64, 0.65  # and of lines that differ in numbers alone
PAIRED = 1.25  # times as long as lists may be what tells of each line what stands in it together
FEW_WORDS, MOST_OTHERS = 3, 4  # that are told with their lines; times as many lines may agree with those alike

_MISREAD = compile_pattern(r'[,;]$|^(?:->|x\d+)$|["{}]')  # what could be taken for ours in a list of words
_without_letters, _NO_NAME = SignTable(LETTERS[:-1]), "#[](){}.,:;"


class LikeLines:
    """Lines of as many words that agree in some of them, and the templates that they are of."""

    def __init__(self, rows: list[list[str]], places: list[int], members: list[Template]) -> None:
        self._rows, self._places = rows, places
        self._slots: list[Slot] = []
        self._plain, self._all = True, ""  # what each of them says, where that can be told in few characters,
        self._named = False  # and that is more than numbers
        self.tells_ids = False  # each of few, where there is room: which of them failed
        self.members, self.count, self.number = members, len(places), places[0]

    def statement(self, room: int) -> str:
        """`[412x ~{10:11:12 .. 11:40:03} GET {/a 400, /b 12}]`: what they agree in, and what they say elsewhere."""
        if not self._slots:
            self._slots = [*map(slot_of, zip(*map(self._rows.__getitem__, self._places), strict=True))]
            signs = {id(slot): "".join(slot.counts) for slot in self._slots}  # looked at for many values at once
            quoted = (slot for slot in self._slots if '"' in signs[id(slot)] and not slot.whole)
            self._plain = not any('"' in value and "{" in value for slot in quoted for value in slot.counts)
            self._plain = self._plain and not any(BLANK in every for every in signs.values())
            self._all = self._each() if self.count <= MOST_TOLD else ""
        # Of many numbers it is told first how far they go, so that there is room for what others say.
        most = room if room <= WIDTH else PAIRED * room
        if self._all and len(self._all) <= most and (self._named or self.count <= FEW_LINES or room > WIDTH):
            return self._all
        if not self._plain:  # quotes within braces within quotes: nobody could read that
            return ""
        lead = f"[{self.count}x ~"
        words = words_of_slots(self._slots, room - len(lead) - 1, ids=self.tells_ids)
        return f"{lead}{words}]" if words else ""

    @property
    def may_name_each(self) -> bool:
        """Whether lists of what stands at one place, or at all places, can tell each of the lines."""
        told = [(slot.is_listed, len(slot.counts or slot.numbers)) for slot in self._slots if not slot.is_clock]
        return all(one for one, _ in told) or any(one and many >= MOSTLY * self.count for one, many in told)

    def _each(self) -> str:
        """`[9x ~* wants *; each *: ant 1.2 -> bee, cat x2; dog 7 -> eel]`: what stands at the places where they differ.

        Nothing where that is one place, of which a list tells as much, or what stands there could be misread.
        """
        varying = [at for at, slot in enumerate(self._slots) if not slot.fixed and not slot.is_clock]
        listed = [self._slots[at] for at in varying if self._slots[at].counts]
        named = len(varying) == len(listed) and any(slot.has_names for slot in listed)
        untold = len(listed) > 1 or any(" .. " in self._slots[at].ends for at in varying)
        untold = untold and self.count <= MOST_NUMBERED_LINES
        if len(varying) < 2 or not (named or untold or self.count <= FEW_LINES):  # noqa: PLR2004
            return ""
        if any("*" in slot.fixed + slot.head + slot.tail for slot in self._slots):
            return ""
        ends = [(len(self._slots[at].head), len(self._slots[at].tail)) for at in varying]
        rows = [
            tuple(row[at][head : len(row[at]) - tail] for at, (head, tail) in zip(varying, ends, strict=True))
            for row in map(self._rows.__getitem__, self._places)
        ]
        if any(not word or _MISREAD.search(word) for row in rows for word in row):
            return ""
        if not named and not all(word.rstrip(".").isdecimal() for row in rows for word in row):
            return ""  # of times and sizes it is enough how far they go
        if sum(row[0] != row[-1] and row[0].partition(".")[0] in row[-1] for row in rows) > MOSTLY * len(rows):
            return ""  # one word says the other
        groups: dict[tuple[str, ...], dict[str, int]] = {}
        for row in rows:
            words = groups.setdefault(row[:-1], {})
            words[row[-1]] = words.get(row[-1], 0) + 1
        told = (
            (" ".join(key), ", ".join(f"{word} x{count}" if count > 1 else word for word, count in words.items()))
            for key, words in groups.items()
        )
        said = "; ".join(f"{key} -> {words}" for key, words in told)
        pattern = " ".join(
            slot.text_with("") if slot.fixed or slot.is_clock else f"{slot.head}*{slot.tail}" for slot in self._slots
        )
        self._named = named
        statement = f"[{self.count}x ~{pattern}; each *: {said}]"
        every = sum(len(" ".join(self._rows[at])) + 1 for at in self._places)
        return statement if len(statement) <= (SHORTER if named else FAR_SHORTER) * every else ""


def lines_alike(
    lines: list[str],
    templates: Mapping[str, Template],
    groups: Mapping[str, list[int]],
    beginning: list[LineGroup],
    often: list[Template],
) -> list[Alike]:
    """What can be told of all lines of a text: what those that are alike differ in, what others begin with."""
    better = [group for group in beginning if _told_better_by_words(group, templates)]
    beginning = [group for group in beginning if group not in better]
    often = [*often, *(one for group in better for one in group.members if one.count > MOST_LINES)]
    grouped = {id(one) for group in beginning for one in group.members}
    rest = {name: one for name, one in templates.items() if id(one) not in grouped}
    merged = line_patterns(rest)
    alone = {id(one) for members in merged for one in members}
    places = {id(templates[name]): own for name, own in groups.items() if name in templates}
    other: list[Alike] = [*beginning, *(one for one in often if id(one) not in alone)]
    candidates = [*((members, None) for members in merged), *((one.members, one) for one in other)]
    return _told_once(lines, [*_with_places(candidates, places)])


def _told_better_by_words(group: LineGroup, templates: Mapping[str, Template]) -> bool:
    """Whether names before what they share or behind it are lost or too long to be told, and they agree in words."""
    own = {id(one) for one in group.members} if group.is_long or group.hides_names else set[int]()
    agreeing = line_patterns({name: one for name, one in templates.items() if id(one) in own}, most=group.count)
    return bool(own) and sum(one.count for members in agreeing for one in members) >= MOSTLY * group.count


Candidate = tuple[list[int], list[Template], "Alike | None"]


def _with_places(
    candidates: Sequence[tuple[list[Template], Alike | None]], places: Mapping[int, list[int]]
) -> Iterator[Candidate]:
    """Templates with their lines, and what else may be said of them; most lines first."""
    found = [
        (sorted(at for one in members for at in places.get(id(one), ())), members, other)
        for members, other in candidates
    ]
    yield from sorted((one for one in found if one[0]), key=lambda one: (-len(one[0]), one[0][0]))


def _told_once(lines: list[str], candidates: list[Candidate]) -> list[Alike]:
    """A statement for each, but for those that another one tells as well."""
    tables = WordTables(lines)
    owners = {at: number for number, (own, *_) in enumerate(candidates) for at in own}
    told: set[int] = set()
    result: list[Alike] = []
    for number, (own, members, other) in enumerate(candidates):
        if number in told:
            continue
        named = other is not None and (len(members) > 1 or members[0].same)  # each with all of its words
        words, like = (tables.plain, []) if named else tables.like(own)
        owned = [owners[at] for at in like if at in owners]
        strangers = len(like) - len(owned)
        few = not strangers or (strangers <= len(own) // 4 and words.agree(like))
        if len(own) <= len(like) <= MOST_OTHERS * len(own) and few:
            also = [one for one in set(owned) if owned.count(one) == len(candidates[one][0])]
            told.update(also)
            result.append(LikeLines(words.rows, like, [one for at in also for one in candidates[at][1]]))
        elif other is not None:
            result.append(other)
    return result


def line_patterns(templates: Mapping[str, Template], most: int = MOST_LINES) -> list[list[Template]]:
    """Templates that agree in at least half of their words, where at least `LEAST_GROUP` do.

    >>> names = ("z", "m", "c", "xml", "pq", "ssl", "uv", "gd")
    >>> lines = {f"lib{name}.so (#) => #": Template(0, f"lib{name}.so (libc6) => /lib/{name}") for name in names}
    >>> [len(members) for members in line_patterns(lines)]
    [8]
    """
    by_length: dict[int, dict[tuple[str, ...], Template]] = {}
    for name, one in templates.items():
        words = tuple(name.split(" "))
        if one.count <= most and 1 < len(words) <= MOST_WORDS and len(one.first.split()) == len(words):
            by_length.setdefault(len(words), {})[words] = one
    return [*chain.from_iterable(map(_patterns, by_length.values()))]


def _patterns(templates: dict[tuple[str, ...], Template]) -> Iterator[list[Template]]:
    for _ in range(ROUNDS):
        own, anchors = _agreeing([*templates]) if len(templates) >= LEAST_GROUP else ([], {})
        if len(own) < LEAST_GROUP:
            return
        members = [templates.pop(words) for words in own]
        worded = any(word.strip(_NO_NAME) for word in anchors.values())  # else any two words behind a time are alike
        if worded and 2 * len(anchors) >= len(own[0]) and any(says_something(one.first) for one in members):
            yield members


def _agreeing(rows: list[tuple[str, ...]]) -> tuple[list[tuple[str, ...]], dict[int, str]]:
    """Those that agree in the word that most of them have at its place, and in what most of these have elsewhere."""
    anchors: dict[int, str] = {}
    least = 0.0
    while True:
        columns = [counts_of(column) if at not in anchors else {} for at, column in enumerate(zip(*rows, strict=True))]
        count, at = max(((max(counts.values(), default=0), -at) for at, counts in enumerate(columns)), default=(0, 0))
        if not count or count < least:
            return rows, anchors
        word = max(word for word, often in columns[-at].items() if often == count)
        anchors[-at] = word
        rows = [row for row in rows if row[-at] == word]
        least = max(LEAST_GROUP, ANCHORED * len(rows))


class WordTables:
    """The lines of a text by their words; where they have not as many, by those in which a quoted text is one."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self.plain = WordTable(lines)

    @cached_property
    def _quoted(self) -> WordTable:
        from overspill.cut.digest.separated import with_whole_quotes

        return WordTable(with_whole_quotes(self._lines))

    def like(self, places: Sequence[int]) -> tuple[WordTable, list[int]]:
        """All lines that have as many words as these and agree with them where they agree, with their table."""
        like = self.plain.like(places)
        if like or '"' not in self._lines[places[0]] or any(BLANK in self._lines[at] for at in places):
            return self.plain, like
        like = self._quoted.like(places)
        columns = map(counts_of, zip(*map(self._quoted.rows.__getitem__, like), strict=True))
        told = all(BLANK not in "".join(counts) or _quoted_slot(counts).whole for counts in columns)
        return (self._quoted, like) if told else (self.plain, [])


class WordTable:
    """The lines of a text by their words."""

    def __init__(self, lines: Sequence[str]) -> None:
        narrow = max(map(len, lines), default=0) <= WIDEST
        self.rows = [*map(str.split, lines)] if narrow else [one.split() if len(one) <= WIDEST else [] for one in lines]
        widths = [*map(len, self.rows)]
        self._by_length: dict[int, list[int]] = {width: [] for width in widths}
        if len(self._by_length) == 1:  # as in many logs
            self._by_length = {widths[0]: [*range(len(widths))]}
            return
        for at, width in enumerate(widths):
            self._by_length[width].append(at)

    def agree(self, places: Sequence[int]) -> bool:
        """Whether these lines have a word in common."""
        columns = zip(*map(self.rows.__getitem__, places), strict=True)
        return any(column.count(column[0]) == len(column) for column in columns)

    def like(self, places: Sequence[int]) -> list[int]:
        """All lines that have as many words as these and agree with them where they agree; none where they do not."""
        rows = self.rows
        width = len(rows[places[0]])
        if not 1 <= width <= MOST_WORDS:
            return []
        own = [*map(rows.__getitem__, places)]
        if {*map(len, own)} != {width}:
            return []
        columns = enumerate(zip(*own, strict=True))
        fixed = [(at, column[0]) for at, column in columns if column.count(column[0]) == len(column)]
        if len(fixed) == width or any("{" in word or "}" in word for _, word in fixed):  # which would be taken for ours
            return []
        found = self._by_length[width]
        for at, word in fixed:
            found = [place for place in found if rows[place][at] == word]
        if fixed:  # where these are far more, a word such as `1` is all that they agree in
            return found if len(found) <= MOST_OTHERS * len(own) else self._like_ends(found, own) or found
        # Of words alone those with a digit or a slash are alike.
        alone = width == 1 and {*masked_lines([row[0] for row in own])} == {"#"}
        return self._like_ends(found, own) or ([*places] if alone else [])

    def _like_ends(self, places: list[int], own: list[list[str]]) -> list[int]:
        """Of lines those whose words begin and end as these do.

        Where they have no ends in common, and there are others, they are alike in nothing but their length.
        """
        every = len(places)
        for at, column in enumerate(zip(*own, strict=True)):
            head, tail = shared_ends([*{*column}]) if len({*column}) > 1 else ("", "")
            if head or tail:
                least = len(head) + len(tail) + 1
                words = ((place, self.rows[place][at]) for place in places)
                places = [
                    place for place, word in words
                    if len(word) >= least and word.startswith(head) and word.endswith(tail)
                ]  # fmt: skip
        return places if len(places) < every or every == len(own) else []


def words_of_slots(slots: Sequence[Slot], room: int, *, ids: bool = False) -> str:
    """A line with what stands in each of its places, in about so many characters.

    >>> words_of_slots([Slot("GET"), Slot(counts={"/a": 3, "/b": 1}), Slot(ends="3 .. 90")], 80)
    'GET {/b, /a 3} {3 .. 90}'
    """
    left = room - sum(len(slot.fixed) + len(slot.ends) + len("{} ") for slot in slots)
    # What is left by short lists is for the long ones.
    waiting = sorted(
        (one for one in slots if one.counts), key=lambda one: 0 if one.has_ids else sum(map(len, one.counts))
    )
    said: dict[int, str] = {}
    named = any(not slot.is_numeric for slot in waiting)
    for number, slot in enumerate(waiting):
        most = LEAST_NAMED if named and slot.is_numeric else left  # names tell more than versions and the like
        words = said[id(slot)] = slot.values_within(min(most, left // (len(waiting) - number)))
        left -= len(words)
    for slot in slots if room > WIDTH else ():  # of few numbers each is told where there is room
        every, now = slot.every or (slot.every_id if ids else ""), slot.ends or said.get(id(slot), "")
        if every and len(every) <= left + len(now):
            said[id(slot)], left = every, left - len(every) + len(now)
    return " ".join(slot.text_with(said.get(id(slot), "")) for slot in slots)


class Slot:
    """What stands at one place of the lines: one word, or a range, or values, all with what they begin and end with.

    It is written in several widths, and what its values are is found out once.
    """

    def __init__(
        self,
        fixed: str = "",
        ends: str = "",
        counts: Mapping[str, int] | None = None,
        head: str = "",
        tail: str = "",
        *,
        whole: bool = False,
    ) -> None:
        self.fixed, self.ends, self.head, self.tail, self.counts = fixed, ends, head, tail, counts or {}
        self.whole = whole  # its values are texts in quotes, which are theirs
        self.numbers: Mapping[str, int] = {}  # few whole ones of which it is told how far they go

    def __repr__(self) -> str:
        return f"{self.head}{self.fixed or self.ends or dict(self.counts)}{self.tail}"

    @property
    def is_clock(self) -> bool:
        """Whether it is told how far its values go, and these are dates and times, which tell no lines apart."""
        return " .. " in self.ends and not self.ends.replace(" .. ", "").replace(".", "").isdecimal()

    @cached_property
    def has_ids(self) -> bool:
        """Whether its values are addresses, hashes and the like, of which one tells as much as all."""
        if len(self.counts) <= FEW_NUMBERS:
            return len(self.counts) >= SOME_ADDRESSES and self._are_addresses
        return are_hashes([*self.counts]) or self._has_one_form or self._are_addresses

    @property
    def _are_addresses(self) -> bool:
        """Whether its values are numbers in hexadecimal, nearly each of one line."""
        values = [*self.counts]
        again = sum(self.counts.values()) > SAID_AGAIN * len(values)
        if again or without_hex("".join(values)) or as_numbers(values) is not None:
            return False
        return MOSTLY * len(values) <= sum(any(map(str.isdigit, value)) for value in values)

    @cached_property
    def has_names(self) -> bool:
        """Whether most of its values are words, of which another is told of each."""
        named = sum(1 for value in self.counts if sum(map(str.isalpha, value)) > len(value) // 2)
        return 2 * named > len(self.counts) > FEW_WORDS

    @cached_property
    def is_numeric(self) -> bool:
        """Whether it has many values, and these are versions, times and the like rather than names."""
        if len(self.counts) <= FEW_NUMBERS:
            return False
        signs = "".join(self.counts)
        if signs.isascii():  # as most are: taken apart at once
            rest = without_digits(signs)
            return len(signs) - len(rest) > len(rest) - len(_without_letters(rest))
        return sum(map(str.isdigit, signs)) > sum(map(str.isalpha, signs))

    @cached_property
    def _forms(self) -> int:
        """How many values it has, digits aside."""
        return _number_of_forms(self.counts)

    @property
    def _has_one_form(self) -> bool:
        """Whether its values differ in digits alone: of most that do not, a few tell it."""
        return _number_of_forms(islice(self.counts, FEW_NUMBERS)) == 1 == self._forms

    @cached_property
    def _list(self) -> ValueList:
        return ValueList(self.counts)

    @cached_property
    def _shortest(self) -> str:
        """Its shortest value, which stands for all."""
        first = min(self.counts, key=len)
        words = listed_values({first: self.counts[first]}, LONGEST_SLOT)
        return f"+{len(self.counts)}" if words.startswith("+") else f"{words}, +{len(self.counts) - 1}"

    def values_within(self, room: int) -> str:
        """Its values; at least one of them."""
        if not self.has_ids:
            if len(self.counts) > FEW_NUMBERS and NUMBERED * self._forms <= len(self.counts):
                room = min(room, MOST_NUMBERED)  # one is much like another
            words = self._list.within(max(room, LEAST_NAMED))
            if not words.startswith("+"):
                return words
        elif self._has_one_form and "+" not in (words := self._list.within(MOST_NUMBERED)):
            return words  # which count on: all are told
        return self._shortest

    def text_with(self, values: str) -> str:
        """How it is written, with these values where it has some."""
        return self.fixed or f"{self.head}{{{values or self.ends}}}{self.tail}"

    @cached_property
    def every(self) -> str:
        """All of its numbers, where they are few and otherwise it is told how far they go."""
        return listed_values(self.numbers, 1 << 20) if self.numbers else ""

    @property
    def is_listed(self) -> bool:  # each of its values can be told where there is room
        return bool(self.every_id if self.has_ids else self.numbers or " .. " not in self.ends)

    @cached_property
    def every_id(self) -> str:
        """All of its ids, where they are few and otherwise one is told."""
        return listed_values(self.counts, 1 << 20) if self.has_ids and len(self.counts) <= MOST_NUMBERED_LINES else ""


def _number_of_forms(values: Iterable[str]) -> int:
    return len({*without_digits("\n".join(values)).split("\n")})


def slot_of(column: Sequence[str]) -> Slot:
    """What stands at one place.

    >>> slot_of(["x=1;", "x=2;", "x=2;"])
    x={'1': 1, '2': 2};
    """
    if column.count(column[0]) == len(column):
        return Slot(fixed=column[0].replace(BLANK, " "))
    counts = counts_of(column)
    every = "\n".join(["", *counts, ""])
    if BLANK in every:
        return _quoted_slot(counts)
    head, tail = shared_ends([*counts])
    if head or tail:
        every = every.replace(f"\n{head}", "\n").replace(f"{tail}\n", "\n")
        counts = dict(zip(every.split("\n")[1:-1], counts.values(), strict=True))
    series = series_of_all(counts, LONGEST_SERIES)
    if series:
        one, *others = series
        words = ", ".join(each.words for each in series) if others else one.numbers
        return Slot(ends=words, head=head + one.head * (not others), tail=one.tail * (not others) + tail)
    # What stands in quotes itself would be taken for a text that was put in them.
    if '"' in every:
        counts = {json_word(value) if is_quoted(value) else value: count for value, count in counts.items()}
    ends = ends_of([*counts]) if len(counts) > FEW_NUMBERS else ""
    slot = Slot(ends=ends, counts={} if ends else counts, head=head, tail=tail)
    few = ends and len(counts) <= FEW_LISTED and EVEN * min(counts.values()) < len(column) / len(counts) + EVEN
    slot.numbers = counts if few and all(map(str.isdecimal, counts)) else {}
    return slot


def _quoted_slot(counts: Mapping[str, int]) -> Slot:
    """What stands at one place where texts in quotes do; not `whole` where these cannot be told."""
    from overspill.cut.digest.separated import quoted_texts

    texts, head, tail = quoted_texts(counts)
    return Slot(counts=texts or counts, head=head, tail=tail, whole=bool(texts))
