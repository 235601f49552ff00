"""The table of rules: keys that are told by their format, most of them of vendors, and what is told otherwise.

The order is the order of importance where two rules meet.
"""

from __future__ import annotations

from overspill.redact.rule import Rule
from overspill.redact.rules.credentials import CONTEXT, FILES
from overspill.redact.rules.vendors import (
    BUILDERS,
    CHATS,
    CLOUDS,
    DATA,
    HOSTS,
    KEYS,
    MODELS,
    PAYMENTS,
    SERVICES,
    WATCHERS,
    WEBHOOKS,
)

FORMATS: tuple[Rule, ...] = (
    KEYS + CLOUDS + HOSTS + CHATS + PAYMENTS + MODELS + BUILDERS + WATCHERS + DATA + SERVICES + WEBHOOKS
)
"""Keys that can be told by their format alone."""

RULES: tuple[Rule, ...] = FORMATS + FILES + CONTEXT
"""All rules of the default set; those after `FORMATS` need a name, a flag or a header beside the value."""

__all__ = ["FORMATS", "RULES", "Rule"]
