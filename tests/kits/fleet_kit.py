"""Machines of a fleet, as the tests have them: stores of different roots that share a bucket."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from overspill.core.report import Artifact
from overspill.fleet import Bucket
from overspill.fleet.objects import Seal, seal_of
from overspill.fleet.store import FleetStore
from overspill.store import Clock, moment
from overspill.store.quota import Limits
from overspill.store.removal import evict_artifact
from overspill.workspace.opening import locate_store
from store_kit import environment

KEY = "6f" * 32
# A bucket that nobody serves, and what has to be in the environment for it.
NOWHERE = "s3://nobody/here"
NOBODY = {
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_ALLOW_HTTP": "true",
    "AWS_ACCESS_KEY_ID": "a",
    "AWS_SECRET_ACCESS_KEY": "b",
    "AWS_REGION": "us-east-1",
}


def address_of(tmp_path: Path) -> str:
    return f"file://{tmp_path / 'bucket'}"


def pod(
    tmp_path: Path,
    name: str = "pod",
    *,
    session: str | None = "work",
    tenant: str = "acme",
    lazy: bool = False,
    address: str = "",
    key: str = "",
    limits: Limits | None = None,
    clock: Clock = moment,
    patience: float = 20.0,
    compress: bool = False,
    say: Callable[[str], None] | None = None,
    on_event: Callable[[str, Mapping[str, object]], None] | None = None,
) -> FleetStore:
    """The store of one machine: its own root, a session, and the bucket that all of them share."""
    root = tmp_path / name
    root.mkdir(exist_ok=True)
    location = locate_store(str(root), session, environ=environment(tmp_path))
    seal: Seal = seal_of("env:KEY" if key else "", {"KEY": key})
    return FleetStore(
        location.place,
        location.session,
        bucket=Bucket(address or address_of(tmp_path), patience),
        seal=seal,
        tenant=tenant,
        lazy=lazy,
        limits=limits or Limits(),
        clock=clock,
        say=say,
        on_event=on_event,
        compress=compress,
    )


def forget_here(store: FleetStore) -> None:
    """Take from a machine what it has kept, as when its pod is gone and another comes."""
    shutil.rmtree(os.path.join(store.place.path, store.session.id), ignore_errors=True)


class ElsewhereStore(FleetStore):
    """A store whose every artifact has to make room here once it is sent, so that it is read from the bucket."""

    def _hand_on(self, artifact: Artifact) -> Artifact:
        made = super()._hand_on(artifact)
        with self.find_record(made.id) as (_, room, record):
            assert self.kept_here(made.id) == ""
            evict_artifact(room, record.content_name, self.clock(), "for a test", self.tell)
        return made


def elsewhere(tmp_path: Path, *, address: str = "", key: str = "") -> ElsewhereStore:
    """A store all of whose artifacts are read from the bucket."""
    plain = pod(tmp_path)
    return ElsewhereStore(
        plain.place,
        plain.session,
        bucket=Bucket(address or address_of(tmp_path), 20.0),
        seal=seal_of("env:KEY" if key else "", {"KEY": key}),
        tenant="acme",
    )
