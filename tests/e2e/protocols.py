"""The four ways in which agents speak to models: what a request holds, and what an answer looks like.

A protocol reads the same things out of every request (`Asked`: what is offered, what was called, what came back)
and writes the same things into every answer (a call of a tool, or a text), whole or as a stream of events.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]
Event = tuple[str, Json]
NAME = "scripted"  # the model's own name, in every answer


class Call(NamedTuple):
    """A call of a tool. The name may be the end of the name under which the agent offers it."""

    tool: str
    arguments: Json


class Asked(NamedTuple):
    """What a request of an agent says, whichever protocol it came by."""

    protocol: str
    path: str
    body: Json
    tools: list[tuple[str, str]]  # as offered: (namespace, name)
    calls: list[Call]  # as the agent repeats what the model said
    results: list[str]  # what came back, as the model reads it

    @property
    def text(self) -> str:
        """The whole body, as one text."""
        return json.dumps(self.body, ensure_ascii=False)


class Protocol(NamedTuple):
    """How to read a request and how to write an answer."""

    name: str
    read: Callable[[str, Json], Asked]
    whole: Callable[[Json, Call | str, str, int], Json]
    events: Callable[[Json, Call | str, str, int], Iterator[Event]]


def plain(content: object) -> str:
    """The text of what a tool said: a string, or blocks of which the texts are joined, the rest as JSON.

    >>> plain([{"type": "text", "text": "a"}, {"type": "image", "data": "..."}])
    'a\\n{"type": "image", "data": "..."}'
    """
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            block["text"] if isinstance(block, dict) and isinstance(block.get("text"), str) else plain(block)
            for block in content
        )
    return json.dumps(content, ensure_ascii=False)


def arguments_of(text: object) -> Json:
    """Arguments as they come back, which may be text that is not JSON."""
    try:
        read = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return {"text": text}
    return read if isinstance(read, dict) else {"text": text}


# -- Anthropic Messages ------------------------------------------------------------------------------------------------


def messages_read(path: str, body: Json) -> Asked:
    blocks = [
        block
        for message in body.get("messages", [])
        if isinstance(message.get("content"), list)
        for block in message["content"]
    ]
    return Asked(
        "messages",
        path,
        body,
        [("", tool["name"]) for tool in body.get("tools", []) if "name" in tool],
        [Call(block["name"], block["input"]) for block in blocks if block.get("type") == "tool_use"],
        [plain(block.get("content", "")) for block in blocks if block.get("type") == "tool_result"],
    )


def messages_block(said: Call | str, namespace: str, turn: int) -> Json:
    if isinstance(said, str):
        return {"type": "text", "text": said}
    return {"type": "tool_use", "id": f"toolu_{turn:04}", "name": namespace + said.tool, "input": said.arguments}


def messages_whole(body: Json, said: Call | str, namespace: str, turn: int) -> Json:
    return {
        "id": f"msg_{turn:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", NAME),
        "content": [messages_block(said, namespace, turn)],
        "stop_reason": "end_turn" if isinstance(said, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def messages_events(body: Json, said: Call | str, namespace: str, turn: int) -> Iterator[Event]:
    whole = messages_whole(body, said, namespace, turn)
    (block,) = whole["content"]
    begun = {**whole, "content": [], "stop_reason": None}
    delta: Json
    if isinstance(said, str):
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": said}
    else:
        empty, delta = (
            {**block, "input": {}},
            {"type": "input_json_delta", "partial_json": json.dumps(said.arguments)},
        )
    events: list[Json] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
            "usage": whole["usage"],
        },
        {"type": "message_stop"},
    ]
    for event in events:
        yield event["type"], event


# -- OpenAI Responses --------------------------------------------------------------------------------------------------


def responses_read(path: str, body: Json) -> Asked:
    items = body.get("input", [])
    items = items if isinstance(items, list) else []
    tools = []
    for tool in body.get("tools", []):
        if tool.get("type") == "namespace":
            tools += [(tool["name"], inner["name"]) for inner in tool.get("tools", [])]
        elif "name" in tool:
            tools.append(("", tool["name"]))
    return Asked(
        "responses",
        path,
        body,
        tools,
        [
            Call(item.get("name", ""), arguments_of(item.get("arguments", item.get("input"))))
            for item in items
            if item.get("type") in {"function_call", "custom_tool_call"}
        ],
        [
            plain(item.get("output", ""))
            for item in items
            if item.get("type") in {"function_call_output", "custom_tool_call_output"}
        ],
    )


def responses_item(said: Call | str, namespace: str, turn: int) -> Json:
    if isinstance(said, str):
        content = [{"type": "output_text", "text": said, "annotations": []}]
        return {
            "type": "message",
            "id": f"msg_{turn:04}",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    item = {
        "type": "function_call",
        "id": f"fc_{turn:04}",
        "call_id": f"call_{turn:04}",
        "name": said.tool,
        "arguments": json.dumps(said.arguments),
        "status": "completed",
    }
    return {**item, "namespace": namespace} if namespace else item


def responses_whole(body: Json, said: Call | str, namespace: str, turn: int) -> Json:
    return {
        "id": f"resp_{turn:04}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": body.get("model", NAME),
        "output": [responses_item(said, namespace, turn)],
        "usage": {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 20,
        },
    }


def responses_events(body: Json, said: Call | str, namespace: str, turn: int) -> Iterator[Event]:
    whole = responses_whole(body, said, namespace, turn)
    (item,) = whole["output"]
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    place = {"output_index": 0, "item_id": item["id"]}
    events: list[Json] = [{"type": "response.created", "response": begun}]
    if isinstance(said, str):
        empty = {**item, "status": "in_progress", "content": []}
        events += [
            {"type": "response.output_item.added", "output_index": 0, "item": empty},
            {"type": "response.output_text.delta", **place, "content_index": 0, "delta": said},
            {"type": "response.output_text.done", **place, "content_index": 0, "text": said},
        ]
    else:
        events += [
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {**item, "status": "in_progress", "arguments": ""},
            },
            {"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]},
            {"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"]},
        ]
    events += [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    for number, event in enumerate(events):
        yield event["type"], {**event, "sequence_number": number}


# -- OpenAI Chat Completions -------------------------------------------------------------------------------------------


def chat_read(path: str, body: Json) -> Asked:
    messages = body.get("messages", [])
    return Asked(
        "chat",
        path,
        body,
        [("", tool["function"]["name"]) for tool in body.get("tools", []) if "function" in tool],
        [
            Call(call["function"]["name"], arguments_of(call["function"]["arguments"]))
            for message in messages
            for call in message.get("tool_calls") or []
        ],
        [plain(message.get("content", "")) for message in messages if message.get("role") == "tool"],
    )


def chat_message(said: Call | str, namespace: str, turn: int) -> Json:
    if isinstance(said, str):
        return {"role": "assistant", "content": said}
    function = {"name": namespace + said.tool, "arguments": json.dumps(said.arguments)}
    call = {"index": 0, "id": f"call_{turn:04}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def chat_frame(body: Json, kind: str, choice: Json, turn: int) -> Json:
    return {
        "id": f"chatcmpl-{turn:04}",
        "object": kind,
        "created": 0,
        "model": body.get("model", NAME),
        "choices": [{"index": 0, **choice}],
    }


def chat_end(said: Call | str) -> str:
    return "stop" if isinstance(said, str) else "tool_calls"


USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


def chat_whole(body: Json, said: Call | str, namespace: str, turn: int) -> Json:
    choice = {"message": chat_message(said, namespace, turn), "finish_reason": chat_end(said)}
    return {**chat_frame(body, "chat.completion", choice, turn), "usage": USAGE}


def chat_events(body: Json, said: Call | str, namespace: str, turn: int) -> Iterator[Event]:
    kind = "chat.completion.chunk"
    delta = chat_message(said, namespace, turn)
    yield "", chat_frame(body, kind, {"delta": delta, "finish_reason": None}, turn)
    ended = chat_frame(body, kind, {"delta": {}, "finish_reason": chat_end(said)}, turn)
    yield "", {**ended, "usage": USAGE}


# -- Gemini ------------------------------------------------------------------------------------------------------------


def gemini_read(path: str, body: Json) -> Asked:
    parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    declared = [one for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
    return Asked(
        "gemini",
        path,
        body,
        [("", one["name"]) for one in declared],
        [
            Call(part["functionCall"]["name"], part["functionCall"].get("args", {}))
            for part in parts
            if "functionCall" in part
        ],
        [gemini_said(part["functionResponse"]) for part in parts if "functionResponse" in part],
    )


def gemini_said(response: Json) -> str:
    """What came back: the one text in it, or all of it."""
    held = response.get("response", {})
    texts = list(held.values())
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else plain(held)


def gemini_whole(body: Json, said: Call | str, namespace: str, turn: int) -> Json:
    part: Json
    if isinstance(said, str):
        part = {"text": said}
    else:
        part = {"functionCall": {"id": f"call_{turn:04}", "name": namespace + said.tool, "args": said.arguments}}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
        "modelVersion": NAME,
        "responseId": f"resp_{turn:04}",
    }


def gemini_events(body: Json, said: Call | str, namespace: str, turn: int) -> Iterator[Event]:
    yield "", gemini_whole(body, said, namespace, turn)


MESSAGES = Protocol("messages", messages_read, messages_whole, messages_events)
RESPONSES = Protocol("responses", responses_read, responses_whole, responses_events)
CHAT = Protocol("chat", chat_read, chat_whole, chat_events)
GEMINI = Protocol("gemini", gemini_read, gemini_whole, gemini_events)


def protocol_of(path: str) -> Protocol | None:
    """Which protocol a path belongs to, or none: then it is one of the agents' side errands.

    >>> protocol_of("/v1/messages").name, protocol_of("/v1beta/models/x:streamGenerateContent").name
    ('messages', 'gemini')
    >>> protocol_of("/v1/messages/count_tokens") is None
    True
    """
    ends = {"/messages": MESSAGES, "/responses": RESPONSES, "/chat/completions": CHAT}
    if path.endswith((":generateContent", ":streamGenerateContent")):
        return GEMINI
    return next((protocol for end, protocol in ends.items() if path.endswith(end)), None)
