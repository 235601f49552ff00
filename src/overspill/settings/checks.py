"""What the value of a setting may be: each check reads a raw value and gives the typed one.

A check takes what a YAML file or a Python mapping holds; `from_text` first makes that of the text of
an environment variable. Both raise `Wrong`, and the caller adds file, line and key.

>>> SIZE.read("200MB"), DURATION.read("1h30m"), COUNT.from_text("8000")
(209715200, 5400, 8000)
"""

from __future__ import annotations

from _collections_abc import Callable, Mapping

from overspill._lite import NamedTuple

MAX_NUMBER = 2**63 - 1  # what a file size, a database column and a C long can hold

# The specification's megabyte is 10485760 / 10, and its "2.3 MB" is 2,415,919 bytes: 1024s throughout.
UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
MOST_SHARE = 15  # hundredths of a window that one result may take
YES = ("true", "yes", "on", "1")
NO = ("false", "no", "off", "0")
NOTHING = ("null", "none", "~")


class Wrong(ValueError):
    """A value is not what its setting takes; `at` leads to it where the value has parts.

    One that may be a secret that was put in the wrong place is `hidden` from messages.
    """

    def __init__(self, expected: str, at: str = "", *, hidden: bool = False) -> None:
        super().__init__(expected)
        self.expected = expected
        self.at = at
        self.hidden = hidden


class Check(NamedTuple):
    """One kind of value: what it is called in messages, and how it is read."""

    expected: str
    read: Callable[[object], object]
    from_text: Callable[[str], object]
    choices: tuple[str, ...] = ()
    order: Callable[[object], int] | None = None  # where one value is weaker or smaller than another


def _integer_reader(expected: str, least: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_NUMBER:
            raise Wrong(expected)
        return int(value)

    return read


def _digits(text: str) -> object:
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    return int(sign + digits) if digits.isascii() and digits.isdigit() and len(digits) <= len(str(MAX_NUMBER)) else text


def _size_bytes(text: str) -> int:
    """The bytes that `200MB`, `1.5 GiB` or `10485760` stand for; 0 for anything else."""
    number = text.strip().lower()
    unit = number.lstrip("0123456789.")
    number = number[: len(number) - len(unit)]
    unit = unit.strip().removesuffix("ib") if unit.endswith("ib") else unit.strip().removesuffix("b")
    whole, _, part = number.partition(".")
    # The lengths keep a hostile text from making a huge integer.
    if unit not in UNITS or not whole.isdigit() or len(whole) > len(str(MAX_NUMBER)) or len(part) > len("999999"):
        return 0
    if "." in number and not part.isdigit():
        return 0
    scale: int = 10 ** len(part)
    return int(whole + part) * UNITS[unit] // scale


def _duration_seconds(text: str) -> int:
    """The seconds that `24h`, `1h30m` or `90` stand for; 0 for anything else."""
    rest, total = text.strip().lower(), 0
    if rest.isascii() and rest.isdigit():
        return int(rest) if len(rest) <= len(str(MAX_NUMBER)) else 0
    while rest:
        unit = rest.lstrip("0123456789")
        digits = rest[: len(rest) - len(unit)]
        if not digits or len(digits) > len("999999999") or unit[:1] not in SECONDS:
            return 0
        total += int(digits) * SECONDS[unit[0]]
        rest = unit[1:]
    return total


def _amount_reader(expected: str, least: int, convert: Callable[[str], int]) -> Callable[[object], int]:
    whole = _integer_reader(expected, least)

    def read(value: object) -> int:
        return whole((convert(value) or -1) if isinstance(value, str) else value)

    return read


def _ratio(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise Wrong(RATIO.expected)
    return float(value)


def _read_share(value: object) -> str:
    """A part of a whole that is written in hundredths, with the sign for it: a bare number could mean anything.

    >>> _read_share("4%"), _read_share("2.50 %")
    ('4%', '2.5%')
    """
    number = value.strip().removesuffix("%").strip() if isinstance(value, str) and value.strip()[-1:] == "%" else ""
    digits = number.replace(".", "", 1)
    if (
        not (digits.isascii() and digits.isdigit())
        or len(digits) > len("999999")
        or not 0 < float(number) <= MOST_SHARE
    ):
        raise Wrong(SHARE.expected)
    return f"{float(number):g}%"


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise Wrong(FLAG.expected)
    return value


def _flag_text(text: str) -> object:
    lowered = text.strip().lower()
    return True if lowered in YES else False if lowered in NO else text


def _read_text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise Wrong(TEXT.expected)
    return str(value)


def _read_variable(value: object) -> str:
    name = value.removeprefix("env:") if isinstance(value, str) else ""
    if value != f"env:{name}" or not (name.isascii() and name.isidentifier()):
        raise Wrong(VARIABLE.expected, hidden=True)
    return str(value)


def _read_names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise Wrong(NAMES.expected)
    return tuple(_read_part(_read_text, item, f"[{number}]") for number, item in enumerate(value))


def _read_paths(value: object) -> tuple[str, ...]:
    places = _read_names(value)
    for number, place in enumerate(places):
        if not place.startswith(("/", "~/")):
            raise Wrong("an absolute path, or one that begins with ~/", f"[{number}]")
    return places


def _comma_items(text: str) -> object:
    return [item.strip() for item in text.split(",") if item.strip()]


def _from_json(text: str) -> object:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _read_part(read: Callable[[object], object], value: object, at: str) -> str:
    """Read one text of a larger value, and say where it stands if it is wrong."""
    try:
        return str(read(value))
    except Wrong as wrong:
        raise Wrong(wrong.expected, at + wrong.at) from None


RULE_KEYS = ("name", "type", "pattern")


def _read_rules(value: object) -> tuple[dict[str, str], ...]:
    if not isinstance(value, list | tuple):
        raise Wrong(RULES.expected)
    return tuple(_read_rule(item, f"[{number}]") for number, item in enumerate(value))


def _read_rule(value: object, at: str) -> dict[str, str]:
    if not isinstance(value, Mapping) or set(value) != set(RULE_KEYS):
        raise Wrong("a rule with name, type and pattern, and nothing else", at)
    rule = {key: _read_part(_read_text, value[key], f"{at}.{key}") for key in RULE_KEYS}
    kind = rule["type"]
    if not (kind.isascii() and kind.replace("_", "A").isalnum() and kind == kind.upper()):
        raise Wrong("capitals, digits and underscores, such as API_KEY", f"{at}.type")
    return rule


MANIFEST_KEYS = ("handoff_fields", "narrative_cap", "max_tokens")
PLAN_KEYS = ("drop", "min_keep", "fields", "keep_together")  # looked at where a manifest is made of them


def _read_manifests(value: object) -> dict[int, dict[str, object]]:
    if not isinstance(value, Mapping):
        raise Wrong(MANIFESTS.expected)
    manifests: dict[int, dict[str, object]] = {}
    for phase, manifest in value.items():
        number = _digits(phase) if isinstance(phase, str) else phase
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_NUMBER:
            raise Wrong("the number of a phase, from 1 on", f"[{str(phase)[:40]!r}]")
        manifests[int(number)] = _read_manifest(manifest, f".{number}")
    return manifests


def _read_manifest(value: object, at: str) -> dict[str, object]:
    if not isinstance(value, Mapping) or not set(value) <= {*MANIFEST_KEYS, *PLAN_KEYS}:
        raise Wrong("a manifest: handoff_fields, narrative_cap, max_tokens, and perhaps a plan", at)
    manifest: dict[str, object] = {}
    for key, part in value.items():
        try:
            # Specification 002 gives 0 a meaning of its own in both numbers, so it is handed on as it is; as
            # many tokens as 0, or fewer, are no limit.
            if key == "max_tokens" and isinstance(part, int) and part < 0:
                part = 0  # noqa: PLW2901
            numbers = key in MANIFEST_KEYS and key != "handoff_fields"
            manifest[key] = ROOM.read(part) if numbers else _read_names(part) if key == "handoff_fields" else part
        except Wrong as wrong:
            raise Wrong(wrong.expected, f"{at}.{key}{wrong.at}") from None
    return manifest


PRICE_KEYS = ("fresh", "cache_write", "cache_read")


def _read_prices(value: object) -> dict[str, float]:
    if not isinstance(value, Mapping) or not set(value) <= set(PRICE_KEYS) or (value and "fresh" not in value):
        raise Wrong(PRICES.expected)
    return {key: _price(part, f".{key}") for key, part in value.items()}


def _price(value: object, at: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_NUMBER:
        raise Wrong("a price from 0 on, such as 3 or 0.30", at)
    return float(value)


def _number_order(value: object) -> int:
    return value if isinstance(value, int) else 0


def choice_of(*choices: str) -> Check:
    """One word of a few. YAML reads a bare `off` as false, so false stands for "off" where that is a choice."""
    expected = "one of " + ", ".join(choices)

    def read(value: object) -> str:
        word = "off" if value is False else value
        if not isinstance(word, str) or word not in choices:
            raise Wrong(expected)
        return str(word)

    return Check(expected, read, str.strip, choices, lambda value: choices.index(str(value)))


def or_null(check: Check) -> Check:
    """A check that lets null pass, and asks `check` about everything else."""

    def read(value: object) -> object:
        return None if value is None else check.read(value)

    def from_text(text: str) -> object:
        return None if text.strip().lower() in NOTHING else check.from_text(text)

    return check._replace(expected=f"{check.expected}, or null", read=read, from_text=from_text)


_COUNT = "a whole number from 1 on"
_ROOM = "a whole number from 0 on"
_SIZE = "a size such as 10485760, 200MB or 1GiB"
_DURATION = "a time such as 24h, 30m or 90 (seconds)"

COUNT = Check(_COUNT, _integer_reader(_COUNT, 1), _digits, order=_number_order)
ROOM = Check(_ROOM, _integer_reader(_ROOM, 0), _digits, order=_number_order)
SIZE = Check(_SIZE, _amount_reader(_SIZE, 1, _size_bytes), _digits, order=_number_order)
FREE_SPACE = or_null(Check(_SIZE, _amount_reader(_SIZE, 0, _size_bytes), _digits))
DURATION = Check(_DURATION, _amount_reader(_DURATION, 1, _duration_seconds), _digits, order=_number_order)
SHARE = Check(f"a share of the window such as 4%, at most {MOST_SHARE}%", _read_share, str.strip)
RATIO = Check("a number between 0 and 1, such as 0.6", _ratio, _from_json)
FLAG = Check("true or false", _read_flag, _flag_text, order=_number_order)
TEXT = Check("a text", _read_text, str)
VARIABLE = Check("env: and the name of an environment variable, such as env:FLEET_DSN", _read_variable, str.strip)
NAMES = Check("a list of texts", _read_names, _comma_items)
PLACES = Check("a list of directories", _read_paths, _comma_items)
RULES = Check("a list of rules, each with name, type and pattern", _read_rules, _from_json)
MANIFESTS = Check("manifests by the number of their phase", _read_manifests, _from_json)
PRICES = Check("prices: fresh, and perhaps cache_write and cache_read", _read_prices, _from_json)
# A strategy may be registered later, so that the name is known is looked at when everything is loaded.
STRATEGY = Check("the name of a strategy", _read_text, str.strip)
