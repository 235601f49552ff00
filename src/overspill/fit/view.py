"""A prepared text becomes a view: decided upon, kept, cut, rendered, reported.

pass: unchanged; trim and spill: kept first, then cut; refuse: said, then shown as far as it fits. A text that is a
document is cut as one; any other by the tool's strategy.

An output that came before in this session is shown in short where it is the same, and as a diff where it is a rerun.
What came before are the artifacts of the session. The store remembers which texts and which calls it has seen, so
an output that is new costs two lookups in one small file.

Marks that a session was shown are remembered, so that one in a file can be told from honest text. Gaps are kept beside
the artifact that they belong to (`core.report.shown_record`). Types of secrets that were hidden are kept with the
session: a placeholder stands in views, in what is fetched and in texts that are short enough to pass.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, suppress
from overspill.core import BINARY, Size, human_bytes, measure, sizes_apart
from overspill.core.budget import Budget, Decision, Policy, decide
from overspill.core.markers import Reference, Wording, header
from overspill.core.report import (
    Artifact,
    Fitted,
    Report,
    artifact_summary,
    reference_blocks,
    reference_line,
    shown_record,
)
from overspill.core.spans import Cut, Span
from overspill.cut.render import MOST_ON_TOP, Subject, View, quoted_span, text_view
from overspill.errors import OverspillError, StoreError, reason_of, shell_line
from overspill.fit.intake import text_pieces
from overspill.fit.prepare import (
    Prepared,
    Stored,
    ToolCall,
    array_query,
    closing_buffer,
    created_text,
    first_lines,
    is_binary_summary,
    media_type,
    refusal_view,
    text_digest,
    too_large_text,
)
from overspill.fit.render import RenderedView, diff_lines, document_kind, render_view
from overspill.store import LABEL_WIDTH, Label, ShortIds, Store, ids_of
from overspill.store.records import content_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from overspill.workspace import Workspace

HIDDEN = "hidden: "  # how the key of a type begins, among the digests of views
MOST_GAPS = 200


class Views:
    """What makes views in a workspace, whose store is opened when something is first kept in it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def show(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
        """The view of a prepared text."""
        told = policy.options._replace(kind=call.kind, name=call.file_name, content_type=call.content_type)
        policy = policy._replace(options=told)
        if prepared.redacted and self._workspace.notes_marks:
            note_hidden(self._workspace.store, types_hidden_in(prepared))
        try:
            return self._decided_view(prepared, policy, call)
        finally:
            if prepared.writer is not None:
                prepared.writer.abort()  # what was not kept is not left open; after a commit this does nothing

    def _decided_view(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
        if is_binary_summary(prepared):
            return self._binary_view(prepared, policy, call)
        decision = decide(prepared.size, policy)
        if decision is not Decision.PASS and self._handed_out(prepared, policy):
            decision = Decision.PASS
        match decision:
            case Decision.PASS if prepared.ended:
                return self._passed_so_far(prepared, policy, call)
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

    def _passed_so_far(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
        """All that came, led by why it was not more; cut where that leaves too little room."""
        lead = Wording.ENDED.format(prepared.ended) + "\n"
        text = lead + quoted_span(prepared.text, Span(0, len(prepared.text)), wording=True)
        if not policy.inline.holds(text):
            return self._trimmed_view(prepared, policy, call, Decision.TRIM)
        fitted = self._passed(prepared, policy, call)
        report = fitted.report._replace(
            overhead=len(text) - prepared.size.chars, view_tokens=None, ended=prepared.ended
        )
        return fitted._replace(text=text, report=report, is_error=True)

    def _binary_view(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
        """What bytes are that are no text, and whether they are kept: none of them is shown."""
        size = prepared.original
        artifact, trouble = self._keep_binary(prepared, policy)
        if artifact is not None:
            where = shell_line("spill", "artifacts", "export", self._workspace.short_id(artifact.id), "FILE")
            last = Wording.KEPT_BINARY.format(where)
        else:
            trouble = trouble or "tools.truncation.keep_binary: true keeps them"
            last = Wording.UNKEPT_BINARY.format(trouble)
        lines = [last, *([Wording.ENDED.format(prepared.ended)] if prepared.ended else []), *prepared.text.splitlines()]
        text = first_lines(lines, policy.inline)
        report = Report(
            size,
            size,
            Size(0, 0, 0, 0),
            overhead=len(text),
            kept=(),
            decision=Decision.TRIM.value,
            requested_strategy=policy.strategy,
            artifact=artifact,
            reference=reference_line(artifact) if artifact else "",
            not_kept="" if artifact else f"not kept: bytes that are no text; {trouble}",
            cleaned=prepared.cleaned,
            ended=prepared.ended,
        )
        return Fitted(text, report, call.is_error or bool(prepared.ended), policy.detail)

    def _keep_binary(self, prepared: Prepared, policy: Policy) -> tuple[Artifact | None, str]:
        if prepared.writer is None:
            return None, prepared.trouble or (too_large_text(prepared, policy) if policy.keep_binary else "")
        try:
            return prepared.writer.commit(prepared.original, f"{prepared.cleaned['binary']}{BINARY}"), ""
        except (StoreError, OSError) as error:
            return None, reason_of(error)

    def _trimmed_view(self, prepared: Prepared, policy: Policy, call: ToolCall, decision: Decision) -> Fitted:
        kind = document_kind(prepared, call)
        if prepared.ended and kind != "ndjson":
            kind = ""  # half a document is none
        with closing_buffer(prepared, kind) as buffer:
            kept = self._kept(prepared, policy, call, kind)
            artifact, trouble = kept.artifact, kept.trouble
            reference = self._reference(artifact, trouble or "not kept", policy)
            reference = reference._replace(created=created_text(artifact))
            if artifact is not None and decision is Decision.SPILL:
                reference = reference._replace(block=True, preview=policy.preview_chars)
                if kind == "json" and not policy.marks.short:
                    reference = reference._replace(query=array_query(buffer or prepared.text))
            leads = [Wording.UNKEPT.format(trouble)] if trouble and artifact is None else []
            leads += [Wording.ENDED.format(prepared.ended)] if prepared.ended else []
            reference = reference._replace(lead="\n".join(leads))
            drawn = render_view(prepared, policy, reference, kind, buffer)
            before = kept.same or kept.last
            if before is not None:
                again = shorter_view(kept, prepared, policy, reference, drawn, self._workspace.store)
                drawn, before = (drawn, None) if again is None else (again, before)
            fitted = self._shown(prepared, policy, reference, decision, drawn)
        if before is not None:
            fitted = fitted._replace(report=fitted.report._replace(reused=before.id, notices=(drawn.fallback,)))
        if reference.opening and artifact is not None and (why := self._kept_here(artifact)):
            notices = (*fitted.report.notices, f"kept here: {why}")
            fitted = fitted._replace(report=fitted.report._replace(notices=notices))
        return fitted._replace(is_error=call.is_error or bool(reference.lead))

    def _refused(self, prepared: Prepared, policy: Policy, call: ToolCall) -> Fitted:
        """Too big to keep: said in the specification's sentence, then shown as far as it fits."""
        sentence = Wording.TOO_LARGE.format(*sizes_apart(prepared.size.bytes, policy.max_artifact_size))
        if prepared.ended:
            sentence += f"\n{Wording.ENDED.format(prepared.ended)}"
        ends = self._keep_ends(prepared, policy, call) if policy.on_oversize == "head_tail" and policy.store else None
        reference = self._reference(ends, "not kept: too large", policy)._replace(lead=sentence)
        fitted = self._shown(prepared, policy, reference, Decision.REFUSE, render_view(prepared, policy, reference, ""))
        if policy.on_oversize == "drop_excerpt":
            fitted = refusal_view(fitted, sentence[: policy.inline.ceiling])
        return fitted._replace(is_error=True)

    def _shown(
        self, prepared: Prepared, policy: Policy, reference: Reference, decision: Decision, drawn: RenderedView
    ) -> Fitted:
        seen, artifact = drawn.view, reference.artifact
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
            not_kept="" if artifact else reference.reason,
            redacted=prepared.redacted,
            incomplete=prepared.incomplete,
            cleaned=prepared.cleaned,
            whys=prepared.held.reasons(seen.cut.whys),
            view_tokens=None if policy.inline.counter is None else policy.inline.counter(seen.text),
            ended=prepared.ended,
        )
        digest = text_digest(seen.text)
        self._hand_out(digest, policy)
        self._note_shown(report, seen.text, policy, digest)
        notice = _notice_beside(drawn, reference, prepared) if drawn.document and reference.block else ""
        return Fitted(seen.text, report, is_error=False, detail=policy.detail, notice=notice)

    def _reference(self, artifact: Artifact | None, reason: str, policy: Policy) -> Reference:
        """Where the whole text is, as the reader of the view is told; also that it is on this machine alone so far."""
        opening = "kept here; " if artifact is not None and self._kept_here(artifact) else ""
        short = self._workspace.short_id(artifact.id) if artifact is not None and policy.marks.short else ""
        return Reference(
            artifact, reason, self._workspace.call_format, marks=policy.marks, short_id=short, opening=opening
        )

    def _kept_here(self, artifact: Artifact) -> str:
        """Why an artifact is not yet where it is to be kept; nothing where it is, or the store knows one place only."""
        reason: Callable[[str], str] | None = getattr(self._workspace.store, "kept_here", None)
        return "" if reason is None else reason(artifact.id)

    def _kept(self, prepared: Prepared, policy: Policy, call: ToolCall, kind: str) -> Stored:
        """What is kept of a text; where `reuse` is on, with what came before it."""
        if policy.reuse == "off" or not policy.store:
            return Stored(*self._keep(prepared, policy, call, kind))

        label = call.label(media_type(kind, prepared))
        return keep_once(self._workspace.store, prepared, label, lambda: self._keep(prepared, policy, call, kind))

    def _keep(self, prepared: Prepared, policy: Policy, call: ToolCall, kind: str) -> tuple[Artifact | None, str]:
        """The artifact of the whole text, or the reason why it was not kept."""
        if not policy.store:
            return None, ""
        try:
            if prepared.writer is not None:
                return prepared.writer.commit(prepared.size, media_type(kind, prepared)), ""
            if prepared.holes:
                return None, prepared.trouble or "not kept"
            content_type = media_type(kind, prepared)
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

    def _hand_out(self, digest: str, policy: Policy) -> None:
        if policy.inline.ceiling is None:
            return
        with suppress(StoreError, OSError):  # a view that is not remembered is cut like any text, no worse
            self._workspace.store.remember(digest, policy.inline.ceiling)

    def _note_shown(self, report: Report, view: str, policy: Policy, digest: str) -> None:
        """Have a store that can do so keep beside the artifact which parts of it were shown, and why."""
        note = getattr(self._workspace.store, "note_shown", None)
        if note is not None and report.artifact is not None and not report.artifact.partial:
            gaps: list[str] = []
            if self._workspace.notes_marks:
                gaps = drawn_gaps(view)
            with suppress(StoreError, OSError):
                note(report.artifact.id, shown_record(report, view, policy.inline.ceiling, digest, gaps))

    def _handed_out(self, prepared: Prepared, policy: Policy) -> bool:
        """Whether this text is a view of ours, made for the same or a smaller budget."""
        ceiling = policy.inline.ceiling
        if ceiling is None or prepared.size.chars > ceiling + MOST_ON_TOP:
            return False
        limit = None
        with suppress(StoreError, OSError):
            limit = self._workspace.store.remembered(text_digest(prepared.text))
        return limit is not None and limit <= ceiling


def _notice_beside(drawn: RenderedView, reference: Reference, prepared: Prepared) -> str:
    """What is said beside a document: the reference block or, in few words, a line where it names no call itself."""
    if not reference.marks.short:
        return next(reference_blocks(reference), "").rstrip()
    return "" if drawn.view.fetch else header(prepared.size, reference)


LOOKED_AT = 200  # artifacts, newest first
EXCERPT_CHARS = 600  # characters that are shown of a text that was shown before, marks included
MAX_COMPARED_CHARS = 4_000_000  # characters of a text that is compared


def keep_once(
    store: Store, prepared: Prepared, label: Label, keep: Callable[[], tuple[Artifact | None, str]]
) -> Stored:
    """Keep an output, unless the same text is there already, and say what came before it."""
    label = label.short()
    print_ = "" if prepared.holes else content_digest(prepared.text.encode("utf-8", "surrogatepass"))
    same = _same_text(store, print_)
    artifact, trouble = (same, "") if same is not None else keep()
    if artifact is None:
        return Stored(artifact, trouble)
    if not print_:  # a stream, whose print is known when it is kept
        same = _same_text(store, artifact.sha256, but=artifact.id)
    last = None if same is not None else _last_of_call(store, label, but=artifact.id)
    with suppress(OverspillError, OSError):
        store.remember(text_key(artifact.sha256), 1)
        if _tells_calls_apart(label):
            store.remember(_call_key(label), 1)
    return Stored(artifact, trouble, same, last)


def shorter_view(
    kept: Stored, prepared: Prepared, policy: Policy, reference: Reference, plain: RenderedView, store: Store
) -> RenderedView | None:
    """The shorter view of an output that came before, or None where it is not shorter."""
    if plain.document or kept.artifact is None or policy.strategy == "none":
        return None
    told: RenderedView | None = None
    if kept.same is not None:
        told = _identical_view(kept.same, prepared, policy, reference)
    elif kept.last is not None and policy.reuse == "diff":
        told = _diff_view(kept.last, kept.artifact, prepared, policy, reference, store)
    if told is None or len(told.view.text) >= len(plain.view.text) or not policy.inline.holds(told.view.text):
        return None
    return told


def _identical_view(same: Artifact, prepared: Prepared, policy: Policy, reference: Reference) -> RenderedView | None:
    """That it is the same, what it was, and of its text what matters most."""
    reference = reference._replace(block=False, preview=None)
    if policy.marks.short:
        lead = header(prepared.size, reference)
        reference = reference._replace(opening=f"{reference.opening}identical to {reference.name}; ")
    else:
        facts = f"{artifact_summary(same)} ({human_bytes(same.size.bytes)})"
        lead = Wording.IDENTICAL.format(same.id, facts, created_text(same))
        reference = reference._replace(lead=lead)
    ceiling = policy.inline.ceiling
    limit = len(lead) + EXCERPT_CHARS if ceiling is None else min(ceiling, len(lead) + EXCERPT_CHARS)
    if limit < len(lead):
        return None
    short = policy._replace(
        strategy="smart", inline=Budget(limit, policy.inline.tokens, policy.inline.counter), on_top=False
    )
    drawn = render_view(prepared, short, reference, "")
    return drawn._replace(fallback=f"identical to {same.id}")


def _diff_view(
    last: Artifact, artifact: Artifact, prepared: Prepared, policy: Policy, reference: Reference, store: Store
) -> RenderedView | None:
    """What came and went since the last time, cut as diffs are."""
    if prepared.holes or max(last.size.chars, prepared.size.chars) > MAX_COMPARED_CHARS:
        return None
    from overspill.cut import strategy

    try:
        before = store.read(last.id).decode("utf-8", "surrogatepass")
    except (OverspillError, OSError, UnicodeDecodeError):
        return None
    earlier = ShortIds(ids_of(store))(last.id) if policy.marks.short else last.id
    lines = diff_lines(before, prepared.text, earlier, reference.name)
    if lines is None:
        return None
    if policy.marks.short:
        lead = Wording.SHORT_DIFF.format(earlier, reference.call()) + "\n"
    else:
        lead = Wording.DIFF.format(last.id, created_text(last), reference.spelling(artifact.id)) + "\n"
    diff = "".join(lines)
    room = None if policy.inline.ceiling is None else policy.inline.ceiling - len(lead)
    if room is not None and len(diff) > room:
        if room <= 0:
            return None
        options = policy.options._replace(kind="diff", name="", content_type="")
        subject = Subject(
            diff, measure(diff), strategy("smart"), options, Reference(silent=True, marks=policy.marks), on_top=False
        )
        diff = text_view(subject, Budget(chars=room)).text
    return RenderedView(View(lead + diff, (), Cut(())), "smart", f"shown as a diff against {last.id}")


def _same_text(store: Store, print_: str, but: str = "") -> Artifact | None:
    """An artifact of the same text."""
    return (
        _known_artifact(store, text_key(print_), lambda one: one.sha256 == print_ and one.id != but) if print_ else None
    )


def _last_of_call(store: Store, label: Label, but: str) -> Artifact | None:
    """The newest artifact of the same call."""
    if not _tells_calls_apart(label):
        return None
    wanted = (label.tool, label.source)
    return _known_artifact(
        store, _call_key(label), lambda one: (one.source_tool, one.source) == wanted and one.id != but
    )


def _known_artifact(store: Store, key: str, fits: Callable[[Artifact], bool]) -> Artifact | None:
    with suppress(OverspillError, OSError):
        if store.remembered(key) is not None:
            there = store.page(LOOKED_AT).artifacts
            return next((one for one in there if not one.partial and fits(one)), None)
    return None


def _tells_calls_apart(label: Label) -> bool:
    """Whether a label says what was called: a tool alone does not, nor does the beginning of a long command."""
    return bool(label.tool and label.source) and len(label.source) < LABEL_WIDTH


def text_key(print_: str) -> str:
    """Under what the store remembers that it has a text with this digest."""
    return text_digest(f"text {print_}")


def _call_key(label: Label) -> str:
    return text_digest(f"call {label.tool}\n{label.source}")


def drawn_gaps(view: str) -> list[str]:
    """The marks of a view that stand where something was left out, and name no artifact themselves."""
    from overspill.core.mark_grammar import marks_in

    found = dict.fromkeys(mark.text for mark in marks_in(view) if not (mark.artifact or mark.hides))
    return list(found)[:MOST_GAPS]


def hidden_types(text: str) -> set[str]:
    """The types that placeholders in a text name."""
    from overspill.core.mark_grammar import marks_in

    return {mark.hides for mark in marks_in(text) if mark.hides}


def note_hidden(store: Store, types: Collection[str]) -> None:
    """Remember that secrets of these types were hidden from this session."""
    with suppress(OverspillError, OSError):
        for kind in types:
            store.remember(HIDDEN + kind, 1)


def was_hidden(store: Store, kind: str) -> bool:
    """Whether a secret of this type was hidden from this session."""
    with suppress(OverspillError, OSError):
        return store.remembered(HIDDEN + kind) is not None
    return False


def types_hidden_in(prepared: Prepared) -> set[str]:
    """The types that were hidden in a text, and not those that its source spoke of.

    Where there are as many placeholders as secrets were hidden, all of them are ours.
    """
    from overspill.core.mark_grammar import marks_in
    from overspill.redact.rules.credentials import RULES  # a clean text needs no table

    marks = [mark.hides for mark in marks_in(prepared.text) if mark.hides]
    all_ours = len(marks) == sum(prepared.redacted.values())
    return {rule.type for rule in RULES if rule.name in prepared.redacted} | set(marks if all_ours else ())
