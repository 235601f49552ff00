"""A server on streamable HTTP, behind the proxy: frames are posted, and what comes back is handed on."""

from __future__ import annotations

import base64
import http.client
import re
from threading import Thread
from urllib.parse import urlsplit

from overspill._lite import TYPE_CHECKING, contextmanager, suppress
from overspill.errors import UsageError, reason_of
from overspill.mcp.protocol import MAX_FRAME_BYTES, decode_message, request_version
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.mcp.proxy import Proxy

SESSION, VERSION = "Mcp-Session-Id", "MCP-Protocol-Version"
# The newer era repeats in headers what a request is about.
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
ANSWER_SECONDS = 600
OK = range(200, 300)
# What a header can say as it is. Anything else is wrapped, as the protocol has it.
PLAIN_VALUE = re.compile(r"(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?")
HEADER_NAME, HEADER_VALUE = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII), re.compile(r"[\t\x20-\x7e\x80-\xff]*")
WRAPPED_VALUE = re.compile(r"=\?base64\?.*\?=")


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
