"""The ledger in PostgreSQL: the same tables behind the same statements, for one tenant and project of a database.

Words of tasks are rows of a table. They are told apart here and not by the server, so that what is found does not
depend on the language it was set up for.
"""

from __future__ import annotations

import re
import unicodedata

from overspill._lite import TYPE_CHECKING, contextmanager
from overspill.database import SECONDS, FleetDatabase, PostgresConnection
from overspill.ledger.engine import CANDIDATES, MatchCondition, MatchSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from overspill.ledger.engine import Match, MatchKind, Word

LONGEST = 500  # characters of a word that are looked at
LAST = "\U0010ffff"  # stands after everything that begins with a word
TEXTS = ("labels", "description", "notes", "acceptance", "files", "verification", "reason")
_WORD = re.compile(r"[^\W_]+")
_ID_LIKE = re.compile(r"t[0-9]*")
# Whoever writes holds this row until the end: others wait, so that moments and numbers follow each other.
_LOCK = "select value from counters where name = 'clock' for update"
_BEGIN = "insert into counters (name, value) values ('number', 0), ('clock', 0) on conflict do nothing"


class LedgerTables:
    """A ledger in a database."""

    def __init__(self, database: FleetDatabase, seconds: float = SECONDS) -> None:
        self._database, self._seconds = database, seconds
        self._db: LedgerConnection | None = None

    @property
    def index_errors(self) -> tuple[type[Exception], ...]:
        """What an index of words that is damaged answers with."""
        from psycopg import Error

        return (Error,)

    def connect(self, *, create: bool) -> LedgerConnection:
        """The ledger. One that is not there is begun, or, for those who only read, is an empty one."""
        self._db = LedgerConnection(self._database.connect(self._seconds))
        with self.errors():
            if create and self._db.execute("select 1 from counters").fetchone() is None:
                self._db.execute(_BEGIN)
        return self._db

    @staticmethod
    def transaction(db: LedgerConnection, /) -> AbstractContextManager[None]:
        """All of it or nothing, with nobody else writing meanwhile."""
        return db.connection.transaction(_LOCK)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """While it lasts, the database's complaints leave as sentences of ours."""
        assert self._db is not None  # noqa: S101  # nothing is guarded before it is open
        with self._db.connection.errors():
            yield


class LedgerConnection:
    """A connection to the ledger, with its index of words."""

    def __init__(self, connection: PostgresConnection) -> None:
        self.connection = connection
        self.words = TaskWordTable(connection)

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> Any:  # noqa: ANN401  # a cursor of the driver
        """Run one statement."""
        return self.connection.execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Sequence[object]], /) -> None:
        """Run one statement for each row of values."""
        self.connection.executemany(sql, parameters)

    def close(self) -> None:
        """Let go of it."""
        self.connection.close()


class TaskWordTable:
    """Words of tasks as rows."""

    def __init__(self, db: PostgresConnection) -> None:
        self._db = db

    @staticmethod
    def source(asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks as they are now are looked for."""
        return _source("words", "facets", asked, values, archived=archived)

    def past_source(self, asked: str, values: list[object], *, archived: bool) -> MatchSource:
        """Where tasks of the table `past` are looked for, as they were."""
        self._db.execute("drop table if exists past_words")
        self._db.execute(
            'create temp table past_words (task bigint, in_title boolean, word text collate "C", '
            "primary key (word, in_title, task))"
        )
        for number, title, *texts in self._db.execute(f"select number, title, {', '.join(TEXTS)} from past").fetchall():
            self._insert("past_words", number, _words_of(title, texts))
        return _source("past_words", "past", asked, values, archived=archived)

    @staticmethod
    def few(source: MatchSource, numbers: Sequence[int]) -> MatchSource:
        """A source that has these tasks alone."""
        listed = ", ".join(map(str, numbers)) or "0"  # which no task has
        return source._replace(asked=f"{source.number} in ({listed})", values=[])

    @staticmethod
    def condition(source: MatchSource, match: Match) -> MatchCondition:
        """What holds of a task of a source that matches."""
        ways = [_kind_condition(source, kind) for kind in match.ways]
        without = [_kind_condition(source, kind) for kind in match.without]
        some = " or ".join(one.sql for one in ways)
        sql = " and not ".join([f"({some})", *(one.sql for one in without)])
        return MatchCondition(sql, [value for one in (*ways, *without) for value in one.values])

    def near_words(self, word: str) -> list[str]:
        """Words that something has and that look like this one."""
        sql = (
            "select word from slips where part = any(?::text[]) group by word "
            f"order by count(*) desc, length(word), word limit {CANDIDATES}"
        )
        return [near for (near,) in self._db.execute(sql, (_parts(word),))]

    def remember(self, number: int, spelled: Iterable[str]) -> None:
        """Note the words of a task that was changed; `spelled` are those that may be meant by slips."""
        self._index(number)
        pairs = [(part, word) for word in spelled for part in _parts(word)]
        if pairs:
            parts, words = zip(*pairs, strict=True)
            self._db.execute(
                "insert into slips (part, word) select * from unnest(?::text[], ?::text[]) on conflict do nothing",
                (list(parts), list(words)),
            )

    def rebuild(self) -> None:
        """Make the index anew from the tasks, which are the truth."""
        for (number,) in self._db.execute("select number from tasks").fetchall():
            self._index(number)

    def _index(self, number: int) -> None:
        sql = f"select title, {', '.join(TEXTS)} from tasks where number = ?"
        title, *texts = self._db.execute(sql, (number,)).fetchone()
        words = _words_of(title, texts)
        self._db.execute(
            "delete from words where task = ? and not exists (select from unnest(?::boolean[], ?::text[]) "
            "as kept (where_it_is, spelling) where where_it_is = in_title and spelling = word)",
            (number, [one[0] for one in words], [one[1] for one in words]),
        )
        self._insert("words", number, words)

    def _insert(self, table: str, number: int, words: Sequence[tuple[bool, str]]) -> None:
        self._db.execute(
            f"insert into {table} (task, in_title, word) "
            "select ?, * from unnest(?::boolean[], ?::text[]) on conflict do nothing",
            (number, [one[0] for one in words], [one[1] for one in words]),
        )


def _source(words: str, table: str, asked: str, values: list[object], *, archived: bool) -> MatchSource:
    kind = f"{table}.archived is {'not ' if archived else ''}null"
    return MatchSource(words, table, f"{table}.number", " and ".join(filter(None, [kind, asked])), values)


def _kind_condition(source: MatchSource, kind: MatchKind) -> MatchCondition:
    """One way to match."""
    each = [_word_condition(source, word, in_title=kind.in_title) for word in kind.words]
    ids = ", ".join(word[1:] for word in kind.ids)
    named = [f"{source.number} in ({ids})"] if ids else []
    return MatchCondition(
        f"({' and '.join([*named, *(one.sql for one in each)])})", [value for one in each for value in one.values]
    )


def _word_condition(source: MatchSource, word: Word, *, in_title: bool) -> MatchCondition:
    text = folded_text(word.text)[:LONGEST]
    asked, values = ("word = ?", [text]) if word.whole else ("word >= ? and word < ?", [text, text + LAST])
    if in_title:
        asked += " and in_title"
    # One look at the words, kept as a hash. As a join, which `is true` prevents, it would be planned by what the server
    # knows of tables that are new to it: nothing, and every task would be compared with every other.
    sql = f"({source.number} in (select task from {source.words} where {asked})) is true"
    if not in_title and _ID_LIKE.fullmatch(text):  # an id is a word of its task, too
        own = f"'t' || {source.number}"
        sql = f"({sql} or {f'{own} = ?' if word.whole else f'starts_with({own}, ?)'})"
        values = [*values, text]
    return MatchCondition(sql, list(values))


def _words_of(title: str, texts: Sequence[str | None]) -> list[tuple[bool, str]]:
    """The words of a task, each with whether it stands in the title."""
    found = {(True, word): None for word in split_words(title)}
    found |= {(False, word): None for text in texts if text for word in split_words(text)}
    return list(found)


def split_words(text: str) -> list[str]:
    """The words of a text as they are looked for.

    >>> split_words("The Zürich office: module_7.py")
    ['the', 'zurich', 'office', 'module', '7', 'py']
    """
    return [word[:LONGEST] for word in _WORD.findall(folded_text(text))]


def folded_text(text: str) -> str:
    """A text in small letters, without accents."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    return "".join(letter for letter in unicodedata.normalize("NFD", lowered) if not unicodedata.combining(letter))


def _parts(word: str) -> list[str]:
    """Each three letters of a word that follow each other."""
    return list(dict.fromkeys(word[at : at + 3] for at in range(len(word) - 2)))
