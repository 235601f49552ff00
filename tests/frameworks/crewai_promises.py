"""What is promised of CrewAI alone."""

import re
from types import ModuleType, SimpleNamespace
from typing import Any

from crewai.hooks import get_after_tool_call_hooks, get_before_llm_call_hooks
from crewai.tools import BaseTool, tool
from scripted import Script, call

from frameworks.contract import LIMIT, SECRET, TOOLS, build_log
from overspill import MemoryStore, Overspill
from overspill.frameworks.crewai import OverspillHooks


def spill() -> Overspill:
    return Overspill(store=MemoryStore(), preset="agent")


def agents_that_write_their_calls_as_text_see_views_too(example: ModuleType) -> None:
    class Writing(example.ScriptedModel):  # type: ignore[name-defined]  # a module that is loaded by its path
        def call(self, *given: Any, **named: Any) -> Any:
            answer = super().call(*given, **named)
            if isinstance(answer, str):
                return f"Thought: I now know the final answer\nFinal Answer: {answer}"
            (asked,) = answer
            return f"Action: {asked['function']['name']}\nAction Input: {asked['function']['arguments']}"

        def supports_function_calling(self) -> bool:
            return False

    for name in ("build_log", "fail_loudly", "fetch_records"):
        script = Script([call(name)], "done")
        with OverspillHooks(spill()) as hooks:
            tools = hooks.tools(example.made(TOOLS))
            left = example.crew_of(Writing(model="scripted", script=script), tools).kickoff()
        (said,) = (message.text for message in script.sent[-1] if message.role == "assistant")
        assert SECRET not in repr(script.sent) + repr(left)
        assert len(set(re.findall(r"art_\w{6,}", said))) == 1, said[:500]
        assert len(said) <= LIMIT * 1.25


def an_answer_is_not_cut_and_its_secrets_are_hidden(example: ModuleType) -> None:
    class Report(BaseTool):
        name: str = "report"
        description: str = "Report."
        result_as_answer: bool = True

        def _run(self) -> str:
            return build_log()

    class Broken(Report):
        name: str = "broken"

        def _run(self) -> str:
            raise RuntimeError(f"{SECRET} " + "no " * 50_000)

    left = kicked(example, [Report()], Script([call("report")], "done"))
    assert len(left.raw) > 180_000
    assert SECRET not in repr(left)
    script = Script([call("broken")], "done")
    left = kicked(example, [Broken()], script)
    assert 0 < len(left.raw) <= LIMIT  # older releases take even an error for the answer
    assert SECRET not in repr(left) + repr(script.sent)


def kicked(example: ModuleType, tools: list[Any], script: Script) -> Any:
    with OverspillHooks(spill()) as hooks:
        return example.crew_of(example.ScriptedModel(model="scripted", script=script), hooks.tools(tools)).kickoff()


def outside_of_the_block_there_are_no_hooks(_: ModuleType) -> None:
    before = len(get_after_tool_call_hooks()), len(get_before_llm_call_hooks())
    with OverspillHooks(spill()):
        assert len(get_after_tool_call_hooks()) == before[0] + 1
    assert (len(get_after_tool_call_hooks()), len(get_before_llm_call_hooks())) == before


def a_hook_that_fails_shows_nothing(_: ModuleType) -> None:
    class Full(MemoryStore):
        def put(self, *_: Any, **__: Any) -> Any:
            raise OSError("disk full")

        open = put

    hooks = OverspillHooks(Overspill(store=Full(), preset="agent"))
    context: Any = SimpleNamespace(tool=None, tool_name="x", tool_result=build_log(), agent=None, task=None)
    shown = hooks.after_tool_call(context)
    assert shown is not None
    assert len(shown) <= LIMIT
    hooks.results._without = None  # type: ignore[method-assign, assignment]  # break it on purpose
    hooks.results.fit_words = None  # type: ignore[method-assign, assignment]
    shown = hooks.after_tool_call(context)
    assert shown is not None
    assert "[00000]" not in shown


def answers_of_artifact_tools_are_not_taken_from_the_cache(example: ModuleType) -> None:
    steps = (
        [call("list_artifacts", limit=5)],
        [call("build_log")],
        [call("list_artifacts", limit=5)],
        [call("build_log")],
    )
    script = Script(*steps, "done")
    with OverspillHooks(spill()) as hooks:
        llm = example.ScriptedModel(model="scripted", script=script)
        example.crew_of(llm, hooks.tools(example.made(TOOLS)), cache=True).kickoff()
    before, _, after, again = script.results
    assert "build_log" not in before
    assert "build_log" in after
    assert len(again) <= LIMIT  # from the cache, and fitted all the same


def tools_keep_their_names_and_schemas(_: ModuleType) -> None:
    @tool("search")
    def search(words: str, limit: int = 5) -> str:
        """Search."""
        return words * limit

    (twin, *ours) = OverspillHooks(spill()).tools([search])
    assert type(twin) is type(search)
    assert twin.name == "search"
    assert twin.args_schema.model_json_schema() == search.args_schema.model_json_schema()
    assert twin.run(words="ab") == "ababababab"
    assert [one.name for one in ours] == ["get_artifact", "search_artifacts", "list_artifacts"]


PROMISES = [
    agents_that_write_their_calls_as_text_see_views_too,
    an_answer_is_not_cut_and_its_secrets_are_hidden,
    outside_of_the_block_there_are_no_hooks,
    a_hook_that_fails_shows_nothing,
    answers_of_artifact_tools_are_not_taken_from_the_cache,
    tools_keep_their_names_and_schemas,
]
