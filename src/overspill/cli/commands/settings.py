"""Commands for the settings."""

from overspill.cli.arguments import Command, Option

COMMANDS = (
    Command(
        ("config", "show"),
        "overspill.cli.config:show",
        "the settings in force",
        options=(Option("--origin", help="say where each value comes from"),),
        examples=("spill config show --origin",),
    ),
    Command(
        ("config", "check"),
        "overspill.cli.config:check",
        "read the settings files and say what is wrong with them",
        examples=("spill config check --config ci.yml",),
    ),
    Command(
        ("config", "init"),
        "overspill.cli.config:init",
        "write a commented settings file",
        options=(
            Option("--profile", "P", "a starting point: see `spill config init --help`"),
            Option("--force", help="replace a file that is there"),
        ),
        examples=("spill config init --profile small-window",),
    ),
    Command(
        ("config", "path"),
        "overspill.cli.config:path",
        "which settings files are read, and whether they are there",
        examples=("spill config path",),
    ),
)
