"""An AG2 agent with `limited` tools: `python examples/frameworks/ag2_agent.py`."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

# The ten lines.
from ag2 import Agent

from overspill import Overspill, artifact_tools, limited


def agent_of(config: Any, tools: Sequence[Callable[..., Any]], spill: Overspill | None) -> Agent:
    # AG2 tells the model the whole traceback of a tool that failed: this leaves room for it.
    room = limited(spill=spill, budget=7_000)
    fitted = [*map(room, tools), *artifact_tools(spill)] if spill else list(tools)
    return Agent("helper", config=config, tools=fitted)


# That is all; below is a model that needs no key.
import json

from ag2.events import ModelMessage, ModelResponse, ToolCallEvent, ToolCallsEvent, ToolResultEvent, ToolResultsEvent
from ag2.testing import TestConfig
from scripted import Message, Script, demonstrate

# A function that is a tool does not know which calls stand in one answer of a model with its own.
cannot_know = {"parallel_results_share_the_budget_of_a_turn"}


class ScriptedConfig(TestConfig):
    """Answers by a script."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script

    def create(self) -> Any:
        return self.answer

    async def answer(self, messages: Sequence[Any], context: Any, tools: Sequence[Any] = (), **_: Any) -> ModelResponse:
        sent = [new for one in messages for new in messages_of(one)]
        answer = self.script.answer(sent, [tool.function.name for tool in tools])
        if isinstance(answer, str):
            await context.send(ModelMessage(answer))
            return ModelResponse(ModelMessage(answer))
        calls = [ToolCallEvent(id=one.id, name=one.name, arguments=json.dumps(one.arguments)) for one in answer]
        return ModelResponse(tool_calls=ToolCallsEvent(calls))


def messages_of(event: Any) -> list[Message]:
    if isinstance(event, ToolResultsEvent):
        return [Message("tool", text_of(result)) for result in event.results]
    return [] if isinstance(event, ToolResultEvent) else [Message("user", str(event))]


def text_of(result: ToolResultEvent) -> str:
    return "".join(getattr(part, "content", str(part)) for part in result.result.parts)


async def run_async(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    del turn
    reply = await agent_of(ScriptedConfig(script), tools, spill).ask("Build it.")
    return reply.body


def run(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    return asyncio.run(run_async(tools, script, spill, turn))


if __name__ == "__main__":
    demonstrate(run)
