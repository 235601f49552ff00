"""What is promised of deep agents beyond what all adapters do: their own eviction, and their subagents."""

from types import ModuleType
from typing import Any

from deepagents import create_deep_agent
from langchain_core.messages import ToolMessage
from scripted import Message, Script, call

from frameworks.contract import LIMIT, SECRET, Run, build_log
from frameworks.shared import clears_old_results
from overspill import MemoryStore, Overspill
from overspill.frameworks.deepagents import overspill_for

TASK: dict[str, Any] = {"messages": [{"role": "user", "content": "Build it."}]}


def ours_comes_before_the_eviction_of_deep_agents(example: ModuleType) -> None:
    script = Script([call("build_log")], "done")
    state = create_deep_agent(model=example.ScriptedModel(script=script), tools=[build_log]).invoke(TASK)
    assert "/large_tool_results/" in script.results[0], "deep agents did not evict; is this test still right?"
    assert SECRET in repr(state)
    run = Run(example, [call("build_log")])
    assert "/large_tool_results/" not in repr(run.left)
    assert "art_" in run.results[0]


def what_was_fetched_is_not_evicted_however_much_was_asked_for(example: ModuleType) -> None:
    def all_of_it(messages: list[Message]) -> Any:
        kept = messages[-1].text.partition('get_artifact(id="')[2].partition('"')[0]
        return [call("get_artifact", id=kept, limit=0)]

    _, fetched = Run(example, [call("build_log")], all_of_it).results
    assert "/large_tool_results/" not in fetched
    assert 60_000 < len(fetched) < 80_000
    assert "Next page: get_artifact(" in fetched


def subagents_are_fitted_and_share_what_was_kept(example: ModuleType) -> None:
    spill = Overspill(store=MemoryStore(), preset="agent")
    asked = {"description": "Build it.", "subagent_type": "general-purpose"}
    reviewer = {"name": "reviewer", "description": "Reviews.", "system_prompt": "Review."}
    asked_reviewer = {"description": "Review it.", "subagent_type": "reviewer"}
    script = Script([call("task", **asked)], [call("build_log")], "built", [call("task", **asked_reviewer)],
                    [call("build_log")], "reviewed", "done")  # fmt: skip
    model = example.ScriptedModel(script=script)
    agent = create_deep_agent(model=model, tools=[build_log], **overspill_for(spill, [reviewer]))
    state = agent.invoke(TASK)
    assert SECRET not in repr(script.sent)
    assert SECRET not in repr(state)
    seen = [message.text for sent in script.sent for message in sent if message.role == "tool"]
    assert sum("art_" in text for text in seen) >= 2
    assert max(map(len, seen)) <= LIMIT
    assert len(list(spill.store.list())) == 2


def files_of_the_agent_are_read_as_ever(example: ModuleType) -> None:
    script = Script([call("write_file", file_path="/a.txt", content="hello")], [call("read_file", file_path="/a.txt")])
    script.steps = (*script.steps, "done")
    model = example.ScriptedModel(script=script)
    agent = create_deep_agent(model=model, tools=[], **overspill_for(Overspill(store=MemoryStore(), preset="agent")))
    state = agent.invoke(TASK)
    assert "hello" in script.results[-1]
    assert all(message.artifact is None for message in state["messages"] if isinstance(message, ToolMessage))


def old_results_go_from_what_is_sent_and_the_state_keeps_them(example: ModuleType) -> None:
    def run(tools: list[Any], script: Script, spill: Overspill, clear: Any) -> Any:
        model = example.ScriptedModel(script=script)
        return create_deep_agent(model=model, tools=tools, **overspill_for(spill, clear=clear)).invoke(TASK)

    assert "[cleared" not in repr(clears_old_results(run)["messages"])


PROMISES = [
    ours_comes_before_the_eviction_of_deep_agents,
    what_was_fetched_is_not_evicted_however_much_was_asked_for,
    subagents_are_fitted_and_share_what_was_kept,
    files_of_the_agent_are_read_as_ever,
    old_results_go_from_what_is_sent_and_the_state_keeps_them,
]
