"""The parsed file is remembered, and never believed longer than it is true."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config_desk import INLINE, Desk, desk_in, put_file
from overspill.errors import ConfigError
from overspill.settings import files as settings_files
from overspill.settings import load


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_in(tmp_path)


# The cache: the file's change time can't be set back, so these look at a file made before the test began.


@pytest.fixture
def old_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file be old enough to be remembered."""
    monkeypatch.setattr(settings_files, "YOUNG", -1.0)


def _modules_of_a_load(desk: Desk) -> set[str]:
    """What a new process has imported after loading the settings of the desk."""
    code = (
        "import sys, os; from overspill.settings import load\n"
        f"load({str(desk.root)!r}, environ=dict(os.environ)).for_tool('bash')\n"
        "print(*sys.modules)"
    )
    environ = {**desk.environ, "PYTHONPATH": str(Path(settings_files.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_without_a_file_nothing_that_reads_files_is_imported(desk: Desk) -> None:
    loaded = _modules_of_a_load(desk)
    assert "overspill.settings" in loaded
    heavy = {
        "yaml",
        "overspill.settings.yaml_file",
        "json",
        "difflib",
        "pathlib",
        "dataclasses",
        "hashlib",
    }
    assert loaded & heavy == set()
    desk.project("preset: spec")
    assert "yaml" in _modules_of_a_load(desk)


@pytest.mark.usefixtures("old_clock")
def test_an_unchanged_file_is_not_parsed_again(desk: Desk) -> None:
    desk.project("tools.truncation.inline_limit: 1234\nredaction.rules: [{name: a, type: A, pattern: b}]\n")
    first = desk.load()
    (kept,) = desk.cached()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert not list(desk.root.rglob("*cache*"))
    assert _modules_of_a_load(desk) & {"yaml", "overspill.settings.yaml_file", "json", "difflib"} == set()
    assert desk.load() == first


@pytest.mark.usefixtures("old_clock")
def test_a_changed_file_is_read_again(desk: Desk) -> None:
    path = desk.project("tools.truncation.inline_limit: 1111")
    assert desk.load().integer(INLINE) == 1111
    status = os.stat(path)
    desk.project("tools.truncation.inline_limit: 2222")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # same size, same time: the change time tells
    assert desk.load().integer(INLINE) == 2222


def test_a_young_file_is_not_remembered(desk: Desk) -> None:
    desk.project("tools.truncation.inline_limit: 1111")
    desk.load()
    assert desk.cached() == []


@pytest.mark.usefixtures("old_clock")
def test_a_wrong_file_is_not_remembered(desk: Desk) -> None:
    desk.project("tools.truncation.inline_limit: 0")
    for _ in range(2):
        with pytest.raises(ConfigError):
            desk.load()
    assert desk.cached() == []


@pytest.mark.usefixtures("old_clock")
def test_a_damaged_or_foreign_cache_is_no_cache(desk: Desk) -> None:
    desk.project("tools.truncation.inline_limit: 1111")
    desk.load()
    (kept,) = desk.cached()
    whole = kept.read_bytes()
    forged = whole.replace((1111).to_bytes(4, "little"), (9999).to_bytes(4, "little"))
    assert forged != whole
    spoiled = [b"", b"x", whole[:-1], whole + b"x", forged, os.urandom(200), b"\x00" * 50]
    for content in spoiled:
        kept.write_bytes(content)
        assert desk.load().integer(INLINE) == 1111
    kept.chmod(0o644)
    file = desk.root / ".agent" / "config.yml"
    assert settings_files.recall_entries(str(kept.parent), str(file), file.stat()) is None
    kept.unlink()
    kept.symlink_to(desk.root)
    assert desk.load().integer(INLINE) == 1111
    kept.unlink(missing_ok=True)
    kept.parent.chmod(0o755)
    assert desk.load().integer(INLINE) == 1111
    assert desk.cached() == []
    kept.parent.rmdir()
    kept.parent.symlink_to(desk.home)
    assert desk.load().integer(INLINE) == 1111
    assert not list(desk.home.glob("config-*"))


@pytest.mark.usefixtures("old_clock")
def test_the_cache_is_never_inside_a_project(desk: Desk) -> None:
    desk.project("tools.truncation.inline_limit: 1111")
    desk.load(XDG_CACHE_HOME=str(desk.root / "cache"))
    assert not (desk.root / "cache").exists()
    assert desk.cached() == []


@pytest.mark.usefixtures("old_clock")
def test_a_cache_that_cannot_be_written_is_no_error(desk: Desk) -> None:
    desk.project("tools.truncation.inline_limit: 1111")
    put_file(desk.home / ".cache", "a file where the directory should be")
    assert desk.load().integer(INLINE) == 1111
    assert load(str(desk.root), environ={}).integer(INLINE) == 1111


@pytest.mark.usefixtures("old_clock")
def test_the_cache_starts_over_when_it_has_grown_long(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_files, "MOST_FILES", 3)
    for number in range(6):
        desk.root.joinpath(".agent").mkdir(exist_ok=True)
        other = Desk(desk.root.with_name(f"project{number}"), desk.home)
        other.project("preset: spec")
        other.load()
    assert len(desk.cached()) <= 4
