"""One settings file, read safely: from the cache if it is unchanged, else parsed and checked."""

from __future__ import annotations

import os
import stat

from overspill._lite import TYPE_CHECKING
from overspill.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

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
            from overspill.settings import cache as cache_file

            known = cache_file.recall_entries(cache, path, status)
            if known is not None:
                return known
        collected = _collected_settings(path, _file_text(path, handle))
        if collected.problems:
            raise ConfigError(problem_summary(collected.problems))
        entries = tuple((entry.tool, entry.key, entry.value, entry.line) for entry in collected.entries)
        # Only what was read of an unchanging file is remembered.
        if cache is not None and _is_unchanged(status, os.fstat(handle)):
            cache_file.remember_entries(cache, path, status, entries)
        return entries
    finally:
        os.close(handle)


def read_what_is_good(path: str, cache: str | None, mistakes: list[str], *, follow: bool) -> tuple[Raw, ...]:
    """The settings in the file as far as they are right, and the last good value of those that are not."""
    from overspill.settings import cache as cache_file

    last = cache_file.recall_last_good(cache, path) if cache else ()
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
