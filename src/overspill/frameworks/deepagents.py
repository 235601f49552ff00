"""deepagents: the LangChain middleware beside the eviction that deepagents has itself, in agents and their subagents.

    from deepagents import create_deep_agent
    from overspill import Overspill
    from overspill.frameworks.deepagents import overspill_for

    spill = Overspill(preset="agent")
    agent = create_deep_agent(model=model, tools=tools, **overspill_for(spill))

A deep agent moves results of more than 20,000 tokens into a file of its own and shows the head of it. Ours runs before
that, so there is nothing left to move: the model sees a view, without secrets, and fetches with the artifact tools.
Middleware of an agent is not inherited by its subagents; `overspill_for` gives it to them, the general-purpose one
included, and all share one `spill`: what a subagent kept, its caller can read.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from overspill.core.budget import Budget
from overspill.frameworks import require_extra

if TYPE_CHECKING:
    from overspill.api import Overspill
    from overspill.history import Clearing

with require_extra("deepagents"):
    from deepagents.middleware.subagents import GENERAL_PURPOSE_SUBAGENT

    from overspill.frameworks import langchain


class OverspillMiddleware(langchain.OverspillMiddleware):
    """Fits every result of every tool, and never says so much that deepagents would move it into a file."""

    framework = "deepagents"
    ceiling = 70_000  # it moves results of 80,000 characters


def overspill_for(
    spill: "Overspill | None" = None,
    subagents: Iterable[Mapping[str, Any]] = (),
    middleware: Iterable[Any] = (),
    *,
    budget: Budget | int | None = None,
    turn: Budget | int | None = None,
    clear: "Clearing | None" = None,
) -> dict[str, Any]:
    """The arguments `middleware` and `subagents` of `create_deep_agent`: your own, and ours with them.

    Subagents that are compiled, or run elsewhere, are left as they are: their results come as those of a tool.
    """
    fitting = OverspillMiddleware(spill, budget=budget, turn=turn, clear=clear)
    known = list(subagents)
    if not any(spec.get("name") == GENERAL_PURPOSE_SUBAGENT["name"] for spec in known):
        known.insert(0, GENERAL_PURPOSE_SUBAGENT)
    return {"middleware": [*middleware, fitting], "subagents": [_with(spec, fitting) for spec in known]}


def _with(spec: Mapping[str, Any], fitting: OverspillMiddleware) -> dict[str, Any]:
    if "runnable" in spec or "graph_id" in spec:
        return dict(spec)
    return {**spec, "middleware": [*spec.get("middleware", ()), fitting]}
