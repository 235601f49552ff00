"""Where the ledger lies: below the root, or where artifacts go when that may not be written."""

import os
from collections.abc import Mapping
from contextlib import suppress

from overspill.ledger.schema import FILE_NAME
from overspill.store.place import STORAGE, choose, make_state, refused, state_directory
from overspill.store.safe import create, make_directory


def ledger_path(root: str, environ: Mapping[str, str], *, explicit: bool, make: bool) -> tuple[str, str]:
    """The path of the ledger, its directory made if that is asked for, and what to say about it."""
    place, _, notice = choose(root, STORAGE, state_directory(environ), explicit=explicit)
    steps = place.steps[:-1]
    if make:
        try:
            if notice:
                make_state(place.root)
            _make(place.root, steps)
        except OSError as error:
            raise refused(error, place) from None
    path = os.path.join(place.root, *steps, FILE_NAME)
    return path, f"{root} may not be written; the ledger is kept as {path}" if notice else ""


def _make(root: str, steps: list[str]) -> None:
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for step in steps:
        try:
            below = make_directory(step, at, private=False)
        finally:
            os.close(at)
        at = below
    with suppress(OSError):
        create(".gitignore", at, b"*\n")
    os.close(at)
