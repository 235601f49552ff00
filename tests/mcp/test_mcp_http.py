"""HTTP on both sides: our server refuses odd requests in order, and each call to one behind the proxy is answered."""

import json
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.shared.inbound import decode_header_value

from overspill import MemoryStore, Overspill
from overspill.errors import UsageError
from overspill.mcp import VERSION_KEY, encode_message, http
from overspill.mcp.http import HttpUpstream, header_value
from overspill.mcp.proxy import Choice, Proxy
from overspill.mcp.server import Server

Json = dict[str, Any]
TOKEN = "a token for the test"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
SPILL = Overspill(store=MemoryStore(), preset="agent")


@pytest.fixture
def port() -> Iterator[int]:
    listener = http.make_listener(Server(SPILL), 0, TOKEN)
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield listener.server_port
    listener.shutdown()
    listener.server_close()
    thread.join()


def status(port: int, *headers: str, host: str = "Host: localhost", body: bytes = PING, path: str = "/mcp") -> int:
    """The status a request is answered with; 0 if it is not."""
    length = [] if any("length" in line.lower() or "transfer" in line.lower() for line in headers) else [len(body)]
    lines = [f"POST {path} HTTP/1.1", host, f"Authorization: Bearer {TOKEN}", *headers]
    lines += [f"Content-Length: {number}" for number in length]
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        words = connection.recv(65_536).split()
    return int(words[1]) if words else 0


@pytest.mark.parametrize(
    ("headers", "host", "wanted"),
    [
        ([], "Host: localhost", 200),
        ([], "Host: LOCALHOST:80", 200),
        ([], "Host: [::1]:5", 200),
        (["Origin: http://localhost:3000"], "Host: 127.0.0.1", 200),
        ([], "Host: [", 400),
        ([], "Host: [::1", 400),
        ([], "Host: evil@localhost", 400),
        ([], "Host: localhost/x", 400),
        ([], "Host: localhost\t", 200),
        ([], "Host: localhost:999999", 400),
        ([], "Host: evil.example", 403),
        ([], "X: y", 403),
        (["Origin: http://["], "Host: localhost", 400),
        (["Origin: http://evil@localhost"], "Host: localhost", 400),
        (["Origin: http://localhost.evil.example"], "Host: localhost", 403),
        (["Origin: null"], "Host: localhost", 403),
        (["Origin: http://localhost", "Origin: http://evil.example"], "Host: localhost", 400),
        (["Host: evil.example"], "Host: localhost", 400),
        (["Authorization: Bearer other"], "Host: localhost", 400),
        (["Content-Length: " + "9" * 5_000], "Host: localhost", 400),
        (["Content-Length: 999999999999"], "Host: localhost", 413),
        (["Content-Length: -1"], "Host: localhost", 400),
        (["Content-Length: +5"], "Host: localhost", 400),
        (["Content-Length: \xb2"], "Host: localhost", 400),
        (["Content-Length: 40", "Content-Length: 41"], "Host: localhost", 400),
        (["Content-Length: 40", "Transfer-Encoding: chunked"], "Host: localhost", 400),
        (["Transfer-Encoding: chunked"], "Host: localhost", 411),
        (["X: a\r\n folded"], "Host: localhost", 400),
        (["no header at all"], "Host: localhost", 400),
        ([": empty"], "Host: localhost", 400),
    ],
)
def test_odd_headers_are_refused_in_order(
    port: int, headers: list[str], host: str, wanted: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(port, *headers, host=host) == wanted
    assert status(port) == 200
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("path", ["//[", "http://[/mcp", "/other", "/mcp/", "\xff"])
def test_odd_paths_are_not_found(port: int, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(port, path=path) in {400, 404}
    assert "Traceback" not in capsys.readouterr().err


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["Host", "Origin", "Content-Length", "Authorization", "Content-Type", "Accept", "Expect"]),
    value=st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=40),
)
def test_no_header_brings_a_traceback(port: int, name: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(port, f"{name}: {value}") in {100, 200, 400, 401, 403, 411, 413, 417}
    assert "Traceback" not in capsys.readouterr().err


def test_connections_are_counted_and_those_that_say_nothing_end(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "REQUEST_SECONDS", 1.5)
    idle = [socket.create_connection(("127.0.0.1", port), 20) for _ in range(http.MOST_CONNECTIONS)]
    try:
        time.sleep(0.3)
        assert status(port) == 503
        threads = sum(thread.name.find("process_request") >= 0 for thread in threading.enumerate())
        assert threads <= http.MOST_CONNECTIONS
        until = time.monotonic() + 15
        idle[0].sendall(b"P")  # a byte now and then holds none of them for ever
        while status(port) != 200:
            assert time.monotonic() < until
            time.sleep(0.2)
        assert all(connection.recv(1) == b"" for connection in idle)
    finally:
        for connection in idle:
            connection.close()


class Behind(BaseHTTPRequestHandler):
    """A server behind the proxy: says which name its headers carried."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the name the base class looks for
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = json.loads(body) if b'"id"' in body else None
        if message is None:
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        name = decode_header_value(self.headers.get("Mcp-Name"))
        frame = encode_message({"jsonrpc": "2.0", "id": message["id"], "result": {"heard": name}})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(frame)))
        self.end_headers()
        self.wfile.write(frame)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it
        pass


@pytest.fixture
def behind() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Behind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/mcp"
    server.shutdown()
    server.server_close()


NAMES = ["plain", "größe", "名前", "a\r\nX-Evil: 1", " edge ", "", "a\0b", "=?base64?YQ==?=", "\ud800", "x" * 100_000]


def call(upstream: HttpUpstream, proxy: Proxy, heard: "queue.Queue[bytes]", name: str, number: int) -> Json:
    meta = {VERSION_KEY: "2026-07-28"}
    params = {"name": name, "arguments": {}, "_meta": meta}
    proxy.from_client(encode_message({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}))
    answer: Json = json.loads(heard.get(timeout=20))
    assert answer["id"] == number
    return answer


def test_a_tool_of_any_name_is_called_or_refused_but_always_answered(behind: str) -> None:
    heard: queue.Queue[bytes] = queue.Queue()
    upstream = HttpUpstream(behind, [])
    proxy = Proxy(SPILL, upstream.send, heard.put, lambda words: None, Choice())
    upstream.deliver(proxy)
    for number, name in enumerate(NAMES):
        answer = call(upstream, proxy, heard, name, number)
        if len(name) < 1_000 and name != "\ud800":
            assert answer["result"]["heard"] == name
        else:
            assert "error" in answer
    for frame in (b"no JSON", b"[]", b"5", b'{"jsonrpc":"2.0","method":"x"}'):
        proxy.from_client(frame)
    assert call(upstream, proxy, heard, "plain", 99)["result"]["heard"] == "plain"


@given(st.text(max_size=30))
def test_a_header_says_any_name_in_characters_of_its_own(name: str) -> None:
    value = header_value(name)
    assert value.isascii()
    assert value.isprintable()
    assert decode_header_value(value) == name


@pytest.mark.parametrize("url", ["http://[", "http://h:99999999/", "http://h:x/", "ftp://h/", "h"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        HttpUpstream(url, [])


@pytest.mark.parametrize("header", ["a", ": b", "a b: c", "a: b\r\nc: d", "ä: b", "a: 名"])
def test_a_header_that_is_none_is_refused(header: str) -> None:
    with pytest.raises(UsageError):
        HttpUpstream("http://h/", [header])


def test_a_process_in_front_of_nobody_answers_each_call(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "overspill",
        "mcp",
        "proxy",
        "--root",
        str(tmp_path),
        "--url",
        "http://127.0.0.1:9/x",
    ]
    calls = [
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": name, "_meta": {VERSION_KEY: "x\ny"}},
        }
        for number, name in enumerate(NAMES[:4])
    ]
    frames = b"not JSON\n" + b"".join(encode_message(each) + b"\n" for each in calls)
    proxy = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    proxy.stdin.write(frames)
    proxy.stdin.flush()
    answered = sorted(json.loads(proxy.stdout.readline())["id"] for _ in calls)
    assert answered == [0, 1, 2, 3]
    assert b"Traceback" not in proxy.communicate(timeout=60)[1]
