"""What is larger than memory should ever be, through `spill fit`: counts, memory, and time against wc and tee.

    python benchmarks/large.py [--full]

A listing, a log and a JSON array come by a pipe, so that nothing large lies on the disk but what tee writes. Every
count that the view names is counted again by other programs. `--full`: 5 GB, 1 GB and 500 MB.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from measuring import row
from streaming import BETWEEN, Run

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")
MEGABYTE = 1_000_000
LEVELS = ("info",) * 40 + ("warn", "error")


class Input(NamedTuple):
    """Something large, and how its counts are found again in it."""

    name: str
    megabytes: int
    full: int
    recount: str  # a line of shell that prints a name and a count on each line
    memory: float  # megabytes, or times the input where it is a document


BY_DIRECTORY = "awk -F/ '{++all; ++seen[$3 FS $4]} END {for (one in seen) print one, seen[one]; print \"paths\", all}'"
BY_LEVEL = "awk '{++seen[$2]} END {for (one in seen) print one, seen[one]}'"
BY_MEMBER = "grep -o '\"level\":\"[a-z]*' | sort | uniq -c | awk -F'\"' '{print $4, $1 + 0}'"
INPUTS = (
    Input("listing", 50, 5_000, BY_DIRECTORY, 60),
    Input("log", 50, 1_000, BY_LEVEL, 60),
    Input("json", 50, 500, BY_MEMBER, 1.5),
)


def main(arguments: Sequence[str] = ()) -> None:
    if arguments[:1] == ["--write"]:
        write_input(arguments[1], int(arguments[2]))
        return
    for one in INPUTS:
        measure_input(one, one.full if "--full" in arguments else one.megabytes)


def measure_input(one: Input, megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as root:
        view, copy = os.path.join(root, "view"), os.path.join(root, "copy")
        fitted = run_piped(one, megabytes, [SPILL, "fit", "--strategy", "smart", "--root", root], view)
        copied = run_piped(one, megabytes, ["tee", copy], os.devnull)
        os.remove(copy)
        counted = run_piped(one, megabytes, ["wc", "-lm"], os.devnull)
        with open(view) as file:
            said = said_counts(one, file.read())
    true = dict(recounted(one, megabytes))
    false = [f"{name} is {true.get(name)}, not {count}" for name, count in said.items() if true.get(name) != count]
    what = f"{megabytes} MB {one.name}"
    row(f"{what}: counts of the view that are so", f"{len(said) - len(false)} of {len(said)}", ", ".join(false[:3]))
    if one.name == "json":
        row("  peak memory over the input", f"{fitted.peak / megabytes / MEGABYTE:.2f}x", f"bar {one.memory}x")
    else:
        row("  peak memory", f"{fitted.peak / MEGABYTE:.0f} MB", f"bar {one.memory} MB")
    row("  CPU against wc -lm, against tee", f"{fitted.cpu / counted.cpu:.1f}x, {fitted.cpu / copied.cpu:.1f}x", "")


def said_counts(one: Input, view: str) -> dict[str, int]:
    """What a view says there is how often, by the names that `recount` gives."""
    text = re.sub(r",\n\[ ", ", ", view)
    if one.name == "log":
        return {level: int(count) for count, level in re.findall(r"(?m)^\[(\d+)x ~\S+ ([A-Z]+) ", text)}
    if one.name == "json":
        told = re.search(r"\[level: ([^\]]*)\]", text)
        return {name: int(count) for name, count in re.findall(r"(\w+) (\d+)", told[1] if told else "")}
    said = {name: int(count) for count, name in re.findall(r"(?m)^\[(\d+) (paths): ", text)}
    for directory, inside in re.findall(r"(d\d\d)/\{([^}]*)", text):
        said |= {f"{directory}/{name}": int(count) for name, count in re.findall(r"(sub\d+)/ (\d+)", inside)}
    return said


def run_piped(one: Input, megabytes: int, command: Sequence[str], out: str) -> Run:
    """What a command takes to read an input that another process writes."""
    between = BETWEEN.replace("stdout=subprocess.DEVNULL", f"stdout=open({out!r}, 'wb')")
    with subprocess.Popen(writer(one, megabytes), stdout=subprocess.PIPE) as source:
        words = subprocess.check_output([sys.executable, "-c", between, *command], stdin=source.stdout, text=True)
    cpu, wall, peak = words.split()
    return Run(float(cpu), float(wall), int(peak))


def recounted(one: Input, megabytes: int) -> Iterator[tuple[str, int]]:
    with subprocess.Popen(writer(one, megabytes), stdout=subprocess.PIPE) as source:
        lines = subprocess.check_output(["sh", "-c", one.recount], stdin=source.stdout, text=True)
    for name, count in map(str.split, lines.splitlines()):
        yield name, int(count)


def writer(one: Input, megabytes: int) -> list[str]:
    return [sys.executable, os.path.abspath(__file__), "--write", one.name, str(megabytes)]


def write_input(name: str, megabytes: int) -> None:
    """Write an input to standard output, the same in every run."""
    make = {"listing": listed_path, "log": log_line, "json": json_row}[name]
    out, number, written = sys.stdout.buffer, 0, 0
    out.write(b"[" if name == "json" else b"")
    while written < megabytes * MEGABYTE:
        piece = "".join(map(make, range(number, number + 10_000))).encode()
        out.write(piece[1:] if name == "json" and not number else piece)
        number, written = number + 10_000, written + len(piece)
    out.write(b"]\n" if name == "json" else b"")


def listed_path(number: int) -> str:
    mixed = number * 2_654_435_761 % 4_294_967_296
    return f"/srv/d{mixed % 23:02}/sub{mixed // 23 % 40}/file{number}.txt\n"


def log_line(number: int) -> str:
    level = LEVELS[number * 48_271 % 2_147_483_647 % len(LEVELS)].upper()
    clock = f"2026-11-15T10:{number // 60 % 60:02}:{number % 60:02}Z"
    return f"{clock} {level} worker-{number % 8}: request {number} done in {number % 877} ms\n"


def json_row(number: int) -> str:
    level, host, path = LEVELS[number * 48_271 % 2_147_483_647 % len(LEVELS)], number % 6, number % 97
    return f',{{"id":{number},"level":"{level}","host":"web-{host}","took":{number % 877},"path":"/a/{path}"}}'


if __name__ == "__main__":
    main(sys.argv[1:])
