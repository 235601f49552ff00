"""Tasks by what they say, the best match first.

A word matches itself and what begins with it; all words have to match. A word that nothing has is taken for a
slip, and the nearest word that something has stands in for it. If that does not help, any of the words will do, and
the more the better. Whole words in a title come first, then beginnings of words in a title, then all other places;
of equals the newest. So a match has its place by itself, and a page goes on after the last match that was seen.
"""

from __future__ import annotations

import heapq
import re
from itertools import islice

from overspill._lite import TYPE_CHECKING, cached_property
from overspill.errors import UsageError
from overspill.ledger.changes import last_change
from overspill.ledger.engine import LIST, Match, MatchKind, Word
from overspill.ledger.fields import LISTED, list_record
from overspill.ledger.tasks import EVERY_ROW, PagePosition, put_back

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from overspill.ledger.engine import MatchSource, TaskConnection
    from overspill.ledger.tasks import Guard, Record, Where

MOST_WORDS = 16
SHORTEST_SLIP = 4
BESIDE = 36  # characters on each side of a match
LONGEST_WORD = 32
FEW = 100  # matches that are looked up one by one
SPELLED = ("title", "description", "notes", "labels", "acceptance")  # fields whose words are known, so slips are told
MENDED, KNOWN, LOOSE = 10, 20, 100  # where the places of matches begin that were found in another way
_WORD = re.compile(r"[^\W_]+")
_ID = re.compile(r"t[1-9][0-9]{0,17}")
_SPELLED = re.compile(rf"[^\W\d_]{{{SHORTEST_SLIP},{LONGEST_WORD}}}")
_SHORT = 5  # letters up to which one slip is allowed, and two beyond
_CHANGED = "select 1 from facets where changed > ?"
_ONE = f"select {LISTED}, labels, description, notes, acceptance, files from tasks where number = ?"

Place = tuple[int, int]  # how good a match is, and the task's number, negative: both grow along the list


class TaskMatches:
    """The tasks that match, as a query; `instead` says which words were taken for slips."""

    def __init__(
        self,
        db: TaskConnection,
        text: str,
        guard: Guard,
        where: Where,
        *,
        archived: bool = False,
        at: str | None = None,
    ) -> None:
        self.db = db
        self.guard = guard
        self.where = where
        self.archived = archived
        self.words = list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))[:MOST_WORDS]
        if not self.words:
            raise UsageError(f"there is no word in {text[:100]!r} to look for").with_help("spill list")
        self.at = PagePosition.parse(at, 2)
        with guard():
            self.moment = last_change(db) if self.at is None else self.at.moment
        self.instead: dict[str, str] = {}
        self.loosened = False
        self._seen: dict[object, Place] = {}

    def count(self) -> int:
        """How many tasks match, after the position if one was given."""
        return self._total  # an index that is damaged is made anew by whoever asked

    def rows(self, limit: int | None, offset: int) -> Iterator[Record]:
        """Some of them, the best first; each with the words around the match, if that is not in its title."""
        with self.guard():
            words = "|".join(re.escape(self.instead.get(word, word)) for word in self.words)
            wanted = re.compile(rf"(?<![^\W_])(?:{words})", re.IGNORECASE)
            for place in self._places(limit, offset):
                *row, labels, description, notes, acceptance, files = self.db.execute(_ONE, (-place[1],)).fetchone()
                record = list_record(tuple(row))
                self._seen[record["id"]] = place
                around = (labels, description, notes, acceptance, files)
                snippet = "" if wanted.search(str(record["title"])) else words_around(wanted, *around)
                yield {**record, "snippet": snippet} if snippet else record

    def position(self, record: Record) -> str:
        """Where the list goes on after a record of this page."""
        return str(PagePosition(self.moment, self._seen[record["id"]]))

    @cached_property
    def tiers(self) -> list[tuple[int, Match]]:
        """What is asked of the index, the best first, decided when the answer is first needed."""
        mode = -1 if self.at is None else self.at.key[0]
        if (mode < 0 and self._any(self.words)) or 0 <= mode < MENDED:
            return _tiers(self.words, 0)
        self.instead = {word: near for word in self.words if (near := self._near(word))}
        mended = [self.instead.get(word, word) for word in self.words]
        if (mode < 0 and self.instead and self._any(mended)) or MENDED <= mode < KNOWN:
            return _tiers(mended, MENDED)
        known = [word for word in mended if self._any([word])]
        self.loosened = len(self.words) > 1 and bool(known)
        if (mode < 0 and known and self._any(known)) or KNOWN <= mode < LOOSE:
            return _tiers(known, KNOWN)
        return [(LOOSE, Match([MatchKind([_looked_for(word)]) for word in mended]))]

    @property
    def _any_place(self) -> Match:
        """What is asked of the index to have them all: the last kind, and the first, which may be ids of several."""
        first, last = (match.ways for _, match in (self.tiers[0], self.tiers[-1]))
        return Match([*first, *last] if first[0].ids else last)

    @cached_property
    def _total(self) -> int:
        return sum(self._count(source) for source in self._sources)

    def _count(self, source: MatchSource) -> int:
        if self.at is None:
            return self._count_of(source, self._any_place)
        place, number = self.at.key
        if self.tiers[0][0] >= LOOSE:
            return sum(1 for _ in self._loose_places(source, None))
        if place == self.tiers[-1][0]:
            return self._count_of(source, self.tiers[-1][1], "<", -number)
        before = sum(self._count_of(source, match) for tier, match in self.tiers if tier < place)
        before += sum(self._count_of(source, match, ">=", -number) for tier, match in self.tiers if tier == place)
        return self._count_of(source, self._any_place) - before

    def _count_of(self, source: MatchSource, match: Match, side: str = "<>", number: int = 0) -> int:
        """How many match, on one side of a task."""
        condition = self.db.words.condition(source, match)
        sql = f"select count(*) from {source.tables} where {condition.sql} {source.more}"
        values = [*condition.values, *source.values]
        if number:
            sql, values = f"{sql} and {source.number} {side} ?", [*values, number]
        return int(self.db.execute(sql, values).fetchone()[0])

    @cached_property
    def _sources(self) -> list[MatchSource]:
        """The indexes to be asked, with what else is asked of their tasks: what is, and what was changed as it was."""
        chosen, values = self.where.sql(), list(self.where.values)
        index = self.db.words
        if self.at is None or not self.db.execute(_CHANGED, (self.moment,)).fetchone():
            return [self._narrowed(index.source(chosen, values, archived=self.archived), asked=bool(chosen))]
        put_back(self.db, self.moment)
        unchanged = " and ".join(filter(None, [f"changed <= {self.moment}", chosen]))
        return [
            self._narrowed(index.source(unchanged, values, archived=self.archived), asked=True),
            index.past_source(chosen, values, archived=self.archived),
        ]

    def _narrowed(self, source: MatchSource, *, asked: bool) -> MatchSource:
        """Where few are left of all that match, these alone: nobody runs through the others for every kind of match."""
        if not asked:
            return source
        condition = self.db.words.condition(source, self._any_place)
        sql = f"select {source.number} from {source.tables} where {condition.sql} {source.more} limit ?"
        rows = self.db.execute(sql, [*condition.values, *source.values, FEW + 1])
        numbers = [number for (number,) in rows]
        return source if len(numbers) > FEW else self.db.words.few(source, numbers)

    def _any(self, words: list[str]) -> bool:
        """Whether a task has all of these."""
        source = self.db.words.source("", [], archived=self.archived)
        condition = self.db.words.condition(source, Match([_all_words(words)]))
        sql = f"select 1 from {source.tables} where {condition.sql} {source.more} limit 1"
        return self.db.execute(sql, [*condition.values, *source.values]).fetchone() is not None

    def _places(self, limit: int | None, offset: int) -> Iterator[Place]:
        most = None if limit is None else limit + offset
        sources = [self._source_places(source, most) for source in self._sources]
        return islice(heapq.merge(*sources), offset, most)

    def _source_places(self, source: MatchSource, most: int | None) -> Iterator[Place]:
        if self.tiers[0][0] >= LOOSE:
            yield from self._loose_places(source, most)
            return
        for place, match in self.tiers:
            below, bound = self._after(place, source)
            if below is None:
                continue
            condition = self.db.words.condition(source, match)
            sql = (
                f"select {source.number} from {source.tables} where {condition.sql} {source.more} {below} "
                f"order by {source.number} desc limit ?"
            )
            values = [*condition.values, *source.values, *bound, EVERY_ROW if most is None else most]
            for (number,) in self.db.execute(sql, values).fetchall():
                yield place, -number
                most = None if most is None else most - 1
            if most == 0:
                return

    def _loose_places(self, source: MatchSource, most: int | None) -> Iterator[Place]:
        """Tasks that have some of the words, those that have more of them first."""
        kinds = [MatchKind([_looked_for(self.instead.get(word, word))]) for word in self.words]
        conditions = [self.db.words.condition(source, Match([kind])) for kind in kinds]
        each = " union all ".join(
            f"select {source.number} as found from {source.tables} where {one.sql} {source.more}" for one in conditions
        )
        sql = f"select {LOOSE + MOST_WORDS} - count(*), -found from ({each}) as one group by found"
        after = (-1, 0) if self.at is None else self.at.key
        places = self.db.execute(
            f"with found(place, number) as ({sql}) select place, number from found "
            "where (place, number) > (?, ?) order by 1, 2 limit ?",
            [
                *(value for one in conditions for value in (*one.values, *source.values)),
                *after,
                EVERY_ROW if most is None else most,
            ],
        )
        yield from places.fetchall()

    def _after(self, place: int, source: MatchSource) -> tuple[str | None, list[object]]:
        """What is asked of a task of this place to stand after the position; None if none does."""
        if self.at is None or place > self.at.key[0]:
            return "", []
        return (f"and {source.number} < ?", [-self.at.key[1]]) if place == self.at.key[0] else (None, [])

    def _near(self, word: str) -> str:
        """The nearest word that something has, if nothing has this one."""
        if len(word) < SHORTEST_SLIP or len(word) > LONGEST_WORD or self._any([word]):
            return ""
        most = 1 if len(word) <= _SHORT else 2
        close = [(edit_steps(word, near, most), near) for near in self.db.words.near_words(word)]
        return min(((far, near) for far, near in close if far <= most), default=(0, ""))[1]


def _tiers(words: list[str], first: int) -> list[tuple[int, Match]]:
    """How good a match can be: the place of each kind, and what is asked, without those that are better."""
    named = [word for word in words if _ID.fullmatch(word)]
    others = [_looked_for(word) for word in words if word not in named]
    kinds = [
        *([MatchKind(others, ids=named)] if named else []),
        MatchKind([Word(word, whole=True) for word in words], in_title=True),
        _all_words(words)._replace(in_title=True),
        _all_words(words),
    ]
    return [(first + place, Match([kind], kinds[:place])) for place, kind in enumerate(kinds)]


def words_around(wanted: re.Pattern[str], *texts: str | None) -> str:
    """The words around the first match.

    >>> story = "Long ago there was a queue that had to retry each message three times until noon."
    >>> words_around(re.compile("retry"), story)
    '…ago there was a queue that had to retry each message three times…'
    """
    for text in filter(None, texts):
        if match := wanted.search(text):
            before = text[max(0, match.start() - 2 * BESIDE) : match.start()]
            after = text[match.start() : match.start() + 2 * BESIDE]
            first = before[-BESIDE:].partition(" ")[2] if len(before) > BESIDE else before
            last = after[:BESIDE].rpartition(" ")[0] if len(after) > BESIDE else after
            whole = f"{'…' if first != before else ''}{first}{last or after[:BESIDE]}{'…' if last != after else ''}"
            return " ".join(whole.replace(LIST, " ").split())
    return ""


def _all_words(words: list[str]) -> MatchKind:
    return MatchKind([_looked_for(word) for word in words])


def _looked_for(word: str) -> Word:
    """What begins with a word; the id of a task is meant whole."""
    return Word(word, whole=_ID.fullmatch(word) is not None)


def remember_words(db: TaskConnection, number: int, texts: Iterable[object]) -> None:
    """Note the words of a task, so that slips can be told."""
    words = {word for text in texts if text for word in _SPELLED.findall(str(text).lower())}
    db.words.remember(number, sorted(words))


def edit_steps(one: str, other: str, most: int) -> int:
    """How many letters were left out, put in, changed or swapped; `most + 1` stands for anything beyond.

    >>> pairs = ("recieve", "receive"), ("authentification", "authentication"), ("cat", "elephant")
    >>> tuple(edit_steps(*pair, 2) for pair in pairs)
    (1, 2, 3)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    above: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, above, row = above, row, [i]
        for j, wanted in enumerate(other, 1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
