"""What the tests of the command share: `spill` as a process, in a root of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")


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
        # The compiled scan database is the same for all, and compiling it takes longer than a test.
        cache = os.path.join(os.environ["OVERSPILL_ROOT"], "cache")
        self.environ = {"PATH": path, "HOME": str(home), "XDG_CACHE_HOME": cache, **environ}

    def spill(self, *words: str, stdin: str = "", root: bool = True) -> Said:
        """Run `spill` with a root that is named."""
        named = ("--root", str(self.root)) if root else ()
        return self._run([SPILL, *words, *named], stdin)

    def line(self, line: str, stdin: str = "") -> Said:
        """Run a line of shell in the root."""
        return self._run(["bash", "-c", line], stdin)

    def put(self, text: str, *words: str) -> str:
        """Keep a text; its id."""
        return ok(self.spill("artifacts", "put", *words, stdin=text)).out.strip()

    def _run(self, words: list[str], stdin: str) -> Said:
        done = subprocess.run(
            words, input=stdin.encode(), cwd=self.root, env=self.environ, capture_output=True, timeout=60, check=False
        )
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
