"""A prepared text becomes a view: decided upon, kept, cut, rendered, reported.

pass: unchanged; trim and spill: kept first, then cut; refuse: said, then shown as far as it fits. A text that is a
document is cut as one; any other by the tool's strategy.
"""

from contextlib import suppress

from overspill._lite import TYPE_CHECKING
from overspill.core.policy import Decision, Policy, decide
from overspill.core.reference_block import Reference, reference_blocks, reference_line
from overspill.core.report import Artifact, Fitted, Report
from overspill.core.spans import Span
from overspill.cut.render import MOST_ON_TOP
from overspill.errors import StoreError, reason_of
from overspill.fit.draw import RenderedView, document_kind, render_view
from overspill.fit.failure import created_text, refusal_view, text_digest
from overspill.fit.prepare import MEDIA_TYPES, Prepared, Stored, ToolCall, closing_buffer
from overspill.fit.source import text_pieces

if TYPE_CHECKING:
    from overspill.workspace import Workspace

MEGABYTE = 1_048_576


class Views:
    """What makes views in a workspace, whose store is opened when something is first kept in it."""

    def __init__(self, workspace: "Workspace") -> None:
        self._workspace = workspace

    def show(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
        """The view of a prepared text."""
        told = policy.options._replace(kind=call.kind, name=call.file_name, content_type=call.content_type)
        policy = policy._replace(options=told)
        try:
            return self._decided_view(prepared, policy, call)
        finally:
            if prepared.writer is not None:
                prepared.writer.abort()  # what was not kept is not left open; after a commit this does nothing

    def _decided_view(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
        decision = decide(prepared.size, policy)
        if decision is not Decision.PASS and self._handed_out(prepared, policy):
            decision = Decision.PASS
        match decision:
            case Decision.PASS:
                return self._passed(prepared, policy, call)
            case Decision.REFUSE:
                return self._refused(prepared, policy, call)
            case Decision.TRIM | Decision.SPILL:
                return self._trimmed_view(prepared, policy, call, decision)

    def _passed(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
        size = prepared.size
        kept = (Span(0, size.chars),) if size.chars else ()
        report = Report(
            prepared.original,
            size,
            size,
            overhead=0,
            kept=kept,
            decision=Decision.PASS.value,
            requested_strategy=policy.strategy,
            redacted=prepared.redacted,
            cleaned=prepared.cleaned,
            view_tokens=size.tokens,
        )
        return Fitted(prepared.text, report, call.is_error, policy.detail)

    def _trimmed_view(self, prepared: Prepared, policy: Policy, call: ToolCall, decision: Decision) -> Fitted:
        kind = document_kind(prepared, call)
        with closing_buffer(prepared, kind) as buffer:
            kept = self._kept(prepared, policy, call, kind)
            artifact, trouble = kept.artifact, kept.trouble
            shelf = Reference(
                artifact, trouble or "not kept", self._workspace.call_format, created=created_text(artifact)
            )
            if artifact is not None and decision is Decision.SPILL:
                shelf = shelf._replace(block=True, preview=policy.preview_chars)
            if trouble and artifact is None:
                shelf = shelf._replace(lead=f"Output could not be kept: {trouble}")
            drawn = render_view(prepared, policy, shelf, kind, buffer)
            before = kept.same or kept.last
            if before is not None:
                from overspill.fit.reuse import shorter_view

                again = shorter_view(kept, prepared, policy, shelf, drawn, self._workspace.store)
                drawn, before = (drawn, None) if again is None else (again, before)
            fitted = self._shown(prepared, policy, shelf, decision, drawn)
        if before is not None:
            fitted = fitted._replace(report=fitted.report._replace(reused=before.id, notices=(drawn.fallback,)))
        return fitted._replace(is_error=call.is_error or bool(shelf.lead))

    def _refused(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
        """Too big to keep: said in the specification's sentence, then shown as far as it fits."""
        size, most = prepared.size.bytes / MEGABYTE, policy.max_artifact_size / MEGABYTE
        sentence = f"Output size ({size:.1f} MB) exceeds maximum artifact size ({most:.1f} MB)"
        shelf = Reference(None, "not kept: too large", self._workspace.call_format, lead=sentence)
        if policy.on_oversize == "head_tail" and policy.store:
            shelf = shelf._replace(artifact=self._keep_ends(prepared, policy, call))
        fitted = self._shown(prepared, policy, shelf, Decision.REFUSE, render_view(prepared, policy, shelf, ""))
        if policy.on_oversize == "drop_excerpt":
            fitted = refusal_view(fitted, sentence[: policy.inline.ceiling])
        return fitted._replace(is_error=True)

    def _shown(
        self, prepared: Prepared, policy: Policy, shelf: Reference, decision: Decision, drawn: RenderedView
    ) -> Fitted:
        seen, artifact = drawn.view, shelf.artifact
        report = Report(
            prepared.original,
            prepared.size,
            seen.shown,
            overhead=len(seen.text) - seen.shown.chars,
            kept=seen.kept,
            decision=decision.value,
            strategy_used=drawn.used,
            requested_strategy=policy.strategy,
            artifact=artifact,
            reference=reference_line(artifact) if artifact else "",
            fetch=seen.fetch or (self._workspace.call_format(artifact.id) if artifact else ""),
            elements=seen.cut.elements,
            fallback=drawn.fallback,
            not_kept="" if artifact else shelf.reason,
            redacted=prepared.redacted,
            incomplete=prepared.incomplete,
            cleaned=prepared.cleaned,
            whys=prepared.held.reasons(seen.cut.whys),
            view_tokens=None if policy.inline.counter is None else policy.inline.counter(seen.text),
        )
        self._hand_out(seen.text, policy)
        notice = next(reference_blocks(shelf), "").rstrip() if drawn.document and shelf.block else ""
        return Fitted(seen.text, report, is_error=False, detail=policy.detail, notice=notice)

    def _kept(self, prepared: Prepared, policy: Policy, call: ToolCall, kind: str) -> Stored:
        """What is kept of a text; where `reuse` is on, with what came before it."""
        if policy.reuse == "off" or not policy.store:
            return Stored(*self._keep(prepared, policy, call, kind))
        from overspill.fit.reuse import keep_once

        label = call.label(MEDIA_TYPES.get(kind, prepared.content_type))
        return keep_once(self._workspace.store, prepared, label, lambda: self._keep(prepared, policy, call, kind))

    def _keep(self, prepared: Prepared, policy: Policy, call: ToolCall, kind: str) -> tuple[Artifact | None, str]:
        """The artifact of the whole text, or the reason why there is none."""
        if not policy.store:
            return None, ""
        try:
            if prepared.writer is not None:
                return prepared.writer.commit(prepared.size, MEDIA_TYPES.get(kind, "")), ""
            if prepared.holes:
                return None, prepared.trouble or "not kept"
            content_type = MEDIA_TYPES.get(kind, prepared.content_type)
            return self._workspace.store.put(prepared.text, prepared.size, call.label(content_type)), ""
        except (StoreError, OSError) as error:
            return None, reason_of(error)

    def _keep_ends(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Artifact | None:
        """The first and last halves of what may be kept, as an artifact marked partial."""
        try:
            writer = prepared.writer
            if writer is None:
                writer = self._workspace.store.open(
                    call.label(prepared.content_type), keep_ends=policy.max_artifact_size
                )
                for piece in text_pieces(prepared.text):
                    writer.write(piece.encode())
            return writer.commit(prepared.size)
        except (StoreError, OSError):
            return None

    def _hand_out(self, text: str, policy: Policy) -> None:
        if policy.inline.ceiling is None:
            return
        with suppress(StoreError, OSError):  # a view that is not remembered is cut like any text, no worse
            self._workspace.store.remember(text_digest(text), policy.inline.ceiling)

    def _handed_out(self, prepared: Prepared, policy: Policy) -> bool:
        """Whether this text is a view of ours, made for the same or a smaller budget."""
        ceiling = policy.inline.ceiling
        if ceiling is None or prepared.size.chars > ceiling + MOST_ON_TOP:
            return False
        limit = None
        with suppress(StoreError, OSError):
            limit = self._workspace.store.remembered(text_digest(prepared.text))
        return limit is not None and limit <= ceiling
