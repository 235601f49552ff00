"""Hand-offs as files: `.agents/rpi/runs/<run>/phase-N-handoff.json` below the root, one a phase of each run.

`.agents/rpi/phase-N-handoff.json` is the one of the newest run, that is of the run that began last, or of a phase that
names no run. What lies there is never written over before it lies in the folder of its run as well.

A file that cannot be used is named with the reason.
"""

from __future__ import annotations

import os
import time

from overspill._lite import TYPE_CHECKING, NamedTuple, contextmanager, sha256, suppress
from overspill.errors import InputError, RuleError
from overspill.files import create_file
from overspill.handoff.folder import (
    DIRECTORY,
    HANDOFF_FOLDER,
    MAX_HANDOFF_BYTES,
    file_content,
    input_errors,
    locked_folder,
    open_below,
    opened_folder,
    parse_json,
    write_at_once,
)
from overspill.handoff.formats import PHASE_NAMES, Handoff, handoff_of, joined_handoff
from overspill.handoff.select import Hide, redacted_json
from overspill.redact import redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

RUNS = "runs"
RUN_FILE = "run.json"  # which run a folder is of, and since when
UNNAMED = "unnamed"  # the folder of what named no run and was written over
RUN_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
MOST_RECENT_RUNS = 20  # among which the latest is looked for
MOST_SWEPT = 20  # runs that are removed when a hand-off is written
GONE = ".gone-"  # the folder of a run that is being removed
PATTERN = r"phase-([1-9][0-9]{0,17})-handoff\.json"
RUN_FILES = rf"{PATTERN}|run\.json|\.{PATTERN}\.[0-9a-f]{{16}}"  # all that we leave in the folder of a run
LEGACY = r"phase-([1-9][0-9]{0,17})-summary[^/]*\.md"
LEGACY_STATUS = "legacy summary"


class StoredHandoff(NamedTuple):
    """One hand-off as it lies there."""

    name: str
    handoff: Handoff
    bytes: int
    modified: float


class FoundHandoffs(NamedTuple):
    """What earlier phases left: what can be used, what cannot, and what is of another run."""

    handoffs: Sequence[StoredHandoff] = ()
    problems: Sequence[str] = ()
    ignored: Sequence[StoredHandoff] = ()
    run_id: str = ""
    legacy: bool = False


class WrittenHandoff(NamedTuple):
    """A hand-off that was written, and the one of the same run and phase that was there before."""

    path: str
    stored: StoredHandoff
    before: StoredHandoff | None = None
    swept: Sequence[str] = ()  # the runs that were over and are gone now, by their folders


def file_name(phase: int) -> str:
    """Where the hand-off of a phase lies."""
    return f"phase-{phase}-handoff.json"


def write_handoff(
    root: str,
    handoff: Handoff,
    hide: Hide = redact_text,
    *,
    add: bool = False,
    complete: Callable[[Handoff], Handoff] | None = None,
    keep_runs: float | None = None,
) -> WrittenHandoff:
    """Keep a hand-off without secrets, in the place of the one before, or with `add` together with it.

    `complete` says what everybody can know, of what is written in the end. Runs that nobody used for `keep_runs`
    seconds are removed on this occasion.
    """
    with opened_folder(root, make=True) as directory:
        assert directory is not None  # noqa: S101  # it was made
        with locked_folder(directory):
            before = _read_of_run(directory, handoff.run_id, handoff.phase)
            whole = joined_handoff(before.handoff, handoff) if add and before else handoff
            safe, content = safe_content(whole if complete is None else complete(whole), hide)
            written = _put_in_place(root, directory, safe, content, before)
            swept = [] if keep_runs is None else sweep_runs(directory, time.time() - keep_runs)
            return written._replace(swept=swept)


def _put_in_place(
    root: str, directory: int, handoff: Handoff, content: bytes, before: StoredHandoff | None
) -> WrittenHandoff:
    name = written = file_name(handoff.phase)
    if handoff.run_id:
        with _run_folder(directory, handoff.run_id, make=True) as folder:
            assert folder is not None  # noqa: S101  # it was made
            write_at_once(name, folder, content)
    if handoff.run_id and _is_later_run_there(directory, handoff):
        written = os.path.join(RUNS, folder_name(handoff.run_id), name)
    else:
        _save_other_run(directory, handoff)
        write_at_once(name, directory, content)
    stored = StoredHandoff(written, handoff, len(content), 0.0)
    return WrittenHandoff(os.path.join(root, *HANDOFF_FOLDER, written), stored, before)


def safe_content(handoff: Handoff, hide: Hide) -> tuple[Handoff, bytes]:
    """A hand-off without secrets, and what is written of it."""
    import json

    name = file_name(handoff.phase)
    try:
        safe = handoff_of(redacted_json(handoff.as_mapping(), hide), name)
        content = (json.dumps(safe.as_mapping(), ensure_ascii=False, indent=2) + "\n").encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise RuleError(f"{name}: cannot be written as JSON: {str(error)[:100]}") from None
    if len(content) > MAX_HANDOFF_BYTES:
        raise RuleError(f"{name}: a hand-off of {len(content):,} bytes is too large; keep long texts as artifacts")
    return safe, content


def _save_other_run(directory: int, handoff: Handoff) -> None:
    """Put what lies in the place of the newest run into the folder of its own, if it is not there."""
    name = file_name(handoff.phase)
    try:
        there = _read_one(name, handoff.phase, directory)
    except (OSError, RuleError, InputError):
        return  # nothing, or nothing that could be used
    if there.handoff.run_id == handoff.run_id:
        return
    with _run_folder(directory, there.handoff.run_id, make=True) as folder:
        assert folder is not None  # noqa: S101  # it was made
        with suppress(OSError, RuleError, InputError):
            saved = _read_one(name, handoff.phase, folder)
            if saved.handoff == there.handoff or saved.modified > there.modified:
                return
        write_at_once(name, folder, file_content(name, directory)[0])


def _is_later_run_there(directory: int, handoff: Handoff) -> bool:
    """Whether a run that began later has its hand-offs in the place of the newest, and this phase is not ours there."""
    found, _ = _read_all(directory, None)
    runs = {one.handoff.phase: one.handoff.run_id for one in found}
    if runs.get(handoff.phase) == handoff.run_id:
        return False
    others = set(runs.values())
    if runs.get(handoff.phase) == "":  # in the place of another's
        kept = (_read_folder(directory, name, None)[0] for name in _run_names(directory))
        others |= {one.handoff.run_id for some in kept for one in some if one.handoff.phase == handoff.phase}
    since = _beginning(directory, handoff.run_id)
    return any(_beginning(directory, other) > since for other in others - {"", handoff.run_id})


def _beginning(directory: int, run_id: str) -> tuple[int, str]:
    """When a run wrote its first hand-off; of one that others wrote, nobody knows."""
    since = 0
    with _run_folder(directory, run_id) as folder, suppress(OSError, RuleError, InputError):
        said = None if folder is None else parse_json(file_content(RUN_FILE, folder)[0], RUN_FILE)
        started = said.get("started_ns") if isinstance(said, dict) else None
        since = started if isinstance(started, int) else 0
    return since, run_id


def folder_name(run_id: str) -> str:
    """The folder of a run: its id, or where that is no name for a folder, what can be read of it and a digest.

    >>> folder_name("run-7"), folder_name("../etc"), folder_name("")
    ('run-7', 'etc-f7f9121f', 'unnamed')
    """
    import re

    if not run_id:
        return UNNAMED
    if re.fullmatch(RUN_NAME, run_id) and run_id != UNNAMED:
        return run_id
    digest = sha256(run_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    words = re.sub(r"[^A-Za-z0-9._-]+", "_", run_id).strip("._-")[:40]
    return f"{words}-{digest}" if words else f"run-{digest}"


@contextmanager
def _run_folder(directory: int, run_id: str, *, make: bool = False) -> Iterator[int | None]:
    """A descriptor of the folder of a run; one that is made says of which run it is."""
    name = folder_name(run_id)
    folder = open_below(directory, (RUNS, name), make=make)
    try:
        if make and folder is not None:
            import json

            said = {"run_id": run_id, "started_ns": time.time_ns()}
            with suppress(FileExistsError):
                create_file(RUN_FILE, folder, json.dumps(said).encode() + b"\n")
        yield folder
    finally:
        if folder is not None:
            os.close(folder)


def mark_used(root: str, run_id: str) -> None:
    """Note that a run is at work: somebody is handed what it left."""
    with suppress(OSError, InputError), opened_folder(root) as directory:
        if directory is not None:
            with _run_folder(directory, run_id) as folder:
                if folder is not None:
                    os.utime(RUN_FILE, dir_fd=folder, follow_symlinks=False)


def sweep_runs(directory: int, before: float) -> list[str]:
    """Remove runs that are over, some at a time; their folders' names. Nobody else may be writing.

    A run is over when nothing of it was written or handed over since a moment, and it is not the newest: none of its
    hand-offs lies in the place of the newest run. A folder that holds files of others stays as it is.
    """
    newest = {folder_name(one.handoff.run_id) for one in _read_all(directory, None)[0]}
    runs = open_below(directory, (RUNS,))
    if runs is None:
        return []
    try:
        with suppress(OSError):
            _remove_leftovers(runs)
            with os.scandir(runs) as entries:
                old = [
                    one.name for one in entries if _is_run(one) and one.stat(follow_symlinks=False).st_mtime < before
                ]
            over = [name for name in sorted(old) if name not in newest and _is_unused(runs, name, before)]
            return [name for name in over[:MOST_SWEPT] if _remove_run(runs, name)]
        return []
    finally:
        os.close(runs)


def _is_unused(runs: int, name: str, before: float) -> bool:
    """Whether all in the folder of a run is ours, and older than a moment."""
    import re

    with suppress(OSError):
        folder = os.open(name, DIRECTORY, dir_fd=runs)
        try:
            found = {one: os.stat(one, dir_fd=folder, follow_symlinks=False) for one in os.listdir(folder)}
        finally:
            os.close(folder)
        return all(re.fullmatch(RUN_FILES, one) and facts.st_mtime < before for one, facts in found.items())
    return False


def _remove_run(runs: int, name: str) -> bool:
    """Remove a run. It goes out of sight at once: whoever is killed on the way leaves no half of it to be read."""
    gone = f"{GONE}{os.urandom(8).hex()}"
    with suppress(OSError):
        os.rename(name, gone, src_dir_fd=runs, dst_dir_fd=runs)
        _remove_leftovers(runs)
        return True
    return False


def _remove_leftovers(runs: int) -> None:
    for name in os.listdir(runs):
        if name.startswith(GONE):
            folder = os.open(name, DIRECTORY, dir_fd=runs)
            try:
                for one in os.listdir(folder):
                    os.unlink(one, dir_fd=folder)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=runs)


def read_handoffs(
    root: str, *, before: int | None = None, run_id: str | None = None, all_runs: bool = False
) -> FoundHandoffs:
    """The hand-offs of the phases before one, oldest first, of one run: the one named, else the latest.

    A hand-off that names no run is of every run. Where no hand-off is there at all, summaries of old are read.
    """
    with opened_folder(root) as directory:
        if directory is None:
            return FoundHandoffs()
        found, problems = _read_all(directory, before)
        folders = _run_names(directory)
        for name in _wanted_folders(directory, folders, run_id, all_runs=all_runs):
            more, wrong = _read_folder(directory, name, before)
            found = _once_each([*more, *found])
            problems += wrong
        if not found and not folders:
            legacy, wrong = _read_summaries(directory, before)
            return FoundHandoffs(legacy, (*problems, *wrong), legacy=bool(legacy))
    return chosen_handoffs(found, problems, run_id, all_runs=all_runs)


def chosen_handoffs(
    found: Sequence[StoredHandoff], problems: Sequence[str], run_id: str | None, *, all_runs: bool
) -> FoundHandoffs:
    """Of all that was found, that of one run, the one named, else the latest; or everything."""
    if all_runs:
        return FoundHandoffs(sorted(found, key=_phase_order), problems, (), _latest_run(found))
    run = _latest_run(found) if run_id is None else run_id
    mine = _of_run(found, run)
    if run_id is not None and any(one.handoff.run_id == run for one in mine):
        return FoundHandoffs(mine, problems, (), run)
    others = [one for one in found if one.handoff.run_id not in {"", run}]
    return FoundHandoffs(mine, problems, others, run)


def _wanted_folders(directory: int, folders: Sequence[str], run_id: str | None, *, all_runs: bool) -> Sequence[str]:
    """The folder of the run that is named; where it left nothing, and where none is named, the latest of all."""
    if all_runs:
        return folders
    if run_id and (own := folder_name(run_id)) in folders and _read_folder(directory, own, None)[0]:
        return [own]
    return folders[:MOST_RECENT_RUNS]


def _of_run(found: Sequence[StoredHandoff], run: str) -> list[StoredHandoff]:
    """What a run left, and where it left nothing what names no run; the later one where both did."""
    newest: dict[int, StoredHandoff] = {}
    for one in found:
        theirs = one.handoff.run_id == run or (not one.handoff.run_id and not one.name.startswith(RUNS))
        if theirs and (one.handoff.phase not in newest or _is_later(one, newest[one.handoff.phase])):
            newest[one.handoff.phase] = one
    return [newest[phase] for phase in sorted(newest)]


def _is_later(one: StoredHandoff, other: StoredHandoff) -> bool:
    return _completion_order(one) > _completion_order(other)


def _once_each(found: Sequence[StoredHandoff]) -> list[StoredHandoff]:
    """Each hand-off once: what lies in the folder of a run often lies in the place of the newest as well.

    Where the two differ, another program wrote one of them, and the later one counts.
    """
    kept: dict[tuple[str, int, bool], StoredHandoff] = {}
    for one in found:
        unnamed = not one.handoff.run_id and one.name.startswith(RUNS)
        key = (one.handoff.run_id, one.handoff.phase, unnamed)
        if key not in kept or (kept[key].handoff != one.handoff and one.modified > kept[key].modified):
            kept[key] = one
    return list(kept.values())


def _run_names(directory: int) -> list[str]:
    """The folders of runs, those that were written to last first."""
    folder = open_below(directory, (RUNS,))
    if folder is None:
        return []
    try:
        with input_errors("cannot list the runs"), os.scandir(folder) as entries:
            found = [(entry.stat(follow_symlinks=False).st_mtime, entry.name) for entry in entries if _is_run(entry)]
        return [name for _, name in sorted(found, reverse=True)]
    finally:
        os.close(folder)


def _is_run(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) and not entry.name.startswith(GONE)


def _read_folder(directory: int, name: str, before: int | None) -> tuple[list[StoredHandoff], list[str]]:
    """The hand-offs in the folder of a run."""
    folder = open_below(directory, (RUNS, name))
    if folder is None:
        return [], []
    try:
        found, problems = _read_all(folder, before)
    finally:
        os.close(folder)
    place = os.path.join(RUNS, name)
    return [one._replace(name=os.path.join(place, one.name)) for one in found], [f"{place}/{one}" for one in problems]


def read_handoff(root: str, phase: int, run_id: str | None = None) -> StoredHandoff | None:
    """The hand-off of one phase: of the run that is named, else of the newest; None if it is not there."""
    with opened_folder(root) as directory:
        return None if directory is None else _read_of_run(directory, run_id, phase)


def _read_of_run(directory: int, run_id: str | None, phase: int) -> StoredHandoff | None:
    name = file_name(phase)
    found: list[StoredHandoff] = []
    if run_id:
        with _run_folder(directory, run_id) as folder, suppress(FileNotFoundError):
            if folder is not None:
                own = _read_one(name, phase, folder)
                found.append(own._replace(name=os.path.join(RUNS, folder_name(run_id), name)))
    try:
        top = _read_one(name, phase, directory)
        if run_id is None or top.handoff.run_id == run_id:
            found.append(top)
    except FileNotFoundError:
        pass
    except (RuleError, InputError):
        if run_id is None:
            raise
    return next(iter(_once_each(found)), None)


def _read_all(directory: int, before: int | None) -> tuple[list[StoredHandoff], list[str]]:
    found: list[StoredHandoff] = []
    problems: list[str] = []
    for phase, name in _matching_names(PATTERN, directory, before):
        try:
            found.append(_read_one(name, phase, directory))
        except FileNotFoundError:
            continue
        except (RuleError, InputError) as error:
            problems.append(str(error))
    return found, problems


def _read_summaries(directory: int, before: int | None) -> tuple[list[StoredHandoff], list[str]]:
    """The newest summary of each phase, as a hand-off that holds nothing else."""
    newest: dict[int, StoredHandoff] = {}
    problems: list[str] = []
    for phase, name in _matching_names(LEGACY, directory, before):
        try:
            content, modified = file_content(name, directory)
        except FileNotFoundError:
            continue
        except (RuleError, InputError) as error:
            problems.append(str(error))
            continue
        text = content.decode("utf-8-sig", "replace").strip()
        title = PHASE_NAMES.get(phase, "")
        handoff = Handoff(phase=phase, phase_name=title, status=LEGACY_STATUS, narrative=text)
        one = StoredHandoff(name, handoff, len(content), modified)
        if phase not in newest or (one.modified, one.name) > (newest[phase].modified, newest[phase].name):
            newest[phase] = one
    return [newest[phase] for phase in sorted(newest)], problems


def _matching_names(pattern: str, directory: int, before: int | None) -> list[tuple[int, str]]:
    import re

    with input_errors("cannot list the hand-offs"):
        matches = [re.fullmatch(pattern, name) for name in os.listdir(directory)]
    numbers = [(int(match[1]), match[0]) for match in matches if match]
    return sorted((phase, name) for phase, name in numbers if before is None or phase < before)


def _read_one(name: str, phase: int, directory: int) -> StoredHandoff:
    content, modified = file_content(name, directory)
    return StoredHandoff(name, parsed_handoff(content, name, phase), len(content), modified)


def parsed_handoff(content: bytes, name: str, phase: int) -> Handoff:
    """The hand-off in a content that is kept as one of a phase."""
    said = parse_json(content, name)
    if isinstance(said, dict) and said.get("phase") is None:
        said["phase"] = phase
    handoff = handoff_of(said, name)
    if handoff.phase != phase:
        raise RuleError(f"{name}: phase: expected {phase}, as the file is named, got the number {handoff.phase}")
    return handoff


def _latest_run(found: Sequence[StoredHandoff]) -> str:
    """The run of the hand-off that was completed last."""
    named = [one for one in found if one.handoff.run_id]
    return max(named, key=_completion_order).handoff.run_id if named else ""


def _phase_order(one: StoredHandoff) -> tuple[int, float]:
    return one.handoff.phase, _completion_order(one)[0]


def _completion_order(one: StoredHandoff) -> tuple[float, float, int]:
    """When it was completed as it says, in seconds mostly; then when it was written."""
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(one.handoff.completed_at)
        completed = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        completed = one.modified
    return completed, one.modified, one.handoff.phase
