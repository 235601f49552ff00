"""Lines of JSON among others, or behind what another program put before them: a log of records with words between them.

All lines that end with an object are rows: what they add up to is said as of a table, and the odd ones are shown.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, cached_property
from overspill.cut.digest.columns import Table
from overspill.cut.digest.templates import WIDEST
from overspill.cut.digest.values import value_word

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE, MOST_ODD, FEWEST = 0.55, 60, 8
FARTHEST = 120  # characters before an object


def object_in(line: str) -> dict[str, object] | None:
    """The object that a line ends with.

    >>> object_in('web-1 | {"level": "info"}'), object_in("all is well"), object_in('{"a": 1} {"b": 2}')
    ({'level': 'info'}, None, None)
    """
    from msgspec import DecodeError
    from msgspec.json import decode

    at = line.find('{"', 0, FARTHEST)
    bare = line.rstrip()
    if at < 0 or bare[-1:] != "}" or len(bare) > WIDEST:
        return None
    try:
        found = decode(bare[at:])
    except (DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return found if isinstance(found, dict) else None


def share_of(lines: list[str]) -> float:
    """The share of lines that end with an object."""
    filled = [line for line in lines if line.strip()]
    return sum(object_in(line) is not None for line in filled) / max(1, len(filled))


class JsonLineCollector:
    """Adds up the objects that lines end with."""

    def __init__(self) -> None:
        self._table = Table()
        self._lines = 0

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        found = [(row, self._lines + at) for at, line in enumerate(lines) if (row := object_in(line)) is not None]
        self._lines += len(lines)
        if found:
            rows, places = zip(*found, strict=True)
            self._table.add(rows, places)

    def digest(self) -> JsonLineDigest | None:
        """What they add up to, if they are some."""
        return JsonLineDigest(self._table) if self._table.rows >= FEWEST else None


class JsonLineDigest:
    """What the objects that lines end with add up to."""

    share = SHARE
    beside = True  # other lines, of which more can be told

    def __init__(self, table: Table) -> None:
        self._table = table

    def statements(self, room: int) -> tuple[str, ...]:
        """What is said of them, at most `room` characters, line ends included."""
        from overspill.cut.digest.statements import table_statements

        told = table_statements(self._table, room)
        # A name may hold signs that nobody sees, which the text has in letters.
        return tuple(one for one in told if all(map(str.isprintable, one.split("\n"))))

    def tells(self, line: str) -> bool:
        """Whether this line ends with an object that is like the others."""
        found = object_in(line)
        return found is not None and self._odd_cells.isdisjoint(cells_of(found))

    @cached_property
    def _odd_cells(self) -> set[tuple[str, str]]:
        return {(odd.column, odd.value) for odd in self._table.odd_rows()[:MOST_ODD]}


def cells_of(row: dict[str, object], path: str = "") -> Iterator[tuple[str, str]]:
    """The values of an object, however deep, each with the names that lead to it.

    >>> [*cells_of({"level": "info", "at": {"zone": 3}})]
    [('level', 'info'), ('at.zone', '3')]
    """
    for name, value in row.items():
        if isinstance(value, dict):
            yield from cells_of(value, f"{path}{name}.")
        elif not isinstance(value, list):
            yield f"{path}{name}", value_word(value)
