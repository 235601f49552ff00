"""CrewAI: hooks that fit what tools say to agents, and the tools that fetch the rest.

    from crewai import Agent, Crew, Task
    from overspill import Overspill
    from overspill.frameworks.crewai import OverspillHooks

    with OverspillHooks(Overspill(preset="agent")) as hooks:
        agent = Agent(role="analyst", goal="...", backstory="...", tools=hooks.tools([search]))
        Crew(agents=[agent], tasks=[Task(...)]).kickoff()

Hooks of CrewAI are for all crews of the process; outside of the block ours are not there. `hooks.tools` adds the
artifact tools, and sees to it that what tools raise is bounded in CrewAI's records of failures, too. A result that
is the answer of the task (`result_as_answer`) is for people and programs: its secrets are hidden, and it is not cut.
"""

from collections.abc import Callable, Iterable
from threading import Lock
from typing import TYPE_CHECKING, Any

from overspill.core.budget import Budget
from overspill.fit.prepare import failure_view
from overspill.frameworks import BY_NAME, artifact_tools, async_artifact_tools, model_of, require_extra
from overspill.frameworks.results import Batch, Results

if TYPE_CHECKING:
    from typing import Self

    from overspill.api import Overspill

with require_extra("crewai"):
    from crewai.hooks import (
        register_after_tool_call_hook,
        register_before_llm_call_hook,
        unregister_after_tool_call_hook,
        unregister_before_llm_call_hook,
    )
    from crewai.tools import BaseTool
    from pydantic import PrivateAttr

# What CrewAI writes in place of a result when a tool failed: such a text never becomes the answer of a task.
FAILURES = ("Error executing tool: ", "\nI encountered an error while trying to use the tool.")
MOST_AGENTS = 1_024
# Characters of an error that a tool raises: CrewAI writes much around it, and both together are to fit.
OF_AN_ERROR = 2_000


class ArtifactTool(BaseTool):
    """A function of ours. Its answers are never taken from CrewAI's cache: the next page of a list is another list."""

    _now: Callable[..., str] = PrivateAttr()
    _later: Any = PrivateAttr()

    def _run(self, **given: Any) -> str:
        return self._now(**given)

    async def _arun(self, **given: Any) -> str:
        return await self._later(**given)


def tools_of(spill: "Overspill | None" = None) -> list[BaseTool]:
    """get_artifact, search_artifacts and list_artifacts as tools of CrewAI."""
    tools: list[BaseTool] = []
    for now, later in zip(artifact_tools(spill), async_artifact_tools(spill), strict=True):
        known = BY_NAME[now.__name__]
        tool = ArtifactTool(
            name=known.name, description=known.description, args_schema=model_of(known), cache_function=_never
        )
        tool._now, tool._later = now, later  # noqa: SLF001  # pydantic sets private attributes no other way
        tools.append(tool)
    return tools


def _never(*_: Any) -> bool:
    return False


class OverspillHooks:
    """Fits the results of all tools between `register` and `unregister`, or in a `with` block.

    `budget` is for each result, `turn` for all results between two questions to the model.
    """

    def __init__(
        self,
        spill: "Overspill | None" = None,
        *,
        budget: Budget | int | None = None,
        turn: Budget | int | None = None,
    ) -> None:
        self.results = Results(spill, budget=budget, turn=turn, framework="crewai")
        self._errors = Results(spill, budget=OF_AN_ERROR if budget is None else budget, framework="crewai")
        self._asked: dict[object, int] = {}
        self._lock = Lock()

    def register(self) -> None:
        """Let CrewAI call the hooks; those of a turn must be known before the crew is started."""
        register_after_tool_call_hook(self.after_tool_call)
        register_before_llm_call_hook(self.before_llm_call)

    def unregister(self) -> None:
        """Let it be as before."""
        unregister_after_tool_call_hook(self.after_tool_call)
        unregister_before_llm_call_hook(self.before_llm_call)

    def tools(self, tools: Iterable[BaseTool] = ()) -> list[BaseTool]:
        """The tools, which raise no more than may be shown, and the artifact tools."""
        return [*(self._bounded(tool) for tool in tools), *tools_of(self.results.spill)]

    def _bounded(self, tool: BaseTool) -> BaseTool:
        twin = tool.model_copy()
        for name in ("func", "_run", "_arun"):
            if callable(getattr(tool, name, None)):
                object.__setattr__(twin, name, self._errors.bounded_function(getattr(tool, name), tool.name))
        return twin

    def __enter__(self) -> "Self":
        self.register()
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()

    def before_llm_call(self, context: Any) -> None:
        """A question to the model begins another turn."""
        who = _who(context)
        with self._lock:
            self._asked[who] = self._asked.pop(who, 0) + 1
            while len(self._asked) > MOST_AGENTS:
                del self._asked[next(iter(self._asked))]

    def after_tool_call(self, context: Any) -> str | None:
        """The result as it may be shown; None if it may stay as it is. Never an error: CrewAI would show everything."""
        words = context.tool_result
        if words is None:
            return None
        try:
            shown = self._shown(context, str(words))
        except Exception as error:  # noqa: BLE001  # promise: bounded, whatever fails
            shown = failure_view(error).text
        return None if shown == words else shown

    def _shown(self, context: Any, words: str) -> str:
        raw = getattr(context, "raw_tool_result", None)
        has_failed = words.startswith(FAILURES) or type(raw).__name__ == "ToolFailure"
        if getattr(context.tool, "result_as_answer", False) and not has_failed:
            return str(self.results.whole(words))
        self.results.note_tool(context.tool_name, context.tool)
        who = _who(context)
        batch = Batch((who, self._asked[who])) if who in self._asked else None
        return self.results.fit_words(words, raw, context.tool_name, batch=batch).text


def _who(context: Any) -> object:
    """The agent that asks, at its task."""
    return id(context.agent), id(context.task)
