"""Agents as processes on one ledger: they take tasks, work, leave notes, say `done`, and are killed at random.

    python tests/torture/ledger_torture.py [--small] [--seed N]

Afterwards another reader looks at the log and at what the processes wrote down themselves: every task was done once,
after all that it waited for, no two processes had one at a time, and no note that was acknowledged is gone or there
twice.
"""

import argparse
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from overspill.errors import OverspillError
from overspill.ledger import Ledger, engine

LEASE = 4.0  # seconds that a task is claimed for: a killed process holds one for so long
TOO_LONG = 900.0


class Scale(NamedTuple):
    """How much is done."""

    agents: int
    tasks: int
    kills: int


FULL, SMALL = Scale(10, 1_000, 60), Scale(4, 80, 6)


def work(path: str, name: str, diary: str) -> None:
    """One agent: take, write down, work, leave a note, finish, until nothing is open."""
    chance = random.Random(name)
    with Ledger(path, who=name) as ledger, Path(diary).open("a", buffering=1) as told:
        while True:
            until = time.monotonic() + LEASE  # it is claimed for a little longer, as the clock goes on until it is
            task = ledger.claim_next(seconds=LEASE)
            if task is None:
                if not ledger.tasks({"status": ["pending", "blocked", "active"]}).count():
                    return
                time.sleep(0.05)
                continue
            told.write(f"begin {task['id']} {time.monotonic()} {until}\n")
            time.sleep(chance.random() * 0.02)
            note = f"{name} was here {chance.random()}"
            try:
                ledger.update(str(task["id"]), {"notes": [note]})
                told.write(f"note {task['id']} {note}\n")
                if chance.random() < 0.1:
                    ledger.claim(str(task["id"]), seconds=LEASE)
                # From here on it may be another's, who may be told so before this process gets to say that it is not.
                told.write(f"end {task['id']} {min(time.monotonic(), until)}\n")
                if chance.random() < 0.05:
                    ledger.release([str(task["id"])])
                else:
                    ledger.done(str(task["id"]))
            except OverspillError as error:  # its time was over, and somebody else has it now
                told.write(f"lost {task['id']} {error}\n")


def fill(path: str, count: int, chance: random.Random) -> None:
    """Tasks of which many wait for some before them."""
    with Ledger(path, who="planner") as ledger:
        ledger.add_all(
            [
                {
                    "title": f"task {number}",
                    "priority": chance.choice(["critical", "high", "medium", "low"]),
                    "depends": [
                        f"T{one}" for one in {chance.randint(1, number - 1) for _ in range(chance.randint(0, 3))}
                    ]
                    if number > 1
                    else [],
                }
                for number in range(1, count + 1)
            ]
        )


def start(path: str, name: str, folder: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, __file__, "--work", path, name, f"{folder}/{name}"])


def run(scale: Scale, seed: int) -> str:
    """All of it; the figures in one line."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/ledger.db"
        fill(path, scale.tasks, chance)
        begun = time.monotonic()
        agents = {name: start(path, name, folder) for name in (f"agent-{n}" for n in range(scale.agents))}
        killed: dict[str, float] = {}
        while any(agent.poll() is None for agent in agents.values()):
            assert time.monotonic() - begun < TOO_LONG, "they do not come to an end"
            time.sleep(chance.random() * 0.15)
            alive = [name for name, agent in agents.items() if agent.poll() is None]
            if len(killed) < scale.kills and alive:
                name = chance.choice(alive)
                agents[name].send_signal(signal.SIGKILL)
                agents[name].wait()
                killed[name] = time.monotonic()
                follower = f"agent-{len(agents)}"
                agents[follower] = start(path, follower, folder)
        seconds = time.monotonic() - begun
        failed = [name for name, agent in agents.items() if name not in killed and agent.returncode]
        assert not failed, failed
        notes = check(path, folder, killed, scale.tasks)
    return (
        f"{scale.tasks:,} tasks, {scale.agents} agents, {len(killed)} kills: each done once, none by two at a time, "
        f"{notes:,} notes, {seconds:.1f} s"
    )


def check(path: str, folder: str, killed: dict[str, float], tasks: int) -> int:
    """What holds afterwards, read from the file and from what the processes wrote down; how many notes there are."""
    assert engine.is_sound(path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
        done = dict(
            db.execute("select uid, min(number) from changes where field = 'status' and after = 'done' group by uid")
        )
        times = Counter(db.execute("select uid from changes where field = 'status' and after = 'done'").fetchall())
        assert len(done) == tasks
        assert set(times.values()) == {1}
        waits = db.execute(
            "select a.uid, b.uid from dependencies join tasks a on a.number = task join tasks b on b.number = needs"
        )
        assert all(done[needed] < done[task] for task, needed in waits)
        for (uid,) in db.execute("select uid from tasks").fetchall():
            holders = db.execute(
                "select before, after from changes where uid = ? and field = 'assignee' order by number", (uid,)
            )
            for before, after in holders:
                assert before is None or after is None, "one took it while another had it"
        kept = Counter(db.execute("select after from changes where field = 'notes'").fetchall())
    assert set(kept.values()) <= {1}
    check_diaries(folder, killed, {text for (text,) in kept})
    return len(kept)


def check_diaries(folder: str, killed: dict[str, float], notes: set[str]) -> None:
    """What the processes wrote down themselves: when they worked on what, and which notes were acknowledged."""
    spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for diary in Path(folder).glob("agent-*"):
        open_since: dict[str, tuple[float, float]] = {}
        for line in diary.read_text().splitlines():
            kind, _, rest = line.partition(" ")
            task, _, words = rest.partition(" ")
            if kind == "begin":
                since, until = map(float, words.split())
                open_since[task] = since, until
            elif kind == "note":
                assert words in notes, f"a note of {diary.name} is gone"
            elif kind == "end" and task in open_since:
                spans[task].append((open_since.pop(task)[0], float(words)))
        for task, (since, until) in open_since.items():
            spans[task].append((since, min(killed.get(diary.name, until), until)))
    for task, some in spans.items():
        for (_, end), (begin, _) in zip(sorted(some), sorted(some)[1:], strict=False):
            assert end <= begin, f"two worked on {task} at a time"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="as much as is in `make test`")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--work", nargs=3, metavar=("LEDGER", "NAME", "DIARY"), help="be one of the agents")
    asked = parser.parse_args()
    if asked.work:
        work(*asked.work)
    else:
        print(run(SMALL if asked.small else FULL, asked.seed), f"(seed {asked.seed})")
