"""The command line: `spill`, and `acode`, which is the same program."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from overspill.doors.arguments import read
from overspill.doors.commands import COMMANDS
from overspill.errors import OverspillError
from overspill.version import __version__

INTERRUPTED = 130


def entry() -> None:
    """What the installed commands call."""
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run one command. Data goes to standard output, everything else to standard error."""
    try:
        status = dispatch(argv)
        sys.stdout.flush()
    except OverspillError as error:
        return complain(argv, error)
    except BrokenPipeError:
        # The reader has seen enough. Python would complain once more while flushing at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # a traceback may quote what must not be shown
        if os.environ.get("OVERSPILL_DEBUG"):
            raise
        fault = f"{type(error).__name__}: this is our fault; OVERSPILL_DEBUG=1 shows where"
        return complain(argv, OverspillError(fault))
    return status


def dispatch(argv: Sequence[str]) -> int:
    """Find the command and call it."""
    call = read(argv, COMMANDS)
    if not call.word and not call.flag("--help") and not sys.stdin.isatty():
        call = read(["fit", *argv], COMMANDS)
    if call.flag("--version"):
        print(f"spill {__version__}")
        return 0
    if call.command is None or call.flag("--help"):
        from overspill.doors.help import help_text

        print(help_text(call, COMMANDS), end="")
        return 0 if call.flag("--help") or not argv else 2
    module, function = call.command.run.split(":")
    status: int = getattr(import_module(module), function)(call)
    return status


def complain(argv: Sequence[str], error: OverspillError) -> int:
    """Say what went wrong: an envelope for programs, one line for people."""
    if "--json" in argv:
        from overspill.envelope import failure

        print(failure(command_name(argv), error))
    else:
        sys.stderr.write(f"spill: {error}\n")
    return error.exit_code


def command_name(argv: Sequence[str]) -> str:
    """The command that was meant, as far as it can be read off a line that may be malformed."""
    words = tuple(word for word in argv if not word.startswith("-"))
    known = [command.name for command in COMMANDS if words[: len(command.words)] == command.words]
    return known[0] if known else ""
