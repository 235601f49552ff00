"""Specification 002 in the world: hand-offs as files, summaries of old, the log of budgets."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok, records
from handoff_kit import handoffs_at, leave, shown_place, stored_text, variables_of
from overspill import MemoryStore, Overspill
from overspill.cli.arguments import CommandCall
from overspill.cli.handoff import stats
from overspill.compat import build_handoff_context
from overspill.errors import RuleError
from overspill.handoff import BudgetResult, Handoff, Manifest, context_stats
from overspill.handoff.files import read_handoff, write_handoff
from overspill.handoff.folder import LOG_FILE, budget_entries, log_budget

SECRET = "ghp_" + "a1B2c3D4e5" * 4  # made up
LOG = f".agents/rpi/{LOG_FILE}"


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the suite runs on a database, this process finds it, too."""
    for name, value in variables_of(tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def left(root: Path, phase: int, **fields: object) -> None:
    leave(root, f"phase-{phase}-handoff.json", {"schema_version": 1, "phase": phase, **fields})


def log_of(root: Path) -> list[dict[str, object]]:
    return list(handoffs_at(root).budget_entries())


@pytest.mark.handoff_file
def test_summaries_of_old_are_read_only_where_no_hand_off_is(shell: Shell) -> None:
    """CAC-19."""
    leave(shell.root, "phase-1-summary.md", "An old story.\n")
    leave(shell.root, "phase-1-summary-20200101.md", "An older one.\n")
    os.utime(shell.root / ".agents/rpi/phase-1-summary-20200101.md", (1, 1))
    text = ok(shell.spill("context", "--phase", "2")).out
    assert text.endswith("[Phase 1: discovery — legacy summary]\nNarrative: An old story.\n\n")
    left(shell.root, 1, goal="add auth")
    text = ok(shell.spill("context", "--phase", "2")).out
    assert "story" not in text
    assert "Goal: add auth" in text


def test_every_budget_leaves_one_line_with_seven_names(shell: Shell) -> None:
    """CAC-20, X-90: cut or not, where there is a limit."""
    left(shell.root, 1, run_id="abc123", narrative="word " * 90)
    ok(shell.spill("context", "--phase", "2"))
    ok(shell.spill("context", "--phase", "2", "--max-tokens", "20"))
    ok(shell.spill("context", "--phase", "2", "--max-tokens", "0"))
    fitting, cut = log_of(shell.root)
    names = ["run_id", "phase", "original_tokens", "budget_tokens", "truncated_tokens", "was_truncated", "ts"]
    assert list(fitting) == list(cut) == names
    assert (fitting["run_id"], fitting["phase"], fitting["budget_tokens"]) == ("abc123", 2, 2500)
    assert (fitting["was_truncated"], cut["was_truncated"]) == (False, True)
    assert fitting["truncated_tokens"] == fitting["original_tokens"]
    assert len(str(cut["ts"])) == len("2026-03-02T12:00:00Z")
    assert str(cut["ts"]).endswith("Z")


@pytest.mark.handoff_file
def test_the_log_is_its_owners_alone(shell: Shell) -> None:
    left(shell.root, 1, goal="add auth")
    ok(shell.spill("context", "--phase", "2"))
    assert (shell.root / LOG).stat().st_mode & 0o777 == 0o600


def test_the_log_says_whether_a_budget_is_too_tight_or_too_loose(tmp_path: Path) -> None:
    """CAC-21."""
    for tokens in (2600, 3100, 2900, 2400):
        handoffs_at(tmp_path).log_budget("r", 2, BudgetResult(tokens, 2500, min(tokens, 2490), tokens > 2500))
    for tokens in (100, 300, 200):
        handoffs_at(tmp_path).log_budget("r", 3, BudgetResult(tokens, 2500, tokens, False))
    for tokens in (1900, 2200, 2400):
        handoffs_at(tmp_path).log_budget("r", 4, BudgetResult(tokens, 2500, tokens, False))
    tight, loose, right = context_stats(handoffs_at(tmp_path).budget_entries())
    assert (tight.verdict, tight.truncation_rate, tight.suggested_max_tokens) == ("too tight", 0.75, 3500)
    assert (loose.verdict, loose.under_use_rate, loose.suggested_max_tokens) == ("too loose", 1.0, 400)
    assert (right.verdict, right.truncated, right.suggested_max_tokens) == ("fits", 0, 2500)


def test_the_log_is_told_in_a_table(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """CAC-21: truncation, under-use and a suggestion, a phase a line."""
    for tokens in (2600, 3100):
        handoffs_at(tmp_path).log_budget("r", 2, BudgetResult(tokens, 2500, min(tokens, 2490), tokens > 2500))
    assert stats(CommandCall(None, {"--root": str(tmp_path)}, ())) == 0
    said = capfd.readouterr().out.splitlines()
    head = "Phase  Times  Cut   Under half  Median  95 %   Largest  Budget  Suggested  Verdict"
    assert said == [head, "2      2      100%  0%          2,600   3,100  3,100    2,500   3,500      too tight"]
    assert stats(CommandCall(None, {"--root": str(tmp_path), "--json": True}, ())) == 0
    (phase,) = records(mapping(mapping(json.loads(capfd.readouterr().out))["stats"])["context"])
    assert (phase["phase"], phase["verdict"], phase["suggested_max_tokens"]) == (2, "too tight", 3500)


@pytest.mark.handoff_file
def test_a_line_of_the_log_that_is_broken_says_nothing(tmp_path: Path) -> None:
    """CAC-21."""
    log_budget(str(tmp_path), "r", 2, BudgetResult(10, 2500, 10, False))
    with (tmp_path / LOG).open("a") as log:
        log.write('{"phase": 2, "original_to\n[1]\n{"phase": "2"}\n')
    log_budget(str(tmp_path), "r", 2, BudgetResult(10, 2500, 10, False))
    assert [stats.applications for stats in context_stats(budget_entries(str(tmp_path)))] == [2]


APPENDING = """
import os, sys
from overspill.compat import build_handoff_context
from overspill.handoff.folder import log_budget
from overspill.handoff import BudgetResult
root, size = sys.argv[1], int(sys.argv[2])
def append(name):
    for number in range(40):
        log_budget(root, name, number, BudgetResult(1, 2, 1, False), max_size=size, keep=10_000)
children = []
for number in range(50):
    child = os.fork()
    if not child:
        append(f"run-{number}")
        os._exit(0)
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
"""


@pytest.mark.handoff_file
@pytest.mark.parametrize("max_size", [10 << 20, 5_000])
def test_fifty_processes_lose_no_line_of_the_log(tmp_path: Path, max_size: int) -> None:
    """CAC-20, X-90: one write a line, whole, in a log that is being rotated or not."""
    words = [sys.executable, "-c", APPENDING, str(tmp_path), str(max_size)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(done.stdout) == [0] * 50
    entries = list(budget_entries(str(tmp_path)))
    there = {(entry["run_id"], entry["phase"]) for entry in entries}
    assert len(entries) == len(there) == 50 * 40
    files = [path for path in (tmp_path / ".agents/rpi").iterdir() if path.suffix == ".jsonl"]
    assert (len(files) > 1) == (max_size == 5_000)


@pytest.mark.handoff_file
def test_old_files_of_the_log_are_removed(tmp_path: Path) -> None:
    """CAC-20."""
    for number in range(400):
        log_budget(str(tmp_path), "r", number, BudgetResult(1, 2, 1, False), max_size=1_000, keep=2)
    files = sorted((tmp_path / ".agents/rpi").iterdir())
    assert 2 <= len(files) <= 3
    assert all(path.stat().st_size < 1_300 for path in files)
    assert max(int(str(entry["phase"])) for entry in budget_entries(str(tmp_path))) == 399


@pytest.mark.handoff_file
def test_the_oldest_file_of_the_log_goes_first_though_the_clock_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CAC-20."""
    ago = iter(range(10))
    monkeypatch.setattr(time, "time_ns", lambda: (1_000 - next(ago)) * 1_000_000_000)
    for number in range(5):
        log_budget(str(tmp_path), "r", number, BudgetResult(1, 2, 1, False), max_size=1, keep=2)
    assert [entry["phase"] for entry in budget_entries(str(tmp_path))] == [3, 4]


@pytest.mark.handoff_file
def test_a_log_that_cannot_be_written_does_not_stop_the_work(shell: Shell) -> None:
    """CAC-20."""
    left(shell.root, 1, goal="add auth")
    (shell.root / LOG).mkdir()
    said = ok(shell.spill("context", "--phase", "2"))
    assert "Goal: add auth" in said.out
    assert "could not be logged" in said.err


WRONG = [
    ("goal", 5, "a text, got the number 5"),
    ("epic_id", ["a"], "a text, got a list of 1"),
    ("verdicts", ["PASS"], "a mapping of texts to texts, got a list of 1"),
    ("verdicts", {"ok": "PASS", "gate": 1}, "a mapping of texts to texts, got the number 1 under 'gate'"),
    ("artifacts_produced", "plan.md", "a list of texts, got the text 'plan.md'"),
    ("decisions_made", [1], "a list of texts, got a list with the number 1"),
    ("decisions_made", ["a", None, "b"], "a list of texts, got a list with null"),
    ("open_risks", {}, "a list of texts, got an object"),
    ("narrative", True, "a text, got true"),
    ("duration_seconds", "312", "a number from 0 on, got the text '312'"),
    ("duration_seconds", -1, "a number from 0 on, got the number -1"),
    ("schema_version", 2, "2 is not one this program reads"),
    ("phase", 7, "expected 1, as the file is named"),
    ("run_id", 1, "a text, got the number 1"),
]


@pytest.mark.parametrize(("field", "value", "complaint"), WRONG)
def test_a_field_of_the_wrong_type_is_named_with_its_file(
    shell: Shell, field: str, value: object, complaint: str
) -> None:
    """CAC-02: skipped, never in silence: status 6, the file, the field, and what was expected."""
    leave(shell.root, "phase-1-handoff.json", {"phase": 1, field: value})
    left(shell.root, 2, goal="go on")
    said = shell.spill("context", "--phase", "3")
    assert said.status == 6
    assert f"phase-1-handoff.json: {field}: " in said.err
    assert complaint in said.err
    assert "Goal: go on" in said.out
    assert "Phase 1 handoff was missing" in said.out


BROKEN = ['{"phase": 1', "", "[]", "null", '{"phase": NaN}', "[" * 100_000, '{"phase": 1, "goal": "\\ud800', "\ufeff{"]


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_file_is_named_and_skipped(shell: Shell, content: str) -> None:
    """CAC-18."""
    leave(shell.root, "phase-1-handoff.json", content)
    left(shell.root, 2, goal="go on")
    for words in (("context", "--phase", "3"), ("handoff", "list")):
        said = shell.spill(*words, "--json")
        assert said.status == 6
        assert "phase-1-handoff.json: " in said.err
        warning, *degraded = records(said.envelope["warnings"])
        assert warning["code"] == "E_VALIDATION"
        assert [one["code"] for one in degraded] == (["W_DEGRADED"] if words[0] == "context" else [])
        assert "phase-1-handoff.json: " in str(warning["message"])
    assert shell.spill("handoff", "show", "1").status == 6


@pytest.mark.handoff_file
def test_what_is_no_plain_file_is_refused(shell: Shell) -> None:
    """CAC-18."""
    target = shell.home / "secret.json"
    target.write_text('{"phase": 1, "goal": "of others"}')
    folder = shell.root / ".agents" / "rpi"
    folder.mkdir(parents=True)
    (folder / "phase-1-handoff.json").symlink_to(target)
    os.mkfifo(folder / "phase-2-handoff.json")
    (folder / "phase-3-handoff.json").mkdir()
    left(shell.root, 4, goal="go on")
    said = shell.spill("context", "--phase", "5")
    assert said.status == 6
    assert all(f"phase-{phase}-handoff.json" in said.err for phase in (1, 2, 3))
    assert "of others" not in said.out


@pytest.mark.handoff_file
def test_a_folder_that_is_a_link_is_refused(shell: Shell) -> None:
    """CAC-18."""
    (shell.root / ".agents").symlink_to(shell.home)
    assert shell.spill("handoff", "write", "--phase", "1", "--goal", "x").status == 3
    assert shell.spill("context", "--phase", "2").status == 3
    assert not (shell.home / "rpi").exists()


def test_another_run_is_ignored_unless_asked_for(shell: Shell) -> None:
    """CAC-18: the latest run, or the one that is named."""
    left(shell.root, 1, run_id="old", goal="old goal", completed_at="2026-03-01T12:00:00Z")
    left(shell.root, 2, run_id="new", goal="", narrative="New.", completed_at="2026-03-02T12:00:00+02:00")
    left(shell.root, 3, run_id="", narrative="Of no run.")
    latest = ok(shell.spill("context", "--phase", "4"))
    assert "old goal" not in latest.out
    assert "New." in latest.out
    assert "Of no run." in latest.out
    assert "Phase 1 handoff was missing" in latest.out
    assert "phase-1-handoff.json is of run 'old'" in latest.err
    assert "old goal" in ok(shell.spill("context", "--phase", "4", "--all-runs")).out
    named = ok(shell.spill("context", "--phase", "4", "--run-id", "old")).out
    assert "old goal" in named
    assert "New." not in named


def test_fields_of_others_are_kept(shell: Shell) -> None:
    """CAC-02."""
    said = {"phase": 1, "cost_usd": 0.25, "planning_rules": ["small"], "ad_hoc": {"a": [1, None, True]}}
    ok(shell.spill("handoff", "write", stdin=json.dumps(said)))
    shown = mapping(json.loads(ok(shell.spill("handoff", "show", "1")).out))
    assert {name: shown[name] for name in said} == said
    assert shown["schema_version"] == 1
    assert shown["status"] == "completed"
    assert mapping(shell.spill("handoff", "show", "1", "--json").envelope["handoff"]) == shown


@pytest.mark.handoff_file
def test_a_hand_off_is_written_at_once_or_not_at_all(tmp_path: Path) -> None:
    """CAC-02: readers see the one before or the one after, never half of one."""
    write_handoff(str(tmp_path), Handoff(phase=1, narrative="a" * 200_000))
    code = (
        "import sys; from overspill.handoff.files import write_handoff; from overspill.handoff import Handoff\n"
        "for letter in 'bcdefgh' * 4: write_handoff(sys.argv[1], Handoff(phase=1, narrative=letter * 200_000))"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    seen = set()
    while child.poll() is None:
        stored = read_handoff(str(tmp_path), 1)
        assert stored is not None
        assert len(set(stored.handoff.narrative)) == 1
        seen.add(stored.handoff.narrative[0])
    assert child.returncode == 0
    assert seen
    assert os.listdir(tmp_path / ".agents/rpi") == ["phase-1-handoff.json"]


def test_a_hand_off_that_breaks_a_rule_is_not_written(shell: Shell) -> None:
    """CAC-02."""
    for stdin, complaint in (
        ('{"phase": 1, "open_risks": 5}', "standard input: open_risks: expected a list of texts, got the number 5"),
        ('{"goal": "x"}', "standard input: phase: expected a whole number from 1 on"),
        ('{"phase": 0}', "standard input: phase: expected a whole number from 1 on"),
        ("[1]", "standard input: expected a JSON object, got a list"),
        ("no json", "standard input: not JSON"),
    ):
        said = shell.spill("handoff", "write", stdin=stdin)
        assert said.status == 6
        assert complaint in said.err
        assert mapping(shell.spill("handoff", "write", "--json", stdin=stdin).envelope["error"])["exitCode"] == 6
    assert stored_text(shell.root, "phase-1-handoff.json") is None


def test_no_secret_is_kept_shown_or_logged(shell: Shell) -> None:
    """X-100: in on the way to the file, and again on the way out, for files that others wrote."""
    fields = {"goal": f"use {SECRET}", "narrative": f"key {SECRET}", "verdicts": {"password": "hunter2-hunter2"}}
    said = {"phase": 1, "run_id": SECRET, **fields, "decisions_made": [SECRET], "notes": {"api_key": "k3y-of-mine-123"}}
    written = ok(shell.spill("handoff", "write", "--json", stdin=json.dumps(said)))
    file = stored_text(shell.root, "phase-1-handoff.json") or ""
    left(shell.root, 2, **{name: value for name, value in said.items() if name != "phase"})
    shown = [
        shell.spill("context", "--phase", "3", "--run-id", SECRET, "--explain", "--drop", drop)
        for drop in ("tail", "oldest_first")
    ]
    shown += [shell.spill("handoff", "list", "--json"), shell.spill("handoff", "show", "2")]
    log = json.dumps(log_of(shell.root))
    for text in (written.out, file, log, *(one.out + one.err for one in shown)):
        assert SECRET not in text
        assert "hunter2" not in text
        assert "k3y-of-mine" not in text
    assert "[REDACTED: " in shown[0].out


def test_no_text_hides_or_redraws_another(shell: Shell) -> None:
    """X-100: escapes, redraws and invisible characters are dealt with as in what tools say, field by field."""
    odd = {"goal": "go \x1b[31mred\x1b[0m", "narrative": "\x1b[9A\x1b[J\U000e0041 ghp_\x1b[0m" + SECRET[4:]}
    left(shell.root, 1, **odd, verdicts={"gate": "FAIL"})
    ok(shell.spill("handoff", "write", stdin=json.dumps({"phase": 2, **odd})))
    text = ok(shell.spill("context", "--phase", "3")).out
    assert "\nGoal: go red\n" in text
    assert "Verdict: gate FAIL" in text
    assert text.count("<U+E0041> [REDACTED: API_KEY]") == 2
    assert "\x1b" not in text + str(stored_text(shell.root, "phase-2-handoff.json"))


@pytest.mark.parametrize(
    "redraw", ["\b" * 9 + "done     ", "\x1b[12D\x1b[Kxyz", "\nnext\n\x1b[2Aready \n\n\n"], ids=ascii
)
def test_what_is_left_of_a_secret_that_was_written_over_is_hidden(redraw: str, shell: Shell) -> None:
    """X-100: as in what tools say. What a redraw leaves of a secret looks like none."""
    odd = f"{SECRET}{redraw} now"
    left(shell.root, 1, narrative=odd)
    ok(shell.spill("handoff", "write", stdin=json.dumps({"phase": 2, "narrative": odd})))
    text = ok(shell.spill("context", "--phase", "3")).out
    text += str(stored_text(shell.root, "phase-2-handoff.json"))
    assert SECRET[10:20] not in text
    assert text.count("[REDACTED: ") >= 3


def test_half_a_secret_is_not_left_by_a_cap(tmp_path: Path) -> None:
    """X-100: secrets go before anything is cut."""
    spill = Overspill({}, MemoryStore(), root=str(tmp_path))
    for before in range(460, 500):
        narrative = "x" * before + " " + SECRET + " and so on " * 20
        text = spill.assemble([Handoff(phase=1, narrative=narrative)], phase=2).text
        assert "ghp_" not in text


def test_a_hand_off_can_be_told_by_options(shell: Shell) -> None:
    """CAC-02."""
    words = ["--phase", "1", "--goal", "add auth", "--epic-id", "ag-123", "--duration-seconds", "312"]
    words += ["--verdict", "pre_mortem=WARN", "--verdict", "crank=PASS", "--artifact", "plan.md"]
    words += ["--artifact", "auth.go"]
    words += ["--decision", "use JWT", "--decision", "rotate keys", "--risk", "migration downtime", "--narrative", "-"]
    said = ok(shell.spill("handoff", "write", *words, "--run-id", "r1", stdin="Discovery done."))
    assert said.out.strip() == shown_place(shell.root, "phase-1-handoff.json")
    from test_handoffs import GOLDEN

    (shell.root / "all.json").write_text(json.dumps({"handoff_fields": []}))
    assert ok(shell.spill("context", "--phase", "2", "--manifest", "all.json")).out == GOLDEN


@pytest.mark.handoff_file  # to the letter of the specification, without settings
def test_the_specifications_function_logs_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CAC-20: wherever a budget is applied to hand-offs."""
    monkeypatch.setenv("OVERSPILL_ROOT", str(tmp_path))
    text = build_handoff_context([Handoff(phase=1, run_id="r9", narrative="word " * 99)], Manifest(2, [], 0, 25))
    assert len(text) <= 100
    (entry,) = log_of(tmp_path)
    assert (entry["run_id"], entry["phase"], entry["was_truncated"]) == ("r9", 2, True)
    build_handoff_context([Handoff(phase=1, goal="x")], Manifest(2))
    assert len(log_of(tmp_path)) == 1


def test_what_is_no_json_is_not_written(tmp_path: Path) -> None:
    """CAC-02."""
    with pytest.raises(RuleError, match=r"phase-1-handoff\.json: cannot be written as JSON"):
        handoffs_at(tmp_path).write(Handoff(phase=1, extra={"odd": {1, 2}}))
    handoffs_at(tmp_path).write(Handoff(phase=1, narrative=f"lone \ud800 and {SECRET}"))
    stored = handoffs_at(tmp_path).read(1)
    assert stored is not None
    assert stored.handoff.narrative == "lone \ufffd and [REDACTED: API_KEY]"


def test_the_environment_can_name_the_run(tmp_path: Path) -> None:
    """CAC-20."""
    shell = Shell(tmp_path, OVERSPILL_RUN_ID="run-7")
    ok(shell.spill("handoff", "write", "--phase", "1", "--goal", "x"))
    ok(shell.spill("context", "--phase", "2"))
    assert log_of(shell.root)[0]["run_id"] == "run-7"
    stored = handoffs_at(shell.root).read(1)
    assert stored is not None
    assert stored.handoff.run_id == "run-7"


def test_a_hundred_phases_are_read_in_order(tmp_path: Path) -> None:
    """CAC-18."""
    for phase in range(1, 101):
        left(tmp_path, phase, narrative=f"story {phase}", run_id="r")
    found = handoffs_at(tmp_path).read_all(before=100)
    assert [one.handoff.phase for one in found.handoffs] == list(range(1, 100))
    text = Overspill(None, MemoryStore(), root=str(tmp_path)).assemble(phase=101).text
    assert text.count("[Phase ") == 100
    assert "DEGRADATION" not in text


def test_a_long_hand_off_is_shown_in_pages(shell: Shell) -> None:
    """CAC-02."""
    left(shell.root, 1, narrative="word " * 200_000)
    first = ok(shell.spill("handoff", "show", "1"))
    assert len(first.out) == 50_000
    assert "next: spill handoff show 1 --limit 50000 --offset 50000" in first.err
    assert len(ok(shell.spill("handoff", "show", "1", "--limit", "0")).out) > 1_000_000
    envelope = shell.spill("handoff", "show", "1", "--json").envelope
    assert len(json.dumps(envelope)) < 51_000
    assert "cut" in str(records(envelope["warnings"])[0]["message"])


def test_a_manifest_in_a_file_is_checked(shell: Shell) -> None:
    """CAC-01, X-94."""
    left(shell.root, 1, goal="x")
    for content, status, complaint in (
        ('{"handoff_fields": ["gaol"]}', 6, "m.json: handoff_fields: no field 'gaol', did you mean 'goal'?"),
        ('{"max_tokens": 1.5}', 6, "m.json: max_tokens: expected a whole number from 0 on"),
        ('{"phase": 5}', 6, "m.json: phase: this is a manifest of phase 5, not of phase 2"),
        ("{", 6, "m.json: not JSON"),
    ):
        (shell.root / "m.json").write_text(content)
        said = shell.spill("context", "--phase", "2", "--manifest", "m.json")
        assert (said.status, said.out) == (status, "")
        assert complaint in said.err
    assert shell.spill("context", "--phase", "2", "--manifest", "absent.json").status == 3
    assert shell.spill("context", "--phase", "2", "--drop", "middle").status == 2
    assert shell.spill("context").status == 2


def test_a_field_in_the_settings_nobody_knows_is_said(shell: Shell) -> None:
    """X-94."""
    left(shell.root, 1, goal="x", findings=["f1"])
    config = shell.root / ".agent" / "config.yml"
    config.parent.mkdir()
    config.write_text("context.manifests:\n  2: {handoff_fields: [gaol]}\n")
    said = shell.spill("context", "--phase", "2")
    assert said.status == 8
    assert "no field 'gaol', did you mean 'goal'?" in said.err
    config.write_text("context.fields: [findings]\ncontext.manifests:\n  2: {handoff_fields: [findings]}\n")
    assert "Findings: f1\n" in ok(shell.spill("context", "--phase", "2")).out


def test_python_reads_the_same_files(tmp_path: Path) -> None:
    """CAC-18."""
    left(tmp_path, 1, goal="add auth")
    leave(tmp_path, "phase-2-handoff.json", "{")
    made = Overspill(None, MemoryStore(), root=str(tmp_path)).assemble(phase=3)
    assert "Goal: add auth" in str(made)
    assert made.is_error
    assert made.problems[0].startswith("phase-2-handoff.json: not JSON")
    assert made.missing == [(2, 2)]
    with pytest.raises(RuleError, match="hand-off of phase 1: open_risks: expected a list of texts"):
        Overspill(None, MemoryStore(), root=str(tmp_path)).assemble([Handoff(phase=1, open_risks=5)], phase=2)  # type: ignore[arg-type]
    assert Overspill(None, MemoryStore(), root=str(tmp_path)).assemble([], phase=2, manifest=Manifest(2)).text == ""
