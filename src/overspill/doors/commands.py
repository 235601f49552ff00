"""Every command of `spill`, as a table."""

from overspill.doors.arguments import Command, Option, bounds, positive, whole

LIMIT = Option("--limit", "CHARS", "show at most this many characters", positive)
TOKENS = Option("--tokens", "N", "show at most this many tokens", positive)

ITEMS = Option("--limit", "N", "this many on a page (0: all)", whole)
SKIP = Option("--offset", "N", "leave out this many from the start", whole)

ARTIFACTS = (
    Command(
        ("artifacts", "list"),
        "overspill.doors.artifacts:list_",
        "what is kept, newest first",
        options=(ITEMS, SKIP),
        examples=("spill artifacts list", "spill artifacts list --limit 0 --json"),
    ),
    Command(
        ("artifacts", "info"),
        "overspill.doors.artifacts:info",
        "what is known of one artifact: type, size, source, path",
        "ID",
        1,
        examples=("spill artifacts info art_1699234567890_a1b2c3",),
    ),
    Command(
        ("artifacts", "show"),
        "overspill.doors.showing:run",
        "the text of an artifact, or some lines or bytes of it",
        "ID",
        1,
        (
            Option("--lines", "A-B", "lines A to B, counted from 1, both included", bounds),
            Option("--bytes", "A-B", "bytes A up to B, counted from 0, widened to whole characters", bounds),
            Option("--limit", "N", "at most this many characters (default: the retrieval limit; 0: all)", whole),
            Option("--offset", "N", "leave out this many characters from the start", whole),
        ),
        (
            "spill artifacts show art_1699234567890_a1b2c3 --lines 41-902",
            "spill artifacts show art_1699234567890_a1b2c3 --bytes 0-10240",
            "spill artifacts show art_1699234567890_a1b2c3 --offset 50000",
        ),
        "Writes the text and nothing else. When there is more, the call for the next page is said on standard error.",
    ),
    Command(
        ("artifacts", "put"),
        "overspill.doors.putting:run",
        "keep a text and print its id",
        "[FILE|-]",
        1,
        (
            Option("--tool", "T", "the tool that said it"),
            Option("--type", "MIME", "its media type (default: by its name and content)"),
            Option("--source", "S", "where it comes from: a command, an address (default: the file's name)"),
        ),
        ("id=$(git log | spill artifacts put --source 'git log')", "spill artifacts put build.log --tool bash"),
        "The text is cleaned and its secrets are replaced, like everything that is kept.",
    ),
    Command(
        ("artifacts", "export"),
        "overspill.doors.artifacts:export",
        "write an artifact to a file, or with - to standard output",
        "ID FILE|-",
        2,
        (Option("--force", help="replace a file that is there; a link is never followed"),),
        ("spill artifacts export art_1699234567890_a1b2c3 output.json",),
    ),
    Command(
        ("artifacts", "keep"),
        "overspill.doors.artifacts:keep",
        "let an artifact outlast its session, quotas and `clean`",
        "ID",
        1,
        examples=("spill artifacts keep art_1699234567890_a1b2c3",),
    ),
    Command(
        ("artifacts", "rm"),
        "overspill.doors.artifacts:rm",
        "remove one artifact, kept or not",
        "ID",
        1,
        examples=("spill artifacts rm art_1699234567890_a1b2c3",),
    ),
    Command(
        ("artifacts", "clean"),
        "overspill.doors.artifacts:clean",
        "remove the artifacts of this session",
        options=(Option("--force", help="those of every session of the root, kept or in use"),),
        examples=("spill artifacts clean", "spill artifacts clean --force"),
    ),
    Command(
        ("artifacts", "sweep"),
        "overspill.doors.artifacts:sweep",
        "remove sessions that are over, and what crashed processes left",
        examples=("spill artifacts sweep",),
    ),
)

SESSIONS = (
    Command(
        ("session", "start"),
        "overspill.doors.sessions:start",
        "begin a session; it takes the place of the root's own until it is ended",
        "[NAME]",
        1,
        examples=("spill session start refactoring",),
    ),
    Command(
        ("session", "end"),
        "overspill.doors.sessions:end",
        "end a session and remove what it kept; other named ones stay for a day",
        "[NAME]",
        1,
        examples=("spill session end refactoring",),
    ),
    Command(
        ("session", "list"),
        "overspill.doors.sessions:list_",
        "the sessions of the root, the one last used first",
        options=(ITEMS, SKIP),
        examples=("spill session list",),
    ),
    Command(
        ("session", "show"),
        "overspill.doors.sessions:show",
        "one session, by its name or id; the one in use if none is named",
        "[NAME|ID]",
        1,
        examples=("spill session show",),
    ),
    Command(
        ("purge",),
        "overspill.doors.purging:run",
        "remove everything that was ever kept below the root",
        options=(
            Option("--everywhere", help="below every root of yours"),
            Option("--yes", help="really; without it, only say what would be removed"),
        ),
        examples=("spill purge", "spill purge --yes"),
    ),
)

COMMANDS: tuple[Command, ...] = (
    Command(
        ("fit",),
        "overspill.doors.fit:run",
        "fit a text into a budget; `spill` alone in a pipe does the same",
        "[FILE|-]",
        1,
        (
            Option("--tool", "T", "the tool that said it: its limits and strategy apply"),
            Option("--strategy", "S", "head, tail, head_tail, line, element, smart, none, or one you registered"),
            LIMIT,
            TOKENS,
            Option("--kind", "K", "what it is, if you know better than a look at it: json, log, diff, ..."),
            Option("--focus", "X", "what you are looking for"),
            Option("--explain", help="say on standard error what was kept and why"),
        ),
        (
            "make test 2>&1 | spill fit --tool bash",
            "spill fit build.log --strategy tail --limit 4000",
            "curl -s localhost:8000/users | spill fit --tokens 2000 --json",
        ),
        "Reads a file or standard input, writes what fits, and says what was left out and how to get it.",
    ),
    *ARTIFACTS,
    *SESSIONS,
    Command(
        ("redact",),
        "overspill.doors.redacting:run",
        "a text without its secrets",
        "[FILE|-]",
        1,
        (
            Option("--report", help="say on standard error how many secrets each rule found"),
            Option("--why", help="say on standard error, for each one, its rule, type, line, column and reason"),
        ),
        (
            "spill redact build.log > safe.log",
            "kubectl describe pod web | spill redact --why",
            "spill redact .env --report --json",
        ),
        "A filter of any length: every byte that is no secret stays as it is. What is said about a secret never\n"
        "holds the secret. It redacts even where the settings switch redaction off.",
    ),
    Command(
        ("tokens",),
        "overspill.doors.tokens:run",
        "count characters, lines, bytes and tokens",
        "[FILE|-]",
        1,
        (),
        ("git diff | spill tokens", "spill tokens README.md --json"),
    ),
    Command(
        ("config", "show"),
        "overspill.doors.configuring:show",
        "the settings in force",
        options=(Option("--origin", help="say where each value comes from"),),
        examples=("spill config show --origin",),
    ),
    Command(
        ("config", "check"),
        "overspill.doors.configuring:check",
        "read the settings files and say what is wrong with them",
        examples=("spill config check --config ci.yml",),
    ),
    Command(
        ("config", "init"),
        "overspill.doors.configuring:init",
        "write a commented settings file",
        options=(
            Option("--profile", "P", "a starting point: see `spill config init --help`"),
            Option("--force", help="replace a file that is there"),
        ),
        examples=("spill config init --profile small-window",),
    ),
    Command(
        ("config", "path"),
        "overspill.doors.configuring:path",
        "which settings files are read, and whether they are there",
        examples=("spill config path",),
    ),
    Command(
        ("doctor",),
        "overspill.doors.doctor:run",
        "whether everything works here; status 1 if something does not",
        examples=("spill doctor", "spill doctor --json"),
    ),
    Command(
        ("demo",),
        "overspill.doors.demo:run",
        "what the model sees, beside what the tool said",
        examples=("spill demo",),
    ),
)
