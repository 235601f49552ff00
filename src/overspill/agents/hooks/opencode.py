"""opencode: what our plugin tells of a tool's result, and what it does with the answer.

after     `result` is {title, output, metadata} of its own tools, {content, structuredContent, isError} of others.
          What the answer holds takes the place of what the result holds. Of a long result `output` is a part,
          and `metadata.outputPath` the file that all of it is in.
"""

from __future__ import annotations

import os

from overspill.agents.hooks.opening import Hook, Json
from overspill.agents.hooks.texts import fitted_result, is_own, text_at

TEXTS = ("output", "text", "content")
READING = ("read",)


def hook_of(event: Json) -> Hook:
    return Hook(text_at(event, "directory"), text_at(event, "sessionID"))


def answer(event: Json, hook: Hook) -> Json:
    tool, result = text_at(event, "tool"), event.get("result")
    if not isinstance(result, dict) or is_own(tool, text_at(event, "args", "command")):
        return {}
    shown = _views(hook, event, tool, result)
    return {name: value for name, value in shown.items() if value != result.get(name)}


def _views(hook: Hook, event: Json, tool: str, result: Json) -> Json:
    output = result.get("output")
    if not isinstance(output, str):
        return _fit_blocks(hook, tool, result)
    if tool in READING:
        return {"output": hook.fit_beginning(output, tool, source=text_at(event, "args", "filePath")).text}
    source, saved = text_at(event, "args", "command"), text_at(result, "metadata", "outputPath")
    if saved and os.path.isfile(saved):
        with open(saved, "rb") as whole:
            return {"output": hook.fit(whole, tool, source=source).text}
    return {"output": hook.fit(output, tool, source=source).text}


def _fit_blocks(hook: Hook, tool: str, result: Json) -> Json:
    shown = fitted_result(hook, {"content": result.get("content")}, TEXTS, tool)
    return shown if isinstance(shown, dict) else {}


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    result = event.get("result")
    if not isinstance(result, dict):
        return {}
    return {"output": sentence} if "output" in result else {"content": [{"type": "text", "text": sentence}]}
