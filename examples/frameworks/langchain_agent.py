"""A LangChain agent whose tools may say as much as they like: `python examples/frameworks/langchain_agent.py`."""

from collections.abc import Sequence
from typing import Any

# The ten lines.
from langchain.agents import create_agent

from overspill import Overspill
from overspill.frameworks.langchain import OverspillMiddleware


def agent_of(model: Any, tools: Sequence[Any], spill: Overspill, turn: int | None = None) -> Any:
    return create_agent(model, tools=tools, middleware=[OverspillMiddleware(spill, turn=turn)])


# Old results go from what is sent to the model, and can be fetched back.
from overspill.history import Clearing


def clearing_agent_of(model: Any, tools: Sequence[Any], spill: Overspill, clear: Clearing | None) -> Any:
    return create_agent(model, tools=tools, middleware=[OverspillMiddleware(spill, clear=clear)])


# That is all; below is a model that needs no key.
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from scripted import Message, Script, Tool, demonstrate


class ScriptedModel(BaseChatModel):
    """Answers by a script."""

    script: Any
    offered: Sequence[str] = ()

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "ScriptedModel":
        names = [convert_to_openai_tool(tool)["function"]["name"] for tool in tools]
        return self.model_copy(update={"offered": names})

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        roles = {"human": "user", "ai": "assistant"}
        sent = [Message(roles.get(one.type, one.type), text_of(one), calls_of(one)) for one in messages]
        answer = self.script.answer(sent, self.offered)
        if isinstance(answer, str):
            message = AIMessage(answer)
        else:
            message = AIMessage("", tool_calls=[{"name": c.name, "args": c.arguments, "id": c.id} for c in answer])
        return ChatResult(generations=[ChatGeneration(message=message)])


def text_of(message: BaseMessage) -> str:
    """What a provider sends of a message."""
    if isinstance(message.content, str):
        return message.content
    return "".join(block if isinstance(block, str) else block.get("text", "") for block in message.content)


def calls_of(message: BaseMessage) -> tuple[str, ...]:
    answered = getattr(message, "tool_call_id", None)
    return (answered,) if answered else tuple(one["id"] for one in getattr(message, "tool_calls", ()))


def run(tools: list[Tool], script: Script, spill: Overspill | None = None, turn: int | None = None) -> Any:
    model = ScriptedModel(script=script)
    agent = agent_of(model, tools, spill, turn) if spill else create_agent(model, tools=tools)
    return agent.invoke({"messages": [{"role": "user", "content": "Build it."}]})


def run_long(tools: list[Tool], script: Script, spill: Overspill | None, clear: Clearing | None = None) -> Any:
    model = ScriptedModel(script=script)
    agent = clearing_agent_of(model, tools, spill, clear) if spill else create_agent(model, tools=tools)
    return agent.invoke({"messages": [{"role": "user", "content": "Build it."}]}, {"recursion_limit": 1_000})


async def run_async(tools: list[Tool], script: Script, spill: Overspill, turn: int | None = None) -> Any:
    agent = agent_of(ScriptedModel(script=script), tools, spill, turn)
    return await agent.ainvoke({"messages": [{"role": "user", "content": "Build it."}]})


if __name__ == "__main__":
    demonstrate(run)
