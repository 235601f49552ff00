"""What the wrapper and the filter promise in openai-agents beyond what all adapters do."""

import asyncio
from types import ModuleType
from typing import Any

from agents import Agent, RunConfig, Runner, ToolOutputImage, ToolOutputText, function_tool
from agents.run import ModelInputData
from scripted import Script, call

from frameworks.contract import LIMIT, SECRET, Run, build_log
from frameworks.shared import answers_mistakes, clears_old_results
from overspill import MemoryStore, Overspill
from overspill.errors import ToolError
from overspill.frameworks.openai_agents import InputFilter, fitted_tools


def spill_of() -> Overspill:
    return Overspill(store=MemoryStore(), preset="agent")


def worked(example: ModuleType, script: Script, tools: list[Any], config: RunConfig | None = None) -> Any:
    agent = Agent(name="builder", model=example.ScriptedModel(script), tools=tools)
    return asyncio.run(Runner.run(agent, "Build it.", run_config=config or RunConfig()))


def an_error_that_a_tool_raises_is_bounded(example: ModuleType) -> None:
    @function_tool(failure_error_function=None)
    def fail() -> str:
        raise RuntimeError(f"no {SECRET} " * 10_000)

    raised: Any = None
    try:
        worked(example, Script([call("fail")], "done"), fitted_tools([fail], spill_of()))
    except Exception as error:  # noqa: BLE001  # the framework has errors of its own around it
        raised = error
    causes = [raised, raised.__cause__, raised.__context__]
    assert any(isinstance(one, ToolError) for one in causes), raised
    assert all(len(str(one)) <= LIMIT + 200 and SECRET not in str(one) for one in causes)


def a_tool_keeps_all_else_it_has(example: ModuleType) -> None:
    @function_tool(name_override="look", description_override="Look at it.", is_enabled=False)
    def hidden(place: str) -> str:
        return place

    (limited, *_) = fitted_tools([hidden], spill_of())
    assert (limited.name, limited.description, limited.is_enabled) == ("look", "Look at it.", False)
    assert limited.params_json_schema == hidden.params_json_schema
    assert hidden.on_invoke_tool is not limited.on_invoke_tool
    assert fitted_tools(["a hosted tool"], spill_of())[0] == "a hosted tool"


def texts_of_a_result_fit_and_images_stay(example: ModuleType) -> None:
    @function_tool
    def look() -> list[Any]:
        return [ToolOutputText(text=build_log()), ToolOutputImage(image_url="data:image/png;base64," + "A" * 50_000)]

    script = Script([call("look")], "done")
    result = worked(example, script, fitted_tools([look], spill_of()))
    (item,) = [item for item in result.to_input_list() if item.get("type") == "function_call_output"]
    text, image = item["output"]
    assert len(text["text"]) <= LIMIT
    assert len(image["image_url"]) > 50_000
    assert SECRET not in repr(item)


def the_filter_fits_what_no_wrapper_could_reach_and_always_in_the_same_way(example: ModuleType) -> None:
    plain = function_tool(build_log)
    spill = spill_of()
    script = Script([call("build_log")], [call("status")], "done")
    tools = [plain, function_tool(lambda: "all is well", name_override="status")]
    worked(example, script, tools, RunConfig(call_model_input_filter=InputFilter(spill)))
    assert len(script.results[0]) <= LIMIT
    assert SECRET not in repr(script.sent)
    views = {message.text for sent in script.sent for message in sent if "art_" in message.text}
    assert len(views) == 1
    (kept,) = spill.store.list()
    assert kept.source_tool == "build_log"


def the_filter_knows_the_items_of_other_tools(example: ModuleType) -> None:
    fits = InputFilter(spill_of())
    items = [
        {"role": "user", "content": build_log()},
        {"type": "mcp_call", "name": "read", "output": build_log(), "arguments": "{}", "id": "1"},
        {"type": "shell_call_output", "call_id": "2", "output": [{"stdout": build_log(), "stderr": "", "outcome": {}}]},
        {"type": "function_call_output", "call_id": "3", "output": [{"type": "input_text", "text": build_log()}]},
        {"type": "computer_call_output", "call_id": "4", "output": {"type": "computer_screenshot"}},
        {"type": "function_call_output", "call_id": "5", "output": ""},
    ]
    data: Any = type("Data", (), {"model_data": ModelInputData(items, "be good")})()
    data.agent = Agent(name="builder", tools=fitted_tools([], spill_of()))
    fetched = [
        {"type": "function_call", "call_id": "6", "name": "get_artifact", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "6", "output": "fetched in another process\n" * 900},
    ]
    items += fetched
    sent = asyncio.run(fits(data))
    assert sent.instructions == "be good"
    assert sent.input[0] is items[0]
    assert sent.input[4:] == items[4:]
    assert len(sent.input) == 8
    for item in sent.input[1:4]:
        assert len(repr(item)) < LIMIT * 1.3
        assert SECRET not in repr(item)
        assert "art_" in repr(item)


def a_run_that_is_streamed_is_fitted(example: ModuleType) -> None:
    from openai.types.responses import Response, ResponseCompletedEvent

    class Streaming(example.ScriptedModel):  # type: ignore[name-defined]  # a class of a module
        async def stream_response(self, *given: Any, **named: Any) -> Any:
            said = await self.get_response(*given, **named)
            response = Response(
                id="r", created_at=0, model="m", object="response", output=said.output, tool_choice="auto",
                tools=[], parallel_tool_calls=True,
            )  # fmt: skip
            yield ResponseCompletedEvent(response=response, sequence_number=0, type="response.completed")

    async def stream() -> str:
        script = Script([call("build_log")], "done")
        tools = fitted_tools([function_tool(build_log)], spill_of())
        result = Runner.run_streamed(Agent(name="builder", model=Streaming(script), tools=tools), "Build it.")
        events = [repr(event) async for event in result.stream_events()]
        assert len(script.results[0]) <= LIMIT
        return "".join(events)

    assert SECRET not in asyncio.run(stream())


def every_turn_has_a_budget_of_its_own(example: ModuleType) -> None:
    both = [call("build_log"), call("build_log")]
    run = Run(example, both, [call("build_log"), call("build_log")], turn=6_000)
    sizes = list(map(len, run.results))
    assert sum(sizes[:2]) <= 6_000
    assert max(sizes[2:]) > 2_500  # of two calls that run at once, either may come first


def what_a_model_gets_wrong_about_the_artifact_tools_is_answered(example: ModuleType) -> None:
    answers_mistakes(example)


def old_results_go_from_what_is_sent_and_the_run_keeps_them(example: ModuleType) -> None:
    assert "[cleared" not in repr(clears_old_results(example.run_long).to_input_list())


PROMISES = [
    an_error_that_a_tool_raises_is_bounded,
    a_tool_keeps_all_else_it_has,
    texts_of_a_result_fit_and_images_stay,
    the_filter_fits_what_no_wrapper_could_reach_and_always_in_the_same_way,
    the_filter_knows_the_items_of_other_tools,
    a_run_that_is_streamed_is_fitted,
    every_turn_has_a_budget_of_its_own,
    what_a_model_gets_wrong_about_the_artifact_tools_is_answered,
    old_results_go_from_what_is_sent_and_the_run_keeps_them,
]
