"""What the installed commands call: a hook asks the reader of a session first, which has everything loaded already.

Half of what a hook costs is loading what looks at its event. So the MCP server that an agent keeps while it runs has a
process beside it that answers hooks (`cli/reader.py`). Nothing depends on it: without an answer the command does its
own work, with the event in hand.
"""

from __future__ import annotations

import os
import sys

from overspill._lite import TYPE_CHECKING, suppress
from overspill.version import __version__

if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator

# What hooks, hooks in a shell and shells ask by, in the cache directory; then the reader's id.
SOCKETS, HOOKS, SHELLS = "reader-", "hooks-", "shells-"
MAX_EVENT_BYTES = 1 << 28  # bytes of an event
READER_TIME_LIMIT = 20.0  # seconds for an answer; agents lose patience after 30 at the earliest
HELLO_TIME_LIMIT = 1.0  # seconds: a reader that does not even greet is not asked
HELLO = b"+"
ANSWER_BYTES = 65_536
OTHERS = 0o077


def entry() -> None:
    """Run one command."""
    match sys.argv[1:]:
        case ["hook", agent] if agent != "shell":
            answer_by_reader(agent)
    from overspill.cli.main import entry as entry_of_all

    entry_of_all()


def answer_by_reader(agent: str) -> None:
    """Let a reader answer the event on standard input, and end; where none does, the event can be read again."""
    if sys.stdin is None or sys.stdout is None or sys.stdin.isatty():
        return
    reader = find_reader()
    if reader is None:
        return
    sent = sys.stdin.buffer.read(MAX_EVENT_BYTES + 1)
    answer = answer_by(reader, agent, sent)
    if answer[-1:] == b"\n":
        sys.stdout.buffer.write(answer)
        sys.stdout.flush()
        os._exit(0)  # taking apart what was built would take as long as all this
    from io import BytesIO, TextIOWrapper

    sys.stdin = TextIOWrapper(BytesIO(sent))


def find_reader() -> socket | None:
    """A connection to a reader of this user that says it is there; None where there is none."""
    place = reader_place()
    if place is None:
        return None
    try:
        here = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not is_private(place):
            return None
        os.chdir(place)  # the path of a socket may be no longer than a hundred bytes
        return next(filter(None, map(greeted_socket, socket_names())), None)
    except OSError:
        return None
    finally:
        with suppress(OSError):
            os.fchdir(here)
        os.close(here)


def reader_place() -> str | None:
    """Where sockets lie, as `cache_directory` says, without loading what makes it."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.environ.get("HOME", "")
        base = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return os.path.join(base, "overspill") if base else None


def is_private(place: str) -> bool:
    """Whether a directory is this user's alone: then so is every socket in it."""
    from stat import S_ISDIR

    found = os.lstat(place)
    return S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & OTHERS


def socket_names() -> Iterator[str]:
    """The sockets in the working directory."""
    return (name for name in os.listdir() if name.startswith(SOCKETS))


def greeted_socket(name: str) -> socket | None:
    """A connection to the reader behind a socket, if it greets. The name of one that died is removed."""
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(HELLO_TIME_LIMIT)
        connection.connect(name)
        if connection.recv(1) == HELLO:
            return connection
    except ConnectionRefusedError:
        forget_reader(name.removeprefix(SOCKETS))
    except OSError:
        pass
    connection.close()
    return None


def forget_reader(process: str) -> None:
    """Remove what a reader made in the working directory."""
    for kind in (SOCKETS, HOOKS, SHELLS):
        with suppress(OSError):
            os.unlink(f"{kind}{process}")


def answer_by(reader: socket, agent: str, sent: bytes) -> bytes:
    """What a reader answers; it is whole if a line ends it."""
    import _socket

    said = []
    try:
        facts = [code_stamp(), agent, os.getcwd()]
        head = b"\0".join([*map(os.fsencode, facts), *(b"%b=%b" % item for item in os.environb.items())])
        reader.settimeout(READER_TIME_LIMIT)
        errors = sys.stderr.fileno() if sys.stderr is not None else os.open(os.devnull, os.O_WRONLY)
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, errors.to_bytes(4, sys.byteorder))
        reader.sendmsg([len(head).to_bytes(4, "big")], [rights])
        reader.sendall(head)
        reader.sendall(sent)
        reader.shutdown(_socket.SHUT_WR)
        while piece := reader.recv(ANSWER_BYTES):
            said.append(piece)
    except OSError:
        return b""
    return b"".join(said)


def code_stamp() -> str:
    """What is the same for two processes that run the same code: an upgrade while a session lasts is noticed."""
    found = os.stat(__file__)
    return f"{__version__} {sys.hexversion:x} {found.st_mtime_ns} {found.st_ino} {__file__}"
