"""LangChain and LangGraph: a middleware that fits what tools say, and gives the model the tools that fetch the rest.

    from langchain.agents import create_agent
    from overspill import Overspill
    from overspill.frameworks.langchain import OverspillMiddleware

    spill = Overspill(preset="agent")
    agent = create_agent(model, tools=tools, middleware=[OverspillMiddleware(spill)])

What programs may want to know of a view stands in `ToolMessage.artifact["overspill"]`, its `artifact_id` among it.
Interrupts go by untouched; in commands of a graph the messages are fitted. What a tool returns directly
(`return_direct`) is for people: its secrets are hidden, and it is not cut. With `clear=Clearing()`, old results go from
what is sent to the model; the state of the graph keeps them.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from overspill.core.budget import Budget
from overspill.core.report import Fitted
from overspill.frameworks import require_extra, tool_functions
from overspill.frameworks.results import Batch, Results, budgeted_calls, in_thread, unchanged_view, view_metadata
from overspill.history import arguments_text, cleared_lines, text_in, with_line
from overspill.history.decision import Clearing, ConversationEntry, GivenResult, MadeCall, SaidText
from overspill.retrieve.tools import TOOLS

if TYPE_CHECKING:
    from overspill.api import Overspill

with require_extra("langchain"):
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.errors import GraphBubbleUp
    from langgraph.types import Command


def tools_of(spill: "Overspill | None" = None, ceiling: int | None = None) -> list[BaseTool]:
    """get_artifact, search_artifacts and list_artifacts as tools of LangChain, for graphs of your own."""
    made: list[BaseTool] = []
    for tool in TOOLS:
        now, later = tool_functions(spill, tool.name, ceiling)
        schema = dict(tool.parameters)
        made.append(
            StructuredTool(name=tool.name, description=tool.description, args_schema=schema, func=now, coroutine=later)
        )
    return made


class OverspillMiddleware(AgentMiddleware):
    """Fits every result of every tool. `budget` is for each result, `turn` for all calls of one message together.

    `clear` says when old results go from what is sent to the model; left out, all of them stay.
    """

    framework = "langchain"
    ceiling: int | None = None  # characters that no answer of an artifact tool may exceed here

    def __init__(
        self,
        spill: "Overspill | None" = None,
        *,
        budget: Budget | int | None = None,
        turn: Budget | int | None = None,
        clear: Clearing | None = None,
    ) -> None:
        super().__init__()
        self.clear = clear
        self.results = Results(spill, budget=budget, turn=turn, framework=self.framework)
        self.tools = tools_of(spill, self.ceiling)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """What the tool gave, fitted."""
        with self.results.bounded_errors(request.tool_call["name"], (GraphBubbleUp,)):
            result = handler(request)
        return self.fitted(result, request)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """What the tool gave, fitted beside the event loop."""
        with self.results.bounded_errors(request.tool_call["name"], (GraphBubbleUp,)):
            result = await handler(request)
        return await in_thread(lambda: self.fitted(result, request))

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """What the model says to the messages without the results that went."""
        return handler(self.cleared_request(request))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """What the model says to the messages without the results that went, which is decided beside the event loop."""
        if self.clear is None:
            return await handler(request)
        return await handler(await in_thread(lambda: self.cleared_request(request)))

    def cleared_request(self, request: Any) -> Any:
        """A request of the model in which old results are lines; itself, if none is."""
        if self.clear is None:
            return request
        lines = cleared_lines(read_messages(request.messages), self.results.spill, self.clear)
        sent = [
            message.model_copy(update={"content": with_line(message.content, lines[at])}) if at in lines else message
            for at, message in enumerate(request.messages)
        ]
        return request.override(messages=sent) if lines else request

    def fitted(self, result: Any, request: Any) -> Any:
        """A message, a command with messages, or a list of both, in which every text fits."""
        if isinstance(result, ToolMessage):
            return self._message(result, request)
        if isinstance(result, Command):
            return self._command(result, request)
        if isinstance(result, list):
            return [self.fitted(one, request) for one in result]
        return result

    def _command(self, command: Any, request: Any) -> Any:
        update = command.update
        if isinstance(update, Mapping) and "messages" in update:
            update = {**update, "messages": self.fitted(update["messages"], request)}
        elif isinstance(update, list):  # messages, or pairs of a channel and what is written to it
            update = [
                (one[0], self.fitted(one[1], request)) if isinstance(one, tuple) else self.fitted(one, request)
                for one in update
            ]
        return replace(command, update=update)

    def _message(self, message: Any, request: Any) -> Any:
        blocks = [message.content] if isinstance(message.content, str) else message.content
        places = [place for place, block in enumerate(blocks) if _text_of(block) is not None]
        shown = self._shown([_text_of(blocks[place]) or "" for place in places], message, request)
        seen = list(blocks)
        for place, fitted in zip(places, shown, strict=True):
            block = blocks[place]
            seen[place] = fitted.text if isinstance(block, str) else {**block, "text": fitted.text}
        if seen == list(blocks):
            return message
        content = seen[0] if isinstance(message.content, str) else seen
        return message.model_copy(update={"content": content, "artifact": _beside(message.artifact, shown)})

    def _shown(self, texts: list[str], message: Any, request: Any) -> list[Fitted]:
        if getattr(request.tool, "return_direct", False):
            return [unchanged_view(self.results.whole(text)) for text in texts]
        self.results.note_tool(request.tool_call["name"], request.tool)
        return self.results.texts(
            texts,
            message.name or request.tool_call["name"],
            is_error=message.status == "error",
            call_id=message.tool_call_id or "",
            batch=batch_of(request),
        )


def read_messages(messages: Iterable[Any]) -> Iterator[ConversationEntry]:
    """What stands in messages of LangChain, in order."""
    for at, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            is_error = message.status == "error"
            yield GivenResult(at, message.tool_call_id or "", text_in(message.content), is_error)
            continue
        yield SaidText(text_in(message.content), by_model := isinstance(message, AIMessage))
        for call in [*message.tool_calls, *message.invalid_tool_calls] if by_model else []:
            yield MadeCall(call["id"] or "", call["name"] or "", arguments_text(call["args"] or ""))


def _text_of(block: Any) -> str | None:
    """The text of a block of content. Images and whatever else has no text stay."""
    text = block.get("text") if isinstance(block, Mapping) else block
    return text if isinstance(text, str) else None


def _beside(artifact: Any, shown: Iterable[Fitted]) -> Any:
    """What stands beside the message for programs: what the tool put there, and what we know of the view."""
    views = [view_metadata(fitted) for fitted in shown]
    if artifact is not None and not isinstance(artifact, Mapping):
        return artifact
    return {**(artifact or {}), "overspill": next((view for view in views if view["artifact_id"]), views[0])}


def batch_of(request: Any) -> Batch | None:
    """The calls that stand in one message with this one."""
    state = request.state
    messages = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", state)
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, AIMessage):
            ids = tuple(call["id"] for call in message.tool_calls)
            if request.tool_call["id"] in ids:
                return Batch((message.id, ids), budgeted_calls(call["name"] for call in message.tool_calls))
    return None
