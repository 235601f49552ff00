"""A pydantic-ai agent whose tools may say as much as they like: `python examples/frameworks/pydantic_ai_agent.py`."""

from collections.abc import Sequence
from typing import Any

# The ten lines.
from pydantic_ai import Agent

from overspill import Overspill
from overspill.frameworks.pydantic_ai import OverspillCapability


def agent_of(model: Any, tools: Sequence[Any], spill: Overspill, turn: int | None = None) -> Any:
    return Agent(model, tools=tools, capabilities=[OverspillCapability(spill, turn=turn)])


# Old results go from what is sent to the model, and can be fetched back.
from overspill.history import Clearing


def clearing_agent_of(model: Any, tools: Sequence[Any], spill: Overspill, clear: Clearing | None) -> Any:
    return Agent(model, tools=tools, capabilities=[OverspillCapability(spill, clear=clear)])


# That is all; below is a model that needs no key.
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits
from scripted import Message, Script, Tool, demonstrate

ROLES = {"system-prompt": "system", "user-prompt": "user", "tool-return": "tool", "retry-prompt": "tool"}


def scripted(script: Script) -> FunctionModel:
    """A model that answers by a script."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent = [
            Message(ROLES.get(part.part_kind, "assistant"), text_of(part), calls_of(part))
            for message in messages
            for part in message.parts
        ]
        said = script.answer(sent, [tool.name for tool in info.function_tools])
        if isinstance(said, str):
            return ModelResponse([TextPart(said)])
        return ModelResponse([ToolCallPart(one.name, one.arguments, one.id) for one in said])

    return FunctionModel(answer)


def calls_of(part: Any) -> tuple[str, ...]:
    return (part.tool_call_id,) if hasattr(part, "tool_call_id") else ()


def text_of(part: Any) -> str:
    """What a provider sends of a part."""
    if part.part_kind == "tool-call":
        return str(part.args_as_json_str())
    for name in ("model_response_str", "model_response"):
        if hasattr(part, name):
            return str(getattr(part, name)())
    return str(getattr(part, "content", ""))


def run(tools: list[Tool], script: Script, spill: Overspill | None = None, turn: int | None = None) -> Any:
    model = scripted(script)
    agent = agent_of(model, tools, spill, turn) if spill else Agent(model, tools=tools)
    return agent.run_sync("Build it.").all_messages()


def run_long(tools: list[Tool], script: Script, spill: Overspill | None, clear: Clearing | None = None) -> Any:
    model = scripted(script)
    agent = clearing_agent_of(model, tools, spill, clear) if spill else Agent(model, tools=tools)
    return agent.run_sync("Build it.", usage_limits=UsageLimits(request_limit=200))


async def run_async(tools: list[Tool], script: Script, spill: Overspill, turn: int | None = None) -> Any:
    return (await agent_of(scripted(script), tools, spill, turn).run("Build it.")).all_messages()


if __name__ == "__main__":
    demonstrate(run)
