"""Qwen Code: `.qwen/settings.json` of a project or of the user. It may hold comments."""

from __future__ import annotations

from overspill.agents.install.agent import SECONDS, Agent, Around, Target, hook_groups, server_entry

HOOKS = {
    "PreToolUse": (
        "^(write_file|edit|notebook_edit)$",
        "marks of what was left out or hidden are never written into files",
    ),
    "PostToolUse": (".*", "long results are fitted before the model sees them, also of commands that fail"),
    "PostToolBatch": ("", "what a call said that failed is fitted, too"),
    "SessionStart": ("^compact$", "after a compaction the model is told what is kept"),
}


def targets(around: Around) -> tuple[Target, ...]:
    if around.is_global:
        path = around.at_home(".qwen", "settings.json", variable="QWEN_HOME")
    else:
        path = around.in_project(".qwen", "settings.json")
    hooks = hook_groups(around, "qwen", HOOKS, name="overspill", timeout=SECONDS)
    # What our server says passes the hooks as it is, so they are worth something only while that name is ours.
    server = server_entry(("mcpServers",), around, trust=True)
    return (Target(path, (*(hook._replace(trusts_server=True) for hook in hooks), server)),)


def notes(around: Around) -> tuple[str, ...]:
    begun = "Sessions that are open go on as they began: start Qwen Code anew, or open /hooks."
    if around.is_global:
        return (begun,)
    return (begun, "Qwen Code reads a project's settings in folders that you trust, where it asks about that.")


AGENT = Agent("qwen", "Qwen Code", targets, notes)
