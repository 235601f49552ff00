"""`spill doctor`: each thing is broken for real, found, and mended by the command that is said."""

import json
import os
import re
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok, records
from overspill import Overspill
from overspill.cli import doctor_checks
from overspill.cli.arguments import CommandCall
from overspill.redact.rules import made_up_value
from overspill.settings import from_mapping
from overspill.store.quota import Limits
from overspill.workspace import Workspace

LONG = "a line of some length, as logs have them\n" * 1_000
ARTIFACTS = "OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__"


def checks(shell: Shell, *, status: int) -> list[dict[str, object]]:
    said = shell.spill("doctor", "--json")
    found = mapping(said.envelope["doctor"])
    assert (said.status, found["ok"]) == (status, status == 0), said.out
    return records(found["checks"])


def wrong(shell: Shell) -> list[tuple[object, str, str]]:
    """Name, message and fix of everything that is not well."""
    found = [one for one in checks(shell, status=1) if not one["ok"]]
    return [(one["name"], str(one["message"]), str(one["fix"])) for one in found]


def session_of(shell: Shell) -> Path:
    (session,) = (shell.root / ".acode" / "artifacts").glob("ses_*")
    return session


def test_a_fresh_root_is_well_and_stays_as_it_is(tmp_path: Path) -> None:
    """TRB-2."""
    shell = Shell(tmp_path)
    found = checks(shell, status=0)
    assert {str(one["name"]) for one in found} >= {"root", "permissions", "disk", "config", "quota", "leftovers"}
    assert list(shell.root.iterdir()) == []


def test_a_root_in_use_is_well(tmp_path: Path) -> None:
    """TRB-2."""
    shell = Shell(tmp_path)
    shell.put(LONG)
    ok(shell.spill("fit", stdin=LONG))
    said = ok(shell.spill("doctor"))
    assert all(line.startswith("ok ") for line in said.out.splitlines())
    assert "root: " + str(shell.root) in said.out
    assert "(named by --root)" in said.out


def open_to_others(shell: Shell) -> None:
    (shell.root / ".acode" / "artifacts").chmod(0o755)


def open_content(shell: Shell) -> None:
    next(session_of(shell).glob("art_*")).chmod(0o644)


def link_in_the_store(shell: Shell) -> None:
    (session_of(shell) / "art_1_a").symlink_to("/etc/passwd")


def open_journal(shell: Shell) -> None:
    (shell.root / ".acode" / "logs").chmod(0o755)


def linked_journal(shell: Shell) -> None:
    path = shell.root / ".acode" / "logs" / "journal.jsonl"
    path.unlink()
    path.symlink_to("/dev/null")


def no_journal(shell: Shell) -> None:
    for path in (shell.root / ".acode" / "logs").iterdir():
        path.unlink()
    (shell.root / ".acode" / "logs").rmdir()
    (shell.root / ".acode" / "logs").write_text("in the way")


def many_open(shell: Shell) -> None:
    for path in (shell.root / ".acode" / "artifacts").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def linked_state(shell: Shell) -> None:
    (shell.root / ".acode").rename(shell.home / "elsewhere")
    (shell.root / ".acode").symlink_to(shell.home / "elsewhere")


def half_removed(shell: Shell) -> None:
    (shell.root / ".acode" / "artifacts" / "trash_00").mkdir(mode=0o700)


def dead_writer(shell: Shell) -> None:
    (session_of(shell) / "t").mkdir(mode=0o700)
    (session_of(shell) / "t" / "0123").write_bytes(b"half")
    (session_of(shell) / "t" / "0123").chmod(0o600)


def record_alone(shell: Shell) -> None:
    next(session_of(shell).glob("art_*")).unlink()


def dead_session(shell: Shell) -> None:
    shell.environ |= {f"{ARTIFACTS}TTL": "1"}
    ok(shell.spill("artifacts", "put", "--session", "gone", stdin=LONG))
    time.sleep(1.2)


Break = Callable[[Shell], None]


@pytest.mark.parametrize(
    ("breaking", "name", "message"),
    [
        (open_to_others, "permissions", "open to others"),
        (open_content, "permissions", "open to others"),
        (link_in_the_store, "permissions", "is a link"),
        (open_journal, "journal", "cannot be written"),
        (linked_journal, "permissions", "is a link"),
        (no_journal, "permissions", "in the way"),
        (many_open, "permissions", "more"),
        (linked_state, "permissions", "is a link"),
        (half_removed, "leftovers", "half-removed session"),
        (dead_writer, "leftovers", "file of a dead writer"),
        (record_alone, "leftovers", "record without a content"),
        (dead_session, "leftovers", "session that is over"),
    ],
)
def test_what_is_broken_is_found_and_mended(breaking: Break, name: str, message: str, tmp_path: Path) -> None:
    """TRB-2: permissions, links, a journal in the way, and what the dead leave."""
    shell = Shell(tmp_path)
    shell.put(LONG)
    breaking(shell)
    found = wrong(shell)
    assert any(one[0] == name and message in one[1] for one in found), found
    for _, _, fix in reversed(found):  # the last one, if there is one for all, first
        shell.line(fix)
    assert checks(shell, status=0)


@pytest.mark.parametrize("name", ["q'$(touch PWZ)'q", "a`touch PWZ`", "new\nline; touch PWZ", "\x1b]0;title\x07 it's"])
@pytest.mark.parametrize("breaking", [open_to_others, link_in_the_store, open_journal, no_journal])
def test_a_fix_mends_what_it_names_and_runs_nothing_of_its_name(breaking: Break, name: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path, root=name)
    shell.put(LONG)
    breaking(shell)
    for _, _, fix in wrong(shell):
        assert fix.isprintable()
        shell.line(fix)
    assert checks(shell, status=0)
    assert not list(tmp_path.rglob("PWZ"))


def test_a_directory_of_somebody_else_is_found(tmp_path: Path) -> None:
    """TRB-2. Only root can give a directory away; where we are not, the root of the file system is somebody else's."""
    shell = Shell(tmp_path)
    if os.geteuid() == 0:
        shell.put(LONG)
        os.chown(session_of(shell), 12345, 12345)
        assert any("belongs to somebody else" in one[1] and "chown" in one[2] for one in wrong(shell))
    else:
        shell.root = Path("/")
        assert any("may not be written" in one[1] for one in wrong(shell))


def test_a_full_quota_is_found(tmp_path: Path) -> None:
    """TRB-2: pinned artifacts leave no room."""
    shell = Shell(tmp_path, **{f"{ARTIFACTS}SESSION_QUOTA": str(len(LONG) + 100)})
    ok(shell.spill("artifacts", "keep", shell.put(LONG)))
    ((name, message, fix),) = wrong(shell)
    assert name == "quota"
    assert "tools.truncation.artifacts.session_quota" in message
    assert fix == "spill artifacts clean"
    lost = ok(shell.spill("fit", stdin=LONG)).out
    assert "could not be kept" in lost
    said = ok(shell.spill("doctor", "--why-not", "last")).out
    assert "not kept" in said
    assert "pinned" in said


def test_a_broken_config_is_found_and_its_place_named(tmp_path: Path) -> None:
    """TRB-2."""
    shell = Shell(tmp_path)
    (shell.root / ".agent").mkdir()
    path = shell.root / ".agent" / "config.yml"
    path.write_text("preset: agent\njournal: {keep: -1}\ntools.truncation.inline_limt: 5\n")
    found = wrong(shell)
    assert [one[0] for one in found] == ["config", "config"]
    assert "expected a whole number" in found[0][1]
    assert [one[2] for one in found] == [f'"${{EDITOR:-vi}}" +{line} {path}' for line in (2, 3)]
    shell.environ["EDITOR"] = "true"
    assert shell.line(found[0][2]).status == 0
    path.write_text("redaction.enabled: false\n")
    (config,) = [one for one in checks(shell, status=0) if one["name"] == "config"]
    assert "is ignored" in str(config["message"])


def test_a_broken_variable_is_found(tmp_path: Path) -> None:
    """TRB-2."""
    shell = Shell(tmp_path, OVERSPILL_JOURNAL__KEEP="many")
    ((name, _, fix),) = wrong(shell)
    assert (name, fix) == ("config", "unset OVERSPILL_JOURNAL__KEEP")


def test_another_format_on_disk_is_found(tmp_path: Path) -> None:
    """TRB-2."""
    shell = Shell(tmp_path)
    shell.put(LONG)
    record = session_of(shell) / "session.json"
    fields = json.loads(record.read_text())
    record.write_text(json.dumps(fields | {"v": 99}))
    ((name, message, fix),) = wrong(shell)
    assert (name, fix) == ("formats", "pip install --upgrade overspill")
    assert "format 99" in message


def test_a_damaged_scan_cache_is_built_anew_and_said(tmp_path: Path) -> None:
    """TRB-2."""
    shell = Shell(tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"))
    shell.environ["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    checks(shell, status=0)
    (database,) = (tmp_path / "cache" / "overspill").glob("scan-*")
    database.write_bytes(b"\0" * 5_000)
    found = checks(shell, status=0)[0]
    assert "damaged and is built anew" in str(found["message"])
    assert "damaged" not in str(checks(shell, status=0)[0]["message"])


def patient(tmp_path: Path, limits: Limits | None = None, **settings: object) -> doctor_checks.Patient:
    said = from_mapping({path.replace("__", "."): value for path, value in settings.items()})
    store = Workspace(str(tmp_path), said, named_root=str(tmp_path)).files
    store.limits = limits or store.limits
    return doctor_checks.Patient(CommandCall(None, {}, ()), str(tmp_path), said, store)


def one(found: doctor_checks.Finding | list[doctor_checks.Finding]) -> doctor_checks.Finding:
    return found[0] if isinstance(found, list) else found


def test_a_full_disk_is_found(tmp_path: Path) -> None:
    """TRB-2."""
    full = Limits(disk_floor=1 << 60, disk_floor_share=1.0)
    found = one(doctor_checks.disk(patient(tmp_path, full)))
    assert (found.well, found.fix) == (False, "spill artifacts clean")
    assert "no space left" in found.says
    assert one(doctor_checks.disk(patient(tmp_path))).well


def test_a_package_that_the_settings_need_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRB-2."""
    asking = patient(tmp_path, tokens__counter="o200k", tools__truncation__artifacts__compress_large=True)
    monkeypatch.setattr(doctor_checks, "ENDS", {})
    monkeypatch.setattr(doctor_checks, "EXTRAS", dict.fromkeys(doctor_checks.EXTRAS, "json"))
    assert one(doctor_checks.extras(asking)).well
    monkeypatch.setattr(doctor_checks, "EXTRAS", dict.fromkeys(doctor_checks.EXTRAS, "no_such_package"))
    assert [found.fix for found in doctor_checks.extras(asking)] == [
        "pip install 'overspill[zstd]'",
        "pip install 'overspill[tokens]'",
    ]


def test_what_a_missing_package_means_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRB-2."""
    monkeypatch.setattr(doctor_checks, "EXTRAS", dict.fromkeys(doctor_checks.EXTRAS, "no_such_package"))
    found = one(doctor_checks.extras(patient(tmp_path)))
    assert found.well
    for name, means in doctor_checks.WITHOUT.items():
        assert f"{name} no ({means}" in found.says


def test_a_package_that_this_python_has_no_wheel_of_is_not_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TRB-2."""
    monkeypatch.setattr(doctor_checks, "EXTRAS", dict.fromkeys(doctor_checks.EXTRAS, "no_such_package"))
    monkeypatch.setattr(doctor_checks, "ENDS", {"tokens": (3, 11)})
    asking = one(doctor_checks.extras(patient(tmp_path, tokens__counter="o200k")))
    version = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    assert (asking.well, asking.fix) == (False, "spill config show --origin")
    assert f"tokens.counter: o200k needs a package that does not exist for {version}" in asking.says
    assert (
        f"tokens no (tokens are estimated; there is none for {version})"
        in one(doctor_checks.extras(patient(tmp_path))).says
    )


def test_which_pythons_an_extra_ends_before_is_what_the_project_declares() -> None:
    """TRB-2."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    extras = tomllib.loads(project.read_text())["project"]["optional-dependencies"]
    said = {
        name: re.search(r"python_version < '3\.(\d+)'", " ".join(extras[name]))
        for name in doctor_checks.EXTRAS
        if name in extras
    }
    assert {name: (3, int(found[1])) for name, found in said.items() if found} == doctor_checks.ENDS


def test_a_switched_off_journal_is_well(tmp_path: Path) -> None:
    """TRB-2."""
    found = one(doctor_checks.journal(patient(tmp_path, journal__enabled=False)))
    assert found.well
    assert "switched off" in found.says


def why_not(shell: Shell, which: str = "last") -> dict[str, object]:
    found = mapping(ok(shell.spill("doctor", "--why-not", which, "--json")).envelope["doctor"])
    return records(found["results"])[0]


@pytest.mark.parametrize(
    ("settings", "text", "reason", "fix"),
    [
        ({}, "short", "nothing was left out: 5 characters are within the limit of 8,000", ""),
        ({"MAX_ARTIFACT_SIZE": "20000"}, LONG, "too large", "tools.truncation.max_artifact_size"),
        ({"OVERRIDES__EXECUTE_COMMAND__STORE": "false"}, LONG, "switched off", "overrides.bash.store"),
        ({"ARTIFACTS__STORE_TRUNCATED": "false"}, LONG, "switched off", "artifacts.store_truncated"),
        ({"ARTIFACTS__SESSION_QUOTA": "5000"}, LONG, "session quota", "artifacts.session_quota"),
        ({"ARTIFACTS__MACHINE_QUOTA": "5000"}, LONG, "machine quota", "artifacts.machine_quota"),
    ],
)
def test_why_a_result_was_not_kept(settings: dict[str, str], text: str, reason: str, fix: str, tmp_path: Path) -> None:
    """TRB-2: threshold, size, switches and quotas are told from the log."""
    shell = Shell(tmp_path, **{f"OVERSPILL_TOOLS__TRUNCATION__{name}": value for name, value in settings.items()})
    ok(shell.spill("fit", "--tool", "bash", stdin=text))
    found = why_not(shell)
    assert found["kept"] is False
    assert reason in str(found["reason"])
    assert fix in str(found["fix"])


def test_a_directory_that_cannot_be_used_is_why(tmp_path: Path) -> None:
    """TRB-2: directory missing or in the way, permissions."""
    shell = Shell(tmp_path)
    (shell.root / ".acode").mkdir()
    (shell.root / ".acode" / "artifacts").mkdir(mode=0o755)
    (shell.root / ".acode" / "artifacts").chmod(0o755)
    ok(shell.spill("fit", stdin=LONG))
    found = why_not(shell)
    assert "belongs to others or is open to them" in str(found["reason"])
    assert "spill doctor" in str(found["fix"])
    (fix,) = [fix for name, _, fix in wrong(shell) if name == "permissions"]
    ok(shell.line(fix))
    ok(shell.spill("fit", stdin=LONG))
    assert why_not(shell)["kept"] is True


def test_haste_is_why(tmp_path: Path) -> None:
    """TRB-2: the rate limit."""
    spill = Overspill({"tools.truncation.artifacts.rate_limit": 1}, root=str(tmp_path))
    assert [spill.fit(LONG).artifact_id is None for _ in range(2)] == [False, True]
    found = why_not(Shell(tmp_path, root="."))
    assert "artifacts a minute" in str(found["reason"])
    assert "rate_limit" in str(found["fix"])


def test_what_became_of_an_artifact_is_said(tmp_path: Path) -> None:
    """TRB-2: kept, removed, evicted, or never made."""
    shell = Shell(tmp_path)
    ok(shell.spill("fit", stdin=LONG))
    artifact_id = str(why_not(shell)["artifact_id"])
    assert why_not(shell, artifact_id)["reason"] == f"kept as {artifact_id}"
    ok(shell.spill("artifacts", "clean"))
    assert "no longer there" in str(why_not(shell, artifact_id)["reason"])
    ok(shell.spill("fit", stdin=LONG))
    other = str(why_not(shell)["artifact_id"])
    ok(shell.spill("artifacts", "rm", other))
    assert why_not(shell, other)["reason"] == "it was removed: asked for"
    said = ok(shell.spill("doctor", "--why-not", "art_1_none")).out
    assert said.startswith("no event speaks of 'art_1_none'; the journal goes back to 2")
    assert shell.spill("doctor", "last").status == 2


def test_nothing_of_a_secret_is_said(tmp_path: Path) -> None:
    """AUD-8."""
    secret = made_up_value("ghp_<A36>")
    shell = Shell(tmp_path)
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text(f"journal: {{keep: {secret}}}\n")
    said = shell.spill("doctor")
    assert said.status == 1
    assert secret not in said.out + said.err


def test_too_much_or_too_little_shown_can_be_told_and_changed(tmp_path: Path) -> None:
    """TRB-1: the strategy is in the metadata, a tool's limit can be raised, and the artifact has the rest."""
    fitted = Overspill({}, root=str(tmp_path)).fit(LONG, tool="read_file")
    assert fitted.metadata["strategy_used"] == "head_tail"
    raised = Overspill({"tools.truncation.overrides.read_file.inline_limit": 50_000}, root=str(tmp_path))
    assert raised.fit(LONG, tool="read_file").text == LONG
    assert raised.get(str(fitted.artifact_id), limit=0).text == LONG


def test_results_over_ten_megabytes_become_artifacts(tmp_path: Path) -> None:
    """TRB-3: in every door, whose preset is `agent`; and what is smart can be switched off."""
    shell = Shell(tmp_path, OVERSPILL_TOOLS__TRUNCATION__SMART_TRUNCATION__ENABLED="false")
    text = LONG * 270
    assert len(text) > 11_000_000
    assert len(ok(shell.spill("fit", "--tool", "bash", stdin=text)).out) <= 8_000
    found = why_not(shell)
    assert (found["kept"], found["size"]) == (True, len(text))
