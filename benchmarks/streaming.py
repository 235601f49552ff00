"""A stream larger than memory should ever be: 1 GB of log through `spill fit`, against tee and wc."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

from measuring import log_of, row

MEGABYTES = int(os.environ.get("BENCH_MEGABYTES", "1000"))


class Run(NamedTuple):
    """What one command took."""

    cpu: float
    wall: float
    peak: int  # bytes


# A process inherits the peak of the one that started it, so a small one stands between.
BETWEEN = """
import resource, subprocess, sys, time
started = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
wall, usage = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024)
"""


def run(command: Sequence[str], path: str) -> Run:
    with open(path, "rb") as stdin:
        words = subprocess.check_output([sys.executable, "-c", BETWEEN, *command], stdin=stdin, text=True).split()
    return Run(float(words[0]), float(words[1]), int(words[2]))


def main() -> None:
    spill = os.path.join(os.path.dirname(sys.executable), "spill")
    with tempfile.TemporaryDirectory() as root:
        path = os.path.join(root, "big.log")
        piece = log_of(10_000_000).encode()
        with open(path, "wb") as file:
            file.writelines(piece for _ in range(MEGABYTES // 10))
        fit = [spill, "fit", "--strategy", "tail", "--root", root]
        small = run(fit, os.devnull)
        streamed = min((run(fit, path) for _ in range(2)), key=lambda one: one.cpu)
        copied = min((run(["tee", os.path.join(root, "copy.log")], path) for _ in range(3)), key=lambda one: one.cpu)
        counted = run(["wc", "-lm"], path)
    row(f"{MEGABYTES} MB stream: peak memory", f"{streamed.peak / 1e6:.0f} MB", "bar 100 MB, goal 40")
    row("  of that, over a fit of nothing", f"{(streamed.peak - small.peak) / 1e6:.0f} MB", "flat")
    row("  CPU against tee (redacted, hashed, stored)", f"{streamed.cpu / copied.cpu:.1f}x", "bar 8x, goal 3x")
    row("  time against tee", f"{streamed.wall / copied.wall:.1f}x", "")
    row("  CPU against wc -lm", f"{streamed.cpu / counted.cpu:.2f}x", "")


if __name__ == "__main__":
    main()
