"""Settings files: each is read safely, from the cache if it is unchanged, else parsed and checked; and who is believed.

An unchanged file costs one small read and no yaml: its cache is owner-only, and is believed only if it is whole and
about exactly this file.

A project's own file may not do everything while the user has not listed the project under `trust`. Whose artifacts,
tasks and quotas these are, where several share a bucket or a database, is what the platform says.
"""

from __future__ import annotations

import binascii
import marshal
import os
import stat
import sys
import time

from overspill._lite import TYPE_CHECKING, compile_pattern, suppress
from overspill.errors import ConfigError
from overspill.files import cache_directory, read_cached, write_cached
from overspill.settings.table import (
    BY_PATH,
    PER_TOOL,
    PROJECT_MAX_ARTIFACT,
    PROJECT_MAX_INLINE,
    PROJECT_MAX_RULES,
    SETTINGS,
    TOOL_ONLY,
    TOOLS,
    Setting,
)
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from overspill.settings.yaml_file import Collected


MAX_FILE_BYTES = 1_000_000

Raw = tuple[str, str, object, int]  # tool, key, value, line: an entry as the cache holds it


def read_settings(path: str, cache: str | None, *, follow: bool) -> tuple[Raw, ...]:
    """The settings in the file `path`, all of them checked. A wrong file raises `ConfigError`.

    `follow` says whether the file may be a link: the user's own may, one in a project may not.
    """
    handle = _open_file(path, follow=follow)
    try:
        status = os.fstat(handle)
        if cache is not None:
            known = recall_entries(cache, path, status)
            if known is not None:
                return known
        collected = _collected_settings(path, _file_text(path, handle))
        if collected.problems:
            raise ConfigError(problem_summary(collected.problems))
        entries = tuple((entry.tool, entry.key, entry.value, entry.line) for entry in collected.entries)
        # Only what was read of an unchanging file is remembered.
        if cache is not None and _is_unchanged(status, os.fstat(handle)):
            remember_entries(cache, path, status, entries)
        return entries
    finally:
        os.close(handle)


def read_what_is_good(path: str, cache: str | None, mistakes: list[str], *, follow: bool) -> tuple[Raw, ...]:
    """The settings in the file as far as they are right, and the last good value of those that are not."""
    last = recall_last_good(cache, path) if cache else ()
    try:
        handle = _open_file(path, follow=follow)
        try:
            collected = _collected_settings(path, _file_text(path, handle))
        finally:
            os.close(handle)
    except ConfigError as error:
        mistakes.append(f"{error}; {'what it said before is' if last else 'the defaults are'} in force")
        return last
    before = {(tool, key): entry for entry in last for tool, key in [entry[:2]] if (tool, key) in collected.wrong}
    mistakes += (
        f"{problem}; {'its last good value' if before else 'the default'} is in force" for problem in collected.problems
    )
    return (*before.values(), *((entry.tool, entry.key, entry.value, entry.line) for entry in collected.entries))


def file_problems(path: str, *, follow: bool) -> tuple[str, ...]:
    """Everything that is wrong with the file, a sentence each."""
    try:
        handle = _open_file(path, follow=follow)
    except ConfigError as error:
        return (str(error),)
    try:
        return _collected_settings(path, _file_text(path, handle)).problems
    except ConfigError as error:
        return (str(error),)
    finally:
        os.close(handle)


def problem_summary(found: tuple[str, ...]) -> str:
    """The first problem, and how to see the others."""
    rest = len(found) - 1
    return f"{found[0]} (and {rest} more: `spill config check`)" if rest else found[0]


def _open_file(path: str, *, follow: bool) -> int:
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    if not follow:
        flags |= os.O_NOFOLLOW
        if os.path.islink(os.path.dirname(path)) or os.path.islink(path):
            raise ConfigError(f"{path}: a link; a project's settings have to be a file of the project")
    try:
        handle = os.open(path, flags)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_FILE_BYTES:
        return handle
    os.close(handle)
    what = f"larger than {MAX_FILE_BYTES} bytes" if stat.S_ISREG(status.st_mode) else "not a regular file"
    raise ConfigError(f"{path}: {what}, so it is not read as settings")


def _file_text(path: str, handle: int) -> str:
    raw = b""
    while len(raw) <= MAX_FILE_BYTES and (more := os.read(handle, MAX_FILE_BYTES + 1 - len(raw))):
        raw += more
    if len(raw) > MAX_FILE_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_FILE_BYTES} bytes, so it is not read as settings")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: not UTF-8") from None


def _collected_settings(path: str, text: str) -> Collected:
    from overspill.settings.yaml_file import Unreadable, collect, parse_yaml

    try:
        return collect(parse_yaml(text), lambda line: f"{path}:{line}")
    except Unreadable as error:
        raise ConfigError(f"{path}:{error.line}: {error.problem}") from None


def _is_unchanged(before: os.stat_result, after: os.stat_result) -> bool:
    return (before.st_size, before.st_mtime_ns, before.st_ctime_ns) == (
        after.st_size,
        after.st_mtime_ns,
        after.st_ctime_ns,
    )


def is_there(path: str) -> bool:
    """Whether there is anything of that name."""
    return os.path.lexists(path)


def project_file(root: str) -> str | None:
    """The project's own settings file, or None."""
    return _one_of(os.path.join(root, ".agent", "config"))


def user_file(environ: Mapping[str, str]) -> str | None:
    """The user's settings file, or None if it is not there."""
    place = user_place(environ)
    return _one_of(place.removesuffix(".yml")) if place else None


def user_place(environ: Mapping[str, str]) -> str | None:
    """Where the user's settings file belongs; None without a home directory."""
    base = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".config")
    return os.path.join(base, "overspill", "config.yml")


def _one_of(stem: str) -> str | None:
    found = [path for path in (stem + ".yml", stem + ".yaml") if os.path.lexists(path)]
    if len(found) > 1:
        raise ConfigError(f"{found[0]} and {os.path.basename(found[1])} are both there; keep one of them")
    return found[0] if found else None


def is_trusted(root: str, trusted: object, environ: Mapping[str, str]) -> bool:
    """Whether the user's own file lists this root."""
    if not isinstance(trusted, tuple):
        return False
    home = environ.get("HOME", "")
    here = os.path.realpath(root)
    return any(
        os.path.realpath(home + place[1:] if place.startswith("~/") else place) == here
        for place in trusted
        if home or not place.startswith("~/")
    )


def objection(
    tool: str,
    key: str,
    value: object,
    root: str,
    users: Mapping[str, object],
    tools: Mapping[str, Mapping[str, object]],
) -> str | None:
    """Why a project's entry is not followed, or None if it is.

    `users` and `tools` hold what is in force without the project's file.
    """
    row = PER_TOOL[key] if tool else BY_PATH[key]
    current = tools.get(tool, {}).get(key, users.get(TOOLS + key)) if tool else users[key]
    if value == current or (row.joined and not value):
        return None
    if row.project in {"lower", "raise"}:
        return _beyond(row, value, current)
    if row.project in {"gib", "page", "few"}:
        return _too_much(row, value)
    if row.project == "inside" and not _lies_inside(str(value), root):
        return "a project may not move it out of its root"
    return {"never": "a project may not set it", "user": "only the user's own file can say it"}.get(row.project)


def _too_much(row: Setting, value: object) -> str | None:
    if row.project == "gib" and isinstance(value, int) and value > PROJECT_MAX_ARTIFACT:
        return "a project may not set more than 1 GiB"
    if row.project == "page" and isinstance(value, int) and value > PROJECT_MAX_INLINE:
        return f"a project may not show more than {PROJECT_MAX_INLINE:,} characters of a result"
    if row.project == "few" and isinstance(value, tuple) and len(value) > PROJECT_MAX_RULES:
        return f"a project may not add more than {PROJECT_MAX_RULES}; put what is needed everywhere into your own file"
    return None


def _beyond(row: Setting, value: object, current: object) -> str | None:
    if row.check.order is None:
        return None
    change = row.check.order(value) - row.check.order(current)
    if row.project == "lower" and change > 0:
        return f"a project may not raise it above {current}"
    if row.project == "raise" and change < 0:
        return f"a project may not weaken it from {str(current).lower()}"
    return None


def _lies_inside(path: str, root: str) -> bool:
    """Whether `path` stays below `root` by its spelling; links are refused where files are opened.

    >>> [_lies_inside(path, "/srv") for path in ("out/a", "a/../../b", "/tmp", "~/a", ".")]
    [True, False, False, False, False]
    """
    base = os.path.normpath(root)
    return not path.startswith("~") and os.path.normpath(os.path.join(base, path)).startswith(base.rstrip("/") + "/")


DEFAULT_TENANT = "default"
TENANT_VARIABLE = "OVERSPILL_TENANT"
_TENANT = r"[a-z0-9][a-z0-9._-]{0,62}"


def tenant_of(environ: Mapping[str, str]) -> str:
    """Whose artifacts these are: what the platform says, never what a settings file does.

    >>> tenant_of({"OVERSPILL_TENANT": "acme"}), tenant_of({})
    ('acme', 'default')
    """
    name = environ.get(TENANT_VARIABLE) or DEFAULT_TENANT
    if compile_pattern(_TENANT).fullmatch(name) is None:
        raise ConfigError(
            f"{TENANT_VARIABLE} is {name[:100]!r}; a tenant is named by 1 to 63 small letters, digits, dots, dashes "
            "and underscores, and begins with a letter or digit"
        )
    return name


YOUNG = 2.0  # seconds in which a file can change again without a new time stamp
MAX_CACHE_BYTES = 4 << 20
MOST_FILES = 256


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


def recall_entries(place: str, path: str, status: os.stat_result) -> tuple[Raw, ...] | None:
    """The entries of this very file, or None."""
    identity, entries = _recalled(place, path)
    return entries if identity == file_identity(path, status) else None


def recall_last_good(place: str, path: str) -> tuple[Raw, ...]:
    """What the file said when it was last without a mistake, whatever it says now."""
    identity, entries = _recalled(place, path)
    return entries if identity and identity[-3:] == file_identity(path, os.stat_result(range(10)))[-3:] else ()


def _recalled(place: str, path: str) -> tuple[tuple[object, ...], tuple[Raw, ...]]:
    raw = read_cached(place, _cache_name(path), MAX_CACHE_BYTES)
    if not raw or raw[:4] != binascii.crc32(raw[4:]).to_bytes(4, "big"):
        return (), ()
    try:
        identity, entries = marshal.loads(raw[4:])  # noqa: S302 - ours, private and whole
    except (ValueError, TypeError, EOFError):
        return (), ()
    return identity, entries


def remember_entries(place: str, path: str, status: os.stat_result, entries: tuple[Raw, ...]) -> None:
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
