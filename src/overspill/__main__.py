"""`python -m overspill` is `spill`."""

from overspill.cli.main import entry

entry()
