"""Copilot CLI: what its hooks are told, and what they may say.

postToolUse    may replace a result. Of a long one it is told the beginning, and the file that all of it is in.

An event does not say what it is: what has a result comes after the run.
"""

from __future__ import annotations

import os
import re

from overspill.agents.hooks.opening import Hook, Json
from overspill.agents.hooks.texts import is_own, text_at

SAVED = re.compile(r"Output too large to read at once \([^)\n]*\)\. Saved to: ([^\n]+)\n")
ENDING = re.compile(r"\n<shellId: [^\n>]*>\s*\Z")
READING = ("view",)


def hook_of(event: Json) -> Hook:
    return Hook(os.environ.get("COPILOT_PROJECT_DIR") or text_at(event, "cwd"), text_at(event, "sessionId"))


def answer(event: Json, hook: Hook) -> Json:
    tool, text = text_at(event, "toolName"), text_at(event, "toolResult", "textResultForLlm")
    if not text or is_own(tool, text_at(event, "toolArgs", "command")):
        return {}
    view = _result_view(event, hook, tool, text)
    return {} if view == text else result_replacement(event, view)


def _result_view(event: Json, hook: Hook, tool: str, text: str) -> str:
    """The view of a result, and behind it how the command ended, which Copilot CLI says in a last line."""
    if tool in READING:
        return hook.fit_beginning(text, tool, source=text_at(event, "toolArgs", "path")).text
    ending = ENDING.search(text)
    body = text[: ending.start()] if ending else text
    source = text_at(event, "toolArgs", "command")
    saved = SAVED.match(text)
    if saved and os.path.isfile(saved[1]):
        with open(saved[1], "rb") as whole:
            view = hook.fit(whole, tool, source=source).text
    else:
        view = hook.fit(body, tool, source=source).text
    return view + (ending[0] if ending else "")


def result_replacement(event: Json, text: str) -> Json:
    """The answer that puts `text` in the place of what the tool said."""
    result = event.get("toolResult")
    return {"modifiedResult": {**(result if isinstance(result, dict) else {}), "textResultForLlm": text}}


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    return result_replacement(event, sentence) if "toolResult" in event else {}
