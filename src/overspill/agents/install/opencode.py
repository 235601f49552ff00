"""opencode: a plugin of ours, and the server in `opencode.json` or `opencode.jsonc`."""

from __future__ import annotations

import json
import os

from overspill.agents.install.agent import Agent, Around, Target, is_server, server_entry
from overspill.agents.install.entries import SettingsEntry
from overspill.core.mark_grammar import NEEDLES

PLUGIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opencode_plugin.js")
MARK = "// Overspill for opencode"
LINE = 'const COMMAND = ["spill", "hook", "opencode"]\n'
MARKS_LINE = "const MARKS = [] // written by `spill init`\n"
BASE = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'


def targets(around: Around) -> tuple[Target, ...]:
    says = "long results are fitted before the model sees them, also of commands that fail"
    plugin = SettingsEntry((), plugin_text(around), says, lambda text: str(text).startswith(MARK))
    words = [*around.program, "mcp", "serve"]
    one = server_entry(("mcp",), around)._replace(
        value={"type": "local", "command": words, "enabled": True}, is_ours=is_server
    )
    return (Target(_plugin_path(around), (plugin,), "whole", ""), Target(_settings_path(around), (one,), base=BASE))


def plugin_text(around: Around) -> str:
    """The plugin, with the command that it runs here."""
    with open(PLUGIN, encoding="utf-8") as file:
        text = file.read()
    text = text.replace(MARKS_LINE, f"const MARKS = {json.dumps(NEEDLES)}\n")
    return text.replace(LINE, f"const COMMAND = {json.dumps([*around.program, 'hook', 'opencode'])}\n")


def _plugin_path(around: Around) -> str:
    folder = os.path.join(_user_folder(around) if around.is_global else around.in_project(".opencode"), "plugins")
    return os.path.join(folder, "overspill.js")


def _settings_path(around: Around) -> str:
    """The file that is there; of several, the one that is read last."""
    folder, names = around.root, ["opencode.jsonc", "opencode.json"]
    if around.is_global:
        folder, names = _user_folder(around), [*names, "config.json"]
    there = [name for name in names if os.path.lexists(os.path.join(folder, name))]
    return os.path.join(folder, there[0] if there else "opencode.json")


def _user_folder(around: Around) -> str:
    return around.at_home(".config", "opencode", variable="XDG_CONFIG_HOME")


def notes(around: Around) -> tuple[str, ...]:
    del around
    return ("opencode loads plugins when it starts: start it anew.",)


AGENT = Agent("opencode", "opencode", targets, notes)
