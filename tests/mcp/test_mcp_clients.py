"""The official client in front of the server and the proxy, in both eras: as direct, except for limited results."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import mcp_types
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from mcp_forked import server_command

SPILL = [sys.executable, "-m", "overspill"]
KITS = Path(__file__).parents[1] / "kits"
SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
ERAS = ["legacy", "2026-07-28"]


def upstream() -> list[str]:
    return server_command(str(KITS / "mcp_upstream.py"))


async def sampled(context: object, params: object) -> mcp_types.CreateMessageResult:
    said = mcp_types.TextContent(type="text", text="hi there")
    return mcp_types.CreateMessageResult(role="assistant", content=said, model="fake")


async def elicited(context: object, params: object) -> mcp_types.ElicitResult:
    return mcp_types.ElicitResult(action="accept", content={"name": "Bob"})


@asynccontextmanager
async def client(
    root: Path, command: list[str], era: str, me: mcp_types.Implementation | None = None
) -> AsyncIterator[Client]:
    environ = {**os.environ, "OVERSPILL_ROOT": str(root)}
    server = StdioServerParameters(command=command[0], args=command[1:], env=environ)
    errors = (root / "errors.log").open("a")
    transport = stdio_client(server, errlog=errors)
    with errors:
        calls: dict[str, Any] = {"sampling_callback": sampled, "elicitation_callback": elicited}
        async with Client(transport, mode=era, client_info=me, **calls) as made:
            yield made


T = TypeVar("T")


def run(
    root: Path,
    command: list[str],
    era: str,
    talk: Callable[[Client], Awaitable[T]],
    me: mcp_types.Implementation | None = None,
) -> T:
    async def conversation() -> T:
        async with asyncio.timeout(60):
            async with client(root, command, era, me) as made:
                return await talk(made)

    return asyncio.run(conversation())


def text_of(result: mcp_types.CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, mcp_types.TextContent)
    return block.text


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("echo", {"word": "hello"}),
    ("users", {"count": 3}),
    ("broken", {"size": 3}),
    ("picture", {}),
    ("sample", {}),
    ("ask", {}),
    ("no such tool", {}),
]


async def everything(made: Client) -> list[str]:
    """What a client sees of a server, as text that can be compared."""
    seen = []
    steps: list[float] = []

    async def advanced(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    for name, arguments in CALLS:
        try:
            seen.append((await made.call_tool(name, arguments)).model_dump_json())
        except Exception as error:  # noqa: BLE001  # an error is a thing to be compared, too
            seen.append(f"{type(error).__name__}: {error}")
    await made.call_tool("progress", {}, progress_callback=advanced)
    seen.append(str(steps))
    seen.append((await made.read_resource("notes://big")).model_dump_json())
    seen.append((await made.get_prompt("greet", {"name": "Ann"})).model_dump_json())
    seen.append((await made.list_prompts()).model_dump_json())
    seen.append((await made.list_resources()).model_dump_json())
    seen += [tool.model_dump_json() for tool in (await made.list_tools()).tools if "artifact" not in tool.name]
    return seen


@pytest.mark.parametrize("era", ERAS)
def test_in_front_of_a_server_everything_is_as_direct(tmp_path: Path, era: str) -> None:
    direct = run(tmp_path, upstream(), era, everything)
    proxied = run(tmp_path, [*SPILL, "mcp", "proxy", "--", *upstream()], era, everything)
    assert proxied == direct


@pytest.mark.parametrize("era", ERAS)
def test_a_long_result_is_a_view_whose_rest_the_same_client_fetches(tmp_path: Path, era: str) -> None:
    async def talk(made: Client) -> None:
        result = await made.call_tool("lines", {"count": 20_000})
        view = text_of(result)
        assert len(view) <= 8_000
        assert result.structured_content == {"result": view}
        identity = next(word for word in view.split('"') if word.startswith("art_"))
        part = await made.call_tool("get_artifact", {"id": identity, "start_line": 10_001, "end_line": 10_002})
        assert text_of(part) == "line 10000 of the log\nline 10001 of the log\n"
        found = await made.call_tool("search_artifacts", {"pattern": "line 12345 ", "id": identity})
        assert "line 12345 of the log" in text_of(found)

    run(tmp_path, [*SPILL, "mcp", "proxy", "--", *upstream()], era, talk)


@pytest.mark.parametrize("era", ERAS)
def test_a_long_structured_result_passes_the_client_s_own_validation(tmp_path: Path, era: str) -> None:
    async def talk(made: Client) -> None:
        await made.list_tools()  # from now on the client checks results against the schemas
        result = await made.call_tool("users", {"count": 5_000})
        assert not result.is_error
        half = result.structured_content
        assert isinstance(half, dict)
        assert half["total"] == 5_000
        assert len(json.dumps(half)) <= 8_000
        assert "art_" in half["overspill"]
        json.loads(text_of(result))

    run(tmp_path, [*SPILL, "mcp", "proxy", "--", *upstream()], era, talk)


def test_a_secret_is_nowhere_afterwards(tmp_path: Path) -> None:
    async def talk(made: Client) -> str:
        return (await made.call_tool("secret", {})).model_dump_json()

    assert SECRET not in run(tmp_path, [*SPILL, "mcp", "proxy", "--", *upstream()], "legacy", talk)
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET not in path.read_text(encoding="utf-8", errors="replace")


def test_a_server_that_crashes_is_said_and_what_was_kept_stays(tmp_path: Path) -> None:
    async def talk(made: Client) -> None:
        await made.call_tool("lines", {"count": 20_000})
        for tool in ("crash", "echo"):
            with pytest.raises(Exception, match="ended with status 3"):
                await made.call_tool(tool, {"word": "hello"} if tool == "echo" else {})
        listed = await made.call_tool("list_artifacts", {})
        assert "art_" in text_of(listed)

    run(tmp_path, [*SPILL, "mcp", "proxy", "--", *upstream()], "legacy", talk)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("module", ["mcp_server_time", "mcp_server_git"])
def test_in_front_of_servers_people_use(tmp_path: Path, module: str, era: str) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    async def talk(made: Client) -> list[str]:
        tools = [tool.model_dump_json() for tool in (await made.list_tools()).tools if "artifact" not in tool.name]
        if module == "mcp_server_git":
            status = await made.call_tool("git_status", {"repo_path": str(tmp_path)})
        else:
            status = await made.call_tool("convert_time", {
                "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"
            })  # fmt: skip
        return [*tools, status.model_dump_json(exclude={"meta"})]

    server = server_command("-m", module)
    direct = run(tmp_path, server, era, talk)
    proxied = run(tmp_path, [*SPILL, "mcp", "proxy", "--", *server], era, talk)
    assert proxied == direct


@pytest.mark.parametrize("era", ERAS)
def test_the_server_gives_what_another_process_kept(tmp_path: Path, era: str) -> None:
    text = "".join(f"{number}\n" for number in range(50_000))
    put = [*SPILL, "artifacts", "put", "--root", str(tmp_path)]
    identity = subprocess.run(put, input=text, capture_output=True, text=True, check=True).stdout.strip()

    async def talk(made: Client) -> None:
        names = [tool.name for tool in (await made.list_tools()).tools]
        assert names == ["get_artifact", "search_artifacts", "list_artifacts"]
        part = await made.call_tool("get_artifact", {"id": identity, "start_line": 41, "end_line": 42})
        assert text_of(part) == "40\n41\n"
        missing = await made.call_tool("get_artifact", {"id": "art_1699234567890_a1b2c3"})
        assert missing.is_error
        resource = (await made.list_resources()).resources[0]
        assert resource.uri == f"artifact://{identity}"
        contents = (await made.read_resource(resource.uri)).contents[0]
        assert isinstance(contents, mcp_types.TextResourceContents)
        assert contents.text.startswith("0\n1\n2\n")
        assert (await made.list_resource_templates()).resource_templates

    run(tmp_path, [*SPILL, "mcp", "serve"], era, talk)


def test_a_server_answers_for_the_later_sessions_of_its_agent_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it was given one: then it answers for that one alone."""
    put = [*SPILL, "artifacts", "put", "--root", str(tmp_path), "--session", "second"]
    identity = subprocess.run(put, input="hello\n", capture_output=True, text=True, check=True).stdout.strip()

    async def talk(made: Client) -> bool | None:
        return (await made.call_tool("get_artifact", {"id": identity})).is_error

    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "first")
    assert not run(tmp_path, [*SPILL, "mcp", "serve"], ERAS[0], talk)
    assert run(tmp_path, [*SPILL, "mcp", "serve", "--session", "first"], ERAS[0], talk)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("name", "chars", "lines"), [("codex-mcp-client", 9_000, 9_000), ("opencode", 48_000, 1_900)])
def test_pages_are_no_longer_than_their_reader_can_take(
    tmp_path: Path, era: str, name: str, chars: int, lines: int
) -> None:
    """An agent that shortens a page once more loses the call for the next one. Followed, they make the whole text."""
    text = "".join(f"{number}\n" for number in range(9_000))
    put = [*SPILL, "artifacts", "put", "--root", str(tmp_path)]
    identity = subprocess.run(put, input=text, capture_output=True, text=True, check=True).stdout.strip()

    async def talk(made: Client) -> str:
        whole, asked = "", {"id": identity, "limit": 0}
        while asked:
            said = [
                block.text for block in (await made.call_tool("get_artifact", asked)).content if block.type == "text"
            ]
            assert len("".join(said)) <= chars
            assert said[0].count("\n") <= lines
            whole += said[0]
            call = re.search(r"Next page: get_artifact\((.*)\)", said[1])
            numbers = re.findall(r"(\w+)=(\d+)", call[1]) if call else []
            asked = {"id": identity, **{key: int(value) for key, value in numbers}} if call else {}
        return whole

    me = mcp_types.Implementation(name=name, version="1")
    assert run(tmp_path, [*SPILL, "mcp", "serve"], era, talk, me) == text


@pytest.mark.parametrize("era", ERAS)
def test_the_server_reads_tasks_and_hand_offs_where_it_is_asked_to(tmp_path: Path, era: str) -> None:
    for words in (
        ["add", "Fix the login"],
        ["add", "Write docs"],
        ["handoff", "write", "--phase", "1", "--goal", "ship"],
    ):
        subprocess.run([*SPILL, *words, "--root", str(tmp_path)], check=True, capture_output=True)

    async def talk(made: Client) -> None:
        listed = text_of(await made.call_tool("list_tasks", {"limit": 1}))
        assert json.loads(listed)["title"] == "Fix the login"
        assert "Write docs" in text_of(await made.call_tool("find_tasks", {"query": "docs"}))
        assert json.loads(text_of(await made.call_tool("show_task", {"id": "T2"})))["status"] == "pending"
        assert (await made.call_tool("show_task", {"id": "T99"})).is_error
        assert (await made.call_tool("list_tasks", {"status": "nonsense"})).is_error
        assert "ship" in text_of(await made.call_tool("get_phase_context", {"phase": 2}))

    run(tmp_path, [*SPILL, "mcp", "serve", "--tasks", "--handoffs"], era, talk)


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_finds_takes_and_finishes_tasks_through_the_server(tmp_path: Path, era: str) -> None:
    async def call(made: Client, tool: str, **arguments: object) -> dict[str, Any]:
        result = await made.call_tool(tool, arguments)
        assert not result.is_error, text_of(result)
        said: dict[str, Any] = json.loads(text_of(result))
        return said

    async def talk(made: Client) -> None:
        tools = {tool.name: tool for tool in (await made.list_tools()).tools}
        writing = {"claim_task", "update_task", "add_task"}
        assert {"list_tasks", "ready_tasks", "find_tasks", "show_task", *writing} <= set(tools)
        for name, tool in tools.items():
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is (name not in writing)
        first = await call(
            made, "add_task", title="Fix the login", labels=["auth"], notes=["seen twice"], **{"as": "ann"}
        )
        second = await call(made, "add_task", title="Ship it", depends=[first["id"]], priority="high")
        assert (first["id"], second["status"], first["noted"][0]["by"]) == ("T1", "blocked", "ann")
        ready = await made.call_tool("ready_tasks", {})
        assert [json.loads(line)["id"] for line in text_of(ready).splitlines()] == ["T1"]
        taken = await call(made, "claim_task", minutes=30, **{"as": "ann"})
        assert (taken["id"], taken["assignee"]) == ("T1", "ann")
        for wrong, arguments in (
            ("claim_task", {"as": "bob"}), ("claim_task", {"as": "bob", "id": "T1"}), ("claim_task", {"id": "T2"}),
            ("update_task", {"id": "T1", "status": "done", "as": "bob"}), ("update_task", {"id": "T1"}),
            ("update_task", {"id": "T9", "notes": ["x"]}), ("add_task", {"title": ""}), ("claim_task", {"minutes": 0}),
            ("list_tasks", {"as_of": "x"}), ("update_task", {"id": "T1", "add_labels": [1]}),
        ):  # fmt: skip
            refused = await made.call_tool(wrong, arguments)
            assert refused.is_error, (wrong, arguments)
        done = await call(
            made, "update_task", id="T1", status="done", reason="merged", add_labels=["shipped"], **{"as": "ann"}
        )
        assert (done["status"], done["reason"], done["labels"]) == ("done", "merged", ["auth", "shipped"])
        assert (await call(made, "show_task", id="T2"))["status"] == "pending"
        page = await made.call_tool("list_tasks", {"limit": 1})
        assert json.loads(text_of(page))["id"] == "T2"
        note = page.content[1]
        assert isinstance(note, mcp_types.TextContent)
        at = re.search(r'as_of="([^"]+)"', note.text)
        assert at is not None
        rest = await made.call_tool("list_tasks", {"as_of": at[1]})
        assert json.loads(text_of(rest))["id"] == "T1"

    run(tmp_path, [*SPILL, "mcp", "serve", "--tasks"], era, talk)


def test_over_http_it_wants_the_token_and_no_strangers(tmp_path: Path) -> None:
    import http.client

    environ = {**os.environ, "OVERSPILL_ROOT": str(tmp_path), "OVERSPILL_MCP_TOKEN": "a token for the test"}
    command = [*SPILL, "mcp", "serve", "--http"]
    server = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        address = server.stderr.readline().split()[-1]
        port = int(address.split(":")[2].split("/")[0])

        def status(**headers: str) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
            connection.request("POST", "/mcp", body, {name.replace("_", "-"): word for name, word in headers.items()})
            with connection.getresponse() as response:
                connection.close()
                return response.status

        good = {"Authorization": "Bearer a token for the test"}
        assert status(**good) == 200
        assert status() == 401
        assert status(Authorization="Bearer guess") == 401
        assert status(**good, Origin="https://evil.example") == 403
        assert status(**good, Host="evil.example") == 403
        asyncio.run(spoken_over_http(address, good))
    finally:
        ended(server)


async def spoken_over_http(address: str, headers: dict[str, str]) -> None:
    import httpx2

    for era in ERAS:
        async with (
            asyncio.timeout(30),
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(address, http_client=http), mode=era) as made,
        ):
            assert len((await made.list_tools()).tools) == 3


@pytest.mark.parametrize("era", ERAS)
def test_a_server_on_http_stands_behind_the_proxy(tmp_path: Path, era: str) -> None:
    code = (
        f"import socket, sys; sys.path.insert(0, {str(KITS)!r}); from mcp_upstream import server;"
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); port = s.getsockname()[1]; s.close();"
        "print(port, flush=True); server.run('streamable-http', host='127.0.0.1', port=port)"
    )
    upstream = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert upstream.stdout is not None
        port = int(upstream.stdout.readline())
        wait_for(port)

        async def talk(made: Client) -> None:
            assert text_of(await made.call_tool("echo", {"word": "hi"})) == "hi"
            assert len(text_of(await made.call_tool("lines", {"count": 20_000}))) <= 8_000
            assert "get_artifact" in [tool.name for tool in (await made.list_tools()).tools]

        run(tmp_path, [*SPILL, "mcp", "proxy", "--url", f"http://127.0.0.1:{port}/mcp"], era, talk)
    finally:
        ended(upstream)


def ended(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.communicate(timeout=60)


def wait_for(port: int) -> None:
    import socket

    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("nobody listens")


HOSTILE = """
import json, sys
def say(text):
    sys.stdout.write(text); sys.stdout.flush()
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}
        result = {"protocolVersion": "2025-06-18", **about}
        say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\\n")
    elif message.get("method") == "tools/call":
        name, number = message["params"]["name"], message["id"]
        good = json.dumps({"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": "fine"}]}})
        if name == "huge":
            say('{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' % json.dumps(number))
            for _ in range(100):
                say("x" * 1_048_576)
            say('"}]}}\\n')
        elif name == "garbage":
            say("Debugger listening\\n\\n\\0\\0\\n" + good + "\\nmore of it\\n")
        elif name == "twice":
            say(good + "\\n" + good + "\\n")
        elif name == "half":
            say(good[:40]); sys.exit(0)
        else:
            say(good + "\\n")
"""


def test_a_hostile_server_neither_stops_the_proxy_nor_fills_its_memory(tmp_path: Path) -> None:
    script = tmp_path / "hostile.py"
    script.write_text(HOSTILE)
    command = [*SPILL, "mcp", "proxy", "--", sys.executable, str(script)]
    environ = {**os.environ, "OVERSPILL_ROOT": str(tmp_path)}
    proxy = subprocess.Popen(
        command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert proxy.stdin is not None
    assert proxy.stdout is not None

    def ask(identity: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert proxy.stdin is not None
        assert proxy.stdout is not None
        proxy.stdin.write(
            json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}).encode() + b"\n"
        )
        proxy.stdin.flush()
        answer: dict[str, Any] = json.loads(proxy.stdout.readline())
        assert answer["id"] == identity
        return answer

    assert ask(0, "initialize", {"protocolVersion": "2025-06-18"})["result"]
    assert "100 MB" in ask(1, "tools/call", {"name": "huge"})["error"]["message"]
    assert ask(2, "tools/call", {"name": "garbage"})["result"]["content"][0]["text"] == "fine"
    assert ask(3, "tools/call", {"name": "twice"})["result"]
    assert json.loads(proxy.stdout.readline())["id"] == 3
    peak = next(
        int(line.split()[1]) // 1024
        for line in Path(f"/proc/{proxy.pid}/status").read_text(encoding="ascii").splitlines()
        if line.startswith("VmHWM")
    )
    assert peak < 300
    assert "cannot be read" in ask(4, "tools/call", {"name": "half"})["error"]["message"]
    assert "behind this proxy" in ask(5, "tools/call", {"name": "fine"})["error"]["message"]
    proxy.stdin.close()
    assert proxy.wait(60) == 0
    proxy.stdout.close()


def test_the_server_is_ready_at_once(tmp_path: Path) -> None:
    """Clients that find a server still connecting do without it."""
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}}) + "\n"
    command = [*SPILL, "mcp", "serve", "--root", str(tmp_path)]
    for _ in range(20):  # far more than it takes, with far more time than it takes: machines that test are busy
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare = time.perf_counter() - started
        done = subprocess.run(command, input=request, capture_output=True, text=True, timeout=60, check=True)
        took = time.perf_counter() - started - bare
        assert json.loads(done.stdout)["result"]["supportedVersions"]
        if took < max(1.0, 20 * bare):
            return
    raise AssertionError(f"{took:.2f} s, where a bare start takes {bare:.2f} s")
