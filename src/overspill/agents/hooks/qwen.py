"""Qwen Code: what its hooks are told, and what they may say.

SessionStart   is told of every compaction, when it is over, and may say what the model is to know then; ours is asked
               for nothing else.
PreToolUse     may stop a tool before it writes: ours is asked about those that write files, and stops marks of ours.
PostToolUse    cannot replace a result, but can say that it must not be shown, and why: the reason is all that the model
               sees. Of a call that failed it is not told.
PostToolBatch  is told of all calls of a turn, and may show another text in the place of the last: ours does where that
               one failed. Of others that failed beside it no hook may change the text.
"""

from __future__ import annotations

import os

from overspill._lite import compile_pattern
from overspill.agents.hooks.opening import Hook, HostFacts, Json, open_saved
from overspill.agents.hooks.texts import KnownTools, one_text, redacted_result, text_at

TOOLS = KnownTools(("mcp__overspill__",), ("run_shell_command",), ("read_file", "read_many_files"))
TEXTS = ("llmContent", "text", "content", "")  # what is shown of a result
EXIT_CODE = compile_pattern(r"\nExit Code: [1-9]\d*\n")
SAVED = compile_pattern(
    r"Tool output was too large and has been truncated\.\nThe full output has been saved to: ([^\n]+)\n"
)
SAVED_NAME = compile_pattern(r"[0-9a-f]+/run_shell_command_\w+\.output")
DENIED = "execution_denied"
ENDING_CHARS = 300  # in which it says how a command ended


def hook_of(event: Json) -> Hook:
    host = HostFacts(model=text_at(event, "model"))
    directory = os.environ.get("QWEN_PROJECT_DIR") or text_at(event, "cwd")
    return Hook(directory, text_at(event, "session_id"), "qwen", host=host)


def answer(event: Json, hook: Hook) -> Json:
    match text_at(event, "hook_event_name"):
        case "SessionStart" if text_at(event, "source") == "compact":
            return hook.compaction_answer()
        case "PreToolUse":
            from overspill.agents.hooks.writes import deny_write

            return deny_write(hook, event.get("tool_input"))
        case "PostToolBatch":
            return _answer_to_batch(event, hook)
        case "PostToolUse" if not TOOLS.fetches(text_at(event, "tool_name"), text_at(event, "tool_input", "command")):
            return _answer_with_view(event, hook)
    return {}


def _answer_with_view(event: Json, hook: Hook) -> Json:
    tool, response = text_at(event, "tool_name"), event.get("tool_response")
    result = response.get("llmContent") if isinstance(response, dict) else response
    safe = redacted_result(hook, result, TEXTS)
    text = one_text(safe)
    is_shell = tool in TOOLS.shell
    command = text_at(event, "tool_input", "command") if is_shell else ""
    failed = is_shell and EXIT_CODE.search(text, max(0, len(text) - ENDING_CHARS)) is not None
    hook.note_call(command=command, call_id=text_at(event, "tool_call_id"), failed=failed)
    if tool in TOOLS.reading:
        view = hook.fit_beginning(text, tool, source=text_at(event, "tool_input", "file_path")).text
    else:
        view = _result_view(hook, tool, text, text_at(event, "tool_input", "command"))
    return {} if view == text and safe == result else stop_answer(view)


def _answer_to_batch(event: Json, hook: Hook) -> Json:
    """What the last call of a batch said, where it failed: no other hook may show another text in its place."""
    calls = event.get("tool_calls")
    last = calls[-1] if isinstance(calls, list) and calls else None
    if not isinstance(last, dict) or last.get("status") != "error":
        return {}
    if (
        text_at(last, "tool_response", "error_type") == DENIED
    ):  # by a hook, ours or another's: it ran not, or was fitted
        return {}
    tool, command = text_at(last, "tool_name"), text_at(last, "tool_input", "command")
    said = _failed_text(last)
    if not said or TOOLS.fetches(tool, command):
        return {}
    hook.note_call(command=command if tool in TOOLS.shell else "", call_id=text_at(last, "tool_call_id"), failed=True)
    view = _result_view(hook, tool, said, command, is_error=True)
    return {} if view == said else {"decision": "block", "reason": view}


def _result_view(hook: Hook, tool: str, text: str, source: str, *, is_error: bool = False) -> str:
    """The view of a result; of a long output all of it is in a file, which its first lines name."""
    said = SAVED.match(text) if tool in TOOLS.shell else None
    saved = open_saved(said[1], _saving_folder(), _is_saved_name) if said else None
    if saved is None:
        return hook.fit(text, tool, is_error=is_error, source=source).text
    with saved:
        return hook.fit(saved, tool, is_error=is_error, source=source).text


def _saving_folder() -> str:
    return os.path.join(os.environ.get("QWEN_HOME") or os.path.join(os.path.expanduser("~"), ".qwen"), "tmp")


def _is_saved_name(rest: str) -> bool:
    return SAVED_NAME.fullmatch(rest) is not None


def _failed_text(call: Json) -> str:
    """What the model would be shown of a call that failed."""
    response = call.get("tool_response")
    parts = response.get("response_parts") if isinstance(response, dict) else None
    for part in parts if isinstance(parts, list) else ():
        held = part.get("functionResponse") if isinstance(part, dict) else None
        shown = held.get("response") if isinstance(held, dict) else None
        if isinstance(shown, dict):
            return one_text(shown.get("error") or shown.get("output") or "")
    return text_at(response, "error") if isinstance(response, dict) else ""


def stop_answer(text: str) -> Json:
    """The answer that shows `text` in the place of what the tool said; the agent goes on."""
    return {"continue": False, "stopReason": text}


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    return stop_answer(sentence) if text_at(event, "hook_event_name") in {"PostToolUse", ""} else {}
