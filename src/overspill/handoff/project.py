"""The context of a phase, with the world around it: files, settings, redaction, the store, the log."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import ConfigError, InputError, OverspillError, RuleError, StoreError, reason_of
from overspill.fit import cleaned_whole, ingest, keep_whole
from overspill.fit.prepare import ToolCall
from overspill.handoff import Context, ContextNote, Handoff, Manifest, Plan, assemble, register_field, resolve_manifest
from overspill.handoff.folder import parse_json
from overspill.handoff.manifest import manifest_of
from overspill.handoff.places import HandoffFolder, HandoffPlace, handoffs_of
from overspill.handoff.record import as_handoff, each_text
from overspill.store.records import content_digest
from overspill.tokens import counter

if TYPE_CHECKING:
    from overspill.core.report import Artifact
    from overspill.handoff.files import StoredHandoff
    from overspill.settings import Settings
    from overspill.store import Store
    from overspill.workspace import Workspace

Handoffs = Sequence[Handoff | Mapping[str, object]]

RECENT_ARTIFACTS = 100
CALL = ToolCall("context", source="hand-offs of earlier phases", content_type="text/plain")


class ContextRequest(NamedTuple):
    """Whose context is wanted, and what differs from the settings."""

    phase: int
    run_id: str | None = None
    manifest: Manifest | Mapping[str, object] | str | None = None  # or the name of a file that holds one
    max_tokens: int | None = None
    drop: str | None = None
    all_runs: bool = False


def handoff_context(handoffs: Handoffs | None, asked: ContextRequest, around: Workspace) -> Context:
    """The context of a phase, of the hand-offs given or of those in the files, logged."""
    manifest = manifest_for(asked, around.settings)
    problems: Sequence[str] = ()
    ignored: Sequence[StoredHandoff] = ()
    if handoffs is None:
        found = handoffs_of(around).read_all(before=asked.phase, run_id=asked.run_id, all_runs=asked.all_runs)
        handoffs, problems, ignored = [one.handoff for one in found.handoffs], found.problems, found.ignored
    hide = around.redacted_text
    made = assemble(
        [cleaned_handoff(handoff, around) for handoff in handoffs],
        manifest,
        hide=hide,
        keep=lambda text: keep_context(text, around),
        counter=counter(around.settings.text("tokens.counter")),
    )
    run_id = asked.run_id or made.run_id
    trouble = log_context(handoffs_of(around), hide(run_id), made) if made.text else ""
    return made._replace(
        run_id=run_id,
        problems=[hide(problem) for problem in problems],
        ignored=[(one.name, hide(one.handoff.run_id)) for one in ignored],
        trouble=trouble,
        unshown=[(phase, hide(name)) for phase, name in made.unshown],
    )


def cleaned_handoff(said: Handoff | Mapping[str, object], around: Workspace) -> Handoff:
    """A hand-off as a tool's output would be shown: by the settings, without what hides or redraws text.

    Each text by itself: what moves a terminal's cursor must not reach the text of another field. Secrets are taken out
    later, of all texts in one scan; here they are kept whole, for what a redraw leaves of one looks like none.
    """
    handoff = as_handoff(said)
    policy = around.policy()
    changed = each_text(handoff._asdict(), lambda text: cleaned_whole(around, text, policy).text)
    return Handoff(**changed) if isinstance(changed, dict) else handoff


def manifest_for(asked: ContextRequest, settings: Settings) -> Manifest:
    """The manifest of a phase: what is asked for over the settings, and those over the default."""
    for name in settings.names("context.fields"):
        register_field(name)
    default = _settings_manifest(asked.phase, settings)
    said = asked.manifest
    if isinstance(said, str):
        said = manifest_of(_manifest_file(said), said, default)
    elif isinstance(said, Mapping):
        said = manifest_of(said, "manifest", default)
    manifest = (default if said is None else said)._replace(phase=asked.phase)
    drop = asked.drop or (settings.text("context.drop") if manifest.plan is None else "")
    if drop and (drop != "tail" or manifest.plan is not None):
        manifest = manifest._replace(plan=(manifest.plan or Plan())._replace(drop=drop))
    return manifest if asked.max_tokens is None else manifest._replace(max_tokens=asked.max_tokens)


def _settings_manifest(phase: int, settings: Settings) -> Manifest:
    said = settings.get("context.manifests")
    overrides = said if isinstance(said, dict) else {}
    try:
        return resolve_manifest(phase, overrides)
    except RuleError as error:
        raise ConfigError(f"context.manifests: {error}") from None


def _manifest_file(name: str) -> object:
    try:
        with open(name, "rb") as file:
            return parse_json(file.read(), name)
    except OSError as error:
        raise InputError(f"cannot read {name!r}: {(error.strerror or '').lower()}") from None


def keep_context(text: str, around: Workspace) -> ContextNote:
    """Where the whole text is from now on, in the words of whoever will fetch it."""
    policy = around.policy(CALL.tool)
    try:
        prepared = ingest(around, text, policy, CALL)
        artifact = _recent_artifact(prepared.text, around.store) or keep_whole(around, prepared, policy, CALL)
    except (StoreError, OSError) as error:
        return ContextNote(f"the rest was not kept: {reason_of(error)}", "context cut; the rest was not kept")
    return ContextNote(f"whole text: {around.call_format(artifact.id)}", artifact.id, artifact.id)


def _recent_artifact(text: str, store: Store) -> Artifact | None:
    """The artifact of the same text, if one was kept lately: asked for twice, a context is the same text twice."""
    content = text.encode()
    root = content_digest(content)
    for artifact in store.page(RECENT_ARTIFACTS).artifacts:
        if artifact.sha256 == root and artifact.source_tool == CALL.tool and store.read(artifact.id) == content:
            return artifact
    return None


def log_context(place: HandoffPlace, run_id: str, made: Context) -> str:
    """Log what the budget did, if there is one; why that failed, if it did: the context is handed over all the same."""
    place.mark_used(run_id)
    if made.budget.budget_tokens <= 0:
        return ""
    try:
        place.log_budget(run_id, made.phase, made.budget)
    except (OSError, OverspillError) as error:
        return f"the budget could not be logged: {reason_of(error)}"
    return ""


def build_handoff_context(handoffs: Handoffs, manifest: Manifest | Mapping[str, object] | None = None) -> str:
    """The context that a manifest asks for, within its tokens, without secrets, and logged below the root."""
    from overspill import cut
    from overspill.settings import from_mapping
    from overspill.workspace import Workspace
    from overspill.workspace.opening import find_root, working_directory

    around = Workspace(find_root(None, os.environ, working_directory()), from_mapping({}, "spec", cut.names))
    made = assemble([cleaned_handoff(said, around) for said in handoffs], manifest, hide=around.redacted_text)
    if made.text:
        log_context(HandoffFolder(around.root), around.redacted_text(made.run_id), made)
    return made.text
