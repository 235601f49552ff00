"""Files and directories below a root, opened without being led astray; where a root keeps them; the user's cache.

Every step is taken from an open directory, never through a path: a link, a pipe, a device or a file
of somebody else in the way is refused before a byte is read or written.

A `StorePlace` lies below a root or, where that may not be written, below the user's state directory.

What is read from the cache is trusted, so a file that anybody else could have read or written counts as missing.
Nothing depends on the cache: what can't be kept is made again.

Everything that keeps something on disk stands on it, the database of the ledger apart: settings, journal, store,
hand-offs. It needs `_lite` and `errors` only, and all that comes after it may import it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from overspill._lite import TYPE_CHECKING, contextmanager, sha256, suppress
from overspill.errors import ArtifactDamaged, LockTimeout, NotOurs, NotPlain, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Self, TypeVar

    Content = TypeVar("Content")


TRIES_WHILE_PUBLISHED = 50
PASSING = "t"  # where a file lies while it is written, if it cannot be without a name
LOCK_SECONDS = 10.0
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
FULL = {errno.ENOSPC, errno.EDQUOT}
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
OTHERS = 0o077
LENGTH = 4  # bytes that say how long the first part of a file is


def store_error(error: OSError, doing: str) -> StoreError:
    """The system's complaint as a sentence of ours."""
    if error.errno == errno.EFBIG:
        return StoreError(f"{doing}: a file may not become so large here; raise `ulimit -f` ({error.strerror})")
    if error.errno in FULL:
        full = StoreError(f"{doing}: no space left; free some with `spill artifacts clean` ({error.strerror})")
        return full.with_help("spill artifacts clean")
    if error.errno in {errno.EMFILE, errno.ENFILE}:
        return StoreError(f"{doing}: too many open files; raise `ulimit -n` ({error.strerror})")
    return StoreError(f"{doing}: {error.strerror or type(error).__name__}")


def open_directory(name: str, below: int | None = None, *, private: bool = True) -> int | None:
    """A descriptor of a directory of ours, or None if it is not there."""
    try:
        directory = os.open(name, DIRECTORY, dir_fd=below)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise NotOurs(f"{name!r} in the store is a link or a file, not a directory; it is refused") from None
        raise
    found = os.fstat(directory)
    if found.st_uid != os.geteuid() or (private and found.st_mode & OTHERS):
        os.close(directory)
        raise NotOurs(f"{name!r} in the store belongs to others or is open to them; `chmod 700` or remove it")
    return directory


def make_directory(name: str, below: int, *, private: bool = True, durable: bool = False) -> int:
    """A descriptor of a directory of ours, made if need be."""
    for _ in range(TRIES_WHILE_PUBLISHED):
        directory = open_directory(name, below, private=private)
        if directory is not None:
            return directory
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=below)
            if durable:
                sync_file(below)
    raise StoreError(f"{name!r} is removed as often as it is made")


def open_file(name: str, directory: int, flags: int = os.O_RDONLY) -> int | None:
    """A descriptor of a regular file that is ours alone, or None if it is not there."""
    for attempt in range(TRIES_WHILE_PUBLISHED):
        try:
            file = os.open(name, flags | FILE, 0o600, dir_fd=directory)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.EISDIR}:
                raise NotPlain(f"{name} is not a plain file; it is refused") from None
            raise
        found = os.fstat(file)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & OTHERS:
            if found.st_nlink <= 1:
                return file
            # Two names are normal for a moment, where a file is published by link and unlink, and stay when its
            # writer was killed in that moment.
            if attempt == TRIES_WHILE_PUBLISHED - 1 and _has_passing_name(found, directory):
                return file
            os.close(file)
            if attempt < TRIES_WHILE_PUBLISHED - 1:
                time.sleep(0.001)
                continue
        else:
            os.close(file)
        break
    raise NotPlain(f"{name} is not a plain file that is yours alone; it is refused")


def _has_passing_name(found: os.stat_result, directory: int) -> bool:
    """Whether the one other name of a file is the one under which it was written, below the same directory."""
    if found.st_nlink != 2:  # noqa: PLR2004  # its own name and that one
        return False
    try:
        passing = os.open(PASSING, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    except OSError:
        return False
    try:
        with os.scandir(passing) as names_there:
            return any(entry.inode() == found.st_ino for entry in names_there)
    finally:
        os.close(passing)


def read_small(name: str, directory: int, most: int) -> bytes | None:
    """All of a small file, or None if it is not there; one that is larger than `most` is refused."""
    # Asking for `most` sets that much aside: of a rule database it takes five times as long as reading it.
    return _read_small_by(name, directory, most, _all_of)


def _read_small_by(name: str, directory: int, most: int, read: Callable[[int, int], Content]) -> Content | None:
    """What is read of a small file, by its size."""
    file = open_file(name, directory)
    if file is None:
        return None
    try:
        size = os.fstat(file).st_size
        if size > most:
            raise ArtifactDamaged(f"{name} is larger than such a file can be; it is refused")
        return read(file, size)
    finally:
        os.close(file)


def _all_of(file: int, size: int) -> bytes:
    return read_at(file, size, 0)


def read_at(file: int, length: int, start: int) -> bytes:
    """`length` bytes from `start` on, fewer only at the end of the file."""
    content = os.pread(file, length, start)
    if len(content) == length or not content:
        return content
    parts = [content]
    got = len(content)
    while got < length and (more := os.pread(file, length - got, start + got)):
        parts.append(more)
        got += len(more)
    return b"".join(parts)


def write_all(file: int, content: bytes | memoryview) -> None:
    """Write every byte, however many calls it takes."""
    written = os.write(file, content)
    if written == len(content):
        return
    rest = memoryview(content)
    while written < len(content):
        written += os.write(file, rest[written:])


def create_file(name: str, directory: int, content: bytes, *, durable: bool = False) -> None:
    """Write a new small file under its own name; `FileExistsError` if there is one."""
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | FILE, 0o600, dir_fd=directory)
    try:
        write_all(file, content)
        if durable:
            sync_file(file)
    except OSError:
        remove_file(name, directory)
        raise
    finally:
        os.close(file)


def replace_file(name: str, directory: int, content: bytes) -> None:
    """Put a small file in the place of another, at once or not at all."""
    passing = f"{name}.{os.urandom(8).hex()}"
    create_file(passing, directory, content)
    try:
        os.rename(passing, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:
        remove_file(passing, directory)
        raise


def remove_file(name: str, directory: int) -> bool:
    """Remove a file; whether there was one."""
    try:
        os.unlink(name, dir_fd=directory)
    except OSError:
        return False
    return True


def is_there(name: str, directory: int) -> bool:
    """Whether a directory has something of that name, whatever it is."""
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return False
    return True


@contextmanager
def translated_errors(doing: str) -> Iterator[None]:
    """Let the system's complaints leave as sentences of ours."""
    try:
        yield
    except OSError as error:
        raise store_error(error, doing) from None


def names_in(directory: int) -> list[str]:
    """The names in a directory.

    It is opened afresh: a descriptor has one position, and two threads that list through it at once
    get each other's half.
    """
    try:
        again = os.open(".", DIRECTORY, dir_fd=directory)
    except FileNotFoundError:
        return []  # removed in this moment
    try:
        return os.listdir(again)
    finally:
        os.close(again)


def sync_file(file: int) -> None:
    """Make what was written outlast a power cut."""
    full = getattr(fcntl, "F_FULLFSYNC", None)  # macOS, where fsync leaves it in the drive's cache
    if full is None:
        os.fsync(file)
        return
    try:
        fcntl.fcntl(file, full)
    except OSError:
        os.fsync(file)


class Locked:
    """A lock on a file of a directory, given back on leaving or by the kernel when the process dies.

    It is opened afresh each time, because threads that share a descriptor share the lock. Waiting is
    bounded: a stopped process may hold its lock for ever.
    """

    def __init__(self, name: str, directory: int, *, shared: bool = False, seconds: float | None = None) -> None:

        file = open_file(name, directory, os.O_RDWR | os.O_CREAT)
        if file is None:
            raise FileNotFoundError(errno.ENOENT, "the directory is gone", name)
        self.file: int = file
        kind = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
        seconds = LOCK_SECONDS if seconds is None else seconds
        until, pause = time.monotonic() + seconds, 0.0005
        while True:
            try:
                fcntl.flock(self.file, kind)
            except OSError as error:
                if error.errno not in {errno.EAGAIN, errno.EINTR}:
                    os.close(self.file)
                    raise
            else:
                return
            if time.monotonic() >= until:
                os.close(self.file)
                raise LockTimeout(
                    f"another process has held the store for {seconds:g} seconds; try again when it is done"
                )
            time.sleep(pause)
            pause = min(pause * 2, 0.05)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self.file)


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
        """A descriptor of the directory, or None if it is not there."""
        return self._walk(make=False)

    @contextmanager
    def directory(self) -> Iterator[int | None]:
        """A descriptor of the directory for the length of a block, or None if it is not there."""
        found = self.open()
        try:
            yield found
        finally:
            if found is not None:
                os.close(found)

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
    return stand_in, place, f"{_obstacle(place)}; artifacts are kept below {stand_in.path}"


def _obstacle(place: StorePlace) -> str:
    """Why nothing can be kept there: something stands in its way, or nobody may write."""
    path = place.root
    for step in place.steps:
        path = os.path.join(path, step)
        if os.path.lexists(path) and not os.path.isdir(path):
            return f"{path} is not a directory"
    return f"{place.root} may not be written"


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


def cache_directory(environ: Mapping[str, str]) -> str | None:
    """`overspill` in the user's cache directory, or None if there is no such place."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = environ.get("HOME", "")
        base = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return os.path.join(base, "overspill") if base else None


def read_cached(place: str, name: str, most: int) -> bytes | None:
    """All of a file, or None if it is longer than `most` or anything about it or its directory is odd."""
    return _read_cached_by(place, name, most, _all_of)


def read_cached_parts(place: str, name: str, most: int) -> tuple[bytes, bytes] | None:
    """The two parts of a file: `joined_parts` made it. To cut megabytes out of all of it would copy them."""

    def read(file: int, size: int) -> tuple[bytes, bytes]:
        width = min(int.from_bytes(read_at(file, LENGTH, 0), "little"), size)
        return read_at(file, width, LENGTH), read_at(file, size, LENGTH + width)

    return _read_cached_by(place, name, most, read)


def joined_parts(first: bytes, second: bytes) -> bytes:
    """The content of a file that has two parts: the first says how long it is."""
    return len(first).to_bytes(LENGTH, "little") + first + second


def _read_cached_by(place: str, name: str, most: int, read: Callable[[int, int], Content]) -> Content | None:
    with suppress(OSError, StoreError):
        directory = open_directory(place)
        if directory is not None:
            try:
                return _read_small_by(name, directory, most, read)
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
