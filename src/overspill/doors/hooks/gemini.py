"""Gemini CLI: what its hooks are told, and what they may say.

BeforeTool     may change a command; the model is told that a hook did.
AfterTool      cannot replace a result, but can deny it, and say why: the reason is all that the model sees.
"""

import os

from overspill.doors.hooks.opening import Hook, Json
from overspill.doors.hooks.rewriting import rewritten
from overspill.doors.hooks.texts import is_own, one_text, said

SHELL = "run_shell_command"
READING = ("read_file", "read_many_files")


def hook_of(event: Json) -> Hook:
    return Hook(os.environ.get("GEMINI_PROJECT_DIR") or said(event, "cwd"), said(event, "session_id"))


def answer(event: Json, hook: Hook) -> Json:
    tool = said(event, "tool_name")
    match said(event, "hook_event_name"):
        case "BeforeTool" if tool == SHELL:
            return _before(event, hook)
        case "AfterTool" if not is_own(tool):
            return _after(event, hook)
    return {}


def _before(event: Json, hook: Hook) -> Json:
    asked = event.get("tool_input")
    command = rewritten(said(event, "tool_input", "command"), hook)
    if command is None or not isinstance(asked, dict):
        return {}
    changed = {**asked, "command": command}
    return {"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": changed}}


def _after(event: Json, hook: Hook) -> Json:
    tool, response = said(event, "tool_name"), event.get("tool_response")
    text = one_text(response.get("llmContent") if isinstance(response, dict) else response)
    if tool in READING:
        view = hook.fit_beginning(text, tool, source=said(event, "tool_input", "file_path")).text
    else:
        view = hook.fit(text, tool, source=said(event, "tool_input", "command")).text
    return {} if view == text else instead(view)


def instead(text: str) -> Json:
    """The answer that shows `text` in the place of what the tool said."""
    return {"decision": "deny", "reason": text}


def failing(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    return instead(sentence) if said(event, "hook_event_name") == "AfterTool" else {}
