"""What a settings file said the last time, so that an unchanged file costs one small read and no yaml.

Lives in the owner-only cache, and is believed only if it is whole and about exactly this file.
"""

from __future__ import annotations

import binascii
import marshal
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from overspill._lite import suppress
from overspill.files import cache_directory, read_cached, write_cached
from overspill.settings.table import SETTINGS, TOOL_ONLY
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

YOUNG = 2.0  # seconds in which a file can change again without a new time stamp
MAX_CACHE_BYTES = 4 << 20
MOST_FILES = 256

CachedEntry = tuple[str, str, object, int]  # tool or "", key, value, line


def cache_place(environ: Mapping[str, str], root: str | None) -> str | None:
    """Where the cache is kept, or None where there is no place outside the project."""
    home, place = environ.get("HOME", ""), cache_directory(environ)
    # A project could bring a cache along. The home directory as a root is the user's own.
    if place and root and _is_below(place, root) and not (os.path.isabs(home) and _is_below(home, root)):
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
    identity, entries = _recalled(place, path)
    return entries if identity == file_identity(path, status) else None


def recall_last_good(place: str, path: str) -> tuple[CachedEntry, ...]:
    """What the file said when it was last without a mistake, whatever it says now."""
    identity, entries = _recalled(place, path)
    return entries if identity and identity[-3:] == file_identity(path, os.stat_result(range(10)))[-3:] else ()


def _recalled(place: str, path: str) -> tuple[tuple[object, ...], tuple[CachedEntry, ...]]:
    raw = read_cached(place, _cache_name(path), MAX_CACHE_BYTES)
    if not raw or raw[:4] != binascii.crc32(raw[4:]).to_bytes(4, "big"):
        return (), ()
    try:
        identity, entries = marshal.loads(raw[4:])  # noqa: S302 - ours, private and whole
    except (ValueError, TypeError, EOFError):
        return (), ()
    return identity, entries


def remember_entries(place: str, path: str, status: os.stat_result, entries: tuple[CachedEntry, ...]) -> None:
    """Keep the entries for the next time."""
    if abs(time.time() - max(status.st_mtime, status.st_ctime)) < YOUNG:
        return
    content: Any = (file_identity(path, status), entries)
    try:
        payload = marshal.dumps(content)
    except ValueError:
        return
    name = _cache_name(path)
    if write_cached(place, name, binascii.crc32(payload).to_bytes(4, "big") + payload):
        _prune(place, name)


def _is_below(path: str, root: str) -> bool:
    path, root = os.path.realpath(path), os.path.realpath(root)
    return path == root or path.startswith(root.rstrip("/") + "/")


def _cache_name(path: str) -> str:
    raw = os.fsencode(path)
    return f"config-{binascii.crc32(raw):08x}{binascii.crc32(raw[::-1]):08x}"


def _prune(place: str, newest: str) -> None:
    """Start over when projects that are long gone have filled the directory."""
    with suppress(OSError):
        names = [name for name in os.listdir(place) if name.startswith("config-") and name != newest]
        if len(names) > MOST_FILES:
            for name in names:
                os.unlink(os.path.join(place, name))
