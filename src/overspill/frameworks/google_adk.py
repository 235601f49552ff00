"""Google's Agent Development Kit: a plugin that fits what tools say, and gives every agent the tools for the rest.

    from google.adk.runners import Runner
    from overspill import Overspill
    from overspill.frameworks.google_adk import OverspillPlugin

    spill = Overspill(preset="agent")
    runner = Runner(agent=agent, app_name="app", session_service=sessions, plugins=[OverspillPlugin(spill)])

Put it last among the plugins: ADK asks them in order, and the first that changes a result ends the asking. Results
stay dictionaries, media parts in them stay as they are, and so does what long-running tools, confirmations and a
model's own structured answer say; where summaries are skipped, secrets are hidden and nothing is cut. An exception of
a tool is told to the model within the budget; with `errors=False` it is raised, as ADK does by itself. With
`clear=Clearing()`, old results go from what is sent to the model; the events of the session keep them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from overspill.core.budget import Budget
from overspill.frameworks import BY_NAME, async_artifact_tools, properties, require_extra
from overspill.frameworks.results import RESULT, Batch, Results, in_thread, only_text
from overspill.history import arguments_text, cleared_lines
from overspill.history.decision import Clearing, ConversationEntry, GivenResult, MadeCall, SaidText
from overspill.mcp.results import CallInfo, limited_result

if TYPE_CHECKING:
    from overspill.api import Overspill

with require_extra("google-adk"):
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools import FunctionTool
    from google.genai import types

ERROR = "error"
# What these answer is no tool result: the model's own answer by a schema, and a screen.
NOT_OURS = {"SetModelResponseTool", "ComputerUseTool"}


class ArtifactTool(FunctionTool):
    """A function of ours, declared by the schema it carries: older releases cannot read its signature."""

    def _get_declaration(self) -> types.FunctionDeclaration:
        tool = BY_NAME[self.name]
        known = {
            name: types.Schema(type=words["type"].upper(), description=words["description"])
            for name, words in properties(tool).items()
        }
        schema = types.Schema(type="OBJECT", properties=known, required=tool.parameters["required"] or None)
        return types.FunctionDeclaration(name=tool.name, description=tool.description, parameters=schema)


def tools_of(spill: "Overspill | None" = None) -> list[FunctionTool]:
    """get_artifact, search_artifacts and list_artifacts as tools of ADK. The plugin offers them by itself."""
    return [ArtifactTool(function) for function in async_artifact_tools(spill)]


class OverspillPlugin(BasePlugin):
    """Fits every result of every tool. `budget` is for each result, `turn` for all calls of one answer together.

    `clear` says when old results go from what is sent to the model; left out, all of them stay.
    """

    def __init__(
        self,
        spill: "Overspill | None" = None,
        *,
        budget: Budget | int | None = None,
        turn: Budget | int | None = None,
        errors: bool = True,
        clear: Clearing | None = None,
        name: str = "overspill",
    ) -> None:
        super().__init__(name=name)
        self.clear = clear
        self.results = Results(spill, budget=budget, turn=turn, framework="google-adk")
        self.errors = errors
        self.tools = tools_of(spill)

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Offer the artifact tools to whoever has tools; without any there is nothing to fetch. Clear old results."""
        del callback_context
        known = llm_request.tools_dict
        if known:
            llm_request.append_tools([tool for tool in self.tools if tool.name not in known])
        if self.clear is not None:
            contents, rules = llm_request.contents, self.clear
            lines = await in_thread(lambda: cleared_lines(read_contents(contents), self.results.spill, rules))
            llm_request.contents = [_with_lines(content, at, lines) for at, content in enumerate(contents)]

    async def after_tool_callback(
        self, *, tool: Any, tool_args: Mapping[str, Any], tool_context: Any, result: Any
    ) -> dict[str, Any] | None:
        """The result as it may be shown; None if it may stay as it is."""
        del tool_args
        if result is None or _is_left_alone(tool, tool_context):
            return None
        self.results.note_tool(tool.name, tool)
        media, words = _parted(result)
        if media and not words:
            return None
        if tool_context.actions.skip_summarization:  # it is the answer, and no model reads on
            shown = await in_thread(lambda: self.results.whole(words))
        elif isinstance(words, dict) and isinstance(words.get("content"), list):  # of an MCP server
            asked = CallInfo(
                tool.name, self.results.spill.workspace.policy(tool.name, self.results.budget).inline.chars
            )
            shown = await in_thread(lambda: limited_result(self.results.spill, words, asked) or words)
        else:
            shown, _ = await self.results.avalue(
                words, tool.name, call_id=tool_context.function_call_id or "", batch=_batch_of(tool_context)
            )
        if shown is words:
            return None
        return {**(shown if isinstance(shown, dict) else {RESULT: shown}), **media}

    async def on_tool_error_callback(
        self, *, tool: Any, tool_args: Mapping[str, Any], tool_context: Any, error: BaseException
    ) -> dict[str, Any] | None:
        """What the model is told of an error. Whoever cancels is not held up."""
        del tool_args, tool_context
        if not self.errors or not isinstance(error, Exception):
            return None
        kind = type(error).__name__
        told = await in_thread(lambda: self.results.fit(f"{kind}: {error}", tool.name, is_error=True))
        return {ERROR: told.text}


def read_contents(contents: Iterable[Any]) -> Iterator[ConversationEntry]:
    """What stands in contents, in order. Where ADK took the ids away, a result answers the next call of its name."""
    waiting: list[MadeCall] = []
    for at, content in enumerate(contents):
        for number, part in enumerate(content.parts or ()):
            if part.function_call:
                call = part.function_call
                waiting.append(
                    MadeCall(call.id or f"{at} {number}", call.name or "", arguments_text(dict(call.args or {})))
                )
                yield waiting[-1]
            elif part.function_response:
                given = part.function_response
                made = next((call for call in waiting if given.id == call.id or given.name == call.tool), None)
                if made is not None:
                    waiting.remove(made)
                is_error = ERROR in (given.response or {})
                yield GivenResult((at, number), made.id if made else "", _written(given.response), is_error)
            else:
                yield SaidText(part.text or "", content.role == "model")


def _written(response: Any) -> str:
    """What a result says: the text that it is, or all of it as JSON."""
    text = only_text(response)
    return json.dumps(response or {}, ensure_ascii=False, default=str) if text is None else text


def _with_lines(content: Any, at: int, lines: Mapping[Any, str]) -> Any:
    parts = list(content.parts or ())
    places = [number for number in range(len(parts)) if (at, number) in lines]
    for number in places:
        said = parts[number].function_response.model_copy(update={"response": {RESULT: lines[at, number]}})
        parts[number] = parts[number].model_copy(update={"function_response": said})
    return content.model_copy(update={"parts": parts}) if places else content


def _is_left_alone(tool: Any, tool_context: Any) -> bool:
    actions = tool_context.actions
    asks = getattr(actions, "requested_auth_configs", None) or getattr(actions, "requested_tool_confirmations", None)
    return bool(tool.is_long_running or asks or type(tool).__name__ in NOT_OURS)


def _parted(result: Any) -> tuple[dict[str, Any], Any]:
    """Media parts, which ADK hands to the model as such, and the rest."""
    if _is_media(result):
        return {RESULT: result}, None
    if isinstance(result, dict):
        media = {name: value for name, value in result.items() if _is_media(value)}
        return media, {name: value for name, value in result.items() if name not in media} if media else result
    if isinstance(result, list | tuple) and any(map(_is_media, result)):
        media = {f"media_{number}": value for number, value in enumerate(result) if _is_media(value)}
        return media, [value for value in result if not _is_media(value)]
    return {}, result


def _is_media(value: Any) -> bool:
    if isinstance(value, types.Part | types.FunctionResponse):
        return True
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, types.Part) for one in value)


def _batch_of(tool_context: Any) -> Batch | None:
    """The calls that stand in one answer of the model with this one."""
    session = getattr(tool_context, "session", None)
    for event in reversed(session.events if session is not None else []):
        ids = [call.id for call in event.get_function_calls()]
        if tool_context.function_call_id in ids:
            return Batch((event.invocation_id, event.id), len(ids))
    return None
