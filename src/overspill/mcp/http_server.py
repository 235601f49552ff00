"""The server on a port of this machine: streamable HTTP, one answer a request, for whoever has the token."""

from __future__ import annotations

import hmac
import re
import secrets
import socket
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from overspill._lite import TYPE_CHECKING, suppress
from overspill.mcp.protocol import MAX_FRAME_BYTES

if TYPE_CHECKING:
    from email.message import Message

    from overspill.mcp.server import Server

    Accepted = socket.socket | tuple[bytes, socket.socket]  # as the base class types a connection

LOOPBACK = "127.0.0.1"
# What a header may say that says where a request is from, and what of it is this machine.
AUTHORITY = re.compile(r"(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::[0-9]{0,5})?", re.IGNORECASE)
ORIGIN = re.compile(rf"null|[a-z][a-z0-9+.-]*://{AUTHORITY.pattern}", re.IGNORECASE)
LOCAL = re.compile(r"(?:https?://)?(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{0,5})?", re.IGNORECASE)
LENGTH = re.compile(r"[0-9]{1,18}")
PATH = "/mcp"
REQUEST_SECONDS = 30  # for a request to come in, whole, from the end of the one before it
ANSWER_SECONDS = 600  # for our answer to be made and read
MOST_CONNECTIONS = 32
FIRST_ERROR = 400
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
ADVICE = {401: ("WWW-Authenticate", "Bearer"), 405: ("Allow", "POST")}
# Said twice, they could mean one thing to us and another to whoever is between.
SINGLE = ("Host", "Origin", "Authorization", "Content-Length", "Transfer-Encoding", "Content-Type")


def serve(server: Server, port: int, token: str) -> int:
    """Answer on loopback until we are told to end. The address and a token we made are said on standard error."""
    listener = make_listener(server, port, token or secrets.token_urlsafe(24))
    print(f"spill: http://{LOOPBACK}:{listener.server_port}{PATH}", file=sys.stderr, flush=True)
    if not token:
        print(f"spill: Authorization: Bearer {listener.token}", file=sys.stderr, flush=True)
    try:
        listener.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        listener.server_close()
    return 0


class Listener(ThreadingHTTPServer):
    """A port, the server behind it, and the word that opens it."""

    daemon_threads = True
    request_queue_size = 128  # who finds no room is told so at once

    def __init__(self, server: Server, port: int, token: str) -> None:
        super().__init__((LOOPBACK, port), Handler)
        self.behind = server
        self.token = token
        self._lock = Lock()
        self._deadlines: dict[socket.socket, float] = {}

    def process_request(self, request: Accepted, client_address: object) -> None:
        """Take a connection, if there is room for one more."""
        with self._lock:
            has_room = len(self._deadlines) < MOST_CONNECTIONS
            if has_room:
                self._deadlines[_socket_of(request)] = time.monotonic() + REQUEST_SECONDS
        if has_room:
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            _socket_of(request).sendall(BUSY)
        self.shutdown_request(request)

    def shutdown_request(self, request: Accepted) -> None:
        """End a connection."""
        with self._lock:
            self._deadlines.pop(_socket_of(request), None)
        super().shutdown_request(request)

    def set_deadline(self, connection: socket.socket, seconds: float) -> None:
        """Give the other side so long to say all of its request."""
        with self._lock:
            if connection in self._deadlines:
                self._deadlines[connection] = time.monotonic() + seconds

    def service_actions(self) -> None:
        """Hang up on those who take too long, a byte at a time or with nothing at all."""
        now = time.monotonic()
        with self._lock:
            late = [connection for connection, deadline in self._deadlines.items() if deadline < now]
        for connection in late:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Accepted, client_address: object) -> None:  # noqa: ARG002  # it is called with them
        """One connection went wrong, and ends. What it said may hold a secret, so nothing of it is repeated."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):  # that is the other side's hanging up
            print(f"spill: a connection ended: {type(error).__name__}", file=sys.stderr, flush=True)


def _socket_of(request: Accepted) -> socket.socket:
    return request if isinstance(request, socket.socket) else request[1]


def make_listener(server: Server, port: int, token: str) -> Listener:
    """A listener that is not yet serving."""
    return Listener(server, port, token)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = REQUEST_SECONDS

    def handle_one_request(self) -> None:
        """Wait for one request, but not for ever."""
        self._listener.set_deadline(self.connection, REQUEST_SECONDS)
        super().handle_one_request()

    def do_POST(self) -> None:  # the name the base class looks for
        """A message, and the answer to it."""
        trouble = self._trouble() or self._length_trouble()
        if trouble is not None:
            self._reply(trouble)
            return
        frame = self.rfile.read(int(self.headers["Content-Length"]))
        self._listener.set_deadline(self.connection, ANSWER_SECONDS)
        said = self._listener.behind.answer_frame(frame.replace(b"\n", b" "))
        self._reply(202 if said is None else 200, said)

    def do_GET(self) -> None:  # as above
        """We have nothing to say unasked."""
        self._reply(self._trouble() or 405)

    def do_DELETE(self) -> None:  # as above
        """There is no session to end."""
        self._reply(self._trouble() or 405)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it
        """Say nothing: an address may hold a secret."""

    @property
    def _listener(self) -> Listener:
        listener = self.server
        assert isinstance(listener, Listener)  # noqa: S101  # it made us
        return listener

    def _trouble(self) -> int | None:
        """Why this request is refused: bad headers, another site's page, another machine, no token, another path."""
        headers = self.headers
        host, origin = headers.get("Host", "").strip(" \t"), headers.get("Origin")
        if _has_odd_headers(headers) or (host and not AUTHORITY.fullmatch(host)):
            return 400
        if origin is not None and not ORIGIN.fullmatch(origin):
            return 400
        if not LOCAL.fullmatch(host) or (origin is not None and not LOCAL.fullmatch(origin)):
            return 403
        given = headers.get("Authorization", "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, f"Bearer {self._listener.token}".encode()):
            return 401
        return None if self.path.partition("?")[0] == PATH else 404

    def _length_trouble(self) -> int | None:
        """Why the body of a request is not read."""
        length = self.headers.get("Content-Length")
        if "Transfer-Encoding" in self.headers:
            return 400 if length is not None else 411
        if length is None:
            return 411
        if not LENGTH.fullmatch(length):
            return 400
        return 413 if int(length) > MAX_FRAME_BYTES else None

    def _reply(self, status: int, body: bytes | None = None) -> None:
        if status >= FIRST_ERROR:
            self.close_connection = True  # what follows is not read
        self.send_response(status)
        if status in ADVICE:
            self.send_header(*ADVICE[status])
        if body is not None:
            self.send_header("Content-Type", "application/json")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        if body:
            self.wfile.write(body)


def _has_odd_headers(headers: Message) -> bool:
    """Whether headers cannot be told apart for sure: lines that are none, ends of lines inside, one said twice."""
    if headers.defects or headers.get_payload():
        return True
    if any("\n" in value or "\r" in value or "\0" in value for value in map(str, headers.values())):
        return True
    return any(len(headers.get_all(name, [])) > 1 for name in SINGLE)
