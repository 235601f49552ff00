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

from overspill.ledger import Ledger, Tasks
from overspill.ledger.search import TaskMatches
from overspill.lists import page

TASKS = 100_000
WORDS = [f"{a}{b}" for a in ("log", "page", "token", "cache", "query", "retry", "index", "frame") for b in
         ("", "s", "ing", "er", "let", "wise", "less", "ward", "back", "line", "set", "map")]  # fmt: skip
# What is asked of lists and finds: filters that nearly all tasks pass, some, few, and none; and several together.
FILTERS = (
    "--status done",
    "--status pending --status active",
    "--label auth",
    "--label auth --label api",
    "--label auth --status pending",
    "--since 2026-01-01",
    "--stale 2100-01-01",
    "--label auth --status pending --since 2026-01-01 --stale 2100-01-01",
    "--priority high --type task",
    "--label nobody",
    "--assignee nobody",
)
SORTS = ("open", "priority", "updated")
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
        compared(root, count)
        for words in (["--limit", "50"], ["--limit", "50", "--offset", str(count - 50)], ["--limit", "0"]):
            done = subprocess.run(
                [sys.executable, "-c", EVERYTHING, root, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True, check=True,
            )  # fmt: skip
            print(f"spill list {' '.join(words)}: {done.stderr} MB at the most")


def timed(path: str, count: int) -> None:
    middle = f"T{count // 2}"
    with Ledger(path, who="bench") as ledger:
        db = sqlite3.connect(path)
        key = best(lambda: db.execute("select * from tasks where number = ?", (count // 2,)).fetchall(), 50)
        calls: dict[str, Callable[[], object]] = {
            "page of 50, first": lambda: page(ledger.tasks(), 50),
            "page of 50, last": lambda: page(ledger.tasks(), 50, count - 50),
            "page of 50, after the first": following(ledger.tasks(), lambda at: ledger.tasks(at=at)),
            "page of 50 by status": lambda: page(ledger.tasks({"status": ["pending"]}), 50, count // 3 - 50),
            "page of 50 by label": lambda: page(ledger.tasks({"label": ["auth"]}), 50, count // 2 - 500),
            "page of 50 by priority": lambda: page(ledger.tasks(sort="priority"), 50),
            "page of 50, last changed": lambda: page(ledger.tasks({"since": 1}, sort="updated"), 50),
            "page of 50, stale": lambda: page(ledger.tasks({"stale": 1 << 50}), 50),
            "ready": lambda: page(ledger.ready(), 50),
            "show": partial(ledger.show, middle),
            "tree": lambda: list(ledger.tree(middle)),
            "history": lambda: list(ledger.history(middle)),
            "find a rare word": partial(found, ledger, str(count // 2)),
            "find an id": partial(found, ledger, middle),
            "find two words": partial(found, ledger, "cacheline retries"),
            "find two frequent words": partial(found, ledger, "log cache"),
            "find two, pending": lambda: page(ledger.find("log cache", {"status": ["pending"]}), 10),
            "find two, second page": following(ledger.find("log cache"), lambda at: ledger.find("log cache", at=at)),
            "find a slip": partial(found, ledger, "tokenwize"),
            "find a word that all have": partial(found, ledger, "fix"),
            "find the beginning of most": partial(found, ledger, "l"),
            "add": lambda: ledger.add({"title": "one more", "labels": ["auth"]}),
            "update": lambda: ledger.update(middle, {"notes": ["seen"]}),
            "next --claim": ledger.claim_next,
            "done": lambda: ledger.done(str(next(ledger.ready().rows(1, 0))["id"])),
        }
        for what, call in calls.items():
            seconds = best(call)
            print(f"{what:<28} {seconds * 1000:>7.2f} ms  {seconds / key:>8.1f} queries by primary key", flush=True)
        db.close()
    print(f"memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at the most")


def following(first: Tasks | TaskMatches, again: Callable[[str], Tasks | TaskMatches]) -> Callable[[], object]:
    """The page after the first one, as `next` asks for it."""
    at = first.position(page(first, 50).items[-1])
    return lambda: page(again(at), 50)


def compared(root: str, count: int) -> None:
    """Whole commands: CPU seconds beyond those of the same command on a ledger of three tasks."""
    small = f"{root}/small"
    start = cpu(small, "--version")
    print(f"spill --version: {start * 1000:.0f} ms CPU")
    cpu(small, "add", "log cache", "--label", "auth", rounds=3)
    half = count // 2
    lines = {
        "list": "list",
        f"list --offset {count - 50}": "list",
        "list --label auth --status pending": "list --label auth --status pending",
        "list --sort priority": "list --sort priority",
        "ready": "ready",
        "next": "next",
        "find log+cache": "find log+cache",
        **{f"find log+cache {more}": f"find log+cache {more}" for more in FILTERS},
        **{f"find fix+l {more}": f"find log+cache {more}" for more in FILTERS},
        **{f"list {more} --sort {sort}": f"list {more} --sort {sort}" for more in FILTERS for sort in SORTS},
        **{f"ready {more}": f"ready {more}" for more in FILTERS[1:] if "done" not in more},
        f"show T{half}": "show T1",
        f"tree T{half}": "tree T1",
        f"log T{half}": "log T1",
        "add one": "add one",
        f"update T{half} --notes x": "update T1 --notes x",
        "next --claim --as bench": "next --claim --as bench",
        "done T3": "done T3",
        "archive": "archive",
    }
    for line, few in lines.items():
        base = cpu(small, *few.split())
        spent = cpu(root, *line.split()) - base
        times = f"{spent / start:>5.1f} bare starts"
        print(f"spill {line:<36} {spent * 1000:>6.1f} ms CPU beyond three tasks {times}", flush=True)


def cpu(root: str, *words: str, rounds: int = 5) -> float:
    os.makedirs(root, exist_ok=True)
    code = (
        "import resource, sys\nfrom overspill.cli.main import main\nmain(sys.argv[1:])\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\nsys.stderr.write(f'\\n{used.ru_utime + used.ru_stime}')"
    )
    least = float("inf")
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-c", code, *words, "--root", root], capture_output=True, text=True, check=True
        )
        least = min(least, float(done.stderr.splitlines()[-1]))
    return least


if __name__ == "__main__":
    main()
