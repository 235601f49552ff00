"""Gemini CLI: `.gemini/settings.json` of a project or of the user. It may hold comments."""

from __future__ import annotations

from overspill.agents.install.agent import SECONDS, Agent, Around, Target, hook_groups, server_entry

HOOKS = {
    "BeforeTool": ("^(write_file|replace)$", "marks of what was left out or hidden are never written into files"),
    "AfterTool": (".*", "long results are fitted before the model sees them, also of commands that fail"),
}


def targets(around: Around) -> tuple[Target, ...]:
    own_home = ("", ".gemini")  # the variable names what stands for the whole home
    folder = around.at_home(*own_home, variable="GEMINI_CLI_HOME") if around.is_global else around.in_project(".gemini")
    milliseconds = SECONDS * 1000
    hooks = hook_groups(around, "gemini", HOOKS, name="overspill", timeout=milliseconds)
    # A result is replaced by asking this server for the view: that must not be asked about, and must be our server.
    server = server_entry(("mcpServers",), around, trust=True)
    entries = (*(hook._replace(trusts_server=True) for hook in hooks), server)
    return (Target(f"{folder}/settings.json", entries),)


def notes(around: Around) -> tuple[str, ...]:
    if around.is_global:
        return ()
    return ("Gemini CLI reads a project's settings in folders that you trust, and warns once about new hooks.",)


AGENT = Agent("gemini", "Gemini CLI", targets, notes)
