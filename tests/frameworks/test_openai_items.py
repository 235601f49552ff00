"""What openai-agents sends to a model, fitted by the filter. With the framework itself: `make frameworks`."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from overspill import MemoryStore, Overspill
from overspill.frameworks import results
from overspill.frameworks.results import InputFilter
from overspill.history import Clearing, Keep

SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
STORY = "".join(f"line {number} of a long story\n" for number in range(4_000)) + f"api_key={SECRET}\n"


@dataclass
class Sent:
    input: list[dict[str, Any]]
    instructions: str | None = "be good"


@dataclass
class Agent:
    tools: list[Any] = field(default_factory=list)


@dataclass
class Data:
    model_data: Sent
    agent: Agent = field(default_factory=Agent)


def call(number: int) -> list[dict[str, Any]]:
    return [
        {"type": "function_call", "call_id": f"call_{number}", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": f"call_{number}", "output": f"{number}\n{STORY}"},
    ]


def sent(fits: InputFilter, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    result = asyncio.run(fits(Data(Sent(items))))
    assert result.instructions == "be good"
    assert SECRET not in repr([item for item in result.input if item.get("role") != "user"])
    return list(result.input)


def test_a_conversation_that_grows_is_sent_in_the_same_words() -> None:
    spill = Overspill(store=MemoryStore(), preset="agent")
    fits = InputFilter(spill)
    first = sent(fits, call(1))
    second = sent(fits, [*call(1), *call(2)])
    assert second[:2] == first
    assert len(first[1]["output"]) <= 8_000
    kept = list(spill.store.list())
    assert len(kept) == 2
    assert {one.source_tool for one in kept} == {"read"}


def test_what_people_said_and_what_is_small_is_sent_as_it_is() -> None:
    items = [{"role": "user", "content": STORY}, {"type": "function_call_output", "call_id": "1", "output": "well"}]
    assert sent(InputFilter(Overspill(store=MemoryStore(), preset="agent")), items) == items


def test_only_so_many_views_are_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_VIEWS", 2)
    fits = InputFilter(Overspill(store=MemoryStore(), preset="agent"))
    for number in range(4):
        sent(fits, call(number))
    assert len(fits._views) == 2


def test_old_results_go_where_that_is_asked_for_and_otherwise_stay() -> None:
    spill = Overspill(store=MemoryStore(), preset="agent")
    said = ["".join(f"{number}, {at * 7919 % 997}\n" for at in range(400)) for number in range(4)]
    items = [
        item | ({"output": said[number]} if "output" in item else {}) for number in range(4) for item in call(number)
    ]
    assert sent(InputFilter(spill), items) == items
    rules = Clearing(Keep(turns=2, fetched=2, errors=2), at_least=0)
    cleared = sent(InputFilter(spill, clear=rules), items)
    assert [item["output"][:8] for item in cleared[1:4:2]] == ["[cleared", "[cleared"]
    assert cleared[4:] == items[4:]
    assert cleared[::2] == items[::2]
