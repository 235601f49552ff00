r"""One rule, as a row of the table: what it is called, what it finds, and the literal that stands in every find.

A pattern is Python `re` syntax, linear by construction: every repeat is over one class, open runs
end the pattern, and nothing crosses a line. The secret is the group `v`, or all of the match.
"""

from collections.abc import Iterable

from overspill._lite import NamedTuple

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


TokenRow = tuple[str, str, str, str, str]


def token_rules(kind: str, rows: Iterable[TokenRow], back: int = 0, least: int = -1) -> tuple[Rule, ...]:
    """Rules for keys with a fixed format, written `name, gates, pattern, yes, no`; edges are added here."""
    return tuple(
        Rule(name, kind, EDGE + with_right_edge(pattern), tuple(gates.split(" ")), yes, no, back, least=least)
        for name, gates, pattern, yes, no in rows
    )


def with_right_edge(pattern: str) -> str:
    """The pattern with its right edge: a counted run must not go on in the same class.

    >>> with_right_edge("ab[0-9]{4}")
    'ab[0-9]{4}(?!(?!-----BEGIN)[0-9])'
    >>> with_right_edge("ab[0-9]{4,}")
    'ab[0-9]{4,}'
    """
    if not pattern.endswith("}") or pattern.endswith(",}"):
        return pattern
    head = pattern[: pattern.rindex("{")]
    # A private key may begin right behind a token whose class has the dash.
    return f"{pattern}(?!(?!-----BEGIN){head[head.rindex('[') :]})" if head.endswith("]") else pattern
