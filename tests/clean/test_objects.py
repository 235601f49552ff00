import json
import math
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.clean.objects import serialise_object


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Order:
    number: int
    lines: list[str]


class Model:
    """What pydantic's models look like from here."""

    def model_dump(self) -> dict[str, object]:
        return {"name": "tea", "since": date(2026, 5, 1)}


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Array:
    def tolist(self) -> list[int]:
        return [1, 2]


def parsed(value: object) -> Any:  # noqa: ANN401 - JSON is anything
    text, content_type = serialise_object(value)
    assert content_type == "application/json"
    assert "\n" not in text
    return json.loads(text)


def test_strings_and_bytes_are_text_already() -> None:
    assert serialise_object("as it is\n") == ("as it is\n", "text/plain")
    assert serialise_object(b"caf\xc3\xa9") == ("café", "text/plain")
    assert serialise_object(bytearray(b"x\0")) == ("x␀", "text/plain")


def test_everything_else_is_one_compact_line_of_json() -> None:
    assert serialise_object({"naïve": [1, 2.5, True, None]}) == ('{"naïve":[1,2.5,true,null]}', "application/json")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (datetime(2026, 5, 1, 12, tzinfo=UTC), "2026-05-01T12:00:00+00:00"),
        (PurePosixPath("/srv/shop"), "/srv/shop"),
        ({"b", "a"}, ["a", "b"]),
        (frozenset({2, 1}), [1, 2]),
        (Order(7, ["tea"]), {"number": 7, "lines": ["tea"]}),
        (Point(1, 2), [1, 2]),
        (Decimal("1.10"), "1.10"),
        (Fraction(1, 3), "1/3"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Model(), {"name": "tea", "since": "2026-05-01"}),
        (deque([1, 2]), [1, 2]),
        (OrderedDict(a=1).values(), [1]),
        (range(3), [0, 1, 2]),
        (Array(), [1, 2]),
        (ValueError("no such port"), "ValueError: no such port"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (b"raw", "raw"),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        (Broken(), "<Broken>"),
        (int, "<class 'int'>"),
        (1 + 2j, "(1+2j)"),
    ],
)
def test_every_value_has_a_place_in_json(value: object, plain: object) -> None:
    assert parsed({"value": value, "beside": {1}}) == {"value": plain, "beside": [1]}


def test_a_single_value_that_reads_as_text_is_text() -> None:
    assert serialise_object(Decimal("1.10")) == ("1.10", "text/plain")
    assert serialise_object(ValueError("no such port")) == ("ValueError: no such port", "text/plain")


def test_keys_that_are_not_strings_are_kept_apart() -> None:
    assert parsed({1: "a", "1": "b", None: {0}, (1, 2): "c", Colour.RED: "d"}) == {
        "1": "a", "1'": "b", "null": [0], "(1, 2)": "c", "red": "d",
    }  # fmt: skip


def test_the_same_thing_twice_is_no_circle() -> None:
    shared = {"when": date(2026, 5, 1)}
    assert parsed([shared, shared]) == [{"when": "2026-05-01"}] * 2


def test_an_address_is_not_shown_because_it_differs_from_run_to_run() -> None:
    assert parsed([object(), {0}]) == ["<object object>", [0]]


def test_something_endless_is_not_read() -> None:
    def numbers() -> Iterator[int]:
        while True:
            yield 1

    assert "generator" in parsed([numbers(), {0}])[0]


@pytest.mark.parametrize("depth", [150, 5_000, 100_000])
def test_depth_is_no_crash(depth: int) -> None:
    value: list[object] = [{1}]
    for _ in range(depth):
        value = [value]
    text, content_type = serialise_object(value)
    assert content_type == "application/json"
    assert json.loads(text)
    assert ("[Too deep]" in text) == (depth > 200)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.dates()
    | st.decimals()
    | st.uuids(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.integers() | st.none() | st.floats(), inner) | st.tuples(inner)
    ),
    max_leaves=12,
)


@given(value=anything)
def test_whatever_it_is_the_text_is_strict_json_or_plain_text(value: object) -> None:
    text, content_type = serialise_object(value)
    if content_type == "application/json":
        json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
