"""The page, live on this machine: for whoever has the token, from this machine's own address, to be read only.

A page of another site could make a browser ask us: so the `Host` must be ours, an `Origin` must be ours if there is
one, and every address needs the token. Paths are looked up in a table; none leads to a file.
"""

from __future__ import annotations

import gzip
import hmac
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from overspill._lite import TYPE_CHECKING
from overspill.report import MAX_TEXT_CHARS
from overspill.report.calls import SHORT_ID, CallArtifact, Calls
from overspill.report.page import artifact_record, data_block, page_shell, safe_json, text_pieces

if TYPE_CHECKING:
    from collections.abc import Callable
    from email.message import Message

    from overspill.report.page import ReportSource

LOOPBACK = "127.0.0.1"
MOST_PATH = 2_000
REQUEST_SECONDS = 30
PACKED_FROM = 4_096
SINGLE = ("Host", "Origin", "Authorization", "Cookie")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
FIRST_ERROR = 400
MAX_DIGITS = 18


class LiveReport:
    """What the page asks for, read when it is asked and again when something was logged."""

    def __init__(self, source: ReportSource) -> None:
        self._source = source
        self._lock = Lock()
        self._state = ""
        self._calls = Calls()
        self._data = ""
        self._changes: tuple[str, str] = ("", "")

    @property
    def state(self) -> str:
        return self._source.journal_state

    def data(self) -> str:
        """The data of the page, as it is now."""
        with self._lock:
            self._refresh()
            return self._data

    def _refresh(self) -> None:
        state = self.state
        if state != self._state or not self._data:
            self._calls = self._source.read_calls()
            record = self._source.data(self._calls, live=True, with_texts=True)
            self._data, self._state = safe_json({**record, "state": state}), state

    def parts(self, short: str) -> str:
        """What was shown and fetched of an artifact, and its text; `null` where there is none."""
        calls, kept = self._find(short)
        return "null" if kept is None else safe_json(artifact_record(kept, calls, self._source.texts, MAX_TEXT_CHARS))

    def text(self, short: str, start: int, end: int) -> str:
        """Some of a text that the page does not hold yet; nothing where there is none."""
        _, kept = self._find(short)
        pieces = [] if kept is None else text_pieces(kept, self._source.texts, start, end)
        return safe_json([list(piece) for piece in pieces])

    def _find(self, short: str) -> tuple[Calls, CallArtifact | None]:
        with self._lock:
            self._refresh()
            calls = self._calls
        found = (kept for kept in calls.artifacts if short and kept.id.rpartition("_")[2][:SHORT_ID] == short)
        return calls, next(found, None)

    def changes(self) -> str:
        """What to change, computed once for what is logged now."""
        with self._lock:
            self._refresh()
            if self._changes[0] != self._state:
                self._changes = (self._state, safe_json(self._source.changes(self._calls)))
            return self._changes[1]


class ReportServer(ThreadingHTTPServer):
    """A port of this machine, and the word that opens it."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, report: LiveReport, port: int = 0, token: str = "") -> None:
        super().__init__((LOOPBACK, port), PageHandler)
        self.report = report
        self.token = token or secrets.token_urlsafe(24)
        self.shell = page_shell(live=True)

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/?token={self.token}"

    @property
    def hosts(self) -> frozenset[str]:
        return frozenset(f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost"))

    def handle_error(self, request: object, client_address: object) -> None:
        """One connection went wrong, and ends."""


class PageHandler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "spill"
    sys_version = ""
    timeout = REQUEST_SECONDS

    ROUTES: ClassVar[dict[str, str]] = {
        "/": "_page",
        "/api/state": "_state",
        "/api/data": "_data",
        "/api/parts": "_parts",
        "/api/text": "_text",
        "/api/changes": "_changes",
    }

    @property
    def _owner(self) -> ReportServer:
        owner = self.server
        assert isinstance(owner, ReportServer)  # noqa: S101  # it made us
        return owner

    def do_GET(self) -> None:  # the name the base class looks for
        """The page, or some of its data."""
        trouble = self._trouble()
        if trouble is not None:
            self._reply(trouble, "")
            return
        asked = urlsplit(self.path)
        answer: Callable[[dict[str, list[str]]], tuple[str, str]] = getattr(self, self.ROUTES[asked.path])
        kind, body = answer(parse_qs(asked.query))
        self._reply(200, body, kind)

    do_HEAD = do_GET  # noqa: N815  # as above

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Everything but asking is refused, whatever it is called."""
        if name.startswith("do_"):
            return lambda: self._reply(405, "")
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it
        """Say nothing: an address holds the token."""

    def _trouble(self) -> int | None:
        """Why this request is refused: odd headers, another site's page, no token, another path."""
        headers = self.headers
        has_body = "Content-Length" in headers or "Transfer-Encoding" in headers
        if len(self.path) > MOST_PATH or has_body or _are_odd(headers):
            return 400
        if not self._is_ours():
            return 403
        if not self._has_token():
            return 401
        # As it was sent: what is encoded, doubled or climbs is another path.
        sent = self.requestline.split(" ")[1]
        return None if sent.partition("?")[0] in self.ROUTES else 404

    def _is_ours(self) -> bool:
        """Whether the request is for this address, and from a page of ours or from a person."""
        hosts, origin = self._owner.hosts, self.headers.get("Origin")
        if self.headers.get("Host", "").lower() not in hosts:
            return False
        if origin is not None and origin.lower() not in {f"http://{host}" for host in hosts}:
            return False
        return self.headers.get("Sec-Fetch-Site", "none") in {"none", "same-origin"}

    def _has_token(self) -> bool:
        """The token comes in a header or, where a person opens the page, in the address of the page alone."""
        path, _, query = self.path.partition("?")
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if not given and path == "/":
            given = (parse_qs(query).get("token") or [""])[0]
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._owner.token.encode())

    def _page(self, _asked: dict[str, list[str]]) -> tuple[str, str]:
        shell = self._owner.shell
        return "text/html; charset=utf-8", shell.before + data_block("data", {"live": True}) + shell.after

    def _state(self, _asked: dict[str, list[str]]) -> tuple[str, str]:
        return "application/json", safe_json(self._owner.report.state)

    def _data(self, _asked: dict[str, list[str]]) -> tuple[str, str]:
        return "application/json", self._owner.report.data()

    def _parts(self, asked: dict[str, list[str]]) -> tuple[str, str]:
        return "application/json", self._owner.report.parts((asked.get("id") or [""])[0])

    def _text(self, asked: dict[str, list[str]]) -> tuple[str, str]:
        short, start, end = ((asked.get(name) or [""])[0] for name in ("id", "start", "end"))
        return "application/json", self._owner.report.text(short, place_in_text(start), place_in_text(end))

    def _changes(self, _asked: dict[str, list[str]]) -> tuple[str, str]:
        return "application/json", self._owner.report.changes()

    def _reply(self, status: int, body: str, kind: str = "text/plain; charset=utf-8") -> None:
        content = body.encode()
        if status >= FIRST_ERROR:
            self.close_connection = True  # what follows is not read
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", f"{self._owner.shell.policy}; frame-ancestors 'none'")
        if len(content) > PACKED_FROM and "gzip" in self.headers.get("Accept-Encoding", ""):
            content = gzip.compress(content, 1)
            self.send_header("Content-Encoding", "gzip")
        if status == 405:  # noqa: PLR2004  # method not allowed
            self.send_header("Allow", "GET, HEAD")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def place_in_text(word: str) -> int:
    """A number of characters that a page asks for; -1 for what is none.

    >>> place_in_text("65536"), place_in_text("-1"), place_in_text("9" * 40), place_in_text("")
    (65536, -1, -1, -1)
    """
    return int(word) if word.isascii() and word.isdigit() and len(word) <= MAX_DIGITS else -1


def _are_odd(headers: Message) -> bool:
    """Whether headers cannot be told apart for sure."""
    return bool(headers.defects) or any(len(headers.get_all(name, [])) > 1 for name in SINGLE)
