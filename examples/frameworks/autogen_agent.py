"""An AutoGen agent with `limited` tools: `python examples/frameworks/autogen_agent.py`."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

# The ten lines.
from autogen_agentchat.agents import AssistantAgent

from overspill import Overspill, artifact_tools, limited


def agent_of(model: Any, tools: Sequence[Callable[..., Any]], spill: Overspill | None) -> AssistantAgent:
    fitted = [*(limited(spill=spill)(tool) for tool in tools), *artifact_tools(spill)] if spill else list(tools)
    return AssistantAgent("helper", model_client=model, tools=fitted, max_tool_iterations=9)


# That is all; below is a model that needs no key.
import json

from autogen_core import FunctionCall
from autogen_core.models import CreateResult, FunctionExecutionResultMessage, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient
from scripted import Message, Script, demonstrate

# A function that is a tool does not know which calls stand in one answer of a model with its own.
cannot_know = {"parallel_results_share_the_budget_of_a_turn"}


class ScriptedModel(ReplayChatCompletionClient):
    """Answers by a script."""

    script: Script

    async def create(self, messages: Sequence[Any], *, tools: Sequence[Any] = (), **_: Any) -> CreateResult:
        sent = [new for one in messages for new in messages_of(one)]
        answer = self.script.answer(sent, [tool["name"] if isinstance(tool, dict) else tool.name for tool in tools])
        usage = RequestUsage(prompt_tokens=1, completion_tokens=1)
        if isinstance(answer, str):
            return CreateResult(finish_reason="stop", content=answer, usage=usage, cached=False)
        calls = [FunctionCall(id=one.id, name=one.name, arguments=json.dumps(one.arguments)) for one in answer]
        return CreateResult(finish_reason="function_calls", content=calls, usage=usage, cached=False)


def messages_of(message: Any) -> list[Message]:
    if isinstance(message, FunctionExecutionResultMessage):
        return [Message("tool", result.content) for result in message.content]
    return [Message(message.type, str(message.content))]


async def run_async(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    del turn
    model = ScriptedModel([], {"function_calling": True, "vision": False, "json_output": False, "family": "unknown"})
    model.script = script
    return await agent_of(model, tools, spill).run(task="Build it.")


def run(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    return asyncio.run(run_async(tools, script, spill, turn))


if __name__ == "__main__":
    demonstrate(run)
