"""A session of a hundred turns in five frameworks, without us, fitted, fitted and cleared: `make sessions`.

Runs in the environments of `make frameworks`, with the newest release of each. Prints one table and writes it into
docs/history.md, between its marks. Exit status 1 if a pair of call and result was broken in any request, or if
something that was cleared did not come back.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from frameworks.run import ROOT, checked, environment, installed, jobs
from frameworks.table import write

FRAMEWORKS = ("langchain", "pydantic-ai", "openai-agents", "google-adk", "anthropic")
MOST_TOLD = 5  # of what is broken in a way
PAGE = ROOT / "docs" / "history.md"
HEAD = """| framework | | cost | tokens sent | largest prompt | requests | cache broken | fetched again |
|---|---|--:|--:|--:|--:|--:|--:|"""


def measured(only: list[str]) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    for job in jobs(only or list(FRAMEWORKS), newest=True):
        python = environment(job)
        done = checked(python, job, "--session")
        if done.returncode:
            raise SystemExit(f"{job.extra}: {done.stderr.strip().splitlines()[-1]}")
        yield f"{job.extra} {installed(python, job)}", json.loads(done.stdout.splitlines()[-1])


def rows(name: str, ways: dict[str, dict[str, Any]]) -> Iterator[str]:
    whole = ways["without us"]
    for way, figures in ways.items():
        shares = [f"{figures[key] / whole[key]:.3f}" for key in ("cost", "tokens")]
        counts = [f"{figures[key]:,}" for key in ("largest", "requests", "breaks", "fetched")]
        yield f"| {name} | {way} | {' | '.join([*shares, *counts])} |"
        name = ""


def faults(name: str, ways: dict[str, dict[str, Any]]) -> Iterator[str]:
    for way, figures in ways.items():
        broken = [*figures["pairs"], *figures["lost"]]
        yield from (f"BROKEN  {name}, {way}: {why}" for why in broken[:MOST_TOLD])
        if len(broken) > MOST_TOLD:
            yield f"BROKEN  {name}, {way}: and {len(broken) - MOST_TOLD} more"
    cleared = ways["fitted and cleared"]
    if not cleared["cleared"] or not cleared["fetched"]:
        yield f"BROKEN  {name}: nothing was cleared, or nothing of it fetched, so nothing was tried"


def main() -> int:
    made = [HEAD]
    broken: list[str] = []
    print(HEAD, flush=True)
    for name, ways in measured(sys.argv[1:]):
        lines = list(rows(name, ways))
        print("\n".join(lines), flush=True)
        made += lines
        broken += faults(name, ways)
    print("\n".join(broken))
    if not sys.argv[1:]:
        write(PAGE, "\n".join(made))
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
