"""The log of budgets: one JSON line each time a context was held to its tokens, in `<root>/.agents/rpi`."""

from __future__ import annotations

import os
import time

from overspill._lite import TYPE_CHECKING, in_json
from overspill.files.rotating_log import MAX_FILE_BYTES, MAX_FULL_FILES, append_line, full_files
from overspill.handoff.folder import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.handoff.trim import BudgetResult

NAME = "context-budget-log"
LOG_FILE = f"{NAME}.jsonl"
WIDTH = 200


def budget_line(run_id: str, phase: int, result: BudgetResult, now: float) -> bytes:
    """One application of a budget, as the specification writes it.

    >>> from overspill.handoff.trim import BudgetResult
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
