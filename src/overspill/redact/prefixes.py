r"""How a rule's matches begin, as fixed-width patterns that hyperscan finds without saying where they start.

Every match of the rule begins with a match of one of them. They may match more: what looks around is
left out, and a run that may be longer is cut to its least length, so that a long token is one hit.
"""

from collections.abc import Iterable
from typing import Any

from overspill._lite import NamedTuple

WIDE = 16  # characters that tell a token well enough
MOST = 24  # variants of one pattern
_SPECIAL = frozenset(".+*?()[]{}|^$\\-&~#/")


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
    """
    from importlib import import_module  # only where a database is built

    found = _sequence(import_module("re._parser").parse(pattern), wide, caseless=False)
    if not all(prefix.width for prefix in found):
        return ()
    # What begins like another one would only be told twice.
    return tuple(p for p in found if not any(p is not q and p.pattern.startswith(q.pattern) for q in found))


def _sequence(parts: Iterable[Any], wide: int, *, caseless: bool) -> list[Prefix]:
    found = [_EMPTY]
    for part in parts:
        more = list(dict.fromkeys(_part(part, wide, caseless=caseless)))
        if len(found) * len(more) > MOST:
            return [prefix._replace(open=True) for prefix in found]
        found = list(dict.fromkeys(joined for prefix in found for joined in _joined(prefix, more, wide)))
        if all(prefix.open for prefix in found):
            break
    return found


def _joined(prefix: Prefix, more: list[Prefix], wide: int) -> list[Prefix]:
    if prefix.open:
        return [prefix]
    return [
        Prefix(prefix.pattern + m.pattern, prefix.width + m.width, m.open or prefix.width + m.width >= wide)
        for m in more
    ]


def _part(part: tuple[Any, Any], wide: int, *, caseless: bool) -> list[Prefix]:
    """The ways one part of a parsed pattern begins."""
    operator, value = str(part[0]), part[1]
    match operator:
        case "LITERAL":
            return [_characters(_letter(value, caseless=caseless), ascii_only=value < _BEYOND)]
        case "IN":
            return [_class(value, caseless=caseless)]
        case "SUBPATTERN":
            return _sequence(value[3], wide, caseless=caseless or bool(value[1] & _IGNORECASE))
        case "BRANCH":
            return [prefix for branch in value[1] for prefix in _sequence(branch, wide, caseless=caseless)]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeated(value, wide, caseless=caseless)
    around = operator in {"ASSERT", "ASSERT_NOT", "AT"}
    return [_EMPTY if around else Prefix("", 0, open=True)]


_BEYOND = 128
_IGNORECASE = 2
_FEW = 2


def _repeated(value: tuple[int, int, Iterable[Any]], wide: int, *, caseless: bool) -> list[Prefix]:
    least, most, item = value
    once = _sequence(item, wide, caseless=caseless)
    if len(once) == 1 and once[0].width == 1 and not once[0].open and (least > 1 or most - least > _FEW):
        count = min(least, wide)
        run = f"{once[0].pattern}{{{count}}}" if count else ""
        return [Prefix(run, count, open=count < most)]
    if most - least > _FEW or most > _FEW:
        return once if least else [Prefix("", 0, open=True)]
    found = [_EMPTY] if not least else []
    times = [_EMPTY]
    for _ in range(most):
        times = [joined for prefix in times for joined in _joined(prefix, once, wide)]
        found += times
    return found


def _characters(text: str, *, ascii_only: bool) -> Prefix:
    # A character beyond ASCII has a width of its own in bytes.
    return Prefix(text, 1) if ascii_only else Prefix("", 0, open=True)


def _letter(code: int, *, caseless: bool) -> str:
    letter = chr(code)
    if caseless and letter.isalpha():
        return f"[{letter.upper()}{letter.lower()}]"
    return f"\\{letter}" if letter in _SPECIAL else letter


def _class(items: list[tuple[Any, Any]], *, caseless: bool) -> Prefix:
    text, ascii_only = "", True
    for operator, value in items:
        match str(operator):
            case "LITERAL":
                text += _letter(value, caseless=caseless).strip("[]") if chr(value).isalpha() else _escaped(value)
                ascii_only = ascii_only and value < _BEYOND
            case "RANGE":
                low, high = value
                text += f"{_escaped(low)}-{_escaped(high)}"
                if caseless and chr(low).isalpha():
                    text += f"{chr(low).swapcase()}-{chr(high).swapcase()}"
                ascii_only = ascii_only and high < _BEYOND
            case _:
                ascii_only = False
    return _characters(f"[{text}]", ascii_only=ascii_only)


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if not chr(code).isalnum() else chr(code)
