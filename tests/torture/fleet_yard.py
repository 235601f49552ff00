"""What tortures of a bucket share: writers that say what they have kept, and a judge who looks from another machine."""

import base64
import hashlib
import importlib.util
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Self

sys.path.insert(0, str(Path(__file__).parents[1] / "kits"))
sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "fleet"))

from servers import READY_SECONDS, Server

from fleet_kit import pod
from overspill.core import measure
from overspill.errors import BucketError, OverspillError
from overspill.fleet.far import sweep_tenant
from overspill.fleet.store import FleetStore
from overspill.store import Label

SIZES = (1_000, 20_000, 300_000, 2_000_000, 9_500_000)
WEIGHTS = (38, 30, 18, 8, 6)
SECONDS = 300.0  # that a writer is given to say something, on a machine that does much else
READY = "ready"
Figures = dict[str, int]


class Said(NamedTuple):
    """What a writer said of an artifact."""

    id: str
    digest: str
    in_bucket: bool


def text_of(seed: int, number: int) -> str:
    """A text that is like no other, of some length, and that no server can make much shorter."""
    chance = random.Random(f"{seed} {number}")
    length = chance.choices(SIZES, WEIGHTS)[0]
    return f"writer {seed} artifact {number}\n" + base64.encodebytes(chance.randbytes(length * 3 // 4)).decode()


def write_on(folder: str, name: str, seed: int, count: int, patience: float) -> None:
    """A writer: keep texts, one after the other, and say each when it is kept."""
    store = pod(Path(folder), name, address=os.environ["BUCKET"], patience=patience)
    print(READY, flush=True)
    for number in range(count):
        text = text_of(seed, number)
        made = store.put(text, measure(text), Label("torture"))
        kept = store.kept_here(made.id)
        print(made.id, hashlib.sha256(text.encode()).hexdigest(), "here" if kept else "there", kept, flush=True)
        if kept and "TRY_ON" in os.environ:
            forget_down(Path(folder, name))
        elif kept:
            time.sleep(0.2)  # the disk is no subject here


def sweep_as(folder: str, name: str) -> None:
    """A machine that sweeps its tenant, and says how many artifacts it removed."""
    store = pod(Path(folder), name, address=os.environ["BUCKET"])
    try:
        print("removed", store.far.sweep().artifacts)
    except OverspillError as error:
        print("refused", error)


def forget_down(folder: Path) -> None:
    """Let machines write to the bucket at once, and not only in half a minute."""
    for down in folder.rglob("bucket.down"):
        down.unlink(missing_ok=True)


class Directory(Server):
    """A bucket that is a directory: for where there is no server."""

    name = "directory"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.address = f"file://{self.folder / 'bucket'}"

    def environ(self, who: str = "") -> dict[str, str]:
        """There is nobody who would ask for credentials."""
        del who
        return {}

    def start(self) -> None:
        """There is nobody to be started."""


class Writer:
    """A process that writes, and what it has said so far."""

    def __init__(self, words: list[str], environ: Mapping[str, str], log: Path) -> None:
        self.log = log
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=errors, text=True, env=environ, start_new_session=True
            )
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()

    def wait_for(self, count: int) -> None:
        """Wait until it works and has said so many artifacts, or is at its end."""
        until = time.monotonic() + SECONDS
        with self._changed:
            while len(self._lines) <= count and self._thread.is_alive():
                assert time.monotonic() < until, f"a writer said nothing for {SECONDS:g} s"
                self._changed.wait(0.2)

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self.process.kill()

    def said(self) -> list[Said]:
        """What it has said, once it has ended."""
        self.process.wait(timeout=600)
        self._thread.join()
        words = [line.split(" ") for line in self._lines if line.endswith("\n")]
        return [Said(one[0], one[1], one[2] == "there") for one in words if len(one) > 2]


class Yard:
    """A folder, a server, and writers that may be killed."""

    def __init__(self, server: Server, folder: Path, port: int = 0) -> None:
        self.server, self.folder = server, folder
        self.address = f"{server.address}/{os.urandom(4).hex()}"
        self.environ = {
            **os.environ, **server.environ("admin"), **(server.through(port) if port else {}), "BUCKET": self.address,
        }  # fmt: skip
        self.errors: list[str] = []
        self.said: list[Said] = []
        self._started = 0

    def start(self, name: str, seed: int, count: int, patience: float = 10.0, **environ: str) -> Writer:
        torture = Path(__file__).with_name("fleet_torture.py")
        words = [sys.executable, str(torture), "--writer", str(self.folder), name, str(seed), str(count), str(patience)]
        self._started += 1
        return Writer(words, {**self.environ, **environ}, self.folder / f"log-{name}-{self._started}")

    def gather(self, writer: Writer) -> list[Said]:
        """Take what a writer said."""
        new = writer.said()
        if "Traceback" in (err := writer.log.read_text(errors="replace")):
            self.errors.append(err[-1500:])
            print(err[-1500:], file=sys.stderr)
        self.said += new
        return new

    def sweep(self, name: str, **environ: str) -> str:
        """What a machine says that sweeps."""
        torture = Path(__file__).with_name("fleet_torture.py")
        words = [sys.executable, str(torture), "--sweeper", str(self.folder), name]
        return subprocess.run(
            words, capture_output=True, text=True, check=True, env={**self.environ, **environ}
        ).stdout.strip()

    def reader(self, name: str = "reader") -> FleetStore:
        os.environ.update(self.server.environ("admin"))  # without the proxy
        return pod(self.folder, name, address=self.address)

    def send_owed(self, name: str) -> None:
        """Let a machine send what it owes; a server that was killed may need a while before it takes anything again."""
        until = time.monotonic() + READY_SECONDS
        while True:
            try:
                self.reader(name).send_owed()
            except BucketError:
                if time.monotonic() > until:
                    raise
                time.sleep(1)
            else:
                return

    def lost(self, *, all_of_them: bool) -> int:
        """How many of those that were said to be in the bucket, or of all, another machine does not read whole."""
        reader, lost = self.reader(), 0
        for one in self.said:
            if one.in_bucket or all_of_them:
                try:
                    lost += hashlib.sha256(b"".join(reader.stream(one.id))).hexdigest() != one.digest
                except OverspillError:
                    lost += 1
        return lost

    def judge(self, *, pushed: tuple[str, ...] = ()) -> Figures:
        """What became of all that was said, as another machine sees it."""
        reader = self.reader()
        dangling = len(parts_without_artifact(reader))
        for name in pushed[:-1]:
            self.send_owed(name)
        if dangling:  # what the last one owes stays owed, so that a sweep finds something
            sweep_tenant(reader.far.bucket, reader.far.keys, reader.limits, orphans_after=0.0)
        for name in pushed[-1:]:
            self.send_owed(name)
        lost, torn = self.lost(all_of_them=bool(pushed)), 0
        known = {one.id for one in self.said}
        unsaid = [one.id for one in reader.list() if one.id not in known]
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


class NotHere(Exception):
    """Something cannot be tried on this machine. The message says what is missing."""


def clock_variables(seconds: int) -> dict[str, str]:
    """What sets the clock of a process so many seconds off: `libfaketime`, of PyPI or Debian."""
    spec = importlib.util.find_spec("libfaketime")
    places = [Path(spec.origin).parent / "vendor/libfaketime/src"] if spec and spec.origin else []
    places += list(Path("/usr/lib").glob("*/faketime"))
    library = next((path for place in places if (path := place / "libfaketime.so.1").exists()), None)
    if library is None:
        raise NotHere("no libfaketime here; pip install libfaketime, or Debian's faketime")
    return {
        "LD_PRELOAD": str(library), "FAKETIME": f"{seconds:+d}s", "NO_FAKE_STAT": "1", "DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1",
    }  # fmt: skip


class SmallDisk:
    """A file system of so many MB in memory, which can be made larger."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder, self.megabytes = folder, megabytes

    def grow(self, megabytes: int) -> None:
        """Make it larger."""
        subprocess.run(["mount", "-o", f"remount,size={megabytes}m", str(self.folder)], check=True)

    def __enter__(self) -> Self:
        self.folder.mkdir()
        line = ["mount", "-t", "tmpfs", "-o", f"size={self.megabytes}m", "tmpfs", str(self.folder)]
        if subprocess.run(line, capture_output=True, check=False).returncode:
            raise NotHere("a small file system cannot be mounted here; that takes root")
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=False)
