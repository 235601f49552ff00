"""Anthropic's tool runner: tools whose results fit, and the tools that fetch the rest.

    from overspill import Overspill
    from overspill.frameworks.anthropic import fitted_tools

    spill = Overspill(preset="agent")
    tools = fitted_tools([search, read_page], spill)
    runner = client.beta.messages.tool_runner(model=model, max_tokens=1024, messages=messages, tools=tools)
    for message in runner: ...

`search` is what `@beta_tool` or `@beta_async_tool` made; one tool alone can be wrapped by `@fitted(spill=spill)`,
above or below that decorator. In lists of blocks the texts are fitted, images stay. Errors reach the model as
`ToolError`s within the budget. Server tools and toolsets go by untouched. With `fitted_tools(..., clear=Clearing())`,
old results go from the messages of a runner whose messages are read by `tools.turns(runner)`.
"""

import copy
import functools
import inspect
import operator
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from overspill.core.budget import Budget
from overspill.frameworks import BY_NAME, artifact_tools, async_artifact_tools, require_extra
from overspill.frameworks.results import Batch, Results, in_thread, with_texts

if TYPE_CHECKING:
    from overspill.api import Overspill
    from overspill.history import Clearing

with require_extra("anthropic"):
    from anthropic import beta_async_tool, beta_tool
    from anthropic.lib.tools import (
        BetaAsyncBuiltinFunctionTool,
        BetaAsyncFunctionTool,
        BetaBuiltinFunctionTool,
        BetaFunctionTool,
        ToolError,
    )

LATER = (BetaAsyncFunctionTool, BetaAsyncBuiltinFunctionTool)
RUNNABLE = (BetaFunctionTool, BetaBuiltinFunctionTool, *LATER)


def tools_of(spill: "Overspill | None" = None, *, later: bool = False) -> list[Any]:
    """get_artifact, search_artifacts and list_artifacts as tools of a runner; `later` is for the async client."""
    functions: Iterable[Callable[..., Any]] = async_artifact_tools(spill) if later else artifact_tools(spill)
    made = beta_async_tool if later else beta_tool
    known = [(function, BY_NAME[function.__name__]) for function in functions]
    return [
        made(one, name=tool.name, description=tool.description, input_schema=dict(tool.parameters))
        for one, tool in known
    ]


def fitted(tool: Any = None, /, *, spill: "Overspill | None" = None, budget: Budget | int | None = None) -> Any:
    """A decorator for one tool, or for the function it is made of: `@fitted` or `@fitted(spill=spill)`."""
    made = Fitting(Results(spill, budget=budget, framework="anthropic")).of
    return made if tool is None else made(tool)


def fitted_tools(
    tools: Iterable[Any],
    spill: "Overspill | None" = None,
    *,
    budget: Budget | int | None = None,
    turn: Budget | int | None = None,
    later: bool | None = None,
    clear: "Clearing | None" = None,
) -> "FittedTools":
    """The tools with results that fit, and the artifact tools. For `turn` and `clear`, see `FittedTools.turns`.

    The artifact tools are for the async client if one of the tools is, or if `later` says so.
    """
    given = list(tools)
    later = any(isinstance(tool, LATER) for tool in given) if later is None else later
    results = Results(spill, budget=budget, turn=turn, framework="anthropic")
    return FittedTools(given, tools_of(spill, later=later), results, clear)


class FittedTools(list[Any]):
    """What `tool_runner` takes as `tools`."""

    def __init__(self, tools: list[Any], ours: list[Any], results: Results, clear: "Clearing | None" = None) -> None:
        self._clear = clear
        self._fitting = Fitting(results)
        self._names = {tool.name for tool in tools if isinstance(tool, RUNNABLE)}
        super().__init__([*map(self._fitting.of, tools), *(tool for tool in ours if tool.name not in self._names)])

    def turns(self, runner: Any) -> Any:
        """The messages of a runner. The calls in each share the budget of a turn: only the runner knows them.

        Before the next request, old results go from what was sent so far, where that was asked for.
        """
        return self._later(runner) if hasattr(runner, "__aiter__") else self._now(runner)

    def _now(self, runner: Iterable[Any]) -> Iterator[Any]:
        for message in runner:
            self._expect(message)
            if self._clear is not None:
                replace_messages(runner, self._cleared(messages_of(runner), self._clear))
            yield message

    async def _later(self, runner: Any) -> AsyncIterator[Any]:
        async for message in runner:
            self._expect(message)
            if self._clear is not None:
                work = functools.partial(self._cleared, messages_of(runner), self._clear)
                replace_messages(runner, await in_thread(work))
            yield message

    def _cleared(self, sent: list[Any], rules: "Clearing") -> list[Any] | None:
        """The messages without the results that went; None if all stay."""
        from overspill.history import clear_by

        messages = clear_by(rules, sent, self._fitting.results.spill)
        return None if all(map(operator.is_, messages, sent)) else messages

    def _expect(self, message: Any) -> None:
        blocks = getattr(message, "content", None) or []
        calls = sum(getattr(block, "type", "") == "tool_use" and block.name in self._names for block in blocks)
        self._fitting.batch.set(Batch(message.id, calls) if calls else None)


def messages_of(runner: Any) -> list[Any]:
    """What a runner has sent so far: its parameters are told to whoever would change them."""
    told: list[Any] = []

    def tell(params: Any) -> Any:
        told.extend(params["messages"])
        return params

    runner.set_messages_params(tell)
    return told


def replace_messages(runner: Any, messages: list[Any] | None) -> None:
    """Let a runner go on from other messages, if there are any."""
    if messages is not None:
        runner.set_messages_params(lambda params: {**params, "messages": messages})


class Fitting:
    """What is done to the tools of one run."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.batch: ContextVar[Batch | None] = ContextVar("batch", default=None)

    def of(self, tool: Any) -> Any:
        """The tool, or the function of one, with results that fit. Definitions of server tools are left alone."""
        if isinstance(tool, RUNNABLE):
            self.results.note_tool(tool.name, tool)
            twin = copy.copy(tool)
            twin.call = self.wrap(tool.call, tool.name)
            return twin
        return self.wrap(tool, tool.__name__) if inspect.isroutine(tool) else tool

    def wrap(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """The function with results that fit: a coroutine stays one."""

        async def later(*given: Any, **named: Any) -> Any:
            with self.bounded_errors(name):
                output = await function(*given, **named)
            batch = self.batch.get()
            return await in_thread(lambda: self.shown_output(output, name, batch))

        def now(*given: Any, **named: Any) -> Any:
            with self.bounded_errors(name):
                output = function(*given, **named)
            return self.shown_output(output, name, self.batch.get())

        return functools.wraps(function)(later if inspect.iscoroutinefunction(function) else now)

    @contextmanager
    def bounded_errors(self, name: str) -> Iterator[None]:
        """What is raised in here says no more than it may."""
        try:
            yield
        except ToolError as error:
            content = self.shown_output(error.content, name, None, is_error=True)
            if content == error.content:
                raise
            raise ToolError(content) from None
        except Exception as error:
            told = self.results.error(error, name)
            if told is error:
                raise
            raise ToolError(f"{type(error).__name__}: {told}") from None

    def shown_output(self, output: Any, name: str, batch: Batch | None, *, is_error: bool = False) -> Any:
        """A result as the API takes it: text, or blocks; anything else is written down as JSON."""
        if output is None:
            return None
        blocks = list(output) if isinstance(output, Iterator | tuple) else output
        if not isinstance(blocks, list) or not all(isinstance(one, Mapping) and "type" in one for one in blocks):
            return self.results.fit(blocks, name, is_error=is_error, batch=batch).text
        texts: list[str] = []
        for block in blocks:
            with_texts(block, texts.append)
        views = iter(self.results.texts(texts, name, is_error=is_error, batch=batch))
        return [with_texts(block, lambda _: next(views).text) for block in blocks]
