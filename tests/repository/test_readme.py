"""Every command of the README is run: what it says to somebody who has never heard of us has to work as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import installs
import pytest
import terminal_picture

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
LINES = [
    line.partition("  #")[0].strip()
    for block in re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
# What a newcomer has before them when they type the line.
BEFORE = {
    "spill page big.json": "python3 -c 'import json; print(json.dumps([*range(99)]))' > big.json",
    "spill run -- pytest": "echo 'def test_one(): pass' > test_one.py",
    "spill artifacts search": "echo 'the request timed out' | spill artifacts put",
    "spill context": "spill handoff write --phase 1 --goal 'log in'",
}


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("make ")])
def test_a_target_is_there_and_says_what_it_does(line: str) -> None:
    target = line.removeprefix("make ")
    assert re.search(rf"^{target}:.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("line", [line for line in LINES if not line.startswith("make ")])
def test_a_command_works_as_it_stands(line: str, tmp_path: Path) -> None:
    before = next((command for start, command in BEFORE.items() if line.startswith(start)), "true")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environ = {**os.environ, "PATH": path, "HOME": str(tmp_path), "OVERSPILL_ROOT": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-ec", f"{before}\n{line} < /dev/null"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_newcomers_walk_is_made_of_what_is_written() -> None:
    """`make installs` takes it, from the wheel; every command in it stands in the README or on the site."""
    pages = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md")) + README
    assert [line for line, _ in installs.WALK if line not in pages] == []


def test_the_picture_shows_what_the_commands_say() -> None:
    """Ids are random, and drawn as one; everything else is what a run of today says."""
    assert terminal_picture.PICTURE.read_text() == terminal_picture.drawn(terminal_picture.session())
