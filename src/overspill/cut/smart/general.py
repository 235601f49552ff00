"""Any text of lines: what its lines say."""

from overspill.cut.smart.units import PLAIN, Found, Unit
from overspill.spans import Options


def found_in(text: str, options: Options) -> Found:
    """What matters in a text of lines."""
    at = text.find(options.focus) if options.focus else -1
    return Found([Unit(at, at + len(options.focus), PLAIN, "focus")] if at >= 0 else [])
