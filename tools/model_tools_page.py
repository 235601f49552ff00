"""The reference of the tools that models are offered, made of the tables they are called by."""

from collections.abc import Iterator, Mapping

from overspill import MemoryStore, Overspill
from overspill.mcp import handoff_tools
from overspill.mcp.server import task_tools
from overspill.retrieve.tools import TOOLS, Tool

INTRODUCTION = """\
# Tools of a model

Made from the code by `make docs`; do not edit.

A model that was shown a part of a result fetches the rest with these. `spill mcp serve` and `spill mcp proxy` offer
them over the [Model Context Protocol](mcp.md); in Python [`artifact_tools()`](api.md#overspillartifact_tools) returns
the first three as functions, and the [adapters](frameworks/README.md) hand those to a framework.

An answer is the content and nothing else. Beside it stands a note: which part this is, of how much, and the exact call
for the next page. A call that fails is an answer, too, and says what to do instead."""


def model_tools_page() -> str:
    """The whole page."""
    spill = Overspill(store=MemoryStore())  # descriptions are asked for, and nothing is called
    groups = (
        ("What was kept", "Always there.", TOOLS),
        ("Tasks", "With `spill mcp serve --tasks`: the [tasks](tasks.md) below the root.", task_tools(spill)),
        ("Hand-offs", "With `spill mcp serve --handoffs`: what [phases](handoffs.md) left.", handoff_tools(spill)),
    )
    parts = [INTRODUCTION]
    for title, words, tools in groups:
        parts += ["", f"## {title}", "", words, *(line for tool in tools for line in _tool(tool))]
    return "\n".join(parts) + "\n"


def _tool(tool: Tool) -> Iterator[str]:
    yield from ("", f"### {tool.name}", "", tool.description, *(["", "It changes something."] if tool.writes else []))
    properties, required = tool.parameters["properties"], tool.parameters["required"]
    assert isinstance(properties, Mapping)
    assert isinstance(required, list)
    yield from ("", "| argument | type | what it is |", "|---|---|---|")
    for name, said in properties.items():
        kind = "list of texts" if said["type"] == "array" else said["type"]
        must = " Required." if name in required else ""
        yield f"| `{name}` | {kind} | {said['description']}{must} |".replace("||", "\\|\\|")
