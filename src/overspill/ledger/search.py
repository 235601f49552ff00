"""Tasks by what they say, the best match first.

A word matches itself and what begins with it; all words have to match. A word that nothing has is taken for a
slip, and the nearest word that something has stands in for it. If that does not help, any of the words will do.
"""

from __future__ import annotations

import re

from overspill._lite import TYPE_CHECKING, cached_property
from overspill.errors import UsageError
from overspill.ledger.fields import LISTED, list_record
from overspill.ledger.schema import LIST

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from overspill.ledger.tasks import Guard

# Scoring is what takes the time, and a word that thousands have says little: so many of the newest are scored, and
# the others follow by age.
SCORED = 1500
MOST_WORDS = 16
SHORTEST_SLIP = 4
BESIDE = 36  # characters on each side of a match
LONGEST_WORD = 32
CANDIDATES = 40
_WORD = re.compile(r"[^\W_]+")
_SPELLED = re.compile(rf"[^\W\d_]{{{SHORTEST_SLIP},{LONGEST_WORD}}}")
_SHORT = 5  # letters up to which one slip is allowed, and two beyond


_ONE = f"select {LISTED}, description, notes from tasks where number = ?"


class TaskMatches:
    """The tasks that match, as a query; `instead` says which words were taken for slips."""

    def __init__(self, db: sqlite3.Connection, text: str, guard: Guard, *, archived: bool = False) -> None:
        self.db = db
        self.guard = guard
        self.table = "search_shelf" if archived else "search"
        self.words = list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))[:MOST_WORDS]
        if not self.words:
            raise UsageError(f"there is no word in {text[:100]!r} to look for").with_help("spill list")
        self.instead: dict[str, str] = {}
        self.loosened = False

    def count(self) -> int:
        """How many tasks match."""
        return self._total  # an index that is damaged is made anew by whoever asked

    def rows(self, limit: int | None, offset: int) -> Iterator[dict[str, object]]:
        """Some of them, the best first; each with the words around the match, if that is not in its title."""
        with self.guard():
            numbers = self._numbers(limit, offset)
            words = "|".join(re.escape(self.instead.get(word, word)) for word in self.words)
            wanted = re.compile(rf"(?<![^\W_])(?:{words})", re.IGNORECASE)
            for number in numbers:
                *row, description, notes = self.db.execute(_ONE, (number,)).fetchone()
                record = list_record(tuple(row))
                snippet = "" if wanted.search(str(record["title"])) else words_around(wanted, description, notes)
                yield {**record, "snippet": snippet} if snippet else record

    @cached_property
    def match(self) -> str:
        """What is asked of the index, decided when the answer is first needed."""
        strict = _all_words(self.words)
        if self._any(strict):
            return strict
        self.instead = {word: near for word in self.words if (near := self._near(word))}
        mended = [self.instead.get(word, word) for word in self.words]
        if self.instead and self._any(_all_words(mended)):
            return _all_words(mended)
        loose = " OR ".join(map(_prefix_match, mended))
        self.loosened = len(self.words) > 1 and self._any(loose)
        return loose

    @cached_property
    def _total(self) -> int:
        sql = f"select count(*) from {self.table} where {self.table} match ?"
        return int(self.db.execute(sql, (self.match,)).fetchone()[0])

    def _any(self, match: str) -> bool:
        sql = f"select 1 from {self.table} where {self.table} match ? limit 1"
        return self.db.execute(sql, (match,)).fetchone() is not None

    def _numbers(self, limit: int | None, offset: int) -> list[int]:
        most = -1 if limit is None else limit
        found = f"from {self.table} where {self.table} match ? order by rowid desc"
        scored = self.db.execute(
            f"select rowid from (select rowid, bm25({self.table}, 10, 3, 1) as score {found} limit {SCORED}) "
            "order by score, rowid desc limit ? offset ?",
            (_exact_match(self.match), most, offset),
        )
        numbers = [number for (number,) in scored]
        if limit is None or len(numbers) < limit:
            more = -1 if limit is None else limit - len(numbers)
            sql = f"select rowid {found} limit ? offset ?"
            rest = self.db.execute(sql, (self.match, more, max(offset, SCORED)))
            numbers += [number for (number,) in rest]
        return numbers

    def _near(self, word: str) -> str:
        """The nearest word that something has, if nothing has this one."""
        if len(word) < SHORTEST_SLIP or len(word) > LONGEST_WORD or self._any(_prefix_match(word)):
            return ""
        parts = " OR ".join(f'"{word[at : at + 3]}"' for at in range(len(word) - 2))
        sql = f"select word from slips where slips match ? order by rank limit {CANDIDATES}"
        most = 1 if len(word) <= _SHORT else 2
        close = [(edit_steps(word, near, most), near) for (near,) in self.db.execute(sql, (parts,))]
        return min(((far, near) for far, near in close if far <= most), default=(0, ""))[1]


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
    """What begins with a word."""
    return f'"{word}" *'


def _exact_match(match: str) -> str:
    """A match of prefixes in which whole words are scored twice."""
    return re.sub(r'("[^"]+") \*', r"(\1 OR \1 *)", match)


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
