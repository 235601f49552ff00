"""Secrets out of text, before anything is shown, stored or logged.

>>> redact_text("postgres://app:h7Xk2pQ9@db/app")
'postgres://app:REDACTED_PASSWORD@db/app'
"""

from overspill.redact.redactor import Redacted, Redactor, Why, redact_text, secret_variables
from overspill.redact.rule import Rule
from overspill.redact.rules import FORMATS, RULES
from overspill.redact.stream import RedactStream

__all__ = ["FORMATS", "RULES", "RedactStream", "Redacted", "Redactor", "Rule", "Why", "redact_text", "secret_variables"]
