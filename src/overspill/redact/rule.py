r"""One rule, as a row of the table: what it is called, what it finds, and the literal that stands in every find.

A pattern is Python `re` syntax, linear by construction: every repeat is over one class, open runs
end the pattern, and nothing crosses a line. The secret is the group `v`, or all of the match.

For tests and demonstrations there are made-up values. A sample says the shape, `<A36>` for 36 letters and
digits, and the value is drawn from it, the same one every time. So no file of ours contains anything that
reads as a key.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

# What may stand before a token: anything but a letter or digit, and also the tail of an escape
# (`\n`, `%3D`, `\u003d`, a terminal colour), which ends in one.
EDGE = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=u00[0-9A-Fa-f]{2})"
    r"|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m)|(?<=\x1b\[[0-9];[0-9]{2}m))"
)


class Rule(NamedTuple):
    """One row: `gates` are literals (any case) of which one stands in every match, `back` characters in, or `least`.

    Where no literal stands in every match there are none, and `scan` says how all matches begin, for every engine; the
    ways of a rule with literals stand in lines of it.
    `before` are words of which one must stand earlier on the line.
    `how` names the reader that judges a hit. `yes` and `no` are samples in the notation of
    `overspill.redact.rule`, so that no table of ours looks like a leak.
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


LOWER, DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
UPPER = LOWER.upper()
LETTERS = LOWER + UPPER
_CLASSES = {
    "A": LETTERS + DIGITS,
    "H": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "U": UPPER + DIGITS,
    "L": LOWER + DIGITS,
    "W": LETTERS + DIGITS + "_-",
    "B": LETTERS + DIGITS + "+/",
    "D": DIGITS,
    "E": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "K": "qpzry9x8gf2tvdw0s3jn54khce6mua7l".upper(),
}
_SLOT = compile_pattern(r"<([A-Z])(\d+)>|<UUID>")


def made_up_value(shape: str, seed: int = 0) -> str:
    """The shape with every slot filled: `<A36>` letters and digits, `<H32>` hex, `<UUID>`, ...

    >>> made_up_value("id-<H8>") == made_up_value("id-<H8>")
    True
    >>> len(made_up_value("id-<H8>"))
    11
    """
    import random  # for samples alone

    draw = random.Random(f"{seed}:{shape}")  # noqa: S311  a seed makes the sample the same every time

    def fill(slot: re.Match[str]) -> str:
        if slot.group(1) is None:
            digits = "".join(draw.choices(_CLASSES["H"], k=32))
            return "-".join((digits[:8], digits[8:12], "4" + digits[13:16], "a" + digits[17:20], digits[20:]))
        letters = _CLASSES[slot.group(1)]
        count = int(slot.group(2))
        # Every longer value holds a digit, a capital and a small letter, where its class has them.
        kinds = [c for c in (DIGITS, UPPER, LOWER) if set(c) & set(letters)]
        forced = [draw.choice(sorted(set(kind) & set(letters))) for kind in kinds] if count >= len(kinds) else []
        body = forced + draw.choices(letters, k=count - len(forced))
        draw.shuffle(body)
        return "".join(body)

    return _SLOT.sub(fill, shape)
