"""Codex: what its hooks are told, and what they may say.

SessionStart   is told of every compaction, when it is over, and may say what the model is to know then; ours is asked
               for nothing else.
PreToolUse     may change a command, if it also says that it may run; what the sandbox forbids stays forbidden.
               Ours also stops a patch that would write marks of ours.
PostToolUse    cannot replace a result, but can say that it is bad, and why: the reason is all that the model sees.
"""

from __future__ import annotations

from overspill._lite import compile_pattern
from overspill.agents.hooks import AgentHooks, Hook, HostFacts, Json, KnownTools, one_text, redacted_result, text_at
from overspill.agents.hooks.shell import SCRIPT, before_the_view, command_of, rewritten_command

TOOLS = KnownTools(("mcp__overspill__",), ("Bash",))
TEXTS = ("text", "content", "")  # what is shown of a result


def hook_of(event: Json) -> Hook:
    host = HostFacts(text_at(event, "transcript_path"), text_at(event, "model"))
    return Hook(text_at(event, "cwd"), text_at(event, "session_id"), "codex", host=host)


def answer(event: Json, hook: Hook) -> Json:
    tool = text_at(event, "tool_name")
    match text_at(event, "hook_event_name"):
        case "SessionStart" if text_at(event, "source") == "compact":
            return hook.compaction_answer()
        case "PreToolUse":
            from overspill.agents.hooks.writes import deny_write

            denied = deny_write(hook, event.get("tool_input"))
            return denied or (_rewrite_command(event, hook) if tool in TOOLS.shell else {})
        case "PostToolUse" if not TOOLS.fetches(tool, text_at(event, "tool_input", "command")):
            return _answer_with_view(event, hook)
    return {}


def is_patch(command: str) -> bool:
    r"""Whether Codex does not run a command, but applies it: `apply_patch`, its input, and nothing else.

    With a line before it Codex would run it, and find no such program.

    >>> is_patch("apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF\n"), is_patch("apply_patch <<E\nE\nls\nE")
    (True, False)
    """
    if "patch" not in command:
        return False
    start = r"\s*(?:cd\s[^\n;&|]+&&\s*)?(?:apply_patch|applypatch)\s*<<-?\s*(['\"]?)(\w+)\1[ \t]*\n"
    return compile_pattern(start + r"(?:(?!\2[ \t]*\n)[^\n]*\n)*\2\s*\Z").match(command) is not None


def _rewrite_command(event: Json, hook: Hook) -> Json:
    asked, wanted = event.get("tool_input"), text_at(event, "tool_input", "command")
    command = None if is_patch(wanted) else rewritten_command(wanted, hook)
    if command is None or not isinstance(asked, dict):
        return {}
    changed = {**asked, "command": command}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": changed,
        }
    }


def _answer_with_view(event: Json, hook: Hook) -> Json:
    """What a command says while it runs stands before its view, which is known and passes."""
    response = event.get("tool_response")
    is_shell = text_at(event, "tool_name") in TOOLS.shell
    command = text_at(event, "tool_input", "command") if is_shell else ""
    failed = isinstance(response, dict) and response.get("isError") is True
    hook.note_call(
        command=command_of(command) if SCRIPT in command else command,
        call_id=text_at(event, "tool_use_id"),
        model=text_at(event, "model"),
        failed=failed,
    )
    safe = redacted_result(hook, response, TEXTS)
    text = one_text(safe)
    signs = before_the_view(text) if is_shell else ""
    rest = text[len(signs) :]
    view = hook.fit(rest, text_at(event, "tool_name"), source=text_at(event, "tool_input", "command")).text
    shown = (hook.spill.workspace.redacted_text(signs) if signs else "") + view
    # What is not replaced stands as it is, with what is not shown of it.
    return {} if shown == text and safe == response else block_answer(shown)


def block_answer(text: str) -> Json:
    """The answer that shows `text` in the place of what the tool said."""
    return {"decision": "block", "reason": text}


def failure_answer(event: Json, sentence: str) -> Json:
    """The answer when a result cannot be looked at: it is not let through."""
    name = text_at(event, "hook_event_name")
    if name:
        return block_answer(sentence) if name == "PostToolUse" else {}
    # Before a run `stopReason` makes an answer void, so no command is kept from running; after it, it says nothing.
    return {**block_answer(sentence), "stopReason": sentence}


HOOKS = {"codex": AgentHooks(hook_of, answer, failure_answer)}
