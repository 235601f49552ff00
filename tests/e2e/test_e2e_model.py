"""The scripted model of `make e2e` speaks the protocols of agents, so that what they do with it means something."""

import json
import re
from http.client import HTTPConnection
from typing import Any
from urllib.request import Request, urlopen

import pytest

from e2e.model import Call, Model, Step
from e2e.protocols import Asked

Json = dict[str, Any]
MESSAGES = "/v1/messages"
RESPONSES = "/v1/responses"
CHAT = "/v1/chat/completions"
GEMINI = "/v1beta/models/scripted:generateContent"
GEMINI_STREAM = "/v1beta/models/scripted:streamGenerateContent?alt=sse"
PATHS = (MESSAGES, RESPONSES, CHAT, GEMINI, GEMINI_STREAM)

every_protocol = pytest.mark.parametrize("path", PATHS)


def posted(url: str, body: Json) -> str:
    """What the server says to a request."""
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # loopback
    with urlopen(request, timeout=60) as answer:  # loopback
        said: bytes = answer.read()
    return said.decode()


def streamed(text: str) -> list[Json]:
    """The events of a stream, each beginning with its name where it has one."""
    events = []
    for frame in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in frame.split("\n"))
        if lines["data"] != "[DONE]":
            event = json.loads(lines["data"])
            assert lines.get("event", event.get("type")) == event.get("type")
            events.append(event)
    return events


def conversation(path: str, command: str | None = None, result: str | None = None) -> Json:
    """A request as agents send it: at first, or after one call of `bash` and what it said."""
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    if path == MESSAGES:
        messages: list[Json] = [{"role": "user", "content": "go"}]
        if command is not None:
            use = {"type": "tool_use", "id": "1", "name": "bash", "input": {"command": command}}
            said = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": result}]}
            messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [said]}]
        return {"model": "m", "messages": messages, "tools": [{"name": "bash", "input_schema": schema}]}
    if path == RESPONSES:
        items: list[Json] = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}]
        if command is not None:
            arguments = json.dumps({"command": command})
            items.append({"type": "function_call", "call_id": "1", "name": "bash", "arguments": arguments})
            items.append({"type": "function_call_output", "call_id": "1", "output": result})
        return {"model": "m", "input": items, "tools": [{"type": "function", "name": "bash", "parameters": schema}]}
    if path == CHAT:
        messages = [{"role": "user", "content": "go"}]
        if command is not None:
            function = {"name": "bash", "arguments": json.dumps({"command": command})}
            messages.append(
                {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": function}]}
            )
            messages.append({"role": "tool", "tool_call_id": "1", "content": result})
        offered = {"type": "function", "function": {"name": "bash", "parameters": schema}}
        return {"model": "m", "messages": messages, "tools": [offered]}
    contents: list[Json] = [{"role": "user", "parts": [{"text": "go"}]}]
    if command is not None:
        call = {"functionCall": {"name": "bash", "args": {"command": command}}}
        back = {"functionResponse": {"name": "bash", "response": {"output": result}}}
        contents += [{"role": "model", "parts": [call]}, {"role": "user", "parts": [back]}]
    return {"contents": contents, "tools": [{"functionDeclarations": [{"name": "bash", "parameters": schema}]}]}


def said(path: str, text: str) -> tuple[str, Json] | str:
    """The call or the text in an answer, read the way clients read it."""
    if path.startswith("/v1beta"):
        (answer,) = streamed(text) if path == GEMINI_STREAM else [json.loads(text)]
        (part,) = answer["candidates"][0]["content"]["parts"]
        return part["text"] if "text" in part else (part["functionCall"]["name"], part["functionCall"]["args"])
    answer = json.loads(text)
    if path == MESSAGES:
        (block,) = answer["content"]
        return block["text"] if block["type"] == "text" else (block["name"], block["input"])
    if path == RESPONSES:
        (item,) = answer["output"]
        return item["content"][0]["text"] if "content" in item else (item["name"], json.loads(item["arguments"]))
    message = answer["choices"][0]["message"]
    if message["content"] is not None:
        return str(message["content"])
    function = message["tool_calls"][0]["function"]
    return function["name"], json.loads(function["arguments"])


@every_protocol
def test_a_step_is_a_call_and_the_last_one_a_text(path: str) -> None:
    with Model([Call("bash", {"command": "ls"}), "all is well"]) as model:
        first = posted(model.url + path, conversation(path))
        second = posted(model.url + path, conversation(path, "ls", "a.txt"))
        third = posted(model.url + path, conversation(path, "ls", "a.txt"))
    assert said(path, first) == ("bash", {"command": "ls"})
    assert said(path, second) == said(path, third) == "all is well"
    assert model.results == ["a.txt"]


@every_protocol
@pytest.mark.parametrize("streaming", [False, True])
def test_calls_of_one_step_are_asked_for_at_once(path: str, streaming: bool) -> None:
    calls = [Call("bash", {"command": "ls"}), Call("bash", {"command": "pwd"})]
    with Model([calls, "all is well"]) as model:
        body = conversation(path) | ({"stream": True} if streaming else {})
        answer = posted(model.url + path, body)
        assert said(path, posted(model.url + path, conversation(path, "ls", "a.txt"))) == "all is well"
        assert answer.count("bash") >= 2
    for word in ("ls", "pwd"):
        assert word in answer
    assert len(set(re.findall(r"(?:toolu|call)_\d+_\d+", answer))) == 2, "each call has an id of its own"


@every_protocol
def test_a_conversation_that_begins_with_a_word_has_its_own_script(path: str) -> None:
    with Model(["for everybody"], others={"go": [Call("bash", {"command": "ls"}), "for them"]}) as model:
        assert said(path, posted(model.url + path, conversation(path))) == ("bash", {"command": "ls"})
        assert said(path, posted(model.url + path, conversation(path, "ls", "a.txt"))) == "for them"
        assert (model.results, model.results_of("go")) == ([], ["a.txt"])
    with Model(["first", "for everybody"], others={"ls": ["never"]}) as model:
        assert said(path, posted(model.url + path, conversation(path, "ls", "a.txt"))) == "for everybody"


@every_protocol
def test_a_step_may_look_at_what_was_seen(path: str) -> None:
    def after(asked: Asked) -> Call:
        return Call("bash", {"command": "cat " + asked.results[-1]})

    script: list[Step] = [Call("bash", {"command": "ls"}), after]
    with Model(script) as model:
        answer = posted(model.url + path, conversation(path, "ls", "b.txt"))
    assert said(path, answer) == ("bash", {"command": "cat b.txt"})


@every_protocol
def test_a_step_that_fails_ends_the_conversation_and_is_told(path: str) -> None:
    def lost(asked: Asked) -> Call:
        raise ValueError("nothing to fetch")

    with Model([lost]) as model:
        answer = said(path, posted(model.url + path, conversation(path)))
    assert isinstance(answer, str)
    assert model.failures == ["step 1: ValueError: nothing to fetch"]


@every_protocol
def test_everything_that_was_sent_is_kept(path: str) -> None:
    with Model([]) as model:
        posted(model.url + path, conversation(path, 'echo "hi"', 'a "secret" value'))
        posted(model.url + "/v1/telemetry", {"note": "elsewhere"})
    assert model.saw('a "secret" value')
    assert model.saw("elsewhere")
    assert not model.saw("never sent")


def test_a_body_that_comes_in_chunks_is_kept_whole() -> None:
    with Model(["done"]) as model:
        connection = HTTPConnection(model.url.removeprefix("http://"), timeout=60)
        body = json.dumps(conversation(CHAT, "ls", "in pieces")).encode()
        pieces = (body[at : at + 7] for at in range(0, len(body), 7))
        connection.request("POST", CHAT, pieces, {"Transfer-Encoding": "chunked"}, encode_chunked=True)
        assert said(CHAT, connection.getresponse().read().decode()) == "That is all."
        connection.close()
    assert model.results == ["in pieces"]


def test_messages_are_streamed_as_events() -> None:
    with Model([Call("bash", {"command": "ls"}), "done"]) as model:
        call = streamed(posted(model.url + MESSAGES, {**conversation(MESSAGES), "stream": True}))
        text = streamed(posted(model.url + MESSAGES, {**conversation(MESSAGES, "ls", "a"), "stream": True}))
    names = ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"]
    assert [event["type"] for event in call] == [event["type"] for event in text] == [*names, "message_stop"]
    assert call[1]["content_block"]["name"] == "bash"
    assert json.loads(call[2]["delta"]["partial_json"]) == {"command": "ls"}
    assert (call[4]["delta"]["stop_reason"], text[4]["delta"]["stop_reason"]) == ("tool_use", "end_turn")
    assert text[2]["delta"]["text"] == "done"


def test_responses_are_streamed_as_events() -> None:
    with Model([Call("bash", {"command": "ls"}), "done"]) as model:
        call = streamed(posted(model.url + RESPONSES, {**conversation(RESPONSES), "stream": True}))
        text = streamed(posted(model.url + RESPONSES, {**conversation(RESPONSES, "ls", "a"), "stream": True}))
    assert (call[0]["type"], call[-1]["type"]) == ("response.created", "response.completed")
    assert call[-1]["response"]["output"][0]["name"] == "bash"
    (ended,) = [event["item"] for event in call if event["type"] == "response.output_item.done"]
    assert json.loads(ended["arguments"]) == {"command": "ls"}
    assert [event["delta"] for event in text if event["type"] == "response.output_text.delta"] == ["done"]


def test_chat_completions_are_streamed_as_chunks() -> None:
    with Model([Call("bash", {"command": "ls"}), "done"]) as model:
        raw = posted(model.url + CHAT, {**conversation(CHAT), "stream": True})
        text = streamed(posted(model.url + CHAT, {**conversation(CHAT, "ls", "a"), "stream": True}))
    assert raw.endswith("data: [DONE]\n\n")
    first, last = streamed(raw)
    assert json.loads(first["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"]) == {"command": "ls"}
    assert last["choices"][0]["finish_reason"] == "tool_calls"
    assert text[0]["choices"][0]["delta"]["content"] == "done"


def test_gemini_without_events_is_a_list() -> None:
    path = GEMINI_STREAM.removesuffix("?alt=sse")
    with Model(["done"]) as model:
        (answer,) = json.loads(posted(model.url + path, conversation(GEMINI)))
    assert answer["candidates"][0]["content"]["parts"] == [{"text": "done"}]


def test_a_tool_is_called_by_the_name_under_which_it_is_offered() -> None:
    spaced = {"type": "namespace", "name": "mcp__ours", "tools": [{"type": "function", "name": "get_artifact"}]}
    with Model([Call("get_artifact", {})]) as model:
        named = posted(model.url + MESSAGES, {**conversation(MESSAGES), "tools": [{"name": "mcp__ours__get_artifact"}]})
        item = json.loads(posted(model.url + RESPONSES, {**conversation(RESPONSES), "tools": [spaced]}))["output"][0]
    assert said(MESSAGES, named) == ("mcp__ours__get_artifact", {})
    assert (item["namespace"], item["name"]) == ("mcp__ours", "get_artifact")


@every_protocol
def test_side_errands_get_an_answer_and_take_no_step(path: str) -> None:
    with Model([Call("bash", {"command": "ls"})]) as model:
        bare = {key: value for key, value in conversation(path).items() if key != "tools"}
        assert isinstance(said(path, posted(model.url + path, bare)), str)
        assert said(path, posted(model.url + path, conversation(path))) == ("bash", {"command": "ls"})


def test_counts_and_lists_of_models_are_answered() -> None:
    with Model([]) as model:
        assert json.loads(posted(model.url + MESSAGES + "/count_tokens", {}))["input_tokens"] > 0
        with urlopen(model.url + "/v1/models", timeout=60) as answer:  # loopback
            assert json.load(answer)["data"][0]["id"] == "scripted"
