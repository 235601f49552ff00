"""Everything starts on every Python of this machine, with its standard library alone; `make pythons` runs all tests."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest
import pythons

ROOT = Path(__file__).parents[2]


def test_every_module_is_imported_and_a_text_is_fitted_on_every_python_there_is() -> None:
    words = [sys.executable, str(ROOT / "tools" / "pythons.py"), "--start"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    starts = [line for line in ran.stdout.splitlines() if "modules" in line and "a text" in line]
    minors = [line.split(".")[1] for line in starts]
    assert platform.python_version_tuple()[1] in minors
    assert len(set(minors)) == len(ran.stdout.splitlines())


def test_what_a_step_says_can_be_read_while_it_runs(tmp_path: Path) -> None:
    log = tmp_path / "log"
    looks = f"print('half', flush=True); print(open({str(log)!r}).read() == 'half\\n')"
    assert pythons.run([sys.executable, "-c", looks], 60, log) == "half\nTrue\n" == log.read_text()
    with pytest.raises(pythons.Failed, match=r"status 3(?s:.*)the reason"):
        pythons.run([sys.executable, "-c", "print('the reason'); raise SystemExit(3)"], 60, log)


def test_a_run_that_was_ended_is_resumed_on_the_tree_it_began_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    began: list[str] = []

    def step(name: str, *, fails: bool) -> str:
        began.append(name)
        if fails:
            raise pythons.Failed("no")
        return "fine"

    def tried_all(*words: str, tree: str, fails: bool) -> tuple[int, list[str]]:
        began.clear()
        work = {"3.11": lambda: step("3.11", fails=False), "3.12": lambda: step("3.12", fails=fails)}
        monkeypatch.setattr(pythons, "steps", lambda asked: work)
        monkeypatch.setattr(pythons, "tree_mark", lambda: tree)
        monkeypatch.setattr(sys, "argv", ["pythons", *words])
        return pythons.main(), list(began)

    monkeypatch.setattr(pythons, "PLACE", tmp_path)
    assert tried_all(tree="one", fails=True) == (1, ["3.11", "3.12"])
    assert tried_all("--resume", tree="one", fails=False) == (0, ["3.12"])
    assert "3.11          before  fine\n" in capsys.readouterr().out
    assert tried_all("--resume", tree="one", fails=False) == (0, [])
    assert tried_all("--resume", tree="two", fails=False) == (0, ["3.11", "3.12"])
    assert tried_all(tree="two", fails=False) == (0, ["3.11", "3.12"])


def test_a_tree_is_another_when_any_file_of_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pythons, "ROOT", tmp_path)
    (tmp_path / "src" / "__pycache__").mkdir(parents=True)
    marks = [pythons.tree_mark()]
    for name in ("README.md", "src/a.py", "src/b.py"):
        (tmp_path / name).write_text("a")
        marks.append(pythons.tree_mark())
    (tmp_path / "src" / "a.py").write_text("b")
    marks.append(pythons.tree_mark())
    assert len(set(marks)) == 5
    (tmp_path / "src" / "__pycache__" / "a.pyc").write_text("b")
    os.utime(tmp_path / "README.md", (1, 1))
    assert pythons.tree_mark() == marks[-1]


def test_no_statement_numbers_its_placeholders() -> None:
    """Python 3.12 warns of `?1` with a sequence of values, and 3.14 refuses it; this suite may run on an older one."""
    sources = (ROOT / "src" / "overspill").rglob("*.py")
    numbered = re.compile(r"(?:=|\(|,|values|limit|in) *\?\d")
    assert [path.name for path in sources if numbered.search(path.read_text(encoding="utf-8"))] == []


def test_a_need_is_known_by_the_name_it_is_installed_under() -> None:
    """One that is there and is not known again would leave a Python with the core alone."""
    named = ["psycopg[binary]>=3.2,<4; python_version < '3.15'", "types_PyYAML>=6.0,<7", "regex"]
    assert [pythons.name_of(need) for need in named] == ["psycopg", "types-pyyaml", "regex"]
