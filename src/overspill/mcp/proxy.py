"""Stands between a client and a server, frame by frame: limits tool results, and hides the secrets of all messages.

`Proxy` knows nothing of processes and threads: frames are handed to it, and it hands frames on. Frames
that need no change are passed on as the bytes they came as, in the order they came. Whatever goes to the client
passes `MessageScreen`; what cannot be handled is answered with an error, and the next frame is handled like any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from threading import Lock

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.mcp import (
    EDGE_BYTES,
    Json,
    Oversize,
    Toolbox,
    decode_exactly,
    decode_message,
    encode_message,
    error_response,
    for_protocol_era,
    result_response,
)
from overspill.mcp.redaction import MessageScreen
from overspill.mcp.results import CallInfo, limited_error, limited_result
from overspill.workspace.policy import rules_in, rules_said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.api import Overspill

BUDGET, FOCUS = "_budget", "_focus"
HINTS: Json = {
    BUDGET: {"type": "integer", "minimum": 1, "description": "Show at most this many characters of the result."},
    FOCUS: {"type": "string", "description": "What you are looking for: parts that match are shown first."},
}
LINE_BYTES = 4_096  # of a line that is no message, before its secrets are hidden and it is cut
SERVER_GONE = -32000
FAILURE = -32603
NOT_OFFERED = -32602
REQUEST_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"(?:[^"\\]|\\.){1,200}")')

Send = Callable[[bytes], None]
RequestId = str | int | float

DROPPED = object()  # in the place of a message that nobody gets


class Pending(NamedTuple):
    """A request that waits for its answer."""

    method: str
    asked: CallInfo = CallInfo()
    first_page: bool = True
    own: frozenset[str] = frozenset()  # handles that the client made, and gets back as they are


class Choice(NamedTuple):
    """Which of the server's tools are offered."""

    allow: Container[str] | None = None
    deny: Container[str] = ()
    hints: bool = False

    def offers(self, tool: str) -> bool:
        """Whether a tool is."""
        return (self.allow is None or tool in self.allow) and tool not in self.deny


class Proxy:
    """What happens to each frame."""

    def __init__(
        self, spill: Overspill, to_server: Send, to_client: Send, say: Callable[[str], None], choice: Choice
    ) -> None:
        self._spill = spill
        self._to_server = to_server
        self._to_client = to_client
        self._say = say
        self._choice = choice
        self._toolbox = Toolbox(spill)
        spill.workspace.origin["door"] = "proxy"
        spill.workspace.notes_marks = True
        self._screen = MessageScreen(spill.workspace.redactor)
        self._lock = Lock()
        self._pending: dict[object, Pending] = {}
        self._schemas: dict[str, object] = {}
        self._names: set[str] = set()
        self._gone = ""

    def from_client(self, frame: bytes | Oversize) -> None:
        """A frame on its way to the server."""
        if isinstance(frame, Oversize):
            self._too_long(frame, "the request")
            return
        try:
            message = decode_message(frame)
        except ValueError:
            message = None
        if isinstance(message, list) and message:  # a batch: each of its parts is looked at like any other message
            for part in message:
                self.from_client(encode_message(part))
            return
        if not isinstance(message, dict):
            self._forward(frame)
            return
        try:
            answer = self._handle_of_client(message, frame)
        except Exception as error:  # noqa: BLE001  # one bad request must not end the connection of the others
            answer = _failure(message, error, "the request") if "method" in message else None
        if answer is not None:
            self._tell(answer)

    def from_server(self, frame: bytes | Oversize) -> None:
        """A frame on its way to the client."""
        if isinstance(frame, Oversize):
            self._too_long(frame, "the server's answer")
            return
        try:
            message, is_exact = decode_exactly(frame)
        except ValueError:
            self._say(f"the server wrote a line that is no message: {frame[:LINE_BYTES].decode(errors='replace')}")
            if b'"jsonrpc"' in frame:
                self._fail_named(frame[:EDGE_BYTES], frame[-EDGE_BYTES:], self._unreadable(frame))
            return
        if isinstance(message, list):  # a batch, as one revision of the protocol had them
            parts = [self._for_client(part) for part in message]
            new = [part for part, _ in parts if part is not DROPPED]
            changed = any(is_changed for _, is_changed in parts)
            if new or not message:
                self._to_client(encode_message(new) if changed or not is_exact else frame)
            return
        new_message, changed = self._for_client(message)
        if new_message is not DROPPED:
            self._to_client(encode_message(new_message) if changed or not is_exact else frame)

    def _unreadable(self, frame: bytes) -> str:
        """What is said of an answer that broke off: what came of it, as far as it fits, and where the rest is."""
        came = self._spill.fit(frame, is_error=True, content_type="text/plain").text
        return f"the server's answer cannot be read; this is what came of it:\n{came}"

    def server_is_gone(self, why: str) -> None:
        """Nobody will answer what is still asked: say so."""
        with self._lock:
            self._gone = f"the server behind this proxy {why}"
            waiting = list(self._pending)
        for request in waiting:
            self.fail(request, self._gone)

    def fail(self, request: object, why: str) -> None:
        """Answer a request with an error, if it still waits for an answer."""
        with self._lock:
            pending = self._pending.pop(request, None) if isinstance(request, RequestId) else None
        if pending is not None or not isinstance(request, RequestId):
            self._tell(error_response(request, SERVER_GONE, why))

    def _tell(self, message: Json) -> None:
        """Say something of our own to the client. Its ids are the client's."""
        identity = message["id"]
        own = {identity} if isinstance(identity, str) else ()
        try:
            shown = self._screen.redacted_message(message, own)[0]
        except Exception as error:  # noqa: BLE001  # an answer in our words is an answer
            shown = _failure({"id": identity}, error, "the answer")
        self._to_client(encode_message(shown))

    def _for_client(self, message: object) -> tuple[object, bool]:
        """What the client gets in the place of a message, and whether that is another one."""
        pending = self._take_pending(message)
        try:
            limited, is_fitted = self._limited(message, pending)
            own = self._own_handles(pending)
            shown, changed = self._screen.redacted_message(
                message if limited is None else limited, own, is_fitted=is_fitted
            )
        except Exception as error:  # noqa: BLE001  # no message may end the connection of the others
            return self._instead_of(message, pending, error), True
        return shown, changed or limited is not None

    def _instead_of(self, message: object, pending: Pending | None, error: Exception) -> object:
        """What the client gets for a message that cannot be handled. A server that asks is told itself."""
        self._say(f"a message of the server cannot be handled: {type(error).__name__}")
        if not isinstance(message, dict) or "id" not in message:
            return DROPPED
        identity = message["id"]
        if "method" in message:
            self._forward(encode_message(_failure(message, error, "the request")))
            return DROPPED
        return _failure(message, error, "the server's answer") if pending or isinstance(identity, int) else DROPPED

    def _take_pending(self, message: object) -> Pending | None:
        """What a response is an answer to."""
        if not isinstance(message, dict) or "method" in message or not isinstance(message.get("id"), RequestId):
            return None
        with self._lock:
            return self._pending.pop(message["id"], None)

    def _own_handles(self, pending: Pending | None) -> frozenset[str]:
        """What the client said itself of what it waits for: the notifications of a call repeat it."""
        if pending is not None:
            return pending.own
        with self._lock:
            return frozenset().union(*(waiting.own for waiting in self._pending.values()))

    def _handle_of_client(self, message: Json, frame: bytes) -> Json | None:
        """Hand a message of the client's on; an answer, if it is ours to give."""
        real = self._screen.real_message(message)
        if real is not message:
            frame = encode_message(real)
        if "method" in real and "id" in real:
            return self._request(real, frame, message)
        if "method" in real:
            self._forget(real)
        self._forward(frame)
        return None

    def _request(self, message: Json, frame: bytes, written: Json) -> Json | None:
        request, method, parameters = message["id"], str(message["method"]), message.get("params")
        parameters = parameters if isinstance(parameters, dict) else {}
        self._toolbox.note_client(parameters)
        asked = CallInfo()
        if method == "tools/call":
            name = str(parameters.get("name", ""))
            if self._toolbox.has(name):
                return result_response(request, for_protocol_era(self._toolbox.call(name, parameters), parameters))
            if not self._choice.offers(name):
                return error_response(request, NOT_OFFERED, f"the tool {name[:100]!r} is not offered here")
            asked, frame = self._split_hints(name, message, parameters, frame)
        with self._lock:
            if isinstance(request, RequestId) and not self._gone:
                own = frozenset(_handles_said(written))
                self._pending[request] = Pending(method, asked, not parameters.get("cursor"), own)
        if self._gone:
            return error_response(request, SERVER_GONE, self._gone)
        self._forward(frame)
        return None

    def _split_hints(self, tool: str, message: Json, parameters: Json, frame: bytes) -> tuple[CallInfo, bytes]:
        """What the call asks of us, and the call without it."""
        arguments = parameters.get("arguments")
        asked = CallInfo(tool, schema=self._schemas.get(tool))
        if not isinstance(arguments, dict) or not {BUDGET, FOCUS} & arguments.keys():
            return asked, frame
        budget, focus = arguments.get(BUDGET), arguments.get(FOCUS)
        if isinstance(budget, int) and not isinstance(budget, bool) and budget > 0:
            asked = asked._replace(budget=budget)
        if isinstance(focus, str):
            asked = asked._replace(focus=focus)
        rest = {name: value for name, value in arguments.items() if name not in {BUDGET, FOCUS}}
        return asked, encode_message({**message, "params": {**parameters, "arguments": rest}})

    def _limited(self, message: object, pending: Pending | None) -> tuple[Json | None, bool]:
        """A response as it is limited, None where there is nothing to limit, and whether its texts were fitted."""
        if not isinstance(message, dict) or "method" in message or "id" not in message:
            return None, False
        result, failure = message.get("result"), message.get("error")
        asked = pending.asked if pending else CallInfo()
        if isinstance(failure, dict):
            told = limited_error(self._spill, failure, asked)
            return None if told is None else {**message, "error": told}, False
        if not isinstance(result, dict):
            return None, False
        if pending is not None and pending.method == "tools/list":
            return {**message, "result": self._tool_list(result, first=pending.first_page)}, False
        # A result nobody waits for any more is looked at like any other: it may reach a model all the same.
        if isinstance(result.get("content"), list) and result.get("resultType", "complete") == "complete":
            limited = limited_result(self._spill, result, asked)
            return None if limited is None else {**message, "result": limited}, True
        return None, False

    def _tool_list(self, result: Json, *, first: bool) -> Json:
        """A page of the server's tools; on the last one stand ours."""
        listed = result.get("tools")
        tools = [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
        if first:
            self._names = set()
        self._names |= {str(tool.get("name")) for tool in tools}
        self._schemas |= {str(tool.get("name")): tool.get("outputSchema") for tool in tools}
        for tool in tools:
            self._note_rules(tool)
        shown = [self._with_hints(tool) for tool in tools if self._choice.offers(str(tool.get("name")))]
        if not result.get("nextCursor"):
            self._toolbox.rename_colliding(self._names)
            ours = self._toolbox.descriptions()
            self._toolbox.tell_cost(ours)
            shown += ours
        return {**result, "tools": shown}

    def _note_rules(self, tool: Json) -> None:
        """Note how a tool asks its results to be shown."""
        name, rules, said = str(tool.get("name")), rules_in(tool), rules_said(tool) or {}
        self._spill.workspace.note_tool(name, rules)
        unknown = said.get("strategy") if rules is not None and not rules.strategy else None
        if unknown:
            self._say(f"the tool {name[:100]!r} asks for a strategy that there is not: {str(unknown)[:40]!r}")

    def _with_hints(self, tool: Json) -> Json:
        schema = tool.get("inputSchema")
        if not self._choice.hints or not isinstance(schema, dict):
            return tool
        known = schema.get("properties")
        properties = {**(known if isinstance(known, dict) else {}), **HINTS}
        return {**tool, "inputSchema": {**schema, "properties": properties}}

    def _forget(self, message: Json) -> None:
        """A call that was cancelled is not waited for."""
        parameters = message.get("params")
        if message.get("method") == "notifications/cancelled" and isinstance(parameters, dict):
            request = parameters.get("requestId")
            if isinstance(request, str | int):
                with self._lock:
                    self._pending.pop(request, None)

    def _forward(self, frame: bytes) -> None:
        if self._gone:
            return
        try:
            self._to_server(frame)
        except OSError:
            self.server_is_gone("no longer reads")

    def _too_long(self, frame: Oversize, what: str) -> None:
        """A frame that could not be held: whoever waits for it is told."""
        message = f"{what} is {frame.size / 1_048_576:.0f} MB long, more than this proxy holds; ask for less of it"
        self._say(message)
        if what == "the request":
            requests = _request_ids(frame.head, frame.tail)
            if requests:
                self._tell(error_response(requests[0], SERVER_GONE, message))
            return
        if not self._fail_named(frame.head, frame.tail, message):
            with self._lock:
                waiting = list(self._pending)
            if len(waiting) == 1:
                self.fail(waiting[0], message)

    def _fail_named(self, head: bytes, tail: bytes, why: str) -> bool:
        """Answer the request that a frame names which is no message for us; false if none of them waits."""
        with self._lock:
            waiting = [request for request in _request_ids(head, tail) if request in self._pending][:1]
        for request in waiting:
            self.fail(request, why)
        return bool(waiting)


def _request_ids(head: bytes, tail: bytes) -> list[object]:
    """The ids that stand at either end of a frame."""
    found = []
    for words in REQUEST_ID.findall(head) + REQUEST_ID.findall(tail):
        with suppress(ValueError):
            found.append(decode_message(words))
    return found


def _failure(message: Json, error: Exception, what: str) -> Json:
    return error_response(message.get("id"), FAILURE, f"{what} cannot be handled ({type(error).__name__})")


def _handles_said(message: Json) -> Iterator[str]:
    """What a request of the client's says that its answer may repeat."""
    parameters = message.get("params")
    parameters = parameters if isinstance(parameters, dict) else {}
    meta = parameters.get("_meta")
    said = (message.get("id"), parameters.get("uri"), meta.get("progressToken") if isinstance(meta, dict) else None)
    return (words for words in said if isinstance(words, str))
