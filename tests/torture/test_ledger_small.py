"""A small version of the torture of the ledger; `make torture` runs the long one and prints its figures."""

import subprocess
import sys
from pathlib import Path

TORTURE = Path(__file__).with_name("ledger_torture.py")


def test_every_task_is_done_once_and_by_one_at_a_time_though_agents_are_killed() -> None:
    command = [sys.executable, str(TORTURE), "--small", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "each done once, none by two at a time" in done.stdout
