"""OverspillMiddleware beside FastMCP's own ResponseLimitingMiddleware, at the same size: the table of the docs.

Runs where FastMCP is: `.cache/frameworks/fastmcp-newest/bin/python tests/frameworks/fastmcp_compared.py`.
"""

import asyncio
import json
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "examples" / "frameworks")]

from fastmcp import Client, FastMCP
from fastmcp.server.middleware.response_limiting import ResponseLimitingMiddleware
from fastmcp.tools import ToolResult
from mcp.types import ImageContent, TextContent

from frameworks.contract import LIMIT, SECRET, build_log, fetch_records, status, token_counter
from overspill import MemoryStore, Overspill
from overspill.frameworks.fastmcp import OverspillMiddleware

CALLS, LONG_CALLS = 300, 7


def read_env() -> str:
    """Read a file with a key in it."""
    return f"api_key={SECRET}\n{build_log()}"


def look() -> ToolResult:
    """Look at a page."""
    picture = ImageContent.model_validate({"type": "image", "data": "AA" * 500, "mimeType": "image/png"})
    return ToolResult(content=[TextContent(type="text", text=build_log()), picture])


async def seen(middleware: Any) -> dict[str, Any]:
    """What a client gets of the same server."""
    server: FastMCP = FastMCP("compared", middleware=[middleware] if middleware else [])
    for tool in (build_log, fetch_records, read_env, look, status):
        server.tool(tool)
    count, _ = token_counter()
    async with Client(server) as client:

        async def called(name: str) -> Any:
            return await client.call_tool(name, {}, raise_on_error=False)

        log, records, env, page = [await called(name) for name in ("build_log", "fetch_records", "read_env", "look")]
        schemas = [tool.output_schema is not None for tool in await client.list_tools() if tool.name == "fetch_records"]
        return {
            "tokens of a log of 6,000 lines": f"{count(text_of(log)):,}",
            "its last line is there": said("[05999]" in text_of(log)),
            "what was left out can be fetched": said("get_artifact(" in text_of(log)),
            "tokens of 2 MB of JSON": f"{count(text_of(records)):,}",
            "it is valid JSON": said(is_json(records.content[0].text)),
            "the tool's output schema is offered": said(all(schemas)),
            "structured content comes": said(records.structured_content is not None),
            "an image beside a long text comes": said(any(block.type == "image" for block in page.content)),
            "a key in the text is hidden": said(SECRET not in str(env.content) + str(env.structured_content)),
            "time of a small call": await fastest(called, "status", CALLS),
            "time of the call with 2 MB": await fastest(called, "fetch_records", LONG_CALLS),
        }


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def said(answer: object) -> str:
    return "yes" if answer else "no"


async def fastest(called: Callable[[str], Any], name: str, times: int) -> float:
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        await called(name)
        taken.append(time.perf_counter() - started)
    return min(taken)


async def main() -> None:
    logging.disable()
    ours = OverspillMiddleware(Overspill(store=MemoryStore(), preset="agent"))
    columns = [await seen(one) for one in (None, ResponseLimitingMiddleware(max_size=LIMIT), ours)]
    print(f"| | no middleware | `ResponseLimitingMiddleware(max_size={LIMIT})` | `OverspillMiddleware` |")
    print("|---|--:|--:|--:|")
    for row, plain in columns[0].items():
        cells = [column[row] if isinstance(plain, str) else f"{column[row] / plain:.1f}x" for column in columns]
        print(f"| {row} | {' | '.join(cells)} |")


if __name__ == "__main__":
    asyncio.run(main())
