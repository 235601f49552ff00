"""Tortures artifacts in a bucket, on a real SeaweedFS and a real Azurite, and says what it saw. `make fleet-torture`.

    python tests/torture/fleet_torture.py [--small] [--on seaweedfs|azurite|directory ...] [SCENARIO ...]

Writers are processes that say of each artifact, once it is kept, whether the bucket has it. What they said the bucket
has must be read whole from another machine, whatever was done to them, to the server, to the connection or the clock.
"""

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from fleet_yard import Directory, Figures, NotHere, SmallDisk, Yard, clock_variables, forget_down, sweep_as, write_on
from servers import Azurite, Seaweed, Server, sas_of

from fault_proxy import ERRORS, FAULTS, FaultProxy
from fleet_kit import pod
from overspill.core import measure
from overspill.errors import BucketError
from overspill.store import Label

SERVERS: dict[str, type[Server]] = {"seaweedfs": Seaweed, "azurite": Azurite, "directory": Directory}
BAD = ("lost", "torn", "wrong", "dangling after a sweep", "tracebacks")
A_DAY = 86_400
DISK_MB, LARGER_DISK_MB = 40, 400


def kill_writers(server: Server, folder: Path, *, full: bool) -> Figures:
    """Writers are killed at any moment, and others come in their place, at the same root."""
    yard, chance, kills = Yard(server, folder), random.Random(11), 0
    wanted = 6 if not full else 60 if isinstance(server, Azurite) else 200
    running = {name: yard.start(name, seed, 10_000) for seed, name in enumerate(("one", "two", "three"))}
    seed = len(running)
    while kills < wanted:
        for name, writer in list(running.items()):
            # By what it has done, and not by the clock: on a busy machine it would never come to write.
            writer.wait_for(chance.randint(0, 4))
            time.sleep(chance.uniform(0.0, 0.3))
            writer.kill()
            kills += 1
            yard.gather(writer)
            running[name] = yard.start(name, seed, 10_000 if kills < wanted else 1)
            seed += 1
    for writer in running.values():
        writer.kill()
        yard.gather(writer)
    return {"kills of a writer": kills + len(running), **yard.judge(pushed=("one", "two", "three"))}


def kill_server(server: Server, folder: Path, *, full: bool) -> Figures:
    """The server is killed while two write on, and comes back."""
    yard, kills = Yard(server, folder), 0
    over = threading.Event()
    names = ("one", "two")

    def write(name: str, seed: int) -> None:
        while not over.is_set():
            yard.gather(yard.start(name, seed, 12, 2.0))
            seed += len(names)

    threads = [threading.Thread(target=write, args=(name, seed)) for seed, name in enumerate(names)]
    for thread in threads:
        thread.start()
    for _ in range(20 if full else 1):
        before, until = sum(one.in_bucket for one in yard.said), time.monotonic() + 60
        while sum(one.in_bucket for one in yard.said) < before + 3 and time.monotonic() < until:
            time.sleep(0.2)
        server.kill()
        kills += 1
        time.sleep(0.5)
        server.start()
        forget_down(folder)
    over.set()
    for thread in threads:
        thread.join()
    return {"kills of the server": kills, **yard.judge(pushed=names)}


def break_connections(server: Server, folder: Path, *, full: bool) -> Figures:
    """Between writer and server requests are delayed, reset, answered by half, not at all, or with 503 and 429."""
    with FaultProxy(server.port, FAULTS, 0.25) as proxy:
        yard = Yard(server, folder, proxy.port)
        yard.environ["TRY_ON"] = "1"
        writers = [yard.start(name, seed, 60 if full else 6, 5.0) for seed, name in enumerate(("one", "two"))]
        for writer in writers:
            yard.gather(writer)
        wrong = read_ranges(yard, proxy, 300 if full else 20)
        done = {f"{fault} in between": proxy.done[fault] for fault in FAULTS}
        return {"requests": proxy.done.total(), **done, "wrong": wrong, **yard.judge(pushed=("one", "two"))}


def read_ranges(yard: Yard, proxy: FaultProxy, count: int) -> int:
    """Ranges that are read through the proxy and are not the bytes they should be; an error is no wrong range."""
    chance, wrong = random.Random(5), 0
    plain = yard.reader("plain")
    there = [one.id for one in yard.said if one.in_bucket]
    contents = {name: b"".join(plain.stream(name)) for name in there[:20]}
    os.environ.update(yard.server.through(proxy.port))
    reader = pod(yard.folder, "ranges", address=yard.address, patience=5.0)
    for _ in range(count):
        name = chance.choice(list(contents))
        start = chance.randrange(len(contents[name]))
        end = start + chance.randrange(1, 200_000)
        try:
            wrong += reader.read(name, start, end) != contents[name][start:end]
        except BucketError:
            continue
    os.environ.update(yard.server.environ())
    return wrong


def refuse(server: Server, folder: Path, *, full: bool) -> Figures:
    """Refused for one reason after the other: all is kept here and said to be, and is sent once the bucket takes it."""
    del full
    figures: Figures = {}
    names = []
    told = 0
    with FaultProxy(server.port) as proxy:
        yard = Yard(server, folder, proxy.port)
        for fault in ("507", "expired", "skewed", "503", "429"):
            proxy.faults, proxy.share = (fault,), 1.0
            names.append(f"pod-{fault}")
            refused = yard.gather(yard.start(names[-1], 100 + len(names), 3, 2.0))
            figures[f"refusals: {ERRORS[fault][1]}"] = len(refused)
        proxy.faults, proxy.share = (), 0.0
        for what, wrong in wrong_credentials(server).items():
            names.append(f"pod-{what.replace(' ', '-')}")
            refused = yard.gather(yard.start(names[-1], 100 + len(names), 3, 2.0, **wrong))
            figures[f"refusals: {what}"] = len(refused)
        told = sum(not one.in_bucket for one in yard.said)
    figures = {**figures, "said to be kept here": told, "wrong": len(yard.said) - told}
    forget_down(folder)
    return {**figures, **yard.judge(pushed=tuple(names))}


def wrong_credentials(server: Server) -> dict[str, dict[str, str]]:
    """Credentials that a server refuses by itself."""
    if not isinstance(server, Azurite):
        return {"wrong secret": {"AWS_SECRET_ACCESS_KEY": "wrong"}, "unknown key": {"AWS_ACCESS_KEY_ID": "nobody"}}
    # An empty variable is one that is not set: else the key of the account would be taken.
    now, no_key = time.time(), {"AZURE_STORAGE_ACCOUNT_KEY": ""}
    expired, early = (sas_of(server.account, server.key, now + at, now + at + 3600) for at in (-7200, 7200))
    return {
        "wrong secret": {"AZURE_STORAGE_ACCOUNT_KEY": "d3Jvbmc="},
        "expired token": {**no_key, "AZURE_STORAGE_SAS_KEY": expired},
        "token that is not valid yet": {**no_key, "AZURE_STORAGE_SAS_KEY": early},
    }


def skew_clocks(server: Server, folder: Path, *, full: bool) -> Figures:
    """Machines whose clocks are wrong write and sweep: nothing goes before its time, nothing is lost."""
    yard = Yard(server, folder)
    names, removed, refused, off = [], 0, 0, 0
    for seconds in (-A_DAY, -1200, -60, 60, 1200, A_DAY) if full else (-A_DAY, A_DAY):
        names.append(f"clock{seconds:+d}")
        said = yard.gather(yard.start(names[-1], 200 + len(names), 5, 5.0, TRY_ON="1", **clock_variables(seconds)))
        off += all(abs(int(one.id.split("_")[1]) / 1000 - time.time() - seconds) < 30 for one in said)
    for seconds in (-30 * A_DAY, 30 * A_DAY, 3650 * A_DAY):
        swept = yard.sweep(f"sweeper{seconds:+d}", **clock_variables(seconds))
        refused += swept.startswith("refused")
        removed += int(swept.rpartition(" ")[2]) if swept.startswith("removed") else 0
    forget_down(folder)
    figures = {"wrong clocks": off, "sweeps by one": 3, "of them refused": refused, "removed by one": removed}
    figures["wrong"] = removed + len(names) - off
    return {**figures, **yard.judge(pushed=tuple(names))}


def fill_up(server: Server, folder: Path, *, full: bool) -> Figures:
    """A server of that kind on a disk that gets full: all is kept here from then on, and sent when there is room."""
    del full
    with SmallDisk(folder / "disk", DISK_MB) as disk, type(server)(folder / "disk") as small:
        yard = Yard(small, folder)
        yard.environ["TRY_ON"] = "1"
        for seed, name in enumerate(("one", "two")):
            yard.gather(yard.start(name, seed, 40, 3.0))
        here = sum(not one.in_bucket for one in yard.said)
        lost = yard.lost(all_of_them=False)  # while it is full
        disk.grow(LARGER_DISK_MB)
        if isinstance(small, Seaweed):  # it looks how much room it has when it starts
            small.kill()
            small.start()
        forget_down(folder)
        figures = yard.judge(pushed=("one", "two"))
    return {"MB of disk": DISK_MB, "kept here when it was full": here, **figures, "lost": figures["lost"] + lost}


def race(server: Server, folder: Path, *, full: bool) -> Figures:
    """Eight at once write an artifact of one id, each another content: one of them is it, and stays it."""
    yard = Yard(server, folder)
    store = yard.reader("racer")
    rounds, winners, wrong = 30 if full else 5, 0, 0
    for number in range(rounds):
        text = f"round {number}\n"
        artifact = store.put(text, measure(text), Label())
        with store.find_record(artifact.id) as (_, _, record):
            store.far.bucket.remove([store.far.keys.artifact(artifact.id)])
        won: list[int] = []

        def write(seed: int, record: object = record, won: list[int] = won, text: str = text) -> None:
            ours = record._replace(artifact=record.artifact._replace(source=f"racer {seed}"))  # type: ignore[attr-defined]
            try:
                store.far.send(store.far.keys, ours, b"", lambda length, start: text.encode()[start : start + length])
                won.append(seed)
            except BucketError:
                return

        racers = [threading.Thread(target=write, args=(seed,)) for seed in range(8)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        winners += len(won)
        found = store.far.open(artifact.id)
        right = found is not None and found.read() == text.encode() and found.artifact.source == f"racer {won[0]}"
        wrong += len(won) != 1 or not right
    return {"rounds": rounds, "writers": 8 * rounds, "winners": winners, "wrong": wrong}


SCENARIOS: dict[str, Callable[..., Figures]] = {
    "kill writers": kill_writers,
    "kill server": kill_server,
    "connections": break_connections,
    "refusals": refuse,
    "clocks": skew_clocks,
    "full": fill_up,
    "race": race,
}


def torture(name: str, scenarios: list[str], *, full: bool) -> Figures:
    """What happened on one server, each scenario told as it ends."""
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, SERVERS[name](Path(folder)) as server:
        for number, scenario in enumerate(scenarios):
            place = Path(folder) / str(number)
            place.mkdir()
            began = time.perf_counter()
            try:
                figures = SCENARIOS[scenario](server, place, full=full)
            except NotHere as missing:
                print(f"{name:10} {scenario:13} NOT RUN: {missing}", flush=True)
                continue
            total.update(figures)
            bad = "BROKEN " if any(figures.get(key) for key in BAD) else ""
            words = ", ".join(f"{count:,} {what}" for what, count in figures.items())
            print(f"{name:10} {scenario:13} {bad}{words}  ({time.perf_counter() - began:.0f} s)", flush=True)
    return total


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--writer"]:
        folder, name, seed, count, patience = arguments[1:]
        write_on(folder, name, int(seed), int(count), float(patience))
        return 0
    if arguments[:1] == ["--sweeper"]:
        sweep_as(*arguments[1:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a little of each")
    parser.add_argument("--on", action="append", choices=list(SERVERS), help="default: seaweedfs and azurite")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"all unless named: {', '.join(SCENARIOS)}")
    asked = parser.parse_args(arguments)
    total: Counter[str] = Counter()
    for name in asked.on or ["seaweedfs", "azurite"]:
        total.update(torture(name, asked.scenarios or list(SCENARIOS), full=not asked.small))
    told = ("kills of a writer", "kills of the server", "acknowledged", *BAD)
    print("in all: " + ", ".join(f"{total[what]:,} {what}" for what in told))
    return 1 if any(total[key] for key in BAD) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
