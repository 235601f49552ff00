"""What a settings file said the last time, so that an unchanged file costs one small read and no yaml.

Lives in the user's cache directory, owner-only, and is believed only if it is ours, private, whole
and about exactly this file: everything else is a miss. A cache that can't be written is no error.
"""

import binascii
import marshal
import os
import stat
import sys
import time
from collections.abc import Mapping
from typing import Any

from overspill.settings.table import SETTINGS, TOOL_ONLY
from overspill.version import __version__

YOUNG = 2.0  # seconds in which a file can change again without a new time stamp
MAX_CACHE_BYTES = 4 << 20
MOST_FILES = 256

CachedEntry = tuple[str, str, object, int]  # tool or "", key, value, line


def cache_place(environ: Mapping[str, str], root: str | None) -> str | None:
    """Where the cache is kept, or None where there is no place outside the project."""
    home = environ.get("HOME", "")
    base = environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    if not base:
        return None
    place = os.path.join(base, "overspill")
    # A project could bring a cache along. The home directory as a root is the user's own.
    if root and _is_below(place, root) and not (os.path.isabs(home) and _is_below(home, root)):
        return None
    return place


def file_identity(path: str, status: os.stat_result) -> tuple[object, ...]:
    """What has to be equal for the cached entries to be those of this file."""
    rows = "|".join(f"{row.path} {row.check.expected}" for row in (*SETTINGS, *TOOL_ONLY))
    return (
        path,
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        __version__,
        sys.hexversion,
        binascii.crc32(rows.encode()),
    )


def recall_entries(place: str, path: str, status: os.stat_result) -> tuple[CachedEntry, ...] | None:
    """The entries of this very file, or None."""
    try:
        folder = _open_cache(place)
    except OSError:
        return None
    try:
        payload = _read_private(folder, _cache_name(path))
        key, entries = marshal.loads(payload) if payload else (None, None)  # noqa: S302 - ours, private and whole
    except (OSError, ValueError, TypeError, EOFError):
        return None
    finally:
        os.close(folder)
    return entries if key == file_identity(path, status) else None


def remember_entries(place: str, path: str, status: os.stat_result, entries: tuple[CachedEntry, ...]) -> None:
    """Keep the entries for the next time."""
    if abs(time.time() - max(status.st_mtime, status.st_ctime)) < YOUNG:
        return
    name = _cache_name(path)
    temporary = f"{name}.{os.getpid()}.tmp"
    try:
        content: Any = (file_identity(path, status), entries)
        payload = marshal.dumps(content)
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        if not os.path.isdir(place):
            os.mkdir(place, 0o700)
        folder = _open_cache(place)
    except (OSError, ValueError):
        return
    try:
        _prune(place)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(temporary, flags, 0o600, dir_fd=folder)
        try:
            os.write(handle, binascii.crc32(payload).to_bytes(4, "big") + payload)
        finally:
            os.close(handle)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        _forget(folder, temporary)
    finally:
        os.close(folder)


def _is_below(path: str, root: str) -> bool:
    path, root = os.path.realpath(path), os.path.realpath(root)
    return path == root or path.startswith(root.rstrip("/") + "/")


def _cache_name(path: str) -> str:
    raw = os.fsencode(path)
    return f"config-{binascii.crc32(raw):08x}{binascii.crc32(raw[::-1]):08x}"


def _open_cache(place: str) -> int:
    """The cache directory, if it is a real one, ours and closed to others."""
    folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    status = os.fstat(folder)
    if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
        os.close(folder)
        raise PermissionError(place)
    return folder


def _read_private(folder: int, name: str) -> bytes | None:
    """The whole payload of a file of ours, None if anything about it is odd."""
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        status = os.fstat(handle)
        ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_nlink == 1
        if not ours or stat.S_IMODE(status.st_mode) & 0o077 or status.st_size > MAX_CACHE_BYTES:
            return None
        raw = os.read(handle, status.st_size + 1)
    finally:
        os.close(handle)
    return raw[4:] if raw[:4] == binascii.crc32(raw[4:]).to_bytes(4, "big") else None


def _forget(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        return


def _prune(place: str) -> None:
    """Start over when projects that are long gone have filled the directory."""
    names = [name for name in os.listdir(place) if name.startswith("config-")]
    if len(names) > MOST_FILES:
        for name in names:
            os.unlink(os.path.join(place, name))
