"""`spill doctor` and the agents that are set up: their hooks are run as they stand in the settings."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agents_kit import AGENTS, FILES, SCOPES, init, tree
from doors_kit import Shell, mapping, ok, records

HOOKS = {
    "claude-code": 2,
    "codex": 2,
    "gemini": 2,
    "copilot": 2,
    "opencode": 1,
    "kilo": 1,
    "pi": 1,
    "cline": 1,
    "qwen": 2,
    "cursor": 3,
    "vscode": 1,
}  # that have an answer to look at


def findings(shell: Shell, *, status: int = 0) -> list[dict[str, object]]:
    said = shell.spill("doctor", "--json")
    assert said.status == status, said.out
    return [one for one in records(mapping(said.envelope["doctor"])["checks"]) if one["name"] == "agents"]


def test_without_an_agent_there_is_nothing_to_run(tmp_path: Path) -> None:
    (found,) = findings(Shell(tmp_path))
    assert found["ok"]
    assert "spill init --show" in str(found["message"])


@pytest.mark.parametrize("agent", AGENTS)
def test_what_an_agent_would_get_is_said(agent: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for scope in SCOPES:
        ok(init(shell, agent, scope))
    before = tree(shell)
    found = findings(shell)
    assert [(one["agent"], one["scope"]) for one in found] == [
        (agent, scope) for scope in SCOPES for _ in range(HOOKS[agent])
    ]
    for one in found:
        assert one["ok"]
        if one["event"] in {"PreToolUse", "BeforeTool", "preToolUse"} and agent != "codex":
            assert "a secret that you were not shown" in str(one["stopped"])
            continue
        assert isinstance(one["shown"], int)
        assert 0 < one["shown"] < 20_000
    assert tree(shell) == before


Break = Callable[[Path], None]


def rewrite(old: str, new: str) -> Break:
    def change(path: Path) -> None:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return change


def program(tmp_path: Path, script: str) -> str:
    """A program of our name that does something else."""
    path = tmp_path / "elsewhere" / "spill"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (None, "cannot be started: no such file or directory"),
        ("echo oh no >&2; exit 3", "ended with status 3: oh no"),
        ("echo hello", "answered with something that is no JSON"),
        ("echo '[]'", "answered with something that is no object"),
        ("echo '{}'", "left a long result as it was"),
        ("sleep 4; echo '{}'", "took 4."),
    ],
)
def test_a_hook_that_does_not_work_is_found_and_mended(script: str | None, said: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "gemini", "global"))
    other = program(tmp_path, script) if script else "/nowhere/spill"
    rewrite('"spill hook gemini"', f'"{other} hook gemini"')(tmp_path / ".gemini" / "settings.json")
    before, found = findings(shell, status=1)
    assert said in str(found["message"])
    assert said.replace("left a long result as it was", "let a mark be written into a file") in str(before["message"])
    assert found["fix"] == "spill init gemini --global"
    ok(shell.line(str(found["fix"])))
    assert all(one["ok"] for one in findings(shell))


def test_a_server_that_is_not_there_is_found_and_mended(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "codex", "global"))
    rewrite('command = "spill"', 'command = "/nowhere/spill"')(tmp_path / ".codex" / "config.toml")
    wrong = [one for one in findings(shell, status=1) if not one["ok"]]
    assert ["/nowhere/spill is not there" in str(one["message"]) for one in wrong] == [True]
    ok(shell.line(str(wrong[0]["fix"])))
    assert all(one["ok"] for one in findings(shell))


@pytest.mark.parametrize(
    "line",
    [
        "./spill hook gemini",
        "{root}/spill hook gemini",
        "{root}/../spill hook gemini",
        "{root}/../acode hook gemini",
        "{root}/../python3 -m overspill hook gemini",
        "{root}/../python3 -P -m overspill hook gemini",
        "touch {root}/../ran; spill hook gemini",
    ],
)
def test_looking_at_a_project_starts_nothing_that_it_names(line: str, tmp_path: Path) -> None:
    """Neither what lies in the nearest root, nor above it, nor anywhere else."""
    shell = Shell(tmp_path)
    for name in ("root/spill", "spill", "acode", "python3"):
        evil = tmp_path / name
        evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho '{{}}'\n")
        evil.chmod(0o755)
    ok(init(shell, "gemini"))
    rewrite('"spill hook gemini"', json.dumps(line.format(root=shell.root)))(shell.root / ".gemini" / "settings.json")
    shell.spill("doctor")
    assert not (tmp_path / "ran").exists()


def test_a_program_of_our_name_that_is_first_on_the_path_is_not_run(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "gemini"))
    evil = shell.root / "bin" / "spill"
    evil.parent.mkdir()
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho '{{}}'\n")
    evil.chmod(0o755)
    shell.environ["PATH"] = f"{evil.parent}:{shell.environ['PATH']}"
    for scope in ("project", "global"):
        shell.spill("doctor")
        assert not (tmp_path / "ran").exists()
        ok(init(shell, "gemini", scope))
    assert all(one["ok"] for one in findings(shell))


@pytest.mark.parametrize("line", ["[nope]", "[" * 9_000, '["spill", "hook"]', "[1]", "[]"])
def test_a_plugin_that_says_nonsense_is_no_riddle(line: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "opencode"))
    rewrite('["spill", "hook", "opencode"]', line)(shell.root / ".opencode" / "plugins" / "overspill.js")
    shell.spill("doctor")


def test_settings_of_ours_that_broke_are_said(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "claude-code"))
    path = shell.root / FILES["claude-code", "project"][0]
    path.write_text(path.read_text()[:-4])
    wrong = [one for one in findings(shell, status=1) if not one["ok"]]
    assert "line " in str(wrong[0]["message"])


def test_a_hook_that_is_switched_off_is_no_fault(tmp_path: Path) -> None:
    shell = Shell(tmp_path, OVERSPILL="off")
    ok(init(shell, "copilot"))
    assert ["switched off" in str(one["message"]) for one in findings(shell)] == [True, True]
