"""Processes against the store: killed, stopped, cleaning, listing, reborn under an old number, in another year."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from store_checks import DAY, Outcome, Workshop, ahead_of_time, check, content_of

from overspill.core import measure
from overspill.errors import ArtifactNotFound, LockTimeout
from overspill.files import Locked
from overspill.store import Label, Moment, anchor_of, housekeeping, is_running, moment


def start(work: Callable[[], None]) -> int:
    """Run `work` in a forked child."""
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException as error:  # noqa: BLE001  # whatever it is, the parent is told
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        os._exit(1)
    os._exit(0)


def keep_putting(shop: Workshop, seed: int, largest: int, *, lazy: bool, count: int = 10**9) -> None:
    chance = random.Random(seed)
    store = shop.store(lazy=lazy)
    for _ in range(count):
        text = content_of(chance.randrange(10**9), int(largest ** chance.random()))
        artifact = store.put(text, measure(text), Label("writer"))
        shop.acknowledge(artifact)
    store.close()


def keep_putting_by_passing_names(shop: Workshop, seed: int, largest: int, *, lazy: bool) -> None:
    delattr(os, "O_TMPFILE")
    keep_putting(shop, seed, largest, lazy=lazy)


def kills(shop: Workshop, *, full: bool) -> Outcome:
    """Writers are killed at random moments; a few of them without files that have no name."""
    chance, killed, goal, reclaimed = random.Random(11), 0, 520 if full else 24, 0
    unacknowledged, largest = 0, 8 << 20 if full else 1 << 19
    while killed < goal:
        passing = killed % 4 == 3
        work = keep_putting_by_passing_names if passing else keep_putting
        writers = [start(partial(work, shop, chance.randrange(10**9), largest, lazy=passing)) for _ in range(3)]
        for writer in writers:
            time.sleep(chance.random() * 0.06)
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)
            killed += 1
        if killed % 60 == 0 or killed >= goal:
            unacknowledged += check(shop)
            reclaimed += len(shop.left_behind())
            housekeeping.sweep_sessions(shop.store())
            left = shop.left_behind()
            assert left == [], f"what the dead left is not reclaimed: {left}"
            housekeeping.clean_session(shop.store())
            shop.forget()
    return Outcome(
        f"{killed} kills, {shop.puts()} puts, {unacknowledged} whole but unacknowledged, "
        f"{reclaimed} left-overs reclaimed, 0 lost, 0 torn"
    )


def crowd(shop: Workshop, *, full: bool) -> Outcome:
    """Ten processes with two hundred artifacts each."""
    processes, artifacts, size = (10, 200, 100_000) if full else (4, 25, 20_000)
    began = time.perf_counter()
    writers = [
        start(partial(keep_putting, shop, number, size, lazy=number % 2 == 0, count=artifacts))
        for number in range(processes)
    ]
    assert [os.waitpid(writer, 0)[1] for writer in writers] == [0] * processes
    took = time.perf_counter() - began
    assert check(shop) == 0
    assert shop.puts() == processes * artifacts
    store = shop.store()
    assert store.page(1).total == processes * artifacts == housekeeping.show_session(store).artifacts
    return Outcome(f"{processes} processes x {artifacts} artifacts, {processes * artifacts / took:,.0f} a second")


def listings(shop: Workshop, *, full: bool) -> Outcome:
    """Eight threads list while two processes write; what was there before is in every listing."""
    store = shop.store(lazy=True)
    for number in range(500 if full else 150):
        text = content_of(number, 200)
        shop.acknowledge(store.put(text, measure(text), Label()))
    store.close()
    before = set(shop.acknowledged())
    writers = [start(partial(keep_putting, shop, seed, 5000, lazy=True, count=500)) for seed in (1, 2)]
    wrong: list[int] = []
    rounds = 15 if full else 4

    def listing() -> None:
        for _ in range(rounds):
            missed = before - {artifact.id for artifact in shop.store().list()}
            wrong.append(len(missed))

    threads = [threading.Thread(target=listing) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for writer in writers:
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
    check(shop)
    assert len(wrong) == 8 * rounds
    assert not any(wrong), "a listing missed artifacts"
    return Outcome(f"{len(wrong)} listings by 8 threads against 2 writers, 0 wrong")


def stopped(shop: Workshop, *, full: bool) -> Outcome:
    """A writer is stopped between its record and its content: the others go on, a clean-up gives up in time."""
    store = shop.store()

    def stop_midway() -> None:
        real = os.link

        def link(*arguments: Any, **options: Any) -> None:  # noqa: ANN401  # handed on
            os.kill(os.getpid(), signal.SIGSTOP)
            real(*arguments, **options)

        os.link = link
        keep_putting(shop, 3, 100_000, lazy=False, count=1)

    text = "of another"
    shop.acknowledge(store.put(content_of(1, 50), measure(content_of(1, 50)), Label()))
    writer = start(stop_midway)
    os.waitpid(writer, os.WUNTRACED)
    began = time.perf_counter()
    artifact = store.put(text, measure(text), Label())
    assert store.read(artifact.id) == text.encode()
    assert len(store.list()) == 2
    others = time.perf_counter() - began
    began = time.perf_counter()
    try:
        store.clear()
    except LockTimeout:
        waited = time.perf_counter() - began
    else:
        raise AssertionError("the session was removed under a writer")
    assert waited < 12, waited
    os.kill(writer, signal.SIGCONT)
    assert os.waitpid(writer, 0)[1] == 0
    store.delete(artifact.id)
    assert check(shop) == 0
    assert full in {True, False}
    return Outcome(
        f"others took {others * 1000:.0f} ms, the clean-up gave up after {waited:.1f} s, the writer finished whole"
    )


def cleaners(shop: Workshop, *, full: bool) -> Outcome:
    """Three clean, three write, two read, for a while."""
    until = time.monotonic() + (20 if full else 2)

    def clean() -> None:
        while time.monotonic() < until:
            try:
                housekeeping.clean_session(shop.store())
            except LockTimeout:  # writers may leave no gap: then it says so, in time
                shop.count("gave up")
            housekeeping.sweep_sessions(shop.store())
            shop.count("cleans")

    def write() -> None:
        chance = random.Random(os.getpid())
        while time.monotonic() < until:
            text = content_of(chance.randrange(10**9), 30_000)
            artifact = shop.store(lazy=True).put(text, measure(text), Label())
            shop.acknowledge(artifact)
            time.sleep(chance.random() * 0.02)

    def read() -> None:
        while time.monotonic() < until:
            store = shop.store()
            for artifact in store.list():
                try:
                    content = store.read(artifact.id).decode()
                except ArtifactNotFound:
                    continue
                assert content == content_of(int(content.split()[0]), len(content))
                shop.count("reads")

    children = [start(work) for work in (clean, clean, clean, write, write, write, read, read)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    check(shop, may_be_gone=True)
    shop.store().clear()
    assert not Path(shop.store().place.path).exists()
    return Outcome(
        f"{shop.puts()} puts against {shop.counted('cleans')} clean-ups, {shop.counted('reads')} reads, "
        "0 torn, 0 failed"
    )


def reborn(_: Workshop, *, full: bool) -> Outcome:
    """A process gets the number of a dead one: its anchor does not hold."""
    script = f"""
import os, sys, time
sys.path[:0] = {sys.path!r}
from overspill.store import anchor_of, is_running
def sleeper():
    child = os.fork()
    if not child:
        time.sleep(30)
        os._exit(0)
    return child
first = sleeper()
anchor = anchor_of(first)
assert is_running(anchor) is True
os.kill(first, 9)
os.waitpid(first, 0)
assert is_running(anchor) is False
time.sleep(0.05)
with open("/proc/sys/kernel/ns_last_pid", "w") as last:
    last.write(str(first - 1))
second = sleeper()
assert second == first, (first, second)
os.kill(second, 0)
assert is_running(anchor) is False
os.kill(second, 9)
print("reused", second)
"""
    unshare = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", script]
    done = subprocess.run(unshare, capture_output=True, text=True, check=False, timeout=60)
    if "Operation not permitted" in done.stderr or "No such file" in done.stderr:
        return Outcome("needs a process namespace of its own", left_out=True)
    assert done.returncode == 0, done.stderr
    mine = anchor_of(os.getpid())
    assert mine is not None
    assert is_running(mine)
    assert full in {True, False}
    return Outcome(f"process {done.stdout.split()[1]} was {done.stdout.split()[0]}, and not mistaken for the dead one")


def clocks(shop: Workshop, *, full: bool) -> Outcome:
    """The wall clock jumps: nothing alive is swept, everything is listed and read, ids stay unique."""
    jumps = (-DAY, 10 * 365 * DAY, -50 * 365 * DAY, 0.5, -0.5, 2 * DAY, 100 * 365 * DAY)
    for jump in jumps:

        def off(jump: float = jump) -> Moment:
            now = moment()
            return now._replace(wall=max(0.0, now.wall + jump))

        store = shop.store("live", clock=off)
        text = content_of(int(abs(jump)), 100)
        shop.acknowledge(store.put(text, measure(text), Label()))
        own = shop.store(clock=off)
        assert housekeeping.sweep_sessions(own) == (0, 0)
        assert len(own.list()) == shop.puts()
        check(shop)
    directory = os.open(Path(shop.store("live").place.path) / shop.store("live").session.id, os.O_RDONLY)
    with Locked("alive", directory, shared=True):
        assert housekeeping.sweep_sessions(shop.store(clock=ahead_of_time)) == (0, 0)
    os.close(directory)
    swept = housekeeping.sweep_sessions(shop.store(clock=ahead_of_time))
    assert swept.artifacts == len(jumps)
    assert full in {True, False}
    return Outcome(
        f"{len(jumps)} jumps from -50 to +100 years, 0 live sessions swept, "
        f"{swept.artifacts} artifacts swept when their time had passed"
    )


SCENARIOS = {
    "kill -9": kills,
    "crowd": crowd,
    "listings": listings,
    "stopped": stopped,
    "cleaners": cleaners,
    "reborn": reborn,
    "clocks": clocks,
}
