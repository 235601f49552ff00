"""Tortures artifacts in a bucket, on a real SeaweedFS, and says what it saw.

    python tests/torture/fleet_torture.py [--small] [SCENARIO ...]

Writers are processes that say of each artifact, once it is kept, whether the bucket has it. What they said the bucket
has must be read whole from another machine, whatever was done to them, to the server, or to the connection.
"""

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

sys.path.insert(0, str(Path(__file__).parents[1] / "kits"))
sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "fleet"))

from servers import Seaweed

from fault_proxy import ERRORS, FAULTS, FaultProxy
from fleet_kit import pod
from overspill.core.size import measure
from overspill.errors import BucketError, OverspillError
from overspill.fleet.expiry import sweep_tenant
from overspill.fleet.store import FleetStore
from overspill.store import Label

SIZES = (1_000, 20_000, 300_000, 2_000_000, 9_500_000)
WEIGHTS = (38, 30, 18, 8, 6)


class Said(NamedTuple):
    """What a writer said of an artifact."""

    id: str
    digest: str
    in_bucket: bool


def text_of(seed: int, number: int) -> str:
    """A text that is like no other, of some length."""
    chance = random.Random(f"{seed} {number}")
    length = chance.choices(SIZES, WEIGHTS)[0]
    line = f"writer {seed} artifact {number} {chance.random()} says something\n"
    return line * (length // len(line) + 1)


def write_on(folder: str, name: str, seed: int, count: int, patience: float) -> None:
    """A writer: keep texts, one after the other, and say each when it is kept."""
    store = pod(Path(folder), name, address=os.environ["BUCKET"], patience=patience)
    for number in range(count):
        text = text_of(seed, number)
        made = store.put(text, measure(text), Label("torture"))
        kept = store.kept_here(made.id)
        print(made.id, hashlib.sha256(text.encode()).hexdigest(), "here" if kept else "there", flush=True)
        if kept and "TRY_ON" in os.environ:
            for down in Path(folder, name).rglob("bucket.down"):
                down.unlink()  # so that the next one is sent, too, and not kept here for half a minute
        elif kept:
            time.sleep(0.2)  # the disk is no subject here


class Directory:
    """A bucket that is a directory: for where there is no server."""

    s3 = 0

    def __init__(self, folder: Path) -> None:
        self.address = f"file://{folder / 'bucket'}"

    def environ(self, who: str = "") -> dict[str, str]:
        del who
        return {}

    def kill(self) -> None:
        """There is nobody to be killed."""

    def start(self) -> None:
        """There is nobody to be started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """It goes with its folder."""


class Yard:
    """A folder, a server, and writers that may be killed."""

    def __init__(self, server: Seaweed | Directory, folder: Path, port: int = 0) -> None:
        self.server, self.folder = server, folder
        self.address = f"{server.address}/{os.urandom(4).hex()}"
        endpoint = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"} if port else {}
        self.environ = {**os.environ, **server.environ("admin"), **endpoint, "BUCKET": self.address}
        self.errors: list[str] = []
        self.said: list[Said] = []

    def start(self, name: str, seed: int, count: int, patience: float = 10.0) -> subprocess.Popen[str]:
        words = [sys.executable, __file__, "--writer", str(self.folder), name, str(seed), str(count), str(patience)]
        return subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environ, start_new_session=True
        )

    def gather(self, process: subprocess.Popen[str]) -> int:
        """Take what a writer said; how many artifacts that were."""
        out, err = process.communicate(timeout=600)
        if "Traceback" in err:
            self.errors.append(err[-1500:])
        new = [line.split(" ") for line in out.splitlines() if line.endswith(("here", "there"))]
        self.said += [Said(words[0], words[1], words[2] == "there") for words in new]
        return len(new)

    def reader(self, name: str = "reader") -> FleetStore:
        os.environ.update(self.server.environ("admin"))  # without the proxy
        return pod(self.folder, name, address=self.address)

    def judge(self, *, pushed: tuple[str, ...] = ()) -> dict[str, int]:
        """What became of all that was said, as another machine sees it."""
        reader = self.reader()
        dangling = len(parts_without_artifact(reader))
        for name in pushed[:-1]:
            self.reader(name).send_owed()
        if dangling:  # what the last one owes stays owed, so that a sweep finds something
            sweep_tenant(reader.far.bucket, reader.far.keys, reader.limits, orphans_after=0.0)
        for name in pushed[-1:]:
            self.reader(name).send_owed()
        lost = torn = 0
        for one in self.said:
            if not (one.in_bucket or pushed):
                continue
            try:
                lost += hashlib.sha256(b"".join(reader.stream(one.id))).hexdigest() != one.digest
            except OverspillError:
                lost += 1
        known = {one.id for one in self.said}
        listed = [one.id for one in reader.list()]
        unsaid = [name for name in listed if name not in known]
        for name in unsaid:
            try:
                b"".join(reader.stream(name))
            except OverspillError:
                torn += 1
        sweep_tenant(reader.far.bucket, reader.far.keys, reader.limits, orphans_after=0.0)
        return {
            "acknowledged": len(self.said),
            "there": sum(one.in_bucket for one in self.said),
            "lost": lost,
            "torn": torn,
            "whole but unsaid": len(unsaid) - torn,
            "dangling": dangling,
            "dangling after a sweep": len(parts_without_artifact(reader)),
            "tracebacks": len(self.errors),
        }


def parts_without_artifact(reader: FleetStore) -> set[str]:
    """The artifacts of which only parts are in the bucket."""
    entries = reader.far.bucket.entries(f"{reader.far.keys.of_session}/parts")
    whole = {one.id for one in reader.far.artifacts()}
    return {entry.key.split("/")[-2].partition(".")[0] for entry in entries} - whole


Figures = dict[str, int]
BAD = ("lost", "torn", "wrong", "dangling after a sweep", "tracebacks", "hung")


def kill_writers(server: Seaweed | Directory, folder: Path, *, full: bool) -> Figures:
    """Writers are killed at any moment, and others come in their place, at the same root."""
    yard, chance, kills = Yard(server, folder), random.Random(11), 0
    wanted = 200 if full else 6
    running = {name: yard.start(name, seed, 10_000) for seed, name in enumerate(("one", "two", "three"))}
    seed = len(running)
    while kills < wanted:
        for name, process in list(running.items()):
            time.sleep(chance.uniform(0.1, 0.5))
            process.kill()
            kills += 1
            yard.gather(process)
            running[name] = yard.start(name, seed, 10_000 if kills < wanted else 1)
            seed += 1
    for process in running.values():
        process.kill()
        yard.gather(process)
    return {"kills of a writer": kills + len(running), **yard.judge(pushed=("one", "two", "three"))}


def kill_server(server: Seaweed | Directory, folder: Path, *, full: bool) -> Figures:
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
        time.sleep(1.0)
        server.kill()
        kills += 1
        server.start()
        for down in folder.rglob("bucket.down"):
            down.unlink(missing_ok=True)  # so that it is written to at once, and not in half a minute
    over.set()
    for thread in threads:
        thread.join()
    return {"kills of the server": kills, **yard.judge(pushed=names)}


def break_connections(server: Seaweed | Directory, folder: Path, *, full: bool) -> Figures:
    """Between writer and server requests are delayed, reset, answered by half, not at all, or with 503 and 429."""
    with FaultProxy(server.s3, FAULTS, 0.25) as proxy:
        yard = Yard(server, folder, proxy.port)
        yard.environ["TRY_ON"] = "1"
        writers = [yard.start(name, seed, 60 if full else 6, 5.0) for seed, name in enumerate(("one", "two"))]
        for process in writers:
            yard.gather(process)
        wrong = read_ranges(yard, proxy, 300 if full else 20)
        faults = sum(count for fault, count in proxy.done.items() if fault)
        return {"requests": proxy.done.total(), "faults": faults, "wrong": wrong, **yard.judge(pushed=("one", "two"))}


def read_ranges(yard: Yard, proxy: FaultProxy, count: int) -> int:
    """Ranges that are read through the proxy and are not the bytes they should be; an error is no wrong range."""
    chance, wrong = random.Random(5), 0
    plain = yard.reader("plain")
    there = [one.id for one in yard.said if one.in_bucket]
    contents = {name: b"".join(plain.stream(name)) for name in there[:20]}
    os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{proxy.port}"
    reader = pod(yard.folder, "ranges", address=yard.address, patience=5.0)
    for _ in range(count):
        name = chance.choice(list(contents))
        start = chance.randrange(len(contents[name]))
        end = start + chance.randrange(1, 200_000)
        try:
            wrong += reader.read(name, start, end) != contents[name][start:end]
        except BucketError:
            continue
    return wrong


def refuse(server: Seaweed | Directory, folder: Path, *, full: bool) -> Figures:
    """Full, expired, skewed, wrong: everything is kept here and said to be, and is sent once the bucket takes it."""
    del full
    figures: Figures = {}
    names = []
    told = 0
    with FaultProxy(server.s3) as proxy:
        yard = Yard(server, folder, proxy.port)
        for fault in ("507", "expired", "skewed", "503", "429"):
            proxy.faults, proxy.share = (fault,), 1.0
            names.append(f"pod-{fault}")
            yard.gather(yard.start(names[-1], 100 + len(names), 3, 2.0))
            figures[f"refusals: {ERRORS[fault][1]}"] = 3
        proxy.faults, proxy.share = (), 0.0
        for wrong in ({"AWS_SECRET_ACCESS_KEY": "wrong"}, {"AWS_ACCESS_KEY_ID": "nobody"}):
            names.append(f"pod-{next(iter(wrong))}")
            before, yard.environ = yard.environ, {**yard.environ, **wrong}
            yard.gather(yard.start(names[-1], 100 + len(names), 3, 2.0))
            yard.environ = before
        told = sum(not one.in_bucket for one in yard.said)
    figures = {**figures, "said to be kept here": told, "wrong": len(yard.said) - told}
    for name in names:
        (down,) = (folder / name).rglob("bucket.down")
        down.unlink()
    return {**figures, **yard.judge(pushed=tuple(names))}


def race(server: Seaweed | Directory, folder: Path, *, full: bool) -> Figures:
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
    "race": race,
}


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--writer"]:
        folder, name, seed, count, patience = arguments[1:]
        write_on(folder, name, int(seed), int(count), float(patience))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a little of each")
    parser.add_argument("--directory", action="store_true", help="on a directory, where there is no server")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"all unless named: {', '.join(SCENARIOS)}")
    asked = parser.parse_args(arguments)
    broken = 0
    made = Directory if asked.directory else Seaweed
    with tempfile.TemporaryDirectory() as folder, made(Path(folder)) as server:
        for number, name in enumerate(asked.scenarios or SCENARIOS):
            place = Path(folder) / str(number)
            place.mkdir()
            began = time.perf_counter()
            figures = SCENARIOS[name](server, place, full=not asked.small)
            bad = [key for key in BAD if figures.get(key)]
            broken += bool(bad)
            words = ", ".join(f"{count:,} {what}" for what, count in figures.items())
            print(f"{name:13} {'BROKEN ' if bad else ''}{words}  ({time.perf_counter() - began:.0f} s)", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
