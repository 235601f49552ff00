"""A reader of a session, as an agent gets one: beside an MCP server that it keeps."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from spill_process import SPILL

PATIENCE = 60  # seconds, however busy the machine is


class ReaderProcess(NamedTuple):
    """A server, and the processes that serve hooks and shells beside it."""

    server: subprocess.Popen[bytes]
    place: Path  # where its socket and its pipe lie
    first: int  # who sees to it that somebody answers

    @property
    def worker(self) -> int:
        """Who answers hooks now."""
        return eventually_some(lambda: [one for one in self._children if os.getsid(one) != one])[0]

    @property
    def shell_servers(self) -> list[int]:
        """Who reads shells, or waits for one; the oldest first."""
        return eventually_some(lambda: [one for one in self._children if os.getsid(one) == one])

    @property
    def _children(self) -> list[int]:
        return [int(word) for word in Path(f"/proc/{self.first}/task/{self.first}/children").read_text().split()]


def eventually_some(look: Callable[[], list[int]]) -> list[int]:
    """What is found, once there is any."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(ProcessLookupError):
            if found := look():
                return found
        time.sleep(0.02)
    raise AssertionError("nobody serves")


def cache_in(home: Path) -> Path:
    """A cache directory of its own, with all that was compiled for other tests in it."""
    cache = home / "cache"
    place = cache / "overspill"
    place.mkdir(mode=0o700, parents=True)
    shared = Path(os.environ["XDG_CACHE_HOME"]) / "overspill"
    for file in shared.iterdir() if shared.is_dir() else ():
        if file.is_file():
            shutil.copy(file, place)
    return cache


@contextmanager
def reader_at(cache: Path, environ: Mapping[str, str], directory: Path) -> Iterator[ReaderProcess]:
    """A server that was started in a directory, with a reader that is ready. It ends when the block does."""
    place = cache / "overspill"
    before = set(place.glob("shells-*"))
    server = subprocess.Popen(
        [SPILL, "mcp", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=directory,
        env={**environ, "XDG_CACHE_HOME": str(cache)},
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while not (made := set(place.glob("shells-*")) - before):
            assert time.monotonic() < deadline, "no reader"
            time.sleep(0.02)
        yield ReaderProcess(server, place, int(made.pop().name.rpartition("-")[2]))
    finally:
        assert server.stdin is not None
        server.stdin.close()
        server.wait(timeout=PATIENCE)
