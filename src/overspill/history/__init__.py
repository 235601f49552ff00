"""Old tool results go from a conversation, and can be fetched back.

`clear` takes the messages that are about to be sent to a model and gives them back with one line in the place of each
tool result that is old, large and no longer in use. It changes nothing that it is handed, and only when that pays:
`decision.py` replays the conversation turn by turn and says what goes (values alone). Programs and `frameworks` may
import this package.

Results stand in Anthropic's blocks, OpenAI's chat messages and its items of responses. Messages are dicts, or for what
the model said the objects of an SDK. Each is looked at by itself, so nobody has to say which API they are for.

What a line names was kept before the line is written: it names the call that brings its result back. A view of ours
names its artifact already, an answer from the store is fetched by the call it answered, and anything else is kept now,
cleaned and redacted like all that is kept. A result that cannot be kept stays.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from overspill._lite import in_json
from overspill.core import estimate_tokens, measure
from overspill.core.markers import Wording, one_line
from overspill.decorator import shared_overspill
from overspill.errors import OverspillError
from overspill.fit import ingest, keep_whole, safe_call
from overspill.fit.prepare import ToolCall
from overspill.fit.view import text_key
from overspill.history.decision import (
    GET,
    STUB_CHARS,
    CachePrices,
    Clearing,
    Conversation,
    ConversationEntry,
    GivenResult,
    Keep,
    MadeCall,
    PastResult,
    SaidText,
    decide_clearing,
    is_fetching,
)
from overspill.store import full_id, ids_of
from overspill.store.records import content_digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.api import Overspill
    from overspill.core import Size
    from overspill.core.report import Artifact


__all__ = ["CachePrices", "Clearing", "Keep", "clear"]


MOST_LINES = 4_096  # that are known again: the whole conversation comes by at every turn
MOST_IDS = 8  # that are looked up for one view
SHORT_ID = 8  # characters of an id after `art_`: forty random bits, whatever else is kept later
LONG_PART = 20  # characters that the random part of an id has, where fewer of them will do
LEAST_WORDS = 12  # characters that are left to say what a result was

_LINE = re.compile(re.escape(Wording.CLEARED.partition("{")[0]) + r"(\d{1,9}): [^\n]*\]")
_ID = re.compile(r"art_[a-zA-Z0-9]+(?:_[a-zA-Z0-9]+)?")

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


class Recall(NamedTuple):
    """How a result is brought back."""

    call: str
    artifact_id: str
    size: Size


_RECALLS: WeakKeyDictionary[Overspill, OrderedDict[str, Recall]] = WeakKeyDictionary()
_RECALLING = Lock()


def cleared_lines(
    entries: Iterable[ConversationEntry], spill: Overspill | None = None, rules: Clearing | None = None
) -> dict[Hashable, str]:
    """The lines for the results of a conversation that go, by their places. All that they name can be fetched."""
    stubs = Stubs(spill or shared_overspill())
    conversation = Conversation(entries, stubs.count, stubs.written_at)
    went = decide_clearing(conversation, rules or Clearing())
    lines: dict[Hashable, str] = {}
    for one in conversation.results:
        if one.number in went and not one.cleared_at:
            line = stubs.line(one, went[one.number])
            if line is not None:
                lines[one.given.place] = line
    return lines


class Stubs:
    """Writes the lines, in the workspace in which the results were fitted or will be kept."""

    def __init__(self, spill: Overspill) -> None:
        self._spill = spill
        self._workspace = spill.workspace
        self._by_digest: dict[str, Artifact] | None = None

    @property
    def count(self) -> Callable[[str], int]:
        """What counts tokens, by the settings."""
        return self._workspace.policy().inline.counter or estimate_tokens

    def written_at(self, text: str) -> int:
        """Before which request this line was written, if it is one of ours; else 0. Others cannot write one."""
        line = _LINE.fullmatch(text) if len(text) <= STUB_CHARS else None
        if line is None:
            return 0
        with suppress(OverspillError, OSError):
            if self._workspace.store.remembered(_digest(text)) is not None:
                return int(line[1])
        return 0

    def line(self, result: PastResult, request: int) -> str | None:
        """The line for a result, or None if nothing would bring it back."""
        try:
            recall = self._recall(result)
            return None if recall is None else self._written(result, recall, request)
        except Exception:  # noqa: BLE001  # of any store: the request goes out all the same, with the result in it
            return None

    def _written(self, result: PastResult, recall: Recall, request: int) -> str | None:
        lines = max(1, recall.size.lines)
        facts = lines, "s" * (lines > 1), recall.size.chars, recall.call
        room = STUB_CHARS - len(Wording.CLEARED.format(request, "", *facts))
        if room < LEAST_WORDS:
            return None
        line = Wording.CLEARED.format(request, self._what(result, recall, room), *facts)
        self._workspace.store.remember(_digest(line), request)
        return line

    def _what(self, result: PastResult, recall: Recall, room: int) -> str:
        """The tool, and as much of its call as there is room for."""
        call = result.call
        said = call.tool or "a result"
        if call.tool and recall.call.partition("(")[0] != call.tool:
            given = _given(call.arguments)
            said = call_text(call.tool, call.arguments if given is None else given)
        said = one_line(self._workspace.redacted_text(said))
        return said if len(said) <= room else f"{said[: room - 3]}..."

    def _recall(self, result: PastResult) -> Recall | None:
        key = _digest(f"{result.call.tool}\0{result.call.arguments}\0{result.given.text}")
        with _RECALLING:
            known = _RECALLS.setdefault(self._spill, OrderedDict())
            found = known.pop(key, None)
        if found is None or not self._is_there(found.artifact_id):
            found = self._fetched_again(result) or self._named_in_view(result) or self._kept(result)
        if found is not None:
            with _RECALLING:
                known[key] = found
                while len(known) > MOST_LINES:
                    known.popitem(last=False)
        return found

    def _is_there(self, artifact_id: str) -> bool:
        try:
            self._workspace.store.info(artifact_id)
        except OverspillError:
            return False
        return True

    def _found(self, said: str) -> Artifact | None:
        """The artifact that an id or a short form of one stands for."""
        store = self._workspace.store
        try:
            return store.info(full_id(said, lambda: ids_of(store)))
        except OverspillError:
            return None

    def _fetched_again(self, result: PastResult) -> Recall | None:
        """An answer of `get_artifact` comes again by the same call."""
        given = _given(result.call.arguments)
        if not is_fetching(result.call.tool, (GET,)) or given is None or result.given.is_error:
            return None
        artifact = self._found(str(given.get("id", "")))
        call = call_text(GET, {name: value for name, value in given.items() if value is not None})
        if artifact is None or len(call) > STUB_CHARS // 2 or self._workspace.redacted_text(call) != call:
            return None
        return Recall(call, artifact.id, measure(result.given.text))

    def _named_in_view(self, result: PastResult) -> Recall | None:
        """A view of ours names the artifact it is of, and the call for it: if it is in doubt which, none."""
        text = result.given.text
        if self._workspace.store.remembered(_digest(text)) is None:
            return None
        plain = text.replace('\\"', '"')
        ids = list(dict.fromkeys(_ID.findall(plain)))[:MOST_IDS]
        named = [one for one in ids if self._workspace.call_format(one).removesuffix(")") in plain]
        artifact = self._found(named[0]) if len(named) == 1 else None
        if artifact is None or artifact.is_binary:
            return None
        return Recall(self._workspace.call_format(named[0]), artifact.id, artifact.size)

    def _kept(self, result: PastResult) -> Recall | None:
        """Any other result is kept now, or was before."""
        workspace, given = self._workspace, result.given
        call = safe_call(workspace, ToolCall(result.call.tool, given.is_error, given.call_id))
        policy = workspace.policy(result.call.tool)._replace(on_oversize="error")
        if not policy.store or len(given.text) >= policy.max_artifact_size:
            return None
        prepared = ingest(workspace, given.text, policy, call)
        digest = content_digest(prepared.text.encode("utf-8", "surrogatepass"))
        artifact = self._same_text(digest)
        if artifact is None:
            artifact = keep_whole(workspace, prepared, policy, call)
            workspace.tell_created(artifact)
            workspace.store.remember(text_key(digest), 1)
            if self._by_digest is not None:
                self._by_digest[digest] = artifact  # a later result may say the same
        said = short_form(artifact.id) if workspace.has_short_ids else artifact.id
        return Recall(workspace.call_format(said), artifact.id, artifact.size)

    def _same_text(self, digest: str) -> Artifact | None:
        """The first artifact with this text; all are listed once, and only if there is one."""
        if self._workspace.store.remembered(text_key(digest)) is None:
            return None
        if self._by_digest is None:
            listed = sorted(self._workspace.store.list(), reverse=True)
            self._by_digest = {one.sha256: one for one in listed if not one.partial and not one.is_binary}
        return self._by_digest.get(digest)


def call_text(tool: str, arguments: Mapping[str, object] | str) -> str:
    """A call as it is written down for a model.

    >>> call_text("bash", {"command": "make", "quiet": True}), call_text("run", "ls -l")
    ('bash(command="make", quiet=true)', 'run(ls -l)')
    """
    if isinstance(arguments, str):
        return f"{tool}({arguments})"
    return f"{tool}({', '.join(f'{name}={in_json(value)}' for name, value in arguments.items())})"


def short_form(artifact_id: str) -> str:
    """An id in short, in a form that does not depend on what else is kept.

    >>> short_form("art_1699234567890_abcdefghijklmnopqrstuvwxyz"), short_form("art_17_abcdefgh")
    ('art_abcdefgh', 'art_17_abcdefgh')
    """
    random = artifact_id.rpartition("_")[2]
    return f"art_{random[:SHORT_ID]}" if len(random) >= LONG_PART else artifact_id


def _given(arguments: str) -> dict[str, object] | None:
    """The arguments of a call by name, where they are JSON."""
    try:
        given = json.loads(arguments)
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


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
