"""The context of a phase: a hundred hand-offs of 100 KB, within 2,500 tokens."""

import json
import os
import tempfile
from functools import partial

from measuring import best, row

from overspill import MemoryStore, Overspill
from overspill.handoff.files import read_handoffs

PHASES = 100
SIZE = 100_000
STORY = (
    "We read module {} and found two callers that rely on its order. ",
    "The tests of part {} pass now, after the clock was handed in. ",
    "Open: the migration of table {} needs a lock of about a minute. ",
    "Rejected for {}: a cache, since every entry would be read once. ",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, ".agents", "rpi")
        os.makedirs(folder)
        paths = [os.path.join(folder, f"phase-{phase}-handoff.json") for phase in range(1, PHASES + 1)]
        for phase, path in enumerate(paths, 1):
            write(path, phase)
        bytes_read = best(lambda: [read(path) for path in paths])
        parsed = best(lambda: [json.loads(read(path)) for path in paths])
        handoffs = best(lambda: read_handoffs(root))
        spill = Overspill({}, MemoryStore(), root=root)
        for drop in ("tail", "oldest_first", "proportional"):
            made = spill.assemble(phase=PHASES + 1, max_tokens=2_500, drop=drop)
            assert made.budget.was_truncated
            assert made.budget.truncated_tokens <= 2_500
            seconds = best(partial(spill.assemble, phase=PHASES + 1, max_tokens=2_500, drop=drop), runs=3)
            row(
                f"{PHASES} hand-offs of 100 KB in 2,500 tokens, {drop}, over reading them",
                f"{seconds / handoffs:.1f}x",
                f"{seconds / parsed:.1f}x json.loads, {seconds / bytes_read:.1f}x read(), {seconds * 1000:.0f} ms",
            )


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def write(path: str, phase: int) -> None:
    narrative = "".join(STORY[number % len(STORY)].format(number) for number in range(SIZE // len(STORY[0])))
    handoff = {"schema_version": 1, "run_id": "r", "phase": phase, "goal": "ship it", "narrative": narrative}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(handoff, file, indent=2)


if __name__ == "__main__":
    main()
