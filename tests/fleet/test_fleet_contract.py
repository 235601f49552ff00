"""A store that hands on to a bucket keeps what every store promises: here and from elsewhere, sealed and packed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet_kit import KEY, elsewhere, pod
from overspill.fleet.store import FleetStore
from overspill.testing import *  # noqa: F403


@pytest.fixture(params=["strict", "lazy", "compressed", "elsewhere", "sealed elsewhere"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FleetStore]:
    if request.param.endswith("elsewhere"):
        made: FleetStore = elsewhere(tmp_path, key=KEY if request.param.startswith("sealed") else "")
    else:
        made = pod(tmp_path, lazy=request.param == "lazy", compress=request.param == "compressed")
    yield made
    made.close()
