"""Copilot CLI: a file of hooks and a list of MCP servers, of the repository or of the user."""

from __future__ import annotations

from overspill.agents.install.agent import SECONDS, Agent, Around, Target, hook_elements, server_entry

HOOKS = {
    "preToolUse": ("create|edit|apply_patch", "marks of what was left out or hidden are never written into files"),
    "postToolUse": ("", "long results are fitted before the model sees them, also of commands that fail"),
    "preCompact": ("", "the journal is told when the context is compacted"),
}
TRUST = (
    "Copilot CLI runs a repository's hooks and servers in folders that you trust; with -p in a folder that it does\n"
    "not know, it runs none. `spill init copilot --global` works everywhere."
)
ON_GITHUB = (
    "Copilot's agent on GitHub reads .github/hooks, too, and has no `spill`: keep the file out of the repository,\n"
    "or install overspill there."
)
BASE = '{\n  "version": 1\n}\n'


def targets(around: Around) -> tuple[Target, ...]:
    line = around.asking_line("copilot")
    hooks = hook_elements("copilot", HOOKS, type="command", bash=line, timeoutSec=SECONDS)
    servers = (server_entry(("mcpServers",), around, type="local", tools=["*"]),)
    if around.is_global:
        return (
            Target(around.at_home(".copilot", "hooks", "overspill.json", variable="COPILOT_HOME"), hooks, base=BASE),
            Target(around.at_home(".copilot", "mcp-config.json", variable="COPILOT_HOME"), servers),
        )
    return (
        Target(around.in_project(".github", "hooks", "overspill.json"), hooks, base=BASE),
        Target(around.in_project(".github", "mcp.json"), servers),
    )


def notes(around: Around) -> tuple[str, ...]:
    if around.is_global:
        return ()
    return (TRUST, ON_GITHUB)


AGENT = Agent("copilot", "Copilot CLI", targets, notes)
