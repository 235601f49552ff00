"""A real MCP server to stand in front of: one tool for everything a proxy could get wrong."""

import asyncio
import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image
from mcp_types import SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("upstream")
SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3


class User(BaseModel):
    id: int
    name: str
    note: str


class Users(BaseModel):
    users: list[User]
    total: int


class Answer(BaseModel):
    name: str


@server.tool()
def echo(word: str) -> str:
    return word


@server.tool()
def lines(count: int) -> str:
    return "".join(f"line {number} of the log\n" for number in range(count))


@server.tool()
def users(count: int) -> Users:
    return Users(users=[User(id=n, name=f"user {n}", note="x" * 50) for n in range(count)], total=count)


@server.tool()
def secret() -> Users:
    return Users(users=[User(id=1, name="root", note=f"API_KEY={SECRET}")], total=1)


@server.tool()
def broken(size: int) -> str:
    raise RuntimeError("no " * size)


@server.tool()
def picture() -> Image:
    return Image(data=b"\x89PNG" + bytes(200_000), format="png")


@server.tool()
async def progress(ctx: Context) -> str:
    for step in range(3):
        await ctx.report_progress(step, 3, f"step {step}")
    return "done"


@server.tool()
async def sample(ctx: Context) -> str:
    said = await ctx.session.create_message(
        [SamplingMessage(role="user", content=TextContent(type="text", text="hello"))], max_tokens=10
    )
    return f"the model says {said.content}"


@server.tool()
async def ask(ctx: Context) -> str:
    said = await ctx.elicit("your name?", Answer)
    return f"hello {said.data.name}" if said.action == "accept" else said.action


@server.tool()
async def slow(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "awake"


@server.tool()
def crash() -> str:
    sys.stdout.flush()
    import os

    os._exit(3)


@server.resource("notes://big")
def big() -> str:
    return "a note\n" * 50_000


@server.prompt()
def greet(name: str) -> str:
    return f"Greet {name}. " * 2_000


if __name__ == "__main__":
    server.run()
