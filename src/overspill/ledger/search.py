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

from overspill._lite import TYPE_CHECKING, NamedTuple, cached_property
from overspill.errors import UsageError
from overspill.ledger.changes import last_change
from overspill.ledger.fields import LISTED, list_record
from overspill.ledger.schema import LIST
from overspill.ledger.tasks import PagePosition, put_back

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from overspill.ledger.tasks import Guard, Record, Where

MOST_WORDS = 16
SHORTEST_SLIP = 4
BESIDE = 36  # characters on each side of a match
LONGEST_WORD = 32
CANDIDATES = 40
FEW = 100  # matches that are looked up one by one
SPELLED = ("title", "description", "notes", "labels", "acceptance")  # fields whose words are known, so slips are told
MENDED, KNOWN, LOOSE = 10, 20, 100  # where the places of matches begin that were found in another way
_WORD = re.compile(r"[^\W_]+")
_ID = re.compile(r"t[1-9][0-9]{0,17}")
_SPELLED = re.compile(rf"[^\W\d_]{{{SHORTEST_SLIP},{LONGEST_WORD}}}")
_SHORT = 5  # letters up to which one slip is allowed, and two beyond
_IDS = "({id} : "  # how the kind begins that ids are looked for with
_CHANGED = "select 1 from facets where changed > ?"
_ONE = f"select {LISTED}, labels, description, notes, acceptance, files from tasks where number = ?"

Place = tuple[int, int]  # how good a match is, and the task's number, negative: both grow along the list


class MatchSource(NamedTuple):
    """An index of words, and what is asked of the rows of a table about its tasks, if anything is."""

    words: str
    beside: str
    asked: str
    values: list[object]

    @property
    def tables(self) -> str:
        """Where to look: what matches first, and then each of these in the other table."""
        return f"{self.words} cross join {self.beside} on number = {self.words}.rowid" if self.beside else self.words

    @property
    def more(self) -> str:
        """What is asked beside the words."""
        return f"and {self.asked}" if self.asked else ""


class TaskMatches:
    """The tasks that match, as a query; `instead` says which words were taken for slips."""

    def __init__(
        self,
        db: sqlite3.Connection,
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
        self.table = "search_shelf" if archived else "search"
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
    def tiers(self) -> list[tuple[int, str]]:
        """What is asked of the index, the best first, decided when the answer is first needed."""
        mode = -1 if self.at is None else self.at.key[0]
        if (mode < 0 and self._any(_all_words(self.words))) or 0 <= mode < MENDED:
            return _tiers(self.words, 0)
        self.instead = {word: near for word in self.words if (near := self._near(word))}
        mended = [self.instead.get(word, word) for word in self.words]
        if (mode < 0 and self.instead and self._any(_all_words(mended))) or MENDED <= mode < KNOWN:
            return _tiers(mended, MENDED)
        known = [word for word in mended if self._any(_prefix_match(word))]
        self.loosened = len(self.words) > 1 and bool(known)
        if (mode < 0 and known and self._any(_all_words(known))) or KNOWN <= mode < LOOSE:
            return _tiers(known, KNOWN)
        return [(LOOSE, " OR ".join(map(_prefix_match, mended)))]

    @property
    def _any_place(self) -> str:
        """What is asked of the index to have them all: the last kind, and the first, which may be ids of several."""
        first, last = (match.partition(" NOT ")[0] for _, match in (self.tiers[0], self.tiers[-1]))
        return f"{first} OR {last}" if first.startswith(_IDS) else last

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

    def _count_of(self, source: MatchSource, match: str, side: str = "<>", number: int = 0) -> int:
        """How many match, on one side of a task."""
        sql = f"select count(*) from {source.tables} where {source.words} match ? {source.more}"
        values = [match, *source.values]
        if number:
            sql, values = f"{sql} and {source.words}.rowid {side} ?", [*values, number]
        return int(self.db.execute(sql, values).fetchone()[0])

    @cached_property
    def _sources(self) -> list[MatchSource]:
        """The indexes to be asked, with what else is asked of their tasks: what is, and what was changed as it was."""
        chosen, values = self.where.sql(), list(self.where.values)
        if self.at is None or not self.db.execute(_CHANGED, (self.moment,)).fetchone():
            return [self._narrowed(MatchSource(self.table, "facets" if chosen else "", chosen, values))]
        put_back(self.db, self.moment)
        self._index_past()
        unchanged = " and ".join(filter(None, [f"changed <= {self.moment}", chosen]))
        return [
            self._narrowed(MatchSource(self.table, "facets", unchanged, values)),
            MatchSource("past_search", "past" if chosen else "", chosen, values),
        ]

    def _narrowed(self, source: MatchSource) -> MatchSource:
        """Where few are left of all that match, these alone: nobody runs through the others for every kind of match."""
        if not source.beside:
            return source
        sql = f"select {source.words}.rowid from {source.tables} where {source.words} match ? {source.more} limit ?"
        numbers = [str(row[0]) for row in self.db.execute(sql, [self._any_place, *source.values, FEW + 1])]
        if len(numbers) > FEW:
            return source
        return MatchSource(source.words, "", f"{source.words}.rowid in ({', '.join(numbers)})", [])

    def _index_past(self) -> None:
        self.db.execute("drop table if exists temp.past_search")
        self.db.execute(
            "create virtual table temp.past_search using fts5 "
            "(id, title, body, detail=column, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6')"
        )
        archived = "not null" if self.table == "search_shelf" else "null"
        self.db.execute(
            "insert into past_search (rowid, id, title, body) "
            f"select number, 'T' || number, title, {_BODY} from past where archived is {archived}"
        )

    def _any(self, match: str) -> bool:
        sql = f"select 1 from {self.table} where {self.table} match ? limit 1"
        return self.db.execute(sql, (match,)).fetchone() is not None

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
            sql = (
                f"select {source.words}.rowid from {source.tables} where {source.words} match ? {source.more} {below} "
                f"order by {source.words}.rowid desc limit ?"
            )
            values = [match, *source.values, *bound, -1 if most is None else most]
            for (number,) in self.db.execute(sql, values).fetchall():
                yield place, -number
                most = None if most is None else most - 1
            if most == 0:
                return

    def _loose_places(self, source: MatchSource, most: int | None) -> Iterator[Place]:
        """Tasks that have some of the words, those that have more of them first."""
        one = f"select {source.words}.rowid as found from {source.tables} where {source.words} match ? {source.more}"
        words = [_prefix_match(self.instead.get(word, word)) for word in self.words]
        each = " union all ".join([one] * len(words))
        sql = f"select {LOOSE + MOST_WORDS} - count(*), -found from ({each}) group by found"
        after = (-1, 0) if self.at is None else self.at.key
        places = self.db.execute(
            f"with found(place, number) as ({sql}) select place, number from found "
            "where (place, number) > (?, ?) order by 1, 2 limit ?",
            [*(value for word in words for value in (word, *source.values)), *after, -1 if most is None else most],
        )
        yield from places.fetchall()

    def _after(self, place: int, source: MatchSource) -> tuple[str | None, list[object]]:
        """What is asked of a task of this place to stand after the position; None if none does."""
        if self.at is None or place > self.at.key[0]:
            return "", []
        return (f"and {source.words}.rowid < ?", [-self.at.key[1]]) if place == self.at.key[0] else (None, [])

    def _near(self, word: str) -> str:
        """The nearest word that something has, if nothing has this one."""
        if len(word) < SHORTEST_SLIP or len(word) > LONGEST_WORD or self._any(_prefix_match(word)):
            return ""
        parts = " OR ".join(f'"{word[at : at + 3]}"' for at in range(len(word) - 2))
        sql = f"select word from slips where slips match ? order by rank limit {CANDIDATES}"
        most = 1 if len(word) <= _SHORT else 2
        close = [(edit_steps(word, near, most), near) for (near,) in self.db.execute(sql, (parts,))]
        return min(((far, near) for far, near in close if far <= most), default=(0, ""))[1]


def _tiers(words: list[str], first: int) -> list[tuple[int, str]]:
    """How good a match can be: the place of each kind, and what is asked, without those that are better."""
    named = [word for word in words if _ID.fullmatch(word)]
    others = "".join(f" AND {_prefix_match(word)}" for word in words if word not in named)
    kinds = [
        *([_IDS[1:] + "(" + " OR ".join(f'"{word}"' for word in named) + ")" + others] if named else []),
        "{title} : (" + " AND ".join(f'"{word}"' for word in words) + ")",
        "{title} : (" + _all_words(words) + ")",
        _all_words(words),
    ]
    return [
        (first + place, " NOT ".join(f"({one})" for one in (kind, *kinds[:place]))) for place, kind in enumerate(kinds)
    ]


_TEXTS = ("labels", "description", "notes", "acceptance", "files", "verification", "reason")
_BODY = " || char(30) || ".join(f"coalesce({name}, '')" for name in _TEXTS)


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


def _all_words(words: list[str]) -> str:
    return " AND ".join(map(_prefix_match, words))


def _prefix_match(word: str) -> str:
    """What begins with a word; the id of a task is meant whole."""
    return f'"{word}"' if _ID.fullmatch(word) else f'"{word}" *'


def remember_words(db: sqlite3.Connection, texts: Iterable[object]) -> None:
    """Note the words of a task, so that slips can be told."""
    words = {word for text in texts if text for word in _SPELLED.findall(str(text).lower())}
    db.executemany("insert or ignore into words (word) values (?)", [(word,) for word in sorted(words)])


def rebuild_indexes(db: sqlite3.Connection) -> None:
    """Make the indexes anew from the tasks, which are the truth."""
    for table in ("search", "search_shelf", "slips"):
        db.execute(f"insert into {table} ({table}) values ('rebuild')")


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
