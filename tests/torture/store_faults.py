"""The world against the store: system calls that fail, a full disk, few descriptors, read-only mounts, power cuts."""

import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Self

from store_checks import Outcome, Workshop, check, content_of
from store_crowds import keep_putting, start

from overspill.core import measure
from overspill.core.report import Artifact
from overspill.errors import OverspillError
from overspill.store import Label, Moment, housekeeping, moment
from overspill.store.quota import Limits
from overspill.workspace.opening import open_store
from store_kit import environment

NO_FLOOR = Limits(max_artifact_size=None, rate=None, disk_floor=0)

# Between the two looks at a name that is nowhere lies what is tortured.
VICTIM = """
import json, os, sys
from overspill.errors import OverspillError
from overspill.core import measure
from overspill.store import Label
from overspill.workspace.opening import open_store
from overspill.store.quota import Limits
text = sys.argv[3]
size, label = measure(text), Label("victim")
warm = open_store(sys.argv[1], "warm")
warm.read(warm.put(text, size, label).id)
os.access("/torture begins", os.F_OK)
try:
    store = open_store(sys.argv[1])
    if sys.argv[2] == "put":
        said = store.put(text, size, label).id
    else:
        said = store.read(sys.argv[2]).decode()
except OverspillError as error:
    sys.stderr.write(str(error))
    sys.exit(error.exit_code)
finally:
    os.access("/torture ends", os.F_OK)
sys.stdout.write(said)
"""
# The interpreter's own calls.
NOT_OURS = {"exit_group", "munmap", "mmap", "brk", "futex", "rt_sigaction", "rt_sigprocmask", "getrandom"}
NOT_OURS |= {"geteuid", "getpid", "access", "faccessat", "clock_gettime", "madvise", "mprotect", "getcwd"}
ERRORS = ("ENOSPC", "EIO", "EINTR", "EACCES")


def calls(shop: Workshop, what: str, text: str) -> list[tuple[str, int]]:
    """Every system call between the marks: its name, and the how-manieth of that name it is."""
    log = shop.path / "strace"
    victim(shop, what, text, "-o", str(log))
    counts: dict[str, int] = {}
    found: list[tuple[str, int]] = []
    inside = False
    for line in log.read_text(errors="replace").splitlines():
        match = re.match(r"(?:\d+ +)?(\w+)\(", line)
        if match is None:
            continue
        name = match[1]
        counts[name] = counts.get(name, 0) + 1
        if "/torture " in line:
            inside = "begins" in line
        elif inside and name not in NOT_OURS:
            found.append((name, counts[name]))
    return found


def victim(shop: Workshop, what: str, text: str, *strace: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", VICTIM, str(shop.root), what, text]
    return subprocess.run(
        ["strace", *strace, "--", *command] if strace else command,
        env={**environment(shop.path), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def faults(name: str) -> tuple[str, ...]:
    """What can happen to a call. A `close` cannot fail here: strace would leave it out, and a lock would stay held."""
    return ("SIGKILL",) if name == "close" else ("SIGKILL", *ERRORS)


def syscalls(shop: Workshop, *, full: bool) -> Outcome:
    """Death or an error at every system call of a put and of a get."""
    if shutil.which("strace") is None:
        return Outcome("needs strace", left_out=True)
    store = shop.store()
    text = content_of(5, 3000)
    kept = store.put(text, measure(text), Label())
    shop.acknowledge(kept)
    victim(shop, "put", text)
    runs = died = refused = 0
    for what in ("put", kept.id):
        cases = [(call, fault) for call in calls(shop, what, text) for fault in faults(call[0])]
        assert len(cases) > 100, "the marks were not seen"
        for (name, number), fault in cases if full else random.Random(1).sample(cases, 12):
            injected = f"signal={fault}" if fault == "SIGKILL" else f"error={fault}"
            inject = f"inject={name}:{injected}:when={number}"
            done = victim(shop, what, text, "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e", inject)
            runs += 1
            died += done.returncode in {-signal.SIGKILL, 128 + signal.SIGKILL}
            refused += done.returncode in {3, 4, 20, 21, 7}
            assert "Traceback" not in done.stderr, f"{name} {number} {fault}: {done.stderr}"
            assert done.returncode in {0, -9, 137, 3, 4, 20, 21, 7}, f"{name} {number} {fault}: {done}"
            if done.returncode:
                assert done.stdout == "", f"{name} {number} {fault}: printed {done.stdout[:80]!r} and failed"
            elif what == "put":
                assert store.read(done.stdout).decode() == text, f"{name} {number} {fault}: acknowledged and not there"
            else:
                assert done.stdout == text
    check(shop)
    housekeeping.sweep_sessions(store)
    assert shop.left_behind() == []
    assert store.read(store.put(text, measure(text), Label()).id).decode() == text
    return Outcome(
        f"{runs} faults at the system calls of put and get: {died} deaths, {refused} refusals, "
        "0 lost or torn, 0 tracebacks, nothing printed by a get that failed"
    )


class Mounted:
    """A small file system of its own; `None` in its place where we may not mount one."""

    def __init__(self, at: Path, *arguments: str) -> None:
        self.at = at
        at.mkdir(exist_ok=True)
        done = subprocess.run(["mount", *arguments, str(at)], capture_output=True, text=True, check=False)
        self.works = done.returncode == 0

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.at)], check=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.works:
            subprocess.run(["umount", "-l", str(self.at)], check=True)


def full_disk(shop: Workshop, *, full: bool) -> Outcome:
    """A disk of 8 MB is filled to the brim, with and without the floor that keeps some of it free."""
    if os.geteuid():
        return Outcome("needs root, to mount a disk of 8 MB", left_out=True)
    refused = kept = 0
    with Mounted(shop.path / "disk", "-t", "tmpfs", "-o", "size=8m", "tmpfs") as disk:
        if not disk.works:
            return Outcome("may not mount a disk of 8 MB", left_out=True)
        for limits in (NO_FLOOR, Limits(max_artifact_size=None, rate=None)):
            chance, root = random.Random(3), disk.at / "root"
            root.mkdir(exist_ok=True)
            store = open_store(str(root), environ=environment(shop.path), limits=limits)
            shop.forget()
            for _ in range(150 if full else 60):
                text = content_of(chance.randrange(10**9), chance.choice([100, 5000, 90_000, 400_000]))
                artifact = tried(partial(store.put, text, measure(text), Label()), "no space left")
                if artifact is None:
                    refused += 1
                else:
                    shop.acknowledge(artifact)
                    kept += 1
            assert check(shop, store=store) == 0
            assert len(store.list()) == len(shop.acknowledged())
            assert store.clear().artifacts == len(shop.acknowledged())
            assert store.read(store.put("x", measure("x"), Label()).id) == b"x"
            store.clear()
            shutil.rmtree(root)
    assert refused > (20 if full else 3)
    return Outcome(f"{kept} kept, {refused} refused, 0 lost, 0 half visible, clean-up and put work on the full disk")


def limits(shop: Workshop, *, full: bool) -> Outcome:
    """A process that may write only small files, or have only a few open, is refused in words."""
    text = content_of(9, 3000)
    before = shop.store().put(text, measure(text), Label())
    shop.acknowledge(before)

    def small_files() -> None:
        store = shop.store(limits=NO_FLOOR)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        for size in (200_000, 3_000_000):
            large = "x" * size
            assert tried(partial(store.put, large, measure(large), Label()), "may not become so large here") is None
        shop.acknowledge(store.put(text, measure(text), Label()))
        assert store.read(before.id).decode() == text

    def few_descriptors() -> None:
        for most in range(3, 16):
            store = shop.store()
            for call in (partial(store.put, text, measure(text), Label()), partial(store.info, before.id)):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, 64))
                done = tried(call, "")
                resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
                shop.count("refused" if done is None else "worked")

    for work in (small_files, few_descriptors):
        assert os.waitpid(start(work), 0)[1] == 0
    check(shop)
    housekeeping.sweep_sessions(shop.store())
    assert shop.left_behind() == []
    assert full in {True, False}
    return Outcome(
        f"RLIMIT_FSIZE refused in words; with 3 to 15 descriptors {shop.counted('worked')} calls worked, "
        f"{shop.counted('refused')} were refused in words"
    )


def tried(call: Callable[[], Artifact], words: str) -> Artifact | None:
    """What came of it, or None if it was refused in these words, with the status of a disk that cannot be used."""
    try:
        return call()
    except OverspillError as error:
        said, status = str(error), error.exit_code
    assert words in said, said
    assert status == 3, said
    return None


def read_only(shop: Workshop, *, full: bool) -> Outcome:
    """On a mount that may only be read everything can be read and listed, and a put is refused or goes elsewhere."""
    if os.geteuid():
        return Outcome("needs root, to mount something read-only", left_out=True)
    with Mounted(shop.path / "disk", "-t", "tmpfs", "-o", "size=64m,mode=700", "tmpfs") as disk:
        if not disk.works:
            return Outcome("may not mount anything", left_out=True)
        (disk.at / ".git").mkdir()
        env = environment(shop.path)
        text = content_of(4, 3_000_000)
        for session in (None, "agent"):
            store = open_store(str(disk.at), session, environ=env)
            shop.acknowledge(store.put(text, measure(text), Label()))
        disk.remount("ro")
        store = open_store(str(disk.at), environ=env)
        assert len(store.list()) == store.page(10).total == 2
        check(shop, store=store)
        name = next(iter(shop.acknowledged()))
        assert store.lines(name, 30_000, 30_001) == b"".join(text.encode().splitlines(keepends=True)[29_999:30_001])
        assert store.remembered("x") is None
        assert len(housekeeping.list_sessions(store)) == 2
        for call in (partial(store.put, "x", measure("x"), Label()), partial(housekeeping.keep_artifact, store, name)):
            assert tried(call, "") is None
        here = Path.cwd()
        os.chdir(disk.at)
        derived = open_store(environ=env)
        os.chdir(here)
        assert "may not be written" in derived.notice
        kept = derived.put("elsewhere", measure("elsewhere"), Label())
        assert derived.read(kept.id) == b"elsewhere"
        assert derived.read(name).decode() == text
        assert len(derived.list()) == 3
        assert len(store.list()) == 2
        disk.remount("rw")
    assert full in {True, False}
    return Outcome("all listed and read whole; puts refused, or kept in the state directory when the root was derived")


def after_a_restart() -> Moment:
    return moment()._replace(boot=b"another run.....", up=5000.0)


def copy_of_one_moment(image: Path, copy: Path) -> None:
    """Copy a disk that is in use: again, until nothing was written to it meanwhile."""
    for _ in range(40):
        subprocess.run(["cp", "--sparse=always", str(image), str(copy)], check=True)
        if subprocess.run(["cmp", "-s", str(image), str(copy)], check=False).returncode == 0:
            return
    raise AssertionError("the disk was never quiet for the length of a copy")


def power_cuts(shop: Workshop, *, full: bool) -> Outcome:
    """The power goes: what a strict store acknowledged is there, what a lazy one shows can be read."""
    if os.geteuid() or shutil.which("mkfs.ext4") is None:
        return Outcome("needs root and mkfs.ext4, to cut the power of a disk", left_out=True)
    memory = Path("/dev/shm")
    shelf = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    try:
        return cut_power(shop, shelf / "image", shelf / "copy", full=full)
    finally:
        shutil.rmtree(shelf)


def cut_power(shop: Workshop, image: Path, copy: Path, *, full: bool) -> Outcome:
    served = torn = lost = 0
    cuts = [False] * 10 + [True] * 5 if full else [False, True]
    for number, lazy in enumerate(cuts):
        shop.forget()
        with image.open("wb") as file:
            file.truncate(192 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)
        options = "loop,commit=1" if lazy else "loop,commit=300"
        with Mounted(shop.path / "disk", "-o", options, str(image)) as disk:
            if not disk.works:
                return Outcome("may not mount a loop device", left_out=True)
            shop.root = disk.at
            seeds = (number * 7, number * 7 + 1)
            writers = [start(partial(keep_putting, shop, seed, 1 << 18, lazy=lazy)) for seed in seeds]
            time.sleep((4.0 if lazy else 1.0) if full else 1.2)
            for writer in writers:
                os.kill(writer, signal.SIGKILL)
                os.waitpid(writer, 0)
            copy_of_one_moment(image, copy)
        image.unlink()
        with Mounted(shop.path / "disk", "-o", "loop", str(copy)) as disk:
            assert disk.works
            store = shop.store(clock=after_a_restart)
            listed = store.list()
            for artifact in listed:
                content = store.read(artifact.id).decode()
                torn += content != content_of(int(content.split()[0]), len(content))
            served += len(listed)
            there = {artifact.id for artifact in listed}
            acknowledged = shop.acknowledged()
            lost += len(set(acknowledged) - there)
            assert lazy or set(acknowledged) <= there, "acknowledged and lost"
            assert store.page(1).total == len(listed)
            assert store.read(store.put("x", measure("x"), Label()).id) == b"x"
        copy.unlink()
    assert torn == 0
    return Outcome(
        f"{cuts.count(False)} cuts strict, {cuts.count(True)} lazy: {served} read back whole, 0 torn, "
        f"0 acknowledged lost when strict, {lost} when lazy"
    )


SCENARIOS = {
    "syscalls": syscalls,
    "full disk": full_disk,
    "limits": limits,
    "read-only": read_only,
    "power cuts": power_cuts,
}
