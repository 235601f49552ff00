"""`spill artifacts list | info | export | keep | rm | clean | sweep`."""

from __future__ import annotations

import sys
import time

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output import note, print_answer
from overspill.cli.output.envelope import dumps
from overspill.cli.output.lists import Listing, PageAnchor, anchor_by, answer_page
from overspill.cli.output.progress import Progress, watched_write
from overspill.cli.output.tables import count_of, visible
from overspill.core.report import origin_words
from overspill.core.size import human_bytes
from overspill.errors import UsageError
from overspill.report.kept import KeptTexts
from overspill.retrieve.access import access_for, fetch_all
from overspill.store import ArtifactPage, Cleared, full_id, housekeeping

if TYPE_CHECKING:
    from collections.abc import Sequence

    from overspill.cli.arguments import CommandCall
    from overspill.core.report import Artifact
    from overspill.store.files import FileStore

HEAD = ("ID", "Size", "Type", "Source")
MORE_HEAD = ("Age", "Shown", "Begins")
BEGINNING_CHARS = 40


class ArtifactQuery:
    """What is kept, as a query: one look at the directories gives a page and the number of all."""

    def __init__(self, store: FileStore, anchor: PageAnchor | None) -> None:
        self.store, self.anchor = store, anchor
        self.found = ArtifactPage([], 0)

    def rows(self, limit: int | None, offset: int) -> Sequence[Artifact]:
        """Some artifacts, newest first."""
        self.found = self.store.page(limit, offset, self.anchor)
        return self.found.artifacts

    def count(self) -> int:
        """How many there were when some were asked for."""
        return self.found.total

    def bytes(self) -> int:
        """Bytes of all: by a look at each if they are few, else as their sessions have counted."""
        if len(self.found.artifacts) == self.found.total:
            return sum(artifact.size.bytes for artifact in self.found.artifacts)
        return sum(session.bytes for session in housekeeping.list_sessions(self.store))


def list_(call: CommandCall) -> int:
    """What is kept, newest first."""
    workspace = open_workspace(call)
    settings, store = workspace.settings, workspace.files
    short = str if call.flag("--json") else access_for(workspace, "user").short_ids
    kept, texts = ArtifactQuery(store, PageAnchor.of(call)), KeptTexts(store)

    def row(artifact: Artifact) -> Sequence[str]:
        return _artifact_row(artifact, short(artifact.id))

    def long_row(artifact: Artifact) -> Sequence[str]:
        return (*row(artifact), *_more_cells(artifact, texts))

    listing = Listing(
        "artifacts",
        "artifact",
        "Session Artifacts",
        (*HEAD, *MORE_HEAD) if call.flag("--long") else HEAD,
        long_row if call.flag("--long") else row,
        encode=lambda artifact: dumps(artifact_fields(artifact)),
        summary=lambda total: f"{count_of(total, 'artifact')}, {human_bytes(kept.bytes())}",
    )
    status = answer_page(call, settings, kept, listing, as_of=anchor_by(lambda artifact: artifact.id))
    if kept.found.unserved:
        note(f"spill: {count_of(kept.found.unserved, 'artifact')} not shown: not what was stored; see `spill doctor`")
    return status


def info(call: CommandCall) -> int:
    """What is known of one artifact."""
    workspace = open_workspace(call)
    store = workspace.files
    found = housekeeping.details(store, call.argument(0, "ID"))
    path = "" if workspace.policy().detail.minimal else found.path
    found = found._replace(path=path)
    value = artifact_fields(found.artifact) | {
        "session": found.session,
        **({"path": path} if path else {}),
        "stored_bytes": found.stored,
        "kept": found.kept,
        "compressed": found.compressed,
        **({"bucket": found.address} if found.address else {}),
    }
    return print_answer(call, "artifact", value, "".join(f"{line}\n" for line in artifact_lines(found)))


def artifact_lines(found: housekeeping.Details) -> Sequence[str]:
    """An artifact in the manual's words."""
    artifact, size = found.artifact, found.artifact.size
    source = origin_words(artifact) or "unknown"
    lines = [
        f"Artifact: {artifact.id}",
        f"Type: {visible(artifact.content_type)}",
        f"Size: {size.bytes:,} bytes ({human_bytes(size.bytes)})",
        f"Estimated tokens: ~{size.tokens:,}",
        f"Created: {moment_of(artifact.created)}",
        f"Source: {visible(source)}",
        *([f"Path: {visible(found.path)}"] if found.path else []),
        *([f"Bucket: {visible(found.address)}"] if found.address else []),
    ]
    if artifact.whole is not None:
        lines.append(f"Partial: the first and last part of {artifact.whole.bytes:,} bytes")
    if artifact.is_binary:
        lines.append(f"SHA-256: {artifact.sha256}")
        lines.append("Binary: kept as it came, not searched for secrets")
    if found.kept:
        lines.append("Kept: until it is removed by name or by force")
    return lines


def export(call: CommandCall) -> int:
    """Write an artifact to a file, or to standard output."""
    artifact_id, path = call.argument(0, "ID"), call.argument(1, "FILE")
    workspace = open_workspace(call)
    store = workspace.files
    artifact_id = full_id(artifact_id, store.ids)
    if path == "-":
        if call.flag("--json"):
            raise UsageError("`export ID -` writes the stored text and nothing else; leave out --json, or name a file")
        access = access_for(workspace, "user")
        sys.stdout.flush()
        with Progress() as progress:
            write = sys.stdout.buffer.write
            write = write if sys.stdout.isatty() else watched_write(write, progress)
            piped = fetch_all(access, artifact_id, None, write, as_bytes=True)
        sys.stdout.buffer.flush()
        store.tell("export", {"artifact_id": artifact_id, "requester": "user", "size": piped.artifact.size.bytes})
        return 0
    with Progress() as progress:
        force = call.flag("--force")
        written = housekeeping.export_artifact(store, artifact_id, path, force=force, tell=progress.say_bytes)
    store.tell("export", {"artifact_id": artifact_id, "requester": "user", "size": written})
    if not call.flag("--json"):
        note(f"spill: wrote {written:,} bytes to {visible(path)}")
    return print_answer(call, "artifact", {"id": artifact_id, "file": path, "bytes": written}, "")


def keep(call: CommandCall) -> int:
    """Pin an artifact."""
    store = open_workspace(call).files
    artifact = housekeeping.keep_artifact(store, call.argument(0, "ID"))
    return print_answer(call, "artifact", artifact_fields(artifact) | {"kept": True}, f"Kept {artifact.id}\n")


def rm(call: CommandCall) -> int:
    """Forget one artifact."""
    store = open_workspace(call, forgiving=False).files
    artifact = housekeeping.remove_artifact(store, call.argument(0, "ID"))
    return answer_removed(call, Cleared(1, artifact.size.bytes))


def clean(call: CommandCall) -> int:
    """Forget the artifacts of the session, or all of the root."""
    store = open_workspace(call, forgiving=False).files
    return answer_removed(call, housekeeping.clean_session(store, force=call.flag("--force")))


def sweep(call: CommandCall) -> int:
    """Remove what nobody needs any more."""
    store = open_workspace(call, forgiving=False).files
    return answer_removed(call, housekeeping.sweep_sessions(store))


def answer_removed(call: CommandCall, cleared: Cleared) -> int:
    """Say what is gone."""
    text = f"Removed {count_of(cleared.artifacts, 'artifact')} ({human_bytes(cleared.bytes)} freed)\n"
    return print_answer(call, "removed", cleared._asdict(), text)


def artifact_fields(artifact: Artifact) -> dict[str, object]:
    """An artifact for programs."""
    size = artifact.size
    fields: dict[str, object] = {
        "id": artifact.id,
        "content_type": artifact.content_type,
        "bytes": size.bytes,
        "chars": size.chars,
        "lines": size.lines,
        "tokens": size.tokens,
        "created": stamp_of(artifact.created),
        "source_tool": artifact.source_tool,
        "source": artifact.source,
        "sha256": artifact.sha256,
    }
    if artifact.is_binary:
        fields |= {"binary": True, "searched_for_secrets": False}
    if artifact.whole is not None:
        fields |= {"partial": True, "whole_bytes": artifact.whole.bytes}
    return fields


def moment_of(seconds: float) -> str:
    """A moment as people read it.

    >>> moment_of(1730902967)
    '2024-11-06 14:22:47 UTC'
    """
    import time

    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def stamp_of(seconds: float) -> str:
    """A moment as programs read it.

    >>> stamp_of(1730902967)
    '2024-11-06T14:22:47Z'
    """
    import time

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _artifact_row(artifact: Artifact, name: str) -> Sequence[str]:
    source = artifact.source_tool or artifact.source
    return name, human_bytes(artifact.size.bytes), visible(artifact.content_type), visible(source)


def _more_cells(artifact: Artifact, texts: KeptTexts) -> Sequence[str]:
    """How old an artifact is, how many characters the model got for it, our words included, and how it begins."""
    age = short_age(time.time() - artifact.created)
    with texts.open(artifact.id, "") as found:
        if found is None:
            return age, "", ""
        content = found.reader.read(0, min(artifact.size.bytes, 4 * BEGINNING_CHARS))
    first = content.decode("utf-8", "replace").strip().partition("\n")[0]
    clipped = first if len(first) <= BEGINNING_CHARS else f"{first[: BEGINNING_CHARS - 3]}..."
    return age, f"{found.shown.view:,}" if found.shown else "", visible(clipped)


AGES = (("d", 86_400), ("h", 3_600), ("m", 60))


def short_age(seconds: float) -> str:
    """How long ago, in the largest unit that is whole.

    >>> short_age(59.9), short_age(3_700), short_age(200_000)
    ('59s', '1h', '2d')
    """
    for unit, length in AGES:
        if seconds >= length:
            return f"{int(seconds // length)}{unit}"
    return f"{max(0, int(seconds))}s"
