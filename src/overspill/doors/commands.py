"""Every command of `spill`, as a table."""

from overspill.doors.arguments import Command, Option, positive

LIMIT = Option("--limit", "CHARS", "show at most this many characters", positive)
TOKENS = Option("--tokens", "N", "show at most this many tokens", positive)

COMMANDS = (
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
