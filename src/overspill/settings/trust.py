"""Who is believed: what a project's own file may not do while the user has not listed the project under `trust`.

Whose artifacts, tasks and quotas these are, where several share a bucket or a database, is what the platform says.
"""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.errors import ConfigError
from overspill.settings.table import (
    BY_PATH,
    PER_TOOL,
    PROJECT_MAX_ARTIFACT,
    PROJECT_MAX_INLINE,
    PROJECT_MAX_RULES,
    TOOLS,
    Setting,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


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
