"""One run of an agent, from a fresh home and a fresh project to what the model saw."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from e2e.model import Model, Step
from e2e.talkative import SECRET
from e2e.wiring import Agent, Place, Wanted

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.dirname(sys.executable)  # where `spill` was installed
PATIENCE = 300  # seconds, on a busy machine
LINES = 3_000
WITH_SECRET = 300
FILE = "long.txt"


class CouldNotRun(Exception):
    """An agent that is not there, or does not even begin."""


class Run(NamedTuple):
    """What happened."""

    agent: Agent
    model: Model
    place: Place
    said: str  # what the agent printed
    seconds: float

    @property
    def results(self) -> list[str]:
        """What tools said, as the model saw it."""
        return self.model.results

    def result(self, number: int) -> str:
        """The result of one step of the script, counted from 0."""
        if number >= len(self.results):
            raise AssertionError(f"the model saw {len(self.results)} results and not {number + 1}")
        return self.agent.plain(self.results[number])


class Setting(NamedTuple):
    """Where agents are, where they run, and what surrounds them."""

    programs: str  # the directory of the agents' commands
    runs: str  # where homes and projects are made
    with_us: bool = True
    proxied: bool = True
    rules: bool = False
    servers: Mapping[str, Sequence[str]] | None = None  # others than the usual one
    shelf: bool = False  # set up by the agent's own commands instead of `spill init`


def ran(agent: Agent, setting: Setting, script: Sequence[Step], place: Place) -> Run:
    """Let an agent do what the script says, and see what the model saw."""
    program = os.path.join(setting.programs, agent.program)
    if not os.access(program, os.X_OK):
        raise CouldNotRun(f"no {agent.program} in {setting.programs}")
    prepared(place)
    with Model(script) as model:
        wanted = Wanted(model.url, setting.servers or {"talkative": server(setting)}, setting.rules)
        agent.wire(place, wanted)
        environ = surroundings(place, model.url) | agent.environ(wanted)
        if agent.newer_node:
            environ["PATH"] = os.pathsep.join([setting.programs, environ["PATH"]])
        for words in agent.before(wanted):
            set_up([program, *words], place, environ)
        if setting.with_us:
            setup = [[program, *words] for words in agent.shelf] if setting.shelf else [init_words(agent)]
            for words in setup:
                set_up(words, place, environ)
        begun = time.monotonic()
        said = bounded([program, *agent.words(wanted)], place.project, environ)
    seconds = time.monotonic() - begun
    if not model.turns:
        raise CouldNotRun(f"{agent.program} asked no model; it said: {said[-600:].strip()!r}")
    return Run(agent, model, place, said, seconds)


def server(setting: Setting) -> list[str]:
    """The command of the server of tools, behind our proxy or bare."""
    command = [sys.executable, os.path.join(HERE, "talkative.py"), "serve", "300000"]
    return proxied(command) if setting.proxied else command


def proxied(command: list[str]) -> list[str]:
    """The command of a server behind our proxy."""
    return [os.path.join(PROGRAMS, "spill"), "mcp", "proxy", "--", *command]


def prepared(place: Place) -> None:
    """A project with a command that says too much, a long file, and a directory to go to."""
    subprocess.run(["git", "init", "-q", place.project], check=True)
    shutil.copy(os.path.join(HERE, "talkative.py"), place.project)
    place.write(f"./{FILE}", "".join(map(file_line, range(1, LINES + 1))))
    os.makedirs(os.path.join(place.project, "sub"))


def file_line(number: int) -> str:
    """A line of the long file; one holds a secret."""
    words = f"GITHUB_TOKEN={SECRET}" if number == WITH_SECRET else "with words in it"
    return f"line {number} of the file, {words}\n"


def surroundings(place: Place, url: str) -> dict[str, str]:
    """An environment in which nothing of this machine's user is left, and nothing beyond loopback is reached."""
    return {
        "HOME": place.home,
        "TMPDIR": os.path.join(os.path.dirname(place.home), "tmp"),
        "PATH": os.pathsep.join([PROGRAMS, os.environ["PATH"]]),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "SHELL": "/bin/bash",
        "HTTPS_PROXY": url,  # refuses
        "https_proxy": url,
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }


def init_words(agent: Agent) -> list[str]:
    """The command that lets `spill` write what the agent needs."""
    return [os.path.join(PROGRAMS, "spill"), "init", agent.name, *agent.init]


def set_up(words: list[str], place: Place, environ: dict[str, str]) -> None:
    """Run one command as a user would who says yes to what it asks."""
    done = subprocess.run(
        words,
        cwd=place.project, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False,
        input="y\n" * 3,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{' '.join(words)}: {done.returncode}: {(done.stdout + done.stderr)[-600:]}")


def bounded(command: list[str], directory: str, environ: dict[str, str]) -> str:
    """What a command prints, within the time it has; nothing it started is left."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(
            command, cwd=directory, env=environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"not over after {PATIENCE} seconds") from None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        return output.read()


@contextmanager
def place_in(directory: str, label: str, project: str = "project") -> Iterator[Place]:
    """A fresh home and project. They are not below /tmp, which sandboxes of agents let everybody write to."""
    os.makedirs(directory, exist_ok=True)
    base = tempfile.mkdtemp(prefix=f"{label}-", dir=directory)
    place = Place(os.path.join(base, "home"), os.path.join(base, project))
    for made in (*place, os.path.join(base, "tmp")):
        os.mkdir(made)
    try:
        yield place
    finally:
        end_daemons(place)
        shutil.rmtree(base, ignore_errors=True)


def end_daemons(place: Place) -> None:
    """End what an agent left running: some start a daemon in a session of its own, in the home that is about to go."""
    wanted = f"HOME={place.home}".encode()
    for name in filter(str.isdigit, os.listdir("/proc")) if os.path.isdir("/proc") else ():
        with suppress(OSError), open(f"/proc/{name}/environ", "rb") as environ:
            if wanted in environ.read().split(b"\0"):
                os.kill(int(name), signal.SIGKILL)


def logged(run: Run, directory: str) -> None:
    """Write down all that was said, to be read by people."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "agent.txt"), "w", encoding="utf-8") as file:
        file.write(run.said)
    with open(os.path.join(directory, "requests.jsonl"), "w", encoding="utf-8") as file:
        for request in run.model.requests:
            body = request.body.decode("utf-8", "replace")
            file.write(json.dumps({"method": request.method, "path": request.path, "body": body}) + "\n")
    for number, result in enumerate(run.results, 1):
        with open(os.path.join(directory, f"result-{number}.txt"), "w", encoding="utf-8") as file:
            file.write(result)
