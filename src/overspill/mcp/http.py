"""Streamable HTTP: our server on a port of this machine, and a server elsewhere, behind the proxy.

The one gives one answer a request, to whoever has the token; to the other frames are posted, and what comes back is
handed on.
"""

from __future__ import annotations

import base64
import hmac
import http.client
import re
import secrets
import socket
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from urllib.parse import urlsplit

from overspill._lite import TYPE_CHECKING, contextmanager, suppress
from overspill.errors import UsageError, reason_of
from overspill.mcp import MAX_FRAME_BYTES, decode_message, request_version
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

    from overspill.mcp.proxy import Proxy
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

SESSION, VERSION = "Mcp-Session-Id", "MCP-Protocol-Version"
# The newer era repeats in headers what a request is about.
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
OK = range(200, 300)
# What a header can say as it is. Anything else is wrapped, as the protocol has it.
PLAIN_VALUE = re.compile(r"(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?")
HEADER_NAME, HEADER_VALUE = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII), re.compile(r"[\t\x20-\x7e\x80-\xff]*")
WRAPPED_VALUE = re.compile(r"=\?base64\?.*\?=")


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


class HttpUpstream:
    """Where the server is, and what it wants to see again."""

    def __init__(self, url: str, headers: list[str]) -> None:
        try:
            parts = urlsplit(url)
            self._secure, self._host, self._port = parts.scheme == "https", parts.hostname or "", parts.port
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageError(f"--url takes an address like http://127.0.0.1:8000/mcp, not {url[:100]!r}")
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._own = dict(_header_pair(word) for word in headers)
        self._session = ""
        self._version = ""
        self._proxy: Proxy | None = None

    def deliver(self, proxy: Proxy) -> None:
        """Who gets what comes back."""
        self._proxy = proxy

    def send(self, frame: bytes) -> None:
        """Post one frame. Requests wait for their answers aside; what asks for none keeps its place in the order."""
        try:
            message = decode_message(frame)
        except ValueError:  # the server may say what it thinks of it
            message = None
        request = message.get("id") if isinstance(message, dict) and "method" in message else None
        if request is None:
            self._post(frame, message, None)
            if isinstance(message, dict) and message.get("method") == "notifications/initialized":
                Thread(target=self._listen, daemon=True).start()
        else:
            Thread(target=self._post, args=(frame, message, request), daemon=True).start()

    def close(self) -> None:
        """End the session, if there is one."""
        if self._session:
            with suppress(OSError, ValueError, http.client.HTTPException), self._exchange("DELETE", None, {}):
                pass

    def _post(self, frame: bytes, message: object, request: object) -> None:
        heard: list[object] = []
        try:
            with self._exchange("POST", frame, self._message_headers(message)) as response:
                self._session = response.headers.get(SESSION, "") or self._session
                trouble = "sent no answer" if response.status in OK else f"answered with HTTP status {response.status}"
                if response.status in OK:
                    self._hand_on_frames(response, heard)
        except OSError as error:
            trouble = f"cannot be reached: {reason_of(error)}"
        except http.client.HTTPException as error:
            trouble = f"cannot be reached: {error}"
        except Exception as error:  # noqa: BLE001  # a request that cannot be sent is answered, too
            trouble = f"cannot be asked this ({type(error).__name__})"
        if request is not None and request not in heard and self._proxy is not None:
            with suppress(OSError):
                self._proxy.fail(request, f"the server behind this proxy {trouble}")

    def _listen(self) -> None:
        """What the server says unasked, if it does."""
        with (
            suppress(OSError, ValueError, http.client.HTTPException),
            self._exchange("GET", None, {}) as response,
        ):
            if response.status in OK:
                self._hand_on_frames(response, [])

    def _hand_on_frames(self, response: http.client.HTTPResponse, heard: list[object]) -> None:
        """Hand on every frame of an answer, and note which requests were answered."""
        streamed = response.headers.get("Content-Type", "").lower().startswith("text/event-stream")
        for frame in _event_data(response) if streamed else [response.read(MAX_FRAME_BYTES)]:
            if not frame.strip():
                continue
            with suppress(ValueError):
                message = decode_message(frame)
                for part in message if isinstance(message, list) else [message]:
                    if isinstance(part, dict) and "method" not in part:
                        self._note_version(part.get("result"))
                        heard.append(part.get("id"))
            self._hand_on(frame.replace(b"\n", b" ").replace(b"\r", b" "))

    def _note_version(self, result: object) -> None:
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if isinstance(version, str) and PLAIN_VALUE.fullmatch(version):
            self._version = version

    def _hand_on(self, frame: bytes) -> None:
        if self._proxy is not None:
            self._proxy.from_server(frame)

    def _message_headers(self, message: object) -> dict[str, str]:
        """What the headers say of a message."""
        parameters = message.get("params") if isinstance(message, dict) else None
        version = request_version(parameters) if isinstance(parameters, dict) else None
        if not isinstance(message, dict) or not isinstance(version, str) or not isinstance(parameters, dict):
            return {}
        method = str(message.get("method"))
        name = parameters.get(NAMED_BY.get(method, ""))
        said = {VERSION: version, "Mcp-Method": method, **({"Mcp-Name": name} if isinstance(name, str) else {})}
        return {header: header_value(words) for header, words in said.items()}

    @contextmanager
    def _exchange(self, method: str, body: bytes | None, about: dict[str, str]) -> Iterator[http.client.HTTPResponse]:
        """Ask, and hold the connection for as long as the answer is read."""
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=ANSWER_SECONDS)
        headers = {"Accept": "application/json, text/event-stream", "User-Agent": f"overspill/{__version__}"}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        headers |= {SESSION: self._session} if self._session else {}
        headers |= {VERSION: self._version} if self._version else {}
        try:
            connection.request(method, self._path, body, headers | about | self._own)
            with connection.getresponse() as response:
                yield response
        finally:
            connection.close()


def header_value(words: str) -> str:
    """Words as a header says them.

    >>> header_value("get_user"), header_value("größe")
    ('get_user', '=?base64?Z3LDtsOfZQ==?=')
    """
    if PLAIN_VALUE.fullmatch(words) and not WRAPPED_VALUE.fullmatch(words):
        return words
    return f"=?base64?{base64.b64encode(words.encode()).decode()}?="


def _header_pair(word: str) -> tuple[str, str]:
    name, colon, value = word.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not HEADER_NAME.fullmatch(name) or not HEADER_VALUE.fullmatch(value):
        raise UsageError("--header takes NAME:VALUE")
    return name, value


def _event_data(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The data of each event in a stream of them."""
    data: list[bytes] = []
    size = 0
    while line := response.readline(MAX_FRAME_BYTES):
        line = line.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            size += len(line)
            data.append(line.removeprefix(b"data:").removeprefix(b" "))
        if size > MAX_FRAME_BYTES:
            raise http.client.HTTPException("an event is longer than is held")
        if not line and data:
            yield b"\n".join(data)
            data, size = [], 0
