"""A store that lives as long as its process: for tests, for programs that want no files, and to build others on."""

from __future__ import annotations

import time
from threading import RLock

from overspill._lite import TYPE_CHECKING
from overspill.core import Size, measure
from overspill.core.report import Artifact
from overspill.errors import ArtifactDamaged, ArtifactNotFound, StoreError
from overspill.store import ArtifactById, ArtifactPage, Artifacts, Bounds, Cleared, Label, checked_id, full_id, new_id
from overspill.store.records import content_digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

Names = list[str]


class SimpleStore:
    """A store of whole contents by their ids. Whoever has a place to put them writes five methods, and it is one.

    `save`, `load`, `record`, `records` and `remove` are called by one thread at a time.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._views: dict[str, int] = {}

    def save(self, artifact: Artifact, content: bytes) -> None:
        """Keep a content and its record, so that both can be read back when this returns; else a `StoreError`."""
        raise NotImplementedError

    def load(self, artifact_id: str) -> bytes:
        """The content of an artifact that has a record."""
        raise NotImplementedError

    def record(self, artifact_id: str) -> Artifact | None:
        """What was saved with a content; None where nothing was."""
        raise NotImplementedError

    def records(self) -> Artifacts:
        """All records, the newest first."""
        raise NotImplementedError

    def remove(self, artifact_id: str) -> None:
        """Forget a content and its record."""
        raise NotImplementedError

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        """Keep a text. When this returns, it can be read back."""
        return self.keep(text.encode("utf-8", "surrogatepass"), size, label)

    def open(self, label: Label, *, keep_ends: int | None = None) -> MemoryWriter:
        """Keep what is written piece by piece, from the moment it is committed."""
        return MemoryWriter(self, label, keep_ends)

    def keep(
        self, content: bytes, size: Size, label: Label, whole: Size | None = None, head_bytes: int = 0
    ) -> Artifact:
        """Keep a content, all of it or, if it was cut from a `whole`, its two ends."""
        now = time.time()
        label = label.short()
        with self._lock:
            artifact_id = new_id(int(now * 1000))
            while self.record(artifact_id) is not None:
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
            self.save(artifact, content)
        return artifact

    def artifact(self, artifact_id: str) -> ArtifactById:
        """An artifact for any number of reads."""
        return ArtifactById(self, artifact_id)

    def info(self, artifact_id: str) -> Artifact:
        """What is known of an artifact; else `ArtifactNotFound`."""
        artifact_id = checked_id(full_id(artifact_id, self.ids))
        with self._lock:
            found = self.record(artifact_id)
        if found is None:
            raise ArtifactNotFound(artifact_id)
        return found

    def read(self, artifact_id: str, start: int = 0, end: int | None = None) -> bytes:
        """Bytes `start` up to `end` of an artifact, which are checked to be what was stored."""
        found = self.info(artifact_id)
        with self._lock:
            content = self.load(found.id)
        if not self.is_safe and content_digest(content) != found.sha256:
            raise ArtifactDamaged(found.id)
        return content[start:end]

    is_safe = False  # whether contents cannot have changed since they were saved

    def stream(self, artifact_id: str) -> Iterator[bytes]:
        """All of an artifact, in one piece."""
        yield self.read(artifact_id)

    def lines(self, artifact_id: str, first: int, last: int) -> bytes:
        """Lines `first` to `last`, counted from 1, both included, as far as there are any."""
        return self.read(artifact_id, *self.where(artifact_id, first, last))

    def where(self, artifact_id: str, first: int, last: int) -> Bounds:
        """Where those lines lie, in bytes."""
        lines = self.read(artifact_id).splitlines(keepends=True)
        before = sum(map(len, lines[: max(0, first - 1)]))
        return before, before + sum(map(len, lines[max(0, first - 1) : max(0, last)]))

    def list(self) -> Artifacts:
        """Every artifact, newest first."""
        with self._lock:
            return self.records()

    def page(self, limit: int | None, offset: int = 0) -> ArtifactPage:
        """Some of them, and how many there are in all."""
        everything = self.list()
        return ArtifactPage(everything[offset : None if limit is None else offset + limit], len(everything))

    def ids(self) -> Names:
        """The ids of all that is kept."""
        return [artifact.id for artifact in self.list()]

    def delete(self, artifact_id: str) -> None:
        """Forget one artifact."""
        found = self.info(artifact_id)
        with self._lock:
            self.remove(found.id)

    def clear(self) -> Cleared:
        """Forget all artifacts and say how many they were."""
        with self._lock:
            gone = self.records()
            for artifact in gone:
                self.remove(artifact.id)
            self._views.clear()
        return Cleared(len(gone), sum(artifact.size.bytes for artifact in gone))

    def remember(self, digest: str, limit: int) -> None:
        """Note that a view with this digest was handed out under a budget of `limit` characters."""
        with self._lock:
            self._views[digest] = min(limit, self._views.get(digest, limit))

    def remembered(self, digest: str) -> int | None:
        """The smallest budget of the view with this digest, or None if it was never handed out."""
        with self._lock:
            return self._views.get(digest)

    def close(self) -> None:
        """Nothing is held open."""


class MemoryStore(SimpleStore):
    """Artifacts in a dictionary. Safe to share between threads."""

    is_safe = True

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[str, tuple[Artifact, bytes | str]] = {}

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        """Keep a text: itself where it is ASCII, so that whoever holds it as well does not pay for it twice."""
        with self._lock:
            artifact = super().put(text, size, label)
            if text.isascii():
                self._kept[artifact.id] = artifact, text
        return artifact

    def save(self, artifact: Artifact, content: bytes) -> None:
        """Keep a content and its record."""
        self._kept[artifact.id] = artifact, content

    def load(self, artifact_id: str) -> bytes:
        """The content of an artifact."""
        return _as_bytes(self._kept[artifact_id][1])

    def read(self, artifact_id: str, start: int = 0, end: int | None = None) -> bytes:
        """Bytes `start` up to `end` of an artifact; where it is a text, each of its characters is one."""
        found = self.info(artifact_id)
        with self._lock:
            content = self._kept[found.id][1]
        return _as_bytes(content[start:end])

    def record(self, artifact_id: str) -> Artifact | None:
        """What was saved with a content."""
        kept = self._kept.get(artifact_id)
        return None if kept is None else kept[0]

    def records(self) -> Artifacts:
        """All records, the newest first."""
        return [artifact for artifact, _ in reversed(self._kept.values())]

    def remove(self, artifact_id: str) -> None:
        """Forget a content and its record."""
        self._kept.pop(artifact_id, None)


def _as_bytes(content: bytes | str) -> bytes:
    return content if isinstance(content, bytes) else content.encode("ascii")


class MemoryWriter:
    """An artifact in the making, in memory."""

    def __init__(self, store: SimpleStore, label: Label, keep_ends: int | None) -> None:
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
