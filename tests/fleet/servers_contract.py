"""What every store promises, on real servers: SeaweedFS (S3) and Azurite (Azure), each on loopback. `make fleet`."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import TENANTS, Azurite, Seaweed, Server

from fleet_kit import KEY, elsewhere, pod
from overspill.cli.fleet import bucket_trials
from overspill.errors import ArtifactNotFound, BucketError
from overspill.fleet import Bucket
from overspill.fleet.store import FleetStore
from overspill.store.quota import Limits
from overspill.testing import *  # noqa: F403
from store_kit import put


@pytest.fixture(scope="module", params=[Seaweed, Azurite], ids=["seaweedfs", "azurite"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder, request.param(Path(folder)) as started:
        before = dict(os.environ)
        os.environ.update(started.environ("admin"))
        yield started
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture
def address(server: Server, request: pytest.FixtureRequest) -> str:
    """A prefix that nobody else has."""
    return f"{server.address}/{abs(hash(request.node.nodeid))}"


@pytest.fixture(params=["strict", "lazy", "elsewhere", "sealed elsewhere"])
def store(request: pytest.FixtureRequest, address: str, tmp_path: Path) -> Iterator[FleetStore]:
    if request.param.endswith("elsewhere"):
        key = KEY if request.param.startswith("sealed") else ""
        made: FleetStore = elsewhere(tmp_path, address=address, key=key)
    else:
        made = pod(tmp_path, lazy=request.param == "lazy", address=address)
    yield made
    made.close()


def test_the_server_does_all_that_is_needed(server: Server) -> None:
    assert [trial.reason for trial in bucket_trials(Bucket(server.address, 20.0), "v1/acme/check/it")] == [""] * 8


def test_a_long_artifact_is_read_by_ranges_from_another_machine(address: str, tmp_path: Path) -> None:
    text = "".join(f"line {number} of a long log that somebody looks at elsewhere\n" for number in range(400_000))
    artifact = put(pod(tmp_path, "one", address=address, limits=Limits(max_artifact_size=None)), text)
    other = pod(tmp_path, "two", address=address)
    lines = text.splitlines(keepends=True)
    assert other.lines(artifact.id, 390_000, 390_100).decode() == "".join(lines[389_999:390_100])
    assert b"".join(other.stream(artifact.id)).decode() == text
    other.delete(artifact.id)
    assert list(other.far.bucket.entries(other.far.keys.of_session + "/parts")) == []


def test_the_server_itself_keeps_tenants_apart(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a server can hold a policy. The emulator of Azure has one account for all, and cannot."""
    if not isinstance(server, Seaweed):
        assert server.environ("acme") == server.environ("globex")
        return
    theirs, ours = TENANTS
    artifact = put(pod(tmp_path, "one", tenant=theirs, address=server.address), "theirs")
    for name, value in server.environ(ours).items():
        monkeypatch.setenv(name, value)
    spy = pod(tmp_path, "two", tenant=theirs, address=server.address)  # code that says it is another tenant
    for call in (spy.read, spy.delete):
        with pytest.raises(BucketError, match="refuses"):
            call(artifact.id)
    with pytest.raises(BucketError, match="refuses"):
        spy.far.artifacts()
    own = pod(tmp_path, "three", tenant=ours, address=server.address)
    mine = put(own, "mine")
    assert own.kept_here(mine.id) == ""
    with pytest.raises(ArtifactNotFound):
        own.read(artifact.id)
