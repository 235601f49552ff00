"""`spill` as a process of its own that has nothing to load: a fork of one that has imported all of it and run none.

Two thirds of the time of the tests was `spill` starting. Here one process imports every module and waits; for each call
it forks, and the fork takes the caller's words, environment, directory and streams and ends as the installed command
does. How `spill` starts cannot be seen this way: what asks for that, or for memory and time, starts `SPILL`.
`test_spill_process.py` holds the two against each other.
"""

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from typing import Any, NamedTuple, NoReturn, cast

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")
# What Python and the C library read when a process starts: each set of these has a process of its own to fork from.
AT_START = ("PYTHON", "LC_", "LANG", "TZ", "LD_", "MALLOC_", "GLIBC_")
# What ours imports only where it is needed. Nothing that starts threads: a fork would not have them.
ALSO = [
    "difflib",
    "hyperscan",
    "importlib.metadata",
    "jsonpath",
    "msgspec",
    "re2",
    "regex",
    "sqlite3",
    "tomlkit",
    "yaml",
]
PIECE = 65_536
NUMBER = 8  # bytes in which numbers are told


class Request(NamedTuple):
    """What a process is before its program begins."""

    words: list[str]
    env: dict[str, str]
    cwd: str


def run_spill(
    *words: str, stdin: bytes = b"", cwd: str | os.PathLike[str], env: Mapping[str, str], timeout: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """What `subprocess.run([SPILL, *words], input=stdin, cwd=cwd, env=env, capture_output=True)` says."""
    source = _source(tuple(sorted((name, value) for name, value in env.items() if name.startswith(AT_START))))
    (taken, fed), *told = os.pipe(), os.pipe(), os.pipe(), os.pipe()
    theirs = [taken, *(write for _, write in told)]
    try:
        source.ask(Request([*words], dict(env), os.fspath(cwd)), theirs)
    finally:
        for end in theirs:
            os.close(end)
    pid = _number(os.read(told[-1][0], NUMBER))
    try:
        out, err, status = _heard(stdin, fed, [read for read, _ in told], time.monotonic() + timeout)
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        raise
    return subprocess.CompletedProcess([SPILL, *words], _number(status), out, err)


def _number(said: bytes) -> int:
    if len(said) != NUMBER:
        raise ChildProcessError("the process that forks has ended")
    return int.from_bytes(said, signed=True)


def _heard(stdin: bytes, fed: int, told: Sequence[int], until: float) -> list[bytes]:
    """Write to one pipe while there is something to say, and read the others to their ends."""
    said = {read: bytearray() for read in told}
    left = memoryview(stdin)
    os.set_blocking(fed, False)
    with selectors.DefaultSelector() as streams:
        streams.register(fed, selectors.EVENT_WRITE)
        for read in told:
            streams.register(read, selectors.EVENT_READ)
        while streams.get_map():
            ready = [key.fd for key, _ in streams.select(max(until - time.monotonic(), 0))]
            for end in ready:
                if end == fed:
                    try:
                        left = left[os.write(fed, left[:PIECE]) :] if left else left
                    except BrokenPipeError:
                        left = left[:0]
                    over = not left
                else:
                    piece = os.read(end, PIECE)
                    said[end] += piece
                    over = not piece
                if over:
                    streams.unregister(end)
                    os.close(end)
            if not ready:
                raise TimeoutError(bytes(said[told[0]]), bytes(said[told[1]]))
    return [bytes(said[read]) for read in told]


class Source:
    """A process that forks when it is asked to, and ends when nobody can ask any more."""

    def __init__(self, environ: dict[str, str]) -> None:
        ours, theirs = socket.socketpair()
        self.asking = ours
        self.one_at_a_time = threading.Lock()
        with theirs:
            words = [sys.executable, __file__, os.environ["XDG_CACHE_HOME"]]
            self.process = subprocess.Popen(words, stdin=theirs.fileno(), env=environ, cwd="/")

    def ask(self, request: Request, streams: Sequence[int]) -> None:
        said = json.dumps(request).encode()
        with self.one_at_a_time:
            socket.send_fds(self.asking, [len(said).to_bytes(NUMBER)], streams)
            self.asking.sendall(said)

    def end(self) -> None:
        self.asking.close()
        self.process.wait()


@cache
def _source(environ: tuple[tuple[str, str], ...]) -> Source:
    source = Source(dict(environ))
    atexit.register(source.end)
    return source


def _load() -> Callable[[], NoReturn]:
    """Import all that is ours, and what it imports where it is needed; what the installed command calls."""
    package = importlib.import_module("overspill")
    ours = [module.name for module in pkgutil.walk_packages(package.__path__, "overspill.")]
    for name in (*(name for name in ours if not name.endswith("__main__") and "frameworks" not in name), *ALSO):
        with suppress(ImportError):
            importlib.import_module(name)
    # What was compiled here is there for every fork; to keep it for the next would take each longer than its command.
    importlib.import_module("overspill._lite")._patterns.fresh.clear()
    # Small hashes take another way where somebody has loaded this. In most commands nobody has.
    sys.modules.pop("_hashlib", None)
    (installed,) = entry_points(group="console_scripts", name="spill")
    return cast("Callable[[], NoReturn]", installed.load())


def _load_database(shared: str) -> None:
    """Read the scan database that all tests share: a fork that looks for it there has it, as if it had read it."""
    redact, files = (importlib.import_module(f"overspill.{name}") for name in ("redact", "files"))
    redact._databases.append(redact.scan_database(files.cache_directory({"XDG_CACHE_HOME": shared})))


def _serve(asked: socket.socket) -> tuple[Request, list[int]]:
    """Fork for every request, and tell every caller how it ended. It is the forks who return."""
    running: dict[int, int] = {}
    ended, note = socket.socketpair()
    note.setblocking(False)
    signal.set_wakeup_fd(note.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with asked, ended, note, selectors.DefaultSelector() as both:
        both.register(asked, selectors.EVENT_READ)
        both.register(ended, selectors.EVENT_READ)
        while True:
            ready = [key.fileobj for key, _ in both.select()]
            if ended in ready:
                ended.recv(PIECE)
                _reap(running)
            if asked in ready:
                length, streams, _, _ = socket.recv_fds(asked, NUMBER, 4)
                if not length:
                    raise SystemExit
                request = Request(*json.loads(_read(asked, _number(length))))
                pid = os.fork()
                if not pid:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    return request, streams
                for stream in streams[:-1]:
                    os.close(stream)
                running[pid] = streams[-1]
                _tell(running[pid], pid)


def _tell(caller: int, number: int) -> None:
    with suppress(BrokenPipeError):  # the caller has given up
        os.write(caller, number.to_bytes(NUMBER, signed=True))


def _read(source: socket.socket, length: int) -> bytes:
    said = bytearray()
    while len(said) < length:
        said += source.recv(length - len(said))
    return bytes(said)


def _reap(running: dict[int, int]) -> None:
    for pid in list(running):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            _tell(running[pid], os.waitstatus_to_exitcode(status))
            os.close(running.pop(pid))


def _become(request: Request, streams: Sequence[int]) -> None:
    """Be as a process that was started with this: also its streams are as Python opens them."""
    for number, stream in enumerate(streams[:-1]):
        os.dup2(stream, number)
    os.closerange(3, 1024)
    os.chdir(request.cwd)
    os.environ.update(request.env)  # there is only what Python was started with, and may have put into order
    if os.environ.get("XDG_CACHE_HOME") != sys.argv[1]:
        sys.modules["overspill.redact"]._databases.clear()  # it has to look elsewhere
    sys.argv = [SPILL, *request.words]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        opened = _opened(number, getattr(sys, name))
        setattr(sys, name, opened)
        setattr(sys, f"__{name}__", opened)


def _opened(number: int, was: io.TextIOWrapper) -> io.TextIOWrapper:
    raw = io.FileIO(number, "w" if number else "r", closefd=False)
    buffer: Any = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
    return io.TextIOWrapper(buffer, was.encoding, was.errors, "\n" if number else None, line_buffering=number == 2)


def _run(entry: Callable[[], NoReturn]) -> NoReturn:
    """End as Python ends, but for taking every module apart: that takes longer than most commands."""
    status = 1
    try:
        entry()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else status
    except BaseException:  # noqa: BLE001  # whatever it is, Python would say it
        sys.excepthook(*sys.exc_info())
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        status = 120
    os._exit(status)


if __name__ == "__main__":
    spill = _load()
    _load_database(sys.argv[1])
    gc.collect()
    gc.freeze()
    _become(*_serve(socket.socket(fileno=os.dup(0))))
    _run(spill)
