"""What to change: replayed from what was kept, and true when it is fitted again by somebody else."""

from pathlib import Path
from typing import Any

import yaml

from overspill import MemoryStore, Overspill
from report_kit import data_in
from spill_process import run_spill


def page_of(root: Path) -> dict[str, Any]:
    environ = {"HOME": str(root / "home"), "PATH": "/usr/bin:/bin"}
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
    text = "".join(f"{number:06d} the row that says {number * 7919 % 10_007}\n" for number in range(9_000))
    for _ in range(3):
        fitted = spill.fit(text, tool="rows")
        assert fitted.artifact_id is not None
        spill.get(fitted.artifact_id, lines=(1_000, 8_000), limit=0)
    [change] = page_of(tmp_path)["changes"]
    assert (change["best"], change["yaml"], change["regrets"]) == (None, None, 3)


def test_a_replay_is_neither_logged_nor_kept(tmp_path: Path) -> None:
    regretted_session(tmp_path, 230, 250, times=2)
    before = sorted((tmp_path / ".acode").rglob("art_*"))
    log = (tmp_path / ".acode/logs/journal.jsonl").read_bytes()
    page_of(tmp_path)
    assert sorted((tmp_path / ".acode").rglob("art_*")) == before
    assert (tmp_path / ".acode/logs/journal.jsonl").read_bytes() == log
