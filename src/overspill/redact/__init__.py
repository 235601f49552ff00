"""Secrets out of text, before anything is shown, stored or logged.

>>> redact_text("postgres://app:h7Xk2pQ9@db/app")
'postgres://app:REDACTED_PASSWORD@db/app'

Imports `_lite`, `errors`, `version` and, for the cached scan database, `files`. Whatever shows, stores or logs a
text comes in here; whoever has settings takes the redactor of the workspace.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.redact.redactor import Redacted, RedactionReason, Redactor, redact_text, secret_variables
from overspill.redact.stream import RedactStream

if TYPE_CHECKING:
    from overspill.redact.rule import Rule
    from overspill.redact.rules import FORMATS, RULES

__all__ = [
    "FORMATS",
    "RULES",
    "RedactStream",
    "Redacted",
    "RedactionReason",
    "Redactor",
    "Rule",
    "redact_text",
    "secret_variables",
]


def __getattr__(name: str) -> object:
    # A clean text needs no table.
    if name not in {"FORMATS", "RULES", "Rule"}:
        raise AttributeError(f"module 'overspill.redact' has no attribute {name!r}")
    from overspill.redact import rules

    return getattr(rules, name)
