"""The compiled database is kept where only its owner can have written it, and is never needed."""

import os
import shutil
from pathlib import Path

import pytest

from overspill.files import cache_directory
from overspill.redact import Redactor, kept_at, scan_database
from overspill.redact.rules import made_up_value
from overspill.redact.rules.credentials import RULES
from overspill.redact.scanner import Expression, expressions_of_table

SECRET = made_up_value("ghp_<A36>")
FEW = 20


def few_expressions() -> tuple[Expression, ...]:
    """The beginning of the table and what finds `SECRET`: to compile all of it takes longer than most tests."""
    every = expressions_of_table()
    return every[:FEW] + tuple(one for one in every[FEW:] if any("ghp_" in gate for gate in RULES[one.rule].gates))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is built here has a few expressions. All of them are in the one that every other test reads."""
    expressions = few_expressions()
    monkeypatch.setattr("overspill.redact.scanner.expressions_of_table", lambda: expressions)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which a database was put, for all to copy."""
    where = tmp_path_factory.mktemp("built") / "cache"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("overspill.redact.scanner.expressions_of_table", few_expressions)
        assert scan_database(str(where)) is not None
    return where


def cache_in(directory: Path, built: Path) -> Path:
    """A cache as it is left behind."""
    return Path(shutil.copytree(built, directory / "cache"))


def files(directory: Path) -> list[Path]:
    return sorted(directory.iterdir())


def test_the_database_is_built_once_and_then_loaded(built: Path) -> None:
    (kept,) = files(built)
    before = kept.stat()
    assert scan_database(str(built)) is not None
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_whole_table_is_read_from_the_cache_of_the_user() -> None:
    database = scan_database()
    assert database is not None
    assert database.scan(SECRET.encode())
    assert (kept := kept_at()) is not None
    assert Path(kept).is_relative_to(os.environ["XDG_CACHE_HOME"])


def test_directory_and_file_are_the_owners_alone(built: Path) -> None:
    assert built.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in files(built)] == [0o600]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("damage", [b"", b"not a database", b"\0" * 4096])
def test_a_damaged_file_is_built_anew(built: Path, tmp_path: Path, damage: bytes) -> None:
    where = cache_in(tmp_path, built)
    (kept,) = files(where)
    kept.write_bytes(damage)
    assert SECRET not in Redactor(database=scan_database(str(where))).redact(SECRET).text
    assert kept.read_bytes() != damage


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("mode", [0o666, 0o640, 0o604])
def test_a_file_that_is_open_to_others_is_built_anew(built: Path, tmp_path: Path, mode: int) -> None:
    where = cache_in(tmp_path, built)
    (kept,) = files(where)
    kept.chmod(mode)
    before = kept.stat().st_ino
    assert scan_database(str(where)) is not None
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.stat().st_ino != before


@pytest.mark.usefixtures("few")
def test_a_file_of_two_names_is_built_anew(built: Path, tmp_path: Path) -> None:
    where = cache_in(tmp_path, built)
    (kept,) = files(where)
    other = tmp_path / "other"
    other.hardlink_to(kept)
    assert scan_database(str(where)) is not None
    assert not kept.samefile(other)


@pytest.mark.usefixtures("few")
def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(built: Path, tmp_path: Path) -> None:
    where = cache_in(tmp_path, built)
    (kept,) = files(where)
    kept.unlink()
    os.mkfifo(kept, 0o600)
    assert scan_database(str(where)) is not None
    assert kept.is_file()


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("mode", [0o750, 0o705])
def test_nothing_is_kept_in_a_directory_that_is_open_to_others(tmp_path: Path, mode: int) -> None:
    where = tmp_path / "cache"
    where.mkdir()
    where.chmod(mode)
    assert scan_database(str(where)) is not None
    assert files(where) == []


@pytest.mark.usefixtures("few")
def test_a_link_in_the_place_of_the_directory_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "cache").symlink_to(tmp_path / "elsewhere")
    assert scan_database(str(tmp_path / "cache")) is not None
    assert files(tmp_path / "elsewhere") == []


@pytest.mark.usefixtures("few")
def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert scan_database(str(tmp_path / "file" / "cache")) is not None


def test_the_cache_follows_the_users_settings(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert cache_directory({"XDG_CACHE_HOME": home, "HOME": "/elsewhere"}) == str(tmp_path / "overspill")
    assert cache_directory({"XDG_CACHE_HOME": "relative", "HOME": home}) == str(tmp_path / ".cache" / "overspill")
    assert cache_directory({"HOME": "relative"}) is None
    assert cache_directory({}) is None
