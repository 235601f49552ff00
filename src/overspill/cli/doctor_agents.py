"""For `spill doctor`: the hooks of every agent that is set up, run as the agent would run them.

Each gets an event as the agent sends it, with a result that is too long; what the model would see of the answer
must fit.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from tempfile import TemporaryDirectory

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.agents import AGENTS
from overspill.agents.hooks import one_text, text_at
from overspill.agents.hooks.shell import own_path, shell_word
from overspill.agents.install import (
    PROGRAMS,
    UNTRIED,
    Agent,
    Around,
    Target,
    is_hook,
    is_server,
    jsonc,
    runs_program,
    words_of,
)
from overspill.agents.install.entries import THEIRS
from overspill.agents.install.plan import FileStatus, file_statuses, read_settings_file
from overspill.agents.install.tables import agent_called
from overspill.cli.doctor_checks import Finding, Patient
from overspill.cli.init import around_of
from overspill.cli.tables import visible
from overspill.errors import OverspillError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from overspill.agents.hooks import Json

LONG = "".join(f"{number}: what a tool says when it says too much\n" for number in range(1, 2001))
SESSION = "doctor"
PLUGINS = (
    "opencode",
    "kilo",
    "pi",
    "cline",
)  # agents that load a plugin of ours, which asks its hook the same everywhere


class CannedEvent(NamedTuple):
    """One event, and how to find in the answer what takes the place of the result."""

    event: Callable[[str], Json]  # in a directory
    seen: Callable[[Json], str]  # empty: the answer changes nothing
    first: Callable[[str], Json] | None = None  # an event that comes before it
    failure: str = "left a long result as it was"
    does: str = ""  # what it does where it neither fits a result nor stops a mark


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


def _plugin(directory: str) -> Json:
    result = {"title": "canned", "output": LONG, "metadata": {}}
    told = {"event": "after", "sessionID": SESSION, "directory": directory, "tool": "bash", "callID": "1", "args": {}}
    return {**told, "result": result}


# A secret that is hidden from a session, and what its model may then want to write.
HIDDEN, WRITTEN = "DB_PASSWORD=Zk8fQ2mX1pLr\n", "DB_PASSWORD=[REDACTED: PASSWORD]\n"
LET_THROUGH = "let a mark be written into a file"


def _claude_write(directory: str) -> Json:
    write = {"file_path": os.path.join(directory, "canned"), "content": WRITTEN}
    event = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": write}
    return {**event, "session_id": SESSION, "cwd": directory}


def _gemini_write(directory: str) -> Json:
    return {**_claude_write(directory), "hook_event_name": "BeforeTool", "tool_name": "write_file"}


def _copilot_write(directory: str) -> Json:
    write = {"path": os.path.join(directory, "canned"), "file_text": WRITTEN}
    return {"sessionId": SESSION, "cwd": directory, "toolName": "create", "toolArgs": write}


def _claude_secret(directory: str) -> Json:
    return {**_claude(directory), "tool_response": {"stdout": HIDDEN, "stderr": ""}}


def _gemini_secret(directory: str) -> Json:
    return {**_gemini(directory), "tool_response": {"llmContent": HIDDEN, "returnDisplay": ""}}


def _copilot_secret(directory: str) -> Json:
    return {**_copilot(directory), "toolResult": {"resultType": "success", "textResultForLlm": HIDDEN}}


ADVISES, NO_ADVICE = "says how to run what prints much", "did not say how to run what prints much"


def _cursor(directory: str, text: str = LONG) -> Json:
    return {
        "hook_event_name": "postToolUse",
        "conversation_id": SESSION,
        "workspace_roots": [directory],
        "tool_name": "MCP:canned",
        "tool_input": {},
        "tool_output": json.dumps({"content": [{"type": "text", "text": text}]}),
    }


def _cursor_seen(answer: Json) -> str:
    shown = answer.get("updated_mcp_tool_output")
    return one_text(shown) if shown else ""


def _gemini_seen(answer: Json) -> str:
    asked = text_at(answer, "hookSpecificOutput", "tailToolCallRequest", "args", "id")
    return text_at(answer, "reason") or (asked and f"[{asked}, fetched in its place]")


# By agent, and by the event in its settings; what is not here has no answer to look at.
EVENTS: dict[tuple[str, str], CannedEvent] = {
    ("claude-code", "PreToolUse"): CannedEvent(
        _claude_write,
        lambda answer: text_at(answer, "hookSpecificOutput", "permissionDecisionReason"),
        _claude_secret,
        LET_THROUGH,
    ),
    ("gemini", "BeforeTool"): CannedEvent(
        _gemini_write, lambda answer: text_at(answer, "reason"), _gemini_secret, LET_THROUGH
    ),
    ("copilot", "preToolUse"): CannedEvent(
        _copilot_write, lambda answer: text_at(answer, "permissionDecisionReason"), _copilot_secret, LET_THROUGH
    ),
    ("claude-code", "PostToolUse"): CannedEvent(
        _claude, lambda answer: text_at(answer, "hookSpecificOutput", "updatedToolOutput", "stdout")
    ),
    ("codex", "PreToolUse"): CannedEvent(
        _codex_before,
        lambda answer: text_at(answer, "hookSpecificOutput", "updatedInput", "command"),
        does="leads a command through us",
    ),
    ("qwen", "PreToolUse"): CannedEvent(
        lambda directory: {**_claude_write(directory), "tool_name": "write_file"},
        lambda answer: text_at(answer, "hookSpecificOutput", "permissionDecisionReason"),
        lambda directory: {**_gemini_secret(directory), "hook_event_name": "PostToolUse"},
        LET_THROUGH,
    ),
    ("qwen", "PostToolUse"): CannedEvent(
        lambda directory: {**_gemini(directory), "hook_event_name": "PostToolUse"},
        lambda answer: text_at(answer, "stopReason"),
    ),
    ("codex", "PostToolUse"): CannedEvent(_codex, lambda answer: text_at(answer, "reason")),
    ("gemini", "AfterTool"): CannedEvent(_gemini, _gemini_seen),
    ("copilot", "postToolUse"): CannedEvent(
        _copilot, lambda answer: text_at(answer, "modifiedResult", "textResultForLlm")
    ),
    ("cursor", "sessionStart"): CannedEvent(
        lambda directory: {**_cursor(directory, ""), "hook_event_name": "sessionStart"},
        lambda answer: text_at(answer, "additional_context"),
        failure=NO_ADVICE,
        does=ADVISES,
    ),
    ("cursor", "preToolUse"): CannedEvent(
        lambda directory: {**_cursor(directory), **_claude_write(directory), "hook_event_name": "preToolUse"},
        lambda answer: text_at(answer, "agent_message"),
        lambda directory: _cursor(directory, HIDDEN),
        LET_THROUGH,
    ),
    ("cursor", "postToolUse"): CannedEvent(_cursor, _cursor_seen),
    ("vscode", "SessionStart"): CannedEvent(
        lambda directory: {"hookEventName": "SessionStart", "sessionId": SESSION, "cwd": directory, "source": "new"},
        lambda answer: text_at(answer, "hookSpecificOutput", "additionalContext"),
        failure=NO_ADVICE,
        does=ADVISES,
    ),
    **{(agent, ""): CannedEvent(_plugin, lambda answer: text_at(answer, "output")) for agent in PLUGINS},
}


HOOK_SECONDS = 10.0  # seconds, then it is stopped
SLOW = 3.0  # seconds: every tool call waits for so long
NOT_FOUND = 127
MAX_ANSWER_CHARS = 1 << 24  # characters of an answer
SHOWN_CHARS = 120  # characters of what the agent would get
COMMAND = re.compile(r"^const COMMAND = (\[.*\])$", re.MULTILINE)


class HookRun(NamedTuple):
    """What a hook said."""

    text: str
    error: str
    status: int | None  # None: it was stopped
    seconds: float


def agents(patient: Patient) -> list[Finding]:
    """Every agent that is set up here or for the user, and what it would get from its hooks."""
    found: list[Finding] = []
    for name in AGENTS:
        for is_global in (False, True):
            around = around_of(patient.call)._replace(is_global=is_global)
            with suppress(OverspillError):  # without a home there are no settings of the user
                found += _agent_findings(agent_called(name), around)
    return found or [Finding(True, "none is set up; `spill init --show` says which can be", {"installed": []})]


def _agent_findings(agent: Agent, around: Around) -> Iterator[Finding]:
    for file in file_statuses(agent, around):
        if file.problem and _mentions_us(file):
            says = f"{agent.name} ({around.scope}): {visible(file.target.path)}: {file.problem}"
            yield Finding(False, says, _agent_facts(agent, around), around.init(agent.name, "--show"))
        if file.problem:
            continue
        yield from _strangers_in(agent, around, file)
        for event, line in hooks_in(agent, file.target):
            if (canned := EVENTS.get((agent.name, event))) is not None:
                yield _replay_hook(agent, around, event, line, canned)
        for command in servers_in(file.target):
            if not shutil.which(command):
                says = f"{agent.name} ({around.scope}): the MCP server's command {visible(command)} is not there"
                yield Finding(False, says, _agent_facts(agent, around), around.init(agent.name))


def _strangers_in(agent: Agent, around: Around, file: FileStatus) -> Iterator[Finding]:
    """What stands in the place of our hooks and our server, and is not equal to them."""
    for entry, state in zip(file.target.entries, file.states, strict=True):
        if state == THEIRS and runs_program(entry):
            where = f"{agent.name} ({around.scope}): {visible(file.target.path)}"
            says = f"{where}: {entry.place or 'the file'} is not equal to ours; look at what it runs"
            yield Finding(False, says, _agent_facts(agent, around), around.init(agent.name, "--show"))


def hooks_in(agent: Agent, target: Target) -> Iterator[tuple[str, str]]:
    """The hooks of ours in a file: the event, and the command line as it stands there."""
    text = (read_settings_file(target) or b"").decode("utf-8", "replace")
    if target.kind == "whole":
        if line := _plugin_line(text):
            yield "", line
    elif target.kind == "json" and text.strip():
        hooks = jsonc.lookup(text, ("hooks",))
        for event, listed in (hooks.value if hooks is not None and isinstance(hooks.value, dict) else {}).items():
            yield from ((event, line) for line in _hook_lines(listed, agent.name))


def _plugin_line(text: str) -> str:
    """The command line of our plugin; empty where it has none."""
    found = COMMAND.search(text)
    try:
        words = json.loads(found[1]) if found else []
    except (ValueError, RecursionError):
        return ""
    return " ".join(map(shell_word, map(str, words))) if isinstance(words, list) else ""


def _hook_lines(listed: object, agent: str) -> Iterator[str]:
    for one in listed if isinstance(listed, list) else ():
        inner = one.get("hooks") if isinstance(one, dict) else None
        for handler in inner if isinstance(inner, list) else [one]:
            if is_hook(handler, agent):
                yield str(handler.get("command") or handler.get("bash"))


def servers_in(target: Target) -> Iterator[str]:
    """The programs of servers of ours in a file."""
    text = (read_settings_file(target) or b"").decode("utf-8", "replace")
    for entry in target.entries:
        if entry.is_ours is is_server and text.strip():
            value = _settings_value(text, target, entry.keys)
            if isinstance(value, dict) and is_server(value):
                command = value["command"]
                yield str(command[0] if isinstance(command, list) else command)


def _settings_value(text: str, target: Target, keys: tuple[str, ...]) -> object:
    if target.kind == "json":
        node = jsonc.lookup(text, keys)
        return node.value if node else None
    from overspill.agents.install.entries import parse_toml

    value: object = parse_toml(text)
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _replay_hook(agent: Agent, around: Around, event: str, line: str, canned: CannedEvent) -> Finding:
    """Run one hook as the agent would, in a place of its own, and look at its answer."""
    where = f"{agent.name} ({around.scope}){', ' + event if event else ''}"
    facts: dict[str, object] = {**_agent_facts(agent, around), "event": event, "command": line}
    fix = around.init(agent.name)
    words = program_to_run(words_of(line, "hook", agent.name), around)
    if not words:
        says = f"{where}: `{visible(line)}` is not run by this check: it is not this program, or not certainly"
        return Finding(False, says, facts, fix)
    answer = answer_to(canned, [*words, "hook", agent.name])
    if answer.status == 0 and answer.seconds > SLOW:  # it may have compiled what all others find
        answer = min(answer, answer_to(canned, [*words, "hook", agent.name]), key=lambda one: one.seconds)
    facts["seconds"] = round(answer.seconds, 2)
    if wrong := _run_problem(answer):
        return Finding(False, f"{where}: `{visible(line)}` {wrong}", facts, fix)
    seen = canned.seen(json.loads(answer.text))
    if not seen and os.environ.get("OVERSPILL") == "off":
        return Finding(True, f"{where}: switched off by OVERSPILL=off", facts)
    if not seen or len(seen) >= len(LONG):
        return Finding(False, f"{where}: `{visible(line)}` {canned.failure}", facts, fix)
    says = f"{where}: {praise(canned, seen, answer.seconds)}{'' if agent.is_tried else f' ({UNTRIED})'}"
    return Finding(True, says, {**facts, **_seen_facts(canned, seen)})


def answer_to(canned: CannedEvent, words: list[str], environ: Mapping[str, str] = os.environ) -> HookRun:
    """What a hook answers to an event, after the one that comes before it, in a project of its own."""
    with TemporaryDirectory() as directory:
        if canned.first is not None:
            run_hook(words, json.dumps(canned.first(directory)), directory, environ)
        return run_hook(words, json.dumps(canned.event(directory)), directory, environ)


def praise(canned: CannedEvent, seen: str, seconds: float) -> str:
    """What a hook does that works."""
    if canned.does:
        return f"{canned.does} in {seconds:.2f} s"
    if canned.first is not None:
        return f"stops a mark on its way into a file in {seconds:.2f} s"
    first = visible(seen[:SHOWN_CHARS].partition("\n")[0])
    if len(seen) <= SHOWN_CHARS:
        return f"answers in {seconds:.2f} s with {first}"
    return f"{len(LONG):,} characters become {len(seen):,} in {seconds:.2f} s, beginning {first}"


def _seen_facts(canned: CannedEvent, seen: str) -> dict[str, object]:
    if canned.first is not None:
        return {"stopped": seen}
    return {"sent": len(LONG), "shown": len(seen), "view": seen[:SHOWN_CHARS]}


def program_to_run(words: list[str], around: Around) -> list[str]:
    """The words that start what settings name, its program by its full path; empty where it must not be run.

    Looking at a project that somebody else wrote must not start what it names: in its settings only this very
    program is run. The user's own may name another one, but none that lies in the project.
    """
    found = shutil.which(words[0]) if words else None
    command = os.path.abspath(found) if found else words[0] if words else ""
    if words and (_is_this_program(command, words) or tuple(words) == around.program):
        return [command, *words[1:]]
    inside = os.path.realpath(command).startswith(os.path.join(os.path.realpath(around.root), ""))
    return [command, *words[1:]] if around.is_global and os.path.isabs(command) and not inside else []


def _is_this_program(command: str, words: list[str]) -> bool:
    """Whether a path is the one that we were started by, or our other name beside it."""
    folder = os.path.dirname(os.path.realpath(own_path()))
    own = {os.path.realpath(os.path.join(folder, name)) for name in PROGRAMS}
    return bool(own_path()) and len(words) == 1 and os.path.realpath(command) in own


def run_hook(words: list[str], event: str, directory: str, environ: Mapping[str, str] = os.environ) -> HookRun:
    """A command with an event on its input, for as long as an agent may wait."""
    own = {
        "OVERSPILL_ROOT": directory,
        "XDG_STATE_HOME": os.path.join(directory, "state"),
        "CLAUDE_PROJECT_DIR": directory,
        "GEMINI_PROJECT_DIR": directory,
        "COPILOT_PROJECT_DIR": directory,
        "QWEN_PROJECT_DIR": directory,
        "CURSOR_PROJECT_DIR": directory,
        # Whether a hook works is asked here, not what its user has switched off.
        "OVERSPILL_AGENTS__STOP_MARKS": "true",
        "OVERSPILL_REDACTION__ENABLED": "true",
    }
    begun = time.monotonic()
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            words,
            cwd=directory,
            env={**environ, **own},
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
    except OSError as error:
        return HookRun("", (error.strerror or "").lower(), NOT_FOUND, time.monotonic() - begun)
    try:
        out, complaints = process.communicate(event.encode(), HOOK_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return HookRun("", "", None, time.monotonic() - begun)
    said, complained = (part.decode("utf-8", "replace")[:MAX_ANSWER_CHARS] for part in (out, complaints))
    return HookRun(said, complained, process.returncode, time.monotonic() - begun)


def _run_problem(answer: HookRun) -> str:
    """What is wrong with an answer, if anything."""
    if answer.status is None:
        return f"did not answer within {HOOK_SECONDS:g} seconds"
    if answer.status == NOT_FOUND:
        return f"cannot be started: {answer.error}"
    if answer.status:
        last = visible(answer.error.strip().rpartition("\n")[2][:SHOWN_CHARS])
        return f"ended with status {answer.status}{': ' + last if last else ''}"
    try:
        value = json.loads(answer.text)
    except ValueError:
        return "answered with something that is no JSON"
    if not isinstance(value, dict):
        return "answered with something that is no object"
    return f"took {answer.seconds:.1f} seconds, and every tool call waits for it" if answer.seconds > SLOW else ""


def _mentions_us(file: FileStatus) -> bool:
    with suppress(OverspillError):  # a link or a pipe: what lies there is not looked at
        return re.search(rb"\b(?:spill|acode|overspill)\b", read_settings_file(file.target) or b"") is not None
    return False


def _agent_facts(agent: Agent, around: Around) -> dict[str, object]:
    return {"agent": agent.name, "scope": around.scope}
