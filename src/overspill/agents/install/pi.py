"""pi: an extension of ours. It has no MCP servers, so the extension brings the tools that fetch what was left out."""

from __future__ import annotations

from overspill.agents.install.agent import Agent, Around, Target
from overspill.agents.install.plugin import plugin_target


def targets(around: Around) -> tuple[Target, ...]:
    if around.is_global:
        path = around.at_home(".pi/agent", "extensions", "overspill.js", variable="PI_CODING_AGENT_DIR")
    else:
        path = around.in_project(".pi", "extensions", "overspill.js")
    return (plugin_target(around, "pi", "pi", "pi_plugin.js", path, tools=True),)


def notes(around: Around) -> tuple[str, ...]:
    begun = "pi loads extensions when it starts: start it anew, or type /reload."
    if around.is_global:
        return (begun,)
    if "\\" in around.root:
        return ("pi loads no extension from a path with a backslash in it, and does not start: use --global instead.",)
    return (begun, "pi loads a project's extensions once you have said that you trust the project; with -p: --approve.")


AGENT = Agent("pi", "pi", targets, notes)
