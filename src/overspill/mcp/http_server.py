"""The server on a port of this machine: streamable HTTP, one answer a request, for whoever has the token."""

from __future__ import annotations

import hmac
import secrets
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from overspill._lite import TYPE_CHECKING
from overspill.mcp.protocol import MAX_FRAME_BYTES

if TYPE_CHECKING:
    from overspill.mcp.server import Server

LOOPBACK = "127.0.0.1"
LOCAL_NAMES = {"127.0.0.1", "localhost", "::1"}
PATH = "/mcp"
REQUEST_SECONDS = 30
ADVICE = {401: ("WWW-Authenticate", "Bearer"), 405: ("Allow", "POST")}


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

    def __init__(self, server: Server, port: int, token: str) -> None:
        super().__init__((LOOPBACK, port), Handler)
        self.behind = server
        self.token = token


def make_listener(server: Server, port: int, token: str) -> Listener:
    """A listener that is not yet serving."""
    return Listener(server, port, token)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = REQUEST_SECONDS

    def do_POST(self) -> None:  # the name the base class looks for
        """A message, and the answer to it."""
        trouble = self._trouble()
        length = self.headers.get("Content-Length", "")
        if trouble is None and not (length.isascii() and length.isdigit() and int(length) <= MAX_FRAME_BYTES):
            trouble = 413 if length.isdigit() else 411
        if trouble is not None:
            self.close_connection = True  # what follows is not read
            self._reply(trouble)
            return
        said = self._listener.behind.answer_frame(self.rfile.read(int(length)).replace(b"\n", b" "))
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
        """Why this request is refused: another site's page, another machine's name, no token, another path."""
        origin = self.headers.get("Origin")
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        if host not in LOCAL_NAMES or (origin is not None and urlsplit(origin).hostname not in LOCAL_NAMES):
            return 403
        given = self.headers.get("Authorization", "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, f"Bearer {self._listener.token}".encode()):
            return 401
        return None if urlsplit(self.path).path == PATH else 404

    def _reply(self, status: int, body: bytes | None = None) -> None:
        self.send_response(status)
        if status in ADVICE:
            self.send_header(*ADVICE[status])
        if body is not None:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        if body:
            self.wfile.write(body)
