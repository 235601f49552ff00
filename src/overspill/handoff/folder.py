"""The folder of hand-offs, `.agents/rpi` below the root, and the files in it.

Each step to them is taken from an open directory, so that a link in the way is refused. A file is written beside its
place and put there at once. One of them is the log of budgets: a JSON line each time a context was held to its tokens.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from overspill._lite import TYPE_CHECKING, contextmanager, in_json, suppress
from overspill.errors import InputError, LockTimeout, RuleError
from overspill.files import create_file, read_at, remove_file, sync_file
from overspill.journal import MAX_FILE_BYTES, MAX_FULL_FILES, append_line, full_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from overspill.handoff.select import BudgetResult


HANDOFF_FOLDER = (".agents", "rpi")
MAX_HANDOFF_BYTES = 64 << 20
LOCK_SECONDS = 30.0
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

NAME = "context-budget-log"
LOG_FILE = f"{NAME}.jsonl"
WIDTH = 200


def open_folder(root: str, *, make: bool = False) -> int | None:
    """A descriptor of `.agents/rpi`, to be closed by the caller; None if it is not there."""
    with input_errors(f"cannot open {'/'.join(HANDOFF_FOLDER)}"):
        at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return open_below(at, HANDOFF_FOLDER, make=make)
    finally:
        os.close(at)


@contextmanager
def opened_folder(root: str, *, make: bool = False) -> Iterator[int | None]:
    """A descriptor of the directory, made if asked for; None if it is not there."""
    directory = open_folder(root, make=make)
    try:
        yield directory
    finally:
        if directory is not None:
            os.close(directory)


def open_below(directory: int, steps: Sequence[str], *, make: bool = False) -> int | None:
    """A descriptor of a directory below another, through no link; None if it is not there."""
    at = os.dup(directory)
    with input_errors(f"cannot open {'/'.join(steps)}"):
        for step in steps:
            try:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(step, 0o700, dir_fd=at)
                following = os.open(step, DIRECTORY, dir_fd=at)
            except FileNotFoundError:
                return None
            finally:
                os.close(at)
            at = following
    return at


@contextmanager
def locked_folder(directory: int) -> Iterator[None]:
    """While it lasts, nobody else writes hand-offs there; the kernel gives it back when a process dies."""
    until, pause = time.monotonic() + LOCK_SECONDS, 0.001
    while True:
        try:
            fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.EINTR}:
                raise
        if time.monotonic() >= until:
            raise LockTimeout(f"another process has been writing hand-offs for {LOCK_SECONDS:g} seconds; try again")
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    yield  # given back when the descriptor is closed


def file_content(name: str, directory: int) -> tuple[bytes, float]:
    with input_errors(f"cannot read {name}"):
        file = os.open(name, FILE, dir_fd=directory)
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise RuleError(f"{name}: not a plain file; it is refused")
            if found.st_size > MAX_HANDOFF_BYTES:
                raise RuleError(f"{name}: {found.st_size:,} bytes is larger than a hand-off may be")
            return read_at(file, MAX_HANDOFF_BYTES, 0), found.st_mtime
        finally:
            os.close(file)


def write_at_once(name: str, directory: int, content: bytes) -> None:
    passing = f".{name}.{os.urandom(8).hex()}"
    with input_errors(f"cannot write {name}"):
        try:
            create_file(passing, directory, content, durable=True)
            os.rename(passing, name, src_dir_fd=directory, dst_dir_fd=directory)
        except OSError:
            remove_file(passing, directory)
            raise
        with suppress(OSError):  # some file systems cannot
            sync_file(directory)


def parse_json(content: bytes, where: str) -> object:
    """What JSON says, or an error that names where it stands."""
    import json

    def constant(word: str) -> object:
        raise ValueError(f"{word} is not JSON")

    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=constant)
    except UnicodeDecodeError as error:
        raise RuleError(f"{where}: not UTF-8: {error.reason} at byte {error.start}") from None
    except RecursionError:
        raise RuleError(f"{where}: JSON that is too deep to be read") from None
    except ValueError as error:
        raise RuleError(f"{where}: not JSON: {str(error)[:100]}") from None


@contextmanager
def input_errors(doing: str) -> Iterator[None]:
    """The system's complaints, in a sentence of ours; that nothing is there is for the caller."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise InputError(f"{doing}: a link or a file is in the way; it is refused") from None
        raise InputError(f"{doing}: {(error.strerror or type(error).__name__).lower()}") from None


def budget_line(run_id: str, phase: int, result: BudgetResult, now: float) -> bytes:
    """One application of a budget, as the specification writes it.

    >>> from overspill.handoff.select import BudgetResult
    >>> budget_line("abc123", 2, BudgetResult(3200, 2500, 2480, True), 1772452800)[:60]
    b'{"run_id":"abc123","phase":2,"original_tokens":3200,"budget_'
    """
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    entry = {"run_id": run_id[:WIDTH], "phase": phase, **result._asdict(), "ts": stamp}
    return (in_json(entry) + "\n").encode("utf-8", "backslashreplace")


def log_budget(
    root: str,
    run_id: str,
    phase: int,
    result: BudgetResult,
    *,
    max_size: int = MAX_FILE_BYTES,
    keep: int = MAX_FULL_FILES,
) -> None:
    """Add a line to the log."""
    line = budget_line(run_id, phase, result, time.time())
    directory = open_folder(root, make=True)
    assert directory is not None  # noqa: S101  # it was made
    try:
        append_line(directory, NAME, line, max_size, keep)
    finally:
        os.close(directory)


def budget_entries(root: str) -> Iterator[dict[str, object]]:
    """Every line of the log, oldest first; one that is no JSON object comes as an empty one."""
    import json

    directory = open_folder(root)
    if directory is None:
        return
    try:
        for name in [*full_files(directory, NAME), LOG_FILE]:
            try:
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
            except OSError:
                continue
            with os.fdopen(file, "rb") as lines:
                for line in lines:
                    try:
                        entry = json.loads(line)
                    except (ValueError, RecursionError):
                        entry = {}
                    yield entry if isinstance(entry, dict) else {}
    finally:
        os.close(directory)
