"""A row a call: what the tool said, what the host would have shown, what we showed, what was fetched, what is ours."""

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from overspill import Overspill
from overspill.cli.worth import WorthTable
from overspill.journal import journal_line
from overspill.journal.calls import (
    COMPACTION,
    FRAMEWORKS,
    HOST_CAPS,
    KEPT_EARLIER,
    OUR_TOOLS,
    CallRow,
    call_rows,
    host_chars,
    joined_calls,
)

START = 1_800_000_000.0
LONG = "a line of some length, as logs have them\n" * 1_000
HOOK: dict[str, Any] = {"agent": "claude-code", "door": "hook", "pid": 7}


class Log:
    """A journal that is written line by line."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.lines: list[bytes] = []

    def tell(self, event: str, seconds: float, session: str = "ses_a", **facts: object) -> None:
        line = json.loads(journal_line(event, {}, START + seconds, session)) | facts
        self.lines.append(json.dumps(line).encode() + b"\n")

    def fit(self, seconds: float, said: int, shown: int, session: str = "ses_a", **facts: object) -> None:
        sizes = {"original_size": said, "original_tokens": -(-said // 4), "truncated_size": shown}
        facts = {"tool_name": "bash", **sizes, "truncated_tokens": -(-shown // 4), **facts}
        self.tell("pass" if said == shown else "truncate", seconds, session, **facts)

    def rows(self, **wanted: str) -> list[CallRow]:
        file = self.directory / "journal.jsonl"
        file.write_bytes(b"".join(self.lines))
        file.chmod(0o600)
        return list(call_rows(str(self.directory), **wanted))


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def test_a_row_has_every_column_in_tokens_and_in_characters(log: Log) -> None:
    """P-26: what the tool said, what the host would have shown, what we showed."""
    log.fit(0, 20_000, 8_000, agent="claude-code", door="hook", artifact_id="art_1_a")
    (row,) = log.rows(project="/srv/app")
    assert (row.tool, row.agent, row.project, row.session) == ("execute_command", "claude-code", "/srv/app", "ses_a")
    assert (row.said, row.host, row.shown, row.fetched, row.ours) == (5_000, 5_000, 2_000, 0, 0)
    assert row.chars == (20_000, 20_000, 8_000, 0, 0)
    assert (row.net, row.marks, row.artifacts) == (3_000, (), ("art_1_a",))


def test_against_a_host_that_cuts_by_itself_a_view_costs(log: Log) -> None:
    """Claude Code shows 2 KB of what is long: what we show more is no saving."""
    log.fit(0, 468_000, 8_000, agent="claude-code", door="hook")
    (row,) = log.rows()
    assert row.host is not None
    assert row.host < 600
    assert row.net == row.host - 2_000 < 0


def test_what_is_not_known_of_a_host_is_not_guessed(log: Log) -> None:
    for agent, tool in (("", "bash"), ("somebody", "bash"), ("codex", "some_tool")):
        log.fit(0, 9_000, 100, agent=agent, tool_name=tool)
    assert [(row.host, row.chars.host, row.net) for row in log.rows()] == [(None, None, None)] * 3


def test_in_a_framework_the_model_would_have_got_all_of_it() -> None:
    assert {host_chars(name, "", 123_456) for name in FRAMEWORKS} == {123_456}


def test_every_cap_has_a_version_a_date_and_a_source() -> None:
    assert all(cap.version and cap.date.startswith("20") and cap.source for cap in HOST_CAPS)
    assert len({(cap.agent, cap.kind) for cap in HOST_CAPS}) == len(HOST_CAPS)


def test_what_is_fetched_later_is_counted_for_its_call(log: Log) -> None:
    """AC-116: whoever fetches it, in whatever session the server runs, and however late."""
    log.fit(0, 20_000, 8_000, agent="gemini", artifact_id="art_1_a")
    for seconds in (5, 9_000):
        log.tell("retrieve", seconds, "ses_server", artifact_id="art_1_a", success=True, size=400, tokens=100)
    log.tell("retrieve", 6, "ses_server", artifact_id="art_1_a", success=False)
    (row,) = log.rows(session="ses_a")
    assert (row.fetched, row.chars.fetched, row.fetches, row.net) == (200, 800, 2, 5_000 - 2_000 - 200)


def test_a_view_that_had_to_be_handed_over_as_an_artifact_was_not_fetched(log: Log) -> None:
    """Gemini CLI fetches each view once: that is how it is shown."""
    log.fit(0, 20_000, 8_000, agent="gemini", door="hook")
    log.tell("create", 1, artifact_id="art_1_v", content_type="text/x-overspill-view")
    log.tell("retrieve", 2, artifact_id="art_1_v", success=True, size=8_000, tokens=2_000)
    assert [row.fetched for row in log.rows()] == [0]


def test_what_is_fetched_of_something_older_than_the_journal_costs_as_well(log: Log) -> None:
    log.tell("retrieve", 2, artifact_id="art_1_old", success=True, size=400, tokens=100)
    (row,) = log.rows()
    assert (row.tool, row.fetched, row.net, row.artifacts) == (KEPT_EARLIER, 100, -100, ("art_1_old",))


def test_the_texts_of_one_result_are_one_call(log: Log) -> None:
    """A hook is a process of its own: all that it tells is of one result."""
    for text in (900, 0, 100):
        log.fit(0.1, text, text, **HOOK)
    log.fit(1, 50, 50, **{**HOOK, "pid": 8})
    assert [row.chars.said for row in log.rows()] == [1_000, 50]


def test_another_call_of_a_process_with_the_same_number_is_another_call(log: Log) -> None:
    """In a container that is made for each call, all processes have the same number."""
    log.fit(0, 900, 900, call_id="call_1", **HOOK)
    log.fit(1, 900, 900, call_id="call_2", **HOOK)
    log.fit(2, 900, 900, command="c0ffee", **HOOK)
    log.fit(3, 900, 900, tool_name="read", **HOOK)
    assert len(log.rows()) == 4


def test_what_a_shell_and_a_hook_looked_at_is_one_call(log: Log) -> None:
    """The shell knows what the command said, the hook what reached the model."""
    shell: dict[str, Any] = {
        "agent": "claude-code",
        "door": "shell",
        "command": "c0ffee",
        "tool_name": "execute_command",
    }
    log.fit(0, 20_000, 7_901, artifact_id="art_1_a", failed=True, redactions={"github": 1}, pid=3, **shell)
    log.fit(1, 7_900, 7_900, tool_name="Bash", command="c0ffee", call_id="toolu_1", **HOOK)
    log.fit(1, 0, 0, tool_name="Bash", command="c0ffee", call_id="toolu_1", **HOOK)
    (row,) = log.rows()
    assert (row.chars.said, row.chars.shown, row.call_id, row.event) == (20_000, 7_900, "toolu_1", "truncate")
    assert (row.marks, row.artifacts) == (("failed", "secrets"), ("art_1_a",))


def test_the_same_command_in_two_shells_at_once_is_two_calls(log: Log) -> None:
    shell: dict[str, Any] = {"agent": "claude-code", "door": "shell", "command": "c0ffee"}
    for number in (1, 2):
        log.fit(0, 20_000 + number, 7_900 + number, **{**shell, "pid": number})
    for number in (1, 2):
        log.fit(1, 7_900 + number, 7_900 + number, **{**HOOK, "command": "c0ffee", "pid": 10 + number})
    assert [(row.chars.said, row.chars.shown) for row in log.rows()] == [(20_001, 7_901), (20_002, 7_902)]


def test_what_a_proxy_and_a_hook_looked_at_is_one_call_of_the_agents_session(log: Log) -> None:
    log.fit(0, 300_000, 7_000, "ses_root", tool_name="report", agent="claude-code", door="proxy", pid=3)
    log.fit(1, 7_000, 7_000, tool_name="mcp__talkative__report", **HOOK)
    (row,) = log.rows()
    assert (row.session, row.chars.said, row.chars.shown) == ("ses_a", 300_000, 7_000)


def test_a_command_run_again_after_it_was_cut_is_held_against_us(log: Log) -> None:
    """Within ten minutes, in the same session, unchanged: what it shows now was to be had before."""
    for seconds, session in ((0, "ses_a"), (599, "ses_a"), (1_300, "ses_a"), (1_301, "ses_b")):
        log.fit(seconds, 9_000, 8_000, session, agent="gemini", command="c0ffee", pid=seconds)
    rows = log.rows()
    assert [row.is_rerun for row in rows] == [False, True, False, False]
    assert [row.net for row in rows] == [250, -2_000, 250, 250]


def test_a_command_that_was_shown_whole_may_be_run_again(log: Log) -> None:
    for seconds in (0, 10):
        log.fit(seconds, 900, 900, agent="gemini", command="c0ffee", pid=seconds)
    assert [row.marks for row in log.rows()] == [(), ()]


def test_the_descriptions_of_our_tools_are_a_cost(log: Log) -> None:
    log.tell("describe", 0, chars=3_600, tokens=900, tools=3, agent="codex")
    (row,) = log.rows()
    assert (row.tool, row.ours, row.chars.ours, row.net) == (OUR_TOOLS, 900, 3_600, -900)


def test_a_compaction_stands_between_the_calls_and_is_in_no_sum(log: Log) -> None:
    """Issue 22: a mark in the strip; nothing was said, and nothing is known better or worse by it."""
    log.fit(0, 9_000, 9_000)
    log.tell("compact", 5, agent="codex", trigger="auto")
    log.fit(10, 400, 400)
    rows = log.rows()
    assert [(row.tool, row.marks) for row in rows] == [
        ("execute_command", ()),
        (COMPACTION, ("compacted",)),
        ("execute_command", ()),
    ]
    table = WorthTable().add_all(rows)
    assert set(table.groups) == {"execute_command"}
    assert (table.total.calls, table.total.net, table.total.unknown) == (2, None, 2)


def test_old_journals_are_read(log: Log) -> None:
    """What earlier versions wrote names no agent, no door and no command."""
    log.tell("truncate", 0, tool_name="bash", original_size=9_000, original_tokens=2_250, truncated_size=8)
    log.tell("pass", 1)
    log.tell("fail", 2, tool_name="hook", not_kept="a mistake in the settings")
    log.lines.append(b"half a li")
    assert [(row.tool, row.said, row.host) for row in log.rows()] == [
        ("execute_command", 2_250, None),
        ("(no tool)", 0, None),
    ]


def test_what_python_programs_fit_is_there(tmp_path: Path) -> None:
    spill = Overspill({}, root=str(tmp_path), session="s")
    view = spill.fit(LONG, tool="bash", is_error=True, source="make test", call_id="call_1")
    spill.fit("GITHUB_TOKEN=ghp_" + "B0oAe6Du3jLp5HyC8nRz1VbT7wXm2QsZf9Kf", tool="read_file")
    first, second = call_rows(str(tmp_path / ".acode" / "logs"))
    assert (first.chars.said, first.chars.shown, first.marks) == (len(LONG), len(view.text), ("failed",))
    assert (first.call_id, second.marks) == ("call_1", ("secrets",))


def test_the_command_itself_is_not_in_the_journal(tmp_path: Path) -> None:
    spill = Overspill({}, root=str(tmp_path), session="s")
    for _ in range(2):
        spill.fit("ok", tool="bash", source="mysql --batch customers_of_berlin")
    text = (tmp_path / ".acode" / "logs" / "journal.jsonl").read_text()
    assert "customers" not in text
    digests = [json.loads(line)["command"] for line in text.splitlines()]
    assert len(set(digests)) == 1
    assert len(digests[0]) == 16


def test_memory_does_not_grow_with_the_journal() -> None:
    def events(count: int) -> Iterator[dict[str, object]]:
        for number in range(count):
            yield {"event": "pass", "ts": f"2026-11-17T08:{number // 6_000:02}:00.{number % 1000:03}Z", "pid": number}

    def peak(count: int) -> int:
        tracemalloc.start()
        for _ in joined_calls(events(count)):
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak(100)
    assert peak(20_000) < peak(4_000) * 1.5
