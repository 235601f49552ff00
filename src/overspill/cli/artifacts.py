"""`spill artifacts list | info | put | export | keep | rm | clean | sweep`, and `spill purge`: nothing is left."""

from __future__ import annotations

import os
import re
import sys
import time
from itertools import chain

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.cli.opening import open_workspace, path_from_root
from overspill.cli.output import (
    Progress,
    StopSignals,
    dumps,
    input_chunks,
    note,
    print_answer,
    repeat_command,
    success_envelope,
    watched_write,
    write_text,
)
from overspill.cli.tables import Listing, PageAnchor, anchor_by, answer_page, count_of, visible
from overspill.core import human_bytes
from overspill.core.report import origin_words
from overspill.errors import InputError, OverspillError, UsageError
from overspill.report import KeptTexts
from overspill.retrieve.access import access_for, fetch_all
from overspill.store import ArtifactPage, Cleared, full_id, housekeeping

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from overspill.cli.arguments import CommandCall
    from overspill.core.report import Artifact
    from overspill.store.files import FileStore
    from overspill.workspace import Workspace


HEAD = ("ID", "Size", "Type", "Source")
MORE_HEAD = ("Age", "Shown", "Begins")
BEGINNING_CHARS = 40

# The files of each kind by their names; whatever else lies beside them is somebody else's.
LEDGER = re.compile(r"ledger\.db(?:-wal|-shm|\.damaged-[^/]*)?")
JOURNAL = re.compile(r"journal[^/]*\.jsonl|[^/]*\.lock|lock")
HANDOFFS = re.compile(
    r"\.?phase-[0-9]+-handoff\.json(?:\.[0-9a-f]{16})?|run\.json|context-budget-log[^/]*\.jsonl|\.?lock|[^/]*\.lock"
)


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


def put(call: CommandCall) -> int:
    """Keep a file or standard input, cleaned and redacted like everything that is kept, and print its id."""
    with StopSignals() as stop:
        status = keep_input(call, input_chunks(call.arguments, stop, watched=True))
        return stop.status or status


def keep_input(call: CommandCall, chunks: Iterator[bytes]) -> int:
    """Keep what comes, as far as it comes."""
    from overspill.fit import ingest, keep_whole, safe_call
    from overspill.fit.prepare import ToolCall

    workspace = open_workspace(call)
    tool, name = call.text("--tool") or "", call.arguments[0] if call.arguments else "-"
    source = call.text("--source") or ("" if name == "-" else path_from_root(workspace, name))
    first = next(chunks, b"")
    second, rest = next_or_failure(chunks)
    content_type = call.text("--type") or media_type_of(first, name, whole=not second)
    # A source is often a command line, and command lines hold secrets, too; so may every other word.
    about = safe_call(workspace, ToolCall(tool, source=source, content_type=content_type))
    policy = workspace.policy(tool)._replace(store=True, on_oversize="error", strategy="tail")
    policy = policy._replace(keep_binary=policy.keep_binary or call.flag("--binary"))
    prepared = ingest(workspace, chain((first, second), rest), policy, about, most=policy.max_artifact_size)
    if (kind := prepared.cleaned.get("binary")) and not policy.keep_binary:
        raise UsageError(
            f"{name[:200]!r} holds bytes that are no text ({kind}); nothing was kept; --binary keeps them as they are"
        )
    artifact = keep_whole(workspace, prepared, policy, about)
    if artifact.is_binary:
        note("spill: kept as it came: bytes that are no text are not searched for secrets")
    if left := prepared.cleaned.get("binary_bytes"):
        note(f"spill: {left:,} bytes of it are no text, and are counted in their place; --binary keeps it as it is")
    if prepared.incomplete:
        note("spill: a part could not be examined for secrets and is hidden whole")
    print_answer(call, "artifact", artifact_fields(artifact), f"{artifact.id}\n")
    if not prepared.ended:
        return 0
    note(f"spill: kept what came until then: {prepared.ended}")
    return InputError.exit_code


def next_or_failure(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The next chunk and the rest; a failure is left to whoever reads the rest, and has what came before by then."""
    try:
        return next(chunks, b""), chunks
    except OverspillError as error:
        return b"", map(raise_error, (error,))


def raise_error(error: OverspillError) -> bytes:
    """What a failed reading gives: the failure."""
    raise error


def media_type_of(beginning: bytes, name: str, *, whole: bool) -> str:
    """The media type of a text, by its name and its first chunk."""
    from overspill.fit.prepare import MEDIA_TYPES, media_type_by_name
    from overspill.kinds import sniff

    text = beginning.decode(errors="replace")
    kind = sniff(text, name=name, total=len(text) + (not whole)).name
    return MEDIA_TYPES.get(kind) or media_type_by_name(name)


class Kept(NamedTuple):
    """What is kept beside the artifacts."""

    tasks: int
    files: dict[str, list[str]]  # paths, by kind

    @property
    def bytes(self) -> int:
        return sum(os.lstat(path).st_size for paths in self.files.values() for path in paths if os.path.lexists(path))


def purge(call: CommandCall) -> int:
    """Remove everything that is kept below the root, pinned or not; without --yes only say what that is."""
    here = open_workspace(call, forgiving=False)
    store, everywhere, everything = here.files, call.flag("--everywhere"), call.flag("--all")
    if everything and everywhere:
        raise UsageError("--all is for one root; leave out --everywhere, or --all")
    kept = find_kept(here)
    beside = beside_words(kept)
    if not call.flag("--yes"):
        found = housekeeping.purgeable(store, everywhere=everywhere)
        where = "any root of yours" if everywhere else visible(store.place.root)
        what = f"{count_of(found.artifacts, 'artifact')} ({human_bytes(found.bytes)}) of every session below {where}"
        line = f"spill purge{' --all' if everything else ''}{' --everywhere' if everywhere else ''} --yes"
        stays = f"Would remove as well: {beside}." if everything else f"Would stay, without --all: {beside}."
        text = f"Would remove {what}.\n{stays}\nNothing was removed; this removes them: {repeat_command(call, line)}\n"
        more = _counts(kept) if everything else {"stays": _counts(kept)}
        return print_answer(call, "would_remove", {**found._asdict(), **more}, text)
    with Progress() as progress:
        cleared = housekeeping.purge(
            store, everywhere=everywhere, tell=lambda gone: progress.say(f"removed: {gone:,} artifacts")
        )
    text = f"Removed {count_of(cleared.artifacts, 'artifact')} ({human_bytes(cleared.bytes)} freed)\n"
    if everything:
        remove_kept(here, kept)
        return print_answer(call, "removed", {**cleared._asdict(), **_counts(kept)}, f"{text}Removed {beside}\n")
    left = [f"this stays, without --all: {beside}"] if any(kept.files.values()) else []
    if not call.flag("--json"):
        for words in left:
            note(f"spill: {words}")
        return print_answer(call, "removed", cleared._asdict(), text)
    warnings = [{"code": "W_KEPT", "message": words} for words in left]
    write_text(success_envelope("purge", "removed", cleared._asdict(), warnings=warnings) + "\n")
    return 0


def find_kept(here: Workspace) -> Kept:
    """The tasks, the journal and the hand-offs of a root."""
    from overspill.handoff.folder import HANDOFF_FOLDER

    path = here.ledger_path()
    tasks = 0
    if os.path.lexists(path):
        from overspill.ledger import Ledger

        with Ledger(path, create=False) as ledger:
            tasks = ledger.tasks().count() + ledger.archived_tasks().count()
    folder = os.path.join(here.root, *HANDOFF_FOLDER)
    files = {
        "tasks": list(_own_files(os.path.dirname(path), LEDGER, below=False)),
        "journal": list(_own_files(here.logs.path, JOURNAL, below=False)),
        "handoffs": list(_own_files(folder, HANDOFFS)),
    }
    return Kept(tasks, files)


def remove_kept(here: Workspace, kept: Kept) -> None:
    """Remove them, and the directories that are empty then."""
    from overspill.handoff.folder import HANDOFF_FOLDER
    from overspill.ledger.engine import BESIDE

    for kind in ("tasks", "handoffs", "journal"):
        for path in kept.files[kind]:
            try:
                os.unlink(path)
            except FileNotFoundError:
                continue  # a journal that was turned over meanwhile, or what a database leaves beside itself
            except OSError as error:
                raise InputError(f"cannot remove {path!r}: {(error.strerror or 'failed').lower()}") from None
    for folder in (os.path.join(here.root, *HANDOFF_FOLDER), here.logs.path):
        _remove_empty(folder)
    for name in BESIDE[1:]:
        if os.path.lexists(here.ledger_path() + name):
            os.unlink(here.ledger_path() + name)


def beside_words(kept: Kept) -> str:
    """What is kept beside the artifacts, in words."""
    handoffs = sum(os.path.basename(path).startswith("phase-") for path in kept.files["handoffs"])
    return (
        f"{count_of(kept.tasks, 'task')}, {count_of(handoffs, 'file')} of hand-offs and "
        f"{count_of(len(kept.files['journal']), 'file')} of the journal ({human_bytes(kept.bytes)})"
    )


def _counts(kept: Kept) -> dict[str, object]:
    handoffs = sum(os.path.basename(path).startswith("phase-") for path in kept.files["handoffs"])
    return {"tasks": kept.tasks, "handoffs": handoffs, "journal_files": len(kept.files["journal"])}


def _own_files(folder: str, names: re.Pattern[str], *, below: bool = True) -> Iterator[str]:
    """The plain files of ours in a directory, and below it; no link is followed."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return
    for directory, folders, files in os.walk(folder, followlinks=False):
        for name in sorted(files):
            path = os.path.join(directory, name)
            if names.fullmatch(name) and not os.path.islink(path):
                yield path
        if not below:
            folders.clear()


def _remove_empty(folder: str) -> None:
    for directory, _, _ in sorted(os.walk(folder, topdown=False), reverse=True):
        if not os.listdir(directory):
            os.rmdir(directory)
