"""The flow of a tool result, once, from the top.

policy of the tool -> clean -> redact -> measure -> decide -> pass | keep, cut, render | refuse -> report -> journal

`ingest` is the one way in: whatever is shown or kept was cleaned, redacted and counted by it.

`api` and `decorator` call it for programs, `handoff` for the texts of phases; they and all that comes after them may
import this package.
"""

from __future__ import annotations

import sys
import time

from overspill._lite import TYPE_CHECKING, suppress
from overspill.clean import clean
from overspill.core import BINARY, measure, sizes_apart
from overspill.core.markers import one_line
from overspill.core.report import Artifact, Fitted, Report, truncated_tokens
from overspill.errors import OverspillError, QuotaExceeded, StoreError, reason_of, words_within
from overspill.fit.intake import Intake, Scratch, Sinks, WatchedChunks, gathered_chunks, output_of
from overspill.fit.prepare import (
    COMMANDS,
    Covers,
    Prepared,
    ToolCall,
    failure_view,
    is_binary_summary,
    raw_size,
    redacted,
)
from overspill.fit.view import Views
from overspill.journal import command_digest, size_violation
from overspill.settings.table import tool_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from overspill.core.budget import Policy
    from overspill.workspace import Workspace


MOST_SEARCHED = 10_000
MOST_REASON = 300  # characters of why something failed, in the words of whoever did


def fit_output(workspace: Workspace, output: object, policy: Policy, call: ToolCall) -> Fitted:
    """The view of one output, whatever it is, told to the journal."""
    waited = [0.0]
    fitted = log_fit(
        workspace,
        call,
        policy,
        lambda: show(workspace, ingest(workspace, output, policy, call, waited), policy, call),
        waited,
    )
    mistakes = workspace.settings.mistakes
    if not mistakes:
        return fitted
    notices = (*fitted.report.notices, *map(workspace.redacted_text, mistakes))
    return fitted._replace(report=fitted.report._replace(notices=notices))


def fit_file(workspace: Workspace, text: str, call: ToolCall, at_most: int = sys.maxsize) -> Fitted:
    """The view of a part of a file that was asked for: as much as of an artifact, and its end is what goes."""
    from overspill.core.budget import Budget

    most = workspace.settings.integer("tools.truncation.artifacts.retrieval_limit")
    policy = workspace.policy(call.tool, Budget(chars=min(most, at_most)), "head")
    options = policy.options._replace(head_lines=sys.maxsize)
    marks = policy.marks._replace(below=True)  # agents number the lines of a file after us
    policy = policy._replace(artifact_threshold=sys.maxsize, options=options, marks=marks)
    return fit_output(workspace, text, policy, safe_call(workspace, call))


def safe_call(workspace: Workspace, call: ToolCall) -> ToolCall:
    """What is known of a call, without secrets: names and labels are shown, stored and logged as texts are."""
    if not (call.tool or call.call_id or call.source or call.content_type):
        return call
    redact = workspace.redacted_text
    return call._replace(
        tool=redact(call.tool),
        call_id=redact(call.call_id),
        source=redact(call.source.removeprefix(workspace.root.rstrip("/") + "/")),
        content_type=redact(call.content_type),
        is_private=workspace.policy(call.tool).detail.minimal,
    )


def ingest(
    workspace: Workspace,
    output: object,
    policy: Policy,
    call: ToolCall,
    waited: list[float] | None = None,
    most: int | None = None,
) -> Prepared:
    """An output as text that may be shown and kept: cleaned, redacted, measured.

    What comes in chunks and is too large to hold is written to the store as it comes; nothing is read beyond `most`
    bytes of it. To `waited` the seconds are added in which whoever makes the output was waited for.
    """
    came = output_of(output)
    content_type = call.content_type or came.content_type
    if came.whole is None:
        chunks = WatchedChunks(came.chunks, waited if waited is not None else [0.0], policy.max_input_size)
        prepared = _ingest_chunks(workspace, chunks, policy, call._replace(content_type=content_type), most)
        return prepared._replace(ended=words_within(one_line(workspace.redacted_text(chunks.ended)), MOST_REASON))
    prepared = cleaned_whole(workspace, came.whole, policy, content_type)
    if isinstance(came.whole, bytes) and is_binary_summary(prepared):
        return keep_binary(workspace, came.whole, prepared, policy, call)
    return prepared if workspace.redactor is None else redacted(prepared, workspace.redactor, policy)


def cleaned_whole(workspace: Workspace, raw: str | bytes, policy: Policy, content_type: str = "") -> Prepared:
    """An output that is all here, cleaned and measured. Its secrets are still in it, and whole: redact it next."""
    covers = Covers(workspace.redactor)
    text, cleaned = clean(raw, policy.clean, covers.make, exact=policy.keep_binary)
    size = measure(text, policy.inline.counter)
    # A redraw that left nothing behind is not counted, but what came was longer.
    altered = cleaned.anything or (text != raw if isinstance(raw, str) else size.bytes != len(raw))
    original = raw_size(raw, cleaned.binary, policy) if altered else size
    found = {name: count for name, count in cleaned._asdict().items() if count}
    if isinstance(raw, bytes):
        original = original._replace(bytes=len(raw))
    return Prepared(text, size, original, content_type, found, covers.counts)


def keep_binary(workspace: Workspace, raw: bytes, prepared: Prepared, policy: Policy, call: ToolCall) -> Prepared:
    """Bytes that are no text, on their way to the store where that is asked for."""
    if not (policy.keep_binary and policy.store) or len(raw) >= policy.max_artifact_size:
        return prepared
    try:
        writer = workspace.store.open(call.label(prepared.content_type))
        writer.write(raw)
    except (StoreError, OSError) as error:
        return prepared._replace(trouble=reason_of(error))
    return prepared._replace(writer=writer)


def _ingest_chunks(
    workspace: Workspace, chunks: Iterable[str | bytes], policy: Policy, call: ToolCall, most: int | None
) -> Prepared:
    label = call.label(call.content_type)
    ends = policy.max_artifact_size if policy.on_oversize == "head_tail" else None
    keep = (lambda: workspace.store.open(label, keep_ends=ends)) if policy.store else None
    intake = Intake(policy, Sinks(keep, Scratch), workspace.redactor)
    try:
        for chunk in gathered_chunks(chunks):
            intake.feed(chunk)
            if most is not None and intake.size_so_far >= most:
                break
        return intake.finish(call.content_type)
    except BaseException:
        intake.abort()
        raise


def keep_whole(workspace: Workspace, prepared: Prepared, policy: Policy, call: ToolCall) -> Artifact:
    """The artifact of a prepared text that nobody has to look at now; an error if all of it cannot be kept."""
    binary = prepared.cleaned.get("binary")
    measured = prepared.original if binary else prepared.size
    size = measured.bytes
    if size >= policy.max_artifact_size:
        if prepared.writer is not None:
            prepared.writer.abort()
        workspace.tell("violation", size_violation(call.tool, size, policy.max_artifact_size))
        raise QuotaExceeded(
            "what came ({}) exceeds the maximum artifact size ({}); "
            "nothing was kept; raise tools.truncation.max_artifact_size".format(
                *sizes_apart(size, policy.max_artifact_size)
            )
        )
    if prepared.writer is not None:
        return prepared.writer.commit(measured, f"{binary}{BINARY}" if binary else "")
    if prepared.holes or binary:
        raise StoreError(prepared.trouble or "not kept")
    return workspace.store.put(prepared.text, prepared.size, call.label(prepared.content_type))


def show(workspace: Workspace, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
    """The view of a prepared text."""
    return Views(workspace).show(prepared, policy, call)


def log_fit(
    workspace: Workspace,
    call: ToolCall,
    policy: Policy,
    work: Callable[[], Fitted],
    waited: Sequence[float] = (0.0,),
) -> Fitted:
    """Do the work, tell the journal, and if the work fails say so in a text that is safe to show."""
    started = time.perf_counter()
    cause = ""
    try:
        fitted = work()
    except OverspillError:
        raise
    except Exception as error:  # noqa: BLE001  # promise: never a traceback, never the full text
        fitted = failure_view(error, policy.inline.ceiling)
        with suppress(Exception):  # what redacts may be what failed: then nothing of it is told
            cause = words_within(one_line(workspace.redacted_text(str(error)[:MOST_SEARCHED])), MOST_REASON)
    if workspace.journal is not None:
        for event, facts in events_of_fit(call, policy, fitted, (time.perf_counter() - started - waited[0]) * 1000):
            workspace.journal(event, {**facts, **workspace.origin, **({"cause": cause} if cause else {})})
        made = fitted.report.artifact
        if made is not None and made.id != fitted.report.reused:
            workspace.tell_created(made)
    return fitted


# What a decision is called where it is told.
EVENTS = {"pass": "pass", "trim": "truncate", "spill": "truncate", "refuse": "refuse", "failed": "fail"}


def events_of_fit(
    call: ToolCall, policy: Policy, fitted: Fitted, milliseconds: float
) -> Iterator[tuple[str, dict[str, object]]]:
    """What the journal is told of one result: sizes and names, nothing of the text."""
    report, size = fitted.report, fitted.report.original
    facts: dict[str, object] = {
        "tool_name": call.tool,
        "original_size": size.chars,
        "original_tokens": size.tokens,
        "original_lines": size.lines,
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
        "command": command_digest(call.source) if tool_name(call.tool) == COMMANDS else "",
        "not_kept": _why_not(report, policy),
        "fallback": report.fallback,
        "ended": report.ended,
        "redactions": dict(report.redacted),
        "failed": fitted.is_error,
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
    from overspill.redact import redact_text

    return redact_text(report.not_kept.removeprefix("not kept: "))
