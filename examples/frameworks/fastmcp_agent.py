"""A FastMCP server whose tools may say as much as they like: `python examples/frameworks/fastmcp_agent.py`."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

# The ten lines.
from fastmcp import Client, FastMCP

from overspill import Overspill
from overspill.frameworks.fastmcp import OverspillMiddleware


def server_of(tools: Sequence[Callable[..., Any]], spill: Overspill | None) -> FastMCP:
    server: FastMCP = FastMCP("builder", middleware=[OverspillMiddleware(spill)] if spill else [])
    for tool in tools:
        server.tool(tool)
    return server


# That is all; below is a client with a model that needs no key.
import json
import logging

from scripted import Call, Message, Script, demonstrate

# A server sees calls, and not which of them stand in one answer of a model.
cannot_know = {"parallel_results_share_the_budget_of_a_turn"}

logging.disable()  # the server tells its own log of every error


async def run_async(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    del turn
    async with Client(server_of(tools, spill)) as client:
        offered = [tool.name for tool in await client.list_tools()]
        messages, left = [Message("user", "Build it.")], []
        while not isinstance(answer := script.answer(messages, offered), str):
            results = await asyncio.gather(*(called(client, call) for call in answer))
            messages += [Message("tool", seen(result)) for result in results]
            left += results
        return left


async def called(client: Client[Any], call: Call) -> Any:
    return await client.call_tool(call.name, call.arguments, raise_on_error=False)


def seen(result: Any) -> str:
    """What a model is sent of a result. Half of the clients show the structured content where there is one."""
    if result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False)
    return "\n".join(getattr(block, "text", f"[{block.type}]") for block in result.content)


def run(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    return asyncio.run(run_async(tools, script, spill, turn))


if __name__ == "__main__":
    demonstrate(run)
