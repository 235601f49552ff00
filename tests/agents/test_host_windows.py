"""Limits of hooks that follow the window of an agent's model, by what the agent writes down."""

import json
from pathlib import Path

import pytest

from doors_kit import Shell, ok
from hook_events import WAYS, Json, at
from overspill.agents.hooks.windows import TAIL_BYTES, find_transcript, host_window
from overspill.core.budget import ModelWindow

LONG = "".join(f"{number:05} block {number * 7919 % 10007}\n" for number in range(9_000))
FULL_VIEWS = {"OVERSPILL_TOOLS__TRUNCATION__SMART_TRUNCATION__FILL": "always"}
MODEL = "claude-opus-4-8"


def claude_line(used: int, **more: object) -> Json:
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 7, "cache_read_input_tokens": used - 20}
    message = {"role": "assistant", "model": MODEL, "usage": {**usage, "output_tokens": 10}}
    return {"type": "assistant", "message": message, **more}


def codex_line(used: int, window: int = 272_000) -> Json:
    last = {"input_tokens": used - 10, "output_tokens": 10, "total_tokens": used}
    info = {"total_token_usage": {"total_tokens": 9 * used}, "last_token_usage": last, "model_context_window": window}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def written(path: Path, *lines: Json) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return str(path)


NOISE: Json = {"type": "user", "message": {"content": [{"type": "tool_result", "content": "x" * 5_000}]}}


def test_the_newest_usage_counts(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", claude_line(50_000), NOISE, claude_line(90_000), NOISE)
    assert host_window("claude-code", "s", path) == ModelWindow(200_000, 90_000, MODEL)
    path = written(tmp_path / "b.jsonl", codex_line(50_000), NOISE, codex_line(90_000, 500_000), NOISE)
    assert host_window("codex", "s", path, "unknown") == ModelWindow(500_000, 90_000, "unknown")


def test_a_subagent_fills_a_window_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", claude_line(90_000), claude_line(5_000, isSidechain=True))
    assert host_window("claude-code", "s", path) == ModelWindow(200_000, 90_000, MODEL)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'{"usage": [', b'{"message": {"usage": 7}}\n', b'["usage"]\n'])
def test_a_transcript_that_says_nothing_leaves_the_model_of_the_event(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)
    path = str(tmp_path / "a.jsonl")
    assert host_window("claude-code", "s", path, MODEL) == ModelWindow(200_000, 0, MODEL)
    assert host_window("claude-code", "s", path) is None
    assert host_window("gemini", "s", path, "gemini-3-pro") == ModelWindow(1_048_576, 0, "gemini-3-pro")


def test_only_the_end_of_a_plain_file_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", claude_line(90_000), *[NOISE] * (TAIL_BYTES // 5_000 + 2))
    assert host_window("claude-code", "s", path) is None
    (tmp_path / "link.jsonl").symlink_to(written(tmp_path / "b.jsonl", claude_line(90_000)))
    assert host_window("claude-code", "s", str(tmp_path / "link.jsonl")) is None
    assert host_window("claude-code", "s", str(tmp_path)) is None


def test_a_shell_finds_the_transcript_of_its_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told the session only."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    claude = written(tmp_path / ".claude/projects/-srv-app/s-1.jsonl", claude_line(90_000))
    codex = written(tmp_path / ".codex/sessions/2026/11/17/rollout-2026-11-17T09-15-25-s-1.jsonl", codex_line(90_000))
    assert (find_transcript("claude-code", "s-1"), find_transcript("codex", "s-1")) == (claude, codex)
    assert (find_transcript("claude-code", "s-2"), find_transcript("codex", "../s-1")) == ("", "")
    assert find_transcript("gemini", "s-1") == ""


@pytest.mark.parametrize(("name", "line"), [("claude bash", claude_line), ("codex bash", codex_line)])
def test_the_share_shrinks_as_the_window_fills(shell: Shell, name: str, line: object) -> None:
    """Issue 24, through the hook as it is."""
    shell.environ |= {"OVERSPILL_TOOLS__TRUNCATION__BUDGET": "4%", **FULL_VIEWS}
    way = WAYS[name]
    shown = []
    for used in (10_000, 100_000, 150_000, 199_000):
        event = way.event(LONG, shell.root)
        event["transcript_path"] = written(shell.home / "t.jsonl", line(used))  # type: ignore[operator]
        answer = json.loads(ok(shell.spill("hook", way.agent, stdin=json.dumps(event), root=False)).out)
        shown.append(len(str(at(answer, *way.seen))))
    window = 272_000 if way.agent == "codex" else 200_000
    assert shown == sorted(shown, reverse=True)
    assert 8_000 < shown[0] <= window * 0.04 * 4
    assert shown[-1] < shown[0] / 3


def test_without_a_share_no_transcript_is_read(shell: Shell) -> None:
    shell.environ |= FULL_VIEWS
    way = WAYS["claude bash"]
    event = way.event(LONG, shell.root)
    event["transcript_path"] = written(shell.home / "t.jsonl", claude_line(199_000))
    answer = json.loads(ok(shell.spill("hook", way.agent, stdin=json.dumps(event), root=False)).out)
    assert 7_000 < len(str(at(answer, *way.seen))) <= 8_000
