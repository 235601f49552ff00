"""`spill ui`: for whoever has the token, from this machine's own address, to be read only."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from overspill import Overspill
from overspill.report.page import ReportSource
from overspill.report.server import LiveReport, ReportServer
from overspill.workspace import Workspace
from report_kit import MARKER, data_in, make_session

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")
# Whoever runs these tests in the background ignores Ctrl-C, and so would his children.
HEARING = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("served")
    make_session(place, 40)
    return place


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[ReportServer]:
    made = ReportServer(LiveReport(ReportSource(Workspace.find(root=str(root)))))
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def ask(server: ReportServer, path: str, method: str = "GET", **headers: str) -> tuple[int, str, dict[str, str]]:
    """One request, with the token and the right host unless it says otherwise."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    given = {"Authorization": f"Bearer {server.token}", "Host": f"127.0.0.1:{server.server_port}"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.putrequest(method, path, skip_host=True)
        for name, value in given.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())
    finally:
        connection.close()


def test_the_page_and_its_data_come_with_the_token(server: ReportServer, root: Path) -> None:
    status, page, headers = ask(server, f"/?token={server.token}", Authorization="")
    assert status == 200
    assert data_in(page) == {"live": True}
    assert "connect-src 'self'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    data = json.loads(ask(server, "/api/data")[1])
    assert len(data["calls"]["said"]) == 40
    parts = json.loads(ask(server, f"/api/parts?id={data['calls']['ids'][0]}")[1])
    assert parts["texts"][0][2]
    assert isinstance(json.loads(ask(server, "/api/changes")[1]), list)
    assert server.token not in page


def test_what_the_page_does_not_hold_of_a_long_text_comes_by_ranges(tmp_path: Path) -> None:
    """Issue 22: beyond 256,000 characters the page holds what was shown; the rest is asked for, line by line."""
    text = "".join(f"{number:06d} a row with an \u00e9 and \U0001f600\r\n" for number in range(40_000))
    spill = Overspill(root=str(tmp_path), session="s")
    short = str(spill.fit(text, tool="rows").artifact_id).rpartition("_")[2][:12]
    made = LiveReport(ReportSource(Workspace.find(root=str(tmp_path))))
    parts = json.loads(made.parts(short))
    assert parts["chars"] == len(text) > 1_000_000
    pieces = {start: said for start, _, said in parts["texts"]}
    at = 0
    while at < len(text):
        if at in pieces:
            at += len(pieces[at])
            continue
        end = min((start for start in pieces if start > at), default=len(text))
        [[start, line, said]] = json.loads(made.text(short, at, end))
        assert (start, line) == (at, text.count("\n", 0, at) + 1)
        assert 0 < len(said) <= 65_536
        assert said.endswith("\r\n") or at + len(said) == end
        pieces[at] = said
        at += len(said)
    assert "".join(said for _, said in sorted(pieces.items())) == text


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("start=0&end=9", 1),
        ("start=5&end=5", 0),
        ("start=9&end=2", 0),
        ("start=-1&end=4", 0),
        ("start=x&end=4", 0),
        ("start=99999999999999999999&end=999999999999999999999", 0),
        ("start=0", 0),
        ("", 0),
    ],
)
def test_a_range_that_is_none_brings_nothing(server: ReportServer, query: str, answer: int) -> None:
    known = json.loads(ask(server, "/api/data")[1])["calls"]["ids"][0]
    status, body, _ = ask(server, f"/api/text?id={known}&{query}")
    assert (status, len(json.loads(body))) == (200, answer)
    assert json.loads(ask(server, f"/api/text?id=nobody&{query}")[1]) == []


@pytest.mark.parametrize(
    "path", ["/", "/api/text?id=x&start=0&end=1", "/api/data", "/api/state", "/api/parts?id=x", "/api/changes"]
)
@pytest.mark.parametrize("token", ["", "Bearer ", "Bearer wrong", "Basic {}", "Bearer {}x", "bearer {}", "{} {}"])
def test_nothing_is_answered_without_the_token(server: ReportServer, path: str, token: str) -> None:
    status, body, _ = ask(server, path, Authorization=token.replace("{}", server.token))
    assert (status, body) == (401, "")


def test_the_token_in_an_address_opens_the_page_and_no_data(server: ReportServer) -> None:
    assert ask(server, f"/api/data?token={server.token}", Authorization="")[0] == 401
    assert ask(server, "/?token=wrong", Authorization="")[0] == 401
    assert ask(server, f"/?token={server.token[:-1]}", Authorization="")[0] == 401


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:{}.evil.example",
        "[::1]:{}",
        "0:{}",
        "",
    ],
)
def test_another_host_is_refused(server: ReportServer, host: str) -> None:
    """A name of somebody else's that leads to this machine would make his page ours."""
    status, body, _ = ask(server, "/api/data", Host=host.format(server.server_port))
    assert (status, body) == (403, "")


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        "https://127.0.0.1:{}",
        "http://localhost.evil:{}",
        "file://",
    ],
)
def test_a_page_of_another_site_is_refused(server: ReportServer, origin: str) -> None:
    assert ask(server, "/api/data", Origin=origin.format(server.server_port))[:2] == (403, "")


def test_a_page_of_ours_is_answered(server: ReportServer) -> None:
    for name in ("127.0.0.1", "localhost"):
        origin = f"http://{name}:{server.server_port}"
        assert ask(server, "/api/state", Origin=origin, Host=f"{name}:{server.server_port}")[0] == 200
    assert ask(server, "/api/state", Sec_Fetch_Site="cross-site")[0] == 403
    assert ask(server, "/api/state", Sec_Fetch_Site="same-origin")[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "//api/data", "/../../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/api/../data", "/api/data/",
        "/api//data", "/page.css", "/api/%64ata", "/.acode/logs/journal.jsonl", "/api", "/favicon.ico", "http://127.0.0.1/",
        "/api/data;x", "*", "/\\",
    ],
)  # fmt: skip
def test_no_path_leads_anywhere_else(server: ReportServer, path: str) -> None:
    status, body, _ = ask(server, path)
    assert status in {400, 404}
    assert "root:" not in body


@pytest.mark.parametrize("word", ["../../../etc/passwd", "art_1_x", "%00", "a" * 1_500, "", "<script>"])
def test_an_id_that_is_none_leads_nowhere(server: ReportServer, word: str) -> None:
    assert ask(server, f"/api/parts?id={word}")[:2] == (200, "null")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_everything_but_asking_is_refused(server: ReportServer, method: str) -> None:
    assert ask(server, "/api/data", method)[:2] == (405, "")


def test_a_head_request_has_no_body(server: ReportServer) -> None:
    assert ask(server, "/api/state", "HEAD")[:2] == (200, "")


@pytest.mark.parametrize(
    "lines",
    [
        "Host: 127.0.0.1:{port}\r\nHost: evil.example\r\nAuthorization: Bearer {token}",
        "Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nOrigin: null\r\nAuthorization: Bearer {token}",
        "Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nContent-Length: 5",
        "Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nTransfer-Encoding: chunked",
    ],
)
def test_headers_that_mean_two_things_are_refused(server: ReportServer, lines: str) -> None:
    said = lines.format(port=server.server_port, token=server.token)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as link:
        link.sendall(f"GET /api/data HTTP/1.1\r\n{said}\r\n\r\n".encode())
        assert b" 400 " in link.recv(200)


def test_it_listens_on_this_machine_alone(server: ReportServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_two_browsers_are_answered_at_once(server: ReportServer) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: ask(server, "/api/data"), range(64)))
    assert {status for status, _, _ in answers} == {200}
    assert len({body for _, body, _ in answers}) == 1


def test_what_is_logged_later_is_in_the_next_answer(server: ReportServer, root: Path) -> None:
    before = ask(server, "/api/state")[1]
    make_session(root, 3, session="later")
    assert ask(server, "/api/state")[1] != before
    assert len(json.loads(ask(server, "/api/data")[1])["calls"]["said"]) == 43


def test_ctrl_c_ends_it_and_leaves_nothing(root: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    before = sorted(root.rglob("*"))
    environ = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", ""),
    }
    command = [sys.executable, "-c", HEARING, SPILL, "ui", "--root", str(root)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environ)
    request.addfinalizer(child.kill)
    assert child.stdout is not None
    address = child.stdout.readline().decode().strip()
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]{32})", address)
    assert found is not None
    link = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
    link.request("GET", "/api/data", headers={"Authorization": f"Bearer {found[2]}"})
    assert MARKER in link.getresponse().read().decode()  # commands are shown here, as texts are
    link.close()
    child.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, said = child.communicate(timeout=20)
    assert time.monotonic() - started < 5
    assert child.returncode == 0
    assert b"Traceback" not in said
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", int(found[1])), timeout=2).close()
    assert sorted(root.rglob("*")) == before
