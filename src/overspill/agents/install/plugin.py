"""Plugins of ours: a beginning that all share, then what an agent's own plugins look like."""

from __future__ import annotations

import json
import os

from overspill.agents.install.agent import Around, Target, is_server, server_entry
from overspill.agents.install.entries import SettingsEntry
from overspill.core.mark_grammar import NEEDLES

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """// Overspill for {title}: long results are fitted before the model sees them. Written by `spill init {agent}`;
// `spill init {agent} --uninstall` removes it. Where `spill` cannot look at a result, a sentence stands in its place;
// only where there is no `spill` at all, the tool's own result stands.
"""
LINE = 'const COMMAND = ["spill", "hook", "agent"]\n'
MARKS_LINE = "const MARKS = [] // written by `spill init`\n"
TOOLS_LINE = "const TOOLS = [] // written by `spill init`\n"
SAYS = "long results are fitted before the model sees them, also of commands that fail"


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
