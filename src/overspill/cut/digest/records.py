r"""Records at places, added up: every rule, every message with its places, every file with its number of records.

>>> records = RecordCollector()
>>> records.add(["src/a.py:3:1: E501 Line too long (88 > 79)", "src/a.py:9:1: E501 Line too long (90 > 79)"])
>>> records.add(["src/a.py:4:1: F401 'os' imported but unused", "src/b.py:7:1: F401 're' imported but unused"])
>>> records.add(["src/b.py:8:5: E711 Comparison to None", "src/b.py:9:9: W291 Trailing whitespace"])
>>> print("\n".join(records.digest().statements(1_000)))
[6 records below src/: 4 rules; 2 files]
[E711 Comparison to None @ b.py:8:5]
[W291 Trailing whitespace @ b.py:9:9]
[2x ~E501 Line too long (88 > 79) @ a.py:3:1, 9:1 90]
[2x ~F401 'os' imported but unused @ a.py:4:1; b.py:7:1 're']
>>> print("\n".join(records.digest().statements(180)[-1:]))
[by file: a.py 3, b.py 3]

Messages are alike when level and rule are the same and so is the rest, quoted texts and words with a digit or a slash
set aside. What stands at a place in their stead is written behind it.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.markers import Wording
from overspill.cut.digest import counts_of
from overspill.cut.digest.places import PlaceList, folder_of, marks_of, shared_folder, with_single_blanks, written_part
from overspill.cut.digest.record_reader import messages_in, reader_for, share_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from overspill.cut.digest.headed import HeadedReader
    from overspill.cut.digest.record_reader import RecordReader

__all__ = ["RecordCollector", "share_of"]

_WORD = r"""[^\s,;()\[\]{}<>="'`]"""
_ASIDE = compile_pattern(
    rf"""(?<!\w)'[^']*'|"[^"]*"|`[^`'\s]+'|`[^`]*`|\u2018[^\u2018\u2019]*\u2019|\u201c[^\u201c\u201d]*\u201d"""
    rf"""|(?<!{_WORD})[^\s,;()\[\]{{}}<>="'`\d/]*+[\d/]{_WORD}*+"""
)
_LETTERED = compile_pattern(r"[FEWRCI]\d{4}$")
LETTERS = "FEWRCI"  # of fatal, error, warning, refactor, convention, information
SAMPLE = 600  # lines from which it is told how records are written
MOST_MESSAGES = 10_000
MOST_CHARS = 1 << 21  # of them
MOST_PLACES = 20_000
PLACES = 40  # of one message that are remembered
MOST_FILES = 10_000
MOST_SPELLINGS = 10_000
FEWEST = 6  # records
FEWEST_MERGED = 3  # groups of one rule
MOST_COMPARED = 1_000  # groups, where messages without a rule are compared with all
SAME_WORDS, LEAST_SAME = 3, 0.4  # words that they begin with; of what they say
FEW = 12  # messages of one rule
MOST_STATED = 1 << 15  # characters of statements that are ever asked for
SEVERE = ("fatal", "fatal error", "internal error", "critical", "error", "err", "e", "high")
LEAST_SHARE = 0.3  # of the room, for records that say a level
MILDEST = 3
MILD = (
    "note", "notice", "info", "information", "hint", "help", "style", "suggestion", "remark", "convention", "refactor",
    "low", "i",
)  # fmt: skip


class Variant:
    """One message, word for word: how many records say it, and where the first of them stand."""

    __slots__ = ("count", "message", "places")

    def __init__(self, message: str) -> None:
        self.message = message
        self.count = 0
        self.places: list[tuple[str, str, str]] = []


class MessageGroup:
    """Messages that are alike, or that begin and end alike."""

    __slots__ = ("ends", "level", "rest", "rule", "variants")

    def __init__(self, level: str, rule: str) -> None:
        self.level, self.rule = level, rule
        self.variants: list[Variant] = []
        self.rest = Variant("")  # those whose words are not remembered
        self.ends: tuple[str, str] | None = None  # what they begin and end with, where only that is alike

    @property
    def count(self) -> int:
        """How many records say one of them."""
        return self.rest.count + sum(one.count for one in self.variants)

    def lead(self) -> str:
        """How the statement of them begins."""
        count = self.count
        times = f"{count}x " if count > 1 else ""
        if self.ends is not None:
            return f"[{times}{' * '.join(self.ends).strip()} @ "
        alike = "~" if len(self.variants) > 1 or self.rest.count else ""
        return f"[{times}{alike}{self.variants[0].message} @ "

    def parts(self) -> dict[Variant, str]:
        """What stands in each in the place of what varies."""
        if self.ends is not None:
            before, after = len(self.ends[0]), len(self.ends[1])
            return {one: one.message[before : len(one.message) - after].strip() for one in self.variants}
        slots = [_ASIDE.findall(one.message) for one in self.variants]
        vary = [at for at, first in enumerate(slots[0]) if any(one[at : at + 1] != [first] for one in slots)]
        found = zip(self.variants, slots, strict=True)
        return {one: " ".join(said[at] for at in vary if at < len(said)) for one, said in found}


def merged_groups(groups: list[MessageGroup], every: list[MessageGroup]) -> list[MessageGroup]:
    """The groups of one rule, those that begin and end alike made one, where that is most of what they say.

    `every` are the groups of all rules that could say the same: more than their own where they have no rule.
    """
    if len(groups) < FEWEST_MERGED or any(group.rest.count for group in every):
        return groups
    whole = _merged_group(groups, every)
    if whole is not None:
        return [whole]
    clusters: dict[tuple[str, ...], list[MessageGroup]] = {}
    for group in groups:
        clusters.setdefault(tuple(group.variants[0].message.split(" ", SAME_WORDS)[:SAME_WORDS]), []).append(group)
    found: list[MessageGroup] = []
    for cluster in clusters.values():
        merged = _merged_group(cluster, every) if len(cluster) >= FEWEST_MERGED else None
        found += cluster if merged is None else [merged]
    return found


def _merged_group(cluster: list[MessageGroup], every: list[MessageGroup]) -> MessageGroup | None:
    """One group for all of these, if they have enough in common and no other message looks like them."""
    variants = [one for group in cluster for one in group.variants]
    words = [one.message.split(" ") for one in variants]
    shortest = min(map(len, words)) - 1  # something varies in each
    before = after = 0
    while before < shortest and len({one[before] for one in words}) == 1:
        before += 1
    while after < shortest - before and len({one[-1 - after] for one in words}) == 1:
        after += 1
    first = words[0]
    ends = " ".join(first[:before]), " ".join(first[len(first) - after :])
    same = len(ends[0]) + len(ends[1])
    if same * len(words) < LEAST_SAME * sum(len(one.message) for one in variants) or "*" in "".join(ends):
        return None
    rule, own = cluster[0].rule, set(cluster)
    others = (one.message for group in every if group not in own for one in group.variants)
    if not any(rule in end for end in ends) or any(_has_ends(other, ends) for other in others):
        return None
    merged = MessageGroup(cluster[0].level, rule)
    merged.variants, merged.ends = variants, ends
    return merged


def _has_ends(message: str, ends: tuple[str, str]) -> bool:
    return len(message) > len(ends[0]) + len(ends[1]) and message.startswith(ends[0]) and message.endswith(ends[1])


class RecordCollector:
    """Adds up the records of a text."""

    def __init__(self) -> None:
        self._reader: RecordReader | HeadedReader | None = None
        self._spellings: dict[str, Variant] = {}
        self._variants: dict[str, Variant] = {}
        self._groups: dict[tuple[str, str, str], MessageGroup] = {}
        self._files: dict[str, int] = {}
        self._crowded = False  # there are more files than are remembered: the others are counted by directory
        self._chars = self._places = 0
        self._lines = self._records = 0

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        if self._reader is None:
            self._reader = reader_for(lines[:SAMPLE])
        self._lines += len(lines) - lines.count("")
        self._take(self._reader.read(lines))

    def _take(self, records: list[tuple[str, str, str, str]]) -> None:
        self._records += len(records)
        spellings = self._spellings
        for path, line, column, message in records:
            variant = spellings.get(message) or self._variant_of(message)
            variant.count += 1
            if len(variant.places) < PLACES and self._places < MOST_PLACES and variant.message:
                self._places += 1
                variant.places.append((path, line, column))
        for path, count in counts_of(record[0] for record in records).items():
            self._count_file(path, count)

    def _count_file(self, path: str, count: int) -> None:
        if path not in self._files and len(self._files) >= MOST_FILES:
            self._crowded = True
            path = folder_of(path)
        self._files[path] = self._files.get(path, 0) + count

    def _variant_of(self, spelling: str) -> Variant:
        """What a message is counted in."""
        message = with_single_blanks(spelling)
        variant = self._variants.get(message)
        if variant is None:
            level, rule = marks_of(spelling)
            variant = self._new_variant(message, level, rule)
        if len(self._spellings) >= MOST_SPELLINGS:
            self._spellings.clear()
        self._spellings[spelling] = variant
        return variant

    def _new_variant(self, message: str, level: str, rule: str) -> Variant:
        full = len(self._variants) >= MOST_MESSAGES or self._chars >= MOST_CHARS
        key = (level, rule, _ASIDE.sub("#", message))
        if full and key not in self._groups:
            key = (
                level,
                rule if (level, rule, "") in self._groups or len(self._groups) < 2 * MOST_MESSAGES else "",
                "",
            )
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = MessageGroup(*key[:2])
        if full:
            return group.rest
        variant = self._variants[message] = Variant(message)
        self._chars += len(message)
        group.variants.append(variant)
        return variant

    def digest(self) -> RecordDigest | None:
        """What was found, or None where there are too few records for a table of them."""
        if self._reader is not None:
            self._take(self._reader.rest())
        if self._reader is None or self._records < FEWEST:
            return None
        covered = (self._records + self._reader.belonging) / max(1, self._lines)
        groups = [*self._groups.values()]
        near = self._reader.near, self._reader.quoted
        return RecordDigest(groups, self._files, self._variants, near, min(1.0, covered), crowded=self._crowded)


class Step(NamedTuple):
    """One more thing that is said: an entry of the statement of a group."""

    group: int
    path: str
    entry: str
    length: int  # of all that is said up to here


class RecordDigest:
    """What the records of a text add up to."""

    located = True

    def __init__(
        self,
        groups: list[MessageGroup],
        files: dict[str, int],
        known: dict[str, Variant],
        near: tuple[set[int], set[int]],
        covered: float,
        *,
        crowded: bool,
    ) -> None:
        leveled = any(group.level for group in groups)
        # Records are what it is about, or what matters most in it.
        self.share = 0.55 + 0.41 * covered if covered > 0.5 else max(covered, LEAST_SHARE * leveled)  # noqa: PLR2004
        self._known, (self._near, self._quoted) = known, near
        self._files, self._crowded = files, crowded
        self._shared = shared_folder(files) if len(files) > 1 else ""
        self._levels: dict[str, int] = {}
        self._rules: dict[str, int] = {}
        self._ranks: dict[str, int] = {}
        self._whole = True  # no rule is unknown
        # Some say how bad it is by the first letter of the rule.
        self._leveled = leveled
        self._severe = any(group.level and not _rank_of(group.level) for group in groups)
        self._lettered = all(_LETTERED.match(group.rule) for group in groups)
        for group in groups:
            self._count(group)
        self._groups = sorted(self._merged(groups), key=lambda group: (self._rank(group), group.count))
        self._counts = [group.count for group in self._groups]
        self._parts = [group.parts() for group in self._groups]
        self.complete = False  # what was said last tells every record
        self._steps: list[Step] | None = None
        self._first_steps = 0  # the statements of every rule

    def _count(self, group: MessageGroup) -> None:
        count = group.count
        if group.level:
            self._levels[group.level] = self._levels.get(group.level, 0) + count
        if group.rule:
            self._rules[group.rule] = self._rules.get(group.rule, 0) + count
        elif not group.variants:
            self._whole = False
        rank = self._own_rank(group)
        key = group.rule or group.level
        self._ranks[key] = min(rank, self._ranks.get(key, rank))

    def _own_rank(self, group: MessageGroup) -> int:
        """How bad it is; what says neither a level nor a rule comes last, where others say one.

        Where others say no more than that they warn, it comes first: that is how some compilers speak of errors.
        """
        if group.level or not self._lettered:
            unmarked = self._leveled and not group.level and not group.rule
            return (MILDEST if self._severe else 0) if unmarked else _rank_of(group.level)
        return LETTERS.index(group.rule[0])

    def _rank(self, group: MessageGroup) -> tuple[int, int, str]:
        """The worst level first, then the rarest rule."""
        rank = self._ranks[group.rule or group.level]
        return (rank, self._rules.get(group.rule, group.count), group.rule)

    def _merged(self, groups: list[MessageGroup]) -> Iterator[MessageGroup]:
        """The groups that have something to say, those of one rule that say much the same made one."""
        by_rule: dict[tuple[str, str], list[MessageGroup]] = {}
        for group in groups:
            by_rule.setdefault((group.level, group.rule), []).append(group)
        for (_, rule), found in by_rule.items():
            named = [group for group in found if group.variants]
            every = found if rule else groups if len(groups) <= MOST_COMPARED else []
            yield from merged_groups(named, every) if every and len(named) == len(found) else named

    def statements(self, room: int) -> tuple[str, ...]:
        """Lines of ours that take at most `room` characters, line ends included, the most telling first."""
        total = self._total()
        left = room - len(total) - 1
        self.complete = self._tells_all(left)
        if left < 0:
            return ()
        if self.complete:  # every file stands beside what is said of it
            return (total, *self._written(self._said_steps()))
        files = self._file_statement(left // 5)
        left -= sum(len(line) + 1 for line in files)
        steps = self._said_steps()
        rules: tuple[str, ...] = ()
        if self._first_steps and steps[min(self._first_steps, len(steps)) - 1].length > left:
            rules = self._rule_statement(left // 2)
            left -= sum(len(line) + 1 for line in rules)
        count = next((at for at in range(len(steps), 0, -1) if steps[at - 1].length <= left), 0)
        return (total, *rules, *self._written(steps[:count]), *files)

    def _tells_all(self, room: int) -> bool:
        """Whether every record can be told with its place."""
        steps = self._said_steps()
        return len(steps) == sum(self._files.values()) and steps[-1].length <= room and "" not in self._files

    def is_beside(self, line: str) -> bool:
        """Whether a line stands between two records: what is quoted of the source says less than they do."""
        return hash(line) in self._near

    def is_quoted(self, line: str) -> bool:
        """Whether a line is of the source, which a mark below it points into."""
        return hash(line) in self._quoted

    def is_record(self, line: str) -> bool:
        """Whether a line is a record, or quotes the source of one: where all are told with their places, it is told."""
        if hash(line) in self._near:
            return line[:1] in (" ", "\t", "%", "|")
        return any(message in self._known for message in messages_in(line))

    def tells(self, line: str) -> bool:
        """Whether the statements tell what this line of the text says, so that it need not be shown."""
        return hash(line) in self._near or any(message in self._known for message in messages_in(line))

    def _total(self) -> str:
        """How many there are: `[1843 records below src/: error 12, warning 1831; 57 rules; 212 files]`."""
        clauses: list[str] = []
        if self._levels:
            ranked = sorted(self._levels.items(), key=lambda pair: (_rank_of(pair[0]), pair[1]))
            clauses.append(", ".join(f"{level} {count}" for level, count in ranked))
        if self._rules and self._whole:
            clauses.append(_counted_noun(len(self._rules), "rule"))
        if not self._crowded and ("" not in self._files or not clauses):
            clauses.append(_counted_noun(len({*self._files} - {""}), "file") + " named" * ("" in self._files))
        below = f" below {self._shared}" if self._shared else ""
        return Wording.RECORDS.format(sum(self._files.values()), below, "; ".join(clauses))

    def _file_statement(self, room: int) -> tuple[str, ...]:
        """`[by file: src/{a.py 33, b.py 12}, +40]`: how many records each file has, the most first."""
        if len(self._files) < 2 or "" in self._files:  # noqa: PLR2004  # the one file stands in every statement
            return ()
        ranked = sorted(self._files.items(), key=lambda pair: (-pair[1], pair[0]))
        entries = [(path.removeprefix(self._shared), f" {count}", count) for path, count in ranked]
        return _listed(Wording.BY_FILE, sum(self._files.values()), entries, room)

    def _rule_statement(self, room: int) -> tuple[str, ...]:
        """`[by rule: E501 812, F401 120, +37]`: how many records each rule has."""
        ranked = sorted(self._rules.items(), key=lambda pair: (self._ranks[pair[0]], -pair[1], pair[0]))
        entries = [(rule, f" {count}", count) for rule, count in ranked]
        return _listed(Wording.BY_RULE, sum(self._rules.values()), entries, room)

    def _said_steps(self) -> list[Step]:
        """All that can be said of messages and places, in the order of its worth."""
        if self._steps is not None:
            return self._steps
        self._steps = []
        listings: dict[int, PlaceList] = {}
        length = 0
        for number, path, entry in self._worth_saying():
            listing = listings.get(number)
            if listing is None:
                listing = listings[number] = self._listing(number)
            else:
                length -= listing.length
            listing.add(path, entry)
            length += listing.length
            self._steps.append(Step(number, path, entry, length))
            if length > MOST_STATED:
                break
        return self._steps

    def _listing(self, number: int) -> PlaceList:
        return PlaceList(self._groups[number].lead(), self._counts[number], "; ")

    def _worth_saying(self) -> Iterator[tuple[int, str, str]]:
        """One message of every rule, then rule by rule all that differ, then further places of the rare ones."""
        rules: dict[str, list[int]] = {}
        for number, group in enumerate(self._groups):
            rules.setdefault(group.rule or f" {number}", []).append(number)
        leading = sorted(max(numbers, key=self._counts.__getitem__) for numbers in rules.values())
        self._first_steps = len(leading)
        said: set[Variant] = set()
        found = [(number, self._first(number)) for number in leading]
        found += (pair for numbers in sorted(rules.values(), key=self._breadth) for pair in self._distinct(numbers))
        found.sort(key=lambda pair: self._is_number(*pair))
        for number, variant in found:
            if variant not in said:
                said.add(variant)
                yield self._place(number, variant, 0)
        for number in sorted(range(len(self._groups)), key=self._counts.__getitem__):
            for variant in self._groups[number].variants:
                for at in range(variant in said, len(variant.places)):
                    yield self._place(number, variant, at)

    def _distinct(self, numbers: list[int]) -> Iterator[tuple[int, Variant]]:
        """Of the groups of a rule one message each, then all that differ."""
        for number in numbers:
            yield number, self._first(number)
        for number in numbers:
            parts = self._parts[number]
            seen = {parts[self._first(number)]}
            for variant in self._groups[number].variants[1:]:
                if parts[variant] not in seen and variant.places:
                    seen.add(parts[variant])
                    yield number, variant

    def _is_number(self, number: int, variant: Variant) -> bool:
        """Whether a message differs from the first of its group in numbers alone."""
        return variant is not self._first(number) and not any(map(str.isalpha, self._parts[number][variant]))

    def _first(self, number: int) -> Variant:
        return self._groups[number].variants[0]

    def _breadth(self, numbers: list[int]) -> tuple[bool, int, int]:
        """Rules with few messages come first, then by level."""
        messages = sum(len(self._groups[number].variants) for number in numbers)
        return messages > FEW, self._rank(self._groups[numbers[0]])[0], messages

    def _place(self, number: int, variant: Variant, at: int) -> tuple[int, str, str]:
        """A place of a message, with what stands there for what varies."""
        path, line, column = variant.places[at] if at < len(variant.places) else ("", "", "")
        place = f":{line}:{column}" if column else f":{line}"
        group = self._groups[number]
        part = self._parts[number][variant] if group.ends is not None or variant is not group.variants[0] else ""
        return number, path.removeprefix(self._shared), f"{place} {written_part(part)}" if part else place

    def _written(self, steps: Sequence[Step]) -> list[str]:
        listings: dict[int, PlaceList] = {}
        for step in steps:
            if step.group not in listings:
                listings[step.group] = self._listing(step.group)
            listings[step.group].add(step.path, step.entry)
        return [listings[number].text() for number in sorted(listings)]


def _listed(wording: str, total: int, entries: list[tuple[str, str, int]], room: int) -> tuple[str, ...]:
    """A statement with as many of the entries as there is room for."""
    listing = PlaceList(wording.format("", "").removesuffix("]"), total, ", ")
    chosen = 0
    for number, entry in enumerate(entries):
        listing.add(*entry)
        if listing.length <= room:
            chosen = number + 1
        elif listing.length > room + 100:  # the last `+N` may make it short again
            break
    listing = PlaceList(wording.format("", "").removesuffix("]"), total, ", ")
    for entry in entries[:chosen]:
        listing.add(*entry)
    return (listing.text(),) if chosen else ()


def _counted_noun(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _rank_of(level: str) -> int:
    small = level.lower()
    return 0 if small in SEVERE or small.endswith(" error") else 2 if small in MILD else 1
