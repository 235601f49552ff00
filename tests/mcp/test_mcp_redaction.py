"""No secret of a server reaches the client, in whatever message it stands, and every request is answered."""

import base64
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill import MemoryStore, Overspill
from overspill.mcp.protocol import encode_message
from overspill.mcp.proxy import Choice, Proxy
from overspill.mcp.redaction import HIDDEN, redacted_value
from overspill.mcp.results import CallInfo, limited_result

Json = dict[str, Any]

SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
OTHER = "sk-proj-" + "h8G7f6E5d4C3b2A1" * 3
ADDRESS = f"https://files.example/report?key={SECRET}"
SPILL = Overspill(store=MemoryStore(), preset="agent")


def gives_up_on(words: str) -> bool:
    """Whether redaction hides the rest of such a line: too many places would have to be looked at."""
    redactor = SPILL.workspace.redactor
    assert redactor is not None
    return redactor.redact(json.dumps(words)).incomplete


UNIT = next(
    unit for unit in ("password=x7 ", "authorization: xxxxxx ", "pwd=1a ", "token=a1 ") if gives_up_on(unit * 80_000)
)
ENDLESS = UNIT * 80_000


class Link:
    """A proxy with both of its ends in view."""

    def __init__(self) -> None:
        self.to_server: list[bytes] = []
        self.to_client: list[bytes] = []
        self.said: list[str] = []
        self.proxy = Proxy(SPILL, self.to_server.append, self.to_client.append, self.said.append, Choice())

    def ask(self, method: str, params: object = None, identity: object = 1) -> Json:
        message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params or {}}
        self.proxy.from_client(encode_message(message))
        heard: Json = json.loads(self.to_server[-1])
        return heard

    def hear(self, message: object) -> Any:  # noqa: ANN401  # whatever it is
        """What the client gets for a message of the server's."""
        before = len(self.to_client)
        self.proxy.from_server(encode_message(message))
        assert len(self.to_client) == before + 1
        return json.loads(self.to_client[-1])

    def answer(self, result: object, identity: object = 1) -> Any:  # noqa: ANN401  # likewise
        return self.hear({"jsonrpc": "2.0", "id": identity, "result": result})["result"]


# Every kind of message that a server sends, with strings in every place that the protocol has for them.
MESSAGES: dict[str, Json] = {
    "error": {"id": 1, "error": {"code": -1, "message": "x", "data": {"why": "x", "uri": "x", "more": ["x"]}}},
    "result without content": {"id": 1, "result": {"toolResult": "x", "deep": {"a": [{"b": "x"}]}}},
    "content that is a string": {"id": 1, "result": {"content": "x"}},
    "a result that is a string": {"id": 1, "result": "x"},
    "a result that is a list": {"id": 1, "result": ["x", {"a": "x"}]},
    "content that is a map": {"id": 1, "result": {"content": {"type": "text", "text": "x"}}},
    "a tool's result": {
        "id": 1,
        "result": {
            "content": [
                {"type": "text", "text": "x", "_meta": {"a": "x"}, "annotations": {"audience": ["x"]}},
                {"type": "text", "text": ["x"]},
                {"type": "x", "text": "x"},
                {"type": "image", "data": "x", "mimeType": "image/png"},
                {"type": "audio", "data": "x", "mimeType": "x"},
                {"type": "resource_link", "uri": "x", "name": "x", "title": "x", "description": "x", "mimeType": "x"},
                {"type": "resource", "resource": {"uri": "x", "text": "x", "mimeType": "x", "_meta": {"a": "x"}}},
                {"type": "resource", "resource": {"uri": "x", "blob": "x", "mimeType": "text/plain"}},
                "x",
            ],
            "structuredContent": {"a": "x", "b": [{"c": "x"}, "x"], "data": "x", "uri": "x", "name": "x"},
            "_meta": {"a": "x", "progressToken": "x"},
            "x": "x",
        },
    },
    "input is required": {
        "id": 1,
        "result": {
            "resultType": "input_required",
            "content": [{"type": "text", "text": "x"}],
            "requestState": "x",
            "inputRequests": {
                "x": {"method": "elicitation/create", "params": {"message": "x", "requestedSchema": {"title": "x"}}},
                "other": {"method": "sampling/createMessage", "params": {"systemPrompt": "x", "messages": []}},
            },
        },
    },
    "initialize": {
        "id": 1,
        "result": {
            "protocolVersion": "x",
            "serverInfo": {"name": "x", "title": "x", "version": "x", "icons": [{"src": "x"}]},
            "instructions": "x",
            "capabilities": {"experimental": {"x": {"a": "x"}}},
        },
    },
    "tools": {
        "id": 1,
        "result": {
            "tools": [
                {
                    "name": "x",
                    "title": "x",
                    "description": "x",
                    "inputSchema": {"properties": {"x": {"description": "x", "default": "x", "enum": ["x"]}}},
                    "outputSchema": {"title": "x"},
                    "annotations": {"title": "x"},
                    "_meta": {"a": "x"},
                }
            ],
            "nextCursor": "x",
        },
    },
    "resources": {
        "id": 1,
        "result": {"resources": [{"uri": "x", "name": "x", "title": "x", "description": "x"}], "nextCursor": "x"},
    },
    "templates": {"id": 1, "result": {"resourceTemplates": [{"uriTemplate": "x", "name": "x", "description": "x"}]}},
    "contents": {
        "id": 1,
        "result": {"contents": [{"uri": "x", "text": "x", "mimeType": "x"}, {"uri": "x", "blob": "x"}]},
    },
    "prompts": {
        "id": 1,
        "result": {"prompts": [{"name": "x", "description": "x", "arguments": [{"name": "x", "description": "x"}]}]},
    },
    "a prompt": {
        "id": 1,
        "result": {
            "description": "x",
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "x"}},
                {"role": "x", "content": {"type": "resource", "resource": {"uri": "x", "text": "x"}}},
            ],
        },
    },
    "completion": {"id": 1, "result": {"completion": {"values": ["x"]}}},
    "task": {"id": 1, "result": {"task": {"taskId": "x", "status": "x", "statusMessage": "x"}}},
    "log": {"method": "notifications/message", "params": {"level": "info", "logger": "x", "data": {"a": ["x"]}}},
    "log of a string": {"method": "notifications/message", "params": {"level": "x", "data": "x"}},
    "progress": {
        "method": "notifications/progress",
        "params": {"progressToken": "x", "progress": 1, "message": "x", "_meta": {"x": "x"}},
    },
    "cancelled": {"method": "notifications/cancelled", "params": {"requestId": "x", "reason": "x"}},
    "updated": {"method": "notifications/resources/updated", "params": {"uri": "x"}},
    "another notification": {"method": "x", "params": ["x"]},
    "sampling": {
        "id": "x",
        "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
            "systemPrompt": "x",
            "tools": [{"name": "x", "description": "x"}],
            "modelPreferences": {"hints": [{"name": "x"}]},
            "metadata": {"a": "x"},
            "stopSequences": ["x"],
        },
    },
    "elicitation": {
        "id": 5,
        "method": "elicitation/create",
        "params": {"message": "x", "elicitationId": "x", "url": "x", "requestedSchema": {"properties": {"a": {}}}},
    },
    "roots": {"id": "x", "method": "roots/list", "params": {"_meta": {"progressToken": "x"}}},
    "strange": {"jsonrpc": "x", "id": ["x"], "result": None, "x": "x"},
}
METHODS = {
    "tools": "tools/list",
    "resources": "resources/list",
    "contents": "resources/read",
    "a tool's result": "tools/call",
}


def spots(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], bool]]:
    """The places of a value that say `x`: its strings, and its keys."""
    if value == "x":
        yield path, False
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "x":
                yield (*path, key), True
            yield from spots(item, (*path, key))
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield from spots(item, (*path, at))


def planted(value: object, path: tuple[object, ...], words: str, *, as_key: bool) -> object:
    """A value with other words in one place."""
    if not path:
        return words
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        name = words if as_key and not rest else step
        return {
            name if key == step else key: (item if as_key and not rest else planted(item, rest, words, as_key=as_key))
            if key == step
            else item
            for key, item in value.items()
        }
    assert isinstance(value, list)
    return [planted(item, rest, words, as_key=as_key) if at == step else item for at, item in enumerate(value)]


SPOTS = [(name, path, as_key) for name, message in MESSAGES.items() for path, as_key in spots(message)]
WORDS = {
    "alone": SECRET,
    "in a line": f"the key\nis {SECRET}\n",
    "in an address": ADDRESS,
    "in JSON": json.dumps({"api_key": SECRET}),
}


@pytest.mark.parametrize("words", list(WORDS.values()), ids=list(WORDS))
def test_a_secret_in_any_place_of_any_message_never_reaches_the_client(words: str) -> None:
    shown = []
    for name, path, as_key in SPOTS:
        link = Link()
        link.ask(METHODS.get(name, "other"), {"name": "t"})
        message = planted({"jsonrpc": "2.0", **MESSAGES[name]}, path, words, as_key=as_key)
        link.hear(message)
        if SECRET in link.to_client[-1].decode():
            shown.append((name, path))
    assert shown == []


def test_a_secret_is_found_by_the_name_beside_it_in_any_message() -> None:
    link = Link()
    for message in (
        {"id": 1, "error": {"code": 1, "message": "no", "data": {"password": "Zk8fQ2mT9xLp"}}},
        {"id": 1, "result": {"_meta": {"password": "Zk8fQ2mT9xLp"}}},
        {"method": "notifications/message", "params": {"data": {"password": "Zk8fQ2mT9xLp"}}},
        {"id": 1, "result": {"contents": [{"uri": "a://b", "text": 'a: 1\npassword: "Zk8fQ2mT9xLp"\n'}]}},
    ):
        assert "Zk8fQ2mT9xLp" not in json.dumps(link.hear({"jsonrpc": "2.0", **message}))


@pytest.mark.parametrize(
    "words",
    [
        "password: |\n  Zk8fQ2mT9xLp\nnext: 1\n",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  user: Zk8fQ2mT9xLp\n",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: x\n\n" + "lQOYBFZk8fQ2mT9xLpABCADHQzpZk8fQ2mT9xLp\n" * 9,
    ],
    ids=["block scalar", "manifest", "key"],
)
def test_lines_of_a_string_are_read_as_lines(words: str) -> None:
    shown = Link().hear({"jsonrpc": "2.0", "id": 1, "result": {"contents": [{"uri": "a://b", "text": words}]}})
    assert "Zk8fQ2mT9xLp" not in json.dumps(shown)


def test_escapes_and_a_name_that_comes_twice_hide_nothing() -> None:
    link = Link()
    escaped = "".join(f"\\u{ord(char):04x}" for char in SECRET)
    for frame in (
        f'{{"jsonrpc":"2.0","id":1,"result":{{"a":"{escaped}"}}}}',
        f'{{"jsonrpc":"2.0","id":1,"result":{{"a":"{SECRET}","a":"x"}}}}',
        f'{{"jsonrpc":"2.0","id":1,"result":{{"a":"{escaped}","a":"x"}}}}',
    ):
        link.proxy.from_server(frame.encode())
        assert SECRET not in json.dumps(json.loads(link.to_client[-1]))
        assert escaped not in link.to_client[-1].decode()


def test_a_resource_is_read_by_the_address_that_was_shown() -> None:
    """Two addresses stay two, and each is always shown as the same."""
    link = Link()
    addresses = [ADDRESS, ADDRESS.replace(SECRET, OTHER), "notes://plain"]
    link.ask("resources/list")
    shown = [
        entry["uri"]
        for entry in link.answer({"resources": [{"uri": uri, "name": "n"} for uri in addresses]})["resources"]
    ]
    assert len(set(shown)) == 3
    assert SECRET not in shown[0]
    assert shown[2] == "notes://plain"
    assert "[" not in "".join(shown)  # an address may not hold brackets
    for uri, real in zip(shown, addresses, strict=True):
        assert link.ask("resources/read", {"uri": uri})["params"]["uri"] == real
        assert link.answer({"contents": [{"uri": real, "text": "hello"}]})["contents"][0]["uri"] == uri
        updated = link.hear({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": real}})
        assert updated["params"]["uri"] == uri
        asked = link.ask("completion/complete", {"ref": {"type": "ref/resource", "uri": uri}})
        assert asked["params"]["ref"]["uri"] == real


def test_a_tool_is_called_by_the_name_that_was_shown() -> None:
    link = Link()
    link.ask("tools/list")
    tools = link.answer(
        {"tools": [{"name": f"call_{SECRET}", "inputSchema": {}}, {"name": "plain", "inputSchema": {}}]}
    )
    name = tools["tools"][0]["name"]
    assert SECRET not in name
    assert name.replace("_", "").replace("-", "").isalnum()
    assert link.ask("tools/call", {"name": name, "arguments": {"name": name}})["params"] == {
        "name": f"call_{SECRET}",
        "arguments": {"name": name},  # what a model says is nobody's address
    }


def test_cursors_states_and_ids_come_back_to_the_server_as_they_were() -> None:
    link = Link()
    link.ask("resources/list")
    cursor = link.answer({"resources": [], "nextCursor": SECRET})["nextCursor"]
    assert link.ask("resources/list", {"cursor": cursor})["params"]["cursor"] == SECRET
    state = {"resultType": "input_required", "requestState": SECRET, "inputRequests": {OTHER: {"method": "roots/list"}}}
    needed = link.answer(state)
    responses: Json = {key: {"roots": []} for key in needed["inputRequests"]}
    again = link.ask("tools/call", {"name": "t", "requestState": needed["requestState"], "inputResponses": responses})
    assert again["params"]["requestState"] == SECRET
    assert list(again["params"]["inputResponses"]) == [OTHER]
    asked = link.hear({"jsonrpc": "2.0", "id": SECRET, "method": "roots/list"})
    assert SECRET not in asked["id"]
    link.proxy.from_client(encode_message({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}}))
    assert json.loads(link.to_server[-1])["id"] == SECRET


def test_what_the_client_made_itself_comes_back_to_it_as_it_was() -> None:
    link = Link()
    link.ask("tools/call", {"name": "t", "_meta": {"progressToken": "token-" + SECRET}}, identity=SECRET)
    progress = {"method": "notifications/progress", "params": {"progressToken": "token-" + SECRET, "progress": 1}}
    assert link.hear({"jsonrpc": "2.0", **progress})["params"]["progressToken"] == "token-" + SECRET
    assert link.hear({"jsonrpc": "2.0", "id": SECRET, "result": {}})["id"] == SECRET


@pytest.mark.parametrize("token", ["abcdef123456", 7, "0f8fad5b-d9cb-469f-a165-70867728950e"])
def test_the_name_of_a_progress_token_makes_no_secret_of_it(token: object) -> None:
    params = {"progressToken": token, "progress": 1}
    assert Link().hear({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})["params"] == params


def test_pictures_stay_exact_and_what_only_looks_like_one_does_not() -> None:
    picture = base64.b64encode(b"\x89PNG\xff" + bytes(range(256)) * 400).decode()
    text = base64.b64encode(f"API_KEY={SECRET}\n".encode()).decode()
    blocks = [
        {"type": "image", "data": picture, "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "a://b", "blob": text, "mimeType": "text/plain"}},
        {"type": "image", "data": SECRET, "mimeType": "image/png"},
        {"type": "image", "data": SECRET},
    ]
    link = Link()
    link.ask("tools/call", {"name": "t"})
    first, second, third, fourth = link.answer({"content": blocks})["content"]
    assert first == blocks[0]
    assert base64.b64decode(second["resource"]["blob"]).decode().startswith("API_KEY=[REDACTED")
    assert SECRET not in third["data"]  # it could be base64, too
    assert SECRET not in fourth["data"]


GIVING_UP: list[Callable[[str], Json]] = [
    lambda words: {"content": [], "structuredContent": {"log": words, "count": 3, "name": "fine"}},
    lambda words: {"content": [{"type": "text", "text": "fine"}], "structuredContent": {"rows": [{"log": words}, "a"]}},
    lambda words: {"content": words, "name": "fine"},
    lambda words: {"contents": [{"uri": "a://b", "text": words}], "name": "fine"},
    lambda words: {"_meta": {"a": words}, "name": "fine"},
    lambda words: {"messages": [{"role": "user", "content": {"type": "text", "text": words}}], "name": "fine"},
]


@pytest.mark.parametrize("made", GIVING_UP)
def test_a_result_that_cannot_be_examined_is_answered_and_so_is_the_next_one(made: Callable[[str], Json]) -> None:
    link = Link()
    link.ask("tools/call", {"name": "t"})
    shown = json.dumps(link.answer(made(ENDLESS + SECRET)))
    assert SECRET not in shown
    assert "fine" in shown
    link.ask("tools/call", {"name": "t"}, 2)
    assert link.answer({"content": [{"type": "text", "text": "next"}]}, 2)["content"][0]["text"] == "next"


def test_giving_up_hides_whole_strings_and_keeps_the_others() -> None:
    value = {"log": ENDLESS, "n": 1, "rows": ["a", {"password": "Zk8fQ2mT9xLp", "ok": True}], SECRET: [ENDLESS, "b"]}
    shown = redacted_value(SPILL.workspace.redactor, value)
    assert isinstance(shown, dict)
    assert (shown["log"], shown["n"]) == (HIDDEN, 1)
    assert shown["rows"][0] == "a"
    assert shown["rows"][1]["ok"] is True
    assert "Zk8fQ2mT9xLp" not in json.dumps(shown)
    assert SECRET not in json.dumps(shown)
    assert list(shown.values())[3] == [HIDDEN, "b"]


def test_a_structured_half_that_cannot_be_examined_is_no_exception_for_frameworks_either() -> None:
    limited = limited_result(SPILL, {"content": [], "structuredContent": {"log": ENDLESS + SECRET}}, CallInfo("t"))
    assert limited is not None
    assert SECRET not in json.dumps(limited)


@pytest.mark.parametrize(
    "frame",
    [
        b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"jsonrpc":"2.0","id":1,"result":{"content":' + b"[" * 700 + b"]" * 700 + b"}}",
        b'{"jsonrpc":"2.0","id":1,"result":' + b"9" * 5_000 + b"}",
        b'{"jsonrpc":"2.0","id":1,"result":{"a":"\xff\xfe"}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"a":"b}',
        b'{"jsonrpc":"2.0","id":1,"result":{"a":NaN,"b":1e999}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}',
        b'[{"jsonrpc":"2.0","id":1,"result":{}}]',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
    ids=[
        "deep",
        "half deep",
        "long number",
        "no UTF-8",
        "cut",
        "no number",
        "half a character",
        "batch",
        "byte order mark",
    ],
)
def test_a_frame_that_is_hard_to_read_is_an_answer_all_the_same(frame: bytes) -> None:
    link = Link()
    link.ask("tools/call", {"name": "t"})
    link.proxy.from_server(frame)
    assert len(link.to_client) == 1
    answer = json.loads(link.to_client[0])
    assert (answer[0] if isinstance(answer, list) else answer)["id"] == 1
    link.proxy.server_is_gone("is gone")
    assert len(link.to_client) == 1


# It is looked at piece by piece, and has more levels than that has.
DEEP = b"[" * 800 + encode_message(ENDLESS + SECRET) + b"]" * 800


def test_who_waits_for_what_cannot_be_handled_is_told_whoever_it_is() -> None:
    link = Link()
    link.ask("tools/call", {"name": "t"})
    link.proxy.from_server(b'{"jsonrpc":"2.0","id":1,"result":' + DEEP + b"}")
    assert "cannot be handled" in json.loads(link.to_client[-1])["error"]["message"]
    link.proxy.from_server(b'{"jsonrpc":"2.0","id":8,"method":"roots/list","params":' + DEEP + b"}")
    told = json.loads(link.to_server[-1])
    assert (told["id"], told["error"]["code"]) == (8, -32603)
    link.proxy.from_server(b'{"jsonrpc":"2.0","method":"notifications/message","params":' + DEEP + b"}")
    assert len(link.to_client) == 1
    assert len(link.said) == 3
    assert SECRET not in "".join(link.said)


def test_a_message_of_which_too_little_is_left_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overspill.mcp.redaction.MOST_PIECES", 1)
    link = Link()
    link.ask("x")
    message = link.hear({"jsonrpc": "2.0", "id": 1, "result": {"a": {"b": ENDLESS}}})
    assert message["id"] == 1
    assert "error" in message


def test_a_batch_of_the_client_s_is_looked_at_message_by_message() -> None:
    link = Link()
    link.ask("resources/list")
    uri = link.answer({"resources": [{"uri": ADDRESS, "name": "n"}]})["resources"][0]["uri"]
    parts = [{"jsonrpc": "2.0", "id": n, "method": "resources/read", "params": {"uri": uri}} for n in (1, 2)]
    link.proxy.from_client(encode_message(parts))
    assert [json.loads(frame)["params"]["uri"] for frame in link.to_server[-2:]] == [ADDRESS] * 2
    link.proxy.server_is_gone("is gone")
    assert [json.loads(frame)["id"] for frame in link.to_client[-2:]] == [1, 2]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([SECRET, f"a\n{SECRET}", ADDRESS, "password", "x" * 50, "[REDACTED: A]", 'a"b\\']),
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["uri", "name", "content", "tools", "data", "mimeType", "_meta", "password", "text", SECRET]
            )
            | st.text(max_size=5),
            inside,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(
    st.lists(st.tuples(st.sampled_from(["tools/call", "tools/list", "resources/read", "x"]), json_values), max_size=6)
)
def test_every_request_gets_exactly_one_answer_without_the_secret(calls: list[tuple[str, object]]) -> None:
    link = Link()
    for number, (method, result) in enumerate(calls):
        identity = number if number % 2 else f"call-{number}"
        link.ask(method, {"name": "t"}, identity)
        body = {"error": result} if number % 3 == 2 else {"result": result}
        link.proxy.from_server(encode_message({"method": "notifications/message", "params": result}))
        link.proxy.from_server(encode_message({"jsonrpc": "2.0", "id": identity, **body}))
    heard = [json.loads(frame) for frame in link.to_client]
    answers = [message["id"] for message in heard if "method" not in message]
    assert answers == [number if number % 2 else f"call-{number}" for number in range(len(calls))]
    assert SECRET not in json.dumps(heard)


@given(json_values)
def test_a_value_without_secrets_stays_the_same_object_and_one_with_some_stays_json(value: object) -> None:
    redactor = SPILL.workspace.redactor
    shown = redacted_value(redactor, value)
    if shown is not value:
        assert SECRET not in json.dumps(shown)
        json.loads(encode_message(shown))
    assert redacted_value(redactor, shown) == shown or shown != shown  # noqa: PLR0124  # NaN


SERVER = """
import json, sys
def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n"); sys.stdout.flush()
secret = sys.argv[1]
for line in sys.stdin:
    message = json.loads(line)
    name = message.get("params", {}).get("name")
    if "id" not in message:
        continue
    if name == "endless":
        half = {"log": sys.argv[2] * 80_000 + secret}
        say({"id": message["id"], "result": {"content": [], "structuredContent": half}})
    elif name == "error":
        say({"method": "notifications/message", "params": {"level": "info", "data": "key " + secret}})
        say({"id": message["id"], "error": {"code": 1, "message": "no such key: " + secret}})
    elif message["method"] == "resources/list":
        say({"id": message["id"], "result": {"resources": [{"uri": "x://h?key=" + secret, "name": "n"}]}})
    elif message["method"] == "resources/read":
        right = message["params"]["uri"] == "x://h?key=" + secret
        say({"id": message["id"], "result": {"contents": [{"uri": message["params"]["uri"], "text": str(right)}]}})
    else:
        say({"id": message["id"], "result": {"content": [{"type": "text", "text": "fine"}]}})
"""


def test_a_server_s_process_can_neither_show_a_secret_nor_end_the_proxy(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    command = [sys.executable, "-m", "overspill", "mcp", "proxy", "--root", str(tmp_path), "--"]
    proxy = subprocess.Popen(
        [*command, sys.executable, str(script), SECRET, UNIT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    said = []

    def ask(identity: int, method: str, params: Json) -> Json:
        assert proxy.stdin is not None
        assert proxy.stdout is not None
        proxy.stdin.write(json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}) + "\n")
        proxy.stdin.flush()
        while True:
            said.append(proxy.stdout.readline())
            message: Json = json.loads(said[-1])
            if "method" not in message:
                assert message["id"] == identity
                return message

    assert HIDDEN in json.dumps(ask(1, "tools/call", {"name": "endless"}))
    assert ask(2, "tools/call", {"name": "fine"})["result"]["content"][0]["text"] == "fine"
    assert ask(3, "tools/call", {"name": "error"})["error"]["code"] == 1
    uri = ask(4, "resources/list", {})["result"]["resources"][0]["uri"]
    assert ask(5, "resources/read", {"uri": uri})["result"]["contents"][0] == {"uri": uri, "text": "True"}
    errors = proxy.communicate(timeout=60)[1]
    assert "Traceback" not in errors
    assert SECRET not in "".join(said) + errors
