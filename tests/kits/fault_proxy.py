"""Stands between a client and an object store: counts what passes, and does what networks and servers do at worst."""

import random
import socket
import struct
import threading
import time
from collections import Counter
from typing import NamedTuple, Self

ERRORS = {
    "503": (503, "ServiceUnavailable", "Please reduce your request rate."),
    "429": (429, "TooManyRequests", "Slow down."),
    "507": (507, "InsufficientStorage", "No room."),
    "expired": (400, "ExpiredToken", "The provided token has expired."),
    "skewed": (
        403,
        "RequestTimeTooSkewed",
        "The difference between the clocks is too large.",
    ),
}
FAULTS = ("delay", "reset", "lost answer", "half", "503", "429")


class Passed(NamedTuple):
    """A request that passed, and its answer."""

    method: str
    path: str
    sent: int  # bytes of the request's body
    got: int  # bytes of the answer's body
    status: int


class FaultProxy:
    """A proxy on a port of its own. `faults` are drawn for a share of all requests; "" lets everything pass."""

    def __init__(self, upstream: int, faults: tuple[str, ...] = (), share: float = 0.0, seed: int = 7) -> None:
        self.upstream, self.faults, self.share = upstream, faults, share
        self.passed: list[Passed] = []
        self.done: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                self._answer(client)
            except OSError:
                return

    def _answer(self, client: socket.socket) -> None:
        head, body = read_message(client)
        if not head:
            return None
        with self._lock:
            fault = self._chance.choice(self.faults) if self.faults and self._chance.random() < self.share else ""
            self.done[fault] += 1
        if fault == "delay":
            time.sleep(self._chance.uniform(0.05, 0.6))
        if fault == "reset":
            return reset(client)
        if fault in ERRORS:
            status, code, words = ERRORS[fault]
            said = f"<Error><Code>{code}</Code><Message>{words}</Message></Error>".encode()
            client.sendall(
                f"HTTP/1.1 {status} {code}\r\nContent-Length: {len(said)}\r\nConnection: close\r\n\r\n".encode() + said
            )
            return None
        answer = self._forwarded(head, body)
        if fault == "lost answer":
            return reset(client)
        client.sendall(answer[: len(answer) // 2] if fault == "half" else answer)
        if fault == "half":
            return reset(client)
        return None

    def _forwarded(self, head: bytes, body: bytes) -> bytes:
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        lines.insert(1, b"Connection: close")
        with socket.create_connection(("127.0.0.1", self.upstream), timeout=60) as server:
            server.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + body)
            parts = []
            while part := server.recv(1 << 16):
                parts.append(part)
        answer = b"".join(parts)
        method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ", 2)
        status = int(answer[9:12]) if answer[9:12].isdigit() else 0
        with self._lock:
            self.passed.append(Passed(method, path, len(body), len(answer.partition(b"\r\n\r\n")[2]), status))
        return answer


def read_message(client: socket.socket) -> tuple[bytes, bytes]:
    """A request: its head without the empty line, and its body."""
    content = b""
    while b"\r\n\r\n" not in content:
        part = client.recv(1 << 16)
        if not part:
            return b"", b""
        content += part
    head, _, body = content.partition(b"\r\n\r\n")
    length = next(
        (int(line.partition(b":")[2]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
    )
    parts = [body]
    missing = length - len(body)
    while missing > 0:
        part = client.recv(min(missing, 1 << 20))
        if not part:
            return b"", b""
        parts.append(part)
        missing -= len(part)
    return head, b"".join(parts)


def reset(client: socket.socket) -> None:
    """Break a connection, so that the other side is told nothing but that."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
