"""Everything on every Python there is: `make pythons`.

Each CPython on this machine that starts, found on PATH and among pyenv's, gets an environment below `.cache/pythons`
and runs the suite in it; the suite's core where a package has no wheel for it. CPython 3.14 is run at least in
WebAssembly, by npm's `pyodide`, where there are neither processes nor threads: all modules, a text through
`spill fit`, and the core. Prints a row a step. Exit status 1 if anything failed.

A suite takes minutes: what it says is written to a log as it comes, whose name is told when it begins. What failed the
last time is tried first, and `--resume` leaves out what passed on this very tree.

`--start` installs nothing: it only asks whether everything starts with the standard library alone.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

ROOT = Path(__file__).parents[1]
PROJECT = ROOT / "pyproject.toml"
PLACE = Path(os.environ.get("OVERSPILL_PYTHONS", ROOT / ".cache" / "pythons"))
OLDEST = 11  # of Python 3
EXTRAS = ("code", "dev", "fleet", "postgres", "re2", "tokens", "zstd")
INSTALLING, RUNNING = 1_800, 7_200  # seconds
# The core: values, cutting, cleaning and redacting. Neither a native package nor a process is what is tested here.
CORE = ("test_lite_records", "test_lite_digests", "test_lite_json", "test_promises", "test_clean", "test_kinds",
        "test_redact", "test_redact_formats", "test_json_cut", "test_ndjson_cut", "test_xml_cut",
        "test_decorator::test_annotations_may_name_what_only_a_type_checker_imports")  # fmt: skip
PACKAGES = ("hypothesis", "pytest", "msgspec", "python-jsonpath", "tomlkit")  # in WebAssembly
LIST = "import importlib.metadata as m; print(*(d.name.lower().replace('_', '-') for d in m.distributions()))"
ASK = "import sys, ensurepip, venv; print(sys.implementation.name, *sys.version_info[:3])"


class Python(NamedTuple):
    """A CPython that starts here."""

    path: str
    version: tuple[int, ...]

    @property
    def name(self) -> str:
        return ".".join(map(str, self.version))

    @property
    def place(self) -> Path:
        return PLACE / ".".join(map(str, self.version[:2]))


class Outcome(NamedTuple):
    """What came of one Python."""

    python: str
    said: str
    failed: bool = False


class Failed(Exception):
    """A step did not work; the message is what it said last."""


def pythons() -> list[Python]:
    """The newest of each minor version that really starts, oldest first."""
    found: dict[tuple[int, ...], Python] = {}
    for path in candidates():
        python = started(path)
        if python and python.version > found.get(python.version[:2], Python("", ())).version:
            found[python.version[:2]] = python
    return [found[minor] for minor in sorted(found)]


def candidates() -> Iterator[str]:
    """Paths named like a Python, on PATH and in pyenv, whose own are on PATH only for the versions in use."""
    places = [Path(place) for place in os.environ.get("PATH", "").split(os.pathsep) if place]
    pyenv = shutil.which("pyenv")
    if pyenv:
        said = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False).stdout.strip()
        places += sorted(Path(said).glob("versions/*/bin")) if said else []
    for place in places:
        for path in sorted(place.glob("python3.*")):
            minor = path.name.removeprefix("python3.")
            if minor.isdigit() and int(minor) >= OLDEST:
                yield str(path)
    yield sys.executable


def started(path: str) -> Python | None:
    """The Python at a path; None if it does not start, cannot make an environment, or is another implementation."""
    try:
        done = subprocess.run([path, "-I", "-c", ASK], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    name, *version = done.stdout.split() or [""]
    return Python(path, tuple(map(int, version))) if name == "cpython" and not done.returncode else None


def start(python: Python) -> str:
    """Everything starts with the standard library alone."""
    return last_line(run([python.path, "-I", "-S", str(ROOT / "tools" / "python_start.py")], 600))


def suite(python: Python, *, core: bool) -> str:
    """The suite in an environment of its own; its core where not every package can be installed."""
    inside, without = environment(python)
    words = [str(inside), "-m", "pytest", "-n", "auto", "--maxprocesses", "4", "--failed-first"]
    words += ["-o", f"cache_dir={python.place / 'pytest'}"]
    said = tests_said(run([*words, *(core_tests() if core or without else [])], RUNNING, log_of(python.place.name)))
    which = f"the core, without {', '.join(without)}" if without else "the core" if core else "the suite"
    return f"{which}: {said}"


def environment(python: Python) -> tuple[Path, list[str]]:
    """The python of an environment, and what could not be installed in it. It is built anew when the wish changes."""
    inside, stamp = python.place / "bin" / "python", python.place / "installed"
    mark = hashlib.sha256(f"{PROJECT.read_text()} {python} {ROOT}".encode()).hexdigest()
    if stamp.exists() and stamp.read_text().startswith(mark):
        return inside, stamp.read_text().split()[1:]
    shutil.rmtree(python.place, ignore_errors=True)
    run([python.path, "-m", "venv", str(python.place)], INSTALLING)
    pip = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary"]
    if not installs([*pip, "--editable", f"{ROOT}[{','.join(EXTRAS)}]"]):
        run([*pip, "--no-deps", "--editable", str(ROOT)], INSTALLING)
        for need in needs():
            installs([*pip, need])
    there = set(run([str(inside), "-c", LIST], INSTALLING).split())
    without = sorted({name_of(need) for need in needs()} - there)
    stamp.write_text(" ".join([mark, *without]))
    return inside, without


def needs() -> list[str]:
    """What the suite is run with. Each may be missing: a marker leaves it out, or there is no wheel."""
    ours = tomllib.loads(PROJECT.read_text())["project"]
    return [*ours["dependencies"], *(need for extra in EXTRAS for need in ours["optional-dependencies"][extra])]


def name_of(need: str) -> str:
    """The name of a package, without its extras and versions."""
    return re.split(r"[<>=;\[ ]", need)[0].lower().replace("_", "-")


def installs(words: list[str]) -> bool:
    try:
        run(words, INSTALLING)
    except Failed:
        return False
    return True


def core_tests() -> list[str]:
    """The files of the core, wherever they lie below `tests`."""
    files = {path.stem: path for path in (ROOT / "tests").rglob("test_*.py")}
    named = [name.partition("::") for name in CORE]
    return [str(files[file].relative_to(ROOT)) + colons + test for file, colons, test in named]


def wasm() -> str:
    """CPython 3.14 in WebAssembly: that everything starts, and the core."""
    pyodide = PLACE / "wasm" / "node_modules" / "pyodide"
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        raise Failed("node and npm are not here")
    if not pyodide.exists():
        run([npm, "install", "--no-audit", "--no-fund", "--prefix", str(PLACE / "wasm"), "pyodide"], INSTALLING)
    packages = wheels(json.loads((pyodide / "pyodide-lock.json").read_text())["info"])
    words = [node, str(ROOT / "tools" / "wasm" / "run.mjs"), str(pyodide), str(ROOT), str(packages)]
    said = run([*words, *core_tests()], RUNNING, log_of("wasm"))
    impossible = re.findall(r"^impossible here: (.*)$", said, re.MULTILINE)
    starts = next(line for line in said.splitlines() if line.startswith("CPython "))
    return f"{starts}; the core: {tests_said(said)}; " + ", ".join(impossible)


def wheels(system: dict[str, str]) -> Path:
    """Packages for the system in WebAssembly, by the pip of this one."""
    place, stamp = PLACE / "wasm" / "packages", PLACE / "wasm" / "installed"
    versions = [need for need in needs() if name_of(need) in PACKAGES]
    mark = f"{system} {versions}"
    if stamp.exists() and stamp.read_text() == mark:
        return place
    shutil.rmtree(place, ignore_errors=True)
    major, minor, *_ = system["python"].split(".")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
    pip += ["--target", str(place), "--python-version", f"{major}.{minor}", "--abi", f"cp{major}{minor}"]
    pip += ["--implementation", "cp"]
    run([*pip, "--platform", f"pyemscripten_{system['abi_version']}_{system['arch']}", *versions], INSTALLING)
    # Python does without what is compiled in it, and nobody builds that for WebAssembly.
    run([*pip, "--no-deps", "--platform", "manylinux2014_x86_64", "PyYAML"], INSTALLING)
    stamp.write_text(mark)
    return place


def run(words: list[str], seconds: float, log: Path | None = None) -> str:
    """What a command said, which can be read in a log while it runs; `Failed` with the end of it if it did not work."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "OVERSPILL", "VIRTUAL"))
    }
    with log.open("w+b") if log else TemporaryFile() as said, TemporaryFile() as complaint:
        try:
            done = subprocess.run(
                words, stdout=said, stderr=said if log else complaint, check=False, timeout=seconds, cwd=ROOT, env=kept
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"not done after {seconds} seconds: {' '.join(words)[:200]}") from None
        text, more = (read_again(file) for file in (said, complaint))
    if done.returncode:
        end = "\n".join((text + more).strip().splitlines()[-40:])
        raise Failed(f"status {done.returncode} from {' '.join(words)[:200]}\n{end}")
    return text


def read_again(file: IO[bytes]) -> str:
    """All of a file that another process wrote."""
    file.seek(0)
    return file.read().decode(errors="replace")


def log_of(name: str) -> Path:
    """Where what a step says can be followed."""
    PLACE.mkdir(parents=True, exist_ok=True)
    log = PLACE / f"{name}.log"
    print(f"{name}: tail -f {log}", file=sys.stderr, flush=True)
    return log


def tree_mark() -> str:
    """A digest of all that a test may look at."""
    places = [place for place in ROOT.iterdir() if place.is_dir() and not place.name.startswith(".")]
    files = [file for place in places for file in place.rglob("*") if "__pycache__" not in file.parts]
    files += [file for file in ROOT.iterdir() if not file.name.startswith(".")]
    digest = hashlib.sha256()
    for file in sorted(file for file in files if file.is_file()):
        digest.update(f"{file.relative_to(ROOT)} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def tests_said(said: str) -> str:
    """The line in which pytest counts: `7,100 passed in 500 s`."""
    counts = re.findall(r"^.*\d+ passed.*$", said, re.MULTILINE)
    return counts[-1].strip("= ") if counts else "all passed"


def last_line(said: str) -> str:
    return (said.strip().splitlines() or [""])[-1]


class Passed:
    """Which steps passed on which tree, so that a run that was ended need not begin anew."""

    def __init__(self, tree: str) -> None:
        self.tree, self.path = tree, PLACE / "passed.json"

    def rows(self) -> dict[str, str]:
        """What the steps that passed on this tree said."""
        try:
            kept = json.loads(self.path.read_text())
        except (OSError, ValueError):
            return {}
        return dict(kept["rows"]) if kept["tree"] == self.tree else {}

    def add(self, outcome: Outcome) -> None:
        rows = self.rows() | {outcome.python: outcome.said}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps({"tree": self.tree, "rows": rows}))


def tried(name: str, work: Callable[[], str]) -> Outcome:
    """A row of the table, printed as soon as it is known."""
    began = time.monotonic()
    try:
        outcome = Outcome(name, work())
    except Failed as failure:
        outcome = Outcome(name, f"FAILED: {failure}", failed=True)
    print(f"{name:<14}{time.monotonic() - began:>6.0f} s  {outcome.said}", flush=True)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="3.N", help="this version, or wasm; repeatable")
    parser.add_argument("--core", action="store_true", help="the core of the suite everywhere")
    parser.add_argument("--resume", action="store_true", help="leave out what passed on this very tree")
    parser.add_argument("--start", action="store_true", help="only whether everything starts; installs nothing")
    asked = parser.parse_args()
    work = steps(asked)
    passed = Passed("" if asked.start else tree_mark())
    before = passed.rows() if asked.resume else {}
    failed = not work
    for name, step in work.items():
        if name in before:
            print(f"{name:<14}before  {before[name]}", flush=True)
            continue
        outcome = tried(name, step)
        failed |= outcome.failed
        if not outcome.failed and not asked.start:
            passed.add(outcome)
    return int(failed)


def steps(asked: argparse.Namespace) -> dict[str, Callable[[], str]]:
    """What is asked for, in its order."""
    work: dict[str, Callable[[], str]] = {}
    for python in pythons():
        if not asked.only or python.place.name in asked.only:
            work[f"{python.name} starts"] = partial(start, python)
            if not asked.start:
                work[f"{python.name} core" if asked.core else python.name] = partial(suite, python, core=asked.core)
    if not asked.start and (not asked.only or "wasm" in asked.only):
        work["3.14 in wasm"] = wasm
    return work


if __name__ == "__main__":
    sys.exit(main())
