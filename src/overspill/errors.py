"""Everything that can go wrong, in one picture.

OverspillError
├── ConfigError           a setting is missing, misspelt or out of range
├── UsageError            a command line, id, range or number is malformed
├── InputError            a file could not be read, or a disk written
├── MissingExtra          an optional package is not installed
├── StoreError            the store could not keep its promise
│   ├── ArtifactNotFound  no artifact has that id in this session
│   │   └── ArtifactEvicted  there was one, and it had to make room
│   ├── SessionNotFound   no session of that name or id is here
│   ├── ArtifactDamaged   what is on disk is not what was stored
│   ├── QuotaExceeded     the store is full, or asked too often
│   └── LockTimeout       another process holds the store
├── ToolError             what a tool raised, told within its budget
└── StrategyError         a strategy returned something that is not a cut

Each class carries the exit status of the command line (`exit_code`) and a stable name for programs
(`code`). Broken input is not in the picture: it is cut as text, and the report says so.
"""


class OverspillError(Exception):
    """Something that stops one call, said in one sentence that names the next step."""

    exit_code = 1
    code = "E_INTERNAL"


class ConfigError(OverspillError):
    """A setting is missing, misspelt or out of range."""

    exit_code = 8
    code = "E_CONFIG_INVALID"


class UsageError(OverspillError):
    """The caller wrote a command line, an id, a range or a number we cannot read."""

    exit_code = 2
    code = "E_INPUT_INVALID"


class InputError(OverspillError):
    """A file could not be read, or a disk could not be written."""

    exit_code = 3
    code = "E_FILE"


class MissingExtra(OverspillError, ImportError):
    """An optional package is needed here. The message is the pip command that brings it."""

    exit_code = 5
    code = "E_DEPENDENCY_MISSING"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: pip install 'overspill[{extra}]'")
        self.extra = extra


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

    def __init__(self, artifact_id: str) -> None:
        super().__init__(f"no artifact {artifact_id[:100]!r} in this session; list them with `spill artifacts list`")
        self.artifact_id = artifact_id


class ArtifactEvicted(ArtifactNotFound):
    """There was an artifact of that id; it had to make room. The message says what it was and how to make it again."""

    def __init__(self, artifact_id: str, story: str) -> None:
        super().__init__(artifact_id)
        self.args = (f"artifact {artifact_id} is gone: {story}",)


class SessionNotFound(StoreError):
    """No session of that name or id can be seen from here."""

    exit_code = 4
    code = "E_SESSION_NOT_FOUND"

    def __init__(self, name: str) -> None:
        super().__init__(f"no session {name[:100]!r} here; list them with `spill session list`")


class ArtifactDamaged(StoreError):
    """What is on disk is not what was stored, so none of it is served."""

    exit_code = 20
    code = "E_CHECKSUM_MISMATCH"


class QuotaExceeded(StoreError):
    """The store is full, or was asked to keep too much too fast."""

    exit_code = 21
    code = "E_QUOTA_EXCEEDED"


class LockTimeout(StoreError):
    """Another process holds the store for longer than we wait."""

    exit_code = 7
    code = "E_LOCK_TIMEOUT"


class StrategyError(OverspillError):
    """A strategy returned something that is not a cut of the text it was given."""

    code = "E_STRATEGY"


def reason_of(error: BaseException) -> str:
    """Why something was not kept, in a few words that hold no path and no content."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error)[:80] or type(error).__name__
