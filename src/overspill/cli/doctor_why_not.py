"""`spill doctor --why-not`: why a result has no artifact, or why an artifact is no longer there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output import print_answer
from overspill.cli.output.tables import visible
from overspill.errors import AmbiguousId, ArtifactNotFound, OverspillError
from overspill.journal.reader import History
from overspill.journal.statistics import FIT_EVENTS
from overspill.redact.default import redact_text
from overspill.store import full_id, is_id

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.store.files import FileStore

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


def run(call: CommandCall) -> int:
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
