"""Conversations of a model with tools, in the words of each API, and what stands in them."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Told(NamedTuple):
    """A call, and what the tool said."""

    tool: str
    arguments: dict[str, object]
    text: str
    is_error: bool = False

    def __repr__(self) -> str:
        """Which line its text repeats, and its size: of sessions that fail, all of them is read by nobody."""
        lines = self.text.splitlines()
        said = f"{lines[:2]!r}, {len(lines)} lines"
        return f"Told({self.tool!r}, {self.arguments!r}, {said}{', error' * self.is_error})"


class Round(NamedTuple):
    """What the model says to a request, the calls it makes, and what the user says after them."""

    said: str = ""
    told: tuple[Told, ...] = ()
    user: str = ""


Messages = list[dict[str, Any]]
TASK = "Build it."


def anthropic(rounds: Sequence[Round]) -> Messages:
    messages: Messages = [{"role": "user", "content": TASK}]
    for number, one in enumerate(rounds):
        ids = [f"toolu_{number}_{at}" for at in range(len(one.told))]
        calls = [
            {"type": "tool_use", "id": name, "name": call.tool, "input": call.arguments}
            for name, call in zip(ids, one.told, strict=True)
        ]
        results = [
            {"type": "tool_result", "tool_use_id": name, "content": call.text, "is_error": call.is_error}
            for name, call in zip(ids, one.told, strict=True)
        ]
        user = [{"type": "text", "text": one.user or "go on"}] if one.user or not results else []
        messages += [{"role": "assistant", "content": [{"type": "text", "text": one.said or "well"}, *calls]}]
        messages += [{"role": "user", "content": [*results, *user]}]
    return messages


def chat(rounds: Sequence[Round]) -> Messages:
    messages: Messages = [{"role": "system", "content": "Be good."}, {"role": "user", "content": TASK}]
    for number, one in enumerate(rounds):
        calls = [
            {"id": f"call_{number}_{at}", "type": "function", "function": {"name": call.tool, "arguments": _json(call)}}
            for at, call in enumerate(one.told)
        ]
        messages.append({"role": "assistant", "content": one.said or None, **({"tool_calls": calls} if calls else {})})
        messages += [
            {"role": "tool", "tool_call_id": f"call_{number}_{at}", "content": _flagged(call)}
            for at, call in enumerate(one.told)
        ]
        messages += [{"role": "user", "content": one.user or "go on"}] if one.user or not one.told else []
    return messages


def responses(rounds: Sequence[Round]) -> Messages:
    items: Messages = [{"role": "user", "content": TASK}]
    for number, one in enumerate(rounds):
        items += [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": one.said}]}]
        items += [
            {"type": "function_call", "call_id": f"call_{number}_{at}", "name": call.tool, "arguments": _json(call)}
            for at, call in enumerate(one.told)
        ]
        items += [
            {"type": "function_call_output", "call_id": f"call_{number}_{at}", "output": _flagged(call)}
            for at, call in enumerate(one.told)
        ]
        items += [{"role": "user", "content": one.user or "go on"}] if one.user or not one.told else []
    return items


FORMS: list[Callable[[Sequence[Round]], Messages]] = [anthropic, chat, responses]


def _json(call: Told) -> str:
    return json.dumps(call.arguments)


def _flagged(call: Told) -> str:
    """Where there is no flag for errors, they are told in words."""
    return f"Error: {call.text}" if call.is_error else call.text


def results_in(messages: Messages) -> list[str]:
    """What tools said, in order."""
    return [text for is_result, text in texts_in_order(messages) if is_result]


def texts_in_order(messages: Messages) -> Iterator[tuple[bool, str]]:
    """All that a model reads, and whether a tool said it; written apart from what is tested."""
    for message in messages:
        content = message.get("content")
        if message.get("type") == "function_call_output":
            yield True, message["output"]
        elif message.get("type") == "function_call":
            yield False, message["arguments"]
        elif message.get("role") == "tool":
            yield True, message["content"]
        elif isinstance(content, str):
            yield False, content
        else:
            for block in content or ():
                if block["type"] == "tool_result":
                    yield True, block["content"]
                else:
                    yield False, block.get("text") or json.dumps(block.get("input"))
        for call in message.get("tool_calls", ()):
            yield False, call["function"]["arguments"]


def without_results(messages: Messages) -> str:
    """All but what tools said: nothing of it may ever change."""

    def masked(thing: object) -> object:
        if isinstance(thing, dict):
            hidden = {"output"} if thing.get("type") == "function_call_output" else set()
            hidden |= {"content"} if "tool" in (thing.get("type"), thing.get("role")) else set()
            hidden |= {"content"} if thing.get("type") == "tool_result" else set()
            return {name: "" if name in hidden else masked(value) for name, value in thing.items()}
        return [masked(one) for one in thing] if isinstance(thing, list) else thing

    return json.dumps(masked(messages))


_NAMES = ["src/app.py", "parse_config", "test_login_7", "4711", "lib/util.ts", "OrderService", "build", "plain words"]
_names = st.lists(st.sampled_from(_NAMES), max_size=2).map(" ".join)
_texts = st.builds(
    lambda word, count, names: f"{names}\n" + f"{word} and so on\n" * count,
    st.sampled_from(["one", "two", "three", "four", "five"]),
    st.integers(0, 300),
    _names,
)
_calls = st.fixed_dictionaries({"command": _names})
_told = st.builds(
    Told,
    st.sampled_from(["bash", "read_file", "search_artifacts"]),
    _calls,
    _texts,
    st.sampled_from([False, False, False, True]),
)
_rounds = st.builds(Round, _names, st.lists(_told, max_size=3).map(tuple), st.sampled_from(["", "", "", "go on, 4711"]))

# A session at work: many turns in which a tool says much, and little of that is spoken of again. What comes before and
# after them is of all kinds. So under most rules something goes, which is what the promises are about.
_much = st.builds(
    lambda word, count, names: f"{names}\n" + f"{word} and so on\n" * count,
    st.sampled_from(["one", "two", "three", "four", "five"]),
    st.integers(150, 900),
    _names,
)
_talkative = st.builds(
    Told, st.sampled_from(["bash", "bash", "read_file"]), _calls, _much, st.sampled_from([False] * 9 + [True])
)
_working = st.builds(
    Round,
    st.sampled_from(["", "", "I will look.", "see src/app.py"]),
    st.lists(_talkative, min_size=1, max_size=3).map(tuple),
    st.sampled_from(["", "", "", "go on, 4711"]),
)
rounds_of_all_kinds = st.builds(
    lambda *parts: [one for part in parts for one in part],
    st.lists(_rounds, max_size=4),
    st.lists(_working, min_size=8, max_size=14),
    st.lists(_rounds, max_size=4),
)
