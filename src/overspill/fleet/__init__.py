"""Artifacts of many machines in one bucket: kept here first, then there, and readable from every machine of a tenant.

    v1/<tenant>/swept                                   when somebody last swept, by the bucket's clock
    v1/<tenant>/<session>/session                       that it is in use, or over, and how long it is to be kept
    v1/<tenant>/<session>/kept/<id>                     that an artifact is pinned
    v1/<tenant>/<session>/parts/<id>.<digest>/00007     8 MiB of a long content, there before its artifact is
    v1/<tenant>/<session>/<id>                          an artifact: its record, its index, and its content if that is
                                                        no longer than a part

An artifact is one object that is created and never changed, so it is there or not, and never half. `bucket` speaks to
the bucket, `objects` says how an artifact lies in it, `store` is the store of files that hands on what it keeps,
`expiry` removes sessions that are over, `rules` are for the bucket's own administration. The workspace and all that
comes after it may import this package; nothing of it is loaded where no bucket is named.
"""

from __future__ import annotations

import os
import socket

from overspill._lite import NamedTuple
from overspill.store.sessions import Session, named_session

VERSION = "v1"
SCHEMES = ("s3", "gs", "az", "file")
MARKER, KEPT, PARTS, SWEPT = "session", "kept", "parts", "swept"


class SessionKeys(NamedTuple):
    """The names that one session of a tenant has in a bucket."""

    tenant: str
    session: str

    @property
    def of_tenant(self) -> str:
        """What all of a tenant's names begin with."""
        return f"{VERSION}/{self.tenant}"

    @property
    def of_session(self) -> str:
        """What all of the session's names begin with."""
        return f"{VERSION}/{self.tenant}/{self.session}"

    @property
    def marker(self) -> str:
        """What says that the session is in use, or over."""
        return f"{self.of_session}/{MARKER}"

    @property
    def swept(self) -> str:
        """What is written by whoever sweeps the tenant."""
        return f"{self.of_tenant}/{SWEPT}"

    def artifact(self, artifact_id: str) -> str:
        """An artifact."""
        return f"{self.of_session}/{artifact_id}"

    def pin(self, artifact_id: str) -> str:
        """That an artifact is pinned."""
        return f"{self.of_session}/{KEPT}/{artifact_id}"

    def parts(self, artifact_id: str, digest: str) -> str:
        """Where the parts of a content lie. What is another content has other parts, whatever it is called."""
        return f"{self.of_session}/{PARTS}/{artifact_id}.{digest[:16]}"

    def part(self, artifact_id: str, digest: str, number: int) -> str:
        """One of them."""
        return f"{self.parts(artifact_id, digest)}/{number:05}"


def bucket_session(session: Session, root: str) -> str:
    """The id of a session in a bucket. The root's own is that of one machine's root: others have roots of that name."""
    if session.name or not session.roams:
        return session.id
    return named_session(f"root\0{socket.gethostname()}\0{os.path.realpath(root)}").id
