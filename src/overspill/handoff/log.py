"""The log of budgets: one JSON line each time a context was held to its tokens.

    <root>/.agents/rpi/
        context-budget-log.jsonl                   the newest lines
        context-budget-log-<us>-<random>.jsonl     a full file; the oldest are removed

A line is one `write` to a file opened for appending, so lines of many processes never mix. A full
file is renamed: a process that still has it open adds its line to it under its new name.
"""

import fcntl
import os
import time
from collections.abc import Iterator

from overspill._lite import in_json
from overspill.handoff.files import open_folder
from overspill.handoff.trim import BudgetResult

FILE_NAME = "context-budget-log.jsonl"
FULL = "context-budget-log-"
MAX_SIZE = 10 << 20
KEEP = 5
TRIES = 3
WIDTH = 200
APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def line_of(run_id: str, phase: int, result: BudgetResult, now: float) -> bytes:
    """One application of a budget, as the specification writes it.

    >>> line_of("abc123", 2, BudgetResult(3200, 2500, 2480, True), 1772452800)[:60]
    b'{"run_id":"abc123","phase":2,"original_tokens":3200,"budget_'
    """
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    entry = {"run_id": run_id[:WIDTH], "phase": phase, **result._asdict(), "ts": stamp}
    return (in_json(entry) + "\n").encode("utf-8", "backslashreplace")


def log_budget(
    root: str, run_id: str, phase: int, result: BudgetResult, *, max_size: int = MAX_SIZE, keep: int = KEEP
) -> None:
    """Add a line to the log; no file grows beyond `max_size` bytes by more than the lines of one moment."""
    line = line_of(run_id, phase, result, time.time())
    directory = open_folder(root, make=True)
    assert directory is not None  # noqa: S101  # it was made
    try:
        size = _append(directory, line)
        if size >= max_size:
            _close_full(directory, max_size, keep)
    finally:
        os.close(directory)


def _append(directory: int, line: bytes) -> int:
    """The size of the file afterwards. A file that was removed in that moment is written once more."""
    for _ in range(TRIES):
        file = os.open(FILE_NAME, APPEND, 0o600, dir_fd=directory)
        try:
            if os.write(file, line) < len(line):
                os.write(file, b"\n")  # the disk was full for a moment: the next line is to begin a line
            found = os.fstat(file)
        finally:
            os.close(file)
        if found.st_nlink:
            break
    return found.st_size


def _close_full(directory: int, max_size: int, keep: int) -> None:
    """Give the newest file its place among the full ones, unless somebody else is about to."""
    try:
        file = os.open(FILE_NAME, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mine, there = os.fstat(file), os.stat(FILE_NAME, dir_fd=directory, follow_symlinks=False)
        if mine.st_ino != there.st_ino or mine.st_size < max_size:
            return
        full = f"{FULL}{time.time_ns() // 1_000:016d}-{os.urandom(4).hex()}.jsonl"
        os.rename(FILE_NAME, full, src_dir_fd=directory, dst_dir_fd=directory)
        for old in full_files(directory)[:-keep]:
            os.unlink(old, dir_fd=directory)
    except (BlockingIOError, FileNotFoundError):
        return
    finally:
        os.close(file)


def full_files(directory: int) -> list[str]:
    """The names of the full files, oldest first."""
    return sorted(name for name in os.listdir(directory) if name.startswith(FULL) and name.endswith(".jsonl"))


def budget_entries(root: str) -> Iterator[dict[str, object]]:
    """Every line of the log, oldest first; one that is no JSON object comes as an empty one."""
    import json

    directory = open_folder(root)
    if directory is None:
        return
    try:
        for name in [*full_files(directory), FILE_NAME]:
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
