"""Many at once: processes that write, threads that list, cleaners against writers, forked children."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from overspill.errors import ArtifactNotFound
from overspill.files import Locked
from overspill.store import Moment, housekeeping, removal, sessions
from overspill.store.reader import artifact_record
from overspill.store.sessions import contents, open_session_dir
from store_kit import DAY, Clockwork, environment, files, left_behind, put, session_directory

WRITER = """
import sys, time
from overspill.errors import OverspillError
from overspill.core import measure
from overspill.store import Label
from overspill.workspace.opening import open_store
root, letter, count, size, lazy = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] == "lazy"
store = open_store(root, lazy=lazy)
for number in range(count):
    text = letter * size + str(number)
    print(store.put(text, measure(text), Label()).id, flush=True)
    time.sleep(float(sys.argv[6]))
store.close()
"""


def writers(
    tmp_path: Path, count: int, artifacts: int, size: int, lazy: str, *, pause: float = 0
) -> list["subprocess.Popen[str]"]:
    return [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                WRITER,
                str(tmp_path / "root"),
                chr(97 + number),
                *map(str, (artifacts, size, lazy, pause)),
            ],
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]


def test_writers_in_many_processes_lose_nothing(tmp_path: Path) -> None:
    store = files(tmp_path)
    started = writers(tmp_path, 4, 50, 10_000, "lazy")
    names = [name for process in started for name in process.communicate(timeout=60)[0].split()]
    assert {process.returncode for process in started} == {0}
    assert len(names) == len(set(names)) == 200
    assert {artifact.id for artifact in store.list()} == set(names)
    for artifact in store.list():
        content = store.read(artifact.id)
        assert content[:10_000] == content[:1] * 10_000
    assert housekeeping.show_session(store).artifacts == 200
    assert left_behind(store) == []


def test_eight_threads_that_list_see_every_artifact(tmp_path: Path) -> None:
    """Each listing has a descriptor of its own: with a shared one, threads get each other's half."""
    store = files(tmp_path, lazy=True)
    names = {put(store).id for _ in range(300)}
    store.flush()
    with ThreadPoolExecutor(8) as pool:
        listings = list(pool.map(lambda _: {artifact.id for artifact in store.list()}, range(40)))
    assert all(listing == names for listing in listings)
    store.close()


def test_cleaners_against_writers_tear_nothing(tmp_path: Path) -> None:
    store = files(tmp_path)
    started = writers(tmp_path, 3, 40, 5_000, "lazy", pause=0.02)  # so long that it is cleaned up behind them
    cleans = 0
    while any(process.poll() is None for process in started):
        store.clear()
        housekeeping.sweep_sessions(store)
        cleans += 1
        time.sleep(0.01)
    acknowledged = [name for process in started for name in process.communicate(timeout=60)[0].split()]
    assert {process.returncode for process in started} == {0}
    assert len(acknowledged) == 120
    assert cleans > 3
    whole = 0
    for name in acknowledged:
        try:
            whole += len(store.read(name)) >= 5_000
        except ArtifactNotFound:
            continue
    assert whole == len(store.list())
    store.clear()
    assert not (tmp_path / "root/.acode/artifacts").exists()


def test_a_forked_child_writes_on_its_own(tmp_path: Path) -> None:
    store = files(tmp_path, lazy=True)
    put(store, "of the parent")
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            name = put(store, "of the child").id
            store.flush(30)
            os.write(writing, name.encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    name = os.read(reading, 100).decode()
    os.close(reading)
    os.close(writing)
    assert store.read(name) == b"of the child"
    assert len(store.list()) == 2
    assert store.flush(30)
    store.close()


def test_what_is_flushed_is_nothing_else_than_what_was_put(tmp_path: Path) -> None:
    store = files(tmp_path, lazy=True)
    names = [put(store, f"{number}").id for number in range(100)]
    store.delete(names[0])
    assert store.flush(60)
    assert [store.read(name).decode() for name in names[1:]] == [str(number) for number in range(1, 100)]
    store.close()
    store.close()


def test_a_session_that_is_removed_between_the_look_and_the_lock_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = files(tmp_path)
    put(store, "before")
    removed: list[str] = []

    def too_late(name: str, directory: int, *, shared: bool) -> Locked:
        if not removed:
            session_directory(store).rename(Path(store.place.path) / "trash_x")
            removed.append("trash_x")
        return Locked(name, directory, shared=shared)

    monkeypatch.setattr("overspill.store.sessions.Locked", too_late)
    artifact = put(store, "after")
    assert removed
    assert store.read(artifact.id) == b"after"
    assert [listed.id for listed in store.list()] == [artifact.id]


def test_a_session_that_is_used_between_the_look_and_the_sweep_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clockwork()
    late = files(tmp_path, "late", clock=clock)
    put(late)
    clock.pass_(2 * DAY)
    real = sessions.is_live
    kept: list[str] = []

    def used_right_after(place: int, session_id: str, now: Moment, ttl: float) -> bool:
        alive = real(place, session_id, now, ttl)
        if session_id == late.session.id and not kept:
            assert not alive
            kept.append(put(late, "just in time").id)
        return alive

    monkeypatch.setattr(sessions, "is_live", used_right_after)
    assert housekeeping.sweep_sessions(files(tmp_path, clock=clock)) == (0, 0)
    assert late.read(kept[0]) == b"just in time"


def test_a_reader_with_a_removed_session_open_sees_no_content_without_its_record(tmp_path: Path) -> None:
    store = files(tmp_path)
    names = [put(store).id for _ in range(30)]
    with open_session_dir(store.place, store.session.id) as room:
        assert room is not None
        os.rename(store.session.id, "trash_x", src_dir_fd=room.place, dst_dir_fd=room.place)
        found = 30
        for _ in range(20):
            removal.empty_trash(room.place, "trash_x", 7)
            left = [name for name in names if artifact_record(room, name) is not None]  # there or gone, never damaged
            assert len(left) <= found
            found = len(left)
        # And whoever lists or removes what is gone by now finds nothing, and says so without a complaint.
        assert contents(room) == []
    assert found == 0
    assert removal.remove_session(store.place, store.session.id) == (0, 0)
    assert not (Path(store.place.path) / "trash_x").exists()
