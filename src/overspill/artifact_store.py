"""The specification's store of artifacts, by its own names, on the files of a root."""

import os
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from overspill import cut
from overspill.clean import clean
from overspill.core.report import Artifact
from overspill.core.size import measure
from overspill.settings import from_mapping
from overspill.store import Label
from overspill.store.opening import open_store
from overspill.workspace.opening import journal_of, limits_of
from overspill.workspace.redactor import redactor_of

Answer = TypeVar("Answer")
Listed = list["StoredArtifact"]


class StoredArtifact(NamedTuple):
    """What the specification knows of an artifact."""

    id: str
    size: int  # characters
    source_tool: str
    content_type: str
    created: float = 0.0


class FileSystemArtifactStore:
    """Artifacts below `<root>/.acode/artifacts`, until `cleanup`. Safe to share between threads."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        settings = from_mapping({}, "spec", cut.names)
        # The root is all there is to say which session is meant: nobody's environment has a part in it.
        environ = {name: value for name in ("HOME", "XDG_STATE_HOME") if (value := os.environ.get(name))}
        self.files = open_store(os.fspath(root), environ=environ, limits=limits_of(settings))
        self.files.tell = journal_of(settings, self.files, os.fspath(root))
        self._redactor = redactor_of(settings, os.environ)

    def create(self, content: str, source_tool: str = "", content_type: str = "text/plain") -> StoredArtifact:
        """Keep a text. Secrets are replaced first, as everywhere."""
        text, _ = clean(content, "plain")
        label = Label(source_tool, content_type)
        if self._redactor:
            text, label = self._redactor.redact(text).text, Label(*(self._redactor.redact(word).text for word in label))
        return _stored(self.files.put(text, measure(text), label))

    def get_content(self, artifact_id: str) -> str:
        """The whole text of an artifact."""
        return self.files.read(artifact_id).decode()

    def get_partial_content(self, artifact_id: str, start_line: int, end_line: int) -> str:
        """Some lines of it, counted from 1, both ends included, as far as there are any."""
        return self.files.lines(artifact_id, max(1, start_line), end_line).decode()

    def list(self) -> Listed:
        """Every artifact of the root, newest first."""
        return [_stored(artifact) for artifact in self.files.list()]

    def delete(self, artifact_id: str) -> None:
        """Forget one artifact."""
        self.files.delete(artifact_id)

    def cleanup(self) -> None:
        """End the session: its artifacts are gone, and so is their directory when nobody else has any in it."""
        self.files.clear()

    async def create_async(
        self, content: str, source_tool: str = "", content_type: str = "text/plain"
    ) -> StoredArtifact:
        """`create`, beside the event loop."""
        return await _beside(lambda: self.create(content, source_tool, content_type))

    async def get_content_async(self, artifact_id: str) -> str:
        """`get_content`, beside the event loop."""
        return await _beside(lambda: self.get_content(artifact_id))

    async def get_partial_content_async(self, artifact_id: str, start_line: int, end_line: int) -> str:
        """`get_partial_content`, beside the event loop."""
        return await _beside(lambda: self.get_partial_content(artifact_id, start_line, end_line))

    async def list_async(self) -> Listed:
        """`list`, beside the event loop."""
        return await _beside(self.list)

    async def delete_async(self, artifact_id: str) -> None:
        """`delete`, beside the event loop."""
        await _beside(lambda: self.delete(artifact_id))

    async def cleanup_async(self) -> None:
        """`cleanup`, beside the event loop."""
        await _beside(self.cleanup)


async def _beside(work: Callable[[], Answer]) -> Answer:
    import asyncio

    return await asyncio.to_thread(work)


def _stored(artifact: Artifact) -> StoredArtifact:
    return StoredArtifact(
        artifact.id, artifact.size.chars, artifact.source_tool, artifact.content_type, artifact.created
    )
