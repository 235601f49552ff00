"""The specification's rows on artifacts, at the level of the store, within one process and across several."""

import asyncio
import os
import re
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from overspill.core import measure
from overspill.core.report import artifact_summary, reference_line
from overspill.errors import (
    ArtifactDamaged,
    ArtifactEvicted,
    ArtifactNotFound,
    OverspillError,
    QuotaExceeded,
    UsageError,
)
from overspill.store import Label, Moment, housekeeping, moment
from overspill.store.files import FileStore
from overspill.store.quota import Limits
from overspill.workspace.opening import open_store
from store_kit import DAY, Clockwork, environment, files, left_behind, put, python, session_directory

CHILD = """
import sys
from overspill.errors import OverspillError
from overspill.core import measure
from overspill.store import Label, housekeeping
from overspill.workspace.opening import open_store
store = open_store(sys.argv[1])
try:
    if sys.argv[2] == "put":
        for number in range(int(sys.argv[3])):
            text = sys.argv[4] * 1000 + str(number)
            print(store.put(text, measure(text), Label("child")).id)
    elif sys.argv[2] == "read":
        sys.stdout.write(store.read(sys.argv[3]).decode())
    elif sys.argv[2] == "list":
        print(*[artifact.id for artifact in store.list()], sep="\\n")
    elif sys.argv[2] == "clean":
        print(*housekeeping.clean_session(store))
except OverspillError as error:
    sys.stderr.write(str(error))
    sys.exit(error.exit_code)
"""


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return files(tmp_path)


def child(tmp_path: Path, *arguments: str, session: str = "") -> tuple[int, str, str]:
    env = environment(tmp_path, **({"OVERSPILL_SESSION": session} if session else {}))
    done = python(CHILD, str(tmp_path / "root"), *arguments, env=env)
    return done.returncode, done.stdout, done.stderr


def test_create_returns_an_artifact_with_its_facts(store: FileStore) -> None:
    """TST-09, FR-047, FR-049, AC-047, AC-049."""
    artifact = put(store, "x" * 100_000, tool="test_tool", content_type="text/plain")
    assert re.fullmatch(r"art_\d+_[a-zA-Z0-9]+", artifact.id)
    assert artifact.size.chars == 100_000
    assert artifact.source_tool == "test_tool"
    assert artifact.content_type == "text/plain"
    assert artifact.source == ""
    assert abs(artifact.created - time.time()) < 60


def test_what_is_got_is_what_was_put(store: FileStore, tmp_path: Path) -> None:
    """TST-10, TST-14, FR-048, AC-048, X-53, X-54: byte for byte, in this process and in another."""
    for text in ("X" * 100_000, "tab\tnul\0 crlf\r\n é 漢 \u2028 \x1b[31m", ""):
        artifact = put(store, text)
        assert store.read(artifact.id).decode() == text
        done = python(
            "import sys\nfrom overspill.workspace.opening import open_store\n"
            "sys.stdout.buffer.write(open_store(sys.argv[1]).read(sys.argv[2]))",
            str(tmp_path / "root"),
            artifact.id,
            env=environment(tmp_path),
        )
        assert done.stdout.encode() == text.replace("\r\n", "\n").encode()


def test_ten_at_once_have_ten_names(store: FileStore) -> None:
    """TST-11, AC-054, AC-078, ASM-11, FR-054."""
    with ThreadPoolExecutor(10) as pool:
        made = list(pool.map(lambda number: put(store, f"content {number}\n" * 2000), range(10)))
    assert len({artifact.id for artifact in made}) == 10
    for number, artifact in enumerate(made):
        assert store.read(artifact.id).decode() == f"content {number}\n" * 2000


def test_ten_processes_at_once_have_names_of_their_own(tmp_path: Path) -> None:
    """FR-046, AC-046, AC-100, AC-106, P-10, THR-6: unique across processes, none torn."""
    (tmp_path / "root").mkdir()
    with ThreadPoolExecutor(10) as pool:
        done = list(pool.map(lambda letter: child(tmp_path, "put", "20", letter), "abcdefghij"))
    assert {status for status, _, _ in done} == {0}
    names = [name for _, out, _ in done for name in out.split()]
    assert len(set(names)) == 200
    store = files(tmp_path)
    assert {artifact.id for artifact in store.list()} == set(names)
    for name in names:
        content = store.read(name).decode()
        assert content.startswith(content[0] * 1000)


def test_after_the_clean_up_the_directory_is_gone(store: FileStore, tmp_path: Path) -> None:
    """TST-12, FR-052, FR-053, AC-052, AC-053, AC-105, X-44."""
    put(store, "x" * 3_000_000)
    store.remember("a", 1)
    directory = tmp_path / "root" / ".acode" / "artifacts"
    assert directory.is_dir()
    store.clear()
    assert not directory.exists()
    put(store)
    assert child(tmp_path, "clean")[:2] == (0, "1 6\n")
    assert not directory.exists()


def test_an_artifact_is_found_from_another_process(store: FileStore, tmp_path: Path) -> None:
    """P-06, X-36, FAQ-5: a session is not a process; it lives until it is ended or a day unused."""
    status, out, _ = child(tmp_path, "put", "1", "z")
    assert status == 0
    assert store.read(out.strip()).decode() == "z" * 1000 + "0"
    assert child(tmp_path, "list")[1].split() == [out.strip()]
    assert child(tmp_path, "read", out.strip())[1] == "z" * 1000 + "0"


def test_crashed_sessions_are_cleaned_up(tmp_path: Path) -> None:
    """P-06, AC-053: after a crash, at a later start, by whoever comes."""
    clock = Clockwork()
    crashed = files(tmp_path, "crashed", clock=clock)
    put(crashed)
    clock.pass_(DAY + 1)
    put(files(tmp_path, "next", clock=clock))
    assert not session_directory(crashed).exists()


def test_one_session_does_not_see_the_artifacts_of_another(tmp_path: Path) -> None:
    """FR-051, AC-051, P-15, FAQ-6, NFR-010: not found, and not a word about whether it exists."""
    (tmp_path / "root").mkdir()
    name = child(tmp_path, "put", "1", "s", session="one")[1].strip()
    assert child(tmp_path, "read", name, session="one")[0] == 0
    status, out, said = child(tmp_path, "read", name, session="two")
    assert (status, out) == (4, "")
    never = "art_" + "1" * 13 + "_" + "a" * 26
    assert child(tmp_path, "read", never, session="two") == (4, "", said.replace(name, never))


def test_the_reference_names_the_artifact(store: FileStore) -> None:
    """FR-050, AC-050, X-33, X-34: one line, a summary of at most 100 characters."""
    artifact = put(store, "line\n" * 1000, tool="t" * 300)
    assert reference_line(artifact).startswith(f"[Artifact: {artifact.id}] ")
    assert reference_line(artifact).endswith("KB)")
    assert len(artifact_summary(artifact)) <= 100


def test_ids_cannot_be_guessed(store: FileStore) -> None:
    """NFR-011, P-09, X-35: 26 characters of 32, no two alike in any order."""
    tails = [put(store).id.rpartition("_")[2] for _ in range(30)]
    assert {len(tail) for tail in tails} == {26}
    assert len(set("".join(tails))) == 32
    assert len({tail[:4] for tail in tails} | {tail[-4:] for tail in tails}) > 55


def test_ids_and_paths_are_validated(store: FileStore, tmp_path: Path) -> None:
    """FR-055, AC-055, AC-102, AC-103, NFR-009, THR-2a: refused before anything is looked up."""
    put(store)
    for bad in (
        "../../etc/passwd",
        "/etc/passwd",
        "art_1_a/../../b",
        "art_1_..",
        "art_1_a\\b",
        "art_1_a\0",
        "art_1_a\n",
    ):
        with pytest.raises(UsageError) as refused:
            store.read(bad)
        assert refused.value.exit_code == 2
    assert child(tmp_path, "read", "../../etc/passwd")[:2] == (2, "")


def test_nothing_leaves_the_directory_of_the_session(store: FileStore, tmp_path: Path) -> None:
    """NFR-010, THR-2b: what lies elsewhere is neither read nor written, even through a link."""
    artifact = put(store)
    path = session_directory(store) / artifact.id
    (tmp_path / "secret").write_text("secret")
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    with pytest.raises(ArtifactDamaged):
        store.read(artifact.id)
    store.clear()
    assert (tmp_path / "secret").read_text() == "secret"


def test_files_are_the_owners_alone(store: FileStore) -> None:
    """AC-104, THR-5: 0700 and 0600."""
    artifact = put(store)
    path = session_directory(store) / artifact.id
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.stat().st_uid == os.geteuid()


def test_a_changed_content_is_refused(store: FileStore, tmp_path: Path) -> None:
    """THR-5, X-45: checksum on create, verified on read, exit status 20, not a byte on stdout."""
    artifact = put(store, "the truth")
    (session_directory(store) / artifact.id).write_text("the trutH")
    status, out, said = child(tmp_path, "read", artifact.id)
    assert (status, out) == (20, "")
    assert "checksum mismatch" in said


def test_size_limits_hold(tmp_path: Path) -> None:
    """AC-107, THR-3a."""
    store = files(tmp_path, limits=Limits(max_artifact_size=1000))
    with pytest.raises(QuotaExceeded, match="exceeds maximum artifact size"):
        put(store, "x" * 1001)
    assert store.list() == []


def test_quotas_evict_the_oldest_and_say_so(tmp_path: Path) -> None:
    """THR-3b, X-43, ASM-10: with the command that made it, so that it can be made again."""
    store = files(tmp_path, limits=Limits(session_quota=2500))
    first = put(store, "x" * 1000, source="pytest -q")
    for _ in range(3):
        put(store, "x" * 1000)
    with pytest.raises(ArtifactEvicted, match=r"session_quota.*pytest -q"):
        store.read(first.id)


def test_rates_are_limited(tmp_path: Path) -> None:
    """THR-3b, X-43."""
    store = files(tmp_path, limits=Limits(rate=5), clock=Clockwork())
    for _ in range(5):
        put(store)
    with pytest.raises(QuotaExceeded, match="a minute"):
        put(store)


def test_the_defaults_are_the_designs() -> None:
    """X-43 as decided: 4 GiB a session, 16 GiB a machine, 6,000 a minute, a day."""
    assert Limits() == (10_485_760, 4 << 30, 16 << 30, 6_000, 100_000_000, 0.01, 86_400.0, 86_400.0)


def test_listings_hold_little(store: FileStore) -> None:
    """THR-4, X-46, P-07: what a label says is cut at 200 characters, paths are relative to the root."""
    artifact = put(store, source="s" * 5000, tool="t" * 5000)
    assert artifact == store.list()[0]
    assert (len(artifact.source), len(artifact.source_tool)) == (200, 200)
    assert not Path(housekeeping.details(store, artifact.id).path).is_absolute()


def test_artifacts_are_plain_text(store: FileStore) -> None:
    """FAQ-4."""
    artifact = put(store, "plain as day")
    assert (session_directory(store) / artifact.id).read_bytes() == b"plain as day"


def test_the_directory_names_are_the_specifications(store: FileStore, tmp_path: Path) -> None:
    """X-60, FR-052: `.acode/artifacts/` below the root, and another path if one is set."""
    put(store)
    assert session_directory(store).parent == tmp_path / "root" / ".acode" / "artifacts"
    other = files(tmp_path, storage="build/kept")
    put(other)
    assert session_directory(other).parent == tmp_path / "root" / "build" / "kept"


def test_a_collision_takes_another_name(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """THR-6, X-35, AC-100: regenerated, nothing overwritten."""
    first = put(store, "first")
    names = iter([first.id, "art_7_other"])
    monkeypatch.setattr("overspill.store.writer.new_id", lambda _: next(names))
    assert put(store, "second").id == "art_7_other"
    assert store.read(first.id) == b"first"


def test_a_full_disk_is_a_message_and_loses_nothing(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """NFR-007: the earlier ones stay, nothing is half there, the next one works."""
    kept = put(store, "kept")
    real = os.write

    def full(file: int, content: bytes) -> int:
        if len(content) > 10_000:
            raise OSError(28, "No space left on device")
        return real(file, content)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OverspillError, match="no space left") as refused:
            put(store, "x" * 20_000)
    assert refused.value.exit_code == 3
    assert store.read(kept.id) == b"kept"
    assert len(store.list()) == 1
    assert left_behind(store) == []
    put(store, "x" * 20_000)


def test_clean_and_clean_force(tmp_path: Path) -> None:
    """X-68, CLI-05: this session; with force, every session of the root, locked ones too."""
    own, other = files(tmp_path), files(tmp_path, "other")
    put(own)
    put(other)
    other.hold()
    assert housekeeping.clean_session(own) == (1, 6)
    assert housekeeping.clean_session(own, force=True) == (1, 6)
    other.close()


def test_a_session_directory_is_one_sessions_alone(tmp_path: Path) -> None:
    """ASM-03: ids are unique over all sessions, directories are not shared."""
    stores = [files(tmp_path, name) for name in ("a", "b", "c")]
    made = [put(store) for store in stores for _ in range(10)]
    assert len({artifact.id for artifact in made}) == 30
    assert len({session_directory(store) for store in stores}) == 3


def test_writing_does_not_block_an_event_loop(tmp_path: Path) -> None:
    """NFR-004, AC-074, X-37: off the loop's thread, and readable as soon as it is answered."""
    store = files(tmp_path, limits=Limits(max_artifact_size=None), lazy=True)
    text = "x" * 30_000_000

    async def work() -> tuple[int, bytes]:
        ticks = 0
        kept = asyncio.create_task(asyncio.to_thread(store.put, text, measure(text), Label()))
        while not kept.done():
            await asyncio.sleep(0.001)
            ticks += 1
        return ticks, store.read((await kept).id, 0, 3)

    ticks, start = asyncio.run(work())
    store.close()
    assert ticks >= 3
    assert start == b"xxx"


@pytest.mark.slow
@pytest.mark.parametrize("lazy", [True, False])
def test_a_megabyte_is_kept_within_50_ms(tmp_path: Path, lazy: bool) -> None:
    """AC-073: the best of twenty, for the machine may be busy with others."""
    store = files(tmp_path, lazy=lazy)
    text = "x" * (1 << 20)
    size, times = measure(text), []
    for _ in range(20):
        start = time.perf_counter()
        store.put(text, size, Label())
        times.append(time.perf_counter() - start)
    store.close()
    assert min(times) < 0.05


def test_a_reader_never_sees_half_an_artifact(store: FileStore) -> None:
    """FR-054, P-17: whatever is listed can be read, while others write and delete."""
    stop, seen = threading.Event(), []

    def read() -> None:
        reader = open_store(store.place.root, environ={})
        while not stop.is_set():
            for artifact in reader.list():
                try:
                    seen.append(len(reader.read(artifact.id)) == artifact.size.bytes)
                except ArtifactNotFound:
                    continue

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(60):
        artifact = put(store, "x" * (number * 997))
        if number % 3 == 0:
            store.delete(artifact.id)
    stop.set()
    for reader in readers:
        reader.join()
    assert seen
    assert all(seen)


def test_no_live_session_is_swept_whatever_the_clock_says(tmp_path: Path) -> None:
    """P-06, X-36: with the real clock of this machine, set forward and back under us."""
    artifact = put(files(tmp_path, "live"))

    def off_by(seconds: float) -> Moment:
        return moment()._replace(wall=time.time() + seconds)

    for years in (-30, -0.003, 10, 100):
        own = files(tmp_path, clock=lambda years=years: off_by(years * 365 * DAY))
        assert housekeeping.sweep_sessions(own) == (0, 0)
        assert own.read(artifact.id) == b"hello\n"
