"""What `spill doctor` looks at, one function a check: each says what it found, and the command that mends it.

`spill doctor --why-not`, too: why a result has no artifact, or why an artifact is no longer there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from overspill import cut
from overspill._lite import TYPE_CHECKING
from overspill.cli.config import check_settings
from overspill.cli.opening import open_workspace
from overspill.cli.output import print_answer
from overspill.cli.tables import count_of, visible
from overspill.core import human_bytes
from overspill.errors import AmbiguousId, ArtifactNotFound, OverspillError, shell_line
from overspill.journal.statistics import CUT_EVENTS, FIT_EVENTS, History
from overspill.redact import redact_text
from overspill.store import full_id, housekeeping, is_id
from overspill.workspace.opening import logs_of, mark_of

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.settings import Settings
    from overspill.store.files import FileStore


NAMED = 3  # odd paths that are said one by one
FULL = 0.95  # of a quota: from here on, the oldest artifacts go or new ones are refused
RECENT = 1_000  # lines of the journal that are looked at

LATELY = 10
TOOLS = "tools.truncation."
GONE = frozenset({"evict", "delete"})

Event = Mapping[str, object]

# What is found in the reason of the store, and what helps.
FIXES = (
    ("artifacts a minute", f"wait a minute, or set {TOOLS}artifacts.rate_limit higher"),
    ("pinned", "spill artifacts rm ID, for one of the pinned ones"),
    ("session quota", f"set {TOOLS}artifacts.session_quota higher"),
    ("machine quota", f"set {TOOLS}artifacts.machine_quota higher"),
    ("maximum artifact size", f"set {TOOLS}max_artifact_size higher"),
    ("too large", f"set {TOOLS}max_artifact_size higher, or {TOOLS}on_oversize: head_tail to keep both ends"),
    ("switched off", f"set {TOOLS}overrides.TOOL.store or {TOOLS}artifacts.store_truncated to true"),
    ("space left", "spill artifacts clean"),
    ("may not be written", "spill doctor says which directory, and the command that mends it"),
    ("in the store", "spill doctor says which directory, and the command that mends it"),
    ("permission denied", "spill doctor says which directory, and the command that mends it"),
    ("held the store", "try again when the other process is done"),
)


class Patient(NamedTuple):
    """What is looked at. Where the settings cannot be read, the defaults stand in for them."""

    call: CommandCall
    root: str
    settings: Settings
    store: FileStore


class Finding(NamedTuple):
    """What a check found: whether it is well, in one sentence, the facts behind it, and the command that helps."""

    well: bool
    says: str
    facts: Mapping[str, object] = {}
    fix: str = ""


CheckFunction = Callable[[Patient], "Finding | list[Finding]"]


def root(patient: Patient) -> Finding:
    """Which directory is the root, and why."""
    where, store = patient.root, patient.store
    facts: dict[str, object] = {"root": where, "why": why_root(patient), "artifacts": store.place.path}
    said = f"{visible(where)} ({facts['why']})"
    if store.stands_in:
        return Finding(
            True, f"{said}; it may not be written, so artifacts are kept in {visible(store.place.path)}", facts
        )
    if not os.access(where, os.W_OK | os.X_OK):
        return Finding(False, f"{said} may not be written", facts, shell_line("chmod", "u+wx", where))
    return Finding(True, said, facts)


def why_root(patient: Patient) -> str:
    """Why this directory is the root."""
    if patient.call.text("--root"):
        return "named by --root"
    if os.environ.get("OVERSPILL_ROOT"):
        return "named by OVERSPILL_ROOT"
    mark = mark_of(patient.root)
    return f"the nearest directory with {mark}" if mark else "the working directory"


def permissions(patient: Patient) -> list[Finding]:
    """Whether everything of ours is ours alone."""
    store, logs = patient.store, logs_of(patient.store, patient.root)
    found = list(housekeeping.odd_paths(store.place.root, store.place.steps))
    known = {odd.path for odd in found}
    found += [odd for odd in housekeeping.odd_paths(logs.root, logs.steps) if odd.path not in known]
    if not found:
        return [Finding(True, "artifacts and journal are yours alone")]
    findings = [Finding(False, *_repair_of(odd)) for odd in found[:NAMED]]
    if len(found) > NAMED:
        more = f"and {count_of(len(found) - NAMED, 'path')} more"
        findings.append(Finding(False, more, {"count": len(found)}, _mend_all(store.place.path, logs.path)))
    return findings


def _repair_of(odd: housekeeping.Odd) -> tuple[str, dict[str, object], str]:
    named = visible(odd.path)
    says, *words = {
        "link": (f"{named} is a link, which is never followed", "rm", odd.path),
        "strange": (f"{named} is in the way", "mv", odd.path, f"{odd.path}.aside"),
        "foreign": (f"{named} belongs to somebody else", "sudo", "chown", "-R", str(os.geteuid()), odd.path),
        "open": (f"{named} is open to others", "chmod", "700" if odd.directory else "600", odd.path),
    }[odd.what]
    return says, {"path": odd.path, "problem": odd.what}, shell_line(*words)


def _mend_all(*places: str) -> str:
    return shell_line("chmod", "-R", "u=rwX,go=", *places)


def disk(patient: Patient) -> Finding:
    """Whether there is room for another artifact."""
    from overspill.errors import StoreError
    from overspill.store.quota import check_disk

    at = patient.store.place.path
    while not os.path.isdir(at):
        at = os.path.dirname(at)
    directory = os.open(at, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        found = os.fstatvfs(directory)
        facts: dict[str, object] = {"free_bytes": found.f_bavail * found.f_frsize, "free_files": found.f_favail}
        check_disk(directory, 0, patient.store.limits)
    except StoreError as error:
        return Finding(False, str(error), facts, "spill artifacts clean")
    finally:
        os.close(directory)
    if found.f_files and not found.f_favail:
        return Finding(False, "the file system has no room for another file", facts, "spill artifacts clean")
    return Finding(True, f"{human_bytes(found.f_bavail * found.f_frsize)} free", facts)


def config(patient: Patient) -> list[Finding]:
    """Whether the settings can be read, and what of them is not followed."""
    call = patient.call
    found = check_settings(
        patient.root, environ=os.environ, config_file_named=call.text("--config"), strategies=cut.names
    )
    facts: dict[str, object] = {"files": list(found.files), "preset": patient.settings.text("preset")}
    if found.problems:
        return [Finding(False, safe_words(problem), facts, _edit(problem)) for problem in found.problems]
    said = ", ".join(map(visible, found.files)) or "no file, all defaults"
    if found.warnings:
        said += "; " + "; ".join(map(safe_words, found.warnings))
    return [Finding(True, said, facts | {"warnings": [safe_words(warning) for warning in found.warnings]})]


def _edit(problem: str) -> str:
    """The command that opens a file where it is wrong."""
    path, _, rest = problem.partition(":")
    line = rest.partition(":")[0]
    if not os.path.isfile(path):
        variable = problem.split()[1].rstrip(":") if problem.startswith("environment ") else ""
        return shell_line("unset", variable) if variable else "spill config check"
    return f'"${{EDITOR:-vi}}" {shell_line(*([f"+{line}"] if line.isdigit() else []), path)}'


def window(patient: Patient) -> Finding:
    """The model whose window limits follow, and whether it is known."""
    from overspill.workspace.policy import follows_window, named_window, policy_of, window_words

    settings = patient.settings
    known = named_window(settings)
    limit = policy_of(settings, "", known).inline.chars
    facts = {"model": settings.get("model"), "window": known.tokens if known else None, "limit": limit}
    named = settings.get("model") is not None
    if not named and not follows_window(settings):
        return Finding(True, f"limit {limit} chars; no limit follows a model's window", facts)
    fix = shell_line("spill", "config", "show", "--origin")
    if not named:
        says = "limits follow the window where an agent says which model it is (Claude Code, Codex); elsewhere "
        return Finding(True, f"{says}`inline_limit` holds", facts)
    return Finding(known is not None, window_words(settings, known, limit), facts, "" if known else fix)


def sessions(patient: Patient) -> Finding:
    """Which sessions there are, and whether anybody lives with them."""
    found = housekeeping.list_sessions(patient.store)
    states = [state.why for state in found]
    using = sum(why in {"held", "anchored"} for why in states)
    facts: dict[str, object] = {
        "session": patient.store.session.id,
        "sessions": {why: states.count(why) for why in sorted(set(states))},
    }
    said = f"{count_of(len(found), 'session')}, {using:,} of them with a running process"
    return Finding(True, f"{said}; this one is {patient.store.session.id}", facts)


def quota(patient: Patient) -> list[Finding]:
    """How much of the quotas is used."""
    store = patient.store
    own = next((state for state in housekeeping.list_sessions(store) if state.id == store.session.id), None)
    findings = []
    for whose, used, most in (
        ("session", own.bytes if own else 0, store.limits.session_quota),
        ("machine", housekeeping.machine_use(store), store.limits.machine_quota),
    ):
        share = used / most if most else 0.0
        said = f"the {whose} holds {human_bytes(used)} of {human_bytes(most or 0)} ({share:.0%})"
        facts: dict[str, object] = {"whose": whose, "bytes": used, "quota": most, "share": round(share, 4)}
        if share < FULL:
            findings.append(Finding(True, said, facts))
            continue
        limit = f"tools.truncation.artifacts.{whose}_quota"
        said += f": the oldest artifacts go, and pinned ones leave no room; {limit} is the limit"
        clean = "spill artifacts clean" if whose == "session" else "spill purge --everywhere --yes"
        findings.append(Finding(False, said, facts, clean))
    return findings


def leftovers(patient: Patient) -> Finding:
    """Whether dead processes and sessions left something behind."""
    left = housekeeping.left_behind(patient.store)
    facts: dict[str, object] = {**left._asdict()}
    if not left.anything:
        return Finding(True, "nothing is left of dead processes and sessions", facts)
    parts = (
        (left.over, "session that is over"),
        (left.trash, "half-removed session"),
        (left.spools, "file of a dead writer"),
        (left.records, "record without a content"),
    )
    said = ", ".join(f"{count:,} x {what}" for count, what in parts if count)
    return Finding(False, said, facts, "spill artifacts sweep")


def journal(patient: Patient) -> Finding:
    """Whether the journal can be written and read."""
    from overspill.files import is_writable, open_file
    from overspill.journal import JOURNAL_FILE
    from overspill.journal.statistics import History

    place = logs_of(patient.store, patient.root)
    facts: dict[str, object] = {"enabled": patient.settings.flag("journal.enabled"), "path": place.path}
    if not facts["enabled"]:
        return Finding(True, "switched off in the settings (journal.enabled)", facts)
    remove = shell_line("mv", place.path, f"{place.path}.aside")
    try:
        directory = place.open()
        if directory is None:
            well = is_writable(place)
            said = "nothing is written yet" if well else f"{visible(place.path)} cannot be made"
            return Finding(well, said, facts, "" if well else shell_line("chmod", "u+wx", os.path.dirname(place.path)))
        try:
            file = open_file(JOURNAL_FILE, directory, os.O_WRONLY | os.O_APPEND)
        finally:
            os.close(directory)
        if file is not None:
            os.close(file)
        elif not os.access(place.path, os.W_OK | os.X_OK):
            return Finding(
                False, f"{visible(place.path)} may not be written", facts, shell_line("chmod", "700", place.path)
            )
    except (OverspillError, OSError) as error:
        return Finding(False, f"cannot be written: {safe_words(str(error))}", facts, remove)
    events = History(place.path)
    count = sum(1 for _, _ in zip(range(RECENT), events, strict=False))
    facts |= {"events": count, "broken": events.broken}
    said = f"{visible(place.path)}, {count_of(count, 'recent event')}"
    return Finding(True, said + (f", {count_of(events.broken, 'line')} unreadable" if events.broken else ""), facts)


def formats(patient: Patient) -> list[Finding]:
    """Whether what is on disk was written in this version's formats."""
    from overspill.store.records import VERSION as RECORD
    from overspill.store.sessions import VERSION as SESSION

    facts: dict[str, object] = {"artifact_format": RECORD, "session_format": SESSION}
    found = housekeeping.foreign_formats(patient.store)
    unserved = patient.store.page(None).unserved
    if unserved and not found:
        says = f"{count_of(unserved, 'artifact')} not served: the record or the length is not what was stored"
        return [Finding(False, says, facts | {"unserved": unserved}, "spill artifacts clean")]
    if not found:
        return [Finding(True, f"artifacts {RECORD}, sessions {SESSION}", facts)]
    fix = "pip install --upgrade overspill"
    return [Finding(False, f"{says}, which this version cannot read", facts, fix) for says in found[:NAMED]]


EXTRAS = {"zstd": "zstandard", "tokens": "rs_bpe", "re2": "re2", "hyperscan": "hyperscan", "code": "tree_sitter"}
WITHOUT = {
    "zstd": "artifacts are not compressed",
    "tokens": "tokens are estimated",
    "re2": "patterns are literals only",
    "hyperscan": "the scan for secrets is slower",
    "code": "functions are told by their indents",
}
# From which Python on there is no wheel: pip leaves the extra out there, and asking for it again brings nothing.
ENDS = {"zstd": (3, 15), "tokens": (3, 14), "re2": (3, 15), "code": (3, 15)}


def extras(patient: Patient) -> list[Finding]:
    """Which optional packages are there, and whether one is missing that the settings ask for."""
    from importlib.util import find_spec

    there = {name: find_spec(module) is not None for name, module in EXTRAS.items()}
    facts: dict[str, object] = {"installed": there}
    missing = list(_missing_extras(patient.settings, there))
    if missing:
        return [_missing(name, setting, facts) for name, setting in missing]
    return [Finding(True, ", ".join(f"{name} {'yes' if yes else _absent(name)}" for name, yes in there.items()), facts)]


def _absent(name: str) -> str:
    """What it means that a package is not there, and whether pip could bring it."""
    return f"no ({WITHOUT[name]}{'' if _offered(name) else f'; there is none for {_this_python()}'})"


def _missing(name: str, setting: str, facts: Mapping[str, object]) -> Finding:
    if _offered(name):
        says, fix = f"{setting} needs a package that is not installed", f"pip install 'overspill[{name}]'"
    else:
        says, fix = f"{setting} needs a package that does not exist for {_this_python()}", "spill config show --origin"
    return Finding(False, says, facts, fix)


def _offered(name: str) -> bool:
    return sys.version_info < ENDS.get(name, (4,))


def _this_python() -> str:
    return f"Python {sys.version_info[0]}.{sys.version_info[1]}"


def _missing_extras(settings: Settings, there: dict[str, bool]) -> Iterator[tuple[str, str]]:
    if settings.flag("tools.truncation.artifacts.compress_large") and not there["zstd"]:
        yield "zstd", "tools.truncation.artifacts.compress_large"
    if settings.text("tokens.counter") == "o200k" and not there["tokens"]:
        yield "tokens", "tokens.counter: o200k"


def unkept_results(patient: Patient) -> Finding:
    """How many of the last results that were cut were not kept."""
    lately = list(recent_results(logs_of(patient.store, patient.root).path, 100))
    cut_short = [event for event in lately if event["event"] in CUT_EVENTS]
    lost = [event for event in cut_short if not event.get("artifact_created")]
    failed = [event for event in lately if event["event"] == "fail"]
    was = "was" if len(cut_short) == 1 else "were"
    said = f"of the last {count_of(len(lately), 'result')} {len(cut_short):,} {was} cut"
    said += f" and {len(lost):,} of these not kept"
    said += f"; {len(failed):,} could not be shown" if failed else ""
    facts: dict[str, object] = {
        "results": len(lately),
        "cut": len(cut_short),
        "not_kept": len(lost),
        "failed": len(failed),
    }
    wanted = [event for event in lost if "switched off" not in str(event.get("not_kept"))]
    well = not failed and not (wanted and len(wanted) == len(cut_short))
    why = "`spill doctor --why-not` says why"
    return Finding(well, f"{said}; {why}" if lost or failed else said, facts, "" if well else "spill doctor --why-not")


def safe_words(words: str) -> str:
    """What others wrote, without secrets and without what a terminal would act on."""
    from overspill.redact import redact_text

    return visible(redact_text(words))


def why_not(call: CommandCall) -> int:
    """Say of the last results, or of one artifact or call, why it is not kept."""
    workspace = open_workspace(call)
    store = workspace.files
    directory = workspace.logs.path
    which = call.arguments[0] if call.arguments else ""
    if which and which != "last":
        which = _whole_word(store, which)
        found = list(explanations_for(directory, which))
        if found and found[0]["kept"] and not _is_there(store, str(found[0]["artifact_id"])):
            gone = "it is no longer there: it went with its session or in a clean-up, or belongs to another session"
            found.insert(0, found[0] | {"kept": False, "reason": gone, "fix": "run the tool again"})
        empty = f"no event speaks of {visible(redact_text(which)[:100])!r}"
    else:
        found = [result_explanation(event) for event in recent_results(directory, 1 if which else LATELY)]
        empty = "no result is logged"
    oldest = "" if found else _reach(directory)
    lines = [_explanation_line(one) for one in found] or [f"{empty}; {oldest}"]
    value = {"ok": True, "results": found} if found else {"ok": True, "results": [], "message": lines[0]}
    return print_answer(call, "doctor", value, "".join(f"{line}\n" for line in lines))


def recent_results(directory: str, count: int) -> Iterator[Event]:
    """The last results, newest first."""
    return islice(History(directory, events=tuple(FIT_EVENTS)), count)


def explanations_for(directory: str, which: str) -> Iterator[dict[str, object]]:
    """What is known of one artifact or of one call, newest first."""
    name = "artifact_id" if is_id(which) else "call_id"
    for event in History(directory):
        if event.get(name) == which and event["event"] in FIT_EVENTS:
            yield result_explanation(event)
        elif event.get(name) == which and event["event"] in GONE:
            reason = f"it was removed: {event.get('reason')}"
            yield _explanation(event, kept=False, reason=reason, fix="run the tool again")


def result_explanation(event: Event) -> dict[str, object]:
    """One result: whether it was kept, and if not, why, and what would help."""
    if event.get("artifact_created"):
        return _explanation(event, kept=True, reason=f"kept as {event.get('artifact_id')}", fix="")
    size, limit = event.get("original_size"), event.get("limit")
    if event["event"] == "pass":
        within = (
            f"{_number_text(size)} characters are within the limit of {_number_text(limit)}"
            if limit
            else "it was not cut"
        )
        ended = f"; it ended early: {event['ended']}" if event.get("ended") else ""
        return _explanation(event, kept=False, reason=f"nothing was left out: {within}{ended}", fix="")
    reason = str(event.get("not_kept") or "no reason was given")
    if event["event"] == "fail":
        cause = f": {event['cause']}" if event.get("cause") else ""
        fix = "OVERSPILL_DEBUG=1 shows where; please report it"
        return _explanation(event, kept=False, reason=f"an error of ours: {reason}{cause}", fix=fix)
    fix = next((fix for part, fix in FIXES if part in reason.lower()), "spill doctor")
    tool = str(event.get("tool_name") or "")
    return _explanation(event, kept=False, reason=reason, fix=fix.replace("TOOL", tool or "<tool>"))


def _explanation(event: Event, *, kept: bool, reason: str, fix: str) -> dict[str, object]:
    return {
        "ts": event["ts"],
        "event": event["event"],
        "tool": event.get("tool_name", ""),
        "size": event.get("original_size", event.get("size")),
        "kept": kept,
        "artifact_id": event.get("artifact_id"),
        "reason": reason,
        "fix": fix,
    }


def _explanation_line(one: dict[str, object]) -> str:
    tool = visible(str(one["tool"])) or "(no tool)"
    state = "kept    " if one["kept"] else "not kept"
    fix = f"; fix: {visible(str(one['fix']))}" if one["fix"] else ""
    return f"{one['ts']}  {state}  {tool}: {visible(str(one['reason']))}{fix}"


def _whole_word(store: FileStore, which: str) -> str:
    """The id that is meant, or what was said: it may be a call's, or of an artifact that only the journal knows."""
    try:
        return full_id(which, store.ids)
    except AmbiguousId:
        raise
    except ArtifactNotFound:
        return which


def _is_there(store: FileStore, artifact_id: str) -> bool:
    try:
        store.info(artifact_id)
    except OverspillError:
        return False
    return True


def _number_text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "?"


def _reach(directory: str) -> str:
    first = next(History(directory, newest_first=False), None)
    return f"the journal goes back to {first['ts']}" if first else "the journal is empty"
