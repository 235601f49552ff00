"""An output that came before in this session: in short where it is the same, as a diff where it is a rerun.

What came before are the artifacts of the session. The store remembers which texts and which calls it has seen, so
an output that is new costs two looks at one small file.
"""

from collections.abc import Callable
from contextlib import suppress

from overspill.core.budget import Budget
from overspill.core.markers import human_bytes
from overspill.core.policy import Policy
from overspill.core.reference_block import Reference, artifact_summary
from overspill.core.report import Artifact
from overspill.core.size import measure
from overspill.core.spans import Cut
from overspill.cut.render import Subject, View, text_view
from overspill.errors import OverspillError
from overspill.fit.draw import RenderedView, render_view
from overspill.fit.failure import created_text, text_digest
from overspill.fit.prepare import Prepared, Stored
from overspill.store import LABEL_WIDTH, Label, Store
from overspill.store.records import content_digest

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
        store.remember(_text_key(artifact.sha256), 1)
        if _tells_calls_apart(label):
            store.remember(_call_key(label), 1)
    return Stored(artifact, trouble, same, last)


def shorter_view(
    kept: Stored, prepared: Prepared, policy: Policy, shelf: Reference, plain: RenderedView, store: Store
) -> RenderedView | None:
    """The shorter view of an output that came before, or None where there is none."""
    if plain.document or kept.artifact is None or policy.strategy == "none":
        return None
    told: RenderedView | None = None
    if kept.same is not None:
        told = _identical_view(kept.same, prepared, policy, shelf)
    elif kept.last is not None and policy.reuse == "diff":
        told = _diff_view(kept.last, kept.artifact, prepared, policy, shelf, store)
    if told is None or len(told.view.text) >= len(plain.view.text) or not policy.inline.holds(told.view.text):
        return None
    return told


def _identical_view(same: Artifact, prepared: Prepared, policy: Policy, shelf: Reference) -> RenderedView | None:
    """That it is the same, what it was, and of its text what matters most."""
    facts = f"{artifact_summary(same)} ({human_bytes(same.size.bytes)}), kept {created_text(same)}"
    lead = f"[identical to {same.id}] {facts}"
    ceiling = policy.inline.ceiling
    limit = len(lead) + EXCERPT_CHARS if ceiling is None else min(ceiling, len(lead) + EXCERPT_CHARS)
    if limit < len(lead):
        return None
    short = policy._replace(
        strategy="smart", inline=Budget(limit, policy.inline.tokens, policy.inline.counter), on_top=False
    )
    drawn = render_view(prepared, short, shelf._replace(lead=lead, block=False, preview=None), "")
    return drawn._replace(fallback=f"identical to {same.id}")


def _diff_view(
    last: Artifact, artifact: Artifact, prepared: Prepared, policy: Policy, shelf: Reference, store: Store
) -> RenderedView | None:
    """What came and went since the last time, cut as diffs are."""
    if prepared.holes or max(last.size.chars, prepared.size.chars) > MAX_COMPARED_CHARS:
        return None
    from overspill.cut import strategy
    from overspill.cut.rerun import diff_lines

    try:
        before = store.read(last.id).decode("utf-8", "surrogatepass")
    except (OverspillError, OSError, UnicodeDecodeError):
        return None
    lines = diff_lines(before, prepared.text, last.id, artifact.id)
    if lines is None:
        return None
    lead = f"[diff against {last.id}, kept {created_text(last)}; all of this output: {shelf.spelling(artifact.id)}]\n"
    diff = "".join(lines)
    room = None if policy.inline.ceiling is None else policy.inline.ceiling - len(lead)
    if room is not None and len(diff) > room:
        if room <= 0:
            return None
        options = policy.options._replace(kind="diff", name="", content_type="")
        subject = Subject(diff, measure(diff), strategy("smart"), options, Reference(silent=True), on_top=False)
        diff = text_view(subject, Budget(chars=room)).text
    return RenderedView(View(lead + diff, (), Cut(())), "smart", f"shown as a diff against {last.id}")


def _same_text(store: Store, print_: str, but: str = "") -> Artifact | None:
    """An artifact of the same text."""
    return (
        _known_artifact(store, _text_key(print_), lambda one: one.sha256 == print_ and one.id != but)
        if print_
        else None
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


def _text_key(print_: str) -> str:
    return text_digest(f"text {print_}")


def _call_key(label: Label) -> str:
    return text_digest(f"call {label.tool}\n{label.source}")
