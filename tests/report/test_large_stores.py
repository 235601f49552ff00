"""A report of much that was kept: memory does not grow with it, and a terminal is told how far it is."""

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from overspill import Overspill

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")
ROWS = "".join(f"{number:07d} a row that says {number * 7919 % 1_000_003}\n" for number in range(8_000))  # 260 KB
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def keep_megabytes(root: Path, count: int) -> Path:
    root.mkdir()
    spill = Overspill(root=str(root), session="s")
    for number in range(count):
        fitted = spill.fit(f"{number}\n{ROWS}", tool="rows")
        if not number % 4:
            spill.get(str(fitted.artifact_id), lines=(300, 320))
    return root


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("large")
    return [keep_megabytes(place / str(count), count) for count in (2, 10)]


@pytest.mark.parametrize("more", [(), ("--with-texts",)])
def test_memory_does_not_grow_with_what_was_kept(stores: list[Path], more: tuple[str, ...]) -> None:
    """1 GB is measured by hand: docs/report.md."""
    peaks = []
    for root in stores:
        command = [SPILL, "report", "--root", str(root), "-o", str(root / "page.html"), *more]
        asked = [sys.executable, "-c", PEAK, *command]
        peaks.append(int(subprocess.run(asked, capture_output=True, check=True, text=True).stdout))
    assert peaks[1] - peaks[0] < 1_000, peaks  # kilobytes; 2,000 more are kept


AT_ONCE = """
import sys
import overspill.cli.output
from overspill.cli.main import main
overspill.cli.output.PATIENCE = overspill.cli.output.OFTEN = 0.0
sys.exit(main(sys.argv[1:]))
"""


def said_at_terminal(command: list[str]) -> str:
    """What a command says to a terminal on the side, read while it runs: a terminal holds a few thousand bytes."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        with suppress(OSError):  # nobody has the other end any more
            while part := os.read(ours, 10_000):
                said += part
    os.close(ours)
    assert process.returncode == 0
    return said.decode()


def test_a_terminal_is_told_how_far_it_is_and_nobody_else(tmp_path: Path) -> None:
    """Without the second that it is left alone: that is what `cli/test_progress.py` asks."""
    root = keep_megabytes(tmp_path / "told", 2)
    command = [sys.executable, "-c", AT_ONCE, "report", "--root", str(root), "-o", str(root / "page.html")]
    said = said_at_terminal(command)
    assert " of 2" in said
    assert said.endswith("\r")  # the line is wiped
    quiet = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert quiet.stderr == ""
