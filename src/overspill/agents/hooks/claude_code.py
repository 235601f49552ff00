"""Claude Code: what its hooks are told, and what they may say.

SessionStart   may write lines that every shell of the session begins with: ours puts `overspill.sh` there. So
               commands run as the model wrote them, permissions see what they always saw, and failures fit, too.
PostToolUse    may replace a result, in the tool's own shape.
SessionEnd     ends the session: what it kept stays for a day.
"""

from __future__ import annotations

import os

from overspill.agents.hooks.opening import Hook, Json
from overspill.agents.hooks.rewriting import write_opening_line
from overspill.agents.hooks.texts import fitted_result, is_own, text_at

TEXTS = ("stdout", "stderr", "content", "text", "result", "output", "")  # the last: a result that is a text


def hook_of(event: Json) -> Hook:
    """The project the agent was started in, wherever it has gone since, and its session."""
    return Hook(os.environ.get("CLAUDE_PROJECT_DIR") or text_at(event, "cwd"), text_at(event, "session_id"))


def answer(event: Json, hook: Hook) -> Json:
    match text_at(event, "hook_event_name"):
        case "SessionStart":
            write_opening_line(os.environ.get("CLAUDE_ENV_FILE", ""), hook)
        case "SessionEnd":
            hook.end()
        case "PostToolUse" if not is_own(text_at(event, "tool_name"), text_at(event, "tool_input", "command")):
            return _replace_result(event, hook)
    return {}


def _replace_result(event: Json, hook: Hook) -> Json:
    tool, response = text_at(event, "tool_name"), event.get("tool_response")
    if tool == "Read":
        shown = _fit_file(hook, response)
    elif isinstance(response, dict) and "stdout" in response:
        shown = _fit_command(hook, response, text_at(event, "tool_input", "command"))
    else:
        shown = fitted_result(hook, response, TEXTS, tool)
    return {} if shown == response else output_replacement(event, shown)


def output_replacement(event: Json, result: object) -> Json:
    """The answer that puts `result` in the place of what the tool said."""
    return {"hookSpecificOutput": {"hookEventName": event["hook_event_name"], "updatedToolOutput": result}}


def _fit_command(hook: Hook, response: Json, command: str) -> object:
    """What a command said. Where it was long, all of it is in a file, and what the event holds is a part."""
    saved = text_at(response, "persistedOutputPath")
    if not saved or not os.path.isfile(saved):
        return fitted_result(hook, response, TEXTS, "Bash")
    with open(saved, "rb") as whole:
        view = hook.fit(whole, "Bash", source=command)
    rest = {name: value for name, value in response.items() if not name.startswith("persistedOutput")}
    return {**rest, "stdout": view.text, "stderr": hook.spill.workspace.redacted_text(text_at(response, "stderr"))}


def _fit_file(hook: Hook, response: object) -> object:
    """A part of a file. Its lines are numbered after us, so only its end may go."""
    file = response.get("file") if isinstance(response, dict) else None
    if not isinstance(response, dict) or not isinstance(file, dict) or not isinstance(file.get("content"), str):
        return fitted_result(hook, response, (), "Read")
    view = hook.fit_beginning(file["content"], "Read", source=text_at(file, "filePath")).text
    if view == file["content"]:
        return response
    return {**response, "file": {**file, "content": view, "numLines": view.count("\n") + 1}}


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    if text_at(event, "hook_event_name") != "PostToolUse":
        return {}
    response = event.get("tool_response")
    if isinstance(response, dict) and "stdout" in response:
        return output_replacement(event, {**response, "stdout": sentence, "stderr": ""})
    return output_replacement(event, sentence)
