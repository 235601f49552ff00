"""Events as agents send them, with a result that is too long, and what of an answer the model would see."""

from collections.abc import Callable

from overspill._lite import NamedTuple
from overspill.agents.hooks.opening import Json
from overspill.agents.hooks.texts import said

LONG = "".join(f"{number}: what a tool says when it says too much\n" for number in range(1, 2001))
SESSION = "doctor"


class Canned(NamedTuple):
    """One event, and how to find in the answer what takes the place of the result."""

    event: Callable[[str], Json]  # in a directory
    seen: Callable[[Json], str]  # empty: the answer changes nothing


def _claude(directory: str) -> Json:
    return {
        "hook_event_name": "PostToolUse",
        "session_id": SESSION,
        "cwd": directory,
        "tool_name": "Bash",
        "tool_input": {"command": "canned"},
        "tool_response": {"stdout": LONG, "stderr": "", "interrupted": False, "isImage": False},
    }


def _codex(directory: str) -> Json:
    return {
        "hook_event_name": "PostToolUse",
        "session_id": SESSION,
        "cwd": directory,
        "tool_name": "mcp__canned__tool",
        "tool_input": {},
        "tool_response": {"content": [{"type": "text", "text": LONG}], "isError": False},
    }


def _codex_before(directory: str) -> Json:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "make test"}}
    return {**event, "session_id": SESSION, "cwd": directory}


def _gemini(directory: str) -> Json:
    return {
        "hook_event_name": "AfterTool",
        "session_id": SESSION,
        "cwd": directory,
        "tool_name": "run_shell_command",
        "tool_input": {"command": "canned"},
        "tool_response": {"llmContent": LONG, "returnDisplay": ""},
    }


def _copilot(directory: str) -> Json:
    result = {"resultType": "success", "textResultForLlm": LONG}
    return {"sessionId": SESSION, "cwd": directory, "toolName": "bash", "toolArgs": {}, "toolResult": result}


def _opencode(directory: str) -> Json:
    result = {"title": "canned", "output": LONG, "metadata": {}}
    told = {"event": "after", "sessionID": SESSION, "directory": directory, "tool": "bash", "callID": "1", "args": {}}
    return {**told, "result": result}


def _gemini_seen(answer: Json) -> str:
    asked = said(answer, "hookSpecificOutput", "tailToolCallRequest", "args", "id")
    return said(answer, "reason") or (asked and f"[{asked}, fetched in its place]")


# By agent, and by the event in its settings; what is not here has no answer to look at.
EVENTS: dict[tuple[str, str], Canned] = {
    ("claude-code", "PostToolUse"): Canned(
        _claude, lambda answer: said(answer, "hookSpecificOutput", "updatedToolOutput", "stdout")
    ),
    ("codex", "PreToolUse"): Canned(
        _codex_before, lambda answer: said(answer, "hookSpecificOutput", "updatedInput", "command")
    ),
    ("codex", "PostToolUse"): Canned(_codex, lambda answer: said(answer, "reason")),
    ("gemini", "AfterTool"): Canned(_gemini, _gemini_seen),
    ("copilot", "postToolUse"): Canned(_copilot, lambda answer: said(answer, "modifiedResult", "textResultForLlm")),
    ("opencode", ""): Canned(_opencode, lambda answer: said(answer, "output")),
}
