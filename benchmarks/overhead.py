"""What a call costs more in a real coding agent, against the same call without us: `make overhead`.

    python benchmarks/overhead.py [--agent NAME]... [--calls N]

A scripted model asks each agent for the same commands in sessions with us and without us, by turns. Time is what
passes between the model's answer and the request that brings the result, the median of all calls but the first. CPU is
that of the agent and all it started, without what a session of one call takes, by call.
"""

import argparse
import ctypes
import os
import resource
import statistics
import sys
from typing import NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tests"))

from measuring import row

from e2e.installing import cache, installed
from e2e.running import CouldNotRun, Setting, place_in, ran
from e2e.wiring import AGENTS, Agent

COMMANDS = {"one line": "echo all is well", "300 KB": "seq 1 51000"}
DEFAULT_AGENTS = ("claude-code", "codex")
CALLS = 30
PR_SET_CHILD_SUBREAPER = 36  # of Linux: whoever is left behind by a child becomes a child of ours, and is counted


class SessionCost(NamedTuple):
    """What a session took, in seconds: each of its calls, and CPU in all."""

    calls: list[float]
    cpu: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--agent", action="append", choices=list(AGENTS), help="only this one")
    parser.add_argument("--calls", type=int, default=CALLS, help="of each command in a session")
    asked = parser.parse_args()
    names = asked.agent or list(DEFAULT_AGENTS)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    setting = Setting(installed(names), os.path.join(cache(), "runs"), proxied=False)
    failed = 0
    for name in names:
        for label, command in COMMANDS.items():
            try:
                tell(AGENTS[name], setting, label, command, asked.calls)
            except (CouldNotRun, AssertionError) as error:
                print(f"{name}, {label}: could not be measured: {error}")
                failed += 1
    return 1 if failed else 0


def tell(agent: Agent, setting: Setting, label: str, command: str, calls: int) -> None:
    """Print what a command costs with us and without us."""
    settings = {"without": setting._replace(with_us=False), "with": setting}
    single = {key: session_cost(agent, one, command, 1) for key, one in settings.items()}
    halves: dict[str, list[SessionCost]] = {"without": [], "with": []}
    for count in (calls - calls // 2, calls // 2):  # by turns, so that a busy minute is everybody's
        for key, one in settings.items():
            halves[key].append(session_cost(agent, one, command, count + 1))
    times = {
        key: statistics.median([call for half in found for call in half.calls[1:]]) for key, found in halves.items()
    }
    cpu = {key: sum(half.cpu - single[key].cpu for half in found) / calls for key, found in halves.items()}
    added_time, added_cpu = ((what["with"] - what["without"]) * 1000 for what in (times, cpu))
    row(
        f"{agent.name}, {label}: added to a call",
        f"{added_time:+.0f} ms, {added_cpu:+.0f} ms CPU",
        f"{times['without'] * 1000:.0f} -> {times['with'] * 1000:.0f} ms, CPU {cpu['without'] * 1000:.0f} -> "
        f"{cpu['with'] * 1000:.0f} ms; median of {calls}",
    )


def session_cost(agent: Agent, setting: Setting, command: str, calls: int) -> SessionCost:
    """A session in which one command is run so many times."""
    before = children_cpu()
    with place_in(setting.runs, agent.name) as place:
        run = ran(agent, setting, [agent.shell(command)] * calls, place)
    reap_orphans()
    if len(run.model.call_seconds) != calls:
        raise AssertionError(f"{len(run.model.call_seconds)} of {calls} calls were made")
    return SessionCost(run.model.call_seconds, children_cpu() - before)


def children_cpu() -> float:
    """Seconds of CPU of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def reap_orphans() -> None:
    """Wait for what was left behind and has ended: only then it is counted."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


if __name__ == "__main__":
    sys.exit(main())
