"""Agents that load a plugin of ours: a beginning that all share, then what the agent's own plugins look like.

pi and Cline know no MCP servers of ours, so that their plugins bring the tools that fetch what was left out.
"""

from __future__ import annotations

import json
import os

from overspill.agents.install import Agent, Around, Target, is_server, server_entry
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

OPENCODE_PLUGIN = "opencode_plugin.js"
BASE = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'


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
        Target(settings, (local_server(around),), base=BASE),
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
