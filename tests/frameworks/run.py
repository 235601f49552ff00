"""Every adapter in the framework it is for, newest release and oldest supported one: `make frameworks`.

One environment a framework and release, below `.cache/frameworks`, with pip from the default index; in it, the
example of the framework is held to `contract.py`. Prints one table. Exit status 1 if a promise was broken, or if
nothing could be run at all; what could not be run is said, with the reason.
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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PLACE = Path(os.environ.get("OVERSPILL_FRAMEWORKS", ROOT / ".cache" / "frameworks"))
EXAMPLES = ROOT / "examples" / "frameworks"
INSTALLING, RUNNING = 1_200, 300  # seconds
AT_ONCE = 2

# What an oldest release needs beside it: its own ranges are open, and let in what came out years later.
BESIDE = {"langchain": ["langgraph-prebuilt<1.0.7"], "openai-agents": ["openai<2.9"]}

# Frameworks without an adapter: their examples use `limited` and `artifact_tools`, which need no extra.
OTHERS = {
    "ag2": ["ag2>=1.0,<2"],
    "autogen": ["autogen-agentchat>=0.6.4,<0.8", "autogen-ext>=0.6.4,<0.8"],
    "smolagents": ["smolagents>=1.20,<2"],
}


class Job(NamedTuple):
    """A framework in one release."""

    extra: str
    release: str  # newest or oldest
    requirements: tuple[str, ...]

    @property
    def example(self) -> Path:
        return EXAMPLES / f"{self.extra.replace('-', '_')}_agent.py"

    @property
    def place(self) -> Path:
        return PLACE / f"{self.extra}-{self.release}"


class Outcome(NamedTuple):
    """What came of it."""

    job: Job
    version: str = ""
    kept: int = 0
    promises: int = 0
    seconds: float = 0.0
    broken: tuple[str, ...] = ()
    not_run: str = ""


def extras() -> dict[str, list[str]]:
    """The extras that have an example, and the other frameworks, and what each requires."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    known: dict[str, list[str]] = settings["project"]["optional-dependencies"]
    return {name: needs for name, needs in (known | OTHERS).items() if Job(name, "", ()).example.exists()}


def jobs(only: list[str], *, newest: bool) -> Iterator[Job]:
    """What is to be run. The oldest release is the lower end of the range."""
    for name, needs in extras().items():
        if not only or name in only:
            yield Job(name, "newest", tuple(needs))
            if not newest:
                oldest = [re.sub(r">=\s*([^,;\s]+)[^;]*", r"==\1", need) for need in needs]
                yield Job(name, "oldest", (*oldest, *BESIDE.get(name, [])))


def run(job: Job) -> Outcome:
    """Build the environment, and hold the example to its promises."""
    try:
        python = environment(job)
    except (OSError, subprocess.SubprocessError) as error:
        return Outcome(job, not_run=reason(error))
    version = installed(python, job)
    started = time.monotonic()
    try:
        done = checked(python, job)
    except subprocess.TimeoutExpired:
        return Outcome(job, version, broken=(f"not done after {RUNNING} seconds",))
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"promise"')]
    broken = [f"{line['promise']}: {line['why']}" for line in lines if not line["kept"]]
    kept = len(lines) - len(broken)
    if done.returncode or not lines:
        broken.append(f"the example ended with status {done.returncode}: {last_line(done.stderr)}")
    return Outcome(job, version, kept, len(lines), time.monotonic() - started, tuple(broken))


def environment(job: Job) -> Path:
    """The python of an environment that has what the job requires. It is built anew when that changes."""
    python = job.place / "bin" / "python"
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    wanted = [*job.requirements, *ours, sys.version, str(ROOT)]
    mark = hashlib.sha256("\n".join(wanted).encode()).hexdigest()
    stamp = job.place / "installed"
    if stamp.exists() and stamp.read_text() == mark:
        return python
    shutil.rmtree(job.place, ignore_errors=True)
    uv = shutil.which("uv")
    make = [uv, "venv", "--quiet", str(job.place)] if uv else [sys.executable, "-m", "venv", str(job.place)]
    subprocess.run(make, check=True, capture_output=True, text=True, timeout=INSTALLING)
    pip = [uv, "pip", "install", "--python", str(python)] if uv else [str(python), "-m", "pip", "install"]
    words = [*pip, "--quiet", "--editable", f"{ROOT}[tokens]", *job.requirements]
    subprocess.run(words, check=True, capture_output=True, text=True, timeout=INSTALLING)
    stamp.write_text(mark)
    return python


def checked(python: Path, job: Job, *more: str) -> subprocess.CompletedProcess[str]:
    """The example, run beside `contract.py` in a place of its own, with nothing of ours in the environment."""
    words = [str(python), str(ROOT / "tests" / "frameworks" / "contract.py"), str(job.example), *more]
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    quiet = {"OTEL_SDK_DISABLED": "true", "CREWAI_DISABLE_TELEMETRY": "true", "OPENAI_AGENTS_DISABLE_TRACING": "1"}
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        timeout=RUNNING,
        cwd=job.place,
        env={**kept, **quiet, "HOME": str(job.place), "OVERSPILL_ROOT": str(job.place)},
    )


def installed(python: Path, job: Job) -> str:
    """The release that is there."""
    name = re.split(r"[<>=;\[ ]", job.requirements[0])[0]
    code = f"from importlib.metadata import version; print(version({name!r}))"
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False).stdout.strip()


def reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"could not be installed: {last_line(error.stderr)}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"could not be installed in {INSTALLING} seconds"
    return str(error)


def last_line(text: str) -> str:
    """The line that says most: the last error, or the last line of all."""
    lines = [line for line in text.strip().splitlines() if line.strip() and not line.startswith("WARNING")]
    errors = [line for line in lines if "ERROR" in line]
    return next(iter([*errors[-1:], *lines[-1:]]), "it said nothing").strip()[:300]


def row(one: Outcome) -> Iterator[str]:
    release = f"{one.version or '?'} ({one.job.release})"
    kept = "not run" if one.not_run else f"{one.kept} of {one.promises}"
    yield f"{one.job.extra:<16}{release:<20}{kept:<16}{one.seconds:.1f} s"
    yield from (f"    BROKEN  {why}" for why in one.broken)
    if one.not_run:
        yield f"    {one.not_run}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="this framework; may be repeated")
    parser.add_argument("--newest", action="store_true", help="newest releases only")
    asked = parser.parse_args()
    unknown = set(asked.only) - set(extras())
    if unknown:
        parser.error(f"no example for {', '.join(sorted(unknown))}; there are: {', '.join(extras())}")
    print(f"{'framework':<16}{'release':<20}{'promises kept':<16}{'time':<8}", flush=True)
    outcomes = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for outcome in pool.map(run, jobs(asked.only, newest=asked.newest)):
            print("\n".join(row(outcome)), flush=True)
            outcomes.append(outcome)
    ran = [one for one in outcomes if not one.not_run]
    return 1 if not ran or any(one.broken for one in ran) else 0


if __name__ == "__main__":
    sys.exit(main())
