"""The four ways in which agents speak to models: what a request holds, and what an answer looks like.

A protocol reads the same things out of every request (`Asked`: what is offered, what was called, what came back)
and writes the same things into every answer (a call of a tool, or a text), whole or as a stream of events.
"""

import json
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Any, NamedTuple

Json = dict[str, Any]
Event = tuple[str, Json]
NAME = "scripted"  # the model's own name, in every answer


class Call(NamedTuple):
    """A call of a tool. The name may be the end of the name under which the agent offers it."""

    tool: str
    arguments: Json
    namespace: str = ""  # of the tool, where the protocol has some


Said = str | list[Call]  # what a model says in one turn: a text, or calls that are made at once


class Asked(NamedTuple):
    """What a request of an agent says, whichever protocol it came by."""

    protocol: str
    path: str
    body: Json
    tools: list[tuple[str, str]]  # as offered: (namespace, name)
    calls: list[Call]  # as the agent repeats what the model said
    results: list[str]  # what came back, as the model reads it
    opening: str = ""  # what stands before the model's first word: by it conversations are told apart

    @property
    def text(self) -> str:
        """The whole body, as one text."""
        return json.dumps(self.body, ensure_ascii=False)


class Protocol(NamedTuple):
    """How to read a request and how to write an answer."""

    name: str
    read: Callable[[str, Json], Asked]
    whole: Callable[[Json, Said, int], Json]
    events: Callable[[Json, Said, int], Iterator[Event]]


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


def opening_of(messages: list[Json]) -> str:
    """What was said before the model said anything, as JSON."""
    return json.dumps(
        list(takewhile(lambda message: message.get("role") not in {"assistant", "model"}, messages)),
        ensure_ascii=False,
    )


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
        opening_of(body.get("messages", [])),
    )


def messages_blocks(said: Said, turn: int) -> list[Json]:
    if isinstance(said, str):
        return [{"type": "text", "text": said}]
    return [
        {
            "type": "tool_use",
            "id": f"toolu_{turn:04}_{number}",
            "name": call.namespace + call.tool,
            "input": call.arguments,
        }
        for number, call in enumerate(said)
    ]


def messages_whole(body: Json, said: Said, turn: int) -> Json:
    return {
        "id": f"msg_{turn:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", NAME),
        "content": messages_blocks(said, turn),
        "stop_reason": "end_turn" if isinstance(said, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def messages_events(body: Json, said: Said, turn: int) -> Iterator[Event]:
    whole = messages_whole(body, said, turn)
    events: list[Json] = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": ended, "usage": whole["usage"]}, {"type": "message_stop"}]
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
        opening_of(list(takewhile(lambda item: not str(item.get("type")).endswith("_call"), items))),
    )


def responses_items(said: Said, turn: int) -> list[Json]:
    if isinstance(said, str):
        content = [{"type": "output_text", "text": said, "annotations": []}]
        frame = {"type": "message", "id": f"msg_{turn:04}", "role": "assistant", "status": "completed"}
        return [{**frame, "content": content}]
    return [
        {
            "type": "function_call",
            "id": f"fc_{turn:04}_{number}",
            "call_id": f"call_{turn:04}_{number}",
            "name": call.tool,
            "arguments": json.dumps(call.arguments),
            "status": "completed",
            **({"namespace": call.namespace} if call.namespace else {}),
        }
        for number, call in enumerate(said)
    ]


def responses_whole(body: Json, said: Said, turn: int) -> Json:
    return {
        "id": f"resp_{turn:04}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": body.get("model", NAME),
        "output": responses_items(said, turn),
        "usage": {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 20,
        },
    }


def responses_events(body: Json, said: Said, turn: int) -> Iterator[Event]:
    whole = responses_whole(body, said, turn)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[Json] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(whole["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "message":
            text = item["content"][0]["text"]
            empty = {**item, "status": "in_progress", "content": []}
            steps: list[Json] = [
                {"type": "response.output_text.delta", **place, "content_index": 0, "delta": text},
                {"type": "response.output_text.done", **place, "content_index": 0, "text": text},
            ]
        else:
            empty = {**item, "status": "in_progress", "arguments": ""}
            steps = [
                {"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]},
                {"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"]},
            ]
        events += [
            {"type": "response.output_item.added", "output_index": index, "item": empty},
            *steps,
            {"type": "response.output_item.done", "output_index": index, "item": item},
        ]
    events.append({"type": "response.completed", "response": whole})
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
        opening_of(messages),
    )


def chat_message(said: Said, turn: int) -> Json:
    if isinstance(said, str):
        return {"role": "assistant", "content": said}
    calls = []
    for number, call in enumerate(said):
        function = {"name": call.namespace + call.tool, "arguments": json.dumps(call.arguments)}
        calls.append({"index": number, "id": f"call_{turn:04}_{number}", "type": "function", "function": function})
    return {"role": "assistant", "content": None, "tool_calls": calls}


def chat_frame(body: Json, kind: str, choice: Json, turn: int) -> Json:
    return {
        "id": f"chatcmpl-{turn:04}",
        "object": kind,
        "created": 0,
        "model": body.get("model", NAME),
        "choices": [{"index": 0, **choice}],
    }


def chat_end(said: Said) -> str:
    return "stop" if isinstance(said, str) else "tool_calls"


USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


def chat_whole(body: Json, said: Said, turn: int) -> Json:
    choice = {"message": chat_message(said, turn), "finish_reason": chat_end(said)}
    return {**chat_frame(body, "chat.completion", choice, turn), "usage": USAGE}


def chat_events(body: Json, said: Said, turn: int) -> Iterator[Event]:
    kind = "chat.completion.chunk"
    delta = chat_message(said, turn)
    yield "", chat_frame(body, kind, {"delta": delta, "finish_reason": None}, turn)
    ended = chat_frame(body, kind, {"delta": {}, "finish_reason": chat_end(said)}, turn)
    yield "", {**ended, "usage": USAGE}


# -- Gemini ------------------------------------------------------------------------------------------------------------


def gemini_read(path: str, body: Json) -> Asked:
    parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    declared = [one for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    # What is asked for at once comes back as it is ready; in a resumed session everything is said twice.
    places = {call["id"]: place for place, call in enumerate(calls) if "id" in call}
    responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
    said = list({response.get("id", number): response for number, response in enumerate(responses)}.values())
    said.sort(key=lambda response: places.get(response.get("id", ""), len(calls)))
    return Asked(
        "gemini",
        path,
        body,
        [("", one["name"]) for one in declared],
        [Call(call["name"], call.get("args", {})) for call in calls],
        [gemini_said(response) for response in said],
        opening_of(body.get("contents", [])),
    )


def gemini_said(response: Json) -> str:
    """What came back: the one text in it, or all of it."""
    held = response.get("response", {})
    texts = list(held.values())
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else plain(held)


def gemini_parts(said: Said, turn: int) -> list[Json]:
    if isinstance(said, str):
        return [{"text": said}]
    names = [call.namespace + call.tool for call in said]
    return [
        {"functionCall": {"id": f"call_{turn:04}_{number}", "name": name, "args": call.arguments}}
        for number, (name, call) in enumerate(zip(names, said, strict=True))
    ]


def gemini_whole(body: Json, said: Said, turn: int) -> Json:
    content = {"role": "model", "parts": gemini_parts(said, turn)}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
        "modelVersion": NAME,
        "responseId": f"resp_{turn:04}",
    }


def gemini_events(body: Json, said: Said, turn: int) -> Iterator[Event]:
    yield "", gemini_whole(body, said, turn)


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
