"""Gemini CLI: what its hooks are told, and what they may say.

BeforeTool     may stop a tool before it runs: ours is asked about those that write files, and stops marks of ours.
AfterTool      is told the whole result. It cannot replace it, but can ask for another call whose result takes its
               place: ours keeps the view and asks for it at our own server. Commands run as the model wrote them.
PreCompress    is not ours: it is told before every turn, also where nothing is compressed then (0.61).
"""

from __future__ import annotations

import os

from overspill._lite import compile_pattern
from overspill.agents.hooks.opening import Hook, Json
from overspill.agents.hooks.texts import KnownTools, one_text, redacted_result, text_at

TOOLS = KnownTools(("mcp_overspill_",), ("run_shell_command",), ("read_file", "read_many_files"))
TEXTS = ("llmContent", "text", "content", "")  # what is shown of a result
MAX_VIEW_CHARS = (
    38_000  # of what is longer than 40,000 characters it shows both ends, and not that we left something out
)
EXIT_CODE = compile_pattern(r"\nExit Code: [1-9]\d*\n")
ENDING_CHARS = 300  # in which it says how a command ended
FETCH = "mcp_overspill_get_artifact"
# Gemini CLI puts these around what came from outside, and will put them around what we say.
BEGIN, END = "<untrusted_context>\n", "\n</untrusted_context>"


def hook_of(event: Json) -> Hook:
    directory = os.environ.get("GEMINI_PROJECT_DIR") or text_at(event, "cwd")
    return Hook(directory, text_at(event, "session_id"), "gemini")


def answer(event: Json, hook: Hook) -> Json:
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
    is_shell = tool in TOOLS.shell
    hook.note_call(
        command=text_at(event, "tool_input", "command") if is_shell else "",
        failed=is_shell and EXIT_CODE.search(text, max(0, len(text) - ENDING_CHARS)) is not None,
    )
    if tool in TOOLS.reading:
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
    return server in {"", "overspill"} and TOOLS.fetches(tool, text_at(event, "tool_input", "command"))


def fetch_answer(artifact_id: str) -> Json:
    """The answer that lets a view be fetched in the place of what the tool said."""
    call = {"name": FETCH, "args": {"id": artifact_id}}
    return {"hookSpecificOutput": {"hookEventName": "AfterTool", "tailToolCallRequest": call}}


def deny_answer(text: str) -> Json:
    """The answer that calls the tool failed, and shows `text` as the reason."""
    return {"decision": "deny", "reason": text}


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    return deny_answer(sentence) if text_at(event, "hook_event_name") in {"AfterTool", ""} else {}
