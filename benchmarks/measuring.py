"""How the benchmarks measure: best of several runs, and ratios to something measured in the same run."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


def best(work: Callable[[], object], *, runs: int = 7, at_least: float = 0.05) -> float:
    """Seconds of CPU that one call of `work` takes, at best; short work is repeated until it can be measured."""
    number = 1
    while (spent := _cpu(work, number)) < at_least and number < 1_000_000:
        number *= max(2, int(at_least / max(spent, 1e-6)))
    return min(_cpu(work, number) for _ in range(runs)) / number


def _cpu(work: Callable[[], object], number: int) -> float:
    started = time.process_time()
    for _ in range(number):
        work()
    return time.process_time() - started


def least_times(calls: Mapping[Key, Callable[[], object]], rounds: int) -> dict[Key, float]:
    """Seconds that each call takes, at best, waiting for a disk or a server included; they take turns."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for key, call in calls.items():
            start = time.perf_counter()
            call()
            least[key] = min(least[key], time.perf_counter() - start)
    return least


def child_cpu(command: Sequence[str], *, stdin: bytes = b"", runs: int = 15) -> float:
    """Seconds of CPU that a command takes, at best, start-up included."""
    return min(_child(command, stdin) for _ in range(runs))


class Start(NamedTuple):
    """A process to start."""

    command: Sequence[str]
    stdin: bytes = b""


def least_cpu(starts: Mapping[Key, Start], *, runs: int) -> dict[Key, float]:
    """Seconds of CPU of each, at best; each has its turn in every run, so that a busy minute is everybody's."""
    times: dict[Key, list[float]] = {key: [] for key in starts}
    for _ in range(runs):
        for key, start in starts.items():
            times[key].append(_child(start.command, start.stdin))
    return {key: min(spent) for key, spent in times.items()}


def _child(command: Sequence[str], stdin: bytes) -> float:
    # Installed packages are compiled; a checkout has to be allowed to be.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment)
    assert process.stdin is not None
    process.stdin.write(stdin)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def bare_python() -> float:
    """The start-up of the interpreter alone."""
    return child_cpu([sys.executable, "-c", "pass"])


def row(what: str, measured: str, bar: str) -> None:
    """One line of the table."""
    print(f"{what:<58} {measured:>16}   {bar}", flush=True)


def log_of(size: int) -> str:
    """A log of `size` characters, the same in every run."""
    lines = []
    length = number = 0
    while length < size:
        number += 1
        level = "ERROR" if number % 97 == 0 else "WARN" if number % 31 == 0 else "INFO"
        shard = number * 2_654_435_761 % 4_294_967_296
        clock = f"2026-11-15T10:{number // 60 % 60:02}:{number % 60:02}Z"
        line = f"{clock} {level} worker-{number % 8} req={shard:08x} took={number % 877}ms\n"
        lines.append(line)
        length += len(line)
    return "".join(lines)[:size]
