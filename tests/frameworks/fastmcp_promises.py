"""What is promised of FastMCP alone."""

import asyncio
import json
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Annotated, Any

import jsonschema
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from mcp.types import CallToolResult, ImageContent, TextContent
from pydantic import BaseModel, Field

from frameworks.contract import LIMIT, SECRET, build_log, fetch_records
from overspill import MemoryStore, Overspill
from overspill.frameworks.fastmcp import OverspillMiddleware

HAS_ERRORS = "is_error" in ToolResult.model_fields


def spill() -> Overspill:
    return Overspill(store=MemoryStore(), preset="agent")


def served(*tools: Callable[..., Any], of: Any = None, **options: Any) -> FastMCP:
    server: FastMCP = FastMCP("served", middleware=[OverspillMiddleware(of or spill(), **options)])
    for tool in tools:
        server.tool(tool)
    return server


async def said(server: FastMCP, name: str, **arguments: Any) -> Any:
    async with Client(server) as client:
        return await client.call_tool(name, arguments, raise_on_error=False)


def called(server: FastMCP, name: str, **arguments: Any) -> Any:
    return asyncio.run(said(server, name, **arguments))


def images_and_metadata_stay(_: ModuleType) -> None:
    picture = ImageContent.model_validate({"type": "image", "data": "AA" * 50_000, "mimeType": "image/png"})

    def look() -> ToolResult:
        """Look."""
        texts = [TextContent(type="text", text=build_log()) for _ in range(2)]
        return ToolResult(content=[texts[0], picture, texts[1]], meta={"of": "it"})

    result = called(served(look), "look")
    first, middle, last, *_ = result.content
    assert middle.data == picture.data
    assert len(first.text) + len(last.text) <= LIMIT
    assert result.meta["of"] == "it"


def a_result_of_the_protocol_itself_is_fitted_too(_: ModuleType) -> None:
    def passed_on() -> CallToolResult:
        """Pass on what another server said."""
        return CallToolResult(content=[TextContent(type="text", text=build_log())])

    result = called(served(passed_on), "passed_on")
    assert sum(len(block.text) for block in result.content) <= LIMIT * 1.1
    assert SECRET not in repr(result)


def both_halves_fit_and_stay_valid(_: ModuleType) -> None:
    server = served(build_log, fetch_records)

    async def schemas() -> dict[str, Any]:
        async with Client(server) as client:
            tools = await client.list_tools()
        return {one.name: getattr(one, "output_schema", None) or getattr(one, "outputSchema", None) for one in tools}

    known = asyncio.run(schemas())
    for name in ("build_log", "fetch_records"):
        result = called(server, name)
        jsonschema.validate(result.structured_content, known[name])
        assert len(json.dumps(result.structured_content, ensure_ascii=False)) <= LIMIT * 1.1
        assert sum(len(block.text) for block in result.content) <= LIMIT * 1.1
        assert "art_" in str(result.structured_content)
        assert "art_" in result.content[0].text
        assert SECRET not in repr(result)
    assert json.loads(called(server, "fetch_records").content[0].text)["total"] == 24_000


class Key(BaseModel):
    """What a schema says of a text, a shorter one may break."""

    data: Annotated[str, Field(pattern="^[a-z]+$")]
    note: str = "n"


def what_the_schema_forbids_to_cut_is_not_cut(_: ModuleType) -> None:
    def short_keys() -> list[Key]:
        """Keys with long notes."""
        return [Key(data="abcdefghij" * 4, note="x" * 5_000)] * 20

    def long_key() -> Key:
        """A long key."""
        return Key(data="a" * 30_000)

    result = called(served(short_keys), "short_keys")
    assert not result.is_error
    assert all(key["data"] == "abcdefghij" * 4 for key in result.structured_content["result"])
    assert len(str(result.structured_content)) <= LIMIT
    result = called(served(long_key), "long_key")
    assert result.is_error
    assert result.structured_content is None
    assert "art_" in result.content[0].text


def an_error_stays_one(_: ModuleType) -> None:
    def refuse() -> ToolResult:
        """Refuse."""
        if HAS_ERRORS:
            return ToolResult(content=[TextContent(type="text", text=build_log())], is_error=True)
        raise ToolError(build_log())

    result = called(served(refuse), "refuse")
    assert result.is_error
    assert "art_" in result.content[0].text
    assert len(result.content[0].text) <= LIMIT


def a_server_that_has_such_a_tool_keeps_it(_: ModuleType) -> None:
    def get_artifact(id: str) -> str:  # noqa: A002  # as ours has it
        """The server's own."""
        return f"mine: {id}"

    server = served(get_artifact, build_log)
    assert called(server, "get_artifact", id="7").content[0].text == "mine: 7"

    async def listed() -> list[str]:
        async with Client(server) as client:
            return [tool.name for tool in await client.list_tools()]

    names = asyncio.run(listed())
    assert names.count("get_artifact") == 1
    assert "overspill_get_artifact" in names
    view = called(server, "build_log").content[0].text
    assert "overspill_get_artifact(" in view
    kept = view.split('"')[1]
    assert "[00005]" in called(server, "overspill_get_artifact", id=kept, start_line=6, end_line=6).content[0].text


def clients_can_have_a_store_each(_: ModuleType) -> None:
    of_client = {"a": spill(), "b": spill()}
    who = ["a"]
    server = served(build_log, of=lambda _: of_client[who[0]])
    kept = called(server, "build_log").content[0].text.split('get_artifact(id="')[1].split('"')[0]
    assert not called(server, "get_artifact", id=kept, end_line=1).is_error
    who[0] = "b"
    assert called(server, "get_artifact", id=kept, end_line=1).is_error
    assert "art_" not in called(server, "list_artifacts").content[0].text


def only_the_tools_that_are_named_are_fitted(_: ModuleType) -> None:
    server = served(build_log, fetch_records, tools=["fetch_records"])
    assert len(called(server, "build_log").content[0].text) > 180_000
    assert len(called(server, "fetch_records").content[0].text) <= LIMIT


def what_asks_for_input_and_tasks_go_by(_: ModuleType) -> None:
    async def through(result: Any) -> Any:
        async def call_next(_: Any) -> Any:
            return result

        context = SimpleNamespace(message=SimpleNamespace(name="x", arguments={}))
        return await OverspillMiddleware(spill()).on_call_tool(context, call_next)

    task = SimpleNamespace(task="x" * 20_000)
    assert asyncio.run(through(task)) is task
    if HAS_ERRORS:
        from fastmcp.tools import InputRequiredToolResult

        asking = InputRequiredToolResult.model_construct(content=[], input_required=SimpleNamespace())
        assert asyncio.run(through(asking)) is asking


def cancelling_goes_by(_: ModuleType) -> None:
    async def main() -> None:
        async def call_next(_: Any) -> Any:
            raise asyncio.CancelledError

        context = SimpleNamespace(message=SimpleNamespace(name="x", arguments={}))
        await OverspillMiddleware(spill()).on_call_tool(context, call_next)

    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        return
    raise AssertionError("it was not cancelled")


PROMISES = [
    images_and_metadata_stay,
    a_result_of_the_protocol_itself_is_fitted_too,
    both_halves_fit_and_stay_valid,
    what_the_schema_forbids_to_cut_is_not_cut,
    an_error_stays_one,
    a_server_that_has_such_a_tool_keeps_it,
    clients_can_have_a_store_each,
    only_the_tools_that_are_named_are_fitted,
    what_asks_for_input_and_tasks_go_by,
    cancelling_goes_by,
]
