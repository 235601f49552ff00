"""The long session of `make sessions`, here in a loop of its own: its model, its checks, and what they find."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from scripted import Message

from frameworks.long_session import SessionScript, broken_pairs, session_tools
from overspill import MemoryStore, Overspill, artifact_tools
from overspill.history import Clearing, clear

TURNS = 60


def run_loop(tools: list[Callable[..., Any]], script: SessionScript, spill: Overspill, rules: Clearing) -> None:
    """What a framework does, in a few lines."""
    known = {tool.__name__: tool for tool in tools} | {tool.__name__: tool for tool in artifact_tools(spill)}
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Build it."}]
    while True:
        sent = clear(messages, spill=spill, keep=rules.keep, at_least=rules.at_least)
        answer = script.answer([message_of(one) for one in sent], list(known))
        if isinstance(answer, str):
            return
        for one in answer:
            function = {"name": one.name, "arguments": json.dumps(one.arguments)}
            made = {"id": one.id, "type": "function", "function": function}
            messages.append({"role": "assistant", "content": "", "tool_calls": [made]})
            result = str(known[one.name](**one.arguments))
            text = result if one.name == "get_artifact" else spill.fit(result, tool=one.name).text
            messages.append({"role": "tool", "tool_call_id": one.id, "content": text})


def message_of(message: dict[str, Any]) -> Message:
    made = tuple(one["id"] for one in message.get("tool_calls", ()))
    answered = (message["tool_call_id"],) if "tool_call_id" in message else ()
    return Message(message["role"], message["content"], made or answered)


def test_what_was_cleared_comes_back_and_no_pair_is_broken() -> None:
    """The model needs old results; those that went come back by the call in their place, as the tool said them."""
    script = SessionScript(TURNS)
    run_loop(session_tools(TURNS), script, Overspill(store=MemoryStore(), preset="agent"), Clearing())
    assert len(script.sent) == TURNS + len(script.fetched) + 1
    assert script.fetched
    assert not script.lost_fetches()
    assert not [why for sent in script.sent for why in broken_pairs(sent)]
    assert any("[cleared at turn" in message.text for message in script.sent[-1])


def test_a_fetch_that_brings_something_else_is_found() -> None:
    script = SessionScript(TURNS)
    run_loop(session_tools(TURNS), script, Overspill(store=MemoryStore(), preset="agent"), Clearing())
    script.fetched = {place: step + 1 for place, step in script.fetched.items()}
    assert len(script.lost_fetches()) == len(script.fetched)


@pytest.mark.parametrize(
    ("sent", "broken"),
    [
        ([Message("user", "go"), Message("assistant", "", ("a", "b"))], 1),
        ([Message("user", "go"), Message("tool", "said", ("a",))], 1),
        ([Message("assistant", "", ("a",)), Message("user", "stop"), Message("tool", "said", ("a",))], 2),
        ([Message("assistant", "", ("a",)), Message("tool", "said", ())], 2),
        ([Message("assistant", "", ("a", "b")), Message("tool", "1", ("b",)), Message("tool", "2", ("a",))], 0),
    ],
)
def test_a_broken_pair_is_found(sent: list[Message], broken: int) -> None:
    assert len(list(broken_pairs(sent))) == broken
