"""A small version of the torture of the store; `make torture` runs the long one and prints its figures."""

import subprocess
import sys
from pathlib import Path

import pytest

TORTURE = Path(__file__).with_name("store_torture.py")
# Left for the long run: one that waits ten seconds for a lock to time out.
SMALL = (
    ("kill -9", "crowd", "cleaners"),
    ("listings", "reborn", "clocks"),
    ("syscalls", "limits"),
    ("full disk", "read-only", "power cuts"),
)


@pytest.mark.parametrize("scenarios", SMALL, ids=" ".join)
def test_nothing_is_lost_torn_or_half_visible(scenarios: tuple[str, ...]) -> None:
    command = [sys.executable, str(TORTURE), "--small", *scenarios]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == len(scenarios)
