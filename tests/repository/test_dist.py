"""What an installation brings: all of the package, and nothing but it."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "overspill"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheel and sdist, built as `make dist` builds them."""
    place = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", place], cwd=ROOT, check=True, capture_output=True)
    return place


def test_the_wheel_holds_the_package_and_nothing_else(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert names == {path.relative_to(ROOT / "src").as_posix() for path in files}
    assert "overspill/py.typed" in names


def test_the_sdist_holds_what_is_built_and_read_and_no_tests(dist: Path) -> None:
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        tops = {name.split("/")[1] for name in opened.getnames()}
    texts = {"ARCHITECTURE.md", "CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md"}
    assert tops == {"PKG-INFO", "pyproject.toml", ".gitignore", "docs", "src", *texts}


def test_what_an_installation_says_of_itself(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    opened = zipfile.ZipFile(wheel)
    (described,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
    said = opened.read(described).decode()
    assert "Requires-Python: >=3.11\n" in said
    assert "License-Expression: Apache-2.0\n" in said
    assert "\n# Overspill\n" in said
    required = [line for line in said.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert {re.split("[<>=]", line.split()[1])[0] for line in required} == {
        "hyperscan", "msgspec", "python-jsonpath", "pyyaml", "regex", "tomlkit",
    }  # fmt: skip
