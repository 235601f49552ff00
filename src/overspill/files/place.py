"""Where artifacts lie: below a root, or, where that may not be written, below the user's state directory."""

import os
from collections.abc import Mapping
from contextlib import suppress

from overspill._lite import sha256
from overspill.errors import StoreError, UsageError
from overspill.files.safe import FORBIDDEN, create_file, make_directory, open_directory, store_error

STATE_OF_A_PROJECT = ".acode"
STORAGE = f"{STATE_OF_A_PROJECT}/artifacts"


class StorePlace:
    """A directory of artifacts below a root, made when something is first kept."""

    def __init__(self, root: str, storage: str = STORAGE) -> None:
        self.root = os.path.abspath(root)
        self.steps = [step for step in storage.split("/") if step not in {"", "."}]
        if ".." in self.steps or storage.startswith("/") or not self.steps:
            raise UsageError(f"storage_path {storage!r} must lie below the root")
        self.path = os.path.join(self.root, *self.steps)

    def open(self) -> int | None:
        """A descriptor of the directory, or None if there is none."""
        return self._walk(make=False)

    def make(self, *, durable: bool = False) -> int:
        """A descriptor of the directory, made if need be; if it is to outlast a power cut, so is the way to it."""
        found = self._walk(make=False)
        if found is None:
            found = self._walk(make=True, durable=durable)
            assert found is not None  # noqa: S101  # what was made is there
        return found

    def _walk(self, *, make: bool, durable: bool = False) -> int | None:
        try:
            at = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            if make:
                raise StoreError(f"the root {self.root} is not there") from None
            return None
        last = len(self.steps) - 1
        for depth, step in enumerate(self.steps):
            try:
                private = depth == last
                following = (
                    make_directory(step, at, private=private, durable=durable)
                    if make
                    else open_directory(step, at, private=private)
                )
                if make and step == STATE_OF_A_PROJECT and following is not None:
                    _write_gitignore(following)
            finally:
                os.close(at)
            if following is None:
                return None
            at = following
        return at

    def remove_if_empty(self) -> None:
        """Remove the directory itself, if nothing is left in it."""
        with suppress(OSError):
            os.rmdir(self.path)


def is_writable(place: StorePlace) -> bool:
    """Whether something could be kept there, as far as the system says without trying."""
    path = place.root
    for step in ["", *place.steps]:
        following = os.path.join(path, step)
        if not os.path.lexists(following):
            break
        path = following
        if step and os.lstat(path).st_uid != os.geteuid():
            return False
    return os.access(path, os.W_OK | os.X_OK)


def state_directory(environ: Mapping[str, str]) -> str | None:
    """The directory for what outlives a root, or None when the user has no home."""
    base = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        home = environ.get("HOME", "")
        base = os.path.join(home, ".local", "state") if os.path.isabs(home) else ""
    return os.path.join(base, "overspill") if base else None


def fallback_place(place: StorePlace, state: str) -> StorePlace:
    """The place that stands in for a root that may not be written."""
    name = sha256(os.fsencode(os.path.realpath(place.root))).hexdigest()[:26]
    return StorePlace(state, f"roots/{name}/artifacts")


def choose_place(
    root: str, storage: str, state: str | None, *, explicit: bool
) -> tuple[StorePlace, StorePlace | None, str]:
    """Where to write, where else to read, and what to say about it.

    A root that somebody named is taken at his word: what cannot be kept there is refused.
    """
    place = StorePlace(root, storage)
    if state is None:
        return place, None, ""
    stand_in = fallback_place(place, state)
    if explicit or is_writable(place):
        return place, None, ""
    said_so = f"{place.root} may not be written; artifacts are kept below {stand_in.path}"
    return stand_in, place, said_so


def make_state_directory(state: str) -> int | None:
    """A descriptor of the state directory, made if need be; None if it cannot be had."""
    for _ in range(2):
        try:
            return os.open(state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            with suppress(OSError):
                os.makedirs(state, 0o700, exist_ok=True)
    return None


def storage_error(error: OSError, place: StorePlace) -> StoreError:
    """Why nothing can be kept there."""
    if error.errno in FORBIDDEN:
        return StoreError(f"{place.path} may not be written ({error.strerror}); name another root with --root")
    return store_error(error, f"keeping an artifact below {place.path}")


def _write_gitignore(directory: int) -> None:
    with suppress(OSError):
        create_file(".gitignore", directory, b"*\n")
