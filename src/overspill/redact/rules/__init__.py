r"""Rules, each a row of a table: what it is called, what it finds, and the literal that stands in every find.

The tables are `vendors.py` and `credentials.py`, where `RULES` has all of them.

A pattern is Python `re` syntax, linear by construction: every repeat is over one class, open runs
end the pattern, and nothing crosses a line. The secret is the group `v`, or all of the match.

How a pattern begins is what an engine looks for: `prefixes` says it.

For tests and demonstrations there are made-up values. A sample says the shape, `<A36>` for 36 letters and
digits, and the value is drawn from it, the same one every time. So no file of ours contains anything that
reads as a key.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable
    from typing import Any

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
    `overspill.redact.rules`, so that no table of ours looks like a leak.
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


WIDE = 16  # characters that tell a token well enough
MOST = 24  # variants of one pattern
_SPECIAL_IN_SETS = frozenset(".+*?()[]{}|^$\\-&~#/")


class Prefix(NamedTuple):
    """A pattern and its width in characters. `open`: nothing more can be said."""

    pattern: str
    width: int
    open: bool = False


_EMPTY = Prefix("", 0)


def prefixes(pattern: str, wide: int = WIDE) -> tuple[Prefix, ...]:
    """The ways a match of `pattern` begins; nothing if one of them cannot be told.

    >>> [prefix.pattern for prefix in prefixes("(?:live|test)_(?:pub_)?[a-f]{4,}")]
    ['live_[a-f]{4}', 'live_pub_[a-f]{4}', 'test_[a-f]{4}', 'test_pub_[a-f]{4}']
    >>> [prefix.pattern for prefix in prefixes("v=[0-9]{1,3}x")]
    ['v=[0-9]']
    """
    from importlib import import_module  # only where a database is built

    found = _sequence_prefixes(import_module("re._parser").parse(pattern), wide, caseless=False)
    if not all(prefix.width for prefix in found):
        return ()
    # What begins like another one would only be told twice.
    return tuple(p for p in found if not any(p is not q and p.pattern.startswith(q.pattern) for q in found))


def _sequence_prefixes(parts: Iterable[Any], wide: int, *, caseless: bool) -> list[Prefix]:
    found = [_EMPTY]
    for part in parts:
        more = list(dict.fromkeys(_part_prefixes(part, wide, caseless=caseless)))
        if len(found) * len(more) > MOST:
            return [prefix._replace(open=True) for prefix in found]
        found = list(dict.fromkeys(joined for prefix in found for joined in _joined_prefixes(prefix, more, wide)))
        if all(prefix.open for prefix in found):
            break
    return found


def _joined_prefixes(prefix: Prefix, more: list[Prefix], wide: int) -> list[Prefix]:
    if prefix.open:
        return [prefix]
    return [
        Prefix(prefix.pattern + m.pattern, prefix.width + m.width, m.open or prefix.width + m.width >= wide)
        for m in more
    ]


def _part_prefixes(part: tuple[Any, Any], wide: int, *, caseless: bool) -> list[Prefix]:
    """The ways one part of a parsed pattern begins."""
    operator, value = str(part[0]), part[1]
    match operator:
        case "LITERAL":
            return [_characters(_letter(value, caseless=caseless), ascii_only=value < _BEYOND)]
        case "IN":
            return [_class(value, caseless=caseless)]
        case "SUBPATTERN":
            return _sequence_prefixes(value[3], wide, caseless=caseless or bool(value[1] & _IGNORECASE))
        case "BRANCH":
            return [prefix for branch in value[1] for prefix in _sequence_prefixes(branch, wide, caseless=caseless)]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeat_prefixes(value, wide, caseless=caseless)
    around = operator in {"ASSERT", "ASSERT_NOT", "AT"}
    return [_EMPTY if around else Prefix("", 0, open=True)]


_BEYOND = 128
_IGNORECASE = 2
_FEW = 2


def _repeat_prefixes(value: tuple[int, int, Iterable[Any]], wide: int, *, caseless: bool) -> list[Prefix]:
    least, most, item = value
    once = _sequence_prefixes(item, wide, caseless=caseless)
    if len(once) == 1 and once[0].width == 1 and not once[0].open and (least > 1 or most - least > _FEW):
        count = min(least, wide)
        run = f"{once[0].pattern}{{{count}}}" if count else ""
        return [Prefix(run, count, open=count < most)]
    if most - least > _FEW or most > _FEW:
        return [prefix._replace(open=True) for prefix in once] if least else [Prefix("", 0, open=True)]
    found = [_EMPTY] if not least else []
    times = [_EMPTY]
    for _ in range(most):
        times = [joined for prefix in times for joined in _joined_prefixes(prefix, once, wide)]
        found += times
    return found


def _characters(text: str, *, ascii_only: bool) -> Prefix:
    # A character beyond ASCII has a width of its own in bytes.
    return Prefix(text, 1) if ascii_only else Prefix("", 0, open=True)


def _letter(code: int, *, caseless: bool) -> str:
    letter = chr(code)
    if caseless and letter.isalpha():
        return f"[{letter.upper()}{letter.lower()}]"
    return f"\\{letter}" if letter in _SPECIAL_IN_SETS else letter


def _class(items: list[tuple[Any, Any]], *, caseless: bool) -> Prefix:
    text, ascii_only = "", True
    for operator, value in items:
        match str(operator):
            case "LITERAL":
                text += _letter(value, caseless=caseless).strip("[]") if chr(value).isalpha() else _escaped_code(value)
                ascii_only = ascii_only and value < _BEYOND
            case "RANGE":
                low, high = value
                text += f"{_escaped_code(low)}-{_escaped_code(high)}"
                if caseless and chr(low).isalpha():
                    text += f"{chr(low).swapcase()}-{chr(high).swapcase()}"
                ascii_only = ascii_only and high < _BEYOND
            case _:
                ascii_only = False
    return _characters(f"[{text}]", ascii_only=ascii_only)


def _escaped_code(code: int) -> str:
    return f"\\x{code:02x}" if not chr(code).isalnum() else chr(code)
