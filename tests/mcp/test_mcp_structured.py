"""Structured results that get shorter and stay valid."""

import json

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from overspill.mcp.results import NOTE_KEY, json_size, may_carry_note, shortened_value, wrapped_text

LEAVES: st.SearchStrategy[tuple[dict[str, object], st.SearchStrategy[object]]] = st.sampled_from(
    [
        ({"type": "string"}, st.text(max_size=400)),
        ({"type": "string", "minLength": 5}, st.text(min_size=5, max_size=400)),
        ({"type": "string", "enum": ["a" * 300, "b"]}, st.sampled_from(["a" * 300, "b"])),
        ({"type": "string", "pattern": "^x*$"}, st.text("x", max_size=300)),
        ({"type": "string", "maxLength": 400}, st.text(max_size=400)),
        ({"type": "integer"}, st.integers()),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, st.none() | st.text(max_size=300)),
        ({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "string"}]}, st.text(max_size=300)),
        ({}, st.lists(st.text(max_size=50), max_size=50)),
        ({"$ref": "#/$defs/name"}, st.text(max_size=300)),
    ]
)


@st.composite
def schemas_and_values(draw: st.DrawFn, depth: int = 2) -> tuple[dict[str, object], object]:
    kind = draw(st.sampled_from(["leaf", "array", "object", "map"])) if depth else "leaf"
    if kind == "leaf":
        schema, values = draw(LEAVES)
        return schema, draw(values)
    inside, first = draw(schemas_and_values(depth - 1))
    if kind == "array":
        least = draw(st.integers(0, 3))
        return {"type": "array", "items": inside, "minItems": least}, [first] * draw(st.integers(max(least, 1), 60))
    if kind == "map":
        most = draw(st.integers(1, 60))
        return {"type": "object", "additionalProperties": inside}, {f"k{n}": first for n in range(most)}
    closed = draw(st.booleans())
    other, second = draw(schemas_and_values(depth - 1))
    schema = {"type": "object", "properties": {"a": inside, "b": other}, "required": ["a"]}
    return schema | ({"additionalProperties": False} if closed else {}), {"a": first, "b": second}


@given(schemas_and_values(), st.integers(20, 3_000))
def test_what_gets_shorter_fits_and_is_still_valid(made: tuple[dict[str, object], object], room: int) -> None:
    schema = made[0] | {"$defs": {"name": {"type": "string"}}}
    value = made[1]
    jsonschema.validate(value, schema)
    smaller = shortened_value(value, schema, room)
    if smaller is None:
        return
    assert json_size(smaller) <= room
    jsonschema.validate(smaller, schema)
    if may_carry_note(smaller, schema):
        assert isinstance(smaller, dict)
        jsonschema.validate(smaller | {NOTE_KEY: "where the rest is"}, schema)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside)
    ),
    st.integers(0, 500),
)
def test_without_a_schema_nearly_everything_fits(value: object, room: int) -> None:
    smaller = shortened_value(value, None, room)
    assert smaller is None or json_size(smaller) <= room


def test_what_fits_stays_as_it_is() -> None:
    value = {"a": [1, 2, {"b": "c" * 500}]}
    assert shortened_value(value, None, 10_000) == value


def test_both_ends_of_an_array_stay() -> None:
    smaller = shortened_value({"rows": [{"id": number} for number in range(10_000)]}, None, 2_000)
    assert isinstance(smaller, dict)
    assert smaller["rows"][0] == {"id": 0}
    assert smaller["rows"][-1] == {"id": 9_999}


def test_a_broken_schema_changes_nothing_it_speaks_of() -> None:
    broken: list[dict[str, object]] = [
        {"$ref": "#/nowhere"},
        {"$ref": "http://elsewhere"},
        {"$ref": "#"},
        {"allOf": []},
    ]
    for schema in broken:
        assert shortened_value({"a": "x" * 500}, schema, 100) is None


def test_only_a_text_under_one_name_is_a_wrapped_text() -> None:
    assert wrapped_text({"result": "a"}) == "a"
    assert wrapped_text({"result": "a", "b": "c"}) is None
    assert wrapped_text(["a"]) is None
    assert wrapped_text("a") is None


def test_an_escaped_character_counts_once() -> None:
    assert json_size("a\nb") == len(json.dumps("a\nb")) - 1
