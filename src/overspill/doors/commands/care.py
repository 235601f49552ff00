"""Commands that look after an installation, and show it."""

from overspill.doors.arguments import Command, Option

COMMANDS = (
    Command(
        ("doctor",),
        "overspill.doors.doctor:run",
        "whether everything works here; status 1 if something does not",
        examples=("spill doctor", "spill doctor --json"),
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
    Command(
        ("demo",),
        "overspill.doors.demo:run",
        "what the model sees, beside what the tool said",
        examples=("spill demo",),
    ),
    Command(
        ("completion",),
        "overspill.doors.completing:run",
        "a script that lets a shell complete commands and options",
        "bash|zsh|fish",
        1,
        examples=("source <(spill completion bash)", "spill completion fish > ~/.config/fish/completions/spill.fish"),
    ),
)
