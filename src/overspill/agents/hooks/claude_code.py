"""Claude Code: what its hooks are told, and what they may say.

SessionStart   may write lines that every shell of the session begins with: ours puts `overspill.sh` there. So
               commands run as the model wrote them, permissions see what they always saw, and failures fit, too.
               It is also told of every compaction, when it is over, and may say what the model is to know then.
PreToolUse     may stop a tool before it writes: ours is asked about those that write files, and stops marks of ours.
PostToolUse    may replace a result, in the tool's own shape: what has another shape is not honoured.
SessionEnd     ends the session: what it kept stays for a day.
"""

from __future__ import annotations

import os

from overspill.agents.hooks import AgentHooks, Hook, HostFacts, Json, KnownTools, fitted_result, open_saved, text_at

TEXTS = ("stdout", "stderr", "content", "text", "result", "output", "")  # the last: a result that is a text
TOOLS = KnownTools(("mcp__overspill__", "mcp__plugin_overspill_overspill__"), ("Bash", "PowerShell"), ("Read",))
SAVED = "persistedOutput"  # with this begin the names of the path and the size of what was saved
KINDS = ("type", "mode", "status")  # what stands here says which shape a result has
KIND_CHARS = 40


def hook_of(event: Json) -> Hook:
    """The project the agent was started in, wherever it has gone since, and its session."""
    host = HostFacts(text_at(event, "transcript_path"), text_at(event, "model"))
    directory = os.environ.get("CLAUDE_PROJECT_DIR") or text_at(event, "cwd")
    return Hook(directory, text_at(event, "session_id"), "claude-code", host=host)


def answer(event: Json, hook: Hook) -> Json:
    match text_at(event, "hook_event_name"):
        case "SessionStart":
            from overspill.agents.hooks.shell import write_opening_line

            write_opening_line(os.environ.get("CLAUDE_ENV_FILE", ""), hook)
            return hook.compaction_answer() if text_at(event, "source") == "compact" else {}
        case "SessionEnd":
            hook.end()
        case "PreToolUse":
            from overspill.agents.hooks.writes import deny_write

            return deny_write(hook, event.get("tool_input"))
        case "PostToolUse" if not TOOLS.fetches(text_at(event, "tool_name"), text_at(event, "tool_input", "command")):
            return _replace_result(event, hook)
    return {}


def _replace_result(event: Json, hook: Hook) -> Json:
    tool, response = text_at(event, "tool_name"), event.get("tool_response")
    command = text_at(event, "tool_input", "command") if tool in TOOLS.shell else ""
    hook.note_call(command=command, call_id=text_at(event, "tool_use_id"))
    if tool in TOOLS.reading:
        shown = _fit_file(hook, response)
    elif tool in TOOLS.shell and isinstance(response, dict):
        shown = _fit_command(hook, response, command)
    else:
        shown = fitted_result(hook, response, TEXTS, tool)
    return {} if shown == response else output_replacement(shown)


def output_replacement(result: object) -> Json:
    """The answer that puts `result` in the place of what the tool said."""
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": result}}


def _fit_command(hook: Hook, response: Json, command: str) -> object:
    """What a command said. Where it was long, all of it is in a file, and what the event holds is a part."""
    path = text_at(response, f"{SAVED}Path")
    saved = open_saved(path, _saving_folder(), _is_saved_name) if path else None
    if saved is None:
        return fitted_result(hook, response, TEXTS, "Bash", command)
    with saved:
        view = hook.fit(saved, "Bash", source=command)
    rest = {name: value for name, value in response.items() if not name.startswith(SAVED)}
    shown = fitted_result(hook, {**rest, "stdout": ""}, TEXTS, "Bash")
    return {**shown, "stdout": view.text} if isinstance(shown, dict) else shown


def _saving_folder() -> str:
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return os.path.join(home, "projects")


def _is_saved_name(rest: str) -> bool:
    """Whether it lies where a session keeps results, beside nothing else: PROJECT/SESSION/tool-results/NAME."""
    return os.path.basename(os.path.dirname(rest)) == "tool-results"


def _fit_file(hook: Hook, response: object) -> object:
    """A part of a file. Its lines are numbered after us, so only its end may go."""
    file = response.get("file") if isinstance(response, dict) else None
    if not isinstance(response, dict) or not isinstance(file, dict) or not isinstance(file.get("content"), str):
        return fitted_result(hook, response, (), "Read")
    view = hook.fit_beginning(file["content"], "Read", source=text_at(file, "filePath")).text
    shown = fitted_result(hook, {**response, "file": {**file, "content": ""}}, (), "Read")
    if isinstance(shown, dict) and isinstance(shown.get("file"), dict):
        lines = {} if view == file["content"] else {"numLines": view.count("\n") + 1}
        shown["file"] = {**shown["file"], "content": view, **lines}
    return shown


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    if text_at(event, "hook_event_name") not in {"PostToolUse", ""}:
        return {}
    tool = text_at(event, "tool_name")
    if tool.startswith("mcp__"):
        return output_replacement(sentence)
    if "tool_response" in event:
        return output_replacement(empty_result(event["tool_response"], sentence))
    return output_replacement(any_result(sentence))


def empty_result(result: object, sentence: str, key: str = "") -> object:
    """A result of the same shape that says nothing but a sentence: in the shape of its tool it is honoured.

    >>> empty_result({"mode": "content", "content": "a secret", "filenames": ["b", "c"]}, "Sorry.")
    {'mode': 'content', 'content': 'Sorry.', 'filenames': ['Sorry.']}
    """
    if isinstance(result, str):
        is_kind = key in KINDS and len(result) <= KIND_CHARS and result.replace("_", "").isalpha()
        return result if is_kind else sentence if key in TEXTS or key == "filenames" else ""
    if isinstance(result, list):
        return [empty_result(member, sentence, key) for member in result[:1]]
    if isinstance(result, dict):
        return {
            name: empty_result(member, sentence, name) for name, member in result.items() if not name.startswith(SAVED)
        }
    return result if isinstance(result, bool) or result is None else 0


def any_result(sentence: str) -> Json:
    """A result that has the shape of every tool whose results may hold a secret, for a tool that is not known."""
    return {
        "stdout": sentence,
        "stderr": "",
        "interrupted": False,
        "type": "text",
        "file": {"filePath": "", "content": sentence, "numLines": 1, "startLine": 1, "totalLines": 1},
        "mode": "content",
        "content": sentence,
        "filenames": [],
        "numFiles": 0,
        "durationMs": 0,
        "truncated": False,
        "result": sentence,
        "bytes": 0,
        "code": 0,
        "codeText": "",
        "url": "",
        "query": "",
        "results": [sentence],
        "durationSeconds": 0,
    }


HOOKS = {"claude-code": AgentHooks(hook_of, answer, failure_answer)}
