"""Cline: a plugin of ours, of the workspace or of the user. It brings the tools that fetch what was left out."""

from __future__ import annotations

from overspill.agents.install.agent import Agent, Around, Target
from overspill.agents.install.plugin import plugin_target


def targets(around: Around) -> tuple[Target, ...]:
    if around.is_global:
        path = around.at_home(".cline", "plugins", "overspill.js", variable="CLINE_DIR")
    else:
        path = around.in_project(".cline", "plugins", "overspill.js")
    return (plugin_target(around, "cline", "Cline", "cline_plugin.js", path, tools=True),)


def notes(around: Around) -> tuple[str, ...]:
    del around
    return ("Cline loads plugins when a session begins: begin a new one.",)


AGENT = Agent("cline", "Cline", targets, notes)
