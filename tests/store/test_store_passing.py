"""A writer that died between giving a file its name and taking the old one away leaves a whole artifact."""

import os
from pathlib import Path

import pytest

from overspill.core import measure
from overspill.errors import ArtifactDamaged
from overspill.files import PASSING
from overspill.store import Label, housekeeping
from overspill.workspace.opening import open_store


def test_an_artifact_with_its_passing_name_left_is_read_and_one_with_a_strange_name_is_not(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    artifact = store.put("all of it\n", measure("all of it\n"), Label())
    content = next(tmp_path.glob(f".acode/artifacts/ses_*/{artifact.id}"))
    passing = content.parent / PASSING
    passing.mkdir(mode=0o700, exist_ok=True)
    os.link(content, passing / "0123456789ab")
    assert store.read(artifact.id) == b"all of it\n"
    housekeeping.sweep_sessions(store)
    assert list(passing.iterdir()) == []
    assert store.read(artifact.id) == b"all of it\n"
    os.link(content, passing / "0123456789ab")
    os.rename(passing / "0123456789ab", tmp_path / "elsewhere")
    with pytest.raises(ArtifactDamaged):
        store.read(artifact.id)
