"""One agent in a pod: it runs tools whose results are too long, and leaves what they were in the bucket.

    python agent.py NUMBER RESULTS

It says on standard output, one JSON line a result, what it was shown and where the whole lies.
"""

from __future__ import annotations

import json
import sys

from overspill import Overspill


def tool_result(agent: int, number: int) -> str:
    """What a tool says: a build log with one error in it."""
    return "".join(
        f"{'ERROR: linking failed' if line == 700 + number else f'compiled file {line}'} (agent {agent}, {number})\n"
        for line in range(2_000)
    )


def main() -> None:
    """Fit so many results, one after the other."""
    agent, results = int(sys.argv[1]), int(sys.argv[2])
    spill = Overspill(preset="agent")
    for number in range(results):
        fitted = spill.fit(tool_result(agent, number), tool="bash", budget=1_200)
        said = {
            "agent": agent,
            "number": number,
            "id": fitted.artifact_id,
            "error_seen": "linking failed" in fitted.text,
            "kept_here": [notice for notice in fitted.report.notices if notice.startswith("kept here")],
        }
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
    spill.store.close()


if __name__ == "__main__":
    main()
