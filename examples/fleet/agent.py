"""One agent in a pod: it takes tasks, runs tools whose results are too long, and hands over what it found.

    python agent.py NUMBER

Tasks, hand-offs and quotas are in the database that the environment names, results in the bucket. It says on standard
output, one JSON line a task, what it was shown and where the whole lies; when it says so, all of it is kept.
"""

from __future__ import annotations

import json
import sys

from overspill import Overspill
from overspill.handoff.formats import Handoff
from overspill.handoff.project import handoffs_of

LEASE_SECONDS = 10.0  # after which somebody else may take the task of an agent that died


def tool_result(agent: int, task: str) -> str:
    """What a tool says: a build log with one error in it."""
    wrong = 700 + int(task.removeprefix("T"))
    return "".join(
        f"{'ERROR: linking failed' if line == wrong else f'compiled file {line}'} (agent {agent}, {task})\n"
        for line in range(2_000)
    )


def main() -> None:
    """Work until there is no task left."""
    agent = int(sys.argv[1])
    spill = Overspill(preset="agent")
    handoffs = handoffs_of(spill.workspace)
    with spill.workspace.ledger(write=True, who=f"agent-{agent}") as ledger:
        while (task := ledger.claim_next(seconds=LEASE_SECONDS)) is not None:
            name = str(task["id"])
            fitted = spill.fit(tool_result(agent, name), tool="bash", budget=1_200)
            found = f"{name}: linking failed, {fitted.artifact_id}"
            handoffs.write(Handoff(phase=1, run_id="build", decisions_made=(found,)), add=True)
            ledger.done(name, reason=fitted.artifact_id)
            said = {
                "agent": agent,
                "task": name,
                "id": fitted.artifact_id,
                "error_seen": "linking failed" in fitted.text,
                "kept_here": [notice for notice in fitted.report.notices if notice.startswith("kept here")],
            }
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
    spill.store.close()


if __name__ == "__main__":
    main()
