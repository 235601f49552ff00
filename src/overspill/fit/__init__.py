"""The flow of a tool result, once, from the top.

policy of the tool -> clean -> redact -> measure -> decide -> pass | keep, cut, render | refuse -> report -> journal

`ingest` is the one way in: whatever is shown or kept was cleaned, redacted and counted by it.

Several results of one turn share a budget: `fit_together`, where all are there, and `Turn`, where they come one by one.

`api` and `decorator` call it for programs, `handoff` for the texts of phases; they and all that comes after them may
import this package.
"""

from __future__ import annotations

import sys
import time

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.clean import clean
from overspill.core import BINARY, Size, measure, sizes_apart, tokens_of
from overspill.core.budget import Budget, Policy, shares
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
from overspill.workspace.policy import counted_as

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Self

    from overspill.core.budget import Policy
    from overspill.core.report import Fitted
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


# One budget for several results: the calls a model makes in parallel share one context.

# Where the number of calls is not known, one result may take this share of what is left of the turn.
SHARE_OF_REST = 0.5
SAID_CHARS = 100  # what a sentence of ours takes beside the words it quotes


class PendingResult(NamedTuple):
    """A result that has come in and waits for its share."""

    prepared: Prepared
    policy: Policy
    call: ToolCall
    error: Exception | None = None  # why it could not be read; said in its place


def pending_result(
    workspace: Workspace,
    output: object,
    call: ToolCall,
    budget: Budget,
    focus: str | None = None,
    own: Budget | int | None = None,
) -> PendingResult:
    """A result, read and measured. In a shared budget nothing is ever on top of it. `own` is its own budget."""
    policy = workspace.policy(call.tool, own, focus=focus)._replace(on_top=False)
    policy = policy._replace(inline=policy.inline._replace(counter=counted_as(budget, policy.inline).counter))
    try:
        return PendingResult(ingest(workspace, output, policy, call), policy, call)
    except OverspillError:
        raise
    except Exception as error:  # noqa: BLE001  # one broken result must not cost the others their turn
        text = failure_view(error).text
        size = measure(text, policy.inline.counter)
        return PendingResult(Prepared(text, size, size, "text/plain"), policy, call, error)


def fit_together(workspace: Workspace, results: list[PendingResult], budget: Budget) -> list[Fitted]:
    """Fit results into one budget, max-min fairly, whatever the order in which they came."""
    sizes = [wanted_size(result.prepared) for result in results]
    own = [result.policy.inline for result in results]
    chars = _fair_limits([size.chars for size in sizes], [limit.chars for limit in own], budget.chars)
    tokens = _fair_limits([size.tokens for size in sizes], [limit.tokens for limit in own], budget.tokens)
    return [
        _fit_one(workspace, result, Budget(most_chars, most_tokens, result.policy.inline.counter))
        for result, most_chars, most_tokens in zip(results, chars, tokens, strict=True)
    ]


def wanted_size(prepared: Prepared) -> Size:
    """What a result would take if there were room for all of it, with what has to be said about it."""
    if not prepared.ended and not is_binary_summary(prepared):
        return prepared.size
    chars = prepared.size.chars + len(prepared.ended) + SAID_CHARS
    return prepared.size._replace(chars=chars, tokens=prepared.size.tokens + tokens_of(chars - prepared.size.chars))


def _fair_limits(sizes: list[int], limits: list[int | None], room: int | None) -> list[int | None]:
    """What each may take of `room`: at most its own limit, and no more than it has to say."""
    if room is None:
        return limits
    wanted = [size if limit is None else min(size, limit) for size, limit in zip(sizes, limits, strict=True)]
    return list(shares(wanted, room))


def _fit_one(workspace: Workspace, result: PendingResult, budget: Budget) -> Fitted:
    policy = result.policy._replace(inline=budget)

    def work() -> Fitted:
        if result.error is not None:
            raise result.error
        return show(workspace, result.prepared, policy, result.call)

    return log_fit(workspace, result.call, policy, work)


class Turn:
    """The results of one turn, fitted together.

    With `calls` each result waits until all have come, and the budget is shared out fairly. Without
    it, and for results beyond that number, one is shown at once, in at most half of what is left.
    """

    def __init__(self, workspace: Workspace, budget: Budget, calls: int | None = None) -> None:
        from threading import Lock  # a single result needs none

        self._workspace = workspace
        self._budget = budget
        self._calls = calls
        self._to_come = calls
        self._spending = Lock()
        self._arrived: list[tuple[PendingResult, asyncio.Future[Fitted]]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # A call that failed will never come: those that wait for it are served from what there is.
        self._settle()

    async def fit(self, output: object, *, tool: str = "", is_error: bool = False, call_id: str = "") -> Fitted:
        """The view of one result within the turn's budget."""
        import asyncio  # whoever has no event loop does without

        call = safe_call(self._workspace, ToolCall(tool, is_error, call_id))
        result = await asyncio.to_thread(pending_result, self._workspace, output, call, self._budget)
        if self._calls is None:
            return await asyncio.to_thread(self._at_once, result)
        future: asyncio.Future[Fitted] = asyncio.get_running_loop().create_future()
        self._arrived.append((result, future))
        if len(self._arrived) == self._calls:
            self._settle()
        return await future

    def fit_now(
        self,
        output: object,
        *,
        tool: str = "",
        is_error: bool = False,
        call_id: str = "",
        budget: Budget | int | None = None,
    ) -> Fitted:
        """The view of one result, for threads, and for whoever cannot know that all calls will ever come.

        Nothing waits: each result takes at most an even part of what is left for it and those to come, and what it
        spares is theirs.
        """
        call = safe_call(self._workspace, ToolCall(tool, is_error, call_id))
        result = pending_result(self._workspace, output, call, self._budget, own=budget)
        with self._spending:
            part = 1 / self._to_come if self._to_come else SHARE_OF_REST
            self._to_come = self._to_come and self._to_come - 1
            rest = self._budget._replace(
                chars=_share_of_rest(self._budget.chars, part), tokens=_share_of_rest(self._budget.tokens, part)
            )
            return self._spent([result], rest)[0]

    def _at_once(self, result: PendingResult) -> Fitted:
        with self._spending:  # results come from many threads, and each must know what the last one left
            rest = self._budget._replace(
                chars=_share_of_rest(self._budget.chars), tokens=_share_of_rest(self._budget.tokens)
            )
            return self._spent([result], rest)[0]

    def _settle(self) -> None:
        arrived, self._arrived, self._calls = self._arrived, [], None
        if not arrived:
            return
        with self._spending:
            shown = self._spent([result for result, _ in arrived], self._budget)
        for (_, future), fitted in zip(arrived, shown, strict=True):
            if not future.done():
                future.set_result(fitted)

    def _spent(self, results: list[PendingResult], room: Budget) -> list[Fitted]:
        """The views of results in `room`, paid for out of the turn's budget."""
        shown = fit_together(self._workspace, results, room)
        for result, fitted in zip(results, shown, strict=True):
            size = measure(fitted.text, result.policy.inline.counter)
            chars, tokens = _rest_after(self._budget.chars, size.chars), _rest_after(self._budget.tokens, size.tokens)
            self._budget = self._budget._replace(chars=chars, tokens=tokens)
        return shown


def _share_of_rest(left: int | None, part: float = SHARE_OF_REST) -> int | None:
    return None if left is None else int(left * part)


def _rest_after(left: int | None, spent: int) -> int | None:
    return None if left is None else max(0, left - spent)
