"""Values as they are written, and lists of them: rare ones first, what many begin and end with once.

>>> listed_values({"b": 7, "failed": 1, "c d": 2}, 40), listed_values({f"src/{n}.py": 1 for n in range(7)}, 80)
('failed, "c d" 2, b 7', 'src/{0..6}.py')
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from overspill._lite import TYPE_CHECKING, NamedTuple, cached_property, compile_pattern
from overspill.cut.digest import (
    QUOTED,
    SERIES,
    around_number,
    counts_of,
    series_in,
    shared_start,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

FEW = 24  # values that are written with their counts
MOSTLY_NUMBERED = 8  # names that one entry stands for, on average: also where they are paths
HEADS_SHARE = 0.6  # of the room for names in many groups, at the most, for what the groups are called
ALIKE = 0.8  # of the names, if they are to be written in groups
SAVED = 5  # one in so many characters is saved
FEWEST = 12  # among fewer rows nothing is rare
LONGEST_VALUE = 120  # longer ones are not written

WORDS = {True: "true", False: "false", None: "null"}


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
    r"""A string in quotes, as JSON writes it; what nobody sees, or a terminal would act on, is written in letters.

    >>> print(json_word("a b"), json_word('say "a"'), json_word("\u200b\x1b[31m\U000e0041"))
    "a b" "say \"a\"" "\u200b\u001b[31m\udb40\udc41"
    """
    if value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    from json import dumps

    word = dumps(value, ensure_ascii=False)
    return word if word.isprintable() else "".join(sign if sign.isprintable() else dumps(sign)[1:-1] for sign in word)


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
        return next((sign for sign in "-_: " if _share_begins(self._names, sign)), "")

    @cached_property
    def _by_end(self) -> NamesByEnd | None:
        """The values with what many of them begin and end with written once, unless runs say it shorter."""
        if any(map(is_quoted, self._names)) or 2 * len(self._entries) < len(self._names):
            return None
        return names_by_end(self._names, self._number)

    @cached_property
    def _tree(self) -> NameGroups:
        return NameGroups(self._names, self._separator, self._number - len(self._names))

    @cached_property
    def _entries(self) -> list[ListEntry]:
        return list_entries(sorted(self._names.items(), key=lambda one: one[1]))

    @cached_property
    def _widths(self) -> list[int]:
        return [len(one.words) + 2 for one in self._entries]

    def within(self, room: int) -> str:
        """As many of them as there is room for."""
        unnamed = self._number - len(self._names)
        if self._by_end is not None:
            return self._by_end.within(room)
        if self._separator:
            told = self._tree.within(room)
            if self._separator != " " or 2 * told.count("{+") <= told.count("{"):  # how sentences begin says little
                return told
        entries = self._entries
        widths = self._widths
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
        return ", ".join([*(one.words for one in named), f"+{self._number - values_in(named)}"])


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
    if not series and _are_plain([value for value, _ in counts]):  # as of most lists
        return [ListEntry(value if count == 1 else f"{value} {count}", 1, count) for value, count in counts]
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


FEWEST_ENDED, MOST_ENDS, LEAST_END = 4, 6, 6  # names that end so, ends that are told, characters of one
FRAMES_SHARE = 0.4  # of the room: what names begin and end with
_SIGN = compile_pattern(r"[-._/@]")


def _share_begins(names: Mapping[str, int], separator: str) -> bool:
    """Whether names begin alike, so that writing their beginnings once saves a part of them: `web-1, web-2, db-1`."""
    if len(names) <= FEWEST or sum(separator in name for name in names) < ALIKE * len(names):
        return False
    heads = counts_of(filter(None, shared_heads(names, separator).values()))
    saved = sum(len(head) * (count - 1) - 4 for head, count in heads.items() if count > 1)
    return SAVED * saved >= sum(map(len, names))


def shared_heads(names: Iterable[str], separator: str) -> dict[str, str]:
    """What each name begins with: its first word, and the next ones as long as nearly all that begin so go on alike.

    >>> shared_heads(["ref-part-a", "ref-part-b", "ref-part-c", "ref-part-d", "ref-all", "b"], "-")["ref-part-a"]
    'ref-part-'
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault("".join(first_part(name, separator)[:2]), []).append(name)
    found: dict[str, str] = {}
    for head, own in groups.items():
        longer, members = head, own
        while longer and len(members) > 1:
            found |= dict.fromkeys(members, longer)
            following = {name: "".join(first_part(name[len(longer) :], separator)[:2]) for name in members}
            counts = counts_of(following.values())
            most = max(counts, key=lambda one: counts[one])
            members = [name for name in members if following[name] == most]
            if not most or len(members) < ALIKE * len(following):
                break
            longer += most
        found |= dict.fromkeys((name for name in own if name not in found), longer)
    return found


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
        heads = shared_heads(names, separator) if separator not in "/." else {}
        for name, count in sorted(names.items()):
            bare = name[len(self._prefix) :].rstrip(separator)
            head = heads[name] if heads else "".join(bare.rpartition(separator)[:2])
            if is_quoted(bare[len(head) :]):  # behind what it shares, its quotes would be taken for ours
                head = ""
            groups.setdefault(head, []).append((name[len(self._prefix) + len(head) :], count))
        self._groups = {head: list_entries(entries) for head, entries in groups.items()}
        self._alone = self._groups.pop("", [])
        for head, (one, *others) in [*self._groups.items()]:
            if not others and one.words[0] != '"' and spelled_value(head) == head:
                self._alone.append(one._replace(words=head + one.words))
                del self._groups[head]
            elif len(groups[head]) == 1 and not self._prefix:
                self._alone += list_entries([(head + groups[head][0][0], groups[head][0][1])])
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
        unnamed = self._unnamed + values_in(self._alone[alone:])
        unnamed += sum(values_in(entries) for head, entries in self._groups.items() if head not in numbers)
        for head in sorted(self._groups.keys() & numbers.keys()):
            named, left = self._groups[head][: numbers[head]], values_in(self._groups[head][numbers[head] :])
            words = [*(one.words for one in named), *([f"+{left}"] if left else [])]
            parts.append(f"{spelled_value(head)}{{{', '.join(words)}}}")
        if not parts:
            return f"+{unnamed}"
        listed = ", ".join([*parts, *([f"+{unnamed}"] if unnamed else [])])
        if len(parts) == 1 and not unnamed and parts[0][0] != '"' and spelled_value(self._prefix) == self._prefix:
            return self._prefix + listed
        return f"{spelled_value(self._prefix)}{{{listed}}}" if self._prefix else listed


class NamesByEnd:
    """Names that end alike, by what they do not share: `{ant-1.0, bee-2.1, +9}-py3-none-any.whl, dog-7.tar.gz`."""

    def __init__(self, ends: Mapping[str, list[str]], others: Mapping[str, int], number: int) -> None:
        self._groups: list[tuple[str, str, list[ListEntry]]] = []
        for tail, names in ends.items():
            head = head_of(names)
            self._groups.append((head, tail, list_entries((name[len(head) : -len(tail)], 1) for name in names)))
        self._others = list_entries(others.items())
        self._number = number

    def within(self, room: int) -> str:
        """As many of them as there is room for: of each end the same part."""
        frames = [len(f"{head}{{, +{values_in(own)}}}{tail}, ") for head, tail, own in self._groups]
        groups = self._groups[: max(1, sum(end <= room * FRAMES_SHARE for end in accumulate(frames)))]
        left = room - sum(frames[: len(groups)]) - len(f"+{self._number}")
        every = [*(own for *_, own in groups), self._others]
        widths = [[*accumulate((len(one.words) + 2 for one in own), initial=0)] for own in every]
        whole = sum(ends[-1] for ends in widths)
        parts, told = list[str](), 0
        for own, ends, (head, tail, _) in zip(every, widths, [*groups, ("", "", [])], strict=True):
            share = ends[-1] if whole <= left else left * ends[-1] // max(1, whole)
            named = own[: max(0, bisect_right(ends, share) - 1)]
            words, rest = [one.words for one in named], values_in(own) - values_in(named)
            if tail and named:
                parts.append(f"{head}{{{', '.join([*words, *([f'+{rest}'] if rest else [])])}}}{tail}")
                told += rest
            else:
                parts += words
            told += values_in(named)
        return ", ".join([*parts, *([f"+{self._number - told}"] if told < self._number else [])])


def head_of(names: list[str]) -> str:
    """The directory that all of these begin with."""
    from posixpath import commonprefix

    begin = commonprefix(names)
    return begin[: begin.rfind("/") + 1]


def names_by_end(names: Mapping[str, int], number: int) -> NamesByEnd | None:
    """Names by their ends, where writing these once saves a fifth; None where they do not end alike.

    >>> names_by_end({f"{name}-1.0-any.whl": 1 for name in "abcdefghijklm"}, 13).within(40)
    '{a, b, c, d, e, +8}-1.0-any.whl'
    """
    plain = [name for name, count in names.items() if count == 1 and spelled_value(name) == name]
    if len(plain) < FEWEST or 2 * len(plain) < len(names):
        return None
    if max(counts_of(name[-2:] for name in plain).values()) < FEWEST_ENDED:  # as of most values
        return None
    ends, left = dict[str, list[str]](), plain
    while len(ends) < MOST_ENDS and (best := _best_end(left, [*ends])):
        ends[best] = [name for name in left if name.endswith(best)]
        left = [name for name in left if not name.endswith(best)]
    saved = sum((len(tail) + len(head_of(own))) * (len(own) - 1) for tail, own in ends.items())
    if SAVED * saved < sum(map(len, names)):
        return None
    ended = {name for own in ends.values() for name in own}
    return NamesByEnd(ends, {name: count for name, count in names.items() if name not in ended}, number)


def _best_end(names: Iterable[str], known: Iterable[str]) -> str:
    """The end of names, from a sign that parts them on, that is worth most to be written once.

    None that is all of a name, or that names with a `known` one have, too: all that end so stand in one place.
    """
    places = ((name, one.start()) for name in names for one in _SIGN.finditer(name, 1))
    tails = counts_of(name[at:] for name, at in places if len(name) - at >= (2 if name[at] in "/@" else LEAST_END))
    worth = {
        tail: len(tail) * (count - 1)
        for tail, count in tails.items()
        if count >= FEWEST_ENDED and not any(one.endswith(tail) for one in known)
    }
    return max(worth, key=lambda tail: (worth[tail], len(tail)), default="")


def values_in(entries: list[ListEntry]) -> int:
    return sum(one.values for one in entries)


def _entry(value: str, count: int) -> str:
    return spelled_value(value) if count == 1 else f"{spelled_value(value)} {count}"


def _are_plain(values: Collection[str]) -> bool:
    """Whether none of these values is put in quotes, as far as that is seen of all of them at once."""
    signs = "".join(values)
    return QUOTED.isdisjoint(signs) and signs.isprintable() and "+" not in signs and ".." not in signs and all(values)


def spelled_value(value: str) -> str:
    """A value as it is written: in quotes where it could be taken for more than one."""
    if is_quoted(value) and value.isprintable():
        return value
    plain = (
        value
        and QUOTED.isdisjoint(value)
        and value.isprintable()  # blanks of other alphabets are not
        and not (value[0] == "+" and value[1:].isdigit())
        and not (".." in value and SERIES.match(value))
    )
    return value if plain else json_word(value)


def shared_ends(values: list[str]) -> tuple[str, str]:
    """What all values begin and end with, up to a sign that parts words."""
    start = shared_start(values)
    around = around_number(values, start)
    if around is not None:
        return around
    head = tail = ""
    first = values[0]
    if any(not _goes_on(sign, before) for before, sign in zip(f" {first}", first, strict=False)):
        head = start
        while head and _goes_on(head[-1], head[-2:-1]):
            head = head[:-1]
    rest = first[len(head) :]
    ends_alike = len({value[-1:] for value in values[:FEWEST]}) == 1  # which few do by chance
    if ends_alike and any(not _goes_on(sign, behind) for sign, behind in zip(rest, f"{rest[1:]} ", strict=False)):
        # Words hold no blanks, so that all of them can be turned round at once.
        shared = shared_start(" ".join(values)[::-1].split(" "))
        tail = shared[: min(map(len, values)) - len(head)][::-1]
        while tail and _goes_on(tail[0], tail[1:2]):
            tail = tail[1:]
    plain = not any(sign in head + tail for sign in "{}") and len(head) + len(tail) < min(map(len, values))
    return (head, tail) if plain else ("", "")


def _goes_on(sign: str, beside: str) -> bool:
    """Whether a value would be torn here: in a word, a number, a path, a time."""
    return sign.isalnum() or sign in "._-/~%+" or (sign == ":" and beside.isdigit())


def joined_entries(entries: list[str], room: int) -> str:
    """As many entries as there is room for, and how many there are not."""
    total = sum(map(len, entries)) + 2 * len(entries) - 2
    if total <= room:
        return ", ".join(entries)
    result: list[str] = []
    left = room - len(f"+{len(entries)}")
    for entry in sorted(entries, key=len):
        left -= len(entry) + 2
        if left < 0:
            break
        result.append(entry)
    shown = set(result)
    return ", ".join([*(entry for entry in entries if entry in shown), f"+{len(entries) - len(shown)}"])
