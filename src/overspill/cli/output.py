"""What commands read and write: files and standard streams, as bytes, and answers for programs as JSON in an envelope.

`tables.py` writes tables for people, and pages of records in either form. How far a long piece of work is stands on one
line of a terminal, nowhere else, and not within the first second.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from _collections_abc import Mapping

from overspill._lite import TYPE_CHECKING, suppress
from overspill.cli.arguments import GENERAL, CommandCall
from overspill.errors import InputError, Interrupted, UsageError, shell_line
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from io import BufferedReader
    from typing import BinaryIO, Self

    from overspill.errors import OverspillError


INPUT_CHUNK_BYTES = 1 << 20


def read_input(arguments: tuple[str, ...]) -> bytes:
    """All of the file that was named, or of standard input."""
    return b"".join(input_chunks(arguments))


class StopSignals:
    """While it lasts, an interrupt or a request to end stops the reading of input, and not the work on what came.

    It is noted, and takes effect only where input is waited for: so no byte that was read is lost. Whoever was
    interrupted with us may have some last words. The second one ends everything at once.
    """

    NUMBERS = (2, 15)  # SIGINT, SIGTERM
    LAST_WORDS = 0.1  # seconds without a word after which nothing more is expected
    AT_THE_LATEST = 1.0
    LOOK_EVERY = 1.0

    def __init__(self) -> None:
        self.number = 0
        self._waiting = False
        self._since = 0.0
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        import _signal  # type: ignore[import-not-found]  # the same without its enumerations, which take long

        for number in self.NUMBERS:
            if _signal.getsignal(number) != _signal.SIG_IGN:
                self._before[number] = _signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        import _signal

        for number, handler in self._before.items():
            _signal.signal(number, handler)

    def _note(self, number: int, _frame: object) -> None:
        if self.number:
            raise KeyboardInterrupt
        self.number = number
        if self._waiting:
            raise Interrupted(number)

    def wait_for(self, file: int) -> None:
        """Wait until there is something to read; `Interrupted` if that is no use any more."""
        import select
        import time

        ready = select.poll()
        ready.register(file, select.POLLIN)
        if not self.number:
            with suppress(Interrupted):
                self._waiting = True
                # One that comes before this line and after the one above is noticed, if not at once.
                while not self.number and not ready.poll(self.LOOK_EVERY * 1000):
                    pass
            self._waiting = False
        if self.number:
            self._since = self._since or time.monotonic()
            late = time.monotonic() - self._since > self.AT_THE_LATEST
            if late or not ready.poll(self.LAST_WORDS * 1000):
                raise Interrupted(self.number)

    @property
    def status(self) -> int:
        """The status of a command that was told to end, as shells give it; else 0."""
        return 128 + self.number if self.number else 0


def input_chunks(
    arguments: tuple[str, ...], stop: StopSignals | None = None, *, watched: bool = False
) -> Iterator[bytes]:
    """The file that was named, or standard input, a piece at a time, until `stop`.

    A file that cannot be read is said before anything else happens. `watched` is for who writes only when all of it was
    read: a terminal then says how far that is.
    """
    name = arguments[0] if arguments else "-"
    if name == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError("nothing to read: name a file, or pipe something in; `spill --help` has examples")
    try:
        file = sys.stdin.buffer if name == "-" else open(name, "rb")  # noqa: SIM115  # closed by `_file_chunks`
    except OSError as error:
        raise InputError(f"cannot read {name[:200]!r}: {os.strerror(error.errno or errno.EBADF).lower()}") from None
    chunks = _file_chunks(file, "standard input" if name == "-" else repr(name[:200]), stop)
    if not watched or sys.stderr is None or not sys.stderr.isatty():
        return chunks
    return watched_chunks(chunks, os.fstat(file.fileno()).st_size)  # a pipe has none


def _file_chunks(file: BufferedReader | BinaryIO, name: str, stop: StopSignals | None) -> Iterator[bytes]:
    # `read1` gives what a pipe has instead of waiting until a whole chunk is there.
    read = getattr(file, "read1", file.read)
    with file:
        while True:
            if stop is not None:
                stop.wait_for(file.fileno())
            try:
                chunk = read(INPUT_CHUNK_BYTES)
            except OSError as error:
                raise InputError(f"cannot read {name}: {os.strerror(error.errno or errno.EBADF).lower()}") from None
            if not chunk:
                if stop is not None and stop.number:
                    raise Interrupted(stop.number)  # whoever was writing may have been interrupted with us
                return
            yield chunk


def write_text(text: str) -> None:
    """Exactly `text` on standard output; on a terminal with a line end, so that the prompt stands apart."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    if text and sys.stdout.isatty() and not text.endswith("\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def silence_stdout() -> None:
    """Let nothing more be written to standard output: Python would complain once more while flushing at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_answer(
    call: CommandCall,
    key: str,
    value: object,
    text: str,
    *,
    pagination: Mapping[str, object] | None = None,
    following: str = "",
) -> int:
    """What a command found out: an envelope for programs, text for people, which holds no call for more."""
    if call.flag("--json"):
        name = call.command.name if call.command else ""
        text = success_envelope(name, key, value, pagination=pagination, following=following) + "\n"
    write_text(text)
    if following and not call.flag("--json"):
        note(f"next: {following}")
    return 0


def repeat_command(call: CommandCall, line: str, before: str = "") -> str:
    """A command line that does the same here: with the general options that this one was given.

    They are put at its end, or, where its last words are no options, before the word that says so.
    """
    words = [
        f" {shell_line(option.name, word)}"
        for option in GENERAL
        if option.value and (word := call.text(option.name)) is not None and f" {option.name} " not in line
    ]
    given = "".join([*words, *[" --json"][: call.flag("--json")]])
    head, mark, tail = line.partition(f" {before} ") if before else (line, "", "")
    return head + given + mark + tail


def note(line: str) -> None:
    """One line for people, on standard error. What cannot be said there is no reason to fail."""
    try:
        sys.stderr.write(f"{line}\n")
    except (OSError, ValueError):  # full, or its reader is gone
        silence_stderr()


def silence_stderr() -> None:
    """Let nothing more be written to standard error: Python would try once more at exit, and change the status."""
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # for as long as the process lives


PATIENCE = 1.0  # seconds: what is over sooner needs no progress
OFTEN = 0.2  # seconds between two lines, which is as fast as anybody reads


class Progress:
    """A line on standard error that says how far we are."""

    def __init__(self, total: int = 0) -> None:
        self._total = total  # bytes; 0: not known
        self._shown = is_shown()
        self._begun = self._last = time.monotonic()
        self._last += PATIENCE - OFTEN
        self._width = 0

    def say(self, words: str) -> None:
        """Say it, but not more often than anybody can read."""
        now = time.monotonic()
        if self._shown and now - self._last > OFTEN:
            self._last = now
            sys.stderr.write(f"\r{words:<{self._width}}")
            sys.stderr.flush()
            self._width = len(words)

    def say_bytes(self, done: int) -> None:
        """How many bytes are done, how fast that goes, and how long it may take, where that can be known."""
        if self._shown:
            self.say(pace(done, self._total, time.monotonic() - self._begun))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()


def is_shown() -> bool:
    """Whether somebody would see it."""
    return sys.stderr is not None and sys.stderr.isatty()


def pace(done: int, total: int, seconds: float) -> str:
    """Bytes that are done, as a person wants to know it.

    >>> pace(50 << 20, 200 << 20, 5.0)
    '50.0 MB of 200.0 MB, 10.0 MB/s, 15 s left'
    >>> pace(50 << 20, 0, 5.0)
    '50.0 MB, 10.0 MB/s'
    """
    from overspill.core import human_bytes

    rate = done / max(seconds, 0.001)
    whole = f" of {human_bytes(total)}" if total else ""
    left = f", {max(0, round((total - done) / rate))} s left" if total and rate else ""
    return f"{human_bytes(done)}{whole}, {human_bytes(round(rate))}/s{left}"


def watched_chunks(chunks: Iterator[bytes], total: int) -> Iterator[bytes]:
    """Chunks as they come, while the terminal says how many have."""
    done = 0
    with Progress(total) as progress:
        for chunk in chunks:
            yield chunk
            done += len(chunk)
            progress.say_bytes(done)


def watched_write(write: Callable[[bytes], object], progress: Progress) -> Callable[[bytes], object]:
    """A function that writes, while the terminal says how much it has written."""
    done = 0

    def written(content: bytes) -> object:
        nonlocal done
        result = write(content)
        done += len(content)
        progress.say_bytes(done)
        return result

    return written


SCHEMAS = "https://cleo-dev.com/schemas/v1/"
OUTPUT, ERROR = "output.schema.json", "error.schema.json"

_addresses = [SCHEMAS]  # the one in use: a setting may name another


def use_address(address: str) -> None:
    """Let envelopes name another schema: this address, or if it ends with a slash, the files below it."""
    _addresses[:] = [address]


def success_envelope(
    command: str,
    key: str,
    value: object,
    *,
    pagination: Mapping[str, object] | None = None,
    following: str = "",
    warnings: Sequence[Mapping[str, str]] = (),
) -> str:
    """An answer. `pagination` and the call for the next page are there only when there is a next page to speak of."""
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        lines = map(dumps, value)
        return "".join(
            envelope_pieces(command, key, lines, pagination=pagination, following=following, warnings=warnings)
        )
    return f"{_opening(command, key, pagination)}{dumps(value)}{_closing(following, warnings)}"


def envelope_pieces(
    command: str,
    key: str,
    records: Iterable[str],
    *,
    pagination: Mapping[str, object] | None = None,
    following: str = "",
    warnings: Iterable[Mapping[str, str]] = (),
) -> Iterator[str]:
    """A list as an answer, piece by piece: so many records need no more memory than one.

    `records` are written already, each on a line. What there is to warn of is asked for after the last of them.
    """
    yield _opening(command, key, pagination) + "["
    ending = ""
    for number, record in enumerate(records):
        yield f",\n{record}" if number else f"\n{record}"
        ending = "\n"
    yield f"{ending}]{_closing(following, list(warnings))}"


def error_envelope(command: str, error: OverspillError) -> str:
    """What went wrong, for programs: always code, message and exit status, and the way out where there is one."""
    said: dict[str, object] = {
        "code": error.code,
        "message": str(error),
        "exitCode": error.exit_code,
        "recoverable": error.exit_code != 1,
    }
    more = {
        "suggestion": error.suggestion,
        "fix": error.fix,
        "alternatives": list(error.alternatives),
        "context": dict(error.context),
    }
    said |= {name: value for name, value in more.items() if value}
    return dumps({"$schema": _schema_address(ERROR), "_meta": _meta(command), "success": False, "error": said})


def schema(name: str) -> dict[str, object]:
    """The JSON Schema called `output`, `error` or `pagination`.

    >>> schema("pagination")["required"]
    ['total', 'limit', 'offset', 'hasMore']
    """
    import json

    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemas", f"{name}.schema.json")
    with open(path, encoding="utf-8") as file:
        found: dict[str, object] = json.load(file)
    return found


def dumps(value: object) -> str:
    """Compact JSON. A lone surrogate cannot be encoded, so it is written as its escape."""
    import json  # most answers are text

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _opening(command: str, key: str, pagination: Mapping[str, object] | None) -> str:
    head: dict[str, object] = {"$schema": _schema_address(OUTPUT), "_meta": _meta(command), "success": True}
    if pagination is not None:
        head["pagination"] = pagination
    return f"{dumps(head)[:-1]},{dumps(key)}:"


def _closing(following: str, warnings: Sequence[Mapping[str, str]]) -> str:
    tail: dict[str, object] = {"next": following} if following else {}
    if warnings:
        tail["warnings"] = list(warnings)
    return f",{dumps(tail)[1:]}" if tail else "}"


def _schema_address(name: str) -> str:
    return _addresses[0] + name if _addresses[0].endswith("/") else _addresses[0]


def _meta(command: str) -> dict[str, str]:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"format": "json", "command": command, "timestamp": stamp, "version": __version__}
