"""What to change: replayed from what was kept, and true when it is fitted again by somebody else."""

from pathlib import Path
from typing import Any

import yaml

from overspill import MemoryStore, Overspill
from overspill.report.calls import ViewRule, limit_rule, view_rule
from overspill.settings import from_mapping
from report_kit import data_in, reader_environ
from spill_process import run_spill


def page_of(root: Path) -> dict[str, Any]:
    environ = reader_environ(root / "home")
    done = run_spill("report", "-o", "page.html", "--root", str(root), cwd=root, env=environ)
    assert done.returncode == 0, done.stderr
    data = data_in((root / "page.html").read_text())
    assert isinstance(data, dict)
    return data


def regretted_session(root: Path, first: int, last: int, times: int = 4) -> tuple[str, Overspill]:
    """Results of which the same lines were fetched at once."""
    text = "".join(f"{number:05d} the row that says {number * 7919 % 10_007}\n" for number in range(700))
    spill = Overspill(root=str(root), session="s")
    for _ in range(times):
        fitted = spill.fit(text, tool="rows")
        assert fitted.artifact_id is not None
        spill.get(fitted.artifact_id, lines=(first, last))
        spill.fit("short\n", tool="rows")
    return text, spill


def test_a_larger_limit_is_suggested_where_it_would_have_spared_the_fetches(tmp_path: Path) -> None:
    text, _ = regretted_session(tmp_path, 230, 250)
    [change] = page_of(tmp_path)["changes"]
    best = change["best"]
    assert (change["tool"], change["limit"], change["regrets"], change["calls"]) == ("rows", 8_000, 4, 8)
    assert best["gone"] == 4
    limit = yaml.safe_load(change["yaml"])["tools"]["truncation"]["overrides"]["rows"]["inline_limit"]
    assert limit == best["limit"] > 8_000
    wanted = "".join(text.splitlines(keepends=True)[229:250])
    for allowed, is_there in ((8_000, False), (limit, True)):
        fitted = Overspill(store=MemoryStore(), preset="agent").fit(text, tool="rows", budget=allowed)
        assert (wanted in fitted.text) is is_there, allowed
    # What it costs: the longer views of the four, spread over all eight calls.
    longer = [one for one in change["outcomes"] if one["limit"] == limit]
    assert 0 < longer[0]["more"] <= (limit - 8_000) / 4


def test_without_regrets_nothing_is_suggested(tmp_path: Path) -> None:
    Overspill(root=str(tmp_path), session="s").fit("a long row\n" * 5_000, tool="rows")
    assert page_of(tmp_path)["changes"] == []


def test_what_no_limit_would_hold_is_not_suggested(tmp_path: Path) -> None:
    spill = Overspill(root=str(tmp_path), session="s")
    text = "".join(f"{number:06d} the row that says {number * 7919 % 10_007}\n" for number in range(3_000))
    for _ in range(3):
        fitted = spill.fit(text, tool="rows")
        assert fitted.artifact_id is not None
        spill.get(fitted.artifact_id, lines=(100, 2_900), limit=0)
    [change] = page_of(tmp_path)["changes"]
    assert (change["best"], change["yaml"], change["regrets"]) == (None, None, 3)


def test_a_replay_is_neither_logged_nor_kept(tmp_path: Path) -> None:
    regretted_session(tmp_path, 230, 250, times=2)
    before = sorted((tmp_path / ".acode").rglob("art_*"))
    log = (tmp_path / ".acode/logs/journal.jsonl").read_bytes()
    page_of(tmp_path)
    assert sorted((tmp_path / ".acode").rglob("art_*")) == before
    assert (tmp_path / ".acode/logs/journal.jsonl").read_bytes() == log


def test_a_regret_names_the_rule_that_left_it_out_and_the_setting_to_change(tmp_path: Path) -> None:
    """Issue 22: which tool, which limit, which strategy, and the row of the settings that said so."""
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "config.yml").write_text("tools.truncation.overrides.rows:\n  inline_limit: 6000\n")
    text, spill = regretted_session(tmp_path, 230, 250, times=1)
    spill.get(str(spill.fit(text, tool="other").artifact_id), lines=(300, 310))
    spill.get(str(spill.fit(text, tool="given", budget=3_000).artifact_id), lines=(300, 310))
    data = page_of(tmp_path)
    own, general = "tools.truncation.overrides.rows.inline_limit", "tools.truncation.inline_limit"
    named = [data["rules"][fetch[-1]] for fetch in data["calls"]["fetchList"]]
    assert named == [
        ["head_tail", 6_000, False, own, "(root)/.agent/config.yml:2"],
        ["head_tail", 8_000, False, general, "default"],
        ["head_tail", 3_000, False, "", ""],
    ]
    rules = {change["tool"]: change["rule"] for change in data["changes"]}
    assert rules["rows"] == {"path": own, "origin": "(root)/.agent/config.yml:2"}
    assert rules["given"] == {"path": "", "origin": ""}


def test_a_view_that_ended_before_its_limit_names_what_ended_it(tmp_path: Path) -> None:
    """A larger limit would show nothing more: the strategy had said enough."""
    text = "".join(f"2026-11-17 08:00:{number % 60:02d} INFO handled request {number}\n" for number in range(2_000))
    spill = Overspill(root=str(tmp_path), session="s", preset="agent")
    fitted = spill.fit(text, tool="bash")
    assert len(fitted.text) < 4_000
    spill.get(str(fitted.artifact_id), lines=(900, 910))
    [rule] = page_of(tmp_path)["rules"]
    assert rule == ["smart", 8_000, True, "tools.truncation.smart_truncation.fill", "default"]
    settings = from_mapping({"tools.truncation.overrides.bash": {"line_truncation.tail_lines": 9}})
    path = "tools.truncation.overrides.execute_command.line_truncation.tail_lines"
    assert view_rule(settings, ViewRule("execute_command", 8_000, "tail", is_short=True)) == (path, "config")
    assert view_rule(settings, ViewRule("x", 8_000, "none", is_short=True))[0] == "tools.truncation.inline_limit"


def test_a_file_that_was_read_is_cut_by_the_limit_of_what_is_fetched(tmp_path: Path) -> None:
    settings = from_mapping({})
    assert limit_rule(settings, "read_file", 50_000) == ("tools.truncation.artifacts.retrieval_limit", "default")
    assert limit_rule(settings, "read_file", 8_000) == ("tools.truncation.inline_limit", "default")


def test_what_had_been_shown_and_was_fetched_all_the_same_is_no_reason_for_another_limit(tmp_path: Path) -> None:
    regretted_session(tmp_path, 2, 9, times=3)
    [change] = page_of(tmp_path)["changes"]
    assert (change["regrets"], change["seen"], change["placed"], change["best"]) == (3, 3, 0, None)
