"""A CrewAI agent whose tools may say as much as they like: `python examples/frameworks/crewai_agent.py`."""

import os
from collections.abc import Callable, Sequence
from typing import Any

# Nothing is to leave this machine, and nobody is here to be asked.
os.environ |= dict.fromkeys(("CREWAI_DISABLE_TELEMETRY", "OTEL_SDK_DISABLED", "CREWAI_TESTING"), "true")

# The ten lines.
from crewai import Agent, Crew, Task

from overspill import Overspill
from overspill.frameworks.crewai import OverspillHooks


def kicked_off(llm: Any, tools: Sequence[Any], spill: Overspill, turn: int | None = None) -> Any:
    with OverspillHooks(spill, turn=turn) as hooks:
        agent = Agent(role="builder", goal="build", backstory="you build", tools=hooks.tools(tools), llm=llm)
        task = Task(description="Build it.", expected_output="How it went.", agent=agent)
        return Crew(agents=[agent], tasks=[task]).kickoff()


# That is all; below is a model that needs no key.
import json

from crewai import BaseLLM
from crewai.tools import tool as crew_tool
from scripted import Message, Script, demonstrate


def crew_of(llm: Any, tools: Sequence[Any], **more: Any) -> Crew:
    agent = Agent(role="builder", goal="build", backstory="you build", tools=list(tools), llm=llm)
    task = Task(description="Build it.", expected_output="How it went.", agent=agent)
    return Crew(agents=[agent], tasks=[task], **more)


class ScriptedModel(BaseLLM):
    """Answers by a script, with native calls of tools."""

    script: Any = None

    def call(self, messages: Any, tools: Any = None, *_: Any, **__: Any) -> Any:
        sent = [Message(one["role"], one.get("content") or "") for one in messages]
        answer = self.script.answer(sent, [one["function"]["name"] for one in tools or []])
        return answer if isinstance(answer, str) else [call_of(one) for one in answer]

    async def acall(self, *given: Any, **named: Any) -> Any:
        return self.call(*given, **named)

    def supports_function_calling(self) -> bool:
        return True

    def get_context_window_size(self) -> int:
        return 200_000


def call_of(call: Any) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}


def made(tools: list[Callable[..., Any]]) -> list[Any]:
    return [crew_tool(one.__name__)(one) for one in tools]


def run(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    llm = ScriptedModel(model="scripted", script=script)
    return kicked_off(llm, made(tools), spill, turn) if spill else crew_of(llm, made(tools)).kickoff()


async def run_async(tools: list[Callable[..., Any]], script: Script, spill: Overspill, turn: int | None = None) -> Any:
    llm = ScriptedModel(model="scripted", script=script)
    with OverspillHooks(spill, turn=turn) as hooks:
        return await crew_of(llm, hooks.tools(made(tools))).akickoff()


if __name__ == "__main__":
    demonstrate(run)
