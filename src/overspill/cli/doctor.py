"""`spill doctor`: whether everything works here. `spill self-test`: the installed copy, tried in a place of its own.

A check of the doctor is a row of a table: a name, and a function that looks and says what it found. It looks at this
project and this user, and changes nothing. A trial of the self-test starts the program as an agent or a shell would, in
a temporary root with a home of its own, and looks at what came out.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from overspill import cut
from overspill.agents.hooks.shell import own_path
from overspill.cli import doctor_agents, doctor_checks
from overspill.cli.doctor_agents import EVENTS, LONG, answer_to, praise
from overspill.cli.doctor_checks import CheckFunction, Finding, Patient
from overspill.cli.opening import root_of
from overspill.cli.output import print_answer
from overspill.cli.tables import in_colour
from overspill.errors import ConfigError, OverspillError, UsageError, shell_line
from overspill.redact.rules import made_up_value
from overspill.settings import Settings, from_mapping, load
from overspill.workspace import AGENT_PRESET, Workspace
from overspill.workspace.policy import redactor_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.redact import Redactor


SAMPLE = 1 << 20  # characters of the self-test
RUNS = 3
MILLION = 1_000_000

LINES = 20_000
NEEDLE = 12_345  # the line that says what went wrong
LIMIT = 4_000
PATIENCE = 30.0  # seconds a command may take, on a machine with other work


class DoctorCheck(NamedTuple):
    """One row of the table."""

    name: str
    find: CheckFunction


def run(call: CommandCall) -> int:
    """Look at everything and say what was found."""
    if call.flag("--why-not"):
        from overspill.cli.doctor_checks import why_not

        return why_not(call)
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
    from overspill.files import cache_directory
    from overspill.redact import is_damaged, kept_at

    was_damaged = is_damaged()
    redactor = redactor_with(patient.settings, os.environ)
    name = "python" if redactor.engine == "re" else redactor.engine
    speed, finds = try_redactor(redactor)
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


def try_redactor(redactor: Redactor) -> tuple[float, bool]:
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


class TrialError(Exception):
    """What was seen is not what should have been."""


class Bench(NamedTuple):
    """Where it is tried, and on what."""

    root: str
    environ: dict[str, str]
    program: tuple[str, ...]
    secret: str

    @property
    def log(self) -> str:
        """A long text with one line that matters and a secret in it."""
        lines = [f"INFO request {number} served in {number % 37} ms\n" for number in range(1, LINES + 1)]
        lines[NEEDLE - 1] = "ERROR pump 7 has stopped\n"
        lines[99] = f"DEBUG logging in with password={self.secret}\n"
        return "".join(lines)

    def spill(self, *words: str, said: str = "") -> str:
        """What a command answers; a trial ends where it does not end well."""
        done = subprocess.run(
            [*self.program, *words],
            cwd=self.root,
            env=self.environ,
            input=said.encode(),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode:
            complaint = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise TrialError(f"`spill {' '.join(words)}` ended with status {done.returncode}: {complaint[:200]}")
        return done.stdout.decode()

    def first_artifact(self) -> dict[str, object]:
        """The record of what the first trial kept."""
        listed = json.loads(self.spill("artifacts", "list", "--json"))["artifacts"]
        expect(holds=len(listed) > 0, otherwise="nothing was kept")
        record: dict[str, object] = listed[-1]
        return record


def expect(*, holds: bool, otherwise: str) -> None:
    """End the trial where something does not hold."""
    if not holds:
        raise TrialError(otherwise)


def self_test(call: CommandCall) -> int:
    """Try everything and say what was seen; status 1 if something does not work."""
    begun = time.monotonic()
    with TemporaryDirectory(prefix="spill-self-test-") as directory:
        bench = new_bench(directory)
        findings = [(name, found) for name, trial in TRIALS for found in outcomes(trial, bench)]
    well = all(found.well for _, found in findings)
    took = f"{'Everything works' if well else 'Not everything works'}: {time.monotonic() - begun:.1f} s.\n"
    records = [finding_record(name, found) for name, found in findings]
    print_answer(call, "self_test", {"ok": well, "checks": records}, "".join(map(finding_line, findings)) + took)
    return 0 if well else 1


def new_bench(directory: str) -> Bench:
    """A root and a home that nobody else uses. Compiled rules are shared with the user: they hold nothing of a text."""
    root, home = os.path.join(directory, "root"), os.path.join(directory, "home")
    os.mkdir(root)
    os.mkdir(home, 0o700)
    foreign = ("OVERSPILL", "XDG_CONFIG", "XDG_STATE", "XDG_DATA", "XDG_RUNTIME", "PYTHONPATH")
    own = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    cache = {"XDG_CACHE_HOME": os.path.expanduser("~/.cache")} if "XDG_CACHE_HOME" not in own else {}
    environ = {**own, **cache, "HOME": home, "OVERSPILL_ROOT": root}
    program = (own_path(),) if own_path() else (sys.executable, "-P", "-m", "overspill")
    return Bench(root, environ, program, made_up_value("<A20>"))


def outcomes(trial: Callable[[Bench], Iterator[str]], bench: Bench) -> list[Finding]:
    """What a trial saw; the first thing that does not hold ends it."""
    found: list[Finding] = []
    try:
        found.extend(Finding(True, said) for said in trial(bench))
    except (TrialError, subprocess.TimeoutExpired, OSError, ValueError, LookupError) as error:
        said = str(error) if isinstance(error, TrialError) else f"{type(error).__name__}: {error}"[:300]
        found.append(Finding(False, said, {}, "spill doctor"))
    return found


def try_view(bench: Bench) -> Iterator[str]:
    """A long text is cut, what matters is shown, and the rest is kept."""
    view = bench.spill("fit", "--limit", str(LIMIT), "--tool", "bash", said=bench.log)
    expect(holds=len(view) <= LIMIT, otherwise=f"the view has {len(view):,} characters, and {LIMIT:,} were allowed")
    expect(holds="ERROR pump 7 has stopped" in view, otherwise="the line that matters is not in the view")
    yield f"{len(bench.log):,} characters become {len(view):,}, with the one line that matters"


def try_fetching(bench: Bench) -> Iterator[str]:
    """Any part of what was left out can be had."""
    name = str(bench.first_artifact()["id"])
    part = bench.spill("artifacts", "show", name, "--lines", f"{NEEDLE}-{NEEDLE + 1}")
    expect(holds=part.startswith("ERROR pump 7 has stopped\nINFO"), otherwise="other lines came than were asked for")
    found = bench.spill("artifacts", "search", "pump 7")
    expect(holds=str(NEEDLE) in found, otherwise="a search did not find the line")
    yield "lines by number, and a line by what it says"


def try_store(bench: Bench) -> Iterator[str]:
    """What is kept is whole, and has the checksum that its record says."""
    record = bench.first_artifact()
    copy = os.path.join(bench.root, "copy.txt")
    bench.spill("artifacts", "export", str(record["id"]), copy)
    with open(copy, "rb") as file:
        content = file.read()
    os.unlink(copy)
    expect(
        holds=hashlib.sha256(content).hexdigest() == record["sha256"],
        otherwise="the checksum of what was kept is wrong",
    )
    count = content.count(b"\n")
    expect(holds=count == LINES, otherwise=f"{LINES:,} lines were kept, and {count:,} came back")
    yield f"{LINES:,} lines are whole, by their checksum"


def try_secrets(bench: Bench) -> Iterator[str]:
    """The password is in no file below the root."""
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(bench.root) for name in names]
    for path in paths:
        with open(path, "rb") as file:
            expect(
                holds=bench.secret.encode() not in file.read(), otherwise=f"a password is in {os.path.basename(path)}"
            )
    yield f"a password is in none of {len(paths)} files"


def try_server(bench: Bench) -> Iterator[str]:
    """An MCP client shakes hands, lists the tools, and fetches."""
    asked = {
        "name": "get_artifact",
        "arguments": {"id": bench.first_artifact()["id"], "start_line": NEEDLE, "end_line": NEEDLE},
    }
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "self-test", "version": "1"}}
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": asked},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    answers = {
        answer.get("id"): answer for answer in map(json.loads, bench.spill("mcp", "serve", said=lines).splitlines())
    }
    tools = [tool["name"] for tool in answers[2]["result"]["tools"]]
    expect(holds="get_artifact" in tools, otherwise="the server offers no get_artifact")
    fetched = str(answers[3]["result"]["content"][0]["text"])
    expect(holds="pump 7 has stopped" in fetched, otherwise="get_artifact brought something else")
    yield f"speaks {answers[1]['result']['protocolVersion']}, offers {', '.join(tools)}, and one of them fetched"


def try_hooks(bench: Bench) -> Iterator[str]:
    """Every agent's event is answered with a shorter result."""
    for (agent, event), canned in EVENTS.items():
        answer = answer_to(canned, [*bench.program, "hook", agent], bench.environ)
        expect(holds=answer.status == 0, otherwise=f"{agent}: status {answer.status}: {answer.error.strip()[:200]}")
        seen = canned.seen(json.loads(answer.text))
        expect(holds=0 < len(seen) < len(LONG), otherwise=f"{agent}, {event}: it {canned.failure}")
        yield f"{agent}{', ' + event if event else ''}: {praise(canned, seen, answer.seconds)}"


def try_removal(bench: Bench) -> Iterator[str]:
    """Nothing is left when everything is removed, but the file that keeps our folder out of git."""
    bench.spill("purge", "--all", "--yes")
    left = [name for _, _, names in os.walk(bench.root) for name in names if name != ".gitignore"]
    expect(holds=not left, otherwise=f"{len(left)} files are left: {', '.join(left[:3])}")
    yield "no artifact, record or journal is left"


TRIALS = (
    ("view", try_view),
    ("fetching", try_fetching),
    ("store", try_store),
    ("secrets", try_secrets),
    ("MCP server", try_server),
    ("hooks", try_hooks),
    ("removal", try_removal),
)
