"""Commands for coding agents: what their hooks call, and what sets them up."""

from __future__ import annotations

from overspill.agents import AGENTS
from overspill.cli.arguments import Command, Option

COMMANDS = (
    Command(
        ("hook",),
        "overspill.cli.hook:run",
        "answer an event of a coding agent, in its own format; the status is always 0",
        "AGENT",
        2,
        (
            Option("--in", "DIR", "the project of the agent (default: the directory it says, or this one)"),
            Option("--agent", "AGENT", "for `spill hook shell`: whose shell it is"),
            Option("--while", "DIR", "for `spill hook shell`, which agents' shells start: read on while it is there"),
        ),
        ("spill hook claude-code < event.json", "spill init claude-code"),
        f"Agents: {', '.join(AGENTS)}. Reads one event on standard input and writes one answer. Commands are\n"
        "rewritten before they run so that their output fits whether they fail or not, and results are replaced\n"
        "after the run where the agent honours it. `spill init AGENT` registers it.",
        failure=0,  # an agent would take another status for its own failure, or for a wish to stop it
    ),
    Command(
        ("init",),
        "overspill.cli.init:run",
        "set up a coding agent: hooks, the MCP server, and how to undo it",
        "[AGENT...]",
        len(AGENTS),
        (
            Option("--global", help="for everything you do with the agent (default: in this project)"),
            Option("--dry-run", help="show what would change in which file, and change nothing"),
            Option("--uninstall", help="take everything of ours out again"),
            Option("--show", help="say what is set up where; without AGENT, of all agents"),
        ),
        ("spill init claude-code", "spill init codex --global --dry-run", "spill init --show"),
        f"Agents: {', '.join(AGENTS)}. Comments, order and everything that is not ours are kept, and a\n"
        "second run changes nothing. --uninstall gives back the very files as they were, or, where somebody wrote\n"
        "there since, takes out only what is ours.",
    ),
)
