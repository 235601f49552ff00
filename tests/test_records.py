"""Our named tuples are those of the standard library, only cheaper to define."""

import copy
import inspect
import pickle
import typing

import pytest

from overspill import records


class Ours(records.NamedTuple):
    """Two fields."""

    first: int
    second: str = "x"

    @property
    def both(self) -> str:
        return f"{self.first}{self.second}"


class Theirs(typing.NamedTuple):
    """Two fields."""

    first: int
    second: str = "x"


class Wide(records.NamedTuple):
    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int
    i: int = 9
    j: int = 10


def test_they_are_made_shown_and_taken_apart_alike() -> None:
    assert (tuple(Ours(1)), tuple(Ours(second="y", first=2))) == (Theirs(1), Theirs(second="y", first=2))
    assert repr(Ours(1)) == repr(Theirs(1)).replace("Theirs", "Ours")
    assert (Ours._fields, Ours._field_defaults) == (Theirs._fields, Theirs._field_defaults)
    assert Ours(1)._asdict() == Theirs(1)._asdict()
    assert tuple(Ours(1)._replace(second="z")) == Theirs(1)._replace(second="z")
    assert tuple(Ours._make([1, "y"])) == Theirs._make([1, "y"])
    assert str(inspect.signature(Ours)).split(" ->")[0] == "(first, second='x')"
    assert Ours(1).both == "1x"
    match Ours(1, "q"):
        case Ours(first, second):
            assert (first, second) == (1, "q")


def test_they_hold_nothing_but_their_fields() -> None:
    assert not hasattr(Ours(1), "__dict__")
    with pytest.raises(AttributeError):
        Ours(1).first = 2  # type: ignore[misc]  # what must not work


def test_they_are_copied_and_pickled() -> None:
    assert copy.deepcopy(Ours(1)) == pickle.loads(pickle.dumps(Ours(1))) == Ours(1)
    assert type(copy.copy(Ours(1))) is Ours


def test_what_is_wrong_with_a_call_is_said() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'first'"):
        Ours()  # type: ignore[call-arg]  # what must not work
    with pytest.raises(TypeError, match="unexpected keyword argument 'third'"):
        Ours(1, third=2)  # type: ignore[call-arg]  # what must not work
    with pytest.raises(ValueError, match="unexpected field names"):
        Ours(1)._replace(third=2)  # type: ignore[call-arg]  # what must not work
    with pytest.raises(TypeError, match="Expected 2 arguments, got 1"):
        Ours._make([1])


def test_a_long_one_is_made_like_a_short_one() -> None:
    assert Wide(1, 2, 3, 4, 5, 6, 7, h=8) == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


def test_a_field_without_a_default_does_not_follow_one_with() -> None:
    source = "class Odd(NamedTuple):\n    a: int = 1\n    b: int\n"
    with pytest.raises(TypeError, match="without a default follows"):
        exec(source, {"NamedTuple": records.NamedTuple})
