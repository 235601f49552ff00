"""Three phases, three processes: each is handed what the ones before left, within its tokens.

    python examples/pipeline/run.py [DIRECTORY [RUN]]

Discovery looks, implementation writes tests and runs them, validation checks. They share nothing but
files below a directory: the hand-offs, and the log of the test run, which is kept as an artifact. Any number of runs
may share a directory, each with a name of its own.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PHASES = ("discovery", "implementation", "validation")


def main(root: Path, run: str = "example") -> int:
    """Run the phases in `root`; 0 if each did its work and was handed no more than its tokens."""
    shop = root / f"shop-{run}"
    shutil.copytree(HERE / "shop", shop)
    environ = {**os.environ, "OVERSPILL_ROOT": str(root), "OVERSPILL_RUN_ID": run, "PYTHONDONTWRITEBYTECODE": "1"}
    for number, phase in enumerate(PHASES, 1):
        print(f"== Phase {number}: {phase} is handed", "nothing" if number == 1 else "", flush=True)
        done = subprocess.run([sys.executable, str(HERE / f"{phase}.py"), str(shop)], env=environ, check=False)
        if done.returncode:
            return done.returncode
    log = (root / ".agents" / "rpi" / "context-budget-log.jsonl").read_text()
    entries = [entry for entry in map(json.loads, log.splitlines()) if entry["run_id"] == run]
    print("phase 1: 0 tokens, it is the first")
    for entry in entries:
        print(f"phase {entry['phase']}: {entry['truncated_tokens']} of {entry['budget_tokens']} tokens")
    return 0 if all(entry["truncated_tokens"] <= entry["budget_tokens"] for entry in entries) else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1]), *sys.argv[2:3]))
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(Path(place)))
