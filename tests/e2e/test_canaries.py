"""The canaries of `make e2e`: they are found in every form, and a server behind the proxy shows none."""

import base64
import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from e2e.canaries import (
    ABSENT,
    BEFORE,
    HIDDEN,
    LEAKED,
    LOST,
    Allowed,
    Known,
    RequestLog,
    canary_outcome,
    draw_canary,
)
from e2e.canary_runs import OF_SERVERS, PLACES, WAYS
from e2e.model import Request
from e2e.protocols import chat_read
from e2e.running import HERE, proxied
from e2e.wiring import AGENTS
from overspill.redact import redact_text

NOTHING_KNOWN = Known({}, {})


def conversation_of(text: str) -> Request:
    """A request of a conversation in which a tool said `text`."""
    body = {"messages": [{"role": "tool", "content": text}], "tools": [{"function": {"name": "bash"}}]}
    path = "/v1/chat/completions"
    return Request("POST", f"{path}?beta=true", json.dumps(body).encode(), chat_read(path, body))


def side_request(body: bytes, path: str = "/v1/messages/count_tokens") -> Request:
    return Request("POST", path, body, None)


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


FORMS: dict[str, Callable[[str], bytes]] = {
    "as it is": str.encode,
    "as JSON": lambda text: json.dumps({"a": text}).encode(),
    "as JSON in JSON": lambda text: json.dumps(json.dumps({"a": text})).encode(),
    "escaped": lambda text: escaped(text).encode(),
    "escaped twice": lambda text: json.dumps(escaped(text)).encode(),
    "base64": lambda text: base64.b64encode(text.encode()),
    "base64, one on": lambda text: base64.b64encode(b"x" + text.encode()),
    "base64, two on": lambda text: base64.b64encode(b"xy" + text.encode() + b"z"),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode("?>~ÿ".encode() + text.encode()),
    "hex": lambda text: text.encode().hex().encode(),
    "percent": lambda text: "".join(f"%{ord(letter):02X}" for letter in text).encode(),
    "quoted": lambda text: quote(text).encode(),
    "entities": lambda text: "".join(f"&#{ord(letter)};" for letter in text).encode(),
    "packed": lambda text: gzip.compress(text.encode()),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("part", ["password", "token"])
def test_a_canary_is_found_in_every_form(form: str, part: str) -> None:
    canary, other = draw_canary("stdout"), draw_canary("stdout")
    log = RequestLog([side_request(FORMS[form](f"cloned with {getattr(canary, part)}\nand more"))])
    assert log.secret_paths(canary) == {"/v1/messages/count_tokens"}
    assert not log.secret_paths(other)


def test_half_a_canary_is_one_and_one_in_an_address_too() -> None:
    canary = draw_canary("stdout")
    halves = [side_request(canary.password[:15].encode()), Request("GET", f"/a?b={canary.token[-20:]}", b"", None)]
    assert [RequestLog([half]).secret_paths(canary) for half in halves] == [{"/v1/messages/count_tokens"}, {"/a"}]


def test_what_became_of_a_canary_is_told_by_what_was_sent() -> None:
    canary = draw_canary("file")
    hidden = conversation_of(canary.text.replace(canary.password, "[...]").replace(canary.token, "[...]"))
    shown, counted, nothing = conversation_of(canary.text), side_request(canary.text.encode()), conversation_of("ok")
    known = Known({"file": "it has none"}, {"file": Allowed(BEFORE, "/count_tokens")})

    def word(*requests: Request, arrives: bool = True, known: Known = NOTHING_KNOWN) -> str:
        return canary_outcome(canary, RequestLog(requests), arrives=arrives, known=known).word

    assert word(hidden) == HIDDEN
    assert word(hidden, shown) == word(shown, known=known) == word(shown, arrives=False) == LEAKED
    assert word(hidden, counted) == LEAKED
    assert word(hidden, counted, known=known) == BEFORE
    assert word(hidden, counted, shown, known=known) == LEAKED
    assert word(nothing) == LOST  # that nothing is seen may mean that nothing ran
    assert word(nothing, arrives=False) == LOST
    assert word(nothing, arrives=False, known=known) == ABSENT


def test_canaries_are_secrets_that_redaction_hides_and_their_markers_are_none() -> None:
    for place in PLACES * 3:
        canary = draw_canary(place)
        shown = conversation_of(redact_text(canary.text))
        assert canary_outcome(canary, RequestLog([shown]), arrives=True, known=NOTHING_KNOWN).word == HIDDEN


def test_every_agent_says_of_real_places_alone_what_is_known() -> None:
    assert set(WAYS) == set(AGENTS)
    for ways in WAYS.values():
        assert {*ways.known.absent, *ways.known.allowed} <= set(PLACES)
        assert not any(place.startswith("proxied") for place in ways.known.allowed), "behind the proxy nothing leaks"


def asked_server(command: list[str]) -> tuple[str, str]:
    """What a server says to every request, and to its log."""
    calls = [("tools/call", {"name": f"{command[-2]}_{tool}", "arguments": {}}) for tool in OF_SERVERS.values() if tool]
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    asked = [
        ("initialize", client),
        ("tools/list", {}),
        *calls,
        ("resources/read", {"uri": f"canary://{command[-2]}/settings"}),
    ]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    ]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    said = []
    for line in lines:
        process.stdin.write(line + "\n")
        process.stdin.flush()
        said.append(process.stdout.readline())
    rest, log = process.communicate(timeout=60)
    return "".join(said) + rest, log


@pytest.mark.parametrize("server", ["proxied", "bare"])
def test_a_server_says_every_canary_and_behind_the_proxy_none(server: str, tmp_path: Path) -> None:
    canaries = {f"{server} {place}": draw_canary(f"{server} {place}") for place in OF_SERVERS}
    held = tmp_path / "canaries.json"
    held.write_text(json.dumps({name: canary._asdict() | {"text": canary.text} for name, canary in canaries.items()}))
    command = [sys.executable, f"{HERE}/canary_server.py", server, str(held)]
    said, log = asked_server(proxied(command) if server == "proxied" else command)
    requests = RequestLog([conversation_of(said), side_request(log.encode(), "/log")])

    seen = {name for name, canary in canaries.items() if requests.secret_paths(canary)}
    assert seen == (set(canaries) if server == "bare" else set())
    assert canaries.pop(f"{server} log").marker in log
    assert all(map(requests.holds_marker, canaries.values()))
