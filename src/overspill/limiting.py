"""Python functions whose results fit: what a tool returns, or raises, reaches the model within its budget."""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, overload

from overspill.budget import Budget
from overspill.errors import OverspillError, ToolError

if TYPE_CHECKING:
    from overspill.pipeline import Overspill

P = ParamSpec("P")


class Limiter:
    """What `limited` does to one function."""

    def __init__(self, spill: "Overspill | None", tool: str, budget: Budget | int | None) -> None:
        self._spill = spill
        self.tool = tool
        self.budget = budget

    @property
    def spill(self) -> "Overspill":
        """What fits the results; looked for when the first one comes, in the project it comes from."""
        return self._spill or _shared()

    def wrapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with a view in place of its result: a coroutine stays one."""

        async def later(*arguments: object, **named: object) -> str:
            with self.bounded():
                output = function(*arguments, **named)
                if inspect.isawaitable(output):
                    output = await output
                return (await self.spill.afit(output, tool=self.tool, budget=self.budget)).text

        def now(*arguments: object, **named: object) -> str:
            with self.bounded():
                return self.spill.fit(function(*arguments, **named), tool=self.tool, budget=self.budget).text

        is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
        return functools.wraps(function)(later if is_async else now)

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """What is raised in here says no more than it may: else something is raised that does."""
        try:
            yield
        except OverspillError:
            raise
        except Exception as error:
            said = str(error)
            view = self.spill.fit(said, tool=self.tool, is_error=True, budget=self.budget).text
            if view == said:
                raise
            raise ToolError(type(error).__name__, view) from None


@overload
def limited(function: Callable[P, object], /) -> Callable[P, Any]: ...
@overload
def limited(
    *, tool: str = "", budget: Budget | int | None = None, spill: "Overspill | None" = None
) -> Callable[[Callable[P, object]], Callable[P, Any]]: ...
def limited(
    function: Callable[..., Any] | None = None,
    /,
    *,
    tool: str = "",
    budget: Budget | int | None = None,
    spill: "Overspill | None" = None,
) -> Any:
    """Let a function return the view of its result: `@limited`, or `@limited(tool="search_files", budget=4_000)`.

    The tool is named like the function unless `tool` says otherwise; without `spill`, all such functions
    share one `Overspill` with the preset `agent`.

    >>> from overspill import MemoryStore, Overspill
    >>> @limited(budget=100, spill=Overspill(store=MemoryStore()))
    ... def numbers(count: int) -> str:
    ...     return " ".join(map(str, range(count)))
    >>> numbers(5), len(numbers(500)) <= 100
    ('0 1 2 3 4', True)
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = tool or getattr(function, "__name__", "")
        return Limiter(spill, name, budget).wrapped(function)

    return decorate if function is None else decorate(function)


@functools.cache
def _shared() -> "Overspill":
    from overspill.pipeline import Overspill

    return Overspill(preset="agent")
