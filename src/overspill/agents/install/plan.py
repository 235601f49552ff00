"""What would become of every settings file, and then the writing of it: all files are written, or no file is.

Planning writes nothing. A file that cannot be understood stops the whole plan.
"""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence

from overspill._lite import TYPE_CHECKING, NamedTuple, contextmanager, suppress
from overspill.agents.install import Agent, Around, Backups, FileBackup, Target, is_server, settings_digest
from overspill.agents.install.entries import (
    MISSING,
    THEIRS,
    THERE,
    WITHHELD,
    BadShape,
    SettingsFormat,
    put_in,
    put_in_toml,
    put_whole,
    state,
    take_out,
    take_out_of_toml,
    take_out_whole,
    toml_state,
    whole_state,
)
from overspill.agents.install.jsonc import BrokenJson, comments, line_and_column, parse_jsonc
from overspill.errors import ConfigError, InputError

if TYPE_CHECKING:
    from overspill.agents.install.entries import SettingsEntry

FORMATS = {
    "json": SettingsFormat(state, put_in, take_out),
    "toml": SettingsFormat(toml_state, put_in_toml, take_out_of_toml),
    "whole": SettingsFormat(whole_state, put_whole, take_out_whole),
}
MAX_SETTINGS_BYTES = 1 << 27  # bytes of a settings file; some agents keep their history in it
MAX_PROJECT_BYTES = 1 << 18  # bytes of one that came with a project: nobody waits for what a stranger wrote
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

UNCHANGED, CREATED, CHANGED, RESTORED, REMOVED, TAKEN_OUT, PUT_ASIDE = (
    "unchanged", "created", "changed", "restored", "removed", "taken out", "put aside",
)  # fmt: skip


class FileChange(NamedTuple):
    """What becomes of one file: its bytes before and after, None where there is no file."""

    target: Target
    path: str  # where links end
    before: bytes | None
    after: bytes | None
    way: str
    states: tuple[str, ...]  # of each entry, as found
    record: FileBackup | None = None  # what is remembered of it


UNREADABLE = (BrokenJson, BadShape, tomllib.TOMLDecodeError, UnicodeDecodeError)
Planner = Callable[[Target, "FileBackup | None"], FileChange]


def planned_changes(agent: Agent, around: Around, backups: Backups, how: Planner) -> list[FileChange]:
    """What becomes of the files of an agent. `ConfigError` names the place in the first one that is broken."""
    changes = []
    for target in _withhold_trust(targets_of(agent, around)):
        try:
            changes.append(how(target, backups.read(settings_place(target).path)))
        except UNREADABLE as error:
            what = f"{target.path}: {_problem_text(error)}. Nothing was changed; mend the file, then run this again"
            raise ConfigError(what).with_help(f"spill init {agent.name} --show") from None
    return changes


def targets_of(agent: Agent, around: Around) -> tuple[Target, ...]:
    """The files of an agent, each with the project that it belongs to."""
    project = "" if around.is_global else around.root
    return tuple(target._replace(project=project) for target in agent.targets(around))


def _withhold_trust(targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """The files, without what would let a server of our name be used unasked, if that server is somebody else's."""
    if not any(THEIRS in _server_states(target) for target in targets):
        return targets
    return tuple(
        target._replace(entries=tuple(entry._replace(is_withheld=entry.trusts_server) for entry in target.entries))
        for target in targets
    )


def _server_states(target: Target) -> list[str]:
    servers = target._replace(entries=tuple(entry for entry in target.entries if entry.is_ours is is_server))
    with suppress(*UNREADABLE):  # which is said when the file's turn comes
        return list(entry_states(servers)) if servers.entries else []
    return []


def install_change(target: Target, record: FileBackup | None) -> FileChange:
    """The file with everything of ours in it."""
    path, before = settings_place(target).path, read_settings_file(target)
    text = before.decode() if before else ""
    formats = FORMATS[target.kind]
    begun = changed = text if text.strip() else target.base
    states = []
    for entry in target.entries:
        states.append(WITHHELD if entry.is_withheld else formats.state(changed, entry))
        changed = formats.take_out(changed, entry, text) if entry.is_withheld else formats.put_in(changed, entry)
    if changed == begun:
        return FileChange(target, path, before, before, UNCHANGED, tuple(states))
    after = changed.encode()
    remembered = FileBackup(
        _original_content(target, before, record), settings_digest(after), record.directories if record else ()
    )
    return FileChange(target, path, before, after, CREATED if before is None else CHANGED, tuple(states), remembered)


def uninstall_change(target: Target, record: FileBackup | None) -> FileChange:
    """The file as it was before; if somebody has written there since, only without what is ours."""
    path, before = settings_place(target).path, read_settings_file(target)
    if before is None:
        return FileChange(target, path, None, None, UNCHANGED, (MISSING,) * len(target.entries), record)
    if record is not None and settings_digest(before) == record.after:
        way = REMOVED if record.before is None else RESTORED
        return FileChange(target, path, before, record.before, way, entry_states(target), record)
    after = _without_entries(target, before.decode(), record)
    if after == before:
        return FileChange(target, path, before, before, UNCHANGED, entry_states(target), record)
    if after is None:
        way = PUT_ASIDE if target.kind == "whole" and THERE not in entry_states(target) else REMOVED
        return FileChange(target, path, before, None, way, entry_states(target), record)
    return FileChange(target, path, before, after, TAKEN_OUT, entry_states(target), record)


class FileStatus(NamedTuple):
    """What is found of ours in one file, or what is wrong with it."""

    target: Target
    states: tuple[str, ...] = ()
    problem: str = ""


def file_statuses(agent: Agent, around: Around) -> tuple[FileStatus, ...]:
    """What is found in the files of an agent."""
    return tuple(map(_file_status, targets_of(agent, around)))


def _file_status(target: Target) -> FileStatus:
    try:
        return FileStatus(target, entry_states(target))
    except UNREADABLE as error:
        return FileStatus(target, problem=_problem_text(error))
    except InputError as error:
        return FileStatus(target, problem=str(error).partition(";")[0])


def entry_states(target: Target) -> tuple[str, ...]:
    """What is found of each entry."""
    content = read_settings_file(target)
    text = content.decode() if content else ""
    formats = FORMATS[target.kind]
    return tuple(formats.state(text if text.strip() else target.base, entry) for entry in target.entries)


class SettingsPlace(NamedTuple):
    """Where a settings file lies: the steps below a directory, none of which may be a link, and its name."""

    base: str
    steps: tuple[str, ...]
    name: str

    @property
    def path(self) -> str:
        return os.path.join(self.base, *self.steps, self.name)

    @contextmanager
    def folder(self, made: list[str] | None = None) -> Iterator[int | None]:
        """A descriptor of the directory of the file, or None if it is not there; what is missing is made, and told."""
        at: int | None = os.open(self.base, FOLDER)
        try:
            for depth in range(1, len(self.steps) + 1):
                if at is not None:
                    above, at = at, _step_down(at, os.path.join(self.base, *self.steps[:depth]), made)
                    os.close(above)
            yield at
        finally:
            if at is not None:
                os.close(at)


def _step_down(at: int, path: str, made: list[str] | None) -> int | None:
    name = os.path.basename(path)
    try:
        return os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=at)
    except FileNotFoundError:
        if made is None:
            return None
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.ENOTDIR}:
            raise
        raise _refusal(path, at) from None
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=at)
        made.append(path)
    return os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=at)


def _refusal(path: str, folder: int) -> InputError:
    """Why what lies at a path is neither read nor written through."""
    found = os.stat(os.path.basename(path), dir_fd=folder, follow_symlinks=False)
    why = "a link, and links in a project are not followed" if stat.S_ISLNK(found.st_mode) else "no directory"
    return InputError(f"{path} is {why}; nothing was changed")


def settings_place(target: Target) -> SettingsPlace:
    """Where a file lies. Links of the user lead on; those of a project are found on the way, and refused."""
    if target.project:
        *steps, name = os.path.relpath(target.path, target.project).split(os.sep)
        return SettingsPlace(os.path.realpath(target.project), tuple(steps), name)
    path = os.path.realpath(target.path)
    base, steps = os.path.dirname(path), []
    while not os.path.isdir(base):
        base, step = os.path.split(base)
        steps.insert(0, step)
    return SettingsPlace(base, tuple(steps), os.path.basename(path))


def read_settings_file(target: Target) -> bytes | None:
    """All of a settings file, or None if it does not exist. Neither a link of a project nor a pipe is opened."""
    place = settings_place(target)
    try:
        with place.folder() as folder:
            return None if folder is None else _read_plain(place, folder, target)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{target.path}: {(error.strerror or '').lower()}; nothing was changed") from None


def _read_plain(place: SettingsPlace, folder: int, target: Target) -> bytes:
    most = MAX_PROJECT_BYTES if target.project else MAX_SETTINGS_BYTES
    try:
        # Without O_NONBLOCK a pipe would be waited for.
        file = os.open(place.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _refusal(place.path, folder) from None
        raise
    with os.fdopen(file, "rb") as reading:
        if stat.S_ISREG(os.fstat(file).st_mode) and len(content := reading.read(most + 1)) <= most:
            return content
    raise InputError(f"{target.path} is no plain file of a sensible size; nothing was changed")


def _without_entries(target: Target, text: str, record: FileBackup | None) -> bytes | None:
    formats = FORMATS[target.kind]
    original = record.before.decode("utf-8", "replace") if record and record.before else None
    changed = text
    for entry in reversed(target.entries):
        changed = formats.take_out(changed, entry, original if _can_parse(target, original) else None)
    if changed == text:
        return text.encode()
    return None if _is_bare(target, changed, record) else changed.encode()


def _is_bare(target: Target, text: str, record: FileBackup | None) -> bool:
    """Whether nothing is left that anybody but us could have written."""
    if record is not None and record.before is not None:
        return False
    if target.kind != "json":
        return not text.strip()
    return not any(comments(text)) and parse_jsonc(text).value == parse_jsonc(target.base).value


def _original_content(target: Target, before: bytes | None, record: FileBackup | None) -> bytes | None:
    """What undoing should give back: what stood there before any of ours did."""
    if before is None or (record is not None and settings_digest(before) == record.after):
        return record.before if record is not None and before is not None else None
    if record is None and all(state in {MISSING, THEIRS} for state in entry_states(target)):
        return before
    return _without_entries(target, before.decode(), record)


def _can_parse(target: Target, text: str | None) -> bool:
    if text is None or target.kind != "json":
        return text is not None
    try:
        return parse_jsonc(text).is_object
    except BrokenJson:
        return False


def _problem_text(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        line, column = line_and_column(error.object[: error.start].decode("utf-8", "replace"), error.start)
        return f"it is not UTF-8 (line {line}, column {column})"
    return f"it is no TOML: {error}" if isinstance(error, tomllib.TOMLDecodeError) else str(error)


def entries_of(change: FileChange) -> list[tuple[SettingsEntry, str]]:
    """Every entry of a file, and what was found of it."""
    return list(zip(change.target.entries, change.states, strict=True))


WRITABLE = 0o222
PUT_IN = {CREATED, CHANGED}
ASIDE = ".edited"  # after the name of a file of ours that somebody changed


class ChangedMeanwhile(Exception):
    """Somebody wrote a file between our looking and our writing."""


def write_changes(changes: Sequence[FileChange], backups: Backups, *, private: bool) -> None:
    """Write every file, each by a rename; what cannot be written in the end leaves all as it was."""
    due = [change for change in changes if change.way != UNCHANGED]
    for change in due:
        _may_write(change)
    prepared: list[tuple[FileChange, str, list[str]]] = []
    done: list[FileChange] = []
    try:
        for change in due:
            made: list[str] = []
            passing = _passing_name(change)
            prepared.append((change, passing, made))  # before anything is made: what fails half-way is undone, too
            _make_directories(change, made)
            _prepare_file(change, passing, private=private)
        for change, passing, made in prepared:
            _write_backup(change, made, backups)
            _put_in_place(change, passing)
            done.append(change)
    except OSError as error:
        _undo(done, prepared, private=private)
        name = error.filename or (due[len(done)].path if len(done) < len(due) else "")
        raise InputError(f"{name}: {(error.strerror or '').lower()}; nothing was changed") from None
    except (ChangedMeanwhile, InputError):
        _undo(done, prepared, private=private)
        raise
    gone = [change for change in changes if change.way not in PUT_IN and change.record is not None]
    for change in gone:
        backups.forget(change.path)
        if change.after is None and change.record is not None:
            _tidy(change, change.record.directories)


def _may_write(change: FileChange) -> None:
    """A file that its owner made read-only is not ours to replace, though a rename could."""
    found = _file_stat(change)
    if found is not None and not found.st_mode & WRITABLE:
        raise InputError(f"{change.path} is read-only; nothing was changed")


def _file_stat(change: FileChange) -> os.stat_result | None:
    place = settings_place(change.target)
    with suppress(FileNotFoundError), place.folder() as folder:
        if folder is not None:
            return os.stat(place.name, dir_fd=folder, follow_symlinks=False)
    return None


def _make_directories(change: FileChange, made: list[str]) -> None:
    """Make the directories that are not there, and add each to `made`."""
    if change.after is not None:
        with settings_place(change.target).folder(made):
            pass


def _passing_name(change: FileChange) -> str:
    """A name that nobody reads, for what will be the file; "" where there will be none."""
    return "" if change.after is None else f"{settings_place(change.target).name}.{os.urandom(6).hex()}.tmp"


def _prepare_file(change: FileChange, passing: str, *, private: bool) -> None:
    """Write what will be the file, under its passing name."""
    if change.after is None:
        return
    place = settings_place(change.target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    now = _file_stat(change)
    with place.folder() as folder:
        file = os.open(passing, flags, 0o600 if private or change.before is not None else 0o666, dir_fd=folder)
    with os.fdopen(file, "wb") as writing:
        writing.write(change.after)
        if now is not None:
            os.fchmod(file, stat.S_IMODE(now.st_mode))
            with suppress(OSError):
                os.fchown(file, now.st_uid, now.st_gid)
        writing.flush()
        os.fsync(file)


def _write_backup(change: FileChange, made: Iterable[str], backups: Backups) -> None:
    """The record is there before the change is: whoever dies in between leaves a digest that fits nothing."""
    if change.way in PUT_IN and change.record is not None:
        directories = tuple(dict.fromkeys([*change.record.directories, *made]))
        backups.write(change.path, FileBackup(change.record.before, change.record.after, directories))


def _put_in_place(change: FileChange, passing: str) -> None:
    if read_settings_file(change.target) != change.before:
        raise ChangedMeanwhile
    place = settings_place(change.target)
    with place.folder() as folder:
        if change.way == PUT_ASIDE:
            os.replace(place.name, place.name + ASIDE, src_dir_fd=folder, dst_dir_fd=folder)
        elif change.after is None:
            os.unlink(place.name, dir_fd=folder)
        else:
            os.replace(passing, place.name, src_dir_fd=folder, dst_dir_fd=folder)


def _undo(done: Iterable[FileChange], prepared: Iterable[tuple[FileChange, str, list[str]]], *, private: bool) -> None:
    for change in done:
        back = change._replace(before=change.after, after=change.before, way=UNCHANGED)
        with suppress(OSError, InputError, ChangedMeanwhile):
            passing = _passing_name(back)
            _prepare_file(back, passing, private=private)
            _put_in_place(back, passing)
    for change, passing, made in prepared:
        place = settings_place(change.target)
        if passing:
            with suppress(OSError, InputError), place.folder() as folder:
                os.unlink(passing, dir_fd=folder)
        _tidy(change, made)


def _tidy(change: FileChange, directories: Iterable[str]) -> None:
    """Remove the directories that we made, if nothing is in them; the deepest first."""
    base = settings_place(change.target).base
    for path in sorted(set(directories), key=len, reverse=True):
        with suppress(OSError, InputError):
            if not change.target.project:
                os.rmdir(path)
                continue
            *steps, name = os.path.relpath(path, base).split(os.sep)
            with SettingsPlace(base, tuple(steps), name).folder() as folder:
                os.rmdir(name, dir_fd=folder)
