"""What is said when there is little to say: failures, refusals, fingerprints and times."""

import time
from collections.abc import Iterator

from overspill.core.policy import Policy
from overspill.core.report import Artifact, Fitted, Report, truncated_tokens
from overspill.core.size import Size
from overspill.fit.prepared import Call
from overspill.journal import size_violation


def created(artifact: Artifact | None) -> str:
    """When an artifact was made, as people read it."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(artifact.created)) if artifact else ""


def digest(text: str) -> str:
    """The fingerprint of a text."""
    from overspill._lite import sha256

    return sha256(text.encode()).hexdigest()


def failed(error: BaseException, room: int | None = None) -> Fitted:
    """What is shown when our own code failed: that it did, and nothing of the text, which may not be safe to show."""
    kind = type(error).__name__
    text = f"Output could not be shown: {kind} in overspill. Nothing was kept; `spill doctor` may say more."
    text = text[:room]
    nothing = Size(0, 0, 0, 0)
    report = Report(nothing, nothing, nothing, overhead=len(text), kept=(), decision="failed", not_kept=kind)
    return Fitted(text, report, is_error=True)


def without_text(fitted: Fitted, sentence: str) -> Fitted:
    """A refusal that says so and shows nothing else."""
    shown = Size(0, 0, 0, 0)
    return fitted._replace(text=sentence, report=fitted.report._replace(shown=shown, kept=(), overhead=len(sentence)))


# What a decision is called where it is told.
EVENTS = {"pass": "pass", "trim": "truncate", "spill": "truncate", "refuse": "refuse", "failed": "fail"}


def told(call: Call, policy: Policy, fitted: Fitted, milliseconds: float) -> Iterator[tuple[str, dict[str, object]]]:
    """What the journal is told of one result: sizes and names, nothing of the text."""
    report, size = fitted.report, fitted.report.original
    facts: dict[str, object] = {
        "tool_name": call.tool,
        "original_size": size.chars,
        "original_tokens": size.tokens,
        "truncated_size": len(fitted.text),
        "truncated_tokens": truncated_tokens(fitted.text, report),
        "strategy": report.strategy_used,
        "artifact_created": report.artifact is not None,
        "limit": policy.inline.ceiling,
        "latency_ms": round(milliseconds, 3),
    }
    if report.decision != "pass":
        facts |= {"decision": report.decision, "original_bytes": size.bytes}
    more = {
        "artifact_id": fitted.artifact_id,
        "call_id": call.call_id,
        "not_kept": _why_not(report, policy),
        "fallback": report.fallback,
        "redactions": dict(report.redacted),
    }
    facts |= {name: value for name, value in more.items() if value}
    yield EVENTS[report.decision], facts
    if report.decision == "refuse":
        yield "violation", size_violation(call.tool, report.total.bytes, policy.max_artifact_size)


def _why_not(report: Report, policy: Policy) -> str:
    """Why nothing was kept of what was left out. The store's words may name a path, so they are looked through."""
    if not report.not_kept or report.decision == "failed":
        return report.not_kept
    if not policy.store:
        return "switched off (store, or artifacts.store_truncated)"
    from overspill.workspace.redactor import redact_text

    return redact_text(report.not_kept.removeprefix("not kept: "))
