"""Codex: what its hooks are told, and what they may say.

PreToolUse     may change a command, if it also says that it may run; what the sandbox forbids stays forbidden.
PostToolUse    cannot replace a result, but can say that it is bad, and why: the reason is all that the model sees.
"""

from __future__ import annotations

from overspill.agents.hooks.meanwhile import before_the_view
from overspill.agents.hooks.opening import Hook, Json
from overspill.agents.hooks.rewriting import rewritten_command
from overspill.agents.hooks.texts import is_own, one_text, text_at


def hook_of(event: Json) -> Hook:
    return Hook(text_at(event, "cwd"), text_at(event, "session_id"))


def answer(event: Json, hook: Hook) -> Json:
    tool = text_at(event, "tool_name")
    match text_at(event, "hook_event_name"):
        case "PreToolUse" if tool == "Bash":
            return _rewrite_command(event, hook)
        case "PostToolUse" if not is_own(tool, text_at(event, "tool_input", "command")):
            return _answer_with_view(event, hook)
    return {}


def _rewrite_command(event: Json, hook: Hook) -> Json:
    asked = event.get("tool_input")
    command = rewritten_command(text_at(event, "tool_input", "command"), hook)
    if command is None or not isinstance(asked, dict):
        return {}
    changed = {**asked, "command": command}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": changed,
        }
    }


def _answer_with_view(event: Json, hook: Hook) -> Json:
    """What a command says while it runs stands before its view, which is known and passes."""
    text = one_text(event.get("tool_response"))
    signs = before_the_view(text) if text_at(event, "tool_name") == "Bash" else ""
    rest = text[len(signs) :]
    view = hook.fit(rest, text_at(event, "tool_name"), source=text_at(event, "tool_input", "command")).text
    shown = (hook.spill.workspace.redacted_text(signs) if signs else "") + view
    return {} if shown == text else block_answer(shown)


def block_answer(text: str) -> Json:
    """The answer that shows `text` in the place of what the tool said."""
    return {"decision": "block", "reason": text}


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    return block_answer(sentence) if text_at(event, "hook_event_name") == "PostToolUse" else {}
