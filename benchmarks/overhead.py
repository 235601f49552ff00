"""What a call costs more in a real coding agent, against the same call without us: `make overhead`.

    python benchmarks/overhead.py [--agent NAME]... [--calls N] [--minutes N]

A scripted model asks each agent for the same commands in sessions with us and without us, by turns. Time is what
passes between the model's answer and the request that brings the result: the median. CPU is that of the agent and all
it started from one request to the next, of which the mean of the middle half is taken: the system counts it in
hundredths of a second. The first call of a session is left out.
"""

import argparse
import ctypes
import os
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tests"))

from e2e.installing import cache, installed
from e2e.model import Asked, Call
from e2e.running import CouldNotRun, Setting, place_in, ran
from e2e.wiring import AGENTS, Agent

COMMANDS = {"one line": "echo all is well", "300 KB": "seq 1 51000"}
DEFAULT_AGENTS = ("claude-code", "codex", "gemini", "copilot", "opencode")
CALLS, SESSIONS, MINUTES = 30, 2, 25
BARS = {"one line": (30, 60)}  # milliseconds that may be added: CPU, and time
PR_SET_CHILD_SUBREAPER = 36  # of Linux: whoever is left behind by a child becomes a child of ours, and is counted
TICK = 1 / os.sysconf("SC_CLK_TCK")
FIGURES = f"without {'with':>7} {'added':>7}"
HEAD = f"{'agent':<12} {'command':<9} {'CPU ' + FIGURES:>25}   {'time ' + FIGURES:>25}   (milliseconds a call)"


class CallCosts(NamedTuple):
    """What calls took, in milliseconds each."""

    times: list[float]
    cpu: list[float]

    def __add__(self, others: object) -> "CallCosts":
        assert isinstance(others, CallCosts)
        return CallCosts(self.times + others.times, self.cpu + others.cpu)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--agent", action="append", choices=list(AGENTS), help="only this one")
    parser.add_argument("--calls", type=int, default=CALLS, help="of each command, with us and without us")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="after which no session is begun")
    asked = parser.parse_args()
    names = asked.agent or list(DEFAULT_AGENTS)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with it, every start compiles anew
    setting = Setting(installed(names), os.path.join(cache(), "runs"), proxied=False)
    until = time.monotonic() + asked.minutes * 60
    print(HEAD)
    failed = 0
    for name in names:
        for label, command in COMMANDS.items():
            try:
                failed += tell(AGENTS[name], label, measured(AGENTS[name], setting, command, asked, until))
            except (CouldNotRun, AssertionError) as error:
                print(f"{name:<12} {label:<9} could not be measured: {error}", flush=True)
                failed += 1
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"{asked.calls} calls of each; load of the machine at the end: {load}. Over a bar: {failed}.")
    return 1 if failed else 0


def measured(
    agent: Agent, setting: Setting, command: str, asked: argparse.Namespace, until: float
) -> dict[str, CallCosts]:
    """What calls of a command cost without us and with us, in sessions by turns."""
    settings = {"without": setting._replace(with_us=False), "with": setting}
    costs = {key: CallCosts([], []) for key in settings}
    for number in range(SESSIONS):
        calls = asked.calls // SESSIONS + (number < asked.calls % SESSIONS)
        for key, one in settings.items():
            if time.monotonic() > until:
                raise CouldNotRun(f"{asked.minutes:g} minutes are over; --minutes lets it take longer")
            costs[key] += session_costs(agent, one, command, calls)
    return costs


def tell(agent: Agent, label: str, costs: dict[str, CallCosts]) -> bool:
    """Print what a command costs; whether that is over the bar."""
    cpu = {key: middle_mean(one.cpu) for key, one in costs.items()}
    times = {key: statistics.median(one.times) for key, one in costs.items()}
    added = tuple(what["with"] - what["without"] for what in (cpu, times))
    bars = BARS.get(label)
    is_over = bars is not None and any(one > bar for one, bar in zip(added, bars, strict=True))
    figures = "   ".join(
        f"{what['without']:>9.0f} {what['with']:>7.0f} {more:>+7.0f}"
        for what, more in zip((cpu, times), added, strict=True)
    )
    verdict = f"   OVER {bars[0]} CPU, {bars[1]} time" if bars and is_over else ""
    print(f"{agent.name:<12} {label:<9} {figures}{verdict}", flush=True)
    return is_over


def middle_mean(values: Sequence[float]) -> float:
    """The mean of the middle half."""
    quarter = len(values) // 4
    return statistics.fmean(sorted(values)[quarter : len(values) - quarter])


def session_costs(agent: Agent, setting: Setting, command: str, calls: int) -> CallCosts:
    """A session in which one command is run so many times, after a first call that is not counted."""
    marks: list[float] = []

    def step(asked: Asked) -> Call:
        del asked
        marks.append(descendants_cpu())
        return agent.shell(f"{command}; : {len(marks)}")  # agents take the same call again and again for a mistake

    with place_in(setting.runs, agent.name) as place:
        run = ran(agent, setting, [step] * (calls + 2), place)  # the last one marks the end of the one before
    reap_orphans()
    if len(run.model.call_seconds) != calls + 2:
        raise AssertionError(f"{len(run.model.call_seconds)} of {calls + 2} calls were made")
    times = [seconds * 1000 for seconds in run.model.call_seconds[1:-1]]
    return CallCosts(times, [(after - before) * 1000 for before, after in pairwise(marks[1:])])


def descendants_cpu() -> float:
    """Seconds of CPU of all processes that were started below this one, those that have ended included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime + sum(map(process_cpu, descendants(os.getpid())))


def descendants(process: int) -> Iterator[int]:
    """All that was started below a process and is there."""
    with suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):
            with suppress(OSError), open(f"/proc/{process}/task/{task}/children", encoding="ascii") as children:
                for child in map(int, children.read().split()):
                    yield child
                    yield from descendants(child)


def process_cpu(process: int) -> float:
    """Seconds of CPU of a process and of its children that have ended."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:15])) * TICK
    except OSError:
        return 0.0


def reap_orphans() -> None:
    """Let those go that were left behind and have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    sys.exit(main())
