"""openai-agents: tools whose results fit, the tools that fetch the rest, and a filter for what wrappers cannot reach.

    from agents import Agent, RunConfig, Runner
    from overspill import Overspill
    from overspill.frameworks.openai_agents import InputFilter, fitted_tools

    spill = Overspill(preset="agent")
    agent = Agent(name="builder", model=model, tools=fitted_tools(tools, spill))
    result = await Runner.run(agent, task, run_config=RunConfig(call_model_input_filter=InputFilter(spill)))

`fitted_tools` takes function tools, and leaves hosted ones as they are. The filter looks through everything that is
sent to a model, and so also fits what tools of MCP servers, shells and hosted tools said.
"""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from overspill.core.budget import Budget
from overspill.fit.functions import ARTIFACT_TOOL
from overspill.frameworks import answer_to, require_extra
from overspill.frameworks.results import Batch, InputFilter, Results, in_thread
from overspill.retrieve.tools import TOOLS, Tool

if TYPE_CHECKING:
    from overspill.api import Overspill

with require_extra("openai-agents"):
    from agents import (
        FunctionTool,
        InputGuardrailTripwireTriggered,
        OutputGuardrailTripwireTriggered,
        ToolOutputText,
    )

TRIPWIRES = (
    InputGuardrailTripwireTriggered,
    OutputGuardrailTripwireTriggered,
)  # signals, which must stay what they are

__all__ = ["InputFilter", "artifact_tools", "fitted_tools"]


def fitted_tools(
    tools: Iterable[Any],
    spill: "Overspill | None" = None,
    *,
    budget: Budget | int | None = None,
    turn: Budget | int | None = None,
) -> list[Any]:
    """The tools, whose results and errors fit, and the artifact tools.

    `budget` is for each result; `turn` is for all results of one turn, each of which takes at most half of what is
    left, because how many calls a model made at once cannot be known here.
    """
    results = Results(spill, budget=budget, turn=turn, framework="openai-agents")
    return [*(_fitted(tool, results) for tool in tools), *artifact_tools(spill)]


def artifact_tools(spill: "Overspill | None" = None) -> list[Any]:
    """get_artifact, search_artifacts and list_artifacts as function tools."""
    return [_artifact_tool(spill, tool) for tool in TOOLS]


def _artifact_tool(spill: "Overspill | None", tool: Tool) -> Any:
    async def invoke(_: Any, arguments: str) -> str:
        given = json.loads(arguments or "{}")
        return await in_thread(lambda: answer_to(spill, tool.name, given))

    setattr(invoke, ARTIFACT_TOOL, True)
    # Not in strict mode, in which every argument is required.
    return FunctionTool(tool.name, tool.description, dict(tool.parameters), invoke, strict_json_schema=False)


def _fitted(tool: Any, results: Results) -> Any:
    if not isinstance(tool, FunctionTool):
        return tool
    results.note_tool(tool.name, tool)
    return dataclasses.replace(tool, on_invoke_tool=Invoker(tool.on_invoke_tool, tool.name, results))


class Invoker:
    """What calls a tool, and lets what it says fit. All else the framework may ask is asked of the tool's own."""

    def __init__(self, invoke: Any, name: str, results: Results) -> None:
        self._invoke = invoke
        self._name = name
        self._results = results

    def __getattr__(self, name: str) -> Any:
        return getattr(self._invoke, name)

    def __agents_bind_function_tool__(self, tool: Any) -> "Invoker":
        bind = getattr(self._invoke, "__agents_bind_function_tool__", None)
        return self if bind is None else Invoker(bind(tool), self._name, self._results)

    async def __call__(self, ctx: Any, arguments: str) -> Any:
        with self._results.bounded_errors(self._name, TRIPWIRES):
            output = await self._invoke(ctx, arguments)
        if getattr(getattr(ctx, "tool_call", None), "caller", None) is not None:
            return output  # for a program that a model wrote, not for the model
        return await in_thread(lambda: self._shown(output, ctx))

    def _shown(self, output: Any, ctx: Any) -> Any:
        if isinstance(output, list | tuple) and any(map(_is_part, output)):
            return [self._shown(part, ctx) for part in output]
        if isinstance(output, ToolOutputText):
            text = self._shown(output.text, ctx)
            return output if text == output.text else output.model_copy(update={"text": text})
        if _is_part(output):
            text = output.get("text") if isinstance(output, Mapping) else None
            return {**output, "text": self._shown(text, ctx)} if isinstance(text, str) else output
        call_id = getattr(ctx, "tool_call_id", "")
        seen, fitted = self._results.value(output, self._name, call_id=call_id, batch=batch_of(ctx))
        return output if seen is output else fitted.text  # the framework would write an object as Python does


def _is_part(output: Any) -> bool:
    """Whether this is a text, an image or a file as the framework has them."""
    if isinstance(output, Mapping):
        return output.get("type") in {"text", "image", "file"}
    return type(output).__module__.startswith("agents.")


def batch_of(ctx: Any) -> Batch | None:
    """The turn that a call belongs to: so many requests were made in its run, of which every call has the usage."""
    usage = getattr(ctx, "usage", None)
    requests = getattr(usage, "requests", 0), len(getattr(ctx, "turn_input", ()))
    if not any(requests) or not hasattr(usage, "__dict__"):
        return None
    run = usage.__dict__.setdefault("_overspill_run", object())  # an id may come again, an object does not
    return Batch((run, requests))
