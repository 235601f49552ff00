"""What the torture of the store shares: a workshop in a directory, contents that can be told from torn ones."""

import os
import random
import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "kits"))

from overspill.core.report import Artifact
from overspill.errors import ArtifactNotFound
from overspill.store import Moment, moment
from overspill.store.files import FileStore
from overspill.store.quota import Limits
from overspill.workspace.opening import open_store
from store_kit import DAY, environment, left_behind

__all__ = ["DAY", "Outcome", "Workshop", "ahead_of_time", "check", "content_of"]


class Outcome(NamedTuple):
    """What a scenario showed; what it broke is an exception."""

    figures: str
    left_out: bool = False


def content_of(seed: int, size: int) -> str:
    """A text that says itself what it must be, to the last character."""
    line = random.Random(seed).randbytes(48).hex()
    return (f"{seed} " + f"{line}\n" * (size // (len(line) + 1) + 1))[: max(len(str(seed)) + 1, size)]


def ahead_of_time() -> Moment:
    now = moment()
    return now._replace(wall=now.wall + 2 * DAY, up=now.up + 2 * DAY)


class Workshop:
    """A root, and a record outside it of what was acknowledged: one line a put, written after it returned."""

    def __init__(self, root: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="overspill-torture-"))
        self.root = root or self.path / "root"
        self.root.mkdir(exist_ok=True)
        self._acknowledged = os.open(self.path / "acknowledged", os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
        self._forgotten = 0

    def store(self, session: str | None = None, **options: Any) -> FileStore:  # noqa: ANN401  # handed on
        limits = options.pop("limits", Limits(max_artifact_size=None, rate=None))
        return open_store(str(self.root), session, environ=environment(self.path), limits=limits, **options)

    def acknowledge(self, artifact: Artifact) -> None:
        os.write(self._acknowledged, f"{artifact.id} {artifact.sha256}\n".encode())

    def acknowledged(self) -> dict[str, str]:
        lines = (self.path / "acknowledged").read_text().splitlines()
        return dict(line.split() for line in lines)

    def puts(self) -> int:
        return self._forgotten + len(self.acknowledged())

    def forget(self) -> None:
        self._forgotten += len(self.acknowledged())
        os.ftruncate(self._acknowledged, 0)

    def count(self, what: str) -> None:
        with (self.path / what).open("ab") as file:
            file.write(b".")

    def counted(self, what: str) -> int:
        return (self.path / what).stat().st_size

    def left_behind(self) -> list[str]:
        return left_behind(self.store())

    def close(self) -> None:
        os.close(self._acknowledged)
        shutil.rmtree(self.path, ignore_errors=True)


def check(shop: Workshop, *, may_be_gone: bool = False, store: FileStore | None = None) -> int:
    """Everything acknowledged is there and whole, everything listed too; how many were never acknowledged."""
    store = store or shop.store()
    acknowledged = shop.acknowledged()
    for name, digest in acknowledged.items():
        try:
            content = store.read(name)
        except ArtifactNotFound:
            assert may_be_gone, f"{name} was acknowledged and is lost"
            continue
        assert len(content) > 1 << 20 or sha256(content).hexdigest() == digest, f"{name} is not what was put"
        _whole(content)
    unacknowledged = 0
    for artifact in store.list():
        if artifact.id not in acknowledged:
            _whole(store.read(artifact.id))
            unacknowledged += 1
    return unacknowledged


def _whole(content: bytes) -> None:
    text = content.decode()
    assert text == content_of(int(text.split(" ", 1)[0]), len(text)), "a torn artifact was served"
