"""The wheel as people get it: `make installs`.

Into a fresh environment of every CPython on this machine goes the wheel, by pip; by pipx, `uv tool install` and
`uvx --from` with the newest; each small extra alone; and over an older version that has kept artifacts, tasks and a
journal. Each time `spill self-test` tries it, and afterwards it is removed and nothing of it may be left but what its
user kept. Downloads are counted in bytes. Prints a row a step; exit status 1 if anything failed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pythons import Failed, Python, pythons

ROOT = Path(__file__).parents[1]
EXTRAS = ("re2", "zstd", "tokens", "otel", "fleet", "postgres", "code")  # frameworks': `make frameworks`
SECONDS = 900


class Yard(NamedTuple):
    """A user who has nothing: an empty home, and no compiler on the path."""

    place: Path

    @property
    def environ(self) -> dict[str, str]:
        """The registry is what this machine says; everything else is its own."""
        settings = {
            name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_", "LANG"))
        }
        links = {"UV_FIND_LINKS": settings["PIP_FIND_LINKS"]} if "PIP_FIND_LINKS" in settings else {}
        own = {name: str(self.place / name.lower()) for name in ("HOME", "PIPX_HOME", "PIPX_BIN_DIR", "UV_TOOL_DIR")}
        places = {"UV_TOOL_BIN_DIR": str(self.place / "uv_bin"), "UV_CACHE_DIR": str(self.place / "uv_cache")}
        tools = {"CC": "/nowhere/cc", "CXX": "/nowhere/c++", "PATH": f"{self.place / 'tools' / 'bin'}:/usr/bin:/bin"}
        return {**settings, **links, **own, **places, **tools, "PIP_NO_CACHE_DIR": "1", "UV_SYSTEM_CERTS": "1"}

    def run(self, *words: object, cwd: Path | None = None) -> str:
        done = subprocess.run(
            [str(word) for word in words],
            env=self.environ,
            cwd=cwd or self.place,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if done.returncode:
            raise Failed(
                f"{' '.join(map(str, words))}: status {done.returncode}\n{(done.stdout + done.stderr)[-2_000:]}"
            )
        return done.stdout

    def try_out(self, *spill: object) -> str:
        """What `spill self-test` says at last."""
        return self.run(*spill, "self-test").strip().rpartition("\n")[2]

    def traces(self) -> list[str]:
        """What is left of us, but for caches and locks of installers and what a user kept."""
        left = [str(path.relative_to(self.place)) for path in self.place.rglob("*overspill*") if path.suffix != ".lock"]
        return [path for path in left if not path.startswith(("downloads", "project", "uv_cache", "home/.cache"))]


def environment(yard: Yard, python: Python, name: str) -> Path:
    """The Python of a fresh environment."""
    yard.run(python.path, "-m", "venv", yard.place / name)
    return yard.place / name / "bin" / "python"


def by_pip(yard: Yard, python: Python, wheel: Path) -> str:
    """What is downloaded, in bytes, and that it works and goes."""
    inside = environment(yard, python, "pip_env")
    downloads = yard.place / "downloads"
    begun = time.monotonic()
    yard.run(inside, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "-d", downloads, wheel)
    yard.run(inside, "-m", "pip", "install", "--quiet", "--no-index", "--find-links", downloads, wheel)
    took = time.monotonic() - begun
    size = sum(path.stat().st_size for path in downloads.iterdir())
    said = yard.try_out(inside.with_name("spill"))
    yard.run(inside, "-m", "pip", "uninstall", "--quiet", "--yes", "overspill")
    expect_nothing(yard)
    return f"{size / 1e6:.1f} MB in {len(list(downloads.iterdir()))} files, {took:.0f} s. {said}"


def with_extra(yard: Yard, python: Python, wheel: Path, extra: str) -> str:
    """One extra alone."""
    inside = environment(yard, python, f"extra_{extra}")
    yard.run(inside, "-m", "pip", "install", "--quiet", "--only-binary=:all:", f"{wheel}[{extra}]")
    return yard.try_out(inside.with_name("spill"))


def by_pipx(yard: Yard, wheel: Path) -> str:
    yard.run("pipx", "install", "--quiet", wheel)
    said = yard.try_out(yard.place / "pipx_bin_dir" / "spill")
    yard.run("pipx", "uninstall", "overspill")
    expect_nothing(yard)
    return said


def by_uv_tool(yard: Yard, wheel: Path) -> str:
    yard.run("uv", "tool", "install", "--quiet", wheel)
    said = yard.try_out(yard.place / "uv_bin" / "spill")
    yard.run("uv", "tool", "uninstall", "--quiet", "overspill")
    expect_nothing(yard)
    return said


def by_uvx(yard: Yard, wheel: Path) -> str:
    """Nothing is installed at all."""
    said = yard.try_out("uvx", "--quiet", "--from", wheel, "spill")
    expect_nothing(yard)
    return said


def over_older(yard: Yard, python: Python, wheel: Path, older: Path) -> str:
    """What an older version kept is read by this one, and what this one keeps beside it, too."""
    inside = environment(yard, python, "upgraded")
    project = yard.place / "project"
    project.mkdir()
    spill = inside.with_name("spill")
    yard.run(inside, "-m", "pip", "install", "--quiet", older)
    before = yard.run(spill, "--version").strip()
    text = ROOT / "ARCHITECTURE.md"
    made = json.loads(yard.run(spill, "artifacts", "put", text, "--json", cwd=project))["artifact"]
    task = json.loads(yard.run(spill, "add", "Carry on", "--json", cwd=project))["task"]
    yard.run(inside, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", wheel)
    after = yard.run(spill, "--version").strip()
    copy = project / "copy"
    yard.run(spill, "artifacts", "export", made["id"], copy, cwd=project)
    expect(copy.read_bytes() == text.read_bytes(), "what the older version kept came back changed")
    expect("Carry on" in yard.run(spill, "show", task["id"], cwd=project), "a task is gone")
    events = yard.run(spill, "log", "--limit", "0", cwd=project).count("\n")
    expect(events > 1, "the journal is empty")
    return f"{before} -> {after}: its artifact, task and {events} lines of its journal are there. {yard.try_out(spill)}"


# What somebody does who has never heard of us: each line stands in the README or on a page of the site, but for the
# signs that put a file before it. What has to be seen afterwards stands beside it.
WALK = (
    ("spill self-test", "Everything works"),
    ("seq 1 6000 | spill fit --limit 300 > view", ""),
    ("spill artifacts list | tail -1", "Total: 1 artifact"),
    ("id=$(grep -o 'art_[a-z0-9]*' view | head -1); spill artifacts show $id --lines 4001-4003", "4001\n4002\n4003\n"),
    ("spill init claude-code", "Undo:"),
    ("spill report -o page.html", ""),
    ("spill stats", "Tool"),
    ("spill config init", ""),
    ("spill config show --origin", "tools.truncation.inline_limit"),
    ("spill init claude-code --uninstall", "removed"),
    ("spill purge --all --yes", "Removed"),
)


def walk(yard: Yard, python: Python, wheel: Path) -> str:
    """Install, fit, fetch, set up an agent, look at the report, look at a limit, remove."""
    inside = environment(yard, python, "tools")
    yard.run(inside, "-m", "pip", "install", "--quiet", wheel)
    project = yard.place / "project"
    project.mkdir()
    for line, seen in WALK:
        said = yard.run("bash", "-ec", line, cwd=project)
        expect(seen in said, f"`{line}` said: {said[-300:]!r}")
    yard.run(inside, "-m", "pip", "uninstall", "--quiet", "--yes", "overspill")
    left = sorted(str(path.relative_to(project)) for path in project.rglob("*") if path.is_file())
    expect(left == [".acode/.gitignore", ".agent/config.yml", "page.html", "view"], f"left behind: {left}")
    return f"{len(WALK)} commands; left are only files that were asked for"


def expect_nothing(yard: Yard) -> None:
    expect(not yard.traces(), f"left behind: {', '.join(yard.traces()[:5])}")


def expect(holds: object, otherwise: str) -> None:
    if not holds:
        raise Failed(otherwise)


def older_wheel(yard: Yard, commit: str) -> Path:
    """A wheel of an older state of this repository."""
    source = yard.place / "older"
    source.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "x", "-C", source], input=archive, check=True)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", source],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (built,) = source.glob("*.whl")
    return built


def steps(yard: Yard, wheel: Path, before: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """Everything that is tried, by name."""
    found = pythons()
    newest = found[-1]
    for python in found:
        yield f"pip, Python {python.name}", partial(by_pip, fresh(yard, python.name), python, wheel)
    for extra in EXTRAS:
        yield f"extra {extra}, Python {newest.name}", partial(with_extra, yard, newest, wheel, extra)
    for name, install in (("pipx", by_pipx), ("uv tool", by_uv_tool), ("uvx", by_uvx)):
        yield name, partial(with_tools, fresh(yard, name), newest, install, wheel)
    yield "a newcomer's walk", partial(walk, fresh(yard, "walk"), newest, wheel)
    if before:
        yield f"over {before}", lambda: over_older(yard, newest, wheel, older_wheel(yard, before))


def fresh(yard: Yard, name: str) -> Yard:
    place = yard.place / name.replace(" ", "_")
    (place / "home").mkdir(parents=True)
    return Yard(place)


def with_tools(yard: Yard, python: Python, install: Callable[[Yard, Path], str], wheel: Path) -> str:
    """Installed by a user who has pipx and uv, which are no part of what is installed."""
    inside = environment(yard, python, "tools")
    yard.run(inside, "-m", "pip", "install", "--quiet", "pipx>=1.7,<2", "uv>=0.5")
    return install(yard, wheel)


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("wheel", type=Path)
    reader.add_argument("--before", default="", metavar="COMMIT", help="install over the wheel of this commit, too")
    reader.add_argument("--only", default="", help="steps whose names begin so")
    asked = reader.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="installs-") as directory:
        yard = fresh(Yard(Path(directory)), "yard")
        for name, step in steps(yard, asked.wheel.resolve(), asked.before):
            if name.startswith(asked.only):
                failed += not report(name, step)
    return 1 if failed else 0


def report(name: str, step: Callable[[], str]) -> bool:
    try:
        print(f"{name:24} {step()}", flush=True)
    except (Failed, subprocess.SubprocessError) as error:
        print(f"{name:24} FAILED: {error}", flush=True)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
