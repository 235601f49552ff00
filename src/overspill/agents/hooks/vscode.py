"""VS Code, its Local agent: what its hooks are told, and what they may say. This follows its documentation; it was not
run here.

SessionStart   may say what the model is to know: ours says how to run commands that may print much.
PreToolUse     may stop a tool before it runs, and is asked about every tool: ours stops marks of ours on their way into
               a file that the call names.
PreCompact     is told of every compaction, before it begins.
PostToolUse    is not ours: it may add to a result, or stop the work, and replaces nothing.
"""

from __future__ import annotations

from overspill.agents.hooks.cursor import ADVICE
from overspill.agents.hooks.opening import Hook, Json
from overspill.agents.hooks.texts import text_at


def hook_of(event: Json) -> Hook:
    return Hook(text_at(event, "cwd"), text_at(event, "sessionId") or text_at(event, "session_id"), "vscode")


def answer(event: Json, hook: Hook) -> Json:
    match event_name(event):
        case "SessionStart" if text_at(event, "source") == "new":
            return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": ADVICE}}
        case "PreToolUse":
            from overspill.agents.hooks.writes import deny_write, file_edits

            given = event.get("tool_input")
            return deny_write(hook, given) if any(edit.path for edit in file_edits(given)) else {}
        case "PreCompact":
            hook.note_compaction(text_at(event, "trigger"))
    return {}


def event_name(event: Json) -> str:
    """Which event it is. Agents that read the same files write the name in another way.

    >>> event_name({"hookEventName": "PreToolUse"}), event_name({"hook_event_name": "PreToolUse"})
    ('PreToolUse', 'PreToolUse')
    """
    return text_at(event, "hookEventName") or text_at(event, "hook_event_name")


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when an event cannot be looked at: none, for there is no result in any of them to withhold."""
    del event, sentence
    return {}
