"""Codex: `hooks.json` and `config.toml`, of a project or of the user."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.agents.install.agent import SECONDS, Agent, Around, Target, hook_groups, server_entry

if TYPE_CHECKING:
    from overspill.agents.install.entries import SettingsEntry

HOOKS = {
    "PreToolUse": (
        "^(Bash|apply_patch)$",
        "what shell commands print is fitted, also when they fail; marks of ours are never written into files",
    ),
    "PostToolUse": (
        "^(Bash|mcp__.*|(read|list)_mcp_resource.*)$",
        "what could not be fitted before, and what MCP servers say, is fitted after",
    ),
    "SessionStart": ("^compact$", "after a compaction the model is told what is kept"),
}


def targets(around: Around) -> tuple[Target, ...]:
    line = around.sourcing_line("codex")
    return (
        Target(_codex_path(around, "hooks.json"), hook_groups(around, "codex", HOOKS, line, timeout=SECONDS)),
        Target(_codex_path(around, "config.toml"), (_server(around),), "toml", ""),
    )


def _server(around: Around) -> SettingsEntry:
    # Codex writes below our table which of its tools need not be asked about.
    return server_entry(("mcp_servers",), around, agent_keys=("tools",))


def _codex_path(around: Around, name: str) -> str:
    if around.is_global:
        return around.at_home(".codex", name, variable="CODEX_HOME")
    return around.in_project(".codex", name)


def notes(around: Around) -> tuple[str, ...]:
    review = "Codex runs a hook once you have reviewed it: start codex, type /hooks, and trust all of ours."
    if around.is_global:
        return (review,)
    return (review, "Codex reads a project's .codex/ once you have said that you trust the project.")


AGENT = Agent("codex", "Codex", targets, notes)
