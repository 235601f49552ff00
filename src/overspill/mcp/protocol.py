"""What server and proxy know of the protocol: its versions, its frames, and how messages are written.

It has two eras: with a handshake, and with the version in every request. A frame is one JSON-RPC message
a line, of a size that is bounded.
"""

from __future__ import annotations

import json
import os
from threading import Lock

from overspill._lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, object]

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


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
