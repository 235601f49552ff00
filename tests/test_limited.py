"""Functions whose results fit."""

import asyncio
import inspect
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
