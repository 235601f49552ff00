"""Everything starts on every Python of this machine, with its standard library alone; `make pythons` runs all tests."""

import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_module_is_imported_and_a_text_is_fitted_on_every_python_there_is() -> None:
    words = [sys.executable, str(ROOT / "tools" / "pythons.py"), "--start"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    starts = [line for line in ran.stdout.splitlines() if "modules" in line and "a text" in line]
    minors = [line.split(".")[1] for line in starts]
    assert platform.python_version_tuple()[1] in minors
    assert len(set(minors)) == len(ran.stdout.splitlines())
