"""Reads a command line by a table of commands.

Start-up is budgeted, and the general options are welcome anywhere on the line, so this is our own
small reader instead of argparse. The same table makes the help texts and the reference page.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.errors import UsageError, shell_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Option(NamedTuple):
    """One option: a flag, or with `value` one that takes a word."""

    name: str
    value: str = ""
    help: str = ""
    read: Callable[[str], object] = str
    many: bool = False  # given more than once, its values make a list


class Command(NamedTuple):
    """One command: how it is called and which function does it."""

    words: tuple[str, ...]
    run: str  # module:function, imported when called
    summary: str
    arguments: str = ""
    most: int = 0  # positional arguments at the most
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()
    detail: str = ""
    rest: bool = False  # everything from the first argument on is not ours to read
    failure: int | None = None  # the status of every failure of ours, where others have a meaning of their own

    @property
    def name(self) -> str:
        return " ".join(self.words)


class CommandCall(NamedTuple):
    """A command line, understood."""

    command: Command | None
    options: dict[str, object]
    arguments: tuple[str, ...]
    word: str = ""  # the group that was named when no command was

    def flag(self, name: str) -> bool:
        """Whether a flag was given."""
        return bool(self.options.get(name))

    def text(self, name: str) -> str | None:
        """The word given to an option."""
        value = self.options.get(name)
        return None if value is None else str(value)

    def argument(self, place: int, name: str) -> str:
        """A positional argument that must be there."""
        if place >= len(self.arguments):
            form = f"; usage: {usage(self.command)}" if self.command else ""
            raise UsageError(f"{name} is missing{form}")
        return self.arguments[place]

    def texts(self, name: str) -> list[str] | None:
        """The words given to an option that may be repeated."""
        value = self.options.get(name)
        return [str(word) for word in value] if isinstance(value, list) else None

    def number(self, name: str) -> int | None:
        """The number given to an option."""
        value = self.options.get(name)
        return value if isinstance(value, int) else None

    def bounds(self, name: str) -> tuple[int, int] | None:
        """The two ends given to an option that takes a range."""
        value = self.options.get(name)
        return value if isinstance(value, tuple) else None


def one_of(*words: str) -> Callable[[str], str]:
    """A reader of one word of a few."""

    def read(word: str) -> str:
        if word not in words:
            raise ValueError(f"one of {', '.join(words)}")
        return word

    return read


GENERAL = (
    Option("--json", help="answer with one JSON envelope on standard output"),
    Option("--root", "DIR", "the project's directory (default: the nearest one with .agent, .acode or .git)"),
    Option("--session", "NAME", "the session that artifacts belong to"),
    Option("--config", "FILE", "read this settings file instead of the project's"),
    Option("--preset", "NAME", "spec or agent (default: agent)", one_of("spec", "agent")),
    Option("--help", help="say what this command does, with examples"),
    Option("--version", help="say which version this is"),
)


MOST_DIGITS = 18


def positive_number(word: str) -> int:
    """A whole number from 1 on.

    >>> positive_number("8000")
    8000
    """
    if _digits_of(word) < 1:
        raise ValueError("a whole number from 1 on")
    return int(word)


def natural_number(word: str) -> int:
    """A whole number from 0 on.

    >>> natural_number("0")
    0
    """
    if _digits_of(word) < 0:
        raise ValueError("a whole number from 0 on")
    return int(word)


def whole_number(word: str) -> int:
    """A whole number, also below 0.

    >>> whole_number("-1")
    -1
    """
    if _digits_of(word.removeprefix("-")) < 0:
        raise ValueError("a whole number")
    return int(word)


def _digits_of(word: str) -> int:
    """The number that a word of digits is; -1 for any other word."""
    if not (word.isascii() and word.isdigit()):
        return -1
    if len(word) > MOST_DIGITS:
        raise ValueError(f"a whole number of at most {MOST_DIGITS} digits")
    return int(word)


def number_range(word: str) -> tuple[int, int]:
    """Two whole numbers with a dash between.

    >>> number_range("41-902")
    (41, 902)
    """
    first, _, last = word.partition("-")
    try:
        return natural_number(first), natural_number(last)
    except ValueError:
        raise ValueError("a range like 41-902") from None


LAST_LINE = 10**MOST_DIGITS


def line_range(word: str) -> tuple[int, int]:
    """Lines: one, two with a dash between, from one on, or so many from the end, which count downwards from -1.

    >>> line_range("41-902"), line_range("5"), line_range("5-")[0], line_range("-20")
    ((41, 902), (5, 5), 5, (-20, -1))
    """
    first, dash, last = word.partition("-")
    try:
        if not first:
            return -positive_number(last), -1
        start = natural_number(first)
        return start, (natural_number(last) if last else LAST_LINE) if dash else start
    except ValueError:
        raise ValueError("lines like 41-902, 5, 5- or -20 (the last twenty)") from None


UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def duration(word: str) -> int:
    """A length of time, in seconds.

    >>> duration("2h"), duration("90s"), duration("3d")
    (7200, 90, 259200)
    """
    if word[-1:] not in UNITS or _digits_of(word[:-1]) < 1:
        raise ValueError("a length of time like 90s, 15m, 2h, 3d or 1w")
    if (found := int(word[:-1]) * UNITS[word[-1]]) > LONGEST:
        raise ValueError("a length of time of at most 36500d")
    return found


LONGEST = 36_500 * UNITS["d"]


def moment(word: str) -> str:
    """A moment, as text that stays what it is: a date, a time, or so long ago.

    >>> moment("2026-11-01"), moment("2026-11-01T08:30:00Z")
    ('2026-11-01T00:00:00Z', '2026-11-01T08:30:00Z')
    """
    from datetime import UTC, datetime, timedelta

    if word[-1:] in UNITS and word[:-1].isdigit():
        found = datetime.now(UTC) - timedelta(seconds=duration(word))
    else:
        try:
            found = datetime.fromisoformat(word)
            found = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            raise ValueError("a date, a time, or how long ago: 2026-11-01, 2026-11-01T08:30:00Z, 2h, 3d") from None
    return f"{found.replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def port_number(word: str) -> int:
    """A port of this machine.

    >>> port_number("8765")
    8765
    """
    if natural_number(word) > MOST_PORTS:
        raise ValueError(f"a port up to {MOST_PORTS}")
    return int(word)


MOST_PORTS = 65_535


def read_command_line(argv: Sequence[str], commands: Callable[[str], Sequence[Command]]) -> CommandCall:
    """The command line as a call; `UsageError` names what is wrong and what was meant.

    `commands` gives those that begin with a word, or all of them where none does.
    """
    line = _Line(argv, commands)
    while line.rest:
        line.step()
    return CommandCall(line.command, line.options, tuple(line.arguments), " ".join(line.words))


def asks_for_envelope(argv: Sequence[str], commands: Callable[[str], Sequence[Command]]) -> bool:
    """Whether `--json` is among the words that are ours to read, also of a line that cannot be read as a whole."""
    line = _Line(argv, commands)
    while line.rest:
        with suppress(UsageError):
            line.step()
    return "--json" in line.options


class _Line:
    """A command line, read word by word."""

    def __init__(self, argv: Sequence[str], commands: Callable[[str], Sequence[Command]]) -> None:
        self.argv = argv
        self.rest = list(reversed(argv))
        self.find = commands
        self.commands: Sequence[Command] = ()
        self.command: Command | None = None
        self.words: tuple[str, ...] = ()
        self.options: dict[str, object] = {}
        self.arguments: list[str] = []

    def step(self) -> None:
        word = self.rest.pop()
        if word == "--":
            self._take_rest()
        elif word.startswith("-") and word != "-":
            self._option(word)
        elif self.command is None:
            self._name(word)
        else:
            self._argument(word)

    def _take_rest(self) -> None:
        self.arguments += reversed(self.rest)
        self.rest.clear()

    def _name(self, word: str) -> None:
        words = (*self.words, word)
        if not self.words:
            self.commands = self.find(word)
        reach = [command for command in self.commands if command.words[: len(words)] == words]
        if not reach:
            known = sorted({command.words[len(words) - 1] for command in self._beside(words)})
            raise UsageError(f"no command {' '.join(words)!r}{nearest(word, known)}; `spill --help` lists them")
        self.words = words
        self.command = next((command for command in reach if command.words == words), None)

    def _beside(self, words: tuple[str, ...]) -> list[Command]:
        depth = len(words) - 1
        return [one for one in self.commands if one.words[:depth] == words[:depth] and len(one.words) > depth]

    def _argument(self, word: str) -> None:
        assert self.command is not None  # noqa: S101  # a name comes before its arguments
        if len(self.arguments) >= self.command.most:
            raise UsageError(f"unexpected argument {word[:100]!r}; usage: {usage(self.command)}")
        self.arguments.append(word)
        if self.command.rest:
            self._take_rest()

    def _option(self, word: str) -> None:
        name, equals, value = word.partition("=")
        name = "--help" if name == "-h" else name
        known = self._known_options()
        option = next((option for option in known if option.name == name), None)
        if option is None:
            hint = nearest(name, [option.name for option in known])
            where = f"spill {self.command.name} --help" if self.command else "spill --help"
            raise UsageError(f"no option {name[:100]!r}{hint}; `{where}` lists them")
        if not option.value:
            if equals:
                raise UsageError(f"{name} takes no value")
            self.options[name] = True
            return
        given = self._value(option, value if equals else None)
        self.options[name] = [*self._list(name), given] if option.many else given

    def _known_options(self) -> tuple[Option, ...]:
        return (*(self.command.options if self.command else ()), *GENERAL)

    def _list(self, name: str) -> list[object]:
        before = self.options.get(name)
        return before if isinstance(before, list) else []

    def _value(self, option: Option, word: str | None) -> object:
        start = len(self.argv) - len(self.rest) - 1
        if word is None:
            if not self.rest:
                raise UsageError(f"{option.name} needs a value: {option.name} {option.value}")
            word = self.rest.pop()
            if word.startswith("--") and any(one.name == word for one in self._known_options()):
                self.rest.append(word)
                meant = f"if it is meant, {option.name}={word}"
                raise UsageError(
                    f"{option.name} needs a value: {option.name} {option.value}; {word} is an option; {meant}"
                )
        try:
            return option.read(word)
        except ValueError as error:
            wrong = UsageError(f"{option.name} takes {error}, not {word[:100]!r}")
            raise wrong.with_help(self._without(start), suggestion=f"leave out {option.name}") from None

    def _without(self, start: int) -> str:
        """The line without the option that began there."""
        return shell_line("spill", *self.argv[:start], *self.argv[len(self.argv) - len(self.rest) :])


def usage(command: Command) -> str:
    """A command's form in one line."""
    options = "".join(f" [{option.name}{' ' + option.value if option.value else ''}]" for option in command.options)
    return f"spill {command.name}{' ' + command.arguments if command.arguments else ''}{options}"


def nearest(word: str, known: Sequence[str]) -> str:
    """`, did you mean ...?` when a known word is close."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, 1)
    return f", did you mean {close[0]!r}?" if close else ""
