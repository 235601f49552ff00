"""A fit: cold, as a command, and warm, in a process that stays."""

import os
import sys
import tempfile
from functools import partial

from measuring import bare_python, best, child_cpu, log_of, row

from overspill import MemoryStore, Overspill


def main() -> None:
    bare = bare_python()
    spill = os.path.join(os.path.dirname(sys.executable), "spill")
    with tempfile.TemporaryDirectory() as root:
        command = [spill, "fit", "--strategy", "tail", "--root", root]
        cold = child_cpu(command, stdin=log_of(100_000).encode())
    row("cold `spill fit` of 100 KB, CPU over bare python", f"{cold / bare:.2f}x", "bar 4.5x, goal 3.2x")
    for name, size, bar in (
        ("1 KB", 1_000, "< 1 ms, goal 0.1"),
        ("100 KB", 100_000, "< 10 ms, goal 1"),
        ("10 MB", 10_000_000, "< 100 ms, goal 60"),
    ):
        text = log_of(size)
        work = Overspill({}, MemoryStore())

        def fit(work: Overspill = work, text: str = text) -> None:
            work.fit(text, strategy="tail")
            work.store.clear()

        seconds = best(fit)
        one_pass = best(partial(text.count, "\n"))
        row(
            f"warm fit of {name}, in newline counts of the same text",
            f"{seconds / one_pass:.1f}x",
            f"{seconds * 1000:.2f} ms ({bar})",
        )


if __name__ == "__main__":
    main()
