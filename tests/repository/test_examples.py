"""Examples that people can run are run."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[2]


def test_three_phases_hand_over_through_files(tmp_path: Path) -> None:
    """The test run in the middle is real, its log is an artifact, and every context is within its tokens."""
    words = [sys.executable, str(HERE / "examples" / "pipeline" / "run.py"), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "tests that passed: PASS" in done.stdout
    folder = tmp_path / ".agents" / "rpi"
    handoffs = [json.loads((folder / f"phase-{phase}-handoff.json").read_text()) for phase in (1, 2, 3)]
    assert [handoff["verdicts"] for handoff in handoffs][1:] == [{"tests": "PASS"}, {"validation": "PASS"}]
    assert {handoff["run_id"] for handoff in handoffs} == {"example"}
    log = [json.loads(line) for line in (folder / "context-budget-log.jsonl").read_text().splitlines()]
    assert [entry["phase"] for entry in log] == [2, 3]
    assert all(0 < entry["truncated_tokens"] <= entry["budget_tokens"] for entry in log)
    (artifact,) = [name for name in handoffs[1]["artifacts_produced"] if name.startswith("art_")]
    spill = [sys.executable, "-m", "overspill", "artifacts", "show", artifact, "--root", str(tmp_path), "--limit", "0"]
    kept = subprocess.run(spill, capture_output=True, text=True, check=True, env=os.environ).stdout
    assert kept.count("... ok\n") > 500
    assert kept.endswith("\nOK\n")


def test_the_demo_runs_the_pipeline() -> None:
    demo = (HERE / "Makefile").read_text().partition("\ndemo:")[2].partition("\n\n")[0]
    assert "examples/pipeline/run.py" in demo
