"""Hand-offs as files: `.agents/rpi/phase-N-handoff.json` below the root, one a phase.

Each step to them is taken from an open directory, so that a link in the way is refused. A file is
written beside its place and put there at once; one that cannot be used is named with the reason.
"""

from __future__ import annotations

import errno
import os
import stat

from overspill._lite import TYPE_CHECKING, NamedTuple, contextmanager, suppress
from overspill.errors import InputError, RuleError
from overspill.files.safe import create_file, read_at, remove_file, sync_file
from overspill.handoff.checks import Hide, redacted_json
from overspill.handoff.record import PHASE_NAMES, Handoff, handoff_of
from overspill.redact.default import redact_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HANDOFF_FOLDER = (".agents", "rpi")
PATTERN = r"phase-([1-9][0-9]{0,17})-handoff\.json"
LEGACY = r"phase-([1-9][0-9]{0,17})-summary[^/]*\.md"
LEGACY_STATUS = "legacy summary"
MAX_HANDOFF_BYTES = 64 << 20
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


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


def file_name(phase: int) -> str:
    """Where the hand-off of a phase lies."""
    return f"phase-{phase}-handoff.json"


def write_handoff(root: str, handoff: Handoff, hide: Hide = redact_text) -> str:
    """Keep a hand-off in the place of the one before, without secrets; its path."""
    import json

    name = file_name(handoff.phase)
    try:
        safe = handoff_of(redacted_json(handoff.as_mapping(), hide), name)
        content = (json.dumps(safe.as_mapping(), ensure_ascii=False, indent=2) + "\n").encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise RuleError(f"{name}: cannot be written as JSON: {str(error)[:100]}") from None
    if len(content) > MAX_HANDOFF_BYTES:
        raise RuleError(f"{name}: a hand-off of {len(content):,} bytes is too large; keep long texts as artifacts")
    passing = f".{name}.{os.urandom(8).hex()}"
    with _folder(root, make=True) as directory, _input_errors(f"cannot write {name}"):
        assert directory is not None  # noqa: S101  # it was made
        try:
            create_file(passing, directory, content, durable=True)
            os.rename(passing, name, src_dir_fd=directory, dst_dir_fd=directory)
        except OSError:
            remove_file(passing, directory)
            raise
        with suppress(OSError):  # some file systems cannot
            sync_file(directory)
    return os.path.join(root, *HANDOFF_FOLDER, name)


def read_handoffs(
    root: str, *, before: int | None = None, run_id: str | None = None, all_runs: bool = False
) -> FoundHandoffs:
    """The hand-offs of the phases before one, oldest first, of one run: the one named, else the latest.

    A hand-off that names no run is of every run. Where no hand-off is there at all, summaries of old are read.
    """
    with _folder(root) as directory:
        if directory is None:
            return FoundHandoffs()
        found, problems = _read_all(directory, before)
        if not found:
            legacy, more = _read_summaries(directory, before)
            return FoundHandoffs(legacy, (*problems, *more), legacy=bool(legacy))
    run = _latest_run(found) if run_id is None else run_id
    mine = [one for one in found if all_runs or one.handoff.run_id in {"", run}]
    return FoundHandoffs(mine, problems, [one for one in found if one not in mine], run)


def read_handoff(root: str, phase: int) -> StoredHandoff | None:
    """The hand-off of one phase, of whatever run; None if it is not there."""
    name = file_name(phase)
    with _folder(root) as directory:
        if directory is None:
            return None
        try:
            return _read_one(name, phase, directory)
        except FileNotFoundError:
            return None


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
            content, modified = _file_content(name, directory)
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

    with _input_errors("cannot list the hand-offs"):
        matches = [re.fullmatch(pattern, name) for name in os.listdir(directory)]
    numbers = [(int(match[1]), match[0]) for match in matches if match]
    return sorted((phase, name) for phase, name in numbers if before is None or phase < before)


def _read_one(name: str, phase: int, directory: int) -> StoredHandoff:
    content, modified = _file_content(name, directory)
    said = parse_json(content, name)
    if isinstance(said, dict) and said.get("phase") is None:
        said["phase"] = phase
    handoff = handoff_of(said, name)
    if handoff.phase != phase:
        raise RuleError(f"{name}: phase: expected {phase}, as the file is named, got the number {handoff.phase}")
    return StoredHandoff(name, handoff, len(content), modified)


def parse_json(content: bytes, where: str) -> object:
    """What JSON says, or an error that names where it stands."""
    import json

    def constant(word: str) -> object:
        raise ValueError(f"{word} is not JSON")

    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=constant)
    except UnicodeDecodeError as error:
        raise RuleError(f"{where}: not UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise RuleError(f"{where}: not JSON: {str(error)[:100]}") from None


def _file_content(name: str, directory: int) -> tuple[bytes, float]:
    with _input_errors(f"cannot read {name}"):
        file = os.open(name, FILE, dir_fd=directory)
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise RuleError(f"{name}: not a plain file; it is refused")
            if found.st_size > MAX_HANDOFF_BYTES:
                raise RuleError(f"{name}: {found.st_size:,} bytes is larger than a hand-off may be")
            return read_at(file, MAX_HANDOFF_BYTES, 0), found.st_mtime
        finally:
            os.close(file)


def _latest_run(found: Sequence[StoredHandoff]) -> str:
    """The run of the hand-off that was completed last."""
    named = [one for one in found if one.handoff.run_id]
    return max(named, key=_completion_order).handoff.run_id if named else ""


def _completion_order(one: StoredHandoff) -> tuple[float, int]:
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(one.handoff.completed_at)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp(), one.handoff.phase
    except (ValueError, OverflowError):
        return one.modified, one.handoff.phase


@contextmanager
def _folder(root: str, *, make: bool = False) -> Iterator[int | None]:
    """A descriptor of the directory, made if asked for; None if it is not there."""
    directory = open_folder(root, make=make)
    try:
        yield directory
    finally:
        if directory is not None:
            os.close(directory)


def open_folder(root: str, *, make: bool = False) -> int | None:
    """A descriptor of `.agents/rpi`, to be closed by the caller; None if it is not there."""
    with _input_errors(f"cannot open {'/'.join(HANDOFF_FOLDER)}"):
        at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for step in HANDOFF_FOLDER:
            try:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(step, 0o700, dir_fd=at)
                following = os.open(step, DIRECTORY, dir_fd=at)
            except FileNotFoundError:
                return None
            finally:
                os.close(at)
            at = following
        return at


@contextmanager
def _input_errors(doing: str) -> Iterator[None]:
    """The system's complaints, in a sentence of ours; that nothing is there is for the caller."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise InputError(f"{doing}: a link or a file is in the way; it is refused") from None
        raise InputError(f"{doing}: {(error.strerror or type(error).__name__).lower()}") from None
