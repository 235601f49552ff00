"""What a ledger asks of its database beside plain SQL: which tasks have which words. And that index in SQLite.

The SQL of the ledger is one that SQLite and PostgreSQL read alike. A connection brings its index of words along: a
full-text table here, a table of words in `postgres.py`. Both answer the same questions in the same way.
"""

from __future__ import annotations

import sqlite3

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

CANDIDATES = 40  # words that one may have been meant for


class Word(NamedTuple):
    """A word that is looked for: as it is, or as the beginning of one."""

    text: str
    whole: bool = False


class MatchKind(NamedTuple):
    """One way to match: one of some ids, and all words, anywhere or in the title."""

    words: Sequence[Word]
    ids: Sequence[str] = ()
    in_title: bool = False


class Match(NamedTuple):
    """What matches in one of some ways, and in none of others."""

    ways: Sequence[MatchKind]
    without: Sequence[MatchKind] = ()


class MatchSource(NamedTuple):
    """An index of words, tables that join it with what else is asked of its tasks, and the column of their numbers."""

    words: str
    tables: str
    number: str
    asked: str
    values: list[object]

    @property
    def more(self) -> str:
        """What is asked beside the words."""
        return f"and {self.asked}" if self.asked else ""


class MatchCondition(NamedTuple):
    """SQL that holds of what matches, and its values."""

    sql: str
    values: list[object]


class WordIndex(Protocol):
    """Which tasks have which words, and which words there are."""

    def source(self, asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks as they are now are looked for."""

    def past_source(self, asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks of the table `past` are looked for, as they were."""

    def few(self, source: MatchSource, numbers: Sequence[int]) -> MatchSource:
        """A source that has these tasks alone."""

    def condition(self, source: MatchSource, match: Match) -> MatchCondition:
        """What holds of a task of a source that matches."""

    def near_words(self, word: str) -> list[str]:
        """Words that something has and that look like this one."""

    def remember(self, number: int, spelled: Iterable[str]) -> None:
        """Note the words of a task that was changed; `spelled` are those that may be meant by slips."""

    def rebuild(self) -> None:
        """Make the index anew from the tasks, which are the truth."""


class LedgerRows(Protocol):
    """What a statement answers with."""

    def fetchone(self) -> Any:  # noqa: ANN401  # a row is what the driver makes of it
        """The next row."""

    def fetchall(self) -> list[Any]:
        """All that are left."""

    def __iter__(self) -> Iterator[Any]: ...

    def __next__(self) -> Any: ...  # noqa: ANN401


class TaskConnection(Protocol):
    """What the ledger needs of a database: statements with `?` for values, and an index of words."""

    @property
    def words(self) -> WordIndex:
        """Which tasks have which words."""

    def execute(self, sql: str, parameters: Any = ..., /) -> LedgerRows:  # noqa: ANN401  # a sequence
        """Run one statement."""

    def executemany(self, sql: str, parameters: Any, /) -> object:  # noqa: ANN401  # rows of values
        """Run one statement for each row of values."""

    def close(self) -> None:
        """Let go of it."""


class Engine(Protocol):
    """A place where a ledger is kept."""

    @property
    def index_errors(self) -> tuple[type[Exception], ...]:
        """What an index of words that is damaged answers with."""

    def connect(self, *, create: bool) -> TaskConnection:
        """The ledger. One that is not there is made, or, for those who only read, is an empty one."""

    def transaction(self, db: Any, /) -> AbstractContextManager[None]:  # noqa: ANN401  # a connection of its own kind
        """All of it or nothing, with nobody else writing meanwhile."""

    def errors(self) -> AbstractContextManager[None]:
        """While it lasts, the database's complaints leave as sentences of ours."""


class FileConnection(sqlite3.Connection):
    """A connection to a ledger in a file, or in memory."""

    @property
    def words(self) -> FullTextIndex:
        """Which tasks have which words."""
        return FullTextIndex(self)


class FullTextIndex:
    """Words of tasks in full-text tables, which triggers keep up to date."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def source(self, asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks as they are now are looked for."""
        return _joined_source("search_shelf" if archived else "search", "facets", asked, values)

    def past_source(self, asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks of the table `past` are looked for, as they were."""
        self._db.execute("drop table if exists temp.past_search")
        self._db.execute(
            "create virtual table temp.past_search using fts5 "
            "(id, title, body, detail=column, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6')"
        )
        self._db.execute(
            "insert into past_search (rowid, id, title, body) "
            f"select number, 'T' || number, title, {_BODY} from past where archived is {'not' if archived else ''} null"
        )
        return _joined_source("past_search", "past", asked, values)

    @staticmethod
    def few(source: MatchSource, numbers: Sequence[int]) -> MatchSource:
        """A source that has these tasks alone."""
        return source._replace(tables=source.words, asked=f"{source.number} in ({_listed(numbers)})", values=[])

    @staticmethod
    def condition(source: MatchSource, match: Match) -> MatchCondition:
        """What holds of a task of a source that matches."""
        ways = " OR ".join(f"({_full_text(one)})" for one in match.ways)
        return MatchCondition(
            f"{source.words} match ?", [" NOT ".join([f"({ways})", *(f"({_full_text(one)})" for one in match.without)])]
        )

    def near_words(self, word: str) -> list[str]:
        """Words that something has and that look like this one."""
        parts = " OR ".join(f'"{word[at : at + 3]}"' for at in range(len(word) - 2))
        sql = f"select word from slips where slips match ? order by rank limit {CANDIDATES}"
        return [near for (near,) in self._db.execute(sql, (parts,))]

    def remember(self, number: int, spelled: Iterable[str]) -> None:  # noqa: ARG002  # triggers know the task
        """Note the words of a task that was changed; `spelled` are those that may be meant by slips."""
        sql = "insert or ignore into words (word) values (?)"
        self._db.executemany(sql, [(word,) for word in spelled])

    def rebuild(self) -> None:
        """Make the index anew from the tasks, which are the truth."""
        for table in ("search", "search_shelf", "slips"):
            self._db.execute(f"insert into {table} ({table}) values ('rebuild')")


def _joined_source(words: str, beside: str, asked: str, values: list[object]) -> MatchSource:
    """What matches first, and then each of these in the other table, if anything is asked there."""
    tables = f"{words} cross join {beside} on number = {words}.rowid" if asked else words
    return MatchSource(words, tables, f"{words}.rowid", asked, values)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "0"  # which no task has


def _full_text(kind: MatchKind) -> str:
    """One way to match, as the full-text index reads it."""
    words = " AND ".join(f'"{word.text}"' if word.whole else f'"{word.text}" *' for word in kind.words)
    if kind.in_title:
        return "{title} : (" + words + ")"
    ids = " OR ".join(f'"{word}"' for word in kind.ids)
    return " AND ".join(filter(None, ["{id} : (" + ids + ")" if ids else "", words]))


_TEXTS = ("labels", "description", "notes", "acceptance", "files", "verification", "reason")
_BODY = " || char(30) || ".join(f"coalesce({name}, '')" for name in _TEXTS)
