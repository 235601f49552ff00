"""The Model Context Protocol, spoken by ourselves: a server for what is kept, and a proxy that limits other servers.

Its SDK costs a second of start-up, and proxies built on it lose messages they do not know. Server
and proxy read and write frames, and leave alone what they have no business with.

What both know of it stands here. It has two eras: with a handshake, and with the version in every request. A frame is
one JSON-RPC message a line, of a size that is bounded. Our tools answer as the program at the other end can take it:
how much that is was measured with real agents and texts of growing size. What is longer they cut, or put into a file
of their own, and the call for the next page is gone with the rest.

`cli` starts both, adapters in `frameworks` take `results.py` and the tools. Nothing else comes in here.
"""

from __future__ import annotations

import json
import os
from threading import Lock

from overspill._lite import TYPE_CHECKING, NamedTuple, in_json
from overspill.core import measure
from overspill.errors import UsageError
from overspill.retrieve.access import Access, access_for
from overspill.retrieve.tools import TOOLS, Answer, Arguments, Tool, answer_call, schema_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from overspill.api import Overspill
    from overspill.core import Size
    from overspill.core.markers import Part, Search


Json = dict[str, object]

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

CLIENT_KEY = "io.modelcontextprotocol/clientInfo"


def request_version(parameters: Json) -> object:
    """The version a request names, as the newer era has it; None in the older one."""
    meta = parameters.get("_meta")
    return meta.get(VERSION_KEY) if isinstance(meta, dict) else None


def for_protocol_era(result: Json, parameters: Json, *, cached: bool = False) -> Json:
    """A result as the era of its request wants it: the newer one says what it is, and how long it may be kept."""
    if request_version(parameters) is None:
        return result
    marked = {**result, "resultType": "complete"}
    return {**marked, "ttlMs": 0, "cacheScope": "private"} if cached else marked


FRAME_CHUNK_BYTES = 1 << 18
MAX_FRAME_BYTES = 64 << 20  # a longer frame is not held
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some programs begin with one
EDGE_BYTES = 1 << 16  # what is kept of it, at either end: its id is in one of them


class Oversize(NamedTuple):
    """A frame that was too long to be held."""

    head: bytes
    tail: bytes
    size: int


def read_frames(descriptor: int, most: int = MAX_FRAME_BYTES) -> Iterator[bytes | Oversize]:
    """The lines that come in on a descriptor, without their ends; empty ones are nothing."""
    held = PartialFrame(most)
    while chunk := os.read(descriptor, FRAME_CHUNK_BYTES):
        *ends, rest = chunk.split(b"\n")
        for piece in ends:
            held.add(piece)
            if frame := held.take_frame():
                yield frame
        held.add(rest)
    if frame := held.take_frame():
        yield frame


class PartialFrame:
    """A frame of which a part has come."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._size = 0
        self._over: Oversize | None = None

    def add(self, piece: bytes) -> None:
        """One more piece of it."""
        if not piece:
            return
        self._size += len(piece)
        if self._over is not None:
            self._over = Oversize(self._over.head, (self._over.tail + piece)[-EDGE_BYTES:], self._size)
            return
        self._pieces.append(piece)
        if self._size > self._most:
            whole = b"".join(self._pieces)
            self._over = Oversize(whole[:EDGE_BYTES], whole[-EDGE_BYTES:], self._size)
            self._pieces = []

    def take_frame(self) -> bytes | Oversize | None:
        """All of it, and the next one begins; None for an empty line."""
        frame = self._over or b"".join(self._pieces).strip()
        self._pieces, self._size, self._over = [], 0, None
        return frame or None


class Outlet:
    """Frames to one reader, from any thread, whole."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = Lock()

    def __call__(self, frame: bytes) -> None:
        """Write one frame."""
        line = memoryview(frame + b"\n")
        with self._lock:
            while line:
                line = line[os.write(self._descriptor, line) :]


def encode_message(message: object) -> bytes:
    """A message as one line. A lone surrogate, which UTF-8 has no bytes for, stays an escape."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":")).encode()


def decode_message(frame: bytes) -> object:
    """A frame as a message; ValueError if it is not one."""
    try:
        return json.loads(frame)
    except RecursionError:
        raise ValueError("nested too deeply") from None


class DoubleName(ValueError):
    """A map in a JSON text says a name twice."""


def _map_of_pairs(pairs: list[tuple[str, object]]) -> Json:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise DoubleName
    return made


_decode_strictly = json.JSONDecoder(object_pairs_hook=_map_of_pairs).decode


def decode_exactly(frame: bytes) -> tuple[object, bool]:
    """A frame as a message, and whether the message is all that the frame says; ValueError if it is not one."""
    if frame.startswith(BYTE_ORDER_MARK):
        return decode_message(frame), False
    try:
        return _decode_strictly(frame.decode()), True
    except (UnicodeDecodeError, DoubleName):
        return decode_message(frame.decode("utf-8", "replace").encode()), False
    except RecursionError:
        raise ValueError("nested too deeply") from None


def result_response(request: object, result: object) -> dict[str, object]:
    """A result for a request, by its id."""
    return {"jsonrpc": "2.0", "id": request, "result": result}


def error_response(request: object, code: int, message: str, data: object = None) -> dict[str, object]:
    """An error for a request, by its id."""
    error: dict[str, object] = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": request, "error": error if data is None else error | {"data": data}}


class ClientLimits(NamedTuple):
    """The most that one answer of a tool may hold."""

    chars: int
    lines: int | None = None


CLIENT_LIMITS = {
    "codex-mcp-client": ClientLimits(9_000),
    "copilot-cli": ClientLimits(19_000),
    "opencode": ClientLimits(48_000, 1_900),
    "cline": ClientLimits(7_400),
    "kilo": ClientLimits(48_000, 1_900),
    "qwen-cli-mcp-client-overspill": ClientLimits(24_000, 950),
}


# The agents that `journal/calls.py` knows, by the names under which they come as clients.
CLIENT_AGENTS = {
    "claude-code": "claude-code",
    "codex-mcp-client": "codex",
    "copilot-cli": "copilot",
    "gemini-cli-mcp-client": "gemini",
    "opencode": "opencode",
}


def client_name(parameters: Json) -> str:
    """The program that asks, if the request names it, in either era.

    >>> client_name({"clientInfo": {"name": "copilot-cli"}}), client_name({})
    ('copilot-cli', '')
    """
    meta = parameters.get("_meta")
    about = parameters.get("clientInfo") or (meta.get(CLIENT_KEY) if isinstance(meta, dict) else None)
    name = about.get("name") if isinstance(about, dict) else None
    return name if isinstance(name, str) else ""


PREFIX = "overspill_"
# Claude Code shortens what is longer than it likes, unless a tool says how long its results may be.
LONGEST_RESULT = "anthropic/maxResultSizeChars"
SEEN_BY_MODELS = ("name", "description", "inputSchema")  # of a tool; `make e2e` compares it
WITHOUT_INSTRUCTIONS = frozenset({"copilot-cli", "cline", "pi"})  # they show no model what a server says of itself
NAMES_ALONE = "qwen-cli-mcp-client"  # so begins the name of one that shows a model no description before it asks for it
NOTE_CHARS = 500  # characters that the note beside a page may take


def context_size(described: Sequence[Json], instructions: str = "") -> Size:
    """What tools take of a context. Agents hand on three members of each, and what the server says of itself."""
    seen = [{name: tool[name] for name in SEEN_BY_MODELS} for tool in described]
    return measure((in_json(seen) if seen else "") + instructions)


class Toolbox:
    """The artifact tools of one `Overspill`."""

    def __init__(self, spill: Overspill, more: Sequence[Tool] = ()) -> None:
        self._spill = spill
        self._spelling = spill.workspace.call_format
        self._own = (*TOOLS, *more)
        self._tools = {tool.name: tool for tool in self._own}
        self._reader: ClientLimits | None = None
        self._is_cost_told = False
        self._client = ""

    def note_client(self, parameters: Json) -> None:
        """Learn from a request who reads the answers."""
        name = client_name(parameters)
        if not name:
            return
        self._client = name
        self._reader = CLIENT_LIMITS.get(name, self._reader)
        # Some add the name of the server that they speak to.
        agent = next((agent for begin, agent in CLIENT_AGENTS.items() if name.startswith(begin)), "")
        if agent:
            self._spill.workspace.origin["agent"] = agent

    def tell_cost(self, described: Sequence[Json], instructions: str = "") -> None:
        """Tell the journal what these descriptions take of a model's context, once a process: that is, a session."""
        if self._is_cost_told:
            return
        self._is_cost_told = True
        is_shown = self._client not in WITHOUT_INSTRUCTIONS
        is_described = not self._client.startswith(NAMES_ALONE)
        size = context_size(described if is_described else (), instructions if is_shown else "")
        facts = {"chars": size.chars, "tokens": size.tokens, "tools": len(described)}
        self._spill.workspace.tell("describe", {**facts, **self._spill.workspace.origin})

    def rename_colliding(self, names: Container[str]) -> None:
        """Go by other names where a server has tools of these; the hints in views then say so."""
        self._tools = {PREFIX + tool.name if tool.name in names else tool.name: tool for tool in self._own}
        self._spill.workspace.call_format = self._spelled

    def has(self, name: str) -> bool:
        """Whether a tool of ours goes by this name."""
        return name in self._tools

    def descriptions(self) -> list[Json]:
        """All of them, for a list of tools."""
        meta = {LONGEST_RESULT: self._spill.settings.integer("tools.truncation.artifacts.retrieval_ceiling")}
        return [
            {
                "name": name,
                "description": self._named(tool.description),
                "inputSchema": dict(tool.parameters),
                "annotations": {
                    "readOnlyHint": not tool.writes,
                    "idempotentHint": not tool.writes,
                    "openWorldHint": False,
                    **({"destructiveHint": False} if tool.writes else {}),
                },
                "_meta": meta,
            }
            for name, tool in self._tools.items()
        ]

    def call(self, name: str, parameters: Json) -> Json:
        """Call one of them: what was found, and in a block of its own where it is from and how to go on."""
        arguments = parameters.get("arguments")
        answer = self._tool_answer(self._tools[name], arguments if isinstance(arguments, dict) else {})
        said = [words for words in (answer.content, self._named(answer.note)) if words]
        return {"content": [{"type": "text", "text": words} for words in said], "isError": answer.is_error}

    def _tool_answer(self, tool: Tool, arguments: Json) -> Answer:
        try:
            if self._reader is None or tool not in TOOLS:
                return tool.call(self._spill, arguments)
            return _answer_within(self._reader, tool, access_for(self._spill.workspace, "model"), arguments)
        except Exception as error:  # noqa: BLE001  # a model can go on from a sentence, not from a broken connection
            return Answer(f"{tool.name} failed ({type(error).__name__}); this is our fault", status=500)

    def _spelled(
        self, artifact_id: str, part: Part | Search | None = None, offset: int = 0, limit: int | None = None
    ) -> str:
        return self._named(self._spelling(artifact_id, part, offset, limit))

    def _named(self, words: str) -> str:
        for name, tool in self._tools.items():
            if name != tool.name:
                words = words.replace(tool.name, name)
        return words


def _answer_within(reader: ClientLimits, tool: Tool, access: Access, arguments: Json) -> Answer:
    """An answer that its reader can take whole, with the note beside it."""
    most = reader.chars - NOTE_CHARS
    access = access._replace(limit=min(access.limit, most), ceiling=min(access.ceiling or most, most))
    answer = tool.call(access, arguments)
    lines = answer.content.splitlines(keepends=True)
    if reader.lines is None or len(lines) <= reader.lines or arguments.get("query"):
        return answer
    return tool.call(access, {**arguments, "limit": len("".join(lines[: reader.lines]))})


CONTEXT = schema_of(
    ["phase"],
    phase=("integer", "The phase that begins: it gets what the phases before it left."),
    run_id=("string", "The run. Left out: the latest one."),
)


def handoff_tools(spill: Overspill) -> tuple[Tool, ...]:
    """What earlier phases left, to be read."""

    def assembled(_access: Access, given: Arguments) -> Answer:
        phase = given.number("phase")
        if phase is None or phase < 1:
            raise UsageError(f"phase is a whole number from 1 on, not {phase}")
        context = spill.assemble(phase=phase, run_id=given.text("run_id"))
        nothing = "" if context.text or context.problems else f"No phase before {phase} left anything."
        return Answer(context.text, nothing or " ".join(context.problems))

    description = "What earlier phases of this work left for a phase: goal, decisions, risks, within its token budget."
    return (
        Tool(
            "get_phase_context",
            description,
            CONTEXT,
            lambda access, given: answer_call(assembled, access, CONTEXT, given),
        ),
    )
