"""What the tests of the command share: `spill` as a process, in a root of its own."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, cast

from engine_kit import shell_variables
from overspill.cli.hook import hook_answer
from spill_process import SPILL, run_spill

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
        """Run `spill` with a root that is named."""
        return _said(run_spill(*self._named(words, root=root), stdin=stdin.encode(), cwd=self.root, env=self.environ))

    def installed(self, *words: str, stdin: str = "", root: bool = True) -> Said:
        """The same, as it was installed: also its start is tried, and takes ten times as long as most commands."""
        return self._run([SPILL, *self._named(words, root=root)], stdin)

    def hooked(self, agent: str, sent: str) -> str:
        """What `spill hook AGENT` says to an event, answered here as a reader answers it, without a process."""
        with _in_place_of(self.environ, self.root):
            return hook_answer(agent, sent.encode()) + "\n"

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


@contextmanager
def _in_place_of(environ: Mapping[str, str], directory: Path) -> Iterator[None]:
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
