"""Settings that were read by nobody, and mistakes that were found only later."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok, records
from overspill import MemoryStore, Overspill
from overspill.cli.doctor_checks import result_explanation
from overspill.core import Size
from overspill.core.report import Artifact
from overspill.errors import RuleError
from overspill.handoff.formats import as_handoff
from overspill.store import Label

LINES = "".join(f"line {number}\n" for number in range(3_000))


def settings(shell: Shell, text: str) -> None:
    (shell.root / ".agent").mkdir(exist_ok=True)
    (shell.root / ".agent" / "config.yml").write_text(text)


def users_settings(shell: Shell, text: str) -> None:
    place = shell.home / ".config" / "overspill"
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.yml").write_text(text)


def test_minimal_metadata_tells_nothing_of_where_a_text_comes_from(shell: Shell) -> None:
    """THR-4, X-46"""
    settings(shell, "tools: {truncation: {metadata: {detail: minimal}}}")
    (shell.root / "plans.txt").write_text(LINES)
    shown = ok(shell.spill("fit", "plans.txt", "--preset", "spec", "--limit", "3000")).out
    kept = shell.spill("artifacts", "put", "plans.txt").out.strip()
    info = ok(shell.spill("artifacts", "info", kept)).out
    as_json = ok(shell.spill("artifacts", "info", kept, "--json")).out
    journal = "".join(path.read_text() for path in (shell.root / ".acode" / "logs").iterdir())
    for text in (shown, info, as_json, journal, ok(shell.spill("artifacts", "list", "--json")).out):
        assert "plans.txt" not in text
    assert ".acode" not in info + as_json
    settings(shell, "")
    assert "plans.txt" in shell.spill("artifacts", "info", shell.spill("artifacts", "put", "plans.txt").out.strip()).out


def test_ended_sessions_stay_as_long_as_is_said(shell: Shell) -> None:
    """CFG sessions.keep_ended: not as long as any that is not used."""
    settings(shell, "sessions: {keep_ended: 1}")
    for name in ("a", "b"):
        ok(shell.spill("artifacts", "put", "--session", name, stdin=name))
    ok(shell.spill("session", "end", "a"))
    time.sleep(1.2)
    assert "Removed 1 artifact " in ok(shell.spill("artifacts", "sweep")).out
    names = [record["name"] for record in records(ok(shell.spill("session", "list", "--json")).envelope["sessions"])]
    assert names == ["b"]


@pytest.mark.parametrize("clean_up", [True, False])
def test_the_end_of_a_session_removes_what_it_kept_unless_told_not_to(shell: Shell, *, clean_up: bool) -> None:
    """FAQ-5, CFG-09"""
    settings(shell, f"tools: {{truncation: {{artifacts: {{cleanup_on_exit: {str(clean_up).lower()}}}}}}}")
    ok(shell.spill("session", "start", "w"))
    kept = shell.put("x")
    ended = ok(shell.spill("session", "end", "w"))
    assert ("stays for 24 hours" in ended.out) is not clean_up
    assert shell.spill("artifacts", "show", kept).status == (4 if clean_up else 0)
    own = shell.put("y")
    ok(shell.spill("session", "end"))
    assert shell.spill("artifacts", "show", own).status == (4 if clean_up else 0)


def test_as_much_of_the_disk_stays_free_as_the_user_says(shell: Shell) -> None:
    """CFG disk_floor, THR-3a: and the reason is said whole."""
    users_settings(shell, "tools: {truncation: {artifacts: {disk_floor: 900TB}}}")
    assert shell.spill("artifacts", "put", stdin=LINES).status == 3
    said = ok(shell.spill("fit", stdin=LINES)).out.splitlines()[0]
    assert said.startswith("Output could not be kept: no space left for ")
    assert said.endswith("(disk_floor)")
    assert "0 MB" not in said


def test_why_nothing_was_kept_is_said_once(shell: Shell) -> None:
    """Less of ourselves: the line on top need not repeat the one before it."""
    users_settings(shell, "tools: {truncation: {artifacts: {disk_floor: 900TB}}}")
    first, second, *_ = ok(shell.spill("fit", "--limit", "300", stdin=LINES)).out.splitlines()
    assert first.endswith("(disk_floor)")
    assert second.startswith("[")
    assert second.endswith("; not kept]")


def test_a_session_whose_process_was_killed_is_over(shell: Shell) -> None:
    """P-06, FR-053: seen by `sweep` and by `doctor`, and not kept alive by another process of its number."""
    script = (
        "import os, sys\nfrom overspill import Overspill\n"
        "with Overspill(root=sys.argv[1]) as spill:\n"
        "    print(spill.fit('line\\n' * 9_000).artifact_id, flush=True)\n    os.kill(os.getpid(), 9)\n"
    )
    dead = subprocess.run(
        [sys.executable, "-c", script, str(shell.root)], capture_output=True, text=True, env=shell.environ, check=False
    )
    assert dead.returncode == -9
    assert "1 session" in shell.spill("doctor").out
    assert "Removed 1 artifact " in ok(shell.spill("artifacts", "sweep")).out
    assert shell.spill("artifacts", "show", dead.stdout.strip()).status == 4


def test_a_session_whose_process_lives_is_not(shell: Shell) -> None:
    """P-06: also while nothing is done in it."""
    script = (
        "import sys\nfrom overspill import Overspill\n"
        "with Overspill(root=sys.argv[1]) as spill:\n"
        "    print(spill.fit('line\\n' * 9_000).artifact_id, flush=True)\n    sys.stdin.read()\n"
    )
    words = [sys.executable, "-c", script, str(shell.root)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=shell.environ) as alive:
        assert alive.stdout is not None
        assert alive.stdout.readline().startswith("art_")
        assert "Removed 0 artifacts" in ok(shell.spill("artifacts", "sweep")).out


@pytest.mark.parametrize(
    "mistake",
    [
        "redaction: {rules: [{name: a, type: B, pattern: '('}]}",
        "context: {manifests: {2: {handoff_fields: [goals]}}}",
        "context: {manifests: {2: {drop: newest}}}",
        "context: {fields: ['not a name']}",
        "tools: {truncation: {default_strategy: bogus}}",
        "tools: {truncation: {overrides: {bash: {strategy: bogus}}}}",
    ],
)
def test_a_check_finds_what_would_fail_later(shell: Shell, mistake: str) -> None:
    """CAC-18, settings.md: it lists every mistake."""
    settings(shell, mistake)
    assert shell.spill("config", "check").status == 8


def test_a_path_is_told_from_the_root_on(shell: Shell) -> None:
    """P-07, X-46: in the view, in the artifact and in the journal, wherever it was named from."""
    (shell.root / "sub").mkdir()
    (shell.root / "sub" / "big.txt").write_text(LINES)
    names = [str(shell.root / "sub" / "big.txt"), "sub/big.txt", "./sub/../sub/big.txt"]
    for name in names:
        shown = ok(shell.spill("fit", name, "--preset", "spec", "--tool", "read_file", "--limit", "6000")).out
        kept = shell.spill("artifacts", "put", name).out.strip()
        assert (
            mapping(ok(shell.spill("artifacts", "info", kept, "--json")).envelope["artifact"])["source"]
            == "sub/big.txt"
        )
        assert str(shell.root) not in shown
    there = subprocess.run(
        ["spill", "artifacts", "put", "big.txt"],
        cwd=shell.root / "sub",
        env=shell.environ,
        capture_output=True,
        check=True,
    )
    info = ok(shell.spill("artifacts", "info", there.stdout.decode().strip())).out
    assert "Source: sub/big.txt" in info
    journal = "".join(path.read_text() for path in (shell.root / ".acode" / "logs").iterdir())
    assert str(shell.root) not in journal


def test_tokens_are_counted_of_the_file(shell: Shell, tmp_path: Path) -> None:
    """UM: not of what stands for it where it cannot be shown."""
    (shell.root / "r.bin").write_bytes(b"\x7fELF" + os.urandom(5_000))
    sizes = mapping(ok(shell.spill("tokens", "r.bin", "--json")).envelope["tokens"])
    assert (sizes["chars"], sizes["bytes"], sizes["chars4"]) == (5_004, 5_004, 1_251)
    (shell.root / "latin.txt").write_bytes("naïve".encode("latin-1"))
    assert mapping(ok(shell.spill("tokens", "latin.txt", "--json")).envelope["tokens"])["bytes"] == 5


def test_doctor_and_stats_count_alike(shell: Shell) -> None:
    """X-59: what failed was not cut, and when nothing is kept that is not well."""
    settings(shell, "tools: {truncation: {max_artifact_size: 5KB}}")
    ok(shell.spill("fit", stdin=LINES))
    found = {
        str(one["name"]): one for one in records(mapping(shell.spill("doctor", "--json").envelope["doctor"])["checks"])
    }
    kept = next(one for one in found.values() if "not_kept" in one)
    stats = mapping(ok(shell.spill("stats", "--json")).envelope["stats"])
    assert kept["cut"] == mapping(stats["total"])["cut"] == 1
    assert kept["ok"] is False
    assert "--why-not" in str(kept["fix"])


def test_a_query_that_is_suggested_names_the_largest_array(shell: Shell) -> None:
    """P-30, REF-01: it can be run, and brings a part."""
    users = [{"id": number, "name": f"user {number}"} for number in range(3_000)]
    said = ok(
        shell.spill("fit", "--preset", "spec", stdin=json.dumps({"page": 1, "data": {"users": users, "tags": [1]}}))
    )
    call = next(line.partition(": ")[2] for line in said.err.splitlines() if "JSONPath query" in line)
    assert "$.data.users[0:10]" in call
    assert len(json.loads(ok(shell.line(call)).out)) == 10


def test_a_version_of_zero_is_none() -> None:
    """CAC-18: Go writes 0 where nothing was said; 2 is another one."""
    assert as_handoff({"schema_version": 0, "phase": 1}).schema_version == 1
    with pytest.raises(RuleError):
        as_handoff({"schema_version": 2, "phase": 1})


def test_the_cause_of_a_failure_of_ours_is_told(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRB-2: its message, without secrets."""

    class Careless(MemoryStore):
        def put(self, text: str, size: Size, label: Label) -> Artifact:
            raise RuntimeError("shelf 7 is broken, password=hunter2hunter2")

    heard: list[dict[str, object]] = []
    spill = Overspill({}, Careless(), journal=lambda event, facts: heard.append({"event": event, "ts": "now", **facts}))
    spill.fit(LINES)
    failed = next(event for event in heard if event["event"] == "fail")
    reason = str(result_explanation(failed)["reason"])
    assert "RuntimeError: shelf 7 is broken" in reason
    assert "hunter2" not in reason
