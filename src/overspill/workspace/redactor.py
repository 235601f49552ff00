"""The redactor that the settings ask for: rules, exceptions, and the secrets of the environment."""

from collections.abc import Mapping

from overspill._lite import TYPE_CHECKING
from overspill.redact.default import database, secrets_of
from overspill.settings import Settings

if TYPE_CHECKING:
    from typing import Any

    from overspill.redact import Redactor


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
