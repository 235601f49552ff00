"""A smolagents agent with `limited` tools: `python examples/frameworks/smolagents_agent.py`."""

import asyncio
import inspect
from collections.abc import Callable, Sequence
from typing import Any

# The ten lines.
from smolagents import ToolCallingAgent, tool

from overspill import Overspill, artifact_tools, limited


def agent_of(model: Any, tools: Sequence[Callable[..., Any]], spill: Overspill | None) -> ToolCallingAgent:
    fitted = [*(limited(spill=spill)(one) for one in tools), *artifact_tools(spill)] if spill else tools
    return ToolCallingAgent(tools=[tool(one) for one in fitted], model=model, verbosity_level=-1)


# That is all; below is a model that needs no key.
from scripted import Message, Script, call, demonstrate
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole, Model

# A function that is a tool does not know which calls stand in one answer of a model with its own.
# The results of one step are one message here; smolagents_promises.py looks at them.
cannot_know = {"parallel_results_share_the_budget_of_a_turn", "coroutines_and_parallel_calls_work"}


class ScriptedModel(Model):
    """Answers by a script; the last answer is a call of `final_answer`."""

    def __init__(self, script: Script) -> None:
        super().__init__(model_id="scripted")
        self.script = script

    def generate(self, messages: list[ChatMessage], *_: Any, tools_to_call_from: Any = None, **__: Any) -> ChatMessage:
        sent = [Message(role_of(one), text_of(one)) for one in messages]
        answer = self.script.answer(sent, [one.name for one in tools_to_call_from or []])
        calls = [call("final_answer", answer=answer)] if isinstance(answer, str) else answer
        made = [
            ChatMessageToolCall(ChatMessageToolCallFunction(one.arguments, one.name), one.id, "function")
            for one in calls
        ]
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=made)


def role_of(message: ChatMessage) -> str:
    return "tool" if message.role == MessageRole.TOOL_RESPONSE else message.role.value


def text_of(message: ChatMessage) -> str:
    """What is sent of a message, without the word that smolagents puts before results."""
    said = message.content
    text = said if isinstance(said, str) else "".join(block.get("text", "") for block in said or [])
    return text.removeprefix("Observation:\n")


def run(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    del turn
    agent = agent_of(ScriptedModel(script), [awaited(one) for one in tools], spill)
    return agent.run("Build it."), agent.memory.get_full_steps()


async def run_async(tools: list[Callable[..., Any]], script: Script, spill: Overspill, turn: int | None = None) -> Any:
    return await asyncio.to_thread(run, tools, script, spill, turn)


def awaited(function: Callable[..., Any]) -> Callable[..., Any]:
    """Agents of smolagents call tools in threads, and do not await them."""
    if not inspect.iscoroutinefunction(function):
        return function

    def now() -> Any:
        return asyncio.run(function())

    now.__name__, now.__doc__, now.__annotations__ = function.__name__, function.__doc__, function.__annotations__
    return now


if __name__ == "__main__":
    demonstrate(run)
