"""Limits: one artifact, a session, the machine, a minute, the disk; and what is said of what had to go."""

import os
from pathlib import Path

import pytest

from overspill.core import measure
from overspill.errors import ArtifactEvicted, ArtifactNotFound, QuotaExceeded, StoreError
from overspill.store import Label, housekeeping, session_files
from overspill.store.files import FileStore
from overspill.store.quota import Limits
from overspill.workspace.opening import open_store
from store_kit import Clockwork, environment, files, left_behind, put, session_directory

KILO = "x" * 1000


def counted(store: FileStore) -> tuple[int, int]:
    directory = os.open(session_directory(store), os.O_RDONLY)
    try:
        found = session_files.read_usage(directory)
    finally:
        os.close(directory)
    assert found is not None
    return found.bytes, found.artifacts


def machine_count(tmp_path: Path) -> tuple[int, int]:
    directory = os.open(tmp_path / "state" / "overspill", os.O_RDONLY)
    try:
        found = session_files.read_usage(directory)
    finally:
        os.close(directory)
    assert found is not None
    return found.bytes, found.artifacts


def test_one_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """AC-107, THR-3a: the sentence of the FAQ, and exit status 21."""
    store = files(tmp_path, limits=Limits(max_artifact_size=2 << 20))
    with pytest.raises(QuotaExceeded) as said:
        put(store, "x" * (3 << 20))
    assert "Output size (3.0 MB) exceeds maximum artifact size (2.0 MB)" in str(said.value)
    assert said.value.exit_code == 21
    with store.open(Label()) as writer:
        writer.write(b"x" * (2 << 20))
        with pytest.raises(QuotaExceeded):
            writer.write(b"x")
    assert store.list() == []
    assert left_behind(store) == []
    put(store, "x" * (2 << 20))


def test_the_oldest_make_room_and_leave_a_note(tmp_path: Path) -> None:
    """THR-3b, X-43: what it was, when and why it went, and the command that made it."""
    clock = Clockwork()
    store = files(tmp_path, limits=Limits(session_quota=10_000), clock=clock)
    made = []
    for number in range(14):
        made.append(put(store, KILO, source=f"make test-{number}", tool="bash"))
        clock.pass_(1)
    left = [artifact.id for artifact in store.list()]
    assert left == [artifact.id for artifact in reversed(made[-len(left) :])]
    assert 8 <= len(left) <= 10
    assert counted(store) == (1000 * len(left), len(left))
    with pytest.raises(ArtifactEvicted) as told:
        store.read(made[0].id)
    message = str(told.value)
    assert told.value.exit_code == 4
    for fact in (made[0].id, "1,000 bytes", "2023-11-14 22:13", "session_quota", "make test-0", "text/plain"):
        assert fact in message


def test_a_note_is_told_only_to_those_who_may_read(tmp_path: Path) -> None:
    store = files(tmp_path, "a", limits=Limits(session_quota=2500))
    first, *_ = [put(store, KILO) for _ in range(4)]
    with pytest.raises(ArtifactEvicted):
        files(tmp_path).read(first.id)
    with pytest.raises(ArtifactNotFound) as told:
        files(tmp_path, "b").read(first.id)
    assert "gone" not in str(told.value)


def test_notes_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overspill.store.removal.TOMBSTONES", 5)
    store = files(tmp_path, limits=Limits(session_quota=3000), lazy=True)
    for _ in range(40):
        put(store, KILO)
    store.close()
    assert len(list((session_directory(store) / "m").glob("*.gone"))) <= 6


def test_pinned_artifacts_do_not_make_room(tmp_path: Path) -> None:
    store = files(tmp_path, limits=Limits(session_quota=3000))
    pinned = [put(store, KILO) for _ in range(2)]
    for artifact in pinned:
        housekeeping.keep_artifact(store, artifact.id)
    for _ in range(5):
        last = put(store, KILO)
    assert {artifact.id for artifact in store.list()} == {*(artifact.id for artifact in pinned), last.id}
    housekeeping.keep_artifact(store, last.id)
    with pytest.raises(QuotaExceeded, match="pinned"):
        put(store, KILO)
    assert len(store.list()) == 3


def test_one_that_a_whole_quota_cannot_hold_pushes_nobody_out(tmp_path: Path) -> None:
    for limits in (Limits(session_quota=3000), Limits(machine_quota=3000)):
        store = files(tmp_path, limits=limits)
        kept = put(store, KILO)
        with pytest.raises(QuotaExceeded, match="quota of 3,000"):
            put(store, KILO * 4)
        assert kept.id in {artifact.id for artifact in store.list()}


def test_the_machine_counts_all_roots_and_the_oldest_anywhere_go(tmp_path: Path) -> None:
    limits, env = Limits(machine_quota=10_000), environment(tmp_path)
    stores = []
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        stores.append(open_store(str(tmp_path / name), environ=env, limits=limits, clock=Clockwork()))
    clock = Clockwork()
    for store in stores:
        store.clock = clock
        store.accounts._clock = clock
    made = []
    for number in range(12):
        clock.pass_(1)
        made.append((stores[number % 3], put(stores[number % 3], KILO)))
    left = sum(len(store.list()) for store in stores)
    assert 8 <= left <= 10
    assert machine_count(tmp_path) == (left * 1000, left)
    store, first = made[0]
    with pytest.raises(ArtifactEvicted, match="machine_quota"):
        store.read(first.id)
    for store, artifact in made[-left:]:
        assert store.read(artifact.id) == KILO.encode()


def test_counts_follow_what_comes_and_goes(tmp_path: Path) -> None:
    store = files(tmp_path)
    artifacts = [put(store, KILO) for _ in range(5)]
    assert counted(store) == machine_count(tmp_path) == (5000, 5)
    store.delete(artifacts[0].id)
    assert counted(store) == machine_count(tmp_path) == (4000, 4)
    store.clear()
    assert machine_count(tmp_path) == (0, 0)
    put(store, "again")
    assert counted(store) == machine_count(tmp_path) == (5, 1)
    put(files(tmp_path, "b"), "ninety")
    housekeeping.clean_session(files(tmp_path), force=True)
    assert machine_count(tmp_path) == (0, 0)


def test_a_failed_put_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = files(tmp_path)
    put(store, KILO)

    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", broken)
        with pytest.raises(StoreError, match="Input/output error"):
            put(store, KILO)
    assert counted(store) == machine_count(tmp_path) == (1000, 1)


def test_a_count_that_drifted_upwards_is_made_right_before_anybody_is_refused(tmp_path: Path) -> None:
    store = files(tmp_path, limits=Limits(session_quota=10_000, machine_quota=10_000))
    kept = put(store, KILO)
    for path in (session_directory(store), tmp_path / "state" / "overspill"):
        directory = os.open(path, os.O_RDONLY)
        session_files.add_usage(directory, 9_500, 3)
        os.close(directory)
    put(store, KILO)
    assert store.read(kept.id) == KILO.encode()
    assert counted(store) == machine_count(tmp_path) == (2000, 2)


def test_too_many_in_a_minute_are_refused_and_a_minute_later_they_are_not(tmp_path: Path) -> None:
    """THR-3b: a rate limit, whatever the wall clock says."""
    clock = Clockwork()
    store = files(tmp_path, limits=Limits(rate=10), clock=clock)
    for _ in range(10):
        put(store)
    clock.wall += 10_000
    with pytest.raises(QuotaExceeded, match="10 artifacts a minute") as refused:
        put(store)
    assert refused.value.exit_code == 21
    clock.pass_(6)
    put(store)
    with pytest.raises(QuotaExceeded):
        put(store)
    clock.pass_(60)
    for _ in range(10):
        put(store)
    assert len(store.list()) == 21


def test_no_limit_is_no_limit(tmp_path: Path) -> None:
    store = files(tmp_path, limits=Limits(None, None, None, None, 0))
    for _ in range(20):
        put(store, KILO)
    assert len(store.list()) == 20


def test_the_last_of_the_disk_stays_free(tmp_path: Path) -> None:
    """NFR-007, THR-3a: disk space is watched, and the refusal says what to do."""
    disk = os.statvfs(tmp_path)
    everything = disk.f_blocks * disk.f_frsize
    store = files(tmp_path, limits=Limits(disk_floor=everything, disk_floor_share=1.0))
    with pytest.raises(StoreError, match=r"no space left.*disk_floor.*artifacts clean") as refused:
        put(store)
    assert refused.value.exit_code == 3
    assert store.list() == []
    files(tmp_path, limits=Limits(disk_floor=everything, disk_floor_share=0.0)).put("x", measure("x"), Label())


def test_without_a_state_directory_the_machine_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    store = open_store(str(tmp_path / "root"), environ={})
    assert store.read(put(store).id) == b"hello\n"
