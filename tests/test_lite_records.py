"""Our named tuples are those of the standard library, only cheaper to define."""

import copy
import inspect
import pickle
import subprocess
import sys
import typing
from collections.abc import Callable
from typing import Any

import pytest

from overspill import _lite


class Ours(_lite.NamedTuple):
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


class Wide(_lite.NamedTuple):
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
        exec(source, {"NamedTuple": _lite.NamedTuple})


def annotate_of(*, branch: int) -> Callable[[int], dict[str, object]]:
    """What Python 3.14 and later compile of a class's annotations, written out as a function."""
    __classdict__: dict[str, object] = {"Nowhere": "no type"}
    __conditional_annotations__ = {branch}
    Local = int  # noqa: N806  # a class of the surrounding function

    def annotate(format: int, /) -> dict[str, object]:  # noqa: A002  # its real name
        if format > 2:
            raise NotImplementedError
        found: dict[str, object] = {}
        found["zeal"] = (__classdict__.get("Nowhere") or Nowhere) | None  # type: ignore[name-defined, operator]  # noqa: F821
        found["both"] = None | Nowhere.inner[Local, ...] | tuple["both", ...]  # type: ignore[name-defined]  # noqa: F821
        if 0 in __conditional_annotations__:
            found["first"] = Nowhere(max=3)[*Local]  # type: ignore[name-defined, misc]  # noqa: F821
        if 1 in __conditional_annotations__:
            found["second"] = "zeal"
        return found

    return annotate


@pytest.mark.parametrize("key", ["__annotate_func__", "__annotate__"])
@pytest.mark.parametrize(("branch", "last"), [(0, "first"), (1, "second")])
def test_fields_are_found_where_annotations_are_computed_late_and_name_what_is_not_there(
    key: str, branch: int, last: str
) -> None:
    namespace = {"__module__": __name__, key: annotate_of(branch=branch), "both": 2, last: 3}
    metaclass: Any = type(_lite.NamedTuple)
    made = metaclass("Late", (_lite.NamedTuple,), namespace)
    assert made._fields == ("zeal", "both", last)
    assert made(1)._asdict() == {"zeal": 1, "both": 2, last: 3}


def test_a_class_without_fields_is_one_everywhere() -> None:
    class Empty(_lite.NamedTuple):
        def log_event(self) -> int:
            return len(self)

    assert (Empty()._fields, Empty().log_event()) == ((), 0)


def test_they_need_nothing_that_only_some_pythons_have() -> None:
    script = """if True:
        import sys, _collections
        del _collections._tuplegetter
        from overspill._lite import NamedTuple
        Pair = type(NamedTuple)("Pair", (NamedTuple,), {"__annotations__": {"a": int, "b": int}})
        print(Pair(3, 4).a, Pair(3, 4).b)
    """
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("3 4\n", "")
