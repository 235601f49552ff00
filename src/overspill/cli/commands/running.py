"""The command that runs commands."""

from overspill.cli.arguments import Command, Option
from overspill.cli.commands import CHARS, TOKENS

ANY_NUMBER = 1_000_000
MOST_SECONDS_CHARS = 12
FAILED_TO_RUN = 125  # every other status is that of the command


def seconds(word: str) -> float:
    """A length of time.

    >>> seconds("0.5")
    0.5
    """
    if (
        not word.replace(".", "", 1).isdecimal()
        or not word.isascii()
        or float(word) <= 0
        or len(word) > MOST_SECONDS_CHARS
    ):
        raise ValueError("a number of seconds above 0")
    return float(word)


COMMANDS = (
    Command(
        ("run",),
        "overspill.cli.run:run",
        "run a command and show what fits of its output; the status is the command's",
        "[--] CMD...",
        ANY_NUMBER,
        (
            Option("--tool", "T", "the tool it counts as: its limits and strategy apply (default: execute_command)"),
            Option("--strategy", "S", "head, tail, head_tail, line, smart, none, or one you registered"),
            CHARS,
            TOKENS,
            Option("--focus", "X", "what you are looking for"),
            Option("--tee", help="show its output on standard error as it comes, without secrets"),
            Option("--no-tee", help="do not, even where standard error is a terminal"),
            Option("--separate", help="two views that share the budget, each on the stream it came from"),
            Option("--pty", help="give it a terminal, for commands that say more on one"),
            Option("--timeout", "S", "end it, and all it started, after so many seconds; status 124", seconds),
            Option("--cwd", "DIR", "run it there"),
            Option("--env", "NAME=VALUE", "add this to its environment; may be given more than once", many=True),
        ),
        (
            "spill run -- pytest -x",
            "spill run --limit 4000 --timeout 600 make -j8",
            "spill run --separate -- bash -c 'make && ./serve --check'",
        ),
        "Standard output carries the view and nothing else: both outputs of the command, in the order they were\n"
        "written. Status: the command's; 124 out of time; 125 a failure of ours; 126 and 127 as in a shell; 128 and\n"
        "the number of the signal that ended it. Interrupts are sent on to the command and all it started.",
        rest=True,
        failure=FAILED_TO_RUN,
    ),
)
