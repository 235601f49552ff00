"""A home, a project and a model, in which an agent is started as often as a scenario asks: with us and without.

What must be true of every scenario is looked at when the stage is left: the secret is in no request, and nothing of
ours is left behind.
"""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, NamedTuple, Self

from e2e.leftovers import Leftovers, base_of, end_processes, settled_leftovers
from e2e.model import Model, Step
from e2e.running import (
    CouldNotRun,
    Run,
    Setting,
    init_words,
    logged,
    place_in,
    prepared,
    server,
    set_up,
    surroundings,
)
from e2e.talkative import SECRET
from e2e.wiring import Agent, Place, Wanted

SECONDS = 300  # for one start of an agent, on a busy machine
CHANCES = (  # what differs between two runs of the same, whoever looks at results
    re.compile(r"(?<=Chunk ID: )\w+"),
    re.compile(r"(?<=Wall time: )[\d.]+"),
    re.compile(r"(?<=Original token count: )\d+"),
    re.compile(r"(?<=PGID: )\d+|(?<=PIDs: )[\d, ]+|(?<=PID: )\d+"),
    re.compile(r"(?<=shellId: )\w+"),
    re.compile(r"(?<=session ID )\d+"),
    re.compile(r"(?<=task_id: )\w+|(?<=ID: )\w+"),
    re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}"),
    re.compile(r"(?<=tasks/)\w+(?=\.output)"),
)


# In a list of all tools that there are.
OUR_TOOLS = re.compile(r"\w+_(?:get_artifact|search_artifacts|list_artifacts), ")
NAMED_OUTPUT = re.compile(r"^Output: .*?(?=^Error: )", re.MULTILINE | re.DOTALL)


class NotOffered(Exception):
    """The agent cannot do this, without us neither. The text says why."""


class Start(NamedTuple):
    """How an agent is started once."""

    prompt: str = "go"
    words: Callable[[list[str]], list[str]] = list  # the agent's own, as this scenario wants them
    environ: Mapping[str, str] = {}
    before: Sequence[str] = ()  # a command that starts it, in another namespace or as another user
    directory: str = ""  # other than the project
    rules: bool = False


AS_USUAL = Start()


class Started:
    """An agent that runs."""

    def __init__(self, process: "subprocess.Popen[str]", output: IO[str]) -> None:
        self.process = process
        self._output = output

    def wait(self, seconds: float = SECONDS) -> str:
        """What it said, when it has ended."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"not over after {seconds} seconds; it said: {self.said()[-400:]!r}") from None
        return self.said()

    def said(self) -> str:
        self._output.seek(0)
        return self._output.read()


class Stage:
    """Where an agent runs, and the model that it asks."""

    def __init__(self, agent: Agent, setting: Setting, place: Place, model: Model) -> None:
        self.agent, self.setting, self.place, self.model = agent, setting, place, model
        self.with_us = setting.with_us
        self.said: list[str] = []
        self.begun = time.monotonic()
        self.seconds = 0.0
        self.left = Leftovers([], [])
        self.program = os.path.join(setting.programs, agent.program)
        if not os.access(self.program, os.X_OK):
            raise CouldNotRun(f"no {agent.program} in {setting.programs}")

    def wanted(self, start: Start = AS_USUAL) -> Wanted:
        servers = self.setting.servers or {"talkative": server(self.setting)}
        return Wanted(self.model.url, servers, start.rules or self.setting.rules, start.prompt)

    def environ(self, start: Start = AS_USUAL) -> dict[str, str]:
        around = surroundings(self.place, self.model.url)
        if self.agent.newer_node:
            around["PATH"] = os.pathsep.join([self.setting.programs, around["PATH"]])
        return around | self.agent.environ(self.wanted(start)) | dict(start.environ)

    def wire(self) -> Self:
        """Write the agent's settings."""
        prepared(self.place)
        self.agent.wire(self.place, self.wanted())
        for words in self.agent.before(self.wanted()):
            set_up([self.program, *words], self.place, self.environ())
        return self

    def set_up(self, start: Start = AS_USUAL) -> Self:
        """Let `spill init` write ours, if this is with us."""
        if self.with_us:
            set_up(init_words(self.agent), self.place, self.environ(start))
        return self

    def beside(self, agent: Agent) -> "Stage":
        """Another agent in the same home and project, which asks the same model."""
        other = Stage(agent, self.setting, self.place, self.model)
        agent.wire(self.place, other.wanted())
        for words in agent.before(other.wanted()):
            set_up([other.program, *words], self.place, other.environ())
        return other.set_up()

    def begin(self, start: Start = AS_USUAL) -> Started:
        """Start the agent, and do not wait for it."""
        words = start.words(self.agent.words(self.wanted(start)))
        output = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115  # closed with what holds it
        process = subprocess.Popen(
            [*start.before, self.program, *words],
            cwd=start.directory or self.place.project, env=self.environ(start),
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, text=True, start_new_session=True,
        )  # fmt: skip
        return Started(process, output)

    def run(self, start: Start = AS_USUAL) -> str:
        """Start the agent, and wait until it has ended."""
        said = self.begin(start).wait()
        self.said.append(said)
        return said

    @property
    def results(self) -> list[str]:
        return self.model.results

    def result(self, number: int, word: str = "") -> str:
        """What a tool said, counted from 0, in the main conversation or in another."""
        results = self.model.results_of(word)
        if number >= len(results):
            said = "".join(self.said)[-500:]
            raise AssertionError(f"the model saw {len(results)} results and not {number + 1}; the agent said: {said!r}")
        return results[number]

    def plain(self, text: str) -> str:
        """A result without what differs from run to run."""
        base = base_of(self.place)
        text = text.replace(base, "BASE").replace(re.sub(r"[^0-9A-Za-z]", "-", base), "BASE")
        for chance in CHANCES:
            text = chance.sub("*", text)
        return OUR_TOOLS.sub("", text)

    @property
    def chars(self) -> int:
        """The characters of all results that reached the model, but for what was fetched: that is nowhere else."""
        total = 0
        for word in ("", *self.model.others):
            turns = [turn for turn in self.model.turns if self.model.word_of(turn) == word]
            calls = turns[-1].calls if turns else []
            results = self.model.results_of(word)
            total += sum(
                len(said) for call, said in zip(calls, results, strict=False) if "get_artifact" not in call.tool
            )
        return total


class Trial:
    """One scenario with one agent."""

    def __init__(self, agent: Agent, setting: Setting, log: str) -> None:
        self.agent, self.setting, self.log = agent, setting, log
        self.stages: list[Stage] = []
        self.notes: list[str] = []
        self.agents_own: set[str] = set()  # what the agent leaves behind where it is given an extension
        self.is_compared = True  # whether what reached the model without us and with us is of the same calls

    @contextmanager
    def stage(
        self,
        script: Sequence[Step],
        *,
        with_us: bool = True,
        others: Mapping[str, Sequence[Step]] | None = None,
        project: str = "project",
        servers: Mapping[str, Sequence[str]] | None = None,
    ) -> Iterator[Stage]:
        """A fresh place. Left well, it is looked at: for the secret, and for what is left behind."""
        setting = self.setting._replace(with_us=with_us, proxied=with_us, servers=servers)
        with place_in(setting.runs, self.agent.name, project) as place, Model(script, others=others) as model:
            stage = Stage(self.agent, setting, place, model)
            self.stages.append(stage)
            try:
                yield stage
                stage.left = settled_leftovers(place)
                self._look_at(stage)
            finally:
                stage.seconds = time.monotonic() - stage.begun
                end_processes(place)

    def both(
        self,
        script: Sequence[Step],
        act: Callable[[Stage], object] = lambda stage: stage.wire().set_up().run(),
        *,
        others: Mapping[str, Sequence[Step]] | None = None,
        project: str = "project",
        servers: Mapping[str, Sequence[str]] | None = None,
    ) -> tuple[Stage, Stage]:
        """The same without us and with us."""
        stages = []
        for with_us in (False, True):
            with self.stage(script, with_us=with_us, others=others, project=project, servers=servers) as stage:
                act(stage)
            stages.append(stage)
        native, ours = stages
        self._compare_leftovers(native, ours)
        return native, ours

    def _look_at(self, stage: Stage) -> None:
        assert not stage.model.failures, "; ".join(stage.model.failures)
        if not stage.model.turns:
            raise CouldNotRun(f"it asked no model; it said: {''.join(stage.said)[-500:].strip()!r}")
        if stage.with_us:
            assert not stage.model.saw(SECRET), "the secret left the machine"
            ours = [process for process in stage.left.processes if process.is_ours]
            assert not ours, f"left behind: {stage.left._replace(processes=ours).told()}"

    def _compare_leftovers(self, native: Stage, ours: Stage) -> None:
        """Nothing is left with us that is not left without; what the agent makes of any extension is its own."""
        more = sorted(set(ours.left.files) - set(native.left.files) - self.agents_own)
        assert not more, f"left behind: {'; '.join(more)}"
        lines = [{stage.plain(process.line) for process in stage.left.processes} for stage in (native, ours)]
        extra = sorted(lines[1] - lines[0])
        assert not extra, f"left running: {'; '.join(extra)}"

    def write_logs(self) -> None:
        """Write down all that was said, to be read by people."""
        for number, stage in enumerate(self.stages, 1):
            kind = "ours" if stage.with_us else "native"
            run = Run(self.agent, stage.model, stage.place, "\n".join(stage.said), stage.seconds)
            logged(run, f"{self.log}-{number}-{kind}")


def is_lost(stage: Stage, number: int) -> bool:
    """Whether the agent itself has lost what a command said."""
    return bool(stage.agent.lost) and stage.agent.lost in stage.result(number)


def must_be_alike(native: Stage, ours: Stage, number: int, word: str = "", others: int | None = None) -> None:
    """A result is what it is without us, but for what differs between any two runs; `others`: its number with us."""
    before = native.plain(native.result(number, word)).rstrip()
    after = ours.plain(ours.result(number if others is None else others, word)).rstrip()
    lost = ours.agent.lost
    if lost and (
        lost in before or lost in after
    ):  # by the agent itself, with us and without us: the rest must be alike
        before, after = (NAMED_OUTPUT.sub(lost, text) for text in (before, after))
    assert after == before, f"not as natively: {after[:300]!r}, and without us {before[:300]!r}"
