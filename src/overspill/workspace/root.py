"""Which directory is the root: below it lie the settings of a project, its artifacts and its ledger."""

import os
import stat
from collections.abc import Mapping

from overspill.errors import InputError

FOLDERS = (".agent", ".acode")
REPOSITORY = ".git"  # a directory, or a file in a worktree


def find_root(explicit: str | None, environ: Mapping[str, str], cwd: str) -> str:
    """The root that was named, else the nearest project at or above `cwd`, else `cwd` itself."""
    named = named_root(explicit, environ)
    if named:
        path = os.path.normpath(os.path.join(cwd, named))
        if not os.path.isdir(path):
            raise InputError(f"the root {named[:200]!r} is not a directory")
        return path
    # A derived root that may not be written is the file store's affair: it falls back to the user's state directory.
    start = os.path.normpath(cwd)
    return next((path for path in _upwards(start) if mark_of(path)), start)


def working_directory() -> str:
    """Where this process is, which may have been removed meanwhile."""
    try:
        return os.getcwd()  # pathlib costs a start-up
    except OSError:
        raise InputError("the working directory is gone") from None


def named_root(explicit: str | None, environ: Mapping[str, str]) -> str | None:
    """The root as somebody named it, whose word is taken for it: what cannot be kept there is refused."""
    return explicit or environ.get("OVERSPILL_ROOT") or None


def _upwards(path: str) -> list[str]:
    """`path` and every directory above it.

    >>> _upwards("/srv/app")
    ['/srv/app', '/srv', '/']
    """
    found = [path]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found


def mark_of(path: str) -> str:
    """What makes this directory a project; "" if it is none.

    A link counts as what it leads to: one that leads nowhere marks nothing, as it does for git.
    """
    mark = next((name for name in FOLDERS if os.path.isdir(os.path.join(path, name))), "")
    if not mark and os.path.exists(os.path.join(path, REPOSITORY)):
        mark = REPOSITORY
    return "" if mark and _is_everybodys(path) else mark


def _is_everybodys(path: str) -> bool:
    """Whether it is a place like /tmp, where anybody may put something: what marks a project says nothing there.

    Sandboxes leave an empty `.git` in it, and a stranger may leave settings. Without the sticky bit it may be a
    project on a file system that knows no permissions.
    """
    shared = stat.S_IWOTH | stat.S_ISVTX
    try:
        return os.stat(path).st_mode & shared == shared
    except OSError:
        return False
