"""Every setting there is, as one table: path, check, default, what it does, and who may set it.

Nothing here reads a file: `settings.files` does, and the reference page is made from the same rows.

>>> BY_PATH["tools.truncation.inline_limit"].default
8000
>>> tool_name("Bash")
'execute_command'
"""

from __future__ import annotations

from overspill._lite import NamedTuple
from overspill.settings.checks import (
    COUNT,
    DURATION,
    FLAG,
    FREE_SPACE,
    MANIFESTS,
    NAMES,
    PLACES,
    PRICES,
    RATIO,
    RULES,
    SHARE,
    SIZE,
    STRATEGY,
    TEXT,
    VARIABLE,
    Check,
    choice_of,
    or_null,
)

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
TOOLS = "tools.truncation."
OVERRIDES = TOOLS + "overrides"
PROJECT_MAX_ARTIFACT = GIB
PROJECT_MAX_RULES = 50  # every result is searched for each
PROJECT_MAX_INLINE = 200_000  # about as many tokens of a context as any one result should ever fill

STRATEGIES = ("head", "tail", "head_tail", "line", "element", "smart", "none")
PRESETS = ("spec", "agent")

# What each tool is cut by when nobody says otherwise (FR-071 to FR-075).
TOOL_STRATEGIES = {
    "read_file": "head_tail",
    "execute_command": "tail",
    "list_directory": "element",
    "search_files": "element",
    "git_diff": "head_tail",
}

ALIASES = {
    "bash": "execute_command",
    "shell": "execute_command",
    "run_command": "execute_command",
    "read": "read_file",
    "grep": "search_files",
    "search": "search_files",
    "ls": "list_directory",
    "glob": "list_directory",
    "fetch": "http_request",
    "webfetch": "http_request",
}


# What an event of its own can be told of, once each time it is crossed.
THRESHOLDS = (
    ("latency_ms", COUNT, "a result that took more than this many milliseconds to fit"),
    ("truncation_rate", RATIO, "a larger share than this of the last 50 results that was cut"),
    ("storage_share", RATIO, "a session that fills more than this share of `session_quota`"),
    ("artifact_size", SIZE, "an artifact larger than this"),
    ("artifacts_per_minute", COUNT, "more than this many artifacts in a minute"),
    ("redactions", COUNT, "a result with more than this many secrets in it"),
)


class Setting(NamedTuple):
    """One setting.

    `project` says what a project's own file may do with it while the user has not listed the project
    under `trust`: "free", "lower" and "raise" (not beyond the user's value), "inside" (the root),
    "gib" (up to 1 GiB), "few" (up to 50), "page" (up to 200,000 characters), "never"; "user" settings stand in the
    user's own file only.
    """

    path: str
    check: Check
    default: object
    doc: str
    agent: object = ...  # the agent preset's default, where it is another one
    project: str = "free"
    joined: bool = False  # a list to which every file adds
    shared: bool = False  # one for all tools, so that it has no place under `overrides`


def tool_name(name: str) -> str:
    """The one name a tool has here, whatever it is called there.

    >>> [tool_name(name) for name in ("READ", "grep", "WebFetch", "my_tool")]
    ['read_file', 'search_files', 'http_request', 'my_tool']
    """
    lowered = name.lower()
    return ALIASES.get(lowered, lowered)


def _general() -> tuple[Setting, ...]:
    return (
        Setting(
            "preset",
            choice_of(*PRESETS),
            "spec",
            "Which set of defaults: `spec` to the letter, `agent` for coding agents.",
        ),
        Setting(
            "model",
            or_null(TEXT),
            None,
            "The model that reads results, for limits that follow its window; an agent may say which it is.",
        ),
        Setting(
            "redaction.enabled",
            FLAG,
            True,
            "Replace secrets before anything is shown, stored or logged.",
            project="raise",
        ),
        Setting(
            "redaction.generic",
            choice_of("off", "near_keyword", "all"),
            "off",
            "Also redact random-looking text of no known format: never, near a credential's name, or anywhere.",
            project="raise",
        ),
        Setting(
            "redaction.patterns",
            choice_of("builtin", "spec"),
            "builtin",
            "`spec` adds the specification's four regular expressions, read literally, to the built-in rules.",
            project="raise",
        ),
        Setting(
            "redaction.allow",
            NAMES,
            (),
            "Values to leave alone: `sha256:` and the hash of a value, or a pattern.",
            project="never",
            joined=True,
        ),
        Setting(
            "redaction.rules",
            RULES,
            (),
            "Rules of your own: a name, the type that is shown, a pattern. A broken one hides lines with its literals.",
            project="few",
            joined=True,
        ),
        Setting("redaction.off", NAMES, (), "Names of built-in rules that are not used.", project="never", joined=True),
        Setting(
            "redaction.env",
            FLAG,
            True,
            "Redact the values of environment variables with secret-like names.",
            project="raise",
        ),
        Setting(
            "tokens.counter",
            choice_of("chars4", "by-kind", "o200k"),
            "chars4",
            "How tokens are counted: four characters each, by content kind, or exactly (`overspill[tokens]`).",
        ),
        Setting(
            "context.manifests",
            MANIFESTS,
            {},
            "Which fields and how many tokens a phase is handed, by the phase's number.",
        ),
        Setting(
            "context.drop",
            choice_of("tail", "oldest_first", "proportional"),
            "tail",
            "What goes when a hand-off is too long: its end, the oldest phases, or some of each.",
        ),
        Setting(
            "context.fields", NAMES, (), "Fields of your own that hand-offs have and manifests may name.", joined=True
        ),
        Setting(
            "context.keep_runs",
            or_null(DURATION),
            30 * 86400,
            "How long a run's hand-offs stay after they were last written or handed over; null keeps them for good.",
        ),
        Setting(
            "sessions.keep_ended", DURATION, 86400, "How long the artifacts of a named session stay after its end."
        ),
        Setting(
            "agents.stop_marks",
            FLAG,
            True,
            "Stop a coding agent's tool that would write marks of a view, or placeholders of secrets, into a file.",
            project="raise",
        ),
        Setting("journal.enabled", FLAG, True, "Write one line an event to `.acode/logs/`.", project="raise"),
        Setting("journal.max_size", SIZE, 10 * MIB, "Begin a new journal file at this size.", project="lower"),
        Setting("journal.keep", COUNT, 5, "How many full journal files to keep.", project="lower"),
        *(
            Setting(f"journal.thresholds.{name}", or_null(check), None, f"Tell of {what}; null never does.")
            for name, check, what in THRESHOLDS
        ),
        Setting(
            "stats.prices",
            PRICES,
            {},
            "What a million tokens cost you, for `spill stats`: `fresh`, and perhaps `cache_write` and `cache_read`.",
            project="user",
        ),
        Setting(
            "fleet.database",
            or_null(VARIABLE),
            None,
            "`env:NAME` of the PostgreSQL with the tasks of many machines (`overspill[postgres]`); null is a file.",
            project="never",
        ),
        Setting(
            "fleet.project",
            TEXT,
            "default",
            "Whose tasks in that database: machines that share them name one.",
            project="never",
        ),
        Setting(
            "fleet.quota",
            or_null(SIZE),
            None,
            "Bytes of artifacts that a tenant may keep in the bucket, held by `fleet.database`; null is no limit.",
            project="never",
        ),
        Setting(
            "fleet.patience",
            DURATION,
            6,
            "How long a call waits for the bucket before it does without; a hook has 20 seconds for everything.",
            project="lower",
        ),
        Setting("output.list", COUNT, 50, "Tasks on a page of `spill list`."),
        Setting("output.session", COUNT, 10, "Sessions on a page of `spill session list`."),
        Setting("output.find", COUNT, 10, "Results on a page of `spill find`."),
        Setting("output.log", COUNT, 20, "Entries on a page of `spill log`."),
        Setting("output.archive", COUNT, 25, "Tasks on a page of `spill archive`."),
        Setting("output.artifacts", COUNT, 20, "Artifacts on a page of `spill artifacts list`."),
        Setting("output.default", COUNT, 50, "Records on a page of every other command."),
        Setting(
            "output.schema", or_null(TEXT), None, "The `$schema` address in envelopes; null is the specification's."
        ),
        Setting("trust", PLACES, (), "Roots of projects whose own file may set everything.", project="user"),
    )


def _truncation() -> tuple[Setting, ...]:
    return (
        Setting(
            "inline_limit",
            COUNT,
            8000,
            "Up to this many characters a result is shown as it is; longer ones are cut to it.",
            project="page",
        ),
        Setting(
            "budget",
            or_null(SHARE),
            None,
            "Show up to this share of the window, or of what is left of it; of unknown models, `inline_limit`.",
        ),
        Setting(
            "artifact_threshold",
            COUNT,
            50_000,
            "From this many characters on, a view begins with the artifact's reference.",
        ),
        Setting(
            "max_artifact_size",
            SIZE,
            10 * MIB,
            "Results of this many bytes or more are refused.",
            agent=GIB,
            project="gib",
        ),
        Setting(
            "on_oversize",
            choice_of("error", "head_tail", "drop_excerpt"),
            "error",
            "What a refusal shows: an excerpt and nothing kept, both ends kept as a partial artifact, or no excerpt.",
        ),
        Setting("structured_max", SIZE, 512 * MIB, "JSON and XML above this size are cut as text.", project="lower"),
        Setting(
            "default_strategy",
            STRATEGY,
            "head_tail",
            "How tools without a strategy of their own are cut; `none` is for every tool.",
            shared=True,
        ),
        Setting("head_ratio", RATIO, 0.6, "The share of the beginning when both ends are kept."),
        Setting(
            "clean_up",
            choice_of("minimal", "terminal"),
            "minimal",
            "`minimal` mends NUL and broken UTF-8; `terminal` also removes escapes and redraws.",
            agent="terminal",
        ),
        Setting(
            "marks",
            choice_of("full", "short"),
            "full",
            "Our words in a view: as in the specification, or one line on top, marks of 16 characters and short ids.",
            agent="short",
        ),
        Setting(
            "reuse",
            choice_of("off", "identical", "diff"),
            "off",
            "Say that an output is the same as before, or show what changed.",
        ),
        Setting("line_truncation.tail_lines", COUNT, 200, "Lines that `tail` keeps at most."),
        Setting("line_truncation.head_lines", COUNT, 300, "Lines that `head` keeps at most."),
        Setting(
            "line_truncation.max_line_length", COUNT, 500, "Longer lines of a cut result are shortened in their middle."
        ),
        Setting("element_truncation.first_elements", COUNT, 5, "Elements kept at the beginning of an array."),
        Setting("element_truncation.last_elements", COUNT, 5, "Elements kept at the end of an array."),
        Setting(
            "element_truncation.max_depth",
            COUNT,
            3,
            "Values nested deeper than this are left out of what is cut; `smart` shows them where there is room.",
        ),
        Setting(
            "element_truncation.preserve_json",
            FLAG,
            True,
            "Cut JSON to valid JSON; false cuts it as text, which is faster.",
        ),
        Setting("smart_truncation.enabled", FLAG, False, "Choose by content where no strategy was set.", agent=True),
        Setting("smart_truncation.preserve_functions", FLAG, True, "Keep functions and classes of code whole."),
        Setting(
            "smart_truncation.prioritize_errors", FLAG, True, "Keep errors and warnings of a log before other lines."
        ),
        Setting(
            "smart_truncation.fill",
            choice_of("new", "always"),
            "new",
            "`new` ends a view where what is left says nothing new; `always` uses all of the room.",
        ),
        Setting(
            "max_input_size",
            SIZE,
            4 * GIB,
            "After this many bytes nothing more is read: what came is shown, and that it ended there is said.",
            project="lower",
        ),
        Setting(
            "keep_binary",
            FLAG,
            False,
            "Keep bytes that are no text, exactly as they came; they are not searched for secrets.",
            project="lower",
        ),
        Setting("artifacts.store_truncated", FLAG, True, "Keep the whole text of every result that is cut."),
        Setting(
            "artifacts.preview_chars",
            or_null(COUNT),
            None,
            "Characters shown below a reference; null is the whole view.",
        ),
    )


def _storage() -> tuple[Setting, ...]:
    return (
        Setting(
            "storage_path", TEXT, ".acode/artifacts", "Where artifacts are kept, below the root.", project="inside"
        ),
        Setting("cleanup_on_exit", FLAG, True, "Remove a session's artifacts when it ends."),
        Setting("compress_large", FLAG, False, "Compress artifacts above 1 MB."),
        Setting("enable_partial_retrieval", FLAG, True, "Allow ranges of lines and bytes, and queries."),
        Setting("retrieval_limit", COUNT, 50_000, "Characters on a page of what is fetched."),
        Setting(
            "retrieval_ceiling",
            COUNT,
            200_000,
            "Characters a model gets at most, whatever it asks for.",
            project="lower",
        ),
        Setting(
            "durability",
            choice_of("auto", "strict", "lazy"),
            "auto",
            "`strict` waits for the disk; `auto` does so in one-shot commands.",
        ),
        Setting(
            "store",
            or_null(TEXT),
            None,
            "A bucket where artifacts are kept, too: `s3://bucket/prefix`, `gs://`, `az://` or `file://` "
            "(`overspill[fleet]`).",
            project="never",
        ),
        Setting(
            "encrypt",
            or_null(TEXT),
            None,
            "`env:NAME` seals what goes to the bucket with the key in that variable (AES-256-GCM).",
            project="never",
        ),
        Setting("session_quota", SIZE, 4 * GIB, "Bytes of artifacts a session; the oldest go first.", project="lower"),
        Setting("machine_quota", SIZE, 16 * GIB, "Bytes of artifacts of this user on this machine.", project="lower"),
        Setting("rate_limit", COUNT, 6000, "Artifacts a minute.", project="lower"),
        Setting(
            "disk_floor",
            FREE_SPACE,
            None,
            "Free bytes to leave on the disk; null is 1 % of the file system, at most 100 MB.",
            project="never",
        ),
        Setting("ttl", DURATION, 86400, "How long the root's own session lives unused."),
    )


def _metadata() -> tuple[Setting, ...]:
    return (
        Setting("metadata.include_original_size", FLAG, True, "Put the original size into the metadata."),
        Setting("metadata.include_token_estimate", FLAG, True, "Put token counts into the metadata."),
        Setting("metadata.include_strategy", FLAG, True, "Put the strategy's name into the metadata."),
        Setting("metadata.include_retrieval_instructions", FLAG, True, "Say in the metadata how to fetch the rest."),
        Setting(
            "metadata.detail",
            choice_of("full", "minimal"),
            "full",
            "`minimal` leaves source and path out of the metadata.",
        ),
        Setting("metadata.aliases", FLAG, True, "Write the strategy under its other two names too."),
    )


# What only an override can say.
TOOL_ONLY = (
    Setting("strategy", STRATEGY, None, "How this tool's results are cut."),
    Setting("store", FLAG, True, "Whether this tool's results may be kept at all."),
)

_TRUNCATION = _truncation()
_METADATA = _metadata()
SETTINGS: tuple[Setting, ...] = (
    *_general(),
    *(row._replace(path=TOOLS + row.path) for row in _TRUNCATION),
    *(row._replace(path=f"{TOOLS}artifacts.{row.path}", shared=True) for row in _storage()),
    *(row._replace(path=TOOLS + row.path) for row in _METADATA),
)
BY_PATH = {row.path: row for row in SETTINGS}
PER_TOOL = {row.path: row for row in (*_TRUNCATION, *_METADATA, *TOOL_ONLY) if not row.shared}
# Every tool's view of the settings: the path below `tools.truncation`, and the whole path.
TOOL_PATHS = tuple((path.removeprefix(TOOLS), path) for path in BY_PATH if path.startswith(TOOLS))


def sections(paths: tuple[str, ...]) -> frozenset[str]:
    """The levels above `paths`: what may only hold a mapping.

    >>> sorted(sections(("a.b.c", "d")))
    ['a', 'a.b']
    """
    return frozenset(path[:at] for path in paths for at, letter in enumerate(path) if letter == ".")


def defaults(preset: str) -> dict[str, object]:
    """The value of every setting while nobody has said anything."""
    if preset == "agent":
        values = {row.path: row.default if row.agent is ... else row.agent for row in SETTINGS}
    else:
        values = {row.path: row.default for row in SETTINGS}
    values["preset"] = preset
    return values
