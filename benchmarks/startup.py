"""A cold start, which every tool call pays: over the start of the interpreter alone, in CPU and in instructions.

    python benchmarks/startup.py [--runs 40] [--against /other/.venv/bin/spill]

All are started in turn, so that a busy minute is everybody's, and the least of many runs is taken. Times lie on a busy
machine, instructions hardly: they are counted by `perf`, or by valgrind where there are no counters.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

from hooks import event
from measuring import Start, least_cpu, log_of, row

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")
RUNS = 25
BARS = {
    "cold `spill fit` of 100 KB, plain": "bar 4.0x, goal 3.2x",
    "cold `spill fit` of 100 KB, smart": "bar 5.0x",
    "hook, a short result": "bar 3.8x",
}


class Count(NamedTuple):
    """A program that counts the instructions of another."""

    name: str
    command: tuple[str, ...]  # what it is started with; {} is the file it writes to
    pattern: str  # what it writes there


COUNTS = (
    Count("perf", ("perf", "stat", "-e", "instructions:u", "-x,", "-o", "{}", "--"), r"^(\d+),"),
    Count(
        "callgrind",
        ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file={}"),
        r"Collected : (\d+)",
    ),
)


def main(arguments: Sequence[str] = ()) -> None:
    runs = int(arguments[arguments.index("--runs") + 1]) if "--runs" in arguments else RUNS
    programs = [SPILL, *([arguments[arguments.index("--against") + 1]] if "--against" in arguments else [])]
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, ".git"))
        starts = {(program, what): start for program in programs for what, start in starts_of(program, root).items()}
        least_cpu(starts, runs=2)  # the scan database is built once, and modules are compiled
        cpu = least_cpu(starts, runs=runs)
        count = find_count(starts[SPILL, "bare"])
        instructions = {key: count_instructions(count, start) for key, start in starts.items()} if count else {}
    for program in programs:
        if len(programs) > 1:
            print(program)
        bare = cpu[program, "bare"]
        for what, bar in BARS.items():
            ours, counts = cpu[program, what], "instructions n/a"
            if count:
                counts = (
                    f"{instructions[program, what] / instructions[program, 'bare']:.2f}x in instructions ({count.name})"
                )
            about = f"{counts}, {(ours - bare) * 1000:.0f} ms are ours ({bar})"
            row(f"{what}, CPU over bare python", f"{ours / bare:.2f}x", about)


def starts_of(program: str, root: str) -> dict[str, Start]:
    """What is started, by what it is called, and the interpreter alone."""
    python, log = os.path.join(os.path.dirname(program), "python"), log_of(100_000).encode()
    fit = [python, program, "fit", "--root", root, "--strategy"]
    hook = Start([python, program, "hook", "claude-code"], event(root, log_of(200)))
    ways = [Start([*fit, "tail"], log), Start([*fit, "smart"], log), hook]
    return {"bare": Start([python, "-c", "pass"]), **dict(zip(BARS, ways, strict=True))}


def find_count(start: Start) -> Count | None:
    """The first that can count here: machines in a machine often have no counters."""
    return next(
        (count for count in COUNTS if shutil.which(count.command[0]) and count_instructions(count, start)), None
    )


def count_instructions(count: Count, start: Start) -> int:
    """Instructions that a start takes; 0 where they cannot be counted."""
    with tempfile.NamedTemporaryFile("r") as report:
        command = [word.format(report.name) for word in count.command] + list(start.command)
        environment = {**os.environ, "PYTHONHASHSEED": "0"}  # else every run takes another way through its dictionaries
        subprocess.run(command, input=start.stdin, env=environment, stdout=subprocess.DEVNULL, check=True)
        found = re.search(count.pattern, report.read(), re.MULTILINE)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    main(sys.argv[1:])
