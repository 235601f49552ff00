"""Codex: what its hooks are told, and what they may say.

PreToolUse     may change a command, if it also says that it may run; what the sandbox forbids stays forbidden.
PostToolUse    cannot replace a result, but can say that it is bad, and why: the reason is all that the model sees.
"""

from overspill.agents.hooks.meanwhile import before_the_view
from overspill.agents.hooks.opening import Hook, Json
from overspill.agents.hooks.rewriting import rewritten
from overspill.agents.hooks.texts import is_own, one_text, said


def hook_of(event: Json) -> Hook:
    return Hook(said(event, "cwd"), said(event, "session_id"))


def answer(event: Json, hook: Hook) -> Json:
    tool = said(event, "tool_name")
    match said(event, "hook_event_name"):
        case "PreToolUse" if tool == "Bash":
            return _before(event, hook)
        case "PostToolUse" if not is_own(tool, said(event, "tool_input", "command")):
            return _after(event, hook)
    return {}


def _before(event: Json, hook: Hook) -> Json:
    asked = event.get("tool_input")
    command = rewritten(said(event, "tool_input", "command"), hook)
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


def _after(event: Json, hook: Hook) -> Json:
    """What a command says while it runs stands before its view, which is known and passes."""
    text = one_text(event.get("tool_response"))
    signs = before_the_view(text) if said(event, "tool_name") == "Bash" else ""
    rest = text[len(signs) :]
    view = hook.fit(rest, said(event, "tool_name"), source=said(event, "tool_input", "command")).text
    shown = (hook.spill.workspace.redacted_text(signs) if signs else "") + view
    return {} if shown == text else instead(shown)


def instead(text: str) -> Json:
    """The answer that shows `text` in the place of what the tool said."""
    return {"decision": "block", "reason": text}


def failing(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    return instead(sentence) if said(event, "hook_event_name") == "PostToolUse" else {}
