"""Who shares a session, who may read whose, which are alive, and how they end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from overspill.core import measure
from overspill.errors import ArtifactDamaged, ArtifactNotFound, LockTimeout, StoreError, UsageError
from overspill.files import Locked
from overspill.store import Anchor, Label, Moment, anchor_of, housekeeping, idle_seconds, is_running, sessions
from overspill.workspace.opening import open_store
from store_kit import DAY, Clockwork, environment, files, left_behind, put, python, session_directory


def test_a_session_is_named_by_the_first_who_names_it() -> None:
    env = {"OVERSPILL_SESSION": "mine", "CODEX_SESSION_ID": "agent's"}
    assert sessions.resolve_session("said", env) == sessions.named_session("said")
    assert sessions.resolve_session(None, env) == sessions.named_session("mine")
    assert sessions.resolve_session("", {**env, "OVERSPILL_SESSION": ""}) == sessions.named_session("agent's")
    assert sessions.resolve_session(None, {}) == sessions.root_session()


@pytest.mark.parametrize("name", ["x", "../../etc", "a\nb", "\0", "漢" * 500, "x" * 100_000, " ", "\udcff"])
def test_a_name_may_be_anything_and_its_directory_is_a_hash(tmp_path: Path, name: str) -> None:
    store = files(tmp_path, name)
    artifact = put(store)
    assert sessions.is_session_id(store.session.id)
    assert [path.name for path in Path(store.place.path).glob("ses_*")] == [store.session.id]
    assert files(tmp_path, name).read(artifact.id) == b"hello\n"
    assert files(tmp_path, name + "x").session.id != store.session.id


def test_names_of_sessions_are_not_mistaken_for_the_roots_own() -> None:
    assert sessions.named_session("").id != sessions.root_session().id
    assert len({sessions.fresh_session().id for _ in range(50)}) == 50


def test_one_named_session_never_reads_anothers(tmp_path: Path) -> None:
    mine, other = files(tmp_path, "a"), files(tmp_path, "b")
    artifact = put(mine, "private")
    put(other)
    with pytest.raises(ArtifactNotFound) as there:
        other.read(artifact.id)
    with pytest.raises(ArtifactNotFound) as nowhere:
        other.read("art_1_nowhere")
    assert str(there.value).replace(artifact.id, "ID") == str(nowhere.value).replace("art_1_nowhere", "ID")
    for call in (other.info, other.delete, lambda name: other.lines(name, 1, 2), lambda name: list(other.stream(name))):
        with pytest.raises(ArtifactNotFound):
            call(artifact.id)
    assert artifact.id not in {listed.id for listed in other.list()}
    assert mine.read(artifact.id) == b"private"


def test_the_roots_own_session_reads_every_live_session(tmp_path: Path) -> None:
    clock = Clockwork()
    named = files(tmp_path, "agent", clock=clock)
    own = files(tmp_path, clock=clock)
    artifact = put(named, "of the agent")
    assert own.read(artifact.id) == b"of the agent"
    assert [listed.id for listed in own.list()] == [artifact.id]
    with pytest.raises(ArtifactNotFound):
        named.read(put(own).id)
    clock.pass_(DAY + 1)
    with pytest.raises(ArtifactNotFound):
        own.read(artifact.id)


def test_another_root_is_another_world(tmp_path: Path) -> None:
    artifact = put(files(tmp_path))
    (tmp_path / "other").mkdir()
    other = open_store(str(tmp_path / "other"), environ=environment(tmp_path))
    with pytest.raises(ArtifactNotFound):
        other.read(artifact.id)


def test_a_session_unused_for_a_day_is_swept(tmp_path: Path) -> None:
    clock = Clockwork()
    old = files(tmp_path, "old", clock=clock)
    put(old)
    own = files(tmp_path, clock=clock)
    clock.pass_(DAY - 10)
    assert housekeeping.sweep_sessions(own) == (0, 0)
    clock.pass_(20)
    assert housekeeping.sweep_sessions(own) == (1, 6)
    assert not session_directory(old).exists()
    assert list(Path(own.place.path).parent.rglob("trash_*")) == []


def test_use_keeps_a_session_alive(tmp_path: Path) -> None:
    clock = Clockwork()
    used = files(tmp_path, "used", clock=clock)
    artifact = put(used)
    own = files(tmp_path, clock=clock)
    for _ in range(5):
        clock.pass_(DAY - 100)
        assert used.read(artifact.id) == b"hello\n"
        assert housekeeping.sweep_sessions(own) == (0, 0)


def test_every_start_sweeps_a_little(tmp_path: Path) -> None:
    clock = Clockwork()
    for number in range(30):
        put(files(tmp_path, str(number), clock=clock))
    clock.pass_(DAY + 1)
    for start in range(1, 8):
        put(files(tmp_path, clock=clock))
        clock.pass_(601)
        left = len(list((tmp_path / "root/.acode/artifacts").glob("ses_*")))
        assert left >= 31 - 20 * start
    assert left == 1


def test_a_session_that_is_held_is_never_swept(tmp_path: Path) -> None:
    clock = Clockwork()
    held = files(tmp_path, "held", clock=clock)
    artifact = put(held)
    held.hold()
    clock.pass_(DAY * 400)
    own = files(tmp_path, clock=clock)
    assert housekeeping.sweep_sessions(own) == (0, 0)
    assert own.read(artifact.id) == b"hello\n"
    clock.pass_(DAY * 400)
    held.close()
    assert housekeeping.sweep_sessions(own) == (1, 6)


def test_a_session_whose_process_lives_is_never_swept(tmp_path: Path) -> None:
    clock = Clockwork()
    put(files(tmp_path, "anchored", clock=clock, anchor=os.getpid()))
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    mortal = files(tmp_path, "mortal", clock=clock, anchor=child.pid)
    put(mortal)
    clock.pass_(DAY * 30)
    own = files(tmp_path, clock=clock)
    assert housekeeping.sweep_sessions(own) == (0, 0)
    child.communicate(b"\n")
    assert housekeeping.sweep_sessions(own) == (1, 6)
    assert not session_directory(mortal).exists()
    assert [state.why for state in housekeeping.list_sessions(own)] == ["anchored"]


def test_a_process_is_not_mistaken_for_another_with_its_number() -> None:
    mine = anchor_of(os.getpid())
    assert mine is not None
    assert is_running(mine) is True
    assert is_running(mine._replace(start=mine.start + "1")) is False
    assert is_running(mine._replace(boot="0" * 32)) is False
    assert is_running(mine._replace(namespace="pid:[1]")) is None
    assert is_running(Anchor(mine.boot, mine.namespace, 2**22 + 1, mine.start)) is False
    assert anchor_of(2**22 + 1) is None


@pytest.mark.parametrize("jump", [-DAY, -DAY * 9000, DAY * 3650, DAY * 36500, DAY * 2])
def test_no_live_session_is_swept_whatever_the_clock_does(tmp_path: Path, jump: float) -> None:
    clock = Clockwork()
    store = files(tmp_path, "a", clock=clock)
    artifact = put(store)
    own = files(tmp_path, clock=clock)
    clock.pass_(100)
    clock.wall += jump
    assert housekeeping.sweep_sessions(own) == (0, 0)
    assert own.read(artifact.id) == b"hello\n"
    more = put(store)
    clock.wall -= jump
    assert housekeeping.sweep_sessions(own) == (0, 0)
    assert {found.id for found in store.list()} == {artifact.id, more.id}
    clock.wall += jump
    clock.pass_(DAY + 1)
    assert housekeeping.sweep_sessions(own).artifacts == 2


def test_time_that_passed_is_never_overestimated() -> None:
    last = Moment(1000.0, 500.0, b"boot")
    assert idle_seconds(Moment(1_000_000.0, 510.0, b"boot"), last) == 10.0
    assert idle_seconds(Moment(0.0, 510.0, b"boot"), last) == 10.0
    assert idle_seconds(Moment(0.0, 700.0, b"other"), last) == 0.0
    assert idle_seconds(Moment(9000.0, 700.0, b"other"), last) == 8000.0
    # Right after a restart nobody has set the clock yet.
    assert idle_seconds(Moment(10.0**9, 30.0, b"other"), last) == 0.0
    assert idle_seconds(Moment(1100.0, 100.0, b"boot"), last) == 0.0


def test_the_roots_own_session_ends_at_once_and_a_named_one_is_kept_for_a_day(tmp_path: Path) -> None:
    clock = Clockwork()
    own, named = files(tmp_path, clock=clock), files(tmp_path, "agent", clock=clock, anchor=os.getpid())
    put(own)
    artifact = put(named)
    assert housekeeping.end_session(named) == (0, 0)
    assert [state.why for state in housekeeping.list_sessions(named)] == ["ended"]
    assert housekeeping.end_session(own) == (1, 6)
    assert housekeeping.end_session(own) == (0, 0)
    clock.pass_(DAY - 100)
    assert named.read(artifact.id) == b"hello\n"
    assert [state.why for state in housekeeping.list_sessions(named)] == ["anchored"]
    housekeeping.end_session(named)
    clock.pass_(DAY + 1)
    assert housekeeping.sweep_sessions(own) == (1, 6)


def test_ending_for_good_does_not_wait(tmp_path: Path) -> None:
    named = files(tmp_path, "agent")
    put(named)
    assert housekeeping.end_session(files(tmp_path), "agent", at_once=True) == (1, 6)
    assert named.list() == []
    with pytest.raises(StoreError):
        housekeeping.end_session(files(tmp_path), "agent")


def test_a_named_session_ends_only_itself(tmp_path: Path) -> None:
    put(files(tmp_path, "a"))
    with pytest.raises(UsageError):
        housekeeping.end_session(files(tmp_path, "b"), "a")


def test_session_start_makes_another_one_current(tmp_path: Path) -> None:
    before = put(files(tmp_path), "before")
    state = housekeeping.start_session(files(tmp_path), "sprint")
    assert (state.name, state.alive) == ("sprint", True)
    current = files(tmp_path)
    assert current.session.id == state.id == sessions.named_session("sprint").id
    artifact = put(current)
    assert current.read(before.id) == b"before"
    assert files(tmp_path, "sprint").read(artifact.id) == b"hello\n"
    assert housekeeping.show_session(current).artifacts == 1
    assert housekeeping.end_session(current) == (1, 6)
    assert files(tmp_path).session == sessions.root_session()
    ended = housekeeping.show_session(files(tmp_path), "sprint")
    assert (ended.why, ended.artifacts, ended.created) == ("ended", 0, state.created)


@pytest.mark.parametrize("name", ["two\nlines", "x" * 2000])
def test_a_current_session_has_a_name_of_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="one line"):
        housekeeping.start_session(files(tmp_path), name)


def test_a_session_of_ones_own_is_alive_until_it_is_left(tmp_path: Path) -> None:
    own = files(tmp_path, own=True)
    assert list((tmp_path / "root").iterdir()) == []
    put(own)
    states = housekeeping.list_sessions(files(tmp_path))
    assert [state.why for state in states] == ["held"]
    assert housekeeping.end_session(own, at_once=True) == (1, 6)
    own.close()
    assert not (tmp_path / "root/.acode/artifacts").exists()


def test_what_is_pinned_outlasts_its_session(tmp_path: Path) -> None:
    clock = Clockwork()
    store, own = files(tmp_path, "agent", clock=clock), files(tmp_path, clock=clock)
    pinned, loose = put(store, "pinned"), put(store, "loose")
    housekeeping.keep_artifact(store, pinned.id)
    housekeeping.keep_artifact(store, pinned.id)
    clock.pass_(DAY * 2)
    assert housekeeping.sweep_sessions(own) == (1, 5)
    assert own.read(pinned.id) == b"pinned"
    with pytest.raises(ArtifactNotFound):
        own.read(loose.id)
    assert store.clear() == (0, 0)
    assert housekeeping.details(own, pinned.id).kept
    housekeeping.remove_artifact(own, pinned.id)
    clock.pass_(DAY * 2)
    housekeeping.sweep_sessions(own)
    assert not session_directory(store).exists()


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    """X-44: only own files go; a directory goes when it is empty."""
    store = files(tmp_path)
    put(store)
    (session_directory(store) / "notes.txt").write_text("mine")
    (Path(store.place.path) / "README").write_text("mine, too")
    assert store.clear() == (1, 6)
    assert housekeeping.purge(store) == (0, 0)
    assert (session_directory(store) / "notes.txt").read_text() == "mine"
    assert (Path(store.place.path) / "README").exists()
    assert left_behind(store) == []


def test_after_a_restart_what_was_half_written_is_gone_before_it_is_listed(tmp_path: Path) -> None:
    clock = Clockwork()
    store = files(tmp_path, clock=clock, lazy=True)
    whole, emptied, zeroed, nameless = (put(store, text * 50) for text in ("whole", "empty", "zeros", "naked"))
    store.flush()
    directory = session_directory(store)
    os.truncate(directory / emptied.id, 0)
    (directory / zeroed.id).write_bytes(bytes(250))
    (directory / "m" / f"{nameless.id}.json").unlink()
    (directory / "m" / "art_1_orphan.json").write_text("{}")
    clock.restart()
    again = files(tmp_path, clock=clock)
    assert [listed.id for listed in again.list()] == [whole.id]
    assert again.page(20).total == 1
    assert left_behind(again) == []
    assert housekeeping.show_session(again).artifacts == 1


def test_after_a_restart_nothing_goes_that_was_not_written_just_before(tmp_path: Path) -> None:
    clock = Clockwork()
    store = files(tmp_path, clock=clock, lazy=True)
    old = put(store, "old")
    clock.pass_(1000)
    unreadable, young = put(store, "unreadable"), put(store, "young")
    store.flush()
    (session_directory(store) / old.id).write_text("OLD")
    clock.restart()
    again = files(tmp_path, clock=clock)
    real = os.open

    def out_of_descriptors(name: str, *arguments: int, **options: int) -> int:
        if str(name).startswith(unreadable.id):
            raise OSError(24, "Too many open files")
        return real(name, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", out_of_descriptors)
        again.page(10)
    assert {artifact.id for artifact in again.list()} == {old.id, unreadable.id, young.id}
    assert again.read(unreadable.id) == b"unreadable"
    with pytest.raises(ArtifactDamaged):
        again.read(old.id)


def test_a_session_from_before_a_restart_is_kept_for_its_time(tmp_path: Path) -> None:
    clock = Clockwork()
    artifact = put(files(tmp_path, "a", clock=clock))
    clock.restart(away=DAY / 2)
    own = files(tmp_path, clock=clock)
    assert own.read(artifact.id) == b"hello\n"
    clock.restart(away=DAY * 2, up=30)
    assert housekeeping.sweep_sessions(own) == (0, 0)
    clock.pass_(1000)
    assert housekeeping.sweep_sessions(own) == (1, 6)


def test_a_clean_up_does_not_wait_for_ever_for_a_stopped_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = files(tmp_path)
    put(store)
    directory = os.open(session_directory(store), os.O_RDONLY)
    monkeypatch.setattr("overspill.files.LOCK_SECONDS", 0.1)
    with Locked("lock", directory, shared=True):
        with pytest.raises(LockTimeout) as refused:
            housekeeping.end_session(store)
        assert refused.value.exit_code == 7
        assert len(store.list()) == 1
        assert housekeeping.clean_session(store, force=True) == (1, 6)
    os.close(directory)


def test_a_writer_whose_session_ends_under_it_still_keeps_its_artifact(tmp_path: Path) -> None:
    store = files(tmp_path)
    with store.open(Label()) as writer:
        writer.write(b"begun before")
        put(store)
        assert store.clear() == (1, 6)
        assert not session_directory(store).exists()
        artifact = writer.commit(measure("begun before"))
    assert store.read(artifact.id) == b"begun before"


def test_two_shells_a_subshell_and_a_pipe_share_the_roots_session(tmp_path: Path) -> None:
    """P-06, X-36: a session is a directory, not a process."""
    (tmp_path / "root" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "root" / ".git").mkdir()
    keep = tmp_path / "keep.py"
    keep.write_text(
        "import sys\n"
        "from overspill.core import measure\n"
        "from overspill.store import Label\n"
        "from overspill.workspace.opening import open_store\n"
        "store = open_store()\n"
        "if sys.argv[1] == 'put':\n"
        "    text = sys.stdin.read()\n"
        "    print(store.put(text, measure(text), Label('sh')).id)\n"
        "else:\n"
        "    print(len(store.list()))\n"
    )
    command = f"{sys.executable} {keep}"
    (tmp_path / "root" / "Makefile").write_text(f"all:\n\t@echo from make | {command} put\n")
    shell = f"""
set -e
echo one | {command} put
( cd deep/er && echo two | {command} put )
sh -c 'echo three | {command} put'
echo four | timeout 60 {command} put
make -s
echo six | {command} put | cat
{command} list
"""
    done = subprocess.run(
        ["sh", "-c", shell],
        cwd=tmp_path / "root",
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.stderr, done.stdout.split()[-1]) == ("", "6")
    store = files(tmp_path)
    contents = {store.read(name).decode().strip() for name in done.stdout.split()[:-1]}
    assert contents == {"one", "two", "three", "four", "from make", "six"}
    assert not (tmp_path / "root" / "deep" / ".acode").exists()


def test_a_killed_process_leaves_a_session_that_can_be_swept(tmp_path: Path) -> None:
    script = """
import os, signal, sys
from overspill.workspace.opening import open_store
from overspill.store import Label
from overspill.core import measure
store = open_store(sys.argv[1], own=True)
store.put("x", measure("x"), Label())
os.kill(os.getpid(), signal.SIGKILL)
"""
    (tmp_path / "root").mkdir()
    assert python(script, str(tmp_path / "root"), env=environment(tmp_path)).returncode == -9
    own = files(tmp_path)
    (state,) = housekeeping.list_sessions(own)
    assert state.why == "idle"
    assert housekeeping.sweep_sessions(own) == (1, 1)
