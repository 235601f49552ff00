"""What every adapter does to the results of a run: fit them, whatever their shape, and share out a turn's budget.

In what frameworks send to a model, blocks of Anthropic's API or items of openai-agents, what tools said fits, whoever
ran them. No framework is needed to find it.
"""

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from overspill.clean.objects import serialise_object
from overspill.core import measure
from overspill.core.budget import Budget
from overspill.core.report import Fitted, Report
from overspill.core.spans import Span
from overspill.decorator import shared_overspill
from overspill.fit.functions import ARTIFACT_TOOL, bounded_error, is_remembered_answer
from overspill.fit.prepare import text_digest
from overspill.retrieve.tools import TOOLS
from overspill.workspace.policy import ToolRules, rules_in

if TYPE_CHECKING:
    from overspill.api import Overspill
    from overspill.fit import Turn
    from overspill.history import Clearing


# Turns that may be under way at once. One whose calls never all came is forgotten in time.
MOST_TURNS = 1_024

# What a framework wants as an object and cannot have as one stands under this name.
RESULT = "result"

# A text under a name is a text of its own from this length on. Shorter ones are looked at with their names, which
# tell secrets.
LONG_TEXT = 2_000
REST_OF_IT = 8  # what stands beside it is at most this part of it
CHARS_A_TOKEN = 4

# Where frameworks keep what a tool says of itself: mappings, classes that make a schema, or objects with such parts.
DESCRIPTIONS = (
    "meta", "metadata", "custom_metadata", "tool_def", "parameters", "params_json_schema", "parameters_json_schema",
    "input_schema", "args_schema", "fn_schema", "output_schema",
)  # fmt: skip
MISSING = object()

FETCHING_TOOLS = frozenset(tool.name for tool in TOOLS)

Given = TypeVar("Given")


class Batch(NamedTuple):
    """The calls a model makes at once: something that tells them from others, and how many there are, if known."""

    key: object
    calls: int | None = None


class Results:
    """The results of a run, for a model to see.

    `spill` is what all adapters of the run share; without it, the one that everybody shares. `budget` is for each
    result and `turn` for all results of one turn; left out, the settings decide, and turns have no limit.
    `framework` is whose results the journal says they are.

    >>> from overspill import MemoryStore, Overspill
    >>> results = Results(Overspill(store=MemoryStore()), budget=120)
    >>> len(results.fit("x " * 5_000, "read_file").text) <= 120
    True
    >>> results.value({"ok": True}, "status")[0]
    {'ok': True}
    """

    def __init__(
        self,
        spill: "Overspill | None" = None,
        *,
        budget: Budget | int | None = None,
        turn: Budget | int | None = None,
        framework: str = "",
    ) -> None:
        self._spill = spill
        self._framework = framework
        self.budget = budget
        self.turn = turn
        self._turns: OrderedDict[object, tuple[Turn, int | None]] = OrderedDict()
        self._lock = Lock()
        self._noted: dict[str, object] = {}

    def note_tool(self, name: str, tool: object) -> None:
        """Note how a tool of the framework asks its results to be shown; its schema or its metadata say so."""
        with self._lock:
            if self._noted.get(name, MISSING) is tool:
                return
            self._noted[name] = tool
        self.spill.workspace.note_tool(name, rules_of_tool(tool))

    @property
    def spill(self) -> "Overspill":
        """What fits the results; looked for when the first one comes, in the project it comes from."""
        spill = self._spill or shared_overspill()
        if self._framework:
            spill.workspace.origin.setdefault("agent", self._framework)
        return spill

    def fit(
        self,
        output: object,
        tool: str = "",
        *,
        is_error: bool = False,
        call_id: str = "",
        batch: Batch | None = None,
        spare: int = 0,
    ) -> Fitted:
        """The view of one result. What the model fetched from the store comes back as it is.

        `spare` characters of its room are left for what it will be wrapped in.
        """
        fetched = only_text(output)
        if fetched is not None and is_remembered_answer(self.spill, fetched):
            return unchanged_view(fetched)
        budget = self._without(spare, tool) if spare else self.budget
        if self.turn is None or batch is None:
            return self.spill.fit(output, tool=tool, is_error=is_error, call_id=call_id, budget=budget)
        turn = self._turn_of(batch, self.turn)
        return turn.fit_now(output, tool=tool, is_error=is_error, call_id=call_id, budget=budget)

    def texts(
        self,
        texts: Sequence[str],
        tool: str = "",
        *,
        is_error: bool = False,
        call_id: str = "",
        batch: Batch | None = None,
    ) -> list[Fitted]:
        """The views of the texts of one result: they share what the tool may say."""
        if len(texts) == 1 or any(is_remembered_answer(self.spill, text) for text in texts):
            return [self.fit(text, tool, is_error=is_error, call_id=call_id, batch=batch) for text in texts]
        if self.turn is not None and batch is not None:
            turn = self._turn_of(batch, self.turn)
            return [turn.fit_now(text, tool=tool, is_error=is_error, call_id=call_id) for text in texts]
        budget = self.spill.workspace.policy(tool, self.budget).inline
        return self.spill.fit_many(texts, budget, tools=[tool] * len(texts)) if texts else []

    async def afit(
        self, output: object, tool: str = "", *, is_error: bool = False, call_id: str = "", batch: Batch | None = None
    ) -> Fitted:
        """`fit` beside the event loop."""
        return await in_thread(lambda: self.fit(output, tool, is_error=is_error, call_id=call_id, batch=batch))

    def fit_words(
        self, words: str, raw: object, tool: str = "", *, call_id: str = "", batch: Batch | None = None
    ) -> Fitted:
        """The view of what a framework wrote down of a raw result: of an object, as JSON, if it has to be cut.

        >>> from overspill import MemoryStore, Overspill
        >>> results = Results(Overspill(store=MemoryStore()), budget=100)
        >>> results.fit_words("{'a': None}", {"a": None}).text, results.fit_words(str([0] * 999), [0] * 999).text[:6]
        ("{'a': None}", '[0,0,0')
        """
        if not isinstance(raw, dict | list | tuple) or words != str(raw):
            return self.fit(words, tool, call_id=call_id, batch=batch)
        text, _ = serialise_object(raw)
        fitted = self.fit(text, tool, call_id=call_id, batch=batch)
        return fitted._replace(text=words) if fitted.text == text else fitted

    def value(
        self, output: Any, tool: str = "", *, call_id: str = "", batch: Batch | None = None
    ) -> tuple[Any, Fitted]:
        """The view of a result in the shape it had: a mapping stays one, a list stays one, text stays text.

        What need not be changed is the very object that came.
        """
        text = output if isinstance(output, str) else serialise_object(output)[0]
        inside = only_text(output)
        if inside is not None and is_remembered_answer(self.spill, inside):
            return output, unchanged_view(inside)
        name = name_of_text(output)
        if name is not None:
            return self._named(output, name, tool, call_id, batch)
        fitted = self.fit(text, tool, call_id=call_id, batch=batch)
        return (output if fitted.text == text else shaped_like(fitted.text, output)), fitted

    async def avalue(
        self, output: Any, tool: str = "", *, call_id: str = "", batch: Batch | None = None
    ) -> tuple[Any, Fitted]:
        """`value` beside the event loop."""
        return await in_thread(lambda: self.value(output, tool, call_id=call_id, batch=batch))

    def _named(
        self, output: Mapping[str, Any], name: str, tool: str, call_id: str, batch: Batch | None
    ) -> tuple[Any, Fitted]:
        """The view of the text under a name, and the rest beside it: lines stay lines, and can be fetched as such."""
        import json

        rest, _ = serialise_object({key: value for key, value in output.items() if key != name})
        fitted = self.fit(output[name], tool, call_id=call_id, batch=batch, spare=len(rest) + len(name))
        safe = self.spill.workspace.redacted_text(rest)
        if safe != rest:
            return {**json.loads(safe), name: fitted.text}, fitted
        return (output if fitted.text == output[name] else {**output, name: fitted.text}), fitted

    def _without(self, spare: int, tool: str) -> Budget:
        room = self.spill.workspace.policy(tool, self.budget).inline
        chars, tokens = room.chars, room.tokens
        return room._replace(
            chars=None if chars is None else max(1, chars - spare),
            tokens=None if tokens is None else max(1, tokens - spare // CHARS_A_TOKEN),
        )

    def whole(self, output: Any) -> Any:
        """A result that is an answer to people, not for a model to read on: all of it, without its secrets."""
        text = output if isinstance(output, str) else serialise_object(output)[0]
        safe = self.spill.workspace.redacted_text(text)
        return output if safe == text else shaped_like(safe, output)

    def error(self, error: Exception, tool: str = "") -> Exception:
        """What may be raised in place of an error: itself, or a `ToolError` that says no more than may be shown."""
        return bounded_error(error, self.spill, tool, self.budget)

    @contextmanager
    def bounded_errors(self, tool: str = "", passing: tuple[type[BaseException], ...] = ()) -> Iterator[None]:
        """What is raised in here says no more than may be shown. Errors that are signals go by as they are."""
        try:
            yield
        except passing:
            raise
        except Exception as error:
            told = self.error(error, tool)
            if told is error:
                raise
            raise told from None

    def bounded_function(self, function: Callable[..., Any], tool: str = "") -> Callable[..., Any]:
        """The function, or one that returns something to await, which raises no more than may be shown."""

        @functools.wraps(function)
        def now(*given: Any, **named: Any) -> Any:
            with self.bounded_errors(tool):
                output = function(*given, **named)
            return later(output) if inspect.iscoroutine(output) else output

        async def later(output: Coroutine[Any, Any, Any]) -> Any:
            with self.bounded_errors(tool):
                return await output

        return now

    async def aerror(self, error: Exception, tool: str = "") -> Exception:
        """`error` beside the event loop."""
        return await in_thread(lambda: self.error(error, tool))

    def _turn_of(self, batch: Batch, budget: Budget | int) -> "Turn":
        """The turn of a batch. It is forgotten with its last call: names of calls may come again in another run."""
        with self._lock:
            turn, to_come = self._turns.pop(batch.key, (None, batch.calls))
            turn = turn or self.spill.turn(budget, calls=batch.calls)
            left = None if to_come is None else to_come - 1
            if left != 0:
                self._turns[batch.key] = turn, left
            while len(self._turns) > MOST_TURNS:
                self._turns.popitem(last=False)
            return turn


def rules_of_tool(tool: object, depth: int = 2) -> ToolRules | None:
    """What a tool of any framework asks for under `x-overspill`.

    >>> rules_of_tool({"input_schema": {}}), rules_of_tool({"x-overspill": {"limit": 500}})
    (None, ToolRules(strategy='', limit=500, focus=''))
    """
    if isinstance(tool, Mapping):
        return rules_in(dict(tool))
    for name in DESCRIPTIONS if depth else ():
        with suppress(Exception):  # a property of a stranger
            part = getattr(tool, name, None)
            make_schema = getattr(part, "model_json_schema", None)
            rules = rules_of_tool(make_schema() if callable(make_schema) else part, depth - 1)
            if rules is not None:
                return rules
    return None


def unchanged_view(text: str) -> Fitted:
    """A text that is shown whole."""
    size = measure(text)
    report = Report(size, size, size, 0, (Span(0, size.chars),) if size.chars else (), "pass")
    return Fitted(text, report)


def only_text(output: object) -> str | None:
    """The text of a result that is nothing else, or nothing but a text under a name, as frameworks wrap it.

    >>> only_text("hello"), only_text({"result": "hello"}), only_text({"result": 1})
    ('hello', 'hello', None)
    """
    if isinstance(output, Mapping) and len(output) == 1:
        output = next(iter(output.values()))
    return output if isinstance(output, str) else None


def name_of_text(output: object) -> str | None:
    """The name under which nearly all of a result stands, as one long text: `{"status": "ok", "report": "..."}`.

    >>> name_of_text({"status": "ok", "report": "x" * 5_000}), name_of_text({"rows": [1] * 5_000})
    ('report', None)
    """
    if type(output) is not dict or not all(isinstance(name, str) for name in output):
        return None
    name = max(output, key=lambda name: len(output[name]) if isinstance(output[name], str) else 0, default=None)
    if name is None or not isinstance(output[name], str) or len(output[name]) < LONG_TEXT:
        return None
    rest, _ = serialise_object({key: value for key, value in output.items() if key != name})
    return name if len(rest) * REST_OF_IT <= len(output[name]) else None


def shaped_like(view: str, output: object) -> object:
    """The view of an object as an object of its kind.

    >>> shaped_like('{"a": "..."}', {"a": "x" * 99}), shaped_like("too large", {"a": 1}), shaped_like("too large", [1])
    ({'a': '...'}, {'result': 'too large'}, ['too large'])
    """
    if isinstance(output, str | bytes):
        return view
    import json

    try:
        seen = json.loads(view)
    except ValueError:
        seen = view
    text, _ = serialise_object(output)
    if text.startswith("{") and not isinstance(seen, dict):
        return {RESULT: seen}
    return [seen] if text.startswith("[") and not isinstance(seen, list) else seen


def budgeted_calls(names: Iterable[str]) -> int:
    """How many of these calls will take of a turn's budget: what a model fetches is bounded by other limits.

    >>> budgeted_calls(["build", "get_artifact", "build"])
    2
    """
    return max(1, sum(name not in FETCHING_TOOLS for name in names))


async def in_thread(work: Callable[[], Given]) -> Given:
    """What `work` returns; it runs beside the event loop."""
    import asyncio

    return await asyncio.to_thread(work)


def view_metadata(fitted: Fitted) -> dict[str, object]:
    """What programs may want to know of a view, out of band: `artifact_id` and the specification's metadata."""
    return {"artifact_id": fitted.artifact_id, **fitted.metadata}


def with_texts(block: Any, text: Callable[[str], Any]) -> Any:
    """A block with other texts in the places of its own: in search results and documents, too.

    >>> with_texts({"type": "search_result", "content": [{"type": "text", "text": "long"}]}, str.upper)
    {'type': 'search_result', 'content': [{'type': 'text', 'text': 'LONG'}]}
    """
    if not isinstance(block, Mapping):
        return block
    kind, source = block.get("type"), block.get("source")
    if kind == "text" and isinstance(block.get("text"), str):
        return {**block, "text": text(block["text"])}
    if kind in {"search_result", "content"} and isinstance(block.get("content"), list):
        return {**block, "content": [with_texts(one, text) for one in block["content"]]}
    if kind == "document" and isinstance(source, Mapping):
        if source.get("type") == "text" and isinstance(source.get("data"), str):
            return {**block, "source": {**source, "data": text(source["data"])}}
        return {**block, "source": with_texts(source, text)}
    return block


# What tools said, by the kinds of items it is sent in, and the names texts have in their parts.
OUTPUT_TYPES = {
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "shell_call_output",
    "mcp_call",
}
TEXT_KEYS = ("text", "stdout", "stderr")

# How many views are known again: the whole conversation comes by at every turn.
MOST_VIEWS = 1_024


class InputFilter:
    """For `RunConfig.call_model_input_filter`: what tools said fits, whoever ran them.

    `clear` says when old results go from what is sent; left out, all of them stay.
    """

    def __init__(
        self,
        spill: "Overspill | None" = None,
        *,
        budget: Budget | int | None = None,
        clear: "Clearing | None" = None,
    ) -> None:
        self._results = Results(spill, budget=budget)
        self._clear = clear
        self._views: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, data: Any) -> Any:
        """What is sent to the model, fitted."""
        sent = data.model_data
        ours = {tool.name for tool in data.agent.tools if _is_artifact_tool(tool)}
        calls = [item for item in sent.input if "name" in item]
        names = {item.get("call_id"): item["name"] for item in calls if item["name"] not in ours}
        fetched = {item.get("call_id") for item in calls if item["name"] in ours}
        items = await in_thread(
            lambda: [item if item.get("call_id") in fetched else self._item(item, names) for item in sent.input]
        )
        if self._clear is not None:
            from overspill.history import clear_by

            rules = self._clear
            items = await in_thread(lambda: clear_by(rules, items, self._results.spill))
        return replace(sent, input=items)

    def _item(self, item: Any, names: Mapping[Any, str]) -> Any:
        if item.get("type") not in OUTPUT_TYPES or not item.get("output"):
            return item
        name = item.get("name") or names.get(item.get("call_id"), "")
        output = item["output"]
        return {**item, "output": self._text(output, name) if isinstance(output, str) else self._parts(output, name)}

    def _parts(self, parts: Any, name: str) -> Any:
        if not isinstance(parts, list):
            return parts
        return [
            {key: self._text(value, name) if key in TEXT_KEYS else value for key, value in part.items()}
            for part in parts
        ]

    def _text(self, text: Any, name: str) -> Any:
        """The view of a text; the same one whenever it comes by."""
        if not isinstance(text, str):
            return text
        key = text_digest(text)
        view = self._views.pop(key, None)
        self._views[key] = view = self._results.fit(text, name).text if view is None else view
        while len(self._views) > MOST_VIEWS:
            self._views.popitem(last=False)
        return view


def _is_artifact_tool(tool: Any) -> bool:
    return getattr(getattr(tool, "on_invoke_tool", None), ARTIFACT_TOOL, False) is True
