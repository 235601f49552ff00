"""What happened, one JSON line an event: written, read back, added up, and watched for thresholds.

It is the only log, lies in `<root>/.acode/logs`, and its files come and go as `rotating_log` says. It never holds
the text of a tool, and a journal that cannot be written never stops the work it speaks of.

The store, the workspace and all that comes after them may import this package.
"""

from __future__ import annotations

import os
import time
from _collections_abc import Callable, Mapping

from overspill._lite import TYPE_CHECKING, in_json, sha256, suppress
from overspill.errors import OverspillError
from overspill.files.rotating_log import MAX_FILE_BYTES, MAX_FULL_FILES, append_line
from overspill.version import __version__

if TYPE_CHECKING:
    from overspill.core.report import Artifact
    from overspill.files import StorePlace

Journal = Callable[[str, Mapping[str, object]], None]

JOURNAL_NAME = "journal"
JOURNAL_FILE = f"{JOURNAL_NAME}.jsonl"
JOURNAL_FOLDER = ".acode/logs"


def silent_journal(event: str, facts: Mapping[str, object]) -> None:
    """A journal that forgets everything, for those who keep no log."""


def joined_journals(*journals: Journal | None) -> Journal | None:
    """All journals as one, which never raises; None if nobody would hear it.

    What is told is about work that is done: somebody who cannot hear it must not undo it.
    """
    heard = [journal for journal in journals if journal is not None and journal is not silent_journal]
    if not heard:
        return None

    def tell(event: str, facts: Mapping[str, object]) -> None:
        for journal in heard:
            with suppress(Exception):
                journal(event, facts)

    return tell


def file_journal(
    directory: str | StorePlace, *, session: str = "", max_size: int = MAX_FILE_BYTES, keep: int = MAX_FULL_FILES
) -> Journal:
    """A journal in `directory`, which is made, for its owner only, when the first event comes.

    A file is closed when it holds `max_size` bytes; `keep` full ones are kept.
    """
    from overspill.files import StorePlace

    place = (
        StorePlace(os.path.dirname(directory), os.path.basename(directory)) if isinstance(directory, str) else directory
    )

    def write(event: str, facts: Mapping[str, object]) -> None:
        with suppress(OSError, OverspillError, TypeError, ValueError, RecursionError):
            folder = place.make()
            try:
                append_line(folder, JOURNAL_NAME, journal_line(event, facts, time.time(), session), max_size, keep)
            finally:
                os.close(folder)

    return write


def journal_line(event: str, facts: Mapping[str, object], now: float, session: str = "") -> bytes:
    r"""One event as a line of JSON: escaped, so nothing in it can begin a line of its own.

    >>> journal_line("pass", {"tool_name": "bash\n"}, 0.5, "ses_a")[:89]
    b'{"ts":"1970-01-01T00:00:00.500Z","event":"pass","session_id":"ses_a","tool_name":"bash\\n"'
    """
    line = in_json({"event": event, "session_id": session, **facts, "pid": os.getpid(), "version": __version__})
    return f'{{"ts":"{stamp(now)}",{line[1:]}\n'.encode("utf-8", "backslashreplace")


def stamp(seconds: float) -> str:
    """A moment as it stands in the journal. Stamps sort as text.

    >>> stamp(1730902967.0421)
    '2024-11-06T14:22:47.042Z'
    """
    whole = int(seconds // 1)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((seconds - whole) * 1000):03d}Z"


def creation_facts(artifact: Artifact) -> dict[str, object]:
    """What is told of a new artifact."""
    facts: dict[str, object] = {
        "artifact_id": artifact.id,
        "size": artifact.size.bytes,
        "chars": artifact.size.chars,
        "tokens": artifact.size.tokens,
        "source_tool": artifact.source_tool,
        "source": artifact.source,
        "content_type": artifact.content_type,
    }
    if artifact.call_id:
        facts["call_id"] = artifact.call_id
    return facts


def refusal_facts(artifact_id: str, reason: str) -> dict[str, object]:
    """What is told of an id that leads nowhere good. It is a stranger's word: cut short, and it may hold a secret."""
    from overspill.redact.default import redact_text

    return {"kind": "path", "artifact_id": redact_text(artifact_id)[:100], "reason": reason}


DIGEST_CHARS = 16


def command_digest(command: str) -> str:
    """What tells that a command was run again, and not what it was: the command itself is never told.

    >>> command_digest("make test ") == command_digest("make test"), len(command_digest("ls")), command_digest("")
    (True, 16, '')
    """
    words = command.strip()
    return sha256(words.encode("utf-8", "backslashreplace")).hexdigest()[:DIGEST_CHARS] if words else ""


def size_violation(tool: str, size: int, most: int) -> dict[str, object]:
    """What is told of a text that is too large to be kept."""
    return {"kind": "size", "tool_name": tool, "attempted_size": size, "configured_max_size": most}
