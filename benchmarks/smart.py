"""The `smart` view: warm, against `head_tail` on the same text, its memory, and a 1 GB stream."""

import os
import sys
import tempfile
import tracemalloc

from measuring import bare_python, best, child_cpu, log_of, row
from streaming import MEGABYTES, run

from overspill import MemoryStore, Overspill


def hostile_log(size: int) -> str:
    """A log that speaks of errors on every line, and has none."""
    line = "2024-11-06 14:22:01 INFO worker-{}: request {} done, 0 errors, error=None, no failures, took {} ms\n"
    return "".join(line.format(number % 16, number * 7919, number % 997) for number in range(size // 90))


def main() -> None:
    for name, size, bar in (("100 KB", 100_000, "< 10 ms"), ("10 MB", 10_000_000, "< 300 ms")):
        for kind, text in (("log", log_of(size)), ("log of look-alikes", hostile_log(size))):
            work = Overspill({"tools.truncation.max_artifact_size": 1 << 30}, MemoryStore())

            def fit(strategy: str, work: Overspill = work, text: str = text) -> None:
                work.fit(text, strategy=strategy)
                work.store.clear()

            smart, ends = best(lambda: fit("smart"), runs=5), best(lambda: fit("head_tail"), runs=5)
            row(
                f"warm smart fit of a {name} {kind}, over head_tail",
                f"{smart / ends:.1f}x",
                f"{smart * 1000:.1f} ms ({bar})",
            )
    text = log_of(10_000_000)
    tracemalloc.start()
    work.fit(text, strategy="smart")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    row("  memory of a fit of 10 MB, over its text", f"{peak / len(text):.2f}x", "bar 2x")
    spill = os.path.join(os.path.dirname(sys.executable), "spill")
    with tempfile.TemporaryDirectory() as root:
        for strategy in ("tail", "smart"):
            cold = child_cpu([spill, "fit", "--strategy", strategy, "--root", root], stdin=log_of(100_000).encode())
            row(
                f"cold `spill fit --strategy {strategy}` of 100 KB, CPU over bare python",
                f"{cold / bare_python():.2f}x",
                "",
            )
        path = os.path.join(root, "big.log")
        piece = log_of(10_000_000).encode()
        with open(path, "wb") as file:
            file.writelines(piece for _ in range(MEGABYTES // 10))
        small, tail, streamed = (
            run([spill, "fit", "--strategy", strategy, "--root", root], source)
            for strategy, source in (("smart", os.devnull), ("tail", path), ("smart", path))
        )
    row(f"{MEGABYTES} MB stream: peak memory", f"{streamed.peak / 1e6:.0f} MB", "bar 100 MB")
    row("  of that, over a fit of nothing", f"{(streamed.peak - small.peak) / 1e6:.0f} MB", "flat")
    row("  CPU against --strategy tail", f"{streamed.cpu / tail.cpu:.1f}x", "")


if __name__ == "__main__":
    main()
