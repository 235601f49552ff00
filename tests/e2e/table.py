"""The table of docs/agent-scenarios.md: how every scenario went with every agent, from what was recorded.

`make e2e E2E=--write-table` records what it tried in results.json, leaves the rest, and writes the table anew.
"""

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

RESULTS = Path(__file__).parent / "results.json"
PAGE = Path(__file__).parent.parent.parent / "docs" / "agent-scenarios.md"
BEGIN, END = "<!-- written by `make e2e E2E=--write-table` -->\n", "<!-- until here -->\n"
VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?")
TITLES = {  # as they write their own names
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "copilot": "Copilot CLI",
    "qwen": "Qwen Code",
    "kilo": "Kilo",
    "cline": "Cline",
}

Json = dict[str, Any]


class Told(NamedTuple):
    """How one scenario went with one agent."""

    agent: str
    scenario: str
    outcome: str  # ok, not offered, FAILED, could not run
    native: int | None  # characters that reach the model without us
    ours: int | None
    seconds: float
    why: str = ""


def title_of(agent: str) -> str:
    return TITLES.get(agent, agent)


def version_of(program: str) -> str:
    """Which version of an agent is installed."""
    try:
        # Beside the agents lies a Node that is new enough for all of them, where the machine's is not.
        path = os.pathsep.join([os.path.dirname(program), os.environ["PATH"]])
        words, environ = [program, "--version"], {**os.environ, "PATH": path}
        done = subprocess.run(words, env=environ, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = VERSION.search(done.stdout + done.stderr)
    return found[0] if found else ""


def merged_results(before: Json, told: Sequence[Told], versions: Mapping[str, str], date: str) -> Json:
    """What was recorded, with what was tried now in its place."""
    agents = {name: dict(record) for name, record in before.items()}
    for one in told:
        record = agents.setdefault(one.agent, {"scenarios": {}})
        record["version"] = versions.get(one.agent, "")
        record["scenarios"] = {
            **record["scenarios"],
            one.scenario: {
                "outcome": one.outcome,
                "native": one.native,
                "ours": one.ours,
                "seconds": round(one.seconds, 1),
                "why": one.why,
                "date": date,
            },
        }
    return agents


def record_results(told: Sequence[Told], programs: Mapping[str, str]) -> None:
    """Write down how it went, and the table."""
    before = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    versions = {name: version_of(program) for name, program in programs.items()}
    after = merged_results(before, told, versions, f"{datetime.now(UTC):%Y-%m-%d}")
    RESULTS.write_text(json.dumps(after, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), table_text(after, known_scenarios())), encoding="utf-8")


def known_scenarios() -> dict[str, str]:
    """What every scenario is, by name."""
    from e2e.scenarios import SCENARIOS
    from e2e.situations import SITUATIONS

    says = {name: scenario.says for name, scenario in SCENARIOS.items()}
    return says | {name: situation.says for name, situation in SITUATIONS.items()}


def page_with(page: str, table: str) -> str:
    """The page with the table in its place."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}"


def table_text(results: Json, scenarios: Mapping[str, str]) -> str:
    """The table, and what there is to say about its cells."""
    agents = list(results)
    heads = [f"{title_of(name)} {results[name]['version']}".strip() for name in agents]
    lines = [f"| scenario | {' | '.join(heads)} |", "|---" * (len(agents) + 1) + "|"]
    reasons: dict[str, list[str]] = {}
    for name, says in scenarios.items():
        cells = []
        for agent in agents:
            cell = results[agent]["scenarios"].get(name)
            number = 0
            if cell and cell["why"]:
                cases = reasons.setdefault(cell["why"], [])
                cases.append(f"{title_of(agent)}, {name}")
                number = list(reasons).index(cell["why"]) + 1
            cells.append(cell_text(cell, number))
        lines.append(f"| **{name}**: {says} | {' | '.join(cells)} |")
    lines += ["", *(f"{number}. {', '.join(cases)}: {why}" for number, (why, cases) in enumerate(reasons.items(), 1))]
    dates = sorted({cell["date"] for record in results.values() for cell in record["scenarios"].values()})
    seconds = sum(cell["seconds"] for record in results.values() for cell in record["scenarios"].values())
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "never"
    return "\n".join([*lines, "", f"Run {when}; all of it takes about {seconds / 60:.0f} minutes on two cores."])


def cell_text(cell: Json | None, number: int) -> str:
    """How a scenario went with an agent: characters at the model without us and with us, and a note."""
    if cell is None:
        return "not run"
    sizes = f" {cell['native']:,} → {cell['ours']:,}" if cell["native"] is not None and cell["ours"] is not None else ""
    return f"{cell['outcome']}{sizes if cell['outcome'] == 'ok' else ''}{f' ({number})' if number else ''}"


def program_paths(agents: Mapping[str, str], directory: str) -> dict[str, str]:
    """The agents' commands by name."""
    return {name: os.path.join(directory, program) for name, program in agents.items()}
