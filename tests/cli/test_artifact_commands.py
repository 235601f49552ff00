"""The specification's rows on the artifact commands, across processes."""

import contextlib
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok, records
from overspill.core import measure
from overspill.store import Label
from overspill.store.quota import Limits
from overspill.workspace.opening import open_store
from spill_process import SPILL


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def three(shell: Shell) -> list[str]:
    """The manual's three artifacts: 2.3 MB, 890 KB and 15.2 MB."""
    store = open_store(str(shell.root), environ=shell.environ, limits=Limits(max_artifact_size=None))
    made = []
    for size, content_type, tool, source in (
        (2_415_919, "application/json", "http_request", "GET /api/v1/users?limit=50000"),
        (911_360, "text/plain", "execute_command", ""),
        (15_938_355, "application/json", "read_file", ""),
    ):
        text = "x" * size
        made.append(store.put(text, measure(text), Label(tool, content_type, source)).id)
    return made


def short(artifact_id: str) -> str:
    return "art_" + artifact_id.rpartition("_")[2][:6]


def test_a_terminal_shows_the_artifacts_in_a_box(shell: Shell, three: list[str]) -> None:
    """CLI-01, X-67: ID, Size, Type and Source, and a footer that counts."""
    ours, theirs = pty.openpty()
    subprocess.run([SPILL, "artifacts", "list"], cwd=shell.root, env=shell.environ, stdout=theirs, check=True)
    os.close(theirs)
    lines = os.read(ours, 10_000).decode().splitlines()
    os.close(ours)
    assert lines[1].strip("│ ") == "Session Artifacts"
    assert re.split(r"\s*│\s*", lines[3])[1:-1] == ["ID", "Size", "Type", "Source"]
    assert [re.split(r"\s*│\s*", line)[1:-1] for line in lines[5:8]] == [
        [short(three[2]), "15.2 MB", "application/json", "read_file"],
        [short(three[1]), "890.0 KB", "text/plain", "execute_command"],
        [short(three[0]), "2.3 MB", "application/json", "http_request"],
    ]
    assert len({len(line) for line in lines[:9]}) == 1
    assert lines[9] == "Total: 3 artifacts, 18.4 MB"


def test_a_pipe_gets_plain_columns_and_a_program_an_envelope(shell: Shell, three: list[str]) -> None:
    """X-67, CLI-01."""
    text = ok(shell.spill("artifacts", "list")).out
    assert text.isascii()
    assert [line.split()[0] for line in text.splitlines()] == ["ID", *map(short, three[::-1]), "Total:"]
    assert text.endswith("\nTotal: 3 artifacts, 18.4 MB\n")
    envelope = ok(shell.spill("artifacts", "list", "--json")).envelope
    assert list(envelope) == ["$schema", "_meta", "success", "pagination", "artifacts"]
    assert envelope["pagination"] == {"total": 3, "limit": 20, "offset": 0, "hasMore": False}
    assert [record["id"] for record in records(envelope["artifacts"])] == three[::-1]


def test_info_says_what_the_manual_says(shell: Shell, three: list[str]) -> None:
    """CLI-02."""
    lines = ok(shell.spill("artifacts", "info", three[0])).out.splitlines()
    assert lines[:4] == [
        f"Artifact: {three[0]}",
        "Type: application/json",
        "Size: 2,415,919 bytes (2.3 MB)",
        "Estimated tokens: ~603,980",
    ]
    assert re.fullmatch(r"Created: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", lines[4])
    assert lines[5] == "Source: http_request GET /api/v1/users?limit=50000"
    path = shell.root / lines[6].removeprefix("Path: ")
    assert lines[6].startswith("Path: .acode/artifacts/")
    assert path.stat().st_size == 2_415_919


def test_export_writes_the_stored_text_and_never_over_a_file(shell: Shell) -> None:
    """CLI-04."""
    kept = shell.put("one\ntwo")
    said = ok(shell.spill("artifacts", "export", kept, "output.json"))
    assert (said.out, (shell.root / "output.json").read_text()) == ("", "one\ntwo")
    (shell.root / "output.json").write_text("precious")
    assert shell.spill("artifacts", "export", kept, "output.json").status == 3
    assert (shell.root / "output.json").read_text() == "precious"
    assert ok(shell.spill("artifacts", "export", kept, "-")).out == "one\ntwo"


def test_clean_says_what_it_removed(shell: Shell, three: list[str]) -> None:
    """CLI-05."""
    assert ok(shell.spill("artifacts", "clean")).out == "Removed 3 artifacts (18.4 MB freed)\n"
    assert {shell.spill("artifacts", "info", one).status for one in three} == {4}


def test_clean_is_for_the_session_and_force_for_all(shell: Shell) -> None:
    """X-68, CLI-05: other sessions, pinned artifacts and sessions in use go by force only."""
    mine, others = shell.put("mine\n"), shell.put("others\n", "--session", "other")
    ok(shell.spill("artifacts", "keep", others))
    assert ok(shell.spill("artifacts", "clean")).out == "Removed 1 artifact (5 B freed)\n"
    assert shell.spill("artifacts", "show", mine).status == 4
    assert ok(shell.spill("artifacts", "show", others)).out == "others\n"
    assert ok(shell.spill("artifacts", "clean", "--force")).out == "Removed 1 artifact (7 B freed)\n"
    assert shell.spill("artifacts", "show", others, "--session", "other").status == 4


def test_an_artifact_outlives_its_process_and_not_its_session(shell: Shell) -> None:
    """FR-051, FR-053, AC-051, AC-053, X-36: a session ends when it is ended, not when a process does."""
    view = ok(shell.spill("fit", "--limit", "500", "--session", "one", stdin="a line\n" * 1_000)).out
    kept = str(re.search(r"art_\w+", view)[0])  # type: ignore[index]  # without one the test fails here
    assert ok(shell.spill("artifacts", "show", kept, "--session", "one")).out == "a line\n" * 1_000
    assert shell.spill("artifacts", "show", kept, "--session", "two").status == 4
    assert shell.spill("session", "end", "one", "--session", "two").status == 2
    ok(shell.spill("artifacts", "clean", "--session", "one"))
    assert shell.spill("artifacts", "show", kept, "--session", "one").status == 4
    assert not (shell.root / ".acode" / "artifacts").exists()


@pytest.mark.parametrize(
    ("artifact_id", "status", "code"),
    [("art_1699234567890_a1b2c3", 4, "E_ARTIFACT_NOT_FOUND"), ("art_../../x", 2, "E_INPUT_INVALID")],
)
def test_an_unknown_id_is_not_found_and_a_malformed_one_is_refused(
    artifact_id: str, status: int, code: str, shell: Shell
) -> None:
    """X-39."""
    said = shell.spill("artifacts", "show", artifact_id, "--json")
    error = mapping(said.envelope["error"])
    assert (said.status, error["exitCode"], error["code"]) == (status, status, code)
    plain = shell.spill("artifacts", "show", artifact_id)
    assert (plain.out, plain.status) == ("", status)


def terminal_said(shell: Shell, pager: str, *words: str) -> str:
    """What a person sees who types a line, all of it."""
    ours, theirs = pty.openpty()
    environ = {**shell.environ, "PAGER": pager}
    subprocess.run([SPILL, *words], cwd=shell.root, env=environ, stdout=theirs, stderr=theirs, check=True, timeout=60)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65_536):
            shown += part
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def test_at_a_terminal_a_text_is_shown_in_the_pager(shell: Shell) -> None:
    """All of it, however long; where the person leaves early, nobody complains."""
    text = "".join(f"{number}\n" for number in range(40_000))
    kept = shell.put(text)
    assert terminal_said(shell, "wc -l", "artifacts", "show", kept) == "40000\n"
    assert terminal_said(shell, "head -2", "artifacts", "show", kept) == "0\n1\n"
    assert terminal_said(shell, "wc -l", "artifacts", "show", kept, "--lines", "5-6") == "2\n"
    assert terminal_said(shell, "cat", "artifacts", "show", kept, "--lines", "5-6") == "4\n5\n"
    assert terminal_said(shell, "wc -l", "artifacts", "show", kept, "--limit", "2") != "1\n"


def test_a_long_list_tells_age_what_was_shown_and_how_it_begins(shell: Shell) -> None:
    """A view is told by its characters; what was only kept was shown to nobody."""
    text = "".join(f"row {number} of many\n" for number in range(2_000))
    view = ok(shell.spill("fit", "--limit", "500", stdin=text)).out
    shell.put("\x1b[2Jfirst words\nmore\n")
    head, put, fitted, _ = ok(shell.spill("artifacts", "list", "--long")).out.splitlines()
    assert head.split() == ["ID", "Size", "Type", "Source", "Age", "Shown", "Begins"]
    assert re.search(rf" \d+s +{len(view)} +row 0 of many$", fitted)
    assert re.search(r" \d+s +(?:\\x1b\[2J)?first words$", put)
