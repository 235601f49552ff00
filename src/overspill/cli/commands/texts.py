"""Commands that take a text and give a text."""

from overspill.cli.arguments import Command, Option
from overspill.cli.commands import CHARS, TOKENS

COMMANDS = (
    Command(
        ("fit",),
        "overspill.cli.fit:run",
        "fit a text into a budget; `spill` alone in a pipe does the same",
        "[FILE|-]",
        1,
        (
            Option("--tool", "T", "the tool that said it: its limits and strategy apply"),
            Option("--strategy", "S", "head, tail, head_tail, line, element, smart, none, or one you registered"),
            CHARS,
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
        "overspill.cli.redact:run",
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
        "overspill.cli.tokens:run",
        "count characters, lines, bytes and tokens",
        "[FILE|-]",
        1,
        (),
        ("git diff | spill tokens", "spill tokens README.md --json"),
    ),
)
