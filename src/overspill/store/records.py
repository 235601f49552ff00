"""The small file beside a content: what it is, where it came from, and what it must hash to.

It is JSON, so that people and other programs can read it. It carries its version and a check over
itself: a flipped letter in it is found as surely as one in the content.
"""

from overspill._lite import NamedTuple, in_json, sha256
from overspill.core.report import Artifact
from overspill.core.size import Size
from overspill.errors import ArtifactDamaged, StoreError

VERSION = 1
MOST_BYTES = 1 << 16
_CHECK = ',"check":"'
_CHECK_WIDTH = 32


class Sidecar(NamedTuple):
    """An artifact, and how it lies on disk."""

    artifact: Artifact
    stored: int  # bytes of the content file
    index_hash: str = ""  # the hash of its index, if it is large enough to have one
    coding: str = ""  # "zstd" if the content file is compressed
    gone: float = 0.0  # when it was removed to make room
    why: str = ""

    @property
    def content_name(self) -> str:
        return self.artifact.id + (".zst" if self.coding else "")


def written(sidecar: Sidecar) -> bytes:
    """A sidecar as it is written."""
    a = sidecar.artifact
    fields: dict[str, object] = {
        "v": VERSION,
        "id": a.id,
        "chars": a.size.chars,
        "lines": a.size.lines,
        "bytes": a.size.bytes,
        "tokens": a.size.tokens,
        "tool": a.source_tool,
        "type": a.content_type,
        "source": a.source,
        "call": a.call_id,
        "created": a.created,
        "sha256": a.sha256,
        "stored": sidecar.stored,
    }
    if sidecar.index_hash:
        fields["index"] = sidecar.index_hash
    if sidecar.coding:
        fields["coding"] = sidecar.coding
    if a.partial:
        fields["whole"] = a.whole and list(a.whole)
        fields["head"] = a.head_bytes
    if sidecar.gone:
        fields |= {"gone": sidecar.gone, "why": sidecar.why}
    body = "{" + ",".join(f'"{name}":{in_json(value)}' for name, value in fields.items())
    return f'{body}{_CHECK}{_checksum(body)}"}}\n'.encode()


def read(content: bytes, artifact_id: str) -> Sidecar:
    """A sidecar as it was written; `ArtifactDamaged` if it is not one of this artifact."""
    import json

    try:
        text = content.decode()
        body, _, check = text.rpartition(_CHECK)
        fields = json.loads(text)
        version = fields["v"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise _damaged(artifact_id) from None
    if version != VERSION:
        raise StoreError(f"artifact {artifact_id} was written by another version of overspill (format {version!r:.20})")
    if check != f'{_checksum(body)}"}}\n' or fields.get("id") != artifact_id:
        raise _damaged(artifact_id)
    try:
        return _sidecar(fields)
    except (KeyError, TypeError, ValueError):
        raise _damaged(artifact_id) from None


def _sidecar(fields: dict[str, object]) -> Sidecar:
    whole = fields.get("whole")
    artifact = Artifact(
        _text(fields["id"]),
        Size(*(_number(fields[name]) for name in ("chars", "lines", "bytes", "tokens"))),
        _text(fields["tool"]),
        _text(fields["type"]),
        _text(fields["source"]),
        float(fields["created"]),  # type: ignore[arg-type]  # a wrong type is caught by the caller
        _text(fields["sha256"]),
        _text(fields["call"]),
        "head" in fields,
        Size(*map(_number, whole)) if isinstance(whole, list) else None,
        _number(fields.get("head", 0)),
    )
    return Sidecar(
        artifact,
        _number(fields["stored"]),
        _text(fields.get("index", "")),
        _text(fields.get("coding", "")),
        float(fields.get("gone", 0.0)),  # type: ignore[arg-type]  # a wrong type is caught by the caller
        _text(fields.get("why", "")),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise TypeError
    return value


def _checksum(body: str) -> str:
    return sha256(body.encode()).hexdigest()[:_CHECK_WIDTH]


def _damaged(artifact_id: str) -> ArtifactDamaged:
    return ArtifactDamaged(f"the record of artifact {artifact_id} is not what was stored; its content is not served")
