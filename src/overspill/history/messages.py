"""Where tool results stand in messages: in Anthropic's blocks, OpenAI's chat messages and its items of responses.

Messages are dicts, or for what the model said the objects of an SDK. Each is looked at by itself, so nobody has to say
which API they are for. Nothing that is handed in is changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from overspill.history.decision import (
    CachePrices,
    Clearing,
    ConversationEntry,
    GivenResult,
    Keep,
    MadeCall,
    SaidText,
)
from overspill.history.stubs import cleared_lines

if TYPE_CHECKING:
    from overspill.api import Overspill

DEFAULTS = Clearing()

# Items of responses that hold what a tool said, and in which the call stands, too.
OUTPUTS = ("_call_output", "mcp_call")
TEXT_NAMES = ("text", "stdout", "stderr")
CALL_PARTS = ("arguments", "input", "action", "query")
SPOKEN_PARTS = ("text", "thinking", "refusal", "summary", "input", "content")

# How results begin that say of themselves that they failed, in forms that have no flag for it.
_FAILED = re.compile(
    r"\s*(?:\W{0,3}(?:fatal |internal )?(?:error|exception|failed)\b|Traceback \(most recent"
    r"|\w{1,60}(?:Error|Exception):|An error occurred)",
    re.IGNORECASE,
)
_STATUS = ("exit_code", "exitCode", "returncode")


def clear(
    messages: Sequence[Any],
    *,
    spill: Overspill | None = None,
    keep: Keep = DEFAULTS.keep,
    at_least: int = DEFAULTS.at_least,
    prices: CachePrices = DEFAULTS.prices,
    turns_ahead: int = DEFAULTS.turns_ahead,
) -> list[Any]:
    r"""The messages, with one line in the place of each old tool result that need not be sent any more.

    `spill` is what fits the results, or will keep them; without it, the one that everybody shares. Results go when at
    least `at_least` tokens go at once, and what is no longer read from the prompt cache in the next `turns_ahead`
    requests costs more than writing again what stands behind. The answer depends on nothing but messages and rules.

    >>> from overspill import MemoryStore, Overspill
    >>> spill = Overspill(store=MemoryStore(), preset="agent")
    >>> call = {"id": "1", "type": "function", "function": {"name": "build", "arguments": "{}"}}
    >>> messages = [{"role": "user", "content": "Build it."}, {"role": "assistant", "tool_calls": [call]}]
    >>> messages += [{"role": "tool", "tool_call_id": "1", "content": "compiled\n" * 9_000}]
    >>> messages += [{"role": "assistant", "content": "Well."}, {"role": "user", "content": "Go on."}] * 2
    >>> sent = clear(messages, spill=spill, keep=Keep(turns=1), at_least=1_000)
    >>> print(sent[2]["content"])  # doctest: +ELLIPSIS
    [cleared at turn 3: build(), 9000 lines, 81000 chars; back: get_artifact(id="art_...")]
    >>> clear(messages, spill=spill) == messages  # by itself, the last five turns stay
    True
    """
    return clear_by(Clearing(keep, at_least, prices, turns_ahead), messages, spill)


def clear_by(rules: Clearing, messages: Sequence[Any], spill: Overspill | None = None) -> list[Any]:
    """What `clear` gives, by rules that are handed on."""
    lines = cleared_lines(read_entries(messages), spill, rules)
    return [with_lines(message, at, lines) for at, message in enumerate(messages)]


def read_entries(messages: Iterable[Any]) -> Iterator[ConversationEntry]:
    """What stands in messages, in order."""
    for at, message in enumerate(messages):
        kind, role = _field(message, "type") or "", _field(message, "role") or ""
        if isinstance(kind, str) and kind.endswith(OUTPUTS) and kind != "computer_call_output":
            yield from _read_output(at, message, kind)
        elif isinstance(kind, str) and kind.endswith("_call"):
            yield _read_call(message, kind)
        elif role in {"tool", "function"}:
            text = text_in(_field(message, "content"))
            call_id = str(_field(message, "tool_call_id") or _field(message, "name") or "")
            yield GivenResult((at,), call_id, text, is_failure(text))
        else:
            yield from _read_message(at, message, by_model=role in {"assistant", "model"} or kind == "reasoning")


def _read_output(at: int, item: Any, kind: str) -> Iterator[ConversationEntry]:
    call_id, output = str(_field(item, "call_id") or _field(item, "id") or ""), _field(item, "output")
    if kind == "mcp_call":
        yield _read_call(item, kind)._replace(id=call_id)
    text = text_in(output)
    if text:
        yield GivenResult((at,), call_id, text, bool(_field(item, "error")) or is_failure(text) or _has_status(output))


def _read_call(item: Any, kind: str) -> MadeCall:
    arguments = next((part for name in CALL_PARTS if (part := _field(item, name))), "")
    call_id = _field(item, "call_id") or _field(item, "id") or ""
    return MadeCall(str(call_id), str(_field(item, "name") or kind.removesuffix("_call")), arguments_text(arguments))


def _read_message(at: int, message: Any, *, by_model: bool) -> Iterator[ConversationEntry]:
    content = _field(message, "content")
    if isinstance(content, str):
        yield SaidText(content, by_model)
    for number, block in enumerate(content if isinstance(content, list | tuple) else ()):
        kind = _field(block, "type") or ""
        if kind == "tool_result":
            text = text_in(_field(block, "content"))
            call_id = str(_field(block, "tool_use_id") or "")
            yield GivenResult((at, number), call_id, text, bool(_field(block, "is_error")))
        elif kind == "tool_use":
            yield MadeCall(str(_field(block, "id")), str(_field(block, "name")), arguments_text(_field(block, "input")))
        else:
            yield SaidText(_spoken(block), by_model)
    if _field(message, "summary") and not content:
        yield SaidText(_spoken(message), by_model)
    for call in _field(message, "tool_calls") or ():
        function = _field(call, "function") or _field(call, "custom") or {}
        arguments = _field(function, "arguments") or _field(function, "input") or ""
        yield MadeCall(str(_field(call, "id") or ""), str(_field(function, "name") or ""), arguments_text(arguments))
    if (function := _field(message, "function_call")) and not content:
        name = str(_field(function, "name") or "")
        yield MadeCall(name, name, arguments_text(_field(function, "arguments") or ""))
    if not content and by_model:
        yield SaidText("", by_model)


def with_lines(message: Any, at: int, lines: Mapping[Hashable, str]) -> Any:
    """A message with lines in the places of the results in it that went; itself, if none did."""
    if not isinstance(message, Mapping):
        return message
    if (at,) in lines:
        name = "output" if "output" in message else "content"
        return {**message, name: with_line(message.get(name), lines[at,])}
    content = message.get("content")
    if not isinstance(content, list | tuple) or not any((at, number) in lines for number in range(len(content))):
        return message
    blocks = [
        {**block, "content": with_line(block.get("content"), lines[at, number])} if (at, number) in lines else block
        for number, block in enumerate(content)
    ]
    return {**message, "content": blocks}


def text_in(content: Any) -> str:
    r"""The texts of a result, as one; nothing for images and other things that are no text.

    >>> text_in([{"type": "text", "text": "a"}, {"type": "image"}, {"stdout": "b", "stderr": "", "outcome": {}}])
    'a\nb'
    """
    if isinstance(content, str):
        return content
    parts = [content] if isinstance(content, Mapping) else content if isinstance(content, list | tuple) else []
    texts = [one if isinstance(one, str) else one.get(name) for one in parts for name in _text_names(one)]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def with_line(content: Any, line: str) -> Any:
    """A result with the line in the place of its texts. Images and all else in it stay.

    >>> with_line([{"type": "text", "text": "a", "cache_control": {}}, {"type": "image"}], "[cleared]")
    [{'type': 'text', 'text': '[cleared]', 'cache_control': {}}, {'type': 'image'}]
    """
    if isinstance(content, Mapping):
        return with_line([content], line)[0]
    if not isinstance(content, list | tuple):
        return line
    made: list[Any] = []
    left = line  # to be written
    for one in content:
        names = [name for name in _text_names(one) if isinstance(one, str) or isinstance(one.get(name), str)]
        if not names:
            made.append(one)
        elif isinstance(one, str):
            made += [left] if left else []
            left = ""
        elif left or names != ["text"]:
            texts = dict.fromkeys(names, "")
            texts[next((name for name in names if one[name]), names[0])] = left
            made.append({**one, **texts})
            left = ""
        elif "cache_control" in one:  # where the prompt is cached up to: on what is left of the result
            made[-1] = {**made[-1], "cache_control": one["cache_control"]}
    return made


def is_failure(text: str) -> bool:
    """Whether a result says of itself that it failed.

    >>> [is_failure(text) for text in ("Error: no such file", '{"error": "no"}', "0 errors", "KeyError: 1")]
    [True, True, False, True]
    """
    return _FAILED.match(text[:400]) is not None


def _has_status(output: Any) -> bool:
    """Whether a command in the output of a shell ended with another status than 0."""
    parts = output if isinstance(output, list | tuple) else ()
    outcomes = [_field(part, "outcome") for part in parts]
    return any(_field(one, name) not in {None, 0} for one in outcomes if one for name in _STATUS)


def _text_names(part: Any) -> tuple[str, ...]:
    if isinstance(part, str):
        return ("text",)
    return tuple(name for name in TEXT_NAMES if name in part) if isinstance(part, Mapping) else ()


def _field(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def arguments_text(arguments: Any) -> str:
    """The arguments of a call as one text: as they came, or as JSON."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False, default=str)


def _spoken(block: Any) -> str:
    """What is said in a block of the model's or the user's."""
    if isinstance(block, str):
        return block
    said = [_field(block, name) for name in SPOKEN_PARTS]
    return "\n".join(
        one if isinstance(one, str) else text_in(one) for one in said if one and not isinstance(one, Mapping)
    )
