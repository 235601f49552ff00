"""What is promised of ADK alone."""

import asyncio
from types import ModuleType, SimpleNamespace
from typing import Any

from google.adk.tools import LongRunningFunctionTool
from google.genai import types
from scripted import Script, call

from frameworks.contract import LIMIT, SECRET, Run, build_log
from frameworks.shared import clears_old_results
from overspill import MemoryStore, Overspill
from overspill.frameworks.google_adk import OverspillPlugin


def ran(example: ModuleType, tool: Any, name: str) -> tuple[str, Any]:
    """What the model read of a tool, and what the run left."""
    script = Script([call(name)], "done")
    left = example.run([tool], script, Overspill(store=MemoryStore(), preset="agent"), None)
    return script.results[0], left


def a_report_stays_a_dictionary_and_its_lines_stay_lines(example: ModuleType) -> None:
    def report() -> dict[str, Any]:
        """Report."""
        return {"status": "success", "report": build_log()}

    seen, _ = ran(example, report, "report")
    assert seen.startswith('{"status": "success", "report": "[6000 lines, '), seen[:100]
    assert "start_line=" in seen
    assert len(seen) <= LIMIT * 1.1


def the_texts_of_an_mcp_server_are_cut_as_texts(example: ModuleType) -> None:
    def read() -> dict[str, Any]:
        """Read."""
        return {"content": [{"type": "text", "text": build_log()}, {"type": "image", "data": "AA=="}], "isError": False}

    seen, _ = ran(example, read, "read")
    assert seen.startswith('{"content": [{"type": "text", "text": "[6000 lines, '), seen[:100]
    assert "start_line=" in seen
    assert '"data": "AA=="' in seen
    assert len(seen) <= LIMIT * 1.1


def media_parts_stay(_: ModuleType) -> None:
    picture = types.Part.from_bytes(data=b"\x89PNG" + bytes(99_000), mime_type="image/png")
    plugin = OverspillPlugin(Overspill(store=MemoryStore(), preset="agent"))
    actions = SimpleNamespace(skip_summarization=None)
    about: dict[str, Any] = {
        "tool": SimpleNamespace(name="see", is_long_running=False),
        "tool_args": {},
        "tool_context": SimpleNamespace(actions=actions, function_call_id="1", session=None),
    }

    def shown(result: Any) -> Any:
        return asyncio.run(plugin.after_tool_callback(**about, result=result))

    assert shown(picture) is None
    assert shown({"picture": picture, "said": "a picture"}) is None
    both = shown({"picture": picture, "said": build_log()})
    assert both["picture"] is picture
    assert len(both["said"]) <= LIMIT
    listed = shown([picture, build_log()])
    assert picture in listed.values()
    assert "art_" in str(listed["result"])


def long_running_tools_and_skipped_summaries_are_not_cut(example: ModuleType) -> None:
    def order() -> dict[str, Any]:
        """Order."""
        return {"ticket": "x" * 20_000}

    def answer(tool_context: Any) -> dict[str, Any]:
        """Answer."""
        tool_context.actions.skip_summarization = True
        return {"result": f"{SECRET} " + "y" * 20_000}

    seen, _ = ran(example, LongRunningFunctionTool(order), "order")
    assert len(seen) > 20_000
    from google.adk.tools.tool_context import ToolContext

    answer.__annotations__["tool_context"] = ToolContext
    script = Script([call("answer")], "done")
    left = example.run([answer], script, Overspill(store=MemoryStore(), preset="agent"), None)
    assert "y" * 20_000 in repr(left)
    assert SECRET not in repr(left)


def errors_are_raised_where_that_is_asked_for_and_cancelling_goes_by(_: ModuleType) -> None:
    spill = Overspill(store=MemoryStore(), preset="agent")
    about: dict[str, Any] = {"tool": SimpleNamespace(name="x"), "tool_args": {}, "tool_context": None}
    told = OverspillPlugin(spill, errors=False).on_tool_error_callback(**about, error=ValueError("no"))
    assert asyncio.run(told) is None
    cancelled = OverspillPlugin(spill).on_tool_error_callback(**about, error=asyncio.CancelledError())
    assert asyncio.run(cancelled) is None


def an_agent_without_tools_is_offered_none(example: ModuleType) -> None:
    run = Run(example)
    assert run.script.offered
    script = Script("hello")
    example.run([], script, Overspill(store=MemoryStore(), preset="agent"), None)
    assert script.offered == []


def old_results_go_from_what_is_sent_and_the_session_keeps_them(example: ModuleType) -> None:
    assert "[cleared" not in repr(clears_old_results(example.run_long))


PROMISES = [
    a_report_stays_a_dictionary_and_its_lines_stay_lines,
    the_texts_of_an_mcp_server_are_cut_as_texts,
    media_parts_stay,
    long_running_tools_and_skipped_summaries_are_not_cut,
    errors_are_raised_where_that_is_asked_for_and_cancelling_goes_by,
    an_agent_without_tools_is_offered_none,
    old_results_go_from_what_is_sent_and_the_session_keeps_them,
]
