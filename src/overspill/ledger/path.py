"""Where the ledger lies: below the root, or beside the artifacts where the root may not be written.

It is known without the ledger itself, which loads a database.
"""

import os
from contextlib import suppress

from overspill.files.place import STATE_OF_A_PROJECT, make_state, refused
from overspill.files.safe import create, make_directory
from overspill.store.files import FileStore

FILE_NAME = "ledger.db"


def ledger_path(store: FileStore, home: str, *, make: bool = False) -> str:
    """The path of the ledger of a root; its directory is made if that is asked for."""
    root, steps = (store.place.root, store.place.steps[:-1]) if store.stands_in else (home, [STATE_OF_A_PROJECT])
    if make:
        try:
            if store.stands_in and (state := make_state(root)) is not None:
                os.close(state)
            _make(root, steps)
        except OSError as error:
            raise refused(error, store.place) from None
    return os.path.join(root, *steps, FILE_NAME)


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
