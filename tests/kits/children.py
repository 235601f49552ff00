"""Children of the tests: `spill` as a process of its own, fed as it reads, and what it cost."""

import fcntl
import math
import os
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from overspill.redact import scan_database
from spill_process import SPILL, run_spill


class Done(NamedTuple):
    """A child that ended: what it said, and its largest resident set in megabytes."""

    status: int
    out: bytes
    err: bytes
    megabytes: float


def surroundings(home: Path, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment that holds nothing of ours, with every directory of a user below `home`."""
    own = {name: str(home / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "TMPDIR")}
    for place in own.values():
        Path(place).mkdir(mode=0o700, exist_ok=True)
    cached = os.path.join(own["XDG_CACHE_HOME"], "overspill")
    if os.path.isdir(_compiled()) and not os.path.exists(cached):
        shutil.copytree(_compiled(), cached)
    return {"PATH": os.environ["PATH"], "HOME": str(home), **own, **(environ or {})}


@cache
def _compiled() -> str:
    """Where the scan database is that all tests share: to compile it takes longer than to do what it is needed for."""
    place = os.path.join(os.environ["XDG_CACHE_HOME"], "overspill")
    scan_database(place)
    return place


# What a process weighs at the most begins, as the system counts it, with what its parent had: a small one starts it.
WEIGH = """
import os, resource, sys
status = os.spawnv(os.P_WAIT, sys.argv[2], sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status if status >= 0 else 128 - status)
"""


def started(
    *words: str, home: Path, environ: Mapping[str, str] | None = None, by: tuple[str, ...] = ()
) -> subprocess.Popen[bytes]:
    """`spill` with pipes on all sides, started by another program where one is named."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*by, SPILL, *words], stdin=pipe, stdout=pipe, stderr=pipe, cwd=home, env=surroundings(home, environ)
    )


def fed(*words: str, chunks: Iterable[bytes], home: Path, environ: Mapping[str, str] | None = None) -> Done:
    """Run `spill` on chunks that are made while it reads them, or on a list of them: then nobody asks what it cost."""
    if isinstance(chunks, list):
        done = run_spill(*words, stdin=b"".join(chunks), cwd=home, env=surroundings(home, environ))
        return Done(done.returncode, done.stdout, done.stderr, math.nan)
    weighed = home / "weighed"
    child = started(*words, home=home, environ=environ, by=(sys.executable, "-S", "-c", WEIGH, str(weighed)))
    assert child.stdin
    assert child.stdout
    assert child.stderr
    said: dict[str, bytes] = {}
    readers = [
        Thread(target=lambda name=name, stream=stream: said.__setitem__(name, stream.read()))
        for name, stream in (("out", child.stdout), ("err", child.stderr))
    ]
    for reader in readers:
        reader.start()
    with suppress(BrokenPipeError):
        for chunk in chunks:
            child.stdin.write(chunk)
    with suppress(BrokenPipeError):
        child.stdin.close()
    for reader in readers:
        reader.join()
    status = child.wait()
    child.stdout.close()
    child.stderr.close()
    return Done(status, said["out"], said["err"], int(weighed.read_text()) / 1024)


def wait_until_it_writes(process: int, home: Path) -> None:
    """Until it holds a file below `home` with content in it."""
    for _ in range(300):
        for number in os.listdir(f"/proc/{process}/fd"):
            target = f"/proc/{process}/fd/{number}"
            if (
                os.readlink(target).startswith(str(home / ".acode"))
                and os.path.isfile(target)
                and os.stat(target).st_size
            ):
                return
        time.sleep(0.1)
    raise AssertionError("nothing was ever written")


def wait_until_all_is_read(child: subprocess.Popen[bytes]) -> None:
    """Until a process minds requests to end, and nothing is left in its pipe."""
    assert child.stdin is not None
    until = time.monotonic() + 30
    while time.monotonic() < until:
        status = Path(f"/proc/{child.pid}/status").read_text()
        caught = int(status.partition("SigCgt:")[2].split()[0], 16)
        left = int.from_bytes(fcntl.ioctl(child.stdin, termios.FIONREAD, bytes(4)), "little")
        if caught >> (signal.SIGTERM - 1) & 1 and not left:
            return
        time.sleep(0.05)


# What a code imports is imported once; then a fork a caller runs all of it, and says into a file what it says.
AT_ONCE = """
import os, sys, traceback
place, code, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
names = {}
exec("\\n".join(line for line in code.split("\\n") if line.startswith(("from ", "import "))), names)
words = sys.argv[4:]
each = len(words) // count
for number in range(count):
    if not os.fork():
        os.dup2(os.open(f"{place}/{number}", os.O_WRONLY | os.O_CREAT), 1)
        sys.argv[1:] = words[number * each : (number + 1) * each]
        try:
            exec(code, names)
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
sys.exit(any([os.wait()[1] for _ in range(count)]))
"""


class AtOnce:
    """Processes that run a code at the same time, each with words of its own; what it imports is loaded before."""

    def __init__(self, code: str, callers: Sequence[Sequence[str]], place: Path) -> None:
        self._told = [place / str(number) for number in range(len(callers))]
        words = [sys.executable, "-c", AT_ONCE, str(place), code, str(len(callers))]
        self._process = subprocess.Popen([*words, *(word for one in callers for word in one)], stderr=subprocess.PIPE)

    @property
    def is_over(self) -> bool:
        return self._process.poll() is not None

    def told(self) -> list[list[str]]:
        """The words of each, once all have ended well."""
        _, errors = self._process.communicate(timeout=300)
        assert (self._process.returncode, errors) == (0, b"")
        return [path.read_text().split() for path in self._told]
