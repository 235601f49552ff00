"""Cursor: `.cursor/hooks.json` and `.cursor/mcp.json`, of a project or of the user, as its documentation has them."""

from __future__ import annotations

from overspill.agents.install.agent import SECONDS, Agent, Around, Target, hook_elements, server_entry

HOOKS = {
    "sessionStart": ("", "the model is told how to run commands that may print much"),
    "preToolUse": ("Write", "marks of what was left out or hidden are never written into files"),
    "postToolUse": ("^MCP:", "long results of MCP tools are fitted before the model sees them"),
    "preCompact": ("", "the journal is told when the context is compacted"),
}
BASE = '{\n  "version": 1\n}\n'
LIMITS = (
    "What commands and Cursor's own tools say no hook may replace: the model is asked to run what prints much as\n"
    "`spill run -- COMMAND`."
)


def targets(around: Around) -> tuple[Target, ...]:
    folder = around.at_home(".cursor") if around.is_global else around.in_project(".cursor")
    hooks = hook_elements("cursor", HOOKS, command=around.line("hook", "cursor"), timeout=SECONDS)
    return (
        Target(f"{folder}/hooks.json", hooks, base=BASE),
        Target(f"{folder}/mcp.json", (server_entry(("mcpServers",), around),)),
    )


def notes(around: Around) -> tuple[str, ...]:
    trust = () if around.is_global else ("Cursor runs a project's hooks in workspaces that you trust.",)
    return (LIMITS, *trust)


AGENT = Agent("cursor", "Cursor", targets, notes, is_tried=False)
