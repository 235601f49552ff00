"""Modules that need a framework are not imported for their doctests: `make frameworks` runs them where it is."""

from pathlib import Path

ADAPTERS = Path(__file__).parent / "src" / "overspill" / "frameworks"

collect_ignore = [
    str(path) for path in ADAPTERS.glob("*.py") if "\nwith require_extra(" in path.read_text(encoding="utf-8")
]
