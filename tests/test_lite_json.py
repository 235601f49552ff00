"""What is written without the package is what the package reads, and the other way round."""

import json
import math
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill import _lite as plain_json
from overspill._lite import in_json, of_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_every_value_comes_back(value: object) -> None:
    assert json.loads(in_json(value)) == value


@given(values)
def test_it_is_one_line_of_ascii(value: object) -> None:
    assert in_json(value).isascii()
    assert in_json(value).isprintable()


def test_odd_values_are_written_as_the_package_writes_them() -> None:
    class Status(IntEnum):
        GONE = 3

    for value in (math.nan, math.inf, Status.GONE, {1: 2}, (1, None)):
        assert in_json(value) == json.dumps(value, separators=(",", ":"))


@given(values, st.sampled_from([None, 1]), st.booleans())
def test_what_the_package_writes_is_read(value: object, indent: int | None, ascii_only: bool) -> None:
    assert of_json(f" {json.dumps(value, indent=indent, ensure_ascii=ascii_only)}\n") == value


@given(st.text(alphabet='[]{}",:\\ \n0123456789.eE+-truefalsnNI\x00é', max_size=12))
def test_what_the_package_refuses_is_refused(text: str) -> None:
    try:
        expected = json.dumps(json.loads(text))
    except json.JSONDecodeError:
        with pytest.raises(json.JSONDecodeError):
            of_json(text)
    else:
        assert json.dumps(of_json(text)) == expected


def test_a_scanner_that_asks_for_more_than_it_is_told_is_left_to_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.15 asks for an `array_hook`, and a later one may ask for another."""
    monkeypatch.delattr(plain_json._Plain, "strict")
    assert of_json('{"a": [1, 2.5]}') == {"a": [1, 2.5]}
