"""A small version of the torture of a bucket, on a directory; `make torture` runs the long one on a real server."""

import subprocess
import sys
from pathlib import Path

TORTURE = Path(__file__).with_name("fleet_torture.py")


def test_nothing_is_lost_or_torn_when_writers_are_killed_or_race() -> None:
    command = [sys.executable, str(TORTURE), "--small", "--on", "directory", "kill writers", "race"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "9 kills of a writer" in done.stdout
    assert " 0 there" not in done.stdout
    assert "5 winners, 0 wrong" in done.stdout
