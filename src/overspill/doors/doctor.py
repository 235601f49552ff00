"""`spill doctor`: whether everything works here.

A check is a row of a table: a name, and a function that looks and says what it found.
"""

import os
import time
from collections.abc import Callable
from typing import NamedTuple

from overspill.doors.arguments import Call
from overspill.doors.opening import load_settings, root_of
from overspill.doors.streams import answer
from overspill.guard import redactor_with
from overspill.redact import Redactor
from overspill.redact.samples import made_up

SAMPLE = 1 << 20  # characters of the self-test
RUNS = 3
MILLION = 1_000_000


class Finding(NamedTuple):
    """What a check found: whether it is well, in one sentence, and the facts behind it."""

    well: bool
    says: str
    facts: dict[str, object]


class Check(NamedTuple):
    """One row of the table."""

    name: str
    look: Callable[[Call], Finding]


def run(call: Call) -> int:
    """Look at everything and say what was found."""
    findings = [(check.name, check.look(call)) for check in CHECKS]
    well = all(finding.well for _, finding in findings)
    records = [{"name": name, "ok": found.well, "message": found.says, **found.facts} for name, found in findings]
    lines = [f"{'ok   ' if found.well else 'wrong'}  {name}: {found.says}\n" for name, found in findings]
    answer(call, "doctor", {"ok": well, "checks": records}, "".join(lines))
    return 0 if well else 1


def redaction(call: Call) -> Finding:
    """Which engine looks for secrets, whether it finds them, how fast, and whether its database is kept."""
    from overspill.scan_cache import cache_directory, kept_at

    settings = load_settings(call, root_of(call))
    redactor = redactor_with(settings, os.environ)
    name = "python" if redactor.engine == "re" else redactor.engine
    speed, finds = self_test(redactor)
    kept = kept_at() is not None
    facts: dict[str, object] = {
        "enabled": settings.flag("redaction.enabled"),
        "engine": name,
        "engine_version": version_of(name),
        "megabytes_per_second": round(speed, 1),
        "database_cached": kept,
    }
    said = f"{name} {facts['engine_version']}, {speed:.0f} MB/s in a self-test"
    if name == "hyperscan":
        said += ", database cached" if kept else ", database not cached"
    if not finds:
        return Finding(False, f"{said}; made-up secrets were not all hidden", facts)
    if name == "hyperscan" and not kept:
        said += f", so every start builds it anew: {cache_directory() or 'the cache directory'} must be yours alone"
        return Finding(False, said, facts)
    if name != "hyperscan":
        said += "; the package hyperscan is faster where it can be installed"
    return Finding(True, said if facts["enabled"] else f"{said}; switched off in the settings", facts)


def self_test(redactor: Redactor) -> tuple[float, bool]:
    """Megabytes a second on a made-up log, and whether every made-up secret in it was hidden."""
    secrets = [made_up("ghp_<A36>"), made_up("sk-proj-<A60>"), made_up("<A20>")]
    line = "2026-11-15T09:30:00Z INFO worker-7 GET /api/v1/items/8231 200 in 12 ms, 3 rows, cache warm\n"
    text = f"{secrets[0]}\n{secrets[1]}\npassword={secrets[2]}\n" + line * (SAMPLE // len(line))
    best, safe = float("inf"), ""
    for _ in range(RUNS):
        started = time.perf_counter()
        safe = redactor.redact(text).text
        best = min(best, time.perf_counter() - started)
    return len(text) / MILLION / best, not any(secret in safe for secret in secrets)


def version_of(engine: str) -> str:
    """The version of the package that looks for secrets."""
    from importlib.metadata import PackageNotFoundError, version
    from platform import python_version

    try:
        return version({"hyperscan": "hyperscan", "re2": "google-re2"}[engine])
    except (KeyError, PackageNotFoundError):
        return python_version()


CHECKS = (Check("redaction", redaction),)
