"""Values that are known to be secret, in every spelling they may come in.

What the host registers, and what its environment calls a secret, needs no rule: it is looked for
literally, and also in base64, percent-encoded and as JSON would escape it, the longest first.
"""

from __future__ import annotations

from binascii import b2a_base64

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

SHORTEST = 8
LONGEST = 16_384
_SHORTEST_CODED = 10
_COMMON = compile_pattern(
    r"[A-Za-z]+$|[a-z]+(?:[-_ .][a-z]+)*+$|[-+0-9.,:eExX_ ]+$|(?:[A-Za-z]:)?[~.]{0,2}[/\\]"
    r"|[A-Za-z][\w+.-]{1,15}:(?!//[^/]*:[^/]*@)|(?i:true|false|yes|no|on|off|none|null)$"
)
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_JSON = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


class KnownSecret(NamedTuple):
    """One spelling of a known value, and what to call it."""

    literal: str
    type: str


def known_values(registered: Mapping[str, str]) -> tuple[KnownSecret, ...]:
    """Every spelling worth looking for, the longest first. Short values, words, paths and numbers are left out."""
    found: dict[str, str] = {}
    for name, value in registered.items():
        kind = _secret_type(name)
        lines = value.split("\n") if "\n" in value else [value]
        for line in lines:
            stripped = line.strip()
            if is_distinctive(stripped):
                for spelling in _spellings(stripped):
                    found.setdefault(spelling, kind)
        if len(lines) > 1 and len(value) <= LONGEST:
            found.setdefault(_json_spelling(value.strip()), kind)
    return tuple(
        KnownSecret(literal, kind) for literal, kind in sorted(found.items(), key=lambda pair: (-len(pair[0]), pair))
    )


def is_distinctive(value: str) -> bool:
    """Whether a value is worth looking for: long enough, and no word, path, number or boolean.

    >>> [is_distinctive(text) for text in ("hunter2hunter2", "production", "/usr/local/bin", "20261115", "short1")]
    [True, False, False, False, False]
    """
    return SHORTEST <= len(value) <= LONGEST and _COMMON.match(value) is None


def _secret_type(name: str) -> str:
    kind = compile_pattern(r"[^A-Z0-9]+").sub("_", name.upper()).strip("_")[:48]
    return kind or "KNOWN_SECRET"


def _spellings(value: str) -> list[str]:
    data = value.encode("utf-8", "surrogatepass")
    spellings = [value, _json_spelling(value), _percent(data, plus=False), _percent(data, plus=True)]
    for shift in range(3):
        coded = b2a_base64(b"\0" * shift + data, newline=False).rstrip(b"=").decode()
        core = coded[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6]
        if shift == 0:
            core = coded
        if len(core) >= _SHORTEST_CODED:
            spellings += [core, core.replace("+", "-").replace("/", "_")]
    return [spelling for spelling in spellings if len(spelling) <= LONGEST]


def _json_spelling(value: str) -> str:
    return "".join(_JSON.get(c, c) for c in value)


def _percent(data: bytes, *, plus: bool) -> str:
    space = "+" if plus else "%20"
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in data).replace("%20", space)
