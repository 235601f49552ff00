"""A run of Anthropic's tool runner with tools that say as much as they like:
`python examples/frameworks/anthropic_agent.py`.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

# The ten lines.
from anthropic import beta_async_tool, beta_tool

from overspill import Overspill
from overspill.frameworks.anthropic import fitted_tools


def run_of(client: Any, tools: Sequence[Any], spill: Overspill, turn: int | None = None) -> Any:
    fitted = fitted_tools(tools, spill, turn=turn)
    return fitted.turns(client.beta.messages.tool_runner(**ASKED, tools=fitted))


# Old results go from what is sent to the model, and can be fetched back.
from overspill.history import Clearing


def long_run_of(client: Any, tools: Sequence[Any], spill: Overspill, clear: Clearing | None) -> Any:
    fitted = fitted_tools(tools, spill, clear=clear)
    return fitted.turns(client.beta.messages.tool_runner(**ASKED, tools=fitted))


# That is all; below is a model that needs no key.
import asyncio
import json

from anthropic import Anthropic, AsyncAnthropic
from scripted import Message, Script, demonstrate

try:
    import httpx2 as httpx
except ImportError:
    import httpx  # what the client is built on in older releases

ASKED: dict[str, Any] = {
    "model": "scripted",
    "max_tokens": 1_024,
    "messages": [{"role": "user", "content": "Build it."}],
}


def answered(script: Script) -> Callable[[Any], Any]:
    """What a server answers by the script."""
    remembered: list[Message] = []

    def answer(request: Any) -> Any:
        asked = json.loads(request.content)
        # Newer clients leave it to the server to remember what was said before.
        goes_on = (asked.get("thread") or {}).get("type") == "continue"
        sent = [*(remembered if goes_on else []), *(new for one in asked["messages"] for new in messages_of(one))]
        said = script.answer(sent, script.offered if goes_on else [tool["name"] for tool in asked["tools"]])
        blocks = (
            [{"type": "text", "text": said}]
            if isinstance(said, str)
            else [{"type": "tool_use", "id": one.id, "name": one.name, "input": one.arguments} for one in said]
        )
        remembered[:] = [*sent, *messages_of({"role": "assistant", "content": blocks})]
        reason = "end_turn" if isinstance(said, str) else "tool_use"
        usage = {"input_tokens": 1, "output_tokens": 1}
        reply = {"id": f"msg_{len(script.sent)}", "type": "message", "role": "assistant", "model": "scripted"}
        return httpx.Response(200, json={**reply, "content": blocks, "stop_reason": reason, "usage": usage})

    return answer


def messages_of(message: dict[str, Any]) -> list[Message]:
    """What the model is sent: every result of a tool is a message of its own."""
    content = message["content"]
    if isinstance(content, str):
        return [Message(message["role"], content)]
    return [message_of(message["role"], block) for block in content]


def message_of(role: str, block: dict[str, Any]) -> Message:
    if block["type"] == "tool_result":
        return Message("tool", text_of(block.get("content", "")), (block["tool_use_id"],))
    if block["type"] == "tool_use":
        return Message(role, json.dumps(block["input"]), (block["id"],))
    return Message(role, text_of(block.get("content", block)))


def text_of(content: Any) -> str:
    if isinstance(content, list):
        return "".join(block.get("text", f"[{block['type']}]") for block in content)
    return content if isinstance(content, str) else json.dumps(content)


def client_of(script: Script) -> Anthropic:
    return Anthropic(api_key="none", http_client=httpx.Client(transport=httpx.MockTransport(answered(script))))


def async_client_of(script: Script) -> AsyncAnthropic:
    transport = httpx.MockTransport(answered(script))
    return AsyncAnthropic(api_key="none", http_client=httpx.AsyncClient(transport=transport))


def run(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    client = client_of(script)
    made = [beta_tool(tool) for tool in tools]
    return list(run_of(client, made, spill, turn) if spill else client.beta.messages.tool_runner(**ASKED, tools=made))


def run_long(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None, clear: Clearing | None = None
) -> Any:
    client = client_of(script)
    made = [beta_tool(tool) for tool in tools]
    runner = long_run_of(client, made, spill, clear) if spill else client.beta.messages.tool_runner(**ASKED, tools=made)
    return list(runner)


async def run_async(tools: list[Callable[..., Any]], script: Script, spill: Overspill, turn: int | None = None) -> Any:
    client = async_client_of(script)
    made = [beta_async_tool(as_coroutine(tool)) for tool in tools]
    return [message async for message in run_of(client, made, spill, turn)]


def as_coroutine(function: Callable[..., Any]) -> Callable[..., Any]:
    """The async runner takes coroutines only."""
    if inspect.iscoroutinefunction(function):
        return function

    async def later() -> Any:
        return await asyncio.to_thread(function)

    later.__name__, later.__doc__ = function.__name__, function.__doc__
    return later


if __name__ == "__main__":
    demonstrate(run)
