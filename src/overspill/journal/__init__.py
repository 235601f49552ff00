"""What happened, one JSON line an event: written, read back, added up, and watched for thresholds.

It is the only log, lies in `<root>/.acode/logs`, and never holds the text of a tool. A journal that cannot be written
never stops the work it speaks of.

Its files are a log of lines that many processes write at once, closed when they are full; that of budgets is one, too.

    <name>.jsonl                   the newest lines
    <name>-<us>-<random>.jsonl     a full file, named when it was closed; the oldest are removed

A line is written with one `write` to a file opened for appending, so lines of many processes never mix.

A full file is renamed, never copied: a process that still has it open adds its line to it under its
new name. If the file was removed in that moment, the line is written once more. Whoever finds the file
full while another is about to rename it waits for that, or the file would grow as long as that one
waits for a processor; but not for ever, for that one may have been stopped.

The store, the workspace and all that comes after them may import this package.
"""

from __future__ import annotations

import os
import time
from _collections_abc import Callable, Mapping

from overspill._lite import TYPE_CHECKING, in_json, sha256, suppress
from overspill.errors import OverspillError
from overspill.version import __version__

if TYPE_CHECKING:
    from collections import deque

    from overspill.core.report import Artifact
    from overspill.files import StorePlace


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
    from overspill.redact import redact_text

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


# Thresholds: an event of its own each time one is crossed, so that somebody can be told.

RATE_WINDOW = 50  # results of which a truncation rate is taken
MINUTE = 60.0
FIT_EVENTS = frozenset({"pass", "truncate", "refuse"})


def watched_journal(
    tell: Journal, thresholds: Mapping[str, object], session_quota: int, clock: Callable[[], float] = time.monotonic
) -> Journal:
    """A journal that also tells of thresholds that are crossed: upwards, once, until they are met again.

    One that does so already is left alone: watched twice, it would tell everything twice.
    """
    if isinstance(tell, WatchedJournal):
        return tell
    given = {name: float(str(value)) for name, value in thresholds.items() if value is not None}
    return WatchedJournal(tell, ThresholdWatch(given, session_quota, clock))


class WatchedJournal:
    """A journal, and who watches what it is told."""

    def __init__(self, tell: Journal, watch: ThresholdWatch) -> None:
        self._tell = tell
        self._watch = watch

    def __call__(self, event: str, facts: Mapping[str, object]) -> None:
        self._tell(event, facts)
        for crossed in self._watch.crossed_thresholds(event, facts):
            self._tell("threshold", crossed)


class ThresholdWatch:
    """What has been seen, as far as a threshold asks for it."""

    def __init__(self, thresholds: Mapping[str, float], session_quota: int, clock: Callable[[], float]) -> None:
        from collections import deque  # most journals watch nothing

        self._thresholds = thresholds
        self._quota = session_quota
        self._clock = clock
        self._above: set[tuple[str, object]] = set()
        self._cut: deque[bool] = deque(maxlen=RATE_WINDOW)
        self._made: deque[float] = deque()

    def crossed_thresholds(self, event: str, facts: Mapping[str, object]) -> list[dict[str, object]]:
        """The thresholds that this event takes from below to above."""
        found = []
        tool = facts.get("tool_name", facts.get("source_tool", ""))
        for name, value in self._values(event, facts).items():
            limit = self._thresholds.get(name)
            if limit is None:
                continue
            # What a whole session does is no tool's doing; the rest is watched tool by tool.
            key = (name, "" if name in {"storage_share", "truncation_rate", "artifacts_per_minute"} else tool)
            if value <= limit:
                self._above.discard(key)
            elif key not in self._above:
                self._above.add(key)
                found.append({"threshold": name, "value": round(value, 3), "limit": limit, "tool_name": tool})
        return found

    def _values(self, event: str, facts: Mapping[str, object]) -> dict[str, float]:
        values: dict[str, float] = {}
        if event in FIT_EVENTS:
            values["latency_ms"] = _number_or_zero(facts.get("latency_ms"))
            redactions = facts.get("redactions")
            values["redactions"] = (
                sum(map(_number_or_zero, redactions.values())) if isinstance(redactions, Mapping) else 0
            )
            self._cut.append(event != "pass")
            if len(self._cut) == RATE_WINDOW:
                values["truncation_rate"] = sum(self._cut) / RATE_WINDOW
        elif event == "create":
            values["artifact_size"] = _number_or_zero(facts.get("size"))
            if self._quota:
                values["storage_share"] = _number_or_zero(facts.get("session_bytes")) / self._quota
            values["artifacts_per_minute"] = self._made_of_late()
        return values

    def _made_of_late(self) -> int:
        now = self._clock()
        self._made.append(now)
        most = self._thresholds.get("artifacts_per_minute", 0)
        while self._made and (now - self._made[0] > MINUTE or len(self._made) > most + 1):
            self._made.popleft()
        return len(self._made)


def _number_or_zero(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
