"""Cursor, and the Local agent of VS Code: what their hooks are told, and what they may say.

This follows their documentation; neither was run here. Cursor:

sessionStart   may say what the model is to know: ours says how to run commands that may print much.
preToolUse     may stop a tool before it writes: ours is asked about the one that writes files, and stops marks of ours.
postToolUse    may replace what an MCP tool said, and nothing else: what commands say no hook may change.
preCompact     is told of every compaction, before it begins.

An event names the tool of a server, and not the server. So what is called like a tool of ours may be as long as an
artifact that is fetched, and is looked at like everything else.

VS Code:

SessionStart   may say what the model is to know: ours says how to run commands that may print much.
PreToolUse     may stop a tool before it runs, and is asked about every tool: ours stops marks of ours on their way into
               a file that the call names.
PreCompact     is told of every compaction, before it begins.
PostToolUse    is not ours: it may add to a result, or stop the work, and replaces nothing.
"""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, of_json
from overspill.agents.hooks import (
    OWN_TOOLS,
    AgentHooks,
    Hook,
    HostFacts,
    Json,
    mapped_result,
    one_text,
    redacted_result,
    text_at,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


SERVER_TOOL = "MCP:"  # with what the name of a server's tool begins
TEXTS = ("text", "")  # what is shown of a result
OWN_BLOCKS = 2  # of what our server says: a page, and a note beside it
ADVICE = (
    "Run commands that may print much as `spill run -- COMMAND` (a pipeline as `spill run -- sh -c '...'`): it prints "
    "what fits, keeps the rest and ends as the command does. get_artifact(id=...) fetches what was left out."
)


def cursor_hook(event: Json) -> Hook:
    roots = event.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    directory = os.environ.get("CURSOR_PROJECT_DIR") or first or text_at(event, "cwd")
    session = text_at(event, "conversation_id") or text_at(event, "session_id")
    return Hook(directory, session, "cursor", host=HostFacts(model=text_at(event, "model")))


def answer_cursor(event: Json, hook: Hook) -> Json:
    match text_at(event, "hook_event_name"):
        case "sessionStart":
            return {"additional_context": ADVICE}
        case "preToolUse":
            return _answer_to_write(event, hook)
        case "postToolUse" if text_at(event, "tool_name").startswith(SERVER_TOOL) and "tool_output" in event:
            return _answer_with_view(event, hook)
        case "preCompact":
            hook.note_compaction(text_at(event, "trigger"))
    return {}


def _answer_to_write(event: Json, hook: Hook) -> Json:
    from overspill.agents.hooks.writes import stop_reason

    reason = stop_reason(hook, event.get("tool_input"))
    return {"permission": "deny", "user_message": reason, "agent_message": reason} if reason else {}


def _answer_with_view(event: Json, hook: Hook) -> Json:
    result = result_of(event["tool_output"])
    is_error = isinstance(result, dict) and result.get("isError") is True
    hook.note_call(call_id=text_at(event, "tool_use_id"), model=text_at(event, "model"), failed=is_error)
    tool = text_at(event, "tool_name").removeprefix(SERVER_TOOL)

    def views_of(texts: Sequence[str]) -> list[str]:
        if tool in OWN_TOOLS and len(texts) <= OWN_BLOCKS:
            return [hook.fit_beginning(text, tool).text for text in texts]
        return [view.text for view in hook.fit_together(texts, tool)]

    if isinstance(result, dict) and isinstance(result.get("content"), list) and "structuredContent" not in result:
        shown = mapped_result(hook, result, TEXTS, views_of)
        return {} if shown == result else {"updated_mcp_tool_output": shown}
    safe = redacted_result(hook, result, TEXTS)
    text = one_text(safe)
    (view,) = views_of([text])
    return {} if view == text and safe == result else output_replacement(view)


def result_of(said: object) -> object:
    """What a tool said: the event holds it as JSON in a text.

    >>> result_of('{"content": []}'), result_of("no JSON")
    ({'content': []}, 'no JSON')
    """
    try:
        return of_json(said) if isinstance(said, str) else said
    except (ValueError, RecursionError):
        return said


def output_replacement(text: str) -> Json:
    """The answer that shows `text` in the place of what an MCP tool said."""
    return {"updated_mcp_tool_output": {"content": [{"type": "text", "text": text}]}}


def cursor_failure(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through, where it is one that may be replaced."""
    return output_replacement(sentence) if text_at(event, "hook_event_name") in {"postToolUse", ""} else {}


def vscode_hook(event: Json) -> Hook:
    return Hook(text_at(event, "cwd"), text_at(event, "sessionId") or text_at(event, "session_id"), "vscode")


def answer_vscode(event: Json, hook: Hook) -> Json:
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


def vscode_failure(event: Json, sentence: str) -> Json:
    """The answer when an event cannot be looked at: none, for there is no result in any of them to withhold."""
    del event, sentence
    return {}


HOOKS = {
    "cursor": AgentHooks(cursor_hook, answer_cursor, cursor_failure),
    "vscode": AgentHooks(vscode_hook, answer_vscode, vscode_failure),
}
