"""`spill session` and `spill purge`, and who sees whose artifacts, as processes."""

import time
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok, records


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_every_process_below_a_root_sees_the_same_artifacts(shell: Shell) -> None:
    """Two shells, a subshell, `timeout`, `make` and a pipe."""
    (shell.root / ".git").mkdir()
    (shell.root / "deep" / "down").mkdir(parents=True)
    (shell.root / "Makefile").write_text("kept:\n\t@echo made | spill artifacts put --tool make\n")
    other = Shell(shell.home)
    made = [
        ok(shell.line("echo shell | spill artifacts put")).out,
        ok(other.line("echo other | (spill artifacts put)")).out,
        ok(shell.line("cd deep/down && echo deep | timeout 30 spill artifacts put")).out,
        ok(shell.line("make -s kept")).out,
        ok(shell.line("echo piped | spill artifacts put | cat")).out,
    ]
    ids = [line.strip() for line in made]
    assert len(set(ids)) == 5
    seen = records(ok(other.line("cd deep && timeout 30 spill artifacts list --json | cat")).envelope["artifacts"])
    assert [record["id"] for record in seen] == ids[::-1]
    shown = ok(shell.line("for id in " + " ".join(ids) + "; do (spill artifacts show $id); done"))
    assert shown.out.split() == ["shell", "other", "deep", "made", "piped"]
    assert ok(Shell(shell.home, "elsewhere").spill("artifacts", "list")).out == "Total: 0 artifacts, 0 B\n"


def test_one_named_session_cannot_tell_anothers_artifact_from_none(shell: Shell) -> None:
    kept = shell.put("mine\n", "--session", "a")
    nobodys = "art_1699234567890_" + "a" * 26
    for verb in (["show"], ["info"], ["export", "-"], ["keep"], ["rm"]):
        answers = []
        for artifact_id in (kept, nobodys):
            said = shell.spill("artifacts", verb[0], artifact_id, *verb[1:], "--session", "b")
            answers.append((said.out, said.err.replace(artifact_id, "ID"), said.status))
        assert answers[0] == answers[1]
        assert answers[0][2] == 4
    assert ok(shell.spill("artifacts", "list", "--session", "b")).out == "Total: 0 artifacts, 0 B\n"
    assert ok(shell.spill("artifacts", "show", kept, "--session", "a")).out == "mine\n"
    assert ok(shell.spill("artifacts", "show", kept)).out == "mine\n"


def test_a_session_is_named_by_an_option_the_environment_or_the_agent(shell: Shell) -> None:
    kept = shell.put("mine\n", "--session", "thread 7")
    for variable in ("OVERSPILL_SESSION", "CODEX_THREAD_ID"):
        same, another = (Shell(shell.home, **{variable: name}) for name in ("thread 7", "thread 8"))
        assert ok(same.spill("artifacts", "show", kept)).out == "mine\n"
        assert another.spill("artifacts", "show", kept).status == 4


def test_a_started_session_takes_the_place_of_the_roots_own_until_it_ends(shell: Shell) -> None:
    before = shell.put("before\n")
    assert ok(shell.spill("session", "start", "work")).out.startswith("Started session work (ses_")
    during = shell.put("during\n")
    shown = ok(shell.spill("session", "show", "--json")).envelope
    assert mapping(shown["session"])["name"] == "work"
    assert mapping(shown["session"])["artifacts"] == 1
    assert ok(shell.spill("artifacts", "show", before)).out == "before\n"
    assert ok(shell.spill("session", "end")).out == "Ended session work: removed 1 artifact (7 B freed)\n"
    assert shell.spill("artifacts", "show", during).status == 4
    assert ok(shell.spill("artifacts", "show", before)).out == "before\n"


def test_a_session_without_a_name_gets_one(shell: Shell) -> None:
    started = mapping(ok(shell.spill("session", "start", "--json")).envelope["session"])
    assert str(started["name"]).startswith("session-")
    assert f"ID: {started['id']}\n" in ok(shell.spill("session", "show", str(started["id"]))).out


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[2J", "n" * 1025, "\udcff"])
def test_a_session_is_not_started_under_a_name_that_cannot_be_shown(name: str, shell: Shell) -> None:
    said = shell.spill("session", "start", name)
    assert (said.out, said.status) == ("", 2)
    assert not (shell.root / ".acode").exists()


def test_a_sweep_removes_sessions_that_are_over(shell: Shell) -> None:
    kept = shell.put("old\n", "--session", "over")
    assert ok(shell.spill("artifacts", "sweep")).out == "Removed 0 artifacts (0 B freed)\n"
    shell.environ["OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__TTL"] = "1"
    time.sleep(1.5)
    assert ok(shell.spill("artifacts", "sweep")).out == "Removed 1 artifact (4 B freed)\n"
    assert shell.spill("artifacts", "show", kept, "--session", "over").status == 4


def test_a_named_session_can_be_resumed_after_its_end(shell: Shell) -> None:
    kept = shell.put("mine\n", "--session", "a")
    assert ok(shell.spill("session", "end", "a")).out == "Ended session a: what it kept stays for 24 hours\n"
    assert "ended" in ok(shell.spill("session", "list")).out
    assert ok(shell.spill("artifacts", "show", kept, "--session", "a")).out == "mine\n"


def test_the_roots_own_session_ends_at_once(shell: Shell) -> None:
    shell.put("mine\n")
    assert ok(shell.spill("session", "end")).out == "Ended session (the root's own): removed 1 artifact (5 B freed)\n"
    assert not (shell.root / ".acode" / "artifacts").exists()


def test_sessions_are_listed_in_pages(shell: Shell) -> None:
    for name in ("a", "b\x1b[2J", "c"):
        shell.put("x\n", "--session", name)
    page = ok(shell.spill("session", "list", "--limit", "2", "--json")).envelope
    assert page["pagination"] == {"total": 3, "limit": 2, "offset": 0, "hasMore": True}
    rest = ok(shell.line(str(page["next"]))).envelope
    names = [record["name"] for record in records(page["sessions"]) + records(rest["sessions"])]
    assert names == ["c", "b\x1b[2J", "a"]
    text = ok(shell.spill("session", "list")).out
    assert "\x1b" not in text
    assert r"b\x1b[2J" in text
    assert text.endswith("Total: 3 sessions\n")
    assert ok(shell.spill("session", "list", "--session", "a")).out.endswith("Total: 1 session\n")


@pytest.mark.parametrize("words", [("show", "nobody"), ("end", "nobody"), ("show",)])
def test_a_session_that_is_not_there_is_not_found(words: tuple[str, ...], shell: Shell) -> None:
    said = shell.spill("session", *words, "--json")
    error = mapping(said.envelope["error"])
    assert (said.status, error["code"]) == (4, "E_SESSION_NOT_FOUND")


def test_a_purge_says_what_it_would_remove_and_removes_it_when_told(shell: Shell) -> None:
    other = Shell(shell.home, "other")
    kept = shell.put("mine\n", "--session", "a")
    ok(shell.spill("artifacts", "keep", kept))
    theirs = other.put("theirs\n")
    said = ok(shell.spill("purge"))
    assert said.out.startswith("Would remove 1 artifact (5 B) of every session below ")
    assert ok(shell.spill("artifacts", "show", kept)).out == "mine\n"
    assert ok(shell.line(said.out.rpartition(": ")[2])).out == "Removed 1 artifact (5 B freed)\n"
    assert not (shell.root / ".acode" / "artifacts").exists()
    assert ok(other.spill("artifacts", "show", theirs)).out == "theirs\n"
    assert ok(shell.spill("purge", "--everywhere", "--yes", "--json")).envelope["removed"] == {
        "artifacts": 1,
        "bytes": 7,
    }
    assert other.spill("artifacts", "show", theirs).status == 4


def test_an_ended_session_stays_in_list_and_show_with_times_scope_and_notes(shell: Shell) -> None:
    """DOL-11, DOL-22, row 5: it vanished, and its notes with it."""
    ok(shell.spill("session", "start", "auth", "--scope", "epic:T1", "--note", "begun"))
    kept = shell.put("x\n")
    ended = mapping(ok(shell.spill("session", "end", "--json")).envelope["session"])
    assert (ended["name"], ended["status"], ended["removed"]) == ("auth", "ended", {"artifacts": 1, "bytes": 2})
    assert shell.spill("artifacts", "show", kept).status == 4
    (listed,) = [
        one for one in records(ok(shell.spill("session", "list", "--json")).envelope["sessions"]) if one["name"]
    ]
    assert (listed["name"], listed["status"], listed["scope"]) == ("auth", "ended", "epic:T1")
    assert listed["startedAt"] <= listed["endedAt"]  # type: ignore[operator]
    for words in (("session", "show", "auth"), ("show", "auth")):
        text = ok(shell.spill(*words)).out
        assert "State: ended, kept for a while\n" in text
        assert "\nEnded: " in text
        assert "Scope: epic:T1\nNote: begun\n" in text
    ok(shell.spill("session", "start", "auth"))
    assert "State: alive\n" in ok(shell.spill("session", "show")).out


def test_an_ended_session_is_swept_when_its_time_is_over(shell: Shell) -> None:
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text("sessions: {keep_ended: 1}\n")
    ok(shell.spill("session", "start", "auth"))
    ok(shell.spill("session", "end"))
    assert "auth" in ok(shell.spill("session", "list")).out
    time.sleep(1.5)
    ok(shell.spill("artifacts", "sweep"))
    assert "auth" not in ok(shell.spill("session", "list")).out


def test_where_no_session_has_begun_no_id_is_named_that_nobody_has_seen(shell: Shell) -> None:
    """Row 17."""
    said = shell.spill("session", "show")
    assert (said.status, "ses_" in said.err) == (4, False)


def test_a_purge_says_what_stays_and_with_all_nothing_does(shell: Shell) -> None:
    """Row 17: `everything that was ever kept` left tasks, journal and hand-offs."""
    shell.put("mine\n")
    ok(shell.spill("add", "A"))
    ok(shell.spill("add", "B"))
    ok(shell.spill("handoff", "write", "--phase", "1", "--goal", "g", "--run-id", "r1"))
    (shell.root / ".agents" / "rpi" / "notes.txt").write_text("mine")
    told = ok(shell.spill("purge")).out
    assert "Would stay, without --all: 2 tasks, " in told
    removed = ok(shell.spill("purge", "--yes"))
    assert "this stays, without --all: 2 tasks, " in removed.err
    assert ok(shell.spill("list")).out.endswith("Total: 2 tasks\n")
    would = mapping(ok(shell.spill("purge", "--all", "--json")).envelope["would_remove"])
    assert would["tasks"] == 2
    assert shell.spill("purge", "--all", "--everywhere").status == 2
    gone = mapping(ok(shell.spill("purge", "--all", "--yes", "--json")).envelope["removed"])
    assert (gone["tasks"], gone["artifacts"]) == (2, 0)
    left = sorted(str(path.relative_to(shell.root)) for path in shell.root.rglob("*") if path.is_file())
    assert left == [".acode/.gitignore", ".agents/rpi/notes.txt"]
    assert ok(shell.spill("list")).out == "Total: 0 tasks\n"


def test_a_secret_in_the_name_of_a_session_is_not_repeated(shell: Shell) -> None:
    """Promise 5: its end is told as its beginning is."""
    name = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for words in (["start", name], ["end", name], ["end", name, "--json"]):
        said = ok(shell.spill("session", *words))
        assert name not in said.out + said.err
        assert "[REDACTED: API_KEY]" in said.out
