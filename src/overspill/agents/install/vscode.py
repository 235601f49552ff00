"""VS Code, its Local agent: a file of hooks and a list of MCP servers, as its documentation has them."""

from __future__ import annotations

import sys

from overspill.agents.install.agent import SECONDS, Agent, Around, Target, hook_elements, server_entry

HOOKS = {
    "SessionStart": ("", "the model is told how to run commands that may print much"),
    "PreToolUse": ("", "marks of what was left out or hidden are never written into files"),
    "PreCompact": ("", "the journal is told when the context is compacted"),
}
NAME = "overspill-vscode.json"  # beside the one of Copilot CLI, which has events of other names
LIMITS = (
    "What tools say no hook may replace: the model is asked to run what prints much as `spill run -- COMMAND`, and\n"
    "MCP servers are fitted behind the proxy. These hooks are for sessions of the target Local; others have theirs:\n"
    "`spill init copilot`, `claude-code`, `codex`."
)


def targets(around: Around) -> tuple[Target, ...]:
    command = around.line("hook", "vscode")
    hooks = hook_elements("vscode", HOOKS, type="command", command=command, timeout=SECONDS)
    servers = (server_entry(("servers",), around, type="stdio"),)
    if around.is_global:
        return (
            Target(around.at_home(".copilot", "hooks", NAME), hooks),
            Target(_profile_path(around), servers),
        )
    return (
        Target(around.in_project(".github", "hooks", NAME), hooks),
        Target(around.in_project(".vscode", "mcp.json"), servers),
    )


def _profile_path(around: Around) -> str:
    """The servers of the user's default profile."""
    names = ("Code", "User", "mcp.json")
    if sys.platform == "darwin":
        return around.at_home("Library", "Application Support", *names)
    return around.at_home(".config", *names, variable="XDG_CONFIG_HOME")


def notes(around: Around) -> tuple[str, ...]:
    trust = () if around.is_global else ("VS Code runs a workspace's hooks and servers where you trust it.",)
    return (LIMITS, *trust)


AGENT = Agent("vscode", "VS Code", targets, notes, is_tried=False)
