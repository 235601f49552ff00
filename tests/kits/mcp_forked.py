"""MCP servers as programs that have nothing to load: forks of a process that has imported what they are made of.

To import the SDK takes a second of every server's start, and what is tested is what stands in front of it. A command
of `server_command` hands its streams to a process that forks, waits for the fork, and ends with its status.
"""

import atexit
import importlib
import json
import os
import runpy
import selectors
import socket
import subprocess
import sys
import tempfile
from functools import cache

PIECE = 65_536
LIBRARIES = ("mcp.server", "mcp_server_git.server", "mcp_server_time.server")


def server_command(*words: str) -> list[str]:
    """What starts a server as `python *words` does: a file, or `-m` and a module."""
    return [sys.executable, "-S", __file__, _source(), *words]


@cache
def _source() -> str:
    """The socket of the process that forks; it ends with whoever asked for it."""
    place = tempfile.mkdtemp(prefix="mcp-")
    path = os.path.join(place, "s")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        words = [sys.executable, __file__, str(listening.fileno())]
        forking = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=[listening.fileno()])
    atexit.register(_end, forking, path)
    return path


def _end(forking: subprocess.Popen[bytes], path: str) -> None:
    assert forking.stdin
    forking.stdin.close()
    forking.wait()
    os.unlink(path)
    os.rmdir(os.path.dirname(path))


def ask(path: str, words: list[str]) -> int:
    """Have a server run with the streams of this process; its status."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(path)
        said = json.dumps([words, os.getcwd(), dict(os.environ)]).encode()
        socket.send_fds(asking, [len(said).to_bytes(8)], [0, 1, 2])
        asking.sendall(said)
        return int.from_bytes(asking.recv(1) or b"\1")


def serve(listening: socket.socket) -> None:
    """Fork for everybody who asks, until standard input ends."""
    with selectors.DefaultSelector() as both:
        both.register(listening, selectors.EVENT_READ)
        both.register(0, selectors.EVENT_READ)
        while True:
            ready = [key.fileobj for key, _ in both.select()]
            if 0 in ready:
                return
            asked, _ = listening.accept()
            with asked:
                if not os.fork():
                    listening.close()
                    _answer(asked)
            while _has_ended_child():
                pass


def _has_ended_child() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def _answer(asked: socket.socket) -> None:
    """Be the one who waits for the server, or the server."""
    length, streams, _, _ = socket.recv_fds(asked, 8, 3)
    said = b""
    while len(said) < int.from_bytes(length):
        said += asked.recv(PIECE)
    server = os.fork()
    if server:
        for number in (0, 1, 2, *streams):
            os.close(number)
        asked.sendall(bytes([os.waitstatus_to_exitcode(os.waitpid(server, 0)[1]) & 0xFF]))
        os._exit(0)
    asked.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    words, place, environ = json.loads(said)
    os.chdir(place)
    os.environ.clear()
    os.environ.update(environ)
    _run(words)


def _run(words: list[str]) -> None:
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")
    sys.exit()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
    for name in LIBRARIES:
        importlib.import_module(name)
    serve(socket.socket(fileno=int(sys.argv[1])))
