"""What the middleware promises in LangChain and LangGraph beyond what all adapters do."""

import asyncio
import json
from types import ModuleType
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from scripted import Script, call

from frameworks.contract import LIMIT, SECRET, Run, build_log
from frameworks.shared import clears_old_results, is_cancelled
from overspill import MemoryStore, Overspill
from overspill.frameworks.langchain import OverspillMiddleware, tools_of

TASK: dict[str, Any] = {"messages": [{"role": "user", "content": "Build it."}]}


def agent_of(example: ModuleType, script: Script, tools: list[Any], **more: Any) -> Any:
    middleware = [OverspillMiddleware(Overspill(store=MemoryStore(), preset="agent"))]
    return create_agent(example.ScriptedModel(script=script), tools=tools, middleware=middleware, **more)


def last_result(state: Any) -> Any:
    return [message for message in state["messages"] if isinstance(message, ToolMessage)][-1]


def the_id_is_in_the_artifact_of_the_message(example: ModuleType) -> None:
    run = Run(example, [call("build_log")])
    (kept,) = run.spill.store.list()
    known = last_result(run.left).artifact["overspill"]
    assert known["artifact_id"] == kept.id
    assert known["omitted_lines"] > 5_000
    assert json.loads(json.dumps(known)) == known, "it could not be kept in a checkpoint"


def messages_inside_a_command_are_fitted_and_the_rest_of_it_stays(example: ModuleType) -> None:
    @tool
    def note(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Take a note."""
        return Command(update={"messages": [ToolMessage(build_log(), tool_call_id=tool_call_id)]})

    script = Script([call("note")], "done")
    state = agent_of(example, script, [note]).invoke(TASK)
    assert len(script.results[0]) <= LIMIT
    assert SECRET not in repr(state)
    fitted = OverspillMiddleware(Overspill(store=MemoryStore(), preset="agent")).fitted
    request = type("Request", (), {"tool_call": {"name": "note", "id": "1"}, "state": {}, "tool": None})()
    messages = [ToolMessage(build_log(), tool_call_id="1"), HumanMessage("go on")]
    command = fitted(Command(update={"messages": messages, "notes": 3}, goto="there", graph="parent"), request)
    assert (command.goto, command.graph, command.update["notes"]) == ("there", "parent", 3)
    assert command.update["messages"][1] is messages[1]
    assert len(command.update["messages"][0].content) <= LIMIT
    pairs = fitted(Command(update=[("messages", messages[0]), ("notes", 3)]), request).update
    assert pairs[1] == ("notes", 3)
    assert len(pairs[0][1].content) <= LIMIT
    listed = fitted([command, messages[0]], request)
    assert len(listed[1].content) <= LIMIT


def texts_of_a_message_share_its_room_and_images_stay(example: ModuleType) -> None:
    image = {"type": "image", "base64": "A" * 50_000, "mime_type": "image/png"}

    @tool
    def look() -> list[dict[str, Any]]:
        """Look at it."""
        return [{"type": "text", "text": build_log()}, image, {"type": "text", "text": build_log()}]

    script = Script([call("look")], "done")
    content = last_result(agent_of(example, script, [look]).invoke(TASK)).content
    assert content[1] == image
    assert 2_000 < len(content[0]["text"]) + len(content[2]["text"]) <= LIMIT


def what_a_tool_keeps_beside_its_message_stays(example: ModuleType) -> None:
    @tool(response_format="content_and_artifact")
    def rows() -> tuple[str, Any]:
        """Fetch rows."""
        return build_log(), {"rows": 6_000}

    @tool(response_format="content_and_artifact")
    def frame() -> tuple[str, Any]:
        """Fetch a frame."""
        return build_log(), [1, 2, 3]

    script = Script([call("rows")], [call("frame")], "done")
    state = agent_of(example, script, [rows, frame]).invoke(TASK)
    first, second = [message.artifact for message in state["messages"] if isinstance(message, ToolMessage)]
    assert first["rows"] == 6_000
    assert first["overspill"]["artifact_id"]
    assert second == [1, 2, 3]


def what_is_returned_directly_is_not_cut_and_has_no_secrets(example: ModuleType) -> None:
    @tool(return_direct=True)
    def report() -> str:
        """Report to the user."""
        return build_log()

    said = last_result(agent_of(example, Script([call("report")], "done"), [report]).invoke(TASK)).content
    assert len(said) > 150_000
    assert SECRET not in said


def interrupts_go_by_and_what_comes_after_them_is_fitted(example: ModuleType) -> None:
    @tool
    def ask() -> str:
        """Ask a person."""
        return interrupt({"question": "go on? " * 9_000}) + build_log()

    script = Script([call("ask")], "done")
    agent = agent_of(example, script, [ask], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    waiting = agent.invoke(TASK, config)
    assert waiting["__interrupt__"][0].value == {"question": "go on? " * 9_000}
    agent.invoke(Command(resume="yes\n"), config)
    assert "yes\n" in script.results[0]
    assert len(script.results[0]) <= LIMIT
    later = Script([call("ask")], "done")
    agent = agent_of(example, later, [ask], checkpointer=InMemorySaver())
    assert asyncio.run(agent.ainvoke(TASK, config))["__interrupt__"]


def errors_that_a_tool_handles_are_messages_that_fit(example: ModuleType) -> None:
    @tool
    def fail() -> str:
        """Fail."""
        raise ToolException(f"no {SECRET} " * 10_000)

    fail.handle_tool_error = True
    script = Script([call("fail")], "done")
    message = last_result(agent_of(example, script, [fail]).invoke(TASK))
    assert message.status == "error"
    assert len(message.content) <= LIMIT
    assert SECRET not in message.content


def a_short_error_is_raised_as_what_it_is_and_cancelling_cancels(example: ModuleType) -> None:
    run = Run(example, [call("fail_shortly")])
    assert type(run.raised) is ValueError, run.raised

    @tool
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(60)
        return ""

    assert is_cancelled(agent_of(example, Script([call("wait")], "done"), [wait]).ainvoke(TASK))


def what_is_streamed_is_fitted_too(example: ModuleType) -> None:
    for mode in ("updates", "values", "messages"):
        script = Script([call("build_log")], "done")
        chunks = list(agent_of(example, script, [build_log]).stream(TASK, stream_mode=mode))
        assert "ToolMessage" in repr(chunks)
        assert SECRET not in repr(chunks)
        assert len(repr(chunks)) < 4 * LIMIT


def a_graph_of_ones_own_has_it_with_a_tool_node(example: ModuleType) -> None:
    from langgraph.prebuilt import ToolNode

    spill = Overspill(store=MemoryStore(), preset="agent")
    ours = OverspillMiddleware(spill, turn=6_000)
    node = ToolNode([build_log, *tools_of(spill)], wrap_tool_call=ours.wrap_tool_call)
    from langgraph.graph import START, MessagesState, StateGraph

    graph = StateGraph(MessagesState).add_node("tools", node).add_edge(START, "tools").compile()
    calls = [{"name": "build_log", "args": {}, "id": str(number)} for number in range(2)]
    state = graph.invoke({"messages": [AIMessage("", tool_calls=calls)]})
    sizes = [len(message.content) for message in state["messages"][1:]]
    assert len(sizes) == 2
    assert sum(sizes) <= 6_000


def what_a_model_gets_wrong_about_the_artifact_tools_is_answered(example: ModuleType) -> None:
    wrong = [call("get_artifact"), call("get_artifact", id="art_1699234567890_a1b2c3", lines="1-2")]
    run = Run(example, [*wrong, call("get_artifact", id="art_1699234567890_a1b2c3", limit=None)])
    missing, unknown, absent = run.results
    assert "id is missing" in missing
    assert "no argument 'lines'" in unknown
    assert absent.startswith("Artifact not found")


def old_results_go_from_what_is_sent_and_the_state_keeps_them(example: ModuleType) -> None:
    def run_later(tools: list[Any], script: Script, spill: Overspill, clear: Any) -> Any:
        agent = example.clearing_agent_of(example.ScriptedModel(script=script), tools, spill, clear)
        return asyncio.run(agent.ainvoke(TASK))

    for way in (example.run_long, run_later):
        assert "[cleared" not in repr(clears_old_results(way)["messages"])


PROMISES = [
    the_id_is_in_the_artifact_of_the_message,
    messages_inside_a_command_are_fitted_and_the_rest_of_it_stays,
    texts_of_a_message_share_its_room_and_images_stay,
    what_a_tool_keeps_beside_its_message_stays,
    what_is_returned_directly_is_not_cut_and_has_no_secrets,
    interrupts_go_by_and_what_comes_after_them_is_fitted,
    errors_that_a_tool_handles_are_messages_that_fit,
    a_short_error_is_raised_as_what_it_is_and_cancelling_cancels,
    what_is_streamed_is_fitted_too,
    a_graph_of_ones_own_has_it_with_a_tool_node,
    what_a_model_gets_wrong_about_the_artifact_tools_is_answered,
    old_results_go_from_what_is_sent_and_the_state_keeps_them,
]
