"""The README's picture: commands that were really run, and what they really said, drawn as a terminal.

    python tools/terminal_picture.py        # writes docs/terminal.svg
    python tools/terminal_picture.py --text # prints what would be drawn

Ids are random; everything else is the same each time, so a test compares the picture with a run of its own.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from overspill.cli.report import test_log

PICTURE = Path(__file__).parents[1] / "docs" / "terminal.svg"
COLUMNS = 104
# A test run of 6,000 tests of which two fail, in a file that a command prints: nobody waits a minute for a picture.
COMMANDS = (
    "pytest -v | wc -c",
    "pytest -v | spill --limit 1500",
    "spill artifacts search 'order_05120' | tail -2",
)
ID = re.compile(r"art_[0-9a-z]{6,}(?:_[0-9a-z]+)?")


class PictureLine(NamedTuple):
    """A line of the terminal, and what it is."""

    kind: str  # prompt, ours, bad, plain
    text: str


def session() -> list[PictureLine]:
    """Run the commands in a project of their own."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "log").write_text("".join(test_log()))
        runner = place / "pytest"
        runner.write_text(f"#!/bin/sh\ncat {place / 'log'}\n")
        runner.chmod(0o755)
        path = os.pathsep.join([directory, str(Path(sys.executable).parent), os.environ["PATH"]])
        environ = {**os.environ, "PATH": path, "HOME": directory, "OVERSPILL_ROOT": directory}
        return [line for command in COMMANDS for line in ran(command, directory, environ)]


def ran(command: str, directory: str, environ: dict[str, str]) -> Iterator[PictureLine]:
    said = subprocess.run(
        ["bash", "-c", command], cwd=directory, env=environ, capture_output=True, text=True, check=True
    ).stdout
    yield PictureLine("prompt", command)
    for line in said.splitlines():
        yield PictureLine(kind_of(line), clipped(line))


def kind_of(line: str) -> str:
    if line.startswith("["):
        return "ours"
    return "bad" if re.search(r"FAILED|^E |AssertionError|failed", line) else "plain"


def clipped(line: str) -> str:
    """What a terminal of so many columns shows of a long line, with a sign that there is more."""
    line = ID.sub("art_k3m9x2", line)
    return line if len(line) <= COLUMNS else f"{line[: COLUMNS - 1]}…"


STEP, SIZE, LEFT, TOP = 19, 13, 18, 54
COLOURS = {"prompt": "#e6edf3", "ours": "#79c0ff", "bad": "#ff7b72", "plain": "#9da7b3"}


def drawn(lines: list[PictureLine]) -> str:
    """The picture, as SVG that needs no font but a fixed one."""
    width, height = 2 * LEFT + int(COLUMNS * SIZE * 0.602), TOP + STEP * len(lines) + 8
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    says = 'role="img" aria-label="What a model sees of a long test run"'
    font = f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="{SIZE}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {says}>',
        f'<rect width="{width}" height="{height}" rx="10" fill="#0d1117"/>',
        *(f'<circle cx="{LEFT + 6 + 20 * n}" cy="22" r="6" fill="{fill}"/>' for n, fill in enumerate(DOTS)),
        f"<g {font}>",
        *(text_at(number, line) for number, line in enumerate(lines)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


DOTS = ("#ff5f57", "#febc2e", "#28c840")


def text_at(number: int, line: PictureLine) -> str:
    sign = '<tspan fill="#3fb950">$ </tspan>' if line.kind == "prompt" else ""
    text = escape(line.text).replace(" ", "\u00a0")  # of several blanks a browser draws one
    return f'<text x="{LEFT}" y="{TOP + STEP * number}" fill="{COLOURS[line.kind]}">{sign}{text}</text>'


if __name__ == "__main__":
    shown = session()
    if "--text" in sys.argv:
        print(*(f"{'$ ' if line.kind == 'prompt' else ''}{line.text}" for line in shown), sep="\n")
    else:
        PICTURE.write_text(drawn(shown))
