"""What is promised of Anthropic's tool runner alone."""

import asyncio
from types import ModuleType
from typing import Any

from anthropic import beta_async_tool, beta_tool
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from scripted import Script, call

from frameworks.contract import LIMIT, SECRET, build_log
from frameworks.shared import clears_old_results
from overspill import MemoryStore, Overspill
from overspill.frameworks.anthropic import fitted, fitted_tools

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA" * 50_000}}


def spill() -> Overspill:
    return Overspill(store=MemoryStore(), preset="agent")


def texts_among_blocks_share_the_room_and_images_stay(_: ModuleType) -> None:
    source = {"type": "text", "media_type": "text/plain", "data": build_log()}

    @beta_tool
    def look() -> Any:
        """Look."""
        found = {"type": "search_result", "title": "t", "source": "s", "content": [{"type": "text", "text": "short"}]}
        yield from ({"type": "text", "text": build_log()}, IMAGE, found, {"type": "document", "source": source})

    shown: Any = fitted(look, spill=spill()).call({})
    assert [block["type"] for block in shown] == ["text", "image", "search_result", "document"]
    assert shown[1] is IMAGE
    assert shown[2]["content"][0]["text"] == "short"
    assert "art_" in shown[0]["text"]
    assert "art_" in shown[3]["source"]["data"]
    assert len(shown[0]["text"]) + len(shown[3]["source"]["data"]) <= LIMIT


def what_a_tool_error_says_is_fitted_too(_: ModuleType) -> None:
    @beta_tool
    def refuse() -> str:
        """Refuse."""
        raise ToolError([{"type": "text", "text": f"{SECRET} " + "no " * 50_000}])

    @beta_tool
    def refuse_shortly() -> str:
        """Refuse."""
        raise ToolError("no")

    said = raised(fitted(refuse, spill=spill()))
    assert isinstance(said, ToolError)
    (block,) = said.content
    assert SECRET not in str(block)
    assert len(str(block)) <= LIMIT * 1.1
    assert str(raised(fitted(refuse_shortly, spill=spill()))) == "no"


def raised(tool: Any) -> Exception:
    try:
        tool.call({})
    except Exception as error:  # noqa: BLE001  # it is what is asked for
        return error
    raise AssertionError("nothing was raised")


def the_decorator_works_above_and_below(example: ModuleType) -> None:
    kept = spill()

    @fitted(spill=kept)
    @beta_tool
    def above(lines: int) -> str:
        """Above."""
        return build_log()[: lines * 100]

    @beta_tool
    @fitted(spill=kept)
    def below(lines: int) -> str:
        """Below."""
        return build_log()[: lines * 100]

    for tool in (above, below):
        assert tool.to_dict()["input_schema"]["required"] == ["lines"], tool.to_dict()
        assert len(str(tool.call({"lines": 900}))) <= LIMIT
        assert tool.call({"lines": 1}) == build_log()[:100]
    client = example.client_of(Script([call("above", lines=900), call("below", lines=900)], "done"))
    runner = client.beta.messages.tool_runner(**example.ASKED, tools=[above, below])
    assert [message.stop_reason for message in runner] == ["tool_use", "end_turn"]


def what_is_no_tool_of_ours_goes_by(_: ModuleType) -> None:
    server: Any = {"type": "web_search_20250305", "name": "web_search"}
    tools = fitted_tools([server], spill())
    assert tools[0] is server
    assert [tool.name for tool in tools[1:]] == ["get_artifact", "search_artifacts", "list_artifacts"]


def builtin_tools_are_fitted(_: ModuleType) -> None:
    class Memory(BetaAbstractMemoryTool):
        def view(self, command: Any) -> str:
            return build_log()

        create = str_replace = insert = delete = rename = view

    tool = fitted(Memory(), spill=spill())
    assert tool.name == "memory"
    assert len(str(tool.call({"command": "view", "path": "/memories"}))) <= LIMIT


def cancelling_goes_by(_: ModuleType) -> None:
    @beta_async_tool
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(60)
        return ""

    async def main() -> None:
        task = asyncio.create_task(fitted(wait, spill=spill()).call({}))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        return
    raise AssertionError("it was not cancelled")


def old_results_go_from_what_is_sent(example: ModuleType) -> None:
    async def run_later(tools: list[Any], script: Script, spill: Overspill, clear: Any) -> Any:
        async def numbered_log(number: int) -> str:
            """Return the log with this number."""
            return str(await asyncio.to_thread(tools[0], number))

        made = [beta_async_tool(numbered_log)]
        return [one async for one in example.long_run_of(example.async_client_of(script), made, spill, clear)]

    clears_old_results(example.run_long)
    clears_old_results(lambda *given: asyncio.run(run_later(*given)))


PROMISES = [
    texts_among_blocks_share_the_room_and_images_stay,
    what_a_tool_error_says_is_fitted_too,
    the_decorator_works_above_and_below,
    what_is_no_tool_of_ours_goes_by,
    builtin_tools_are_fitted,
    cancelling_goes_by,
    old_results_go_from_what_is_sent,
]
