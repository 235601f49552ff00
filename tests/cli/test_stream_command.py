"""Streams of real sizes through `spill fit`: flat memory, and nothing left behind by one that was killed."""

import os
import re
import signal
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path

import pytest

from children import fed, started, wait_until_it_writes
from drawn import number_of
from overspill import MemoryStore, Overspill

LOG = b"2026-11-15T09:30:00Z INFO worker-7 GET /api/v1/items/8231 200 in 12 ms, 3 rows, cache warm\n" * 11_000
JSON = b'{"id": 8231, "name": "a record of some length", "tags": ["a", "b"], "price": 12.50},' * 12_000
XML = b'<case name="it adds" class="prices.Totals" time="0.012"><out>all is well here</out></case>' * 11_000
# What stands before, a megabyte of what comes again and again, and what stands after it.
KINDS = {"log": (b"", LOG, b""), "json": (b"[", JSON, b"null]"), "xml": (b"<cases>", XML, b"</cases>")}


def chunks(kind: str, megabytes: int) -> Iterator[bytes]:
    before, middle, after = KINDS[kind]
    return (chunk for chunk in chain([before], repeat(middle, megabytes), [after]) if chunk)


def timeless(text: str) -> str:
    return re.sub(r"(?m)^Created: .*$", "", text)


@pytest.mark.drawn
@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_of_megabytes_gives_the_view_of_its_text(kind: str) -> None:
    settings = {"tools.truncation.max_artifact_size": 1 << 30}
    megabytes = number_of(2, 8)
    whole = Overspill(settings, MemoryStore()).fit(b"".join(chunks(kind, megabytes)))
    streamed = Overspill(settings, MemoryStore()).fit_stream(chunks(kind, megabytes))
    assert whole.report.artifact
    assert streamed.report.artifact
    assert timeless(streamed.text.replace(streamed.report.artifact.id, whole.report.artifact.id)) == timeless(
        whole.text
    )
    assert streamed.report.kept == whole.report.kept
    assert streamed.report.artifact.sha256 == whole.report.artifact.sha256
    assert streamed.report.artifact.content_type == whole.report.artifact.content_type


@pytest.mark.parametrize("kind", KINDS)
def test_memory_of_the_command_stays_flat(kind: str, tmp_path: Path) -> None:
    """Text by a few megabytes; a document is mapped, and may cost half its size more than it has."""
    small = fed("fit", chunks=chunks(kind, 4), home=tmp_path)
    large = fed("fit", chunks=chunks(kind, 32), home=tmp_path)
    assert small.status == large.status == 0
    assert b"could not be shown" not in small.out + large.out
    assert large.megabytes - small.megabytes < (12 if kind == "log" else 1.5 * 28)


def test_a_stream_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    child = started("fit", home=tmp_path)
    assert child.stdin
    for _ in range(25):
        child.stdin.write(LOG)
    child.stdin.flush()
    wait_until_it_writes(child.pid, tmp_path)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in left if b"worker-7" in path.read_bytes()]
    assert sum(path.stat().st_size for path in left if "cache" not in str(path)) < 10_000
    assert not os.listdir(tmp_path / "tmpdir")
    assert fed("fit", chunks=chunks("log", 1), home=tmp_path).status == 0
