"""The doors for coding agents."""

from overspill.doors.arguments import Command, Option

AGENTS = ("claude-code", "codex", "gemini", "copilot", "opencode")

COMMANDS = (
    Command(
        ("hook",),
        "overspill.doors.hooks.hooking:run",
        "answer an event of a coding agent, in its own format; the status is always 0",
        "AGENT",
        2,
        (
            Option("--in", "DIR", "the project of the agent (default: the directory it says, or this one)"),
            Option("--while", "DIR", "for `spill hook shell`, which agents' shells start: read on while it is there"),
        ),
        ("spill hook claude-code < event.json", "spill init claude-code"),
        f"Agents: {', '.join(AGENTS)}. Reads one event on standard input and writes one answer. Commands are\n"
        "rewritten before they run so that their output fits whether they fail or not, and results are replaced\n"
        "after the run where the agent honours it. `spill init AGENT` registers it.",
        failure=0,  # an agent would take another status for its own failure, or for a wish to stop it
    ),
)
