"""The journal: what a line costs to write, and what it costs to add up a million of them."""

import json
import os
import random
import tempfile
import time
from functools import partial
from resource import RUSAGE_SELF, getrusage

from measuring import best

from overspill import Overspill
from overspill.journal import journal_line, silent_journal
from overspill.journal.statistics import Figures, History

LINES = 1_000_000
SAMPLE = 100_000


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        writing(place)
        reading(os.path.join(place, "logs"))


def writing(place: str) -> None:
    """What a line adds to the fit of a short text."""
    quiet, told = Overspill({}, root=place, journal=silent_journal), Overspill({}, root=place)
    text = "all is well\n"
    without = best(lambda: quiet.fit(text, tool="bash"))
    with_line = best(lambda: told.fit(text, tool="bash"))
    print(f"a line of the journal adds {(with_line - without) * 1e6:.0f} µs to a fit (bar: 100 µs)")


def reading(logs: str) -> None:
    """Adding up against parsing alone."""
    os.mkdir(logs, 0o700)
    path = os.path.join(logs, "journal.jsonl")
    made(path, LINES)
    before = getrusage(RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    figures = Figures().add_all(History(logs, newest_first=False))
    took, grown = time.perf_counter() - started, getrusage(RUSAGE_SELF).ru_maxrss - before
    megabytes = os.stat(path).st_size / 1e6
    print(f"{figures.events:,} lines, {megabytes:,.0f} MB: {took:.1f} s, {grown / 1024:.0f} MB more memory")
    started = time.perf_counter()
    newest = next(History(logs))["ts"]
    print(f"the newest of them ({newest}) in {(time.perf_counter() - started) * 1000:.1f} ms")
    os.unlink(path)
    made(path, SAMPLE)
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    parse = best(partial(parsed, lines), runs=3)
    add = best(lambda: Figures().add_all(History(logs, newest_first=False)), runs=3)
    print(f"spill stats of {SAMPLE:,} lines = {add / parse:.2f} times json.loads of them")


def parsed(lines: list[bytes]) -> list[object]:
    return [json.loads(line) for line in lines]


def made(path: str, count: int) -> None:
    """A journal as a busy month writes it."""
    chance = random.Random(7)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        for number in range(count):
            at = 1_790_000_000 + number * 2.0
            tool = chance.choice(("bash", "read_file", "grep", "fetch"))
            sizes = {"original_size": 90_000, "original_tokens": 22_500, "truncated_size": 8_000}
            facts = {"tool_name": tool, **sizes, "truncated_tokens": 2_000, "strategy": "tail", "latency_ms": 1.5}
            kind, artifact = chance.random(), f"art_{number}_a"
            if kind < 0.6:
                file.write(journal_line("pass", facts, at, "ses_a"))
            elif kind < 0.9:
                file.write(journal_line("truncate", facts | {"artifact_id": artifact, "limit": 8_000}, at, "ses_a"))
            else:
                asked = {"artifact_id": f"art_{max(0, number - 3)}_a", "retrieval_range": "lines 1-9", "success": True}
                file.write(
                    journal_line("retrieve", asked | {"requester": "model", "size": 400, "tokens": 100}, at, "ses_a")
                )


if __name__ == "__main__":
    main()
