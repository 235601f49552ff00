"""`spill doctor`: whether everything works here.

A check is a row of a table: a name, and a function that looks and says what it found.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from overspill import cut
from overspill.cli import doctor_agents, doctor_checks
from overspill.cli.doctor_checks import CheckFunction, Finding, Patient
from overspill.cli.opening import root_of
from overspill.cli.output import print_answer
from overspill.cli.output.tables import in_colour
from overspill.errors import ConfigError, OverspillError, UsageError, shell_line
from overspill.redact.rule import made_up_value
from overspill.settings import Settings, from_mapping, load
from overspill.workspace import AGENT_PRESET, Workspace
from overspill.workspace.policy import redactor_with

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.redact import Redactor

SAMPLE = 1 << 20  # characters of the self-test
RUNS = 3
MILLION = 1_000_000


class DoctorCheck(NamedTuple):
    """One row of the table."""

    name: str
    find: CheckFunction


def run(call: CommandCall) -> int:
    """Look at everything and say what was found."""
    if call.flag("--why-not"):
        from overspill.cli import doctor_why_not

        return doctor_why_not.run(call)
    if call.arguments:
        raise UsageError(f"unexpected argument {call.arguments[0][:100]!r}; it goes with --why-not")
    patient = patient_of(call)
    findings = [(check.name, found) for check in CHECKS for found in findings_of(check, patient)]
    well = all(finding.well for _, finding in findings)
    records = [finding_record(name, found) for name, found in findings]
    print_answer(call, "doctor", {"ok": well, "checks": records}, "".join(map(finding_line, findings)))
    return 0 if well else 1


def patient_of(call: CommandCall) -> Patient:
    """What there is to look at, with the defaults where the settings cannot be read."""
    root = root_of(call)
    settings = settings_or_defaults(call, root)
    workspace = Workspace(root, settings, named_root=call.text("--root"), session=call.text("--session"))
    return Patient(call, root, settings, workspace.files)


def settings_or_defaults(call: CommandCall, root: str) -> Settings:
    """The settings in force; the check of the settings says what is wrong with them."""
    flags = {"preset": preset} if (preset := call.text("--preset")) else {}
    config_file = call.text("--config")
    try:
        return load(
            root,
            environ=os.environ,
            flags=flags,
            preset=AGENT_PRESET,
            config_file=config_file,
            strategies=cut.names,
        )
    except ConfigError:
        return from_mapping({}, AGENT_PRESET, cut.names)


def findings_of(check: DoctorCheck, patient: Patient) -> list[Finding]:
    """What a check found; one that could not look is not well."""
    try:
        found = check.find(patient)
    except (OverspillError, OSError) as error:
        says = (error.strerror or "") if isinstance(error, OSError) else doctor_checks.safe_words(str(error))
        return [Finding(False, f"could not look: {says}", {}, "spill doctor, once the permissions are mended")]
    return found if isinstance(found, list) else [found]


def finding_record(name: str, found: Finding) -> dict[str, object]:
    """What was found, for programs."""
    fix = {"fix": found.fix} if found.fix else {}
    return {"name": name, "ok": found.well, "message": found.says, **fix, **found.facts}


def finding_line(finding: tuple[str, Finding]) -> str:
    """What was found, for people."""
    name, found = finding
    fix = f"\n       fix: {found.fix}" if found.fix else ""
    outcome = in_colour("ok   ", "good") if found.well else in_colour("wrong", "bad")
    return f"{outcome}  {name}: {found.says}{fix}\n"


def redaction(patient: Patient) -> Finding:
    """Which engine looks for secrets, whether it finds them, how fast, and whether its database is kept."""
    from overspill.files.safe import cache_directory
    from overspill.redact.default import is_damaged, kept_at

    was_damaged = is_damaged()
    redactor = redactor_with(patient.settings, os.environ)
    name = "python" if redactor.engine == "re" else redactor.engine
    speed, finds = self_test(redactor)
    kept = kept_at() is not None
    facts: dict[str, object] = {
        "enabled": patient.settings.flag("redaction.enabled"),
        "engine": name,
        "engine_version": engine_version(name),
        "megabytes_per_second": round(speed, 1),
        "database_cached": kept,
    }
    said = f"{name} {facts['engine_version']}, {speed:.0f} MB/s in a self-test"
    if name == "hyperscan":
        said += ", database cached" if kept else ", database not cached"
        said += " (it was damaged and is built anew)" if was_damaged and kept else ""
    if not finds:
        fix = "spill config show --origin"
        return Finding(False, f"{said}; made-up secrets were not all hidden", facts, fix)
    if name == "hyperscan" and not kept:
        place = cache_directory(os.environ)
        said += f", so every start builds it anew: {place or 'the cache directory'} must be yours alone"
        return Finding(False, said, facts, shell_line("chmod", "700", place) if place else "export HOME")
    if name != "hyperscan":
        said += "; the package hyperscan is faster where it can be installed"
    return Finding(True, said if facts["enabled"] else f"{said}; switched off in the settings", facts)


def self_test(redactor: Redactor) -> tuple[float, bool]:
    """Megabytes a second on a made-up log, and whether every made-up secret in it was hidden."""
    secrets = [made_up_value("ghp_<A36>"), made_up_value("sk-proj-<A60>"), made_up_value("<A20>")]
    line = "2026-11-15T09:30:00Z INFO worker-7 GET /api/v1/items/8231 200 in 12 ms, 3 rows, cache warm\n"
    text = f"{secrets[0]}\n{secrets[1]}\npassword={secrets[2]}\n" + line * (SAMPLE // len(line))
    best, safe = float("inf"), ""
    for _ in range(RUNS):
        started = time.perf_counter()
        safe = redactor.redact(text).text
        best = min(best, time.perf_counter() - started)
    return len(text) / MILLION / best, not any(secret in safe for secret in secrets)


def engine_version(engine: str) -> str:
    """The version of the package that looks for secrets."""
    from importlib.metadata import PackageNotFoundError, version
    from platform import python_version

    try:
        return version({"hyperscan": "hyperscan", "re2": "google-re2"}[engine])
    except (KeyError, PackageNotFoundError):
        return python_version()


CHECKS = (
    DoctorCheck("redaction", redaction),
    DoctorCheck("root", doctor_checks.root),
    DoctorCheck("permissions", doctor_checks.permissions),
    DoctorCheck("disk", doctor_checks.disk),
    DoctorCheck("config", doctor_checks.config),
    DoctorCheck("window", doctor_checks.window),
    DoctorCheck("sessions", doctor_checks.sessions),
    DoctorCheck("quota", doctor_checks.quota),
    DoctorCheck("leftovers", doctor_checks.leftovers),
    DoctorCheck("journal", doctor_checks.journal),
    DoctorCheck("formats", doctor_checks.formats),
    DoctorCheck("extras", doctor_checks.extras),
    DoctorCheck("kept", doctor_checks.unkept_results),
    DoctorCheck("agents", doctor_agents.agents),
)
