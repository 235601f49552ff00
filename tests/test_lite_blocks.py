"""`with` blocks, enumerations and properties that are computed once: as the standard library's, which cost more."""

# ruff: noqa: ANN401  # either library is handed in
# mypy: disable-error-code="untyped-decorator,unreachable,comparison-overlap"

import contextlib
import copy
import enum
import functools
import pickle
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from overspill import _lite
from overspill.core.spans import Form

BOTH: list[Any] = [
    contextlib,
    SimpleNamespace(contextmanager=vars(_lite)["contextmanager"], suppress=vars(_lite)["suppress"]),
]


class Ended(Exception):
    pass


def block(library: Any, said: list[str], *, swallow: bool, other: bool) -> Any:
    @library.contextmanager
    def managed(word: str) -> Iterator[str]:
        """What it is for."""
        said.append("before")
        try:
            yield word
        except Ended:
            said.append("caught")
            if other:
                raise ValueError("instead") from None
            if not swallow:
                raise
        finally:
            said.append("after")

    return managed


def outcome(work: Callable[[], object]) -> str:
    try:
        return f"gave {work()!r}"
    except BaseException as error:  # noqa: BLE001  # what it is, is the question
        return f"raised {error!r} from {error.__cause__!r}"


@pytest.mark.parametrize("raises", [None, Ended("x"), KeyError("y"), StopIteration("z"), KeyboardInterrupt()])
@pytest.mark.parametrize(("swallow", "other"), [(False, False), (True, False), (False, True)])
def test_a_block_in_a_generator_ends_as_the_librarys_does(
    raises: BaseException | None, swallow: bool, other: bool
) -> None:
    def one(library: Any) -> tuple[str, list[str]]:
        said: list[str] = []
        managed = block(library, said, swallow=swallow, other=other)

        def work() -> str:
            with managed("word") as word:
                if raises:
                    raise raises
                return str(word)
            return "swallowed"

        return outcome(work), said

    assert one(BOTH[1]) == one(BOTH[0])


def test_a_block_keeps_its_name_and_its_docstring_and_decorates_again_and_again() -> None:
    said: list[str] = []
    managed = block(BOTH[1], said, swallow=True, other=False)

    @managed("word")
    def work(number: int) -> int:
        return number + 1

    assert (work(1), work(2), said) == (2, 3, ["before", "after"] * 2)
    assert (managed.__name__, managed.__doc__, work.__name__) == ("managed", "What it is for.", "work")


def test_a_generator_that_goes_on_after_an_error_is_a_mistake() -> None:
    @_lite.contextmanager
    def twice() -> Iterator[None]:
        try:
            yield
        except Ended:
            yield

    with pytest.raises(RuntimeError, match="twice"), twice():
        raise Ended


@pytest.mark.parametrize("errors", [(), (Ended,), (KeyError, Ended), (Exception,)])
@pytest.mark.parametrize("raises", [None, Ended("x"), KeyError("y"), KeyboardInterrupt()])
def test_what_is_suppressed_is_what_the_library_suppresses(
    errors: tuple[type[Exception], ...], raises: BaseException | None
) -> None:
    def one(library: Any) -> str:
        def work() -> str:
            with library.suppress(*errors):
                if raises:
                    raise raises
                return "through"
            return "suppressed"

        return outcome(work)

    assert one(BOTH[1]) == one(BOTH[0])


def test_members_of_an_enumeration_are_single_and_found_by_value() -> None:
    class Ours(_lite.Enum):
        ONE = "one"
        TWO = "two"

    class Theirs(enum.Enum):
        ONE = "one"
        TWO = "two"

    for kind in (Ours, Theirs):
        assert [(member.name, member.value) for member in kind] == [("ONE", "one"), ("TWO", "two")]
        assert kind("two") is kind.TWO is not kind.ONE
        assert {kind.ONE: 1}[kind("one")] == 1
        assert kind.ONE != "one"
        with pytest.raises(ValueError, match="'three' is not a valid"):
            kind("three")
    assert repr(Ours.ONE) == repr(Theirs.ONE).replace("Theirs", "Ours")
    assert str(Ours.ONE) == "Ours.ONE"


def test_a_member_stays_itself_when_it_is_copied_and_sent() -> None:
    assert copy.copy(Form.LINE) is copy.deepcopy(Form.LINE) is pickle.loads(pickle.dumps(Form.LINE)) is Form.LINE


def test_a_property_is_computed_once_an_object() -> None:
    computed: list[int] = []

    class Thing:
        def __init__(self, number: int) -> None:
            self.number = number

        @_lite.cached_property
        def double(self) -> int:
            """Twice as much."""
            computed.append(self.number)
            return 2 * self.number

    one, two = Thing(1), Thing(2)
    assert [one.double, two.double, one.double, two.double] == [2, 4, 2, 4]
    assert computed == [1, 2]
    assert isinstance(Thing.double, functools.cached_property | vars(_lite)["cached_property"])
    assert Thing.double.__doc__ == "Twice as much."


def test_what_a_function_said_is_remembered_for_the_last_of_its_arguments() -> None:
    asked: list[int] = []

    @_lite.lru_cache(2)
    def double(number: int) -> int:
        """Twice as much."""
        asked.append(number)
        return 2 * number

    assert [double(1), double(2), double(1), double(3), double(1), double(2)] == [2, 4, 2, 6, 2, 4]
    assert asked == [1, 2, 3, 2]
    assert double.cache_info()._asdict() == {"hits": 2, "misses": 4, "maxsize": 2, "currsize": 2}
    assert double.__doc__ == "Twice as much."
    assert double.__name__ == "double"
