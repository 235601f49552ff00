"""Help texts, made of the same table that reads the command line."""

from collections.abc import Iterable, Sequence

from overspill.cli.arguments import GENERAL, Call, Command, Option, usage

ABOUT = "spill keeps what tools say inside an agent's context budget, and the rest within reach."


def help_text(call: Call, commands: Sequence[Command]) -> str:
    """What a caller should know: of one command, of a group, or of all."""
    if call.command is not None:
        return command_help(call.command)
    group = call.word
    chosen = [command for command in commands if not group or command.words[0] == group]
    lines = [ABOUT, "", "Commands:", *_columns((command.name, command.summary) for command in chosen)]
    lines += ["", "Options for every command:", *_options(GENERAL), "", "Examples:"]
    lines += [f"  {command.examples[0]}" for command in chosen if command.examples]
    lines += ["", "`spill COMMAND --help` says more about one of them."]
    return "\n".join(lines) + "\n"


def command_help(command: Command) -> str:
    """What a caller should know of one command."""
    lines = [f"spill {command.name}: {command.summary}", "", f"Usage: {usage(command)}"]
    if command.detail:
        lines += ["", command.detail]
    if command.options:
        lines += ["", "Options:", *_options(command.options)]
    lines += ["", "Options for every command:", *_options(GENERAL), "", "Examples:"]
    lines += [f"  {example}" for example in command.examples]
    return "\n".join(lines) + "\n"


def _options(options: Sequence[Option]) -> list[str]:
    return _columns((f"{option.name} {option.value}".strip(), option.help) for option in options)


def _columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    table = list(rows)
    width = max((len(left) for left, _ in table), default=0)
    return [f"  {left:<{width}}  {right}".rstrip() for left, right in table]
