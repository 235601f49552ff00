"""What is worth keeping from one run to the next, in the user's cache directory and the owner's alone.

What is read here is trusted, so a file that anybody else could have read or written is not there. Nothing
depends on it: what can't be kept is made again.
"""

import os
from collections.abc import Mapping
from contextlib import suppress

from overspill.errors import StoreError
from overspill.files.safe import open_directory, read_small, replace_file


def cache_directory(environ: Mapping[str, str]) -> str | None:
    """`overspill` in the user's cache directory, or None if there is no such place."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = environ.get("HOME", "")
        base = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return os.path.join(base, "overspill") if base else None


def read_cached(place: str, name: str, most: int) -> bytes | None:
    """All of a file, or None if it is longer than `most` or anything about it or its directory is odd."""
    with suppress(OSError, StoreError):
        directory = open_directory(place)
        if directory is not None:
            try:
                return read_small(name, directory, most)
            finally:
                os.close(directory)
    return None


def write_cached(place: str, name: str, content: bytes) -> bool:
    """Put a file there, at once or not at all; whether it could be done."""
    with suppress(OSError, StoreError):
        os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(place, 0o700)
        directory = open_directory(place)
        if directory is not None:
            try:
                replace_file(name, directory, content)
            finally:
                os.close(directory)
            return True
    return False
