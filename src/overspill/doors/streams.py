"""What the commands read and write: files and standard streams, as bytes."""

import errno
import os
import sys

from overspill.errors import InputError, UsageError


def read_input(arguments: tuple[str, ...]) -> bytes:
    """The content of the file that was named, or of standard input."""
    name = arguments[0] if arguments else "-"
    if name != "-":
        try:
            with open(name, "rb") as file:  # pathlib costs a start-up
                return file.read()
        except OSError as error:
            raise InputError(f"cannot read {name!r}: {os.strerror(error.errno or 0).lower()}") from None
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("nothing to read: name a file, or pipe something in; `spill --help` has examples")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"cannot read standard input: {os.strerror(error.errno or errno.EBADF).lower()}") from None


def write_text(text: str) -> None:
    """Exactly `text` on standard output; on a terminal with a line end, so that the prompt stands apart."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    if sys.stdout.isatty() and not text.endswith("\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def note(line: str) -> None:
    """One line for people, on standard error."""
    sys.stderr.write(f"{line}\n")
