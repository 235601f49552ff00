"""The redactor that the settings ask for: rules, exceptions, and the secrets of the environment."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, cast

from overspill.config import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from overspill.redact import Redactor
    from overspill.scan_cache import ScanDatabase

# In every name that promises a secret stands one of these. A path is none, whatever its name; PWD is always there.
_PARTS = ("pass", "pw", "psw", "senha", "contrasena", "key", "auth", "token", "secret", "cred", "bearer", "jwt")


def redactor_of(settings: Settings, environ: Mapping[str, str]) -> "Redactor | None":
    """What hides secrets, or None where the user has switched it off."""
    if not settings.flag("redaction.enabled"):
        return None
    from overspill.redact import Redactor

    return Redactor(
        rules=cast("Sequence[Mapping[str, object]]", settings.get("redaction.rules")),
        known=secrets_of(environ) if settings.flag("redaction.env") else {},
        allow=settings.names("redaction.allow"),
        generic=settings.text("redaction.generic"),
        patterns="spec" if settings.text("redaction.patterns") == "spec" else "default",
        database=_database(),
        off=settings.names("redaction.off"),
    )


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
def _database() -> "ScanDatabase | None":
    from overspill.scan_cache import scan_database

    return scan_database()
