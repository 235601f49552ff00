"""`python -m overspill` is `spill`."""

from overspill.doors.cli import entry

entry()
