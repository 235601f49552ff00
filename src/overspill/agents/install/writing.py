"""Writes what was planned: all files, or none."""

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress

from overspill.agents.install.backups import Backups, FileBackup
from overspill.agents.install.plan import CHANGED, CREATED, PUT_ASIDE, UNCHANGED, FileChange, read_settings_file
from overspill.errors import InputError

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
    prepared: list[tuple[FileChange, str, tuple[str, ...]]] = []
    done: list[FileChange] = []
    try:
        for change in due:
            made = _make_directories(change)
            prepared.append((change, _prepare_file(change, private=private), made))
        for change, passing, made in prepared:
            _write_backup(change, made, backups)
            _put_in_place(change, passing)
            done.append(change)
    except OSError as error:
        _undo(done, prepared, private=private)
        name = error.filename or (due[len(done)].path if len(done) < len(due) else "")
        raise InputError(f"{name}: {(error.strerror or '').lower()}; nothing was changed") from None
    except ChangedMeanwhile:
        _undo(done, prepared, private=private)
        raise
    gone = [change for change in changes if change.way not in PUT_IN and change.record is not None]
    for change in gone:
        backups.forget(change.path)
    _tidy(path for change in gone if change.after is None and change.record for path in change.record.directories)


def _may_write(change: FileChange) -> None:
    """A file that its owner made read-only is not ours to replace, though a rename could."""
    with suppress(FileNotFoundError):
        if not os.stat(change.path).st_mode & WRITABLE:
            raise InputError(f"{change.path} is read-only; nothing was changed")


def _make_directories(change: FileChange) -> tuple[str, ...]:
    """The directories that had to be made."""
    made: list[str] = []
    folder = os.path.dirname(change.path)
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing) if change.after is not None else ():
        with suppress(FileExistsError):
            os.mkdir(path)
            made.append(path)
    return tuple(made)


def _prepare_file(change: FileChange, *, private: bool) -> str:
    """What will be the file, under a name that nobody reads."""
    if change.after is None:
        return ""
    passing = f"{change.path}.{os.urandom(6).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(passing, flags, 0o600 if private or change.before is not None else 0o666)
    with os.fdopen(file, "wb") as writing:
        writing.write(change.after)
        with suppress(FileNotFoundError):
            now = os.stat(change.path)
            os.fchmod(file, stat.S_IMODE(now.st_mode))
            with suppress(OSError):
                os.fchown(file, now.st_uid, now.st_gid)
        writing.flush()
        os.fsync(file)
    return passing


def _write_backup(change: FileChange, made: tuple[str, ...], backups: Backups) -> None:
    """The record is there before the change is: whoever dies in between leaves a digest that fits nothing."""
    if change.way in PUT_IN and change.record is not None:
        directories = tuple(dict.fromkeys([*change.record.directories, *made]))
        backups.write(change.path, FileBackup(change.record.before, change.record.after, directories))


def _put_in_place(change: FileChange, passing: str) -> None:
    if read_settings_file(change.path) != change.before:
        raise ChangedMeanwhile
    if change.way == PUT_ASIDE:
        os.replace(change.path, change.path + ASIDE)
    elif change.after is None:
        os.unlink(change.path)
    else:
        os.replace(passing, change.path)


def _undo(
    done: Iterable[FileChange], prepared: Iterable[tuple[FileChange, str, tuple[str, ...]]], *, private: bool
) -> None:
    for change in done:
        with suppress(OSError):
            if change.before is None:
                os.unlink(change.path)
            else:
                back = change._replace(before=change.after, after=change.before)
                os.replace(_prepare_file(back, private=private), change.path)
    for _, passing, made in prepared:
        with suppress(OSError):
            os.unlink(passing)
        _tidy(made)


def _tidy(directories: Iterable[str]) -> None:
    """Remove the directories that we made, if nothing is in them; the deepest first."""
    for path in sorted(set(directories), key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(path)
