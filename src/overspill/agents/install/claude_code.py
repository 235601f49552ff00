"""Claude Code: `.claude/settings.json` and `.mcp.json` of a project, or those of the user."""

from __future__ import annotations

from overspill.agents.install.agent import (
    OFFERED,
    SECONDS,
    SERVER,
    Agent,
    Around,
    Target,
    hook_groups,
    server_entry,
    words_of,
)
from overspill.agents.install.entries import SettingsEntry

TOOLS = "Bash|Read|Grep|Glob|WebFetch|WebSearch|Task|Agent|BashOutput|TaskOutput|(Read|List)McpResource.*|mcp__.*"
WRITING = "Write|Edit|MultiEdit|NotebookEdit"
HOOKS = {
    "SessionStart": ("", "from here on what shell commands print is fitted, also when they fail"),
    "PreToolUse": (WRITING, "marks of what was left out or hidden are never written into files"),
    "PostToolUse": (TOOLS, "long results of other tools are fitted before the model sees them"),
    "SessionEnd": ("", "the session's artifacts are kept for a day, then they go"),
}
HOME = "CLAUDE_CONFIG_DIR"


def targets(around: Around) -> tuple[Target, ...]:
    hooks = hook_groups(around, "claude-code", HOOKS, around.asking_line("claude-code"), timeout=SECONDS)
    if around.is_global:
        return (
            Target(around.at_home(".claude", "settings.json", variable=HOME), (*hooks, status_line(around), *ALLOWED)),
            Target(_user_file(around), (server_entry(("mcpServers",), around, type="stdio"),)),
        )
    return (
        Target(around.in_project(".claude", "settings.json"), (*hooks, status_line(around), APPROVED, *ALLOWED)),
        Target(around.in_project(".mcp.json"), (server_entry(("mcpServers",), around, type="stdio"),)),
    )


def status_line(around: Around) -> SettingsEntry:
    """One line below the prompt; who has one keeps it."""
    value = {"type": "command", "command": around.line("stats", "--line")}
    return SettingsEntry(("statusLine",), value, "one line below the prompt: what was saved", is_status_line)


def is_status_line(value: object) -> bool:
    """Whether a status line is ours.

    >>> is_status_line({"command": "/opt/spill stats --line"}), is_status_line({"command": "date"})
    (True, False)
    """
    line = value.get("command") if isinstance(value, dict) else None
    return bool(words_of(line, "stats", "--line"))


APPROVED = SettingsEntry(
    ("enabledMcpjsonServers",),
    SERVER,
    "the server of .mcp.json need not be approved again",
    lambda value: value == SERVER,
    "element",
    trusts_server=True,
)


def allowed_tool(tool: str) -> SettingsEntry:
    """The leave to use one tool of ours. With the first one goes the leave for the whole server, as it once was."""
    name = f"mcp__{SERVER}__{tool}"
    known = {name, f"mcp__{SERVER}"} if tool == OFFERED[0] else {name}
    return SettingsEntry(
        ("permissions", "allow"),
        name,
        f"the model may fetch what was kept without asking ({tool})",
        lambda value: isinstance(value, str) and value in known,
        "element",
        trusts_server=True,
    )


ALLOWED = tuple(map(allowed_tool, OFFERED))


def _user_file(around: Around) -> str:
    if around.environ.get(HOME):
        return around.at_home("", ".claude.json", variable=HOME)
    return around.at_home(".claude.json")


def notes(around: Around) -> tuple[str, ...]:
    begun = "Sessions that are open go on as they began: start Claude Code anew."
    if around.is_global:
        return (begun,)
    return (
        begun,
        "Claude Code runs a project's hooks and servers once you have said that you trust the folder.",
    )


AGENT = Agent("claude-code", "Claude Code", targets, notes)
