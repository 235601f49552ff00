"""A tool's result within its budget: its texts, and its structured half, which stays valid by the tool's schema.

In the structured half arrays and strings get shorter and maps lose keys, but only where the schema says nothing
against it. What is left out is in the store.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.budget import Budget
from overspill.mcp.redaction import redacted_value

if TYPE_CHECKING:
    from overspill.api import Overspill
    from overspill.core.report import Fitted
    from overspill.mcp import Json

NOTE_KEY = "overspill"  # the key our note stands under, where the schema has room for it

# Elements an array may keep and characters a string may keep, tried in this order.
STEPS = ((200, 8_000), (100, 4_000), (40, 1_500), (20, 600), (10, 250), (5, 120), (3, 60), (1, 40), (0, 24))
KEYS_EACH = 5  # a map may keep this many keys for each element an array may keep
LAST_THIRD = 3
MAX_SCHEMA_DEPTH = 100

# Words of a schema that speak of the very thing that would be changed.
ABOUT_STRINGS = {"enum", "const", "pattern", "format"}
ABOUT_ARRAYS = {"enum", "const", "prefixItems", "contains", "unevaluatedItems"}
ABOUT_MAPS = {"enum", "const", "patternProperties", "dependentRequired", "dependentSchemas", "propertyNames", "if"}

Schema = Mapping[str, object]


class ShrinkLimits(NamedTuple):
    """How much may stay."""

    items: int
    chars: int
    definitions: Schema


def json_size(value: object) -> int:
    """The characters a value takes as JSON, an escaped one counted once: it is one to whoever reads it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text) - text.count("\\")


def wrapped_text(value: object) -> str | None:
    """The text of a result that is nothing but a text under a name, as frameworks wrap it.

    >>> wrapped_text({"result": "hello"}), wrapped_text({"result": 1})
    ('hello', None)
    """
    inside = list(value.values()) if isinstance(value, dict) else []
    return inside[0] if len(inside) == 1 and isinstance(inside[0], str) else None


def shortened_value(value: object, schema: object, room: int) -> object | None:
    """A value that fits and that the schema still allows; None if no smaller one does.

    >>> shortened_value({"rows": list(range(1000)), "ok": True}, {"type": "object"}, 60)
    {'rows': [0, 1, 2, 3, 4, 5, 6, 997, 998, 999], 'ok': True}
    """
    root = schema if isinstance(schema, Mapping) else {}
    for items, chars in STEPS:
        smaller = _shorter_value(value, root, ShrinkLimits(items, chars, root), 0)
        if json_size(smaller) <= room:
            return smaller
    return None


def may_carry_note(value: object, schema: object) -> bool:
    """Whether one more key is allowed in it."""
    if not isinstance(value, dict) or NOTE_KEY in value:
        return False
    if not isinstance(schema, Mapping):
        return True
    root = _plain_schema(schema, value, ShrinkLimits(0, 0, schema))
    if root is None or "maxProperties" in root or "propertyNames" in root:
        return False
    if root.get("unevaluatedProperties", True) is not True:
        return False
    more = root.get("additionalProperties", True)
    return more is True or more == {} or (isinstance(more, Mapping) and more.get("type") == "string" and len(more) == 1)


def may_change(value: object, schema: object) -> bool:
    """Whether the text of such a result may be another one."""
    root = schema if isinstance(schema, Mapping) else {}
    limits = ShrinkLimits(0, 0, root)
    plain = _plain_schema(root, value, limits)
    named = plain.get("properties", {}) if plain is not None else None
    if not isinstance(named, Mapping) or not isinstance(value, dict):
        return False
    inside = _plain_schema(named.get(next(iter(value)), {}), wrapped_text(value), limits)
    return inside is not None and not (ABOUT_STRINGS | {"minLength"}) & inside.keys()


def _shorter_value(value: object, schema: object, limits: ShrinkLimits, depth: int) -> object:
    plain = _plain_schema(schema, value, limits)
    if plain is None or depth > MAX_SCHEMA_DEPTH:
        return value
    if isinstance(value, str):
        return _shorter_string(value, plain, limits)
    if isinstance(value, list):
        return _shorter_array(value, plain, limits, depth)
    if isinstance(value, dict):
        return _shorter_map(value, plain, limits, depth)
    return value


def _shorter_string(value: str, schema: Schema, limits: ShrinkLimits) -> str:
    if ABOUT_STRINGS & schema.keys() or _schema_number(schema, "minLength") > limits.chars:
        return value
    omitted = len(value) - limits.chars
    mark = f"... [{omitted} chars omitted]"
    return value[: limits.chars] + mark if omitted > len(mark) else value


def _shorter_array(value: list[object], schema: Schema, limits: ShrinkLimits, depth: int) -> list[object]:
    if ABOUT_ARRAYS & schema.keys():
        return value
    most = max(limits.items, _schema_number(schema, "minItems"))
    last = most // LAST_THIRD
    kept = value if len(value) <= most else value[: most - last] + (value[-last:] if last else [])
    return [_shorter_value(item, schema.get("items", {}), limits, depth + 1) for item in kept]


def _shorter_map(value: dict[str, object], schema: Schema, limits: ShrinkLimits, depth: int) -> dict[str, object]:
    if ABOUT_MAPS & schema.keys():
        return value
    named = schema.get("properties")
    named = named if isinstance(named, Mapping) else {}
    required = schema.get("required")
    needed = set(map(str, required)) if isinstance(required, list) else set()
    rest = [key for key in value if key not in needed and key not in named]
    most = max(limits.items * KEYS_EACH, _schema_number(schema, "minProperties"))
    dropped = set(rest[most:])
    other = schema.get("additionalProperties", {})
    return {
        key: _shorter_value(item, named.get(key, other), limits, depth + 1)
        for key, item in value.items()
        if key not in dropped
    }


def _plain_schema(schema: object, value: object, limits: ShrinkLimits) -> Schema | None:
    """A schema without references and choices, as far as it says something of this value; None if it cannot be told."""
    for _ in range(MAX_SCHEMA_DEPTH):
        if schema is True or schema == {}:
            return {}
        if not isinstance(schema, Mapping) or {"allOf", "not", "$dynamicRef"} & schema.keys():
            return None
        if isinstance(schema.get("$ref"), str):
            schema = _definition_at(str(schema["$ref"]), limits.definitions)
            continue
        choices = schema.get("anyOf") or schema.get("oneOf")
        if not isinstance(choices, list):
            return schema
        fitting = [choice for choice in choices if _may_be(choice, value, limits)]
        if len(fitting) != 1:
            return None
        schema = fitting[0]
    return None


def _may_be(choice: object, value: object, limits: ShrinkLimits) -> bool:
    if isinstance(choice, Mapping) and isinstance(choice.get("$ref"), str):
        choice = _definition_at(str(choice["$ref"]), limits.definitions)
    kind = choice.get("type") if isinstance(choice, Mapping) else None
    return kind is None or kind == _json_type(value)


def _json_type(value: object) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    return names.get(type(value), "null")


def _definition_at(reference: str, definitions: Schema) -> object:
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


def _schema_number(schema: Schema, word: str) -> int:
    value = schema.get(word)
    return value if isinstance(value, int) else 0


MISSING = object()


class CallInfo(NamedTuple):
    """What is known of a call whose result comes back."""

    tool: str = ""
    budget: int | None = None
    focus: str | None = None
    schema: object = None  # of its structured result, if it announced one
    wrapping: int = 0  # characters that a text is wrapped in, on top of the budget


def limited_result(spill: Overspill, result: Json, asked: CallInfo) -> Json | None:
    """The result as it may be shown; None if it may stay as it is."""
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    places = [block for block in map(_text_place, blocks) if block is not None]
    texts = [str(place["text"]) for place in places]
    is_error = result.get("isError") is True
    structured = result.get("structuredContent", MISSING)
    wrapped = wrapped_text(structured)
    if wrapped in texts:
        asked = _with_spare_room(spill, asked, json_size(structured) - json_size(wrapped))
    views = fitted_texts(spill, texts, asked, is_error=is_error)
    changed = [view for view, text in zip(views, texts, strict=True) if view.text != text]
    half = (
        None
        if structured is MISSING
        else StructuredHalf(spill, structured, asked, dict(zip(texts, views, strict=True)))
    )
    if not changed and (half is None or not half.changed):
        return None
    shown = iter(views)
    new = [_block_with_text(block, next(shown).text) if _text_place(block) is not None else block for block in blocks]
    new += [_text_block(view.notice) for view in views if view.notice]
    limited = {**result, "content": new}
    if half is not None:
        half.put(limited)
    return limited


def limited_error(spill: Overspill, error: Json, asked: CallInfo) -> Json | None:
    """An error in the place of a result, as it may be shown: models read its words. None if it may stay as it is."""
    room = asked.budget or spill.workspace.policy(asked.tool).inline.ceiling
    if room is None or json_size(error) <= room:
        return None
    shown = dict(error)
    for name in ("message", "data"):
        value = shown.get(name)
        if value is not None and json_size(value) > room // 2:
            shown[name] = spill.fit(value, tool=asked.tool, is_error=True, budget=room // 2, focus=asked.focus).text
    return shown


def _with_spare_room(spill: Overspill, asked: CallInfo, spare: int) -> CallInfo:
    """Leave room for the wrapping: the same view is shown bare and wrapped."""
    most = asked.budget or spill.workspace.policy(asked.tool).inline.chars
    return asked if most is None else asked._replace(budget=max(1, most - spare), wrapping=spare)


def fitted_texts(spill: Overspill, texts: list[str], asked: CallInfo, *, is_error: bool) -> list[Fitted]:
    """The views of a result's texts: they share what the tool may say."""
    if len(texts) == 1:
        return [spill.fit(texts[0], tool=asked.tool, is_error=is_error, budget=asked.budget, focus=asked.focus)]
    budget = Budget(chars=asked.budget) if asked.budget else spill.workspace.policy(asked.tool).inline
    return spill.fit_many(texts, budget, tools=[asked.tool] * len(texts), focus=asked.focus) if texts else []


class StructuredHalf:
    """The structured half of a result, without secrets, and no longer than the tool may speak."""

    def __init__(self, spill: Overspill, value: object, asked: CallInfo, views: Mapping[str, Fitted]) -> None:
        self._asked = asked
        self.value = value
        self.changed = False
        self.fits = True
        view = views.get(wrapped_text(value) or "")
        if view is not None and may_change(value, asked.schema):
            self.value = dict.fromkeys(value if isinstance(value, dict) else (), view.text)
            self.changed = self.value != value
            return
        text = safe = json.dumps(value, ensure_ascii=False)
        self.value = redacted_value(spill.workspace.redactor, value, text)
        if self.value is not value:
            safe, self.changed = json.dumps(self.value, ensure_ascii=False), True
        room = asked.budget + asked.wrapping if asked.budget else spill.workspace.policy(asked.tool).inline.ceiling
        if room is not None and len(safe) > room and json_size(self.value) > room:
            self.changed = True
            self._shorten(_keep_whole(spill, text, safe, asked, views), room)

    def _shorten(self, where: str, room: int) -> None:
        with_note = may_carry_note(self.value, self._asked.schema)
        if with_note:
            room -= json_size({NOTE_KEY: where})
        smaller = shortened_value(self.value, self._asked.schema, max(0, room))
        self.fits = smaller is not None
        if isinstance(smaller, dict) and with_note:
            smaller[NOTE_KEY] = where
        self.value = smaller

    def put(self, result: Json) -> None:
        """Put it in its place. What cannot be shown validly is not shown, and a tool that promised it has failed."""
        if self.fits:
            result["structuredContent"] = self.value
            return
        result.pop("structuredContent", None)
        if self._asked.schema is not None:
            result["isError"] = True


def _keep_whole(spill: Overspill, text: str, safe: str, asked: CallInfo, views: Mapping[str, Fitted]) -> str:
    """Keep the whole, unless one of the texts is the same and is kept already; and say where it is."""
    value = json.loads(text)
    for said, view in views.items():
        if view.artifact_id and _says_same(said, value):
            return _kept_note(spill, view)
    return _kept_note(spill, spill.fit(safe, tool=asked.tool, budget=min(1_000, asked.budget or 1_000), kind="json"))


def _says_same(said: str, value: object) -> bool:
    if not said.lstrip().startswith(("{", "[", '"')):
        return False
    try:
        return bool(json.loads(said) == value)
    except (ValueError, RecursionError):
        return False


def _kept_note(spill: Overspill, view: Fitted) -> str:
    kept = (
        f"; all of it: {spill.workspace.call_format(spill.workspace.short_id(view.artifact_id))}"
        if view.artifact_id
        else "; it could not be kept"
    )
    return f"shortened from {view.report.original.chars} chars{kept}"


def _text_place(block: object) -> Json | None:
    """Where the text of a block is; None for blocks without one."""
    if not isinstance(block, dict):
        return None
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return block
    inside = block.get("resource") if block.get("type") == "resource" else None
    return inside if isinstance(inside, dict) and isinstance(inside.get("text"), str) else None


def _block_with_text(block: Json, text: str) -> Json:
    inside = block.get("resource")
    if block.get("type") == "resource" and isinstance(inside, dict):
        return {**block, "resource": {**inside, "text": text}}
    return {**block, "text": text}


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}
