"""One JSON line an event: the only log.

A line is written with one `write` to a file opened for appending, so lines of many processes never
mix. It never holds content, and a journal that cannot be written never stops the work it speaks of.
"""

import os
import time
from collections.abc import Callable, Mapping

from overspill.plain_json import in_json

Journal = Callable[[str, Mapping[str, object]], None]

FILE_NAME = "journal.jsonl"


def silent(event: str, facts: Mapping[str, object]) -> None:
    """A journal for those who keep none."""


def file_journal(directory: str) -> Journal:
    """A journal in `directory`, which is made, for its owner only, when the first event comes."""

    def write(event: str, facts: Mapping[str, object]) -> None:
        line = entry(event, facts, time.time())
        try:
            os.makedirs(directory, mode=0o700, exist_ok=True)  # pathlib costs a start-up
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(os.path.join(directory, FILE_NAME), flags, 0o600)
        except OSError:
            return
        try:
            os.write(descriptor, line)
        except OSError:
            return
        finally:
            os.close(descriptor)

    return write


def entry(event: str, facts: Mapping[str, object], now: float) -> bytes:
    r"""One event as a line of JSON: escaped, so nothing in it can begin a line of its own.

    >>> entry("truncate", {"tool": "bash\n"}, 0)
    b'{"ts":"1970-01-01T00:00:00Z","event":"truncate","tool":"bash\\n"}\n'
    """
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    return (in_json({"ts": stamp, "event": event, **facts}) + "\n").encode()
