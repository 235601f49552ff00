"""Large tables and documents as people have them: CSV of a million rows, SVG of 5 MB, YAML of 50 MB, against `read()`.

Each is written to a file, then read in a process of its own, and fitted in another by every way to cut it. Time is
processor time as a multiple of what reading the file takes. Memory is how much more the process needs for more of the
same, as a multiple of how much more there is: 0 is flat. Both sizes are beyond what is held of any text. What is shown
is parsed: a view that is not valid is an error.
"""

import csv
import os
import subprocess
import sys
import tempfile
from xml.etree import ElementTree as ET

import yaml
from measuring import row

ROWS = int(os.environ.get("BENCH_ROWS", "1000000"))
SVG_BYTES = int(os.environ.get("BENCH_SVG", str(5 << 20)))
YAML_BYTES = int(os.environ.get("BENCH_YAML", str(50 << 20)))
LIMIT = 8_000

READ = """
import resource, sys, time
started = time.process_time()
data = open(sys.argv[1], "rb").read()
print(time.process_time() - started)
"""
FIT = """
import resource, sys, time
from overspill import MemoryStore, Overspill
path, strategy = sys.argv[1:3]
import tempfile
with tempfile.TemporaryDirectory() as root:
    spill = Overspill({"tools.truncation.max_artifact_size": 1 << 30, "tools.truncation.artifact_threshold": 1 << 30},
                      root=root, preset="agent")
    spill.fit("warm up " * 9_000)
    started = time.process_time()
    with open(path, "rb") as file:
        fitted = spill.fit(file, tool="read_file", source=path, strategy=strategy, budget=8_000)
    print(time.process_time() - started)
    print(repr((fitted.report.fallback, fitted.text)))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""
BETWEEN = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"  # peaks are inherited


def lines_of(script: str, *words: str) -> list[str]:
    """What a script says in a process of its own."""
    command = [sys.executable, "-c", BETWEEN, sys.executable, "-c", script, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def write_csv(path: str, parts: float) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "name", "status", "amount", "note"])
        for number in range(int(ROWS / parts)):
            note = "two\nlines" if number % 50 == 0 else "plain"
            writer.writerow([number, f"user{number}", "ok" if number % 97 else "failed", number * 7 % 1000, note])


def write_svg(path: str, parts: float) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n')
        file.write('<svg xmlns="http://www.w3.org/2000/svg">\n')
        number = 0
        while file.tell() < SVG_BYTES / parts:
            file.writelines(f'  <path id="p{at}" d="M{at} 1 L{at} 20 Z"/>\n' for at in range(number, number + 1000))
            number += 1000
        file.write("</svg>\n")


def write_yaml(path: str, parts: float) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("apiVersion: v1\nkind: List\nitems:\n")
        number = 0
        while file.tell() < YAML_BYTES / parts:
            file.writelines(
                f"- kind: Pod\n  metadata:\n    name: pod-{at}\n  spec:\n    run: |\n      echo {at}\n      done: yes\n"
                for at in range(number, number + 1000)
            )
            number += 1000


def check_csv(view: str) -> None:
    rows = [found for found in csv.reader(view.splitlines(keepends=True)) if not found[0].startswith("[")]
    assert rows[0] == ["id", "name", "status", "amount", "note"], rows[0]
    assert all(len(found) == len(rows[0]) for found in rows), rows


def check_svg(view: str) -> None:
    ET.fromstring(view)  # made above


def check_yaml(view: str) -> None:
    assert yaml.safe_load(view)["kind"] == "List"


KINDS = (
    (f"CSV, {ROWS:,} rows", "csv", write_csv, check_csv, 3.0),
    (f"SVG, {SVG_BYTES >> 20} MB", "svg", write_svg, check_svg, 0.5),
    (f"YAML, {YAML_BYTES >> 20} MB", "yaml", write_yaml, check_yaml, 3.0),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, ending, write, check, parts in KINDS:
            path, other = (os.path.join(folder, f"{size}.{ending}") for size in ("one", "other"))
            write(path, 1)
            write(other, parts)
            more = os.path.getsize(path) - os.path.getsize(other)
            reading = min(float(lines_of(READ, path)[0]) for _ in range(3))
            for strategy in ("head_tail", "smart"):
                before = int(lines_of(FIT, other, strategy)[-1])
                seconds, said, peak = lines_of(FIT, path, strategy)
                fallback, view = eval(said)  # written above
                assert not fallback, fallback
                assert len(view) <= LIMIT
                check(view)
                times, growth = float(seconds) / max(reading, 1e-4), (int(peak) - before) / more
                row(f"{name}, {strategy}", f"{times:.0f} x read()", f"memory grows by {growth:.2f} x, bar 1.5; valid")


if __name__ == "__main__":
    main()
