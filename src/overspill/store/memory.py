"""A store that lives as long as its process: for tests, and for programs that want no files."""

import time
from threading import Lock

from overspill.errors import ArtifactNotFound
from overspill.measure import Size
from overspill.report import Artifact
from overspill.store import Cleared, Label
from overspill.store.ids import checked_id, new_id


class MemoryStore:
    """Artifacts in a dictionary. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, tuple[Artifact, bytes]] = {}
        self._views: dict[str, int] = {}

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        from hashlib import sha256

        content = text.encode()
        now = time.time()
        with self._lock:
            artifact_id = new_id(int(now * 1000))
            while artifact_id in self._kept:
                artifact_id = new_id(int(now * 1000))
            artifact = Artifact(
                artifact_id,
                size,
                label.tool,
                label.content_type,
                label.source,
                now,
                sha256(content).hexdigest(),
                label.call_id,
            )
            self._kept[artifact_id] = artifact, content
        return artifact

    def info(self, artifact_id: str) -> Artifact:
        return self._entry(artifact_id)[0]

    def read(self, artifact_id: str, start: int = 0, end: int | None = None) -> bytes:
        return self._entry(artifact_id)[1][start:end]

    def list(self) -> list[Artifact]:
        with self._lock:
            return [artifact for artifact, _ in reversed(self._kept.values())]

    def delete(self, artifact_id: str) -> None:
        self._entry(artifact_id)
        with self._lock:
            self._kept.pop(artifact_id, None)

    def clear(self) -> Cleared:
        with self._lock:
            cleared = Cleared(len(self._kept), sum(len(content) for _, content in self._kept.values()))
            self._kept.clear()
            self._views.clear()
        return cleared

    def remember(self, digest: str, limit: int) -> None:
        with self._lock:
            self._views[digest] = min(limit, self._views.get(digest, limit))

    def remembered(self, digest: str) -> int | None:
        with self._lock:
            return self._views.get(digest)

    def _entry(self, artifact_id: str) -> tuple[Artifact, bytes]:
        with self._lock:
            entry = self._kept.get(checked_id(artifact_id))
        if entry is None:
            raise ArtifactNotFound(artifact_id)
        return entry
