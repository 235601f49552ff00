"""What stood in a settings file before we changed it, and a digest of what stood there afterwards.

With both, undoing gives back the very bytes, unless somebody has written there since. Settings may hold secrets,
so the records are their owner's alone.
"""

from __future__ import annotations

import base64
import json
import os

from overspill._lite import TYPE_CHECKING, NamedTuple, sha256
from overspill.errors import InputError, StoreError
from overspill.files.safe import (
    Locked,
    make_directory,
    make_state_directory,
    open_directory,
    read_small,
    remove_file,
    replace_file,
    state_directory,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "agents"
VERSION = 1
MAX_BACKUP_BYTES = 1 << 28


class FileBackup(NamedTuple):
    """What is remembered of one file."""

    before: bytes | None  # None: there was no file
    after: str  # the digest of what we wrote
    directories: tuple[str, ...] = ()  # that we made for it


class Backups:
    """The records of a user, in a directory of his own, open for the length of one command."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._state = state_directory(environ)
        self._directory: int | None = None

    def read(self, path: str) -> FileBackup | None:
        """What is remembered of a file, if anything."""
        directory = self._open_directory()
        content = read_small(_backup_name(path), directory, MAX_BACKUP_BYTES) if directory is not None else None
        try:
            found = json.loads(content) if content else None
            if not found or found["version"] != VERSION:
                return None
            before = None if found["before"] is None else base64.b64decode(found["before"])
            return FileBackup(before, str(found["after"]), tuple(map(str, found["directories"])))
        except (ValueError, KeyError, TypeError):
            return None  # as if nothing was written down: what is ours can still be recognised

    def write(self, path: str, record: FileBackup) -> None:
        """Remember a file, in the place of what was remembered of it."""
        before = None if record.before is None else base64.b64encode(record.before).decode()
        held = {"version": VERSION, "path": path, "before": before, "after": record.after}
        content = json.dumps({**held, "directories": record.directories})
        replace_file(_backup_name(path), self._make_directory(), content.encode("utf-8", "surrogateescape"))

    def forget(self, path: str) -> None:
        """Remember a file no longer."""
        if (directory := self._open_directory()) is not None:
            remove_file(_backup_name(path), directory)

    def lock(self) -> Locked:
        """Keep other commands that change settings away until this one is done."""
        return Locked("lock", self._make_directory())

    def close(self) -> None:
        if self._directory is not None:
            os.close(self._directory)
            self._directory = None

    def _open_directory(self) -> int | None:
        if self._directory is None and self._state is not None:
            try:
                above = os.open(self._state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError:
                return None
            try:
                self._directory = open_directory(FOLDER, above)
            finally:
                os.close(above)
        return self._directory

    def _make_directory(self) -> int:
        if self._open_directory() is None:
            above = make_state_directory(self._state) if self._state else None
            if above is None:
                raise InputError("there is no place for backups; set HOME or XDG_STATE_HOME to a directory of yours")
            try:
                self._directory = make_directory(FOLDER, above)
            finally:
                os.close(above)
        if self._directory is None:
            raise StoreError("the directory of backups is gone")
        return self._directory


def settings_digest(content: bytes) -> str:
    """By which bytes are known again."""
    return sha256(content).hexdigest()


def _backup_name(path: str) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:26] + ".json"
