"""`spill hook` and what strangers say: no file is read for it, no secret passes, and whatever fails shows nothing."""

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from doors_kit import Shell
from hook_events import EXIT, FITTING, WAYS, Json, Way, at, put, recorded, told
from overspill.agents.hooks import AgentHooks, agent_hooks, is_own_command
from overspill.agents.hooks.shell import command_of
from overspill.cli.hook import answer_event, answer_in_time

FILES = {name: way for name, way in WAYS.items() if way.file is not None}
PRIVATE = "the diary of this user, in which it stands who she loves\n"
PASSWORD = "Zk8fQ2mX1pLr"

every_file = pytest.mark.parametrize("way", list(FILES.values()), ids=list(FILES))
TEXTS = {name: way for name, way in WAYS.items() if way.file is None}
every_text = pytest.mark.parametrize("way", list(TEXTS.values()), ids=list(TEXTS))
every_agent = pytest.mark.parametrize("agent", FITTING)


# -- files ---------------------------------------------------------------------------------------------------------


def leave(private: Path, _saved: Path) -> Path:
    """A path that has nothing to do with the agent."""
    return private


def link(private: Path, saved: Path) -> Path:
    saved.unlink()
    saved.symlink_to(private)
    return saved


def hard_link(private: Path, saved: Path) -> Path:
    saved.unlink()
    os.link(private, saved)
    return saved


def linked_folder(private: Path, saved: Path) -> Path:
    """A folder of the right name in the right place, which is a link."""
    elsewhere = private.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / saved.name).write_text(PRIVATE)
    (saved.parent / "tool-results").symlink_to(elsewhere)
    return saved.parent / "tool-results" / saved.name


def environ(_private: Path, _saved: Path) -> Path:
    return Path("/proc/self/environ")


def climb(private: Path, saved: Path) -> Path:
    """A path that begins where the agent saves and ends elsewhere."""
    return Path(f"{saved.parent}{'/..' * 12}{private}")


def pipe(_private: Path, saved: Path) -> Path:
    saved.unlink()
    os.mkfifo(saved)
    return saved


def old(_private: Path, saved: Path) -> Path:
    saved.write_text(PRIVATE)
    os.utime(saved, (time.time() - 7_200,) * 2)
    return saved


def directory(_private: Path, saved: Path) -> Path:
    return saved.parent


def nul(private: Path, _saved: Path) -> Path:
    return Path(f"{private}\0.txt")


TRICKS = [leave, environ, link, hard_link, linked_folder, climb, pipe, old, directory, nul]


@every_file
@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.__name__)
def test_a_file_that_the_agent_did_not_save_is_not_read(
    shell: Shell, way: Way, trick: Callable[[Path, Path], Path]
) -> None:
    event = way.event("what the agent saved\n" * 3_000, shell.root)
    private = shell.home / "private.txt"
    private.write_text(PRIVATE)
    path = str(trick(private, shell.home / way.saved))
    assert way.file
    if way.agent == "claude-code":
        put(event, path, "tool_response", "persistedOutputPath")
    elif way.agent in {"opencode", "kilo"}:
        put(event, path, "result", "metadata", "outputPath")
    elif way.agent in {"pi", "qwen"}:
        way.file(event, path)
    else:
        said = f"Output too large to read at once (9 KB). Saved to: {path}\nPreview:\n1{EXIT}"
        put(event, said, "toolResult", "textResultForLlm")
    said = told(shell, way.agent, event)
    assert "diary" not in said
    assert "HOME=" not in said


@every_file
def test_what_another_tool_says_leads_to_no_file(shell: Shell, way: Way) -> None:
    """Even to one that the agent did save: a server may have written the fields that name it."""
    event = way.event(PRIVATE * 2_000, shell.root)
    if way.agent == "claude-code":
        put(event, "short", "tool_response", "stdout")
    name = next(name for name in ("tool_name", "toolName", "tool") if name in event)
    assert "diary" in told(shell, way.agent, event)
    assert "diary" not in told(shell, way.agent, event | {name: "mcp__talk__report"})


# -- events that cannot be read, hooks that fail -----------------------------------------------------------------------


def deep(event: Json) -> bytes:
    # Deeper than any Python reads: how deep that is differs by version.
    return json.dumps(event | {"zzz": "@"}).replace('"@"', "[" * 200_000 + "]" * 200_000).encode()


def long_number(event: Json) -> bytes:
    return json.dumps(event | {"zzz": "@"}).replace('"@"', "7" * 5_000).encode()


def no_text(event: Json) -> bytes:
    return json.dumps(event).encode().replace(b"all is well", b"all is \xff\xfe well")


def cut_off(event: Json) -> bytes:
    return json.dumps(event).encode()[:-2]


def empty(_event: Json) -> bytes:
    return b""


def blank(_event: Json) -> bytes:
    return b"  \n"


def no_object(event: Json) -> bytes:
    return json.dumps([event]).encode()


def a_text(_event: Json) -> bytes:
    return b'"text"'


UNREADABLE = [deep, long_number, no_text, cut_off, empty, blank, no_object, a_text]


@every_text
@pytest.mark.parametrize("broken", UNREADABLE, ids=lambda broken: broken.__name__)
def test_the_result_in_an_event_that_cannot_be_read_is_withheld(
    way: Way, broken: Callable[[Json], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "root").mkdir()
    monkeypatch.chdir(tmp_path)
    sent = broken(way.event("all is well\n", tmp_path / "root"))
    answered = answer_event(agent_hooks(way.agent), sent)
    said = json.dumps(answered)
    assert "Output could not be shown: an event that cannot be read" in said
    assert "all is" not in said
    assert len(said) < 2_000
    way_out = {
        "claude-code": ("hookSpecificOutput", "updatedToolOutput"),
        "codex": ("reason",),
        "gemini": ("reason",),
        "copilot": ("modifiedResult", "textResultForLlm"),
        "opencode": ("output",),
        "kilo": ("output",),
        "pi": ("output",),
        "cline": ("output",),
        "qwen": ("stopReason",),
        "cursor": ("updated_mcp_tool_output", "content"),
    }
    assert at(answered, *way_out[way.agent])


@pytest.mark.parametrize(
    "sample", ["codex/bash-before", "codex/mcp-before", "codex/session-start", "gemini/shell-before"]
)
@pytest.mark.parametrize("broken", UNREADABLE[:4], ids=lambda broken: broken.__name__)
def test_an_event_before_a_run_that_cannot_be_read_stops_nothing(sample: str, broken: Callable[[Json], bytes]) -> None:
    event = recorded(sample) | {"note": "all is well", "tool_response": "a name in the wrong place"}
    assert answer_event(agent_hooks(sample.partition("/")[0]), broken(event)) == {}


def test_codex_takes_the_answer_to_an_unknown_event_as_void_before_a_run() -> None:
    """Its `stopReason` is not allowed there, so the command runs; after a run the reason stands for the result."""
    answered = answer_event(agent_hooks("codex"), b"")
    assert answered["decision"] == "block"
    assert answered["stopReason"] == answered["reason"]


def test_what_a_result_holds_does_not_say_which_event_it_is() -> None:
    """A server that makes an event unreadable cannot make it look like another one."""
    event = recorded("codex/mcp")
    put(event, {"hook_event_name": "PreToolUse"}, "tool_input")
    text = json.dumps({"tool_input": event.pop("tool_input"), **event, "zzz": "@"}).replace('"@"', "[" * 5_000)
    assert answer_event(agent_hooks("codex"), text.encode())["decision"] == "block"


@pytest.mark.parametrize("sample", ["read", "grep", "glob", "bash", "bash-long", "mcp", "mcp-structured"])
def test_claude_code_honours_what_stands_for_a_result_because_it_has_its_shape(sample: str) -> None:
    """It shows the result itself where the shape of what is to replace it is not the tool's."""
    event = recorded(f"claude-code/{sample}")
    answered = agent_hooks("claude-code").failure_answer(event, "Sorry.")
    shown = at(answered, "hookSpecificOutput", "updatedToolOutput")
    assert "Sorry." in json.dumps(shown)
    assert len(json.dumps(shown)) < 400
    if not sample.startswith("mcp"):
        assert same_shape(shown, event["tool_response"])


def same_shape(ours: object, theirs: object) -> bool:
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and all(
            same_shape(ours.get(name), value) for name, value in theirs.items() if not name.startswith("persisted")
        )
    if isinstance(theirs, list):
        return isinstance(ours, list)
    return type(ours) is type(theirs)


class Faulty:
    """An agent whose hook does something else than to answer."""

    def __init__(self, agent: str, act: Callable[[], object]) -> None:
        real = agent_hooks(agent)
        self.hook_of, self.failure_answer, self.act = real.hook_of, real.failure_answer, act

    def answer(self, _event: Json, _hook: object) -> Json:
        self.act()
        return {}


def never_end() -> None:
    while True:
        pass


def never_end_in_a_library() -> None:
    """In which no other thread runs."""
    re.match(r"(a+)+$", "a" * 64 + "b")


def die() -> None:
    os.kill(os.getpid(), 9)


def hide_every_error() -> None:
    while True:
        try:
            time.sleep(10)
        except BaseException:  # noqa: BLE001  # as somebody might
            continue


@every_agent
@pytest.mark.parametrize(
    "act", [never_end, never_end_in_a_library, die, hide_every_error], ids=lambda act: act.__name__
)
def test_a_hook_that_gives_no_answer_in_time_is_answered_for(
    agent: str, act: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    way = next(way for way in WAYS.values() if way.agent == agent and way.file is None)
    sent = json.dumps(way.event("all is well\n" * 9_000, tmp_path)).encode()
    begun = time.monotonic()
    said = answer_in_time(lambda: cast("AgentHooks", Faulty(agent, act)), sent, 0.5)
    assert time.monotonic() - begun < 30
    assert "Output could not be shown: no answer within 0.5 s" in said
    assert "all is well" not in said
    assert len(said) < 2_000


@every_agent
def test_a_project_with_very_many_rules_does_not_make_the_hook_late(shell: Shell, agent: str) -> None:
    """An agent that waits too long shows what the tool said."""
    way = next(way for way in WAYS.values() if way.agent == agent and way.file is None)
    (shell.root / ".agent").mkdir()
    many = 18_000 if agent == FITTING[0] else 3_000  # they are read before it is known whose hook it is
    rules = "".join(f"- {{name: r{number}, type: X, pattern: 'r{number}[a-z]+'}}\n" for number in range(many))
    (shell.root / ".agent" / "config.yml").write_text(f"redaction.rules:\n{rules}")
    begun = time.monotonic()
    said = told(shell, way.agent, way.event(f"password={PASSWORD} and more of it\n" * 400, shell.root))
    assert time.monotonic() - begun < 25
    assert PASSWORD not in said
    assert "REDACTED" in said


@every_agent
def test_an_answer_that_cannot_be_written_is_none(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    way = next(way for way in WAYS.values() if way.agent == agent and way.file is None)
    nested: object = "all is well"
    for _ in range(600):
        nested = [nested]
    event = way.event("all is well\n", tmp_path)
    put(event, {"text": nested, "content": nested, "output": nested}, *way.text[:1])
    said = answer_in_time(lambda: agent_hooks(agent), json.dumps(event).encode(), 60)
    assert isinstance(json.loads(said), dict)


# -- the line of a shell -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        'echo "$T" # spill artifacts show',
        "spill artifacts list; env",
        "spill artifacts list\nenv",
        "spill artifacts list & env",
        "spill artifacts show $(env)",
        "spill artifacts show `env`",
        "cat <(env) spill artifacts list",
        "env # overspill.sh\nspill artifacts list",
        "eval 'spill artifacts list' < /dev/null && env",
        "eval 'spill artifacts list' < /dev/null && pwd -P >| /t/cwd; env",
        "eval 'spill artifacts list'; env' < /dev/null && pwd -P >| /t/cwd",
        "eval 'env' < /dev/null && pwd -P >| x && eval 'spill artifacts list' < /dev/null && pwd -P >| /t/cwd",
        "env && eval 'spill artifacts list' < /dev/null && pwd -P >| /t/cwd",
        "eval 'spill artifacts list' < /dev/null && pwd -P >| /t/cwd\nenv",
        "xspill artifacts list",
        "env spill artifacts list",
        "spill artifactsx",
    ],
)
def test_a_line_is_ours_only_if_it_is_one_command_of_ours(line: str) -> None:
    assert not is_own_command(command_of(f". /x/overspill.sh /srv/app 7 /bin/spill\n{line}"))


@pytest.mark.parametrize("tool", ["Bash", "mcp__git__log"])
def test_what_a_failing_call_of_claude_code_said_is_neither_repeated_nor_kept(shell: Shell, tool: str) -> None:
    """`PostToolUseFailure` takes an addition and no replacement: whatever is answered must not say the secret again.

    What a failing command says was looked at by then, on its way through the shell; of servers docs/agents.md speaks.
    """
    event = recorded("claude-code/bash-failed") | {"cwd": str(shell.root), "tool_name": tool}
    event["error"] = f"Exit code 3\npassword={PASSWORD}\n" * 900
    assert PASSWORD not in told(shell, "claude-code", event)
    kept = [path for place in (shell.root, shell.home) for path in place.rglob("*") if path.is_file()]
    assert not [path for path in kept if PASSWORD.encode() in path.read_bytes()]
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text()
    assert "cannot replace what a failing MCP tool says in Claude Code" in page
