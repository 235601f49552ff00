r"""One rule, as a row of the table: what it is called, what it finds, and the literal that stands in every find.

A pattern is Python `re` syntax, linear by construction: every repeat is over one class, open runs
end the pattern, and nothing crosses a line. The secret is the group `v`, or all of the match.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

# A reader looks at most this far ahead of a hit and behind it.
REACH = 65_536
BACK = 320
# A hit is one number: its place, shifted, and below it the rule's.
SHIFT = 10
RULE = (1 << SHIFT) - 1

# How the place of a value is filled: plainly, as part of an address, or in quotes it did not have,
# each with as many backslashes before it as the form is greater than `QUOTE`.
PLAIN, URL, QUOTE = 0, 1, 2

Found = tuple[int, int, str, int]
"""A value: start, end, type (empty if it was looked at and is no secret), and how its place is filled."""

Reader = Callable[[str, int, int], Iterable[Found]]
"""From a text, a hit and an end to what must be hidden."""

Probe = Callable[[str, int, int], object]
"""The same to None where a reader would surely find nothing; it costs no call of ours."""

# What may stand before a token: anything but a letter or digit, and also the tail of an escape
# (`\n`, `%3D`, `\u003d`, a terminal colour), which ends in one.
EDGE = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=u00[0-9A-Fa-f]{2})"
    r"|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m)|(?<=\x1b\[[0-9];[0-9]{2}m))"
)


class Rule(NamedTuple):
    """One row: `gates` are literals (any case) of which one stands in every match, `back` characters in, or `least`.

    `before` are words of which one must stand earlier on the line.
    `how` names the reader that judges a hit. `yes` and `no` are samples in the notation of
    `overspill.redact.samples`, so that no table of ours looks like a leak.
    """

    name: str
    type: str
    pattern: str
    gates: tuple[str, ...]
    yes: str
    no: str
    back: int = 0
    how: str = "token"
    scan: str = ""
    before: tuple[str, ...] = ()
    least: int = -1


Row = tuple[str, str, str, str, str]


def tokens(kind: str, rows: Iterable[Row], back: int = 0, least: int = -1) -> tuple[Rule, ...]:
    """Rules for keys with a fixed format, written `name, gates, pattern, yes, no`; edges are added here."""
    return tuple(
        Rule(name, kind, EDGE + closed(pattern), tuple(gates.split(" ")), yes, no, back, least=least)
        for name, gates, pattern, yes, no in rows
    )


def closed(pattern: str) -> str:
    """The pattern with its right edge: a counted run must not go on in the same class.

    >>> closed("ab[0-9]{4}")
    'ab[0-9]{4}(?!(?!-----BEGIN)[0-9])'
    >>> closed("ab[0-9]{4,}")
    'ab[0-9]{4,}'
    """
    if not pattern.endswith("}") or pattern.endswith(",}"):
        return pattern
    head = pattern[: pattern.rindex("{")]
    # A private key may begin right behind a token whose class has the dash.
    return f"{pattern}(?!(?!-----BEGIN){head[head.rindex('[') :]})" if head.endswith("]") else pattern
