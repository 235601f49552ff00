"""`python -m overspill` is `spill`."""

from __future__ import annotations

from overspill.cli.start import entry

entry()
