"""The store that the documentation shows keeps what every store promises, in sixty lines."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from overspill import Overspill, SimpleStore
from overspill.errors import ArtifactDamaged
from overspill.testing import *  # noqa: F403  # the tests are the point

EXAMPLE = Path(__file__).parents[2] / "examples" / "stores" / "sqlite_store.py"
MOST_LINES = 60

spec = spec_from_file_location("sqlite_store", EXAMPLE)
assert spec is not None
assert spec.loader is not None
example = module_from_spec(spec)
spec.loader.exec_module(example)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SimpleStore]:
    made = example.SqliteStore(str(tmp_path / "kept.db"))
    yield made
    made.close()


def test_the_example_is_as_short_as_it_says_and_runs() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= MOST_LINES
    done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("line 50000\n")
    assert "chars omitted" in done.stdout


def test_another_process_reads_what_is_kept_there(tmp_path: Path, store: SimpleStore) -> None:
    fitted = Overspill(store=store).fit("word " * 9_000, budget=300)
    with closing(example.SqliteStore(str(tmp_path / "kept.db"))) as other:
        assert Overspill(store=other).get(fitted.artifact_id or "", limit=0).text == "word " * 9_000


def test_what_was_changed_behind_its_back_is_not_served(tmp_path: Path, store: SimpleStore) -> None:
    """X-45, THR-5."""
    artifact = Overspill(store=store).fit("word " * 9_000, budget=300).artifact_id or ""
    with closing(sqlite3.connect(tmp_path / "kept.db", isolation_level=None)) as base:
        base.execute("update artifacts set content = x'00ff'")
    with pytest.raises(ArtifactDamaged):
        store.read(artifact)
