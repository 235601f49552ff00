"""Structured results within a budget, still valid by the schema their tool announced.

Arrays and strings get shorter and maps lose keys, but only where the schema says nothing against it.
What is left out is in the store.
"""

import json
from collections.abc import Mapping

from overspill._lite import NamedTuple

NOTE = "overspill"  # the key our note stands under, where the schema has room for it

# Elements an array may keep and characters a string may keep, tried in this order.
STEPS = ((200, 8_000), (100, 4_000), (40, 1_500), (20, 600), (10, 250), (5, 120), (3, 60), (1, 40), (0, 24))
KEYS_EACH = 5  # a map may keep this many keys for each element an array may keep
LAST_THIRD = 3
DEEPEST = 100

# Words of a schema that speak of the very thing that would be changed.
ABOUT_STRINGS = {"enum", "const", "pattern", "format"}
ABOUT_ARRAYS = {"enum", "const", "prefixItems", "contains", "unevaluatedItems"}
ABOUT_MAPS = {"enum", "const", "patternProperties", "dependentRequired", "dependentSchemas", "propertyNames", "if"}

Schema = Mapping[str, object]


class Limits(NamedTuple):
    """How much may stay."""

    items: int
    chars: int
    definitions: Schema


def size_of(value: object) -> int:
    """The characters a value takes as JSON, an escaped one counted once: it is one to whoever reads it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text) - text.count("\\")


def only_text(value: object) -> str | None:
    """The text of a result that is nothing but a text under a name, as frameworks wrap it.

    >>> only_text({"result": "hello"}), only_text({"result": 1})
    ('hello', None)
    """
    inside = list(value.values()) if isinstance(value, dict) else []
    return inside[0] if len(inside) == 1 and isinstance(inside[0], str) else None


def shortened(value: object, schema: object, room: int) -> object | None:
    """A value that fits and that the schema still allows; None if there is none.

    >>> shortened({"rows": list(range(1000)), "ok": True}, {"type": "object"}, 60)
    {'rows': [0, 1, 2, 3, 4, 5, 6, 997, 998, 999], 'ok': True}
    """
    root = schema if isinstance(schema, Mapping) else {}
    for items, chars in STEPS:
        smaller = _shorter(value, root, Limits(items, chars, root), 0)
        if size_of(smaller) <= room:
            return smaller
    return None


def may_carry_note(value: object, schema: object) -> bool:
    """Whether one more key is allowed in it."""
    if not isinstance(value, dict) or NOTE in value:
        return False
    if not isinstance(schema, Mapping):
        return True
    root = _plain(schema, value, Limits(0, 0, schema))
    if root is None or "maxProperties" in root or "propertyNames" in root:
        return False
    if root.get("unevaluatedProperties", True) is not True:
        return False
    more = root.get("additionalProperties", True)
    return more is True or more == {} or (isinstance(more, Mapping) and more.get("type") == "string" and len(more) == 1)


def may_change(value: object, schema: object) -> bool:
    """Whether the text of such a result may be another one."""
    root = schema if isinstance(schema, Mapping) else {}
    limits = Limits(0, 0, root)
    plain = _plain(root, value, limits)
    named = plain.get("properties", {}) if plain is not None else None
    if not isinstance(named, Mapping) or not isinstance(value, dict):
        return False
    inside = _plain(named.get(next(iter(value)), {}), only_text(value), limits)
    return inside is not None and not (ABOUT_STRINGS | {"minLength"}) & inside.keys()


def _shorter(value: object, schema: object, limits: Limits, depth: int) -> object:
    plain = _plain(schema, value, limits)
    if plain is None or depth > DEEPEST:
        return value
    if isinstance(value, str):
        return _string(value, plain, limits)
    if isinstance(value, list):
        return _array(value, plain, limits, depth)
    if isinstance(value, dict):
        return _map(value, plain, limits, depth)
    return value


def _string(value: str, schema: Schema, limits: Limits) -> str:
    if ABOUT_STRINGS & schema.keys() or _number(schema, "minLength") > limits.chars:
        return value
    omitted = len(value) - limits.chars
    mark = f"... [{omitted} chars omitted]"
    return value[: limits.chars] + mark if omitted > len(mark) else value


def _array(value: list[object], schema: Schema, limits: Limits, depth: int) -> list[object]:
    if ABOUT_ARRAYS & schema.keys():
        return value
    most = max(limits.items, _number(schema, "minItems"))
    last = most // LAST_THIRD
    kept = value if len(value) <= most else value[: most - last] + (value[-last:] if last else [])
    return [_shorter(item, schema.get("items", {}), limits, depth + 1) for item in kept]


def _map(value: dict[str, object], schema: Schema, limits: Limits, depth: int) -> dict[str, object]:
    if ABOUT_MAPS & schema.keys():
        return value
    named = schema.get("properties")
    named = named if isinstance(named, Mapping) else {}
    required = schema.get("required")
    needed = set(map(str, required)) if isinstance(required, list) else set()
    rest = [key for key in value if key not in needed and key not in named]
    most = max(limits.items * KEYS_EACH, _number(schema, "minProperties"))
    dropped = set(rest[most:])
    other = schema.get("additionalProperties", {})
    return {
        key: _shorter(item, named.get(key, other), limits, depth + 1)
        for key, item in value.items()
        if key not in dropped
    }


def _plain(schema: object, value: object, limits: Limits) -> Schema | None:
    """A schema without references and choices, as far as it says something of this value; None if it cannot be told."""
    for _ in range(DEEPEST):
        if schema is True or schema == {}:
            return {}
        if not isinstance(schema, Mapping) or {"allOf", "not", "$dynamicRef"} & schema.keys():
            return None
        if isinstance(schema.get("$ref"), str):
            schema = _found(str(schema["$ref"]), limits.definitions)
            continue
        choices = schema.get("anyOf") or schema.get("oneOf")
        if not isinstance(choices, list):
            return schema
        fitting = [choice for choice in choices if _may_be(choice, value, limits)]
        if len(fitting) != 1:
            return None
        schema = fitting[0]
    return None


def _may_be(choice: object, value: object, limits: Limits) -> bool:
    if isinstance(choice, Mapping) and isinstance(choice.get("$ref"), str):
        choice = _found(str(choice["$ref"]), limits.definitions)
    kind = choice.get("type") if isinstance(choice, Mapping) else None
    return kind is None or kind == _kind(value)


def _kind(value: object) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    return names.get(type(value), "null")


def _found(reference: str, definitions: Schema) -> object:
    """What `#/a/b` points at; None for anything else."""
    place: object = definitions
    if not reference.startswith("#"):
        return None
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(place, Mapping) or name not in place:
            return None
        place = place[name]
    return place


def _number(schema: Schema, word: str) -> int:
    value = schema.get(word)
    return value if isinstance(value, int) else 0
