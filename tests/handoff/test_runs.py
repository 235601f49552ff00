"""Runs are kept apart, what a phase leaves is added to or said to be replaced, and a context says all it has to."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doors_kit import Said, Shell, mapping, ok, records
from handoff_kit import handoffs_at, leave, run_folders, stored_text, variables_of
from ledger_kit import checked, error_of
from overspill import Overspill
from overspill.handoff import BudgetResult, Handoff, assemble, context_stats, manifest_of
from overspill.handoff.files import folder_name
from overspill.store.memory import MemoryStore

PIPELINE = Path(__file__).parents[2] / "examples" / "pipeline" / "run.py"


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the suite runs on a database, this process finds it, too."""
    for name, value in variables_of(tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    (shell.root / ".agent").mkdir()
    return shell


def write(shell: Shell, phase: int, run: str = "", *words: str, stdin: str = "") -> Said:
    of_run = ["--run-id", run] if run else []
    return ok(shell.spill("handoff", "write", "--phase", str(phase), *of_run, *words, stdin=stdin))


def stored(shell: Shell, name: str) -> dict[str, object]:
    return mapping(json.loads(stored_text(shell.root, name) or "null"))


def context(shell: Shell, phase: int, run: str = "", *words: str) -> Said:
    of_run = ["--run-id", run] if run else []
    return ok(shell.spill("context", "--phase", str(phase), *of_run, *words))


def codes(said: Said) -> dict[str, str]:
    return {str(one["code"]): str(one["message"]) for one in records(said.envelope.get("warnings", []))}


def test_a_run_loses_nothing_by_another_one_that_writes(shell: Shell) -> None:
    """CAC-16, P1: a folder each; the file of the specification is the newest run's."""
    write(shell, 1, "A", "--goal", "goal of A")
    write(shell, 1, "B", "--goal", "goal of B")
    write(shell, 2, "A", "--decision", "decided by A")
    assert stored(shell, "runs/A/phase-1-handoff.json")["goal"] == "goal of A"
    assert stored(shell, "runs/B/phase-1-handoff.json")["goal"] == "goal of B"
    assert stored(shell, "phase-1-handoff.json")["goal"] == "goal of B"
    assert stored_text(shell.root, "phase-2-handoff.json") is None  # A began before B
    assert "goal of A" in context(shell, 3, "A", "--max-tokens", "0").out
    assert "goal of B" not in context(shell, 3, "A").out
    assert "goal of A" not in context(shell, 3, "B").out
    listed = records(checked(ok(shell.spill("handoff", "list", "--json")))["handoffs"])
    assert {(one["run_id"], one["phase"]) for one in listed} == {("A", 1), ("B", 1), ("A", 2)}
    of_a = records(checked(ok(shell.spill("handoff", "list", "--run-id", "A", "--json")))["handoffs"])
    assert {one["run_id"] for one in of_a} == {"A"}
    assert json.loads(ok(shell.spill("handoff", "show", "1", "--run-id", "A")).out)["goal"] == "goal of A"
    assert json.loads(ok(shell.spill("handoff", "show", "1")).out)["goal"] == "goal of B"


def test_without_a_name_the_latest_run_is_meant_also_of_two_in_one_second(shell: Shell) -> None:
    """CAC-18: and of a run that left nothing it is said which ones there are."""
    for run in ("A", "B", "A", "C", "B"):
        write(shell, 1, run, "--goal", f"goal of {run}", "--completed-at", "2026-03-01T12:00:00Z")
        assert f"goal of {run}" in context(shell, 2).out
    nobody = context(shell, 2, "D", "--json")
    words = " ".join(str(one["message"]) for one in records(nobody.envelope["warnings"]))
    assert all(f"is of run {run!r}" in words for run in ("A", "B", "C"))
    assert "of run 'D'" in str(error_of(shell.spill("handoff", "show", "1", "--run-id", "D", "--json"))["message"])


def test_what_another_program_left_is_put_aside_before_it_is_written_over(shell: Shell) -> None:
    leave(shell.root, "phase-1-handoff.json", {"phase": 1, "run_id": "theirs", "goal": "their goal"})
    leave(shell.root, "phase-2-handoff.json", {"phase": 2, "goal": "of no run"})
    write(shell, 1, "mine", "--goal", "my goal")
    write(shell, 2, "mine", "--narrative", "Mine.")
    assert "their goal" in context(shell, 2, "theirs").out
    assert stored(shell, "runs/unnamed/phase-2-handoff.json")["goal"] == "of no run"
    assert "of no run" not in context(shell, 3, "mine").out
    assert "of no run" not in context(shell, 3, "theirs").out


@pytest.mark.parametrize("run", ["../../etc", "a/b", "..", "unnamed", "x" * 300, "ünï cödé", ".hidden", "run.json"])
def test_any_id_of_a_run_has_a_folder_of_its_own_below_runs(run: str, shell: Shell) -> None:
    write(shell, 1, run, "--goal", "its goal")
    write(shell, 1, "other", "--goal", "another goal")
    assert "its goal" in context(shell, 2, run).out
    assert run_folders(shell.root) == sorted({folder_name(run), "other"})
    assert not (shell.root / ".agents").exists() or os.listdir(shell.root / ".agents") == ["rpi"]


def age(folder: Path, days: float) -> None:
    """Let all of a folder look as if nobody had touched it for some days."""
    then = time.time() - days * 86_400
    for path in [*folder.iterdir(), folder]:
        os.utime(path, (then, then))


@pytest.mark.handoff_file
def test_runs_that_nobody_used_for_long_are_removed_and_no_others(shell: Shell) -> None:
    """P1: over is a run of which nothing was written or handed over for `context.keep_runs`, and not the newest."""
    for run in ("over", "over too", "handed", "added", "theirs", "newest"):
        write(shell, 1, run, "--goal", f"goal of {run}")
    runs, over_too = shell.root / ".agents/rpi/runs", folder_name("over too")
    (runs / "theirs" / "notes.txt").write_text("somebody's")
    for folder in runs.iterdir():
        age(folder, 31)
    assert "goal of handed" in context(shell, 2, "handed", "--max-tokens", "0").out
    said = write(shell, 2, "added", "--json")  # a run that goes on after a long pause
    assert f"removed 2 runs that nobody used for longer than context.keep_runs: over, {over_too}" in said.err
    assert codes(checked_said(said)).keys() == {"W_RUNS_REMOVED"}
    assert sorted(os.listdir(runs)) == ["added", "handed", "newest", "theirs"]
    for run in ("added", "handed", "newest"):
        assert f"goal of {run}" in context(shell, 2, run).out
    told = records(checked(ok(shell.spill("log", "--event", "handoff", "--json")))["entries"])
    assert [one["runs"] for one in told if one.get("action") == "sweep"] == [["over", over_too]]
    assert write(shell, 3, "added").err == ""


@pytest.mark.handoff_file
def test_how_long_runs_stay_can_be_said_and_nothing_of_a_removal_is_left_half(shell: Shell) -> None:
    write(shell, 1, "old", "--goal", "x")
    write(shell, 1, "new", "--goal", "y")
    runs = shell.root / ".agents/rpi/runs"
    age(runs / "old", 400)
    (shell.root / ".agent" / "config.yml").write_text("context: {keep_runs: null}\n")
    write(shell, 2, "new")
    assert sorted(os.listdir(runs)) == ["new", "old"]
    (shell.root / ".agent" / "config.yml").write_text("context: {keep_runs: 500d}\n")
    write(shell, 2, "new", "--add")
    assert sorted(os.listdir(runs)) == ["new", "old"]
    (runs / ".gone-0123456789abcdef").mkdir()  # whoever removed it was killed
    (runs / ".gone-0123456789abcdef" / "phase-1-handoff.json").write_text(json.dumps({"phase": 1, "run_id": "dead"}))
    assert "dead" not in ok(shell.spill("handoff", "list")).out
    (shell.root / ".agent" / "config.yml").write_text("context: {keep_runs: 1}\n")
    write(shell, 2, "new", "--add")
    assert os.listdir(runs) == ["new"]


@pytest.mark.handoff_file
def test_purge_removes_the_runs_when_asked_for_all(shell: Shell) -> None:
    write(shell, 1, "a", "--goal", "x")
    write(shell, 1, "b", "--goal", "y")
    leftover = shell.root / ".agents/rpi/runs/a/.phase-1-handoff.json.0123456789abcdef"
    leftover.write_text("half")
    ok(shell.spill("purge", "--all", "--yes"))
    assert not (shell.root / ".agents/rpi").exists()


@settings(max_examples=max(6, settings().max_examples))
@given(st.lists(st.tuples(st.sampled_from(["A", "B", "C", ""]), st.integers(1, 4)), min_size=1, max_size=12))
@example([("B", 1), ("A", 3), ("", 3), ("B", 3)])  # what names no run lay between the two
def test_every_run_reads_what_it_wrote_last(
    tmp_path_factory: pytest.TempPathFactory, writes: list[tuple[str, int]]
) -> None:
    root = tmp_path_factory.mktemp("root")
    place = handoffs_at(root)
    last: dict[tuple[str, int], str] = {}
    for number, (run, phase) in enumerate(writes):
        said = f"goal {number}"
        place.write(Handoff(run_id=run, phase=phase, goal=said, completed_at=f"2026-01-01T00:00:{number:02d}Z"))
        last[run, phase] = said
    for (run, phase), goal in last.items():
        if run:
            found = place.read(phase, run)
            assert found is not None
            assert found.handoff.goal == goal
            mine = [one.handoff for one in place.read_all(run_id=run).handoffs]
            assert {one.run_id for one in mine} <= {run, ""}
    everything = place.read_all(all_runs=True).handoffs
    there = {(one.handoff.run_id, one.handoff.phase): one.handoff.goal for one in everything if one.handoff.run_id}
    assert there == {key: goal for key, goal in last.items() if key[0]}
    # In the place of the newest run lie hand-offs of the run that began last, and of others only where it has none.
    newest = [run for run, _ in dict.fromkeys((run, 0) for run, _ in writes) if run][-1:]
    for run in newest:
        for phase in (phase for named, phase in last if named == run):
            top = json.loads(stored_text(root, f"phase-{phase}-handoff.json") or "")
            assert top["run_id"] in {run, ""}


def test_writing_again_adds_or_says_that_it_replaces(shell: Shell) -> None:
    """P1: nothing is written over without a word."""
    write(shell, 1, "A", "--goal", "add auth", "--decision", "d1", "--verdict", "gate=FAIL", "--narrative", "First.")
    added = write(shell, 1, "A", "--add", "--decision", "d2", "--decision", "d1", "--verdict", "gate=PASS",
                  "--narrative", "Then.")  # fmt: skip
    assert added.err == ""
    handoff = stored(shell, "phase-1-handoff.json")
    assert (handoff["goal"], handoff["decisions_made"]) == ("add auth", ["d1", "d2"])
    assert (handoff["verdicts"], handoff["narrative"]) == ({"gate": "PASS"}, "First.\n\nThen.")
    said = write(shell, 1, "A", "--decision", "d3", "--json")
    assert codes(checked_said(said)).keys() == {"W_REPLACED"}
    assert "replaced what phase 1 of run 'A' had left" in said.err
    words = codes(said)["W_REPLACED"]
    line = words.partition("it was kept: ")[2].partition(";")[0]
    kept = json.loads(ok(shell.line(line)).out)
    assert (kept["goal"], kept["decisions_made"]) == ("add auth", ["d1", "d2"])
    assert stored(shell, "phase-1-handoff.json")["decisions_made"] == ["d3"]
    told = records(checked(ok(shell.spill("log", "--event", "handoff", "--json")))["entries"])
    assert [(one["action"], one["phase"], one["run_id"]) for one in told] == [
        ("replace", 1, "A"),
        ("add", 1, "A"),
        ("write", 1, "A"),
    ]


def checked_said(said: Said) -> Said:
    checked(said)
    return said


def test_many_that_add_at_once_lose_nothing(shell: Shell) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: write(shell, 1, "A", "--add", "--decision", f"d{number}"), range(24)))
    made = stored(shell, "phase-1-handoff.json")["decisions_made"]
    assert sorted(made) == sorted(f"d{number}" for number in range(24))  # type: ignore[call-overload]  # a list


def test_a_hand_off_is_built_of_what_a_phase_left(shell: Shell) -> None:
    build = shell.root / "build" / "deep"
    build.mkdir(parents=True)
    (build / "b.txt").write_text("b")
    (shell.root / "build" / "a.txt").write_text("a")
    (shell.root / "notes.md").write_text("# What was done\n\nAll of it.\n")
    result = {"status": "time_boxed", "artifacts": {"plan": "plan.md"}, "verdicts": {"gate": "PASS"}, "team": "core",
              "run_id": "R", "decisions": ["d1"], "summary": "Short."}  # fmt: skip
    (shell.root / "phase-2-result.json").write_text(json.dumps(result))
    words = ("--from", "phase-2-result.json", "--artifacts", "build/**", "--summary", "notes.md", "--decision", "d2")
    ok(shell.spill("handoff", "write", *words, "--verdict", "lint=PASS"))
    made = stored(shell, "runs/R/phase-2-handoff.json")
    assert (made["phase"], made["status"], made["team"]) == (2, "time_boxed", "core")
    assert made["artifacts_produced"] == ["plan.md", "build/a.txt", "build/deep/b.txt"]
    assert made["decisions_made"] == ["d1", "d2"]
    assert made["verdicts"] == {"gate": "PASS", "lint": "PASS"}
    assert made["narrative"] == "# What was done\n\nAll of it."


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("--phase", "1", "--artifacts", "../*"), 2),
        (("--phase", "1", "--artifacts", "/etc/*"), 2),
        (("--phase", "1", "--artifacts", "nothing/**"), 2),
        (("--phase", "1", "--from", "missing.json"), 3),
        (("--phase", "1", "--summary", "missing.md"), 3),
        (("--from", "list.json"), 6),
        (("--phase", "1", "--completed-at", "yesterday"), 2),
        (("--phase", "1", "--completed-at", "2026-03-01"), 2),
    ],
)
def test_what_cannot_be_built_is_said_and_nothing_is_written(words: tuple[str, ...], status: int, shell: Shell) -> None:
    (shell.root / "list.json").write_text("[]")
    assert error_of(shell.spill("handoff", "write", "--json", *words))["exitCode"] == status
    assert stored_text(shell.root, "phase-1-handoff.json") is None


def test_a_time_nobody_can_read_is_refused_from_standard_input_too(shell: Shell) -> None:
    said = shell.spill("handoff", "write", "--json", stdin='{"phase": 1, "completed_at": "yesterday"}')
    assert error_of(said)["exitCode"] == 6


def test_fields_of_others_are_shown_where_a_manifest_asks_and_named_where_not(shell: Shell) -> None:
    """CAC-02, X-94."""
    extra = {
        "phase": 1,
        "goal": "g",
        "team": "core",
        "applied_findings": ["f1", "f2"],
        "known_risks": ["r1"],
        "x": None,
    }
    ok(shell.spill("handoff", "write", stdin=json.dumps(extra)))
    plain = context(shell, 2, "", "--json")
    assert "f1" not in plain.out
    words = codes(plain)["W_UNSHOWN"]
    assert words == (
        "not shown: team (phase 1), applied_findings (phase 1), known_risks (phase 1); "
        "context.fields makes team known; handoff_fields of the manifest asks for a field"
    )
    assert words in plain.err
    (shell.root / "m.json").write_text(json.dumps({"handoff_fields": ["applied_findings", "known_risks"]}))
    asked = context(shell, 2, "", "--manifest", "m.json", "--json")
    text = str(mapping(asked.envelope["context"])["text"])
    assert "Applied findings: f1, f2\n" in text
    assert "Known risks: r1\n" in text
    assert "applied_findings" not in codes(asked)["W_UNSHOWN"]


def test_a_context_that_is_cut_is_kept_names_it_and_says_what_is_missing(shell: Shell) -> None:
    """P1, X-96, CAC-17: also where its end is simply cut off."""
    (shell.root / "m.json").write_text("{}")
    words = [word for number in range(900) for word in ("--artifact", f"src/module_{number}/file.py")]
    write(shell, 2, "A", *words)
    plain = context(shell, 3, "A")
    said = context(shell, 3, "A", "--json")
    made = mapping(said.envelope["context"])
    text = str(made["text"])
    assert plain.out == text
    budget = mapping(made["budget"])
    assert budget["was_truncated"]
    assert int(str(budget["truncated_tokens"])) <= 2500
    assert text.endswith("CONTEXT DEGRADATION: Phase 1 handoff was missing — context may be incomplete\n\n")
    call = text.partition("whole text: ")[2].partition("]")[0]
    assert str(made["artifact_id"]) in call
    whole = ok(shell.line(f"{call} --limit 0")).out
    assert all(f"src/module_{number}/file.py" in whole for number in (0, 450, 899))
    assert set(codes(said)) == {"W_DEGRADED", "W_CONTEXT_CUT"}
    assert all(message in said.err and message in plain.err for message in codes(said).values())


@given(st.integers(1, 400), st.integers(0, 60), st.booleans(), st.sampled_from([None, len]))
def test_a_cut_end_is_within_its_tokens_whatever_stands_below_it(
    budget: int, items: int, missing: bool, counter: object
) -> None:
    """CAC-12..15."""
    handoff = Handoff(phase=2 if missing else 1, goal="go", decisions_made=[f"decision {n}." for n in range(items)])
    manifest = manifest_of({"phase": 3, "max_tokens": budget}, "m")
    for keep in (None, MemoryKeep()):
        made = assemble([handoff], manifest, keep=keep, counter=counter)  # type: ignore[arg-type]  # both count
        whole = assemble([handoff], manifest._replace(max_tokens=0), counter=counter)  # type: ignore[arg-type]
        assert made.budget.was_truncated == (made.text != whole.text)
        assert len(made.text) <= len(whole.text)
        if made.budget.was_truncated:
            assert made.budget.truncated_tokens <= budget
            if keep is not None and budget >= (800 if counter else 100):
                assert "art_1_abcdef" in made.text
        assert sum(row.got for row in made.rows) <= max(len(made.text), made.budget.truncated_tokens + len(made.rows))


class MemoryKeep:
    """Keeps the whole text, and says where."""

    def __call__(self, text: str) -> object:
        from overspill.handoff import ContextNote

        return ContextNote("whole text: spill artifacts show art_1_abcdef", "art_1_abcdef", "art_1_abcdef")


@pytest.mark.handoff_file
def test_programs_hear_everything_that_people_hear(shell: Shell) -> None:
    """Hand-offs of another run, a log that cannot be written, fields that are not shown: all of it is in JSON."""
    ok(shell.spill("handoff", "write", stdin='{"phase": 1, "run_id": "B", "goal": "g", "team": "x"}'))
    nothing = context(shell, 2, "A", "--json")
    assert mapping(nothing.envelope["context"])["text"] == ""
    assert "is of run 'B' and was left out" in codes(nothing)["W_OTHER_RUN"]
    (shell.root / ".agents/rpi/context-budget-log.jsonl").mkdir()
    trouble = context(shell, 2, "B", "--json")
    assert set(codes(trouble)) == {"W_UNSHOWN", "W_NOT_LOGGED"}
    for said in (nothing, trouble):
        assert sorted(said.err.splitlines()) == sorted(f"spill: {message}" for message in codes(said).values())
    checked(trouble)


@pytest.mark.parametrize("tokens", ["0", "-1", "-2500"])
def test_no_tokens_or_fewer_are_no_limit_at_every_door(tokens: str, shell: Shell, tmp_path: Path) -> None:
    """CAC-10, X-07, X-80."""
    write(shell, 1, "", "--goal", "g", "--decision", "x" * 20_000)
    (shell.root / "m.json").write_text(json.dumps({"max_tokens": int(tokens)}))
    for words in (("--max-tokens", tokens), ("--manifest", "m.json")):
        assert "x" * 20_000 in context(shell, 2, "", *words).out
    (shell.root / ".agent" / "config.yml").write_text(f"context: {{manifests: {{2: {{max_tokens: {tokens}}}}}}}\n")
    assert "x" * 20_000 in context(shell, 2).out
    assert ok(shell.spill("config", "check")).err == ""
    spill = Overspill(store=MemoryStore(), root=str(tmp_path))
    long = [{"phase": 1, "decisions_made": ["y" * 20_000]}]
    assert "y" * 20_000 in spill.assemble(long, phase=2, max_tokens=int(tokens)).text
    assert "y" * 20_000 in spill.assemble(long, phase=2, manifest={"max_tokens": int(tokens)}).text
    assert error_of(shell.spill("context", "--phase", "2", "--max-tokens", "few", "--json"))["exitCode"] == 2


def test_advice_looks_at_the_budget_in_force(tmp_path: Path) -> None:
    """CAC-21: what an earlier budget cut says nothing of the one there is now."""
    for _ in range(10):
        handoffs_at(tmp_path).log_budget("r", 2, BudgetResult(3000, 2500, 2490, was_truncated=True))
    for _ in range(10):
        handoffs_at(tmp_path).log_budget("r", 2, BudgetResult(3000, 4000, 3000, was_truncated=False))
    (stats,) = context_stats(handoffs_at(tmp_path).budget_entries())
    assert (stats.verdict, stats.budget_tokens, stats.suggested_max_tokens) == ("fits", 4000, 4000)
    assert (stats.applications, stats.truncated) == (10, 0)


@pytest.mark.parametrize(
    "settings_text",
    [
        "context: {manifests: {2: {handoff_fields: [goals]}}}",
        "context: {manifests: {2: {max_tokens: many}}}",
        "context: {manifests: {2: {phase: 3}}}",
        "context: {manifests: {7: {drop: middle}}}",
    ],
)
def test_a_wrong_manifest_is_found_by_config_check(settings_text: str, shell: Shell) -> None:
    """CAC-18."""
    (shell.root / ".agent" / "config.yml").write_text(settings_text + "\n")
    said = shell.spill("config", "check")
    assert said.status == 8
    assert "manifest" in said.out + said.err


def test_a_version_of_zero_is_unset(shell: Shell) -> None:
    ok(shell.spill("handoff", "write", stdin='{"phase": 1, "schema_version": 0, "goal": "g"}'))
    assert stored(shell, "phase-1-handoff.json")["schema_version"] == 1
    assert shell.spill("handoff", "write", stdin='{"phase": 1, "schema_version": 2}').status == 6


@pytest.mark.handoff_file  # the example shows the log as a file
def test_three_runs_at_once_in_one_root_never_mix(tmp_path: Path) -> None:
    """The example pipeline, three times at the same time: each phase is handed what its own run left."""
    runs = ("red", "green", "blue")
    children = [
        subprocess.Popen(
            [sys.executable, str(PIPELINE), str(tmp_path), run],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for run in runs
    ]
    for run, child in zip(runs, children, strict=True):
        out, err = child.communicate(timeout=300)
        assert child.returncode == 0, err
        assert f"shop-{run}/prices.py" in out
        assert not any(f"shop-{other}" in out for other in runs if other != run)
        for phase in (1, 2, 3):
            found = handoffs_at(tmp_path).read(phase, run)
            assert found is not None
            assert found.handoff.run_id == run


def test_a_status_that_is_none_is_not_written(shell: Shell) -> None:
    said = shell.spill("handoff", "write", "--phase", "1", "--status", "complete")
    assert (said.status, said.out) == (2, "")
    assert "completed, time_boxed, failed" in said.err
    assert not (shell.root / ".agents").exists()
