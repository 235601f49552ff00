"""The redactor that the settings ask for: rules, exceptions, and the secrets of the environment."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, cast

from overspill.config import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from overspill.redact import Redactor
    from overspill.scan_cache import ScanDatabase


def redactor_of(settings: Settings, environ: Mapping[str, str]) -> "Redactor | None":
    """What hides secrets, or None where the user has switched it off."""
    if not settings.flag("redaction.enabled"):
        return None
    from overspill.redact import Redactor, secret_variables

    return Redactor(
        rules=cast("Sequence[Mapping[str, object]]", settings.get("redaction.rules")),
        known=secret_variables(environ) if settings.flag("redaction.env") else {},
        allow=settings.names("redaction.allow"),
        generic=settings.text("redaction.generic"),
        patterns="spec" if settings.text("redaction.patterns") == "spec" else "default",
        database=_database(),
        off=settings.names("redaction.off"),
    )


@cache
def _database() -> "ScanDatabase | None":
    from overspill.scan_cache import scan_database

    return scan_database()
