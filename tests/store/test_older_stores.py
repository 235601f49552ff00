"""What older versions kept: artifacts, tasks, journal, hand-offs and settings are read by this one.

A sample is a project in which `spill` of that version was used: it kept a log by `fit`, by `artifacts put` and in a
named session, added two tasks, finished one, and left a hand-off. Its name says version and commit.
"""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

SAMPLES = sorted((Path(__file__).parents[1] / "samples" / "stores").glob("*.tar.gz"))
SPILL = os.path.join(os.path.dirname(sys.executable), "spill")


@pytest.fixture(params=SAMPLES, ids=[path.name.removesuffix(".tar.gz") for path in SAMPLES])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    place = tmp_path / "project"
    with tarfile.open(request.param) as archive:
        archive.extractall(place, filter="tar")
    return place


def spill(project: Path, *words: str) -> str:
    environ = {**os.environ, "HOME": str(project.parent), "OVERSPILL_ROOT": str(project)}
    environ["OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__TTL"] = "99999d"  # the sample is as old as it is
    done = subprocess.run([SPILL, *words], cwd=project, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_was_kept_comes_back_whole_and_more_is_kept_beside_it(project: Path) -> None:
    log = (project / "log.txt").read_text()
    kept = json.loads(spill(project, "artifacts", "list", "--session", "work", "--json", "--limit", "0"))["artifacts"]
    assert kept
    for one in kept:
        assert spill(project, "artifacts", "export", one["id"], "-", "--session", "work") == log
    new = spill(project, "artifacts", "put", "log.txt", "--session", "work").strip()
    assert spill(project, "artifacts", "show", new, "--lines", "321", "--session", "work").startswith("ERROR: pump 7")


def test_it_can_be_searched(project: Path) -> None:
    assert "321" in spill(project, "artifacts", "search", "pump 7", "--session", "work")


def test_tasks_go_on(project: Path) -> None:
    listed = {task["id"]: task["status"] for task in json.loads(spill(project, "list", "--json"))["tasks"]}
    assert listed == {"T1": "pending", "T2": "done"}
    spill(project, "done", "T1")
    assert "T3" in spill(project, "add", "Carry on")


def test_the_journal_goes_on(project: Path) -> None:
    before = spill(project, "log", "--limit", "0").count("\n")
    assert before > 3
    spill(project, "fit", "log.txt", "--limit", "500")
    assert spill(project, "log", "--limit", "0").count("\n") > before
    assert "execute_command" in spill(project, "stats", "--all")


def test_a_handoff_and_settings_are_read(project: Path) -> None:
    assert "log in" in spill(project, "context", "--phase", "2")
    shown = spill(project, "config", "show", "--origin")
    assert "2000" in next(line for line in shown.splitlines() if "truncation.inline_limit" in line)
