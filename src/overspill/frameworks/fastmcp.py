"""FastMCP servers: a middleware that fits what their tools say, and offers the tools that fetch the rest.

    from fastmcp import FastMCP
    from overspill import Overspill
    from overspill.frameworks.fastmcp import OverspillMiddleware

    server = FastMCP("mine")
    server.add_middleware(OverspillMiddleware(Overspill(preset="agent")))

Texts are fitted, structured content gets smaller and stays valid by the tool's output schema, images, metadata and
`isError` stay. What asks for input, and tasks, go by untouched. Whoever can call a tool of the server can read what
was kept of any: where clients must not see each other's results, hand in a function that finds the `Overspill` of a
client, `OverspillMiddleware(lambda context: of_client[...])`, and add it after the middleware that checks who calls.
"""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from overspill.decorator import shared_overspill
from overspill.fit.functions import bounded_error
from overspill.frameworks import BY_NAME, require_extra
from overspill.frameworks.results import in_thread, rules_of_tool
from overspill.mcp import PREFIX, Toolbox
from overspill.mcp.results import CallInfo, limited_result

if TYPE_CHECKING:
    from overspill.api import Overspill

with require_extra("fastmcp"):
    from fastmcp.exceptions import NotFoundError, ToolError
    from fastmcp.server.middleware import Middleware
    from fastmcp.tools import Tool, ToolResult
    from mcp.types import TextContent, ToolAnnotations


class OverspillMiddleware(Middleware):
    """Fits every result of every tool, or of `tools`, to `budget` characters or what the settings say."""

    def __init__(
        self,
        spill: "Overspill | Callable[[Any], Overspill] | None" = None,
        *,
        budget: int | None = None,
        tools: Sequence[str] | None = None,
    ) -> None:
        self._spill = spill
        self._budget = budget
        self._tools = None if tools is None else frozenset(tools)
        self._boxes: WeakKeyDictionary[Overspill, Toolbox] = WeakKeyDictionary()
        self._noted: WeakKeyDictionary[Overspill, set[str]] = WeakKeyDictionary()

    async def on_list_tools(self, context: Any, call_next: Callable[[Any], Any]) -> list[Tool]:
        """The server's tools and ours, which go by other names where the server has tools of theirs."""
        tools = list(await call_next(context))
        box = self._box(self._spill_of(context))
        box.rename_colliding({tool.name for tool in tools})
        return [*tools, *map(_described, box.descriptions())]

    async def on_call_tool(self, context: Any, call_next: Callable[[Any], Any]) -> Any:
        """What the tool gave, fitted; or what we know, if it is a tool of ours."""
        spill, name = self._spill_of(context), context.message.name
        if name.removeprefix(PREFIX) in BY_NAME and await _tool_of(context) is None:
            return await self._answered(spill, name, context.message.arguments)
        if self._tools is not None and name not in self._tools:
            return await call_next(context)
        try:
            result = await call_next(context)
        except Exception as error:
            said = error
            told = await in_thread(lambda: bounded_error(said, spill, name, self._budget))
            if told is error:
                raise
            raise ToolError(str(told)) from None
        if not isinstance(result, ToolResult) or getattr(result, "input_required", None) is not None:
            return result
        noted = self._noted.setdefault(spill, set())
        tool = await _tool_of(context) if name not in noted else None
        if name not in noted:
            spill.workspace.note_tool(name, rules_of_tool(tool))
            noted.add(name)
        if tool is None and self._changes(spill, name, result.structured_content):
            tool = await _tool_of(context)
        asked = CallInfo(name, self._budget, schema=getattr(tool, "output_schema", None))
        limited = await in_thread(lambda: limited_result(spill, _as_json(result), asked))
        return result if limited is None else _rebuilt(result, limited)

    def _changes(self, spill: "Overspill", name: str, structured: Any) -> bool:
        """Whether a structured half cannot stay as it is. Only then its schema is looked up: a proxy asks for it."""
        if structured is None:
            return False
        text = json.dumps(structured, ensure_ascii=False)
        room = self._budget or spill.workspace.policy(name).inline.ceiling
        return (room is not None and len(text) > room) or spill.workspace.redacted_text(text) != text

    async def _answered(self, spill: "Overspill", name: str, arguments: Any) -> ToolResult:
        box = self._box(spill)
        if not box.has(name):  # nobody has asked for the list yet, from which it goes by this name
            box.rename_colliding({name.removeprefix(PREFIX)} if name.startswith(PREFIX) else ())
        answer: Any = await in_thread(lambda: box.call(name, {"arguments": arguments}))
        content = [TextContent(**block) for block in answer["content"]]
        return _result(content, is_error=answer["isError"])

    def _spill_of(self, context: Any) -> "Overspill":
        return self._spill(context) if callable(self._spill) else self._spill or shared_overspill()

    def _box(self, spill: "Overspill") -> Toolbox:
        return self._boxes.setdefault(spill, Toolbox(spill))


async def _tool_of(context: Any) -> Any:
    """The server's own tool that is called; None if no tool of its own has that name."""
    try:
        return await context.fastmcp_context.fastmcp.get_tool(context.message.name)
    except NotFoundError:
        return None


def _described(tool: Any) -> Tool:
    return Tool(
        name=tool["name"],
        description=tool["description"],
        parameters=tool["inputSchema"],
        annotations=ToolAnnotations(**tool["annotations"]),
        meta=tool["_meta"],
    )


def _as_json(result: ToolResult) -> Any:
    """What is looked at of a result: its texts and its structured half. Images are not copied about."""
    half = {} if result.structured_content is None else {"structuredContent": result.structured_content}
    is_error = getattr(result, "is_error", False)
    return {"content": [_block(block) for block in result.content], "isError": is_error, **half}


def _block(block: Any) -> Any:
    if block.type == "resource" and isinstance(getattr(block.resource, "text", None), str):
        return {"type": "resource", "resource": {"text": block.resource.text}}
    return {"type": block.type, "text": block.text} if block.type == "text" else {"type": block.type}


def _rebuilt(result: ToolResult, limited: Any) -> ToolResult:
    """The result with other texts in the places of its own, and what is to be said beside it at the end."""
    pairs = zip(result.content, limited["content"], strict=False)
    content = [_with_text(block, seen) for block, seen in pairs]
    content += [TextContent(**block) for block in limited["content"][len(content) :]]
    half, is_error = limited.get("structuredContent"), bool(limited["isError"])
    return _result(content, half, result.meta, is_error=is_error)


def _with_text(block: Any, seen: Any) -> Any:
    if block.type == "resource" and "resource" in seen:
        inside = block.resource.model_copy(update={"text": seen["resource"]["text"]})
        return block.model_copy(update={"resource": inside})
    return block.model_copy(update={"text": seen["text"]}) if "text" in seen else block


def _result(content: list[Any], half: Any = None, meta: Any = None, *, is_error: bool = False) -> ToolResult:
    if not is_error:
        return ToolResult(content=content, structured_content=half, meta=meta)
    if "is_error" in ToolResult.model_fields:
        return ToolResult(content=content, structured_content=half, meta=meta, is_error=True)
    # Releases before 4 have no other way to say so.
    raise ToolError("\n".join(block.text for block in content if block.type == "text"))
