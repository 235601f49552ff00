"""What fetching costs: some lines of 1 GB, a search of 1 GB beside grep, and a JSONPath filter over 150 MB."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from measuring import log_of, row

from overspill.core import measure
from overspill.core.markers import Search, tool_call
from overspill.retrieve.access import search
from overspill.store import Label
from overspill.store.files import FileStore
from overspill.store.quota import Limits
from overspill.workspace.opening import open_store

GIGABYTE = 1 << 30
QUERIED = 150_000_000
CHILD = """
import sys, time
import jsonpath, msgspec, re2
from overspill.core.markers import tool_call
from overspill.retrieve.jsonpath import query
from overspill.workspace.opening import open_store
store = open_store(sys.argv[1], environ={"XDG_STATE_HOME": sys.argv[1]})
def peak():  # of this program alone: what its parent took counts for nothing
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
before = peak()
started = time.process_time()
page = query(store, sys.argv[2], sys.argv[3], limit=None, offset=0, room=50_000, spelling=tool_call)
spent = time.process_time() - started
print(page.pagination.total, spent, (peak() - before) * 1024)
"""


def store_in(path: Path) -> FileStore:
    limits = Limits(max_artifact_size=None, session_quota=None, machine_quota=None, rate=None)
    return open_store(str(path), environ={"XDG_STATE_HOME": str(path)}, limits=limits, lazy=True)


def keep(store: FileStore, pieces: Iterable[bytes]) -> str:
    size = lines = 0
    with store.open(Label()) as writer:
        for piece in pieces:
            writer.write(piece)
            size += len(piece)
            lines += piece.count(b"\n")
        return writer.commit(measure("")._replace(chars=size, bytes=size, lines=lines)).id


def lines(store: FileStore, kept: str) -> None:
    middle = store.info(kept).size.lines // 2
    least = float("inf")
    for _ in range(30):
        started = time.perf_counter()
        store.lines(kept, middle, middle + 99)
        least = min(least, time.perf_counter() - started)
    row("100 lines from the middle of 1 GB, verified", f"{least * 1000:.2f} ms", "<= 20 ms (goal 1)")


def searches(store: FileStore, kept: str) -> None:
    path = os.path.join(store.place.path, store.session.id, kept)
    for name, words, regex, grep in (
        ("a literal that is not there", "req=deadbeef0", False, "-cF"),
        ("a literal in one line of 97", "ERROR", False, "-cF"),
        ("a regular expression", "took=87[0-9]ms", True, "-cE"),
    ):
        ours = theirs = float("inf")
        for _ in range(3):
            started = time.process_time()
            found = search(store, Search(words, kept, regex), spelling=tool_call)
            ours = min(ours, time.process_time() - started)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = ["grep", grep, "--", words, path]
            counted = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"})
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            theirs = min(theirs, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert found.pagination.total == int(counted.stdout)  # one match a line here
        speed = GIGABYTE / ours / 1_000_000
        row(f"search of 1 GB: {name}", f"{ours / theirs:.1f}x grep", f"{speed:,.0f} MB/s, verified, with line numbers")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row("memory of all this", f"{peak:.0f} MB", "flat")


def queries(store: FileStore, path: Path) -> None:
    def pieces() -> Iterable[bytes]:
        size = number = 0
        yield b'{"allocations":['
        while size < QUERIED:
            entries = [
                {"id": n, "size": n * 2_654_435_761 % 10_000_000, "site": f"mod_{n % 97}.py:{n % 4000}", "stack": ["a"]}
                for n in range(number, number + 1_000)
            ]
            piece = (b"," if number else b"") + json.dumps(entries)[1:-1].encode()
            number, size = number + 1_000, size + len(piece)
            yield piece
        yield b"]}"

    kept = keep(store, pieces())
    size = store.info(kept).size.bytes
    content = store.read(kept)
    started = time.process_time()
    json.loads(content)
    parsed = time.process_time() - started
    del content
    for query in ("$.allocations[?@.size>9999000]", "$.allocations[-1]", "$.allocations[*]"):
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(path), kept, query], capture_output=True, text=True, check=True
        )
        number, spent, peak = done.stdout.split()
        what = f"JSONPath over 150 MB: {query} ({int(number):,} values)"
        row(what, f"{float(spent) / parsed:.1f}x json.loads", f"{float(peak) / size:.2f}x memory (bar 1.5)")


def main() -> None:
    path = Path(tempfile.mkdtemp(prefix="overspill-bench-"))
    try:
        store = store_in(path)
        piece = log_of(1 << 20).encode()
        kept = keep(store, (piece for _ in range(GIGABYTE // len(piece))))
        lines(store, kept)
        searches(store, kept)
        store.delete(kept)
        queries(store, path)
        store.clear()
        store.close()
    finally:
        shutil.rmtree(path)


if __name__ == "__main__":
    main()
