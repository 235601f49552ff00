"""A store that lives as long as its process: for tests, and for programs that want no files."""

from __future__ import annotations

import time
from threading import Lock

from overspill._lite import TYPE_CHECKING
from overspill.core.report import Artifact
from overspill.core.size import Size, measure
from overspill.errors import ArtifactNotFound, StoreError
from overspill.store import ArtifactById, ArtifactPage, Artifacts, Bounds, Cleared, Label, checked_id, full_id, new_id
from overspill.store.records import content_digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

Names = list[str]


class MemoryStore:
    """Artifacts in a dictionary. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, tuple[Artifact, bytes]] = {}
        self._views: dict[str, int] = {}

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        return self.keep(text.encode("utf-8", "surrogatepass"), size, label)

    def open(self, label: Label, *, keep_ends: int | None = None) -> MemoryWriter:
        return MemoryWriter(self, label, keep_ends)

    def keep(
        self, content: bytes, size: Size, label: Label, whole: Size | None = None, head_bytes: int = 0
    ) -> Artifact:
        """Keep a content, all of it or, if it was cut from a `whole`, its two ends."""
        now = time.time()
        label = label.short()
        with self._lock:
            artifact_id = new_id(int(now * 1000))
            while artifact_id in self._kept:
                artifact_id = new_id(int(now * 1000))
            artifact = Artifact(
                artifact_id,
                size._replace(bytes=len(content)),
                label.tool,
                label.content_type,
                label.source,
                now,
                content_digest(content),
                label.call_id,
                whole is not None,
                whole,
                head_bytes,
            )
            self._kept[artifact_id] = artifact, content
        return artifact

    def artifact(self, artifact_id: str) -> ArtifactById:
        return ArtifactById(self, artifact_id)

    def info(self, artifact_id: str) -> Artifact:
        return self._entry(artifact_id)[0]

    def read(self, artifact_id: str, start: int = 0, end: int | None = None) -> bytes:
        return self._entry(artifact_id)[1][start:end]

    def stream(self, artifact_id: str) -> Iterator[bytes]:
        yield self.read(artifact_id)

    def lines(self, artifact_id: str, first: int, last: int) -> bytes:
        return self.read(artifact_id, *self.where(artifact_id, first, last))

    def where(self, artifact_id: str, first: int, last: int) -> Bounds:
        lines = self.read(artifact_id).splitlines(keepends=True)
        before = sum(map(len, lines[: max(0, first - 1)]))
        return before, before + sum(map(len, lines[max(0, first - 1) : max(0, last)]))

    def list(self) -> Artifacts:
        with self._lock:
            return [artifact for artifact, _ in reversed(self._kept.values())]

    def page(self, limit: int | None, offset: int = 0) -> ArtifactPage:
        everything = self.list()
        return ArtifactPage(everything[offset : None if limit is None else offset + limit], len(everything))

    def ids(self) -> Names:
        """The ids of all that is kept."""
        with self._lock:
            return [*self._kept]

    def delete(self, artifact_id: str) -> None:
        artifact, _ = self._entry(artifact_id)
        with self._lock:
            self._kept.pop(artifact.id, None)

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

    def close(self) -> None:
        """Nothing is held open."""

    def _entry(self, artifact_id: str) -> tuple[Artifact, bytes]:
        artifact_id = checked_id(full_id(artifact_id, self.ids))
        with self._lock:
            entry = self._kept.get(artifact_id)
        if entry is None:
            raise ArtifactNotFound(artifact_id)
        return entry


class MemoryWriter:
    """An artifact in the making, in memory."""

    def __init__(self, store: MemoryStore, label: Label, keep_ends: int | None) -> None:
        self._store = store
        self._label = label
        self._keep_ends = keep_ends
        self._parts: list[bytes] = []
        self._done = False

    def write(self, content: bytes) -> None:
        if self._done:
            raise StoreError("this artifact is already finished")
        self._parts.append(content)

    def view(self) -> bytes:
        content = b"".join(self._parts)
        self._parts = [content]
        return content

    def commit(self, size: Size, content_type: str = "") -> Artifact:
        if self._done:
            raise StoreError("this artifact is already finished")
        if content_type:
            self._label = self._label._replace(content_type=content_type)
        self._done = True
        content = self.view()
        room = self._keep_ends
        if room is None or len(content) <= room:
            return self._store.keep(content, size, self._label)
        head = content[: room // 2].decode(errors="ignore")
        tail = content[len(content) - (room - room // 2) :].decode(errors="ignore")
        ends = head + tail
        return self._store.keep(ends.encode(), measure(ends), self._label, size, len(head.encode()))

    def abort(self) -> None:
        self._done = True
        self._parts = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.abort()
