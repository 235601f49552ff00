"""Stands between a client and a server, frame by frame: limits tool results, and leaves everything else alone.

`Proxy` knows nothing of processes and threads: frames are handed to it, and it hands frames on. Frames
that need no change are passed on as the bytes they came as, in the order they came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from threading import Lock

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.mcp.protocol import (
    Json,
    Oversize,
    decode_message,
    encode_message,
    error_response,
    for_protocol_era,
    result_response,
)
from overspill.mcp.results import CallInfo, limited_result
from overspill.mcp.toolbox import Toolbox

if TYPE_CHECKING:
    from overspill.api import Overspill

BUDGET, FOCUS = "_budget", "_focus"
HINTS: Json = {
    BUDGET: {"type": "integer", "minimum": 1, "description": "Show at most this many characters of the result."},
    FOCUS: {"type": "string", "description": "What you are looking for: parts that match are shown first."},
}
SERVER_GONE = -32000
NOT_OFFERED = -32602
REQUEST_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"(?:[^"\\]|\\.){1,200}")')

Send = Callable[[bytes], None]


class Pending(NamedTuple):
    """A request that waits for its answer."""

    method: str
    asked: CallInfo = CallInfo()
    first_page: bool = True


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
        if not isinstance(message, dict) or "method" not in message:
            self._forward(frame)
        elif "id" in message:
            self._request(message, frame)
        else:
            self._forget(message)
            self._forward(frame)

    def from_server(self, frame: bytes | Oversize) -> None:
        """A frame on its way to the client."""
        if isinstance(frame, Oversize):
            self._too_long(frame, "the server's answer")
            return
        try:
            message = decode_message(frame)
        except ValueError:
            self._say(f"the server wrote a line that is no message: {frame[:200].decode(errors='replace')}")
            return
        if isinstance(message, list):  # a batch, as one revision of the protocol had them
            changed = [self._response(part) for part in message]
            new = [part if new is None else new for part, new in zip(message, changed, strict=True)]
            self._to_client(encode_message(new) if any(part is not None for part in changed) else frame)
            return
        new_message = self._response(message)
        self._to_client(frame if new_message is None else encode_message(new_message))

    def server_is_gone(self, why: str) -> None:
        """Nobody will answer what is still asked: say so."""
        with self._lock:
            self._gone = f"the server behind this proxy {why}"
            waiting, self._pending = self._pending, {}
        for request in waiting:
            self._to_client(encode_message(error_response(request, SERVER_GONE, self._gone)))

    def _request(self, message: Json, frame: bytes) -> None:
        request, method, parameters = message["id"], str(message["method"]), message.get("params")
        parameters = parameters if isinstance(parameters, dict) else {}
        self._toolbox.note_client(parameters)
        asked = CallInfo()
        if method == "tools/call":
            name = str(parameters.get("name", ""))
            if self._toolbox.has(name):
                self._to_client(
                    encode_message(
                        result_response(request, for_protocol_era(self._toolbox.call(name, parameters), parameters))
                    )
                )
                return
            if not self._choice.offers(name):
                self._to_client(
                    encode_message(error_response(request, NOT_OFFERED, f"the tool {name[:100]!r} is not offered here"))
                )
                return
            asked, frame = self._split_hints(name, message, parameters, frame)
        with self._lock:
            if isinstance(request, str | int) and not self._gone:
                self._pending[request] = Pending(method, asked, not parameters.get("cursor"))
        if self._gone:
            self._to_client(encode_message(error_response(request, SERVER_GONE, self._gone)))
        else:
            self._forward(frame)

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

    def _response(self, message: object) -> Json | None:
        """What the client gets instead of a message; None if the message itself."""
        if not isinstance(message, dict) or "method" in message or "id" not in message:
            return None
        with self._lock:
            identity = message["id"]
            pending = self._pending.pop(identity, None) if isinstance(identity, str | int) else None
        result = message.get("result")
        if not isinstance(result, dict):
            return None
        if pending is not None and pending.method == "tools/list":
            return {**message, "result": self._tool_list(result, first=pending.first_page)}
        # A result nobody waits for any more is looked at like any other: it may reach a model all the same.
        if isinstance(result.get("content"), list) and result.get("resultType", "complete") == "complete":
            limited = limited_result(self._spill, result, pending.asked if pending else CallInfo())
            return None if limited is None else {**message, "result": limited}
        return None

    def _tool_list(self, result: Json, *, first: bool) -> Json:
        """A page of the server's tools; on the last one stand ours."""
        listed = result.get("tools")
        tools = [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
        if first:
            self._names = set()
        self._names |= {str(tool.get("name")) for tool in tools}
        self._schemas |= {str(tool.get("name")): tool.get("outputSchema") for tool in tools}
        shown = [self._with_hints(tool) for tool in tools if self._choice.offers(str(tool.get("name")))]
        if not result.get("nextCursor"):
            self._toolbox.rename_colliding(self._names)
            shown += self._toolbox.descriptions()
        return {**result, "tools": shown}

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
        requests = [decode_message(found) for found in REQUEST_ID.findall(frame.head) + REQUEST_ID.findall(frame.tail)]
        with self._lock:
            waiting = [request for request in requests if request in self._pending][:1]
            if what == "the request":
                waiting = requests[:1]
            elif not waiting and len(self._pending) == 1:
                waiting = list(self._pending)
            for request in waiting:
                self._pending.pop(request, None)
        for request in waiting:
            self._to_client(encode_message(error_response(request, SERVER_GONE, message)))
