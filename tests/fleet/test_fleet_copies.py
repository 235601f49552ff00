"""The copy of an artifact that a machine has: it makes room, is torn, is deleted, and the bucket has the whole."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fleet_kit import KEY, NOBODY, NOWHERE, pod
from overspill.errors import ArtifactDamaged, ArtifactEvicted, ArtifactNotFound
from overspill.fleet import SessionKeys
from overspill.fleet.store import FleetStore
from overspill.store.quota import Limits
from overspill.store.removal import evict_artifact
from overspill.store.sessions import SessionDir
from store_kit import put


def test_what_had_to_make_room_here_is_read_from_the_bucket(tmp_path: Path) -> None:
    store = pod(tmp_path, limits=Limits(session_quota=3_000))
    first = put(store, "1" * 2_000)
    put(store, "2" * 2_000)
    with pytest.raises(ArtifactNotFound):
        super(FleetStore, store).artifact(first.id)
    assert store.read(first.id) == b"1" * 2_000


class MeanwhileStore(FleetStore):
    """A store in which something happens to an artifact here, while it is on its way to the bucket."""

    meanwhile: Callable[[str], object] = str

    def _send_from(
        self, room: SessionDir, keys: SessionKeys, artifact_id: str, *, is_new: bool, until: float | None
    ) -> None:
        super()._send_from(room, keys, artifact_id, is_new=is_new, until=until)
        self.meanwhile(artifact_id)


def test_what_has_to_make_room_while_it_is_on_its_way_arrives_and_what_is_deleted_does_not(tmp_path: Path) -> None:
    plain = pod(tmp_path)
    store = MeanwhileStore(
        plain.place, plain.session, bucket=plain.far.bucket, seal=plain.far.seal, tenant=plain.far.tenant
    )

    def evict(artifact_id: str) -> None:
        with plain.find_record(artifact_id) as (_, room, record):
            evict_artifact(room, record.content_name, plain.clock(), "for another", plain.tell)

    store.meanwhile = evict
    made_room = put(store, "it had to make room")
    assert pod(tmp_path, "two").read(made_room.id) == b"it had to make room"
    with pytest.raises(ArtifactEvicted):
        super(FleetStore, store).artifact(made_room.id)
    store.meanwhile = super(FleetStore, plain).delete  # by a process that did not find it in the bucket yet
    deleted = put(store, "somebody deleted it")
    with pytest.raises(ArtifactNotFound):
        pod(tmp_path, "two").read(deleted.id)
    assert pod(tmp_path, "two").ids() == [made_room.id]


def tear(store: FleetStore, artifact_id: str, at: int, name: str = "") -> None:
    """Write something else into the copy here, which is as long afterwards."""
    with open(os.path.join(store.place.path, store.session.id, name or artifact_id), "r+b") as file:
        file.seek(at)
        file.write(b"xxxxx")


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("key", ["", KEY])
def test_a_torn_copy_here_is_read_from_the_bucket_where_it_is_torn(tmp_path: Path, key: str, *, compress: bool) -> None:
    heard: list[str] = []
    store = pod(tmp_path, key=key, compress=compress, say=heard.append)
    lines = [f"line {number} {number * 7919 % 10_007}\n" for number in range(300_000)]  # some chunks
    artifact = put(store, "".join(lines))
    tear(store, artifact.id, 700_000, f"{artifact.id}.zst" if compress else "")
    content = "".join(lines).encode()
    assert store.read(artifact.id) == content
    assert heard == [f"the copy of {artifact.id} here is not what was stored; it is read from the bucket"]
    assert b"".join(store.stream(artifact.id)) == content
    assert store.lines(artifact.id, 70_000, 130_000) == "".join(lines[69_999:130_000]).encode()
    with store.artifact(artifact.id) as opened:
        opened.verify()
        for start in range(0, len(content), 500_000):
            assert opened.read(start, start + 600_000) == content[start : start + 600_000]


def test_a_torn_copy_that_is_nowhere_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = pod(tmp_path)
    artifact = put(store, "whole")
    tear(store, artifact.id, 0)
    store.far.delete(artifact.id)
    with pytest.raises(ArtifactDamaged, match=r"\(checksum mismatch\)$"):
        store.read(artifact.id)
    for name, value in NOBODY.items():
        monkeypatch.setenv(name, value)
    away = pod(tmp_path, address=NOWHERE, patience=0.5)
    with pytest.raises(ArtifactDamaged, match="the bucket may have it whole, but reading: nobody listens there"):
        away.read(artifact.id)
