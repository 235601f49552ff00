"""Agents: which files of a project and of the user hold our hooks and our server, or a plugin of ours.

A plugin has a beginning that all share, then what the agent's own plugins look like. pi and Cline know no MCP servers
of ours, so that their plugins bring the tools that fetch what was left out. What is said of Cursor and VS Code is as
their documentation has it.
"""

from __future__ import annotations

import json
import os
import sys

from overspill.agents import AGENTS
from overspill.agents.install import (
    OFFERED,
    SECONDS,
    SERVER,
    Agent,
    Around,
    Target,
    hook_elements,
    hook_groups,
    is_server,
    server_entry,
    words_of,
)
from overspill.agents.install.entries import SettingsEntry
from overspill.core.mark_grammar import NEEDLES
from overspill.errors import UsageError

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """// Overspill for {title}: long results are fitted before the model sees them. Written by `spill init {agent}`;
// `spill init {agent} --uninstall` removes it. Where `spill` cannot look at a result, a sentence stands in its place;
// only where there is no `spill` at all, the tool's own result stands.
"""
LINE = 'const COMMAND = ["spill", "hook", "agent"]\n'
MARKS_LINE = "const MARKS = [] // written by `spill init`\n"
TOOLS_LINE = "const TOOLS = [] // written by `spill init`\n"
SAYS = "long results are fitted before the model sees them, also of commands that fail"

OPENCODE_PLUGIN = "opencode_plugin.js"
OPENCODE_BASE = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'


def plugin_target(around: Around, agent: str, title: str, file: str, path: str, *, tools: bool = False) -> Target:
    """Our plugin for an agent at a path; `file` holds what is the agent's own in it."""
    text = plugin_text(around, agent, title, file, tools=tools)
    begins = f"// Overspill for {title}"
    return Target(path, (SettingsEntry((), text, SAYS, lambda held: str(held).startswith(begins)),), "whole", "")


def plugin_text(around: Around, agent: str, title: str, file: str, *, tools: bool = False) -> str:
    """A plugin, with the command that it runs here, and with `tools` of its own if it has to bring them."""
    core = _read_text("plugin_core.js")
    core = core.replace(MARKS_LINE, f"const MARKS = {json.dumps(NEEDLES)}\n")
    core = core.replace(LINE, f"const COMMAND = {json.dumps([*around.program, 'hook', agent])}\n")
    parts = [HEAD.format(title=title, agent=agent) + core, _read_text(file)]
    if tools:
        offered = f"const TOOLS = {json.dumps(_offered_tools(), indent=2)}\n"
        parts.insert(1, _read_text("plugin_tools.js").replace(TOOLS_LINE, offered))
    return "\n".join(parts)


def _read_text(name: str) -> str:
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def _offered_tools() -> list[dict[str, object]]:
    """The tools that fetch what was kept."""
    from overspill.retrieve.tools import TOOLS

    return [{"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in TOOLS]


def local_server(around: Around) -> SettingsEntry:
    """The server as opencode and its kin name it."""
    value = {"type": "local", "command": [*around.program, "mcp", "serve"], "enabled": True}
    return server_entry(("mcp",), around)._replace(value=value, is_ours=is_server)


def opencode_targets(around: Around) -> tuple[Target, ...]:
    folder = user_folder(around, "opencode") if around.is_global else around.in_project(".opencode")
    plugin = os.path.join(folder, "plugins", "overspill.js")
    settings = settings_path(around, "opencode", ("opencode.jsonc", "opencode.json"))
    return (
        plugin_target(around, "opencode", "opencode", OPENCODE_PLUGIN, plugin),
        Target(settings, (local_server(around),), base=OPENCODE_BASE),
    )


def settings_path(around: Around, folder: str, names: tuple[str, ...]) -> str:
    """The file that is there; of several, the one that is read last, which is named first."""
    place = user_folder(around, folder) if around.is_global else around.root
    wanted = (*names, "config.json") if around.is_global else names
    there = [name for name in wanted if os.path.lexists(os.path.join(place, name))]
    return os.path.join(place, there[0] if there else names[-1])


def user_folder(around: Around, name: str) -> str:
    return around.at_home(".config", name, variable="XDG_CONFIG_HOME")


def opencode_notes(around: Around) -> tuple[str, ...]:
    del around
    return ("opencode loads plugins when it starts: start it anew.",)


OPENCODE = Agent("opencode", "opencode", opencode_targets, opencode_notes)


def kilo_targets(around: Around) -> tuple[Target, ...]:
    folder = user_folder(around, "kilo") if around.is_global else around.in_project(".kilo")
    plugin = os.path.join(folder, "plugins", "overspill.js")
    return (
        plugin_target(around, "kilo", "Kilo", OPENCODE_PLUGIN, plugin),
        Target(settings_path(around, "kilo", ("kilo.jsonc", "kilo.json")), (local_server(around),)),
    )


def kilo_notes(around: Around) -> tuple[str, ...]:
    del around
    return ("Kilo loads plugins when it starts: start it anew.",)


KILO = Agent("kilo", "Kilo", kilo_targets, kilo_notes)


def pi_targets(around: Around) -> tuple[Target, ...]:
    if around.is_global:
        path = around.at_home(".pi/agent", "extensions", "overspill.js", variable="PI_CODING_AGENT_DIR")
    else:
        path = around.in_project(".pi", "extensions", "overspill.js")
    return (plugin_target(around, "pi", "pi", "pi_plugin.js", path, tools=True),)


def pi_notes(around: Around) -> tuple[str, ...]:
    begun = "pi loads extensions when it starts: start it anew, or type /reload."
    if around.is_global:
        return (begun,)
    if "\\" in around.root:
        return ("pi loads no extension from a path with a backslash in it, and does not start: use --global instead.",)
    return (begun, "pi loads a project's extensions once you have said that you trust the project; with -p: --approve.")


PI = Agent("pi", "pi", pi_targets, pi_notes)


def cline_targets(around: Around) -> tuple[Target, ...]:
    if around.is_global:
        path = around.at_home(".cline", "plugins", "overspill.js", variable="CLINE_DIR")
    else:
        path = around.in_project(".cline", "plugins", "overspill.js")
    return (plugin_target(around, "cline", "Cline", "cline_plugin.js", path, tools=True),)


def cline_notes(around: Around) -> tuple[str, ...]:
    del around
    return ("Cline loads plugins when a session begins: begin a new one.",)


CLINE = Agent("cline", "Cline", cline_targets, cline_notes)


READING = "Bash|Read|Grep|Glob|WebFetch|WebSearch|Task|Agent|BashOutput|TaskOutput|(Read|List)McpResource.*|mcp__.*"
WRITING = "Write|Edit|MultiEdit|NotebookEdit"
CLAUDE_CODE_HOOKS = {
    "SessionStart": ("", "from here on what shell commands print is fitted, also when they fail"),
    "PreToolUse": (WRITING, "marks of what was left out or hidden are never written into files"),
    "PostToolUse": (READING, "long results of other tools are fitted before the model sees them"),
    "SessionEnd": ("", "the session's artifacts are kept for a day, then they go"),
}
CLAUDE_HOME = "CLAUDE_CONFIG_DIR"


def claude_code_targets(around: Around) -> tuple[Target, ...]:
    hooks = hook_groups(around, "claude-code", CLAUDE_CODE_HOOKS, around.asking_line("claude-code"), timeout=SECONDS)
    if around.is_global:
        return (
            Target(
                around.at_home(".claude", "settings.json", variable=CLAUDE_HOME),
                (*hooks, status_line(around), *ALLOWED),
            ),
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
    if around.environ.get(CLAUDE_HOME):
        return around.at_home("", ".claude.json", variable=CLAUDE_HOME)
    return around.at_home(".claude.json")


def claude_code_notes(around: Around) -> tuple[str, ...]:
    begun = "Sessions that are open go on as they began: start Claude Code anew."
    if around.is_global:
        return (begun,)
    return (
        begun,
        "Claude Code runs a project's hooks and servers once you have said that you trust the folder.",
    )


CLAUDE_CODE = Agent("claude-code", "Claude Code", claude_code_targets, claude_code_notes)


CODEX_HOOKS = {
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


def codex_targets(around: Around) -> tuple[Target, ...]:
    line = around.sourcing_line("codex")
    return (
        Target(_codex_path(around, "hooks.json"), hook_groups(around, "codex", CODEX_HOOKS, line, timeout=SECONDS)),
        Target(_codex_path(around, "config.toml"), (_server(around),), "toml", ""),
    )


def _server(around: Around) -> SettingsEntry:
    # Codex writes below our table which of its tools need not be asked about.
    return server_entry(("mcp_servers",), around, agent_keys=("tools",))


def _codex_path(around: Around, name: str) -> str:
    if around.is_global:
        return around.at_home(".codex", name, variable="CODEX_HOME")
    return around.in_project(".codex", name)


def codex_notes(around: Around) -> tuple[str, ...]:
    review = "Codex runs a hook once you have reviewed it: start codex, type /hooks, and trust all of ours."
    if around.is_global:
        return (review,)
    return (review, "Codex reads a project's .codex/ once you have said that you trust the project.")


CODEX = Agent("codex", "Codex", codex_targets, codex_notes)


COPILOT_HOOKS = {
    "preToolUse": ("create|edit|apply_patch", "marks of what was left out or hidden are never written into files"),
    "postToolUse": ("", "long results are fitted before the model sees them, also of commands that fail"),
    "preCompact": ("", "the journal is told when the context is compacted"),
}
COPILOT_TRUST = (
    "Copilot CLI runs a repository's hooks and servers in folders that you trust; with -p in a folder that it does\n"
    "not know, it runs none. `spill init copilot --global` works everywhere."
)
ON_GITHUB = (
    "Copilot's agent on GitHub reads .github/hooks, too, and has no `spill`: keep the file out of the repository,\n"
    "or install overspill there."
)
BASE = '{\n  "version": 1\n}\n'


def copilot_targets(around: Around) -> tuple[Target, ...]:
    line = around.asking_line("copilot")
    hooks = hook_elements("copilot", COPILOT_HOOKS, type="command", bash=line, timeoutSec=SECONDS)
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


def copilot_notes(around: Around) -> tuple[str, ...]:
    if around.is_global:
        return ()
    return (COPILOT_TRUST, ON_GITHUB)


COPILOT = Agent("copilot", "Copilot CLI", copilot_targets, copilot_notes)


GEMINI_HOOKS = {
    "BeforeTool": ("^(write_file|replace)$", "marks of what was left out or hidden are never written into files"),
    "AfterTool": (".*", "long results are fitted before the model sees them, also of commands that fail"),
}


def gemini_targets(around: Around) -> tuple[Target, ...]:
    own_home = ("", ".gemini")  # the variable names what stands for the whole home
    folder = around.at_home(*own_home, variable="GEMINI_CLI_HOME") if around.is_global else around.in_project(".gemini")
    milliseconds = SECONDS * 1000
    hooks = hook_groups(around, "gemini", GEMINI_HOOKS, name="overspill", timeout=milliseconds)
    # A result is replaced by asking this server for the view: that must not be asked about, and must be our server.
    server = server_entry(("mcpServers",), around, trust=True)
    entries = (*(hook._replace(trusts_server=True) for hook in hooks), server)
    return (Target(f"{folder}/settings.json", entries),)


def gemini_notes(around: Around) -> tuple[str, ...]:
    if around.is_global:
        return ()
    return ("Gemini CLI reads a project's settings in folders that you trust, and warns once about new hooks.",)


GEMINI = Agent("gemini", "Gemini CLI", gemini_targets, gemini_notes)


QWEN_HOOKS = {
    "PreToolUse": (
        "^(write_file|edit|notebook_edit)$",
        "marks of what was left out or hidden are never written into files",
    ),
    "PostToolUse": (".*", "long results are fitted before the model sees them, also of commands that fail"),
    "PostToolBatch": ("", "what a call said that failed is fitted, too"),
    "SessionStart": ("^compact$", "after a compaction the model is told what is kept"),
}


def qwen_targets(around: Around) -> tuple[Target, ...]:
    if around.is_global:
        path = around.at_home(".qwen", "settings.json", variable="QWEN_HOME")
    else:
        path = around.in_project(".qwen", "settings.json")
    hooks = hook_groups(around, "qwen", QWEN_HOOKS, name="overspill", timeout=SECONDS)
    # What our server says passes the hooks as it is, so they are worth something only while that name is ours.
    server = server_entry(("mcpServers",), around, trust=True)
    return (Target(path, (*(hook._replace(trusts_server=True) for hook in hooks), server)),)


def qwen_notes(around: Around) -> tuple[str, ...]:
    begun = "Sessions that are open go on as they began: start Qwen Code anew, or open /hooks."
    if around.is_global:
        return (begun,)
    return (begun, "Qwen Code reads a project's settings in folders that you trust, where it asks about that.")


QWEN = Agent("qwen", "Qwen Code", qwen_targets, qwen_notes)


CURSOR_HOOKS = {
    "sessionStart": ("", "the model is told how to run commands that may print much"),
    "preToolUse": ("Write", "marks of what was left out or hidden are never written into files"),
    "postToolUse": ("^MCP:", "long results of MCP tools are fitted before the model sees them"),
    "preCompact": ("", "the journal is told when the context is compacted"),
}
CURSOR_LIMITS = (
    "What commands and Cursor's own tools say no hook may replace: the model is asked to run what prints much as\n"
    "`spill run -- COMMAND`."
)


def cursor_targets(around: Around) -> tuple[Target, ...]:
    folder = around.at_home(".cursor") if around.is_global else around.in_project(".cursor")
    hooks = hook_elements("cursor", CURSOR_HOOKS, command=around.line("hook", "cursor"), timeout=SECONDS)
    return (
        Target(f"{folder}/hooks.json", hooks, base=BASE),
        Target(f"{folder}/mcp.json", (server_entry(("mcpServers",), around),)),
    )


def cursor_notes(around: Around) -> tuple[str, ...]:
    trust = () if around.is_global else ("Cursor runs a project's hooks in workspaces that you trust.",)
    return (CURSOR_LIMITS, *trust)


CURSOR = Agent("cursor", "Cursor", cursor_targets, cursor_notes, is_tried=False)


VSCODE_HOOKS = {
    "SessionStart": ("", "the model is told how to run commands that may print much"),
    "PreToolUse": ("", "marks of what was left out or hidden are never written into files"),
    "PreCompact": ("", "the journal is told when the context is compacted"),
}
VSCODE_HOOKS_FILE = "overspill-vscode.json"  # beside the one of Copilot CLI, which has events of other names
VSCODE_LIMITS = (
    "What tools say no hook may replace: the model is asked to run what prints much as `spill run -- COMMAND`, and\n"
    "MCP servers are fitted behind the proxy. These hooks are for sessions of the target Local; others have theirs:\n"
    "`spill init copilot`, `claude-code`, `codex`."
)


def vscode_targets(around: Around) -> tuple[Target, ...]:
    command = around.line("hook", "vscode")
    hooks = hook_elements("vscode", VSCODE_HOOKS, type="command", command=command, timeout=SECONDS)
    servers = (server_entry(("servers",), around, type="stdio"),)
    if around.is_global:
        return (
            Target(around.at_home(".copilot", "hooks", VSCODE_HOOKS_FILE), hooks),
            Target(_profile_path(around), servers),
        )
    return (
        Target(around.in_project(".github", "hooks", VSCODE_HOOKS_FILE), hooks),
        Target(around.in_project(".vscode", "mcp.json"), servers),
    )


def _profile_path(around: Around) -> str:
    """The servers of the user's default profile."""
    names = ("Code", "User", "mcp.json")
    if sys.platform == "darwin":
        return around.at_home("Library", "Application Support", *names)
    return around.at_home(".config", *names, variable="XDG_CONFIG_HOME")


def vscode_notes(around: Around) -> tuple[str, ...]:
    trust = () if around.is_global else ("VS Code runs a workspace's hooks and servers where you trust it.",)
    return (VSCODE_LIMITS, *trust)


VSCODE = Agent("vscode", "VS Code", vscode_targets, vscode_notes, is_tried=False)


TABLES = {
    agent.name: agent
    for agent in (CLAUDE_CODE, CODEX, GEMINI, COPILOT, OPENCODE, KILO, PI, CLINE, QWEN, CURSOR, VSCODE)
}


def agent_called(name: str) -> Agent:
    """One agent. `UsageError` names them all.

    >>> agent_called("codex").title
    'Codex'
    """
    if name not in AGENTS:
        raise UsageError(f"no agent {name[:100]!r}; there are: {', '.join(AGENTS)}").with_help("spill init --show")
    return TABLES[name]
