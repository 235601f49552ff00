"""Tables for people: in a box on a terminal, in plain columns elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

Row = Sequence[str]
COLOURS = {"bad": "\x1b[31m", "good": "\x1b[32m"}  # by what is meant, not by how it looks
PLAIN = "\x1b[0m"


def in_colour(words: str, meaning: str) -> str:
    """Words in the colour of what they mean, on a terminal that may be coloured; as they are elsewhere."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return words
    return f"{COLOURS[meaning]}{words}{PLAIN}"


def table_text(title: str, head: Row, rows: Sequence[Row]) -> str:
    """A table as standard output would have it."""
    return boxed_table(title, head, rows) if sys.stdout.isatty() else plain_table(head, rows)


def plain_table(head: Row, rows: Sequence[Row]) -> str:
    """Columns, one line a row.

    >>> print(plain_table(("ID", "Size"), [("art_1_a", "2.3 MB")]), end="")
    ID       Size
    art_1_a  2.3 MB
    """
    widths = _widths(head, rows)
    return "".join(f"{'  '.join(map(str.ljust, row, widths)).rstrip()}\n" for row in (head, *rows))


def boxed_table(title: str, head: Row, rows: Sequence[Row]) -> str:
    """Columns with lines around them, under a title.

    >>> print(boxed_table("Artifacts", ("ID", "Size"), [("art_1_a", "2.3 MB")]), end="")
    ┌──────────────────┐
    │ Artifacts        │
    ├─────────┬────────┤
    │ ID      │ Size   │
    ├─────────┼────────┤
    │ art_1_a │ 2.3 MB │
    └─────────┴────────┘
    """
    widths = _widths(head, rows)
    inner = sum(widths) + 3 * len(widths) - 1
    if len(title) + 2 > inner:  # the last column makes room for the title
        widths[-1] += len(title) + 2 - inner
        inner = len(title) + 2
    lines = [f"┌{'─' * inner}┐", f"│ {title.ljust(inner - 1)}│", _box_rule("├┬┤", widths), _cells(head, widths)]
    lines += [_box_rule("├┼┤", widths), *(_cells(row, widths) for row in rows), _box_rule("└┴┘", widths)]
    return "\n".join(lines) + "\n"


def visible(words: str) -> str:
    r"""What others wrote, with every character that would do something to a terminal spelled out.

    >>> print(visible("rm \x1b[2J\n\u202egnp.exe"))
    rm \x1b[2J\n\u202egnp.exe
    """
    if words.isprintable():
        return words
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in words)


def count_of(count: int, noun: str) -> str:
    """A number of things.

    >>> count_of(1, "artifact"), count_of(1200, "artifact")
    ('1 artifact', '1,200 artifacts')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _widths(head: Row, rows: Sequence[Row]) -> list[int]:
    return [max(map(len, column)) for column in zip(head, *rows, strict=True)]


def _box_rule(corners: str, widths: Sequence[int]) -> str:
    return corners[0] + corners[1].join("─" * (width + 2) for width in widths) + corners[2]


def _cells(row: Row, widths: Sequence[int]) -> str:
    return "│" + "│".join(f" {cell.ljust(width)} " for cell, width in zip(row, widths, strict=True)) + "│"
