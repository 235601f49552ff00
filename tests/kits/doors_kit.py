"""What the tests of the command share: `spill` as a process, in a root of its own."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple, cast

import pytest

from drawn import IS_TORTURE
from engine_kit import DSN, shell_variables
from overspill.cli.hook import hook_answer
from overspill.cli.main import main
from overspill.cli.output import SCHEMAS, use_address
from spill_process import AT_START, SPILL, run_spill

OF_PROCESSES = {"run", "mcp", "hook", "ui"}  # commands that start some, or serve them
# Lines that every shell reads as the words that they are: nothing in them is expanded, redirected or joined.
PLAIN = re.compile(r"spill(?: (?:[\w./:=@,+-]+|'[^'\n]*'))*", re.ASCII)


class Said(NamedTuple):
    """What a command said, and its status."""

    out: str
    err: str
    status: int

    @property
    def envelope(self) -> dict[str, object]:
        """The one JSON object that has to be all of standard output."""
        return mapping(json.loads(self.out))


class Shell:
    """A user's shell in a root: nothing outside `home` is touched, and no agent's variable is set."""

    def __init__(self, home: Path, root: str = "root", **environ: str) -> None:
        self.home = home
        self.root = home / root
        self.root.mkdir(exist_ok=True)
        path = os.pathsep.join([os.path.dirname(SPILL), os.environ["PATH"]])
        cache = os.environ["XDG_CACHE_HOME"]  # of all tests
        self.environ = {"PATH": path, "HOME": str(home), "XDG_CACHE_HOME": cache, **environ}
        self.environ |= shell_variables(str(self.root))

    def spill(self, *words: str, stdin: str = "", root: bool = True) -> Said:
        """Run `spill` with a root that is named: in the process of the tests, or by a fork where that would be seen."""
        run = run_here if can_be_here(words, self.environ) else run_spill
        return _said(run(*self._named(words, root=root), stdin=stdin.encode(), cwd=self.root, env=self.environ))

    def installed(self, *words: str, stdin: str = "", root: bool = True) -> Said:
        """The same, as it was installed: also its start is tried, and takes ten times as long as most commands."""
        return self._run([SPILL, *self._named(words, root=root)], stdin)

    def hooked(self, agent: str, sent: str) -> str:
        """What `spill hook AGENT` says to an event, answered here as a reader answers it, without a process."""
        return ok(_said(run_here("hook", agent, stdin=sent.encode(), cwd=self.root, env=self.environ))).out

    def line(self, line: str, stdin: str = "") -> Said:
        """Run a line of shell in the root."""
        if PLAIN.fullmatch(line):
            return self.spill(*shlex.split(line)[1:], stdin=stdin, root=False)
        return self._run(["bash", "-c", line], stdin)

    def put(self, text: str, *words: str) -> str:
        """Keep a text; its id."""
        return ok(self.spill("artifacts", "put", *words, stdin=text)).out.strip()

    def _run(self, words: list[str], stdin: str) -> Said:
        done = subprocess.run(
            words, input=stdin.encode(), cwd=self.root, env=self.environ, capture_output=True, timeout=60, check=False
        )
        return _said(done)

    def _named(self, words: tuple[str, ...], *, root: bool) -> tuple[str, ...]:
        return (*words, "--root", str(self.root)) if root else words


def can_be_here(words: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether a command neither starts nor serves anybody, in an environment that differs in nothing Python reads."""
    return (
        not IS_TORTURE
        and not {*words[:1]} & OF_PROCESSES
        and DSN not in env
        and env["XDG_CACHE_HOME"] == os.environ["XDG_CACHE_HOME"]
        and all(os.environ.get(name) == value for name, value in env.items() if name.startswith(AT_START))
        and threading.current_thread() is threading.main_thread()
    )


def run_here(
    *words: str, stdin: bytes = b"", cwd: str | os.PathLike[str], env: Mapping[str, str], timeout: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """What `run_spill` says, without a process: a tenth of its time, but what was loaded and compiled before is there.

    A hook is answered as by a reader, which takes no fork.
    """
    use_address(SCHEMAS)  # a command that was told of another one has ended
    with TemporaryFile() as taken, TemporaryFile() as out, TemporaryFile() as err, warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # what is left open is closed by the end of a process
        taken.write(stdin)
        with _in_place_of(env, cwd), _streams_of((taken, out, err)), _no_longer_than(timeout):
            status = main(words) if words[:1] != ("hook",) else print(hook_answer(words[1], stdin)) or 0
        said = [os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0) for file in (out, err)]
    return subprocess.CompletedProcess([SPILL, *words], status, *said)


@contextmanager
def _streams_of(files: Sequence[IO[bytes]]) -> Iterator[None]:
    """Read from the first of these, and write to the others, also where the numbers of the streams are used."""
    before, kept = (sys.stdin, sys.stdout, sys.stderr), [os.dup(number) for number in range(3)]
    for number, file in enumerate(files):
        file.seek(0)
        os.dup2(file.fileno(), number)
    # As Python opens its own where no language is set.
    try:
        with (
            open(0, encoding="utf-8", errors="surrogateescape", closefd=False) as sys.stdin,
            open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False) as sys.stdout,
            open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False) as sys.stderr,
        ):
            yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for number, held in enumerate(kept):
            os.dup2(held, number)
            os.close(held)


@contextmanager
def _in_place_of(environ: Mapping[str, str], directory: str | os.PathLike[str]) -> Iterator[None]:
    """Be as a process is that was started with this; then as before."""
    before, place = dict(os.environ), os.open(".", os.O_RDONLY)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(directory)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.fchdir(place)
        os.close(place)


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Fail where something waits for ever, as whoever waits for a process does."""
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail(f"it took {seconds} s"))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _said(done: subprocess.CompletedProcess[bytes]) -> Said:
    assert b"Traceback" not in done.stderr
    return Said(done.stdout.decode(), done.stderr.decode(), done.returncode)


def ok(said: Said) -> Said:
    """The same, if it went well."""
    assert said.status == 0, said.err
    return said


def mapping(value: object) -> dict[str, object]:
    assert isinstance(value, Mapping)
    return cast("dict[str, object]", value)


def records(value: object) -> list[dict[str, object]]:
    assert isinstance(value, list)
    return [mapping(one) for one in value]
