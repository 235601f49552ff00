"""`spill self-test`: it passes on a copy that works, in a few seconds, and says what does not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from overspill.cli.doctor import TRIALS, finding_line, new_bench, outcomes
from overspill.cli.doctor_checks import Finding

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")


def test_it_tries_every_part_and_leaves_nothing(tmp_path: Path) -> None:
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    environ = {**os.environ, "HOME": str(home), "TMPDIR": str(temporary)}
    done = subprocess.run(
        [SPILL, "self-test", "--json"],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)["self_test"]
    assert found["ok"]
    assert {check["name"] for check in found["checks"]} == {name for name, _ in TRIALS}
    assert [*temporary.iterdir()] == []
    assert [path for path in home.rglob("*") if path.is_file() and "cache" not in str(path)] == []


@pytest.mark.parametrize(("name", "says"), [("view", "characters, and 4,000 were allowed"), ("hooks", "status 1")])
def test_a_copy_that_does_not_work_is_told(name: str, says: str, tmp_path: Path) -> None:
    broken = {"view": "cat", "hooks": "exit 1"}[name]
    bench = new_bench(str(tmp_path))._replace(program=("/bin/sh", "-c", broken))
    found = outcomes(dict(TRIALS)[name], bench)
    assert not found[-1].well
    assert says in found[-1].says


def test_a_program_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    bench = new_bench(str(tmp_path))._replace(program=(str(tmp_path / "nothing"),))
    assert [outcomes(trial, bench)[-1].well for _, trial in TRIALS if trial.__name__ != "try_secrets"] == [False] * 6


@pytest.mark.parametrize(("environ", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_shows_good_and_bad_in_colour_unless_told_not_to(
    environ: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert "\x1b" not in finding_line(("view", Finding(True, "fine")))  # nobody looks
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    lines = [finding_line(("view", Finding(well, "as it is", {}, "spill doctor"))) for well in (True, False)]
    assert [("\x1b[32mok" in lines[0]), ("\x1b[31mwrong" in lines[1])] == [coloured, coloured]
