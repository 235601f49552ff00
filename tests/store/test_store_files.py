"""The store of files keeps what every store promises, however it writes; and what only files can promise."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from overspill.core import measure
from overspill.errors import LockTimeout, MissingExtra, StoreError
from overspill.files import Locked, StorePlace
from overspill.store import Label
from overspill.store.files import FileStore
from overspill.store.sessions import root_session
from overspill.testing import *  # noqa: F403  # the tests are the point
from overspill.testing import LARGE
from store_kit import Clockwork, environment, files, left_behind, put, python, session_directory

WAYS: dict[str, dict[str, Any]] = {
    "strict": {},
    "lazy": {"lazy": True},
    "compressed": {"compress": True, "lazy": True},
    "with passing names": {"lazy": True},
}


@pytest.fixture(params=WAYS)
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileStore]:
    if request.param == "with passing names":
        monkeypatch.delattr(os, "O_TMPFILE")
    made = files(tmp_path, **WAYS[request.param])
    yield made
    assert made.flush(60)
    made.close()


def test_nothing_is_made_before_something_is_kept(tmp_path: Path) -> None:
    store = files(tmp_path)
    assert store.list() == []
    assert store.remembered("a") is None
    assert list((tmp_path / "root").iterdir()) == []


def test_what_was_opened_can_be_read_to_its_end_though_it_was_deleted(store: FileStore) -> None:
    kept = put(store, LARGE).id
    with store.artifact(kept) as opened:
        store.delete(kept)
        assert opened.read() == LARGE.encode()


def test_a_disk_that_cannot_be_read_is_the_stores_failure_and_a_closed_pipe_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = files(tmp_path)
    kept = put(store).id
    with pytest.raises(BrokenPipeError), store.artifact(kept):
        raise BrokenPipeError
    with store.artifact(kept) as opened:
        monkeypatch.setattr(os, "pread", broken_disk)
        with pytest.raises(StoreError, match=f"reading artifact {kept}: Input/output error"):
            opened.read()


def broken_disk(*_: object) -> bytes:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_everything_is_the_owners_alone_even_without_a_umask(store: FileStore) -> None:
    before = os.umask(0)
    try:
        put(store, LARGE)
        store.remember("a", 1)
        store.hold()
    finally:
        os.umask(before)
    seen = list((Path(store.place.root) / ".acode").rglob("*"))
    assert len(seen) > 8
    for path in seen:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_the_content_is_a_plain_file_that_grep_can_read(tmp_path: Path) -> None:
    store = files(tmp_path)
    artifact = put(store, "needle\n")
    assert (session_directory(store) / artifact.id).read_text() == "needle\n"


def test_a_compressed_content_is_smaller_and_its_frames_are_ordinary(tmp_path: Path) -> None:
    import zstandard

    text = "the same line again and again\n" * 100_000
    store = files(tmp_path, compress=True)
    artifact = put(store, text)
    packed = (session_directory(store) / f"{artifact.id}.zst").read_bytes()
    assert len(packed) < len(text) / 50
    with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as frames:
        assert frames.read() == text.encode()
    assert files(tmp_path).read(artifact.id, 2_000_000, 2_000_010) == text.encode()[2_000_000:2_000_010]


def test_without_the_package_compression_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(MissingExtra, match=r"overspill\[zstd\]"):
        put(files(tmp_path, compress=True), LARGE)
    assert files(tmp_path).list() == []


def test_git_does_not_see_artifacts(tmp_path: Path) -> None:
    put(files(tmp_path))
    assert (tmp_path / "root" / ".acode" / ".gitignore").read_text() == "*\n"


def test_a_gitignore_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "root" / ".acode").mkdir(parents=True)
    (tmp_path / "root" / ".acode" / ".gitignore").write_text("mine\n")
    put(files(tmp_path))
    assert (tmp_path / "root" / ".acode" / ".gitignore").read_text() == "mine\n"


def test_a_new_id_is_taken_when_the_name_is_not_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = files(tmp_path)
    first = put(store, "first")
    names = iter([first.id, first.id, "art_1_fresh"])
    monkeypatch.setattr("overspill.store.writer.new_id", lambda _: next(names))
    second = put(store, "second")
    assert second.id == "art_1_fresh"
    assert store.read(first.id) == b"first"
    assert left_behind(store) == []


def test_a_content_without_a_record_keeps_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = files(tmp_path)
    put(store)
    (session_directory(store) / "art_2_taken").write_text("somebody's")
    names = iter(["art_2_taken", "art_2_fresh"])
    monkeypatch.setattr("overspill.store.writer.new_id", lambda _: next(names))
    assert put(store, "mine").id == "art_2_fresh"
    assert (session_directory(store) / "art_2_taken").read_text() == "somebody's"
    assert left_behind(store) == []


def test_a_failed_publication_leaves_nothing(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "before")

    def no_space(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "link", no_space)
        with pytest.raises(StoreError, match="no space left"):
            put(store, LARGE)
    assert left_behind(store) == []
    assert [artifact.size.chars for artifact in store.list()] == [6]
    assert store.read(put(store, LARGE).id) == LARGE.encode()


def test_the_view_of_a_spool_survives_its_commit(tmp_path: Path) -> None:
    store = files(tmp_path)
    with store.open(Label()) as writer:
        writer.write(b"0123456789")
        view = writer.view()
        writer.commit(measure("0123456789"))
    assert view[3:6] == b"345"


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_descriptors_do_not_leak(store: FileStore) -> None:
    artifact = put(store, LARGE)
    store.flush()
    before = descriptors()
    for _ in range(20):
        put(store)
        store.read(artifact.id, 0, 10)
        store.lines(artifact.id, 3, 4)
        store.list()
        store.remember("x", 1)
        with pytest.raises(StoreError):
            store.info("art_1_nobody")
    store.flush()
    assert descriptors() == before


def test_the_store_imports_nothing_that_costs_start_up(tmp_path: Path) -> None:
    """One process a tool call: `put` of a plain label must get by without these modules, too."""
    script = """
import sys
before = set(sys.modules)
from overspill.workspace.opening import open_store
from overspill.store import Label
from overspill.core import measure
store = open_store(sys.argv[1])
if len(sys.argv) > 2:
    store.put("x", measure("x"), Label("bash"))
heavy = {"json", "pathlib", "secrets", "tempfile", "dataclasses", "logging", "threading", "asyncio", "sqlite3",
         "shutil", "subprocess", "mmap", "random", "zstandard", "argparse", "inspect", "socket"}
print(sorted(heavy & (set(sys.modules) - before)))
"""
    (tmp_path / "root").mkdir()
    put(files(tmp_path))
    env = environment(tmp_path)
    for more in ([], ["put"]):
        done = python(script, str(tmp_path / "root"), *more, env=env)
        assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_a_lock_that_is_not_given_back_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    store = files(tmp_path)
    put(store)
    directory = os.open(session_directory(store), os.O_RDONLY)
    with Locked("lock", directory), pytest.raises(LockTimeout, match=r"0\.05 seconds"):
        Locked("lock", directory, shared=True, seconds=0.05)
    os.close(directory)


def test_a_place_lies_below_its_root() -> None:
    for storage in ("../x", "a/../../b", "", ".", "/etc"):
        with pytest.raises(Exception, match="below the root"):
            FileStore(StorePlace("/tmp", storage), root_session())


def test_pages_are_in_order_whatever_the_clock_said(tmp_path: Path) -> None:
    clock = Clockwork()
    made = []
    for wall in (1_700_000_000.0, 900_000_000.0, 1_800_000_000.0, 5.0, 1_750_000_000.0, 20_000_000_000.0):
        clock.wall = wall
        made += [(wall, put(files(tmp_path, clock=clock, lazy=True)).id) for _ in range(9)]
    store = files(tmp_path, clock=clock)
    times = {name: wall for wall, name in made}
    for limit in (1, 5, 20, 54, None):
        page = store.page(limit)
        assert page.total == 54
        listed = [times[artifact.id] for artifact in page.artifacts]
        assert listed == sorted(times.values(), reverse=True)[:limit]
