"""What a run leaves behind: processes, pipes and temporary files. Everything of a run knows its home."""

import os
import re
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from e2e.wiring import Place

SETTLING = 12.0  # seconds: so long after the agent's end something of ours may still be about
GLANCE = 0.1
OURS = re.compile(r"\bspill\b|overspill\.(sh|cli)|-m overspill")
OUR_PLACES = (".acode", os.path.join(".cache", "overspill"), os.path.join("state", "overspill"))
TEMPORARY = re.compile(r"\.(tmp|part|new|lock)\b|^\.?tmp|~$")
NAMED_BY_CHANCE = re.compile(r"[0-9a-zA-Z]*\d[0-9a-zA-Z]*|(?<=[-._])[0-9a-zA-Z]{6,}")
SHARED_MEMORY = "/dev/shm"  # where our shell script goes when it may write nowhere else


class Process(NamedTuple):
    """A process of a run."""

    pid: int
    line: str

    @property
    def is_ours(self) -> bool:
        return bool(OURS.search(self.line))


class Leftovers(NamedTuple):
    """What is there when an agent has ended."""

    processes: list[Process]
    files: list[str]

    def told(self) -> str:
        return "; ".join([f"process {process.line[:200]}" for process in self.processes] + self.files)


def base_of(place: Place) -> str:
    """The directory in which a run has its home, its project and its temporary files."""
    return os.path.dirname(place.home)


def processes_of(place: Place) -> list[Process]:
    """The processes that were started in a run, whoever is their parent by now: by the home in their environment."""
    sign = f"HOME={place.home}".encode()
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            state = file_bytes(f"/proc/{name}/stat").rpartition(b")")[2].split()[0]
            if state != b"Z" and sign in file_bytes(f"/proc/{name}/environ").split(b"\0"):
                line = file_bytes(f"/proc/{name}/cmdline").replace(b"\0", b" ").decode("utf-8", "replace")
                found.append(Process(int(name), line.strip()))
    return [process for process in found if process.pid != os.getpid()]


def file_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def settled_leftovers(place: Place, seconds: float = SETTLING) -> Leftovers:
    """What is left once everything had the time to end."""
    latest = time.monotonic() + seconds
    while (left := leftovers(place)).processes and time.monotonic() < latest:
        time.sleep(GLANCE)
    return left


def leftovers(place: Place) -> Leftovers:
    return Leftovers(processes_of(place), sorted(stray_files(base_of(place))))


def stray_files(base: str) -> Iterator[str]:
    """Pipes and sockets anywhere, temporary files of ours where we keep things, and whatever lies in TMPDIR."""
    for folder, folders, files in os.walk(base):
        inside = os.path.relpath(folder, base)
        is_ours = any(place in inside for place in OUR_PLACES)
        for name in (*folders, *files):
            path = os.path.join(inside, name)
            if inside == "tmp" or (is_ours and TEMPORARY.search(name)):
                yield NAMED_BY_CHANCE.sub("*", path)
            else:
                with suppress(OSError):
                    mode = os.lstat(os.path.join(folder, name)).st_mode
                    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
                        yield NAMED_BY_CHANCE.sub("*", path)
    with suppress(OSError):
        yield from (f"{SHARED_MEMORY}/{name}" for name in os.listdir(SHARED_MEMORY) if name.startswith("spill."))


def end_processes(place: Place) -> None:
    """End what is left of a run, one by one."""
    for process in processes_of(place):
        with suppress(OSError):
            os.kill(process.pid, signal.SIGKILL)
