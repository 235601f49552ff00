r"""A row of a terminal: columns rather than characters.

A wide character takes two columns, a combining one none. ASCII takes one each and is never split up.

>>> overlay("downloading 99%", 0, "done")
('doneloading 99%', 4)
>>> overlay("下载", 1, "x")
(' x载', 2)
"""

from functools import lru_cache


def width(row: str) -> int:
    """How many columns `row` takes.

    >>> width("abc"), width("下载"), width("e\u0301")
    (3, 4, 1)
    """
    return len(row) if row.isascii() else len(cells(row))


def overlay(row: str, column: int, text: str) -> tuple[str, int | None]:
    """`row` with `text` written over it from `column` on, and where that ends: None at the row's own end."""
    if row.isascii() and text.isascii():
        end = column + len(text)
        return row[:column].ljust(column) + text + row[end:], end if end < len(row) else None
    columns = cells(row)
    columns += " " * (column - len(columns))
    for character in text:
        column = _write(columns, column, character)
    return "".join(columns), column if column < len(columns) else None


def split(row: str, column: int) -> tuple[str, str]:
    """What stands before `column` and from there on; half of a wide character is a blank.

    >>> split("下载", 1)
    (' ', ' 载')
    """
    if row.isascii():
        return row[:column], row[column:]
    columns = cells(row)
    left, right = columns[:column], columns[column:]
    if right and not right[0]:
        left[-1] = right[0] = " "
    return "".join(left), "".join(right)


def cells(row: str) -> list[str]:
    """One string a column; the second column of a wide character is empty."""
    widths = {character: _columns_of(character) for character in set(row)}
    if all(taken == 1 for taken in widths.values()):
        return list(row)
    columns: list[str] = []
    for character in row:
        taken = widths[character]
        if taken or not columns:
            columns.append(character)
            if taken == 2:  # noqa: PLR2004  # columns of a wide character
                columns.append("")
        else:
            columns[-1 if columns[-1] or len(columns) == 1 else -2] += character
    return columns


def _write(columns: list[str], at: int, character: str) -> int:
    """Write one character over what stands at `at`; the column after it."""
    taken = _columns_of(character)
    if taken == 0 and at > 0:
        base = at - 1 if columns[at - 1] or at == 1 else at - 2
        columns[base] += character
        return at
    end = at + max(taken, 1)
    if at < len(columns) and not columns[at]:
        columns[at - 1] = " "
    if end < len(columns) and not columns[end]:
        columns[end] = " "
    columns[at:end] = [character, ""][: end - at]
    return end


@lru_cache(maxsize=1024)
def _columns_of(character: str) -> int:
    if character.isascii():
        return 1
    import unicodedata

    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
