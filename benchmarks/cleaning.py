"""How fast text becomes clean, in passes: one is `bytes.count(b"\\n")` over the same bytes."""

import time
from collections.abc import Callable

from overspill.clean import Cleaner, clean

MEGABYTES = 4


def best(work: Callable[[], object], runs: int = 5) -> float:
    """Seconds of the quickest of several runs."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def filled(sample: str) -> str:
    return sample * (MEGABYTES * 1_000_000 // len(sample.encode()))


def texts() -> dict[str, str]:
    log = "2026-05-01 12:00:00 INFO request handled path=/v1/items status=200 took=12ms\n"
    bar = "".join(f"\rresolving {done:3}% [{'#' * (done // 5):20}]" for done in range(101)) + "\n"
    rows = "".join(f"\x1b[3A\x1b[2Kone {n}%\n\x1b[2Ktwo {n}%\n\x1b[2Kthree {n}%\n" for n in range(100))
    return {
        "plain ASCII": filled(log),
        "CRLF line ends": filled(log.replace("\n", "\r\n")),
        "some letters beyond ASCII": filled(log.replace("handled", "✓ “done” · été")),
        "colours, four a line": filled(
            log.replace("INFO", "\x1b[1;32mINFO\x1b[0m").replace("200", "\x1b[32m200\x1b[0m")
        ),
        "one progress bar in a long log": filled(log * 10_000 + bar),
        "progress bars only": filled(bar),
        "three rows redrawn": filled("\n\n\n" + rows),
        "a manual page, overstruck": filled(
            "N\bNA\bAM\bME\bE\n       spill - keeps the _\bre_\bes_\bst within reach of the reader\n"
        ),
    }


def streamed(data: bytes) -> int:
    cleaner = Cleaner("terminal")
    out = sum(len(cleaner.feed(data[at : at + 65_536])) for at in range(0, len(data), 65_536))
    return out + len(cleaner.flush())


def main() -> None:
    print(f"cleaning {MEGABYTES} MB, level terminal, in passes of bytes.count (GB/s)")
    for name, text in texts().items():
        data = text.encode()
        one_pass = best(lambda data=data: data.count(b"\n"))
        figures = {
            "str": best(lambda text=text: clean(text, "terminal")),
            "bytes": best(lambda data=data: clean(data, "terminal")),
            "stream": best(lambda data=data: streamed(data)),
        }
        shown = "  ".join(
            f"{kind} {took / one_pass:7.1f} ({len(data) / took / 1e9:5.2f})" for kind, took in figures.items()
        )
        print(f"{name:32} {shown}")


if __name__ == "__main__":
    main()
