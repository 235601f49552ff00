"""opencode: a plugin of ours, and the server in `opencode.json` or `opencode.jsonc`."""

import json
import os

from overspill.agents.install.agent import Agent, Around, Target, is_server, server
from overspill.agents.install.entries import Entry

PLUGIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opencode_plugin.js")
MARK = "// Overspill for opencode"
LINE = 'const COMMAND = ["spill", "hook", "opencode"]\n'
BASE = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'


def targets(around: Around) -> tuple[Target, ...]:
    says = "long results are fitted before the model sees them, also of commands that fail"
    plugin = Entry((), plugin_text(around), says, lambda text: str(text).startswith(MARK))
    words = [*around.program, "mcp", "serve"]
    one = server(("mcp",), around)._replace(
        value={"type": "local", "command": words, "enabled": True}, is_ours=is_server
    )
    return (Target(_plugin(around), (plugin,), "whole", ""), Target(_settings(around), (one,), base=BASE))


def plugin_text(around: Around) -> str:
    """The plugin, with the command that it runs here."""
    with open(PLUGIN, encoding="utf-8") as file:
        text = file.read()
    return text.replace(LINE, f"const COMMAND = {json.dumps([*around.program, 'hook', 'opencode'])}\n")


def _plugin(around: Around) -> str:
    folder = os.path.join(_own(around) if around.is_global else around.in_project(".opencode"), "plugins")
    return os.path.join(folder, "overspill.js")


def _settings(around: Around) -> str:
    """The file that is there; of several, the one that is read last."""
    folder, names = around.root, ["opencode.jsonc", "opencode.json"]
    if around.is_global:
        folder, names = _own(around), [*names, "config.json"]
    there = [name for name in names if os.path.lexists(os.path.join(folder, name))]
    return os.path.join(folder, there[0] if there else "opencode.json")


def _own(around: Around) -> str:
    return around.at_home(".config", "opencode", variable="XDG_CONFIG_HOME")


def notes(around: Around) -> tuple[str, ...]:
    del around
    return ("opencode loads plugins when it starts: start it anew.",)


AGENT = Agent("opencode", "opencode", targets, notes)
