"""pydantic-ai: a capability that fits what tools say, and gives the model the tools that fetch the rest.

    from overspill import Overspill
    from overspill.frameworks.pydantic_ai import OverspillCapability
    from pydantic_ai import Agent

    spill = Overspill(preset="agent")
    agent = Agent(model, tools=tools, capabilities=[OverspillCapability(spill)])

Where only some toolsets are meant, wrap those: `toolsets=[OverspillToolset(mcp, spill), artifact_toolset(spill)]`.
What programs may want to know of a view stands in the metadata of the tool's return, under "overspill". Retries and
failures that tools ask for stay what they are, with a message that fits; deferred and approved calls go by untouched.
With `clear=Clearing()`, old results go from what is sent to the model; the messages of the run keep them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from overspill.clean.objects import serialise_object
from overspill.core.budget import Budget
from overspill.frameworks import require_extra, tool_functions
from overspill.frameworks.results import Batch, Results, budgeted_calls, in_thread, view_metadata
from overspill.history import arguments_text, cleared_lines
from overspill.history.decision import Clearing, ConversationEntry, GivenResult, MadeCall, SaidText
from overspill.retrieve.tools import TOOLS

if TYPE_CHECKING:
    from overspill.api import Overspill

with require_extra("pydantic-ai"):
    from pydantic import ValidationError
    from pydantic_ai import ModelRetry, Tool, exceptions
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturn, ToolReturnPart
    from pydantic_ai.toolsets import FunctionToolset, WrapperToolset

# What a tool raises to tell the model something. The second is younger than the oldest release that is supported.
TELLING = (ModelRetry, getattr(exceptions, "ToolFailed", ModelRetry))

# What is raised to tell the framework something. It says nothing to the model, and must stay what it is.
SIGNALS = (exceptions.CallDeferred, exceptions.ApprovalRequired, exceptions.SkipToolExecution)


def artifact_toolset(spill: "Overspill | None" = None) -> FunctionToolset:
    """get_artifact, search_artifacts and list_artifacts as a toolset."""
    return FunctionToolset(
        [
            Tool.from_schema(tool_functions(spill, tool.name)[1], tool.name, tool.description, dict(tool.parameters))
            for tool in TOOLS
        ]
    )


@dataclass
class OverspillToolset(WrapperToolset):
    """A toolset with results that fit. `budget` is for each result, `turn` for all calls of one response."""

    spill: "Overspill | None" = None
    budget: Budget | int | None = None
    turn: Budget | int | None = None
    results: Results | None = None  # handed on where the framework copies a toolset

    def __post_init__(self) -> None:
        if self.results is None:
            self.results = Results(self.spill, budget=self.budget, turn=self.turn, framework="pydantic-ai")

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        """What the tool gave, fitted."""
        assert self.results is not None  # noqa: S101  # see above
        try:
            result = await self.wrapped.call_tool(name, tool_args, ctx, tool)
        except Exception as error:
            bounded = await self._error(error, name)
            if bounded is error:
                raise
            raise bounded from None
        self.results.note_tool(name, tool)
        return await fitted_result(result, self.results, name, ctx)

    async def _error(self, error: Exception, name: str) -> Exception:
        assert self.results is not None  # noqa: S101
        if isinstance(error, TELLING):
            message = (await self.results.afit(error.message, name, is_error=True)).text
            return error if message == error.message else type(error)(message)
        if isinstance(error, SIGNALS):
            return error
        if isinstance(error, ValidationError):  # the framework tells the model all of it, with what was given
            details = serialise_object(error.errors(include_url=False, include_context=False))[0]
            view = (await self.results.afit(details, name, is_error=True)).text
            return error if view == details else ModelRetry(view)
        return await self.results.aerror(error, name)


@dataclass
class OverspillCapability(AbstractCapability):
    """Fits the results of all tools of an agent and offers the model the artifact tools.

    `clear` says when old results go from what is sent to the model; left out, all of them stay.
    """

    spill: "Overspill | None" = None
    budget: Budget | int | None = None
    turn: Budget | int | None = None
    clear: Clearing | None = None

    def __post_init__(self) -> None:
        self._results = Results(self.spill, budget=self.budget, turn=self.turn, framework="pydantic-ai")
        self._artifacts = artifact_toolset(self.spill)

    def get_toolset(self) -> Any:
        """The artifact tools."""
        return self._artifacts

    def get_wrapper_toolset(self, toolset: Any) -> Any:
        """All tools of the agent, whose results fit."""
        return OverspillToolset(toolset, self.spill, self.budget, self.turn, self._results)

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        """What the model says to messages with lines in the places of the results that went."""
        del ctx
        if self.clear is not None:
            messages, rules = request_context.messages, self.clear
            lines = await in_thread(lambda: cleared_lines(read_messages(messages), self._results.spill, rules))
            sent = [_with_lines(message, at, lines) for at, message in enumerate(messages)]
            request_context = replace(request_context, messages=sent)
        return await handler(request_context)


def read_messages(messages: Iterable[Any]) -> Iterator[ConversationEntry]:
    """What stands in messages of pydantic-ai, in order. What holds media, or is no plain return, is never changed."""
    for at, message in enumerate(messages):
        by_model = isinstance(message, ModelResponse)
        for number, part in enumerate(message.parts):
            content = getattr(part, "content", None)
            if isinstance(part, ToolCallPart):
                yield MadeCall(part.tool_call_id, part.tool_name, arguments_text(part.args or ""))
            elif type(part) is ToolReturnPart and not _holds_media(content):
                is_error = getattr(part, "outcome", "success") != "success"
                yield GivenResult((at, number), part.tool_call_id, part.model_response_str(), is_error)
            else:
                words = content if isinstance(content, list | tuple) else [content]
                yield SaidText("\n".join(one for one in words if isinstance(one, str)), by_model)


def _with_lines(message: Any, at: int, lines: Mapping[Any, str]) -> Any:
    places = [number for number in range(len(message.parts)) if (at, number) in lines]
    if not places:
        return message
    parts = list(message.parts)
    for number in places:
        parts[number] = replace(parts[number], content=lines[at, number])
    return replace(message, parts=parts)


def _holds_media(content: Any) -> bool:
    return _is_media(content) or (isinstance(content, list | tuple) and any(map(_is_media, content)))


async def fitted_result(result: Any, results: Results, name: str, ctx: Any) -> Any:
    """A result as the model may see it. Images, documents and the like stay as they are."""
    given = result if isinstance(result, ToolReturn) else ToolReturn(return_value=result)
    value, known = await _fitted(given.return_value, results, name, ctx)
    content, more = await _fitted(given.content, results, name, ctx)
    if value is given.return_value and content is given.content:
        return result
    metadata = given.metadata
    if metadata is None or isinstance(metadata, Mapping):
        metadata = {**(metadata or {}), "overspill": known or more}
    return replace(given, return_value=value, content=content, metadata=metadata)


async def _fitted(value: Any, results: Results, name: str, ctx: Any) -> tuple[Any, dict[str, object] | None]:
    if value is None or _is_media(value):
        return value, None
    if isinstance(value, list | tuple) and any(map(_is_media, value)):
        parts = [await _fitted(part, results, name, ctx) for part in value]
        known = [facts for _, facts in parts if facts]
        return ([part for part, _ in parts] if known else value), next(iter(known), None)
    seen, fitted = await results.avalue(value, name, call_id=ctx.tool_call_id or "", batch=batch_of(ctx))
    return seen, None if seen is value else view_metadata(fitted)


def _is_media(value: Any) -> bool:
    return type(value).__module__.startswith("pydantic_ai.")


def batch_of(ctx: Any) -> Batch | None:
    """The calls that stand in one response with this one."""
    for message in reversed(ctx.messages):
        if isinstance(message, ModelResponse):
            calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
            ids = tuple(call.tool_call_id for call in calls)
            if ctx.tool_call_id in ids:
                run = getattr(ctx, "run_id", None), ctx.run_step
                return Batch((run, ids), budgeted_calls(call.tool_name for call in calls))
            break
    return None
