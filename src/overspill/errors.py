"""Everything that can go wrong, in one picture.

OverspillError
├── ConfigError           a setting is missing, misspelt or out of range
├── UsageError            a command line, id, range or number is malformed
├── InputError            a file could not be read, or a disk written
│   └── ListChanged       a list is not the one any more of which a page was shown
├── Interrupted           somebody ended the command before anything had come
├── HandoffNotFound       a phase left no hand-off
├── RuleError             a task, hand-off or manifest breaks a rule
├── TaskNotFound          no task has that id
├── NothingReady          no task can be begun now
├── MissingExtra          an optional package is not installed
├── StoreError            the store could not keep its promise
│   ├── ArtifactNotFound  no artifact has that id in this session
│   │   ├── ArtifactEvicted  there was one, and it had to make room
│   │   └── AmbiguousId   several begin like that
│   ├── SessionNotFound   no session of that name or id is here
│   ├── NotOurs           a directory of the store is a link, or belongs to others
│   ├── ArtifactDamaged   what is on disk is not what was stored
│   │   └── NotPlain      it is a link, a pipe, or open to others
│   ├── NotText           an artifact is bytes that are no text
│   ├── QuotaExceeded     the store is full, or asked too often
│   ├── LockTimeout       another process holds the store
│   ├── BucketError       a bucket gave no answer, or refused
│   ├── DatabaseUnreachable  the database of a fleet does not answer
│   └── LedgerDamaged     the ledger is no database any more; it was put aside
├── ToolError             what a tool raised, told within its budget
└── StrategyError         a strategy returned something that is not a cut

Each class carries the exit status of the command line (`exit_code`) and a stable name for programs
(`code`). `fix` is a command line that helps, ready to be run; `suggestion`, `alternatives` and `context`
say more where there is more to say. Broken input is not in the picture: it is cut as text, and the
report says so.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self


class OverspillError(Exception):
    """Something that stops one call, said in one sentence that names the next step."""

    exit_code = 1
    code = "E_INTERNAL"
    fix = ""
    suggestion = ""
    alternatives: Sequence[Mapping[str, str]] = ()  # each an `action` and a `command`
    context: Mapping[str, object] = {}

    def with_help(
        self,
        fix: str = "",
        *,
        suggestion: str = "",
        alternatives: Sequence[Mapping[str, str]] = (),
        context: Mapping[str, object] | None = None,
    ) -> Self:
        """This error, with a way out added."""
        self.fix = fix or self.fix
        self.suggestion = suggestion or self.suggestion
        self.alternatives = alternatives or self.alternatives
        self.context = context or self.context
        return self

    @property
    def for_models(self) -> str:
        """The message for who has tools and no shell."""
        return str(self)


class ConfigError(OverspillError):
    """A setting is missing, misspelt or out of range."""

    exit_code = 8
    code = "E_CONFIG_INVALID"
    fix = "spill config check"


class UsageError(OverspillError):
    """The caller wrote a command line, an id, a range or a number we cannot read."""

    exit_code = 2
    code = "E_INPUT_INVALID"


class InputError(OverspillError):
    """A file could not be read, or a disk could not be written."""

    exit_code = 3
    code = "E_FILE"
    suggestion = "look at the path, its permissions and the free space"


class ListChanged(InputError):
    """A list is not the one any more whose first page was shown, so its next page is not that list's."""

    code = "E_LIST_CHANGED"
    suggestion = "begin again with its first page, without --as-of and --offset"

    def __init__(self) -> None:
        super().__init__("the list was changed since its first page; begin again, without --as-of and --offset")


class Interrupted(OverspillError):
    """Somebody ended the command: by the keyboard or by a signal. What came until then is shown."""

    code = "E_INTERRUPTED"
    fix = "spill fit --help"

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number
        super().__init__(f"interrupted by signal {number}")


class HandoffNotFound(OverspillError):
    """A phase left no hand-off."""

    exit_code = 4
    code = "E_HANDOFF_NOT_FOUND"

    def __init__(self, phase: int, run_id: str | None = None) -> None:
        of_run = f" of run {run_id[:100]!r}" if run_id else ""
        super().__init__(f"phase {phase}{of_run} left no hand-off here; list them with `spill handoff list`")


class MissingExtra(OverspillError, ImportError):
    """An optional package is needed here. The message is the pip command that brings it."""

    exit_code = 5
    code = "E_DEPENDENCY_MISSING"

    def __init__(self, what: str, extra: str) -> None:
        self.fix = f"pip install 'overspill[{extra}]'"
        super().__init__(f"{what} needs an optional package: {self.fix}")
        self.extra = extra


class RuleError(OverspillError):
    """A task, a hand-off or a manifest breaks a rule; nothing was changed. The message names the file and the field."""

    exit_code = 6
    code = "E_VALIDATION"


class TaskNotFound(OverspillError):
    """No task has that id."""

    exit_code = 4
    code = "E_TASK_NOT_FOUND"
    fix = "spill list"

    def __init__(self, task_id: str) -> None:
        super().__init__(f"no task {task_id[:100]!r}; list them with `spill list`, or look for one with `spill find`")
        self.task_id = task_id

    @property
    def for_models(self) -> str:
        return f"no task {self.task_id[:100]!r}; list_tasks and find_tasks name those that are there"


class NothingReady(OverspillError):
    """No task can be begun: all are closed, or wait, or somebody has them."""

    exit_code = 4
    code = "E_NOTHING_READY"
    fix = "spill list"

    def __init__(self, waiting: Mapping[str, int]) -> None:
        said = ", ".join(f"{count:,} {status}" for status, count in waiting.items() if count)
        self.reason = f"nothing is ready: {said or 'every task is closed'}"
        super().__init__(f"{self.reason}; `spill list` shows them")
        self.context = {"open": dict(waiting)}

    @property
    def for_models(self) -> str:
        return f"{self.reason}; list_tasks shows them"


class ToolError(OverspillError):
    """What a tool raised said too much, or a secret; this is what may be shown of it."""

    code = "E_TOOL"

    def __init__(self, kind: str, view: str) -> None:
        super().__init__(view)
        self.kind = kind


class StoreError(OverspillError):
    """The store could not keep its promise."""

    exit_code = 3
    code = "E_STORE"


class ArtifactNotFound(StoreError):
    """No artifact has that id in this session."""

    exit_code = 4
    code = "E_ARTIFACT_NOT_FOUND"
    fix = "spill artifacts list"

    def __init__(self, artifact_id: str) -> None:
        super().__init__(f"no artifact {artifact_id[:100]!r} in this session; list them with `spill artifacts list`")
        self.artifact_id = artifact_id

    @property
    def for_models(self) -> str:
        return f"Artifact not found: {self.artifact_id[:100]}; list_artifacts() names those that can be read"


class ArtifactEvicted(ArtifactNotFound):
    """There was an artifact of that id; it had to make room. The message says what it was and how to make it again."""

    def __init__(self, artifact_id: str, story: str) -> None:
        super().__init__(artifact_id)
        self.args = (f"artifact {artifact_id} is gone: {story}",)

    @property
    def for_models(self) -> str:
        return str(self)


class AmbiguousId(ArtifactNotFound):
    """Several artifacts begin like that. The message names them, each so that it can be told from the others."""

    code = "E_ARTIFACT_AMBIGUOUS"

    def __init__(self, artifact_id: str, candidates: Sequence[str]) -> None:
        super().__init__(artifact_id)
        self.candidates = tuple(candidates)
        named = ", ".join(candidates[:MOST_NAMED])
        more = f", +{len(candidates) - MOST_NAMED}" if len(candidates) > MOST_NAMED else ""
        self.args = (
            f"{artifact_id[:100]!r} may be any of {len(candidates)} artifacts: {named}{more}; give one of them",
        )

    @property
    def for_models(self) -> str:
        return str(self)


MOST_NAMED = 10  # of the artifacts that a beginning may stand for


class SessionNotFound(StoreError):
    """No session of that name or id can be seen from here."""

    exit_code = 4
    code = "E_SESSION_NOT_FOUND"
    fix = "spill session list"

    def __init__(self, name: str) -> None:
        which = f"no session {name[:100]!r} here" if name else "no session has begun here"
        super().__init__(f"{which}; list them with `spill session list`, begin one with `spill session start`")


class ArtifactDamaged(StoreError):
    """What is on disk is not what was stored, so nothing of it is served."""

    exit_code = 20
    code = "E_CHECKSUM_MISMATCH"


class NotPlain(ArtifactDamaged):
    """What is on disk is a link, a pipe, a device, or a file that others may read or write."""


class NotText(StoreError):
    """An artifact is bytes that are no text: it can be written to a file, and not shown."""

    exit_code = 2
    code = "E_NOT_TEXT"

    def __init__(self, artifact_id: str, content_type: str) -> None:
        self.fix = f"spill artifacts export {artifact_id} FILE"
        super().__init__(f"artifact {artifact_id} is no text ({content_type}); `{self.fix}` writes it as it came")


class NotOurs(StoreError):
    """A directory of the store is a link, or belongs to others, or is open to them."""


class QuotaExceeded(StoreError):
    """The store is full, or was asked to keep too much too fast."""

    exit_code = 21
    code = "E_QUOTA_EXCEEDED"
    fix = "spill artifacts sweep"


class LockTimeout(StoreError):
    """Another process holds the store for longer than we wait."""

    exit_code = 7
    code = "E_LOCK_TIMEOUT"


class BucketError(StoreError):
    """A bucket gave no answer in time, or would not do what it was asked to. What is kept here stays within reach."""

    code = "E_BUCKET"
    fix = "spill fleet check"

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"the bucket {address} did not answer as it should ({reason}); see `{self.fix}`")
        self.reason = reason


class DatabaseUnreachable(StoreError):
    """The database that many machines share does not answer. Nothing that was told of is lost."""

    exit_code = 7
    code = "E_DATABASE_UNREACHABLE"
    fix = "spill fleet status"
    suggestion = "try again when it is back; what was acknowledged before is there"


class LedgerDamaged(StoreError):
    """The ledger is no database any more. It was put aside, whole; the message says where, and how to recover."""

    code = "E_LEDGER_DAMAGED"


class StrategyError(OverspillError):
    """A strategy returned something that is not a cut of the text it was given."""

    code = "E_STRATEGY"


def shell_line(*words: str) -> str:
    r"""Words as a shell reads them back, whatever is in them; what would act on a terminal is spelled out.

    Every command line that is suggested to somebody and holds a path is made here.

    >>> print(shell_line("rm", "my file", "it's", "$(date)", "\x1b[2J\n"))
    rm 'my file' 'it'"'"'s' '$(date)' $'\x1b[2J\x0a'
    """
    from shlex import quote

    return " ".join(quote(word) if word.isprintable() else _spelled_word(word) for word in words)


def _spelled_word(word: str) -> str:
    held = word.replace("\\", "\\\\").replace("'", "\\'")
    parts = (
        one if one.isprintable() else "".join(f"\\x{byte:02x}" for byte in one.encode("utf-8", "surrogateescape"))
        for one in held
    )
    return f"$'{''.join(parts)}'"


def reason_of(error: BaseException) -> str:
    """Why something was not kept, in a few words that hold no content, and of a path only its end.

    >>> reason_of(StoreError("/home/me/project/.acode/artifacts may not be written (no space left); see --help"))
    '.acode/artifacts may not be written (no space left)'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    words = ("/".join(word.split("/")[-2:]) if word.startswith("/") else word for word in str(error).split(" "))
    return words_within(" ".join(words).partition(";")[0], MOST_REASON) or type(error).__name__


MOST_REASON = 100  # characters of a reason


def words_within(text: str, width: int) -> str:
    """The text if it is no longer than that, else as many of its words as there is room for.

    >>> words_within("no space left on the device", 20), words_within("no space left", 5)
    ('no space left ...', 'no sp')
    """
    words = text[: max(0, width - 3)].rpartition(" ")[0]
    if len(text) <= width or not words:
        return text[:width]
    return f"{words} ..."
