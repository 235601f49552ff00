"""Gemini CLI, and Qwen Code, which is made of it: what their hooks are told, and what they may say.

Gemini CLI:

BeforeTool     may stop a tool before it runs: ours is asked about those that write files, and stops marks of ours.
AfterTool      is told the whole result. It cannot replace it, but can ask for another call whose result takes its
               place: ours keeps the view and asks for it at our own server. Commands run as the model wrote them.
PreCompress    is not ours: it is told before every turn, also where nothing is compressed then (0.61).

Qwen Code:

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
from overspill.agents.hooks import (
    AgentHooks,
    Hook,
    HostFacts,
    Json,
    KnownTools,
    one_text,
    open_saved,
    redacted_result,
    text_at,
)

GEMINI_TOOLS = KnownTools(("mcp_overspill_",), ("run_shell_command",), ("read_file", "read_many_files"))
TEXTS = ("llmContent", "text", "content", "")  # what is shown of a result
MAX_VIEW_CHARS = (
    38_000  # of what is longer than 40,000 characters Gemini CLI shows both ends, and not that we left something out
)
EXIT_CODE = compile_pattern(r"\nExit Code: [1-9]\d*\n")
ENDING_CHARS = 300  # in which it says how a command ended
FETCH = "mcp_overspill_get_artifact"
# Gemini CLI puts these around what came from outside, and will put them around what we say.
BEGIN, END = "<untrusted_context>\n", "\n</untrusted_context>"

QWEN_TOOLS = KnownTools(("mcp__overspill__",), ("run_shell_command",), ("read_file", "read_many_files"))
SAVED = compile_pattern(
    r"Tool output was too large and has been truncated\.\nThe full output has been saved to: ([^\n]+)\n"
)
SAVED_NAME = compile_pattern(r"[0-9a-f]+/run_shell_command_\w+\.output")
DENIED = "execution_denied"


def gemini_hook(event: Json) -> Hook:
    directory = os.environ.get("GEMINI_PROJECT_DIR") or text_at(event, "cwd")
    return Hook(directory, text_at(event, "session_id"), "gemini")


def answer_gemini(event: Json, hook: Hook) -> Json:
    tool, response = text_at(event, "tool_name"), event.get("tool_response")
    if text_at(event, "hook_event_name") == "BeforeTool":
        from overspill.agents.hooks.writes import stop_reason

        reason = stop_reason(hook, event.get("tool_input"))
        return deny_answer(reason) if reason else {}
    if text_at(event, "hook_event_name") != "AfterTool" or _is_own(event, tool):
        return {}
    result = response.get("llmContent") if isinstance(response, dict) else response
    safe = redacted_result(hook, result, TEXTS)
    text = one_text(safe).removeprefix(BEGIN).removesuffix(END)
    is_shell = tool in GEMINI_TOOLS.shell
    hook.note_call(
        command=text_at(event, "tool_input", "command") if is_shell else "",
        failed=is_shell and EXIT_CODE.search(text, max(0, len(text) - ENDING_CHARS)) is not None,
    )
    if tool in GEMINI_TOOLS.reading:
        view = hook.fit_beginning(
            text, tool, source=text_at(event, "tool_input", "file_path"), at_most=MAX_VIEW_CHARS
        ).text
    else:
        view = hook.fit(text, tool, source=text_at(event, "tool_input", "command")).text
    if view == text and safe == result:
        return {}
    kept = hook.keep_view(view, tool)
    return deny_answer(view) if kept is None else fetch_answer(kept)


def _is_own(event: Json, tool: str) -> bool:
    """Whether our own server or program says it. Names of both may hold `_`, so the server is asked for, too."""
    server = text_at(event, "mcp_context", "server_name")
    return server in {"", "overspill"} and GEMINI_TOOLS.fetches(tool, text_at(event, "tool_input", "command"))


def fetch_answer(artifact_id: str) -> Json:
    """The answer that lets a view be fetched in the place of what the tool said."""
    call = {"name": FETCH, "args": {"id": artifact_id}}
    return {"hookSpecificOutput": {"hookEventName": "AfterTool", "tailToolCallRequest": call}}


def deny_answer(text: str) -> Json:
    """The answer that calls the tool failed, and shows `text` as the reason."""
    return {"decision": "deny", "reason": text}


def gemini_failure(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    return deny_answer(sentence) if text_at(event, "hook_event_name") in {"AfterTool", ""} else {}


def qwen_hook(event: Json) -> Hook:
    host = HostFacts(model=text_at(event, "model"))
    directory = os.environ.get("QWEN_PROJECT_DIR") or text_at(event, "cwd")
    return Hook(directory, text_at(event, "session_id"), "qwen", host=host)


def answer_qwen(event: Json, hook: Hook) -> Json:
    match text_at(event, "hook_event_name"):
        case "SessionStart" if text_at(event, "source") == "compact":
            return hook.compaction_answer()
        case "PreToolUse":
            from overspill.agents.hooks.writes import deny_write

            return deny_write(hook, event.get("tool_input"))
        case "PostToolBatch":
            return _answer_to_batch(event, hook)
        case "PostToolUse" if not QWEN_TOOLS.fetches(
            text_at(event, "tool_name"), text_at(event, "tool_input", "command")
        ):
            return _answer_with_view(event, hook)
    return {}


def _answer_with_view(event: Json, hook: Hook) -> Json:
    tool, response = text_at(event, "tool_name"), event.get("tool_response")
    result = response.get("llmContent") if isinstance(response, dict) else response
    safe = redacted_result(hook, result, TEXTS)
    text = one_text(safe)
    is_shell = tool in QWEN_TOOLS.shell
    command = text_at(event, "tool_input", "command") if is_shell else ""
    failed = is_shell and EXIT_CODE.search(text, max(0, len(text) - ENDING_CHARS)) is not None
    hook.note_call(command=command, call_id=text_at(event, "tool_call_id"), failed=failed)
    if tool in QWEN_TOOLS.reading:
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
    if not said or QWEN_TOOLS.fetches(tool, command):
        return {}
    hook.note_call(
        command=command if tool in QWEN_TOOLS.shell else "", call_id=text_at(last, "tool_call_id"), failed=True
    )
    view = _result_view(hook, tool, said, command, is_error=True)
    return {} if view == said else {"decision": "block", "reason": view}


def _result_view(hook: Hook, tool: str, text: str, source: str, *, is_error: bool = False) -> str:
    """The view of a result; of a long output all of it is in a file, which its first lines name."""
    said = SAVED.match(text) if tool in QWEN_TOOLS.shell else None
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


def qwen_failure(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    return stop_answer(sentence) if text_at(event, "hook_event_name") in {"PostToolUse", ""} else {}


HOOKS = {
    "gemini": AgentHooks(gemini_hook, answer_gemini, gemini_failure),
    "qwen": AgentHooks(qwen_hook, answer_qwen, qwen_failure),
}
