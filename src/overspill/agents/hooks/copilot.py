"""Copilot CLI: what its hooks are told, and what they may say.

preToolUse     may stop a tool before it runs: ours is asked about those that write files, and stops marks of ours.
postToolUse    may replace a result. Of a long one it is told the beginning, and the file that all of it is in.

preCompact     is told of every compaction, before it begins.

An event does not say what it is: what has a result comes after the run, and what has a trigger is a compaction.
"""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.agents.hooks import AgentHooks, Hook, Json, KnownTools, one_text, open_saved, redacted_result, text_at

if TYPE_CHECKING:
    from typing import BinaryIO

SAVED = compile_pattern(r"Output too large to read at once \([^)\n]*\)\. Saved to: ([^\n]+)\n")
SAVED_NAME = compile_pattern(r"\d+-copilot-tool-output-[\w-]+\.txt")
ENDING = compile_pattern(r"\n<shellId: [^\n>]*>\s*\Z")
FAILED = compile_pattern(r"exit code [1-9]")
TOOLS = KnownTools(("overspill-",), ("bash", "powershell"), ("view",))
TEXT = "textResultForLlm"
KINDS = ("success", "failure", "rejected", "denied")


def hook_of(event: Json) -> Hook:
    directory = os.environ.get("COPILOT_PROJECT_DIR") or text_at(event, "cwd")
    return Hook(directory, text_at(event, "sessionId"), "copilot")


def answer(event: Json, hook: Hook) -> Json:
    tool, result = text_at(event, "toolName"), event.get("toolResult")
    if is_compaction(event):
        hook.note_compaction(text_at(event, "trigger"))
    if result is None:
        return _write_answer(event, hook)
    if TOOLS.fetches(tool, text_at(event, "toolArgs", "command")):
        return {}
    told = result if isinstance(result, dict) else {TEXT: result}
    text = one_text(told.get(TEXT))
    ending = ENDING.search(text)
    hook.note_call(
        command=text_at(event, "toolArgs", "command") if tool in TOOLS.shell else "",
        failed=told.get("resultType") == "failure" or (ending is not None and FAILED.search(ending[0]) is not None),
    )
    rest = redacted_result(hook, {name: value for name, value in told.items() if name != TEXT})
    shown = {**(rest if isinstance(rest, dict) else {}), TEXT: _result_view(event, hook, tool, text) if text else text}
    return {} if shown == {**told, TEXT: text} else {"modifiedResult": shown}


def _write_answer(event: Json, hook: Hook) -> Json:
    """The answer before a tool runs: none, unless it would write marks of ours."""
    from overspill.agents.hooks.writes import stop_reason

    reason = stop_reason(hook, event.get("toolArgs"))
    return {"permissionDecision": "deny", "permissionDecisionReason": reason} if reason else {}


def is_compaction(event: Json) -> bool:
    """Whether no tool was run: the event tells that the context is about to be compacted.

    >>> is_compaction({"trigger": "auto"}), is_compaction({"trigger": "auto", "toolName": "bash"})
    (True, False)
    """
    return "trigger" in event and not event.keys() & {"toolName", "toolResult"}


def _result_view(event: Json, hook: Hook, tool: str, text: str) -> str:
    """The view of a result, and behind it how the command ended, which Copilot CLI says in a last line."""
    if tool in TOOLS.reading:
        return hook.fit_beginning(text, tool, source=text_at(event, "toolArgs", "path")).text
    ending = ENDING.search(text)
    body = text[: ending.start()] if ending else text
    source = text_at(event, "toolArgs", "command")
    saved = _saved_output(text) if tool in TOOLS.shell else None
    if saved is not None:
        with saved:
            view = hook.fit(saved, tool, source=source).text
    else:
        view = hook.fit(body, tool, source=source).text
    return view + (ending[0] if ending else "")


def _saved_output(text: str) -> BinaryIO | None:
    """The file that a result is in, if the agent can have written it: anybody can write such a text."""
    said = SAVED.match(text)
    folder = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108  # where the agent writes
    return open_saved(said[1], folder, lambda rest: SAVED_NAME.fullmatch(rest) is not None) if said else None


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    if is_compaction(event):
        return {}
    kind = text_at(event, "toolResult", "resultType")
    return {"modifiedResult": {"resultType": kind if kind in KINDS else "success", TEXT: sentence}}


HOOKS = {"copilot": AgentHooks(hook_of, answer, failure_answer)}
