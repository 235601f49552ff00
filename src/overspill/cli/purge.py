"""`spill purge`: nothing is left of what was ever kept, and what stays is said."""

from __future__ import annotations

import os
import re

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.cli.opening import open_workspace
from overspill.cli.output import note, print_answer, repeat_command, write_text
from overspill.cli.output.envelope import success_envelope
from overspill.cli.output.progress import Progress
from overspill.cli.output.tables import count_of, visible
from overspill.core.size import human_bytes
from overspill.errors import InputError, UsageError
from overspill.handoff.folder import HANDOFF_FOLDER
from overspill.ledger.schema import BESIDE
from overspill.store import housekeeping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.workspace import Workspace

# The files of each kind by their names; whatever else lies beside them is somebody else's.
LEDGER = re.compile(r"ledger\.db(?:-wal|-shm|\.damaged-[^/]*)?")
JOURNAL = re.compile(r"journal[^/]*\.jsonl|[^/]*\.lock|lock")
HANDOFFS = re.compile(
    r"\.?phase-[0-9]+-handoff\.json(?:\.[0-9a-f]{16})?|run\.json|context-budget-log[^/]*\.jsonl|\.?lock|[^/]*\.lock"
)


class Kept(NamedTuple):
    """What is kept beside the artifacts."""

    tasks: int
    files: dict[str, list[str]]  # paths, by kind

    @property
    def bytes(self) -> int:
        return sum(os.lstat(path).st_size for paths in self.files.values() for path in paths if os.path.lexists(path))


def run(call: CommandCall) -> int:
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
