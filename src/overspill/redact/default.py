"""Redaction without settings: by the default rules, with the compiled database, and the secrets of the environment.

With `database` it is the part of `redact` that touches the world; whoever has settings asks `workspace.redactor`.
"""

import os
from collections.abc import Mapping
from functools import cache, lru_cache

from overspill._lite import TYPE_CHECKING

if TYPE_CHECKING:
    from overspill.redact import Redactor
    from overspill.redact.database import ScanDatabase

# In every name that promises a secret stands one of these. A path is none, whatever its name; PWD is always there.
_PARTS = ("pass", "pw", "psw", "senha", "contrasena", "key", "auth", "token", "secret", "cred", "bearer", "jwt")


def redact_text(text: str) -> str:
    """The text without its secrets: by the default rules, and without the secrets of this environment.

    >>> redact_text("postgres://app:h7Xk2pQ9@db/app")
    'postgres://app:REDACTED_PASSWORD@db/app'
    """
    return _usual(tuple(sorted(secrets_of(os.environ).items()))).redact(text).text


@lru_cache(4)  # an environment seldom changes while a program runs
def _usual(known: tuple[tuple[str, str], ...]) -> "Redactor":
    from overspill.redact.redactor import Redactor

    return Redactor(known=dict(known), database=database())


def secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The values of the environment to look for. Judging names and spelling values is only begun if it can matter.

    >>> secrets_of({"PWD": "/home/jo", "PATH": "/bin", "DEPLOY_TOKEN": "hunter2hunter2"})
    {'DEPLOY_TOKEN': 'hunter2hunter2'}
    """
    likely = {name: value for name, value in environ.items() if _likely(name.lower()) and not _path(value)}
    if not likely:
        return {}
    from overspill.redact.redactor import secret_variables

    return secret_variables(likely)


def _likely(name: str) -> bool:
    return any(part in name for part in _PARTS)


def _path(value: str) -> bool:
    return value[:1] == "/" and "\n" not in value


@cache
def database() -> "ScanDatabase | None":
    """The compiled rules, read once a process; None where hyperscan is not installed."""
    from overspill.redact.database import scan_database

    return scan_database()
