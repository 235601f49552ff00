"""`spill stats`: rates, sizes, savings, and what was cut too short."""

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from doors_kit import Said, Shell, mapping, ok, records
from overspill import Overspill
from overspill.cli.stats import exposition
from overspill.journal import file_journal, journal_line
from overspill.journal.calls import host_chars
from overspill.journal.statistics import MAX_NAMES, MAX_VIEWS, SOON, Figures
from spill_process import SPILL

LONG = "a line of some length, as logs have them\n" * 1_000


def stats(shell: Shell, *words: str) -> dict[str, object]:
    return mapping(ok(shell.spill("stats", "--json", *words)).envelope["stats"])


def tool(found: dict[str, object], name: str) -> dict[str, object]:
    return next(one for one in records(found["tools"]) if one["tool"] == name)


def fitted(shell: Shell, text: str, *words: str) -> str:
    result = mapping(ok(shell.spill("fit", "--json", *words, stdin=text)).envelope["result"])
    return str(result["artifact_id"])


def test_the_rate_of_cut_results_is_known_a_tool(tmp_path: Path) -> None:
    """AC-113, NFR-016, P-26: the share of calls whose result was cut."""
    shell = Shell(tmp_path)
    for text in (LONG, "short", "short", LONG):
        fitted(shell, text, "--tool", "bash")
    fitted(shell, "short", "--tool", "read_file")
    found = stats(shell)
    assert (tool(found, "execute_command")["truncation_rate"], tool(found, "read_file")["truncation_rate"]) == (0.5, 0)
    assert mapping(found["total"])["truncation_rate"] == 0.4


def test_sizes_and_their_reduction_are_known(tmp_path: Path) -> None:
    """AC-114, NFR-015, P-26: characters and tokens in and shown, and the share of cut results that was left out."""
    spill = Overspill({}, root=str(tmp_path), session="s")
    view = spill.fit(LONG, tool="bash")
    spill.fit("short", tool="bash")
    found = tool(stats(Shell(tmp_path, root=".")), "execute_command")
    assert found["chars"] == {"in": len(LONG) + 5, "shown": len(view.text) + 5, "reread": 0}
    assert found["size_reduction"] == round(1 - len(view.text) / len(LONG), 4)
    assert mapping(found["tokens"])["in"] == -(-len(LONG) // 4) + 2


def test_artifacts_are_counted_as_they_come_and_go(tmp_path: Path) -> None:
    """AC-115, P-26: created, and how many an hour; evicted, removed, and what is there now."""
    shell = Shell(tmp_path, OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__SESSION_QUOTA="100000")
    for _ in range(4):
        fitted(shell, LONG)
    last = fitted(shell, LONG)
    ok(shell.spill("artifacts", "rm", last))
    found = stats(shell)
    artifacts = mapping(found["artifacts"])
    evicted = int(str(artifacts["evicted"]))
    assert (artifacts["created"], artifacts["deleted"], artifacts["created_per_hour"]) == (5, 1, 5)
    assert evicted >= 2
    assert mapping(found["disk"])["artifacts"] == 5 - evicted - 1


def test_what_is_fetched_is_known(tmp_path: Path) -> None:
    """AC-116, P-26: which artifacts are really fetched, by whom, which parts, and what that costs of the savings."""
    shell = Shell(tmp_path)
    first, _ = fitted(shell, LONG, "--tool", "bash"), fitted(shell, LONG, "--tool", "bash")
    ok(shell.spill("artifacts", "show", first, "--lines", "1-10"))
    ok(shell.spill("artifacts", "show", first, "--bytes", "0-100"))
    assert shell.spill("artifacts", "show", "art_1_none").status == 4
    found = stats(shell)
    retrievals = mapping(found["retrievals"])
    assert (retrievals["count"], retrievals["failed"], retrievals["chars"]) == (3, 1, 10 * 41 + 100)
    assert (retrievals["ranges"], retrievals["requesters"]) == ({"lines": 1, "bytes": 1, "all": 1}, {"user": 3})
    one = tool(found, "execute_command")
    assert one["artifacts"] == {"kept": 2, "fetched": 1, "fetched_soon": 1}
    assert mapping(one["tokens"])["reread"] == mapping(found["total"])["tokens"]["reread"] == 103 + 25  # type: ignore[index]  # JSON


def test_views_that_were_fetched_soon_after_make_a_suggestion(tmp_path: Path) -> None:
    """AC-116: a limit that would have spared most of the fetches."""
    shell = Shell(tmp_path)
    ids = [fitted(shell, LONG, "--tool", "read", "--strategy", "head_tail") for _ in range(3)]
    for artifact_id in ids:
        ok(shell.spill("artifacts", "show", artifact_id, "--lines", "100-199"))
        ok(shell.spill("artifacts", "show", artifact_id, "--lines", "200-299"))
    found = stats(shell)
    regret = records(found["regret"])
    assert [one["artifact_id"] for one in regret] == ids[::-1]
    assert {(one["fetched_chars"], one["fetches"]) for one in regret} == {(8_200, 2)}
    one = tool(found, "read_file")
    assert (one["limit"], one["suggested_limit"]) == (8_000, 17_000)
    said = ok(shell.spill("stats")).out
    assert "tools.truncation.overrides.read_file.inline_limit: 17000" in said
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text("tools.truncation.overrides.read_file.inline_limit: 17000\n")
    assert ok(shell.spill("config", "check")).status == 0


def event(name: str, seconds: float, **facts: object) -> dict[str, object]:
    read: dict[str, object] = json.loads(journal_line(name, facts, seconds))
    return read


def test_a_fetch_long_after_is_no_regret() -> None:
    """AC-116."""
    figures = Figures()
    view = {"tool_name": "bash", "original_size": 9_000, "truncated_size": 100, "artifact_id": "art_1_a"}
    figures.add(event("truncate", 0, **view))
    figures.add(event("retrieve", SOON + 1, artifact_id="art_1_a", success=True, size=50, retrieval_range="all"))
    assert (figures.total.regretted, figures.total.fetched) == (0, 1)


def test_a_session_a_day_and_everything_are_told_apart(tmp_path: Path) -> None:
    """AC-113."""
    shell = Shell(tmp_path)
    fitted(shell, "short", "--session", "one")
    fitted(shell, LONG, "--session", "two")
    logs = shell.root / ".acode" / "logs"
    old = journal_line("pass", {"tool_name": "old"}, time.time() - 90_000, "ses_a")
    (logs / "journal-0000000000000001-00000000.jsonl").write_bytes(old)
    (logs / "journal-0000000000000001-00000000.jsonl").chmod(0o600)

    def results(*words: str) -> object:
        return mapping(stats(shell, *words)["total"])["results"]

    assert (results(), results("--all"), results("--day")) == (3, 3, 2)
    assert (results("--session", "one"), results("--session", "two"), results("--session", "none")) == (1, 1, 0)
    assert results("--tool", "old") == 1
    assert shell.spill("stats", "--all", "--day").status == 2


def test_people_get_a_table_and_a_line(tmp_path: Path) -> None:
    """AC-113."""
    shell = Shell(tmp_path)
    assert ok(shell.spill("stats")).out == "Nothing is logged yet for all sessions.\n"
    fitted(shell, LONG, "--tool", "bash")
    fitted(shell, "short", "--tool", "\x1b[2J\nforged 99")
    said = ok(shell.spill("stats"))
    head, first, second, total = said.out.splitlines()[:4]
    assert head.split()[:4] == ["Tool", "Results", "Cut", "Rate"]
    assert first.split()[:4] == ["execute_command", "1", "1", "100%"]
    assert second.startswith("\\x1b[2j\\nforged 99 ")
    assert total.startswith("Total ")
    assert "\x1b" not in said.out
    line = ok(shell.spill("stats", "--line")).out
    assert re.fullmatch(r"2 results, 1 cut \(50%\), 10\.3k tokens said, .* fetched, net n/a\n", line)


def checked(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """The samples as Prometheus' own client reads them."""
    assert text.endswith("\n")
    samples = [one for family in text_string_to_metric_families(text) for one in family.samples]
    found = {(one.name, tuple(sorted(one.labels.items()))): one.value for one in samples}
    assert len(found) == len(samples)
    return found


def test_prometheus_can_read_it(tmp_path: Path) -> None:
    """NFR-015, AC-113: the text exposition format, HELP and TYPE before each metric."""
    shell = Shell(tmp_path)
    fitted(shell, LONG, "--tool", "bash")
    fitted(shell, "short", "--tool", 'quo"te\\back\nline')
    said = ok(shell.spill("stats", "--prometheus"))
    found = checked(said.out)
    assert found["overspill_results_total", (("outcome", "truncate"), ("tool", "execute_command"))] == 1
    assert found["overspill_results_total", (("outcome", "pass"), ("tool", 'quo"te\\back\\nline'))] == 1
    assert found["overspill_artifacts_created_total", ()] == 1
    assert found["overspill_stored_bytes", ()] == len(LONG)
    assert found["overspill_fit_seconds_count", (("tool", "execute_command"),)] == 1
    for name in {line.split("{")[0].split(" ")[0] for line in said.out.splitlines() if line[0] != "#"}:
        family = name if name.endswith("_total") else re.sub(r"_(sum|count)$", "", name)
        assert said.out.index(f"# HELP {family} ") < said.out.index(f"# TYPE {family} ") < said.out.index(f"\n{name}")


def test_prometheus_reads_a_root_without_events() -> None:
    """NFR-015."""
    assert (
        checked(exposition(Figures(), {"artifacts": 0, "bytes": 0, "session_quota": 1}, 3))[
            "overspill_journal_broken_lines", ()
        ]
        == 3
    )


def test_broken_lines_are_said(tmp_path: Path) -> None:
    """NFR-015."""
    shell = Shell(tmp_path)
    fitted(shell, "short")
    with (shell.root / ".acode" / "logs" / "journal.jsonl").open("a") as file:
        file.write("half a li\n")
    said: Said = ok(shell.spill("stats"))
    assert said.err == "spill: 1 line of the journal could not be read\n"
    assert mapping(stats(shell)["journal"])["broken"] == 1


def test_what_is_remembered_does_not_grow_with_the_journal() -> None:
    """NFR-015."""

    def hostile() -> Iterator[dict[str, object]]:
        for number in range(MAX_VIEWS * 2):
            yield {
                "ts": "2026-01-01T00:00:00.000Z",
                "event": "truncate",
                "tool_name": f"tool{number}",
                "strategy": f"s{number}",
                "artifact_id": f"art_{number}_a",
                "redactions": {f"r{number}": 1},
            }
            yield {"ts": "x", "event": "retrieve", "artifact_id": f"art_{number}_a", "requester": str(number)}

    figures = Figures().add_all(hostile())
    assert len(figures._views) == MAX_VIEWS
    assert figures.total.results == MAX_VIEWS * 2
    for names in (figures.tools, figures.strategies, figures.redactions, figures.requesters):
        assert len(names) <= MAX_NAMES + 1


MEMORY = """
import resource, sys
from overspill.journal.statistics import Figures
from overspill.journal.statistics import History
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
figures = Figures().add_all(History(sys.argv[1], newest_first=False))
print(figures.events, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
def test_a_long_journal_is_added_up_in_flat_memory(tmp_path: Path) -> None:
    """NFR-015: 100,000 lines, some 40 MB, in a few megabytes."""
    tell = file_journal(str(tmp_path / "logs"))
    tell("truncate", {"tool_name": "bash", "padding": "x" * 300, "artifact_id": "art_1_a"})
    path = tmp_path / "logs" / "journal.jsonl"
    path.write_bytes(path.read_bytes() * 100_000)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path.parent)], capture_output=True, text=True, check=True, timeout=120
    )
    events, megabytes = map(int, done.stdout.split())
    assert events == 100_000
    assert megabytes < 12


# -- against the host --------------------------------------------------------------------------------------------------


def logged(shell: Shell, *events: tuple[str, float, dict[str, object]], session: str = "ses_a") -> Path:
    """A journal in which this happened, so many seconds ago."""
    logs = shell.root / ".acode" / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    for folder in (logs, logs.parent):
        folder.chmod(0o700)
    path = logs / "journal.jsonl"
    now = time.time()
    with path.open("ab") as file:
        for name, ago, facts in events:
            file.write(json.dumps(json.loads(journal_line(name, {}, now - ago, session)) | facts).encode() + b"\n")
    path.chmod(0o600)
    return path


def fit_facts(said: int, shown: int, agent: str, **more: object) -> dict[str, object]:
    tokens = {"original_tokens": said // 4, "truncated_tokens": shown // 4}
    sizes = {"original_size": said, "truncated_size": shown, **tokens}
    return {"tool_name": "bash", **sizes, "agent": agent, "pid": said, **more}


def worth(shell: Shell, *words: str) -> dict[str, object]:
    return mapping(stats(shell, *words)["worth"])


def test_what_the_host_would_have_shown_is_no_saving_of_ours(tmp_path: Path) -> None:
    """P-26: three outputs of 468 KB, of which Claude Code by itself shows 2 KB each, cost more with us than without."""
    shell = Shell(tmp_path)
    for number in range(3):
        logged(shell, ("truncate", 60 - number, fit_facts(468_000 + number * 4, 8_000, "claude-code")))
    total = mapping(worth(shell)["total"])
    assert (total["said"], total["shown"], total["fetched"], total["ours"]) == (351_003, 6_000, 0, 0)
    alone = (host_chars("claude-code", "shell", 468_000) or 0) // 4
    assert (500 < alone < 700, total["host"]) == (True, 3 * alone)
    assert total["net"] == 3 * alone - 6_000 < 0
    said = ok(shell.spill("stats")).out
    assert said.split("\n")[0].endswith("Tool said  Host   Shown  Fetched  Ours  Net")
    assert said.splitlines()[1].split()[-1] == f"{total['net']:,}"
    assert f"Net: {total['net']:,} tokens" in said
    assert "claude-code 2.1.197, measured 2026-11-17" in said


def test_unknown_hosts_are_not_guessed(tmp_path: Path) -> None:
    """P-26: n/a for people, null for programs, and no sample for Prometheus."""
    shell = Shell(tmp_path)
    fitted(shell, LONG, "--tool", "bash")
    total = mapping(worth(shell)["total"])
    assert (total["host"], total["net"], total["host_unknown"]) == (None, None, 1)
    assert ok(shell.spill("stats")).out.splitlines()[1].split()[-1] == "n/a"
    assert not [key for key in checked(ok(shell.spill("stats", "--prometheus")).out) if "worth_net" in key[0]]


def test_calls_are_grouped_as_asked(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    logged(shell, ("truncate", 60, fit_facts(20_000, 8_000, "gemini")), session="ses_a")
    logged(shell, ("pass", 50, fit_facts(400, 400, "codex", tool_name="read")), session="ses_b")
    names = {
        by: {str(group["name"]) for group in records(worth(shell, "--by", by)["groups"])}
        for by in ("tool", "session", "project", "agent", "day")
    }
    assert names["tool"] == {"execute_command", "read_file"}
    assert (names["session"], names["agent"]) == ({"ses_a", "ses_b"}, {"gemini", "codex"})
    assert names["project"] == {str(shell.root)}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", day) for day in names["day"])
    assert shell.spill("stats", "--by", "moon").status == 2


def test_prices_are_the_users(tmp_path: Path) -> None:
    """No price is known here: without some, there is no money in the figures."""
    shell = Shell(tmp_path)
    logged(shell, *(("truncate", ago, fit_facts(20_000 + ago * 4, 8_000, "gemini")) for ago in (60, 50)))
    assert "money" not in mapping(worth(shell)["total"])
    total = mapping(worth(shell, "--prices", "3,3.75,0.30")["total"])
    assert total["money"] == round(((3_060 + 3_050) * 3.75 + 3_060 * 0.30) / 1e6, 6)
    assert "0.0238" in ok(shell.spill("stats", "--prices", "3,3.75,0.30")).out
    for wrong in ("3,4", "dear", "-1", "1,2,nan"):
        assert shell.spill("stats", "--prices", wrong).status == 2


def test_prices_of_the_users_file_are_used_and_the_flag_wins(tmp_path: Path) -> None:
    """Issue 22: prices only if the user gives them, once for all projects."""
    shell = Shell(tmp_path)
    logged(shell, *(("truncate", ago, fit_facts(20_000 + ago * 4, 8_000, "gemini")) for ago in (60, 50)))
    own = tmp_path / ".config" / "overspill" / "config.yml"
    own.parent.mkdir(parents=True)
    own.write_text("stats:\n  prices:\n    fresh: 3\n    cache_write: 3.75\n    cache_read: 0.30\n")
    expected = round(((3_060 + 3_050) * 3.75 + 3_060 * 0.30) / 1e6, 6)
    assert mapping(worth(shell)["total"])["money"] == expected
    assert "Money" in ok(shell.spill("stats")).out
    fresh_only = mapping(worth(shell, "--prices", "1")["total"])["money"]
    assert fresh_only == round((3_060 * 2 + 3_050) / 1e6, 6)
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text("stats.prices: {fresh: 100}\n")
    assert mapping(worth(shell)["total"])["money"] == expected


def test_all_projects_are_added_up(tmp_path: Path) -> None:
    """Every root of the user in which something was kept, as the list beside the machine's quota knows them."""
    shell = Shell(tmp_path)
    other = shell.root.parent / "other"
    other.mkdir()
    fitted(shell, LONG, "--tool", "bash")
    ok(shell.spill("fit", "--tool", "bash", "--root", str(other), stdin=LONG, root=False))
    assert mapping(worth(shell)["total"])["results"] == 1
    found = worth(shell, "--all-projects", "--by", "project")
    assert {str(group["name"]) for group in records(found["groups"])} == {str(shell.root), str(other)}
    assert mapping(found["total"])["results"] == 2
    assert shell.spill("stats", "--all-projects", "--session", "one").status == 2


def test_a_result_that_was_looked_at_twice_is_one(tmp_path: Path) -> None:
    """AC-113: by the agent's shell, and by its hook."""
    shell = Shell(tmp_path)
    shared = {"agent": "claude-code", "command": "c0ffee"}
    logged(
        shell,
        ("truncate", 60, fit_facts(20_000, 7_904, **shared, door="shell")),
        ("pass", 59, fit_facts(7_900, 7_900, **shared, door="hook") | {"pid": 5}),
        ("pass", 59, fit_facts(0, 0, **shared, door="hook") | {"pid": 5}),
    )
    found = stats(shell)
    assert (mapping(found["total"])["results"], mapping(found["total"])["truncation_rate"]) == (1, 1)
    total = mapping(mapping(found["worth"])["total"])
    assert (total["results"], total["said"], total["shown"]) == (1, 5_000, 1_975)


def test_watch_prints_anew_when_something_was_logged(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    logged(shell, ("pass", 60, fit_facts(400, 400, "gemini")))
    command = [SPILL, "stats", "--watch", "--line", "--root", str(shell.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=shell.environ, cwd=shell.root) as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline().startswith("1 result,")
        logged(shell, ("pass", 50, fit_facts(404, 404, "gemini")))
        assert watching.stdout.readline().startswith("2 results,")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=30) == 130
    assert shell.spill("stats", "--watch", "--json").status == 2


def test_a_terminal_gets_bars_and_red(tmp_path: Path) -> None:
    """Red where it cost more than it spared; never a colour where NO_COLOR is set, or in a pipe."""
    shell = Shell(tmp_path)
    logged(shell, ("truncate", 60, fit_facts(468_000, 8_000, "claude-code")))
    screen = on_a_terminal([SPILL, "stats"], shell)
    assert re.search("\x1b\\[31m-1,4\\d\\d\x1b\\[0m", screen)
    assert "░░░" in screen
    assert "\x1b[31m" not in on_a_terminal([SPILL, "stats"], shell, NO_COLOR="1")
    assert "\x1b" not in ok(shell.spill("stats")).out


def on_a_terminal(command: list[str], shell: Shell, **environ: str) -> str:
    """What a command shows on a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, cwd=shell.root, env=shell.environ | environ) as process:
        os.close(theirs)
        seen = b""
        with contextlib.suppress(OSError):
            while piece := os.read(ours, 65_536):
                seen += piece
        assert process.wait(timeout=30) == 0
    os.close(ours)
    return seen.decode()
