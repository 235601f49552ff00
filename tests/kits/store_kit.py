"""What the tests of the store share: a clock that can be set, stores in a directory, other processes."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from overspill.core import Size, measure
from overspill.core.report import Artifact
from overspill.store import Label, Moment, Store
from overspill.store.files import FileStore
from overspill.workspace.opening import open_store

DROP_CAPABILITY = 24
DAY = 86_400.0


class Clockwork:
    """A clock that goes only when it is told to."""

    def __init__(self) -> None:
        self.wall = 1_700_000_000.0
        self.up = 5_000.0
        self.boot = b"first boot......"

    def __call__(self) -> Moment:
        return Moment(self.wall, self.up, self.boot)

    def pass_(self, seconds: float) -> None:
        self.wall += seconds
        self.up += seconds

    def restart(self, away: float = 60.0, *, up: float = 1_000.0) -> None:
        self.boot = os.urandom(16).replace(b"\0", b"\1")
        self.wall += away + up
        self.up = up


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """An environment in which nothing outside `tmp_path` is touched and no agent's variable is set."""
    state = tmp_path / "state"
    return {"XDG_STATE_HOME": str(state), "HOME": str(tmp_path), "PATH": os.environ["PATH"], **more}


def files(tmp_path: Path, session: str | None = None, **options: Any) -> FileStore:  # noqa: ANN401  # handed on
    root = tmp_path / "root"
    root.mkdir(exist_ok=True)
    return open_store(str(root), session, environ=environment(tmp_path), **options)


def put(store: Store, text: str = "hello\n", **label: str) -> Artifact:
    return store.put(text, measure(text), Label(**label))


def size_of(content: bytes) -> Size:
    return measure(content.decode())


def session_directory(store: FileStore) -> Path:
    return Path(store.place.path) / store.session.id


def left_behind(store: FileStore) -> list[str]:
    """Files of a session that belong to no artifact."""
    directory = session_directory(store)
    contents = {path.name.removesuffix(".zst") for path in directory.glob("art_*")}
    records = [path.name for path in (directory / "m").iterdir() if path.name.partition(".")[0] not in contents]
    passing = directory / "t"
    return records + ([path.name for path in passing.iterdir()] if passing.exists() else [])


def python(script: str, *arguments: str, env: dict[str, str], **options: Any) -> subprocess.CompletedProcess[str]:  # noqa: ANN401  # handed on
    """Run a script in another process."""
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **options,
    )


def bound_by_permissions() -> None:
    """In a child before its program starts: let root give up what sets him above permissions."""
    libc = ctypes.CDLL(None)
    for capability in range(64):
        libc.prctl(DROP_CAPABILITY, capability, 0, 0, 0)
