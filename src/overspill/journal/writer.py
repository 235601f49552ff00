"""One JSON line an event: the only log.

A line is written with one `write` to a file opened for appending, so lines of many processes never
mix. It never holds content, and a journal that cannot be written never stops the work it speaks of.

    <root>/.acode/logs/
        journal.jsonl                   the newest events
        journal-<us>-<random>.jsonl     a full file, named when it was closed; the oldest are removed

A full file is renamed, never copied: a process that still has it open adds its line to it under its
new name. If the file was removed in that moment, the line is written once more. Whoever finds the file
full while another is about to rename it waits for that, or the file would grow as long as that one
waits for a processor; but not for ever, for that one may have been stopped.
"""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from overspill._lite import TYPE_CHECKING, in_json
from overspill.errors import OverspillError
from overspill.version import __version__

if TYPE_CHECKING:
    from overspill.core.report import Artifact
    from overspill.files.place import Place
    from overspill.journal.reader import History

Journal = Callable[[str, Mapping[str, object]], None]

FILE_NAME = "journal.jsonl"
FULL_NAME = "journal-{:016d}-{}.jsonl"
FOLDER = ".acode/logs"
MAX_SIZE = 10 << 20
KEEP = 5
TRIES = 3
WAIT, NAP = 0.25, 0.001  # seconds
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def silent(event: str, facts: Mapping[str, object]) -> None:
    """A journal for those who keep none."""


def joined(*journals: Journal | None) -> Journal | None:
    """All of them as one, which never raises; None if there is none.

    What is told is about work that is done: somebody who cannot hear it must not undo it.
    """
    heard = [journal for journal in journals if journal is not None and journal is not silent]
    if not heard:
        return None

    def tell(event: str, facts: Mapping[str, object]) -> None:
        for journal in heard:
            with suppress(Exception):
                journal(event, facts)

    return tell


def file_journal(directory: "str | Place", *, session: str = "", max_size: int = MAX_SIZE, keep: int = KEEP) -> Journal:
    """A journal in `directory`, which is made, for its owner only, when the first event comes.

    No file grows beyond `max_size` bytes by more than a line of each process; `keep` full ones are kept.
    """
    from overspill.files.place import Place

    place = Place(os.path.dirname(directory), os.path.basename(directory)) if isinstance(directory, str) else directory

    def write(event: str, facts: Mapping[str, object]) -> None:
        with suppress(OSError, OverspillError, TypeError, ValueError, RecursionError):
            append(place, entry(event, facts, time.time(), session), max_size, keep)

    return write


def entry(event: str, facts: Mapping[str, object], now: float, session: str = "") -> bytes:
    r"""One event as a line of JSON: escaped, so nothing in it can begin a line of its own.

    >>> entry("pass", {"tool_name": "bash\n"}, 0.5, "ses_a")[:89]
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


def append(place: "Place", line: bytes, max_size: int = MAX_SIZE, keep: int = KEEP) -> None:
    """Add a line to the newest file of a journal, and close that file when it is full."""
    directory = place.make()
    try:
        for _ in range(TRIES):
            file = os.open(FILE_NAME, _APPEND, 0o600, dir_fd=directory)
            try:
                os.write(file, line)
                found = os.fstat(file)
            finally:
                os.close(file)
            if found.st_nlink:
                break
        if found.st_size >= max_size:
            _close_full(directory, max_size, keep)
    finally:
        os.close(directory)


def _close_full(directory: int, max_size: int, keep: int) -> None:
    """Give the newest file its place among the full ones, unless somebody else does."""
    file = os.open(FILE_NAME, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        before = full_files(directory)  # if the file is still the newest when it is locked, these are still all
        if not _locked(file, directory) or not _is_newest(file, directory) or os.fstat(file).st_size < max_size:
            return
        last = before[-1].split("-")[1] if before else ""
        # Names sort by time, even if the clock was set back, and are nobody's: none takes another's place.
        number = max(time.time_ns() // 1_000, int(last) + 1 if last.isdigit() else 0)
        os.rename(
            FILE_NAME,
            FULL_NAME.format(number, os.urandom(4).hex()),
            src_dir_fd=directory,
            dst_dir_fd=directory,
        )
        for old in before[: max(0, len(before) + 1 - keep)]:
            with suppress(FileNotFoundError):
                os.unlink(old, dir_fd=directory)
    finally:
        os.close(file)


def _locked(file: int, directory: int) -> bool:
    """Whether it is ours to rename; False as soon as another has done it, or takes too long."""
    import fcntl

    until = time.monotonic() + WAIT
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until or not _is_newest(file, directory):
                return False
            time.sleep(NAP)
        else:
            return True


def _is_newest(file: int, directory: int) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(FILE_NAME, dir_fd=directory, follow_symlinks=False))
    except FileNotFoundError:
        return False


def full_files(directory: int) -> list[str]:
    """The names of the full files, oldest first."""
    from overspill.files.safe import names

    return sorted(name for name in names(directory) if name.startswith("journal-") and name.endswith(".jsonl"))


def creation(artifact: "Artifact") -> dict[str, object]:
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


def refusal(artifact_id: str, reason: str) -> dict[str, object]:
    """What is told of an id that leads nowhere good. It is a stranger's word: cut short, and it may hold a secret."""
    from overspill.workspace.redactor import redact_text

    return {"kind": "path", "artifact_id": redact_text(artifact_id)[:100], "reason": reason}


def size_violation(tool: str, size: int, most: int) -> dict[str, object]:
    """What is told of a text that is too large to be kept."""
    return {"kind": "size", "tool_name": tool, "attempted_size": size, "configured_max_size": most}


def read_events(
    directory: str,
    *,
    newest_first: bool = True,
    since: str = "",
    until: str = "",
    session: str = "",
    events: tuple[str, ...] = (),
) -> "History":
    """The events of a journal, one mapping each, without ever holding more than a few of them.

    `since` and `until` are stamps, both included: what comes after the stamp of a first page can be left
    out of the pages after it. Lines that are none of ours are left out and counted in `broken`.
    """
    from overspill.journal.reader import History

    return History(directory, newest_first=newest_first, since=since, until=until, session=session, events=events)
