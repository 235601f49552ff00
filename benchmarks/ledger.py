"""What 100,000 tasks cost: a page anywhere, a find, a show, and the memory of all of it.

Everything beside a query by primary key on the same file, in one run, because the machine may be busy with others.
"""

import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial

from overspill.ledger import Ledger
from overspill.lists.pages import page

TASKS = 100_000
WORDS = [f"{a}{b}" for a in ("log", "page", "token", "cache", "query", "retry", "index", "frame") for b in
         ("", "s", "ing", "er", "let", "wise", "less", "ward", "back", "line", "set", "map")]  # fmt: skip
EVERYTHING = """
import resource, sys
from overspill.cli.main import main
main(["list", "--json", "--root", sys.argv[1], *sys.argv[2:]])
sys.stderr.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024))
"""


def fill(path: str, count: int) -> None:
    chance = random.Random(3)
    with Ledger(path) as ledger:
        for start in range(0, count, 10_000):
            ledger.add_all(
                [
                    {
                        "title": f"Fix {' '.join(chance.choices(WORDS, k=4))} {number}",
                        "description": " ".join(chance.choices(WORDS, k=40)),
                        "notes": [" ".join(chance.choices(WORDS, k=12))],
                        "labels": chance.sample(["auth", "api", "ui", "speed"], 2),
                        "status": "done" if number % 3 else "pending",
                        "priority": chance.choice(["high", "medium", "low"]),
                    }
                    for number in range(start, min(count, start + 10_000))
                ]
            )


def best(call: Callable[[], object], rounds: int = 7) -> float:
    least = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - start)
    return least


def found(ledger: Ledger, words: str) -> object:
    return page(ledger.find(words), 10)


def main() -> None:
    count = int(os.environ.get("TASKS", TASKS))
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, ".acode"), 0o700)
        path = os.path.join(root, ".acode", "ledger.db")
        start = time.perf_counter()
        fill(path, count)
        print(f"{count:,} tasks added in {time.perf_counter() - start:.1f} s, {os.path.getsize(path) >> 20} MB")
        timed(path, count)
        for words in (["--limit", "50"], ["--limit", "50", "--offset", str(count - 50)], ["--limit", "0"]):
            done = subprocess.run(
                [sys.executable, "-c", EVERYTHING, root, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True, check=True,
            )  # fmt: skip
            print(f"spill list {' '.join(words)}: {done.stderr} MB at the most")


def timed(path: str, count: int) -> None:
    middle = str(count // 2)
    with Ledger(path) as ledger:
        db = sqlite3.connect(path)
        key = best(lambda: db.execute("select * from tasks where number = ?", (count // 2,)).fetchall(), 50)
        calls: dict[str, Callable[[], object]] = {
            "page of 50, first": lambda: page(ledger.tasks(), 50),
            "page of 50, middle": lambda: page(ledger.tasks(), 50, count // 2),
            "page of 50, last": lambda: page(ledger.tasks(), 50, count - 50),
            "page of 50 by status, last": lambda: page(ledger.tasks({"status": ["pending"]}), 50, count // 3 - 50),
            "page of 50 by label, last": lambda: page(ledger.tasks({"label": ["auth"]}), 50, count // 2 - 500),
            "show": partial(ledger.show, f"T{middle}"),
            "find a rare word": partial(found, ledger, middle),
            "find two words": partial(found, ledger, "cacheline retries"),
            "find a slip": partial(found, ledger, "tokenwize"),
            "find a word that all have": partial(found, ledger, "fix"),
            "find the beginning of most": partial(found, ledger, "l"),
        }
        for what, call in calls.items():
            seconds = best(call)
            print(f"{what:<28} {seconds * 1000:>7.2f} ms  {seconds / key:>8.1f} queries by primary key", flush=True)
        db.close()
    print(f"memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at the most")


if __name__ == "__main__":
    main()
