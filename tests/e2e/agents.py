"""Coding agents as they are, with a scripted model, with and without us: `make e2e`.

    python -m e2e.agents [--agent NAME]... [--scenario NAME]... [--shelf] [--keep] [--list] [--write-table]

Each agent runs in a home of its own and speaks to loopback only. What counts is what reached the model. Agents
are installed from npm below the user's cache directory, or taken from $OVERSPILL_E2E_AGENTS.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time

from e2e.abilities import abilities_of
from e2e.canary_runs import tell_canaries
from e2e.figures import tell_figures
from e2e.installing import cache, installed
from e2e.running import CouldNotRun, Run, Setting, logged, place_in, ran
from e2e.scenarios import SCENARIOS, Scenario, patience
from e2e.situations import SITUATIONS
from e2e.stage import NotOffered, Stage, Trial
from e2e.table import Told, known_scenarios, program_paths, record_results
from e2e.talkative import SECRET
from e2e.wiring import AGENTS, Agent

CANARIES = "canaries"  # not a scenario like others: it has runs of its own, and a table of what became of each
FIGURES = "figures"  # nor this one: what `spill stats` says, beside what was
NAMES = (*SCENARIOS, *SITUATIONS, FIGURES, CANARIES)
COUNTED = "(the agent itself sent the raw result to be counted, before it asked the hook)"


def main() -> int:
    """Try everything, say how each went, and fail if anything did."""
    asked = arguments()
    if asked.list:
        for name, says in known_scenarios().items():
            print(f"{name:<10} {says}")
        print(f"{FIGURES:<10} what `spill stats` says of every result is what the model received, with us and without")
        print(f"{CANARIES:<10} a secret in every place of a result reaches no model, by place")
        return 0
    agents = asked.agent or list(AGENTS)
    logs = tempfile.mkdtemp(prefix="overspill-e2e-")
    setting = Setting(installed(agents), os.path.join(cache(), "runs"), shelf=asked.shelf)
    told = []
    scenarios = [name for name in asked.scenario if name in SCENARIOS]
    situations = [name for name in asked.scenario if name in SITUATIONS]
    if scenarios or situations:
        print(f"{'agent':<12} {'scenario':<10} {'outcome':<14} {'native':>8} {'ours':>8} {'s':>6}")
    for name in agents:
        native = natives(AGENTS[name], setting, scenarios) if scenarios else {}
        for scenario in scenarios:
            told.append(tried(AGENTS[name], scenario, setting, os.path.join(logs, f"{name}-{scenario}"), asked.keep))
            told[-1] = told[-1]._replace(native=native.get(scenario))
            print(line(told[-1]), flush=True)
        for situation in situations:
            told.append(played(AGENTS[name], situation, setting, os.path.join(logs, f"{name}-{situation}")))
            print(line(told[-1]), flush=True)
        if asked.write_table:
            mine = [one for one in told if one.agent == name]
            record_results(mine, program_paths({name: AGENTS[name].program}, setting.programs))
    wrong = tell_figures([AGENTS[name] for name in agents], setting, logs) if FIGURES in asked.scenario else 0
    leaks = tell_canaries([AGENTS[name] for name in agents], setting, logs) if CANARIES in asked.scenario else 0
    return ended(told, logs, leaks, wrong)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="e2e", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--agent", action="append", choices=list(AGENTS), help="only this one")
    parser.add_argument("--scenario", action="append", choices=NAMES, help="only this one")
    parser.add_argument("--shelf", action="store_true", help="set up by the agents' own commands, not by `spill init`")
    parser.add_argument("--keep", action="store_true", help="keep the logs of runs that went well, too")
    parser.add_argument("--write-table", action="store_true", help="record how it went, for docs/agent-scenarios.md")
    parser.add_argument("--list", action="store_true", help="say what is tried")
    asked = parser.parse_args()
    asked.scenario = asked.scenario or list(NAMES)
    return asked


def natives(agent: Agent, setting: Setting, names: list[str]) -> dict[str, int]:
    """How many characters reach the model without us, by scenario: all in one run."""
    wanted = [name for name in names if SCENARIOS[name].native and name not in agent.lacks]
    firsts = [SCENARIOS[name].script(agent)[SCENARIOS[name].shown] for name in wanted]
    try:
        with place_in(setting.runs, agent.name) as place:
            run = ran(agent, setting._replace(with_us=False, proxied=False), [patience(agent), *firsts], place)
    except (CouldNotRun, AssertionError):
        return {}  # the scenarios say why
    return {name: len(result) for name, result in zip(wanted, run.results[1:], strict=False)}


def tried(agent: Agent, name: str, setting: Setting, log: str, keep: bool) -> Told:  # as asked
    """One scenario with one agent."""
    scenario = SCENARIOS[name]
    if name in agent.lacks:
        return Told(agent.name, name, "not offered", None, None, 0.0, agent.lacks[name])
    run: Run | None = None
    ours, seconds = None, 0.0
    with place_in(setting.runs, agent.name) as place:
        try:
            setting = setting._replace(proxied=scenario.proxied, rules=scenario.rules)
            run = ran(agent, setting, scenario.script(agent), place)
            seconds = run.seconds
            ours = len(shown(scenario, run))
            checked(scenario, run)
            outcome, why = "ok", COUNTED if run.model.saw(SECRET) else ""
        except CouldNotRun as error:
            outcome, why = "could not run", str(error)
        except Exception as error:  # noqa: BLE001  # each is told, and the rest is tried
            outcome, why = "FAILED", f"{type(error).__name__}: {error}"
        if run and (keep or outcome != "ok"):
            logged(run, log)
    return Told(agent.name, name, outcome, None, ours, seconds, why)


def played(agent: Agent, name: str, setting: Setting, log: str) -> Told:
    """One situation with one agent."""
    if name in agent.lacks:
        return Told(agent.name, name, "not offered", None, None, 0.0, agent.lacks[name])
    trial, begun = Trial(agent, setting, log), time.monotonic()
    trial.agents_own = set(filter(None, [abilities_of(agent).leaves]))
    try:
        SITUATIONS[name].play(trial)
        outcome, why = "ok", "; ".join(trial.notes)
    except NotOffered as error:
        outcome, why = "not offered", str(error)
    except CouldNotRun as error:
        outcome, why = "could not run", str(error)
    except Exception as error:  # noqa: BLE001  # each is told, and the rest is tried
        outcome, why = "FAILED", f"{type(error).__name__}: {error}"
        trial.write_logs()
    return Told(
        agent.name,
        name,
        outcome,
        chars_of([stage for stage in trial.stages if trial.is_compared and not stage.with_us]),
        chars_of([stage for stage in trial.stages if trial.is_compared and stage.with_us]),
        time.monotonic() - begun,
        why,
    )


def chars_of(stages: list[Stage]) -> int | None:
    """The characters of results that reached the model."""
    return sum(stage.chars for stage in stages) if stages else None


def shown(scenario: Scenario, run: Run) -> str:
    """The result that the scenario is about."""
    return run.results[scenario.shown] if len(run.results) > scenario.shown else ""


def checked(scenario: Scenario, run: Run) -> None:
    """Everything that must be true: of this scenario, and of all."""
    assert not run.model.failures, "; ".join(run.model.failures)
    scenario.check(run)
    assert not any(SECRET in asked.text for asked in run.model.turns), "the secret reached the model"
    assert scenario.counted or not run.model.saw(SECRET), "the secret left the machine"


def line(told: Told) -> str:
    native = "" if told.native is None else f"{told.native:,}"
    ours = "" if told.ours is None else f"{told.ours:,}"
    why = f"  {told.why[:400]}" if told.why else ""
    return f"{told.agent:<12} {told.scenario:<10} {told.outcome:<14} {native:>8} {ours:>8} {told.seconds:>6.1f}{why}"


def ended(told: list[Told], logs: str, leaks: int, wrong: int) -> int:
    """The sum of it, and where more is to be read."""
    failed = [one for one in told if one.outcome == "FAILED"]
    missing = [one for one in told if one.outcome == "could not run"]
    if told:
        counts = {
            word: sum(one.outcome == word for one in told) for word in ("ok", "FAILED", "could not run", "not offered")
        }
        print(", ".join(f"{count} {word}" for word, count in counts.items()))
    if wrong:
        print(f"{wrong} figures FAILED")
    if leaks:
        print(f"{leaks} canaries FAILED")
    if os.listdir(logs):
        print(f"logs: {logs}")
    else:
        shutil.rmtree(logs)
    return 1 if failed or missing or leaks or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
