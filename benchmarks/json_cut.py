"""A cut of JSON by its elements: against reading the file, in fresh processes, and the memory it takes."""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial

from measuring import best, row

from overspill.core import measure
from overspill.core.budget import Budget
from overspill.core.markers import Reference
from overspill.core.report import Artifact
from overspill.core.spans import Options
from overspill.cut import strategy
from overspill.cut.render import Subject
from overspill.documents import cut_document

RUNS = 7

# Imports are start-up, and measured elsewhere.
CHILD = """
import mmap, sys, time
import msgspec
from overspill.core.budget import Budget
from overspill.documents import document_from_bytes
from overspill.core import Size
from overspill.core.markers import Reference
from overspill.core.report import Artifact
from overspill.core.spans import Options
how, path = sys.argv[1:3]
side = sys.argv[3]
document_from_bytes(b'[1, 2]', Size(6, 0, 6, 2), 'json', Options(), Reference(), Budget(chars=5), side)
def peak():
    # Unlike ru_maxrss, this does not begin with what the parent had.
    with open('/proc/self/status') as status:
        return next(int(line.split()[1]) for line in status if line.startswith('VmHWM'))
before, started = peak(), time.process_time()
with open(path, 'rb') as file:
    data = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) if how == 'map' else file.read()
if how != 'read':
    size = Size(len(data), 0, len(data), len(data) // 4)
    shelf = Reference(Artifact('art_1_x', size))
    assert document_from_bytes(data, size, 'json', Options(), shelf, Budget(chars=8000), side) is not None
spent = time.process_time() - started
print(spent, (peak() - before) * 1024)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        for name, text, bar in (
            ("25 MB of users", users(50_000), "bar 6x and 1.5x, goal 3.2x and 1.2x"),
            ("30 MB of short records", json.dumps([{"id": n, "x": n % 7} for n in range(1_200_000)]), ""),
            ("150 MB in one nested line", nested(150_000_000), "bar 1.5x memory"),
        ):
            path = os.path.join(directory, "document.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            on_disk = os.path.getsize(path)
            read, _ = child("read", path)
            for how, side, words in (
                ("cut", "both", "read and cut"),
                ("map", "both", "map and cut"),
                ("cut", "smart", "read and cut by what matters"),
            ):
                seconds, grown = child(how, path, side)
                row(f"{name}, {words}, over read()", f"{seconds / read:.1f}x {grown / on_disk:.2f}x", bar)
    text = users(100)
    size = measure(text)
    asked = Subject(text, size, strategy("line"), Options(), Reference(Artifact("art_1_x", size)))
    seconds = best(partial(cut_document, asked, "json", Budget(chars=8000)))
    loaded = best(partial(json.loads, text))
    row("warm cut of 50 KB, over json.loads()", f"{seconds / loaded:.1f}x", f"{seconds * 1000:.2f} ms (< 15 ms)")


def child(how: str, path: str, side: str = "both") -> tuple[float, int]:
    """Seconds of CPU, at best, and by how much a fresh process grew."""
    runs = [subprocess.check_output([sys.executable, "-c", CHILD, how, path, side]).split() for _ in range(RUNS)]
    return min(float(seconds) for seconds, _ in runs), max(int(grown) for _, grown in runs)


def users(number: int) -> str:
    """Records with 20 fields each, as an interface for people would give them."""
    fields = {f"field_{index}": f"value {index} of it" for index in range(17)}
    records = [{"user_id": f"usr_{index:05}", "active": True, "score": index % 97, **fields} for index in range(number)]
    return json.dumps({"users": records, "total_count": number, "page_size": number})


def nested(size: int) -> str:
    """One line of records in objects in objects."""
    records = [{"id": n, "name": f"user {n}", "pos": {"x": n, "tags": ["a", "b"]}} for n in range(10_000)]
    piece = json.dumps(records, separators=(",", ":"))[1:-1]
    return '{"meta":{},"data":{"items":[' + ",".join([piece] * (size // len(piece) + 1)) + ']},"done":true}'


if __name__ == "__main__":
    main()
