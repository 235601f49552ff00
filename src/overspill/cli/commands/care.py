"""Commands that look after an installation, and show it."""

from overspill.cli.arguments import Command, Option

COMMANDS = (
    Command(
        ("doctor",),
        "overspill.cli.doctor:run",
        "whether everything works here; status 1 if something does not",
        "[ID|CALL|last]",
        1,
        (Option("--why-not", help="why the last results, or one artifact or call, are not kept"),),
        ("spill doctor", "spill doctor --json", "spill doctor --why-not last"),
        "Looks and changes nothing. Every line that says `wrong` is followed by the command that mends it.",
    ),
    Command(
        ("stats",),
        "overspill.cli.stats:run",
        "what was cut, fetched and saved, and which limits are too tight",
        options=(
            Option("--day", help="the last 24 hours, of all sessions"),
            Option("--all", help="all sessions (default: the session in use; the root's own sees all)"),
            Option("--tool", "T", "one tool only"),
            Option("--prometheus", help="as Prometheus reads it, of all sessions"),
            Option("--line", help="one line, for a prompt or a status bar"),
            Option("--context", help="of hand-offs instead: how well each phase's budget of tokens fits"),
        ),
        examples=("spill stats", "spill stats --day --tool bash", "spill stats --context"),
        detail="Adds up the journal below `.acode/logs/`, as far back as its files go. It holds sizes and names and\n"
        "never content. A view whose artifact was fetched within ten minutes counts as cut too short.",
    ),
    Command(
        ("purge",),
        "overspill.cli.purge:run",
        "remove everything that was ever kept below the root",
        options=(
            Option("--everywhere", help="below every root of yours"),
            Option("--yes", help="really; without it, only say what would be removed"),
        ),
        examples=("spill purge", "spill purge --yes"),
    ),
    Command(
        ("demo",),
        "overspill.cli.demo:run",
        "what the model sees, beside what the tool said",
        examples=("spill demo",),
    ),
    Command(
        ("completion",),
        "overspill.cli.completion:run",
        "a script that lets a shell complete commands and options",
        "bash|zsh|fish",
        1,
        examples=("source <(spill completion bash)", "spill completion fish > ~/.config/fish/completions/spill.fish"),
    ),
)
