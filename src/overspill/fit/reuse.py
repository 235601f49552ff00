"""An output that came before in this session: in short where it is the same, as a diff where it is a rerun.

What came before are the artifacts of the session. The store remembers which texts and which calls it has seen, so
an output that is new costs two looks at one small file.
"""

from collections.abc import Callable
from contextlib import suppress

from overspill.core.budget import Budget
from overspill.core.markers import human_bytes
from overspill.core.policy import Policy
from overspill.core.reference_block import Shelf, summary
from overspill.core.report import Artifact
from overspill.core.size import measure
from overspill.core.spans import Cut
from overspill.cut.render import Subject, View, view
from overspill.errors import OverspillError
from overspill.fit.draw import Drawn, draw
from overspill.fit.failure import created, digest
from overspill.fit.prepare import Kept, Prepared
from overspill.store import LABEL_WIDTH, Label, Store
from overspill.store.records import root_of_content

LOOKED_AT = 200  # artifacts, newest first
EXCERPT = 600  # characters that are shown of a text that was shown before, marks included
LARGEST = 4_000_000  # characters of a text that is compared


def kept_again(store: Store, prepared: Prepared, label: Label, keep: Callable[[], tuple[Artifact | None, str]]) -> Kept:
    """Keep an output, unless the same text is there already, and say what came before it."""
    label = label.short()
    print_ = "" if prepared.holes else root_of_content(prepared.text.encode("utf-8", "surrogatepass"))
    same = _same(store, print_)
    artifact, trouble = (same, "") if same is not None else keep()
    if artifact is None:
        return Kept(artifact, trouble)
    if not print_:  # a stream, whose print is known when it is kept
        same = _same(store, artifact.sha256, but=artifact.id)
    last = None if same is not None else _last(store, label, but=artifact.id)
    with suppress(OverspillError, OSError):
        store.remember(_text_key(artifact.sha256), 1)
        if _tells_calls_apart(label):
            store.remember(_call_key(label), 1)
    return Kept(artifact, trouble, same, last)


def retold(kept: Kept, prepared: Prepared, policy: Policy, shelf: Shelf, plain: Drawn, store: Store) -> Drawn | None:
    """The shorter view of an output that came before, or None where there is none."""
    if plain.document or kept.artifact is None or policy.strategy == "none":
        return None
    told: Drawn | None = None
    if kept.same is not None:
        told = _identical(kept.same, prepared, policy, shelf)
    elif kept.last is not None and policy.reuse == "diff":
        told = _changed(kept.last, kept.artifact, prepared, policy, shelf, store)
    if told is None or len(told.view.text) >= len(plain.view.text) or not policy.inline.holds(told.view.text):
        return None
    return told


def _identical(same: Artifact, prepared: Prepared, policy: Policy, shelf: Shelf) -> Drawn | None:
    """That it is the same, what it was, and of its text what matters most."""
    facts = f"{summary(same)} ({human_bytes(same.size.bytes)}), kept {created(same)}"
    lead = f"[identical to {same.id}] {facts}"
    ceiling = policy.inline.ceiling
    limit = len(lead) + EXCERPT if ceiling is None else min(ceiling, len(lead) + EXCERPT)
    if limit < len(lead):
        return None
    short = policy._replace(
        strategy="smart", inline=Budget(limit, policy.inline.tokens, policy.inline.counter), on_top=False
    )
    drawn = draw(prepared, short, shelf._replace(lead=lead, block=False, preview=None), "")
    return drawn._replace(fallback=f"identical to {same.id}")


def _changed(
    last: Artifact, artifact: Artifact, prepared: Prepared, policy: Policy, shelf: Shelf, store: Store
) -> Drawn | None:
    """What came and went since the last time, cut as diffs are."""
    if prepared.holes or max(last.size.chars, prepared.size.chars) > LARGEST:
        return None
    from overspill.cut import strategy
    from overspill.cut.rerun import changes

    try:
        before = store.read(last.id).decode("utf-8", "surrogatepass")
    except (OverspillError, OSError, UnicodeDecodeError):
        return None
    lines = changes(before, prepared.text, last.id, artifact.id)
    if lines is None:
        return None
    lead = f"[diff against {last.id}, kept {created(last)}; all of this output: {shelf.spelling(artifact.id)}]\n"
    diff = "".join(lines)
    room = None if policy.inline.ceiling is None else policy.inline.ceiling - len(lead)
    if room is not None and len(diff) > room:
        if room <= 0:
            return None
        options = policy.options._replace(kind="diff", name="", content_type="")
        subject = Subject(diff, measure(diff), strategy("smart"), options, Shelf(silent=True), on_top=False)
        diff = view(subject, Budget(chars=room)).text
    return Drawn(View(lead + diff, (), Cut(())), "smart", f"shown as a diff against {last.id}")


def _same(store: Store, print_: str, but: str = "") -> Artifact | None:
    """An artifact of the same text."""
    return _found(store, _text_key(print_), lambda one: one.sha256 == print_ and one.id != but) if print_ else None


def _last(store: Store, label: Label, but: str) -> Artifact | None:
    """The newest artifact of the same call."""
    if not _tells_calls_apart(label):
        return None
    wanted = (label.tool, label.source)
    return _found(store, _call_key(label), lambda one: (one.source_tool, one.source) == wanted and one.id != but)


def _found(store: Store, key: str, fits: Callable[[Artifact], bool]) -> Artifact | None:
    with suppress(OverspillError, OSError):
        if store.remembered(key) is not None:
            there = store.page(LOOKED_AT).artifacts
            return next((one for one in there if not one.partial and fits(one)), None)
    return None


def _tells_calls_apart(label: Label) -> bool:
    """Whether a label says what was called: a tool alone does not, nor does the beginning of a long command."""
    return bool(label.tool and label.source) and len(label.source) < LABEL_WIDTH


def _text_key(print_: str) -> str:
    return digest(f"text {print_}")


def _call_key(label: Label) -> str:
    return digest(f"call {label.tool}\n{label.source}")
