"""Keeps what did not fit, for the length of one session.

A store is anything with these methods; the suite in `tests/store_contract.py` says what they promise.
Content is bytes of UTF-8: ranges are ranges of bytes, and a reader never sees half an artifact.
"""

from typing import NamedTuple, Protocol

from overspill.measure import Size
from overspill.report import Artifact


class Label(NamedTuple):
    """What the maker of an artifact says of it."""

    tool: str = ""
    content_type: str = "text/plain"
    source: str = ""
    call_id: str = ""


class Cleared(NamedTuple):
    """What a clean-up removed."""

    artifacts: int
    bytes: int


class Store(Protocol):
    """Keeps what did not fit."""

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        """Keep `text`. When this returns, it can be read back."""

    def info(self, artifact_id: str) -> Artifact:
        """What is known of an artifact; `ArtifactNotFound` if there is none."""

    def read(self, artifact_id: str, start: int = 0, end: int | None = None) -> bytes:
        """Bytes `start` up to `end` of an artifact, checked against what was stored."""

    def list(self) -> list[Artifact]:
        """Every artifact of the session, newest first."""

    def delete(self, artifact_id: str) -> None:
        """Forget one artifact."""

    def clear(self) -> Cleared:
        """Forget all of them."""

    def remember(self, digest: str, limit: int) -> None:
        """Note that a view with this digest was handed out under a budget of `limit` characters."""

    def remembered(self, digest: str) -> int | None:
        """The budget of the view with this digest, or None if it was never handed out."""
