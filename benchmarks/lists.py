"""What a page of 1,000,000 records costs: the first, the next ones, and all of them while others write.

CPU of whole processes over their start-up, beside reading and splitting the same file, a loop over `json.loads`, and
`jq` where it is installed; all in one run, because the machine may be busy with others.
"""

import json
import os
import random
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import NamedTuple

RECORDS = 1_000_000
PAGE = 20
LATER = 777_777
LONG_PAGE = 20_000
SPLIT = "import sys; print(len(open(sys.argv[1], 'rb').read().split(b'\\n')))"
LOOP = """
import json, sys
found = []
total = 0
with open(sys.argv[1], "rb") as file:
    for line in file:
        record = json.loads(line)
        if int(sys.argv[2]) <= total < int(sys.argv[2]) + int(sys.argv[3]):
            found.append(record)
        total += 1
print(total, json.dumps(found))
"""
WRITER = """
import sys, time
with open(sys.argv[1], "a") as file:
    number = 0
    while True:
        file.write('{"id": "later %d"}\\n' % number)
        file.flush()
        number += 1
        time.sleep(0.005)
"""


class Cost(NamedTuple):
    """What a process took, and what it said."""

    seconds: float
    out: str


def cost(words: Sequence[str], environ: dict[str, str], cwd: str) -> Cost:
    """One process, alone."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, env=environ, cwd=cwd, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(spent, done.stdout)


def write_lists(directory: str) -> None:
    """The same records as lines and in a document."""
    chance = random.Random(21)
    with (
        open(os.path.join(directory, "list.ndjson"), "w", encoding="utf-8") as lines,
        open(os.path.join(directory, "list.json"), "w", encoding="utf-8") as document,
    ):
        document.write('{"page": 1, "data": {"users": [\n')
        for number in range(RECORDS):
            record = {"id": number, "name": f"user {number}", "score": chance.random(), "tags": ["a", "b"]}
            line = json.dumps(record)
            lines.write(f"{line}\n")
            document.write(f"{',' if number else ''}\n    {line}")
        document.write('\n]}, "end": true}\n')


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as directory:
        write_lists(directory)
        os.mkdir(os.path.join(directory, ".agent"))
        with open(os.path.join(directory, "one.ndjson"), "w", encoding="utf-8") as file:
            file.write('{"id": 1}\n{"id": 2}\n')
        environ = {"PATH": os.environ["PATH"], "HOME": directory}
        spill = [sys.executable, "-m", "overspill", "page"]
        for _ in range(2):  # what is compiled once a machine
            start = cost([*spill, "one.ndjson", "--limit", "1"], environ, directory).seconds
        start = min(cost([*spill, "one.ndjson", "--limit", "1"], environ, directory).seconds for _ in range(5))
        bare = min(cost([sys.executable, "-c", "pass"], environ, directory).seconds for _ in range(5))
        print(f"start-up of `spill page` {start * 1000:.0f} ms, of python {bare * 1000:.0f} ms; figures are over it")
        print_pages(spill, environ, directory, start, bare)
        follow_all(spill, environ, directory)


def print_pages(spill: list[str], environ: dict[str, str], directory: str, start: float, bare: float) -> None:
    """A first and later pages of each list, and what others take for one."""
    split = min(cost([sys.executable, "-c", SPLIT, "list.ndjson"], environ, directory).seconds for _ in range(3)) - bare
    print(f"reading and splitting {split * 1000:.0f} ms")
    lists = {
        "ndjson": ["list.ndjson"],
        "json, --key data.users": ["list.json", "--key", "data.users"],
        "ndjson, --sort -score": ["list.ndjson", "--sort", "-score"],
        "ndjson, --where": ["list.ndjson", "--where", "name~99", "--where", "score>0.5"],
    }
    for name, words in lists.items():
        first = cost([*spill, *words, "--limit", str(PAGE)], environ, directory)
        at = LATER if "--where" not in words else 999
        later = min(
            cost([*spill, *words, "--limit", str(PAGE), "--offset", str(at + number)], environ, directory).seconds
            for number in range(5)
        )
        print(
            f"{name:>24}: first page {(first.seconds - start) * 1000:6.0f} ms = {(first.seconds - start) / split:4.1f}"
            f" x reading and splitting; a later one {(later - start) * 1000:5.1f} ms"
        )
    print_piped(spill, environ, directory, start, split)
    loop = cost([sys.executable, "-c", LOOP, "list.ndjson", str(LATER), str(PAGE)], environ, directory)
    print(f"{'json.loads in a loop':>24}: every page {(loop.seconds - bare) * 1000:6.0f} ms")
    if jq := shutil.which("jq"):
        version = subprocess.run([jq, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        program = f"[foreach inputs as $one (-1; . + 1; select(. >= {LATER} and . < {LATER + PAGE}) | $one)][]"
        queried = cost([jq, "-n", "-c", program, "list.ndjson"], environ, directory)
        print(f"{version:>24}: every page {queried.seconds * 1000:6.0f} ms, without a total")


def print_piped(spill: list[str], environ: dict[str, str], directory: str, start: float, split: float) -> None:
    """A list that is piped in is redacted and kept on the way; later pages are of what was kept."""
    line = f"exec {shlex.join([*spill, '--limit', str(PAGE), '--json'])} < list.ndjson"
    first = cost(["sh", "-c", line], environ, directory)
    kept = json.loads(first.out)["next"].split()[-1]
    later = min(
        cost([*spill, kept, "--limit", str(PAGE), "--offset", str(LATER + number)], environ, directory).seconds
        for number in range(5)
    )
    print(
        f"{'ndjson, piped and kept':>24}: first page {(first.seconds - start) * 1000:6.0f} ms"
        f" = {(first.seconds - start) / split:4.1f} x reading and splitting;"
        f" a later one {(later - start) * 1000:5.1f} ms"
    )


def follow_all(spill: list[str], environ: dict[str, str], directory: str) -> None:
    """Follow `next` to the end while another process appends; every record has to come once."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, os.path.join(directory, "list.ndjson")])
    try:
        words = [*spill, "list.ndjson", "--json", "--compact", "id", "--limit", str(LONG_PAGE)]
        seen: list[object] = []
        pages, spent, began = 0, 0.0, time.perf_counter()
        while words:
            said = cost(words, environ, directory)
            answer = json.loads(said.out)
            seen += [record["id"] for record in answer["items"]]
            spent += said.seconds
            pages += 1
            following = answer.get("next", "").split()
            words = [*spill, *following[2:]] if following else []
        came = [one for one in seen if isinstance(one, int)]
        late = len(seen) - len(came)
        exact = came == list(range(RECORDS)) and len(set(map(str, seen))) == len(seen)
        taken = time.perf_counter() - began
        print(
            f"following `next` over {len(seen):,} records, {pages} pages, while another process appends: "
            f"{'each once' if exact else 'NOT each once'} ({late} of them appended before the first page); "
            f"{spent:.1f} s CPU, {taken:.1f} s"
        )
    finally:
        writer.kill()
        writer.wait()


if __name__ == "__main__":
    main()
