"""An openai-agents agent whose tools may say what they like: `python examples/frameworks/openai_agents_agent.py`."""

import asyncio
from collections.abc import Sequence
from typing import Any

# The ten lines.
from agents import Agent, RunConfig, Runner

from overspill import Overspill
from overspill.frameworks.openai_agents import InputFilter, fitted_tools


async def work(model: Any, tools: Sequence[Any], spill: Overspill, turn: int | None = None) -> Any:
    agent = Agent(name="builder", model=model, tools=fitted_tools(tools, spill, turn=turn))
    return await Runner.run(agent, "Build it.", run_config=RunConfig(call_model_input_filter=InputFilter(spill)))


# Old results go from what is sent to the model, and can be fetched back.
from overspill.history import Clearing


async def work_long(model: Any, tools: Sequence[Any], spill: Overspill, clear: Clearing | None) -> Any:
    agent = Agent(name="builder", model=model, tools=fitted_tools(tools, spill))
    config = RunConfig(call_model_input_filter=InputFilter(spill, clear=clear))
    return await Runner.run(agent, "Build it.", run_config=config, max_turns=200)


# That is all; below is a model that needs no key.
from agents import Model, ModelResponse, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from scripted import Answer, Message, Script, Tool, demonstrate

set_tracing_disabled(disabled=True)


class ScriptedModel(Model):
    """Answers by a script."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  # the framework calls it so
        model_settings: Any,  # noqa: ARG002
        tools: list[Any],
        *_: Any,
        **__: Any,
    ) -> ModelResponse:
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        messages = [Message("system", system_instructions or ""), *(message_of(item) for item in items)]
        answer = self.script.answer(messages, [tool.name for tool in tools])
        return ModelResponse(output=output_of(answer), usage=Usage(requests=1), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def message_of(item: Any) -> Message:
    """What a provider sends of an item."""
    if item.get("type") == "function_call_output":
        output = item["output"]
        text = output if isinstance(output, str) else "".join(part.get("text", "") for part in output)
        return Message("tool", text, (item["call_id"],))
    if item.get("type") == "function_call":
        return Message("assistant", item["arguments"], (item["call_id"],))
    return Message(item.get("role", "assistant"), str(item.get("content", "")))


def output_of(answer: Answer) -> list[Any]:
    import json

    if isinstance(answer, str):
        text = ResponseOutputText(text=answer, type="output_text", annotations=[])
        return [ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")]
    return [
        ResponseFunctionToolCall(
            call_id=one.id, name=one.name, arguments=json.dumps(one.arguments), type="function_call"
        )
        for one in answer
    ]


def tool_of(function: Tool) -> Any:
    """A tool that tells the model why it failed, which by default it does not."""
    return function_tool(function, failure_error_function=lambda _, error: f"{type(error).__name__}: {error}")


def run(tools: list[Tool], script: Script, spill: Overspill | None = None, turn: int | None = None) -> Any:
    if spill is None:
        agent = Agent(name="builder", model=ScriptedModel(script), tools=[tool_of(tool) for tool in tools])
        return asyncio.run(Runner.run(agent, "Build it.")).to_input_list()
    return asyncio.run(run_async(tools, script, spill, turn))


def run_long(tools: list[Tool], script: Script, spill: Overspill | None, clear: Clearing | None = None) -> Any:
    given = [function_tool(tool) for tool in tools]
    if spill is None:
        agent = Agent(name="builder", model=ScriptedModel(script), tools=[*given])
        return asyncio.run(Runner.run(agent, "Build it.", max_turns=200))
    return asyncio.run(work_long(ScriptedModel(script), given, spill, clear))


async def run_async(tools: list[Tool], script: Script, spill: Overspill, turn: int | None = None) -> Any:
    result = await work(ScriptedModel(script), [tool_of(tool) for tool in tools], spill, turn)
    return result.to_input_list()


if __name__ == "__main__":
    demonstrate(run)
