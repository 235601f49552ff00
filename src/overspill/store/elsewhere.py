"""What a store of files is told by the place where its artifacts lie besides: a bucket, as `overspill.fleet` has it."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from overspill.store import Cleared
    from overspill.store.records import ArtifactRecord
    from overspill.store.sessions import Session


class FarDetails(NamedTuple):
    """An artifact that is not here, and where it lies."""

    record: ArtifactRecord
    session: str
    address: str
    kept: bool  # pinned


class Elsewhere(Protocol):
    """Where artifacts of this machine and of others lie besides, and which sessions are over there."""

    def find(self, artifact_id: str) -> FarDetails | None:
        """An artifact that may be read from here."""

    def pin(self, artifact_id: str) -> bool:
        """Let an artifact outlast its session; whether there was one."""

    def end(self, session: Session, *, at_once: bool) -> None:
        """A session is over: what it has kept goes, now or after its time."""

    def sweep(self) -> Cleared:
        """Remove what nobody needs any more."""
