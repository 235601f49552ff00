"""The redactor that the settings ask for: rules, exceptions, and the secrets of the environment."""

import os
from collections.abc import Mapping
from functools import cache, lru_cache

from overspill._lite import TYPE_CHECKING
from overspill.settings import Settings

if TYPE_CHECKING:
    from typing import Any

    from overspill.redact import Redactor
    from overspill.workspace.scan_database import ScanDatabase

# In every name that promises a secret stands one of these. A path is none, whatever its name; PWD is always there.
_PARTS = ("pass", "pw", "psw", "senha", "contrasena", "key", "auth", "token", "secret", "cred", "bearer", "jwt")


def redactor_of(settings: Settings, environ: Mapping[str, str]) -> "Redactor | None":
    """What hides secrets, or None where the user has switched it off."""
    return redactor_with(settings, environ) if settings.flag("redaction.enabled") else None


def redactor_with(settings: Settings, environ: Mapping[str, str]) -> "Redactor":
    """What hides secrets by these settings, whether or not they switch it on."""
    from overspill.redact import Redactor

    rules: Any = settings.get("redaction.rules")  # their shape was checked when they were read
    return Redactor(
        rules=rules,
        known=secrets_of(environ) if settings.flag("redaction.env") else {},
        allow=settings.names("redaction.allow"),
        generic=settings.text("redaction.generic"),
        patterns="spec" if settings.text("redaction.patterns") == "spec" else "default",
        database=database(),
        off=settings.names("redaction.off"),
    )


def redact_text(text: str) -> str:
    """The text without its secrets: by the default rules, and without the secrets of this environment.

    >>> redact_text("postgres://app:h7Xk2pQ9@db/app")
    'postgres://app:REDACTED_PASSWORD@db/app'
    """
    return _usual(tuple(sorted(secrets_of(os.environ).items()))).redact(text).text


@lru_cache(4)  # an environment seldom changes while a program runs
def _usual(known: tuple[tuple[str, str], ...]) -> "Redactor":
    from overspill.redact import Redactor

    return Redactor(known=dict(known), database=database())


def secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The values of the environment to look for. Judging names and spelling values is only begun if it can matter.

    >>> secrets_of({"PWD": "/home/jo", "PATH": "/bin", "DEPLOY_TOKEN": "hunter2hunter2"})
    {'DEPLOY_TOKEN': 'hunter2hunter2'}
    """
    likely = {name: value for name, value in environ.items() if _likely(name.lower()) and not _path(value)}
    if not likely:
        return {}
    from overspill.redact import secret_variables

    return secret_variables(likely)


def _likely(name: str) -> bool:
    return any(part in name for part in _PARTS)


def _path(value: str) -> bool:
    return value[:1] == "/" and "\n" not in value


@cache
def database() -> "ScanDatabase | None":
    """The compiled rules, read once a process; None where hyperscan is not installed."""
    from overspill.workspace.scan_database import scan_database

    return scan_database()
