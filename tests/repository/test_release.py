"""A release: every place that names the version names the new one, and nothing is done that was not asked for."""

import subprocess
from pathlib import Path

import pytest
import release

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with the files that a release changes."""
    for name in ("src/overspill/version.py", "CITATION.cff", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    for words in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -q -m x"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    return tmp_path


def test_every_place_names_the_new_version(project: Path) -> None:
    written = release.changes(project, "9.8.7", "2030-01-02")
    assert '__version__ = "9.8.7"' in written["src/overspill/version.py"]
    assert "\nversion: 9.8.7\n" in written["CITATION.cff"]
    assert "cff-version: 1.2.0\n" in written["CITATION.cff"]
    assert "## Unreleased\n\n## 9.8.7 (2030-01-02)\n" in written["CHANGELOG.md"]


@pytest.mark.parametrize(("version", "why"), [("9.8", "no version"), ("0.0.9", "older"), ("1.0.0-beta", "no version")])
def test_a_version_that_cannot_be_is_refused(version: str, why: str, project: Path) -> None:
    with pytest.raises(release.CannotReleaseError, match=why):
        release.check(project, version)


def test_a_tree_with_changes_is_refused(project: Path) -> None:
    release.check(project, "9.8.7")
    (project / "CITATION.cff").write_text("")
    with pytest.raises(release.CannotReleaseError, match="not committed"):
        release.check(project, "9.8.7")


def test_a_release_that_was_made_is_not_made_again(project: Path) -> None:
    subprocess.run(["git", "tag", "v9.8.7"], cwd=project, check=True)
    with pytest.raises(release.CannotReleaseError, match="there already"):
        release.check(project, "9.8.7")


def test_a_release_without_news_is_refused(project: Path) -> None:
    for path, text in release.changes(project, "9.8.7", "2030-01-02").items():
        (project / path).write_text(text)
    assert release.unreleased(project).strip() == ""
