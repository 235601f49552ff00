"""Cursor and VS Code: what their documentation lets a hook do, and no more. Neither was run here."""

import json
import re
from pathlib import Path

import pytest

from agents_kit import files_of, init
from doors_kit import Shell, ok
from hook_events import WAYS, Json, at, put, recorded
from overspill import Overspill
from overspill.agents.install import UNTRIED
from overspill.redact.rules import made_up_value
from overspill.retrieve.tools import get_artifact

LONG = "".join(f"{number:06} all is well in here and nothing happens\n" for number in range(7_000))
LIMIT = 8_000
EDITORS = ("cursor", "vscode")
ADVICE = {"cursor": ("additional_context",), "vscode": ("hookSpecificOutput", "additionalContext")}
# Every event that the documentation of Cursor knows: one that it does not know makes it reject the whole file.
CURSOR_EVENTS = [
    "sessionStart",
    "sessionEnd",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "subagentStart",
    "subagentStop",
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "beforeSubmitPrompt",
    "preCompact",
    "stop",
    "afterAgentResponse",
    "afterAgentThought",
    "beforeTabFileRead",
    "afterTabFileEdit",
]
VSCODE_EVENTS = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
]


def answer(shell: Shell, agent: str, event: Json) -> Json:
    said: Json = json.loads(ok(shell.spill("hook", agent, stdin=json.dumps(event), root=False)).out)
    return said


def fetched_event(shell: Shell, text: str) -> Json:
    return WAYS["cursor mcp"].event(text, shell.root) | {"tool_name": "MCP:get_artifact"}


@pytest.mark.parametrize("agent", EDITORS)
def test_a_session_begins_with_how_to_run_what_prints_much(shell: Shell, agent: str) -> None:
    """Issue 24: what no hook may replace, the model can run through us."""
    advice = at(answer(shell, agent, recorded(f"{agent}/session-start")), *ADVICE[agent])
    assert isinstance(advice, str)
    (line,) = re.findall(r"`(spill run -- )COMMAND`", advice)
    view = ok(shell.line(f"{line}seq 1 90000")).out
    assert len(view) <= LIMIT
    assert re.search(r"\bart_[a-z0-9_]+", view)


def test_what_a_command_said_is_left_alone_in_cursor(shell: Shell) -> None:
    """It takes another text for the results of MCP tools alone."""
    event = recorded("cursor/shell")
    event["tool_output"] = json.dumps({"exitCode": 0, "stdout": LONG})
    assert answer(shell, "cursor", event) == {}


def test_what_is_fetched_in_cursor_is_shown_as_it_is(shell: Shell) -> None:
    event = WAYS["cursor mcp"].event(LONG, shell.root)
    view = str(at(answer(shell, "cursor", event), *WAYS["cursor mcp"].seen))
    (artifact,) = set(re.findall(r"\bart_[a-z0-9_]+", view))
    spill = Overspill(root=str(shell.root), session=str(event["conversation_id"]))
    page = get_artifact(spill, {"id": artifact, "start_line": 1, "end_line": 7_000})
    assert len(page.content) > LIMIT
    fetched = fetched_event(shell, page.content)
    assert answer(shell, "cursor", fetched) == {}
    noted = json.loads(str(fetched["tool_output"]))
    noted["content"].append({"type": "text", "text": page.note})
    assert answer(shell, "cursor", fetched | {"tool_output": json.dumps(noted)}) == {}


def test_a_tool_of_another_server_with_the_name_of_ours_is_bounded_and_redacted_in_cursor(shell: Shell) -> None:
    """Its events name the tool and not the server."""
    secret = made_up_value("ghp_<A36>")
    told = answer(shell, "cursor", fetched_event(shell, f"the token is {secret}\n{LONG * 3}"))
    view = str(at(told, *WAYS["cursor mcp"].seen))
    assert secret not in json.dumps(told)
    assert "[REDACTED: " in view
    assert len(view) < len(LONG)
    many = fetched_event(shell, "")
    many["tool_output"] = json.dumps({"content": [{"type": "text", "text": LONG}] * 9})
    assert len(json.dumps(answer(shell, "cursor", many))) < 2 * LIMIT


@pytest.mark.parametrize(
    "result",
    [LONG, [LONG], {"rows": [{"name": f"row {number}"} for number in range(3_000)]}],
    ids=["text", "list", "rows"],
)
def test_a_result_of_another_shape_is_replaced_by_a_text_in_cursor(shell: Shell, result: object) -> None:
    for said in (result, {"content": [{"type": "text", "text": "ok"}], "structuredContent": {"all": result}}):
        event = recorded("cursor/mcp") | {"workspace_roots": [str(shell.root)], "tool_output": json.dumps(said)}
        blocks = at(answer(shell, "cursor", event), "updated_mcp_tool_output", "content")
        assert isinstance(blocks, list)
        assert len(blocks) == 1
        assert len(str(at(blocks, 0, "text"))) <= LIMIT


def test_a_picture_beside_a_long_text_stays_in_cursor(shell: Shell) -> None:
    picture = {"type": "image", "data": "iVBORw0KGgoA" * 12, "mimeType": "image/png"}
    event = recorded("cursor/mcp") | {"workspace_roots": [str(shell.root)]}
    event["tool_output"] = json.dumps({"content": [{"type": "text", "text": LONG}, picture], "isError": False})
    shown = at(answer(shell, "cursor", event), "updated_mcp_tool_output")
    assert at(shown, "content", 1) == picture
    assert at(shown, "isError") is False


def test_a_stopped_write_is_denied_in_cursors_words(shell: Shell) -> None:
    view = at(answer(shell, "cursor", WAYS["cursor mcp"].event(LONG, shell.root)), *WAYS["cursor mcp"].seen)
    event = recorded("cursor/write-before") | {"workspace_roots": [str(shell.root)]}
    put(event, view, "tool_input", "content")
    told = answer(shell, "cursor", event)
    assert told["permission"] == "deny"
    assert told["user_message"] == told["agent_message"]
    assert set(told) == {"permission", "user_message", "agent_message"}


def test_nothing_is_allowed_that_cursor_would_ask_about(shell: Shell) -> None:
    """A permission in the answer would approve the call."""
    assert answer(shell, "cursor", recorded("cursor/write-before")) == {}


def test_a_mark_that_goes_into_no_file_is_not_stopped_in_vs_code(shell: Shell) -> None:
    """It asks about every tool, also about those that write no file."""
    source = shell.root / "said.txt"
    source.write_text(LONG)
    view = ok(shell.spill("run", "--", "cat", str(source), root=False)).out
    event = recorded("vscode/create-before") | {"cwd": str(shell.root)}
    put(event, view, "tool_input", "content")
    assert at(answer(shell, "vscode", event), "hookSpecificOutput", "permissionDecision") == "deny"
    assert answer(shell, "vscode", event | {"tool_name": "say", "tool_input": {"text": view}}) == {}


@pytest.mark.parametrize("event", ["PostToolUse", "Stop", "UserPromptSubmit"])
def test_other_events_of_vs_code_are_left_alone(shell: Shell, event: str) -> None:
    said = recorded("vscode/create-before") | {"hookEventName": event, "tool_response": LONG}
    assert answer(shell, "vscode", said) == {}


@pytest.mark.parametrize(("agent", "known"), [("cursor", CURSOR_EVENTS), ("vscode", VSCODE_EVENTS)])
def test_the_files_are_as_the_documentation_has_them(agent: str, known: list[str], tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, agent))
    hooks, servers = (json.loads(path.read_text()) for path in files_of(shell, agent, "project"))
    assert hooks["hooks"]
    assert set(hooks["hooks"]) <= set(known)
    # Cursor demands it; VS Code takes a file with it for one of Copilot CLI.
    assert hooks.get("version") == (1 if agent == "cursor" else None)
    for (handler,) in hooks["hooks"].values():
        assert handler["command"] == f"spill hook {agent}"
        assert set(handler) <= {"type", "command", "timeout", "matcher"}
        assert agent == "cursor" or "matcher" not in handler  # it knows none
    server = servers["mcpServers" if agent == "cursor" else "servers"]["overspill"]
    assert (server["command"], server["args"]) == ("spill", ["mcp", "serve"])


@pytest.mark.parametrize("agent", EDITORS)
def test_it_is_said_that_they_were_not_run(agent: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert UNTRIED in ok(init(shell, agent)).out
    assert UNTRIED in ok(shell.spill("init", agent, "--show")).out
    doctor = ok(shell.spill("doctor")).out
    assert UNTRIED in doctor
    assert ("characters become" in doctor) == (agent == "cursor")
    assert UNTRIED not in ok(init(shell, "gemini")).out


def test_two_files_in_the_folder_of_hooks_are_no_ones_loss(tmp_path: Path) -> None:
    """VS Code and Copilot CLI read the same folder, so each has a file of its own."""
    shell = Shell(tmp_path)
    ok(init(shell, "copilot"))
    before = {path: path.read_text() for path in files_of(shell, "copilot", "project")}
    ok(init(shell, "vscode"))
    ok(init(shell, "vscode", "project", "--uninstall"))
    assert {path: path.read_text() for path in files_of(shell, "copilot", "project")} == before
