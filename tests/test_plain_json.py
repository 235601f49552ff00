"""What is written without the package is what the package reads."""

import json
import math
from enum import IntEnum

from hypothesis import given
from hypothesis import strategies as st

from overspill.plain_json import in_json

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
