"""The command line: `spill`, and `acode`, which is the same program.

A line is read by the tables in `commands`, and `help` makes its texts of them. The module of the command is loaded
when the line is understood, and whatever goes wrong in it becomes one message and a status.
"""

from __future__ import annotations

import gc
import os
import sys

from overspill._lite import TYPE_CHECKING, fresh_patterns, load_module, load_patterns_by, suppress
from overspill.cli.arguments import GENERAL, Command, CommandCall, asks_for_envelope, read_command_line
from overspill.cli.commands import commands
from overspill.cli.output import error_envelope, note, silence_stderr, silence_stdout, success_envelope
from overspill.errors import InputError, OverspillError, UsageError
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from overspill._lite import CompiledPattern, CompiledPatterns, PatternKey

INTERRUPTED = 130
CANNOT_RUN = {126, 127}


def entry() -> None:
    """What the installed commands call."""
    # Most commands live for one call: looking for garbage after every 700 objects costs more than what it finds.
    gc.set_threshold(50_000)
    load_patterns_by(read_patterns)
    status = main(sys.argv[1:])
    save_patterns()
    end_process(status)


def end_process(status: int) -> None:
    """End with a status; at once where nothing is left to be done.

    Python takes apart all it has built before it ends, which takes as long as a third of its start. Only threads and
    handlers for the end of a program could need that, and neither can be there without its module.
    """
    if "threading" not in sys.modules and "atexit" not in sys.modules:
        with suppress(OSError, ValueError):  # a stream that is closed or broken: Python has a status for that
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
            os._exit(status)
    sys.exit(status)


MAX_PATTERNS_BYTES = 4 << 20


class PatternFile:
    """Compiled patterns: where each lies by the number of its text, then one after the other.

    A command needs few of the hundreds that others compiled, so each is made when it is asked for, and their texts,
    which are longer than all else, are not even read. What cannot be read was not kept.
    """

    def __init__(self, content: bytes = b"") -> None:
        self._places: dict[int, tuple[int, int]] = {}
        self._rest = memoryview(content)
        if content:
            size = int.from_bytes(content[:LENGTH], "little")
            places = _unmarshalled(self._rest[LENGTH : LENGTH + size])
            self._places = places if isinstance(places, dict) else {}
            self._rest = self._rest[LENGTH + size :]

    def get(self, key: PatternKey) -> CompiledPattern | None:
        """What a pattern was compiled to, if that is known."""
        start, end = self._places.get(pattern_number(key), (0, 0))
        found = _unmarshalled(self._rest[start:end]) if start < end else None
        return found if isinstance(found, tuple) else None

    def with_others(self, others: CompiledPatterns) -> bytes:
        """The content of a file that has these, too."""
        import marshal

        known = {number: bytes(self._rest[start:end]) for number, (start, end) in self._places.items()}
        known |= {pattern_number(key): marshal.dumps(compiled) for key, compiled in others.items()}
        places: dict[int, tuple[int, int]] = {}
        at = 0
        for number, compiled in known.items():
            places[number] = (at, at + len(compiled))
            at += len(compiled)
        table = marshal.dumps(places)
        return b"".join((len(table).to_bytes(LENGTH, "little"), table, *known.values()))


LENGTH = 4  # bytes that say how long the table of places is
PRIME = (1 << 89) - 1


def pattern_number(key: PatternKey) -> int:
    """A number for the text of a pattern, the same in every process; two of a thousand have one in no lifetime.

    >>> pattern_number((False, "a+")) == pattern_number((False, "a+")) != pattern_number((True, b"a+"))
    True
    """
    of_bytes, source = key
    content = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
    return int.from_bytes(content + (b"b" if of_bytes else b"t"), "big") % PRIME


def _unmarshalled(content: memoryview) -> object:
    import marshal

    try:
        return marshal.loads(content)  # noqa: S302  # only the user can have written it
    except (ValueError, EOFError, TypeError):
        return None


def read_patterns() -> PatternFile:
    """What earlier commands on this machine compiled, for this very Python; a file that is damaged is no file."""
    from overspill.files import cache_directory, read_cached

    place = cache_directory(os.environ)
    return PatternFile((read_cached(place, patterns_file(), MAX_PATTERNS_BYTES) if place else None) or b"")


def save_patterns() -> None:
    """Keep what this command had to compile for the next ones."""
    fresh = fresh_patterns()
    if fresh:
        from overspill.files import cache_directory, write_cached

        place = cache_directory(os.environ)
        if place:
            write_cached(place, patterns_file(), read_patterns().with_others(fresh))


def patterns_file() -> str:
    """The name says what the content holds for."""
    return f"patterns-{__version__}-{sys.implementation.name}-{sys.hexversion:x}.numbered"


def main(argv: Sequence[str]) -> int:
    """Run one command. Data goes to standard output, everything else to standard error."""
    if sys.stderr is None:
        silence_stderr()  # closed by whoever called us; nothing of ours may take its place
    try:
        status = run_command(argv)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()  # the reader has seen enough
        return 0
    except OSError as error:
        silence_stdout()
        spoken = [word for word in argv if word != "--json"]  # an envelope would go where nothing can be written
        return report_error(
            spoken, InputError(f"cannot write to standard output: {os.strerror(error.errno or 0).lower()}")
        )
    except KeyboardInterrupt:
        note("spill: interrupted")
        return INTERRUPTED
    return status


def run_command(argv: Sequence[str]) -> int:
    """The status of a command, with everything that went wrong said."""
    try:
        return dispatch(argv)
    except OverspillError as error:
        return report_error(argv, error)
    except OSError:
        raise
    except Exception as error:  # a traceback may quote what must not be shown
        if os.environ.get("OVERSPILL_DEBUG"):
            raise
        fault = f"{type(error).__name__}: this is our fault; OVERSPILL_DEBUG=1 shows where"
        return report_error(argv, OverspillError(fault))


def dispatch(argv: Sequence[str]) -> int:
    """Find the command and call it."""
    if sys.stdout is None:
        raise InputError("standard output is closed")
    call = read_call(argv)
    if call.flag("--version"):
        return print_version(as_json=call.flag("--json"))
    if call.flag("--help") or (call.command is None and not argv):
        from overspill.cli.help import first_words, help_text

        text = help_text(call) if argv else first_words()
        if call.flag("--json"):
            topic = call.command.name if call.command else call.word
            print(success_envelope("help", "help", {"topic": topic, "text": text}))
        else:
            print(text, end="")
        return 0
    if call.command is None:
        verbs = ", ".join(command.words[-1] for command in commands(call.word))
        wanted = f"`spill {call.word}` needs one of: {verbs}" if call.word else "no command was named"
        raise UsageError(f"{wanted}; `spill --help` lists them")
    module, function = call.command.run.split(":")
    status: int = getattr(load_module(module), function)(call)
    return status


def read_call(argv: Sequence[str]) -> CommandCall:
    """The line as a call. In a pipe `spill` alone, with options of `spill fit` or without, is `spill fit`."""
    is_piped = sys.stdin is not None and not sys.stdin.isatty()
    try:
        call = read_command_line(argv, commands)
    except UsageError:
        if is_piped and argv[0].startswith("-"):
            fit = read_command_line(["fit", *argv], commands)
            if not fit.arguments:  # a word could as well be a command that was misspelt
                return fit
        raise
    asked = call.flag("--help") or call.flag("--version")
    return read_command_line(["fit", *argv], commands) if is_piped and not call.word and not asked else call


def print_version(*, as_json: bool) -> int:
    """Which version this is."""
    if as_json:
        print(success_envelope("version", "version", __version__))
    else:
        print(f"spill {__version__}")
    return 0


def report_error(argv: Sequence[str], error: OverspillError) -> int:
    """Say what went wrong: an envelope for programs, one line for people; without the secrets it may quote."""
    from overspill.redact import redact_text

    error.args = (redact_text(str(error)),)
    meant = meant_command(argv)
    status = error.exit_code
    if meant and meant.failure is not None and status not in CANNOT_RUN:
        status = meant.failure
        error.exit_code = status or error.exit_code  # a hook ends well, and what it says is an error all the same
    if not error.fix and error.exit_code != OverspillError.exit_code:
        error.fix = " ".join(["spill", *(meant.words if meant else ()), "--help"])
    if "--json" not in argv or not asks_for_envelope(argv, commands) or sys.stdout is None:
        note(f"spill: {error}".encode("utf-8", "backslashreplace").decode())
        return status
    for part in ("fix", "suggestion", "alternatives", "context"):
        setattr(error, part, _without_secrets(getattr(error, part)))
    try:
        print(error_envelope(meant.name if meant else "", error), flush=True)
    except BrokenPipeError:
        silence_stdout()
    return status


def _without_secrets(value: object) -> object:
    from overspill.redact import redact_text

    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, dict):
        return {name: _without_secrets(member) for name, member in value.items()}
    return [_without_secrets(member) for member in value] if isinstance(value, list | tuple) else value


def meant_command(argv: Sequence[str]) -> Command | None:
    """The command that was meant, as far as it can be told from a line that could not be read."""
    from itertools import pairwise

    valued = {option.name for option in GENERAL if option.value}
    words = [word for before, word in pairwise(["", *argv]) if not word.startswith("-") and before not in valued]
    return next((command for command in commands() if tuple(words[: len(command.words)]) == command.words), None)
