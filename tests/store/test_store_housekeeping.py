"""What people do with artifacts: pages, details, export, removal; and roots that may not be written."""

import os
from pathlib import Path

import pytest

from doors_kit import Shell, ok
from overspill.errors import ArtifactDamaged, ArtifactNotFound, InputError
from overspill.files import choose_place, state_directory
from overspill.store import housekeeping
from overspill.workspace.opening import open_store
from store_kit import bound_by_permissions, environment, files, put, python


def test_details_name_the_path_relative_to_the_root(tmp_path: Path) -> None:
    """P-07, CLI-02."""
    store = files(tmp_path)
    artifact = put(store, tool="bash")
    shown = housekeeping.details(store, artifact.id)
    assert shown.artifact == artifact
    assert shown.path == f".acode/artifacts/{store.session.id}/{artifact.id}"
    assert (tmp_path / "root" / shown.path).read_text() == "hello\n"
    assert (shown.kept, shown.compressed, shown.stored, shown.session) == (False, False, 6, store.session.id)


def test_an_export_is_the_stored_text_in_a_file_of_its_own(tmp_path: Path) -> None:
    """CLI-04, FAQ-6."""
    store = files(tmp_path)
    text = "a line\n" * 400_000
    artifact = put(store, text)
    assert housekeeping.export_artifact(store, artifact.id, str(tmp_path / "out.txt")) == len(text)
    assert (tmp_path / "out.txt").read_text() == text
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["out.txt"]


def test_an_export_overwrites_only_what_it_is_told_to(tmp_path: Path) -> None:
    store = files(tmp_path)
    artifact = put(store)
    target = tmp_path / "out.txt"
    target.write_text("precious")
    with pytest.raises(InputError, match="--force") as refused:
        housekeeping.export_artifact(store, artifact.id, str(target))
    assert refused.value.exit_code == 3
    assert target.read_text() == "precious"
    housekeeping.export_artifact(store, artifact.id, str(target), force=True)
    assert target.read_text() == "hello\n"


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "directory", "missing folder"])
def test_an_export_follows_no_link(tmp_path: Path, kind: str, force: bool) -> None:
    store = files(tmp_path)
    artifact = put(store)
    target, victim = tmp_path / "out", tmp_path / "victim"
    victim.write_text("precious")
    if kind == "link":
        target.symlink_to(victim)
    elif kind == "dangling":
        target.symlink_to(tmp_path / "none")
    elif kind == "pipe":
        os.mkfifo(target)
    elif kind == "directory":
        target.mkdir()
    else:
        target = tmp_path / "none" / "out"
    with pytest.raises(InputError):
        housekeeping.export_artifact(store, artifact.id, str(target), force=force)
    assert victim.read_text() == "precious"
    assert not (tmp_path / "none").exists()


def test_a_damaged_artifact_is_not_exported_in_part(tmp_path: Path) -> None:
    store = files(tmp_path)
    artifact = put(store, "x" * 3_000_000)
    path = tmp_path / "root" / housekeeping.details(store, artifact.id).path
    with path.open("r+b") as file:
        file.seek(2_500_000)
        file.write(b"y")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ArtifactDamaged):
        housekeeping.export_artifact(store, artifact.id, str(tmp_path / "out"))
    with pytest.raises(ArtifactDamaged):
        next(store.stream(artifact.id))
    assert sorted(tmp_path.iterdir()) == before


def test_clean_is_of_this_session_and_with_force_of_all(tmp_path: Path) -> None:
    """CLI-05, X-68."""
    own, named = files(tmp_path), files(tmp_path, "agent")
    put(own, "abc")
    kept = put(named, "defg")
    housekeeping.keep_artifact(named, kept.id)
    named.hold()
    assert housekeeping.clean_session(own) == (1, 3)
    assert named.read(kept.id) == b"defg"
    assert housekeeping.clean_session(own, force=True) == (1, 4)
    named.close()
    assert not (tmp_path / "root/.acode/artifacts").exists()


def test_a_purge_leaves_nothing(tmp_path: Path) -> None:
    env = environment(tmp_path)
    for name in ("root", "other"):
        (tmp_path / name).mkdir()
        for session in (None, "a", "b"):
            store = open_store(str(tmp_path / name), session, environ=env)
            housekeeping.keep_artifact(store, put(store).id)
    housekeeping.start_session(files(tmp_path), "current")
    assert housekeeping.purge(files(tmp_path)) == (3, 18)
    assert not (tmp_path / "root/.acode/artifacts").exists()
    assert housekeeping.purge(files(tmp_path), everywhere=True) == (3, 18)
    assert not (tmp_path / "other/.acode/artifacts").exists()


def test_rm_says_what_it_removed(tmp_path: Path) -> None:
    store = files(tmp_path)
    artifact = put(store)
    housekeeping.keep_artifact(store, artifact.id)
    assert housekeeping.remove_artifact(store, artifact.id) == artifact
    with pytest.raises(ArtifactNotFound):
        housekeeping.remove_artifact(store, artifact.id)


@pytest.mark.parametrize("odd", ["a file .agent", "a link .git that leads nowhere"])
def test_artifacts_and_journal_lie_below_one_root(odd: str, tmp_path: Path) -> None:
    """What marks a root for the settings and the journal marks it for the store, and nothing else does."""
    shell = Shell(tmp_path, OVERSPILL_SESSION="a")
    (shell.root / ".git").mkdir()
    below = shell.root / "sub"
    below.mkdir()
    if odd == "a file .agent":
        (below / ".agent").write_text("no settings are in it")
    else:
        (below / ".git").symlink_to("nowhere")
    ok(shell.line("cd sub && spill fit", "a line\n" * 9_000))
    assert sorted(path.name for path in (shell.root / ".acode").iterdir()) == [".gitignore", "artifacts", "logs"]
    assert not (below / ".acode").exists()
    assert "Nothing is logged yet" not in ok(shell.line("cd sub && spill stats")).out


def test_an_empty_name_names_no_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / ".git").mkdir()
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert open_store("", environ={}).place.root == str(tmp_path / "a")


def test_a_root_of_the_environment_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a directory"):
        open_store(environ={"OVERSPILL_ROOT": str(tmp_path / "none")})


def test_the_state_directory_is_where_xdg_says() -> None:
    assert state_directory({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == "/s/overspill"
    assert state_directory({"XDG_STATE_HOME": "relative", "HOME": "/h"}) == "/h/.local/state/overspill"
    assert state_directory({}) is None


UNWRITABLE = """
import os, sys
from overspill.errors import OverspillError
from overspill.core import measure
from overspill.store import Label, housekeeping
from overspill.workspace.opening import open_store
os.chdir(sys.argv[1])
store = open_store(sys.argv[1] if sys.argv[2] == "explicit" else None)
print(store.notice)
try:
    artifact = store.put("kept", measure("kept"), Label())
except OverspillError as error:
    print(type(error).__name__, error.exit_code, error)
else:
    again = open_store()
    below = sorted(os.listdir(".acode")) if os.path.exists(".acode") else "-"
    print(again.read(artifact.id).decode(), len(again.list()), below)
    print([again.read(old).decode() for old in sys.argv[3:]])
"""


def test_a_derived_root_that_may_not_be_written_falls_back_and_says_so(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    root.chmod(0o555)
    env = environment(tmp_path)
    done = python(UNWRITABLE, str(root), "derived", env=env, preexec_fn=bound_by_permissions)
    assert done.stderr == ""
    notice, kept, _ = done.stdout.splitlines()
    assert "may not be written" in notice
    assert str(tmp_path / "state") in notice
    assert kept == "kept 1 -"


def test_a_file_in_the_way_of_the_state_of_a_project_is_named(tmp_path: Path) -> None:
    """Not the root, which may well be written: who reads it knows what to move away."""
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / ".acode").write_text("notes")
    place, _, said = choose_place(str(root), ".acode/artifacts", str(tmp_path / "state"), explicit=False)
    assert said.startswith(f"{root}/.acode is not a directory; artifacts are kept below {tmp_path}/state")
    assert place.root == str(tmp_path / "state")


def test_a_root_that_became_read_only_is_still_read(tmp_path: Path) -> None:
    old = put(files(tmp_path), "old")
    root = tmp_path / "root"
    for path in [*root.rglob("*"), root]:
        if path.is_dir():
            path.chmod(0o500)
    done = python(UNWRITABLE, str(root), "derived", old.id, env=environment(tmp_path), preexec_fn=bound_by_permissions)
    assert done.stderr == ""
    assert done.stdout.splitlines()[1:] == ["kept 2 ['.gitignore', 'artifacts']", "['old']"]


def test_a_sandbox_in_which_only_the_project_may_be_written_keeps_what_is_put(tmp_path: Path) -> None:
    old = put(files(tmp_path), "old")
    state = tmp_path / "state" / "overspill"
    (state / "usage").chmod(0o400)
    state.chmod(0o500)
    root = tmp_path / "root"
    done = python(UNWRITABLE, str(root), "derived", old.id, env=environment(tmp_path), preexec_fn=bound_by_permissions)
    state.chmod(0o700)
    assert done.stderr == ""
    assert done.stdout.splitlines()[1:] == ["kept 2 ['.gitignore', 'artifacts']", "['old']"]


def test_an_explicit_root_that_may_not_be_written_is_a_refusal(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir(mode=0o555)
    root.chmod(0o555)
    done = python(UNWRITABLE, str(root), "explicit", env=environment(tmp_path), preexec_fn=bound_by_permissions)
    assert done.stderr == ""
    assert done.stdout.splitlines()[1].startswith("StoreError 3 ")
    assert "--root" in done.stdout
