"""No secret of a server reaches the client, in whatever message it stands."""

import base64
import json
from collections.abc import Iterator

import pytest

from overspill.mcp import encode_message
from proxy_link import ADDRESS, OTHER, SECRET, Json, Link

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
