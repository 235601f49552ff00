"""A log of lines that many processes write at once, in files that are closed when they are full.

    <name>.jsonl                   the newest lines
    <name>-<us>-<random>.jsonl     a full file, named when it was closed; the oldest are removed

A line is written with one `write` to a file opened for appending, so lines of many processes never mix.

A full file is renamed, never copied: a process that still has it open adds its line to it under its
new name. If the file was removed in that moment, the line is written once more. Whoever finds the file
full while another is about to rename it waits for that, or the file would grow as long as that one
waits for a processor; but not for ever, for that one may have been stopped.
"""

from __future__ import annotations

import os
import time

from overspill._lite import suppress

MAX_FILE_BYTES = 10 << 20
MAX_FULL_FILES = 5
TRIES = 3
WAIT, NAP = 0.25, 0.001  # seconds
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def append_line(
    directory: int, name: str, line: bytes, max_size: int = MAX_FILE_BYTES, keep: int = MAX_FULL_FILES
) -> None:
    """Add a line to the newest file of a log, and close that file when it is full.

    No file grows beyond `max_size` bytes by more than a line of each process; `keep` full ones are kept.
    """
    newest = f"{name}.jsonl"
    for _ in range(TRIES):
        file = os.open(newest, _APPEND, 0o600, dir_fd=directory)
        try:
            if os.write(file, line) < len(line):
                os.write(file, b"\n")  # the disk was full for a moment: the next line is to begin a line
            found = os.fstat(file)
        finally:
            os.close(file)
        if found.st_nlink:
            break
    if found.st_size >= max_size:
        with suppress(OSError):  # the line is written; whoever writes the next one closes the file
            _close_full(directory, name, max_size, keep)


def full_files(directory: int, name: str) -> list[str]:
    """The names of the full files, oldest first."""
    from overspill.files import names_in

    return sorted(each for each in names_in(directory) if each.startswith(f"{name}-") and each.endswith(".jsonl"))


def _close_full(directory: int, name: str, max_size: int, keep: int) -> None:
    """Give the newest file its place among the full ones, unless somebody else does."""
    newest = f"{name}.jsonl"
    file = os.open(newest, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        before = full_files(directory, name)  # if the file is still the newest when it is locked, these are still all
        if not _lock_newest(file, directory, newest):
            return
        if not _is_still(file, directory, newest) or os.fstat(file).st_size < max_size:
            return
        full = f"{name}-{_next_number(before, name):016d}-{os.urandom(4).hex()}.jsonl"
        os.rename(newest, full, src_dir_fd=directory, dst_dir_fd=directory)
        for old in before[: max(0, len(before) + 1 - keep)]:
            with suppress(FileNotFoundError):
                os.unlink(old, dir_fd=directory)
    finally:
        os.close(file)


def _next_number(before: list[str], name: str) -> int:
    """Names sort by time, even if the clock was set back, and are nobody's: no file takes another's place."""
    last = before[-1].removeprefix(f"{name}-").partition("-")[0] if before else ""
    return max(time.time_ns() // 1_000, int(last) + 1 if last.isdigit() else 0)


def _lock_newest(file: int, directory: int, newest: str) -> bool:
    """Whether it is ours to rename; False as soon as another has done it, or takes too long."""
    import fcntl

    until = time.monotonic() + WAIT
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until or not _is_still(file, directory, newest):
                return False
            time.sleep(NAP)
        else:
            return True


def _is_still(file: int, directory: int, name: str) -> bool:
    """Whether the file has that name."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(name, dir_fd=directory, follow_symlinks=False))
    except FileNotFoundError:
        return False
