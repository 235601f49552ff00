"""Progress on a terminal: after a second it says how far, how fast and how long, and then it is gone again."""

import contextlib
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from overspill.cli import output
from overspill.cli.main import main
from overspill.workspace.opening import open_store

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")


def fed_slowly(cwd: Path, *words: str, seconds: float) -> tuple[str, str]:
    """What a command says on a terminal, and on standard output, while its input comes for so long."""
    ours, theirs = pty.openpty()
    environ = {**os.environ, "OVERSPILL_ROOT": str(cwd)}
    feed = f"for n in $(seq {int(seconds / 0.05)}); do seq 1 500; sleep 0.05; done"
    with (cwd / "shown").open("w") as output:
        process = subprocess.Popen(
            ["bash", "-c", f'({feed}) | "$0" "$@"', SPILL, *words], cwd=cwd, env=environ, stdout=output, stderr=theirs
        )
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # the terminal is gone when nobody holds it
        while part := os.read(ours, 65_536):
            said += part
    os.close(ours)
    assert process.wait(60) == 0
    return said.decode(), (cwd / "shown").read_text()


def test_what_takes_long_says_how_far_it_is_and_wipes_it_away(tmp_path: Path) -> None:
    fed_slowly(tmp_path, "fit", seconds=0.1)  # whoever is first compiles the rules, and does not read meanwhile
    said, shown = fed_slowly(tmp_path, "fit", "--limit", "400", seconds=3.0)
    assert re.search(r"\r[\d.]+ [KM]B, [\d.]+ [KM]B/s", said)
    assert re.search(r"\r +\r$", said)
    assert len(shown) <= 400


def test_what_is_over_soon_says_nothing(tmp_path: Path) -> None:
    said, _ = fed_slowly(tmp_path, "fit", "--limit", "400", seconds=0.1)
    assert said == ""


def test_nothing_is_said_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with output.Progress(10) as shown:
        shown._last = 0.0
        shown.say_bytes(5)
    assert capsys.readouterr().err == ""


def test_a_search_an_export_and_a_purge_tell_how_far_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words themselves; when they are shown is asked above."""
    said: list[str] = []
    monkeypatch.setattr(output.Progress, "say", lambda self, words: said.append(words))
    monkeypatch.setattr(output, "is_shown", lambda: True)
    monkeypatch.setenv("OVERSPILL_ROOT", str(tmp_path))
    log = tmp_path / "log.txt"
    log.write_text("a line that is looked for\n" * 400)
    for _ in range(3):
        assert main(["artifacts", "put", str(log)]) == 0
    assert main(["artifacts", "search", "looked for", "--limit", "9999"]) == 0
    assert said[-3:] == [f"searching: {number} of 3 artifacts" for number in (1, 2, 3)]
    kept = open_store(str(tmp_path)).list()[0].id
    assert main(["artifacts", "export", kept, str(tmp_path / "copy.txt")]) == 0
    assert said[-1].startswith("10.2 KB, ")
    assert main(["purge", "--yes"]) == 0
    assert said[-1] == "removed: 3 artifacts"
