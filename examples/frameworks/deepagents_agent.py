"""A deep agent whose tools may say as much as they like: `python examples/frameworks/deepagents_agent.py`."""

from collections.abc import Sequence
from typing import Any

# The ten lines.
from deepagents import create_deep_agent

from overspill import Overspill
from overspill.frameworks.deepagents import overspill_for


def agent_of(model: Any, tools: Sequence[Any], spill: Overspill, turn: int | None = None) -> Any:
    return create_deep_agent(model=model, tools=tools, **overspill_for(spill, turn=turn))


# That is all; the model that needs no key is the one of the LangChain example.
from langchain_agent import ScriptedModel
from scripted import Script, Tool, demonstrate


def run(tools: list[Tool], script: Script, spill: Overspill | None = None, turn: int | None = None) -> Any:
    model = ScriptedModel(script=script)
    agent = agent_of(model, tools, spill, turn) if spill else create_deep_agent(model=model, tools=tools)
    return agent.invoke({"messages": [{"role": "user", "content": "Build it."}]})


async def run_async(tools: list[Tool], script: Script, spill: Overspill, turn: int | None = None) -> Any:
    agent = agent_of(ScriptedModel(script=script), tools, spill, turn)
    return await agent.ainvoke({"messages": [{"role": "user", "content": "Build it."}]})


if __name__ == "__main__":
    demonstrate(run)
