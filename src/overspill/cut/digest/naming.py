"""Which column names the rows of a table: by what it is called, by its words, however deep it stands in them.

>>> from overspill.cut.digest.columns import Table
>>> table = Table()
>>> table.add([{"cursor": f"c{n:x}{n:04}", "node": {"title": f"lid {n} is loose"}} for n in range(40)], range(40))
>>> leading_column(table)[0]
'node.title'
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.cut.digest import SignTable, without_digits
from overspill.cut.digest.values import FEWEST, is_quoted, json_word, spelled_value, value_word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from overspill.cut.digest.columns import Column, Table

OFTEN_NAMED = 0.7  # of the rows have another name, if that is the first column
NAMED = 0.9  # of the rows have a name of their own, and a value
LONGEST_NAME = 60  # characters, on average
LONGEST_TITLE = 100  # characters of a title, on average
LONGEST_WORD = 40  # characters of a name that is another one in every row, on average
LONGEST_PHRASE = 24  # characters of a name of several words, on average
MANY = 200  # rows, in which sizes say more than shares
DEEPEST = 3  # objects in objects of a row
KEY = "key"  # what the members of an object are called
FEWEST_IDS = 30  # among fewer values each may be asked for
NUMBERED = 20  # values of one form, digits aside
_without_hex = SignTable("0123456789abcdefABCDEF-")
HASH = compile_pattern(r"(?:0x)?(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f-]{6,}")
_NAME = compile_pattern(
    r"(?i)name$|(?:^|\.)name\.|(?:^|[._ -])(?:title|subject|summary|headline|path|file|slug|label|login)$"
)
_WORD = compile_pattern(r"\w")
KEYS = (  # what rows are fetched by is called: as people say it, as programs do, where it is found
    r"(?i)(?:^|[._])(?:number|iid|key|num|no)$",
    r"(?i)(?:id|[a-z]number|[a-z]key)$",
    r"(?i)(?:url|link|href|uri)$",
)


def leading_column(table: Table, *, phrases: bool = False) -> tuple[str, Column] | None:
    """The column that names the rows, however deep in them it stands, and the way to it; by short phrases, if asked.

    One that is called a name inside an object of the row comes before one that is merely short.
    """
    if table.keys is not None:
        return KEY, table.keys
    best = naming_column(table)
    if best is not None and not is_called_name(best.name) and are_ids(best.values.counts or ()):
        best = None
    first = next(iter(table.columns.values()), None)
    if best is None or not (best is first or is_called_name(best.name)):
        best = titles_of(table) or best
    if best is not None and (is_called_name(best.name) or (best is first and not _numbered(best))):
        return spelled_label(best.name), best
    inside = ((path, one) for path, one in row_columns(table) if "." in path and one.cells)
    longest = {path: LONGEST_TITLE if is_called_name(path) else LONGEST_NAME for path, _ in row_columns(table)}
    deep = [
        (path, column)
        for path, column in inside
        if column.present == table.rows and _may_name(column, table.rows, longest=longest[path])
    ]
    called = next((one for one in deep if is_called_name(one[0])), None)
    if best is first and called is not None and not _phrases(called[1]):
        called = None  # another name beside the first
    if called is None and best is not None:
        return spelled_label(best.name), best
    if deep:
        path, column = called or deep[0]
        return spelled_label(path), column
    best = naming_column(table, phrases=True) if phrases else None
    if best is None or sum(len(value) for value in best.values.counts or ()) > LONGEST_PHRASE * best.present:
        return None
    return spelled_label(best.name), best


def _numbered(column: Column) -> bool:
    """Whether the names of a column differ in their digits alone, as cursors and keys do."""
    return are_numbered(column.values.counts or ())


def _phrases(column: Column) -> bool:
    """Whether most of the names of a column are of several words."""
    counts = column.values.counts or {}
    return 2 * sum(" " in value for value in counts) > len(counts)


def titles_of(table: Table) -> Column | None:
    """The column of titles, where it is called so, and each row has one of its own: issues, messages, articles."""
    called = (one for one in table.columns.values() if is_called_name(one.name))
    return next((one for one in called if _may_name(one, table.rows, longest=LONGEST_TITLE)), None)


def row_columns(table: Table, way: str = "") -> Iterator[tuple[str, Column]]:
    """The columns that say one thing of a row, also of the objects in it, by the way to them."""
    for name, column in table.columns.items():
        yield way + name, column
        if column.inner is not None and column.inner.members is None and way.count(".") < DEEPEST:
            yield from row_columns(column.inner, f"{way}{name}.")


def naming_column(table: Table, *, phrases: bool = False) -> Column | None:
    """The column that names the rows: a word (or a phrase), nearly always another one, that is no code.

    It is one that is called a name or the first column, if these can be, or else the shortest.
    """
    found = []
    for at, column in enumerate(table.columns.values()):
        if _may_name(column, table.rows, OFTEN_NAMED if not at else NAMED):
            counts = column.values.counts or {}
            chars = sum(map(len, counts))
            called = is_called_name(column.name)
            blank = sum(1 for value in counts if " " in value) > (1 - NAMED) * len(counts)
            blank = blank and not (called and chars <= LONGEST_PHRASE * len(counts))
            found.append((blank, -1 if called else chars if at else 0, column))
    found = [one for one in found if phrases or not one[0]]
    return min(found, key=lambda one: one[:2])[2] if found else None


def named_column(table: Table, lead: Column | None, *, outermost: bool) -> Column | None:
    """The column whose values name the rows of a table, which may lie in another."""
    columns = [*table.columns.values()]
    if outermost and lead is not None and table.keys is None and all(column is not lead for column in columns):
        return None  # it stands in an object of the rows
    found = _identity(table)
    if found is None or found is not columns[0]:
        found = next((column for column in columns if column is lead), found)
    return found or (naming_column(table) if outermost or table.rows <= MANY else None)


def _identity(table: Table) -> Column | None:
    """The column that names the rows: a word, and in no two rows the same; the first if it can be, or the shortest."""
    best, shortest = None, LONGEST_WORD * table.rows + 1
    for at, column in enumerate(table.columns.values()):
        counts = column.values.counts
        if not counts or not column.texts == table.rows == len(counts) >= FEWEST // 3:
            continue
        if not column.values.dated:
            chars = sum(map(len, counts))
            # `New Jersey` is a name, a sentence is not.
            if chars < shortest and sum(value.count(" ") for value in counts) <= len(counts):
                best, shortest = column, chars if at else 0
    return best


def names_of_troubled(table: Table, rows: Sequence[Mapping[str, str]], lead: str) -> tuple[str, dict[str, int]] | None:
    """What rows in trouble are called, and the column that says it; None where none tells which they are.

    It is the one that names the rows, or the one that says another thing of each, in few words.
    """
    names: dict[str, dict[str, int]] = {}
    for row in rows:
        for key, text in row.items():
            of_key = names.setdefault(key, {})
            called = json_word(text) if is_quoted(text) else text
            of_key[called] = of_key.get(called, 0) + 1
    names = {key: found for key, found in names.items() if _tell_apart(table, key, found)}
    worths = {
        key: (key == lead, min(len(found), 1 + sum(found.values()) // 2), -sum(map(len, found)))
        for key, found in names.items()
    }
    best = max(names, key=lambda key: worths[key], default=None)
    return None if best is None else (best, names[best])


def _tell_apart(table: Table, key: str, found: Mapping[str, int]) -> bool:
    """Whether texts of some rows say which these are: no numbers, not nothing, and not what all rows say."""
    column = table.columns.get(key)
    counts = column.values.counts if column is not None else None
    same = counts is not None and len(counts) == 1
    return not same and all(found) and not all(text[:1].isdigit() for text in found)


def is_called_name(path: str) -> bool:
    """Whether a column, by the way to it, is called what names things: `metadata.name`, `hostname`, `name.common`.

    >>> [is_called_name(path) for path in ("displayName", "name.common", "title", "flag", "subtitle", "names.0")]
    [True, True, True, False, False, False]
    """
    return _NAME.search(path) is not None


def _may_name(column: Column, rows: int, share: float = NAMED, longest: int = LONGEST_NAME) -> bool:
    """Whether a column has a text in nearly every row, nearly always another one, that is no code."""
    counts = column.values.counts
    if not counts or column.repeated or column.values.ends is not None or column.numbers.number:
        return False
    if len(counts) < share * rows or column.values.dated:
        return False
    codes = sum(1 for value in counts if value[:1].isdigit() or HASH.fullmatch(value) or not _WORD.search(value))
    short = sum(len(value) for value in counts) <= longest * len(counts)
    named = len(counts) >= share * rows and column.present >= NAMED * rows
    return named and short and 2 * codes < len(counts)


def are_ids(values: Collection[str]) -> bool:
    """Whether names of rows are hashes and the like, of which one says as much as any other.

    >>> are_ids([f"req-{number:x}" for number in range(90)]), are_ids([f"web-{number}" for number in range(90)])
    (True, False)
    """
    if len(values) < FEWEST_IDS:
        return False
    low, high = min(values), max(values)
    same = next((at for at, sign in enumerate(low) if not high.startswith(sign, at)), len(low))
    head = low[:same].rstrip("0123456789abcdefABCDEF")
    rest = "".join(value[len(head) :] for value in values)
    mixed = any(map(str.isdigit, rest)) and any(map(str.isalpha, rest))
    return mixed and not _without_hex(rest)


def are_numbered(values: Collection[str]) -> bool:
    """Whether most of many values differ from others in digits alone.

    >>> are_numbered([f"/orders/{number}" for number in range(90)]), are_numbered(["a1", "b2", "c3"])
    (True, False)
    """
    forms = {*without_digits("\n".join(values)).split("\n")}
    return len(values) > FEWEST_IDS and NUMBERED * len(forms) <= len(values)


def called_column(
    columns: list[tuple[str, dict[int, object]]], names: Sequence[str]
) -> tuple[str, dict[int, object]] | None:
    """Of columns the one that is called by the first of these names, if any is, with the shortest values."""
    for pattern in names:
        called = [
            (sum(len(value_word(value)) for value in cells.values()), path.count("."), path, cells)
            for path, cells in columns
            if compile_pattern(pattern).search(path)
        ]
        width, _, path, cells = min(called, key=lambda one: one[:2], default=(0, 0, "", {}))
        if cells and width <= LONGEST_TITLE * len(cells):
            return path, cells
    return None


def spelled_label(name: str) -> str:
    """The name of a column, in quotes where it could be read as more than one word of ours."""
    return spelled_value(name) if " with " in name or ":" in name or '"' in name or ", " in name else name
