"""A model that says what a script tells it to say, on loopback, in the four protocols agents speak.

>>> with Model([Call("bash", {"command": "ls"}), "done"]) as model:
...     model.url.startswith("http://127.0.0.1:")
True

Which step comes next is read from the request itself (how many tools were called so far), so that repeated and
side requests do no harm; requests that offer no tools are side errands and get a harmless answer. A step that is a list
of calls asks for all of them at once. Conversations that begin with a certain word have a script of their own: those of
a subagent, or of a second agent.
Every request is kept: `model.requests` is what the model would have seen.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from e2e.protocols import Asked, Call, Json, Protocol, Said, protocol_of

__all__ = ["Asked", "Call", "Model", "Request", "Step"]

Step = Call | str | list[Call] | Callable[[Asked], Call | str]
END = "That is all."
DEFERRED = "tool_call"  # of Qwen Code: by this a model calls tools that it is told the names of, and no more


class Request(NamedTuple):
    """A request as it came, whether it was understood or not."""

    method: str
    path: str
    body: bytes
    asked: Asked | None


class Model:
    """Serves a script until the end of the `with` block."""

    def __init__(
        self, script: Sequence[Step], end: str = END, others: Mapping[str, Sequence[Step]] | None = None
    ) -> None:
        self.script = list(script)
        self.others = {word: list(steps) for word, steps in (others or {}).items()}  # by a word of how they begin
        self.end = end
        self.requests: list[Request] = []
        self.failures: list[str] = []
        self.asked_at: dict[int, float] = {}  # by how many calls were made: when the conversation first came so far
        self.answered_at: dict[int, float] = {}  # and when it was answered
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Answering", (Handler,), {"model": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def turns(self) -> list[Asked]:
        """The requests of the conversation itself: those that offer tools."""
        return [request.asked for request in self.requests if request.asked and request.asked.tools]

    @property
    def results(self) -> list[str]:
        """What tools said, each as the model saw it first: agents shorten what is old."""
        return self.results_of("")

    def results_of(self, word: str) -> list[str]:
        """What tools said in one of the conversations: the main one, or that which begins with a certain word."""
        seen: list[str] = []
        for turn in self.turns:
            if self.word_of(turn) == word:
                seen += turn.results[len(seen) :]
        return seen

    def word_of(self, asked: Asked) -> str:
        """By which word a conversation has a script of its own; empty for the main one."""
        return next((word for word in self.others if word in asked.opening), "")

    def keep(self, request: Request) -> None:
        """Remember a request, and when it came."""
        now = time.perf_counter()
        with self._lock:
            self.requests.append(request)
            if request.asked is not None and request.asked.tools:
                self.asked_at.setdefault(len(request.asked.calls), now)

    @property
    def call_seconds(self) -> list[float]:
        """How long each call took the agent, from the answer that asks for it to the request that has its result."""
        ends = [(self.answered_at.get(number), self.asked_at.get(number + 1)) for number in range(len(self.script))]
        return [after - before for before, after in ends if before is not None and after is not None]

    def saw(self, text: str) -> bool:
        """Whether a text stands in any request at all, as it is or as JSON writes it."""
        written = json.dumps(text)[1:-1].encode()
        return any(text.encode() in request.body or written in request.body for request in self.requests)

    def answer(self, asked: Asked) -> Said:
        """What to say to a request."""
        if not asked.tools:
            return aside(asked)
        word = self.word_of(asked)
        place = len(asked.calls)
        step = step_after(self.others[word] if word else self.script, place, self.end)
        try:
            said = step(asked) if callable(step) else step
        except Exception as error:  # noqa: BLE001  # whatever a step of a test does, the agent gets an end
            self.failures.append(f"step {place + 1}: {type(error).__name__}: {error}")
            return f"The script has no answer: {error}"
        if isinstance(said, str):
            return said
        return [offered(asked, call) for call in (said if isinstance(said, list) else [said])]


def step_after(script: Sequence[Step], calls: int, end: str) -> Step:
    """The step that comes when so many calls were made. Calls that are asked for at once are as many as they are.

    >>> step_after([[Call("a", {}), Call("b", {})], "c"], 2, "over")
    'c'
    """
    made = 0
    for step in script:
        if made >= calls:
            return step
        made += len(step) if isinstance(step, list) else 1
    return end


def offered(asked: Asked, call: Call) -> Call:
    """The call under the name by which the agent offers the tool: the same, or one that ends with it."""
    exact = [tool for tool in asked.tools if call.tool in {tool[1], tool[0] + tool[1]}]
    alike = [tool for tool in asked.tools if tool[1].endswith(call.tool)]
    for namespace, name in exact or alike:
        return call._replace(tool=name, namespace=namespace)
    deferred = re.search(rf"\bmcp__\w+__{call.tool}\b", asked.text)
    if deferred and any(name == DEFERRED for _, name in asked.tools):
        return Call(DEFERRED, {"name": deferred[0], "arguments": call.arguments})
    return call  # the agent says what it thinks of unknown tools


def aside(asked: Asked) -> str:
    """An answer to a side errand: JSON where JSON is asked for."""
    wants_json = "json_schema" in asked.text or "responseJsonSchema" in asked.text or "application/json" in asked.text
    return '{"title": "A task", "isNewTopic": false}' if wants_json else "A task"


def errand(path: str) -> Json:
    """An answer to whatever else an agent asks: counts, lists of models, telemetry."""
    if path.endswith(("count_tokens", ":countTokens")):
        return {"input_tokens": 10, "totalTokens": 10}
    if path.endswith("/models"):
        known = {"id": "scripted", "object": "model", "name": "models/scripted", "owned_by": "nobody", "created": 0}
        return {"object": "list", "data": [known], "models": [known], "has_more": False}
    return {}


class Handler(BaseHTTPRequestHandler):
    """Answers requests in the name of a model."""

    model: Model
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.model.keep(Request("GET", self.path, b"", None))
        self.whole(errand(urlsplit(self.path).path))

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_CONNECT(self) -> None:
        self.model.keep(Request("CONNECT", self.path, b"", None))
        self.send_error(403, "loopback only")

    def do_POST(self) -> None:
        body = b"".join(self.chunks())
        path = urlsplit(self.path).path
        protocol = protocol_of(path)
        asked = read(protocol, self.path, body)
        self.model.keep(Request("POST", self.path, body, asked))
        if protocol is None or asked is None:
            self.whole(errand(path))
        else:
            self.say(protocol, asked)

    def chunks(self) -> Iterator[bytes]:
        """The body, which may come with its size or in chunks that say theirs."""
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            yield self.rfile.read(int(self.headers.get("Content-Length") or 0))
            return
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    do_PUT = do_POST  # noqa: N815  # the name http.server looks for

    def say(self, protocol: Protocol, asked: Asked) -> None:
        said = self.model.answer(asked)
        turn = len(self.model.requests)
        if not streams(asked):
            self.whole(protocol.whole(asked.body, said, turn))
        elif protocol.name == "gemini" and "alt=sse" not in asked.path:
            self.whole([event for _, event in protocol.events(asked.body, said, turn)])
        else:
            self.stream(protocol, list(protocol.events(asked.body, said, turn)))
        if asked.tools:
            self.model.answered_at.setdefault(len(asked.calls), time.perf_counter())

    def whole(self, answer: Json | list[Json]) -> None:
        self.send("application/json", json.dumps(answer).encode())

    def stream(self, protocol: Protocol, events: list[tuple[str, Json]]) -> None:
        lines = [
            f"event: {name}\ndata: {json.dumps(data)}\n\n" if name else f"data: {json.dumps(data)}\n\n"
            for name, data in events
        ]
        if protocol.name == "chat":
            lines.append("data: [DONE]\n\n")
        self.send("text/event-stream", "".join(lines).encode())

    def send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401  # as http.server spells it
        pass


def streams(asked: Asked) -> bool:
    """Whether a request wants events."""
    return bool(asked.body.get("stream")) or ":streamGenerateContent" in asked.path


def read(protocol: Protocol | None, path: str, body: bytes) -> Asked | None:
    """A request, if it is one of a protocol."""
    if protocol is None:
        return None
    try:
        return protocol.read(path, json.loads(body))
    except ValueError:
        return None
