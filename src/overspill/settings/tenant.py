"""Whose artifacts, tasks and quotas these are, where several share a bucket or a database."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

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
