"""What the MCP proxy adds to a call, beside a direct one and a proxy built on FastMCP, where that is installed."""

import asyncio
import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from mcp import Client

CALLS = 200
UPSTREAM = [sys.executable, str(Path(__file__).parents[1] / "tests" / "kits" / "mcp_upstream.py")]
PROXY = [sys.executable, "-m", "overspill", "mcp", "proxy", "--", *UPSTREAM]
FASTMCP = (
    "import sys; from fastmcp.server import create_proxy; from fastmcp.client.transports import StdioTransport;"
    "create_proxy(StdioTransport(sys.argv[1], sys.argv[2:])).run(show_banner=False)"
)


def main() -> None:
    """Print milliseconds a call, and ratios to a direct one."""
    ways = {"direct": UPSTREAM, "spill mcp proxy": PROXY}
    if importlib.util.find_spec("fastmcp"):
        ways["FastMCP proxy"] = [sys.executable, "-c", FASTMCP, *UPSTREAM]
    else:
        print("FastMCP is not installed here; `pip install fastmcp` puts its proxy beside ours")
    with tempfile.TemporaryDirectory() as root, Path(os.devnull).open("w") as errors:
        times = {name: asyncio.run(measured(command, root, errors)) for name, command in ways.items()}
    direct = times["direct"]
    for name, (first, echo, long) in times.items():
        print(
            f"{name:<16} ready {first * 1000:7.0f} ms   echo {echo * 1000:6.2f} ms ({echo / direct[1]:.2f}x,"
            f" +{(echo - direct[1]) * 1000:.2f} ms)   1 MB of lines {long * 1000:7.1f} ms ({long / direct[2]:.2f}x)"
        )


async def measured(command: list[str], root: str, errors: TextIO) -> tuple[float, float, float]:
    """Until the first answer; a quick call; a call with a long result: the least of many."""
    from mcp import Client, StdioServerParameters, stdio_client

    environ = {**os.environ, "OVERSPILL_ROOT": root}
    server = StdioServerParameters(command=command[0], args=command[1:], env=environ)
    started = time.perf_counter()
    async with Client(stdio_client(server, errlog=errors), mode="legacy") as client:
        await client.list_tools()
        first = time.perf_counter() - started
        return first, await least(client, CALLS, "echo", word="hi"), await least(client, 10, "lines", count=50_000)


async def least(client: "Client", times: int, tool: str, **arguments: object) -> float:
    """The quickest of some calls."""
    best = 9.0
    for _ in range(times):
        started = time.perf_counter()
        await client.call_tool(tool, arguments)
        best = min(best, time.perf_counter() - started)
    return best


if __name__ == "__main__":
    main()
