"""A release in one command: `make release VERSION=1.2.0`.

Without `REALLY=1` it only says what it would do. It writes the version wherever it stands, moves what is unreleased in
the changelog below it, commits and tags. Nothing is pushed or uploaded: the last line says what is left to do.
"""

import argparse
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parents[1]
UNRELEASED = "## Unreleased\n"
FORM = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:rc\d+)?")


class CannotReleaseError(Exception):
    """Why not, and what to do about it."""


def version_in(root: Path) -> str:
    (found,) = re.findall(r'__version__ = "(.*)"', (root / "src/overspill/version.py").read_text())
    return str(found)


def check(root: Path, version: str) -> None:
    """Everything that must hold before anything is written."""
    if not FORM.fullmatch(version):
        raise CannotReleaseError(f"{version!r} is no version like 1.2.0 or 1.2.0rc1")
    if numbers(version) < numbers(version_in(root)):
        raise CannotReleaseError(f"{version} is older than {version_in(root)}, which is there already")
    if said(root, "git", "status", "--porcelain"):
        raise CannotReleaseError("there are changes that are not committed: commit them first")
    if f"v{version}" in said(root, "git", "tag").split():
        raise CannotReleaseError(f"the tag v{version} is there already")
    if not unreleased(root).strip():
        raise CannotReleaseError("nothing stands below `## Unreleased` in CHANGELOG.md: say first what is new")


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def unreleased(root: Path) -> str:
    """What the changelog says of the time since the last release."""
    _, _, after = (root / "CHANGELOG.md").read_text().partition(UNRELEASED)
    return re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0]


def changes(root: Path, version: str, day: str) -> dict[str, str]:
    """The files that a release changes, by path, as they will be."""
    before = version_in(root)
    places = {"src/overspill/version.py": f'"{before}"', "CITATION.cff": f"version: {before}"}
    texts = {path: (root / path).read_text() for path in (*places, "CHANGELOG.md")}
    written = {path: texts[path].replace(said, said.replace(before, version)) for path, said in places.items()}
    written["CHANGELOG.md"] = texts["CHANGELOG.md"].replace(UNRELEASED, f"{UNRELEASED}\n## {version} ({day})\n", 1)
    return written


def release(root: Path, version: str) -> None:
    """Write, commit and tag; what is generated follows the version."""
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    for path, text in changes(root, version, day).items():
        (root / path).write_text(text)
    said(root, sys.executable, "tools/reference.py")
    said(root, "git", "commit", "--all", "--quiet", "--message", f"Release {version}")
    said(root, "git", "tag", "--annotate", f"v{version}", "--message", f"Overspill {version}")


def said(root: Path, *words: str) -> str:
    return subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("version")
    reader.add_argument("--really", action="store_true", help="do it; without this, only say what would be done")
    asked = reader.parse_args()
    try:
        check(HERE, asked.version)
    except CannotReleaseError as error:
        print(f"No release: {error}.", file=sys.stderr)
        return 1
    lines = len(unreleased(HERE).strip().splitlines())
    print(f"{version_in(HERE)} -> {asked.version}, with {lines} lines of changelog.")
    if not asked.really:
        print(f"Nothing was done. `make release VERSION={asked.version} REALLY=1` does it.")
        return 0
    release(HERE, asked.version)
    print(f"Committed and tagged v{asked.version}. What is left to do: push the tag, upload dist/.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
