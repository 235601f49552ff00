"""`spill hook`: events in the shapes agents send, and what their models then see."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doors_kit import Shell, ok
from hook_events import FITTING, WAYS, Json, Way, at, put, recorded
from overspill.agents import AGENTS
from overspill.agents.hooks import agent_hooks
from overspill.agents.hooks.shell import SCRIPT
from overspill.api import Overspill
from overspill.cli.hook import answer_event
from overspill.journal.calls import COMPACTION, call_rows
from overspill.redact.rules import made_up_value
from overspill.retrieve.tools import get_artifact
from spill_process import SPILL

LIMIT = 8_000
FAILURE = "ERROR: the disk is on fire"
LINES = [f"{number:06} all is well in here and nothing happens\n" for number in range(1_200)]
LONG = "".join([*LINES[:600], f"{FAILURE}\n", *LINES[600:]])

OWN = {  # with what the names of our tools begin; Cursor names no server, so its test is its own
    "claude-code": "mcp__overspill__",
    "codex": "mcp__overspill__",
    "gemini": "mcp_overspill_",
    "copilot": "overspill-",
    "opencode": "overspill_",
    "kilo": "overspill_",
    "pi": "overspill_",
    "cline": "overspill_",
    "qwen": "mcp__overspill__",
}
every_way = pytest.mark.parametrize("way", list(WAYS.values()), ids=list(WAYS))
every_agent = pytest.mark.parametrize("agent", AGENTS)
every_fitting_agent = pytest.mark.parametrize("agent", FITTING)


def answer(shell: Shell, agent: str, event: object) -> Json:
    """What the agent is told."""
    return cast("Json", json.loads(shell.hooked(agent, event if isinstance(event, str) else json.dumps(event))))


def answer_by_process(shell: Shell, agent: str, event: object) -> Json:
    """What the agent is told by the command that it runs."""
    sent = event if isinstance(event, str) else json.dumps(event)
    return cast("Json", json.loads(ok(shell.spill("hook", agent, stdin=sent, root=False)).out))


def seen(shell: Shell, way: Way, told: Json) -> str:
    """What the model then sees; Gemini CLI fetches it."""
    if way.seen == ("view",):
        call = at(told, "hookSpecificOutput", "tailToolCallRequest")
        assert at(call, "name") == "mcp_overspill_get_artifact"
        return ok(shell.spill("artifacts", "export", str(at(call, "args", "id")), "-")).out
    view = at(told, *way.seen)
    assert isinstance(view, str)
    return view


COMPACTIONS = {
    "claude-code": "session-compact",
    "codex": "session-compact",
    "copilot": "compact",
    "opencode": "compacted",
    "kilo": "compacted",
    "pi": "compacted",
    "qwen": "session-compact",
    "cursor": "compact",
    "vscode": "compact",
}


@pytest.mark.parametrize("agent", COMPACTIONS)
def test_a_compaction_is_logged_and_shows_as_a_row_without_a_result(tmp_path: Path, agent: str) -> None:
    """Issue 22: the strip of a session marks where its context was compacted."""
    shell = Shell(tmp_path)
    event = recorded(f"{agent}/{COMPACTIONS[agent]}")
    event["directory" if "directory" in event else "cwd"] = str(shell.root)
    assert answer(shell, agent, event) == {}
    (row,) = call_rows(str(shell.root / ".acode" / "logs"))
    assert (row.tool, row.event, row.marks, row.agent) == (COMPACTION, "compact", ("compacted",), agent)
    assert (row.said, row.host, row.shown, row.ours) == (0, 0, 0, 0)


@every_agent
def test_a_session_that_begins_is_no_compaction(tmp_path: Path, agent: str) -> None:
    shell = Shell(tmp_path)
    for source in ("startup", "resume", "clear"):
        event = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(shell.root), "source": source}
        assert answer(shell, agent, event) == {}
    assert list(call_rows(str(shell.root / ".acode" / "logs"))) == []


def artifact_in(view: str) -> str:
    found = re.search(r"art_[a-z0-9_]+", view)
    assert found
    return found[0]


@every_way
def test_a_long_result_reaches_the_model_as_a_view_with_an_id(shell: Shell, way: Way) -> None:
    event = way.event(LONG, shell.root)
    view = seen(shell, way, answer_by_process(shell, way.agent, event))
    assert len(view) <= LIMIT + len(way.ending)
    assert FAILURE in view
    assert view.endswith(way.ending)
    session = str(event[way.session])
    whole = ok(shell.spill("artifacts", "export", artifact_in(view), "-", "--session", session)).out
    assert whole == LONG


@every_way
def test_a_short_result_is_left_alone(shell: Shell, way: Way) -> None:
    told = answer_by_process(shell, way.agent, way.event("all is well\n", shell.root))
    assert told == {} or way.file is not None


@every_way
def test_a_secret_reaches_neither_the_model_nor_the_disk(shell: Shell, way: Way) -> None:
    secret = made_up_value("ghp_<A36>")
    told = answer(shell, way.agent, way.event(f"the token is {secret}\n", shell.root))
    assert secret not in json.dumps(told)
    assert "[REDACTED: " in seen(shell, way, told)
    told = answer(shell, way.agent, way.event(LONG + f"the token is {secret}\n" + LONG, shell.root))
    assert secret not in json.dumps(told)
    assert not [file for file in shell.root.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]


@pytest.mark.parametrize("name", [name for name, way in WAYS.items() if way.agent in OWN])
def test_what_is_fetched_is_not_cut_again(shell: Shell, name: str) -> None:
    way = WAYS[name]
    event = way.event(LONG, shell.root)
    key = next(key for key in ("tool_name", "toolName", "tool") if key in event)
    event.pop("mcp_context", None)
    for tool in ("get_artifact", "search_artifacts", "list_artifacts"):
        assert answer(shell, way.agent, event | {key: OWN[way.agent] + tool}) == {}


@pytest.mark.parametrize("agent", OWN)
@pytest.mark.parametrize("server", ["mlflow", "not_overspill", "overspill__x", "xoverspill", ""])
def test_a_tool_whose_name_only_ends_like_ours_is_fitted(shell: Shell, agent: str, server: str) -> None:
    way = next(way for way in WAYS.values() if way.agent == agent and way.file is None)
    event = way.event(LONG, shell.root)
    name = next(name for name in ("tool_name", "toolName", "tool") if name in event)
    for tool in ("get_artifact", "list_artifacts"):
        assert answer(shell, agent, event | {name: OWN[agent].replace("overspill", server) + tool}) != {}


def test_a_tool_of_another_server_is_not_ours_because_both_names_make_one(shell: Shell) -> None:
    """Gemini CLI joins them with the sign that both may hold."""
    event = WAYS["gemini mcp"].event(LONG, shell.root) | {"tool_name": "mcp_overspill_get_artifact"}
    put(event, "overspill_get", "mcp_context", "server_name")
    assert answer(shell, "gemini", event) != {}


@every_way
def test_what_is_fetched_by_a_command_is_not_cut_again(shell: Shell, way: Way) -> None:
    """And what any other tool says is cut, whatever it was asked for."""
    event = way.event(LONG, shell.root)
    given = next(event[name] for name in ("tool_input", "toolArgs", "args") if name in event)
    assert isinstance(given, dict)
    given["command"] = "spill artifacts show art_1 --limit 0"
    assert (answer(shell, way.agent, event) == {}) == (way.sample.split("-")[0] in {"bash", "shell"})
    given["command"] = "spill artifacts show art_1; env"
    assert answer(shell, way.agent, event) != {}


@every_way
def test_the_answer_holds_only_what_changed(shell: Shell, way: Way) -> None:
    """Everything else in the agent's own shape is as it came."""
    event = way.event(LONG, shell.root)
    told = answer(shell, way.agent, event)
    if way.agent == "claude-code" and way.file is None:
        put(told, at(event, *way.text), *way.seen)
        assert at(told, *("hookSpecificOutput", "updatedToolOutput")) == event["tool_response"]
    if way.agent == "copilot":
        assert at(told, "modifiedResult", "resultType") == "success"


def test_a_secret_in_any_other_place_of_a_result_is_hidden_there(shell: Shell) -> None:
    secret = made_up_value("ghp_<A36>")
    event = recorded("claude-code/glob") | {"cwd": str(shell.root)}
    put(event, ["a.txt", f"keys/{secret}"], "tool_response", "filenames")
    told = answer(shell, "claude-code", event)
    names = at(told, "hookSpecificOutput", "updatedToolOutput", "filenames")
    assert isinstance(names, list)
    assert names[0] == "a.txt"
    assert secret not in names[1]


def test_what_gemini_puts_around_a_result_is_not_shown_twice(shell: Shell) -> None:
    way = WAYS["gemini mcp"]
    wrapped = way.event(f"<untrusted_context>\n{LONG}\n</untrusted_context>", shell.root)
    assert "untrusted_context" not in seen(shell, way, answer(shell, "gemini", wrapped))


def test_claude_code_is_not_told_of_its_own_file_again(shell: Shell) -> None:
    """Where the path stays, it shows its own preview of that file instead of the view."""
    way = WAYS["claude file"]
    told = answer(shell, "claude-code", way.event(LONG, shell.root))
    result = at(told, "hookSpecificOutput", "updatedToolOutput")
    assert isinstance(result, dict)
    assert set(result) == {"stdout", "stderr", "interrupted", "isImage", "noOutputExpected"}


def test_a_file_is_never_renumbered(shell: Shell) -> None:
    """Claude Code numbers the lines of a file after the hook: only the end of them may go."""
    event = recorded("claude-code/read") | {"cwd": str(shell.root)}
    put(event, LONG, "tool_response", "file", "content")
    told = answer(shell, "claude-code", event)
    file = at(told, "hookSpecificOutput", "updatedToolOutput", "file")
    view = at(file, "content")
    assert isinstance(view, str)
    lines, source = view.splitlines(), LONG.splitlines()
    shown = next(place for place, (ours, theirs) in enumerate(zip(lines, source, strict=False)) if ours != theirs)
    assert shown > 900
    assert re.fullmatch(r"\[\.\.\. \d+ lines\]", lines[shown])
    assert re.match(r"\[\d+ lines, \d+ chars; rest: ", lines[shown + 1])
    assert len(lines) <= shown + 3
    assert at(file, "numLines") == len(lines)
    assert (at(file, "startLine"), at(file, "totalLines")) == (100, 1500)


def test_a_secret_in_a_file_is_hidden_in_its_line(shell: Shell) -> None:
    secret = made_up_value("ghp_<A36>")
    event = recorded("claude-code/read") | {"cwd": str(shell.root)}
    put(event, f"one\ntoken = {secret}\nthree", "tool_response", "file", "content")
    view = at(answer(shell, "claude-code", event), "hookSpecificOutput", "updatedToolOutput", "file", "content")
    assert isinstance(view, str)
    assert view.split("\n")[::2] == ["one", "three"]
    assert secret not in view


def test_claude_code_lets_every_shell_of_a_session_be_read(shell: Shell) -> None:
    lines = shell.home / "env.sh"
    shell.environ |= {"CLAUDE_ENV_FILE": str(lines), "CLAUDE_PROJECT_DIR": str(shell.root)}
    event = recorded("claude-code/session-start")
    assert answer(shell, "claude-code", event) == {}
    once = lines.read_text()
    readers = f"{shell.environ['XDG_CACHE_HOME']}/overspill"
    assert once == f". {SCRIPT} {shell.root} {event['session_id']} {SPILL} claude-code {readers}\n"
    assert answer(shell, "claude-code", event) == {}
    assert lines.read_text() == once


def test_the_end_of_a_session_ends_ours(shell: Shell) -> None:
    way = WAYS["claude bash"]
    answer(shell, "claude-code", way.event(LONG, shell.root))
    event = recorded("claude-code/session-end") | {"cwd": str(shell.root)}
    assert answer(shell, "claude-code", event) == {}
    states = ok(shell.spill("session", "list", "--json")).envelope["sessions"]
    assert [one["status"] for one in cast("list[Json]", states) if one["name"] == event["session_id"]] == ["ended"]


def test_codex_runs_a_command_after_the_line_that_begins_reading(shell: Shell) -> None:
    event = recorded("codex/bash-before") | {"cwd": str(shell.root)}
    told = at(answer(shell, "codex", event), "hookSpecificOutput")
    assert at(told, "permissionDecision") == "allow"  # without it, what is changed is not honoured
    line, command = str(at(told, "updatedInput", "command")).split("\n", 1)
    readers = f"{shell.environ['XDG_CACHE_HOME']}/overspill"
    assert line == f". {SCRIPT} {shell.root} {event['session_id']} {SPILL} codex {readers}"
    assert command == at(event, "tool_input", "command")
    elsewhere = "PATH=/usr/local/bin:/usr/bin:/bin"  # a login shell makes its own
    ran = ok(shell.line("{ " + elsewhere + "\n" + line + "\nseq 1 60000\n}"))
    assert re.match(r"\[60000 lines, \d+ chars; rest: get_artifact\(id=.art_", ran.out)


@pytest.mark.parametrize("before", ["", "cd 'sub folder' && ", "\n"])
@pytest.mark.parametrize("end", ["'EOF'", '"EOF"', "EOF"])
def test_codex_applies_a_patch_that_is_written_as_a_command(shell: Shell, before: str, end: str) -> None:
    """It knows one by the form of the whole command; with our line before it, it would look for a program."""
    patch = f"{before}apply_patch <<{end}\n*** Begin Patch\n*** Add File: a.txt\n+text\n*** End Patch\nEOF\n"
    event = recorded("codex/bash-before") | {"cwd": str(shell.root)}
    assert answer(shell, "codex", event | {"tool_input": {"command": patch}}) == {}
    for command in (f"{patch}cat notes.txt\n", f"{patch}cat notes.txt\nEOF\n", f"ls; {patch}", "apply_patch a.diff"):
        told = answer(shell, "codex", event | {"tool_input": {"command": command}})
        assert SCRIPT in str(at(told, "hookSpecificOutput", "updatedInput", "command")), command


def test_codex_lets_a_view_pass_after_what_was_said_while_the_command_ran(shell: Shell) -> None:
    view = ok(shell.spill("fit", "-", "--session", "s", stdin=LONG, root=False)).out
    sign = "listening on 4711\n[still running, 1 lines so far; above the newest, what fits is shown at the end]\n"
    event = recorded("codex/bash") | {"cwd": str(shell.root), "session_id": "s"}
    put(event, sign + view, "tool_response")
    assert answer(shell, "codex", event) == {}
    secret = made_up_value("ghp_<A36>")
    put(event, f"token={secret}\n{sign}{LONG}", "tool_response")
    shown = str(at(answer(shell, "codex", event), "reason"))
    assert secret not in shown
    assert len(shown) <= LIMIT + len(sign) + 60


@every_agent
@pytest.mark.parametrize(
    "sent", ["{}", '{"a": 1}', '{"tool_response": "\\ud800"}', '{"hook_event_name": "Stop"}'], ids=range(4)
)
def test_events_without_a_result_leave_the_agent_unharmed(shell: Shell, agent: str, sent: str) -> None:
    assert answer_by_process(shell, agent, sent) == {}


@pytest.mark.parametrize("words", [[], ["clod"], ["codex", "--nope"], ["codex", "a", "b"]])
def test_a_line_that_is_wrong_leaves_the_agent_unharmed(shell: Shell, words: list[str]) -> None:
    """An agent would take another status for a wish to stop it."""
    said = ok(shell.spill("hook", *words, stdin="{}", root=False))
    assert said.out == ""
    assert said.err.startswith("spill: ")


@every_fitting_agent
@pytest.mark.parametrize("directory", ["/nowhere/at/all", "a\0b", "\ud800", "x" * 5_000], ids=range(4))
def test_a_directory_that_is_none_does_not_let_the_text_through(shell: Shell, agent: str, directory: str) -> None:
    way = next(way for way in WAYS.values() if way.agent == agent)
    event = way.event(LONG, shell.root) | {"cwd": directory, "directory": directory}
    assert len(seen(shell, way, answer(shell, agent, event))) <= LIMIT + len(way.ending)


@every_fitting_agent
def test_a_huge_event_is_answered(shell: Shell, agent: str) -> None:
    way = next(way for way in WAYS.values() if way.agent == agent and way.file is None)
    text = LONG * (350 if agent == FITTING[0] else 60)  # 20 MB, and more than is held of a stream
    view = seen(shell, way, answer_by_process(shell, agent, way.event(text, shell.root)))
    assert len(view) <= LIMIT + len(way.ending)


@every_fitting_agent
def test_switched_off_it_changes_nothing(shell: Shell, agent: str) -> None:
    way = next(way for way in WAYS.values() if way.agent == agent)
    shell.environ["OVERSPILL"] = "off"
    assert answer(shell, agent, way.event(LONG, shell.root)) == {}


@every_fitting_agent
def test_settings_that_cannot_be_read_do_not_let_the_text_through(shell: Shell, agent: str) -> None:
    """A bounded view, by the defaults, and a line in the journal."""
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text("tools: [unclosed")
    way = next(way for way in WAYS.values() if way.agent == agent)
    told = answer(shell, agent, way.event(LONG, shell.root))
    (shell.root / ".agent" / "config.yml").unlink()
    assert len(seen(shell, way, told)) <= LIMIT + len(way.ending)
    lines = (shell.root / ".acode" / "logs" / "journal.jsonl").read_text().splitlines()
    assert [line for line in map(json.loads, lines) if line["event"] == "fail" and line["tool_name"] == "hook"]


@every_fitting_agent
def test_a_store_that_fails_does_not_let_the_text_through(shell: Shell, agent: str) -> None:
    shell.environ["OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__SESSION_QUOTA"] = "1"
    way = next(way for way in WAYS.values() if way.agent == agent)
    told = answer(shell, agent, way.event(LONG, shell.root))
    view = at(told, *(("reason",) if agent == "gemini" else way.seen))
    assert isinstance(view, str)
    assert len(view) <= LIMIT + len(way.ending)
    assert "could not be kept" in view


class Broken:
    """An agent whose hook has a fault."""

    def __init__(self, agent: str) -> None:
        real = agent_hooks(agent)
        self.hook_of, self.failure_answer = real.hook_of, real.failure_answer

    def answer(self, _event: Json, _hook: object) -> Json:
        raise ZeroDivisionError("with a password in it")


@every_fitting_agent
def test_a_fault_of_ours_shows_that_there_is_one_and_nothing_else(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    way = next(way for way in WAYS.values() if way.agent == agent and way.file is None)
    told = json.dumps(answer_event(Broken(agent), json.dumps(way.event(LONG, tmp_path)).encode()))  # type: ignore[arg-type]  # as good as a module
    assert "Output could not be shown: ZeroDivisionError" in told
    assert "all is well" not in told
    assert "password" not in told


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A hook goes where the agent is; a test comes back."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    os.chdir(tmp_path)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(way=st.sampled_from(list(WAYS.values())), value=anything, data=st.data())
def test_whatever_stands_in_an_event_there_is_an_answer(
    elsewhere: Path, way: Way, value: object, data: st.DataObject
) -> None:
    event = way.event("all is well\n", elsewhere)
    paths = list(_paths(event))
    put(event, value, *data.draw(st.sampled_from(paths)))
    told = answer_event(agent_hooks(way.agent), json.dumps(event).encode())
    assert isinstance(told, dict)
    json.dumps(told)


def _paths(value: object, *before: str | int) -> Iterator[tuple[str | int, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*before, step)
        yield from _paths(inner, *before, step)


def test_a_view_that_is_fetched_says_nothing_but_itself(shell: Shell) -> None:
    """Gemini CLI shows what our server answers in the place of a result."""
    way = WAYS["gemini shell"]
    event = way.event(LONG, shell.root)
    told = answer(shell, "gemini", event)
    artifact = str(at(told, "hookSpecificOutput", "tailToolCallRequest", "args", "id"))
    spill = Overspill(root=str(shell.root), session=str(event["session_id"]))
    fetched = get_artifact(spill, {"id": artifact})
    assert (fetched.content, fetched.note) == (seen(shell, way, told), "")
    assert get_artifact(spill, {"id": artifact_in(fetched.content)}).note
