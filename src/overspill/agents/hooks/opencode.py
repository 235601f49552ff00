"""opencode: what our plugin tells of a tool and its result, and what it does with the answer.

before    a tool is about to write; if the answer says `stop`, it does not, and the model is told why.
after     `result` is {title, output, metadata} of its own tools, {content, structuredContent, isError} of others.
          What the answer holds takes the place of what the result holds. Of a long result `output` is a part,
          and `metadata.outputPath` the file that all of it is in.
compacting a session's context is about to be summarised; what the answer says as `context` is told to whoever does it.
compacted a session's context was compacted; the answer is not looked at.
"""

from __future__ import annotations

import os

from overspill.agents.hooks.opening import Hook, Json, open_saved
from overspill.agents.hooks.texts import KnownTools, fitted_result, text_at

SUMMARY = "Let the summary end with this, as it is:\n"
TEXTS = ("output", "text", "content")
TOOLS = KnownTools(("overspill_",), ("bash",), ("read",))


def hook_of(event: Json) -> Hook:
    return Hook(text_at(event, "directory"), text_at(event, "sessionID"), "opencode")


def answer(event: Json, hook: Hook) -> Json:
    tool, result = text_at(event, "tool"), event.get("result")
    if text_at(event, "event") == "compacted":
        hook.note_compaction()
    if text_at(event, "event") == "compacting":
        kept = hook.kept_results()
        return {"context": f"{SUMMARY}{kept}"} if kept else {}
    if text_at(event, "event") == "before":
        from overspill.agents.hooks.writes import stop_reason

        reason = stop_reason(hook, event.get("args"))
        return {"stop": reason} if reason else {}
    if not isinstance(result, dict) or TOOLS.fetches(tool, text_at(event, "args", "command")):
        return {}
    about = result.get("metadata")
    status = about.get("exit") if isinstance(about, dict) else None
    hook.note_call(
        command=text_at(event, "args", "command") if tool in TOOLS.shell else "",
        call_id=text_at(event, "callID"),
        failed=(isinstance(status, int) and status != 0) or result.get("isError") is True,
    )
    shown = _views(hook, event, tool, result)
    return {name: value for name, value in shown.items() if value != result.get(name)}


def _views(hook: Hook, event: Json, tool: str, result: Json) -> Json:
    output = result.get("output")
    if not isinstance(output, str):
        return _fit_blocks(hook, tool, result)
    if tool in TOOLS.reading:
        return {"output": hook.fit_beginning(output, tool, source=text_at(event, "args", "filePath")).text}
    source, path = text_at(event, "args", "command"), text_at(result, "metadata", "outputPath")
    saved = open_saved(path, _saving_folder(), bool) if path and tool in TOOLS.shell else None
    if saved is not None:
        with saved:
            return {"output": hook.fit(saved, tool, source=source).text}
    return {"output": hook.fit(output, tool, source=source).text}


def _saving_folder() -> str:
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, "opencode", "tool-output")


def _fit_blocks(hook: Hook, tool: str, result: Json) -> Json:
    shown = fitted_result(hook, {"content": result.get("content")}, TEXTS, tool)
    return shown if isinstance(shown, dict) else {}


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through. Before a run there is none."""
    if text_at(event, "event") in {"before", "compacting", "compacted"}:
        return {}
    result = event.get("result")
    output, content = {"output": sentence}, {"content": [{"type": "text", "text": sentence}]}
    if not isinstance(result, dict):
        return {**output, **content}
    return {**output} if "output" in result else {**content}
