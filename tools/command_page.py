"""The command-line reference, made of the table that reads the command line."""

from collections.abc import Iterator

from overspill.cli.arguments import GENERAL, Command, Option, usage
from overspill.cli.commands import commands
from overspill.cli.help import STATUSES

INTRODUCTION = f"""# The command line

`spill`, and `acode`, which is the same program. Data goes to standard output, everything else to standard error;
with `--json` standard output holds exactly one envelope. This page is generated: `make docs` writes it.

Exit status: {" · ".join(f"{status} {meaning}" for status, meaning in STATUSES)}."""


def command_page() -> str:
    """The whole page."""
    general = ["## Options for every command", "", "They are welcome anywhere on the line.", "", *_options(GENERAL)]
    return (
        "\n".join([INTRODUCTION, "", *general, *(line for command in commands() for line in _command(command))]) + "\n"
    )


def _command(command: Command) -> Iterator[str]:
    yield from ("", f"## spill {command.name}", "", f"{command.summary[0].upper()}{command.summary[1:]}.")
    if command.detail:
        yield from ("", command.detail)
    yield from ("", "```", usage(command), "```")
    if command.options:
        yield from ("", *_options(command.options))
    yield from ("", "For example:", "", "```sh", *command.examples, "```")


def _options(options: tuple[Option, ...]) -> Iterator[str]:
    yield from ("| option | what it does |", "|---|---|")
    for option in options:
        yield f"| `{(option.name + ' ' + option.value).strip()}` | {option.help} |"
