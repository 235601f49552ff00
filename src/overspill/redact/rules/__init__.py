"""The table of rules, one file a family. The order is the order of importance where two rules meet."""

from overspill.redact.rule import Rule
from overspill.redact.rules.builders import BUILDERS
from overspill.redact.rules.chats import CHATS
from overspill.redact.rules.clouds import CLOUDS
from overspill.redact.rules.context import CONTEXT
from overspill.redact.rules.data import DATA
from overspill.redact.rules.files import FILES
from overspill.redact.rules.hosts import HOSTS
from overspill.redact.rules.keys import KEYS
from overspill.redact.rules.models import MODELS
from overspill.redact.rules.payments import PAYMENTS
from overspill.redact.rules.services import SERVICES
from overspill.redact.rules.watchers import WATCHERS
from overspill.redact.rules.webhooks import WEBHOOKS

FORMATS: tuple[Rule, ...] = (
    KEYS + CLOUDS + HOSTS + CHATS + PAYMENTS + MODELS + BUILDERS + WATCHERS + DATA + SERVICES + WEBHOOKS
)
"""Keys that can be told by their format alone."""

RULES: tuple[Rule, ...] = FORMATS + FILES + CONTEXT
"""All rules of the default set; those after `FORMATS` need a name, a flag or a header beside the value."""

__all__ = ["FORMATS", "RULES", "Rule"]
