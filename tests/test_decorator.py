"""Functions whose results fit."""

import asyncio
import inspect
import json
import sys
import traceback
import typing
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from overspill import MemoryStore, Overspill, limited
from overspill.errors import ToolError

SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3


@pytest.fixture
def spill() -> Overspill:
    return Overspill(store=MemoryStore(), preset="agent")


def test_a_small_result_comes_back_as_it_is(spill: Overspill) -> None:
    @spill.limited(tool="echo")
    def echo(word: str) -> str:
        """Say it again."""
        return word

    assert echo("hello") == "hello"
    assert (echo.__name__, echo.__doc__) == ("echo", "Say it again.")
    assert list(inspect.signature(echo).parameters) == ["word"]


def test_a_large_result_is_a_view_and_the_rest_can_be_fetched(spill: Overspill) -> None:
    @limited(budget=1_000, spill=spill)
    def numbers() -> str:
        return "\n".join(map(str, range(100_000)))

    view = numbers()
    assert len(view) <= 1_000
    artifact = next(iter(spill.store.list()))
    assert spill.get(artifact.id, lines=(50_001, 50_001)).text == "50000\n"


def test_objects_bytes_and_generators_are_results_too(spill: Overspill) -> None:
    @spill.limited()
    def record() -> dict[str, int]:
        return {"a": 1}

    @spill.limited(budget=300)
    def lines() -> Iterator[str]:
        yield from (f"{number}\n" for number in range(10_000))

    assert record().replace(" ", "") == '{"a":1}'
    assert len(lines()) <= 300


def test_coroutines_stay_coroutines_and_async_generators_are_read(spill: Overspill) -> None:
    @spill.limited(budget=300)
    async def later() -> str:
        await asyncio.sleep(0)
        return "x" * 10_000

    @spill.limited(budget=300)
    async def pieces() -> AsyncIterator[str]:
        for number in range(10_000):
            yield f"{number}\n"

    assert inspect.iscoroutinefunction(later)
    assert len(asyncio.run(later())) <= 300
    assert len(asyncio.run(pieces())) <= 300


async def called(tool: Callable[[], Any]) -> str:
    result = tool()
    return str(await result if inspect.isawaitable(result) else result)


def test_a_short_error_is_raised_as_it_is(spill: Overspill) -> None:
    @spill.limited()
    def broken() -> str:
        raise KeyError("name")

    with pytest.raises(KeyError):
        broken()


@pytest.mark.parametrize("said", ["no " * 100_000, f"cannot log in with {SECRET}"])
def test_an_error_that_says_too_much_is_told_within_the_budget(spill: Overspill, said: str) -> None:
    @spill.limited()
    def broken() -> str:
        raise RuntimeError(said)

    @spill.limited()
    async def broken_later() -> str:
        raise RuntimeError(said)

    for tool in (broken, broken_later):
        with pytest.raises(ToolError) as caught:
            asyncio.run(called(tool))
        assert caught.value.kind == "RuntimeError"
        assert len(str(caught.value)) <= 8_000
        assert SECRET not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__


def test_without_an_overspill_of_their_own_functions_share_one() -> None:
    @limited
    def numbers() -> str:
        return "\n".join(map(str, range(100_000)))

    assert len(numbers()) <= 10_000


def test_errors_are_looked_at_as_frameworks_print_them(spill: Overspill) -> None:
    class Quiet(Exception):
        def __str__(self) -> str:
            return "no"

    @spill.limited()
    def by_its_values() -> str:
        raise Quiet(SECRET)

    @spill.limited()
    def by_its_cause() -> str:
        raise RuntimeError("no") from ValueError(SECRET)

    @spill.limited()
    def by_its_notes() -> str:
        error = RuntimeError("no")
        error.add_note("x" * 100_000)
        raise error

    for tool in (by_its_values, by_its_cause, by_its_notes):
        with pytest.raises(ToolError, match=r"^no$") as caught:
            tool()
        assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_generator_that_fails_is_a_tool_that_fails(spill: Overspill) -> None:
    @spill.limited()
    def lines() -> Iterator[str]:
        yield "one\n"
        raise KeyError("two")

    @spill.limited()
    async def pieces() -> AsyncIterator[str]:
        yield "one\n"
        raise KeyError("two")

    for tool in (lines, pieces):
        with pytest.raises(ToolError, match="KeyError: 'two'\none\n") as caught:
            asyncio.run(called(tool))
        assert caught.value.kind == "KeyError"


def test_who_reads_the_signature_is_told_that_the_result_is_text(spill: Overspill) -> None:
    @spill.limited()
    def record(name: str) -> dict[str, int]:
        return {name: 1}

    assert typing.get_type_hints(record) == {"name": str, "return": str}
    assert inspect.signature(record).return_annotation is str


def test_a_callable_that_returns_a_coroutine_is_awaited(spill: Overspill) -> None:
    class Tool:
        async def __call__(self) -> str:
            return "x" * 100_000

    tool = limited(budget=300, spill=spill)(Tool())
    assert len(asyncio.run(called(tool))) <= 300


def test_a_structured_result_stays_valid_json(spill: Overspill) -> None:
    @spill.limited(budget=2_000)
    def records() -> list[dict[str, int]]:
        return [{"id": number} for number in range(100_000)]

    view = records()
    assert len(view) <= 2_000
    assert json.loads(view)[0] == {"id": 0}


def test_a_cancelled_tool_is_cancelled(spill: Overspill) -> None:
    @spill.limited()
    async def slow() -> str:
        await asyncio.sleep(60)
        return ""

    async def cancel() -> None:
        task = asyncio.ensure_future(slow())
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())


def test_an_error_that_cannot_say_what_it_is_is_told_by_its_name(spill: Overspill) -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

        __repr__ = __str__

    @spill.limited()
    def broken() -> str:
        raise Silent

    with pytest.raises(Silent):
        broken()


def test_an_error_that_just_fits_stays_what_it_is(spill: Overspill) -> None:
    @spill.limited(budget=1_000)
    def broken() -> str:
        raise KeyError("x" * 990)

    with pytest.raises(KeyError):
        broken()


def test_a_limited_function_inside_another_is_told_once(spill: Overspill) -> None:
    @spill.limited(tool="outer")
    @spill.limited(tool="inner")
    def broken() -> str:
        raise RuntimeError("no " * 100_000)

    with pytest.raises(ToolError) as caught:
        broken()
    assert caught.value.kind == "RuntimeError"
    assert len(list(spill.store.list())) == 1


def test_annotations_may_name_what_only_a_type_checker_imports() -> None:
    # From Python 3.14 on they need no quotes for that.
    name = "Nowhere" if sys.version_info >= (3, 14) else "'Nowhere'"
    namespace: dict[str, Any] = {}
    exec(f"def read(path: {name}, depth: int = 1) -> {name}:\n    return [path] * depth", namespace)
    fitted = limited(namespace["read"])
    assert fitted("a", 2) == '["a","a"]'
    assert fitted.__annotations__["return"] is str
    assert list(inspect.signature(fitted).parameters) == ["path", "depth"]
