"""`@limited`: a function returns the view of its result, or raises no more than may be shown."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, ParamSpec, overload

from overspill.api import Overspill
from overspill.fit.functions import limit_function
from overspill.workspace import AGENT_PRESET
from overspill.workspace.policy import ToolRules

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.core.budget import Budget

P = ParamSpec("P")


@overload
def limited(function: Callable[P, object], /) -> Callable[P, Any]: ...
@overload
def limited(
    *,
    tool: str = "",
    budget: Budget | int | None = None,
    strategy: str | None = None,
    focus: str | None = None,
    spill: Overspill | None = None,
) -> Callable[[Callable[P, object]], Callable[P, Any]]: ...
def limited(
    function: Callable[..., Any] | None = None,
    /,
    *,
    tool: str = "",
    budget: Budget | int | None = None,
    strategy: str | None = None,
    focus: str | None = None,
    spill: Overspill | None = None,
) -> Any:
    """Let a function return the view of its result: `@limited`, or `@limited(tool="search_files", budget=4_000)`.

    The tool is named like the function unless `tool` says otherwise; without `spill`, all such functions
    share one `Overspill` with the preset `agent`. `budget`, `strategy` and `focus` are what the function asks for:
    where the user's settings say something else, of this tool or of all, that holds.

    >>> from overspill import MemoryStore, Overspill
    >>> @limited(budget=100, spill=Overspill(store=MemoryStore()))
    ... def numbers(count: int) -> str:
    ...     return " ".join(map(str, range(count)))
    >>> numbers(5), len(numbers(500)) <= 100
    ('0 1 2 3 4', True)
    """
    rules = ToolRules(strategy or "", budget, focus or "")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return limit_function(function, lambda: spill or shared_overspill(), tool, rules)

    return decorate if function is None else decorate(function)


@functools.cache
def shared_overspill() -> Overspill:
    """What all share who were given no `Overspill` of their own."""
    return Overspill(preset=AGENT_PRESET)
